"""Mistakes in words, names and budgets: failures 9 to 15 and 17."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import Any
from unittest.mock import patch

from tests.attacks.selftest.broken_engines.engine import broken

_TOLERANCE = 1e-9


@broken(9, everywhere=True)
def _says_why_it_failed() -> Iterator[None]:
    """What the engine of SQL complains about is passed on."""
    from twoworlds.errors import TwoWorldsError
    from twoworlds.release.backends.dbapi import DbApiBackend
    from twoworlds.release.backends.duckdb import DuckDBBackend
    from twoworlds.release.errors import ReleaseFailed

    said: list[str] = []

    def telling(real: Callable[..., Any]) -> Callable[..., Any]:
        def fetch(self: Any, statement: Any) -> Any:
            try:
                return real(self, statement)
            except Exception as error:
                said.append(str(error))
                raise

        return fetch

    def told(self: ReleaseFailed) -> None:
        TwoWorldsError.__init__(self, f"the engine failed: {said[-1]}")

    with ExitStack() as changes:
        for engine in (DbApiBackend, DuckDBBackend):
            for name in ("fetch", "fetch_all"):
                if hasattr(engine, name):
                    told_by = telling(getattr(engine, name))
                    changes.enter_context(patch.object(engine, name, told_by))
        changes.enter_context(patch.object(ReleaseFailed, "__init__", told))
        yield


@broken(13)
def _takes_any_name() -> Iterator[None]:
    """Whoever is not known is taken for the first who is."""
    from twoworlds.release import Curator

    real = Curator.analyst

    def analyst(self: Curator, dataset: str, name: str | None = None) -> str:
        known = [*self.policy.dataset(dataset).analysts]
        return real(self, dataset, known[0] if known and name not in known else name)

    with patch.object(Curator, "analyst", analyst):
        yield


@broken(15)
def _reads_one_statement() -> Iterator[None]:
    """Of several statements the first is answered, and the others are overlooked."""
    from twoworlds.release import Curator

    real = Curator.query

    def query(self: Curator, asked: Any) -> Any:
        return real(self, asked.partition(";")[0] if isinstance(asked, str) else asked)

    with patch.object(Curator, "query", query):
        yield


@contextmanager
def _asked_as(name: Callable[[], object]) -> Iterator[None]:
    """Tell queries apart that are the same."""
    from twoworlds.release.statement import statement

    def told_apart(*arguments: Any) -> dict[str, Any]:
        return {**statement(*arguments), "asked as": str(name())}

    with patch("twoworlds.release.curator.statement", told_apart):
        yield


@broken(10, everywhere=True)
def _counts_its_own() -> Iterator[None]:
    """A process looks only at what it has spent itself."""
    from twoworlds.release.budget import Spent
    from twoworlds.release.ledger.state import LedgerState

    follow, apply, fits = LedgerState.follow, LedgerState.apply, LedgerState.check_fits
    own: dict[Any, Spent] = {}
    reading = [False]

    def of(state: LedgerState, account: Any) -> Spent:
        return own.get((state.name, account), Spent())

    def followed(self: LedgerState, row: Any) -> None:
        reading[0] = True
        try:
            follow(self, row)
        finally:
            reading[0] = False

    def applied(self: LedgerState, kind: str, content: Any, place: Any) -> None:
        before = {**self.spent}
        apply(self, kind, content, place)
        if not reading[0] and kind == "reserve":
            for account in self.spent:
                if self.spent[account] != before.get(account):
                    cost = self.charges[self.point.sequence].cost
                    own[self.name, account] = of(self, account).plus(cost)

    def check_fits(self: LedgerState, account: Any, cost: Any) -> Spent:
        if not reading[0] and self.cap(account).rule(of(self, account).plus(cost)) is None:
            return fits(self, account, cost)
        return self.spent.get(account, Spent()).plus(cost)

    with (
        patch.object(LedgerState, "follow", followed),
        patch.object(LedgerState, "apply", applied),
        patch.object(LedgerState, "check_fits", check_fits),
    ):
        yield


@broken(11, everywhere=True)
def _forgets_who_died() -> Iterator[None]:
    """A query that another process has paid for is charged again."""
    with _asked_as(os.getpid):
        yield


@broken(12)
def _ignores_the_mark() -> Iterator[None]:
    """The high-water mark of the ledger is kept, and never looked at."""
    with patch("twoworlds.release.ledger.journal.check_mark", lambda *_: None):
        yield


@broken(14)
def _answers_anew() -> Iterator[None]:
    """The same query is a new one each time, with new noise."""
    numbers = count()
    with _asked_as(lambda: next(numbers)):
        yield


@broken(17)
def _adds_floats() -> Iterator[None]:
    """Budgets are compared as floats, with a tolerance."""
    from twoworlds.release.budget import BASIC, Cap, Spent

    real = Cap.rule

    def rule(self: Cap, spent: Spent) -> str | None:
        near = float(spent.epsilon) <= float(self.most.epsilon) + _TOLERANCE
        return BASIC if near and not spent.rho else real(self, spent)

    with patch.object(Cap, "rule", rule):
        yield
