"""The consistent normal form: what is trusted once some mechanisms are.

Whoever trusts the mechanisms M_1 ... M_m also trusts their post-processings (Lin & Kifer, Axiom
4.1; here `Mechanism.then`) and a choice among trusted mechanisms that does not look at the data
(Axiom 4.2; `Mechanism.mix`). The consistent normal form (Definition 4.3, Theorem 4.4, Corollary
4.5) holds everything that these two give. Post-processings can be moved inside the choice, so that

    M is in it   if and only if   M = sum_i w_i A_i M_i,

where w is a distribution over the bases and A_i is column-stochastic: it maps an output of M_i to
a law on the outputs of M. The choice w depends on no database. This is a linear program in the
products w_i A_i. By its duality M is outside if and only if some matrix F over (output, database)
gives <F, M> more than any such mixture can reach:

    <F, M>  >  max_i  sum_k  max_o  (F M_i^T)[o, k].

A single base with an inverse needs no program: A = M M_1^-1 is the only candidate, its columns
sum to 1 by themselves, and M is inside if and only if no entry is negative (Theorem 5.1(2)). A base
that treats every record alike is inverted record by record.

Finite universes and rational matrices, where every answer holds a certificate, verified before it
is returned; and noise on all whole numbers or the real line, by the quotient of two transforms
(`twoworlds.cones.noise.quotient`).

**The inverse itself** (`inverse`). If M has one, a row x belongs to the row cone of the mechanism
if and only if x . m >= 0 for every column m of M^-1 (Theorem 5.1). On finitely many databases the
columns always have a finite norm sum_i |m_i|; it says by how much an error in a row can grow in the
post-processing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

from flint import fmpq_mat

from twoworlds.answer import Answer, Table
from twoworlds.cones.certificates import Certificate, kronecker_times
from twoworlds.cones.kernel.vectors import dot, flint, fraction, primitive, rationals
from twoworlds.cones.noise.quotient import are_noise, noise_normal_form
from twoworlds.cones.row_cone import Inequality, finite_form, listed_universe
from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError, Unsupported
from twoworlds.mechanisms import Dense, Mechanism, PerRecord
from twoworlds.mechanisms.base import FINITE_OUTPUTS
from twoworlds.numbers import Number, show
from twoworlds.programs import Infeasible, Optimal, solve
from twoworlds.show import Result
from twoworlds.worlds import Explicit, Universe

_MOST_NONZEROS = 200_000
Matrix = list[list[Fraction]]


@dataclass(frozen=True)
class NormalFormProof:
    """Why a mechanism is, or is not, in the consistent normal form."""

    certificate: Certificate
    sentence: str

    def verify(self) -> bool:
        """Check the certificate by exact arithmetic."""
        return self.certificate.verify()

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the kind and what it shows."""
        yield "certificate", self.certificate.kind
        yield "", self.sentence

    def explain(self) -> str:
        """Say what the certificate shows."""
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate, which `twoworlds verify` reads."""
        return self.certificate.to_dict()


def consistent_normal_form_contains(
    candidate: Mechanism, bases: Mechanism | Sequence[Mechanism]
) -> Verdict:
    """Decide whether a mechanism is a mixture of post-processings of trusted ones.

    >>> from twoworlds.mechanisms.named import mechanism
    >>> trusted = mechanism("randomized-response(bits=2, keep=3/4)")
    >>> parity = mechanism("noisy-parity(bits=2, keep=3/4)")
    >>> found = consistent_normal_form_contains(parity, trusted)
    >>> found.holds, found.entry
    (False, Fraction(-1, 2))
    """
    trusted = (bases,) if isinstance(bases, Mechanism) else tuple(bases)
    if not trusted:
        raise InvalidInput("no base is given: name at least one trusted mechanism")
    if len(trusted) == 1 and are_noise((candidate, *trusted)):
        return noise_normal_form(candidate, trusted[0])
    candidate, trusted = finite_form(candidate), tuple(map(finite_form, trusted))
    where = trusted[0].universe
    for other in (candidate, *trusted[1:]):
        if other.universe != where and (
            other.universe.size is None
            or other.universe.size != where.size
            or not all(x in where for x in other.universe)
        ):
            raise InvalidInput(
                f"{other.expression} speaks of {other.universe.expression} and "
                f"{trusted[0].expression} of {where.expression}: "
                "name mechanisms about the same databases"
            )
    answer = _by_record(candidate, trusted) or _decided(candidate, trusted)
    kind, fields, values, sentence, method = answer
    holds, names = kind == "post-processing", ", ".join(base.expression for base in trusted)
    claim = f"{candidate.expression} is {'' if holds else 'not '}in the consistent normal form of"
    certificate = Certificate(kind, {**fields, "claim": f"{claim} {names}"})
    return Verdict(
        mechanism=candidate.expression,
        definition=f"normal-form({names})",
        values=values,
        sentence=_meaning(holds, several=len(trusted) > 1),
        assumptions=(
            "trust extends to post-processing and to a choice that does not look at the data "
            "(Lin & Kifer, Axioms 4.1 and 4.2)",
        ),
        holds=holds,
        witness=NormalFormProof(certificate, sentence),
        method=method,
    )


def same_row_cone_yet_outside(keep: Fraction = Fraction(3, 4)) -> tuple[Dense, Dense]:
    """Return a mechanism and a base with the same row cone, the mechanism not in its normal form.

    Randomized response on one bit, and the same answered only every other time, else blank: every
    likelihood row of the one is a multiple of a row of the other, as is a constant row, so the
    guarantees to attackers agree. Yet nobody can undo the blanks.
    Lin & Kifer, Theorem 5.1(3), by which the row cone decides membership, needs its hypothesis
    that the base has an inverse.

    >>> mechanism, base = same_row_cone_yet_outside()
    >>> bool(consistent_normal_form_contains(mechanism, base))
    False
    >>> bool(consistent_normal_form_contains(base, mechanism))
    True
    """
    bit = Explicit(("1", "0"))
    flip = [[keep, 1 - keep], [1 - keep, keep]]
    response = Dense(bit, bit, flip, expression="randomized response")
    halves = [[entry / 2 for entry in row] for row in flip]
    blank = [Fraction(1, 2), Fraction(1, 2)]
    base = Dense(
        bit, Explicit(("1", "0", "blank")), [*halves, blank], expression="response or blank"
    )
    return response, base


# --- the ways to decide ---------------------------------------------------------------------------

Decision = tuple[str, dict[str, object], dict[str, Number], str, str]
"""Kind and fields of the certificate, the values, what it shows, and by which method."""


def _rows(mechanism: Mechanism, where: Universe) -> Matrix:
    """Return a mechanism's matrix in exact fractions, columns in the common order."""
    if not mechanism.exact:
        raise Unsupported(
            f"{mechanism.expression} is known in floats only, and membership is decided exactly: "
            "give its entries as fractions"
        )
    if mechanism.outputs.size is None or where.size is None:
        raise Unsupported(
            f"{mechanism.expression} has infinitely many outputs or databases, and membership is "
            f"decided for finite matrices: use a finite one, such as {FINITE_OUTPUTS}"
        )
    table = mechanism.table()
    order = [table.universe.positions[x] for x in where]
    return [[_fraction(row[j], mechanism) for j in order] for row in table.rows]


def _decided(candidate: Mechanism, bases: Sequence[Mechanism]) -> Decision:
    return _by_inverse(candidate, bases) or _by_program(candidate, bases)


def _by_record(candidate: Mechanism, bases: Sequence[Mechanism]) -> Decision | None:
    """Compare single records when both mechanisms treat every record alike.

    Powers of one record's post-processing are a post-processing of all records; the other way
    round, fix all records but one: what the base tells about those can be simulated.
    """
    base, *others = bases
    if others or not isinstance(candidate, PerRecord) or not isinstance(base, PerRecord):
        return None
    if candidate.records == 1 or candidate.records != base.records:
        return None
    kind, fields, values, said, how = _decided(candidate.transition, [base.transition])
    note = "every record is treated alike, so one record decides: "
    return kind, fields, values, note + said, how


def _by_inverse(candidate: Mechanism, bases: Sequence[Mechanism]) -> Decision | None:
    """Look for a negative entry of M B^-1, when there is one base B and it has an inverse."""
    base, *others = bases
    if others or base.outputs.size != base.universe.size:
        return None
    described: object
    if isinstance(base, PerRecord):
        rows, records = _rows(base.transition, base.transition.universe), base.records
        described = {"transition": rows, "records": records}
    else:
        described, records = rows, _ = _rows(base, base.universe), 1
    target = _rows(candidate, base.universe)
    try:
        inverse = flint(rows).inv()
    except ZeroDivisionError:
        return None
    maps = kronecker_times(flint(target), inverse, records)
    method = "the base has an inverse, so the post-processing M B^-1 is the only one possible"
    least, place = min((entry, place) for place, entry in enumerate(maps.entries()))
    if least >= 0:
        listed = [list(map(fraction, row)) for row in maps.tolist()]
        return _inside(target, [described], [listed], [Fraction(1)], bases, method)
    # Row o of F is minus column k of the inverse: F B^T is -1 at (o, k), and 0 elsewhere.
    width = maps.ncols()
    (o, k), value = divmod(place, width), fraction(least)
    unit = fmpq_mat(1, width, [int(i == k) for i in range(width)])
    column = kronecker_times(unit, inverse.transpose(), records).entries()
    functional = [[Fraction(0)] * width for _ in target]
    functional[o] = [-fraction(entry) for entry in column]
    output, cause = _label(candidate.outputs, o), _label(base.outputs, k)
    entry = {"output": output, "base output": cause, "value": value}
    fields = {"matrix": target, "bases": [described], "functional": functional, "entry": entry}
    said = (
        f"the only candidate would turn base output {cause} into output {output} with "
        f"probability {show(value)}"
    )
    return "not-post-processing", fields, {"entry": value}, said, method


def _label(universe: Universe, place: int) -> str:
    return universe.label(next(islice(universe, place, None)))


def _by_program(candidate: Mechanism, trusted: Sequence[Mechanism]) -> Decision:
    """Solve the linear program in the products w_i A_i, and in w."""
    where = trusted[0].universe
    target, bases = _rows(candidate, where), [_rows(base, where) for base in trusted]
    height, width = len(target), len(target[0])
    nonzeros = height * sum(sum(1 for e in row if e) for base in bases for row in base)
    if nonzeros > _MOST_NONZEROS:
        raise TooLarge(
            f"the linear program has {nonzeros} entries, more than {_MOST_NONZEROS}: merge outputs "
            "or databases, or use one base that has an inverse or treats every record alike"
        )
    # Variable (i, o, k) is w_i A_i[o, k]; the last ones are w_i.
    starts = [height * sum(len(base) for base in bases[:i]) for i in range(len(bases) + 1)]
    count = starts[-1] + len(bases)
    rows: list[dict[int, int | Fraction]] = []
    for o in range(height):
        for d in range(width):
            rows.append(
                {
                    starts[i] + o * len(base) + k: row[d]
                    for i, base in enumerate(bases)
                    for k, row in enumerate(base)
                    if row[d]
                }
            )
    for i, base in enumerate(bases):
        for k in range(len(base)):
            sums: dict[int, int | Fraction] = {
                starts[i] + o * len(base) + k: 1 for o in range(height)
            }
            rows.append({**sums, starts[-1] + i: -1})
    rows.append({starts[-1] + i: 1 for i in range(len(bases))})
    right: list[int | Fraction] = [e for row in target for e in row]
    right += [0] * sum(map(len, bases)) + [1]
    outcome = solve([0] * count, rows, lower=right, upper=right)
    method = "a linear program, solved exactly"
    if isinstance(outcome, Infeasible):
        functional = [list(outcome.y[o * width : (o + 1) * width]) for o in range(height)]
        return _outside(target, bases, functional, method)
    if not isinstance(outcome, Optimal):
        raise TwoWorldsError("a program without costs cannot be unbounded: please report this")
    weights = list(outcome.x[starts[-1] :])
    maps = [
        _normalised(outcome.x[starts[i] : starts[i + 1]], height, len(base), weights[i])
        for i, base in enumerate(bases)
    ]
    return _inside(target, bases, maps, weights, trusted, method)


def _normalised(
    products: Sequence[Fraction], height: int, outputs: int, weight: Fraction
) -> Matrix:
    """Divide w A by w; where w is 0 any map will do, such as the one to the first output."""
    if not weight:
        return [[Fraction(o == 0)] * outputs for o in range(height)]
    return [[products[o * outputs + k] / weight for k in range(outputs)] for o in range(height)]


def _inside(
    target: Matrix,
    bases: Sequence[object],
    maps: list[Matrix],
    weights: list[Fraction],
    trusted: Sequence[Mechanism],
    method: str,
) -> Decision:
    fields: dict[str, object] = {
        "matrix": target,
        "bases": bases,
        "maps": maps,
        "weights": weights,
    }
    values: dict[str, Number] = {f"weight_{i + 1}": w for i, w in enumerate(weights)}
    said = "it is " + _mixture(trusted, weights)
    return "post-processing", fields, values if len(weights) > 1 else {}, said, method


def _outside(target: Matrix, bases: list[Matrix], functional: Matrix, method: str) -> Decision:
    reached = Fraction(sum(map(dot, functional, target)))
    # Every base output goes where it scores best: sum_k max_o (F M_i^T)[o, k].
    bound = max(
        Fraction(sum(max(dot(line, row) for line in functional) for row in base)) for base in bases
    )
    fields = {"matrix": target, "bases": bases, "functional": functional}
    said = (
        f"a linear functional of the matrix is {show(reached, side='at least')} for it and at most "
        f"{show(bound, side='up')} for every mixture of post-processings of the base"
    )
    return "not-post-processing", fields, {"reached": reached, "bound": bound}, said, method


def _fraction(entry: Number, mechanism: Mechanism) -> Fraction:
    if isinstance(entry, Fraction):
        return entry
    raise InvalidInput(
        f"{mechanism.expression} has the irrational probability {show(entry)}, and membership is "
        "decided with exact rationals: give ratio= as a rational such as 3 or 5/2"
    )


def _mixture(bases: Sequence[Mechanism], weights: Sequence[Fraction]) -> str:
    used = [(w, b.expression) for w, b in zip(weights, bases, strict=True) if w]
    if len(used) == 1:
        return f"a post-processing of {used[0][1]}"
    parts = " or ".join(f"{show(w)} of the time that of {name}" for w, name in used)
    return f"a choice of post-processings: {parts}"


def _meaning(holds: bool, *, several: bool) -> str:  # noqa: FBT001
    """Say what the answer means to a person."""
    trusted = "the trusted mechanisms" if several else "the trusted mechanism"
    if holds:
        return (
            f"Whoever trusts {trusted} can trust this one: anyone who sees the output of "
            f"{'one of those' if several else 'that one'}, chosen without looking at the data, "
            "could have made it up from there."
        )
    return (
        f"Trust in {trusted} does not extend to this one: no post-processing"
        f"{', and no random choice of post-processings,' if several else ''} gives these "
        "probabilities."
    )


_LARGEST = 256


@dataclass(frozen=True)
class InverseMatrix(Result):
    """The exact inverse of a mechanism's matrix."""

    mechanism: Mechanism
    rows: tuple[tuple[Fraction, ...], ...]

    @property
    def column_norms(self) -> tuple[Fraction, ...]:
        """The sum of absolute entries of each column, one per output."""
        return tuple(sum(map(abs, column), Fraction(0)) for column in zip(*self.rows, strict=True))

    def inequalities(self) -> tuple[Inequality, ...]:
        """The guarantees: one for each output."""
        columns = zip(*self.rows, strict=True)
        return tuple(Inequality(self.mechanism.universe, primitive(column)) for column in columns)

    def answer(self) -> Answer:
        """Show the matrix, and the norms of its columns."""
        outputs, universe = self.mechanism.outputs, self.mechanism.universe
        pairs = zip(universe, self.rows, strict=True)
        rows = [[universe.label(x), *map(str, row)] for x, row in pairs]
        heads = ["", *(outputs.label(output) for output in outputs)]
        table = Table(heads, [*rows, ["norm", *map(str, self.column_norms)]])
        said = f"{self.mechanism.expression}: the inverse, one column per output."
        return Answer(said, blocks=[table])

    def fields(self) -> dict[str, Any]:
        """Return the matrix, and the guarantees that its columns are."""
        universe, outputs = self.mechanism.universe, self.mechanism.outputs
        return {
            "mechanism": self.mechanism,
            "databases": [universe.label(x) for x in universe],
            "outputs": [outputs.label(o) for o in outputs],
            "inverse": [list(map(str, row)) for row in self.rows],
            "column_norms": list(map(str, self.column_norms)),
            "inequalities": [inequality.text() for inequality in self.inequalities()],
        }


def inverse(mechanism: Mechanism) -> InverseMatrix:
    """Return the exact inverse of the matrix.

    >>> from twoworlds import mechanism
    >>> found = inverse(mechanism("randomized-response(bits=1, keep=3/4)"))
    >>> [[str(entry) for entry in row] for row in found.rows]
    [['3/2', '-1/2'], ['-1/2', '3/2']]
    >>> found.column_norms
    (Fraction(2, 1), Fraction(2, 1))
    """
    where = listed_universe(mechanism.universe, mechanism.expression)
    size = len(where.positions)
    if mechanism.outputs.size != size:
        raise Unsupported(
            f"{mechanism.expression} has {mechanism.outputs.size or 'infinitely many'} outputs for "
            f"{size} databases: only a square matrix has an inverse, such as that of "
            "'randomized-response(bits=2, keep=3/4)'"
        )
    if size > _LARGEST:
        raise TooLarge(f"an inverse of {size} by {size} entries is shown up to {_LARGEST}")
    entries = [
        rationals([mechanism.probability(o, x) for x in where], f"P({mechanism.outputs.label(o)})")
        for o in mechanism.outputs
    ]
    try:
        found = flint(entries).inv()
    except ZeroDivisionError:
        raise Unsupported(
            f"the matrix of {mechanism.expression} has no inverse: its row cone and membership are "
            "found in another way: ask for its cone, or whether another is a member of it"
        ) from None
    return InverseMatrix(mechanism, tuple(tuple(map(fraction, row)) for row in found.tolist()))
