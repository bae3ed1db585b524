"""Neighbour relations: which two databases differ by one person, or by a group of them.

`pairs` lists the unordered pairs of a finite universe at distance 1 to ``group``; `distance` is
the number of single steps between two databases (Hamming distance for substitution). Group
privacy (Dwork, after Definition 2) compares databases at distance at most c.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from twoworlds.errors import InvalidInput, TooLarge, UnknownName
from twoworlds.numbers import whole
from twoworlds.worlds.records import Integers, Records
from twoworlds.worlds.universe import (
    ADD_REMOVE,
    EXPLICIT,
    LARGEST_LISTED,
    SUBSTITUTE,
    Part,
    Point,
    Universe,
)

PAIR_LIMIT = 1 << 22
LARGEST_GROUP = 1_000_000


def resolve(
    universe: Universe, relation: str | Iterable[tuple[object, object]] | None
) -> tuple[Universe, str]:
    """Return the universe and the name of the relation that is meant on it.

    Explicit pairs (as pairs of labels, or as the text ``"11~10, 10~00"``) give a new universe
    that carries them.
    """
    if relation is None:
        return universe, universe.relation
    if isinstance(relation, str) and "~" not in relation:
        known = [SUBSTITUTE, ADD_REMOVE] + ([EXPLICIT] if universe.relation == EXPLICIT else [])
        if relation not in known:
            raise UnknownName("neighbour relation", relation, [*known, "label~label, ..."])
        return universe, relation
    listed: list[Any] = _from_text(relation) if isinstance(relation, str) else list(relation)
    for pair in listed:
        if len(pair) != 2:
            raise InvalidInput(f'neighbour pair {pair!r}: give two databases, as in ("11", "10")')
    if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in listed):
        raise InvalidInput("listed neighbours are pairs of databases, as in [(x, y), (y, z)]")
    found = tuple((universe.find(x), universe.find(y)) for x, y in listed)
    if not found:
        raise InvalidInput("no neighbour pairs are listed: nothing would be protected")
    if universe.size is not None and universe.size <= LARGEST_LISTED:
        points = tuple(universe)
    else:
        points = tuple(dict.fromkeys(point for pair in found for point in pair))
    return Part(universe, points, found), EXPLICIT


def check_group(group: object) -> int:
    """Read a group size of at least one person."""
    size = whole(group, "group", at_least=1)
    if size > LARGEST_GROUP:
        raise InvalidInput(f"group={size}: groups of at most {LARGEST_GROUP} people are compared")
    return size


def distance(universe: Universe, x: Point, y: Point, relation: str) -> int | None:
    """Return the number of single steps from x to y, or None when there is no way.

    >>> from twoworlds.worlds.records import BitStrings
    >>> distance(BitStrings(3), (1, 1, 1), (0, 1, 0), "substitute")
    2
    """
    if isinstance(universe, Part) and not (universe.pairs and relation == EXPLICIT):
        return distance(universe.whole, x, y, relation)
    if relation == SUBSTITUTE and isinstance(universe, Records):
        same = len(x) == len(y)
        return sum(a != b for a, b in zip(x, y, strict=True)) if same else None
    if isinstance(universe, Integers):
        steps: int = -(-abs(x - y) // universe.step)
        return steps
    for point, away in _breadth_first(universe, x, relation, None):
        if point == y:
            return away
    return None


def within(universe: Universe, x: Point, relation: str, group: int = 1) -> Iterator[Point]:
    """Yield the databases at distance 1 to ``group`` from x."""
    if group == 1:
        yield from universe.around(x, relation)
    elif isinstance(universe, Part) and not (universe.pairs and relation == EXPLICIT):
        yield from (p for p in within(universe.whole, x, relation, group) if p in universe)
    else:
        yield from (p for p, steps in _breadth_first(universe, x, relation, group) if steps)


def pairs(universe: Universe, relation: str, group: int = 1) -> Iterator[tuple[Point, Point]]:
    """Yield every unordered pair of databases at distance 1 to ``group``, each once."""
    if universe.size is None or universe.size > PAIR_LIMIT:
        raise TooLarge(
            f"{universe.expression} is too large to list its neighbours one by one: "
            "use a mechanism with structure (one transition per record, or noise on a statistic)"
        )
    positions = universe.positions
    found = 0
    for x in universe:
        for y in within(universe, x, relation, group):
            if positions[x] < positions[y]:
                found += 1
                if found > PAIR_LIMIT:
                    raise TooLarge(
                        f"more than {PAIR_LIMIT} neighbour pairs in {universe.expression}: "
                        "use a smaller universe or a mechanism with structure"
                    )
                yield x, y
    if not found and universe.size > 1:
        raise InvalidInput(
            f"no two databases of {universe.expression} are neighbours under {relation}, which "
            "reads labels as lists of records: list the pairs instead, as in "
            "neighbours='a~b, b~c'"
        )


def _breadth_first(
    universe: Universe, start: Point, relation: str, limit: int | None
) -> Iterator[tuple[Point, int]]:
    seen = {start}
    queue = deque([(start, 0)])
    while queue:
        point, steps = queue.popleft()
        yield point, steps
        if limit is None or steps < limit:
            for other in universe.around(point, relation):
                if other not in seen:
                    seen.add(other)
                    queue.append((other, steps + 1))


def _from_text(text: str) -> list[tuple[str, str]]:
    listed = []
    for part in text.split(","):
        x, tilde, y = part.partition("~")
        if not tilde or not x.strip() or not y.strip():
            raise InvalidInput(f'neighbour pair {part.strip()!r}: write pairs as "11~10, 10~00"')
        listed.append((x.strip(), y.strip()))
    return listed
