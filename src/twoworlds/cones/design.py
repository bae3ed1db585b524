"""Mechanisms designed from a guarantee: the least loss that a row cone allows.

A mechanism satisfies the guarantees of a row cone when each of its likelihood rows lies in the
cone. Given a loss l(truth, output), the best such mechanism solves a linear program over its
matrix m (one row per output o, one column per database D):

    minimise  sum_D b_D sum_o l(D, o) m[o, D]        (expected loss under a belief b), or
    minimise  max_D     sum_o l(D, o) m[o, D]        (worst-case loss)
    subject to  m >= 0,  sum_o m[o, D] = 1,  a . m[o] >= 0 for every inequality a of the cone.

Optimality is proved by prices p_D and multipliers w_oa >= 0 (free for equalities) with

    b_D l(D, o) - p_D - sum_a w_oa a_D >= 0   for all o and D:

multiplied by m[o, D] and summed, it says that no mechanism in the cone has an expected loss below
sum_D p_D. For the worst case b is the least favourable belief, which the program itself finds. This
is beyond Lin & Kifer. For a count under differential privacy it gives the loss of geometric noise
with the best post-processing (Ghosh, Roughgarden & Sundararajan, 2009).

Rows in the cone are what is promised. Membership in the consistent normal form of a mechanism
follows from it when that mechanism has an inverse, and not otherwise
(`twoworlds.cones.normal_form`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.cards.explained import Explained
from twoworlds.cones.certificates import Certificate
from twoworlds.cones.cone import Cone
from twoworlds.cones.kernel.vectors import Vector, rational
from twoworlds.cones.row_cone import RowCone
from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError, UnknownName, Unsupported
from twoworlds.mechanisms import Dense
from twoworlds.numbers import show, to_json
from twoworlds.programs import Infeasible, Optimal, solve
from twoworlds.worlds import Explicit, Point, Statistic, Universe
from twoworlds.worlds.belief import Belief
from twoworlds.worlds.beliefs import belief as build_belief
from twoworlds.worlds.catalogue import statistic as build_statistic

__all__ = ["LOSSES", "Design", "Saving", "design", "extreme_mechanisms", "saving"]

Loss = Callable[[Any, Any], object]
Matrix = list[list[Fraction]]
_MOST_ENTRIES = 200_000
_MOST_RAYS = 40

LOSSES: dict[str, Loss] = {
    "absolute": lambda truth, output: abs(truth - output),
    "squared": lambda truth, output: (truth - output) ** 2,
    "zero-one": lambda truth, output: int(truth != output),
}


@dataclass(frozen=True)
class Design(Explained):
    """The mechanism of least loss in a row cone, with the proof that none does better.

    Attributes:
        source: the row cone that holds its likelihood rows.
        mechanism: the mechanism.
        loss: its expected loss, or its worst-case loss.
        criterion: ``expected`` or ``worst``.
        belief: the belief given, or the least favourable one.
        certificate: of kind ``least-loss``.
        aim: what is answered with which loss, in words.
    """

    source: RowCone
    mechanism: Dense
    loss: Fraction
    criterion: str
    belief: Belief
    certificate: Certificate
    aim: str

    def __post_init__(self) -> None:
        """Verify the proof, and that every row lies in the cone."""
        rows = (row for row in self.mechanism.rows if any(row))
        if not self.certificate.verify() or not all(self.source.contains(row) for row in rows):
            raise TwoWorldsError("the designed mechanism does not verify: please report this")

    def explain(self) -> str:
        """Say what was minimised, the loss, and who could not do better."""
        held = f"guarantees of {self.source.source} over {self.source.universe.expression}"
        best = "no mechanism with these guarantees has less (proved by the certificate)"
        if self.criterion == "expected":
            return f"{self.aim}: expected loss {show(self.loss)} under the {held}; {best}"
        worst = ", ".join(
            f"{self.source.universe.label(x)}: {show(mass)}" for x, mass in self.belief.items()
        )
        return (
            f"{self.aim}: loss at most {show(self.loss)} on every database under the {held}; "
            f"{best}, as the least favourable belief shows ({worst})"
        )

    def picture(self) -> str:
        """Draw the mechanism."""
        return self.mechanism.picture()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        label = self.mechanism.outputs.label
        return {
            "source": self.source.source,
            "aim": self.aim,
            "criterion": self.criterion,
            "loss": to_json(self.loss),
            "columns": list(self.source.columns),
            "outputs": [label(o) for o in self.mechanism.outputs],
            "matrix": [[to_json(entry) for entry in row] for row in self.mechanism.rows],
            "belief": {
                self.source.universe.label(x): to_json(mass) for x, mass in self.belief.items()
            },
            "certificate": self.certificate.to_dict(),
        }


@dataclass(frozen=True)
class Saving(Explained):
    """What a weaker guarantee saves: the best designs under both."""

    strict: Design
    relaxed: Design

    @property
    def saved(self) -> Fraction:
        """How much less the loss is under the weaker guarantee."""
        return self.strict.loss - self.relaxed.loss

    def explain(self) -> str:
        """Say both losses and the difference."""
        return (
            f"{self.strict.aim}: the least loss falls from {show(self.strict.loss)} under "
            f"{self.strict.source.source} to {show(self.relaxed.loss)} under "
            f"{self.relaxed.source.source}, by {show(self.saved)}"
        )

    def picture(self) -> str:
        """Draw both losses."""
        from twoworlds.cards import bars

        losses = {
            f"under {self.strict.source.source}": self.strict.loss,
            f"under {self.relaxed.source.source}": self.relaxed.loss,
        }
        return bars("The least loss", losses, share=False, orange=list(losses)[:1])

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "strict": self.strict.to_dict(),
            "relaxed": self.relaxed.to_dict(),
            "saved": to_json(self.saved),
        }


def design(
    source: RowCone,
    loss: str | Loss | Sequence[Sequence[object]] = "zero-one",
    *,
    statistic: str | Statistic | None = None,
    outputs: Sequence[Point] | None = None,
    belief: str | Belief | None = None,
) -> Design:
    """Return the mechanism of least loss whose every likelihood row lies in a row cone.

    Args:
        source: the row cone of a mechanism or definition over a finite universe.
        loss: ``absolute``, ``squared``, ``zero-one``, a function of (truth, output), or a matrix
            with one row per output and one column per database.
        statistic: what is to be answered, such as ``count``; the database itself unless given.
        outputs: the answers allowed; the values of the statistic unless given.
        belief: whose expected loss to minimise; the worst case over databases unless given.

    >>> from twoworlds.cones.row_cone import row_cone
    >>> private = row_cone("dp(ratio=2)", "bits(2)")
    >>> design(private, "absolute", statistic="count", belief="uniform").loss
    Fraction(1, 2)
    >>> design(private, "zero-one").loss
    Fraction(5, 9)

    Raises:
        InvalidInput: when no mechanism at all has its rows in the cone.
        Unsupported: when the cone is only an approximation: rows in it promise nothing.
    """
    if source.approximation is not None:
        raise Unsupported(
            f"{source!r} is larger than the row cone itself ({source.approximation}), so a "
            "mechanism designed in it might break the guarantee: use the true row cone"
        )
    task = _task(source, loss, statistic, outputs)
    weights = None if belief is None else _masses(build_belief(belief, source.universe))
    return _solved(source, task, weights)


def saving(strict: RowCone, relaxed: RowCone, *arguments: Any, **options: Any) -> Saving:
    """Compare the best designs under two guarantees; further arguments are those of `design`.

    >>> from twoworlds.cones.row_cone import row_cone
    >>> survey = row_cone("randomized-response(bits=2, keep=3/4)")
    >>> private = row_cone("dp(ratio=3)", "bits(2)")
    >>> saving(survey, private, statistic="parity", belief="uniform").saved
    Fraction(1, 8)
    """
    return Saving(design(strict, *arguments, **options), design(relaxed, *arguments, **options))


def extreme_mechanisms(source: RowCone) -> tuple[Dense, ...]:
    """Return the mechanisms that are no mixture of others with rows in the cone.

    Outputs with proportional rows are merged, so a mechanism is a way c >= 0 to write the row of
    ones as a sum of extreme rays, sum_r c_r r = 1; the vertices of this polytope are returned. For
    any belief and loss one of them, post-processed, is a mechanism of least expected loss.

    >>> from twoworlds.cones.row_cone import row_cone
    >>> [best] = extreme_mechanisms(row_cone("dp(ratio=3)", "bits(1)"))
    >>> [[str(entry) for entry in row] for row in best.rows]
    [['3/4', '1/4'], ['1/4', '3/4']]
    """
    rays = source.cone.rays
    return tuple(_mixture(source, rays, weights) for weights in _vertices(source))


def _vertices(source: RowCone) -> list[tuple[Fraction, ...]]:
    """Return the vertices of {c >= 0: sum_r c_r r = 1} over the extreme rays r."""
    rays = source.cone.rays
    if source.cone.lines or any(entry < 0 for ray in rays for entry in ray):
        raise InvalidInput(f"{source!r} holds rows with negative entries: they are no likelihoods")
    if len(rays) > _MOST_RAYS:
        raise TooLarge(
            f"{source!r} has {len(rays)} extreme rays, more than {_MOST_RAYS}: the extreme "
            "mechanisms of so many are beyond counting, use `design` for the best one"
        )
    # The cone over the polytope: weights c and a last coordinate t with sum_r c_r r_D = t.
    count = len(rays)
    unit = [tuple(int(i == j) for j in range(count + 1)) for i in range(count + 1)]
    equal = [(*(ray[d] for ray in rays), -1) for d in range(source.cone.dimension)]
    vertices = Cone.from_inequalities(unit, equalities=equal).rays
    found = (tuple(Fraction(c, vertex[-1]) for c in vertex[:-1]) for vertex in vertices)
    return sorted(found, reverse=True)


def _mixture(source: RowCone, rays: Sequence[Vector], weights: Sequence[Fraction]) -> Dense:
    rows = [[w * entry for entry in ray] for w, ray in zip(weights, rays, strict=True) if w]
    outputs = Explicit(tuple(range(1, len(rows) + 1)))
    return Dense(source.universe, outputs, rows, expression=f"extreme mechanism of {source.source}")


# --- what is asked --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Task:
    outputs: Universe
    loss: Matrix
    aim: str


def _task(
    source: RowCone,
    loss: str | Loss | Sequence[Sequence[object]],
    statistic: str | Statistic | None,
    outputs: Sequence[Point] | None,
) -> _Task:
    databases = tuple(source.universe)
    asked = None if statistic is None else build_statistic(statistic, source.universe)
    truths = list(databases) if asked is None else [asked(x) for x in databases]
    if outputs is not None:
        if not outputs:
            raise InvalidInput("no outputs are given: a mechanism has to answer something")
        answers: Universe = Explicit(tuple(outputs))
    elif asked is None:
        answers = source.universe
    else:
        answers = Explicit(tuple(sorted(set(truths))))
    subject = "the database" if asked is None else asked.name
    if not isinstance(loss, str) and not callable(loss):
        return _Task(answers, _given(loss, answers, databases), f"{subject}, given loss")
    if isinstance(loss, str) and loss not in LOSSES:
        raise UnknownName("loss", loss, LOSSES)
    function = LOSSES[loss] if isinstance(loss, str) else loss
    name = loss if isinstance(loss, str) else "given"
    table = [[_value(function, name, t, o) for t in truths] for o in answers]
    return _Task(answers, table, f"{subject}, {name} loss")


def _value(function: Loss, name: str, truth: Point, output: Point) -> Fraction:
    try:
        value = function(truth, output)
    except TypeError:
        raise InvalidInput(
            f"the {name} loss of answering {output!r} when {truth!r} is true is not defined: "
            "name a statistic that is a number, or use the zero-one loss"
        ) from None
    return rational(value, f"loss of {output!r} at {truth!r}")


def _given(rows: Any, answers: Universe, databases: Sequence[Point]) -> Matrix:
    listed = [list(row) for row in rows]
    if len(listed) != answers.size or any(len(row) != len(databases) for row in listed):
        raise InvalidInput(
            f"the loss needs {answers.size} rows, one per output, of {len(databases)} numbers, "
            "one per database"
        )
    return [[rational(entry, "loss") for entry in row] for row in listed]


def _masses(belief: Belief) -> list[Fraction]:
    return [rational(belief[x], "belief") for x in belief.universe]


# --- the linear program ---------------------------------------------------------------------------


def _sides(cone: Cone) -> tuple[list[Vector], list[Vector]]:
    """Return inequalities and equalities as given, or as computed from rays; m >= 0 goes unsaid."""
    if cone.given_inequalities is None or cone.given_equalities is None:
        inequalities, equalities = cone.facets, cone.equalities
    else:
        inequalities, equalities = cone.given_inequalities, cone.given_equalities
    return [a for a in inequalities if min(a) < 0], list(equalities)


def _solved(source: RowCone, task: _Task, belief: list[Fraction] | None) -> Design:
    """Solve for m, and in the worst case for a last variable that bounds every loss."""
    inequalities, equalities = _sides(source.cone)
    sides = [*inequalities, *equalities]
    height, width = len(task.loss), source.cone.dimension
    size = height * sum(sum(map(bool, side)) + 1 for side in sides)
    if size > _MOST_ENTRIES:
        raise TooLarge(
            f"the program has {size} entries, more than {_MOST_ENTRIES}: use fewer outputs or a "
            "smaller universe"
        )
    rows: list[dict[int, int | Fraction]] = [
        {o * width + d: a for d, a in enumerate(side) if a} for o in range(height) for side in sides
    ]
    lower: list[int | None] = [0] * len(rows)
    upper: list[int | None] = ([None] * len(inequalities) + [0] * len(equalities)) * height
    rows += [{o * width + d: 1 for o in range(height)} for d in range(width)]
    lower, upper = lower + [1] * width, upper + [1] * width
    flat = [
        (o * width + d, d, entry) for o, row in enumerate(task.loss) for d, entry in enumerate(row)
    ]
    objective: list[int | Fraction] = [0 if belief is None else belief[d] * e for _, d, e in flat]
    least: list[int | None] = [0] * len(flat)
    if belief is None:
        bound = len(flat)
        rows += [{bound: 1, **{j: -e for j, at, e in flat if at == d and e}} for d in range(width)]
        lower, upper = lower + [0] * width, upper + [None] * width
        objective.append(1)
        least.append(None)
    outcome = solve(objective, rows, lower=lower, upper=upper, least=least)
    if isinstance(outcome, Infeasible):
        raise InvalidInput(f"{source!r}: no mechanism has all its rows in this cone")
    if not isinstance(outcome, Optimal):
        raise TwoWorldsError("a bounded program cannot be unbounded: please report this")
    return _design(source, task, belief, outcome)


def _design(source: RowCone, task: _Task, given: list[Fraction] | None, found: Optimal) -> Design:
    inequalities, equalities = _sides(source.cone)
    height, width, each = len(task.loss), source.cone.dimension, len(inequalities) + len(equalities)
    matrix = [found.x[o * width : (o + 1) * width] for o in range(height)]
    prices = found.y[height * each : height * each + width]
    belief = list(found.y[height * each + width :]) if given is None else given
    criterion = "worst" if given is None else "expected"
    certificate = Certificate(
        "least-loss",
        {
            "criterion": criterion,
            "matrix": matrix,
            "loss": task.loss,
            "belief": belief,
            "value": found.value,
            "inequalities": inequalities,
            "equalities": equalities,
            "multipliers": [found.y[o * each : (o + 1) * each] for o in range(height)],
            "prices": prices,
            "claim": f"least loss ({task.aim}) under {source.source}",
            "columns": source.columns,
        },
    )
    text = f"least loss under {source.source} ({task.aim})"
    mechanism = Dense(source.universe, task.outputs, matrix, expression=text)
    masses = Belief(source.universe, dict(zip(source.universe, belief, strict=True)))
    return Design(source, mechanism, found.value, criterion, masses, certificate, task.aim)
