"""What an attacker concludes, what a test finds, what a guarantee promises; by Bayes' rule."""

import itertools
from fractions import Fraction
from random import Random

import pytest

from tests.claims.reading import (
    BITS,
    above,
    exact,
    fit,
    guessed,
    left_out,
    matrix,
    neighbours,
    random_belief,
    random_mechanism,
)

pytestmark = pytest.mark.few(4)
SEEDS = range(10)
SECRETS = {
    "parity": lambda x: x.count("1") % 2 == 1,
    "1=1": lambda x: x[0] == "1",
    "2=0": lambda x: x[1] == "0",
    "11, 00": lambda x: x in ("11", "00"),
}


def bayes(law, belief, output, person=None):
    world = {x: x if person is None else left_out(x, person) for x in belief}
    joint = {x: mass * law[world[x]][output] for x, mass in belief.items()}
    return {x: mass / sum(joint.values()) for x, mass in joint.items()}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("form", ["explicit", "independent", "mixture"])
def test_conclusions_with_and_without_each_person(ask, tmp_path, seed, secret, form):
    random = Random(seed)
    law = random_mechanism(random)
    one, two = (Fraction(random.randint(1, 5), 6) for _ in range(2))
    coins = {
        x: (one if x[0] == "1" else 1 - one) * (two if x[1] == "1" else 1 - two) for x in BITS
    }  # fmt: skip
    listed = random_belief(random, least=1)
    texts = {
        "explicit": f"explicit({', '.join(f'{x}={mass}' for x, mass in listed.items())})",
        "independent": f"independent({one}, {two})",
    }
    texts["mixture"] = f"mixture({texts['explicit']}, {texts['independent']})"
    belief = {
        "explicit": listed,
        "independent": coins,
        "mixture": {x: (listed[x] + coins[x]) / 2 for x in BITS},
    }[form]
    output = random.randrange(3)
    said = ask(
        "posterior", matrix(tmp_path / "m.csv", law), "--belief", texts[form],
        "--output", f"row {output + 1}", "--secret", secret,
    )[1]  # fmt: skip
    rows = (
        " P(~) odds before # ~ with everyone # ~ without person 1 # ~ without person 2 # ~ "
        "without person 1 belief about all records differs by # without person 2 belief about all "
        "records differs by # assumes leaving a person out "
        "means putting the default value 0 in place of their record"
    )
    head = f"m.csv after output row {output + 1} "
    moved, kept = (
        "This output moves the belief about the whole database by # percentage points away from "
        "the prior.",
        "This output leaves the belief about the whole database as it was.",
    )
    differ, same = (
        " Compared with the same output computed without one person's data, the conclusions differ "
        "by at most # percentage points.",
        " The same output computed without any one person leads to the same conclusions.",
    )
    which, holes = fit(
        said, *(f"{head}{a}{b}{rows}" for a in (moved, kept) for b in (differ, same))
    )
    after = bayes(law, belief, output)
    without = [bayes(law, belief, output, person) for person in (0, 1)]

    def apart(p, q):
        return sum(abs(p[x] - q[x]) for x in BITS) / 2

    distances = [apart(after, other) for other in without]
    holds = SECRETS[secret]
    chances = [sum(b[x] for x in BITS if holds(x)) for b in (belief, after, *without)]
    numbers = [hole for hole in holes if isinstance(hole, Fraction)]
    for truth in [*distances[::-1], *chances[::-1]]:
        assert abs(numbers.pop() - truth) < Fraction(1, 10**5)
    assert (moved in which) == (after != belief)
    assert (differ in which) == (max(distances) > 0)
    if differ in which:
        assert above(numbers.pop(), 100 * max(distances))
    if moved in which:
        assert above(numbers.pop(), 100 * apart(after, belief))
    assert not numbers


@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_test_is_as_good_as_is_said(ask, tmp_path, seed):
    random = Random(seed)
    law = random_mechanism(random)
    name = matrix(tmp_path / "m.csv", law)
    first, second = random.sample(BITS, 2)

    def power(level):
        """Neyman and Pearson: take the outputs by their ratio, the last one with a coin."""
        left, gained = Fraction(level), Fraction(0)
        pairs = zip(law[second], law[first], strict=True)
        for q, p in sorted(pairs, key=lambda pair: pair[1] / pair[0], reverse=True):
            share = min(Fraction(1), left / q)
            left, gained = left - share * q, gained + share * p
        return gained

    said = ask("tradeoff", name, first, second, "--level", "1/20")[1]
    _, holes = fit(
        said,
        f"m.csv telling {first} from {second} A test that wrongly cries {first} in 1% of the "
        f"cases where the truth is {second} finds it in at most #% of the cases where it is true. "
        "At level # the best power is #. ~",
    )
    assert above(holes[0], 100 * power(Fraction(1, 100)))
    assert holes[1:3] == [Fraction(1, 20), power(Fraction(1, 20))]


ANY = (
    "Whatever someone believed about you, this answer moves their belief, compared with the same "
    "answer computed without you, by at most # percentage points; odds of 1 to 99 become at most "
    "# to #."
)
KNOWS = (
    "Someone who knows everybody else's record and gives even odds to two possible values of yours "
    "can end up at odds of at most # to 1: 50% becomes at most #%, and 1% at most #%."
)
WHY = "This number is larger because your data can speak for one possibility and against another."
SAME = "Both numbers agree because your record is randomized on its own."
TOP = "What they learn about you from the others' data comes on top, with your data or without."


def raised(percent, factor):
    odds = Fraction(percent, 100 - percent) * factor
    return 100 * odds / (1 + odds)


def points(factor):
    """The largest move of a belief whose odds change by a factor: over a fine grid of beliefs."""
    return max(raised(p, factor) - p for p in (Fraction(k, 4) for k in range(1, 400)))


def check_explained(told, known, anything, chance):
    first, *rest = told["sentences"]
    guessed(first, chance)
    which, holes = fit(" ".join(rest), f"{KNOWS} {ANY} {WHY} {TOP}", f"{KNOWS} {ANY} {SAME} {TOP}")
    assert (SAME in which) == (known == anything)
    odds, half, rare, moved, here, there = holes
    assert above(odds, known, Fraction(1, 1000))
    assert above(half, raised(50, known))
    assert above(rare, raised(1, known))
    assert points(anything) <= moved <= points(anything) + Fraction(1, 5)
    assert anything <= 99 * here / there <= anything * Fraction(11, 10)
    for percent, row in zip((1, 10, 50), told["beliefs"], strict=True):
        assert 100 * exact(row["belief"]) == percent
        assert 100 * exact(row["knows_all_others"]) == raised(percent, known)
        assert 100 * exact(row["any_belief"]) == raised(percent, anything)


@pytest.mark.parametrize("r", [Fraction(3, 2), Fraction(2), Fraction(3), Fraction(10)])
def test_what_a_ratio_promises_is_attained_by_some_mechanism(ask_json, r):
    """A noisy parity has this ratio, and moves odds against those without you by its square."""
    check_explained(ask_json("explain", f"dp(ratio={r})"), r, r * r, r / (1 + r))
    noisy = {
        x: [p if x.count("1") % 2 else 1 - p for p in (r / (1 + r), 1 / (1 + r))] for x in BITS
    }  # fmt: skip
    assert largest(noisy) == (r, r * r)


def largest(law):
    """The largest ratio of neighbours, and the largest swing of odds with and without a person."""
    outputs = range(len(law["11"]))
    known = max(law[x][o] / law[y][o] for x, y in neighbours(BITS) for o in outputs)
    swing = max(
        (law[x][o] / law[y][o]) / (law[left_out(x, i)][o] / law[left_out(y, i)][o])
        for i in (0, 1)
        for x, y in itertools.permutations(BITS, 2)
        for o in outputs
    )
    return known, swing


@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_mechanism_promises(ask_json, tmp_path, seed):
    law = random_mechanism(Random(seed))
    known, swing = largest(law)
    told = ask_json("explain", matrix(tmp_path / "m.csv", law))
    check_explained(told, known, swing, best_guess(law))


def best_guess(law, pairs=None):
    """The best of all rules that name one of two databases after seeing an output."""
    rules = [*itertools.product((0, 1), repeat=len(law["11"]))]
    return max(
        sum(law[pair[first]][o] for o, first in enumerate(rule)) / 2
        for pair in (neighbours(BITS) if pairs is None else pairs)
        for rule in rules
    )


@pytest.mark.parametrize(("r", "d"), [(2, "1/100"), (3, "1/10"), (1, "1/5"), (20, "1/2")])
def test_promises_with_numbers(ask, ask_json, r, d):
    """Each sentence about a probability of 10% gives r times 10%, plus delta, and at most 100%."""
    most = min(Fraction(100), 10 * Fraction(r) + 100 * Fraction(d))
    if_so = "If what others believe and know about the data is no more than was assumed"
    more = " Someone who knows more, or believes otherwise, may learn more."
    likelier = "equally likely" if Fraction(r) == 1 else "# times as likely"
    for kind, template in {
        "dp": "Anything that would happen with probability 10% had your record been different "
        f"happens with probability at most #% ({likelier}, plus #).",
        "simulation": "Whatever the data are, the answer could have been made up without your "
        "record: what has probability 10% then has at most #% with it, and the other way round.",
        "noiseless": f"{if_so}: what has probability 10% with one value of your record has at "
        f"most #% with another.{more}",
        "pufferfish": f"{if_so}: what has probability 10% if a secret is false has at most #% if "
        f"it is true, and the other way round.{more}",
        "ddp": f"{if_so}, the answer could have been made up without your record: what has "
        f"probability 10% then has at most #% with it, and the other way round.{more}",
    }.items():
        claim = f"{kind}(ratio={r}, delta={d})"
        if kind == "dp":
            _, holes = fit(ask_json("explain", claim)["sentences"][1], template)
        else:
            _, (_, *holes) = fit(ask("explain", claim)[1], f"{kind}(~) {template} assumes ~")
        assert above(holes[0], most)


@pytest.mark.parametrize("r", [Fraction(3, 2), Fraction(2), Fraction(4)])
@pytest.mark.parametrize("kind", ["semantic", "informed", "statistical-difference"])
def test_what_follows_from_a_ratio_holds_and_is_attained(ask_json, tmp_path, r, kind):
    """True of random mechanisms with this ratio, and attained by the noisy parity of two bits."""
    told = ask_json("implies", f"dp(ratio={r})", "--to", kind)
    follows = told["conclusion"]["epsilon"]["value"]
    keep = r / (1 + r)
    noisy = f"noisy-parity(bits=2, keep={keep})"
    reached = ask_json("measure", noisy, "--definition", kind)["epsilon"]["value"]
    assert reached == pytest.approx(follows, abs=1e-9)
    for seed in range(4):
        random = Random(seed)
        law = random_mechanism(random)
        # Mixed with noise until the ratio holds.
        share = Fraction(1)
        while max(largest(law)[:1]) > r:
            share *= Fraction(3, 4)
            law = {x: [share * p + (1 - share) / 3 for p in row] for x, row in law.items()}
        name = matrix(tmp_path / "m.csv", law)
        measured = ask_json("measure", name, "--definition", kind)
        assert measured["epsilon"]["value"] <= follows + 1e-9
