"""Exact releases: totals, tables, estimates and sizes, against sums over all samples."""

import itertools
import math
from collections import Counter
from fractions import Fraction
from random import Random

import pytest

from tests.claims.reading import above, delta, exact, fit, random_law

pytestmark = pytest.mark.few(4)
SEEDS = range(10)
RATIOS = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3))
BET = (
    "a bet at even odds on whether your entry was used is won with probability at most #%, and "
    "nothing is more than # times as likely, plus #, in one case than in the other.",
    "a bet at even odds on whether your entry was used is won with probability at most #%, and "
    "nothing is more than # likelier in one case than in the other.",
)
CERTAIN = "an even bet on whether your entry was used can become certainty: nothing is promised."


def apart(first: dict, second: dict, a) -> Fraction:
    """The larger delta of two laws, of both directions."""
    keys = sorted({*first, *second}, key=str)
    p, q = ([law.get(k, Fraction(0)) for k in keys] for law in (first, second))
    return max(delta(p, q, a), delta(q, p, a))


def judge(holes, a, left, best=None):
    """Check the clause about an even bet, and about a ratio with what is left beyond it.

    The bet is judged by the ratio, or by the ``best`` event where both laws are known.
    """
    assert above(holes[0], 100 * ((a + left) / (a + 1) if best is None else (1 + best) / 2))
    assert a == 1 or holes[1] == a
    assert above(holes[-1], left)


def check_known(which, said, left, after, most):
    """Check what is said of knowing one more, and of knowing so much that delta exceeds 1/2."""
    exceeding = next((k for k in range(most + 1) if after(k) > Fraction(1, 2)), None)
    if not said:  # nothing more is needed
        assert exceeding == 0
        return
    known, value, *many = said
    assert above(value, after(int(known)))
    if AND in which:
        assert not many
        many = [known]
    assert many == ([exceeding] if exceeding else [])
    assert left <= after(int(known))


AND = " and makes delta exceed 1/2"
KNOWN = (
    f" What breaks it: each known entry can weaken it; knowing # gives delta #{AND}",
    " What breaks it: nothing more is needed: delta exceeds 1/2 with no entry known",
    " What breaks it: each known entry can weaken it; knowing # gives delta #; knowing # makes "
    "delta exceed 1/2",
    " What breaks it: each known entry can weaken it; knowing # gives delta #",
)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_total_of_independent_entries(ask_json, seed):
    random = Random(seed)
    values = random.choice([[0, 1], [-1, 0, 1], [0, 1, 2], [0, 1, 3]])
    law = dict(zip(values, random_law(random, len(values)), strict=True))
    people, a = random.randint(4, 7), random.choice(RATIOS)
    asked = ", ".join(f"{v}={mass}" for v, mass in law.items())

    def after(known, ratio=a):
        others = {0: Fraction(1)}
        for _ in range(people - 1 - known):
            added = Counter()
            for (total, p), (v, q) in itertools.product(others.items(), law.items()):
                added[total + v] += p * q
            others = added
        return max(apart({t + v: p for t, p in others.items()}, others, ratio) for v in values)

    told = ask_json("noiseless", "sum", "--values", asked, "--people", people, "--ratio", a)
    assert exact(told["delta"]) == after(0)
    opening = (
        "If nobody knows any of the # entries, and everybody believes them to be independent, each "
        "~, "
        "then on seeing the exact total "
    )
    templates = [f"{opening}{bet}{known}." for bet in (*BET, CERTAIN) for known in KNOWN]
    which, (count, _, *holes) = fit(told["sentence"], *templates)
    assert count == people
    if CERTAIN in which:
        assert after(0) == 1
        return
    size = 2 if BET[1] in which else 3
    judge(holes[:size], a, after(0), after(0, 1))
    check_known(which, holes[size:], after(0), after, people - 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_table_without_small_counts(ask_json, seed):
    random = Random(seed)
    members, threshold = random.randint(6, 12), random.randint(1, 4)
    rate, a = random.choice([Fraction(1, 2), Fraction(1, 3), Fraction(2, 3)]), RATIOS[seed % 4]

    def after(known):
        """Others of whom it is known that they are in, or out: the worse of the two."""
        free = members - 1 - known
        found = []
        for surely in range(known + 1):
            count = {
                surely + n: math.comb(free, n) * rate**n * (1 - rate) ** (free - n)
                for n in range(free + 1)
            }
            tables = []
            for mine in (1, 0):
                shown = Counter()
                for n, p in count.items():
                    shown[n + mine if n + mine >= threshold else "hidden"] += p
                tables.append(shown)
            found.append(apart(*tables, a))
        return max(found)

    told = ask_json(
        "noiseless", "histogram", "--population", members, "--rate", rate, "--threshold", threshold,
        "--ratio", a,
    )  # fmt: skip
    assert exact(told["delta"]) == after(0)
    opening = (
        "If each of the # members of your bin is in the sample independently with probability #, "
        "and nobody knows of any of the others whether they are in it, then "
    )
    known = (
        " What breaks it: each known member of your bin can weaken it; knowing of # whether this "
        "one was sampled gives delta #; knowing of # makes delta exceed 1/2.",
        " What breaks it: each known member of your bin can weaken it; knowing of # whether this "
        "one was sampled gives delta #.",
        " What breaks it: each known member of your bin can weaken it; knowing of # whether this "
        f"one was sampled gives delta #{AND}.",
    )
    which, (size, often, *holes) = fit(
        told["sentence"], *(f"{opening}{bet}{more}" for bet in BET for more in known)
    )
    assert (size, often) == (members, rate)
    places = 2 if BET[1] in which else 3
    judge(holes[:places], a, after(0))
    check_known(which, holes[places:], after(0), after, members - 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_naming_the_likeliest_of_two_laws(ask_json, seed):
    random = Random(seed)
    p, q = random.sample([Fraction(k, 6) for k in range(1, 6)], 2)
    laws = [{1: p, 0: 1 - p}, {1: q, 0: 1 - q}]
    people, a = random.randint(3, 6), random.choice(RATIOS)

    def named(sample):
        first, second = (math.prod(law[v] for v in sample) for law in laws)
        return 0 if first >= second else 1

    def after(known):
        found = []
        for told in itertools.product((1, 0), repeat=known):
            for truth, mine in itertools.product(laws, (1, 0)):
                tables = [Counter(), Counter()]
                for rest in itertools.product((1, 0), repeat=people - 1 - known):
                    mass = math.prod(truth[v] for v in rest)
                    tables[0][named((*told, *rest, mine))] += mass
                    tables[1][named((*told, *rest))] += mass
                found.append(apart(*tables, a))
        return max(found)

    told = ask_json(
        "noiseless", "map", "--law", f"1={p}, 0={1 - p}", "--law", f"1={q}, 0={1 - q}",
        "--people", people, "--ratio", a,
    )  # fmt: skip
    assert exact(told["delta"]) == after(0)
    opening = (
        "If the # entries are drawn independently from one of 2 laws (whatever anybody believes "
        "about which one it is) and nobody knows any entry of others, then on seeing which is "
        "named "
    )
    tail = "; entries that depend on one another, or come from other laws."
    even = "an even bet on whether your entry was used becomes at most # to #."
    same = "an even bet on whether your entry was used stays even."
    which, (count, *holes) = fit(
        told["sentence"],
        *(f"{opening}{bet}{more}{tail}" for bet in (*BET, CERTAIN, even, same) for more in KNOWN),
    )
    assert count == people
    if CERTAIN in which:
        assert after(0) == 1
        return
    if even in which or same in which:
        assert after(0) == 0
        holes = holes[2:] if even in which else holes
        check_known(which, holes, after(0), after, people - 1)
        return
    size = 2 if BET[1] in which else 3
    judge(holes[:size], a, after(0))
    check_known(which, holes[size:], after(0), after, people - 1)


@pytest.mark.parametrize("mean", [2, 4, 9, 20])
@pytest.mark.parametrize("a", [Fraction(3, 2), Fraction(2)])
def test_the_size_of_a_sample(ask_json, mean, a):
    law = [math.exp(-mean + n * math.log(mean) - math.lgamma(n + 1)) for n in range(200)]
    bad = [0, *(n for n in range(1, 200) if not 1 / a <= Fraction(mean, n) <= a)]
    failing = max(sum(law[n] for n in bad), sum(law[n - 1] for n in bad if n))
    _, (said, times, often) = fit(
        ask_json("noiseless", "size", f"poisson(mean={mean})", "--ratio", a)["sentence"],
        "If the size of the sample is Poisson with mean #, then one more person makes any size at "
        "most # times likelier or less likely, but for sizes of probability at most #. What breaks "
        "it: knowing the size of the sample from elsewhere.",
    )
    assert (said, times) == (mean, a)
    assert failing <= float(often) + 1e-12
    assert float(often) <= failing * 1.02
