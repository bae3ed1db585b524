"""Who answers: exact counts of a table, with a limit on the size of what is counted.

Agencies have long answered counts exactly and refused the small ones: no count of fewer than k
rows, and none of more than n - k, whose complement would be small. `ExactServer` is such a server.
It asks the table by the release engine's own plan, so whatever it counts the engine counts too,
without noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import date
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.numbers import INFINITY, Number, at_most_one, exp, number, rational, whole
from twoworlds.release.policy import Column, Dataset
from twoworlds.release.policy.model import Value, shown_value
from twoworlds.release.query import Query
from twoworlds.release.query.conditions import All, AnyOf, Compare, Condition, Missing
from twoworlds.release.query.resolve import resolve

if TYPE_CHECKING:
    from twoworlds.release import Curator
    from twoworlds.release.budget import Cap

TABLE = "people"


class ExactServer(AbstractContextManager["ExactServer"]):
    """Exact counts of rows, refused where the set is too small or too large.

    Args:
        source: The table, as `twoworlds.release.backends.open_backend` takes it, or a text file
            with names in its first line, of which a typed copy is kept until the server is closed.
        at_least: The limit k: a count below it, or above n - k, is refused. 0 refuses nothing.
    """

    def __init__(self, source: Any, *, at_least: object = 0) -> None:
        from twoworlds.release.backends import open_backend

        self.at_least = whole(at_least, "the limit on the size of a set", at_least=0)
        self._copy = _typed_copy(source)
        self.source = source if self._copy is None else Path(self._copy.name, "table.parquet")
        self._backend, self._relation = open_backend(self.source)
        self.kinds: Mapping[str, str] = {**self._backend.kinds(self._relation)}

    @cached_property
    def dataset(self) -> Dataset:
        """The table as the engine sees it; all its columns may be filtered by."""
        return declared(self.source, self.kinds)

    @cached_property
    def rows(self) -> int:
        """The number of rows, which such servers publish."""
        return self.true_count(None)

    def count(self, condition: Condition | None) -> int | None:
        """Return an exact count, or None: refused."""
        found = self.true_count(condition)
        return found if self.at_least <= found <= self.rows - self.at_least else None

    def true_count(self, condition: Condition | None) -> int:
        """Return the count whatever its size, as the owner of the table sees it."""
        query = Query(TABLE).count()
        cells = self._totals(query if condition is None else query.where(condition))
        return cells.get((), (0,))[0]

    def values(self, column: str) -> list[Value]:
        """Return the values of a column, the usual ones first; an attacker knows most of them."""
        cells = self._totals(Query(TABLE).by(column, discover=True).count())
        # The engine gives groups in any order: of values that are as usual the first by name
        counts = {value: count for [value], (count, *_) in cells.items()}
        return sorted(counts, key=lambda value: (-counts[value], str(value)))

    def engine(self, cap: object) -> AbstractContextManager[Curator]:
        """Open the release engine on the same table, which may cost so much epsilon in all."""
        source = self.source
        place = Path(source).resolve() if isinstance(source, str | Path) else source
        return release_engine(declared(source, self.kinds, cap=cap_of(cap)), place)

    def _totals(self, query: Query) -> Mapping[Any, tuple[int, ...]]:
        from twoworlds.release.plan import plan

        found = plan(resolve(query, self.dataset), self._relation, self._backend)
        return found.decode(self._backend.fetch(found.statement)).cells

    def close(self) -> None:
        """Close the engine, and remove the copy of a text file."""
        self._backend.close()
        if self._copy is not None:
            self._copy.cleanup()

    def __exit__(self, *_: object) -> None:
        self.close()


def _typed_copy(source: Any) -> TemporaryDirectory[str] | None:
    """Import a text file into a folder that only its owner can read; None for other sources."""
    from twoworlds.release.backends.sources import text_file_of

    text = text_file_of(source)
    if text is None:
        return None
    from twoworlds.release.policy.imports import import_text

    folder: TemporaryDirectory[str] = TemporaryDirectory(prefix="twoworlds-")
    try:
        import_text(Path(text), header=True, target=Path(folder.name, "table.parquet"))
    except BaseException:
        folder.cleanup()
        raise
    return folder


@contextmanager
def release_engine(dataset: Dataset, source: Any = None) -> Iterator[Curator]:
    """Open the release engine on one table, with a ledger of its own that goes with it."""
    from twoworlds.release import Curator, Policy

    given = {} if source is None else {TABLE: source}
    with TemporaryDirectory() as folder:
        policy = Policy({TABLE: dataset}, "ledger.db", folder=Path(folder))
        with Curator.open(policy, sources=given) as curator:
            yield curator


@contextmanager
def made_up_engine(
    columns: Sequence[Column], lines: Iterable[str], cap: object
) -> Iterator[Curator]:
    """Open the engine on a made-up table, its rows with commas, for so much epsilon in all."""
    import duckdb

    with TemporaryDirectory() as folder:
        text, table = Path(folder, "table.csv"), Path(folder, "table.parquet")
        text.write_text("\n".join([",".join(one.name for one in columns), *lines, ""]), "utf-8")
        with duckdb.connect() as connection:
            connection.read_csv(str(text), header=True).write_parquet(str(table))
        named = {one.name: one for one in columns}
        dataset = Dataset(TABLE, str(table), "substitute", columns=named, cap=cap_of(cap))
        with release_engine(dataset) as curator:
            yield curator


def cap_of(epsilon: object) -> Cap:
    """Return a cap of so much epsilon, rounded as a charge is."""
    from twoworlds.release.budget import Cap
    from twoworlds.release.costs import parse_cost

    return Cap(parse_cost(f"epsilon={epsilon}"))


def declared(source: Any, kinds: Mapping[str, str], **others: Any) -> Dataset:
    """Declare a table to the engine: a row is a person, whose values could be any others."""
    columns = {name: Column(name, kind) for name, kind in kinds.items() if kind != "other"}  # type: ignore[arg-type]
    place = str(source) if isinstance(source, Path) else source
    return Dataset(TABLE, place, "substitute", columns=columns, **others)


def largest_fraction(epsilon: object) -> Number:
    """Return e^epsilon / (1 + e^epsilon): the most with which a fair bit is guessed from answers.

    With probabilities P and Q of an event under the two values, (P + 1 - Q) / 2 is greatest where
    P = e^epsilon Q and 1 - Q = e^epsilon (1 - P).

    >>> largest_fraction("ln 3"), largest_fraction(0)
    (Fraction(3, 4), Fraction(1, 2))
    """
    loss = number(epsilon, "epsilon")
    if loss < 0:
        raise InvalidInput(f"epsilon={epsilon}: it must be at least 0")
    if loss == INFINITY:
        return Fraction(1)
    # 1 / (1 + e^-epsilon) is the same, and stays in range for any epsilon.
    return at_most_one(1 / (1 + exp(-loss)))


def equal(kinds: Mapping[str, str], text: str) -> Compare:
    """Read ``column=value``; the kind of the column decides how the value is read.

    >>> equal({"age": "integer"}, "age=28")
    Compare(column='age', operator='=', value=Fraction(28, 1))
    """
    name, sign, value = text.partition("=")
    name, value = name.strip(), value.strip()
    if not (sign and name and value):
        raise InvalidInput(f"{text!r} is not of the form column=value, such as age=28")
    if name not in kinds:
        raise UnknownName("column", name, list(kinds))
    match kinds[name]:
        case "text":
            return Compare(name, "=", value)
        case "integer" | "number":
            return Compare(name, "=", rational(value, name))
        case "boolean" if value.lower() in ("true", "false"):
            return Compare(name, "=", value.lower() == "true")
        case "date":
            try:
                return Compare(name, "=", date.fromisoformat(value))
            except ValueError:
                raise InvalidInput(f"{name}={value}: a date is written 2024-12-31") from None
        case "boolean":
            raise InvalidInput(f"{name}={value}: a truth value is true or false")
    raise InvalidInput(f"{name!r} holds neither texts, numbers, dates nor truth values")


def all_of(conditions: Iterable[Condition]) -> Condition:
    """Join conditions with and."""
    parts = tuple(conditions)
    return parts[0] if len(parts) == 1 else All(parts)


def complement(conditions: Iterable[Compare]) -> AnyOf:
    """Return everybody of whom these are not all true; a missing value is not equal to any."""
    parts: list[Condition] = []
    for one in conditions:
        parts += [Compare(one.column, "!=", one.value), Missing(one.column)]
    return AnyOf(tuple(parts))


def in_words(conditions: Iterable[Compare]) -> str:
    """Write what is known of somebody: ``sex = f and job = professor``."""
    return " and ".join(f"{one.column} = {shown_value(one.value)}" for one in conditions)
