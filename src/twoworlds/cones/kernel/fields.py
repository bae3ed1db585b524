"""Fields that know whether they were read: what a check passes over is refused, not believed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from twoworlds.cones.kernel.reading import Data
from twoworlds.errors import InvalidInput

__all__ = ["Fields"]


class Fields(Mapping[str, Any]):
    """The fields of a certificate, and which of them were read.

    >>> fields = Fields({"vector": [1], "claim": "above 0"}, but=["claim"])
    >>> fields["vector"]
    [1]
    >>> fields.refuse_unread("violates")

    Args:
        fields: by name.
        but: names that only describe, and need not be read.
    """

    def __init__(self, fields: Data, *, but: Sequence[str] = ()) -> None:
        self._fields = fields
        self._read = set(but)

    def __getitem__(self, name: str) -> Any:
        self._read.add(name)
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def refuse_unread(self, kind: str) -> None:
        """Refuse what the check passed over: a reader could take it for proved."""
        for name in self._fields:
            if name not in self._read:
                raise InvalidInput(
                    f"field {name[:60]!r} has no part in a certificate of kind {kind}, and would "
                    "not be checked: leave it out, or describe it in 'claim'"
                )
