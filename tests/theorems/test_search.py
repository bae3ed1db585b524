"""The graph itself: registries, chains, dominance, answers as text and as JSON."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theorems import coupled as brute
from twoworlds.definitions.coupled.operations import Coupled
from twoworlds.definitions.coupled.optimal import optimal
from twoworlds.errors import InvalidInput, Undecided
from twoworlds.numbers import bounds
from twoworlds.theorems import (
    KINDS,
    NON_IMPLICATIONS,
    THEOREMS,
    Context,
    Guarantee,
    Implication,
    non_implication,
    theorem,
)
from twoworlds.theorems.implication import LONGEST
from twoworlds.theorems.promise import sentences

STATED = [
    "dp(epsilon=0.1)",
    "dp(epsilon=0.1, delta=1e-9, records=100)",
    "dp(ratio=3, delta=1/10, neighbours=add-remove, records=2)",
    "semantic(epsilon=0.1, delta=0.01)",
    "semantic(epsilon=1)",
    "statistical-difference(epsilon=0.01, records=5)",
    "pointwise(ratio=2, delta=0.01)",
    "informed(epsilon=0.2)",
    "local-laplace(epsilon=0.1, records=50)",
    "reality-oblivious(epsilon=0.2, delta=0.1)",
    "dp(epsilon=0)",
    "dp(epsilon=inf, delta=0.5)",
    "zcdp(rho=1/8)",
    "gdp(mu=1/2, neighbours=add-remove)",
    "rdp(order=2, epsilon=1/4)",
]


@pytest.mark.few(6)
@pytest.mark.parametrize("stated", [STATED[i] for i in (1, 2, 3, 11, 12, 14)])
@pytest.mark.parametrize("kind", list(KINDS))
def test_every_question_gets_an_answer_that_can_be_read(stated, kind):
    found = Guarantee.parse(stated).implies(kind, delta1="1e-9", level="0.05", values=2)
    assert isinstance(found, Implication)
    assert found.explain().startswith(str(found.given))
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["to"] == kind
    assert len(found.steps) <= LONGEST
    for one in found.conclusions:
        assert one.kind == kind
        assert not one.vacuous or one == found.given
        assert Guarantee.parse(str(one)).kind == kind


@pytest.mark.few(3)
@pytest.mark.parametrize("stated", STATED[1:4])
def test_every_step_starts_where_the_one_before_ended(stated):
    for kind in KINDS:
        found = Guarantee.parse(stated).implies(kind, delta1="1e-9", level="0.1")
        if found.best is not None:
            links = list(found.best.chain())
            assert links[0] == found.given
            assert links[-1] is found.best
            for before, after in itertools.pairwise(links):
                assert after.source.given is before
                assert all(check.ok for check in after.source.checks)


def test_a_printed_form_that_is_false_is_never_a_conclusion():
    false = {name for name, one in THEOREMS.items() if one.printed_false}
    assert false == {"ks-2.4-2", "ks-3.3-2", "ks-3.4", "bgks-dp-simulation", "bgks-1", "bgks-2"}
    for stated, name in (
        ("semantic(epsilon=0.1, delta=0.01)", "ks-2.4-2"),
        ("indistinguishable(ratio=3, delta=0.01)", "ks-3.3-2"),
        ("joint(ratio=3, delta=0.01)", "ks-3.4"),
        ("ddp(ratio=5, delta=0.002401, records=1)", "bgks-1"),
        ("coupled-worlds(ratio=30, delta=0.01, pairs=1)", "bgks-2"),
    ):
        found = THEOREMS[name].apply(Guarantee.parse(stated), Context(THEOREMS[name].conclusion))[0]
        assert not found.conclusion.at_least_as_strong_as(found.application.printed)
        assert THEOREMS[name].corrected


def test_every_theorem_is_stated_cited_and_between_known_kinds():
    for one in THEOREMS.values():
        assert one.statement.endswith((".", "privacy"))
        assert ", " in one.citation
        assert set(one.premises) | {one.conclusion} <= set(KINDS)
        assert not one.printed_false or one.erratum
        json.dumps(one.to_dict())
    for other in NON_IMPLICATIONS.values():
        assert other.statement
        assert set(other.premises) | {other.conclusion} <= set(KINDS)
        json.dumps(other.to_dict())


def test_every_numbered_statement_of_the_paper_is_in_the_registry():
    wanted = {
        "2.2",
        "2.4(1)",
        "2.4(2)",
        "3.3(1)",
        "3.3(2)",
        "3.3(3)",
        "3.3(4)",
        "3.3(5)",
        "3.4",
        "4.2",
        "4.4",
    }
    wanted |= {"equation 4", "equation 5", "Remark 1", "Claim 1.2"}
    cited = [one.citation for one in (*THEOREMS.values(), *NON_IMPLICATIONS.values())]
    assert [place for place in wanted if not any(place in text for text in cited)] == []


def test_the_registry_is_open_and_refuses_a_second_theorem_of_the_same_name():
    @theorem("only-for-this-test: informed => power", "Nobody, nowhere")
    def certain(given, context):
        """Nothing is learned."""
        return given.to("power", level=Fraction(1, 2), power=Fraction(1, 2))

    try:
        found = Guarantee.parse("informed(epsilon=0.1)").implies("power")
        assert found.best["power"] == Fraction(1, 2)
        for register in (theorem, non_implication):
            with pytest.raises(InvalidInput, match="registered twice"):
                register("only-for-this-test: dp => dp", "x, y")(certain)
    finally:
        del THEOREMS["only-for-this-test"]


def test_a_question_that_is_open_raises_when_used_as_a_truth_value():
    found = Guarantee.parse("dp(epsilon=0.1, delta=1e-9, records=1000)").implies(
        "semantic(epsilon=0.0517, delta=1e-3)"
    )
    assert found.holds is None
    with pytest.raises(Undecided):
        bool(found)
    assert "neither proved nor refuted" in found.explain()


# --- Guarantees in words: every kind has a sentence, and no number in it is misread --------------


def test_no_kind_is_left_without_a_sentence():
    for kind in KINDS.values():
        numbers = {name: "3" if name in ("ratio", "order") else "1/10" for name in kind.numbers}
        (first, *_) = sentences(Guarantee.of(kind.name, **numbers))
        assert first.endswith(".")
        assert kind.name not in first


RATIOS = st.fractions(Fraction(11, 10), 2, max_denominator=10)


def best(world, ratio):
    """Return the world with its best simulator at a ratio, and the delta of that."""
    found = optimal(world.scene, ratio)
    return Coupled(world.release, found.simulator, world.beliefs, world.scrubs), found.delta


def satisfies(world, guarantee):
    """Tell whether a world satisfies what is concluded, by the letter of the definition."""
    delta = bounds(guarantee.delta)[1]
    match guarantee.kind:
        case "ddp" | "coupled-worlds":
            return brute.coupled_delta(world, guarantee.ratio) <= delta
        case "inference-ddp" | "inference-coupled-worlds":
            return brute.inference_failure(world, guarantee.ratio, delta) <= delta
        case "noiseless" | "pufferfish":
            return brute.noiseless_delta(world, guarantee.ratio) <= delta
        case "inference-pufferfish":
            return brute.pufferfish_failure(world, guarantee.ratio, delta) <= delta
    raise AssertionError(guarantee.kind)


def conclusions(given, kinds):
    return [one for kind in kinds for one in given.implies(kind, decided="yes").conclusions]


@settings(max_examples=10)
@given(brute.worlds(members=2), RATIOS)
def test_all_that_follows_from_the_best_simulator_holds(world, ratio):
    world, delta = best(world, ratio)
    given = Guarantee.of("ddp", ratio=ratio, delta=delta, records=2)
    kinds = ["ddp", "coupled-worlds", "inference-ddp", "inference-coupled-worlds"]
    found = conclusions(given, kinds)
    assert {one.kind for one in found} >= {"ddp", "coupled-worlds"}
    assert all(satisfies(world, one) for one in found)


@settings(max_examples=10)
@given(brute.worlds(independent=True), RATIOS)
def test_all_that_follows_for_independent_records_holds(world, ratio):
    world, delta = best(world, ratio)
    given = Guarantee.of("independent-ddp", ratio=ratio, delta=delta, records=2)
    kinds = ["ddp", "noiseless", "pufferfish", "inference-pufferfish"]
    assert all(satisfies(world, one) for one in conclusions(given, kinds))


@settings(max_examples=10)
@given(brute.worlds(), RATIOS)
def test_all_that_follows_from_noiseless_privacy_holds(world, ratio):
    delta = brute.noiseless_delta(world, ratio)
    given = Guarantee.of("noiseless", ratio=ratio, delta=delta, records=2)
    found = conclusions(given, ["noiseless", "pufferfish", "inference-pufferfish"])
    assert all(satisfies(world, one) for one in found)
