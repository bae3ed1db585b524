"""No request leaves this machine, and nothing foreign could run on the page."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Error

from tests.web.browser.window import VIEWS, Window


@pytest.mark.smoke
def test_the_page_works_where_no_other_host_can_be_reached(browser, new_window, service):
    with (
        browser.new_context() as context,
        context.new_page() as page,
        pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"),
    ):
        page.goto("https://example.org/")
    window: Window = new_window(service.token)
    for view in VIEWS:
        window.open(view)
        window.settle()
    hosts = {urlsplit(url).netloc for url in window.asked}
    assert hosts == {urlsplit(service.address).netloc}
    assert not window.refused


def test_the_policy_of_the_page_forbids_other_hosts_and_foreign_scripts(new_window):
    window: Window = new_window()
    answer = window.page.goto(f"{window.address}/")
    policy = dict(
        rule.strip().split(" ", 1) for rule in answer.headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    refused = window.page.evaluate(
        "() => fetch('https://example.org/').then(() => 'sent', (error) => String(error))"
    )
    assert refused == "TypeError: Failed to fetch"
    window.page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        " document.head.append(s) }"
    )
    assert window.page.evaluate("() => window.ran") is None
    window.until(lambda: len(window.complaints) >= 2)
    assert all("Content Security Policy" in one for one in window.complaints)
    window.complaints.clear()
    window.asked[:] = [url for url in window.asked if "example.org" not in url]


def test_nothing_is_left_behind_but_the_theme(new_window):
    window: Window = new_window()
    for view in VIEWS:
        window.open(view)
    assert window.context.cookies() == []
    assert window.page.evaluate("() => Object.keys(localStorage)") == []
    assert window.page.evaluate("async () => (await caches.keys()).length") == 0
    found = window.page.evaluate(
        "async () => (await navigator.serviceWorker.getRegistrations()).length"
    )
    assert found == 0


def test_a_mechanism_is_text_and_never_markup(window: Window):
    evil = '<img src=x onerror="window.ran=1">'
    window.open("mechanism", mechanism=evil)
    window.open("guarantees", definition=evil, universe=evil)
    window.open("attacks", name="composition", know=evil, sensitive=evil)
    window.settle()
    assert window.page.evaluate("() => window.ran") is None
    assert window.page.get_by_role("main").locator("img").count() == 0
