r"""Privacy by mutual information: how many nats the output tells about one record.

Kasiviswanathan & Smith (Remark 1) mention the variant that bounds I(A(x); x_i) for every person i
and every product belief. Its tight value needs no search over beliefs:

    sup over product beliefs of I(A(x); x_i)  =  max over i and x_-i of the capacity of the channel
                                                 from x_i to A(x) with the others fixed,

because for a fixed belief about x_i the information is convex in the channel, and averaging over
the others mixes channels. The capacity is enclosed from below by one belief p, and from above by
max_v D(W_v || pW), which no belief can beat; for symmetric channels both agree exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from twoworlds.definitions.base import Given, PrivacyDefinition, read_amount
from twoworlds.definitions.verdict import Shown, Verdict
from twoworlds.definitions.words import digits_apart
from twoworlds.errors import InvalidInput, TooLarge, Unsupported
from twoworlds.mechanisms import Mechanism, PerRecord, RandomIndex
from twoworlds.mechanisms.base import FINITE_OUTPUTS
from twoworlds.numbers import (
    Number,
    Order,
    Real,
    bounds,
    compare,
    decimal,
    exact_text,
    ln,
    number,
    show,
    to_json,
)
from twoworlds.progress import track
from twoworlds.worlds import Point, Records

_LARGEST = 1 << 21
_ROUNDS = 2000
_NARROW = 1e-14
_FASTER = 1.3
_GRID = 1 << 40
_TIE_BITS = 256
_SHOWN = 4

Columns = list[list[Fraction]]


@dataclass(frozen=True, kw_only=True)
class MutualInformation(PrivacyDefinition):
    """The output tells at most so many nats about any one record, for every product belief.

    >>> from twoworlds import mechanism
    >>> from twoworlds.numbers import show
    >>> show(MutualInformation().tightest(mechanism("random-index(records=4, values=3)")).nats)
    '1/4*ln 3 (0.274653)'
    """

    nats: Given[Number | None] = Given(read_amount)

    name = "mutual information"
    call = "mutual-information"
    numbers = ("nats",)
    unclaimed = "mutual-information has no number to check: give nats="

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the largest information over persons and product beliefs."""
        best: _Found | None = None
        known = set()  # many channels are one channel with its outputs reordered
        for where, values, columns in track(_channels(mechanism), "measuring information"):
            shape = tuple(sorted(zip(*columns, strict=True)))
            if shape not in known:
                known.add(shape)
                value, belief = _capacity(columns)
                best = _larger_of(best, (value, _told(where, values, columns, belief)))
        assert best is not None
        value, witness = best
        return self.found(
            mechanism,
            {"nats": value, "bits": value / ln(Fraction(2))},
            f"The output tells at most {show(value, side='up')} nats about any one record. An "
            "average over "
            "outputs says little about the worst one: a rare output may still expose a person.",
            ("every person, every belief in which the records are independent",),
            witness=witness,
            method="the worst channel from a record to the output; its capacity is bounded from "
            "below by the belief shown, from above by the law farthest from the mixture",
        )

    def broken(self, mechanism: Mechanism, found: Verdict, claimed: Number) -> str:
        """Say what the output tells under the belief shown."""
        digits = digits_apart(found.nats, claimed)
        return (
            f"Under the belief shown, the output tells {decimal(found.nats, digits, 'at least')} "
            f"nats about one record; the claim allows at most {decimal(claimed, digits)}."
        )


def _told(channel: str, values: list[str], columns: Columns, belief: list[Fraction]) -> Shown:
    """Show a belief about one record under which the output tells so many nats about it.

    Each column is the law of the output for one value of the record, the others being fixed.
    """
    nats = _information(belief, columns)
    chances = dict(zip(values, belief, strict=True))
    said = [("belief", f"{show(p)} in {value}") for value, p in list(chances.items())[:_SHOWN]]
    if len(values) > _SHOWN:
        said.append(("", f"and {len(values) - _SHOWN} more"))
    told = ("", f"the output then tells {show(nats, side='at least')} nats")
    return Shown(
        nats,
        lambda: _information(belief, columns),
        (("channel", channel), *said, told),
        {
            "channel": channel,
            "belief": {value: to_json(p) for value, p in chances.items()},
            "nats": to_json(nats, side="down"),
        },
    )


_Found = tuple[Number, Shown]


def _larger_of(best: _Found | None, found: _Found) -> _Found:
    """Keep the larger value; where enclosures overlap, an enclosure of the larger one."""
    if best is None:
        return found
    order = compare(best[0], found[0], limit=_TIE_BITS)
    if order is not Order.UNDECIDED:
        return found if order is Order.LESS else best
    (low, high), (other_low, other_high) = bounds(best[0]), bounds(found[0])
    same = isinstance(best[0], Real) and best[0].formula is not None
    if same and exact_text(best[0]) == exact_text(found[0]):
        return best
    shown = best[1] if low >= other_low else found[1]
    return Real.between(max(low, other_low), max(high, other_high)), shown


def information(
    mechanism: Mechanism, person: int, beliefs: Sequence[Mapping[Point, object]] | None = None
) -> Number:
    """Return I(A(x); x_person) in nats under a product belief, uniform unless given."""
    universe = _records(mechanism)
    _refuse_large(mechanism, universe)
    if not 1 <= person <= universe.n:
        raise InvalidInput(f"person={person}: there are {universe.n} records, counted from 1")
    uniform = {value: Fraction(1, len(universe.values)) for value in universe.values}
    read = [uniform] * universe.n if beliefs is None else [_belief(b, universe) for b in beliefs]
    if len(read) != universe.n:
        raise InvalidInput(f"{len(read)} beliefs are given for {universe.n} records")
    own = read[person - 1]
    columns = []
    for value in universe.values:
        total = [Fraction(0)] * (mechanism.outputs.size or 0)
        rest = [b if i != person - 1 else {value: Fraction(1)} for i, b in enumerate(read)]
        for word in product(*rest):
            weight = Fraction(1)
            for law, entry in zip(rest, word, strict=True):
                weight *= law[entry]
            column = _column(mechanism, word)
            total = [t + weight * c for t, c in zip(total, column, strict=True)]
        columns.append(total)
    return _information([own[value] for value in universe.values], columns)


def capacity(columns: Columns) -> Number:
    """Return the capacity in nats of a channel given by its columns, exact if it is symmetric."""
    return _capacity(columns)[0]


def _capacity(columns: Columns) -> tuple[Number, list[Fraction]]:
    """Return the capacity, and the belief that bounds it from below."""
    uniform = [Fraction(1, len(columns))] * len(columns)
    if _symmetric(columns):
        return _information(uniform, columns), uniform
    belief = _blahut_arimoto(columns)
    mixture = _mixture(belief, columns)
    low = _information(belief, columns)
    tops = [_divergence(column, mixture) for column in columns]
    lower = bounds(low)[0]
    upper = max(bounds(top)[1] for top in tops)
    return Real.between(max(lower, Fraction(0)), upper), belief


def _symmetric(columns: Columns) -> bool:
    """Tell whether every column meets the uniform mixture in the same way, up to order."""
    mixture = _mixture([Fraction(1, len(columns))] * len(columns), columns)
    shapes = {tuple(sorted(zip(column, mixture, strict=True))) for column in columns}
    return len(shapes) == 1


def _mixture(belief: Sequence[Fraction], columns: Columns) -> list[Fraction]:
    return [
        sum((b * c[o] for b, c in zip(belief, columns, strict=True)), start=Fraction(0))
        for o in range(len(columns[0]))
    ]


def _information(belief: Sequence[Fraction], columns: Columns) -> Number:
    """Return sum_v b(v) sum_o W(o|v) ln(W(o|v) / q(o))."""
    mixture = _mixture(belief, columns)
    terms = [
        (w / q, b * w)
        for b, column in zip(belief, columns, strict=True)
        for w, q in zip(column, mixture, strict=True)
        if b * w
    ]
    return _logarithms(terms)


def _divergence(column: Sequence[Fraction], mixture: Sequence[Fraction]) -> Number:
    """Return sum_o W(o) ln(W(o) / q(o))."""
    return _logarithms([(w / q, w) for w, q in zip(column, mixture, strict=True) if w])


def _logarithms(terms: Sequence[tuple[Fraction, Fraction]]) -> Number:
    """Return the sum of weight * ln(ratio), equal logarithms taken together."""
    weights: dict[Fraction, Fraction] = {}
    for ratio, weight in terms:
        weights[ratio] = weights.get(ratio, Fraction(0)) + weight
    return sum((weight * ln(r) for r, weight in weights.items()), start=Fraction(0))


def _blahut_arimoto(columns: Columns) -> list[Fraction]:
    """Find a nearly optimal belief in floats, and round it to rationals that sum to 1.

    Each round multiplies the belief in v by e^(step * D(W_v || pW)). Step 1 always improves, larger
    steps do so faster while they last.
    """
    import numpy as np  # only needed for the search; the bounds do not rest on it

    w = np.array([[float(entry) for entry in column] for column in columns])
    belief = best = np.full(len(columns), 1 / len(columns))
    step, narrowest, before = 1.0, np.inf, np.inf
    for _ in range(_ROUNDS):
        with np.errstate(divide="ignore", invalid="ignore"):
            d = np.where(w > 0, w * np.log(w / (belief @ w)), 0.0).sum(axis=1)
        width = d.max() - belief @ d  # of the enclosure that this belief gives
        if width < narrowest:
            narrowest, best = width, belief
        if not width >= _NARROW:
            break
        step = _FASTER * step if width < before else 1.0
        before = width
        belief = belief * np.exp(step * (d - d.max()))
        belief /= belief.sum()
    rounded = [Fraction(int(b * _GRID) + 1, _GRID) for b in best]
    total = sum(rounded)
    return [b / total for b in rounded]


def _channels(mechanism: Mechanism) -> Iterator[tuple[str, list[str], Columns]]:
    """Yield the channels from one record to the output with the others fixed."""
    if isinstance(mechanism, PerRecord):
        law = mechanism.transition
        columns = [[_rational(law.probability(o, v)) for o in law.outputs] for v in law.universe]
        values = [law.universe.label(v) for v in law.universe]
        yield "one record (the reports of the others carry nothing about it)", values, columns
        return
    universe = _records(mechanism)
    values = [str(value) for value in universe.values]
    if isinstance(mechanism, RandomIndex):
        n, m = universe.n, len(universe.values)
        shown = [[Fraction(int(o == v), n) for o in range(m)] for v in range(m)]
        yield (
            "one record, published with probability 1/n",
            values,
            [[*column, Fraction(n - 1, n)] for column in shown],
        )
        return
    _refuse_large(mechanism, universe)
    seen: set[tuple[tuple[Fraction, ...], ...]] = set()
    for i in range(universe.n):
        for rest in product(universe.values, repeat=universe.n - 1):
            words = [(*rest[:i], value, *rest[i:]) for value in universe.values]
            where = f"record {i + 1} with the others at {universe.label(words[0])}"
            columns = [_column(mechanism, word) for word in words]
            if (key := tuple(map(tuple, columns))) not in seen:
                seen.add(key)
                yield where, values, columns


def _records(mechanism: Mechanism) -> Records:
    universe = mechanism.universe
    if not isinstance(universe, Records) or not universe.fixed or not universe.n:
        raise Unsupported(
            f"mutual information speaks of records: {universe.expression} has no fixed list of "
            f"them; use a mechanism on bits or records, such as {FINITE_OUTPUTS}"
        )
    if mechanism.outputs.size is None:
        raise Unsupported(
            f"{mechanism.expression} has infinitely many outputs, and they are added up one by "
            f"one: use finitely many, as in {FINITE_OUTPUTS}"
        )
    return universe


def _refuse_large(mechanism: Mechanism, universe: Records) -> None:
    entries = universe.n * universe.size * (mechanism.outputs.size or 0)
    if entries > _LARGEST:
        raise TooLarge(
            f"{mechanism.expression} has {universe.n} records, {universe.size:,} databases and "
            f"{mechanism.outputs.size:,} outputs: their product is {entries:,}, more than "
            f"{_LARGEST:,}; use fewer records"
        )


def _column(mechanism: Mechanism, word: tuple[Point, ...]) -> list[Fraction]:
    return [_rational(mechanism.probability(o, word)) for o in mechanism.outputs]


def _rational(p: Number) -> Fraction:
    if isinstance(p, Fraction):
        return p
    raise Unsupported("mutual information is computed for rational probabilities only")


def _belief(given: Mapping[Point, object], universe: Records) -> dict[Point, Fraction]:
    law = {value: _rational(number(p, f"belief in {value}")) for value, p in given.items()}
    if any(value not in universe.values for value in law) or any(p < 0 for p in law.values()):
        raise InvalidInput(f"a belief must give the values {universe.values} probabilities")
    if sum(law.values()) != 1:
        raise InvalidInput(f"a belief sums to {sum(law.values())}, it must sum to 1")
    return {value: law.get(value, Fraction(0)) for value in universe.values}
