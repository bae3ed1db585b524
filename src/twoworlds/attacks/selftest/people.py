"""Failures 23, 34 and 35: whose data is protected, and against which change of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from twoworlds.attacks.selftest.bench import CERTAIN, Bench, expect, values
from twoworlds.attacks.selftest.laws import Case, cells, check_cases, one_row_each
from twoworlds.errors import InvalidInput

__all__ = ["different_people", "limits_of_a_person", "substituted"]

_UNIT = "{person: p, rows: 3, groups: 2}"
_COLUMNS = (
    "{p: {kind: integer}, k: {kind: integer, keys: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]}, "
    "x: {kind: number, bounds: [0, 100], unit: 1}}"
)
_NAMES, _TYPES = ("p", "k", "x"), ("INTEGER", "INTEGER", "DOUBLE")
_PERSON = ", p: {kind: integer}"


def limits_of_a_person(bench: Bench) -> str:
    """Give one person a thousand rows in ten groups, and see how far they move answers."""
    others = [(p, p % 10, 50.0) for p in range(1, 51)]
    person = [(0, i % 10, float(i % 101)) for i in range(1000)]
    laid_out: tuple[Callable[..., Any], ...] = (bench.sqlite, bench.parquet)
    for lay_out in laid_out:
        without, among = (
            _by_group(bench, lay_out(rows, _NAMES, _TYPES)) for rows in (others, others + person)
        )
        for name, most, groups in (("count", 3, 2), ("sum_x", 300, 2), ("people", 2, 2)):
            moved = [abs(a - b) for a, b in zip(without[name], among[name], strict=True)]
            changed = sum(step > 0 for step in moved)
            expect(
                sum(moved) <= most and changed <= groups,
                f"one person with 1,000 rows moved {name} by {sum(moved)} in {changed} groups, "
                f"where {most} in {groups} are allowed",
            )
    with bench.opened(bench.selected(one_row_each()), cells(more=_PERSON), unit=_UNIT) as curator:
        cases = (
            Case("COUNT(*)", "1", Fraction(3)),
            Case("COUNT(DISTINCT p)", "1", Fraction(2)),
        )
        drawn = check_cases(curator, cases)
    return (
        "one person with 1,000 rows moves 2 groups by 3 rows together, and no more; "
        f"{drawn:,} draws are as wide as that demands"
    )


def _by_group(bench: Bench, source: Any) -> dict[str, list[Fraction]]:
    asked = "SELECT k, COUNT(*), SUM(x), COUNT(DISTINCT p) AS people FROM people GROUP BY k"
    answer = bench.asked(source, asked, CERTAIN, _COLUMNS, unit=_UNIT)
    return {name: values(answer, name) for name in ("count", "sum_x", "people")}


def substituted(bench: Bench) -> str:
    """Fit noise where a row may be replaced: it leaves one cell and enters another."""
    source = bench.selected(one_row_each())
    columns = cells(bounds="[-50, 100]", more=_PERSON)
    replaced = {"neighbours": "substitute"}
    with bench.opened(source, columns, **replaced) as curator:
        cases = (Case("COUNT(*)", "1", Fraction(2)), Case("SUM(x)", "20", Fraction(10), 3))
        drawn = check_cases(curator, cases)
        alone = curator.plan("SELECT SUM(x) FROM people", "1").calibration.noises[0][0].scale
    expect(alone == 150, f"a sum of values from -50 to 100 has noise of scale {alone}, not 150")
    with bench.opened(source, columns, budget="rho=1000", **replaced) as curator:
        drawn += check_cases(curator, [Case("COUNT(*)", "rho=1/4", Fraction(4))])
    with bench.opened(source, columns, unit=_UNIT, **replaced) as curator:
        drawn += check_cases(curator, [Case("COUNT(*)", "2", Fraction(3))])
    return f"{drawn:,} draws are as wide as replacing a row, or a person, demands"


def different_people(bench: Bench) -> str:
    """Give people numbers that agree in many digits, and count them."""
    laid_out: tuple[Callable[..., Any], ...] = (bench.parquet, bench.sqlite)
    tried = exact = 0
    for words, kind, ids, types in _ALIKE:
        for lay_out, stored in zip(laid_out, types, strict=False):
            source = lay_out([(one,) for one in ids], ("p",), (stored,))
            found = _people(bench, source, kind)
            expect(
                found in (0, len(ids)),
                f"{len(ids)} people with {words} as {kind} are counted as {found}",
            )
            tried, exact = tried + 1, exact + (found > 0)
    expect(exact > 0, "nothing identifies a person")
    return f"of {tried} tables of people with nearly equal numbers {exact} are counted, one by one"


_DIGITS = [f"1000000000000000000{n}" for n in range(5)]
_ALIKE: tuple[tuple[str, str, Sequence[Any], tuple[str, ...]], ...] = (  # Parquet, SQLite
    ("20 digits in text", "integer", _DIGITS, ("VARCHAR", "TEXT")),
    ("20 digits in text", "text", _DIGITS, ("VARCHAR", "TEXT")),
    ("20 digits", "integer", [int(one) for one in _DIGITS], ("HUGEINT",)),  # floats in SQLite
    ("neighbouring floats", "number", [0.1 + n * 2**-56 for n in range(5)], ("DOUBLE", "REAL")),
    ("leading zeros", "text", ["7", "07", "007"], ("VARCHAR", "TEXT")),
    ("spaces and capitals", "text", ["a", "a ", "A"], ("VARCHAR", "TEXT")),
)


def _people(bench: Bench, source: Any, kind: str) -> Fraction:
    """Return how many people are counted; 0 too when the kind is refused before any release."""
    asked, unit = "SELECT PEOPLE() FROM people", "{person: p, rows: 1}"
    try:
        answer = bench.asked(source, asked, CERTAIN, f"{{p: {{kind: {kind}}}}}", unit=unit)
    except InvalidInput:
        return Fraction(0)
    return values(answer, "people")[0]
