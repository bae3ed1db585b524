"""Mistakes in numbers, groups and the cost of noise: failures 1 to 8, 16 and 18."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Context
from fractions import Fraction
from time import perf_counter_ns
from typing import Any
from unittest.mock import patch

from tests.attacks.selftest.broken_engines.engine import broken

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
