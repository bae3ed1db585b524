"""The audit of a Laplace mechanism with 10 % too little noise, against StatDP's procedure.

The peer is the procedure of Ding, Wang, Wang, Zhang and Kifer (Detecting violations of differential
privacy, CCS 2018), with the numbers that their program StatDP has as defaults: 100,000 outputs on
each database to choose one of ten half-lines over the densest 70 % of the outputs, 500,000 to test
it, and a p-value averaged over 200 thinned counts. It is written here from their description, since
StatDP is not on PyPI, runs in one process (as ours does), and knows the pair of databases, as ours
does too. It answers with a p-value for one epsilon, in floats; ours certifies a lower bound on
epsilon with exact arithmetic.

Two rows: outputs drawn one by one, as StatDP does, and in batches, which its program cannot do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import Row, best_of
from twoworlds.attacks.audit import audit
from twoworlds.testing.broken import laplace_ten_percent_short

EPSILON = 1.0
CHOOSING, TESTING, THINNED = 100_000, 500_000, 200
PAIR = (0.0, 1.0)
SEEDS = 7
Draw = Callable[[float, int, np.random.Generator], np.ndarray]


def one_by_one(database: float, rng: np.random.Generator) -> float:
    """The mechanism without its fast version."""
    return round((database + rng.laplace(scale=0.9)) * 2**20) / 2**20


def each(database: float, size: int, rng: np.random.Generator) -> np.ndarray:
    """So many outputs, one by one."""
    return np.fromiter((one_by_one(database, rng) for _ in range(size)), float, size)


def p_value(often: int, seldom: int, draws: int, rng: np.random.Generator) -> float:
    """The probability of such counts if the ratio were e^EPSILON: Fisher's test, thinned."""
    from scipy.stats import hypergeom

    thinned = rng.binomial(often, np.exp(-EPSILON), THINNED)
    return float(np.mean(hypergeom.sf(thinned - 1, 2 * draws, draws, thinned + seldom)))


def densest(outputs: np.ndarray) -> tuple[float, float]:
    """The ends of the shortest interval that holds 70 % of the outputs."""
    ordered = np.sort(outputs)
    reach = int(0.7 * len(ordered))
    start = int(np.argmin(ordered[reach:] - ordered[:-reach]))
    return float(ordered[start]), float(ordered[start + reach])


def statdp(draw: Draw) -> float:
    """Choose a half-line, test it, and return the p-value."""
    rng = np.random.default_rng(0)
    seen = [draw(database, CHOOSING, rng) for database in PAIR]
    candidates = []
    for end in np.linspace(*densest(np.concatenate(seen)), num=10):
        often, seldom = sorted((int((outputs < end).sum()) for outputs in seen), reverse=True)
        if often + seldom > 0.001 * CHOOSING * np.exp(EPSILON):
            candidates.append((p_value(often, seldom, CHOOSING, rng), float(end)))
    _, end = min(candidates)
    counts = sorted((int((draw(x, TESTING, rng) < end).sum()) for x in PAIR), reverse=True)
    return p_value(counts[0], counts[1], TESTING, rng)


def ours(subject: Any, seed: int) -> float:
    """Audit, see that it is refuted, and return the seconds: how many rounds it takes is luck."""
    start = perf_counter()
    assert audit(subject, epsilon=1, pairs=[PAIR], seed=seed).refuted
    return perf_counter() - start


def theirs(draw: Draw) -> None:
    """Test, and see that it is found."""
    assert statdp(draw) < 0.05


def run() -> list[Row]:
    """Both ways of drawing; some ten seconds."""
    rows = []
    ways: list[tuple[str, Any, Draw]] = [
        ("one by one", one_by_one, each),
        ("in batches", laplace_ten_percent_short, laplace_ten_percent_short.many),
    ]
    for way, subject, draw in ways:
        ours(subject, 0)  # imports
        mine = median(ours(subject, seed) for seed in range(SEEDS))
        peer = best_of(1, partial(theirs, draw))
        name = f"audit of 10 % too little noise, certified, outputs drawn {way}"
        rows.append(Row(name, mine, peer=peer, against="StatDP's procedure", target=1.0))
    return rows
