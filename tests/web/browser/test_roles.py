"""Each token sees what its role may see; a forged one is refused beside its field."""

import json

import pytest
from playwright.sync_api import expect

from tests.cli.calling import call
from tests.web.browser.window import Window, mistake

PAY = "Pay and answer"


@pytest.fixture
def account(capsys, service):
    """Makes accounts as a curator does, and removes them."""
    policy = str(service.folder / "hospital" / "policy.yml")
    made = []

    def add(name: str, role: str) -> str:
        code, out, _ = call(
            capsys, "account", "add", name, "--role", role, "--policy", policy, "--json"
        )
        assert code == 0
        made.append(name)
        return str(json.loads(out)["token"])

    yield add
    for name in made:
        call(capsys, "account", "remove", name, "--policy", policy)


def test_a_reviewer_reads_and_pays_nothing(new_window, account):
    window: Window = new_window(account("rita", "reviewer"))
    window.open("release")
    expect(window.page.get_by_text("You are rita (reviewer).")).to_be_visible()
    expect(window.button(PAY)).to_have_count(0)
    expect(window.field("Query (SQL)")).to_have_count(0)
    window.page.get_by_role("link", name="See what was released, and what is proposed.").click()
    for dataset in ("people", "visits"):
        meters = window.page.get_by_role("meter", name=f"Budget of {dataset}")
        expect(meters.first).to_be_visible()
    window.unfold("What the policy says of people")
    expect(window.table("Columns of people")).to_be_visible()
    assert not window.refused


def test_an_analyst_proposes_and_a_reviewer_sends_back_and_approves(new_window, account):
    analyst: Window = new_window(account("bob", "analyst"))
    reviewer: Window = new_window(account("rita", "reviewer"))
    for sql, decision, stands in (
        ("SELECT COUNT(*) FROM people WHERE age >= 51", "Send back", "was sent back. Change"),
        ("SELECT COUNT(*) FROM people WHERE age >= 52", "Approve", "is approved"),
    ):
        analyst.open("release", dataset="people", sql=sql, epsilon="0.01")
        analyst.unfold("Let a reviewer see it first")
        analyst.write("What it is for", "the yearly table")
        analyst.button("Propose for review").click()
        expect(analyst.page.get_by_text("waits for a reviewer")).to_be_visible()
        reviewer.open("mechanism")
        reviewer.open("review")
        card = reviewer.page.get_by_role("article").filter(has_text=sql[-2:]).first
        expect(card).to_contain_text("the yearly table")
        expect(card).to_contain_text("With everything released before")
        if decision == "Send back":
            card.get_by_role("button", name=decision).click()
            assert "with a remark" in mistake(card.get_by_label("Remark"))
        card.get_by_label("Remark").fill("as agreed")
        card.get_by_role("button", name=decision).click()
        expect(reviewer.page.get_by_role("article").filter(has_text=sql[-2:])).to_have_count(0)
        said = "Sent back by rita" if decision == "Send back" else "Approved by rita"
        done = reviewer.page.get_by_role("status").filter(has_text=said)
        expect(done).to_be_focused()
        analyst.open("mechanism")
        analyst.open("release", dataset="people", sql=sql, epsilon="0.01")
        expect(analyst.page.get_by_text(stands)).to_be_visible()
    unpaid = reviewer.page.get_by_role("list", name="Approved and not yet paid from people")
    expect(unpaid.get_by_role("listitem").filter(has_text="age >= 52")).to_contain_text(
        "epsilon 0.01"
    )
    reviewer.unfold(reviewer.page.get_by_text("Decisions about people"))
    heads, newest_decision, *_ = reviewer.rows("Decisions about proposals on people")
    assert heads[:3] == ["proposal", "how it stands", "cost"]
    assert newest_decision[1].startswith("Approved by rita on ")
    assert newest_decision[1].endswith(": bob may release it as it is planned.")
    assert newest_decision[2:4] == ["epsilon 0.01", "as agreed"]
    analyst.button(PAY).click()
    expect(analyst.page.get_by_text("Paid epsilon 0.01.")).to_be_visible()
    reviewer.open("mechanism")
    reviewer.open("review")
    newest = reviewer.page.get_by_role("list", name="Everything released from people").first
    expect(newest.get_by_role("listitem").first).to_contain_text("age >= 52")
    with reviewer.page.expect_download():
        newest.get_by_role("button", name="Download report").first.click()
    analyst.open("review")
    expect(analyst.page.get_by_text("None waits for a reviewer")).to_be_visible()
    for stands, age in (("Approved", "age >= 52"), ("Sent back", "age >= 51")):
        own = analyst.page.get_by_role("article").filter(has_text=age)
        expect(own.get_by_role("heading")).to_contain_text(stands)
        expect(own).to_contain_text("as agreed")


def test_what_cannot_be_paid_any_more_is_to_be_sent_back(new_window, account, service):
    sql = "SELECT COUNT(*) FROM people WHERE age >= 53"
    asked = {"queries": [sql], "epsilon": "0.01", "purpose": "the yearly table"}
    with service.client(service.token) as client:
        client.post("/api/v1/propose", json=asked).raise_for_status()

    def make_it_unfit(route):
        answer = route.fetch()
        book = answer.json()
        for one in book["proposals"]:
            if one.get("after"):
                one["after"]["misfit"] = "It does not fit: the budget is epsilon 1."
        route.fulfill(response=answer, json=book)

    window: Window = new_window(account("rita", "reviewer"))
    window.page.route("**/api/v1/ledger", make_it_unfit)
    window.open("review")
    card = window.page.get_by_role("article").filter(has_text="age >= 53")
    expect(card).to_contain_text("It does not fit: the budget is epsilon 1.")
    expect(card.locator(".guessed")).to_have_count(0)
    card.get_by_role("button", name="Approve", exact=True).click()
    sure = card.get_by_role("group", name="Confirm")
    expect(sure).to_contain_text("An approval cannot be taken back.")
    sure.get_by_role("button", name="Do not approve").click()
    expect(sure).to_be_hidden()
    expect(card.get_by_role("button", name="Approve", exact=True)).to_be_focused()
    card.get_by_label("Remark").fill("too much")
    expect(card.locator("button.main")).to_have_text("Send back")
    card.locator("button.main").click()
    expect(card).to_have_count(0)


def test_an_analyst_asks_and_sees_the_own_part_only(new_window, account):
    window: Window = new_window(account("bob", "analyst"))
    window.open("release", sql="SELECT COUNT(*) FROM people WHERE age >= 34", epsilon="0.01")
    expect(window.page.get_by_text("You are bob (analyst).")).to_be_visible()
    expect(window.page.get_by_role("meter", name="Your part (bob)")).to_be_visible()
    expect(window.page.get_by_text("ann", exact=True)).to_have_count(0)
    window.button(PAY).click()
    expect(window.page.get_by_text("Paid epsilon 0.01.")).to_be_visible()
    assert not window.refused


def test_whom_the_policy_gives_nothing_is_told_so(new_window, account):
    window: Window = new_window(account("bob", "analyst"))
    window.open("release", dataset="visits", sql="SELECT COUNT(*) FROM visits", epsilon="0.01")
    expect(window.page.get_by_role("alert").filter(has_text="bob").first).to_be_visible()
    expect(window.button(PAY)).to_be_disabled()


@pytest.mark.parametrize("token", ["forged", "tw-" + "A" * 43])
def test_a_forged_token_is_refused_beside_the_field(new_window, token):
    window: Window = new_window()
    window.open("release")
    window.write("Token", token)
    window.button("Enter").click()
    assert "token" in mistake(window.field("Token"))
    assert window.page.evaluate("() => sessionStorage.length") == 0
    expect(window.button(PAY)).to_have_count(0)
    assert window.refused == [("/api/v1/me", 401)]


def test_a_forged_token_in_the_address_is_refused_too(new_window):
    window: Window = new_window("forged")
    window.open("release")
    assert "token" in mistake(window.field("Token"))
    assert window.page.evaluate("() => sessionStorage.length") == 0


def test_a_token_may_be_typed_in(new_window, service):
    window: Window = new_window()
    window.open("release")
    field = window.field("Token")
    expect(field).to_have_attribute("type", "password")
    field.fill(service.token)
    field.press("Enter")
    expect(window.page.get_by_text("You are ann (curator).")).to_be_visible()


def test_a_token_that_is_taken_away_meanwhile_is_asked_for_again(
    new_window, account, capsys, service
):
    window: Window = new_window(account("eve", "analyst"))
    window.open("release")
    expect(window.page.get_by_text("You are eve (analyst).")).to_be_visible()
    policy = str(service.folder / "hospital" / "policy.yml")
    call(capsys, "account", "remove", "eve", "--policy", policy)
    window.open("mechanism")
    window.open("release")
    assert "token" in mistake(window.field("Token"))


def test_a_token_that_is_forgotten_is_said_where_one_pays(new_window, account, capsys, service):
    window: Window = new_window(account("eve", "analyst"))
    window.open("release", dataset="people", sql="SELECT COUNT(*) FROM people", epsilon="0.01")
    policy = str(service.folder / "hospital" / "policy.yml")
    call(capsys, "account", "remove", "eve", "--policy", policy)
    window.spend("0.02")
    assert mistake(window.field("Token")) == (
        "The service does not know this token: it may have been restarted. Open its new link, or "
        "enter a token."
    )
    expect(window.button(PAY)).to_be_disabled()
    assert window.page.evaluate("() => sessionStorage.length") == 0
    window.write("Token", service.token)
    window.button("Enter").click()
    expect(window.page.get_by_text("You are ann (curator).")).to_be_visible()
    expect(window.field("Query (SQL)")).to_have_value("SELECT COUNT(*) FROM people")
    expect(window.fact("Costs")).to_have_text("epsilon 0.02")
