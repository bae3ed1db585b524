"""The desk where releases are made: a curator with the ledger and the engines of one policy.

Every worker of releases has a desk of its own; the ledger keeps them in step. A question is asked
in the name of the account that sent it, which is the analyst of the policy; where a dataset names
no analysts, everybody who may release spends the one budget there is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.files import certificate_text
from twoworlds.numbers import whole
from twoworlds.release.budget import Cap
from twoworlds.release.certificate import certify
from twoworlds.release.costs import parse_cost
from twoworlds.release.curator import Curator
from twoworlds.release.forms import Released, Request
from twoworlds.release.ledger.views import SOLE_ANALYST
from twoworlds.release.policy import Column, Dataset, parse_policy
from twoworlds.release.query import Query, resolve
from twoworlds.release.query.model import query_of
from twoworlds.release.review import NEWEST, ReviewDesk
from twoworlds.release.sensitivity import NoiseKind
from twoworlds.release.sensitivity.fixed import parse_each
from twoworlds.release.statement import plain_column
from twoworlds.show.saving import sheet_text
from twoworlds.web.refusals import Refused, about

# Of a proposal: what all releases would allow, and what others have paid or left.
_FOR_REVIEWERS = ("after", "with_released", "alarm", "stands", "payable")
_MONEY = re.compile(r"\b(epsilon|delta|rho|pay)\b")
_NOISE: tuple[NoiseKind, ...] = ("laplace", "gaussian")


class Desk:
    """Answers requests about the datasets of a policy.

    Args:
        policy: Its text.
        folder: What relative paths in it start from.
    """

    def __init__(self, policy: str, folder: Path) -> None:
        """Read the policy; ledger and engines are opened when they are first needed."""
        self._policy = parse_policy(policy, folder=folder)
        self._opened: Curator | None = None
        self.jobs: dict[str, Callable[..., Any]] = {
            "budget": self.budget,
            "datasets": self.datasets,
            "decide": self.decide,
            "ledger": self.ledger,
            "plan": self.plan,
            "proposals": self.proposals,
            "propose": self.propose,
            "ready": self.ready,
            "report": self.report,
        }
        self.together = {"release": self.release_each}  # what is done for several at once

    @property
    def curator(self) -> Curator:
        """The curator; opened at the first use, and again if that failed."""
        if self._opened is None:
            self._opened = Curator.open(self._policy)
        return self._opened

    def ready(self) -> dict[str, Any]:
        """Say whether the ledger and the engines can be used; strangers may ask this."""
        self.curator.ledger.state()
        self.curator.check_sources()
        return {"ready": True}

    def datasets(self) -> dict[str, Any]:
        """Return what the policy declares; never anything of the data."""
        return {"datasets": [_declared(one) for one in self._policy.datasets.values()]}

    def budget(self, account: str | None) -> dict[str, Any]:
        """Return caps, what is spent and what is left: all of it, or one analyst's part."""
        datasets = self.curator.budget()["datasets"]
        if account is None:
            return {"datasets": datasets}
        own = []
        for one in datasets:
            named = self._policy.datasets.get(one["dataset"])
            mine = account if named is None or named.analysts else None
            kept = [a for a in one["analysts"] if mine is None or a["analyst"] == mine]
            own.append({**one, "analysts": kept})
        return {"datasets": own}

    def ledger(self) -> dict[str, Any]:
        """Return what all entries add up to, the newest charges, and what is proposed."""
        desk = ReviewDesk(self.curator.ledger)
        return {
            **self.curator.budget(),
            "datasets": desk.datasets,
            "newest": desk.releases,
            "proposals": desk.proposals,
        }

    def propose(self, account: str, purpose: str, **asked: Any) -> dict[str, Any]:
        """File a planned release for review; nothing is charged."""
        queries, cost, noise = self._read(**asked)
        who = self._analyst(queries, account)
        with self._blaming(queries, asked):
            made = self.curator.propose(queries, cost, purpose=purpose, analyst=who, noise=noise)
        return _own(ReviewDesk(self.curator.ledger).proposal(made))

    def proposals(self, account: str) -> dict[str, Any]:
        """Return what the account has proposed, the newest first, and what reviewers said of it.

        Where the policy names no analysts, whoever may release proposes for all of them.
        """
        desk = ReviewDesk(self.curator.ledger)
        shared = {name for name, one in self._policy.datasets.items() if not one.analysts}
        own = [
            one
            for one in desk.state.proposals.values()
            if one.analyst == (SOLE_ANALYST if one.dataset in shared else account)
        ]
        return {"proposals": [_own(desk.proposal(one)) for one in reversed(own[-NEWEST:])]}

    def decide(self, account: str, proposal: str, *, approve: bool, remark: str) -> dict[str, Any]:
        """Approve a proposal or send it back, in the name of the account."""
        number = whole(proposal, "proposal")
        with about("proposal" if approve or remark.strip() else "remark"):
            made = self.curator.ledger.decide(number, account, approved=approve, remark=remark)
        return ReviewDesk(self.curator.ledger).proposal(made)

    def report(self, account: str | None, entry: str) -> dict[str, Any]:
        """Return the report of a release, one page of HTML; of an analyst, the own ones.

        To those who may see the whole ledger, also the page of a proposal, to sign.
        """
        from twoworlds.report.review import review_planned, review_released

        number = whole(entry, "entry")
        with about("entry"):
            planned = self.curator.ledger.state().proposals.get(number)
            paid = None
            if planned is not None:
                paid = ReviewDesk(self.curator.ledger).released(planned)
            if planned is not None and account is None and paid is None:
                command = f"twoworlds review {number} --policy policy.yml"
                page = review_planned(self.curator.ledger, planned, command=command)
            else:
                released = self.curator.released(paid or number, analyst=account)
                page = review_released(released, self.curator.ledger)
        return {"entry": number, "html": page.html()}

    def plan(self, account: str, **asked: Any) -> dict[str, Any]:
        """Return what a release would cost and how exact it would be; nothing is charged."""
        queries, cost, noise = self._read(**asked)
        who = self._analyst(queries, account)
        with self._blaming(queries, asked):
            return self.curator.plan(queries, cost, analyst=who, noise=noise).to_dict()

    def release_each(self, asked: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Charge and answer the requests of several accounts; an error stands in its place."""
        found: dict[int, Any] = {}
        wanted: dict[int, Request] = {}
        for number, one in enumerate(asked):
            try:
                wanted[number] = self._wanted(**one)
            except Exception as error:
                found[number] = error
        for number, released in zip(
            wanted, self.curator.release_each([*wanted.values()]) if wanted else (), strict=True
        ):
            try:
                with self._blaming(wanted[number].asked, asked[number]):
                    found[number] = _answered(released)
            except Exception as error:
                found[number] = error
        return [found[number] for number in range(len(asked))]

    def _wanted(self, account: str, **asked: Any) -> Request:
        queries, cost, noise = self._read(**asked)
        return Request(queries, cost, self._analyst(queries, account), noise)

    def close(self) -> None:
        """Close ledger and engines."""
        if self._opened is not None:
            self._opened.close()

    def _read(
        self,
        queries: Sequence[Any],
        epsilon: str | None = None,
        cost: str | None = None,
        dataset: str | None = None,
        noise: str | None = None,
    ) -> tuple[list[Query], str, NoiseKind]:
        with about("epsilon" if cost is None else "cost"):
            if (epsilon is None) == (cost is None):
                raise InvalidInput(
                    "say what to spend, once: epsilon, such as 1 or 'ln 3', or cost, such as "
                    "'epsilon=1, delta=1e-6', 'each=1/10, delta=1e-6' or 'rho=1/8'"
                )
            price = cost if cost is not None else f"epsilon={epsilon}"
            if parse_each(price) is None:
                parse_cost(price)
        with about("noise"):
            kind = self._noise(noise, price)
        with about("queries"):
            read = [self._query(one) for one in queries]
        with about("dataset"):
            if dataset is not None:
                self._policy.dataset(dataset)
                if any(one.dataset != dataset for one in read):
                    raise InvalidInput(f"a query asks another dataset than {dataset!r}")
        return read, price, kind

    @contextmanager
    def _blaming(self, queries: Sequence[Any], asked: Mapping[str, Any]) -> Iterator[None]:
        """Say of a complaint whether it is about the queries or, if they are sound, the cost."""
        try:
            yield
        except InvalidInput as error:
            with about("queries"):
                for one in queries:
                    resolve(one, self._policy.dataset(one.dataset))
                if not _MONEY.search(str(error)):
                    raise
            with about("cost" if "cost" in asked else "epsilon"):
                raise

    def _noise(self, noise: str | None, cost: str) -> NoiseKind:
        if noise is None:
            return "gaussian" if "rho" in cost else "laplace"
        for known in _NOISE:
            if noise == known:
                return known
        raise InvalidInput(f"noise={noise[:40]!r} is unknown: say laplace or gaussian")

    def _query(self, asked: Any) -> Query:
        return self.curator.query(asked) if isinstance(asked, str) else query_of(asked)

    def _analyst(self, queries: Sequence[Query], account: str) -> str | None:
        """Return whose budget is spent: that of the account, where the policy names any."""
        with about("queries"):
            named = self._policy.dataset(queries[0].dataset).analysts
        if not named:
            return None
        if account not in named:
            raise Refused(
                403,
                "NoBudget",
                f"the policy gives {account!r} no budget on {queries[0].dataset!r}: ask the owner "
                "of the data",
                "dataset",
            )
        return account


def _own(proposal: dict[str, Any]) -> dict[str, Any]:
    return {name: told for name, told in proposal.items() if name not in _FOR_REVIEWERS}


def _answered(released: Released | TwoWorldsError) -> dict[str, Any]:
    if isinstance(released, TwoWorldsError):
        raise released
    answers = [answer.to_dict() for answer in released.answers]
    context, batch = released.answers[0].context, released.calibration.batch
    return {
        "answers": answers,
        "csv": [sheet_text(answer.to_columns()) for answer in released.answers],
        "meaning": answers[0]["meaning"],
        "entry": released.charge.entry,
        "paid": released.charge.paid.to_dict(),
        **({} if batch is None else {"batch": batch.to_dict()}),
        "left": {name: cost.to_dict() for name, cost in context.left.items()},
        "certificate": (certificate := certify(released)),
        "certificate_file": certificate_text(certificate),
    }


def _declared(one: Dataset) -> dict[str, Any]:
    return {
        "name": one.name,
        "neighbours": one.neighbours,
        "unit": {"person": one.unit.person, "rows": one.unit.rows, "groups": one.unit.groups},
        "version": one.version,
        "review": one.review,
        "columns": [_column(column) for column in one.columns.values()],
        "public": [
            {
                "name": table.name,
                "key": table.key,
                "columns": [_column(column) for column in table.columns.values()],
            }
            for table in one.public.values()
        ],
        "budget": _cap(one.cap),
        "analysts": {name: _cap(cap) for name, cap in one.analysts.items()},
    }


def _cap(cap: Cap | None) -> dict[str, Any] | None:
    if cap is None:
        return None
    return {"cap": str(cap), "composition": cap.composition, **cap.most.to_dict()}


def _column(column: Column) -> dict[str, Any]:
    return {**plain_column(column), "grid": len(column.grid)}
