"""Simulators: what stands for the release in the ideal world, computed from scrubbed databases.

`canonical` runs the release itself on the scrubbed database (Bassily, Groce, Katz & Smith, Section
III: "if Sim is identical to F"). `Simulator.table` takes the laws as given. The best one is found
by a linear program, in `optimal`. `read_simulator` reads what one would type.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.answer import Block, Table
from twoworlds.calls import parse
from twoworlds.charts import HeatMap
from twoworlds.definitions.coupled.scene import Law, Release, Scene, untagged
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.numbers import Number, show, to_json
from twoworlds.worlds.catalogue import is_python, load_function
from twoworlds.worlds.joint import as_law, law_at, plain_label

__all__ = ["OPTIMAL", "Simulator", "canonical", "coin", "read_simulator", "require_range"]

OPTIMAL = "optimal"

_DRAWN = 12


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
        """Return the laws on every scrubbed database of a scene, after checking that they are."""
        return {y: law_at(self.law, y, "the simulator") for y in scene.inputs}

    def blocks(self, scene: Scene) -> Iterator[Block]:
        """Show what it outputs (columns) on each scrubbed database (rows)."""
        laws = self.on(scene)
        outputs = list(dict.fromkeys([*scene.outputs, *(t for law in laws.values() for t in law)]))
        rows = [
            (plain_label(y), [law.get(t, Fraction(0)) for t in outputs]) for y, law in laws.items()
        ]
        heads = [f"outputs {plain_label(t)}" for t in outputs]
        shown = [(name, *map(show, masses)) for name, masses in rows]
        yield Table(("given", *heads), shown, "The simulator:", numbers=True)
        if max(len(rows), len(outputs)) <= _DRAWN:
            dark = [(f"given {y}", [(show(p), float(p)) for p in masses]) for y, masses in rows]
            yield HeatMap("What the simulator says", heads, dark)

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


def read_simulator(given: object, scene: Scene) -> Simulator:
    """Return a simulator for a scene from what one would type.

    Text is ``canonical``, ``coin``, ``table(11=[0=1/2, 1=1/2], 10=1, ...)`` with one law for each
    scrubbed database, or ``python:module:function``. Objects: a `Simulator`, a mapping from
    scrubbed databases to laws, or a function. Whatever is given must stay within the outputs.
    """
    if given == "canonical":
        return canonical(scene.release)
    if given == "coin":
        return coin(scene.outputs)
    if isinstance(given, str):
        found = _named(given, scene)
    elif isinstance(given, Simulator):
        found = given
    elif isinstance(given, Mapping):
        found = Simulator.table(given)
    elif callable(given):
        found = Simulator.of(given)
    else:
        raise InvalidInput(
            f"simulator={given!r} is no simulator: write canonical, coin, optimal or table(...), "
            "or give a Simulator, a mapping or a function"
        )
    require_range(found, scene)
    return found


def _named(text: str, scene: Scene) -> Simulator:
    if is_python(text):
        return Simulator.of(load_function(text), text)
    call = parse(text)
    if call.name != "table":
        known = ("canonical", "coin", OPTIMAL, "table", "python:module:function")
        raise UnknownName("simulator", text, known)
    laws: dict[str, Law] = {}
    outputs = {plain_label(t): t for t in scene.outputs}
    entries = [str(part).partition("=") for part in call.positional]
    entries += [(key, "=", value) for key, value in call.named.items()]  # type: ignore[misc]
    for key, equals, value in entries:
        if not equals or key.strip() in laws:
            raise InvalidInput(
                f"{text!r}: give each scrubbed database once, as table(11=[0=1/2, 1=1/2], 10=1)"
            )
        laws[key.strip()] = _law(value, outputs)
    return Simulator.table(laws)


def _law(given: object, outputs: Mapping[str, Hashable]) -> Law:
    """Read the law of a simulated output: one output, or ``[0=1/2, 1=1/2]``."""
    text = given.strip() if isinstance(given, str) else given
    if isinstance(text, str) and not text.startswith("["):
        return as_law(outputs.get(text, text))
    parts = text if isinstance(text, list) else parse(f"law({text[1:-1]})")  # type: ignore[index]
    listed = parts if isinstance(parts, list) else list(parts.positional)
    pairs = [str(part).rpartition("=") for part in listed]
    if not isinstance(parts, list):
        pairs += [(key, "=", str(value)) for key, value in parts.named.items()]
    if not all(equals for _, equals, _ in pairs):
        raise InvalidInput(f"{given!r}: write the law of an output as [0=1/2, 1=1/2]")
    return as_law({outputs.get(t.strip(), t.strip()): p.strip() for t, _, p in pairs})
