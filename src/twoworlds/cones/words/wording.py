r"""Inequalities in words: beliefs found in the coefficients, and how each guarantee is said.

The coefficients c of a guarantee on databases of k records may be a product,

    c_D = f_1(D_1) f_2(D_2) ... f_k(D_k),

and then the belief proportional to |c| holds the records independent, record i having the law
|f_i| / sum |f_i|. The sign of c is the product of the signs of the f_i: the positive databases are
those with an even number of records whose factor is negative, which is a parity of the records
whose factor takes both signs (Lin & Kifer, Section 5.1). The test is exact.

See `statements` for the kinds. The words "which no mechanism achieves" mark the guarantees of cones
without the row of ones: the rows of a mechanism sum to that row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby, product
from math import gcd, prod

from twoworlds.cones.kernel.vectors import Vector, divided
from twoworlds.cones.per_record import ProductInequality
from twoworlds.cones.row_cone import Inequality
from twoworlds.numbers import INFINITY, Number, Order, compare, decimal, exact_text, show
from twoworlds.worlds import Explicit, Point, Records, Universe

_MOST_NAMED = 8
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def as_records(universe: Universe) -> Records | None:
    """Read a universe as lists of records: one that is, or equal-length digits in order."""
    if isinstance(universe, Records):
        return universe if universe.fixed and universe.n else None
    if not isinstance(universe, Explicit) or not all(
        isinstance(point, str) and point.isdigit() for point in universe.points
    ):
        return None
    length = len(universe.points[0])
    values = tuple(dict.fromkeys(c for point in universe.points for c in point))
    if length < 2 or len(universe.points) != len(values) ** length:
        return None
    words = ("".join(word) for word in product(values, repeat=length))
    return Records(values, length) if tuple(words) == universe.points else None


def factorise(records: Records, coefficients: Vector) -> tuple[Vector, ...] | None:
    """Write coefficients as a product of one factor per record, or return None.

    The last factor carries the sign and size; the others are primitive, their first entry that is
    not 0 being positive.

    >>> from twoworlds import BitStrings
    >>> factorise(BitStrings(2), (-3, 9, 1, -3))
    ((3, -1), (-1, 3))
    >>> factorise(BitStrings(2), (1, 0, 0, 1)) is None
    True
    """
    rest: Sequence[int] = coefficients
    found: list[Vector] = []
    for _ in range(records.n - 1):
        width = len(rest) // len(records.values)
        place = next((i for i, c in enumerate(rest) if c), None)
        if place is None:
            return None
        pivot = place % width
        blocks = [rest[start : start + width] for start in range(0, len(rest), width)]
        base = blocks[place // width]
        head = [block[pivot] for block in blocks]
        for block, h in zip(blocks, head, strict=True):
            if any(block) if not h else block is not base and _differ(block, h, base, base[pivot]):
                return None
        common = gcd(*head) * (1 if base[pivot] > 0 else -1)
        found.append(tuple(h // common for h in head))
        rest = [c * common // base[pivot] for c in base]
    return (*found, divided(rest)) if any(rest) else None


def _differ(x: Sequence[int], p: int, y: Sequence[int], q: int) -> bool:
    """Tell whether x / p and y / q are different vectors."""
    return any(q * a != p * b for a, b in zip(x, y, strict=True))


def law_of(factor: Sequence[int]) -> tuple[Fraction, ...]:
    """Return |f| / sum |f|, the law of one record."""
    total = sum(abs(c) for c in factor)
    return tuple(Fraction(abs(c), total) for c in factor)


def multiplied(factors: Iterable[Fraction]) -> Fraction:
    """Multiply, equal factors as a power, and reduce once: made for very many factors."""
    powers = [factor**times for factor, times in Counter(factors).items()]
    return Fraction(prod(p.numerator for p in powers), prod(p.denominator for p in powers))


def joined(parts: Sequence[str], last: str = "and") -> str:
    """Join words with commas.

    >>> joined(["1", "2", "3"])
    '1, 2 and 3'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


class Wording:
    """The words for records: answers that are yes or no for bits, values otherwise."""

    def __init__(self, records: Records) -> None:
        """Take the records to speak of."""
        self.values = records.values
        self.n = records.n
        self.bits = sorted(map(str, records.values)) == ["0", "1"]
        self.noun = "answer" if self.bits else "record"

    def value(self, value: Point) -> str:
        """Name one value of a record."""
        return {"1": "yes", "0": "no"}[str(value)] if self.bits else str(value)

    def law(self, law: Sequence[Fraction]) -> str:
        """Say the law of one record."""
        pairs = [(self.value(v), p) for v, p in zip(self.values, law, strict=True) if p]
        if len(pairs) == 1:
            return f"certainly {pairs[0][0]}"
        if self.bits:
            return f"yes with probability {dict(pairs)['yes']}"
        if len({p for _, p in pairs}) == 1:
            return f"{joined([name for name, _ in pairs], 'or')}, equally likely"
        return joined([f"{name} with probability {p}" for name, p in pairs], "or")

    def independent(self, laws: Sequence[Sequence[Fraction]]) -> str:
        """Say a belief in which the records are independent."""
        spoken = [self.law(law) for law in laws]
        if self.n == 1:
            return f"the {self.noun} is {spoken[0]}"
        count = _SMALL[self.n] if self.n < len(_SMALL) else str(self.n)
        if len(set(spoken)) == 1:
            return f"the {count} {self.noun}s are independent, each {spoken[0]}"
        return f"the {count} {self.noun}s are independent, {self.each(spoken)}"

    def each(self, spoken: Sequence[str], persons: Sequence[int] | None = None) -> str:
        """Say something of every person, those of whom the same is true together."""
        numbers = range(1, len(spoken) + 1) if persons is None else persons
        of: dict[str, list[int]] = {}
        for person, text in zip(numbers, spoken, strict=True):
            of.setdefault(text, []).append(person)
        parts = [
            f"{'that' if len(who) == 1 else 'those'} of {self.persons(who)} {text}"
            for text, who in of.items()
        ]
        return ", ".join(parts)

    def persons(self, numbers: Iterable[int]) -> str:
        """Name persons by their numbers, runs of three and more as such."""
        parts: list[str] = []
        for _, run in groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0]):
            run_of = [number for _, number in run]
            long = len(run_of) > 2
            parts += [f"{run_of[0]} to {run_of[-1]}"] if long else [str(i) for i in run_of]
        single = len(parts) == 1 and parts[0].isdigit()
        return f"{'person' if single else 'persons'} {joined(parts)}"

    def parity(self, factors: Sequence[Sequence[int]]) -> tuple[str, str]:
        """Name the databases where the product of the factors is positive, and the others."""
        inside = [i for i, f in enumerate(factors) if min(f) < 0 < max(f)]
        flipped = sum(max(f) <= 0 for f in factors) % 2
        where = "" if len(inside) == self.n else f" among {self.persons(i + 1 for i in inside)}"
        first = self._counted([factors[i] for i in inside])
        events = {self._negative(factors[i]) for i in inside}
        if first is None and len(events) == 1:
            of = f"an {_parity(flipped)} number of records {events.pop()}{where}"
            return of, f"an {_parity(not flipped)} one"
        if first is None:
            listed = "; ".join(self._event(i, factors[i]) for i in inside)
            of = f"an {_parity(flipped)} number of these events ({listed})"
            return of, f"an {_parity(not flipped)} one"
        name = "yeses" if self.bits else f"records {self.value(self.values[first])}"
        odd = (sum(factors[i][first] > 0 for i in inside) + flipped) % 2
        even = f"an {_parity(odd)} number of {name}{where}"
        return even, f"an {_parity(not odd)} one"

    def _counted(self, factors: Sequence[Sequence[int]]) -> int | None:
        """Return the value to count, if all factors are about the same two values."""
        supports = {tuple(i for i, c in enumerate(f) if c) for f in factors}
        support = next(iter(supports))
        if len(supports) > 1 or len(support) != 2:
            return None
        yes = [i for i in support if str(self.values[i]) == "1"] if self.bits else []
        return yes[0] if yes else support[0]

    def _event(self, i: int, factor: Sequence[int]) -> str:
        return f"person {i + 1} has {self._negative(factor)}"

    def _negative(self, factor: Sequence[int]) -> str:
        names = [self.value(v) for v, c in zip(self.values, factor, strict=True) if c < 0]
        return joined(names, "or")


def _parity(odd: object) -> str:
    return "odd" if odd else "even"


def listed_belief(universe: Universe, masses: Mapping[Point, Fraction]) -> str:
    """List a belief, databases of equal probability together, the likeliest first."""
    order = sorted(masses, key=lambda x: -masses[x])
    parts = []
    for mass, group in groupby(order[:_MOST_NAMED], key=lambda x: masses[x]):
        names = [universe.label(x) for x in group]
        each = " each" if len(names) > 1 else ""
        parts.append(f"{joined(names, 'or')} with probability {mass}{each}")
    return joined(parts) + (" (and so on)" if len(order) > _MOST_NAMED else "")


def named_set(universe: Universe, databases: Sequence[Point]) -> str:
    """Name a set of databases."""
    shown = [universe.label(x) for x in databases[:_MOST_NAMED]]
    return "{" + ", ".join(shown) + (", ..." if len(databases) > _MOST_NAMED else "") + "}"


Factors = tuple[Vector, ...]
_LONGEST = 40
_LONGEST_BITS = 128
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


def number(x: Number) -> str:
    """Print a number: exactly if that is short, else rounded up, which "about" says.

    >>> number(Fraction(5, 3)), number(1 + Fraction(1, 2**99)), number(Fraction(3**50, 2**50))
    ('5/3 (1.66667)', 'about 1 + 1.58e-30', 'about 637622000')
    """
    if is_printed(x):
        return show(x)
    gap, order = x - 1, compare(x, Fraction(1))
    if order is Order.GREATER and gap < _NEAR:
        return f"about 1 + {decimal(gap, 3)}"
    if order is Order.LESS and gap > -_NEAR:
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
