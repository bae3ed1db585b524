"""Several anonymised tables, and an outside register, put together.

* `twoworlds.attacks.composition.compose`: what tables together say about one person;
* `twoworlds.attacks.composition.beliefs`: what the probabilities of the candidates rest on;
* `twoworlds.attacks.composition.exposure`: how many people of a register are pinned down;
* `twoworlds.attacks.composition.linkage`: a register of names and a published table;
* `twoworlds.attacks.composition.examples`: the two tables of Wu's lecture, and a register.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twoworlds.late import names_of

if TYPE_CHECKING:
    from twoworlds.attacks.composition.beliefs import TableBelief
    from twoworlds.attacks.composition.compose import Composition, Evidence, compose
    from twoworlds.attacks.composition.examples import example_path
    from twoworlds.attacks.composition.exposure import Exposure, expose
    from twoworlds.attacks.composition.linkage import Link, Linkage, link

__all__ = [
    "Composition",
    "Evidence",
    "Exposure",
    "Link",
    "Linkage",
    "TableBelief",
    "compose",
    "example_path",
    "expose",
    "link",
]

# Where each name is found when it is first used; the imports above tell type checkers the same.
_PLACES = {
    "beliefs": ("TableBelief",),
    "compose": ("Composition", "Evidence", "compose"),
    "examples": ("example_path",),
    "exposure": ("Exposure", "expose"),
    "linkage": ("Link", "Linkage", "link"),
}

__getattr__, __dir__ = names_of(__name__, _PLACES)
