"""Batches fixed in advance, from the request to the ledger and the certificate."""

import copy
import json
from fractions import Fraction

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.release import Curator, OverBudget, ReleaseFailed, parse_policy
from twoworlds.release.budget import parse_cap
from twoworlds.release.certificate import certify, check_certificate, promise
from twoworlds.release.costs import Cost, parse_cost
from twoworlds.release.ledger import export, show, verify
from twoworlds.release.ledger.entries import canonical, digest
from twoworlds.release.ledger.views import write_export
from twoworlds.release.sensitivity.fixed import COMPOSED, JOINT, composed_epsilon

F = Fraction
QUERIES = [f"SELECT COUNT(*) FROM people WHERE age >= {age}" for age in range(20)]
EACH = "each=1/10, delta=1e-7"
PRICE = Cost(composed_epsilon((F(1, 10),) * 20, F(1, 10**7)), F(1, 10**7))


def rows(released):
    return [answer.rows() for answer in released.answers]


def test_twenty_queries_are_charged_less_than_their_sum(curator):
    plan = curator.plan(QUERIES, EACH, analyst="ann")
    released = curator.release_all(QUERIES, EACH, analyst="ann")
    assert plan.price == released.charge.paid == PRICE
    assert PRICE.epsilon < 2 * F(99, 100)
    assert curator.ledger.spent("people") == curator.ledger.spent("people", "ann") == PRICE
    said = f"The whole costs {PRICE.shown()} by certified composition; added up it would be epsilon"
    assert f"{said} 2." in " ".join(plan.explain().split())
    assert f"{said} 2." in " ".join(released.explain().split())
    for noises in released.calibration.noises:
        assert [noise.scale for noise in noises] == [10]  # as alone


def test_json_has_the_rule_and_all_its_numbers(curator):
    plan = curator.plan(QUERIES, EACH, analyst="ann").to_dict()
    released = curator.release_all(QUERIES, EACH, analyst="ann").to_dict()
    batch = json.loads(json.dumps(released))["batch"]
    assert batch == plan["batch"]
    assert batch["rule"] == COMPOSED
    assert batch["added_up"] == batch["whole"] == {"exact": "2", "value": 2.0}
    assert [one["exact"] for one in batch["each"]] == ["1/10"] * 20
    assert Fraction(batch["composed"]["exact"]) == PRICE.epsilon
    assert "batch" not in curator.release_all(QUERIES[:1], "1/10", analyst="ann").to_dict()


def test_asking_again_returns_the_stored_answer_for_nothing(curator):
    first = curator.release_all(QUERIES, EACH, analyst="ann")
    again = curator.release_all(
        QUERIES, ", ".join(["each=0.1"] * 20 + ["delta=1e-7"]), analyst="ann"
    )
    assert rows(first) == rows(again)
    assert again.charge.paid == Cost()
    assert curator.plan(QUERIES, EACH, analyst="ann").price == Cost()
    assert curator.ledger.spent("people") == PRICE
    other = curator.release_all(QUERIES, EACH, analyst="bob")  # the dataset pays once
    assert rows(other) == rows(first)
    assert (other.charge.paid, curator.ledger.spent("people")) == (PRICE, PRICE)


@pytest.mark.parametrize("changed", ["each=0.1, delta=2e-7", "each=0.09, delta=1e-7"])
def test_another_epsilon_or_delta_is_another_release(curator, changed):
    curator.release_all(QUERIES, EACH, analyst="ann")
    again = curator.release_all(QUERIES, changed, analyst="ann")
    assert again.charge.paid != Cost()


def test_the_smaller_of_two_prices_is_charged(curator):
    halves = [f"SELECT COUNT(*) FROM people WHERE age {sign} 40" for sign in ("<", ">=")]
    released = curator.release_all(halves, "each=1, each=1/2, delta=1e-7", analyst="ann")
    assert released.calibration.batch.rule == JOINT
    assert released.charge.paid == parse_cost("1")
    assert curator.ledger.spent("people").delta == 0
    without = curator.release_all(QUERIES[:3], "each=1/10", analyst="ann")
    assert without.charge.paid == parse_cost("3/10")


def test_epsilons_without_a_common_denominator_are_charged_a_little_more_than_their_sum(curator):
    primes = [p for p in range(100, 1000) if all(p % q for q in range(2, 32))][:60]
    queries = [f"SELECT COUNT(*) FROM people WHERE age >= {age}" for age in range(60)]
    each = ", ".join(f"each=1/{p}" for p in primes)
    added = sum(Fraction(1, p) for p in primes)
    plan = curator.plan(queries, each, analyst="ann")
    paid = curator.release_all(queries, each, analyst="ann").charge.paid
    assert plan.price == paid
    assert added < paid.epsilon < added * (1 + F(1, 10**9))
    with_delta = curator.release_all(queries, f"{each}, delta=1e-7", analyst="ann")
    assert with_delta.calibration.batch.rule == COMPOSED
    assert check_certificate(json.loads(json.dumps(certify(with_delta)))).holds


def test_what_fails_after_the_charge_is_asked_again_for_nothing(curator, monkeypatch):
    monkeypatch.setattr(Curator, "_compute", lambda self, prepared: None)
    with pytest.raises(ReleaseFailed):
        curator.release_all(QUERIES, EACH, analyst="ann")
    assert curator.ledger.spent("people") == PRICE
    monkeypatch.undo()
    assert curator.release_all(QUERIES, EACH, analyst="ann").charge.paid == Cost()
    assert curator.ledger.spent("people") == PRICE


@pytest.mark.parametrize(
    ("queries", "cost", "options"),
    [
        (QUERIES, "each=1/10, delta=1e-7", {"noise": "gaussian"}),
        (QUERIES, "each=1/10, each=1/5, delta=1e-7", {}),
        (QUERIES, "each=1/10, epsilon=1", {}),
        (QUERIES, "each=0, delta=1e-7", {}),
        (QUERIES, "each=1e-40, delta=1e-7", {}),
        (["SELECT patient, COUNT(*) FROM people GROUP BY patient"], "each=1/10", {}),
    ],
)
def test_what_can_be_refused_is_refused_before_the_charge(curator, queries, cost, options):
    for ask in (curator.plan, curator.release_all):
        with pytest.raises(InvalidInput):
            ask(queries, cost, analyst="ann", **options)
    assert curator.budget()["charges"] == 0


# --- budgets ------------------------------------------------------------------------------------


@pytest.fixture
def opened(hospital):
    """A function that opens the hospital with another budget for people, and one analyst."""
    made = []

    def curator(budget):
        text = (hospital / "policy.yml").read_text()
        lines = [line for line in text.splitlines() if "analysts:" not in line]
        first = next(i for i, line in enumerate(lines) if line.strip().startswith("budget:"))
        lines[first] = f'    budget: "{budget}"'
        policy = parse_policy("\n".join(lines), folder=hospital)
        made.append(Curator.open(policy))
        return made[-1]

    yield curator
    for one in made:
        one.close()


def refused(curator, queries, cost):
    """Return what both a plan and a release are refused with; nothing is charged."""
    before = curator.ledger.spent("people")
    said = []
    for ask in (curator.plan, curator.release_all):
        with pytest.raises(OverBudget) as error:
            ask(queries, cost)
        said.append(str(error.value))
    ways = [one.partition("nothing was charged; ")[2] for one in said]
    assert ways[0] == ways[1] != ""
    assert curator.ledger.spent("people") == before
    return said[0]


def test_under_a_budget_without_delta_leaving_it_out_fits(opened):
    curator = opened("epsilon=2")
    said = refused(curator, QUERIES, EACH)
    assert "has no delta" in said
    assert said.endswith("without the delta it costs epsilon 2, which fits")
    assert curator.release_all(QUERIES, "each=1/10").charge.paid == parse_cost("2")


def test_under_the_tighter_rule_one_by_one_may_fit(opened):
    """There zCDP composition takes single small epsilons better than one large one."""
    curator = opened("epsilon=1.9, delta=1e-6, composition=tighter")
    queries = [f"SELECT COUNT(*) FROM people WHERE age >= {age}" for age in range(40)]
    said = refused(curator, queries, "each=0.05")
    assert said.endswith("released one by one these queries fit")
    for query in queries:
        curator.release(query, "0.05")


def test_when_nothing_is_left_the_owner_is_named(opened):
    curator = opened("epsilon=1, delta=1e-6")
    curator.release(QUERIES[0], "1")
    assert "ask the owner of the data" in refused(curator, QUERIES[:12], "each=1/10, delta=1e-7")


@pytest.mark.parametrize(
    "budget", ["epsilon=4, delta=1e-6", "epsilon=4, delta=1e-6, composition=tighter"]
)
def test_a_cap_counts_a_batch_as_one_cost(opened, budget):
    curator, cap = opened(budget), parse_cap(budget)
    curator.release(QUERIES[0], "1/2")
    curator.release_all(QUERIES, EACH)
    state = curator.ledger.state()
    spent = state.spent["people", None]
    assert (spent.epsilon, spent.delta) == (F(1, 2) + PRICE.epsilon, PRICE.delta)
    assert cap.rule(spent) is not None
    assert state.counts["people"] == 2
    assert verify(curator.policy.folder / "ledger.db")["ok"]


# --- certificates -------------------------------------------------------------------------------


@pytest.fixture
def certificate(curator):
    return json.loads(json.dumps(certify(curator.release_all(QUERIES, EACH, analyst="ann"))))


def signed(data):
    body = {name: value for name, value in data.items() if name != "digest"}
    return {**body, "digest": digest(canonical(body))}


def forged(data, *, composed=None, delta=None):
    """Another epsilon* or delta, in every place where it stands."""
    data = copy.deepcopy(data)
    fixed = data["statement"]["fixed"]
    fixed["composed"] = composed or fixed["composed"]
    fixed["delta"] = delta or fixed["delta"]
    price = parse_cost(f"epsilon={fixed['composed']}, delta={fixed['delta']}")

    class Priced:
        neighbours = data["promise"]["neighbours"]

    Priced.price = price
    data["statement"]["cost"] = data["charge"]["cost"] = str(price)
    data["promise"] = promise(Priced)
    return signed(data)


def test_a_certificate_holds_and_is_found_in_the_ledger(curator, certificate, tmp_path):
    found = check_certificate(certificate)
    assert found.holds, found.failure
    fixed = certificate["statement"]["fixed"]
    assert (fixed["added"], fixed["rule"], fixed["delta"]) == ("2", COMPOSED, "1/10000000")
    assert parse_cost(certificate["charge"]["cost"]) == PRICE
    write_export(tmp_path / "l.jsonl", export(str(curator.policy.folder / "ledger.db")))
    assert check_certificate(certificate, ledger=tmp_path / "l.jsonl").holds


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("fixed", "composed"), "1"),
        (("fixed", "composed"), None),
        (("fixed", "composed"), 2),
        (("fixed", "each", 0), "1/20"),
        (("fixed", "each"), ["1/10"] * 19),
        (("fixed", "each"), "1/10"),
        (("fixed", "delta"), "1/1000000"),
        (("fixed", "delta"), "0"),
        (("fixed", "delta"), "2"),
        (("fixed", "added"), "3"),
        (("fixed", "rule"), JOINT),
        (("fixed",), {}),
        (("fixed",), None),
        (("cost",), "epsilon=1, delta=1/10000000"),
        (("measures", 0, 0, "scale"), "5"),
    ],
)
def test_whatever_is_changed_in_the_statement_is_found(certificate, path, value):
    data = copy.deepcopy(certificate)
    place = data["statement"]
    for step in path[:-1]:
        place = place[step]
    assert place[path[-1]] != value
    place[path[-1]] = value
    assert not check_certificate(signed(data)).holds


def test_a_price_below_the_composition_is_found_wherever_else_it_stands(certificate):
    lowered = PRICE.epsilon * F(99_999, 100_000)
    found = check_certificate(forged(certificate, composed=str(lowered)))
    assert not found.holds
    assert "less than these epsilons come to" in found.failure
    assert not check_certificate(forged(certificate, delta="1/100000000")).holds
    for more in (str(PRICE.epsilon + F(1, 100)), "197/100"):  # less is promised, and it is true
        assert check_certificate(forged(certificate, composed=more)).holds


def test_without_the_batch_the_statement_is_of_other_noise(certificate):
    data = copy.deepcopy(certificate)
    del data["statement"]["fixed"]
    assert not check_certificate(signed(data)).holds


# --- crashes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("stride", [29, pytest.param(1, marks=pytest.mark.slow)])
def test_kill_9_at_steps_of_a_batch_leaves_no_answer_unpaid(hospital, stride):
    import os
    import signal
    import sys

    from tests.release.failures.worker import die_at, run_child

    policy, shown = hospital / "policy.yml", hospital / "shown"

    def asked(number):
        ages = range(number, number + 4)
        return [f"SELECT COUNT(*) FROM people WHERE income >= {age}" for age in ages]

    cost = "each=1e-8, delta=1e-9"
    with Curator.open(policy) as curator:  # loads what is needed, in this process
        first = curator.release_all(asked(0), cost, analyst="ann")
    assert first.calibration.batch.rule == COMPOSED
    for step in range(1, 10_000, stride):

        def release(step=step):
            with Curator.open(policy) as curator:
                found = curator.release_all(asked(4 * step), cost, analyst="ann")
                shown.write_text(repr(rows(found)))

        def attempt(step=step, release=release):
            die_at(step, "reserve_each")
            release()
            sys.setprofile(None)

        shown.unlink(missing_ok=True)
        before = show(hospital / "ledger.db")
        status = run_child(attempt)
        after = show(hospital / "ledger.db")
        charged, answered = (after[name] - before[name] for name in ("charges", "answered"))
        given = shown.read_text() if shown.exists() else ""
        assert answered <= charged <= 1
        assert not given or answered == 1
        assert run_child(release) == 0
        last = show(hospital / "ledger.db")
        assert last["charges"] == last["answered"] == before["charges"] + 1
        assert given in ("", shown.read_text()), "another answer"
        if not os.WIFSIGNALED(status):
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
    assert step > 20
    assert verify(hospital / "ledger.db")["ok"]
