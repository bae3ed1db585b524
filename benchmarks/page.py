"""The page in a real browser, beside a service that is ready: first paint, bytes, sliders.

First paint is what the browser itself reports, from the start of the navigation, with an empty
cache. The bytes are all that a first visit transfers until the page has answered, headers
included. A slider's response is the time from an input event to the painted frame that follows the
new sentence; the slider is moved to sixty places, one after the other.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import Row
from tests.servers import find_chromium
from tests.web.browser.window import Window, open_browser
from tests.web.serving import Running, wait_until_ready

VISITS = 7
PLACES = 60
FIRST_PAINT = 0.3  # seconds
TRANSFER = 300_000  # bytes
RESPONSE = 0.04  # seconds
_YOU, _OTHERS = "Belief that your record is 1", "Belief that another says yes"
# the view, its state, and the slider that is moved
SLIDERS: dict[str, tuple[str, dict[str, str], str]] = {
    f"the attacker's slider, {many} people": (
        "attacker",
        {"mechanism": f"randomized-response(bits={bits}, keep=3/4)", "value": "1", "you": "0.5"},
        _YOU,
    )
    for many, bits in (("two", 2), ("five", 5))
} | {"the slider without noise, 500 people": ("no-noise", {"people": "500"}, _OTHERS)}
_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000"
_DRAG = """
async ([label, places]) => {
  const named = [...document.querySelectorAll("label")].find((one) => one.textContent === label);
  const slider = document.getElementById(named.htmlFor);
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const painted = async () => {
    await frame();
    const { port1, port2 } = new MessageChannel();
    await new Promise((done) => { port1.onmessage = done; port2.postMessage(null); });
  };
  const said = () => [...document.querySelectorAll("[role=status]")]
    .map((one) => one.textContent).join();
  const times = [];
  for (let place = 1; place <= places; place += 1) {
    await painted();
    const before = said();
    const start = performance.now();
    slider.value = String(place / (places + 1));
    slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
    do await painted(); while (said() === before);
    times.push((performance.now() - start) / 1000);
  }
  return times;
}
"""


def first_visit(browser: Any, running: Running) -> tuple[float, int]:
    """First paint in seconds, and all bytes until the first view has answered."""
    window = Window(browser, running.address)
    meter = window.context.new_cdp_session(window.page)
    received: list[float] = []
    meter.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    meter.send("Network.enable")
    window.open("mechanism")
    window.page.get_by_role("img").first.wait_for()
    window.page.wait_for_load_state("networkidle")
    paint = float(window.page.evaluate(_PAINT))
    window.close()
    return paint, int(sum(received))


def dragging(
    browser: Any, running: Running, view: str, state: dict[str, str], label: str
) -> list[float]:
    """Seconds from moving a slider to the painted sentence, for every place."""
    window = Window(browser, running.address)
    window.open(view, **state)
    window.field(label).wait_for()
    times: list[float] = window.page.evaluate(_DRAG, [label, PLACES])
    window.close()
    return times


def run() -> list[Row]:
    """About half a minute; nothing where no browser is installed."""
    program = find_chromium()
    if program is None:
        return []
    with tempfile.TemporaryDirectory() as folder:
        running = Running(Path(folder))
        try:
            wait_until_ready(running)
            with open_browser(program) as browser:
                visits = [first_visit(browser, running) for _ in range(VISITS)]
                drags = {name: dragging(browser, running, *SLIDERS[name]) for name in SLIDERS}
        finally:
            running.stop()
    paints = [paint for paint, _ in visits]
    most = max(size for _, size in visits)
    rows = [
        Row("first paint of the page", median(paints), peer=FIRST_PAINT, against="limit", target=1),
        Row("the same, worst of all visits", max(paints)),
        Row("first visit, all bytes", most, unit="B", peer=TRANSFER, against="limit", target=1),
    ]
    for what, times in drags.items():
        limit = {"peer": RESPONSE, "against": "limit", "target": 1}
        rows += [Row(what, median(times), **limit), Row(f"{what}, worst of {PLACES}", max(times))]
    return rows
