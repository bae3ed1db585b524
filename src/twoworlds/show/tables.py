"""Tables on a terminal, of any width, in which no cell is ever cut.

A table that is too wide is divided: columns that do not fit beside the others follow below, after
the first ones once more. Headings are folded between words, and so are cells of prose. Other cells
stand on one line. Columns that do not fit even alone are printed as a list, a line or more for each
cell. Widths are decided here, because rich shortens columns without regard to what is in them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

_GAP = 3  # blanks around a cell, and the line between columns
_PROSE = 20  # a column of prose is at least so wide, if its cells are


def tables(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    *,
    repeated: int = 1,
    prose: Collection[int] = (),
    right: Collection[int] = (),
) -> Iterator[RenderableType]:
    """Yield what rich prints of a table; ``prose`` and ``right`` are places of columns."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    columns = [[_plain(row[i]) for row in rows] for i in range(len(headings))]
    titles = [_plain(heading) for heading in headings]
    room = width - 1
    least = [
        _least(title, cells, folded=i in prose)
        for i, (title, cells) in enumerate(zip(titles, columns, strict=True))
    ]
    most = [
        max(map(_length, (title, *cells))) for title, cells in zip(titles, columns, strict=True)
    ]
    for group in _that_fit(least, room, min(repeated, len(headings))):
        needed = [least[i] for i in group]
        if sum(needed) + _GAP * len(group) > room:
            needed = [_least(titles[i], columns[i], folded=True) for i in group]
        if sum(needed) + _GAP * len(group) > room:
            yield from _listed([titles[i] for i in group], [columns[i] for i in group])
            continue
        table = Table(box=box.SIMPLE_HEAD)
        spare = room - sum(needed) - _GAP * len(group)
        for i, size in zip(group, _grown(needed, [most[i] for i in group], spare), strict=True):
            table.add_column(
                Text(titles[i]),
                width=size,
                overflow="fold",
                justify="right" if i in right else "left",
            )
        for cells in zip(*(columns[i] for i in group), strict=True):
            table.add_row(*map(Text, cells))
        yield table


def facts(
    pairs: Iterable[tuple[str, str]], width: int, *, label: int = 0
) -> Iterator[RenderableType]:
    """Yield facts beside their labels; each below its label where its words do not fit there."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    listed = [(_plain(name), _plain(fact)) for name, fact in pairs]
    first = max([label, *(_length(name) + 2 for name, _ in listed)])
    last = max([1, *(_longest(fact) for _, fact in listed)])
    if first + 2 + min(last, width // 2) > width:
        for name, fact in listed:
            yield Text(f"  {name}", style="dim")
            yield Padding(Text(fact), (0, 0, 0, 4))
        return
    grid = Table.grid(padding=(0, 2), pad_edge=False)
    grid.add_column(width=first)
    grid.add_column(overflow="fold")
    for name, fact in listed:
        grid.add_row(Text(f"  {name}", style="dim"), Text(fact))
    yield grid


def _listed(titles: Sequence[str], columns: Sequence[Sequence[str]]) -> Iterator[RenderableType]:
    """Yield each cell after its heading, with an empty line before each row."""
    from rich.text import Text

    for cells in zip(*columns, strict=True):
        yield Text("")
        yield from (
            Text(f"{title}: {cell}" if title else cell)
            for title, cell in zip(titles, cells, strict=True)
        )
    yield Text("")


def _that_fit(widths: Sequence[int], room: int, repeated: int) -> Iterator[list[int]]:
    """Split columns into groups that fit; each begins with the columns that are repeated."""
    first = list(range(repeated))
    used = before = sum(widths[:repeated]) + _GAP * repeated
    group = first[:]
    for i, width in enumerate(widths[repeated:], start=repeated):
        if len(group) > repeated and used + width + _GAP > room:
            yield group
            group, used = first[:], before
        group.append(i)
        used += width + _GAP
    yield group


def _grown(least: Sequence[int], most: Sequence[int], spare: int) -> list[int]:
    """Give columns what is left of the line, evenly, up to what their contents take."""
    found = list(least)
    while spare > 0 and (growing := [i for i in range(len(found)) if found[i] < most[i]]):
        for i in growing[:spare]:
            found[i] += 1
        spare -= len(growing[:spare])
    return found


def _least(title: str, cells: Sequence[str], *, folded: bool) -> int:
    whole = max(map(_length, cells), default=0)
    words = max(min(whole, _PROSE), *(_longest(cell) for cell in (title, *cells)))
    return max(1, _longest(title), words if folded else whole)


def _length(text: str) -> int:
    """Return how wide the widest line of a text is on a terminal."""
    from rich.cells import cell_len

    return max(map(cell_len, text.split("\n")))


def _longest(text: str) -> int:
    return max(map(_length, text.split()), default=0)


def _plain(text: str) -> str:
    return text.expandtabs()
