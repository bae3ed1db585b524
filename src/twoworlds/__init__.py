"""What does this data release let anyone learn about a person?

twoworlds compares two worlds, the one with a person's data and one without, exactly. Start with
`mechanism`, which reads what you would type, and `measure`; `ask` asks whatever the command line
can:

>>> import twoworlds as tw
>>> survey = tw.mechanism("randomized-response(bits=40, keep=3/4)")
>>> tw.measure(survey).epsilon
Real(ln 3)
>>> tw.ask("check", "geometric(ratio=2)", "dp(epsilon=1)").holds
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twoworlds.answer import Answer
    from twoworlds.attacks.audit import audit
    from twoworlds.cones.certificates import verify
    from twoworlds.cones.design import design
    from twoworlds.cones.row_cone import RowCone, row_cone
    from twoworlds.definitions import (
        DifferentialPrivacy,
        MutualInformation,
        PointwiseIndistinguishability,
        StatisticalDifference,
        Verdict,
        check,
        definition,
        measure,
    )
    from twoworlds.definitions.trade_off import trade_off
    from twoworlds.errors import (
        InvalidInput,
        NotStochastic,
        TooLarge,
        TwoWorldsError,
        Undecided,
        UnknownName,
        Unsupported,
    )
    from twoworlds.mechanisms import Dense, Mechanism, PerRecord
    from twoworlds.mechanisms.named import compose, mechanism
    from twoworlds.numbers import number
    from twoworlds.questions import ask
    from twoworlds.questions.calibration import calibrate
    from twoworlds.questions.guarantees import explain
    from twoworlds.questions.mechanisms import posterior
    from twoworlds.release import Curator
    from twoworlds.release.policy import Policy
    from twoworlds.show import Result
    from twoworlds.theorems import Guarantee
    from twoworlds.worlds import BitStrings, Integers, Reals, Records, Universe
    from twoworlds.worlds.belief import Belief
    from twoworlds.worlds.beliefs import belief
    from twoworlds.worlds.catalogue import universe

__all__ = [
    "Answer",
    "Belief",
    "BitStrings",
    "Curator",
    "Dense",
    "DifferentialPrivacy",
    "Guarantee",
    "Integers",
    "InvalidInput",
    "Mechanism",
    "MutualInformation",
    "NotStochastic",
    "PerRecord",
    "PointwiseIndistinguishability",
    "Policy",
    "Reals",
    "Records",
    "Result",
    "RowCone",
    "StatisticalDifference",
    "TooLarge",
    "TwoWorldsError",
    "Undecided",
    "Universe",
    "UnknownName",
    "Unsupported",
    "Verdict",
    "ask",
    "audit",
    "belief",
    "calibrate",
    "check",
    "compose",
    "definition",
    "design",
    "explain",
    "measure",
    "mechanism",
    "number",
    "posterior",
    "row_cone",
    "trade_off",
    "universe",
    "verify",
]

__version__ = "0.1.0"

# A name is loaded when it is first used: all rooms together take seconds, `--version` a moment.
_PLACES = {
    "Answer": "answer",
    "Belief": "worlds.belief",
    "BitStrings": "worlds",
    "Curator": "release",
    "Dense": "mechanisms",
    "DifferentialPrivacy": "definitions",
    "Guarantee": "theorems",
    "Integers": "worlds",
    "InvalidInput": "errors",
    "Mechanism": "mechanisms",
    "MutualInformation": "definitions",
    "NotStochastic": "errors",
    "PerRecord": "mechanisms",
    "PointwiseIndistinguishability": "definitions",
    "Policy": "release.policy",
    "Reals": "worlds",
    "Records": "worlds",
    "Result": "show",
    "RowCone": "cones.row_cone",
    "StatisticalDifference": "definitions",
    "TooLarge": "errors",
    "TwoWorldsError": "errors",
    "Undecided": "errors",
    "Universe": "worlds",
    "UnknownName": "errors",
    "Unsupported": "errors",
    "Verdict": "definitions",
    "ask": "questions",
    "audit": "attacks.audit",
    "belief": "worlds.beliefs",
    "calibrate": "questions.calibration",
    "check": "definitions",
    "compose": "mechanisms.named",
    "definition": "definitions",
    "design": "cones.design",
    "explain": "questions.guarantees",
    "measure": "definitions",
    "mechanism": "mechanisms.named",
    "number": "numbers",
    "posterior": "questions.mechanisms",
    "row_cone": "cones.row_cone",
    "trade_off": "definitions.trade_off",
    "universe": "worlds.catalogue",
    "verify": "cones.certificates",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'twoworlds' has no attribute {name!r}")
    found = getattr(import_module(f"twoworlds.{_PLACES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
