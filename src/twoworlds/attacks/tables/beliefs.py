"""What several tables leave of a person's sensitive value, and how likely each candidate is.

A cell of the sensitive column may itself be a set: ``flu|cold``, ``<50``, ``*``. Several cells can
be about the same person when some value is in all of them, and then they say the intersection. Two
questions are asked of it by `Sensitive`: which alternatives it names, and these are what is counted
and shown (``flu|cold`` leaves two values, ``*`` leaves anything); and which values that occur are
in it, and over these it is spread where probabilities are asked for.

Let the known values leave n_t rows of table t, of which c_t(v) have the sensitive value v. Which
values are possible is certain, and needs no belief. Their probabilities do. The person's value has
the prior law pi. In each table the other n_t - 1 people behind the matching rows have values that
are drawn independently from the law q of the population; rows are in random order, and the tables
are independent given the person's value. Then the matching rows of table t are seen with
probability proportional to c_t(v) / q(v), hence

    P(v | all tables) = pi(v) prod_t c_t(v) / q(v), divided by the sum over all v.

This is the belief ``independent``. With pi and q uniform, the default, it is the product of the
frequencies in the tables; that is, of all ways to choose one matching row in every table so that
they agree on the value, each is equally likely. With q uniform alone it is the prior times that
product. With pi = q, a person like everybody else, one table alone gives its frequencies,
c_t(v) / n_t.

The model is false where the same other people stand in several of the groups, or where tables were
made from each other. Candidates stay right whenever the person is in all tables and these are true.

Where not all shared columns are known exactly, matching rows may contradict each other: one under
30, one over 35. The belief ``consistent`` leaves out the ways to choose rows that do
(`consistent_choices`), and counts the others alike. Its candidates can be fewer, and they are
certain on the same grounds. With all shared columns known exactly, both beliefs are the same.

A sensitive cell that is a set S counts for each of its values v, with c_t(S) / q(S) in the place of
c_t(v) / q(v), where q(S) sums over the values of S. That assumes coarsening at random: all values
of a set were equally likely to be published as this set. Which values there are is said by prior
and population; without them they are those that occur in the tables, in matching rows or others,
all equally likely. An empty cell is the set of all of them. Where rows agree on a set in which none
of these is, such as an interval between numbers that occur, nothing says which values it has: then
all ways to choose rows that agree are equally likely.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from twoworlds.attacks.tables.cells import ANYTHING, Alternative, Cell, Value, column_cells
from twoworlds.attacks.tables.table import read_lines
from twoworlds.errors import InvalidInput, TooLarge, UnknownName
from twoworlds.numbers import rational

Weights = Mapping[str, Fraction]
Cells = tuple[str | None, ...]
Way = tuple[Cell, Cells, int]  # what a choice of cells says, which they are, in how many ways

_BELIEFS = ("independent", "consistent")
_MOST = 1_000_000


class Sensitive:
    """The sensitive cells of all tables, read as one column: numbers, or texts.

    Cells that hold the same have one label, that of the first.
    """

    def __init__(self, tables: Iterable[Iterable[str | None]]) -> None:
        self.read = read_sensitive(tables)
        self._labels: dict[Alternative, str] = {}
        for cell in self.read.values():
            for one in cell.alternatives:
                self._labels.setdefault(one, one.text)
        self._values = {
            label: Cell(label, (one,))
            for one, label in self._labels.items()
            if isinstance(one, Value)
        }
        self._sets = [text for text, one in self.read.items() if not one.is_value]
        self._same: dict[Cell, list[str | None]] = {}  # the cells that say a value
        for text, cell in self.read.items():
            if cell.is_value:
                self._same.setdefault(cell, []).append(text)
        self.inside = cache(self._inside)
        self._met = cache(Cell.met)

    def named(self, cell: Cell) -> dict[str, bool]:
        """Return the labels of the alternatives of a cell, and whether each is a set."""
        return {
            self._labels.get(one, one.text): not isinstance(one, Value) for one in cell.alternatives
        }

    def ways(self, choices: Iterable[Way]) -> dict[str, int]:
        """Return for each alternative how many choices of rows say it."""
        found: dict[str, int] = {}
        for cell, _, number in choices:
            for label in self.named(cell):
                found[label] = found.get(label, 0) + number
        return found

    def choices(
        self,
        counted: Sequence[Mapping[str | None, int]],
        numbers: Mapping[Cells, int] | None = None,
    ) -> list[Way]:
        """Return each choice of a cell in every table that can be one person's."""
        found: list[Way] = [(self.read[text], (text,), n) for text, n in counted[0].items()]
        for counts in counted[1:]:
            found = [*self._extended(found, counts)]
        if numbers is None:
            return found
        return [(told, texts, numbers[texts]) for told, texts, _ in found if numbers.get(texts)]

    def _extended(self, found: Sequence[Way], counts: Mapping[str | None, int]) -> Iterator[Way]:
        """Add one more table; single values are looked up, sets are tried one by one."""
        made = 0
        for told, texts, number in found:
            tried: Iterable[str | None] = counts
            if told.is_value:
                tried = (*self._same.get(told, ()), *self._sets)
            for text in tried:
                both = self._met(told, self.read[text]) if text in counts else None
                if both is not None:
                    made += 1
                    if made > _MOST:
                        raise TooLarge(
                            f"the sensitive cells of the tables agree in more than {_MOST} ways: "
                            "round the values, or attack fewer tables at once"
                        )
                    yield both, (*texts, text), number * counts[text]

    def _inside(self, cell: Cell) -> tuple[str, ...]:
        """Return the values that occur and are in a cell."""
        if cell.is_value:
            return tuple(label for one in cell.alternatives if (label := self._labels.get(one)))
        return tuple(label for label, value in self._values.items() if cell.meets(value))


def read_sensitive(tables: Iterable[Iterable[str | None]]) -> dict[str | None, Cell]:
    """Read the cells of one column of all tables: numbers, or texts; what is empty is anything."""
    texts = dict.fromkeys(text for table in tables for text in table)
    cells = column_cells(text for text in texts if text is not None)
    return {text: ANYTHING if text is None else cells[text] for text in texts}


def consistent_choices(
    tables: Sequence[Mapping[Cells, int]],
    columns: Sequence[Sequence[str]],
    known: Mapping[str, str],
) -> dict[Cells, int]:
    """Count the choices of rows that agree in every column, by their sensitive cells.

    The tables are gone through one after the other, and choices that say the same about every
    column so far are counted together.
    """
    texts: dict[str | None, list[list[str | None]]] = {name: [[one]] for name, one in known.items()}
    for table, here in zip(tables, columns, strict=True):
        for place, name in enumerate((*here, None)):  # None: the sensitive column
            texts.setdefault(name, []).append([cells[place] for cells in table])
    read = {name: read_sensitive(said) for name, said in texts.items()}
    places = {name: place for place, name in enumerate(read)}
    start = [ANYTHING] * len(read)
    for column, value in known.items():
        start[places[column]] = read[column][value]
    met = cache(Cell.met)
    found: dict[tuple[tuple[Cell, ...], Cells], int] = {(tuple(start), ()): 1}
    for table, here in zip(tables, columns, strict=True):
        if len(found) * len(table) > _MOST:
            raise TooLarge(
                f"there are {len(found) * len(table)} kinds of choices to compare, and up to "
                f"{_MOST} are compared: tell more about the person, or use belief='independent'"
            )
        longer: dict[tuple[tuple[Cell, ...], Cells], int] = {}
        for ((said, chosen), ways), (cells, number) in product(found.items(), table.items()):
            now = list(said)
            for name, text in zip((None, *reversed(here)), reversed(cells), strict=True):
                both = met(now[places[name]], read[name][text])
                if both is None:
                    break
                now[places[name]] = both
            else:
                key = (tuple(now), (*chosen, cells[-1]))
                longer[key] = longer.get(key, 0) + ways * number
        found = longer
    choices: dict[Cells, int] = {}
    for (_, chosen), ways in found.items():
        choices[chosen] = choices.get(chosen, 0) + ways
    return choices


@dataclass(frozen=True)
class TableBelief:
    """A belief of this module."""

    name: str = "independent"  # ``independent`` or ``consistent``
    prior: Weights | None = None  # weights of the person's values; None for equal ones
    # Weights of the values of everybody else; None for equal ones
    population: Weights | None = None
    sets: bool = False  # whether sensitive cells of matching rows are sets

    @classmethod
    def read(cls, name: str, prior: object = None, population: object = None) -> TableBelief:
        """Read a belief with the weights that `read_weights` takes."""
        if name not in _BELIEFS:
            raise UnknownName("belief", name, _BELIEFS)
        return cls(name, read_weights(prior, "prior"), read_weights(population, "population"))

    @property
    def weighed(self) -> bool:
        """Whether weights are given."""
        return self.prior is not None or self.population is not None

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the probabilities rest on, besides the tables."""
        equal = "no value is likelier than another"
        laws = [f"beforehand {equal}, for this person and for the others in the same groups"]
        if self.weighed:
            mine, theirs = (
                f"values have the weights {', '.join(f'{v} {w}' for v, w in given.items())}"
                if given
                else equal
                for given in (self.prior, self.population)
            )
            laws = [f"for this person {mine} beforehand", f"for everybody else {theirs}"]
        rows = (
            "before its value is seen, every matching row of a table is equally likely to be this "
            "person's"
        )
        if self.name == "consistent":
            rows = (
                "before the values are seen, all ways to choose a matching row in every table that "
                "do not contradict each other in any column are equally likely"
            )
        coarse = "all values of a set were equally likely to be published as this set"
        if not self.weighed:
            coarse += (
                ", and there are no other values than those that occur in the tables (where "
                "none of them is in a set, all ways to choose rows that agree are equally likely)"
            )
        return (
            "this person is in every table, and the tables are true",
            rows,
            *laws,
            *([coarse] if self.sets else []),
            "the other people behind the matching rows of one table are independent of those of "
            "another",
        )

    def fields(self) -> dict[str, Any]:
        """Return what JSON has of it, with what it assumes."""
        return {
            "belief": self.name,
            "prior": self.prior,
            "population": self.population,
            "assumptions": self.assumptions,
        }

    def posterior(self, choices: Sequence[Way], cells: Sensitive) -> dict[str, Fraction]:
        """Return the probability of each value that choices of rows leave."""
        weights = self.weights(choices, cells)
        total = sum(weights.values())
        return {label: Fraction(one) / total for label, one in weights.items()} if total else {}

    def weights(self, choices: Sequence[Way], cells: Sensitive) -> dict[str, Fraction | int]:
        """Return how likely each value is, up to a factor.

        Without prior and population, sets are spread over the values that occur.
        """
        if self.weighed:
            return self._weighed(choices, cells)
        weights: dict[str, Fraction | int] = {}
        for cell, texts, ways in choices:
            inside = cells.inside(cell)
            if not inside:
                return {**cells.ways(choices)}
            spread = prod(len(cells.inside(cells.read[text])) for text in texts)
            for label in inside:
                weights[label] = weights.get(label, 0) + (
                    ways if spread == 1 else Fraction(ways, spread)
                )
        return weights

    def _weighed(self, choices: Sequence[Way], cells: Sensitive) -> dict[str, Fraction | int]:
        named = dict.fromkeys([*(self.prior or ()), *(self.population or ())])
        candidates = dict.fromkeys(cell for cell, _, _ in choices)
        possible = [v for v in named if any(candidate.allows(v) for candidate in candidates)]
        for candidate in candidates:
            if not any(candidate.allows(value) for value in possible):
                raise InvalidInput(
                    f"no weight is given for {candidate.text!r}, which the tables allow: name it, "
                    "with weight 0 in the prior if it is impossible"
                )
        prior = _of("prior", self.prior, possible)
        _of("population", self.population, possible)
        population = self.population or dict.fromkeys(named, Fraction(1))
        shares = {
            text: sum((q for v, q in population.items() if cells.read[text].allows(v)), Fraction(0))
            for _, texts, _ in choices
            for text in texts
        }
        weights: dict[str, Fraction | int] = {}
        for cell, texts, ways in choices:
            weight = Fraction(ways) / prod((shares[text] for text in texts), start=Fraction(1))
            for value in possible:
                if prior[value] and cell.allows(value):
                    weights[value] = weights.get(value, 0) + prior[value] * weight
        return weights


def read_weights(given: object, name: str) -> dict[str, Fraction] | None:
    """Read weights, if given: a mapping, text such as ``AIDS=1/100, Flu=1/4``, or a CSV file.

    Only the ratios of weights matter, so they need not sum to 1. A CSV file has the values in its
    first column and the weights in its second; its first line is a header unless it has a weight.
    """
    if given is None:
        return None
    if isinstance(given, Mapping):
        pairs = [(str(value), weight) for value, weight in given.items()]
    elif isinstance(given, Path) or (isinstance(given, str) and "=" not in given):
        pairs = _from_file(Path(given), name)
    elif isinstance(given, str):
        pairs = [_pair(part, name) for part in given.split(",") if part.strip()]
    else:
        raise InvalidInput(f"{name}={given!r}: give weights such as 'AIDS=1/100, Flu=1/4'")
    weights: dict[str, Fraction] = {}
    for value, weight in pairs:
        if value in weights:
            raise InvalidInput(f"{name}: {value!r} is named twice")
        weights[value] = rational(weight, f"{name} of {value!r}")
        if weights[value] < 0:
            raise InvalidInput(f"{name} of {value!r} is {weight}: a weight is not negative")
    if not any(weights.values()):
        raise InvalidInput(f"{name} gives no value a weight above 0")
    return weights


def _pair(part: str, name: str) -> tuple[str, object]:
    value, equals, weight = part.rpartition("=")
    if not equals:
        raise InvalidInput(
            f"{name}: {part.strip()!r} has no weight: write 'AIDS=1/100, Flu=1/4', or give a CSV "
            "file where values hold commas"
        )
    return value.strip(), weight


def _from_file(path: Path, name: str) -> list[tuple[str, object]]:
    what = f"{name}={str(path)!r} is no weights such as 'AIDS=1/100, Flu=1/4', and as a file it"
    first, *rows = read_lines(path, what) or [[]]
    try:  # a header is what has no weight
        rational([*first, "", ""][1], "weight")
        rows = [first, *rows]
    except InvalidInput:
        pass
    if short := next((row for row in rows if len(row) < 2), None):
        raise InvalidInput(f"{path}: {short[0]!r} has no weight beside it")
    return [(row[0].strip(), row[1]) for row in rows]


def _of(name: str, weights: Weights | None, possible: Sequence[str]) -> dict[str, Fraction]:
    """Return the weights of what is possible; equal ones where none are given."""
    if weights is None:
        return dict.fromkeys(possible, Fraction(1))
    for value in possible:
        if value not in weights:
            raise InvalidInput(f"the {name} says nothing about {value!r}: name it as well")
        if name == "population" and not weights[value]:
            raise InvalidInput(
                f"the population gives {value!r} the weight 0, and yet the tables show it: give "
                "it a weight above 0"
            )
    return {value: weights[value] for value in possible}
