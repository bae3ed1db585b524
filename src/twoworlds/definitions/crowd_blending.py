r"""Crowd-blending privacy: everybody blends with k people of the database, or might be left out.

Gehrke, Hay, Lui & Pass 2012 (reference [10] of Bassily, Groce, Katz & Smith, who say in Section
III-B that it generalises truncated histograms). Two values v, w *blend* at a ratio a if for every
database with a record v, the law of the output and that with w in its place are within a of each
other. A mechanism is (k, epsilon)-crowd-blending private if for every database D and every person
in it, with record v and a = e^epsilon,

    at least k records of D, the person's own included, blend with v at a,   or
    M(D) and M(D without the person) are within a of each other.

The k-truncated histogram satisfies it with epsilon = 0: in a bin of k or more people all are alike,
and in a smaller bin nothing is shown either way. Exact values of a statistic mostly do not.

The person is counted among the k. Databases are lists, and a record may be exchanged or removed at
any place. That a random sample of the population makes it zero-knowledge and differentially private
is a theorem of that paper, whose delta has a hidden constant: it is not computed here. For
truncated histograms `noiseless histogram` has exact numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from twoworlds.definitions.base import PrivacyDefinition, read_ratio
from twoworlds.definitions.verdict import Shown, Verdict, Witness
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.laws.comparison import Peak, between, larger
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import INFINITY, Number, decimal, ln, whole
from twoworlds.worlds import Point, Records

_MOST = 1 << 12


class Apart(NamedTuple):
    """How far two databases are apart: the ratio, the likelier first, and the event."""

    ratio: Number
    first: Point
    second: Point
    peak: Peak


@dataclass(frozen=True, init=False)
class CrowdBlending(PrivacyDefinition):
    """Every person blends with k people of the database, or might be left out.

    >>> from twoworlds import mechanism
    >>> where = "universe=records(values=2, n=3, smallest=0)"
    >>> table = mechanism(f"exact(truncated-histogram(threshold=2), {where})")
    >>> CrowdBlending(k=2).tightest(table).ratio, CrowdBlending(k=3).tightest(table).ratio
    (Fraction(1, 1), Real(inf))
    """

    k: int
    ratio: Number | None

    name = "crowd-blending privacy"
    call = "crowd-blending"
    numbers = ("k", "ratio")
    unclaimed = "crowd-blending has no ratio to check: give ratio= or epsilon="

    def __init__(self, *, k: object, ratio: object = None, epsilon: object = None) -> None:
        self._assign(k=whole(k, "k", at_least=1), ratio=read_ratio(ratio, epsilon))

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the smallest ratio, and the person who needs it."""
        need = self._worst(mechanism)
        ratio = need[0]
        universe = mechanism.universe.expression
        return self.found(
            mechanism,
            {"ratio": ratio, "epsilon": ln(ratio), "k": Fraction(self.k)},
            _meaning(self.k, ratio),
            (
                f"every database of {universe}, and everybody in it",
                "the person counts among those they blend with",
            ),
            witness=need[1],
            method="every database and every person, and for each two values every database",
        )

    def broken(self, mechanism: Mechanism, found: Verdict, claimed: Number) -> str:
        """Say that somebody neither blends nor can be left out."""
        return (
            f"Somebody blends with fewer than {self.k} people, and leaves a trace: some output "
            f"becomes {_times(found.ratio)} times likelier."
        )

    def _worst(self, mechanism: Mechanism) -> tuple[Number, Shown]:
        """Return the largest ratio that somebody needs, and who that is."""
        laws = _laws(mechanism)
        blend = _blending(laws)
        worst: tuple[Number, Point, int, list[tuple[str, Apart]]] | None = None
        for database in laws:
            for place in range(len(database)):
                ways = list(self._ways(database, place, laws, blend))
                ratio = _least([apart.ratio for _, apart in ways])
                if worst is None or larger(ratio, worst[0]):
                    worst = ratio, database, place, ways
        if worst is None:
            raise Unsupported(f"{mechanism.universe.expression} holds nobody: there is no person")
        ratio, database, place, ways = worst
        return ratio, _exposed(mechanism, database, place, ratio, ways)

    def _ways(
        self,
        database: Point,
        place: int,
        laws: Mapping[Point, Mapping[Point, Number]],
        blend: Mapping[tuple[Point, Point], Apart],
    ) -> Iterator[tuple[str, Apart]]:
        """Yield what it takes to be left out, and to blend with k people."""
        fewer = database[:place] + database[place + 1 :]
        if fewer in laws:
            yield "left out", _apart(database, fewer, laws)
        own = database[place]
        crowd = [blend[own, other] for other in database if other != own]
        alike = len(database) - len(crowd)
        if alike >= self.k:
            yield "blending", _apart(database, database, laws)
        elif len(database) >= self.k:
            yield "blending", _sorted(crowd)[self.k - alike - 1]


def _exposed(
    mechanism: Mechanism, database: Point, place: int, ratio: Number, ways: list[tuple[str, Apart]]
) -> Shown:
    """Show a person who neither blends nor can be left out, and the event of each."""
    shown = {
        name: Witness.of(mechanism, (apart.first, apart.second), apart.peak.event)
        for name, apart in ways
    }
    label, person = mechanism.universe.label(database), place + 1
    return Shown(
        ratio,
        lambda: _least([replace(w, probabilities=w.again()).ratio() for w in shown.values()]),
        (
            ("database", label),
            ("person", f"{person}, with record {database[place]}"),
            *((name, witness.explain()) for name, witness in shown.items()),
        ),
        {
            "database": label,
            "person": person,
            **{name: witness.to_dict() for name, witness in shown.items()},
        },
    )


def _laws(mechanism: Mechanism) -> dict[Point, dict[Point, Number]]:
    """Return the law of the output on every database."""
    universe, outputs = mechanism.universe, mechanism.outputs
    if not isinstance(universe, Records) or outputs.size is None:
        raise Unsupported(
            "crowd-blending is checked for mechanisms with finitely many outputs on lists of "
            "records, as in universe=records(values=2, n=3, smallest=0)"
        )
    if universe.size * outputs.size > _MOST * _MOST or universe.size > _MOST:
        raise TooLarge(
            f"{universe.expression} has {universe.size:,} databases: at most {_MOST:,} are listed "
            "one by one; use fewer values or people"
        )
    return {x: {o: mechanism.probability(o, x) for o in outputs} for x in universe}


def _blending(laws: Mapping[Point, Mapping[Point, Number]]) -> dict[tuple[Point, Point], Apart]:
    """Return for every two values the databases that an exchange moves furthest apart."""
    found: dict[tuple[Point, Point], Apart] = {}
    values = {v for x in laws for v in x}
    for x in laws:
        for place, v in enumerate(x):
            for w in values - {v}:
                here = _apart(x, (*x[:place], w, *x[place + 1 :]), laws)
                if (v, w) not in found or larger(here.ratio, found[v, w].ratio):
                    found[v, w] = here
    return found


def _apart(x: Point, y: Point, laws: Mapping[Point, Mapping[Point, Number]]) -> Apart:
    there = between(laws[x], laws[y])
    first, second = there.peak(), there.reverse().peak()
    if larger(second.ratio, first.ratio):
        return Apart(second.ratio, y, x, second)
    return Apart(first.ratio, x, y, first)


def _sorted(ways: list[Apart]) -> list[Apart]:
    """Sort by ratio, the nearest first."""
    found: list[Apart] = []
    for way in ways:
        place = sum(not larger(other.ratio, way.ratio) for other in found)
        found.insert(place, way)
    return found


def _least(ratios: list[Number]) -> Number:
    """Return the smallest; infinity if nothing is enough."""
    best: Number = INFINITY
    for ratio in ratios:
        best = ratio if larger(best, ratio) else best
    return best


def _times(ratio: Number) -> str:
    return "infinitely many" if ratio == INFINITY else f"{decimal(ratio, 4, 'at least')}"


def _meaning(k: int, ratio: Number) -> str:
    if ratio == INFINITY:
        return (
            f"Nothing is promised: somebody blends with fewer than {k} people, and some output is "
            "possible only with their record."
        )
    crowd = f"blends with at least {k} people of the database"
    if ratio == 1:
        return f"Everybody {crowd}, or leaves no trace: the output is then as likely without them."
    return (
        f"Everybody {crowd}, or might be left out: no output becomes more than {decimal(ratio, 4)} "
        "times likelier or rarer by that."
    )
