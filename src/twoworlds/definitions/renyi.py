r"""Renyi differential privacy: a mean of the likelihood ratio is bounded, of one order.

A mechanism is (a, epsilon)-RDP, of the order a > 1, if for all neighbours x, y

    D_a(A(x) || A(y)) = ln(sum_o P(o|x)^a P(o|y)^(1-a)) / (a - 1) <= epsilon

(Mironov 2017). With r = P(o|x) / P(o|y), e^epsilon bounds the mean of order a - 1 of r over the
outputs on x, that is (E r^(a-1))^(1/(a-1)). By Markov's inequality r is at least b with
probability at most (e^epsilon / b)^(a-1). As the order grows, the mean becomes the largest r:
differential privacy.

The divergences of several outputs add up, exactly (`twoworlds.laws.renyi`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from twoworlds.definitions.base import Compared, Setting, read_amount, read_order
from twoworlds.definitions.verdict import Proof, Shown, Verdict, Witness, shortened
from twoworlds.definitions.words import Subject, digits_apart, percent
from twoworlds.errors import InvalidInput
from twoworlds.laws.comparison import Comparison, Family, worst
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    at_most_one,
    compare,
    decimal,
    exact_text,
    exp,
    ln,
    show,
    to_json,
)

FACTOR = Fraction(100)  # of odds, whose probability the sentences give
_SHORT = 12


@dataclass(frozen=True, init=False)
class RenyiDifferentialPrivacy(Compared):
    """The Renyi divergence of one order between neighbours is at most epsilon.

    >>> from twoworlds import mechanism
    >>> survey = mechanism("randomized-response(bits=40, keep=3/4)")
    >>> RenyiDifferentialPrivacy(order=2).tightest(survey).epsilon
    Real(ln(7/3))
    """

    order: Fraction | None
    epsilon: Number | None

    name = "Renyi differential privacy"

    def __init__(
        self,
        *,
        order: object = None,
        epsilon: object = None,
        neighbours: str | Iterable[tuple[object, object]] | None = None,
        group: int = 1,
    ) -> None:
        self._assign(
            order=None if order is None else read_order(order),
            epsilon=read_amount(epsilon, "epsilon"),
        )
        super().__init__(neighbours=neighbours, group=group)

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the largest divergence between neighbours."""
        if self.order is None:
            raise InvalidInput(
                "rdp speaks of one order: give it, as in --definition 'rdp(order=2)'"
            )
        order = self.order
        setting, family, pairs = self.pairs(mechanism)
        found = ((one, None, one.divergence(order)) for one in pairs)
        comparison, _, epsilon = worst(found)
        if epsilon == INFINITY:
            sentence, witness = exposed(setting, family)
        else:
            sentence = said(setting.subject, order, epsilon)
            witness = of_order(setting, comparison, order)
        return self.guessed(
            mechanism,
            setting,
            family,
            {"order": order, "epsilon": epsilon},
            (sentence,),
            witness=witness,
        )

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide whether no divergence of this order is above epsilon."""
        if self.order is None or self.epsilon is None:
            raise InvalidInput(
                "rdp has no numbers to check: give order= and epsilon=, as in "
                "'rdp(order=2, epsilon=1)'"
            )
        found = self.tightest(mechanism)
        numbers = f"order={exact_text(self.order)}, epsilon={exact_text(self.epsilon)}"
        digits = digits_apart(found.epsilon, self.epsilon)
        broken = (
            None
            if found.epsilon == INFINITY
            else (
                f"Between two worlds the divergence of {_order(self.order)} is "
                f"{decimal(found.epsilon, digits, 'at least')}, where the claim allows at most "
                f"{decimal(self.epsilon, digits)}."
            )
        )
        decided = found.against(
            f"rdp({numbers}{self.beside})", found.epsilon, self.epsilon, broken=broken
        )
        return nearest(decided, "epsilon", found.epsilon, "at this order")


def nearest(decided: Verdict, name: str, value: Number, where: str = "") -> Verdict:
    """Add to a refuted claim the number with which it holds."""
    if decided.holds is not False:
        return decided
    note = f"holds with {name} {show(value, side='at most')}"
    if value == INFINITY:
        note = f"no {name} is large enough"
    note = f"{note} {where}" if where else note
    return replace(decided, notes=(*decided.notes, note))


def exposed(setting: Setting, family: Family) -> tuple[str, Proof]:
    """Say, and show, that an output is possible in one world only."""
    comparison, gap = family.gap(INFINITY)
    chance = decimal(at_most_one(gap.delta), 3, "about")
    sentence = (
        f"With probability {chance} the output can be one that is impossible in the other world: "
        f"it then shows something about {setting.subject.who} for certain, and no number is large "
        "enough."
    )
    databases = (comparison.x, comparison.y)
    return sentence, Witness.of(setting.mechanism, databases, gap.event)


def of_order(setting: Setting, comparison: Comparison, order: Fraction) -> Shown:
    """Show the divergence of one order between two databases; of order 1, the mean loss."""
    mechanism, (x, y) = setting.mechanism, (comparison.x, comparison.y)

    def again() -> Number:
        return mechanism.compare(x, y).divergence(order)

    number = comparison.divergence(order) if comparison.dominating is comparison else again()
    first, second = (mechanism.universe.label(one) for one in (x, y))
    what = "mean loss, the limit at order 1" if order == 1 else f"divergence of {_order(order)}"
    return Shown(
        number,
        again,
        (
            ("worst pair", f"{shortened(first)}  against  {shortened(second)}"),
            ("", f"{what}: {show(number, side='at least')}"),
        ),
        {
            "databases": [first, second],
            "order": to_json(order),
            "divergence": to_json(number, side="down"),
        },
    )


def said(subject: Subject, order: Fraction, epsilon: Number) -> str:
    """Say what a divergence of one order means, as a mean of odds.

    >>> said(Subject.of(1), Fraction(2), ln(Fraction(9, 8)))
    'On average (as a mean of order 1), the output multiplies the odds of the truth about your \
record by at most 1.125, and by 100 or more with probability at most 1.125%.'
    """
    if epsilon == 0:
        return nothing_told(subject)
    mean = f"as a mean of {_order(order - 1)}"
    rare = exp((order - 1) * (epsilon - ln(FACTOR)))
    tail = ""
    if compare(rare, 1) is Order.LESS:
        tail = f", and by {FACTOR} or more with probability at most {percent(rare, digits=4)}"
    return (
        f"On average ({mean}), the output multiplies the odds of {the_truth(subject)} by at most "
        f"{decimal(exp(epsilon), 4)}{tail}."
    )


def nothing_told(subject: Subject) -> str:
    """Say that the output does not depend on the data of a person."""
    return (
        f"The output says nothing about {subject.who}: whatever odds someone gave before, they are "
        "the same afterwards."
    )


def the_truth(subject: Subject) -> str:
    """Name what is true, of whatever a sentence speaks."""
    return subject.who if subject.who.startswith("the true") else f"the truth about {subject.who}"


def _order(order: Fraction) -> str:
    return f"order {_written(order)}"


def _written(order: Fraction) -> str:
    text = str(exact_text(order))
    return text if len(text) <= _SHORT else decimal(order, 6, "about")
