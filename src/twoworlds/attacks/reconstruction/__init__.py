"""Reconstruction: a secret 0/1 column, read back from answers to many subset sums.

Whoever answers too many questions too exactly gives the data away (Dinur & Nissim 2003), however
harmless each of them looks. `reconstruct` does it, `simulate` and `sweep` show how noise and the
number of questions decide, and `against_engine` shows the release engine of this package holding.

* `twoworlds.attacks.reconstruction.sums`: the questions as 0/1 matrices, the answers exactly;
* `twoworlds.attacks.reconstruction.decoding`: linear programs and least squares, and on how many
  rows every possible column agrees;
* `twoworlds.attacks.reconstruction.simulation`: one attack on a column that is known, and many;
* `twoworlds.attacks.reconstruction.engine`: the same attack on the release engine, and how much
  differential privacy leaves to any attack.
"""

from twoworlds.attacks.queries.server import largest_fraction
from twoworlds.attacks.reconstruction.decoding import agreement, furthest_apart, reconstruct
from twoworlds.attacks.reconstruction.engine import against_engine, lucky_count
from twoworlds.attacks.reconstruction.simulation import attack_column, simulate, sweep
from twoworlds.attacks.reconstruction.sums import (
    all_subsets,
    masks,
    random_subsets,
    read_secret,
    read_sums,
)

__all__ = [
    "against_engine",
    "agreement",
    "all_subsets",
    "attack_column",
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
