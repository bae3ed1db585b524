r"""Definitions and mechanisms in words: what each promises a person.

Kinds of guarantees have their words in `twoworlds.theorems.promise`. The other definitions:

    gamma-amplification   any two databases, so any two sets of them: whatever is believed, the odds
                          of any statement about the data move by at most gamma
    frapp                 each record is changed on its own, by a transition of ratio gamma: it is
                          differential privacy with that ratio, and gets its words
    linear                c x_D <= d x_E says that the odds of D against E grow by at most d/c;
                          any other constraint is only written out
    f-dp                  what each corner of the curve says of tests
    mutual-information    an average. By Pinsker's inequality, SD <= sqrt(D/2), and Jensen's, the
                          belief about a record moves by at most sqrt(nats/2) on average

The promise of a mechanism is that of its exact price, with its own swing where that is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from inspect import signature

from twoworlds.calls import Call, parse
from twoworlds.cones.amplification import Frapp, GammaAmplification
from twoworlds.cones.linear import Constraint, LinearDefinition
from twoworlds.cones.row_cone import variable
from twoworlds.definitions import (
    DEFINITIONS,
    PrivacyDefinition,
    definition,
    measure,
    trade_off_privacy,
)
from twoworlds.definitions.mutual_information import MutualInformation
from twoworlds.definitions.trade_off_privacy import TradeOffPrivacy
from twoworlds.definitions.verdict import Verdict
from twoworlds.definitions.words import Subject, largest_posterior, percent, protection
from twoworlds.errors import InvalidInput, TwoWorldsError, UnknownName, Unsupported
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.named import mechanism as build_mechanism
from twoworlds.mechanisms.named.load import MECHANISMS
from twoworlds.numbers import INFINITY, Number, Order, compare, decimal, exact_text, ln, sqrt
from twoworlds.theorems import KINDS, Guarantee
from twoworlds.theorems.promise import (
    PRIORS,
    Promise,
    for_one_belief,
    guess_of,
    promise,
    sentences,
    table,
)
from twoworlds.worlds import SUBSTITUTE, Records

_STATED_DELTA = Fraction(1, 10**6)  # where no epsilon holds without one
_BESIDE = (  # arguments of a definition that are part of the question
    *("belief", "default", "truth", "side", "secrets", "scrubs", "simulator", "tagged"),
)
_MOST_CONSTRAINTS = 12
_NOTHING = "It promises nothing: every mechanism satisfies it, even one that publishes the data."


def read_promise(text: str | Mechanism) -> Promise:
    """Read a guarantee, a definition or a mechanism, and say what it promises.

    >>> read_promise("linear('x1 <= 3 x0')").sentences[0]
    'The answer multiplies the odds of database 1 against database 0 by at most 3.'
    """
    if isinstance(text, Mechanism):
        return _measured(text)
    try:
        call = parse(text)
    except InvalidInput:
        return _measured(text)
    if call.name in KINDS:
        call = _with_belief(call)
        beside = {name: x for name, x in call.named.items() if name in _BESIDE}
        if not beside:
            return promise(Guarantee.parse(text))
        definition(text)  # refuses what this definition does not take
        numbers = {name: x for name, x in call.named.items() if name not in beside}
        told = promise(Guarantee.of(call.name, **numbers))
        assumed = (f"{name}={x}" for name, x in beside.items())
        told = for_one_belief(told) if "belief" in beside else told
        return replace(told, assumptions=(*told.assumptions, *assumed))
    if call.name not in DEFINITIONS:
        try:
            return _measured(text)
        except UnknownName as error:
            if error.name != call.name:
                raise
            known = (one.name for one in (*MECHANISMS, *DEFINITIONS))
            raise UnknownName("mechanism", call.name, known) from None
    found = _of_definition(definition(text))
    if found is None:
        raise Unsupported(
            f"explain has no words for {call.name}; it has for {', '.join(KINDS)}. To see "
            f"what {call.name} means for a mechanism: twoworlds check MECHANISM {text!r}"
        )
    return found


def _with_belief(call: Call) -> Call:
    """Name the belief of a definition that begins with one."""
    if not call.positional or call.name not in DEFINITIONS:
        return call
    first, *_ = signature(DEFINITIONS[call.name].build).parameters
    if first != "belief":
        return call
    return Call(call.name, call.positional[1:], {first: call.positional[0], **call.named})


def _measured(text: str | Mechanism) -> Promise:
    """Measure a mechanism, with a delta where no epsilon holds without one."""
    built = build_mechanism(text)
    verdict = measure(built)
    if verdict.ratio != INFINITY or verdict.delta != 0:
        return _priced(built, verdict)
    told = _priced(built, measure(built, delta=_STATED_DELTA))  # every delta has its epsilon
    chosen = f"no epsilon holds without a delta: this is for delta {decimal(_STATED_DELTA)}"
    return replace(told, note="; ".join(filter(None, (chosen, told.note))))


def _priced(built: Mechanism, verdict: Verdict) -> Promise:
    """Say what a price means, and how far the mechanism's own answers move odds."""
    universe = built.universe
    counted = verdict.delta != 0 and isinstance(universe, Records) and universe.fixed
    people = universe.n if counted and isinstance(universe, Records) else None
    given = Guarantee.of("dp", ratio=verdict.ratio, delta=verdict.delta, records=people or None)
    if not table(given) or verdict.ratio == INFINITY:
        return _of_mechanism(verdict, promise(given))
    try:
        swing = measure(built, definition="semantic").values["swing"]
    except TwoWorldsError:
        note = f"odds and beliefs are those of every mechanism with {given}; this one may move less"
        return replace(_of_mechanism(verdict, promise(given)), note=note)
    return _of_mechanism(verdict, promise(given, swing=swing))


def _of_mechanism(verdict: Verdict, price: Promise) -> Promise:
    """Put the guess of the mechanism itself before the words of its price."""
    rest = price.sentences if price.guess is None else price.sentences[1:]
    said = (verdict.sentence, *rest)
    return replace(price, mechanism=verdict.mechanism, sentences=said, guess=verdict.guess)


def _of_definition(definition: PrivacyDefinition) -> Promise | None:
    """Put a definition in words that is no kind of the theorems; None for one that has none."""
    match definition:
        case GammaAmplification():
            return _amplification(definition)
        case Frapp():
            return _frapp(definition)
        case LinearDefinition():
            return _linear(definition)
        case MutualInformation():
            return _information(definition)
        case TradeOffPrivacy():
            return _tests(definition)
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
    times = "as" if gamma == 1 else f"at most {decimal(gamma, 4)} times as"
    own = (
        "Each record is changed on its own, before it is collected: what is reported for it is "
        f"{times} likely for one true value as for any other."
    )
    first, *rest = sentences(same)
    rows, guess = tuple(table(same)), guess_of(same)
    return Promise(definition.claim, (first, own, *rest), assumed, rows, guess=guess)


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


def _tests(definition: TradeOffPrivacy) -> Promise:
    corners = definition.points
    if corners is None:
        raise InvalidInput("f-dp has no curve to explain: write f-dp('0:1, 1/4:1/2, 1:0')")
    relation = definition.neighbours if isinstance(definition.neighbours, str) else SUBSTITUTE
    subject = Subject.of(definition.group, relation)
    said = trade_off_privacy.said(subject, corners)
    guess = 1 - min(x + f for x, f in corners) / 2  # misses and false alarms, each half the time
    claim = f"f-dp('{trade_off_privacy.written(corners)}'{definition.beside})"
    assumed = (f"neighbours by {relation}",)
    if guess == 1:
        return Promise(claim, (said,), assumed)
    first = protection(subject, guess, 1 - corners[0][1])
    return Promise(claim, (first, said), assumed, guess=guess)


def _moved(ratio: Number) -> str:
    """Write what beliefs of 1, 10 and 50 % become at most."""
    said = [f"{percent(p)} at most {percent(largest_posterior(p, ratio))}" for p in PRIORS]
    return ", ".join([said[0].replace(" at most", " becomes at most"), *said[1:]])


def _given(value: Number | None, example: str) -> Number:
    if value is None:
        name = example.partition("(")[0]
        raise InvalidInput(f"{name} has no number to explain: write {example}")
    return value
