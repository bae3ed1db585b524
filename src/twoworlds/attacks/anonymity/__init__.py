"""What k-anonymity, l-diversity and t-closeness say of a table, and what they leave open.

* `examine`: measures a table, names the groups of people that it exposes, and says why;
* `anonymise`: makes a table k-anonymous from declared hierarchies, with the least loss;
* `twoworlds.attacks.generalised`: how the cells of a published table are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twoworlds.late import names_of

if TYPE_CHECKING:
    from twoworlds.attacks.anonymity.anonymiser import anonymise
    from twoworlds.attacks.anonymity.answer import Anonymity
    from twoworlds.attacks.anonymity.examination import examine
    from twoworlds.attacks.anonymity.generalised_table import Generalised
    from twoworlds.attacks.anonymity.hierarchies import (
        Hierarchy,
        intervals,
        mask,
        read_hierarchies,
        suppress,
        tree,
    )

__all__ = [
    "Anonymity",
    "Generalised",
    "Hierarchy",
    "anonymise",
    "examine",
    "intervals",
    "mask",
    "read_hierarchies",
    "suppress",
    "tree",
]

_PLACES = {
    "anonymiser": ("anonymise",),
    "answer": ("Anonymity",),
    "examination": ("examine",),
    "generalised_table": ("Generalised",),
    "hierarchies": ("Hierarchy", "intervals", "mask", "read_hierarchies", "suppress", "tree"),
}

__getattr__, __dir__ = names_of(__name__, _PLACES)
