"""How answers look on a terminal: words first, then numbers, wrapped to the window."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.padding import Padding
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from twoworlds.definitions import Verdict
from twoworlds.numbers import show
from twoworlds.progress import listen
from twoworlds.report import save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["console", "print_json", "print_saved", "print_verdict", "progress", "save_picture"]

_LABEL = 9
_PATIENCE = 0.7  # seconds without a progress bar: a bar that flashes up helps nobody


class _Output(Console):
    """A console that lets a closed pipe be dealt with by the command line."""

    def on_broken_pipe(self) -> None:
        """Raise instead of leaving with exit code 1, which would mean a refuted claim."""
        raise BrokenPipeError


def console() -> Console:
    """Return a console for standard output that never reads markup into our text."""
    return _Output(markup=False, highlight=False, emoji=False, soft_wrap=False)


def print_json(data: Any) -> None:
    """Print plain data as JSON, one stable form for pipes and terminals."""
    console().out(json.dumps(data, indent=2, ensure_ascii=False), highlight=False)


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
    out.print(_grid(_facts(verdict)))


def _facts(verdict: Verdict) -> Iterator[tuple[str, str]]:
    for name, value in verdict.values.items():
        yield name.replace("_", " "), show(value)
    if verdict.witness is not None:
        yield from verdict.witness.facts()
    yield from (("note", note) for note in verdict.notes)
    yield from (("assumes", assumption) for assumption in verdict.assumptions)
    if verdict.method:
        yield "because", verdict.method
    if not verdict.exact:
        yield "numbers", "floats, with proven error bounds; the decimals shown are safe"


def _grid(facts: Iterable[tuple[str, str]]) -> Table:
    grid = Table.grid(padding=(0, 2), pad_edge=False)
    grid.add_column(min_width=_LABEL + 2)
    grid.add_column(overflow="fold")
    for label, fact in facts:
        grid.add_row(Text(f"  {label}", style="dim"), Text(fact))
    return grid


def save_picture(path: Path | None, draw: Callable[[], Figure]) -> dict[str, str]:
    """Draw and save a picture if a file was named; return what JSON says of it."""
    return {} if path is None else {"picture": str(save(draw(), path))}


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
