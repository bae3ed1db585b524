"""Test vectors that the page shares with the package: posteriors, delta of exact counts, and noise.

The page computes them in the browser; web/tests/vectors.test.ts checks it against the same files.
`TWOWORLDS_REWRITE_VECTORS=1 pytest tests/web/test_vectors.py` writes them anew.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from fractions import Fraction
from itertools import count
from math import comb, exp
from pathlib import Path
from typing import Any

import pytest

from tests.release.examples.test_hospital import rows_of_people
from twoworlds import Mechanism, measure, mechanism, noiseless
from twoworlds.definitions.semantics.games import play
from twoworlds.laws.event import AtLeast
from twoworlds.numbers import exact_text, to_json
from twoworlds.worlds.belief import secret
from twoworlds.worlds.beliefs import belief

FOLDER = Path(__file__).parents[1] / "vectors"
PAGE = Path(__file__).parents[2] / "web" / "src"
FILE = FOLDER / "posterior.json"
COUNTS = FOLDER / "noiseless.json"
NOISE = FOLDER / "noise.json"

# mechanism, belief, secret about person 1
CASES = (
    ("randomized-response(bits=1, keep=3/4)", "uniform", "1=1"),
    ("randomized-response(bits=2, keep=3/4)", "independent(1/2, 1/2)", "1=1"),
    ("randomized-response(bits=2, keep=3/4)", "independent(1/100, 3/10)", "1=1"),
    ("randomized-response(bits=2, keep=3/4)", "explicit(10=183/500, 00=317/500)", "1=1"),
    ("randomized-response(bits=3, keep=9/10)", "independent(1/3, 2/3, 1/7)", "1=0"),
    ("truncated-geometric(ratio=2, bits=2)", "independent(1/4, 3/4)", "1=1"),
    ("noisy-parity(bits=2, keep=3/4)", "independent(1/2, 9/10)", "1=1"),
    ("random-index(records=2, values=2)", "independent([0=4/5, 1=1/5], [0=1/2, 1=1/2])", "1=1"),
    ("identity(bits=2)", "independent(1/2, 1/4)", "1=1"),
    ("constant(bits=2)", "independent(1/2, 1/4)", "1=1"),
    (
        "randomized-response(values=[a, b, c], records=2, keep=1/2)",
        "independent([a=1/2, b=1/4, c=1/4], [a=1/5, b=2/5, c=2/5])",
        "1=a",
    ),
)

# people, known, probability of a one, epsilon
COUNT_CASES = (
    (2, 0, "1/2", "0"),
    (2, 1, "1/2", "1/2"),
    (10, 0, "1/2", "1/2"),
    (100, 10, "1/2", "1/2"),
    (100, 10, "3/10", "1/2"),
    (100, 10, "7/10", "1/2"),
    (100, 99, "1/2", "1/2"),
    (40, 3, "9/10", "1/5"),
    (300, 0, "1/100", "1"),
    (500, 250, "99/100", "3"),
    (500, 0, "1/2", "1"),
)

EPSILONS = ("1/100", "3/100", "1/10", "1/2", "1", "2", "5", "10")


def _games(made: Mechanism, output: str, case: tuple[str, str, str]) -> dict[str, Any]:
    """Return what the package concludes from one output."""
    asked = secret(case[2], made.universe)
    games = play(made, belief(case[1], made.universe), output)
    posteriors = {"with": games.with_everyone, "without": games.without[0]}
    chances = games.chances(asked)
    return {
        "output": output,
        **{
            name: None if found is None else [_text(found[x]) for x in made.universe]
            for name, found in posteriors.items()
        },
        "chance_with": _text(chances["game 0"]),
        "chance_without": _text(chances["game 1"]),
    }


def _text(value: Any) -> str | None:
    return None if value is None else exact_text(value)


def _vector(case: tuple[str, str, str]) -> dict[str, Any]:
    made = mechanism(case[0])
    held = belief(case[1], made.universe)
    outputs = [made.outputs.label(o) for o in made.outputs]
    law = [[made.probability(o, x) for x in made.universe] for o in made.outputs]
    occurs = [sum(p * held[x] for p, x in zip(row, made.universe, strict=True)) for row in law]
    value = case[2].partition("=")[2]
    return {
        "mechanism": made.expression,
        "belief": case[1],
        "person": 1,
        "value": value,
        "databases": [made.universe.label(x) for x in made.universe],
        "outputs": outputs,
        "matrix": [[_text(p) for p in row] for row in law],
        "prior": [_text(held[x]) for x in made.universe],
        "chance_prior": _text(held.probability(secret(case[2], made.universe))),
        "games": [
            _games(made, output, case) if chance else None
            for output, chance in zip(outputs, occurs, strict=True)
        ],
    }


def _count(people: int, known: int, p: str, epsilon: str) -> dict[str, Any]:
    law = f"1={p}, 0={exact_text(1 - Fraction(p))}"
    found = noiseless.total(law, people=people, known=known, epsilon=epsilon)
    return {
        "people": people,
        "known": known,
        "probability": float(Fraction(p)),
        "epsilon": float(Fraction(epsilon)),
        "delta": to_json(found.delta)["value"],
    }


def _noise(epsilon: str) -> dict[str, Any]:
    """Return what geometric noise on a count means: guesses, masses, and how far off it is."""
    noise = mechanism(f"geometric(epsilon={epsilon})")
    gap = measure(noise, ratio=1).delta
    mass = [to_json(noise.probability(z, 0))["value"] for z in (0, 1, 5)]
    half = next(
        w for w in count() if 2 * noise.mass(AtLeast(Fraction(w + 1)), 0) <= Fraction("0.05")
    )
    chance = to_json((1 + gap) / 2)["value"]
    return {"epsilon": float(Fraction(epsilon)), "chance": chance, "mass": mass, "half": half}


def test_the_file_of_noise_holds_what_the_package_computes() -> None:
    made = [_noise(epsilon) for epsilon in EPSILONS]
    if os.environ.get("TWOWORLDS_REWRITE_VECTORS"):
        NOISE.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    assert json.loads(NOISE.read_text(encoding="utf-8")) == made


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_noise_on_a_count_is_a_guess_with_odds_of_the_ratio(epsilon: str) -> None:
    ratio = exp(Fraction(epsilon))
    assert _noise(epsilon)["chance"] == pytest.approx(ratio / (1 + ratio), rel=1e-12)


def test_the_regions_of_the_first_page_are_those_of_the_hospital() -> None:
    source = (PAGE / "views" / "home.ts").read_text(encoding="utf-8")
    listed = re.findall(r'\["(\w+)", (\d+)\],', source)
    assert {name: int(n) for name, n in listed} == Counter(row[1] for row in rows_of_people())


def test_the_file_of_counts_holds_what_the_package_computes() -> None:
    made = [_count(*case) for case in COUNT_CASES]
    if os.environ.get("TWOWORLDS_REWRITE_VECTORS"):
        COUNTS.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    assert json.loads(COUNTS.read_text(encoding="utf-8")) == made


@pytest.mark.parametrize("case", COUNT_CASES)
def test_delta_of_a_count_is_that_of_two_shifted_binomials(case: tuple[int, int, str, str]) -> None:
    """With your yes the count is one more than without it; the known entries do not matter."""
    people, known, p, epsilon = case
    n, chance, ratio = people - known - 1, Fraction(p), exp(Fraction(epsilon))
    law = [comb(n, i) * chance**i * (1 - chance) ** (n - i) for i in range(n + 1)]
    without, added = [*map(float, law), 0.0], [0.0, *map(float, law)]
    delta = max(
        sum(max(a - ratio * b, 0.0) for a, b in zip(first, second, strict=True))
        for first, second in ((without, added), (added, without))
    )
    assert _count(*case)["delta"] == pytest.approx(delta, rel=1e-9)


def _stored() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def test_the_file_holds_what_the_package_computes() -> None:
    made = [_vector(case) for case in CASES]
    if os.environ.get("TWOWORLDS_REWRITE_VECTORS"):
        FILE.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    assert _stored() == made


@pytest.mark.parametrize("index", range(len(CASES)), ids=[f"{m} {b}" for m, b, _ in CASES])
def test_posteriors_of_the_file_are_bayes_rule_by_hand(index: int) -> None:
    """Enumerate all databases, and replace the first record by the last value in each of them."""
    vector = _stored()[index]
    labels: list[str] = vector["databases"]
    prior = [Fraction(p) for p in vector["prior"]]
    default = list(dict.fromkeys(label[0] for label in labels))[-1]
    without = [labels.index(default + label[1:]) for label in labels]
    assert sum(prior) == 1
    for row, game in zip(vector["matrix"], vector["games"], strict=True):
        likelihood = [Fraction(p) for p in row]
        for name, seen in (
            ("with", likelihood),
            ("without", [likelihood[x] for x in without]),
        ):
            joint = [p * q for p, q in zip(prior, seen, strict=True)]
            if game is None:
                assert name == "without" or sum(joint) == 0
            elif sum(joint) == 0:
                assert game[name] is None
            else:
                found = [mass / sum(joint) for mass in joint]
                assert [Fraction(p) for p in game[name]] == found
                mine = [p for p, x in zip(found, labels, strict=True) if x[0] == vector["value"]]
                assert Fraction(game[f"chance_{name}"]) == sum(mine)


def test_some_output_gives_a_person_away() -> None:
    """The vectors hold the case of an output that is impossible without the person."""
    games = [game for vector in _stored() for game in vector["games"] if game is not None]
    assert any(game["without"] is None for game in games)
    assert any(game["without"] is not None for game in games)
