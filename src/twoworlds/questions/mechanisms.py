"""Questions about one mechanism."""

from __future__ import annotations

from typing import Annotated

from twoworlds.errors import InvalidInput
from twoworlds.show import Result

__all__ = ["check", "measure"]

Mechanism = Annotated[
    str, "a call such as 'geometric(ratio=2)', a matrix file, or python:module:name"
]
Neighbours = Annotated[str | None, "substitute, add-remove, or listed pairs such as '11~10, 10~00'"]
Universe = Annotated[str | None, "what the columns of a matrix file are, such as 'bits(2)'"]


def measure(
    mechanism: Mechanism,
    ratio: Annotated[str | None, "e^epsilon: ask for the delta there"] = None,
    epsilon: Annotated[str | None, "ask for the delta there"] = None,
    delta: Annotated[str | None, "ask for the smallest epsilon there"] = None,
    neighbours: Neighbours = None,
    group: Annotated[str, "how many people may differ at once"] = "1",
    definition: Annotated[str, "the definition to measure in"] = "dp",
    universe: Universe = None,
    profile: Annotated[bool, "the delta of every ratio"] = False,
) -> Result:
    """Say what a mechanism costs: the exact ratio, epsilon or delta, and the worst case."""
    from twoworlds.definitions import DifferentialPrivacy
    from twoworlds.definitions import measure as find
    from twoworlds.mechanisms.named import mechanism as build
    from twoworlds.numbers import whole

    built = build(mechanism, universe=universe)
    if profile:
        if (ratio, epsilon, delta) != (None, None, None) or definition != "dp":
            raise InvalidInput(
                "--profile is the whole curve of dp: leave numbers and definition out"
            )
        size = whole(group, "group", at_least=1)
        return DifferentialPrivacy(neighbours=neighbours, group=size).profile(built)
    return find(
        built,
        ratio=ratio,
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        group=None if group == "1" else group,
        definition=definition,
    )


def check(
    mechanism: Mechanism,
    claim: Annotated[str, "a definition such as 'dp(ratio=3, delta=1/100)'"],
    neighbours: Neighbours = None,
    group: Annotated[str | None, "how many people may differ at once"] = None,
    universe: Universe = None,
) -> Result:
    """Decide whether a claim holds: exit 0 if it does, exit 1 with a witness if not."""
    from twoworlds.definitions import check as decide
    from twoworlds.mechanisms.named import mechanism as build

    verdict = decide(build(mechanism, universe=universe), claim, neighbours=neighbours, group=group)
    bool(verdict)  # raises where it is undecided
    return verdict
