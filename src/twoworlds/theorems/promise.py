"""Promises: what a guarantee means to a person, with its table of beliefs and its chart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Block, Said, Table
from twoworlds.charts import Curves, odds
from twoworlds.definitions.accountants import (
    ConcentratedDifferentialPrivacy,
    GaussianDifferentialPrivacy,
    RenyiDifferentialPrivacy,
)
from twoworlds.definitions.words import (
    Subject,
    any_belief,
    chance_of,
    icons,
    largest_posterior,
    odds_sentences,
    percent,
    percent_above,
    points,
    protection,
)
from twoworlds.laws.line import normal
from twoworlds.numbers import INFINITY, Number, Order, above, at_most_one, decimal, exp, sqrt
from twoworlds.show import Result
from twoworlds.theorems.formulas import minimum, order, ratio_of_four_artanh, sharper_semantic
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.kinds import KINDS, kind_of
from twoworlds.theorems.statements import THEOREMS, Context
from twoworlds.worlds import SUBSTITUTE

_HEADS = (
    "belief without your data",
    "with it, if they know all others: at most",
    "with it, whatever they believe: at most",
)
_LARGEST_DRAWN = 1e15
_ONE_IN_A_MILLION = Fraction(1, 10**6)


@dataclass(frozen=True)
class Promise(Result):
    """What is promised to a person.

    Attributes:
        claim: the guarantee or definition, as one types it.
        sentences: the promise, in plain words; a guess at even odds first, where it bounds one.
        assumptions: what it is about.
        beliefs: a table of beliefs, where pure differential privacy gives one.
        mechanism: what was measured; empty for what was typed.
        swing: how far the answer of a mechanism moves odds, with your data against without.
        note: what was left out.
        chart: how far beliefs can move, where that is bounded.
        guess: the chance of a right guess at even odds, where that is bounded.
    """

    claim: str
    sentences: tuple[str, ...]
    assumptions: tuple[str, ...]
    beliefs: tuple[Moved, ...] = ()
    mechanism: str = ""
    swing: Number | None = None
    note: str = ""
    chart: Curves | None = None
    guess: Number | None = None

    def answer(self) -> Answer:
        """Say the promise; behind a guess, what beliefs of 1, 10 and 50 % can become."""
        cells = [
            (percent(prior), *(percent_above(prior, value) for value in most))
            for prior, *most in self.beliefs
        ]
        first, *others = self.sentences
        behind: tuple[Block, ...] = (
            *([Said(others)] if others else []),
            *([Table(_HEADS, cells)] if cells else []),
        )
        return Answer(
            first,
            subject=self.mechanism or self.claim,
            claim=self.claim if self.mechanism else "",
            blocks=(
                *(behind if self.guess is None else [icons(self.guess, first)]),
                *([] if self.chart is None else [self.chart]),
            ),
            more=() if self.guess is None else behind,
            notes=[self.note] if self.note else [],
            assumptions=self.assumptions,
        )

    def fields(self) -> dict[str, Any]:
        """Return the guarantee, its sentences, and its table of beliefs."""
        names = ("belief", "knows_all_others", "any_belief")
        beside = {
            "mechanism": self.mechanism,
            "guess": self.guess,
            "swing": self.swing,
            "note": self.note,
        }
        return {
            "guarantee": self.claim,
            "sentences": self.sentences,
            "beliefs": [dict(zip(names, row, strict=True)) for row in self.beliefs],
            "assumptions": self.assumptions,
            **{name: value for name, value in beside.items() if value not in (None, "")},
        }


def promise(given: Guarantee, *, swing: Number | None = None) -> Promise:
    """Put a guarantee in words."""
    said = tuple(sentences(given, swing=swing))
    assumed = (
        f"neighbours by {given.neighbours}"
        if KINDS[given.kind].groups
        else "the beliefs and the side information that it was stated for"
    )
    rows = tuple(table(given, swing=swing))
    chart = _chart(given, swing, " ".join(said))
    return Promise(
        str(given), said, (assumed,), rows, swing=swing, chart=chart, guess=guess_of(given)
    )


def for_one_belief(told: Promise) -> Promise:
    """Restrict a promise that is about any belief to the one that was named."""
    said = told.sentences[-1]
    if not said.startswith(_WHATEVER):
        return told
    said = f"{_PARTICULAR}{said.removeprefix(_WHATEVER)} {_OTHERWISE}"
    return replace(told, sentences=(said,), guess=None)


def _chart(given: Guarantee, swing: Number | None, words: str) -> Curves | None:
    """Chart how far beliefs, or with a delta probabilities, can move."""
    if given.kind == "semantic":
        return odds([("any belief", 1.0)], words, delta=above(given.epsilon))
    if given.kind != "dp" or above(given.ratio) >= _LARGEST_DRAWN:
        return None
    if given.delta != 0 or given.group != 1:
        return odds([("at most", above(given.ratio))], words, delta=above(given.delta))
    factor = given.ratio**2 if swing is None else swing
    curves = [("knows all others", above(given.ratio)), ("any belief", above(factor))]
    return odds(curves, words)


# --- Guarantees in words: what a person is promised, odds first, said for whom -------------------
# For differential privacy with ratio r = e^epsilon and delta = 0 two promises hold, and they
# differ:
#
#     whoever knows everybody else's record   odds move by at most r, beliefs by tanh(epsilon/4)
#     whatever anybody believes               the odds with your data used and the odds without
#                                             differ by at most r^2, the beliefs by tanh(epsilon/2)
#
# (Kasiviswanathan & Smith, Theorem 2.2 and Section 2.1, in their tight forms). The first compares
# the belief after with the belief before; the second compares the two worlds. Of a mechanism the
# second factor may be known better than r^2: it is the *swing* that semantic privacy measures.
# Every kind of guarantee has a sentence; one that rests on what attackers believe begins with that
# assumption.

_IN_ODDS = ("dp", "indistinguishable", "laplace-strategy")
PRIORS = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2))


Moved = tuple[Fraction, Number, Number]
"""A belief without you, and the largest it can be with you: all others known, or any belief."""


def table(guarantee: Guarantee, *, swing: Number | None = None) -> list[Moved]:
    """Return, for beliefs of 1, 10 and 50 %, the largest they can become.

    >>> table(Guarantee.parse("dp(ratio=3)"))[2]
    (Fraction(1, 2), Fraction(3, 4), Fraction(9, 10))
    """
    ratio = _pure_ratio(guarantee)
    if ratio is None:
        return []
    squared = INFINITY if ratio == INFINITY else ratio**2
    factor = squared if swing is None else swing
    return [
        (prior, largest_posterior(prior, ratio), largest_posterior(prior, factor))
        for prior in PRIORS
    ]


def sentences(guarantee: Guarantee, *, swing: Number | None = None) -> Iterator[str]:
    """Yield what a guarantee promises a person, in plain words.

    >>> print([*sentences(Guarantee.parse("semantic(epsilon=0.1)"))][-1])
    Whatever someone believed, leaving out your data changes what they conclude by at most 10 \
percentage points.
    """
    if guarantee.vacuous:
        yield "It promises nothing: every mechanism satisfies it, even one that publishes the data."
        return
    guess = guess_of(guarantee)
    if guess is not None:
        certain = "epsilon" if guarantee.kind == "statistical-difference" else "delta"
        yield protection(_subject(guarantee), guess, getattr(guarantee, certain))
    if guarantee.kind in _IN_ODDS:
        numbers = guarantee.ratio, guarantee.delta
        yield from odds_sentences(_subject(guarantee), *numbers, swing=swing)
        yield from _for_everybody(guarantee)
    else:
        yield _WORDS.get(guarantee.kind, _summary)(guarantee)
        if kind_of(guarantee.kind).amounts:
            yield from _as_dp(guarantee)


def _for_everybody(guarantee: Guarantee) -> Iterator[str]:
    """Say what a delta leaves of beliefs about all people at once (S4; Definition 2.3)."""
    people = guarantee.records or 1
    if guarantee.delta == 0 or guarantee.group != 1 or people == 1 or guarantee.ratio == INFINITY:
        return
    moved, failure = sharper_semantic(guarantee.ratio, guarantee.delta, people)
    if order(moved, Fraction(1)) is order(failure, Fraction(1)) is Order.LESS:
        yield (
            f"The same holds for all {people:,} people at once with {points(moved)}, except "
            f"with probability at most {decimal(failure, 3)} over data and noise."
        )


def guess_of(guarantee: Guarantee) -> Number | None:
    r"""Return the chance of a right guess at even odds that a guarantee allows; None for no bound.

    Of mu-GDP that of two normal laws, F(mu/2). Whatever someone believed includes that they know
    everybody else and give even odds. Of a divergence D in nats, which that of order 1 is
    no larger than: the difference of events is at most sqrt(D/2) (Pinsker) and at most
    sqrt(1 - e^-D) (Bretagnolle & Huber).

    >>> guess_of(Guarantee.parse("dp(ratio=3)"))
    Fraction(3, 4)
    """
    if guarantee.vacuous:
        return None
    match guarantee.kind:
        case "dp" | "indistinguishable" | "laplace-strategy" | "pointwise":
            ratio = guarantee.ratio
            return None if ratio == INFINITY else chance_of(ratio, guarantee.delta)
        case "statistical-difference":
            return (1 + guarantee.epsilon) / 2
        case "informed" | "semantic" | "reality-oblivious" if guarantee.delta == 0:
            return chance_of(ratio_of_four_artanh(guarantee.epsilon), Fraction(0))
        case "gdp":
            return normal(guarantee["mu"] / 2)
        case "zcdp":
            return _by_divergence(guarantee["rho"])
        case "rdp":
            return _by_divergence(guarantee["epsilon"])
    return None


def _by_divergence(nats: Number) -> Number:
    if nats == 0:
        return Fraction(1, 2)
    return (1 + minimum(sqrt(nats / 2), sqrt(1 - exp(-nats)))) / 2


def _as_dp(guarantee: Guarantee) -> Iterator[str]:
    """Say which differential privacy an accountant's number gives at a delta."""
    wanted = Context("dp", {"delta": _ONE_IN_A_MILLION})
    found = THEOREMS[f"{guarantee.kind}-to-dp"].conclude(guarantee, wanted)
    if found.delta != 0:
        yield (
            "As differential privacy that is an epsilon of "
            f"{decimal(found.epsilon, 4, 'at most')}, with a delta of one in a million."
        )


def _failure(delta: Number, of: str = "") -> str:
    return "" if delta == 0 else f", except with probability {decimal(delta, 3, 'at most')}{of}"


def _subject(guarantee: Guarantee) -> Subject:
    return Subject.of(guarantee.group, guarantee.neighbours)


def _differential_privacy(guarantee: Guarantee) -> str:
    subject = _subject(guarantee)
    return " ".join(odds_sentences(subject, guarantee.ratio, guarantee.delta))


def _pointwise(guarantee: Guarantee) -> str:
    if guarantee.ratio == INFINITY:
        return _differential_privacy(guarantee)
    subject = _subject(guarantee)
    instead = f"as it would have been {subject.instead.rstrip(',')}"
    if guarantee.ratio == 1:
        return f"The output is exactly as likely {instead}{_failure(guarantee.delta)}."
    return (
        f"The output is at most {decimal(guarantee.ratio, 4)} times as likely {instead}, and not "
        f"less likely than by that factor{_failure(guarantee.delta)}."
    )


def _statistical_difference(guarantee: Guarantee) -> str:
    subject = _subject(guarantee)
    return (
        f"Nothing happens with a probability that is more than {points(guarantee.epsilon)} from "
        f"what it would have been {subject.instead.rstrip(',')}; that alone protects nobody, since "
        "the record of a person drawn at random may be published."
    )


def _informed(guarantee: Guarantee) -> str:
    subject = _subject(guarantee)
    said = (
        f"Someone who knows all other records changes their mind about {subject.who} by at most "
        f"{points(guarantee.epsilon)}."
    )
    if not subject.one_person:
        return said
    return f"{said} {any_belief(subject.swing(ratio_of_four_artanh(guarantee.epsilon)))}"


def _local_dp(guarantee: Guarantee) -> str:
    subject = replace(_subject(guarantee), one_person=False)
    said = " ".join(odds_sentences(subject, guarantee.ratio, guarantee.delta))
    return (
        f"Only if the true database is one of certain good ones: {said} Nothing is promised for "
        "someone who holds other databases possible."
    )


_WHATEVER, _PARTICULAR = "Whatever someone believed", "For someone who holds one particular belief"
_IF = "If what others believe and know about the data is no more than was assumed"
_OTHERWISE = "Nothing is promised for other beliefs."
_BREAKS = "Someone who knows more, or believes otherwise, may learn more."


def _ddp(guarantee: Guarantee) -> str:
    return (
        f"{_IF}, the answer could have been made up without your record: what has probability 10% "
        f"then has at most {_raised(guarantee)} with it, and the other way round. {_BREAKS}"
    )


def _independent_ddp(guarantee: Guarantee) -> str:
    said = _ddp(guarantee).removeprefix(_IF)
    return f"{_IF}, and what they know ties no two records together{said}"


def _summary(guarantee: Guarantee) -> str:
    return f"{guarantee}: {kind_of(guarantee.kind).summary}."


def _raised(guarantee: Guarantee) -> str:
    """Return what a probability of 10% can become."""
    if guarantee.ratio == INFINITY:
        return "100%"
    return percent(at_most_one(guarantee.ratio * Fraction(1, 10) + guarantee.delta))


def _pure_ratio(guarantee: Guarantee) -> Number | None:
    plain = guarantee.delta == 0 and guarantee.group == 1 and guarantee.neighbours == SUBSTITUTE
    if guarantee.kind != "dp" or not plain:
        return None
    return guarantee.ratio


_WORDS: dict[str, Callable[[Guarantee], str]] = {
    "rdp": lambda g: RenyiDifferentialPrivacy(order=g["order"]).means(_subject(g), g["epsilon"]),
    "zcdp": lambda g: ConcentratedDifferentialPrivacy().means(_subject(g), g["rho"]),
    "gdp": lambda g: GaussianDifferentialPrivacy().means(_subject(g), g["mu"]),
    "pointwise": _pointwise,
    "statistical-difference": _statistical_difference,
    "informed": _informed,
    "semantic": lambda g: (
        f"{_WHATEVER}, leaving out your data changes what they conclude by at most "
        f"{points(g.epsilon)}{_failure(g.delta, ' over data and noise')}."
    ),
    "reality-oblivious": lambda g: (
        f"{_WHATEVER}, and whatever is true, even what they held impossible: leaving "
        f"out your data changes what they conclude by at most {points(g.epsilon)}"
        f"{_failure(g.delta, ' over the noise')}."
    ),
    "local-semantic": lambda g: (
        f"{_PARTICULAR}, leaving out your data changes what they conclude by at most "
        f"{points(g.epsilon)}{_failure(g.delta, ' over data and noise')}. {_OTHERWISE}"
    ),
    "local-dp": _local_dp,
    "local-laplace": _local_dp,
    "joint": lambda g: (
        "Whatever someone believed, database and output taken together: what has probability 10% "
        f"without your data has at most {_raised(g)} with it."
    ),
    "local-joint": lambda g: (
        "For someone who holds one particular belief, database and output taken together: what has "
        f"probability 10% without your data has at most {_raised(g)} with it."
    ),
    "conditional": lambda g: (
        "Whatever someone believed, what they would conclude to have probability 10% without your "
        f"data gets at most {_raised(g)} with it"
        f"{_failure(g['failure'], ' over the outputs')}."
    ),
    "power": lambda g: (
        "A test of one value of your record against another that gives a false alarm in "
        f"{percent(g['level'], side='about')} of the cases finds the truth in at most "
        f"{percent(g['power'])} of them."
    ),
    "simulation": lambda g: (
        "Whatever the data are, the answer could have been made up without your record: what has "
        f"probability 10% then has at most {_raised(g)} with it, and the other way round."
    ),
    "ddp": _ddp,
    "independent-ddp": _independent_ddp,
    "coupled-worlds": lambda g: (
        f"{_IF}, the answer could have been made up from scrubbed data, whatever is private: what "
        f"has probability 10% then has at most {_raised(g)} in truth, and the other way "
        f"round. {_BREAKS}"
    ),
    "inference-ddp": lambda g: (
        f"{_IF}: what they hold 10% likely about you after an answer made up without your record, "
        f"they hold at most {_raised(g)} likely after the true one"
        f"{_failure(g.delta, ' over data and noise')}. {_BREAKS}"
    ),
    "inference-coupled-worlds": lambda g: (
        f"{_IF}: what they hold 10% likely about private parts after an answer made up from "
        f"scrubbed data, they hold at most {_raised(g)} likely after the true one"
        f"{_failure(g.delta, ' over data and noise')}. {_BREAKS}"
    ),
    "noiseless": lambda g: (
        f"{_IF}: what has probability 10% with one value of your record has at most "
        f"{_raised(g)} with another. {_BREAKS}"
    ),
    "pufferfish": lambda g: (
        f"{_IF}: what has probability 10% if a secret is false has at most {_raised(g)} if it is "
        f"true, and the other way round. {_BREAKS}"
    ),
    "inference-pufferfish": lambda g: (
        f"{_IF}: a secret that they held 10% likely before the answer is at most {_raised(g)} "
        f"likely after it{_failure(g.delta, ' over data and noise')}. {_BREAKS}"
    ),
}
