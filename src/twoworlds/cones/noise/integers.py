r"""Row cones over all whole numbers, seen on finitely many of them.

What is asked about finitely many true answers is decided on a finite range of them, exactly:

- Differential privacy. A row on low..high that keeps the ratio between neighbours extends to all
  whole numbers: x(k) = min(max of x, min_j ratio^dist(k, j) x(j)) keeps it too, and is bounded.
  So the rows on a range are those of the definition on that range, and every bounded row can
  occur: say yes with probability c x, no otherwise, with c small.
- Geometric noise. An output beyond the range has a row proportional to that of the nearer end, so
  the rows on the range are those of the truncated mechanism (Lin & Kifer, Section 5.3.1).
- Noise with finitely many values has finitely many rows on a range.

A row that is constant far out satisfies a definition on all whole numbers if and only if it does on
the range of its changes and one step beyond. Other noise has infinitely many different rows on a
range: its odds are those of its best output (`cones.words.ratio`), and its cone is asked for row by
row (`NoiseCone.contains`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from twoworlds.answer import Answer, Said
from twoworlds.cones.noise.noise_cone import noise_cone
from twoworlds.cones.row_cone import (
    RowCone,
    endless_noise,
    refuse_without_rows,
    row_cone,
    true_answers,
    variable,
)
from twoworlds.cones.words.odds import (
    LargestOdds,
    has_endless_rows,
    largest_odds,
    odds_under_noise,
)
from twoworlds.definitions import DifferentialPrivacy, PrivacyDefinition
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.noise import Supremum
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.on_statistic import OnStatistic
from twoworlds.numbers import INFINITY, exact_text, rational, show, whole
from twoworlds.show import Told
from twoworlds.worlds import Integers, Universe

Trusted = Mechanism | PrivacyDefinition
_WIDEST = 512
_NOT_CLOSED = (
    "It is not closed: outputs further and further out come near a row on its edge, and no output, "
    "nor any combination of outputs, has that row."
)
_CLOSURE = {
    True: "The closure has the same guarantees, with <= for <.",
    False: "The closure holds every row, so there is no guarantee against attackers.",
}


def whole_numbers(source: Trusted, universe: Universe | None) -> Integers | None:
    """Return the universe if it is that of all whole numbers, else None."""
    where = source.universe if isinstance(source, Mechanism) else universe
    if isinstance(where, Integers) and where.low is None and where.high is None:
        return where
    return None


def on_range(source: Trusted, where: Integers) -> RowCone:
    """Return the row cone on a range, which that on all whole numbers leaves there.

    >>> from twoworlds.cones.row_cone import build_source
    >>> sorted(on_range(build_source("geometric(ratio=2)"), Integers(0, 1)).generators())
    [(1, 2), (2, 1)]
    """
    if isinstance(source, PrivacyDefinition):
        return row_cone(source, where)
    return replace(row_cone(source.restrict(where)), source=source.expression)


def range_of(where: Integers, places: Sequence[int], beyond: int = 0) -> Integers:
    """Return the whole numbers from the least to the greatest place, and so many beyond."""
    low, high = min(places) - beyond, max(places) + beyond
    if high - low > _WIDEST:
        raise InvalidInput(f"{low} to {high} is a wide range: name answers within {_WIDEST}")
    return Integers(low, high, where.step)


def on_two_answers(source: Mechanism) -> Told | None:
    """Return the row cone of endless integer noise on two databases, if that is what it is.

    Their true answers are next to each other. With R = sup P(o | 1) / P(o | 0) and R' = sup
    P(o | 0) / P(o | 1) the cone is the wedge between the slopes R and 1 / R'. A side that no output
    attains does not belong to it, so that the cone is not closed (Lin & Kifer, Section 4.2.1).
    """
    noise = endless_noise(source)
    if noise is None or not isinstance(source, OnStatistic) or source.universe.size != 2:
        return None
    answers = {k: x for x, k in true_answers(source, source.universe).items()}
    low, high = min(answers), max(answers)
    if high - low != 1 or not has_endless_rows(source):
        return None
    more, less = (variable(source.universe.label(answers[k])) for k in (high, low))
    sides = [
        _side(more, less, noise.supremum(1)),
        _side(less, more, noise.reflected().supremum(1)),
    ]
    headline = (
        f"Row cone of {source.expression}: besides the row of zeros, the rows with "
        f"{' and '.join(sides)}."
    )
    closed = all("<=" in side for side in sides)
    said = [] if closed else [_NOT_CLOSED, _CLOSURE["<" in "".join(sides)]]
    data = {"kind": "wedge", "source": source.expression, "sides": sides, "closed": closed}
    return Told(Answer(headline, blocks=[Said(said)] if said else []), data)


def _side(larger: str, smaller: str, limit: Supremum) -> str:
    """Write larger <= R smaller; without a bound all that is left is that smaller is not 0."""
    if limit.ratio == INFINITY:
        return f"{smaller} > 0"
    sign = "<" if limit.attained_at is None else "<="
    return f"{larger} {sign} {exact_text(limit.ratio) or show(limit.ratio)} {smaller}"


def integer_odds(
    source: Trusted, of: str, against: str | None, belief: str, where: Integers
) -> LargestOdds:
    """Return the largest odds between two finite sets of whole numbers.

    >>> from twoworlds.cones.row_cone import build_source
    >>> integer_odds(build_source("dp(ratio=2)"), "0", "3", "uniform", Integers()).factor
    Fraction(8, 1)
    """
    if isinstance(source, PrivacyDefinition):
        refuse_without_rows(source)  # what no secret would help is refused first
    try:
        first = [_place(part) for part in of.split(",")]
    except InvalidInput:
        raise InvalidInput(
            f"{of} is not a list of whole numbers, which are the databases here: name some, as in "
            "--of 0"
        ) from None
    if against is None:
        raise InvalidInput(
            f"the opposite of {of} holds infinitely many whole numbers: name a rival, as in "
            "--against 1"
        )
    second = [_place(part) for part in against.split(",")]
    part = range_of(where, [*first, *second])
    if isinstance(source, OnStatistic) and has_endless_rows(source):
        return odds_under_noise(source, part, first, second, belief)
    return largest_odds(on_range(source, part), first, second, belief)


def read_row(text: str) -> tuple[dict[int, Fraction], Fraction]:
    """Read a row such as '0: 1, 1: 3/2, else: 2'.

    >>> read_row("0: 1, else: 2")
    ({0: Fraction(1, 1)}, Fraction(2, 1))
    """
    row: dict[int, Fraction] = {}
    constant = Fraction(0)
    for part in text.split(","):
        place, colon, value = part.partition(":")
        if not colon:
            raise InvalidInput(
                f"{text!r} is not a row over all whole numbers: give it place by place, as in "
                "--row '0: 1, 1: 3/2, else: 2'"
            )
        if place.strip() == "else":
            constant = rational(value, "else")
        else:
            row[_place(place)] = rational(value, f"x({place.strip()})")
    return row, constant


def row_on_integers(text: str, source: Trusted, where: Integers) -> Told:
    """Say whether a row that is constant far out can occur."""
    row, constant = read_row(text)
    name = str(getattr(source, "claim", getattr(source, "expression", "")))
    if isinstance(source, PrivacyDefinition):
        step = where.step * getattr(source, "group", 1)
        cone = on_range(source, range_of(where, [*row] or [0], beyond=step))
        entries = [row.get(k, constant) for k in cone.universe]
        broken = cone.separating(entries)
        holds, why = broken is None, "" if broken is None else f"it breaks {broken.text()}"
    else:
        found = noise_cone(source).contains(row, otherwise=constant)
        holds, why = found.holds, found.answer().headline
    verb = "can be the likelihood row" if holds else "can NOT be the likelihood row"
    because = "" if holds else f": {why}"
    said = f"{text} {verb} of an output of {name} over {where.expression}, scaled{because}."
    data = {"row": row, "else": constant, "of": name, "holds": holds, "why": why}
    return Told(Answer(said, holds=holds), data)


def dp_on_integers(source: DifferentialPrivacy, where: Integers) -> Told:
    """Say what the row cone of differential privacy on all whole numbers is."""
    ratio, step = exact_text(source.ratio) if source.ratio is not None else None, where.step
    next(source.row_constraints(Integers(0, step, step)), None)  # raises where there is none
    if source.group != 1:
        raise Unsupported(
            f"{source.claim} over {where.expression}: take group=1, or a range, as in --universe "
            "'integers(0, 5)'"
        )
    pair = f"x(k) <= {ratio} x(k+{step}) and x(k+{step}) <= {ratio} x(k)"
    headline = (
        f"Row cone of {source.claim} over {where.expression}: a bounded likelihood row x >= 0 lies "
        f"in it if and only if {pair} for every whole number k."
    )
    said = [
        f"For every whole number k, whatever an attacker believes: the odds of the answer k "
        f"against k+{step} change by a factor of at most {ratio}, up or down.",
        "Every such row can occur. On a range of answers the cone is that of the range alone.",
    ]
    data = {"kind": "dp-cone", "source": source.claim, "universe": where, "inequality": pair}
    return Told(Answer(headline, blocks=[Said(said)]), data)


def _place(text: str) -> int:
    found = rational(text, "place")
    if found.denominator != 1:
        raise InvalidInput(f"place={text.strip()} must be a whole number")
    return whole(abs(found), "place") * (1 if found >= 0 else -1)
