"""The graph of theorems: implications between privacy definitions, computed and cited.

>>> from twoworlds.theorems import Guarantee
>>> found = Guarantee.parse("dp(epsilon=0.1)").implies("semantic")
>>> print(found.best, [step.theorem.citation for step in found.steps])
semantic(epsilon=0.04995837496) ['Kasiviswanathan & Smith, Theorem 2.2']

One file per paper; importing this package registers them all.
"""

from __future__ import annotations

import twoworlds.theorems.accounting
import twoworlds.theorems.coupled_limits  # noqa: F401 (these register what follows, and what not)
from twoworlds.theorems.bassily_groce_katz_smith import (
    compose_coupled,
    less_side_information,
    through_simulator,
    with_mixtures,
)
from twoworlds.theorems.common import compose, mix, post_process, strategy_guarantee
from twoworlds.theorems.conditioning import condition
from twoworlds.theorems.formulas import (
    conditioning_failure,
    dp_factor,
    group_delta,
    inference_delta,
    inference_failure,
    largest_difference,
    largest_power,
    pointwise_delta,
    pufferfish_failure,
    sharper_semantic,
    simple_dp_factor,
    smaller_ratio_delta,
    widened_delta,
)
from twoworlds.theorems.guarantee import Guarantee
from twoworlds.theorems.implication import Implication
from twoworlds.theorems.kinds import KINDS
from twoworlds.theorems.limits import Alarm
from twoworlds.theorems.local import (
    calibrate_locally,
    good_databases,
)
from twoworlds.theorems.one_bit import one_bit_failure, one_bit_worst
from twoworlds.theorems.statements import (
    NON_IMPLICATIONS,
    THEOREMS,
    Context,
    NonImplication,
    Theorem,
    non_implication,
    theorem,
)

__all__ = [
    "KINDS",
    "NON_IMPLICATIONS",
    "THEOREMS",
    "Alarm",
    "Context",
    "Guarantee",
    "Implication",
    "NonImplication",
    "Theorem",
    "calibrate_locally",
    "compose",
    "compose_coupled",
    "condition",
    "conditioning_failure",
    "dp_factor",
    "good_databases",
    "group_delta",
    "inference_delta",
    "inference_failure",
    "largest_difference",
    "largest_power",
    "less_side_information",
    "mix",
    "non_implication",
    "one_bit_failure",
    "one_bit_worst",
    "pointwise_delta",
    "post_process",
    "pufferfish_failure",
    "sharper_semantic",
    "simple_dp_factor",
    "smaller_ratio_delta",
    "strategy_guarantee",
    "theorem",
    "through_simulator",
    "widened_delta",
    "with_mixtures",
]
