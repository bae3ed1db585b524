r"""Zero-concentrated differential privacy: divergences of all orders at once.

A mechanism is rho-zCDP if for all neighbours x, y and all orders a > 1

    D_a(A(x) || A(y)) <= a rho

(Bun & Steinke 2016, Definition 1.1). Gaussian noise of standard deviation sigma on an answer that
moves by d has equality at every order, with rho = d^2 / (2 sigma^2); so rho says to which Gaussian
noise the divergences compare. By Markov's inequality at the best order, the likelihood ratio is at
least e^l with probability at most e^(-(l - rho)^2 / (4 rho)), for l > rho.

The least rho is a formula or found by a search (`twoworlds.laws.zcdp`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from twoworlds.definitions.base import Compared, Setting, read_amount
from twoworlds.definitions.renyi import (
    FACTOR,
    exposed,
    nearest,
    nothing_told,
    of_order,
    the_truth,
)
from twoworlds.definitions.verdict import Shown, Verdict
from twoworlds.definitions.words import Subject, digits_apart, percent
from twoworlds.errors import InvalidInput
from twoworlds.laws.comparison import Comparison, Extreme, worst
from twoworlds.laws.zcdp import least_rho
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    compare,
    decimal,
    exact_text,
    exp,
    ln,
    show,
    sqrt,
)


@dataclass(frozen=True, init=False)
class ConcentratedDifferentialPrivacy(Compared):
    """No divergence between neighbours is above rho times its order.

    >>> from twoworlds import mechanism
    >>> ConcentratedDifferentialPrivacy().tightest(mechanism("gaussian(sigma=2)")).rho
    Fraction(1, 8)
    """

    rho: Number | None

    name = "zero-concentrated differential privacy"

    def __init__(
        self,
        *,
        rho: object = None,
        neighbours: str | Iterable[tuple[object, object]] | None = None,
        group: int = 1,
    ) -> None:
        self._assign(rho=read_amount(rho, "rho"))
        super().__init__(neighbours=neighbours, group=group)

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the least rho over all neighbours and orders, or an enclosure of it."""
        setting, family, pairs = self.pairs(mechanism)
        found = ((one, least, least.value) for one, least in ((c, least_rho(c)) for c in pairs))
        comparison, least, rho = worst(found)
        if rho == INFINITY:
            sentence, witness = exposed(setting, family)
        else:
            sentence = said(setting.subject, rho)
            witness = _at_an_order(setting, comparison, least)
        return self.guessed(
            mechanism,
            setting,
            family,
            {"rho": rho},
            (sentence,),
            witness=witness,
            method=f"all orders above 1; {family.method}",
        )

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide whether no divergence is above rho times its order."""
        if self.rho is None:
            raise InvalidInput("zcdp has no number to check: give rho=, as in 'zcdp(rho=1/8)'")
        found = self.tightest(mechanism)
        claim = f"zcdp(rho={exact_text(self.rho)}{self.beside})"
        broken = _broken(found, self.rho) if found.rho != INFINITY else None
        decided = found.against(claim, found.rho, self.rho, broken=broken)
        return nearest(decided, "rho", found.rho)


def _at_an_order(setting: Setting, comparison: Comparison, least: Extreme) -> Shown:
    """Show an order that needs the rho, or that comes near."""
    order = Fraction(least.at)  # type: ignore[arg-type]
    shown = of_order(setting, comparison, order)
    *before, (label, text) = shown.said
    if order != 1:
        text += f", {show(shown.number / order, side='at least')} times the order"
    if not least.attained:
        text += "; larger orders come nearer to rho"
    return replace(shown, said=(*before, (label, text)))


def _broken(found: Verdict, claimed: Number) -> str:
    """Say at which order a divergence is larger than claimed, or comes near to what is."""
    shown = found.witness
    assert isinstance(shown, Shown), "what is finite is shown by an order"
    order = Fraction(shown.data["order"]["exact"])
    allowed = order * claimed
    if compare(shown.number, allowed) is not Order.GREATER:
        digits = digits_apart(found.rho, claimed)
        return (
            "At large orders the divergence between two worlds comes arbitrarily near to "
            f"{decimal(found.rho, digits, 'at least')} times the order, where the claim allows at "
            f"most {decimal(claimed, digits)} times."
        )
    digits = digits_apart(shown.number, allowed)
    where = "In the limit of order 1" if order == 1 else f"At order {decimal(order, 4, 'about')}"
    return (
        f"{where} the divergence between two worlds is "
        f"{decimal(shown.number, digits, 'at least')}, where the claim allows at most "
        f"{decimal(allowed, digits)}."
    )


def said(subject: Subject, rho: Number) -> str:
    """Say to which Gaussian noise the divergences compare, and how often odds move far.

    >>> said(Subject.of(1), Fraction(1, 8))
    'Whichever mean you take, this tells no more about your record than Gaussian noise whose \
standard deviation is 2 times what the record can change: the odds of the truth about your record \
are multiplied by 100 or more with probability at most 3.68e-16%.'
    """
    if rho == 0:
        return nothing_told(subject)
    times = decimal(1 / sqrt(2 * rho), 4, "at least")
    loss = ln(FACTOR) - rho
    tail = ""
    if compare(loss, 0) is Order.GREATER:
        rare = exp(-(loss * loss) / (4 * rho))
        tail = (
            f": the odds of {the_truth(subject)} are multiplied by {FACTOR} or more with "
            f"probability at most {percent(rare)}"
        )
    return (
        f"Whichever mean you take, this tells no more about {subject.who} than Gaussian noise "
        f"whose standard deviation is {times} times what {_changes(subject)} can change{tail}."
    )


def _changes(subject: Subject) -> str:
    """Name what moves the answer."""
    if subject.who == "your record":
        return "the record"
    return "your presence" if subject.one_person else "the difference of two neighbours"
