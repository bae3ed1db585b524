"""How little unpredictability is too little: the best strong extractor there can be.

Assumption 2 (part 2a) asks that the utility vector keep a min-entropy of ell given a breach, and
the proof takes ell nearly uniform bits from it. That is too much to ask: whatever the extractor,
some source of that min-entropy leaves the pad at a distance from uniform that is not small.

`least_distance` computes the least epsilon exactly, over all functions of a seed and w, any number
of seeds and any law of the seed. It is the value of a game: one player picks a function, the other
a source. The distance is convex in the source, so the sources that are uniform on 2^m strings
suffice. Renaming the strings changes nothing, so the second player may take all of these sources
equally often, and a function matters only through how many strings it sends to each output; the
first player may take all functions with the best such sizes equally often. Hence

    epsilon = min over sizes n_1 + ... + n_L = N of sum_i 1/2 E|H(n_i)/K - 1/L|,

where H(n) is hypergeometric: how many of K = 2^m strings, drawn from N = 2^bits, are among n.

`usable_lengths` is Assumption 2 on a finite law: a length ell of breach is *usable* when (2a) given
any breach of ell bits the utility vector has min-entropy at least ell, and (2b) every database has
a breach of ell bits. Part 1 lets all machines work with databases of size up to n_gamma, which
leaves out a chance below gamma.

Differs: it is printed that a length l_gamma <= l_0 exists that is usable on the short databases,
where l_0 is the least that is usable on all. It need not: leaving out long databases may take
away what made the utility vector unpredictable given a rare breach (`vanishing_length`).
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

from twoworlds.answer import Answer, Said, Table
from twoworlds.attacks.auxiliary.laws import BreachLaw, Case, law_of
from twoworlds.attacks.auxiliary.laws import source as build
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import Number, counted, ln, probability, show, stated, to_json, whole
from twoworlds.progress import track
from twoworlds.show import Told

_MOST_BITS = 7


def least_distance(bits: int, ell: int, entropy: int) -> tuple[Fraction, tuple[int, ...]]:
    """Return the least epsilon of any strong extractor for sources of a whole min-entropy.

    With it: how many strings each output of its functions has.

    >>> least_distance(2, 1, 1)
    (Fraction(1, 6), (2, 2))
    """
    if entropy > bits or ell > bits:
        raise InvalidInput(
            f"min-entropy={entropy}, ell={ell}: a string of {counted(bits, 'bit')} has min-entropy "
            f"at most {bits} and gives at most {counted(bits, 'bit')}"
        )
    if bits > _MOST_BITS:
        raise TooLarge(f"bits={bits}: the best extractor is computed up to {_MOST_BITS} bits")
    count, outputs = 1 << bits, 1 << ell
    price = [_price(n, count, 1 << entropy, outputs) for n in range(count + 1)]
    # best[n]: the least sum of prices of the outputs so far, with n strings given to them.
    best: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
    for _ in track(range(outputs), "outputs", outputs):
        following: dict[int, tuple[int, tuple[int, ...]]] = {}
        for used, (spent, sizes) in best.items():
            for n in range(count - used + 1):
                found = spent + price[n]
                if used + n not in following or found < following[used + n][0]:
                    following[used + n] = found, (*sizes, n)
        best = following
    total, sizes = best[count]
    distance = Fraction(total, 2 * comb(count, 1 << entropy) * outputs << entropy)
    return distance, tuple(sorted(sizes, reverse=True))


def _price(n: int, count: int, chosen: int, outputs: int) -> int:
    """Return E|H/K - 1/L| for H of K drawn strings among n of N, times (N choose K) K L."""
    return sum(
        comb(n, h) * comb(count - n, chosen - h) * abs(outputs * h - chosen)
        for h in range(min(n, chosen) + 1)
    )


# --- which lengths Assumption 2 allows ------------------------------------------------------------


def usable_lengths(law: BreachLaw, gamma: object) -> Told:
    """Return the lengths of breach that Assumption 2 allows, on all databases and on short ones.

    >>> found = usable_lengths(vanishing_length(), "1/10").data
    >>> found["usable"], found["usable_short"]
    ((1,), ())
    """
    tolerance = probability(gamma, "gamma")
    if not 0 < tolerance < 1:
        raise InvalidInput(f"gamma={tolerance} must lie strictly between 0 and 1")
    if not law.cases:
        raise InvalidInput("this law does not list its databases, so their sizes are not known")
    present = [case for case in law.cases if case.probability]
    # The printed n_gamma: the least size with a chance below gamma of a larger database.
    beyond, size = Fraction(0), max(case.size for case in present)
    for at in sorted({case.size for case in present}, reverse=True):
        here = sum(case.probability for case in present if case.size == at)
        if beyond + here >= tolerance:
            size = at
            break
        beyond += here
    usable = _usable(present)
    short = _usable([case for case in present if case.size <= size])
    fails = bool(usable) and not any(length <= usable[0] for length in short)
    on_all, on_short = (", ".join(map(str, lengths)) or "no length" for lengths in (usable, short))
    step = " So the length l_gamma up to l_0 that the printed proof takes does not exist."
    said = (
        f"Usable on all databases: {on_all}. Databases larger than {size} have a chance of "
        f"{show(beyond)}, below gamma={show(tolerance)}; usable on the others: {on_short}."
        f"{step if fails else ''}"
    )
    data = {"gamma": tolerance, "size": size, "beyond": beyond, "usable": usable}
    more = {"usable_short": short, "printed_step_fails": fails, "explanation": said}
    return Told(Answer(said), {**data, **more})


def _usable(cases: list[Case]) -> tuple[int, ...]:
    lengths = sorted({len(y) for case in cases for y in case.breaches})
    return tuple(length for length in lengths if _is_usable(cases, length))


def _is_usable(cases: list[Case], length: int) -> bool:
    joint: dict[str, dict[str, Fraction]] = {}
    for case in cases:
        breaches = sorted({y for y in case.breaches if len(y) == length})
        if not breaches:
            return False
        for y in breaches:
            views = joint.setdefault(y, {})
            share = case.probability / len(breaches)
            views[case.utility] = views.get(case.utility, Fraction(0)) + share
    return all(
        max(views.values()) * (1 << length) <= sum(views.values()) for views in joint.values()
    )


def vanishing_length() -> BreachLaw:
    """Return a law with a usable length that disappears when long databases are left out.

    Given the rare breach 1, the utility vector is a fair coin; but it is 1 only in the long one.
    """
    rows = (
        ("short-a", "0", "0", "9/20", 1),
        ("short-b", "1", "0", "9/20", 1),
        ("short-c", "0", "1", "1/20", 1),
        ("long", "1", "1", "1/20", 2),
    )
    return law_of(
        (Case(name, w, (y,), Fraction(p), size) for name, w, y, p, size in rows),
        name="a rare breach whose utility vector is unpredictable only with the long database",
    )


# --- both, and the min-entropy of a source --------------------------------------------------------


def entropy_needed(bits: object = 2, ell: object = 1, entropy: object = None) -> Told:
    """Return how good a pad can be, from a min-entropy (``ell`` if left out) up to all bits."""
    k, length = whole(bits, "bits", at_least=1), whole(ell, "ell", at_least=1)
    least = length if entropy is None else whole(entropy, "min-entropy")
    rising: list[dict[str, Any]] = []
    for m in range(least, max(k, least) + 1):
        distance, sizes = least_distance(k, length, m)
        said = (
            f"Every strong extractor of {length} from {counted(k, 'bit')} has a source of "
            f"min-entropy {m} for which its output is at least {show(distance, side='down')} from "
            "uniform, given the seed; with enough seeds that is attained."
        )
        data = {"bits": k, "ell": length, "min_entropy": m, "least_epsilon": distance}
        rising.append({**data, "sizes": sizes, "explanation": said})
    left_out = usable_lengths(vanishing_length(), "1/10")
    rows = [[str(one["min_entropy"]), stated(one["least_epsilon"], side="down")] for one in rising]
    answer = Answer(
        "A min-entropy of ell does not make a pad of ell bits.",
        blocks=(
            Said([rising[0]["explanation"]]),
            Table(["min-entropy", "least epsilon"], rows),
            Said([f"Leaving large databases out can spoil it too. {left_out.explain()}"]),
        ),
    )
    return Told(answer, {**rising[0], "by_min_entropy": rising, "left_out": left_out})


def source_entropy(source: str, bits: object = None) -> Told:
    """Return the min-entropy of a source by itself."""
    law = build(source, bits)
    length, largest = len(law).bit_length() - 1, max(law)
    entropy = min_entropy(largest)
    said = Answer(
        f"{source} on {counted(length, 'bit')} has a min-entropy of "
        f"{show(entropy, side='at least')} {'bit' if entropy == 1 else 'bits'}: its likeliest "
        f"string has probability {show(largest)}."
    )
    data = {"source": source, "bits": length, "largest_probability": largest}
    return Told(said, {**data, "min_entropy": to_json(entropy, side="down")})


def min_entropy(largest: Fraction) -> Number:
    """Return -log2 of the largest probability: exact for powers of two, else an enclosure.

    >>> min_entropy(Fraction(1, 8)), min_entropy(Fraction(35, 128))
    (Fraction(3, 1), Real(ln(128/35)/(ln 2)))
    """
    if not 0 < largest <= 1:
        raise InvalidInput(f"{largest} is not the largest probability of a law")
    power = largest.denominator.bit_length() - 1
    if largest.numerator == 1 and largest.denominator == 1 << power:
        return Fraction(power)
    return ln(1 / largest) / ln(Fraction(2))
