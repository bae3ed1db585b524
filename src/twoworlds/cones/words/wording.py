r"""The sentences of statements: kinds of guarantees, and how each of them is said.

See `statements` for the kinds. The words "which no mechanism achieves" mark the
guarantees of cones without the row of ones: the rows of a mechanism sum to that row.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from twoworlds.cones.kernel.vectors import Vector
from twoworlds.cones.row_cone import Inequality
from twoworlds.cones.structure.per_record import ProductInequality
from twoworlds.cones.words.beliefs import (
    Wording,
    as_records,
    factorise,
    joined,
    law_of,
    listed_belief,
    multiplied,
    named_set,
)
from twoworlds.numbers import INFINITY, Number, decimal, exact_text, show

__all__ = ["is_printed", "moved", "number", "plain", "prior", "shortened", "words_of"]

Factors = tuple[Vector, ...]
_LONGEST = 40
_LONGEST_BITS = 128
_LONGEST_LABEL = 60
_NEAR = Fraction(1, 10**4)


def words_of(inequality: Inequality | ProductInequality) -> tuple[str, str, Factors | None]:
    """Return the kind, the sentence, and the factor of each record where there are such."""
    records = as_records(inequality.universe)
    factors: Factors | None = None
    if isinstance(inequality, ProductInequality):
        factors = inequality.factors
    elif records is not None:
        factors = factorise(records, inequality.coefficients)
    first, second = prior(inequality)
    if not second and not inequality.equality:
        return "probability", _trivial(inequality), factors
    if not first or not second:
        return "impossible", _impossible(inequality), factors
    if records is not None and factors is not None:
        return *_product(Wording(records), factors, inequality), factors
    return *_of_databases(_explicit(inequality)), None


def _explicit(given: Inequality | ProductInequality) -> Inequality:
    return given.explicit() if isinstance(given, ProductInequality) else given


def prior(given: Inequality | ProductInequality) -> tuple[Fraction, Fraction]:
    """Return b(S+) and b(S-), the probabilities of the two sets before any output.

    >>> from twoworlds import BitStrings
    >>> prior(Inequality(BitStrings(1), (3, -1)))
    (Fraction(3, 4), Fraction(1, 4))
    """
    if isinstance(given, ProductInequality):
        balances = {f: Fraction(sum(f), sum(map(abs, f))) for f in set(given.factors)}
        balance = multiplied(balances[factor] for factor in given.factors)
    else:
        c = given.coefficients
        balance = Fraction(sum(c), sum(map(abs, c)))
    return (1 + balance) / 2, (1 - balance) / 2


def _product(
    words: Wording, factors: Sequence[Vector], given: Inequality | ProductInequality
) -> tuple[str, str]:
    """Speak of independent records: a parity, or one person."""
    signed = [i for i, f in enumerate(factors) if min(f) < 0 < max(f)]
    if len(signed) == 1 and sum(map(bool, factors[signed[0]])) == 2:
        return "person", _about_person(words, factors, signed[0], equality=given.equality)
    kind = "general" if len(signed) == 1 else "parity"
    who = f"An attacker who believes {words.independent([law_of(f) for f in factors])}"
    first, second = words.parity(factors)
    if kind == "general":
        first, second = _values(words, factors, signed[0])
    return kind, _still(who, first, second, given)


def _values(words: Wording, factors: Sequence[Vector], i: int) -> tuple[str, str]:
    """Name two sets of values of one person's record."""
    sign = -1 if sum(max(f) <= 0 for f in factors) % 2 else 1
    names = []
    for side in (sign, -sign):
        found = [
            words.value(v) for v, c in zip(words.values, factors[i], strict=True) if c * side > 0
        ]
        names.append(joined(found, "or"))
    return f"{names[0]} for person {i + 1}", names[1]


def _about_person(words: Wording, factors: Sequence[Vector], i: int, *, equality: bool) -> str:
    sign = -1 if sum(max(f) <= 0 for f in factors) % 2 else 1
    pairs = [(v, c * sign) for v, c in zip(words.values, factors[i], strict=True) if c]
    (low, loses), (high, gains) = sorted(pairs, key=lambda pair: pair[1])
    factor = Fraction(gains, -loses)
    others = [k for k in range(words.n) if k != i]
    spoken = [words.law(law_of(factors[k])) for k in others]
    holder = f"person {i + 1}'s {words.noun}" if words.n > 1 else f"the {words.noun}"
    odds = f"the odds that {holder} is {words.value(low)} rather than {words.value(high)}"
    who = _knowledge(words, spoken, [k + 1 for k in others])
    if equality:
        changed = "never change" if factor == 1 else f"become {factor} times what they were"
        return f"{who}, {odds} {changed}{_nobody(factor != 1)}."
    return f"{who}, {odds} {moved(factor)} after any output{_nobody(factor < 1)}."


def _knowledge(words: Wording, spoken: Sequence[str], persons: Sequence[int]) -> str:
    if not persons:
        return "Whatever an attacker believes"
    certain = [text.removeprefix("certainly ") for text in spoken]
    if all(text.startswith("certainly ") for text in spoken):
        of: dict[str, list[int]] = {}
        for person, value in zip(persons, certain, strict=True):
            of.setdefault(value, []).append(person)
        facts = [
            f"person {who[0]}'s {words.noun} is {value}"
            if len(who) == 1
            else f"the {words.noun}s of {words.persons(who)} are {value}"
            for value, who in of.items()
        ]
        return f"For someone who knows that {joined(facts)}"
    return (
        f"For an attacker who believes the {words.noun}s are independent, "
        f"{words.each(spoken, persons)}"
    )


def _of_databases(given: Inequality) -> tuple[str, str]:
    """Speak of the databases by their labels."""
    where = given.universe
    smaller, larger = given.sides()
    if len(smaller) == len(larger) == 1:
        (low, loses), (high, gains) = *smaller.items(), *larger.items()
        factor = Fraction(gains, loses)
        odds = f"the odds of {where.label(low)} against {where.label(high)}"
        who = "Whatever an attacker believes"
        if given.equality:
            changed = "never change" if factor == 1 else f"become {factor} times what they were"
            return "pair", f"{who}, {odds} {changed}{_nobody(factor != 1)}."
        return "pair", f"{who}, {odds} {moved(factor)} after any output{_nobody(factor < 1)}."
    masses = {x: m for x, m in zip(where, law_of(given.coefficients), strict=True) if m}
    records = as_records(where)
    sizes = tuple(abs(c) for c in given.coefficients)
    laws = None if records is None else factorise(records, sizes)
    if records is not None and laws is not None:
        belief = Wording(records).independent([law_of(f) for f in laws])
    else:
        belief = f"the database is {listed_belief(where, masses)}"
    first, second = (named_set(where, list(side)) for side in (larger, smaller))
    return "general", _still(f"An attacker who believes {belief}", first, second, given)


def _still(who: str, first: str, second: str, given: Inequality | ProductInequality) -> str:
    a, b = prior(given)
    numbers = f" ({a} against {b})" if is_printed(a) else ""
    if len(numbers) > _LONGEST:
        numbers = ""
    wrong = f"after any output, although not before{numbers}, which no mechanism achieves."
    if a == b:
        so = f"{who}, and so thinks {first} exactly as likely as {second}, "
        if given.equality:
            return so + "still thinks so exactly after any output."
        return so + "never comes to think the latter likelier."
    if given.equality:
        return f"{who} must think {first} exactly as likely as {second} {wrong}"
    if a > b:
        so = f"{who}, and so thinks {first} likelier than {second}{numbers}, "
        return so + "still thinks so (weakly) after any output."
    return f"{who} must think {first} at least as likely as {second} {wrong}"


def moved(factor: Fraction) -> str:
    """Say how far odds can grow.

    >>> moved(Fraction(3)), moved(Fraction(1))
    ('grow by a factor of at most 3', 'never grow')
    """
    if factor == 1:
        return "never grow"
    return f"grow by a factor of at most {plain(factor)}"


def is_printed(x: Number) -> bool:
    """Tell whether `number` gives the exact form of a number."""
    if not isinstance(x, Fraction):
        return x == INFINITY
    short = max(abs(x.numerator), x.denominator).bit_length() <= _LONGEST_BITS
    return short and show(x).startswith(exact_text(x) or "?")


def plain(x: Fraction) -> str:
    """Print a fraction without a decimal beside it, or `number` if it is long."""
    return str(x) if is_printed(x) else number(x)


def shortened(label: str) -> str:
    """Leave out the middle of a long label.

    >>> shortened("0110"), shortened("01" * 50)
    ('0110', '010101010101...010101010101 (of length 100)')
    """
    if len(label) <= _LONGEST_LABEL:
        return label
    return f"{label[:12]}...{label[-12:]} (of length {len(label)})"


def number(x: Number) -> str:
    """Print a number: exactly if that is short, else rounded up, which "about" says.

    >>> number(Fraction(5, 3)), number(1 + Fraction(1, 2**99)), number(Fraction(3**50, 2**50))
    ('5/3 (1.66667)', 'about 1 + 1.58e-30', 'about 637622000')
    """
    if is_printed(x):
        return show(x)
    gap = x - 1
    if 0 < gap < _NEAR:
        return f"about 1 + {decimal(gap, 3)}"
    if -_NEAR < gap < 0:
        return f"about 1 - {decimal(-gap, 3, side='down')}"
    return decimal(x, side="about")


def _nobody(impossible: bool) -> str:  # noqa: FBT001
    return ", which no mechanism achieves" if impossible else ""


def _trivial(given: Inequality | ProductInequality) -> str:
    return f"{given.text()} says nothing: a probability is never negative."


def _impossible(given: Inequality | ProductInequality) -> str:
    listed = _explicit(given)
    pairs = zip(listed.universe, listed.coefficients, strict=True)
    names = joined([listed.universe.label(x) for x, c in pairs if c], "or")
    return f"No output ever occurs on {names}, which no mechanism achieves."
