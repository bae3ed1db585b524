r"""Theorem 5 of Dwork: adaptive strategies whose answers all get Laplace noise.

For a strategy F = {f_rho : D -> R^d} with noise of scale sigma on every answer, the mechanism K_F
is (Delta F / sigma)-differentially private, Delta F = sup_rho max_{D1 ~ D2} ||f_rho(D1) -
f_rho(D2)||_1. Proof: the density of a transcript is exp(-||f_rho(X) - rho||_1 / sigma) / (2
sigma)^d, by equations 5 to 7, and the triangle inequality bounds the ratio of two such densities;
integrate over any event.

Differs: Dwork's transcripts lie in (R^+)^d, but noisy answers can be negative; sigma is the scale,
the variance is 2 sigma^2. The bound is attained by every strategy that asks the same queries
whatever it is told, and need not be by others: where X is asked again only after an answer between
2/5 and 3/5, Delta F / sigma = 2 but the exact epsilon is 6/5.
"""

from __future__ import annotations

from typing import Any

from twoworlds.mechanisms.strategy import Interaction, Randomized
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.kinds import Kind, register
from twoworlds.theorems.statements import Context, theorem
from twoworlds.worlds import resolve

__all__ = ["strategy_guarantee"]

KIND = register(
    Kind(
        "laplace-strategy",
        ("ratio",),
        "Laplace noise of scale Delta F/epsilon on every answer of an adaptive query strategy",
        "Dwork, Theorem 5",
    )
)


@theorem(
    "dw-5",
    premises=["laplace-strategy"],
    conclusion="dp",
    citation="Dwork, Theorem 5",
    printed="(Delta F/sigma)-differential privacy, for F = {f_rho : D -> (R^+)^d}",
    corrected="transcripts in R^d; Delta F is the L1 sensitivity of the whole vector of answers, "
    "neither the largest nor the sum of those of the single queries",
    tight="attained where the queries do not depend on answers; smaller for some that do: 6/5 in "
    "place of 2, if X is asked again only after an answer between 2/5 and 3/5",
    tightness="tight",
    erratum="exp(-|x|/sigma) has variance 2 sigma^2, not sigma^2, and reported answers can be "
    "negative",
)
def adaptive_laplace(given: Guarantee, _context: Context) -> Guarantee:
    """Laplace noise of scale Delta F/epsilon on every answer of a strategy is epsilon-DP."""
    return given.to("dp", ratio=given.ratio)


def strategy_guarantee(
    mechanism: Interaction | Randomized, *, neighbours: Any = None, group: int = 1
) -> Guarantee:
    """Return what Theorem 5 starts from, for a strategy with noise: its Delta F in units of noise.

    A randomized adversary gets the largest number over its coins. Geometric noise, the integer
    form of Laplace noise, counts as well.

    >>> from twoworlds import mechanism
    >>> both = mechanism("batch(count, count, noise=laplace(scale=4), universe=bits(3))")
    >>> print(strategy_guarantee(both).implies("dp").best)
    dp(epsilon=0.5)
    """
    _, relation = resolve(mechanism.universe, neighbours)
    ratio = mechanism.bound(neighbours=neighbours, group=group)
    return Guarantee.of("laplace-strategy", ratio=ratio, neighbours=relation, group=group)
