"""The questions that twoworlds answers, in one list.

A question is a name, a line of help, a function given by its place, and examples. The command line,
the service, the recipes of the page and the reference are made from this list, so that they cannot
disagree; nothing is loaded but the function that is run. `ask` asks any of them from Python.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.questions.question import Name, Parameter, Place, Question

__all__ = ["FAMILIES", "QUESTIONS", "Name", "Parameter", "Place", "Question", "ask"]


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
        ('"laplace(epsilon=1/2)"', '"gaussian(sigma=4)" --times 10 --delta 1e-6'),
        chart=True,
    ),
    Question(
        "compose",
        "Say what several outputs about the same people cost together, beside the plain sum.",
        "mechanisms:compose",
        (
            '"laplace(epsilon=1/10)" --times 100 --delta 1e-6',
            '"gaussian(sigma=4)" "geometric(ratio=2)" "laplace(scale=3)" --delta 1e-6',
        ),
        chart=True,
    ),
    Question(
        "check",
        "Decide whether a claim holds: exit 0 if it does, exit 1 with a witness if not.",
        "mechanisms:check",
        (
            '"geometric(ratio=2)" "dp(ratio=2)"',
            '"randomized-response(bits=100, keep=3/4)" "dp(epsilon=1)"',
        ),
    ),
    Question(
        "show",
        "Print a mechanism's matrix: one row per output, one column per database.",
        "mechanisms:show",
        (
            '"randomized-response(bits=2, keep=3/4)"',
            '"truncated-geometric(ratio=2, high=3)" --save matrix.csv',
        ),
    ),
    Question(
        "posterior",
        "Say what an attacker concludes from an output, with everyone and without each person.",
        "mechanisms:posterior",
        (
            '"noisy-parity(bits=2, keep=3/4)" --belief "explicit(11=1/2, 10=1/2)" --output 1',
            '"geometric(ratio=2, bits=3)" --belief "independent(1/2)" --output 3 --secret 1=1',
        ),
        chart=True,
    ),
    Question(
        "tradeoff",
        "Say how well any test can tell two databases, or values of one record, apart.",
        "mechanisms:tradeoff",
        (
            '"geometric(ratio=2)" 0 3 --level 1/20',
            '"geometric(ratio=2, bits=3)" --belief "independent(1/2)" --person 1 --alternative 1',
        ),
        chart=True,
    ),
    Question(
        "sensitivity",
        "Say how far one person can move a statistic, and show the pair of databases.",
        "mechanisms:sensitivity",
        (
            'histogram --universe "records(values=[a, b, c], n=5)"',
            'python:statistics:median --universe "bits(3)" --neighbours substitute --at 110',
        ),
        chart=True,
    ),
    Question(
        "error",
        "Say how wrong the answer will be: exact errors next to the printed bounds.",
        "mechanisms:error",
        ('"laplace(epsilon=1/2)" --dimension 10', '"randomized-response(bits=100, keep=3/4)"'),
        chart=True,
    ),
    Question(
        "calibrate",
        "Find the noise for an epsilon, or the epsilon for the error you can accept.",
        "calibration:calibrate",
        (
            "laplace --sensitivity 2 --epsilon 1/2",
            "gaussian --epsilon 1 --delta 1e-6",
            "laplace --epsilon 1 --delta 1e-6 --times 100",
            "geometric --error 3/4",
        ),
        chart=True,
    ),
    Question(
        "list",
        "List what can be named, with one line each.",
        "mechanisms:list_",
        ("", "mechanisms"),
    ),
)

_GUARANTEES = (
    Question(
        "explain",
        "Say what a guarantee promises a person, in odds.",
        "guarantees:explain",
        ('"dp(epsilon=1/2)"', '"dp(ratio=3, delta=1/100)"'),
        chart=True,
    ),
    Question(
        "implies",
        "Say what follows from a guarantee, by which theorems, and which of them are false.",
        "guarantees:implies",
        (
            '"dp(epsilon=0.1)" --to semantic',
            '"independent-ddp(ratio=3/2, delta=1/50)" --to noiseless',
        ),
    ),
    Question(
        "theorems",
        "List the theorems: as printed, corrected, and tight.",
        "guarantees:theorems",
        ("",),
    ),
    Question(
        "local",
        "Say what holds for one belief because most databases are good, and which are not.",
        "guarantees:local",
        ('"geometric(ratio=2, bits=3)" --ratio 2',),
        chart=True,
    ),
    Question(
        "condition",
        "Say how often two laws of pairs are told apart given the second coordinate.",
        "guarantees:condition",
        ('"s,1=1/10; c,1=9/10" "c,1=1" --ratio 3 --inner 1/20',),
        chart=True,
    ),
)

_CONES = (
    Question(
        "cone",
        "List the likelihood rows that can occur: guarantees (facets) and extreme rows (rays).",
        "cones:cone",
        ('"randomized-response(bits=2, keep=3/4)"', '"dp(ratio=3)" --universe "bits(2)"'),
        chart=True,
    ),
    Question(
        "member",
        "Decide whether a mechanism follows from trusted ones by post-processing and choice.",
        "cones:member",
        (
            '--row 3,1,1,3 --of "randomized-response(bits=2, keep=3/4)"',
            '"noisy-parity(bits=2, keep=3/4)" --of "dp(ratio=3)" --save proof.json',
        ),
    ),
    Question(
        "statements",
        "Say in words which attackers a mechanism or definition protects from learning what.",
        "cones:statements",
        ('"randomized-response(bits=2, keep=3/4)"', '"dp(ratio=3)" --universe "bits(2)"'),
    ),
    Question(
        "odds",
        "Say how far the odds between two secrets can move at most, and the row that does it.",
        "cones:odds",
        (
            '"randomized-response(bits=2, keep=3/4)" --of even',
            '"dp(ratio=3)" --universe "bits(2)" --of even',
        ),
        chart=True,
    ),
    Question(
        "relax",
        "Drop guarantees that nobody needs, and show how each remaining one follows.",
        "cones:relax",
        (
            '"randomized-response(bits=2, keep=3/4)" --eliminate 01',
            '"randomized-response(bits=2, keep=3/4)" --any 1 --save relaxed.json',
        ),
        chart=True,
    ),
    Question(
        "compare",
        "Say which of two definitions promises more, with a mechanism that tells them apart.",
        "cones:compare",
        (
            '"randomized-response(bits=2, keep=3/4)" "dp(ratio=3)"',
            '"dp(ratio=2)" "dp(ratio=3)" --universe "bits(2)"',
        ),
        chart=True,
    ),
    Question(
        "design",
        "Find the most accurate mechanism that a definition allows, with a proof that it is.",
        "cones:design",
        (
            '"dp(ratio=2)" --universe "integers(0, 3)" --belief uniform',
            '"dp(ratio=2)" --universe "bits(1)" --statistic count --loss squared',
        ),
        chart=True,
    ),
    Question(
        "verify",
        "Check a saved certificate by exact arithmetic: without any solver, without the data.",
        "cones:verify",
        ("proof.json", "best.json"),
    ),
)

_WORLDS = (
    Question(
        "worlds",
        "Build a scenario of beliefs, side information and a release, and check what it claims.",
        "worlds:worlds",
        ("parity", "three-bits --text"),
    ),
    Question(
        "simulator",
        "Find the simulator that comes nearest to a release, and prove that none comes nearer.",
        "worlds:simulator",
        (
            '"exact(sum, universe=bits(3))" --ratio 3/2',
            '"exact(sum, universe=bits(3))" --ratio 3/2 --proof best.json',
        ),
    ),
    Question(
        "coupled compose",
        "Say how private two releases of one database are together (Theorem 6).",
        "worlds:coupled_compose",
        (
            '"exact(sum, universe=bits(3))" "exact(parity, universe=bits(3))" --ratio 3/2',
            '"exact(sum, universe=bits(2))" "exact(sum, universe=bits(2))" --epsilon 1',
        ),
    ),
    Question(
        "noiseless sum",
        "Judge an exact total of independent entries, some of which the attacker knows.",
        "worlds:noiseless_sum",
        (
            '--values="-1,0,1" --people 50 --epsilon 0.5',
            "--values 0..20 --people 1000 --epsilon 0.5 --delta 1e-6 --solve known",
        ),
    ),
    Question(
        "noiseless histogram",
        "Judge a table of a random sample in which counts below a threshold are left out.",
        "worlds:noiseless_histogram",
        (
            "--population 50 --rate 3/10 --threshold 10 --epsilon 0.5",
            "--population any --rate 3/10 --epsilon 0.5 --delta 1e-6 --solve threshold",
        ),
    ),
    Question(
        "noiseless map",
        "Judge naming the likeliest of several laws (the MAP estimator).",
        "worlds:noiseless_map",
        (
            '--law "1=3/4, 0=1/4" --law "1=1/4, 0=3/4" --people 41 --epsilon 0',
            '--law "1=3/4, 0=1/4" --law "1=1/4, 0=3/4" --people 41 --known 2 --epsilon 0',
        ),
    ),
    Question(
        "noiseless stable",
        "Judge a statistic that one record seldom changes (Theorems 11 and 12).",
        "worlds:noiseless_stable",
        ('majority --universe "bits(5)"', 'parity --universe "bits(3)" --epsilon 1 --delta 1/2'),
    ),
    Question(
        "noiseless size",
        "Say how often the size of a sample gives away that one more is in it (equation 2).",
        "worlds:noiseless_size",
        ('"poisson(mean=100)" --epsilon 0.3', '"poisson(mean=100)" --epsilon 0.3 --delta 1/10'),
    ),
)

_RELEASES = (
    Question(
        "demo",
        "Make a private release from a made-up hospital, or watch another demonstration.",
        "demonstrations:demo",
        ("", "k-anonymity"),
        chart=True,
    ),
    Question(
        "release",
        "Answer a query with noise set to the sensitivity of all of it, charged before it is told.",
        "releases:release",
        (
            '"SELECT COUNT(*) FROM people" --policy hospital/policy.yml --analyst ann --epsilon 1',
            '"SELECT COUNT(*) FROM people" --policy hospital/policy.yml --within 10',
            '"SELECT COUNT(*) FROM people" "SELECT SUM(age) FROM people" --policy '
            "hospital/policy.yml --analyst ann --each 1/10",
        ),
        chart=True,
    ),
    Question(
        "budget",
        "Show what may be spent on each dataset, what was spent, and what is left.",
        "policies:budget",
        ("--policy hospital/policy.yml", "--policy hospital/policy.yml --json"),
    ),
    Question(
        "ledger show",
        "Show accounts and the number of charges and answers, after checking the chain.",
        "policies:ledger_show",
        ("hospital/policy.yml",),
    ),
    Question(
        "ledger verify",
        "Check every entry, every rule and the mark; exit 1 at the first entry that is wrong.",
        "policies:ledger_verify",
        ("hospital/policy.yml",),
    ),
    Question(
        "ledger export",
        "Write all entries, one JSON object to a line, for `verify` and for safekeeping.",
        "policies:ledger_export",
        ("hospital/policy.yml ledger.jsonl",),
    ),
    Question(
        "ledger remark",
        "Make a new mark for a ledger that lost it, if you know that this is its newest copy.",
        "policies:ledger_remark",
        ('hospital/policy.yml --reason "restored from the newest copy"',),
    ),
    Question(
        "policy check",
        "Check a policy, and its columns against the data; say what it declares, or all faults.",
        "policies:policy_check",
        ("hospital/policy.yml",),
    ),
    Question(
        "policy new",
        "Begin a policy from the names and types of the columns; a text file is imported first.",
        "policies:policy_new",
        ("registry.csv --kind age=integer",),
    ),
    Question(
        "policy import",
        "Write the typed Parquet file of a text file beside it, as a policy declares it.",
        "policies:policy_import",
        ("visits.csv --policy policy.yml",),
    ),
    Question(
        "strategy open",
        "Pay for a strategy, or find that it was paid; of --may-ask say what all together cost.",
        "releases:strategy_open",
        ("ill --policy hospital/policy.yml --analyst bob --may-ask questions.sql --each 1/2",),
    ),
    Question(
        "strategy show",
        "Show the questions so far, and what they cost together and one by one.",
        "releases:strategy_show",
        ("ill --policy hospital/policy.yml --analyst bob --dataset people",),
        chart=True,
    ),
    Question(
        "randomize",
        "Randomize a column record by record, so that nobody needs to be trusted with it.",
        "releases:randomize",
        ('survey.csv out.csv --column smoker --with "frapp(gamma=3)" --values "yes, no"',),
    ),
    Question(
        "estimate",
        "Estimate true counts from a randomized column, without bias.",
        "releases:estimate",
        ('reports.csv --column smoker --with "randomized-response(keep=3/4)" --values "yes, no"',),
        chart=True,
    ),
    Question(
        "report",
        "Write two pages for a review board to sign, with the proof in an appendix.",
        "reports:report",
        (
            '"randomized-response(bits=2, keep=3/4)" --claim "dp(epsilon=1)" -o report.html',
            '"laplace(epsilon=1/2)" --purpose "The survey of 2026" -o report.html',
        ),
    ),
)

_ATTACKS = (
    Question(
        "anonymity",
        "Measure the anonymity of a table, name whom it exposes, or make it anonymous.",
        "tables:anonymity",
        (
            "figure1.csv --quasi zip,age,nationality --sensitive condition",
            "figure1.csv --quasi zip,age,nationality --sensitive condition --k 5 --l 2",
        ),
        chart=True,
    ),
    Question(
        "audit",
        "Look for an event that shows a mechanism to be less private than it claims.",
        "attacks:audit",
        (
            "python:twoworlds.testing.broken:naive_float_laplace",
            "python:twoworlds.testing.broken:laplace_ten_percent_short --epsilon 1",
        ),
        chart=True,
    ),
    Question(
        "attack auxiliary",
        "Run Dwork's impossibility theorem: a remark worthless alone, a breach with a release.",
        "attacks:attack_auxiliary",
        ("", 'fuzzy --code "bch(15, 7)" --within 3'),
        chart=True,
    ),
    Question(
        "attack composition",
        "Put several anonymised tables together, and see what they say of a person in all of them.",
        "tables:composition",
        (
            "figure1.csv figure2.csv --know age=28 --know zip=13012 --sensitive condition",
            "figure1.csv figure2.csv --everyone register.csv --sensitive condition",
        ),
        chart=True,
    ),
    Question(
        "attack averaging",
        "Ask a noisy count again and again until the noise is gone, and see the engine hold.",
        "attacks:attack_averaging",
        ("--epsilon 1/2", "--engine --epsilon 1/2 --cap 2"),
        chart=True,
    ),
    Question(
        "attack differencing",
        "Find out one person's secret from counts that look harmless, past any limit on size.",
        "attacks:attack_differencing",
        ("", "--engine --epsilon 1"),
        chart=True,
    ),
    Question(
        "attack linkage",
        "Link a register to a published table, and count whom it leaves alone with how many rows.",
        "tables:linkage",
        ("register.csv figure1.csv --on zip,age --sensitive condition",),
        chart=True,
    ),
    Question(
        "attack membership",
        "Test whether a person took part in a study, from its published counts or histogram.",
        "attacks:attack_membership",
        ("--people 100 --attributes 1000", "--cell 3 --share 1/100 --people 100 --at-least 3"),
        chart=True,
    ),
    Question(
        "attack reconstruct",
        "Read a secret 0/1 column back from noisy answers to subset sums.",
        "attacks:attack_reconstruct",
        ("--rows 64 --queries 256 --noise 2", "--engine"),
        chart=True,
    ),
    Question(
        "selftest",
        "Attack the installed release engine in the known ways. Takes about a minute.",
        "attacks:selftest",
        ("", '--only "13, 16, 17"'),
    ),
)

_SERVICE = (
    Question(
        "serve",
        "Start the service and its page on this machine, and print where, with a one-time token.",
        "twoworlds.web.commands:serve",
        ("", "--policy policy.yml --port 0"),
    ),
    Question(
        "account add",
        "Add an account and print its token, once: only a hash of it is kept.",
        "twoworlds.web.commands:account_add",
        ("ann --role analyst --policy hospital/policy.yml",),
    ),
    Question(
        "account list",
        "List the accounts, without their tokens, which nobody has but their owners.",
        "twoworlds.web.commands:account_list",
        ("--policy hospital/policy.yml",),
    ),
    Question(
        "account remove",
        "Remove an account: its token is refused from now on, by a running service too.",
        "twoworlds.web.commands:account_remove",
        ("ann --policy hospital/policy.yml",),
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
    "coupled": "Put releases with simulators together.",
    "noiseless": "Publish exact totals, tables and estimates: against whom is that private?",
    "ledger": "Look at the ledger: what was charged, and whether its chain is whole.",
    "policy": "Begin a policy file, check it, and import text files for it.",
    "strategy": "Pay once for questions that may each depend on the answers before.",
    "attack": "Attack a release, and see what it gives away.",
    "account": "Say who may use the service: add, list and remove accounts.",
}
