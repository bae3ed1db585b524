"""The best simulator with its proof, exactly, against a limit and against floats.

All databases of six bits, 7 outputs: the sum under fair coins, where equal laws merge to almost
nothing, and a release and a belief without any structure, where nothing does. The peer solves the
same linear program (not merged) in floats, by scipy's HiGHS, and proves nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

from benchmarks import Row, best_of
from twoworlds.definitions.coupled.inference_optimal import inference_optimum
from twoworlds.definitions.coupled.optimal import Optimum, optimal
from twoworlds.definitions.coupled.scene import Scene, scene
from twoworlds.definitions.coupled.smallest import smallest_ratio
from twoworlds.worlds.joint import BeliefClass, Joint
from twoworlds.worlds.scrubbing import persons

PEOPLE, OUTPUTS = 6, 7
RATIO = Fraction(11, 10)
LIMIT = 5.0  # seconds


def fair_sum() -> Scene:
    """Return the worlds of the exact sum of six fair coins."""
    databases = list(product((0, 1), repeat=PEOPLE))
    belief = Joint.of(dict.fromkeys(databases, Fraction(1, len(databases))))
    return scene(sum, BeliefClass((belief,), "fair coins"), persons(PEOPLE))


def unstructured() -> Scene:
    """Return the worlds of a random release under a random belief; some outputs are impossible."""
    numbers = random.Random("simulator")
    databases = list(product((0, 1), repeat=PEOPLE))

    def law(keys: list[object], least: int) -> dict[object, Fraction]:
        weights = [max(0, numbers.randint(least, 20)) for _ in keys]
        weights[numbers.randrange(len(keys))] += 40
        return {k: Fraction(w, sum(weights)) for k, w in zip(keys, weights, strict=True)}

    laws = {x: law(list(range(OUTPUTS)), -10) for x in databases}
    belief = Joint.of(law(list(databases), 1))
    return scene(lambda x: laws[x], BeliefClass((belief,), "any"), persons(PEOPLE))


def floats(found: Scene, ratio: float) -> Callable[[], float]:
    """Return what solves the same program in floats, built beforehand."""
    outputs = {t: j for j, t in enumerate(found.outputs)}
    inputs = {y: j for j, y in enumerate(found.inputs)}
    width = 1 + len(inputs) * len(outputs)
    entries: list[tuple[int, int, float]] = []
    bounds: list[float] = []
    for cell in found.cells:
        for v, mass in cell.mass.items():
            real = {outputs[t]: float(p / mass) for t, p in cell.real[v].items()}
            ideal = {inputs[y]: float(p / mass) for y, p in cell.ideal[v].items()}
            for scale, weight in ((-ratio, 1.0), (1.0, -ratio)):
                first = width
                for t in range(len(outputs)):
                    row = len(bounds)
                    places = ((1 + y * len(outputs) + t, scale * p) for y, p in ideal.items())
                    entries += [(row, j, value) for j, value in places]
                    entries.append((row, width, -1.0))
                    bounds.append(-weight * real.get(t, 0.0))
                    width += 1
                row = len(bounds)
                entries += [(row, j, 1.0) for j in range(first, width)]
                entries.append((row, 0, -1.0))
                bounds.append(0.0)
    rows, columns, values = (np.array(part) for part in zip(*entries, strict=True))
    above = coo_array((values, (rows, columns)), shape=(len(bounds), width)).tocsr()
    ones = [(y, 1 + y * len(outputs) + t) for y in range(len(inputs)) for t in range(len(outputs))]
    at, place = (np.array(part) for part in zip(*ones, strict=True))
    equal = coo_array((np.ones(len(ones)), (at, place)), shape=(len(inputs), width)).tocsr()
    costs = np.eye(1, width).ravel()

    def run() -> float:
        solved = linprog(
            costs, A_ub=above, b_ub=bounds, A_eq=equal, b_eq=np.ones(len(inputs)), method="highs"
        )
        return float(solved.fun)

    return run


def verified(found: Scene) -> Optimum:
    """Return the best simulator; its proof and its JSON are checked once, outside the clock."""
    best = optimal(found, RATIO)
    if not best.exact or not best.verify():
        raise AssertionError("the best simulator does not verify")
    return best


def rows(name: str, build: Callable[[], Scene]) -> list[Row]:
    """The whole work against the limit, and the solution alone against floats."""
    found = build()
    peer = floats(found, float(RATIO))
    best = verified(found)
    if abs(peer() - float(best.delta)) > 1e-6:
        raise AssertionError(f"two answers: {float(best.delta)} and {peer()}")
    whole = best_of(3, lambda: verified(build()))
    ours, theirs = best_of(3, lambda: optimal(found, RATIO)), best_of(3, peer)
    return [
        Row(f"{name}, tables to certificate", whole, peer=LIMIT, against="limit", target=1.0),
        Row(f"{name}, exact optimum alone", ours, peer=theirs, against="scipy HiGHS, floats"),
    ]


def run() -> list[Row]:
    """All rows; some seconds."""
    return [
        *rows("best simulator, sum of 6 fair bits", fair_sum),
        *rows("best simulator, 64 databases, 7 outputs, no structure", unstructured),
        Row(
            "smallest ratio for delta 1/100, sum of 6 fair bits",
            best_of(1, lambda: smallest_ratio(fair_sum(), Fraction(1, 100))),
        ),
        Row(
            "best simulator for inferences, sum of 6 fair bits",
            best_of(1, lambda: inference_optimum(fair_sum(), RATIO)),
        ),
    ]
