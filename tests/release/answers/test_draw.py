"""Where data meet noise: every cell gets its own, and nothing else comes out."""

import json
from fractions import Fraction
from itertools import permutations

import pytest

from tests.release.answers.helpers import (
    FREE,
    PERSON,
    added,
    asked,
    calibrated,
    chosen,
    laplace,
    noised,
    simulated,
)
from tests.release.noise.scripted import SeededBits
from twoworlds.errors import InvalidInput
from twoworlds.release.answers import noisy
from twoworlds.release.answers.cells import stored
from twoworlds.release.ledger.entries import canonical
from twoworlds.release.noise import Sampler, SystemBits
from twoworlds.release.query import Query
from twoworlds.release.sensitivity import MeasureNoise


class Counted(SeededBits):
    """Seeded bits that count the words asked for."""

    asked = 0

    def words(self, count):
        self.asked += count
        return super().words(count)


def by_region():
    return asked(Query("people").by("region").by("sex").count().sum("age"))


def test_every_declared_cell_has_true_total_plus_noise_of_its_own():
    resolved = by_region()
    noise = calibrated(resolved, laplace(2), laplace(50))
    empty = simulated(resolved, added(), noise, SeededBits(3))
    totals = added({(1, 0): (10, 700), (2, 1): (20, -5)})
    full = simulated(resolved, totals, noise, SeededBits(3))
    moved = [
        [b - a for a, b in zip(x, y, strict=True)]
        for x, y in zip(empty["values"], full["values"], strict=True)
    ]
    assert moved == [[0, 0, 10, 0, 0, 20], [0, 0, 700, 0, 0, -5]]
    source = SeededBits(3)  # the noise is one draw of all cells for each measure
    drawn = [Sampler.of(n.law).values(6, source) for n in noise.noises[0]]
    assert empty == {"cells": None, "values": drawn}


def test_bits_drawn_do_not_depend_on_data():
    resolved, counts = by_region(), []
    for totals in (added(), added({(0, 0): (10**6, -(10**9)), (2, 1): (1, 1)})):
        source = Counted(1)
        simulated(resolved, totals, calibrated(resolved), source)
        counts.append(source.asked)
    assert counts[0] == counts[1]


def test_the_order_in_which_an_engine_answers_does_not_show():
    resolved = by_region()
    cells = [((1, 0), (3, 4)), ((0, 1), (5, 6)), ((2, 0), (7, 8))]
    found = {
        canonical(simulated(resolved, added(dict(o)), calibrated(resolved), SeededBits(2)))
        for o in permutations(cells)
    }
    assert len(found) == 1


def test_what_is_returned_is_plain_data_that_the_ledger_takes():
    resolved = asked(Query("people").by("age").count().median("age"))
    found = noisy(resolved, added({(0,): (3, 0)}), calibrated(resolved), SystemBits())
    assert json.loads(canonical(found)) == found
    assert all(type(x) is int for one in found["values"] for x in one)
    assert all(0 <= i <= 10 for i in found["values"][1])


def test_without_sensitivity_a_total_is_answered_exactly():
    resolved = asked(Query("visits").count(), PERSON)
    noise = calibrated(resolved, FREE)
    found = noisy(resolved, added({(): (1234,)}), noise, SystemBits())
    assert found["values"] == [[1234]]


def test_a_total_that_a_person_moves_is_never_answered_without_noise():
    resolved = asked(Query("people").count())
    with pytest.raises(InvalidInput, match="no noise"):
        noisy(
            resolved,
            added({(): (7,)}),
            calibrated(resolved, MeasureNoise(Fraction(1), None, Fraction(1))),
            SystemBits(),
        )


def test_a_quantile_of_an_empty_group_is_any_value_of_the_grid():
    resolved = asked(Query("people").median("age"))
    source = SeededBits(5)
    found = {
        simulated(resolved, added(), calibrated(resolved), source)["values"][0][0]
        for _ in range(400)
    }
    assert found == set(range(11))


def test_a_quantile_that_nobody_moves_does_not_look_at_the_data():
    resolved = asked(Query("people").median("age"))
    counts = tuple([0] * 22 + [5])
    noise = calibrated(resolved, FREE)
    found = noisy(resolved, added({}, {0: {(): counts}}), noise, SystemBits())
    assert found["values"] == [[0]]


# --- discovered keys ----------------------------------------------------------------------------


def discovered():
    return asked(Query("people").by("city", discover=True).by("sex").count().sum("age"))


def test_discovered_keys_below_the_threshold_leave_no_trace():
    resolved = discovered()
    noise = calibrated(resolved, laplace(1), laplace(9), threshold=100)
    totals = added({("Ulm", 0): (500, 9), ("Bonn", 1): (400, 8), ("tiny secret", 0): (2, 70)})
    found = noisy(resolved, totals, noise, SystemBits())
    assert found["cells"] == [["Bonn", 1], ["Ulm", 0]]
    assert [len(one) for one in found["values"]] == [2, 2]
    assert "secret" not in canonical(found)


def test_discovered_keys_come_sorted_whatever_the_engine_does():
    resolved = discovered()
    noise = calibrated(resolved, laplace(1), laplace(9), threshold=3)
    cells = [((name, sex), (900, 1)) for name in ("b", "a", "ä") for sex in (1, 0)]
    for order in (cells, cells[::-1]):
        found = noisy(resolved, added(dict(order)), noise, SystemBits())
        assert found["cells"] == [["a", 0], ["a", 1], ["b", 0], ["b", 1], ["ä", 0], ["ä", 1]]


def test_a_discovered_cell_without_anybody_is_never_shown():
    resolved = discovered()
    noise = calibrated(resolved, laplace(1), laplace(9), threshold=-1000)
    found = noisy(resolved, added({("empty", 0): (0, 50)}), noise, SystemBits())
    assert found["cells"] == []


def test_the_chance_that_a_key_of_one_person_shows_is_the_tail_of_the_noise():
    """The exact law, through a noise that is scripted value by value."""
    resolved = asked(Query("people").by("city", discover=True).count())
    law = laplace(1).law
    shown = Fraction(0)
    for z in range(-30, 31):
        noise = calibrated(resolved, noised(law), threshold=4)
        patched = _release(resolved, added({("x",): (1,)}), noise, z)
        shown += Fraction(len(patched["cells"])) * Fraction(float(law.pmf(z)))
    assert float(shown) == pytest.approx(float(law.at_least(3)), abs=1e-9)


def _release(resolved, totals, noise, z):
    return stored(
        resolved, totals, noise.noises[0], noise.threshold, lambda _, size: [z] * size, None
    )


def test_discovery_without_a_threshold_is_refused():
    resolved = discovered()
    with pytest.raises(InvalidInput, match="threshold"):
        noisy(resolved, added(), calibrated(resolved), SystemBits())


def test_quantiles_of_discovered_keys_are_chosen_among_their_own_rows():
    resolved = asked(Query("people").by("city", discover=True).median("age"))
    kinds = [measure.kind for measure in resolved.measures]
    assert kinds == ["ranks", "rows"]
    old, young = [0] * 23, [0] * 23
    old[2 * 8 + 1], young[2 * 1 + 1] = 900, 900
    totals = added(
        {("Bonn",): (0, 900), ("Ulm",): (0, 900)},
        {0: {("Ulm",): tuple(young), ("Bonn",): tuple(old)}},
    )
    noise = calibrated(resolved, chosen(1), laplace(1), threshold=50)
    found = simulated(resolved, totals, noise, SeededBits(1))
    assert found["cells"] == [["Bonn"], ["Ulm"]]
    assert found["values"][0] == [8, 1]


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", [(3, 0), (-1, 0), (0,), (), (0, 0, 0), ("secret", 0), (True, 0)])
def test_an_undeclared_cell_is_refused_without_being_named(cell):
    resolved = by_region()
    with pytest.raises(InvalidInput, match="not declared") as caught:
        noisy(resolved, added({cell: (1, 1)}), calibrated(resolved), SystemBits())
    assert "secret" not in str(caught.value)


def test_a_calibration_of_another_query_is_refused():
    resolved = by_region()
    with pytest.raises(InvalidInput, match="calibrate this query"):
        noisy(resolved, added(), calibrated(resolved, laplace(1)), SystemBits())


def test_a_release_takes_no_seed():
    resolved = by_region()
    with pytest.raises(InvalidInput, match="SystemBits"):
        noisy(resolved, added(), calibrated(resolved), SeededBits(1))
    chosen = asked(Query("people").median("age"))
    with pytest.raises(InvalidInput, match="SystemBits"):
        noisy(chosen, added(), calibrated(chosen), SeededBits(1))
