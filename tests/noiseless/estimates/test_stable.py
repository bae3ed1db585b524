import re
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, count, product
from random import Random

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.noiseless.estimates.family import LawFamily
from twoworlds.noiseless.estimates.likeliest import likeliest
from twoworlds.noiseless.estimates.stable import stable
from twoworlds.numbers import INFINITY, above, below, ln
from twoworlds.worlds.belief import independent, uniform
from twoworlds.worlds.joint import NOTHING, Joint
from twoworlds.worlds.records import BitStrings

ZERO = Fraction(0)


def majority(bits):
    return int(2 * sum(bits) > len(bits))


def drawn_joint(random, values, n, sides):
    pairs = [(x, z) for x in product(values, repeat=n) for z in sides]
    parts = [random.choice([0, 1, 2, 5]) for _ in pairs]
    parts[0] += 1
    return {pair: Fraction(part, sum(parts)) for pair, part in zip(pairs, parts, strict=True)}


def drawn_function(random, values, n, outputs):
    table = {x: random.choice(outputs) for size in (n - 1, n) for x in product(values, repeat=size)}
    return table.__getitem__


def brute(function, joints):
    """Yield (with, without, changed) for every belief, person, value and side information."""
    for joint in joints:
        n = len(next(iter(joint))[0])
        for i in range(n):
            for v, z in {(x[i], z) for (x, z), mass in joint.items() if mass}:
                chosen = {x: m for (x, w), m in joint.items() if w == z and x[i] == v and m}
                total = sum(chosen.values())
                having, without, changed = {}, {}, ZERO
                for x, mass in chosen.items():
                    share = mass / total
                    a, b = function(x), function(x[:i] + x[i + 1 :])
                    having[a] = having.get(a, ZERO) + share
                    without[b] = without.get(b, ZERO) + share
                    changed += share if a != b else 0
                yield having, without, changed


def excess(p, q, ratio):
    return sum((max(p.get(t, ZERO) - ratio * q.get(t, ZERO), ZERO) for t in {*p, *q}), start=ZERO)


def pure(p, q):
    if set(p) != set(q):
        return None
    return max(max(p[t] / q[t], q[t] / p[t]) for t in p)


class TestAgainstEnumeration:
    def test_random_functions_and_beliefs(self):
        random = Random(1)
        for _ in range(30):
            values, n = random.choice([((0, 1), 3), ((0, 1), 2), (("a", "b", "c"), 2)])
            sides = random.choice([("z",), ("z", "w")])
            function = drawn_function(random, values, n, "xyz"[: random.randint(1, 3)])
            joints = [drawn_joint(random, values, n, sides) for _ in range(random.randint(1, 2))]
            ratio = Fraction(random.randint(4, 9), 4)
            cases = list(brute(function, joints))
            found = stable(function, joints, ratio=ratio)
            both = [max(excess(p, q, ratio), excess(q, p, ratio)) for p, q, _ in cases]
            assert found.delta == max(both)
            assert found.instability == max(changed for _, _, changed in cases)
            outputs = {t for p, q, _ in cases for t in (*p, *q)}
            assert found.least == min(p.get(t, ZERO) for p, _, _ in cases for t in outputs)
            ratios = [pure(p, q) for p, q, _ in cases]
            expected = INFINITY if None in ratios else ln(max(ratios))
            assert found.pure_epsilon == expected
            assert found.witness.verify()
            p, q = found.witness.probabilities
            assert max(p - ratio * q, ZERO) == found.delta

    def test_theorem_11_bounds_delta_at_epsilon_0(self):
        random = Random(2)
        for _ in range(25):
            function = drawn_function(random, (0, 1), 3, "xy")
            found = stable(function, drawn_joint(random, (0, 1), 3, ("z",)))
            assert found.ratio == 1
            assert found.delta <= found.theorem_11 == found.instability

    @pytest.mark.slow
    def test_theorem_12_bounds_epsilon_and_its_tight_form_too(self):
        random = Random(3)
        seen = 0
        for _ in range(60):
            function = _mostly_stable(random)
            found = stable(function, _spread(random))
            if "theorem_12" not in found.values:
                continue
            seen += 1
            assert below(found.pure_epsilon) <= above(found.theorem_12_tight)
            assert below(found.theorem_12_tight) <= above(found.theorem_12)
        assert seen >= 20

    def test_the_likeliest_law_is_a_stable_function(self):
        """Two ways to one number: all databases here, counts of samples there."""
        laws = ["1=3/4, 0=1/4", "1=1/4, 0=3/4"]
        family = LawFamily.of(laws)
        beliefs = [Joint.of(independent(BitStrings(4), [p] * 4)) for p in ("3/4", "1/4")]
        for ratio in (1, "3/2"):
            found = stable(family.estimate, beliefs, ratio=ratio)
            assert found.delta == likeliest(laws, people=4, ratio=ratio).delta
        known = [joint.knowing(lambda x: x[0]) for joint in beliefs]
        exact = likeliest(laws, people=4, known=1, ratio="3/2").delta
        assert stable(family.estimate, known, ratio="3/2").delta == exact


class TestErratum23:
    def test_the_tight_form_of_theorem_12_is_attained(self):
        """Shares of a digit: two of three give it away, one says nothing about it.

        The value asks whether the digit is below 2, without one person below 1: c = 2/5, mu = 1/5.
        """
        found = stable(below_two, shares())
        assert (found.least, found.instability) == (Fraction(2, 5), Fraction(1, 5))
        assert found.theorem_12_tight == found.pure_epsilon == ln(Fraction(2))
        assert found.theorem_12 == ln(Fraction(3))

    def test_theorem_12_needs_more_probability_than_instability(self):
        found = stable(lambda bits: bits[0] if bits else 0, Joint.of(uniform(BitStrings(2))))
        assert "theorem_12" not in found.values
        assert any("Theorem 12 says nothing" in note for note in found.notes)

    def test_a_function_must_be_defined_on_fewer_records(self):
        def three_only(bits):
            first, second, third = bits
            return first ^ second ^ third

        with pytest.raises(InvalidInput, match=r"fails on 2 records .* one record fewer"):
            stable(three_only, Joint.of(uniform(BitStrings(3))))

    def test_theorem_11_holds_with_equality(self):
        """Printed with a strict inequality, which is not needed: here delta equals mu."""
        found = stable(majority, Joint.of(uniform(BitStrings(3))))
        assert found.delta == found.instability == Fraction(1, 2)


class TestWhatIsAsked:
    def test_a_claim_is_decided(self):
        joint = Joint.of(uniform(BitStrings(3)))
        assert stable(majority, joint, epsilon=0, delta="1/2")
        refuted = stable(majority, joint, epsilon=0, delta="0.4")
        assert not refuted
        assert "where 0.4 is allowed" in refuted.sentence

    def test_the_fewest_records_that_break_it_are_named(self):
        joint = Joint.of(uniform(BitStrings(4)))
        for limit in ("0.4", "0.6"):
            found = stable(majority, joint, ratio=1, delta=limit)
            fewest = next(
                chosen
                for size in range(1, 4)
                for chosen in combinations(range(4), size)
                if _told(joint, chosen) > Fraction(limit)
            )
            names = re.search(r"knowing entr(?:y|ies) (.*) too:", found.sentence).group(1)
            assert len(names.split(" and ")) == len(fewest)

    def test_a_wrong_witness_is_caught(self):
        witness = stable(majority, Joint.of(uniform(BitStrings(3)))).witness
        p, q = witness.probabilities
        assert not replace(witness, probabilities=(q, p)).verify()


class TestBadInput:
    def test_a_random_function_is_refused(self):
        steps = count()
        with pytest.raises(InvalidInput, match="deterministic"):
            stable(lambda _: next(steps), Joint.of(uniform(BitStrings(2))))

    @pytest.mark.parametrize(
        ("beliefs", "match"),
        [
            ([], "empty"),
            ({(0, 1): 1}, "not a pair"),
            ({((0, 1), "z"): "1/2"}, "sum to 1/2"),
            ({((0, 1), "z"): "3/2", ((1, 1), "z"): "-1/2"}, "negative"),
            ({((0, 1), "z"): "1/2", ((1,), "z"): "1/2"}, "same number of records"),
            ({((), "z"): 1}, "at least 1"),
            ([{((0, 1), "z"): 1}, {((0,), "z"): 1}], "same number of records"),
        ],
    )
    def test_beliefs_that_are_none(self, beliefs, match):
        with pytest.raises(InvalidInput, match=match):
            stable(majority, beliefs)


def _told(joint, places):
    told = joint.knowing(lambda x: tuple(x[i] for i in places))
    return stable(majority, told, ratio=1, delta=0).delta


def _mostly_stable(random):
    """A function of a shared digit that one person fewer changes for one digit at most."""
    table = {3: [random.choice("xy") for _ in range(5)]}
    table[2] = list(table[3])
    table[2][random.randrange(5)] = random.choice("xy")
    return lambda records: table[len(records)][digit(records)]


def _spread(random):
    parts = {pair: random.randint(3, 5) for pair in shares()}
    return {pair: Fraction(part, sum(parts.values())) for pair, part in parts.items()}


def shares():
    """Points 1, 2, 3 of the lines a + b t over the integers modulo 5, all lines alike."""
    lines = product(range(5), repeat=2)
    return {
        (tuple((t, (a + b * t) % 5) for t in (1, 2, 3)), NOTHING): Fraction(1, 25) for a, b in lines
    }


def digit(records):
    (t, x), (u, y) = records[:2]
    return (x - (y - x) * pow(u - t, -1, 5) * t) % 5


def below_two(records):
    return digit(records) < (2 if len(records) == 3 else 1)
