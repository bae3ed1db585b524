"""Logarithm and exponential of arrays of floats, the same to the last bit on every machine.

Those of numpy and of the system differ in the last bit between processors and libraries, and a
search, or a sample, that begins with them ends differently elsewhere. These consist of sums,
products, quotients and powers of two, which IEEE 754 rounds in one way only. They are right up to a
few units in the last place, no bounds are proved, and nothing exact may rest on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]

_LN2 = 0.6931471805599453
_LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")  # so few bits that its multiples are exact
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
_HALF = 0.7071067811865476
_LOG_TERMS, _EXP_TERMS = 11, 14


def log(x: Floats) -> Floats:
    """Return ln x for positive numbers: x = m 2^k, ln m = 2 artanh((m - 1) / (m + 1)).

    >>> import numpy as np
    >>> log(np.array([1.0, 10.0])).tolist()
    [0.0, 2.302585092994046]
    """
    import numpy as np

    part, power = np.frexp(x)
    small = part < _HALF
    part, power = np.where(small, 2 * part, part), power - small
    s = (part - 1) / (part + 1)
    total = np.zeros_like(s)
    for k in range(_LOG_TERMS, -1, -1):
        total = total * (s * s) + 1 / (2 * k + 1)
    found: Floats = power * _LN2_HIGH + (power * _LN2_LOW + 2 * s * total)
    return found


def exp(x: Floats) -> Floats:
    """Return e^x for numbers between -700 and 700: x = k ln 2 + r, e^r by its series.

    >>> import numpy as np
    >>> exp(np.array([0.0, 1.0])).round(12).tolist()
    [1.0, 2.718281828459]
    """
    import numpy as np

    power = np.rint(x / _LN2)
    r = (x - power * _LN2_HIGH) - power * _LN2_LOW
    total = np.ones_like(r)
    for k in range(_EXP_TERMS, 0, -1):
        total = 1 + total * r / k
    found: Floats = np.ldexp(total, power.astype(np.int64))
    return found
