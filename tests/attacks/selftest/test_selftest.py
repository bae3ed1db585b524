"""The self test holds on this engine; on broken ones see `test_broken_engines`."""

import json
import tempfile

import pytest

from tests.attacks.selftest.broken_engines import ENGINES
from tests.cli.calling import call
from twoworlds.attacks.selftest import (
    FAILURES,
    KnownFailure,
    _tried,
    selftest,
    told,
)
from twoworlds.attacks.selftest.bench import Bench
from twoworlds.attacks.selftest.noise import _slower
from twoworlds.errors import InvalidInput

QUICK = {5, 12, 17}  # the others run among the slow tests
TRIED = [one.number for one in FAILURES if one.place]


@pytest.mark.statistical
@pytest.mark.parametrize(
    "number",
    [pytest.param(one, marks=[] if one in QUICK else [pytest.mark.slow]) for one in TRIED],
)
def test_the_engine_withstands(number):
    """All of them together fail by chance with a probability of at most 10^-6."""
    [outcome] = selftest([number]).data["checks"]
    assert outcome["holds"], outcome["said"]
    assert outcome["said"]


def test_failures_are_numbered_and_each_is_tried():
    assert [one.number for one in FAILURES] == list(range(1, 36))
    assert all(one.place or one.outside for one in FAILURES)
    assert len({one.place for one in FAILURES if one.place}) == len(TRIED)


def test_an_engine_that_crashes_has_failed(tmp_path):
    def crash(_):
        raise ZeroDivisionError("by zero")

    outcome = _tried(KnownFailure(1, "crash", "noise.low_bits"), crash, Bench(tmp_path))
    assert not outcome["holds"]
    assert outcome["said"] == "ZeroDivisionError: by zero"
    found = told([outcome])
    assert "FAILS 1 of 1: 1" in found.explain()
    assert not found.to_dict()["holds"]


def test_the_share_of_slower_draws_is_that_of_all_pairs():
    found = [(3, 0), (1, 1), (4, 2), (4, 9), (5, 8), (3, 7)]
    middle = sorted(size for _, size in found)[3]
    large = [time for time, size in found if size > middle]
    small = [time for time, size in found if size <= middle]
    pairs = [(a > b) + (a == b) / 2 for a in large for b in small]
    assert _slower(found) == pytest.approx(sum(pairs) / len(pairs))


@pytest.mark.parametrize("only", [[0], [36], [26], [], ["x"]])
def test_numbers_that_do_not_exist_are_refused(only):
    with pytest.raises(InvalidInput):
        selftest(only)


def test_the_command(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "150")
    code, out, _ = call(capsys, "selftest", "--only", "13, 17")
    assert code == 0
    assert "withstands all 2" in out
    assert "by chance with a probability of at most 10^-6" in out
    code, out, _ = call(capsys, "selftest", "--only", "17", "--json")
    assert code == 0
    assert json.loads(out)["checks"][0]["holds"] is True
    assert json.loads(out)["false_alarms"] == pytest.approx(1e-6)
    assert call(capsys, "selftest", "--only", "99")[0] == 2
    with ENGINES["takes_any_name"]:
        code, out, _ = call(capsys, "selftest", "--only", "13")
    assert code == 1
    assert "FAILS" in out
    assert "forged identity" in out
    assert "Do not release with it" in out


def test_what_is_laid_out_is_removed(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert selftest([17]).data["holds"]
    assert not [*tmp_path.iterdir()]
