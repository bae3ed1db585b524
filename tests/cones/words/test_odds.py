"""Largest odds: against brute force over all rays, with certificates that can fail."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest

from twoworlds import BitStrings, mechanism
from twoworlds.cones.amplification import frapp_row_cone
from twoworlds.cones.certificates import Certificate, verify
from twoworlds.cones.cone import Cone
from twoworlds.cones.row_cone import RowCone, row_cone
from twoworlds.cones.words.odds import LargestOdds, both_ways, largest_odds, largest_parity_odds
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.numbers import INFINITY, Number
from twoworlds.worlds import Universe
from twoworlds.worlds.belief import Belief, Secret, explicit, independent, uniform

RR = "randomized-response(bits={}, keep=3/4)"
LETTERS = "abcdef"


def ratio(row: tuple[int, ...], first: list[Fraction], second: list[Fraction]) -> Number | None:
    top = sum((a * x for a, x in zip(first, row, strict=True)), start=Fraction(0))
    bottom = sum((b * x for b, x in zip(second, row, strict=True)), start=Fraction(0))
    if not top and not bottom:
        return None
    return top / bottom if bottom else INFINITY


def brute_force(cone: Cone, first: list[Fraction], second: list[Fraction]) -> Number:
    """The largest ratio over the rays of the cone, built anew from its other description."""
    other = Cone.from_inequalities(cone.facets, equalities=cone.equalities)
    if cone.generators is None:
        other = Cone.from_rays(cone.rays)
    found = [q for ray in other.rays if (q := ratio(ray, first, second)) is not None]
    return INFINITY if INFINITY in found else max(found)


def random_question(seed: int) -> tuple[RowCone, list[str], list[str], Belief]:
    rng = random.Random(seed)
    size = rng.randint(2, 5)
    where = Universe.of(LETTERS[:size])
    rays = [[rng.randint(0, 5) for _ in range(size)] for _ in range(rng.randint(1, 6))]
    labels = rng.sample(LETTERS[:size], size)
    cut = rng.randint(1, size - 1)
    end = rng.randint(cut + 1, size)
    weights = [rng.randint(1, 9) for _ in range(size)]
    masses = {x: Fraction(w, sum(weights)) for x, w in zip(where, weights, strict=True)}
    cone = RowCone(where, Cone.from_rays([[1] * size, *rays]), f"random {seed}")
    return cone, labels[:cut], labels[cut:end], explicit(where, masses)


def vectors(
    where: Universe, held: Belief, first: list[str], second: list[str]
) -> tuple[list[Fraction], list[Fraction]]:
    a, b = ([held[x] if x in s else Fraction(0) for x in where] for s in (first, second))
    return a, b  # type: ignore[return-value]


def bayes_odds(found: LargestOdds, held: Belief, first: list[str], second: list[str]) -> Number:
    assert found.row is not None
    likelihood = dict(zip(found.universe, map(Fraction, found.row), strict=True))
    after = held.given(likelihood.__getitem__)
    assert after is not None
    where = found.universe
    return after.odds(Secret.of(where, first), Secret.of(where, second))


@pytest.mark.few(6)
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("by", ["rays", "inequalities"])
def test_the_largest_odds_are_those_of_the_best_ray(seed: int, by: str) -> None:
    cone, first, second, held = random_question(seed)
    if by == "inequalities":
        other = Cone.from_inequalities(cone.cone.facets, equalities=cone.cone.equalities)
        cone = RowCone(cone.universe, other, cone.source)
    found = largest_odds(cone, first, second, held)
    a, b = vectors(cone.universe, held, first, second)
    assert found.odds == brute_force(cone.cone, a, b)
    assert found.prior_odds == sum(a) / sum(b)
    assert found.verify()
    assert found.row is not None
    assert cone.contains(found.row)
    assert bayes_odds(found, held, first, second) == found.odds
    assert verify(json.loads(json.dumps(found.to_dict()))["certificate"])


@pytest.mark.parametrize("seed", range(5))
def test_no_random_row_of_the_cone_beats_the_largest_odds(seed: int) -> None:
    cone, first, second, held = random_question(seed)
    found = largest_odds(cone, first, second, held)
    a, b = vectors(cone.universe, held, first, second)
    rng = random.Random(seed)
    for _ in range(40):
        weights = [rng.randint(0, 9) for _ in cone.generators()]
        columns = zip(*cone.generators(), strict=True)
        row = tuple(sum(w * c for w, c in zip(weights, col, strict=True)) for col in columns)
        reached = ratio(row, a, b)
        assert reached is None or reached <= found.odds


@pytest.mark.parametrize(
    ("source", "where", "secret", "against", "factor"),
    [
        (RR.format(2), None, "even", "odd", "5/3"),
        ("dp(ratio=3)", "bits(2)", "even", "odd", "3"),
        (RR.format(3), None, "even", "odd", "9/7"),
        ("dp(ratio=3)", "bits(3)", "even", "odd", "3"),
        ("dp(ratio=3)", "bits(4)", "even", "odd", "3"),
        ("dp(ratio=3)", "bits(5)", "odd", "even", "3"),
        (RR.format(2), None, "1=1", None, "3"),
        ("dp(ratio=3)", "bits(2)", "1=1", None, "3"),
        (RR.format(2), None, "00", "11", "9"),
        ("dp(ratio=3)", "bits(2)", "00", "11", "9"),
    ],
)
def test_tight_odds_of_randomized_response_and_differential_privacy(
    source: str, where: str | None, secret: str, against: str | None, factor: str
) -> None:
    for found in both_ways(source, secret, against, universe=where):
        assert found.factor == Fraction(factor)
        assert found.verify()
    cone = row_cone(source, where)
    assert largest_odds(cone, secret, against).factor == Fraction(factor)


def test_dp_parity_over_all_990_rays_of_four_bits() -> None:
    cone = row_cone("dp(ratio=3)", "bits(4)")
    even = [Fraction(sum(x) % 2 == 0, 16) for x in cone.universe]
    odd = [Fraction(1, 16) - p for p in even]
    assert len(cone.generators()) == 990
    assert max(ratio(ray, even, odd) for ray in cone.generators()) == 3  # type: ignore[type-var]


@pytest.mark.parametrize("seed", range(5))
def test_parity_by_structure_agrees_with_the_list_of_rows(seed: int) -> None:
    rng = random.Random(seed)
    k = rng.randint(1, 4)
    keep = Fraction(rng.randint(0, 10), 10)
    built = mechanism(f"randomized-response(bits={k}, keep={keep})")
    chances = [Fraction(rng.randint(0, 8), 8) for _ in range(k)]
    persons = sorted(rng.sample(range(1, k + 1), rng.randint(1, k)))
    chances[persons[0] - 1] = Fraction(rng.randint(1, 7), 8)
    held = independent(BitStrings(k), chances)
    if len({sum(x[i - 1] for i in persons) % 2 for x in held}) == 1:
        return
    for odd in (False, True):
        found = largest_parity_odds(built, chances, persons, odd=odd)
        members = [x for x in BitStrings(k) if sum(x[i - 1] for i in persons) % 2 == odd]
        others = [x for x in BitStrings(k) if x not in members]
        rows = [[built.probability(o, x) for x in BitStrings(k)] for o in built.outputs]
        listed = RowCone(BitStrings(k), Cone.from_rays(rows), "rows")
        expected = largest_odds(listed, members, others, held)
        assert (found.odds, found.prior_odds) == (expected.odds, expected.prior_odds)
        assert found.verify()
        assert found.row is not None
        assert found.output is not None
        row = built.row(found.output)
        after = held.given(row.__getitem__)
        assert after is not None
        assert after.odds(Secret.of(BitStrings(k), members)) == found.odds


def test_infinite_odds_have_a_row_that_rules_the_rival_out() -> None:
    for source, where in (("parity(bits=2)", None), ("dp(ratio=inf)", "bits(2)")):
        found = largest_odds(source, "even", universe=where)
        assert found.odds == found.factor == INFINITY
        assert found.verify()
        assert "can become infinite" in found.sentence
        assert found.row is not None
        assert found.row[1] == found.row[2] == 0
    structured = largest_odds("randomized-response(bits=2, keep=1)", "even")
    assert structured.factor == INFINITY
    assert structured.verify()
    gone = RowCone(Universe.of("ab"), Cone.from_inequalities([(1, 0), (0, -1), (0, 1)]), "b is 0")
    assert largest_odds(gone, ["a"], ["b"]).odds == INFINITY


@pytest.mark.parametrize("source", ["rays", "inequalities", "program", "structure"])
def test_a_certificate_that_was_tampered_with_fails(source: str) -> None:
    chosen: dict[str, LargestOdds] = {
        "rays": largest_odds("noisy-parity(bits=2, keep=3/4)", "even"),
        "inequalities": largest_odds(row_cone(RR.format(2)), "even"),
        "program": largest_odds("dp(ratio=3)", "even", universe="bits(2)"),
        "structure": largest_odds(RR.format(2), "even"),
    }
    data = chosen[source].certificate.to_dict()
    assert verify(data)
    for odds in (2, "101/100", 4, "infinity", -3):
        assert not verify({**data, "odds": odds})
    if source == "structure":
        assert not verify({**data, "places": [0, 1]})
        empty: dict[str, object] = {"laws": [], "signs": [], "places": [], "odds": "infinity"}
        assert not verify({**data, **empty})
        assert not verify({**data, "laws": [["1/2", "1/4"], ["1/2", "1/2"]]})
        assert not verify({**data, "signs": [[-1, 2], [-1, 1]]})
        assert not verify({**data, "transition": [["3/4", "-1/4"], ["1/4", "3/4"]]})
        with pytest.raises(InvalidInput, match="one entry per record"):
            verify({**data, "places": [0, 7]})
    else:
        assert not verify({**data, "row": [0, 1, 1, 0]})
        assert not verify({**data, "row": [-3, -1, -1, -3]})
        assert not verify({**data, "first": [0, 1, 1, 0]})
    if "multipliers" in data:
        changed = [f"{-1}/7", *data["multipliers"][1:]]
        assert not verify({**data, "multipliers": changed})
    with pytest.raises(InvalidInput):
        verify(Certificate(data["kind"], {"row": [1]}))


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("secret", "against", "belief", "message"),
    [
        (["11", "00"], ["00"], "uniform", "00 is in both sets"),
        ([], ["00"], "uniform", "name at least one"),
        (["11"], [], "uniform", "name at least one"),
        ("11,10,01,00", None, "uniform", "no rival"),
        (["11"], ["00"], "explicit(11=1/2, 10=1/2)", r"gives \{00\} the probability 0"),
        (["111"], ["00"], "uniform", "not in bits"),
        (["11"], ["00"], uniform(BitStrings(3)), r"about bits\(3\)"),
        ("sometimes", None, "uniform", "not a secret"),
        (5, None, "uniform", "not a set of databases"),
        (["11"], 5, "uniform", "not a set of databases"),
    ],
)
def test_refuses_sets_and_beliefs_that_have_no_odds(
    secret: object, against: object, belief: object, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        largest_odds(row_cone(RR.format(2)), secret, against, belief)  # type: ignore[arg-type]


def test_refuses_rows_that_are_no_likelihoods() -> None:
    negative = RowCone(Universe.of("ab"), Cone.from_rays([(1, -1), (1, 1)]), "negative")
    with pytest.raises(Unsupported, match="negative entries"):
        largest_odds(negative, ["a"], ["b"])
    three = Universe.of("abc")
    for nothing in (
        Cone.from_rays([(0, 0, 1)]),
        Cone.from_inequalities([(0, 0, 1)], equalities=[(1, 0, 0), (0, 1, 0)]),
    ):
        with pytest.raises(InvalidInput, match="vanishes on both sets"):
            largest_odds(RowCone(three, nothing, "nothing"), ["a"], ["b"])


def test_refuses_a_parity_that_is_certain_and_a_mechanism_without_transitions() -> None:
    with pytest.raises(InvalidInput, match="certain of the parity"):
        largest_parity_odds(RR.format(2), [1, 0])
    with pytest.raises(Unsupported, match="one transition per record"):
        largest_parity_odds("noisy-parity(bits=2, keep=3/4)")


def test_odds_of_an_approximation_are_not_said_to_be_attained():
    cone = row_cone("frapp(gamma=3, values=3, records=2)")
    belief = "explicit(01=3/18, 10=3/18, 22=1/18, 00=6/18, 02=1/18, 11=3/18, 20=1/18)"
    sets = (["01", "10", "22"], ["00", "02", "11", "20"])
    rough, true = (
        largest_odds(c, *sets, belief) for c in (cone, frapp_row_cone(3, values=3, records=2))
    )
    assert (rough.factor, true.factor) == (Fraction(165, 91), Fraction(11, 7))
    assert "attains" not in rough.sentence
    assert "may be smaller" in rough.sentence
    assert "attains" in true.sentence


# --- very many records ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bits", "text"), [(100, "about 1 + 1.58e-30"), (900, "about 1 + 2.37e-271")]
)
def test_a_rounded_factor_is_not_said_to_be_attained(bits: int, text: str) -> None:
    found = largest_odds(RR.format(bits), "even")
    assert found.factor == Fraction(2**bits + 1, 2**bits - 1)
    assert f"at most the factor {text}, " in found.sentence
    assert found.sentence.endswith(f"({bits} characters) attains the exact value.")
    assert f"before: 1; after, at most: {text}" in found.explain()
    assert len(found.to_dict()["output"]) == bits


def test_a_parity_of_thousands_is_proved_and_of_too_many_refused() -> None:
    found = largest_odds(RR.format(1500), "odd")
    assert found.factor == Fraction(2**1500 + 1, 2**1500 - 1)
    assert found.output is not None
    assert found.output.count("1") % 2 == 1
    with pytest.raises(TooLarge, match=r"parity of 100000 records.*at most 20000.*fewer"):
        largest_odds(RR.format(100_000), "even")
