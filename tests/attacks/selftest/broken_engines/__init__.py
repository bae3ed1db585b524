"""Release engines that are broken on purpose, at least one for each check of ``selftest``.

A check that no engine fails shows nothing. Each of these is the installed engine with one mistake,
of the kind that its failure names, and fails that check. Inside a ``with`` block the engine of this
process is broken; afterwards it is whole again:

    with ENGINES["adds_floats"]:
        selftest([17])

Some mistakes show only in processes that a check starts. `Engine.prelude` breaks the engine there.
Nothing here may be used to release anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

Break = Callable[[], Iterator[None]]
ROOT = Path(__file__).parents[4]  # from where a new process finds this


@dataclass(frozen=True)
class Engine:
    """The installed engine with one mistake, while it is entered.

    Attributes:
        name: What it is called here.
        failure: The number of the check that notices it.
        wrong: What is wrong with it.
        mistake: Makes the mistake, and takes it back.
        everywhere: Whether the processes that checks start make it too.
    """

    name: str
    failure: int
    wrong: str
    mistake: Break = field(repr=False)
    everywhere: bool = False
    _undo: ExitStack = field(default_factory=ExitStack, repr=False, compare=False)

    @property
    def prelude(self) -> str:
        """What a process runs first to have this engine; empty if it is to have the whole one."""
        if not self.everywhere:
            return ""
        named = f"ENGINES[{self.name!r}]"
        found = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
        where = "tests.attacks.selftest.broken_engines"
        return f"{found}; from {where} import ENGINES; {named}.__enter__()"

    def __enter__(self) -> Self:
        """Break the engine of this process."""
        self._undo.enter_context(contextmanager(self.mistake)())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Make it whole again."""
        self._undo.close()


ENGINES: dict[str, Engine] = {}


def broken(failure: int, *, everywhere: bool = False) -> Callable[[Break], Break]:
    """List an engine with the check that notices it; its docstring says what is wrong."""

    def enter(mistake: Break) -> Break:
        name, wrong = mistake.__name__.removeprefix("_"), str(mistake.__doc__).rstrip(".")
        ENGINES[name] = Engine(name, failure, wrong, mistake, everywhere)
        return mistake

    return enter


from tests.attacks.selftest.broken_engines import answers, noise  # noqa: E402, F401 (they list themselves)
