"""Claims about a table: k-anonymous, l-diverse, t-close, checked exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from twoworlds.attacks.anonymity.answer import Claim, Measures
from twoworlds.attacks.anonymity.groups import Grouping
from twoworlds.attacks.anonymity.measures import recursive_diversity
from twoworlds.errors import InvalidInput
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    compare,
    number,
    probability,
    rational,
    show,
    whole,
)

__all__ = ["Claims"]


@dataclass(frozen=True)
class Claims:
    """What is claimed of every group; None where nothing is.

    Attributes:
        k: It has at least so many people.
        diversity: It has at least so many sensitive values.
        entropy: Its e^H is at least this.
        recursive: (c, l): r_1 < c (r_l + ... + r_m).
        closeness: It is at most so far from the whole table.
        distance: By which distance; None: ordered if all sensitive values are numbers.
    """

    k: int | None = None
    diversity: int | None = None
    entropy: Number | None = None
    recursive: tuple[Number, int] | None = None
    closeness: Number | None = None
    distance: str | None = None

    @classmethod
    def read(
        cls,
        k: object,
        diversity: object,
        entropy: object,
        recursive: tuple[object, object] | None,
        closeness: object,
        distance: str | None,
        sensitive: str | None,
    ) -> Claims:
        """Read claims.

        Raises:
            InvalidInput: for numbers out of range, and for diversity without a sensitive column.
        """
        about_values = (diversity, entropy, recursive, closeness)
        if sensitive is None and any(claim is not None for claim in about_values):
            raise InvalidInput(
                "diversity and closeness are about a sensitive column: name it with sensitive"
            )
        if distance not in (None, "equal", "ordered"):
            raise InvalidInput(f"distance={distance!r}: choose 'equal' or 'ordered'")
        return cls(
            None if k is None else whole(k, "k", at_least=1),
            None if diversity is None else whole(diversity, "l", at_least=1),
            None if entropy is None else _at_least_one(entropy),
            None if recursive is None else _recursive(recursive),
            None if closeness is None else probability(closeness, "t"),
            distance,
        )

    def checked(self, groups: Grouping, found: Measures) -> Iterator[Claim]:
        """Yield each claim with what was found."""
        if self.k is not None:
            small = f"the smallest group has {found.k:,}"
            yield Claim(f"{self.k}-anonymous", found.k >= self.k, small)
        if self.diversity is not None and found.distinct is not None:
            least = len(found.distinct.group.counts)
            said = f"the fewest sensitive values in a group are {least:,}"
            yield Claim(f"{self.diversity}-diverse", least >= self.diversity, said)
        if self.entropy is not None and found.entropy is not None:
            value = found.entropy.value
            holds = _at_most(self.entropy, value)
            said = f"the least e^H is {show(value, side='at least')}"
            yield Claim(f"entropy {show(self.entropy)}-diverse", holds, said)
        if self.recursive is not None:
            yield self._recursive(groups)
        if self.closeness is not None:
            yield self._closeness(found)

    def _recursive(self, groups: Grouping) -> Claim:
        assert self.recursive is not None
        factor, values = self.recursive
        worst = recursive_diversity(groups, values).value
        said = (
            f"the most frequent value is up to {show(worst, side='up')} times the others from l on"
        )
        if worst == INFINITY:
            said = f"some group has fewer than {values} sensitive values"
        return Claim(
            f"recursive ({show(factor)}, {values})-diverse",
            compare(worst, factor) is Order.LESS,
            said,
        )

    def _closeness(self, found: Measures) -> Claim:
        assert self.closeness is not None
        chosen = self.distance or ("equal" if found.ordered is None else "ordered")
        worst = found.ordered if chosen == "ordered" else found.equal
        if worst is None:
            raise InvalidInput(
                "the ordered distance needs numbers, and not all sensitive values are plain ones: "
                "use the equal distance"
            )
        holds = _at_most(worst.value, self.closeness)
        text = f"{show(self.closeness)}-close by the {chosen} distance"
        return Claim(text, holds, f"the farthest group is {show(worst.value)} away")


def _at_most(one: Number, other: Number) -> bool | None:
    order = compare(one, other)
    return None if order is Order.UNDECIDED else order is not Order.GREATER


def _at_least_one(value: object) -> Number:
    read = number(value, "entropy")
    if read < 1:
        raise InvalidInput(f"entropy={value}: e^H is at least 1, whatever the table")
    return read


def _recursive(pair: object) -> tuple[Number, int]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise InvalidInput(f"recursive={pair!r}: give two numbers (c, l), such as (3, 2)")
    factor = rational(pair[0], "c")
    if factor <= 0:
        raise InvalidInput(f"c={pair[0]}: the factor of recursive diversity is above 0")
    return factor, whole(pair[1], "l", at_least=1)
