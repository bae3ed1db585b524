"""Privacy definitions: what is asked of a mechanism.

A `PrivacyDefinition` answers two questions about a mechanism: `tightest`, the smallest numbers with
which it holds, and `check`, whether it holds with the numbers given. Both come as a `Verdict` that
names its neighbour relation and shows its witness. `Compared` is the common part of the
definitions that compare neighbouring worlds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field

from twoworlds.definitions.verdict import Verdict
from twoworlds.definitions.words import Subject
from twoworlds.mechanisms import Mechanism
from twoworlds.worlds import check_group, resolve

__all__ = ["Compared", "PrivacyDefinition", "Setting"]


class PrivacyDefinition(ABC):
    """A property that a mechanism may have."""

    name: str

    @abstractmethod
    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the smallest numbers with which the definition holds, and the worst case."""

    @abstractmethod
    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide whether the definition holds with its own numbers."""


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
        return Subject.of(self.group, self.relation)


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
        """Check the group size."""
        object.__setattr__(self, "group", check_group(self.group))

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

    def setting(self, mechanism: Mechanism) -> Setting:
        """Resolve the neighbour relation on a mechanism's universe."""
        universe, relation = resolve(mechanism.universe, self.neighbours)
        if universe is not mechanism.universe:
            mechanism = mechanism.over(universe)
        return Setting(mechanism, relation, self.group)
