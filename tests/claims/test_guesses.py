"""The first sentence: of how many people a guess is right; by all rules that name a database."""

import itertools
import math
from fractions import Fraction
from random import Random

import pytest

from tests.claims.reading import (
    BITS,
    GUESS,
    OPEN,
    RECORDS,
    delta,
    exact,
    fit,
    guessed,
    matrix,
    random_mechanism,
)
from tests.claims.test_guarantees import apart, posterior, two_point_beliefs
from twoworlds.definitions import DifferentialPrivacy
from twoworlds.definitions.words import Subject, guess_sentence, strength
from twoworlds.laws.noise import GeometricNoise
from twoworlds.mechanisms import AddedNoise, OnStatistic
from twoworlds.worlds import Graphs
from twoworlds.worlds.graphs import edges

HALF = Fraction(1, 2)
SEEDS = [*range(4), 100, 101]  # from 100 on some outputs are impossible on some databases


def best(law, pairs):
    """The best chance, over pairs and rules, to name the true one of two equally likely ones."""
    found = HALF
    for x, y in pairs:
        for rule in itertools.product((x, y), repeat=len(law[x])):
            found = max(found, sum(law[named][o] for o, named in enumerate(rule)) / 2)
    return found


def only(law, pairs):
    """The largest probability of outputs that are impossible in the other world."""
    both = [*pairs, *((y, x) for x, y in pairs)]
    return max(sum(p for p, q in zip(law[x], law[y], strict=True) if not q) for x, y in both)


def differing(databases, most):
    return [
        (x, y)
        for x, y in itertools.combinations(databases, 2)
        if 0 < sum(a != b for a, b in zip(x, y, strict=True)) <= most
    ]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("options", "pairs", "start"),
    [
        ([], differing(BITS, 1), f"Of 100 people in your position, {RECORDS} would get "),
        (["--group", 2], differing(BITS, 2), f"Of 100 groups of 2 people, {OPEN} would get "),
        (
            ["--neighbours", "11~00, 10~01"],
            [("11", "00"), ("10", "01")],
            "Of 100 guesses at even odds between two neighbouring databases, at most ",
        ),
    ],
)
def test_a_guess_about_a_mechanism(ask_json, tmp_path, seed, options, pairs, start):
    law = random_mechanism(Random(seed), least=0 if seed >= 100 else 1)
    name = matrix(tmp_path / "m.csv", law)
    chance = best(law, pairs)
    for more in ([], ["--ratio", "3/2"], ["--delta", "1/100"]):
        told = ask_json("measure", name, *options, *more)
        assert exact(told["guess"]) == chance
        assert told["sentence"].startswith(start)
        guessed(told["sentence"], chance, only(law, pairs))


@pytest.mark.parametrize("ratio", [2, 3, 20, 300, 10**5])
def test_a_guess_about_being_in_the_data(ask_json, ratio):
    """A count with geometric noise: one person more or less moves it by one."""
    p = Fraction(1, ratio)
    told = ask_json("measure", f"geometric(ratio={ratio})", "--neighbours", "add-remove")
    start = f"{GUESS} whether each is in the data would get at most "
    assert start in told["sentence"]
    # The best rule names the nearer count: half of what lies from 1 on, and of what does not.
    chance = ((1 / (1 + p)) + (1 - p / (1 + p))) / 2
    assert exact(told["guess"]) == chance
    guessed(told["sentence"], chance)
    two = ask_json("measure", f"geometric(ratio={ratio})", "--neighbours", "add-remove",
                   "--group", 2)  # fmt: skip
    assert "even odds between two databases that are 2 records apart, at most " in two["sentence"]
    noise = {k: (1 - p) / (1 + p) * p ** abs(k) for k in range(-6, 9)}
    apart = sum((max(noise[k] - noise[k - 2], 0) for k in range(-4, 9)), Fraction(0))
    left = sum((max(noise[k - 2] - noise[k], 0) for k in range(-4, 9)), Fraction(0))
    assert abs(exact(two["guess"]) - (1 + max(apart, left)) / 2) < 4 * p**5
    guessed(two["sentence"], exact(two["guess"]))


@pytest.mark.parametrize(
    ("protect", "guess"),
    [
        ("edge", "someone who knows all other edges and guesses at even odds whether each pair has "
         "an edge"),
        ("node", f"{GUESS} which of two possible labels and sets of edges is theirs"),
    ],
)  # fmt: skip
def test_a_guess_about_a_graph_names_what_its_neighbours_differ_in(protect, guess):
    """Three nodes, and geometric noise on the edges: by all events that are a half-line."""
    universe = Graphs((1, 2, 3), protect=protect)
    added = AddedNoise(GeometricNoise(HALF))
    noisy = OnStatistic(universe, edges(), added, expression="edges")
    everything = list(itertools.product((0, 1), repeat=3))  # of the pairs 12, 13, 23
    step = max(
        abs(sum(x) - sum(y))
        for x, y in itertools.combinations(everything, 2)
        if any(a == b for a, b in zip(x, y, strict=True))
        and (protect == "node" or sum(a != b for a, b in zip(x, y, strict=True)) == 1)
    )
    noise = {k: HALF ** abs(k) / 3 for k in range(-40, 41)}
    gap = max(
        sum(noise[t] - noise.get(t - step, 0) for t in range(-40, end)) for end in range(-9, 9)
    )
    told = DifferentialPrivacy().tightest(noisy).sentence
    assert f", {guess} would get " in told
    guessed(told, Fraction(round((1 + gap) / 2 * 10**6), 10**6))


@pytest.mark.parametrize("sigma", ["1/4", "1", "4", "100", "1000000"])
def test_a_guess_under_gaussian_noise_by_normal_tails(ask_json, sigma):
    told = ask_json("measure", f"gaussian(sigma={sigma})")
    chance = Fraction((1 + math.erf(1 / (float(Fraction(sigma)) * math.sqrt(8)))) / 2)
    assert float(chance) == pytest.approx(told["guess"]["value"], abs=1e-12)
    guessed(told["sentence"], chance)
    promise = ask_json("explain", f"gdp(mu={1 / Fraction(sigma)})")
    guessed(promise["sentences"][0], chance)


@pytest.mark.parametrize("r", [Fraction(1), Fraction(3, 2), Fraction(3), Fraction(9), Fraction(50)])
@pytest.mark.parametrize("d", [Fraction(0), Fraction(1, 10**6), Fraction(1, 500), Fraction(1, 5)])
@pytest.mark.parametrize("beside", ["", ", neighbours=add-remove", ", group=3"])
def test_a_guess_that_a_promise_allows_is_reached_by_a_mechanism_that_keeps_it(
    ask_json, r, d, beside
):
    """Certainty with probability delta, and else the two outputs of randomized response."""
    rest = (1 - d) / (1 + r)
    first, second = [d, rest * r, rest, Fraction(0)], [Fraction(0), rest, rest * r, d]
    assert delta(first, second, r) == delta(second, first, r) == d
    chance = best({"x": first, "y": second}, [("x", "y")])
    told = ask_json("explain", f"dp(ratio={r}, delta={d}{beside})")
    assert chance == exact(told["guess"])
    guessed(told["sentences"][0], chance, d)


@pytest.mark.parametrize("kind", ["zcdp(rho={})", "rdp(order=3/2, epsilon={})"])
@pytest.mark.parametrize("amount", ["1/100", "1/2", "4"])
def test_no_pair_of_coins_within_a_divergence_is_guessed_better(ask_json, kind, amount):
    told = ask_json("explain", kind.format(amount))
    guessed(told["sentences"][0], Fraction(told["guess"]["value"]))
    orders = (1.0001, 1.5, 2, 4, 16, 64) if kind.startswith("zcdp") else (1.5,)
    grid = [Fraction(k, 100) for k in range(1, 100)]
    for p, q in itertools.product(grid, grid):
        laws = ((p, q), (1 - p, 1 - q)), ((q, p), (1 - q, 1 - p))
        within = all(
            math.log(sum(float(x) ** a * float(y) ** (1 - a) for x, y in law)) / (a - 1)
            <= float(Fraction(amount)) * (a if kind.startswith("zcdp") else 1)
            for law in laws
            for a in orders
        )
        assert not within or (1 + abs(p - q)) / 2 <= told["guess"]["value"] + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_a_guess_that_a_curve_allows(ask_json, seed):
    """The best rule under a curve: misses and false alarms, each half of the time."""
    random = Random(seed)
    x, f = Fraction(random.randint(1, 4), 10), Fraction(random.randint(1, 5), 10)
    told = ask_json("explain", f"f-dp('0:1, {x}:{f}, 1:0')")
    errors = [
        (z + (1 - (1 - f) * z / x if z <= x else f * (1 - z) / (1 - x))) / 2
        for z in (Fraction(k, 100) for k in range(101))
    ]
    guessed(told["sentences"][0], 1 - min(errors))


# --- what a delta leaves of odds and beliefs ------------------------------------------------------

KNOWN = (
    "Someone who knows everybody else's record and gives even odds to two possible values of yours "
    "can end up at odds of at most # to 1, except with probability at most #."
)
ANY = (
    "Whatever someone believed about you, this answer moves their belief, compared with the same "
    "answer computed without you, by at most # percentage points, except with probability at most "
    "# over data and noise."
)


@pytest.mark.parametrize("r", [Fraction(1), Fraction(3, 2), Fraction(5)])
def test_odds_move_further_as_often_as_is_said_for_the_worst_pair_of_laws(ask_json, r):
    """All delta lies on outputs just beyond the odds that are named: so often, and no more."""
    d = Fraction(1, 1000)
    told = ask_json("explain", f"dp(ratio={r}, delta={d})")
    _, (odds, failure) = fit(told["sentences"][2], KNOWN)
    assert odds >= 2 * r
    far = 2 * r * Fraction(10001, 10000)
    beyond = d / (far - r)  # p = far q, and p - r q = delta
    first, second = [far * beyond, beyond], [beyond, far * beyond]
    left = 1 - sum(first)
    first, second = ([*law, left] for law in (first, second))
    assert delta(first, second, r) == delta(second, first, r) == d
    for prior in (HALF, Fraction(1, 50), Fraction(9, 10)):
        often = sum(
            prior * p + (1 - prior) * q
            for p, q in zip(first, second, strict=True)
            if p > 2 * r * q or q > 2 * r * p
        )
        assert often <= failure <= often * Fraction(102, 100)


@pytest.mark.parametrize("seed", range(12))
def test_beliefs_with_and_without_you_lie_further_apart_no_more_often_than_is_said(
    ask_json, tmp_path, seed
):
    """Random mechanisms on two bits, nearly constant, with rare outputs that tell much."""
    random = Random(seed)
    tell = random_mechanism(random, 2, least=0)
    rare = Fraction(1, 20_000)
    law = {
        x: [rare * tell[x][0], rare * tell[x][1], 1 - rare * sum(tell[x])] for x in BITS
    }  # fmt: skip
    a = Fraction(random.choice([1, 2, 3]))
    told = ask_json("measure", matrix(tmp_path / "m.csv", law), "--ratio", a)
    if exact(told["delta"]) == 0:
        return
    _, (most, failure) = fit(told["more"][2].replace("point,", "points,"), ANY)
    for belief in two_point_beliefs():
        for person in (0, 1):
            often = Fraction(0)
            for output in range(3):
                used = posterior(law, belief, output)
                if used is None:
                    continue
                if 100 * apart(used, posterior(law, belief, output, person)) > most:
                    often += sum(mass * law[x][output] for x, mass in belief.items())
            assert often <= failure


EVERYBODY = (
    "The same holds for all 2 people at once with # percentage points, except with probability at "
    "most # over data and noise."
)


@pytest.mark.parametrize("seed", range(8))
def test_beliefs_about_everybody_at_once_move_further_no_more_often_than_is_said(ask_json, seed):
    """Random mechanisms on two bits, of which one output tells much, against all persons."""
    random = Random(seed)
    tell = random_mechanism(random, 2, least=0)
    rare = Fraction(1, 200)
    law = {x: [rare * tell[x][0], rare * tell[x][1], 1 - rare * sum(tell[x])] for x in BITS}
    a = Fraction(3, 2)
    d = max(delta(law[x], law[y], a) for x, y in itertools.permutations(BITS, 2))
    if d == 0:
        return
    told = ask_json("explain", f"dp(ratio={a}, delta={d}, records=2)")
    _, (most, failure) = fit(told["sentences"][-1], EVERYBODY)
    for belief in two_point_beliefs():
        often = Fraction(0)
        for output in range(3):
            used = posterior(law, belief, output)
            if used is None:
                continue
            gaps = [apart(used, posterior(law, belief, output, person)) for person in (0, 1)]
            if 100 * max(gaps) > most:
                often += sum(mass * law[x][output] for x, mass in belief.items())
        assert often <= failure


def test_everybody_at_once_has_the_tight_constants(ask_json):
    """tau = sqrt(n delta (2 + a)): here 1/10, beside tanh(epsilon/2) = 1/5."""
    told = ask_json("explain", "dp(ratio=3/2, delta=1/350000, records=1000)")
    _, (most, failure) = fit(told["sentences"][-1].replace("1,000", "2"), EVERYBODY)
    assert (most, failure) == (30, Fraction(1, 10))
    alone = ask_json("explain", "dp(ratio=3/2, delta=1/350000)")["sentences"]
    assert told["sentences"][:-1] == alone


# --- rounding and words ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chance", "said", "word"),
    [
        ("1/2", "100 people: 50 (50)", "strong"),
        ("0.6", "100 people: at most 60 (50)", "strong"),
        ("0.6001", "100 people: at most 61 (50)", "strong"),
        ("3/4", "100 people: at most 75 (50)", "strong"),
        ("0.7501", "100 people: at most 76 (50)", "moderate"),
        ("0.51", "100 people: at most 51 (50)", "strong"),
        ("0.5099", "1,000 people: at most 510 (500)", "strong"),
        ("0.5009", "10,000 people: at most 5,009 (5,000)", "strong"),
        ("0.500002", "1,000,000 people: at most 500,002 (500,000)", "strong"),
        ("0.5000001", "1,000,000 people: just over half (half)", "strong"),
        ("0.9", "100 people: at most 90 (50)", "moderate"),
        ("0.99", "100 people: at most 99 (50)", "weak"),
        ("0.9901", "1,000 people: at most 991 (500)", "none"),
        ("0.99999", "100,000 people: at most 99,999 (50,000)", "none"),
        ("0.9999999", "1,000,000 people: practically all (half)", "none"),
        ("1", "100 people: all 100 (50)", "none"),
    ],
)
def test_numbers_are_rounded_up_and_never_too_coarse(chance, said, word):
    """The page is tested on the same numbers."""
    of, _, rest = said.partition(" people: ")
    right, _, half = rest.removesuffix(")").partition(" (")
    assert guess_sentence(Subject.of(1), Fraction(chance)) == (
        f"Of {of} people in your position, {OPEN} would get {right} right "
        f"({half} without your data)."
    )
    assert strength(Fraction(chance)) == word


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_guess_about_several_outputs_says_that_it_is_about_all_of_them(ask_json, tmp_path, times):
    law = random_mechanism(Random(times))
    told = ask_json("measure", matrix(tmp_path / "m.csv", law), "--times", times)["sentence"]
    assert told.startswith(f"All {times} outputs together: of 100 ") == (times > 1)
