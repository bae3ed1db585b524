"""How far one person can move a statistic, under each neighbour relation."""

from __future__ import annotations

from twoworlds.cli.render import console, print_json
from twoworlds.errors import InvalidInput
from twoworlds.worlds import (
    ADD_REMOVE,
    SUBSTITUTE,
    Records,
    Statistic,
    Universe,
    check_group,
)
from twoworlds.worlds.catalogue import statistic as build_statistic
from twoworlds.worlds.catalogue import universe as build_universe
from twoworlds.worlds.sensitivity import Sensitivity, global_sensitivity, local_sensitivity

__all__ = ["show"]

_BOTH = "both"


def show(
    statistic: str,
    *,
    universe: str,
    neighbours: str,
    norm: str,
    at: str | None,
    group: str,
    as_json: bool,
) -> None:
    """Print the sensitivity under the relations asked for."""
    place = build_universe(universe)
    built = build_statistic(statistic, place)
    found = [
        _one(built, where, relation, norm=norm, at=at, group=group)
        for where, relation in _relations(place, neighbours, check_group(group))
    ]
    if as_json:
        print_json([sensitivity.to_dict() for sensitivity in found])
        return
    for sensitivity in found:
        console().print(sensitivity.explain())


def _one(
    statistic: Statistic, place: Universe, relation: str, *, norm: str, at: str | None, group: str
) -> Sensitivity:
    if at is None:
        return global_sensitivity(statistic, place, norm=norm, neighbours=relation, group=group)
    if group != "1":
        raise InvalidInput("local sensitivity is about one person: leave --group out")
    return local_sensitivity(statistic, place, at, norm=norm, neighbours=relation)


def _relations(place: Universe, neighbours: str, group: int) -> list[tuple[Universe, str]]:
    """Return where to look under which relation; add-remove also looks at other sizes."""
    if neighbours != _BOTH:
        return [(place, neighbours)]
    if not isinstance(place, Records):
        return [(place, place.relation)]
    if place.fixed:
        sizes = Records(place.values, place.n + group, smallest=max(0, place.n - group))
        return [(place, SUBSTITUTE), (sizes, ADD_REMOVE)]
    return [(place, SUBSTITUTE), (place, ADD_REMOVE)]
