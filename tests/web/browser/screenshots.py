"""The pictures of the page that the guide shows: ``make screenshots``.

Every view as it looks on a desk, one in the dark and one on a phone. The service and the browser
are those of the tests. The answers of the release view carry real noise, so that their picture is
another one each time.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Locator, expect

from tests.servers import find_chromium
from tests.web.browser.window import Window, open_browser
from tests.web.serving import Running, wait_until_ready

FOLDER = Path(__file__).parents[3] / "docs" / "screenshots"
LARGEST = 150_000  # bytes
DESK = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


def _begin_at(part: Locator) -> None:
    part.evaluate("part => scrollTo(0, part.getBoundingClientRect().top + scrollY - 40)")


def _home(window: Window) -> None:
    window.open("home")


def _attack_at_home(window: Window) -> None:
    window.open("home")
    for words in ("Look for Alice in the first", "Look in the second", "Put both together"):
        window.button(words).click()
    _begin_at(window.page.get_by_role("heading", name="Now attack it", exact=True))


def _mechanism(window: Window) -> None:
    window.open("mechanism", mechanism="gaussian(sigma=4)")
    expect(window.page.get_by_text("Holds").first).to_be_visible()


def _attacker(window: Window) -> None:
    survey = "randomized-response(bits=2, keep=3/4)"
    window.open("attacker", mechanism=survey, value="1", you="0.3", others="0.7", output="11")
    expect(window.fact("With your data")).to_be_visible()


def _guarantees(window: Window) -> None:
    window.open("guarantees", definition="dp(ratio=2)", universe="records(values=3, n=1)")
    expect(window.figure("The picture")).to_be_visible()


def _no_noise(window: Window) -> None:
    window.open("no-noise", people=200, known=40, probability=0.5, epsilon=0.5)
    expect(window.fact("Delta")).to_be_visible()


def _release(window: Window) -> None:
    sql = "SELECT region, COUNT(*) FROM people GROUP BY region"
    window.open("release", dataset="people", sql=sql, epsilon="0.25")
    window.button("Pay and answer").click()
    expect(window.page.get_by_role("img").first).to_be_visible()
    _begin_at(window.page.get_by_role("heading", name="Answers", exact=True))


def _review(window: Window) -> None:
    window.open("review")
    expect(window.page.get_by_role("article").first).to_be_visible()
    _begin_at(window.page.get_by_role("heading", name="people", exact=True))


def _attacks(window: Window) -> None:
    window.open("attacks", name="reconstruct")
    expect(window.fact("Read back")).to_be_visible()
    _begin_at(window.page.get_by_text("A secret column, read back from sums", exact=True))


PICTURES = {
    "home": (_home, "light", DESK),
    "home-attack": (_attack_at_home, "light", DESK),
    "mechanism": (_mechanism, "light", DESK),
    "attacker": (_attacker, "light", DESK),
    "guarantees": (_guarantees, "light", DESK),
    "no-noise": (_no_noise, "light", DESK),
    "release": (_release, "light", DESK),
    "review": (_review, "light", DESK),
    "attacks": (_attacks, "light", DESK),
    "dark": (_attacker, "dark", DESK),
    "phone": (_home, "light", PHONE),
}


def save(picture: bytes, file: Path) -> None:
    """Write a picture with 256 colours: nobody sees the difference, and it needs a third."""
    with Image.open(io.BytesIO(picture)) as image:
        few = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        few.save(file, optimize=True)


def release_and_propose(running: Running) -> None:
    """Give a reviewer something to look at."""
    with running.client(running.token) as client:
        for path, query, more in (
            ("release", "SELECT condition, COUNT(*) FROM people GROUP BY condition", {}),
            ("propose", "SELECT AVG(income) FROM people", {"purpose": "the yearly report"}),
        ):
            asked = {"queries": [query], "epsilon": "0.5", **more}
            client.post(f"/api/v1/{path}", json=asked).raise_for_status()


def take(browser: Browser, running: Running, folder: Path) -> None:
    """Take all pictures."""
    for name, (arrange, scheme, size) in PICTURES.items():
        window = Window(
            browser,
            running.address,
            color_scheme=scheme,
            viewport=size,
            reduced_motion="reduce",
        )
        window.enter(running.token)
        arrange(window)
        window.settle()
        expect(window.page.get_by_role("img").first).to_be_visible()
        window.page.evaluate("() => document.activeElement.blur()")
        file = folder / f"{name}.png"
        save(window.page.screenshot(animations="disabled"), file)
        window.close()
        size_of = file.stat().st_size
        if size_of > LARGEST:
            raise SystemExit(f"{file.name} has {size_of:,} bytes, more than {LARGEST:,}")


def main() -> None:
    """Start a service and a browser, and take the pictures."""
    program = find_chromium()
    if program is None:
        sys.exit("No Chromium is installed: make services installs it.")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        running = Running(Path(folder))
        try:
            wait_until_ready(running)
            release_and_propose(running)
            with open_browser(program) as browser:
                take(browser, running, FOLDER)
        finally:
            running.stop()


if __name__ == "__main__":
    main()
