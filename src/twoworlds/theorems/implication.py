"""Implications: what follows from a guarantee, step by step, and the search for it.

An `Implication` is the answer to ``guarantee.implies(kind)``. It holds the conclusions that no
other one dominates, each with the chain of theorems that leads to it, all further applications
that were tried (with the hypothesis that failed, or the weaker numbers), and counterexamples.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any

from twoworlds.answer import Answer, Facts, Steps
from twoworlds.errors import Undecided
from twoworlds.numbers import Order
from twoworlds.show import Result
from twoworlds.theorems.formulas import order, typed, typed_ratio
from twoworlds.theorems.kinds import kind_of
from twoworlds.theorems.statements import (
    NON_IMPLICATIONS,
    THEOREMS,
    Application,
    Context,
    Outcome,
    Refutation,
)
from twoworlds.worlds import SUBSTITUTE

if TYPE_CHECKING:
    from twoworlds.theorems.guarantee import Guarantee

CONVENTION = (
    "a transcript that is possible in Game 0 but impossible in Game i, where person i is left "
    "out, has no posterior there: it counts as a breach"
)
TAGGED = "simulators are told whose record is missing, as in `ddp(..., tagged=yes)`"
_BELIEF_KINDS = ("semantic", "reality-oblivious", "local-semantic", "conditional")


@dataclass(frozen=True)
class Implication(Result):
    """What follows from a guarantee, and why.

    Attributes:
        given: the guarantee that it starts from.
        context: the kind that was asked for, the numbers aimed at, and further facts.
        conclusions: all guarantees found that no other one dominates.
        tried: every application of a theorem that leads to the kind, also those that failed.
        refutations: counterexamples to stronger conclusions.
    """

    given: Guarantee
    context: Context
    conclusions: tuple[Guarantee, ...]
    tried: tuple[Outcome, ...]
    refutations: tuple[Refutation, ...]

    @property
    def best(self) -> Guarantee | None:
        """The conclusion that reaches the goal, else the nearest one; None if nothing follows."""
        reached = [one for one in self.conclusions if self.reaches(one) is True]
        if self.context.goal and reached:
            return min(reached, key=self._free_numbers)
        return min(self.conclusions, key=self._missed, default=None)

    def _missed(self, one: Guarantee) -> tuple[int, float]:
        """Order for display only: how many numbers aimed at are missed, and how far at most."""
        pairs = ((float(one[name]), float(x)) for name, x in self.context.goal.items())
        missed = [found / x if x else found for found, x in pairs if found > x]
        return len(missed) + (not self._asked_about(one)), max(missed, default=0.0)

    def _free_numbers(self, one: Guarantee) -> list[float]:
        """Order for display only: what was not asked for should be small."""
        return [float(x) for name, x in one.numbers.items() if name not in self.context.goal]

    @property
    def holds(self) -> bool | None:
        """Whether the numbers aimed at (any numbers, if none were) follow; None if not known."""
        reached = [self.reaches(one) for one in self.conclusions]
        if True in reached:
            return True
        refuted = any(refutation.decisive for refutation in self.refutations)
        return False if refuted and None not in reached else None

    def reaches(self, conclusion: Guarantee) -> bool | None:
        """Tell whether a conclusion is as strong as the goal; None when that is undecided."""
        found = {order(conclusion[name], goal) for name, goal in self.context.goal.items()}
        if Order.GREATER in found or not self._asked_about(conclusion):
            return False
        return None if Order.UNDECIDED in found else True

    def _asked_about(self, conclusion: Guarantee) -> bool:
        """Tell whether it has the numbers that are part of the question, such as an order."""
        fixed = kind_of(conclusion.kind).fixed
        goal = self.context.goal
        return all(
            order(conclusion[name], goal[name]) is Order.EQUAL for name in fixed if name in goal
        )

    def __bool__(self) -> bool:
        if self.holds is None:
            raise Undecided(
                f"neither a proof nor a counterexample is known here: {self.given} to "
                f"{self.context.target}; read conclusions, tried and refutations"
            )
        return self.holds

    @property
    def steps(self) -> tuple[Application, ...]:
        """The applications that lead to the best conclusion, in order."""
        return () if self.best is None else steps_to(self.best)

    @property
    def alternatives(self) -> tuple[Outcome, ...]:
        """Other applications: those that failed, and those that gave weaker or traded numbers."""
        used = self.steps[-1] if self.steps else None
        best = self.best
        return tuple(
            outcome
            for outcome in self.tried
            if not (outcome.application is used and outcome.conclusion == best)
        )

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the answer rests on."""
        kinds = {self.context.target, self.given.kind}
        found = [CONVENTION] if kinds & set(_BELIEF_KINDS) else []
        return (*found, TAGGED) if self.context.tagged else tuple(found)

    def answer(self) -> Answer:
        """Say what follows, the proof step by step with citations, and what else was tried."""
        steps = [] if self.best is None else [_step(one) for one in list(self.best.chain())[1:]]
        others = [*self._others()]
        others += [("counterexample", f"{r.of.citation}: {r.text}") for r in self.refutations]
        return Answer(
            self._headline(),
            holds=self.holds,
            undecided=self.holds is None,
            blocks=(*([Steps(steps)] if steps else []), *([Facts(others)] if others else [])),
            assumptions=self.assumptions,
        )

    def _headline(self) -> str:
        asked = _asked(self.context, self.given)
        best = "" if self.best is None else self.best.text(beside=self.given)
        if self.holds is False:
            found = best and f"; what does follow: {best}"
            return f"{self.given} does NOT imply {asked}{found}"
        if self.best is None:
            return f"{self.given}: nothing is known to follow about {asked}"
        if self.holds is None:
            return f"{self.given}: {asked} is neither proved nor refuted; proved: {best}"
        if self.context.goal and asked != best:
            return f"{self.given} implies {asked}; proved: {best}"
        return f"{self.given} implies {best}"

    def _others(self) -> Iterator[tuple[str, str]]:
        later = [one for one in self.conclusions if one != self.best]
        yield from (("also", f"{one.text(beside=self.given)}  [{_route(one)}]") for one in later)
        for outcome in self.alternatives:
            made, one = outcome.application, outcome.conclusion
            if one is None:
                word = "with more facts" if made.missing else "does not apply"
                yield word, f"{made.theorem.citation}: {made.failure}"
            elif one not in self.conclusions:
                other = self.context.neighbours not in (None, one.neighbours)
                word = "for other neighbours" if other else "weaker"
                word = "says nothing" if one.vacuous else word
                yield word, f"{one}  [{_route(one)}]"
                yield from (("", line) for line in _printed_lines(made, one))

    def fields(self) -> dict[str, Any]:
        """Return what follows, its proof, and what else was tried."""
        best = self.best
        return {
            "given": self.given,
            "to": self.context.target,
            "asked": _asked(self.context, self.given),
            "holds": self.holds,
            **({"goal": self.context.goal} if self.context.goal else {}),
            "conclusion": best,
            "steps": [] if best is None else _chain(best),
            "other_conclusions": [
                {**one.fields(), "steps": _chain(one)} for one in self.conclusions if one != best
            ],
            "alternatives": [_outcome(outcome) for outcome in self.alternatives],
            "counterexamples": [
                {
                    **refutation.of.fields(),
                    "text": refutation.text,
                    "refutes_the_numbers_asked_for": refutation.decisive,
                    "facts": refutation.facts,
                }
                for refutation in self.refutations
            ],
            "assumptions": self.assumptions,
        }


def _asked(context: Context, given: Guarantee) -> str:
    """Write the kind that was asked for, with the numbers and the setting aimed at."""
    parts = [
        typed_ratio(x) if name == "ratio" else f"{name}={typed(x)}"
        for name, x in context.goal.items()
        if name != "delta" or x != 0 or len(context.goal) == 1
    ]
    if parts and context.level is not None and "level" in kind_of(context.target).fixed:
        parts.insert(0, f"level={typed(context.level)}")
    if context.neighbours is not None and {context.neighbours, given.neighbours} != {SUBSTITUTE}:
        parts.append(f"neighbours={context.neighbours}")
    if context.group not in (None, 1):
        parts.append(f"group={context.group}")
    return f"{context.target}({', '.join(parts)})" if parts else context.target


def steps_to(conclusion: Guarantee) -> tuple[Application, ...]:
    """Return the applications that derived a guarantee, in order."""
    return tuple(one.source for one in conclusion.chain() if one.source is not None)


def _route(conclusion: Guarantee) -> str:
    return "; ".join(made.theorem.citation for made in steps_to(conclusion)) or "as stated"


def _step(conclusion: Guarantee) -> tuple[str, list[str]]:
    made = conclusion.source
    assert made is not None
    theorem = made.theorem
    remarks = [f"from {made.given}", *(f"checked: {check.text}" for check in made.checks)]
    remarks.append(f"gives {conclusion} ({theorem.tightness})")
    said = f"{theorem.citation}: {theorem.statement}"
    return said, [*remarks, *_printed_lines(made, conclusion)]


def _printed_lines(made: Application, conclusion: Guarantee) -> Iterator[str]:
    theorem = made.theorem
    if theorem.printed:
        word = "printed, false" if theorem.printed_false else "printed"
        yield f"{word}: {theorem.printed}{_printed_here(made, conclusion)}"
    if theorem.corrected:
        yield f"corrected: {theorem.corrected}"
    if theorem.erratum:
        yield f"erratum: {theorem.erratum}"


def _printed_here(made: Application, conclusion: Guarantee) -> str:
    if made.printed is None:
        return ""
    implied = made.theorem.printed_false and conclusion.at_least_as_strong_as(made.printed)
    return f", here {made.printed}{', which is true' if implied else ''}"


def _chain(conclusion: Guarantee) -> list[dict[str, Any]]:
    return [
        _outcome(Outcome(one.source, one)) for one in conclusion.chain() if one.source is not None
    ]


def _outcome(outcome: Outcome) -> dict[str, Any]:
    made, conclusion = outcome.application, outcome.conclusion
    checks = [{"hypothesis": one.name, "holds": one.ok, "text": one.text} for one in made.checks]
    return {
        "theorem": made.theorem,
        "given": made.given,
        "checks": checks,
        "applies": conclusion is not None,
        "fails": made.failure,
        "conclusion": conclusion,
        "says_nothing": None if conclusion is None else conclusion.vacuous,
        "printed": made.printed,
        "printed_is_false": made.theorem.printed_false,
    }


# --- The search for implications: chains of theorems from one guarantee to a kind ----------------
# Best first, shortest chains before longer ones: every theorem is tried on every guarantee that
# was reached, up to four steps. A conclusion that another one of the same kind and setting
# dominates (no number is smaller) is dropped, so that the strongest remain; where one number is
# traded for another, all that are not dominated are kept. Where numbers are aimed at, every
# theorem is tried with all of them as its aim, with each alone, and with none, so that a claim
# that cannot be reached hides nothing of what does follow. Conclusions that hold of every
# mechanism are listed among the alternatives and lead no further. From a kind that accountants
# convert to, no chain comes back to a kind that it has left: conversions there and back only lose.

LONGEST = 4


def search(given: Guarantee, context: Context) -> Implication:
    """Find the strongest guarantees of the wanted kind, and everything that was tried for them."""
    kind_of(context.target)
    given = replace(given, source=None)  # the chains begin here, wherever it came from
    kept: list[Guarantee] = [given]
    tried: list[Outcome] = []
    order = count()
    queue = [(0, next(order), given)]
    while queue:
        steps, _, here = heapq.heappop(queue)
        if steps == LONGEST or not any(here is one for one in kept):
            continue  # dominated since it was queued
        for outcome in _outcomes(here, context):
            tried.append(outcome)
            new = outcome.conclusion
            if new is not None and not new.vacuous and _keep(new, kept):
                heapq.heappush(queue, (steps + 1, next(order), new))
    refutations = [
        found
        for statement in NON_IMPLICATIONS.values()
        if given.kind in statement.premises and statement.conclusion == context.target
        if (found := statement.refute(given, context)) is not None
    ]
    answers = sorted((one for one in kept if _wanted(one, context)), key=_by_length)
    leading = set() if answers else _leading_to(context.target, {one.kind for one in kept})
    told = _told(tried, context, leading)
    return Implication(given, context, tuple(answers), told, tuple(refutations))


def _outcomes(given: Guarantee, context: Context) -> list[Outcome]:
    converted = bool(kind_of(given.kind).amounts)
    left = {one.kind for one in given.chain()} - {given.kind} if converted else set()
    return [
        outcome
        for theorem in THEOREMS.values()
        if given.kind in theorem.premises and not theorem.combines
        if theorem.conclusion not in left
        for aimed in _aims(context)
        for outcome in theorem.apply(given, aimed)
    ]


def _aims(context: Context) -> list[Context]:
    """Return the question with all numbers aimed at, with each alone, and with none."""
    goal = dict(context.goal)
    parts = [goal, *({name: x} for name, x in goal.items()), {}]
    distinct = [part for i, part in enumerate(parts) if part not in parts[:i]]
    return [replace(context, goal=part) for part in distinct]


def _keep(new: Guarantee, kept: list[Guarantee]) -> bool:
    """Add a guarantee unless it is dominated, and drop what it dominates."""
    if any(one.at_least_as_strong_as(new) for one in kept):
        return False
    kept[:] = [one for one in kept if not new.at_least_as_strong_as(one)] + [new]
    return True


def _wanted(one: Guarantee, context: Context) -> bool:
    """Tell whether a guarantee answers the question, and does not just trade an earlier answer."""
    if one.kind != context.target or context.group not in (None, one.group):
        return False
    if context.neighbours not in (None, one.neighbours):
        return False
    here = (one.kind, one.neighbours, one.group)
    *earlier, _ = one.chain()
    traded = any((g.kind, g.neighbours, g.group) == here for g in earlier)
    return bool(context.goal) or not traded


def _told(tried: list[Outcome], context: Context, leading: set[str]) -> tuple[Outcome, ...]:
    """Keep one application of each theorem: the first that worked, else the first that failed.

    Theorems that conclude the kind are told, and those that conclude what leads to it, where only
    facts are missing.
    """
    chosen: dict[str, Application] = {}
    for outcome in tried:
        made = outcome.application
        on_way = made.missing and made.theorem.conclusion in leading
        if made.theorem.auxiliary or not (made.theorem.conclusion == context.target or on_way):
            continue
        before = chosen.get(made.theorem.name)
        if before is None or (before.failure is not None and made.failure is None):
            chosen[made.theorem.name] = made
    return tuple(
        outcome
        for outcome in tried
        if chosen.get(outcome.application.theorem.name) is outcome.application
    )


def _leading_to(kind: str, reached: set[str]) -> set[str]:
    """Return the kinds not reached from which chains of theorems lead to a kind."""
    found = {kind}
    for _ in range(LONGEST):
        found |= {
            premise
            for theorem in THEOREMS.values()
            if theorem.conclusion in found and not theorem.combines
            for premise in theorem.premises
            if premise not in reached
        }
    return found


def _by_length(one: Guarantee) -> tuple[float, ...]:
    """Order for display only: the shortest proof, then the smallest first number, comes first."""
    return (len(list(one.chain())), *(float(x) for x in one.numbers.values()))
