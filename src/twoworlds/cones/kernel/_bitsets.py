"""The compiled part of double description: which rays are adjacent, and what they combine to.

A ray of a pointed cone in dimension r is known by the set of constraints on which it vanishes,
its *tight set*, kept as bits. Two rays span a face of dimension two, they are *adjacent*, exactly
when no third ray vanishes on all constraints of their common tight set; then at least r - 2
constraints are common.

Call a ray *simple* when its tight set has exactly r - 1 constraints, which are then independent.
If one of two rays is simple, they are adjacent exactly when they have r - 2 constraints in common:
those are independent, so they cut out a face of dimension two. Hence

* two simple rays are matched by looking up tight sets with one constraint left out, in a hash
  table; hash values only propose, the bits decide;
* a simple ray and another one need one count of bits;
* for two others the third ray is searched, and only among rays that are not simple and have
  r - 2 constraints in common with the first of the two: a simple third ray would make those
  constraints independent, and the face too small for three rays.

A new ray is A x + B y, divided by the greatest common divisor of its entries. The entries may
need 128 bits before they are divided; `combine` says so when the result does not fit either, and
its caller turns to unbounded integers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numba.extending import intrinsic
from numpy.typing import NDArray

Bits = NDArray[np.uint64]
Integers = NDArray[np.int64]
Word = Any  # np.uint64 once compiled
Function = TypeVar("Function", bound=Callable[..., Any])

LIMIT = 2**62  # entries stay below, so that a sum of two products has less than 127 bits
LOW = np.uint64(0xFFFFFFFF)
ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(64)
HALF = np.uint64(32)


def njit(function: Function) -> Function:
    """Compile on first call; keep the machine code on disk where a directory can be written."""
    options = {"nogil": True, "error_model": "numpy"}
    decorate: Any = numba.njit  # its stubs, where numba has any, refuse options from a dict
    try:
        return decorate(cache=True, **options)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # numba found no directory for its cache
        return decorate(**options)(function)  # type: ignore[no-any-return]


def _ones_rule(_context: Any, _word: Any) -> tuple[Any, Callable[..., Any]]:
    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return numba.types.uint64(numba.types.uint64), generate


def _zeros_rule(_context: Any, _word: Any) -> tuple[Any, Callable[..., Any]]:
    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], numba.core.cgutils.false_bit)

    return numba.types.uint64(numba.types.uint64), generate


_ones: Any = intrinsic(_ones_rule)  # how many bits are set
_zeros: Any = intrinsic(_zeros_rule)  # how many bits below the lowest one that is set


# --- adjacency ----------------------------------------------------------------------------------


@njit
def _common(bits: Bits, i: int, j: int) -> Word:
    count = ZERO
    for w in range(bits.shape[1]):
        count += _ones(bits[i, w] & bits[j, w])
    return np.int64(count)


@njit
def _appended(pairs: Integers, size: int, i: int, j: int) -> Integers:
    if size == pairs.shape[0]:
        larger = np.empty((2 * size, 2), np.int64)
        for k in range(size):
            larger[k, 0] = pairs[k, 0]
            larger[k, 1] = pairs[k, 1]
        pairs = larger
    pairs[size, 0] = i
    pairs[size, 1] = j
    return pairs


@njit
def _hash(word: Word) -> Word:
    word = (word + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@njit
def _members(bits: Bits, i: int, found: Bits) -> int:
    """Write the hash of each constraint of a tight set; return how many there are."""
    size = 0
    for w in range(bits.shape[1]):
        word = bits[i, w]
        while word:
            found[size] = _hash(np.uint64(64 * w) + _zeros(word))
            word &= word - ONE
            size += 1
    return size


@njit
def simple_with_simple(bits: Bits, few: Integers, many: Integers, rank: int) -> Integers:
    """Return the adjacent pairs (one of the few, one of the many), all of them simple."""
    width = rank - 1
    slots = 16
    while slots < 2 * few.size * width:
        slots *= 2
    mask = np.uint64(slots - 1)
    keys = np.empty(slots, np.uint64)
    owners = np.empty(slots, np.int64)
    for k in range(slots):
        owners[k] = -1
    parts = np.empty(64 * bits.shape[1], np.uint64)
    for i in few:
        size = _members(bits, i, parts)
        total = ZERO
        for k in range(size):
            total += parts[k]
        for k in range(size):
            key = total - parts[k]
            slot = key & mask
            while owners[slot] >= 0:
                slot = (slot + ONE) & mask
            keys[slot] = key
            owners[slot] = i
    pairs = np.empty((max(16, many.size), 2), np.int64)
    found = 0
    for j in many:
        size = _members(bits, j, parts)
        total = ZERO
        for k in range(size):
            total += parts[k]
        for k in range(size):
            key = total - parts[k]
            slot = key & mask
            while owners[slot] >= 0:
                if keys[slot] == key and _common(bits, owners[slot], j) == rank - 2:
                    pairs = _appended(pairs, found, owners[slot], j)
                    found += 1
                slot = (slot + ONE) & mask
    return pairs[:found]


@njit
def simple_with_others(bits: Bits, simple: Integers, others: Integers, rank: int) -> Integers:
    """Return the adjacent pairs (a simple ray, one that is not)."""
    pairs = np.empty((max(16, others.size), 2), np.int64)
    found = 0
    for j in others:
        for i in simple:
            if _common(bits, i, j) == rank - 2:
                pairs = _appended(pairs, found, i, j)
                found += 1
    return pairs[:found]


@njit
def others_with_others(
    bits: Bits, first: Integers, second: Integers, rest: Integers, rank: int, most: int
) -> tuple[Integers, int, int]:
    """Return the adjacent pairs (first, second), none of the rays being simple.

    ``rest`` holds every other ray that is not simple. Stops after about ``most`` comparisons, and
    returns also how many of the first were done, and with how many comparisons.
    """
    near = np.empty((second.size + rest.size, bits.shape[1]), np.uint64)
    partner = np.empty(second.size, np.int64)
    order = np.empty(second.size + rest.size, np.int64)
    pairs = np.empty((max(16, first.size), 2), np.int64)
    found, work, done = 0, 0, 0
    while done < first.size and work < most:
        i = first[done]
        done += 1
        partners = _gather(bits, i, second, rank, near, 0, partner)
        work += second.size
        if not partners:
            continue
        size = _gather(bits, i, rest, rank, near, partners, order)
        work += rest.size
        for k in range(size):
            order[k] = k
        for k in range(partners):
            place = _blocker(near, k, order, size)
            work += place
            if place == size:
                pairs = _appended(pairs, found, i, partner[k])
                found += 1
            else:  # what blocked once blocks again: let it be tried sooner
                order[place], order[place >> 1] = order[place >> 1], order[place]
    return pairs[:found], done, work


@njit
def _gather(
    bits: Bits, i: int, others: Integers, rank: int, near: Bits, size: int, who: Integers
) -> int:
    """Append what ray i has in common with others, and which they are, if it may be adjacent."""
    for k in range(others.size):
        j = others[k]
        if j != i and _common(bits, i, j) >= rank - 2:
            for w in range(bits.shape[1]):
                near[size, w] = bits[i, w] & bits[j, w]
            who[size] = j
            size += 1
    return size


@njit
def _blocker(near: Bits, k: int, order: Integers, size: int) -> int:
    """Return the place in the order of the first other set that contains set k, or the size."""
    for place in range(size):
        outside = ZERO
        for w in range(near.shape[1]):
            outside |= near[k, w] & ~near[order[place], w]
        if not outside and order[place] != k:
            return place
    return size


# --- arithmetic ---------------------------------------------------------------------------------


@njit
def _gcd(a: Word, b: Word) -> Word:
    """Return the greatest common divisor of two unsigned words."""
    if a == ZERO:
        return b
    if b == ZERO:
        return a
    shift = _zeros(a | b)
    a >>= _zeros(a)
    while b:
        b >>= _zeros(b)
        if a > b:
            a, b = b, a
        b -= a
    return a << shift


@njit
def _product(a: Word, b: Word) -> tuple[Word, Word]:
    """Return the high and the low word of the product of two unsigned words."""
    a0, a1, b0, b1 = a & LOW, a >> HALF, b & LOW, b >> HALF
    low = a0 * b0
    middle = a1 * b0 + (low >> HALF)
    other = a0 * b1 + (middle & LOW)
    return a1 * b1 + (middle >> HALF) + (other >> HALF), a * b


@njit
def _size(value: Word) -> Word:
    return np.uint64(value) if value >= 0 else np.uint64(-value)


@njit
def _sum(a: Word, x: Word, b: Word, y: Word) -> tuple[Word, Word, bool]:
    """Return the high and low word of |a x + b y| and whether it is negative; a, b >= 0."""
    high, low = _product(np.uint64(a), _size(x))
    other_high, other_low = _product(np.uint64(b), _size(y))
    if (x < 0) == (y < 0):
        total = low + other_low
        return high + other_high + (ONE if total < low else ZERO), total, x < 0
    sign = x < 0
    if high < other_high or (high == other_high and low < other_low):
        high, low, other_high, other_low = other_high, other_low, high, low
        sign = not sign
    return high - other_high - (ONE if low < other_low else ZERO), low - other_low, sign


@njit
def _shifted(high: Word, low: Word, by: Word) -> tuple[Word, Word]:
    """Shift a double word to the right."""
    if by >= WORD:
        return ZERO, high >> (by - WORD)
    if by == ZERO:
        return high, low
    return high >> by, (low >> by) | (high << (WORD - by))


@njit
def _wide_gcd(high: Word, low: Word, other_high: Word, other_low: Word) -> Word:
    """Return the greatest common divisor of two double words, 0 if it does not fit in a word."""
    if high == ZERO and low == ZERO:
        return other_low if other_high == ZERO else ZERO
    if other_high == ZERO and other_low == ZERO:
        return low if high == ZERO else ZERO
    shift = _zeros(low) if low else WORD + _zeros(high)
    other_shift = _zeros(other_low) if other_low else WORD + _zeros(other_high)
    high, low = _shifted(high, low, shift)
    other_high, other_low = _shifted(other_high, other_low, other_shift)
    shift = min(shift, other_shift)
    while high | other_high:
        if high < other_high or (high == other_high and low < other_low):
            high, low, other_high, other_low = other_high, other_low, high, low
        high = high - other_high - (ONE if low < other_low else ZERO)
        low -= other_low
        if not low and not high:
            return ZERO
        high, low = _shifted(high, low, _zeros(low) if low else WORD + _zeros(high))
    odd = _gcd(low, other_low)
    return ZERO if shift >= WORD or odd >> (WORD - ONE - shift) else odd << shift


@njit
def _inverse(odd: Word) -> Word:
    """Return the inverse of an odd word modulo 2^64; each step doubles the bits that are right."""
    inverse: Word = odd * np.uint64(3) ^ np.uint64(2)
    for _ in range(4):
        inverse *= np.uint64(2) - odd * inverse
    return inverse


@njit
def _divisible(high: Word, low: Word, divisor: Word, shift: Word, inverse: Word) -> bool:
    quotient = _shifted(high, low, shift)[1] * inverse
    back_high, back_low = _product(quotient, divisor)
    return bool(back_high == high and back_low == low)


@njit
def _wide(a: Word, x: Integers, b: Word, y: Integers, new: Integers, words: Bits) -> bool:
    """Write (a x + b y) divided by its content; False when an entry does not fit."""
    size = x.size
    content: Word = ZERO
    shift: Word = ZERO
    inverse: Word = ONE
    first = -1
    for k in range(size):
        high, low, sign = _sum(a, x[k], b, y[k])
        words[k, 0], words[k, 1] = high, low
        new[k] = -1 if sign else 1
        if not high and not low:
            continue
        if content == ZERO and first < 0:
            first = k
            continue
        if content == ZERO:
            content = _wide_gcd(high, low, words[first, 0], words[first, 1])
        elif not _divisible(high, low, content, shift, inverse):
            content = _wide_gcd(high, low, ZERO, content)
        else:
            continue
        if content == ZERO:
            return False
        shift = _zeros(content)
        inverse = _inverse(content >> shift)
    if content == ZERO:  # one entry alone is not zero
        for k in range(size):
            new[k] = new[k] if k == first else 0
        return first >= 0
    for k in range(size):
        quotient = _shifted(words[k, 0], words[k, 1], shift)[1] * inverse
        if quotient >= np.uint64(LIMIT):
            return False
        new[k] *= np.int64(quotient)
        back_high, back_low = _product(quotient, content)
        if back_high != words[k, 0] or back_low != words[k, 1]:
            return False
    return True


@njit
def _narrow(a: Word, x: Integers, b: Word, y: Integers, new: Integers) -> None:
    """Write (a x + b y) divided by its content, where no product is too large for a word."""
    content: Word = ZERO
    for k in range(x.size):
        new[k] = a * x[k] + b * y[k]
        if content != ONE:
            content = _gcd(_size(new[k]), content)
    if content > ONE:
        divisor = np.int64(content)
        for k in range(x.size):
            new[k] //= divisor


@njit
def combine(rays: Integers, values: Integers, pairs: Integers) -> tuple[Integers, bool]:
    """Return the ray of each pair on the new hyperplane, and whether all entries fit.

    A pair holds a ray x with value v > 0 and a ray y with value -w < 0, in either order. Theirs is
    w x + v y.
    """
    new = np.empty((pairs.shape[0], rays.shape[1]), np.int64)
    words = np.empty((rays.shape[1], 2), np.uint64)
    largest = np.zeros(rays.shape[0])
    for i in range(rays.shape[0]):
        for k in range(rays.shape[1]):
            largest[i] = max(largest[i], abs(float(rays[i, k])))
    for p in range(pairs.shape[0]):
        i, j = pairs[p, 0], pairs[p, 1]
        v, w = _size(values[i]), _size(values[j])
        common = _gcd(v, w)
        a, b = np.int64(w // common), np.int64(v // common)
        if float(a) * largest[i] + float(b) * largest[j] < LIMIT / 2:
            _narrow(a, rays[i], b, rays[j], new[p])
        elif not _wide(a, rays[i], b, rays[j], new[p], words):
            return new, False
    return new, True
