"""How the definitions are asked, what they say, and what they refuse."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from twoworlds import BitStrings, check, measure, mechanism
from twoworlds.definitions.coupled import (
    CoupledWorlds,
    DistributionalPrivacy,
    InferenceDistributionalPrivacy,
    InferencePufferfish,
    NoiselessPrivacy,
    Pufferfish,
)
from twoworlds.definitions.coupled.scene import Release
from twoworlds.errors import InvalidInput, TwoWorldsError, Unsupported
from twoworlds.worlds.belief import uniform
from twoworlds.worlds.joint import BeliefClass, Joint

TOTAL = "exact(sum, universe=bits(3))"
FAIR = BeliefClass((Joint.of(uniform(BitStrings(3))),), "the bits are fair coins")
HALF = Fraction(1, 2)
ALL = [
    "ddp(uniform, simulator=canonical, ratio=2)",
    "ddp(uniform, ratio=2)",
    "coupled-worlds(uniform, persons(tagged), simulator=coin, ratio=2)",
    "inference-ddp(uniform, simulator=canonical, ratio=2)",
    "inference-coupled-worlds(uniform, persons, simulator=coin, ratio=2)",
    "noiseless(uniform, ratio=2)",
    "pufferfish(uniform, 1=1, ratio=2)",
    "inference-pufferfish(uniform, 1=1, ratio=2)",
]


@pytest.mark.parametrize("text", ALL)
def test_every_sentence_begins_with_its_assumption(text):
    for verdict in (measure(TOTAL, definition=text), check(TOTAL, text)):
        assert verdict.sentence.startswith("If the 3 bits are fair and independent")
        assert "then" in verdict.sentence
        assert verdict.assumptions[0].startswith("the 3 bits are fair")
        assert verdict.explain()
        assert json.loads(json.dumps(verdict.to_dict(), allow_nan=False))["witness"]
        assert all(label is not None and said for label, said in verdict.witness.facts())


def test_a_refuted_claim_names_the_nearest_that_hold():
    verdict = check(TOTAL, "ddp(uniform, simulator=canonical, ratio=3/2, delta=1/4)")
    assert verdict.holds is False
    assert "fails" in verdict.sentence
    assert "holds with delta 3/8 (0.375) at this ratio" in " ".join(verdict.notes)
    never = check("parity(bits=2)", "ddp(uniform, side=parity, simulator=coin, ratio=5)")
    assert "no ratio is large enough for delta 0" in " ".join(never.notes)


def test_what_breaks_a_guarantee_is_the_smallest_set_of_entries():
    parity = Release("parity", lambda x: {sum(x) % 2: Fraction(1)})
    found = NoiselessPrivacy(FAIR, ratio=1).tightest(parity)
    assert found.delta == 0
    assert "What breaks it: knowing entries 1 and 2 too: delta is then 1" in (found.sentence)
    held = NoiselessPrivacy(FAIR, ratio=1, delta=1).check(parity)
    assert held.holds
    assert "What breaks it" not in held.sentence


@pytest.mark.parametrize("text", ALL)
def test_forged_witnesses_do_not_verify(text):
    witness = measure(TOTAL, definition=text).witness
    assert witness.verify()
    worst = getattr(witness, "worst", witness)
    if hasattr(worst, "failure"):
        more = Fraction(1, 1000)
        forged = [replace(worst, failure=worst.failure + more), replace(worst, bad=worst.bad[1:])]
        real, ideal = worst.posteriors
        forged.append(replace(worst, posteriors=({**real, 1: real.get(1, 0) + more}, ideal)))
        forged.append(replace(worst, bad=worst.bad + worst.bad, failure=2 * worst.failure))
        if ideal:
            forged.append(replace(worst, inner=worst.inner + more))
    else:
        p, q = worst.probabilities
        forged = [
            replace(worst, probabilities=pair) for pair in ((p, q + Fraction(1, 1000)), (q, p))
        ]
    assert not any(one.verify() for one in forged)


def test_a_witness_of_conclusions_that_are_not_bad_enough_does_not_verify():
    noisy = "randomized-response(bits=1, keep=3/4)"
    found = measure(noisy, definition="inference-ddp(uniform, simulator=coin, ratio=1)")
    assert found.delta == Fraction(1, 4)
    assert not replace(found.witness, delta=found.witness.inner + 1).verify()
    assert not replace(found.witness, ratio=Fraction(1000)).verify()


# --- simulators as text ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("simulator", "message"),
    [
        ("canonic", "did you mean 'canonical'"),
        ("table(0=[0=1/2, 1=1/3], 1=1)", "sum to 5/6"),
        ("table(0=0)", "says nothing for 1"),
        ("table(0=7, 1=1)", "outputs 7 on 0, which the release never shows"),
        ("table(0=[7], 1=1)", "write the law of an output"),
        ("table(0=1, 0=1)", "each scrubbed database once"),
        ("table(0)", "each scrubbed database once"),
        ("python:no_such_module:thing", "cannot be loaded"),
    ],
)
def test_bad_simulators_are_refused(simulator, message):
    with pytest.raises(InvalidInput, match=message):
        measure("parity(bits=2)", definition=f"ddp(uniform, simulator={simulator}, ratio=2)")


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("ddp(uniform, ratio=1/2)", "at least 1"),
        ("ddp(uniform, ratio=2, epsilon=1)", "give one of them"),
        ("ddp(uniform, epsilon=-1)", "negative"),
        ("ddp(uniform, ratio=2, delta=2)", "out of range"),
        ("ddp(uniform)", "no numbers to check"),
        ("noiseless(uniform, delta=1/2)", "no numbers to check"),
        ("ddp(ratio=2)", "needs the argument 'belief'"),
        ("ddp(unifrom, ratio=2)", "uniform"),
        ("ddp(uniform, side=known(9), ratio=2)", "9"),
        ("ddp(uniform, ratio=2, tagged=maybe)", "yes or no"),
        ("coupled-worlds(uniform, person, ratio=2)", "persons"),
        ("pufferfish(uniform, 9=1, ratio=2)", "person=9"),
        ("pufferfish(uniform, '1=1 against 2=1', ratio=2)", "can both be true"),
        ("pufferfish(uniform, python:math:pi, ratio=2)", "not a function"),
    ],
)
def test_bad_claims_are_refused(claim, message):
    with pytest.raises(InvalidInput, match=message):
        check("exact(sum, universe=bits(2))", claim)


@pytest.mark.parametrize("kind", [NoiselessPrivacy, InferencePufferfish])
def test_all_mixtures_are_refused_where_they_do_not_come_free(kind):
    with pytest.raises(Unsupported, match="fail for a mixture"):
        kind(FAIR.with_mixtures(), ratio=2).tightest(mechanism(TOTAL))


def test_text_needs_a_universe():
    release = Release("sum", lambda x: {sum(x): Fraction(1)})
    with pytest.raises(InvalidInput, match="give a BeliefClass"):
        DistributionalPrivacy("uniform", ratio=2).tightest(release)
    with pytest.raises(InvalidInput, match="give Scrub objects"):
        CoupledWorlds(FAIR, "persons", ratio=2).tightest(release)
    with pytest.raises(InvalidInput, match="give a function"):
        Pufferfish(FAIR, "parity", ratio=2).tightest(release)


def test_infinitely_many_outputs_are_refused():
    with pytest.raises(Unsupported, match="infinitely many outputs"):
        check("geometric(ratio=2, bits=2)", "ddp(uniform, ratio=2)")


def test_the_canonical_simulator_needs_smaller_databases():
    with pytest.raises(InvalidInput, match="not defined on"):
        check("randomized-response(bits=2, keep=3/4)", "ddp(uniform, simulator=canonical, ratio=2)")


# --- the best simulator for conclusions -----------------------------------------------------------


def test_the_best_simulator_for_the_hidden_mean():
    claim = "inference-ddp(hidden(9/10=1/2, 1/10=1/2), ratio=1)"
    found = measure("exact(majority, universe=bits(5))", definition=claim)
    assert float(found.delta) == pytest.approx(0.0020219110301695764, abs=1e-6)
    assert found.delta == Fraction(66339, 32810000)
    assert found.witness.verify()


# --- irrational numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ddp(uniform, simulator=canonical, ratio=inf)", "1/4"),
        ("ddp(uniform, ratio=inf)", "0"),
        ("inference-ddp(uniform, simulator=canonical, ratio=inf)", "1/4"),
        ("inference-pufferfish(uniform, 1=1, ratio=inf)", "1/4"),
        ("noiseless(uniform, ratio=inf)", "1/4"),
        ("pufferfish(uniform, 1=1, ratio=inf)", "1/4"),
    ],
)
def test_an_infinite_ratio_leaves_what_only_one_world_shows(text, expected):
    assert measure(TOTAL, definition=text).delta == Fraction(expected)


def test_a_witness_that_fails_is_never_returned():
    verdict = measure(TOTAL, definition="noiseless(uniform, ratio=2)")
    with pytest.raises(TwoWorldsError, match="does not re-verify"):
        replace(verdict, witness=replace(verdict.witness, probabilities=(HALF, HALF)))


def test_conclusions_are_counted_over_all_persons_together():
    """An output is bad if it is bad for anybody: two rare outputs add up."""
    laws = {
        (a, b): {"first": Fraction(a, 4), "second": Fraction(b, 4), "none": 1 - Fraction(a + b, 4)}
        for a in (0, 1)
        for b in (0, 1)
    }
    release = Release("told", lambda x: {t: p for t, p in laws[x].items() if p})
    beliefs = BeliefClass((Joint.of(uniform(BitStrings(2))),), "the bits are fair")
    asked = InferenceDistributionalPrivacy(beliefs, simulator="coin", ratio="3/2")
    found = asked.tightest(release)
    assert found.delta == Fraction(1, 4)  # 1/8 for each of the two outputs
    assert {t for _, t in found.witness.bad} == {"first", "second"}


# --- what is left unsaid --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["inference-ddp", "inference-pufferfish"])
@pytest.mark.parametrize("belief", ["belief=all-known", "belief=uniform, side=everything"])
def test_nothing_is_promised_where_nothing_is_left_to_conclude(kind, belief):
    verdict = check("identity(bits=2)", f"{kind}({belief}, ratio=1, delta=0)")
    assert verdict.holds
    assert "nothing is promised" in verdict.sentence
    assert any("nothing is left to conclude" in note for note in verdict.notes)
    some = check("identity(bits=2)", f"{kind}(belief=uniform, side=known(1), ratio=1, delta=1)")
    assert not any("nothing is left" in note for note in some.notes)


def test_a_search_that_ends_early_says_so():
    ratio = measure("exact(sum, universe=bits(5))", definition="ddp(uniform, delta=1/2)")
    assert any("not searched" in note for note in ratio.notes)
    # 6 bits: one further entry is tried, and the coin does as well with it; two are too many.
    noisy = measure("constant(bits=6)", definition="ddp(uniform, simulator=coin, ratio=2)")
    assert any(
        "knowing any one entry too does not break it; whether knowing more" in note
        for note in noisy.notes
    )
    large = measure("constant(bits=10)", definition="ddp(uniform, simulator=coin, ratio=2)")
    assert any("that would take too long" in note for note in large.notes)
    small = measure("constant(bits=2)", definition="ddp(uniform, simulator=coin, ratio=2)")
    assert not any("searched" in note for note in small.notes)


# --- laws built by hand ---------------------------------------------------------------------------
