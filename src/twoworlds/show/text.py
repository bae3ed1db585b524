"""An answer as plain text: what `explain` returns, a line for each thing that is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from twoworlds.answer import Answer, Block, Facts, Listing, Said, Steps, Table, Verbatim
from twoworlds.charts import Icons

_LABEL = 10
_MOST = 40


def text(answer: Answer, *, more: bool = False) -> str:
    """Return an answer as text: subject and verdict, the sentence, what supports it.

    What stands behind the sentence (`Answer.more`) is there if asked for, and icon arrays with it.

    >>> print(text(Answer("It moves odds by 3.", "coin", "dp", blocks=[Facts([("a", "1")])])))
    coin: dp
    <BLANKLINE>
    It moves odds by 3.
    <BLANKLINE>
      a          1
    """
    title = ": ".join(part for part in (answer.subject, answer.verdict) if part)
    lines = [title, "", answer.headline] if title else [answer.headline]
    blocks = [*answer.blocks, *answer.more] if more else answer.blocks
    body = [line for block in blocks for line in _lines(block, icons=more)]
    body += _facts(answer.foot)
    gap = [""] if title and body else []
    return "\n".join([*lines, *gap, *body])


def icon_rows(chart: Icons) -> Iterator[str]:
    """Yield figures, ten in a row: right without the data, right with it, wrong.

    >>> next(icon_rows(Icons("", 7, 5, 10, "")))
    '○ ○ ○ ○ ○ ● ● · · ·'
    """
    marks = "○" * chart.base + "●" * (chart.right - chart.base)
    for start in range(0, chart.of, 10):
        yield " ".join(marks.ljust(chart.of, "·")[start : start + 10])


def _lines(block: Block, *, icons: bool = False) -> Iterator[str]:
    match block:
        case Icons() if icons:
            yield f"{block.title}: {block.key}"
            yield from (f"  {row}" for row in icon_rows(block))
        case Said(sentences):
            yield from sentences
        case Facts(rows):
            yield from _facts(rows)
        case Table():
            yield from [block.lead] if block.lead else []
            yield from _table(block.heads, block.rows)
        case Listing(name, lines):
            yield f"{name}:"
            yield from (f"  {line}" for line in lines[:_MOST])
            if len(lines) > _MOST:
                yield f"  ... and {len(lines) - _MOST} more"
        case Steps(items):
            for number, (said, remarks) in enumerate(items, start=1):
                yield f"{number}. {said}"
                yield from (f"   {remark}" for remark in remarks)
        case Verbatim(source):
            yield source
        case _:
            return  # a chart shows what the words say


def _facts(rows: Sequence[tuple[str, str]]) -> list[str]:
    width = max([_LABEL, *(len(name) for name, _ in rows)])
    return [f"  {name:<{width}} {fact}".rstrip() for name, fact in rows]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    shown = [heads, *rows[:_MOST]] if any(heads) else [*rows[:_MOST]]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        yield f"  {'  '.join(cells)}".rstrip()
    if len(rows) > _MOST:
        yield f"  ... and {len(rows) - _MOST} more"
