"""Totals of entries with a density in steps: both ends against fine lattices and exact cases."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from tests.noiseless.sums import brute
from twoworlds.errors import InvalidInput, NotStochastic, TooLarge
from twoworlds.laws.entry import StepDensity, read_law
from twoworlds.laws.uniform import density_delta, irwin_hall, least_enough, uniform_delta
from twoworlds.noiseless import solve_people, total
from twoworlds.numbers import bounds

HALF = Fraction(1, 2)
GAPS = "steps [0, 1]=1/3, [2, 4]=2/3"
NAMED = [
    "triangular [-1, 1]",
    "triangular [0, 1] at 1/4",
    "triangular [0, 1] at 0",
    "beta(1, 1) [0, 2]",
    "beta(2, 3) [0, 1]",
    "normal(0, 1) [-3, 3]",
    "normal(5, 2) [0, 4]",
    "exponential(2) [0, 3]",
]


@pytest.mark.parametrize("how", ["canonical", "centred", "noiseless"])
@pytest.mark.parametrize("terms", [1, 2, 5, 12])
def test_one_piece_is_the_uniform_law(terms, how):
    shift = {"canonical": HALF, "centred": HALF, "noiseless": Fraction(1)}[how]
    low, high = bounds(
        density_delta(read_law("steps [-1, 0]=1/2, [0, 1]=1/2"), terms, how, Fraction(2))
    )
    exact = uniform_delta(terms, shift, Fraction(2))
    assert low <= bounds(exact)[1]
    assert bounds(exact)[0] <= high
    assert high - low <= Fraction(1, 20)


def coarse(law, terms, fine):
    """The law of the sum of left ends of cells, each cell cut further, and their width."""
    width = law.width / fine
    cells = {}
    for low, high, mass in law.pieces:
        many = int((high - low) / width)
        for i in range(many):
            cells[low + i * width] = mass / many
    return brute.law_of_sum([cells] * terms), width


@pytest.mark.parametrize(
    "move", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5, 2), Fraction(4)]
)
def test_every_entry_of_the_support_stays_below_the_upper_end(move):
    """Cells of the true law, whose probabilities are computed exactly, exceed it by nothing."""
    law = StepDensity.of(
        [(Fraction(0), Fraction(1), Fraction(1, 3)), (Fraction(2), Fraction(4), Fraction(2, 3))]
    )
    if not law.allows(move):
        pytest.skip("in the gap")
    ratio = Fraction(3, 2)
    high = bounds(density_delta(law, 2, "canonical", ratio))[1]
    sums, width = coarse(law, 2, 1)
    grid = [Fraction(k, 4) for k in range(0, 50)]

    def below(y, by):  # P(S + by <= y), exactly: two entries in cells, two uniform remainders
        return sum(m * irwin_hall(2, (y - by - t) / width) for t, m in sums.items())

    masses = []
    for a, b in pairwise(grid):
        masses.append([below(b, by) - below(a, by) for by in (move, 0)])
    there = sum(max(Fraction(0), p - ratio * q) for p, q in masses)
    back = sum(max(Fraction(0), q - ratio * p) for p, q in masses)
    assert max(there, back) <= high


def test_a_gap_is_no_value_of_an_entry():
    law = read_law(GAPS)
    assert [law.allows(Fraction(x)) for x in (0, 1, 2, 4)] == [True] * 4
    assert not law.allows(Fraction(3, 2))


def test_both_ends_come_together_as_cells_get_finer():
    wide = read_law("steps [0, 1]=1/2, [2, 3]=1/2")
    cut = [
        (a + Fraction(i, 64), a + Fraction(i + 1, 64), Fraction(1, 128))
        for a in (0, 2)
        for i in range(64)
    ]
    fine = StepDensity.of(cut)
    first, second = (bounds(density_delta(law, 6, "centred", Fraction(2))) for law in (wide, fine))
    assert first[0] <= second[1] <= first[1]
    assert second[1] - second[0] < first[1] - first[0]


@pytest.mark.parametrize("text", NAMED)
def test_the_steps_lie_below_the_density_and_have_nearly_its_mass(text):
    """Fine Riemann sums of the shape, by floats, are never below a step."""
    import math

    law = read_law(text)
    assert Fraction(95, 100) < law.share <= 1
    kind = text.split("(")[0].split(" ")[0]
    shapes = {
        "triangular": lambda x, a, b: None,
        "beta": lambda x, a, b: (
            ((x - a) / (b - a)) ** (int(text[5]) - 1) * ((b - x) / (b - a)) ** (int(text[8]) - 1)
        ),
        "normal": lambda x, a, b: math.exp(-(((x - float(text[7])) / float(text[10])) ** 2) / 2),
        "exponential": lambda x, a, b: math.exp(-2 * x),
    }
    a, b = map(float, law.ends)
    if kind == "triangular":
        peak = float(Fraction(text.split("at ")[1])) if "at " in text else (a + b) / 2

        def shape(x):
            return (x - a) / (peak - a) if x < peak else (b - x) / (b - peak)
    else:

        def shape(x):
            return shapes[kind](x, a, b)

    many = 20_000
    area = sum(shape(a + (i + 0.5) * (b - a) / many) for i in range(many)) * (b - a) / many
    for low, high, mass in law.pieces[::7]:
        start, size = float(low), float(high - low)
        inside = [start + size * (i + 0.5) / 20 for i in range(20)]
        assert float(mass) / size <= min(map(shape, inside)) / area * (1 + 1e-6)


@pytest.mark.parametrize("people", [6, 11, 21])
def test_a_triangular_entry_is_the_sum_of_two_uniform_ones(people):
    """So its exact delta is that of twice as many uniform entries, moved by a whole length."""
    ratio = Fraction(2)
    found = bounds(total("triangular [-1, 1]", people=people, ratio=ratio).delta)
    exact = bounds(uniform_delta(2 * (people - 1), Fraction(1), ratio))
    assert exact[0] <= found[1] <= Fraction(5, 4) * exact[1]
    assert Fraction(4, 5) * exact[0] <= found[0] <= exact[1]


@pytest.mark.parametrize("text", NAMED)
def test_an_entry_lies_between_the_laws_around_it(text):
    law = read_law(text)
    if law.share == 1:
        assert law.around == (law.cells, law.cells)
        return
    for k in range(len(law.masses) + 1):
        inside = sum(law.masses[:k])
        below, above = (
            sum(p for v, p in zip(one.values, one.masses, strict=True) if v < k)
            for one in law.around
        )
        assert below >= inside >= above - Fraction(1, 1 << 24)


@pytest.mark.parametrize("text", NAMED)
@pytest.mark.parametrize(("terms", "how"), [(1, "noiseless"), (2, "centred"), (12, "canonical")])
def test_both_ends_of_a_named_density_enclose_a_fine_convolution(text, terms, how):
    """Entries are put on 1,024 midpoints; what that is off by is far below the ends' distance."""
    law, many = read_law(text), 1024
    (low, high), ratio = law.ends, Fraction(3, 2)
    parts = law.masses or [Fraction(1, 128)] * 128
    fine = np.repeat([float(p) for p in parts], many // len(parts))
    one = fine / fine.sum()
    total = np.array([1.0])
    for _ in range(terms):
        total = np.convolve(total, one)
    step = float(high - low) / many
    against = {"noiseless": [low, high], "centred": [(low + high) / 2], "canonical": [Fraction(0)]}
    worst = 0.0
    for v in (low, high):
        for w in against[how]:
            moved = round(float(v - w) / step)
            first = np.pad(total, (max(0, moved), max(0, -moved)))
            second = np.pad(total, (max(0, -moved), max(0, moved)))
            gaps = (first - float(ratio) * second, second - float(ratio) * first)
            worst = max(worst, *(np.maximum(0, gap).sum() for gap in gaps))
    ends = [float(end) for end in bounds(density_delta(law, terms, how, ratio))]
    assert ends[0] - 0.01 <= worst <= ends[1] + 0.01
    assert ends[0] > 0.7 * worst - 0.01


def test_the_fewest_people_for_a_claim_about_steps():
    asked = {"epsilon": 1, "delta": "1e-3", "simulator": "centred"}
    found = solve_people(GAPS, **asked)
    people = int(found.people)
    assert found.holds
    assert bounds(total(GAPS, people=people - 1, epsilon=1, simulator="centred").delta)[
        1
    ] > Fraction(1, 1000)


def test_noiseless_privacy_of_steps_compares_all_two_values():
    first = bounds(total(GAPS, people=12, ratio=2, definition="noiseless").delta)
    second = bounds(total(GAPS, people=12, ratio=2, simulator="centred").delta)
    assert second[0] <= first[1]


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("steps [0, 1]=1/2", NotStochastic, "it must be 1"),
        ("steps [0, 2]=1/2, [1, 3]=1/2", InvalidInput, "do not overlap"),
        ("steps 0=1", InvalidInput, "write it like steps"),
        ("steps [0, 1]=1/2, [1, 100001/100000]=1/2", TooLarge, "coarser grid"),
        ("beta(1/2, 1) [0, 1]", InvalidInput, "whole numbers"),
        ("normal(0) [0, 1]", InvalidInput, "normal: write"),
        ("normal(0, 0) [0, 1]", InvalidInput, "above 0"),
        ("triangular [0, 1] at 2", InvalidInput, "outside"),
        ("exponential(1) [1, 0]", InvalidInput, "not an interval"),
    ],
)
def test_bad_densities_are_refused(text, error, said):
    with pytest.raises(error, match=said):
        assert read_law(text).width


@pytest.mark.parametrize("seed", range(60))
def test_finds_the_first_value_within_the_limit(seed):
    rng = random.Random(seed)
    size = rng.randint(1, 300)
    falling = sorted((Fraction(rng.randint(0, 40), 40) ** 3 for _ in range(size)), reverse=True)
    limit = Fraction(rng.randint(0, 40), 40) ** 3
    expected = next((n for n, value in enumerate(falling) if value <= limit), None)
    assert least_enough(falling.__getitem__, limit, size - 1) == expected
