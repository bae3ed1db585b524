"""What measure and check say of a mechanism; against all outputs, pairs and many beliefs."""

import itertools
import math
from fractions import Fraction
from random import Random

import pytest

from tests.claims.reading import (
    BITS,
    above,
    behind,
    below,
    delta,
    exact,
    fit,
    guessed,
    left_out,
    matrix,
    neighbours,
    random_belief,
    random_mechanism,
    ratio,
    refusal,
)

pytestmark = pytest.mark.few(4)
SEEDS = range(8)
ZEROS = [*range(5), *range(100, 103)]  # from 100 on some outputs are impossible on some databases
GRID = [Fraction(i, 60) for i in range(1, 60)]


def mechanism_of(tmp_path, seed: int, outputs: int = 3):
    law = random_mechanism(Random(seed), outputs, least=0 if seed >= 100 else 1)
    return matrix(tmp_path / "m.csv", law), law


def of_pairs(law, measure):
    return [measure(law[x], law[y]) for x, y in neighbours(law)]


def guess(law) -> tuple[Fraction, Fraction]:
    """The best chance to name the true one of two neighbours; and of an impossible output."""
    events = [
        tuple(bits) for bits in itertools.product((0, 1), repeat=len(next(iter(law.values()))))
    ]

    def right(p, q):
        """The best rule, of all: answer the first database on an event, else the second."""
        return max(
            sum((x if chosen else y) for chosen, x, y in zip(event, p, q, strict=True)) / 2
            for event in events
        )

    only = of_pairs(law, lambda p, q: sum(x for x, y in zip(p, q, strict=True) if not y))
    return max(of_pairs(law, right)), max(only)


def posterior(law, belief, output: int, person: int | None = None) -> dict | None:
    """Bayes: with everyone, or with the default in place of a person; None if it is impossible."""
    world = {x: x if person is None else left_out(x, person) for x in belief}
    joint = {x: mass * law[world[x]][output] for x, mass in belief.items()}
    total = sum(joint.values())
    return {x: mass / total for x, mass in joint.items()} if total else None


def apart(first, second) -> Fraction:
    """The statistical difference of two conclusions; as large as can be if one is impossible."""
    if second is None:
        return Fraction(1)
    return sum(abs(first[x] - second[x]) for x in first) / 2


def differences(law, belief) -> dict[int, Fraction]:
    """For every output that can occur: how far the conclusions lie apart, for the worst person."""
    found = {}
    for output in range(len(next(iter(law.values())))):
        used = posterior(law, belief, output)
        if used is not None:
            unused = [posterior(law, belief, output, person) for person in (0, 1)]
            found[output] = max(apart(used, other) for other in unused)
    return found


def chance(law, belief, outputs) -> Fraction:
    """The probability of outputs, on the average over the belief."""
    return sum((mass * law[x][o] for x, mass in belief.items() for o in outputs), Fraction(0))


def failure(law, belief, epsilon: Fraction, truth: str | None = None) -> Fraction:
    """The probability of a breach, over data and noise, or over the noise if the truth is given."""
    apart_at = differences(law, belief)
    breaches = [o for o, difference in apart_at.items() if difference > epsilon]
    if truth is None:
        return chance(law, belief, breaches)
    return sum((law[truth][o] for o in breaches), Fraction(0))


def two_point_beliefs():
    for x, y in itertools.combinations(BITS, 2):
        for share in (*GRID[::3], Fraction(1, 2)):
            yield {x: share, y: 1 - share}


# --- neighbours -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", ZEROS)
def test_pointwise_says_how_often_the_ratio_is_kept(ask_json, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)

    def kept(limit):
        """The least probability, under either world, of outputs within the limit both ways."""
        return min(
            sum(p for p, q in zip(one, other, strict=True) if p <= limit * q and q <= limit * p)
            for one, other in of_pairs(law, lambda p, q: (p, q))
        )

    told = ask_json("measure", name, "--definition", "pointwise(ratio=3/2)")
    guessed(told["sentence"], *guess(law))
    said = behind(told)
    template = (
        "With probability at least #, whichever world is true, the output is at most # times "
        "likelier in one world than in the other."
    )
    nothing = (
        "Nothing is promised: some world has only outputs that are more than # times likelier in "
        "one world than in the other."
    )
    always = (
        "Whichever world is true, the output is at most # times likelier in one world than in the "
        "other."
    )
    which, (*often, limit) = fit(said, template, nothing, always)
    assert limit == Fraction(3, 2)
    assert (which == nothing) == (kept(limit) == 0)
    assert (which == always) == (kept(limit) == 1)
    assert not often or below(often[0], kept(limit), Fraction(1, 500))
    told = ask_json("check", name, "pointwise(ratio=3/2, delta=1/1000)")
    assert told["holds"] == (1 - kept(limit) <= Fraction(1, 1000))
    if not told["holds"]:
        _, (often, limit, claimed) = fit(
            refusal(told),
            "In some world the output is, with probability #, more than # times likelier in one "
            "world than in the other; the claim allows at most #.",
        )
        assert below(often, 1 - kept(limit))
        assert often > claimed == Fraction(1, 1000)
    ratios = of_pairs(law, ratio)
    impossible = (
        "With probability # the output can be one that is impossible in the other world: it then "
        "shows something about your record for certain, whatever the epsilon."
    )
    which, holes = fit(
        behind(ask_json("measure", name, "--definition", "pointwise")), always, impossible
    )
    assert (which == impossible) == (None in ratios)
    if which == impossible:
        truth = max(of_pairs(law, lambda p, q: sum(x for x, y in zip(p, q, strict=True) if not y)))
        assert above(holes[0], truth)
    else:
        assert above(holes[0], max(ratios))


@pytest.mark.parametrize("seed", ZEROS)
def test_a_price_with_a_delta_and_its_refusal(ask_json, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)
    a = Random(seed).choice([Fraction(1), Fraction(3, 2), Fraction(2)])
    worst = max(of_pairs(law, lambda p, q: delta(p, q, a)))
    means = (
        "Anything that would happen with probability 10% had your record been different happens "
        "with probability at most #% (# times as likely, plus #)."
    ).replace(*(("# times as", "equally") if a == 1 else ("", "")))
    told = ask_json("measure", name, "--ratio", a)
    pure = "Someone who knows everybody else's record and gives even odds ~"
    guessed(told["sentence"], *guess(law))
    which, holes = fit(told["more"][0], means, pure)
    assert (which == pure) == (worst == 0)
    assert exact(told["delta"]) == worst
    if worst:
        assert above(holes[0], min(100, 100 * (a / 10 + worst)))
        assert a == 1 or holes[1] == a
        assert above(holes[-1], worst)
    # A smaller delta is refused, with an event that shows it; this one is not.
    assert ask_json("check", name, f"dp(ratio={a}, delta={worst})")["holds"]
    if worst:
        told = ask_json("check", name, f"dp(ratio={a}, delta={worst / 2})")
        assert not told["holds"]
        broken = (
            "The claim fails: an event has probability # in one world and # in the other, where it "
            "allows at most #. "
        )
        form, (here, there, most, *more) = fit(
            refusal(told),
            f"{broken}What does hold is epsilon # at this delta.",
            f"{broken}No epsilon holds at this delta.",
        )
        if form.endswith("epsilon # at this delta."):
            assert ask_json("check", name, f"dp(epsilon={more[0]}, delta={worst / 2})")["holds"]
            smaller = max(Fraction(0), more[0] - Fraction(1, 1000))
            told_less = ask_json("check", name, f"dp(epsilon={smaller}, delta={worst / 2})")
            assert not told_less["holds"] or not smaller
        first, second = told["witness"]["databases"]
        assert (first, second) in neighbours(law)
        event = [int(o.removeprefix("row ")) - 1 for o in told["witness"]["event"]]
        truly = [sum(law[x][o] for o in event) for x in (first, second)]
        assert below(here, truly[0])
        assert truly[0] - a * truly[1] == worst
        assert abs(there - truly[1]) < Fraction(1, 1000)
        assert abs(most - (a * truly[1] + worst / 2)) < Fraction(1, 1000)
        note = next(n for n in told["notes"] if n.startswith("holds with delta"))
        _, holes = fit(
            note,
            "holds with delta # at this ratio, or with ratio # at this delta",
            "holds with delta # at this ratio; no ratio is large enough for delta #",
        )
        assert holes[0] == worst


@pytest.mark.parametrize("seed", ZEROS)
def test_events_and_single_outputs(ask_json, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)
    difference = max(of_pairs(law, lambda p, q: delta(p, q, Fraction(1))))
    told = ask_json("measure", name, "--definition", "statistical-difference")
    guessed(told["sentence"], *guess(law))
    _, (most,) = fit(
        behind(told),
        "No event becomes more than #% (in absolute terms) likelier or rarer through your record. "
        "That alone does not rule out that an output is possible in one world only.",
    )
    assert above(most, 100 * difference)
    told = ask_json("check", name, f"statistical-difference(epsilon={difference / 2})")
    _, (found, claimed) = fit(
        refusal(told),
        "An event becomes # percentage points likelier through your record, more than the # "
        "claimed.",
    )
    assert below(found, 100 * difference)
    assert above(claimed, 50 * difference)
    rows = list(zip(*law.values(), strict=True))
    amplified = [ratio([x], [y]) for row in rows for x, y in itertools.permutations(row, 2)]
    _, holes = fit(
        ask_json("measure", name, "--definition", "gamma-amplification")["sentence"],
        "No output is more than # times likelier on one database than on any other.",
        "Some output is possible on one database and impossible on another one.",
    )
    assert (not holes) == (None in amplified)
    assert not holes or above(holes[0], max(amplified))
    if holes:
        told = ask_json("check", name, f"gamma-amplification(gamma={(1 + max(amplified)) / 2})")
        _, (found, claimed) = fit(
            told["sentence"],
            "Some output is # times likelier for one database than for another; the claim allows "
            "at most #.",
        )
        assert below(found, max(amplified))
        assert found > claimed


@pytest.mark.parametrize("seed", SEEDS)
def test_information_about_one_record(ask_json, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)
    _, (nats,) = fit(
        ask_json("measure", name, "--definition", "mutual-information")["sentence"],
        "The output tells at most # nats about any one record. An average over outputs says little "
        "about the worst one: a rare output may still expose a person.",
    )

    def information(p, q, share):
        mixed = [share * x + (1 - share) * y for x, y in zip(p, q, strict=True)]
        terms = ((share, p), (1 - share, q))
        return sum(
            float(w * x) * math.log(x / m)
            for w, law in terms
            for x, m in zip(law, mixed, strict=True)
        )

    def pair(p, q):
        return p, q

    found = max(information(p, q, share) for share in GRID for p, q in of_pairs(law, pair))
    assert found <= float(nats) + 1e-12
    assert float(nats) <= found + 1e-3
    told = ask_json("check", name, f"mutual-information(nats={nats / 2})")
    _, (least, claimed) = fit(
        told["sentence"],
        "Under the belief shown, the output tells # nats about one record; the claim allows at "
        "most #.",
    )
    assert claimed < least
    assert float(least) <= found + 1e-9
    share = exact(told["witness"]["belief"]["1"])
    shown = max(information(p, q, s) for s in (share, 1 - share) for p, q in of_pairs(law, pair))
    assert shown + 1e-9 >= float(least)


# --- beliefs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", ZEROS)
def test_informed_beliefs_move_so_far_and_no_further(ask_json, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)
    _, holes = fit(
        ask_json("measure", name, "--definition", "informed")["sentence"],
        "Someone who knows every record but yours, whatever they believe about it, changes "
        "their mind by at most # percentage points. Whatever "
        "someone believed about you, this answer moves their belief, compared with the same answer "
        "computed without you, by at most # percentage points; odds of 1 to 99 become at most # to "
        "#.",
        "Some answer can overturn completely what someone who knows every record but yours "
        "believes about it.",
    )
    moved = max(
        abs(share * p / (share * p + (1 - share) * q) - share)
        for first, second in of_pairs(law, lambda *laws: laws)
        for p, q in zip(first, second, strict=True)
        if p or q
        for share in GRID
    )
    if not holes:
        assert None in of_pairs(law, ratio)
        return
    assert moved <= holes[0] / 100
    assert holes[0] / 100 <= moved + Fraction(1, 50)
    # Whatever is believed: the odds move by at most the square, which some belief may not reach.
    factor = max(of_pairs(law, ratio)) ** 2
    root = math.sqrt(factor)
    assert 100 * (root - 1) / (root + 1) <= holes[1] + Fraction(1, 10**9)
    assert holes[1] <= 100 * (root - 1) / (root + 1) + 0.1
    assert factor <= 99 * holes[2] / holes[3] <= factor * Fraction(11, 10)
    _, (found, _) = fit(
        ask_json("check", name, "informed(epsilon=1/1000)")["sentence"],
        "Someone who knows every record but yours can change their mind about it by # percentage "
        "points, more than the # claimed.",
    )
    assert moved - Fraction(1, 500) <= found / 100 <= holes[0] / 100


@pytest.mark.parametrize("seed", ZEROS)
def test_whatever_someone_believed_conclusions_differ_so_far_and_no_further(
    ask_json, tmp_path, seed
):
    name, law = mechanism_of(tmp_path, seed)
    _, holes = fit(
        ask_json("measure", name, "--definition", "semantic")["sentence"],
        "Whatever someone believed before, this answer moves their beliefs, compared with the same "
        "answer computed without you, by at most # percentage points.",
        "Some attacker's conclusions can differ by as much as conclusions can, depending on "
        "whether one person's data was used.",
    )
    moved = max(max(differences(law, belief).values()) for belief in two_point_beliefs())
    random = Random(seed)
    moved = max(
        moved, *(max(differences(law, random_belief(random)).values()) for _ in range(50))
    )  # fmt: skip
    if not holes:
        assert moved > Fraction(9, 10)
        return
    assert moved <= holes[0] / 100
    assert holes[0] / 100 <= moved + Fraction(1, 50)
    _, (found, _) = fit(
        ask_json("check", name, "semantic(epsilon=1/1000)")["sentence"],
        "Some attacker's conclusions with and without the data of one person lie # percentage "
        "points apart, more than the # claimed.",
    )
    assert moved - Fraction(1, 500) <= found / 100 <= holes[0] / 100


@pytest.mark.parametrize("seed", SEEDS)
def test_how_often_conclusions_differ_whatever_someone_believed(ask_json, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)
    epsilon = Fraction(Random(seed).randint(2, 20), 60)
    told = ask_json("measure", name, "--definition", f"semantic(epsilon={epsilon})")
    some = " Some attacker sees more than # percentage points with probability #."
    same = "this answer moves their beliefs, compared with the same answer computed without you, by"
    never, mostly, nothing = (
        "Whatever someone believed before, this answer never moves their beliefs, compared with "
        "the same answer computed without you, by more than # percentage points.",
        f"Whatever someone believed before, with probability at least # {same} at most # "
        f"percentage points.{some}",
        "Nothing is promised: no chance is proved of staying within # percentage points for every "
        f"belief.{some}",
    )
    which, holes = fit(told["sentence"], never, mostly, nothing)
    random = Random(seed)
    beliefs = [*two_point_beliefs(), *(random_belief(random) for _ in range(50))]
    worst = max(failure(law, belief, epsilon) for belief in beliefs)
    if which == never:
        assert worst == 0
        return
    # The belief shown fails as often as is said, and no belief fails more often than is allowed.
    shown = {x: exact(mass) for x, mass in told["witness"]["belief"].items()}
    truth = failure(law, shown, epsilon)
    assert below(holes[-1], truth, Fraction(1, 1000))
    assert worst <= truth + Fraction(1, 20)
    if which == mostly:
        assert worst <= 1 - holes[0]


BELIEF_SENTENCES = (
    "~, whatever the output, the conclusions with and without any one person differ by at most # "
    "percentage points.",
    "~, with probability at least # the conclusions with and without any one person differ by at "
    "most # percentage points.",
    "~, nothing is promised: no chance of staying within # percentage points is left.",
    "~, no chance of staying within # percentage points is proved; at most # is left.",
)


@pytest.mark.parametrize("seed", ZEROS)
@pytest.mark.parametrize("truth", ["drawn", "any", "one"])
def test_one_belief_is_surprised_as_often_as_is_said(ask_json, tmp_path, seed, truth):
    name, law = mechanism_of(tmp_path, seed)
    random = Random(seed)
    belief = random_belief(random, least=1 if seed >= 100 else 0)
    epsilon = Fraction(random.randint(1, 12), 60)
    one = random.choice(BITS)
    held = f"explicit({', '.join(f'{x}={mass}' for x, mass in belief.items())})"
    asked, opening, failing = {
        "drawn": (
            f"local-semantic({held}, epsilon={epsilon})",
            "For this belief",
            failure(law, belief, epsilon),
        ),
        "any": (
            f"reality-oblivious({held}, epsilon={epsilon})",
            "For this belief and whatever is true",
            max(failure(law, belief, epsilon, x) for x in BITS),
        ),
        "one": (
            f"reality-oblivious({held}, epsilon={epsilon}, truth={one})",
            f"For this belief and if {one} is true",
            failure(law, belief, epsilon, one),
        ),
    }[truth]
    which, (who, *holes) = fit(
        ask_json("measure", name, "--definition", asked)["sentence"], *BELIEF_SENTENCES
    )
    assert who == opening
    assert BELIEF_SENTENCES.index(which) == (0 if not failing else 2 if failing == 1 else 1)
    if 0 < failing < 1:
        assert below(holes[0], 1 - failing, Fraction(1, 10**5))
    assert above(holes[-1], 100 * epsilon)
    if failing:
        told = ask_json("check", name, asked[:-1] + f", delta={failing / 2})")
        _, (_, _, often, claimed) = fit(
            told["sentence"],
            "~, the conclusions with and without the data of some person lie more than # "
            "percentage points apart with probability #, more than the # claimed.",
            "~, the conclusions with and without the data of some person lie more than # "
            "percentage point apart with probability #, more than the # claimed.",
        )
        assert not told["holds"]
        assert below(often, failing)
        assert above(claimed, failing / 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_is_believed_and_true(ask_json, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)
    random = Random(seed)
    epsilon = Fraction(random.randint(2, 24), 60)
    told = ask_json("measure", name, "--definition", f"reality-oblivious(epsilon={epsilon})")
    which, (who, *holes) = fit(told["sentence"], *BELIEF_SENTENCES)
    assert who == "Whatever someone believes and whatever is true"
    beliefs = [*two_point_beliefs(), *(random_belief(random) for _ in range(50))]
    worst = max(failure(law, belief, epsilon, x) for belief in beliefs for x in BITS)
    claimed = BELIEF_SENTENCES.index(which)
    allowed = (0, 1 - holes[0], 1, 1 - holes[-1])[claimed]
    if claimed:
        shown = {x: exact(mass) for x, mass in told["witness"]["belief"].items()}
        truth = failure(law, shown, epsilon, told["witness"]["truth"])
        assert below(truth, allowed, Fraction(1, 10**5)) or claimed == 3
        assert claimed != 3 or above(truth, allowed, Fraction(1, 10**5))
    # Where only the best of some beliefs is known, others may fail more often.
    two = max(failure(law, belief, epsilon, x) for belief in two_point_beliefs() for x in BITS)
    assert (two if claimed == 3 else worst) <= allowed
