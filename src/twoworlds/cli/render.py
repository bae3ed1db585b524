"""What commands share: JSON, pictures, and a bar for long work."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import Progress

from twoworlds.errors import TwoWorldsError
from twoworlds.progress import listen
from twoworlds.show.figure import save
from twoworlds.show.result import Result
from twoworlds.show.terminal import console, print_answer

_PATIENCE = 0.7  # seconds without a progress bar: a bar that flashes up helps nobody

_unsaved: list[str] = []  # why files that were asked for are missing


def print_json(data: Any) -> None:
    """Print plain data as JSON, one stable form for pipes and terminals."""
    console().out(json.dumps(data, indent=2, ensure_ascii=False), highlight=False)


def print_result(
    result: Result, *, as_json: bool = False, more: bool = False, **beside: Any
) -> None:
    """Print a result: its answer, or its fields as JSON, with what else there is to say of it."""
    if as_json:
        print_json({**result.to_dict(), **beside})
    else:
        print_answer(result.answer(), more=more)


def saved_files(result: Result, picture: Path | None, out: Path | None) -> dict[str, str]:
    """Write the files that were asked for; return what JSON says of them.

    A file that cannot be written does not lose the answer: `unsaved` gives the reason afterwards.
    """
    found = {}
    for name, path, write in (
        ("picture", picture, lambda path: save(result.plot(), path)),
        ("out", out, result.save),
    ):
        if path is not None:
            try:
                found[name] = str(write(path))
            except TwoWorldsError as error:
                what = "no picture was drawn" if name == "picture" else f"{path} was not written"
                _unsaved.append(f"{what}: {error}")
    return found


def unsaved() -> list[str]:
    """Return, once, why files that were asked for are missing."""
    reasons = _unsaved[:]
    _unsaved.clear()
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
