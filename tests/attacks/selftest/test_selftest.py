"""The self test holds on this engine, and fails on engines that were broken on purpose."""

import json
import time
from fractions import Fraction

import pytest

from tests.cli.calling import call
from twoworlds.attacks.selftest.bench import Bench, Failed, expect
from twoworlds.attacks.selftest.noise import _slower
from twoworlds.attacks.selftest.suite import FAILURES, Failure, SelfTest, _tried, selftest
from twoworlds.errors import InvalidInput
from twoworlds.release import Curator
from twoworlds.release.noise import Sampler

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


def broken(number, tmp_path):
    [outcome] = selftest([number], folder=tmp_path).outcomes
    assert not outcome.holds
    return outcome.said


def test_an_engine_without_noise_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr(Sampler, "draw_integers", lambda self, size, bits: [0] * size)
    assert "0 of 90" in broken(7, tmp_path)


@pytest.mark.slow
def test_an_engine_that_slows_down_for_large_draws_is_noticed(tmp_path, monkeypatch):
    real = Sampler.draw_integers

    def slow(self, size, bits):
        drawn = real(self, size, bits)
        if size == 1 and abs(drawn[0]) > 7:
            stop = time.perf_counter_ns() + 200_000
            while time.perf_counter_ns() < stop:
                pass
        return drawn

    monkeypatch.setattr(Sampler, "draw_integers", slow)
    assert "slower" in broken(8, tmp_path)


def test_an_engine_that_takes_any_name_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr(Curator, "analyst", lambda self, dataset, name=None: "ann")
    assert "was answered" in broken(13, tmp_path)


@pytest.mark.slow
def test_an_engine_that_answers_anew_is_noticed(tmp_path, monkeypatch):
    real, asked = Curator.release, iter(range(1, 1000))

    def anew(self, sql, cost, **options):
        return real(self, f"{sql.partition('--')[0]} AND x > -{next(asked)}", cost, **options)

    monkeypatch.setattr(Curator, "release", anew)
    assert "60 times the same question has" in broken(14, tmp_path)


def test_an_engine_that_adds_floats_is_noticed(tmp_path, monkeypatch):
    real = Curator.release

    def cheap(self, sql, cost, **options):
        return real(self, sql, "1/11" if cost == "0.1" else cost, **options)

    monkeypatch.setattr(Curator, "release", cheap)
    assert "left something" in broken(17, tmp_path)


def test_an_engine_whose_prices_rise_with_the_noise_is_noticed(tmp_path, monkeypatch):
    real = Curator.plan

    def inverse(self, asked, cost, **options):
        price = Fraction(1) / Fraction(cost.removeprefix("epsilon="))
        return real(self, asked, f"epsilon={price}", **options)

    monkeypatch.setattr(Curator, "plan", inverse)
    assert "more noise" in broken(16, tmp_path)


def test_engines_that_do_not_agree_are_noticed(tmp_path, monkeypatch):
    real = Bench.sqlite
    monkeypatch.setattr(
        Bench, "sqlite", lambda self, rows, *more, **others: real(self, rows[:1], *more, **others)
    )
    assert broken(3, tmp_path)


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
    monkeypatch.setattr(Curator, "analyst", lambda self, dataset, name=None: "ann")
    code, out, _ = call(capsys, "selftest", "--only", "13")
    assert code == 1
    assert "FAILS" in out
