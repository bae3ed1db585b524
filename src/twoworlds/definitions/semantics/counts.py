r"""Noise on a sum over people who are alike, by counts: ten thousand cost what ten do.

Under a mixture of independent, equally distributed records, b(x) = sum_c w_c prod_j p_c(x_j), a
database matters through counts alone and is never written out. A person's value v and the sum s of
the others decide both likelihoods, with the person f(t - phi(v) - s), without f(t - phi(d) - s).
The law of s is a power of a polynomial, in whole numbers.

Numbers are exact rationals while they are short, and enclosures of any precision beyond. Many
outputs are sorted into breaches and others by floats that err by far less than 1e-9; those nearer
to epsilon than that are decided by enclosures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from math import lcm
from typing import Any, NamedTuple

from flint import arb, fmpz, fmpz_poly

from twoworlds.errors import TooLarge, Unsupported
from twoworlds.laws.event import AtLeast
from twoworlds.laws.noise import DiscreteGaussianNoise, GeometricNoise
from twoworlds.mechanisms import AddedNoise, Gaussian, Laplace, OnStatistic
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

Reader = Callable[[Number], Any]  # a number as itself, or as a ball
_MOST_CASES = 1 << 18
_MARGIN = 1e-9
_TAIL_BITS = 128  # what is rarer than 2^-128 is left undecided
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


class Case(NamedTuple):
    """A person's value and a sum of the others: the answer with and without, and the mass."""

    value: Point
    answer: Any
    removed: Any
    mass: fmpz  # times a common denominator


class Failure(NamedTuple):
    """How often an output is a breach, and the output that moves furthest as far as floats see."""

    mass: Number
    furthest: Any


class Run(NamedTuple):
    """Outputs one after the other that are all breaches, or all not; None is no end."""

    order: Order
    first: int | None
    after: int | None


class OnSum:
    """A belief about people who are alike, and noise on the sum of their records."""

    def __init__(self, mechanism: OnStatistic, belief: Belief, default: Point) -> None:
        self.mechanism, self.belief, self.default = mechanism, belief, default
        self.records, self.laws = records_of(belief.universe), belief.common_laws or ()
        self.channel: Any = mechanism.channel
        self._quotients: dict[object, tuple[int, int]] = {}

    @cached_property
    def cases(self) -> list[Case]:
        """All that can be told apart; the law of the others' sum is a power of a polynomial."""
        statistic, records = self.mechanism.statistic, self.records
        n, values, common = records.n, records.values, self.belief.denominator
        unit: dict[Point, Any] = {v: statistic((v,)) for v in (*values, self.default)}
        step = lcm(*(Fraction(u).denominator for u in unit.values()))
        place = {v: int(unit[v] * step) for v in values}
        least, width = min(place.values()), max(place.values()) - min(place.values())
        if width * n * len(values) > _MOST_CASES:
            raise TooLarge(f"the sum of {n} records takes too many values: use fewer people")
        whole = [
            (int(w * common), {v: int(p * common) for v, p in law.items()}) for w, law in self.laws
        ]
        sums = []
        for _, law in whole:
            coefficients = [0] * (width + 1)
            for v, p in law.items():
                coefficients[place[v] - least] += p
            sums.append((fmpz_poly(coefficients) ** (n - 1)).coeffs())
        found = []
        for v, j in product(values, range(width * (n - 1) + 1)):
            parts = (
                w * law[v] * s[j] for (w, law), s in zip(whole, sums, strict=True) if j < len(s)
            )
            mass = sum(parts, start=fmpz(0))
            if mass != 0:
                rest: Any = j + (n - 1) * least
                rest = rest if step == 1 else Fraction(rest, step)
                answer, removed = (self._finished(unit[u] + rest) for u in (v, self.default))
                found.append(Case(v, answer, removed, mass))
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

    @cached_property
    def answers(self) -> list[Any]:
        """The answers that are possible with and without a person."""
        return sorted({a for case in self.cases for a in (case.answer, case.removed)})

    @cached_property
    def denominator(self) -> fmpz:
        """What the masses of cases are divided by."""
        return fmpz(self.belief.denominator) ** (self.records.n + 1)

    def _finished(self, total: Any) -> int | Fraction:
        modulo = self.mechanism.statistic.modulo  # type: ignore[attr-defined]
        reduced = total if modulo is None else total % modulo
        return int(reduced) if reduced.denominator == 1 else reduced

    def conclude(self, output: Point) -> list[Conclusion]:
        """Return what is concluded about any one person, None of which differs from another."""
        exact = self.belief.short and isinstance(
            self.channel.probability(output, self.cases[0].answer), Fraction
        )
        found = lifted(lambda read: self._conclusion(output, read), exact=exact)
        return [] if found is None else [found]

    def _conclusion(self, output: Point, read: Reader) -> Conclusion | None:
        exact = isinstance(read(Fraction(1)), Fraction)
        likely = {a: self._likelihood(output, a, read, exact=exact) for a in self.answers}
        divide: Any = int(self.denominator) if exact else arb(self.denominator)
        masses = [
            (Fraction(int(c.mass), divide) if exact else arb(c.mass) / divide) for c in self.cases
        ]
        first = [m * likely[c.answer] for m, c in zip(masses, self.cases, strict=True)]
        second = [m * likely[c.removed] for m, c in zip(masses, self.cases, strict=True)]
        p, q = sum(first, start=read(Fraction(0))), sum(second, start=read(Fraction(0)))
        if p == 0:
            return None
        zero = read(Fraction(0))
        laws = [dict.fromkeys(self.records.values, zero) for _ in range(2)]
        gap, moved = zero, zero
        for case, m, a, b in zip(self.cases, masses, first, second, strict=True):
            laws[0][case.value] += a / p
            moved += above_zero(a / p - m)
            if q != 0:
                laws[1][case.value] += b / q
                gap += above_zero(a / p - b / q)
        n = self.records.n
        if q == 0:
            return Conclusion(None, n, laws[0], None, read(Fraction(1)), moved)
        return Conclusion(None, n, laws[0], laws[1], gap, moved)

    def _likelihood(self, output: Any, answer: Any, read: Reader, *, exact: bool) -> Any:
        """Return P(output | answer), up to a factor that all answers share."""
        if exact or self.decay is None:
            return read(self.channel.probability(output, answer))
        exponent, rate = self.decay
        away = read(abs(number(output, "output") - answer) ** exponent)
        return (-read(rate) * away).exp()

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
        for k, (t, order) in enumerate(zip(outputs, orders, strict=True)):
            after = None if ends and k == len(outputs) - 1 else t + 1
            if runs and runs[-1].order is order:
                runs[-1] = runs[-1]._replace(after=after)
            else:
                runs.append(Run(order, None if ends and k == 0 else t, after))
        bad = [run for run in runs if run.order in (Order.GREATER, Order.UNDECIDED)]
        if ends and len(runs) == 1 and runs[0].order is not Order.UNDECIDED:
            return Fraction(len(bad))
        sure = ends and all(run.order is Order.GREATER for run in bad)
        if self.belief.short and self._rational and sure:
            parts: Any = (int(m) * self._share(run, a) for a, m in self._law.items() for run in bad)
            return Fraction(sum(parts, start=Fraction(0)) / int(self.denominator))
        return at_most_one(Real(lambda bits: self._mass(bad, bits, doubt=not ends)))

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
        import numpy as np

        answers = self.answers
        index = {a: k for k, a in enumerate(answers)}
        first = np.array([index[case.answer] for case in self.cases])
        second = np.array([index[case.removed] for case in self.cases])
        masses = np.array([float(arb(case.mass).log()) for case in self.cases])
        masses -= float(arb(self.denominator).log())
        rare = -_TAIL_BITS * np.log(2) - np.log(len(masses))
        line, limit, most = np.array([float(a) for a in answers]), float(epsilon), _MOST_ENCLOSED
        for t in outputs:
            likely = self._logarithms(t, answers, line)
            games = [masses + likely[k] for k in (first, second)]
            tops = [float(game.max()) for game in games]
            if not np.isfinite(tops).all():
                yield (1.0, Order.GREATER) if np.isfinite(tops[0]) else (0.0, Order.LESS)
                continue
            if not self.belief.short and tops[0] < rare:  # too rare to matter
                yield 0.0, Order.UNDECIDED
                continue
            p, q = (np.exp(game - top) for game, top in zip(games, tops, strict=True))
            gap = float(np.maximum(p / p.sum() - q / q.sum(), 0).sum())
            if abs(gap - limit) > _MARGIN:
                yield gap, Order.GREATER if gap > limit else Order.LESS
            elif self.belief.short and self._rational and isinstance(epsilon, Fraction):
                yield gap, self._order(t, epsilon)
            elif self.belief.short or most > 0:
                most -= 1
                (found,) = self.conclude(t)
                yield gap, compare(found.difference, epsilon, limit=256)
            else:
                yield gap, Order.UNDECIDED

    @cached_property
    def _rational(self) -> bool:
        answer = self.answers[0]
        return isinstance(self.channel.probability(answer, answer), Fraction)

    def _order(self, output: int, epsilon: Fraction) -> Order:
        """Compare the difference after an output with epsilon, in whole numbers."""
        likely = [self._whole_likelihood(output, a) for a in self.answers]
        scale = lcm(*(bottom for _, bottom in likely))
        whole = {
            a: fmpz(top * (scale // bottom))
            for a, (top, bottom) in zip(self.answers, likely, strict=True)
        }
        games = [(c.mass * whole[c.answer], c.mass * whole[c.removed]) for c in self.cases]
        p, q = (sum(game, start=fmpz(0)) for game in zip(*games, strict=True))
        gap = sum((max(a * q - b * p, fmpz(0)) for a, b in games), start=fmpz(0))
        return compare(
            Fraction(int(gap) * epsilon.denominator), Fraction(epsilon.numerator * int(p * q))
        )

    def _whole_likelihood(self, output: int, answer: int) -> tuple[int, int]:
        """Return P(output | answer) as a quotient, each difference once where that decides."""
        key = output - answer if getattr(self.channel, "by_difference", False) else (output, answer)
        if key not in self._quotients:
            p = self.channel.probability(output, answer)
            self._quotients[key] = p.numerator, p.denominator
        return self._quotients[key]

    def _logarithms(self, output: int, answers: list[Any], line: Any) -> Any:
        """Return ln P(output | answer) for all answers as floats, up to a shared number."""
        import numpy as np

        if self.decay is not None:
            exponent, rate = self.decay
            return -float(rate) * np.abs(output - line) ** exponent
        likely = (ball(self.channel.probability(output, a), 64) for a in answers)
        return np.array([float(x.log()) if x > 0 else -np.inf for x in likely])

    def _mass(self, runs: list[Run], bits: int, *, doubt: bool) -> arb:
        """Enclose the probability of runs of outputs; answers that are too rare become doubt."""
        with working_precision(bits + 64):
            total, unknown = arb(0), arb(2) ** (1 - _TAIL_BITS) if doubt else arb(0)
            for answer, whole in self._law.items():
                mass = arb(whole) / arb(self.denominator)
                if mass < arb(2) ** -(bits + 64):
                    unknown += mass
                    continue
                for run in runs:
                    ends = ((run.first, 1), (run.after, 0))
                    over, under = (self._beyond(end, answer, no, bits + 64) for end, no in ends)
                    share = mass * (over - under)
                    if run.order is Order.GREATER:
                        total += share
                    else:
                        unknown += share
            half = unknown.nonnegative_part() / 2
            return total + half + arb(0, half.abs_upper())

    @cached_property
    def _law(self) -> dict[Any, fmpz]:
        """The law of the answer, times the common denominator."""
        law: dict[Any, fmpz] = {}
        for case in self.cases:
            law[case.answer] = law.get(case.answer, fmpz(0)) + case.mass
        return law

    def _share(self, run: Run, answer: int) -> Number:
        """Return the probability of a run of outputs if this is the answer."""
        over, under = (
            Fraction(nowhere) if end is None else self.channel.mass(AtLeast(end), answer)
            for end, nowhere in ((run.first, 1), (run.after, 0))
        )
        return over - under

    def _beyond(self, end: int | None, answer: int, nowhere: int, bits: int) -> arb:
        """Enclose the probability of an output of at least ``end``."""
        if end is None:
            return arb(nowhere)
        if isinstance(self.channel, AddedNoise) and isinstance(self.channel.noise, GeometricNoise):
            p, k = ball(self.channel.noise.p, bits), end - answer
            return p**k / (1 + p) if k > 0 else 1 - p ** (1 - k) / (1 + p)
        return ball(self.channel.mass(AtLeast(end), answer), bits)


def above_zero(gap: Any) -> Any:
    """Return a difference if it is positive, else 0."""
    return gap.nonnegative_part() if isinstance(gap, arb) else max(gap, Fraction(0))


def lifted(compute: Callable[[Reader], Conclusion | None], *, exact: bool) -> Conclusion | None:
    """Return a conclusion in numbers: rationals, or enclosures of any precision."""
    if exact:
        return compute(lambda value: value)

    @lru_cache(maxsize=4)
    def known(bits: int) -> Conclusion | None:
        with working_precision(bits + 64):
            return compute(lambda value: ball(value, bits + 64))

    shape: Any = known(64)
    if shape is None:
        return None

    def entry(name: str, key: Point | None = None) -> Number:
        def enclosed(bits: int) -> arb:
            found: Any = getattr(known(max(bits, 64)), name)
            return arb(found if key is None else found[key])

        return at_most_one(Real(enclosed))

    laws: list[Any] = [
        None if (law := getattr(shape, name)) is None else {v: entry(name, v) for v in law}
        for name in ("real", "removed")
    ]
    gap = Fraction(1) if shape.removed is None else entry("difference")
    moved = None if shape.moved is None else entry("moved")
    return Conclusion(shape.who, shape.people, laws[0], laws[1], gap, moved)
