"""A column made clean, its comparison with constants, and its values in whole units.

Clean: what is no value of the declared kind is missing (NaN; a text among numbers; a column of
another type than is declared, as a whole; a date outside the years 1 to 9999). Texts compare byte
by byte. Floats and decimals that are declared integer are rounded to the nearest whole number
before anything else, and those beyond 64 bits to the nearest that has them, unless the engine has
wider ones; conditions, groups and sums see that number.

A column that identifies people is compared exactly: a number that is not whole, or that may stand
for several (a float beyond 2^53, more than 64 bits), is missing, so that different people never
become one.

A constant is compared with whole numbers and decimals exactly, and with floats after it has been
rounded to the nearest float, so that 0.1 in a query is the 0.1 in a table.

The value in units is v = clamp(round(x / unit), low, high). It never decreases in x, no matter how
the engine rounds: floats are multiplied and divided by the parts of the unit, which are monotone
operations, and half a unit goes up or down as the engine's ``round`` does. A value outside the
bounds is clamped before anything is computed with it, so nothing overflows.

`truth` writes the conditions of a query in SQL, whose three-valued logic they share.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import ceil, floor

from sqlglot import exp

from twoworlds.errors import TooLarge
from twoworlds.numbers import show
from twoworlds.release.backends.base import Family, Field
from twoworlds.release.plan import sql
from twoworlds.release.plan.sql import Engine
from twoworlds.release.policy.model import Value
from twoworlds.release.query.conditions import (
    All,
    AnyOf,
    Compare,
    Condition,
    Missing,
    Not,
    OneOf,
    Operator,
)
from twoworlds.release.query.resolve import SummedMeasure

SAFE = 1 << 50  # whole numbers up to here survive a few float operations and a rounding
TINY = 2.0**-300  # what is smaller rounds to 0 for any unit that is allowed
MOST_PARTS = 1 << 61  # of numerator times denominator of a unit
LONGEST = 40  # digits after the point of a constant compared with decimals
LEAST, MOST = -(1 << 63), (1 << 63) - 1
DISTINCT = 1 << 53  # whole numbers up to here are floats of their own
FIRST_DAY, LAST_DAY = date(1, 1, 1), date(9999, 12, 31)
_TYPES = {
    "integer": "BIGINT",
    "number": "DOUBLE",
    "text": "TEXT",
    "boolean": "BOOLEAN",
    "date": "DATE",
}
_FAMILIES: dict[str, Family] = {
    "integer": "integer",
    "number": "float",
    "text": "text",
    "boolean": "boolean",
    "date": "date",
}
_Cleaned = tuple[Family, int | None, exp.Expression]


def check_unit(measure: SummedMeasure) -> None:
    """Refuse a unit in which engines cannot count exactly."""
    if measure.unit.numerator * measure.unit.denominator >= MOST_PARTS:
        raise TooLarge(
            f"the unit {show(measure.unit)} of {measure.column!r} has too many digits: "
            "round it in the policy"
        )


@dataclass(frozen=True)
class Clean:
    """A column of the cleaned rows."""

    name: str  # what the cleaned rows call it
    kind: str  # what the policy declares
    engine: Engine
    family: Family  # dynamic: whole numbers and floats
    bits: int | None  # of an integer; None when there is no limit
    value: exp.Expression  # how it is made of the column of the engine

    @classmethod
    def of(
        cls,
        name: str,
        field: Field,
        kind: str,
        engine: Engine,
        source: str | None = None,
        *,
        exact: bool = False,
    ) -> Clean:
        """Return the clean column of a column of the engine; ``exact`` where it tells people."""
        raw = sql.column(field.name, source)
        return cls(name, kind, engine, *_cleaned(field, kind, raw, engine, exact=exact))

    def __call__(self) -> exp.Expression:
        """Return the column, to be used in an expression."""
        return sql.column(self.name)

    # --- constants ------------------------------------------------------------------------------

    def constant(self, value: Value) -> exp.Expression:
        """Return a constant of this column; a number must be one that the column can hold."""
        match value:
            case bool():
                return exp.true() if value else exp.false()
            case str():
                return sql.text(value)
            case Fraction():
                return self._number(value)
            case _:
                return _day(value, self.engine)

    def _number(self, value: Fraction) -> exp.Expression:
        if self.family == "float" or (self.family == "dynamic" and value.denominator > 1):
            return sql.double(float(value))
        if value.denominator == 1:
            return sql.number(int(value))
        digits = f"{abs(floor(value * 10**LONGEST)):0{LONGEST + 1}d}"
        sign = "-" if value < 0 else ""
        return exp.Literal.number(f"{sign}{digits[:-LONGEST]}.{digits[-LONGEST:].rstrip('0')}")

    def holds(self, value: Value) -> bool:
        """Whether the column can hold a constant, so that a comparison for equality makes sense."""
        if not isinstance(value, Fraction):
            return True
        match self.family:
            case "integer":
                return value.denominator == 1 and self._within(int(value)) == 0
            case "decimal":
                return bool(10**LONGEST % value.denominator == 0)
            case _:
                return abs(value) <= Fraction(sys.float_info.max)

    def _within(self, value: int) -> int:
        """Return -1 or 1 for a whole number below or above all that the column can hold, else 0."""
        edge = 1 << ((self.bits or 128) - 1)
        return -1 if value < -edge else int(value >= edge)

    def compare(self, operator: Operator, value: Value) -> exp.Expression:
        """Return the comparison with a constant: unknown where the column is missing."""
        if operator in ("=", "!="):
            if not self.holds(value):
                return self._known(truth=operator == "!=")
            return sql.compare(self(), operator, self.constant(value))
        if not isinstance(value, Fraction):
            return sql.compare(self(), operator, self.constant(value))
        match self.family:
            case "integer":
                return self._compare_whole(operator, value)
            case "decimal":
                return sql.compare(self(), operator, self.constant(value))
        largest = Fraction(sys.float_info.max)
        if value > largest:  # x < 10^400 wherever x is at most the largest float
            return sql.compare(
                self(), "<=" if operator in ("<", "<=") else ">", self._number(largest)
            )
        if value < -largest:
            return sql.compare(
                self(), "<" if operator in ("<", "<=") else ">=", self._number(-largest)
            )
        return sql.compare(self(), operator, self.constant(value))

    def _compare_whole(self, operator: Operator, value: Fraction) -> exp.Expression:
        """Compare whole numbers with a constant rounded to the side that changes nothing."""
        bound = ceil(value) if operator in ("<", ">=") else floor(value)  # x < 5/2 iff x < 3
        side = self._within(bound)
        if side:
            return self._known(truth=(side > 0) == (operator in ("<", "<=")))
        return sql.compare(self(), operator, sql.number(bound))

    def _known(self, *, truth: bool) -> exp.Expression:
        """Return a truth that does not depend on the value, and is unknown where it is missing."""
        return sql.compare(self(), "=" if truth else "!=", self())

    def one_of(self, values: tuple[Value, ...]) -> exp.Expression:
        """Whether the column is one of these constants."""
        able = [self.constant(value) for value in values if self.holds(value)]
        if not able:
            return self._known(truth=False)
        return exp.In(this=self(), expressions=able)

    def finite(self) -> exp.Expression:
        """Return the column, missing where it is infinite: infinity is no key."""
        if self.family not in ("float", "decimal", "dynamic"):
            return self()
        largest = Fraction(sys.float_info.max)
        ends = [self.compare(">=", -largest), self.compare("<=", largest)]
        return sql.case((sql.all_of(ends), self()))

    # --- values in units ------------------------------------------------------------------------

    def units(self, measure: SummedMeasure) -> exp.Expression:
        """Return v, a 64-bit integer or narrower; missing where the column is, unless filled."""
        check_unit(measure)
        match self.family:
            case "integer":
                v = self._whole_units(measure)
            case "dynamic":
                whole = exp.Anonymous(this="TYPEOF", expressions=[self()]).eq("integer")
                v = sql.case((whole, self._whole_units(measure)), default=self._units(measure))
            case _:
                v = self._units(measure)
        if measure.fill is None:
            return v
        return exp.Coalesce(this=v, expressions=[sql.number(measure.fill)])

    def _whole_units(self, measure: SummedMeasure) -> exp.Expression:
        """Return v of whole numbers by whole numbers only.

        With unit = p / q and x = a p + r, where 0 <= r < p,

            round(x q / p) = a q + floor((2 r q + p) / 2p)

        with half a unit rounded up, and no part of it exceeds 2^63 once x is clamped.
        """
        p, q = measure.unit.numerator, measure.unit.denominator
        lowest, highest = ceil(measure.low * measure.unit), floor(measure.high * measure.unit)
        low, high = sql.number(measure.low), sql.number(measure.high)
        x: exp.Expression = self()
        wide = self.bits is None or self.bits > 64
        if p == q == 1:
            v = x
        else:
            x = x if wide else sql.cast(x, "BIGINT")
            rest = (x % sql.number(p) + sql.number(p)) % sql.number(p)
            a = self.engine.divide(exp.Paren(this=x - rest), sql.number(p)) if p > 1 else x
            v = exp.Paren(this=a) * sql.number(q)
            if p > 1:
                top = exp.Paren(this=rest * sql.number(2 * q) + sql.number(p))
                bottom = sql.number(2 * p)
                even = exp.Paren(this=top - exp.Paren(this=top % bottom))
                v = v + exp.Paren(this=self.engine.divide(even, bottom))
        if wide:
            v = sql.cast(v, "BIGINT")
        return sql.case(
            (self._compare_whole("<", Fraction(lowest)), low),
            (self._compare_whole(">", Fraction(highest)), high),
            default=v,
        )

    def _units(self, measure: SummedMeasure) -> exp.Expression:
        """Return v of floats or decimals."""
        p, q = measure.unit.numerator, measure.unit.denominator
        low, high = sql.number(measure.low), sql.number(measure.high)
        v: exp.Expression = self()
        if q > 1:
            v = v * self._number(Fraction(q))
        if p > 1:
            v = exp.Div(this=v, expression=self._number(Fraction(p)), typed=True, safe=False)
        v = sql.cast(self.engine.round(v), "BIGINT")
        if self.family != "decimal" and max(abs(measure.low), abs(measure.high)) > SAFE:
            v = _clamped(v, low, high)
        branches = [
            (self.compare(">=", measure.high * measure.unit), high.copy()),
            (self.compare("<=", measure.low * measure.unit), low.copy()),
        ]
        if self.engine.underflows and self.family == "float" and measure.unit != 1:
            tiny = sql.compare(exp.Abs(this=self()), "<", sql.double(TINY))
            branches.append((tiny, sql.number(0)))
        return sql.case(*branches, default=v)


def _cleaned(
    field: Field, kind: str, raw: exp.Expression, engine: Engine, *, exact: bool
) -> _Cleaned:
    """Return the family, the width and the value of a clean column."""
    family = _FAMILIES[kind]
    if not field.fits(kind):
        return family, 64, sql.null("TEXT" if kind == "date" and not engine.dates else _TYPES[kind])
    if field.family == "objects":
        return family, 64, _part_of_kind(kind, raw, engine, exact=exact)
    if kind == "integer" and exact:
        return family, 64, _identity(field, raw, engine)
    if field.cast and field.family in ("text", "float"):
        raw = sql.cast(raw, "TEXT" if field.family == "text" else "DOUBLE")
    match field.family:
        case "dynamic":
            family = "dynamic" if kind == "number" else family
            return family, field.bits, _of_dynamic(kind, raw, engine)
        case "text":
            return family, None, engine.bytewise(raw)
        case "float" if kind == "integer":
            whole = sql.cast(exp.Round(this=raw.copy()), "BIGINT")
            ends = sql.double(float(LEAST)), sql.double(float(MOST + 1))
            return family, 64, _unless_nan(raw, _in_64_bits(raw.copy(), whole, *ends), engine)
        case "float":
            return family, None, _unless_nan(raw, raw.copy(), engine)
        case "decimal" if engine.decimals:
            value = exp.Round(this=raw.copy()) if kind == "integer" else raw.copy()
            return "decimal", None, _unless_nan(raw, value, engine)
        case "decimal" if kind == "number":
            return family, None, sql.cast(raw, "DOUBLE")
        case "decimal" if engine.wide:
            return family, 128, sql.cast(raw, "INT128")  # no decimal has more digits
        case "decimal":
            x = sql.cast(raw, "DECIMAL(38, 0)")
            ends = sql.number(LEAST), sql.number(MOST)
            return family, 64, _in_64_bits(x, sql.cast(x.copy(), "BIGINT"), *ends)
        case "date" | "timestamp":
            return family, None, _within_years(field, raw, engine)
        case "integer" if kind == "boolean":  # MySQL's booleans are small numbers
            return family, None, sql.compare(raw, "!=", sql.number(0))
    if field.cast:
        wide = field.bits is None or field.bits > 64
        raw = sql.cast(raw, engine.widest if wide else "BIGINT")
    return field.family, field.bits, raw


def _unless_nan(x: exp.Expression, value: exp.Expression, engine: Engine) -> exp.Expression:
    return value if engine.nan is None else sql.case((exp.Not(this=engine.nan(x)), value))


def _in_64_bits(
    x: exp.Expression, whole: exp.Expression, least: exp.Expression, most: exp.Expression
) -> exp.Expression:
    """Return a number as a whole one, those beyond 64 bits as the nearest that has them."""
    return sql.case(
        (sql.compare(x, ">=", most), sql.number(MOST)),
        (sql.compare(x.copy(), "<=", least), sql.number(LEAST)),
        default=whole,
    )


def _within_years(field: Field, raw: exp.Expression, engine: Engine) -> exp.Expression:
    """Return a date from the years 1 to 9999; some units of time reach beyond all dates."""
    to = exp.DataType.build("DATE")
    day = exp.TryCast(this=raw, to=to) if field.family == "timestamp" else raw
    able: exp.Expression = exp.Between(
        this=day, low=_day(FIRST_DAY, engine), high=_day(LAST_DAY, engine)
    )
    if engine.in_calendar is not None:
        able = sql.all_of([able, engine.in_calendar(day.copy())])
    return sql.case((able, day.copy()))


def _identity(field: Field, raw: exp.Expression, engine: Engine) -> exp.Expression:
    """Return a whole number of 64 bits that stands for itself alone; others are missing."""
    if field.family == "dynamic":
        kind = exp.Anonymous(this="TYPEOF", expressions=[raw])
        real = sql.all_of([kind.copy().eq("real"), *_is_distinct(raw)])
        whole = (kind.eq("integer"), raw.copy())
        return sql.case(whole, (real, sql.cast(raw.copy(), "BIGINT")))
    if field.family == "integer" and field.bits is not None and field.bits <= 64:
        return sql.cast(raw, "BIGINT")
    if field.family == "float":
        x = sql.cast(raw, "DOUBLE") if field.cast else raw
        distinct = sql.case((sql.all_of(_is_distinct(x)), sql.cast(x.copy(), "BIGINT")))
        return _unless_nan(x.copy(), distinct, engine)
    conditions: list[exp.Expression] = [
        exp.Between(this=raw, low=sql.number(LEAST), high=sql.number(MOST))
    ]
    if field.family == "decimal":
        conditions.append(sql.compare(exp.Round(this=raw.copy()), "=", raw.copy()))
    return sql.case((sql.all_of(conditions), sql.cast(raw.copy(), "BIGINT")))


def _part_of_kind(kind: str, raw: exp.Expression, engine: Engine, *, exact: bool) -> exp.Expression:
    """Return the part of a frame's object that is of the declared kind."""

    def part(name: str) -> exp.Expression:
        inner = exp.Anonymous(this="STRUCT_EXTRACT", expressions=[raw.copy(), sql.text(name)])
        return _cleaned(Field("", _FAMILIES[name]), kind, inner, engine, exact=exact)[2]

    if kind != "integer":
        return part(kind)
    return exp.Coalesce(this=part(kind), expressions=[part("number")])


def _of_dynamic(kind: str, raw: exp.Expression, engine: Engine) -> exp.Expression:
    """Return a value whose type is its own, where it is of the declared kind."""
    type_ = exp.Anonymous(this="TYPEOF", expressions=[raw])
    raw = raw.copy()
    match kind:
        case "text":
            return sql.case((type_.eq("text"), engine.bytewise(raw)))
        case "integer":
            rounded = sql.cast(exp.Round(this=raw.copy()), "BIGINT")
            return sql.case((type_.eq("integer"), raw), (type_.copy().eq("real"), rounded))
        case "boolean":
            return sql.case((type_.eq("integer"), sql.compare(raw, "!=", sql.number(0))))
        case "date":
            day = exp.Anonymous(this="SUBSTR", expressions=[raw, sql.number(1), sql.number(10)])
            digits = "-".join(["[0-9]" * 4, "[0-9]" * 2, "[0-9]" * 2])
            iso = exp.Glob(this=day, expression=sql.text(digits))
            moved = [day.copy(), sql.text("+0 days")]  # turns February 31 into March 3
            calendar = exp.Anonymous(this="DATE", expressions=moved)
            real = sql.compare(calendar, "=", day.copy())
            first = sql.compare(day.copy(), ">=", _day(FIRST_DAY, engine))
            return sql.case((sql.all_of([type_.eq("text"), iso, real, first]), day.copy()))
    return sql.case((type_.isin("integer", "real"), raw))


def _day(value: date, engine: Engine) -> exp.Expression:
    day = sql.text(value.isoformat())
    return sql.cast(day, "DATE") if engine.dates else day


def _is_distinct(x: exp.Expression) -> list[exp.Expression]:
    """Whether a float is whole, and no other whole number is rounded to it."""
    ends = {"low": sql.double(-float(DISTINCT - 1)), "high": sql.double(float(DISTINCT - 1))}
    within = exp.Between(this=x.copy(), **ends)
    return [within, sql.compare(exp.Round(this=x.copy()), "=", x.copy())]


def _clamped(v: exp.Expression, low: exp.Expression, high: exp.Expression) -> exp.Expression:
    return sql.case(
        (sql.compare(v, ">", high), high.copy()),
        (sql.compare(v.copy(), "<", low), low.copy()),
        default=v.copy(),
    )


def truth(condition: Condition, columns: Mapping[str, Clean]) -> exp.Expression:
    """Return a condition as an expression over clean columns: true, false or unknown."""
    match condition:
        case Compare(name, operator, value):
            return columns[name].compare(operator, value)
        case OneOf(name, values):
            return columns[name].one_of(values)
        case Missing(name):
            return sql.is_missing(columns[name]())
        case Not(part):
            return exp.Not(this=exp.Paren(this=truth(part, columns)))
        case All(parts):
            return sql.all_of([truth(part, columns) for part in parts])
        case AnyOf(parts):
            return sql.any_of([truth(part, columns) for part in parts])
