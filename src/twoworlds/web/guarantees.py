"""Guarantees in words: the statements of a row cone, each with its inequality, belief and proof.

A statement holds because its inequality holds on every extreme row of the cone, and all rows are
combinations of these: the certificate lists the products, for `twoworlds verify`. Where there are
too many extreme rows to list, the statements are those of the definition, without a certificate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twoworlds.cones import (
    NoiseCone,
    PerRecordCone,
    RowCone,
    Statement,
    example,
    noise_statements,
)
from twoworlds.cones.certificates import Certificate
from twoworlds.cones.kernel.vectors import Vector
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.questions import ask
from twoworlds.web.refusals import about, check_text
from twoworlds.worlds.catalogue import universe as build_universe

_MOST = 200
_DRAWN = (2, 3)
_EMPTY = "probability"  # the kind of statement that a probability is not negative


def guarantees(
    mechanism: str | None = None, definition: str | None = None, universe: str | None = None
) -> dict[str, Any]:
    """Return what the row cone of a mechanism or a definition says about attackers."""
    field = "mechanism" if definition is None else "definition"
    with about(field):
        if (mechanism is None) == (definition is None):
            raise InvalidInput("give a mechanism or a definition, one of the two")
        text = check_text(mechanism or definition or "", field)
    with about("universe"):
        where = None if universe is None else check_text(universe, "universe")
        if where is not None:
            build_universe(where)
    with about(field):
        cone = _built(text, where)
        if isinstance(cone, NoiseCone):
            return _of_noise(cone)
        if isinstance(cone, PerRecordCone):
            return _of_many_records(cone)
        return _of_rows(cone)


def _built(text: str, universe: str | None) -> RowCone | PerRecordCone | NoiseCone:
    try:
        found: RowCone | PerRecordCone | NoiseCone = ask("cone", text, universe=universe)
        return found
    except TooLarge:
        with about("mechanism" if universe is None else "universe"):
            raise


def _of_rows(cone: RowCone) -> dict[str, Any]:
    said = sorted(cone.statements(), key=lambda one: one.kind == _EMPTY)
    if len(said) > _MOST:
        raise TooLarge(
            f"this cone has {len(said)} guarantees, too many for a page: use fewer databases, or "
            "twoworlds statements on the command line"
        )
    drawn = len(cone.columns) in _DRAWN
    rays = cone.generators() if cone.cone.listed else ()
    return {
        "source": cone.source,
        "universe": cone.universe.expression,
        "columns": list(cone.columns),
        "count": len(said),
        "headline": _headline(cone, said, rays),
        "statements": [
            {
                **one.to_dict(),
                "words": one.sentence,
                "more": one.explain(),
                "certificate": _proof(cone, one.to_dict()["inequality"]["coefficients"], rays),
            }
            for one in said
        ],
        "rays": [[str(x) for x in ray] for ray in rays] if drawn else None,
        "approximation": cone.approximation,
        "note": cone.note,
    }


def _headline(cone: RowCone, said: Sequence[Statement], rays: Sequence[Vector]) -> str:
    """Return the one sentence that says most; never that a probability is not negative."""
    telling = [one for one in said if one.kind != _EMPTY]
    if not telling and cone.approximation is not None:
        return "No guarantee is known here: the cone that is used is larger than the true one."
    if not telling:
        return "Nothing is promised: of each database, some output may prove that it is true."
    if rays and all(len(set(ray)) == 1 for ray in rays):
        return (
            "No output says anything about anybody: whatever an attacker believes, no odds ever "
            "change."
        )
    first = telling[0].sentence
    alone = cone.approximation is None
    if alone and all(one.to_dict()["inequality"]["equality"] for one in telling):
        alike = f"{first[:1].lower()}{first[1:]}"
        return f"Nothing is promised, except that some databases look alike: {alike}"
    return first


def _proof(cone: RowCone, coefficients: list[int], rays: Sequence[Vector]) -> dict[str, Any] | None:
    """Return the proof that an inequality holds on every extreme row."""
    if not rays:
        return None
    parts = [
        Certificate("satisfies", {"vector": tuple(ray), "inequalities": (tuple(coefficients),)})
        for ray in rays
    ]
    return Certificate("all", {"parts": parts, "columns": list(cone.columns)}).to_dict()


def _of_noise(cone: NoiseCone) -> dict[str, Any]:
    said = [one.to_dict() for one in noise_statements(cone)]
    return {
        **_short(cone.source, "integers()", len(said)),
        "headline": said[0]["sentence"],
        "statements": [_alone(one) for one in said],
    }


def _of_many_records(cone: PerRecordCone) -> dict[str, Any]:
    """Return one statement of very many that are alike."""
    one = example(cone)
    counts = cone.to_dict()["counts"]
    return {
        **_short(cone.source, cone.universe.expression, counts["facets"]),
        "headline": one.sentence,
        "statements": [_alone({"kind": one.kind, "sentence": one.sentence})],
    }


def _short(source: str, universe: str, count: Any) -> dict[str, Any]:
    nothing = {"columns": None, "rays": None, "approximation": None, "note": None}
    return {"source": source, "universe": universe, "count": count, **nothing}


def _alone(said: dict[str, Any]) -> dict[str, Any]:
    """Return a statement of an infinite or very large cone, whose facets cannot be listed."""
    empty = {"inequality": None, "belief": None, "certificate": None}
    return {**empty, **said, "words": said["sentence"], "more": said["sentence"]}
