"""Every ``>>>`` example in README.md and docs/ prints what the page says it prints.

The examples of one page share their names and run from top to bottom. Lines that open or close a
code block are blanked first, because doctest would read a closing fence as expected output.
"""

import doctest
import re
from pathlib import Path

import pytest

from tests.docs.pages import markdown_pages, name

FENCE = re.compile(r"^\s*(```|~~~).*$", re.MULTILINE)


def examples(page: Path) -> doctest.DocTest:
    """The page as one doctest, with its line numbers kept."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    names = {"__name__": "__main__"}
    return doctest.DocTestParser().get_doctest(text, names, name(page), str(page), 0)


SLOW = ("docs/reference/definitions.md",)  # a minute, of which the definitions' own tests do most
PAGES_WITH_EXAMPLES = [
    pytest.param(page, id=name(page), marks=pytest.mark.slow if name(page) in SLOW else ())
    for page in markdown_pages()
    if examples(page).examples
]


@pytest.mark.parametrize("page", PAGES_WITH_EXAMPLES)
def test_python_examples_print_what_the_page_says(page: Path):
    complaints: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.REPORT_NDIFF)
    runner.run(examples(page), out=complaints.append)
    assert not complaints, "\n" + "".join(complaints)


def test_a_closing_fence_is_not_expected_output(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> 1 + 1\n2\n```\n", encoding="utf-8")
    monkeypatch.setattr("tests.docs.pages.ROOT", tmp_path)
    [example] = examples(page).examples
    assert (example.source, example.want, example.lineno) == ("1 + 1\n", "2\n", 1)
