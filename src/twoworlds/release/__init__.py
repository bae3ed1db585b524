"""The release engine: private answers from the database that people have, within a budget.

`Curator` answers a `Query` (or SQL) about the datasets of a policy. The charge is durable before
the engine runs, the noise is drawn exactly, and the same query is never charged twice.

* `twoworlds.release.policy`: what the owner of the data declares;
* `twoworlds.release.query`: what can be asked;
* `twoworlds.release.sensitivity`: how much one person can change all of it;
* `twoworlds.release.plan`, `twoworlds.release.backends`: one plan, many engines;
* `twoworlds.release.noise`: exact noise from the operating system's bits;
* `twoworlds.release.answers`: answers with their errors;
* `twoworlds.release.budget`, `twoworlds.release.ledger`: what may be spent, and what was;
* `twoworlds.release.local`: randomizing a column record by record, without a curator.
"""

from __future__ import annotations

from twoworlds.release.answers import QueryAnswer
from twoworlds.release.certificate import certify, check_certificate
from twoworlds.release.curator import Curator
from twoworlds.release.errors import ReleaseFailed
from twoworlds.release.forms import DryRun, Released
from twoworlds.release.ledger import Ledger, OverBudget
from twoworlds.release.policy import Policy, parse_policy, read_policy
from twoworlds.release.query import Query
from twoworlds.release.query.conditions import column
from twoworlds.release.query.sql import parse_sql
from twoworlds.release.strategy import PaidStrategy

__all__ = [
    "Curator",
    "DryRun",
    "Ledger",
    "OverBudget",
    "PaidStrategy",
    "Policy",
    "Query",
    "QueryAnswer",
    "ReleaseFailed",
    "Released",
    "certify",
    "check_certificate",
    "column",
    "parse_policy",
    "parse_sql",
    "read_policy",
]
