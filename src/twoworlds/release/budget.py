r"""Caps on privacy costs, as filters that hold for every adaptive choice of queries and costs.

Ten costs of 0.1 fill a cap of 1 exactly, and an eleventh of any size does not fit. An irrational
cap, such as ln 3, is rounded down.

What was spent is four sums over the costs paid so far, and nothing else need be kept:

    E  the epsilons of pure and approximate costs      D  their deltas
    R  the rhos of zCDP costs                          T  R and the rhos that the epsilons imply

where epsilon implies rho = epsilon tanh(epsilon / 2) (`twoworlds.release.costs`).

A cap is a *filter*: analysts choose each next query, and its cost, after they saw earlier answers.
Then composition theorems whose costs are fixed beforehand, optimal composition among them, do not
apply (Rogers, Roth, Ullman & Vadhan 2016). These rules hold for every adaptive choice:

    cap epsilon           D = 0, R = 0, E <= epsilon                        basic composition
    cap rho               D = 0, T <= rho                                   zCDP composition
    cap (epsilon, delta)  D <= delta - tail, and one of
                              R = 0, E <= epsilon                           basic composition
                              T <= rho*, where rho*-zCDP implies (epsilon, tail)-DP     zCDP

where `tail` is the part of delta that the owner of the data sets aside, once, for the tail of the
privacy loss. With tail = 0 (the default, ``composition=basic``) deltas may add up to delta and only
basic composition is used. With tail > 0 (delta / 2 for ``composition=tighter``) a charge that fits
by either rule is let through, so that many small costs fit, and zCDP costs fit at all.

Proof of the last rule, for two neighbouring worlds with laws P and Q of all that is seen.

1. A cost (epsilon_i, delta_i) is a post-processing of randomized response at epsilon_i that leaks
   the world with probability delta_i (Kairouz, Oh & Viswanath 2015). So is a strategy of several
   questions, paid at once and asked between other queries (Vadhan & Wang 2021): along every
   transcript its laws p and q in the two worlds differ by the factor e^epsilon at most, so that
   (e^epsilon p - q) / (e^epsilon - 1) and (e^epsilon q - p) / (e^epsilon - 1) answer all questions
   by laws of their own, and randomized response chooses between these two.
2. The expected number of leaks is the expected sum of the delta_i, and this sum is at most
   delta - tail on every path. So some leak happens with probability delta - tail at most, however
   the costs are chosen. Without one, the loss is that of randomized response.
3. The last charge of every path fitted, so the paths without leaks are of two kinds. Those of A end
   with R = 0 and E <= epsilon: there P <= e^epsilon Q at every point, and A adds nothing to delta.
   All others, B, end with T <= rho*.
4. Stop the process before T would exceed rho*; T never falls, so this changes no path of B. For
   each order alpha > 1, e^((alpha - 1)(L - alpha T)) is a supermartingale of the loss L, as each
   cost is known before its answer (Feldman & Zrnic 2021; Whitehouse, Ramdas, Rogers & Wu 2023). So
   the stopped loss has E[e^((alpha - 1) L)] <= e^((alpha - 1) alpha rho*), which is all that the
   conversion to (epsilon, tail) uses: B adds at most tail.

Together P(S) <= e^epsilon Q(S) + (delta - tail) + tail for every event S. The union of two rules
costs no further delta because basic composition holds at every point. What must be fixed before the
first answer is epsilon, delta and tail: an epsilon that is read off on the way (`Cap.used`) is no
promise, only the cap is; and an owner who sets another cap in the light of answers adds its tail to
delta.

A batch fixed in advance (`twoworlds.release.sensitivity.fixed`) is one cost of one of these kinds.
Its queries and their epsilons may be chosen by earlier answers, as any cost may, but none of them
by an answer of the batch: all are drawn, stored and shown together. So it is one mechanism without
questions in between, (epsilon*, delta_i)-private for every history before it, and step 1 takes it
like any other cost. That is where optimal composition has its place: inside a cost, never across
costs.

What was released so far (`Cap.so_far`) can be said for every adaptive choice, too, where R = 0.
Where no delta was paid, P <= e^E Q at the transcript at hand, as in step 3, whatever would have
been chosen on other paths. Where deltas were paid, their sum D bounds leaks at a moment that was
fixed in advance, and not at one that answers choose: whoever stops at the first leak has seen one,
however small D is then. But some leak, at any moment, happens with probability delta - tail at
most, and without one the loss is at most E at every moment: so this is (E, delta - tail). In all
other cases only the promise of the cap is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from twoworlds.errors import InvalidInput
from twoworlds.numbers import decimal, exact_text, rational, show
from twoworlds.release.costs import (
    Cost,
    amount,
    exact_sum,
    pure_to_zcdp,
    pure_within,
    read_numbers,
    zcdp_to_delta,
    zcdp_to_epsilon,
    zcdp_within,
)

BASIC = "basic composition"
CONCENTRATED = "zCDP composition"
_LIMIT_DIGITS = 6  # well inside the precision of the bound, so that any machine can check it


@dataclass(frozen=True)
class ComposedCost:
    """What several costs come to, the rule that says so, and what each rule that applies says."""

    cost: Cost
    rule: str
    all: Mapping[str, Cost] = field(compare=False)

    @staticmethod
    def tighter(found: Mapping[str, Cost]) -> ComposedCost:
        """Return the one with the least epsilon, or rho."""
        rule = min(found, key=lambda name: (found[name].epsilon, found[name].delta))
        return ComposedCost(found[rule], rule, found)

    def shown(self) -> str:
        """Return it in words, with what the other rules would say.

        >>> from twoworlds.release.costs import parse_cost
        >>> cap, spent = parse_cap("epsilon=3, delta=1e-6, composition=tighter"), Spent()
        >>> for _ in range(100):
        ...     spent = spent.plus(parse_cost("0.03"))
        >>> cap.used(spent).shown()
        'epsilon about 1.43401, delta 5e-7 by zCDP composition; the plain sum would be epsilon 3'
        """
        return f"{self.cost.shown()} by {self.rule}" + "".join(
            f"; {'the plain sum' if rule == BASIC else f'by {rule} it'} would be {cost.shown()}"
            for rule, cost in self.all.items()
            if rule != self.rule
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "cost": self.cost.to_dict(),
            "rule": self.rule,
            "by_rule": {rule: cost.to_dict() for rule, cost in self.all.items()},
        }


@dataclass(frozen=True)
class Spent:
    """The four sums of all costs paid so far (the legend is at the top of the module)."""

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    concentrated: Fraction = Fraction(0)

    def plus(self, cost: Cost) -> Spent:
        """Return the sums after one more cost."""
        return Spent(
            exact_sum(self.epsilon, cost.epsilon),
            exact_sum(self.delta, cost.delta),
            exact_sum(self.rho, cost.rho),
            exact_sum(self.concentrated, cost.rho or pure_to_zcdp(cost.epsilon)),
        )


@dataclass(frozen=True)
class Cap:
    """The most that may be spent, with the part of delta that is set aside for the tail.

    >>> from twoworlds.release.costs import parse_cost
    >>> cap, spent = parse_cap("epsilon=1"), Spent()
    >>> for _ in range(10):
    ...     spent = spent.plus(parse_cost("0.1"))
    >>> cap.rule(spent), cap.rule(spent.plus(parse_cost("1e-30")))
    ('basic composition', None)
    """

    most: Cost
    tail: Fraction = Fraction(0)
    limit: Fraction | None = field(default=None, compare=False)  # see `read_cap`

    def __post_init__(self) -> None:
        """Refuse a tail that the cap has no room for."""
        if not 0 <= self.tail <= self.most.delta:
            raise InvalidInput(
                f"tail={show(self.tail)} must lie between 0 and delta={show(self.most.delta)}: "
                "it is the part of delta set aside for zCDP composition"
            )
        if self.tail == 1 or self.most.delta == 1:
            raise InvalidInput("a cap with delta=1 promises nothing: give a delta below 1")

    @cached_property
    def concentrated(self) -> Fraction:
        """The largest T: rho itself, or rho* for (epsilon, tail)."""
        if self.limit is not None:
            return self.limit
        if self.most.kind == "zcdp":
            return self.most.rho
        limit = zcdp_within(self.most.epsilon, self.tail)
        return Fraction(decimal(limit, _LIMIT_DIGITS, "down"))

    def stored(self) -> dict[str, str]:
        """Return the cap as text, with the largest T, which `read_cap` reads."""
        return {"cap": str(self), "concentrated": str(exact_text(self.concentrated))}

    def rule(self, spent: Spent) -> str | None:
        """Return the rule by which what was spent lies within the cap, or None if none does."""
        if spent.delta > self.most.delta - self.tail:
            return None
        if not spent.rho and self.most.kind != "zcdp" and spent.epsilon <= self.most.epsilon:
            return BASIC
        return CONCENTRATED if spent.concentrated <= self.concentrated else None

    @property
    def composition(self) -> str:
        """How costs add up under it: ``basic``, ``zCDP``, or ``tighter``, by either of the two."""
        return "zCDP" if self.most.kind == "zcdp" else "tighter" if self.tail else "basic"

    def used(self, spent: Spent) -> ComposedCost:
        """Return what was spent in the cap's own kind of cost, by the tighter rule.

        For a cap (epsilon, delta) this is a reading, not a promise: the promise is the cap.
        """
        if self.most.kind == "zcdp":
            return ComposedCost.tighter({CONCENTRATED: Cost(rho=spent.concentrated)})
        found = {} if spent.rho else {BASIC: Cost(spent.epsilon, spent.delta)}
        if self.tail and spent.concentrated:
            epsilon = zcdp_to_epsilon(spent.concentrated, self.tail)
            found[CONCENTRATED] = Cost(epsilon, min(spent.delta + self.tail, Fraction(1)))
        return ComposedCost.tighter(found or {CONCENTRATED: Cost(rho=spent.concentrated)})

    def so_far(self, spent: Spent) -> Cost | None:
        """Return what was paid so far comes to for every adaptive choice; None if only a promise.

        >>> from twoworlds.release.costs import parse_cost
        >>> cap = parse_cap("epsilon=3, delta=1e-6")
        >>> paid = Spent().plus(parse_cost("epsilon=1/2, delta=1e-7"))
        >>> str(cap.so_far(paid)), cap.so_far(paid.plus(parse_cost("rho=1/8")))
        ('epsilon=1/2, delta=1/1000000', None)
        """
        allowed = self.most.delta - self.tail
        if spent.rho or spent.delta > allowed:
            return None
        return Cost(spent.epsilon, allowed if spent.delta else Fraction(0))

    def left(self, spent: Spent) -> Cost:
        """Return a cost that still fits (more of smaller ones may), 0 when nothing does."""
        room = max(Fraction(0), self.concentrated - spent.concentrated)
        basic = max(Fraction(0), self.most.epsilon - spent.epsilon)
        if spent.rho or (room and room > pure_to_zcdp(basic)):
            found = Cost(rho=room)
        else:
            found = Cost(basic, max(Fraction(0), self.most.delta - self.tail - spent.delta))
            within = spent.delta <= self.most.delta - self.tail
            if within and self.most.kind != "zcdp" and spent.epsilon <= self.most.epsilon:
                return found  # by basic composition
        return found if self.rule(spent.plus(found)) else Cost()

    def largest(self, spent: Spent) -> Cost | None:
        """Return the largest epsilon that still fits, with the delta, where `left` is a rho.

        >>> from twoworlds.release.costs import parse_cost
        >>> cap = parse_cap("epsilon=3, delta=1e-6, composition=tighter")
        >>> cap.largest(Spent().plus(parse_cost("rho=1/10"))).shown("down")
        'epsilon 0.391701, delta 5e-7'
        """
        left = self.left(spent)
        if left.kind != "zcdp":
            return None
        return Cost(pure_within(left.rho), self.most.delta - self.tail - spent.delta)

    def account(self, spent: Spent) -> dict[str, Any]:
        """Return what was spent and what is left as plain data, with what each rule says."""
        used, largest = self.used(spent), self.largest(spent)
        return {
            "cap": str(self),
            "composition": self.composition,
            "spent": used.cost.to_dict(),
            "left": self.left(spent).to_dict(),
            "largest_query": None if largest is None else largest.to_dict(),
            "rule": used.rule,
            "by_rule": used.to_dict()["by_rule"],
        }

    def explain(self) -> str:
        """Say how costs add up under it.

        >>> parse_cap("epsilon=3, delta=1e-6").explain()
        'epsilons and deltas add up (basic composition)'
        """
        rhos = f"rhos add up to at most {decimal(self.concentrated, 6, 'down')} ({CONCENTRATED})"
        counts = "where an epsilon counts as the rho epsilon tanh(epsilon / 2)"
        if self.most.kind == "zcdp":
            return f"{rhos}, {counts}"
        sums = "epsilons and deltas" if self.most.delta else "epsilons"
        if not self.tail:
            return f"{sums} add up ({BASIC})"
        return (
            f"a query is let through by the tighter of two rules: epsilons add up ({BASIC}), or "
            f"{rhos}, {counts}; {decimal(self.tail, side='about')} of delta is set aside for the "
            "second, and "
            "deltas of queries add up to the rest"
        )

    def why_not(self, spent: Spent, cost: Cost) -> str:
        """Say why a further cost does not fit, and what would."""
        if cost.delta and self.most.kind != "approximate":
            return f"the cap, {self.shown()}, has no delta, so no cost with a delta ever fits"
        if cost.rho and self.most.kind == "pure":
            return (
                f"the cap, {self.shown()}, is pure, so no rho ever fits: pay with an epsilon "
                "(--epsilon)"
            )
        if cost.rho and self.most.kind == "approximate" and not self.tail:
            return (
                f"the cap, {self.shown()}, adds up by basic composition, which knows no rho: ask "
                "with an epsilon; the owner may let the policy's budget say composition=tighter, "
                f"which sets a delta of {amount(self.most.delta / 2)} aside"
            )
        if cost.rho and self.tail and self.concentrated <= spent.concentrated:
            return (
                f"spent {self.used(spent).shown()}; the cap is {self.shown()}, and no rho fits any "
                f"more: at most {self.left(spent).shown('down')} is left"
            )
        largest = self.largest(spent)
        most = "" if largest is None else f", or in one query {largest.shown('down')}"
        return (
            f"spent {self.used(spent).shown()}; the cap is {self.shown()}, and at most "
            f"{self.left(spent).shown('down')} is left{most}"
        )

    def shown(self) -> str:
        """Return it for people, as `Cost.shown` does."""
        return self.most.shown() + (f", tail {amount(self.tail)}" if self.tail else "")

    def __str__(self) -> str:
        """Return the text that `parse_cap` reads back exactly."""
        return f"{self.most}, tail={exact_text(self.tail)}" if self.tail else str(self.most)


def parse_cap(value: object) -> Cap:
    """Read a cap: as a cost, with ``composition=`` basic or tighter.

    ``tail=`` says which part of delta is kept for zCDP composition; half of it if left out.

    >>> str(parse_cap("epsilon=1, delta=1e-6, composition=tighter"))
    'epsilon=1, delta=1/1000000, tail=1/2000000'
    """
    if isinstance(value, (Cap, Cost)):
        return value if isinstance(value, Cap) else Cap(value)
    value, composition = _composition(value)
    numbers = read_numbers(value, ("epsilon", "delta", "rho", "tail"), "down")
    tail = numbers.pop("tail", None)
    most = Cost(**numbers)
    if composition is not None:
        tail = _tail(most, tail, composition)
    return Cap(most, tail or Fraction(0))


def _composition(value: object) -> tuple[object, str | None]:
    """Take ``composition=WORD`` out of the text of a cap."""
    if not isinstance(value, str):
        return value, None
    parts = value.split(",")
    words = [part for part in parts if part.partition("=")[0].strip() == "composition"]
    if not words:
        return value, None
    if len(words) > 1:
        raise InvalidInput("composition is given twice: give it once")
    word = words[0].partition("=")[2].strip()
    if word == "optimal":
        raise InvalidInput(
            "composition=optimal is for costs that are fixed beforehand, and analysts choose "
            "theirs as they go: say composition=tighter. Queries that are fixed beforehand are "
            "composed optimally under any cap with a delta when they are released as one batch "
            "with an epsilon for each: --each 1/10 --delta 1e-6, or cost='each=1/10, delta=1e-6'"
        )
    if word not in ("basic", "tighter"):
        raise InvalidInput(f"composition={word[:20]!r} is unknown: say basic or tighter")
    rest = [part for part in parts if part not in words]
    if not rest:
        raise InvalidInput(f"a cap needs numbers too: epsilon=1, delta=1e-6, composition={word}")
    return ",".join(rest), word


def _tail(most: Cost, tail: Fraction | None, composition: str) -> Fraction | None:
    """Return the tail of a cap whose composition is named."""
    if most.kind == "zcdp":
        raise InvalidInput("a cap in rho adds up by zCDP composition: leave composition= out")
    if composition == "basic":
        if tail:
            raise InvalidInput("composition=basic uses no tail: leave tail= out, or say tighter")
        return None
    if not most.delta or tail == 0:
        raise InvalidInput(
            "composition=tighter needs a delta, of which a part is set aside for zCDP "
            "composition: say for example epsilon=1, delta=1e-6, composition=tighter"
        )
    return most.delta / 2 if tail is None else tail


def read_cap(stored: Mapping[str, str]) -> Cap:
    """Read a stored cap with its largest T, which is checked and kept.

    It is an irrational number rounded down. Were it computed anew elsewhere, the last digit might
    differ, and a charge that fitted would not fit any more.
    """
    cap, limit = parse_cap(stored["cap"]), rational(stored["concentrated"], "concentrated")
    if cap.most.kind == "zcdp" or not cap.tail:
        sound = limit == cap.concentrated
    else:
        sound = limit >= 0 and zcdp_to_delta(limit, cap.most.epsilon) <= cap.tail
    if not sound:
        raise InvalidInput(f"concentrated={show(limit)} is more than the cap {cap} allows")
    return Cap(cap.most, cap.tail, limit)
