"""One person for all: answers by counts are those of the definition, database by database."""

from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb, prod

import numpy as np
import pytest
from scipy.optimize import linprog

from twoworlds import mechanism
from twoworlds.definitions.catalogue import definition
from twoworlds.definitions.coupled import _program, base, best, proof
from twoworlds.definitions.coupled._nearest import nearest
from twoworlds.definitions.coupled._program import GivenValue
from twoworlds.definitions.coupled.optimal import optimal
from twoworlds.definitions.coupled.proof import attained, layers, sound
from twoworlds.errors import TooLarge
from twoworlds.numbers import bounds
from twoworlds.worlds import orbits
from twoworlds.worlds.joint import Joint

F = Fraction
HIDDEN = "hidden(9/10=1/3, 1/5=2/3)"
SUM, LETTERS = "exact(sum, universe=bits(4))", "exact(histogram, universe=records([a, b, c], 3))"
STEPS, THIRDS = "exact(sum, universe=records([0, 1, 3], 3))", "independent([0=1/2, 1=1/3, 3=1/6])"


def both(monkeypatch, released, claim):
    """Ask by counts and database by database."""
    found = []
    for most in (0, 1 << 30):
        monkeypatch.setattr(base, "_MOST_WORK", most)
        asked, release = definition(claim), mechanism(released)
        assert (asked.scene(release).people is not None) == (most == 0)
        found.append(asked.tightest(release))
    return found


ASKED = [
    *((SUM, f"ddp(uniform, ratio={a})") for a in ("1", "3/2", "e^0.5", "infinity")),
    (SUM, "ddp(uniform)"),
    (SUM, "ddp(uniform, delta=1/20)"),
    (SUM, "ddp(independent(1/3), simulator=canonical, ratio=3/2)"),
    (SUM, "ddp(independent(1/3), simulator=coin, ratio=3/2)"),
    (SUM, f"ddp({HIDDEN}, ratio=3/2)"),
    (SUM, f"ddp({HIDDEN}, ratio=3/2, tagged=yes)"),
    (SUM, f"ddp({HIDDEN}, side=parameter, ratio=3/2)"),
    (SUM, f"ddp({HIDDEN}, side=parity, ratio=infinity)"),
    (SUM, "ddp([uniform, independent(1/5)], ratio=3/2)"),
    (SUM, "ddp(hull(uniform, independent(1/5)), ratio=2)"),
    (SUM, f"coupled-worlds({HIDDEN}, persons, ratio=2)"),
    (SUM, "inference-ddp(uniform, ratio=3/2)"),
    (SUM, f"inference-ddp({HIDDEN}, ratio=3/2)"),
    (SUM, f"inference-ddp({HIDDEN}, simulator=canonical, ratio=3/2)"),
    (SUM, f"inference-ddp({HIDDEN}, simulator=canonical)"),
    (SUM, f"noiseless({HIDDEN}, ratio=3/2)"),
    ("exact(parity, universe=bits(4))", f"noiseless({HIDDEN}, side=parameter, ratio=1)"),
    (LETTERS, "ddp(uniform, ratio=3/2)"),
    (LETTERS, "ddp(hidden-law([a=1/2, b=1/2], [b=1/2, c=1/2]), ratio=2)"),
    (LETTERS, "inference-ddp(uniform, simulator=canonical, ratio=3/2)"),
    (LETTERS, "noiseless(uniform, ratio=3/2)"),
    *((STEPS, f"ddp({THIRDS}, ratio={a})") for a in ("1", "3/2", "e^0.5", "infinity")),
    (STEPS, f"ddp({THIRDS}, delta=1/20)"),
    (STEPS, f"ddp({THIRDS}, simulator=canonical, ratio=3/2)"),
    (STEPS, "ddp([uniform, independent([0=1/2, 1=1/2])], simulator=canonical, ratio=3/2)"),
    (STEPS, "ddp([uniform, independent([0=1/2, 1=1/2])], ratio=3/2)"),
    (STEPS, "ddp(hidden-law([0=1/2, 1=1/2], [1=1/2, 3=1/2]), side=parameter, ratio=3/2)"),
    (STEPS, "noiseless(hidden-law([0=1/2, 1=1/2], [1=1/2, 3=1/2]), ratio=3/2)"),
    (STEPS, "ddp(hidden-law([0=1/2, 1=1/3, 3=1/6], [0=1/3, 1=1/3, 3=1/3]), ratio=3/2)"),
    (STEPS, "ddp(hidden-law([0=1/2, 1=1/4, 3=1/4], [0=1/4, 1=1/4, 3=1/2]), ratio=1)"),
    (STEPS, "ddp([uniform, independent([0=1/2, 1=1/2]), independent([1=1/3, 3=2/3])], ratio=2)"),
    (STEPS, "ddp([uniform, independent([0=1/2, 1=1/4, 3=1/4])], tagged=yes, delta=1/10)"),
    (STEPS, "inference-ddp(hidden-law([0=1/2, 1=1/3, 3=1/6], [0=1/3, 1=1/3, 3=1/3]), ratio=2)"),
    (STEPS, "inference-ddp(hull(uniform, independent([0=1/2, 1=1/4, 3=1/4])), ratio=3/2)"),
    (STEPS, "noiseless(uniform, side=count(3), ratio=3/2)"),
    (STEPS, f"inference-ddp({THIRDS}, ratio=3/2)"),
    (STEPS, f"original-noiseless({THIRDS}, ratio=3/2)"),
    ("constant(universe=records([0, 1, 3], 3))", "ddp(uniform, ratio=1)"),
    ("exact(parity, universe=records([0, 1, 3], 3))", f"ddp({THIRDS}, ratio=1)"),
    ("exact(mean(n=3), universe=records([0, 1/2, 3], 3))", "ddp(uniform, ratio=3/2)"),
]


@pytest.mark.parametrize(("released", "claim"), ASKED)
def test_by_counts_is_as_database_by_database(monkeypatch, released, claim):
    short, listed = both(monkeypatch, released, claim)
    assert short.exact == listed.exact
    for name in ("ratio", "delta"):
        a, b = getattr(short, name), getattr(listed, name)
        assert a == b or abs(float(a) - float(b)) < 1e-12
    assert short.witness.verify()
    assert short.assumptions[0] == listed.assumptions[0]


def test_one_person_stands_for_all_is_said_and_nothing_is_searched_for_them():
    verdict = definition("ddp(uniform, ratio=3/2)").tightest(mechanism("exact(sum, bits(20))"))
    assert "everybody is alike here: person 1 stands for all 20 people" in verdict.notes
    assert base.TOO_COSTLY in verdict.notes


def test_a_table_of_a_simulator_is_never_read_by_counts(monkeypatch):
    monkeypatch.setattr(base, "_MOST_WORK", 0)
    given = "ddp(uniform, simulator=table(1=1, 0=0), ratio=2)"
    assert definition(given).scene(mechanism("exact(sum, bits(2))")).people is None
    some = "coupled-worlds(uniform, persons(1), ratio=2)"
    assert definition(some).scene(mechanism("exact(sum, bits(2))")).people is None


def shifted_tail(n, a):
    """Return (P_0(S) - a^2 P_1(S)) / (1 + a), S where P_0 > a^2 P_1; no simulator has less."""
    below = [t for t in range(n) if n - t > a * a * t]
    zero = F(sum(comb(n - 1, t) for t in below), 2 ** (n - 1))
    one = F(sum(comb(n - 1, t - 1) for t in below if t), 2 ** (n - 1))
    return (zero - a * a * one) / (1 + a)


@pytest.mark.parametrize("n", [6, 100, 250])
def test_the_sum_of_fair_bits_has_the_delta_of_its_two_tails(n):
    a = F(3, 2)
    verdict = definition("ddp(uniform, ratio=3/2)").tightest(mechanism(f"exact(sum, bits({n}))"))
    assert verdict.delta == shifted_tail(n, a)


@pytest.mark.slow
@pytest.mark.parametrize(
    "claim",
    [
        "ddp(uniform, ratio=3/2)",
        "ddp(independent(1/3), epsilon=1/2)",
        "ddp(hidden(2/5=1/2, 1/2=1/2), ratio=11/10)",
        "ddp([uniform, independent(1/5)], ratio=11/10)",
    ],
)
def test_a_thousand_people(claim):
    verdict = definition(claim).tightest(mechanism("exact(sum, bits(1000))"))
    if claim == "ddp(uniform, ratio=3/2)":
        assert verdict.delta == shifted_tail(1000, F(3, 2))
    assert verdict.witness.verify()
    assert len(json.dumps(verdict.to_dict())) < 1 << 22


# --- large tables, in floats ----------------------------------------------------------------------


def in_floats(monkeypatch, released, claim):
    """Ask with the exact program, and with the one in floats."""
    exact = definition(claim).tightest(mechanism(released))
    monkeypatch.setattr(_program, "_MOST_EXACT", 0)
    return exact, definition(claim).tightest(mechanism(released))


@pytest.mark.parametrize(
    "claim",
    [
        f"ddp({HIDDEN}, ratio=1)",
        f"ddp({HIDDEN}, ratio=11/10)",
        f"ddp({HIDDEN}, epsilon=1/2)",
        f"ddp({HIDDEN}, ratio=100)",
        f"ddp({HIDDEN}, side=parity, ratio=3/2)",
        "ddp([uniform, independent(1/5), independent(1/3)], ratio=3/2)",
        "coupled-worlds(uniform, public([1]), ratio=3/2)",
    ],
)
def test_in_floats_the_two_ends_enclose_the_exact_delta(monkeypatch, claim):
    released = SUM if "public" not in claim else "exact(histogram, records([a/0, a/1, b/0], 3))"
    exact, near = in_floats(monkeypatch, released, claim)
    ends = near.witness.best
    assert float(ends.lower) <= float(exact.delta) <= float(ends.upper)
    assert float(ends.upper - ends.lower) <= 2e-6 * float(ends.upper) + 1e-9
    assert near.witness.verify()


def test_in_floats_the_smallest_ratio_is_enclosed(monkeypatch):
    exact, near = in_floats(monkeypatch, SUM, f"ddp({HIDDEN}, delta=1/20)")
    assert abs(float(exact.ratio) - float(near.ratio)) < 2**-15
    assert near.witness.verify()


@pytest.mark.parametrize("allowed", ["1/50", "1/1000", "1/1000000"])
def test_the_smallest_ratio_takes_a_dozen_programs_and_has_two_proven_ends(monkeypatch, allowed):
    found = []

    def counted(scene, ratio):
        found.append(optimal(scene, ratio))
        return found[-1]

    monkeypatch.setattr(best, "optimal", counted)
    claim = f"ddp(hidden(2/5=1/2, 1/2=1/2), delta={allowed})"
    ratio = definition(claim).tightest(mechanism("exact(sum, bits(60))")).ratio
    low, high = bounds(ratio)
    enough = min(one.at for one in found if one.upper <= F(allowed))
    too_small = max(one.tests_at for one in found if one.lower > F(allowed))
    assert too_small < enough <= too_small * (1 + F(1, 1 << 16))
    assert float(too_small) - 1e-12 <= float(low) <= float(high) <= float(enough) + 1e-12
    assert len(found) <= 14


def test_in_floats_nothing_is_said_of_ratio_infinity(monkeypatch):
    monkeypatch.setattr(_program, "_MOST_EXACT", 0)
    with pytest.raises(TooLarge, match="give a finite ratio="):
        definition(f"ddp({HIDDEN}, ratio=infinity)").tightest(mechanism(SUM))


def test_a_hundred_people_with_a_hidden_parameter():
    verdict = definition(f"ddp({HIDDEN}, ratio=3/2)").tightest(mechanism("exact(sum, bits(100))"))
    ends = verdict.witness.best
    assert 0 < ends.lower <= ends.upper < ends.lower * F(1000001, 1000000)
    assert any("delta is only known to lie between" in note for note in verdict.notes)


def test_too_many_likelihoods_are_refused_with_the_largest_size():
    some = definition("ddp([uniform, independent([0=1/2, 1=1/3, 2=1/6])], ratio=2)")
    large = "1,501,500 different likelihoods, .*: 147 such records would do"
    with pytest.raises(TooLarge, match=large):
        some.scene(mechanism("exact(sum, records([0, 1, 2], 1000))"))


def test_the_best_simulator_sees_of_many_values_only_which_law_they_make_likely():
    released = mechanism("exact(sum, records([0, 1, 2], 60))")
    laws = "independent([0=1/2, 1=1/4, 2=1/4]), independent([0=1/4, 1=1/4, 2=1/2])"
    assert len(definition(f"ddp([{laws}])").scene(released).inputs) == 119


@pytest.mark.slow
def test_a_thousand_records_of_three_values_with_a_hidden_law():
    laws = "[0=1/2, 1=1/4, 2=1/4], [0=1/4, 1=1/4, 2=1/2]"
    claim = definition(f"ddp(hidden-law({laws}), ratio=11/10)")
    verdict = claim.tightest(mechanism("exact(sum, records([0, 1, 2], 1000))"))
    ends = verdict.witness.best
    assert 0 < ends.lower <= ends.upper < ends.lower * F(100001, 100000)
    assert verdict.witness.verify()


def test_too_many_tables_are_refused_with_the_largest_size():
    many = mechanism("exact(histogram, records([a, b, c, d], 300))")
    with pytest.raises(TooLarge, match=r"at most 65,536 are listed: [0-9]+ such records would do"):
        definition("ddp(uniform, ratio=2)").scene(many)
    canonical = definition("ddp(uniform, simulator=canonical, ratio=2)")
    with pytest.raises(TooLarge, match=r"55,008 different sums.*147 such records would do"):
        canonical.scene(mechanism("exact(histogram, records([a, b, c], 191))"))


def test_of_likely_tables_nothing_is_said_without_a_finite_ratio():
    many = mechanism("exact(histogram, records([a, b, c], 191))")
    for asked in ("ddp(uniform)", "ddp(uniform, ratio=infinity)"):
        with pytest.raises(TooLarge, match="only likely tables are listed"):
            definition(asked).tightest(many)


def test_tables_too_many_to_list_have_counts_for_outputs():
    large = mechanism("exact(histogram, records([0, 1, 2], 1000))")
    assert large.outputs.size == 1001**3
    assert mechanism("exact(histogram, records([0, 1], 100))").outputs.size == 101
    with pytest.raises(TooLarge, match="500,500 values, too many to list: 194 such records"):
        definition("dp(ratio=2)").check(large)


@pytest.mark.parametrize("least", [8, 14, 30])
@pytest.mark.parametrize("law", ["[0=1/2, 1=1/3, 3=1/6]", "[0=1/3, 1=1/3, 3=1/3]"])
@pytest.mark.parametrize(
    ("statistic", "n"), [("histogram", 3), ("histogram", 9), ("sum", 6), ("count", 5)]
)
@pytest.mark.parametrize("ratio", ["1", "6/5", "4"])
def test_the_two_ends_of_likely_tables_enclose_the_exact_delta(
    monkeypatch, least, law, statistic, n, ratio
):
    monkeypatch.setattr(base, "_MOST_WORK", 0)
    released = mechanism(f"exact({statistic}, records([0, 1, 3], {n}))")
    claim = f"ddp(independent({law}), ratio={ratio})"
    exact = definition(claim).tightest(released).delta
    monkeypatch.setattr(base, "_MOST_ORBITS", 0)
    monkeypatch.setattr(orbits, "_LEAST", orbits._PARTS >> least)
    monkeypatch.setattr(orbits, "_binomial", orbits._binomial.__wrapped__)
    found = definition(claim)
    where, verdict = found.scene(released), found.tightest(released)
    ends = verdict.witness.best
    assert ends.lower <= exact <= ends.upper
    assert ends.upper - ends.lower <= 2 * (1 + F(ratio)) * where.lost
    assert 0 < where.lost < F(n**2, 1 << (least - 6))
    assert verdict.witness.verify()
    proved = proof.proved_by(json.loads(json.dumps(ends.to_dict())))
    assert (proved.lower, proved.upper) == (ends.lower, ends.upper)


@pytest.mark.parametrize("count", [0, 1, 7, 40])
def test_likely_lists_have_a_little_less_than_their_probability(count):
    law = [F(1, 2), F(1, 3), F(1, 6)]
    found = dict(orbits.multinomial(law, count))
    assert 0 <= 1 - sum(found.values()) < F(1, 1 << 30)
    for counts, mass in found.items():
        ways = comb(count, counts[0]) * comb(count - counts[0], counts[1])
        exact = ways * prod(p**k for p, k in zip(law, counts, strict=True))
        assert exact * (1 - F(1, 1 << 40)) <= mass <= exact


@pytest.mark.slow
def test_a_table_of_three_cells_of_a_thousand_people():
    claim = "ddp(independent([a=1/2, b=1/3, c=1/6]), ratio=11/10)"
    verdict = definition(claim).tightest(mechanism("exact(histogram, records([a, b, c], 1000))"))
    ends = verdict.witness.best
    assert 0 < ends.lower < ends.upper < ends.lower * F(10001, 10000)
    assert any("tables far from what is expected" in note for note in verdict.notes)
    assert proof.proved_by(json.loads(json.dumps(ends.to_dict()))) is not None


def least_delta(law, n, ratio):
    """The least delta of all simulators of a sum, by a program over tables of all lists."""
    others = [*product(law, repeat=n - 1)]
    outputs = sorted({v + sum(y) for v in law for y in others})
    place = {(y, t): 1 + k for k, (y, t) in enumerate(product(others, outputs))}
    columns = 1 + len(place) + 2 * len(law) * len(outputs)
    rows, bounds, extra = [], [], 1 + len(place)
    for v in law:
        real = Counter()
        for y in others:
            real[v + sum(y)] += prod(law[r] for r in y)
        for sign in (1, -1):
            budget = np.zeros(columns)
            budget[0] = -1
            for t in outputs:
                row = np.zeros(columns)
                for y in others:
                    row[place[y, t]] = -(ratio if sign == 1 else -1) * prod(law[r] for r in y)
                row[extra], budget[extra] = -1, 1
                rows.append(row)
                bounds.append(-real[t] if sign == 1 else ratio * real[t])
                extra += 1
            rows.append(budget)
            bounds.append(0)
    one = np.zeros((len(others), columns))
    for k, y in enumerate(others):
        one[k, [place[y, t] for t in outputs]] = 1
    cost = np.eye(1, columns)[0]
    return linprog(cost, np.array(rows), bounds, one, np.ones(len(others))).fun


@pytest.mark.parametrize("ratio", [1, 1.5, 4])
def test_no_table_of_all_lists_is_better_than_a_law_of_the_sum(monkeypatch, ratio):
    monkeypatch.setattr(base, "_MOST_WORK", 0)
    found = definition(f"ddp({THIRDS}, ratio={ratio})").tightest(mechanism(STEPS))
    assert abs(least_delta({0: 1 / 2, 1: 1 / 3, 3: 1 / 6}, 3, ratio) - float(found.delta)) < 1e-9


def test_sums_of_many_valued_records_are_those_of_a_list_of_counts(monkeypatch):
    released = mechanism("exact(sum, records([0, 1, 2], 30))")
    for claim in ("ddp(uniform, ratio=11/10)", "noiseless(uniform, ratio=11/10)"):
        short = definition(claim).tightest(released)
        with monkeypatch.context() as patched:
            patched.setattr(Joint, "by_sums", False)
            long = definition(claim).scene(released)
            assert len(long.beliefs.members[0]) == 3 * 465
            assert definition(claim).tightest(released).delta == short.delta


@pytest.mark.slow
@pytest.mark.parametrize("claim", ["ddp(uniform, ratio=11/10)", "inference-ddp(uniform, ratio=2)"])
def test_a_thousand_records_of_three_values(claim):
    verdict = definition(claim).tightest(mechanism("exact(sum, records([0, 1, 2], 1000))"))
    assert verdict.witness.verify()


# --- the nearest law ------------------------------------------------------------------------------


def random_laws(rng, outputs):
    found = []
    for _ in range(rng.randint(1, 4)):
        weights = [rng.choice([0, 1, 1, 2, 3, 7]) for _ in range(outputs)]
        weights[rng.randrange(outputs)] += 1
        found.append({t: F(w, sum(weights)) for t, w in enumerate(weights) if w})
    return found


@pytest.mark.parametrize("seed", range(40))
def test_the_nearest_law_meets_its_proof(seed):
    rng = random.Random(seed)
    outputs = rng.randint(1, 7)
    laws, ratio = random_laws(rng, outputs), rng.choice([F(1), F(6, 5), F(2), F(9)])
    delta, law, stakes = nearest(laws, ratio, range(outputs))
    made = [GivenValue(0, i, real, {0: F(1)}) for i, real in enumerate(laws)]
    tests = layers(stakes)
    assert sum(law.values()) == 1
    assert min(law.values()) > 0
    assert attained(made, (law,), ratio) == delta
    assert sound(made, outputs, tests)
    assert proof.TestBound(made, outputs, tests).at(ratio) == delta


def test_without_a_ratio_only_the_impossible_counts():
    laws = [{0: F(1)}, {1: F(1, 2), 2: F(1, 2)}]
    delta, law, stakes = nearest(laws, None, range(3))
    assert delta == F(1, 2) == law[0]
    assert {world for _, world in stakes} == {"ideal"}
