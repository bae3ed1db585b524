"""One browser for all tests, closed after the last of them; a window for those that only look."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.web.browser.window import Window, open_browser
from tests.web.serving import Running


@pytest.fixture(scope="package")  # while Playwright runs, no other event loop can
def browser(chromium: str) -> Iterator[Browser]:
    with open_browser(chromium) as browser:
        yield browser


@pytest.fixture(scope="package")
def _shared(browser: Browser, service: Running) -> Iterator[Window]:
    window = Window(browser, service.address)
    yield window
    window.close()


@pytest.fixture
def window(_shared: Window) -> Iterator[Window]:
    """A tab without a token, shared by the tests."""
    yield from _watched(_shared)


@pytest.fixture
def new_window(browser: Browser, service: Running) -> Iterator[Callable[..., Window]]:
    """Opens tabs of the test's own: ``(token=None, **options of the browser's context)``."""
    made: list[Window] = []

    def new(token: str | None = None, **options: Any) -> Window:
        made.append(Window(browser, service.address, **options))
        if token is not None:
            made[-1].enter(token)
        return made[-1]

    yield new
    for window in made:
        window.close()
        _judge(window)


def _watched(window: Window) -> Iterator[Window]:
    window.asked.clear()
    window.refused.clear()
    window.complaints.clear()
    yield window
    _judge(window)


def _judge(window: Window) -> None:
    """No request left this machine, and the browser had nothing to complain about."""
    elsewhere = [url for url in window.asked if not url.startswith(f"{window.address}/")]
    assert not elsewhere
    assert not window.complaints
