"""Noiseless privacy as first defined: brute force over all sets that may be left out."""

from fractions import Fraction
from itertools import chain, combinations, product

import pytest

import twoworlds as tw
from twoworlds.definitions.coupled import NoiselessPrivacy, OriginalNoiselessPrivacy, Release
from twoworlds.definitions.coupled.original import Rare
from twoworlds.errors import TooLarge

MECHANISMS = [
    "exact(sum, universe=bits(3))",
    "exact(majority, universe=bits(3))",
    "randomized-response(bits=2, keep=3/4)",
    "exact(sum, universe=records(values=[0, 1, 2], n=2))",
]
BELIEFS = ["uniform", "hidden(3/4=1/2, 1/4=1/2)"]


def subsets(items):
    items = list(items)
    return chain.from_iterable(combinations(items, k) for k in range(len(items) + 1))


def joint(mechanism, belief):
    """P(database), and the law of the output on each."""
    made = tw.mechanism(mechanism)
    prior = dict(tw.belief(belief, made.universe).items())
    return {x: p for x, p in prior.items() if p}, {x: dict(Release.of(made).law(x)) for x in prior}


def brute(prior, laws, ratio):
    """The least P(O) + max_i P(X_i in V) over all sets V of values and O of outputs."""
    people = range(len(next(iter(prior))))
    values = sorted({x[i] for x in prior for i in people})
    outputs = sorted({t for law in laws.values() for t in law}, key=str)

    def chance(t, i, v):
        here = {x: p for x, p in prior.items() if x[i] == v}
        return sum(p * laws[x].get(t, 0) for x, p in here.items()) / sum(here.values())

    mass = {t: sum(p * laws[x].get(t, 0) for x, p in prior.items()) for t in outputs}
    best = Fraction(1)
    for left in subsets(values):
        cost = max(sum(p for x, p in prior.items() if x[i] in left) for i in people)
        bad = set()
        for i in people:
            kept = [v for v in values if v not in left and any(x[i] == v for x in prior)]
            for v, w in product(kept, kept):
                bad |= {t for t in outputs if chance(t, i, v) > ratio * chance(t, i, w)}
        best = min(best, cost + sum(mass[t] for t in bad))
    return best


@pytest.mark.parametrize("belief", BELIEFS)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_delta_is_the_least_probability_of_all_sets_left_out(mechanism, belief):
    if "values" in mechanism and belief != "uniform":
        pytest.skip("hidden coins are for bits")
    prior, laws = joint(mechanism, belief)
    for ratio in (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5)):
        found = OriginalNoiselessPrivacy(belief, ratio=ratio).tightest(tw.mechanism(mechanism))
        assert found.delta == brute(prior, laws, ratio)


def test_an_output_no_kept_value_of_one_entry_gives_may_tell_two_values_of_another_apart():
    """Without value 0, entry 1 never gives 2; entry 2 gives it with value 2 alone."""
    belief = "explicit(00=1/18, 01=2/9, 02=5/18, 12=2/9, 21=1/9, 22=1/9)"
    prior, laws = joint(MECHANISMS[-1], belief)
    found = OriginalNoiselessPrivacy(belief, ratio=4).tightest(tw.mechanism(MECHANISMS[-1]))
    assert found.delta == brute(prior, laws, Fraction(4)) == Fraction(7, 9)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_least_ratio_holds_and_no_smaller_breakpoint_does(mechanism):
    prior, laws = joint(mechanism, "uniform")
    for delta in (Fraction(0), Fraction(1, 8), Fraction(1, 3)):
        made = tw.mechanism(mechanism)
        ratio = OriginalNoiselessPrivacy("uniform", delta=delta).tightest(made).ratio
        if ratio == tw.numbers.INFINITY:
            assert brute(prior, laws, Fraction(10**6)) > delta
            continue
        assert brute(prior, laws, ratio) <= delta
        if ratio > 1:
            assert brute(prior, laws, ratio - Fraction(1, 10**6)) > delta


def test_at_delta_0_both_definitions_agree():
    for mechanism in MECHANISMS:
        made = tw.mechanism(mechanism)
        first, six = OriginalNoiselessPrivacy("uniform"), NoiselessPrivacy("uniform")
        assert first.tightest(made).ratio == six.tightest(made).ratio


def test_a_rare_value_may_be_given_away_which_definition_6_forbids():
    made, belief = tw.mechanism("exact(sum, universe=bits(2))"), "independent(1/100, 1/100)"
    first = OriginalNoiselessPrivacy(belief, ratio=1).tightest(made)
    six = NoiselessPrivacy(belief, ratio=1).tightest(made)
    assert (first.delta, six.delta) == (Fraction(1, 100), Fraction(99, 100))


def test_small_excesses_count_in_full_which_definition_6_adds_up():
    made = tw.mechanism("randomized-response(bits=1, keep=51/100)")
    first = OriginalNoiselessPrivacy("uniform", ratio=1).tightest(made)
    six = NoiselessPrivacy("uniform", ratio=1).tightest(made)
    assert (first.delta, six.delta) == (Fraction(1, 2), Fraction(1, 50))


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_definition_6_gives_the_original_with_the_numbers_that_are_proved(mechanism):
    """Ratio b^2 and N d (b + 1) / (b - a), for N laws given one value of one entry."""
    prior, laws = joint(mechanism, "uniform")
    people = range(len(next(iter(prior))))
    many = len({(i, x[i]) for x in prior for i in people})
    for a, b in product((Fraction(1), Fraction(6, 5)), (Fraction(3, 2), Fraction(2), Fraction(4))):
        d = NoiselessPrivacy("uniform", ratio=a).tightest(tw.mechanism(mechanism)).delta
        assert brute(prior, laws, b**2) <= many * d * (b + 1) / (b - a)


def test_the_witness_names_what_is_left_out_and_is_checked_again():
    made = tw.mechanism("exact(sum, universe=bits(3))")
    found = OriginalNoiselessPrivacy("uniform", ratio=2).tightest(made)
    assert found.witness.verify()
    assert set(found.witness.data["left_out_outputs"]) == {"0", "3"}
    assert found.witness.data["left_out_values"] == []


def test_too_many_rare_values_are_refused():
    values = range(13)
    laws = {v: {v: 1} for v in values}
    entry = dict.fromkeys(values, Fraction(1, 13)), laws
    with pytest.raises(TooLarge, match="sets of them are rare enough"):
        Rare([entry], dict.fromkeys(values, 1), 13).at_ratio(Fraction(2))
