r"""Gaussian differential privacy: no test does better than one of N(0, 1) against N(mu, 1).

A mechanism is mu-GDP if for all neighbours x, y every test that raises a false alarm on y with
probability z finds x with probability at most F(F^-1(z) + mu), where F is the normal distribution
function (Dong, Roth & Su 2022). Gaussian noise of standard deviation sigma on an answer that moves
by d has equality at every z, with mu = d / sigma. Several outputs have at most the root of the sum
of squares.

The least mu is a formula, the largest over the corners of the curve of best tests, or found by a
search (`twoworlds.laws.least`, where it is proved that corners suffice).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from twoworlds.definitions.base import LeastAmount, Setting, nothing_told, read_amount
from twoworlds.definitions.verdict import Shown, Verdict, Witness, shortened
from twoworlds.definitions.words import Subject, digits_apart, percent, percent_above
from twoworlds.laws.comparison import Comparison, Extreme, larger
from twoworlds.laws.least import least_mu, mu_of_test
from twoworlds.laws.line import normal, quantile
from twoworlds.numbers import Number, decimal, show, to_json

_LEVEL = Fraction(1, 20)  # of false alarms, whose power the sentences give


@dataclass(frozen=True, init=False)
class GaussianDifferentialPrivacy(LeastAmount):
    """Neighbours are no easier to tell apart than two normal laws whose means differ by mu.

    >>> from twoworlds import mechanism
    >>> GaussianDifferentialPrivacy().tightest(mechanism("gaussian(sigma=2)")).mu
    Fraction(1, 2)
    """

    mu: Number | None

    name = "Gaussian differential privacy"
    call = "gdp"
    numbers = ("mu",)
    unclaimed = "gdp has no number to check: give mu=, as in 'gdp(mu=1)'"
    over = "all tests"

    def __init__(
        self,
        *,
        mu: object = None,
        neighbours: str | Iterable[tuple[object, object]] | None = None,
        group: int = 1,
    ) -> None:
        self._assign(mu=read_amount(mu, "mu"))
        super().__init__(neighbours=neighbours, group=group)

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
            return nothing_told(subject)
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

    def broken(self, found: Verdict, claimed: Number) -> str:
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
