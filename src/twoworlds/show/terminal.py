"""Answers on a terminal: words first, then numbers, wrapped to the window.

No cell of a table is ever cut. A table that is too wide is divided: columns that do not fit beside
the others follow below, after the first ones once more. Headings are folded between words, and so
are cells of prose. Other cells stand on one line. Columns that do not fit even alone are printed as
a list, a line or more for each cell. Widths are decided here, because rich shortens columns without
regard to what is in them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from twoworlds.answer import Answer, Block, Facts, Listing, Said, Steps, Table, Verbatim
from twoworlds.charts import BLUE, GREY, Chart, Icons
from twoworlds.show.text import icon_rows

_GAP = 3  # blanks around a cell, and the line between columns
_PROSE = 20  # a column of prose is at least so wide, if its cells are
_LABEL = 11
_MOST = 40
_MORE = "More: add --more."
_BLANKS = re.compile(r"[ \t]+$", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def print_answer(answer: Answer, *, more: bool = False) -> None:
    """Print an answer: what holds, the sentence, the numbers, what they rest on.

    Without ``more``, the last line says that there is more to ask for.
    """
    out = console()
    if answer.subject or answer.claim:
        head = Text(answer.subject, style="bold")
        between = "\n" if answer.subject and answer.claim else ""
        head.append(f"{between}{answer.claim}", style="not bold")
        if answer.holds is not None:
            word = answer.verdict.removeprefix(answer.claim)
            head.append(word, style="bold green" if answer.holds else "bold red")
        out.print(head)
        out.print()
        out.print(_indented(answer.headline, 2))
    else:
        out.print(Text(answer.headline))
    pending = [*answer.blocks, *([Facts(answer.foot)] if answer.foot else [])]
    if answer.more:
        pending += answer.more if more else [Said([_MORE], quiet=True)]
    before: Block | None = None if answer.subject or answer.claim else Said([answer.headline])
    for block in _joined(pending, icons=more):
        if _kind(block) != _kind(before) and not _spaced(block):
            out.print()
        _print_block(out, block)
        before = block


def _kind(block: Block | None) -> tuple[type, bool]:
    """Return what blocks have in common that stand without an empty line between them."""
    return type(block), isinstance(block, Said) and block.quiet


def _spaced(block: Block) -> bool:
    """Tell whether a block begins with an empty line of its own, as tables do."""
    return isinstance(block, Table) and not block.lead


def _joined(blocks: Iterable[Block], *, icons: bool = False) -> list[Block]:
    """Join facts that follow each other, so that they share a column; leave charts out."""
    found: list[Block] = []
    for block in blocks:
        if isinstance(block, Facts) and found and isinstance(found[-1], Facts):
            found[-1] = Facts([*found[-1].rows, *block.rows])
        elif not isinstance(block, Chart) or (icons and isinstance(block, Icons)):
            found.append(block)
    return found


def _print_block(out: Console, block: Block) -> None:
    match block:
        case Said(sentences, quiet):
            for sentence in sentences:  # blanks before one are the indent of all its lines
                words = sentence.lstrip(" ")
                indent = len(sentence) - len(words)
                out.print(_indented(words, indent, style="dim" if quiet else ""))
        case Icons():
            _print_icons(out, block)
        case Facts(rows):
            print_facts(rows, label=_LABEL)
        case Table():
            if block.lead:
                out.print(Text(block.lead))
            right = range(1, len(block.heads)) if block.numbers else ()
            print_table(
                block.heads, block.rows, repeated=block.repeated, prose=block.prose, right=right
            )
        case Listing(name, lines):
            out.print(_indented(name, 2, style="dim"))
            for line in lines[:_MOST]:
                out.print(_indented(line, 4))
            if len(lines) > _MOST:
                more = f"... and {len(lines) - _MOST} more: use --json"
                out.print(_indented(more, 4, style="dim"))
        case Steps(items):
            for number, (said, remarks) in enumerate(items, start=1):
                out.print(Text(f"{number}. {said}"))
                for remark in remarks:
                    out.print(_indented(remark, 3, style="dim"))
        case Verbatim(source):
            out.print(Text(source), soft_wrap=True)


def _indented(words: str, left: int, style: str = "") -> Padding:
    return Padding(Text(words, style=style), (0, 0, 0, left))


def _print_icons(out: Console, chart: Icons) -> None:
    """Print figures, ten in a row, in the colours of charts."""
    out.print(Text(f"{chart.title}: {chart.key}"))
    for row in icon_rows(chart):
        line = Text(row)
        line.highlight_words(["●"], style=BLUE)
        line.highlight_words(["○"], style=GREY)
        out.print(Padding(line, (0, 0, 0, 2)))


def print_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    repeated: int = 1,
    prose: Collection[int] = (),
    right: Collection[int] = (),
) -> None:
    """Print a table so that no cell is cut, whatever the window."""
    out = console()
    safe = [[_harmless(cell) for cell in row] for row in (headings, *rows)]
    for part in tables(safe[0], safe[1:], out.width, repeated=repeated, prose=prose, right=right):
        out.print(part)


def print_facts(pairs: Iterable[tuple[str, str]], *, label: int = 0) -> None:
    """Print facts beside their labels, whose column is at least so wide."""
    out = console()
    safe = [(_harmless(name), _harmless(fact)) for name, fact in pairs]
    for part in facts(safe, out.width, label=label):
        out.print(part)


def console() -> Console:
    """Return a console for standard output that never reads markup into our text."""
    return _Output(markup=False, highlight=False, emoji=False, soft_wrap=False)


class _Output(Console):
    """A console that cuts no number short, pads no line, and leaves errors of pipes to `run`."""

    def on_broken_pipe(self) -> None:
        """Raise instead of leaving with exit code 1, which would mean a refuted claim.

        Without its number: the option parser would leave with 1 on seeing that.
        """
        raise BrokenPipeError

    def print(self, *objects: Any, **options: Any) -> None:
        """Print; a cell that is too long is folded, and blanks at the end of lines are left out."""
        objects = tuple(map(_harmless, objects))
        for table in (one for one in objects if isinstance(one, RichTable)):
            for column in table.columns:
                column.overflow = "fold"  # an ellipsis in an exponent makes another number
        if self.is_terminal:
            super().print(*objects, **options)
            return
        with self.capture() as captured:
            super().print(*objects, **options)
        try:
            self.file.write(_BLANKS.sub("", captured.get()))
            self.file.flush()
        except BrokenPipeError:
            self.on_broken_pipe()


def _harmless(shown: Any) -> Any:
    """Show control characters instead of sending them: a table of others' cannot command us."""
    match shown:
        case str():
            return _CONTROL.sub(_visible, shown)
        case Text() if _CONTROL.search(shown.plain):
            shown.plain = _CONTROL.sub(_visible, shown.plain)
        case Padding():
            shown.renderable = _harmless(shown.renderable)
        case RichTable():
            for column in shown.columns:
                column.header = _harmless(column.header)
                column._cells = [*map(_harmless, column._cells)]
    return shown


def _visible(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape").decode("ascii")


# --- tables of any width --------------------------------------------------------------------------


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
        table = RichTable(box=box.SIMPLE_HEAD)
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
    listed = [(_plain(name), _plain(fact)) for name, fact in pairs]
    first = max([label, *(_length(name) + 2 for name, _ in listed)])
    last = max([1, *(_longest(fact) for _, fact in listed)])
    if first + 2 + min(last, width // 2) > width:
        for name, fact in listed:
            yield Text(f"  {name}", style="dim")
            yield Padding(Text(fact), (0, 0, 0, 4))
        return
    grid = RichTable.grid(padding=(0, 2), pad_edge=False)
    grid.add_column(width=first)
    grid.add_column(overflow="fold")
    for name, fact in listed:
        grid.add_row(Text(f"  {name}", style="dim"), Text(fact))
    yield grid


def _listed(titles: Sequence[str], columns: Sequence[Sequence[str]]) -> Iterator[RenderableType]:
    """Yield each cell after its heading, with an empty line before each row."""
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
    return max(map(cell_len, text.split("\n")))


def _longest(text: str) -> int:
    return max(map(_length, text.split()), default=0)


def _plain(text: str) -> str:
    return text.expandtabs()
