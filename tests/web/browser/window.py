"""A window of the browser on the page, used as people use it: by the roles and names of things.

Every window remembers what it asked for, what it was refused, and whatever the browser complained
about. The browser itself finds no host but this machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

__all__ = ["VIEWS", "Window", "mistake", "open_browser", "read_number"]

VIEWS = ("home", "release", "review", "mechanism", "attacker", "guarantees", "no-noise", "attacks")
MILLISECONDS = 30_000  # never waited for in full, unless something is broken
expect.set_options(timeout=MILLISECONDS)


@contextmanager
def open_browser(program: str) -> Iterator[Browser]:
    """Start the installed browser; it can reach the loopback address only."""
    settings = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    if os.getuid() == 0:
        settings.append("--no-sandbox")  # which needs another user than root
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=settings)
        try:
            yield browser
        finally:
            browser.close()


def read_number(text: str) -> tuple[str, float]:
    """Read ``ln 3 (1.0986)``, ``3/4 (75%)``, ``about 50%`` or ``2``: exact text, nearest double.

    >>> read_number("3/4 (75%)"), read_number("50%"), read_number("1,024")
    (('3/4', 0.75), ('1/2', 0.5), ('1024', 1024.0))
    """
    exact, _, decimal = text.replace(",", "").removeprefix("about ").partition(" (")
    decimal = decimal.rstrip(")") or exact
    number = Fraction(decimal[:-1]) / 100 if decimal.endswith("%") else Fraction(decimal)
    return (str(number) if exact.endswith("%") else exact), float(number)


class Window:
    """One tab, with a memory and a private store of its own."""

    def __init__(self, browser: Browser, address: str, **options: Any) -> None:
        self.address = address
        self.asked: list[str] = []
        self.refused: list[tuple[str, int]] = []
        self.complaints: list[str] = []
        usual = {"viewport": {"width": 1280, "height": 900}}
        self.context = browser.new_context(**{**usual, **options})
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.context.set_default_timeout(MILLISECONDS)
        self.context.on("request", lambda request: self.asked.append(request.url))
        self.context.on("response", lambda answer: self._answered(answer.url, answer.status))
        self.context.on("console", lambda message: self._said(message.type, message.text))
        self.context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        self.page: Page = self.context.new_page()

    def _answered(self, url: str, status: int) -> None:
        if status >= 400:
            self.refused.append((urlsplit(url).path, status))

    def _said(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not text.startswith("Failed to load resource"):
            self.complaints.append(text)

    def close(self) -> None:
        self.context.close()

    # --- going somewhere --------------------------------------------------------------------------

    def open(self, view: str, **state: Any) -> None:
        """Go to a view by its address, and wait until it has answered."""
        query = f"?{urlencode(state)}" if state else ""
        target = f"{self.address}/#/{view}{query}"
        if self.page.url == target:
            self.page.reload()
        else:
            if self.page.url.startswith(self.address):  # within the page: what is shown must go
                self.page.evaluate(
                    "() => document.querySelector('h1').setAttribute('data-old', '')"
                )
            self.page.goto(target)
        expect(self.page.locator("h1:not([data-old])")).to_be_visible()
        self.settle()

    def enter(self, token: str) -> None:
        """Bring a token along, as the address that ``serve`` prints does."""
        self.page.goto(f"{self.address}/#token={token}")
        expect(self.page).not_to_have_url(re.compile("token"))

    def settle(self) -> None:
        """Wait until nothing is being computed."""
        expect(self.page.get_by_text("Reading the policy")).to_have_count(0)
        expect(self.page.locator("[aria-busy=true]")).to_have_count(0)

    # --- finding things ---------------------------------------------------------------------------

    def field(self, label: str) -> Locator:
        return self.page.get_by_label(label, exact=True)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def says(self, words: str) -> None:
        """Wait until a sentence is announced."""
        announced = self.page.get_by_role("status").filter(has_text=words)
        expect(announced.first).to_be_visible()

    def fact(self, name: str) -> Locator:
        """What stands beside a term, such as `Price, epsilon`."""
        term = self.page.get_by_role("term").filter(has_text=re.compile(f"^{re.escape(name)}$"))
        return term.locator("xpath=following-sibling::*[1]")

    def number(self, name: str) -> tuple[str, float]:
        return read_number(self.fact(name).inner_text())

    def figure(self, title: str) -> Locator:
        heading = self.page.get_by_role("heading", name=title, exact=True)
        return self.page.get_by_role("figure").filter(has=heading)

    def numbers(self, title: str, caption: str) -> list[list[str]]:
        """The table behind a picture; its first row holds the heads."""
        self.unfold(self.figure(title).get_by_text("The numbers", exact=True))
        return self.rows(caption)

    def table(self, caption: str) -> Locator:
        return self.page.get_by_role("table", name=caption, exact=True)

    def rows(self, caption: str) -> list[list[str]]:
        cells = "t => [...t.rows].map(row => [...row.cells].map(cell => cell.innerText.trim()))"
        found: list[list[str]] = self.table(caption).evaluate(cells)
        return found

    def recipe(self, name: str) -> str:
        """What `Command line` or `Python` under `Do the same elsewhere` says."""
        return self.page.get_by_role("region", name=name, exact=True).inner_text()

    # --- doing things -----------------------------------------------------------------------------

    def slide(self, label: str, value: object) -> None:
        """Move a slider, and wait until the browser has drawn what follows at once."""
        self.field(label).fill(str(value))
        twice = "requestAnimationFrame(() => requestAnimationFrame(done))"
        self.page.evaluate(f"() => new Promise((done) => {twice})")

    def spend(self, epsilon: str) -> None:
        """Go along the slider of what to spend, as with the arrow keys, until it says so much."""
        slider = self.field("What to spend (epsilon)")

        def shown() -> float:
            return float((slider.get_attribute("aria-valuetext") or "").removeprefix("epsilon "))

        while shown() != float(epsilon):
            slider.press("ArrowRight" if shown() < float(epsilon) else "ArrowLeft")

    def unfold(self, summary: str | Locator) -> None:
        """Open what lies behind some words, unless it is open."""
        words = self.page.get_by_text(summary, exact=True) if isinstance(summary, str) else summary
        if not words.evaluate("words => words.closest('details').open"):
            words.click()

    def write(self, label: str, text: str) -> None:
        """Replace what a field holds, and leave it."""
        self.field(label).fill(text)
        self.field(label).blur()

    def copied(self, button: str) -> str:
        """Press a button that copies, and return what it copied."""
        self.page.evaluate("() => navigator.clipboard.writeText('')")
        self.button(button).click()
        self.until(lambda: self.page.evaluate("() => navigator.clipboard.readText()") != "")
        text: str = self.page.evaluate("() => navigator.clipboard.readText()")
        return text

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait for something that only Python can judge."""
        for _ in range(MILLISECONDS // 50):
            if holds():
                return
            self.page.wait_for_timeout(50)
        assert holds()


def mistake(field: Locator) -> str:
    """Wait for the message beside a field; it must be bound to it for a screen reader."""
    expect(field).to_have_attribute("aria-invalid", "true")
    described = (field.get_attribute("aria-describedby") or "").split()
    texts = [field.page.locator(f"[id='{one}']") for one in described]
    [alert] = [one for one in texts if one.get_attribute("role") == "alert"]
    expect(alert).to_be_visible()
    return alert.inner_text()
