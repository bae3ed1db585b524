"""Guarantees for one belief: good databases, noise for a likely sensitivity, conditioning."""

from __future__ import annotations

from rich.text import Text

from twoworlds.cli.render import console, print_json, progress
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms.named import mechanism as build_mechanism
from twoworlds.theorems import calibrate_locally, condition, good_databases
from twoworlds.worlds.beliefs import belief as build_belief
from twoworlds.worlds.catalogue import statistic as build_statistic
from twoworlds.worlds.catalogue import universe as build_universe

__all__ = ["show_calibration", "show_conditioned", "show_good_databases"]


def show_good_databases(
    mechanism: str,
    *,
    belief: str,
    ratio: str | None,
    epsilon: str | None,
    delta: str,
    default: str | None,
    as_json: bool,
) -> None:
    """Print where a mechanism is private, how likely that is, and what follows."""
    with progress():
        found = good_databases(
            build_mechanism(mechanism),
            belief,
            ratio=ratio,
            epsilon=epsilon,
            delta=delta,
            default=default,
        )
    _print(found.explain(), found.to_dict(), as_json=as_json)


def show_calibration(
    statistic: str,
    *,
    universe: str | None,
    belief: str,
    threshold: str | None,
    epsilon: str | None,
    as_json: bool,
) -> None:
    """Print the noise for a sensitivity that holds with high probability."""
    if universe is None or threshold is None or epsilon is None:
        raise InvalidInput("--statistic needs --universe, --threshold and --epsilon beside it")
    where = build_universe(universe)
    held = dict(build_belief(belief, where).items())
    with progress():
        found = calibrate_locally(
            build_statistic(statistic, where), where, held, threshold=threshold, epsilon=epsilon
        )
    _print(found.explain(), found.to_dict(), as_json=as_json)


def show_conditioned(
    first: str,
    second: str,
    *,
    ratio: str | None,
    epsilon: str | None,
    inner: str,
    as_json: bool,
) -> None:
    """Print how much of two joint laws is told apart, given the second coordinate."""
    found = condition(_joint(first), _joint(second), ratio=ratio, epsilon=epsilon, inner=inner)
    _print(found.explain(), found.to_dict(), as_json=as_json)


def _joint(text: str) -> dict[tuple[object, object], object]:
    """Read a joint law such as ``s,1=1/10; c,1=9/10``."""
    law: dict[tuple[object, object], object] = {}
    for part in text.split(";"):
        pair, found, mass = part.partition("=")
        names = [name.strip() for name in pair.split(",")]
        if not found or len(names) != 2 or not all(names):
            raise InvalidInput(
                f"{part.strip()!r} is not the probability of a pair: write 's,1=1/10; c,1=9/10'"
            )
        if (names[0], names[1]) in law:
            raise InvalidInput(f"{pair.strip()} is given twice: name each pair once")
        law[names[0], names[1]] = mass.strip()
    return law


def _print(words: str, data: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        print_json(data)
    else:
        console().print(Text(words))
