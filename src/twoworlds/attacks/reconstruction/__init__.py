"""Reconstruction: a secret 0/1 column, read back from answers to many subset sums.

Whoever answers too many questions too exactly gives the data away (Dinur & Nissim 2003), however
harmless each of them looks. `reconstruct` does it, `simulate` and `sweep` show how noise and the
number of questions decide, and `against_engine` shows the release engine of this package holding.

* `twoworlds.attacks.reconstruction.sums`: the questions as 0/1 matrices, the answers exactly;
* `twoworlds.attacks.reconstruction.decoding`: linear programs and least squares;
* `twoworlds.attacks.reconstruction.fitting`: on how many rows every possible column agrees;
* `twoworlds.attacks.reconstruction.simulation`: one attack on a column that is known;
* `twoworlds.attacks.reconstruction.sweeps`: many, over noise and numbers of questions;
* `twoworlds.attacks.reconstruction.limit`: how much differential privacy leaves to any attack;
* `twoworlds.attacks.reconstruction.engine`: the same attack on the release engine;
* `twoworlds.attacks.reconstruction.files`: columns and answers from files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twoworlds.late import names_of

if TYPE_CHECKING:
    from twoworlds.attacks.reconstruction.decoding import Reconstruction, reconstruct
    from twoworlds.attacks.reconstruction.engine import EngineTrial, against_engine
    from twoworlds.attacks.reconstruction.files import read_secret, read_sums
    from twoworlds.attacks.reconstruction.fitting import (
        Agreement,
        agreement,
        consistent_columns,
        furthest_apart,
    )
    from twoworlds.attacks.reconstruction.limit import largest_fraction, lucky_count
    from twoworlds.attacks.reconstruction.simulation import Trial, attack_column, simulate
    from twoworlds.attacks.reconstruction.sums import all_subsets, masks, random_subsets
    from twoworlds.attacks.reconstruction.sweeps import Sweep, sweep

__all__ = [
    "Agreement",
    "EngineTrial",
    "Reconstruction",
    "Sweep",
    "Trial",
    "against_engine",
    "agreement",
    "all_subsets",
    "attack_column",
    "consistent_columns",
    "furthest_apart",
    "largest_fraction",
    "lucky_count",
    "masks",
    "random_subsets",
    "read_secret",
    "read_sums",
    "reconstruct",
    "simulate",
    "sweep",
]

# Where each name is found when it is first used; the imports above tell type checkers the same.
_PLACES = {
    "decoding": ("Reconstruction", "reconstruct"),
    "engine": ("EngineTrial", "against_engine"),
    "files": ("read_secret", "read_sums"),
    "fitting": ("Agreement", "agreement", "consistent_columns", "furthest_apart"),
    "limit": ("largest_fraction", "lucky_count"),
    "simulation": ("Trial", "attack_column", "simulate"),
    "sums": ("all_subsets", "masks", "random_subsets"),
    "sweeps": ("Sweep", "sweep"),
}

__getattr__, __dir__ = names_of(__name__, _PLACES)
