r"""Privacy by statistical difference: a definition that sounds right and protects nobody.

A mechanism satisfies it with epsilon_SD if for all neighbours and events
P(E | x) <= P(E | y) + epsilon_SD (Kasiviswanathan & Smith, equation 3). The tight value is the
largest total variation between neighbours, the gap at ratio 1. `random-index` satisfies it with
1/n and still publishes somebody's record in the clear (Remark 1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from twoworlds.definitions.base import Compared, read_delta
from twoworlds.definitions.verdict import Verdict, Witness
from twoworlds.definitions.words import event_exceeds, percent
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import INFINITY, Number, Order, at_most_one, compare, exact_text, show

__all__ = ["StatisticalDifference"]

_NEAR = 256


@dataclass(frozen=True, init=False)
class StatisticalDifference(Compared):
    """Every event's probability changes by at most epsilon between neighbours.

    >>> from twoworlds import mechanism
    >>> StatisticalDifference().tightest(mechanism("random-index(records=4, values=3)")).epsilon
    Fraction(1, 4)
    """

    epsilon: Number | None

    name = "statistical difference"

    def __init__(
        self,
        *,
        epsilon: object = None,
        neighbours: str | Iterable[tuple[object, object]] | None = None,
        group: int = 1,
    ) -> None:
        """Take the largest allowed difference."""
        object.__setattr__(
            self, "epsilon", None if epsilon is None else read_delta(epsilon, "epsilon")
        )
        super().__init__(neighbours=neighbours, group=group)

    def tightest(self, mechanism: Mechanism) -> Verdict:
        """Return the largest statistical difference between neighbours, with its event."""
        setting = self.setting(mechanism)
        family = setting.mechanism.family(setting.relation, self.group)
        comparison, gap = family.gap(Fraction(1))
        difference = at_most_one(gap.delta)
        exposed = family.gap(INFINITY)[1].delta
        notes: tuple[str, ...] = ()
        if exposed != 0:
            notes = (
                f"with probability {show(exposed)} the output is impossible in the other world: "
                "this definition does not see it, differential privacy does",
            )
        return Verdict(
            mechanism.expression,
            self.name,
            {"epsilon": difference},
            _sentence(difference, setting.subject.who),
            setting.assumptions,
            witness=Witness.of(setting.mechanism, (comparison.x, comparison.y), gap.event),
            method=family.method,
            notes=notes,
            exact=mechanism.exact,
        )

    def check(self, mechanism: Mechanism) -> Verdict:
        """Decide whether the difference stays within epsilon."""
        if self.epsilon is None:
            raise InvalidInput("statistical-difference has no number to check: give epsilon=")
        found = self.tightest(mechanism)
        claim = f"statistical-difference(epsilon={exact_text(self.epsilon)}{self.beside})"
        who = self.setting(mechanism).subject.who
        broken = event_exceeds(found.epsilon, self.epsilon, who)
        return found.against(claim, found.epsilon, self.epsilon, broken=broken)


def _sentence(difference: Number, who: str) -> str:
    if compare(difference, 1, limit=_NEAR) is not Order.LESS:
        return (
            f"Nothing is promised: an event may be certain in one world and impossible, or next to "
            f"impossible, in the other, through {who}."
        )
    return (
        f"No event becomes more than {percent(difference)} (in absolute terms) likelier or rarer "
        f"through {who}. That alone does not rule out that an output is possible in one world only."
    )
