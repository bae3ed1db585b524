"""Numbers in sentences: exact, or behind a word that says to which side they are rounded.

Every command is run twice, for people and with --json. A decimal among the words that agrees with
an exact number of the JSON to its last digit, but is not that number, stands behind a word or sign:
"at most" only if it is no smaller, "at least" only if it is no larger, or "about". A decimal in
brackets right after an exact form, as in ``1/3 (0.333334)``, says itself what it is.
"""

import itertools
import json
import random
import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from tests.claims.test_sentences import ANY_BELIEF, FACTOR
from tests.cli.calling import call
from twoworlds.mechanisms import Dense, PerRecord
from twoworlds.numbers import sqrt
from twoworlds.worlds import BitStrings, Explicit, Integers

NUMBER = re.compile(r"(?<![\w./^=-])(\d[\d,]*\.\d+(?:e-?\d+)?)(%| percentage points?)?(?![\w/])")
UP = re.compile(r"(at most|<=|up to|within|within delta|plus|at most delta)\W*$")
DOWN = re.compile(r"(at least|>=|less than|below|nearer than|between)\W*$")
EITHER = re.compile(r"(about|more than|above) $")
BETWEEN = re.compile(r"between \S+( \(\S+\))? and $")
EXACT_BEFORE = re.compile(r"\S \($")


def values(data: object) -> list[tuple[Fraction, Fraction]]:
    """Collect the numbers of a JSON answer, each as the two ends of what is known of it."""
    if isinstance(data, dict):
        if "exact" in data and "value" in data:
            exact = re.fullmatch(r"-?\d+(/\d+)?", data["exact"] or "")
            if exact:
                return [(Fraction(exact[0]),) * 2]
            low, high = data.get("lower"), data.get("upper")
            return [] if low is None or high is None else [(Fraction(low), Fraction(high))]
        return [found for part in data.values() for found in values(part)]
    if isinstance(data, list):
        return [found for part in data for found in values(part)]
    return []


def offences(text: str, known: list[tuple[Fraction, Fraction]], fewest: int = 3) -> list[str]:
    """Return the places at which a rounded number has no word, or the wrong one.

    Numbers of fewer digits are left out: they may be near one of the known by chance.
    """
    blocks = text.split("\n\n")
    text = " ".join(" ".join(b for b in blocks if not ("──" in b and "at most" in b)).split())
    known = [*known, *((1 - high, 1 - low) for low, high in known)]
    found = []
    for seen in NUMBER.finditer(text):
        before, number = text[: seen.start()], Decimal(seen[1].replace(",", ""))
        if len(number.as_tuple().digits) < fewest or before.endswith("the claim allows at most "):
            continue  # what a claim allows is none of the numbers found
        scale = 100 if seen[2] else 1
        x, unit = Fraction(number) / scale, Fraction(10) ** number.as_tuple().exponent / scale
        near = [(low, high) for low, high in known if low - unit < x < high + unit]
        if not near or (x, x) in near or EITHER.search(before):
            continue
        if EXACT_BEFORE.search(before) and text[seen.end()] == ")":
            continue
        if UP.search(before) or BETWEEN.search(before):
            right = any(x >= low for low, _ in near)
        else:
            right = bool(DOWN.search(before)) and any(x <= high for _, high in near)
        if not right:
            found.append(text[max(0, seen.start() - 60) : seen.end() + 20])
    return found


def long_fraction(chance: random.Random, low: str, high: str) -> Fraction:
    """Return a fraction of too many digits to be printed exactly."""
    share = Fraction(chance.randrange(10**12, 10**13), 10**13 + 37)
    return Fraction(low) + (Fraction(high) - Fraction(low)) * share


COMMANDS = """
measure randomized-response(bits=3,keep={p})
measure randomized-response(bits=3,keep={p}) --ratio 6/5
measure randomized-response(bits=3,keep={p}) --delta {d}
measure randomized-response(bits=3,keep={p}) --group 2
measure randomized-response(bits=3,keep={p}) --definition gamma-amplification
measure randomized-response(bits=2,keep={p}) --definition mutual-information
measure randomized-response(bits=2,keep={p}) --definition statistical-difference
measure geometric(ratio={r},bits=2) --definition informed
measure geometric(ratio={r},bits=2) --definition semantic
measure geometric(ratio={r},bits=2) --definition semantic(epsilon=1/4)
measure noisy-parity(bits=2,keep={p}) --definition reality-oblivious(uniform,epsilon=1/10)
measure truncated-geometric(ratio={r},bits=2) --definition local-semantic(uniform,epsilon=1/6)
measure exact(sum,universe=bits(2)) --definition ddp(independent({p}),simulator=canonical,ratio=2)
measure exact(sum,universe=bits(2)) --definition noiseless(independent({p},{p}),ratio=3/2)
measure gaussian(sigma={r}) --delta 1e-6
measure laplace(epsilon={d})
measure randomized-response(bits=2,keep={p}) --definition rdp(order=2)
measure laplace(epsilon={d}) --definition rdp(order=5/2)
measure randomized-response(bits=2,keep={p}) --definition zcdp
measure gaussian(sigma={r}) --definition zcdp
measure randomized-response(bits=2,keep={p}) --definition gdp
measure compose(laplace(epsilon={d}),times=10) --definition gdp
check randomized-response(bits=2,keep={p}) dp(ratio=11/10)
check randomized-response(bits=2,keep={p}) dp(ratio=11/10,delta={d})
check randomized-response(bits=2,keep={p}) dp(ratio=100)
check randomized-response(bits=2,keep={p}) informed(epsilon=1/1000)
check randomized-response(bits=2,keep={p}) semantic(epsilon=1/1000)
check randomized-response(bits=2,keep={p}) semantic(epsilon=1/10,delta=1/1000)
check randomized-response(bits=2,keep={p}) statistical-difference(epsilon=1/1000)
check randomized-response(values=3,records=4,keep={p}) frapp(gamma=11/10)
check randomized-response(bits=2,keep={p}) linear(x11<=x10)
check randomized-response(bits=2,keep={p}) rdp(order=2,epsilon=1/1000)
check randomized-response(bits=2,keep={p}) zcdp(rho=1/1000)
check gaussian(sigma={r}) gdp(mu=1/100)
check randomized-response(bits=2,keep={p}) f-dp("0:1,1/4:2/3,1:0")
check exact(sum,universe=bits(2)) ddp(independent({p},{p}),ratio=3/2,delta={d})
explain dp(ratio={r})
explain dp(ratio={r},neighbours=add-remove)
explain dp(epsilon={d},delta={d})
explain informed(epsilon={d})
explain semantic(epsilon={d},delta={d})
explain pointwise(ratio={r},delta={d})
explain rdp(order=3,epsilon={d})
explain zcdp(rho={d})
explain gdp(mu={r})
posterior geometric(ratio={r},bits=2) --belief independent({p},{p}) --output 1 --secret 1=1
tradeoff randomized-response(bits=1,keep={p}) 1 0 --level 1/20
tradeoff geometric(ratio={r},bits=3) --belief independent({p}) --person 1 --alternative 1
implies dp(ratio={r}) --to semantic
implies dp(ratio={r},delta={d}) --to semantic(epsilon=1/5) --records 10
implies semantic(epsilon={d}) --to dp
implies zcdp(rho={d}) --to dp(delta=1e-6)
implies dp(ratio={r}) --to gdp
simulator exact(sum,universe=bits(2)) --belief independent({p},{p}) --ratio 3/2
noiseless sum --values=-1,0,1 --people 20 --epsilon 0.5
noiseless sum --values 0,1 --people 8 --epsilon {d}
noiseless histogram --population 20 --rate {p} --threshold 4 --epsilon 0.5
noiseless map --law 1={p},0={q} --law 1={q},0={p} --people 9 --epsilon 0
noiseless size poisson(mean=100) --epsilon 0.3
calibrate laplace --sensitivity {r} --epsilon {d}
calibrate geometric --error {r}
calibrate gaussian --epsilon {r} --delta {d}
calibrate gaussian --rho {r} --times 3
calibrate laplace --epsilon {d} --delta {d} --times 5 --sensitivity {r}
calibrate discrete-gaussian --epsilon {r} --delta {d}
calibrate randomized-response --epsilon {r} --delta {d}
error geometric(ratio={r})
design dp(ratio={r}) --universe bits(1) --statistic count --loss squared
odds randomized-response(bits=2,keep={p}) --of even
statements randomized-response(bits=2,keep={p})
local geometric(ratio={r},bits=3) --ratio 11/10
local geometric(ratio={r},bits=2) --belief explicit(11={p},10={q}) --ratio 11/10
""".strip().splitlines()


def answers(capsys, line: str) -> tuple[str, str]:
    """Run one command for people and for machines."""
    arguments = line.split(" ")
    capsys.readouterr()
    _, said, refused = call(capsys, *arguments)
    assert said, (line, refused)
    _, data, _ = call(capsys, *arguments, "--json")
    return said, data


@pytest.mark.few(16)
@pytest.mark.parametrize("line", COMMANDS)
def test_what_is_rounded_says_so_and_to_the_right_side(capsys, line):
    chance = random.Random(line)
    for _ in range(3):
        p = long_fraction(chance, "11/20", "9/10")
        r, d = long_fraction(chance, "6/5", "7/2"), long_fraction(chance, "1/100", "1/20")
        said, exact = answers(capsys, line.format(p=p, q=1 - p, r=r, d=d))
        known = [*values(json.loads(exact)), *((x, x) for x in (p, 1 - p, r, d))]
        assert not offences(said, known), said


long_weights = st.lists(st.integers(10**9, 10**10), min_size=3, max_size=3)


@given(st.lists(long_weights, min_size=4, max_size=4))
def test_what_is_rounded_on_cards_and_in_explanations_says_so(columns):
    laws = [[Fraction(weight, sum(column)) for weight in column] for column in columns]
    mechanism = Dense(BitStrings(2), Integers(0, 2), list(zip(*laws, strict=True)))
    for definition in ("dp", "informed", "semantic", "statistical-difference"):
        for found in (
            tw.measure(mechanism, definition=definition),
            tw.check(mechanism, f"{definition}(epsilon=1/1000)"),
        ):
            words = re.sub("<svg.*?</svg>", "", found._repr_html_(), flags=re.DOTALL)
            words = re.sub("<[^>]*>", " ", words).replace("&lt;", "<").replace("&gt;", ">")
            known = values(found.to_dict())
            assert not offences(found.explain(more=True), known, fewest=5)
            assert not offences(words, known, fewest=5)


weights = st.lists(st.integers(1, 9), min_size=2, max_size=2)


@given(st.lists(weights, min_size=2, max_size=3), st.integers(1, 2))
def test_both_attackers_have_the_same_factor_where_records_are_randomized_alone(columns, records):
    """All databases, defaults, persons and outputs; the worst belief holds two possible."""
    laws = [[Fraction(weight, sum(column)) for weight in column] for column in columns]
    names = tuple(range(len(laws)))
    table = Dense(Explicit(names), Explicit((0, 1)), list(zip(*laws, strict=True)))
    survey = PerRecord(table, records)
    said = " ".join(tw.measure(survey).more)
    if "says nothing" in said:
        return
    swing = max(
        (survey.probability(o, x) / survey.probability(o, put(x, i, d)))
        / (survey.probability(o, y) / survey.probability(o, put(y, i, d)))
        for x, y in itertools.product(survey.universe, repeat=2)
        for o in survey.outputs
        for i, d in itertools.product(range(records), names)
    )
    factor = Fraction(FACTOR.search(said)[1])
    moved, here, there = map(Fraction, ANY_BELIEF.search(said).groups())
    assert swing <= factor <= swing * Fraction(1001, 1000)
    assert swing <= 99 * here / there <= swing * Fraction(11, 10)
    points = 100 * (sqrt(swing) - 1) / (sqrt(swing) + 1)
    assert points <= moved <= points + Fraction(1, 5)
    assert "Both numbers agree because your record is randomized on its own." in said


def put(x: tuple[int, ...], i: int, value: int) -> tuple[int, ...]:
    return (*x[:i], value, *x[i + 1 :])


def explained(capsys, guarantee: str) -> str:
    return " ".join(call(capsys, "explain", guarantee, "--more")[1].split())


def test_the_square_is_reached_by_some_belief_where_people_come_and_go(capsys):
    """A noisy count; you hold 1 if you are there, and the others hold nothing or one 1."""
    noisy = tw.mechanism("geometric(ratio=2)")
    said = explained(capsys, "dp(ratio=2, neighbours=add-remove)")
    odds = noisy.probability(1, 1) / noisy.probability(1, 2)  # with you, others 0 against 1
    without = noisy.probability(1, 0) / noisy.probability(1, 1)
    assert odds / without == 4
    moved, here, there = map(Fraction, ANY_BELIEF.search(said).groups())
    assert (moved, here, there) == (Fraction("33.4"), 1, 24)
    assert "This number is larger because your data can speak for one possibility" in said


@pytest.mark.parametrize(
    "kind",
    [
        "dp(ratio=3)",
        "dp(ratio=3, neighbours=add-remove)",
        "indistinguishable(ratio=3)",
        "informed(epsilon=1/4)",
        "informed(epsilon=1/4, neighbours=add-remove)",
    ],
)
def test_who_knows_all_others_never_stands_alone(capsys, kind):
    said = explained(capsys, kind)
    assert re.search("knows? (all other|everybody else)", said)
    assert "Whatever someone believed about you" in said


def test_differential_privacy_at_some_databases_promises_nothing_to_other_beliefs(capsys):
    said = explained(capsys, "local-dp(ratio=3)")
    assert "Nothing is promised for someone who holds other databases possible" in said
