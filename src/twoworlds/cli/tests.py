"""How well any test can tell two databases, or values of one record, apart."""

from __future__ import annotations

from pathlib import Path

from twoworlds.cli.render import console, print_json, print_saved, print_table, save_picture
from twoworlds.definitions.record_trade_off import RecordTradeOff, record_trade_off
from twoworlds.definitions.trade_off import TradeOff, misses, trade_off
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import Number, Order, compare, decimal, show, to_json, whole
from twoworlds.report import draw_trade_off

__all__ = ["show_trade_off"]

_MOST_CORNERS = 40


def show_trade_off(
    mechanism: Mechanism,
    true: str | None,
    other: str | None,
    *,
    belief: str | None,
    person: str,
    alternative: str | None,
    null: str | None,
    level: str | None,
    picture: Path | None,
    as_json: bool,
) -> None:
    """Print the curve, or the best power at one level."""
    curve: TradeOff | RecordTradeOff
    if belief is None and alternative is None and null is None:
        curve = _of_databases(mechanism, true, other)
    else:
        if true is not None or other is not None:
            raise InvalidInput(
                "a test is about two databases or about one record: name DATABASE and OTHER, "
                "or give --belief and --alternative, not both"
            )
        curve = _of_a_record(mechanism, belief, person, alternative, null)
    power = None if level is None else curve.power(level)
    saved = save_picture(picture, lambda: draw_trade_off(curve))
    if as_json:
        print_json({**_data(curve, level, power), **saved})
        return
    out = console()
    out.print(f"{mechanism.expression}: {curve.title}")
    out.print()
    out.print(curve.explain())
    if power is not None:
        out.print(f"At level {level} the best power is {_chance(power)}.")
    rows = [
        (_chance(corner.level), _chance(corner.power), show(misses(corner.power), side="at least"))
        for corner in curve.corners[:_MOST_CORNERS] or curve.points()
    ]
    print_table(("false alarms (level)", "power", "misses (type II)"), rows)
    out.print(_between(len(curve.corners)))
    print_saved(saved)


def _chance(chance: Number) -> str:
    """Write a probability; what is only rounded up to 1 is not written as 1."""
    text = show(chance)
    if chance == 1 or decimal(chance) != "1":
        return text
    near = "just below 1" if compare(chance, 1) is Order.LESS else "1, or just below"
    return f"{text[:-3]}({near})" if text.endswith("(1)") else near


def _between(corners: int) -> str:
    """Say what lies between the rows of the table, and beyond them."""
    if corners == 0:
        return "The curve is given at some levels: --level asks for any other."
    straight = "Between the corners the curve is straight: a coin decides."
    more = corners - _MOST_CORNERS
    if more <= 0:
        return straight
    return f"{more} of {corners} corners are left out here: --json lists them all. {straight}"


def _of_databases(mechanism: Mechanism, true: str | None, other: str | None) -> TradeOff:
    if true is None or other is None:
        raise InvalidInput(
            "name the two databases to tell apart, or test one record with --belief and "
            "--alternative, as in --belief uniform --person 1 --alternative 1"
        )
    return trade_off(mechanism, true, other)


def _of_a_record(
    mechanism: Mechanism,
    belief: str | None,
    person: str,
    alternative: str | None,
    null: str | None,
) -> RecordTradeOff:
    if belief is None or alternative is None:
        missing = "--belief, such as uniform" if belief is None else "--alternative, such as 1"
        raise InvalidInput(f"a test about one record also needs {missing}")
    return record_trade_off(
        mechanism,
        belief=belief,
        person=whole(person, "person", at_least=1),
        alternative=alternative.split(","),
        null=None if null is None else null.split(","),
    )


def _data(
    curve: TradeOff | RecordTradeOff, level: str | None, power: Number | None
) -> dict[str, object]:
    data = curve.to_dict()
    if power is None:
        return data
    data["power"] = to_json(power)
    data["type_two"] = to_json(misses(power), side="down")
    if isinstance(curve, RecordTradeOff) and curve.independent:
        data["largest_power"] = to_json(curve.largest_power(level))
        data["largest_power_by_difference"] = to_json(curve.largest_power_by_difference(level))
    return data
