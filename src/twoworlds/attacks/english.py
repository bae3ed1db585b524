"""Lists, as sentences about attacks say them."""

from __future__ import annotations

from collections.abc import Sequence

_MOST = 8


def listed(texts: Sequence[str], last: str = "and") -> str:
    """Return a list in words; a long one by its first items, unless one alone were left out."""
    shown = list(texts)
    if len(shown) > _MOST + 1:
        shown = [*shown[:_MOST], f"{len(shown) - _MOST:,} more"]
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}" if len(shown) > 1 else "".join(shown)
