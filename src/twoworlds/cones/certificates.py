"""Certificates: plain data that prove an answer, and the checker that needs no solver.

A certificate names its ``kind`` and holds the vectors of the claim together with its proof:

* ``member``: vector = sum of weight * generator, weights >= 0;
* ``separated``: functional . generator >= 0 for every generator, functional . vector < 0;
* ``satisfies``: inequality . vector >= 0 for every inequality; ``violates``: one that fails;
* ``implied``: inequality = sum of multiplier * premise, multipliers >= 0 (Farkas);
* ``escape``: a ray that satisfies every premise and violates the inequality;
* ``post-processing``: M = sum_i w_i A_i M_i, w a distribution, every A_i column-stochastic;
* ``not-post-processing``: a functional F with <F, M> > max_i sum_k max_o (F M_i^T)[o, k], which is
  the most that <F, .> reaches over all mixtures of post-processings of the bases;
* ``least-loss``: a mechanism whose rows lie in a cone, with prices and multipliers that prove that
  no such mechanism with the same outputs has less loss (`twoworlds.cones.least_loss`);
* ``least-squared-loss``: likewise for squared loss and any numbers as answers, with tangents that
  bound it from below;
* ``largest-odds``: a row of a cone with first . row = odds * second . row, and a proof that
  odds * second - first >= 0 on the cone: on its generators, or from its premises (Farkas);
* ``largest-parity-odds``: likewise for the sets where a product of signs is 1 and -1, independent
  records, and one transition per record;
* ``optimal-simulator``: a simulator's laws with the delta that they reach in all comparisons of
  two worlds, and tests that no simulator withstands better (`twoworlds.definitions.coupled`);
* ``all``: every one of its parts holds.

`CHECKS` maps a kind to its check; other kinds are added by adding a function. Numbers are ints or
text such as "3/4", each number in one way only (`exact`); floats are refused because they are not
the numbers that were proved about. "claim", "columns" and "entry" describe, and only their types
are checked; any other field that a check does not read is refused, so that nothing else in a
certificate that holds was left unchecked. A certificate proves a statement about the vectors that
it holds; that those are the vectors of the mechanism in question is for the reader to compare. An
``all`` without parts is true and says nothing: cones of which there is nothing to prove, {0} and
the whole space, give it; who expects a claim to be proved asks `says_nothing`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any

from flint import fmpq, fmpq_mat, fmpz

from twoworlds.cones.kernel.vectors import dot, flint
from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError, UnknownName

_DESCRIPTIONS = ("claim", "columns", "entry")
_DEEPEST = 50
_MOST_RECORDS = 64
_MOST_ENTRIES = 1 << 24


@dataclass(frozen=True)
class Certificate:
    """A claim with its proof, as data.

    >>> proof = Certificate("violates", {"vector": (1, 3), "inequality": (3, -2)})
    >>> proof.verify()
    True
    >>> proof.to_dict()
    {'kind': 'violates', 'vector': [1, 3], 'inequality': [3, -2]}
    """

    kind: str
    fields: Data

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    def verify(self) -> bool:
        """Check the proof by exact arithmetic."""
        return verify(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: exact numbers are ints or text such as "3/4"."""
        return {"kind": self.kind, **{name: _plain(value) for name, value in self.fields.items()}}

    @classmethod
    def from_dict(cls, data: object) -> Certificate:
        """Read what `to_dict` wrote; the proof is not checked by this."""
        if not isinstance(data, Mapping) or not isinstance(data.get("kind"), str):
            raise InvalidInput('a certificate is an object with a "kind", such as "member"')
        return cls(data["kind"], {name: value for name, value in data.items() if name != "kind"})


def verify(certificate: Certificate | Data) -> bool:
    """Say whether a certificate proves what its kind claims.

    >>> verify({"kind": "member", "vector": [3, 1], "generators": [[1, 0], [1, 1]],
    ...         "weights": [2, 1]})
    True

    Raises:
        InvalidInput: when it is malformed: a missing key, a float, lengths that differ; or when it
            holds a field that has no part in the proof.
    """
    return _verify(certificate, 0)


def proved(kind: str, **fields: object) -> Certificate:
    """Build a certificate and check it, so that no answer is returned without a proof."""
    certificate = Certificate(kind, fields)
    if not certificate.verify():
        raise TwoWorldsError(f"a certificate {kind!r} failed its own check: please report this")
    return certificate


def says_nothing(certificate: Certificate | Data) -> bool:
    """Say whether it is an ``all`` without parts, or has such a part at any depth."""
    waiting: list[Certificate | Data] = [certificate]
    while waiting:
        one = waiting.pop()
        if not isinstance(one, Certificate):
            one = Certificate.from_dict(one)
        if one.kind == "all":
            parts = list_of(one.fields, "parts")
            if not parts:
                return True
            waiting += parts
    return False


def _verify(certificate: object, depth: int) -> bool:
    if not isinstance(certificate, Certificate):
        certificate = Certificate.from_dict(certificate)
    if certificate.kind == "all":
        if depth == _DEEPEST:
            raise InvalidInput(f"certificate nested more than {_DEEPEST} deep: give a flat list")
        fields = Fields(certificate.fields, but=_DESCRIPTIONS)
        outcomes = [_verify(part, depth + 1) for part in list_of(fields, "parts")]
        holds = all(outcomes)  # after reading every part: a malformed one is never passed over
    elif certificate.kind in CHECKS:
        fields = Fields(certificate.fields, but=_DESCRIPTIONS)
        holds = CHECKS[certificate.kind](fields)
    else:
        raise UnknownName("kind of certificate", certificate.kind[:60], [*CHECKS, "all"])
    if holds:
        fields.refuse_unread(certificate.kind)
        _check_descriptions(certificate.fields)
    return holds


def _check_descriptions(fields: Data) -> None:
    """Refuse descriptions that are none."""
    columns, entry = fields.get("columns", ()), fields.get("entry")
    if not isinstance(fields.get("claim", ""), str):
        raise InvalidInput("the claim of a certificate is a text")
    if not isinstance(columns, (list, tuple)) or not all(isinstance(c, str) for c in columns):
        raise InvalidInput("the columns of a certificate are a list of texts")
    if "entry" in fields:
        if not isinstance(entry, Mapping) or entry.keys() != {"output", "base output", "value"}:
            raise InvalidInput("the entry of a certificate has output, base output and value")
        exact(entry["value"], "value")
        if not all(isinstance(entry[name], str) for name in ("output", "base output")):
            raise InvalidInput("output and base output of a certificate are texts")


# --- the checks ---------------------------------------------------------------------------------


def _member(data: Data) -> bool:
    return _is_combination(vector_of(data, "vector"), data, "generators", "weights")


def _implied(data: Data) -> bool:
    return _is_combination(vector_of(data, "inequality"), data, "premises", "multipliers")


def _is_combination(target: list[Exact], data: Data, parts: str, weights: str) -> bool:
    rows = matrix_of(data, parts, len(target))
    factors = vector_of(data, weights, len(rows))
    scale = lcm(*(factor.denominator for factor in factors))
    whole = [int(factor * scale) for factor in factors]
    total = (
        (dot(column, whole) for column in zip(*rows, strict=True)) if rows else [0] * len(target)
    )
    return non_negative(factors) and list(total) == [scale * entry for entry in target]


def _separated(data: Data) -> bool:
    vector = vector_of(data, "vector")
    functional = vector_of(data, "functional", len(vector))
    rows = matrix_of(data, "generators", len(vector))
    return non_negative(dot(functional, row) for row in rows) and dot(functional, vector) < 0


def _satisfies(data: Data) -> bool:
    vector = vector_of(data, "vector")
    rows = matrix_of(data, "inequalities", len(vector))
    return non_negative(dot(row, vector) for row in rows)


def _violates(data: Data) -> bool:
    vector = vector_of(data, "vector")
    return dot(vector_of(data, "inequality", len(vector)), vector) < 0


def _escape(data: Data) -> bool:
    ray = vector_of(data, "ray")
    premises = matrix_of(data, "premises", len(ray))
    inequality = vector_of(data, "inequality", len(ray))
    return non_negative(dot(row, ray) for row in premises) and dot(inequality, ray) < 0


def _post_processing(data: Data) -> bool:
    target, bases = _table(data, "matrix"), list_of(data, "bases")
    weights = vector_of(data, "weights", len(bases))
    maps = [_table({"map": entries}, "map") for entries in list_of(data, "maps")]
    if len(maps) != len(bases):
        raise InvalidInput(f"{len(maps)} maps are given for {len(bases)} bases: one each")
    parts = [
        _times(a, base) * fmpq(w.numerator, w.denominator)
        for a, base, w in zip(maps, bases, weights, strict=True)
    ]
    if any((a.nrows(), a.ncols()) != (target.nrows(), target.ncols()) for a in parts):
        raise InvalidInput("a map after its base has another shape than the matrix")
    total = sum(parts[1:], start=parts[0]) if parts else None
    return (
        all(map(_stochastic, [target, *map(_base, bases)]))
        and non_negative(weights)
        and sum(weights) == 1
        and all(map(_stochastic, maps))
        and total == target
    )


def _not_post_processing(data: Data) -> bool:
    target, functional = _table(data, "matrix"), _table(data, "functional")
    if (target.nrows(), target.ncols()) != (functional.nrows(), functional.ncols()):
        raise InvalidInput("the functional has another shape than the matrix")
    reached = sum(map(operator.mul, functional.entries(), target.entries()), start=fmpq(0))
    scores = (_times(functional, base, transposed=True) for base in list_of(data, "bases"))
    most = [sum(map(max, score.transpose().tolist()), start=fmpq(0)) for score in scores]
    lawful = all(map(_stochastic, [target, *map(_base, list_of(data, "bases"))]))
    return lawful and bool(most) and all(reached > bound for bound in most)


def _least_loss(data: Data) -> bool:
    loss = matrix_of(data, "loss", len(vector_of(data, "belief")))
    reached, proved = _reached(data, loss), _proved_bound(data, loss)
    return reached == proved == exact(data.get("value"), "value")


def _least_squared_loss(data: Data) -> bool:
    """Check both ends, with one corner (t - u)(t - v) per pair of neighbouring tangents."""
    truths = vector_of(data, "truths", len(vector_of(data, "belief")))
    answers, tangents = vector_of(data, "answers"), vector_of(data, "tangents")
    value, bound = exact(data.get("value"), "value"), exact(data.get("bound"), "bound")
    if not tangents or any(u >= v for u, v in pairwise(tangents)):
        raise InvalidInput("tangents are increasing numbers, at least one")
    enclosed = all(tangents[0] <= t <= tangents[-1] for t in truths)
    corners = [(tangents[0], tangents[0]), *pairwise(tangents), (tangents[-1], tangents[-1])]
    below = [[(t - u) * (t - v) for t in truths] for u, v in corners]
    reached = _reached(data, [[(t - a) ** 2 for t in truths] for a in answers])
    return reached == value and _proved_bound(data, below) == bound and enclosed


def _reached(data: Data, loss: list[list[Exact]]) -> Exact | None:
    """Return the loss of the mechanism; None if it is no mechanism of the cone."""
    belief = vector_of(data, "belief")
    n = len(belief)
    matrix, inequalities = matrix_of(data, "matrix", n), matrix_of(data, "inequalities", n)
    equalities = matrix_of(data, "equalities", n)
    if len(matrix) != len(loss):
        raise InvalidInput("matrix, loss and multipliers need one row per output each")
    if data.get("criterion") not in ("expected", "worst"):
        raise InvalidInput('the criterion of a least loss is "expected" or "worst"')
    columns = list(zip(*matrix, strict=True))
    member = (
        bool(matrix)
        and n > 0
        and all(non_negative(row) for row in matrix)
        and all(sum(column) == 1 for column in columns)
        and all(value >= 0 for value in _values(inequalities, matrix))
        and all(value == 0 for value in _values(equalities, matrix))
    )
    if not member:
        return None
    losses = [dot(a, b) for a, b in zip(columns, zip(*loss, strict=True), strict=True)]
    return max(losses) if data["criterion"] == "worst" else dot(belief, losses)


def _values(vectors: Sequence[Sequence[Exact]], rows: Sequence[Sequence[Exact]]) -> Iterator[Exact]:
    """Yield the product of each vector with each row, passing over what is 0 in the vectors."""
    for vector in vectors:
        terms = [(i, c) for i, c in enumerate(vector) if c]
        for row in rows:
            yield sum(c * row[i] for i, c in terms)


def _proved_bound(data: Data, loss: list[list[Exact]]) -> Exact | None:
    """Return the sum of prices that no mechanism's loss is below; None if that is not proved."""
    belief = vector_of(data, "belief")
    n = len(belief)
    inequalities, equalities = matrix_of(data, "inequalities", n), matrix_of(data, "equalities", n)
    multipliers = matrix_of(data, "multipliers", len(inequalities) + len(equalities))
    prices = vector_of(data, "prices", n)
    if len(multipliers) != len(loss):
        raise InvalidInput("matrix, loss and multipliers need one row per output each")
    sides = list(zip(*inequalities, *equalities, strict=True)) or [()] * n
    bounded = all(
        belief[d] * row[d] - prices[d] - value >= 0
        for d, side in enumerate(sides)
        for row, value in zip(loss, _values([side], multipliers), strict=True)
    ) and all(non_negative(weights[: len(inequalities)]) for weights in multipliers)
    lawful = non_negative(belief) and sum(belief) == 1
    return sum(prices) if bounded and lawful else None


def _largest_odds(data: Data) -> bool:
    row = vector_of(data, "row")
    first, second = vector_of(data, "first", len(row)), vector_of(data, "second", len(row))
    reached, against = dot(first, row), dot(second, row)
    generated = "generators" in data
    cone = matrix_of(data, "generators" if generated else "premises", len(row))
    member = row in cone if generated else non_negative(dot(a, row) for a in cone)
    member = member and non_negative([*first, *second, *row])
    if data.get("odds") == "infinity":
        return member and any(second) and reached > 0 and against == 0
    odds = exact(data.get("odds"), "odds")
    gap = [odds * b - a for a, b in zip(first, second, strict=True)]
    if generated:
        bounded = non_negative(dot(gap, generator) for generator in cone)
    else:
        bounded = _is_combination(gap, data, "premises", "multipliers")
    return member and against > 0 and reached == odds * against and bounded


def _largest_parity_odds(data: Data) -> bool:
    transition = matrix_of(data, "transition")
    width = len(transition[0]) if transition else 0
    laws, signs = matrix_of(data, "laws", width), matrix_of(data, "signs", width)
    places = vector_of(data, "places", len(laws))
    if len(signs) != len(laws) or any(place not in range(len(transition)) for place in places):
        raise InvalidInput("laws, signs and places need one entry per record each")
    low = high = reached = Fraction(1)
    for law, sign, place in zip(laws, signs, places, strict=True):
        masses = [[p * q for p, q in zip(law, row, strict=True)] for row in transition]
        shares = {o: Fraction(dot(sign, m)) / sum(m) for o, m in enumerate(masses) if sum(m)}
        ends = [end * share for end in (low, high) for share in shares.values()]
        if place not in shares or not non_negative(e for m in masses for e in m):
            return False
        low, high, reached = min(ends), max(ends), reached * shares[int(place)]
    lawful = bool(laws) and all(non_negative(law) and sum(law) == 1 for law in laws)
    lawful = lawful and all(sum(column) == 1 for column in zip(*transition, strict=True))
    lawful = lawful and all(abs(s) == 1 for sign in signs for s in sign) and reached == high
    if data.get("odds") == "infinity":
        return lawful and reached == 1
    return lawful and exact(data.get("odds"), "odds") * (1 - reached) == 1 + reached != 2


def _optimal_simulator(data: Data) -> bool:
    from twoworlds.definitions.coupled.proof import verify_optimum

    return verify_optimum({"certificate": data})


MEANINGS = {
    "member": "the vector is the sum of its generators, each with a weight that is not negative",
    "separated": "the functional is at least 0 on all generators, and below 0 on the vector",
    "satisfies": "the vector satisfies all inequalities",
    "violates": "the vector violates the inequality",
    "implied": "the inequality is a sum of its premises, with multipliers that are not negative",
    "escape": "the ray satisfies all premises and violates the inequality",
    "post-processing": "the matrix is a mixture of post-processings of the bases",
    "not-post-processing": "the matrix is no mixture of post-processings of the bases",
    "least-loss": "the matrix is a mechanism in the cone, and no other one there that has these "
    "outputs has less loss",
    "least-squared-loss": "the matrix is a mechanism in the cone with the squared loss in value, "
    "and no other one there, whatever numbers it answers, has less than the bound",
    "largest-odds": "no row of the cone has larger odds than the row given",
    "largest-parity-odds": "no output of the transition has larger odds than the one given",
    "optimal-simulator": "the simulator has the upper delta, and none has less than the lower one",
    "all": "all its parts hold",
}

CHECKS: dict[str, Callable[[Data], bool]] = {
    "member": _member,
    "separated": _separated,
    "satisfies": _satisfies,
    "violates": _violates,
    "implied": _implied,
    "escape": _escape,
    "post-processing": _post_processing,
    "not-post-processing": _not_post_processing,
    "least-loss": _least_loss,
    "least-squared-loss": _least_squared_loss,
    "largest-odds": _largest_odds,
    "largest-parity-odds": _largest_parity_odds,
    "optimal-simulator": _optimal_simulator,
}


# --- mechanisms ---------------------------------------------------------------------------------


def _table(data: Data, name: str) -> fmpq_mat:
    rows = matrix_of(data, name)
    if not rows or not rows[0]:
        raise InvalidInput(f"{name} is an empty matrix: give one row per output")
    return flint(rows)


def _stochastic(matrix: fmpq_mat) -> bool:
    sums = fmpq_mat(1, matrix.nrows(), [1] * matrix.nrows()) * matrix
    return all(entry >= 0 for entry in matrix.entries()) and all(
        total == 1 for total in sums.entries()
    )


def _base(base: object) -> fmpq_mat:
    """Read the matrix of a base, or the transition of one of its records."""
    if isinstance(base, Mapping):
        if unknown := sorted(set(base) - {"transition", "records"}):
            raise InvalidInput(f"field {unknown[0][:60]!r} of a base: it has transition, records")
        return _table(base, "transition")
    return _table({"base": base}, "base")


def _times(left: fmpq_mat, base: object, *, transposed: bool = False) -> fmpq_mat:
    """Multiply by a base: a matrix, or one transition for each of some records, never expanded."""
    factor = _base(base)
    records = base.get("records") if isinstance(base, Mapping) else 1
    factor = factor.transpose() if transposed else factor
    if type(records) is not int or not 1 <= records <= _MOST_RECORDS:
        raise InvalidInput(f"records must be a whole number from 1 to {_MOST_RECORDS}")
    if left.ncols() != factor.nrows() ** records:
        raise InvalidInput(
            f"a matrix of {left.ncols()} columns does not fit a base of {factor.nrows()} outputs"
        )
    if left.nrows() * factor.ncols() ** records > _MOST_ENTRIES:
        raise TooLarge(
            f"{records} records with {factor.ncols()} values each have more than "
            f"{_MOST_ENTRIES:,} entries together: give fewer records"
        )
    return kronecker_times(left, factor, records)


def kronecker_times(left: fmpq_mat, factor: fmpq_mat, records: int) -> fmpq_mat:
    """Return left (factor x ... x factor), one factor for each record, without building it."""
    if records == 1:
        return left * factor
    height, rest = left.nrows(), left
    for _ in range(records):
        # Each record in turn is the last, is multiplied, and becomes the first.
        flat = rest.nrows() * rest.ncols() // factor.nrows()
        done = fmpq_mat(flat, factor.nrows(), rest.entries()) * factor
        table, block = done.tolist(), flat // height
        entries = [
            table[row * block + b][x]
            for row in range(height)
            for x in range(factor.ncols())
            for b in range(block)
        ]
        rest = fmpq_mat(height, block * factor.ncols(), entries)
    return rest


def _plain(value: object) -> Any:
    if isinstance(value, Certificate):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, Fraction)):
        if value.denominator == 1 and abs(int(value)) < LARGEST_INTEGER:
            return int(value)
        return str(fmpq(value.numerator, value.denominator))  # no limit on digits, unlike str(int)
    return value


Exact = int | Fraction
Data = Mapping[str, Any]

_NUMBER = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?", re.ASCII)
_LONGEST_TEXT = 100_000
LARGEST_INTEGER = 2**53  # from here on, readers of JSON differ: such numbers stand as text


def non_negative(values: Iterable[Exact]) -> bool:
    """Say whether no value is below 0."""
    return all(value >= 0 for value in values)


def exact(value: object, name: str) -> Exact:
    """Read an int, a Fraction or text such as "-3/4"; refuse everything else, floats above all.

    Text is for what no int says: fractions in lowest terms, and whole numbers from 2^53 on.

    >>> exact("3/2", "weight"), exact(2, "weight")
    (Fraction(3, 2), 2)
    """
    if isinstance(value, str) and len(value) <= _LONGEST_TEXT:
        match = _NUMBER.fullmatch(value)
        if match and (bottom := fmpz(match[2] or 1)) != 0:
            quotient = fmpq(fmpz(match[1]), bottom)  # no limit on digits, unlike int(text)
            whole = quotient.q == 1
            if str(quotient) != value or (whole and abs(quotient.p) < LARGEST_INTEGER):
                plain = str(quotient)[:60] if whole else f'"{str(quotient)[:60]}"'
                raise InvalidInput(f"{name} holds {value[:60]!r}: write {plain}")
            return int(quotient.p) if whole else Fraction(int(quotient.p), int(quotient.q))
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise InvalidInput(
        f"{name} is no exact number (type {type(value).__name__}): "
        'a certificate holds integers and text such as "3/4"'
    )


def vector_of(data: Data, name: str, length: int | None = None) -> list[Exact]:
    """Read one vector of a certificate, of a given length if there is one."""
    return _vector(list_of(data, name), name, length)


def matrix_of(data: Data, name: str, width: int | None = None) -> list[list[Exact]]:
    """Read a list of vectors of one length."""
    rows = [_vector(row, f"{name}[{i}]", width) for i, row in enumerate(list_of(data, name))]
    if width is None and any(len(row) != len(rows[0]) for row in rows):
        raise InvalidInput(f"the vectors of {name} differ in length: each needs one entry a column")
    return rows


def list_of(data: Data, name: str) -> Sequence[Any]:
    """Read a list of anything."""
    value = data.get(name)
    if not isinstance(value, (list, tuple)):
        raise InvalidInput(f"certificate without a list {name!r}: add it, or give it as a list")
    return value


def _vector(value: object, name: str, length: int | None) -> list[Exact]:
    if not isinstance(value, (list, tuple)):
        raise InvalidInput(f"{name} is of type {type(value).__name__}: give a list of numbers")
    if length is not None and len(value) != length:
        raise InvalidInput(f"{name} has {len(value)} entries: it needs {length}")
    return [entry if type(entry) is int else exact(entry, name) for entry in value]


class Fields(Mapping[str, Any]):
    """The fields of a certificate, and which of them were read.

    >>> fields = Fields({"vector": [1], "claim": "above 0"}, but=["claim"])
    >>> fields["vector"]
    [1]
    >>> fields.refuse_unread("violates")
    """

    def __init__(self, fields: Data, *, but: Sequence[str] = ()) -> None:
        self._fields = fields
        self._read = set(but)

    def __getitem__(self, name: str) -> Any:
        self._read.add(name)
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def refuse_unread(self, kind: str) -> None:
        """Refuse what the check passed over: a reader could take it for proved."""
        for name in self._fields:
            if name not in self._read:
                raise InvalidInput(
                    f"field {name[:60]!r} has no part in a certificate of kind {kind}, and would "
                    "not be checked: leave it out, or describe it in 'claim'"
                )
