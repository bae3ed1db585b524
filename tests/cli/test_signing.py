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
            assert ", and all the same released on " in part
    assert SENT_BACK in " ".join(call(capsys, *said[:-2])[1].split())


@pytest.mark.parametrize(
    ("decision", "stands"), [("--approve", "Approved"), ("--send-back", "Sent back")]
)
def test_a_decision_that_came_after_the_payment_is_said_to_be_late(capsys, decision, stands):
    number = str(as_json(capsys, "release", BY_REGION, *SPENT, "--propose", "a table")[1]["entry"])
    call(capsys, "release", BY_REGION, *SPENT, "--certificate", "c.json")
    [paid] = as_json(capsys, "review")[1]["releases"]
    entry = paid["entry"]
    waits = rf"Proposal {number} waits for a reviewer, and was all the same released .*{entry}"
    assert re.search(waits, as_json(capsys, "review")[1]["proposals"][0]["stands"])
    call(capsys, "review", number, decision, "--reviewer", "rita", "--remark", "seen")
    said = as_json(capsys, "review", number)[1]["stands"]
    late = (
        rf"Released on [\d-]+ \(entry {entry}\), and only then {stands.lower()} by rita on [\d-]+ "
    )
    assert re.fullmatch(rf"{late}\(proposal {number}\)\.", said)
    call(capsys, "ledger", "export", "policy.yml", "l.jsonl")
    told = " ".join(call(capsys, "report", "c.json", "--ledger", "l.jsonl")[1].split())
    assert f"{said} Remark: seen" in told


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
        assert "together with everything released, it costs epsilon 1.5." in text
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


def proposed(capsys, *decision, query=BY_REGION, purpose="a table"):
    """Propose a release, decide on it, pay for it, and return the number of the proposal."""
    asked = ("release", query, *SPENT)
    number = str(as_json(capsys, *asked, "--propose", purpose)[1]["entry"])
    assert call(capsys, "review", number, "-o", "plan.html")[0] == 0
    assert (
        call(capsys, "review", number, *decision, "--reviewer", "rita", "--remark", "seen")[0] == 0
    )
    files = ("--report", "r.html", "--certificate", "c.json")
    assert call(capsys, *asked, *files)[0] == 0
    assert call(capsys, "ledger", "export", "policy.yml", "l.jsonl")[0] == 0
    return number


def test_the_plan_that_was_signed_is_found_again_wherever_the_release_is(capsys, in_hospital):
    number = proposed(capsys, "--approve")
    page, paid = ((in_hospital / name).read_text() for name in ("plan.html", "r.html"))
    signed = re.search(r'<code id="signed">(\w{64})</code>', page)[1]
    assert f"SHA-256 {signed}" in " ".join(call(capsys, "review", number)[1].split())
    assert as_json(capsys, "review", number)[1]["plan"] == signed
    assert f"which releases the plan with the SHA-256 <code>{signed}</code>" in paid
    assert signed in call(capsys, "verify", "c.json")[1]
    stands = as_json(capsys, "review", number)[1]["stands"]
    assert re.fullmatch(
        r"Approved by rita on \S+ \(.*\) and released on \S+ \(entry \d+\)\.", stands
    )
    told = as_json(capsys, "verify", "c.json", "--ledger", "l.jsonl")[1]
    assert (told["plan"], told["stands"]) == (signed, f"{stands} Remark: seen")
    told = as_json(capsys, "verify", "plan.html", "--ledger", "l.jsonl")[1]
    assert (told["plan"], told["stands"], told["holds"]) == (signed, stands, True)
    assert f"{stands} Remark: seen" in paid


FORGED = [
    ("r.html", "Sent back by", "Approved by"),
    ("r.html", "at most 74 right", "at most 51 right"),
    ("r.html", "a table</dd>", "another table</dd>"),
    ("r.html", '<span id="read">', "<span>"),
    ("plan.html", "waits for a reviewer", "is approved"),
    ("plan.html", "costs epsilon 1", "costs epsilon 0.1"),
    ("plan.html", "<dd>ann</dd>", "<dd>rob</dd>"),
]


@pytest.mark.parametrize(("page", "old", "new"), FORGED)
def test_every_word_of_a_page_is_compared_with_the_ledger(capsys, in_hospital, page, old, new):
    proposed(capsys, "--send-back")
    assert call(capsys, "release", ONE, *SPENT)[0] == 0  # the ledger went on since
    call(capsys, "ledger", "export", "policy.yml", "l.jsonl")
    file, asked = in_hospital / page, ("verify", page, "--ledger", "l.jsonl")
    assert call(capsys, *asked)[0] == 0
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    code, out, _ = call(capsys, *asked)
    assert (code, "what differs" in out) == (1, True)


def test_a_page_that_cannot_be_compared_names_what_compares_it(capsys, in_hospital):
    proposed(capsys, "--approve")
    code, _, err = call(capsys, "verify", "plan.html")
    assert code == 2
    assert (
        "give an export of its ledger, with --ledger, or make it again with `twoworlds rev" in err
    )
    out = call(capsys, "verify", "r.html")[1]
    assert "the page was compared only in part" in " ".join(out.split())
    call(capsys, "release", ONE, *SPENT, "--dry-run", "-o", "tried.html")
    code, _, err = call(capsys, "verify", "tried.html", "--ledger", "l.jsonl")
    assert code == 2
    assert f"make it again with `twoworlds release '{ONE}' --epsilon 1 --analyst ann --dry" in err
    lines = (in_hospital / "l.jsonl").read_text().splitlines()
    (in_hospital / "old.jsonl").write_text("\n".join(lines[:-2]) + "\n")
    code, _, err = call(capsys, "verify", "plan.html", "--ledger", "old.jsonl")
    assert code == 0
    code, _, err = call(capsys, "verify", "r.html", "--ledger", "old.jsonl")
    assert code in (1, 2)


def test_a_report_says_what_the_ledger_says_of_purpose_author_and_date(capsys, in_hospital):
    proposed(capsys, "--approve")
    asked = ("report", "c.json", "--ledger", "l.jsonl")
    code, _, err = call(capsys, *asked, "--purpose", "Something else")
    assert code == 2
    assert "this was proposed, 'a table', and a report says the same: leave --purpose out" in err
    code, _, err = call(capsys, *asked, "--date", "2020-01-01")
    assert code == 2
    assert "the ledger charged this on" in err
    code, _, err = call(capsys, *asked, "--date", "2999-12-31")
    assert code == 2
    assert "more than a year ahead" in err
    assert (
        call(capsys, *asked, "--purpose", "a table", "--prepared-by", "Nobody", "-o", "s.html")[0]
        == 0
    )
    page = (in_hospital / "s.html").read_text()
    assert "<dt>Asked by</dt><dd>ann</dd>" in page
    assert "<dt>Prepared by</dt><dd>Nobody</dd>" in page
    for long, text in (("--purpose", "x" * 2001), ("--prepared-by", "x" * 201)):
        code, _, err = call(capsys, "report", "c.json", long, text)
        assert code == 2
        assert "the form has room for" in err
    assert call(capsys, "verify", "s.html", "--ledger", "l.jsonl")[0] == 0


def test_one_proposal_shows_what_it_is_for_who_decided_and_what_came_before(capsys):
    call(capsys, "release", ONE, "--epsilon", "2", "--analyst", "bob")
    other = "SELECT AVG(age) FROM people"
    call(capsys, "release", other, *SPENT, "--propose", "ages")
    one = str(as_json(capsys, "review")[1]["proposals"][0]["entry"])
    call(capsys, "review", one, "--approve", "--reviewer", "rita")
    number = str(as_json(capsys, "release", BY_REGION, *SPENT, "--propose", "why not")[1]["entry"])
    words = " ".join(call(capsys, "review", number)[1].split())
    for part in (
        "for why not",
        "costs epsilon 1",
        "proposed by ann, 20",
        "the number of rows. eps",
    ):
        assert part in words
    assert "approved, not yet paid: the mean of age." in words
    assert "it costs epsilon 4." in words
    call(capsys, "review", number, "--approve", "--reviewer", "rita", "--remark", "as agreed")
    words = " ".join(call(capsys, "review", number)[1].split())
    assert "decided by rita, 20" in words
    assert "remark as agreed" in words
    assert "Warning: Together with the other releases, this is weak" in words


def test_the_page_to_sign_gives_one_total_and_lists_what_makes_it(capsys, in_hospital):
    call(capsys, "release", ONE, *SPENT)
    call(capsys, "release", "SELECT AVG(age) FROM people", *SPENT, "--propose", "ages")
    number = str(as_json(capsys, "review")[1]["proposals"][0]["entry"])
    call(capsys, "review", number, "--approve", "--reviewer", "rita")
    asked = ("release", BY_REGION, *SPENT, "--propose", "a table")
    assert call(capsys, *asked, "-o", "plan.html")[0] == 0
    page = (in_hospital / "plan.html").read_text()
    assert "1 charge about people before this one, and 1 approved release not yet paid." in page
    assert "<td>approved, not yet paid: the mean of age.</td>" in page
    assert "it costs epsilon 3. " in page
    assert "comes to epsilon" not in page


def test_what_is_written_or_paid_is_not_offered_to_be_written(capsys, in_hospital):
    asked = ("release", BY_REGION, *SPENT, "--propose", "a table")
    assert "-o proposal.html" not in call(capsys, *asked, "-o", "p.html")[1]
    number = str(as_json(capsys, "review")[1]["proposals"][0]["entry"])
    assert "-o proposal.html" in call(capsys, "review", number)[1]
    call(capsys, "release", BY_REGION, *SPENT)
    assert "-o proposal.html" not in call(capsys, "review", number)[1]
    policy = str(in_hospital / "policy.yml")
    again = ("release", ONE, *SPENT, "--propose", "x", "--policy", policy, "-o", "q.html")
    assert call(capsys, *again)[0] == 0
    assert f"--policy {policy}</pre>" in (in_hospital / "q.html").read_text()


def test_a_release_that_is_out_is_not_put_up_for_approval(capsys, in_hospital):
    proposed(capsys, "--approve")
    box = (in_hospital / "r.html").read_text().partition("<h2>Decision</h2>")[2]
    assert "Already released." in box
    assert "<li>Object</li>" in box
    assert "<li>Approve</li>" not in box
