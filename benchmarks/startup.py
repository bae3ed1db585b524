"""How long ``import twoworlds`` takes in a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys

from benchmarks import Row, median_of

LIMIT = 0.3  # seconds
REPEATS = 7
CODE = """
import time
start = time.perf_counter()
import twoworlds
print(time.perf_counter() - start)
"""


def import_seconds() -> float:
    """Time the import alone, without the interpreter's own start, with bytecode as installed."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", CODE]
    return float(subprocess.check_output(command, text=True, env=environment))


def run() -> list[Row]:
    """One discarded import, which may write bytecode, and then the median of several."""
    import_seconds()
    seconds = median_of(REPEATS, import_seconds)
    return [Row("import twoworlds", seconds, peer=LIMIT, against="limit", target=1.0)]
