"""Fuzzy extractors: a pad that can be read again from a string that is only nearly the same.

Dwork, Definition 1 (after Dodis, Reyzin & Smith): Gen(w) gives a pad r and a public string p, and
Rec(w', p) = r for every w' within distance t of w; r is nearly uniform even to those who know p.
Here p = (seed, syndrome of w under a linear code) and r = Ext(seed, w): whoever has w' with few
errors finds the syndrome of the errors, looks the errors up, and mends them. Without a code the
syndrome is empty, t = 0, and this is a strong extractor; without a seed, r is bits of w that
together with the syndrome name w.

`FuzzyExtractor.distance` is the exact statistical distance of (R, P) from (U, P) for one source;
`FuzzyExtractor.worst_distance` is its maximum over all sources of a min-entropy.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from twoworlds.attacks.auxiliary.bits import (
    Vector,
    check_bits,
    counted,
    fitted,
    grouped,
    images,
    integers,
    rank,
    written_bits,
)
from twoworlds.attacks.auxiliary.codes import Code, code, patterns
from twoworlds.attacks.auxiliary.extractors import Extractor, chosen_bits, extractor
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.numbers import whole
from twoworlds.progress import track

__all__ = ["FailingPair", "FuzzyExtractor", "Radius", "fuzzy_extractor", "radius_condition"]

_MOST_SEEDS = 1 << 18
_MOST_CHECKS = 1 << 21


@dataclass(frozen=True, eq=False)
class FuzzyExtractor:
    """Gen and Rec.

    Attributes:
        extract: What makes the pad.
        code: What mends errors; None where there are none.
    """

    extract: Extractor
    code: Code | None = None

    def __post_init__(self) -> None:
        """Refuse a code and an extractor of different lengths."""
        if self.code is not None and self.code.length != self.extract.bits:
            raise InvalidInput(
                f"{self.code.name} has strings of {counted(self.code.length, 'bit')}, "
                f"the extractor takes {self.extract.bits}: give both the same length"
            )

    @property
    def bits(self) -> int:
        """Length of w."""
        return self.extract.bits

    @property
    def ell(self) -> int:
        """Length of the pad."""
        return self.extract.ell

    @property
    def sketch_bits(self) -> int:
        """Length of the syndrome, the part of p that depends on w."""
        return 0 if self.code is None else len(self.code.checks)

    @property
    def radius(self) -> int:
        """The t of Definition 1: errors that are always mended."""
        return 0 if self.code is None else self.code.radius

    @property
    def cells(self) -> int:
        """How many pairs (syndrome, pad) there are."""
        return 1 << self.sketch_bits + self.ell

    def generate(self, w: int, seed: int = 0) -> tuple[int, tuple[int, int]]:
        """Return Gen(w) for one seed: the pad r, and the public string p = (seed, syndrome)."""
        if not (0 <= w < 1 << self.bits and 0 <= seed < self.extract.seeds):
            raise InvalidInput(
                f"w={w} must have {counted(self.bits, 'bit')}, and seed={seed} be below "
                f"{self.extract.seeds}"
            )
        return self.extract(seed, w), (seed, 0 if self.code is None else self.code.syndrome(w))

    def reconstruct(self, seen: int, public: tuple[int, int]) -> int | None:
        """Return Rec(w', p): the pad, or None where no few errors explain the syndrome."""
        seed, syndrome = public
        if self.code is None:
            return self.extract(seed, seen)
        error = self.code.error(self.code.syndrome(seen) ^ syndrome)
        return None if error is None else self.extract(seed, seen ^ error)

    @cached_property
    def sketches(self) -> Vector:
        """The syndrome of every string."""
        return images(() if self.code is None else self.code.checks, check_bits(self.bits, "w"))

    @cached_property
    def left_over(self) -> Vector:
        """For each difference of two views: what is wrong after mending, or -1 if it fails."""
        everything = np.arange(1 << self.bits)
        if self.code is None:
            return everything
        leaders = np.full(1 << self.sketch_bits, -1, dtype=np.int64)
        for syndrome, error in self.code.leaders.items():
            leaders[syndrome] = error
        mended = leaders[self.sketches]
        return np.where(mended < 0, -1, everything ^ mended)

    def pads(self, seed: int) -> Vector:
        """Return the linear part of the pad of every string; the offset is public."""
        return images(self.extract.masks(seed), self.bits)

    def cell(self, seed: int) -> Vector:
        """Return (syndrome, pad) of every string as one number."""
        found: Vector = self.sketches << self.ell | self.pads(seed)
        return found

    def check_size(self) -> None:
        """Refuse more seeds than are run through."""
        if self.extract.seeds > _MOST_SEEDS:
            raise TooLarge(
                f"{self.extract.name} are {self.extract.seeds} seeds, more than {_MOST_SEEDS}: "
                "use toeplitz or field, which have fewer, or shorter strings"
            )

    def distance(self, source: list[Fraction]) -> Fraction:
        """Return the statistical distance of (R, P) from (U, P), the first clause of Definition 1.

        >>> from twoworlds.attacks.auxiliary.sources import source
        >>> fuzzy_extractor("repetition(3)", 1).distance(source("iid(3/5)", 3))
        Fraction(37, 250)
        """
        self.check_size()
        if len(source) != 1 << self.bits:
            raise InvalidInput(
                f"a source of {counted(self.bits, 'bit')} has {1 << self.bits} probabilities"
            )
        weights, total = integers(source)
        weights = fitted(weights, (total << self.ell + 1) * self.extract.seeds)
        found = 0
        for seed in track(range(self.extract.seeds), "seeds", self.extract.seeds):
            found += unevenness(grouped(self.cell(seed), weights, self.cells), self.ell)
        return Fraction(found, (total << self.ell + 1) * self.extract.seeds)

    def worst_distance(self, entropy: object) -> Fraction:
        """Return the largest distance over all sources of min-entropy at least m, a whole number.

        Without a seed it is 1 - 2^-min(l, n - m): a source may live on strings whose syndromes
        all determine the pad. So only a uniform w makes a pad for certain; seeds do better.

        >>> fuzzy_extractor("hamming(3)", 4).worst_distance(6)
        Fraction(1, 2)
        """
        m = whole(entropy, "min-entropy")
        if m > self.bits:
            raise InvalidInput(
                f"min-entropy={m}: w has {counted(self.bits, 'bit')}, so it is at most {self.bits}"
            )
        if self.extract.seeds > 1 or rank(self._all_masks(0)) < self.sketch_bits + self.ell:
            raise Unsupported(
                "the worst source is known for pads without a seed whose bits do not depend on "
                "the syndrome; for seeds use the leftover hash bound"
            )
        return 1 - Fraction(1, 1 << min(self.ell, self.bits - m))

    def worst_source(self, entropy: object) -> list[Fraction]:
        """Return a source that attains `worst_distance`.

        It is uniform on 2^m strings of which the first bits of the pad, as many as needed, are 0.
        """
        distance, m = self.worst_distance(entropy), whole(entropy, "min-entropy")
        fixed = (1 / (1 - distance)).numerator.bit_length() - 1
        first = images(self.extract.masks(0)[:fixed], self.bits)
        chosen = np.nonzero(first == 0)[0]
        # When m is small a few syndromes suffice; any 2^m strings with pad 0 will do.
        chosen = chosen[: 1 << m]
        law = [Fraction(0)] * (1 << self.bits)
        for w in chosen:
            law[int(w)] = Fraction(1, 1 << m)
        return law

    def _all_masks(self, seed: int) -> tuple[int, ...]:
        checks = () if self.code is None else self.code.checks
        return (*checks, *self.extract.masks(seed))

    def failing_pair(self, t: object) -> FailingPair | None:
        """Return two strings within distance t on which Rec fails, or None if there are none.

        The second clause of Definition 1 holds for t up to the radius, because patterns within the
        radius have different syndromes, and for no larger t: half of a lightest codeword, taken as
        an error, is either mended to the wrong string or not at all.
        """
        reach = whole(t, "t")
        if reach <= self.radius:
            return None
        if self.code is None:
            return self._first_failure(1 << self.bits - 1 - i for i in range(self.bits))
        word = self.code.lightest()
        if word is None:
            return None
        error = 0
        for i in reversed(range(self.bits)):
            if word >> i & 1 and error.bit_count() <= self.radius:
                error |= 1 << i
        return self._first_failure([error, word ^ error, *patterns(self.bits, self.radius + 1)])

    def _first_failure(self, candidates: Any) -> FailingPair | None:
        for error in candidates:
            for seed in range(min(self.extract.seeds, _MOST_CHECKS)):
                pad, public = self.generate(0, seed)
                if self.reconstruct(error, public) != pad:
                    return FailingPair(self, 0, error, seed)
        return None

    def verify(self, t: object = None, *, tries: object = 200, seed: int = 0) -> bool:
        """Check the second clause again on random strings and all error patterns, or some of them.

        Everything is linear, so it is enough that all patterns are mended for one string; this
        takes nothing for granted and draws strings.
        """
        reach = self.radius if t is None else whole(t, "t")
        rng = random.Random(seed)
        errors = list(patterns(self.bits, reach))
        for _ in range(whole(tries, "tries", at_least=1)):
            w, public_seed = rng.randrange(1 << self.bits), rng.randrange(self.extract.seeds)
            pad, public = self.generate(w, public_seed)
            if self.reconstruct(w ^ rng.choice(errors), public) != pad:
                return False
        return True


@dataclass(frozen=True, eq=False)
class FailingPair:
    """Two strings that are close, and still the pad of one is not read from the other."""

    of: FuzzyExtractor
    w: int
    seen: int
    seed: int

    @property
    def distance(self) -> int:
        """How many bits differ."""
        return (self.w ^ self.seen).bit_count()

    def verify(self) -> bool:
        """Run Gen and Rec again."""
        pad, public = self.of.generate(self.w, self.seed)
        return self.of.reconstruct(self.seen, public) != pad

    def explain(self) -> str:
        """Say what happens."""
        pad, public = self.of.generate(self.w, self.seed)
        found = self.of.reconstruct(self.seen, public)
        made = written_bits(pad, self.of.ell)
        count = counted(self.distance, "error")
        read = "no pad at all" if found is None else f"the pad {written_bits(found, self.of.ell)}"
        return (
            f"from w={written_bits(self.w, self.of.bits)} comes the pad {made}; with "
            f"{count}, {written_bits(self.seen, self.of.bits)}, {read} is read back"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "w": written_bits(self.w, self.of.bits),
            "seen": written_bits(self.seen, self.of.bits),
            "distance": self.distance,
            "explanation": self.explain(),
        }


def fuzzy_extractor(
    mending: str | Code | None, ell: object, *, extract: str | Extractor | None = None
) -> FuzzyExtractor:
    """Build a fuzzy extractor from a code and, if wanted, an extractor with a seed.

    Without one, the pad is the first ``ell`` bits that together with the syndrome name w.

    >>> made = fuzzy_extractor("repetition(5)", 1)
    >>> r, p = made.generate(0b10111)
    >>> r, made.reconstruct(0b10011, p), made.radius
    (1, 1, 2)
    """
    if mending is None:
        if not isinstance(extract, Extractor):
            raise InvalidInput("without a code give an extractor such as matrices(4, 2)")
        return FuzzyExtractor(extract)
    chosen = code(mending)
    length = whole(ell, "ell", at_least=1)
    if extract is not None:
        return FuzzyExtractor(extractor(extract, chosen.length, length), chosen)
    if length > chosen.dimension:
        raise InvalidInput(
            f"ell={length}: next to its syndrome a string of {chosen.name} has "
            f"{counted(chosen.dimension, 'bit')} left, so ell is at most {chosen.dimension}"
        )
    masks = chosen.information[:length]
    places = ", ".join(str(chosen.length - mask.bit_length() + 1) for mask in masks)
    name = f"bit {places} of w" if length == 1 else f"bits {places} of w"
    return FuzzyExtractor(chosen_bits(chosen.length, masks, name), chosen)


def unevenness(sums: Vector, ell: int) -> int:
    """Return the sum over syndromes and pads of |2^l weight - weight of the syndrome|.

    Divided by 2^(l+1) times the total, that is the statistical distance from a uniform pad.
    """
    table = sums.reshape(-1, 1 << ell)
    return int(
        np.abs(
            (table << ell if table.dtype != object else table * (1 << ell))
            - table.sum(axis=1, keepdims=True)
        ).sum()
    )


# --- the radius condition -----------------------------------------------------------------------


@dataclass(frozen=True)
class Radius:
    """Whether errors of a sanitiser are within what a fuzzy extractor mends.

    Attributes:
        bits: Length of w, Dwork's kappa.
        errors: The most errors of the sanitiser.
        t: What the fuzzy extractor mends.
    """

    bits: int
    errors: int
    t: int

    @property
    def holds(self) -> bool:
        """Two views of w differ in at most twice the errors: is that within t?"""
        return 2 * self.errors <= self.t

    @property
    def below_a_third(self) -> bool:
        """Whether t < kappa/3, as the end of the printed proof asks."""
        return 3 * self.t < self.bits

    def explain(self) -> str:
        """Say it, and what the printed conditions force."""
        verb = "is within" if self.holds else "exceeds"
        third = (
            f"t={self.t} is below a third of {self.bits} bits, as the printed proof asks"
            if self.below_a_third
            else f"the printed proof asks for t below a third of {self.bits} bits, which a code "
            "that mends more does not need"
        )
        return (
            f"Errors up to {self.errors} in each of two views make them differ in up to "
            f"{2 * self.errors} bits, which {verb} the t={self.t} that is mended. Further, "
            f"{third}. (Errors up to kappa/c with 2 kappa/c <= t < kappa/3 force c > 6, which is "
            "not printed.)"
        )


def radius_condition(bits: object, errors: object, t: object) -> Radius:
    """Return the condition 2 kappa/c <= t, for kappa/c = ``errors``.

    >>> radius_condition(5, 1, 2).holds, radius_condition(5, 1, 2).below_a_third
    (True, False)
    """
    return Radius(whole(bits, "bits", at_least=1), whole(errors, "errors"), whole(t, "t"))


def forced_constant(bits: object, t: object) -> tuple[Fraction, bool]:
    """Return the least c with 2 kappa/c <= t, and whether t < kappa/3; if so then c > 6.

    >>> forced_constant(15, 2), forced_constant(15, 4)
    ((Fraction(15, 1), True), (Fraction(15, 2), True))
    """
    kappa, reach = whole(bits, "bits", at_least=1), whole(t, "t", at_least=1)
    return Fraction(2 * kappa, reach), 3 * reach < kappa
