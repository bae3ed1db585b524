"""Exact totals without noise: delta as curves over how many people there are, or are known.

Where one stands is answered exactly, by `twoworlds.noiseless.total`. The curves around it are for
drawing: floating point, good to nine digits. For independent bits delta depends on the number of
unknown others m = people - known - 1 alone: with S ~ Binomial(m, p), the count of the unknown,

    delta = max over both orders of sum over t of max(0, P(S = t - 1) - e^epsilon P(S = t)) .
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput, TooLarge, UnknownName
from twoworlds.noiseless import total
from twoworlds.numbers import Number, exact_text, exp, number, show, to_json, whole
from twoworlds.numbers import probability as read_probability
from twoworlds.web.refusals import about

if TYPE_CHECKING:
    import numpy as np

_POINTS = 49
_MOST_PEOPLE = 2000
_FURTHEST = 20_000
_MOST_CURVES = 8
_LARGE = 1e300  # stands for ratios that no float can hold
SWEEPS = ("people", "known", "none")


def noiseless(
    people: str,
    known: str = "0",
    probability: str = "1/2",
    epsilon: str = "1/2",
    sweep: str = "people",
    most: str | None = None,
    curves: Sequence[str] = (),
) -> dict[str, Any]:
    """Return delta of an exact count of independent bits, along one of its numbers.

    Args:
        people: How many there are.
        known: How many entries the attacker knows.
        probability: Of a one, in the attacker's belief.
        epsilon: At which delta is asked for.
        sweep: ``people`` or ``known``: what the curves run over; ``none`` for no curves.
        most: Where curves over people end, if further than where one stands.
        curves: More curves: for so many known (over people), or of so many people (over known).
    """
    with about("people"):
        n = whole(people, "people", at_least=2)
        if n > _MOST_PEOPLE:
            raise InvalidInput(f"people={n}: the service counts up to {_MOST_PEOPLE}")
    with about("known"):
        k = whole(known, "known", at_least=0)
    with about("probability"):
        p = _probability(probability)
    with about("epsilon"):
        at = number(epsilon, "epsilon")
        if at < 0:
            raise InvalidInput(f"epsilon={epsilon} is negative: give 0 or more")
    with about("sweep"):
        if sweep not in SWEEPS:
            raise UnknownName("sweep", sweep, SWEEPS)
    with about("most"):
        end = _end(most, n, sweep)
    with about("curves"):
        others = _others(curves, sweep, end)
    with about("people" if k < n else "known"):
        law = f"1={exact_text(p)}, 0={exact_text(1 - p)}"
        here = total(law, people=n, known=k, epsilon=epsilon)
    ratio = to_json(exp(at))["value"] or _LARGE

    def curve(fixed: int) -> dict[str, Any]:
        if sweep == "none":
            return {"x": [], "delta": []}
        if sweep == "people":
            x = _spread(fixed + 1, end, n)
            unknown = [i - fixed - 1 for i in x]
        else:
            x = _spread(0, fixed - 1, k)
            unknown = [fixed - i - 1 for i in x]
        return {"x": x, "delta": [_delta(m, float(p), ratio) for m in unknown]}

    return {
        "sweep": sweep,
        **curve(k if sweep == "people" else n),
        "curves": [{_FIXED[sweep]: fixed, **curve(fixed)} for fixed in others],
        "epsilon": to_json(at),
        "at": here.to_dict(),
        "belief": here.assumptions[0],
        "sentence": here.sentence,
    }


_FIXED = {"people": "known", "known": "people"}


def _probability(text: str) -> Number:
    p = read_probability(text, "probability")
    if not 0 < p < 1:
        raise InvalidInput(f"probability={show(p)}: give one between 0 and 1, both left out")
    return p


def _end(most: str | None, people: int, sweep: str) -> int:
    if most is None:
        return people
    if sweep != "people":
        raise InvalidInput("most is where a curve over people ends: leave it out over known")
    end = whole(most, "most", at_least=people)
    if end > _FURTHEST:
        raise TooLarge(f"most={end}: the service draws up to {_FURTHEST} people")
    return end


def _others(curves: Sequence[str], sweep: str, end: int) -> list[int]:
    if curves and sweep == "none":
        raise InvalidInput("curves without a sweep: leave them out, or say what they run over")
    if len(curves) > _MOST_CURVES:
        raise TooLarge(f"{len(curves)} curves: the service draws up to {_MOST_CURVES}")
    if sweep == "known":
        found = [whole(one, "curves", at_least=2) for one in curves]
        if max(found, default=0) > _FURTHEST:
            raise TooLarge(f"curves of {max(found)} people: the service draws up to {_FURTHEST}")
        return found
    found = [whole(one, "curves", at_least=0) for one in curves]
    if max(found, default=0) >= end:
        raise InvalidInput(f"curves for {max(found)} known people: the curve ends at {end} people")
    return found


def _spread(low: int, high: int, here: int) -> list[int]:
    """Return whole numbers from low to high, evenly spread if they are many, and where one is."""
    steps = min(_POINTS - 1, high - low)
    if not steps:
        return [high]
    found = {low + round((high - low) * i / steps) for i in range(steps + 1)}
    return sorted(found | {here} if low <= here <= high else found)


@lru_cache(maxsize=4096)
def _delta(unknown: int, p: float, ratio: float) -> float:
    """Return delta with so many unknown others, where a one has probability p."""
    import numpy as np

    if not unknown:
        return 1.0  # the total gives the entry away
    mass = _binomial(unknown, p)
    up, down = np.append(0.0, mass), np.append(mass, 0.0)
    orders = ((up, down), (down, up))
    return float(min(1.0, max(np.maximum(a - ratio * b, 0.0).sum() for a, b in orders)))


def _binomial(m: int, p: float) -> np.ndarray:
    import numpy as np

    logs = _log_factorials()
    t = np.arange(m + 1)
    terms = logs[m] - logs[: m + 1] - logs[m::-1] + t * np.log(p) + (m - t) * np.log1p(-p)
    found: np.ndarray = np.exp(terms)
    return found


@lru_cache(maxsize=1)
def _log_factorials() -> np.ndarray:
    import numpy as np

    return np.append(0.0, np.cumsum(np.log(np.arange(1.0, _FURTHEST + 1))))
