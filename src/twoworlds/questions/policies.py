"""Questions to the owner of data: policies, budgets and ledgers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from twoworlds.answer import Answer, Block, Said, Table
from twoworlds.errors import Interrupted, InvalidInput, UnknownName
from twoworlds.files import check_place, write
from twoworlds.numbers import counted
from twoworlds.questions import Name, Place, Written
from twoworlds.questions.releases import PolicyFile
from twoworlds.show import Result, Told

if TYPE_CHECKING:
    from twoworlds.release.ledger.journal import Location
    from twoworlds.release.policy.examination import Examination
    from twoworlds.release.policy.imports import Imported
    from twoworlds.release.policy.model import Dataset


Ledger = Annotated[str, "a policy file, the ledger's file, or postgresql://..."]
LedgerOrExport = Annotated[str, Place("a policy file, the ledger, or an exported .jsonl file")]
Header = Annotated[bool | None, "whether the first line names the columns"]
Encoding = Annotated[str | None, "of the text, such as latin-1; UTF-8 or by its mark otherwise"]
Delimiter = Annotated[str | None, "between values, such as ';' or tab; a comma otherwise"]
Kinds = Annotated[
    list[str] | None, "COLUMN=KIND: integer, number, text, boolean or date; repeat it"
]
Skip = Annotated[bool, "leave out records that cannot be read"]
Replace = Annotated[bool, "replace a Parquet file that no import made"]


_FILL_IN = "fill in what is in capitals, and the budget, then check it:"
_EXPORTED = ("an export cannot tell whether entries after its last one are missing",)

# --- budgets and ledgers ------------------------------------------------------------------------


def budget(
    policy: PolicyFile = Path("policy.yml"),
    dataset: Annotated[str | None, "only this dataset"] = None,
) -> Result:
    """Show what each dataset may spend, what was spent and what is left."""
    from twoworlds.release.answers.words import printable
    from twoworlds.release.budget import Cap
    from twoworlds.release.costs import Cost
    from twoworlds.release.ledger.views import (
        account_table,
        analysts,
        budgets,
        learned_lines,
        policy_state,
    )
    from twoworlds.release.policy import read_policy

    read = read_policy(policy)
    if dataset is not None:
        read.dataset(dataset)
    datasets = [one for one in budgets(read) if dataset in (None, one["dataset"])]
    table = account_table(datasets)
    old = [
        f"{who}, not in the policy any more, spent {Cap(Cost()).used(spent).cost.shown()} of "
        f"{name}, and that still counts for {name}."
        for (name, who), spent in policy_state(read).spent.items()
        if who is not None
        and dataset in (None, name)
        and name in read.datasets
        and who not in analysts(read.dataset(name))
    ]
    old += [
        f"{name} is in the ledger and not in the policy. If its people are also in "
        f"{' or '.join(read.datasets)}, add what was spent on it: "
        f"{Cap(Cost()).used(spent).cost.shown()}."
        for (name, who), spent in policy_state(read).spent.items()
        if who is None and dataset is None and name not in read.datasets
    ]
    lines = (Said([*map(printable, old)]),) if old else ()
    told = Answer(_left(table), blocks=(table, learned_lines(datasets), *lines))
    return Told(told, {"datasets": datasets})


def _left(table: Table) -> str:
    """Say in a sentence what is left of each dataset."""
    left = {row[0]: row[4] for row in reversed(table.rows)}  # everybody's row is a dataset's first
    told = [f"{name} {left[name] or 'without a budget'}" for name in reversed(left)]
    return f"Left: {'; '.join(told)}." if told else "No dataset has an account."


def ledger_show(where: LedgerOrExport = "policy.yml") -> Result:
    """Show the accounts, and how many releases were charged and answered."""
    from twoworlds.release.ledger.views import (
        account_table,
        learned_lines,
        read_export,
        verify_export,
    )
    from twoworlds.release.ledger.views import show as summary

    if Path(where).suffix == ".jsonl":
        found = verify_export(read_export(where))
    else:
        found = summary(_located(where))
    old = _mark_old(found["datasets"], where) if _is_policy(where) else []
    lines = old + [
        f"Entry {one['entry']}, asked of {one['dataset']} by {', '.join(one['analysts'])}, is paid "
        "and not answered: the same query again costs nothing more. twoworlds review says what it "
        "asks."
        for one in found["open"]
    ]
    unanswered = [Said(lines)] if lines else []
    opened = counted(found["strategies"], "strategy was", "strategies were")
    strategies = f"; {opened} opened" if found["strategies"] else ""
    said = Answer(
        f"{counted(found['entries'], 'entry')}; charged {found['charges']:,}, answered "
        f"{found['answered']:,}, {found['expired']:,} closed without an answer{strategies}.",
        blocks=(account_table(found["datasets"]), learned_lines(found["datasets"]), *unanswered),
        notes=(f"last hash {found['hash']}", *_EXPORTED[: Path(where).suffix == ".jsonl"]),
    )
    return Told(said, found)


def _mark_old(datasets: list[dict[str, Any]], policy: str) -> list[str]:
    """Mark the accounts that the ledger keeps and the policy has no more; say what that means."""
    from twoworlds.release.answers.words import printable
    from twoworlds.release.ledger.views import analysts
    from twoworlds.release.policy import read_policy

    declared, said = read_policy(policy).datasets, []
    for one in datasets:
        name = one["dataset"]
        if name not in declared:
            one["in_policy"] = False
            said.append(f"{name} is not in the policy: nothing can be asked of it now.")
            continue
        known = analysts(declared[name]) if declared[name].cap else {}
        for each in one["analysts"]:
            if each["analyst"] not in known:
                each["in_policy"] = False
                said.append(
                    f"{each['analyst']} can ask nothing of {name} now; what was spent still counts "
                    f"for {name}."
                )
    return [*map(printable, said)]


def ledger_verify(where: LedgerOrExport = "policy.yml") -> Result:
    """Verify every entry of a ledger; exit 1 at the first one that is wrong."""
    from twoworlds.release.errors import LedgerDamaged
    from twoworlds.release.ledger.views import ExportedLedger, policy_state, summary, verify
    from twoworlds.release.policy import read_policy

    notes: tuple[str, ...] = ()
    if Path(where).suffix == ".jsonl":
        notes = _EXPORTED
        try:
            state = ExportedLedger(where).state()
            found: dict[str, Any] = {"ok": True, **summary(state)}
            found |= {"changes": state.changes, "exceeded": state.exceeded()}
        except LedgerDamaged as error:
            found = {"ok": False, "problem": str(error)}
    else:
        found = verify(_located(where))
        if found["ok"] and _is_policy(where):
            found["exceeded"] = policy_state(read_policy(where)).exceeded()
    holds = found.pop("ok")
    said = f"The ledger does NOT hold: {found.get('problem')}"
    if holds:
        said = (
            f"The ledger holds: {counted(found['entries'], 'entry')}, each with the hash of the "
            "one before, and no charge exceeded the budget of its time."
        )
        notes = (*found["changes"], *found["exceeded"], *notes)
    return Told(Answer(said, holds=holds, notes=notes), {"holds": holds, **found})


def ledger_export(
    where: Ledger, file: Annotated[Path, Written("a .jsonl file to write")]
) -> Result:
    """Export all entries, one JSON object to a line, for `verify` and for safekeeping."""
    from twoworlds.release.ledger.views import export, write_export

    check_place(file)
    count = write_export(file, export(_located(where)))
    return Told(
        Answer(f"wrote {file}: {counted(count, 'entry')}"), {"file": file, "entries": count}
    )


def ledger_remark(
    where: Ledger, reason: Annotated[str, Name("why the mark is missing; kept in the ledger")]
) -> Result:
    """Make a new mark for a ledger that lost its own, if you know this is the newest copy."""
    from twoworlds.release.ledger.journal import remark

    remark(_located(where), reason=reason)
    return Told(Answer("made a new mark; the reason stands in the ledger"), {"remarked": True})


def _is_policy(where: str) -> bool:
    return Path(where).suffix.lower() in (".yml", ".yaml")


def _located(where: str) -> str | Location:
    """Return the place of a ledger, and of its mark where a policy says it."""
    if not _is_policy(where):
        return where
    from twoworlds.release.ledger.views import ledger_of
    from twoworlds.release.policy import read_policy

    return ledger_of(read_policy(where))


# --- policies -----------------------------------------------------------------------------------


def policy_check(
    file: Annotated[Path, Place("the policy file")] = Path("policy.yml"),
    data: Annotated[bool, "report what the data are like, for their owner alone"] = False,
) -> Result:
    """Check a policy against the data: list what it declares, or everything that is wrong."""
    from twoworlds.release.ledger.views import ledger_of
    from twoworlds.release.policy.checking import checked
    from twoworlds.release.policy.reading import read_with_faults

    read, faults = read_with_faults(file)
    found, others = checked(read, data=data)
    try:
        ledger_of(read)
    except InvalidInput as error:
        others.append(str(error))
    if faults or others:
        raise InvalidInput("\n".join(faults + others))
    doubts = [doubt for one in found for doubt in one.fields()["doubts"]]
    blocks: list[Block] = [Said([f"Doubt: {doubt}" for doubt in doubts])] if doubts else []
    for one in found:
        said = one.answer()
        blocks += [Said([said.headline]), *said.blocks]
    verdict = (
        f"it can be used, with {counted(len(doubts), 'doubt')}"
        if doubts
        else "nothing is wrong with it"
    )
    note = "--data compares keys and bounds with the values, too"
    told = Answer(f"{file}: {verdict}.", holds=True, blocks=blocks, notes=() if data else (note,))
    return Told(told, {"file": file, "holds": True, "datasets": found})


def policy_new(
    data: Annotated[str, "a .parquet, .duckdb or .sqlite file; a .csv or .tsv is imported"],
    file: Annotated[Path, Written("the policy file to write")] = Path("policy.yml"),
    name: Annotated[str, "what queries call the table"] = "people",
    table: Annotated[str | None, "the table in a .duckdb or .sqlite file"] = None,
    kind: Kinds = None,
    header: Header = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    skip_unreadable: Skip = False,
    replace: Replace = False,
) -> Result:
    """Write a first policy from the names and types of the columns, importing a text file."""
    from twoworlds.release.backends.sources import text_file_of
    from twoworlds.release.policy.checking import draft
    from twoworlds.release.policy.imports import import_text
    from twoworlds.release.policy.model import Column, Dataset

    if file.exists():
        raise InvalidInput(f"{file} is there already: give another name")
    check_place(file)
    if text_file_of(data) is None:
        if kind or encoding or delimiter or header is not None:
            raise InvalidInput(
                f"{data} is not a text file: --kind, --header, --encoding and --delimiter say how "
                "one is read"
            )
        write(file, draft(data, name, file, table=table))
        written = f"wrote {file}: {_FILL_IN} `twoworlds policy check {file}`"
        return Told(Answer(written), {"file": file})
    asks = sys.stdin is not None and sys.stdin.isatty()
    imported = import_text(
        Path(data),
        kinds=_kinds(kind),
        expected=[*_kinds(kind)],
        header=header,
        encoding=encoding,
        delimiter=delimiter,
        skip_unreadable=skip_unreadable,
        replace=replace,
        ask=_ask if asks else None,
    )
    columns = {column: Column(column, declared) for column, declared in imported.kinds.items()}
    found = _examined(Dataset(name, str(imported.target), "add-remove", columns=columns), imported)
    write(file, draft(str(imported.target), name, file))
    next_step = (
        f"wrote {imported.target} and {file}: {_FILL_IN} `twoworlds policy check {file} --data`"
    )
    said = found.answer()
    told = Answer(said.headline, blocks=said.blocks, notes=(next_step,))
    return Told(told, {"file": file, "data": imported.target, "report": found})


def policy_import(
    data: Annotated[Path, "a .csv or .tsv file"],
    policy: PolicyFile = Path("policy.yml"),
    dataset: Annotated[str | None, "which dataset it is, if the policy has several"] = None,
    public: Annotated[str | None, "which public table of the dataset it is, if one"] = None,
    kind: Kinds = None,
    header: Header = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    skip_unreadable: Skip = False,
    replace: Replace = False,
) -> Result:
    """Import a text file as typed Parquet, as a policy declares its columns."""
    from twoworlds.release.backends.sources import text_file_of
    from twoworlds.release.policy.examination import as_dataset
    from twoworlds.release.policy.imports import import_text
    from twoworlds.release.policy.reading import read_with_faults

    if text_file_of(data) is None:
        raise InvalidInput(f"{data} is not a text file (.csv, .tsv): only those are imported")
    read, faults = read_with_faults(policy, text_sources=True)
    if faults:
        raise InvalidInput("\n".join(faults))
    if dataset is None and len(read.datasets) > 1:
        raise InvalidInput(f"say which it is with --dataset: {', '.join(read.datasets)}")
    declared = one = read.dataset(next(iter(read.datasets)) if dataset is None else dataset)
    key = set()
    if public is not None:
        if public not in one.public:
            raise UnknownName("public table", public, one.public)
        declared, key = as_dataset(one.public[public]), {one.public[public].key}
    known = {column.name: str(column.kind) for column in declared.columns.values()}
    imported = import_text(
        data,
        kinds={**_kinds(kind), **known},
        expected=key | {*known},
        header=header,
        encoding=encoding,
        delimiter=delimiter,
        skip_unreadable=skip_unreadable,
        replace=replace,
    )
    found = _examined(declared, imported)
    notes = [f"wrote {imported.target}"]
    if text_file_of(declared.source) is not None:
        notes.append(
            f"Next: write {imported.target.name} instead of {data.name} as the source of "
            f"{declared.name} in {policy}"
        )
    elif not _is_source(imported.target, declared.source, read.folder):
        notes.append(
            f"The source of {declared.name} in {policy} is {declared.source}, and stays so: to "
            f"release from the new data, write source: {imported.target.name}"
        )
    if public is None:
        notes.append(
            f"If these data are other than before, give {declared.name} another version: in "
            f"{policy}, since a stored answer is repeated for the same version "
            f"(now {one.version!r})"
        )
    said = found.answer()
    told = Answer(said.headline, blocks=said.blocks, notes=notes)
    return Told(told, {"data": imported.target, "report": found})


def _is_source(target: Path, source: Any, folder: Path) -> bool:
    """Whether a dataset is read from a file."""
    return isinstance(source, str) and (folder / source).resolve() == target.resolve()


def _examined(dataset: Dataset, imported: Imported) -> Examination:
    from twoworlds.release.backends import open_backend
    from twoworlds.release.policy.examination import examine

    backend, relation = open_backend(imported.target)
    try:
        return examine(dataset, backend, relation).after_import(imported)
    finally:
        backend.close()


def _kinds(said: Sequence[str] | None) -> dict[str, str]:
    """Read COLUMN=KIND, where the name of a column may hold signs of equality."""
    found = {}
    for one in said or ():
        name, sign, kind = one.rpartition("=")
        if not sign or not name:
            raise InvalidInput(f"--kind {one}: write COLUMN=KIND, such as age=integer")
        found[name] = kind
    return found


def _ask(names: Sequence[str]) -> bool:
    """Ask whether the first line has names; on standard error, beside the answer."""
    from click import Abort, confirm

    first = ", ".join(map(repr, names))
    question = f"The first line reads: {first}\nAre these the names of the columns?"
    try:
        return confirm(question, default=None, err=True)
    except Abort:
        raise Interrupted(
            "nothing was written; --header or --no-header answers beforehand"
        ) from None
