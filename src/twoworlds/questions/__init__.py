"""The questions that twoworlds answers, in one list.

A question is a name, a line of help, a function given by its place, a group and two examples.
The command line, the service, the recipes of the page and the reference are made from this list, so
that they cannot disagree; nothing is loaded but the function that is run. `ask` asks any of them
from Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.questions.question import Name, Parameter, Place, Question, Value, Written

__all__ = [
    "DOORS",
    "FAMILIES",
    "QUESTIONS",
    "Name",
    "Parameter",
    "Place",
    "Question",
    "Value",
    "Written",
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


# A paragraph for each question: its name and what it does; where its function stands, and whether
# its answers can have charts; and two examples or more, as one types them after `twoworlds`.
_LISTED = {
    "Release": """
demo: Make a private release from a made-up hospital, or watch another demonstration.
    demonstrations:demo with charts
    demo
    demo k-anonymity

release: Answer SQL queries with calibrated noise, and charge the budget first.
    releases:release with charts
    release "SELECT COUNT(*) FROM people" --policy hospital/policy.yml --analyst ann --epsilon 1
    release "SELECT COUNT(*) FROM people" --policy hospital/policy.yml --within 10
    release "SELECT COUNT(*) FROM people" "SELECT SUM(age) FROM people" --policy \
hospital/policy.yml --analyst ann --each 1/10

calibrate: Find the noise for an epsilon, or the epsilon for the error you can accept.
    guarantees:calibrate
    calibrate laplace --sensitivity 2 --epsilon 1/2
    calibrate gaussian --epsilon 1 --delta 1e-6
    calibrate laplace --epsilon 1 --delta 1e-6 --times 100
    calibrate geometric --error 3/4

budget: Show what each dataset may spend, what was spent and what is left.
    policies:budget
    budget --policy hospital/policy.yml
    budget --policy hospital/policy.yml --json

policy new: Write a first policy from the names and types of the columns, importing a text file.
    policies:policy_new
    policy new registry.csv --kind age=integer
    policy new hospital/people.parquet -o draft.yml

policy check: Check a policy against the data: list what it declares, or everything that is wrong.
    policies:policy_check
    policy check hospital/policy.yml
    policy check hospital/policy.yml --data

policy import: Import a text file as typed Parquet, as a policy declares its columns.
    policies:policy_import
    policy import visits.csv --policy policy.yml
    policy import visits.csv --policy policy.yml --dataset visits

ledger show: Show the accounts, and how many releases were charged and answered.
    policies:ledger_show
    ledger show hospital/policy.yml
    ledger show hospital/policy.yml --json

ledger export: Export all entries, one JSON object to a line, for `verify` and for safekeeping.
    policies:ledger_export
    ledger export hospital/policy.yml ledger.jsonl
    ledger export hospital/policy.yml -o copy.jsonl

ledger verify: Verify every entry of a ledger; exit 1 at the first one that is wrong.
    policies:ledger_verify
    ledger verify hospital/policy.yml
    ledger verify ledger.jsonl

ledger remark: Make a new mark for a ledger that lost its own, if you know this is the newest copy.
    policies:ledger_remark
    ledger remark hospital/policy.yml --reason "restored from the newest copy"
    ledger remark ledger.db --reason "moved to a new machine"

strategy open: Pay once for questions that may each depend on the answers before.
    releases:strategy_open
    strategy open ill --policy hospital/policy.yml --analyst bob --may-ask questions.sql --each 1/2
    strategy open more --policy hospital/policy.yml --analyst bob --dataset people --epsilon 1/2 \
--dry-run

strategy show: Show the questions of a strategy, and what they cost together and one by one.
    releases:strategy_show with charts
    strategy show ill --policy hospital/policy.yml --analyst bob --dataset people
    strategy show ill --policy hospital/policy.yml --analyst bob --dataset people --json

randomize: Randomize a column record by record, so that nobody needs to be trusted with it.
    releases:randomize
    randomize survey.csv out.csv --column smoker --with "frapp(gamma=3)" --values "yes, no"
    randomize survey.csv shuffled.csv --column smoker --with "frapp(gamma=3)" --values "yes, no" \
--shuffle

estimate: Estimate the true counts behind a randomized column, without bias.
    releases:estimate with charts
    estimate reports.csv --column smoker --with "randomized-response(keep=3/4)" --values "yes, no"
    estimate reports.csv --column smoker --with "randomized-response(keep=3/4)" --values "yes, no" \
-o counts.csv

serve: Start the web page and service on this machine, and print its address and token.
    twoworlds.web.commands:serve
    serve
    serve --policy policy.yml --port 0

account add: Add an account and print its token once: only a hash is kept.
    twoworlds.web.commands:account_add
    account add ann --role analyst --policy hospital/policy.yml
    account add bob --role curator --policy hospital/policy.yml

account list: List the accounts; tokens are known to their owners alone.
    twoworlds.web.commands:account_list
    account list --policy hospital/policy.yml
    account list --policy hospital/policy.yml --json

account remove: Remove an account: its token stops working at once.
    twoworlds.web.commands:account_remove
    account remove ann --policy hospital/policy.yml
    account remove bob --policy hospital/policy.yml
""",
    "Review": """
review: Show what was released, what all of it allows and what is proposed; decide on a proposal.
    releases:review
    review --policy hospital/policy.yml
    review 11 --approve --reviewer rita --remark "as agreed" --policy hospital/policy.yml

explain: Explain in plain words what a guarantee promises a person.
    guarantees:explain with charts
    explain "dp(epsilon=1/2)"
    explain "dp(ratio=3, delta=1/100)"

measure: Measure what a mechanism gives away: its exact epsilon and delta, and the worst case.
    mechanisms:measure with charts
    measure "laplace(epsilon=1/2)"
    measure "gaussian(sigma=4)" --times 10 --delta 1e-6

compose: Measure what several outputs about the same people give away together.
    mechanisms:compose with charts
    compose "laplace(epsilon=1/10)" --times 100 --delta 1e-6
    compose "gaussian(sigma=4)" "geometric(ratio=2)" "laplace(scale=3)" --delta 1e-6

check: Check a privacy claim: exit 0 if it holds, exit 1 with a counterexample if not.
    mechanisms:check
    check "geometric(ratio=2)" "dp(ratio=2)"
    check "randomized-response(bits=100, keep=3/4)" "dp(epsilon=1)"

posterior: Compute what an attacker concludes from an output, with and without each person's data.
    mechanisms:posterior with charts
    posterior "noisy-parity(bits=2, keep=3/4)" --belief "explicit(11=1/2, 10=1/2)" --output 1
    posterior "geometric(ratio=2, bits=3)" --belief "independent(1/2)" --output 3 --secret 1=1

error: Compute how wrong a noisy answer will be, exactly, next to the bounds in the papers.
    mechanisms:error with charts
    error "laplace(epsilon=1/2)" --dimension 10
    error "randomized-response(bits=100, keep=3/4)"

tradeoff: Compute how well any test can tell two databases, or two values of a record, apart.
    mechanisms:tradeoff with charts
    tradeoff "geometric(ratio=2)" 0 3 --level 1/20
    tradeoff "geometric(ratio=2, bits=3)" --belief "independent(1/2)" --person 1 --alternative 1

sensitivity: Compute how far one person can move a statistic, and show the pair that does.
    mechanisms:sensitivity with charts
    sensitivity histogram --universe "records(values=[a, b, c], n=5)"
    sensitivity python:statistics:median --universe "bits(3)" --neighbours substitute --at 110

implies: Find what follows from a guarantee, and by which theorems.
    guarantees:implies
    implies "dp(epsilon=0.1)" --to semantic
    implies "independent-ddp(ratio=3/2, delta=1/50)" --to noiseless

report: Write two pages for a review board to sign, with the proof in an appendix.
    reports:report
    report "randomized-response(bits=2, keep=3/4)" --claim "dp(epsilon=1)" -o report.html
    report "laplace(epsilon=1/2)" --purpose "The survey of 2026" -o report.html

verify: Verify a saved certificate in exact arithmetic, without a solver and without the data.
    reports:verify
    verify hospital/certificate.json
    verify proof.json
""",
    "Attack": """
attack composition: Combine several anonymised tables to find out about a person who is in all of \
them.
    tables:composition with charts
    attack composition figure1.csv figure2.csv --know age=28 --know zip=13012 --sensitive condition
    attack composition figure1.csv figure2.csv --everyone register.csv --sensitive condition

attack linkage: Link a register of names to a published table, and count who is found.
    tables:linkage with charts
    attack linkage register.csv figure1.csv --on zip,age --sensitive condition
    attack linkage register.csv figure2.csv --on zip,age --sensitive condition

attack differencing: Subtract harmless-looking counts to find out one person's secret.
    attacks:attack_differencing with charts
    attack differencing
    attack differencing --engine --epsilon 1

attack averaging: Ask a noisy count again and again until the noise averages out.
    attacks:attack_averaging with charts
    attack averaging --epsilon 1/2
    attack averaging --engine --epsilon 1/2 --cap 2

attack reconstruct: Reconstruct a secret 0/1 column from noisy answers to subset sums.
    attacks:attack_reconstruct with charts
    attack reconstruct --rows 64 --queries 256 --noise 2
    attack reconstruct --engine

attack membership: Test whether a person took part in a study, from its published counts.
    attacks:attack_membership with charts
    attack membership --people 100 --attributes 1000
    attack membership --cell 3 --share 1/100 --people 100 --at-least 3

attack auxiliary: Breach privacy with a remark that is worthless alone (Dwork's impossibility \
theorem).
    attacks:attack_auxiliary with charts
    attack auxiliary
    attack auxiliary fuzzy --code "bch(15, 7)" --within 3

anonymity: Measure how anonymous a table is and whom it exposes, or make it k-anonymous.
    tables:anonymity with charts
    anonymity figure1.csv --quasi zip,age,nationality --sensitive condition
    anonymity figure1.csv --quasi zip,age,nationality --sensitive condition --k 5 --l 2

audit: Audit a mechanism: search for an event that breaks its privacy claim.
    attacks:audit with charts
    audit python:twoworlds.testing.broken:naive_float_laplace
    audit python:twoworlds.testing.broken:laplace_ten_percent_short --epsilon 1

selftest: Attack the installed release engine in every known way (about a minute).
    attacks:selftest
    selftest
    selftest --only "13, 16, 17"
""",
    "Learn": """
list: List everything that has a name: mechanisms, definitions, universes and more.
    mechanisms:list_
    list
    list mechanisms

theorems: List the theorems: as printed, corrected and tight.
    guarantees:theorems
    theorems
    theorems group-privacy

show: Show the matrix of a mechanism: a row for each output, a column for each database.
    mechanisms:show
    show "randomized-response(bits=2, keep=3/4)"
    show "truncated-geometric(ratio=2, high=3)" --save matrix.csv

design: Find the most accurate mechanism a definition allows, with a proof.
    cones:design with charts
    design "dp(ratio=2)" --universe "integers(0, 3)" --belief uniform
    design "dp(ratio=2)" --universe "bits(1)" --statistic count --loss squared

statements: Say in words which attackers are kept from learning what.
    cones:statements
    statements "randomized-response(bits=2, keep=3/4)"
    statements "dp(ratio=3)" --universe "bits(2)"

odds: Find how far the odds between two secrets can move, and the row that moves them.
    cones:odds with charts
    odds "randomized-response(bits=2, keep=3/4)" --of even
    odds "dp(ratio=3)" --universe "bits(2)" --of even

compare: Compare two definitions: which promises more, and a mechanism that shows it.
    cones:compare with charts
    compare "randomized-response(bits=2, keep=3/4)" "dp(ratio=3)"
    compare "dp(ratio=2)" "dp(ratio=3)" --universe "bits(2)"

cone: List the likelihood rows a guarantee allows, as facets and rays.
    cones:cone with charts
    cone "randomized-response(bits=2, keep=3/4)"
    cone "dp(ratio=3)" --universe "bits(2)"

member: Decide whether a mechanism follows from trusted ones by post-processing and choice.
    cones:member
    member --row 3,1,1,3 --of "randomized-response(bits=2, keep=3/4)"
    member "noisy-parity(bits=2, keep=3/4)" --of "dp(ratio=3)" --save proof.json

relax: Drop the guarantees nobody needs, and show how each remaining one follows.
    cones:relax with charts
    relax "randomized-response(bits=2, keep=3/4)" --eliminate 01
    relax "randomized-response(bits=2, keep=3/4)" --any 1 --save relaxed.json

worlds: Check the claims of a scenario: beliefs, side information and a release.
    worlds:worlds
    worlds parity
    worlds three-bits --text

simulator: Find the simulator that comes nearest to a release, with a proof that none is nearer.
    worlds:simulator
    simulator "exact(sum, universe=bits(3))" --ratio 3/2
    simulator "exact(sum, universe=bits(3))" --ratio 3/2 --proof best.json

coupled compose: Bound how private two releases of one database are together (Theorem 6).
    worlds:coupled_compose
    coupled compose "exact(sum, universe=bits(3))" "exact(parity, universe=bits(3))" --ratio 3/2
    coupled compose "exact(sum, universe=bits(2))" "exact(sum, universe=bits(2))" --epsilon 1

noiseless sum: Judge an exact total of independent entries, when an attacker knows some of them.
    worlds:noiseless_sum
    noiseless sum --values="-1,0,1" --people 50 --epsilon 0.5
    noiseless sum --values 0..20 --people 1000 --epsilon 0.5 --delta 1e-6 --solve known

noiseless histogram: Judge a table of a random sample that leaves small counts out.
    worlds:noiseless_histogram
    noiseless histogram --population 50 --rate 3/10 --threshold 10 --epsilon 0.5
    noiseless histogram --population any --rate 3/10 --epsilon 0.5 --delta 1e-6 --solve threshold

noiseless map: Judge a release that names the likeliest of several laws (the MAP estimator).
    worlds:noiseless_map
    noiseless map --law "1=3/4, 0=1/4" --law "1=1/4, 0=3/4" --people 41 --epsilon 0
    noiseless map --law "1=3/4, 0=1/4" --law "1=1/4, 0=3/4" --people 41 --noise "epsilon=1"

noiseless stable: Judge a statistic that one record seldom changes (Theorems 11 and 12).
    worlds:noiseless_stable
    noiseless stable majority --universe "bits(5)"
    noiseless stable parity --universe "bits(3)" --epsilon 1 --delta 1/2

noiseless size: Compute how often the size of a sample reveals one more person in it (equation 2).
    worlds:noiseless_size
    noiseless size "poisson(mean=100)" --epsilon 0.3
    noiseless size "poisson(mean=100)" --epsilon 0.3 --delta 1/10

local: Bound what an attacker with one belief learns, when most databases are good.
    guarantees:local with charts
    local "geometric(ratio=2, bits=3)" --ratio 2
    local "noisy-parity(bits=2, keep=3/4)" --belief "independent(3/4)" --ratio 2

condition: Compute how often two laws of pairs can be told apart, given the second coordinate.
    guarantees:condition with charts
    condition "s,1=1/10; c,1=9/10" "c,1=1" --ratio 3 --inner 1/20
    condition "s,1=1/10; c,1=9/10" "c,1=1" --epsilon 1 --inner 1/10
""",
}


def _questions(group: str, listed: str) -> Iterator[Question]:
    for part in listed.strip().split("\n\n"):
        first, second, *typed = (line.strip() for line in part.splitlines())
        name, _, line = first.partition(": ")
        run, _, chart = second.partition(" with ")
        examples = tuple(one.removeprefix(name).strip() for one in typed)
        yield Question(name, line, run, examples, chart == "charts", group)


QUESTIONS = {
    one.name: one for group, listed in _LISTED.items() for one in _questions(group, listed)
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
