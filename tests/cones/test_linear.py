"""Definitions by linear constraints: their words, their suites, amplification, saved cones."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given

from twoworlds import BitStrings, Dense, InvalidInput, Universe, check, definition, mechanism
from twoworlds.cones.amplification import Frapp, GammaAmplification
from twoworlds.cones.linear import LinearDefinition, read_constraints
from twoworlds.cones.row_cone import row_cone
from twoworlds.errors import TooLarge, Unsupported
from twoworlds.numbers import INFINITY
from twoworlds.testing import strategies
from twoworlds.testing.conformance import DefinitionConformance

RESPONSE = "randomized-response(bits=2, keep=3/4)"


# --- the suites ---------------------------------------------------------------------------------


def scaled(factor):
    """Differential privacy of two bits with ratio 3, each larger side multiplied by a factor."""
    near = [("11", "10"), ("11", "01"), ("10", "00"), ("01", "00")]
    texts = [f"x{a} <= {3 * factor} x{b}; x{b} <= {3 * factor} x{a}" for a, b in near]
    return LinearDefinition.read("; ".join(texts))


class TestLinearConstraints(DefinitionConformance):
    registered_as = "linear"
    number = "factor"
    perfect, worst = Fraction(1, 3), INFINITY
    broken = (
        ("noisy-parity(bits=2, keep=3/4)", 'linear("3 x10 + 3 x01 <= 9 x11 + x00")'),
        ("identity(bits=2)", 'linear("x11 <= 1000 x10")'),
        (RESPONSE, 'linear("x11 = x00")'),
    )

    def measuring(self):
        return scaled(Fraction(1))

    def claiming(self, value):
        return scaled(value)

    def forge(self, witness):
        return replace(witness, smaller=witness.smaller + Fraction(1, 1000))


class TestGammaAmplification(DefinitionConformance):
    registered_as = "gamma-amplification"
    number = "gamma"
    perfect, worst = Fraction(1), INFINITY
    broken = (
        (RESPONSE, "gamma-amplification(8)"),
        ("randomized-response(bits=40, keep=3/4)", "gamma-amplification(1000)"),
        ("parity(bits=3)", "gamma-amplification(1000)"),
    )

    def measuring(self):
        return GammaAmplification()

    def claiming(self, value):
        return GammaAmplification(value)


class TestFrappOfOneRecord(DefinitionConformance):
    registered_as = "frapp"
    number = "gamma"
    perfect, worst = Fraction(1), INFINITY
    silent = "randomized-response(bits=2, keep=1/2)"
    broken = (
        ("randomized-response(values=3, records=7, keep=3/5)", "frapp(gamma=29/10)"),
        ("noisy-parity(bits=2, keep=3/4)", "frapp(gamma=3)"),
    )
    universe = BitStrings(1)

    def measuring(self):
        return Frapp()

    def claiming(self, value):
        return Frapp(value)


# --- amplification ------------------------------------------------------------------------------


def largest_row_ratio(tried):
    worst = Fraction(1)
    for row in tried.table().rows:
        for p, q in permutations(row, 2):
            if p:
                worst = INFINITY if not q else max(worst, p / q) if worst != INFINITY else worst
    return worst


@given(strategies.dense_mechanisms(BitStrings(2)))
def test_amplification_is_the_largest_ratio_within_a_row(tried):
    found = GammaAmplification().tightest(tried).gamma
    assert found == largest_row_ratio(tried)
    labelled = Dense(Universe.of("abcd"), tried.outputs, tried.rows)
    assert GammaAmplification().tightest(labelled).gamma == found
    if found != INFINITY:
        assert GammaAmplification(found).measured(tried).factor == 1


# --- constraints in words -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x11 <= 3 x10", [{"11": -1, "10": 3}]),
        ("2*x10 >= x00", [{"10": 2, "00": -1}]),
        ("3x1 - 1/2 x0 >= 0", [{"1": 3, "0": Fraction(-1, 2)}]),
        ("0 <= - x1 + 0.5 x0 + x0", [{"1": -1, "0": Fraction(3, 2)}]),
        ("x1 = x0", [{"1": -1, "0": 1}, {"1": 1, "0": -1}]),
        ("x1 == 2 x0", [{"1": -1, "0": 2}, {"1": 1, "0": -2}]),
        ("x[ann, bo] <= x[ann]; x1 >= 0\n", [{"ann, bo": -1, "ann": 1}, {"1": 1}]),
        ("x[-1] >= x1 + 0", [{"-1": 1, "1": -1}]),
    ],
)
def test_constraints_are_read(text, expected):
    assert [dict(constraint) for constraint in read_constraints(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        ";",
        "x1",
        "x1 < x0",
        "x1 <= x0 <= x1",
        "x1 <= 3",
        "x1 <= 3 + x0",
        "x1 <= y0",
        "x1 <= 3 3 x0",
        "x1 <= * x0",
        "x1 <= x0 x1",
        "x1 <= 2 *",
        "x1 <= ",
        "x1 <= x0 +",
        "x1 <= 0 * 3",
        "x1 <= x[",
    ],
)
def test_what_is_no_constraint_is_refused_with_an_example(text):
    with pytest.raises(InvalidInput, match=r"x11 <= 3 x10|3 x10 \+"):
        list(read_constraints(text))


def test_a_definition_of_one_s_own_is_checked_with_witness_and_certificate():
    claim = 'linear("x11 <= 3 x10; 2*x10 >= x00")'
    refused = check("noisy-parity(bits=2, keep=3/4)", claim)
    assert not refused
    assert refused.definition == claim
    assert refused.factor == Fraction(3, 2)
    plain = json.loads(json.dumps(refused.to_dict()))
    assert plain["witness"]["output"] == "0"
    assert plain["witness"]["constraint"] == "x00 <= 2 x10"
    assert plain["witness"]["certificate"] == {
        "kind": "violates",
        "vector": [3, 1, 1, 3],
        "inequality": [0, 2, 0, -1],
        "columns": ["11", "10", "01", "00"],
    }
    assert refused.witness.certificate().verify()
    assert "breaks x00 <= 2 x10" in refused.sentence
    assert dict(refused.witness.facts())["output"] == "0"
    held = check(RESPONSE, 'linear("x11 <= 3 x10")')
    assert held
    assert held.witness.certificate() is None


def test_irrational_mechanisms_are_checked_and_ties_left_open():
    survey = "randomized-response(bits=1, epsilon=1)"
    assert check(survey, 'linear("x1 <= 3 x0")')
    assert not check(survey, 'linear("x1 <= 2 x0")')
    assert check(survey, 'linear("x1 <= 2 x0")').witness.certificate() is None


def test_infinitely_many_rows_are_refused():
    with pytest.raises(Unsupported, match="infinitely many outputs"):
        check("geometric(ratio=2, bits=2)", 'linear("x11 <= 3 x10")')
    claim = LinearDefinition.of(row_cone("dp(ratio=3)", "bits(2)"))
    many = Dense(BitStrings(2), Universe.of(range(1)), [[1] * 4])
    assert check(many, claim)
    with pytest.raises(TooLarge, match="terms"):
        Frapp(Fraction(3)).measured(mechanism("randomized-response(bits=8, keep=3/4)"))


# --- saved cones --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source", [RESPONSE, "randomized-response(bits=2, keep=1/2)", "noisy-parity(bits=2, keep=3/4)"]
)
def test_a_saved_cone_is_the_same_definition(source, tmp_path):
    cone = row_cone(source)
    path = tmp_path / "cone.json"
    path.write_text(json.dumps(cone.to_dict()), encoding="utf-8")
    loaded = definition(f"linear({path})")
    assert loaded.universe == BitStrings(2)
    assert row_cone(loaded) == cone
    assert row_cone(LinearDefinition.of(cone)) == cone
    assert check(source, loaded)
    assert not check("identity(bits=2)", loaded)
    assert hash(loaded) == hash(definition(f"linear({path})"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "cannot be read as JSON"),
        ("[]", "not a saved cone"),
        ('{"facets": []}', "not a saved cone"),
        ('{"columns": ["1", "0"], "facets": 3}', "list of vectors"),
        ('{"columns": ["1", "0"], "facets": [[1]]}', "1 entries, not 2"),
        ('{"columns": ["1", "0"], "facets": [["e^1", 1]]}', "irrational"),
    ],
)
def test_files_that_are_no_cones_are_refused(content, words, tmp_path):
    path = tmp_path / "cone.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=words):
        definition(f"linear({path})")
    with pytest.raises(InvalidInput, match="cannot be read"):
        definition(f"linear({tmp_path / 'none.json'})")
