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
from fractions import Fraction
from math import floor

from twoworlds.answer import Answer, Said, Table
from twoworlds.attacks.auxiliary.extractors import extractor
from twoworlds.attacks.auxiliary.laws import binomial_law, count_law, flaw_law
from twoworlds.attacks.auxiliary.theorem import attack
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import counted, decimal, probability, rational, show, whole
from twoworlds.show import Told

_UNITS = {"cm": Fraction(1), "mm": Fraction(1, 10), "m": Fraction(100)}
_UNITS |= dict.fromkeys(("in", "inch", "inches"), Fraction(254, 100))
_UNITS |= dict.fromkeys(("ft", "foot", "feet"), Fraction(3048, 100))
_LENGTH = re.compile(r"\s*([^\sA-Za-z]+)\s*([A-Za-z]*)\s*")
_MARGIN = 10
_MOST_PEOPLE = 400
_MOST_DIGITS = 1 << 15


def _centimetres(value: object, name: str) -> Fraction:
    """Read a length, in centimetres unless a unit is given."""
    match = _LENGTH.fullmatch(str(value))
    unit = (match.group(2).lower() or "cm") if match else ""
    if match is None or unit not in _UNITS:
        raise InvalidInput(
            f"{name}={value!r} is not a length: write it like 166.5, '2 inches', '5 cm'"
        )
    return rational(match.group(1), name) * _UNITS[unit]


def height(average: object = "166.5", shorter: object = "2 inches") -> Told:
    """Return who learns the height.

    Averages from 150 to 180 cm in steps of 1 mm are thought possible, or from a little below to a
    little above the published one, and finer where that needs it.

    >>> str(height().data["height"])
    '8071/50'
    """
    middle, less, step = _centimetres(average, "average"), _centimetres(shorter, "shorter"), 10
    while (middle * step).denominator > 1 and step < 10**9:
        step *= 10
    own = middle - less
    if (middle * step).denominator > 1 or own <= 0:
        raise InvalidInput(
            f"average={average}, shorter={shorter}: give an average with at most nine decimals, "
            "and a height above 0"
        )
    low, high = min(150, floor(middle) - _MARGIN), max(180, floor(middle) + _MARGIN)
    simulator = Fraction(1, (high - low) * step + 1)
    word = "shorter" if less >= 0 else "taller"
    told = (
        f"The average and the remark tell her height, {_cm(own)} cm, for certain; the "
        f"remark alone tells it with probability {show(simulator)}. "
        f"Published: the average Lithuanian woman is {_cm(middle)} cm tall. The remark: "
        f"Terry Gross is {_cm(abs(less))} cm {word}. With the remark alone, averages "
        f"from {low} to {high} cm in steps of {_cm(Fraction(1, step))} cm are all thought equally "
        "likely (made-up numbers). She is no Lithuanian woman, so she is not in the data: the "
        "world in which her data was used and the world in which it was not are the same, "
        "every published number has the same probability in both, and still she is harmed. No "
        "release that tells the average can prevent that. What differential privacy promises "
        "instead: that taking part adds almost nothing to the harm. To her it adds exactly 0."
    )
    chances = {"the remark and the average": Fraction(1), "the remark alone": simulator}
    data = {
        "average": middle,
        "shorter": less,
        "height": own,
        "attacker": Fraction(1),
        "simulator": simulator,
        "gap": 1 - simulator,
        "in_the_data": False,
        "epsilon_for_her": Fraction(0),
        "explanation": told,
    }
    return Told(Answer.of(told, Bars("Her height is named, given", chances)), data)


def _cm(x: Fraction) -> str:
    return decimal(x, 8, "about")


def story() -> Told:
    """Tell the height, and the same for any secret: Theorem 1 on the count of eight people."""
    tall, law = height(), count_law(8)
    theorem = attack(law, extractor("inner-product", law.bits, 1))
    told = tall.said
    said = [
        "The same works for any secret (Dwork, Theorem 1). Eight people have one bit each; the "
        "number of ones is published, the bit of the first is secret. The remark z is a random "
        "string, and the secret bit plus the inner product of that string with the count in "
        f"binary. {theorem.data['explanation']}",
        "What follows: that a release teaches nothing about anybody is a promise which no useful "
        "release keeps. What can be promised is that taking part changes almost nothing, and that "
        "is differential privacy.",
    ]
    more = "more: twoworlds attack auxiliary theorem|fuzzy|flaw|entropy|height|smoking"
    table = next(block for block in theorem.said.blocks if isinstance(block, Table))
    answer = Answer(told.headline, blocks=(*told.blocks, Said(said), table), notes=[more])
    return Told(answer, {"height": tall, "theorem": theorem})


# --- the smoking study ----------------------------------------------------------------------------


def smoking(
    *,
    belief: object = "1/2",
    harmful: object = "3/10",
    harmless: object = "1/10",
    people: object = 50,
    published: object = 14,
    ratio: object = 3,
) -> Told:
    """Return what a study does to the reputation of one smoker, by exact Bayes.

    Args:
        belief: The chance that smoking is harmful.
        harmful: The risk of cancer if it is.
        harmless: The risk otherwise.
        people: How many others are studied.
        published: The published count.
        ratio: e^epsilon of the noise in the count; None (or "none") for none.

    >>> found = smoking().data
    >>> found["risk_before"], round(float(found["risk_without"]), 4), found["promise_holds"]
    (Fraction(1, 5), 0.2987, True)
    """
    prior, high, low = (
        probability(value, name)
        for value, name in ((belief, "belief"), (harmful, "harmful"), (harmless, "harmless"))
    )
    n, shown = whole(people, "people", at_least=1), rational(published, "published")
    if shown.denominator > 1:
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
    count = int(shown)
    # Beyond all counts that are possible with him or without, one more divides every likelihood
    # by the ratio, and beliefs stay the same.
    telling = count if noise is None else min(max(count, 0), n + 1)
    chances = {rate: binomial_law(n, rate) for rate in (high, low)}

    def posterior(counted_in: int) -> tuple[Fraction, Fraction]:
        """Return belief and risk after a study in which his cancer counts so much."""
        joint = {
            (truth, sick): weight
            * (rate if sick else 1 - rate)
            * _likelihood(chances[rate], telling - counted_in * sick, noise)
            for truth, weight, rate in ((1, prior, high), (0, 1 - prior, low))
            for sick in (0, 1)
        }
        total = sum(joint.values())
        if not total:
            raise InvalidInput(
                f"published={count} is impossible for {counted(n, 'person')} without "
                "noise: give it noise with a ratio such as 3"
            )
        return (joint[1, 0] + joint[1, 1]) / total, (joint[0, 1] + joint[1, 1]) / total

    (belief_without, without), (belief_with, with_him) = posterior(0), posterior(1)
    before = prior * high + (1 - prior) * low
    factor = None  # by what taking part multiplies the odds that he has cancer, unless infinite
    if with_him != 1 and without not in (0, 1):
        factor = (with_him / (1 - with_him)) / (without / (1 - without))
    holds = noise and (factor is not None and 1 / noise <= factor <= noise)
    change = "it rises, so he is harmed" if without > before else "it falls, so he gains"
    bounds = "without noise nothing bounds" if noise is None else "noise bounds"
    kind = "an exact count" if noise is None else f"a count with geometric noise of ratio {noise}"
    told = (
        f"A smoker is judged by a study that he took no part in; {bounds} what taking part "
        f"adds. All numbers are made up. Before the study smoking is thought harmful with "
        f"probability {show(prior)}; then a smoker has cancer with {show(high)}, otherwise with "
        f"{show(low)}. So the risk of one smoker is thought to be {show(before)}. A study of "
        f"{counted(n, 'other smoker')} publishes {counted(count, 'cancer')}, {kind}. Now smoking "
        f"is thought harmful with {show(belief_without)}, and his risk is {show(without)}: "
        f"{'it stays as it was' if without == before else change}, and he did not take part. Had "
        "he taken part, with the same count published, his risk would be thought to be "
        f"{show(with_him)}."
    )
    if factor is not None:
        told += f" Taking part multiplies the odds that he has cancer by {show(factor)}"
        told += f"; whatever is published, it is between {1 / noise} and {noise}." if noise else "."
    risks = {
        "before the study": before,
        "after it, without him": without,
        "after it, with him": with_him,
    }
    grey, orange = ["before the study"], ["after it, without him"]
    chart = Bars("His risk, in the eyes of others", risks, grey=grey, orange=orange)
    data = {
        "belief_before": prior,
        "belief_without": belief_without,
        "belief_with": belief_with,
        "risk_before": before,
        "risk_without": without,
        "risk_with": with_him,
        "odds_factor": factor,
        "ratio": noise,
        "promise_holds": holds,
        "made_up": True,
        "explanation": told,
    }
    return Told(Answer.of(told, chart), data)


def _likelihood(law: list[Fraction], shown: int, ratio: Fraction | None) -> Fraction:
    """Return the chance of a published count, up to a factor that is the same for all laws."""
    if ratio is None:
        return law[shown] if 0 <= shown < len(law) else Fraction(0)
    return sum((chance / ratio ** abs(shown - k) for k, chance in enumerate(law)), Fraction(0))


# --- the flaw of the printed proof ----------------------------------------------------------------


def flaw(ell: object = 2, *, extract: str = "identity") -> Told:
    """Run the counterexample with breaches of ell bits, and the same law with one breach each.

    >>> found = flaw(2, extract="field").data
    >>> found["claimed_simulator_bound"], found["bound_violated"]
    (Fraction(5, 8), True)
    """
    law = flaw_law(ell)
    pad = extractor(extract, law.bits, law.bits)
    found, other = attack(law, pad), attack(flaw_law(ell, breaches=1), pad)
    first, second = found.data, other.data
    outcome = (
        f"The best simulator wins with probability {show(first['simulator'])}, above the printed "
        f"bound of {show(first['printed_bound'])}."
        if first["printed_bound_fails"]
        else f"With this pad the best simulator wins with {show(first['simulator'])}, within the "
        f"printed bound of {show(first['printed_bound'])}."
    )
    told = (
        f"{outcome} A database is a pair (w, y0) of {first['ell']}-bit strings, all equally "
        "likely; both y0 and y0 + w are breaches, and the release tells w. The pad "
        f"({first['extractor']}) is {show(first['epsilon'])} from uniform given the breach that is "
        f"told, so the printed proof bounds every simulator by {show(first['blind'])} + "
        f"{show(first['epsilon'])} = {show(first['printed_bound'])}. Given all breaches of the "
        f"database, the pad is {show(first['epsilon_given_breaches'])} from uniform. If y0 is the "
        f"only breach, the proof is right: the simulator wins with {show(second['simulator'])}, "
        f"at most {show(second['repaired_bound'], side='up')}."
    )
    chances = {
        "two breaches: printed bound": first["printed_bound"],
        "two breaches: best simulator": first["simulator"],
        "one breach: bound": second["repaired_bound"],
        "one breach: best simulator": second["simulator"],
    }
    bounds = [name for name in chances if name.endswith("bound")]
    chart = Bars("The simulator names a breach", chances, grey=bounds)
    data = {
        **first,
        "claimed_simulator_bound": first["printed_bound"],
        "bound_violated": first["printed_bound_fails"],
        "one_breach": other,
        "explanation": told,
    }
    table = next(block for block in found.said.blocks if isinstance(block, Table))
    return Told(Answer.of(told, table, chart), data)
