"""Attacks and audits: see a release fail before somebody else does.

* `twoworlds.attacks.anonymity`: what k-anonymity, l-diversity and t-closeness say of a table;
* `twoworlds.attacks.composition`: several anonymised tables, and an outside register, put together;
* `twoworlds.attacks.queries`: differencing, trackers, averaging, membership;
* `twoworlds.attacks.reconstruction`: a secret column from noisy sums;
* `twoworlds.attacks.auxiliary`: what no sanitiser can prevent, Dwork's Theorem 1;
* `twoworlds.attacks.audit`: somebody else's mechanism as a black box, with certified findings;
* `twoworlds.attacks.selftest`: the release engine, or a service, under known failures;
* `twoworlds.attacks.k_anonymity`: a k-anonymous table that spells out its input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twoworlds.late import names_of

if TYPE_CHECKING:
    from twoworlds.attacks.anonymity import Anonymity, Generalised, anonymise, examine
    from twoworlds.attacks.audit import Audit, Finding
    from twoworlds.attacks.composition import Composition, compose, expose, link
    from twoworlds.attacks.k_anonymity import (
        Collapse,
        collapse,
        decode,
        demonstration,
        encode,
        encoder,
        everything_is_trusted,
        many_to_one_cone,
    )
    from twoworlds.attacks.queries import average_out, single_out, study
    from twoworlds.attacks.reconstruction import reconstruct
    from twoworlds.attacks.tables import Group, Range, generalise, smallest_group

__all__ = [
    "Anonymity",
    "Audit",
    "Collapse",
    "Composition",
    "Finding",
    "Generalised",
    "Group",
    "Range",
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
    "link",
    "many_to_one_cone",
    "reconstruct",
    "single_out",
    "smallest_group",
    "study",
]

# Where each name is found when it is first used; the imports above tell type checkers the same.
_PLACES = {
    "anonymity": ("Anonymity", "Generalised", "anonymise", "examine"),
    "audit": ("Audit", "Finding"),
    "composition": ("Composition", "compose", "expose", "link"),
    "k_anonymity": (
        "Collapse",
        "collapse",
        "decode",
        "demonstration",
        "encode",
        "encoder",
        "everything_is_trusted",
        "many_to_one_cone",
    ),
    "queries": ("average_out", "single_out", "study"),
    "reconstruction": ("reconstruct",),
    "tables": ("Group", "Range", "generalise", "smallest_group"),
}

__getattr__, __dir__ = names_of(__name__, _PLACES)
