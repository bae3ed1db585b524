"""Mechanisms designed from a guarantee: the least loss that a row cone allows.

A mechanism satisfies the guarantees of a row cone when each of its likelihood rows lies in the
cone. `twoworlds.cones.least_loss` finds the best such mechanism for a loss l(truth, output), under
a belief or in the worst case, and proves that no other one does better. This is beyond Lin &
Kifer. For a count under differential privacy it gives the loss of geometric noise with the best
post-processing (Ghosh, Roughgarden & Sundararajan, 2009), and finds it so (`cones.least_loss`).

Who "no other one" is depends on what may be answered. Where outputs are given, or the loss is any
function, it is the mechanisms that answer one of the outputs. Otherwise it is all mechanisms: under
zero-one loss an answer that cannot be true is never right, and under absolute loss an answer
between two values is as good as choosing between those two at random, because |t - a| is linear in
a between them. Under squared loss other numbers are better answers, and they are found.

Rows in the cone are what is promised. Membership in the consistent normal form of a mechanism
follows from it when that mechanism has an inverse, and not otherwise
(`twoworlds.cones.normal_form`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Said, Table
from twoworlds.charts import Bars, HeatMap
from twoworlds.cones.certificates import Certificate
from twoworlds.cones.kernel.vectors import rational
from twoworlds.cones.least_loss import Matrix, least_loss, least_squared_loss, sides
from twoworlds.cones.row_cone import RowCone
from twoworlds.errors import InvalidInput, TwoWorldsError, UnknownName, Unsupported
from twoworlds.mechanisms import Dense
from twoworlds.numbers import show, to_json
from twoworlds.show import Result, Told
from twoworlds.worlds import Explicit, Point, Statistic, Universe
from twoworlds.worlds.belief import Belief
from twoworlds.worlds.beliefs import belief as build_belief
from twoworlds.worlds.catalogue import statistic as build_statistic

Loss = Callable[[Any, Any], object]
_MOST_LISTED = 8
_DRAWN = 16  # databases of a mechanism that is listed and drawn

LOSSES: dict[str, Loss] = {
    "absolute": lambda truth, output: abs(truth - output),
    "squared": lambda truth, output: (truth - output) ** 2,
    "zero-one": lambda truth, output: int(truth != output),
}


@dataclass(frozen=True)
class Design(Result):
    """The mechanism of least loss in a row cone, with the proof of how much better another may be.

    Attributes:
        source: the row cone that holds its likelihood rows.
        mechanism: the mechanism.
        certificate: of kind ``least-loss`` or ``least-squared-loss``.
        aim: what is answered with which loss, in words.
        among: the outputs of the mechanisms that none of which has less than the bound; None when
            it is all mechanisms, whatever they answer.
    """

    source: RowCone
    mechanism: Dense
    certificate: Certificate
    aim: str
    among: tuple[str, ...] | None

    def __post_init__(self) -> None:
        """Verify the proof, and that it is about this mechanism and this cone."""
        proof = self.certificate
        about = [proof[name] for name in ("matrix", "inequalities", "equalities")]
        rows = [list(row) for row in self.mechanism.rows]
        if about != [rows, *sides(self.source.cone)] or not proof.verify():
            raise TwoWorldsError("the designed mechanism does not verify: please report this")

    @property
    def loss(self) -> Fraction:
        """Its expected loss, or its worst-case loss."""
        return Fraction(self.certificate["value"])

    @property
    def bound(self) -> Fraction:
        """No mechanism has less than this: the loss, but where that may be irrational."""
        return Fraction(self.certificate.fields.get("bound", self.loss))

    @property
    def criterion(self) -> str:
        """``expected`` or ``worst``."""
        return str(self.certificate["criterion"])

    @property
    def belief(self) -> Belief:
        """The belief given, or the least favourable one."""
        where = self.source.universe
        return Belief(where, dict(zip(where, self.certificate["belief"], strict=True)))

    def answer(self) -> Answer:
        """Say what was minimised, the loss, and who could not do better; show the mechanism."""
        held = f"guarantees of {self.source.source} over {self.source.universe.expression}"
        best = f"no {self._others} has less{self._than} (proved by the certificate)"
        said = f"{self.aim}: expected loss {show(self.loss)} under the {held}; {best}."
        if self.criterion == "worst":
            masses = [f"{self.source.universe.label(x)}: {show(m)}" for x, m in self.belief.items()]
            worst = f" ({', '.join(masses)})" if len(masses) <= _DRAWN else ""
            whose = "the least" if self.exact else "a nearly least"
            said = (
                f"{self.aim}: loss at most {show(self.loss, side='up')} on every database under "
                f"the {held}; {best}, as {whose} favourable belief shows{worst}."
            )
        columns, label = self.source.columns, self.mechanism.outputs.label
        if len(columns) > _DRAWN:
            size = f"{len(self.mechanism.rows)} answers and {len(columns)} databases"
            more = f"The mechanism is a matrix of {size}; --save writes it to a file."
            return Answer(said, blocks=[Said([more])])
        pairs = list(zip(self.mechanism.outputs, self.mechanism.rows, strict=True))
        table = [[label(o), *map(str, row)] for o, row in pairs]
        shares = [(label(o), [(str(p), float(p)) for p in row]) for o, row in pairs]
        drawn = HeatMap("The mechanism", columns, shares)
        return Answer(said, blocks=[Table(["output", *columns], table), drawn])

    @property
    def exact(self) -> bool:
        """Whether the loss is the least one, and not only near it."""
        return self.bound == self.loss

    @property
    def least(self) -> str:
        """The least loss in words, or both of its ends."""
        if self.exact:
            return show(self.loss)
        return f"between {show(self.bound, side='down')} and {show(self.loss, side='up')}"

    @property
    def _others(self) -> str:
        if self.among is None:
            return "mechanism with these guarantees"
        listed = _listed(self.among)
        return f"mechanism with these guarantees that answers {listed}"

    @property
    def _than(self) -> str:
        return "" if self.exact else f" than {show(self.bound, side='down')}"

    def fields(self) -> dict[str, Any]:
        """Return the mechanism, its loss, and the proof."""
        label = self.mechanism.outputs.label
        return {
            "source": self.source.source,
            "aim": self.aim,
            "criterion": self.criterion,
            "loss": self.loss,
            "bound": to_json(self.bound, side="down"),
            "among": self.among,
            "columns": self.source.columns,
            "outputs": [label(o) for o in self.mechanism.outputs],
            "matrix": self.mechanism.rows,
            "belief": {self.source.universe.label(x): mass for x, mass in self.belief.items()},
            "certificate": self.certificate,
        }


def design(
    source: RowCone,
    loss: str | Loss | Sequence[Sequence[object]] | None = None,
    *,
    statistic: str | Statistic | None = None,
    outputs: Sequence[Point] | None = None,
    belief: str | Belief | None = None,
) -> Design:
    """Return the mechanism of least loss whose every likelihood row lies in a row cone.

    Args:
        source: the row cone of a mechanism or definition over a finite universe.
        loss: ``absolute``, ``squared``, ``zero-one``, a function of (truth, output), or a matrix
            with one row per output and one column per database. Unless given, it is ``absolute``
            where the truth is a number, else ``zero-one``.
        statistic: what is to be answered, such as ``count``; the database itself unless given.
        outputs: the answers allowed. Unless given, they are any numbers for the squared loss, and
            the values of the statistic for others.
        belief: whose expected loss to minimise; the worst case over databases unless given.

    >>> from twoworlds.cones.row_cone import row_cone
    >>> private = row_cone("dp(ratio=2)", "bits(2)")
    >>> design(private, "absolute", statistic="count", belief="uniform").loss
    Fraction(1, 2)
    >>> design(private, "zero-one").loss
    Fraction(5, 9)
    >>> best = design(row_cone("dp(ratio=2)", "bits(1)"), "squared", statistic="count")
    >>> best.loss, tuple(best.mechanism.outputs)
    (Fraction(2, 9), (Fraction(1, 3), Fraction(2, 3)))
    """
    if source.approximation is not None:
        raise Unsupported(
            f"the cone of {source.source} is larger than its row cone ({source.approximation}), so "
            "a mechanism designed in it might break the guarantee: save the true one by twoworlds "
            f"cone '{source.source}' --exact --save cone.json, and use linear(cone.json)"
        )
    asked = None if statistic is None else build_statistic(statistic, source.universe)
    try:
        truths = [x if asked is None else asked(x) for x in source.universe]
    except TypeError:
        raise InvalidInput(
            f"{asked and asked.name} is about lists of records, and {source.universe.expression} "
            "has other databases: leave the statistic out"
        ) from None
    if outputs is not None and not outputs:
        raise InvalidInput("no outputs are given: a mechanism has to answer something")
    if loss is None:
        loss = "absolute" if isinstance(truths[0], (int, Fraction)) else "zero-one"
    answers: Universe = source.universe
    if outputs is not None or asked is not None:
        answers = Explicit(tuple(outputs or sorted(set(truths))))
    name = loss if isinstance(loss, str) else "given"
    aim = f"{'the database' if asked is None else asked.name}, {name} loss"
    held = None if belief is None else build_belief(belief, source.universe)
    weights = None if held is None else [rational(held[x], "belief") for x in source.universe]
    table = _table(loss, truths, answers)
    claim, among = f"least loss ({aim}) under {source.source}", None
    if loss == "squared" and outputs is None:
        kind, values = "least-squared-loss", [rational(t, "the truth") for t in truths]
        numbers, above, tangents, below = least_squared_loss(source, values, weights)
        answers, claim = Explicit(tuple(numbers)), f"{claim}, whatever is answered"
        proof = {"answers": numbers, "truths": values, "bound": below.value, "tangents": tangents}
    else:
        if outputs is not None and all(
            isinstance(o, tuple) and o in source.universe for o in answers
        ):
            answers = Explicit(tuple(source.universe.label(o) for o in answers))  # 01, not (0, 1)
        kind, above = "least-loss", least_loss(source, table, weights)
        below, proof = above, {"loss": table}
        if outputs is not None or not isinstance(loss, str):
            among = tuple(map(answers.label, answers))
            claim += f" of all that answer {_listed(among)}"
    inequalities, equalities = sides(source.cone)
    certificate = Certificate(
        kind,
        {
            "criterion": "worst" if weights is None else "expected",
            "matrix": above.matrix,
            **proof,
            "belief": below.belief,
            "value": above.value,
            "multipliers": below.multipliers,
            "prices": below.prices,
            "claim": claim,
            "inequalities": inequalities,
            "equalities": equalities,
            "columns": source.columns,
        },
    )
    text = f"least loss under {source.source} ({aim})"
    mechanism = Dense(source.universe, answers, above.matrix, expression=text)
    return Design(source, mechanism, certificate, aim, among)


def _table(
    loss: str | Loss | Sequence[Sequence[object]], truths: Sequence[Any], answers: Universe
) -> Matrix:
    """Return the loss of each answer at each database."""
    if not isinstance(loss, str) and not callable(loss):
        listed = [list(row) for row in loss]
        if len(listed) != answers.size or any(len(row) != len(truths) for row in listed):
            raise InvalidInput(
                f"the loss needs {answers.size} rows, one per output, of {len(truths)} numbers, "
                "one per database"
            )
        return [[rational(entry, "loss") for entry in row] for row in listed]
    if isinstance(loss, str) and loss not in LOSSES:
        raise UnknownName("loss", loss, LOSSES)
    function, name = (LOSSES[loss], loss) if isinstance(loss, str) else (loss, "given")

    def value(truth: Point, output: Point) -> Fraction:
        try:
            found = function(truth, output)
        except TypeError:
            raise InvalidInput(
                f"the {name} loss of answering {output!r} when {truth!r} is true is not defined: "
                "name a statistic that is a number, or use the zero-one loss"
            ) from None
        return rational(found, f"loss of {output!r} at {truth!r}")

    return [[value(t, o) for t in truths] for o in answers]


def _listed(outputs: Sequence[str]) -> str:
    """Name the outputs, or the first ones of many."""
    if len(outputs) == 1:
        return outputs[0]
    if len(outputs) <= _MOST_LISTED:
        return f"one of {', '.join(outputs)}"
    return f"one of the {len(outputs)} outputs {outputs[0]}, {outputs[1]}, ..., {outputs[-1]}"


def saving(strict: RowCone, relaxed: RowCone, *arguments: Any, **options: Any) -> Told:
    """Compare the best designs under two guarantees; further arguments are those of `design`.

    >>> from twoworlds.cones.row_cone import row_cone
    >>> survey = row_cone("randomized-response(bits=2, keep=3/4)")
    >>> private = row_cone("dp(ratio=3)", "bits(2)")
    >>> saving(survey, private, statistic="parity", belief="uniform").data["saved"]
    Fraction(1, 8)
    """
    before, after = (design(one, *arguments, **options) for one in (strict, relaxed))
    saved, exact = before.loss - after.loss, before.exact and after.exact
    # A guarantee that is not weaker may cost more; of losses known only between two ends the
    # direction is said where these decide it.
    goes, to = ("stays as it is:", "and") if exact else ("is", "and")
    if after.loss < before.bound:
        goes, to = "falls from", "to"
    elif after.bound > before.loss:
        goes, to = "rises from", "to"
    among = "" if before.among is None else f" of answering {_listed(before.among)}"
    by = f", by {show(abs(saved))}" if exact and saved else ""
    losses = {f"under {one.source.source}": one.loss for one in (before, after)}
    said = Answer(
        f"{before.aim}: the least loss{among} {goes} {before.least} under {before.source.source} "
        f"{to} {after.least} under {after.source.source}{by}.",
        blocks=[Bars("The least loss", losses, share=False, orange=list(losses)[:1])],
    )
    return Told(said, {"strict": before, "relaxed": after, "saved": saved})
