"""512 secret bits from 4,096 noisy sums, by linear programming and by least squares.

The whole call is measured: reading the questions, decoding, and computing errors and floor again in
exact numbers. The limits are 60 s and 2 s. The row of memory runs linear programming in a process
of its own and reports the largest size that it had, imports included; the limit is 1 GB.
"""

from __future__ import annotations

import os
import subprocess
import sys

from benchmarks import Row, best_of
from twoworlds.attacks.reconstruction import simulate

ROWS, QUERIES, NOISE = 512, 4096, 4
SECONDS = {"lp": 60.0, "least-squares": 2.0}
MEGABYTES = 1024.0
PROGRAM = f"""
import resource, sys
from twoworlds.attacks.reconstruction import simulate
simulate({ROWS}, {QUERIES}, noise={NOISE})
unit = 1024**2 if sys.platform == "darwin" else 1024
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit)
"""


def run() -> list[Row]:
    """Measure both methods, and the memory of the larger one."""
    rows = []
    for method, limit in SECONDS.items():
        trials = []

        def work(method: str = method, trials: list[object] = trials) -> None:
            trials.append(simulate(ROWS, QUERIES, noise=NOISE, method=method))

        seconds = best_of(2, work)
        share = trials[0].data["right"] / ROWS
        name = f"{ROWS} bits from {QUERIES:,} noisy sums, {method} ({share:.1%} right)"
        rows.append(Row(name, seconds, peer=limit, against="limit", target=1))
    return [*rows, *_memory()]


def _memory() -> list[Row]:
    if os.name != "posix":
        return []
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True
    )
    name = f"{ROWS} bits from {QUERIES:,} noisy sums, lp, memory"
    return [Row(name, float(done.stdout), "MB", peer=MEGABYTES, against="limit", target=1)]
