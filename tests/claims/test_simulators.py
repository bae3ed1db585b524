"""Releases against simulators and values against others, enumerated on two or three bits."""

import itertools
from fractions import Fraction
from random import Random

import pytest

import twoworlds as tw
from tests.claims.reading import above, below, delta, exact, fit, matrix, random_mechanism, refusal
from tests.claims.test_coupled import given, nearest, sides, spelled
from twoworlds.errors import InvalidInput
from twoworlds.numbers import bounds, decimal, show
from twoworlds.questions.cones import odds

RATIOS = (Fraction(1), Fraction(3, 2), Fraction(2))


def coins(chances) -> dict[str, Fraction]:
    """The law of independent bits."""
    law = {}
    for bits in itertools.product("10", repeat=len(chances)):
        mass = Fraction(1)
        for bit, p in zip(bits, chances, strict=True):
            mass *= p if bit == "1" else 1 - p
        law["".join(bits)] = mass
    return law


def value_law(value, belief) -> dict:
    law: dict = {}
    for x, mass in belief.items():
        law[value(x)] = law.get(value(x), 0) + mass
    return law


def worlds(value, belief, known=()):
    """The law of a value and of the same value of the others, for each entry of each person."""
    size = len(next(iter(belief)))
    for held in sides(belief, known):
        for person, entry in itertools.product(range(size), "10"):
            world = given(held, lambda x, i=person, v=entry: x[i] == v)
            if world is not None:
                left: dict = {}
                for x, mass in world.items():
                    rest = x[:person] + x[person + 1 :]
                    left[rest] = left.get(rest, 0) + mass
                yield person, value_law(value, world), value_law(value, left)


def apart(p: dict, q: dict, a: Fraction) -> Fraction:
    keys = sorted({*p, *q}, key=str)
    first, second = ([law.get(k, Fraction(0)) for k in keys] for law in (p, q))
    return max(delta(first, second, a), delta(second, first, a))


def ones(x: str) -> int:
    return x.count("1")


@pytest.mark.parametrize("seed", range(6))
def test_the_simulator_that_runs_the_release_on_the_others(ask_json, seed):
    random = Random(seed)
    chances = [Fraction(random.randint(1, 5), 6) for _ in range(3)]
    a = random.choice(RATIOS)
    left = max(apart(p, q, a) for _, p, q in worlds(ones, coins(chances)))
    asked = f"ddp(independent({', '.join(map(str, chances))}), simulator=canonical, ratio={a})"
    told = ask_json("measure", "exact(sum, universe=bits(3))", "--definition", asked)
    assert exact(told["delta"]) == left
    told = ask_json("check", "exact(sum, universe=bits(3))", asked[:-1] + f", delta={left / 2})")
    _, (*_, found, allowed) = fit(
        told["sentence"],
        "If ~, and the attacker knows nothing else, then ~ fails: delta is #, where # is allowed.",
    )
    assert allowed < found
    assert below(found, left)


@pytest.mark.parametrize("seed", range(6))
def test_a_simulator_that_is_told_whose_entry_is_missing_is_one_for_each_person(
    ask_json, tmp_path, seed
):
    random = Random(seed)
    law = random_mechanism(random)
    belief = coins([Fraction(random.randint(1, 5), 6) for _ in range(2)])
    a = random.choice(RATIOS)
    asked = f"ddp({spelled(belief)}, tagged=yes, ratio={a})"
    told = ask_json("measure", matrix(tmp_path / "m.csv", law), "--definition", asked)
    # For one entry that is all that the others are told, the best is between the two laws.
    least = max(nearest(law, belief, a, persons=(person,)) for person in (0, 1))
    assert told["delta"]["value"] == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_conclusions_about_an_entry_against_those_from_the_others(ask_json, seed):
    random = Random(seed)
    chances = [Fraction(random.randint(1, 5), 6) for _ in range(2)]
    belief, a = coins(chances), random.choice(RATIOS)
    distances = {}
    for t in (0, 1, 2):
        far = []
        for person in (0, 1):
            real = {v: Fraction(0) for v in "10"}
            ideal = dict(real)
            for x, mass in belief.items():
                real[x[person]] += mass * (ones(x) == t)
                ideal[x[person]] += mass * (ones(x[1 - person]) == t)
            if not sum(ideal.values()):
                far.append(Fraction(2))  # never shown: bad at every delta
                continue
            laws = [{v: m / sum(law.values()) for v, m in law.items()} for law in (real, ideal)]
            far.append(apart(*laws, a))
        distances[t] = max(far)
    shown = value_law(ones, belief)

    def bad(c):
        return sum((shown[t] for t, d in distances.items() if d > c), Fraction(0))

    least = min(max(c, bad(c)) for c in (Fraction(0), *distances.values()))
    belief_text = f"independent({', '.join(map(str, chances))})"
    asked = f"inference-ddp({belief_text}, simulator=canonical, ratio={a})"
    told = ask_json("measure", "exact(sum, universe=bits(2))", "--definition", asked)
    assert exact(told["delta"]) == least


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("name", "value"), [("parity", lambda x: ones(x) % 2), ("sum", ones)])
def test_a_value_with_and_without_each_record(ask_json, seed, name, value):
    random = Random(seed)
    chances = [Fraction(random.randint(1, 5), 6) for _ in range(3)]
    a = random.choice(RATIOS)
    pairs = [(p, q) for _, p, q in worlds(value, coins(chances))]
    left = max(apart(p, q, a) for p, q in pairs)
    told = ask_json(
        "noiseless", "stable", name, "--universe", "bits(3)",
        "--belief", f"independent({', '.join(map(str, chances))})", "--ratio", a,
    )  # fmt: skip
    assert exact(told["delta"]) == left
    bet = "If ~, and the attacker knows nothing else, then a"
    odds = f"{bet} bet at even odds on whether your entry was used is won with probability at most"
    said = (
        f"{bet}n even bet on whether your entry was used ~.",
        f"{odds} #%, and nothing is more than # times as likely, plus #, in one case than in the "
        "other.",
        f"{odds} #%, and nothing is more than # likelier in one case than in the other.",
    )
    broken = " What breaks it: knowing ~ too: delta is then ~."
    _, holes = fit(told["sentence"], *(f"{one}{broken}" for one in said), *said)
    numbers = [hole for hole in holes if isinstance(hole, Fraction)]
    if numbers:
        assert above(numbers[0], 100 * (a + left) / (a + 1))
        assert above(numbers[-1], left)


@pytest.mark.parametrize("seed", range(6))
def test_frapp_by_the_report_of_one_record(ask_json, seed):
    random = Random(seed)
    keep = Fraction(random.randint(4, 8), 9)
    survey = f"randomized-response(values=3, records=2, keep={keep})"
    likely, rest = keep, (1 - keep) / 2
    gamma = max(likely / rest, rest / likely)
    told = ask_json("measure", survey, "--definition", "frapp")
    _, (most,) = fit(
        told["more"][0],
        "The report of one record is at most # times likelier for one true value than for any "
        "other.",
    )
    assert above(most, gamma)
    told = ask_json("check", survey, f"frapp(gamma={(1 + gamma) / 2})")
    _, (found, allowed) = fit(
        refusal(told),
        "Some report of a record is # times likelier for one value than for another; the claim "
        "allows at most #.",
    )
    assert allowed < found
    assert below(found, gamma)


def test_a_report_that_does_not_depend_on_the_record_is_equally_likely(ask_json):
    survey = "randomized-response(values=3, records=2, keep=1/3)"
    for name in ("frapp", "gamma-amplification", "pointwise(ratio=1)"):
        told = ask_json("measure", survey, "--definition", name)
        said = " ".join([told["sentence"], *told.get("more", [])])
        assert "equally likely" in said
        assert "1 times" not in said
    told = ask_json("measure", "random-index(records=4, values=3)", "--ratio", 1)
    assert "(equally likely, plus" in told["more"][0]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["semantic", "statistical-difference"])
def test_what_follows_from_a_ratio_and_a_delta_holds(ask_json, tmp_path, seed, kind):
    """Every random mechanism with that price keeps what is said to follow from it."""
    random = Random(seed)
    law = random_mechanism(random, least=0)
    law = {x: [p / 40 + Fraction(39, 120) for p in row] for x, row in law.items()}
    name, a = matrix(tmp_path / "m.csv", law), Fraction(101, 100)
    price = ask_json("measure", name, "--ratio", a)["delta"]["exact"]
    if price == "0":
        return
    told = ask_json("implies", f"dp(ratio={a}, delta={price})", "--to", kind, "--records", 2)
    follows = told["conclusion"]
    epsilon = Fraction(follows["epsilon"]["value"]).limit_denominator(10**6) + Fraction(1, 10**6)
    claim = f"{kind}(epsilon={min(epsilon, 1)}"
    if "delta" in follows:
        claim += f", delta={min(1, Fraction(follows['delta']['value']) + Fraction(1, 10**6))}"
    assert ask_json("check", name, claim + ")")["holds"]


@pytest.mark.parametrize(
    "claim", ["gamma-amplification(gamma=inf)", "frapp(gamma=inf)", "pointwise(ratio=inf)"]
)
def test_a_claim_of_any_factor_holds(ask_json, claim):
    assert ask_json("check", "randomized-response(bits=1, keep=3/4)", claim)["holds"]


def test_certainty_about_one_record_is_not_called_certainty_about_a_parity():
    survey = "randomized-response(bits=2, keep=3/4)"
    with pytest.raises(InvalidInput, match="the belief is certain of record 1,"):
        odds(survey, of="1=1", belief="independent(1,1/2)")
    with pytest.raises(InvalidInput, match="the belief is certain of the parity,"):
        odds(survey, of="parity", belief="independent(1,1)")


def test_what_was_searched_over_all_beliefs_is_said():
    """Where the ends do not meet, the lower one is from a search of some beliefs."""
    found = tw.measure(
        "randomized-response(bits=5, keep=3/4)", definition="reality-oblivious(epsilon=1/4)"
    )
    assert found.delta_shown < found.delta
    assert any("from a search of some beliefs" in note for note in found.notes)


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(2, 3), Fraction(12345, 98765)])
@pytest.mark.parametrize("digits", [2, 3, 5])
def test_about_is_next_above(x, digits):
    """So that a price that is typed back in still holds."""
    word, _, text = decimal(x, digits, "about").partition(" ")
    assert word == "about"
    unit = Fraction(10) ** (-digits - (0 if x > Fraction(1, 10) else 1))
    assert x <= Fraction(text) <= x + unit
    long = x + Fraction(1, 7**2000)  # of thousands of digits, rounded by another way
    assert decimal(long, digits, "about") == f"about {text}"
    assert show(long) == decimal(long, 6, "about")
    assert bounds(long)[0] == long
