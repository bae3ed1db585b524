r"""The exact total of entries with a density: uniform, in steps, or at least that.

**Uniform entries.** In units of the length of [a, b], the sum S of m unknown others has the law of
m uniform variables on [0, 1] (Irwin & Hall):

    F_m(y) = 1/m! sum_{k <= y} (-1)^k C(m, k) (y - k)^m,      P(S >= m - y) = F_m(y) .

Its density f is log-concave, being a limit of sums of uniform lattice variables, which are. An
entry moves the total by s, and as for lattices the best events are half-lines, so the hockey-stick
divergence is

    delta = max_y F(y + s) - r F(y),      attained where f(y + s) = r f(y) ,

it does not decrease in s, and both directions give the same, as f is symmetric. The canonical
simulator has s = max(|a|, |b|) / (b - a), the centred one s = 1/2, noiseless privacy s = 1. For
y' <= y with f(y' + s) >= r f(y') and f(y + s) <= r f(y) the maximum lies in between, so

    F(y' + s) - r F(y')  <=  delta  <=  F(y + s) - r F(y') .

**Many entries.** A uniform variable is (J + U) / c with J uniform on 0..c-1 and U uniform on
[0, 1], independent. If c s is whole, the total is computed from the sum of the J by adding noise
that is independent of everything, so the delta of the sum of the J, an integer convolution, is a
bound.

**A uniform component** (Bassily, Groce, Katz & Smith, Theorems 8 and 9). If an entry's density on
[a, b] is at least eta, the entry is uniform with probability w = eta (b - a), and otherwise has
some other law. Tell the attacker which entries are uniform, B of them, and the values of the rest:
what they see is then a shift of the total of B uniform entries, for which delta is delta_B; shifts
do not matter. Forgetting what was told is post-processing, and the hockey-stick divergence is
jointly convex, so

    delta <= sum_b P(Bin(m, w) = b) delta_b .

As the simulator is the same for all such laws, the bound also holds for mixtures of them (Theorem
4), which need not be independent. The uniform law is one of them, so delta is at least delta_m.

Differs: Theorem 8 says exp(-Omega(eta min(eta, epsilon^2) n)); its constant is not known, and no
number is made of it here.

**Steps.** Let the density be constant on cells of width d. An entry is d (K + U) with K a whole
number and U uniform on [0, 1], independent; the sum of m unknown others is d (L + V), L the sum of
the K and V that of the U. Your entry moves the total by x = d (j + t), 0 <= t < 1, against what it
is compared with. Let one U of the others be told, up to the cell: U + t is uniform on [t, 1 + t],
which is on [t, 1] with probability 1 - t, and otherwise 1 more than uniform on [0, t]; U itself is
the same without the 1. So what is told is a function of the lattice part and of noise that is the
same in both worlds, and by joint convexity

    H_a(S + x, S) <= (1 - t) H_a(L + j, L) + t H_a(L + j + 1, L) ,

the larger of two lattice shifts. As x runs over a union of intervals (supports may have gaps), the
whole numbers around it are tried; finer cells bring the bound down to delta. Any event bounds delta
from below: the worst one of the lattice, moved by the mean of V, with P(L + V <= y) =
sum_k P(L = k) F_m(y - k) by the law of Irwin & Hall.

**At least a step function** (Bassily, Groce, Katz & Smith, Theorems 8 and 9). If a density is at
least a step function of integral w, an entry has that density with probability w, and otherwise
some other law. As for one uniform component, delta <= sum_b P(Bin(m, w) = b) delta_b.
Named densities (triangular, truncated normal and exponential, beta) rise and then fall, so that
their least value on a cell is at one of its ends: they are at least such a step function, with w
near 1; from above nothing else about them is used. From below, an entry lies between what it is in
steps and one cell less, or more, with the probability that the steps lack: so does the sum, and an
event's two probabilities are enclosed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache

from flint import arb, fmpq

from twoworlds.laws.entry import EntryLaw, StepDensity
from twoworlds.laws.event import Ranges
from twoworlds.laws.lattice import OnLattice, SumLaw, convolve, enclosure, exact_bits, windowed
from twoworlds.numbers import Number, Real, ball, bounds, rough_log, working_precision

_MARGIN = 32


def least_enough(delta: Callable[[int], Fraction], limit: Fraction, most: int) -> int | None:
    """Return the least n >= 0 with delta(n) <= limit, or None if there is none up to ``most``.

    ``delta`` must not increase. Doubling finds a bracket; as the logarithm of delta is nearly
    linear for totals, it is narrowed by interpolation, a step to the other side, and halving.

    >>> least_enough(lambda n: Fraction(1, 2**n), Fraction(1, 1000), 100)
    10
    """
    low, high = -1, 0  # too few, and enough
    seen = {-1: 1.0}
    while (value := delta(high)) > limit:
        if high >= most:
            return None
        seen[high] = _log(value)
        low, high = high, min(most, max(1, 2 * high))
    seen[high], goal = _log(value), _log(limit)
    turn, aim = 0, high
    while high - low > 1:
        margin = 1 + (high - low) // _MARGIN
        if turn % 3 == 0:
            aim = _between(low, high, seen[low], seen[high], goal)
        elif turn % 3 == 1:
            aim = aim - margin if aim == high else aim + margin
        else:
            aim = (low + high) // 2
        aim = min(high - 1, max(low + 1, aim))
        value = delta(aim)
        seen[aim] = _log(value)
        low, high = (low, aim) if value <= limit else (aim, high)
        turn += 1
    return high


def _between(low: int, high: int, first: float, last: float, goal: float) -> int:
    """Return where a straight line between both ends reaches the goal."""
    if not first > last > -math.inf or goal == -math.inf:
        return (low + high) // 2
    return low + math.ceil((high - low) * (first - goal) / (first - last))


def _log(value: Fraction) -> float:
    return rough_log(value) if value > 0 else -math.inf


MOST_UNIFORM = 200
_MOST_TERMS = 2000
CELLS = 32
_FINE = 5  # blocks begin at numbers of so many significant bits
_WINDOW_BITS = 128
_NOTHING = Fraction(1, 1 << 100)
_HALVINGS, _SECANTS = 8, 16


def irwin_hall(terms: int, y: Fraction) -> Fraction:
    """Return the probability that so many uniform variables on [0, 1] sum to at most y.

    >>> irwin_hall(2, Fraction(1, 2))
    Fraction(1, 8)
    """
    if y <= 0 or y >= terms:
        return Fraction(y >= terms)
    parts = ((-1) ** k * math.comb(terms, k) * (y - k) ** terms for k in range(math.floor(y) + 1))
    return sum(parts, Fraction(0)) / math.factorial(terms)


def uniform_delta(terms: int, shift: Fraction, ratio: Number) -> Number:
    """Return delta of a shift of the sum of uniform variables on [0, 1], as tightly as asked.

    >>> uniform_delta(1, Fraction(1, 2), Fraction(2))
    Fraction(1, 2)
    """
    if shift >= terms:
        return Fraction(shift > 0)
    if terms == 1 or shift == 0:
        return shift
    if ratio == 1:
        middle = Fraction(terms)
        return irwin_hall(terms, (middle + shift) / 2) - irwin_hall(terms, (middle - shift) / 2)
    return Real(lambda bits: _delta_ball(terms, shift, ratio, bits))


def density_delta(law: StepDensity, unknown: int, how: str, ratio: Number) -> Number:
    """Return delta for so many unknown others, or an enclosure of it: proven ends in any case.

    ``how`` is noiseless, canonical, or centred: what your entry is compared with.

    >>> from twoworlds.laws.entry import read_law
    >>> halves = read_law("steps [0, 1]=1/2, [2, 3]=1/2")
    >>> bounds(density_delta(halves, 0, "canonical", Fraction(2)))[1]
    Fraction(1, 1)
    """
    if law.uniform:
        return _many(unknown, shift_of(law, how), ratio)
    high, low = min(Fraction(1), density_bound(law, unknown, how, ratio)), Fraction(0)
    if law.flat:
        low = bounds(_many(unknown, shift_of(law, how), ratio))[0]
    elif 0 < unknown <= _MOST_LOWER:
        low = max(low, _below(law, unknown, how, ratio))
    return enclosure(min(low, high), high)


def density_bound(law: StepDensity, unknown: int, how: str, ratio: Number) -> Fraction:
    """Return a number that is at least delta."""

    def one(terms: int) -> Fraction:
        if law.flat:
            return _bound(terms, shift_of(law, how), ratio)
        return _worst(law.cells, terms, _moves(law, how), ratio)[0]

    return one(unknown) if law.share == 1 else mixed(unknown, law.share, one)


def shift_of(law: StepDensity, how: str) -> Fraction:
    """Return how far an entry moves the total, in lengths of its interval."""
    low, high = law.ends
    moved = {"noiseless": Fraction(1), "centred": Fraction(1, 2)}
    return moved.get(how, max(abs(low), abs(high)) / (high - low))


def _many(terms: int, shift: Fraction, ratio: Number) -> Number:
    """Return delta of uniform entries: by Irwin & Hall, or enclosed by way of their lattice parts.

    Any half-line bounds delta from below; the best one for the lattice, moved by the mean of what
    was rounded off, is nearly the best.
    """
    if terms <= MOST_UNIFORM or terms <= shift:
        return uniform_delta(terms, shift, ratio)
    high, reach = _lattice(terms, shift, ratio)
    if terms > _MOST_TERMS:
        return enclosure(Fraction(0), high)
    bits = 5 * terms + _WINDOW_BITS
    with working_precision(bits):
        event = _tail(terms, reach + shift, terms)
        event -= ball(ratio, bits) * _tail(terms, reach, terms)
    return enclosure(bounds(Real(lambda _bits: event), 64)[0], high)


def _bound(terms: int, shift: Fraction, ratio: Number) -> Fraction:
    """Return a number that is at least delta of uniform entries."""
    if terms <= MOST_UNIFORM or terms <= shift:
        return bounds(_few(terms, shift, ratio), 64)[1]
    return _lattice(terms, shift, ratio)[0]


_few = lru_cache(maxsize=512)(uniform_delta)


@lru_cache(maxsize=512)
def _lattice(terms: int, shift: Fraction, ratio: Number) -> tuple[Fraction, Fraction]:
    """Return a bound on delta by the lattice parts, and y of a half-line that is nearly best."""
    if shift.denominator > CELLS:  # delta does not decrease in the shift
        shift = Fraction(math.ceil(shift * CELLS), CELLS)
    cells = shift.denominator * -(-CELLS // shift.denominator)
    total = lattice_sum(((EntryLaw.uniform(range(cells)), terms),), Fraction(1))
    delta, event = OnLattice(None, None, total.shifted(int(shift * cells)), total).gap(ratio)
    pieces = event.pieces  # type: ignore[attr-defined]
    begins = pieces[-1][0] if pieces else total.stop
    return bounds(delta)[1], terms - (begins + Fraction(terms, 2)) / cells


def lattice_sum(groups: tuple[tuple[EntryLaw, int], ...], step: Fraction) -> SumLaw:
    """Return the law of a sum, exact if it is short, and else in a window."""
    spare = 2 * exact_bits(groups, step).bit_length()
    wide = math.ceil(math.sqrt(1.4 * _WINDOW_BITS)) + 2
    few = exact_bits(groups, step) < 1 << 20
    return convolve(groups, step) if few else windowed(groups, step, _WINDOW_BITS + spare, wide)


def mixed(unknown: int, share: Fraction, bound: Callable[[int], Fraction]) -> Fraction:
    """Return a bound on sum_b P(Bin(m, w) = b) delta_b, from bounds on each delta_b.

    Within a block of b, delta is at most that of the least one. Where a block has next to no mass
    its delta is taken to be 1, and where delta is next to nothing it is not computed again.
    """
    stops = [b for b in range(unknown + 1) if b % max(1, 1 << b.bit_length() >> _FINE) == 0]
    total, here = Fraction(0), Fraction(1)
    with working_precision(_WINDOW_BITS + 2 * unknown.bit_length()):
        masses = list(_binomial(unknown, share))
        for first, last in zip(stops, [*stops[1:], unknown + 1], strict=True):
            mass = _upper(sum(masses[first:last], arb(0)))
            if mass > _NOTHING and here > _NOTHING:
                here = bound(first)
            total += mass * here
    return total


def _upper(value: arb) -> Fraction:
    """Return a rational that is at least the number in a ball."""
    return bounds(Real(lambda _bits: value), 64)[1]


def _binomial(trials: int, share: Fraction) -> Iterator[arb]:
    """Yield balls for the probabilities of 0, 1, ... successes."""
    odds = arb(fmpq(share.numerator, share.denominator - share.numerator))
    mass = arb(fmpq(share.denominator - share.numerator, share.denominator)) ** trials
    for b in range(trials + 1):
        yield mass
        mass = mass * odds * (trials - b) / (b + 1)


def _delta_ball(terms: int, shift: Fraction, ratio: Number, bits: int) -> arb:
    """Enclose max_y F(y + s) - r F(y) in a ball, by bisection for the best y."""
    with working_precision(2 * bits + 5 * terms + 64):
        r = ball(ratio, 2 * bits + 5 * terms + 64)
        low, high = _threshold(terms, shift, r, bits)
        least = _tail(terms, low + shift, terms) - r * _tail(terms, low, terms)
        most = _tail(terms, high + shift, terms) - r * _tail(terms, low, terms)
        return least.union(most).nonnegative_part()


def _threshold(terms: int, shift: Fraction, ratio: arb, bits: int) -> tuple[Fraction, Fraction]:
    """Return y' <= y around the best threshold, about 2^-bits apart.

    Some halving, then secants on the logarithm of f(y + s) / (r f(y)), which does not increase in
    y; two exact signs confirm what they find, and halving goes on if they do not.
    """
    low, high = Fraction(0), (terms - shift) / 2
    goal = Fraction(1, 1 << bits)

    def excess(y: Fraction) -> arb:
        return _tail(terms, y + shift, terms - 1) / _tail(terms, y, terms - 1) / ratio

    near: list[tuple[Fraction, Fraction]] = []
    for step in range(bits + terms.bit_length()):
        middle = (low + high) / 2
        if step >= _HALVINGS and near:
            found = _secant(near, excess, goal)
            near = []
            if found is not None and excess(found - goal) > 1 and excess(found + goal) < 1:
                return found - goal, found + goal
        value = excess(middle)
        if not (value > 1 or value < 1):
            break
        low, high = (middle, high) if value > 1 else (low, middle)
        if step < _HALVINGS:
            near = [*near[-1:], (middle, _middle(value.log()))]
        if high - low <= goal:
            break
    return low, high


def _secant(
    near: list[tuple[Fraction, Fraction]], excess: Callable[[Fraction], arb], goal: Fraction
) -> Fraction | None:
    """Follow secants until they move by less than the goal; None if they lead nowhere."""
    grid = goal / 256
    (x, hx), (y, hy) = near
    for _ in range(_SECANTS):
        if hx == hy:
            return y
        z = round((y - hy * (y - x) / (hy - hx)) / grid) * grid
        if z <= goal:
            return None
        if abs(z - y) < goal / 4:
            return z
        x, hx, y, hy = y, hy, z, _middle(excess(z).log())
    return None


def _middle(value: arb) -> Fraction:
    mantissa, exponent = value.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _tail(terms: int, y: Fraction, power: int) -> arb:
    """Return 1/power! sum_{k <= y} (-1)^k C(m, k) (y - k)^power: F for m, its density for m - 1."""
    total = arb(0)
    for k in range(min(terms, math.floor(y)) + 1):
        rest = y - k
        term = arb(fmpq(rest.numerator, rest.denominator)) ** power * math.comb(terms, k)
        total = total - term if k % 2 else total + term
    return total / math.factorial(power)


def nearly_best(terms: int, shift: Fraction, ratio: Number, bits: int) -> Fraction:
    """Return y of a half-line whose excess is within about 2^-bits of the best one."""
    if shift >= terms or terms == 1:
        return Fraction(0)
    with working_precision(2 * bits + 5 * terms + 64):
        return _threshold(terms, shift, ball(ratio, 2 * bits + 5 * terms + 64), bits)[0]


# --- Densities in steps, or at least a step function ----------------------------------------------


_MOST_LOWER = 60


def _moves(law: StepDensity, how: str, *, inside: bool = False) -> tuple[int, ...]:
    """Return the whole numbers of cells around all that an entry moves the total by, or inside."""
    width, pieces = law.width, [(low, high) for low, high, _ in law.pieces]
    if law.share < 1:  # your own entry may be anywhere
        pieces = [law.ends]
    middle = sum(law.ends, Fraction(0)) / 2
    against = {"noiseless": pieces, "centred": [(middle, middle)]}
    found: set[int] = set()
    down, up = (math.ceil, math.floor) if inside else (math.floor, math.ceil)
    for low, high in pieces:
        for first, last in against.get(how, [(Fraction(0), Fraction(0))]):
            found.update(range(down((low - last) / width), up((high - first) / width) + 1))
    return tuple(sorted(found | {-move for move in found}))


@lru_cache(maxsize=256)
def _worst(
    cells: EntryLaw, terms: int, moves: tuple[int, ...], ratio: Number
) -> tuple[Fraction, int, Ranges]:
    """Return a bound on the largest delta of these shifts, the shift, and its event."""
    total = lattice_sum(((cells, terms),), cells.step)
    tried: Iterable[int] = moves
    if total.log_concave:  # delta does not decrease in the shift
        tried = (moves[0], moves[-1])
    best: tuple[Fraction, int, Ranges] = Fraction(0), 0, Ranges(())
    for move in tried:
        gap = OnLattice(None, None, total.shifted(move), total).gap(ratio)
        if bounds(gap.delta)[1] > best[0]:
            assert isinstance(gap.event, Ranges)
            best = bounds(gap.delta)[1], move, gap.event
    return best


def _below(law: StepDensity, unknown: int, how: str, ratio: Number) -> Fraction:
    """Return what the worst event of the lattice, moved by the mean of V, exceeds the ratio by.

    P(low + V <= y) >= P(S <= y) >= P(high + V <= y), with the laws around an entry for its cell.
    """
    moves = _moves(law, how, inside=True)
    if not moves or law.around is None:
        return Fraction(0)
    _, move, event = _worst(law.cells, unknown, moves, ratio)
    total = lattice_sum(((law.cells, unknown),), law.cells.step)
    first, last = total.start + min(0, move), total.stop - 1 + max(0, move)
    sums = [lattice_sum(((cells, unknown),), cells.step) for cells in law.around]
    away = [unknown * (law.cells.values[0] - cells.values[0]) for cells in law.around]

    def upto(y: Fraction) -> tuple[Fraction, Fraction]:
        """Return two ends of P(S <= y)."""
        low, high = (_upto(found, unknown, y + by) for found, by in zip(sums, away, strict=True))
        return high, low + sums[0].missing

    spread, nothing, certain = Fraction(unknown - 1, 2), (Fraction(0),) * 2, (Fraction(1),) * 2
    gained = lost = Fraction(0)
    for low, high in event.pieces:
        start, stop = low + spread, high + 1 + spread
        gained += (certain if high >= last else upto(stop - move))[0]
        gained -= (nothing if low <= first else upto(start - move))[1]
        lost += (certain if high >= last else upto(stop))[1]
        lost -= (nothing if low <= first else upto(start))[0]
    return bounds(gained - ratio * lost)[0]


def _upto(total: SumLaw, terms: int, y: Fraction) -> Fraction:
    """Return P(L + V <= y); of a sum in a window, what is missing is not counted."""
    found = Fraction(0)
    for k, weight in enumerate(total.row.coefficients, start=total.start):
        if k < y and weight != 0:
            found += int(weight) * irwin_hall(terms, y - k)
    return found / total.row.scale
