"""Questions about releases: private answers from a table, strategies, the local model."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Annotated, Any

from twoworlds.answer import Answer, Block, Facts, Said, Steps, Table
from twoworlds.errors import Interrupted, InvalidInput, TwoWorldsError
from twoworlds.files import certificate_text, check_place, write
from twoworlds.questions import Name, Place, Written
from twoworlds.show import Result, Told

if TYPE_CHECKING:
    from fractions import Fraction

    from twoworlds.release.certificate import Kind
    from twoworlds.release.costs import Cost
    from twoworlds.release.curator import Curator
    from twoworlds.release.forms import Released
    from twoworlds.release.ledger.state import Proposal
    from twoworlds.release.sensitivity import NoiseKind
    from twoworlds.release.strategy import PaidStrategy
    from twoworlds.release.warnings import ReleaseWarning

_EARLIER = 20  # releases that are listed beside a proposal
_INTERRUPTED = "interrupted; if it was charged already, the same query again costs nothing more"
_CHANNEL = "a channel: 'randomized-response(keep=3/4)', 'frapp(gamma=3)', 'pram([[3/5, 1/5], ...])'"

PolicyFile = Annotated[Path, "the policy file of the data's owner"]
Analyst = Annotated[str | None, "who asks, if the policy names several"]
OfDataset = Annotated[str | None, "what is asked, if the policy has several datasets"]
Values = Annotated[str | None, "what a record may hold, declared beforehand: 'yes, no'"]
Outputs = Annotated[
    str | None, "the reports of a pram that has more or fewer than its values: 'a, b, c'"
]


# --- releases -----------------------------------------------------------------------------------


def release(
    queries: Annotated[
        list[str], "the data, if the policy does not say where it is, and one query or several"
    ],
    policy: PolicyFile = Path("policy.yml"),
    epsilon: Annotated[str | None, "what to spend, such as 1 or 'ln 3'"] = None,
    each: Annotated[
        list[str] | None,
        "instead of epsilon: the epsilon of each query alone; repeat it to give them in turn",
    ] = None,
    delta: Annotated[
        str | None, "goes with epsilon, such as 1e-6: for discovered keys, or for --each"
    ] = None,
    rho: Annotated[str | None, "instead of epsilon: zCDP, Gaussian noise"] = None,
    within: Annotated[
        str | None, "find the epsilon at which 95% of the errors are at most this; no charge"
    ] = None,
    strategy: Annotated[str | None, "ask as the next question of a strategy that is open"] = None,
    analyst: Analyst = None,
    dry_run: Annotated[
        bool, "say what it would cost and how accurate it would be; -o plan.html: two pages to sign"
    ] = False,
    propose: Annotated[
        str | None, "file it for review and say what it is for; nothing is charged"
    ] = None,
    yes: Annotated[
        bool, "pay in spite of warnings, without being asked; scripts are never asked"
    ] = False,
    certificate: Annotated[Path | None, "write a certificate, for `verify`"] = None,
    report: Annotated[Path | None, "write an HTML report"] = None,
) -> Result:
    """Answer SQL queries with calibrated noise, and charge the budget first."""
    data, asked = _split(queries)
    if (certificate or report) and (dry_run or propose is not None or within is not None):
        raise InvalidInput(
            "--certificate and --report are of a release, and nothing is released here: leave them "
            "out; -o plan.html saves the plan that --dry-run shows, as two pages to sign"
        )
    outputs: dict[Kind, Path | None] = {
        "certificate": _ending(certificate, ".json"),
        "report": _ending(report, ".html"),
    }
    with _curator(policy, data, asked, outputs) as curator:
        if within is not None:
            if strategy is not None:
                raise InvalidInput("--within finds an epsilon, without --strategy: leave one out")
            if epsilon or each or delta or rho:
                raise InvalidInput(
                    "--within finds the epsilon: leave --epsilon, --each, --delta and --rho out"
                )
            if "%" in within:
                raise InvalidInput(
                    f"--within {within} is a share, and --within is in the units of the answer: "
                    "--within 10 for a count that is off by at most 10"
                )
            cost = curator.cost_for(asked, within)
            said = f"With {cost.shown()}, 95% of the errors of every answer are at most {within}."
            over = _over_budget(curator, asked, cost, analyst)
            told = Answer(said, blocks=(Said([over or "Nothing was charged."]),))
            return Told(told, {"within": within, "cost": cost, "fits": over is None})
        if strategy is not None:
            if each or delta or rho or certificate or propose or len(asked) > 1:
                raise InvalidInput(
                    "a strategy asks one query with --epsilon, without --each, --delta, --rho and "
                    "--propose; "
                    "its questions have no --certificate of their own: the ledger has them all"
                )
            if epsilon is None:
                raise InvalidInput(
                    "say what the question may spend of the strategy: add --epsilon, such as "
                    "--epsilon 1/10"
                )
            return _next_question(
                curator,
                strategy,
                asked[0],
                epsilon,
                analyst,
                report,
                policy,
                dry_run=dry_run,
                yes=yes,
            )
        price, noise = _cost(epsilon, each, delta, rho)
        if propose is not None:
            if dry_run:
                raise InvalidInput("--propose files a plan in the ledger: leave out --dry-run")
            made = curator.propose(asked, price, purpose=propose, analyst=analyst, noise=noise)
            return _proposed(curator, made, policy, purpose=propose)
        if dry_run:
            plan = curator.plan(asked, price, analyst=analyst, noise=noise)
            assert plan.planned is not None
            note = "-o plan.html writes two pages, to be signed before it is paid"
            spent = {"--epsilon": epsilon, "--delta": delta, "--rho": rho, "--analyst": analyst}
            given = [*spent.items(), *(("--each", one) for one in each or ())]
            options = [word for name, told in given if told is not None for word in (name, told)]
            command = ["release", *queries, *options, "--dry-run"]
            page = _page_to_sign(policy, plan.planned, command, plan.statement)
            answer = replace(plan.answer(), notes=(note,))
            return Told(answer, plan.fields(), of=plan, page=page)
        with suppress(TwoWorldsError):  # what is refused, the release itself refuses
            plan = curator.plan(asked, price, analyst=analyst, noise=noise)
            doubts = [each for one in asked for each in curator.misfits(one)]
            _warn([*dict.fromkeys(doubts), *plan.warnings], yes=yes)
        try:
            released = curator.release_all(asked, price, analyst=analyst, noise=noise)
            files, unsaved = _save(curator, released, certificate, report)
        except KeyboardInterrupt:
            raise Interrupted(_INTERRUPTED) from None
        return released.beside(files=files, unsaved=unsaved)


def _over_budget(
    curator: Curator, asked: Sequence[str], cost: Cost, analyst: str | None
) -> str | None:
    """Say that a cost does not fit; of a dataset with several analysts, for nobody at all."""
    from twoworlds.release.errors import OverBudget

    name = curator.query(asked[0]).dataset
    try:
        if analyst is None and len(curator.policy.dataset(name).analysts) > 1:
            curator.ledger.state().check_fits((name, None), cost)
        else:
            curator.plan(asked, cost, analyst=analyst)
    except OverBudget as error:
        return f"But {error}. Accept a larger error: give a larger --within."
    return None


def _warn(found: Sequence[ReleaseWarning], *, yes: bool) -> None:
    """Print warnings on standard error; where somebody can answer, ask whether to go on."""
    for one in found:
        print(f"Warning: {one.words}", file=sys.stderr)
    asks = not yes and all(one is not None and one.isatty() for one in (sys.stdin, sys.stderr))
    if not (asks and any(one.confirm for one in found)):
        return
    from click import Abort, confirm

    agreed = False
    with suppress(Abort):  # Ctrl-C or Ctrl-D is no
        agreed = confirm("Pay for it all the same?", default=False, err=True)
    if not agreed:
        raise Interrupted("nothing was charged; --yes pays without asking")


def _split(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the data, if it is named, and the queries."""
    first, *rest = words
    if first.lstrip().lower().startswith(("select", "with", "(", "--", "/*")):
        return None, [first, *rest]
    if not rest:
        raise InvalidInput(
            f"{first!r} is not a query: write one in quotes, such as 'SELECT COUNT(*) FROM DATASET'"
        )
    return first, rest


def _ending(path: Path | None, suffix: str) -> Path | None:
    """Check that a file can be written, and has the suffix of its kind."""
    if path is not None and path.suffix.lower() != suffix:
        raise InvalidInput(f"{path}: give it a name that ends in {suffix}")
    return None if path is None else check_place(path)


def _curator(
    policy: Path, data: str | None, queries: Sequence[str], outputs: Mapping[Kind, Path | None]
) -> Curator:
    """Return the curator, after checking that what is to be written takes nobody's place."""
    from twoworlds.release.backends.sources import import_command, text_file_of
    from twoworlds.release.certificate import check_output
    from twoworlds.release.curator import Curator
    from twoworlds.release.ledger.views import open_ledger
    from twoworlds.release.policy import read_policy
    from twoworlds.release.query.sql import parse_sql

    read = read_policy(policy)
    sources: dict[str, Any] = {}
    if data is not None:
        name = parse_sql(queries[0], read).dataset
        declared = read.dataset(name).source
        if text_file_of(data) is not None:
            command = import_command(Path(data), str(policy), name)
            raise InvalidInput(
                f"{data} is a text file, and releases read typed tables: run `{command}`, and then "
                f"release from {Path(data).with_suffix('.parquet')}"
            )
        if declared is not None and not (
            isinstance(declared, str)
            and Path(data).absolute().resolve() == (read.folder / declared).absolute().resolve()
        ):
            raise InvalidInput(
                f"the policy says that {name!r} is elsewhere than {data}: leave the data out, or "
                "take source: out of the policy"
            )
        sources[name] = str(Path(data).absolute()) if declared is None else declared
    for kind, path in outputs.items():
        if path is not None:
            check_output(path, kind, read)
    return Curator(read, open_ledger(read), sources=sources)


def _cost(
    epsilon: str | None, each: list[str] | None, delta: str | None, rho: str | None
) -> tuple[str, NoiseKind]:
    besides = "" if delta is None else f", delta={delta}"
    if each:
        if epsilon is not None or rho is not None:
            raise InvalidInput(
                "--each gives every query its own epsilon: leave --epsilon and --rho out"
            )
        return ", ".join(f"each={one}" for one in each) + besides, "laplace"
    if (epsilon is None) == (rho is None):
        both = "not both" if rho is not None else "for Gaussian noise"
        raise InvalidInput(
            f"say what to spend: --epsilon 1, or --rho 1/8, {both}; or --each 1/10 for each query"
        )
    if rho is not None:
        if delta is not None:
            raise InvalidInput("--rho has no --delta of its own: the budget's delta covers it")
        return f"rho={rho}", "gaussian"
    return f"epsilon={epsilon}{besides}", "laplace"


def _next_question(
    curator: Curator,
    name: str,
    query: str,
    epsilon: str,
    analyst: str | None,
    report: Path | None,
    policy: Path,
    *,
    dry_run: bool,
    yes: bool,
) -> Result:
    """Ask the next question of a strategy, or the same one again."""
    from twoworlds.release.costs import amount
    from twoworlds.release.strategy import resumed

    found = resumed(curator, curator.query(query).dataset, name, analyst, policy)
    if dry_run:
        plan = found.plan(query, epsilon)
        together, one_by_one = found.with_question(query, epsilon)
        said = found.explain()
        if plan.covered != "asked before":
            said = (
                f"With this question the strategy costs epsilon {amount(together)}; one by one its "
                f"questions would cost {amount(one_by_one)}. It was paid with "
                f"{found.cost.shown()}, and the question fits."
            )
        costs = {"together": together, "one_by_one": one_by_one}
        return plan.beside(Said([said]), strategy={**found.fields(), "with_question": costs})
    with suppress(TwoWorldsError):
        _warn(found.plan(query, epsilon).warnings, yes=yes)
    try:
        released = found.release(query, epsilon, once=True)
        files, unsaved = _save(curator, released, None, report)
    except KeyboardInterrupt:
        raise Interrupted(_INTERRUPTED) from None
    told = Said([found.explain()])
    return released.beside(told, files=files, unsaved=unsaved, strategy=found)


def _save(
    curator: Curator, released: Released, certificate: Path | None, report: Path | None
) -> tuple[dict[str, Path], list[str]]:
    """Write the certificate and the report of a release; say why one of them is missing.

    The release is paid for, so that nothing here may lose its answer.
    """

    def certified() -> str:
        from twoworlds.release.certificate import certify

        return certificate_text(certify(released))

    def reported() -> str:
        from twoworlds.report.review import review_released

        return review_released(released, curator.ledger).html()

    saved: dict[str, Path] = {}
    unsaved: list[str] = []
    wanted = {"certificate": (certificate, certified), "report": (report, reported)}
    for name, (path, text) in wanted.items():
        if path is not None:
            try:
                saved[name] = write(path, text())
            except (TwoWorldsError, OSError, MemoryError) as error:
                unsaved.append(f"no {name} was written: {str(error) or 'out of memory'}")
    return saved, unsaved


# --- review -------------------------------------------------------------------------------------


def review(
    proposal: Annotated[int | None, Place("the number of a proposal, to decide on it")] = None,
    policy: PolicyFile = Path("policy.yml"),
    dataset: OfDataset = None,
    approve: Annotated[bool, "let it be released as it is planned"] = False,
    send_back: Annotated[bool, "send it back, with a remark"] = False,
    reviewer: Annotated[str | None, "who decides; nobody decides on their own proposal"] = None,
    remark: Annotated[str, "why; kept in the ledger"] = "",
) -> Result:
    """Show what was released, what all of it allows and what is proposed; decide on a proposal."""
    from twoworlds.release.curator import Curator
    from twoworlds.release.review import ReviewDesk, binding

    with Curator.open(policy) as curator:
        if dataset is not None:
            curator.policy.dataset(dataset)
        if proposal is None:
            if approve or send_back:
                raise InvalidInput("name the proposal that is decided on, by its number")
            desk = ReviewDesk(curator.ledger, dataset)
            proposed = {one["dataset"] for one in desk.proposals}
            binds = [
                binding(one) for one in curator.policy.datasets.values() if one.name in proposed
            ]
            told = desk.answer()
            return Told(
                replace(told, blocks=(*told.blocks, Said(binds))) if binds else told, desk.fields()
            )
        if not (approve or send_back or reviewer or remark):
            return _proposed(curator, curator.ledger.state().proposal(proposal), policy)
        if approve == send_back:
            raise InvalidInput(
                f"proposal {proposal}: say --approve or --send-back, one of them; a "
                "proposal is sent back with --remark 'what to change'"
            )
        if send_back and not remark.strip():
            raise InvalidInput(
                f"proposal {proposal} is sent back with a remark: say what is to be changed, as in "
                "--remark 'by region, not by age'"
            )
        if reviewer is None:
            raise InvalidInput(f"proposal {proposal}: say who decides, with --reviewer NAME")
        decided = curator.ledger.decide(proposal, reviewer, approved=approve, remark=remark)
        return _proposed(curator, decided, policy)


def _page_to_sign(
    policy: Path,
    planned: Proposal,
    command: Sequence[str],
    statement: Mapping[str, Any] | None = None,
) -> Callable[[], str]:
    """Return what makes the page of a plan or a proposal; of its release, once there is one."""

    def page() -> str:
        from twoworlds.release.curator import Curator
        from twoworlds.release.review import ReviewDesk
        from twoworlds.report.review import review_planned, review_released

        with Curator.open(policy) as curator:
            paid = ReviewDesk(curator.ledger).released(planned)
            if paid is not None:
                return review_released(curator.released(paid), curator.ledger).html()
            how = join(["twoworlds", *command, "--policy", str(policy)])
            ledger = curator.ledger
            return review_planned(ledger, planned, command=how, statement=statement).html()

    return page


def _proposed(
    curator: Curator, proposal: Proposal, policy: Path, *, purpose: str | None = None
) -> Result:
    """Say how a proposal stands; one that was filed before keeps its first purpose."""
    from twoworlds.release.answers.words import printable
    from twoworlds.release.review import ReviewDesk, after_words, binding, warnings_of, when

    number, desk = proposal.place.sequence, ReviewDesk(curator.ledger)
    told = desk.proposal(proposal)
    before, _, approved = desk.others(proposal.dataset, proposal.query, told["paid"])
    rows = [*map(desk.row, reversed(approved)), *map(desk.row, reversed(before))]
    decided, released = told["decision"], told["paid"] is not None
    facts = [
        ("for", told["purpose"]),
        ("costs", proposal.cost.shown()),
        ("proposed", f"by {proposal.analyst}, {when(told['time'])} (UTC)"),
        ("decided", decided and f"by {decided['reviewer']}, {when(decided['time'])} (UTC)"),
        ("remark", decided and decided["remark"]),
        ("paid", told["payment"]),
        ("plan", f"SHA-256 {proposal.query}"),
    ]
    lines = [told["meaning"]] if told["meaning"] else []
    if told.get("after"):
        lines.append(after_words(told))
    if purpose not in (None, told["purpose"]):
        lines.append(f"It was proposed before, for {told['purpose']!r}, and that purpose stands.")
    declared = curator.policy.datasets.get(proposal.dataset)
    lines += [f"Warning: {words}" for words in warnings_of(told)]
    lines += [binding(declared)] if declared else []
    heads = ("entry", "date", "what was asked", "cost")
    earlier = Table(heads, rows[:_EARLIER], "Released before, or approved:", prose=(2,))
    blocks: list[Block] = [
        Said(told["asked"]),
        Facts([(name, printable(text)) for name, text in facts if text]),
        Said(lines),
        *([earlier] if rows else []),
    ]
    note = "to have it signed: -o proposal.html writes two pages to sign"
    answer = Answer(told["stands"], blocks=blocks, notes=() if released else (note,))
    return Told(answer, told, page=_page_to_sign(policy, proposal, ["review", str(number)]))


# --- strategies ---------------------------------------------------------------------------------


def strategy_open(
    name: Annotated[str, "what to call the strategy"],
    policy: PolicyFile = Path("policy.yml"),
    epsilon: Annotated[str | None, "what all questions may cost together"] = None,
    may_ask: Annotated[Path | None, "questions that may be asked, with ; between them"] = None,
    each: Annotated[str | None, "the epsilon of each of them alone"] = None,
    dataset: OfDataset = None,
    analyst: Analyst = None,
    dry_run: Annotated[bool, "say what it would cost; nothing is charged"] = False,
    yes: Annotated[
        bool, "pay in spite of warnings, without being asked; scripts are never asked"
    ] = False,
) -> Result:
    """Pay once for questions that may each depend on the answers before."""
    from twoworlds.release.answers.words import accounts_text
    from twoworlds.release.costs import Cost, amount, parse_cost
    from twoworlds.release.curator import Curator
    from twoworlds.release.errors import OverBudget
    from twoworlds.release.ledger.state import check_name
    from twoworlds.release.strategy import find_strategy, price_of, read_questions
    from twoworlds.release.warnings import spend_warnings

    check_name(name, "strategy")
    if (may_ask is None) != (each is None):
        raise InvalidInput("--may-ask FILE and --each EPSILON go together: give both or neither")
    if epsilon is None and may_ask is None:
        raise InvalidInput(
            "say what to spend: --epsilon 1, or the questions with --may-ask FILE --each 1/2"
        )
    asked = [] if may_ask is None else read_questions(may_ask)
    with Curator.open(policy) as curator:
        if asked and dataset is None:
            dataset = curator.query(asked[0]).dataset
        dataset = _only_dataset(curator, dataset)
        who = curator.analyst(dataset, analyst)
        prices = price_of(curator, dataset, asked, each) if asked else None
        wanted = _price(epsilon, prices)
        before = find_strategy(curator, dataset, name, who)
        if before is not None and parse_cost(before) != wanted:
            raise InvalidInput(
                f"strategy {name!r} was paid with {parse_cost(before).shown()}, not "
                f"{wanted.shown()}: use another name for another strategy"
            )
        left = curator.ledger.state().accounts(dataset, who)[0]
        neighbours = curator.policy.dataset(dataset).neighbours
        after = (
            left
            if before
            else curator.ledger.state().accounts(dataset, who, more=(wanted, wanted))[0]
        )
        warned = () if before else spend_warnings(wanted, left, after, neighbours)
        notes = [f"Warning: {one.words}" for one in warned] if dry_run else []
        data: dict[str, Any]
        asks = {"strategy": name, "source": curator.place(curator.policy.dataset(dataset))}
        if dry_run:
            curator.ledger.check(dataset, who, asks, Cost() if before else wanted)
            data = {"dry_run": True, "strategy": name, "dataset": dataset, "analyst": who}
            said = f"The strategy would cost {wanted.shown()}. Nothing was charged."
            if before:
                said = "This was paid for before, so it would cost nothing more."
        else:
            with suppress(OverBudget):  # what does not fit, the payment itself refuses
                curator.ledger.check(dataset, who, asks, wanted)
                _warn(warned, yes=yes)
            found = curator.strategy(dataset, wanted, name=name, analyst=who).resume()
            data = {**found.fields(), "charged": before is None}
            said = f"Strategy {name!r} is open already; you pay nothing more."
            if before is None:
                how = ["QUERY", "--policy", str(policy), "--strategy", name]
                how += ["--epsilon", each or "EPSILON", "--analyst", who]
                said = (
                    f"Strategy {name!r} is open, paid with {wanted.shown()}: ask with "
                    f"{join(['twoworlds', 'release', *how])}."
                )
            left = curator.ledger.state().accounts(dataset, who)[0]
    rest = f"Left: {accounts_text(left)}."
    if dry_run:
        rest = f"Left before: {accounts_text(left)}. Left after: {accounts_text(after)}."
        data["left_after"] = after
    notes.append(rest)
    data |= {"left": left, "warnings": [one.to_dict() for one in warned]}
    if prices is not None:
        data["may_ask"] = {"together": prices[0], "one_by_one": prices[1]}
        alone = f"one by one they would cost {amount(prices[1])}"
        if prices[0] == prices[1]:
            alone = "as much as one by one"
        notes += [
            f"Together these questions cost epsilon {amount(prices[0])}, {alone}. The list sets "
            "the price only: other questions are answered too, as far as they fit."
        ]
    told = Answer.of(said, Said(notes))
    again = "" if dry_run else "it is paid for: the same command again costs nothing more"
    return Told(told, {**data, "cost": wanted}, again=again)


def strategy_show(
    name: Annotated[str, "what the strategy is called"],
    policy: PolicyFile = Path("policy.yml"),
    dataset: OfDataset = None,
    analyst: Analyst = None,
) -> Result:
    """Show the questions of a strategy, and what they cost together and one by one."""
    from twoworlds.release.answers.words import asked
    from twoworlds.release.curator import Curator
    from twoworlds.release.strategy import resumed

    with Curator.open(policy) as curator:
        one = _only_dataset(curator, dataset)
        found: PaidStrategy = resumed(curator, one, name, analyst, policy)
        questions = [asked(question) for question in found.questions]
        steps = [Steps([(question, ()) for question in questions])] if questions else []
        return found.beside(*steps, asked=questions)


def _only_dataset(curator: Curator, name: str | None) -> str:
    names = [*curator.policy.datasets]
    if name is None and len(names) > 1:
        raise InvalidInput(f"say what is asked: --dataset {' or '.join(names)}")
    return curator.policy.dataset(names[0] if name is None else name).name


def _price(epsilon: str | None, prices: tuple[Fraction, Fraction] | None) -> Cost:
    """Return the price: what is given, or what the questions cost together."""
    from twoworlds.release.costs import Cost, amount, parse_cost

    if epsilon is None:
        assert prices is not None
        return Cost(epsilon=prices[0])
    wanted = parse_cost(f"epsilon={epsilon}")
    if prices is not None and prices[0] > wanted.epsilon:
        raise InvalidInput(
            f"these questions cost epsilon {amount(prices[0])} together, more than "
            f"{wanted.shown()}: give a larger --epsilon or a smaller --each, or leave --epsilon out"
        )
    return wanted


# --- the local model ----------------------------------------------------------------------------


def randomize(
    source: Annotated[Path, "a CSV, TSV or Parquet file"],
    target: Annotated[Path, Written("the new file, of the same kind")],
    column: Annotated[str, Name("the column to be randomized")],
    with_: Annotated[str, Name(_CHANNEL)],
    values: Values = None,
    outputs: Outputs = None,
    missing: Annotated[
        str | None, "the declared value that empty, NULL and undeclared cells count as"
    ] = None,
    public: Annotated[
        list[str] | None, "a column to be copied as it is; repeat it; others are left out"
    ] = None,
    shuffle: Annotated[bool, "put the reports in random order"] = False,
) -> Result:
    """Randomize a column record by record, so that nobody needs to be trusted with it."""
    from twoworlds.release.local import Randomizer, randomize_file
    from twoworlds.release.local.release import certificate_path

    randomizer = Randomizer.of(with_, values=values, outputs=outputs, missing=missing)
    made = randomize_file(source, target, column, randomizer, public=public or (), shuffle=shuffle)
    return made.beside(files={"output": target, "certificate": certificate_path(target)})


def estimate(
    file: Annotated[Path, "a file of reports"],
    column: Annotated[str | None, "the randomized column; its certificate may say it"] = None,
    with_: Annotated[
        str | None, "what the records went through, a channel; the certificate may say it"
    ] = None,
    values: Values = None,
    outputs: Outputs = None,
    confidence: Annotated[str, "how sure the intervals are to hold"] = "95%",
    simultaneous: Annotated[bool, "let all guaranteed intervals hold at once"] = False,
    feasible: Annotated[
        bool, "also give the nearest numbers of at least 0 with the same sum"
    ] = False,
) -> Result:
    """Estimate the true counts behind a randomized column, without bias."""
    from twoworlds.release.local import Randomizer, estimate_file
    from twoworlds.release.local.estimates import shown

    randomizer = None
    if with_ is not None:
        randomizer = Randomizer.of(with_, values=values, outputs=outputs)
    elif values is not None or outputs is not None:
        raise InvalidInput("--values and --outputs are those of a channel: give --with as well")
    found = estimate_file(
        file, column, randomizer, confidence=confidence, simultaneous=simultaneous
    )
    if not feasible:
        return found
    nearest = found.feasible()
    rows = [[value, shown(count)] for value, count in nearest.items()]
    lead = "No estimate is below 0, so the nearest feasible numbers are the estimates"
    if any(count < 0 for count in found.counts.values()):
        lead = "The nearest numbers of at least 0 with the same sum, biased by what was below 0"
    lead += "; they are not rounded to whole records:"
    counts = {value: str(count) for value, count in nearest.items()}
    return found.beside(Table(["value", "nearest feasible"], rows, lead), feasible=counts)
