"""Comparing definitions: which one promises more, and a mechanism that tells them apart.

A definition is *stronger* than another over the same databases when its row cone lies inside the
other's: then every guarantee of the other holds for it too. The proof is, for each guarantee of
the weaker one, the sum of guarantees of the stronger one that gives it. The disproof is a row that
one definition allows and the other forbids, and a mechanism with two outputs whose first row it is:

    P(yes | D) = c x_D,    P(no | D) = 1 - c x_D,    c > 0 small enough.

If x is a combination of rows of trusted mechanisms, x = sum_i y_i M_i with y_i >= 0, then
c = 1 / sum_i max(y_i) makes it a mixture of post-processings of them (Lin & Kifer, Theorem 4.7). If
the cone is given by inequalities, the largest c that keeps 1 - c x in the cone is taken.

Of a row cone that is only approximated from outside, a ray may not occur; then only the half of the
answer that the larger cone proves is given, and the rest is said to be unknown.

A single row is decided in the row cone itself (`occurs`). Where what is listed is a larger cone
(gamma-FRAPP, Lin & Kifer, Definition 5.11), a row outside of it cannot occur; one inside is decided
by the products of one record's rows, or stays open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from twoworlds.answer import Answer, Said
from twoworlds.charts import Chart
from twoworlds.cones.amplification import Frapp, frapp_row_cone
from twoworlds.cones.certificates import Certificate
from twoworlds.cones.cone import Answered, Cone
from twoworlds.cones.kernel.vectors import Vector, dot, primitive, rational, rationals
from twoworlds.cones.noise.laws import NoSummableInverse
from twoworlds.cones.noise.noise_cone import noise_cone
from twoworlds.cones.noise.quotient import MoreNoise, are_noise, noise_normal_form
from twoworlds.cones.row_cone import (
    LARGEST_DIMENSION,
    Inequality,
    RowCone,
    Source,
    build_source,
    drawn,
    finite_form,
    row_cone,
)
from twoworlds.definitions import DifferentialPrivacy, PrivacyDefinition
from twoworlds.errors import InvalidInput, Undecided
from twoworlds.mechanisms import Dense, Mechanism
from twoworlds.mechanisms.continuous import Continuous
from twoworlds.numbers import INFINITY, exact_text, show
from twoworlds.show import Result, Told
from twoworlds.worlds import Explicit, Integers, Point, Reals, Records, Universe, resolve
from twoworlds.worlds.catalogue import universe as build_universe

Reason = tuple[bool | None, str]
MOST_SHOWN = 16  # databases whose probabilities are listed


class Separation(NamedTuple):
    """A mechanism that one definition allows, and the guarantee of the other that it breaks."""

    mechanism: Dense
    inequality: Inequality
    allowed_by: str
    forbidden_by: str

    @property
    def sentence(self) -> str:
        """Say the mechanism, and the guarantee that it breaks."""
        broken = [x for side in self.inequality.sides() for x in side]
        return (
            f"{self.allowed_by} allows a mechanism that {self.forbidden_by} forbids: it says yes "
            f"with probability {chances(self.mechanism, broken)}, which breaks "
            f"{self.inequality.text()}."
        )

    def fields(self) -> dict[str, Any]:
        """Return the row of yes, and what it breaks."""
        where = self.inequality.universe
        return {
            "allowed_by": self.allowed_by,
            "forbidden_by": self.forbidden_by,
            "columns": [where.label(x) for x in where],
            "yes": list(map(str, self.mechanism.rows[0])),
            "breaks": self.inequality,
        }


@dataclass(frozen=True)
class Strength(Result):
    """How the guarantees of two definitions relate, with the reasons for both directions.

    Attributes:
        first: The one, as one would type it.
        second: The other.
        universe: The databases.
        inside: Whether the first gives every guarantee of the second, and the second of the first;
            None where that is open.
        said: Why, or the mechanisms that tell them apart, a sentence each.
        proofs: That the cones at hand are inside each other or not, where they are listed.
        separations: For each direction that fails, a mechanism that shows it.
        notes: What was left out because no mechanism can produce it, or holds approximately.
        charts: The cones, where they can be drawn.
    """

    first: str
    second: str
    universe: Universe
    inside: tuple[bool | None, bool | None]
    said: tuple[str, ...]
    proofs: tuple[Answered, ...] = ()
    separations: tuple[Separation, ...] = ()
    notes: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = ()

    @property
    def relation(self) -> str:
        """What the first is, measured by the second: equal, stronger, weaker or incomparable.

        "unknown" where an approximation leaves it open, or where it is not decided.
        """
        forward, backward = self.inside
        if forward is None or backward is None:
            return "unknown"
        if forward:
            return "equal" if backward else "stronger"
        return "weaker" if backward else "incomparable"

    @property
    def sentence(self) -> str:
        """Say how they relate."""
        first, second, where = self.first, self.second, f"over {self.universe.expression}"
        open_ = f"How {first} and {second} compare {where} is not known"
        if self.relation == "unknown" and self.proofs:
            half = "a row cone is only known approximately"
            for known, mine, other in zip(
                self.inside, (first, second), (second, first), strict=True
            ):
                if known is not None:
                    less = "gives every guarantee of" if known else "lacks a guarantee of"
                    half = f"{mine} {less} {other}, and the converse is open"
            return f"{open_}: {half}."
        return {
            "equal": f"{first} and {second} give the same guarantees {where}.",
            "stronger": f"{first} is stronger than {second} {where}: it gives every guarantee of "
            "the other, and more.",
            "weaker": f"{first} is weaker than {second} {where}: every guarantee that it gives, "
            "the other gives too, and more.",
            "incomparable": f"{first} and {second} are incomparable {where}: each gives a "
            "guarantee that the other does not.",
            "unknown": f"{open_}.",
        }[self.relation]

    @property
    def certificate(self) -> Certificate | None:
        """The proofs of both directions."""
        if not self.proofs:
            return None
        parts = [one.certificate for one in self.proofs]
        return Certificate("all", {"claim": self.sentence, "parts": parts})

    def answer(self) -> Answer:
        """Say how they relate, and why, or with which mechanisms that tell them apart."""
        blocks = [*([Said(self.said)] if self.said else []), *self.charts]
        return Answer(self.sentence, blocks=blocks, notes=self.notes)

    def fields(self) -> dict[str, Any]:
        """Return the relation; both certificates are checked by ``twoworlds verify``."""
        names = {"first": self.first, "second": self.second, "universe": self.universe}
        found = {"relation": self.relation, "sentence": self.sentence}
        ways = ("first inside second", "second inside first")
        if not self.proofs:
            pairs = zip(ways, self.inside, self.said, strict=True)
            return {**names, **found, **{way: {"holds": h, "why": why} for way, h, why in pairs}}
        columns = [self.universe.label(x) for x in self.universe]
        proofs = [one.certificate for one in self.proofs]
        return {
            **names,
            "columns": columns,
            **found,
            "separations": [one.fields() for one in self.separations],
            "notes": self.notes,
            "certificates": dict(zip(ways, proofs, strict=True)),
        }


def _more_noise(one: Mechanism, other: Mechanism) -> tuple[bool | None, str]:
    """Tell whether one noise is the other with more noise added, and say what is added."""
    start = f"{one.expression} is {other.expression} with more noise"
    try:
        verdict = noise_normal_form(one, other)
    except Undecided:
        return None, f"Whether {start} is not decided."
    proof = verdict.witness
    assert isinstance(proof, MoreNoise)
    if proof.adds:
        return True, f"{start}: add {proof.adds}."
    return False, f"{start.replace(' is ', ' is not ', 1)}: {proof.why}."


def _noise_and_dp(noise: Mechanism, dp: DifferentialPrivacy) -> tuple[Reason, Reason]:
    """Compare noise with differential privacy on all whole or all real numbers, both ways.

    The noise gives every guarantee of dp if and only if it is private. The other way round, dp with
    ratio 1 allows constant rows only, which everything has. A larger ratio allows on whole numbers
    a row that is ratio at one place and 1 elsewhere, or the reverse; on real numbers one that leaps
    from 1 to ratio. A row of noise with a density f is x(t) = int h(o) f(o - t) do with a bounded
    h, which is continuous in t, because shifts are continuous in L1.
    """
    private, name = dp.check(noise), noise.expression
    verb = "obeys" if private.holds else "does not obey"
    forward = private.holds, f"{name} {verb} {dp.claim}."
    ratio = Fraction(1) if dp.ratio is None else dp.ratio
    if ratio == 1:
        return forward, (True, f"{dp.claim} allows constant rows only, which {name} has.")
    if isinstance(noise, Continuous):
        leap = f"the row that is 1 below 0 and {show(ratio)} from 0 on"
        never = f"which {name} never has: its rows do not leap"
        return forward, (False, f"{dp.claim} allows {leap}, {never}.")
    for at, otherwise in ((Fraction(1), ratio), (ratio, Fraction(1))):
        try:
            inside = noise_cone(noise).contains({0: at}, otherwise=otherwise)
        except (Undecided, NoSummableInverse):
            continue
        if not inside:
            row = f"0: {exact_text(at)}, else: {exact_text(otherwise)}"
            return forward, (False, f"{dp.claim} allows the row {row}, which {name} never has.")
    return forward, (None, f"Whether {name} has every row that {dp.claim} allows is not decided.")


def _with_dp(sides: Sequence[object]) -> Strength | None:
    """Compare noise on all numbers of a kind with differential privacy, in either order."""
    noise, dp = sides if isinstance(sides[0], Mechanism) else sides[::-1]
    if not isinstance(noise, Mechanism) or not isinstance(dp, DifferentialPrivacy):
        return None
    if noise.universe.size is not None or not isinstance(noise.universe, (Integers, Reals)):
        return None
    if dp.delta != 0 or dp.ratio is None or dp.ratio == INFINITY:
        return None
    names, reasons = (noise.expression, dp.claim), _noise_and_dp(noise, dp)
    if noise is not sides[0]:
        names, reasons = names[::-1], reasons[::-1]
    return _strength(names, noise.universe, *reasons)


def _by_ratio(sides: Sequence[object], universe: str | Universe | None) -> Strength | None:
    """Compare two ratios of differential privacy on more databases than a cone has columns.

    A smaller ratio gives every guarantee of a larger one r. The row that is r at one database and
    1 at all others tells them apart.
    """
    one, other = sides
    if not isinstance(one, DifferentialPrivacy) or not isinstance(other, DifferentialPrivacy):
        return None
    ratios = [side.ratio for side in (one, other) if side.ratio not in (None, INFINITY)]
    same = (one.neighbours, one.group) == (other.neighbours, other.group)
    if universe is None or len(ratios) < 2 or not same or one.delta or other.delta:
        return None
    where, _ = resolve(build_universe(universe), one.neighbours)
    if not isinstance(where, (Records, Integers)) or (where.size or INFINITY) <= LARGEST_DIMENSION:
        return None
    names, reasons = (one.claim, other.claim), []
    for (mine, weaker), (r, most) in ((names, ratios), (names[::-1], ratios[::-1])):
        row = f"a row that is {show(r)} at one database and 1 at all others"
        allows = "no row that" if r <= most else f"{row}, which"
        reasons.append((bool(r <= most), f"{mine} allows {allows} {weaker} forbids."))
    return _strength(names, where, *reasons)


def _strength(names: Sequence[str], where: Universe, forward: Reason, backward: Reason) -> Strength:
    inside, said = (forward[0], backward[0]), (forward[1], backward[1])
    return Strength(names[0], names[1], where, inside, said)


def compare(
    first: Source | RowCone, second: Source | RowCone, universe: str | Universe | None = None
) -> Strength:
    """Compare two definitions or mechanisms by their guarantees.

    >>> compare("randomized-response(bits=2, keep=3/4)", "dp(ratio=3)").relation
    'stronger'
    """
    sides = [build_source(s, universe) if isinstance(s, str) else s for s in (first, second)]
    if are_noise(sides):
        reasons = _more_noise(*sides), _more_noise(*sides[::-1])
        return _strength([s.expression for s in sides], sides[0].universe, *reasons)
    if (strength := _with_dp(sides) or _by_ratio(sides, universe)) is not None:
        return strength
    where = universe
    if where is None:
        known = [found for side in sides if (found := _universe(side)) is not None]
        where = known[0] if known else None
    cones = [s if isinstance(s, RowCone) else row_cone(s, where) for s in sides]
    if cones[0].source == cones[1].source:
        order = ("the first", "the second")
        cones = [replace(c, source=f"{c.source} ({i})") for i, c in zip(order, cones, strict=True)]
    rough = [c.approximation and f"{c.source}: {c.approximation}" for c in cones]
    notes = [note for c, near in zip(cones, rough, strict=True) for note in (c.note, near) if note]
    first, second = cones
    forward, backward = first.inside(second), second.inside(first)
    inside, separations = [], []
    for holds, side, mine, other in (
        (forward, sides[0], first, second),
        (backward, sides[1], second, first),
    ):
        # Where a larger cone stands for one of the two, only half of the answers carry over.
        inside.append(bool(holds) if (other if holds else mine).approximation is None else None)
        if not holds and mine.approximation is None:
            assert holds.ray is not None
            assert holds.inequality is not None
            mechanism = mechanism_with_row(holds.ray, side, mine)
            broken = Inequality(mine.universe, holds.inequality)
            separations.append(Separation(mechanism, broken, mine.source, other.source))
    return Strength(
        first.source,
        second.source,
        first.universe,
        (inside[0], inside[1]),
        tuple(one.sentence for one in separations),
        (forward, backward),
        tuple(separations),
        tuple(notes),
        tuple(drawn(cones)),
    )


def _universe(side: object) -> Universe | None:
    if isinstance(side, (RowCone, Mechanism)):
        return side.universe
    if isinstance(side, PrivacyDefinition):
        return getattr(side, "universe", None)
    parts = _parts(side)
    return parts[0].universe if parts else None


def _parts(side: object) -> list[Mechanism]:
    if isinstance(side, Mechanism):
        return [finite_form(side)]
    if isinstance(side, Iterable) and not isinstance(side, (str, RowCone)):
        built = [build_source(part) if isinstance(part, str) else part for part in side]
        mechanisms = [part for part in built if isinstance(part, Mechanism)]
        if len(mechanisms) < len(built):
            raise InvalidInput("a list of trusted mechanisms may hold mechanisms only")
        return [finite_form(mechanism) for mechanism in mechanisms]
    return []


def chances(mechanism: Dense, some: Sequence[Point]) -> str:
    """List the probabilities of the first output; of many databases only for some of them."""
    where, row = mechanism.universe, dict(zip(mechanism.universe, mechanism.rows[0], strict=True))
    few = len(row) <= MOST_SHOWN
    shown = [f"{row[x]} in {where.label(x)}" for x in (row if few else some[:MOST_SHOWN])]
    return ", ".join(shown) + ("" if few else " (and so on: --json has all)")


def mechanism_with_row(ray: Vector, side: object, cone: RowCone) -> Dense:
    """Return a mechanism of the definition with an output whose row is proportional to the ray."""
    mechanisms = _parts(side)
    share = _share_of_rows(ray, mechanisms, cone) if mechanisms else _largest_share(ray, cone.cone)
    yes = [share * entry for entry in ray]
    rows = [yes, [1 - p for p in yes]]
    return Dense(cone.universe, Explicit(("yes", "no")), rows, expression="yes or no")


def _largest_share(ray: Vector, cone: Cone) -> Fraction:
    """Return the largest c with 1 - c ray in the cone and no entry above 1."""
    limits = [Fraction(1, max(ray))]
    for a in cone.facets:
        if (slope := dot(a, ray)) > 0:
            limits.append(Fraction(sum(a)) / slope)
    return min(limits)


def _share_of_rows(ray: Vector, mechanisms: Sequence[Mechanism], cone: RowCone) -> Fraction:
    """Return c for which the ray is a row of a mixture of post-processings."""
    from twoworlds.cones.kernel.double_description import combination  # numpy

    databases = tuple(cone.universe)
    total, rest = Fraction(0), [Fraction(v) for v in ray]
    pairs = dict(combination(rest, cone.cone.rays, cone.cone.lines, cone.cone.facets))
    for mechanism in mechanisms:
        largest = Fraction(0)
        for output in mechanism.outputs:
            row = rationals([mechanism.probability(output, x) for x in databases])
            for generator in [g for g in pairs if _parallel(g, row)]:
                index = next(i for i, v in enumerate(generator) if v)
                largest = max(largest, pairs.pop(generator) * generator[index] / row[index])
        total += largest
    return 1 / total


def _parallel(a: Vector, b: Sequence[Fraction]) -> bool:
    index = next(i for i, v in enumerate(a) if v)
    return b[index] > 0 and all(x * b[index] == y * a[index] for x, y in zip(a, b, strict=True))


Trusted = Sequence[Mechanism | PrivacyDefinition]


def occurs(entries: Sequence[str], cone: RowCone, trusted: Trusted) -> Told:
    """Say whether a likelihood row can occur.

    Args:
        entries: The row, database by database.
        cone: The row cone of what is trusted, or a larger one.
        trusted: One definition, or mechanisms.

    >>> from twoworlds.cones.row_cone import build_source, row_cone
    >>> survey = build_source("randomized-response(bits=1, keep=3/4)")
    >>> occurs(["3", "1"], row_cone(survey), [survey]).fields()["yes"]
    ['3/4', '1/4']
    """
    occurring, where = any(map(rational, entries)), cone.universe
    rough = cone.approximation is not None and bool(cone.contains(entries))
    if rough and isinstance(where, Records) and isinstance(trusted[0], Frapp):
        true = frapp_row_cone(trusted[0].gamma, len(where.values), where.n)
        cone = replace(true, universe=where, source=cone.source)
    found, broken = cone.contains(entries), cone.separating(entries)
    if occurring and broken is None and cone.approximation is not None:
        raise Undecided(
            f"the row keeps every guarantee that is known of {cone.source}, and whether it occurs "
            f"is open: {cone.approximation}"
        )
    shown = _mechanism(entries, cone, trusted) if broken is None and occurring else None
    if not occurring:
        said = "is the row of an output that never occurs: every cone holds it"
    elif broken is None:
        said = f"can be the likelihood row of an output of {cone.source}, scaled"
    else:
        said = (
            f"can NOT occur under {cone.source}: it breaks {broken.text()} "
            f"(the difference is {broken.value(entries)})"
        )
    about = f"({', '.join(entries)}) over {', '.join(cone.columns)}"
    data = {
        "row": entries,
        "columns": cone.columns,
        "of": cone.source,
        "holds": bool(found),
        "breaks": broken,
        "certificate": found.certificate,
    }
    blocks = []
    if shown is not None:
        data["yes"] = list(map(str, shown.rows[0]))
        example = f"a trusted mechanism says yes with probability {chances(shown, ())}"
        blocks = [Said([f"For example, {example}."])]
    return Told(Answer(f"{about} {said}.", holds=bool(found), blocks=blocks), data)


def _mechanism(entries: Sequence[str], cone: RowCone, trusted: Trusted) -> Dense | None:
    """Return a trusted mechanism with two outputs that has the row, if it is small."""
    ray = primitive([rational(entry) for entry in entries])
    if isinstance(trusted[0], Frapp) or len(ray) > MOST_SHOWN:
        return None
    return mechanism_with_row(ray, trusted if len(trusted) > 1 else trusted[0], cone)
