r"""Climbing on a smooth failure probability, many beliefs at a time, in floats.

The failure probability of a belief b is sum_t P_t [G_t > s] with G_t = max_i SD of the two
posteriors. It is flat between its jumps, so they are rounded off,

    f(b) = sum_t P_t sigma((G_t - s) / tau),     sigma(z) = 1 / (1 + e^-z),

and tau is made smaller step by step: outputs next to the threshold are felt before they cross it.
With pi and kappa the posteriors of Game 0 and of the game of the worst person, whose likelihoods
are p and q, P and Q the probabilities of the output, and e_x the sign of pi_x - kappa_x,

    dG/db_x = ((p_x / P) (e_x - <e, pi>) - (q_x / Q) (e_x - <e, kappa>)) / 2.

Nothing is proved here: what comes out are beliefs to be evaluated exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from twoworlds.numbers.portable import exp, log

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Flags = np.ndarray[Any, np.dtype[np.bool_]]
    Places = np.ndarray[Any, np.dtype[np.intp]]

__all__ = ["climbed", "worst_differences"]

_WORK = 30_000_000  # likelihoods looked at while climbing
_MOST_AT_ONCE = 192
_FEWEST = 8
_STAGES = ((0.1, 0.3), (0.03, 0.3), (0.01, 0.2), (0.003, 0.1), (1e-3, 0.03), (2e-4, 0.01))
_STEPS = 25
_LEAST = 1e-12
_OVER = 1e-6  # aim a little above s


def worst_differences(p: Floats, q: Floats, beliefs: Floats) -> tuple[Floats, Floats, Places]:
    """Return, by belief and output, P_t, the largest difference over persons, and that person.

    Args:
        p: likelihoods by output and database.
        q: the same without each person, by person, output and database.
        beliefs: one per line.
    """
    import numpy as np

    joint = beliefs[:, None, :] * p[None]
    mass = joint.sum(axis=2)
    worst = np.zeros_like(mass)
    who = np.zeros(mass.shape, dtype=np.intp)
    with np.errstate(invalid="ignore", divide="ignore"):
        posterior = joint / mass[:, :, None]
        for i, likelihood in enumerate(q):
            other = beliefs[:, None, :] * likelihood[None]
            other /= other.sum(axis=2)[:, :, None]
            gap = np.abs(posterior - other).sum(axis=2) / 2
            gap = np.where(np.isnan(gap), 1.0, gap)
            larger = gap > worst
            worst = np.where(larger, gap, worst)
            who = np.where(larger, i, who)
    return mass, worst, who


def climbed(p: Floats, q: Floats, counted: Flags, starts: Floats, s: float) -> Floats:
    """Return the beliefs that the starts climb to; ``counted`` outputs are those that matter."""
    import numpy as np

    steps = len(_STAGES) * _STEPS
    size = min(max(_WORK // (q.size * steps), _FEWEST), _MOST_AT_ONCE)
    chosen = _spread(starts, size)
    logs = log(np.maximum(chosen, _LEAST))
    for tau, rate in _STAGES:
        first, second = np.zeros_like(logs), np.zeros_like(logs)
        left, right = 1.0, 1.0  # 0.8^k and 0.9^k
        for _ in range(_STEPS):
            left, right = 0.8 * left, 0.9 * right
            slope = _slope(p, q, counted, _beliefs(logs), s + _OVER, tau)
            first = 0.8 * first + 0.2 * slope
            second = 0.9 * second + 0.1 * slope * slope
            mean, spread = first / (1 - left), second / (1 - right)
            logs = np.maximum(logs + rate * mean / (np.sqrt(spread) + 1e-9), -60.0)
            logs -= logs.max(axis=1, keepdims=True)
    found = _beliefs(logs)
    cleaned = np.where(found < 1e-7, 0.0, found)
    return np.concatenate([found, cleaned / cleaned.sum(axis=1, keepdims=True)])


def _spread(starts: Floats, size: int) -> Floats:
    """Return the best half, and others from all over the rest."""
    import numpy as np

    if len(starts) <= size:
        return starts
    best = size // 2
    others = np.linspace(best, len(starts) - 1, size - best).astype(int)
    return np.concatenate([starts[:best], starts[others]])


def _beliefs(logs: Floats) -> Floats:

    masses = exp(logs)
    found: Floats = masses / masses.sum(axis=1, keepdims=True)
    return found


def _slope(p: Floats, q: Floats, counted: Flags, beliefs: Floats, s: float, tau: float) -> Floats:
    """Return the derivative of the smooth failure probability by the logarithms of the belief."""
    import numpy as np

    mass, worst, who = worst_differences(p, q, beliefs)
    others = q[who, np.arange(len(p))[None, :]]  # the likelihoods without the worst person
    with np.errstate(invalid="ignore", divide="ignore"):
        step = 1 / (1 + exp(np.clip((s - worst) / tau, -40, 40)))
        real = p[None] / mass[:, :, None]
        removed = others / (beliefs[:, None, :] * others).sum(axis=2)[:, :, None]
        held = beliefs[:, None, :]
        sign = np.sign(real - removed)
        move = real * (sign - (sign * real * held).sum(axis=2)[:, :, None])
        move -= removed * (sign - (sign * removed * held).sum(axis=2)[:, :, None])
        move = np.nan_to_num(move / 2, nan=0.0, posinf=0.0, neginf=0.0)
    weight = mass * step * (1 - step) / tau * counted
    slope = ((step * counted)[:, :, None] * p[None] + weight[:, :, None] * move).sum(axis=1)
    found: Floats = beliefs * (slope - (beliefs * slope).sum(axis=1, keepdims=True))
    return found
