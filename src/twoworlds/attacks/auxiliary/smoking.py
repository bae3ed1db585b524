"""The smoking study: learning about everybody is not learning about you.

A study teaches that smoking causes cancer. A smoker's insurer now thinks worse of him, and charges
more. Did the study breach his privacy? He is harmed alike whether he took part or not, so what
harms him is what was learned about people; that is what studies are for. What taking part adds can
be bounded: with noise that makes the published count differentially private, the odds that he has
cancer move by no more than a factor e^epsilon beyond what they would have been without him.

All numbers follow by Bayes' rule from a stated, made-up belief: with some probability smoking is
harmful, and then each smoker has cancer independently at one rate, otherwise at another.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.attacks.auxiliary.bits import counted
from twoworlds.attacks.auxiliary.laws import binomial
from twoworlds.cards.explained import Explained
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import probability, rational, show, to_json, whole

__all__ = ["Smoking", "smoking"]

_MOST_PEOPLE = 400
_MOST_DIGITS = 1 << 15


@dataclass(frozen=True)
class Smoking(Explained):
    """What an observer believes of one smoker, before and after a study.

    Attributes:
        belief: The chance, before, that smoking is harmful.
        harmful: A smoker's risk if it is.
        harmless: A smoker's risk otherwise.
        people: How many other smokers are studied.
        published: The count of cancers that is published.
        ratio: e^epsilon of the geometric noise in it; None for an exact count.
        belief_without: That smoking is harmful, after a study without him.
        belief_with: The same after a study with him.
        risk_without: His risk in the observer's eyes, after a study without him.
        risk_with: The same after a study with him, of the same published count.
    """

    belief: Fraction
    harmful: Fraction
    harmless: Fraction
    people: int
    published: int
    ratio: Fraction | None
    belief_without: Fraction
    belief_with: Fraction
    risk_without: Fraction
    risk_with: Fraction

    @property
    def risk_before(self) -> Fraction:
        """His risk before anything is published."""
        return self.belief * self.harmful + (1 - self.belief) * self.harmless

    @property
    def odds_factor(self) -> Fraction | None:
        """By what taking part multiplies the odds that he has cancer; None if they are infinite."""
        with_him, without = self.risk_with, self.risk_without
        if with_him == 1 or without in (0, 1):
            return None
        return (with_him / (1 - with_him)) / (without / (1 - without))

    @property
    def promise_holds(self) -> bool | None:
        """Whether that factor is between 1/ratio and ratio; None without noise."""
        if self.ratio is None:
            return None
        factor = self.odds_factor
        return factor is not None and 1 / self.ratio <= factor <= self.ratio

    def explain(self) -> str:
        """Tell the story with its numbers."""
        noise = (
            "an exact count"
            if self.ratio is None
            else f"a count with geometric noise of ratio {self.ratio}"
        )
        said = [
            f"All numbers are made up. Before the study smoking is thought harmful with "
            f"probability {show(self.belief)}; then a smoker has cancer with {show(self.harmful)}, "
            f"otherwise with {show(self.harmless)}. So the risk of one smoker is thought to be "
            f"{show(self.risk_before)}.",
            f"A study of {counted(self.people, 'other smoker')} publishes "
            f"{counted(self.published, 'cancer')}, {noise}. Now smoking is thought harmful with "
            f"{show(self.belief_without)}, and his risk is {show(self.risk_without)}: "
            f"{self._change()}, and he did not take part.",
            f"Had he taken part, with the same count published, his risk would be thought to be "
            f"{show(self.risk_with)}.",
        ]
        if self.odds_factor is not None:
            factor = (
                f"Taking part multiplies the odds that he has cancer by {show(self.odds_factor)}"
            )
            if self.ratio is not None:
                factor += (
                    f"; whatever is published, it is between {1 / self.ratio} and {self.ratio}"
                )
            said.append(f"{factor}.")
        second = "without noise nothing bounds" if self.ratio is None else "noise bounds"
        said.append(f"No useful study prevents the first change; {second} the second.")
        return " ".join(said)

    def picture(self) -> str:
        """Draw his risk: before, and in the two worlds."""
        from twoworlds.cards import bars

        risks = {
            "before the study": self.risk_before,
            "after it, without him": self.risk_without,
            "after it, with him": self.risk_with,
        }
        grey, orange = ["before the study"], ["after it, without him"]
        return bars("His risk, in the eyes of others", risks, grey=grey, orange=orange)

    def _change(self) -> str:
        if self.risk_without == self.risk_before:
            return "it stays as it was"
        if self.risk_without < self.risk_before:
            return "it falls, so he gains"
        return "it rises, so he is harmed"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        factor = self.odds_factor
        return {
            "belief_before": to_json(self.belief),
            "belief_without": to_json(self.belief_without),
            "belief_with": to_json(self.belief_with),
            "risk_before": to_json(self.risk_before),
            "risk_without": to_json(self.risk_without),
            "risk_with": to_json(self.risk_with),
            "odds_factor": None if factor is None else to_json(factor),
            "ratio": None if self.ratio is None else to_json(self.ratio),
            "promise_holds": self.promise_holds,
            "made_up": True,
            "explanation": self.explain(),
        }


def smoking(
    *,
    belief: object = "1/2",
    harmful: object = "3/10",
    harmless: object = "1/10",
    people: object = 50,
    published: object = 14,
    ratio: object = 3,
) -> Smoking:
    """Return what a study does to the reputation of one smoker, by exact Bayes.

    Args:
        belief: The chance that smoking is harmful.
        harmful: The risk of cancer if it is.
        harmless: The risk otherwise.
        people: How many others are studied.
        published: The published count.
        ratio: e^epsilon of the noise in the count; None (or "none") for none.

    >>> found = smoking()
    >>> found.risk_before, round(float(found.risk_without), 4), found.promise_holds
    (Fraction(1, 5), 0.2987, True)
    """
    prior, high, low = (
        probability(value, name)
        for value, name in ((belief, "belief"), (harmful, "harmful"), (harmless, "harmless"))
    )
    n, count = whole(people, "people", at_least=1), int(rational(published, "published"))
    if count != rational(published, "published"):
        raise InvalidInput(f"published={published} must be a whole number")
    if n > _MOST_PEOPLE:
        raise TooLarge(f"people={n}: up to {_MOST_PEOPLE} are computed exactly")
    noise = None if ratio in (None, "none") else rational(ratio, "ratio")
    if noise is not None and noise <= 1:
        raise InvalidInput(
            f"ratio={noise} is e^epsilon and must exceed 1; for no noise write none: --ratio none"
        )
    if noise is not None and n * noise.numerator.bit_length() > _MOST_DIGITS:
        raise TooLarge(
            f"the ratio has {len(str(noise))} characters, too many for its powers up to {n}: "
            "round it, or take fewer people"
        )
    # Beyond all counts that are possible with him or without, one more divides every likelihood
    # by the ratio, and beliefs stay the same.
    telling = count if noise is None else min(max(count, 0), n + 1)
    # Likelihood of the published count, given the truth about smoking and his own state.
    chances = {rate: binomial(n, rate) for rate in (high, low)}
    world = {
        (rate, own): _likelihood(chances[rate], telling - own, noise)
        for rate in (high, low)
        for own in (0, 1)
    }
    weights = ((prior, high), (1 - prior, low))

    def posterior(own: int) -> tuple[Fraction, Fraction]:
        """Belief and risk after a study in which his cancer counts ``own``."""
        joint = {
            (i, sick): weight * (rate if sick else 1 - rate) * world[rate, own * sick]
            for i, (weight, rate) in enumerate(weights)
            for sick in (0, 1)
        }
        total = sum(joint.values())
        if not total:
            raise InvalidInput(
                f"published={count} is impossible for {counted(n, 'person', 'people')} without "
                "noise: give it noise with a ratio such as 3"
            )
        return (joint[0, 0] + joint[0, 1]) / total, (joint[0, 1] + joint[1, 1]) / total

    without, with_him = posterior(0), posterior(1)
    return Smoking(
        prior, high, low, n, count, noise, without[0], with_him[0], without[1], with_him[1]
    )


def _likelihood(law: list[Fraction], shown: int, ratio: Fraction | None) -> Fraction:
    """Return the chance of a published count, up to a factor that is the same for all laws."""
    if ratio is None:
        return law[shown] if 0 <= shown < len(law) else Fraction(0)
    return sum((chance / ratio ** abs(shown - k) for k, chance in enumerate(law)), Fraction(0))
