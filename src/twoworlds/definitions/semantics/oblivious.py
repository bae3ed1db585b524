r"""Reality-oblivious semantic privacy: the belief may be wrong about what is true.

A mechanism is (epsilon, delta)-private in this sense if for all beliefs b and all databases x*,
with probability at least 1 - delta over outputs t drawn from A(x*),

    max_i SD(b_0(. | t), b_i(. | t)) <= epsilon

(Kasiviswanathan & Smith, appendix, Definition 1.1). Semantic privacy draws x* from b; here x* is
any database, also one that b rules out. An undefined posterior counts as a breach.

* With a belief and a true database the failure probability is exact
  (see `breaches`); with a belief only, the worst true database is found.
* Over all beliefs, each output has its own worst belief, but one belief must serve all outputs. The
  outputs that are bad for some belief at all are known (see `swing`), so

      failure of a shown belief  <=  delta  <=  max_x P(A(x) is bad for some belief),

  and both sides often meet. With delta = 0 they always do: it is semantic privacy.

Claim 1.2 of the paper: Gaussian noise on a count, the belief on 0...0 and 10...0, the truth 1...1.

Differs: Claim 1.2 says that the posteriors are exponentially far apart. For the uniform belief they
differ by less than 1/2, with weight w on 10...0 by less than 1 - w.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from twoworlds.definitions.base import PrivacyDefinition, read_delta
from twoworlds.definitions.semantics.breaches import breaches, reachable
from twoworlds.definitions.semantics.games import default_words, play
from twoworlds.definitions.semantics.local import Step, smallest_difference
from twoworlds.definitions.semantics.oblivious_bounds import over_all_beliefs
from twoworlds.definitions.semantics.privacy import SemanticPrivacy
from twoworlds.definitions.semantics.window import views, worst_difference
from twoworlds.definitions.verdict import Proof, Verdict, shortened
from twoworlds.definitions.words import difference_sentence, moved_too_often
from twoworlds.errors import InvalidInput, TooLarge, Undecided, Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.laws.event import agree
from twoworlds.mechanisms import Mechanism, OnStatistic
from twoworlds.numbers import Number, Order, compare, exact_text, show, to_json
from twoworlds.worlds import Additive, Point
from twoworlds.worlds.belief import Belief, records_of
from twoworlds.worlds.beliefs import belief as build_belief

_MOST_DATABASES = 1 << 12
_UNDEFINED = "undefined: a breach"
_OPEN = (
    "the worst belief fails at least as often as delta shown says, and at most as delta says; "
    "delta shown is from a search of beliefs on two databases, and others may fail more often"
)


@dataclass(frozen=True, init=False)
class RealityObliviousPrivacy(PrivacyDefinition):
    """Semantic privacy with a failure probability, whatever the true database is.

    >>> from twoworlds import mechanism
    >>> noisy = mechanism("geometric(ratio=2, bits=3)")
    >>> asked = RealityObliviousPrivacy("explicit(100=1/2, 000=1/2)", truth="111")
    >>> asked.failure(noisy, "1/10"), asked.failure(noisy, "1/5")
    (Fraction(1, 1), Fraction(0, 1))
    """

    belief: str | Belief | None
    truth: object
    epsilon: Number | None
    delta: Number
    default: object

    name = "reality-oblivious semantic privacy"

    def __init__(
        self,
        belief: str | Belief | None = None,
        *,
        truth: object = None,
        epsilon: object = None,
        delta: object = 0,
        default: object = None,
    ) -> None:
        object.__setattr__(self, "belief", belief)
        object.__setattr__(self, "truth", truth)
        read = None if epsilon is None else read_delta(epsilon, "epsilon")
        object.__setattr__(self, "epsilon", read)
        object.__setattr__(self, "delta", read_delta(delta))
        object.__setattr__(self, "default", default)

    def failure(self, mechanism: Mechanism, epsilon: object) -> Number:
        """Return P_t[max_i SD > epsilon] for the belief, at the true database or the worst one."""
        return self._worst(mechanism, read_delta(epsilon, "epsilon"))[1]

    def curve(self, mechanism: Mechanism) -> list[Step]:
        """Return the failure probability for every epsilon exactly, as steps."""
        held, truths = self._held(mechanism), self._truths(mechanism)
        laws = []
        for x in truths:
            masses: dict[Number, Number] = {}
            for value, mass in self._differences(mechanism, held, x):
                masses[value] = masses.get(value, Fraction(0)) + mass
            laws.append(masses)
        heights = sorted({value for masses in laws for value in masses}, key=float)
        return [
            Step(height, _largest(_mass_from(masses, height) for masses in laws))
            for height in heights
        ]

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the failure probability at the epsilon given, or the largest difference."""
        if self.belief is None:
            return self._over_all_beliefs(mechanism)
        if self.epsilon is None:
            return self._largest_difference(mechanism)
        truth, failure = self._worst(mechanism, self.epsilon)
        witness = ObliviousWitness.of(
            mechanism, self._held(mechanism), truth, self.epsilon, failure, self.default
        )
        return self._verdict(
            mechanism,
            {"epsilon": self.epsilon, "delta": failure},
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
        shown = found.values.get("delta_shown")
        if shown is None or compare(found.delta, self.delta) in (Order.LESS, Order.EQUAL):
            return self._against(found, claim, found.delta)
        if larger(shown, self.delta):
            return self._against(found, claim, shown)
        raise Undecided(
            f"undecided: {claim} on {mechanism.expression}; over all beliefs the failure "
            f"probability is at least {show(shown, side='down')} and at most "
            f"{show(found.delta, side='up')}: "
            "name a belief, or claim one of these"
        )

    @property
    def _spelled(self) -> str:
        return self.belief if isinstance(self.belief, str) else repr(self.belief)

    def _against(self, found: Verdict, claim: str, failure: Number) -> Verdict:
        assert self.epsilon is not None
        whose = "For some belief" if self.belief is None else "For this belief"
        broken = moved_too_often(failure, self.epsilon, self.delta, whose)
        return found.against(claim, failure, self.delta, broken=broken)

    def _held(self, mechanism: Mechanism) -> Belief:
        if self.belief is None:
            raise InvalidInput("one belief is needed here, such as uniform")
        return build_belief(self.belief, mechanism.universe)

    def _truths(self, mechanism: Mechanism) -> list[Point]:
        if self.truth is None:
            return true_databases(mechanism)
        return [records_of(mechanism.universe).find(self.truth)]

    def _worst(self, mechanism: Mechanism, epsilon: Number) -> tuple[Point, Number]:
        """Return the true database of the largest failure probability, and that probability."""
        bad = breaches(mechanism, self._held(mechanism), epsilon, self.default)
        candidates = bad.candidates if self.truth is None else []
        truth, *others = candidates or self._truths(mechanism)
        worst = bad.mass(truth)
        for x in others:
            mass = bad.mass(x)
            if larger(mass, worst):
                truth, worst = x, mass
        return truth, worst

    def _differences(
        self, mechanism: Mechanism, belief: Belief, truth: Point
    ) -> Iterator[tuple[Number, Number]]:
        if mechanism.outputs.size is None:
            raise Unsupported(
                f"{mechanism.expression} has infinitely many outputs: ask for the failure "
                "probability at an epsilon, as in --epsilon 1/2"
            )
        seen = views(mechanism, belief, self.default)
        for t in reachable(mechanism, truth):
            yield worst_difference(seen, t), mechanism.probability(t, truth)

    def _largest_difference(self, mechanism: Mechanism) -> Verdict:
        epsilon, failure = smallest_difference(self.curve(mechanism), self.delta)
        return self._verdict(
            mechanism,
            {"epsilon": epsilon, "delta": failure},
            None,
            "every output played with and without every person",
        )

    def _over_all_beliefs(self, mechanism: Mechanism) -> Verdict:
        if self.epsilon is None:
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
        upper, belief, truth, method = over_all_beliefs(
            mechanism, self.epsilon, self._truths(mechanism), self.default
        )
        values = {"epsilon": self.epsilon, "delta": upper}
        witness = None
        if belief is not None:
            failure = breaches(mechanism, belief, self.epsilon, self.default).mass(truth)
            witness = ObliviousWitness.of(
                mechanism, belief, truth, self.epsilon, failure, self.default
            )
            if compare(failure, upper) is not Order.EQUAL:
                values["delta_shown"] = failure
        elif upper != 0:
            values["delta_shown"] = Fraction(0)
        return self._verdict(mechanism, values, witness, method)

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
        return Verdict(
            mechanism.expression,
            self.name,
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
            exact=mechanism.exact,
        )


@dataclass(frozen=True)
class ObliviousWitness(Proof):
    """A belief and a true database, with the probability of a breach, and one such output.

    It re-verifies by finding the breaches afresh, and by playing the games for the output shown.
    """

    mechanism: Mechanism = field(repr=False)
    belief: Belief
    truth: Point
    epsilon: Number
    failure: Number
    output: Point | None
    default: object = None

    @staticmethod
    def of(
        mechanism: Mechanism,
        belief: Belief,
        truth: Point,
        epsilon: Number,
        failure: Number,
        default: object,
    ) -> ObliviousWitness:
        """Look for an output that is a breach."""
        output = breaches(mechanism, belief, epsilon, default).example(truth)
        return ObliviousWitness(mechanism, belief, truth, epsilon, failure, output, default)

    @property
    def difference(self) -> Number | None:
        """The largest difference after the output shown; None where a posterior is undefined."""
        if self.output is None:
            return Fraction(0)
        likely = (self.mechanism.probability(self.output, x) for x in self.belief)
        if all(p == 0 for p in likely):
            return None
        games = play(self.mechanism, self.belief, self.output, default=self.default)
        return None if None in games.differences else games.worst

    def verify(self) -> bool:
        """Find the breaches afresh, and play the games for the output shown."""
        fresh = breaches(self.mechanism, self.belief, self.epsilon, self.default).mass(self.truth)
        if not agree(fresh, self.failure):
            return False
        difference = self.difference
        return self.output is None or difference is None or larger(difference, self.epsilon)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield what to show, line by line."""
        label = self.belief.universe.label
        ranked = sorted(self.belief.items(), key=lambda item: -float(item[1]))
        for x, mass in ranked[:4]:
            yield "belief", f"{show(mass)} in {shortened(label(x))}"
        if len(ranked) > 4:
            yield "", f"and {len(ranked) - 4} more"
        yield (
            "truth",
            f"{shortened(label(self.truth))}: a breach with probability "
            + show(self.failure, side="at least"),
        )
        if self.output is not None:
            output = self.mechanism.outputs.label(self.output)
            difference = self.difference
            differ = _UNDEFINED if difference is None else f"differ by {show(difference)}"
            yield "", f"for example output {output}: with and without a person, {differ}"

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data."""
        label = self.belief.universe.label
        difference = self.difference
        return {
            "belief": {label(x): to_json(mass) for x, mass in self.belief.items()},
            "truth": label(self.truth),
            "failure": to_json(self.failure, side="down"),
            "output": None if self.output is None else self.mechanism.outputs.label(self.output),
            "difference": None if difference is None else to_json(difference),
        }


def true_databases(mechanism: Mechanism) -> list[Point]:
    """Return the databases that may be true, one for each answer where only that matters.

    >>> from twoworlds import mechanism
    >>> len(true_databases(mechanism("geometric(ratio=2, bits=40)")))
    41
    """
    records = records_of(mechanism.universe)
    if isinstance(mechanism, OnStatistic) and isinstance(mechanism.statistic, Additive):
        by_answer = {
            move.before: move.x
            for move in mechanism.statistic.replacements(records, records.values[0])
        }
        return list(by_answer.values())
    if records.size > _MOST_DATABASES:
        raise TooLarge(
            f"{records.expression} has too many databases to try each as the true one: give truth="
        )
    return list(records)


def _mass_from(masses: dict[Number, Number], height: Number) -> Number:
    """Return the mass of all differences of at least a height."""
    return sum((mass for value, mass in masses.items() if value >= height), start=Fraction(0))


def _largest(values: Any) -> Number:
    worst: Number = Fraction(0)
    for value in values:
        worst = value if larger(value, worst) else worst
    return worst
