from __future__ import annotations

from fractions import Fraction

import pytest

from twoworlds.errors import InvalidInput, NotStochastic, TooLarge
from twoworlds.noiseless import EntryLaw, StepDensity, read_law

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("text", "masses"),
    [
        ("-1,0,1", {-1: "1/3", 0: "1/3", 1: "1/3"}),
        ("0..3", {0: "1/4", 1: "1/4", 2: "1/4", 3: "1/4"}),
        ("0..1 by 1/2", {0: "1/3", "1/2": "1/3", 1: "1/3"}),
        ("-2..-1, 5", {-2: "1/3", -1: "1/3", 5: "1/3"}),
        ("-1=1/4, 0=1/2, 1=1/4", {-1: "1/4", 0: "1/2", 1: "1/4"}),
        ("0 = 25%, 0.1=75%, 7=0", {0: "1/4", "1/10": "3/4"}),
        ("bernoulli(1/3)", {0: "2/3", 1: "1/3"}),
        ("Bernoulli(p=1)", {1: 1}),
        ("7", {7: 1}),
    ],
)
def test_text_reads_as_its_masses(text, masses):
    assert read_law(text) == EntryLaw.of(masses)


@pytest.mark.parametrize("text", ["uniform [-1, 1]", "[-1,1]", "uniform interval [-1, 1]"])
def test_intervals_read(text):
    assert read_law(text) == StepDensity.of([(Fraction(-1), Fraction(1), Fraction(1))])


@pytest.mark.parametrize(
    "text",
    [
        "component [-1, 1] at least 1/4",
        "uniform component [-1,1] eta=1/4",
        "uniform-component on [-1,1], >= 0.25",
    ],
)
def test_components_read(text):
    law = read_law(text)
    assert law.flat
    assert not law.uniform
    assert law.share == HALF


def test_the_lattice_is_the_coarsest_that_holds_all_differences():
    assert EntryLaw.uniform([1, 3, 7]).step == 2
    assert EntryLaw.uniform(["1/2", "5/4"]).step == Fraction(3, 4)
    assert EntryLaw.uniform([5]).step == 1


@pytest.mark.parametrize(
    ("text", "concave"),
    [
        ("0..9", True),
        ("0=1/4, 1=1/2, 2=1/4", True),
        ("0=1/2, 1=1/8, 2=3/8", False),
        ("0, 1, 5", False),
        ("1, 3", True),
    ],
)
def test_log_concavity_is_decided_on_the_lattice(text, concave):
    assert read_law(text).is_log_concave is concave


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "at least one value"),
        ("1, 1, 2", "listed twice"),
        ("0=1/2, 0=1/2", "listed twice"),
        ({0: "1/2", "0": "1/2"}, "listed twice"),
        ("0=1/2, 1", "no probability although"),
        ("0=3/2, 1=-1/2", "between 0 and 1"),
        ("ln 2, 1", "irrational"),
        ("a, b", "not a number"),
        ("5..1", "not a range"),
        ("0..1 by 2/3", "not a range"),
        ("0..1 by 0", "not a range"),
        ("[1, 1]", "not an interval"),
        ("component [-1, 1] at least 0", "above 0"),
        ("component [-1, 1] at least 3/4", "at most 1/2"),
    ],
)
def test_bad_laws_are_refused_with_the_reason(given, message):
    with pytest.raises(InvalidInput, match=message):
        read_law(given)


def test_masses_must_sum_to_one():
    with pytest.raises(NotStochastic, match="sum to 3/4"):
        read_law("0=1/2, 1=1/4")


def test_huge_ranges_are_refused_before_they_are_built():
    with pytest.raises(TooLarge, match="a law may have 100,000"):
        read_law("0..1000000000000")
