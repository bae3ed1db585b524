"""Proposals, decisions and the reviewer's desk, through the curator."""

import math

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.release import Curator, OverBudget, certify, check_certificate
from twoworlds.release.costs import Cost
from twoworlds.release.review import ReviewDesk, alarm

BY_REGION = "SELECT region, COUNT(*) FROM people GROUP BY region"
COUNT = "SELECT COUNT(*) FROM people"


@pytest.fixture
def reviewed(hospital):
    """A curator whose policy asks for a review of every release from people."""
    policy = hospital / "policy.yml"
    policy.write_text(
        policy.read_text().replace("frozen: true ", "review: true\n    frozen: true ")
    )
    with Curator.open(policy) as found:
        yield found


def propose(curator, sql=BY_REGION, cost="1", analyst="ann"):
    return curator.propose(sql, cost, purpose="the yearly table", analyst=analyst)


def approve(curator, proposal):
    return curator.ledger.decide(proposal.place.sequence, "rita", approved=True)


def test_without_an_approval_nothing_is_released_and_nothing_charged(reviewed):
    with pytest.raises(InvalidInput, match="was not proposed: propose it"):
        reviewed.release(BY_REGION, "1", analyst="ann")
    proposal = propose(reviewed)
    with pytest.raises(InvalidInput, match="waits for a reviewer"):
        reviewed.release(BY_REGION, "1", analyst="ann")
    reviewed.ledger.decide(proposal.place.sequence, "rita", approved=False, remark="too much")
    with pytest.raises(InvalidInput, match="was sent back"):
        reviewed.release(BY_REGION, "1", analyst="ann")
    assert reviewed.ledger.spent("people") == Cost()


def test_what_was_approved_is_released_exactly_as_planned(reviewed):
    approve(reviewed, propose(reviewed))
    for sql, cost, who in (
        (BY_REGION, "1.01", "ann"),
        (BY_REGION, "1", "bob"),
        (f"{BY_REGION[:-16]} WHERE age > 17 GROUP BY region", "1", "ann"),
    ):
        with pytest.raises(InvalidInput, match="was not proposed"):
            reviewed.release(sql, cost, analyst=who)
    answer = reviewed.release(BY_REGION, "1", analyst="ann")
    assert reviewed.release(BY_REGION, "1", analyst="ann").rows() == answer.rows()
    assert reviewed.ledger.spent("people").epsilon == 1


def test_an_approval_does_not_outlive_a_change_of_the_policy(hospital):
    policy = hospital / "policy.yml"
    text = policy.read_text().replace("frozen: true ", "review: true\n    frozen: true ")
    policy.write_text(text)
    with Curator.open(policy) as curator:
        approve(curator, propose(curator))
    policy.write_text(text.replace('"2026"', '"2027"'))
    with Curator.open(policy) as curator, pytest.raises(InvalidInput, match="was not proposed"):
        curator.release(BY_REGION, "1", analyst="ann")


def test_an_approval_reserves_no_budget(reviewed):
    approve(reviewed, propose(reviewed, cost="3"))
    approve(reviewed, propose(reviewed, sql=COUNT, cost="3"))
    reviewed.release(BY_REGION, "3", analyst="ann")
    with pytest.raises(OverBudget):
        reviewed.release(COUNT, "3", analyst="ann")
    with pytest.raises(OverBudget):
        propose(reviewed, cost="5")


def test_a_strategy_cannot_be_reviewed_beforehand(reviewed):
    with pytest.raises(InvalidInput, match="not known beforehand"):
        reviewed.strategy("people", "1", analyst="ann")
    assert reviewed.ledger.spent("people") == Cost()


def test_other_datasets_need_no_review(reviewed):
    reviewed.release("SELECT COUNT(*) FROM visits", "1/10", analyst="ann")


def test_a_plan_says_how_its_review_stands(reviewed):
    def stands():
        plan = reviewed.plan(BY_REGION, "1", analyst="ann")
        assert plan.to_dict()["review"]["needed"]
        return plan.to_dict()["review"]["status"], plan.explain()

    status, words = stands()
    assert status is None
    assert "It needs a review first." in words
    proposal = propose(reviewed)
    assert stands()[0] == "waiting"
    approve(reviewed, proposal)
    status, words = stands()
    assert status == "approved"
    assert f"Proposal {proposal.place.sequence} for it is approved." in words


def test_the_desk_shows_every_question_and_what_all_of_them_allow(curator):
    assert ReviewDesk(curator.ledger, "people").datasets[0]["guess"] is None
    curator.release(BY_REGION, "1/2", analyst="ann")
    curator.release(COUNT, "1/2", analyst="bob")
    curator.strategy("people", "1", name="ill", analyst="bob").ask(COUNT, "1/4")
    waiting = propose(curator, sql="SELECT COUNT(*) FROM people WHERE region = 'Nroth'", cost="2")
    desk = ReviewDesk(curator.ledger, "people")
    [people], [proposal] = desk.datasets, desk.proposals
    question, opening, count, table = desk.releases
    assert [one["report"] for one in desk.releases] == [False, False, True, True]
    assert table["asked"] == ["Asked of people: the number of rows, by region (7 groups)."]
    assert count["analysts"] == ["bob"]
    assert "Strategy 'ill'" in opening["asked"][0]
    assert question["meaning"] is None
    assert "would get at most 63 right (50" in table["meaning"]
    assert people["guess"]["chance"]["value"] == pytest.approx(1 / (1 + math.exp(-2)))
    assert proposal["after"]["chance"]["value"] == pytest.approx(1 / (1 + math.exp(-4)))
    assert [one["kind"] for one in proposal["warnings"]] == ["value", "empty", "spend"]
    assert (proposal["entry"], proposal["status"]) == (waiting.place.sequence, "waiting")
    words = " ".join(desk.explain().split())
    assert words.startswith("1 proposal waits for review; 3 releases were paid for.")


def test_a_release_is_read_back_from_the_ledger_with_its_certificate(curator):
    curator.release(BY_REGION, "1/2", analyst="ann")
    [one] = ReviewDesk(curator.ledger, "people").releases
    found = curator.released(one["entry"])
    assert check_certificate(certify(found)).holds
    assert found.answers[0].rows() == curator.release(BY_REGION, "1/2", analyst="ann").rows()
    with pytest.raises(InvalidInput, match="there is no release"):
        curator.released(one["entry"], analyst="bob")
    with pytest.raises(InvalidInput, match="there is no release"):
        curator.released(1)


def test_a_reviewer_reads_what_a_proposal_allows_with_all_that_was_approved_before(reviewed):
    approve(reviewed, propose(reviewed, cost="1/2"))
    reviewed.release(BY_REGION, "1/2", analyst="ann")
    approve(reviewed, propose(reviewed, sql=COUNT, cost="1"))
    approve(reviewed, propose(reviewed, sql=COUNT, cost="1", analyst="bob"))  # the same: once
    waiting = propose(reviewed, sql=COUNT, cost="3/2")
    desk = ReviewDesk(reviewed.ledger, "people")
    [one] = [each for each in desk.proposals if each["status"] == "waiting"]
    assert one["after"]["chance"]["value"] == pytest.approx(1 / (1 + math.exp(-3)))
    assert (one["after"]["cost"]["epsilon"]["exact"], one["after"]["fits"]) == ("3", True)
    said = "If it is approved: together with everything released and with what is approved and not "
    assert f"{said}yet paid, it costs epsilon 3. " in " ".join(desk.explain().split())
    approve(reviewed, waiting)
    reviewed.release(COUNT, "1", analyst="ann")
    reviewed.release(COUNT, "3/2", analyst="ann")
    last = propose(reviewed, sql="SELECT COUNT(*) FROM people WHERE age > 60", cost="1/2")
    after = ReviewDesk(reviewed.ledger, "people").proposal(last)["after"]
    assert after["together"].startswith("together with everything released, it costs epsilon 3.5")


def test_what_does_not_fit_is_said_with_the_sum_that_would_have_to_fit(reviewed):
    approve(reviewed, propose(reviewed, cost="7/2"))
    waiting = propose(reviewed, sql=COUNT, cost="7/2", analyst="bob")
    after = ReviewDesk(reviewed.ledger).proposal(waiting)["after"]
    assert not after["fits"]
    said = (
        "This one fits alone; with the others that are approved it does not: the budget is epsilon "
    )
    assert after["misfit"].startswith(f"{said}6, delta 1e-6, and all of it would be epsilon 7")
    assert after["chance"]["value"] == pytest.approx(1 / (1 + math.exp(-6)), abs=1e-6)  # at most
    reviewed.release(BY_REGION, "7/2", analyst="ann")
    after = ReviewDesk(reviewed.ledger).proposal(waiting)["after"]
    assert after["misfit"].startswith("It does not fit: the budget is epsilon 6")
    assert "With the whole budget spent, of 1,000 people" in after["together"]


def test_a_proposal_that_does_not_fit_takes_no_share_and_one_that_is_paid_names_the_entry(reviewed):
    paid = approve(reviewed, propose(reviewed, cost="7/2"))
    waiting = propose(reviewed, sql=COUNT, cost="7/2", analyst="bob")
    reviewed.release(BY_REGION, "7/2", analyst="ann")
    desk = ReviewDesk(reviewed.ledger)
    said = f"and released on {desk.releases[0]['time'][:10]} (entry {desk.proposal(paid)['paid']})."
    assert desk.proposal(paid)["stands"].endswith(said)
    found = desk.proposal(waiting)
    assert not found["with_released"]["fits"]
    assert [one for one in found["warnings"] if one["kind"] == "spend"] == []


def test_a_refused_reviewer_is_told_whose_proposal_it_is(reviewed):
    number = propose(reviewed).place.sequence
    with pytest.raises(InvalidInput, match=f"proposal {number} is by 'ann', and nobody"):
        reviewed.ledger.decide(number, "Ann", approved=True)


def stand(curator, number):
    desk = ReviewDesk(curator.ledger)
    return desk.proposal(desk.state.proposal(number))


def test_an_approval_that_cannot_be_paid_says_so(reviewed):
    number = approve(reviewed, propose(reviewed, cost="3", analyst="bob")).place.sequence
    assert stand(reviewed, number)["stands"].endswith(": bob may release it as it is planned.")
    approve(reviewed, propose(reviewed, sql=COUNT, cost="4", analyst="bob"))
    reviewed.release(COUNT, "4", analyst="bob")
    told = stand(reviewed, number)
    assert "but bob cannot pay for it (it costs epsilon 3; left: people epsilon 2" in told["stands"]
    assert "bob epsilon 0" in told["stands"]
    assert (told["payable"], told["unpaid"]) == (False, True)


def test_one_hash_leads_from_the_proposal_to_the_charge_and_the_certificate(reviewed):
    proposal = approve(reviewed, propose(reviewed))
    released = reviewed.release_all([BY_REGION], "1", analyst="ann")
    desk = ReviewDesk(reviewed.ledger)
    told, [charged] = stand(reviewed, proposal.place.sequence), desk.releases
    checked = check_certificate(certify(released), ledger=reviewed.ledger)
    assert told["plan"] == charged["plan"] == checked.plan == checked.to_dict()["plan"]
    assert told["stands"] == charged["stands"] == checked.stands
    assert check_certificate(certify(released)).plan == told["plan"]


@pytest.mark.parametrize(
    ("alone", "total", "said"),
    [
        ("strong", "moderate", ""),
        ("weak", "strong", "This is weak"),
        ("strong", "none", "Together with the other releases, this is hardly a protection at all"),
        ("weak", "none", "Together with the other releases, this is hardly"),
        ("none", "weak", "This is hardly a protection at all"),
        ("", "weak", "Some outputs give a person away with certainty"),
    ],
)
def test_a_reviewer_is_warned_of_the_weaker_of_two_protections(alone, total, said):
    assert alarm(alone, total).startswith(said)
    assert bool(alarm(alone, total)) == bool(said)
    assert "Approve" not in alarm(alone, total, released=True)


def test_what_is_approved_is_warned_of_until_it_is_paid(reviewed):
    reviewed.release("SELECT COUNT(*) FROM visits", "1/10", analyst="ann")
    number = approve(reviewed, propose(reviewed, cost="4")).place.sequence
    told = stand(reviewed, number)
    assert told["alarm"].startswith("This is weak")
    assert [one["kind"] for one in told["warnings"]] == ["spend"]
    reviewed.release(BY_REGION, "4", analyst="ann")
    assert "warnings" not in stand(reviewed, number)


def test_a_proposal_stands_for_its_own_analyst_and_its_own_turn(reviewed):
    first = propose(reviewed).place.sequence
    reviewed.ledger.decide(first, "rita", approved=False, remark="say why")
    second = approve(reviewed, propose(reviewed)).place.sequence
    released = reviewed.release_all([BY_REGION], "1", analyst="ann")
    bob = propose(reviewed, analyst="bob").place.sequence
    reviewed.ledger.decide(bob, "rita", approved=False, remark="no need")
    assert stand(reviewed, first)["stands"].endswith(f"and proposed anew as proposal {second}.")
    assert stand(reviewed, bob)["stands"].endswith(": bob may change it and propose anew.")
    said = check_certificate(certify(released), ledger=reviewed.ledger).stands
    assert said == stand(reviewed, second)["stands"]
    assert said.startswith("Approved by rita on ")
    assert "released on" in said
