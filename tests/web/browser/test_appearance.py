"""Light and dark, from a phone to a wide screen."""

import pytest
from playwright.sync_api import expect

from tests.web.browser.window import VIEWS, Window

PAPER = """
() => {
  const colours = [document.body, document.documentElement]
    .map((one) => getComputedStyle(one).backgroundColor)
    .filter((colour) => colour !== "rgba(0, 0, 0, 0)");
  const parts = colours[0].match(/[\\d.]+/g).map(Number);
  return (parts[0] + parts[1] + parts[2]) / 3;
}
"""
WIDER = """
() => {
  const wide = document.documentElement.clientWidth;
  const over = document.documentElement.scrollWidth - wide;
  if (over <= 0) return [];
  return [...document.querySelectorAll("main *")]
    .filter((one) => one.getBoundingClientRect().right > wide + 1)
    .map((one) => one.outerHTML.slice(0, 100));
}
"""
WATCH = """
() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) window.shifts.push(one.value);
  }).observe({ type: "layout-shift" });
}
"""


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_the_page_follows_the_system(new_window, scheme, dark):
    window: Window = new_window(color_scheme=scheme)
    window.open("mechanism")
    assert (window.page.evaluate(PAPER) < 128) is dark


def test_the_button_switches_and_is_remembered(new_window):
    window: Window = new_window(color_scheme="light")
    window.open("no-noise")
    window.button("Switch to dark colours").click()
    window.until(lambda: window.page.evaluate(PAPER) < 128)
    window.page.reload()
    window.until(lambda: window.page.evaluate(PAPER) < 128)
    window.button("Switch to light colours").click()
    window.until(lambda: window.page.evaluate(PAPER) > 128)


def test_nothing_is_wider_than_the_screen_and_fingers_find_what_they_press(new_window, service):
    window: Window = new_window(service.token, viewport={"width": 360, "height": 780})
    over = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    for view in VIEWS:
        window.open(view, **({"name": "composition"} if view == "attacks" else {}))
        for button in window.page.get_by_role("button").all():
            box = button.bounding_box()
            assert box is None or (box["height"] >= 24 and box["width"] >= 24), view
        for width in (360, 400, 768):
            window.page.set_viewport_size({"width": width, "height": 780})
            assert window.page.evaluate(WIDER) == [], (view, width)
            assert window.page.evaluate(over) <= 0, (view, width)


def test_answers_fit_on_a_phone(new_window, service):
    window: Window = new_window(service.token, viewport={"width": 360, "height": 780})
    sql = "SELECT region, COUNT(*), AVG(age) FROM people WHERE age >= 38 GROUP BY region"
    window.open("release", dataset="people", sql=sql, epsilon="0.05")
    window.button("Pay and answer").click()
    expect(window.page.get_by_role("heading", name="Answers", exact=True)).to_be_visible()
    assert window.page.evaluate(WIDER) == []


def test_a_long_name_does_not_break_the_layout(new_window):
    window: Window = new_window(viewport={"width": 360, "height": 780})
    window.open("mechanism", mechanism="randomized-response(bits=40, keep=3/4)")
    window.settle()
    assert window.page.evaluate(WIDER) == []


@pytest.mark.parametrize(
    ("view", "label"),
    [
        ("mechanism", "People (bits)"),
        ("mechanism", "Told truly (keep)"),
        ("guarantees", "People (bits)"),
        ("no-noise", "People in the count"),
    ],
)
def test_nothing_moves_while_a_slider_moves(new_window, view, label):
    for width in (390, 1280):
        window: Window = new_window(viewport={"width": width, "height": 900})
        window.open(view)
        window.field(label).focus()
        window.page.evaluate(WATCH)
        for key in ["Home", *["ArrowRight"] * 4, "End"]:
            window.field(label).press(key)
            window.settle()
        window.page.wait_for_timeout(200)  # the observer is told late
        assert max(window.page.evaluate("() => window.shifts"), default=0) < 0.005, width
