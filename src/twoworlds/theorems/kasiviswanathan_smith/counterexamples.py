r"""What does not follow: the counterexamples of Kasiviswanathan & Smith, made exact, and two more.

* Remark 1: statistical difference does not imply semantic privacy. Publish (J, x_J) for a random
  person J, with probability n epsilon (or always). To be free of conventions about impossible
  transcripts, the value may be lied about with a tiny probability; with m values and a uniform
  belief each posterior differs from that of Game J by almost 1 - 1/m.
* Claim 1.2: (epsilon, delta)-DP with delta > 0 does not imply reality-oblivious semantic privacy.
  Instead of Gaussian noise, an alarm (`Alarm`) whose probability grows as fast as differential
  privacy allows, from almost 0 on 0^n to 1 on 1^n. One who believes in 0^n or 10...0 hears it for
  certain when 1^n is true, and concludes 10...0.
* Randomized response on one record attains 4 artanh(s), and on the parity of two it attains
  tanh(epsilon/2), for both transcripts: no smaller semantic epsilon holds with any delta below 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import INFINITY, Number, Order, bounds, show
from twoworlds.theorems.formulas import brief, minimum, order, ratio_of_four_artanh, tanh_half
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.statements import Context, Found, non_implication

_PAPER = "Kasiviswanathan & Smith"
_MOST_STEPS = 20_000


def _smaller(a: Number | None, b: Number) -> bool:
    """Tell whether a number is known to be smaller; one that was not asked for is."""
    return a is None or order(a, b) is Order.LESS


def _published(delta: Number, records: int | None) -> Number:
    """Return the probability with which a random record may be published in the clear."""
    return Fraction(1) if records is None else minimum(delta * Fraction(records), Fraction(1))


def _random_index(difference: Number, chance: Number, records: int | None) -> str:
    """Describe the mechanism of Remark 1, up to "its statistical difference"."""
    published = "publish (J, x_J), the record of a random person J (random-index)"
    if records is None:
        least = brief(1 / difference)
        return f"{published}. With n >= {least} records its statistical difference, 1/n,"
    if order(chance, Fraction(1)) is not Order.LESS:
        return f"{published}, out of {records}. Its statistical difference"
    return (
        f"with probability {brief(chance)}, {published}, out of {records}, and else nothing. Its "
        "statistical difference"
    )


@non_implication(
    "ks-remark-1",
    premises=["statistical-difference", "dp"],
    conclusion="semantic",
    citation=f"{_PAPER}, Remark 1",
    erratum='"for any epsilon, delta < 1" needs that a transcript impossible in Game i counts as a '
    "breach, or more than 1/(1 - epsilon) values",
)
def publish_a_random_record(given: Guarantee, context: Context) -> Found | None:
    """Statistical difference does not imply semantic privacy: publish a random person's record."""
    difference = given.epsilon if given.kind == "statistical-difference" else given.delta
    if difference == 0 or given.group != 1:
        return None
    chance = _published(difference, given.records)
    distance, failure = (context.goal.get(name) for name in ("epsilon", "delta"))
    certain = order(chance, Fraction(1)) is not Order.LESS
    reached = _smaller(failure, chance) if failure is not None else certain
    unknown = given.kind == "dp" and given.records is None  # then the records are what is missing
    text = (
        f"{_random_index(difference, chance, given.records)} is at most {brief(difference, 'up')}; "
    )
    text += (
        "yet what it publishes shows that person's record for certain: no epsilon below 1 holds "
        f"with delta below {brief(chance, 'down')}"
    )
    return text, reached and _smaller(distance, Fraction(1)) and not unknown, {"published": chance}


@non_implication(
    "ks-remark-1-dp",
    premises=["statistical-difference"],
    conclusion="dp",
    citation=f"{_PAPER}, Remark 1",
)
def publish_this_record(given: Guarantee, context: Context) -> Found | None:
    """Statistical difference epsilon gives no delta below epsilon, however large the ratio."""
    failure = context.goal.get("delta")
    decisive = failure is not None and _smaller(failure, given.epsilon)
    text = (
        f"publishing a person's record with probability {brief(given.epsilon)} keeps the "
        f"statistical difference, and needs delta = {brief(given.epsilon)} at every epsilon"
    )
    return text, decisive, {"delta": given.epsilon}


@dataclass(frozen=True)
class Alarm:
    r"""A binary mechanism on n bits that shows Claim 1.2, as exact numbers.

    P(alarm | x) = p_k depends on the number k of ones, with p_0 = start and

        p_(k+1) = min(1, a p_k + delta, 1 - (1 - p_k - delta)/a),

    rounded down: (epsilon, delta)-DP for a = e^epsilon. The belief puts ``weight`` on 10...0 and
    the rest on 0...0; in Game 1, where person 1 is 0, an alarm changes nothing.

    >>> example = Alarm.against(Fraction(2), Fraction(1, 10), Fraction(1, 2))
    >>> example.records, example.chances[-1], example.difference > Fraction(1, 2)
    (5, Fraction(1, 1), True)
    """

    ratio: Fraction
    delta: Fraction
    start: Fraction
    weight: Fraction

    @staticmethod
    def against(ratio: Number, delta: Number, distance: Number) -> Alarm:
        """Return an alarm that refutes this semantic epsilon with every delta below 1."""
        if ratio == INFINITY or not 0 < delta <= 1 or not 0 <= distance < 1:
            raise InvalidInput(
                f"ratio={show(ratio)}, delta={show(delta)}, epsilon={show(distance)}: needs a "
                "finite ratio, delta above 0 and epsilon below 1"
            )
        a, d = (_rounded_down(bounds(x)[0]) for x in (ratio, delta))
        room = 1 - bounds(distance)[1]
        return Alarm(max(a, Fraction(1)), d, d * room * room / 8, room / 2)

    @cached_property
    def chances(self) -> tuple[Fraction, ...]:
        """The probability of the alarm on 0, 1, 2, ... ones, up to the first that is certain."""
        grid = 1 << (self.start.denominator.bit_length() + 64)
        found = [self.start]
        while found[-1] < 1:
            p = found[-1]
            most = min(self.ratio * p + self.delta, 1 - (1 - p - self.delta) / self.ratio)
            found.append(Fraction(int(most * grid), grid) if most < 1 else Fraction(1))
            if len(found) > _MOST_STEPS:
                raise TooLarge(f"the alarm needs more than {_MOST_STEPS} records")
        return tuple(found)

    @property
    def records(self) -> int:
        """How many records are enough for an alarm that is certain on 1...1."""
        return len(self.chances) - 1

    @property
    def difference(self) -> Fraction:
        """The statistical difference between the posteriors of Games 0 and 1 after an alarm."""
        with_one = self.weight * self.chances[1]
        return with_one / (with_one + (1 - self.weight) * self.start) - self.weight


def _rounded_down(q: Fraction) -> Fraction:
    """Return a rational of few digits just below; at least 3/4 of a tiny number remains."""
    grid = 1 << max(40, 2 + q.denominator.bit_length() - q.numerator.bit_length() + 2)
    return Fraction(int(q * grid), grid)


@non_implication(
    "ks-claim-1.2",
    premises=["dp"],
    conclusion="reality-oblivious",
    citation=f"{_PAPER}, appendix, Claim 1.2",
    erratum="the printed variance ln(1/delta)/epsilon^2 is not always enough, and for the uniform "
    "belief the posteriors differ by less than 1/2; with weight w on 10...0, by up to 1 - w",
)
def an_alarm_misread(given: Guarantee, context: Context) -> Found | None:
    """(epsilon, delta)-DP, delta > 0, implies no reality-oblivious privacy: a misread alarm."""
    if given.delta == 0 or given.ratio == INFINITY or given.group != 1:
        return None
    distance = context.goal.get("epsilon", Fraction(1, 2))
    failure = context.goal.get("delta")
    if not (_smaller(distance, Fraction(1)) and _smaller(failure, Fraction(1))):
        return None
    try:
        example = Alarm.against(given.ratio, given.delta, distance)
        needed = example.records
    except TooLarge:
        return (
            "an alarm whose chance grows with the number of ones, on very many records",
            False,
            {},
        )
    text = (
        f"an alarm on {needed} bits whose chance grows with the number of ones, from "
        f"{brief(example.start)} on 0...0 to 1 on 1...1, is ({brief(given.epsilon)}, "
        f"{brief(given.delta)})-DP; if 1...1 is true, one who gives {brief(example.weight)} to "
        f"10...0 and the rest to 0...0 hears it for certain, and the posteriors with and without "
        f"person 1 differ by {brief(example.difference)}"
    )
    enough = given.records is None or given.records >= needed
    return text, enough, {"records": Fraction(needed), "difference": example.difference}


@non_implication(
    "s3-limit",
    premises=["semantic"],
    conclusion="dp",
    citation=f"twoworlds, S2, against {_PAPER}, Theorem 2.4(2)",
    erratum="the printed (3 epsilon, 2 delta) is refuted by it for small delta",
)
def randomized_response_is_semantic(given: Guarantee, context: Context) -> Found | None:
    """Below 4 artanh(s), s-semantic privacy gives no small delta: randomized response."""
    least = ratio_of_four_artanh(given.epsilon)
    wanted, failure = (context.goal.get(name) for name in ("ratio", "delta"))
    if least == INFINITY or least == 1:
        return None
    at = Fraction(1) if wanted is None else wanted
    if order(at, least) is not Order.LESS:
        return None
    needed = (least - at) / (least + 1)
    text = (
        f"randomized response on one record with odds {brief(least)} is {brief(given.epsilon)}-"
        f"semantic with delta 0, and at ratio {brief(at)} it needs delta {brief(needed)}"
    )
    decisive = wanted is not None and failure is not None and _smaller(failure, needed)
    return text, decisive, {"odds": least, "delta": needed}


@non_implication(
    "s2-limit",
    premises=["dp"],
    conclusion="semantic",
    citation=f"twoworlds, S2, against {_PAPER}, Theorem 2.2",
)
def noisy_parity_moves_beliefs(given: Guarantee, context: Context) -> Found | None:
    """Below tanh(epsilon/2), epsilon-DP gives no semantic privacy: the noisy parity of two bits."""
    wanted, failure = (context.goal.get(name) for name in ("epsilon", "delta"))
    if wanted is None or given.records == 1 or given.group != 1:
        return None
    limit = tanh_half(given.ratio)
    if not _smaller(wanted, limit) or not _smaller(failure, Fraction(1)):
        return None
    text = (
        "the parity of two bits by randomized response, with even belief in 11 and 10: whatever it "
        f"answers, the posteriors with and without person 1 differ by {brief(limit)}"
    )
    return text, True, {"difference": limit}
