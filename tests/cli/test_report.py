"""The command that writes a report: exit codes, files, data, and complaints of one line."""

import json

import pytest

from tests.cli.calling import call
from twoworlds.release.examples import lay_out

SURVEY = "randomized-response(bits=2, keep=3/4)"


def test_a_claim_that_holds_exits_with_0_and_writes_the_page(capsys, tmp_path):
    file = tmp_path / "report.html"
    code, out, err = call(
        capsys, "report", SURVEY, "--claim", "dp(ratio=3)", "--reviewer", "Ada", "-o", str(file)
    )
    assert (code, err) == (0, "")
    assert "The claim holds" in out
    page = file.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "--reviewer Ada -o report.html" in page
    assert str(tmp_path) not in page


def test_purpose_names_and_date_are_on_the_page_and_in_its_command(capsys, tmp_path):
    file = tmp_path / "report.html"
    form = ("--purpose", "Counts by ward", "--prepared-by", "Ann", "--date", "2026-03-01")
    assert call(capsys, "report", SURVEY, *form, "-o", str(file))[0] == 0
    page = file.read_text(encoding="utf-8")
    for text in ("<dd>Counts by ward</dd>", "<dd>Ann</dd>", "<dd>2026-03-01</dd>"):
        assert text in page
    assert "--purpose &#x27;Counts by ward&#x27; --prepared-by Ann --date 2026-03-01" in page


@pytest.mark.parametrize("date", ["yesterday", "2026-02-31", "1/3/2026", "20260301", ""])
def test_a_date_that_is_no_day_is_refused_before_the_page_is_made(capsys, tmp_path, date):
    file = tmp_path / "report.html"
    code, _, err = call(capsys, "report", SURVEY, "--date", date, "-o", str(file))
    assert code == 2
    assert "write a day of the calendar, such as 2026-03-01" in err
    assert not file.exists()


def test_a_refuted_claim_exits_with_1_and_writes_the_page_all_the_same(capsys, tmp_path):
    file = tmp_path / "report.html"
    code, out, _ = call(capsys, "report", SURVEY, "--claim", "dp(epsilon=1)", "-o", str(file))
    assert code == 1
    assert "does NOT hold" in out
    assert "Does not hold" in file.read_text(encoding="utf-8")


def test_it_says_that_the_page_holds_the_file_to_check(capsys, tmp_path):
    asked = ("--claim", "dp(epsilon=1/3)", "-o", str(tmp_path / "report.html"))
    _, out, _ = call(capsys, "report", "laplace(epsilon=1/2)", *asked)
    assert "twoworlds verify proof.json" in out
    assert "the page holds it: follow its link 'Save proof.json' first" in out
    assert ">Save proof.json</a>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_an_older_report_is_replaced(capsys, tmp_path):
    file = tmp_path / "report.html"
    file.write_text("old", encoding="utf-8")
    assert call(capsys, "report", SURVEY, "-o", str(file))[0] == 0
    assert "old" not in file.read_text(encoding="utf-8")[:10]


def test_as_json_it_is_what_the_page_says(capsys, tmp_path):
    file = tmp_path / "report.html"
    code, out, _ = call(capsys, "report", SURVEY, "--json", "-o", str(file))
    found = json.loads(out)
    assert (code, found["outcome"], found["report"]) == (0, "measured", str(file))
    assert found["price"]["ratio"] == {"exact": "3", "value": 3.0}
    code, out, _ = call(capsys, "report", SURVEY, "--json")
    assert "report" not in json.loads(out)


def test_the_proof_on_the_page_passes_verify(capsys, tmp_path):
    _, out, _ = call(capsys, "report", SURVEY, "--claim", "dp(epsilon=1)", "--json")
    file = tmp_path / "proof.json"
    file.write_text(json.dumps(json.loads(out)["proof"]["content"]), encoding="utf-8")
    assert call(capsys, "verify", str(file))[0] == 0
    assert call(capsys, "report", str(file), "-o", str(tmp_path / "r.html"))[0] == 0


def test_a_broken_certificate_exits_with_1(capsys, tmp_path):
    file = tmp_path / "proof.json"
    file.write_text('{"kind": "violates", "vector": [1], "inequality": [1]}', encoding="utf-8")
    code, out, _ = call(capsys, "report", str(file), "-o", str(tmp_path / "r.html"))
    assert code == 1
    assert "does NOT hold" in out
    assert "Certificate broken" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_without_a_file_the_verdict_is_told_with_the_way_to_the_page(capsys):
    code, out, _ = call(capsys, "report", SURVEY, "--claim", "dp(epsilon=1)")
    assert code == 1
    assert "does NOT hold" in out
    assert "to write the page: -o report.html" in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing(1)", "-o", "r.html"], "unknown mechanism 'nothing'"),
        ([SURVEY, "-o", "r.pdf"], "ends in .html"),
        ([SURVEY, "-o", "missing/r.html"], "there is no folder missing"),
        ([SURVEY, "-o", "folder.html"], "is a folder"),
        (["missing.json", "-o", "r.html"], "cannot be read"),
        (["other.json", "-o", "r.html"], "holds no certificate"),
        (["broken.json", "-o", "r.html"], "is not JSON"),
        (["proof.json", "-o", "r.html", "--claim", "dp(ratio=3)"], "--claim: a certificate says"),
        ([SURVEY, "-o", "r.html", "--ledger", "x.jsonl"], "--ledger is for certificates"),
        (["proof.json", "-o", "r.html", "--ledger", "x.jsonl"], "--ledger is for certificates"),
        ([SURVEY, "-o", "r.html", "--claim", "dp"], "no numbers to check"),
        (["geometric(ratio=2)", "-o", "r.html", "--belief", "uniform"], "no fixed list of records"),
    ],
)
def test_bad_input_is_one_line_with_the_way_out(capsys, tmp_path, monkeypatch, arguments, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    good = '{"kind": "violates", "vector": [1], "inequality": [-1]}'
    (tmp_path / "proof.json").write_text(good, encoding="utf-8")
    code, out, err = call(capsys, "report", *arguments)
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize("claim", [(), ("--claim", "dp(epsilon=1)")])
def test_verify_makes_the_page_again_and_says_which_words_differ(capsys, tmp_path, claim):
    file = tmp_path / "report.html"
    call(capsys, "report", SURVEY, *claim, "--reviewer", "Ada", "--purpose", "-x", "-o", str(file))
    code, out, _ = call(capsys, "verify", str(file))
    assert code == 0
    assert "every word of the page is as twoworlds makes it" in " ".join(out.split())
    page = file.read_text(encoding="utf-8")
    for old, new in (("75 right", "51 right"), ("strong protection", "full protection")):
        file.write_text(page.replace(old, new), encoding="utf-8")
        code, out, _ = call(capsys, "verify", str(file), "--json")
        found = json.loads(out)
        assert (code, found["holds"]) == (1, False)
        assert any(
            one.startswith("the page says:") and new in one for one in found["words"]["differ"]
        )
    file.write_text(page.replace("</style>", ".guess { display: none }</style>"), encoding="utf-8")
    code, out, _ = call(capsys, "verify", str(file))
    assert (code, "what is not seen in it" in out) == (1, True)


@pytest.mark.parametrize(
    "asked", [("laplace(epsilon=1/2)",), ("gaussian(sigma=4)", "--reviewer", "Ada")]
)
def test_verify_computes_a_report_without_a_certificate_again(capsys, tmp_path, asked):
    file = tmp_path / "report.html"
    call(capsys, "report", *asked, "-o", str(file))
    code, out, _ = call(capsys, "verify", str(file))
    assert code == 0
    assert "Every word of the page is as twoworlds makes it" in " ".join(out.split())
    page = file.read_text(encoding="utf-8")
    file.write_text(page.replace("strong protection", "full protection"), encoding="utf-8")
    code, out, _ = call(capsys, "verify", str(file), "--json")
    found = json.loads(out)
    assert (code, found["holds"]) == (1, False)
    assert "full protection" in found["words"]["differ"][0]
    for old, new, why in (
        ("twoworlds report &#x27;", "twoworlds report &#x27;python:os:system(1), ", "a program"),
        ('content="twoworlds ', 'content="twoworlds 9', "another version"),
        ("to the letter:", "", "no command that makes it"),
    ):
        file.write_text(page.replace(old, new), encoding="utf-8")
        code, out, err = call(capsys, "verify", str(file))
        assert (code, out) == (2, "")
        assert why in err


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("twoworlds report &#x27;", "twoworlds report &#x27;python:os:system(1), ", "a program"),
        (" --reviewer ", " --output other.html --reviewer ", "not as twoworlds writes it"),
        ('content="twoworlds ', 'content="twoworlds 9', "another version"),
        ("to the letter:", "", "command that makes it again is missing"),
    ],
)
def test_verify_says_first_that_words_were_not_compared(capsys, tmp_path, old, new, why):
    file = tmp_path / "report.html"
    call(capsys, "report", SURVEY, "--reviewer", "Ada", "-o", str(file))
    page = file.read_text(encoding="utf-8")
    assert old in page
    file.write_text(page.replace(old, new), encoding="utf-8")
    code, out, _ = call(capsys, "verify", str(file))
    said = " ".join(out.split())
    assert code == 0
    assert said.index("words of the page were NOT compared") < said.index(
        "Its arithmetic comes out"
    )
    assert why in said
    assert not (tmp_path / "other.html").exists()


def test_a_group_is_said_to_be_one_wherever_its_price_stands(capsys, tmp_path):
    file = tmp_path / "r.html"
    code, out, _ = call(capsys, "report", "laplace(epsilon=1/2)", "--group", "10", "-o", str(file))
    assert code == 0
    assert "costs epsilon = 5, for groups of 10 people." in " ".join(out.split())
    page = file.read_text(encoding="utf-8").partition('<section class="appendix">')[0]
    for part in (
        "lets anyone learn about a group of 10 people",
        "Of 100 groups of 10 people, guessed right",
        "50 of them without their data",
    ):
        assert part in page
    assert "them without your data" not in page
    assert "about a person" not in page
    assert "reals()" not in page


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("verify", "policy.yml"), "policy.yml is not JSON, so it holds no certificate"),
        (("verify", "picture.pdf"), "picture.pdf is not JSON, so it holds no certificate"),
        (("report", "r.html"), "`twoworlds verify r.html` compares it"),
        (("verify", "c.json", "--ledger", "ledger.db"), "`twoworlds ledger export policy.yml"),
    ],
)
def test_a_wrong_file_is_said_to_be_one_in_words(capsys, tmp_path, monkeypatch, asked, said):
    monkeypatch.chdir(tmp_path)
    lay_out(tmp_path)
    (tmp_path / "picture.pdf").write_bytes(b"%PDF-1.4\n\xff\xfe")
    query = ("SELECT COUNT(*) FROM people", "--epsilon", "1", "--analyst", "ann")
    call(capsys, "release", *query, "--certificate", "c.json", "--report", "r.html")
    code, out, err = call(capsys, *asked)
    assert code in (1, 2)
    assert said in " ".join((out + err).split())
    assert "codec" not in out + err
    assert "Expecting" not in out + err


def test_what_nobody_claimed_is_not_said_to_hold(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lay_out(tmp_path)
    query = ("SELECT COUNT(*) FROM people", "--epsilon", "4", "--analyst", "ann")
    plan = " ".join(call(capsys, "release", *query, "--dry-run")[1].split())
    assert "count: the true value, with probability at least 95%" in plan
    call(capsys, "release", *query, "--certificate", "c.json", "--report", "r.html")
    out = call(capsys, "report", "c.json")[1]
    assert "the certificate holds" in out
    assert "the claim" not in out
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "count: at least 95 times in 100 the true value is published, as it is." in page
    survey = ("randomized-response(bits=2, keep=3/4)", "--claim", "dp(epsilon=1)")
    assert call(capsys, "report", *survey, "-o", "refuted.html")[0] == 1
    out = call(capsys, "verify", "refuted.html")[1]
    assert "refutation holds" in out
    assert "certificate of kind violates holds" not in out
