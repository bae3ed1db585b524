"""Certificates checked in the browser: in a report, opened as a file, and on the page."""

import base64
import itertools
import json
import re
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect

from tests.report.test_strict_reading import CONES
from tests.web.browser.window import Window
from twoworlds.release import Curator
from twoworlds.release.examples import lay_out
from twoworlds.report.review import (
    review_certificate,
    review_mechanism,
    review_planned,
    review_released,
)

SURVEY = "randomized-response(bits=2, keep=3/4)"
HOLDS = "Checked in this browser: the certificate holds"
REFUTED = "Checked in this browser: the claim is refuted, and the refutation holds"
FAILS = "Checked in this browser: the certificate does NOT hold"


@pytest.fixture
def page(browser: Browser):
    context = browser.new_context()
    made = context.new_page()
    complaints = []
    asked = []
    made.on("console", lambda message: complaints.append(message.text))
    made.on("pageerror", lambda error: complaints.append(str(error)))
    made.on("request", lambda request: asked.append(request.url))
    yield made
    context.close()
    assert not complaints
    assert all(url.startswith("file:") for url in asked)


def opened(page, folder, html):
    file = folder / "report.html"
    file.write_text(html, encoding="utf-8")
    page.goto(file.as_uri())
    return page.locator("#checked")


@pytest.mark.smoke
def test_a_report_checks_its_own_certificate(page, tmp_path):
    html = review_mechanism(SURVEY).html()
    expect(opened(page, tmp_path, html)).to_contain_text(HOLDS)


def test_a_report_of_a_refuted_claim_says_that_it_is_refuted(page, tmp_path):
    html = review_mechanism(SURVEY, claim="dp(epsilon=1)").html()
    expect(opened(page, tmp_path, html)).to_contain_text(REFUTED)


def test_a_report_whose_certificate_was_changed_says_so(page, tmp_path):
    review = review_mechanism(SURVEY, claim="dp(epsilon=1)")
    data = json.loads(review.proof.text)
    forged = json.dumps({**data, "vector": ["1/4", "3/4", 1]})
    put = [base64.b64encode(text.encode()).decode() for text in (review.proof.text, forged)]
    said = opened(page, tmp_path, review.html().replace(*put))
    expect(said).to_contain_text(FAILS)
    expect(said).not_to_contain_text("proves")
    expect(said).not_to_contain_text("twoworlds checked the certificate")
    expect(page.locator(".headline")).to_contain_text("Not proved")
    expect(page.locator(".verdict")).not_to_contain_text("The claim does NOT hold")


def test_a_report_with_another_certificate_than_the_signed_one_says_so(page, tmp_path):
    review, other = (review_mechanism(SURVEY, claim=f"dp(epsilon={e})") for e in ("1", "1/2"))
    put = [base64.b64encode(one.proof.text.encode()).decode() for one in (review, other)]
    said = opened(page, tmp_path, review.html().replace(*put))
    expect(said).to_contain_text("is NOT the one that is signed")
    expect(page.locator(".headline")).to_contain_text("Not proved")
    assert said.get_attribute("data-verdict") == "fails"


def test_a_report_says_that_its_words_were_not_compared_by_the_browser(page, tmp_path):
    html = review_mechanism(SURVEY).html().replace("75 right", "51 right")
    said = opened(page, tmp_path, html)
    expect(said).to_contain_text("Only the certificate was checked: the words around it were not")
    expect(said).to_contain_text(f"It describes itself as “{SURVEY} is dp(ratio=3)")


def test_a_report_that_shows_another_certificate_than_its_own_says_so(page, tmp_path):
    html = review_mechanism(SURVEY).html()
    forged = html.replace('<pre id="shown">{', '<pre id="shown">{ ')
    assert forged != html
    expect(opened(page, tmp_path, forged)).to_contain_text("is NOT the one that its link saves")


def test_no_other_script_runs_in_a_report(page, tmp_path):
    html = review_mechanism(SURVEY).html()
    policy = re.search(r'content="([^"]*script-src[^"]*)"', html)[1]
    assert re.fullmatch(
        r"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[\w+/=]*'", policy
    )
    said = opened(page, tmp_path, html)
    expect(said).to_contain_text(HOLDS)
    expect(said).not_to_contain_text("NOT")


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize(
    "asked",
    [
        ("laplace(epsilon=1/2)", None),
        ("laplace(epsilon=20)", None),
        ("gaussian(sigma=4)", None),
        ("random-index(records=2)", None),
        (SURVEY, "dp(epsilon=1)"),
        (SURVEY, "semantic(epsilon=0.2)"),
    ],
)
def test_two_printed_pages_come_before_the_appendix(page, tmp_path, asked, paper):
    reviewers = ("Ada Lovelace", "Grace Hopper", "Emmy Noether")
    review = replace(review_mechanism(asked[0], claim=asked[1]), reviewers=reviewers)
    opened(page, tmp_path, review.html())
    page.evaluate("document.querySelector('.appendix').remove()")
    printed = page.pdf(format=paper)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 2


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_long_words_keep_the_decision_on_the_second_page(page, tmp_path, paper):
    lay_out(tmp_path)
    asked, words = "SELECT COUNT(*) FROM people", "As agreed in the spring. " * 79
    with Curator.open(tmp_path / "policy.yml") as curator:
        planned = curator.propose(asked, "1", purpose=words, analyst="ann")
        number = planned.place.sequence
        curator.ledger.decide(number, "rita", approved=False, remark="x" * 2000)
        released = curator.release_all([asked], "1", analyst="ann")
        review = review_released(released, curator.ledger)
    long = replace(review, prepared_by="x" * 200, reviewers=("Ada " + "L" * 50, "G" * 60))
    opened(page, tmp_path, long.html())
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    boxes = [one.bounding_box() for one in page.locator(".sign b").all()]
    assert wide <= 0
    for one, other in itertools.pairwise(boxes):
        apart = other["x"] >= one["x"] + one["width"] or other["y"] >= one["y"] + one["height"]
        assert apart  # no name lies over another
    page.evaluate("document.querySelector('.appendix').remove()")
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))) == 2


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_a_plan_with_warnings_and_a_history_is_printed_on_two_pages(page, tmp_path, paper):
    lay_out(tmp_path)
    with Curator.open(tmp_path / "policy.yml") as curator:
        for key in ("north", "south", "east"):
            where = f"region = '{key}' AND age >= 18 AND income >= 1000"
            curator.release(f"SELECT COUNT(*) FROM people WHERE {where}", "1/10", analyst="ann")
        where = "region IN ('nord', 'east')"
        planned = curator.propose(
            [f"SELECT region, AVG(age) FROM people WHERE {where} GROUP BY region"],
            "7/2",
            purpose="The yearly table, for the board",
            analyst="ann",
        )
        html = review_planned(curator.ledger, planned, command="twoworlds review 1").html()
    assert html.count("<p>Warning: ") >= 2
    opened(page, tmp_path, html)
    page.evaluate("document.querySelector('.appendix').remove()")
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))) == 2


def test_a_certificate_and_a_report_are_checked_on_the_page(window: Window, tmp_path):
    window.open("guarantees", mechanism=SURVEY)
    window.page.get_by_text("Check a certificate", exact=True).click()
    good, bad, report = (tmp_path / name for name in ("good.json", "bad.json", "report.html"))
    good.write_text(json.dumps(CONES["member"]))
    bad.write_text(json.dumps({**CONES["member"], "weights": [1, 1]}))
    report.write_text(review_certificate(good).html(), encoding="utf-8")
    for file, said in ((good, HOLDS), (bad, FAILS), (report, HOLDS)):
        window.field("Certificate or report").set_input_files(file)
        window.says(f"{file.name}. {said}")


def test_a_report_without_a_certificate_is_told_from_a_broken_one(window: Window, tmp_path):
    window.open("guarantees", mechanism=SURVEY)
    window.page.get_by_text("Check a certificate", exact=True).click()
    report, other = tmp_path / "report.html", tmp_path / "other.html"
    report.write_text(review_mechanism("laplace(epsilon=1/2)").html(), encoding="utf-8")
    other.write_text("<!doctype html><title>News</title>")
    again = "compute it again with: twoworlds measure 'laplace(scale=2)' --json"
    for file, said in (
        (report, f"This report holds no certificate; {again}"),
        (other, "This page is no report of twoworlds."),
    ):
        window.field("Certificate or report").set_input_files(file)
        window.says(f"{file.name}. {said}")
