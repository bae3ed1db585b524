"""How answers look on a terminal: words first, then numbers, wrapped to the window."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.padding import Padding
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from twoworlds.cards.tables import facts, tables
from twoworlds.definitions import Verdict
from twoworlds.errors import TwoWorldsError
from twoworlds.numbers import Side, stated
from twoworlds.progress import listen
from twoworlds.report import save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "Interrupted",
    "console",
    "print_facts",
    "print_json",
    "print_saved",
    "print_table",
    "print_verdict",
    "progress",
    "save_picture",
    "undrawn",
]

_LABEL = 9
_PATIENCE = 0.7  # seconds without a progress bar: a bar that flashes up helps nobody
_BLANKS = re.compile(r"[ \t]+$", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")

_undrawn: list[str] = []  # why pictures that were asked for are missing


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
        for table in (one for one in objects if isinstance(one, Table)):
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
        case Table():
            for column in shown.columns:
                column.header = _harmless(column.header)
                column._cells = [*map(_harmless, column._cells)]
    return shown


def _visible(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape").decode("ascii")


def console() -> Console:
    """Return a console for standard output that never reads markup into our text."""
    return _Output(markup=False, highlight=False, emoji=False, soft_wrap=False)


def print_json(data: Any) -> None:
    """Print plain data as JSON, one stable form for pipes and terminals."""
    console().out(json.dumps(data, indent=2, ensure_ascii=False), highlight=False)


class Interrupted(Exception):
    """Ctrl-C at a moment about which something must be said.

    No `KeyboardInterrupt`: the option parser would make an exit code of that, and lose the text.
    """


def print_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    repeated: int = 1,
    prose: Collection[int] = (),
    right: Collection[int] = (),
) -> None:
    """Print a table as `twoworlds.cards.tables` lays it out for the window."""
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


def print_verdict(verdict: Verdict) -> None:
    """Print a verdict: what holds, what it means, the numbers, the witness, what it rests on."""
    out = console()
    head = Text(verdict.mechanism, style="bold")
    head.append(f"\n{verdict.definition}", style="not bold")
    if verdict.holds is not None:
        word, style = (" holds", "bold green") if verdict.holds else (" does NOT hold", "bold red")
        head.append(word, style=style)
    out.print(head)
    out.print()
    out.print(Padding(Text(verdict.sentence), (0, 0, 0, 2)))
    out.print()
    print_facts(_facts(verdict), label=_LABEL + 2)


def _facts(verdict: Verdict) -> Iterator[tuple[str, str]]:
    for name, value in verdict.values.items():
        side: Side = "down" if name.endswith("at_least") else "up"
        yield name.replace("_", " "), stated(value, side=side)
    if verdict.witness is not None:
        yield from verdict.witness.facts()
    yield from (("note", note) for note in verdict.notes)
    yield from (("assumes", assumption) for assumption in verdict.assumptions)
    if verdict.method:
        yield "because", verdict.method
    if not verdict.exact:
        yield "numbers", "floats, with proven error bounds; the decimals shown are safe"


def save_picture(path: Path | None, draw: Callable[[], Figure]) -> dict[str, str]:
    """Draw and save a picture if a file was named; return what JSON says of it.

    A picture that cannot be drawn does not lose the answer: `undrawn` gives the reason afterwards.
    """
    if path is None:
        return {}
    try:
        return {"picture": str(save(draw(), path))}
    except TwoWorldsError as error:
        _undrawn.append(str(error))
        return {}


def undrawn() -> list[str]:
    """Return, once, why pictures that were asked for are missing."""
    reasons = _undrawn[:]
    _undrawn.clear()
    return reasons


def print_saved(saved: dict[str, str]) -> None:
    """Say which file was written, if any."""
    for path in saved.values():
        console().print(f"wrote {path}", soft_wrap=True)


@contextmanager
def progress() -> Iterator[None]:
    """Show a progress bar on standard error for loops that last, on a terminal only."""
    errors = Console(stderr=True)
    if not errors.is_terminal:
        yield
        return
    bar = Progress(console=errors, transient=True)

    def wrap(items: Iterable[object], label: str, total: int | None) -> Iterable[object]:
        return _watched(bar, items, label, total)

    with listen(wrap):
        yield


def _watched(
    bar: Progress, items: Iterable[object], label: str, total: int | None
) -> Iterator[object]:
    """Run through a loop; when it has lasted a while, and no loop around it is shown, show it."""
    started, task = monotonic(), None
    try:
        for done, item in enumerate(items):
            if task is not None:
                bar.update(task, completed=done)
            elif not bar.live.is_started and monotonic() - started > _PATIENCE:
                bar.start()
                task = bar.add_task(label, total=total, completed=done)
            yield item
    finally:
        if task is not None:
            bar.stop()
            bar.remove_task(task)
