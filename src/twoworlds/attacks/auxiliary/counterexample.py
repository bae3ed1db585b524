"""Where the printed proof of Theorem 1 fails, and what repairs it.

The proof argues that z is nearly independent of the breach y it
hides, and concludes that nobody with z alone *says a breach* more often than without. But y is not
the only breach. Take databases (w, y0), all pairs equally likely, with breaches y0 and y0 + w, and
the pad r = w: then z = y + w is independent of y, and it is the other breach. Whoever repeats z
always wins. A seeded hash helps, yet not enough. What is true: the pad must be nearly uniform given
the *whole set* of breaches, or every database must have one breach only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from twoworlds.answer import Answer
from twoworlds.attacks.auxiliary.extractors import FuzzyExtractor, extractor
from twoworlds.attacks.auxiliary.laws import flaw_law
from twoworlds.attacks.auxiliary.theorem import Attack, attack
from twoworlds.charts import Bars
from twoworlds.numbers import show
from twoworlds.show import Result

__all__ = ["Flaw", "flaw"]


@dataclass(frozen=True)
class Flaw(Result):
    """The counterexample, and the same law with one breach per database."""

    found: Attack  # the attack on databases (w, y0) with breaches y0 and y0 + w
    repaired: Attack  # the attack when only y0 is a breach

    def verify(self) -> bool:
        """Check that the printed bound fails as stated, and the repaired one holds in both."""
        return (
            self.found.printed_bound_fails
            and not self.found.assumption_2a_repaired
            and self.found.simulator <= self.found.repaired_bound
            and not self.repaired.printed_bound_fails
            and self.repaired.simulator <= self.repaired.repaired_bound
        )

    def answer(self) -> Answer:
        """Say what is printed, what happens, and what repairs it."""
        first, second = self.found, self.repaired
        chances = {
            "two breaches: printed bound": first.printed_bound,
            "two breaches: best simulator": first.simulator,
            "one breach: bound": second.repaired_bound,
            "one breach: best simulator": second.simulator,
        }
        bounds = [name for name in chances if name.endswith("bound")]
        chart = Bars("The simulator names a breach", chances, grey=bounds)
        return Answer.of(self.sentences(), first.table(), chart)

    def sentences(self) -> str:
        """Return in words what is printed, what happens, and what repairs it."""
        first, second = self.found, self.repaired
        outcome = (
            f"The best simulator wins with probability {show(first.simulator)}, above the printed "
            f"bound of {show(first.printed_bound)}."
            if first.printed_bound_fails
            else f"With this pad the best simulator wins with {show(first.simulator)}, within the "
            f"printed bound of {show(first.printed_bound)}."
        )
        return (
            f"{outcome} A database is a pair (w, y0) of {first.ell}-bit strings, all equally "
            "likely; both y0 "
            f"and y0 + w are breaches, and the release tells w. The pad ({first.extractor}) is "
            f"{show(first.epsilon)} from uniform given the breach that is told, so the printed "
            f"proof bounds every simulator by {show(first.blind)} + {show(first.epsilon)} = "
            f"{show(first.printed_bound)}. Given all breaches of the database, the pad is "
            f"{show(first.epsilon_given_breaches)} from uniform. If y0 is the "
            f"only breach, the proof is right: the simulator wins with {show(second.simulator)}, "
            f"at most {show(second.repaired_bound, side='up')}."
        )

    def fields(self) -> dict[str, Any]:
        """Return the numbers of both attacks."""
        return {
            **self.found.fields(),
            "claimed_simulator_bound": self.found.printed_bound,
            "bound_violated": self.found.printed_bound_fails,
            "one_breach": self.repaired,
            "explanation": self.sentences(),
        }


def flaw(ell: object = 2, *, extract: str = "identity") -> Flaw:
    """Run the counterexample with breaches of ell bits.

    >>> found = flaw(2, extract="field")
    >>> found.found.simulator, found.found.printed_bound, found.verify()
    (Fraction(3, 4), Fraction(5, 8), True)
    """
    law = flaw_law(ell)
    pad = FuzzyExtractor(extractor(extract, law.bits, law.bits))
    return Flaw(attack(law, pad), attack(flaw_law(ell, breaches=1), pad))
