"""The main job on built-in examples: what two everyday releases cost, exactly."""

from __future__ import annotations

from twoworlds import measure, mechanism
from twoworlds.cli.render import console, print_verdict

__all__ = ["run"]

_SURVEY = "randomized-response(bits=1000, keep=3/4)"
_COUNT = "geometric(ratio=2)"


def run() -> None:
    """Print the two analyses and where to go next."""
    out = console()
    out.print("A survey of 1,000 people, each answer flipped with probability 1/4")
    out.rule()
    print_verdict(measure(mechanism(_SURVEY)))
    out.print()
    out.print("A count of people, published with two-sided geometric noise")
    out.rule()
    print_verdict(measure(mechanism(_COUNT)))
    out.print()
    out.print("Next: twoworlds list; twoworlds measure 'skellam(10, 10)' --delta 1e-6")
