"""Failures 12, 13, 14 and 17: a ledger that forgets, analysts who pretend, questions repeated."""

import shutil
import subprocess
import sys
from fractions import Fraction

import pytest

from tests.release.failures.worlds import (
    duckdb_file,
    opened,
    parquet,
    policy_text,
    sqlite_file,
    table,
)
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.release import Curator, OverBudget, Query, column
from twoworlds.release.costs import Cost
from twoworlds.release.ledger import LedgerDamaged, show

ROWS = [("abc"[i % 3], float(i)) for i in range(60)]
COUNT = "SELECT COUNT(*) FROM people"


def asks(number):
    return f"SELECT COUNT(*) FROM people WHERE x < {number}"


# --- 12: a ledger that goes back in time --------------------------------------------------------


@pytest.fixture
def policy(tmp_path):
    """A policy of which half of the budget is spent, with a copy of the ledger from before."""
    parquet(tmp_path / "people.parquet", ROWS)
    path = tmp_path / "policy.yml"
    path.write_text(policy_text(source="people.parquet", budget="epsilon=1"))
    Curator.open(path).close()
    with Curator.open(path) as curator:
        curator.release(asks(1), "1/4")
    keep(tmp_path, "older")
    with Curator.open(path) as curator:
        curator.release(asks(2), "1/4")
    keep(tmp_path, "newest")
    return path


LEDGER = ("ledger.db", "ledger.db-wal", "ledger.db-shm")


def keep(folder, name):
    (folder / name).mkdir()
    for each in folder.glob("ledger.db*"):
        shutil.copy(each, folder / name)


def put_back(folder, name, files=LEDGER):
    for each in files:
        (folder / each).unlink(missing_ok=True)
        if (folder / name / each).exists():
            shutil.copy(folder / name / each, folder / each)


def deleted(folder):
    for each in LEDGER:
        (folder / each).unlink(missing_ok=True)


def rolled_back(folder):
    put_back(folder, "older")


def emptied(folder):
    deleted(folder)
    (folder / "ledger.db").write_bytes(b"")


def begun_elsewhere(folder):
    deleted(folder)
    other = folder / "other"
    other.mkdir()
    (other / "policy.yml").write_text((folder / "policy.yml").read_text())
    parquet(other / "people.parquet", ROWS)
    with Curator.open(other / "policy.yml") as curator:
        for number in range(5):
            curator.release(asks(number), "1/100")
    put_back(folder, "other")


def mark_deleted(folder):
    (folder / "ledger.db.mark").unlink()


def mark_emptied(folder):
    (folder / "ledger.db.mark").write_bytes(b"")


def cut_short(folder):
    content = (folder / "ledger.db").read_bytes()
    (folder / "ledger.db").write_bytes(content[: len(content) // 2])


CHANGES = [
    deleted,
    rolled_back,
    emptied,
    begun_elsewhere,
    mark_deleted,
    mark_emptied,
    cut_short,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_failure_12_a_ledger_that_forgets_answers_nothing(policy, change):
    change(policy.parent)
    for _ in range(2):  # and does not mend itself on the way
        with pytest.raises((LedgerDamaged, InvalidInput)) as caught:
            Curator.open(policy)
    assert (
        "restore" in str(caught.value)
        or "mark" in str(caught.value)
        or "not a ledger" in str(caught.value)
    )
    put_back(policy.parent, "newest", (*LEDGER, "ledger.db.mark"))
    with Curator.open(policy) as curator:
        assert curator.ledger.spent("people").epsilon == Fraction(1, 2)
        assert curator.release(asks(2), "1/4").context.paid == Cost()


@pytest.mark.parametrize("change", [deleted, rolled_back, mark_deleted])
def test_failure_12_a_ledger_that_forgets_while_it_is_open_answers_nothing(policy, change):
    with Curator.open(policy) as curator:
        change(policy.parent)
        with pytest.raises(LedgerDamaged):
            curator.release(asks(3), "1/4")


def test_failure_12_the_command_line_says_what_to_do(policy):
    rolled_back(policy.parent)
    done = subprocess.run(
        [
            *[sys.executable, "-m", "twoworlds", "release", COUNT],
            *["--policy", str(policy), "--epsilon", "1/4"],
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "went back in time" in done.stderr
    assert done.stderr.count("\n") == 1


# --- 13: forged identity, collusion -------------------------------------------------------------

ANALYSTS = "{ann: epsilon=1, bob: epsilon=1, eve: epsilon=1}"


@pytest.mark.parametrize(
    "name",
    ["mallory", "Ann", "ann ", " ann", "ann\0", "ann\n", "", "curator", "аnn", "*", "ann;bob"],
)
def test_failure_13_who_is_not_declared_is_refused(tmp_path, name):
    """The fourth last begins with a Cyrillic letter."""
    with opened(tmp_path, table(ROWS), analysts=ANALYSTS, budget="epsilon=2") as curator:
        for ask in (curator.release, curator.plan):
            with pytest.raises(UnknownName):
                ask(COUNT, "1/10", analyst=name)
        with pytest.raises(UnknownName):
            curator.strategy("people", "1/10", analyst=name)
        with pytest.raises(InvalidInput, match="say who asks"):
            curator.release(COUNT, "1/10")
        assert curator.ledger.spent("people").epsilon == 0


def test_failure_13_all_analysts_together_stay_within_the_budget_of_the_dataset(tmp_path):
    with opened(tmp_path, table(ROWS), analysts=ANALYSTS, budget="epsilon=2") as curator:
        answered = 0
        for number in range(12):
            for analyst in ("ann", "bob", "eve"):
                try:
                    curator.release(f"{asks(number)} AND k = '{analyst}'", "1/5", analyst=analyst)
                    answered += 1
                except OverBudget:
                    continue
        assert answered == 10
        assert curator.ledger.spent("people").epsilon == 2
        assert all(curator.ledger.spent("people", a).epsilon <= 1 for a in ("ann", "bob", "eve"))
        with pytest.raises(OverBudget):
            curator.strategy("people", "1/1000", analyst="eve")


def test_failure_13_an_analyst_who_is_taken_out_of_the_policy_can_ask_no_more(tmp_path):
    data = table(ROWS)
    with opened(tmp_path, data, analysts=ANALYSTS, budget="epsilon=2") as curator:
        first = curator.release(COUNT, "1/5", analyst="eve").rows()
    fewer = "{ann: epsilon=1, bob: epsilon=1}"
    with opened(tmp_path, data, analysts=fewer, budget="epsilon=2") as curator:
        for sql in (COUNT, asks(1)):
            with pytest.raises(UnknownName):
                curator.release(sql, "1/5", analyst="eve")
        assert curator.release(COUNT, "1/5", analyst="ann").rows() == first
        assert curator.ledger.spent("people").epsilon == Fraction(1, 5)


# --- 14: averaging ------------------------------------------------------------------------------

SPELLINGS = [
    "SELECT k, SUM(x) FROM people WHERE x >= 5 GROUP BY k",
    "select  k , sum( x ) from people where (x >= 5) group by k ;",
    'SELECT "k", SUM("x") FROM "people" WHERE "x" >= 5.0 GROUP BY "k"',
    "SELECT k, SUM(x) -- again\nFROM people WHERE 5 <= x /* and again */ GROUP BY k",
    "SELECT people.k, SUM(people.x) FROM people WHERE people.x >= 5e0 GROUP BY people.k",
    "SELECT k, SUM(x) FROM people WHERE x >= 5 GROUP BY 1",
]


def test_failure_14_the_same_question_has_one_answer_however_it_is_spelled(tmp_path):
    with opened(tmp_path, table(ROWS), analysts=ANALYSTS, budget="epsilon=2") as curator:
        built = Query("people").where(column("x") >= 5).by("k").sum("x")
        found = [curator.release(sql, "1/10", analyst="ann") for sql in (*SPELLINGS, built)]
        found += [curator.release(built, cost, analyst="ann") for cost in ("0.1", "0.10", 0.1)]
        found += [curator.release(sql, "1/10", analyst="bob") for sql in SPELLINGS[:2]]
        assert all(answer.rows() == found[0].rows() for answer in found)
        assert curator.ledger.spent("people").epsilon == Fraction(1, 10)
    with opened(tmp_path, table(ROWS), analysts=ANALYSTS, budget="epsilon=2") as curator:
        assert curator.release(SPELLINGS[3], "1/10", analyst="ann").rows() == found[0].rows()
        assert curator.ledger.spent("people").epsilon == Fraction(1, 10)


OTHERS = [
    ["SELECT k, SUM(x) AS another FROM people WHERE x >= 5 GROUP BY k"],
    ["SELECT k, SUM(x) FROM people WHERE x >= 5 AND x >= 5 GROUP BY k"],
    ["SELECT k, SUM(x) FROM people WHERE x >= 5 OR x > 1000 GROUP BY k"],
    ["SELECT k, SUM(x), COUNT(*) FROM people WHERE x >= 5 GROUP BY k"],
    [SPELLINGS[0], COUNT],
    [COUNT, SPELLINGS[0]],
    [SPELLINGS[0], SPELLINGS[0]],
]


@pytest.mark.few(3)
@pytest.mark.parametrize("batch", OTHERS)
def test_failure_14_whoever_gets_other_noise_has_paid_for_it(tmp_path, batch):
    """A question with the same truth in another form: the same answer, or one that is charged."""
    with opened(tmp_path, table(ROWS), budget="epsilon=2") as curator:
        first = curator.release(SPELLINGS[0], "1/10")
        before = curator.ledger.spent("people").epsilon
        released = curator.release_all(batch, "1/10")
        paid = curator.ledger.spent("people").epsilon - before
        stored = {str(part["values"]) for part in released.stored["answers"]}
        mine = str([[row[i] for row in first.values] for i in range(len(first.values[0]))])
        assert paid == Fraction(1, 10) or stored == {mine}


# --- the same data under another name ------------------------------------------------------------


def linked(folder):
    (folder / "link.parquet").symlink_to(folder / "data" / "p.parquet")
    return "link.parquet"


PLACES = {
    "file": lambda folder: parquet(folder / "data" / "p.parquet", ROWS),
    "folder": lambda folder: str(folder / "data"),
    "link": linked,
}
TABLES = {"sqlite": sqlite_file, "duckdb": duckdb_file}


@pytest.mark.parametrize("other", PLACES)
def test_another_name_of_the_same_files_has_no_budget_of_its_own(tmp_path, other):
    with opened(tmp_path, PLACES["file"](tmp_path)) as curator:
        curator.release(COUNT, "1")
    with opened(tmp_path, PLACES[other](tmp_path), name="folk") as curator:
        check_refused(curator)


@pytest.mark.parametrize("engine", TABLES)
def test_another_name_of_the_same_table_has_no_budget_of_its_own(tmp_path, engine):
    source = TABLES[engine](tmp_path / "people.db", ROWS)
    with opened(tmp_path, source) as curator:
        curator.release(COUNT, "1")
    with opened(tmp_path, {**source, "table": "PEOPLE"}, name="folk") as curator:
        check_refused(curator)
    other = TABLES[engine](tmp_path / "people.db", ROWS, called="others")
    with opened(tmp_path, other, name="others") as curator:  # of the same file
        curator.release("SELECT COUNT(*) FROM others", "1")


def test_the_questions_of_a_strategy_are_remembered_by_their_place(tmp_path):
    source = parquet(tmp_path / "p.parquet", ROWS)
    with opened(tmp_path, source) as curator:
        curator.strategy("people", "1").ask(COUNT, "1/2")
    with opened(tmp_path, source, name="folk") as curator:
        check_refused(curator)


def check_refused(curator):
    asked = "SELECT COUNT(*) FROM folk"
    for ask in (
        lambda: curator.release(asked, "1"),
        lambda: curator.plan(asked, "1"),
        lambda: curator.propose(asked, "1", purpose="a table"),
        lambda: curator.strategy("folk", "1"),
    ):
        with pytest.raises(InvalidInput, match="call it 'people' again"):
            ask()
    assert curator.ledger.spent("folk") == Cost()


def test_other_data_of_one_name_share_its_account_and_repeat_no_answer(tmp_path):
    for name in ("one", "two"):
        with opened(tmp_path, sqlite_file(tmp_path / f"{name}.db", ROWS)) as curator:
            answer = curator.release(COUNT, "1")
            assert answer.context.paid == Cost(Fraction(1))
            assert curator.ledger.spent("people") == Cost(Fraction(1 + (name == "two")))


def test_data_of_which_nothing_was_paid_for_may_have_another_name(tmp_path):
    source = parquet(tmp_path / "p.parquet", ROWS)
    with opened(tmp_path, source, name="poeple") as curator:
        curator.plan("SELECT COUNT(*) FROM poeple", "1")
        free = curator.release("SELECT COUNT(*) FROM poeple WHERE x > 1 AND x < 1", "1")
        assert free.context.cost == Cost()
        curator.propose("SELECT COUNT(*) FROM poeple", "1", purpose="a table")
    with opened(tmp_path, source) as curator:
        assert curator.release(COUNT, "1").context.paid == Cost(Fraction(1))


def test_data_and_ledger_that_are_moved_together_repeat_their_answers(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    with opened(here, parquet(here / "p.parquet", ROWS)) as curator:
        first = curator.release(COUNT, "1")
    here.rename(there)
    with opened(there, str(there / "p.parquet")) as curator:
        again = curator.release(COUNT, "1")
    assert (again.rows(), again.context.paid) == (first.rows(), Cost())


def test_a_strategy_does_not_go_on_with_data_of_another_place(tmp_path):
    for name in ("one", "two"):
        with opened(tmp_path, sqlite_file(tmp_path / f"{name}.db", ROWS)) as curator:
            strategy = curator.strategy("people", "1")
            if name == "one":
                strategy.ask(COUNT, "1/2")
            else:
                with pytest.raises(InvalidInput, match="the policy has changed"):
                    strategy.resume()


# --- 17: float drift ----------------------------------------------------------------------------


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("cap", "cost", "times"),
    [
        ("epsilon=1", "0.1", 10),
        ("epsilon=1", 0.1, 10),
        ("epsilon=1", "1e-1", 10),
        ("epsilon=1", "1/3", 3),
        ("epsilon=0.3", "0.1", 3),
        ("epsilon=0.7", "0.1", 7),
        ("rho=0.3", "rho=0.1", 3),
    ],
)
def test_failure_17_parts_of_a_budget_fill_it_exactly(tmp_path, cap, cost, times):
    noise = "gaussian" if "rho" in str(cost) else "laplace"
    with opened(tmp_path, table(ROWS), budget=cap) as curator:
        for number in range(times):
            curator.release(asks(number), cost, noise=noise)
        assert not any(vars(curator.ledger.left("people")).values())
        least = "rho=1e-25" if "rho" in str(cost) else "1e-30"
        for more in (cost, least):
            with pytest.raises(OverBudget):
                curator.plan(asks(times), more, noise=noise)
        assert show(tmp_path / "ledger.db")["charges"] == times


def test_failure_17_a_cost_that_is_no_fraction_is_rounded_to_the_safe_side(tmp_path):
    with opened(tmp_path, table(ROWS), budget="epsilon=ln 3") as curator:
        cap = curator.ledger.left("people").epsilon
        price = curator.plan(COUNT, "ln 2").price.epsilon
        assert 0 < cap < Fraction("1.0986122886681098")
        assert Fraction("0.6931471805599453") < price < Fraction("0.6931472")
        with pytest.raises(OverBudget):  # the price is rounded up, the budget down
            curator.release(COUNT, "ln 3")
