"""Privacy definitions: what is asked of a mechanism.

A `PrivacyDefinition` answers two questions about a mechanism: `tightest`, the smallest numbers with
which it holds, and `check`, whether it holds with the numbers given. Both come as a `Verdict` that
names its neighbour relation and shows its witness. A definition that is a condition on single
likelihood rows says so by its `row_constraints` (Lin & Kifer, Section 4.2.4). `Compared` is the
common part of the definitions that compare neighbouring worlds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar, Generic, TypeVar

from twoworlds.definitions.verdict import Proof, Verdict
from twoworlds.definitions.words import Subject, protection
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.comparison import Comparison, Family, unlike
from twoworlds.mechanisms import EachRecord, Mechanism
from twoworlds.numbers import (
    INFINITY,
    Number,
    Real,
    at_most_one,
    exact_text,
    exp,
    number,
    ratio_at_least_one,
)
from twoworlds.worlds import SUBSTITUTE, Point, Records, Universe, check_group, resolve

_LARGEST_ORDER = 10**6

T = TypeVar("T")


class Given(Generic[T]):
    """A field of a definition that is read from whatever is given for it, or refused; None is none.

    >>> from twoworlds.definitions.semantics.privacy import SemanticPrivacy
    >>> SemanticPrivacy(epsilon="1/4").epsilon
    Fraction(1, 4)
    """

    def __init__(self, read: Callable[[object, str], T], default: object = None) -> None:
        self.read, self.default = read, default

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, one: object, owner: type | None = None) -> T:
        # A class is asked for its default by `dataclass`.
        found: T = self.default if one is None else one.__dict__[self.name]  # type: ignore[assignment]
        return found

    def __set__(self, one: object, value: object) -> None:
        one.__dict__[self.name] = None if value is None else self.read(value, self.name)


class PrivacyDefinition(ABC):
    """A property that a mechanism may have.

    Attributes:
        name: in words.
        call: what one types.
        numbers: the fields that make a claim; the last is the one that is found, and compared.
        unclaimed: what to say where one of them is missing.
    """

    name: str
    call: ClassVar[str] = ""
    numbers: ClassVar[tuple[str, ...]] = ()
    unclaimed: ClassVar[str] = ""

    @abstractmethod
    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the smallest numbers with which the definition holds, and the worst case."""

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide whether the definition holds with its own numbers."""
        given = {name: getattr(self, name) for name in self.numbers}
        if None in given.values():
            raise InvalidInput(self.unclaimed)
        found, name = self.tightest(mechanism), self.numbers[-1]
        numbers = ", ".join(f"{n}={exact_text(number(value, n))}" for n, value in given.items())
        return found.against(
            self._called(numbers),
            found.values[name],
            given[name],
            broken=self.broken(mechanism, found, given[name]),
        )

    def _called(self, numbers: str) -> str:
        """Write the claim as one would type it."""
        return f"{self.call}({numbers})"

    def broken(self, mechanism: Mechanism, found: Verdict, claimed: Number) -> str | None:
        """Say what does not hold of a claim that is false; None for what is found."""
        return None

    def row_constraints(self, universe: Universe) -> Iterator[Mapping[Point, Number]]:
        """Yield the linear constraints on likelihood rows that the definition consists of.

        Each is a mapping from databases to coefficients c and says sum c[D] x_D >= 0 for the row
        x of every output. That x_D >= 0 goes without saying.
        """
        raise self._no_row_constraints()

    def found(
        self,
        mechanism: Mechanism,
        values: Mapping[str, Number],
        sentence: str,
        assumptions: tuple[str, ...],
        *,
        witness: Proof | None = None,
        method: str = "",
        notes: tuple[str, ...] = (),
        more: tuple[str, ...] = (),
    ) -> Verdict:
        """Return the verdict that states these numbers of a mechanism, and claims nothing."""
        return Verdict(
            mechanism.expression,
            self.name,
            values,
            sentence,
            assumptions,
            witness=witness,
            method=method,
            notes=notes,
            exact=mechanism.exact,
            more=more,
        )

    def _assign(self, **fields: object) -> None:
        """Set the fields of a frozen definition."""
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _no_row_constraints(self) -> Unsupported:
        return Unsupported(
            f"{self.name} is not given by linear constraints on single likelihood rows, so no row "
            "cone is computed for it: use dp with delta 0, as in 'dp(ratio=3)', pufferfish or "
            "noiseless with delta 0, "
            "gamma-amplification, frapp or linear"
        )


@dataclass(frozen=True)
class Setting:
    """A mechanism together with the neighbour relation that is meant on it."""

    mechanism: Mechanism
    relation: str
    group: int

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Say when two databases are neighbours."""
        words = self.mechanism.universe.explain(self.relation)
        group = "" if self.group == 1 else f", up to {self.group} such steps apart"
        where = self.mechanism.universe.expression
        return (f"neighbours by {self.relation} in {where}: {words}{group}",)

    @property
    def subject(self) -> Subject:
        """Whom the sentences speak of."""
        universe = self.mechanism.universe
        subject = Subject.of(self.group, self.relation, universe)
        single = isinstance(universe, Records) and universe.n == 1
        substituted = subject.one_person and self.relation == SUBSTITUTE
        alone = substituted and (single or isinstance(self.mechanism, EachRecord))
        return replace(subject, alone=alone)


@dataclass(frozen=True, kw_only=True)
class Compared(PrivacyDefinition):
    """A definition that compares all neighbouring worlds.

    Attributes:
        neighbours: "substitute", "add-remove", listed pairs, or None for the universe's own.
        group: how many people may differ at once.
    """

    neighbours: str | Iterable[tuple[object, object]] | None = None
    group: int = field(default=1)

    def __post_init__(self) -> None:
        self._assign(group=check_group(self.group))

    @property
    def beside(self) -> str:
        """The neighbours and the group, as arguments of the claim, where they were chosen."""
        parts = ""
        if isinstance(self.neighbours, str):
            listed = "~" in self.neighbours
            parts = (
                f", neighbours={self.neighbours!r}" if listed else f", neighbours={self.neighbours}"
            )
        elif self.neighbours is not None:
            parts = ", neighbours=listed pairs"
        return parts + ("" if self.group == 1 else f", group={self.group}")

    def _called(self, numbers: str) -> str:
        return f"{self.call}({numbers}{self.beside})"

    def setting(self, mechanism: Mechanism) -> Setting:
        """Resolve the neighbour relation on a mechanism's universe."""
        universe, relation = resolve(mechanism.universe, self.neighbours)
        if universe is not mechanism.universe:
            mechanism = mechanism.over(universe)
        return Setting(mechanism, relation, self.group)

    def pairs(self, mechanism: Mechanism) -> tuple[Setting, Family, list[Comparison]]:
        """Return the mechanism with its neighbours, and the comparisons that are not alike."""
        if not mechanism.exact:
            raise Unsupported(
                f"{mechanism.expression} is known in floats, whose columns sum to 1 only nearly, "
                f"and {self.name} is sensitive to that: write the matrix as fractions, in a .csv "
                "file"
            )
        setting = self.setting(mechanism)
        family = setting.mechanism.family(setting.relation, self.group)
        return setting, family, unlike(family)

    def guessed(
        self,
        mechanism: Mechanism,
        setting: Setting,
        family: Family,
        values: Mapping[str, Number],
        more: tuple[str, ...],
        *,
        witness: Proof,
        method: str = "",
        notes: tuple[str, ...] = (),
    ) -> Verdict:
        """Return the verdict that says a guess at even odds first, and keeps the rest behind."""
        chance = at_most_one(1 - (1 - at_most_one(family.gap(Fraction(1))[1].delta)) / 2)
        certain = family.gap(INFINITY)[1].delta
        return self.found(
            mechanism,
            {**values, "guess": chance},
            protection(setting.subject, chance, certain),
            setting.assumptions,
            witness=witness,
            method=method or family.method,
            notes=notes,
            more=more,
        )


@dataclass(frozen=True, init=False)
class RatioAndDelta(Compared):
    """A definition with two numbers: a ratio e^epsilon and a probability delta of failing it."""

    ratio: Number | None
    delta: Number

    def __init__(
        self,
        *,
        ratio: object = None,
        epsilon: object = None,
        delta: object = 0,
        neighbours: str | Iterable[tuple[object, object]] | None = None,
        group: int = 1,
    ) -> None:
        self._assign(ratio=read_ratio(ratio, epsilon), delta=read_delta(delta))
        super().__init__(neighbours=neighbours, group=group)


def read_ratio(ratio: object, epsilon: object) -> Number | None:
    """Read e^epsilon from whichever of the two is given."""
    if ratio is not None and epsilon is not None:
        raise InvalidInput(f"ratio={ratio} and epsilon={epsilon}: give one of them, not both")
    if ratio is not None:
        return ratio_at_least_one(ratio)
    if epsilon is None:
        return None
    value = number(epsilon, "epsilon")
    if value < 0:
        raise InvalidInput(f"epsilon={epsilon} is negative: epsilon is at least 0")
    return exp(value)


def read_delta(delta: object, name: str = "delta") -> Number:
    """Read a probability between 0 and 1."""
    value = number(delta, name)
    if value < 0 or value > 1:
        raise InvalidInput(f"{name}={delta} is out of range: it is a probability from 0 to 1")
    return value


def read_amount(value: object, name: str) -> Number:
    """Read a number of at least 0, possibly infinite."""
    found = number(value, name)
    if found < 0:
        raise InvalidInput(f"{name}={value} is negative: {name} is at least 0")
    return found


def read_order(order: object, name: str = "order") -> Fraction:
    """Read the order of a Renyi divergence: a rational above 1."""
    found = number(order, name)
    if found == INFINITY:
        raise InvalidInput(
            "order=inf: the divergence of infinite order is the epsilon of dp: ask for dp instead"
        )
    if isinstance(found, Real) or not 1 < found <= _LARGEST_ORDER:
        raise InvalidInput(
            f"order={order}: the order of a divergence is a fraction above 1, and at most "
            f"{_LARGEST_ORDER}, such as 2 or 3/2"
        )
    return found
