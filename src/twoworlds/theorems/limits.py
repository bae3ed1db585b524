r"""What does not follow within one kind: mechanisms that satisfy a guarantee, and nothing more.

* (a, delta)-differential privacy, a = e^epsilon. Publish one record with probability delta, else
  by randomized response with odds a. The laws of two values have masses (delta, a v, v, 0) and
  (0, v, a v, delta), v = (1 - delta)/(a + 1). At ratio b this needs

      delta + (1 - delta) max(0, a - b) / (a + 1),

  which `smaller_ratio_delta` shows to be enough for b <= a: the two meet. It uses one record only,
  so that larger groups cost nothing more: it refutes claims for every group size.
* Larger groups. A number from 0 to s that neighbours move by at most 1: of k records, the number
  of ones in steps of g, rounded up, for a guarantee about groups of g; s = k/g, rounded up. Under
  add-remove, ones count 1 and zeros -1, so that replacing k records moves it by 2 k. Its noise is
  `worst_group_delta`: the worst that s steps allow.
* From substitution to add-remove. Publish the number of records: it is public under substitution.
* Statistical difference epsilon. Publish one record with probability epsilon.
* Semantic privacy s. The parity of two bits, told truthfully with probability (1 + s)/2: with even
  belief in 11 and 10, the posteriors with and without person 1 differ by s whatever comes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import INFINITY, Number, Order, bounds, maximum, show
from twoworlds.theorems.formulas import (
    brief,
    group_delta,
    minimum,
    order,
    ratio_of_four_artanh,
    tanh_half,
)
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.statements import Context, Found, non_implication
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE

_MOST_RECORDS = 20_000  # of an alarm
_MOST_STEPS = 64  # a shorter chain refutes less, and is still one


def _other_neighbours(given: Guarantee, context: Context) -> bool:
    return context.neighbours not in (None, given.neighbours)


def worst_group_delta(ratio: Number, delta: Number, steps: int, wanted: Number) -> Number:
    r"""Return the delta at ratio b that the ends of a chain of s steps of (a, delta) may need.

    The best power at level u between two laws of (a, delta) is at most

        g(u) = min(delta + a u, 1 - (1 - delta - u) / a, 1).

    Let law i on [0, 1] give the interval [0, u] the mass g(g(...g(u))), i times. Since g is concave
    and undoes itself around u -> 1 - u, laws i and i + 1 satisfy (a, delta) both ways round, and
    laws 0 and s need the largest g^s(u) - b u. With c_j = (v - delta (1 + ... + a^(j-1))) / a^j and
    v = (1 - delta) / (a + 1), the corners of g^s are u = c_j >= 0 with g^s(u) = 1 - c_(s-1-j).
    """
    top = (1 - delta) / (ratio + 1)
    corners = [(top - group_delta(ratio, delta, j)) / ratio**j for j in range(steps)]
    most = _from_zero(ratio, delta, steps)
    if wanted == INFINITY:
        return most
    for level, misses in zip(corners, reversed(corners), strict=True):
        if order(level, Fraction(0)) is Order.LESS:
            break  # later corners lie below 0
        power = 1 - maximum(misses, Fraction(0))
        most = maximum(most, power - wanted * level)
    return most


def _from_zero(ratio: Number, delta: Number, steps: int) -> Number:
    """Return the power at level 0: g(g(...g(0))) for as many steps."""
    power: Number = Fraction(0)
    for _ in range(steps if delta != 0 else 0):
        power = minimum(delta + ratio * power, 1 - (1 - delta - power) / ratio)
        power = minimum(power, Fraction(1))
    return power


def _needed(given: Guarantee, steps: int, wanted: Number) -> Number:
    """Return the delta that the counterexample of so many steps needs at another ratio."""
    if given.ratio == INFINITY:
        return given.delta if wanted == INFINITY else Fraction(1)
    if steps == 1 and (wanted == INFINITY or order(wanted, given.ratio) is not Order.LESS):
        return given.delta
    return worst_group_delta(given.ratio, given.delta, steps, wanted)


def _people(given: Guarantee, context: Context) -> int:
    """Return how many people differ in the question: no more than there are."""
    asked = context.group or 1
    return asked if given.records is None else min(asked, given.records)


def _steps(given: Guarantee, context: Context) -> int | None:
    """Return how many steps of the guarantee the question takes; None if no number is enough."""
    moves = _people(given, context)
    if _other_neighbours(given, context):
        if given.neighbours == SUBSTITUTE:
            return None
        moves *= 2
    return min(_MOST_STEPS, -(-moves // given.group))


def _refuted(given: Guarantee, context: Context) -> tuple[int, Number, Number] | None:
    """Return steps, ratio and the needed delta, if a claim of differential privacy lacks it."""
    wanted, failure = (context.goal.get(name) for name in ("ratio", "delta"))
    steps = _steps(given, context)
    if wanted is None or failure is None or steps is None:
        return None
    needed = _needed(given, steps, wanted)
    return (steps, wanted, needed) if order(failure, needed) is Order.LESS else None


@non_implication(
    "dp-limit: dp =/=> dp",
    "twoworlds, the converse of smaller-epsilon",
)
def randomized_response_is_no_better(given: Guarantee, context: Context) -> Found | None:
    """A smaller epsilon or delta does not follow: randomized response, with a rare leak."""
    found = _refuted(given, context)
    if found is None or (found[0] > 1 and given.ratio != INFINITY):
        return None
    _, wanted, needed = found
    if given.ratio == INFINITY:
        text = "a mechanism that publishes a record satisfies what is given, and has no epsilon"
    else:
        leak = "" if given.delta == 0 else f"published with probability {brief(given.delta)}, else "
        text = (
            f"one record, {leak}told by randomized response with odds {brief(given.ratio)}, "
            f"satisfies what is given, and at ratio {brief(wanted)} it needs delta {brief(needed)}"
        )
    return text, True, {"delta": needed}


@non_implication(
    "dp-group-limit: dp =/=> dp",
    "twoworlds, the converse of group-privacy",
)
def a_count_is_no_better(given: Guarantee, context: Context) -> Found | None:
    """Groups, and replaced records where one was added or removed, cost as much as is proved."""
    found = _refuted(given, context)
    if found is None or found[0] == 1 or given.ratio == INFINITY:
        return None
    steps, wanted, needed = found
    people = _people(given, context)
    ones = "the number of ones"
    if _other_neighbours(given, context):
        ones += " less the number of zeros"
    if given.group > 1:
        ones += f" in steps of {given.group}, rounded up,"
    if steps == _MOST_STEPS:
        ones += f" up to {steps}"
    noise = (
        f"geometric noise of ratio {brief(given.ratio)} that stays within the {steps + 1} answers"
        if given.delta == 0
        else f"the worst noise that epsilon and delta allow on {steps + 1} answers"
    )
    who = "one record replaced" if people == 1 else f"{people} records changed"
    text = (
        f"{ones} among {people} record{'' if people == 1 else 's'}, told with {noise}, satisfies "
        f"what is given, and with {who} at ratio {brief(wanted)} it needs delta {brief(needed)}"
    )
    return text, True, {"delta": needed}


_COUNT = (
    "a mechanism that publishes the number of records satisfies every claim about replaced "
    "records, and shows for certain whether a record was added or removed"
)


def _published_count(given: Guarantee, context: Context, *, names: tuple[str, ...]) -> Found | None:
    if given.neighbours != SUBSTITUTE or context.neighbours != ADD_REMOVE:
        return None
    claimed = (context.goal[name] for name in names if name in context.goal)
    if any(order(x, Fraction(1)) is not Order.LESS for x in claimed):
        return None
    return _COUNT, True, {"delta": Fraction(1)}


_UNDER_SUBSTITUTION = "dp or indistinguishable or pointwise or statistical-difference or semantic"
for _name, _conclusion, _claimed, _statement in (
    (
        "number-of-records",
        "dp",
        ("delta",),
        "Privacy under substitution gives none under add-remove: publish the number of records.",
    ),
    (
        "number-of-records-semantic",
        "semantic",
        ("epsilon", "delta"),
        "The same for beliefs: with a person taken out, the count that was seen is impossible.",
    ),
):
    non_implication(
        f"{_name}: {_UNDER_SUBSTITUTION} =/=> {_conclusion}",
        "twoworlds, by the definitions",
        _statement,
    )(partial(_published_count, names=_claimed))


@non_implication(
    "statistical-difference-limit: statistical-difference =/=> statistical-difference",
    "twoworlds, by the definition",
)
def a_published_record_is_no_better(given: Guarantee, context: Context) -> Found | None:
    """A smaller statistical difference does not follow: publish one record, rarely."""
    wanted = context.goal.get("epsilon")
    if wanted is None or _other_neighbours(given, context):
        return None
    if order(wanted, given.epsilon) is not Order.LESS:
        return None
    text = (
        f"a mechanism that publishes one record with probability {brief(given.epsilon)}, and says "
        f"nothing otherwise, has the statistical difference {brief(given.epsilon)}"
    )
    return text, True, {"epsilon": given.epsilon}


@non_implication(
    "semantic-limit: semantic =/=> semantic",
    "twoworlds, S2",
)
def noisy_parity_is_no_better(given: Guarantee, context: Context) -> Found | None:
    """A smaller semantic epsilon does not follow, with no delta below 1: the noisy parity."""
    wanted, failure = (context.goal.get(name) for name in ("epsilon", "delta"))
    if wanted is None or failure is None or _other_neighbours(given, context):
        return None
    strict = (
        order(wanted, given.epsilon) is Order.LESS and order(failure, Fraction(1)) is Order.LESS
    )
    if not strict or given.records == 1:
        return None
    keep = (1 + given.epsilon) / 2
    text = (
        f"the parity of two bits, told truthfully with probability {brief(keep)}, with even belief "
        "in 11 and 10: whatever it answers, the posteriors with and without person 1 differ by "
        f"{brief(given.epsilon)}"
    )
    return text, True, {"difference": given.epsilon}


_PAPER = "Kasiviswanathan & Smith"


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
    "ks-remark-1: statistical-difference or dp =/=> semantic",
    f"{_PAPER}, Remark 1",
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
    "ks-remark-1-dp: statistical-difference =/=> dp",
    f"{_PAPER}, Remark 1",
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
            if len(found) > _MOST_RECORDS:
                raise TooLarge(f"the alarm needs more than {_MOST_RECORDS} records")
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
    "ks-claim-1.2: dp =/=> reality-oblivious",
    f"{_PAPER}, appendix, Claim 1.2",
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
    "s3-limit: semantic =/=> dp",
    f"twoworlds, S2, against {_PAPER}, Theorem 2.4(2)",
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
    "s2-limit: dp =/=> semantic",
    f"twoworlds, S2, against {_PAPER}, Theorem 2.2",
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
