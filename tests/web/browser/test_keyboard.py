"""Everything can be done without a mouse, and one always sees where one is."""

import pytest
from playwright.sync_api import expect

from tests.web.browser.window import VIEWS, Window
from twoworlds import measure
from twoworlds.cones import row_cone

STOPS = """
() => {
  const all = document.querySelectorAll(
    "a[href], button, input, select, textarea, summary, [tabindex='0']");
  window.stops = [...all].filter((one) => one.checkVisibility() && !one.disabled);
  return window.stops.map((one) => one.outerHTML.slice(0, 90));
}
"""
AT = """
() => {
  const one = document.activeElement;
  const style = getComputedStyle(one);
  const lined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  return [window.stops.indexOf(one), lined || style.boxShadow !== "none"];
}
"""


def walk(window: Window, name: str) -> None:
    """Press Tab until what has this name is in focus."""
    for _ in range(150):
        window.page.keyboard.press("Tab")
        named = window.page.evaluate(
            "() => { const at = document.activeElement;"
            " return at.tagName === 'A' ? '' : at.labels?.[0]?.textContent ?? at.textContent }"
        )
        if named.strip() == name:
            return
    raise AssertionError(f"Tab never comes to {name!r}")


def press(window: Window, *keys: str) -> None:
    for key in keys:
        window.page.keyboard.press(key)


@pytest.mark.parametrize("view", VIEWS)
def test_tab_comes_to_everything_in_order_and_shows_where_it_is(new_window, service, view):
    window: Window = new_window(service.token)
    window.open(view)
    window.settle()
    names = window.page.evaluate(STOPS)
    assert len(names) > 12
    window.page.evaluate("() => window.stops[0].focus()")
    places = [0]
    for _ in names[1:]:
        press(window, "Tab")
        place, visible = window.page.evaluate(AT)
        assert place >= 0, window.page.evaluate("() => document.activeElement.outerHTML")[:200]
        assert visible, names[place]
        places.append(place)
    assert places == sorted(places)
    assert [names[i] for i in range(len(names)) if i not in places] == []


def test_the_first_stop_skips_to_the_content(new_window):
    window: Window = new_window()
    window.open("mechanism")
    press(window, "Tab")
    expect(window.page.get_by_role("link", name="Skip to the content")).to_be_focused()
    press(window, "Enter")
    expect(window.page.get_by_role("main")).to_be_focused()


def test_mechanism_by_keyboard(new_window):
    window: Window = new_window()
    window.open("mechanism")
    walk(window, "Mechanism")
    press(window, "Control+a")
    window.page.keyboard.type("randomized-response(bits=1, keep=4/5)")
    press(window, "Enter")
    window.says(measure("randomized-response(bits=1, keep=4/5)").sentence)
    walk(window, "Told truly (keep)")
    press(window, "ArrowRight", "ArrowRight")
    window.says(measure("randomized-response(bits=1, keep=0.82)").sentence)
    expect(window.field("Told truly (keep)")).to_be_focused()
    walk(window, "The numbers")
    press(window, "Enter")
    expect(window.table("P(output | database)")).to_be_visible()


def test_attacker_by_keyboard(new_window):
    window: Window = new_window()
    window.open("attacker", value="1", output="11")
    expect(window.button("Show the worst belief")).to_be_visible()
    walk(window, "Belief that your record is 1")
    press(window, "Home")
    window.says("It was ruled out that your record is 1.")
    press(window, "End")
    window.says("It was certain that your record is 1.")
    walk(window, "Show the worst belief")
    press(window, "Enter")
    expect(window.field("The attacker believes")).to_have_value("two")
    walk(window, "01")
    press(window, "Space")
    expect(window.button("01")).to_have_attribute("aria-pressed", "true")
    expect(window.button("01")).to_be_focused()


def test_guarantees_by_keyboard(new_window):
    window: Window = new_window()
    window.open("guarantees")
    window.settle()
    first = row_cone("randomized-response(bits=2, keep=3/4)").statements()[0]
    walk(window, first.sentence)
    press(window, "Enter")
    expect(window.table("The belief it speaks of").first).to_be_visible()


def test_no_noise_by_keyboard(new_window):
    window: Window = new_window()
    window.open("no-noise")
    walk(window, "Of these, known to the attacker")
    press(window, *["ArrowRight"] * 5)
    expect(window.fact("Unknown to the attacker")).to_have_text("85 people")


def test_release_by_keyboard(new_window, service):
    window: Window = new_window()
    window.open("release", sql="SELECT COUNT(*) FROM people WHERE age >= 37", epsilon="0.01")
    walk(window, "Token")
    window.page.keyboard.type(service.token)
    press(window, "Enter")
    expect(window.button("Pay and answer")).to_be_enabled()
    walk(window, "Pay and answer")
    press(window, "Enter")
    expect(window.page.get_by_text("Paid epsilon 0.01.")).to_be_visible()
    expect(window.page.get_by_role("heading", name="Answers", exact=True)).to_be_focused()


def test_attacks_by_keyboard(new_window):
    window: Window = new_window()
    window.open("attacks")
    for _ in range(30):
        press(window, "Tab")
        if window.page.evaluate("() => document.activeElement.tagName") == "SUMMARY":
            break
    press(window, "Enter")
    walk(window, "Run the attack")
    press(window, "Enter")
    window.says("Each table alone leaves 3 and 4 conditions; together they leave one: AIDS.")
