"""How well any test can tell two databases apart."""

from __future__ import annotations

from rich import box
from rich.table import Table

from twoworlds.cli.render import console, print_json
from twoworlds.definitions.trade_off import trade_off
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import show, to_json

__all__ = ["show_trade_off"]

_MOST_CORNERS = 40


def show_trade_off(
    mechanism: Mechanism, true: str, other: str, *, level: str | None, as_json: bool
) -> None:
    """Print the curve, or the best power at one level."""
    curve = trade_off(mechanism, true, other)
    power = None if level is None else curve.power(level)
    if as_json:
        data = curve.to_dict()
        if power is not None:
            data["power"] = to_json(power)
            data["type_two"] = to_json(1 - power, side="down")
        print_json(data)
        return
    out = console()
    out.print(f"{mechanism.expression}: telling {true} from {other}")
    out.print()
    out.print(curve.explain())
    if power is not None:
        out.print(f"At level {level} the best power is {show(power)}.")
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("false alarms (level)", "power", "misses (type II)"):
        table.add_column(heading)
    for corner in curve.corners[:_MOST_CORNERS]:
        table.add_row(show(corner.level), show(corner.power), show(1 - corner.power, side="down"))
    out.print(table)
    out.print("Between the corners the curve is straight: a coin decides.")
