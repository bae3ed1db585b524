r"""Parity: what randomized response protects beyond single records (Lin & Kifer, Section 5.1).

An attacker holds the records independent, record i being a_i with probability q_i and b_i
otherwise (for bits: yes and no), and bets on the parity of the number of a_i among persons J. The
*balance* of a belief is P(even) - P(odd): before any output it is the product of 1 - 2 q_j over J.
After an output of a mechanism with one transition Q per record it is again a product, over J, of

    (P(o_j, b_j) - P(o_j, a_j)) / (P(o_j, b_j) + P(o_j, a_j)),    P(o, a) = q Q[o, a],

so that the largest and the least balance over all outputs are found record by record.

Theorem 5.7: if every row of a mechanism is in the row cone of randomized response with keep p, and
every q_j, j in J, is >= p or <= 1 - p, then no output makes him change his mind: the parity that
was at least as likely stays so. And only such mechanisms protect all these attackers: a row outside
the cone violates an inequality whose coefficients *are* the belief of one who changes his mind.

Lemma 5.12 carries this to gamma-FRAPP with p = gamma / (1 + gamma), for an attacker who has ruled
out all but two values a_i, b_i of each record.

Differs: the theorem needs p > 1/2; here p is max(p, 1 - p), as print would otherwise promise too
much (p = 1/4, q = 3/5, one bit: 3/5 becomes 1/3). For randomized response itself it is sharp: the
parity is protected *only* if all q_j are >= p or <= 1 - p, so never with q_j = 1/2 unless p = 1/2.
"More likely" holds weakly: most outputs leave a tie. FRAPP's q_i <= 1 - p serves as well as >= p.

Differential privacy protects parity too, as much as a single record and no more (beyond print):
whatever the attacker believes about independent records, and whatever signs he gives to their
values, the odds of the two products of signs change by a factor of at most the ratio r, and noisy
parity attains it. He never changes his mind if and only if

    |product of (1 - 2 q_j) over J|  >=  (r - 1) / (r + 1) = 2p - 1,    p = r / (1 + r)

Proof. It is enough that the database given one product of signs and given the other can be coupled
so as to differ in one record: then every likelihood of the one is at most r times that of the
other. By induction over the records; one record is clear. Split the databases by the product of
the first k - 1 signs, + or -, and by the last sign. The product is + for (+, +) and (-, -), and -
for (-, +) and (+, -). In each of the four blocks the first k - 1 records have their law given the
product of their signs, and the last one its law given its sign, independently. So any block of the
one product is coupled with any block of the other: they either agree in the first product, and
then only the last record is drawn anew, or in the last sign, and then the first k - 1 are coupled
by the induction. Choose any masses of the four pairs of blocks that add up. (Records outside of J
stay as they are.) The prior odds are (1 + |d|) / (1 - |d|) with d the balance, at least r if and
only if |d| >= (r - 1) / (r + 1); noisy parity, told with odds r, turns round any smaller ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod
from operator import itemgetter
from typing import Any

from twoworlds.answer import Answer
from twoworlds.charts import Bars
from twoworlds.cones.kernel.vectors import rational
from twoworlds.cones.per_record import PerRecordCone
from twoworlds.cones.words.wording import Wording, as_records, law_of, multiplied, plain
from twoworlds.definitions.verdict import shortened
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms import Mechanism, PerRecord
from twoworlds.mechanisms.named import mechanism as build_mechanism
from twoworlds.numbers import INFINITY, Number, probability, ratio_at_least_one
from twoworlds.show import Result
from twoworlds.worlds import Point, Records, Universe

_MOST_WORK = 1 << 22

Extreme = tuple[Point, Fraction]
"""An output with its balance, P(even | output) - P(odd | output)."""


@dataclass(frozen=True)
class ParityBelief:
    """Independent records of two possible values each, and the persons whose parity counts.

    Attributes:
        universe: Of lists of records.
        records: The same, read as lists of records.
        chances: For each record the probability of its first value.
        values: For each record its first value, which is counted, and its second one.
        persons: J, counted from 1.
    """

    universe: Universe
    records: Records
    chances: tuple[Fraction, ...]
    values: tuple[tuple[Point, Point], ...]
    persons: tuple[int, ...]

    @staticmethod
    def read(
        universe: Universe,
        chances: object,
        persons: Sequence[int] | None = None,
        values: Sequence[Sequence[object]] | None = None,
    ) -> ParityBelief:
        """Read one chance for all records or one for each; all persons count unless named."""
        records = as_records(universe)
        if records is None:
            raise InvalidInput(
                f"{universe.expression} has no persons to speak of: use bits(n) or "
                "records(values, n)"
            )
        given = listed_chances(chances)
        if len(given) not in (1, records.n):
            raise InvalidInput(f"{len(given)} chances are given for {records.n} records")
        read = [rational(probability(q, "chance"), "chance") for q in given]
        return ParityBelief(
            universe,
            records,
            tuple(read * (records.n // len(read))),
            _pairs(records, values),
            _persons(records, persons),
        )

    @property
    def prior_balance(self) -> Fraction:
        """P(even) - P(odd) before any output."""
        return multiplied(1 - 2 * self.chances[i - 1] for i in self.persons)

    @property
    def laws(self) -> tuple[dict[Point, Fraction], ...]:
        """The law of each record; values held impossible are left out."""
        pairs = zip(self.values, self.chances, strict=True)
        return tuple({v: p for v, p in ((a, q), (b, 1 - q)) if p} for (a, b), q in pairs)

    @property
    def signs(self) -> tuple[dict[Point, int], ...]:
        """-1 for the value that is counted, 1 for the other; 1 for persons who do not count."""
        counted = frozenset(self.persons)
        return tuple(
            {a: -1 if i in counted else 1, b: 1} for i, (a, b) in enumerate(self.values, 1)
        )

    def words(self) -> Iterator[tuple[Point, Fraction, int]]:
        """Run through the databases held possible, with probability and sign."""
        laws, signs = self.laws, self.signs
        for word in product(*laws):
            mass = prod((law[v] for law, v in zip(laws, word, strict=True)), start=Fraction(1))
            sign = prod(of[v] for of, v in zip(signs, word, strict=True))
            yield word if self.universe is self.records else "".join(map(str, word)), mass, sign

    def explain(self) -> str:
        """Say the belief in words."""
        laws = [[law.get(v, Fraction(0)) for v in self.records.values] for law in self.laws]
        return Wording(self.records).independent(laws)

    def number_of(self) -> str:
        """Say what is counted, as in "number of yeses among persons 1 and 3"."""
        words = Wording(self.records)
        where = (
            "" if len(self.persons) == self.records.n else f" among {words.persons(self.persons)}"
        )
        counted = {self.values[i - 1][0] for i in self.persons}
        if len(counted) == 1:
            value = next(iter(counted))
            plural = words.bits and str(value) == "1"
            return f"number of {'yeses' if plural else f'records {value}'}{where}"
        events = "; ".join(f"person {i} has {self.values[i - 1][0]}" for i in self.persons)
        return f"number of these events ({events})"


def listed_chances(chances: object) -> list[object]:
    """Read one chance, or a list of them."""
    if isinstance(chances, Iterable) and not isinstance(chances, str):
        return list(chances)
    return [chances]


def _pairs(
    records: Records, values: Sequence[Sequence[object]] | None
) -> tuple[tuple[Point, Point], ...]:
    names = {str(value): value for value in records.values}
    if values is None:
        if len(records.values) != 2:
            raise InvalidInput(
                f"parity needs two possible values of each record, {records.expression} has "
                f"{len(records.values)}: give values=, one pair per record"
            )
        a, b = records.values
        if sorted(names) == ["0", "1"]:
            a, b = names["1"], names["0"]
        return ((a, b),) * records.n
    if len(values) not in (1, records.n):
        raise InvalidInput(f"{len(values)} pairs of values are given for {records.n} records")
    read = []
    for pair in values:
        texts = [str(value) for value in pair]
        if len(set(texts)) != 2 or len(texts) != 2 or any(text not in names for text in texts):
            raise InvalidInput(
                f"values={list(pair)!r}: give two different values of a record, "
                f"from {', '.join(names)}"
            )
        read.append((names[texts[0]], names[texts[1]]))
    return tuple(read) * (records.n // len(read))


def _persons(records: Records, persons: Sequence[int] | None) -> tuple[int, ...]:
    if persons is None:
        return tuple(range(1, records.n + 1))
    if not persons:
        raise InvalidInput("persons=[]: name at least one person whose record counts")
    for person in persons:
        if type(person) is not int or not 1 <= person <= records.n:
            raise InvalidInput(f"person={person!r}: there are {records.n}, counted from 1")
    return tuple(sorted(set(persons)))


def balance_after(mechanism: Mechanism, belief: ParityBelief, output: Point) -> Fraction | None:
    """Return P(even | output) - P(odd | output)."""
    if isinstance(mechanism, PerRecord):
        shares = _shares(mechanism, belief)
        found = [of[o] for of, o in zip(shares, output, strict=True) if o in of]
        return multiplied(found) if len(found) == len(output) else None
    total = balance = Fraction(0)
    for database, mass, sign in belief.words():
        likelihood = rational(mechanism.probability(output, database), "P(output | database)")
        total += mass * likelihood
        balance += sign * mass * likelihood
    return balance / total if total else None


def extremes(mechanism: Mechanism, belief: ParityBelief) -> tuple[Extreme, Extreme]:
    """Return the outputs of least and of largest balance; by structure where there is one."""
    if isinstance(mechanism, PerRecord):
        shares = _shares(mechanism, belief)
        # The least product is the largest one when a record's factors change their signs.
        low = _largest([{o: -share for o, share in shares[0].items()}, *shares[1:]])
        return (low[0], -low[1]), _largest(shares)
    work = prod(len(law) for law in belief.laws) * (mechanism.outputs.size or _MOST_WORK + 1)
    if work > _MOST_WORK:
        raise TooLarge(
            f"{mechanism.expression} would need {_MOST_WORK} and more likelihoods: use fewer "
            "records, or one transition per record"
        )
    found = [
        (output, balance)
        for output in mechanism.outputs
        if (balance := balance_after(mechanism, belief, output)) is not None
    ]
    return min(found, key=itemgetter(1)), max(found, key=itemgetter(1))


def _shares(mechanism: PerRecord, belief: ParityBelief) -> list[dict[Point, Fraction]]:
    """For each record, the balance of its own parity after each output that it may have."""
    transition = mechanism.transition

    @cache
    def of(law: tuple[Any, ...], signs: tuple[Any, ...]) -> dict[Point, Fraction]:
        found, sign = {}, dict(signs)
        for o in transition.outputs:
            name = f"P({o} | value)"
            masses = {v: p * rational(transition.probability(o, v), name) for v, p in law}
            if total := sum(masses.values()):
                found[o] = Fraction(sum(sign[v] * m for v, m in masses.items())) / total
        return found

    pairs = zip(belief.laws, belief.signs, strict=True)
    return [of(tuple(law.items()), tuple(signs.items())) for law, signs in pairs]


def _largest(shares: Sequence[Mapping[Point, Fraction]]) -> Extreme:
    """Return the largest product of one factor per record.

    If some product is positive, take from each record the factor of largest size; should the
    product be negative, exchange the one factor whose best rival of the other sign costs least (an
    exchange of three or more costs more). If none is positive, 0 is the largest where it occurs,
    and otherwise no record has factors of both signs, so that the smallest sizes are taken.
    """
    orders = [sorted(of, key=lambda o: -abs(of[o])) for of in shares]
    output = [order[0] for order in orders]
    tops = [of[o] for of, o in zip(shares, output, strict=True)]
    if all(tops) and sum(top < 0 for top in tops) % 2:
        listed = list(zip(shares, tops, orders, strict=True))
        exchanges = [
            (abs(of[o] / top), i, o)
            for i, (of, top, order) in enumerate(listed)
            for o in order
            if of[o] * top < 0
        ]
        zeros = [(i, order[-1]) for i, (of, _, order) in enumerate(listed) if not of[order[-1]]]
        if exchanges:
            _, place, rival = max(exchanges, key=lambda exchange: exchange[0])
            output[place] = rival
        elif zeros:
            output[zeros[-1][0]] = zeros[-1][1]
        else:
            output = [order[-1] for order in orders]
    found = multiplied(of[o] for of, o in zip(shares, output, strict=True))
    return tuple(output), found


def guards_parity(
    chances: object,
    *,
    keep: object | None = None,
    gamma: object | None = None,
    ratio: object | None = None,
    persons: Sequence[int] | None = None,
) -> bool:
    """Tell whether the parity of these persons is protected, by Theorem 5.7 or by the ratio of dp.

        every q_j is >= p or <= 1 - p,         p = max(keep, 1 - keep) or gamma / (1 + gamma)
        |product of (1 - 2 q_j)| >= 2p - 1,    p = ratio / (1 + ratio)

    The first is for every mechanism with rows in the row cone of randomized response, in particular
    for every one of gamma-FRAPP; randomized response itself protects no other parity. The second is
    for every differentially private mechanism; noisy parity protects no other one.

    >>> guards_parity(["3/4", "1/5"], keep="3/4"), guards_parity(["3/5"], keep="1/4")
    (True, False)
    >>> guards_parity(["3/4", "1/5"], ratio=3), guards_parity(["9/10", "1/10"], ratio=3)
    (False, True)
    """
    if [keep, gamma, ratio].count(None) != 2:
        raise InvalidInput(
            "give one of keep=, of randomized response, gamma=, of FRAPP, and ratio=, of dp"
        )
    read = [probability(q, "chance") for q in listed_chances(chances)]
    chosen = range(1, len(read) + 1) if persons is None else persons
    if any(not 1 <= i <= len(read) for i in chosen):
        raise InvalidInput(f"persons={list(chosen)}: {len(read)} chances are given")
    if keep is None:
        odds = ratio_at_least_one(gamma, "gamma") if ratio is None else ratio_at_least_one(ratio)
        p: Number = Fraction(1) if odds == INFINITY else odds / (1 + odds)
    else:
        p = probability(keep, "keep")
    p = max(p, 1 - p)
    if ratio is not None:
        product = prod((1 - 2 * read[i - 1] for i in chosen), start=Fraction(1))
        return bool(max(product, -product) >= 2 * p - 1)
    return all(read[i - 1] >= p or read[i - 1] <= 1 - p for i in chosen)


@dataclass(frozen=True)
class ParityCheck(Result):
    """Whether some output makes an attacker change his mind about a parity; true if none does.

    Attributes:
        mechanism: What produces the outputs.
        belief: The attacker's.
        output: The output that moves him furthest from the parity that he thought likelier (from
            the tie, if there was one).
        balance: P(even | output) - P(odd | output) there.
    """

    mechanism: Mechanism = field(repr=False)
    belief: ParityBelief
    output: Point
    balance: Fraction

    @property
    def protected(self) -> bool:
        """Whether the parity that was at least as likely stays so after every output."""
        before = self.belief.prior_balance
        return self.balance == 0 if before == 0 else self.balance * before >= 0

    def __bool__(self) -> bool:
        """Return whether the parity is protected."""
        return self.protected

    @property
    def prior_even(self) -> Fraction:
        """The probability of an even number before any output."""
        return (1 + self.belief.prior_balance) / 2

    def posterior_even(self, output: object) -> Fraction | None:
        """Return P(even | output) by Bayes' rule; None when he held the output impossible."""
        found = balance_after(self.mechanism, self.belief, self.mechanism.outputs.find(output))
        return None if found is None else (1 + found) / 2

    def verify(self) -> bool:
        """Recompute the posterior of the worst output."""
        return self.posterior_even(self.output) == (1 + self.balance) / 2

    @property
    def sentence(self) -> str:
        """What the attacker thinks before and after the output that moves him furthest."""
        before, after = self.belief.prior_balance, self.balance
        number = self.belief.number_of()
        label = shortened(self.mechanism.outputs.label(self.output))
        start = f"An attacker believes {self.belief.explain()}; so he thinks "
        if before == 0:
            start += f"an even and an odd {number} equally likely."
        else:
            start += f"an {_likelier(before)} {number} likelier ({plain((1 + abs(before)) / 2)})."
        if self.protected:
            kind = "still a tie" if after == 0 else f"still {_likelier(after)}"
            return (
                f"{start} No output makes him change his mind; the one that moves him furthest, "
                f"{label}, leaves him at {plain((1 + abs(after)) / 2)} ({kind})."
            )
        return (
            f"{start} After the output {label} he thinks an {_likelier(after)} number likelier "
            f"({plain((1 + abs(after)) / 2)}): he changes his mind."
        )

    def answer(self) -> Answer:
        """Say it, and draw the belief in an even number before and after."""
        chances = {"before": self.prior_even, "after that output": (1 + self.balance) / 2}
        tie = ("a tie", Fraction(1, 2))
        drawn = Bars("An even number of yeses", chances, grey=["before"], mark=tie)
        return Answer(self.sentence, holds=self.protected, blocks=[drawn])

    def fields(self) -> dict[str, Any]:
        """Return the belief, and what the output makes of it."""
        return {
            "mechanism": self.mechanism,
            "chances": self.belief.chances,
            "values": [[str(v) for v in pair] for pair in self.belief.values],
            "persons": self.belief.persons,
            "protected": self.protected,
            "prior_even": self.prior_even,
            "output": self.mechanism.outputs.label(self.output),
            "posterior_even": (1 + self.balance) / 2,
            "sentence": self.sentence,
        }


def parity_check(
    mechanism: str | Mechanism,
    chances: object,
    persons: Sequence[int] | None = None,
    *,
    values: Sequence[Sequence[object]] | None = None,
) -> ParityCheck:
    """Decide by Bayes' rule whether a mechanism protects a parity, output by output.

    One transition per record is decided by structure, for any number of records.

    >>> check = parity_check("noisy-parity(bits=2, keep=3/4)", ["3/4", "3/4"])
    >>> check.prior_even, check.output, 1 - check.posterior_even(check.output)
    (Fraction(5, 8), 1, Fraction(9, 14))
    """
    built = build_mechanism(mechanism)
    belief = ParityBelief.read(built.universe, chances, persons, values)
    low, high = extremes(built, belief)
    before = belief.prior_balance
    if before == 0:
        worst = max(high, low, key=lambda extreme: abs(extreme[1]))
    else:
        worst = low if before > 0 else high
    return ParityCheck(built, belief, *worst)


def _likelier(balance: Fraction) -> str:
    return "even" if balance > 0 else "odd"


def attacker_who_changes_his_mind(mechanism: str | Mechanism, keep: object) -> ParityCheck | None:
    """Return an attacker whom randomized response protects and this mechanism does not.

    The converse of Theorem 5.7: a row outside the row cone of randomized response violates one of
    its inequalities, and |coefficients| is a belief with q_i in {p, 1 - p}; None if all rows are
    inside.

    >>> print(attacker_who_changes_his_mind("noisy-parity(bits=2, keep=3/4)", "3/4").sentence)
    An attacker believes the two answers are independent, each yes with probability 3/4; so he \
thinks an even number of yeses likelier (5/8). After the output 1 he thinks an odd number likelier \
(9/14): he changes his mind.
    """
    built = build_mechanism(mechanism)
    records = ParityBelief.read(built.universe, "1/2").records
    text = f"randomized-response(bits={records.n}, keep={probability(keep, 'keep')})"
    cone = PerRecordCone.of(text)
    order = [str(value) for value in records.values]
    table = built.table()
    for output in table.outputs:
        row = table.row(output)
        entries = [rational(row[x], "P(output | database)") for x in built.universe]
        found = cone.contains(entries if order != ["0", "1"] else entries[::-1])
        if not found:
            factors = found.worst.factors
            signed = [i for i, f in enumerate(factors, 1) if min(f) < 0 < max(f)]
            check = parity_check(built, [law_of(f)[0] for f in factors], signed)
            if check.protected or not check.verify():
                raise AssertionError("a violated inequality is the belief of a changed mind")
            return check
    return None
