"""Mistakes in what is drawn, with people, threads, tables and files: failures 19 to 35."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from math import log
from pathlib import Path
from random import SystemRandom
from threading import Barrier, BrokenBarrierError
from typing import Any
from unittest.mock import patch

from tests.attacks.selftest.broken_engines import broken

_WIDEST = 10**12


@contextmanager
def _drawn(change: Callable[[Any, list[int]], list[int]]) -> Iterator[None]:
    """Change what samplers draw; the first argument is the law."""
    from twoworlds.release.noise import Sampler

    real = Sampler.draw_integers

    def draw(self: Sampler, size: int, source: Any) -> list[int]:
        return change(self.noise, real(self, size, source))

    with patch.object(Sampler, "draw_integers", draw):
        yield


@broken(29)
def _a_fifth_of_the_noise() -> Iterator[None]:
    """Noise is divided by five."""
    with _drawn(lambda _, drawn: [int(z / 5) for z in drawn]):
        yield


@broken(25)
def _fails_on_wide_noise() -> Iterator[None]:
    """Noise wider than 10^6 cannot be drawn, which is found out after the charge."""

    def narrow(law: Any, drawn: list[int]) -> list[int]:
        if law.variance > _WIDEST:
            raise OverflowError
        return drawn

    with _drawn(narrow):
        yield


@broken(29)
def _a_tenth_too_narrow() -> Iterator[None]:
    """Noise is drawn of nine tenths of its scale."""
    from twoworlds.laws.noise import GeometricNoise
    from twoworlds.release.noise import Sampler, SystemBits

    def narrower(law: Any, drawn: list[int]) -> list[int]:
        if not isinstance(law, GeometricNoise):
            return drawn
        p = Fraction(float(law.p)) ** 10
        root = Fraction(float(p) ** (1 / 9)).limit_denominator(10**9)
        return Sampler.of(GeometricNoise(root)).values(len(drawn), SystemBits())

    with _drawn(narrower):
        yield


@broken(29)
def _rounds_floats() -> Iterator[None]:
    """Laplace noise is drawn as a float, and rounded."""
    from twoworlds.laws.noise import GeometricNoise

    def rounded(law: Any, drawn: list[int]) -> list[int]:
        if not isinstance(law, GeometricNoise):
            return drawn
        scale, rng = -1 / log(float(law.p)), SystemRandom()
        return [round(rng.choice((-1, 1)) * rng.expovariate(1 / scale)) for _ in drawn]

    with _drawn(rounded):
        yield


@broken(29)
def _halves_scales() -> Iterator[None]:
    """The calibration gives half of the noise that the cost demands."""
    from twoworlds.release.sensitivity import calibration

    real = calibration._scales

    def scales(*arguments: Any) -> dict[Any, Fraction]:
        return {index: scale / 2 for index, scale in real(*arguments).items()}

    with patch.object(calibration, "_scales", scales):
        yield


@broken(30)
def _takes_sigma_for_its_square() -> Iterator[None]:
    """Gaussian noise has sigma where sigma^2 should be."""
    from twoworlds.laws.noise import DiscreteGaussianNoise
    from twoworlds.release.noise import Sampler, SystemBits

    def rooted(law: Any, drawn: list[int]) -> list[int]:
        if not isinstance(law, DiscreteGaussianNoise):
            return drawn
        sigma = Fraction(float(law.sigma2) ** 0.5).limit_denominator(10**6)
        return Sampler.of(DiscreteGaussianNoise(sigma)).values(len(drawn), SystemBits())

    with _drawn(rooted):
        yield


@broken(31)
def _chooses_the_best() -> Iterator[None]:
    """A quantile is the value with the best score."""
    place = "twoworlds.release.noise.choice.choose"
    with patch(place, lambda scores, *_: max(range(len(scores)), key=lambda i: scores[i])):
        yield


@broken(31)
def _chooses_twice_as_sharply() -> Iterator[None]:
    """A row moves scores twice as far as the exponential mechanism is told."""
    draw = import_module("twoworlds.release.answers.cells")
    real = draw.choice_rate
    with patch.object(draw, "choice_rate", lambda at, rate: 2 * real(at, rate)):
        yield


@broken(32)
def _has_a_fixed_threshold() -> Iterator[None]:
    """Keys are shown from 15 people on, whatever the cost."""
    with patch("twoworlds.release.sensitivity.calibration.least_threshold", lambda *_: 15):
        yield


@broken(32)
def _forgets_the_second_key() -> Iterator[None]:
    """The threshold is that of people who are alone in one key."""
    calibration = import_module("twoworlds.release.sensitivity.calibration")
    real = calibration.least_threshold

    def least(law: Any, weight: Fraction, _: int, delta: Fraction) -> Any:
        return real(law, weight, 1, delta)

    with patch.object(calibration, "least_threshold", least):
        yield


@contextmanager
def _streams(change: Callable[[bytes, bytes], tuple[bytes, bytes]]) -> Iterator[None]:
    """Change key and nonce of each stream of random bits."""
    from twoworlds.release.noise import bits

    real = bits._counter_mode
    with patch.object(bits, "_counter_mode", lambda key, nonce: real(*change(key, nonce))):
        yield


@broken(33, everywhere=True)
def _has_one_key_and_nonce() -> Iterator[None]:
    """Random bits begin with the same key and nonce each time."""
    with _streams(lambda key, nonce: (bytes(len(key)), bytes(len(nonce)))):
        yield


@broken(33, everywhere=True)
def _has_one_key() -> Iterator[None]:
    """Random bits are made with the same key each time."""
    with _streams(lambda key, nonce: (bytes(len(key)), nonce)):
        yield


@broken(33, everywhere=True)
def _has_one_nonce() -> Iterator[None]:
    """Random bits are made with the same nonce each time."""
    with _streams(lambda key, nonce: (key, bytes(len(nonce)))):
        yield


@broken(33, everywhere=True)
def _keeps_its_noise() -> Iterator[None]:
    """A process draws the noise of a law once, and uses it again."""
    kept: dict[Any, list[int]] = {}
    with _drawn(lambda law, drawn: kept.setdefault((law, len(drawn)), drawn)):
        yield


@broken(33, everywhere=True)
def _goes_on_after_a_fork() -> Iterator[None]:
    """A process has one stream of random bits, and a fork of it goes on with the same."""
    from twoworlds.release.noise import bits

    kept: list[Any] = []
    real = bits._OfThisThread.fill

    def fill(self: Any, rest: memoryview) -> int:
        kept.append(self)
        kept[0].owner = bits._owner()
        return real(kept[0], rest)

    with patch.object(bits._OfThisThread, "fill", fill):
        yield


# --- people, threads, tables and files: failures 19 to 24, 28, 34 and 35 --------------------------


@broken(34)
def _takes_all_rows() -> Iterator[None]:
    """All rows of a person count, however many there are."""
    with patch("twoworlds.release.plan.statement.limited", lambda rows, *_: rows):
        yield


@broken(34)
def _takes_all_groups() -> Iterator[None]:
    """A person is in as many groups as they have rows."""
    statement = import_module("twoworlds.release.plan.statement")
    real = statement.limited

    def limited(*arguments: Any) -> Any:
        *others, unit = arguments
        return real(*others, replace(unit, groups=unit.rows))

    with patch.object(statement, "limited", limited):
        yield


@broken(34)
def _protects_one_row() -> Iterator[None]:
    """Noise hides one row of a person, not all that count."""
    from twoworlds.release.sensitivity.bounds import LargestLoss

    with patch.object(LargestLoss, "times", lambda self, _: self):
        yield


@broken(35)
def _forgets_the_second_row() -> Iterator[None]:
    """Replacing a row costs as much as taking it away."""
    joint = import_module("twoworlds.release.sensitivity.joint")  # a function has its name
    real = joint.unit_supremum

    def supremum(rows: Any, resolved: Any, *others: Any) -> Any:
        dataset = replace(resolved.dataset, neighbours="add-remove")
        return real(rows, replace(resolved, dataset=dataset), *others)

    with patch.object(joint, "unit_supremum", supremum):
        yield


@broken(23)
def _rounds_people() -> Iterator[None]:
    """Numbers of people are cut off at 64 bits, as numbers of other columns are."""
    from twoworlds.release.plan.columns import Clean

    real = Clean.of

    def of(*arguments: Any, **_: Any) -> Any:
        return real(*arguments)

    with patch.object(Clean, "of", of):
        yield


@broken(19)
def _shares_a_cursor() -> Iterator[None]:
    """Two threads that read at one time get the rows of the last who asked."""
    from twoworlds.release import answers

    real, met, last = answers.noisy, Barrier(2), []

    def noisy(resolved: Any, totals: Any, *others: Any, **options: Any) -> Any:
        last.append(totals)
        try:
            met.wait(0.5)
        except BrokenBarrierError:
            met.reset()
        return real(resolved, last[-1], *others, **options)

    with patch.object(answers, "noisy", noisy):
        yield


@broken(20)
def _reads_by_place() -> Iterator[None]:
    """Columns of a file are those that stood in their places when it was opened."""
    from twoworlds.release.backends.duckdb import DuckDBBackend

    real = getattr(DuckDBBackend, "_show", None)

    def show(self: Any, cursor: Any, view: str) -> None:
        known = self._planned.get(f'"{view}"')
        if real is not None and known is None:
            real(self, cursor, view)
        if known is not None:
            names = ", ".join(f'"{name}"' for name in known[1])
            reader = f"SELECT * FROM read_parquet('{self._views[view]}')"
            cursor.execute(f"CREATE TEMPORARY VIEW {view} ({names}) AS {reader}")

    with patch.object(DuckDBBackend, "_show", show, create=True):
        yield


@broken(21)
def _reads_one_after_the_other() -> Iterator[None]:
    """Each query of a batch is read at a moment of its own."""
    from twoworlds.release.backends.base import Backend

    real: Any = getattr(Backend, "fetch_all", None)

    def fetch_all(self: Any, statements: Any) -> Any:
        return [real(self, [one])[0] for one in statements]

    with patch.object(Backend, "fetch_all", fetch_all, create=True):
        yield


@broken(22)
def _refuses_objects() -> Iterator[None]:
    """A frame is refused when one of its columns has odd values among others."""
    from twoworlds.errors import InvalidInput
    from twoworlds.release.backends.sources import Engines

    real = Engines.source

    def source(self: Engines, dataset: Any) -> Any:
        found = real(self, dataset)
        if "object" in map(str, getattr(found, "dtypes", ())):
            raise InvalidInput("a column holds objects: cast it")
        return found

    with patch.object(Engines, "source", source):
        yield


@broken(24, everywhere=True)
def _takes_lines_for_records() -> Iterator[None]:
    """A text file is read by lines, quoted or not."""
    with suppress(ImportError):
        kind = import_module("twoworlds.release.policy.records").FileRecords
        real = kind._lines

        def lines(self: Any) -> Iterator[str]:
            for line in real(self):
                yield line.replace('"', "")

        with patch.object(kind, "_lines", lines):
            yield
            return
    yield


@broken(28, everywhere=True)
def _leaves_rights_to_the_umask() -> Iterator[None]:
    """Files are made with the rights that the umask leaves."""
    real = os.open

    def opened(path: Any, flags: int, *_: int, **options: Any) -> int:
        return real(path, flags, **{**options, "mode": 0o666})

    with (
        patch.object(os, "open", opened),
        patch.object(os, "fchmod", lambda *_: None),
        patch.object(os, "chmod", lambda *_, **__: None),
        patch.object(Path, "chmod", lambda *_, **__: None),
    ):
        yield
