"""Maps of the database (identity, constant, exact statistics, parities), and of each record."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from twoworlds.calls import Text
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.mechanisms.base import Dense
from twoworlds.mechanisms.files import read_table
from twoworlds.mechanisms.least_noise import AMOUNTS, least, read_claim
from twoworlds.mechanisms.named.load import Matrix, named, spelled_rows, spelled_values
from twoworlds.mechanisms.on_statistic import (
    Deterministic,
    OnStatistic,
    Tempered,
    Through,
    exponent_for,
    spread,
)
from twoworlds.mechanisms.per_record import EachRecord, PerRecord, RandomIndex
from twoworlds.numbers import (
    INFINITY,
    Number,
    exact_text,
    exp,
    number,
    probability,
    ratio_at_least_one,
    rational,
    spelled,
    whole,
)
from twoworlds.worlds import (
    Additive,
    BitStrings,
    Explicit,
    Integers,
    Point,
    Product,
    Records,
    Statistic,
    Universe,
)
from twoworlds.worlds.catalogue import read_names, read_values
from twoworlds.worlds.catalogue import statistic as build_statistic
from twoworlds.worlds.catalogue import universe as build_universe
from twoworlds.worlds.graphs import GraphStatistic
from twoworlds.worlds.statistics import Constant

_MOST_LISTED = 1 << 16


@named("identity")
def identity(bits: object = None, values: Text | None = None, records: object = None) -> PerRecord:
    """Publish the database as it is: no protection at all.

    >>> identity(bits=2).probability((1, 0), (1, 0))
    Fraction(1, 1)
    """
    if (bits is None) == (values is None):
        raise InvalidInput("identity takes either bits=, or values= and records=")
    same = randomized_response(bits=bits, values=values, records=records, keep=1)
    if bits is not None:
        where = f"bits={same.records}"
    else:
        listed = spelled_values(same.transition.universe)
        where = f"values={listed}, records={same.records}"
    return PerRecord(same.transition, same.records, expression=f"identity({where})")


@named("constant")
def constant(bits: object = None, universe: str | Universe | None = None) -> OnStatistic:
    """Publish the same thing whatever the database: perfect protection.

    >>> constant(bits=2).outputs.size
    1
    """
    if bits is not None and universe is not None:
        raise InvalidInput("constant takes bits= or universe=, not both")
    length = 1 if bits is None else bits
    where = build_universe(universe if universe is not None else f"bits({length})")
    text = f"constant(universe={where.expression})"
    return OnStatistic(where, Constant(0), Deterministic(Explicit((0,))), expression=text)


@named("parity")
def parity(bits: object) -> OnStatistic:
    """Publish whether the number of ones is odd (1) or even (0).

    >>> parity(bits=2).probability(1, (1, 0))
    Fraction(1, 1)
    """
    n = whole(bits, "bits", at_least=1)
    channel = Deterministic(Explicit((1, 0)))
    return OnStatistic(BitStrings(n), _parity(), channel, expression=f"parity(bits={n})")


@named("exact")
def exact(statistic: str | Statistic, universe: str | Universe) -> OnStatistic:
    """Publish a statistic as it is, without any noise.

    What that costs is a question about what the attacker does not know: see the definitions that
    rest on beliefs, such as ddp. Differential privacy it has only where nobody moves the statistic.

    >>> total = exact("sum", universe="bits(3)")
    >>> total.probability(2, (1, 0, 1)), total.outputs.size
    (Fraction(1, 1), 4)
    """
    where = build_universe(universe)
    found = build_statistic(statistic, where)
    spelled = statistic if isinstance(statistic, str) else found.name
    text = f"exact({spelled}, universe={where.expression})"
    try:
        outputs: Universe = Explicit(_values(found, where))
    except TooLarge:
        if not isinstance(found, Additive) or not isinstance(where, Records) or not found.dimension:
            raise
        if any(part not in (0, 1) for v in where.values for part in found((v,))):  # type: ignore[union-attr]
            raise
        outputs = Product((Integers(0, where.n),) * found.dimension)  # tables, too many to list
    return OnStatistic(where, found, Deterministic(outputs), expression=text)


def _values(statistic: Statistic, universe: Universe) -> tuple[Point, ...]:
    """Return the values that a statistic takes, in order."""
    if isinstance(statistic, GraphStatistic) and (kinds := statistic.up_to_names(universe)):
        return tuple(sorted({statistic(x) for x in kinds}))
    if universe.size is not None and universe.size <= _MOST_LISTED:
        return tuple(sorted({statistic(x) for x in universe}))
    if not isinstance(statistic, Additive) or not isinstance(universe, Records):
        raise TooLarge(
            f"the values of {statistic.name} on {universe.expression} cannot be listed one by one "
            f"(at most {_MOST_LISTED} databases can): use fewer people, or a sum, count or "
            "histogram"
        )
    return tuple(sorted(statistic.values(universe)))


@named("noisy-parity")
def noisy_parity(bits: object, keep: object) -> OnStatistic:
    """Publish the parity of the bits, true with probability keep.

    >>> noisy_parity(bits=2, keep="3/4").probability(0, (1, 1))
    Fraction(3, 4)
    """
    n = whole(bits, "bits", at_least=1)
    p = number(keep, "keep")
    if p < 0 or p > 1:
        raise InvalidInput(f"keep={keep} is not a probability: it must lie between 0 and 1")
    both = Explicit((1, 0))
    channel = Through(Dense(both, both, [[p, 1 - p], [1 - p, p]]))
    text = f"noisy-parity(bits={n}, keep={keep})"
    return OnStatistic(BitStrings(n), _parity(), channel, expression=text)


@named("random-index")
def random_index(records: object, values: Text = "2") -> RandomIndex:
    """Publish the record of one person chosen at random, in the clear.

    >>> random_index(records=4).universe.size
    16
    """
    made = RandomIndex(whole(records, "records", at_least=1), read_values(values))
    n, listed = made.universe.n, made.universe.values
    text = f"random-index(records={n}, values={spelled_values(listed)})"
    return RandomIndex(n, listed, expression=text)


@named("tempered-map")
def tempered_map(
    laws: Matrix,
    people: object,
    power: object = None,
    epsilon: object = None,
    values: Text | None = None,
    weights: Text | None = None,
) -> OnStatistic:
    """Name the likeliest of several laws, drawn by likelihoods raised to a power.

    A row of ``laws`` is a law: the probability of each value. With ``epsilon`` the power is the
    largest multiple of 1/1024 for which that is proven to hold.

    >>> coins = [["3/4", "1/4"], ["1/4", "3/4"]]
    >>> tempered_map(coins, people=3, power=1).probability(1, (1, 1, 2))
    Fraction(3, 4)
    """
    rows = tuple(tuple(probability(p, "probability") for p in row) for row in laws)
    if len(rows) < 2 or len({len(row) for row in rows}) > 1 or any(sum(row) != 1 for row in rows):
        raise InvalidInput(
            "laws: give two rows or more, of one length, each with probabilities that sum to 1, "
            "such as [[3/4, 1/4], [1/4, 3/4]]"
        )
    spread(rows)  # refuses laws that rule values out
    if (power is None) == (epsilon is None):
        raise InvalidInput("tempered-map takes either power= or epsilon=")
    listed = read_names(len(rows[0]) if values is None else values, "values")
    if len(listed) != len(rows[0]):
        raise InvalidInput(f"{len(listed)} values for laws of {len(rows[0])}: name each value once")
    shares = tuple(rational(w, "weight") for w in (weights or ["1"] * len(rows)))
    if len(shares) != len(rows) or min(shares) <= 0:
        raise InvalidInput("weights: give one above 0 for each law, such as [2/3, 1/3]")
    t = (
        exponent_for(rows, number(epsilon, "epsilon"))
        if power is None
        else rational(power, "power")
    )
    if t < 0:
        raise InvalidInput(f"power={t}: the less likely law would be named; it must not be below 0")
    where = Records(listed, whole(people, "people", at_least=1))
    named_values = "" if values is None else f", values={spelled_values(listed)}"
    weighed = "" if weights is None else f", weights=[{', '.join(map(str, shares))}]"
    text = (
        f"tempered-map({spelled_rows(rows)}, people={where.n}, power={exact_text(t)}"
        f"{named_values}{weighed})"
    )
    counted = build_statistic("histogram", where)
    return OnStatistic(where, counted, Tempered(rows, shares, t), expression=text)


def _parity() -> Additive:
    return Additive(lambda bit: bit, scale=Fraction(1), modulo=2, name="parity")


# --- Randomized response and PRAM: every record passes through the same stochastic matrix --------
# Wu, Algorithm 1; Lin & Kifer, Section 3.2.2 and Definitions 5.2, 5.3 and 5.9.


@named("randomized-response")
def randomized_response(
    bits: object = None,
    keep: object = None,
    values: Text | None = None,
    records: object = None,
    ratio: object = None,
    epsilon: object = None,
    *,
    delta: object = None,
) -> PerRecord:
    r"""Each person keeps their true value with probability keep, else reports another one evenly.

        P(report v | true v) = keep,   P(report w | true v) = (1 - keep) / (N - 1)

    where N = 2 for ``bits``, else the number of ``values`` of each of ``records`` records. Instead
    of keep, give ratio = keep (N - 1) / (1 - keep), or epsilon = ln ratio. With a delta besides,
    keep is the largest one for which the ratio is e to a number of six digits.

    >>> randomized_response(bits=2, keep="3/4").probability((1, 0), (1, 1))
    Fraction(3, 16)
    """
    if (bits is None) == (values is None):
        raise InvalidInput("randomized-response takes either bits=, or values= and records=")
    if bits is not None and records is not None:
        raise InvalidInput("randomized-response: bits= already says how many records there are")
    count = bits if values is None else records if records is not None else 1
    universe = _one_record((1, 0) if values is None else read_values(values))
    n = universe.size or 0
    if delta is not None and keep is not None:
        raise InvalidInput(f"randomized-response: delta={delta} belongs to an epsilon, not to keep")
    if delta is not None and number(delta, "delta") != 0:

        def build(price: Fraction) -> PerRecord:
            return randomized_response(values=str(n), epsilon=price)

        claim = read_claim(epsilon, ratio=ratio, delta=delta)
        ratio, epsilon = None, least(build, AMOUNTS["randomized-response"], claim)[0]
    p, other = _keep_and_other(keep, ratio, epsilon, n)
    rows = [[p if o == v else other for v in universe] for o in universe]
    shown = _shown_keep(p, ratio, epsilon)
    number_of = whole(count, "bits" if values is None else "records", at_least=1)
    if values is None:
        text = f"randomized-response(bits={number_of}, {shown})"
    else:
        text = (
            f"randomized-response(values={spelled_values(universe)}, records={number_of}, {shown})"
        )
    return PerRecord(Dense(universe, universe, rows), number_of, expression=text, alike=True)


def _shown_keep(p: Number, ratio: object, epsilon: object) -> str:
    """Spell keep where it can be typed, else what it was computed from."""
    if not isinstance(p, Fraction) and epsilon is not None:
        return f"epsilon={spelled(number(epsilon))}"
    if not isinstance(p, Fraction) and ratio is not None:
        return f"ratio={exact_text(number(ratio))}"
    return f"keep={exact_text(p)}"


def _keep_and_other(keep: object, ratio: object, epsilon: object, n: int) -> tuple[Number, Number]:
    """Return the probability of the true value and that of each other one."""
    given = [value for value in (keep, ratio, epsilon) if value is not None]
    if len(given) != 1:
        raise InvalidInput("randomized-response takes exactly one of keep, ratio and epsilon")
    if n == 1:
        return Fraction(1), Fraction(0)
    if keep is not None:
        p = number(keep, "keep")
        if p < 0 or p > 1:
            raise InvalidInput(f"keep={keep} is not a probability: it must lie between 0 and 1")
        return p, (1 - p) / (n - 1)
    a = exp_of(epsilon) if ratio is None else _finite_ratio(ratio)
    whole_mass = a + (n - 1)  # one object, so that the ratio of both is exactly a
    return a / whole_mass, 1 / whole_mass


def _finite_ratio(ratio: object) -> Number:
    value = ratio_at_least_one(ratio)
    if value == INFINITY:
        raise InvalidInput("ratio=inf is no protection at all: give a finite ratio")
    return value


def exp_of(epsilon: object) -> Number:
    """Return e^epsilon for an epsilon of at least 0."""
    value = number(epsilon, "epsilon")
    if value < 0:
        raise InvalidInput(f"epsilon={epsilon} is negative: epsilon is at least 0")
    if value == INFINITY:
        raise InvalidInput("epsilon=inf is no protection at all: give a finite epsilon")
    return exp(value)


@named("pram")
def pram(matrix: Matrix, records: object = None, values: Text | None = None) -> EachRecord:
    """Each record passes through a stochastic matrix (rows: reports, columns: true values).

    The matrix is a list of rows, ``[[3/5, 1/5], [2/5, 4/5]]``, an array of numpy, a data frame, or
    the path of a CSV or JSON file. A list of such lists gives each record a matrix of its own (Lin
    & Kifer, footnote 2).

    >>> pram([["3/5", "1/7"], ["2/5", "6/7"]], records=2).probability((0, 1), (1, 1))
    Fraction(6, 49)
    >>> pram([[["3/5", "1/7"], ["2/5", "6/7"]], [[1, 0], [0, 1]]]).probability((0, 1), (1, 1))
    Fraction(1, 7)
    """
    if isinstance(matrix, (str, Path)):
        table, count = read_table(Path(matrix)), 1 if records is None else records
        return PerRecord(table, count, expression=f"pram({matrix}, records={count})")
    if hasattr(matrix, "__array__"):
        matrix = matrix.__array__().tolist()
    if not matrix or not all(isinstance(row, (list, tuple)) for row in matrix):
        raise InvalidInput("pram: matrix is a list of rows such as [[3/5, 1/5], [2/5, 4/5]]")
    own = all(row and all(isinstance(entry, (list, tuple)) for entry in row) for row in matrix)
    transitions = [_transition(one, values) for one in (matrix if own else [matrix])]
    names = "" if values is None else f", values={spelled_values(transitions[0].universe)}"
    if not own:
        count = 1 if records is None else records
        text = f"pram({spelled_rows(matrix)}, records={count}{names})"
        return PerRecord(transitions[0], count, expression=text)
    if records is not None and whole(records, "records") != len(matrix):
        raise InvalidInput(f"pram: records={records}, but {len(matrix)} matrices are given")
    inner = ", ".join(map(spelled_rows, matrix))
    return EachRecord(transitions, expression=f"pram([{inner}]{names})")


def _transition(matrix: Matrix, values: Text | None) -> Dense:
    """Return the transition of one record."""
    width = len(matrix[0])
    universe = _one_record(width if values is None else read_values(values))
    outputs = universe if len(matrix) == width else _one_record(len(matrix))
    return Dense(universe, outputs, matrix)


def gamma(mechanism: PerRecord) -> Number:
    """Return the amplification of one record: the largest ratio within a row of its transition.

    Lin & Kifer, Definition 5.10. Differs: Section 3.2.2 prints the ratio of two outputs of one
    value, which is another number; the row ratio is the one that protects.

    >>> gamma(pram([["3/5", "1/7", "1/7"], ["1/5", "3/7", "3/7"], ["1/5", "3/7", "3/7"]]))
    Fraction(21, 5)
    """
    return PerRecord(mechanism.transition, 1).family("substitute").peak()[1].ratio


def _one_record(values: object) -> Universe:
    if isinstance(values, int):
        return Explicit(tuple(range(values)))
    return Explicit(tuple(values))  # type: ignore[arg-type]
