"""The best simulator of a scene with the proof that it is, and both as plain data to check again.

An `Optimum` brings a simulator, which shows that delta is possible (`upper`), and tests, which
show that less is not (`lower`). Where the two meet, delta is exact. The certificate in
`Optimum.to_dict` holds the tables, the simulator and the tests as fractions;
`verify_optimum` adds them up again and needs nothing else: no scene, no linear program.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from flint import fmpz

from twoworlds.definitions.coupled._proof import Bound, Distinguisher, OptimalityProof, sound
from twoworlds.definitions.coupled._tables import Comparison, Laws, comparisons
from twoworlds.definitions.coupled.scene import Scene
from twoworlds.definitions.coupled.simulator import Simulator
from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, exact_text, show, to_json
from twoworlds.worlds.joint import plain_label

__all__ = ["Optimum", "attained", "table", "verify_optimum"]

ZERO = Fraction(0)


@dataclass(frozen=True)
class Optimum:
    """The least delta of all simulators at a ratio.

    Attributes:
        scene: the two worlds.
        ratio: a = e^epsilon.
        delta: the least delta: a fraction where it is exact, else an enclosure.
        simulator: one that attains it (up to the enclosure).
        proof: the tests that no simulator withstands better.
        lower: what the proof shows: no simulator has less.
        upper: what the simulator shows: it has no more.
        at: the rational ratio, at most the true one, at which ``upper`` is stated.
    """

    scene: Scene = field(repr=False)
    ratio: Number
    delta: Number
    simulator: Simulator
    proof: OptimalityProof
    lower: Fraction
    upper: Fraction
    at: Fraction
    laws: Laws = field(repr=False)

    @property
    def exact(self) -> bool:
        """Whether the proof and the simulator meet in one rational number."""
        return self.lower == self.upper

    def verify(self) -> bool:
        """Evaluate the simulator and the tests again, by fractions from the scene alone."""
        made = comparisons(self.scene, self.proof.bits)
        return (
            attained(made, self.laws, self.at) == self.upper
            and self.lower == self.proof.bound <= self.upper
            and self.proof.verify()
        )

    def explain(self) -> str:
        """Say what is reached, and why nothing better can be."""
        best = "" if self.exact else " or a little less"
        return (
            f"the best simulator keeps delta at {show(self.delta)}{best} at ratio "
            f"{show(self.ratio)}; {self.proof.explain()}"
        )

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield what is reached, then the tests."""
        yield "best", f"delta {show(self.delta)} at ratio {show(self.ratio)}"
        yield from self.proof.facts()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; "certificate" is what `verify_optimum` reads."""
        return {
            "ratio": to_json(self.ratio),
            "delta": to_json(self.delta),
            "exact": self.exact,
            "simulator": self.simulator.to_dict(self.scene),
            "proof": self.proof.to_dict(),
            "certificate": self._certificate(),
        }

    def _certificate(self) -> dict[str, Any]:
        cells = self.scene.cells
        return {
            "lower": exact_text(self.lower),
            "lower_at_ratio": exact_text(self.proof.ratio),
            "upper": exact_text(self.upper),
            "upper_at_ratio": exact_text(self.at),
            "outputs": [plain_label(t) for t in self.scene.outputs],
            "inputs": [plain_label(y) for y in self.scene.inputs],
            "comparisons": [
                {
                    "belief": cells[made.cell].belief,
                    "whose": cells[made.cell].scrub.name,
                    "side": plain_label(cells[made.cell].side),
                    "private": plain_label(made.private),
                    "real": _written(made.real),
                    "ideal": _written(made.ideal),
                    "errors": [exact_text(error) for error in made.error],
                }
                for made in comparisons(self.scene, self.proof.bits)
            ],
            "simulator": [_written(law) for law in self.laws],
            "tests": [
                {
                    "comparison": test.comparison,
                    "favours": test.favours,
                    "event": list(test.event),
                    "weight": exact_text(test.weight),
                }
                for test in self.proof.distinguishers
            ],
        }


def attained(made: Sequence[Comparison], laws: Laws, ratio: Fraction) -> Fraction:
    """Return the least delta of a simulator in all comparisons, both ways, errors added."""
    worst = ZERO
    for comparison in made:
        forth, back = comparison.gaps(comparison.simulated(laws), ratio)
        off, shift = comparison.error
        worst = max(worst, forth + off + ratio * shift, back + shift + ratio * off)
    return min(Fraction(1), worst)


def table(scene: Scene, laws: Laws) -> Simulator:
    """Return laws by number as a simulator."""
    read: dict[Hashable, dict[Hashable, Number]] = {
        y: {scene.outputs[t]: p for t, p in law.items()}
        for y, law in zip(scene.inputs, laws, strict=True)
    }
    return Simulator.table(read, "is the best there is, found by a linear program")


# --- plain data -----------------------------------------------------------------------------------


def _written(law: Mapping[int, Fraction]) -> dict[str, str | None]:
    return {str(place): exact_text(p) for place, p in law.items()}


def verify_optimum(data: Mapping[str, Any]) -> bool:
    """Tell whether plain data, as `Optimum.to_dict` gives it, proves what it claims.

    The tables themselves are taken as given: that they are those of a release and of beliefs is
    what `twoworlds.definitions.coupled.scene.scene` computes.

    Raises:
        InvalidInput: when something is missing or is no number.
    """
    given = data.get("certificate", data)
    try:
        return _verified(given)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InvalidInput(
            f"this is no certificate of a best simulator ({type(error).__name__}: {error}): "
            "give what Optimum.to_dict() returns"
        ) from None


def _verified(given: Mapping[str, Any]) -> bool:
    outputs, inputs = len(given["outputs"]), len(given["inputs"])
    made = [
        Comparison(
            number,
            item["private"],
            _read(item["real"], outputs),
            _read(item["ideal"], inputs),
            (_number(item["errors"][0]), _number(item["errors"][1])),
        )
        for number, item in enumerate(given["comparisons"])
    ]
    laws = tuple(_read(law, outputs) for law in given["simulator"])
    tests = [
        Distinguisher(
            test["comparison"], test["favours"], tuple(test["event"]), _number(test["weight"])
        )
        for test in given["tests"]
    ]
    low, high = _number(given["upper_at_ratio"]), _number(given["lower_at_ratio"])
    return (
        bool(made)
        and len(laws) == inputs
        and all(_is_law(law) for law in laws)
        and all(_is_law(c.real, c.error[0]) and _is_law(c.ideal, c.error[1]) for c in made)
        and 1 <= low <= high
        and sound(made, outputs, tests)
        and attained(made, laws, low) == _number(given["upper"])
        and Bound(made, outputs, tests).at(high) == _number(given["lower"])
    )


def _number(text: str) -> Fraction:
    """Read a fraction; unlike Python, without a limit on its digits."""
    top, _, bottom = text.partition("/")
    return Fraction(int(fmpz(top)), int(fmpz(bottom or "1")))


def _read(law: Mapping[str, str], size: int) -> dict[int, Fraction]:
    found = {int(place): _number(p) for place, p in law.items()}
    if any(not 0 <= place < size for place in found):
        raise ValueError(f"a law names a place beyond {size}")
    return found


def _is_law(law: Mapping[int, Fraction], error: Fraction = ZERO) -> bool:
    total = sum(law.values(), start=ZERO)
    return error >= 0 and all(p >= 0 for p in law.values()) and abs(total - 1) <= error
