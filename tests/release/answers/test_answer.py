"""Answers: what they hold, and that nothing in them depends on anything but the stored numbers."""

import json
from datetime import date
from fractions import Fraction

import pytest

from tests.release.answers.helpers import (
    PERSON,
    ROW,
    added,
    answered,
    asked,
    batched,
    calibrated,
    laplace,
)
from twoworlds.errors import InvalidInput
from twoworlds.release.answers import AnswerContext, QueryAnswer, expected_errors, noisy
from twoworlds.release.answers.answer import FAIR, GOOD, LOST, number_text, table, utility
from twoworlds.release.costs import Cost, parse_cost
from twoworlds.release.ledger.entries import canonical
from twoworlds.release.noise import SystemBits
from twoworlds.release.policy.model import Column, Dataset
from twoworlds.release.query import Query, resolve
from twoworlds.release.sensitivity import calibrate

HOSTILE = "<script>alert('&')</script>\x1b[31m[bold]\n"


def everything():
    return asked(
        Query("people")
        .by("region", other=True)
        .count()
        .sum("income")
        .mean("income")
        .variance("age")
        .median("age")
    )


def stored_for(resolved, size=4):
    return {
        "cells": None,
        "values": [
            [3] * size if m.kind == "ranks" else [500 + i for i in range(size)]
            for m in resolved.measures
        ],
    }


def test_an_answer_is_a_function_of_what_is_stored():
    resolved = everything()
    stored = stored_for(resolved)
    again = json.loads(canonical(stored))
    one, two = answered(resolved, stored), answered(resolved, again)
    assert one.to_dict() == two.to_dict()
    assert one.rows() == two.rows()
    assert str(one) == str(two)
    assert one._repr_html_() == two._repr_html_()
    assert one == two


def test_rows_are_flat_and_whole_only_where_the_policy_says_so():
    resolved = everything()
    row = answered(resolved, stored_for(resolved)).rows()[0]
    assert list(row) == [
        "region",
        *(f"count{end}" for end in ("", "_error", "_low", "_high", "_utility")),
        *(f"sum_income{end}" for end in ("", "_error", "_low", "_high", "_utility")),
        *(f"mean_income{end}" for end in ("", "_error", "_low", "_high", "_utility")),
        *(f"variance_age{end}" for end in ("", "_error", "_low", "_high", "_utility")),
        "median_age",
        "median_age_ranks",
        "median_age_utility",
    ]
    assert type(row["count"]) is int
    assert type(row["sum_income"]) is float  # in halves, though this one is whole
    assert row["sum_income"] == 250.0
    assert row["median_age"] == 30
    assert (row["count_low"], row["count_high"]) == (494.0, 506.0)


def test_json_holds_exact_numbers_and_survives_a_round_trip():
    resolved = everything()
    data = answered(resolved, stored_for(resolved)).to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    values = data["rows"][1]["values"]
    assert values["count"]["value"] == {"exact": "501", "value": 501.0}
    assert [end["exact"] for end in values["count"]["interval"]] == ["495", "507"]
    error = values["count"]["standard_error"]
    assert error["lower"] <= error["value"] == error["upper"]
    assert values["mean_income"]["standard_error"]["approximate"] is True
    assert values["median_age"] == {
        "value": {"exact": "30", "value": 30.0},
        "utility": "good",
    }
    assert data["rows"][3]["group"] == {"region": {"other": True}}
    assert data["cost"] == {"epsilon": {"exact": "1/2", "value": 0.5}}
    assert data["left"]["ada"] == {"epsilon": {"exact": "1/2", "value": 0.5}}
    assert data["neighbours"] == "add-remove"
    assert data["entry"] == "ab" * 32


def test_groups_of_every_kind_are_told_apart():
    columns = {
        "region": Column("region", "text", keys=("other", "1")),
        "n": Column("n", "integer", keys=(Fraction(1), Fraction(2))),
        "day": Column("day", "date", keys=(date(2026, 1, 31),)),
        "yes": Column("yes", "boolean", keys=(True, False)),
        "x": Column("x", "number", bins=(Fraction(0), Fraction(1, 2), Fraction(9))),
    }
    dataset = Dataset("people", None, "add-remove", columns=columns)
    for name, shown, data in (
        ("region", ["other", "1", "(other)"], ["other", "1", {"other": True}]),
        ("n", [1, 2, "other"], [{"number": "1"}, {"number": "2"}, {"other": True}]),
        ("day", [date(2026, 1, 31), "other"], [{"date": "2026-01-31"}, {"other": True}]),
        ("yes", [True, False, "other"], [True, False, {"other": True}]),
        (
            "x",
            ["0 to <1/2", "1/2 to 9", "other"],
            [{"from": "0", "to": "1/2"}, {"from": "1/2", "to": "9"}, {"other": True}],
        ),
    ):
        resolved = resolve(Query("people").by(name, other=True).count(), dataset)
        answer = answered(resolved, {"cells": None, "values": [[0] * len(shown)]})
        assert [row[name] for row in answer.rows()] == shown
        assert [row["group"][name] for row in answer.to_dict()["rows"]] == data


def test_discovered_keys_are_read_back():
    resolved = asked(Query("people").by("city", discover=True).by("sex").count())
    stored = {"cells": [["Bonn", 1], [HOSTILE, 0]], "values": [[5, 6]]}
    answer = answered(resolved, stored, calibrated(resolved, threshold=3))
    assert [(row["city"], row["sex"]) for row in answer.rows()] == [("Bonn", "m"), (HOSTILE, "f")]
    none = answered(resolved, {"cells": [], "values": [[]]}, calibrated(resolved, threshold=3))
    assert none.rows() == []
    assert "city" in str(none)
    assert none.to_dict()["rows"] == []


def test_names_of_columns_never_collide():
    query = Query("people").count().count("age", name="count_error").count("city", name="x_low")
    row = answered(asked(query), {"cells": None, "values": [[1], [2], [3]]}).rows()[0]
    assert (row["count"], row["count_error"], row["x_low"]) == (1, 2, 3)
    assert row["count_error_"] == pytest.approx(2.799, rel=1e-3)
    assert len(row) == 15


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"cells": None, "values": [[1, 2, 3]]},
        {"cells": None, "values": [[1, 2, 3], [1, 2]]},
        {"cells": None, "values": [[1, 2, 3], [1, 2, 11]]},
        {"cells": None, "values": [[1, 2, 3], [1, 2, -1]]},
        {"cells": None, "values": [[1, 2, 3.0], [1, 2, 3]]},
        {"cells": None, "values": [[1, 2, True], [1, 2, 3]]},
        {"cells": None, "values": "abc"},
        {"cells": [["x"]], "values": [[1], [1]]},
    ],
)
def test_stored_data_of_another_query_are_refused(stored):
    resolved = asked(Query("people").by("region").count().median("age"))
    with pytest.raises(InvalidInput):
        answered(resolved, stored)


@pytest.mark.parametrize("cells", [None, [["Bonn"]], [["Bonn", 2]], [[7, 0]], [[None, 0]], ["ab"]])
def test_stored_groups_that_do_not_fit_are_refused(cells):
    resolved = asked(Query("people").by("city", discover=True).by("sex").count())
    with pytest.raises(InvalidInput):
        answered(resolved, {"cells": cells, "values": [[1]]}, calibrated(resolved, threshold=3))


# --- shown to people ----------------------------------------------------------------------------


def hostile():
    columns = {HOSTILE: Column(HOSTILE, "text", keys=(HOSTILE, "plain"))}
    dataset = Dataset(HOSTILE, None, "add-remove", columns=columns)
    resolved = resolve(Query(HOSTILE).by(HOSTILE).count(name=HOSTILE * 2), dataset)
    return answered(resolved, {"cells": None, "values": [[1, 2]]})


def test_a_terminal_gets_no_escapes_and_no_markup_from_names():
    text = str(hostile())
    assert "\x1b" not in text
    assert "[bold]" in text.replace("\n", "").replace(" ", "")
    assert "\x1b" not in hostile().explain()
    shown = table(hostile())
    assert all(cell.isprintable() for row in (shown.heads, *shown.rows) for cell in row)


def test_ends_of_intervals_are_rounded_outward():
    third = Fraction(1, 3)
    assert number_text(third, 0.01, whole=False, side="down") == "0.333"
    assert number_text(third, 0.01, whole=False, side="up") == "0.334"
    assert number_text(-third, 0.01, whole=False, side="down") == "-0.334"
    assert number_text(Fraction(-12345), 50.0, whole=False) == "-12,345"
    assert number_text(Fraction(0), None, whole=False) == "0"


def test_a_data_frame_has_the_same_types_whatever_the_data():
    pandas = pytest.importorskip("pandas")
    resolved = everything()
    stored = stored_for(resolved)
    lost = {"cells": None, "values": [[3] * 4 for _ in stored["values"]]}
    one, two = (answered(resolved, data).to_frame() for data in (stored, lost))
    assert isinstance(one, pandas.DataFrame)
    assert list(one.dtypes) == list(two.dtypes)
    assert str(one["count"].dtype) == "int64"
    assert str(one["mean_income_error"].dtype) == "float64"
    assert two["mean_income_error"].isna().all()
    discovered = asked(Query("people").by("city", discover=True).count())
    noise = calibrated(discovered, threshold=3)
    empty = answered(discovered, {"cells": [], "values": [[]]}, noise).to_frame()
    full = answered(discovered, {"cells": [["x"]], "values": [[7]]}, noise).to_frame()
    assert list(empty.dtypes) == list(full.dtypes)


# --- utility ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "value", "word"),
    [
        (Fraction(0), Fraction(0), "exact"),
        (Fraction(5), Fraction(100), "good"),
        (Fraction(6), Fraction(-100), "fair"),
        (20.0, Fraction(100), "fair"),
        (21.0, Fraction(100), "poor"),
        (100.0, Fraction(100), "poor"),
        (101.0, Fraction(100), "lost in noise"),
        (1.0, Fraction(0), "lost in noise"),
        (None, Fraction(100), "lost in noise"),
    ],
)
def test_utility_is_the_relative_error_in_a_word(error, value, word):
    assert utility(error, value) == word


def test_utility_of_a_quantile_compares_ranks_with_a_noisy_count_if_there_is_one():
    query = Query("people").median("age")
    alone = answered(asked(query), {"cells": None, "values": [[3]]})
    assert alone.utility(0, 0) is None
    assert not any("utility" in head for head in table(alone).heads)
    counted = asked(query.count("age"))
    for rows, word in ((1000, GOOD), (40, FAIR), (0, LOST)):
        answer = answered(counted, {"cells": None, "values": [[3], [rows]]})
        assert answer.utility(0, 0) == word


# --- words --------------------------------------------------------------------------------------


def test_a_repeated_answer_says_that_nothing_was_paid():
    resolved = asked(Query("people").count())
    noise = calibrated(resolved)
    context = AnswerContext(ROW, noise.cost, Cost())
    answer = QueryAnswer.of(resolved, noise, {"cells": None, "values": [[5]]}, context)
    assert context.repeated
    assert "you pay nothing more" in answer.explain()
    assert answer.to_dict()["repeated"] is True
    assert not AnswerContext(ROW, noise.cost, noise.cost).repeated
    assert not AnswerContext(ROW, noise.cost, Cost(), stored=False).repeated


def test_a_query_in_a_batch_gets_its_own_noise():
    resolved = asked(Query("people").count())
    batch = batched(resolved, [(laplace(1),), (laplace(100),)])
    context = AnswerContext(ROW, batch.cost, batch.cost)
    stored = {"cells": None, "values": [[50]]}
    near, far = (QueryAnswer.of(resolved, batch, stored, context, query=i) for i in (0, 1))
    assert near.rows()[0]["count_error"] < 2 < 100 < far.rows()[0]["count_error"]


# --- with the true calibration ------------------------------------------------------------------


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("cost", "noise"),
    [("1", "laplace"), ("rho=1/8", "gaussian"), ("epsilon=1, delta=1e-6", "gaussian")],
)
@pytest.mark.parametrize("dataset", [ROW, PERSON], ids=["row", "person"])
def test_every_kind_of_aggregate_is_calibrated_answered_and_explained(cost, noise, dataset):
    query = (
        Query(dataset.name)
        .by("region", other=True)
        .count()
        .count("age", name="aged")
        .sum("income")
        .mean("income")
        .variance("age")
        .quantile("age", Fraction(9, 10))
    )
    resolved = resolve(query, dataset)
    calibration = calibrate([resolved], parse_cost(cost), noise=noise)
    totals = added({(1,): tuple(50 + j for j in range(len(resolved.measures)))})
    stored = noisy(resolved, totals, calibration, SystemBits())
    answer = QueryAnswer.of(
        resolved, calibration, stored, AnswerContext(dataset, calibration.cost, calibration.cost)
    )
    data = answer.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert len(answer.rows()) == 4
    assert answer.utility(0, 0) in str(answer)
    for expected in expected_errors(resolved, calibration, size=500):
        assert expected.ranks is not None or expected.half_width > 0
    assert dataset.neighbours in answer.explain()
