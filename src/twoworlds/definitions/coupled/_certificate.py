"""Best simulators as plain data: adding up again what a certificate proves.

A certificate holds tables, a simulator's laws and tests, all as fractions. Nothing else is needed
to check them: no scene, no linear program. What is proved are two numbers, `Proved`: the simulator
has delta ``upper`` at a ratio and above, no simulator has less than ``lower`` at a ratio and below.
Labels, beliefs and private values describe; that the tables are those of a release under a belief
is what `twoworlds.definitions.coupled.scene.scene` computes, and cannot be seen from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpz

from twoworlds.definitions.coupled._program import GivenValue
from twoworlds.definitions.coupled._proof import Distinguisher, TestBound, attained, sound
from twoworlds.errors import InvalidInput
from twoworlds.numbers import exact_text, show

ZERO = Fraction(0)
_LONGEST_PLACE = 20
_ENCLOSURE = Fraction(1, 1 << 60)
UNCHECKED = (
    "labels, beliefs and private values in it are descriptions, which cannot be checked: the proof "
    "is about the tables of probabilities that it holds"
)


@dataclass(frozen=True)
class Proved:
    """What a certificate proves.

    Attributes:
        lower: no simulator has a smaller delta at ``lower_at`` or at a smaller ratio.
        lower_at: that ratio.
        upper: the simulator has no larger delta at ``upper_at`` or at a larger ratio.
        upper_at: that ratio.
    """

    lower: Fraction
    lower_at: Fraction
    upper: Fraction
    upper_at: Fraction

    @property
    def optimal(self) -> bool:
        """Whether both speak of one ratio (up to an enclosure's width) and meet."""
        near = self.lower_at - self.upper_at <= _ENCLOSURE * self.upper_at
        return near and self.lower == self.upper

    def explain(self) -> str:
        """Say it as a clause."""
        if self.optimal:
            return (
                f"optimal: the simulator has delta {show(self.upper)} at ratio "
                f"{show(self.upper_at)}, and no simulator has less"
            )
        return (
            f"bounds: the simulator has at most delta {show(self.upper, side='up')} at ratio "
            f"{show(self.upper_at)} or above, and no simulator has less than "
            f"{show(self.lower, side='down')} at ratio {show(self.lower_at)} or below"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data, exactly."""
        return {
            "meaning": "optimal" if self.optimal else "bounds",
            "lower": exact_text(self.lower),
            "lower_at_ratio": exact_text(self.lower_at),
            "upper": exact_text(self.upper),
            "upper_at_ratio": exact_text(self.upper_at),
            "sentence": self.explain(),
        }


def verify_optimum(data: Mapping[str, Any]) -> bool:
    """Tell whether plain data, as `Optimum.to_dict` gives it, proves what it claims."""
    return proved_by(data) is not None


def proved_by(data: Mapping[str, Any]) -> Proved | None:
    """Return what plain data, as `Optimum.to_dict` gives it, proves; None where it does not."""
    try:
        return _proved(data.get("certificate", data))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InvalidInput(
            f"this is no certificate of a best simulator ({type(error).__name__}: {error}): "
            "give what Optimum.to_dict() returns"
        ) from None


def _proved(given: Mapping[str, Any]) -> Proved | None:
    outputs, inputs = _labels(given["outputs"], "output"), _labels(given["inputs"], "input")
    made = [
        _comparison(i, one, outputs, inputs) for i, one in enumerate(_list(given["comparisons"]))
    ]
    laws = tuple(_read(law, outputs) for law in _list(given["simulator"]))
    tests = [_test(one) for one in _list(given["tests"])]
    claim = Proved(
        *(_number(given[name]) for name in ("lower", "lower_at_ratio", "upper", "upper_at_ratio"))
    )
    holds = (
        bool(made)
        and len(laws) == inputs
        and all(_is_law(law) for law in laws)
        and all(_is_law(c.real, c.error[0]) and _is_law(c.ideal, c.error[1]) for c in made)
        and 1 <= claim.upper_at <= claim.lower_at
        and sound(made, outputs, tests)
        and attained(made, laws, claim.upper_at) == claim.upper
        and TestBound(made, outputs, tests).at(claim.lower_at) == claim.lower
    )
    return claim if holds else None


def _comparison(number: int, given: Mapping[str, Any], outputs: int, inputs: int) -> GivenValue:
    said = ("whose", "side", "private")
    _only(given, "belief", *said, "real", "ideal", "errors")
    _whole(given["belief"])
    if not all(isinstance(given[name], str) for name in said):
        raise TypeError(f"{', '.join(said)} of a comparison are texts")
    off, shift = map(_number, _list(given["errors"]))
    real, ideal = _read(given["real"], outputs), _read(given["ideal"], inputs)
    return GivenValue(number, given["private"], real, ideal, (off, shift))


def _test(given: Mapping[str, Any]) -> Distinguisher:
    _only(given, "comparison", "favours", "event", "weight")
    event = tuple(_whole(place) for place in _list(given["event"]))
    return Distinguisher(
        _whole(given["comparison"]), given["favours"], event, _number(given["weight"])
    )


def _only(given: Mapping[str, Any], *names: str) -> None:
    if given.keys() != set(names):
        raise ValueError(f"the fields must be {', '.join(names)}")


def _list(given: object) -> list[Any]:
    if not isinstance(given, list):
        raise TypeError(f"{type(given).__name__} in place of a list")
    return given


def _labels(given: Sequence[object], what: str) -> int:
    """Return how many labels there are, each of which must be a text of its own."""
    if not isinstance(given, list) or not all(isinstance(label, str) for label in given):
        raise TypeError(f"the {what}s must be a list of texts")
    if len(set(given)) < len(given):
        raise ValueError(f"an {what} is named twice")
    return len(given)


def _whole(given: object) -> int:
    if type(given) is not int:  # True is an int to Python, and 1.0 a key like 1
        raise TypeError(f"{given!r} is no whole number")
    return given


def _number(text: str) -> Fraction:
    """Read a fraction in lowest terms; unlike Python, without a limit on its digits."""
    top, _, bottom = text.partition("/")
    found = fmpq(fmpz(top), fmpz(bottom or "1"))
    if str(found) != text:
        raise ValueError(f"{text[:60]!r} must be written {str(found)[:60]}")
    return Fraction(int(found.p), int(found.q))


def _read(law: Mapping[str, str], size: int) -> dict[int, Fraction]:
    if any(not place.isdecimal() or len(place) > _LONGEST_PLACE for place in law):
        raise ValueError("a law names its places by numbers")
    found = {int(place): _number(p) for place, p in law.items()}
    if [str(place) for place in found] != list(law):
        raise ValueError("a law names a place in two ways")
    if any(not 0 <= place < size for place in found):
        raise ValueError(f"a law names a place beyond {size}")
    return found


def _is_law(law: Mapping[int, Fraction], error: Fraction = ZERO) -> bool:
    total = sum(law.values(), start=ZERO)
    return error >= 0 and all(p >= 0 for p in law.values()) and abs(total - 1) <= error
