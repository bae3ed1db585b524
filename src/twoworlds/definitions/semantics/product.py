r"""Independent records, each treated on its own: beliefs that are never written out.

If the records are independent under a belief, b(x) = b_1(x_1) ... b_n(x_n), and the mechanism
passes each record through its own transition, then every posterior is again a product:

    b_0(x | t) = prod_j b_j(x_j | t_j),     b_i(x | t) = the same with b_i(x_i) itself for record i,

since without person i the i-th output says nothing of them. Both games differ in one factor:

    SD(b_0(. | t), b_i(. | t)) = SD(b_i(. | t_i), b_i),

a number that depends on t_i alone (1 where the default value cannot lead to t_i), and the outputs
t_1, ..., t_n are independent of each other. Forty records cost forty times as much as one.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm, prod

from twoworlds.calls import parse
from twoworlds.errors import TooLarge
from twoworlds.mechanisms import PerRecord
from twoworlds.mechanisms.per_record import by_ratio
from twoworlds.numbers import Number, Order, Real, at_most_one, compare, positive_part
from twoworlds.worlds import Point, Records
from twoworlds.worlds.belief import LARGEST_SUPPORT, Belief
from twoworlds.worlds.beliefs import BELIEFS
from twoworlds.worlds.secret import Secret

Law = Mapping[Point, Number]


class ProductBelief(Belief):
    """A belief under which the records are independent, given by the law of each record.

    >>> from twoworlds.worlds import BitStrings
    >>> coin = {1: Fraction(1, 2), 0: Fraction(1, 2)}
    >>> ProductBelief(BitStrings(3), [coin] * 3)["111"]
    Fraction(1, 8)
    """

    def __init__(self, universe: Records, laws: Sequence[Law]) -> None:
        self.universe = universe
        self.laws = tuple(
            {v: p for v, p in law.items() if p != 0} if any(p == 0 for p in law.values()) else law
            for law in laws
        )

    @cached_property
    def _masses(self) -> dict[Point, Number]:  # type: ignore[override]
        """Write the belief out, where that is possible at all."""
        if self.support > LARGEST_SUPPORT:
            raise TooLarge(
                f"the belief holds more than {LARGEST_SUPPORT} databases possible: "
                "ask about single records, or know more of them for certain"
            )
        return dict(zip(self, self._in_order(), strict=True))

    def _in_order(self) -> list[Number]:
        """Return the mass of every database, with one multiplication each."""
        masses: list[Number] = [Fraction(1)]
        for law in self.laws:
            masses = [mass * p for mass in masses for p in law.values()]
        return masses

    def __getitem__(self, database: object) -> Number:
        x: tuple[Point, ...] = self.universe.find(database)
        zero = Fraction(0)
        found = (law.get(v, zero) for law, v in zip(self.laws, x, strict=True))
        return prod(found, start=Fraction(1))

    def __iter__(self) -> Iterator[Point]:
        return product(*self.laws)

    def __len__(self) -> int:
        return self.support

    @property
    def support(self) -> int:
        """The same number, which may be too large for `len`."""
        return prod(len(law) for law in self.laws)

    def __bool__(self) -> bool:
        return True

    def items(self) -> ItemsView[Point, Number]:
        """Return the databases held possible with their probabilities."""
        return self._masses.items()

    def marginal(self, person: int) -> dict[Point, Number]:
        """Return the law of one person's record, persons counted from 1."""
        values: tuple[Point, ...] = self.universe.values  # type: ignore[attr-defined]
        zero = Fraction(0)
        return {v: self.laws[person - 1].get(v, zero) for v in values}

    def probability(self, secret: Secret) -> Number:
        """Add up the databases of which the secret is true, in whole numbers where possible."""
        if self.support > LARGEST_SUPPORT:
            return self._of_many(secret)
        if any(isinstance(p, Real) for law in self.laws for p in law.values()):
            return super().probability(secret)
        scale, weights = 1, [1]
        for law in self.laws:
            exact = [Fraction(p) for p in law.values()]  # type: ignore[arg-type]
            common = lcm(*(p.denominator for p in exact))
            parts = [int(p * common) for p in exact]
            weights = [weight * part for weight in weights for part in parts]
            scale *= common
        return Fraction(
            sum(w for w, x in zip(weights, self, strict=True) if secret.holds(x)), scale
        )

    def _of_many(self, secret: Secret) -> Number:
        """Return the probability of one record, or of the parity, of more records than listed."""
        zero = Fraction(0)
        if secret.name.startswith("record "):
            _, person, _, value = secret.name.split(" ", 3)
            return {str(v): p for v, p in self.marginal(int(person)).items()}[value]
        if secret.name.startswith("parity "):
            gaps = (law.get(0, zero) - law.get(1, zero) for law in self.laws)
            even_less_odd = prod(gaps, start=Fraction(1))
            return (1 + (even_less_odd if secret.name.endswith("even") else -even_less_odd)) / 2
        return super().probability(secret)  # which refuses, and says what can be asked

    def observed(self, mechanism: PerRecord, output: tuple[Point, ...]) -> ProductBelief | None:
        """Return the posterior record by record, or None if the output is impossible."""
        laws: list[Law] = []
        for law, o in zip(self.laws, output, strict=True):
            posterior, _ = _posterior(mechanism, law, o)
            if posterior is None:
                return None
            laws.append(posterior)
        return ProductBelief(mechanism.universe, laws)

    def but(self, person: int, law: Law) -> ProductBelief:
        """Return the belief with another law of one record, counted from 0."""
        laws = (*self.laws[:person], law, *self.laws[person + 1 :])
        return ProductBelief(self.universe, laws)  # type: ignore[arg-type]

    def difference(self, other: Belief) -> Number:
        """Return the statistical difference: only records whose laws differ matter."""
        if not isinstance(other, ProductBelief):
            return super().difference(other)
        pairs = [(p, q) for p, q in zip(self.laws, other.laws, strict=True) if not _same(p, q)]
        if len(pairs) <= 1:
            return sum((_difference(p, q) for p, q in pairs), start=Fraction(0))
        if any(isinstance(mass, Real) for pair in pairs for law in pair for mass in law.values()):
            return super().difference(other)
        zero = Fraction(0)
        first, second = (
            [
                {v: pair[k].get(v, zero) for v in dict.fromkeys([*pair[0], *pair[1]])}
                for pair in pairs
            ]
            for k in (0, 1)
        )
        classes = by_ratio(first, second).values()
        return sum((positive_part(p - q) for p, q in classes), start=Fraction(0))


def reactions(mechanism: PerRecord, law: Law, default: Point) -> list[tuple[Number, Number, Point]]:
    """Return how far every possible output of a record of this law moves it, and how likely."""
    likelihood = mechanism.transition.probability
    found = []
    for o in mechanism.transition.outputs:
        posterior, mass = _posterior(mechanism, law, o)
        if posterior is not None:
            gap = Fraction(1) if likelihood(o, default) == 0 else _difference(posterior, law)
            found.append((gap, mass, o))
    return found


def _posterior(mechanism: PerRecord, law: Law, output: Point) -> tuple[Law | None, Number]:
    """Return the posterior of one record by Bayes' rule, and the probability of its output."""
    likelihood = mechanism.transition.probability
    joint = {v: likelihood(output, v) * p for v, p in law.items()}
    mass = sum(joint.values(), start=Fraction(0))
    if mass == 0:
        return None, mass
    return {v: at_most_one(p / mass) for v, p in joint.items()}, mass


def product_belief(given: str | Belief, records: Records) -> ProductBelief | None:
    """Return a belief as a product of laws where it is one; text is read without writing it out.

    >>> from twoworlds.worlds import BitStrings
    >>> len(product_belief("independent(1/3)", BitStrings(40)).laws)
    40
    >>> product_belief("explicit(11=1/2, 00=1/2)", BitStrings(2))
    """
    if isinstance(given, ProductBelief):
        return given
    laws = _read(given, records) if isinstance(given, str) else _factors(given, records)
    return None if laws is None else ProductBelief(records, laws)


def _read(text: str, records: Records) -> list[Law] | None:
    """Read the laws of ``uniform`` and ``independent(...)``."""
    call = parse(text)
    if call.name not in ("uniform", "independent") or call.named:
        return None
    one = Records(records.values, 1)
    if call.name == "uniform" and not call.positional:
        return [BELIEFS.build("uniform")(one).marginal(1)] * records.n
    if call.name == "independent" and len(call.positional) in (1, records.n):
        build = BELIEFS["independent"].build
        laws: list[Law] = [build(law)(one).marginal(1) for law in call.positional]
        return laws * (1 if len(laws) == records.n else records.n)
    return None


def _factors(belief: Belief, records: Records) -> list[Law] | None:
    """Return the laws of the records if a belief that is written out is their product."""
    if any(isinstance(mass, Real) for _, mass in belief.items()):
        return None
    possible = [dict.fromkeys(column) for column in zip(*belief, strict=True)]
    if prod(len(values) for values in possible) != len(belief):
        return None
    masses = {mass for _, mass in belief.items()}
    laws: list[Law]
    if len(masses) == 1:
        laws = [dict.fromkeys(values, Fraction(1, len(values))) for values in possible]
        return laws
    laws = [belief.marginal(i) for i in range(1, records.n + 1)]
    whole = ProductBelief(records, laws)
    return laws if all(belief[x] == p for x, p in whole.items()) else None


def _same(p: Law, q: Law) -> bool:
    return p is q or (
        p.keys() == q.keys() and all(compare(p[v], q[v], limit=64) is Order.EQUAL for v in p)
    )


def _difference(p: Law, q: Law) -> Number:
    zero = Fraction(0)
    gaps = (positive_part(p.get(v, zero) - q.get(v, zero)) for v in dict.fromkeys([*p, *q]))
    return sum(gaps, start=zero)
