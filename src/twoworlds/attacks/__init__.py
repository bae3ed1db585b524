"""Attacks and audits: see a release fail before somebody else does.

* `twoworlds.attacks.tables`: published tables, alone, together, and beside a register;
* `twoworlds.attacks.queries`: differencing, trackers, averaging, membership;
* `twoworlds.attacks.reconstruction`: a secret column from noisy sums;
* `twoworlds.attacks.auxiliary`: what no sanitiser can prevent, Dwork's Theorem 1;
* `twoworlds.attacks.audit`: somebody else's mechanism as a black box, with certified findings;
* `twoworlds.attacks.selftest`: the release engine, or a service, under known failures.
"""

from __future__ import annotations

from twoworlds.attacks.audit import Audit, Finding
from twoworlds.attacks.queries import average_out, single_out, study
from twoworlds.attacks.reconstruction import reconstruct
from twoworlds.attacks.tables.anonymisation import Generalised, anonymise
from twoworlds.attacks.tables.anonymity import Anonymity, examine
from twoworlds.attacks.tables.composition import compose
from twoworlds.attacks.tables.encoding import (
    collapse,
    decode,
    demonstration,
    encode,
    encoder,
    everything_is_trusted,
    generalise,
    many_to_one_cone,
)
from twoworlds.attacks.tables.exposure import expose
from twoworlds.attacks.tables.hierarchies import intervals, mask, suppress, tree
from twoworlds.attacks.tables.linkage import link

__all__ = [
    "Anonymity",
    "Audit",
    "Finding",
    "Generalised",
    "anonymise",
    "average_out",
    "collapse",
    "compose",
    "decode",
    "demonstration",
    "encode",
    "encoder",
    "everything_is_trusted",
    "examine",
    "expose",
    "generalise",
    "intervals",
    "link",
    "many_to_one_cone",
    "mask",
    "reconstruct",
    "single_out",
    "study",
    "suppress",
    "tree",
]
