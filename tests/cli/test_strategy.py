"""Strategies on the command line: paid once, asked in separate calls, kept by the ledger."""

import os
import signal
import subprocess
import sys

import pytest

from tests.cli.calling import call, data
from twoworlds.release import Curator
from twoworlds.release.examples import lay_out

YOUNG = "SELECT COUNT(*) FROM people WHERE age < 40"
OLD = "SELECT COUNT(*) FROM people WHERE age >= 40"
ALL = "SELECT COUNT(*) FROM people"
ANN = ("--analyst", "ann")
OPEN = ("strategy", "open", "ages", "--dataset", "people", "--epsilon", "1", *ANN)


@pytest.fixture(autouse=True)
def in_hospital(tmp_path, monkeypatch):
    """Every command runs in the folder of the made-up hospital, with nothing spent."""
    lay_out(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "may.sql").write_text(f"{YOUNG}; -- first; the young\n{OLD};\n")
    return tmp_path


def ask(query, epsilon="1", name="ages"):
    return ("release", query, "--strategy", name, "--epsilon", epsilon, *ANN)


def spent():
    with Curator.open("policy.yml") as curator:
        return curator.ledger.spent("people").epsilon


def exact(number):
    return number["exact"]


def test_a_strategy_is_paid_once_and_asked_in_separate_calls(capsys):
    told = data(capsys, *OPEN)
    assert (told["charged"], told["questions"], spent()) == (True, 0, 1)
    first = data(capsys, *ask(YOUNG))
    second = data(capsys, *ask(OLD))
    assert second["strategy"]["questions"] == 2
    assert exact(second["strategy"]["together"]) == "1"
    assert exact(second["strategy"]["one_by_one"]) == "2"
    again = data(capsys, *ask(YOUNG))
    assert again["answers"][0]["rows"] == first["answers"][0]["rows"]
    assert again["strategy"]["questions"] == 2
    assert data(capsys, *OPEN)["charged"] is False
    assert spent() == 1


def test_a_question_that_does_not_fit_is_refused_and_charges_nothing(capsys):
    call(capsys, *OPEN)
    call(capsys, *ask(YOUNG))
    for more in ((), ("--dry-run",), ("--dry-run", "--json")):
        code, out, err = call(capsys, *ask(ALL, "1/2"), *more)
        assert (code, out) == (2, "")
        assert "would cost epsilon 1.5" in err
    code, out, _ = call(capsys, *ask(OLD), "--dry-run")
    words = " ".join(out.split())
    assert "costs epsilon 1; one by one its questions would cost 2" in words
    assert "the question fits" in words
    assert "The strategy covers this" in words
    assert "paid for before" not in words
    told = data(capsys, *ask(OLD), "--dry-run")
    assert (told["covered"], exact(told["price"]["epsilon"])) == ("next question", "0")
    with_question = told["strategy"]["with_question"]
    assert (exact(with_question["together"]), exact(with_question["one_by_one"])) == ("1", "2")
    assert data(capsys, "strategy", "show", "ages", "--dataset", "people", *ANN)["questions"] == 1


def test_a_dry_run_and_an_answer_speak_of_the_price_of_the_strategy(capsys):
    call(capsys, *OPEN)
    for more in (("--dry-run",), ()):
        words = " ".join(call(capsys, *ask(YOUNG, "1/2"), *more)[1].split())
        assert "All questions of the strategy together cost at most epsilon 1: of 100" in words
        assert "would get at most 74 right" in words
        assert "This question alone costs epsilon 0.5." in words
    told = data(capsys, *ask(YOUNG, "1/2"), "--dry-run")
    assert told["meaning"] == data(capsys, *ask(YOUNG, "1/2"))["answers"][0]["meaning"]


def test_a_strategy_that_is_used_up_names_ways_out_that_work(capsys, in_hospital):
    policy = in_hospital / "policy.yml"
    frozen = policy.read_text()
    policy.write_text(frozen.replace("frozen: true", "frozen: false"))
    assert policy.read_text() != frozen
    call(capsys, *OPEN)
    assert call(capsys, *ask(YOUNG, "1/2"))[0] == 0
    assert "ask with a smaller epsilon, open another" in call(capsys, *ask(OLD))[2]
    assert call(capsys, *ask(YOUNG, "1/2"))[0] == 0
    assert call(capsys, *ask(ALL, "1/2"))[0] == 0
    code, _, err = call(capsys, *ask(OLD, "1/4"))
    assert (code, "smaller" in err) == (2, False)
    assert "open another strategy, or let the policy say frozen: true" in err
    policy.write_text(frozen)
    assert call(capsys, *ask(OLD, "1/2"))[0] == 0


def test_a_dry_run_of_a_question_that_was_asked_says_so(capsys):
    call(capsys, *OPEN)
    call(capsys, *ask(YOUNG))
    told = data(capsys, *ask(YOUNG), "--dry-run")
    assert (told["covered"], exact(told["price"]["epsilon"])) == ("asked before", "0")
    assert exact(told["strategy"]["with_question"]["one_by_one"]) == "1"
    code, out, _ = call(capsys, *ask(YOUNG), "--dry-run")
    words = " ".join(out.split())
    assert code == 0
    assert "This was asked before: the stored answer costs nothing more." in words
    assert "1 question for epsilon 1: the cost so far is 1" in words
    assert "With this question" not in words


def test_a_list_of_questions_is_priced_together_beside_the_sum(capsys):
    listed = ("strategy", "open", "list", "--may-ask", "may.sql", "--each", "1/2", *ANN)
    told = data(capsys, *listed, "--dry-run")
    assert exact(told["may_ask"]["together"]) == exact(told["cost"]["epsilon"]) == "1/2"
    assert exact(told["may_ask"]["one_by_one"]) == "1"
    assert spent() == 0
    _, out, _ = call(capsys, *listed, "--dry-run")
    words = " ".join(out.split())
    assert "Together these questions cost epsilon 0.5" in words
    assert "one by one they would cost 1" in words
    assert "Nothing was charged" in words
    assert call(capsys, *listed)[0] == 0
    assert spent() == 0.5
    assert "paid for before" in call(capsys, *listed, "--dry-run")[1]
    for query in (YOUNG, OLD):
        assert call(capsys, *ask(query, "1/2", "list"))[0] == 0
    assert spent() == 0.5


def test_the_words_of_an_answer_and_of_a_strategy(capsys, in_hospital):
    _, out, _ = call(capsys, *OPEN)
    assert (
        "release QUERY --policy policy.yml --strategy ages --epsilon EPSILON --analyst ann"
        in " ".join(out.split())
    )
    code, out, _ = call(capsys, *ask(YOUNG), "--report", "r.html")
    words = " ".join(out.split())
    assert code == 0
    assert "Covered by a strategy that cost epsilon 1" in words
    assert "1 question for epsilon 1" in words
    assert (in_hospital / "r.html").exists()
    _, out, _ = call(capsys, "strategy", "show", "ages", "--dataset", "people", *ANN)
    assert out.rstrip().endswith("1. Asked of people: the number of rows, where age < 40.")


def test_python_goes_on_where_the_command_line_stopped(capsys):
    call(capsys, *OPEN)
    call(capsys, *ask(YOUNG))
    with Curator.open("policy.yml") as curator:
        strategy = curator.strategy("people", "1", name="ages", analyst="ann").resume()
        assert (strategy.joint, strategy.naive, len(strategy.questions)) == (1, 1, 1)
        strategy.ask(OLD, "1")
    assert data(capsys, "strategy", "show", "ages", "--dataset", "people", *ANN)["questions"] == 2


KILLED = """
import sys, time
from twoworlds.release.curator import Curator
def wait(self, *arguments):
    print("charged", flush=True)
    time.sleep(60)
Curator._compute = wait
from twoworlds.cli import run
run(sys.argv[1:])
"""


def test_a_question_that_was_killed_after_its_charge_is_answered_by_the_next_call(capsys):
    call(capsys, *OPEN)
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, *ask(YOUNG)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "charged\n"
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    code, _, err = call(capsys, *ask(ALL))  # the lost question counts as asked
    assert code == 2
    assert "would cost epsilon 2" in err
    first = data(capsys, *ask(YOUNG))
    assert first["strategy"]["questions"] == 1
    assert data(capsys, *ask(YOUNG))["answers"] == first["answers"]
    assert spent() == 1


def test_a_policy_that_changed_stops_a_strategy(capsys, in_hospital):
    call(capsys, *OPEN)
    income = "SELECT SUM(income) FROM people WHERE age < 40"
    assert call(capsys, *ask(income, "1/2"))[0] == 0
    policy = in_hospital / "policy.yml"
    text = policy.read_text()
    policy.write_text(text.replace("bounds: [0, 100000]", "bounds: [0, 200000]"))
    code, _, err = call(capsys, *ask(OLD, "1/2"))
    assert code == 2
    assert "the policy has changed since question 1" in err
    policy.write_text(text.replace('version: "2026"', 'version: "2027"'))
    code, _, err = call(capsys, *ask(OLD, "1/2"))
    assert code == 2
    assert "opened for version '2026'" in err


LISTED = ("strategy", "open", "s", "--may-ask", "may.sql")
BAD = [
    (("strategy", "open", "s", *ANN), "--epsilon 1"),
    (("strategy", "open", "s", "--epsilon", "1", *ANN), "people or visits"),
    (("strategy", "open", "s", "--epsilon", "1", "--dataset", "people"), "ann or bob"),
    (("strategy", "open", "s", "--epsilon", "1", "--dataset", "peple", *ANN), "people"),
    (("strategy", "open", "s", "--epsilon", "0", "--dataset", "people", *ANN), "above 0"),
    (("strategy", "open", "s", "--epsilon", "99", "--dataset", "people", *ANN), "cap"),
    (("strategy", "open", "s", "--epsilon", "x", "--dataset", "people", *ANN), "x"),
    (("strategy", "open", "", "--epsilon", "1", "--dataset", "people", *ANN), "0 characters"),
    (("strategy", "open", "s", "--may-ask", "may.sql", *ANN), "go together"),
    (("strategy", "open", "s", "--each", "1", *ANN), "go together"),
    (("strategy", "open", "s", "--may-ask", "none.sql", "--each", "1", *ANN), "none.sql"),
    (("strategy", "open", "s", "--may-ask", "empty.sql", "--each", "1", *ANN), "no question"),
    (("strategy", "open", "s", "--may-ask", "odd.sql", "--each", "1", *ANN), "quote"),
    (("strategy", "open", "s", "--may-ask", "bytes.sql", "--each", "1", *ANN), "UTF-8"),
    (("strategy", "open", "s", "--may-ask", "two.sql", "--each", "1", *ANN), "asks 'people'"),
    (
        (*LISTED, "--each", "1", "--epsilon", "1/2", *ANN),
        "cost epsilon 1 together",
    ),
    (("strategy", "show", "s", "--dataset", "people", *ANN), "open it first"),
    (("strategy", "show", "s", "--policy", "none.yml"), "none.yml"),
    (ask(YOUNG, name="nobody"), "open it first"),
    ((*ask(YOUNG), OLD), "one query"),
    ((*ask(YOUNG), "--certificate", "c.json"), "--certificate"),
    ((*ask(YOUNG), "--delta", "1e-6"), "--delta"),
    (("release", YOUNG, "--strategy", "ages", *ANN), "--epsilon"),
    (("release", YOUNG, "--strategy", "ages", "--within", "9", *ANN), "--within"),
    (ask("SELECT COUNT(*) FROM people GROUP BY DISCOVER(region)"), "declare them"),
]


def test_bad_input_is_said_in_a_line_with_the_way_out(capsys, in_hospital):
    call(capsys, *OPEN)
    (in_hospital / "empty.sql").write_text(" ;; -- nothing\n")
    (in_hospital / "odd.sql").write_text("SELECT 'a")
    (in_hospital / "bytes.sql").write_bytes(b"\xff\xfe")
    (in_hospital / "two.sql").write_text(f"{YOUNG}; SELECT COUNT(*) FROM visits")
    for arguments, part in BAD:
        code, out, err = call(capsys, *arguments)
        assert code == 2, (arguments, out)
        assert part in err, arguments
        assert "Traceback" not in err
        assert err.count("\n") <= 2
    assert spent() == 1


def test_a_name_is_one_strategy(capsys):
    call(capsys, *OPEN)
    code, _, err = call(capsys, *OPEN[:-4], "--epsilon", "2", *ANN)
    assert code == 2
    assert "was paid with epsilon 1, not epsilon 2" in err


def test_opening_a_strategy_warns_and_asks_as_a_release_does(capsys, monkeypatch):
    whole = ("strategy", "open", "all", "--dataset", "people", "--epsilon", "4", *ANN)
    _, out, _ = call(capsys, *whole, "--dry-run")
    assert "Warning: This takes all of what is left to ann" in " ".join(out.split())
    assert "Left before: " in " ".join(out.split())
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.confirm", lambda *_, **__: False)
    code, _, err = call(capsys, *whole)
    assert code == 130
    assert "nothing was charged" in err
    code, out, err = call(capsys, *whole, "--yes")
    assert code == 0
    assert "Warning: This takes all of what is left to ann" in err
    assert "Left: " in " ".join(out.split())
    assert call(capsys, *whole)[2] == ""  # it is open already


def test_opening_a_strategy_says_the_command_that_asks_it(capsys, in_hospital):
    (in_hospital / "policy.yml").rename(in_hospital / "own.yml")
    own = ("--policy", "own.yml")
    _, out, _ = call(
        capsys, "strategy", "open", "s2", *own, "--may-ask", "may.sql", "--each", "1/4", *ANN
    )
    words = " ".join(out.split())
    typed = "twoworlds release QUERY --policy own.yml --strategy s2 --epsilon 1/4 --analyst ann"
    assert f"ask with {typed}." in words
    assert "The list sets the price only" in words
    arguments = [ALL if word == "QUERY" else word for word in typed.split()[1:]]
    assert call(capsys, *arguments)[0] == 0  # not in the list, and it fits
    _, _, err = call(capsys, "strategy", "show", "nope", *own, "--dataset", "people", *ANN)
    command = err.partition("as in twoworlds ")[2].split()
    assert call(capsys, *command)[0] == 0
