r"""Gamma-amplification: no output is over gamma times likelier on one database than on another.

    P(output | D) <= gamma P(output | E)   for every output and any two databases D, E

Differs: Lin & Kifer, Section 3.2.2 print the ratio of two outputs of one input; what protects is
the ratio of two inputs of one output, as in Definition 5.10. There it is asked of the transition
of one record. Here it is a condition on the rows of the whole mechanism (Section 4.2.4), so that
it means the same however the mechanism is written; of one record, it is `frapp`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations

from twoworlds.cones.row_constraints import RowConstraints
from twoworlds.definitions import DifferentialPrivacy, Verdict, Witness
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.mechanisms import Listed, Mechanism, PerRecord
from twoworlds.mechanisms.named.per_record import gamma as gamma_of_one_record
from twoworlds.numbers import INFINITY, Number, exact_text, show
from twoworlds.worlds import Point, Records, Universe

__all__ = ["GammaAmplification"]

_MOST_PAIRS = 1 << 20


@dataclass(frozen=True)
class GammaAmplification(RowConstraints):
    """No output is more than gamma times likelier on one database than on any other.

    >>> from twoworlds import mechanism
    >>> GammaAmplification().tightest(mechanism("randomized-response(bits=40, keep=3/4)")).gamma
    Fraction(12157665459056928801, 1)
    """

    gamma: Number | None = None
    name = "gamma-amplification"

    @property
    def claim(self) -> str:  # type: ignore[override]
        """The definition with its number, as one would type it."""
        return self.name if self.gamma is None else f"{self.name}({exact_text(self.gamma)})"

    def row_constraints(self, universe: Universe) -> Iterator[Mapping[Point, Number]]:
        """Yield x_D <= gamma x_E for any two databases."""
        gamma = self._number()
        if universe.size is None or universe.size**2 > _MOST_PAIRS:
            raise TooLarge(
                f"{self.claim} compares all pairs of {universe.expression}, more than {_MOST_PAIRS}"
            )
        if gamma != INFINITY:
            for x, y in permutations(universe, 2):
                yield {y: gamma, x: Fraction(-1)}

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the largest ratio within a row."""
        witness, method = self._pair(mechanism)
        value = Fraction(1) if witness is None else witness.ratio()
        notes: tuple[str, ...] = ()
        if isinstance(mechanism, PerRecord) and mechanism.records > 1:
            one = exact_text(gamma_of_one_record(mechanism))
            notes = (f"one record on its own is amplified by {one}: that is what frapp asks about",)
        return Verdict(
            mechanism.expression,
            self.name,
            {"gamma": value},
            _amplified(value),
            (f"any two databases of {mechanism.universe.expression} are compared",),
            witness=witness,
            method=method,
            notes=notes,
            exact=mechanism.exact,
        )

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide whether the largest ratio within a row is at most gamma."""
        allowed = self._number()
        found = self.tightest(mechanism)
        return found.against(self.claim, found.values["gamma"], allowed)

    def _number(self) -> Number:
        if self.gamma is None:
            raise InvalidInput(f"{self.name} has no number: write {self.name}(3)")
        return self.gamma

    def _pair(self, mechanism: Mechanism) -> tuple[Witness | None, str]:
        universe = mechanism.universe
        if isinstance(mechanism, PerRecord):
            return _repeated(mechanism), "the worst record, repeated: ratios multiply"
        if universe.size is None:
            raise Unsupported(
                f"{mechanism.expression} has infinitely many databases, and all pairs are compared:"
                " use dp, which compares neighbours"
            )
        if universe.size == 1:
            return None, "there is one database only"
        if isinstance(universe, Records) and universe.fixed:
            dp = DifferentialPrivacy(neighbours="substitute", group=universe.n)
        elif universe.size**2 <= _MOST_PAIRS:
            dp = DifferentialPrivacy(neighbours=list(combinations(universe, 2)))
        else:
            raise TooLarge(
                f"{self.name} compares all pairs of {universe.expression}, more than {_MOST_PAIRS}"
            )
        found = dp.tightest(mechanism)
        assert isinstance(found.witness, Witness)
        return found.witness, found.method


def _repeated(mechanism: PerRecord) -> Witness:
    """Return the worst output, value against value, for all records at once."""
    single = PerRecord(mechanism.transition, 1)
    comparison, peak = single.family("substitute").peak()
    output: tuple[Point, ...] = single.example(peak.event, comparison.x) or ()
    words = [part * mechanism.records for part in (comparison.x, comparison.y, output)]
    event = Listed.of([words[2]])
    return Witness.of(mechanism, (words[0], words[1]), event, output=words[2])


def _amplified(value: Number) -> str:
    if value == INFINITY:
        return "Some output is possible on one database and impossible on another one."
    times = show(value, side="up")
    return f"No output is more than {times} times likelier on one database than on any other."
