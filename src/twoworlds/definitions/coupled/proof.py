r"""Why no simulator does better: a mixed strategy of tests, in a game against all simulators.

One player chooses a simulator, the other a `Distinguisher`: a cell, a value v of the private part,
an event S of outputs, and which world it favours. The distinguisher wins its advantage

    P(S) - a Q(S)   (favouring the real world)       or       Q(S) - a P(S)   (the ideal one),

where P is the law of the release and Q that of the simulated output, both given v and z. A
simulator has this delta if no distinguisher wins more. So if tests drawn with weights omega win
at least delta on average against every simulator, no simulator has a smaller delta: whatever it
does, one of the tests tells the worlds apart with that advantage. The average is linear in the
simulator, hence smallest when every scrubbed database y is sent to a single output:

    bound(a) = c_0 - a c_1 + sum_y min_t ( B(y, t) - a A(y, t) ),

with c_0, A from the tests that favour the real world and c_1, B from the others. It is checked by
adding up fractions, and falls as a grows.
A symbol that the release never shows may be added to the events of all tests that favour the
ideal world, so simulators that use one are covered too.

Best simulators as plain data: adding up again what a certificate proves.

A certificate holds tables, a simulator's laws and tests, all as fractions. Nothing else is needed
to check them: no scene, no linear program. What is proved are two numbers, `Proved`: the simulator
has delta ``upper`` at a ratio and above, no simulator has less than ``lower`` at a ratio and below.
Labels, beliefs and private values describe; that the tables are those of a release under a belief
is what `twoworlds.definitions.coupled.scene.scene` computes, and cannot be seen from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from flint import fmpq, fmpz

from twoworlds.definitions.coupled._program import GivenValue, Key, Laws
from twoworlds.definitions.coupled.scene import Scene
from twoworlds.errors import InvalidInput
from twoworlds.laws.comparison import between
from twoworlds.numbers import exact_text, show, to_json
from twoworlds.worlds.joint import NOTHING, plain_label

ZERO = Fraction(0)
_SHOWN = 12


@dataclass(frozen=True)
class Distinguisher:
    """One test of the two worlds.

    Attributes:
        comparison: the number of the comparison (cell and value v) in its scene.
        favours: the world in which the event is taken to be likelier, "real" or "ideal".
        event: the outputs, by number (of inferences: private values).
        weight: how often this test is drawn.
    """

    comparison: int
    favours: str
    event: tuple[Any, ...]
    weight: Fraction


def layers(stakes: Mapping[Key, Mapping[Any, Fraction]]) -> tuple[Distinguisher, ...]:
    """Write multipliers of single outputs as weights of nested events.

    >>> layers({(0, "real"): {0: Fraction(1, 2), 1: Fraction(1, 3)}})[0].event
    (0, 1)
    """
    found = []
    for (comparison, favours), weights in stakes.items():
        done = ZERO
        for level in sorted(set(weights.values())):
            event = _ordered([t for t, weight in weights.items() if weight >= level])
            found.append(Distinguisher(comparison, favours, tuple(event), level - done))
            done = level
    return tuple(found)


class TestBound:
    """The function bound(a) of given tests; errors of enclosed probabilities are taken off."""

    def __init__(
        self,
        made: Sequence[GivenValue],
        outputs: int,
        distinguishers: Iterable[Distinguisher],
    ) -> None:
        self._made, self._outputs = made, outputs
        self.start, self.fall = ZERO, ZERO
        self._stakes: dict[Key, dict[int, Fraction]] = {}
        for test in distinguishers:
            comparison = made[test.comparison]
            off, shift = (test.weight * error for error in comparison.error)
            self.start -= off if test.favours == "real" else shift
            self.fall += shift if test.favours == "real" else off
            stakes = self._stakes.setdefault((test.comparison, test.favours), {})
            for t in test.event:
                stakes[t] = stakes.get(t, ZERO) + test.weight
        for (k, favours), stakes in self._stakes.items():
            mass = sum((w * made[k].real.get(t, ZERO) for t, w in stakes.items()), start=ZERO)
            self.start += mass if favours == "real" else ZERO
            self.fall += ZERO if favours == "real" else mass

    def answer(self, ratio: Fraction) -> Fraction:
        """Return sum_y min_t ( B(y, t) - a A(y, t) ): what the best answer leaves to the tests.

        Outputs with the same stakes in all tests are one.
        """
        weights = [w for stakes in self._stakes.values() for w in stakes.values()]
        asked = dict.fromkeys(k for k, _ in self._stakes)
        unit = lcm(*(w.denominator for w in weights)) * ratio.denominator
        whole = lcm(*(p.denominator for k in asked for p in self._made[k].ideal.values()))
        columns: dict[int, dict[int, int]] = {}  # in parts of the unit, and masses of the whole
        for (k, favours), stakes in self._stakes.items():
            sign = Fraction(1) if favours == "ideal" else -ratio
            for t, weight in stakes.items():
                column = columns.setdefault(t, {})
                column[k] = column.get(k, 0) + int(sign * weight * unit)
        different = [dict(one) for one in {frozenset(one.items()) for one in columns.values()}]
        if len(columns) < self._outputs:
            different.append({})
        inputs: dict[int, dict[int, int]] = {}
        for k in asked:
            for y, p in self._made[k].ideal.items():
                inputs.setdefault(y, {})[k] = p.numerator * (whole // p.denominator)
        total = sum(
            min(
                sum(c * masses[k] for k, c in column.items() if k in masses) for column in different
            )
            for masses in inputs.values()
        )
        return Fraction(total, unit * whole)

    def at(self, ratio: Fraction) -> Fraction:
        """Return the bound at a ratio; 0 is always one."""
        return max(ZERO, self.start - ratio * self.fall + self.answer(ratio))


def attained(made: Sequence[GivenValue], laws: Laws, ratio: Fraction) -> Fraction:
    """Return the least delta of a simulator in all comparisons, both ways, errors added."""
    worst = ZERO
    for comparison in made:
        ideal = comparison.simulated(laws)
        off, shift = comparison.error
        worst = max(
            worst,
            _excess(comparison.real, ideal, ratio, off + ratio * shift),
            _excess(ideal, comparison.real, ratio, shift + ratio * off),
        )
    return min(Fraction(1), worst)


def _excess(
    law: Mapping[int, Fraction], over: Mapping[int, Fraction], ratio: Fraction, error: Fraction
) -> Fraction:
    """Return sum_t (P - a Q)_+ and the error, which counts unless P < a Q by more than it.

    No single difference is off by more than the error, and neither is the sum of any of them.
    """
    delta = between(law, over).gap(ratio).delta
    assert isinstance(delta, Fraction)
    near = error and any(p - ratio * over.get(t, ZERO) > -error for t, p in law.items())
    return delta + error if near else delta


def sound(
    made: Sequence[GivenValue], outputs: int, distinguishers: Sequence[Distinguisher]
) -> bool:
    """Tell whether these are tests with weights of a mixed strategy."""
    return (
        all(
            0 <= test.comparison < len(made)
            and test.favours in ("real", "ideal")
            and all(0 <= t < outputs for t in test.event)
            and len(set(test.event)) == len(test.event)
            and test.weight >= 0
            for test in distinguishers
        )
        and sum((test.weight for test in distinguishers), start=ZERO) <= 1
    )


def _ordered(outputs: list[Any]) -> list[Any]:
    """Sort outputs that have an order; leave the others as they are."""
    try:
        return sorted(outputs)
    except TypeError:
        return outputs


def facts_of(scene: Scene, tests: Iterable[Distinguisher]) -> list[tuple[str, str]]:
    """Return the tests, one a line."""
    return [(f"weight {show(test.weight)}", written(scene, test)["in_words"]) for test in tests]


def written(scene: Scene, test: Distinguisher) -> dict[str, Any]:
    """Return one test as plain data: whose privacy, what is known, which outputs, which world."""
    pairs = ((cell, v) for cell in scene.cells for v in cell.mass)
    cell, private = next(pair for k, pair in enumerate(pairs) if k == test.comparison)
    known = "" if cell.side == NOTHING else f", knowing {plain_label(cell.side)}"
    event = [plain_label(t) for t in _ordered([scene.outputs[t] for t in test.event])]
    more = f", and {len(event) - _SHOWN} more" if len(event) > _SHOWN else ""
    return {
        "whose": cell.scrub.name,
        "side": plain_label(cell.side),
        "private": plain_label(private),
        "favours": test.favours,
        "event": event,
        "weight": to_json(test.weight),
        "in_words": f"{cell.scrub.name} with {plain_label(private)}{known}: is the output in "
        f"{{{', '.join(event[:_SHOWN])}{more}}}? Then say it is the {test.favours} world",
    }


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
            f"this is not a certificate of a best simulator ({type(error).__name__}: {error}): "
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
        raise TypeError(f"{given!r} is not a whole number")
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
