"""Single likelihood rows: whether one can occur, and a trusted mechanism that has it.

A row is decided in the row cone itself. Where what is listed is a larger cone (gamma-FRAPP, Lin &
Kifer, Definition 5.11), a row outside of it cannot occur; one inside is decided by the products of
one record's rows, or stays open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twoworlds.answer import Answer, Said
from twoworlds.cones.amplification import Frapp, frapp_row_cone
from twoworlds.cones.compare import MOST_SHOWN, chances, mechanism_with_row
from twoworlds.cones.kernel.vectors import primitive, rational
from twoworlds.cones.row_cone import RowCone
from twoworlds.definitions import PrivacyDefinition
from twoworlds.errors import Undecided
from twoworlds.mechanisms import Dense, Mechanism
from twoworlds.show import Told
from twoworlds.worlds import Records

Trusted = Sequence[Mechanism | PrivacyDefinition]


def occurs(entries: Sequence[str], cone: RowCone, trusted: Trusted) -> Told:
    """Say whether a likelihood row can occur.

    Args:
        entries: The row, database by database.
        cone: The row cone of what is trusted, or a larger one.
        trusted: One definition, or mechanisms.

    >>> from twoworlds.cones.row_cone import build_source, row_cone
    >>> survey = build_source("randomized-response(bits=1, keep=3/4)")
    >>> occurs(["3", "1"], row_cone(survey), [survey]).fields()["yes"]
    ['3/4', '1/4']
    """
    occurring, where = any(map(rational, entries)), cone.universe
    rough = cone.approximation is not None and bool(cone.contains(entries))
    if rough and isinstance(where, Records) and isinstance(trusted[0], Frapp):
        true = frapp_row_cone(trusted[0].gamma, len(where.values), where.n)
        cone = replace(true, universe=where, source=cone.source)
    found, broken = cone.contains(entries), cone.separating(entries)
    if occurring and broken is None and cone.approximation is not None:
        raise Undecided(
            f"the row keeps every guarantee that is known of {cone.source}, and whether it occurs "
            f"is open: {cone.approximation}"
        )
    shown = _mechanism(entries, cone, trusted) if broken is None and occurring else None
    if not occurring:
        said = "is the row of an output that never occurs: every cone holds it"
    elif broken is None:
        said = f"can be the likelihood row of an output of {cone.source}, scaled"
    else:
        said = (
            f"can NOT occur under {cone.source}: it breaks {broken.text()} "
            f"(the difference is {broken.value(entries)})"
        )
    about = f"({', '.join(entries)}) over {', '.join(cone.columns)}"
    data = {
        "row": entries,
        "columns": cone.columns,
        "of": cone.source,
        "holds": bool(found),
        "breaks": broken,
        "certificate": found.certificate,
    }
    blocks = []
    if shown is not None:
        data["yes"] = list(map(str, shown.rows[0]))
        example = f"a trusted mechanism says yes with probability {chances(shown, ())}"
        blocks = [Said([f"For example, {example}."])]
    return Told(Answer(f"{about} {said}.", holds=bool(found), blocks=blocks), data)


def _mechanism(entries: Sequence[str], cone: RowCone, trusted: Trusted) -> Dense | None:
    """Return a trusted mechanism with two outputs that has the row, if it is small."""
    ray = primitive([rational(entry) for entry in entries])
    endless = any(isinstance(one, Mechanism) and one.outputs.size is None for one in trusted)
    if isinstance(trusted[0], Frapp) or len(ray) > MOST_SHOWN or endless:
        return None
    return mechanism_with_row(ray, trusted if len(trusted) > 1 else trusted[0], cone)
