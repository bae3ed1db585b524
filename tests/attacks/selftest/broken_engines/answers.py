"""Mistakes in numbers, groups, words, names and budgets: failures 1 to 18."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from decimal import Context
from fractions import Fraction
from itertools import count
from time import perf_counter_ns
from typing import Any
from unittest.mock import patch

from tests.attacks.selftest.broken_engines import broken

_FITS_A_FLOAT = 1 << 30
_SLOW = 200_000  # nanoseconds


@contextmanager
def _published(change: Callable[[Fraction], Fraction]) -> Iterator[None]:
    """Change counts and sums before they are shown."""
    from twoworlds.release.answers.estimates import Estimator

    real = Estimator.estimate

    def estimate(self: Estimator, noisy: Any) -> Any:
        found = real(self, noisy)
        return found._replace(value=change(Fraction(found.value))) if self.linear else found

    with patch.object(Estimator, "estimate", estimate):
        yield


@broken(1)
def _floats() -> Iterator[None]:
    """Numbers that fit into a float are published as one."""
    with _published(lambda x: Fraction(float(x)) if abs(x) < _FITS_A_FLOAT else x):
        yield


@broken(2)
def _fifteen_digits() -> Iterator[None]:
    """Numbers are published with 15 digits, so that large ones lie on a coarser grid."""
    digits = Context(prec=15)

    def rounded(x: Fraction) -> Fraction:
        return Fraction(digits.divide(x.numerator, x.denominator))

    with _published(rounded):
        yield


@contextmanager
def _habits(dialect: str, **changes: Any) -> Iterator[None]:
    """Give an engine of SQL other habits."""
    from twoworlds.release.plan import sql

    with patch.dict(sql._ENGINES, {dialect: replace(sql._ENGINES[dialect], **changes)}):
        yield


@broken(3)
def _rounds_down() -> Iterator[None]:
    """One of the engines rounds values down before it adds them, the others to the nearest."""
    from sqlglot import exp

    with _habits("sqlite", round=lambda x: exp.Floor(this=x)):
        yield


@broken(4)
def _wraps_around() -> Iterator[None]:
    """Sums are kept in 64 bits, and wrap around."""
    from twoworlds.release.plan.groups import Plan

    real, half = Plan._sums, 1 << 63

    def sums(self: Plan, numbers: Any) -> Iterator[int]:
        for total in real(self, numbers):
            yield (total + half) % (2 * half) - half

    with patch.object(Plan, "_sums", sums):
        yield


@broken(5)
def _counts_nan() -> Iterator[None]:
    """NaN is taken for a number."""
    with _habits("duckdb", nan=None):
        yield


@broken(18)
def _forgets_integers() -> Iterator[None]:
    """Where each cell has a type of its own, whole numbers are not taken for numbers."""
    from twoworlds.release.plan import columns, sql

    real = columns._of_dynamic

    def cleaned(declared: str, raw: Any, engine: Any) -> Any:
        if declared != "number":
            return real(declared, raw, engine)
        from sqlglot import exp

        kind = exp.Anonymous(this="TYPEOF", expressions=[raw])
        return sql.case((kind.eq("real"), raw.copy()))

    with patch.object(columns, "_of_dynamic", cleaned):
        yield


@broken(6)
def _shows_every_key() -> Iterator[None]:
    """Every key that is found is shown, also one person's."""
    place = "twoworlds.release.sensitivity.calibration.least_threshold"
    with patch(place, lambda *_: -1_000_000):
        yield


@broken(7)
def _no_noise_for_nobody() -> Iterator[None]:
    """Groups in which nobody is get no noise."""
    from twoworlds.release.answers import cells

    real = cells.stored

    def stored(resolved: Any, totals: Any, *more: Any) -> dict[str, Any]:
        found = real(resolved, totals, *more)
        if found["cells"] is None:
            full = {cells.place(cell, resolved.shape) for cell in totals.cells}
            found["values"] = [
                [value if i in full else 0 for i, value in enumerate(values)]
                for values in found["values"]
            ]
        return found

    with patch.object(cells, "stored", stored):
        yield


@broken(8)
def _slow_for_large_draws() -> Iterator[None]:
    """A large draw takes longer than a small one."""
    from twoworlds.release.noise import Sampler

    real = Sampler.draw_integers

    def draw(self: Sampler, size: int, source: Any) -> list[int]:
        drawn = real(self, size, source)
        if size == 1 and abs(drawn[0]) > 7:
            stop = perf_counter_ns() + _SLOW
            while perf_counter_ns() < stop:
                pass
        return drawn

    with patch.object(Sampler, "draw_integers", draw):
        yield


@broken(16)
def _dearer_is_noisier() -> Iterator[None]:
    """The noise of a batch is worked out for one over its price."""
    from twoworlds.release import Curator

    real = Curator.plan

    def plan(self: Curator, asked: Any, cost: Any, **options: Any) -> Any:
        if isinstance(asked, list):
            cost = f"epsilon={1 / Fraction(str(cost).removeprefix('epsilon='))}"
        return real(self, asked, cost, **options)

    with patch.object(Curator, "plan", plan):
        yield


# --- words, names and budgets: failures 9 to 15 and 17 --------------------------------------------


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
