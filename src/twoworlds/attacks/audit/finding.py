r"""What was found: an event, the counts on fresh samples, and the epsilon that they certify.

If a mechanism is (epsilon, delta)-differentially private then
P(E | x) <= e^epsilon P(E | y) + delta for every event E and all neighbours x, y. So, with p a lower
bound of the one probability and q an upper bound of the other,

    epsilon >= ln ((p - delta) / q),

unless one of the two bounds misses. Each misses with probability at most alpha / 2.

Right noise that is computed in floats leaves traces in their low-order bits. So the event is also
counted on the same outputs rounded to 32 significant bits. Where only the outputs as they are
refute a claim, floating point refutes it, and not the noise; that is a verdict of its own.

The bounds are those of Clopper and Pearson. Of n independent draws, k fell into an event of unknown
probability p. The lower bound is a p with P(Bin(n, p) >= k) = I_p(k, n - k + 1) <= alpha, where I
is the regularised incomplete beta function: were the truth smaller still, as many hits would have
had probability at most alpha. The upper bound is one minus the lower bound for the misses. Tails
are enclosed by balls; a bound that is not certain at its level is not returned. So each bound
misses the truth with probability at most alpha, whatever the truth is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from twoworlds.answer import Answer, Facts, Said
from twoworlds.attacks.audit.events import FeatureEvent
from twoworlds.charts import Chart, ErrorBar, Intervals, Span
from twoworlds.errors import InvalidInput
from twoworlds.numbers import (
    Number,
    Order,
    below,
    compare,
    counted,
    decimal,
    exact_text,
    ln,
    to_json,
    working_precision,
)
from twoworlds.show import Result

_BITS = 64
_GRID = 1 << 60  # bounds are multiples of its inverse
_FINE = 10**9  # and so near to the best one, relative to it


def lower_bound(hits: int, draws: int, alpha: Fraction) -> Fraction:
    """Return a probability below which the truth lies with probability at most ``alpha``.

    >>> float(round(lower_bound(8, 10, Fraction(1, 20)), 4))
    0.4931
    >>> lower_bound(0, 10, Fraction(1, 20))
    Fraction(0, 1)
    """
    if not 0 <= hits <= draws or draws < 1:
        raise InvalidInput(f"{hits} hits of {draws} draws: hits lie between 0 and the draws")
    if not 0 < alpha < 1:
        raise InvalidInput(f"alpha={alpha} must lie strictly between 0 and 1")
    low, high = 0, -(-hits * _GRID // draws)  # in steps of the grid; low is certain
    while high - low > 1 and (high - low) * _FINE > min(high, _GRID - low):
        middle = (low + high) // 2
        if tail_at_most(hits, draws, Fraction(middle, _GRID), alpha):
            low = middle
        else:
            high = middle
    return Fraction(low, _GRID)


def upper_bound(hits: int, draws: int, alpha: Fraction) -> Fraction:
    """Return a probability above which the truth lies with probability at most ``alpha``.

    >>> float(round(upper_bound(2, 10, Fraction(1, 20)), 4))
    0.5069
    """
    return 1 - lower_bound(draws - hits, draws, alpha)


def _bounds(counts: tuple[int, int], draws: int, alpha: Fraction) -> tuple[Fraction, Fraction]:
    """Return a lower bound for the first count and an upper one for the second, both at once."""
    first, second = counts
    return lower_bound(first, draws, alpha / 2), upper_bound(second, draws, alpha / 2)


def tail_at_most(hits: int, draws: int, p: Fraction, alpha: Fraction) -> bool:
    """Tell whether P(Bin(draws, p) >= hits) <= alpha for certain."""
    if hits <= 0:
        return alpha >= 1
    if p <= 0:
        return True
    if p >= 1:
        return alpha >= 1
    with working_precision(_BITS):
        if hits == draws:
            return bool(_ball(p) ** draws <= _ball(alpha))
        tail = _ball(p).beta_lower(arb(hits), arb(draws - hits + 1), regularized=True)
        return bool(tail <= _ball(alpha))


def _ball(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


# --- findings -------------------------------------------------------------------------------------


_LONGEST = 400
_HEAD, _TAIL = 240, 80
_LONGEST_NAME = 20
_SHOWN = 3  # pairs of databases
_GUESSED = (
    "The databases are guessed: give your own with --pair '[0, 0] ~ [1, 0]', or with --universe."
)

NOT_EVIDENCE = (
    "no event was found that breaks it. This is not evidence of privacy: another event, another "
    "pair of databases or more samples may break it"
)


@dataclass(frozen=True)
class Finding(Result):
    """An event that was tested on samples drawn for this test alone."""

    event: FeatureEvent  # the event
    likelier: Any  # the database on which it is likelier
    other: Any  # its neighbour
    hits: int  # how often it occurred on ``likelier``
    other_hits: int  # how often on ``other``
    draws: int  # how many outputs were drawn on each of them
    delta: Fraction  # the delta that is granted
    alpha: Fraction  # the probability with which this bound may be wrong
    low: Fraction  # the lower bound of the probability on ``likelier``
    high: Fraction  # the upper bound of the probability on ``other``
    # ``hits`` and ``other_hits`` of the outputs rounded to 32 significant bits
    rounded: tuple[int, int]

    @staticmethod
    def of(
        event: FeatureEvent,
        databases: tuple[Any, Any],
        counts: tuple[int, int],
        draws: int,
        *,
        delta: Fraction,
        alpha: Fraction,
        rounded: tuple[int, int] | None = None,
    ) -> Finding:
        """Compute the bounds from the counts; the likelier database comes first."""
        low, high = _bounds(counts, draws, alpha)
        also = rounded or counts
        return Finding(event, *databases, *counts, draws, delta, alpha, low, high, also)

    @property
    def ratio(self) -> Fraction:
        """The certified ratio (p - delta) / q, at least 1."""
        return max(Fraction(1), (self.low - self.delta) / self.high)

    @property
    def epsilon(self) -> Number:
        """The certified lower bound on epsilon."""
        return ln(self.ratio) if self.ratio > 1 else Fraction(0)

    @property
    def epsilon_rounded(self) -> Number:
        """The certified lower bound from the rounded outputs."""
        if self.rounded == (self.hits, self.other_hits):
            return self.epsilon
        low, high = _bounds(self.rounded, self.draws, self.alpha)
        ratio = (low - self.delta) / high
        return ln(ratio) if ratio > 1 else Fraction(0)

    def refutes(self, epsilon: Number) -> bool:
        """Tell whether the bound lies above a claimed epsilon for certain."""
        return compare(self.epsilon, epsilon) is Order.GREATER

    def rests_on_floats(self, epsilon: Number) -> bool:
        """Tell whether the rounded outputs do not do so."""
        return compare(self.epsilon_rounded, epsilon) is not Order.GREATER

    def verify(self) -> bool:
        """Recompute from the counts that both bounds hold at their level."""
        half, misses = self.alpha / 2, self.draws - self.other_hits
        return (
            0 <= self.hits <= self.draws
            and 0 <= misses <= self.draws
            and 0 <= self.low <= 1
            and 0 < self.high <= 1
            and (self.low == 0 or tail_at_most(self.hits, self.draws, self.low, half))
            and (self.high == 1 or tail_at_most(misses, self.draws, 1 - self.high, half))
        )

    def answer(self) -> Answer:
        """Say what was counted and what follows."""
        return Answer.of(self.sentences(), self.chart())

    def sentences(self) -> str:
        """Return in words what was counted and what follows."""
        granted = f" after granting delta = {self.delta}" if self.delta else ""
        likelier, other = (brief(database_text(one)) for one in (self.likelier, self.other))
        rounding = ""
        if self.rounded != (self.hits, self.other_hits):
            rounding = (
                f" Rounded to 32 significant bits, {self.rounded[0]:,} and {self.rounded[1]:,} of "
                "the same outputs are in it."
            )
        return (
            f"Of {self.draws:,} fresh outputs on {likelier}, {self.hits:,} are "
            f"in the event; of {self.draws:,} on {other}, {self.other_hits:,}. "
            f"So the probabilities are at least {decimal(self.low, side='down')} and at most "
            f"{decimal(self.high)}: a ratio of at least "
            f"{decimal(self.ratio, side='down')}{granted}.{rounding}"
        )

    def chart(self) -> Intervals:
        """Chart how often the event was seen on both databases, and down or up to which bound."""
        seen, other = self.hits / self.draws, self.other_hits / self.draws
        rows = [
            ErrorBar(_name(self.likelier), seen, float(self.low), seen),
            ErrorBar(_name(self.other), other, other, float(self.high)),
        ]
        title = "How likely the event is: as seen, and as far as the bound"
        return Intervals(title, rows, self.sentences())

    def fields(self) -> dict[str, Any]:
        """Return the event, its counts, and what they certify."""
        return {
            "epsilon": to_json(self.epsilon, side="down"),
            "event": self.event.code,
            "likelier": database_text(self.likelier),
            "other": database_text(self.other),
            "hits": self.hits,
            "other_hits": self.other_hits,
            "draws": self.draws,
            "rounded_hits": self.rounded,
            "delta": self.delta,
            "alpha": self.alpha,
            "low": self.low,
            "high": self.high,
        }


@dataclass(frozen=True)
class Audit(Result):
    """The outcome of an audit. It never says that a subject is private."""

    subject: str  # what was audited
    claim: Number | None  # the epsilon that was claimed, or None
    delta: Fraction  # the delta that was granted
    confidence: Fraction  # with what probability, at least, every statement here is right
    finding: Finding | None  # the best certified event, or None if no bound above 0 was certified
    neighbours: str  # why the pairs are neighbours
    pairs: tuple[str, ...]  # the pairs of databases that were looked at
    rounds: int  # how many rounds were finished, each of which tested one event
    events_tried: int  # how many events the tested ones were chosen from
    samples: int  # how many outputs were drawn
    seed: int  # what the generators were made from
    stopped: str  # why it ended
    notes: tuple[str, ...] = ()  # what a reader should know
    # The types of what stands in outputs and was not looked into
    not_looked_into: tuple[str, ...] = ()
    guessed: bool = False  # whether nobody said what the subject's databases are

    @property
    def refuted(self) -> bool:
        """Whether the claim is refuted."""
        found, claim = self.finding, self.claim
        return found is not None and claim is not None and found.refutes(claim)

    @property
    def verdict(self) -> str:
        """One of ``refuted``, ``refuted by floating point``, ``not refuted`` and ``no claim``."""
        if self.claim is None:
            return "no claim"
        if self.finding is None or not self.refuted:
            return "not refuted"
        only = self.finding.rests_on_floats(self.claim)
        return "refuted by floating point" if only else "refuted"

    @property
    def epsilon(self) -> Number:
        """The certified lower bound on epsilon, 0 if none was found."""
        return Fraction(0) if self.finding is None else self.finding.epsilon

    @property
    def sentence(self) -> str:
        """What was found, after a warning where the databases are a guess."""
        return f"{_GUESSED} {self._found}" if self.guessed else self._found

    @property
    def _found(self) -> str:
        level = f"{decimal(100 * self.confidence, side='at least')}% confidence"
        bound = f"epsilon is at least {decimal(self.epsilon, side='down')}"
        granted = f" at delta = {self.delta}" if self.delta else ""
        if not self.rounds:
            fewer = ", or give one pair of databases" if len(self.pairs) > 1 else ""
            return (
                f"Nothing was tested, since {self.stopped} before one round was finished. "
                f"Allow more time{fewer}."
            )
        if self.claim is None:
            if self.finding is None:
                return f"Nothing certified at {level}: {NOT_EVIDENCE}.{self._about_unseen()}"
            noise = ""
            if compare(2 * self.finding.epsilon_rounded, self.epsilon) is Order.LESS:
                rounded = decimal(self.finding.epsilon_rounded, side="at least")
                noise = f" (floating point, not the noise: rounded outputs give {rounded})"
            return f"At {level}, {bound}{granted}{noise}. It may be larger: this is a bound."
        claim = f"the claim epsilon = {_short(self.claim)}{granted}"
        if self.verdict == "refuted by floating point":
            return (
                f"REFUTED by floating point, not the noise: {claim} is false: {bound}, at {level}. "
                "The event rests on low-order bits of floats: outputs rounded to 32 significant "
                "bits did not refute the claim."
            )
        if self.refuted:
            return f"REFUTED: {claim} is false: {bound}, at {level}."
        also = f" ({bound}, at {level})" if self.finding is not None else ""
        return f"Not refuted: {claim}: {NOT_EVIDENCE}{also}.{self._about_unseen()}"

    def _about_unseen(self) -> str:
        if not self.not_looked_into:
            return ""
        return (
            f" NOT LOOKED INTO: objects of type {', '.join(self.not_looked_into)} in the outputs; "
            "let the subject return what they hold, as numbers, text, lists or dictionaries."
        )

    def answer(self) -> Answer:
        """Say what was found, on which pair, by which event, and how it was looked for."""
        found = self.finding
        charts: list[Chart] = []
        if found is not None:
            claimed = None if self.claim is None else ("claimed", self.claim)
            charts = [Span("epsilon", below(self.epsilon), mark=claimed), found.chart()]
        return Answer(
            self.sentence,
            subject=self.subject,
            claim="" if self.claim is None else f"epsilon = {_short(self.claim)}",
            holds=False if self.refuted else None,
            blocks=(
                *([] if found is None else [Said([found.sentences()])]),
                Facts([*self._facts()]),
                *charts,
            ),
            notes=self.notes,
        )

    def _facts(self) -> Iterator[tuple[str, str]]:
        if self.finding is not None:
            shown = {
                "likelier on": database_text(self.finding.likelier),
                "than on": database_text(self.finding.other),
                "event": self.finding.event.code,
            }
            yield from ((label, brief(text)) for label, text in shown.items())
            if any(brief(text) != text for text in shown.values()):
                yield "note", "--json has in full what is left out here"
        yield "neighbours", self.neighbours
        more = len(self.pairs) - _SHOWN
        listed = "; ".join(map(brief, self.pairs[:_SHOWN]))
        yield "databases", f"{listed}; {more} more, in --json" if more > 0 else listed
        pairs = counted(len(self.pairs), "pair of databases", "pairs of databases")
        yield "searched", f"{pairs}, {counted(self.events_tried, 'event')}"
        yield "tested", f"{counted(self.rounds, 'event')} on fresh outputs, one in each round"
        yield "drawn", f"{counted(self.samples, 'output')}, seed {self.seed}; {self.stopped}"

    def fields(self) -> dict[str, Any]:
        """Return the verdict, the finding, and how it was looked for."""
        return {
            **super().fields(),
            "pairs": len(self.pairs),
            "databases": self.pairs,
            "verdict": self.verdict,
            "refuted": self.refuted,
            "epsilon": to_json(self.epsilon, side="down"),
            "sentence": self.sentence,
        }


def pair_text(pair: tuple[Any, Any]) -> str:
    """Return two databases as ``--pair`` takes them."""
    return " ~ ".join(map(database_text, pair))


def brief(text: str) -> str:
    """Return a text as words show it: of a long one the beginning and the end."""
    if len(text) <= _LONGEST:
        return text
    left = len(text) - _HEAD - _TAIL
    return f"{text[:_HEAD]} [... {left:,} characters left out ...] {text[-_TAIL:]}"


def database_text(database: Any) -> str:
    """Return a database as code would name it, and a number as itself.

    >>> database_text(Fraction(1)), database_text((Fraction(1, 2), "a"))
    ('1', "(1/2, 'a')")
    """
    if isinstance(database, Fraction):
        return str(database)
    if type(database) is tuple and len(database) > 1:
        return f"({', '.join(map(database_text, database))})"
    return repr(database)


def _name(database: Any) -> str:
    text = database_text(database)
    return f"on {text if len(text) <= _LONGEST_NAME else text[:_LONGEST_NAME] + '…'}"


def _short(x: Number) -> str:
    text = exact_text(x)
    return text if text is not None and len(text) <= 12 else decimal(x, side="about")
