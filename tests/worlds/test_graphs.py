"""Graphs: the universe, node neighbours, random edges, and what is refused."""

from fractions import Fraction
from itertools import combinations

import pytest

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.worlds import Graph, Graphs, pairs
from twoworlds.worlds import graphs as module
from twoworlds.worlds.beliefs import belief
from twoworlds.worlds.catalogue import statistic, universe
from twoworlds.worlds.graphs import random_edges

THREE = Graphs((1, 2, 3), ("ill", "well"))


def test_every_labelled_graph_is_there_once():
    points = list(THREE)
    assert len(points) == len(set(points)) == THREE.size == 2**3 * 2**3
    assert all(point in THREE for point in points)
    assert Graph.of({1: "ill", 2: "ill"}, []) not in THREE
    assert Graph.of({1: "ill", 2: "ill", 3: "dead"}, []) not in THREE
    assert "1-2" not in THREE


def test_an_edge_has_no_direction():
    labels = {1: "", 2: "", 3: ""}
    assert Graph.of(labels, [(2, 1)]) == Graph.of(labels, [(1, 2), (2, 1)])
    assert str(Graph.of(labels, [(3, 2), (2, 1)])) == "1 2 3; 1-2 2-3"
    assert str(Graph.of({1: "ill"}, [])) == "1:ill; no edges"


def test_labels_are_read_back():
    two = Graphs((1, 2), ("a", "b"))
    for point in two:
        assert two.find(two.label(point)) == point


def test_neighbours_differ_in_one_node_by_enumeration():
    def apart(x, y):
        return x != y and any(x.without(node) == y.without(node) for node in THREE.nodes)

    expected = {frozenset((x, y)) for x, y in combinations(THREE, 2) if apart(x, y)}
    assert {frozenset(pair) for pair in pairs(THREE, "substitute")} == expected
    with pytest.raises(InvalidInput, match="same nodes"):
        list(THREE.around(next(iter(THREE)), "add-remove"))
    assert "one node's" in THREE.explain("substitute")


def test_edges_are_independent_coins():
    found = belief("random-edges(1/3)", THREE)
    for edge in THREE.pairs:
        assert sum(m for g, m in found.items() if edge in g.edges) == Fraction(1, 3)
    empty = sum(m for g, m in found.items() if not g.edges)
    assert empty == Fraction(2, 3) ** 3
    assert sum(m for g, m in found.items() if dict(g.labels)[2] == "ill") == Fraction(1, 2)
    count = statistic("edges", THREE)
    assert sum(m * count(g) for g, m in found.items()) == 1


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Graph.of({1: "", 2: ""}, [(1, 1)]), "two different nodes"),
        (lambda: Graph.of({1: "", 2: ""}, [(1, 3)]), "edge 1-3"),
        (lambda: Graphs(()), "at least one node"),
        (lambda: Graphs((1, "1")), "repeats a node"),
        (lambda: Graphs((1,), ("a", "a")), "repeats a label"),
        (lambda: universe("graphs(3, labels=ill)"), "labels=ill: give a list"),
        (lambda: universe("graphs(0)"), "nodes=0"),
        (lambda: random_edges(THREE, "4/3"), "chance=4/3"),
        (lambda: belief("random-edges(1/2)", universe("bits(2)")), r"about graphs\(n\), not bits"),
    ],
)
def test_what_is_no_graph_is_refused(build, words):
    with pytest.raises(InvalidInput, match=words):
        build()


def test_too_many_graphs_are_refused_with_the_limit(monkeypatch):
    monkeypatch.setattr(module, "LARGEST_SUPPORT", 63)
    with pytest.raises(TooLarge, match=r"64 graphs, more than 63.*fewer nodes"):
        random_edges(THREE, "1/2")
