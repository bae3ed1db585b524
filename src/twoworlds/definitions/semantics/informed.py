r"""Informed privacy: who knows every record but one learns little about that one.

An informed belief knows all records but person i's and holds any law about that one. With b the
prior and b_0 the posterior of the game that really takes place, a mechanism is epsilon-private in
this sense if for all informed beliefs, outputs t and persons

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
from dataclasses import dataclass
from fractions import Fraction

from twoworlds.definitions.base import PrivacyDefinition, read_epsilon
from twoworlds.definitions.differential_privacy import DifferentialPrivacy
from twoworlds.definitions.semantics.swing import semantic_value
from twoworlds.definitions.verdict import Shown, Verdict, Witness, shortened
from twoworlds.definitions.words import Subject, any_belief, percent, points_claimed
from twoworlds.errors import InvalidInput
from twoworlds.laws.event import agree
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import INFINITY, Number, exact_text, show, sqrt, to_json

_RARE = Fraction(1, 1000)
_INFORMED = "beliefs that know every record but one, with any law about that one"


@dataclass(frozen=True, init=False)
class InformedPrivacy(PrivacyDefinition):
    """Whoever knows all other records changes their mind about yours by little.

    >>> from twoworlds import mechanism
    >>> InformedPrivacy().tightest(mechanism("noisy-parity(bits=40, keep=9/10)")).epsilon
    Fraction(1, 2)
    """

    epsilon: Number | None

    name = "informed privacy"

    def __init__(self, *, epsilon: object = None) -> None:
        self._assign(epsilon=read_epsilon(epsilon))

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
            _sentence(value, found.ratio, DifferentialPrivacy().setting(mechanism).subject),
            (_INFORMED, *found.assumptions),
            witness=witness,
            method=f"tanh of a quarter of the price in differential privacy; {found.method}",
            notes=notes,
        )

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide whether prior and posterior stay within epsilon for every informed belief."""
        if self.epsilon is None:
            raise InvalidInput("informed has no number to check: give epsilon=")
        found = self.tightest(mechanism)
        claim = f"informed(epsilon={exact_text(self.epsilon)})"
        moved, claimed = points_claimed(found.epsilon, self.epsilon)
        broken = (
            "Someone who knows every record but yours can change their mind about it by "
            f"{moved}, more than the {claimed} claimed."
        )
        return found.against(claim, found.epsilon, self.epsilon, broken=broken)


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


def _sentence(value: Number, ratio: Number, subject: Subject) -> str:
    if value == 0:
        return "Someone who knows every record but yours learns nothing about it."
    if value == 1:
        return (
            "Some answer can overturn completely what someone who knows every record but yours "
            "believes about it."
        )
    said = (
        "Someone who knows every record but yours, whatever they believe about it, changes their "
        f"mind by at most {percent(value)} of probability in total."
    )
    return f"{said} {any_belief(subject.swing(ratio))}" if subject.one_person else said
