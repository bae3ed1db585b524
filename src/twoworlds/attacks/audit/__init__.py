"""Black-box audits: somebody else's mechanism, and an event that breaks its claim.

`audit` runs a subject on neighbouring databases, looks for the event that separates them most on
one half of the outputs, and certifies on the other half how large epsilon must be, by exact
binomial bounds. It never says that anything is private.

* `twoworlds.attacks.audit.auditing`: the rounds, and what is corrected for;
* `twoworlds.attacks.audit.subjects`, `twoworlds.attacks.audit.adapters`,
  `twoworlds.attacks.audit.process`: callables, programs, objects of other libraries, child
  processes and their messages;
* `twoworlds.attacks.audit.subjects`: which databases;
* `twoworlds.attacks.audit.outputs`, `twoworlds.attacks.audit.features`,
  `twoworlds.attacks.audit.events`, `twoworlds.attacks.audit.events`: which events;
* `twoworlds.attacks.audit.finding`, `twoworlds.attacks.audit.finding`: what is certified;
* `twoworlds.attacks.audit.auditing`: going on after an interruption.
"""

from twoworlds.attacks.audit.auditing import audit
from twoworlds.attacks.audit.events import Event
from twoworlds.attacks.audit.finding import Audit, Finding, lower_bound, upper_bound
from twoworlds.attacks.audit.outputs import plain
from twoworlds.attacks.audit.subjects import Unresponsive

__all__ = [
    "Audit",
    "Event",
    "Finding",
    "Unresponsive",
    "audit",
    "lower_bound",
    "plain",
    "upper_bound",
]
