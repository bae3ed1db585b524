"""How an exact total is spoken of: who knows what, what is compared, and how sure the number is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from twoworlds.noiseless.sums.laws import AnyLaw
from twoworlds.noiseless.words import assumed, counted, odds_words
from twoworlds.numbers import Number, bounds, decimal, show

__all__ = ["INDEPENDENT", "Words", "delta_words", "enclosed_words", "undecided_words"]

INDEPENDENT = (
    "the entries must be independent given what the attacker knows; "
    "entries that move together, or a law with less spread, end the guarantee"
)
_TIGHT = 1 + Fraction(1, 1 << 20)


@dataclass(frozen=True)
class Words:
    """How a total is spoken of.

    Attributes:
        groups: laws (anything with ``text``) and how many entries have each.
        known: how many entries are known.
        ways: the comparison for a person of each group, as in `_comparisons`.
    """

    groups: tuple[tuple[AnyLaw, int], ...]
    known: int
    ways: tuple[str, ...]

    @property
    def people(self) -> int:
        """How many entries there are."""
        return sum(count for _, count in self.groups)

    @property
    def released(self) -> str:
        """What is released."""
        return f"the exact total of {counted(self.people, 'entry', 'entries')}"

    @property
    def belief(self) -> str:
        """The belief class, as a clause."""
        if self.people == 1:
            return f"nobody knows the one entry and everybody holds it to be {self._only.text}"
        if len(self.groups) == 1:
            laws = f"each {self._only.text}"
        else:
            laws = "; ".join(f"{count:,} {law.text}" for law, count in self.groups)
        entries = counted(self.people, "entry", "entries")
        if self.known == 0:
            return (
                f"nobody knows any of the {entries} and everybody holds them to be independent, "
                f"{laws}"
            )
        return (
            f"nobody knows more than {self.known:,} of the {entries} and everybody holds the "
            f"others to be independent, {laws}"
        )

    @property
    def _only(self) -> AnyLaw:
        return self.groups[0][0]

    @property
    def bet(self) -> str:
        """What the odds are on."""
        if len(set(self.ways)) > 1:
            return "on whether your entry, or what the simulator adds in its place, was used"
        way = self.ways[0]
        if way == "noiseless":
            return "between two values of your entry"
        if way == "resampled":
            return "on whether your entry or a fresh draw in its place was used"
        if way.startswith("centred") and way != "centred 0":
            return f"on whether your entry or {way.split()[1]} in its place was used"
        return "on whether your entry was used"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The belief class first, then what is compared."""
        if self.ways[0] == "noiseless":
            return self.belief, "any two values of your entry are compared (noiseless privacy)"
        compared = "the total with your entry is compared with the total of the others"
        if set(self.ways) == {"canonical"}:
            return self.belief, f"{compared} (canonical simulator)"
        if len(self.groups) > 1:
            told = "the simulator is told the group of the person left out, and adds"
            return self.belief, f"{compared}; {told} {', '.join(self._added())}"
        if self.ways[0] == "resampled":
            return self.belief, f"{compared} and a fresh draw of your law"
        return self.belief, f"{compared} plus {self.ways[0].split()[1]} (centred simulator)"

    def _added(self) -> Iterator[str]:
        """Yield what is added in place of a person of each group."""
        names = {"canonical": "nothing", "resampled": "a fresh draw of that law"}
        for (law, _), way in zip(self.groups, self.ways, strict=True):
            yield f"{names.get(way) or way.split()[1]} for an entry {law.text}"

    def sentence(self, ratio: Number, delta: Number, breaks: str | None) -> str:
        """Return assumption, odds and what breaks it."""
        odds = odds_words(ratio, delta, bet=self.bet)
        return assumed(self.belief, f"on seeing the exact total {odds}", breaks)


def enclosed_words(low: Fraction, high: Fraction) -> str:
    """Say between which numbers delta lies."""
    if low <= 0:
        return f"delta is bounded: at most {show(high, side='up')}; it may be far smaller"
    return f"delta is enclosed: at least {show(low, side='down')}, at most {show(high, side='up')}"


def undecided_words(delta: Number, target: Number) -> str:
    """Say that a claim is neither proven nor refuted."""
    low, high = bounds(delta)
    return (
        f"undecided: delta lies between {show(max(Fraction(0), low), side='down')} and "
        f"{show(high, side='up')}, which neither proves nor refutes that it is at most "
        f"{show(target, side='up')}"
    )


def delta_words(delta: Number) -> str:
    """Write delta with its name, shortly; a bound that may be far off says that it is one.

    >>> delta_words(Fraction(1, 8))
    'delta 0.125'
    """
    low, high = bounds(delta)
    bound = high > 0 and high > low * _TIGHT
    return f"delta at most {decimal(high, 3)}" if bound else f"delta {decimal(delta, 3, 'about')}"
