"""Mistakes with people, threads, tables and files: failures 19 to 24, 28, 34 and 35."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from typing import Any
from unittest.mock import patch

from tests.attacks.selftest.broken_engines.engine import broken


@broken(34)
def _takes_all_rows() -> Iterator[None]:
    """All rows of a person count, however many there are."""
    with patch("twoworlds.release.plan.statement.limited", lambda rows, *_: rows):
        yield


@broken(34)
def _takes_all_groups() -> Iterator[None]:
    """A person is in as many groups as they have rows."""
    statement = import_module("twoworlds.release.plan.statement")
    real = statement.limited

    def limited(*arguments: Any) -> Any:
        *others, unit = arguments
        return real(*others, replace(unit, groups=unit.rows))

    with patch.object(statement, "limited", limited):
        yield


@broken(34)
def _protects_one_row() -> Iterator[None]:
    """Noise hides one row of a person, not all that count."""
    from twoworlds.release.sensitivity.bounds import LargestLoss

    with patch.object(LargestLoss, "times", lambda self, _: self):
        yield


@broken(35)
def _forgets_the_second_row() -> Iterator[None]:
    """Replacing a row costs as much as taking it away."""
    joint = import_module("twoworlds.release.sensitivity.joint")  # a function has its name
    real = joint.unit_supremum

    def supremum(rows: Any, resolved: Any, *others: Any) -> Any:
        dataset = replace(resolved.dataset, neighbours="add-remove")
        return real(rows, replace(resolved, dataset=dataset), *others)

    with patch.object(joint, "unit_supremum", supremum):
        yield


@broken(23)
def _rounds_people() -> Iterator[None]:
    """Numbers of people are cut off at 64 bits, as numbers of other columns are."""
    from twoworlds.release.plan.columns import Clean

    real = Clean.of

    def of(*arguments: Any, **_: Any) -> Any:
        return real(*arguments)

    with patch.object(Clean, "of", of):
        yield


@broken(19)
def _shares_a_cursor() -> Iterator[None]:
    """Two threads that read at one time get the rows of the last who asked."""
    from twoworlds.release import answers

    real, met, last = answers.noisy, Barrier(2), []

    def noisy(resolved: Any, totals: Any, *others: Any, **options: Any) -> Any:
        last.append(totals)
        try:
            met.wait(0.5)
        except BrokenBarrierError:
            met.reset()
        return real(resolved, last[-1], *others, **options)

    with patch.object(answers, "noisy", noisy):
        yield


@broken(20)
def _reads_by_place() -> Iterator[None]:
    """Columns of a file are those that stood in their places when it was opened."""
    from twoworlds.release.backends.duckdb import DuckDBBackend

    real = getattr(DuckDBBackend, "_show", None)

    def show(self: Any, cursor: Any, view: str) -> None:
        known = self._planned.get(f'"{view}"')
        if real is not None and known is None:
            real(self, cursor, view)
        if known is not None:
            names = ", ".join(f'"{name}"' for name in known[1])
            reader = f"SELECT * FROM read_parquet('{self._views[view]}')"
            cursor.execute(f"CREATE TEMPORARY VIEW {view} ({names}) AS {reader}")

    with patch.object(DuckDBBackend, "_show", show, create=True):
        yield


@broken(21)
def _reads_one_after_the_other() -> Iterator[None]:
    """Each query of a batch is read at a moment of its own."""
    from twoworlds.release.backends.base import Backend

    real: Any = getattr(Backend, "fetch_all", None)

    def fetch_all(self: Any, statements: Any) -> Any:
        return [real(self, [one])[0] for one in statements]

    with patch.object(Backend, "fetch_all", fetch_all, create=True):
        yield


@broken(22)
def _refuses_objects() -> Iterator[None]:
    """A frame is refused when one of its columns has odd values among others."""
    from twoworlds.errors import InvalidInput
    from twoworlds.release.backends.sources import Engines

    real = Engines.source

    def source(self: Engines, dataset: Any) -> Any:
        found = real(self, dataset)
        if "object" in map(str, getattr(found, "dtypes", ())):
            raise InvalidInput("a column holds objects: cast it")
        return found

    with patch.object(Engines, "source", source):
        yield


@broken(24, everywhere=True)
def _takes_lines_for_records() -> Iterator[None]:
    """A text file is read by lines, quoted or not."""
    with suppress(ImportError):
        kind = import_module("twoworlds.release.policy.records").FileRecords
        real = kind._chunks

        def chunks(self: Any) -> Iterator[bytes]:
            for chunk in real(self):
                yield chunk.replace(b'"', b"")

        with patch.object(kind, "_chunks", chunks):
            yield
            return
    yield


@broken(28, everywhere=True)
def _leaves_rights_to_the_umask() -> Iterator[None]:
    """Files are made with the rights that the umask leaves."""
    real = os.open

    def opened(path: Any, flags: int, *_: int, **options: Any) -> int:
        return real(path, flags, **{**options, "mode": 0o666})

    with (
        patch.object(os, "open", opened),
        patch.object(os, "fchmod", lambda *_: None),
        patch.object(os, "chmod", lambda *_, **__: None),
        patch.object(Path, "chmod", lambda *_, **__: None),
    ):
        yield
