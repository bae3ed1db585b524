"""The first things a person types: the program alone, help, a wrong name, a file for the answer."""

import csv
import json
import shlex
import subprocess
import sys

import pytest

from tests.cli.calling import call, data
from twoworlds.errors import InvalidInput
from twoworlds.questions import DOORS, FAMILIES, QUESTIONS
from twoworlds.release.examples import lay_out

COUNT = "SELECT region, COUNT(*) FROM people GROUP BY region"
BATCH = (COUNT, "SELECT AVG(age) FROM people")
PAID = ("--policy", "hospital/policy.yml", "--analyst", "ann", "--epsilon", "1/2")


def test_the_program_alone_shows_three_doors_with_a_command_each(capsys):
    code, out, err = call(capsys)
    assert (code, err) == (0, "")
    assert [*DOORS] == ["Release", "Review", "Learn"]
    for name, (line, example) in DOORS.items():
        assert f"{name:<9}{line}\n{'':<9}$ twoworlds {example}\n" in out
    assert "twoworlds help" in out
    assert "twoworlds serve" in out
    assert len(out.splitlines()) <= 20


@pytest.mark.parametrize("example", [example for _, example in DOORS.values()])
def test_the_command_of_every_door_answers(capsys, example):
    assert call(capsys, *shlex.split(example))[0] == 0


def test_help_lists_every_command_in_four_groups(capsys):
    code, out, _ = call(capsys, "--help")
    assert code == 0
    heads = [line.rstrip(":") for line in out.splitlines() if line and line[0] != " "][2:]
    assert heads == ["Release", "Review", "Attack", "Learn"]
    first = {name.partition(" ")[0] for name in QUESTIONS}
    assert all(f"\n  {name} " in out for name in first)
    assert {one.group for one in QUESTIONS.values()} == {*heads}
    grouped = {name.partition(" ")[0]: one.group for name, one in QUESTIONS.items()}
    assert all(grouped[name.partition(" ")[0]] == one.group for name, one in QUESTIONS.items())


@pytest.mark.parametrize("name", ["measure", "noiseless sum", "attack"])
def test_help_is_the_same_however_it_is_asked_for(capsys, name):
    said = [
        call(capsys, *words)
        for words in ([*name.split(), "--help"], [*name.split(), "-h"], ["help", *name.split()])
    ]
    assert said[0] == said[1] == said[2]
    assert said[0][0] == 0
    assert said[0][1].startswith(f"Usage: twoworlds {name} ")
    assert call(capsys, "help")[1] == call(capsys, "-h")[1]


@pytest.mark.parametrize("name", ["measure", "release", "attack linkage"])
def test_the_help_of_a_command_ends_with_its_examples(capsys, name):
    _, out, _ = call(capsys, "help", *name.split())
    typed = QUESTIONS[name].typed()
    assert [line.strip() for line in out.rstrip().splitlines()][-len(typed) :] == typed


def test_lines_of_help_are_short_sentences():
    for line in [*FAMILIES.values(), *(one.line for one in QUESTIONS.values())]:
        assert line[0].isupper(), line
        assert line.endswith((".", "?")), line
        assert len(line) <= 90, line


@pytest.mark.parametrize(
    ("typed", "place", "offered"),
    [("twoworlds me", 1, {"measure", "member"}), ("twoworlds attack li", 2, {"linkage"})],
)
def test_a_shell_completes_commands(typed, place, offered):
    environment = {"_TWOWORLDS_COMPLETE": "complete_bash", "COMP_WORDS": typed}
    environment |= {"COMP_CWORD": str(place), "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-m", "twoworlds"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert {*done.stdout.split()} == offered


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["measrue"], "unknown command 'measrue': did you mean 'measure'?"),
        (["attack", "lnkage"], "unknown command of attack 'lnkage': did you mean 'linkage'?"),
        (["attacks"], "did you mean 'attack'?"),
        (["list", "attacks"], "twoworlds attack --help"),
        (["noise"], "did you mean 'calibrate'?"),
        (["list", "noise"], "did you mean 'mechanisms'?"),
        (["k-anonymity"], "did you mean 'anonymity'?"),
        (["measure", "k-anonymity"], "twoworlds anonymity"),
        (["rdp"], "rdp is a definition, for commands such as check: rdp("),
        (["laplace"], "laplace is a mechanism, for commands such as measure: laplace("),
        (["measure", "exponential(epsilon=1)"], "twoworlds design"),
        (["measure", "subsample(laplace)"], "did you mean 'poisson-sample'?"),
        (["subsample"], "'poisson-sample(laplace(epsilon=1), rate=1/100)'"),
        (["measure", "dp-sgd"], "twoworlds measure 'poisson-sample(gaussian(sigma=1)"),
        (["measure", "histogram"], "GROUP BY"),
        (["measure", "laplacian(1)"], "did you mean 'laplace'?"),
        (["measure", "gauss(1)"], "did you mean 'gaussian'?"),
        (["calibrate", "normal", "--epsilon", "1"], "did you mean 'gaussian'?"),
    ],
)
def test_an_unknown_name_is_answered_by_what_it_means(capsys, words, said):
    code, out, err = call(capsys, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_somebody_s_columns_get_no_advice_about_commands():
    from twoworlds.errors import UnknownName

    assert str(UnknownName("column", "noise", ["height"])) == (
        "unknown column 'noise': known: height"
    )


# --- answers into files -------------------------------------------------------------------------


@pytest.fixture
def hospital(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lay_out(tmp_path / "hospital")
    return tmp_path


def spent(capsys) -> str:
    found = data(capsys, "budget", "--policy", "hospital/policy.yml", "--dataset", "people")
    return found["datasets"][0]["spent"]["epsilon"]["exact"]


def test_a_release_is_written_in_every_format_alike(capsys, hospital):
    import duckdb

    for name in ("a.csv", "a.parquet", "a.json", "a.html"):
        code, out, err = call(capsys, "release", COUNT, *PAID, "-o", name)
        assert (code, err) == (0, "")
        assert out.endswith(f"wrote {name}\n")
    rows = [*csv.DictReader((hospital / "a.csv").read_text(encoding="utf-8").splitlines())]
    stored = json.loads((hospital / "a.json").read_text())["answers"][0]["rows"]
    values = [int(row["values"]["count"]["value"]["exact"]) for row in stored]
    assert [int(row["count"]) for row in rows] == values
    typed = duckdb.sql("SELECT region, count FROM 'a.parquet'")
    assert [str(kind) for kind in typed.types] == ["VARCHAR", "BIGINT"]
    assert [row[1] for row in typed.fetchall()] == values
    assert "north" in (hospital / "a.html").read_text()
    assert spent(capsys) == "1/2"  # the same question again is free


def test_several_queries_are_one_table_with_their_numbers(capsys, hospital):
    assert call(capsys, "release", *BATCH, *PAID, "-o", "both.csv")[0] == 0
    head, *rows = (hospital / "both.csv").read_text().splitlines()
    assert head.startswith("query,region,count,")
    assert [row.partition(",")[0] for row in rows] == ["1"] * 7 + ["2"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("there.csv", "is there already"),
        ("hospital/policy.yml", "an answer is written as .csv, .parquet, .json, .html"),
        ("answer.txt", "an answer is written as"),
        ("nowhere/a.csv", "there is no folder nowhere"),
        ("certificate.json", "is named twice"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_charge(capsys, hospital, name, said):
    (hospital / "there.csv").write_text("mine")
    more = ("--certificate", "certificate.json")
    code, out, err = call(capsys, "release", COUNT, *PAID, *more, "-o", name)
    assert (code, out) == (2, "")
    assert said in err
    assert spent(capsys) == "0"
    assert (hospital / "there.csv").read_text() == "mine"


def test_an_answer_without_a_table_is_written_as_its_facts(capsys, tmp_path):
    place = tmp_path / "m.csv"
    code, _, err = call(capsys, "measure", "laplace(epsilon=1)", "-o", str(place))
    assert (code, err) == (0, "")
    names = [row["name"] for row in csv.DictReader(place.read_text().splitlines())]
    assert names[:3] == ["subject", "claim", "answer"]
    assert "epsilon" in names
    path = tmp_path / "m.json"
    found = data(capsys, "measure", "laplace(epsilon=1)", "-o", str(path))
    assert found.pop("out") == str(path)
    assert json.loads(path.read_text()) == found


def test_a_proposal_is_written_once_it_is_filed(capsys, hospital):
    arguments = ("release", COUNT, *PAID, "--propose", "the yearly table", "-o", "x.csv")
    code, _, err = call(capsys, *arguments)
    assert (code, err) == (0, "")
    assert "waits for a reviewer" in (hospital / "x.csv").read_text()


def test_an_observed_output_and_a_file_have_different_options(capsys, tmp_path):
    path = tmp_path / "beliefs.csv"
    asked = ("posterior", "randomized-response(bits=1, keep=3/4)", "--belief", "uniform")
    assert call(capsys, *asked, "--output", "1", "-o", str(path))[0] == 0
    assert path.read_text().splitlines()[1:] == [
        "1,1/2 (0.5),3/4 (0.75),1/2 (0.5)",
        "0,1/2 (0.5),1/4 (0.25),1/2 (0.5)",
    ]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("measure laplace", "laplace takes exactly one of scale, epsilon, ratio and rate: write"),
        ("measure 'laplace(epsilon=1,000)'", "a number has no commas"),
        ("measure 'laplace(epsilom=1)'", "did you mean 'epsilon'? (usage: laplace("),
        ("measure bare.csv", "bare.csv: database '0.5' is named twice: the first line"),
        ("calibrate laplace", "such as --epsilon 1; --delta goes with the first two"),
        ("show 'geometric(ratio=2)' -o bare.csv/x.csv", "bare.csv is a file, not a folder"),
        ("account remove ann --policy hospital/policy.yml", "unknown account 'ann': there is none"),
        ("calibrate laplace --epsilon 1 --picture x.svg", "No such option: --picture"),
    ],
)
def test_a_mistake_is_answered_with_the_way_out(capsys, hospital, typed, said):
    (hospital / "bare.csv").write_text("0.5,0.5\n0.4,0.5\n")
    code, out, err = call(capsys, *shlex.split(typed))
    assert (code, out) == (2, "")
    assert said in " ".join(err.split())


@pytest.mark.parametrize("law", ["laplace", "gaussian", "geometric", "discrete-gaussian"])
def test_the_way_out_for_noise_without_an_amount_works(capsys, law):
    err = call(capsys, "measure", law)[2]
    written = err.strip().rpartition(": write ")[2]
    assert call(capsys, "measure", f"{law}({written})")[0] == 0


def test_an_answer_that_cannot_be_saved_names_its_file_once(capsys, tmp_path, monkeypatch):
    path = tmp_path / "a.csv"

    def full(_self, path):
        raise InvalidInput(f"{path} cannot be written: No space left on device")

    monkeypatch.setattr("twoworlds.show.result.Result.save", full)
    code, out, err = call(capsys, "measure", "laplace(epsilon=1)", "-o", str(path))
    assert code == 2
    assert out
    assert err.count(str(path)) == 1
