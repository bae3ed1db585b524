"""Randomizing a column: exact draws and whole files, against plain numpy and a plain copy.

Peers within the same run: numpy's own generator with rounded probabilities and predictable bits,
and the program that would only copy the column (DuckDB for Parquet, the csv module for CSV).
"""

from __future__ import annotations

import csv
import time
from itertools import count as counting
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np

from benchmarks import Row, best_of
from twoworlds.release.local import Randomizer, estimate_file, randomize_file
from twoworlds.release.noise import SystemBits

DRAWS = 4_000_000
RECORDS = 1_000_000
LIMIT = 25.0  # nanoseconds: 40 million reports in a second
AGAINST_NUMPY = 0.3
AGAINST_COPY = {"parquet": 0.05, "csv": 0.3}
COIN = Randomizer.of("randomized-response(keep=3/4)", values=["yes", "no"])
MANY = Randomizer.of("randomized-response(epsilon=1)", values=[str(i) for i in range(50)])


def processor_time(work: object) -> float:
    """The least processor time of several runs."""
    assert callable(work)
    times = []
    for _ in range(5):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def draws(randomizer: Randomizer) -> tuple[float, float]:
    """Nanoseconds for each report: ours, and numpy's by inverting rounded probabilities."""
    size = len(randomizer.values)
    rng = np.random.default_rng(1)
    codes = rng.integers(0, size, DRAWS, dtype=np.uint8)
    bits = SystemBits()
    keep, other = (float(p) for p in randomizer.rows[0][:2])

    def rounded() -> None:
        kept = rng.random(DRAWS) < keep - other
        np.where(kept, codes, rng.integers(0, size, DRAWS, dtype=np.uint8))

    ours = processor_time(lambda: randomizer.draw(codes, bits))
    return ours / DRAWS * 1e9, processor_time(rounded) / DRAWS * 1e9


def copied(old: Path, new: Path) -> None:
    """Copy the column as it is."""
    if old.suffix == ".parquet":
        duckdb.execute(f"COPY (SELECT v FROM '{old}') TO '{new}' (FORMAT parquet)")
        return
    with old.open(newline="") as source, new.open("w", newline="") as target:
        rows = csv.reader(source, strict=True)
        csv.writer(target, lineterminator="\n").writerows([row[0]] for row in rows)


def files(ending: str) -> tuple[float, float, float]:
    """Seconds to randomize a column of a file, to copy it, and to estimate from the reports."""
    query = f"SELECT CASE WHEN i % 10 < 3 THEN 'yes' ELSE 'no' END v, i FROM range({RECORDS}) t(i)"
    with TemporaryDirectory() as name:
        folder, numbers = Path(name), counting()
        old = folder / f"in.{ending}"
        duckdb.execute(f"COPY ({query}) TO '{old}' (FORMAT {ending})")

        def new(kind: str) -> Path:
            return folder / f"{kind}{next(numbers)}.{ending}"

        ours = best_of(3, lambda: randomize_file(old, new("made"), "v", COIN))
        peer = best_of(3, lambda: copied(old, new("copy")))
        made = next(folder.glob(f"made*.{ending}"))
        return ours, peer, best_of(3, lambda: estimate_file(made))


def run() -> list[Row]:
    """About fifteen seconds."""
    rows = []
    for name, randomizer in (("two values", COIN), ("50 values, epsilon 1", MANY)):
        ours, peer = draws(randomizer)
        rows.append(Row(f"one exact report, {name}", ours, "ns", peer, "numpy", AGAINST_NUMPY))
        if randomizer is COIN:
            rows.append(Row(f"one exact report, {name}", ours, "ns", LIMIT, "limit", 1.0))
    for ending, target in AGAINST_COPY.items():
        ours, peer, estimated = files(ending)
        title = f"a million records of {ending}"
        rows.append(Row(f"{title}, randomized", ours, "s", peer, "a plain copy", target))
        rows.append(Row(f"{title}, estimated", estimated, "s"))
    return rows
