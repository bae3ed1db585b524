r"""Renyi differential privacy and its concentrated form: means of likelihood ratios are bounded.

A mechanism is (a, epsilon)-RDP, of the order a > 1, if for all neighbours x, y

    D_a(A(x) || A(y)) = ln(sum_o P(o|x)^a P(o|y)^(1-a)) / (a - 1) <= epsilon

(Mironov 2017). With r = P(o|x) / P(o|y), e^epsilon bounds the mean of order a - 1 of r over the
outputs on x, that is (E r^(a-1))^(1/(a-1)). By Markov's inequality r is at least b with
probability at most (e^epsilon / b)^(a-1). As the order grows, the mean becomes the largest r:
differential privacy.

A mechanism is rho-zCDP if for all neighbours x, y and all orders a > 1 at once

    D_a(A(x) || A(y)) <= a rho

(Bun & Steinke 2016, Definition 1.1). Gaussian noise of standard deviation sigma on an answer that
moves by d has equality at every order, with rho = d^2 / (2 sigma^2); so rho says to which Gaussian
noise the divergences compare. By Markov's inequality at the best order, the likelihood ratio is at
least e^l with probability at most e^(-(l - rho)^2 / (4 rho)), for l > rho.

The divergences of several outputs add up, exactly (`twoworlds.laws.renyi`). The least rho is a
formula or found by a search (`twoworlds.laws.least`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from twoworlds.definitions.base import (
    LeastAmount,
    Setting,
    nothing_told,
    read_amount,
    read_order,
)
from twoworlds.definitions.verdict import Shown, Verdict, shortened
from twoworlds.definitions.words import Subject, digits_apart, percent
from twoworlds.errors import InvalidInput
from twoworlds.laws.comparison import Comparison, Extreme
from twoworlds.laws.least import least_rho
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import (
    Number,
    Order,
    compare,
    decimal,
    exact_text,
    exp,
    ln,
    show,
    sqrt,
    to_json,
)

_FACTOR = Fraction(100)  # of odds, whose probability the sentences give
_SHORT = 12


@dataclass(frozen=True, init=False)
class RenyiDifferentialPrivacy(LeastAmount):
    """The Renyi divergence of one order between neighbours is at most epsilon.

    >>> from twoworlds import mechanism
    >>> survey = mechanism("randomized-response(bits=40, keep=3/4)")
    >>> RenyiDifferentialPrivacy(order=2).tightest(survey).epsilon
    Real(ln(7/3))
    """

    order: Fraction | None
    epsilon: Number | None

    name = "Renyi differential privacy"
    call = "rdp"
    numbers = ("order", "epsilon")
    unclaimed = (
        "rdp has no numbers to check: give order= and epsilon=, as in 'rdp(order=2, epsilon=1)'"
    )
    where = "at this order"

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
        return super().tightest(mechanism)

    def least(self, comparison: Comparison) -> Extreme:
        """Return the divergence of the order."""
        assert self.order is not None
        return Extreme(comparison.divergence(self.order), self.order)

    def means(self, subject: Subject, amount: Number) -> str:
        """Say what a divergence of one order means, as a mean of odds.

        >>> RenyiDifferentialPrivacy(order=2).means(Subject.of(1), ln(Fraction(9, 8)))
        'On average (as a mean of order 1), the output multiplies the odds of the truth about your \
record by at most 1.125, and by 100 or more with probability at most 1.125%.'
        """
        if amount == 0:
            return nothing_told(subject)
        assert self.order is not None
        power = self.order - 1
        rare, tail = exp(power * (amount - ln(_FACTOR))), ""
        if compare(rare, 1) is Order.LESS:
            tail = f", and by {_FACTOR} or more with probability at most {percent(rare, digits=4)}"
        return (
            f"On average (as a mean of {_order(power)}), the output multiplies the odds of "
            f"{_the_truth(subject)} by at most {decimal(exp(amount), 4)}{tail}."
        )

    def shown(self, setting: Setting, comparison: Comparison, least: Extreme) -> Shown:
        """Show the divergence."""
        return _of_order(setting, comparison, least)

    def broken(self, found: Verdict, claimed: Number) -> str:
        """Say the divergence, and what is claimed of it."""
        assert self.order is not None
        digits = digits_apart(found.epsilon, claimed)
        return (
            f"Between two worlds the divergence of {_order(self.order)} is "
            f"{decimal(found.epsilon, digits, 'at least')}, where the claim allows at most "
            f"{decimal(claimed, digits)}."
        )


@dataclass(frozen=True, init=False)
class ConcentratedDifferentialPrivacy(LeastAmount):
    """No divergence between neighbours is above rho times its order.

    >>> from twoworlds import mechanism
    >>> ConcentratedDifferentialPrivacy().tightest(mechanism("gaussian(sigma=2)")).rho
    Fraction(1, 8)
    """

    rho: Number | None

    name = "zero-concentrated differential privacy"
    call = "zcdp"
    numbers = ("rho",)
    unclaimed = "zcdp has no number to check: give rho=, as in 'zcdp(rho=1/8)'"
    over = "all orders above 1"

    def __init__(
        self,
        *,
        rho: object = None,
        neighbours: str | Iterable[tuple[object, object]] | None = None,
        group: int = 1,
    ) -> None:
        self._assign(rho=read_amount(rho, "rho"))
        super().__init__(neighbours=neighbours, group=group)

    def least(self, comparison: Comparison) -> Extreme:
        """Return the least rho, and an order that needs it."""
        return least_rho(comparison)

    def means(self, subject: Subject, amount: Number) -> str:
        """Say to which Gaussian noise the divergences compare, and how often odds move far.

        >>> ConcentratedDifferentialPrivacy().means(Subject.of(1), Fraction(1, 8))
        'Whichever mean you take, this tells no more about your record than Gaussian noise whose \
standard deviation is 2 times what the record can change: the odds of the truth about your record \
are multiplied by 100 or more with probability at most 3.68e-16%.'
        """
        if amount == 0:
            return nothing_told(subject)
        times = decimal(1 / sqrt(2 * amount), 4, "at least")
        loss, tail = ln(_FACTOR) - amount, ""
        if compare(loss, 0) is Order.GREATER:
            rare = exp(-(loss * loss) / (4 * amount))
            tail = (
                f": the odds of {_the_truth(subject)} are multiplied by {_FACTOR} or more with "
                f"probability at most {percent(rare)}"
            )
        return (
            f"Whichever mean you take, this tells no more about {subject.who} than Gaussian noise "
            f"whose standard deviation is {times} times what {_changes(subject)} can change{tail}."
        )

    def shown(self, setting: Setting, comparison: Comparison, least: Extreme) -> Shown:
        """Show an order that needs the rho, or that comes near."""
        found = _of_order(setting, comparison, least)
        *before, (label, text) = found.said
        if least.at != 1:
            text += f", {show(found.number / least.at, side='at least')} times the order"
        if not least.attained:
            text += "; larger orders come nearer to rho"
        return replace(found, said=(*before, (label, text)))

    def broken(self, found: Verdict, claimed: Number) -> str:
        """Say at which order a divergence is larger than claimed, or comes near to what is."""
        shown = found.witness
        assert isinstance(shown, Shown), "what is finite is shown by an order"
        order = Fraction(shown.data["order"]["exact"])
        allowed = order * claimed
        if compare(shown.number, allowed) is not Order.GREATER:
            digits = digits_apart(found.rho, claimed)
            return (
                "At large orders the divergence between two worlds comes arbitrarily near to "
                f"{decimal(found.rho, digits, 'at least')} times the order, where the claim allows "
                f"at most {decimal(claimed, digits)} times."
            )
        digits = digits_apart(shown.number, allowed)
        at = "In the limit of order 1" if order == 1 else f"At order {decimal(order, 4, 'about')}"
        return (
            f"{at} the divergence between two worlds is "
            f"{decimal(shown.number, digits, 'at least')}, where the claim allows at most "
            f"{decimal(allowed, digits)}."
        )


def _of_order(setting: Setting, comparison: Comparison, least: Extreme) -> Shown:
    """Show the divergence of one order between two databases; of order 1, the mean loss."""
    order = Fraction(least.at)  # type: ignore[arg-type]
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


def _order(order: Fraction) -> str:
    text = str(exact_text(order))
    return f"order {text if len(text) <= _SHORT else decimal(order, 6, 'about')}"


def _the_truth(subject: Subject) -> str:
    """Name what is true, of whatever a sentence speaks."""
    return subject.who if subject.who.startswith("the true") else f"the truth about {subject.who}"


def _changes(subject: Subject) -> str:
    """Name what moves the answer."""
    if subject.who == "your record":
        return "the record"
    return "your presence" if subject.one_person else "the difference of two neighbours"
