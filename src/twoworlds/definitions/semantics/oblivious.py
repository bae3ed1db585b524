r"""Reality-oblivious semantic privacy: the belief may be wrong about what is true.

A mechanism is (epsilon, delta)-private in this sense if for all beliefs b and all databases x*,
with probability at least 1 - delta over outputs t drawn from A(x*),

    max_i SD(b_0(. | t), b_i(. | t)) <= epsilon

(Kasiviswanathan & Smith, appendix, Definition 1.1). Semantic privacy draws x* from b; here x* is
any database, also one that b rules out. An undefined posterior counts as a breach.

* With a belief and a true database the failure probability is exact
  (see `breaches`); with a belief only, the worst true database is found.
* Over all beliefs, each output has its own worst belief, but one belief must serve all outputs. The
  outputs that are bad for some belief at all are known (see `swing`; and an output that is
  impossible on some database leaves a belief in that one alone without a posterior), so

      failure of a shown belief  <=  delta  <=  max_x P(A(x) is bad for some belief),

  and both sides often meet; on up to 16 databases the beliefs are cut into `cells`, which lowers
  the upper end and finds a worse belief. With delta = 0 they always meet: it is semantic privacy.

Claim 1.2 of the paper: Gaussian noise on a count, the belief on 0...0 and 10...0, the truth 1...1.

Differs: Claim 1.2 says that the posteriors are exponentially far apart. For the uniform belief they
differ by less than 1/2, with weight w on 10...0 by less than 1 - w.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.definitions.base import Given, PrivacyDefinition, read_delta
from twoworlds.definitions.semantics.beliefs import (
    Likelihoods,
    bad_outputs,
    rounded_beliefs,
    starting_beliefs,
    tabulated,
    worst_differences,
)
from twoworlds.definitions.semantics.breaches import (
    Breaches,
    FailureWitness,
    folded,
    reachable,
    views,
)
from twoworlds.definitions.semantics.cells import bounded_above
from twoworlds.definitions.semantics.games import default_words
from twoworlds.definitions.semantics.local import (
    Reaction,
    Step,
    curve,
    smallest_difference,
    worst_reaction,
)
from twoworlds.definitions.semantics.privacy import SemanticPrivacy
from twoworlds.definitions.semantics.slices import sliced
from twoworlds.definitions.verdict import Verdict
from twoworlds.definitions.words import difference_sentence, moved_too_often
from twoworlds.errors import InvalidInput, TooLarge, Undecided, Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.mechanisms import Mechanism, OnStatistic
from twoworlds.numbers import Number, Order, bounds, compare, exact_text, show
from twoworlds.worlds import Additive, Point
from twoworlds.worlds.belief import Belief, records_of
from twoworlds.worlds.beliefs import belief as build_belief

_MOST_DATABASES = 1 << 12
_MOST_ENTRIES = 1 << 20
_MARGIN = 1e-9
_FINELY = -3  # the finest roundings of a belief
_OPEN = (
    "the worst belief fails at least as often as delta shown says, and at most as delta says; "
    "delta shown is from a search of some beliefs, and others may fail more often"
)


@dataclass(frozen=True, kw_only=True)
class RealityObliviousPrivacy(PrivacyDefinition):
    """Semantic privacy with a failure probability, whatever the true database is.

    >>> from twoworlds import mechanism
    >>> noisy = mechanism("geometric(ratio=2, bits=3)")
    >>> asked = RealityObliviousPrivacy("explicit(100=1/2, 000=1/2)", truth="111")
    >>> asked.failure(noisy, "1/10"), asked.failure(noisy, "1/5")
    (Fraction(1, 1), Fraction(0, 1))
    """

    belief: str | Belief | None = field(default=None, kw_only=False)
    truth: object = None
    epsilon: Given[Number | None] = Given(read_delta)
    delta: Given[Number] = Given(read_delta, 0)
    default: object = None

    name = "reality-oblivious semantic privacy"

    def failure(self, mechanism: Mechanism, epsilon: object) -> Number:
        """Return P_t[max_i SD > epsilon] for the belief, at the true database or the worst one."""
        held = self._held(mechanism)
        return self._worst(mechanism, [held], read_delta(epsilon, "epsilon")).failure

    def curve(self, mechanism: Mechanism) -> list[Step]:
        """Return the failure probability for every epsilon exactly, as steps."""
        mechanism = folded(mechanism, self.default)
        if mechanism.outputs.size is None:
            raise Unsupported(
                f"{mechanism.expression} has infinitely many outputs: ask for the failure "
                "probability at an epsilon, as in --epsilon 1/2"
            )
        seen = views(mechanism, self._held(mechanism), self.default)
        laws = []
        for x in self._truths(mechanism):
            law = ((t, mechanism.probability(t, x)) for t in reachable(mechanism, x))
            moved = [[Reaction(v.difference(t), p, t, v.person) for v in seen] for t, p in law]
            laws.append([[worst_reaction(one) for one in moved]])
        return curve(laws)

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the failure probability at the epsilon given, or the largest difference."""
        if self.epsilon is None:
            return self._largest_difference(mechanism)
        if self.belief is None:
            return self._over_all_beliefs(mechanism, self.epsilon)
        witness = self._worst(mechanism, [self._held(mechanism)], self.epsilon)
        return self._verdict(
            mechanism,
            {"epsilon": self.epsilon, "delta": witness.failure},
            witness,
            "the outputs that are breaches, found exactly, weighed by the law on the true database",
        )

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide whether delta is enough for epsilon."""
        if self.epsilon is None:
            raise InvalidInput("reality-oblivious has no number to check: give epsilon=")
        found = self.tightest(mechanism)
        held = "" if self.belief is None else f"{self._spelled}, "
        truth = "" if self.truth is None else f", truth={self.truth}"
        numbers = f"epsilon={exact_text(self.epsilon)}, delta={exact_text(self.delta)}"
        claim = f"reality-oblivious({held}{numbers}{truth})"
        failure, shown = found.delta, found.values.get("delta_shown")
        within = compare(failure, self.delta) in (Order.LESS, Order.EQUAL)
        if shown is not None and not within:
            if not larger(shown, self.delta):
                raise Undecided(
                    f"undecided: {claim} on {mechanism.expression}; over all beliefs the failure "
                    f"probability is at least {show(shown, side='down')} and at most "
                    f"{show(failure, side='up')}: name a belief, or claim one of these"
                )
            failure = shown
        whose = "For some belief" if self.belief is None else "For this belief"
        broken = moved_too_often(failure, self.epsilon, self.delta, whose)
        return found.against(claim, failure, self.delta, broken=broken)

    @property
    def _spelled(self) -> str:
        return self.belief if isinstance(self.belief, str) else repr(self.belief)

    def _held(self, mechanism: Mechanism) -> Belief:
        if self.belief is None:
            raise InvalidInput("one belief is needed here, such as uniform")
        return build_belief(self.belief, mechanism.universe)

    def _truths(self, mechanism: Mechanism) -> list[Point]:
        if self.truth is None:
            return true_databases(mechanism)
        return [records_of(mechanism.universe).find(self.truth)]

    def _worst(
        self, mechanism: Mechanism, beliefs: list[Belief], epsilon: Number
    ) -> FailureWitness:
        """Return the belief and the true database of the largest failure probability."""
        worst: tuple[Number, Breaches, Belief, Point] | None = None
        for belief in beliefs:
            bad = Breaches(mechanism, belief, epsilon, self.default)
            for x in self._truths(mechanism):
                mass = bad.mass(x)
                if worst is None or larger(mass, worst[0]):
                    worst = mass, bad, belief, x
        assert worst is not None
        failure, bad, belief, truth = worst
        return FailureWitness(
            mechanism, belief, epsilon, failure, self.default, truth, bad.example(truth)
        )

    def _largest_difference(self, mechanism: Mechanism) -> Verdict:
        if self.belief is not None:
            epsilon, failure = smallest_difference(self.curve(mechanism), self.delta)
            why = "every output played with and without every person"
            return self._verdict(mechanism, {"epsilon": epsilon, "delta": failure}, None, why)
        if self.truth is not None:
            raise InvalidInput(
                "reality-oblivious with truth= and without a belief needs epsilon=: "
                "the failure probability there is bounded from both sides"
            )
        if self.delta != 0:
            raise InvalidInput(
                "reality-oblivious with delta= and without a belief needs epsilon=, or a belief"
            )
        found = SemanticPrivacy(default=self.default).tightest(mechanism)
        values = {"epsilon": found.epsilon, "delta": Fraction(0)}
        return self._verdict(mechanism, values, found.witness, found.method)

    def _over_all_beliefs(self, mechanism: Mechanism, epsilon: Number) -> Verdict:
        """Bound the failure probability from both sides."""
        values: dict[str, Number] = {"epsilon": epsilon, "delta": Fraction(0)}
        if self._never_fails(mechanism, epsilon):
            return self._verdict(mechanism, values, None, "no output is bad for any belief")
        table = self._table(mechanism)
        places = [table.databases.index(x) for x in self._truths(mechanism)]
        s = bounds(epsilon)[0]
        tried, most = _tried(table, s, places)
        what = "that are bad for some belief"
        values["delta"] = min(most + table.rest, Fraction(1))
        held = [
            Belief(mechanism.universe, {table.databases[j]: mass for j, mass in one.items()})
            for one in tried
        ]
        witness = self._worst(mechanism, held, epsilon) if held else None
        if witness is not None and compare(witness.failure, values["delta"]) is not Order.EQUAL:
            cut, shown, *_ = bounded_above(table, s, bounds(witness.failure)[0], places)
            if shown is not None:
                held = [
                    Belief(mechanism.universe, {table.databases[j]: m for j, m in shown.items()})
                ]
                witness = self._worst(mechanism, [*held, witness.belief], epsilon)
            if cut < values["delta"]:
                values["delta"], what = cut, "that may be bad in some cell of beliefs"
            if compare(witness.failure, values["delta"]) is not Order.EQUAL:
                values["delta_shown"] = witness.failure
        method = f"at most the outputs {what}; at least those of the belief shown"
        return self._verdict(mechanism, values, witness, method)

    def _never_fails(self, mechanism: Mechanism, epsilon: Number) -> bool:
        """Tell whether semantic privacy holds without any failure, where that is known."""
        try:
            value = SemanticPrivacy(default=self.default).tightest(mechanism).epsilon
        except Unsupported:
            return False
        return compare(value, epsilon) in (Order.LESS, Order.EQUAL)

    def _table(self, mechanism: Mechanism) -> Likelihoods:
        outputs = mechanism.outputs.size
        if outputs is None:
            table = tabulated(mechanism, self.default) or sliced(mechanism, self.default)
            if table is not None:
                return table
            raise Unsupported(
                f"{mechanism.expression} has infinitely many outputs, and over all beliefs their "
                "failure is known for noise on one answer of few records: name the belief, as in "
                "explicit(10=1/2, 00=1/2)"
            )
        if records_of(mechanism.universe).size * outputs > _MOST_ENTRIES:
            raise TooLarge(
                f"{mechanism.expression} is too large to look at every output and database: "
                "name a belief"
            )
        return Likelihoods.of(mechanism, self.default)

    def _verdict(
        self, mechanism: Mechanism, values: dict[str, Number], witness: Any, method: str
    ) -> Verdict:
        whose = "Whatever someone believes" if self.belief is None else "For this belief"
        true = "whatever is true" if self.truth is None else f"if {self.truth} is true"
        shown = values.get("delta_shown")
        sentence = difference_sentence(
            f"{whose} and {true}", values["epsilon"], values["delta"], shown
        )
        belief = "all beliefs" if self.belief is None else f"this belief only: {self._spelled}"
        where = mechanism.universe
        truth = "every true database" if self.truth is None else f"this one: {self.truth}"
        return self.found(
            mechanism,
            values,
            sentence,
            (
                f"{belief}; outputs are drawn from {truth}, which the belief may rule out",
                default_words(mechanism, self.default),
                f"a person: {where.explain(where.relation)}",
            ),
            witness=witness,
            method=method,
            notes=(_OPEN,) if "delta_shown" in values else (),
        )


def true_databases(mechanism: Mechanism) -> list[Point]:
    """Return the databases that may be true, one for each answer where only that matters.

    >>> from twoworlds import mechanism
    >>> len(true_databases(mechanism("geometric(ratio=2, bits=40)")))
    41
    """
    records = records_of(mechanism.universe)
    if isinstance(mechanism, OnStatistic) and isinstance(mechanism.statistic, Additive):
        moves = mechanism.statistic.replacements(records, records.values[0])
        return list({move.before: move.x for move in moves}.values())
    if records.size > _MOST_DATABASES:
        raise TooLarge(
            f"{records.expression} has too many databases to try each as the true one: give truth="
        )
    return list(records)


def _tried(
    table: Likelihoods, s: Fraction, truths: list[int]
) -> tuple[list[dict[int, Fraction]], Fraction]:
    """Return the belief that fails most often of those tried, and how likely are bad outputs."""
    bad = bad_outputs(table, s)
    bad += [t for t, row in enumerate(table.low) if 0 in row and t not in bad]
    most = max(sum((table.high[t][j] for t in bad), Fraction(0)) for j in truths)
    p, q = table.floats
    best, found = 0.0, None
    for belief in starting_beliefs(table, s):
        _, worst = worst_differences(p, q, belief[None])
        failure = ((worst[0] > float(s) + _MARGIN) @ p[:, truths]).max()
        if failure > best + _MARGIN:
            best, found = failure, belief
    return [] if found is None else list(rounded_beliefs(found))[_FINELY:], most
