"""What every engine offers: the columns of a table, and the rows of statements read at one moment.

A statement is an expression of sqlglot, built by `twoworlds.release.plan` and never by hand; an
engine renders it in its own dialect. Only totals leave the engine.

Two rules hold for all engines. Statements that are read together run in one *session*: a connection
or cursor that no other thread uses meanwhile. And what was planned is what is read: a session first
describes its tables again, and fails if a column is not what it was when the statements were made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from twoworlds.errors import InvalidInput

if TYPE_CHECKING:
    from sqlglot import exp

_LOOKS = 5
_CHUNK = 10_000
Run = Callable[[str], Iterator[tuple[Any, ...]]]
Family = Literal[
    "integer",
    "float",
    "decimal",
    "text",
    "boolean",
    "date",
    "timestamp",
    "dynamic",
    "objects",
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
    "objects": "other",
    "other": "other",
}


@dataclass(frozen=True)
class Field:
    """One column as the engine has it.

    Its family says how the engine keeps values: ``dynamic`` where each row has a type of its own,
    ``objects`` for a frame's column of Python objects.
    """

    name: str  # what statements call it; not always the name that its owner gave it
    family: Family
    declared: str | None = None  # the kind, where types are each row's or truths are small numbers
    bits: int | None = 64  # of an integer, sign included; None when the engine has no limit
    cast: bool = False  # whether values must be cast first, such as an enumeration to text
    inferred: bool = False  # whether the type may follow from the values, as in files and frames

    @property
    def kind(self) -> str:
        """The kind of its values in the words of a policy, or ``other``."""
        return self.declared or _KINDS[self.family]

    def fits(self, kind: str) -> bool:
        """Whether the values may be of a kind; where not, all of them are missing.

        Either kind of number does for the other: pandas turns whole numbers into floats as soon as
        one of them is missing.
        """
        if self.family == "objects" or (self.family == "dynamic" and self.declared is None):
            return True
        if self.family == "integer" and self.declared == "boolean":
            return kind in ("integer", "number", "boolean")
        return kind == self.kind or {kind, self.kind} == {"integer", "number"}


def rows_of(cursor: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a statement that ran, a chunk at a time."""
    while chunk := cursor.fetchmany(_CHUNK):
        yield from map(tuple, chunk)


def field_of(name: str, kind: str, types: Mapping[str, Field]) -> Field:
    """Return a column by the engine's name of its type; one that is not known is ``other``."""
    return replace(types.get(kind, Field("", "other")), name=name)


class Backend(ABC):
    """An engine that holds tables; any thread may use it."""

    dialect: ClassVar[str]  # its name in sqlglot

    def __init__(self) -> None:
        """Plan nothing so far."""
        self._planned: dict[str, tuple[exp.Table, Mapping[str, Field]]] = {}  # by how it is written

    @abstractmethod
    def relation(self, source: Any) -> exp.Table:
        """Return a table of this engine: a file, a frame or a name."""

    @abstractmethod
    def snapshot(self, relation: exp.Table) -> bool:
        """Whether statements that are read together see a table at one moment."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the engine, if it was opened here."""

    @abstractmethod
    def _session(self, tables: Sequence[exp.Table]) -> AbstractContextManager[Run]:
        """Return what runs statements on these tables, for one thread and at one moment."""

    @abstractmethod
    def _describe(self, run: Run, table: exp.Table) -> Mapping[str, Field]:
        """Return the columns of a table by name; none when there is no such table."""

    def check_usable(self) -> None:  # noqa: B027  # most engines have nothing to look at
        """Open again what may have ended since."""

    def fields(self, relation: exp.Table) -> Mapping[str, Field]:
        """Return the columns of a table by the names that their owner gave them."""
        written = self._text(relation)
        if written not in self._planned:
            found = self._described(relation)
            if not found:
                return {}
            self._planned[written] = relation, found
        return self._planned[written][1]

    def _described(self, relation: exp.Table) -> Mapping[str, Field]:
        """Describe a table, once more if it is replaced meanwhile."""
        for _ in range(_LOOKS):
            with suppress(TableChanged), self._session([relation]) as run:
                return self._describe(run, relation)
        raise InvalidInput(
            "the table is being replaced while it is opened: wait until it is written, and ask "
            "again; nothing was charged"
        )

    def kinds(self, relation: exp.Table) -> Mapping[str, str]:
        """Return the kind of each column in the words of a policy, or ``other``."""
        return {name: field.kind for name, field in self.fields(relation).items()}

    def fetch(self, statement: exp.Query) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        return self.fetch_all([statement])[0]

    def fetch_all(self, statements: Sequence[exp.Query]) -> list[list[tuple[Any, ...]]]:
        """Run statements in one session, and return the rows of each."""
        texts = [self._text(statement) for statement in statements]
        planned = {
            written: known
            for written, known in [*self._planned.items()]
            if any(written in text for text in texts)
        }
        with self._session([table for table, _ in planned.values()]) as run:
            for written, (table, fields) in planned.items():
                if self._describe(run, table) != fields:
                    self._planned.pop(written, None)
                    raise TableChanged
            return [list(run(text)) for text in texts]

    def _text(self, statement: exp.Expr) -> str:
        """Return a statement or a table in SQL; what an engine cannot say is an error."""
        from sqlglot import ErrorLevel

        return statement.sql(self.dialect, unsupported_level=ErrorLevel.RAISE)


class TableChanged(Exception):
    """A table changed between planning and reading; no message, since it is never shown."""
