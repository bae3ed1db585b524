"""Simulators: what stands for the release in the ideal world, computed from scrubbed databases.

`canonical` runs the release itself on the scrubbed database (Bassily, Groce, Katz & Smith, Section
III: "if Sim is identical to F"). `Simulator.table` takes the laws as given. The best one is found
by a linear program, in `optimal`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.definitions.coupled.scene import Law, Release, Scene, untagged
from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, to_json
from twoworlds.worlds.joint import as_law, plain_label

__all__ = ["Simulator", "canonical", "coin", "require_range"]


@dataclass(frozen=True)
class Simulator:
    """A random map from scrubbed databases to outputs.

    Attributes:
        name: in words, to follow "the simulator": "runs the release on what is left".
        law: from a scrubbed database to the law of the simulated output.
    """

    name: str
    law: Callable[[Hashable], Law] = field(compare=False)

    def __call__(self, scrubbed: Hashable) -> Law:
        """Return the law of the simulated output."""
        return self.law(scrubbed)

    @staticmethod
    def table(laws: Mapping[Any, Any], name: str = "as given") -> Simulator:
        """Return the simulator with these laws, by scrubbed database (or its label)."""
        read = {y: as_law(law) for y, law in laws.items()}
        by_label = {plain_label(y): law for y, law in read.items()}

        def law(y: Hashable) -> Law:
            found = read.get(y, by_label.get(plain_label(y)))
            if found is None:
                raise InvalidInput(
                    f"the simulator says nothing for {plain_label(y)}: give its law there"
                )
            return found

        return Simulator(name, law)

    @staticmethod
    def of(function: Callable[[Any], Any], name: str = "as given") -> Simulator:
        """Return the simulator of a random map."""
        return Simulator(name, lambda y: as_law(function(y)))

    def on(self, scene: Scene) -> dict[Hashable, Law]:
        """Return the laws on every scrubbed database of a scene."""
        return {y: self(y) for y in scene.inputs}

    def to_dict(self, scene: Scene) -> dict[str, Any]:
        """Return the table as plain data."""
        return {
            plain_label(y): {plain_label(t): to_json(p) for t, p in law.items()}
            for y, law in self.on(scene).items()
        }


def canonical(release: Release) -> Simulator:
    """Return the simulator that runs the release on the scrubbed database.

    >>> canonical(Release.of("parity(bits=2)"))((1,))
    {1: Fraction(1, 1)}
    """
    return Simulator("runs the release on what is left", lambda y: release.law(untagged(y)))


def coin(outputs: tuple[Hashable, ...]) -> Simulator:
    """Return the simulator that ignores its input and names an output evenly."""
    share: Number = Fraction(1, len(outputs))
    return Simulator("names an output at random, evenly", lambda _: dict.fromkeys(outputs, share))


def require_range(simulator: Simulator, scene: Scene) -> None:
    """Refuse a simulator that names outputs which the release never shows.

    Symbols outside the range only waste probability, so naming one is taken for a slip.
    """
    possible = set(scene.outputs)
    shown = ", ".join(map(plain_label, scene.outputs))
    for y, law in simulator.on(scene).items():
        for t in law:
            if t not in possible:
                raise InvalidInput(
                    f"the simulator outputs {plain_label(t)} on {plain_label(y)}, which the "
                    f"release never shows: its outputs are {shown}"
                )
