"""Attacks: demonstrations, on data, that a rule which sounds private is not."""

from __future__ import annotations

from twoworlds.attacks.k_anonymity import (
    Collapse,
    Group,
    Range,
    anonymity,
    collapse,
    decode,
    demonstration,
    encode,
    encoder,
    everything_is_trusted,
    generalise,
    many_to_one_cone,
    smallest_group,
)

__all__ = [
    "Collapse",
    "Group",
    "Range",
    "anonymity",
    "collapse",
    "decode",
    "demonstration",
    "encode",
    "encoder",
    "everything_is_trusted",
    "generalise",
    "many_to_one_cone",
    "smallest_group",
]
