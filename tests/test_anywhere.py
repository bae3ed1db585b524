"""What is drawn from a seed, and what a search finds, is the same on every machine.

`tests/anywhere/sitecustomize.py` gives a process the arithmetic of another machine, and
`tests/anywhere/run.sh` runs any tests so.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ELSEWHERE = str(Path(__file__).parent / "anywhere")
SAMPLES = """
import numpy as np
from twoworlds.testing.broken import BROKEN, RIGHT
for one in (*BROKEN, *RIGHT):
    database = one.pairs[0][0] if one.pairs else [1.0, 2.0, 3.0]
    print(one.name, list(one.many(database, 1000, np.random.default_rng(0))))
"""
SEARCH = """
from twoworlds.cli import run
run(["measure", "geometric(ratio=2, bits=2)", "--definition", "semantic(epsilon=1/4)", "--json"])
"""


def printed(program, **settings):
    environment = {**os.environ, **settings}
    return subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_elsewhere_logarithms_differ_in_the_last_bit():
    program = "import math, numpy; print(math.log(2).hex(), float(numpy.log(3.0)).hex())"
    assert printed(program, PYTHONPATH="") != printed(program, PYTHONPATH=ELSEWHERE)


@pytest.mark.parametrize("program", [SAMPLES, SEARCH], ids=["samples", "search"])
def test_the_same_is_found_elsewhere(program):
    assert printed(program, PYTHONPATH="") == printed(program, PYTHONPATH=ELSEWHERE)
