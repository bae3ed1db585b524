import csv
import errno
import io
import json
import re
import sqlite3
import sys

import click
import pytest

import twoworlds as tw
from tests.cli.calling import call
from twoworlds.release.examples import lay_out

BY_REGION = "SELECT region, COUNT(*) FROM people GROUP BY region"


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


def test_release_prints_the_table_what_it_means_and_the_price(capsys):
    code, out, err = call(capsys, "release", BY_REGION, "--epsilon", "1", "--analyst", "ann")
    assert (code, err) == (0, "")
    words = " ".join(out.split())
    for part in ("islands", "95% interval", "add-remove", "odds", "Paid: epsilon", "Left: people"):
        assert part in words


def test_release_as_json_has_exact_numbers(capsys):
    code, told = as_json(capsys, "release", BY_REGION, "--epsilon", "0.1", "--analyst", "ann")
    [answer] = told["answers"]
    assert code == 0
    assert answer["cost"]["epsilon"] == {"exact": "1/10", "value": 0.1}
    assert len(answer["rows"]) == 7
    assert set(answer["rows"][0]["values"]["count"]) >= {"value", "standard_error", "interval"}
    assert answer["neighbours"] == "add-remove"


def test_the_example_of_the_data_and_the_policy(capsys, in_hospital):
    text = (in_hospital / "policy.yml").read_text().replace("    source: people.parquet\n", "")
    (in_hospital / "own.yml").write_text(text)
    asked = "SELECT region, COUNT(*), SUM(income) FROM people GROUP BY region"
    arguments = (
        "people.parquet",
        asked,
        "--policy",
        "own.yml",
        "--epsilon",
        "1",
        "--analyst",
        "ann",
    )
    code, told = as_json(capsys, "release", *arguments)
    assert code == 0
    assert list(told["answers"][0]["rows"][0]["values"]) == ["count", "sum_income"]


def test_a_certificate_and_a_report_are_written_and_verified(capsys, in_hospital):
    files = ("--certificate", "c.json", "--report", "r.html")
    code, out, _ = call(capsys, "release", BY_REGION, "--epsilon", "1", "--analyst", "ann", *files)
    assert code == 0
    assert "wrote c.json" in out
    page = (in_hospital / "r.html").read_text()
    assert page.startswith("<!doctype html>")
    assert page.count("<script") == 1  # the checker of certificates
    assert call(capsys, "ledger", "export", "policy.yml", "l.jsonl")[0] == 0
    code, out, _ = call(capsys, "verify", "c.json", "--ledger", "l.jsonl")
    assert code == 0
    assert "in the ledger" in " ".join(out.split())
    data = json.loads((in_hospital / "c.json").read_text())
    data["answers"][0][0]["values"][0]["value"] = "7"
    (in_hospital / "c.json").write_text(json.dumps(data))
    code, told = as_json(capsys, "verify", "c.json")
    assert (code, told["holds"]) == (1, False)


def test_verify_compares_the_sentence_and_the_answers_of_a_release(capsys, in_hospital):
    asked = ("release", BY_REGION, "--epsilon", "1", "--analyst", "ann")
    call(capsys, *asked, "--report", "r.html")
    page = (in_hospital / "r.html").read_text(encoding="utf-8")
    code, out, _ = call(capsys, "verify", "r.html", "--json")
    found = json.loads(out)
    assert (code, found["words"]["differ"]) == (0, [])
    assert "Everything else was NOT compared" in found["words"]["said"]
    right = re.search(r"(\d+) right", page)
    cell = re.search(r"<td>north</td><td>([^<]*)</td>", page)
    digest = re.search(r'<code id="signed">(\w+)', page)[1]
    for old, new in (
        (right[0], "51 right"),
        (cell[0], "<td>north</td><td>7</td>"),
        ("that costs epsilon 1.", "that costs epsilon 0.1."),
        ("<li>Each row is protected.", "<li>Each person is protected."),
        ("<li>That nothing about you is learned", "<li>What about you is learned"),
        ("discrete Laplace</td><td>1<", "discrete Laplace</td><td>9<"),
        (f">{digest}</code>", f">{digest[::-1]}</code>"),
        ("dp(epsilon=1, neighbours=add-remove) implies", "dp(epsilon=2) implies"),
        ("people, version 2026", "people, version 2025"),
    ):
        assert old in page
        (in_hospital / "r.html").write_text(page.replace(old, new), encoding="utf-8")
        code, out, _ = call(capsys, "verify", "r.html")
        assert (code, "what differs" in out) == (1, True)
    shown = re.sub(r"&quot;entry&quot;: *(\d)", r"&quot;entry&quot;: 1\1", page)
    assert shown != page
    (in_hospital / "r.html").write_text(shown, encoding="utf-8")
    assert call(capsys, "verify", "r.html")[0] == 1
    sentence = '<p class="sentence">'
    twice = page.replace(sentence, f"{sentence}Nobody learns.</p>{sentence}")
    (in_hospital / "r.html").write_text(twice, encoding="utf-8")
    assert call(capsys, "verify", "r.html")[0] == 1
    link = re.search(r"<a data-certificate [^>]*>", page)[0]
    (in_hospital / "r.html").write_text(page.replace("<body>", f"<!--{link}--><body>"))
    code, _, err = call(capsys, "verify", "r.html")
    assert (code, "links to several certificates" in err) == (2, True)


def test_a_dry_run_and_the_search_for_an_epsilon_charge_nothing(capsys):
    code, told = as_json(
        capsys, "release", BY_REGION, "--epsilon", "1", "--analyst", "ann", "--dry-run"
    )
    assert (code, told["price"]["epsilon"]["value"]) == (0, 1)
    code, told = as_json(capsys, "release", BY_REGION, "--within", "10")
    assert 0 < told["cost"]["epsilon"]["value"] < 1
    _, told = as_json(capsys, "budget")
    assert all(one["spent"]["epsilon"]["value"] == 0 for one in told["datasets"])


def test_an_epsilon_beyond_the_budget_is_found_and_said_not_to_fit(capsys):
    total = ("release", "SELECT SUM(income) FROM people", "--within")
    for who, least in (("--analyst", "ann"), "epsilon 4"), ((), "epsilon 6"):
        code, told = as_json(capsys, *total, "1", *who)
        assert (code, told["fits"]) == (0, False)
        _, out, _ = call(capsys, *total, "1", *who)
        assert f"the cap is {least}" in " ".join(out.split())
        assert as_json(capsys, *total, "1000000", *who)[1]["fits"]


def test_every_row_of_a_written_budget_names_its_dataset(capsys, in_hospital):
    assert call(capsys, "budget", "-o", "b.csv")[0] == 0
    rows = [*csv.reader((in_hospital / "b.csv").read_text().splitlines())]
    assert [row[0] for row in rows[1:]] == ["people"] * 3 + ["visits"] * 2


def test_budget_and_ledger_show_what_was_spent(capsys):
    call(capsys, "release", BY_REGION, "--epsilon", "0.1", "--analyst", "ann")
    _, told = as_json(capsys, "budget", "--dataset", "people")
    [people] = told["datasets"]
    assert people["spent"]["epsilon"]["exact"] == "1/10"
    assert [one["analyst"] for one in people["analysts"]] == ["ann", "bob"]
    _, told = as_json(capsys, "ledger", "show", "ledger.db")
    assert (told["charges"], told["answered"]) == (1, 1)
    code, told = as_json(capsys, "ledger", "verify", "policy.yml")
    assert (code, told["holds"]) == (0, True)
    for arguments in (
        ("budget",),
        ("ledger", "show", "policy.yml"),
        ("ledger", "verify", "ledger.db"),
    ):
        code, out, err = call(capsys, *arguments)
        assert (code, err) == (0, "")
        assert out


def test_an_exported_ledger_is_verified_and_a_changed_one_refuted(capsys, in_hospital):
    call(capsys, "release", BY_REGION, "--epsilon", "1", "--analyst", "ann")
    assert as_json(capsys, "ledger", "export", "policy.yml", "l.jsonl")[1]["entries"] > 3
    assert as_json(capsys, "ledger", "verify", "l.jsonl")[1]["holds"] is True
    text = (in_hospital / "l.jsonl").read_text()
    (in_hospital / "l.jsonl").write_text(text.replace('"epsilon=1"', '"epsilon=2"'))
    code, told = as_json(capsys, "ledger", "verify", "l.jsonl")
    assert (code, told["holds"]) == (1, False)


def test_a_policy_is_checked_against_the_data(capsys, in_hospital):
    code, told = as_json(capsys, "policy", "check", "policy.yml")
    assert code == 0
    assert [one["dataset"] for one in told["datasets"]] == ["people", "visits"]
    assert told["datasets"][0]["undeclared"] == ["patient"]
    text = (in_hospital / "policy.yml").read_text()
    (in_hospital / "other.yml").write_text(text.replace("income:", "salary:"))
    code, _, err = call(capsys, "policy", "check", "other.yml")
    assert code == 2
    assert "salary" in err


def test_one_row_and_one_group_of_a_person_are_said_in_the_singular(capsys, in_hospital):
    policy = in_hospital / "policy.yml"
    text = policy.read_text()
    policy.write_text(text.replace("rows: 4", "rows: 1").replace("groups: 2", "groups: 1"))
    assert policy.read_text() != text
    _, out, _ = call(capsys, "policy", "check", "policy.yml")
    assert "uses at most 1 row of each, in at most 1 group;" in " ".join(out.split())


def test_a_new_policy_names_the_columns_and_must_be_filled_in(capsys, in_hospital):
    code, _, _ = call(capsys, "policy", "new", "people.parquet", "new.yml")
    assert code == 0
    assert "income: {kind: integer, bounds: [LOW, HIGH]}" in (in_hospital / "new.yml").read_text()
    code, _, err = call(capsys, "policy", "check", "new.yml")
    assert code == 2
    assert "LOW" in err or "KEYS" in err or "keys" in err
    code, _, err = call(capsys, "policy", "new", "people.parquet", "new.yml")
    assert code == 2
    assert "there already" in err


def test_a_policy_can_begin_from_a_table_of_a_database(capsys, in_hospital):
    with sqlite3.connect("clinic.db") as connection:
        connection.execute("CREATE TABLE patients (age INTEGER, ward TEXT)")
    connection.close()
    code, _, err = call(capsys, "policy", "new", "clinic.db", "new.yml", "--table", "patients")
    assert (code, err) == (0, "")
    text = (in_hospital / "new.yml").read_text()
    assert 'source: {sqlite: "clinic.db", table: patients}' in text
    code, _, err = call(capsys, "policy", "new", "clinic.db", "other.yml")
    assert code == 2
    assert "table" in err


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("release", BY_REGION, "--analyst", "ann"), "--epsilon"),
        (("release", BY_REGION, "--epsilon", "1"), "ann or bob"),
        (("release", BY_REGION, "--epsilon", "1", "--rho", "1"), "--rho"),
        (("release", BY_REGION, "--epsilon", "nan", "--analyst", "ann"), "nan"),
        (("release", BY_REGION, "--epsilon", "100", "--analyst", "ann"), "cap"),
        (("release", BY_REGION, "--epsilon", "1", "--policy", "none.yml"), "none.yml"),
        (("release", "people.parquet", "--epsilon", "1"), "is not a query"),
        (("release", "other.parquet", BY_REGION, "--epsilon", "1"), "elsewhere"),
        (("release", "SELECT * FROM people", "--epsilon", "1"), "SELECT"),
        (("release", BY_REGION, "--within", "10", "--epsilon", "1"), "leave"),
        (("release", BY_REGION, "--within", "-1"), "within"),
        (("release", "SELECT AVG(income) FROM people", "--within", "9"), "counts and sums alone"),
        (("ledger", "verify", "none.db"), "begins with the first release"),
        (("release", BY_REGION, "--epsilon", "1", "--certificate", "people.parquet"), ".json"),
        (("release", BY_REGION, "--epsilon", "1", "--report", "ledger.db"), ".html"),
        (("verify", "policy.yml"), "JSON"),
        (("budget", "--policy", "none.yml"), "none.yml"),
        (("budget", "--dataset", "nobody"), "nobody"),
        (("ledger", "show", "none.db"), "none.db"),
        (("ledger", "export", "policy.yml", "l.json"), ".jsonl"),
        (("policy", "check", "none.yml"), "none.yml"),
        (("policy", "new", "none.parquet", "new.yml"), "none.parquet"),
    ],
)
def test_bad_input_is_said_in_a_line_with_the_way_out(capsys, arguments, part):
    code, out, err = call(capsys, *arguments)
    assert code == 2, out
    assert part in err
    assert "Traceback" not in err
    assert err.count("\n") <= 2


def test_asking_for_the_budget_writes_nothing(capsys, in_hospital):
    before = sorted(path.name for path in in_hospital.iterdir())
    _, told = as_json(capsys, "budget")
    assert told["datasets"][0]["left"]["epsilon"]["exact"] == "6"
    assert sorted(path.name for path in in_hospital.iterdir()) == before


def test_a_lost_mark_is_made_anew_for_a_reason(capsys, in_hospital):
    call(capsys, "release", BY_REGION, "--epsilon", "1", "--analyst", "ann")
    (in_hospital / "ledger.db.mark").unlink()
    code, _, err = call(capsys, "release", BY_REGION, "--epsilon", "1", "--analyst", "ann")
    assert code == 2
    assert "remark" in err
    for reading in (("budget",), ("ledger", "show", "policy.yml")):
        code, out, err = call(capsys, *reading)
        assert (code, out) == (2, "")
        assert "is missing, so nobody can tell" in " ".join(err.split())
    assert call(capsys, "ledger", "remark", "policy.yml", "--reason", "a test")[0] == 0
    assert call(capsys, "release", BY_REGION, "--epsilon", "1", "--analyst", "ann")[0] == 0


def test_a_certificate_is_not_verified_against_what_is_no_export(capsys, in_hospital):
    call(
        capsys,
        "release",
        BY_REGION,
        "--epsilon",
        "1",
        "--analyst",
        "ann",
        "--certificate",
        "c.json",
    )
    code, _, err = call(capsys, "verify", "c.json", "--ledger", "none.jsonl")
    assert code == 2
    assert "none.jsonl" in err


def test_a_wide_table_repeats_all_groups_below(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    asked = "SELECT region, age, COUNT(*), SUM(income) FROM people GROUP BY region, age"
    code, out, _ = call(capsys, "release", asked, "--epsilon", "1", "--analyst", "ann")
    assert code == 0
    headings = [
        line.split()[:2] for line in out.splitlines() if line.lstrip().startswith("region ")
    ]
    assert len(headings) >= 2
    assert all(heading == ["region", "age"] for heading in headings)


def test_the_demonstration_makes_a_release_and_repeats_it_for_nothing(capsys, in_hospital):
    code, out, _ = call(capsys, "demo", "--folder", "h")
    assert code == 0
    assert (in_hospital / "h" / "report.html").exists()
    first = json.loads((in_hospital / "h" / "certificate.json").read_text())
    code, out, _ = call(capsys, "demo", "--folder", "h")
    assert "you pay nothing more" in " ".join(out.split())
    assert json.loads((in_hospital / "h" / "certificate.json").read_text()) == first
    code, told = as_json(capsys, "demo", "--folder", "h")
    assert told["checked"]["holds"] is True


MANY = [f"SELECT COUNT(*) FROM people WHERE age >= {age}" for age in range(40)]
FIXED = ("--each", "0.05", "--delta", "1e-7", "--analyst", "ann")


def test_a_batch_with_an_epsilon_for_each_query_is_charged_by_composition(capsys, in_hospital):
    code, told = as_json(capsys, "release", *MANY, *FIXED, "--dry-run")
    batch, price = told["batch"], told["price"]
    assert (code, batch["rule"], batch["added_up"]["exact"]) == (0, "certified composition", "2")
    assert price["epsilon"] == batch["composed"]
    assert price["epsilon"]["value"] < 1.7
    code, out, _ = call(capsys, "release", *MANY, *FIXED, "--certificate", "c.json")
    assert code == 0
    said = f"The whole costs epsilon {price['epsilon']['value']}, delta 1e-7 by certified "
    assert f"{said}composition; added up it would be epsilon 2." in " ".join(out.split())
    _, told = as_json(capsys, "budget", "--dataset", "people")
    assert told["datasets"][0]["spent"] == price
    assert call(capsys, "ledger", "export", "policy.yml", "l.jsonl")[0] == 0
    assert call(capsys, "verify", "c.json", "--ledger", "l.jsonl")[0] == 0
    data = json.loads((in_hospital / "c.json").read_text())
    data["statement"]["fixed"]["composed"] = "1"
    (in_hospital / "c.json").write_text(json.dumps(data))
    assert call(capsys, "verify", "c.json")[0] == 1


def test_queries_may_have_different_epsilons(capsys):
    halves = [f"SELECT COUNT(*) FROM people WHERE age {sign} 40" for sign in ("<", ">=")]
    each = ("--each", "1", "--each", "1/2", "--analyst", "ann")
    code, told = as_json(capsys, "release", *halves, *each)
    assert (code, told["batch"]["rule"]) == (0, "the sensitivity of the whole")
    assert told["answers"][0]["cost"]["epsilon"]["exact"] == "1"
    assert [one["exact"] for one in told["batch"]["each"]] == ["1", "1/2"]
    code, out, _ = call(capsys, "release", *halves, *each)
    assert "by the sensitivity of the whole; added up it would be epsilon 1.5." in " ".join(
        out.split()
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--each", "1/10", "--epsilon", "1"), "leave --epsilon and --rho out"),
        (("--each", "1/10", "--rho", "1"), "leave --epsilon and --rho out"),
        (("--each", "1/10", "--within", "10"), "--each"),
        (("--each", "1/10", "--strategy", "s"), "--each"),
        (("--each", "1/10", "--each", "1/5"), "2 epsilons are given for 40 queries"),
        (("--each", "0"), "more than 0"),
        (("--each", "1/10", "--delta", "1"), "below 1"),
        (("--each", "1", "--delta", "1e-7"), "give smaller epsilons"),
    ],
)
def test_a_batch_that_cannot_be_is_refused_in_a_line_and_not_charged(capsys, options, said):
    code, _, err = call(capsys, "release", *MANY, *options, "--analyst", "ann")
    assert code == 2
    assert said in " ".join(err.split())
    assert err.count("\n") <= 2
    assert total_spent(capsys)["exact"] == "0"


def test_an_interrupted_release_says_what_a_charge_means(capsys, monkeypatch):
    from twoworlds.release import Curator

    def stopped(self, *arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(Curator, "release_all", stopped)
    code, out, err = call(capsys, "release", BY_REGION, "--epsilon", "1", "--analyst", "ann")
    assert (code, out) == (130, "")
    assert "if it was charged already" in err


ASKED = ("release", BY_REGION, "--epsilon", "1", "--analyst", "ann")


def total_spent(capsys):
    return as_json(capsys, "budget", "--dataset", "people")[1]["datasets"][0]["spent"]["epsilon"]


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def in_disguise(in_hospital):
    """The hospital with everything that a release depends on called .json."""
    text = (in_hospital / "policy.yml").read_text()
    for name in ("people.parquet", "visits.parquet", "regions.parquet"):
        assert name in text
    text = text.replace("ledger: ledger.db", "ledger: ledger.json\nmark: mark.json")
    text = text.replace("source: visits.parquet", "source: {sqlite: visits.json, table: visits}")
    (in_hospital / "policy.json").write_text(text)
    (in_hospital / "visits.json").write_bytes(b"somebody's table")
    return in_hospital


KEPT = [
    ("policy.json", "is there already"),
    ("ledger.json", "is the ledger"),
    ("mark.json", "is the mark"),
    ("visits.json", "is there already"),
    ("./../{folder}/ledger.json", "is the ledger"),
]


@pytest.mark.few(3)
@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize(("name", "said"), KEPT)
def test_a_certificate_never_takes_the_place_of_what_a_release_needs(
    capsys, in_disguise, name, said, begun
):
    policy = ("--policy", "policy.json")
    if begun:
        assert call(capsys, *ASKED, *policy)[0] == 0
    before = contents(in_disguise)
    place = name.format(folder=in_disguise.name)
    code, out, err = call(capsys, *ASKED, *policy, "--certificate", place)
    assert (code, out) == (2, "")
    assert said in " ".join(err.split())
    assert "another name" in " ".join(err.split())
    assert contents(in_disguise) == before


@pytest.mark.few(3)
@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
@pytest.mark.parametrize("name", ["ledger.json", "mark.json", "policy.json", "people.parquet"])
def test_links_lead_to_the_same_files(capsys, in_disguise, link, name):
    policy = ("--policy", "policy.json")
    assert call(capsys, *ASKED, *policy)[0] == 0
    getattr(in_disguise / "link.json", link)(in_disguise / name)
    code, _, err = call(capsys, *ASKED, *policy, "--certificate", "link.json")
    assert code == 2
    assert "link.json is the" in err  # ledger, or there already


def test_a_place_for_a_ledger_that_is_not_there_yet_is_kept_too(capsys, in_disguise):
    (in_disguise / "link.json").symlink_to(in_disguise / "ledger.json")
    code, _, err = call(capsys, *ASKED, "--policy", "policy.json", "--certificate", "link.json")
    assert code == 2
    assert "link.json is the ledger" in err
    assert not (in_disguise / "ledger.json").exists()


@pytest.mark.parametrize(("option", "name"), [("--certificate", "c.json"), ("--report", "r.html")])
def test_only_a_file_of_its_own_kind_is_replaced(capsys, in_hospital, option, name):
    path = in_hospital / name
    for content in ("{}", "<!doctype html>\n<html lang='en'>", "x" * 5000, '{"kind": "local"}'):
        path.write_text(content)
        code, _, err = call(capsys, *ASKED, option, name)
        assert code == 2
        assert "is there already" in err
        assert path.read_text() == content
    assert total_spent(capsys)["exact"] == "0"  # refused before the charge
    path.write_text("")
    assert call(capsys, *ASKED, option, name)[0] == 0
    first = path.read_text()
    assert call(capsys, *ASKED, option, name)[0] == 0
    assert call(capsys, "release", "SELECT COUNT(*) FROM people", *ASKED[2:], option, name)[0] == 0
    assert path.read_text() != first
    other = ("--report", "c.html") if option == "--certificate" else ("--certificate", "r.json")
    (in_hospital / other[1]).write_text(first)
    assert call(capsys, *ASKED, *other)[0] == 2


def test_a_ledger_that_is_gone_is_not_said_to_have_never_begun(capsys, in_hospital):
    call(capsys, *ASKED)
    (in_hospital / "ledger.db").unlink()
    for asked in (("verify", "policy.yml"), ("remark", "policy.yml", "--reason", "a test")):
        code, _, err = call(capsys, "ledger", *asked)
        assert code == 2
        assert "is gone, though its mark" in " ".join(err.split())


def test_an_export_is_said_not_to_show_its_own_end(capsys, in_hospital):
    call(capsys, *ASKED)
    call(capsys, "ledger", "export", "policy.yml", "l.jsonl")
    _, out, _ = call(capsys, "ledger", "verify", "l.jsonl")
    assert "entries after its last one are missing" in " ".join(out.split())


NROTH = "SELECT COUNT(*) FROM people WHERE region = 'Nroth'"
SPENT = ("--epsilon", "1", "--analyst", "ann")


def spent(capsys):
    _, told = as_json(capsys, "budget")
    return told["datasets"][0]["spent"]["epsilon"]["exact"]


def test_a_script_gets_the_warnings_on_standard_error_and_goes_on(capsys):
    code, out, err = call(capsys, "release", NROTH, *SPENT, "--json")
    assert code == 0
    assert json.loads(out)["answers"]
    assert "Warning: 'Nroth' is not a declared key of region: did you mean 'north'?" in err
    again = call(capsys, "release", NROTH, *SPENT)
    assert again[2] == ""  # it is stored, and costs nothing


def test_somebody_at_a_terminal_is_asked_before_a_warned_release_is_paid(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    answers = iter([False, True])
    monkeypatch.setattr("click.confirm", lambda *_, **__: next(answers))
    code, _, err = call(capsys, "release", NROTH, *SPENT)
    assert (code, spent(capsys)) == (130, "0")
    assert "nothing was charged" in err
    assert call(capsys, "release", NROTH, *SPENT)[0] == 0
    assert spent(capsys) == "1"
    assert call(capsys, "release", NROTH, "--epsilon", "1/2", "--analyst", "ann", "--yes")[0] == 0


def test_ctrl_c_at_a_question_is_no(capsys, monkeypatch, tmp_path):
    def stopped(*_, **__):
        raise click.Abort

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.confirm", stopped)
    code, _, err = call(capsys, "release", NROTH, *SPENT)
    assert (code, spent(capsys)) == (130, "0")
    assert "nothing was charged" in err
    (tmp_path / "a.csv").write_text("age\n3\n")
    new = ("policy", "new", str(tmp_path / "a.csv"), str(tmp_path / "p.yml"))
    code, _, err = call(capsys, *new)
    assert code == 130
    assert "nothing was written" in err
    assert not (tmp_path / "p.yml").exists()


def test_a_release_is_proposed_reviewed_and_made(capsys):
    code, told = as_json(capsys, "release", BY_REGION, *SPENT, "--propose", "the yearly table")
    assert (code, told["status"], spent(capsys)) == (0, "waiting", "0")
    number = str(told["entry"])
    code, found = as_json(capsys, "review")
    assert [one["entry"] for one in found["proposals"]] == [told["entry"]]
    after = "together with everything released, it costs epsilon 1. "
    assert found["proposals"][0]["after"]["together"].startswith(after)
    assert f"If it is approved: {after}" in " ".join(call(capsys, "review")[1].split())
    for wrong, words in (
        (("--approve",), "say who decides"),
        (("--reviewer", "rita"), "say --approve or --send-back"),
        (("--remark", "why"), "say --approve or --send-back"),
        (("--approve", "--reviewer", "ann"), "nobody reviews their own"),
        (("--approve", "--reviewer", " Ann "), "nobody reviews their own"),
    ):
        code, _, err = call(capsys, "review", number, *wrong)
        assert code == 2
        assert words in err
    code, out, _ = call(capsys, "review", number, "--approve", "--reviewer", "rita")
    assert code == 0
    may = rf"Approved by rita on [\d-]+ \(proposal {number}\): ann may release it as it is planned"
    assert re.match(may, " ".join(out.split()))
    assert f"Now that it is approved: {after}" in " ".join(out.split())
    assert call(capsys, "release", BY_REGION, *SPENT)[0] == 0
    code, out, _ = call(capsys, "review")
    words = " ".join(out.split())
    assert words.startswith("0 proposals wait for review; 1 release was paid for.")
    assert call(capsys, "ledger", "verify", "policy.yml")[0] == 0


def test_a_review_says_whether_it_binds_and_what_was_paid_all_the_same(capsys, in_hospital):
    advice = "The policy does not require approval for people: a decision is advice."
    code, out, _ = call(capsys, "release", BY_REGION, *SPENT, "--propose", "the yearly table")
    assert advice in " ".join(out.split())
    number = str(as_json(capsys, "review")[1]["proposals"][0]["entry"])
    shown = " ".join(call(capsys, "review", number)[1].split())
    assert shown.startswith(f"Proposal {number} waits for a reviewer.")
    back = ("--send-back", "--reviewer", "rita", "--remark", "too dear")
    assert call(capsys, "review", number, *back)[0] == 0
    code, _, err = call(capsys, "release", BY_REGION, *SPENT)
    assert code == 0
    assert f"Warning: Proposal {number} for it was sent back by rita." in err
    paid = as_json(capsys, "review")[1]["releases"][0]["entry"]
    words = " ".join(call(capsys, "review")[1].split())
    assert advice in words
    [found] = as_json(capsys, "review")[1]["proposals"]
    assert found["paid"] == paid
    policy = in_hospital / "policy.yml"
    text = policy.read_text().replace("frozen: true ", "review: true\n    frozen: true ")
    policy.write_text(text)
    words = " ".join(call(capsys, "review")[1].split())
    assert "The policy requires approval: nothing is released from people without it." in words


def test_a_report_of_an_approved_proposal_says_for_what_by_whom_and_when(capsys, in_hospital):
    told = as_json(capsys, "release", BY_REGION, *SPENT, "--propose", "the yearly table")[1]
    call(capsys, "review", str(told["entry"]), "--approve", "--reviewer", "rita")
    assert call(capsys, "release", BY_REGION, *SPENT, "--report", "r.html")[0] == 0
    page = (in_hospital / "r.html").read_text()
    assert "the yearly table" in page
    assert told["time"][:10] in page


@pytest.mark.parametrize("plan", [("--dry-run",), ("--propose", "a table"), ("--within", "50")])
def test_what_releases_nothing_refuses_a_report_and_names_a_way_out(capsys, in_hospital, plan):
    asked = ("release", ONE, "--analyst", "ann")
    paid = () if plan[0] == "--within" else ("--epsilon", "1")
    code, _, err = call(capsys, *asked, *paid, *plan, "--report", "plan.html")
    assert code == 2
    assert "-o plan.html saves the plan" in err
    assert as_json(capsys, "review")[1]["proposals"] == []
    assert call(capsys, *asked, "--epsilon", "1", "--dry-run", "-o", "plan.html")[0] == 0
    assert "It would cost epsilon 1" in (in_hospital / "plan.html").read_text()


def test_a_report_is_verified_by_the_certificate_in_it(capsys, in_hospital):
    assert call(capsys, "release", ONE, *SPENT, "--report", "r.html")[0] == 0
    code, out, _ = call(capsys, "verify", "r.html")
    assert (code, "Everything that was checked is as it should be" in " ".join(out.split())) == (
        0,
        True,
    )
    (in_hospital / "x.html").write_text("<html></html>")
    code, _, err = call(capsys, "verify", "x.html")
    assert code == 2
    assert "this page holds no certificate that could be checked" in err


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<td>north</td>", "<td>coast</td>"),
        ("Asked of people: the number of rows, by region", "Asked of people: the number of men"),
        ("would get at most 74 right", "would get at most 51 right"),
    ],
)
def test_the_page_of_a_release_says_what_its_certificate_says(capsys, in_hospital, old, new):
    assert call(capsys, "release", BY_REGION, *SPENT, "--report", "r.html")[0] == 0
    page = (in_hospital / "r.html").read_text()
    assert call(capsys, "verify", "r.html")[0] == 0
    assert old in page
    for at in [i for i in range(len(page)) if page.startswith(old, i)]:
        (in_hospital / "r.html").write_text(page[:at] + new + page[at + len(old) :])
        told = call(capsys, "verify", "r.html")
        near = page[at - 250 : at]
        alone = "together" in near  # of all releases
        assert (told[0] == 1) != alone


def test_a_reviewer_reads_the_warnings_and_a_dry_run_files_nothing(capsys):
    code, _, err = call(capsys, "release", NROTH, *SPENT, "--propose", "a typo", "--dry-run")
    assert code == 2
    assert "leave out --dry-run" in err
    assert as_json(capsys, "review")[1]["proposals"] == []
    assert call(capsys, "release", NROTH, *SPENT, "--propose", "a typo")[0] == 0
    words = " ".join(call(capsys, "review")[1].split())
    assert "'Nroth' is not a declared key of region" in words


def test_an_export_is_shown_as_the_ledger_is(capsys):
    call(capsys, "release", BY_REGION, "--epsilon", "0.1", "--analyst", "ann")
    assert call(capsys, "ledger", "export", "policy.yml", "l.jsonl")[0] == 0
    shown = as_json(capsys, "ledger", "show", "l.jsonl")
    assert shown == as_json(capsys, "ledger", "show", "policy.yml")
    assert "entries after its last one" in call(capsys, "ledger", "show", "l.jsonl")[1]


def test_an_import_beside_the_source_says_what_to_change(capsys, in_hospital):
    (in_hospital / "new.csv").write_text("region,age,condition,income\nnorth,3,none,5\n")
    _, out, _ = call(capsys, "policy", "import", "new.csv", "--dataset", "people", "--header")
    words = " ".join(out.split())
    assert "The source of people in policy.yml is people.parquet, and stays so" in words
    assert "write source: new.parquet" in words
    assert "give people another version: in policy.yml" in words


def test_checks_read_the_policy_of_the_folder(capsys):
    assert call(capsys, "policy", "check", "--data")[1].startswith(
        "policy.yml: it can be used, with 1 "
    )
    call(capsys, "release", BY_REGION, "--epsilon", "0.1", "--analyst", "ann")
    assert call(capsys, "ledger", "verify")[1].startswith("The ledger holds")
    assert call(capsys, "ledger", "show")[0] == 0


ONE = "SELECT COUNT(*) FROM people"
REFUSED = [
    ((ONE, "--epsilon", "1,5"), "write a decimal with a point, such as 1.5"),
    ((ONE, "--epsilon", "1e400"), "epsilon is far too large to protect anybody"),
    ((ONE, "--epsilon", "inf"), "epsilon is far too large to protect anybody"),
    ((ONE, "--epsilon", "e^(e^(e^9))"), "give a smaller one"),
    ((ONE, "--rho", "1/8"), "ask with an epsilon; the owner may let the policy's budget say"),
    (("SELECT MIN(age) FROM people", "--epsilon", "1"), "QUANTILE(age, 0.01)"),
    (("SELECT MAX(age) FROM people", "--epsilon", "1"), "QUANTILE(age, 0.99)"),
    (
        ("SELECT SUM(LEAST(GREATEST(income, 5000), 0)) FROM people", "--epsilon", "1"),
        "the lower bound is above the upper one",
    ),
    (
        ("SELECT COUNT(*) FROM visits JOIN people ON patient = people.age", "--epsilon", "1"),
        "private tables are not joined",
    ),
    (
        (ONE, "--epsilon", "1", "--strategy", "s1"),
        "twoworlds strategy open s1 --policy policy.yml --dataset people --epsilon 1 --analyst ann",
    ),
]


@pytest.mark.parametrize(("asked", "words"), REFUSED)
def test_refusals_name_what_is_wrong_and_a_way_out(capsys, asked, words):
    code, _, err = call(capsys, "release", *asked, "--analyst", "ann")
    assert code == 2
    assert words in err
    assert spent(capsys) == "0"


def test_reviewers_and_analysts_are_told_which_option_is_missing(capsys):
    assert "--analyst ann" in call(capsys, "release", ONE, "--epsilon", "1")[2]
    wrong = ("review", "99", "--approve", "--reviewer", "rita")
    assert "nothing was proposed so far, release with --propose" in call(capsys, *wrong)[2]
    number = str(as_json(capsys, "release", ONE, *SPENT, "--propose", "why")[1]["entry"])
    assert f"the newest is {number}" in call(capsys, *wrong)[2]
    back = ("review", number, "--send-back", "--reviewer", "rita")
    assert "as in --remark" in call(capsys, *back)[2]


def test_one_condition_does_not_contradict_another(capsys):
    _, out, _ = call(
        capsys, "release", "SELECT COUNT(*) FROM people WHERE age IN (1.5)", *SPENT, "--dry-run"
    )
    assert "contradict each other" not in out


def test_without_a_key_over_the_threshold_the_answer_says_so(capsys):
    asked = "SELECT income, COUNT(*) FROM people WHERE age = 130 GROUP BY DISCOVER(income)"
    _, out, _ = call(capsys, "release", asked, *SPENT, "--delta", "1e-9")
    assert "No key reached the threshold of " in out


def test_proposing_again_for_another_purpose_says_which_one_stands(capsys):
    first = call(capsys, "release", ONE, *SPENT, "--propose", "a table")[1]
    again = call(capsys, "release", ONE, *SPENT, "--propose", "a map")[1]
    stands = "It was proposed before, for 'a table', and that purpose stands."
    assert (stands in " ".join(first.split()), stands in " ".join(again.split())) == (False, True)


def test_an_endless_constant_does_not_fill_the_screen(capsys):
    asked = "SELECT COUNT(*) FROM people WHERE age > 1e4000"
    _, out, _ = call(capsys, "release", asked, *SPENT, "--dry-run")
    assert "where age > 10000000... (4,001 digits)" in " ".join(out.split())
    assert "0" * 60 not in out.replace("\n", "")


def test_a_dry_run_is_written_as_a_table_of_errors(capsys, in_hospital):
    asked = "SELECT COUNT(*), AVG(age) FROM people"
    ann = ("--epsilon", "1/2", "--analyst", "ann", "--dry-run", "-o", "plan.csv")
    assert call(capsys, "release", asked, *ann)[0] == 0
    count, mean = csv.DictReader((in_hospital / "plan.csv").read_text().splitlines())
    assert (count["query"], count["name"], count["certainty"]) == ("1", "count", "95%")
    assert float(count["half_width"]) > 0
    assert (mean["name"], mean["size"]) == ("mean_age", "1000")


def test_of_a_table_that_is_written_the_first_rows_are_printed(capsys, in_hospital):
    asked = "SELECT region, age, COUNT(*) FROM people GROUP BY region, age"
    ann = ("--epsilon", "1/2", "--analyst", "ann")
    _, out, _ = call(capsys, "release", asked, *ann, "-o", "all.csv")
    rows = (in_hospital / "all.csv").read_text().splitlines()[1:]
    assert len(rows) > 20
    assert "These are the first 20 rows: all of them are in all.csv." in out
    assert len(call(capsys, "release", asked, *ann)[1]) > len(out)


def test_a_table_without_groups_repeats_no_value_in_a_narrow_window(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    asked = "SELECT COUNT(*), SUM(income), AVG(income), AVG(age) FROM people"
    _, out, _ = call(capsys, "release", asked, "--epsilon", "1/2", "--analyst", "ann")
    heads = [line.split()[0] for line in out.splitlines() if line.startswith("  count ")]
    assert len(heads) == 1


def test_a_column_that_the_file_has_in_another_type_is_said_before_it_is_paid(capsys, tmp_path):
    import duckdb

    duckdb.sql(f"COPY (SELECT 'x' AS a) TO '{tmp_path / 't.parquet'}'")
    (tmp_path / "policy.yml").write_text(
        "ledger: ledger.db\ndatasets:\n  t:\n    source: t.parquet\n    neighbours: add-remove\n"
        "    unit: row\n    columns: {a: {kind: integer, bounds: [0, 9]}}\n    budget: epsilon=1\n"
    )
    sql, policy = "SELECT COUNT(*) FROM t WHERE a > 3", str(tmp_path / "policy.yml")
    code, _, err = call(capsys, "release", sql, "--policy", policy, "--epsilon", "1/100")
    assert code == 0
    assert "declared integer, and its table has text" in " ".join(err.split())
    assert "Every value counts as missing." in " ".join(err.split())


def test_no_text_or_name_in_a_saved_table_begins_as_a_formula_does(in_hospital):
    formulas = ["=1+1", "+x", "@x", "-1+1", "-x", "\t=1", "\uff1d1"]
    columns = {
        "region": {"kind": "text", "keys": [*formulas, "north", "-5", "a=1"]},
        "age": {"kind": "integer", "bounds": [-9, 0]},
    }
    table = {"region": ["north"], "age": [-3]}
    with tw.Curator(table, budget=1, unit="row", columns=columns) as curator:
        found = curator.release(
            'SELECT region, SUM(age) AS "=s" FROM people GROUP BY region', epsilon=1
        )
    with found.save(in_hospital / "saved.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head[:2] == ["region", "'=s"]
    assert [row[0] for row in rows] == [*(f"'{one}" for one in formulas), "north", "-5", "a=1"]
    assert [int(row[1]) for row in rows] == [row["=s"] for row in found.rows()]


def test_a_link_to_a_policy_spends_from_the_same_ledger(capsys, in_hospital):
    (in_hospital / "elsewhere").mkdir()
    (in_hospital / "elsewhere" / "mine.yml").symlink_to(in_hospital / "policy.yml")
    spent = ("--epsilon", "1/2", "--analyst", "ann")
    assert call(capsys, "release", BY_REGION, *spent)[0] == 0
    _, again, _ = call(capsys, "release", BY_REGION, *spent, "--policy", "elsewhere/mine.yml")
    assert "This repeats a stored answer" in again
    assert [one.name for one in (in_hospital / "elsewhere").iterdir()] == ["mine.yml"]


class Full(io.StringIO):
    def write(self, _text):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("name", ["stdin", "stderr"])
def test_a_stream_that_is_closed_leaves_the_answer_alone(capsys, monkeypatch, name):
    monkeypatch.setattr(sys, name, None)
    asked = ("release", BY_REGION, "--epsilon", "3", "--analyst", "ann", "--json")
    code, out, err = call(capsys, *asked)
    assert (code, err.startswith("Warning: This takes 75%")) == (0, name == "stdin")
    assert len(json.loads(out)["answers"]) == 1


def test_where_no_warning_can_be_written_nothing_is_charged(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Full())
    for epsilon, code in (("3", 74), ("ten", 2)):
        assert (
            call(capsys, "release", BY_REGION, "--epsilon", epsilon, "--analyst", "ann")[0] == code
        )
        monkeypatch.setattr(sys, "stderr", Full())
    with tw.Curator.open("policy.yml") as curator:
        assert curator.ledger.spent("people").epsilon == 0
