"""The view No noise: delta of an exact count, at a point and along a curve."""

import pytest
from playwright.sync_api import expect

from tests.web.browser.window import Window
from twoworlds.noiseless import total

LABELS = {
    "people": "People in the count",
    "known": "Of these, known to the attacker",
    "probability": "Belief that another says yes",
    "epsilon": "Epsilon",
}


def delta(people, known, probability, epsilon):
    law = f"1={probability}, 0={round(1 - probability, 4)}"
    return float(total(law, people=people, known=known, epsilon=str(epsilon)).delta)


def test_delta_wherever_the_sliders_are(window: Window):
    window.open("no-noise")
    at = {"people": 100, "known": 10, "probability": 0.5, "epsilon": 0.5}
    moves = [("people", 40), ("known", 30), ("probability", 0.1), ("epsilon", 1), ("people", 300)]
    for name, value in moves:
        at[name] = value
        window.slide(LABELS[name], value)
        right = delta(**at)
        window.until(
            lambda right=right: window.number("Delta")[1] == pytest.approx(right, rel=5e-3)
        )
    expect(window.fact("Unknown to the attacker")).to_have_text("270 people")


@pytest.mark.parametrize("sweep", ["people", "known"])
def test_the_points_of_the_curve(window: Window, sweep):
    window.open("no-noise", people=60, known=5, probability=0.5, epsilon=0.5, sweep=sweep)
    over = "people in the count" if sweep == "people" else "people known to the attacker"
    _, *rows = window.numbers("How delta falls, or rises", f"Delta over {over}")
    assert len(rows) >= 8
    for row in rows:
        numbers = {"people": 60, "known": 5, sweep: int(row[0].replace(",", ""))}
        right = delta(**numbers, probability=0.5, epsilon=0.5)
        assert float(row[1]) == pytest.approx(right, rel=5e-3, abs=1e-9)


def test_the_sentence_says_odds_and_what_breaks_it(window: Window):
    window.open("no-noise", people=100, known=10, probability=0.5, epsilon=0.5)
    found = total("1=0.5, 0=0.5", people=100, known=10, epsilon="0.5")
    content = window.page.get_by_role("main")
    chance = "a bet at even odds on whether your entry was used is won with probability at most"
    assert chance in found.sentence
    after = found.sentence.partition(chance)[2].split(",")[0]
    expect(content).to_contain_text(f"{chance}{after}")
    expect(content).to_contain_text("knowing 99 makes delta exceed 1/2")
