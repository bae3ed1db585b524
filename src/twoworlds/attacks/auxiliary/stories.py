"""Two stories: the height of Terry Gross, and the smoking study.

*Height* (Dwork, Section 1): harm to somebody who is not in the data. A table of average heights is
published. Somebody says that Terry Gross is two inches shorter than the average Lithuanian woman.
Who has both knows her height; who has heard only the remark knows little; and she is in no way part
of the data, so leaving her out could not have helped.

*Smoking*: learning about everybody is not learning about you. A study teaches that smoking causes
cancer. A smoker's insurer now thinks worse of him, and charges more. He is harmed alike whether he
took part or not, so what harms him is what was learned about people; that is what studies are for.
What taking part adds can be bounded: with noise that makes the published count differentially
private, the odds that he has cancer move by no more than a factor e^epsilon beyond what they would
have been without him. All numbers follow by Bayes' rule from a stated, made-up belief: with some
probability smoking is harmful, and then each smoker has cancer independently at one rate, otherwise
at another.

Where the printed proof of Theorem 1 fails, and what repairs it (`flaw`).

The proof argues that z is nearly independent of the breach y it
hides, and concludes that nobody with z alone *says a breach* more often than without. But y is not
the only breach. Take databases (w, y0), all pairs equally likely, with breaches y0 and y0 + w, and
the pad r = w: then z = y + w is independent of y, and it is the other breach. Whoever repeats z
always wins. A seeded hash helps, yet not enough. What is true: the pad must be nearly uniform given
the *whole set* of breaches, or every database must have one breach only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from twoworlds.answer import Answer, Said
from twoworlds.attacks.auxiliary.extractors import FuzzyExtractor, extractor
from twoworlds.attacks.auxiliary.laws import binomial_law, count_law, flaw_law
from twoworlds.attacks.auxiliary.theorem import Attack, attack
from twoworlds.attacks.english import counted
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import decimal, probability, rational, show, whole
from twoworlds.show import Result, Told

_UNITS = {"cm": Fraction(1), "mm": Fraction(1, 10), "m": Fraction(100)}
_UNITS |= dict.fromkeys(("in", "inch", "inches"), Fraction(254, 100))
_UNITS |= dict.fromkeys(("ft", "foot", "feet"), Fraction(3048, 100))
_LENGTH = re.compile(r"\s*([^\sA-Za-z]+)\s*([A-Za-z]*)\s*")
_MARGIN = 10
_MOST_PEOPLE = 400
_MOST_DIGITS = 1 << 15


def centimetres(value: object, name: str) -> Fraction:
    """Read a length, in centimetres unless a unit is given."""
    match = _LENGTH.fullmatch(str(value))
    unit = (match.group(2).lower() or "cm") if match else ""
    if match is None or unit not in _UNITS:
        raise InvalidInput(
            f"{name}={value!r} is no length: write it like 166.5, '2 inches', '5 cm'"
        )
    return rational(match.group(1), name) * _UNITS[unit]


@dataclass(frozen=True)
class Height(Result):
    """Who knows the height, with the release and without."""

    average: Fraction  # what is published, in centimetres
    shorter: Fraction  # by how much she is shorter, in centimetres; negative if taller
    # The least and the largest average that anybody thinks possible, and the steps in which
    # averages are published
    possible: tuple[Fraction, Fraction, Fraction]

    @property
    def height(self) -> Fraction:
        """Her height, which the attacker names for certain with the remark and the release."""
        return self.average - self.shorter

    @property
    def simulator(self) -> Fraction:
        """The best chance with the remark alone, to which all averages are equally likely."""
        lowest, highest, step = self.possible
        return Fraction(1, int((highest - lowest) / step) + 1)

    def answer(self) -> Answer:
        """Tell the story with its numbers."""
        chances = {"the remark and the average": Fraction(1), "the remark alone": self.simulator}
        return Answer.of(self.sentences(), Bars("Her height is named, given", chances))

    def sentences(self) -> str:
        """Return the story in words."""
        word = "shorter" if self.shorter >= 0 else "taller"
        lowest, highest, step = map(_cm, self.possible)
        return (
            f"The average and the remark tell her height, {_cm(self.height)} cm, for certain; the "
            f"remark alone tells it with probability {show(self.simulator)}. "
            f"Published: the average Lithuanian woman is {_cm(self.average)} cm tall. The remark: "
            f"Terry Gross is {_cm(abs(self.shorter))} cm {word}. With the remark alone, averages "
            f"from {lowest} to {highest} cm in steps of {step} cm are all thought equally likely "
            "(made-up numbers). She is no Lithuanian woman, so she is not in the data: the "
            "world in which her data was used and the world in which it was not are the same, "
            "every published number has the same probability in both, and still she is harmed. No "
            "release that tells the average can prevent that. What differential privacy promises "
            "instead: that taking part adds almost nothing to the harm. To her it adds exactly 0."
        )

    def fields(self) -> dict[str, Any]:
        """Return who names her height how often."""
        return {
            "average": self.average,
            "shorter": self.shorter,
            "height": self.height,
            "attacker": Fraction(1),
            "simulator": self.simulator,
            "gap": 1 - self.simulator,
            "in_the_data": False,
            "epsilon_for_her": Fraction(0),
            "explanation": self.sentences(),
        }


def height(average: object = "166.5", shorter: object = "2 inches") -> Height:
    """Return who learns the height.

    Averages from 150 to 180 cm in steps of 1 mm are thought possible, or from a little below to a
    little above the published one, and finer where that needs it.

    >>> height().height
    Fraction(8071, 50)
    """
    middle, step = centimetres(average, "average"), Fraction(1, 10)
    while (middle / step).denominator > 1 and step > Fraction(1, 10**9):
        step /= 10
    low, high = min(150, floor(middle) - _MARGIN), max(180, floor(middle) + _MARGIN)
    found = Height(middle, centimetres(shorter, "shorter"), (Fraction(low), Fraction(high), step))
    if (middle / step).denominator > 1 or found.height <= 0:
        raise InvalidInput(
            f"average={average}, shorter={shorter}: give an average with at most nine decimals, "
            "and a height above 0"
        )
    return found


def _cm(x: Fraction) -> str:
    return decimal(x, 8, "about")


def story() -> Told:
    """Tell the height, and the same for any secret: Theorem 1 on the count of eight people."""
    tall, law = height(), count_law(8)
    theorem = attack(law, FuzzyExtractor(extractor("inner-product", law.bits, 1)))
    told = tall.answer()
    said = [
        "The same works for any secret (Dwork, Theorem 1). Eight people have one bit each; the "
        "number of ones is published, the bit of the first is secret. The remark z is a random "
        "string, and the secret bit plus the inner product of that string with the count in "
        f"binary. {theorem.sentences()}",
        "What follows: that a release teaches nothing about anybody is a promise which no useful "
        "release keeps. What can be promised is that taking part changes almost nothing, and that "
        "is differential privacy.",
    ]
    more = "more: twoworlds attack auxiliary theorem|fuzzy|flaw|entropy|height|smoking"
    answer = Answer(told.headline, blocks=(*told.blocks, Said(said), theorem.table()), notes=[more])
    return Told(answer, {"height": tall, "theorem": theorem})


# --- the smoking study ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Smoking(Result):
    """What an observer believes of one smoker, before and after a study."""

    belief: Fraction  # the chance, before, that smoking is harmful
    harmful: Fraction  # a smoker's risk if it is
    harmless: Fraction  # a smoker's risk otherwise
    people: int  # how many other smokers are studied
    published: int  # the count of cancers that is published
    ratio: Fraction | None  # e^epsilon of the geometric noise in it; None for an exact count
    belief_without: Fraction  # that smoking is harmful, after a study without him
    belief_with: Fraction  # the same after a study with him
    risk_without: Fraction  # his risk in the observer's eyes, after a study without him
    risk_with: Fraction  # the same after a study with him, of the same published count

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

    def answer(self) -> Answer:
        """Tell the story with its numbers."""
        risks = {
            "before the study": self.risk_before,
            "after it, without him": self.risk_without,
            "after it, with him": self.risk_with,
        }
        grey, orange = ["before the study"], ["after it, without him"]
        chart = Bars("His risk, in the eyes of others", risks, grey=grey, orange=orange)
        return Answer.of(self.sentences(), chart)

    def sentences(self) -> str:
        """Return the story in words."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        second = "without noise nothing bounds" if self.ratio is None else "noise bounds"
        yield (
            f"A smoker is judged by a study that he took no part in; {second} what taking part "
            "adds. All numbers are made up."
        )
        noise = (
            "an exact count"
            if self.ratio is None
            else f"a count with geometric noise of ratio {self.ratio}"
        )
        yield (
            f"Before the study smoking is thought harmful with "
            f"probability {show(self.belief)}; then a smoker has cancer with {show(self.harmful)}, "
            f"otherwise with {show(self.harmless)}. So the risk of one smoker is thought to be "
            f"{show(self.risk_before)}."
        )
        yield (
            f"A study of {counted(self.people, 'other smoker')} publishes "
            f"{counted(self.published, 'cancer')}, {noise}. Now smoking is thought harmful with "
            f"{show(self.belief_without)}, and his risk is {show(self.risk_without)}: "
            f"{self._change()}, and he did not take part."
        )
        yield (
            f"Had he taken part, with the same count published, his risk would be thought to be "
            f"{show(self.risk_with)}."
        )
        if self.odds_factor is not None:
            bounded = (
                ""
                if self.ratio is None
                else f"; whatever is published, it is between {1 / self.ratio} and {self.ratio}"
            )
            yield (
                f"Taking part multiplies the odds that he has cancer by {show(self.odds_factor)}"
                f"{bounded}."
            )

    def _change(self) -> str:
        if self.risk_without == self.risk_before:
            return "it stays as it was"
        if self.risk_without < self.risk_before:
            return "it falls, so he gains"
        return "it rises, so he is harmed"

    def fields(self) -> dict[str, Any]:
        """Return the beliefs and the risks."""
        return {
            "belief_before": self.belief,
            "belief_without": self.belief_without,
            "belief_with": self.belief_with,
            "risk_before": self.risk_before,
            "risk_without": self.risk_without,
            "risk_with": self.risk_with,
            "odds_factor": self.odds_factor,
            "ratio": self.ratio,
            "promise_holds": self.promise_holds,
            "made_up": True,
            "explanation": self.sentences(),
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
    chances = {rate: binomial_law(n, rate) for rate in (high, low)}
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
                f"published={count} is impossible for {counted(n, 'person')} without "
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


# --- the flaw of the printed proof ----------------------------------------------------------------


@dataclass(frozen=True)
class Flaw(Result):
    """The counterexample, and the same law with one breach per database."""

    found: Attack  # the attack on databases (w, y0) with breaches y0 and y0 + w
    repaired: Attack  # the attack when only y0 is a breach

    def verify(self) -> bool:
        """Check that the printed bound fails as stated, and the repaired one holds in both."""
        return (
            self.found.printed_bound_fails
            and not self.found.assumption_2a_repaired
            and self.found.simulator <= self.found.repaired_bound
            and not self.repaired.printed_bound_fails
            and self.repaired.simulator <= self.repaired.repaired_bound
        )

    def answer(self) -> Answer:
        """Say what is printed, what happens, and what repairs it."""
        first, second = self.found, self.repaired
        chances = {
            "two breaches: printed bound": first.printed_bound,
            "two breaches: best simulator": first.simulator,
            "one breach: bound": second.repaired_bound,
            "one breach: best simulator": second.simulator,
        }
        bounds = [name for name in chances if name.endswith("bound")]
        chart = Bars("The simulator names a breach", chances, grey=bounds)
        return Answer.of(self.sentences(), first.table(), chart)

    def sentences(self) -> str:
        """Return in words what is printed, what happens, and what repairs it."""
        first, second = self.found, self.repaired
        outcome = (
            f"The best simulator wins with probability {show(first.simulator)}, above the printed "
            f"bound of {show(first.printed_bound)}."
            if first.printed_bound_fails
            else f"With this pad the best simulator wins with {show(first.simulator)}, within the "
            f"printed bound of {show(first.printed_bound)}."
        )
        return (
            f"{outcome} A database is a pair (w, y0) of {first.ell}-bit strings, all equally "
            "likely; both y0 and y0 + w are breaches, and the release tells w. The pad "
            f"({first.extractor}) is {show(first.epsilon)} from uniform given the breach that is "
            f"told, so the printed proof bounds every simulator by {show(first.blind)} + "
            f"{show(first.epsilon)} = {show(first.printed_bound)}. Given all breaches of the "
            f"database, the pad is {show(first.epsilon_given_breaches)} from uniform. If y0 is the "
            f"only breach, the proof is right: the simulator wins with {show(second.simulator)}, "
            f"at most {show(second.repaired_bound, side='up')}."
        )

    def fields(self) -> dict[str, Any]:
        """Return the numbers of both attacks."""
        return {
            **self.found.fields(),
            "claimed_simulator_bound": self.found.printed_bound,
            "bound_violated": self.found.printed_bound_fails,
            "one_breach": self.repaired,
            "explanation": self.sentences(),
        }


def flaw(ell: object = 2, *, extract: str = "identity") -> Flaw:
    """Run the counterexample with breaches of ell bits.

    >>> found = flaw(2, extract="field")
    >>> found.found.simulator, found.found.printed_bound, found.verify()
    (Fraction(3, 4), Fraction(5, 8), True)
    """
    law = flaw_law(ell)
    pad = FuzzyExtractor(extractor(extract, law.bits, law.bits))
    return Flaw(attack(law, pad), attack(flaw_law(ell, breaches=1), pad))
