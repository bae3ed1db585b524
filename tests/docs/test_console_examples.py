"""Every console example in README.md and docs/ prints what the page says it prints.

The rules of these examples are in tests/docs/console.py. ``make docs-examples`` writes what the
commands print now into the pages, where it differs; read the difference before you commit it.
"""

import difflib
import os
import shutil
from pathlib import Path

import pytest

from tests.docs.console import (
    Block,
    Step,
    agrees,
    agrees_but_for_noise,
    as_written,
    find_blocks,
    run,
)
from tests.docs.pages import DOCS, markdown_pages, name
from twoworlds.release.examples import lay_out

REWRITE = "TWOWORLDS_REWRITE_EXAMPLES" in os.environ


WHOLE = ("README.md", "docs/tutorials/learn.md")  # of other pages, all but the first is slow
ON = (
    "README.md",
    "docs/tutorials/release.md",
    "docs/tutorials/review.md",
)  # read from top to bottom, after `make run`


def blocks_to_run():
    for page in markdown_pages():
        blocks = find_blocks(page.read_text(encoding="utf-8"))
        run = [number for number, block in enumerate(blocks) if block.is_run]
        for number in run:
            quick = REWRITE or name(page) in WHOLE or number == run[0]
            marks = () if quick else pytest.mark.slow
            yield pytest.param(page, number, id=f"{name(page)}:{blocks[number].start}", marks=marks)


def as_promised(step: Step, printed: list[str]) -> bool:
    if not step.is_noisy:
        return agrees(step.output, printed)
    return agrees_but_for_noise(step.output, printed) and paid(step.output) in ([], paid(printed))


def paid(lines: list[str]) -> list[str]:
    """Return what was paid and is left, which is not noisy."""
    return [line for line in lines if line.startswith(("Paid: ", "It would cost "))]


def complaint(step: Step, code: int, printed: list[str]) -> str:
    lines = [*step.typed]
    if code != step.exit_code:
        lines.append(f"exit code: the page says {step.exit_code}, the command gave {code}")
    if not as_promised(step, printed):
        lines += difflib.unified_diff(step.output, printed, "the page", "the command", lineterm="")
    return "\n".join(lines)


def rewrite(page: Path, number: int, results: dict[Step, tuple[int, list[str]]]) -> None:
    text = page.read_text(encoding="utf-8")
    block: Block = find_blocks(text)[number]
    lines = text.splitlines()
    lines[block.start : block.stop] = as_written(block, results)
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def begin(page: Path, number: int, folder: Path) -> None:
    """Lay out the hospital; on a page read from top to bottom, do what stands above the block."""
    lay_out(folder / "hospital")
    if name(page) in ON:
        run(["demo"], folder)
        for block in find_blocks(page.read_text(encoding="utf-8"))[:number]:
            for step in block.steps:
                if step.is_run and any("hospital/" in line for line in step.typed):
                    run(step.arguments[1:], folder)


@pytest.mark.parametrize(("page", "number"), list(blocks_to_run()))
def test_console_examples_print_what_the_page_says(page: Path, number: int, tmp_path: Path):
    block = find_blocks(page.read_text(encoding="utf-8"))[number]
    shutil.copytree(DOCS / "examples", tmp_path, dirs_exist_ok=True)
    if any("hospital/" in line for step in block.steps for line in step.typed):
        begin(page, number, tmp_path)
    wrong = {}
    for step in block.steps:
        if step.is_run:
            code, printed = run(step.arguments[1:], tmp_path)
            if code != step.exit_code or not as_promised(step, printed):
                wrong[step] = (code, printed)
    if wrong and REWRITE:
        rewrite(page, number, wrong)
        return
    if wrong:
        complaints = [complaint(step, *result) for step, result in wrong.items()]
        pytest.fail(
            f"{name(page)}, block at line {block.start}:\n\n" + "\n\n".join(complaints),
            pytrace=False,
        )


PAGE = """\
Text.

1. In a list:

   ```console
   $ twoworlds measure \\
       "constant(1)"
   price: 1

   $ make run
   anything
   $ twoworlds check a b
   refuted
   ...
   # exit 1
   ```

```python
$ twoworlds is not run here
```
"""


def test_a_block_is_split_into_commands_outputs_and_exit_codes():
    [block] = find_blocks(PAGE)
    measure, make, check = block.steps
    assert measure.arguments == ["twoworlds", "measure", "constant(1)"]
    assert (measure.output, measure.exit_code) == (["price: 1"], 0)
    assert [step.is_run for step in block.steps] == [True, False, True]
    assert make.shown == ("anything",)
    assert (check.output, check.exit_code) == (["refuted", "..."], 1)


def test_three_dots_stand_for_any_number_of_lines():
    assert agrees(["a", "...", "d"], ["a", "b", "c", "d"])
    assert agrees(["a", "...", "d"], ["a", "d"])
    assert not agrees(["a", "...", "d"], ["a", "b"])
    assert not agrees(["a.c"], ["abc"])


def test_of_noisy_commands_only_the_words_count():
    assert agrees_but_for_noise(
        ["north  1,234  ± 5", "hash 0123abcd"], ["north -7 ± 50 hash deadbeef"]
    )
    assert agrees_but_for_noise(["one", "...", "two"], ["one", "anything", "two"])
    assert not agrees_but_for_noise(["north 5"], ["south 5"])
    release, other = find_blocks("```console\n$ twoworlds release a\n$ twoworlds check a\n```")[
        0
    ].steps
    assert (release.is_noisy, other.is_noisy) == (True, False)


def test_rewriting_keeps_the_rest_of_the_page(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    measure, _, check = find_blocks(PAGE)[0].steps
    rewrite(page, 0, {measure: (0, ["price: 2"]), check: (2, ["bad input"])})
    expected = PAGE.replace("price: 1", "price: 2")
    expected = expected.replace("   refuted\n   ...\n   # exit 1\n", "   bad input\n   # exit 2\n")
    assert page.read_text(encoding="utf-8") == expected


def test_a_complaint_shows_the_difference_and_the_exit_code():
    [block] = find_blocks(PAGE)
    told = complaint(block.steps[2], 0, ["holds"])
    assert "$ twoworlds check a b" in told
    assert "the page says 1, the command gave 0" in told
    assert "-refuted" in told
    assert "+holds" in told
