"""Subjects of every kind: callables, other libraries' objects, child processes, commands."""

import os
import random
import stat
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

from tests.attacks.audit.subjects import Randomiser
from twoworlds.attacks.audit import Unresponsive, audit
from twoworlds.attacks.audit.adapters import local
from twoworlds.attacks.audit.process import InChild
from twoworlds.attacks.audit.subjects import Command, OutOfTime, list_pairs, read_pair
from twoworlds.errors import InvalidInput

HERE = "python:tests.attacks.audit.subjects:"


def draws(subject, database=1, size=50, key=(0,)):
    found = subject.draw(database, size, key)
    return found.tolist() if isinstance(found, np.ndarray) else found


def test_a_function_may_or_may_not_take_a_generator():
    assert draws(local(lambda _: 4.0)) == [4.0] * 50
    assert len(set(draws(local(lambda _, rng: rng.random())))) == 50
    assert draws(local(lambda *given: len(given))) == [2] * 50


def test_the_key_decides_what_is_drawn():
    subject = local(f"{HERE}coin")
    assert draws(subject, key=(0, 1)) == draws(subject, key=(0, 1))
    assert draws(subject, key=(0, 1)) != draws(subject, key=(0, 2))


def test_databases_are_proposed_of_the_kinds_that_a_function_takes():
    def only_lists(database):
        return len(database)

    def only_numbers(database):
        return database + 0.5

    assert all(isinstance(x, list) for pair in local(only_lists).about.pairs for x in pair)
    assert all(
        isinstance(x, float) for pair in local(only_numbers, "one").about.pairs for x in pair
    )
    assert all(len(a) != len(b) for a, b in local(only_lists, "add-remove").about.pairs)


def one_bit(bit):
    """Randomized response of one bit, which a list passes through as well."""
    return bit if random.random() < 0.75 else 1 - bit


def bits(database):
    return [one_bit(bit) for bit in database]


@pytest.mark.parametrize("subject", [one_bit, bits])
def test_a_guess_invents_no_record_but_0_and_1(subject):
    random.seed(1)
    found = audit(subject, epsilon="1.2", samples=20_000)  # its epsilon is ln 3 = 1.0986
    assert not found.refuted
    assert found.guessed
    assert found.sentence.startswith("The databases are guessed: give your own with --pair")
    assert set("".join(found.pairs)) <= set("01[], ~")


def test_who_says_what_the_databases_are_is_not_told_of_a_guess():
    asked = {"samples": 5_000}
    for told in ({"pairs": [([0], [1])]}, {"universe": "bits(2)"}, {"neighbours": "one"}):
        found = audit(bits, **told, **asked)
        assert not found.guessed
        assert "guessed" not in found.sentence
    assert audit(bits, universe="bits(2)", **asked).pairs == (
        "[1, 0] ~ [1, 1]",
        "[0, 1] ~ [1, 1]",
        "[0, 0] ~ [1, 0]",
        "[0, 0] ~ [0, 1]",
    )
    ours = audit("randomized-response(bits=2, keep=3/4)", universe="bits(2)", **asked)
    assert ours.finding.likelier in ((1, 1), (1, 0), (0, 1), (0, 0))
    with pytest.raises(InvalidInput, match="its own pairs"):
        audit(bits, universe="bits(2)", neighbours="one")


def test_what_a_function_carries_is_used():
    def subject(database):
        return database

    subject.claim = {"epsilon": 2, "delta": 0.25}
    subject.pairs = [("a", "b")]
    about = local(subject).about
    assert (about.epsilon, about.delta, about.pairs) == (2, 0.25, (("a", "b"),))
    subject.pairs = []
    with pytest.raises(InvalidInput, match="empty"):
        local(subject)
    subject.pairs = 7
    with pytest.raises(InvalidInput, match="list of pairs"):
        local(subject)
    subject.claim = ["epsilon"]
    with pytest.raises(InvalidInput, match="is not understood"):
        local(subject)


def test_a_batch_that_fails_is_drawn_one_by_one():
    def subject(database, rng):
        return 1 / database

    subject.many = lambda database, size, rng: [1 / database] * size
    assert draws(local(subject, given=[(0, 1)]), database=0) == ["raises ZeroDivisionError"] * 50


def test_a_function_that_always_crashes_needs_a_pair():
    with pytest.raises(InvalidInput, match=r"raises TypeError on 0.*--pair"):
        local(f"{HERE}crashes")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{HERE}number", "of type int"),
        (f"{HERE}nowhere", "cannot be loaded"),
        (f"{HERE}nothing", "takes no database"),
        (f"{HERE}three", r"three\(database, rng, more\) cannot be called"),
        ("python:tests", "write python:package.module:name"),
        ("nonsense(1)", "unknown mechanism"),
    ],
)
def test_what_is_no_subject_is_refused(text, words):
    with pytest.raises(InvalidInput, match=words):
        local(text)


def test_mechanisms_of_diffprivlib_are_known_by_their_looks():
    about = local(Randomiser()).about
    assert (about.epsilon, about.pairs) == (1.0, ((0.0, 2.0),))
    assert audit(f"{HERE}randomiser", samples=40_000).refuted


def test_the_extra_keeps_diffprivlib_importable():
    """diffprivlib 0.6.6 sets no upper limit, and fails to import with scikit-learn 1.9."""
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    extra = map(Requirement, project["project"]["optional-dependencies"]["audit"])
    [held] = [one for one in extra if one.name == "scikit-learn"]
    assert "1.8.0" in held.specifier
    assert "1.9.0" not in held.specifier


def test_the_real_diffprivlib_where_it_can_be_imported():
    mechanisms = pytest.importorskip(
        "diffprivlib.mechanisms", reason="diffprivlib does not import here", exc_type=ImportError
    )
    subject = mechanisms.Geometric(epsilon=1, sensitivity=1)
    found = audit(subject, samples=20_000)
    assert not found.refuted
    assert audit(subject, epsilon=0.5, samples=20_000).refuted


@pytest.mark.slow
def test_measurements_of_opendp_are_known_by_their_looks():
    dp = pytest.importorskip("opendp.prelude", reason="OpenDP is in the extra bench")
    dp.enable_features("contrib")
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    noise = dp.m.make_laplace(*space, scale=1.0)
    subject = local(noise)
    assert subject.about.epsilon == 1.0
    assert subject.about.pairs == ((0, 1),)
    assert not audit(noise, samples=1_500).refuted
    assert audit(noise, epsilon=0.1, samples=4_000).refuted
    counts = dp.t.make_count(dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance())
    listed = local(counts >> noise).about
    assert all(abs(len(a) - len(b)) == 1 for a, b in listed.pairs)
    vectors = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
    pair = local(dp.m.make_laplace(*vectors, scale=1.0)).about.pairs[0]
    assert all(type(x) is float for x in pair[0])
    gaussian = dp.m.make_gaussian(*space, scale=1.0)
    assert local(gaussian).about.epsilon is None


# --- child processes ------------------------------------------------------------------------------


def running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_child_draws_what_the_same_subject_draws_here():
    child = InChild(f"{HERE}prints", given=[(0, 1)])
    try:
        assert draws(child, key=(3, 4)) == draws(local(f"{HERE}coin"), key=(3, 4))
    finally:
        child.close()
    assert not running(child._child.pid)


def test_a_subject_that_hangs_is_ended():
    child = InChild(f"{HERE}slow_at_last", given=[(0, 1)], patience=2.0)
    draws(child, size=300)
    with pytest.raises(Unresponsive, match=r"did not answer within 2 s and was ended"):
        child.draw(0, 300, (0,))
    assert not running(child._child.pid)


def test_the_time_of_the_whole_audit_ends_a_slow_subject_too():
    child = InChild(f"{HERE}hangs", given=[(0, 1)], patience=30.0)
    with pytest.raises(OutOfTime):
        child.draw(0, 1, (0,), time.monotonic() + 0.2)
    assert not running(child._child.pid)


def test_a_subject_that_ends_its_process_is_reported():
    with pytest.raises(Unresponsive, match="exit code 3"):
        audit(f"{HERE}dies")


def test_leaving_python_is_an_output():
    assert draws(local(f"{HERE}exits", given=[(0, 1)]), size=2) == ["raises SystemExit"] * 2
    found = audit(f"{HERE}exits", epsilon=1, pairs=[(0, 1)])
    assert found.refuted


def test_the_clock_is_looked_at_between_outputs():
    with pytest.raises(OutOfTime):
        local(lambda _: time.sleep(0.02), given=[(0, 1)]).draw(
            0, 10_000, (0,), time.monotonic() + 0.1
        )


# --- commands -------------------------------------------------------------------------------------


@pytest.fixture
def program(tmp_path):
    """Write a Python program that can be run; return its command."""

    def write(body: str) -> str:
        path = Path(tmp_path, "program")
        path.write_text(f"#!{sys.executable} -ISu\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return f"command:{path}"

    return write


EACH = "import json, random, sys\nfor line in sys.stdin:\n    x = json.loads(line)\n    "


def test_a_command_answers_every_line(program):
    text = program(EACH + "print(sum(x) if random.random() < 0.9 else 'none')")
    subject = Command(text, repeat=True, given=[([0], [1])])
    assert set(draws(subject, [3, 4], 200)) == {7, "none"}
    assert audit(text, repeat=True, epsilon=1, pairs=["[0] ~ [1]"]).refuted


def test_a_command_is_run_for_every_output(program):
    text = program("import json, sys\nprint(json.dumps({'n': len(json.load(sys.stdin))}))")
    assert draws(Command(text, given=[([0], [1])]), [1, 2, 3], 2) == [{"n": 3}] * 2


def test_an_exit_code_is_an_output(program):
    text = program(EACH + "print(1)\n    sys.exit(4)")
    assert draws(Command(text, given=[(0, 1)]), 0, 2) == ["exits with 4"] * 2
    assert draws(Command(text, repeat=True, given=[(0, 1)]), 0, 3) == [1] + ["exits with 4"] * 2


def test_a_command_must_answer_as_many_lines_as_it_gets(program):
    text = program(EACH + "print(1); print(2)")
    with pytest.raises(InvalidInput, match="printed 6 lines for 3 lines"):
        Command(text, repeat=True, given=[(0, 1)]).draw(0, 3, ())


def test_a_command_that_hangs_is_ended(program):
    text = program("import time\ntime.sleep(60)")
    with pytest.raises(Unresponsive, match=r"did not end within 0\.5 s"):
        Command(text, given=[(0, 1)], patience=0.5).draw(0, 1, ())
    with pytest.raises(OutOfTime):
        Command(text, given=[(0, 1)]).draw(0, 1, (), time.monotonic() + 0.2)


@pytest.mark.parametrize("text", ["command:./nowhere", "command:", "command:'x"])
def test_a_command_that_cannot_be_run_is_refused(text):
    with pytest.raises(InvalidInput):
        Command(text)


def test_a_database_that_is_no_json_is_refused(program):
    with pytest.raises(InvalidInput, match="cannot be written as JSON"):
        Command(program("pass"), given=[(0, 1)]).draw({1, 2}, 1, ())


# --- which databases are proposed, and read -------------------------------------------------------


@pytest.mark.parametrize("length", [1, 2, 5, 8])
def test_one_entry_differs_by_at_most_one(length):
    for first, second in list_pairs("one", length):
        gaps = [abs(a - b) for a, b in zip(first, second, strict=True)]
        assert sorted(gaps) == [0] * (length - 1) + [1]


@pytest.mark.parametrize("length", [2, 5, 8])
def test_every_entry_differs_by_at_most_one(length):
    found = list_pairs("all", length)
    for first, second in found:
        assert max(abs(a - b) for a, b in zip(first, second, strict=True)) == 1
    assert len(found) >= len(list_pairs("one", length))


def test_one_list_has_an_entry_more():
    for first, second in list_pairs("add-remove"):
        longer, shorter = sorted((first, second), key=len, reverse=True)
        assert len(longer) == len(shorter) + 1
        assert any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)))


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("[0, 0] ~ [1, 0]", ([0, 0], [1, 0])),
        ('{"a": true} ~ {"a": false}', ({"a": True}, {"a": False})),
        ("ann ~ bob", ("ann", "bob")),
        ("0~1.5", (0, 1.5)),
    ],
)
def test_pairs_are_read(text, pair):
    assert read_pair(text) == pair


@pytest.mark.parametrize(
    "text", ["[0~1", "0~1]", '{"a": 1 ~ {}', '"a ~ b', "(0 ~ (1", "'a ~ b", "0 ~ x}"]
)
def test_a_value_that_is_not_closed_is_no_text(text):
    with pytest.raises(InvalidInput, match="cannot be read as one"):
        read_pair(text)


@pytest.mark.parametrize("text", ["", "1", "1~", "1~2~3", "x ~ x"])
def test_what_is_no_pair_is_refused(text):
    with pytest.raises(InvalidInput):
        read_pair(text)
