"""The self test holds on this engine; on broken ones see `test_broken_engines`."""

import json
import sys
import tempfile

import pytest

from tests.cli.calling import call
from twoworlds.attacks.selftest import suite
from twoworlds.attacks.selftest.bench import Bench, Failed, expect
from twoworlds.attacks.selftest.noise import _slower
from twoworlds.attacks.selftest.suite import (
    FAILURES,
    Failure,
    Outcome,
    SelfTest,
    _tried,
    selftest,
)
from twoworlds.cli import run
from twoworlds.errors import InvalidInput
from twoworlds.testing.broken_engines import ENGINES

QUICK = {4, 5, 6, 12, 13, 16, 17}  # the others are in tests/release/failures too, and run there


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(one.number, marks=[] if one.number in QUICK else [pytest.mark.slow])
        for one in FAILURES
    ],
)
def test_the_engine_withstands(number, tmp_path):
    [outcome] = selftest([number], folder=tmp_path).outcomes
    assert outcome.holds, outcome.said
    assert outcome.said


def test_there_are_eighteen_and_each_has_its_check():
    assert [one.number for one in FAILURES] == list(range(1, 19))
    assert len({one.place for one in FAILURES}) == 18
    assert all(one.check.__doc__ for one in FAILURES)


def test_an_engine_that_crashes_has_failed(tmp_path):
    crashing = Failure(1, "crash", "noise.low_bits")

    class Crashed(Bench):
        def asked(self, *arguments, **others):
            raise ZeroDivisionError("by zero")

    outcome = _tried(crashing, Crashed(tmp_path))
    assert not outcome.holds
    assert outcome.said == "ZeroDivisionError: by zero"
    found = SelfTest((outcome,))
    assert "FAILS 1 of 1: 1" in found.explain()
    assert not found.to_dict()["holds"]
    assert "FAILS" in found._repr_html_()


def test_the_share_of_slower_draws_is_that_of_all_pairs():
    found = [(3, 0), (1, 1), (4, 2), (4, 9), (5, 8), (3, 7)]
    middle = sorted(size for _, size in found)[3]
    large = [time for time, size in found if size > middle]
    small = [time for time, size in found if size <= middle]
    pairs = [(a > b) + (a == b) / 2 for a in large for b in small]
    assert _slower(found) == pytest.approx(sum(pairs) / len(pairs))


@pytest.mark.parametrize("only", [[0], [19], [], ["x"]])
def test_numbers_that_do_not_exist_are_refused(only):
    with pytest.raises(InvalidInput):
        selftest(only)


def test_what_is_expected_and_does_not_hold_fails():
    expect(1 < 2, "no")
    with pytest.raises(Failed, match="no"):
        expect(1 > 2, "no")


def test_the_command(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "150")
    code, out, _ = call(capsys, "selftest", "--only", "16, 17")
    assert code == 0
    assert "withstands all 2" in out
    code, out, _ = call(capsys, "selftest", "--only", "17", "--json")
    assert code == 0
    assert json.loads(out)["checks"][0]["holds"] is True
    assert call(capsys, "selftest", "--only", "99")[0] == 2
    with ENGINES[13]:
        code, out, _ = call(capsys, "selftest", "--only", "13")
    assert code == 1
    assert "13  FAILS  forged identity" in out
    assert "Do not release with it" in out


def test_each_outcome_is_written_when_its_check_ends(monkeypatch, tmp_path):
    place, seen = tmp_path / "out", []

    def tried(failure, bench):
        seen.append(place.read_text())
        return Outcome(failure, holds=True, said=f"tried {failure.number}", seconds=0.0)

    monkeypatch.setattr(suite, "_tried", tried)
    with place.open("w") as file:  # kept in a buffer unless it is flushed, as a pipe is
        monkeypatch.setattr(sys, "stdout", file)
        assert run(["selftest", "--only", "1, 2, 3"]) == 0
    assert [text.count("holds") for text in seen] == [0, 1, 2]
    assert "tried 2" in seen[2]
    assert "withstands all 3" in place.read_text()


def test_what_is_laid_out_is_removed_also_when_nobody_waits_for_the_end(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    running = suite.outcomes([16, 17])
    assert next(running).holds
    assert [*tmp_path.iterdir()]
    running.close()
    assert not [*tmp_path.iterdir()]
