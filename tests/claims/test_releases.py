"""Noisy answers, randomized columns and attacks on them; against the laws of the noise."""

import math
import re
from fractions import Fraction

import pytest

from tests.claims.reading import exact, fit, guess_is, number

GUESSES = "someone who knows everyone else and guesses at even odds whether each is in the data"
PROMISE = f"Of # people in your position, {GUESSES} would get # right (# without your data)~"
TOGETHER = "of" + PROMISE.removeprefix("Of").removesuffix("~")
MORE = (
    "Someone who knows all other records, and what yours would be, and gives even odds to your "
    "being in the data or not can end up at odds of at most # to 1: 50% becomes at most #%, and 1% "
    "at most #%. Whatever someone believed about you, this answer moves their belief, compared "
    "with the same answer computed without you, by at most # percentage points; odds of 1 to 99 "
    "become at most # to #. This number is larger because your data can speak for one possibility "
    "and against another. What they learn about you from the others' data comes on top, with your "
    "data or without. Here you are one row, and your record is that row."
)


def beyond(width: int, scale: float) -> float:
    """The probability that discrete Laplace noise is larger than a width, on either side."""
    p = math.exp(-1 / scale)
    return 2 * p ** (width + 1) / (1 + p)


def near(said: Fraction, truth: float) -> bool:
    return truth <= said * (1 + Fraction(1, 10**9)) and said <= truth * 1.02


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1)])
@pytest.mark.parametrize(
    ("asked", "moved"), [("COUNT(*)", 1), ("SUM(age)", 110), ("region, COUNT(*)", 1)]
)
def test_answers_lie_within_what_is_said_so_often_and_no_wider(
    ask, ask_json, epsilon, asked, moved
):
    ask("demo", "--folder", "hospital")
    query = f"SELECT {asked} FROM people" + (" GROUP BY region" if "region" in asked else "")
    said = ask(
        "release", "--policy", "hospital/policy.yml", "--analyst", "bob", "--epsilon", epsilon,
        "--dry-run", query,
    )[1]  # fmt: skip
    _, (cost, *holes) = fit(
        said,
        "It would cost epsilon #. Left before: ~. Left after: ~. Nothing was charged. Asked of "
        "people: ~. ~: "
        f"within # (95%) ~ Neighbours: ~ of scale #. ~ {PROMISE}",
    )
    asked_more = [
        "release", "--policy", "hospital/policy.yml", "--analyst", "bob", "--epsilon", epsilon,
        "--dry-run", query,
    ]  # fmt: skip
    told = ask_json(*asked_more)["meaning"]
    fit(told[0], PROMISE)
    width, scale = holes[4], holes[7]
    assert cost == epsilon
    assert scale == moved / epsilon
    assert beyond(int(width), float(scale)) <= 0.05 < beyond(int(width) - 1, float(scale))
    assert guess_is(*holes[9:12], epsilon)
    assert holes[12].startswith(": strong protection.")
    _, (odds, half, rare, moves, one, other) = fit(" ".join(told[1:]), MORE)
    r = math.exp(epsilon)
    for told, truth in (
        (odds, r),
        (half, 100 * r / (1 + r)),
        (rare, 100 * r / (99 + r)),
        (moves, 100 * math.tanh(epsilon / 2)),
    ):
        assert near(told, truth)
    assert r * r <= 99 * one / other <= 1.1 * r * r


def optimal_epsilon(epsilon: float, times: int, delta: float) -> float:
    """The least epsilon of so many randomized responses together, by the law of their sum."""
    q = 1 / (1 + math.exp(epsilon))
    losses = [
        ((2 * k - times) * epsilon, math.comb(times, k) * (1 - q) ** k * q ** (times - k))
        for k in range(times + 1)
    ]
    low, high = 0.0, times * epsilon
    for _ in range(100):
        middle = (low + high) / 2
        gap = math.fsum(p * (1 - math.exp(middle - loss)) for loss, p in losses if loss > middle)
        low, high = (middle, high) if gap > delta else (low, middle)
    return high


@pytest.mark.parametrize(("epsilon", "times"), [("1/10", 25), ("0.05", 40)])
def test_a_batch_fixed_in_advance_costs_what_optimal_composition_says(ask, epsilon, times):
    ask("demo", "--folder", "hospital")
    queries = [f"SELECT COUNT(*) FROM people WHERE age >= {age}" for age in range(times)]
    said = ask(
        "release", "--policy", "hospital/policy.yml", "--analyst", "bob", "--each", epsilon,
        "--delta", "4e-7", "--dry-run", *queries,
    )[1]  # fmt: skip
    _, holes = fit(
        said,
        "It would cost epsilon #, delta #. Left before: ~. Left after: ~. Nothing was charged. "
        "Warning: This takes #% of what is left to bob: epsilon 4, delta # before, epsilon #, "
        "delta # after. ~ Asked of "
        "people: ~ The whole costs epsilon #, delta # by certified composition; added up it would "
        "be epsilon "
        f"#. Neighbours: ~ {TOGETHER.replace('of #', 'Of #', 1)}: moderate protection; with "
        "probability up to # the output gives it away. note -o "
        "plan.html writes two pages, to be signed before it is paid More: add --more.",
    )
    cost, delta, _, _, share, left, rest, still, *holes = holes
    _, _, whole, same, added, _, of, right, half, plus = holes
    assert (share, left, still) == (80, Fraction(5, 10**7), Fraction(1, 10**7))
    assert rest == 4 - cost
    truth = optimal_epsilon(float(Fraction(epsilon)), times, 4e-7)
    assert truth <= cost * (1 + Fraction(1, 10**9))
    assert cost <= truth * 1.00002
    assert (whole, delta, same, plus) == (cost, Fraction(4, 10**7), delta, delta)
    assert added == times * Fraction(epsilon)
    assert guess_is(of, right, half, cost, 4e-7)


def test_budgets_say_what_all_releases_together_let_anyone_learn(ask):
    ask("demo", "--folder", "hospital")  # it spends epsilon 1 on people
    for age, epsilon in enumerate(("1/2", "1/4")):
        ask(
            "release", "--policy", "hospital/policy.yml", "--analyst", "bob", "--epsilon", epsilon,
            f"SELECT COUNT(*) FROM people WHERE age >= {age}",
        )  # fmt: skip
    template = (
        f"~ Everything released from people so far, together: {TOGETHER}: moderate protection. If "
        f"the whole budget of people is spent: {TOGETHER}: practically no protection; with "
        "probability up to # the output gives it away. Here you are one row, and your record is "
        "that row. "
        "Nothing has been released from visits so far. If "
        f"the whole budget of visits is spent: {TOGETHER}: weak protection; with probability up "
        "to # the output gives it away. Here you are one person, and your record is all your rows."
    )
    for words, end in ((("budget", "--policy"), ""), (("ledger", "show"), " note last hash ~")):
        _, holes = fit(ask(*words, "hospital/policy.yml")[1], template + end)
        # The worst of all answers that three counts can give together, one person more or less.
        ratio = 1.0
        for epsilon in (Fraction(1), Fraction(1, 2), Fraction(1, 4)):
            law = geometric(math.exp(-epsilon), 40)
            ratio *= max(law[k] / law[k - 1] for k in range(-39, 41))
        assert guess_is(*holes[1:4], math.log(ratio))
        assert guess_is(*holes[4:7], 6, 1e-6)
        assert guess_is(*holes[8:11], 4, 1e-6)
        assert holes[7] == holes[11] == Fraction(1, 10**6)


def test_of_costs_in_rho_only_the_promise_of_the_budget_is_said(ask):
    ask("demo", "--folder", "hospital")
    ask(
        "release", "--policy", "hospital/policy.yml", "--analyst", "ann", "--rho", "1/100",
        "SELECT COUNT(*) FROM visits",
    )  # fmt: skip
    said = ask("budget", "--policy", "hospital/policy.yml", "--dataset", "visits")[1]
    _, holes = fit(
        said,
        "~ Everything released from visits so far, together, stays within its budget, if that was "
        f"set before the first release: {TOGETHER}: {{0}} If the whole budget of visits is spent: "
        f"{TOGETHER}: {{0}} Here you are one person, and your record is all your rows.".format(
            "weak protection; with probability up to # the output gives it away."
        ),
    )
    assert holes[1:5] == holes[5:9]
    assert guess_is(*holes[1:4], 4, 1e-6)
    # The reading of the same ledger would be less, and is no promise.
    assert "epsilon about" in said


@pytest.mark.parametrize("keep", [Fraction(3, 4), Fraction(2, 3), Fraction(9, 10)])
def test_randomized_columns_move_odds_so_far(ask, tmp_path, keep):
    (tmp_path / "in.csv").write_text("c\nyes\nno\nyes\n", encoding="utf-8")
    said = ask(
        "randomize", "in.csv", "out.csv", "--column", "c", "--values", "yes, no",
        "--with", f"randomized-response(keep={keep})",
    )[1]  # fmt: skip
    _, (reports, _, factor, most, twice) = fit(
        said,
        "# reports of column 'c' were written, in the order of the records. Each record is "
        "reported on its own by ~, over the values yes, no. The report changes anyone's odds "
        "between two values of that record, whatever else they know, by a factor of at most "
        "#: of two values that seemed equally likely, one gets a probability of at most #. Where "
        "records go together, the reports of others tell about it as well. Cells with none of "
        "these values are first replaced by one of them, chosen evenly. No other column was "
        "copied. Randomizing this column again would be a second look at every record: "
        "both together move "
        "odds by a factor of up to #. Keep this file instead. note wrote out.csv note wrote "
        "out.csv.certificate.json",
    )
    true = keep / (1 - keep)
    assert (factor, most, reports, twice) == (true, keep, 3, true * true)


def binomial(n, p):
    return [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


@pytest.mark.parametrize(("people", "keep"), [(8, Fraction(3, 4)), (6, Fraction(9, 10))])
def test_estimates_are_unbiased_and_their_intervals_hold(ask, ask_json, tmp_path, people, keep):
    """All numbers of reports, weighed with their probability for every true count."""
    law = {}
    for true in range(people + 1):
        ours, others = binomial(true, keep), binomial(people - true, 1 - keep)
        law[true] = [
            sum(ours[k] * others[r - k] for k in range(true + 1) if 0 <= r - k <= people - true)
            for r in range(people + 1)
        ]
    found = {}
    for reported in range(people + 1):
        cells = ["yes"] * reported + ["no"] * (people - reported)
        (tmp_path / "r.csv").write_text("\n".join(["c", *cells]) + "\n", encoding="utf-8")
        words = [
            "estimate", "r.csv", "--column", "c", "--values", "yes, no",
            "--with", f"randomized-response(keep={keep})",
        ]  # fmt: skip
        one = ask_json(*words)["estimates"][0]
        found[reported] = exact(one["count"]), one["interval"]["low"], one["interval"]["high"]
        fit(
            ask(*words)[1],
            f"{people} reports through ~, taken back exactly: unbiased estimates of the true "
            "counts, whatever the data are, in which a cell without a declared value counts as the "
            f"value that stood in for it. They may fall below 0 or above {people}. ~ The "
            "guaranteed intervals hold with 95% confidence, each on its own, for any data (exact "
            "tails). The normal ones are an approximation for many records.",
        )
    for true, masses in law.items():
        assert sum(mass * found[r][0] for r, mass in enumerate(masses)) == true
        held = sum(m for r, m in enumerate(masses) if found[r][1] <= true <= found[r][2])
        assert held >= Fraction(19, 20)
    # Not wider than what the two exact tails of 2.5% leave.
    for reported, (_, low, high) in found.items():
        left = [
            true
            for true, masses in law.items()
            if min(sum(masses[reported:]), sum(masses[: reported + 1])) > Fraction(1, 40)
        ]
        assert low >= min(left)
        assert high <= max(left)


def geometric(p: Fraction | float, reach: int) -> dict[int, float]:
    return {k: float((1 - p) / (1 + p) * p ** abs(k)) for k in range(-reach, reach + 1)}


@pytest.mark.parametrize("ratio", [2, 3])
def test_averaging_finds_the_truth_as_often_as_is_said(ask, ratio):
    said = ask("attack", "averaging", "--epsilon", f"ln {ratio}")[1]
    p, reach = Fraction(1, ratio), 40
    one = geometric(p, reach)
    _, (epsilon, single, many, reach95, total, _) = fit(
        said,
        "Fresh noise with epsilon # at every question: one answer is exactly right with "
        "probability #%, the rounded mean of 256 with #%. # questions reach 95%, at a total cost "
        "of epsilon #: a promise that does not add this up is false. ~",
    )
    assert abs(float(epsilon) - math.log(ratio)) < 1e-3
    assert abs(float(single) / 100 - one[0]) < 1e-3
    assert abs(float(total) - float(reach95) * math.log(ratio)) < 1e-2
    assert many > 95
    rows = dict(re.findall(r" (1|4) (?:about )?([0-9.]+)% ", " ".join(said.split())))
    four = {0: 1.0}
    for _ in range(4):
        added: dict[int, float] = {}
        for a, x in four.items():
            for b, y in one.items():
                added[a + b] = added.get(a + b, 0.0) + x * y
        four = added
    sure = sum(mass for k, mass in four.items() if abs(k) < 2)
    tied = sum(mass for k, mass in four.items() if abs(k) == 2)
    assert abs(float(number(rows["1"])) / 100 - one[0]) < 1e-3
    assert sure - 1e-3 <= float(number(rows["4"])) / 100 <= sure + tied + 1e-3


def test_differences_of_noisy_counts_give_away_so_much(ask):
    said = ask("attack", "differencing", "--engine", "--epsilon", "1")[1]
    _, holes = fit(
        said,
        "The difference of two allowed answers tells: the person with ~ has depressed = yes. The "
        "server refuses counts below # and above #. ~ From the release engine, with epsilon 1 "
        "for the whole attack, the same 2 answers lead to #, with a standard error of #. "
        "Beforehand, this attack guesses a yes-or-no secret right with probability #%; a coin has "
        "50%, and no attack on these answers, whatever it knows of everybody else, has more than "
        "#%.",
    )
    error, guessed, most = holes[-3:]
    p = math.exp(-0.5)
    assert abs(float(error) - math.sqrt(2 * 2 * p / (1 - p) ** 2)) < 0.05
    same = ((1 - p) / (1 + p)) ** 2 * (1 + p * p) / (1 - p * p)
    assert abs(float(guessed) / 100 - (1 + same) / 2) < 1e-3
    assert abs(float(most) / 100 - math.e / (1 + math.e)) < 1e-3
