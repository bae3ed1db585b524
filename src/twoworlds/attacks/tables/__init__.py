"""Attacks on published tables: one model of cells, groups and beliefs for all of them.

* `examine`: what k-anonymity, l-diversity and t-closeness say of a table, and whom it exposes;
* `anonymise`: makes a table k-anonymous from declared hierarchies, with the least loss;
* `compose`: what several tables together say about one person; `expose`: about everybody;
* `link`: a register of names and a published table;
* `collapse`: a k-anonymous table that spells out its input.

Tables are read by `twoworlds.attacks.tables.table`, their cells by `column_cells`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twoworlds.late import names_of

if TYPE_CHECKING:
    from twoworlds.attacks.tables.anonymisation import Generalised, anonymise
    from twoworlds.attacks.tables.anonymity import Anonymity, examine
    from twoworlds.attacks.tables.beliefs import TableBelief
    from twoworlds.attacks.tables.cells import Interval, column_cells, read_cell
    from twoworlds.attacks.tables.composition import Composition, compose
    from twoworlds.attacks.tables.encoding import (
        Collapse,
        collapse,
        decode,
        demonstration,
        encode,
        encoder,
        everything_is_trusted,
        generalise,
        many_to_one_cone,
    )
    from twoworlds.attacks.tables.exposure import Exposure, expose
    from twoworlds.attacks.tables.hierarchies import (
        Hierarchy,
        intervals,
        mask,
        read_hierarchies,
        suppress,
        tree,
    )
    from twoworlds.attacks.tables.linkage import Linkage, link
    from twoworlds.attacks.tables.table import example_path

# Where each name is found when it is first used; the imports above tell type checkers the same.
_PLACES = {
    "anonymity": ("Anonymity", "examine"),
    "beliefs": ("TableBelief",),
    "cells": ("Interval", "column_cells", "read_cell"),
    "encoding": (
        "Collapse",
        "collapse",
        "decode",
        "demonstration",
        "encode",
        "encoder",
        "everything_is_trusted",
        "generalise",
        "many_to_one_cone",
    ),
    "composition": ("Composition", "compose"),
    "exposure": ("Exposure", "expose"),
    "anonymisation": ("Generalised", "anonymise"),
    "hierarchies": ("Hierarchy", "intervals", "mask", "read_hierarchies", "suppress", "tree"),
    "linkage": ("Linkage", "link"),
    "table": ("example_path",),
}

__all__ = [
    "Anonymity",
    "Collapse",
    "Composition",
    "Exposure",
    "Generalised",
    "Hierarchy",
    "Interval",
    "Linkage",
    "TableBelief",
    "anonymise",
    "collapse",
    "column_cells",
    "compose",
    "decode",
    "demonstration",
    "encode",
    "encoder",
    "everything_is_trusted",
    "examine",
    "example_path",
    "expose",
    "generalise",
    "intervals",
    "link",
    "many_to_one_cone",
    "mask",
    "read_cell",
    "read_hierarchies",
    "suppress",
    "tree",
]

__getattr__, __dir__ = names_of(__name__, _PLACES)
