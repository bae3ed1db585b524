"""A mistake is explained beside the field that it is in, in the words of the command line.

What the command line says is found by running the command that the page itself offers.
"""

import shlex

import pytest
from playwright.sync_api import expect

from tests.cli.calling import call
from tests.web.browser.test_attacks import opened, run
from tests.web.browser.window import Window, mistake

MECHANISMS = [
    "foo(",
    "randomised(bits=2)",
    "randomized-response(bits=2, keep=2)",
    "randomized-response(bits=two, keep=3/4)",
    "geometric(ratio=1/2)",
    "laplace(scale=0)",
]


def words_of(capsys, command: str) -> str:
    code, _, err = call(capsys, *shlex.split(command)[1:])
    assert code == 2, err
    return " ".join(err.removeprefix("twoworlds: ").split())


def beside(window: Window, label: str) -> str:
    return " ".join(mistake(window.field(label)).split())


@pytest.mark.parametrize("view", ["mechanism", "attacker", "guarantees"])
def test_a_wrong_mechanism(window: Window, capsys, view):
    window.open(view)
    for text in MECHANISMS:
        window.write("Mechanism", text)
        said = words_of(capsys, f"twoworlds measure {shlex.quote(text)}")
        window.until(lambda said=said: beside(window, "Mechanism") == said)
    window.write("Mechanism", "constant(bits=1)")
    expect(window.field("Mechanism")).not_to_have_attribute("aria-invalid", "true")
    window.write("Mechanism", "")
    assert beside(window, "Mechanism")


def test_what_was_shown_before_stays_until_there_is_an_answer(window: Window):
    window.open("mechanism")
    before = window.fact("Ratio, e to the epsilon").inner_text()
    window.write("Mechanism", "foo(")
    beside(window, "Mechanism")
    assert window.fact("Ratio, e to the epsilon").inner_text() == before


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("Definition", "dpp(ratio=3)"),
        ("Definition", "dp(ratio=0)"),
        ("Definition", "linear(x11 <= 3 y)"),
        ("Databases", "bitz(2)"),
        ("Databases", "bits(-1)"),
        ("Databases", "bits("),
    ],
)
def test_a_wrong_definition_or_universe(window: Window, capsys, label, text):
    window.open("guarantees", definition="dp(ratio=3)", universe="bits(1)")
    window.write(label, text)
    assert beside(window, label) == words_of(capsys, window.recipe("Command line"))


def test_more_known_than_there_are(window: Window, capsys):
    window.open("no-noise", people=10, known=12)
    said = beside(window, "Of these, known to the attacker")
    assert said == words_of(capsys, window.recipe("Command line"))
    window.slide("People in the count", 100)
    expect(window.fact("Unknown to the attacker")).to_have_text("88 people")


def test_no_slider_of_no_noise_makes_a_mistake(window: Window):
    window.open("no-noise", people=100, known=80)
    window.slide("People in the count", 50)
    expect(window.fact("Unknown to the attacker")).to_have_text("1 person")
    expect(window.field("Of these, known to the attacker")).to_have_attribute("max", "49")
    expect(window.page.get_by_role("alert").filter(visible=True)).to_have_count(0)


@pytest.fixture
def desk(new_window, service, monkeypatch) -> Window:
    monkeypatch.chdir(service.folder / "hospital")
    return new_window(service.token)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT region, COUNT(* FROM people",
        "SELECT colour, COUNT(*) FROM people GROUP BY colour",
        "SELECT COUNT(*) FROM persons",
        "SELECT * FROM people",
        "SELECT COUNT(*) FROM people; DROP TABLE people",
        "SELECT AVG(region) FROM people",
    ],
)
def test_a_wrong_query(desk: Window, capsys, sql):
    desk.open("release")
    desk.write("Query (SQL)", sql)
    assert beside(desk, "Query (SQL)") == words_of(capsys, desk.recipe("Command line"))
    expect(desk.button("Pay and answer")).to_be_disabled()


def test_more_than_is_left(new_window, service, monkeypatch, capsys):
    monkeypatch.chdir(service.folder / "hospital")
    with service.client(service.token) as client:
        paid = {"queries": ["SELECT COUNT(*) FROM people WHERE age >= 39"], "epsilon": "1/100"}
        assert client.post("/api/v1/release", json=paid).status_code == 200
    window: Window = new_window(service.token)
    sql = "SELECT COUNT(*) FROM people WHERE age >= 35"
    window.open("release", dataset="people", sql=sql, epsilon="4")  # further than the slider goes
    said = beside(window, "What to spend (epsilon)")
    assert said == words_of(capsys, window.recipe("Command line"))


@pytest.mark.parametrize(
    ("name", "label", "text"),
    [
        ("composition", "Known of the person", "colour=red"),
        ("composition", "Attacked column", "colour"),
        ("linkage", "Columns that both have", "zip,colour"),
        ("linkage", "Attacked column", "colour"),
        ("differencing", "Known of the person", "colour=red"),
        ("differencing", "To be found out", "depressed"),
        ("differencing", "Counts below this are refused", "few"),
        ("averaging", "Loss of one answer (epsilon)", "-1"),
        ("averaging", "How often it is asked", "often"),
        ("membership", "People in the study", "0"),
        ("membership", "Published counts", "many"),
        ("membership", "What all counts cost (empty: exact)", "-1"),
        ("reconstruct", "People", "0"),
        ("reconstruct", "Sums asked", "-5"),
        ("reconstruct", "Scale of the noise", "-2"),
    ],
)
def test_a_wrong_option_of_an_attack(window: Window, capsys, name, label, text):
    card = opened(window, name)
    card.get_by_label(label, exact=True).fill(text)
    run(card)
    said = " ".join(mistake(card.get_by_label(label, exact=True)).split())
    assert said == words_of(capsys, window.recipe("Command line"))


def test_a_service_that_is_gone_is_said_to_be(new_window):
    window: Window = new_window()
    window.open("mechanism")
    window.context.set_offline(True)
    window.write("Mechanism", "identity(bits=1)")
    alert = window.page.get_by_role("alert").filter(has_text="twoworlds serve")
    expect(alert).to_be_visible()
    window.context.set_offline(False)
