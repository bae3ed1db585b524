"""What a board signs: before a release is paid, after it, and when it was sent back."""

import base64
import hashlib
import json
import re
from html import unescape

import pytest

from tests.cli.calling import call
from twoworlds.release import Curator
from twoworlds.release.examples import lay_out
from twoworlds.release.forms import Request

BY_REGION = "SELECT region, COUNT(*) FROM people GROUP BY region"
ONE = "SELECT COUNT(*) FROM people"
SPENT = ("--epsilon", "1", "--analyst", "ann")


@pytest.fixture(autouse=True)
def in_hospital(tmp_path, monkeypatch):
    """Every command runs in the folder of the made-up hospital, with nothing spent."""
    lay_out(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def as_json(capsys, *arguments):
    code, out, err = call(capsys, *arguments, "--json")
    assert err == ""
    return code, json.loads(out)


def test_a_proposal_by_its_number_says_whether_when_and_how_it_was_paid(capsys):
    number = str(as_json(capsys, "release", BY_REGION, *SPENT, "--propose", "a table")[1]["entry"])
    assert "Not paid so far" in call(capsys, "review", number)[1]
    call(capsys, "review", number, "--approve", "--reviewer", "rita")
    assert "Not paid so far" in call(capsys, "review", number)[1]
    call(capsys, "release", BY_REGION, *SPENT)
    [charge] = as_json(capsys, "review")[1]["releases"]
    words = " ".join(call(capsys, "review", number)[1].split())
    when = charge["time"][:16].replace("T", " ")
    assert f"Paid on {when} (UTC) by ann, entry {charge['entry']}, and answered." in words
    assert "Not paid" not in words
    told = as_json(capsys, "review", number)[1]
    assert (told["paid"], told["paid_time"]) == (charge["entry"], charge["time"])


def test_a_proposal_says_of_a_charge_that_was_closed_that_it_was_paid(capsys, in_hospital):
    number = str(as_json(capsys, "release", BY_REGION, *SPENT, "--propose", "a table")[1]["entry"])
    with Curator.open(in_hospital / "policy.yml") as curator:
        one = curator._prepare(Request([BY_REGION], "1", "ann"))
        charge = curator.ledger.reserve(*one.to_charge[:4])
        open_ = " ".join(call(capsys, "review", number)[1].split())
        assert f"entry {charge.entry}, and not answered: the same again costs nothing" in open_
        code, _, err = call(capsys, "review", number, "-o", "open.html")
        assert code == 2
        assert "nothing to sign before it is paid: Paid on " in err
        assert not (in_hospital / "open.html").exists()
        curator.ledger.expire(charge)
    words = " ".join(call(capsys, "review", number)[1].split())
    closed = f"entry {charge.entry}, and closed without an answer: the same again is paid"
    assert closed in words
    for asked in (("review", number), ("release", BY_REGION, *SPENT, "--dry-run")):
        code, _, err = call(capsys, *asked, "-o", f"{asked[0]}.html")
        assert code == 0, err
        page = (in_hospital / f"{asked[0]}.html").read_text()
        assert closed in page
        assert "Nothing was charged" not in page


SENT_BACK = "Sent back by rita"


def test_a_report_of_what_was_sent_back_says_so_first_and_in_the_decision(capsys, in_hospital):
    number = str(as_json(capsys, "release", BY_REGION, *SPENT, "--propose", "a table")[1]["entry"])
    back = ("--send-back", "--reviewer", "rita", "--remark", "too <dear>")
    call(capsys, "review", number, *back)
    files = ("--report", "r.html", "--certificate", "c.json")
    assert call(capsys, "release", BY_REGION, *SPENT, *files)[0] == 0
    assert call(capsys, "ledger", "export", "policy.yml", "l.jsonl")[0] == 0
    said = ("report", "c.json", "--ledger", "l.jsonl", "-o", "again.html")
    assert call(capsys, *said)[0] == 0
    for page in ("r.html", "again.html"):
        text = (in_hospital / page).read_text()
        head = text.partition("<h2>What is asked</h2>")[0]
        box = text.partition("<h2>Decision</h2>")[2].partition("</section>")[0]
        for part in (head, box):
            assert SENT_BACK in part
            assert "too &lt;dear&gt;" in part
            assert "It was paid all the same" in part
    assert SENT_BACK in " ".join(call(capsys, *said[:-2])[1].split())


@pytest.mark.parametrize(
    ("decision", "stands"), [("--approve", "Approved"), ("--send-back", "Sent back")]
)
def test_a_decision_that_came_after_the_payment_is_said_to_be_late(capsys, decision, stands):
    number = str(as_json(capsys, "release", BY_REGION, *SPENT, "--propose", "a table")[1]["entry"])
    call(capsys, "release", BY_REGION, *SPENT, "--certificate", "c.json")
    [paid] = as_json(capsys, "review")[1]["releases"]
    entry = paid["entry"]
    assert f"waiting; paid anyway, entry {entry}" in " ".join(call(capsys, "review")[1].split())
    call(capsys, "review", number, decision, "--reviewer", "rita", "--remark", "seen")
    listed = " ".join(call(capsys, "review")[1].split())
    assert f"{stands.lower()} by rita: seen; paid before that, entry {entry}" in listed
    call(capsys, "ledger", "export", "policy.yml", "l.jsonl")
    told = " ".join(call(capsys, "report", "c.json", "--ledger", "l.jsonl")[1].split())
    assert re.search(rf"{stands} by rita on [\d-]+, proposal {number}: seen\. It was paid", told)
    assert f"It was paid before that, entry {entry}." in told
    assert "all the same" not in told


def test_what_was_charged_and_never_answered_is_not_said_to_be_released(capsys, in_hospital):
    with Curator.open(in_hospital / "policy.yml") as curator:
        for query, closed in ((BY_REGION, True), (ONE, False)):
            one = curator._prepare(Request([query], "1/2", "ann"))
            charge = curator.ledger.reserve(*one.to_charge[:4])
            if closed:
                curator.ledger.expire(charge)
    asked = "SELECT AVG(age) FROM people"
    assert call(capsys, "release", asked, *SPENT, "--report", "r.html")[0] == 0
    page = (in_hospital / "r.html").read_text()
    assert "<td>closed without an answer: the number of rows, by region (7 groups).</td>" in page
    assert "<td>not answered so far: the number of rows.</td><td>epsilon 0.5</td>" in page
    assert "a release from people that costs epsilon 1." in page


def test_a_report_says_who_approved_it_and_nothing_of_a_review_that_never_was(capsys, in_hospital):
    assert call(capsys, "release", ONE, *SPENT, "--report", "r.html")[0] == 0
    number = str(as_json(capsys, "release", BY_REGION, *SPENT, "--propose", "a table")[1]["entry"])
    call(capsys, "review", number, "--send-back", "--reviewer", "rita", "--remark", "too dear")
    number = str(as_json(capsys, "release", BY_REGION, *SPENT, "--propose", "a table")[1]["entry"])
    call(capsys, "review", number, "--approve", "--reviewer", "rob")
    assert call(capsys, "release", BY_REGION, *SPENT, "--report", "s.html")[0] == 0
    never, approved = ((in_hospital / name).read_text() for name in ("r.html", "s.html"))
    assert "Proposal" not in never
    assert "Approved by rob" in approved
    assert SENT_BACK not in approved


def pages_to_sign(capsys, in_hospital):
    """Yield the page of a dry run, of a new proposal, and of one by its number."""
    ann = ("--epsilon", "1/2", "--analyst", "ann")
    proposing = ("release", BY_REGION, *ann, "--propose", "the yearly <table>")
    for name, asked in (
        ("plan", ("release", BY_REGION, *ann, "--dry-run")),
        ("new", proposing),
        ("filed", ("review", "PROPOSAL")),
    ):
        if asked[-1] == "PROPOSAL":
            asked = ("review", str(as_json(capsys, *proposing)[1]["entry"]))
        assert call(capsys, *asked, "-o", f"{name}.html")[0] == 0
        yield name, (in_hospital / f"{name}.html").read_text()


def test_a_plan_can_be_signed_before_it_is_paid(capsys, in_hospital):
    call(capsys, "release", ONE, "--epsilon", "1", "--analyst", "bob")
    for name, page in pages_to_sign(capsys, in_hospital):
        head, _, rest = page.partition("<h2>What is asked</h2>")
        text = " ".join(unescape(re.sub(r"<[^>]*>", " ", rest)).split())
        assert "Planned, not paid" in head
        assert "Planned, not paid" in text
        assert "Asked of people: the number of rows, by region (7 groups)." in text
        assert "The ledger holds 1 charge about people before this one" in text
        assert "epsilon 1.5 by basic composition" in text
        assert "would get at most 63 right (50 without" in text  # e^0.5
        assert "would get at most 82 right (50 without" in text  # e^1.5
        assert page.count('d="M') >= 100  # the guess, as people
        assert "What is not promised" in text
        for choice in ("Approve", "Approve with conditions", "Send back", "Signature"):
            assert choice in text
        assert "ann" in head
        assert re.search(r"<dd>20\d\d-\d\d-\d\d</dd>", head)
        assert ("the yearly &lt;table&gt;" in head) == (name != "plan")
        assert "<script" not in page
        asked = "twoworlds review "
        if name == "plan":
            asked = f"twoworlds release '{BY_REGION}' --epsilon 1/2 --analyst ann --dry-run"
        assert asked in unescape(page)
        assert "certificate holds" not in text
    assert as_json(capsys, "budget")[1]["datasets"][0]["spent"]["epsilon"]["exact"] == "1"


def test_what_is_signed_is_what_the_certificate_of_the_release_holds(capsys, in_hospital):
    pages = dict(pages_to_sign(capsys, in_hospital))
    link = re.compile(r'href="data:application/json;base64,([^"]*)" download="plan.json"')
    plans = {base64.b64decode(link.search(page)[1]).decode() for page in pages.values()}
    [plan] = plans
    ann = ("--epsilon", "1/2", "--analyst", "ann")
    assert call(capsys, "release", BY_REGION, *ann, "--certificate", "c.json")[0] == 0
    assert json.loads((in_hospital / "c.json").read_text())["statement"] == json.loads(plan)
    for page in pages.values():
        assert hashlib.sha256(plan.encode()).hexdigest() in page


def test_the_page_of_a_proposal_that_was_paid_is_that_of_its_release(capsys, in_hospital):
    number = str(as_json(capsys, "release", BY_REGION, *SPENT, "--propose", "a table")[1]["entry"])
    call(capsys, "release", BY_REGION, *SPENT)
    assert call(capsys, "review", number, "-o", "paid.html")[0] == 0
    assert call(capsys, "release", BY_REGION, *SPENT, "--dry-run", "-o", "again.html")[0] == 0
    for name in ("paid.html", "again.html"):
        page = (in_hospital / name).read_text()
        assert "Planned, not paid" not in page
        assert "The certificate holds" in page


def test_a_release_that_can_be_planned_says_how_to_have_it_signed_first(capsys):
    _, out, _ = call(capsys, "release", BY_REGION, *SPENT, "--dry-run")
    assert "-o plan.html writes two pages, to be signed" in " ".join(out.split())
    assert "to sign" in " ".join(call(capsys, "release", "--help")[1].split())
    _, out, _ = call(capsys, "release", BY_REGION, *SPENT, "--propose", "a table")
    assert "-o proposal.html writes two pages to sign" in " ".join(out.split())


def test_a_ledger_says_whose_accounts_the_policy_has_no_more(capsys, in_hospital):
    assert call(capsys, "release", ONE, "--epsilon", "1", "--analyst", "bob")[0] == 0
    policy = in_hospital / "policy.yml"
    policy.write_text(re.sub(r', bob: "[^"]*"', "", policy.read_text()))
    words = " ".join(call(capsys, "ledger", "show", "policy.yml")[1].split())
    assert "bob (not in the policy)" in words
    assert "ann (not in the policy)" not in words
    assert "bob can ask nothing of people now; what was spent still counts" in words
    told = as_json(capsys, "ledger", "show", "policy.yml")[1]["datasets"]
    people = next(one for one in told if one["dataset"] == "people")
    assert [a["analyst"] for a in people["analysts"] if not a.get("in_policy", True)] == ["bob"]
    words = " ".join(call(capsys, "budget")[1].split())
    assert "bob, not in the policy any more, spent epsilon 1 of people" in words
    assert "not in the policy" not in call(capsys, "ledger", "show", "ledger.db")[1]
