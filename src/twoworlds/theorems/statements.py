r"""Theorems and counterexamples as data: checked hypotheses, computed conclusions, and the print.

A `Theorem` joins the statement of a paper with what is known about it: the printed form, the
corrected form where print is wrong, the tight form where one is known. `THEOREMS` is an open
registry: a file for another paper adds to it with the decorator `theorem`. A printed form that is
false is kept as text, and its numbers are shown as printed and false; they are never a conclusion.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from twoworlds.answer import Answer, Facts
from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number
from twoworlds.show import Result

if TYPE_CHECKING:
    from twoworlds.theorems.guarantee import Guarantee

Tightness = Literal["tight", "proved", "loose", "numerical only"]


@dataclass(frozen=True)
class Check:
    """One hypothesis, tried on given values."""

    name: str
    ok: bool
    text: str
    missing: bool = False


@dataclass(frozen=True)
class Context:
    """The question around a guarantee: what is aimed at, and further facts.

    Attributes:
        target: the kind that is wanted.
        goal: numbers of that kind that are wanted.
        group: the group size that is wanted, or None.
        neighbours: the neighbour relation that is wanted, or None.
        values: how many values a record may have, or None when not known.
        delta1: the mass of the databases outside of the set E, or None when not known.
        level: the level of a test, or None.
        symmetric: whether the release does not depend on the order of records; None if not known.
        tagged: whether simulators are told whose record is missing; None stands for no.
        decided: whether every secret is 0 or 1, never undecided; None if not known.
        others: further premises, for theorems that combine mechanisms.
    """

    target: str
    goal: Mapping[str, Number] = field(default_factory=dict)
    group: int | None = None
    neighbours: str | None = None
    values: int | None = None
    delta1: Number | None = None
    level: Number | None = None
    symmetric: bool | None = None
    tagged: bool | None = None
    decided: bool | None = None
    others: tuple[Guarantee, ...] = ()

    def aim(self, kind: str, name: str) -> Number | None:
        """Return the number aimed at, if this kind is the one that is wanted."""
        return self.goal.get(name) if kind == self.target else None


Hypothesis = Callable[["Guarantee", Context], Check]
Rule = Callable[["Guarantee", Context], "Guarantee | Sequence[Guarantee]"]
Printed = Callable[["Guarantee", Context], "Guarantee | None"]


@dataclass(frozen=True)
class Theorem(Result):
    """A statement that turns guarantees of some kinds into one of another.

    Attributes:
        name: a short identifier.
        citation: authors and place.
        premises: the kinds that it starts from.
        conclusion: the kind that it leads to.
        statement: what is used here, in one line.
        rule: computes the conclusions, once all hypotheses hold.
        hypotheses: what is checked first.
        printed: the printed form, as text.
        printed_rule: the printed numbers, where they can be computed.
        printed_false: whether the printed form is false.
        corrected: the corrected form, where print is wrong.
        tight: the tight form, where known.
        tightness: how good the conclusion used here is.
        erratum: what is wrong in print, be it in the statement or in the proof.
        auxiliary: whether it only restates or changes the setting; the list of alternatives leaves
            it out.
        combines: whether it speaks of a new mechanism made from others; the search for
            implications leaves these alone.
    """

    name: str
    citation: str
    premises: tuple[str, ...]
    conclusion: str
    statement: str
    rule: Rule = field(repr=False)
    hypotheses: tuple[Hypothesis, ...] = field(default=(), repr=False)
    printed: str = ""
    printed_rule: Printed | None = field(default=None, repr=False)
    printed_false: bool = False
    corrected: str | None = None
    tight: str | None = None
    tightness: Tightness = "proved"
    erratum: str | None = None
    auxiliary: bool = False
    combines: bool = False

    def apply(self, given: Guarantee, context: Context) -> tuple[Outcome, ...]:
        """Check every hypothesis, and draw the conclusions if all of them hold."""
        checks = tuple(hypothesis(given, context) for hypothesis in self.hypotheses)
        printed = None
        if self.printed_rule is not None and all(check.ok for check in checks):
            printed = self.printed_rule(given, context)
        made = Application(self, given, checks, printed)
        if not all(check.ok for check in checks):
            return (Outcome(made, None),)
        found = self.rule(given, context)
        several = found if isinstance(found, Sequence) else (found,)
        return tuple(Outcome(made, replace(one, source=made)) for one in several)

    def conclude(self, given: Guarantee, context: Context | None = None) -> Guarantee:
        """Return the first conclusion."""
        first = self.apply(given, context or Context(self.conclusion))[0]
        if first.conclusion is None:
            raise InvalidInput(f"{self.citation} does not apply: {first.application.failure}")
        return first.conclusion

    def answer(self) -> Answer:
        printed = "printed, false" if self.printed_false else "printed"
        told = {
            "kinds": f"{' or '.join(self.premises)} => {self.conclusion} ({self.tightness})",
            printed: self.printed,
            "corrected": self.corrected,
            "tight": self.tight,
            "erratum": self.erratum,
        }
        facts = [(name, text) for name, text in told.items() if text]
        return Answer(
            self.statement, subject=self.name, claim=self.citation, blocks=(Facts(facts),)
        )

    def fields(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "citation": self.citation,
            "from": self.premises,
            "to": self.conclusion,
            "statement": self.statement,
            "printed": self.printed or None,
            "printed_is_false": self.printed_false,
            "corrected": self.corrected,
            "tight": self.tight,
            "tightness": self.tightness,
            "erratum": self.erratum,
        }


@dataclass(frozen=True)
class Application:
    """A theorem applied to a guarantee: the checked hypotheses, and what print would give."""

    theorem: Theorem
    given: Guarantee
    checks: tuple[Check, ...]
    printed: Guarantee | None

    @property
    def failure(self) -> str | None:
        """The first hypothesis that fails, with its value; None when all hold."""
        return next((check.text for check in self.checks if not check.ok), None)

    @property
    def missing(self) -> bool:
        """Whether facts are missing, rather than a hypothesis refuted."""
        failed = [check for check in self.checks if not check.ok]
        return bool(failed) and failed[0].missing


@dataclass(frozen=True)
class Outcome:
    """An application with its conclusion; None when a hypothesis failed."""

    application: Application
    conclusion: Guarantee | None


THEOREMS: dict[str, Theorem] = {}
_NAMES: set[str] = set()


def theorem(
    heading: str, citation: str, statement: str = "", **more: Any
) -> Callable[[Rule], Rule]:
    """Return a decorator that registers a rule, whose docstring begins with the statement.

    The heading names the theorem and its kinds, as in ``ks-3.3-3: dp => joint`` or ``bgks-6: ddp or
    coupled-worlds => coupled-worlds``.
    """

    def add(rule: Rule) -> Rule:
        name, premises, conclusion = _taken(heading, " => ")
        said = statement or _first_line(rule)
        THEOREMS[name] = Theorem(name, citation, premises, conclusion, said, rule, **more)
        return rule

    return add


def _same_numbers(given: Guarantee, _context: Context, *, kind: str = "") -> Guarantee:
    """Conclude the same numbers, of another kind or of the same."""
    return given.to(kind or given.kind, **given.numbers)


def restate(heading: str, citation: str, statement: str, **more: Any) -> None:
    """Register that one kind is a case of another: the numbers stay."""
    kind = heading.rpartition(" ")[2]
    rule = partial(_same_numbers, kind=kind)
    theorem(heading, citation, statement, tightness="tight", **more)(rule)


def keep(heading: str, citation: str, statement: str, **more: Any) -> None:
    """Register that another mechanism, or another belief, has the same kind and numbers."""
    theorem(heading, citation, statement, tightness="tight", combines=True, **more)(_same_numbers)


def _taken(heading: str, arrow: str) -> tuple[str, tuple[str, ...], str]:
    """Read a heading: its name, which one statement may have, and the kinds on either side."""
    name, _, kinds = heading.partition(": ")
    if name in _NAMES:
        raise InvalidInput(f"theorem {name!r} is registered twice")
    _NAMES.add(name)
    premises, _, conclusion = kinds.partition(arrow)
    return name, tuple(premises.split(" or ")), conclusion


def _first_line(function: Callable[..., Any]) -> str:
    """Return the first line of a docstring, which states the theorem."""
    return (inspect.getdoc(function) or "").partition("\n")[0]


# --- What does not follow: one kind does not imply another, each time with a counterexample ------
# `NON_IMPLICATIONS` is an open registry like that of the theorems. A counterexample is computed
# for the guarantee at hand, and says whether it refutes the very numbers that were asked for.

Found = tuple[str, bool, dict[str, Number]]
"""A counterexample as its finder gives it: text, whether it decides the question, exact facts."""
Refute = Callable[["Guarantee", Context], Found | None]


@dataclass(frozen=True)
class Refutation:
    """A counterexample to an implication."""

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
        facts = [("kinds", f"{' or '.join(self.premises)} =/=> {self.conclusion}")]
        facts += [("erratum", self.erratum)] if self.erratum else []
        return Answer(
            self.statement, subject=self.name, claim=self.citation, blocks=(Facts(facts),)
        )

    def fields(self) -> dict[str, Any]:
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
    heading: str, citation: str, statement: str = "", *, erratum: str | None = None
) -> Callable[[Refute], Refute]:
    """Return a decorator that registers a counterexample: text, decisive, facts; or None.

    The heading names it and the kinds, as in ``dp-limit: dp =/=> dp``.
    """

    def add(refute: Refute) -> Refute:
        name, premises, conclusion = _taken(heading, " =/=> ")
        said = statement or _first_line(refute)

        def refutation(given: Guarantee, context: Context) -> Refutation | None:
            found = refute(given, context)
            return None if found is None else Refutation(NON_IMPLICATIONS[name], *found)

        NON_IMPLICATIONS[name] = NonImplication(
            name, citation, premises, conclusion, said, refutation, erratum
        )
        return refute

    return add
