"""Pages to sign, and pictures of row cones, saved by `save`.

Pictures need the extra ``twoworlds[pictures]``; matplotlib is imported when the first is drawn.
"""

from __future__ import annotations

from twoworlds.show.figure import save, svg

__all__ = [
    "save",
    "svg",
]
