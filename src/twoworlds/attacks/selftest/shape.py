"""Failures 6, 7 and 18: bounds, groups and forms that come from the data."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from twoworlds.attacks.selftest.bench import CERTAIN, Bench, Failed, expect, values
from twoworlds.errors import InvalidInput

if TYPE_CHECKING:
    from twoworlds.release import QueryAnswer

__all__ = ["declared_only", "empty_groups", "order_and_types"]

_BY_KEY = "SELECT k, COUNT(*), SUM(x) FROM people GROUP BY k"


def _shape(answer: QueryAnswer) -> Any:
    """Everything of an answer but its numbers."""
    found = answer.to_dict()
    return [found["columns"], [row["group"] for row in found["rows"]]]


def declared_only(bench: Bench) -> str:
    """Hide keys and extreme values in the data, and look for them in the answer."""
    shapes, noises = set(), set()
    worlds: list[list[tuple[str, float]]] = [
        [("a", 1.0)],
        [("zebra", 1e9)] * 50,
        [("a", -1e9), ("b", 3.0), ("HIV", 3.0)],
        [],
    ]
    for rows in worlds:
        answer = bench.asked(bench.sqlite(rows), _BY_KEY, "1")
        shapes.add(json.dumps(_shape(answer)))
        noises.add(str(answer.calibration.noises))
        told = json.dumps(answer.to_dict())
        expect("zebra" not in told and "HIV" not in told, "an undeclared key is in the answer")
    expect(len(shapes) == 1, "the form of an answer depends on the data")
    expect(len(noises) == 1, "the noise depends on the data")
    alone = [("a", 1.0)] * 100 + [("zebra", 1.0)]
    discovered = bench.asked(
        bench.sqlite(alone),
        "SELECT k, COUNT(*) FROM people GROUP BY DISCOVER(k)",
        "epsilon=1, delta=1e-12",
    )
    expect("zebra" not in json.dumps(discovered.to_dict()), "one person's key was discovered")
    try:
        with bench.opened(
            bench.sqlite([("a", 1.0)]), "{k: {kind: text}, x: {kind: number}}"
        ) as curator:
            curator.plan("SELECT SUM(x) FROM people", "1")
    except InvalidInput:
        return f"{len(worlds)} worlds have one form and one noise; a sum without bounds is refused"
    raise Failed("a sum without declared bounds was planned")


def empty_groups(bench: Bench) -> str:
    """Look for groups that are left out, or come without noise, when nobody is in them."""
    for rows in ([], [("a", 1.0)], [("a", 1.0), ("b", 1.0), ("c", 1.0)]):
        answer = bench.asked(bench.sqlite(rows), _BY_KEY, CERTAIN)
        groups = [row["group"] for row in answer.to_dict()["rows"]]
        expect(len(groups) == 3, f"{len(groups)} of 3 declared groups are answered")
    nonzero = 0
    with bench.opened(bench.sqlite([])) as curator:
        for number in range(30):
            asked = f"SELECT k, COUNT(*) FROM people WHERE x < {number} GROUP BY k"
            nonzero += sum(value != 0 for value in values(curator.release(asked, "1/10"), "count"))
    # An empty group is told as 0 with probability below 1/19: 90 of 90 zeros would be no noise.
    expect(nonzero > 30, f"only {nonzero} of 90 empty groups have noise")
    return f"all 3 declared groups are answered, and {nonzero} of 90 empty ones are not told as 0"


def order_and_types(bench: Bench) -> str:
    """Write the same rows in other orders, types and engines."""
    rng = random.Random(1)
    rows = [("abc"[i % 3], float(i % 7)) for i in range(200)]
    told = set()
    for _ in range(2):
        rng.shuffle(rows)
        whole = [(k, int(x)) for k, x in rows]
        sources: list[Any] = [
            bench.sqlite(rows),
            bench.sqlite(whole, types=("TEXT", "NUMERIC")),
            bench.parquet(rows),
            bench.parquet(rows, types=("VARCHAR", "FLOAT")),
            bench.parquet(whole, types=("VARCHAR", "SMALLINT")),
        ]
        for source in sources:
            answer = bench.asked(source, _BY_KEY, CERTAIN)
            told.add(json.dumps([_shape(answer), answer.to_dict()["rows"]]))
    expect(len(told) == 1, f"the same rows are answered in {len(told)} ways")
    return "200 rows in 2 orders and 5 forms are answered with the same bytes"
