"""Dwork's Assumption 2 on a finite law: which lengths of breach it allows.

A length ell is *usable* when (2a) given any breach of ell bits the utility vector has min-entropy
at least ell, and (2b) every database has a breach of ell bits. Part 1 lets all machines work with
databases of size up to n_gamma, which leaves out a chance below gamma.

Differs: it is printed that a length l_gamma <= l_0 exists that is usable on the short databases,
where l_0 is the least that is usable on all. It need not: leaving out long databases may take
away what made the utility vector unpredictable given a rare breach (`vanishing_length`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.attacks.auxiliary.laws import Case, Law, law_of
from twoworlds.cards.explained import Explained
from twoworlds.errors import InvalidInput
from twoworlds.numbers import probability, show, to_json

__all__ = ["Lengths", "usable_lengths", "vanishing_length"]


@dataclass(frozen=True)
class Lengths(Explained):
    """The usable lengths of a law, and of its short databases.

    Attributes:
        gamma: The chance that may be left out.
        size: The printed n_gamma: the least size with a chance below gamma of a larger one.
        beyond: The chance of a larger database.
        usable: Lengths that Assumption 2 allows on all databases.
        usable_short: Lengths that it allows on databases up to that size.
    """

    gamma: Fraction
    size: int
    beyond: Fraction
    usable: tuple[int, ...]
    usable_short: tuple[int, ...]

    @property
    def printed_step_fails(self) -> bool:
        """Whether no length up to l_0 is usable on the short databases."""
        return bool(self.usable) and not any(
            length <= self.usable[0] for length in self.usable_short
        )

    def explain(self) -> str:
        """Say which lengths are usable."""
        short = _listed(self.usable_short)
        step = (
            " So the length l_gamma up to l_0 that the printed proof takes does not exist."
            if self.printed_step_fails
            else ""
        )
        return (
            f"Usable on all databases: {_listed(self.usable)}. Databases larger than {self.size} "
            f"have a chance of {show(self.beyond)}, below gamma={show(self.gamma)}; usable on the "
            f"others: {short}.{step}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "gamma": to_json(self.gamma),
            "size": self.size,
            "beyond": to_json(self.beyond),
            "usable": list(self.usable),
            "usable_short": list(self.usable_short),
            "printed_step_fails": self.printed_step_fails,
            "explanation": self.explain(),
        }


def usable_lengths(law: Law, gamma: object) -> Lengths:
    """Return the lengths of breach that Assumption 2 allows.

    >>> found = usable_lengths(vanishing_length(), "1/10")
    >>> found.usable, found.usable_short
    ((1,), ())
    """
    tolerance = probability(gamma, "gamma")
    if not 0 < tolerance < 1:
        raise InvalidInput(f"gamma={tolerance} must lie strictly between 0 and 1")
    if not law.cases:
        raise InvalidInput("this law does not list its databases, so their sizes are not known")
    present = [case for case in law.cases if case.probability]
    beyond, size = Fraction(0), max(case.size for case in present)
    for at in sorted({case.size for case in present}, reverse=True):
        here = sum(case.probability for case in present if case.size == at)
        if beyond + here >= tolerance:
            size = at
            break
        beyond += here
    short = [case for case in present if case.size <= size]
    return Lengths(tolerance, size, beyond, _usable(present), _usable(short))


def _usable(cases: list[Case]) -> tuple[int, ...]:
    lengths = sorted({len(y) for case in cases for y in case.breaches})
    return tuple(length for length in lengths if _is_usable(cases, length))


def _is_usable(cases: list[Case], length: int) -> bool:
    joint: dict[str, dict[str, Fraction]] = {}
    for case in cases:
        breaches = sorted({y for y in case.breaches if len(y) == length})
        if not breaches:
            return False
        for y in breaches:
            views = joint.setdefault(y, {})
            share = case.probability / len(breaches)
            views[case.utility] = views.get(case.utility, Fraction(0)) + share
    return all(
        max(views.values()) * (1 << length) <= sum(views.values()) for views in joint.values()
    )


def vanishing_length() -> Law:
    """Return a law with a usable length that disappears when long databases are left out.

    Given the rare breach 1, the utility vector is a fair coin; but it is 1 only in the long one.
    """
    rows = (
        ("short-a", "0", "0", "9/20", 1),
        ("short-b", "1", "0", "9/20", 1),
        ("short-c", "0", "1", "1/20", 1),
        ("long", "1", "1", "1/20", 2),
    )
    return law_of(
        (Case(name, w, (y,), Fraction(p), size) for name, w, y, p, size in rows),
        name="a rare breach whose utility vector is unpredictable only with the long database",
    )


def _listed(lengths: tuple[int, ...]) -> str:
    return ", ".join(map(str, lengths)) or "no length"
