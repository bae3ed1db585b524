"""Graphs: databases of people who know each other, each with a label.

The nodes are people under fixed names; a graph says each one's label and who is joined to whom.
What a node contributes is its label and its edges, so that taking it out removes both (Bassily,
Groce, Katz & Smith, Section II-C, node-level privacy). The others keep their names, so that it
shows who was taken out; it does not show to whom they were joined. Where ``protect`` is ``edge``,
neighbours differ in one edge only, and what is hidden is who knows whom.

**Sensitivity.** Let D be the largest degree that a graph may have (n - 1 if nothing is said), and
let d range over what a statistic can move by. With more than D nodes, exactly these occur:

    statistic     one edge              one node
    edges         1                     1, ..., D                   of the node's edges
    triangles     1, ..., D - 1         1, ..., D (D - 1) / 2
    max-degree    1                     1, ..., D
    degrees       two entries by 1      b - a at the node, 1 up at b others, 1 down at a others,
                                        for a, b <= D and a + b <= n - 1

*Proof.* An edge between u and v lies in as many triangles as the two have common neighbours, of
which each has at most D - 1 beside the other. The triangles at a node are the edges among its at
most D neighbours; without the node the rest is the same, so two graphs differ by at most the
triangles at it, in one or the other. Taking out a node or an edge never raises a degree, and lowers
others by at most 1. The graphs that `GraphStatistic` yields attain each number, and none has a
degree above D. If a node drops its edges to a others and is joined to b new ones, these move by 1,
and it moves by b - a; for a <= b that is 2 b in L1, and (b - a)^2 + a + b is the square of L2. Both
are largest for a = 0 and b = D.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice, permutations, product
from math import comb
from typing import Any, ClassVar

from twoworlds.calls import Text
from twoworlds.errors import InvalidInput, TooLarge, UnknownName
from twoworlds.numbers import Number, probability, whole
from twoworlds.worlds.belief import LARGEST_SUPPORT, Belief
from twoworlds.worlds.beliefs import BELIEFS
from twoworlds.worlds.catalogue import UNIVERSES, read_names
from twoworlds.worlds.statistic import Change, Statistic, Value
from twoworlds.worlds.statistics import STATISTICS
from twoworlds.worlds.universe import SUBSTITUTE, Point, Universe

Edge = tuple[Hashable, Hashable]
_Move = tuple[Sequence[Edge], Sequence[Edge], Sequence[Edge]]
_MOST_LISTED = 1 << 16  # graphs of bounded degree that are counted
_MOST_NODES = 1 << 20  # of all graphs that show how a statistic moves


@dataclass(frozen=True)
class Graph:
    """Nodes with labels, and the edges between them.

    >>> graph = Graph.of({1: "ill", 2: "well", 3: "ill"}, [(1, 2), (3, 2)])
    >>> print(graph.without(3))
    1:ill 2:well; 1-2
    """

    labels: tuple[tuple[Hashable, Hashable], ...]
    edges: frozenset[Edge]

    @staticmethod
    def of(labels: Mapping[Hashable, Hashable], edges: Iterable[Edge]) -> Graph:
        """Return the graph with these labels by node; an edge may be named either way round."""
        order = {node: i for i, node in enumerate(labels)}
        found = set()
        for a, b in edges:
            if a not in order or b not in order or a == b:
                raise InvalidInput(f"edge {a}-{b} must join two different nodes of the graph")
            found.add((a, b) if order[a] < order[b] else (b, a))
        return Graph(tuple(labels.items()), frozenset(found))

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The names."""
        return tuple(node for node, _ in self.labels)

    def about(self, node: Hashable) -> tuple[Hashable, frozenset[Hashable]]:
        """Return a node's label and to whom it is joined."""
        joined = frozenset(b if a == node else a for a, b in self.edges if node in (a, b))
        return dict(self.labels)[node], joined

    def without(self, node: Hashable) -> Graph:
        """Return the graph without a node and its edges; the others keep their names."""
        kept = tuple(entry for entry in self.labels if entry[0] != node)
        return Graph(kept, frozenset(edge for edge in self.edges if node not in edge))

    @cached_property
    def degrees(self) -> tuple[int, ...]:
        """To how many others each node is joined."""
        found = dict.fromkeys(self.nodes, 0)
        for a, b in self.edges:
            found[a] += 1
            found[b] += 1
        return tuple(found.values())

    @cached_property
    def triangles(self) -> int:
        """How many sets of three nodes are joined to each other."""
        bit = {node: 1 << i for i, node in enumerate(self.nodes)}
        later = dict.fromkeys(self.nodes, 0)
        for a, b in self.edges:  # a comes before b
            later[a] |= bit[b]
        return sum((later[a] & later[b]).bit_count() for a, b in self.edges)

    @property
    def size(self) -> str:
        """How many nodes and edges there are."""
        edges = "1 edge" if len(self.edges) == 1 else f"{len(self.edges)} edges"
        return f"{len(self.labels)} nodes and {edges}"

    def __str__(self) -> str:
        shown = (f"{n}" if label == "" else f"{n}:{label}" for n, label in self.labels)
        order = {node: i for i, node in enumerate(self.nodes)}
        ranked = sorted(self.edges, key=lambda edge: (order[edge[0]], order[edge[1]]))
        edges = " ".join(f"{a}-{b}" for a, b in ranked)
        return f"{' '.join(shown)}; {edges or 'no edges'}"


@dataclass(frozen=True)
class Graphs(Universe):
    """All graphs on these nodes, each with one of the labels, of no degree above ``degree``.

    Neighbours differ in one node's label and edges, or, with ``protect="edge"``, in one edge.

    >>> Graphs((1, 2, 3)).size, Graphs((1, 2, 3), degree=1).size, Graphs((1, 2), ("a", "b")).size
    (8, 4, 8)
    """

    nodes: tuple[Hashable, ...]
    labels: tuple[Hashable, ...] = ("",)
    degree: int | None = None
    protect: str = "node"
    noun: ClassVar[str] = "node"
    entry: ClassVar[tuple[str, str]] = ("label and edges", "labels and edges")
    shows_missing: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for what, given in (("node", self.nodes), ("label", self.labels)):
            if not given:
                raise InvalidInput(f"graphs need at least one {what}")
            if len({str(one).strip() for one in given}) != len(given):
                raise InvalidInput(f"{given} repeats a {what}: each must be named once")
        if self.protect not in ("node", "edge"):
            raise UnknownName("thing to protect", str(self.protect), ["node", "edge"])

    @property
    def largest_degree(self) -> int:
        """To how many others a node may be joined."""
        most = len(self.nodes) - 1
        return most if self.degree is None else min(self.degree, most)

    @property
    def members(self) -> tuple[Hashable, ...]:
        """The names of the people."""
        return self.nodes

    def part(self, database: Point, member: Hashable) -> Hashable:
        """Return a node's label and to whom it is joined; without labels, only the latter."""
        graph: Graph = database
        label, joined = graph.about(member)
        return joined if self.labels == ("",) else (label, joined)

    def without(self, database: Point, member: Hashable) -> Hashable:
        """Return the graph without a node and its edges."""
        graph: Graph = database
        return graph.without(member)

    @cached_property
    def pairs(self) -> tuple[Edge, ...]:
        """All pairs of nodes."""
        return tuple(combinations(self.nodes, 2))

    @cached_property
    def size(self) -> int:
        """The number of graphs; with a bound on degrees and too many to count, that without it."""
        every = len(self.labels) ** len(self.nodes) * 2 ** comb(len(self.nodes), 2)
        bounded = self.largest_degree < len(self.nodes) - 1 and every <= _MOST_LISTED
        return sum(1 for _ in self) if bounded else every

    def __iter__(self) -> Iterator[Point]:
        choices = (True, False) if self.degree is None else (False, True)
        for labels in product(self.labels, repeat=len(self.nodes)):
            for edges in product(choices, repeat=len(self.pairs)):
                graph = self._graph(labels, edges)
                if max(graph.degrees) <= self.largest_degree:
                    yield graph

    def independent(self, law: Mapping[Point, Number]) -> dict[Point, Number]:
        """Return the probabilities of all graphs when every pair is joined with one chance."""
        if not isinstance(self, GraphOrbits) and self.size > LARGEST_SUPPORT:
            raise TooLarge(
                f"{self.expression} has {self.size} graphs, more than {LARGEST_SUPPORT}: "
                "use fewer nodes or labels"
            )
        counts = self.counted if isinstance(self, GraphOrbits) else dict.fromkeys(self, 1)
        even, pairs = len(self.labels) ** len(self.nodes), len(self.pairs)
        masses = [
            law[True] ** edges * law[False] ** (pairs - edges) / even for edges in range(pairs + 1)
        ]
        return {graph: count * masses[len(graph.edges)] for graph, count in counts.items()}

    def _graph(self, labels: Iterable[Hashable], edges: Iterable[bool]) -> Graph:
        chosen = (edge for edge, there in zip(self.pairs, edges, strict=True) if there)
        return Graph(tuple(zip(self.nodes, labels, strict=True)), frozenset(chosen))

    def __contains__(self, point: object) -> bool:
        if not (isinstance(point, Graph) and point.nodes == self.nodes):
            return False
        place = {node: i for i, node in enumerate(self.nodes)}
        return (
            all(label in self.labels for _, label in point.labels)
            and all(place.get(a, 0) < place.get(b, -1) for a, b in point.edges)
            and max(point.degrees) <= self.largest_degree
        )

    @property
    def expression(self) -> str:
        """The call that builds it."""
        plain = self.nodes == tuple(range(1, len(self.nodes) + 1))
        nodes = str(len(self.nodes)) if plain else f"[{', '.join(map(str, self.nodes))}]"
        labels = "" if self.labels == ("",) else f", labels=[{', '.join(map(str, self.labels))}]"
        degree = "" if self.degree is None else f", degree={self.degree}"
        protect = "" if self.protect == "node" else f", protect={self.protect}"
        return f"graphs(nodes={nodes}{labels}{degree}{protect})"

    def explain(self, relation: str) -> str:
        """Say when two graphs are neighbours."""
        bound = "" if self.degree is None else f"; no degree is above {self.degree}"
        if self.protect == "edge":
            return f"the graphs differ in one edge{bound}"
        return f"the graphs differ in one node's label and edges{bound}"

    def around(self, point: Point, relation: str) -> Iterator[Point]:
        """Yield the graphs in which one node has another label or other edges, or one edge."""
        if relation != SUBSTITUTE:
            raise InvalidInput(f"all of {self.expression} have the same nodes: use {SUBSTITUTE}")
        near = self._one_edge(point) if self.protect == "edge" else self._one_node(point)
        return (graph for graph in near if max(graph.degrees) <= self.largest_degree)

    def two_neighbours(self) -> tuple[Graph, Graph] | None:
        """Return two neighbours, or None if there are none: no edge may be, and labels are fixed.

        >>> Graphs((1, 2), degree=0).two_neighbours() is None
        True
        """
        first = dict.fromkeys(self.nodes, self.labels[0])
        if self.largest_degree:
            return Graph.of(first, ()), Graph.of(first, [(self.nodes[0], self.nodes[1])])
        if self.protect == "edge" or len(self.labels) == 1:
            return None
        other = {**first, self.nodes[0]: self.labels[1]}
        return Graph.of(first, ()), Graph.of(other, ())

    def _one_edge(self, graph: Graph) -> Iterator[Graph]:
        return (Graph(graph.labels, graph.edges ^ {edge}) for edge in self.pairs)

    def _one_node(self, graph: Graph) -> Iterator[Graph]:
        seen = {graph}
        for node in self.nodes:
            rest = frozenset(edge for edge in graph.edges if node not in edge)
            own = [edge for edge in self.pairs if node in edge]
            for label in self.labels:
                labels = tuple((n, label if n == node else old) for n, old in graph.labels)
                for there in product((True, False), repeat=len(own)):
                    chosen = {edge for edge, yes in zip(own, there, strict=True) if yes}
                    new = Graph(labels, rest | chosen)
                    if new not in seen:
                        seen.add(new)
                        yield new


class GraphOrbits(Graphs):
    """Graphs up to the names of all nodes but the first.

    A point stands for all graphs that differ from it in those names; what it tells of the others is
    the graph that stands for theirs, and to whom the first is joined is told by how many. Where all
    pairs are joined alike and a release does not depend on names, that is enough: the argument is
    that of `orbits`, with the order of the others replaced by their names.

    >>> sum(1 for _ in GraphOrbits((1, 2, 3, 4))), Graphs((1, 2, 3, 4)).size
    (20, 64)
    """

    @property
    def n(self) -> int:
        """For how many the first stands."""
        return len(self.nodes)

    @property
    def members(self) -> tuple[Hashable, ...]:
        """The node that stands for all."""
        return self.nodes[:1]

    def part(self, database: Point, member: Hashable) -> Hashable:
        """Return a node's label and as many others as it is joined to."""
        graph: Graph = database
        label, joined = graph.about(member)
        first = frozenset(self.nodes[1 : 1 + len(joined)])
        return first if self.labels == ("",) else (label, first)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.counted)

    @cached_property
    def counted(self) -> dict[Graph, int]:
        """The points, with how many graphs each stands for."""
        found: dict[_Kind, tuple[_Shape, int]] = {_kind(((), ())): (((), ()), 1)}
        for number in range(1, len(self.nodes) + 1):
            root = number == len(self.nodes)
            if (len(found) * len(self.labels)) << (number - 1) > _MOST_LISTED:
                raise TooLarge(
                    f"{self.expression} has too many graphs that differ in more than names: "
                    "use fewer nodes or labels, such as 7 nodes without labels"
                )
            grown: dict[_Kind, tuple[_Shape, int]] = {}
            for shape, count in found.values():
                for new in self._with_one_more(shape):
                    kind = _kind(new, root=root)
                    first, before = grown.get(kind, (new, 0))
                    grown[kind] = first, before + count
            found = grown
        return {self._drawn(shape): count for shape, count in found.values()}

    def _with_one_more(self, shape: _Shape) -> Iterator[_Shape]:
        labels, near = shape
        for label in range(len(self.labels)):
            for joined in range(1 << len(near)):
                old = (mask | (joined >> i & 1) << len(near) for i, mask in enumerate(near))
                yield (*labels, label), (*old, joined)

    def _drawn(self, shape: _Shape) -> Graph:
        """Return the graph in which the node that came last is the first."""
        nodes = (*self.nodes[1:], self.nodes[0])
        labels = dict(zip(nodes, (self.labels[label] for label in shape[0]), strict=True))
        edges = [
            (nodes[i], nodes[j]) for i, j in combinations(range(self.n), 2) if shape[1][i] >> j & 1
        ]
        return Graph.of({node: labels[node] for node in self.nodes}, edges)


_Shape = tuple[tuple[int, ...], tuple[int, ...]]
"""Of each node, the number of its label, and to whom it is joined as bits."""
_Kind = tuple[tuple[int, ...], tuple[int, ...]]


def _kind(shape: _Shape, *, root: bool = False) -> _Kind:
    """Return what shapes have in common that differ in names only; the root, the last, keeps its.

    Nodes are told apart by labels, then by the kinds of those they are joined to, and so on; of
    those that are still alike, the order with the least bits counts.
    """
    labels, near = shape
    places = range(len(labels))
    kinds: list[Any] = [(label, root and i == len(labels) - 1) for i, label in enumerate(labels)]
    for _ in places:
        ranks = {kind: rank for rank, kind in enumerate(sorted(set(kinds)))}
        own = [ranks[kind] for kind in kinds]
        kinds = [(own[i], sorted(own[j] for j in places if near[i] >> j & 1)) for i in places]
        kinds = [(rank, tuple(joined)) for rank, joined in kinds]
    alike = [[i for i in places if kinds[i] == kind] for kind in sorted(set(kinds))]
    orders = (
        [i for group in groups for i in group] for groups in product(*map(permutations, alike))
    )
    bits = (
        tuple(sum((near[i] >> j & 1) << k for k, j in enumerate(order)) for i in order)
        for order in orders
    )
    first = [i for group in alike for i in group]
    return tuple(labels[i] + len(labels) * (root and i == len(labels) - 1) for i in first), min(
        bits
    )


def random_edges(universe: Graphs, chance: object) -> Belief:
    """Hold each pair joined with the same chance, independently, and the labels even.

    >>> random_edges(Graphs((1, 2, 3)), "1/3")[Graph.of({1: "", 2: "", 3: ""}, [(1, 2)])]
    Fraction(4, 27)
    """
    p = probability(chance, "chance")
    if universe.largest_degree < len(universe.nodes) - 1:
        raise InvalidInput(
            f"random-edges holds every pair joined alike, so it is about graphs of any degree, not "
            f"{universe.expression}: leave out degree="
        )
    law = {True: p, False: 1 - p}
    return Belief.of_records(universe, [(Fraction(1), (law,) * max(1, len(universe.pairs)))])


@dataclass(frozen=True)
class GraphStatistic(Statistic):
    """A function of graphs, and two graphs for each of its moves (see the module's proof).

    ``moves`` lists edges that two neighbours share, those of the first alone, and of the second;
    ``largest`` only the furthest of them, without a list of the others.

    >>> found = triangles().differences(Graphs(tuple(range(1, 1001)), degree=20), "substitute")
    >>> max(change.difference for change in found)
    190
    """

    value: Callable[[Graph], Value]
    name: str
    moves: Callable[[Graphs], Iterator[_Move]]
    largest: Callable[[Graphs], Iterator[_Move]]
    names_nodes: bool = False

    def __call__(self, database: Point) -> Value:
        """Return the value of a graph."""
        if not isinstance(database, Graph):
            raise InvalidInput(
                f"the {self.name} is asked of graphs, not of {database!r}: give a universe "
                "of them, such as graphs(nodes=4)"
            )
        return self.value(database)

    def up_to_names(self, universe: Universe) -> GraphOrbits | None:
        """Return graphs that stand for all others where only names differ; None if that counts."""
        if not isinstance(universe, Graphs) or universe.degree is not None or self.names_nodes:
            return None
        return GraphOrbits(universe.nodes, universe.labels)

    def differences(self, universe: Universe, relation: str, group: int = 1) -> Iterator[Change]:
        """Yield each move both ways, by structure where one person differs."""
        if not isinstance(universe, Graphs) or relation != SUBSTITUTE or group > 1:
            yield from super().differences(universe, relation, group)
            return
        listed = [*islice(self.moves(universe), _MOST_NODES // len(universe.nodes) + 1)]
        if len(listed) * len(universe.nodes) > _MOST_NODES:
            raise TooLarge(
                f"the {self.name} can move in too many ways on {universe.expression} to list two "
                "graphs for each: give fewer nodes, or bound their degree, as in "
                "graphs(nodes=1000, degree=20)"
            )
        yield from self._shown(universe, listed)

    def furthest(self, universe: Universe, relation: str, group: int = 1) -> Iterator[Change]:
        """Yield the largest moves, without a list of the others where one person differs."""
        if not isinstance(universe, Graphs) or relation != SUBSTITUTE or group > 1:
            return super().furthest(universe, relation, group)
        return self._shown(universe, self.largest(universe))

    def _shown(self, universe: Graphs, moves: Iterable[_Move]) -> Iterator[Change]:
        labels = dict.fromkeys(universe.nodes, universe.labels[0])
        for others, before, after in moves:
            x, y = (Graph.of(labels, [*others, *own]) for own in (before, after))
            yield Change(self(x), self(y), x, y)
            yield Change(self(y), self(x), y, x)


def _joined(universe: Graphs) -> Iterator[_Move]:
    """Join the first node to one more, or to 1, 2, ... others that have no edges."""
    for *_, edges in _joined_to_most(universe):
        yield from (((), (), edges[:d]) for d in range(1, len(edges) + 1))


def _joined_to_most(universe: Graphs) -> Iterator[_Move]:
    """Join the first node to one more, or to as many as can be, that have no edges."""
    node, *others = universe.nodes
    most = universe.largest_degree
    yield (
        (),
        (),
        [(node, o) for o in others[: min(1, most) if universe.protect == "edge" else most]],
    )


def _in_triangles(universe: Graphs) -> Iterator[_Move]:
    """Join two nodes with d common neighbours, or one node to others with d edges among them."""
    node, *others = universe.nodes
    if universe.protect == "edge":
        for d in range(1, universe.largest_degree):
            shared = others[1 : d + 1]
            yield list(product((node, others[0]), shared)), (), [(node, others[0])]
        return
    near = others[: universe.largest_degree]
    among = list(combinations(near, 2))
    for d in range(1, len(among) + 1):
        yield among[:d], (), [(node, other) for other in near]


def _in_most_triangles(universe: Graphs) -> Iterator[_Move]:
    """Join two nodes with all common neighbours, or one node to others that are all joined."""
    node, *others = universe.nodes
    near = others[: universe.largest_degree]
    if len(near) < 2:
        return
    if universe.protect == "node" and comb(len(near), 2) > _MOST_NODES:
        raise TooLarge(
            f"two graphs of {comb(len(near), 2)} edges show how triangles move on "
            f"{universe.expression}, more than {_MOST_NODES}: bound the degree, as in "
            f"graphs(nodes={len(universe.nodes)}, degree=100)"
        )
    if universe.protect == "edge":
        yield list(product((node, near[0]), near[1:])), (), [(node, near[0])]
    else:
        yield list(combinations(near, 2)), (), [(node, other) for other in near]


def _rejoined(universe: Graphs) -> Iterator[_Move]:
    """Drop the edges of the first node to a others, and join it to b new ones, a <= b."""
    node, *others = universe.nodes
    most = universe.largest_degree
    if universe.protect == "edge":
        yield from _joined(universe)
        return
    for b in range(1, most + 1):
        for a in range(min(b, len(others) - b) + 1):
            edges = [(node, other) for other in others[: a + b]]
            yield (), edges[:a], edges[a:]


@STATISTICS.register("edges")
def edges() -> Statistic:
    """How many edges a graph has."""
    return GraphStatistic(
        lambda graph: len(graph.edges), "number of edges", _joined, _joined_to_most
    )


@STATISTICS.register("triangles")
def triangles() -> Statistic:
    """How many triangles a graph has."""
    return GraphStatistic(
        lambda graph: graph.triangles, "number of triangles", _in_triangles, _in_most_triangles
    )


@STATISTICS.register("max-degree")
def max_degree() -> Statistic:
    """The largest degree in a graph."""
    return GraphStatistic(
        lambda graph: max(graph.degrees), "largest degree", _joined, _joined_to_most
    )


@STATISTICS.register("degrees")
def degrees() -> Statistic:
    """The degree of every node of a graph."""
    return GraphStatistic(
        lambda graph: graph.degrees,
        "list of degrees",
        _rejoined,
        _joined_to_most,
        names_nodes=True,
    )


@UNIVERSES.register("graphs")
def graphs(
    nodes: Text | int,
    labels: Text | None = None,
    degree: object = None,
    protect: str = "node",
) -> Universe:
    """All graphs on the nodes (how many, or a list of names), with labels or a largest degree."""
    if isinstance(labels, str):
        raise InvalidInput(f"labels={labels}: give a list such as [ill, well]")
    chosen = ("",) if labels is None else read_names(labels, "labels")
    bound = None if degree is None else whole(degree, "degree", at_least=0)
    return Graphs(read_names(nodes, "nodes"), chosen, bound, protect)


@BELIEFS.register("random-edges")
def _random_edges(chance: Text) -> Callable[[Universe], Belief]:
    """Each pair of nodes is joined with this chance, independently; labels are even."""

    def build(universe: Universe) -> Belief:
        if not isinstance(universe, Graphs):
            raise InvalidInput(f"random-edges is about graphs(n), not {universe.expression}")
        return random_edges(universe, chance)

    return build
