"""Black-box audits: somebody else's mechanism, and an event that breaks its claim.

`audit` runs a subject on neighbouring databases, looks for the event that separates them most on
one half of the outputs, and certifies on the other half how large epsilon must be, by exact
binomial bounds. It never says that anything is private.

* `auditing`, `state`: the rounds, what is corrected for, and going on after an interruption;
* `subjects`, `adapters`, `process`: callables, programs, objects of other libraries, child
  processes and their messages; and which databases;
* `outputs`, `features`, `events`: which events;
* `finding`: what is certified, by binomial bounds.
"""

from twoworlds.attacks.audit.auditing import audit
from twoworlds.attacks.audit.events import FeatureEvent
from twoworlds.attacks.audit.finding import Audit, Finding, lower_bound, upper_bound
from twoworlds.attacks.audit.outputs import plain
from twoworlds.attacks.audit.subjects import Unresponsive

__all__ = [
    "Audit",
    "FeatureEvent",
    "Finding",
    "Unresponsive",
    "audit",
    "lower_bound",
    "plain",
    "upper_bound",
]
