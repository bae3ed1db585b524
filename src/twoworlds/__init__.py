"""What does this data release let anyone learn about a person?

twoworlds compares two worlds, the one with a person's data and one without, exactly. Make a
mechanism by its name and `measure` it; `Curator` releases answers from your data; `ask` asks
whatever the command line can. Every result can be printed, plotted and saved:

>>> import twoworlds as tw
>>> tw.measure(tw.randomized_response(bits=40, keep="3/4")).epsilon
Real(ln 3)
>>> tw.check(tw.geometric(ratio=2), "dp(epsilon=1)").holds
True
>>> print(tw.ask("sensitivity", "count", universe="bits(3)", neighbours="substitute"))
The global L1 sensitivity of the count of 1 is 1 under substitute ...
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
    from twoworlds.definitions import DifferentialPrivacy, Verdict, check, definition, measure
    from twoworlds.definitions.trade_off import trade_off
    from twoworlds.errors import InvalidInput, TwoWorldsError
    from twoworlds.mechanisms import Dense, Mechanism
    from twoworlds.mechanisms.named import (
        compose,
        constant,
        differenced_negative_binomial,
        discrete_gaussian,
        exact,
        fixed_sample,
        gaussian,
        geometric,
        identity,
        integer_noise,
        laplace,
        mechanism,
        noisy_parity,
        parity,
        poisson_sample,
        pram,
        random_index,
        randomized_response,
        shuffle,
        skellam,
        tempered_map,
        truncated_geometric,
    )
    from twoworlds.mechanisms.strategy.named import adaptive, batch
    from twoworlds.numbers import number
    from twoworlds.questions import ask
    from twoworlds.questions.guarantees import calibrate, explain
    from twoworlds.questions.mechanisms import posterior
    from twoworlds.release import Curator
    from twoworlds.release.policy import Policy
    from twoworlds.show import Result
    from twoworlds.theorems import Guarantee
    from twoworlds.worlds import BitStrings, Records, Universe
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
    "InvalidInput",
    "Mechanism",
    "Policy",
    "Records",
    "Result",
    "RowCone",
    "TwoWorldsError",
    "Universe",
    "Verdict",
    "adaptive",
    "ask",
    "audit",
    "batch",
    "belief",
    "calibrate",
    "check",
    "compose",
    "constant",
    "definition",
    "design",
    "differenced_negative_binomial",
    "discrete_gaussian",
    "exact",
    "explain",
    "fixed_sample",
    "gaussian",
    "geometric",
    "identity",
    "integer_noise",
    "laplace",
    "measure",
    "mechanism",
    "noisy_parity",
    "number",
    "parity",
    "poisson_sample",
    "posterior",
    "pram",
    "random_index",
    "randomized_response",
    "row_cone",
    "shuffle",
    "skellam",
    "tempered_map",
    "trade_off",
    "truncated_geometric",
    "universe",
    "verify",
]

__version__ = "0.1.0"

# A name is loaded when it is first used: all rooms together take seconds, `--version` a moment.
_ROOMS = {
    "answer": "Answer",
    "attacks.audit": "audit",
    "cones.certificates": "verify",
    "cones.design": "design",
    "cones.row_cone": "RowCone row_cone",
    "definitions": "DifferentialPrivacy Verdict check definition measure",
    "definitions.trade_off": "trade_off",
    "errors": "InvalidInput TwoWorldsError",
    "mechanisms": "Dense Mechanism",
    "mechanisms.named": (
        "compose constant differenced_negative_binomial discrete_gaussian exact fixed_sample "
        "gaussian geometric identity integer_noise laplace mechanism noisy_parity parity "
        "poisson_sample pram random_index randomized_response shuffle skellam tempered_map "
        "truncated_geometric"
    ),
    "mechanisms.strategy.named": "adaptive batch",
    "numbers": "number",
    "questions": "ask",
    "questions.guarantees": "calibrate explain",
    "questions.mechanisms": "posterior",
    "release": "Curator",
    "release.policy": "Policy",
    "show": "Result",
    "theorems": "Guarantee",
    "worlds": "BitStrings Records Universe",
    "worlds.belief": "Belief",
    "worlds.beliefs": "belief",
    "worlds.catalogue": "universe",
}
_PLACES = {name: room for room, names in _ROOMS.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        from twoworlds.questions import QUESTIONS

        asked = [one for one in QUESTIONS if one.split()[0] == name.replace("_", "-")]
        way = "".join(f', use tw.ask("{one}", ...)' for one in asked[:1])
        raise AttributeError(f"module 'twoworlds' has no attribute {name!r}{way}")
    found = getattr(import_module(f"twoworlds.{_PLACES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__]
