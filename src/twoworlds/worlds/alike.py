r"""Beliefs under which people are alike: mixtures of independent, equally distributed records.

    b(x) = sum_c w_c prod_j p_c(x_j)

such as ``uniform``, ``independent(1/3)``, ``hidden(9/10=1/2, 1/10=1/2)`` and mixtures of them. They
are exchangeable: only counts of values matter. Read from text, a belief about 10,000 people is
never written out.
"""

from __future__ import annotations

from collections.abc import Collection, ItemsView, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm, prod

from flint import arb

from twoworlds.calls import parse
from twoworlds.errors import TooLarge
from twoworlds.numbers import Number, Real, at_most_one, ball, number
from twoworlds.worlds.belief import LARGEST_SUPPORT, Belief
from twoworlds.worlds.beliefs import BELIEFS
from twoworlds.worlds.beliefs import belief as build_belief
from twoworlds.worlds.records import Records
from twoworlds.worlds.universe import Point, Universe

Law = Mapping[Point, Fraction]
_LISTED = 1 << 10  # databases that are still written out
_SHORT = 2048  # bits of a rational that is kept exactly


class AlikeBelief(Belief):
    """A mixture of beliefs under which records are independent and of one law.

    >>> from twoworlds.worlds import BitStrings
    >>> often, seldom = ({1: Fraction(k, 10), 0: Fraction(10 - k, 10)} for k in (9, 1))
    >>> AlikeBelief(BitStrings(2), [(Fraction(1, 2), often), (Fraction(1, 2), seldom)])["11"]
    Fraction(41, 100)
    """

    def __init__(self, universe: Records, parts: Sequence[tuple[Fraction, Law]]) -> None:
        self.universe: Records = universe
        self.parts = tuple(
            (w, {v: law.get(v, Fraction(0)) for v in universe.values}) for w, law in parts
        )

    def __getitem__(self, database: object) -> Number:
        x = self.universe.find(database)
        return sum((w * prod(law[v] for v in x) for w, law in self.parts), start=Fraction(0))

    def __iter__(self) -> Iterator[Point]:
        values = [v for v in self.universe.values if any(law[v] for _, law in self.parts)]
        return product(values, repeat=self.universe.n)

    def __len__(self) -> int:
        return len(self._masses)

    def __bool__(self) -> bool:
        return True

    @cached_property
    def _masses(self) -> dict[Point, Number]:  # type: ignore[override]
        """Write the belief out, where that is possible at all."""
        if self.universe.size > LARGEST_SUPPORT:
            raise TooLarge(
                f"the belief holds more than {LARGEST_SUPPORT} databases possible: ask about "
                "single records, or know more of them for certain"
            )
        return {x: mass for x in self if (mass := self[x]) != 0}

    def items(self) -> ItemsView[Point, Number]:
        """Return the databases held possible with their probabilities."""
        return self._masses.items()

    def marginal(self, person: int) -> dict[Point, Number]:
        """Return the law of one person's record, the same for all."""
        return {
            v: sum((w * law[v] for w, law in self.parts), start=Fraction(0))
            for v in self.universe.values
        }

    def meets(self, values: Collection[Point]) -> Number:
        """Return the probability that somebody's record is one of these."""
        others = [(w, 1 - sum(law[v] for v in values)) for w, law in self.parts]
        if self.short or not values or all(rest == 0 for _, rest in others):
            return 1 - sum((w * rest**self.universe.n for w, rest in others), start=Fraction(0))
        n = self.universe.n
        none = Real(
            lambda bits: sum((ball(w, bits) * ball(r, bits) ** n for w, r in others), arb(0))
        )
        return at_most_one(1 - none)

    @property
    def common(self) -> int:
        """A common denominator of all weights and probabilities."""
        return lcm(*(x.denominator for w, law in self.parts for x in (w, *law.values())))

    @property
    def short(self) -> bool:
        """Whether the probabilities of databases are short enough to be kept as rationals."""
        return self.common.bit_length() * (self.universe.n + 1) <= _SHORT


def alike(given: str | Belief, universe: Universe, listed: int = _LISTED) -> AlikeBelief | None:
    """Read a belief about many people who are alike; None if it is another, or about few.

    >>> from twoworlds.worlds import BitStrings
    >>> len(alike("mixture(uniform, hidden(9/10=1/2, 1/10=1/2))", BitStrings(10_000)).parts)
    3
    """
    if isinstance(given, AlikeBelief):
        return given
    if not isinstance(given, str) or not isinstance(universe, Records) or not universe.fixed:
        return None
    if universe.n < 2 or universe.size <= listed:
        return None
    parts = _parts(given, universe)
    if parts is None or any(
        not isinstance(x, Fraction) for w, law in parts for x in (w, *law.values())
    ):
        return None
    build_belief(given, Records(universe.values, 1))  # which says what is wrong with it
    return AlikeBelief(universe, parts)  # type: ignore[arg-type]


def _parts(text: str, records: Records) -> list[tuple[Number, Mapping[Point, Number]]] | None:
    """Return the weights and laws of a mixture of independent, equally distributed records."""
    call, one = parse(text), Records(records.values, 1)
    if call.name == "mixture" and call.positional:
        shares = call.named.get("weights") or [Fraction(1, len(call.positional))] * len(
            call.positional
        )
        inner = [_parts(str(part), records) for part in call.positional]
        if (
            isinstance(shares, str)
            or len(shares) != len(inner)
            or any(part is None for part in inner)
        ):
            return None
        weighed = zip((number(s, "weight") for s in shares), inner, strict=True)
        return [(share * w, law) for share, part in weighed for w, law in part or ()]
    if call.name == "hidden" and call.positional and not call.named:
        pairs = [str(p).partition("=") for p in call.positional]
        laws = [BELIEFS.build(f"independent({p.strip()})")(one).marginal(1) for p, _, _ in pairs]
        return list(zip((number(w.strip(), "weight") for _, _, w in pairs), laws, strict=True))
    if call.name == "uniform" or (call.name == "independent" and len(call.positional) == 1):
        return [(Fraction(1), BELIEFS.build(text)(one).marginal(1))]
    return None
