"""Differences and trackers find what exact counts hide, and noise hides what they find."""

import csv
import itertools
import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.calling import call
from twoworlds.attacks.queries import ExactServer, equal, single_out
from twoworlds.attacks.queries.differencing import chance_of_sums
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.laws.noise import GeometricNoise
from twoworlds.release.query.conditions import Compare


def write(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("sex", "job", "ill"), *rows])
    return path


ROWS = [
    *[("f", "cook", "yes")] * 1,
    *[("m", "cook", "yes")] * 3,
    *[("m", "cook", "no")] * 6,
    *[("f", "nurse", "no")] * 8,
    *[("m", "nurse", "no")] * 7,
    *[("", "nurse", "no")] * 2,
]
KNOWN = ("sex=f", "job=cook")


@pytest.fixture
def table(tmp_path):
    return write(tmp_path / "staff.csv", ROWS)


def attack(table, at_least, known=KNOWN, secret="ill=yes"):
    with ExactServer(table, at_least=at_least) as server:
        conditions = [equal(server.kinds, text) for text in known]
        return single_out(server, conditions, equal(server.kinds, secret))


@pytest.mark.parametrize(
    ("at_least", "way"), [(0, "direct"), (1, "direct"), (2, "difference"), (4, "tracker")]
)
def test_every_limit_has_its_way_round(table, at_least, way):
    found = attack(table, at_least)
    assert found.data["attempts"][-1]["name"] == way
    assert found.data["found"] == found.data["truth"] == 1
    assert "has ill = yes" in found.explain()


def test_values_that_are_as_usual_come_by_name(tmp_path):
    rows = [("f", job, "no") for job in "dbca" for _ in range(2)]
    with ExactServer(write(tmp_path / "ties.csv", [*rows, ("m", "c", "no")])) as server:
        assert server.values("job") == ["c", "a", "b", "d"]


def test_no_allowed_answer_is_outside_the_limit(table):
    found = attack(table, 4)
    attempts = found.data["attempts"]
    answers = [one["answer"] for attempt in attempts for one in attempt["questions"]]
    assert all(answer is None or 4 <= answer <= len(ROWS) - 4 for answer in answers)


def test_a_limit_that_no_tracker_gets_round_is_said_to_be_luck(table):
    found = attack(table, 13)
    assert found.data["found"] is None
    assert "luck" in found.explain()


@settings(max_examples=4, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["f", "m", ""]), st.sampled_from("abc"), st.sampled_from(["yes", "no"])
        ),
        min_size=4,
        max_size=20,
    ),
    at_least=st.integers(0, 4),
)
def test_what_is_found_is_the_truth(tmp_path_factory, rows, at_least):
    table = write(tmp_path_factory.mktemp("t") / "rows.csv", rows)
    sex, job = next(((s, j) for s, j, _ in rows if s), (None, None))
    if sex is None:
        return
    found = attack(table, at_least, known=(f"sex={sex}", f"job={job}"))
    true = sum(row == (sex, job, "yes") for row in rows)
    assert found.data["truth"] == true
    assert found.data["found"] in (None, true)


@pytest.mark.few(3)
@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("p", [Fraction(1, 2), Fraction(1, 5)])
def test_the_chance_of_a_sum_is_that_of_its_law(p, times):
    far = 60
    law = {k: GeometricNoise(p).pmf(k) for k in range(-far, far + 1)}
    total = {0: Fraction(1)}
    for _ in range(times):
        found = {}
        for (a, x), (b, y) in itertools.product(total.items(), law.items()):
            found[a + b] = found.get(a + b, 0) + x * y
        total = {k: v for k, v in found.items() if abs(k) <= far}
    at_least_zero = sum(v for k, v in total.items() if k >= 0)
    assert abs(chance_of_sums(p, times) - at_least_zero) < Fraction(1, 10**9)


def test_against_the_engine_the_attack_stays_below_the_best_chance(table):
    with ExactServer(table, at_least=4) as server:
        known = [equal(server.kinds, text) for text in KNOWN]
        found = single_out(server, known, equal(server.kinds, "ill=yes"), epsilon="1/2").data
    private = found["engine"].data
    assert len(private["answers"]) == 4
    assert 0.5 < private["chance"]["value"] < float(private["best_chance"])
    assert float(private["standard_error"]) > 4
    signs = [one["sign"] for one in found["attempts"][-1]["questions"]]
    assert private["value"] == sum(s * a for s, a in zip(signs, private["answers"], strict=True))


@pytest.mark.parametrize(
    ("known", "secret", "error", "said"),
    [
        (("sex=f",), "sex=m", InvalidInput, "both known and secret"),
        (("sex=x",), "ill=yes", InvalidInput, "nobody in the table"),
        ((), "ill=yes", InvalidInput, "say what is known"),
        (("age=3",), "ill=yes", UnknownName, "age"),
        (("sex",), "ill=yes", InvalidInput, "column=value"),
    ],
)
def test_bad_input_is_refused(table, known, secret, error, said):
    with pytest.raises(error, match=said):
        attack(table, 2, known=known, secret=secret)


def test_numbers_dates_and_truth_values_are_read_by_their_kind():
    kinds = {"age": "integer", "born": "date", "ill": "boolean", "x": "other"}
    assert equal(kinds, "age=28") == Compare("age", "=", Fraction(28))
    assert equal(kinds, "ill=TRUE") == Compare("ill", "=", True)
    assert equal(kinds, "born=2001-02-03").value.isoformat() == "2001-02-03"
    for text in ("age=old", "ill=maybe", "born=yesterday", "x=1"):
        with pytest.raises(InvalidInput):
            equal(kinds, text)


def test_the_command_tells_the_story_and_gives_json(table, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = call(capsys, "attack", "differencing")
    assert code == 0
    assert "has depressed = yes" in out
    assert "refused" in out
    known = ("--know", "sex=f", "--know", "job=cook", "--secret", "ill=yes")
    options = ("--at-least", "4", "--engine", "--json")
    code, out, _ = call(capsys, "attack", "differencing", str(table), *known, *options)
    data = json.loads(out)
    assert code == 0
    assert data["found"] == data["truth"] == 1
    assert [one["name"] for one in data["attempts"]] == ["direct", "difference", "tracker"]
    assert data["engine"]["best_chance"]["value"] < 0.74
