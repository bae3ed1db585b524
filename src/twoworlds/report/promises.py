r"""Definitions in words that are not kinds of the theorems: what each promises a person.

    gamma-amplification   any two databases, so any two sets of them: whatever is believed, the odds
                          of any statement about the data move by at most gamma
    frapp                 each record is changed on its own, by a transition of ratio gamma: it is
                          differential privacy with that ratio, and gets its words
    linear                c x_D <= d x_E says that the odds of D against E grow by at most d/c;
                          any other constraint is only written out
    mutual-information    an average. By Pinsker's inequality, SD <= sqrt(D/2), and Jensen's, the
                          belief about a record moves by at most sqrt(nats/2) on average

The words for all other definitions are in `twoworlds.theorems.words`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from twoworlds.cones.amplification import Frapp, GammaAmplification
from twoworlds.cones.linear import Constraint, LinearDefinition
from twoworlds.cones.row_cone import variable
from twoworlds.definitions import PrivacyDefinition
from twoworlds.definitions.mutual_information import MutualInformation
from twoworlds.definitions.words import largest_posterior, percent
from twoworlds.errors import InvalidInput
from twoworlds.numbers import INFINITY, Number, Order, compare, decimal, exact_text, ln, sqrt
from twoworlds.theorems import Guarantee
from twoworlds.theorems.words import PRIORS, Row, sentences, table

__all__ = ["Promise", "promise"]

_MOST_CONSTRAINTS = 12
_NOTHING = "It promises nothing: every mechanism satisfies it, even one that publishes the data."


@dataclass(frozen=True)
class Promise:
    """What a definition promises.

    Attributes:
        claim: the definition, as one types it.
        sentences: the promise, in plain words.
        assumptions: what it is about.
        beliefs: a table of beliefs, where differential privacy gives one.
    """

    claim: str
    sentences: tuple[str, ...]
    assumptions: tuple[str, ...]
    beliefs: tuple[Row, ...] = ()


def promise(definition: PrivacyDefinition) -> Promise | None:
    """Put a definition in words; None for one that has none here.

    >>> from twoworlds import definition
    >>> promise(definition("linear('x1 <= 3 x0')")).sentences[0]
    'The answer multiplies the odds of database 1 against database 0 by at most 3.'

    Raises:
        InvalidInput: when the definition has no number.
    """
    if isinstance(definition, GammaAmplification):
        return _amplification(definition)
    if isinstance(definition, Frapp):
        return _frapp(definition)
    if isinstance(definition, LinearDefinition):
        return _linear(definition)
    if isinstance(definition, MutualInformation):
        return _information(definition)
    return None


def _amplification(definition: GammaAmplification) -> Promise:
    gamma = _given(definition.gamma, "gamma-amplification(3)")
    said = (
        (_NOTHING,)
        if gamma == INFINITY
        else (
            "Whatever someone believed, and whatever they ask about the data, the answer "
            f"multiplies the odds by at most {decimal(gamma, 4)}: {_moved(gamma)}.",
            "That protects everybody together: facts about all people are hidden as well as those "
            "about one.",
        )
    )
    return Promise(definition.claim, said, ("any two databases are compared",))


def _frapp(definition: Frapp) -> Promise:
    gamma = _given(definition.gamma, "frapp(gamma=3)")
    assumed = ("every record is changed on its own", "neighbours by substitute")
    if gamma == INFINITY:
        return Promise(definition.claim, (_NOTHING,), assumed)
    same = Guarantee.of("dp", ratio=gamma)
    own = (
        "Each record is changed on its own, before it is collected: what is reported for it is at "
        f"most {decimal(gamma, 4)} times as likely for one true value as for any other."
    )
    return Promise(definition.claim, (own, *sentences(same)), assumed, tuple(table(same)))


def _linear(definition: LinearDefinition) -> Promise:
    said = [_constraint(c) for c in definition.constraints if any(x < 0 for x in c.values())]
    shown = tuple(said[:_MOST_CONSTRAINTS])
    if len(said) > len(shown):
        shown = (*shown, f"There are {len(said) - len(shown)} such promises more.")
    last = "Nothing else is promised." if said else _NOTHING
    return Promise(definition.claim, (*shown, last), ("every output, whatever was believed",))


def _constraint(constraint: Constraint) -> str:
    """Say what a constraint means that has a database on its smaller side."""
    smaller = {x: -c for x, c in constraint.items() if c < 0}
    larger = {x: c for x, c in constraint.items() if c > 0}
    if len(smaller) == len(larger) == 1:
        ((first, c),), ((second, d),) = smaller.items(), larger.items()
        return (
            f"The answer multiplies the odds of database {first} against database {second} by at "
            f"most {decimal(d / c, 4)}."
        )
    return (
        f"For every output {_sum(smaller)} <= {_sum(larger)}, where x stands for its probability "
        "under that database."
    )


def _sum(side: Constraint) -> str:
    terms = ((variable(x), c) for x, c in side.items())
    return " + ".join(name if c == 1 else f"{c} {name}" for name, c in terms) or "0"


def _information(definition: MutualInformation) -> Promise:
    nats = _given(definition.nats, "mutual-information(nats=0.1)")
    exact = exact_text(nats)
    claim = f"mutual-information(nats={decimal(nats) if exact is None else exact})"
    assumed = ("every person, every belief in which the records are independent",)
    return Promise(claim, tuple(_average(nats)), assumed)


def _average(nats: Number) -> Iterator[str]:
    if nats == INFINITY:
        yield _NOTHING
        return
    bits = decimal(nats / ln(Fraction(2)), 4)
    yield (
        f"On average the answer tells at most {bits} bits ({decimal(nats, 4)} nats) about your "
        "record, to those who hold the records independent."
    )
    moved = sqrt(nats / 2)
    if compare(moved, 1) is Order.LESS:
        yield (
            "So their belief about your record moves, on average over the answers, by at most "
            f"{percent(moved)[:-1]} percentage points."
        )
    if nats != 0:
        yield "An average is no promise about one answer: a rare one may still expose you."


def _moved(ratio: Number) -> str:
    """Write what beliefs of 1, 10 and 50 % become at most."""
    said = [f"{percent(p)} at most {percent(largest_posterior(p, ratio))}" for p in PRIORS]
    return ", ".join([said[0].replace(" at most", " becomes at most"), *said[1:]])


def _given(value: Number | None, example: str) -> Number:
    if value is None:
        name = example.partition("(")[0]
        raise InvalidInput(f"{name} has no number to explain: write {example}")
    return value
