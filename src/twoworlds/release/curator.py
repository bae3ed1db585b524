r"""The curator: answers queries about the datasets of a policy, within their budgets.

    prepare      resolve, calibrate, plan: from the request, the policy and the public schema alone
    reserve      the charge is durable
    compute      in the engine; the small aggregate comes back and gets noise
    commit       the noisy answer is durable
    released     and only now it is shown

These are the steps from one form of a release to the next (`twoworlds.release.forms`).

A crash at any point leaves a query that is unpaid and unanswered, paid and unanswered (the next
attempt costs nothing more), or paid and stored (the next attempt returns what was stored).
What fails after the charge raises `ReleaseFailed`, always with the same text.

A curator may be used from any thread. After a fork it says that it cannot be used in the child.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Self
from warnings import warn
from weakref import finalize

from twoworlds.errors import DoubtfulRelease, InvalidInput, TwoWorldsError, UnknownName
from twoworlds.numbers import rational
from twoworlds.release.answers.words import AnswerContext, unit_text
from twoworlds.release.backends.frames import from_lists
from twoworlds.release.backends.sources import Engines
from twoworlds.release.budget import Spent
from twoworlds.release.costs import Cost, parse_cost, read_number
from twoworlds.release.errors import LedgerUnavailable, OverBudget, ReleaseFailed
from twoworlds.release.forms import DryRun, Prepared, Released, Request, check_approved
from twoworlds.release.ledger import Charge, Ledger
from twoworlds.release.ledger.entries import ChainPlace, canonical, digest
from twoworlds.release.ledger.state import Proposal
from twoworlds.release.ledger.views import SOLE_ANALYST, analysts, open_ledger, summary
from twoworlds.release.policy import Dataset, Policy, declare
from twoworlds.release.query import Query, Resolved, resolve
from twoworlds.release.sensitivity import Calibration, NoiseKind, calibrate
from twoworlds.release.sensitivity.fixed import calibrate_each, parse_each, way_out
from twoworlds.release.statement import check_size, made_of, statement
from twoworlds.release.warnings import ReleaseWarning

if TYPE_CHECKING:
    from twoworlds.release.answers import QueryAnswer
    from twoworlds.release.ledger.state import LedgerState
    from twoworlds.release.strategy import PaidStrategy

_STAYS = "what was charged stays charged, and the same query again costs nothing more"


class Curator(AbstractContextManager["Curator"]):
    """Answers queries about a table, within a budget; nothing is ever read off the data.

    Args:
        data: The table: a data frame of pandas, polars or pyarrow, a dictionary of lists, or the
            path of a Parquet file. Or a `Policy`, which declares all that follows up to version;
            `Curator.open` reads one from a file.
        ledger: Where charges and answers are kept: a path, or a `Ledger`. Without one the budget
            lives only as long as this curator: a new one on the same data starts from nothing,
            although what was released before still counts for the people in it.
        name: What queries call the table.
        budget: The most that may be spent in all: an epsilon, or ``"epsilon=3, delta=1e-6"``.
        unit: Whose data is protected: ``"row"`` if every row is another person, or
            ``{"person": "patient", "rows": 3}`` with the column that tells people apart, and the
            number of their rows that a query may use.
        bounds: The smallest and the largest value of a column of numbers; others are clamped. Say
            what you know without looking at the data, since bounds are not kept secret.
        keys: The values of a column by which queries may group; each of them is answered.
        columns: Further fields of a column, as a policy file has them: kind, missing, bins, grid.
        neighbours: The two worlds: ``add-remove`` one unit, or ``substitute`` one for another.
        version: Of the data: a stored answer is repeated only for the same version. Give other
            data under the same ledger another version, or old answers are repeated for them.
        sources: The place of a dataset, by its name, where a policy leaves it open: a path, a
            data frame, a connection; see `twoworlds.release.backends.open_backend`.
        pace: Answers and failures come back at multiples of so many seconds after the question, so
            that their time tells less about the data; 0 for at once.

    >>> table = {"region": ["north", "south", "north"], "age": [31, 64, 57]}
    >>> keys, bounds = {"region": ["north", "south"]}, {"age": (0, 110)}
    >>> with Curator(table, budget=3, unit="row", keys=keys, bounds=bounds) as curator:
    ...     asked = "SELECT region, COUNT(*) FROM people GROUP BY region"
    ...     found = curator.release(asked, epsilon=1)
    >>> [row["region"] for row in found.rows()]
    ['north', 'south']
    """

    def __init__(
        self,
        data: Any,
        ledger: Ledger | Path | str | None = None,
        *,
        name: str = "people",
        budget: object = None,
        unit: object = None,
        bounds: Mapping[str, Iterable[object]] | None = None,
        keys: Mapping[str, Iterable[object]] | None = None,
        columns: Mapping[str, Mapping[str, object]] | None = None,
        neighbours: str = "add-remove",
        version: str = "1",
        sources: Mapping[str, Any] | None = None,
        pace: float = 0.0,
    ) -> None:
        """Set the caps of the policy in the ledger."""
        places = {**(sources or {})}
        if isinstance(data, (str, Path)) and Path(data).suffix.lower() in (".yml", ".yaml"):
            raise InvalidInput(
                f"{str(data)!r} is a policy: open it with Curator.open({str(data)!r})"
            )
        if isinstance(data, Policy):
            if any(one is not None for one in (budget, unit, bounds, keys, columns)):
                raise InvalidInput("the policy declares the data: leave the declarations out")
            policy = data
        else:
            policy = declare(
                name,
                budget=budget,
                unit=unit,
                bounds=bounds,
                keys=keys,
                columns=columns,
                neighbours=neighbours,
                version=version,
            )
            places[name] = from_lists(data) if isinstance(data, dict) else data
        self.policy, self.pace = policy, pace
        self.engines = Engines(policy, places)
        if not isinstance(data, Policy):
            self._check_frame(policy.dataset(name))
        self._end: Callable[[], object] | None = None
        if isinstance(ledger, Ledger):
            self.ledger = ledger
        elif ledger is not None or policy.ledger is not None:
            self.ledger = open_ledger(replace(policy, ledger=str(ledger or policy.ledger)))
        else:
            self.ledger, folder = _without_file()
            self._end = finalize(self, _end, self.ledger, folder, os.getpid())
        self._set_caps()

    def __repr__(self) -> str:
        """Name what it answers queries about."""
        return f"<Curator of {', '.join(self.policy.datasets)}>"

    @classmethod
    def open(
        cls,
        policy: Policy | Path | str,
        *,
        sources: Mapping[str, Any] | None = None,
        pace: float = 0.0,
    ) -> Self:
        """Read a policy and open its ledger, which is made if there never was one."""
        from twoworlds.release.policy import read_policy

        read = policy if isinstance(policy, Policy) else read_policy(policy)
        return cls(read, open_ledger(read), sources=sources, pace=pace)

    def query(self, asked: Query | str) -> Query:
        """Return a query, read from SQL if it is a text."""
        if isinstance(asked, Query):
            return asked
        if not isinstance(asked, str):
            raise InvalidInput(
                f"a query is a Query or SQL, not {type(asked).__name__}: several are answered "
                "together by release_all"
            )
        from twoworlds.release.query.sql import parse_sql

        return parse_sql(asked, self.policy)

    def analyst(self, dataset: str, name: str | None = None) -> str:
        """Return the analyst who asks: the only one there is, unless one is named.

        Raises:
            InvalidInput: when the policy has several, or not this one.
        """
        known = [*self.policy.dataset(dataset).analysts] or [SOLE_ANALYST]
        if name is None:
            if len(known) > 1:
                raise InvalidInput(
                    f"say who asks, {' or '.join(known)}: --analyst {known[0]}, or "
                    f"analyst={known[0]!r} in Python"
                )
            return next(iter(known))
        if name not in known:
            raise UnknownName("analyst", name, known)
        return name

    def plan(
        self,
        asked: Query | str | Sequence[Query | str],
        cost: object = None,
        *,
        epsilon: object = None,
        delta: object = None,
        rho: object = None,
        analyst: str | None = None,
        noise: NoiseKind | None = None,
    ) -> DryRun:
        """Return what a release would cost and how exact it would be; nothing is charged."""
        price, law = _price(cost, noise, epsilon=epsilon, delta=delta, rho=rho)
        resolved, calibration = self._calibrated(asked, price, law)
        dataset = resolved[0].dataset
        who = self.analyst(dataset.name, analyst)
        said = statement(resolved, calibration, self.place(dataset))
        try:
            return self._dry_run(resolved, calibration, said, who)
        except OverBudget as error:
            raise self._over(error, calibration, dataset.name, who) from None

    def _dry_run(
        self,
        resolved: Sequence[Resolved],
        calibration: Calibration,
        said: Mapping[str, Any],
        who: str,
    ) -> DryRun:
        name = resolved[0].dataset.name
        price, known = self.ledger.check(name, who, said, calibration.price)
        wanted = digest(canonical(said, "query"))
        state, more = self.ledger.state(), (price if known is None else Cost(), price)
        proposal = state.proposed.get((name, who, wanted))
        left = state.accounts(name, who)[0]
        after = state.accounts(name, who, more=more)[0]
        return DryRun(
            tuple(resolved),
            calibration,
            price,
            left,
            after,
            known=known,
            proposal=proposal,
            planned=Proposal(state.point, name, who, wanted, calibration.price),
            statement=said,
        )

    def propose(
        self,
        asked: Query | str | Sequence[Query | str],
        cost: object,
        *,
        purpose: str,
        analyst: str | None = None,
        noise: NoiseKind = "laplace",
    ) -> Proposal:
        """File a planned release for review; nothing is charged.

        A reviewer decides with `Ledger.decide`. What was approved is released by the same analyst
        with the same queries and cost, under the policy as it is: anything else is another release.

        Raises:
            OverBudget: when it does not fit any more; what is approved later may not fit either.
        """
        request = Request(
            [asked] if isinstance(asked, (Query, str)) else asked, cost, analyst, noise
        )
        one = self._prepare(request)
        name, who, said, price, _ = one.to_charge
        self.ledger.check(name, who, said, price)
        return self.ledger.propose(name, who, said, price, purpose=purpose)

    def release(
        self,
        asked: Query | str,
        cost: object = None,
        *,
        epsilon: object = None,
        delta: object = None,
        rho: object = None,
        analyst: str | None = None,
        noise: NoiseKind | None = None,
    ) -> QueryAnswer:
        """Answer a query, and charge it unless it is paid already.

        Args:
            asked: A query, or SQL.
            cost: What to spend, such as ``"1"``, ``"epsilon=1, delta=1e-6"`` or ``"rho=1/8"``;
                of a batch also ``"each=1/10, delta=1e-6"``, see `release_all`.
            epsilon: The same by name, with a ``delta`` or without; or ``rho``, for Gaussian noise.
            delta: Beside an epsilon.
            rho: Instead of an epsilon.
            analyst: Who asks; may be left out when the policy names one at most.
            noise: ``laplace``, or ``gaussian`` for a cost with rho or delta.

        Before the charge it warns of what looks like a mistake (`DoubtfulRelease`), such as a
        selection of nobody, or a cost of more than half of what is left. To stop at each of them,
        ``warnings.simplefilter("error", DoubtfulRelease)``.

        Raises:
            OverBudget: when the budget has not enough left; nothing is charged.
            ReleaseFailed: when it was charged, and the engine failed.
        """
        price, law = _price(cost, noise, epsilon=epsilon, delta=delta, rho=rho)
        return self.release_all([asked], price, analyst=analyst, noise=law).answers[0]

    def release_all(
        self,
        asked: Sequence[Query | str],
        cost: object,
        *,
        analyst: str | None = None,
        noise: NoiseKind = "laplace",
    ) -> Released:
        """Answer a batch on one dataset: noise is set to the sensitivity of all of it together.

        A cost such as ``"each=1/10, delta=1e-6"`` gives each query the noise that it would get
        alone, and charges what all of them come to together, by certified composition or by the
        sensitivity of the whole; see `twoworlds.release.sensitivity.fixed`.
        """
        started = monotonic()
        prepared = self.prepare(Request(asked, cost, analyst, noise))
        self._warn(prepared)
        return self._answer(prepared, started)

    def _warn(self, one: Prepared) -> None:
        """Warn as the command line does, before anything is charged."""
        try:
            plan = self._dry_run(one.resolved, one.calibration, one.statement, one.analyst)
        except TwoWorldsError:  # what is refused, the charge itself refuses
            return
        for found in plan.warnings:
            warn(found.words, DoubtfulRelease, stacklevel=4)

    def release_each(self, requests: Sequence[Request]) -> list[Released | TwoWorldsError]:
        """Answer several batches, each charged on its own; they wait for the disk together.

        The error of one that is refused, or that fails after its charge, stands in its place.

        Raises:
            LedgerUnavailable: when the charges cannot be made durable; nothing is answered then.
        """
        found: dict[int, Released | TwoWorldsError] = {}
        prepared: dict[int, Prepared] = {}
        started = monotonic()
        for number, request in enumerate(requests):
            try:
                prepared[number] = self.prepare(request)
            except TwoWorldsError as error:
                found[number] = error
        if prepared:
            answered = self._answer_each([*prepared.values()], started)
            found |= zip(prepared, answered, strict=True)
        return [found[number] for number in range(len(requests))]

    def strategy(
        self, dataset: str, cost: object, *, name: str = "strategy", analyst: str | None = None
    ) -> PaidStrategy:
        """Pay once for questions that may each depend on earlier answers.

        Args:
            dataset: What they are asked of.
            cost: An epsilon, for all of them together.
            name: Another name is another strategy, which is paid for anew.
            analyst: Who asks.
        """
        from twoworlds.release.strategy import PaidStrategy

        if self.policy.dataset(dataset).review:
            raise InvalidInput(
                f"the policy asks for a review of every release from {dataset!r}, and the "
                "questions of a strategy are not known beforehand: propose single releases"
            )
        return PaidStrategy(self, dataset, name, cost, self.analyst(dataset, analyst))

    def prepare(self, request: Request) -> Prepared:
        """Return a request with its noise and its plans, after checking the schema.

        Raises:
            InvalidInput: for whatever can be refused; nothing is charged, and no row is read.
        """
        prepared = self._prepare(request)
        if prepared.dataset.review:
            check_approved(self.ledger.state(), prepared)
        return prepared

    def _prepare(self, request: Request) -> Prepared:
        resolved, calibration = self._calibrated(request.asked, request.cost, request.noise)
        who = self.analyst(resolved[0].dataset.name, request.analyst)
        return self._prepared(resolved, calibration, who)

    def _prepared(
        self,
        resolved: Sequence[Resolved],
        calibration: Calibration,
        who: str,
        *,
        covered: Cost | None = None,
        within: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> Prepared:
        """Plan calibrated queries; ``within`` says which question of a strategy they are."""
        engine, plans = self.engines.plans(resolved)
        place = self.place(resolved[0].dataset)
        said = {**statement(resolved, calibration, place), **(within or {})}
        return Prepared(resolved, calibration, engine, plans, who, said, covered, name)

    def _answer(self, prepared: Prepared, started: float | None = None) -> Released:
        """Answer one prepared request, or raise what stands in the place of its answer."""
        [found] = self._answer_each([prepared], monotonic() if started is None else started)
        if isinstance(found, TwoWorldsError):
            raise found
        return found

    def _answer_each(
        self, prepared: Sequence[Prepared], started: float
    ) -> list[Released | TwoWorldsError]:
        """Charge, compute, store and return; whatever fails stands in the place of its answer."""
        charges = self.ledger.reserve_each([one.to_charge for one in prepared])
        stored: list[Any] = [None] * len(prepared)
        fresh: list[tuple[int, Charge, Any]] = []
        for number, (one, charge) in enumerate(zip(prepared, charges, strict=True)):
            if isinstance(charge, OverBudget):
                told = self._over(charge, one.calibration, one.dataset.name, one.analyst)
                stored[number] = told
            elif isinstance(charge, TwoWorldsError):
                stored[number] = charge
            elif charge.answered:
                stored[number] = charge.answer
            else:
                parts = self._compute(one)
                if parts is None:
                    stored[number] = ReleaseFailed()
                else:
                    fresh.append((number, charge, {"answers": parts}))
        try:
            kept = self.ledger.commit_each([(charge, parts) for _, charge, parts in fresh])
            state = self.ledger.state()
        except LedgerUnavailable as error:
            known = "" if "charged" in str(error) else f"; {_STAYS}"
            raise LedgerUnavailable(f"{error}{known}") from None
        for (number, _, _), answer in zip(fresh, kept, strict=True):
            stored[number] = answer
        found: list[Released | TwoWorldsError] = []
        for one, charge, answer in zip(prepared, charges, stored, strict=True):
            if isinstance(charge, TwoWorldsError) or isinstance(answer, TwoWorldsError):
                found.append(answer)
            else:
                made = one.resolved, one.calibration, one.statement
                found.append(self._shown(*made, charge, answer, state, one.covered))
        self._wait(started)
        return found

    def released(self, entry: int, *, analyst: str | None = None) -> Released:
        """Return a release that the ledger holds, by the number of the entry that charged it.

        Args:
            entry: As in the certificate, and in what `twoworlds review` lists.
            analyst: Only if this analyst paid for it.

        Raises:
            InvalidInput: when there is none, or it is a strategy or a question of one.
        """
        state = self.ledger.state()
        paid = state.charges.get(entry)
        if paid is None or (analyst is not None and analyst not in paid.analysts):
            raise InvalidInput(f"there is no release {entry}: give the number of its entry")
        if paid.answer is None:
            raise InvalidInput(f"release {entry} has no answer yet: ask the same again, for free")
        said = self.ledger.entry(ChainPlace(paid.sequence, paid.hash))["query"]
        if not isinstance(said, dict) or "strategy" in said:
            raise InvalidInput(f"entry {entry} is of a strategy: see twoworlds strategy show")
        resolved, calibration = made_of(said)
        who = analyst or paid.analysts[0]
        charge = self.ledger.charge(entry, who)
        return self._shown(resolved, calibration, said, charge, charge.answer, state)

    def _shown(
        self,
        resolved: Sequence[Resolved],
        calibration: Calibration,
        said: Mapping[str, Any],
        charge: Charge,
        stored: Any,
        state: LedgerState,
        covered: Cost | None = None,
    ) -> Released:
        """Return what is shown, made from the stored answer alone."""
        from twoworlds.release.answers import QueryAnswer

        name = charge.dataset
        left, spent = state.accounts(name, charge.analyst)
        context = AnswerContext(
            resolved[0].dataset,
            covered or calibration.price,
            charge.paid,
            left,
            spent,
            charge.hash,
            covered is not None,
            (state.cap((name, None)), state.spent.get((name, None), Spent())),
            charge.answered,
            kept=self._end is None,
        )
        answers = tuple(
            QueryAnswer.of(one, calibration, part, context, query=index)
            for index, (one, part) in enumerate(zip(resolved, stored["answers"], strict=True))
        )
        return Released(answers, said, stored, charge, calibration)

    def place(self, dataset: Dataset) -> str | None:
        """Return a name for the place of the data, which belongs to one account of the ledger.

        Files are named from the folder of the ledger, so that both may be moved together.
        """
        file = self.ledger.location.path
        base = self.policy.folder if self._end else None if file is None else file.parent
        return self.engines.place(dataset, base)

    def cost_for(self, asked: Query | str | Sequence[Query | str], within: object) -> Cost:
        """Return the least epsilon at which 95% of the errors of every answer are at most this."""
        from twoworlds.release.sensitivity import cost_for

        resolved = self._resolved(asked)
        return cost_for(resolved, rational(within, "within"))

    def budget(self) -> dict[str, Any]:
        """Return caps, what is spent and what is left, for each dataset and analyst."""
        return summary(self.ledger.state())

    def check_sources(self) -> None:
        """Check that every table is there, with the columns that the policy declares.

        Raises:
            InvalidInput: for the first one that is not.
        """
        self.engines.check()

    def _check_frame(self, dataset: Dataset) -> None:
        """Refuse columns that the table does not have, and warn of those of another kind.

        Who opens a frame holds its records. A type is no reason to refuse one, since a record may
        have made it.
        """
        from twoworlds.release.policy.checking import misfits

        try:
            self.engines.check()
        except InvalidInput:
            self.engines.close()
            raise
        engine, relation = self.engines.open(dataset)
        for misfit in misfits(dataset.columns, engine.fields(relation), dataset.name):
            warn(misfit, DoubtfulRelease, stacklevel=3)

    def misfits(self, asked: Query | str) -> list[ReleaseWarning]:
        """Return which columns of a query the table has in another type: all values are missing.

        That is for those who hold the files: one record may have made a type, so that no analyst of
        a service is told.
        """
        from twoworlds.release.plan.statement import columns_used
        from twoworlds.release.policy.checking import misfits

        [one] = self._resolved(asked)
        engine, relation = self.engines.open(one.dataset)
        used = {*columns_used(one)}
        columns = {name: column for name, column in one.dataset.columns.items() if name in used}
        found = misfits(columns, engine.fields(relation), one.dataset.name)
        return [
            ReleaseWarning("value", f"{words}. Every value counts as missing.") for words in found
        ]

    def close(self) -> None:
        """Close the engines and the ledger."""
        self.engines.close()
        self.ledger.close()
        if self._end is not None:
            self._end()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _calibrated(
        self, asked: Query | str | Sequence[Query | str], cost: object, noise: NoiseKind
    ) -> tuple[list[Resolved], Calibration]:
        resolved, fixed = self._resolved(asked), parse_each(cost)
        if fixed is None:
            price = parse_cost(cost)
            found = calibrate(resolved, price, noise=noise, moments=self.engines.moments(resolved))
        elif noise == "laplace":
            found = calibrate_each(resolved, *fixed, moments=self.engines.moments(resolved))
        else:
            raise InvalidInput(
                f"each= gives epsilons, for Laplace noise, and noise={noise!r}: leave noise out, "
                "or pay a rho for the whole"
            )
        return resolved, check_size(resolved, found)

    def _resolved(self, asked: Query | str | Sequence[Query | str]) -> list[Resolved]:
        several = [asked] if isinstance(asked, (Query, str)) else list(asked)
        if not several:
            raise InvalidInput("nothing is asked: give a query")
        queries = [self.query(one) for one in several]
        names = {query.dataset for query in queries}
        if len(names) > 1:
            raise InvalidInput(
                f"a batch asks one dataset, not {' and '.join(sorted(names))}: "
                "release them one after the other"
            )
        dataset = self.policy.dataset(names.pop())
        return [resolve(query, dataset) for query in queries]

    def _compute(self, prepared: Prepared) -> list[Any] | None:
        """Run the engine and add noise; None for whatever fails: it is one and the same error."""
        calibration, plans = prepared.calibration, prepared.plans
        try:
            rows = prepared.engine.fetch_all([plan.statement for plan in plans])
            from twoworlds.release.answers import noisy
            from twoworlds.release.noise import SystemBits

            bits = SystemBits()
            return [
                noisy(one, plan.decode(found), calibration, bits, query=index)
                for index, (one, plan, found) in enumerate(
                    zip(prepared.resolved, plans, rows, strict=True)
                )
            ]
        except Exception:
            return None  # so that nothing of the cause hangs on to the error

    def _over(
        self, error: OverBudget, calibration: Calibration, dataset: str, analyst: str
    ) -> OverBudget:
        """Add to a refusal how a batch fixed in advance would fit."""
        if calibration.batch is None:
            return error
        state = self.ledger.state()

        def fits(costs: Sequence[Cost]) -> bool:
            for account in ((dataset, None), (dataset, analyst)):
                spent = state.spent.get(account, Spent())
                for cost in costs:
                    spent = spent.plus(cost)
                if state.cap(account).rule(spent) is None:
                    return False
            return True

        return OverBudget(f"{error}; {way_out(calibration.batch, fits)}")

    def _set_caps(self) -> None:
        for dataset in self.policy.datasets.values():
            if dataset.cap is None:
                continue
            self.ledger.protect(dataset.name, unit_text(dataset))
            self.ledger.set_cap(dataset.name, dataset.cap)
            for analyst, cap in analysts(dataset).items():
                self.ledger.set_cap(dataset.name, cap, analyst=analyst)

    def _wait(self, started: float) -> None:
        if self.pace > 0:
            sleep(self.pace - (monotonic() - started) % self.pace)


def _without_file() -> tuple[Ledger, str]:
    """Return a ledger in a folder of its own, which is removed with its curator."""
    folder = mkdtemp(prefix="twoworlds-")
    return Ledger.create(Path(folder, "ledger.db")), folder


def _end(ledger: Ledger, folder: str, process: int) -> None:
    ledger.close()
    if os.getpid() == process:  # a child that ends takes nothing from its parent
        rmtree(folder, ignore_errors=True)


def _price(cost: object, noise: NoiseKind | None, **named: object) -> tuple[object, NoiseKind]:
    """Return what to spend, given as a cost or by name, and the law of the noise."""
    given = {name: value for name, value in named.items() if value is not None}
    law: NoiseKind = noise or ("gaussian" if "rho" in given else "laplace")
    if cost is not None:
        if given:
            raise InvalidInput(f"the cost is given twice, also as {', '.join(given)}: give it once")
        return cost, law
    if not {"epsilon", "rho"} & given.keys():
        raise InvalidInput('say what to spend: epsilon=1, or rho="1/8" for Gaussian noise')
    return Cost(**{name: read_number(value, name, "up") for name, value in given.items()}), law
