r"""Beliefs about people who are alike, by counts: ten thousand cost what ten do.

Under a mixture of independent, equally distributed records, b(x) = sum_c w_c prod_j p_c(x_j), a
database matters through counts alone and is never written out.

* **Noise on a sum** (`OnSum`). A person's value v and the sum s of the others decide both
  likelihoods, with the person f(t - phi(v) - s), without f(t - phi(d) - s). The law of s is a power
  of a polynomial. Many outputs are sorted into breaches and others by floats that err by far less
  than 1e-9; those nearer to epsilon than that are decided exactly, or by enclosures.
* **Every record on its own** (`OnEach`). A(x) and A(x_-i) differ in the factor of t_i alone, and
  so b_0 and b_i differ as the laws of x_i under them do:

      b_i(v | t) = sum_c W_c p_c(v),  W_c ~ w_c prod_(j != i) P_c(t_j),
      b_0(v | t) ~ T(t_i | v) b_i(v | t).

Numbers are exact rationals while they are short, and enclosures of any precision beyond.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate, groupby, repeat
from math import ceil, comb, lcm, log2, prod
from operator import mul
from typing import Any, NamedTuple

from flint import arb, arb_poly, fmpq, fmpz_poly

from twoworlds.errors import TooLarge, Unsupported
from twoworlds.laws.event import AtLeast
from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise
from twoworlds.mechanisms import AddedNoise, Gaussian, Laplace, OnStatistic, PerRecord
from twoworlds.mechanisms.on_statistic import FiniteNoise
from twoworlds.numbers import (
    Number,
    Order,
    Real,
    at_most_one,
    ball,
    compare,
    ln,
    number,
    working_precision,
)
from twoworlds.worlds import Point
from twoworlds.worlds.belief import Belief, records_of

Reader = Callable[[Number], Any]  # a number as a rational, or as a ball
_MOST_CASES = 1 << 18
_MOST_COUNTS = 1 << 15
_MARGIN = 1e-9
_TAIL_BITS = 128  # outputs that are rarer than 2^-128 are left undecided
_LEAST_BITS = 192  # and what is rarer than 2^-192 is left out of them
_MOST_ENCLOSED = 4  # outputs of many people that are too near to epsilon for floats


class Conclusion(NamedTuple):
    """What is concluded about the record of one person, in Game 0 and without them.

    Attributes:
        who: how the person's output reads, None where all persons are alike.
        people: how many persons it holds of.
        real, removed: the law of the record after the output; removed is None where undefined.
        difference: SD(b_0, b_i), 1 where a posterior is undefined.
        moved: SD(prior, b_0); None where it is not computed.
    """

    who: Point | None
    people: int
    real: dict[Point, Any]
    removed: dict[Point, Any] | None
    difference: Any
    moved: Any


class Failure(NamedTuple):
    """How often an output is a breach, and the output that moves furthest as far as floats see."""

    mass: Number
    furthest: Any


# Outputs that are all breaches, or all not: from one of them to before another; None is no end.
Run = tuple[Order, int | None, int | None]


def _rational(value: Number) -> fmpq:
    assert isinstance(value, Fraction)
    return fmpq(value.numerator, value.denominator)


def _plain(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def _above_zero(gap: Any) -> Any:
    """Return a difference if it is positive, else 0."""
    return gap.nonnegative_part() if isinstance(gap, arb) else max(gap, fmpq(0))


def _steps(bits: int) -> int:
    """Return 64, 256, 1024, ...: a precision of at least so many bits."""
    return max(64, 1 << 2 * ceil(log2(max(bits, 1)) / 2))


def _with_doubt(total: Any, unknown: Any) -> Any:
    """Return a sum of which a part may count or not."""
    if isinstance(total, fmpq):
        return total
    half = unknown.nonnegative_part() / 2
    return total + half + arb(0, half.abs_upper())


def _lifted(compute: Callable[[Reader], Conclusion | None], *, exact: bool) -> Conclusion | None:
    """Return a conclusion in numbers: rationals, or enclosures of any precision."""

    @lru_cache(maxsize=4)
    def known(bits: int) -> Conclusion | None:
        if exact:
            return compute(_rational)
        with working_precision(bits + 64):
            return compute(_to_balls(bits + 64))

    shape: Any = known(64)
    if shape is None:
        return None

    def entry(name: str, key: Point | None = None) -> Number:
        def found(bits: int) -> Any:
            listed: Any = getattr(known(_steps(bits)), name)
            return listed if key is None else listed[key]

        return _plain(found(64)) if exact else at_most_one(Real(lambda bits: arb(found(bits))))

    laws: list[Any] = [
        None if (law := getattr(shape, name)) is None else {v: entry(name, v) for v in law}
        for name in ("real", "removed")
    ]
    gap = Fraction(1) if shape.removed is None else entry("difference")
    moved = None if shape.moved is None else entry("moved")
    return Conclusion(shape.who, shape.people, laws[0], laws[1], gap, moved)


class OnSum:
    """A belief about people who are alike, and noise on the sum of their records."""

    def __init__(self, mechanism: OnStatistic, belief: Belief, default: Point) -> None:
        self.mechanism, self.default = mechanism, default
        self.records, self.laws = records_of(belief.universe), belief.common_laws or ()
        self.channel: Any = mechanism.channel
        values = self.records.values
        self._unit: dict[Point, Any] = {v: mechanism.statistic((v,)) for v in (*values, default)}
        self._step = lcm(*(Fraction(u).denominator for u in self._unit.values()))
        self._place = {v: int(self._unit[v] * self._step) for v in values}
        self._least = min(self._place.values())
        width = max(self._place.values()) - self._least
        self._sums = width * (self.records.n - 1) + 1
        if width * self.records.n * len(values) > _MOST_CASES:
            raise TooLarge(
                f"the sum of {self.records.n} records takes too many values: use at most "
                f"{_MOST_CASES // (width * len(values))} people"
            )
        self.short = belief.short

    @cached_property
    def answers_by_sum(self) -> dict[Point, list[Any]]:
        """For a person's value, or the default: the answer for each sum of the others."""
        first, step = self._least * (self.records.n - 1), self._step
        modulo = self.mechanism.statistic.modulo  # type: ignore[attr-defined]

        def answer(total: Any) -> int | Fraction:
            reduced = total if modulo is None else total % modulo
            return int(reduced) if reduced.denominator == 1 else reduced

        rests = [first + j if step == 1 else Fraction(first + j, step) for j in range(self._sums)]
        return {v: [answer(unit + rest) for rest in rests] for v, unit in self._unit.items()}

    @cached_property
    def answers(self) -> list[Any]:
        """The answers that are possible with and without a person."""
        return sorted({a for listed in self.answers_by_sum.values() for a in listed})

    def masses(self, read: Reader) -> dict[Point, list[Any]]:
        """Return the probability of a person's value together with each sum of the others."""
        others, found = (
            self.records.n - 1,
            {v: [read(Fraction(0))] * self._sums for v in self._place},
        )
        for weight, law in self.laws:
            coefficients = [Fraction(0)] * (self._sums // max(others, 1) + 1)
            for v, p in law.items():
                coefficients[self._place[v] - self._least] += p
            sums = _power(coefficients, others, read)
            sums += [read(Fraction(0))] * (self._sums - len(sums))
            for v, p in law.items():
                if p * weight != 0:
                    share = read(p * weight)
                    found[v] = [a + share * b for a, b in zip(found[v], sums, strict=True)]
        return found

    @cached_property
    def decay(self) -> tuple[int, Number] | None:
        """(e, r) where P(t | answer) ~ exp(-r |t - answer|^e), up to a factor of t alone.

        For geometric noise that is clamped to a range which all answers lie in, the tail that is
        heaped up on an end is p^|end - answer| / (1 + p), which is of this form, too.
        """
        noise = getattr(self.channel, "noise", None)
        if isinstance(noise, Laplace):
            return 1, noise.rate
        if isinstance(noise, Gaussian):
            return 2, 1 / (2 * noise.sigma**2)
        if isinstance(noise, DiscreteGaussianNoise) and self.channel.by_difference:
            return 2, 1 / (2 * noise.sigma2)
        if not isinstance(noise, GeometricNoise):
            return None
        low, high = self.channel.low, self.channel.high
        inside = (low is None or low <= self.answers[0]) and (
            high is None or self.answers[-1] <= high
        )
        return (1, -ln(noise.p)) if inside else None

    def likelihoods(self, output: Any, read: Reader, *, exact: bool) -> dict[Any, Any]:
        """Return P(output | answer) for all answers, up to a factor that they share."""
        if exact or self.decay is None:
            return {a: read(self.channel.probability(output, a)) for a in self.answers}
        (power, rate), t = self.decay, number(output, "output")
        if not isinstance(t, Fraction) or t.denominator != 1 or self._step != 1:
            return {a: (-read(rate) * read(abs(t - a) ** power)).exp() for a in self.answers}
        apart = {a: abs(int(t) - a) for a in self.answers}
        # exp(-r d^e) grows by a factor of exp(-r) for e = 1, of exp(-r (2 d + 1)) for e = 2.
        nearest, slope = min(apart.values()), read(rate)
        factor = (-slope * (1 if power == 1 else 2 * nearest + 1)).exp()
        more = arb(1) if power == 1 else (-2 * slope).exp()
        table = [arb(1)]
        for _ in range(max(apart.values()) - nearest):
            table.append(table[-1] * factor)
            factor *= more
        return {a: table[d - nearest] for a, d in apart.items()}

    def conclude(self, output: Point) -> list[Conclusion]:
        """Return what is concluded about any one person, None of which differs from another."""
        exact = self._exact(output)
        found = _lifted(lambda read: self._conclusion(output, read, exact=exact), exact=exact)
        return [] if found is None else [found]

    def _exact(self, output: Any) -> bool:
        """Tell whether likelihoods and masses are rational and short."""
        ends = (self.answers[0], self.answers[-1])
        return self.short and all(
            isinstance(self.channel.probability(output, a), Fraction) for a in ends
        )

    def _conclusion(self, output: Point, read: Reader, *, exact: bool) -> Conclusion | None:
        likely = self.likelihoods(output, read, exact=exact)
        masses, answers, zero = self.masses(read), self.answers_by_sum, read(Fraction(0))
        removed = answers[self.default]
        p = q = zero
        for v, listed in masses.items():
            for m, a, b in zip(listed, answers[v], removed, strict=True):
                p += m * likely[a]
                q += m * likely[b]
        if p == 0:
            return None
        used = {a: one / p for a, one in likely.items()}
        unused = used if q == 0 else {a: one / q for a, one in likely.items()}
        laws: tuple[dict[Point, Any], ...] = ({}, {})
        gap, moved = zero, zero
        for v, listed in masses.items():
            first, second = zero, zero
            for m, a, b in zip(listed, answers[v], removed, strict=True):
                x, y = used[a], unused[b]
                first += m * x
                second += m * y
                gap += m * _above_zero(x - y)
                moved += m * _above_zero(x - 1)
            laws[0][v], laws[1][v] = first, second
        if q == 0:
            return Conclusion(None, self.records.n, laws[0], None, read(Fraction(1)), moved)
        return Conclusion(None, self.records.n, laws[0], laws[1], gap, moved)

    # --- how often a breach occurs ---------------------------------------------------------------

    def failure(self, epsilon: Number) -> Failure:
        """Return the probability of an output after which the two games differ by more."""
        outputs, ends = self._outputs()
        compared = [*self._orders(outputs, epsilon)]
        gaps = [gap for gap, _ in compared]
        mass = self._of_runs(outputs, [order for _, order in compared], ends=ends)
        return Failure(mass, outputs[gaps.index(max(gaps))])

    def _of_runs(self, outputs: range, orders: list[Order], *, ends: bool) -> Number:
        """Add up the outputs that are breaches; what is undecided is doubt."""
        runs: list[Run] = []
        for order, group in groupby(zip(outputs, orders, strict=True), key=lambda one: one[1]):
            listed = [t for t, _ in group]
            first = None if ends and listed[0] == outputs[0] else listed[0]
            after = None if ends and listed[-1] == outputs[-1] else listed[-1] + 1
            runs.append((order, first, after))
        bad = [run for run in runs if run[0] in (Order.GREATER, Order.UNDECIDED)]
        doubtful = any(order is Order.UNDECIDED for order, _, _ in bad)
        if ends and len(runs) == 1 and not doubtful:
            return Fraction(len(bad))
        if self._exact(outputs[0]) and ends and not doubtful:
            law = self._law(_rational)
            return sum(
                (_plain(m) * self._share(run, a) for a, m in law.items() for run in bad),
                start=Fraction(0),
            )
        # More digits do not lessen the doubt.
        most = 2 * _TAIL_BITS if doubtful or not ends else 1 << 16

        @lru_cache(maxsize=4)
        def mass(bits: int) -> arb:
            return self._mass(bad, bits + 64, doubt=not ends)

        return at_most_one(Real(lambda bits: mass(min(_steps(bits), most))))

    def _outputs(self) -> tuple[range, bool]:
        """Return outputs to look at; whether the first and last stand for all beyond them."""
        low, high = self.answers[0], self.answers[-1]
        if isinstance(self.channel, FiniteNoise):
            first = low + self.channel.start
            return range(first, first + high - low + len(self.channel.masses)), True
        if not isinstance(self.channel, AddedNoise):
            raise Unsupported(
                f"{self.mechanism.expression}: the breaches of many people are found for integer "
                "noise on a count or sum: use geometric or discrete-gaussian noise"
            )
        if self.channel.low is not None and self.channel.high is not None:
            return range(self.channel.low, self.channel.high + 1), True
        if isinstance(self.channel.noise, GeometricNoise):
            return range(low, max(high, low + 1) + 1), True  # the ratios are constant outside
        width = 1
        while (
            compare(self.channel.noise.at_least(width), Fraction(1, 1 << _TAIL_BITS))
            is not Order.LESS
        ):
            width *= 2
        return range(low - width, high + width + 1), False

    def _orders(self, outputs: range, epsilon: Number) -> Iterator[tuple[float, Order]]:
        """Compare the difference of the two games with epsilon after every output."""
        limit, most = float(epsilon), _MOST_ENCLOSED
        for t, gap in zip(outputs, self._gaps(outputs), strict=True):
            if gap is None:
                yield 0.0, Order.UNDECIDED
            elif abs(gap - limit) > _MARGIN:
                yield gap, Order.GREATER if gap > limit else Order.LESS
            elif self.short or most > 0:
                most -= 1
                (found,) = self.conclude(t)
                yield gap, compare(found.difference, epsilon, limit=256)
            else:
                yield gap, Order.UNDECIDED

    def _gaps(self, outputs: range) -> Iterator[float | None]:
        """Yield SD(b_0, b_i) after every output in floats; None for outputs that are too rare.

        Of many people, what is rarer than 2^-192 is left out where both games give the output more
        than 2^-128: it moves no posterior by more than 2^-63.
        """
        import numpy as np

        index = {a: k for k, a in enumerate(self.answers)}
        without = self.answers_by_sum[self.default]
        with working_precision(64):
            cases = [
                (float(m.log()), index[a], index[b])
                for v, listed in self.masses(_to_balls(64)).items()
                for m, a, b in zip(listed, self.answers_by_sum[v], without, strict=True)
                if m > 0
            ]
        every = [np.array(column) for column in zip(*cases, strict=True)]
        least, rare = (-b * np.log(2) - np.log(len(cases)) for b in (_LEAST_BITS, _TAIL_BITS))
        kept = every if self.short else [column[every[0] > least] for column in every]
        line = np.array([float(a) for a in self.answers])
        likely_at = self._near(line[np.unique(kept[1])], rare)

        def games(t: int, cases: list[Any]) -> tuple[list[Any], list[float]]:
            likely = self._logarithms(t, line)
            found = [cases[0] + likely[places] for places in cases[1:]]
            return found, [float(game.max()) for game in found]

        for t in outputs:
            if not likely_at(t):
                yield None
                continue
            both, tops = games(t, kept)
            if not self.short and tops[0] < rare:
                yield None
                continue
            if not self.short and tops[1] < rare:
                both, tops = games(t, every)
            if not np.isfinite(tops).all():
                yield 1.0 if np.isfinite(tops[0]) else 0.0
                continue
            p, q = (np.exp(game - top) for game, top in zip(both, tops, strict=True))
            yield float(np.maximum(p / p.sum() - q / q.sum(), 0).sum())

    def _near(self, answers: Any, rare: float) -> Callable[[int], bool]:
        """Return whether an output is near enough to one of these answers to matter."""
        import numpy as np

        if self.short or self.decay is None:
            return lambda _: True
        (power, rate), places = self.decay, np.array([-np.inf, *answers, np.inf])

        def near(t: int) -> bool:
            k = int(np.searchsorted(places, t))
            return bool(-float(rate) * min(places[k] - t, t - places[k - 1]) ** power >= rare)

        return near

    def _logarithms(self, output: int, line: Any) -> Any:
        """Return ln P(output | answer) for all answers as floats, up to a shared number."""
        import numpy as np

        if self.decay is not None:
            exponent, rate = self.decay
            return -float(rate) * np.abs(output - line) ** exponent
        likely = (ball(self.channel.probability(output, a), 64) for a in self.answers)
        return np.array([float(x.log()) if x > 0 else -np.inf for x in likely])

    def _law(self, read: Reader) -> dict[Any, Any]:
        """Return the law of the answer."""
        law: dict[Any, Any] = {}
        for v, listed in self.masses(read).items():
            for m, a in zip(listed, self.answers_by_sum[v], strict=True):
                law[a] = law[a] + m if a in law else m
        return law

    def _mass(self, runs: list[Run], bits: int, *, doubt: bool) -> arb:
        """Enclose the probability of runs of outputs; answers that are too rare become doubt."""
        with working_precision(bits):
            beyond = self._beyond(bits)
            total, unknown = arb(0), arb(2) ** (1 - _TAIL_BITS) if doubt else arb(0)
            for answer, mass in self._law(_to_balls(bits)).items():
                if mass < arb(2) ** -bits:
                    unknown += mass
                    continue
                for order, first, after in runs:
                    over = arb(1) if first is None else beyond(first, answer)
                    share = mass * (over - (0 if after is None else beyond(after, answer)))
                    if order is Order.GREATER:
                        total += share
                    else:
                        unknown += share
            return arb(_with_doubt(total, unknown))

    def _share(self, run: Run, answer: int) -> Number:
        """Return the probability of a run of outputs if this is the answer."""
        over, under = (
            Fraction(nowhere) if end is None else self.channel.mass(AtLeast(end), answer)
            for end, nowhere in ((run[1], 1), (run[2], 0))
        )
        return over - under

    def _beyond(self, bits: int) -> Callable[[int, int], arb]:
        """Return the probability of an output of at least an end, for an answer."""
        channel = self.channel
        if isinstance(channel, AddedNoise) and isinstance(channel.noise, GeometricNoise):
            p = ball(channel.noise.p, bits)
            powers = [1 / (1 + p)]
            for _ in range(self.answers[-1] - self.answers[0] + 3):
                powers.append(powers[-1] * p)
            return lambda end, answer: (
                powers[end - answer] if end > answer else 1 - powers[1 + answer - end]
            )
        if not isinstance(channel, AddedNoise) or not channel.by_difference:
            return lambda end, answer: ball(channel.mass(AtLeast(end), answer), bits)
        width, least = 1, arb(2) ** -bits
        while not (tail := ball(channel.noise.at_least(width), bits)) < least:
            width *= 2
        tails = {width: tail}
        for k in range(width - 1, -width - 1, -1):
            tails[k] = tails[k + 1] + ball(self.channel.probability(k, 0), bits)

        def beyond(end: int, answer: int) -> arb:
            k = end - answer
            if k > width:
                return tail * arb(0.5, 0.5)
            return tails[k] if k >= -width else tails[-width] + (1 - tails[-width]) * arb(0.5, 0.5)

        return beyond


def _to_balls(bits: int) -> Reader:
    return lambda value: ball(value, bits)


def _power(coefficients: list[Fraction], times: int, read: Reader) -> list[Any]:
    """Return the coefficients of a power of a polynomial with coefficients of at least 0.

    No digits cancel, so that balls keep their relative precision.
    """
    one = read(Fraction(1))
    if isinstance(one, fmpq):
        scale = lcm(*(c.denominator for c in coefficients))
        whole = fmpz_poly([int(c * scale) for c in coefficients]) ** times
        return [fmpq(c, scale**times) for c in whole.coeffs()]
    if len(coefficients) != 2 or 0 in coefficients:
        return list((arb_poly([read(c) for c in coefficients]) ** times).coeffs())
    first, second = map(read, coefficients)
    odds, found = second / first, [first**times]
    for k in range(times):
        found.append(found[-1] * odds * (times - k) / (k + 1))
    return found


class OnEach:
    """A belief about people who are alike, every record treated on its own."""

    def __init__(self, mechanism: PerRecord, belief: Belief, default: Point) -> None:
        self.default, self.records = default, records_of(belief.universe)
        self.laws = belief.common_laws or ()
        self.outputs: list[Point] = list(mechanism.transition.outputs)
        self.likely = mechanism.transition.probability
        rational = all(
            isinstance(self.likely(o, v), Fraction)
            for o in self.outputs
            for v in self.records.values
        )
        self.exact = belief.short and rational
        self.alone = len(self.laws) == 1  # then the outputs of others say nothing about a person
        self.plain = rational and (self.alone or belief.short)

    def conclude(self, output: tuple[Point, ...]) -> list[Conclusion]:
        """Return what is concluded about a person, for each output that somebody has."""
        counts = {o: output.count(o) for o in self.outputs}
        most = 1 if self.alone else self.records.n
        seen = {o: min(k, most) for o, k in counts.items()}

        def about(o: Point) -> Callable[[Reader], Conclusion | None]:
            return lambda read: self._given(read, most)(seen)[1].get(o)

        found = (_lifted(about(o), exact=self.plain) for o in self.outputs if counts[o])
        return [one._replace(people=counts[one.who]) for one in found if one is not None]

    def _given(self, read: Reader, most: int) -> Callable[..., tuple[Any, dict[Point, Conclusion]]]:
        """Return the function from counts of outputs to their probability and conclusions."""
        zero, one = read(Fraction(0)), read(Fraction(1))
        values = self.records.values
        table = {(o, v): read(self.likely(o, v)) for o in self.outputs for v in values}
        laws = [(read(w), {v: read(p) for v, p in law.items()}) for w, law in self.laws]
        chances = [
            {o: sum((law[v] * table[o, v] for v in values), start=zero) for o in self.outputs}
            for _, law in laws
        ]
        powers = [
            {o: [*accumulate(repeat(c, most), mul, initial=one)] for o, c in chance.items()}
            for chance in chances
        ]

        def weigh(counts: Mapping[Point, int], missing: Point | None) -> list[Any]:
            """Return the weight of every part given the outputs of all persons, or all but one."""
            return [
                w * prod((power[o][k - (o == missing)] for o, k in counts.items()), start=one)
                for (w, _), power in zip(laws, powers, strict=True)
            ]

        def given(
            counts: Mapping[Point, int], least: Any = None
        ) -> tuple[Any, dict[Point, Conclusion]]:
            """Return no conclusions where that is impossible, or too rare."""
            chance = sum(weigh(counts, None), start=zero)
            found: dict[Point, Conclusion] = {}
            if chance == 0 or (least is not None and chance < least):
                return chance, found
            for o, people in counts.items():
                if people:
                    weights = weigh(counts, o)
                    total = sum(weights, start=zero)
                    removed = {
                        v: sum(
                            (w * law[v] for w, (_, law) in zip(weights, laws, strict=True)),
                            start=zero,
                        )
                        / total
                        for v in values
                    }
                    share = sum((removed[v] * table[o, v] for v in values), start=zero)
                    real = {v: removed[v] * table[o, v] / share for v in values}
                    gap = sum((_above_zero(real[v] - removed[v]) for v in values), start=zero)
                    if self.likely(o, self.default) == 0:
                        found[o] = Conclusion(o, people, real, None, one, None)
                    else:
                        found[o] = Conclusion(o, people, real, removed, gap, None)
            return chance, found

        return given

    def failure(self, epsilon: Number) -> Failure:
        """Return the probability of an output after which the two games differ by more."""
        n, kinds = self.records.n, len(self.outputs)
        if comb(n + kinds - 1, kinds - 1) > _MOST_COUNTS:
            raise TooLarge(
                f"{n} people can give their {kinds} outputs in too many counts: use fewer people"
            )
        if self.exact and isinstance(epsilon, Fraction):
            total, counts = self._added(_rational, epsilon)
            mass: Number = _plain(total)
        else:

            @lru_cache(maxsize=4)
            def enclosed(bits: int) -> tuple[arb, dict[Point, int]]:
                with working_precision(bits + 64):
                    return self._added(_to_balls(bits + 64), epsilon)

            counts = enclosed(64)[1]
            # More digits do not lessen the doubt about what is rare.
            mass = at_most_one(Real(lambda bits: enclosed(min(_steps(bits), 256))[0]))
        return Failure(mass, tuple(o for o, times in counts.items() for _ in range(times)))

    def _added(self, read: Reader, epsilon: Number) -> tuple[Any, dict[Point, int]]:
        """Add up the counts that are breaches, and find the furthest; the undecided is doubt."""
        given, limit = self._given(read, self.records.n), read(epsilon)
        total, unknown = read(Fraction(0)), read(Fraction(0))
        furthest, worst = {self.outputs[0]: self.records.n}, -1.0
        for counts, ways in _compositions(self.outputs, self.records.n):
            least = None if isinstance(total, fmpq) else arb(2) ** -_LEAST_BITS / int(ways)
            chance, found = given(counts, least)
            if not found:
                unknown += chance * int(ways)
                continue
            gaps = [one.difference for one in found.values()]
            if (most := max(map(float, gaps), default=-1.0)) > worst:
                furthest, worst = counts, most
            if any(gap > limit for gap in gaps):
                total += chance * int(ways)
            elif not all(gap <= limit for gap in gaps):
                unknown += chance * int(ways)
        return _with_doubt(total, unknown), furthest


def _compositions(outputs: Sequence[Point], n: int) -> Iterator[tuple[dict[Point, int], int]]:
    """Yield the counts of outputs that n people can have, and in how many orders each."""
    if len(outputs) == 1:
        yield {outputs[0]: n}, 1
        return
    ways = 1
    for k in range(n + 1):
        for rest, orders in _compositions(outputs[1:], n - k):
            yield {outputs[0]: k, **rest}, ways * orders
        ways = ways * (n - k) // (k + 1)
