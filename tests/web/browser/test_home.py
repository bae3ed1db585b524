"""The first page: one slider moves everything, two tables give Alice away, three doors lead on."""

import re

import pytest
from playwright.sync_api import expect

from tests.web.browser.window import Window
from twoworlds import mechanism
from twoworlds.laws.event import AtLeast


def place_of(window: Window, epsilon: str) -> None:
    """Open the page at an epsilon, as a link does."""
    window.open("home", epsilon=epsilon)
    expect(window.page.get_by_label("Privacy loss (epsilon)")).to_have_attribute(
        "aria-valuetext", epsilon
    )


@pytest.mark.smoke
def test_the_page_begins_with_the_story(new_window):
    window: Window = new_window()
    window.page.goto(window.address)
    expect(window.page.get_by_role("heading", level=1)).to_have_text(
        "You are one of 6,000 patients."
    )
    window.says("would get at most 63 right (50 without your data).")
    expect(window.page.get_by_text("A made-up hospital publishes")).to_be_visible()
    expect(window.page.get_by_text("The true counts below are made up")).to_be_visible()
    assert not [one for one in window.asked if "pictures" in one]  # it needs no drawing library


@pytest.mark.parametrize(
    ("epsilon", "right", "word"),
    [
        ("0.01", "503 right (500", "strong"),
        ("1", "74 right (50", "strong"),
        ("2", "89 right (50", "moderate"),
    ],
)
def test_sentence_figures_and_table_agree(window: Window, epsilon, right, word):
    place_of(window, epsilon)
    window.says(f"at most {right} without your data)")
    expect(window.page.get_by_text(f"{word} protection")).to_be_visible()
    lit = window.page.get_by_role("img", name="figures are guessed right").locator("path.added")
    of = 10 if right.endswith("500") else 1
    assert lit.count() == -(-int(right.split()[0]) // of) - 50
    noise = mechanism(f"geometric(epsilon={epsilon})")
    [half] = {
        int(one)
        for one in window.page.get_by_text(re.compile("±")).all_inner_texts()[1:]
        for one in re.findall(r"± ([\d,]+)$", one)
    }
    assert 2 * noise.mass(AtLeast(half + 1), 0) <= 0.05 < 2 * noise.mass(AtLeast(half), 0)


def test_the_slider_moves_all_three_without_a_request_and_nothing_else(new_window):
    window: Window = new_window()
    window.open("home")
    dial = window.page.get_by_label("Privacy loss (epsilon)")
    seen = set()
    place = dial.bounding_box()
    window.asked.clear()
    for at in range(0, 301, 60):
        window.slide("Privacy loss (epsilon)", at)
        parts = (".opening > .lead", ".curves .line.with", ".regions")
        seen.add(
            tuple(window.page.locator(one).first.evaluate("x => x.outerHTML") for one in parts)
        )
        assert dial.bounding_box() == place
    assert len(seen) == 6
    assert not [one for one in window.asked if "/api/" in one]
    expect(window.page).to_have_url(re.compile("epsilon=10"))


def test_two_tables_give_alice_away(window: Window):
    window.open("home")
    lit = window.page.locator("tr.hers")
    table = window.page.get_by_role("table", name="First hospital")
    lies = "table => [table.offsetTop, table.offsetWidth, table.offsetHeight]"
    place = table.evaluate(lies)
    for words, said, rows in [
        ("Look for Alice in the first", "In the first table 4 rows may be Alice's", 4),
        ("Look in the second", "In the second table 6 rows may be hers", 10),
        ("Put both together", "Only one illness is in both: AIDS.", 2),
    ]:
        window.button(words).click()
        window.says(said)
        expect(lit).to_have_count(rows)
        assert table.evaluate(lies) == place
    assert {one.split()[-1] for one in lit.all_inner_texts()} == {"AIDS"}
    window.button("Start again").click()
    expect(lit).to_have_count(0)


def test_three_doors(window: Window):
    window.open("home")
    doors = window.page.get_by_role("region", name="What brings you here?").get_by_role("link")
    assert [one.get_attribute("href") for one in doors.all()] == [
        "#/release",
        "#/review",
        "#/mechanism",
    ]
    doors.first.click()
    expect(window.page).to_have_title(re.compile("Release"))


def test_an_error_stays_in_view(new_window):
    window: Window = new_window(viewport={"width": 390, "height": 700})
    window.open("mechanism")
    window.write("Mechanism", "foo(")
    expect(window.field("Mechanism")).to_have_attribute("aria-invalid", "true")
    window.page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
    window.button("Show it").click()
    expect(window.field("Mechanism")).to_be_in_viewport()
    expect(window.button("Show it")).to_be_hidden()
