"""Where a mechanism stands: which definitions hold, with which numbers, and against whom.

`standings` has one rule. A definition is measured on the mechanism itself, and one that promises
nothing, since its numbers are as large as numbers can be, is said to fail, with the worst case; or
it is asked at a ratio, and holds if that claim does. What would take too long is not asked.

At a ratio a, differential privacy moves no probability, and no belief of an informed attacker, by
more than (a - 1) / (a + 1) (Kasiviswanathan & Smith). Definitions that rest on a belief are asked
for the uniform one. Where records are independent and one's own is all that neighbours differ in,
what holds whatever the others are holds on average over them,

    P(o | X_i = v) = sum over r of P(R = r) P(o | v, r) <= a P(o | X_i = w) ,

also given any entries of others, so that these follow from differential privacy, and no databases
are listed: a survey of 40 bits is answered at once. The simulator of ``tagged=yes`` puts any value
where it is told that an entry is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from time import process_time
from typing import Any

from twoworlds.definitions import DEFINITIONS, DifferentialPrivacy, Verdict, Witness, check
from twoworlds.definitions.verdict import shortened
from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import INFINITY, exact_text, number, show, to_json
from twoworlds.worlds import SUBSTITUTE, Records

Relation = str | Iterable[tuple[object, object]] | None
_MOST_NUMBERS = 256  # of a matrix of which all worlds under a belief are compared
_MOST_RECORDS = 5_000  # beyond, the time of those in _SLOW grows with the square
_SLOW = ("semantic", "reality-oblivious", "gamma-amplification")
_LONGEST = 300


@dataclass(frozen=True)
class Standing:
    """What one definition says of a mechanism, or the reason why it says nothing.

    ``follows``: it holds without being asked, for that reason. ``asked``: the verdict is one on a
    claim, which stands in ``definition``.
    """

    definition: str
    against: str
    verdict: Verdict | None = None
    reason: str = ""
    follows: bool = False
    asked: bool = False

    @property
    def holds(self) -> bool | None:
        """Whether it promises anything; None where it does not apply."""
        if self.verdict is None:
            return True if self.follows else None
        if self.verdict.holds is not None or self.asked:
            return self.verdict.holds
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
    price: Verdict | None = None,
    delta: str | None = None,
) -> Iterator[Standing]:
    """Measure one definition after another; those about a belief only if there is one.

    Neighbours and group are for the definitions that compare neighbours, as differential privacy
    does. With the price, which is a verdict on differential privacy, definitions are not measured:
    each is asked at the ratio of that price, and at ``delta`` where it takes one. Two laws that are
    (epsilon, delta)-close differ by at most (ratio - 1 + 2 delta) / (ratio + 1) on every event.

    >>> from twoworlds import mechanism
    >>> found = standings(mechanism("randomized-response(bits=1, keep=3/4)"))
    >>> [one.definition for one in found if one.holds][:3]
    ['semantic', 'reality-oblivious', 'informed']
    """
    if price is not None:
        yield from _at_price(mechanism, price, delta, neighbours)
        return
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


# --- at a price -----------------------------------------------------------------------------------

_FEW_DATABASES = 64  # that a definition with a belief may list
_MOST_SECONDS = 2.0  # of the processor, after which no further definition is begun
_IF_INFINITE = "3"  # the ratio at which definitions are asked of what has no finite price
_LATE = "not asked: it would take too long here"
_MANY = "not asked: the uniform belief lists all databases, and there are too many"
_TAGGED = (
    "a simulator that is told whose entry is missing puts any value in its place, and comes as near"
)
_INDEPENDENT = (
    "the entries are independent in this belief, so what holds whatever the others are holds "
    "whatever is known of them"
)


def _at_price(
    mechanism: Mechanism, price: Verdict, delta: str | None, neighbours: Relation
) -> Iterator[Standing]:
    ratio, left = price_ratio(price), "" if delta is None else f", delta={delta}"
    moved, apart = _moved(ratio), _moved(ratio, "" if delta is None else f" + 2*({delta})")
    counted = left if isinstance(mechanism.universe, Records) else ""  # a failure for each person
    named = isinstance(neighbours, str) and "~" not in neighbours
    beside = f", neighbours={neighbours}" if named else ""
    started = process_time()
    implied = price.ratio != INFINITY and _records_change_alone(mechanism, neighbours)
    few = mechanism.universe.size is not None and mechanism.universe.size <= _FEW_DATABASES
    for claim, follows in (
        (f"dp(ratio={ratio}{left}{beside})", None),
        (f"gamma-amplification(gamma={ratio})", None),
        (f"statistical-difference(epsilon={apart}{beside})", None),
        (f"semantic(epsilon={moved}{counted})", None),
        (f"informed(epsilon={moved})", None),
        (f"pointwise(ratio={ratio}{left}{beside})", None),  # the slowest: outputs one by one
        (f"ddp(uniform, tagged=yes, ratio={ratio}{left})", _TAGGED),
        (f"noiseless(uniform, ratio={ratio}{left})", _INDEPENDENT),
        (f"pufferfish(uniform, ratio={ratio}{left})", _INDEPENDENT),
    ):
        against = {**_ASKED, **_UNDER_BELIEF}.get(claim.partition("(")[0], "anybody")
        if follows and implied:
            reason = f"This follows from dp(ratio={ratio}{left}): {follows}."
            yield Standing(claim, against, reason=reason, follows=True)
        elif follows and not few:
            yield Standing(claim, against, reason=_MANY)
        elif process_time() - started > _MOST_SECONDS:
            yield Standing(claim, against, reason=_LATE)
        else:
            yield _checked(claim, against, mechanism)


def _checked(claim: str, against: str, mechanism: Mechanism) -> Standing:
    try:
        return Standing(claim, against, check(mechanism, claim), asked=True)
    except InvalidInput as error:  # numbers that no arithmetic holds
        return Standing(claim, against, reason=f"too extreme to be computed: {error}")
    except TwoWorldsError as error:
        return Standing(claim, against, reason=str(error))


def _records_change_alone(mechanism: Mechanism, neighbours: Relation) -> bool:
    """Tell whether neighbours are all databases that differ in one record."""
    asked = DifferentialPrivacy(neighbours=neighbours)
    return (
        isinstance(mechanism.universe, Records) and asked.setting(mechanism).relation == SUBSTITUTE
    )


def price_ratio(price: Verdict) -> str:
    """Return the ratio of a price as one would type it; 3 where it is infinite."""
    if price.ratio == INFINITY:
        return _IF_INFINITE
    exact = exact_text(price.ratio)
    if exact is None or (price.values["delta"] != 0 and not isinstance(price.ratio, Fraction)):
        return repr(to_json(price.ratio)["upper"])  # where it is tight, nothing could be decided
    return exact


def _moved(ratio: str, more: str = "") -> str:
    """Write (ratio - 1 + more) / (ratio + 1), as one number where that is exact."""
    written = f"({ratio} - 1{more})/({ratio} + 1)"
    try:
        return exact_text(number(written)) or written
    except TwoWorldsError:
        return written
