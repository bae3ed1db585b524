"""Parity: Theorem 5.7 and its converse, the three attackers, and what print has wrong."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import pytest

from twoworlds import BitStrings, mechanism
from twoworlds.cones.amplification import frapp_row_cone
from twoworlds.cones.per_record import PerRecordCone
from twoworlds.cones.row_cone import Inequality, row_cone
from twoworlds.cones.words.parity import (
    ParityBelief,
    ParityCheck,
    attacker_who_changes_his_mind,
    extremes,
    guards_parity,
    parity_check,
)
from twoworlds.cones.words.statements import statement
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms import Dense, Mechanism, PerRecord
from twoworlds.worlds import Explicit
from twoworlds.worlds.belief import Secret, independent

HALF = Fraction(1, 2)


def survey(bits: int, keep: object) -> Mechanism:
    return mechanism(f"randomized-response(bits={bits}, keep={keep})")


def evens(
    built: Mechanism, chances: Sequence[Fraction], persons: Sequence[int]
) -> dict[str, Fraction]:
    """P(even | output) for every possible output, by summing over all databases."""
    found = {}
    for output in built.outputs:
        mass = [Fraction(0), Fraction(0)]
        for x in built.universe:
            bits = [int(str(c)) for c in (x if isinstance(x, tuple) else str(x))]
            prior = Fraction(1)
            for bit, q in zip(bits, chances, strict=True):
                prior *= q if bit else 1 - q
            odd = sum(bits[i - 1] for i in persons) % 2
            mass[odd] += prior * Fraction(built.probability(output, x))  # type: ignore[arg-type]
        if sum(mass):
            found[built.outputs.label(output)] = mass[0] / sum(mass)
    return found


def posteriors(check: ParityCheck) -> dict[str, Fraction]:
    outputs = check.mechanism.outputs
    found = {outputs.label(o): check.posterior_even(o) for o in outputs}
    return {label: p for label, p in found.items() if p is not None}


def kept_by(before: Fraction, after: dict[str, Fraction]) -> bool:
    """The two bullets of Theorem 5.7."""
    kept = before < HALF or all(p >= HALF for p in after.values())
    return kept and (before > HALF or all(p <= HALF for p in after.values()))


def random_mechanism(rng: random.Random, bits: int, outputs: int) -> Dense:
    size = 2**bits
    columns = []
    for _ in range(size):
        weights = [rng.randint(0, 5) for _ in range(outputs)]
        weights[rng.randrange(outputs)] += 1
        columns.append([Fraction(w, sum(weights)) for w in weights])
    rows = [[column[i] for column in columns] for i in range(outputs)]
    return Dense(BitStrings(bits), Explicit(tuple(range(outputs))), rows)


# --- the three attackers --------------------------------------------------------------------------


def attackers(keep: str) -> dict[str, ParityCheck]:
    """The attackers of Lin & Kifer, Section 5.1, on two bits."""
    p, built = Fraction(keep), survey(2, keep)
    return {
        "Attacker 1": parity_check(built, [p, p]),
        "Attacker 2": parity_check(built, [1 - p, p]),
        "Attacker 3": parity_check(built, [HALF, p]),
        "Attacker 3, second bit": parity_check(built, [HALF, p], [2]),
    }


def test_attackers_1_and_2_never_change_their_minds() -> None:
    found = attackers("3/4")
    one, two = found["Attacker 1"], found["Attacker 2"]
    assert one.prior_even == Fraction(5, 8)
    assert posteriors(one) == {"11": Fraction(41, 50), "10": HALF, "01": HALF, "00": HALF}
    assert two.prior_even == Fraction(3, 8)
    assert posteriors(two) == {"11": HALF, "10": HALF, "01": Fraction(9, 50), "00": HALF}
    assert one.protected
    assert two.protected


def test_attacker_3_changes_his_mind_at_01_and_11_not_at_00_as_printed() -> None:
    # Section 5.1 prints "when M_rr outputs 01 or 00".
    found = attackers("3/4")
    three = found["Attacker 3"]
    assert three.prior_even == HALF
    after = posteriors(three)
    assert after == {"11": Fraction(7, 10), "10": HALF, "01": Fraction(3, 10), "00": HALF}
    assert after["00"] == HALF  # print names this output
    assert not three.protected
    assert found["Attacker 3, second bit"].protected


def test_attacker_1_is_protected_by_equation_5_not_by_equation_4_as_printed() -> None:
    # Over 11, 10, 01, 00 with p = 3/4: equation 4 is (1, -3, -3, 9), equation 5 (9, -3, -3, 1).
    p = Fraction(3, 4)
    prior = {(1, 1): p * p, (1, 0): p * (1 - p), (0, 1): p * (1 - p), (0, 0): (1 - p) ** 2}
    fourth = statement(Inequality(BitStrings(2), (1, -3, -3, 9)))
    fifth = statement(Inequality(BitStrings(2), (9, -3, -3, 1)))
    assert dict(fifth.belief) == prior
    assert dict(fourth.belief) != prior
    sixth = statement(Inequality(BitStrings(2), (-3, 1, 9, -3)))
    assert sixth.laws == ((1 - p, p), (p, 1 - p))  # Attacker 2


def test_example_5_6_is_an_equivalence() -> None:
    # Print says "if"; the four inequalities are also necessary.
    four = {(1, -3, -3, 9), (9, -3, -3, 1), (-3, 1, 9, -3), (-3, 9, 1, -3)}
    assert set(row_cone("randomized-response(bits=2, keep=3/4)").cone.facets) == four


def test_more_likely_holds_only_weakly() -> None:
    for name in ("Attacker 1", "Attacker 2"):
        after = list(posteriors(attackers("3/4")[name]).values())
        assert after.count(HALF) == 3


# --- the theorem ----------------------------------------------------------------------------------


def test_with_keep_below_one_half_the_printed_condition_promises_too_much() -> None:
    # q >= p holds literally for p = 1/4, q = 3/5.
    assert Fraction(3, 5) >= Fraction(1, 4)
    check = parity_check("randomized-response(bits=1, keep=1/4)", ["3/5"])
    assert check.posterior_even("1") == 1 - Fraction(1, 3)
    assert not check.protected
    assert not guards_parity("3/5", keep="1/4")
    assert guards_parity(["3/4"], keep="1/4")
    assert parity_check("randomized-response(bits=1, keep=1/4)", ["3/4"]).protected


@pytest.mark.slow
@pytest.mark.parametrize("keep", ["1/4", "1/2", "3/5", "3/4", "1"])
@pytest.mark.parametrize("bits", [1, 2, 3])
def test_randomized_response_protects_a_parity_if_and_only_if_the_theorem_says_so(
    keep: str, bits: int
) -> None:
    built = survey(bits, keep)
    grid = [
        Fraction(n, 20) for n in ((0, 3, 5, 8, 10, 12, 15, 20) if bits < 3 else (5, 10, 15, 17))
    ]
    for chances in product(grid, repeat=bits):
        for size in range(1, bits + 1):
            for persons in combinations(range(1, bits + 1), size):
                check = parity_check(built, chances, persons)
                assert check.protected == guards_parity(chances, keep=keep, persons=persons)
                after = evens(built, chances, persons) if bits < 3 else posteriors(check)
                assert check.protected == kept_by(check.prior_even, after)


def test_a_chance_of_one_half_is_never_protected_unless_nothing_is_told() -> None:
    for keep, protected in (("3/4", False), ("51/100", False), ("1/2", True)):
        for chances in ((HALF,), (HALF, Fraction(9, 10)), (HALF, HALF, HALF)):
            check = parity_check(survey(len(chances), keep), chances)
            assert check.prior_even == HALF
            assert check.protected is protected is guards_parity(chances, keep=keep)


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(4))
def test_every_post_processing_of_randomized_response_protects_the_same_parities(seed: int) -> None:
    rng = random.Random(seed)
    bits = rng.randint(1, 3)
    post = random_mechanism(rng, bits, rng.randint(2, 4))
    built = survey(bits, "2/3").then(post)
    allowed = [Fraction(n, 12) for n in (0, 1, 3, 4, 8, 9, 12)]
    for _ in range(12):
        chances = [rng.choice(allowed) for _ in range(bits)]
        for size in range(1, bits + 1):
            for persons in combinations(range(1, bits + 1), size):
                assert guards_parity(chances, keep="2/3", persons=persons)
                check = parity_check(built, chances, persons)
                assert check.protected
                assert kept_by(check.prior_even, evens(built, chances, persons))
    assert attacker_who_changes_his_mind(built, "2/3") is None


@pytest.mark.parametrize("seed", range(4))
def test_outside_the_cone_there_is_an_attacker_who_changes_his_mind(seed: int) -> None:
    rng = random.Random(seed)
    bits, keep = rng.randint(1, 3), Fraction(rng.choice([1, 2, 3, 6, 7, 9]), 10)
    built = random_mechanism(rng, bits, rng.randint(2, 3))
    if rng.random() < 0.5:
        built = built.mix(mechanism(f"constant(bits={bits})"), Fraction(1, 4))
    cone = PerRecordCone.of(f"randomized-response(bits={bits}, keep={keep})")
    inside = all(cone.contains(list(row)) for row in built.rows)
    found = attacker_who_changes_his_mind(built, keep)
    assert (found is None) == inside
    if found is not None:
        check_changed_mind(found, built, keep)


def check_changed_mind(found: ParityCheck, built: Mechanism, keep: Fraction) -> None:
    chances = found.belief.chances
    assert set(chances) <= {keep, 1 - keep}
    assert guards_parity(chances, keep=keep, persons=found.belief.persons)
    assert not found.protected
    assert found.verify()
    after = evens(built, chances, found.belief.persons)
    assert not kept_by(found.prior_even, after)
    assert after[built.outputs.label(found.output)] == found.posterior_even(found.output)


def test_noisy_parity_is_private_but_makes_an_attacker_change_his_mind() -> None:
    found = attacker_who_changes_his_mind("noisy-parity(bits=2, keep=3/4)", "3/4")
    assert found is not None
    assert found.belief.chances == (Fraction(3, 4), Fraction(3, 4))
    assert found.prior_even == Fraction(5, 8)
    assert 1 - found.posterior_even(1) == Fraction(9, 14)  # type: ignore[operator]
    assert found.output == 1
    data = json.loads(json.dumps(found.to_dict()))
    assert data["protected"] is False
    assert data["posterior_even"]["exact"] == "5/14"


# --- by structure ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_one_transition_per_record_is_decided_as_by_its_table(seed: int) -> None:
    rng = random.Random(seed)
    bits = rng.randint(1, 4)
    built = survey(bits, Fraction(rng.randint(0, 10), 10))
    chances = [Fraction(rng.randint(0, 10), 10) for _ in range(bits)]
    persons = sorted(rng.sample(range(1, bits + 1), rng.randint(1, bits)))
    fast, slow = (parity_check(one, chances, persons) for one in (built, built.table()))
    assert posteriors(fast) == posteriors(slow)
    assert fast.balance == slow.balance
    assert fast.protected == slow.protected
    assert fast.verify()


def test_a_parity_belief_is_the_independent_belief_of_its_chances() -> None:
    chances = ["1/3", "1/5", 1]
    belief = ParityBelief.read(BitStrings(3), chances, [1, 3])
    held = independent(BitStrings(3), chances)
    assert {x: mass for x, mass, _ in belief.words()} == dict(held.items())
    even = Secret("even", lambda x: (x[0] + x[2]) % 2 == 0)
    assert (1 + belief.prior_balance) / 2 == held.probability(even)
    assert all((sign > 0) == even.holds(x) for x, _, sign in belief.words())


# --- FRAPP ----------------------------------------------------------------------------------------


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(4))
def test_frapp_protects_the_parity_of_two_values_per_record(seed: int) -> None:
    rng = random.Random(seed)
    gamma, values = 3, "abc"
    transition = [[Fraction(rng.randint(2, 6), 36) for _ in values] for _ in range(3)]
    transition.append([1 - sum(column) for column in zip(*transition, strict=True)])
    assert all(max(row) <= gamma * min(row) for row in transition)
    outputs = Explicit(tuple(range(len(transition))))
    built = PerRecord(Dense(Explicit(tuple(values)), outputs, transition), 3)
    pairs = [rng.sample(values, 2) for _ in range(3)]
    chances = [rng.choice(["3/4", "4/5", "1/4", "1/10", "1"]) for _ in range(3)]
    assert guards_parity(chances, gamma=gamma)  # also for q <= 1 - p, which print leaves out
    for persons in ([1], [1, 3], [1, 2, 3]):
        check = parity_check(built, chances, persons, values=pairs)
        assert check.protected
        assert check.verify()
        assert parity_check(built.table(), chances, persons, values=pairs).protected


def test_all_rows_of_frapp_protect_the_parity_and_undecided_attackers_are_moved() -> None:
    cone = frapp_row_cone(3, values=3, records=2)
    belief = ParityBelief.read(cone.universe, ["3/4", "1/5"], values=[("0", "1"), ("1", "2")])
    signed = {x: sign * mass for x, mass, sign in belief.words()}
    assert belief.prior_balance < 0
    for ray in cone.generators():
        row = dict(zip(cone.universe, ray, strict=True))
        assert sum(c * row[x] for x, c in signed.items()) <= 0
    assert not guards_parity(["3/4", "3/5"], gamma=3)
    check = parity_check(
        "randomized-response(values=3, records=2, keep=3/5)", ["3/4", "3/5"], values=[("0", "1")]
    )
    assert not check.protected


# --- differential privacy -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bits", "ratio"),
    [(1, "3"), (2, "3"), (3, "3"), (2, "3/2")],
)
def test_the_threshold_of_equal_chances_is_exact_on_all_extreme_rows(bits: int, ratio: str) -> None:
    """|2q - 1|^k >= (r - 1) / (r + 1), on both sides of equality."""
    cone = row_cone(f"dp(ratio={ratio})", f"bits({bits})")
    r = Fraction(ratio)
    threshold = (1 + float((r - 1) / (r + 1)) ** (1 / bits)) / 2
    for step, protected in ((Fraction(1, 10**6), True), (-Fraction(1, 10**6), False)):
        q = Fraction(threshold).limit_denominator(10**8) + step
        belief = ParityBelief.read(cone.universe, q)
        before = belief.prior_balance
        signed = {x: sign * mass for x, mass, sign in belief.words()}
        weights = [signed[x] for x in cone.universe]
        scale = [int(w * q.denominator**bits) for w in weights]
        kept = all(
            sum(w * c for w, c in zip(scale, ray, strict=True)) * before >= 0
            for ray in cone.generators()
        )
        assert kept is protected
        assert guards_parity([q] * bits, ratio=ratio) is protected
    low = Fraction(threshold).limit_denominator(10**8) - Fraction(1, 10**6)
    keep = Fraction(ratio) / (1 + Fraction(ratio))
    assert not parity_check(f"noisy-parity(bits={bits}, keep={keep})", low).protected
    assert guards_parity([low] * bits, keep=keep) is (low >= keep)


@pytest.mark.parametrize("seed", range(5))
def test_unlike_chances_are_protected_by_differential_privacy_exactly_from_their_product_on(
    seed: int,
) -> None:
    """Over all extreme rows, which decide for all mechanisms, by summing over all databases."""
    rng = random.Random(seed)
    bits, ratio = rng.randint(1, 3), Fraction(rng.randint(4, 20), 4)
    cone = row_cone(f"dp(ratio={ratio})", f"bits({bits})")
    chances = [Fraction(rng.randint(0, 20), 20) for _ in range(bits)]
    persons = sorted(rng.sample(range(1, bits + 1), rng.randint(1, bits)))
    prior = {x: Fraction(1) for x in cone.universe}
    for x in prior:
        for bit, q in zip(x, chances, strict=True):
            prior[x] *= q if bit else 1 - q
    sign = {x: (-1) ** sum(x[i - 1] for i in persons) for x in prior}
    before = sum(sign[x] * p for x, p in prior.items())
    rays = [dict(zip(cone.universe, ray, strict=True)) for ray in cone.generators()]
    after = [sum(sign[x] * p * ray[x] for x, p in prior.items()) for ray in rays]
    kept = all(b * before >= 0 for b in after) if before else not any(after)
    assert guards_parity(chances, ratio=ratio, persons=persons) is kept
    likelier = [
        [sum(p * ray[x] for x, p in prior.items() if sign[x] == s) for s in (1, -1)] for ray in rays
    ]
    even = (1 + before) / 2
    if 0 < even < 1:  # the odds change by at most the ratio, and some row attains it
        factors = [(one / other) / (even / (1 - even)) for one, other in likelier]
        assert max(factors) == 1 / min(factors) == ratio


# --- words and bad input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"chances": ["1/2"] * 3}, "3 chances are given for 2"),
        ({"chances": "3/2"}, "chance"),
        ({"chances": None}, "chance"),
        ({"chances": "1/2", "persons": [1, "2"]}, "person='2'"),
        ({"chances": "1/2", "persons": []}, "at least one person"),
        ({"chances": "1/2", "persons": [3]}, "there are 2"),
        ({"chances": "1/2", "values": [("1", "1")]}, "two different values"),
        ({"chances": "1/2", "values": [("1", "0")] * 3}, "3 pairs of values"),
    ],
)
def test_refuses_beliefs_that_do_not_fit(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parity_check("randomized-response(bits=2, keep=3/4)", **arguments)  # type: ignore[arg-type]


def test_refuses_what_has_no_parity() -> None:
    with pytest.raises(InvalidInput, match="give values="):
        parity_check("randomized-response(values=3, records=2, keep=3/5)", "1/2")
    with pytest.raises(InvalidInput, match="no persons"):
        parity_check("truncated-geometric(ratio=2, high=3)", "1/2")
    with pytest.raises(InvalidInput, match="give one of"):
        guards_parity(["1/2"], keep="3/4", gamma=3)
    with pytest.raises(InvalidInput, match="1 chances"):
        guards_parity(["1/2"], keep="3/4", persons=[2])
    with pytest.raises(TooLarge, match="fewer records"):
        parity_check("noisy-parity(bits=22, keep=3/4)", "3/4")


# --- extremes by structure ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_the_extreme_products_are_those_of_all_outputs(seed: int) -> None:
    rng = random.Random(seed)
    outputs = rng.randint(1, 3)
    columns = [[rng.randint(0, 3) for _ in range(outputs)] for _ in range(2)]
    columns = [column if any(column) else [1] * outputs for column in columns]
    rows = [[Fraction(c[o], sum(c)) for c in columns] for o in range(outputs)]
    text = ", ".join("[" + ", ".join(map(str, row)) + "]" for row in rows)
    built = mechanism(f"pram([{text}], records=3)")
    chances = [Fraction(rng.randint(0, 4), 4) for _ in range(3)]
    persons = rng.sample([1, 2, 3], rng.randint(1, 3))
    belief = ParityBelief.read(built.universe, chances, persons)
    found = {}
    for output in built.outputs:
        total = balance = Fraction(0)
        for word in built.universe:
            mass = Fraction(1)
            for value, q in zip(word, chances, strict=True):
                mass *= q if value == belief.values[0][0] else 1 - q
            mass *= Fraction(built.probability(output, word))
            odd = sum(word[i - 1] == belief.values[0][0] for i in persons) % 2
            total += mass
            balance += -mass if odd else mass
        if total:
            found[output] = balance / total
    low, high = extremes(built, belief)
    assert low[1] == min(found.values()) == found[low[0]]
    assert high[1] == max(found.values()) == found[high[0]]
