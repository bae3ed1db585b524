"""Ways to combine mechanisms, as calls: then, mix, pair and restrict.

Lin & Kifer, Axioms 4.1 (post-processing) and 4.2 (choice).
"""

from __future__ import annotations

from twoworlds.calls import Text
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.base import Mechanism
from twoworlds.mechanisms.named.load import mechanism
from twoworlds.mechanisms.registry import named

__all__ = ["mix", "pair", "restrict", "then"]


@named("then")
def then(first: str | Mechanism, post: str | Mechanism) -> Mechanism:
    """Run one mechanism, then another on its output (post-processing)."""
    return mechanism(first).then(mechanism(post))


@named("mix")
def mix(first: str | Mechanism, second: str | Mechanism, weight: object = "1/2") -> Mechanism:
    """Run the first mechanism with probability weight, else the second (choice)."""
    return mechanism(first).mix(mechanism(second), weight)


@named("pair")
def pair(first: str | Mechanism, second: str | Mechanism) -> Mechanism:
    """Run both mechanisms independently on the same database and publish both outputs."""
    return mechanism(first).pair(mechanism(second))


@named("restrict")
def restrict(first: str | Mechanism, databases: Text) -> Mechanism:
    """Look at a mechanism on some of its databases only."""
    if isinstance(databases, str):
        raise InvalidInput(f"databases={databases}: give a list such as [11, 00]")
    return mechanism(first).restrict(databases)
