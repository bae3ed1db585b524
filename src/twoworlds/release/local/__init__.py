"""The local model: randomize a column record by record, and estimate from the reports.

`Randomizer.of("randomized-response(keep=3/4)", values=["yes", "no"])` is a channel over declared
values, with its exact ratio. `randomize_file` passes every record of a file through it, by exact
draws from the operating system's bits, and writes a new file with a certificate. `estimate` and
`estimate_file` take the channel back: unbiased estimates of the true counts, their variances, and
intervals that hold.

Wu, Section 3 (randomized response); Lin & Kifer, Section 3.2.2 (PRAM, FRAPP).

What is not promised here: the number of records and the names of the columns are public, and so is
every column that is declared so. A second randomization of the same column is a second look.
"""

from __future__ import annotations

from twoworlds.release.local.estimates import (
    Estimate,
    Estimates,
    estimate,
    variance_of_estimate,
)
from twoworlds.release.local.linear import ConfidenceInterval
from twoworlds.release.local.randomizer import Randomizer
from twoworlds.release.local.release import (
    LocalCertificate,
    estimate_file,
    randomize_file,
    read_certificate,
)

__all__ = [
    "ConfidenceInterval",
    "Estimate",
    "Estimates",
    "LocalCertificate",
    "Randomizer",
    "estimate",
    "estimate_file",
    "randomize_file",
    "read_certificate",
    "variance_of_estimate",
]
