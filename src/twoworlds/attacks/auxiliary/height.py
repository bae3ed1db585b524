"""The height of Terry Gross: harm to somebody who is not in the data (Dwork, Section 1).

A table of average heights is published. Somebody says that Terry Gross is two inches shorter than
the average Lithuanian woman. Who has both knows her height; who has heard only the remark knows
little; and she is in no way part of the data, so leaving her out could not have helped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from twoworlds.cards.explained import Explained
from twoworlds.errors import InvalidInput
from twoworlds.numbers import decimal, rational, show, to_json

__all__ = ["Height", "centimetres", "height"]

_UNITS = {
    "cm": Fraction(1),
    "mm": Fraction(1, 10),
    "m": Fraction(100),
    "inch": Fraction(254, 100),
    "inches": Fraction(254, 100),
    "in": Fraction(254, 100),
    "foot": Fraction(3048, 100),
    "feet": Fraction(3048, 100),
    "ft": Fraction(3048, 100),
}
_MARGIN = Fraction(10)
_LENGTH = re.compile(r"\s*([^\sA-Za-z]+)\s*([A-Za-z]*)\s*")


def centimetres(value: object, name: str = "length") -> Fraction:
    """Read a length, in centimetres unless a unit is given.

    >>> centimetres("2 inches"), centimetres("166.5")
    (Fraction(127, 25), Fraction(333, 2))
    """
    match = _LENGTH.fullmatch(str(value))
    unit = (match.group(2).lower() or "cm") if match else ""
    if match is None or unit not in _UNITS:
        raise InvalidInput(
            f"{name}={value!r} is no length: write it like 166.5, '2 inches', '5 cm'"
        )
    return rational(match.group(1), name) * _UNITS[unit]


@dataclass(frozen=True)
class Height(Explained):
    """Who knows the height, with the release and without.

    Attributes:
        average: What is published, in centimetres.
        shorter: By how much she is shorter, in centimetres; negative if taller.
        lowest: The least average that anybody thinks possible.
        highest: The largest.
        step: How finely averages are published.
    """

    average: Fraction
    shorter: Fraction
    lowest: Fraction
    highest: Fraction
    step: Fraction

    @property
    def height(self) -> Fraction:
        """Her height."""
        return self.average - self.shorter

    @property
    def possible(self) -> int:
        """How many averages are possible, equally likely to those who have not seen it."""
        return int((self.highest - self.lowest) / self.step) + 1

    @property
    def attacker(self) -> Fraction:
        """The chance of naming the height, with the remark and the release."""
        return Fraction(1)

    @property
    def simulator(self) -> Fraction:
        """The best chance with the remark alone: the height is as uncertain as the average."""
        return Fraction(1, self.possible)

    def explain(self) -> str:
        """Tell the story with its numbers."""
        word = "shorter" if self.shorter >= 0 else "taller"
        return (
            f"Published: the average Lithuanian woman is {_cm(self.average)} cm tall. The remark: "
            f"Terry Gross is {_cm(abs(self.shorter))} cm {word}. Together: she is "
            f"{_cm(self.height)} cm tall, for certain. With the remark alone, and averages from "
            f"{_cm(self.lowest)} to {_cm(self.highest)} cm in steps of {_cm(self.step)} cm all "
            f"thought equally likely (made-up numbers), the best guess is right with probability "
            f"{show(self.simulator)}. She is no Lithuanian woman, so she is not in the data: the "
            "world in which her data was used and the world in which it was not are the same, "
            "every published number has the same probability in both, and still she is harmed. No "
            "release that tells the average can prevent that. What differential privacy promises "
            "instead: that taking part adds almost nothing to the harm. To her it adds exactly 0."
        )

    def picture(self) -> str:
        """Draw the chance of naming her height, with the release and without."""
        from twoworlds.cards import bars

        chances = {"the remark and the average": self.attacker, "the remark alone": self.simulator}
        return bars("Her height is named, given", chances)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "average": to_json(self.average),
            "shorter": to_json(self.shorter),
            "height": to_json(self.height),
            "attacker": to_json(self.attacker),
            "simulator": to_json(self.simulator),
            "gap": to_json(self.attacker - self.simulator),
            "in_the_data": False,
            "epsilon_for_her": to_json(Fraction(0)),
            "explanation": self.explain(),
        }


def height(
    average: object = "166.5",
    shorter: object = "2 inches",
    *,
    lowest: object = None,
    highest: object = None,
    step: object = None,
) -> Height:
    """Return who learns the height.

    Args:
        average: What is published.
        shorter: By how much she is shorter.
        lowest: The least average thought possible; 150 cm, or a little below the published one.
        highest: The largest; 180 cm, or a little above the published one.
        step: How finely it is published; 1 mm, or finer where the published one needs it.

    >>> height().height
    Fraction(8071, 50)
    """
    middle = centimetres(average, "average")
    finest = Fraction(1, 10)
    while step is None and (middle / finest).denominator > 1 and finest > Fraction(1, 10**9):
        finest /= 10
    found = Height(
        middle,
        centimetres(shorter, "shorter"),
        min(Fraction(150), floor(middle) - _MARGIN) if lowest is None else centimetres(lowest),
        max(Fraction(180), floor(middle) + _MARGIN) if highest is None else centimetres(highest),
        finest if step is None else centimetres(step, "step"),
    )
    if found.step <= 0 or not found.lowest <= found.average <= found.highest:
        raise InvalidInput(
            f"the average {_cm(found.average)} cm must lie between lowest={_cm(found.lowest)} and "
            f"highest={_cm(found.highest)}, and step={_cm(found.step)} above 0: widen the range"
        )
    if (found.average - found.lowest) / found.step % 1 or found.height <= 0:
        raise InvalidInput(
            f"the average {_cm(found.average)} cm must be one of the possible ones, a whole number "
            f"of steps of {_cm(found.step)} cm above {_cm(found.lowest)}, and the height positive"
        )
    return found


def _cm(x: Fraction) -> str:
    return decimal(x, 8, "about")
