"""Graphs: the universe, node neighbours, random edges, and what is refused."""

from fractions import Fraction
from itertools import combinations, permutations, product

import pytest

from twoworlds import mechanism
from twoworlds.definitions.catalogue import definition
from twoworlds.definitions.coupled import base
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.progress import listen
from twoworlds.worlds import Computed, Graph, Graphs, pairs
from twoworlds.worlds import graphs as module
from twoworlds.worlds.beliefs import belief
from twoworlds.worlds.catalogue import statistic, universe
from twoworlds.worlds.graphs import GraphOrbits, random_edges
from twoworlds.worlds.sensitivity import global_sensitivity

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
        len(random_edges(THREE, "1/2"))


def moves(name, where, differences):
    """Return by how much a statistic moves; lists of degrees in any order of the nodes."""
    found = set()
    for difference in differences:
        if name == "degrees":
            one, other = sorted(difference), sorted(-d for d in difference)
            difference = max(tuple(one), tuple(other))
        found.add(difference)
    return found


@pytest.mark.parametrize("name", ["edges", "triangles", "max-degree", "degrees"])
@pytest.mark.parametrize("protect", ["node", "edge"])
@pytest.mark.parametrize(
    ("nodes", "degree"),
    [(1, None), (2, None), (3, None), (3, 1), (4, None), (4, 0), (4, 1), (4, 2)],
)
def test_graph_statistics_move_by_what_enumeration_finds(name, protect, nodes, degree):
    where = Graphs(tuple(range(nodes)), degree=degree, protect=protect)
    f = statistic(name, where)
    by_structure = [change.difference for change in f.differences(where, "substitute")]
    listed = list(Computed(f, name).differences(where, "substitute")) if where.size > 1 else []
    expected = moves(name, where, [change.difference for change in listed])
    assert moves(name, where, by_structure) == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", ["edges", "triangles", "max-degree", "degrees"])
@pytest.mark.parametrize("protect", ["node", "edge"])
@pytest.mark.parametrize("degree", [None, 1, 2, 3])
def test_graph_statistics_of_five_nodes_move_by_what_enumeration_finds(name, protect, degree):
    test_graph_statistics_move_by_what_enumeration_finds(name, protect, 5, degree)


def test_every_pair_shown_is_one_of_neighbours():
    for protect, name in product(("node", "edge"), ("edges", "triangles", "max-degree", "degrees")):
        where = Graphs(tuple(range(6)), degree=4, protect=protect)
        for change in statistic(name, where).differences(where, "substitute"):
            assert change.x in where
            assert change.y in set(where.around(change.x, "substitute"))


def test_bounded_degree_counts_and_lists_the_same_graphs():
    every = set(Graphs((1, 2, 3, 4)))
    some = Graphs((1, 2, 3, 4), degree=2)
    assert set(some) == {graph for graph in every if max(graph.degrees) <= 2}
    assert some.size == len(list(some))
    assert all((graph in some) == (max(graph.degrees) <= 2) for graph in every)
    assert universe("graphs(nodes=4, degree=2, protect=edge)").expression == (
        "graphs(nodes=4, degree=2, protect=edge)"
    )


def test_graphs_of_a_thousand_nodes_have_exact_sensitivities():
    for text, expected in {
        "graphs(nodes=1000, degree=20)": 190,
        "graphs(nodes=1000, degree=20, protect=edge)": 19,
    }.items():
        where = universe(text)
        assert global_sensitivity(statistic("triangles", where), where).value == expected


def test_what_is_no_graph_and_what_is_too_much_is_refused():
    with pytest.raises(InvalidInput, match="unknown thing to protect"):
        Graphs((1, 2), protect="people")
    with pytest.raises(TooLarge, match="bound their degree"):
        list(
            statistic("triangles", Graphs((1,))).differences(
                Graphs(tuple(range(999))), "substitute"
            )
        )
    with pytest.raises(InvalidInput, match=r"asked of graphs.*such as graphs\(nodes=4\)"):
        statistic("triangles", Graphs((1,)))((1, 0))


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("triangles", "graphs(nodes=50, degree=1)", 0),
        ("edges", "graphs(nodes=50, degree=0)", 0),
        ("edges", "graphs(nodes=50, labels=[a, b], degree=0)", 0),
        ("triangles", "graphs(nodes=200)", 199 * 198 // 2),
        ("triangles", "graphs(nodes=200, degree=60)", 60 * 59 // 2),
        ("triangles", "graphs(nodes=200, degree=60, protect=edge)", 59),
        ("degrees", "graphs(nodes=10000, degree=20)", 40),
        ("degrees", "graphs(nodes=10000, protect=edge)", 2),
        ("edges", "graphs(nodes=10000)", 9999),
    ],
)
def test_the_sensitivity_needs_no_list_of_moves(name, text, value):
    place = universe(text)
    found = global_sensitivity(statistic(name, place), place)
    assert found.value == value
    if found.pair is not None:
        assert all(graph in found.universe for graph in found.pair)


@pytest.mark.parametrize("protect", ["node", "edge"])
@pytest.mark.parametrize("degree", [0, 1, 2, 3, None])
def test_the_largest_moves_are_the_largest_of_all(protect, degree):
    place = Graphs((1, 2, 3, 4), degree=degree, protect=protect)
    for f in (statistic(name, place) for name in ("edges", "triangles", "max-degree")):
        found = global_sensitivity(f, place).value
        assert found == max((abs(f(x) - f(y)) for x, y in pairs(place, "substitute")), default=0)
    f = statistic("degrees", place)
    for norm in ("L1", "L2"):
        listed = global_sensitivity(Computed(f, "degrees"), place, norm=norm)
        assert global_sensitivity(f, place, norm=norm).value ** 2 == listed.value**2


def test_a_group_is_said_after_the_bound_on_degrees():
    place = Graphs((1, 2, 3), degree=1)
    said = global_sensitivity(statistic("edges", place), place, group=2).explain()
    assert "no degree is above 1; up to 2 such steps apart)" in " ".join(said.split())


def test_listing_neighbours_shows_progress():
    seen = []

    def listener(items, label, total):
        seen.append((label, total))
        return items

    with listen(listener):
        global_sensitivity(module.triangles(), Graphs((1, 2, 3)), group=2)
    assert seen == [("listing neighbours", 8)]


def relabelled(graph, nodes, order):
    """Return the graph with its nodes in another order; the first keeps its name."""
    new = dict(zip(nodes, (nodes[0], *order), strict=True))
    labels = dict(graph.labels)
    return Graph.of(
        {node: labels[old] for old, node in sorted(new.items(), key=lambda pair: pair[1])},
        [(new[a], new[b]) for a, b in graph.edges],
    )


@pytest.mark.parametrize(("n", "labels"), [(1, "a"), (2, "ab"), (3, "ab"), (4, "a"), (5, "a")])
def test_one_graph_stands_for_all_that_differ_in_names_of_others(n, labels):
    nodes = tuple(range(1, n + 1))
    counted = GraphOrbits(nodes, tuple(labels)).counted
    orbits = {}
    for graph in Graphs(nodes, tuple(labels)):
        same = frozenset(relabelled(graph, nodes, order) for order in permutations(nodes[1:]))
        orbits[same] = orbits.get(same, 0) + 1
    assert sum(counted.values()) == Graphs(nodes, tuple(labels)).size
    assert len(counted) == len(orbits)
    for graph, count in counted.items():
        (home,) = [same for same in orbits if graph in same]
        assert orbits[home] == count


def test_the_graphs_of_seven_nodes_are_those_of_the_encyclopedia():
    assert sum(1 for _ in GraphOrbits(tuple(range(7)))) == 5096  # OEIS A000666(7)


@pytest.mark.parametrize("statistic", ["edges", "triangles", "max-degree"])
@pytest.mark.parametrize(
    "claim",
    [
        "ddp(random-edges(1/3), ratio=3/2)",
        "ddp(random-edges(1/3), simulator=canonical, ratio=3/2)",
        "ddp(mixture(random-edges(1/3), random-edges(3/4)), ratio=5/4)",
        "ddp([random-edges(1/3), random-edges(3/4)], ratio=5/4)",
        "coupled-worlds(random-edges(1/2), nodes, ratio=2)",
        "inference-ddp(random-edges(1/3), ratio=2)",
        "noiseless(mixture(random-edges(1/3), random-edges(1/2)), ratio=2)",
    ],
)
@pytest.mark.parametrize("universe", ["graphs(4)", "graphs(3, labels=[ill, well])"])
def test_node_by_node_or_one_for_all_is_the_same(monkeypatch, statistic, claim, universe):
    found, released = [], mechanism(f"exact({statistic}, {universe})")
    for most in (0, 1 << 30):
        monkeypatch.setattr(base, "_MOST_WORK", most)
        assert (definition(claim).scene(released).people is None) == (most > 0)
        found.append(definition(claim).tightest(released))
    assert found[0].delta == found[1].delta
    assert found[0].witness.verify()
    count = universe[len("graphs(")]
    assert f"everybody is alike here: node 1 stands for all {count} nodes" in found[0].notes


def test_degrees_name_their_nodes_and_are_listed(monkeypatch):
    monkeypatch.setattr(base, "_MOST_WORK", 0)
    named = mechanism("exact(degrees, graphs(3))")
    assert definition("ddp(random-edges(1/3), ratio=2)").scene(named).people is None


def test_random_edges_refuses_a_bound_on_degrees_and_too_many_kinds():
    with pytest.raises(InvalidInput, match="leave out degree="):
        random_edges(Graphs((1, 2, 3), degree=1), "1/2")
    with pytest.raises(TooLarge, match="7 nodes without labels"):
        mechanism("exact(edges, graphs(9))")


def test_what_is_too_large_to_draw_is_refused_before_it_is_drawn():
    def furthest(text):
        where = universe(text)
        return next(iter(statistic("triangles", where).furthest(where, "substitute")))

    with pytest.raises(TooLarge, match=r"bound the degree, as in graphs\(nodes=5000, degree=100\)"):
        furthest("graphs(5000)")
    assert furthest("graphs(nodes=5000, degree=100)").difference in (4950, -4950)
    for text in ("graphs(1000000000)", "records(values=1000000000, n=2)"):
        with pytest.raises(TooLarge, match=r"up to (nodes|values)=1048576"):
            universe(text)
