"""Where a mechanism stands: which definitions hold, with which numbers, and against whom.

Each definition is measured on the mechanism itself. One that promises nothing, since its numbers
are as large as numbers can be, is said to fail, with the worst case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.definitions import DEFINITIONS, Verdict, Witness
from twoworlds.definitions.verdict import shortened
from twoworlds.errors import TwoWorldsError
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import INFINITY, show, to_json
from twoworlds.worlds import Records

__all__ = ["Standing", "brief", "many_records", "standings"]

Relation = str | Iterable[tuple[object, object]] | None
_MOST_NUMBERS = 256  # of a matrix of which all worlds under a belief are compared
_MOST_RECORDS = 5_000  # beyond, the time of those in _SLOW grows with the square
_SLOW = ("semantic", "reality-oblivious", "gamma-amplification")
_LONGEST = 300


@dataclass(frozen=True)
class Standing:
    """What one definition says of a mechanism.

    Attributes:
        definition: its name.
        against: the attacker whom it speaks of.
        verdict: its numbers and its worst case; None where it does not apply.
        reason: why it does not.
    """

    definition: str
    against: str
    verdict: Verdict | None = None
    reason: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether it promises anything; None where it does not apply."""
        if self.verdict is None:
            return None
        values = self.verdict.values
        if values.get("ratio", values.get("gamma")) == INFINITY and values.get("delta") != 0:
            return False
        beliefs = "ratio" not in values or self.definition == "informed"
        if values.get("ratio") == INFINITY or values.get("nats") == INFINITY:
            return False
        return not (beliefs and values.get("epsilon") == Fraction(1))

    @property
    def numbers(self) -> str:
        """The numbers with which it holds, in a line."""
        if self.verdict is None:
            return f"not asked: {self.reason}"
        if not self.holds:
            return "fails, whatever the numbers"
        shown = {
            name: x
            for name, x in self.verdict.values.items()
            if name in ("epsilon", "gamma", "nats") or (name == "delta" and x != 0)
        }
        return ", ".join(f"{name} = {show(x)}" for name, x in shown.items())

    @property
    def worst(self) -> str:
        """The worst case, in words."""
        if self.verdict is None or self.verdict.witness is None:
            return ""
        witness = self.verdict.witness
        if isinstance(witness, Witness) and not any(witness.probabilities):
            return ""  # an event that never happens tells nothing
        said = brief(witness.explain())
        return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        found: dict[str, Any] = {
            "definition": self.definition,
            "against": self.against,
            "holds": self.holds,
            "numbers": self.numbers,
        }
        if self.verdict is not None:
            found["values"] = {name: to_json(x) for name, x in self.verdict.values.items()}
            found["sentence"] = self.verdict.sentence
            found["assumptions"] = list(self.verdict.assumptions)
            found["worst"] = self.worst
        return found


_ASKED = {
    "semantic": "anybody, whatever they believe: conclusions with your data and without it",
    "reality-oblivious": "anybody, also those who rule out what is true",
    "informed": "whoever knows every record but yours",
    "pointwise": "anybody who sees one output: how likely it is in both worlds",
    "statistical-difference": "anybody, by how often something happens; alone it protects nobody",
    "mutual-information": "whoever holds records independent, on average over outputs",
    "gamma-amplification": "anybody, about all people together",
}
_COMPARED = ("pointwise", "statistical-difference")
_UNDER_BELIEF = {
    "local-semantic": "whoever holds this belief: conclusions with your data and without it",
    "noiseless": "whoever holds this belief, between any two values of your entry",
    "pufferfish": "whoever holds this belief, about any one record",
    "ddp": "whoever holds this belief: a simulator without your entry does as well",
}


def standings(
    mechanism: Mechanism,
    belief: str | None = None,
    *,
    neighbours: Relation = None,
    group: int = 1,
) -> Iterator[Standing]:
    """Measure one definition after another; those about a belief only if there is one.

    Neighbours and group are for the definitions that compare neighbours, as differential privacy
    does.

    >>> from twoworlds import mechanism
    >>> found = standings(mechanism("randomized-response(bits=1, keep=3/4)"))
    >>> [one.definition for one in found if one.holds][:3]
    ['semantic', 'reality-oblivious', 'informed']
    """
    compared: dict[str, object] = {"neighbours": neighbours, "group": group}
    for name, against in _ASKED.items():
        if name in _SLOW and many_records(mechanism):
            yield Standing(name, against, reason=_too_large(name))
        else:
            yield _measured(name, against, mechanism, compared if name in _COMPARED else {})
    if belief is None:
        return
    for name, against in _UNDER_BELIEF.items():
        if name != "local-semantic" and _large(mechanism):
            yield Standing(name, against, reason=_too_large(f"{name}(belief='{belief}')"))
        else:
            yield _measured(name, against, mechanism, {"belief": belief})


def brief(text: str) -> str:
    """Cut words that are longer than a line, such as databases of many records, in the middle.

    >>> brief("on " + "01" * 60)
    'on 01010101...01010101 (120 characters)'
    """
    return re.sub(r"\S{61,}", lambda found: shortened(found[0]), text)


def many_records(mechanism: Mechanism) -> bool:
    """Tell whether there are too many records to ask what any belief can conclude on a page."""
    universe = mechanism.universe
    return isinstance(universe, Records) and (universe.n or 0) > _MOST_RECORDS


def _too_large(asked: str) -> str:
    return f"too large for this page; twoworlds measure asks for it, --definition {asked}"


def _measured(name: str, against: str, mechanism: Mechanism, given: dict[str, object]) -> Standing:
    try:
        return Standing(name, against, DEFINITIONS.build(name, **given).tightest(mechanism))
    except TwoWorldsError as error:
        return Standing(name, against, reason=str(error))


def _large(mechanism: Mechanism) -> bool:
    sizes = mechanism.universe.size, mechanism.outputs.size
    return None in sizes or (sizes[0] or 0) * (sizes[1] or 0) > _MOST_NUMBERS
