"""The release engine under reconstruction, and the limit of any attack."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest

from twoworlds.attacks.reconstruction import (
    against_engine,
    largest_fraction,
    lucky_count,
)
from twoworlds.attacks.reconstruction.engine import told
from twoworlds.errors import InvalidInput, TooLarge, UnknownName


@pytest.mark.statistical
def test_exact_answers_give_everything_away_and_the_engine_does_not():
    """False alarms: at most 1e-9, by the tail of the limit, whatever the decoder does."""
    found = against_engine(40, 55, epsilon="1/10")
    assert found.data["exact_answers"]["right"] == 40
    assert found.data["engine"]["right"] < lucky_count(40, "1/10", "1e-9") <= 40
    assert found.data["epsilon_each"] == Fraction(1, 550)
    assert "at most epsilon 0 is left" in found.data["refusal"]
    assert len(set(found.data["engine"]["answers"])) > 10
    shares, picture = found.data["shares"].values(), found._repr_html_().partition("<svg")[2]
    assert all(text in found.explain() for text in shares)
    assert all(text.removeprefix("about ") in picture for text in shares)


@pytest.mark.slow
@pytest.mark.statistical
def test_without_noise_to_speak_of_the_same_questions_give_everything_away():
    """False alarms: below 1e-60, the chance that noise of so large an epsilon is not 0."""
    found = against_engine(40, 55, epsilon=10000)
    assert found.data["engine"]["right"] == 40
    assert found.data["holds"]  # as it must with this epsilon, which forbids nothing
    assert "only the ledger is put to the test here" in found.explain()


def test_an_engine_that_tells_too_much_or_refuses_nothing_does_not_hold():
    truth = (1, 0) * 20
    leaky = truth, [Fraction(bit) for bit in truth], 40, 40
    each, refused = Fraction(1, 400), "nothing is left"
    found = told(*leaky, 3, Fraction(1, 10), each, refused)
    assert not found.data["holds"]
    assert "only the ledger" not in found.explain()
    assert "no better than by guessing" not in found.explain()
    idle = told(truth, leaky[1], 40, 20, 3, Fraction(1, 10), each, refused)
    assert "20 of 40 are read (50%), no better than by guessing." in idle.explain()
    assert told(*leaky, 3, Fraction(10000), each, refused).data["holds"]
    open_ended = told(*leaky, 3, Fraction(10000), each, None)
    assert not open_ended.data["holds"]
    assert "THE BUDGET" in open_ended.explain().upper()


def test_bad_input():
    with pytest.raises(InvalidInput, match="a budget is above 0"):
        against_engine(8, 8, epsilon=0)
    with pytest.raises(TooLarge, match="charged and stored durably"):
        against_engine(8, 5000)
    with pytest.raises(UnknownName, match="unknown method"):
        against_engine(8, 8, method="guess")
    with pytest.raises(InvalidInput, match="rows=0"):
        against_engine(0, 8)


RATIO = 3
ROWS = 3
COLUMNS = list(product((0, 1), repeat=ROWS))
BITS = Fraction(1, 2)


def noisy_count(column) -> dict[int, Fraction]:
    """A count with geometric noise, cut to 0 ... n: the ratio is 3 for each row."""
    alpha, true, law = Fraction(1, RATIO), sum(column), {}
    for output in range(ROWS + 1):
        mass = alpha ** abs(output - true) * (1 - alpha) / (1 + alpha)
        law[output] = mass / (1 - alpha) if output in (0, ROWS) else mass
    assert sum(law.values()) == 1
    return law


def binomial_tail(rows: int, p: Fraction, k: int) -> Fraction:
    terms = (comb(rows, j) * p**j * (1 - p) ** (rows - j) for j in range(k, rows + 1))
    return sum(terms, start=Fraction(0))


def test_no_attack_on_a_noisy_count_passes_the_limit_in_mean_or_in_law():
    """All 8^4 attacks."""
    limit = largest_fraction("ln 3")
    tails = [binomial_tail(ROWS, limit, k) for k in range(ROWS + 1)]
    part = {  # of each output and guess, in the law of the number of right rows
        (output, guess): [
            sum(
                noisy_count(column)[output] / len(COLUMNS)
                for column in COLUMNS
                if sum(a == b for a, b in zip(column, guess, strict=True)) == right
            )
            for right in range(ROWS + 1)
        ]
        for output in range(ROWS + 1)
        for guess in COLUMNS
    }
    best = Fraction(0)
    for chosen in product(COLUMNS, repeat=ROWS + 1):
        parts = [part[output, guess] for output, guess in enumerate(chosen)]
        chances = [sum(column) for column in zip(*parts, strict=True)]
        mean = sum(k * chance for k, chance in enumerate(chances)) / ROWS
        best = max(best, mean)
        assert mean <= limit == Fraction(3, 4)
        for k in range(ROWS + 1):
            assert sum(chances[k:]) <= tails[k]
    assert best > BITS


@pytest.mark.parametrize(("rows", "chance"), [(10, "1/100"), (64, "1e-6"), (200, "1e-9")])
def test_a_lucky_count_is_the_first_whose_tail_is_small(rows, chance):
    k = lucky_count(rows, "ln 3", chance)
    allowed = Fraction(chance)
    assert binomial_tail(rows, Fraction(3, 4), k) <= allowed
    assert binomial_tail(rows, Fraction(3, 4), k - 1) > allowed


def test_limits_of_nothing_are_refused():
    with pytest.raises(InvalidInput, match="at least 0"):
        largest_fraction(-1)
    with pytest.raises(InvalidInput, match="rows=0"):
        lucky_count(0, 1, "1/2")
    with pytest.raises(InvalidInput, match="chance=2"):
        lucky_count(4, 1, 2)
