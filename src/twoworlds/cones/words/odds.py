r"""Tight odds: how far the odds of two sets of databases can move, over a whole row cone.

For a belief b and disjoint sets S (the secret) and R (its rival), an output with likelihood row x
leaves the odds

    P(S | output) / P(R | output) = a . x / r . x,    a = b on S, r = b on R, 0 elsewhere.

The largest value over the cone is the tight alpha of Lin & Kifer, equation 2; divided by the prior
odds it is the tight alpha' of equation 3, the factor by which the odds can grow. A row that is
possible on S and impossible on R makes the odds infinite (`twoworlds.cones.words.ratio`).

With many records the question is answered by structure: the parity of independent records under
one transition per record has a closed form, and differential privacy is reduced to the databases
that the question tells apart (`twoworlds.cones.words.ratio`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

from twoworlds.answer import Answer, Facts
from twoworlds.calls import parse
from twoworlds.charts import Bars
from twoworlds.cones.certificates import Certificate, proved
from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.vectors import Vector, primitive, rational
from twoworlds.cones.row_cone import (
    RowCone,
    build_source,
    endless_noise,
    listed_universe,
    row_cone,
)
from twoworlds.cones.words.parity import ParityBelief, extremes
from twoworlds.cones.words.wording import is_printed, named_set, number
from twoworlds.definitions import DifferentialPrivacy, PrivacyDefinition
from twoworlds.definitions.verdict import shortened
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.laws.noise import GeometricNoise
from twoworlds.mechanisms import Mechanism, PerRecord
from twoworlds.mechanisms.continuous import AddedDensity, Continuous
from twoworlds.mechanisms.named import mechanism as build_mechanism
from twoworlds.mechanisms.on_statistic import OnStatistic
from twoworlds.numbers import INFINITY, Number
from twoworlds.show import Result
from twoworlds.worlds import SUBSTITUTE, Point, Records, Universe, resolve
from twoworlds.worlds.belief import Belief, Secret
from twoworlds.worlds.belief import secret as build_secret
from twoworlds.worlds.beliefs import belief as build_belief
from twoworlds.worlds.beliefs import say_belief
from twoworlds.worlds.catalogue import universe as build_universe

Source = RowCone | str | Mechanism | PrivacyDefinition | Sequence[str | Mechanism]
Set = str | Secret | Iterable[object]
_PARITY = {
    "parity is even": "an even number of yeses",
    "parity is odd": "an odd number of yeses",
}
_LISTED = 16
_MOST_PROVED = 20_000
_FEW_DATABASES = 64  # whose rows are solved for one by one


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
            them; None for noise with infinitely many rows.
        approximation: Why the cone may be larger than the row cone, if so: the odds are then a
            bound that may not be attained.
        assumes: What is believed, to follow "if"; None where every belief gives the same factor.
        attained: Whether some row leaves these odds; else rows come as near as one likes.
    """

    source: str
    universe: Universe
    secret: str
    against: str
    odds: Number
    prior_odds: Fraction
    row: Vector | None
    output: str | None
    certificate: Certificate | None
    approximation: str | None = None
    assumes: str | None = None
    attained: bool = True

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
        far = "outputs further and further out come as near to"
        if self.factor == INFINITY and not self.attained:
            return f"{sets} can grow without bound: {far} ruling the latter out as one likes."
        if self.factor == INFINITY:
            return f"{sets} can become infinite: {self._attained('rules the latter out')}."
        if self.factor == 1:
            return f"{sets} can never grow, {trusted}."
        what = "it" if is_printed(self.factor) else "the exact value"
        text = f"{sets} can grow by at most the factor {number(self.factor)}, {trusted}"
        if not self.attained:
            return f"{text}; no output attains it, but {far} it as one likes."
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
        return self.certificate is not None and self.certificate.verify()

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
    if isinstance(source, PerRecord):
        parity = _as_parity(source.universe, secret, against, belief)
        if parity is not None:
            held, odd, said = parity
            return _parity_odds(source, held, said, odd=odd)
    if (wide := _many_records(source, universe)) is not None:
        return _by_symmetry(*wide, secret, against, belief)
    if isinstance(source, OnStatistic) and has_endless_rows(source):
        where = listed_universe(source.universe, source.expression)
        return odds_under_noise(source, where, secret, against, belief)
    cone = source if isinstance(source, RowCone) else row_cone(source, universe)
    if cone.note is not None and not cone.cone.rays:
        raise InvalidInput(f"{cone.note}, so that there are no outputs to speak of")
    a, r, said = _asked(cone.universe, secret, against, belief)
    from twoworlds.cones.words.ratio import largest_ratio  # numpy

    row, odds, proof = largest_ratio(cone.cone, a, r)
    claim = f"{cone.source}: {said['secret']} against {said['against']}"
    return LargestOdds(
        source=cone.source,
        universe=cone.universe,
        odds=odds,
        row=row,
        output=None,
        certificate=proved("largest-odds", claim=claim, columns=cone.columns, **proof),
        approximation=cone.approximation,
        **said,
    )


def has_endless_rows(source: object) -> bool:
    """Say whether noise has infinitely many different rows on finitely many answers."""
    return _density(source) is not None or not isinstance(
        endless_noise(source), GeometricNoise | None
    )


def _density(source: object) -> Continuous | None:
    """Return the noise with a density that is added to a true answer, if it is that."""
    if isinstance(source, OnStatistic) and isinstance(source.channel, AddedDensity):
        return source.channel.noise
    return source if isinstance(source, Continuous) else None


def odds_under_noise(
    source: OnStatistic | Continuous,
    where: Universe,
    secret: Set,
    against: Set | None,
    belief: str | Belief,
) -> LargestOdds:
    """Answer for noise on an answer, by its outputs.

    >>> largest_odds("discrete-gaussian(sigma2=1, bits=2)", "odd").output
    '1'
    """
    a, r, said = _asked(where, secret, against, belief)
    sides: list[dict[Any, Fraction]] = [{}, {}]
    for side, masses in zip(sides, (a, r), strict=True):
        for x, mass in zip(where, masses, strict=True):
            if mass:
                answer = x if isinstance(source, Continuous) else source.statistic(x)
                side[answer] = side.get(answer, Fraction(0)) + mass
    from twoworlds.cones.words.ratio import largest_ratio_of_density, largest_ratio_of_noise

    odds: Number
    output: Fraction | int | None
    if (density := _density(source)) is not None:
        odds, output = largest_ratio_of_density(density, *sides)
    else:
        noise = endless_noise(source)
        assert noise is not None
        odds, output = largest_ratio_of_noise(noise, *sides)
    return LargestOdds(
        source=source.expression,
        universe=where,
        odds=odds,
        row=None,
        output=None if output is None else str(output),
        certificate=None,
        attained=output is not None,
        **said,
    )


def _asked(
    where: Universe, secret: Set, against: Set | None, belief: str | Belief
) -> tuple[list[Fraction], list[Fraction], dict[str, Any]]:
    """Return the masses of the two sets, and what is said of them."""
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
    return (
        a,
        r,
        {
            "secret": name,
            "against": rival,
            "prior_odds": sum(a, start=Fraction(0)) / sum(r, start=Fraction(0)),
            "assumes": None if len(first) == len(second) == 1 else _assumed(belief, where),
        },
    )


def _many_records(
    source: object, universe: str | Universe | None
) -> tuple[DifferentialPrivacy, Fraction, Records] | None:
    """Read differential privacy over more databases than are listed as columns, if it is that."""
    if not isinstance(source, DifferentialPrivacy) or universe is None or source.group != 1:
        return None
    where, relation = resolve(build_universe(universe), source.neighbours)
    if not isinstance(where, Records) or not where.fixed or where.size <= _FEW_DATABASES:
        return None
    if relation != SUBSTITUTE or source.delta or source.ratio in (None, INFINITY):
        return None
    return source, rational(source.ratio, f"the ratio of {source.claim}"), where


def _by_symmetry(
    source: DifferentialPrivacy,
    ratio: Fraction,
    where: Records,
    secret: Set,
    against: Set | None,
    belief: str | Belief,
) -> LargestOdds:
    """Answer by the few classes of databases that the question tells apart, if they are few.

    The odds of a parity of independent records, or of one of them, grow by the ratio at most, and
    some row attains it, however many there are (proof in `cones.words.parity`).
    """
    from twoworlds.cones.words.ratio import MOST_DATABASES, largest_ratio, reduced

    parity = _as_parity(where, secret, against, belief)
    if parity is not None and (where.size > MOST_DATABASES or len(set(parity[0].chances)) > 2):
        before = _prior_odds(parity[0], odd=parity[1])
        return LargestOdds(
            source=source.claim,
            universe=where,
            odds=ratio * before,
            prior_odds=before,
            row=None,
            output=None,
            certificate=None,
            **parity[2],
        )
    if where.size > MOST_DATABASES:
        fits = next(n for n in count() if len(where.values) ** (n + 1) > MOST_DATABASES)
        raise TooLarge(
            f"{where.expression} has {len(where.values)}^{where.n} databases, and odds under "
            f"{source.claim} are found up to {MOST_DATABASES}: use at most {fits} records"
        )
    a, r, said = _asked(where, secret, against, belief)
    columns, first, second, inequalities = reduced(where, ratio, a, r)
    _, odds, proof = largest_ratio(Cone.from_inequalities(inequalities), first, second)
    claim = f"{source.claim} over {where.expression}: {said['secret']} against {said['against']}"
    alike = f"{claim}; each column stands for the databases that are alike, and names one"
    return LargestOdds(
        source=source.claim,
        universe=where,
        odds=odds,
        row=None,
        output=None,
        certificate=proved("largest-odds", claim=alike, columns=columns, **proof),
        **said,
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
            f"{given!r} is not a set of databases: list them, or write a secret such as even or 1=1"
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
    return _parity_odds(built, belief, _parity_named(belief, odd=odd), odd=odd)


def _parity_named(belief: ParityBelief, *, odd: bool) -> dict[str, Any]:
    names = [f"an {parity} {belief.number_of()}" for parity in ("even", "odd")]
    assumes = "the records are independent, with the given chances"
    return {"secret": names[odd], "against": names[not odd], "assumes": assumes}


def _parity_odds(
    built: PerRecord, belief: ParityBelief, said: Mapping[str, Any], *, odd: bool
) -> LargestOdds:
    if len(belief.persons) > _MOST_PROVED:
        raise TooLarge(
            f"the parity of {len(belief.persons)} records is asked for, and at most {_MOST_PROVED} "
            "can be proved: ask about fewer records. More of them never move the odds after an "
            "output further from 1"
        )
    before = _prior_odds(belief, odd=odd)
    low, high = extremes(built, belief)
    output, balance = (low[0], -low[1]) if odd else high
    odds: Number = INFINITY if balance == 1 else (1 + balance) / (1 - balance)
    proof = _parity_proof(built, belief, output, odds, odd=odd)
    small = (built.universe.size or 0) <= _LISTED
    row = [built.probability(output, x) for x in built.universe] if small else None
    return LargestOdds(
        source=built.expression,
        universe=built.universe,
        odds=odds,
        prior_odds=before,
        row=None if row is None else primitive(row),
        output=built.outputs.label(output),
        certificate=proved("largest-parity-odds", **proof),
        **said,
    )


def _prior_odds(belief: ParityBelief, *, odd: bool) -> Fraction:
    balance = -belief.prior_balance if odd else belief.prior_balance
    if abs(balance) == 1:
        certain = "the parity" if len(belief.persons) > 1 else f"record {belief.persons[0]}"
        raise InvalidInput(
            f"the belief is certain of {certain}, so that the contrary has no odds: give a "
            "person who counts a chance between 0 and 1"
        )
    return (1 + balance) / (1 - balance)


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


def _as_parity(
    where: Universe, secret: Set, against: Set | None, belief: str | Belief
) -> tuple[ParityBelief, bool, dict[str, Any]] | None:
    """Read a question about a parity or one person's answer under an independent belief."""
    if not isinstance(belief, str) or not isinstance(secret, str) or not _bits(where):
        return None
    call = parse(belief)
    laws = list(call.positional) if call.name == "independent" else ["1/2"]
    if call.name not in ("independent", "uniform") or not laws or call.named:
        return None
    odd = {"even": False, "odd": True, "parity": True}.get(secret.strip())
    if odd is not None:
        if against not in (None, "even" if odd else "odd"):
            return None
        held = ParityBelief.read(where, laws)
        said = _parity_named(held, odd=odd)
    else:
        match = re.fullmatch(r"\s*([1-9][0-9]*)\s*=\s*([01])\s*", secret)
        if match is None or against is not None:
            return None
        held, odd = ParityBelief.read(where, laws, [int(match[1])]), match[2] == "1"
        said = {"secret": f"record {match[1]} being {match[2]}", "against": "the opposite"}
    return held, odd, {**said, "assumes": _assumed(belief, where)}


def _bits(universe: Universe) -> bool:
    return isinstance(universe, Records) and universe.fixed and set(universe.values) == {0, 1}
