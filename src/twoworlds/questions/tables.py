"""Questions about published tables of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from twoworlds.errors import InvalidInput, Undecided
from twoworlds.questions import Name
from twoworlds.show import Result, Told

_WEIGHTS = "'AIDS=1/100, Flu=1/4', or a CSV file of values and weights"


def anonymity(
    file: Annotated[str, "a CSV, TSV or Parquet file, or a bundled example"],
    quasi: Annotated[
        str | None, "the columns that an attacker may know: zip,age,nationality"
    ] = None,
    sensitive: Annotated[str | None, "the column to be protected"] = None,
    k: Annotated[str | None, "claim: every group has at least this many people"] = None,
    l_: Annotated[str | None, "claim: at least this many sensitive values in every group"] = None,
    entropy: Annotated[str | None, "claim: e to the entropy of a group is at least this"] = None,
    recursive: Annotated[str | None, "claim: recursive (c, l)-diversity, such as 3,2"] = None,
    t: Annotated[str | None, "claim: no group is further than this from the whole table"] = None,
    distance: Annotated[
        str | None, "equal or ordered; by default ordered if all sensitive values are numbers"
    ] = None,
    subsets: Annotated[bool, "measure every part of the quasi-identifier, too"] = False,
    make: Annotated[str | None, "make the table K-anonymous, with the least loss"] = None,
    hierarchies: Annotated[Path | None, "how columns may be coarsened, as YAML"] = None,
    suppression: Annotated[
        str | None, "the share of people whom --make may leave out: 0 if left out"
    ] = None,
    loss: Annotated[
        str | None,
        "the loss that --make keeps smallest, certainty or discernibility: certainty if left out",
    ] = None,
    keep: Annotated[str | None, "further columns that --make publishes as they are: a,b"] = None,
    output: Annotated[
        Path | None, "where --make writes; a table that fails a claim is not written"
    ] = None,
) -> Result:
    """Measure how anonymous a table is and whom it exposes, or make it k-anonymous."""
    from twoworlds.attacks.tables.anonymity import check_extent, examine
    from twoworlds.attacks.tables.measures import read_claims
    from twoworlds.attacks.tables.table import named_columns

    columns = None if quasi is None else named_columns(quasi, "--quasi", sensitive)
    claims: dict[str, Any] = {"k": k, "diversity": l_, "entropy": entropy, "closeness": t}
    claims |= {"recursive": _pair(recursive), "distance": distance}
    if make is None:
        _refuse_without_make(
            {
                "--hierarchies": hierarchies,
                "--output": output,
                "--suppression": suppression,
                "--loss": loss,
                "--keep": keep,
            }
        )
        if columns is None:
            raise InvalidInput("name the columns that an attacker may know: --quasi zip,age")
        found = examine(file, columns, sensitive, **claims, subsets=subsets)
        _check_decided(found)
        return _with_notes(found, [file])

    from twoworlds.attacks.tables.anonymisation import anonymise

    chosen = _hierarchies(hierarchies, columns)
    if output is not None:
        _check_output(output, {"the table": Path(file), "the file of hierarchies": hierarchies})
    asked = subsets or {*claims.values()} != {None}
    claims |= {"k": k or make, "distance": distance or "equal"}
    read_claims(**claims, sensitive=sensitive)  # before the work
    check_extent(list(chosen), subsets=subsets)
    made = anonymise(
        file,
        chosen,
        make,
        sensitive=sensitive,
        suppression=suppression or "0",
        diversity=l_,
        closeness=t,
        loss=loss or "certainty",
        keep=() if keep is None else named_columns(keep, "--keep"),
    )
    examined = None
    if made.left_out < made.people or asked:
        examined = made.examined(**claims, subsets=subsets)
        _check_decided(examined)
    told = Told(made.answer(examined), {**made.fields(), "anonymity": examined})
    if output is None:
        return told
    if examined is not None and examined.holds is False:
        note = f"{output} was not written: a claim does not hold"
        return told.beside(notes=[note], output=None)
    return told.beside(files={"output": made.write(output)})


def composition(
    tables: Annotated[list[Path], "CSV, TSV or Parquet files"],
    sensitive: Annotated[str, Name("the column that is attacked")],
    know: Annotated[
        list[str] | None, "what is known of the person, as COLUMN=VALUE; repeat it"
    ] = None,
    belief: Annotated[
        str, "independent; or consistent, which compares rows of different tables as well"
    ] = "independent",
    prior: Annotated[
        str | None, f"how likely the person's values are beforehand: {_WEIGHTS}"
    ] = None,
    population: Annotated[str | None, f"how common values are among all others: {_WEIGHTS}"] = None,
    everyone: Annotated[
        Path | None,
        "attack everybody of a file of known people instead; guesses are compared with the "
        "sensitive values that it gives",
    ] = None,
    on: Annotated[
        str | None, "with --everyone: the columns that are known, such as zip,age"
    ] = None,
    details: Annotated[bool, "with --json: print all of it, not only candidates"] = False,
) -> Result:
    """Combine several anonymised tables to find out about a person who is in all of them."""
    if everyone is not None:
        from twoworlds.attacks.tables.exposure import expose

        if know or belief != "independent":
            raise InvalidInput(
                "--everyone takes what is known from the register, and compares no rows of "
                "different tables: leave out --know and --belief"
            )
        found = expose(tables, everyone, sensitive, on=on, prior=prior, population=population)
        return _with_notes(found, [*tables, everyone])
    from twoworlds.attacks.tables.composition import compose

    if on is not None:
        raise InvalidInput("--on names columns of a register: give --everyone as well, or --know")
    one = compose(
        tables, _known(know or []), sensitive, belief=belief, prior=prior, population=population
    )
    said = Told(one.answer(), one.data if details else one.data["posterior"])
    return _with_notes(said, tables)


def linkage(
    register: Annotated[Path, "people with names: CSV, TSV or Parquet"],
    table: Annotated[Path, "the published table, raw or generalised"],
    on: Annotated[
        str, Name("the columns that both have, such as zip,age; one with a comma in double quotes")
    ],
    sensitive: Annotated[str | None, "a column of the table that is attacked"] = None,
) -> Result:
    """Link a register of names to a published table, and count who is found."""
    from twoworlds.attacks.tables.linkage import link

    return _with_notes(link(register, table, on, sensitive=sensitive), [register, table])


def _with_notes(found: Result, paths: Sequence[str | Path]) -> Result:
    """Say which files are bundled examples."""
    from twoworlds.attacks.tables.table import example_note

    notes = dict.fromkeys(note for path in paths if (note := example_note(path)) is not None)
    return found.beside(notes=[*notes])


def _check_decided(found: Any) -> None:
    for text, holds, seen in found.claims:
        if holds is None:
            raise Undecided(f"undecided: whether the table is {text}; {seen}")


def _known(pairs: Sequence[str]) -> dict[str, str]:
    known: dict[str, str] = {}
    for pair in pairs:
        column, equals, value = pair.partition("=")
        column = column.strip()
        if not equals or not column:
            raise InvalidInput(f"--know {pair}: write a column and its value, such as age=28")
        if column in known:
            raise InvalidInput(
                f"--know {column} is given twice: write several values as {column}='a|b'"
            )
        known[column] = value
    return known


def _pair(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    first, comma, second = text.partition(",")
    if not comma:
        raise InvalidInput(f"--recursive {text}: give c and l, such as 3,2")
    return first.strip(), second.strip()


def _refuse_without_make(options: Mapping[str, object]) -> None:
    given = [name for name, value in options.items() if value is not None]
    if given:
        belong = "belongs" if len(given) == 1 else "belong"
        raise InvalidInput(
            f"{' and '.join(given)} {belong} to --make K, which makes a table anonymous: give that "
            "as well"
        )


def _hierarchies(path: Path | None, columns: Sequence[str] | None) -> dict[str, Any]:
    """Read the hierarchies of the columns, of all that are declared if none are named."""
    from twoworlds.attacks.tables.hierarchies import read_hierarchies

    if path is None:
        raise InvalidInput("--make needs to know how columns may be coarsened: --hierarchies FILE")
    declared = read_hierarchies(path)
    for column in columns or ():
        if column not in declared:
            raise InvalidInput(
                f"{path} declares no hierarchy for {column}: add one, such as {column}: suppress"
            )
    return {column: declared[column] for column in columns or declared}


def _check_output(output: Path, sources: Mapping[str, Path | None]) -> None:
    """Refuse to write over what is read, by whatever name or link it goes."""
    from twoworlds.files import check_place

    check_place(output)
    for what, source in sources.items():
        if source and output.exists() and source.exists() and output.samefile(source):
            raise InvalidInput(
                f"-o {output} is {what} itself, which would be lost: give another name"
            )
