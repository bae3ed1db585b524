"""The questions that twoworlds answers, in one list.

A question is a name, a line of help, and a function given by its place, whose annotated parameters
are all that can be asked with it. The command line, the service, the recipes of the page and the
reference are made from this list, so that they cannot disagree; nothing is loaded but the function
that is run. `ask` asks any of them from Python.

A function takes texts as a person types them and returns a `twoworlds.show.Result`. A parameter
without a default is given by its place, one with a default by its name; the text in its annotation
is its help, and `Place` or `Name` instead of that text says otherwise.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from twoworlds.errors import InvalidInput, UnknownName

__all__ = ["FAMILIES", "QUESTIONS", "Name", "Parameter", "Place", "Question", "ask"]


class Place(str):
    """The help of a parameter that is given by its place, although it may be left out."""


class Name(str):
    """The help of a parameter that is given by its name, although it must be given."""


class Parameter(NamedTuple):
    """What can be said with a question.

    Attributes:
        key: its name in the function.
        kind: its type; of one that may be left open, without None.
        help: what it means, in a line.
        default: what it is if it is left out.
        needed: whether it must be given.
        place: whether it is given by its place, not by its name.
        open: whether it may be None.
    """

    key: str
    kind: Any
    help: str
    default: Any
    needed: bool
    place: bool
    open: bool

    @property
    def name(self) -> str:
        """Its name, as Python and JSON have it."""
        return self.key.rstrip("_")

    @property
    def option(self) -> str:
        """Its name on the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def many(self) -> bool:
        """Whether it takes several."""
        return get_origin(self.kind) is list

    def read(self, value: Any) -> Any:
        """Return a value as the function takes it: texts stay, numbers become texts."""
        if self.many:
            of = self._replace(kind=get_args(self.kind)[0])
            return [of.read(one) for one in ([value] if isinstance(value, str) else value)]
        if value is None or isinstance(value, bool) or self.kind is bool:
            return value
        if self.kind in (int, float):
            from twoworlds.numbers import number, whole

            text = str(value)
            return whole(text, self.name) if self.kind is int else float(number(text))
        return Path(value) if self.kind is Path else str(value)


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes:
        name: what is typed, such as ``measure`` or ``noiseless sum``.
        line: what it does, in a line.
        run: the function and its module, in this package unless it has a longer name.
        chart: whether its answers can have charts.
        group: under which it is listed.
    """

    name: str
    line: str
    run: str
    chart: bool = False
    group: str = ""

    def function(self) -> Callable[..., Any]:
        """Load the function that answers it."""
        module, _, name = self.run.partition(":")
        place = module if "." in module else f"{__name__}.{module}"
        found: Callable[..., Any] = getattr(import_module(place), name)
        return found

    def parameters(self) -> dict[str, Parameter]:
        """Return what can be said with it, by name."""
        listed = inspect.signature(self.function(), eval_str=True).parameters.values()
        return {one.name: one for one in map(_parameter, listed)}


def _parameter(one: inspect.Parameter) -> Parameter:
    kind, said = one.annotation, ""
    if get_origin(kind) is Annotated:
        kind, said = get_args(kind)[:2]
    parts = [part for part in get_args(kind) if part is not NoneType]
    open_ = NoneType in get_args(kind)
    needed = one.default is inspect.Parameter.empty
    place = isinstance(said, Place) or (needed and not isinstance(said, Name))
    default = None if needed else one.default
    return Parameter(one.name, parts[0] if open_ else kind, said, default, needed, place, open_)


def ask(question: str, *places: Any, **named: Any) -> Any:
    """Ask a question of the list, with what would be typed on the command line.

    >>> ask("measure", "geometric(ratio=2)").epsilon
    Real(ln 2)
    >>> ask("check", "geometric(ratio=2)", "dp(ratio=3)").holds
    True

    Raises:
        UnknownName: when there is no such question, or it has no such parameter.
        InvalidInput: when something is missing, or given twice.
    """
    if question not in QUESTIONS:
        raise UnknownName("question", question, QUESTIONS)
    asked = QUESTIONS[question]
    known = asked.parameters()
    in_order = [name for name, one in known.items() if one.place]
    if len(places) > len(in_order):
        raise InvalidInput(f"{question} takes {len(in_order)} by their place: name the others")
    given = dict(zip(in_order, places, strict=False))
    for name, value in named.items():
        if name not in known:
            raise UnknownName(f"option of {question}", name, known)
        if name in given:
            raise InvalidInput(f"{name} of {question} is given twice: give it once")
        given[name] = value
    missing = [name for name, one in known.items() if one.needed and name not in given]
    if missing:
        raise InvalidInput(f"{question} also needs {' and '.join(missing)}: give {missing[0]}=...")
    return asked.function()(**{known[name].key: known[name].read(x) for name, x in given.items()})


_MECHANISMS = (
    Question(
        "measure",
        "Say what a mechanism costs: the exact ratio, epsilon or delta, and the worst case.",
        "mechanisms:measure",
        chart=True,
    ),
    Question(
        "check",
        "Decide whether a claim holds: exit 0 if it does, exit 1 with a witness if not.",
        "mechanisms:check",
    ),
    Question(
        "show",
        "Print a mechanism's matrix: one row per output, one column per database.",
        "mechanisms:show",
    ),
    Question(
        "posterior",
        "Say what an attacker concludes from an output, with everyone and without each person.",
        "mechanisms:posterior",
        chart=True,
    ),
    Question(
        "tradeoff",
        "Say how well any test can tell two databases, or values of one record, apart.",
        "mechanisms:tradeoff",
        chart=True,
    ),
    Question(
        "sensitivity",
        "Say how far one person can move a statistic, and show the pair of databases.",
        "mechanisms:sensitivity",
        chart=True,
    ),
    Question(
        "error",
        "Say how wrong the answer will be: exact errors next to the printed bounds.",
        "mechanisms:error",
        chart=True,
    ),
    Question(
        "calibrate",
        "Find the noise for an epsilon, or the epsilon for the error you can accept.",
        "mechanisms:calibrate",
        chart=True,
    ),
    Question(
        "list",
        "List what can be named, with one line each.",
        "mechanisms:list_",
    ),
)

_GUARANTEES = (
    Question(
        "explain",
        "Say what a guarantee promises a person, in odds.",
        "guarantees:explain",
        chart=True,
    ),
    Question(
        "implies",
        "Say what follows from a guarantee, by which theorems, and which of them are false.",
        "guarantees:implies",
    ),
    Question(
        "theorems",
        "List the theorems: as printed, corrected, and tight.",
        "guarantees:theorems",
    ),
    Question(
        "local",
        "Say what holds for one belief because most databases are good, and which are not.",
        "guarantees:local",
        chart=True,
    ),
    Question(
        "condition",
        "Say how often two laws of pairs are told apart given the second coordinate.",
        "guarantees:condition",
        chart=True,
    ),
)

_CONES = (
    Question(
        "cone",
        "List the likelihood rows that can occur: guarantees (facets) and extreme rows (rays).",
        "cones:cone",
        chart=True,
    ),
    Question(
        "member",
        "Decide whether a mechanism follows from trusted ones by post-processing and choice.",
        "cones:member",
    ),
    Question(
        "statements",
        "Say in words which attackers a mechanism or definition protects from learning what.",
        "cones:statements",
    ),
    Question(
        "odds",
        "Say how far the odds between two secrets can move at most, and the row that does it.",
        "cones:odds",
        chart=True,
    ),
    Question(
        "relax",
        "Drop guarantees that nobody needs, and show how each remaining one follows.",
        "cones:relax",
        chart=True,
    ),
    Question(
        "compare",
        "Say which of two definitions promises more, with a mechanism that tells them apart.",
        "cones:compare",
        chart=True,
    ),
    Question(
        "design",
        "Find the most accurate mechanism that a definition allows, with a proof that it is.",
        "cones:design",
        chart=True,
    ),
    Question(
        "verify",
        "Check a saved certificate by exact arithmetic: without any solver, without the data.",
        "cones:verify",
    ),
)

_WORLDS = (
    Question(
        "worlds",
        "Build a scenario of beliefs, side information and a release, and check what it claims.",
        "worlds:worlds",
    ),
    Question(
        "simulator",
        "Find the simulator that comes nearest to a release, and prove that none comes nearer.",
        "worlds:simulator",
    ),
    Question(
        "compose",
        "Say how private two releases of one database are together (Theorem 6).",
        "worlds:compose",
    ),
    Question(
        "noiseless sum",
        "Judge an exact total of independent entries, some of which the attacker knows.",
        "worlds:noiseless_sum",
    ),
    Question(
        "noiseless histogram",
        "Judge a table of a random sample in which counts below a threshold are left out.",
        "worlds:noiseless_histogram",
    ),
    Question(
        "noiseless map",
        "Judge naming the likeliest of several laws (the MAP estimator).",
        "worlds:noiseless_map",
    ),
    Question(
        "noiseless stable",
        "Judge a statistic that one record seldom changes (Theorems 11 and 12).",
        "worlds:noiseless_stable",
    ),
    Question(
        "noiseless size",
        "Say how often the size of a sample gives away that one more is in it (equation 2).",
        "worlds:noiseless_size",
    ),
)

_RELEASES = (
    Question(
        "demo",
        "Make a private release from a made-up hospital, or watch another demonstration.",
        "demonstrations:demo",
        chart=True,
    ),
    Question(
        "release",
        "Answer a query with noise set to the sensitivity of all of it, charged before it is told.",
        "releases:release",
        chart=True,
    ),
    Question(
        "budget",
        "Show what may be spent on each dataset, what was spent, and what is left.",
        "releases:budget",
    ),
    Question(
        "ledger show",
        "Show accounts and the number of charges and answers, after checking the chain.",
        "releases:ledger_show",
    ),
    Question(
        "ledger verify",
        "Check every entry, every rule and the mark; exit 1 at the first entry that is wrong.",
        "releases:ledger_verify",
    ),
    Question(
        "ledger export",
        "Write all entries, one JSON object to a line, for `verify` and for safekeeping.",
        "releases:ledger_export",
    ),
    Question(
        "ledger remark",
        "Make a new mark for a ledger that lost it, if you know that this is its newest copy.",
        "releases:ledger_remark",
    ),
    Question(
        "policy check",
        "Check a policy, and its columns against the data; say what it declares, or all faults.",
        "releases:policy_check",
    ),
    Question(
        "policy new",
        "Begin a policy from the names and types of the columns; a text file is imported first.",
        "releases:policy_new",
    ),
    Question(
        "policy import",
        "Write the typed Parquet file of a text file beside it, as a policy declares it.",
        "releases:policy_import",
    ),
    Question(
        "strategy open",
        "Pay for a strategy, or find that it was paid; of --may-ask say what all together cost.",
        "releases:strategy_open",
    ),
    Question(
        "strategy show",
        "Show the questions so far, and what they cost together and one by one.",
        "releases:strategy_show",
        chart=True,
    ),
    Question(
        "randomize",
        "Randomize a column record by record, so that nobody needs to be trusted with it.",
        "releases:randomize",
    ),
    Question(
        "estimate",
        "Estimate true counts from a randomized column, without bias.",
        "releases:estimate",
        chart=True,
    ),
    Question(
        "report",
        "Write a report to hand to a review board: exit 1 if the claim or the certificate fails.",
        "reports:report",
    ),
)

_ATTACKS = (
    Question(
        "anonymity",
        "Measure the anonymity of a table, name whom it exposes, or make it anonymous.",
        "tables:anonymity",
        chart=True,
    ),
    Question(
        "audit",
        "Look for an event that shows a mechanism to be less private than it claims.",
        "attacks:audit",
        chart=True,
    ),
    Question(
        "attack auxiliary",
        "Run Dwork's impossibility theorem: a remark worthless alone, a breach with a release.",
        "attacks:attack_auxiliary",
        chart=True,
    ),
    Question(
        "attack composition",
        "Put several anonymised tables together, and see what they say of a person in all of them.",
        "tables:composition",
        chart=True,
    ),
    Question(
        "attack averaging",
        "Ask a noisy count again and again until the noise is gone, and see the engine hold.",
        "attacks:attack_averaging",
        chart=True,
    ),
    Question(
        "attack differencing",
        "Find out one person's secret from counts that look harmless, past any limit on size.",
        "attacks:attack_differencing",
        chart=True,
    ),
    Question(
        "attack linkage",
        "Link a register to a published table, and count whom it leaves alone with how many rows.",
        "tables:linkage",
        chart=True,
    ),
    Question(
        "attack membership",
        "Test whether a person took part in a study, from its published counts or histogram.",
        "attacks:attack_membership",
        chart=True,
    ),
    Question(
        "attack reconstruct",
        "Read a secret 0/1 column back from noisy answers to subset sums.",
        "attacks:attack_reconstruct",
        chart=True,
    ),
    Question(
        "selftest",
        "Attack the installed release engine in the known ways. Takes about a minute.",
        "attacks:selftest",
    ),
)

_SERVICE = (
    Question(
        "serve",
        "Start the service and its page on this machine, and print where, with a one-time token.",
        "twoworlds.web.commands:serve",
    ),
    Question(
        "account add",
        "Add an account and print its token, once: only a hash of it is kept.",
        "twoworlds.web.commands:account_add",
    ),
    Question(
        "account list",
        "List the accounts, without their tokens, which nobody has but their owners.",
        "twoworlds.web.commands:account_list",
    ),
    Question(
        "account remove",
        "Remove an account: its token is refused from now on, by a running service too.",
        "twoworlds.web.commands:account_remove",
    ),
)

_GROUPS = {
    "Learn what a mechanism gives away": _MECHANISMS,
    "Learn what a guarantee promises": _GUARANTEES,
    "See guarantees as geometry": _CONES,
    "Count on what the attacker does not know": _WORLDS,
    "Release": _RELEASES,
    "Attack": _ATTACKS,
    "Serve": _SERVICE,
}

QUESTIONS = {
    one.name: replace(one, group=group) for group, listed in _GROUPS.items() for one in listed
}

# Questions whose names begin alike, in a line.
FAMILIES = {
    "noiseless": "Publish exact totals, tables and estimates: against whom is that private?",
    "ledger": "Look at the ledger: what was charged, and whether its chain is whole.",
    "policy": "Begin a policy file, check it, and import text files for it.",
    "strategy": "Pay once for questions that may each depend on the answers before.",
    "attack": "Attack a release, and see what it gives away.",
    "account": "Say who may use the service: add, list and remove accounts.",
}
