"""Definitions over beliefs at delta 0 as row cones: against conditional laws by enumeration."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from itertools import product

import pytest

from twoworlds.cli import run
from twoworlds.cones import row_cone
from twoworlds.definitions.coupled import InferencePufferfish, NoiselessPrivacy, Pufferfish
from twoworlds.errors import Unsupported
from twoworlds.mechanisms import Dense
from twoworlds.worlds import BitStrings, Explicit

BITS = BitStrings(2)
DATABASES = tuple(BITS)
BELIEFS = {
    "uniform": {x: Fraction(1, 4) for x in DATABASES},
    "independent(1/3, 3/4)": {
        (a, b): (Fraction(1, 3) if a else Fraction(2, 3))
        * (Fraction(3, 4) if b else Fraction(1, 4))
        for a, b in DATABASES
    },
    "independent(1, 1/3)": {(1, 1): Fraction(1, 3), (1, 0): Fraction(2, 3)},
}
SECRETS = {
    "parity": [lambda x: sum(x) % 2],
    "1=1": [lambda x: x[0]],
    "records": [lambda x: x[0], lambda x: x[1]],
}
SIDES = {"": lambda x: None, "parity": lambda x: sum(x) % 2, "first": lambda x: x[0]}


def first(x):
    """What an attacker knows who knows the first bit."""
    return x[0]


def parity(x):
    """What an attacker knows who knows the parity."""
    return sum(x) % 2


def allowed(kind, belief, secrets, side, ratio, row):
    """Whether one output keeps the definition at delta 0, by conditional probabilities."""
    for secret, z in product(secrets, {side(x) for x in belief}):
        given = {x: p for x, p in belief.items() if side(x) == z}
        mass = {v: sum(p for x, p in given.items() if secret(x) == v) for v in (0, 1)}
        joint = {v: sum(p * row[x] for x, p in given.items() if secret(x) == v) for v in (0, 1)}
        possible = [v for v in (0, 1) if mass[v]]
        if kind == "inference-pufferfish":
            if not sum(joint.values()):
                continue
            before = {v: mass[v] / sum(mass.values()) for v in possible}
            after = {v: joint[v] / sum(joint.values()) for v in possible}
            pairs = [(after[v], before[v]) for v in possible]
        else:
            laws = [joint[v] / mass[v] for v in possible]
            pairs = list(product(laws, repeat=2))
        if any(p > ratio * q or q > ratio * p for p, q in pairs):
            return False
    return True


def cases():
    """All kinds, beliefs, secrets and sides, with small ratios."""
    for kind in ("pufferfish", "inference-pufferfish", "noiseless"):
        for belief, side in product(BELIEFS, SIDES):
            for secrets in SECRETS if kind != "noiseless" else ("records",):
                yield kind, belief, secrets, side


def definition(kind, belief, secrets, side, ratio):
    """The definition, with side information given as a function."""
    chosen = None if not side else {"parity": parity, "first": first}[side]
    if kind == "noiseless":
        return NoiselessPrivacy(belief, side=chosen, ratio=ratio)
    made = Pufferfish if kind == "pufferfish" else InferencePufferfish
    return made(belief, secrets, side=chosen, ratio=ratio)


@pytest.mark.few(6)
@pytest.mark.parametrize(("kind", "belief", "secrets", "side"), list(cases()))
def test_the_row_cone_holds_exactly_the_rows_that_the_definition_allows(
    kind, belief, secrets, side
):
    rng = random.Random(f"{kind} {belief} {secrets} {side}")
    ratio = Fraction(rng.randint(4, 12), 4)
    claimed = definition(kind, belief, secrets, side, ratio)
    cone = row_cone(claimed, BITS)
    law, asked, known = BELIEFS[belief], SECRETS[secrets], SIDES[side]
    rows = [[Fraction(rng.randint(0, 6), 6) for _ in DATABASES] for _ in range(20)]
    rays = [[Fraction(entry, max(ray)) for entry in ray] for ray in cone.generators()]
    for i, row in enumerate((*rays, *rows)):
        named = dict(zip(DATABASES, row, strict=True))
        inside = bool(cone.contains(row))
        assert inside == allowed(kind, law, asked, known, ratio, named)
        if i % 6:  # a whole mechanism takes longer
            continue
        rest = [1 - entry for entry in row]
        other = dict(zip(DATABASES, rest, strict=True))
        yes = Dense(BITS, Explicit(("yes", "no")), [row, rest])
        holds = inside and allowed(kind, law, asked, known, ratio, other)
        assert claimed.check(yes).holds == holds
    assert all(bool(cone.contains(ray)) for ray in rays)


@pytest.mark.parametrize("kind", ["pufferfish", "noiseless", "inference-pufferfish"])
def test_every_command_about_cones_takes_them(capsys, kind):
    text = f"{kind}(belief=uniform, ratio=3)"
    for command in (
        ["cone", text],
        ["statements", text],
        ["compare", text, "dp(ratio=3)"],
        ["relax", text, "--eliminate", "01"],
        ["design", text, "--statistic", "count"],
    ):
        assert run([*command, "--universe", "bits(2)", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("kind", ["pufferfish", "noiseless"])
def test_a_delta_is_no_condition_on_single_rows(kind):
    with pytest.raises(Unsupported, match="take delta=0"):
        row_cone(f"{kind}(belief=uniform, ratio=3, delta=1/10)", BITS)
    row_cone(f"{kind}(belief=uniform, ratio=3, delta=0)", BITS)


def test_definitions_with_a_simulator_are_not_given_by_single_rows():
    with pytest.raises(Unsupported, match="pufferfish or noiseless with delta 0"):
        row_cone("ddp(belief=uniform, ratio=3)", BITS)
