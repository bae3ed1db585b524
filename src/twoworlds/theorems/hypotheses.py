"""Hypotheses that many theorems share: each one a check that states the values it saw."""

from __future__ import annotations

from fractions import Fraction

from twoworlds.numbers import INFINITY, Number, Order
from twoworlds.theorems.formulas import brief, order
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.statements import Check, Context
from twoworlds.worlds import SUBSTITUTE

__all__ = [
    "at_most",
    "finite",
    "known_delta1",
    "known_level",
    "known_records",
    "needs",
    "one_person",
    "positive_delta",
    "pure",
    "strictly_below",
    "substitution",
]


def strictly_below(name: str, left: Number, right: Number) -> Check:
    """Check left < right.

    >>> strictly_below("delta < epsilon^2/n", Fraction(1, 100), Fraction(1, 100000)).text
    'needs delta < epsilon^2/n: 1/100 is not below 1/100000'
    """
    return _compared(name, left, right, (Order.LESS,), "below")


def at_most(name: str, left: Number, right: Number) -> Check:
    """Check left <= right."""
    return _compared(name, left, right, (Order.LESS, Order.EQUAL), "at most")


def _compared(
    name: str, left: Number, right: Number, accepted: tuple[Order, ...], word: str
) -> Check:
    found = order(left, right)
    ok = found in accepted
    if ok:
        return Check(name, ok, f"{name}: {brief(left)} is {word} {brief(right)}")
    known = "is not" if found is not Order.UNDECIDED else "is not known to be"
    return Check(name, ok, f"needs {name}: {brief(left)} {known} {word} {brief(right)}")


def needs(name: str, *, known: object, how: str) -> Check:
    """Check that a fact was given.

    >>> needs("the number of records", known=None, how="records=").text
    'needs the number of records: give records='
    """
    if known is None:
        return Check(name, ok=False, text=f"needs {name}: give {how}", missing=True)
    return Check(name, ok=True, text=f"{name}: {known}")


def known_records(given: Guarantee, _context: Context) -> Check:
    """Check that the number of records is known."""
    return needs("the number of records", known=given.records, how="records=")


def known_delta1(_given: Guarantee, context: Context) -> Check:
    """Check that the belief's mass outside of the good databases is known."""
    known = None if context.delta1 is None else brief(context.delta1)
    return needs("a bound on the belief's mass outside of E", known=known, how="delta1=")


def known_level(_given: Guarantee, context: Context) -> Check:
    """Check that the level of the test is known."""
    known = None if context.level is None else brief(context.level)
    return needs("the level of the test", known=known, how="level=")


def pure(given: Guarantee, _context: Context) -> Check:
    """Check delta = 0."""
    if given.delta == 0:
        return Check("delta = 0", ok=True, text="delta = 0")
    return Check("delta = 0", ok=False, text=f"needs delta = 0: {brief(given.delta)} is not 0")


def positive_delta(given: Guarantee, _context: Context) -> Check:
    """Check delta > 0."""
    return strictly_below("0 < delta", Fraction(0), given.delta)


def finite(given: Guarantee, _context: Context) -> Check:
    """Check that epsilon is finite."""
    if given.ratio == INFINITY:
        return Check("epsilon is finite", ok=False, text="needs a finite epsilon: it is infinite")
    return Check("epsilon is finite", ok=True, text=f"epsilon is finite: {brief(given.epsilon)}")


def one_person(given: Guarantee, _context: Context) -> Check:
    """Check that the guarantee is for single people."""
    name = "one person differs (group = 1)"
    if given.group == 1:
        return Check(name, ok=True, text=name)
    return Check(name, ok=False, text=f"needs group = 1: it is {given.group}")


def substitution(given: Guarantee, _context: Context) -> Check:
    """Check that neighbours differ by one replaced record."""
    name = "neighbours by substitution"
    if given.neighbours == SUBSTITUTE:
        return Check(name, ok=True, text=name)
    return Check(name, ok=False, text=f"needs {name}: they are {given.neighbours}")
