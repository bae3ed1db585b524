"""Graphs: databases of people who know each other, each with a label.

The nodes are people under fixed names; a graph says each one's label and who is joined to whom.
What a node contributes is its label and its edges, so that taking it out removes both (Bassily,
Groce, Katz & Smith, Section II-C, node-level privacy). The others keep their names, so that it
shows who was taken out; it does not show to whom they were joined.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from typing import ClassVar

from twoworlds.calls import Text
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import Number, probability
from twoworlds.worlds.belief import LARGEST_SUPPORT, Belief
from twoworlds.worlds.beliefs import BELIEFS
from twoworlds.worlds.catalogue import UNIVERSES, read_names
from twoworlds.worlds.statistic import Computed, Statistic
from twoworlds.worlds.statistics import STATISTICS
from twoworlds.worlds.universe import SUBSTITUTE, Point, Universe

Edge = tuple[Hashable, Hashable]


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

    def __str__(self) -> str:
        shown = (f"{n}" if label == "" else f"{n}:{label}" for n, label in self.labels)
        order = {node: i for i, node in enumerate(self.nodes)}
        ranked = sorted(self.edges, key=lambda edge: (order[edge[0]], order[edge[1]]))
        edges = " ".join(f"{a}-{b}" for a, b in ranked)
        return f"{' '.join(shown)}; {edges or 'no edges'}"


@dataclass(frozen=True)
class Graphs(Universe):
    """All graphs on these nodes, each with one of the labels.

    >>> Graphs((1, 2, 3)).size, Graphs((1, 2), ("ill", "well")).size
    (8, 8)
    """

    nodes: tuple[Hashable, ...]
    labels: tuple[Hashable, ...] = ("",)
    noun: ClassVar[str] = "node"
    entry: ClassVar[tuple[str, str]] = ("label and edges", "labels and edges")
    shows_missing: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for what, given in (("node", self.nodes), ("label", self.labels)):
            if not given:
                raise InvalidInput(f"graphs need at least one {what}")
            if len({str(one).strip() for one in given}) != len(given):
                raise InvalidInput(f"{given} repeats a {what}: each must be named once")

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

    @property
    def size(self) -> int:
        """The number of graphs."""
        return int(len(self.labels) ** len(self.nodes) * 2 ** len(self.pairs))

    def __iter__(self) -> Iterator[Point]:
        for labels in product(self.labels, repeat=len(self.nodes)):
            for edges in product((True, False), repeat=len(self.pairs)):
                yield self._graph(labels, edges)

    def _graph(self, labels: Iterable[Hashable], edges: Iterable[bool]) -> Graph:
        chosen = (edge for edge, there in zip(self.pairs, edges, strict=True) if there)
        return Graph(tuple(zip(self.nodes, labels, strict=True)), frozenset(chosen))

    def __contains__(self, point: object) -> bool:
        return (
            isinstance(point, Graph)
            and point.nodes == self.nodes
            and all(label in self.labels for _, label in point.labels)
            and point.edges <= set(self.pairs)
        )

    @property
    def expression(self) -> str:
        """The call that builds it."""
        plain = self.nodes == tuple(range(1, len(self.nodes) + 1))
        nodes = str(len(self.nodes)) if plain else f"[{', '.join(map(str, self.nodes))}]"
        labels = "" if self.labels == ("",) else f", labels=[{', '.join(map(str, self.labels))}]"
        return f"graphs(nodes={nodes}{labels})"

    def explain(self, relation: str) -> str:
        """Say when two graphs are neighbours."""
        return "the graphs differ in one node's label and edges"

    def around(self, point: Point, relation: str) -> Iterator[Point]:
        """Yield the graphs in which one node has another label or other edges."""
        if relation != SUBSTITUTE:
            raise InvalidInput(f"all of {self.expression} have the same nodes: use {SUBSTITUTE}")
        graph: Graph = point
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


def random_edges(universe: Graphs, chance: object) -> Belief:
    """Hold each pair joined with the same chance, independently, and the labels even.

    >>> random_edges(Graphs((1, 2, 3)), "1/3")[Graph.of({1: "", 2: "", 3: ""}, [(1, 2)])]
    Fraction(4, 27)
    """
    p = probability(chance, "chance")
    if universe.size > LARGEST_SUPPORT:
        raise TooLarge(
            f"{universe.expression} has {universe.size} graphs, more than {LARGEST_SUPPORT}: "
            "use fewer nodes or labels"
        )
    even = Fraction(1, len(universe.labels) ** len(universe.nodes))
    masses: dict[Point, Number] = {}
    for graph in universe:
        edges = len(graph.edges)
        masses[graph] = even * p**edges * (1 - p) ** (len(universe.pairs) - edges)
    return Belief(universe, masses)


@UNIVERSES.register("graphs")
def graphs(nodes: Text | int, labels: Text | None = None) -> Universe:
    """All graphs on the nodes (how many, or a list of names), each with one of the labels."""
    if isinstance(labels, str):
        raise InvalidInput(f"labels={labels}: give a list such as [ill, well]")
    chosen = ("",) if labels is None else read_names(labels, "labels")
    return Graphs(read_names(nodes, "nodes"), chosen)


@STATISTICS.register("edges")
def edges() -> Statistic:
    """How many edges a graph has."""
    return Computed(lambda graph: len(graph.edges), "number of edges")


@BELIEFS.register("random-edges")
def _random_edges(chance: Text) -> Callable[[Universe], Belief]:
    """Each pair of nodes is joined with this chance, independently; labels are even."""

    def build(universe: Universe) -> Belief:
        if not isinstance(universe, Graphs):
            raise InvalidInput(f"random-edges is about graphs(n), not {universe.expression}")
        return random_edges(universe, chance)

    return build
