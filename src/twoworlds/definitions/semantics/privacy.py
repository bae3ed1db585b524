"""Semantic privacy: the conclusions drawn with you and without you are nearly the same.

A mechanism is epsilon-semantically private if for all beliefs b, outputs t and persons i

    SD(b_0(. | t), b_i(. | t)) <= epsilon

(Kasiviswanathan & Smith, Definition 2.1). The smallest epsilon is found exactly, over all beliefs
at once, from the largest swing R of an output's likelihood: (sqrt R - 1) / (sqrt R + 1); see
`swing`. The verdict shows the output, the person and a belief on two databases that attains it,
and re-verifies by playing the two games.

With a failure probability (Definition 2.3) the question is how likely, under some belief, an output
is that moves it by more than epsilon; that number is known between two proved ends, which often
meet: see `failure`.

Witnesses against a claim of semantic privacy whose supremum no output attains.

The swing R of an output (see `swing`) may grow without end, as under Gaussian noise, or be infinite
for one output without any belief that makes the most of it. A claim of epsilon is refuted by far
less: any output with R > ((1 + epsilon) / (1 - epsilon))^2, and a belief on the two databases that
show it. On bare answers a person may turn u into v in one world and v into u in the other; with
even odds between these worlds, and r = P(t | u) / P(t | v), the conclusions after t differ by

    (r - 1) / (r + 1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from twoworlds.definitions.base import PrivacyDefinition, read_delta
from twoworlds.definitions.semantics.failure import FailureCurve
from twoworlds.definitions.semantics.games import default_value, default_words, without
from twoworlds.definitions.semantics.swing import worst_swing
from twoworlds.definitions.semantics.swing_statistic import Swing, SwingCase, bare, people
from twoworlds.definitions.semantics.verdicts import (
    claim_verdict,
    difference_verdict,
    failure_verdict,
)
from twoworlds.definitions.verdict import Proof, Verdict
from twoworlds.definitions.words import moved_too_far, percent
from twoworlds.errors import InvalidInput
from twoworlds.laws.comparison import larger
from twoworlds.laws.event import agree
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import (
    INFINITY,
    Number,
    exact_text,
    show,
    sqrt,
    to_json,
    whole,
)
from twoworlds.worlds import Point
from twoworlds.worlds.belief import Belief


def semantic_value(ratio: Number) -> Number:
    """Return (sqrt R - 1) / (sqrt R + 1) = tanh(ln R / 4).

    >>> semantic_value(Fraction(9))
    Fraction(1, 2)
    """
    if ratio == INFINITY:
        return Fraction(1)
    root = sqrt(ratio)
    return (root - 1) / (root + 1)


@dataclass(frozen=True, init=False)
class SemanticPrivacy(PrivacyDefinition):
    """With or without any one person's data, every attacker concludes nearly the same.

    >>> from twoworlds import mechanism
    >>> SemanticPrivacy().tightest(mechanism("noisy-parity(bits=2, keep=3/4)")).epsilon
    Fraction(1, 2)
    >>> survey = mechanism("randomized-response(bits=1, keep=3/4)")
    >>> SemanticPrivacy(epsilon="1/4").tightest(survey).delta
    Fraction(1, 2)
    """

    epsilon: Number | None
    delta: Number | None
    default: object
    records: int | None

    name = "semantic privacy"

    def __init__(
        self,
        *,
        epsilon: object = None,
        delta: object = None,
        default: object = None,
        records: object = None,
    ) -> None:
        """Take the claim, if any, and the setting."""
        people = None if records is None else whole(records, "records", at_least=1)
        object.__setattr__(self, "epsilon", _read(epsilon))
        object.__setattr__(self, "delta", None if delta is None else read_delta(delta))
        object.__setattr__(self, "default", default)
        object.__setattr__(self, "records", people)

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the exact supremum over all beliefs, with the worst output, person and belief.

        With epsilon: the failure probability there. With delta alone: the smallest epsilon for it.
        """
        if self.epsilon is not None:
            failure = FailureCurve(mechanism, self.default, self.records)
            return failure_verdict(failure, self.epsilon, self._assumptions(mechanism))
        if self.delta is not None and self.delta != 0:
            failure = FailureCurve(mechanism, self.default, self.records)
            return difference_verdict(failure, self.delta, self._assumptions(mechanism))
        return self._supremum(mechanism, worst_swing(mechanism, self.default))

    def _supremum(self, mechanism: Mechanism, swing: Swing) -> Verdict:
        value = semantic_value(swing.ratio)
        belief = worst_belief(mechanism, swing)
        witness: Proof | None = None
        if belief is not None:
            person = swing.person or 1
            witness = BeliefWitness(mechanism, belief, swing.output, person, value, self.default)
        elif swing.person is None and swing.output is not None:
            answers = (swing.high.database, swing.high.removed)
            witness = AnswersWitness.of(mechanism, answers, swing.output)
        return Verdict(
            mechanism.expression,
            self.name,
            {"epsilon": value, "swing": swing.ratio},
            _sentence(value),
            self._assumptions(mechanism),
            witness=witness,
            method=swing.method,
            notes=(_where(mechanism, swing, attained=swing.attained or belief is not None),),
            exact=mechanism.exact,
        )

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide whether the difference stays within epsilon for every belief, but for delta."""
        if self.epsilon is None:
            raise InvalidInput(
                "semantic has no number to check: give epsilon=, and delta= if it may fail"
            )
        first = f"semantic(epsilon={exact_text(self.epsilon)}"
        if self.delta is None or self.delta == 0:
            swing = worst_swing(mechanism, self.default)
            found = self._supremum(mechanism, swing)
            broken = moved_too_far(found.epsilon, self.epsilon)
            judged = found.against(f"{first})", found.epsilon, self.epsilon, broken=broken)
            return judged if judged.holds is not False else self._shown(mechanism, swing, judged)
        failure = FailureCurve(mechanism, self.default, self.records)
        claim = f"{first}, delta={exact_text(self.delta)})"
        assumptions = self._assumptions(mechanism)
        return claim_verdict(failure, self.epsilon, self.delta, claim, assumptions)

    def _shown(self, mechanism: Mechanism, swing: Swing, judged: Verdict) -> Verdict:
        """Give a refuted claim a witness, or say why it has none."""
        if judged.witness is not None:
            return judged
        assert self.epsilon is not None
        found = output_beyond(mechanism, swing, self.epsilon)
        if found is None:
            note = "no single output near at hand shows it: the supremum lies far out"
            return replace(judged, notes=(*judged.notes, note))
        witness: Proof
        if found.person is None:
            answers = (found.high.database, found.high.removed)
            witness = AnswersWitness.of(mechanism, answers, found.output)
        else:
            belief = prior_for(mechanism, found, self.epsilon)
            real, removed = _both(mechanism, belief, found.output, found.person, self.default)
            assert real is not None
            assert removed is not None
            witness = BeliefWitness(
                mechanism,
                belief,
                found.output,
                found.person,
                real.difference(removed),
                self.default,
            )
        return replace(judged, witness=witness)

    def _assumptions(self, mechanism: Mechanism) -> tuple[str, ...]:
        words = mechanism.universe.explain(mechanism.universe.relation)
        return (
            f"all beliefs, however wrong; {default_words(mechanism, self.default)}",
            f"a person: {words}",
        )


@dataclass(frozen=True)
class BeliefWitness(Proof):
    """A belief, an output and a person whose data makes the stated difference.

    It re-verifies by playing Game 0 and the game without that person, whose posterior may be
    undefined: a difference of 1.
    """

    mechanism: Mechanism = field(repr=False)
    belief: Belief
    output: Point
    person: int
    difference: Number
    default: object = None

    def verify(self) -> bool:
        """Play the two games afresh and compare with the difference stated."""
        real, removed = _both(self.mechanism, self.belief, self.output, self.person, self.default)
        if real is None or removed is None:
            return real is not None and self.difference == 1
        return agree(real.difference(removed), self.difference)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield what to show, line by line."""
        label = self.belief.universe.label
        for x, mass in self.belief.items():
            yield "belief", f"{show(mass)} in {label(x)}"
        output = self.mechanism.outputs.label(self.output)
        yield "worst case", f"output {output}, with and without person {self.person}"

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        label = self.belief.universe.label
        return {
            "belief": {label(x): to_json(mass) for x, mass in self.belief.items()},
            "output": self.mechanism.outputs.label(self.output),
            "person": self.person,
            "difference": to_json(self.difference),
        }


def _both(
    mechanism: Mechanism, belief: Belief, output: Point, person: int, default: object
) -> tuple[Belief | None, Belief | None]:
    """Return the posteriors of Game 0 and of the game without a person, None if undefined."""
    law, i = mechanism.probability, person - 1
    d = default_value(people(mechanism.universe), default)
    real = belief.given(lambda x: law(output, x))
    removed = belief.given(lambda x: law(output, without(x, i, d)))
    return real, removed


def worst_belief(mechanism: Mechanism, swing: Swing) -> Belief | None:
    """Return a belief on two databases that attains the supremum, where one exists.

    Weight w = 1 / (sqrt R + 1) of Game i's posterior goes to the largest r, so that the prior is
    proportional to (w / q_high, (1 - w) / q_low), with q = P(A(x_-i) = t). If the largest r is
    infinite and the smallest 0, any weights do; if it is only infinite, to be sure of its database
    leaves the posterior of Game i undefined; if the smallest is only 0, the supremum is no maximum.
    """
    if swing.person is None or swing.output is None or swing.ratio == 1:
        return None
    if swing.ratio == INFINITY:
        if swing.high.q != 0:
            return None
        possible = [swing.high.database, *([swing.low.database] if swing.low.p == 0 else [])]
        return Belief(mechanism.universe, {x: Fraction(1, len(possible)) for x in possible})
    w = 1 / (sqrt(swing.ratio) + 1)
    high, low = w / swing.high.q, (1 - w) / swing.low.q
    total = high + low
    return Belief(
        mechanism.universe,
        {swing.high.database: high / total, swing.low.database: low / total},
    )


def _read(epsilon: object) -> Number | None:
    return None if epsilon is None else read_delta(epsilon, "epsilon")


def _where(mechanism: Mechanism, swing: Swing, *, attained: bool) -> str:
    if swing.output is None:
        return "approached far out, attained by no output"
    label = mechanism.outputs.label(swing.output)
    who = "a person" if swing.person is None else f"person {swing.person}"
    if swing.undefined:
        return f"output {label} is impossible without the data of {who}: it gives them away"
    tail = "" if attained else ", approached by beliefs but attained by none"
    return f"worst for {who} after output {label}{tail}"


def _sentence(value: Number) -> str:
    if value == 0:
        return "Whatever someone believes, leaving out any one person changes no conclusion at all."
    if value == 1:
        return (
            "Some attacker's conclusions can differ by as much as conclusions can, depending on "
            "whether one person's data was used."
        )
    return (
        "Whatever someone believed before, this answer moves their beliefs, compared with the same "
        f"answer computed without you, by at most {percent(value)} of probability in total."
    )


# --- claims whose supremum no output attains ------------------------------------------------------


_FURTHEST_BITS = 40


@dataclass(frozen=True)
class AnswersWitness(Proof):
    """Two true answers and an output after which even odds between them differ by so much."""

    mechanism: Mechanism = field(repr=False)
    answers: tuple[Point, Point]
    output: Point
    difference: Number

    @staticmethod
    def of(mechanism: Mechanism, answers: tuple[Point, Point], output: Point) -> AnswersWitness:
        """Compute the difference after the output."""
        return AnswersWitness(mechanism, answers, output, _apart(mechanism, answers, output))

    def verify(self) -> bool:
        """Recompute both conclusions from the likelihoods of the output."""
        return agree(_apart(self.mechanism, self.answers, self.output), self.difference)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the belief and the output."""
        label = self.mechanism.universe.label
        u, v = (label(answer) for answer in self.answers)
        yield "belief", f"1/2 in a true answer of {u}, which is {v} without the person"
        yield "belief", f"1/2 in a true answer of {v}, which is {u} without the person"
        output = self.mechanism.outputs.label(self.output)
        said = (
            f"output {output}: the conclusions differ by {show(self.difference, side='at least')}"
        )
        yield "worst case" if self.difference == 1 else "shown by", said

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        label = self.mechanism.universe.label
        return {
            "answers": [label(answer) for answer in self.answers],
            "output": self.mechanism.outputs.label(self.output),
            "difference": to_json(self.difference, side="down"),
        }


def output_beyond(mechanism: Mechanism, swing: Swing, epsilon: Number) -> Swing | None:
    """Return the swing at an output that moves some belief by more than epsilon, or None.

    The cases are those of ``swing``; far outputs are tried at powers of 2, both ways.
    """
    limit = ((1 + epsilon) / (1 - epsilon)) ** 2
    for output in _outputs(swing):
        found = _at(mechanism, swing, output)
        if found is not None and larger(found.ratio, limit):
            return found
    return None


def prior_for(mechanism: Mechanism, swing: Swing, epsilon: Number) -> Belief:
    """Return a belief on the two databases of a swing that differs by more than epsilon.

    With weight g of Game i's posterior on the largest r, the difference is g R / (g R + 1 - g) - g,
    largest for g = 1 / (sqrt R + 1), and 1 - g where R is infinite.
    """
    g = (1 - epsilon) / 2 if swing.ratio == INFINITY else 1 / (sqrt(swing.ratio) + 1)
    high, low = g / swing.high.q, (1 - g) / swing.low.q
    total = high + low
    masses = {swing.high.database: high / total, swing.low.database: low / total}
    return Belief(mechanism.universe, masses)


def _outputs(swing: Swing) -> Iterator[Point]:
    if swing.output is not None:
        yield swing.output
        return
    for k in range(_FURTHEST_BITS):
        yield from (1 << k, -(1 << k))


def _at(mechanism: Mechanism, swing: Swing, output: Point) -> Swing | None:
    """Return the swing of the same two databases at another output.

    A swing that names one database only stands against that database without the person, whom
    leaving out changes nothing there.
    """
    high, low = swing.high, swing.low
    if low.database == high.database:
        low = SwingCase(high.removed, high.removed, high.q, high.q)
    cases = [
        SwingCase(
            case.database,
            case.removed,
            mechanism.probability(output, case.database),
            mechanism.probability(output, case.removed),
        )
        for case in (high, low)
    ]
    if any(case.q == 0 for case in cases):
        return None
    if larger(cases[1].r, cases[0].r):
        cases.reverse()
    high, low = cases
    ratio = INFINITY if low.p == 0 else high.r / low.r
    return Swing(ratio, output, swing.person, high, low)


def _apart(mechanism: Mechanism, answers: tuple[Point, Point], output: Point) -> Number:
    assert bare(mechanism.universe)
    p, q = (mechanism.probability(output, answer) for answer in answers)
    return abs((p - q) / (p + q))
