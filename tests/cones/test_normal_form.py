"""The consistent normal form against the papers' cases and Blackwell's criterion."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from twoworlds.cones import normal_form, row_cone
from twoworlds.cones.certificates import Certificate, verify
from twoworlds.cones.normal_form import (
    consistent_normal_form_contains,
    same_row_cone_yet_outside,
)
from twoworlds.definitions import check
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.mechanisms import Dense
from twoworlds.mechanisms.float_matrix import FloatMatrix
from twoworlds.mechanisms.named import mechanism
from twoworlds.worlds import BitStrings, Explicit

RESPONSE = "randomized-response(bits=2, keep=3/4)"


def dense(rows, universe=None):
    databases = universe or Explicit(tuple(range(len(rows[0]))))
    return Dense(databases, Explicit(tuple(range(len(rows)))), rows)


def decide(candidate, *bases):
    read = [mechanism(b) if isinstance(b, str) else b for b in (candidate, *bases)]
    return consistent_normal_form_contains(read[0], read[1:])


def random_law(rng, size):
    while True:
        weights = [rng.choice([0, 1, 1, 2, 3, 5]) for _ in range(size)]
        if sum(weights):
            return [Fraction(w, sum(weights)) for w in weights]


def random_matrix(rng, outputs, databases):
    columns = [random_law(rng, outputs) for _ in range(databases)]
    return [list(row) for row in zip(*columns, strict=True)]


def times(a, b):
    return [
        [sum(x * y for x, y in zip(row, c, strict=True)) for c in zip(*b, strict=True)] for row in a
    ]


# --- the papers' cases ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keep", "inside"),
    [
        ("1/2", True),
        ("5/8", True),
        ("3/4", True),
        ("13/16", False),
        ("7/8", False),
        ("1/4", True),
        ("3/16", False),
    ],
)
@pytest.mark.parametrize("bits", [1, 2, 3])
def test_randomized_response_is_inside_iff_it_keeps_no_more(keep, inside, bits):
    # LK-07: |2q - 1| <= |2p - 1|.
    base = f"randomized-response(bits={bits}, keep=3/4)"
    assert decide(f"randomized-response(bits={bits}, keep={keep})", base).holds is inside
    table = mechanism(f"randomized-response(bits={bits}, keep={keep})").table()
    assert decide(table, base).holds is inside


@pytest.mark.parametrize("bits", [1, 2])
def test_keeping_less_than_half_is_keeping_more_with_the_bits_flipped(bits):
    # Lin & Kifer, Lemma 5.4.
    low = f"randomized-response(bits={bits}, keep=1/4)"
    high = f"randomized-response(bits={bits}, keep=3/4)"
    assert decide(low, high)
    assert decide(high, low)
    # At 1/2 exactly those mechanisms are left that ignore the data.
    half = f"randomized-response(bits={bits}, keep=1/2)"
    assert decide(half, high)
    assert decide(f"constant(bits={bits})", half)
    assert decide(dense([["1/5"] * 2**bits, ["4/5"] * 2**bits], BitStrings(bits)), half)
    assert not decide(f"randomized-response(bits={bits}, keep=501/1000)", half)


def test_a_post_processing_of_randomized_response_is_again_one():
    # RR_q = RR_t after RR_p with 2t - 1 = (2q - 1)/(2p - 1): for p = 3/4 and q = 5/8, t = 3/4.
    found = decide("randomized-response(bits=1, keep=5/8)", "randomized-response(bits=1, keep=3/4)")
    assert found.witness.certificate["maps"] == [
        [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    ]


def test_noisy_parity_is_private_but_not_inside():
    parity = "noisy-parity(bits=2, keep=3/4)"
    assert check(mechanism(parity), "dp(ratio=3)").holds
    found = decide(parity, RESPONSE)
    assert not found
    assert found.entry == Fraction(-1, 2)
    assert found.witness.certificate["entry"]["value"] == Fraction(-1, 2)


def test_a_random_choice_among_two_bases_is_inside_both_and_neither():
    # LK-54: with probability 1/2 release bit 1, else bit 2, and say which.
    people = BitStrings(2)
    first = mechanism("identity(bits=2)").then(lambda o: o[0])
    second = mechanism("identity(bits=2)").then(lambda o: o[1])
    choice = Dense(
        people,
        Explicit(tuple((i, b) for i in (1, 2) for b in (1, 0))),
        [[Fraction(x[i - 1] == b, 2) for x in people] for i, b in product((1, 2), (1, 0))],
    )
    found = decide(choice, first, second)
    assert found
    assert found.weight_1 == found.weight_2 == Fraction(1, 2)
    assert not decide(choice, first)
    assert not decide(choice, second)
    assert decide(first.mix(second, "1/3"), first, second)


def test_the_choice_may_not_look_at_the_database():
    # Release bit 1 when the bits agree, else bit 2: no mixture of the two releases.
    people = BitStrings(2)
    first, second = (mechanism("identity(bits=2)").then(lambda o, i=i: o[i]) for i in (0, 1))
    both = Dense(
        people,
        Explicit((1, 0)),
        [[Fraction(x == (1, 1)) for x in people], [Fraction(x != (1, 1)) for x in people]],
    )
    assert not decide(both, first, second)


def test_the_row_cone_alone_does_not_decide():
    # Erratum E10: equal cones, unequal normal forms.
    response, base = same_row_cone_yet_outside()
    rows = {tuple(e / sum(row) for e in row) for row in response.rows}
    assert rows < {tuple(e / sum(row) for e in row) for row in base.rows}
    blank = base.rows[2]
    assert [sum(column) / 2 for column in zip(*response.rows, strict=True)] == list(blank)
    assert not consistent_normal_form_contains(response, base)
    assert consistent_normal_form_contains(base, response)


def test_both_axioms_stay_inside():
    rng = random.Random(2)
    for _ in range(20):
        base = dense(random_matrix(rng, 3, 3))
        post = dense(random_matrix(rng, 2, 3))
        mixed = base.then(post).mix(base.then(dense(random_matrix(rng, 2, 3))), "1/3")
        assert consistent_normal_form_contains(mixed, base)


# --- against Blackwell's criterion ----------------------------------------------------------------


def gap(matrix, t):
    return sum((max(p - t * q, Fraction(0)) for p, q in matrix), start=Fraction(0))


def blackwell(candidate, bases):
    """Two databases: M = sum w A B iff sum_i w_i H_t(B_i) >= H_t(M) for all t (at most two bases).

    Both sides are piecewise linear in t with kinks at likelihood ratios, and agree at infinity
    up to the mass that only the first database can produce.
    """
    kinks = {p / q for m in (candidate, *bases) for p, q in m if q} | {Fraction(0)}
    kinks.add(max(kinks) + 1)
    low, high = Fraction(0), Fraction(1)  # of the first base's weight
    first, second = bases[0], bases[-1]
    for t in kinks:
        a, b, need = gap(first, t), gap(second, t), gap(candidate, t)
        if a == b:
            if need > a:
                return False
        elif a > b:
            low = max(low, (need - b) / (a - b))
        else:
            high = min(high, (need - b) / (a - b))
    return low <= high


@pytest.mark.parametrize("count", [1, 2])
def test_two_databases_agree_with_blackwell(count):
    rng = random.Random(count)
    seen = {True: 0, False: 0}
    for _ in range(150):
        bases = [random_matrix(rng, rng.randint(2, 4), 2) for _ in range(count)]
        if rng.random() < 0.4:
            parts = [times(random_matrix(rng, 3, len(b)), b) for b in bases]
            w = Fraction(rng.randint(0, 4), 4) if count == 2 else Fraction(1)
            candidate = [
                [w * x + (1 - w) * y for x, y in zip(r, s, strict=True)]
                for r, s in zip(parts[0], parts[-1], strict=True)
            ]
        else:
            candidate = random_matrix(rng, rng.randint(1, 3), 2)
        expected = blackwell(candidate, bases)
        found = decide(dense(candidate), *map(dense, bases))
        assert found.holds is expected
        seen[expected] += 1
    assert min(seen.values()) > 20


def test_inverse_and_program_agree():
    rng = random.Random(9)
    seen = {True: 0, False: 0}
    for _ in range(60):
        base = dense(random_matrix(rng, 3, 3))
        inside = dense(times(random_matrix(rng, 2, 3), base.rows))
        for candidate in (inside, dense(random_matrix(rng, 2, 3))):
            by_inverse = normal_form._by_inverse(candidate, [base])
            by_program = normal_form._by_program(candidate, [base])
            assert verify({"kind": by_program[0], **by_program[1]})
            if by_inverse is not None:
                assert verify({"kind": by_inverse[0], **by_inverse[1]})
                assert by_inverse[0] == by_program[0]
                seen[by_program[0] == "post-processing"] += 1
    assert min(seen.values()) > 10


def test_quotients_small_and_large():
    size = 12
    rng = random.Random(size)
    base, post = random_matrix(rng, size, size), random_matrix(rng, 2, size)
    inside = times(post, base)
    assert decide(dense(inside), dense(base)).witness.certificate["maps"] == [post]
    column = [
        Fraction(int(e.p), int(e.q))
        for e in fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in base])
        .solve(fmpq_mat([[1]] + [[0]] * (size - 1)))
        .entries()
    ]
    for margin in (Fraction(1), Fraction(1, 10**30)):
        # Take from A[0, 0] what it has and a margin more; A[1, 0] gets it.
        moved = [list(row) for row in post]
        moved[1][0] += moved[0][0] + margin
        moved[0][0] = -margin
        rows = times(moved, base)
        if min(min(row) for row in rows) < 0:
            continue
        refused = decide(dense(rows), dense(base))
        assert refused.entry == -margin
        assert refused.witness.certificate["functional"][0] == [-e for e in column]


# --- structure ------------------------------------------------------------------------------------


def test_one_record_decides_for_forty():
    base = "randomized-response(bits=40, keep=3/4)"
    assert decide("randomized-response(bits=40, keep=5/8)", base)
    refused = decide("randomized-response(bits=40, keep=7/8)", base)
    assert refused.entry == Fraction(-1, 4)


def test_the_kronecker_inverse_agrees_with_the_whole_one():
    rng = random.Random(4)
    base = mechanism("pram([[1/2, 1/4, 1/8], [1/4, 1/2, 3/8], [1/4, 1/4, 1/2]], records=2)")
    for outputs in (2, 3):
        inside = times(random_matrix(rng, outputs, 9), base.table().rows)
        for rows in (inside, random_matrix(rng, outputs, 9)):
            candidate = Dense(base.universe, Explicit(tuple(range(outputs))), rows)
            by_record = decide(candidate, base)
            whole = decide(candidate, base.table())
            assert by_record.holds is whole.holds
            assert by_record.values == whole.values


def test_a_singular_base_takes_the_program():
    singular = "randomized-response(bits=2, keep=1/2)"
    assert decide("constant(bits=2)", singular)
    refused = decide("noisy-parity(bits=2, keep=3/4)", singular)
    assert refused.holds is False
    assert refused.reached > refused.bound
    assert refused.method == "a linear program, solved exactly"


def test_databases_in_another_order_are_matched_by_name():
    first = Dense(Explicit(("a", "b")), Explicit((1, 2)), [["3/4", "1/4"], ["1/4", "3/4"]])
    same = Dense(Explicit(("b", "a")), Explicit((1, 2)), [["1/4", "3/4"], ["3/4", "1/4"]])
    found = decide(same, first)
    assert found
    assert found.witness.certificate["maps"][0] == [[1, 0], [0, 1]]


# --- certificates ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "candidate", ["noisy-parity(bits=2, keep=3/4)", "noisy-parity(bits=2, keep=5/8)"]
)
@pytest.mark.parametrize("base", [RESPONSE, "restrict"])
def test_certificates_survive_json_and_break_when_tampered(candidate, base):
    trusted = mechanism(RESPONSE) if base != "restrict" else mechanism(RESPONSE).table()
    found = consistent_normal_form_contains(mechanism(candidate), trusted)
    assert found.holds is ("5/8" in candidate)
    data = json.loads(json.dumps(found.to_dict()["witness"]))
    assert verify(data)
    for key in ("matrix", "maps" if found.holds else "functional"):
        broken = json.loads(json.dumps(data))
        rows = broken[key][0] if key == "maps" else broken[key]
        rows[:] = [[0] * len(row) for row in rows]
        assert not verify(broken)
    if found.holds:
        assert not verify({**data, "weights": [2]})
        assert not verify({**data, "weights": ["1/2"]})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"maps": []}, "0 maps are given for 1 bases"),
        ({"matrix": []}, "empty matrix"),
        ({"maps": [[[1]]]}, "does not fit"),
        ({"matrix": [[1, 0]], "maps": [[[1, 0], [0, 1]]]}, "another shape"),
        ({"bases": [{"transition": [[1]], "records": 10**9}]}, "records must be"),
        ({"bases": [{"transition": [[1]]}]}, "records must be"),
        ({"maps": [[[1.0, 0], [0, 1]]]}, "exact number"),
    ],
)
def test_rejects_malformed_certificates(change, message):
    identity = [[1, 0], [0, 1]]
    data = {
        "kind": "post-processing",
        "matrix": identity,
        "bases": [identity],
        "maps": [identity],
        "weights": [1],
    }
    assert verify(data)
    with pytest.raises(InvalidInput, match=message):
        Certificate.from_dict({**data, **change}).verify()


# --- bad input ------------------------------------------------------------------------------------


def test_rejects_other_universes():
    with pytest.raises(InvalidInput, match="about the same databases"):
        decide("randomized-response(bits=3, keep=3/4)", RESPONSE)
    with pytest.raises(InvalidInput, match="about the same databases"):
        decide(dense([[1, 1]]), dense([[1, 1]]), dense([[1, 1, 1]]))


def test_rejects_no_base_irrational_numbers_floats_and_too_much_work():
    with pytest.raises(InvalidInput, match="no base is given"):
        consistent_normal_form_contains(mechanism(RESPONSE), [])
    with pytest.raises(InvalidInput, match="irrational probability"):
        decide("randomized-response(bits=2, epsilon=1/2)", RESPONSE)
    people = BitStrings(1)
    floats = FloatMatrix(people, people, np.array([[0.75, 0.25], [0.25, 0.75]]))
    with pytest.raises(Unsupported, match="floats only"):
        decide(floats, "randomized-response(bits=1, keep=3/4)")
    with pytest.raises(Unsupported, match="infinitely many"):
        decide("skellam(1, 1, bits=2)", RESPONSE)
    with pytest.raises(Unsupported, match="infinitely many"):
        decide("geometric(ratio=2)", "geometric(ratio=3)", "geometric(ratio=4)")
    flat = dense([[Fraction(1, 100)] * 100 for _ in range(100)])
    with pytest.raises(TooLarge, match="1000000 entries"):
        decide(flat, flat)


def test_equal_matrices_are_one_transition_per_record():
    matrix = "[[3/4, 1/4], [1/4, 3/4]]"
    own, same = mechanism(f"pram([{matrix}, {matrix}])"), mechanism(f"pram({matrix}, records=2)")
    assert own.table().rows == same.table().rows
    assert row_cone(own).cone.rays == row_cone(same).cone.rays
    assert consistent_normal_form_contains(own, same)
    assert consistent_normal_form_contains(same, own)


def test_more_noise_on_one_record_stays_in_the_normal_form():
    firm = mechanism("pram([[[3/4, 1/4], [1/4, 3/4]], [[3/4, 1/4], [1/4, 3/4]]])")
    shy = mechanism("pram([[[3/4, 1/4], [1/4, 3/4]], [[2/3, 1/3], [1/3, 2/3]]])")
    assert consistent_normal_form_contains(shy, firm)
    assert not consistent_normal_form_contains(firm, shy)


def test_geometric_noise_on_few_answers_is_the_truncated_mechanism():
    noise, clamped = "geometric(ratio=2, bits=2)", "truncated-geometric(ratio=2, bits=2)"
    assert decide(noise, clamped)
    assert decide(clamped, noise)
    assert not decide("truncated-geometric(ratio=3, bits=2)", noise)
