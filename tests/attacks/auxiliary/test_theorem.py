"""Theorem 1 exactly: reference cases, and everything against running through all possibilities."""

import random
from fractions import Fraction
from math import comb

import pytest

from tests.attacks.auxiliary import brute
from twoworlds.answer import Table
from twoworlds.attacks.auxiliary import (
    Case,
    attack,
    count_law,
    extractor,
    flaw_law,
    fuzzy_extractor,
    law_of,
    named_law,
)
from twoworlds.attacks.auxiliary.game import noise_of, play
from twoworlds.attacks.auxiliary.laws import written_bits
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import below


def rows_of(masks, bits):
    return [written_bits(mask, bits) for mask in masks]


def brute_pad(pad):
    maps = [rows_of(pad.masks(s), pad.bits) for s in range(pad.seeds)]
    return brute.Pad(pad.bits, maps, rows_of(pad.code.checks, pad.bits), pad.code.radius)


def brute_noise(view, bits):
    """What is seen of a vector under exact, errors(n) or flips(p), by weight of the error."""
    name, _, given = view.rstrip(")").partition("(")
    if name == "flips":
        p = Fraction(given)
        by_weight = [p**i * (1 - p) ** (bits - i) for i in range(bits + 1)]
    else:
        most = int(given or 0)
        share = Fraction(1, sum(comb(bits, i) for i in range(most + 1)))
        by_weight = [share * (i <= most) for i in range(bits + 1)]

    def noise(w):
        seen = ((v, by_weight[brute.weight(brute.add(v, w))]) for v in brute.strings(bits))
        return {v: chance for v, chance in seen if chance}

    return noise


def agrees(cases, pad, view):
    law = law_of(cases)
    found = attack(law, pad, sanitiser=view)
    played = play(law, pad, noise_of(view, pad.bits)[0])
    plain = [(case.utility, case.breaches, case.probability) for case in cases]
    noise = brute_noise(view, pad.bits)
    for name, value in brute.everything(plain, brute_pad(pad), noise, pad.ell).items():
        assert played[name] == value, name
        assert found.data.get(name, value) == value, name
    assert found.data["simulator"] <= found.data["repaired_bound"]
    assert found.data["assumption_2a"] or not found.data["assumption_2a_repaired"]
    flags_agree_with_the_table(found, one_breach=all(len(set(c.breaches)) == 1 for c in cases))
    return found


def rows_shown(found):
    return dict(next(one for one in found.said.blocks if isinstance(one, Table)).rows)


def flags_agree_with_the_table(found, *, one_breach):
    """Read the table as a reader does, and compare what it says with its own numbers."""
    numbers, shown = found.data, rows_shown(found)
    of_ell = "simulator at most, as printed" not in shown
    assert ("a simulator beats the printed bound" not in shown) == of_ell
    bounded = numbers["simulator_ell" if of_ell else "simulator"]
    assert numbers["printed_bound_fails"] == (bounded > numbers["printed_bound"])
    if numbers["radius_holds"]:
        assert numbers["promise_fails"] == (numbers["gap"] < numbers["guaranteed_gap"])
    else:
        assert numbers["promise_fails"] is None
        assert "1 - (gamma + mu + epsilon), not promised" in shown
    said = found.explain()
    assert ("that is false here" in said) == numbers["printed_bound_fails"]
    assert ("there is less" in said) == bool(numbers["promise_fails"])
    assert ("several breaches" in said) == (numbers["printed_bound_fails"] and not one_breach)


def random_cases(rng, bits, lengths, count, *, most=3):
    weights = [rng.randrange(1, 9) for _ in range(count)]
    cases = []
    for i, weight in enumerate(weights):
        breaches = {
            written_bits(rng.randrange(2**length), length)
            for length in rng.choices(lengths, k=rng.randrange(most + 1))
        }
        utility = written_bits(rng.randrange(2**bits), bits)
        cases.append(Case(str(i), utility, tuple(breaches), Fraction(weight, sum(weights))))
    return cases


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(12))
def test_attacker_simulator_and_distances_are_those_of_running_through_everything(seed):
    rng = random.Random(seed)
    name = ("matrices", "field", "toeplitz", "identity")[seed % 4]
    cases = random_cases(rng, 3, [2, 2, 1], 6)
    cases[-1] = Case("last", "010", ("01", "1"), cases[-1].probability)
    view = ("exact", "errors(1)", "flips(1/4)")[seed % 3]
    agrees(cases, extractor(name, 3, 2), view)


@pytest.mark.parametrize(
    ("code", "bits", "extract", "view"),
    [
        ("repetition(5)", 5, None, "errors(1)"),
        ("repetition(5)", 5, None, "errors(2)"),
        ("cyclic(5, x+1)", 5, None, "flips(1/3)"),
        ("repetition(4)", 4, None, "flips(1/3)"),
        ("repetition(3)", 3, "inner-product", "errors(2)"),
        ("repetition(3)", 3, "field", "flips(1/5)"),
    ],
)
def test_the_same_with_a_code_and_with_more_errors_than_it_mends(code, bits, extract, view):
    rng = random.Random(bits)
    cases = random_cases(rng, bits, [1], 5, most=2)
    cases[-1] = Case("last", "01001"[:bits], ("1",), cases[-1].probability)
    agrees(cases, fuzzy_extractor(code, 1, extract=extract), view)


def test_reference_dw_07_even_weight_strings_and_all_matrices():
    found = attack(named_law("even-weight", 2, bits=4), extractor("matrices", 4, 2))
    assert found.data["largest_utility"] == Fraction(1, 8)
    assert found.data["epsilon"] == found.data["epsilon_worst"] == Fraction(45, 256)
    assert abs(float(found.data["leftover_hash_bound"]) - 0.353553390593274) < 1e-12
    assert (found.data["attacker"], found.data["simulator"], found.data["mu"]) == (
        1,
        Fraction(11, 32),
        Fraction(1, 4),
    )
    assert (found.data["gap"], found.data["guaranteed_gap"]) == (
        Fraction(21, 32),
        Fraction(147, 256),
    )
    assert found.data["blind"] == Fraction(1, 4)


def test_reference_dw_09_a_count_of_eight_people():
    found = attack(count_law(8), extractor("inner-product", 4, 1))
    assert (found.data["epsilon"], found.data["epsilon_worst"]) == (
        Fraction(309, 2048),
        Fraction(169, 1024),
    )
    assert (found.data["attacker"], found.data["simulator"]) == (1, Fraction(333, 512))
    assert (found.data["mu"], found.data["blind"]) == (Fraction(163, 256), Fraction(1, 2))
    assert (found.data["largest_utility"], found.data["gap"]) == (
        Fraction(35, 128),
        Fraction(179, 512),
    )


@pytest.mark.parametrize(
    ("ell", "polynomial", "epsilon", "simulator", "mu", "claimed"),
    [
        (2, "x^2+x+1", "3/16", "3/4", "7/16", "5/8"),
        (3, "x^3+x+1", "7/64", "7/16", "15/64", "11/32"),
    ],
)
def test_reference_dw_11_the_printed_bound_fails(ell, polynomial, epsilon, simulator, mu, claimed):
    found = attack(flaw_law(ell), extractor(f"field({polynomial})", ell, ell))
    assert found.data["epsilon"] == found.data["epsilon_worst"] == Fraction(epsilon)
    assert (found.data["attacker"], found.data["simulator"]) == (1, Fraction(simulator))
    assert found.data["mu"] == found.data["blind"] == Fraction(mu)
    assert found.data["largest_utility"] == Fraction(1, 2**ell)
    assert found.data["printed_bound"] == Fraction(claimed)
    assert found.data["printed_bound_fails"]
    assert found.data["promise_fails"]
    assert found.data["assumption_2a"]
    assert not found.data["assumption_2a_repaired"]


def test_reference_dw_13_repetition_code_and_biased_bits():
    law = named_law("iid(3/5)", 1, bits=5)
    pad = fuzzy_extractor("repetition(5)", 1)
    found = attack(law, pad, sanitiser="errors(1)")
    assert found.data["radius_holds"]
    assert found.data["epsilon"] == Fraction(781, 6250)
    assert (found.data["attacker"], found.data["simulator"]) == (1, Fraction(1953, 3125))
    assert found.data["mu"] == Fraction(1, 2)
    assert found.data["gap"] == found.data["guaranteed_gap"] == Fraction(1172, 3125)
    assert found.data["largest_seen"] == Fraction(351, 6250)
    # Twice two errors exceed the two that are mended.
    failing = attack(law, pad, sanitiser="errors(2)")
    assert not failing.data["radius_holds"]
    assert failing.data["attacker"] == Fraction(83, 128)
    assert "promises nothing" in failing.explain()


def test_reference_dw_15_a_bch_code_on_all_strings_of_15_bits():
    pad = fuzzy_extractor("cyclic(15, x^8+x^7+x^6+x^4+1)", 7)
    found = attack(named_law("uniform", 7, bits=15), pad, sanitiser="errors(1)")
    assert found.data["epsilon"] == 0
    assert (found.data["attacker"], found.data["simulator"]) == (1, Fraction(1, 128))
    assert found.data["gap"] == Fraction(127, 128)
    assert found.data["public_string_bits"] == 8
    assert found.data["assumption_3"]


def test_numbers_beyond_machine_words_stay_exact():
    law = named_law("iid(999983/1999993)", 1, bits=5)
    found = attack(law, fuzzy_extractor("repetition(5)", 1), sanitiser="flips(1/97)")
    one = Fraction(999983, 1999993) * Fraction(96, 97) + Fraction(1000010, 1999993) / 97
    # Flipped independent bits are independent again; a syndrome leaves w or its complement.
    law_of_weight = [one**i * (1 - one) ** (5 - i) for i in range(6)]
    pairs = [1, 5, 10]
    epsilon = sum(n * abs(law_of_weight[i] - law_of_weight[5 - i]) for i, n in enumerate(pairs)) / 2
    assert found.data["epsilon"] == epsilon
    assert found.data["simulator"] == Fraction(1, 2) + epsilon


def test_sums_over_seeds_beyond_machine_words_stay_exact():
    """The square of 32749^2 fits a machine word, and sixteen times it does not."""
    cases = cases_of(("00", "01 10", "1/3"), ("01", "11", "1/3"), ("11", "00", "1/3"))
    agrees(cases, extractor("matrices", 2, 2), "flips(1/32749)")


def test_the_leftover_hash_bound_is_never_beaten():
    for name in ("matrices", "toeplitz", "field"):
        for text in ("even-weight", "iid(1/3)", "weight(1)"):
            found = attack(named_law(text, 2, bits=4), extractor(name, 4, 2))
            assert (
                float(found.data["epsilon_worst"])
                <= below(found.data["leftover_hash_bound"]) + 1e-12
            )
    with_code = attack(
        named_law("iid(1/3)", 1, bits=5), fuzzy_extractor("repetition(5)", 1, extract="toeplitz")
    )
    assert float(with_code.data["epsilon_worst"]) <= below(with_code.data["leftover_hash_bound"])


def test_databases_without_a_breach_of_the_length_count_as_gamma():
    cases = [
        Case("a", "0", ("0",), Fraction(1, 3)),
        Case("b", "1", ("11",), Fraction(1, 3)),
        Case("c", "1", (), Fraction(1, 3)),
    ]
    found = agrees(cases, extractor("matrices", 1, 1), "exact")
    assert found.data["gamma"] == Fraction(2, 3)
    assert found.data["attacker"] == Fraction(1, 3)


def cases_of(*rows):
    return [Case(w, w, tuple(ys.split()), Fraction(p)) for w, ys, p in rows]


def one_bit(cases, view="errors(1)", extract="matrices"):
    bits = len(cases[0].utility)
    return agrees(cases, extractor(extract, bits, 1), view)


def test_both_forms_of_assumption_2a_are_about_the_utility_vector():
    # What is seen of w has three values, w itself only one.
    found = one_bit(cases_of(("00", "0", "1/2"), ("00", "1", "1/2")))
    assert found.data["largest_utility"] == 1
    assert found.data["largest_seen"] == Fraction(1, 3)
    assert not found.data["assumption_2a"]
    assert not found.data["assumption_2a_repaired"]


def test_with_breaches_of_several_lengths_the_printed_bound_is_about_one():
    found = one_bit(cases_of(("1", "01 1", "5/11"), ("0", "0 01", "3/11"), ("0", "0", "3/11")))
    assert (found.data["simulator"], found.data["simulator_ell"]) == (
        Fraction(19, 22),
        Fraction(17, 22),
    )
    assert (found.data["blind_any"], found.data["blind"]) == (Fraction(8, 11), Fraction(6, 11))
    assert found.data["printed_bound"] == Fraction(35, 44)
    assert not found.data["printed_bound_fails"]
    shown = rows_shown(found)
    assert shown["with nothing, at best"].startswith("8/11")
    assert shown["... naming a breach of 1 bit: d_l"].startswith("6/11")
    assert shown["... naming a breach of 1 bit"].startswith("17/22")
    assert shown["simulator of 1 bit at most, as printed"].startswith("35/44")
    assert shown["a simulator of 1 bit beats the printed bound"] == "no"


def test_breaches_of_other_lengths_spoil_the_promise_and_not_the_printed_bound():
    # As in the flaw, but the second breach, y + w, is written with one more bit.
    cases = cases_of(
        *((str(w), f"{y} {w ^ y}0", "1/4") for w, y in ((0, 0), (0, 1), (1, 0), (1, 1)))
    )
    found = one_bit(cases, "exact", "identity")
    assert (found.data["simulator"], found.data["simulator_ell"]) == (1, Fraction(1, 2))
    assert found.data["printed_bound"] == Fraction(1, 2)
    assert not found.data["printed_bound_fails"]
    assert found.data["promise_fails"]
    assert "breaches of other lengths" in found.explain()


def test_z_may_tell_by_being_absent():
    cases = cases_of(*((written_bits(w, 3), y, "1/16") for w in range(8) for y in ("0", "11")))
    pad = fuzzy_extractor("repetition(3)", 1)
    found = agrees(cases, pad, "exact")
    assert found.data["simulator"] == 1
    assert found.data["printed_bound_fails"]
    assert "z tells whether there is a breach of 1 bit" in found.explain()


@pytest.mark.parametrize("seed", range(12))
def test_words_flags_and_table_agree_on_random_laws(seed):
    rng = random.Random(100 + seed)
    cases = random_cases(rng, 2, [1, 1, 2], 4)
    cases[-1] = Case("last", "10", ("1",), cases[-1].probability)
    if seed % 3:
        one_bit(cases, ("exact", "errors(1)")[seed % 2], ("identity", "field")[seed % 2])
    else:
        agrees(cases, fuzzy_extractor("repetition(2)", 1), "exact")


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (
            lambda: attack(count_law(8), extractor("matrices", 3, 1)),
            InvalidInput,
            "pad takes 3",
        ),
        (
            lambda: attack(count_law(8), extractor("matrices", 4, 2)),
            InvalidInput,
            "there are 1",
        ),
        (
            lambda: attack(named_law("uniform", 4, bits=8), extractor("matrices", 8, 4)),
            TooLarge,
            "toeplitz",
        ),
        (
            lambda: attack(named_law("uniform", 10, bits=16), extractor("identity", 16, 10)),
            TooLarge,
            "shorten",
        ),
    ],
)
def test_what_does_not_fit_is_refused(make, error, said):
    with pytest.raises(error, match=said):
        make()
