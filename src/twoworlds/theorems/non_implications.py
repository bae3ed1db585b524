"""What does not follow: one kind does not imply another, each time with a counterexample.

`NON_IMPLICATIONS` is an open registry like that of the theorems. A counterexample is computed for
the guarantee at hand, and says whether it refutes the very numbers that were asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from twoworlds.answer import Answer, Facts
from twoworlds.numbers import Number
from twoworlds.show import Result
from twoworlds.theorems.statements import Context, first_line, take_name

if TYPE_CHECKING:
    from twoworlds.theorems.guarantee import Guarantee

__all__ = ["NON_IMPLICATIONS", "Found", "NonImplication", "Refutation", "non_implication"]

Found = tuple[str, bool, dict[str, Number]]
"""A counterexample as its finder gives it: text, whether it decides the question, exact facts."""


@dataclass(frozen=True)
class Refutation:
    """A counterexample to an implication.

    Attributes:
        of: what does not follow.
        text: the counterexample, with its numbers.
        decisive: whether it refutes the very numbers that were asked for.
        facts: the exact numbers of the counterexample.
    """

    of: NonImplication
    text: str
    decisive: bool
    facts: Mapping[str, Number] = field(default_factory=dict)


@dataclass(frozen=True)
class NonImplication(Result):
    """A statement that one kind does not imply another, with a counterexample that is computed."""

    name: str
    citation: str
    premises: tuple[str, ...]
    conclusion: str
    statement: str
    refute: Callable[[Guarantee, Context], Refutation | None] = field(repr=False)
    erratum: str | None = None

    def answer(self) -> Answer:
        """Say the statement, and where it stands."""
        facts = [("kinds", f"{' or '.join(self.premises)} =/=> {self.conclusion}")]
        facts += [("erratum", self.erratum)] if self.erratum else []
        return Answer(
            self.statement, subject=self.name, claim=self.citation, blocks=(Facts(facts),)
        )

    def fields(self) -> dict[str, Any]:
        """Return the statement."""
        return {
            "name": self.name,
            "citation": self.citation,
            "from": self.premises,
            "not_to": self.conclusion,
            "statement": self.statement,
            "erratum": self.erratum,
        }


NON_IMPLICATIONS: dict[str, NonImplication] = {}


def non_implication(
    name: str,
    *,
    premises: Sequence[str],
    conclusion: str,
    citation: str,
    erratum: str | None = None,
) -> Callable[[Any], Any]:
    """Return a decorator that registers a counterexample: text, decisive, facts; or None."""

    def add(
        refute: Callable[[Guarantee, Context], Found | None],
    ) -> Any:
        take_name(name)

        def refutation(given: Guarantee, context: Context) -> Refutation | None:
            found = refute(given, context)
            return None if found is None else Refutation(NON_IMPLICATIONS[name], *found)

        NON_IMPLICATIONS[name] = NonImplication(
            name, citation, tuple(premises), conclusion, first_line(refute), refutation, erratum
        )
        return refute

    return add
