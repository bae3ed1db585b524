"""Reading certificates: plain data that anybody may have written, exact numbers or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpz

from twoworlds.errors import InvalidInput

Exact = int | Fraction
Data = Mapping[str, Any]

_NUMBER = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?", re.ASCII)
_LONGEST_TEXT = 100_000
LARGEST_INTEGER = 2**53  # from here on, readers of JSON differ: such numbers stand as text


def non_negative(values: Iterable[Exact]) -> bool:
    """Say whether no value is below 0."""
    return all(value >= 0 for value in values)


def exact(value: object, name: str) -> Exact:
    """Read an int, a Fraction or text such as "-3/4"; refuse everything else, floats above all.

    Text is for what no int says: fractions in lowest terms, and whole numbers from 2^53 on.

    >>> exact("3/2", "weight"), exact(2, "weight")
    (Fraction(3, 2), 2)
    """
    if isinstance(value, str) and len(value) <= _LONGEST_TEXT:
        match = _NUMBER.fullmatch(value)
        if match and (bottom := fmpz(match[2] or 1)) != 0:
            quotient = fmpq(fmpz(match[1]), bottom)  # no limit on digits, unlike int(text)
            whole = quotient.q == 1
            if str(quotient) != value or (whole and abs(quotient.p) < LARGEST_INTEGER):
                plain = str(quotient)[:60] if whole else f'"{str(quotient)[:60]}"'
                raise InvalidInput(f"{name} holds {value[:60]!r}: write {plain}")
            return int(quotient.p) if whole else Fraction(int(quotient.p), int(quotient.q))
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise InvalidInput(
        f"{name} is no exact number (type {type(value).__name__}): "
        'a certificate holds integers and text such as "3/4"'
    )


def vector_of(data: Data, name: str, length: int | None = None) -> list[Exact]:
    """Read one vector of a certificate, of a given length if there is one."""
    return _vector(list_of(data, name), name, length)


def matrix_of(data: Data, name: str, width: int | None = None) -> list[list[Exact]]:
    """Read a list of vectors of one length."""
    rows = [_vector(row, f"{name}[{i}]", width) for i, row in enumerate(list_of(data, name))]
    if width is None and any(len(row) != len(rows[0]) for row in rows):
        raise InvalidInput(f"the vectors of {name} differ in length: each needs one entry a column")
    return rows


def list_of(data: Data, name: str) -> Sequence[Any]:
    """Read a list of anything."""
    value = data.get(name)
    if not isinstance(value, (list, tuple)):
        raise InvalidInput(f"certificate without a list {name!r}: add it, or give it as a list")
    return value


def _vector(value: object, name: str, length: int | None) -> list[Exact]:
    if not isinstance(value, (list, tuple)):
        raise InvalidInput(f"{name} is of type {type(value).__name__}: give a list of numbers")
    if length is not None and len(value) != length:
        raise InvalidInput(f"{name} has {len(value)} entries: it needs {length}")
    return [entry if type(entry) is int else exact(entry, name) for entry in value]


class Fields(Mapping[str, Any]):
    """The fields of a certificate, and which of them were read.

    >>> fields = Fields({"vector": [1], "claim": "above 0"}, but=["claim"])
    >>> fields["vector"]
    [1]
    >>> fields.refuse_unread("violates")
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
