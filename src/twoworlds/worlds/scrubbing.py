"""What is private and what is scrubbed: the pairs (alt, priv) of coupled worlds.

A `Scrub` names one private part of the database (priv) and the scrubbed database that the ideal
world is given instead (alt), which may be random. A guarantee speaks of a list of them, the Gamma
of Bassily, Groce, Katz & Smith, Section II-C, which names the examples built here:

    builder              priv                          alt
    persons              one record of a list          the list without it
    members              one named person's entry      the database without that person
    public_attributes    one record's private fields   the list with only those blanked
    schools              one pupil's record            the list without the whole school
    firms                one firm's entry              the list with noise added to that entry
    own                  the user's function           the user's function, possibly random

Whether the scrubbed database carries the index of the person who was taken out is a choice:
Definition 3 as printed gives the simulator x_-i alone; with ``tagged`` it gets (i, x_-i), which can
only help it. In a graph everybody else keeps their name, which shows who is missing, so that there
`members` are always tagged.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, number, show, whole
from twoworlds.worlds.joint import as_law, law_at, plain_label, value_at
from twoworlds.worlds.universe import Point, Universe

_SEPARATORS = "|/:"


TOLD = ", and whose is told"
"""What tagging adds to the words of a pair."""


@dataclass(frozen=True)
class Tagged:
    """A scrubbed database together with the name of whom it is scrubbed of."""

    tag: Hashable
    database: Point

    def __str__(self) -> str:
        return f"{plain_label(self.database)} without {self.tag}"


@dataclass(frozen=True)
class Scrub:
    """One pair (alt, priv).

    Attributes:
        name: whose privacy it is, such as "person 1".
        private: priv, a function of the database.
        scrubbed: alt, a function of the database; its value may be a mapping, a law.
        how: what alt does, in words, such as "their record is taken out".
    """

    name: str
    private: Callable[[Any], Hashable]
    scrubbed: Callable[[Any], Any]
    how: str = ""

    def law(self, database: Point) -> Mapping[Hashable, Number]:
        """Return the law of the scrubbed database."""
        return as_law(self.scrubbed(database))

    def tagged(self) -> Scrub:
        """Return the pair whose scrubbed database carries the name of whom it is scrubbed of.

        >>> print(persons(2)[0].tagged().scrubbed(("a", "b")))
        b without person 1
        """

        def scrubbed(x: Point) -> Any:
            value = self.scrubbed(x)
            if isinstance(value, Mapping):
                return {Tagged(self.name, y): chance for y, chance in value.items()}
            return Tagged(self.name, value)

        return Scrub(self.name, self.private, scrubbed, f"{self.how}{TOLD}")


def persons(n: object, *, tagged: bool = False) -> tuple[Scrub, ...]:
    """Return one pair for each of n persons: priv is their record, alt the list without it.

    >>> first, second = persons(2)
    >>> first.private(("a", "b")), first.scrubbed(("a", "b")), second.scrubbed(("a", "b"))
    ('a', ('b',), ('a',))
    """
    found = [_without(i, [i], "their record is taken out") for i in range(_count(n))]
    return _tagged(found, tagged=tagged)


def members(
    universe: Universe, chosen: Sequence[object] | None = None, *, tagged: bool = False
) -> tuple[Scrub, ...]:
    """Return one pair for each person of a universe, or for those chosen.

    Persons of a sampled population are named, so that priv is what their entry says or that they
    are absent, whatever the order and the number of those sampled.

    >>> from twoworlds.worlds.records import BitStrings
    >>> [pair.name for pair in members(BitStrings(3), [3])]
    ['person 3']
    """
    noun = universe.noun
    how = "their record is taken out" if noun == "person" else "it is taken out with its edges"

    def pair(member: Hashable) -> Scrub:
        def private(x: Point) -> Hashable:
            return universe.part(x, member)

        return Scrub(f"{noun} {member}", private, lambda x: universe.without(x, member), how)

    found = [pair(member) for member in universe.chosen(chosen)]
    return _tagged(found, tagged=tagged or universe.shows_missing)


def public_attributes(
    n: object, public: Sequence[object], *, blank: Hashable = "?", tagged: bool = False
) -> tuple[Scrub, ...]:
    """Return one pair for each of n persons, some fields of whose records are public.

    A record is a tuple of fields, or a text with fields between ``|``, ``/`` or ``:``; fields
    count from 1. priv is the private fields; alt puts ``blank`` in their place and keeps the rest,
    so that the person still counts.

    >>> first, _ = public_attributes(2, [1])
    >>> x = (("young", "ill"), ("old", "well"))
    >>> first.private(x), first.scrubbed(x)
    ('ill', (('young', '?'), ('old', 'well')))
    """
    shown = sorted({whole(field, "public field", at_least=1) for field in public})
    if not shown:
        raise InvalidInput("no field is public: name at least one, such as [1], or use persons")

    def pair(i: int) -> Scrub:
        def private(x: Point) -> Hashable:
            fields, _ = _fields(_record(x, i), shown)
            hidden = tuple(field for k, field in enumerate(fields, 1) if k not in shown)
            return hidden[0] if len(hidden) == 1 else hidden

        def scrubbed(x: Point) -> Hashable:
            fields, mark = _fields(_record(x, i), shown)
            kept = tuple(f if k in shown else blank for k, f in enumerate(fields, 1))
            record = kept if mark is None else mark.join(map(str, kept))
            return (*x[:i], record, *x[i + 1 :])

        return Scrub(f"person {i + 1}", private, scrubbed, "their private fields are blanked")

    return _tagged([pair(i) for i in range(_count(n))], tagged=tagged)


def schools(
    groups: Sequence[Sequence[object]], n: object, *, tagged: bool = False
) -> tuple[Scrub, ...]:
    """Return one pair for each pupil: priv is their record, alt the list without their school.

    Everybody is in one school; who stands alone is a school of one.

    >>> first, second, third = schools([[1, 2], [3]], 3)
    >>> x = ("a", "b", "c")
    >>> second.private(x), second.scrubbed(x), third.scrubbed(x)
    ('b', ('c',), ('a', 'b'))
    """
    count = _count(n)
    school: dict[int, int] = {}
    for number_of, group in enumerate(groups, 1):
        if not group:
            raise InvalidInput(f"school {number_of} is empty: name its pupils")
        for pupil in group:
            person = whole(pupil, "pupil", at_least=1)
            if person > count:
                raise InvalidInput(f"pupil {person}: there are {count} persons, counted from 1")
            if person in school:
                raise InvalidInput(
                    f"person {person} is in schools {school[person]} and {number_of}: "
                    "schools must not overlap"
                )
            school[person] = number_of
    for person in range(1, count + 1):
        if person not in school:
            raise InvalidInput(
                f"person {person} is in no school, so that nothing would protect them: "
                f"add them to one, or [{person}] as a school of its own"
            )
    return _tagged(
        [
            _without(
                i,
                [j for j in range(count) if school[j + 1] == school[i + 1]],
                f"all records of school {school[i + 1]} are taken out",
            )
            for i in range(count)
        ],
        tagged=tagged,
    )


def firms(
    n: object,
    noise: Mapping[Any, object],
    *,
    low: int | None = None,
    high: int | None = None,
    tagged: bool = False,
) -> tuple[Scrub, ...]:
    """Return one pair for each of n firms: priv is its entry, alt adds noise to that entry.

    Entries and noise are whole numbers. A noisy entry is clipped to ``low`` and ``high`` where they
    are given (the probabilities of what lies beyond are added up there); else it may leave the
    values that entries have.

    >>> (only,) = firms(1, {-1: "1/4", 0: "1/2", 1: "1/4"}, low=0)
    >>> only.private((0,)), only.scrubbed((0,))
    (0, {(0,): Fraction(3, 4), (1,): Fraction(1, 4)})
    """
    law = as_law({_whole_noise(step): number(mass, "noise") for step, mass in noise.items()})
    if low is not None and high is not None and low > high:
        raise InvalidInput(f"low={low} is above high={high}: no entry fits between")

    def clipped(value: int) -> int:
        raised = value if low is None else max(value, low)
        return raised if high is None else min(raised, high)

    ends = [f"{what} {end}" for what, end in (("below", low), ("above", high)) if end is not None]
    how = "noise is added to it" + (f", clipped {' and '.join(ends)}" if ends else "")

    def pair(i: int) -> Scrub:
        def scrubbed(x: Point) -> dict[Point, Number]:
            entry = _whole_entry(_record(x, i), i)
            found: dict[Point, Number] = {}
            for step, chance in law.items():
                noisy = (*x[:i], clipped(entry + step), *x[i + 1 :])
                found[noisy] = found[noisy] + chance if noisy in found else chance
            return found

        return Scrub(f"firm {i + 1}", lambda x: _record(x, i), scrubbed, how)

    return _tagged([pair(i) for i in range(_count(n))], tagged=tagged)


def own(
    name: str,
    private: Callable[[Any], Any],
    scrubbed: Callable[[Any], Any],
    *,
    tagged: bool = False,
) -> Scrub:
    """Return the pair of one's own functions; alt's value may be a mapping, a law.

    >>> pair = own("the largest", max, lambda x: tuple(sorted(x)[:-1]))
    >>> pair.private((3, 1, 2)), pair.scrubbed((3, 1, 2))
    (3, {(1, 2): Fraction(1, 1)})
    """
    pair = Scrub(
        name,
        lambda x: value_at(private, x, f"priv of {name}"),
        lambda x: law_at(scrubbed, x, f"alt of {name}"),
        "as given",
    )
    return pair.tagged() if tagged else pair


def _without(i: int, gone: Sequence[int], how: str) -> Scrub:
    def scrubbed(x: Point) -> Hashable:
        _record(x, max(gone))
        return tuple(record for j, record in enumerate(x) if j not in gone)

    return Scrub(f"person {i + 1}", lambda x: _record(x, i), scrubbed, how)


def _tagged(pairs: Sequence[Scrub], *, tagged: bool) -> tuple[Scrub, ...]:
    return tuple(pair.tagged() if tagged else pair for pair in pairs)


def _count(n: object) -> int:
    return whole(n, "persons", at_least=1)


def _record(x: Point, i: int) -> Any:
    if not isinstance(x, tuple) or len(x) <= i:
        raise InvalidInput(f"database {x!r} has no person {i + 1}: it must be a list of records")
    return x[i]


def _fields(record: object, shown: Sequence[int]) -> tuple[tuple[Hashable, ...], str | None]:
    """Return the fields of a record, and what separates them if it is a text."""
    fields: tuple[Hashable, ...] = record if isinstance(record, tuple) else ()
    mark = None
    if isinstance(record, str):
        mark = next((mark for mark in _SEPARATORS if mark in record), None)
        fields = tuple(record.split(mark)) if mark else ()
    if not fields:
        raise InvalidInput(
            f"record {record!r} has no fields: use tuples such as ('young', 'ill'), "
            "or texts such as young/ill"
        )
    if shown[-1] > len(fields):
        raise InvalidInput(
            f"field {shown[-1]} is named public, record {record!r} has {len(fields)} fields"
        )
    if len(shown) == len(fields):
        raise InvalidInput(f"all {len(fields)} fields are public: nothing is left to protect")
    return fields, mark


def _whole_noise(step: object) -> int:
    value = number(step, "noise")
    if not isinstance(value, Fraction) or value.denominator != 1:
        raise InvalidInput(
            f"noise of {show(value)} is not a whole number, the entries are: count entries and "
            "noise in a smaller unit (cents instead of euros), or round the noise first"
        )
    return int(value)


def _whole_entry(entry: object, i: int) -> int:
    if isinstance(entry, bool) or not isinstance(entry, int):
        raise InvalidInput(
            f"the entry of firm {i + 1} is {entry!r}, noise needs whole numbers: count in a "
            "smaller unit, or give functions of your own"
        )
    return entry
