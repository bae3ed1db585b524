"""The view Attacks: all seven, run live, with the results of the package."""

import pytest
from playwright.sync_api import Locator, expect

from tests.web.browser.window import Window, read_number
from twoworlds.attacks import compose, link
from twoworlds.attacks.auxiliary import height
from twoworlds.attacks.queries import average_out, study
from twoworlds.attacks.reconstruction import simulate

TITLES = {
    "composition": "Two anonymous tables, one patient",
    "linkage": "A register and a published table",
    "differencing": "Two harmless counts, one secret",
    "averaging": "Asking again until the noise is gone",
    "membership": "Were you in the study?",
    "reconstruct": "A secret column, read back from sums",
    "auxiliary": "A remark that is worthless alone",
}


def opened(window: Window, name: str) -> Locator:
    """Open an attack in the gallery, which runs it as it stands."""
    window.open("attacks")
    title = window.page.get_by_text(TITLES[name], exact=True)
    card = window.page.get_by_role("group").filter(has=title)
    for _ in range(3):  # on a busy machine a click may come before the page listens
        if card.get_attribute("open") is None:
            title.click()
            window.settle()
    return card


def run(card: Locator) -> None:
    card.get_by_role("button", name="Run the attack").click()


def says(card: Locator, words: str) -> None:
    expect(card.get_by_role("status").filter(has_text=words).first).to_be_visible()


def test_all_seven_are_there(window: Window):
    window.open("attacks")
    for title in TITLES.values():
        expect(window.page.get_by_text(title, exact=True)).to_be_visible()


def test_composition(window: Window):
    card = opened(window, "composition")
    known = {"zip": "13012", "age": "28"}
    found = compose(["figure1.csv", "figure2.csv"], known, "condition")
    says(card, found.data["sentence"])
    heads, *rows = window.rows("What each table leaves, and both together")
    assert heads == ["condition", "figure1.csv", "figure2.csv", "together"]
    together = {value: mass["exact"] for value, mass in found.to_dict()["posterior"].items()}
    shown = {row[0]: read_number(row[3])[0] for row in rows if row[3] != "ruled out"}
    assert shown == together


def test_linkage(window: Window):
    card = opened(window, "linkage")
    found = link("register.csv", "figure1.csv", "zip,age", sensitive="condition")
    says(card, "2 people are given away, if they are in the table: Bruno (Cancer), Chen (Cancer).")
    expect(card).to_contain_text(found.data["sentence"])
    _, *rows = window.rows("Whom the register finds in the table")
    wanted = [(one["person"]["name"], one["matching_rows"]) for one in found.to_dict()["links"]]
    assert [(row[0], int(row[1])) for row in rows] == wanted


def test_averaging(window: Window):
    card = opened(window, "averaging")
    card.get_by_label("How often it is asked").fill("1,9,25")
    run(card)
    found = average_out("1/2", ["1", "9", "25"])
    says(card, found.answer().headline)
    _, *rows = window.rows("How sure the mean makes")
    for row, right in zip(rows, found.to_dict()["rows"], strict=True):
        assert row[0] == str(right["times"])
        assert read_number(row[1])[1] == pytest.approx(right["chance"]["value"], abs=6e-4)
        assert row[3] == right["cost"]["exact"]


def test_membership(window: Window):
    card = opened(window, "membership")
    card.get_by_label("Published counts").fill("300")
    run(card)
    found = study("100", "300")
    says(card, found.answer().headline)
    rows = {row[0]: row[1] for row in window.rows("How well the test tells who took part")[1:]}
    assert read_number(rows["Told right"])[1] == pytest.approx(found.to_dict()["told_right"])


def test_reconstruction(window: Window):
    card = opened(window, "reconstruct")
    found = simulate(96, 256, noise="2")
    says(card, found.answer().headline)
    fraction = float(found.to_dict()["fraction"]["value"])
    assert window.number("Read back")[1] == pytest.approx(fraction, abs=6e-4)
    wrong = 96 - found.to_dict()["right"]
    picture = card.get_by_role("img", name=f"96 secret bits, {wrong} of them read wrongly")
    expect(picture).to_be_visible()


def test_auxiliary(window: Window):
    card = opened(window, "auxiliary")
    first, rest = height().explain().split("\n\n")[0].split("\n", 1)
    says(card, first)
    expect(card).to_contain_text(rest)
    expect(card.get_by_text("The theorem behind it, computed")).to_be_visible()


def test_differencing_succeeds_on_exact_counts_and_fails_on_the_engine(window: Window):
    card = opened(window, "differencing")
    card.get_by_label("against the release engine").check()
    run(card)
    expect(card.get_by_text("Against the release engine", exact=True)).to_be_visible()
    _, *rows = window.rows("What was asked")
    assert all(row[0].startswith("SELECT COUNT(*)") for row in rows)
    assert rows[-1][2] == "1"  # she is


def test_an_attack_has_an_address(window: Window):
    window.open("attacks", name="averaging", epsilon="1/4", times="1,16")
    window.says(average_out("1/4", ["1", "16"]).answer().headline)
