"""Which definitions hold of a mechanism: a stated list, asked at the mechanism's own price.

Differential privacy with ratio a moves no probability, and no belief of an informed attacker, by
more than (a - 1) / (a + 1) (Kasiviswanathan & Smith). Definitions that rest on a belief are asked
for the uniform one. Where records are independent and one's own is all that neighbours differ in,
what holds whatever the others are holds on average over them,

    P(o | X_i = v) = sum over r of P(R = r) P(o | v, r) <= a P(o | X_i = w) ,

also given any entries of others, so that these follow from differential privacy, and no databases
are listed: a survey of 40 bits is answered at once. The simulator of ``tagged=yes`` puts any value
where it is told that an entry is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time
from typing import Any

from twoworlds.definitions import DifferentialPrivacy, check
from twoworlds.definitions.verdict import Verdict, Witness
from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import INFINITY, at_most_one, exact_text, number, show, to_json
from twoworlds.worlds import Records

__all__ = ["claims"]

_FEW_DATABASES = 64  # that a definition with a belief may list
_FEW_OUTPUTS = 4096  # whose event may be written out
_PATIENCE = 2.0  # seconds of the processor, after which no further definition is begun
_IF_INFINITE = "3"  # the ratio at which definitions are asked of what has no finite price
_NOT_ASKED = {
    "holds": None,
    "sentence": "not asked: it would take too long here",
    "why": None,
    "witness": None,
    "witness_in_words": None,
}


def claims(
    built: Mechanism, asked: DifferentialPrivacy, price: Verdict, neighbours: str | None
) -> Iterator[dict[str, Any]]:
    """Yield the definitions, each with its verdict; of a refuted one, first why it fails.

    Args:
        built: The mechanism.
        asked: Differential privacy, with its neighbours.
        price: Its verdict.
        neighbours: How they were named.
    """
    ratio = _ratio(price)
    moved = _moved(ratio)
    beside = "" if neighbours is None or "~" in neighbours else f", neighbours={neighbours}"
    started = process_time()
    for claim in (
        f"dp(ratio={ratio}{beside})",
        f"gamma-amplification(gamma={ratio})",
        f"statistical-difference(epsilon={moved}{beside})",
        f"semantic(epsilon={moved})",
        f"informed(epsilon={moved})",
        f"pointwise(ratio={ratio}{beside})",  # the slowest: outputs one by one
    ):
        late = process_time() - started > _PATIENCE
        yield {"definition": claim, **(_NOT_ASKED if late else _judged(built, claim, ratio))}
    implied = price.ratio != INFINITY and _records_change_alone(asked, built)
    few = built.universe.size is not None and built.universe.size <= _FEW_DATABASES
    for claim, follows in (
        (f"ddp(uniform, tagged=yes, ratio={ratio})", _TAGGED),
        (f"noiseless(uniform, ratio={ratio})", _INDEPENDENT),
        (f"pufferfish(uniform, ratio={ratio})", _INDEPENDENT),
    ):
        if implied:
            sentence = f"This follows from dp(ratio={ratio}): {follows}."
            yield {"definition": claim, **_NOT_ASKED, "holds": True, "sentence": sentence}
        else:
            late = process_time() - started > _PATIENCE
            unasked = _NOT_ASKED if few else {**_NOT_ASKED, "sentence": _MANY}
            asks = few and not late
            yield {"definition": claim, **(_judged(built, claim, ratio) if asks else unasked)}


_MANY = "not asked: the uniform belief lists all databases, and there are too many"
_TAGGED = (
    "a simulator that is told whose entry is missing puts any value in its place, and comes as near"
)
_INDEPENDENT = (
    "the entries are independent in this belief, so what holds whatever the others are holds "
    "whatever is known of them"
)


def _ratio(price: Verdict) -> str:
    if price.ratio == INFINITY:
        return _IF_INFINITE
    exact = exact_text(price.ratio)
    return repr(to_json(price.ratio)["upper"]) if exact is None else exact


def _moved(ratio: str) -> str:
    written = f"({ratio} - 1)/({ratio} + 1)"
    try:
        value = number(ratio)
        return exact_text((value - 1) / (value + 1)) or written
    except TwoWorldsError:
        return written


def _records_change_alone(asked: DifferentialPrivacy, built: Mechanism) -> bool:
    """Tell whether neighbours are all databases that differ in one record."""
    return isinstance(built.universe, Records) and asked.setting(built).relation == "substitute"


def _judged(built: Mechanism, claim: str, ratio: str) -> dict[str, Any]:
    try:
        return _told(built, check(built, claim), ratio)
    except InvalidInput as error:  # numbers that no arithmetic holds
        return {**_NOT_ASKED, "sentence": f"too extreme to be computed: {error}"}
    except TwoWorldsError as error:
        return {**_NOT_ASKED, "sentence": str(error)}


def _told(built: Mechanism, verdict: Verdict, ratio: str) -> dict[str, Any]:
    witness = verdict.witness
    why = _why(verdict, ratio) if verdict.holds is False else None
    listed = built.outputs.size is None or built.outputs.size <= _FEW_OUTPUTS
    return {
        "holds": verdict.holds,
        "sentence": verdict.sentence if why is None else f"Fails: {why}",
        "why": why,
        "witness": witness.to_dict() if witness is not None and listed else None,
        "witness_in_words": None if witness is None else witness.explain(),
    }


def _why(verdict: Verdict, ratio: str) -> str:
    """Say why a claim fails, before anything that holds instead."""
    witness, said = verdict.witness, verdict.sentence
    if "gamma" in verdict.values and isinstance(witness, Witness) and witness.ratio() != INFINITY:
        first, second = witness.labels
        what = f"{witness.event.describe(witness.mechanism.outputs)} on {first}"
        times = f"{show(witness.ratio(), side='at least')} times as likely as on {second}"
        said = f"{what} is {times}, more than {ratio} times."
    elif "mass_under_first" in verdict.values:
        often = f"with probability {show(at_most_one(verdict.delta))}"
        said = f"{often} an output is over {ratio} times likelier in one world than in the other."
    return f"{said[:1].lower()}{said[1:]}"
