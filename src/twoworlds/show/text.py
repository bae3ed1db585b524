"""An answer as plain text: what `explain` returns, a line for each thing that is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from twoworlds.answer import Answer, Block, Facts, Listing, Said, Steps, Table, Verbatim

_LABEL = 10
_MOST = 40


def text(answer: Answer) -> str:
    """Return an answer as text: subject and verdict, the sentence, what supports it.

    >>> print(text(Answer("It moves odds by 3.", "coin", "dp", blocks=[Facts([("a", "1")])])))
    coin: dp
    <BLANKLINE>
    It moves odds by 3.
    <BLANKLINE>
      a          1
    """
    title = ": ".join(part for part in (answer.subject, answer.verdict) if part)
    lines = [title, "", answer.headline] if title else [answer.headline]
    body = [line for block in answer.blocks for line in _lines(block)]
    body += _facts(answer.foot)
    gap = [""] if title and body else []
    return "\n".join([*lines, *gap, *body])


def _lines(block: Block) -> Iterator[str]:
    match block:
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
