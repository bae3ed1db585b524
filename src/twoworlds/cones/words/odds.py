r"""Tight odds: how far the odds of two sets of databases can move, over a whole row cone.

For a belief b and disjoint sets S (the secret) and R (its rival), an output with likelihood row x
leaves the odds

    P(S | output) / P(R | output) = a . x / r . x,    a = b on S, r = b on R, 0 elsewhere.

The largest value over the cone is the tight alpha of Lin & Kifer, equation 2; divided by the prior
odds it is the tight alpha' of equation 3, the factor by which the odds can grow. A ratio of linear
functions is largest at an extreme row. A cone that is given by rows is answered by trying them, and
one that is given by inequalities c . x >= 0 by the linear program

    maximise a . x    subject to    r . x = 1,  c . x >= 0,  x >= 0,

whose optimum alpha comes with multipliers y >= 0 of the inequalities: alpha r - a = sum of y c, so
that no row of the cone has a larger ratio. A row that is possible on S and impossible on R makes
the odds infinite. The parity of independent records under one transition per record has a closed
form, for any number of records.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

from twoworlds.answer import Answer, Facts
from twoworlds.calls import parse
from twoworlds.charts import Bars
from twoworlds.cones.certificates import Certificate, proved
from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.vectors import Vector, dot, negative, primitive, rational, units
from twoworlds.cones.row_cone import RowCone, build_source, row_cone
from twoworlds.cones.words.parity import ParityBelief, extremes
from twoworlds.cones.words.wording import is_printed, named_set, number
from twoworlds.definitions import PrivacyDefinition
from twoworlds.definitions.verdict import shortened
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.mechanisms import Mechanism, PerRecord
from twoworlds.mechanisms.named import mechanism as build_mechanism
from twoworlds.numbers import INFINITY, Number
from twoworlds.show import Result
from twoworlds.worlds import Point, Records, Universe
from twoworlds.worlds.assumptions import say_belief
from twoworlds.worlds.belief import Belief
from twoworlds.worlds.beliefs import belief as build_belief
from twoworlds.worlds.secret import Secret
from twoworlds.worlds.secret import secret as build_secret

Found = tuple[Vector, Number, dict[str, object]]


def largest_ratio(cone: Cone, a: Sequence[Fraction], r: Sequence[Fraction]) -> Found:
    """Return a row x of the largest ratio a . x / r . x, the ratio, and the proof as data.

    >>> largest_ratio(Cone.from_rays([(3, 1), (1, 3)]), [Fraction(1), Fraction(0)],
    ...               [Fraction(0), Fraction(1)])[:2]
    ((3, 1), Fraction(3, 1))
    """
    given = cone.constraints
    if given is None:
        rays, lines = cone.generators or ((), ())
        row, odds = _best(rays, lines, a, r)
        proof: dict[str, object] = {"generators": rays}
    else:
        row, odds, proof = _by_program(cone.dimension, *given, a, r)
    shown = "infinity" if odds == INFINITY else odds
    return row, odds, {"first": a, "second": r, "row": row, "odds": shown, **proof}


def _best(
    rays: Sequence[Vector],
    lines: Sequence[Vector],
    a: Sequence[Fraction],
    r: Sequence[Fraction],
) -> tuple[Vector, Number]:
    """Try all rays."""
    if lines or any(min(ray) < 0 for ray in rays):
        raise Unsupported(
            "the cone holds rows with negative entries, which are no likelihoods: intersect it "
            "with the rows that are at least 0"
        )
    scale = lcm(*[value.denominator for value in (*a, *r)])
    top, bottom = (tuple(int(value * scale) for value in values) for values in (a, r))
    best: tuple[bool, Fraction] | None = None
    for ray in rays:
        p, q = dot(top, ray), dot(bottom, ray)
        if p or q:
            ratio = (not q, Fraction(p) / q if q else Fraction(0))
            if best is None or ratio > best:
                best, row = ratio, ray
    if best is None:
        raise _no_row()
    return row, INFINITY if best[0] else best[1]


def _by_program(
    size: int,
    listed: Sequence[Vector],
    equalities: Sequence[Vector],
    a: Sequence[Fraction],
    r: Sequence[Fraction],
) -> Found:
    from twoworlds.programs import Infeasible, Optimal, Unbounded, solve

    ones = units(size)
    known = set(ones)
    inequalities = [c for c in listed if c not in known]
    given = [*inequalities, *equalities]
    rows: list[Sequence[int | Fraction]] = [r, *given]
    low = [1, *[0] * len(given)]
    high = [1, *[None] * len(inequalities), *[0] * len(equalities)]
    outcome = solve([-c for c in a], rows, lower=low, upper=high)
    premises = [*inequalities, *equalities, *map(negative, equalities), *ones]
    if isinstance(outcome, Infeasible):
        # r vanishes on the whole cone, so any row that a sees has infinite odds.
        found = solve([0] * size, [a, *given], lower=low, upper=high)
        if not isinstance(found, Optimal):
            raise _no_row()
        return primitive(found.x), INFINITY, {"premises": premises}
    if isinstance(outcome, Unbounded):
        return primitive(outcome.ray), INFINITY, {"premises": premises}
    odds = -outcome.value
    rest = [odds * q - p for p, q in zip(a, r, strict=True)]
    multipliers: list[Fraction] = []
    for row, y in zip(given, outcome.y[1:], strict=True):
        multipliers.append(y)
        if y:
            rest = [c - y * e for c, e in zip(rest, row, strict=True)]
    equal = multipliers[len(inequalities) :]
    multipliers[len(inequalities) :] = [max(y, Fraction(0)) for y in equal]
    multipliers += [max(-y, Fraction(0)) for y in equal] + rest
    return primitive(outcome.x), odds, {"premises": premises, "multipliers": multipliers}


def _no_row() -> InvalidInput:
    return InvalidInput(
        "every row of the cone vanishes on both sets: no mechanism has such rows, as its rows sum "
        "to the row of ones"
    )


Source = RowCone | str | Mechanism | PrivacyDefinition | Sequence[str | Mechanism]
Set = str | Secret | Iterable[object]
_PARITY = {
    "parity is even": "an even number of yeses",
    "parity is odd": "an odd number of yeses",
}
_LISTED = 16
_MOST_PROVED = 20_000


@dataclass(frozen=True)
class LargestOdds(Result):
    """The largest odds of a secret against its rival after any output.

    Attributes:
        source: What is trusted.
        universe: The databases.
        secret, against: The two sets in words.
        odds: The largest odds after an output (equation 2), infinite if nothing bounds them.
        prior_odds: The odds before.
        row: A likelihood row of the cone that leaves these odds; None if it is too long to list.
        output: The output of the mechanism with this row, where one is known.
        certificate: The proof that the row attains the odds and that no row of the cone exceeds
            them.
        approximation: Why the cone may be larger than the row cone, if so: the odds are then a
            bound that may not be attained.
        assumes: What is believed, to follow "if"; None where every belief gives the same factor.
    """

    source: str
    universe: Universe
    secret: str
    against: str
    odds: Number
    prior_odds: Fraction
    row: Vector | None
    output: str | None
    certificate: Certificate
    approximation: str | None = None
    assumes: str | None = None

    @property
    def factor(self) -> Number:
        """By how much the odds can grow (equation 3)."""
        return INFINITY if self.odds == INFINITY else self.odds / self.prior_odds

    @property
    def sentence(self) -> str:
        """Say how far the odds can move, for which belief, and which row does it."""
        opening = "The" if self.assumes is None else f"If {self.assumes}, the"
        sets = f"{opening} odds of {self.secret} against {self.against}"
        trusted = "whatever trusted mechanism is used"
        if self.approximation is not None:
            if self.factor == INFINITY:
                return f"{sets} are not known to be bounded: the row cone is only approximated."
            limit = f"{sets} can grow by at most the factor {number(self.factor)}, {trusted}"
            return f"{limit}; the true limit may be smaller, as the row cone is only approximated."
        if self.factor == INFINITY:
            return f"{sets} can become infinite: {self._attained('rules the latter out')}."
        if self.factor == 1:
            return f"{sets} can never grow, {trusted}."
        what = "it" if is_printed(self.factor) else "the exact value"
        text = f"{sets} can grow by at most the factor {number(self.factor)}, {trusted}"
        return f"{text}; {self._attained(f'attains {what}')}."

    def _attained(self, verb: str) -> str:
        if self.row is None or len(self.row) > _LISTED:
            where = "a row" if self.output is None else f"the output {shortened(self.output)}"
            return f"{where} {verb}"
        labels = ", ".join(self.universe.label(x) for x in self.universe)
        named = "the row" if self.output is None else f"the output {self.output} with the row"
        return f"{named} {', '.join(map(str, self.row))} over {labels} {verb}"

    def answer(self) -> Answer:
        """Say it with the odds before and after."""
        odds = f"before: {number(self.prior_odds)}; after, at most: {number(self.odds)}"
        after = 1.0 if self.odds == INFINITY else self.odds / (1 + self.odds)
        believed = {"before": self.prior_odds / (1 + self.prior_odds), "after, at most": after}
        title = f"{self.secret} rather than {self.against}"
        return Answer(
            self.sentence,
            blocks=[Facts([("odds", odds)]), Bars(title, believed, grey=["before"], side="up")],
            notes=[] if self.approximation is None else [f"approximated: {self.approximation}"],
        )

    def verify(self) -> bool:
        """Check the certificate."""
        return self.certificate.verify()

    def fields(self) -> dict[str, Any]:
        """Return the odds, the row that attains them, and the proof."""
        columns = [self.universe.label(x) for x in self.universe] if self.row else None
        return {
            "source": self.source,
            "secret": self.secret,
            "against": self.against,
            "factor": self.factor,
            "odds": self.odds,
            "prior_odds": self.prior_odds,
            "row": self.row,
            "columns": columns,
            "output": self.output,
            "sentence": self.sentence,
            "approximation": self.approximation,
            "certificate": self.certificate,
        }


def largest_odds(
    source: Source,
    secret: Set,
    against: Set | None = None,
    belief: str | Belief = "uniform",
    *,
    universe: str | Universe | None = None,
) -> LargestOdds:
    """Return the largest odds of a secret against its rival, over a whole row cone.

    Args:
        source: A row cone, or what `row_cone` makes one of.
        secret: A set of databases: listed, a `Secret`, or text such as ``even`` or ``2=1``.
        against: The rival set; the opposite of the secret unless given.
        belief: Before any output.
        universe: Of a definition.

    >>> largest_odds("randomized-response(bits=2, keep=3/4)", "even").factor
    Fraction(5, 3)
    >>> print(largest_odds("dp(ratio=3)", ["11"], ["00"], universe="bits(2)").sentence)
    The odds of {11} against {00} can grow by at most the factor 9, whatever trusted mechanism is \
used; the row 9, 3, 3, 1 over 11, 10, 01, 00 attains it.
    """
    if isinstance(source, str):
        source = build_source(source, universe)
    if isinstance(source, PerRecord) and (found := _by_structure(source, secret, against, belief)):
        return found
    cone = source if isinstance(source, RowCone) else row_cone(source, universe)
    where = cone.universe
    if cone.note is not None and not cone.cone.rays:
        raise InvalidInput(f"{cone.note}, so that there are no outputs to speak of")
    first, name = _set(where, secret)
    second, rival = _rival(where, first, name, against)
    if common := [x for x in first if x in second]:
        raise InvalidInput(
            f"{where.label(common[0])} is in both sets: odds compare sets without a common database"
        )
    held = build_belief(belief, where)
    a, r = (_masses(where, held, members) for members in (first, second))
    for masses, text in ((a, name), (r, rival)):
        if not any(masses):
            raise InvalidInput(
                f"the belief gives {text} the probability 0, so that it has no odds: choose a "
                "belief that holds it possible"
            )
    row, odds, proof = largest_ratio(cone.cone, a, r)
    fields = {"claim": f"{cone.source}: {name} against {rival}", "columns": cone.columns, **proof}
    return LargestOdds(
        source=cone.source,
        universe=where,
        secret=name,
        against=rival,
        odds=odds,
        prior_odds=sum(a, start=Fraction(0)) / sum(r, start=Fraction(0)),
        row=row,
        output=None,
        certificate=proved("largest-odds", **fields),
        approximation=cone.approximation,
        assumes=None if len(first) == len(second) == 1 else _assumed(belief, where),
    )


def _assumed(belief: str | Belief, where: Universe) -> str:
    """Say what is believed: beliefs that weigh the databases of a set otherwise move otherwise."""
    return say_belief(belief, where) if isinstance(belief, str) else "the given belief is held"


def both_ways(
    source: Source,
    secret: Set,
    against: Set | None = None,
    belief: str | Belief = "uniform",
    *,
    universe: str | Universe | None = None,
) -> tuple[LargestOdds, LargestOdds]:
    """Return how far the odds of a secret can grow, and how far those of its rival.

    >>> [one.factor for one in both_ways("randomized-response(bits=3, keep=3/4)", "even")]
    [Fraction(9, 7), Fraction(9, 7)]
    """
    if isinstance(source, str):
        source = build_source(source, universe)
    forward = largest_odds(source, secret, against, belief=belief, universe=universe)
    if against is None:
        where = forward.universe
        held = secret if isinstance(secret, Secret) else _secret(where, secret)
        other: Set = {"even": "odd", "odd": "even", "parity": "even"}.get(
            secret.strip() if isinstance(secret, str) else "", held.opposite()
        )
        back = largest_odds(source, other, secret, belief=belief, universe=universe)
    else:
        back = largest_odds(source, against, secret, belief=belief, universe=universe)
    return forward, back


# --- the two sets ---------------------------------------------------------------------------------


def _secret(where: Universe, given: Set) -> Secret:
    if isinstance(given, Secret):
        return given
    if isinstance(given, str):
        return build_secret(given, where)
    if not isinstance(given, Iterable):
        raise InvalidInput(
            f"{given!r} is no set of databases: list them, or write a secret such as even or 1=1"
        )
    return Secret.of(where, given)


def _set(where: Universe, given: Set) -> tuple[dict[Point, None], str]:
    """Return the databases of a set, in order, and its name."""
    chosen = _secret(where, given)
    members = dict.fromkeys(x for x in where if chosen.holds(x))
    if not members:
        raise InvalidInput(
            f"no database of {where.expression} is in the set {chosen.name!r}: name at least one"
        )
    if chosen.name.startswith("the database is "):
        return members, named_set(where, list(members))
    return members, _PARITY.get(chosen.name, chosen.name.replace(" is ", " being ", 1))


def _rival(
    where: Universe, first: dict[Point, None], name: str, against: Set | None
) -> tuple[dict[Point, None], str]:
    members = dict.fromkeys(x for x in where if x not in first)
    if against is not None:
        rival = _set(where, against)
        if rival[0] != members or not rival[1].startswith("not "):
            return rival
    if not members:
        raise InvalidInput(f"{name} holds for all databases of {where.expression}: it has no rival")
    names = list(_PARITY.values())
    return members, names[1 - names.index(name)] if name in names else "the opposite"


def _masses(where: Universe, held: Belief, members: dict[Point, None]) -> list[Fraction]:
    return [
        rational(held[x], f"belief in {where.label(x)}") if x in members else Fraction(0)
        for x in where
    ]


# --- parity, by structure -------------------------------------------------------------------------


def largest_parity_odds(
    mechanism: str | PerRecord,
    chances: object = "1/2",
    persons: Sequence[int] | None = None,
    *,
    odd: bool = False,
    values: Sequence[Sequence[object]] | None = None,
) -> LargestOdds:
    """Return the largest odds of an even (odd) number, for any number of independent records.

    With the largest balance d = P(even | output) - P(odd | output) the odds are (1 + d) / (1 - d).
    For randomized response with keep p and a uniform belief d = (2p - 1)^k.

    Args:
        mechanism: One transition for every record.
        chances: The probability of each record's first value (for bits: of 1); one for all.
        persons: Whose records count; all unless named.
        odd: Whether the odds of an odd number are asked for.
        values: The two possible values of each record, if it has more than two.

    >>> largest_parity_odds("randomized-response(bits=3, keep=3/4)").factor
    Fraction(9, 7)
    >>> largest_parity_odds("randomized-response(bits=40, keep=3/4)", persons=[1, 40]).factor
    Fraction(5, 3)
    """
    built = build_mechanism(mechanism)
    if not isinstance(built, PerRecord):
        raise Unsupported(
            f"{built.expression} is not one transition per record: use largest_odds, which lists "
            "its rows"
        )
    belief = ParityBelief.read(built.universe, chances, persons, values)
    if len(belief.persons) > _MOST_PROVED:
        raise TooLarge(
            f"the parity of {len(belief.persons)} records is asked for, and at most {_MOST_PROVED} "
            "can be proved: ask about fewer records. More of them never move the odds after an "
            "output further from 1"
        )
    low, high = extremes(built, belief)
    before = -belief.prior_balance if odd else belief.prior_balance
    if abs(before) == 1:
        certain = "the parity" if len(belief.persons) > 1 else f"record {belief.persons[0]}"
        raise InvalidInput(
            f"the belief is certain of {certain}, so that the contrary has no odds: give a "
            "person who counts a chance between 0 and 1"
        )
    output, balance = (low[0], -low[1]) if odd else high
    odds: Number = INFINITY if balance == 1 else (1 + balance) / (1 - balance)
    names = [f"an {parity} {belief.number_of()}" for parity in ("even", "odd")]
    proof = _parity_proof(built, belief, output, odds, odd=odd)
    small = (built.universe.size or 0) <= _LISTED
    row = [built.probability(output, x) for x in built.universe] if small else None
    return LargestOdds(
        source=built.expression,
        universe=built.universe,
        secret=names[odd],
        against=names[not odd],
        odds=odds,
        prior_odds=(1 + before) / (1 - before),
        row=None if row is None else primitive(row),
        output=built.outputs.label(output),
        certificate=proved("largest-parity-odds", **proof),
        assumes="the records are independent, with the given chances",
    )


def _parity_proof(
    built: PerRecord, belief: ParityBelief, output: Sequence[Point], odds: Number, *, odd: bool
) -> dict[str, object]:
    domain = belief.records.values
    transition = built.transition
    rows = [
        [rational(transition.probability(o, v), "P(output | value)") for v in domain]
        for o in transition.outputs
    ]
    # The others contribute the factor 1, whatever they put out.
    counted = [i - 1 for i in belief.persons]
    given = belief.laws, belief.signs
    laws = [[given[0][i].get(v, Fraction(0)) for v in domain] for i in counted]
    signs = [[given[1][i].get(v, 1) for v in domain] for i in counted]
    if odd:
        signs[0] = [-s for s in signs[0]]
    order = list(transition.outputs)
    return {
        "claim": f"{built.expression}: {belief.number_of()}",
        "transition": rows,
        "laws": laws,
        "signs": signs,
        "places": [order.index(output[i]) for i in counted],
        "odds": "infinity" if odds == INFINITY else odds,
    }


def _by_structure(
    source: PerRecord, secret: Set, against: Set | None, belief: str | Belief
) -> LargestOdds | None:
    """Answer questions about a parity or one person's answer under an independent belief."""
    if not isinstance(belief, str) or not isinstance(secret, str) or not _bits(source.universe):
        return None
    call = parse(belief)
    laws = list(call.positional) if call.name == "independent" else ["1/2"]
    if call.name not in ("independent", "uniform") or not laws or call.named:
        return None
    wanted = {"even": False, "odd": True, "parity": True}.get(secret.strip())
    assumes = _assumed(belief, source.universe)
    if wanted is not None:
        if against not in (None, "even" if wanted else "odd"):
            return None
        return replace(largest_parity_odds(source, laws, odd=wanted), assumes=assumes)
    match = re.fullmatch(r"\s*([1-9][0-9]*)\s*=\s*([01])\s*", secret)
    if match is None or against is not None:
        return None
    found = largest_parity_odds(source, laws, [int(match[1])], odd=match[2] == "1")
    secret = f"record {match[1]} being {match[2]}"
    return replace(found, secret=secret, against="the opposite", assumes=assumes)


def _bits(records: Records) -> bool:
    return set(records.values) == {0, 1}
