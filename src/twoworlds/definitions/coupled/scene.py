"""The two worlds as tables: what the release shows, and what is left to a simulator.

For every belief, every pair (alt, priv) and every side information z a `WorldPair` holds the two
joint laws, given z,

    real[v][t]  = P(priv(X) = v, F(X) = t | z)        ideal[v][y] = P(priv(X) = v, alt(X) = y | z),

from which, with a simulator s(t | y), the ideal world's is Q(v, t) = sum_y ideal[v][y] s(t | y).
Every definition of this room, and the linear program of the best simulator, reads these tables and
nothing else.

Simulators: what stands for the release in the ideal world, computed from scrubbed databases.

`canonical` runs the release itself on the scrubbed database (Bassily, Groce, Katz & Smith, Section
III: "if Sim is identical to F"). `Simulator.table` takes the laws as given. The best one is found
by a linear program, in `optimal`. `read_simulator` reads what one would type.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from twoworlds.answer import Block, Table
from twoworlds.calls import is_python, load_function, parse
from twoworlds.charts import HeatMap
from twoworlds.errors import InvalidInput, TooLarge, UnknownName, Unsupported
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.base import FINITE_OUTPUTS
from twoworlds.mechanisms.named import mechanism as build_mechanism
from twoworlds.mechanisms.on_statistic import Deterministic, OnStatistic
from twoworlds.numbers import Number, Order, compare, show, to_json
from twoworlds.worlds import Point
from twoworlds.worlds.graphs import Graphs
from twoworlds.worlds.joint import BeliefClass, as_law, law_at, plain_label, times
from twoworlds.worlds.records import Records
from twoworlds.worlds.scrubbing import Scrub, Tagged
from twoworlds.worlds.statistic import Statistic

Law = Mapping[Hashable, Number]
ANYTHING = "anything"
"""The scrubbed database of a simulator that may as well ignore it."""
OTHERS = "others"
"""All outputs that are left out because they are unlikely (`Scene.lost`)."""
_MOST_CELLS, _MOST_LISTED, _MOST_SIMULATED, _MOST_TRIED = 1 << 21, 1 << 20, 1 << 25, 1 << 12
_BITS = 256


@dataclass(frozen=True)
class Release:
    """What is published of a database: a law of outputs, also on scrubbed databases."""

    name: str
    law: Callable[[Point], Law]
    source: Mechanism | None = None

    @staticmethod
    def of(what: Release | Mechanism | Statistic | Callable[[Any], Any] | str) -> Release:
        """Return a release from a mechanism, a statistic (exact), a random map, or a call.

        >>> Release.of("parity(bits=2)").law((1,))
        {1: Fraction(1, 1)}
        """
        if isinstance(what, Release):
            return what
        if isinstance(what, (str, Mechanism)):
            return _of_mechanism(build_mechanism(what))
        name = getattr(what, "name", None) or getattr(what, "__name__", "release")
        return Release(str(name), lambda x: as_law(what(x)))

    def on(self, database: Point) -> Law:
        """Return the law on a database, after checking that it is one; impossible outputs go."""
        law = self.law(database)
        return law if self.source is not None else law_at(lambda _: law, database, self.name)

    def then(self, post: Callable[[Any], Any], name: str = "a map of the output") -> Release:
        """Return the release followed by post-processing, which may be random."""
        return Release(f"{name} of {self.name}", lambda x: mapped(self.law(x), post))

    def pair(self, other: Release) -> Release:
        """Return both outputs, computed independently on the same database."""

        def law(x: Point) -> Law:
            mine, theirs = self.law(x), other.law(x)
            return {(a, b): p * q for a, p in mine.items() for b, q in theirs.items()}

        return Release(f"({self.name}, {other.name})", law)


def mapped(law: Law, post: Callable[[Any], Any]) -> dict[Hashable, Number]:
    """Return the law of a random map of what has a law."""
    found: dict[Hashable, Number] = {}
    for t, p in law.items():
        for new, chance in as_law(post(t)).items():
            found[new] = found.get(new, Fraction(0)) + p * chance
    return found


def _of_mechanism(mechanism: Mechanism) -> Release:
    """Return a mechanism as a release; what looks at a statistic only works on any size."""
    if mechanism.outputs.size is None:
        raise Unsupported(
            f"{mechanism.expression} has infinitely many outputs: coupled worlds are compared "
            f"exactly on finitely many, as of {FINITE_OUTPUTS}; exact releases need no noise"
        )
    if isinstance(mechanism, OnStatistic) and isinstance(mechanism.channel, Deterministic):
        exact = mechanism.statistic
        return Release(mechanism.expression, lambda x: as_law(exact(x)), mechanism)
    outputs = tuple(mechanism.outputs)

    def law(x: Point) -> Law:
        if isinstance(mechanism, OnStatistic):
            value = mechanism.statistic(x)
            found = {t: mechanism.channel.probability(t, value) for t in outputs}
            total = sum(found.values(), start=Fraction(0))
            if x not in mechanism.universe and not _may_be_one(total):
                raise _undefined(mechanism, x)
        elif x in mechanism.universe:
            found = {t: mechanism.probability(t, x) for t in outputs}
        else:
            raise _undefined(mechanism, x)
        return {t: p for t, p in found.items() if p != 0}

    return Release(mechanism.expression, law, mechanism)


def _may_be_one(total: Number) -> bool:
    return compare(total, 1, limit=_BITS) in (Order.EQUAL, Order.UNDECIDED)


def _undefined(mechanism: Mechanism, x: Point) -> InvalidInput:
    return InvalidInput(
        f"{mechanism.expression} is not defined on {plain_label(x)}: name a release that is "
        "defined on smaller databases too (an exact statistic is), or use simulator=optimal"
    )


@dataclass(frozen=True)
class WorldPair:
    """The two worlds for one belief, one pair and one side information.

    Attributes:
        belief: the position of the belief in its class.
        scrub: the pair (alt, priv).
        side: the side information z.
        weight: P(Z = z).
        mass: P(priv(X) = v | z), by v.
        real: P(priv(X) = v, F(X) = t | z), by v and t.
        ideal: P(priv(X) = v, alt(X) = y | z), by v and y.
    """

    belief: int
    scrub: Scrub
    side: Hashable
    weight: Number
    mass: Law
    real: Mapping[Hashable, Law]
    ideal: Mapping[Hashable, Law]

    def simulated(self, simulator: Callable[[Hashable], Law]) -> dict[Hashable, Law]:
        """Return Q(v, t) = sum_y P(priv = v, alt = y | z) s(t | y), by v and t."""
        found: dict[Hashable, Law] = {}
        for v, scrubbed in self.ideal.items():
            row: dict[Hashable, Number] = {}
            for y, p in scrubbed.items():
                for t, chance in simulator(y).items():
                    row[t] = row.get(t, Fraction(0)) + p * chance
            found[v] = row
        return found


@dataclass(frozen=True, eq=False)
class Scene:
    """All cells of a question, the outputs that can occur and what a simulator may be given."""

    release: Release
    beliefs: BeliefClass
    scrubs: tuple[Scrub, ...]
    cells: tuple[WorldPair, ...]
    outputs: tuple[Hashable, ...]
    inputs: tuple[Hashable, ...]
    people: int | None = None
    """For how many people alike the one of the scene stands (`orbits`); None: nobody else."""
    seen: BeliefClass | None = None
    """The same beliefs by what a simulator sees of the others, where that is less (`seeing`)."""

    @cached_property
    def lost(self) -> Fraction:
        """How much probability of databases is left out, as they are too many (`multinomial`)."""
        found = (sum(cell.mass.values(), start=Fraction(0)) for cell in self.cells)
        return max((1 - p for p in found if isinstance(p, Fraction)), default=Fraction(0))


def scene(
    release: Release | Mechanism | Statistic | Callable[[Any], Any] | str,
    beliefs: BeliefClass,
    scrubs: Iterable[Scrub],
) -> Scene:
    """Compute the tables of all cells.

    >>> from twoworlds.worlds import BitStrings
    >>> from twoworlds.worlds.classes import belief_class
    >>> from twoworlds.worlds.scrubbing import persons
    >>> fair = belief_class("uniform", BitStrings(2))
    >>> found = scene("parity(bits=2)", fair, persons(2))
    >>> len(found.cells), found.inputs, found.cells[0].real[1]
    (2, ((1,), (0,)), {0: Fraction(1, 4), 1: Fraction(1, 4)})
    """
    made, pairs = Release.of(release), tuple(scrubs)
    if not pairs:
        raise InvalidInput("nothing is named private: give at least one pair (alt, priv)")
    work = sum(len(member) for member in beliefs) * len(pairs)
    if work > _MOST_CELLS:
        raise TooLarge(
            f"{work} databases and side informations are to be compared, more than {_MOST_CELLS}: "
            "use fewer people, or a `noiseless` release, which works by structure"
        )
    _refuse_many_laws(made, beliefs)
    laws: dict[Point, Law] = {}
    for member in beliefs:
        for x in member.databases:
            if x not in laws:
                laws[x] = made.on(x)
    outputs = tuple(dict.fromkeys(t for law in laws.values() for t in law))
    cells = tuple(
        _cell(number, member.given(z), z, weight, pair, laws)
        for number, member in enumerate(beliefs)
        for pair in pairs
        for z, weight in member.sides.items()
    )
    inputs = tuple(dict.fromkeys(y for cell in cells for law in cell.ideal.values() for y in law))
    found = Scene(made, beliefs, pairs, cells, outputs, inputs)
    return replace(found, outputs=(*outputs, OTHERS)) if found.lost else found


def _refuse_many_laws(release: Release, beliefs: BeliefClass) -> None:
    """Refuse a mechanism whose law names each of very many outputs on very many databases."""
    source = release.source
    if source is None or isinstance(source, OnStatistic):
        return
    outputs = source.outputs.size or 1
    databases = max((len(member.databases) for member in beliefs), default=0)
    if databases * outputs > _MOST_LISTED:
        raise TooLarge(
            f"{release.name} has {outputs:,} outputs on each of {databases:,} databases: their "
            f"probabilities are listed where there are at most {_MOST_LISTED:,}; use "
            f"{_alike(source)}"
        )


def _alike(source: Mechanism) -> str:
    """Say how many records there may be where outputs are as many as databases."""
    where = source.universe
    if not isinstance(where, Records) or not where.fixed or where.size != source.outputs.size:
        return "fewer people"
    fit = (n for n in range(where.n, 0, -1) if Records(where.values, n).size ** 2 <= _MOST_LISTED)
    return f"at most {next(fit, 0)} records"


def refuse_large_table(release: Release, beliefs: BeliefClass, persons: int) -> None:
    """Refuse to look for the best simulator where listing it would take minutes."""
    _refuse_many_laws(release, beliefs)
    databases = {x for member in beliefs for x in member.databases}
    outputs = len({t for x in databases for t in release.on(x)})
    size = sum(map(len, beliefs)) * persons * outputs
    if size > _MOST_SIMULATED:
        raise TooLarge(
            f"{release.name} shows {outputs:,} outputs, and what is private of {persons:,} is "
            f"compared on {sum(map(len, beliefs)):,} databases: their product is {size:,}, and the "
            f"best simulator is looked for up to {_MOST_SIMULATED:,}; use "
            f"{_fewer(release)}coarser outputs, or a fixed "
            "simulator such as canonical"
        )


def _fewer(release: Release) -> str:
    """Say how many people there may be, where a smaller universe of the kind has few enough."""
    source = release.source
    universe = source.universe if isinstance(source, OnStatistic) else None
    if isinstance(universe, Graphs):
        for n in range(len(universe.nodes) - 1, 0, -1):
            if _shows_little(release, replace(universe, nodes=universe.nodes[:n]), n):
                return f"at most {n} nodes, "
    if isinstance(universe, Records) and universe.fixed:
        for n in range(universe.n - 1, 0, -1):
            if _shows_little(release, Records(universe.values, n), n):
                return f"at most {n} records, "
    return "fewer people, "


def _shows_little(release: Release, where: Graphs | Records, persons: int) -> bool:
    if where.size > _MOST_TRIED:
        return False
    return where.size * persons * len({t for x in where for t in release.on(x)}) <= _MOST_SIMULATED


def seeing(found: Scene, beliefs: BeliefClass) -> Scene:
    """Return the scene in which the simulator sees what these beliefs list, the same otherwise."""
    other = scene(Release("nothing", lambda _: {0: Fraction(1)}), beliefs, found.scrubs)
    pairs = zip(found.cells, other.cells, strict=True)
    cells = tuple(replace(cell, ideal=less.ideal) for cell, less in pairs)
    return replace(found, cells=cells, inputs=other.inputs, seen=beliefs)


def blind(found: Scene) -> Scene:
    """Return the scene of a simulator that sees nothing, which of independent records is as good.

    The ideal world depends on the mean law of what it does on what is left, given v: on one law.
    """
    scrubs = {id(pair): replace(pair, scrubbed=lambda _: ANYTHING) for pair in found.scrubs}
    cells = tuple(
        replace(
            cell,
            scrub=scrubs[id(cell.scrub)],
            ideal={v: {ANYTHING: mass} for v, mass in cell.mass.items()},
        )
        for cell in found.cells
    )
    return replace(found, scrubs=tuple(scrubs.values()), cells=cells, inputs=(ANYTHING,))


def _cell(
    number: int,
    databases: Mapping[Point, Number],
    side: Hashable,
    weight: Number,
    scrub: Scrub,
    laws: Mapping[Point, Law],
) -> WorldPair:
    mass: dict[Hashable, Number] = {}
    real: dict[Hashable, dict[Hashable, Number]] = {}
    ideal: dict[Hashable, dict[Hashable, Number]] = {}
    for x, p in databases.items():
        v = scrub.private(x)
        mass[v] = mass.get(v, Fraction(0)) + p
        for table, law in ((real, laws[x]), (ideal, scrub.law(x))):
            row = table.setdefault(v, {})
            for key, chance in law.items():
                before, more = row.get(key), times(p, chance)
                row[key] = more if before is None else before + more
    return WorldPair(number, scrub, side, weight, mass, real, ideal)


def untagged(scrubbed: Hashable) -> Hashable:
    """Return the scrubbed database without the name of whom it is scrubbed of."""
    return scrubbed.database if isinstance(scrubbed, Tagged) else scrubbed


OPTIMAL = "optimal"

_DRAWN, _OF_MANY = 12, 3


@dataclass(frozen=True)
class Simulator:
    """A random map from scrubbed databases to outputs."""

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
        """Show what it outputs (columns) on scrubbed databases (rows): once for all alike.

        Of many outputs and databases only the ends and the middle are shown.
        """
        laws = self.on(scene)
        every = list(dict.fromkeys([*scene.outputs, *(t for law in laws.values() for t in law)]))
        outputs = _ends_and_middle(every)
        alike: dict[tuple[str, ...], list[Hashable]] = {}
        for y, law in laws.items():
            alike.setdefault(tuple(show(law.get(t, Fraction(0))) for t in outputs), []).append(y)
        rows = _ends_and_middle([*alike.items()])
        heads = [f"outputs {plain_label(t)}" for t in outputs]
        names = [
            plain_label(given[0]) + (f" and {len(given) - 1:,} more" if given[1:] else "")
            for _, given in rows
        ]
        shown = [(name, *cells) for name, (cells, _) in zip(names, rows, strict=True)]
        partly = len(rows) < len(alike) or len(outputs) < len(every)
        size = f" (a part of {len(laws):,} by {len(every):,} probabilities, JSON holds all)"
        yield Table(("given", *heads), shown, f"The simulator{size * partly}:", numbers=True)
        if not partly:
            laws_shown = [[float(laws[given[0]].get(t, 0)) for t in outputs] for _, given in rows]
            dark = [
                (f"given {name}", [*zip(cells, law, strict=True)])
                for (name, *cells), law in zip(shown, laws_shown, strict=True)
            ]
            yield HeatMap("What the simulator says", heads, dark)

    def to_dict(self, scene: Scene) -> dict[str, Any]:
        """Return the table as plain data."""
        return {
            plain_label(y): {plain_label(t): to_json(p) for t, p in law.items()}
            for y, law in self.on(scene).items()
        }


def _ends_and_middle(listed: list[Any]) -> list[Any]:
    """Return all of a few, and the first, the middle and the last of many."""
    if len(listed) <= _DRAWN:
        return listed
    middle = (len(listed) - _OF_MANY) // 2
    return [*listed[:_OF_MANY], *listed[middle : middle + _OF_MANY], *listed[-_OF_MANY:]]


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
            f"simulator={given!r} is not a simulator: write canonical, coin, optimal or "
            "table(...), or give a Simulator, a mapping or a function"
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
