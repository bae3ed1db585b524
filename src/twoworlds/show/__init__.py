"""How answers look: as text, on a terminal, as HTML, as charts, as JSON.

The only room that knows a format, and it knows nothing of privacy.
"""

from twoworlds.show.result import Result, Told

__all__ = ["Result", "Told"]
