"""Ratio infinity: an infimum that some simulator has, or none; and what is said of it."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

from twoworlds import check
from twoworlds.definitions.coupled._program import comparisons
from twoworlds.definitions.coupled.optimal import limit, optimal
from twoworlds.definitions.coupled.scene import scene
from twoworlds.definitions.coupled.smallest import smallest_ratio
from twoworlds.numbers import INFINITY
from twoworlds.worlds.joint import BeliefClass, Joint
from twoworlds.worlds.scrubbing import persons

F = Fraction
PAIR = "exact(sum, universe=bits(2))"


def random_scene(seed, people=2, outputs=3):
    """Return a scene in which many outputs are impossible."""
    rng = random.Random(seed)
    laws = {}
    for x in product((0, 1), repeat=people):
        shown = rng.sample(range(outputs), rng.randint(1, outputs))
        laws[x] = {t: F(1, len(shown)) for t in shown}
    weights = {x: rng.randint(1, 4) for x in laws}
    belief = Joint.of({x: F(w, sum(weights.values())) for x, w in weights.items()})
    side = (lambda x: x[0]) if rng.random() < 1 / 3 else None
    if side is not None:
        belief = belief.knowing(side)
    tagged = rng.random() < 1 / 2
    return scene(
        lambda x: laws[x], BeliefClass((belief,), "random"), persons(people, tagged=tagged)
    )


def supports_match(found):
    """Tell by sets alone whether a simulator can show in each case exactly what is possible there.

    A scrubbed database may name what is possible in all cases that it occurs in, and in each case
    all that is named must be all that is possible. None when it may name nothing.
    """
    made = comparisons(found)
    possible = [{t for t, p in c.real.items() if p} for c in made]
    occurs = [{y for y, p in c.ideal.items() if p} for c in made]
    allowed = {
        y: set.intersection(*(p for p, o in zip(possible, occurs, strict=True) if y in o))
        for y in range(len(found.inputs))
    }
    if not all(allowed.values()):
        return None
    return all(
        set().union(*(allowed[y] for y in o)) == p for p, o in zip(possible, occurs, strict=True)
    )


def test_the_limit_is_zero_and_attained_exactly_where_supports_match():
    seen = set()
    for seed in range(40):
        found = random_scene(seed)
        best = limit(found)
        expected = supports_match(found)
        seen.add(expected)
        assert (best.delta > 0) == (expected is None), seed
        if expected is not None:
            assert best.attained == expected, seed
        assert best.verify(), seed
    assert seen == {None, False, True}


def test_the_limit_is_attained_exactly_where_a_finite_ratio_is_enough_for_it():
    kinds = set()
    for seed in range(16):
        found = random_scene(seed)
        best = limit(found)
        finite = smallest_ratio(found, best.delta).ratio != INFINITY
        assert best.attained == finite, seed
        far = optimal(found, 10**6).delta
        assert best.delta <= far <= best.delta + F(1, 10**4), seed
        kinds.add((best.attained, best.delta > 0))
    assert kinds == {(False, False), (True, False), (True, True)}


def test_a_changed_limit_does_not_verify():
    for seed in range(20):
        best = limit(random_scene(seed))
        for forged in (
            replace(best, delta=best.delta + F(1, 100)),
            replace(best, reached=best.reached + F(1, 100)),
            replace(best, delta=best.reached) if not best.attained else None,
            replace(best, tests=()) if best.attained and best.delta else None,
        ):
            assert forged is None or not forged.verify(), seed


# --- claims ---------------------------------------------------------------------------------------


def test_a_claim_at_ratio_infinity_fails_where_no_simulator_attains_it():
    verdict = check(PAIR, "ddp(belief=uniform, ratio=inf, delta=0)")
    assert verdict.holds is False
    assert "none attains it" in verdict.sentence
    assert "holds with every delta above 0 at this ratio" in verdict.notes
    assert "but none attains it" in verdict.witness.explain()
    assert check(PAIR, "ddp(belief=uniform, ratio=inf, delta=1/1000000)").holds is True


def test_a_claim_at_ratio_infinity_holds_where_a_simulator_attains_it():
    noisy = "randomized-response(bits=2, keep=3/4)"
    verdict = check(noisy, "ddp(belief=uniform, ratio=inf, delta=0)")
    assert verdict.holds is True
    assert "never to certainty" in verdict.sentence
    assert verdict.witness.verify()
