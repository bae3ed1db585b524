r"""The search for implications: chains of theorems from one guarantee to a kind.

Best first, shortest chains before longer ones: every theorem is tried on every guarantee that was
reached, up to four steps. A conclusion that another one of the same kind and setting dominates
(no number is smaller) is dropped, so that the strongest remain; where one number is traded for
another, all that are not dominated are kept. Where numbers are aimed at, every theorem is tried
with all of them as its aim, with each alone, and with none, so that a claim that cannot be reached
hides nothing of what does follow. Conclusions that hold of every mechanism are listed among the
alternatives and lead no further.
"""

from __future__ import annotations

import heapq
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from twoworlds.theorems.implication import Implication
from twoworlds.theorems.kinds import kind_of
from twoworlds.theorems.non_implications import NON_IMPLICATIONS
from twoworlds.theorems.statements import THEOREMS, Application, Context, Outcome

if TYPE_CHECKING:
    from twoworlds.theorems.guarantee import Guarantee

__all__ = ["LONGEST", "search"]

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
    return [
        outcome
        for theorem in THEOREMS.values()
        if given.kind in theorem.premises and not theorem.combines
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
