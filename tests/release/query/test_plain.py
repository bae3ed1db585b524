"""query_of: plain data that is no query is refused in words."""

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.release.query import Query
from twoworlds.release.query.conditions import column
from twoworlds.release.query.model import query_of

PLAIN = Query("people").where(column("age") > 1).by("region").count().plain()
AGGREGATE = PLAIN["aggregates"][0]


def nested(levels: int) -> dict:
    data = PLAIN["where"]
    for _ in range(levels):
        data = {"not": data}
    return data


@pytest.mark.parametrize(
    "changes",
    [
        {"dataset": 3},
        {"where": {"column": "age"}},
        {"where": {"column": "age", "is": "missing", "more": 1}},
        {"where": {"column": "age", "is": "~", "value": "x"}},
        {"where": {"column": "age", "is": "=", "value": 3}},
        {"where": {"column": "age", "is": "=", "value": {"number": "three"}}},
        {"where": {"column": "age", "is": "=", "value": {"date": "yesterday"}}},
        {"where": {"not": None}},
        {"where": {"all": []}},
        {"where": "age > 1"},
        {"where": nested(21)},
        {"groups": [{"column": "region"}]},
        {"groups": None},
        {"aggregates": [{**AGGREGATE, "kind": "max"}]},
        {"aggregates": [{**AGGREGATE, "share": "0"}]},
        {"aggregates": [AGGREGATE, AGGREGATE]},
        {"joins": [{"table": "regions"}]},
    ],
)
def test_what_is_no_query_is_refused(changes):
    with pytest.raises(InvalidInput):
        query_of({**PLAIN, **changes})


@pytest.mark.parametrize("data", [None, [], "people", {}, 3])
def test_what_is_no_mapping_is_refused(data):
    with pytest.raises(InvalidInput, match="no query"):
        query_of(data)


def test_absurd_depth_is_refused():
    with pytest.raises(InvalidInput):
        query_of({**PLAIN, "where": nested(100_000)})
