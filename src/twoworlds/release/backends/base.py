"""What every engine offers: the columns of a table, and the rows of one statement.

A statement is an expression of sqlglot, built by `twoworlds.release.plan` and never by hand; an
engine renders it in its own dialect. Only totals leave the engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["Backend", "Family", "Field", "kinds_of"]

Family = Literal[
    "integer",
    "float",
    "decimal",
    "text",
    "boolean",
    "date",
    "timestamp",
    "dynamic",
    "other",
]
_KINDS: dict[Family, str] = {
    "integer": "integer",
    "float": "number",
    "decimal": "number",
    "text": "text",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "date",
    "dynamic": "other",
    "other": "other",
}


@dataclass(frozen=True)
class Field:
    """One column as the engine has it.

    Attributes:
        name: What statements call it; not always the name that its owner gave it.
        family: How the engine keeps its values; ``dynamic`` where each row has a type of its own.
        declared: The kind that the table declares, where rows have types of their own, or where
            truths are kept as small whole numbers.
        bits: The width of an integer, sign included; None when the engine has no limit.
        cast: Whether the values must be cast first, such as an enumeration to text.
        refused: Why the column cannot be used, if so.
    """

    name: str
    family: Family
    declared: str | None = None
    bits: int | None = 64
    cast: bool = False
    refused: str | None = None

    @property
    def kind(self) -> str:
        """The kind of its values in the words of a policy, or ``other``."""
        return self.declared or _KINDS[self.family]

    def fits(self, kind: str) -> bool:
        """Whether a policy may declare this kind for it.

        Either kind of number does for the other: pandas turns whole numbers into floats as soon as
        one of them is missing, and that must not decide whether there is an answer.
        """
        if self.family == "dynamic" and self.declared is None:
            return True
        if self.family == "integer" and self.declared == "boolean":
            return kind in ("integer", "number", "boolean")
        return kind == self.kind or {kind, self.kind} == {"integer", "number"}


class Backend(Protocol):
    """An engine that holds tables."""

    @property
    def dialect(self) -> str:
        """Its name in sqlglot."""
        ...

    def relation(self, source: Any) -> exp.Table:
        """Return a table of this engine: a file, a frame or a name.

        Raises:
            InvalidInput: when there is no such table; the message names the way out.
        """
        ...

    def fields(self, relation: exp.Table) -> Mapping[str, Field]:
        """Return the columns of a table by the names that their owner gave them."""
        ...

    def kinds(self, relation: exp.Table) -> Mapping[str, str]:
        """Return the kind of each column in the words of a policy, or ``other``."""
        ...

    def rows(self, statement: exp.Query) -> Iterator[tuple[Any, ...]]:
        """Run one statement and yield its rows, a chunk at a time."""
        ...

    def fetch(self, statement: exp.Query) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        ...

    def close(self) -> None:
        """Let go of the engine, if it was opened here."""
        ...


def kinds_of(fields: Mapping[str, Field]) -> dict[str, str]:
    """Return the kind of each column in the words of a policy, or ``other``."""
    return {name: field.kind for name, field in fields.items()}
