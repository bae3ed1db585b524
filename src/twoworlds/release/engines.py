"""The engines of a policy: where the data of each dataset are, opened when they are first needed.

An engine belongs to the process that opened it, and may be used from any thread of it. Nothing here
reads a row: plans are made from the schema alone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput
from twoworlds.release.backends.sources import check_distinct
from twoworlds.release.policy import Dataset, Policy
from twoworlds.release.query import Resolved
from twoworlds.release.sensitivity import Moments

if TYPE_CHECKING:
    from sqlglot import exp

    from twoworlds.release.backends import Backend
    from twoworlds.release.plan import Plan


class Engines:
    """The engine and the table of each dataset."""

    def __init__(self, policy: Policy, sources: Mapping[str, Any]) -> None:
        """Check that the sources are those of datasets, each of another table."""
        for dataset in sources:
            policy.dataset(dataset)
        declared = {name: one.source for name, one in policy.datasets.items()}
        check_distinct({**declared, **sources}, policy.folder, "the policy and the sources")
        self.policy, self._sources = policy, sources
        self.opened: dict[str, tuple[Backend, exp.Table]] = {}
        self._opening = Lock()
        self._process = os.getpid()

    def open(self, dataset: Dataset) -> tuple[Backend, exp.Table]:
        """Return the engine of a dataset, and its table there."""
        if os.getpid() != self._process:
            raise InvalidInput(
                "this Curator was opened before the process was forked, and its connections belong "
                "to the parent: open one in the child, after the fork"
            )
        with self._opening:
            if dataset.name not in self.opened:
                source = self.source(dataset)
                from twoworlds.release.backends import open_backend

                self.opened[dataset.name] = open_backend(source, folder=self.policy.folder)
            return self.opened[dataset.name]

    def source(self, dataset: Dataset) -> Any:
        """Return where the data are: as given, or as the policy says."""
        source = self._sources.get(dataset.name, dataset.source)
        if source is None:
            raise InvalidInput(
                f"the policy does not say where {dataset.name!r} is: add source: to it, "
                "or give the data beside the query"
            )
        return source

    def place(self, dataset: Dataset) -> str | None:
        """Return a name for the place of the data: a path as it was written, or nothing."""
        source = self.source(dataset)
        return str(source) if isinstance(source, (str, Path)) and "://" not in str(source) else None

    def plans(self, resolved: Sequence[Resolved]) -> tuple[Backend, list[Plan]]:
        """Return the engine and the plan of each query, after checking the schema."""
        engine, relation = self.open(resolved[0].dataset)
        engine.check_usable()
        from twoworlds.release.plan import check_columns, plan

        for one in resolved:
            check_columns(one.dataset, one, engine, relation)
        return engine, [plan(one, relation, engine) for one in resolved]

    def moments(self, resolved: Sequence[Resolved]) -> Moments:
        """Return whether all that a batch asks is read at one moment."""
        scans = len(resolved) + sum(m.kind == "ranks" for one in resolved for m in one.measures)
        if scans == 1:
            return "one"
        dataset = resolved[0].dataset
        engine, relation = self.open(dataset)
        if engine.snapshot(relation):
            return "one"
        return "frozen" if dataset.frozen else "several"

    def check(self) -> None:
        """Check that every table is there, with the columns that the policy declares."""
        from twoworlds.release.plan.tables import check_field

        for dataset in self.policy.datasets.values():
            if dataset.name not in self._sources and dataset.source is None:
                continue
            engine, relation = self.open(dataset)
            engine.check_usable()
            for name, column in dataset.columns.items():
                check_field(name, column.kind, engine.fields(relation), f"dataset {dataset.name!r}")

    def close(self) -> None:
        """Close all of them."""
        for engine, _ in self.opened.values():
            engine.close()
        self.opened.clear()
