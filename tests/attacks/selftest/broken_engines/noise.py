"""Mistakes in what is drawn: failures 25 and 29 to 33."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module
from math import log
from random import SystemRandom
from typing import Any
from unittest.mock import patch

from tests.attacks.selftest.broken_engines.engine import broken

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
