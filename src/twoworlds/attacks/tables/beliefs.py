"""How likely each candidate is, under a belief that is stated.

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
30, one over 35. The belief ``consistent`` leaves out the ways to choose rows that do, and counts
the others alike. Its candidates can be fewer, and they are certain on the same grounds. With all
shared columns known exactly, both beliefs are the same.

A sensitive cell that is a set S counts for each of its values v, with c_t(S) / q(S) in the place of
c_t(v) / q(v), where q(S) sums over the values of S. That assumes coarsening at random: all values
of a set were equally likely to be published as this set. Which values there are is said by prior
and population; without them they are those that occur in the tables, in matching rows or others,
all equally likely. An empty cell is the set of all of them. Where rows agree on a set in which none
of these is, such as an interval between numbers that occur, nothing says which values it has: then
all ways to choose rows that agree are equally likely.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

from twoworlds.attacks.tables.agreement import Candidate, Sensitive, Way, ways_of
from twoworlds.attacks.tables.table import read_lines
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.numbers import rational

Weights = Mapping[str, Fraction]

_BELIEFS = ("independent", "consistent")


@dataclass(frozen=True)
class TableBelief:
    """A belief of this module."""

    name: str = "independent"  # ``independent`` or ``consistent``
    prior: Weights | None = None  # weights of the person's values; None for equal ones
    # Weights of the values of everybody else; None for equal ones
    population: Weights | None = None
    sets: bool = False  # whether sensitive cells of matching rows are sets

    def __post_init__(self) -> None:
        if self.name not in _BELIEFS:
            raise UnknownName("belief", self.name, _BELIEFS)

    @classmethod
    def read(cls, name: str, prior: object = None, population: object = None) -> TableBelief:
        """Read a belief with the weights that `read_weights` takes."""
        return cls(
            name,
            None if prior is None else read_weights(prior, "prior"),
            None if population is None else read_weights(population, "population"),
        )

    @property
    def weighed(self) -> bool:
        """Whether weights are given."""
        return self.prior is not None or self.population is not None

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the probabilities rest on, besides the tables."""
        equal = "no value is likelier than another"
        mine, theirs = (
            equal if given is None else f"values have the weights {_said(given)}"
            for given in (self.prior, self.population)
        )
        laws = [f"beforehand {equal}, for this person and for the others in the same groups"]
        if self.weighed:
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
        return (
            "this person is in every table, and the tables are true",
            rows,
            *laws,
            *self._coarsening,
            "the other people behind the matching rows of one table are independent of those of "
            "another",
        )

    @property
    def _coarsening(self) -> tuple[str, ...]:
        if not self.sets:
            return ()
        said = "all values of a set were equally likely to be published as this set"
        if self.weighed:
            return (said,)
        return (
            f"{said}, and there are no other values than those that occur in the tables (where "
            "none of them is in a set, all ways to choose rows that agree are equally likely)",
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
        for told, _, ways in choices:
            if not told.inside:
                return {**ways_of(choices)}
            weight = ways if told.spread == 1 else Fraction(ways, told.spread)
            for label in told.inside:
                weights[label] = weights.get(label, 0) + weight
        return weights

    def _weighed(self, choices: Sequence[Way], cells: Sensitive) -> dict[str, Fraction | int]:
        named = dict.fromkeys([*(self.prior or ()), *(self.population or ())])
        candidates = dict.fromkeys(told.candidate for told, _, _ in choices)
        possible = [v for v in named if any(candidate.allows(v) for candidate in candidates)]
        _check(candidates, possible)
        prior = _of("prior", self.prior, possible)
        _of("population", self.population, possible)
        population = self.population or dict.fromkeys(named, Fraction(1))
        said = {text: cells.read[text] for _, texts, _ in choices for text in texts}
        shares = {
            text: sum((q for v, q in population.items() if one.allows(v)), start=Fraction(0))
            for text, one in said.items()
        }
        weights: dict[str, Fraction | int] = {}
        for told, texts, ways in choices:
            weight = Fraction(ways) / prod((shares[text] for text in texts), start=Fraction(1))
            for value in possible:
                if prior[value] and told.candidate.allows(value):
                    weights[value] = weights.get(value, 0) + prior[value] * weight
        return weights


def read_weights(given: object, name: str) -> dict[str, Fraction]:
    """Read weights: a mapping, text such as ``AIDS=1/100, Flu=1/4``, or a CSV file.

    Only the ratios of weights matter, so they need not sum to 1. A CSV file has the values in its
    first column and the weights in its second; its first line is a header unless it has a weight.
    """
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
    rows = read_lines(path, what)
    if rows and not _is_weight(rows[0]):
        del rows[0]
    if short := next((row for row in rows if len(row) < 2), None):
        raise InvalidInput(f"{path}: {short[0]!r} has no weight beside it")
    return [(row[0].strip(), row[1]) for row in rows]


def _is_weight(row: Sequence[str]) -> bool:
    try:
        rational(row[1] if len(row) > 1 else "", "weight")
    except InvalidInput:
        return False
    return True


def _check(candidates: Iterable[Candidate], named: Sequence[str]) -> None:
    for candidate in candidates:
        if not any(candidate.allows(value) for value in named):
            raise InvalidInput(
                f"no weight is given for {candidate.label!r}, which the tables allow: name it, "
                "with weight 0 in the prior if it is impossible"
            )


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


def _said(weights: Weights) -> str:
    return ", ".join(f"{value} {weight}" for value, weight in weights.items())
