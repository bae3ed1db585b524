"""Answers about cones: each holds the certificate that proves it, and is true or false like it."""

from __future__ import annotations

from dataclasses import dataclass

from twoworlds.cones.certificates import Certificate
from twoworlds.cones.kernel.combination import Combination
from twoworlds.cones.kernel.vectors import Vector
from twoworlds.errors import TwoWorldsError

__all__ = ["Containment", "Membership", "proved"]


@dataclass(frozen=True)
class Membership:
    """Whether a vector lies in a cone, with the proof; true or false like the answer.

    Attributes:
        certificate: The proof.
        inequality: An inequality a . x >= 0 of the cone that the vector violates; None if inside.
        combination: Pairs (generator, weight) that sum to a vector inside; None when the proof is
            that it satisfies the inequalities, or when it is outside.
    """

    certificate: Certificate
    inequality: Vector | None = None
    combination: Combination | None = None

    @property
    def holds(self) -> bool:
        """The answer."""
        return self.inequality is None

    def __bool__(self) -> bool:
        return self.holds


@dataclass(frozen=True)
class Containment:
    """Whether a cone lies inside another one, with the proof; true or false like the answer.

    Attributes:
        certificate: The proof.
        ray: A ray of the first cone outside the second; None if there is none.
        inequality: The inequality a . x >= 0 of the second cone that the ray violates.
    """

    certificate: Certificate
    ray: Vector | None = None
    inequality: Vector | None = None

    @property
    def holds(self) -> bool:
        """The answer."""
        return self.ray is None

    def __bool__(self) -> bool:
        return self.holds


def proved(kind: str, **fields: object) -> Certificate:
    """Build a certificate and check it, so that no answer is returned without a proof."""
    certificate = Certificate(kind, fields)
    if not certificate.verify():
        raise TwoWorldsError(f"a certificate {kind!r} failed its own check: please report this")
    return certificate
