"""Limits: what cannot be drawn, stored or sent is refused before it is charged."""

import json
from fractions import Fraction

import pytest

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.release import Curator, Query
from twoworlds.release.answers import cells
from twoworlds.release.answers.cells import LONGEST_KEY, MOST_DISCOVERED, shown
from twoworlds.release.certificate import certify
from twoworlds.release.costs import parse_cost
from twoworlds.release.errors import ReleaseFailed
from twoworlds.release.examples import lay_out
from twoworlds.release.ledger import entries
from twoworlds.release.ledger.entries import canonical
from twoworlds.release.policy import Column, Dataset
from twoworlds.release.query import resolve
from twoworlds.release.query.resolve import GroupAxis
from twoworlds.release.sensitivity import calibrate
from twoworlds.release.statement import MOST_BYTES, certificate_bytes, check_size, statement

PEOPLE = Dataset(
    "people",
    None,
    "add-remove",
    columns={
        "region": Column("region", "text", keys=("north", "south")),
        "age": Column("age", "integer", low=Fraction(0), high=Fraction(110)),
        "income": Column(
            "income",
            "integer",
            low=Fraction(0),
            high=Fraction(1 << 40),
            grid=tuple(map(Fraction, range(2000))),
        ),
    },
)


def checked(*queries, cost="1", noise="laplace"):
    resolved = [resolve(query, PEOPLE) for query in queries]
    return check_size(resolved, calibrate(resolved, parse_cost(cost), noise=noise))


@pytest.fixture
def curator(tmp_path):
    lay_out(tmp_path)
    text = (tmp_path / "policy.yml").read_text()
    (tmp_path / "policy.yml").write_text(
        text.replace("budget: epsilon=6, delta=1e-6", "budget: rho=6")
        .replace('"epsilon=4, delta=5e-7"', "rho=6")
        .replace("composition: tighter", "composition: basic")
    )
    with Curator.open(tmp_path / "policy.yml") as made:
        yield made


@pytest.mark.parametrize("ask", ["plan", "release"])
def test_noise_that_is_too_wide_to_be_drawn_is_refused_unpaid(curator, ask):
    before = curator.ledger.state().point
    with pytest.raises(TooLarge, match=r"rows: discrete Gaussian noise of sigma\^2 5.*at most"):
        getattr(curator, ask)(
            "SELECT COUNT(*) FROM people", "rho=1e-30", analyst="ann", noise="gaussian"
        )
    assert curator.ledger.state().point == before
    answer = curator.release(
        "SELECT COUNT(*) FROM people", "rho=1e-29", analyst="ann", noise="gaussian"
    )
    assert answer.rows()


def test_noise_is_drawn_up_to_the_limit_and_refused_beyond():
    from twoworlds.release.noise import Sampler, SystemBits

    count = Query("people").count()
    for cost, noise in ((Fraction(1, 1 << 112), "laplace"), (Fraction(1, 1 << 97), "gaussian")):
        price = f"{'epsilon' if noise == 'laplace' else 'rho'}={cost}"
        [[found]] = checked(count, cost=price, noise=noise).noises
        assert len(Sampler.of(found.law).draw_integers(3, SystemBits())) == 3
        price = f"{'epsilon' if noise == 'laplace' else 'rho'}={cost * Fraction(999, 1000)}"
        with pytest.raises(TooLarge, match="pay more"):
            checked(count, cost=price, noise=noise)


@pytest.mark.slow
def test_the_bytes_of_a_whole_batch_are_counted():
    def grouped(bins):
        return Query("people").by("age", bins=range(bins + 1)).count()

    checked(grouped(50_000))
    with pytest.raises(TooLarge, match="bytes, more than 15,728,640: use fewer keys or bins"):
        checked(grouped(50_000), grouped(50_000))
    with pytest.raises(TooLarge, match="bytes, more than"):
        checked(grouped(50_000).sum("income").mean("income"))


def test_candidates_of_quantiles_are_counted_in_every_cell():
    checked(Query("people").by("age", bins=range(5001)).median("income"))
    with pytest.raises(TooLarge, match="10,002,000 candidates of quantiles"):
        checked(Query("people").by("age", bins=range(5002)).median("income"))


def test_a_strategy_has_the_same_limits(curator):
    strategy = curator.strategy("visits", "1", analyst="ann")
    for ask in (strategy.plan, strategy.ask):
        with pytest.raises(TooLarge, match="pay more"):
            ask("SELECT COUNT(*) FROM visits", "1e-40")


ASKED = {
    "count": (
        Query("people").by("region").by("age", bins=[0, 18, 65, 110]).count(),
        "1",
        "laplace",
    ),
    "all of them": (
        Query("visits").by("month").count().sum("cost").mean("cost").variance("cost").people(),
        "1/100",
        "laplace",
    ),
    "little noise": (Query("visits").by("ward").variance("cost").mean("cost"), "4", "laplace"),
    "quantiles": (
        Query("visits").by("ward").median("cost").quantile("cost", "9/10"),
        "1",
        "laplace",
    ),
    "wide": (Query("visits").by("ward").mean("cost").variance("cost"), "1e-16", "laplace"),
    "gaussian": (Query("people").by("region").mean("income").count(), "rho=1e-12", "gaussian"),
    "discovered": (
        Query("people").by("condition", discover=True).by("region").count().sum("income"),
        "epsilon=1/2, delta=1e-7",
        "laplace",
    ),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("name", ASKED)
def test_certificates_are_no_larger_than_was_counted(tmp_path, name):
    lay_out(tmp_path)
    text = (tmp_path / "policy.yml").read_text()
    query, cost, noise = ASKED[name]
    if noise == "gaussian":
        text = text.replace("budget: epsilon=6, delta=1e-6", "budget: rho=6")
        text = text.replace('"epsilon=4, delta=5e-7"', "rho=6")
    (tmp_path / "policy.yml").write_text(text)
    with Curator.open(tmp_path / "policy.yml") as made:
        released = made.release_all([query], cost, analyst="ann", noise=noise)
        [answer] = released.answers
        counted = certificate_bytes([answer.resolved], released.calibration)
        assert len(canonical(certify(released))) < counted + entries._LONGEST - MOST_BYTES
        if not answer.resolved.discovers:
            cells = len(canonical([certify(released)["answers"], released.stored]))
            told = len(canonical(statement([answer.resolved], released.calibration, None)))
            assert cells <= counted - told <= 8 * cells


# --- discovered keys ----------------------------------------------------------------------------


def test_of_too_many_discovered_groups_the_largest_noisy_counts_are_shown(monkeypatch):
    monkeypatch.setattr(cells, "MOST_DISCOVERED", 3)
    axes = [GroupAxis("city", discover=True)]
    counts = {("a",): 9, ("b",): 30, ("c",): 20, ("d",): 4, ("e",): 20, ("f",): 20}
    assert shown(counts, 5, axes) == [("b",), ("c",), ("e",)]
    assert shown(counts, 25, axes) == [("b",)]


def test_discovered_keys_that_are_too_long_are_not_shown():
    axes = [GroupAxis("city", discover=True), GroupAxis("sex", keys=("f", "m"))]
    fits, too_long = "x" * (LONGEST_KEY - 2), "é" * (LONGEST_KEY // 5)
    assert shown({(fits, 0): 9, (too_long, 0): 9}, 5, axes) == [(fits, 0)]


def test_a_query_that_discovers_keys_counts_as_one_that_shows_all_it_may():
    city = Query("people").by("region", discover=True).count()
    several = [city.sum("income", name=f"s{i}") for i in range(6)]
    checked(*several[:2], cost="epsilon=1, delta=1e-6")
    with pytest.raises(TooLarge, match="bytes, more than"):
        checked(*several, cost="epsilon=1, delta=1e-6")
    resolved = [resolve(city, PEOPLE)]
    calibration = calibrate(resolved, parse_cost("epsilon=1, delta=1e-6"))
    assert certificate_bytes(resolved, calibration) > MOST_DISCOVERED * 2 * LONGEST_KEY


# --- a limit that is reached all the same -------------------------------------------------------


def test_a_release_that_runs_out_of_memory_is_charged_once_and_answered_later(curator, monkeypatch):
    def out_of_memory(*_arguments, **_options):
        raise MemoryError

    sql = "SELECT COUNT(*) FROM people"
    with monkeypatch.context() as full:
        full.setattr("twoworlds.release.answers.noisy", out_of_memory)
        full.setattr(cells, "noisy", out_of_memory)
        with pytest.raises(ReleaseFailed):
            curator.release(sql, "rho=1/8", analyst="ann", noise="gaussian")
    spent = curator.ledger.spent("people")
    answer = curator.release(sql, "rho=1/8", analyst="ann", noise="gaussian")
    assert answer.rows()
    assert curator.ledger.spent("people") == spent
    assert json.dumps(answer.to_dict())


@pytest.mark.parametrize(
    ("constant", "error"),
    [("1e4000" + "/1e-4000" * 10, "constant of more than"), ("1e4000", "below 1e30")],
)
def test_huge_constants_are_refused(curator, constant, error):
    with pytest.raises(InvalidInput, match=error):
        curator.plan(f"SELECT COUNT(*) FROM visits WHERE cost > {constant}", "1", analyst="ann")


def test_many_comparisons_are_refused_before_they_are_tried(curator):
    parts = " OR ".join(f"(age = {i % 110} AND income = {i})" for i in range(1100))
    with pytest.raises(TooLarge, match="list values with IN"):
        curator.plan(f"SELECT COUNT(*) FROM people WHERE {parts}", "1", analyst="ann")
    listed = ", ".join(map(str, range(3000)))
    asked = f"SELECT COUNT(*) FROM people WHERE income IN ({listed})"
    assert curator.plan(asked, "rho=1", analyst="ann", noise="gaussian")
