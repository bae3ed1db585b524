from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest

from tests.noiseless.sums import brute
from twoworlds.errors import InvalidInput, TwoWorldsError, Undecided, Unsupported
from twoworlds.laws.uniform import (
    irwin_hall,
    uniform_delta,
)
from twoworlds.noiseless import total
from twoworlds.numbers import bounds, decimal

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("people", "epsilon", "expected"),
    [
        (2, "0.5", 0.5),
        (11, "0.5", 0.0670817259312031),
        (21, 1, 0.00140538912334184),
    ],
)
def test_theorem_8_for_uniform_entries(people, epsilon, expected):
    low, high = bounds(total("uniform [-1, 1]", people=people, epsilon=epsilon).delta)
    assert high - low <= low * Fraction(1, 1 << 50)
    assert abs(float(low) - expected) <= 1e-9


def test_known_entries_count_as_fewer_people():
    few = bounds(total("[-1, 1]", people=11, epsilon="0.5").delta)
    many = bounds(total("[-1, 1]", people=31, known=20, epsilon="0.5").delta)
    assert few == many


@pytest.mark.parametrize("terms", [1, 2, 3, 4])
def test_irwin_hall_is_the_volume_of_a_corner_of_the_cube(terms):
    """Riemann sums over a fine lattice enclose the volume below y."""
    cells = 8
    law = {Fraction(k): Fraction(1, cells) for k in range(cells)}
    corners = brute.law_of_sum([law] * terms)
    for y in (Fraction(1, 3), Fraction(5, 4), Fraction(7, 2)):
        inside = sum((m for t, m in corners.items() if (t + terms) / cells <= y), Fraction(0))
        touched = sum((m for t, m in corners.items() if t / cells <= y), Fraction(0))
        assert inside <= irwin_hall(terms, y) <= touched


@pytest.mark.few(3)
@pytest.mark.parametrize("terms", [2, 3, 7])
@pytest.mark.parametrize("shift", [HALF, Fraction(1), Fraction(4, 3)])
@pytest.mark.parametrize("ratio", [Fraction(5, 4), Fraction(3)])
def test_uniform_delta_is_the_best_half_line(terms, shift, ratio):
    """A fine grid of half-lines comes near the enclosure and never above it."""
    low, high = bounds(uniform_delta(terms, shift, ratio))
    steps = 400
    grid = [Fraction(terms * k, steps) for k in range(steps + 1)]
    best = max(irwin_hall(terms, y + shift) - ratio * irwin_hall(terms, y) for y in grid)
    assert best <= high
    assert low - best < Fraction(1, 1000)


def test_many_uniform_entries_are_enclosed():
    found = total("[-1, 1]", people=500, epsilon="0.2", delta="1/10")
    assert found.holds is True
    low, high = bounds(found.delta)
    assert 0 < low < high < low * Fraction(11, 10)
    assert any("could not compute delta exactly" in note for note in found.notes)
    assert total("[-1, 1]", people=500, epsilon="0.05", delta="1e-6").holds is False


# --- a uniform component ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_conditioning_on_the_uniform_part_bounds_delta_on_a_lattice(seed):
    """The same argument, where everything can be enumerated: weight w of the uniform law."""
    rng = random.Random(seed)
    cells, others, share, ratio = 4, 3, HALF, Fraction(3, 2)
    weights = [rng.randint(0, 5) for _ in range(cells)]
    rest = [Fraction(w, sum(weights)) if sum(weights) else Fraction(1, cells) for w in weights]
    mixed = {Fraction(k): share / cells + (1 - share) * rest[k] for k in range(cells)}
    even = {Fraction(k): Fraction(1, cells) for k in range(cells)}

    def delta(law, count, value):
        sums = brute.law_of_sum([law] * count)
        return brute.both({t + value: m for t, m in sums.items()}, sums, ratio)

    for value in range(1, cells):
        bound = sum(
            comb(others, b) * share**b * (1 - share) ** (others - b) * delta(even, b, value)
            for b in range(others + 1)
        )
        assert delta(mixed, others, value) <= bound


def test_a_claim_between_the_ends_of_a_bound_is_left_open():
    law = "component [-1, 1] at least 1/4"
    low, high = bounds(total(law, people=40, epsilon=1).delta)
    assert total(law, people=40, epsilon=1, delta=high * 2).holds is True
    assert total(law, people=40, epsilon=1, delta=low / 2).holds is False
    between = total(law, people=40, epsilon=1, delta=(low + high) / 2)
    assert between.holds is None
    assert between.notes[0].startswith("undecided: delta lies between ")
    assert "delta is not proven to be at most" in between.sentence
    with pytest.raises(Undecided):
        bool(between)


def test_a_component_claim_that_its_lower_end_refutes_is_refuted_in_words():
    law = "component [-1, 1] at least 1/4"
    refuted = total(law, people=40, epsilon=1, delta="1e-9")
    assert refuted.holds is False
    assert refuted.sentence.endswith(
        "nothing more is needed: delta exceeds 1e-9 with no entry known."
    )
    assert "not proven" not in refuted.explain()
    assert not any("undecided" in note for note in refuted.notes)
    told = total(law, people=40, known=20, epsilon=1, delta="1e-9")
    assert told.sentence.endswith("delta exceeds 1e-9 with 20 entries known.")


@pytest.mark.parametrize("known", [30, pytest.param(0, marks=pytest.mark.slow)])
def test_without_a_claim_it_is_said_what_more_knowledge_does(known):
    for law, makes in (
        ("[-1, 1]", "delta exceed 1/2"),
        ("component [-1, 1] at least 1/4", "it possible that delta exceeds 1/2"),
    ):
        asked = {"people": 40, "epsilon": 1}
        found = total(law, known=known, **asked)
        tops = [bounds(total(law, known=k, **asked).delta)[1] for k in range(40)]
        first = next(k for k, top in enumerate(tops) if top > HALF)
        bound = "at most " if law.startswith("component") else ""
        assert found.sentence.endswith(
            f"What breaks it: each known entry can weaken it; knowing {known + 1} gives delta "
            f"{bound}{decimal(tops[known + 1], 3, 'up' if bound else 'about')}; "
            f"knowing {first} makes {makes}."
        )


def test_hidden_constants_are_named_and_not_printed():
    found = total("component [-1, 1] at least 1/4", people=40, epsilon=1)
    assert any("Theorem 8" in note and "no number" in note for note in found.notes)
    assert any("mixture" in note for note in found.notes)
    assert set(found.values) == {"ratio", "epsilon", "delta"}
    noiseless = total(
        "component [-1, 1] at least 1/4", people=40, epsilon=1, definition="noiseless"
    )
    assert not any("mixture" in note for note in noiseless.notes)


# --- words, witnesses, errors -------------------------------------------------------------------


def test_witnesses_reverify_and_nearly_attain_delta():
    found = total("[-1, 1]", people=12, epsilon="0.5")
    p, q = found.witness.probabilities
    excess = bounds(p - found.ratio * q)
    assert excess[0] <= bounds(found.delta)[1]
    assert bounds(found.delta)[0] - excess[1] < Fraction(1, 10**9)
    wrong = replace(found.witness, probabilities=(p, q + Fraction(1, 10**30)))
    with pytest.raises(TwoWorldsError, match="does not re-verify"):
        replace(found, witness=wrong)


def test_what_cannot_be_computed_is_refused():
    with pytest.raises(Unsupported, match="resampled"):
        total("[0, 1]", people=5, epsilon=1, simulator="resampled")
    with pytest.raises(InvalidInput, match="at most 4 can be known"):
        total("[0, 1]", people=5, known=5, epsilon=1)
