"""Witnesses of semantic privacy: a belief, and what an output does to it.

`GameWitness` is one output and one person: it re-verifies by playing Game 0 and the game without
that person. `FailureWitness` is how often a belief sees a breach: it re-verifies by finding the
breaches afresh.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.definitions.semantics.breaches import failure_of, views
from twoworlds.definitions.semantics.games import conclusions, default_value, people
from twoworlds.definitions.verdict import Proof, shortened
from twoworlds.laws.comparison import larger
from twoworlds.laws.event import agree
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import Number, at_most_one, maximum, show, to_json
from twoworlds.worlds import Point
from twoworlds.worlds.belief import Belief

_SHOWN = 4


@dataclass(frozen=True)
class GameWitness(Proof):
    """A belief, an output and a person whose data makes the stated difference.

    A posterior without the person that is undefined is a difference of 1. ``given`` says that the
    belief is the one that was asked about.
    """

    mechanism: Mechanism = field(repr=False)
    belief: Belief
    output: Point
    person: int
    difference: Number
    default: object = None
    given: bool = False

    def _games(self) -> tuple[Belief | None, Belief | None]:
        return conclusions(
            self.mechanism, self.belief, self.output, self.person, default=self.default
        )

    def verify(self) -> bool:
        """Play the two games afresh and compare with the difference stated."""
        real, removed = self._games()
        if real is None or removed is None:
            return real is not None and self.difference == 1
        return agree(real.difference(removed), self.difference)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the belief, or what becomes of a given one, after the output."""
        if not self.given:
            yield from _shown(self.belief)
        output = shortened(self.mechanism.outputs.label(self.output))
        yield "worst case", f"output {output}, with and without person {self.person}"
        if not self.given:
            return
        real, removed = self._games()
        if real is None or removed is None:
            yield "", "without their data this output is impossible: it gives them away"
            return
        yield "", f"the conclusions differ by {show(at_most_one(self.difference))}"
        used, unused = real.marginal(self.person), removed.marginal(self.person)
        value = max(used, key=lambda v: float(used[v] - unused[v]))
        chances = f"{show(used[value])} with their data, {show(unused[value])} without"
        yield "", f"record {self.person} is {value}: probability {chances}"

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        found = {
            "output": self.mechanism.outputs.label(self.output),
            "person": self.person,
            "difference": to_json(self.difference),
        }
        if self.given:
            value = default_value(people(self.mechanism.universe), self.default, self.mechanism)
            return {**found, "default": str(value)}
        return {"belief": _plain(self.belief), **found}


@dataclass(frozen=True)
class FailureWitness(Proof):
    """A belief that sees a breach at least so often.

    Attributes:
        truth: the true database; drawn from the belief itself where None.
        output: a breach that the true database can lead to.
        people: of how many the same is believed independently, each treated on its own.
    """

    mechanism: Mechanism = field(repr=False)
    belief: Belief
    epsilon: Number
    failure: Number
    default: object = None
    truth: Point | None = None
    output: Point | None = None
    people: int = 1

    @property
    def difference(self) -> Number | None:
        """The largest difference after the output shown; None where a posterior is undefined."""
        worst: Number = Fraction(0)
        if self.output is not None:
            for view in views(self.mechanism, self.belief, self.default):
                if any(sum(game, Fraction(0)) == 0 for game in view.joint(self.output)):
                    return None
                worst = maximum(worst, view.difference(self.output))
        return worst

    def verify(self) -> bool:
        """Find the breaches afresh, and play the games for the output shown."""
        one = failure_of(self.mechanism, self.belief, self.epsilon, self.default, self.truth)
        if larger(self.failure, 1 - (1 - one) ** self.people):
            return False
        difference = self.difference
        return self.output is None or difference is None or larger(difference, self.epsilon)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the belief, and how often it sees a breach."""
        yield from _shown(self.belief)
        if self.people > 1:
            yield "", f"and so for each of {self.people} people, independently"
        often = show(self.failure, side="at least")
        if self.truth is None:
            yield "breach", f"with probability {often} under this belief"
        else:
            truth = shortened(self.belief.universe.label(self.truth))
            yield "truth", f"{truth}: a breach with probability {often}"
        if self.output is not None:
            output, difference = self.mechanism.outputs.label(self.output), self.difference
            differ = "undefined: a breach"
            if difference is not None:
                differ = f"differ by {show(difference)}"
            yield "", f"for example output {output}: with and without a person, {differ}"

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        belief, failure = _plain(self.belief), to_json(self.failure, side="down")
        if self.truth is None:
            found = {"belief": belief, "epsilon": to_json(self.epsilon), "failure": failure}
            return {**found, "people": self.people} if self.people > 1 else found
        output, difference = self.output, self.difference
        return {
            "belief": belief,
            "truth": self.belief.universe.label(self.truth),
            "failure": failure,
            "output": None if output is None else self.mechanism.outputs.label(output),
            "difference": None if difference is None else to_json(difference),
        }


def _shown(belief: Belief) -> Iterator[tuple[str, str]]:
    """Yield the databases held possible; of many, the likeliest."""
    listed = list(belief.items())
    if len(listed) > _SHOWN:
        listed.sort(key=lambda item: -float(item[1]))
    for x, mass in listed[:_SHOWN]:
        yield "belief", f"{show(mass)} in {shortened(belief.universe.label(x))}"
    if len(listed) > _SHOWN:
        yield "", f"and {len(listed) - _SHOWN} more"


def _plain(belief: Belief) -> dict[str, Any]:
    return {belief.universe.label(x): to_json(mass) for x, mass in belief.items()}
