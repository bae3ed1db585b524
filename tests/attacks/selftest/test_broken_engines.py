"""Each check is failed by the engine with the mistake that it looks for, and by no other one."""

import pytest

from twoworlds.attacks.selftest.suite import FAILURES, selftest
from twoworlds.testing.broken_engines import ENGINES

PATIENT = {8, 9, 10, 11}  # the checks themselves take seconds, or start processes
NUMBERS = [one.number for one in FAILURES]


def tried(engine, numbers, folder):
    """Run checks on a broken engine."""
    with engine:
        return selftest(numbers, folder=folder, prelude=engine.prelude).outcomes


def test_there_is_one_for_each_check():
    assert sorted(ENGINES) == NUMBERS
    assert all(number == engine.failure for number, engine in ENGINES.items())
    assert len({engine.wrong for engine in ENGINES.values()}) == len(NUMBERS)


SAID = {
    1: "not on the grid",
    2: "of the grid is answered",
    3: "changes the sum",
    4: "a million times 2^62 became",
    5: "40 odd values are answered as",
    6: "one person's key was discovered",
    7: "only 0 of 90 empty groups have noise",
    8: "large draws are slower",
    9: "an error shows a value of the data",
    10: "eight processes got",
    11: "the retry was charged again",
    12: "a ledger that was older is opened",
    13: "'mallory' was answered",
    14: "60 times the same question has",
    15: "this was answered: SELECT COUNT(*) FROM people; DELETE",
    16: "a higher price bought more noise",
    17: "left something",
    18: "the same rows are answered in 2 ways",
}


@pytest.mark.parametrize(
    "number",
    [pytest.param(n, marks=[pytest.mark.slow] if n in PATIENT else []) for n in NUMBERS],
)
def test_a_broken_engine_fails_its_check(number, tmp_path):
    [outcome] = tried(ENGINES[number], [number], tmp_path)
    assert not outcome.holds
    assert SAID[number] in outcome.said


@pytest.mark.slow
@pytest.mark.parametrize("number", NUMBERS)
def test_a_broken_engine_fails_no_other_check(number, tmp_path):
    others = [n for n in NUMBERS if n != number]
    failed = {
        one.failure.number: one.said
        for one in tried(ENGINES[number], others, tmp_path)
        if not one.holds
    }
    assert failed == {}


def test_the_engine_is_whole_again_afterwards(tmp_path):
    for number in (2, 4, 16):
        with ENGINES[number]:
            pass
        [outcome] = selftest([number], folder=tmp_path / str(number)).outcomes
        assert outcome.holds, outcome.said


@pytest.mark.parametrize("number", NUMBERS)
def test_processes_have_the_mistake_where_it_shows_in_them(number):
    prelude = ENGINES[number].prelude
    assert bool(prelude) == (number in {9, 10, 11})
    compile(prelude, "prelude", "exec")
