"""What a ledger charges, stores and refuses."""

import json
import re
from fractions import Fraction
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput
from twoworlds.release.costs import Cost
from twoworlds.release.ledger import (
    Ledger,
    LedgerUnavailable,
    OverBudget,
    export,
    show,
    summary,
    verify,
    verify_export,
)
from twoworlds.release.ledger.entries import Mark
from twoworlds.release.ledger.views import open_ledger
from twoworlds.release.policy import parse_policy

TENTH = Cost(Fraction(1, 10))


def never():
    raise AssertionError("computed although an answer is stored")


def test_ten_times_a_tenth_fills_one_exactly(ledger):
    for number in range(10):
        ledger.pay("people", "ann", number, "0.1", lambda: 0)
    assert ledger.left("people") == Cost()
    with pytest.raises(OverBudget, match="at most epsilon 0 is left"):
        ledger.reserve("people", "ann", "one more", "1e-30")


def test_the_cap_of_a_dataset_stands_above_those_of_its_analysts(ledger):
    for number in range(7):
        ledger.reserve("people", "ann", number, TENTH)
    for number in range(3):
        ledger.reserve("people", "bob", [number], TENTH)
    assert ledger.left("people", "bob") == Cost(Fraction(1, 5))
    assert ledger.left("people", "ann") == Cost(Fraction(3, 10))
    for analyst in ("ann", "bob"):
        with pytest.raises(OverBudget, match="dataset 'people':"):
            ledger.reserve("people", analyst, "another", TENTH)


@pytest.mark.parametrize(
    ("caps", "cost", "said"),
    [
        (("epsilon=2", "epsilon=3"), "4", ["at most epsilon 2 is left"]),
        (("epsilon=3", "epsilon=2"), "4", ["at most epsilon 2 is left"]),
        (("epsilon=1", "epsilon=3"), "2", ["at most epsilon 1 is left"]),
        (
            ("epsilon=1, delta=1/2", "epsilon=2, delta=1/4"),
            "epsilon=3, delta=1/2",
            ["at most epsilon 1, delta 0.5 is left", "at most epsilon 2, delta 0.25 is left"],
        ),
    ],
)
def test_a_refusal_offers_what_fits_the_dataset_and_the_analyst(ledger, caps, cost, said):
    whole, own = caps
    ledger.set_cap("animals", whole)
    ledger.set_cap("animals", own, analyst="ann")
    with pytest.raises(OverBudget) as paid:
        ledger.pay("animals", "ann", "q", cost, never)
    with pytest.raises(OverBudget) as planned:
        ledger.check("animals", "ann", "q", cost)
    assert str(paid.value) == str(planned.value)
    assert re.findall("at most .*? is left", str(paid.value)) == said


def test_the_same_query_again_costs_nothing_and_has_the_same_answer(ledger):
    first = ledger.pay("people", "ann", {"a": 1, "b": 2}, "0.1", lambda: [1.5, None])
    assert ledger.pay("people", "ann", {"b": 2, "a": 1}, "0.1", never) == first == [1.5, None]
    assert ledger.spent("people") == TENTH


def test_the_same_request_again_costs_nothing_and_has_the_same_answer(ledger):
    ledger.pay("people", "ann", "q", "0.1", lambda: 7, request="r-1")
    again = ledger.reserve("people", "ann", "q", "0.1", request="r-1")
    assert (again.answered, again.answer, again.paid) == (True, 7, Cost())
    with pytest.raises(InvalidInput, match="another query"):
        ledger.reserve("people", "ann", "other", "0.1", request="r-1")
    assert ledger.spent("people") == TENTH


def test_a_false_answer_is_an_answer(ledger):
    for value in (None, 0, False, "", []):
        assert ledger.pay("people", "ann", [value], "0.01", lambda v=value: v) == value
        assert ledger.pay("people", "ann", [value], "0.01", never) == value


def test_another_analyst_gets_the_stored_answer_and_pays_alone(ledger):
    ledger.pay("people", "ann", "q", "0.1", lambda: 7)
    price, known = ledger.check("people", "bob", "q", "0.1")
    assert (price, known.analysts) == (TENTH, ["ann"])
    assert ledger.reserve("people", "bob", "q", "0.1").paid == TENTH
    assert ledger.check("people", "bob", "q", "0.1")[0] == Cost()
    assert ledger.pay("people", "bob", "q", "0.1", never) == 7
    assert ledger.spent("people") == TENTH
    assert ledger.spent("people", "bob") == ledger.spent("people", "ann") == TENTH


def test_a_charge_whose_computation_failed_is_taken_up_for_free(ledger):
    with pytest.raises(ZeroDivisionError):
        ledger.pay("people", "ann", "q", "0.1", lambda: 1 // 0)
    assert ledger.spent("people") == TENTH
    assert ledger.pay("people", "ann", "q", "0.1", lambda: 5) == 5
    assert ledger.spent("people") == TENTH


def test_of_two_answers_to_one_charge_the_first_stands(ledger, path):
    one = ledger.reserve("people", "ann", "q", "0.1")
    with Ledger.open(path) as other:
        two = other.reserve("people", "ann", "q", "0.1")
        assert (one.entry, one.hash, two.paid) == (two.entry, two.hash, Cost())
        assert other.commit(two, "first") == "first"
    assert ledger.commit(one, "second") == "first"


def test_an_expired_charge_stays_charged_and_is_never_answered(ledger):
    old = ledger.reserve("people", "ann", "q", "0.1", request="r")
    ledger.expire(old)
    with pytest.raises(InvalidInput, match="no open charge"):
        ledger.commit(old, 1)
    with pytest.raises(InvalidInput, match="has expired"):
        ledger.reserve("people", "ann", "q", "0.1", request="r")
    assert ledger.reserve("people", "ann", "q", "0.1").entry > old.entry
    assert ledger.spent("people") == Cost(Fraction(1, 5))
    answered = ledger.reserve("people", "ann", "p", "0.1")
    ledger.commit(answered, 1)
    with pytest.raises(InvalidInput, match="is answered"):
        ledger.expire(answered)


def test_a_query_must_name_its_noise(ledger):
    ledger.pay("people", "ann", "q", "0.1", lambda: 1)
    with pytest.raises(InvalidInput, match="must name its noise"):
        ledger.pay("people", "ann", "q", "0.2", never)


def test_nothing_is_charged_without_both_caps(ledger):
    for dataset, analyst in (("people", "eve"), ("animals", "ann")):
        with pytest.raises(InvalidInput, match="has no cap"):
            ledger.reserve(dataset, analyst, "q", "0.1")
    with pytest.raises(InvalidInput, match="has no cap"):
        ledger.left("animals")


def test_a_cap_below_what_is_spent_stops_further_charges(ledger):
    ledger.reserve("people", "ann", "q", "1/2")
    ledger.set_cap("people", "1/4")
    with pytest.raises(OverBudget):
        ledger.reserve("people", "ann", "p", "1e-9")
    ledger.set_cap("people", "3/4")
    ledger.reserve("people", "ann", "p", "1/4")


def test_a_cap_set_again_adds_no_entry(ledger, path):
    before = verify(path)["entries"]
    ledger.set_cap("people", "1.0")
    assert verify(path)["entries"] == before


HOSTILE = [
    "'; DROP TABLE entries; --",
    '"', "\\", "\0", "a\0b", "\n\x1b[2J", "\ud800", "‮txt", "*", "None", "null", "🦆", "ａｎｎ",
    "../../etc/passwd", "%s%n", "{0}", "x" * 200,
]  # fmt: skip


@pytest.mark.few(6)
@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_hostile_names_are_names_and_nothing_else(ledger, path, name):
    ledger.set_cap(name, "1/2")
    ledger.set_cap(name, "1/4", analyst=name)
    assert ledger.pay(name, name, {name: name}, "0.1", lambda: name, request=name) == name
    assert ledger.pay(name, name, {name: name}, "0.1", never, request=name) == name
    with pytest.raises(OverBudget) as caught:
        ledger.reserve(name, name, "more", "0.2")
    assert all(c.isprintable() for c in str(caught.value))
    assert ledger.spent(name) == TENTH
    assert ledger.spent("people") == Cost()
    assert verify(path)["ok"]
    assert [d["dataset"] for d in show(path)["datasets"]] == sorted({"people", name})


@pytest.mark.parametrize("name", ["", "x" * 201, None, 7, b"people", ["people"]])
def test_what_is_no_name_is_refused(ledger, name):
    for arguments in ((name, "ann"), ("people", name)):
        with pytest.raises(InvalidInput, match=r"characters|as text"):
            ledger.reserve(*arguments, "q", "0.1")
    with pytest.raises(InvalidInput, match=r"characters|as text"):
        ledger.set_cap(name, "1")


SECRET = "secret value 4711"


UNFIT = {
    "key": {1: SECRET},
    "set": {SECRET},
    "object": object(),
    "nan": float("nan"),
    "infinity": [float("inf")],
    "bytes": b"x",
    "many digits": 10**5000,
    "long": "x" * (17 << 20),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("value", UNFIT.values(), ids=UNFIT)
def test_an_answer_that_cannot_be_stored_is_refused_without_showing_it(ledger, value):
    paid = ledger.reserve("people", "ann", "q", "0.1")
    with pytest.raises(InvalidInput) as caught:
        ledger.commit(paid, value)
    assert SECRET not in str(caught.value)
    assert len(str(caught.value)) < 300
    assert caught.value.__cause__ is None
    assert ledger.commit(paid, "fine") == "fine"


def test_a_charge_of_another_ledger_is_refused(ledger, new_place):
    with Ledger.create(new_place()) as other:
        for analyst in (None, "ann"):
            other.set_cap("people", "1", analyst=analyst)
        foreign = other.reserve("people", "ann", "q", "0.1")
    with pytest.raises(InvalidInput, match="not made in this ledger"):
        ledger.commit(foreign, 1)


def test_a_writer_that_keeps_the_lock_is_named_after_the_timeout(ledger):
    other = Mark(ledger.location.mark)
    with other.locked(1), pytest.raises(LedgerUnavailable, match=r"for 0\.2 seconds"):
        ledger.reserve("people", "ann", "q", "0.1")
    other.close()
    ledger.reserve("people", "ann", "q", "0.1")


def test_when_the_mark_cannot_be_synced_the_answer_is_kept_back_and_given_later(
    ledger, monkeypatch
):
    def broken(file):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("twoworlds.release.ledger.entries._sync", broken)
        with pytest.raises(LedgerUnavailable, match="nothing was answered"):
            ledger.pay("people", "ann", "q", "0.1", lambda: 7)
    assert ledger.pay("people", "ann", "q", "0.1", never) == 7
    assert ledger.spent("people") == TENTH


def test_show_and_export_are_plain_data_and_agree(ledger, path):
    ledger.pay("people", "ann", "q", "0.1", lambda: {"n": 3}, request="r")
    ledger.pay("people", "bob", "q", "0.1", never)
    shown = show(path)
    assert json.loads(json.dumps(shown)) == shown
    assert shown["datasets"][0]["left"]["epsilon"] == {"exact": "9/10", "value": 0.9}
    assert [a["spent"]["epsilon"]["exact"] for a in shown["datasets"][0]["analysts"]] == 2 * [
        "1/10"
    ]
    lines = [json.dumps(item) for item in export(path)]
    assert verify_export(json.loads(line) for line in lines) == shown == summary(ledger.state())
    kinds = [json.loads(line)["entry"]["kind"] for line in lines]
    assert kinds == ["begin", "cap", "cap", "cap", "reserve", "answer", "share"]


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["ann", "bob"]),
        st.integers(0, 5),
        st.sampled_from(["pay", "reserve", "expire", "reopen"]),
    ),
    max_size=25,
)


@settings(
    max_examples=20,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(ACTIONS)
def test_whatever_is_done_spent_is_at_least_answered_and_at_most_the_cap(new_place, actions):
    path = new_place()
    ledger = Ledger.create(path)
    for analyst, cap in ((None, "1"), ("ann", "3/4"), ("bob", "1/2")):
        ledger.set_cap("people", cap, analyst=analyst)
    answers, open_charges = {}, {}
    for analyst, query, action in actions:
        try:
            if action == "reopen":
                ledger.close()
                ledger = Ledger.open(path)
            elif action == "pay":
                given = ledger.pay("people", analyst, query, "1/8", lambda: len(answers))
                assert answers.setdefault(query, given) == given
            elif action == "reserve":
                open_charges[query] = ledger.reserve("people", analyst, query, "1/8")
            elif query in open_charges:
                ledger.expire(open_charges[query])
        except InvalidInput:
            continue
        assert Fraction(len(answers), 8) <= ledger.spent("people").epsilon <= 1
        assert ledger.spent("people", "bob").epsilon <= Fraction(1, 2)
    ledger.close()
    assert verify(path)["ok"]


def test_who_begins_a_ledger_at_one_moment_with_another_opens_the_same(new_place):
    """As two services do that start together: the other is quicker by a hair."""
    place, create = new_place(), Mark.create

    def late(path, point):
        with mock.patch.object(Mark, "create", create):
            Ledger.create(place).close()
        return create(path, point)

    people = "{people: {neighbours: add-remove, unit: row}}"
    policy = parse_policy(f"{{ledger: '{place}', datasets: {people}}}")
    with mock.patch.object(Mark, "create", late), open_ledger(policy) as ledger:
        ledger.set_cap("people", "1")
    assert verify(place)["ok"]


def test_few_proposals_of_one_analyst_wait(ledger):
    made = [ledger.propose("people", "ann", n, "0.1", purpose="p") for n in range(20)]
    with pytest.raises(InvalidInput, match="20 proposals of ann wait for review"):
        ledger.propose("people", "ann", 20, "0.1", purpose="p")
    assert ledger.propose("people", "ann", 0, "0.1", purpose="p").place == made[0].place
    assert ledger.propose("people", "bob", 20, "0.1", purpose="p").status == "waiting"
    ledger.decide(made[0].place.sequence, "rita", approved=True)
    assert ledger.propose("people", "ann", 20, "0.1", purpose="p").status == "waiting"


def test_a_proposal_charges_nothing_and_is_decided_once_by_somebody_else(ledger, path):
    made = ledger.propose("people", "ann", {"q": 1}, "0.1", purpose="the yearly table")
    assert (made.status, ledger.spent("people")) == ("waiting", Cost())
    assert ledger.propose("people", "ann", {"q": 1}, "0.1", purpose="again").place == made.place
    number = made.place.sequence
    with pytest.raises(InvalidInput, match="nobody reviews their own"):
        ledger.decide(number, "ann", approved=True)
    with pytest.raises(InvalidInput, match="with a remark"):
        ledger.decide(number, "rita", approved=False, remark=" ")
    for wrong in (number + 1, 1, 0, -1):
        with pytest.raises(InvalidInput, match="there is no proposal"):
            ledger.decide(wrong, "rita", approved=True)
    decided = ledger.decide(number, "rita", approved=True, remark="as agreed")
    assert decided.status == "approved"
    with pytest.raises(InvalidInput, match="is decided, and approved"):
        ledger.decide(number, "rob", approved=False, remark="no")
    with Ledger.open(path) as other:  # as after a crash: nothing but the entries is left
        again = other.state().proposals[number]
        assert (again.status, again.cost, again.analyst) == ("approved", TENTH, "ann")
        told = other.entry(again.decision)
        assert (told["kind"], told["reviewer"], told["remark"]) == ("decide", "rita", "as agreed")
        assert told["time"] >= other.entry(again.place)["time"]
        assert other.entry(again.place)["purpose"] == "the yearly table"
    assert ledger.spent("people") == Cost()
    assert verify(path)["ok"]


def test_what_was_sent_back_may_be_proposed_again_and_what_is_paid_may_not(ledger):
    first = ledger.propose("people", "ann", "q", "0.1", purpose="p")
    ledger.decide(first.place.sequence, "rita", approved=False, remark="say why")
    second = ledger.propose("people", "ann", "q", "0.1", purpose="because")
    assert second.place > first.place
    assert second.status == "waiting"
    assert ledger.propose("people", "bob", "q", "0.1", purpose="p").place > second.place
    ledger.pay("people", "ann", "q", "0.1", lambda: 1)
    with pytest.raises(InvalidInput, match="has paid for this release already"):
        ledger.propose("people", "ann", "q", "0.1", purpose="p")
    assert ledger.propose("people", "bob", "q", "0.1", purpose="p").status == "waiting"


@pytest.mark.parametrize(
    "bad", [{"purpose": ""}, {"purpose": "x" * 2001}, {"cost": "-1"}, {"analyst": ""}]
)
def test_a_proposal_that_breaks_a_rule_leaves_no_entry(ledger, bad):
    before = ledger.state().point
    given = {"dataset": "people", "analyst": "ann", "query": "q", "cost": "0.1", "purpose": "p"}
    with pytest.raises(InvalidInput):
        ledger.propose(**(given | bad))
    assert ledger.state().point == before


@pytest.mark.parametrize("field", ["approved", "reviewer", "remark", "proposal"])
def test_a_decision_that_was_changed_afterwards_is_found(ledger, path, change, field):
    made = ledger.propose("people", "ann", "q", "0.1", purpose="p")
    ledger.decide(made.place.sequence, "rita", approved=False, remark="no")
    [(body,)] = change(path, "SELECT body FROM entries ORDER BY sequence DESC LIMIT 1")
    told = json.loads(body)
    told[field] = {"approved": True, "reviewer": "rob", "remark": "yes", "proposal": 1}[field]
    forged = json.dumps(told, sort_keys=True, separators=(",", ":"))
    change(path, "UPDATE entries SET body = ? WHERE sequence = ?", forged, told["sequence"])
    assert verify(path)["entry"] == told["sequence"]


NOBODY = [
    "",
    " ",
    "\t",
    "\u200b",
    "\u3164",
    "\u2800 ",
    "ri\u200bta",
    "rita ",
    "ri  ta",
    "ri\u00adta",
    "\ufe0f",
]


@pytest.mark.parametrize("name", NOBODY, ids=ascii)
def test_nobody_signs_with_a_name_that_does_not_show(ledger, name):
    made = ledger.propose("people", "bob", "q", "0.1", purpose="p")
    before = ledger.state().point
    with pytest.raises(InvalidInput):
        ledger.decide(made.place.sequence, name, approved=True)
    with pytest.raises(InvalidInput):
        ledger.propose("people", name, "r", "0.1", purpose="p")
    assert ledger.state().point == before


@pytest.mark.parametrize(
    "name", ["bo\u200bb", "BOB", "b ob", "\uff42\uff4f\uff42", "bob\u3164"], ids=ascii
)
def test_nobody_decides_on_their_own_proposal_under_a_name_that_looks_the_same(ledger, name):
    made = ledger.propose("people", "bob", "q", "0.1", purpose="p")
    with pytest.raises(InvalidInput, match="nobody reviews their own"):
        ledger.decide(made.place.sequence, name, approved=True)
    assert ledger.decide(made.place.sequence, "rob lee", approved=True).status == "approved"


@pytest.mark.parametrize("purpose", [" ", "\n\t", "\u200b\u3164"], ids=ascii)
def test_a_release_is_proposed_for_something(ledger, purpose):
    with pytest.raises(InvalidInput, match="say what the release is for"):
        ledger.propose("people", "ann", "q", "0.1", purpose=purpose)


def test_a_cap_below_what_is_spent_stops_what_is_free_too_and_says_so(file):
    with Ledger.open(file) as ledger:
        ledger.reserve("people", "ann", "q", "1/2")
        ledger.set_cap("people", "1/4")
        for cost, said in (
            ("0", "dataset 'people' has spent epsilon 0.5, which is more than the cap of now"),
            ("1/8", "epsilon 0.125 does not fit for dataset 'people'"),
        ):
            with pytest.raises(OverBudget) as caught:
                ledger.reserve("people", "ann", "other", cost)
            assert str(caught.value).startswith(said)
            assert "nothing was charged" in str(caught.value)
