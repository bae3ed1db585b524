r"""The accountants' definitions: one number of two worlds that later processing never raises.

**Renyi differential privacy and its concentrated form**: means of likelihood ratios are bounded.
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

**Gaussian differential privacy**: no test does better than one of N(0, 1) against N(mu, 1).
A mechanism is mu-GDP if for all neighbours x, y every test that raises a false alarm on y with
probability z finds x with probability at most F(F^-1(z) + mu), where F is the normal distribution
function (Dong, Roth & Su 2022). Gaussian noise of standard deviation sigma on an answer that moves
by d has equality at every z, with mu = d / sigma. Several outputs have at most the root of the sum
of squares.

The least mu is a formula, the largest over the corners of the curve of best tests, or found by a
search (`twoworlds.laws.least`, where it is proved that corners suffice).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from twoworlds.definitions.base import Compared, Given, Setting, read_amount, read_order
from twoworlds.definitions.verdict import Proof, Shown, Verdict, Witness, shortened
from twoworlds.definitions.words import Subject, digits_apart, percent, percent_above
from twoworlds.errors import InvalidInput
from twoworlds.laws.comparison import Comparison, Extreme, Family, larger, worst
from twoworlds.laws.least import least_mu, least_rho, mu_of_test
from twoworlds.laws.line import normal, quantile
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
    offered,
    show,
    sqrt,
    to_json,
)

_FACTOR = Fraction(100)  # of odds, whose probability the sentences give
_SHORT = 12
_LEVEL = Fraction(1, 20)  # of false alarms, whose power the sentences give


@dataclass(frozen=True, kw_only=True)
class LeastAmount(Compared):
    """A definition with an amount that two worlds need at least: the worst pair decides.

    Attributes:
        over: of what the amount of two worlds is the largest.
        where: what the amount depends on, in a note.
    """

    over: ClassVar[str] = ""
    where: ClassVar[str] = ""

    @abstractmethod
    def least(self, comparison: Comparison) -> Extreme:
        """Return the least amount of two worlds, and where it is needed."""

    @abstractmethod
    def means(self, subject: Subject, amount: Number) -> str:
        """Say what an amount means to a person."""

    @abstractmethod
    def shown(self, setting: Setting, comparison: Comparison, least: Extreme) -> Proof:
        """Show what needs the amount, or comes near."""

    @abstractmethod
    def exceeded(self, found: Verdict, claimed: Number) -> str:
        """Say what does not hold of a claim."""

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the least amount over all neighbours, or an enclosure of it."""
        setting, family, pairs = self.pairs(mechanism)
        found = ((one, least, least.value) for one, least in ((c, self.least(c)) for c in pairs))
        comparison, least, amount = worst(found)
        if amount == INFINITY:
            sentence, witness = _exposed(setting, family)
        else:
            sentence = self.means(setting.subject, amount)
            witness = self.shown(setting, comparison, least)
        fixed = {name: getattr(self, name) for name in self.numbers[:-1]}
        return self.guessed(
            mechanism,
            setting,
            family,
            {**fixed, self.numbers[-1]: amount},
            (sentence,),
            witness=witness,
            method=f"{self.over}; {family.method}" if self.over else family.method,
        )

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide whether no two neighbours need more, and say what holds where they do."""
        decided = super().check(mechanism)
        if decided.holds is not False:
            return decided
        name = self.numbers[-1]
        needed = decided.values[name]
        note = f"holds with {name} {offered(needed)}"
        if needed == INFINITY:
            note = f"no {name} is large enough"
        return replace(decided, notes=(*decided.notes, f"{note} {self.where}".rstrip()))

    def broken(self, mechanism: Mechanism, found: Verdict, claimed: Number) -> str | None:
        """Say what does not hold of a claim; that worlds are told apart for certain is enough."""
        needed = found.values[self.numbers[-1]]
        return None if needed == INFINITY else self.exceeded(found, claimed)


def _exposed(setting: Setting, family: Family) -> tuple[str, Proof]:
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


def _nothing_told(subject: Subject) -> str:
    """Say that the output does not depend on the data of a person."""
    return (
        f"The output says nothing about {subject.who}: whatever odds someone gave before, they are "
        "the same afterwards."
    )


@dataclass(frozen=True, kw_only=True)
class RenyiDifferentialPrivacy(LeastAmount):
    """The Renyi divergence of one order between neighbours is at most epsilon.

    >>> from twoworlds import mechanism
    >>> survey = mechanism("randomized-response(bits=40, keep=3/4)")
    >>> RenyiDifferentialPrivacy(order=2).tightest(survey).epsilon
    Real(ln(7/3))
    """

    order: Given[Fraction | None] = Given(read_order)
    epsilon: Given[Number | None] = Given(read_amount)

    name = "Renyi differential privacy"
    call = "rdp"
    numbers = ("order", "epsilon")
    unclaimed = (
        "rdp has no numbers to check: give order= and epsilon=, as in 'rdp(order=2, epsilon=1)'"
    )
    where = "at this order"

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
            return _nothing_told(subject)
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

    def exceeded(self, found: Verdict, claimed: Number) -> str:
        """Say the divergence, and what is claimed of it."""
        assert self.order is not None
        digits = digits_apart(found.epsilon, claimed)
        return (
            f"Between two worlds the divergence of {_order(self.order)} is "
            f"{decimal(found.epsilon, digits, 'at least')}, where the claim allows at most "
            f"{decimal(claimed, digits)}."
        )


@dataclass(frozen=True, kw_only=True)
class ConcentratedDifferentialPrivacy(LeastAmount):
    """No divergence between neighbours is above rho times its order.

    >>> from twoworlds import mechanism
    >>> ConcentratedDifferentialPrivacy().tightest(mechanism("gaussian(sigma=2)")).rho
    Fraction(1, 8)
    """

    rho: Given[Number | None] = Given(read_amount)

    name = "zero-concentrated differential privacy"
    call = "zcdp"
    numbers = ("rho",)
    unclaimed = "zcdp has no number to check: give rho=, as in 'zcdp(rho=1/8)'"
    over = "all orders above 1"

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
            return _nothing_told(subject)
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

    def exceeded(self, found: Verdict, claimed: Number) -> str:
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


@dataclass(frozen=True, kw_only=True)
class GaussianDifferentialPrivacy(LeastAmount):
    """Neighbours are no easier to tell apart than two normal laws whose means differ by mu.

    >>> from twoworlds import mechanism
    >>> GaussianDifferentialPrivacy().tightest(mechanism("gaussian(sigma=2)")).mu
    Fraction(1, 2)
    """

    mu: Given[Number | None] = Given(read_amount)

    name = "Gaussian differential privacy"
    call = "gdp"
    numbers = ("mu",)
    unclaimed = "gdp has no number to check: give mu=, as in 'gdp(mu=1)'"
    over = "all tests"

    def least(self, comparison: Comparison) -> Extreme:
        """Return the least mu, and the ratio of a test that needs it."""
        return least_mu(comparison)

    def means(self, subject: Subject, amount: Number) -> str:
        """Say what mu means for a test with few false alarms.

        >>> GaussianDifferentialPrivacy().means(Subject.of(1), Fraction(1))
        'Nobody can tell one value of your record from another better than a normal number from \
one that is shifted by 1 standard deviation: a test that gives a false alarm in 5% of the cases \
finds the truth in at most 26% of them.'
        """
        if amount == 0:
            return _nothing_told(subject)
        shift = decimal(amount, 4, "at most")
        deviations = "1 standard deviation" if shift == "1" else f"{shift} standard deviations"
        return (
            f"Nobody can tell {_told_apart(subject)} better than a normal number from one that is "
            f"shifted by {deviations}: a test that gives a false alarm in {percent(_LEVEL)} of the "
            f"cases finds the truth in at most {percent_above(_LEVEL, power_at(amount))} of them."
        )

    def shown(self, setting: Setting, comparison: Comparison, least: Extreme) -> Shown:
        """Show a test that needs the mu, or that comes near."""
        turned, ratio = comparison, least.at
        if larger(1, ratio):  # it is a test of the second database against the first
            turned, ratio = setting.mechanism.compare(comparison.y, comparison.x), 1 / ratio
        event = turned.gap(ratio).event
        test = Witness.of(setting.mechanism, (turned.x, turned.y), event)

        p, q = test.probabilities
        first, second = map(shortened, test.labels)
        number = mu_of_test(p, q)
        tail = "" if least.attained else "; rarer alarms come nearer to mu"
        return Shown(
            number,
            lambda: mu_of_test(*test.again()),
            (
                ("worst pair", f"{first}  against  {second}"),
                ("test", event.describe(setting.mechanism.outputs)),
                ("", f"found with probability {show(p, side='at least')}, false alarms with "
                     f"{show(q, side='at most')}"),
                ("", f"that needs mu {show(number, side='at least')}{tail}"),
            ),
            {**test.to_dict(), "mu": to_json(number, side="down")},
        )  # fmt: skip

    def exceeded(self, found: Verdict, claimed: Number) -> str:
        """Say that a test does better than claimed."""
        digits = digits_apart(found.mu, claimed)
        return (
            "Some test tells two worlds apart as well as a normal number from one that is shifted "
            f"by {decimal(found.mu, digits, 'at least')} standard deviations, or comes arbitrarily "
            f"near to that, where the claim allows a shift of at most {decimal(claimed, digits)}."
        )


def _told_apart(subject: Subject) -> str:
    """Name what a test tells from what."""
    if subject.who == "your record":
        return "one value of your record from another"
    if subject.one_person:
        return subject.who
    if subject.who.startswith("the true"):
        return "the true database from a listed neighbour"
    return f"one case of {subject.who} from another"


def power_at(mu: Number) -> Number:
    """Return F(F^-1(z) + mu), the largest power of a test with few false alarms."""
    return _LEVEL if mu == 0 else normal(quantile(_LEVEL) + mu)
