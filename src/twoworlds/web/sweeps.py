"""Exact totals without noise: delta as a curve over how many people there are, or are known."""

from __future__ import annotations

from typing import Any

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.noiseless import total
from twoworlds.numbers import exact_text, number, show, to_json, whole
from twoworlds.numbers import probability as read_probability
from twoworlds.web.refusals import about

__all__ = ["noiseless"]

_POINTS = 33
_MOST_PEOPLE = 2000
SWEEPS = ("people", "known")


def noiseless(
    people: str,
    known: str = "0",
    probability: str = "1/2",
    epsilon: str = "1/2",
    sweep: str = "people",
) -> dict[str, Any]:
    """Return delta of an exact count of independent bits, along one of its numbers.

    Args:
        people: How many there are; the end of the curve over people.
        known: How many entries the attacker knows; the curve over known runs up to people - 1.
        probability: Of a one, in the attacker's belief.
        epsilon: At which delta is asked for.
        sweep: ``people`` or ``known``.
    """
    with about("people"):
        n = whole(people, "people", at_least=2)
        if n > _MOST_PEOPLE:
            raise InvalidInput(f"people={n}: the service draws up to {_MOST_PEOPLE}")
    with about("known"):
        k = whole(known, "known", at_least=0)
        if k >= n:
            raise InvalidInput(f"known={k} of {n} people: at least one entry must be unknown")
    with about("probability"):
        law = _law(probability)
    with about("epsilon"):
        at = number(epsilon, "epsilon")
        if at < 0:
            raise InvalidInput(f"epsilon={epsilon} is negative: give 0 or more")
    with about("sweep"):
        if sweep not in SWEEPS:
            raise UnknownName("sweep", sweep, SWEEPS)
        x = _spread(k + 1, n) if sweep == "people" else _spread(0, n - 1)
    with about("people"):
        verdicts = [
            total(law, people=i, known=k, epsilon=epsilon)
            if sweep == "people"
            else total(law, people=n, known=i, epsilon=epsilon)
            for i in x
        ]
        last = verdicts[-1] if sweep == "people" else total(law, people=n, known=k, epsilon=epsilon)
    return {
        "sweep": sweep,
        "x": x,
        "delta": [to_json(verdict.delta)["value"] for verdict in verdicts],
        "exact": [to_json(verdict.delta) for verdict in verdicts],
        "epsilon": to_json(at),
        "at": last.to_dict(),
        "belief": last.assumptions[0],
        "sentence": last.sentence,
    }


def _law(text: str) -> str:
    p = read_probability(text, "probability")
    if not 0 < p < 1:
        raise InvalidInput(f"probability={show(p)}: give one between 0 and 1, both left out")
    return f"1={exact_text(p)}, 0={exact_text(1 - p)}"


def _spread(low: int, high: int) -> list[int]:
    """Return whole numbers from low to high, evenly spread if they are many."""
    low = max(low, 1) if low else 0
    steps = min(_POINTS - 1, high - low)
    if not steps:
        return [high]
    return sorted({low + round((high - low) * i / steps) for i in range(steps + 1)})
