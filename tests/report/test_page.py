"""The page of a review: a summary first, lines to sign on, and one frame for every kind of page."""

import base64
import json
import re
import shlex
from dataclasses import replace
from html import unescape

import pytest

from tests.cli.calling import call
from twoworlds.release import Curator, Query, column
from twoworlds.release.examples import lay_out
from twoworlds.report.review import review_certificate, review_mechanism, review_released
from twoworlds.report.standing import brief

SURVEY = "randomized-response(bits=2, keep=3/4)"


def words(html: str) -> str:
    body = html.partition("<body>")[2].partition("<script>")[0]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("gaussian(sigma=4)", None), "delta leaves room for outputs"),
        (("gaussian(sigma=4)", None), "up to twice as high, and delta grows, too"),
        (("identity(bits=1)", None), "A bound, whatever is believed"),
        (
            ("parity(bits=2)", "noiseless(belief=uniform, ratio=1)"),
            "an attacker who does not believe what the claim assumes",
        ),
    ],
)
def test_what_is_not_promised_depends_on_the_mechanism_and_the_claim(asked, told):
    mechanism, claim = asked
    review = review_mechanism(mechanism, claim=claim)
    assert told in words(review.html())
    assert told not in words(review_mechanism(SURVEY).html())
    assert review.to_dict()["not_promised"] == list(review.limits)


def test_every_reviewer_has_lines_for_name_role_signature_and_date():
    page = replace(review_mechanism(SURVEY), reviewers=("Ada Lovelace", "Grace Hopper")).html()
    signing = page.partition('<section class="decision">')[2].partition("</section>")[0]
    for label in ("Name", "Role", "Signature", "Date"):
        assert signing.count(f"<span>{label}</span>") == 2
    assert [signing.count(f"<b>{name}</b>") for name in ("Ada Lovelace", "Grace Hopper")] == [1, 1]
    for decision in ("Approve", "Approve with conditions", "Send back"):
        assert f"<li>{decision}</li>" in signing
    assert review_mechanism(SURVEY).html().count("<b></b><span>Name</span>") == 1


@pytest.mark.parametrize(
    "asked",
    [
        ("laplace(scale=1)", None),
        ("gaussian(sigma=1)", None),
        (SURVEY, "semantic(epsilon=0.2)"),
        ("parity(bits=3)", "noiseless(belief=uniform, ratio=1)"),
    ],
)
def test_the_command_on_the_page_prints_the_file_on_the_page(capsys, asked):
    proof = review_mechanism(asked[0], claim=asked[1]).proof
    assert "answer.json" in proof.expected
    _, out, _ = call(capsys, *shlex.split(proof.check)[1:])
    printed, kept = json.loads(out), json.loads(proof.text)
    assert {**printed, "notes": None} == {**kept, "notes": None}


def test_many_records_leave_out_what_would_take_long_and_long_names():
    review = review_mechanism("randomized-response(bits=20000, keep=3/4)")
    told = words(review.html()).partition("To check it again")[0]
    assert "semantic: too large for this page" in told
    assert not re.search(r"[01]{100}", told)
    assert brief("1" * 60) == "1" * 60


# --- the page of a release ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hospital")
    lay_out(folder)
    with Curator.open(folder / "policy.yml") as curator:
        released = curator.release_all(["SELECT COUNT(*) FROM people"], "1", analyst="ann")
        yield released, curator.ledger


def test_the_certificate_in_the_page_of_a_release_can_be_reviewed_again(released, tmp_path):
    page = review_released(*released).html()
    told = words(page)
    assert re.search(
        r"Paid on [\d-]+ [\d:]+ \(UTC\) by ann, entry \d+, and answered\. Left to ", told
    )
    assert "The charge was made in the ledger before anything was answered" in told
    assert "the charge and the answer are in the ledger, whose chain of hashes is whole" in told
    assert "not looked up" not in told
    content = re.search(r'href="data:application/json;base64,([^"]*)"', page)[1]
    file = tmp_path / "certificate.json"
    file.write_bytes(base64.b64decode(content))
    again = review_certificate(file)
    assert again.holds
    assert again.headline in told


def test_a_question_of_a_strategy_says_what_the_whole_strategy_costs(tmp_path, capsys):
    lay_out(tmp_path)
    with Curator.open(tmp_path / "policy.yml") as curator:
        strategy = curator.strategy("people", "1/2", analyst="ann")
        released = strategy.release("SELECT COUNT(*) FROM people", "1/4")
        page = review_released(released, curator.ledger).html()
    told = words(page)
    assert "All questions of this strategy together cost epsilon 0.5, which was paid." in told
    assert "does NOT hold" not in told
    assert "by at most 24.5 percentage points" in told  # of epsilon 1/2, not of 1/4
    assert "twoworlds ledger verify ledger.db" in told
    assert call(capsys, "ledger", "verify", str(tmp_path / "ledger.db"))[0] == 0


def test_the_page_has_the_answer_what_it_means_and_the_proof_and_runs_nothing(tmp_path):
    lay_out(tmp_path)
    hostile = "<script>alert(1)</script>"
    asked = Query("people").where(column("region") == hostile).count(name=hostile)
    with Curator.open(tmp_path / "policy.yml") as curator:
        released = curator.release_all([asked], "1", analyst="ann")
        page = review_released(released, curator.ledger).html()
    assert page.count("<script") == 1  # the checker
    assert "&lt;script&gt;" in page
    for part in (
        "odds",
        "add-remove",
        "discrete Laplace",
        "<dt>Asked by</dt><dd>ann</dd>",
        released.charge.hash,
    ):
        assert part in page
