"""Reviews of releases: checked first, then the same answers as were released."""

import json
import re
from html import unescape

import pytest

from twoworlds.cli import run
from twoworlds.release import Curator, certify
from twoworlds.release.answers.answer import table
from twoworlds.release.examples import lay_out
from twoworlds.report.review import review_certificate, review_released

QUERIES = [
    "SELECT region, COUNT(*), AVG(age) FROM people GROUP BY region",
    "SELECT MEDIAN(income) FROM people",
]


def words(html: str) -> str:
    body = html.partition("<body>")[2].partition("<script>")[0]
    return unescape(re.sub(r"<[^>]+>", " ", body))


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hospital")
    lay_out(folder)
    with Curator.open(folder / "policy.yml") as curator:
        yield curator.release_all(QUERIES, "epsilon=1", analyst="ann")


@pytest.fixture(scope="module")
def certificate(released, tmp_path_factory):
    file = tmp_path_factory.mktemp("review") / "certificate.json"
    file.write_text(json.dumps(certify(released), indent=2), encoding="utf-8")
    return file


def test_the_answers_on_the_page_are_those_that_were_released(released, certificate):
    found = review_certificate(certificate)
    assert (found.outcome, found.holds) == ("holds", True)
    told = words(found.html())
    for answer in released.answers:
        for row in table(answer).rows:
            assert all(cell.lstrip("█░ ") in told for cell in row)
    assert found.html().count("<svg") == 4  # people, two columns with groups, and the odds
    assert released.charge.hash in told
    assert "add-remove" in told
    assert found.data["answers"][0]["rows"] == released.answers[0].to_dict()["rows"]


def test_meaning_is_said_in_odds_and_by_theorems(certificate):
    told = words(review_certificate(certificate).html())
    assert "odds of 1 to 99 become at most 1 to 13" in told
    assert "Kasiviswanathan & Smith, Theorem 2.2" in told
    assert "ledger was not looked at" in told


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data["charge"].update(cost="epsilon=1/2"),
        lambda data: data["answers"][0][0]["values"][0].update(value="1000000"),
        lambda data: data["stored"]["answers"][0]["values"][0].__setitem__(0, 1),
        lambda data: data.update(digest="0" * 64),
        lambda data: data.pop("promise"),
        lambda data: data.update(statement={"hostile": "<script>alert(1)</script>"}),
    ],
)
def test_a_certificate_that_was_touched_makes_a_page_in_red(certificate, tmp_path, spoil):
    data = json.loads(certificate.read_text(encoding="utf-8"))
    spoil(data)
    file = tmp_path / "touched.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    found = review_certificate(file)
    assert (found.outcome, found.holds) == ("broken", False)
    page = found.html()
    assert 'class="verdict broken"' in page
    assert page.count("<script") == 1  # the checker
    assert "answers" not in found.data
    assert [title for title, _ in found.sections] == ["What was checked"]


@pytest.mark.parametrize(
    ("query", "cost"),
    [
        ("SELECT ward, COUNT(*) FROM visits GROUP BY ward", "rho=1/10"),
        (QUERIES[0], "epsilon=1, delta=1e-7"),
    ],
)
def test_other_prices_are_reviewed_too_and_found_in_the_ledger(tmp_path, query, cost):
    lay_out(tmp_path)
    with Curator.open(tmp_path / "policy.yml") as curator:
        made = curator.release_all([query], cost, analyst="ann", noise="gaussian")
    file, exported = tmp_path / "certificate.json", tmp_path / "ledger.jsonl"
    file.write_text(json.dumps(certify(made)), encoding="utf-8")
    assert run(["ledger", "export", str(tmp_path / "policy.yml"), str(exported)]) == 0
    found = review_certificate(file, ledger=exported)
    assert found.holds
    told = words(found.html())
    assert "Gaussian" in told
    assert "are in the ledger, whose chain of hashes is whole" in told
    assert "ledger was not looked at" not in told
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("earlier", [0, 1, 2])
def test_a_page_states_what_the_ledger_charged_before_and_the_total(tmp_path, earlier):
    lay_out(tmp_path)
    with Curator.open(tmp_path / "policy.yml") as curator:
        for number in range(earlier):
            curator.release(f"SELECT COUNT(*) FROM people WHERE age > {number}", "1", analyst="ann")
        curator.release("SELECT COUNT(*) FROM visits", "1", analyst="ann")  # of other data
        made = curator.release_all([QUERIES[0]], "1/2", analyst="ann")
        curator.release_all([QUERIES[0]], "1/2", analyst="bob")  # costs the dataset nothing more
        at_once = words(review_released(made, curator.ledger).html())
    file, exported = tmp_path / "certificate.json", tmp_path / "ledger.jsonl"
    file.write_text(json.dumps(certify(made)), encoding="utf-8")
    assert run(["ledger", "export", str(tmp_path / "policy.yml"), str(exported)]) == 0
    with_ledger = words(review_certificate(file, ledger=exported).html())
    total = f"with this one it comes to epsilon {earlier}.5 by basic composition"
    right = {0: "63", 1: "82", 2: "93"}[earlier]  # of 100, r / (1 + r), r = e^0.5, e^1.5, e^2.5
    word = {0: "strong", 1: "moderate", 2: "weak"}[earlier]
    learned = "Everything released from people so far, together: of 100 people in your position"
    for told in (with_ledger, at_once):
        assert "is assumed, since the ledger was not looked at" not in told
        assert ("The ledger holds no charge about people before this one" in told) == (earlier == 0)
        assert (total in told) == (earlier > 0)
        assert f"would get at most {right} right (50 without" in told.partition(learned)[2]
        assert f"{word} protection" in told.partition(learned)[2].partition(".")[0]
        assert ("Together with the other releases, this is weak" in told) == (word == "weak")
        assert "If the whole budget of people is spent: " in told
        held = f"holds {earlier} charge{'s'[: earlier - 1]} about people before this one"
        assert held in told or not earlier
        assert "came later" not in told
        for number in range(earlier):
            assert f"the number of rows, where age > {number}." in told
    said = " ".join(review_certificate(file, ledger=exported).explain().split())
    assert f"would get at most {right} right (50 without" in said.partition(learned)[2]
    without = words(review_certificate(file).html())
    assert "No ledger was given, so this report counts this release alone." in without
    assert "is assumed, since the ledger was not looked at" in without
    assert "it comes to" not in without
    assert "Everything released" not in without
    assert "whole budget" not in without


def test_a_batch_fixed_in_advance_is_reviewed_with_the_rule_of_its_price(tmp_path):
    lay_out(tmp_path)
    asked = [f"SELECT COUNT(*) FROM people WHERE age >= {age}" for age in range(30)]
    with Curator.open(tmp_path / "policy.yml") as curator:
        made = curator.release_all(asked, "each=0.05, delta=1e-7", analyst="ann")
        at_once = review_released(made, curator.ledger)
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(certify(made)), encoding="utf-8")
    for found in (at_once, review_certificate(file)):
        assert found.holds
        told = " ".join(words(found.html()).split())
        assert f"The whole costs {made.charge.paid.shown()} by certified composition" in told
        assert "added up it would be epsilon 1.5." in told
    learned = at_once.to_dict()["learned"]["so_far"]
    assert "with all of the delta that its budget allows" in learned


def test_what_was_charged_later_is_said_apart_from_what_was_before(tmp_path):
    lay_out(tmp_path)
    with Curator.open(tmp_path / "policy.yml") as curator:
        curator.release("SELECT COUNT(*) FROM people WHERE age > 6", "1/8", analyst="ann")
        made = curator.release_all([QUERIES[0]], "1/2", analyst="ann")
        curator.release("SELECT COUNT(*) FROM people WHERE age > 7", "1/4", analyst="ann")
        again = curator.released(made.charge.entry)
        by_number = words(review_released(again, curator.ledger).html())
    file, exported = tmp_path / "certificate.json", tmp_path / "ledger.jsonl"
    file.write_text(json.dumps(certify(made)), encoding="utf-8")
    assert run(["ledger", "export", str(tmp_path / "policy.yml"), str(exported)]) == 0
    for told in (words(review_certificate(file, ledger=exported).html()), by_number):
        assert "The ledger holds 1 charge about people before this one" in told
        assert "with this one it comes to epsilon 0.625 by basic composition" in told
        assert "1 charge came later: everything together comes to epsilon 0.875" in told
        assert "the number of rows, where age > 6." in told
        assert "the number of rows, where age > 7." not in told
