"""The view Guarantees: statements, inequalities, beliefs, certificates and pictures."""

import json

import pytest
from playwright.sync_api import expect

from tests.web.browser.window import Window, read_number
from twoworlds.cones import row_cone, verify

SURVEY = "randomized-response(bits=2, keep=3/4)"


@pytest.mark.parametrize("text", [SURVEY, "noisy-parity(bits=2, keep=3/4)"])
def test_the_words_of_every_statement(window: Window, text):
    window.open("guarantees", mechanism=text)
    statements = row_cone(text).statements()
    for said in statements:
        expect(window.page.get_by_role("listitem").filter(has_text=said.sentence)).to_have_count(1)
    expect(window.page.get_by_text(f"{len(statements)} in all")).to_be_visible()


def test_a_statement_opens_to_inequality_belief_and_certificate(window: Window):
    first = row_cone(SURVEY).statements()[0].to_dict()
    window.open("guarantees", mechanism=SURVEY)
    entry = window.page.get_by_role("listitem").filter(has_text=first["sentence"])
    entry.get_by_text(first["sentence"], exact=True).click()
    expect(entry.get_by_text(first["inequality"]["text"], exact=True)).to_be_visible()
    _, *rows = window.rows("The belief it speaks of")
    assert {row[0]: read_number(row[1])[0] for row in rows} == {
        database: mass["exact"] for database, mass in first["belief"].items()
    }
    entry.get_by_text("Read it here", exact=True).click()
    assert verify(json.loads(window.copied("Copy certificate")))


@pytest.mark.parametrize(
    ("text", "universe", "columns"),
    [("dp(ratio=3)", "bits(1)", 2), ("dp(ratio=2)", "records(values=3, n=1)", 3)],
)
def test_the_picture_for_two_or_three_databases(window: Window, text, universe, columns):
    window.open("guarantees", definition=text, universe=universe)
    picture = window.figure("The picture").get_by_role("img").first
    expect(picture).to_be_visible()
    heads, *rows = window.numbers("The picture", "Extreme rows: likelihoods up to a factor")
    assert len(heads) == columns + 1
    rays = {tuple(map(str, ray)) for ray in row_cone(text, universe).generators()}
    assert {tuple(row[1:]) for row in rows} == rays


def test_a_mechanism_and_a_definition_take_turns(window: Window):
    window.open("guarantees", mechanism=SURVEY)
    window.field("Guarantees of").select_option("definition")
    expect(window.field("Mechanism")).to_be_hidden()
    window.write("Definition", "dp(ratio=2)")
    window.write("Databases", "bits(2)")
    first = row_cone("dp(ratio=2)", "bits(2)").statements()[0]
    window.says(first.sentence)
    window.field("Guarantees of").select_option("mechanism")
    expect(window.field("Mechanism")).to_be_visible()
    window.says(row_cone(SURVEY).statements()[0].sentence)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("constant(bits=2)", "No output says anything about anybody"),
        ("identity(bits=2)", "Nothing is promised"),
        ("exact(sum, universe=bits(3))", "Nothing is promised"),
    ],
)
def test_the_headline_says_what_matters(window: Window, text, words):
    window.open("guarantees", mechanism=text)
    window.says(words)
    expect(window.page.get_by_role("listitem").filter(has_text="says nothing").last).to_be_visible()


@pytest.mark.parametrize("view", ["guarantees", "attacker"])
def test_every_example_that_is_offered_can_be_shown(window: Window, view):
    window.open(view)
    options = window.field("Example").get_by_role("option")
    expect(options.nth(15)).to_be_attached()  # the catalogue has come
    examples = options.evaluate_all("all => all.map(one => one.value).filter(Boolean)")
    assert any(one.startswith("laplace") for one in examples) == (view == "attacker")
    for example in examples:
        window.open(view, mechanism=example)
        expect(window.field("Mechanism")).to_have_value(example)
        expect(window.field("Mechanism")).not_to_have_attribute("aria-invalid", "true")
    assert not window.refused


def test_the_ratio_stops_before_it_is_refused(window: Window):
    window.open("guarantees", mechanism="geometric(ratio=2)")
    least = window.field("Ratio, e to the epsilon").get_attribute("min")
    window.slide("Ratio, e to the epsilon", least)
    expect(window.field("Mechanism")).to_have_value(f"geometric(ratio={least})")
    window.settle()
    expect(window.field("Mechanism")).not_to_have_attribute("aria-invalid", "true")
    assert not window.refused


def test_the_slider_changes_the_sentence(window: Window):
    window.open("guarantees", mechanism=SURVEY)
    window.says(row_cone(SURVEY).statements()[0].sentence)
    for keep in ("0.9", "0.6"):
        window.slide("Told truly (keep)", keep)
        text = f"randomized-response(bits=2, keep={keep})"
        window.says(row_cone(text).statements()[0].sentence)


def test_a_slider_that_the_hand_came_near_asks_nothing_when_it_moves(window: Window):
    window.open("guarantees", mechanism="randomized-response(bits=1, keep=3/4)")
    window.asked.clear()
    window.field("People (bits)").hover()
    window.until(lambda: len(window.asked) == 5)
    window.settle()
    window.page.wait_for_timeout(300)
    window.asked.clear()
    window.slide("People (bits)", 3)
    window.says(row_cone("randomized-response(bits=3, keep=3/4)").statements()[0].sentence)
    assert not window.asked
