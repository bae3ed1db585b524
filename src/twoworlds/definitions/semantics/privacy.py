r"""Semantic privacy: the conclusions drawn with you and without you are nearly the same.

A mechanism is epsilon-semantically private if for all beliefs b, outputs t and persons i

    SD(b_0(. | t), b_i(. | t)) <= epsilon

(Kasiviswanathan & Smith, Definition 2.1). The smallest epsilon is found exactly, over all beliefs
at once, from the largest swing R of an output's likelihood: (sqrt R - 1) / (sqrt R + 1); see
`swing`. The verdict shows the output, the person and a belief on two databases that attains it,
and re-verifies by playing the two games. Where no output attains it (the swing may grow without
end, as under Gaussian noise), a claim of epsilon is refuted by far less: any output with
R > ((1 + epsilon) / (1 - epsilon))^2, and a belief on the two databases that show it.

With a failure probability (Definition 2.3) the question is how likely, under some belief, an output
is that moves it by more than epsilon; that number is known between two proved ends, which often
meet: see `failure`.

**Informed privacy**: who knows every record but one learns little about that one. An informed
belief knows all records but person i's and holds any law about that one. With b the prior and b_0
the posterior of the game that really takes place, a mechanism is epsilon-private in this sense if
for all informed beliefs, outputs t and persons

    SD(b, b_0(. | t)) <= epsilon

(Kasiviswanathan & Smith, Section 2.1, after Dwork, McSherry, Nissim and Smith). The smallest
epsilon is exactly

    (sqrt r - 1) / (sqrt r + 1) = tanh(ln(r) / 4),

where r is the largest ratio of two probabilities of one output on databases that differ in one
record: the tight e^epsilon of differential privacy. Proof: the posterior is p b / E_b p with p the
likelihoods of the output over the values of the one record; the difference is convex in p for a
fixed mean, so mass belongs on the two extreme values only, and for weight w on the likelier one it
is w (1 - w) (r - 1) / (1 + w (r - 1)), largest at w = 1 / (sqrt r + 1).

Differs: print compares the prior with the posterior of Game i. For an informed belief that game
does not depend on anything unknown, so its posterior is the prior, and the condition is empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from twoworlds.definitions.base import Given, PrivacyDefinition, read_delta
from twoworlds.definitions.differential_privacy import DifferentialPrivacy
from twoworlds.definitions.semantics.failure import (
    FailureCurve,
    claim_verdict,
    difference_verdict,
    failure_verdict,
)
from twoworlds.definitions.semantics.games import GameWitness, conclusions, default_words
from twoworlds.definitions.semantics.swing import Swing, SwingCase
from twoworlds.definitions.semantics.worst_swing import possible_output, semantic_value, worst_swing
from twoworlds.definitions.verdict import Proof, Shown, Verdict, Witness, shortened
from twoworlds.definitions.words import Subject, any_belief, moved_too_far, points, points_claimed
from twoworlds.errors import InvalidInput
from twoworlds.laws.comparison import larger
from twoworlds.laws.event import agree
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.several import Several
from twoworlds.numbers import INFINITY, Number, exact_text, show, sqrt, to_json, whole
from twoworlds.worlds import Point
from twoworlds.worlds.belief import Belief

_FURTHEST_BITS = 40


@dataclass(frozen=True, kw_only=True)
class SemanticPrivacy(PrivacyDefinition):
    """With or without any one person's data, every attacker concludes nearly the same.

    >>> from twoworlds import mechanism
    >>> SemanticPrivacy().tightest(mechanism("noisy-parity(bits=2, keep=3/4)")).epsilon
    Fraction(1, 2)
    >>> survey = mechanism("randomized-response(bits=1, keep=3/4)")
    >>> SemanticPrivacy(epsilon="1/4").tightest(survey).delta
    Fraction(1, 2)
    """

    epsilon: Given[Number | None] = Given(read_delta)
    delta: Given[Number | None] = Given(read_delta)
    default: object = None
    records: Given[int | None] = Given(partial(whole, at_least=1))

    name = "semantic privacy"

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the exact supremum over all beliefs, with the worst output, person and belief.

        With epsilon: the failure probability there. With delta alone: the smallest epsilon for it.
        """
        if self.epsilon is None and not self.delta:
            return self._supremum(mechanism, worst_swing(mechanism, self.default))
        failure = FailureCurve(mechanism, self.default, self.records)
        if self.epsilon is not None:
            return failure_verdict(failure, self.epsilon, self._assumptions(mechanism))
        assert self.delta is not None
        return difference_verdict(failure, self.delta, self._assumptions(mechanism))

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide whether the difference stays within epsilon for every belief, but for delta."""
        if self.epsilon is None:
            raise InvalidInput(
                "semantic has no number to check: give epsilon=, and delta= if it may fail"
            )
        first = f"semantic(epsilon={exact_text(self.epsilon)}"
        if self.delta is not None and self.delta != 0:
            failure = FailureCurve(mechanism, self.default, self.records)
            claim = f"{first}, delta={exact_text(self.delta)})"
            assumptions = self._assumptions(mechanism)
            return claim_verdict(failure, self.epsilon, self.delta, claim, assumptions)
        swing = worst_swing(mechanism, self.default)
        found = self._supremum(mechanism, swing)
        broken = moved_too_far(found.epsilon, self.epsilon)
        judged = found.against(f"{first})", found.epsilon, self.epsilon, broken=broken)
        if judged.holds is not False or judged.witness is not None:
            return judged
        beyond = _output_beyond(mechanism, swing, self.epsilon)
        if beyond is None:
            note = "no single output near at hand shows it: the supremum lies far out"
            return replace(judged, notes=(*judged.notes, note))
        g = 1 / (sqrt(beyond.ratio) + 1) if beyond.ratio != INFINITY else (1 - self.epsilon) / 2
        return replace(judged, witness=self._shown(mechanism, beyond, _prior(mechanism, beyond, g)))

    def _supremum(self, mechanism: Mechanism, swing: Swing) -> Verdict:
        value = semantic_value(swing.ratio)
        belief = worst_belief(mechanism, swing)
        witness: Proof | None = None
        if belief is not None:
            witness = GameWitness(
                mechanism, belief, swing.output, swing.person or 1, value, self.default
            )
        elif swing.person is None and swing.output is not None:
            witness = self._shown(mechanism, swing, None)
        return self.found(
            mechanism,
            {"epsilon": value, "swing": swing.ratio},
            _sentence(value),
            self._assumptions(mechanism),
            witness=witness,
            method=swing.method,
            notes=(_where(mechanism, swing, attained=swing.attained or belief is not None),),
        )

    def _shown(self, mechanism: Mechanism, swing: Swing, belief: Belief | None) -> Proof:
        """Return what the output of a swing does to a belief, or to even odds of two answers."""
        if belief is None or swing.person is None:
            return _even_odds(mechanism, swing)
        real, removed = conclusions(
            mechanism, belief, swing.output, swing.person, default=self.default
        )
        assert real is not None
        assert removed is not None
        apart = real.difference(removed)
        return GameWitness(mechanism, belief, swing.output, swing.person, apart, self.default)

    def _assumptions(self, mechanism: Mechanism) -> tuple[str, ...]:
        words = mechanism.universe.explain(mechanism.universe.relation)
        return (
            f"all beliefs, however wrong; {default_words(mechanism, self.default)}",
            f"a person: {words}",
        )


def _even_odds(mechanism: Mechanism, swing: Swing) -> Shown:
    """Show two bare answers, even odds between which an output moves apart.

    A person may turn u into v in one world and v into u in the other; with even odds between these
    worlds, and r = P(t | u) / P(t | v), the conclusions after t differ by (r - 1) / (r + 1).
    """
    answers = (swing.high.database, swing.high.removed)

    def apart() -> Number:
        p, q = (mechanism.probability(swing.output, answer) for answer in answers)
        return abs((p - q) / (p + q))

    difference = apart()
    u, v = map(mechanism.universe.label, answers)
    output = mechanism.outputs.label(swing.output)
    said = f"output {output}: the conclusions differ by {show(difference, side='at least')}"
    return Shown(
        difference,
        apart,
        (
            ("belief", f"1/2 in a true answer of {u}, which is {v} without the person"),
            ("belief", f"1/2 in a true answer of {v}, which is {u} without the person"),
            ("worst case" if difference == 1 else "shown by", said),
        ),
        {"answers": [u, v], "output": output, "difference": to_json(difference, side="down")},
    )


def worst_belief(mechanism: Mechanism, swing: Swing) -> Belief | None:
    """Return a belief on two databases that attains the supremum, where one exists.

    Weight w = 1 / (sqrt R + 1) of Game i's posterior goes to the largest r, so that the prior is
    proportional to (w / q_high, (1 - w) / q_low), with q = P(A(x_-i) = t). If the largest r is
    infinite and the smallest 0, any weights do; if it is only infinite, to be sure of its database
    leaves the posterior of Game i undefined; if the smallest is only 0, the supremum is no maximum.
    """
    if swing.person is None or swing.output is None or swing.ratio == 1:
        return None
    if swing.ratio != INFINITY:
        return _prior(mechanism, swing, 1 / (sqrt(swing.ratio) + 1))
    if swing.high.q != 0:
        return None
    possible = [swing.high.database, *([swing.low.database] if swing.low.p == 0 else [])]
    return Belief(mechanism.universe, {x: Fraction(1, len(possible)) for x in possible})


def _prior(mechanism: Mechanism, swing: Swing, g: Number) -> Belief | None:
    """Return the prior with weight g of Game i's posterior on the largest r; None without persons.

    The difference is g R / (g R + 1 - g) - g, largest for g = 1 / (sqrt R + 1), and 1 - g where R
    is infinite.
    """
    if swing.person is None:
        return None
    high, low = g / swing.high.q, (1 - g) / swing.low.q
    masses = {swing.high.database: high, swing.low.database: low}
    return Belief(mechanism.universe, {x: mass / (high + low) for x, mass in masses.items()})


def _output_beyond(mechanism: Mechanism, swing: Swing, epsilon: Number) -> Swing | None:
    """Return the swing of the same two databases at an output that moves some belief too far.

    Far outputs are tried at powers of 2, both ways. A swing that names one database only stands
    against that database without the person, whom leaving out changes nothing there.
    """
    limit = ((1 + epsilon) / (1 - epsilon)) ** 2
    far: list[Point] = [sign << k for k in range(_FURTHEST_BITS) for sign in (1, -1)]
    pairs = [(case.database, case.removed) for case in (swing.high, swing.low)]
    if pairs[0][0] == pairs[1][0]:
        pairs[1] = (swing.high.removed, swing.high.removed)
    if isinstance(mechanism, Several) and swing.output is None:
        fixed = possible_output(mechanism, [x for pair in pairs for x in pair]) or ()
        parts = [one for one, times in mechanism.parts for _ in range(times)]
        noisy = [j for j, one in enumerate(parts) if one.outputs.size is None and fixed]
        far = [(*fixed[:j], o, *fixed[j + 1 :]) for o in far for j in noisy]
    law = mechanism.probability
    for output in far if swing.output is None else [swing.output]:
        high, low = (SwingCase(x, y, law(output, x), law(output, y)) for x, y in pairs)
        if high.q == 0 or low.q == 0:
            continue
        if larger(low.r, high.r):
            high, low = low, high
        ratio = INFINITY if low.p == 0 else high.r / low.r
        if larger(ratio, limit):
            return Swing(ratio, output, swing.person, high, low)
    return None


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
        f"answer computed without you, by at most {points(value)}."
    )


# --- informed privacy -----------------------------------------------------------------------------

_RARE = Fraction(1, 1000)
_INFORMED = "beliefs that know every record but one, with any law about that one"


@dataclass(frozen=True, kw_only=True)
class InformedPrivacy(PrivacyDefinition):
    """Whoever knows all other records changes their mind about yours by little.

    >>> from twoworlds import mechanism
    >>> InformedPrivacy().tightest(mechanism("noisy-parity(bits=40, keep=9/10)")).epsilon
    Fraction(1, 2)
    """

    epsilon: Given[Number | None] = Given(read_delta)

    name = "informed privacy"
    call = "informed"
    numbers = ("epsilon",)
    unclaimed = "informed has no number to check: give epsilon="

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the exact supremum over informed beliefs, with a belief on two neighbours."""
        found = DifferentialPrivacy().tightest(mechanism)
        value = semantic_value(found.ratio)
        compared = found.witness
        witness = _moved(compared) if isinstance(compared, Witness) else None
        notes: tuple[str, ...] = ()
        if witness is not None and not agree(witness.number, value):
            notes = ("approached by beliefs and outputs, attained by none",)
        return self.found(
            mechanism,
            {"epsilon": value, "ratio": found.ratio},
            _informed_sentence(
                value, found.ratio, DifferentialPrivacy().setting(mechanism).subject
            ),
            (_INFORMED, *found.assumptions),
            witness=witness,
            method=f"tanh of a quarter of the price in differential privacy; {found.method}",
            notes=notes,
        )

    def broken(self, mechanism: Mechanism, found: Verdict, claimed: Number) -> str:
        """Say how far a mind changes."""
        moved, allowed = points_claimed(found.epsilon, claimed)
        return (
            "Someone who knows every record but yours can change their mind about it by "
            f"{moved}, more than the {allowed} claimed."
        )


def _moved(compared: Witness) -> Shown:
    """Weigh the two databases so that the event moves the belief in the first one the furthest."""
    ratio = compared.ratio()
    weight = _RARE if ratio == INFINITY else 1 / (sqrt(ratio) + 1)

    def moved(probabilities: Iterable[Number]) -> Number:
        p, q = probabilities
        return weight * p / (weight * p + (1 - weight) * q) - weight

    difference = moved(compared.probabilities)
    posterior = weight + difference
    first, second = compared.labels
    event = compared.event.describe(compared.mechanism.outputs)
    return Shown(
        difference,
        lambda: moved(compared.again()),
        (
            ("belief", f"{show(weight)} in {shortened(first)}, the rest in {shortened(second)}"),
            ("worst case", f"after {event} it is {show(posterior)} in {shortened(first)}"),
        ),
        {
            **compared.to_dict(),
            "belief": {first: to_json(weight), second: to_json(1 - weight)},
            "posterior": {first: to_json(posterior), second: to_json(1 - posterior)},
            "difference": to_json(difference),
        },
    )


def _informed_sentence(value: Number, ratio: Number, subject: Subject) -> str:
    if value == 0:
        return "Someone who knows every record but yours learns nothing about it."
    if value == 1:
        return (
            "Some answer can overturn completely what someone who knows every record but yours "
            "believes about it."
        )
    said = (
        "Someone who knows every record but yours, whatever they believe about it, changes their "
        f"mind by at most {points(value)}."
    )
    return f"{said} {any_belief(subject.swing(ratio))}" if subject.one_person else said
