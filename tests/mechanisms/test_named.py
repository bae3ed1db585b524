"""Named mechanisms: each law is the paper's formula, and bad arguments are refused by name."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from twoworlds import BitStrings, Dense, mechanism, universe
from twoworlds.answer import Table
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms.named import exact, gamma, pram, randomized_response
from twoworlds.numbers import bounds, exp, ln
from twoworlds.questions.mechanisms import show
from twoworlds.testing.strategies import laws, probabilities, rationals
from twoworlds.worlds.catalogue import statistic

POSITIVE = rationals(Fraction(1, 8), 6, denominator=8)
INSIDE = rationals(Fraction(1, 12), Fraction(11, 12), denominator=12)


def close(value, wanted):
    low, high = bounds(value)
    return abs(float(low) - wanted) < 1e-12 and abs(float(high) - wanted) < 1e-12


# --- laws ---------------------------------------------------------------------------------------


@given(probabilities(), st.integers(1, 3))
def test_randomized_response_keeps_each_bit_on_its_own(keep, bits):
    # Wu, Algorithm 1 with general keep; Lin & Kifer, Definition 5.3, with the entry of Appendix 6
    # corrected: p^(k - ham) (1 - p)^ham.
    survey = mechanism(f"randomized-response(bits={bits}, keep={keep})")
    for x, y in product(BitStrings(bits), repeat=2):
        flips = sum(a != b for a, b in zip(x, y, strict=True))
        assert survey.probability(y, x) == keep ** (bits - flips) * (1 - keep) ** flips


@given(st.integers(2, 5), probabilities())
def test_many_valued_randomized_response_shares_the_rest_evenly(values, keep):
    survey = mechanism(f"randomized-response(values={values}, records=1, keep={keep})")
    for x, y in product(range(values), repeat=2):
        wanted = keep if x == y else (1 - keep) / (values - 1)
        assert survey.probability((y,), (x,)) == wanted


@given(st.integers(2, 5), rationals(1, 9, denominator=4))
def test_randomized_response_by_ratio_costs_that_ratio(values, ratio):
    survey = mechanism(f"randomized-response(values={values}, records=3, ratio={ratio})")
    assert tw.measure(survey).ratio == ratio


@given(laws(3), laws(3), st.integers(1, 2))
def test_pram_passes_every_record_through_its_matrix(first, second, records):
    # Lin & Kifer, Section 3.2.2.
    rows = [list(row) for row in zip(first, second, strict=True)]
    survey = pram(rows, records=records)
    for x in product((0, 1), repeat=records):
        for y in product(range(3), repeat=records):
            wanted = Fraction(1)
            for a, b in zip(x, y, strict=True):
                wanted *= rows[b][a]
            assert survey.probability(y, x) == wanted


@given(st.lists(laws(3), min_size=2, max_size=3))
def test_gamma_is_the_largest_ratio_within_a_row(columns):
    # Lin & Kifer, Definition 5.10.
    rows = [list(row) for row in zip(*columns, strict=True)]
    rows = [row for row in rows if any(row)]
    found = gamma(pram(rows))
    if all(all(row) for row in rows):
        assert found == max(a / b for row in rows for a in row for b in row)
    else:
        assert found == tw.number("inf")


@given(INSIDE, st.integers(-2, 1), st.integers(2, 4))
def test_truncated_geometric_heaps_the_tails_on_its_ends(p, low, high):
    clamped = mechanism(f"truncated-geometric(p={p}, low={low}, high={high})")
    free = mechanism(f"geometric(p={p})")
    for x in range(low, high + 1):
        far = 60
        below = sum(free.probability(o, x) for o in range(low - far, low + 1))
        inner = [free.probability(o, x) for o in range(low + 1, high)]
        law = [clamped.probability(o, x) for o in range(low, high + 1)]
        assert law[1:-1] == inner
        assert 0 < law[0] - below < p ** (far - 10)
        assert sum(law) == 1


@given(INSIDE, st.integers(1, 3))
def test_differenced_negative_binomial_is_the_difference_by_convolution(p, r):
    # Lin & Kifer, Section 5.3.1: p is the continuation probability.
    noise = mechanism(f"differenced-negative-binomial(p={p}, r={r})")
    law = [comb(j + r - 1, j) * float(p) ** j * (1 - float(p)) ** r for j in range(400)]
    for k in (0, 1, 3):
        wanted = sum(law[j] * law[j + k] for j in range(400 - k))
        assert float(noise.probability(k, 0)) == pytest.approx(wanted, rel=1e-9)
        assert noise.probability(k, 0) == noise.probability(-k, 0)


@pytest.mark.parametrize(("l1", "l2"), [("1", "1"), ("2", "1"), ("1/3", "3/2")])
def test_skellam_is_the_difference_of_poisson_variables(l1, l2):
    # Lin & Kifer, Section 5.3.2.
    noise = mechanism(f"skellam(l1={l1}, l2={l2})")
    a, b = (poisson(float(Fraction(x))) for x in (l1, l2))
    for k in range(-3, 4):
        wanted = sum(a[j + k] * b[j] for j in range(max(0, -k), 60) if j + k < 60)
        assert close(noise.probability(k, 0), wanted)


def poisson(mean):
    from math import exp as e

    law = [e(-mean)]
    for j in range(1, 60):
        law.append(law[-1] * mean / j)
    return law


@given(POSITIVE, POSITIVE)
def test_laplace_calibrated_to_epsilon_costs_epsilon(epsilon, sensitivity):
    # Wu, Theorem 4.3; Dwork, Theorem 4.
    noise = mechanism(f"laplace(epsilon={epsilon}, sensitivity={sensitivity})")
    assert noise.scale == sensitivity / epsilon
    assert tw.measure(noise).ratio == exp(epsilon)
    assert close(noise.probability(3, 3), float(epsilon / sensitivity) / 2)


# --- combining, by text -------------------------------------------------------------------------


def test_combinations_are_calls_of_calls():
    both = "randomized-response(bits=2, keep=3/4)"
    ones = mechanism(f"then({both}, truncated-geometric(ratio=2, bits=2))")
    assert ones.outputs.size == 3
    assert mechanism(f"mix({both}, identity(bits=2), weight=1/3)").probability((1, 1), (1, 1)) == (
        Fraction(1, 3) * Fraction(9, 16) + Fraction(2, 3)
    )
    assert tw.measure(f"pair({both}, {both})").ratio == 9
    assert tw.measure(f"restrict({both}, [11, 00])", group=2).ratio == 9


def test_a_function_in_a_module_is_a_mechanism():
    text = "python:twoworlds.mechanisms.named.maps:constant"
    assert mechanism(text).expression == "constant(universe=bits(1))"
    ready = mechanism("parity(bits=2)")
    assert mechanism(ready) is ready


# --- bad arguments ------------------------------------------------------------------------------

RR = "randomized-response"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{RR}(bits=2, keep=1.2)", "keep=1.2 is not a probability"),
        (f"{RR}(bits=2, keep=nan)", "keep='nan' is not a number"),
        (f"{RR}(bits=2)", "exactly one of keep, ratio and epsilon"),
        (f"{RR}(keep=3/4)", "either bits=, or values= and records="),
        (f"{RR}(bits=2, records=3, keep=3/4)", "bits= already says how many records"),
        (f"{RR}(bits=0, keep=3/4)", "bits=0 must be a whole number, at least 1"),
        (f"{RR}(values=[], keep=3/4)", "the universe is empty"),
        (f"{RR}(values=[a, a], keep=3/4)", "named twice"),
        (f"{RR}(values=[[a]], keep=3/4)", "give a plain list"),
        (f"{RR}(bits=1, ratio=inf)", "no protection at all"),
        (f"{RR}(bits=1, epsilon=-1)", "epsilon=-1 is negative"),
        (f"{RR}(2, 3/4, 5, 6, 7, 8, 9)", "at most 6 arguments"),
        (f"{RR}(bits=2, kep=3/4)", "did you mean 'keep'"),
        ("pram([[1/2, 1/2], [1/3, 1/2]])", r"column 0 sums to 5/6 .*1/6 .*too little"),
        ("pram([[3/2, 1], [-1/2, 0]])", "is negative"),
        ("pram([[1/2], [1/2, 1]])", "has 2 entries for 1 databases"),
        ("pram([1/2, 1/2])", "matrix is a list of rows"),
        ("pram([[1]], records=0)", "records=0 must be a whole number, at least 1"),
        ("pram(nowhere.csv)", "cannot be read"),
        ("pram", "needs the argument 'matrix'"),
        ("geometric", "exactly one of ratio, epsilon and p"),
        ("geometric(ratio=1)", "must be finite and above 1"),
        ("geometric(ratio=1/2)", "ratio=1/2 must be at least 1"),
        ("geometric(epsilon=0)", "epsilon=0 must be a finite number above 0"),
        ("geometric(p=0)", "p=0 must lie strictly between 0 and 1"),
        ("geometric(ratio=2, sensitivity=0)", "sensitivity=0 must be a whole number"),
        ("geometric(ratio=2, bits=3, sensitivity=2)", "a count of bits has sensitivity 1"),
        ("truncated-geometric(ratio=2)", "needs high="),
        ("truncated-geometric(ratio=2, low=3, high=1)", "the universe is empty"),
        ("truncated-geometric(ratio=2, high=3, bits=3)", "bits= already sets the range"),
        ("truncated-geometric(ratio=2, high=1/2)", "high=1/2 must be a whole number"),
        ("differenced-negative-binomial(p=1, r=2)", "p=1 must lie strictly between 0 and 1"),
        ("differenced-negative-binomial(p=ln 2, r=2)", "is irrational here"),
        ("differenced-negative-binomial(p=1/2, r=0)", "r=0 must be a whole number, at least 1"),
        ("differenced-negative-binomial(p=1/2)", "needs the argument 'r'"),
        ("differenced-negative-binomial(p=1/2, r=129)", "r=129 is too large: give at most 128"),
        ("skellam(l1=0, l2=1)", "l1=0 must be a finite number above 0"),
        ("discrete-gaussian", "exactly one of sigma2, sigma, epsilon and rho"),
        ("discrete-gaussian(sigma2=0)", "sigma2=0 must be above 0"),
        ("integer-noise([])", "give at least one probability"),
        ("integer-noise([1/2, 1/3])", "sum to 5/6"),
        ("integer-noise([3/2, -1/2])", "is negative"),
        ("integer-noise(1/2)", "give a list such as"),
        ("integer-noise([1], start=1/2)", "start=1/2 must be a whole number"),
        ("laplace", "exactly one of scale, epsilon, ratio and rate"),
        ("laplace(scale=0)", "scale=0 must be a finite number above 0"),
        ("laplace(epsilon=0)", "epsilon"),
        ("laplace(ratio=1)", "ratio=1"),
        ("gaussian", "exactly one of sigma, sigma2, epsilon, rho and mu"),
        ("gaussian(sigma=0)", "sigma=0 must be a finite number above 0"),
        ("parity", "needs the argument 'bits'"),
        ("noisy-parity(bits=2)", "needs the argument 'keep'"),
        ("noisy-parity(bits=2, keep=2)", "keep=2 is not a probability"),
        ("random-index(records=0)", "records=0 must be a whole number"),
        ("identity", "identity takes either bits=, or values= and records="),
        ("constant(bits=1, universe=bits(1))", "not both"),
        ("constant(universe=bitz(1))", "did you mean 'bits'"),
        ("then(parity(bits=2), parity(bits=3))", "is not in"),
        ("mix(parity(bits=2), parity(bits=3))", "different databases"),
        ("mix(parity(bits=2), constant(bits=2), weight=2)", "weight=2 is not a probability"),
        ("pair(parity(bits=2), constant(bits=3))", "different databases"),
        ("restrict(parity(bits=2), 11)", "give a list such as"),
        ("restrict(parity(bits=2), [111])", "'111' is not in bits"),
        ("restrict(parity(bits=2), [])", "the universe is empty"),
        ("restrict(parity(bits=2), [11, 11])", "named twice"),
        ("randomised-response(bits=2, keep=3/4)", "did you mean 'randomized-response'"),
        ("python:", "write python:package.module:name"),
        ("python:no.such.module:name", "cannot be loaded"),
        ("python:twoworlds:nothing", "cannot be loaded"),
        (
            "python:twoworlds.mechanisms.named.maps:parity",
            "of nothing that returns one.*a sampler.*goes to: audit",
        ),
        ("python:twoworlds.mechanisms.named.noise:geometric", "exactly one of ratio"),
        ("python:twoworlds:__version__", "is a str: it must be a Mechanism"),
    ],
)
def test_rejects_bad_arguments_and_names_them(text, message):
    with pytest.raises(InvalidInput, match=message):
        mechanism(text)


@given(st.text(max_size=20))
def test_any_text_is_a_mechanism_or_refused(text):
    try:
        made = mechanism(text)
    except InvalidInput:
        return
    assert made.expression


def test_python_values_and_text_build_the_same_mechanism():
    by_text = mechanism("randomized-response(bits=2, keep=0.75)")
    by_value = randomized_response(bits=2, keep=0.75)
    assert by_text.expression == by_value.expression == "randomized-response(bits=2, keep=3/4)"
    assert isinstance(by_value.table(), Dense)
    assert ln(tw.measure(by_value).ratio) == tw.number("ln 3")


# --- Statistics published as they are ------------------------------------------------------------


@pytest.mark.parametrize("name", ["sum", "count(1)", "parity", "mean", "majority", "histogram"])
@pytest.mark.parametrize("where", ["bits(3)", "records(values=[2, 0, 1], n=2)"])
def test_the_output_is_the_statistic(name, where):
    made = mechanism(f"exact({name}, universe={where})")
    values = {x: statistic(name, universe(where))(x) for x in universe(where)}
    assert list(made.outputs) == sorted(set(values.values()))
    for x, value in values.items():
        assert {o: made.probability(o, x) for o in made.outputs if made.probability(o, x)} == {
            value: 1
        }


@pytest.mark.parametrize("name", ["sum", "histogram", "parity(2)", "count(2)"])
def test_the_values_of_large_surveys_are_found_by_structure(name, monkeypatch):
    where = "records(values=[0, 2, 5], n=4, smallest=0)"
    listed = list(exact(name, universe=where).outputs)
    monkeypatch.setattr("twoworlds.mechanisms.named.maps._MOST_LISTED", 1)
    assert list(exact(name, universe=where).outputs) == listed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exact(majority, universe=records(values=[yes, no], n=3))", "majority"),
        ("exact(majority(3), universe=bits(2))", "as a list"),
        ("exact(majority([]), universe=bits(2))", "at least one"),
        ("exact(majority([1, 1]), universe=bits(2))", "twice"),
        ("exact(summ, universe=bits(2))", "sum"),
        ("exact(sum)", "universe"),
    ],
)
def test_bad_statistics_are_refused(text, message):
    with pytest.raises(InvalidInput, match=message):
        mechanism(text)


def test_values_that_cannot_be_listed_are_refused():
    with pytest.raises(TooLarge, match="cannot be listed"):
        mechanism("exact(majority, universe=bits(40))")


BITS = ["11", "10", "01", "00"]


def survey(output: str, database: str) -> Fraction:
    kept = sum(a == b for a, b in zip(output, database, strict=True))
    return Fraction(3, 4) ** kept * Fraction(1, 4) ** (2 - kept)


def clamped(output: str, database: str) -> Fraction:
    """Geometric noise of ratio 2 on a count, by summing far more noise than any digit shows."""
    true, total = database.count("1"), Fraction(0)
    for noise in range(-60, 61):
        if min(2, max(0, true + noise)) == int(output):
            total += Fraction(1, 3) * Fraction(1, 2) ** abs(noise)
    return total


def printed(table: Table) -> dict[tuple[str, str], str]:
    columns = table.heads[1:]
    return {(row[0], x): p for row in table.rows for x, p in zip(columns, row[1:], strict=True)}


@pytest.mark.parametrize(
    ("text", "law", "outputs"),
    [
        ("randomized-response(bits=2, keep=3/4)", survey, BITS),
        ("truncated-geometric(ratio=2, bits=2)", clamped, ["0", "1", "2"]),
    ],
)
def test_every_entry_is_the_probability_of_its_row_on_its_column(text, law, outputs):
    said = show(text).answer()
    assert said.headline.endswith(": P(output | database)")
    found = printed(said.blocks[0])
    assert set(found) == set(product(outputs, BITS))
    for (output, database), entry in found.items():
        assert abs(Fraction(entry) - law(output, database)) < Fraction(1, 2**50)
    for database in BITS:
        assert sum(Fraction(found[output, database]) for output in outputs) == 1


def test_a_window_of_infinitely_many_outputs_and_a_density_are_said_to_be_such():
    window = show("geometric(ratio=2)").answer()
    assert window.notes == ["a window: there are infinitely many outputs and databases"]
    for (output, database), entry in printed(window.blocks[0]).items():
        law = Fraction(1, 3) * Fraction(1, 2) ** abs(int(output) - int(database))
        assert Fraction(entry) == law
    density = show("laplace(scale=2)", database="0", output="1").answer()
    assert density.headline.endswith(": density")
    [entry] = printed(show("laplace(scale=2)", "0", "1", decimals=True).answer().blocks[0]).values()
    assert abs(float(entry) - math.exp(-1 / 2) / 4) < 1e-5
