"""Every view can be read by a machine that reads aloud, and seen by those who see little."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.conftest import leave_out
from tests.web.browser.window import VIEWS, Window

AXE = Path(__file__).parents[3] / "web" / "node_modules" / "axe-core" / "axe.min.js"
FAINT = """
() => {
  const lightness = ([r, g, b]) => {
    const part = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const read = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return { rgb: [r, g, b], solid: a === 255 };
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { rgb, solid } = read(getComputedStyle(at).backgroundColor);
      if (solid) return rgb;
    }
    return [255, 255, 255];
  };
  const faint = [];
  const texts = "h1, h2, h3, p, li, label, dt, dd, th, td, a, button, summary";
  for (const element of document.querySelectorAll(texts)) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const left_out = element.closest("[aria-hidden=true], :disabled");
    if (!own || left_out || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const pair = [lightness(read(style.color).rgb), lightness(behind(element))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    const large = parseFloat(style.fontSize) >= 24;
    const words = `${ratio.toFixed(2)}: ${element.textContent.slice(0, 60)}`;
    if (ratio < (large ? 3 : 4.5)) faint.push(words);
  }
  return faint;
}
"""


@pytest.fixture(scope="module")
def axe() -> str:
    """The program that looks for what a screen reader would stumble over."""
    if not AXE.exists():
        leave_out(
            "axe-core", because="the page's tools are not installed", install="make page-test"
        )
    return AXE.read_text()


def look_through(new_window, service, **options):
    """Open one view after the other in the same window; a proposal waits for review."""
    sql = "SELECT region, COUNT(*) FROM people WHERE region <> 'Nroth' GROUP BY region"
    asked = {"queries": [sql], "epsilon": "1/1000", "purpose": "a table"}
    with service.client(service.token) as client:
        assert client.post("/api/v1/propose", json=asked).status_code == 200
    window: Window = new_window(service.token, reduced_motion="reduce", **options)
    for view in VIEWS:
        window.open(view, **({"name": "averaging"} if view == "attacks" else {}))
        yield view, window


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(new_window, service, axe, scheme):
    found = {}
    for view, window in look_through(new_window, service, color_scheme=scheme):
        window.page.evaluate(axe)
        answer = window.page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
        for one in answer["violations"]:
            found[f"{view}: {one['id']}"] = [node["html"][:120] for node in one["nodes"]]
    assert not found


def test_axe_finds_nothing_where_the_answer_is_an_older_one(new_window, axe):
    window: Window = new_window(reduced_motion="reduce")
    window.open("mechanism")
    window.write("Mechanism", "foo(")
    expect(window.page.locator(".lead")).to_have_class(re.compile("stale"))
    window.page.evaluate(axe)
    answer = window.page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
    assert not [one["id"] for one in answer["violations"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_text_is_faint_and_every_control_and_picture_has_a_name(new_window, service, scheme):
    for view, window in look_through(new_window, service, color_scheme=scheme):
        assert window.page.evaluate(FAINT) == [], view
        nameless = re.compile(
            r"- (textbox|slider|combobox|checkbox|button|link|img|meter)( \[|:|$)"
        )
        seen = window.page.locator("body").aria_snapshot().splitlines()
        assert [line for line in seen if nameless.search(line)] == [], view


@pytest.mark.parametrize("view", VIEWS)
def test_one_title_landmarks_and_levels_without_gaps(window: Window, view):
    window.open(view)
    for role in ("banner", "navigation", "main", "contentinfo"):
        expect(window.page.get_by_role(role)).to_have_count(1)
    expect(window.page.get_by_role("heading", level=1)).to_have_count(1)
    current = (
        window.page.get_by_role("navigation")
        .get_by_role("link")
        .and_(window.page.locator("[aria-current=page]"))
    )
    expect(current).to_have_count(1)
    assert (current.text_content() or "") in window.page.title()
    levels = window.page.evaluate(
        "() => [...document.querySelectorAll('h1, h2, h3, h4')].filter(h => h.checkVisibility())"
        ".map(h => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert window.page.evaluate("() => document.documentElement.lang") == "en"


def test_sliders_say_their_value_in_words(window: Window):
    window.open("attacker", value="1")
    slider = window.field("Belief that your record is 1")
    slider.fill("0.75")
    expect(slider).to_have_attribute("aria-valuetext", "75%, 3 to 1")


def test_the_sentence_is_announced(window: Window):
    window.open("mechanism")
    announced = window.page.get_by_role("status").filter(has_text="Someone who knows")
    expect(announced.first).to_have_attribute("aria-live", "polite")
