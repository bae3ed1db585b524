"""Pages to sign, and what a promise means to a person, in words; `save` writes a figure.

`twoworlds.report.review` puts a mechanism, a certificate or a release together as one page;
`twoworlds.report.standing` says which definitions hold; `twoworlds.report.promises` explains a
guarantee. Figures need the extra ``twoworlds[pictures]``.
"""

from __future__ import annotations

from twoworlds.show.figure import save, svg

__all__ = ["save", "svg"]
