"""Theorems 3 to 6 as rules for numbers, and the words of the new kinds."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theorems import coupled as brute
from twoworlds.definitions.coupled.operations import Coupled, compose
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.theorems import (
    NON_IMPLICATIONS,
    THEOREMS,
    Guarantee,
    compose_coupled,
    less_side_information,
    post_process,
    with_mixtures,
)

RATIOS = st.fractions(1, 3, max_denominator=6)
COUPLED = ("ddp", "independent-ddp", "coupled-worlds", "simulation", "noiseless", "pufferfish")


@pytest.mark.parametrize("kind", COUPLED)
def test_post_processing_keeps_the_numbers(kind):
    stated = Guarantee.of(kind, ratio=2, delta="1/10")
    found = post_process(stated)
    assert found == stated
    assert found.source.theorem is THEOREMS["bgks-3"]


@given(brute.worlds(), RATIOS, st.lists(st.integers(0, 1), min_size=5, max_size=5))
def test_noiseless_privacy_is_kept_by_a_map_of_the_output(world, ratio, image):
    after = world.then(image.__getitem__)
    assert brute.noiseless_delta(after, ratio) <= brute.noiseless_delta(world, ratio)


@pytest.mark.parametrize("kind", ["inference-ddp", "inference-coupled-worlds"])
def test_the_inference_forms_are_not_said_to_be_kept(kind):
    with pytest.raises(Unsupported):
        post_process(Guarantee.of(kind, ratio=2))


@pytest.mark.parametrize(
    ("rule", "name"), [(with_mixtures, "bgks-4"), (less_side_information, "bgks-5")]
)
def test_mixtures_and_less_side_information_keep_what_has_a_simulator(rule, name):
    for kind in ("ddp", "coupled-worlds", "simulation"):
        stated = Guarantee.of(kind, ratio=2, delta="1/10")
        assert rule(stated) == stated
        assert rule(stated).source.theorem is THEOREMS[name]
    for kind in ("noiseless", "pufferfish", "independent-ddp", "inference-ddp"):
        with pytest.raises(Unsupported, match=f"not about {kind}"):
            rule(Guarantee.of(kind, ratio=2))


@pytest.mark.slow
@settings(max_examples=30)
@given(brute.worlds(), brute.worlds(), RATIOS, RATIOS)
def test_theorem_6_has_the_same_numbers_as_the_operation(one, two, first, second):
    two = Coupled(two.release, two.simulator, one.beliefs, one.scrubs)
    found = compose(one, two).at(first, second)
    stated = compose_coupled(
        Guarantee.of("ddp", ratio=first, delta=found.first),
        Guarantee.of("ddp", ratio=second, delta=found.second),
    )
    assert stated.source.theorem is THEOREMS["bgks-6"]
    assert (stated.ratio, stated.delta) == (found.ratio, min(found.bound, 1))
    assert found.delta <= stated.delta


def test_theorem_6_reference_l01_and_erratum_16():
    one = Guarantee.parse("coupled-worlds(ratio=6/5, delta=11/60)")
    found = compose_coupled(one, one)
    assert found.delta == Fraction(121, 300) > 2 * one.delta
    assert "delta_F + delta_G is not enough" in THEOREMS["bgks-6"].tight
    assert "bounded epsilon" in THEOREMS["bgks-6"].erratum


def test_theorem_6_refuses_two_kinds_and_infinite_epsilons():
    one, other = Guarantee.parse("ddp(ratio=2)"), Guarantee.parse("coupled-worlds(ratio=2)")
    with pytest.raises(InvalidInput, match="two guarantees of one kind"):
        compose_coupled(one, other)
    with pytest.raises(InvalidInput, match="finite epsilon"):
        compose_coupled(one, Guarantee.parse("ddp(epsilon=inf)"))
    with pytest.raises(Unsupported, match="not about dp"):
        compose_coupled(one, Guarantee.parse("dp(ratio=2)"))


def test_every_statement_of_the_paper_about_definitions_is_in_the_registry():
    paper = "Bassily, Groce, Katz & Smith"
    cited = " ".join(
        one.citation
        for one in (*THEOREMS.values(), *NON_IMPLICATIONS.values())
        if paper in one.citation
    )
    places = [f"Theorem {n}" for n in (1, 2, 3, 4, 5, 6, 7, 16, 17)]
    places += ["Corollary 1", "Corollary 2", "Lemma 1", "Example 1", "Section II-E"]
    assert [place for place in places if place not in cited] == []
