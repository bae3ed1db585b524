"""The best simulator: reference cases, vertices by hand, duality, and every other simulator."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import pytest

from twoworlds import mechanism
from twoworlds.definitions.coupled import CoupledWorlds, _program
from twoworlds.definitions.coupled.optimal import limit, optimal
from twoworlds.definitions.coupled.proof import verify_optimum
from twoworlds.definitions.coupled.scene import Simulator, canonical, coin, scene
from twoworlds.definitions.indistinguishability import TwoLaws
from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError
from twoworlds.worlds.belief import hidden, uniform
from twoworlds.worlds.joint import BeliefClass, Joint
from twoworlds.worlds.records import BitStrings
from twoworlds.worlds.scrubbing import Scrub, persons

F = Fraction


def fair(n, side=None):
    return BeliefClass((Joint.of(uniform(BitStrings(n)), side),), "the bits are fair coins")


def points(databases):
    return BeliefClass(tuple(Joint({(x, "nothing"): F(1)}) for x in databases), "any database")


def random_law(rng, outcomes, most=6, least=0):
    while not any(weights := [rng.randint(least, most) for _ in outcomes]):
        pass
    return {t: F(w, sum(weights)) for t, w in zip(outcomes, weights, strict=True) if w}


def random_scene(rng, people=2, outputs=2, beliefs=1, sides=False, tagged=False, least=0):
    databases = list(product((0, 1), repeat=people))
    laws = {x: random_law(rng, range(outputs), least=least) for x in databases}
    members = []
    for _ in range(beliefs):
        belief = random_law(rng, databases, least=least)
        members.append(Joint.of(belief, (lambda x: x[0]) if sides else None))
    return scene(
        lambda x: laws[x], BeliefClass(tuple(members), "random"), persons(people, tagged=tagged)
    )


def delta_of(found, simulator, ratio):
    """Measure a simulator straight from the definition."""
    worst = F(0)
    for cell in found.cells:
        simulated = cell.simulated(simulator)
        for v, mass in cell.mass.items():
            real = {t: p / mass for t, p in cell.real[v].items()}
            ideal = {t: p / mass for t, p in simulated[v].items()}
            worst = max(worst, TwoLaws(real, ideal).delta(ratio))
    return worst


# --- reference cases ------------------------------------------------------------------------------


def sum_of_three():
    return scene(sum, fair(3), persons(3))


def test_m02_sum_of_three_fair_bits():
    found = sum_of_three()
    best = optimal(found, F(3, 2))
    assert best.delta == F(1, 8)
    assert best.exact
    assert delta_of(found, canonical(found.release), F(3, 2)) == F(3, 8)


@pytest.mark.parametrize("ratio", [1, 10, 10**6, "e^0.5"])
def test_f01_known_parity_leaves_one_half_at_every_ratio(ratio):
    found = scene("parity(bits=2)", fair(2, lambda x: sum(x) % 2), persons(2))
    best = optimal(found, ratio)
    assert best.delta == F(1, 2)
    assert best.exact
    assert limit(found).delta == F(1, 2)


A03 = {
    (0,): {"a": F(1, 2), "b": F(3, 10), "c": F(1, 5)},
    (1,): {"a": F(1, 4), "b": F(3, 10), "c": F(9, 20)},
    (2,): {"a": F(2, 5), "b": F(1, 10), "c": F(1, 2)},
}


@pytest.mark.parametrize(
    ("ratio", "delta"), [(1, F(3, 20)), (F(6, 5), F(17, 150)), (F(3, 2), F(7, 120))]
)
def test_m06_point_beliefs_of_one_person(ratio, delta):
    best = optimal(scene(lambda x: A03[x], points(A03), persons(1)), ratio)
    assert best.delta == delta


def noisy(bit, keep):
    return {bit: keep, 1 - bit: 1 - keep}


def test_one_simulator_must_serve_all_beliefs():
    def first(x):
        return x[0]

    apart = [Joint.of({(b, 0): F(1, 2), (b, 1): F(1, 2)}) for b in (0, 1)]
    for joint in apart:
        assert optimal(scene(first, BeliefClass((joint,), "known"), persons(2)), 1).delta == 0
    both = scene(first, BeliefClass(tuple(apart), "known, one or the other"), persons(2))
    mixed = Joint.mixture(apart, ["1/2", "1/2"])
    assert optimal(both, 1).delta == F(1, 2)
    assert optimal(scene(first, BeliefClass((mixed,), "mixed"), persons(2)), 1).delta == F(1, 2)


# --- against vertices -----------------------------------------------------------------------------


def determinant(matrix):
    if len(matrix) == 1:
        return matrix[0][0]
    return sum(
        (-1) ** j * entry * determinant([row[:j] + row[j + 1 :] for row in matrix[1:]])
        for j, entry in enumerate(matrix[0])
        if entry
    ) or F(0)


def by_vertices(found, ratio):
    """Minimise over all intersections of test lines, for two outputs and two inputs.

    The unknowns are x = s(first | y0), z = s(first | y1), and delta.
    """
    first, second = found.outputs
    planes = [((F(1), F(0), F(0)), F(0)), ((F(-1), F(0), F(0)), F(-1))]
    planes += [((F(0), F(1), F(0)), F(0)), ((F(0), F(-1), F(0)), F(-1)), ((F(0), F(0), F(1)), F(0))]
    for cell in found.cells:
        for v, mass in cell.mass.items():
            one, other = (cell.ideal[v].get(y, F(0)) / mass for y in found.inputs)
            for t in (first, second):
                p = cell.real[v].get(t, F(0)) / mass
                sign, base = (F(1), F(0)) if t == first else (F(-1), F(1))
                # q = base + sign (one x + other z); delta >= p - a q, delta >= q - a p
                planes.append(((ratio * sign * one, ratio * sign * other, F(1)), p - ratio * base))
                planes.append(((-sign * one, -sign * other, F(1)), base - ratio * p))
    planes = list(dict.fromkeys(planes))
    best = None
    for three in combinations(planes, 3):
        rows = [list(row) for row, _ in three]
        size = determinant(rows)
        if size == 0:
            continue
        point = [
            determinant([[*row[:j], b, *row[j + 1 :]] for row, b in three]) / size for j in range(3)
        ]
        if best is not None and point[2] >= best:
            continue
        if all(sum(c * x for c, x in zip(row, point, strict=True)) >= b for row, b in planes):
            best = point[2]
    return best


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(12))
def test_optimum_is_the_best_vertex(seed):
    rng = random.Random(seed)
    found = random_scene(rng)
    while len(found.outputs) != 2 or len(found.inputs) != 2:
        found = random_scene(rng)
    ratio = rng.choice([F(1), F(6, 5), F(2)])
    assert optimal(found, ratio).delta == by_vertices(found, ratio)


# --- properties -----------------------------------------------------------------------------------


CASES = [
    {"people": 2, "outputs": 3},
    {"people": 3, "outputs": 3, "sides": True},
    {"people": 2, "outputs": 3, "beliefs": 3},
    {"people": 3, "outputs": 2, "tagged": True},
    {"people": 2, "outputs": 4, "beliefs": 2, "sides": True, "tagged": True},
]


@pytest.mark.few(3)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("ratio", [F(1), F(11, 10), F(2)])
def test_simulator_and_proof_meet(case, ratio):
    for seed in range(3):
        found = random_scene(random.Random(seed), **case)
        best = optimal(found, ratio)
        assert delta_of(found, best.simulator, ratio) == best.delta == best.lower
        assert best.verify()


@pytest.mark.parametrize("case", CASES)
def test_no_other_simulator_is_better(case):
    rng = random.Random(5)
    found = random_scene(rng, **case)
    best = optimal(found, F(6, 5)).delta
    others = [coin(found.outputs)]
    for _ in range(10):
        laws = {y: random_law(rng, found.outputs) for y in found.inputs}
        others.append(Simulator.table(laws))
    assert min(delta_of(found, other, F(6, 5)) for other in others) >= best


def test_the_tests_beat_every_simulator_on_average():
    rng = random.Random(3)
    found = random_scene(rng, people=3, outputs=3)
    best = optimal(found, F(11, 10))
    pairs = [(cell, v) for cell in found.cells for v in cell.mass]
    assert best.delta > 0
    for _ in range(20):
        simulator = Simulator.table({y: random_law(rng, found.outputs) for y in found.inputs})
        average = F(0)
        for test in best.tests:
            cell, v = pairs[test.comparison]
            event = [found.outputs[t] for t in test.event]
            ideal = cell.simulated(simulator)[v]
            p = sum(cell.real[v].get(t, F(0)) for t in event) / cell.mass[v]
            q = sum(ideal.get(t, F(0)) for t in event) / cell.mass[v]
            a = F(11, 10)
            average += test.weight * (p - a * q if test.favours == "real" else q - a * p)
        assert average >= best.delta


def test_scrubbing_may_be_random():
    def blur(x):
        return {x[0]: F(3, 4), 1 - x[0]: F(1, 4)}

    noisy_alt = Scrub("the bit", lambda x: x[0], blur)
    found = scene(lambda x: x[0], fair(1), [noisy_alt])
    # Naming the input with certainty errs with probability 1/4, and nothing is better.
    assert optimal(found, 1).delta == F(1, 4)


def test_merging_and_splitting_do_not_change_the_optimum(monkeypatch):
    scenes = [
        random_scene(random.Random(seed), people=3, outputs=3, tagged=seed % 2 == 0, sides=True)
        for seed in range(4)
    ]
    scenes.append(sum_of_three())
    quick = [optimal(found, F(6, 5)).delta for found in scenes]
    monkeypatch.setattr(
        _program, "groups", lambda made: [[y] for y in sorted({y for c in made for y in c.ideal})]
    )
    monkeypatch.setattr(_program, "parts", lambda small: iter([list(small)]))
    monkeypatch.setattr(_program, "different", lambda made, inputs: dict(enumerate(made)))
    assert [optimal(found, F(6, 5)).delta for found in scenes] == quick


def test_the_proof_covers_outputs_that_a_part_never_shows(monkeypatch):
    # Who knows everything compares 0 with 1, or 1 with 2: the third output is never in question.
    found = scene(sum, fair(2, lambda x: x), persons(2, tagged=True))
    best = optimal(found, 2)
    assert best.delta == F(1, 2)
    assert best.verify()
    monkeypatch.setattr(_program, "_everywhere", lambda part, stakes, outputs: stakes)
    with pytest.raises(TwoWorldsError, match="do not meet"):
        optimal(found, 2)


# --- enclosures -----------------------------------------------------------------------------------


# --- certificates ---------------------------------------------------------------------------------


def test_plain_data_is_verified_alone():
    best = optimal(random_scene(random.Random(2), people=3, outputs=3), F(6, 5))
    data = json.loads(json.dumps(best.to_dict()))
    assert data["delta"]["exact"] == str(best.delta)
    assert verify_optimum(data)
    assert verify_optimum(data["certificate"])


def changed(data, *path, value):
    found = deepcopy(data)
    inside = found
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return found


def test_a_changed_certificate_is_refused():
    data = optimal(sum_of_three(), F(3, 2)).to_dict()["certificate"]
    assert verify_optimum(data)
    for path, value in [
        (("lower",), "1/7"),
        (("upper",), "1/9"),
        (("lower_at_ratio",), "1"),
        (("tests", 0, "weight"), "2"),
        (("tests", 0, "weight"), "-1/8"),
        (("tests", 0, "favours"), "neither"),
        (("tests", 0, "event"), [0, 0]),
        (("simulator", 0), {"0": "1/2"}),
        (("comparisons", 0, "real", "0"), "1"),
        (("comparisons", 0, "errors"), ["-1/100", "0"]),
        (("comparisons",), []),
    ]:
        assert not verify_optimum(changed(data, *path, value=value)), path


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("upper",), "one"),
        (("upper",), "1/0"),
        (("upper",), 1),
        (("simulator", 0), {"9": "1"}),
        (("tests", 0, "comparison"), "first"),
    ],
)
def test_a_certificate_that_cannot_be_read_is_an_error(path, value):
    data = optimal(sum_of_three(), F(3, 2)).to_dict()["certificate"]
    with pytest.raises(InvalidInput, match="not a certificate"):
        verify_optimum(changed(data, *path, value=value))


def test_a_wrong_proof_does_not_verify():
    proof = optimal(sum_of_three(), F(3, 2))
    assert not replace(proof, lower=F(1, 7)).verify()
    heavier = tuple(replace(test, weight=2 * test.weight) for test in proof.tests)
    assert not replace(proof, tests=heavier, lower=F(1, 4)).verify()


# --- bad input ------------------------------------------------------------------------------------


def test_a_release_without_outputs_is_refused():
    with pytest.raises(InvalidInput, match="no output"):
        optimal(replace(sum_of_three(), outputs=()), 1)


def test_programs_that_do_not_fit_are_refused(monkeypatch):
    monkeypatch.setattr(_program, "_MOST_CELLS", 1)
    known = BeliefClass((Joint.of(hidden(BitStrings(3), {"1/4": "1/2", "3/4": "1/2"})),), "coins")
    with pytest.raises(TooLarge, match="fewer people"):
        optimal(scene(sum, known, persons(3)), 1)


@pytest.mark.parametrize(
    ("large", "way_out"),
    [
        ("exact(degrees, graphs(6))", "use at most 5 nodes, coarser outputs"),
        ("exact(python:builtins:tuple, bits(11))", "use at most 10 records, coarser outputs"),
        ("identity(bits=11)", "at most 1,048,576; use at most 10 records"),
    ],
)
def test_a_table_that_takes_minutes_is_refused_before_it_is_made(monkeypatch, large, way_out):
    monkeypatch.setattr("twoworlds.definitions.coupled.base.scene", None)
    with pytest.raises(TooLarge, match=way_out):
        CoupledWorlds("uniform", "persons").scene(mechanism(large))
