"""The suite of privacy definitions: the two extremes, witnesses, and what keeps a guarantee.

A definition bounds one number of a mechanism: the smaller, the more private. The suite asks that a
mechanism which reveals everything gets the worst number and one which reveals nothing the perfect
one; that witnesses survive plain arithmetic and forged ones do not; that a known-broken mechanism
is refuted; that `tightest` and `check` agree; and that later processing (Lin & Kifer, Axiom 4.1)
and choice between mechanisms (Axiom 4.2) never raise the number. A definition for which one of
these two is false must store a counterexample, which is then shown to be one.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twoworlds.definitions import PrivacyDefinition, check
from twoworlds.errors import TwoWorldsError, Undecided
from twoworlds.mechanisms import Dense, Mechanism
from twoworlds.mechanisms.named import mechanism as read_mechanism
from twoworlds.numbers import INFINITY, Number, bounds
from twoworlds.testing import strategies
from twoworlds.testing.conformance.mechanism import at_most, near, same
from twoworlds.worlds import BitStrings, Universe

# The same test runs in every class that inherits it, which is what a suite is for.
_inherited = settings(suppress_health_check=[HealthCheck.differing_executors])
_LITTLE = Fraction(1, 10**9)


class DefinitionConformance(ABC):
    """Laws of a privacy definition that bounds one number.

    Attributes:
        registered_as: the name under which it is registered, or "" for one of your own.
        number: the name of the number that it bounds, among the values of its verdicts.
        perfect: that number for a mechanism that reveals nothing.
        worst: that number for a mechanism that reveals everything.
        revealing, silent: these two mechanisms.
        broken: mechanisms with a claim that must be refuted.
        has_witness: whether a verdict shows a witness; None where it may or may not.
        universe: the databases of the mechanisms that are drawn at random.
        post_processing_counterexample: a mechanism and a map of its outputs that raises the number,
            for a definition that is not closed under post-processing.
        mixing_counterexample: two mechanisms whose even mixture has a larger number than both.
    """

    registered_as: ClassVar[str] = ""
    number: ClassVar[str]
    perfect: ClassVar[Number]
    worst: ClassVar[Number]
    revealing: ClassVar[str] = "identity(bits=2)"
    silent: ClassVar[str] = "constant(bits=2)"
    broken: ClassVar[tuple[tuple[str, str | PrivacyDefinition], ...]]
    has_witness: ClassVar[bool | None] = True
    universe: ClassVar[Universe] = BitStrings(2)
    post_processing_counterexample: ClassVar[
        tuple[Mechanism, Mapping[Any, Any] | Mechanism] | None
    ] = None
    mixing_counterexample: ClassVar[tuple[Mechanism, Mechanism] | None] = None

    @abstractmethod
    def measuring(self) -> PrivacyDefinition:
        """Return the definition that measures the number."""

    @abstractmethod
    def claiming(self, value: Number) -> PrivacyDefinition:
        """Return the definition that claims that the number is at most so much."""

    def measure(self, mechanism: Mechanism) -> Number:
        """Return the number of a mechanism."""
        return self.measuring().tightest(mechanism).values[self.number]

    def forge(self, witness: Any) -> Any:
        """Return a witness that claims what is not true: here, a changed probability."""
        p, q = witness.probabilities
        return replace(witness, probabilities=(p, q + Fraction(1, 1000)))

    def test_a_mechanism_that_reveals_everything_gets_the_worst_number(self) -> None:
        """And any smaller claim about it is refuted."""
        mechanism = read_mechanism(self.revealing)
        assert same(self.measure(mechanism), self.worst)
        smaller = Fraction(10**6) if self.worst == INFINITY else _just_below(self.worst)
        assert self.claiming(smaller).check(mechanism).holds is False

    def test_a_mechanism_that_reveals_nothing_gets_the_perfect_number(self) -> None:
        """And the strictest claim about it holds."""
        mechanism = read_mechanism(self.silent)
        assert same(self.measure(mechanism), self.perfect)
        assert self.claiming(self.perfect).check(mechanism).holds is True

    def test_known_broken_mechanisms_are_rejected(self) -> None:
        """Each claim in `broken` is refuted, by a witness where there is one."""
        assert self.broken
        for text, claim in self.broken:
            verdict = check(text, claim)
            assert verdict.holds is False
            assert not verdict
            assert self.has_witness in (None, verdict.witness is not None)

    @_inherited
    @given(data=st.data())
    def test_witnesses_reverify_and_forged_ones_are_refused(self, data: st.DataObject) -> None:
        """A verdict's witness survives recomputation; a changed probability does not."""
        mechanism = data.draw(strategies.dense_mechanisms(self.universe))
        verdict = self.measuring().tightest(mechanism)
        witness = verdict.witness
        assert self.has_witness in (None, witness is not None)
        if witness is None:
            return
        assert witness.verify()
        forged = self.forge(witness)
        assert not forged.verify()
        with pytest.raises(TwoWorldsError, match="does not re-verify"):
            replace(verdict, witness=forged)

    @_inherited
    @given(data=st.data())
    def test_the_claim_of_the_tightest_number_holds_and_no_smaller_one(
        self, data: st.DataObject
    ) -> None:
        """`tightest` and `check` answer the same question."""
        mechanism = data.draw(strategies.dense_mechanisms(self.universe))
        value = self.measure(mechanism)
        if value == INFINITY:
            assert self.claiming(Fraction(10**6)).check(mechanism).holds is False
            return
        above = value if isinstance(value, Fraction) else bounds(value)[1] * (1 + _LITTLE)
        assert self.claiming(above).check(mechanism).holds is True
        if near(value) - near(self.perfect) > Fraction(1, 10**6):
            assert self.claiming(_just_below(value)).check(mechanism).holds is False

    @_inherited
    @given(data=st.data())
    def test_post_processing_never_raises_the_number(self, data: st.DataObject) -> None:
        """Or the stored counterexample does."""
        if self.post_processing_counterexample is not None:
            before, post = self.post_processing_counterexample
            assert not at_most(self.measure(before.then(post)), self.measure(before))
            return
        mechanism = data.draw(strategies.dense_mechanisms(self.universe))
        processed = mechanism.then(data.draw(strategies.post_processings(mechanism)))
        assert _not_above(self.measure(processed), self.measure(mechanism))

    @_inherited
    @given(data=st.data())
    def test_mixing_never_raises_the_number_above_both(self, data: st.DataObject) -> None:
        """Or the stored counterexample does."""
        if self.mixing_counterexample is not None:
            both = self.mixing_counterexample
            mixed = self.measure(both[0].mix(both[1], Fraction(1, 2)))
            assert all(not at_most(mixed, self.measure(part)) for part in both)
            return
        parts: list[Dense] = [
            data.draw(strategies.dense_mechanisms(self.universe)) for _ in range(2)
        ]
        weight = data.draw(strategies.probabilities())
        mixed = self.measure(parts[0].mix(parts[1], weight))
        assert any(_not_above(mixed, self.measure(part)) for part in parts)

    def test_a_measurement_is_no_truth_value_but_says_what_it_rests_on(self) -> None:
        """A verdict without a claim raises as a truth value; in words and in JSON it names them."""
        verdict = self.measuring().tightest(read_mechanism(self.revealing))
        with pytest.raises(Undecided, match="claims nothing"):
            bool(verdict)
        assert verdict.assumptions
        assert all(assumption in verdict.explain() for assumption in verdict.assumptions)
        plain = json.loads(json.dumps(verdict.to_dict(), allow_nan=False))
        assert {"exact", "value"} <= set(plain[self.number]) <= {"exact", "value", "lower", "upper"}
        assert plain["assumptions"] == list(verdict.assumptions)


def _just_below(value: Number) -> Fraction:
    """Return a number surely below an enclosure, but by little."""
    return bounds(value)[0] * (1 - _LITTLE)


def _not_above(x: Number, y: Number) -> bool:
    """Tell whether x <= y, or their enclosures overlap."""
    if INFINITY in (x, y):
        return y == INFINITY
    return bounds(x)[0] <= bounds(y)[1]
