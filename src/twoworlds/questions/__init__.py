"""The questions that twoworlds answers, in one list.

A question is a name, a line of help, a function given by its place, a group and two examples.
The command line, the service, the recipes of the page and the reference are made from this list, so
that they cannot disagree; nothing is loaded but the function that is run. `ask` asks any of them
from Python.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.questions.question import Name, Parameter, Place, Question, Value

__all__ = [
    "DOORS",
    "FAMILIES",
    "QUESTIONS",
    "Name",
    "Parameter",
    "Place",
    "Question",
    "Value",
    "ask",
]


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


_RELEASE = (
    Question(
        "demo",
        "Make a private release from a made-up hospital, or watch another demonstration.",
        "demonstrations:demo",
        (
            "",
            "k-anonymity",
        ),
        chart=True,
    ),
    Question(
        "release",
        "Answer SQL queries with calibrated noise, and charge the budget first.",
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
        "budget",
        "Show what each dataset may spend, what was spent and what is left.",
        "policies:budget",
        (
            "--policy hospital/policy.yml",
            "--policy hospital/policy.yml --json",
        ),
    ),
    Question(
        "policy new",
        "Write a first policy from the names and types of the columns, importing a text file.",
        "policies:policy_new",
        (
            "registry.csv --kind age=integer",
            "hospital/people.parquet draft.yml",
        ),
    ),
    Question(
        "policy check",
        "Check a policy against the data: list what it declares, or everything that is wrong.",
        "policies:policy_check",
        (
            "hospital/policy.yml",
            "hospital/policy.yml --data",
        ),
    ),
    Question(
        "policy import",
        "Import a text file as typed Parquet, as a policy declares its columns.",
        "policies:policy_import",
        (
            "visits.csv --policy policy.yml",
            "visits.csv --policy policy.yml --dataset visits",
        ),
    ),
    Question(
        "ledger show",
        "Show the accounts, and how many releases were charged and answered.",
        "policies:ledger_show",
        (
            "hospital/policy.yml",
            "hospital/policy.yml --json",
        ),
    ),
    Question(
        "ledger export",
        "Export all entries, one JSON object to a line, for `verify` and for safekeeping.",
        "policies:ledger_export",
        (
            "hospital/policy.yml ledger.jsonl",
            "hospital/policy.yml copy.jsonl",
        ),
    ),
    Question(
        "ledger verify",
        "Verify every entry of a ledger; exit 1 at the first one that is wrong.",
        "policies:ledger_verify",
        (
            "hospital/policy.yml",
            "ledger.jsonl",
        ),
    ),
    Question(
        "ledger remark",
        "Make a new mark for a ledger that lost its own, if you know this is the newest copy.",
        "policies:ledger_remark",
        (
            'hospital/policy.yml --reason "restored from the newest copy"',
            'ledger.db --reason "moved to a new machine"',
        ),
    ),
    Question(
        "strategy open",
        "Pay once for questions that may each depend on the answers before.",
        "releases:strategy_open",
        (
            "ill --policy hospital/policy.yml --analyst bob --may-ask questions.sql --each 1/2",
            "more --policy hospital/policy.yml --analyst bob --dataset people --epsilon 1/2 "
            "--dry-run",
        ),
    ),
    Question(
        "strategy show",
        "Show the questions of a strategy, and what they cost together and one by one.",
        "releases:strategy_show",
        (
            "ill --policy hospital/policy.yml --analyst bob --dataset people",
            "ill --policy hospital/policy.yml --analyst bob --dataset people --json",
        ),
        chart=True,
    ),
    Question(
        "randomize",
        "Randomize a column record by record, so that nobody needs to be trusted with it.",
        "releases:randomize",
        (
            'survey.csv out.csv --column smoker --with "frapp(gamma=3)" --values "yes, no"',
            'survey.csv shuffled.csv --column smoker --with "frapp(gamma=3)" --values "yes, no" '
            "--shuffle",
        ),
    ),
    Question(
        "estimate",
        "Estimate the true counts behind a randomized column, without bias.",
        "releases:estimate",
        (
            'reports.csv --column smoker --with "randomized-response(keep=3/4)" --values "yes, no"',
            'reports.csv --column smoker --with "randomized-response(keep=3/4)" --values "yes, no" '
            "-o counts.csv",
        ),
        chart=True,
    ),
    Question(
        "serve",
        "Start the web page and service on this machine, and print its address and token.",
        "twoworlds.web.commands:serve",
        (
            "",
            "--policy policy.yml --port 0",
        ),
    ),
    Question(
        "account add",
        "Add an account and print its token once: only a hash is kept.",
        "twoworlds.web.commands:account_add",
        (
            "ann --role analyst --policy hospital/policy.yml",
            "bob --role curator --policy hospital/policy.yml",
        ),
    ),
    Question(
        "account list",
        "List the accounts; tokens are known to their owners alone.",
        "twoworlds.web.commands:account_list",
        (
            "--policy hospital/policy.yml",
            "--policy hospital/policy.yml --json",
        ),
    ),
    Question(
        "account remove",
        "Remove an account: its token stops working at once.",
        "twoworlds.web.commands:account_remove",
        (
            "ann --policy hospital/policy.yml",
            "bob --policy hospital/policy.yml",
        ),
    ),
)

_REVIEW = (
    Question(
        "review",
        "Show what was released, what all of it allows and what is proposed; decide on a proposal.",
        "releases:review",
        (
            "--policy hospital/policy.yml",
            '12 --approve --reviewer rita --remark "as agreed" --policy hospital/policy.yml',
        ),
    ),
    Question(
        "explain",
        "Explain in plain words what a guarantee promises a person.",
        "guarantees:explain",
        (
            '"dp(epsilon=1/2)"',
            '"dp(ratio=3, delta=1/100)"',
        ),
        chart=True,
    ),
    Question(
        "measure",
        "Measure what a mechanism gives away: its exact epsilon and delta, and the worst case.",
        "mechanisms:measure",
        (
            '"laplace(epsilon=1/2)"',
            '"gaussian(sigma=4)" --times 10 --delta 1e-6',
        ),
        chart=True,
    ),
    Question(
        "compose",
        "Measure what several outputs about the same people give away together.",
        "mechanisms:compose",
        (
            '"laplace(epsilon=1/10)" --times 100 --delta 1e-6',
            '"gaussian(sigma=4)" "geometric(ratio=2)" "laplace(scale=3)" --delta 1e-6',
        ),
        chart=True,
    ),
    Question(
        "check",
        "Check a privacy claim: exit 0 if it holds, exit 1 with a counterexample if not.",
        "mechanisms:check",
        (
            '"geometric(ratio=2)" "dp(ratio=2)"',
            '"randomized-response(bits=100, keep=3/4)" "dp(epsilon=1)"',
        ),
    ),
    Question(
        "posterior",
        "Compute what an attacker concludes from an output, with and without each person's data.",
        "mechanisms:posterior",
        (
            '"noisy-parity(bits=2, keep=3/4)" --belief "explicit(11=1/2, 10=1/2)" --output 1',
            '"geometric(ratio=2, bits=3)" --belief "independent(1/2)" --output 3 --secret 1=1',
        ),
        chart=True,
    ),
    Question(
        "error",
        "Compute how wrong a noisy answer will be, exactly, next to the bounds in the papers.",
        "mechanisms:error",
        (
            '"laplace(epsilon=1/2)" --dimension 10',
            '"randomized-response(bits=100, keep=3/4)"',
        ),
        chart=True,
    ),
    Question(
        "tradeoff",
        "Compute how well any test can tell two databases, or two values of a record, apart.",
        "mechanisms:tradeoff",
        (
            '"geometric(ratio=2)" 0 3 --level 1/20',
            '"geometric(ratio=2, bits=3)" --belief "independent(1/2)" --person 1 --alternative 1',
        ),
        chart=True,
    ),
    Question(
        "sensitivity",
        "Compute how far one person can move a statistic, and show the pair that does.",
        "mechanisms:sensitivity",
        (
            'histogram --universe "records(values=[a, b, c], n=5)"',
            'python:statistics:median --universe "bits(3)" --neighbours substitute --at 110',
        ),
        chart=True,
    ),
    Question(
        "implies",
        "Find what follows from a guarantee, and by which theorems.",
        "guarantees:implies",
        (
            '"dp(epsilon=0.1)" --to semantic',
            '"independent-ddp(ratio=3/2, delta=1/50)" --to noiseless',
        ),
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
    Question(
        "verify",
        "Verify a saved certificate in exact arithmetic, without a solver and without the data.",
        "cones:verify",
        (
            "proof.json",
            "best.json",
        ),
    ),
)

_ATTACK = (
    Question(
        "attack composition",
        "Combine several anonymised tables to find out about a person who is in all of them.",
        "tables:composition",
        (
            "figure1.csv figure2.csv --know age=28 --know zip=13012 --sensitive condition",
            "figure1.csv figure2.csv --everyone register.csv --sensitive condition",
        ),
        chart=True,
    ),
    Question(
        "attack linkage",
        "Link a register of names to a published table, and count who is found.",
        "tables:linkage",
        (
            "register.csv figure1.csv --on zip,age --sensitive condition",
            "register.csv figure2.csv --on zip,age --sensitive condition",
        ),
        chart=True,
    ),
    Question(
        "attack differencing",
        "Subtract harmless-looking counts to find out one person's secret.",
        "attacks:attack_differencing",
        (
            "",
            "--engine --epsilon 1",
        ),
        chart=True,
    ),
    Question(
        "attack averaging",
        "Ask a noisy count again and again until the noise averages out.",
        "attacks:attack_averaging",
        (
            "--epsilon 1/2",
            "--engine --epsilon 1/2 --cap 2",
        ),
        chart=True,
    ),
    Question(
        "attack reconstruct",
        "Reconstruct a secret 0/1 column from noisy answers to subset sums.",
        "attacks:attack_reconstruct",
        (
            "--rows 64 --queries 256 --noise 2",
            "--engine",
        ),
        chart=True,
    ),
    Question(
        "attack membership",
        "Test whether a person took part in a study, from its published counts.",
        "attacks:attack_membership",
        (
            "--people 100 --attributes 1000",
            "--cell 3 --share 1/100 --people 100 --at-least 3",
        ),
        chart=True,
    ),
    Question(
        "attack auxiliary",
        "Breach privacy with a remark that is worthless alone (Dwork's impossibility theorem).",
        "attacks:attack_auxiliary",
        (
            "",
            'fuzzy --code "bch(15, 7)" --within 3',
        ),
        chart=True,
    ),
    Question(
        "anonymity",
        "Measure how anonymous a table is and whom it exposes, or make it k-anonymous.",
        "tables:anonymity",
        (
            "figure1.csv --quasi zip,age,nationality --sensitive condition",
            "figure1.csv --quasi zip,age,nationality --sensitive condition --k 5 --l 2",
        ),
        chart=True,
    ),
    Question(
        "audit",
        "Audit a mechanism: search for an event that breaks its privacy claim.",
        "attacks:audit",
        (
            "python:twoworlds.testing.broken:naive_float_laplace",
            "python:twoworlds.testing.broken:laplace_ten_percent_short --epsilon 1",
        ),
        chart=True,
    ),
    Question(
        "selftest",
        "Attack the installed release engine in every known way (about a minute).",
        "attacks:selftest",
        (
            "",
            '--only "13, 16, 17"',
        ),
    ),
)

_LEARN = (
    Question(
        "list",
        "List everything that has a name: mechanisms, definitions, universes and more.",
        "mechanisms:list_",
        (
            "",
            "mechanisms",
        ),
    ),
    Question(
        "theorems",
        "List the theorems: as printed, corrected and tight.",
        "guarantees:theorems",
        (
            "",
            "group-privacy",
        ),
    ),
    Question(
        "show",
        "Show the matrix of a mechanism: a row for each output, a column for each database.",
        "mechanisms:show",
        (
            '"randomized-response(bits=2, keep=3/4)"',
            '"truncated-geometric(ratio=2, high=3)" --save matrix.csv',
        ),
    ),
    Question(
        "design",
        "Find the most accurate mechanism a definition allows, with a proof.",
        "cones:design",
        (
            '"dp(ratio=2)" --universe "integers(0, 3)" --belief uniform',
            '"dp(ratio=2)" --universe "bits(1)" --statistic count --loss squared',
        ),
        chart=True,
    ),
    Question(
        "statements",
        "Say in words which attackers are kept from learning what.",
        "cones:statements",
        (
            '"randomized-response(bits=2, keep=3/4)"',
            '"dp(ratio=3)" --universe "bits(2)"',
        ),
    ),
    Question(
        "odds",
        "Find how far the odds between two secrets can move, and the row that moves them.",
        "cones:odds",
        (
            '"randomized-response(bits=2, keep=3/4)" --of even',
            '"dp(ratio=3)" --universe "bits(2)" --of even',
        ),
        chart=True,
    ),
    Question(
        "compare",
        "Compare two definitions: which promises more, and a mechanism that shows it.",
        "cones:compare",
        (
            '"randomized-response(bits=2, keep=3/4)" "dp(ratio=3)"',
            '"dp(ratio=2)" "dp(ratio=3)" --universe "bits(2)"',
        ),
        chart=True,
    ),
    Question(
        "cone",
        "List the likelihood rows a guarantee allows, as facets and rays.",
        "cones:cone",
        (
            '"randomized-response(bits=2, keep=3/4)"',
            '"dp(ratio=3)" --universe "bits(2)"',
        ),
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
        "relax",
        "Drop the guarantees nobody needs, and show how each remaining one follows.",
        "cones:relax",
        (
            '"randomized-response(bits=2, keep=3/4)" --eliminate 01',
            '"randomized-response(bits=2, keep=3/4)" --any 1 --save relaxed.json',
        ),
        chart=True,
    ),
    Question(
        "worlds",
        "Check the claims of a scenario: beliefs, side information and a release.",
        "worlds:worlds",
        (
            "parity",
            "three-bits --text",
        ),
    ),
    Question(
        "simulator",
        "Find the simulator that comes nearest to a release, with a proof that none is nearer.",
        "worlds:simulator",
        (
            '"exact(sum, universe=bits(3))" --ratio 3/2',
            '"exact(sum, universe=bits(3))" --ratio 3/2 --proof best.json',
        ),
    ),
    Question(
        "coupled compose",
        "Bound how private two releases of one database are together (Theorem 6).",
        "worlds:coupled_compose",
        (
            '"exact(sum, universe=bits(3))" "exact(parity, universe=bits(3))" --ratio 3/2',
            '"exact(sum, universe=bits(2))" "exact(sum, universe=bits(2))" --epsilon 1',
        ),
    ),
    Question(
        "noiseless sum",
        "Judge an exact total of independent entries, when an attacker knows some of them.",
        "worlds:noiseless_sum",
        (
            '--values="-1,0,1" --people 50 --epsilon 0.5',
            "--values 0..20 --people 1000 --epsilon 0.5 --delta 1e-6 --solve known",
        ),
    ),
    Question(
        "noiseless histogram",
        "Judge a table of a random sample that leaves small counts out.",
        "worlds:noiseless_histogram",
        (
            "--population 50 --rate 3/10 --threshold 10 --epsilon 0.5",
            "--population any --rate 3/10 --epsilon 0.5 --delta 1e-6 --solve threshold",
        ),
    ),
    Question(
        "noiseless map",
        "Judge a release that names the likeliest of several laws (the MAP estimator).",
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
        (
            'majority --universe "bits(5)"',
            'parity --universe "bits(3)" --epsilon 1 --delta 1/2',
        ),
    ),
    Question(
        "noiseless size",
        "Compute how often the size of a sample reveals one more person in it (equation 2).",
        "worlds:noiseless_size",
        (
            '"poisson(mean=100)" --epsilon 0.3',
            '"poisson(mean=100)" --epsilon 0.3 --delta 1/10',
        ),
    ),
    Question(
        "local",
        "Bound what an attacker with one belief learns, when most databases are good.",
        "guarantees:local",
        (
            '"geometric(ratio=2, bits=3)" --ratio 2',
            '"noisy-parity(bits=2, keep=3/4)" --belief "independent(3/4)" --ratio 2',
        ),
        chart=True,
    ),
    Question(
        "condition",
        "Compute how often two laws of pairs can be told apart, given the second coordinate.",
        "guarantees:condition",
        (
            '"s,1=1/10; c,1=9/10" "c,1=1" --ratio 3 --inner 1/20',
            '"s,1=1/10; c,1=9/10" "c,1=1" --epsilon 1 --inner 1/10',
        ),
        chart=True,
    ),
)

_GROUPS = {"Release": _RELEASE, "Review": _REVIEW, "Attack": _ATTACK, "Learn": _LEARN}

QUESTIONS = {
    one.name: replace(one, group=group) for group, listed in _GROUPS.items() for one in listed
}

# Questions whose names begin alike, in a line.
FAMILIES = {
    "coupled": "Combine releases that each have a simulator.",
    "noiseless": "Judge exact totals, tables and estimates: which attackers learn nothing much?",
    "ledger": "Show and verify the ledger of charges.",
    "policy": "Write a policy file, check it, and import text files for it.",
    "strategy": "Pay once for questions that may each depend on the answers before.",
    "attack": "Attack a release, and see what it gives away.",
    "account": "Manage who may use the service.",
}

# The three ways in: what each is for, and a command to begin with.
DOORS = {
    "Release": ("Publish statistics about people, within a privacy budget.", "demo"),
    "Review": (
        "See what a release lets anyone learn about a person, and sign it or not.",
        'explain "dp(epsilon=1)"',
    ),
    "Learn": ("Watch how noise protects a person, and what fails without it.", "demo k-anonymity"),
}
