"""The cost of a wanted error: enough, and the next smaller one is not."""

from fractions import Fraction

import pytest

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.release.costs import Cost
from twoworlds.release.policy.model import Column, Dataset
from twoworlds.release.query import Query, resolve
from twoworlds.release.sensitivity import calibrate, cost_for

F = Fraction
COLUMNS = {
    "key": Column("key", "text", keys=("a", "b")),
    "pay": Column("pay", "number", F(0), F(1000), F(1, 100), grid=(F(0), F(1000))),
}


def asked(query, neighbours="add-remove"):
    return [resolve(query, Dataset("people", None, neighbours, columns=COLUMNS))]


def beyond(law, h):
    return law.at_least(h + 1) + law.reflected().at_least(h + 1)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("within", [F(1, 2), F(3), F(25)])
def test_the_cost_is_the_least_of_four_digits(within, noise):
    batch = asked(Query("people").by("key").count())
    cost = cost_for(batch, within, noise=noise)
    amount = cost.epsilon or cost.rho
    digits = amount
    while digits.denominator > 1 or digits < 1000:
        digits *= 10
    while digits > 10_000:
        digits /= 10
    smaller = amount * (digits - 1) / digits
    less = Cost(smaller) if noise == "laplace" else Cost(rho=smaller)
    good, bad = (calibrate(batch, c, noise=noise).noises[0][0].law for c in (cost, less))
    assert beyond(good, int(within)) <= F(1, 20) < beyond(bad, int(within))


def test_every_answer_is_within_or_the_one_that_is_named():
    batch = asked(Query("people").by("key").count().sum("pay"))
    both, count = cost_for(batch, F(50)), cost_for(batch, F(50), aggregate="count")
    assert both.epsilon > 100 * count.epsilon
    total = calibrate(batch, both).noises[0][1].law
    assert beyond(total, 5000) <= F(1, 20)


def test_a_wide_error_takes_a_wide_gaussian_law():
    batch = asked(Query("people").sum("pay"))
    cost = cost_for(batch, F(100_000), noise="gaussian")
    assert float(cost.rho) == pytest.approx((1.96 * 1000 / 100_000) ** 2 / 2, rel=1e-3)


def test_refuses_what_no_cost_promises():
    with pytest.raises(InvalidInput, match="depends on the data"):
        cost_for(asked(Query("people").mean("pay")), F(1))
    with pytest.raises(InvalidInput, match="depends on the data"):
        cost_for(asked(Query("people").median("pay")), F(1))
    with pytest.raises(InvalidInput, match="above 0"):
        cost_for(asked(Query("people").count()), F(0))
    with pytest.raises(InvalidInput, match="exact at any cost"):
        cost_for(asked(Query("people").count(), "substitute"), F(1))
    with pytest.raises(UnknownName, match="count"):
        cost_for(asked(Query("people").count()), F(1), aggregate="cont")
