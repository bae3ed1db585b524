"""Verdicts: the answer to a question of privacy, with the witness that proves it.

A `Witness` is a pair of databases and an event (or a single output) with its two probabilities.
It re-verifies by plain arithmetic, and no verdict is returned before its witness has done so. A
`Verdict` on a claim is true or false; a verdict that only measures, or that could not be decided,
raises when used as a truth value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Protocol

from twoworlds.answer import Answer, Facts, Said
from twoworlds.charts import Chart, Dots, odds
from twoworlds.definitions.words import icons
from twoworlds.errors import TwoWorldsError, Undecided
from twoworlds.laws.event import agree
from twoworlds.mechanisms import Either, Event, Mechanism
from twoworlds.numbers import (
    INFINITY,
    LIMIT_BITS,
    Number,
    Order,
    Real,
    Side,
    above,
    bounds,
    compare,
    decimal,
    show,
    stated,
    to_json,
)
from twoworlds.show import Result
from twoworlds.worlds import Point

_LONGEST_LABEL, _KEPT = 44, 8
_LARGEST_DRAWN = 1e15
_DIGITS, _MOST_DIGITS = 6, 96
_APART = Fraction(1, 1 << 32)  # of a number: digits that can be computed are nearer
_ENDS: tuple[Side, Side] = ("down", "up")


class Proof(Protocol):
    """What proves a verdict: it re-verifies by plain arithmetic, and says itself in facts."""

    def verify(self) -> bool:
        """Recompute everything that is stated."""

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield what to show, line by line, as a label and a text."""

    def explain(self) -> str:
        """Say it in a sentence: the facts, one after the other."""
        return "; ".join(f"{name}: {fact}".removeprefix(": ") for name, fact in self.facts())

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""


@dataclass(frozen=True)
class Witness(Proof):
    """Two databases and an event that tells them apart.

    Attributes:
        databases: the two worlds.
        event: a set of outputs, likelier in the first world.
        probabilities: of the event, in the first and in the second world.
        attained: False when the event only comes near a limit that no event attains.
        output: one output of the event, where single outputs have probability.
    """

    mechanism: Mechanism = field(repr=False)
    databases: tuple[Point, Point]
    event: Event
    probabilities: tuple[Number, Number]
    attained: bool = True
    output: Point | None = None

    @staticmethod
    def of(
        mechanism: Mechanism,
        databases: tuple[Point, Point],
        event: Event,
        *,
        attained: bool = True,
        output: Point | None = None,
    ) -> Witness:
        """Compute the two probabilities of the event."""
        found = _masses(mechanism, event, databases)
        return Witness(mechanism, databases, event, found, attained, output)

    def ratio(self) -> Number:
        """Return how many times likelier the event is in the first world."""
        p, q = self.probabilities
        if q == 0:
            return INFINITY if p != 0 else Fraction(0)
        return p / q

    def excess(self, ratio: Number) -> Number:
        """Return P(E | x) - a P(E | y)."""
        p, q = self.probabilities
        return p if q == 0 else p - ratio * q

    def verify(self) -> bool:
        """Recompute both probabilities from the mechanism and compare them with those stated."""
        return all(agree(a, b) for a, b in zip(self.again(), self.probabilities, strict=True))

    def again(self) -> tuple[Number, Number]:
        """Compute both probabilities from the mechanism."""
        return _masses(self.mechanism, self.event, self.databases)

    @property
    def labels(self) -> tuple[str, str]:
        """The two databases as a person would type them."""
        label = self.mechanism.universe.label
        return label(self.databases[0]), label(self.databases[1])

    def explain(self) -> str:
        """Say the pair, the event and the two probabilities."""
        first, second = self.labels
        what = self.event.describe(self.mechanism.outputs)
        p, q = self.probabilities
        near = "" if self.attained else " (further out the ratio grows towards its limit)"
        low, high = _written(p, q)
        return f"{what} has probability {low} on {first} and {high} on {second}{near}"

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the pair, the event, its probabilities, and an output where there is one."""
        first, second = (shortened(label) for label in self.labels)
        yield "worst pair", f"{first}  against  {second}"
        event = self.event.describe(self.mechanism.outputs)
        start, space, label = event.partition(" ")
        yield "event", f"{start} {shortened(label)}" if space and " " not in label else event
        p, q = _written(*self.probabilities)
        tail = "" if self.attained else "; further out the ratio grows to its limit"
        yield "", f"probability {p} against {q}{tail}"
        if self.output is not None:
            label = self.mechanism.outputs.label(self.output)
            if f"output {label}" != event:
                yield "", f"for example output {shortened(label)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        outputs = self.mechanism.outputs
        found: dict[str, Any] = {"databases": list(self.labels)}
        if self.output is not None:
            found["output"] = outputs.label(self.output)
            found["output_probabilities"] = [
                to_json(self.mechanism.probability(self.output, x)) for x in self.databases
            ]
        found["event"] = self.event.to_json(outputs)
        found["event_in_words"] = self.event.describe(outputs)
        found["probabilities"] = [to_json(p) for p in self.probabilities]
        found["attained"] = self.attained
        return found


@dataclass(frozen=True)
class Shown(Proof):
    """A number that something shown has; it re-verifies by computing the number afresh.

    Attributes:
        number: as stated.
        again: computes it once more.
        said: what has it, line by line.
        data: the same for JSON.
    """

    number: Number
    again: Callable[[], Number] = field(repr=False, compare=False)
    said: tuple[tuple[str, str], ...]
    data: Mapping[str, Any]

    def verify(self) -> bool:
        """Compute the number once more."""
        return agree(self.again(), self.number)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield what is shown."""
        yield from self.said

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return dict(self.data)


@dataclass(frozen=True)
class Verdict(Result):
    """What was asked, what holds, and why.

    Attributes:
        mechanism: the mechanism, as one would type it.
        definition: the definition, with its numbers when it is a claim.
        values: the numbers found, by name (ratio, epsilon, delta, ...).
        sentence: what they mean to a person.
        assumptions: what the answer rests on; the neighbour relation comes first.
        holds: whether the claim holds; None when nothing was claimed, or when undecided.
        witness: the worst pair and event.
        method: why nothing worse was missed.
        notes: further facts, such as the nearest claim that does hold.
        exact: False when the mechanism itself is known in floats only.
        more: the same in odds and beliefs, for those who want to know.
        undecided: why a claim is neither proved nor refuted, and what to do.

    >>> from twoworlds import check
    >>> verdict = check("geometric(ratio=2)", "dp(ratio=3/2)")
    >>> verdict.holds, verdict.notes[0]
    (False, 'the claim allows delta 0')
    """

    mechanism: str
    definition: str
    values: Mapping[str, Number]
    sentence: str
    assumptions: tuple[str, ...]
    holds: bool | None = None
    witness: Proof | None = None
    method: str = ""
    notes: tuple[str, ...] = ()
    exact: bool = True
    more: tuple[str, ...] = ()
    undecided: str = ""

    def __post_init__(self) -> None:
        if self.witness is not None and not self.witness.verify():
            raise TwoWorldsError(
                f"the witness of {self.definition} on {self.mechanism} does not re-verify: "
                "please report this"
            )

    def against(
        self, claim: str, value: Number, allowed: Number, *, broken: str | None = None
    ) -> Verdict:
        """Return the verdict on a claim that allows ``value`` to be at most so much.

        ``broken`` is the sentence to lead with if the claim does not hold.
        """
        holds = within(value, allowed)
        sentence = self.sentence
        if holds is False and broken is not None:
            sentence = f"{broken} {sentence}" if self.more else broken
        return replace(
            self,
            definition=claim,
            holds=holds,
            sentence=sentence,
            notes=(f"the claim allows {show(allowed)}", *self.notes),
            undecided=left_open(value, allowed) if holds is None else "",
        )

    def __bool__(self) -> bool:
        if self.holds is None and "(" in self.definition:
            raise Undecided(f"undecided: {self.definition} on {self.mechanism}: {self.undecided}")
        if self.holds is None:
            raise Undecided(
                f"this verdict on {self.mechanism} claims nothing: "
                "read its values, or check a definition with numbers"
            )
        return self.holds

    def __getattr__(self, name: str) -> Number:
        values = self.__dict__.get("values", {})
        if name in values:
            return values[name]  # type: ignore[no-any-return]
        # Through __dict__, as a verdict that is just being copied has no fields yet.
        definition, known = self.__dict__.get("definition"), ", ".join(values)
        raise AttributeError(f"a verdict on {definition} has no {name!r}; it has {known}")

    def answer(self) -> Answer:
        """Say what holds, what it means, the numbers, the witness, and what it rests on."""
        facts = [*self._values(), *(() if self.witness is None else self.witness.facts())]
        if not self.exact:
            facts.append(("numbers", "floats, with proven error bounds; the decimals are safe"))
        return Answer(
            self.sentence,
            subject=self.mechanism,
            claim=self.definition,
            holds=self.holds,
            blocks=(*self._icons(), Facts(facts), *self._charts()),
            more=(Said(self.more),) if self.more else (),
            notes=self.notes,
            assumptions=self.assumptions,
            method=self.method,
        )

    def _values(self) -> Iterator[tuple[str, str]]:
        for name, value in self.values.items():
            side: Side = "down" if name.endswith("at_least") else "up"
            yield name.replace("_", " "), stated(value, side=side)

    def _icons(self) -> Iterator[Chart]:
        if "guess" in self.values:
            yield icons(self.values["guess"], self.sentence)

    def _charts(self) -> Iterator[Chart]:
        """Chart how far a belief can move, where a ratio bounds that; else the worst event."""
        ratio, delta = self.values.get("ratio"), self.values.get("delta", Fraction(0))
        ratio = self.values.get("swing") if ratio is None else ratio
        if ratio is not None and above(ratio) <= _LARGEST_DRAWN:
            words = " ".join(self.more) or self.sentence
            yield odds([("at most", above(ratio))], words, delta=above(delta))
        elif isinstance(self.witness, Witness):
            first, second = map(shortened, self.witness.labels)
            event = {"the event": self.witness.probabilities}
            yield Dots("The event that tells two databases apart", (first, second), event)

    def fields(self) -> dict[str, Any]:
        """Return claim, numbers, witness, sentence and what they rest on."""
        return {
            "mechanism": self.mechanism,
            "definition": self.definition,
            **({} if self.holds is None else {"holds": self.holds}),
            **self.values,
            "witness": self.witness,
            "sentence": self.sentence,
            **({"more": self.more} if self.more else {}),
            "assumptions": self.assumptions,
            "notes": self.notes,
            "method": self.method,
            "arithmetic": "exact" if self.exact else "float, with rigorous error bounds",
        }


def within(value: Number, allowed: Number) -> bool | None:
    """Tell whether a value is at most what is allowed, or None where that is not decided.

    What cannot exceed its cap (a probability: 1) needs no digits to be within it.

    >>> within(Fraction(1, 3), Fraction(1, 2))
    True
    """
    if isinstance(value, Real) and value.cap is not None and allowed == value.cap:
        return True
    order = compare(value, allowed)
    return None if order is Order.UNDECIDED else order is not Order.GREATER


def apart(value: Number) -> bool:
    """Tell whether a number is known between two ends only, which no digits bring together."""
    low, high = (value, value) if value == INFINITY else bounds(value)
    return high - low > high * _APART


def left_open(value: Number, allowed: Number, name: str = "number", way_out: str = "") -> str:
    """Say why it is not known whether a value is at most what is allowed, and what to do."""
    if not apart(value):
        return f"it agrees with its limit to {LIMIT_BITS} bits; give the inputs as exact fractions"
    low, high = (decimal(end, side=side) for end, side in zip(bounds(value), _ENDS, strict=True))
    return (
        f"the true {name} lies between {low} and {high}, and the claim allows {show(allowed)}; "
        f"{way_out or f'a claim that allows {high} holds'}"
    )


def _masses(
    mechanism: Mechanism, event: Event, databases: tuple[Point, Point]
) -> tuple[Number, Number]:
    """Return both masses of an event, part by part where it has parts that exclude each other."""
    if isinstance(event, Either):
        (p, q), (r, s) = (
            _masses(mechanism, part, databases) for part in (event.first, event.second)
        )
        return p + r, q + s
    return mechanism.masses(event, databases)


def _written(p: Number, q: Number) -> tuple[str, str]:
    """Write both, rounded so that the printed quotient is no more than the true one."""
    if p != 0 and bounds(p)[0] <= 0:  # too small to enclose away from 0
        return f"below {decimal(p)}", f"below {decimal(q)}"
    first, second = show(p, side="at least"), show(q, side="at most")
    digits = _DIGITS
    while digits < _MOST_DIGITS and _backwards(first, second) and compare(p, q) is Order.GREATER:
        digits *= 2
        first, second = decimal(p, digits, "at least"), decimal(q, digits, "at most")
    return first, second


def _backwards(first: str, second: str) -> bool:
    """Tell whether two decimals are rounded so far that the first does not look larger."""
    low, high = first.removeprefix("at least "), second.removeprefix("at most ")
    return low != first and high != second and Fraction(low) <= Fraction(high)


def shortened(label: str) -> str:
    """Cut a long label in the middle, and say how long it is."""
    if len(label) <= _LONGEST_LABEL:
        return label
    return f"{label[:_KEPT]}...{label[-_KEPT:]} ({len(label)} characters)"
