"""Printing row cones, membership, statements and odds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.padding import Padding
from rich.text import Text

from twoworlds.cli.render import (
    console,
    print_answer,
    print_json,
    print_saved,
    print_table,
    progress,
    save_picture,
)
from twoworlds.cones import (
    NoiseCone,
    PerRecordCone,
    RowCone,
    build_source,
    consistent_normal_form_contains,
    example,
    example_statements,
    frapp_row_cone,
    grouped,
    inverse,
    largest_odds,
    noise_cone,
    noise_statements,
    row_cone,
)
from twoworlds.cones.certificates import Certificate
from twoworlds.cones.kernel.vectors import rational
from twoworlds.cones.row_cone import LARGEST_DIMENSION
from twoworlds.cones.structure.kronecker import Frapp
from twoworlds.definitions import PrivacyDefinition
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.files import check_place, write
from twoworlds.mechanisms import Mechanism, PerRecord
from twoworlds.mechanisms.base import FINITE_OUTPUTS
from twoworlds.mechanisms.named import mechanism as build_mechanism
from twoworlds.report import draw_cone

__all__ = [
    "show_cone",
    "show_inverse",
    "show_member",
    "show_odds",
    "show_row",
    "show_statements",
    "write_proof",
]

_LONGEST = 40

Cone = RowCone | PerRecordCone | NoiseCone


def find_cone(
    source: str, universe: str | None, *, exact: bool = False, facet: bool = False
) -> Cone:
    """Build the cone of what was typed, by structure where it is too large to list."""
    built = build_source(source, universe)
    if isinstance(built, Mechanism):
        if built.universe.size is None:
            return noise_cone(built)
        if isinstance(built, PerRecord) and (facet or built.universe.size > LARGEST_DIMENSION):
            return PerRecordCone.of(built)
    if exact and isinstance(built, Frapp):
        if built.universe is None:
            raise InvalidInput("--exact needs frapp(gamma=..., values=..., records=...)")
        return frapp_row_cone(built.gamma, len(built.universe.values), built.universe.n)
    return row_cone(built, universe)


def listed_cone(source: str, universe: str | None) -> RowCone:
    """Build a cone whose inequalities can be listed, or say why not."""
    found = find_cone(source, universe)
    if isinstance(found, NoiseCone):
        raise InvalidInput(
            f"{source} has infinitely many databases: use finitely many, as in "
            f"{FINITE_OUTPUTS}, or ask for its cone or its statements"
        )
    if isinstance(found, PerRecordCone):
        raise TooLarge(
            f"{source} has too many databases to list: use fewer records, or ask for its "
            "statements or odds, which are found by structure"
        )
    return found


def write_proof(path: Path | None, data: Any) -> dict[str, str]:
    """Write a certificate or a cone as JSON if a file was named; return what JSON says of it."""
    if path is None:
        return {}
    write(check_proof(path), json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    return {"saved": str(path)}


def check_proof(path: Path) -> Path:
    """Return the path of a proof that can be written, or say why not."""
    if path.suffix.lower() != ".json":
        raise InvalidInput(f"{path} does not end in .json, the form in which proofs are saved")
    return check_place(path)


# --- cone ---------------------------------------------------------------------------------------


def show_cone(
    source: str,
    *,
    universe: str | None,
    exact: bool,
    facet: str | None,
    save: Path | None,
    picture: Path | None,
    as_json: bool,
) -> None:
    """Print facets and rays."""
    with progress():
        found = find_cone(source, universe, exact=exact, facet=facet is not None)
        if facet is not None:
            _show_facet(found, facet, as_json=as_json)
            return
        data = found.to_dict()
    saved = write_proof(save, data)
    if picture is not None and not isinstance(found, RowCone):
        raise InvalidInput("--picture draws a cone of two or three databases")
    if isinstance(found, RowCone):
        saved |= save_picture(picture, lambda: draw_cone(found))
    if as_json:
        print_json({**data, **saved})
        return
    if isinstance(found, RowCone):
        _print_cone(found)
    else:
        console().print(Text(found.explain()))
    print_saved(saved)


def _print_cone(found: RowCone) -> None:
    out = console()
    out.print(Text(found.source, style="bold"))
    facets, rays = found.inequalities(), found.generators()
    what = "likelihood rows x" if found.approximation is None else "rows x (more than can occur)"
    out.print(
        Padding(
            Text(
                f"Over {found.universe.expression}, the {what} with the "
                f"{_count(len(facets), 'guarantee')} below are the combinations of "
                f"{_count(len(rays), 'extreme row')}. x with a database's name is the probability "
                "of the output there."
            ),
            (1, 0, 1, 2),
        )
    )
    _print_list("guarantees", [inequality.text() for inequality in facets])
    _print_list(
        f"extreme rows, over {', '.join(found.columns)}"
        if len(found.columns) <= 16
        else "extreme rows",
        ["  ".join(map(str, ray)) for ray in rays],
    )
    if found.approximation is not None:
        out.print(Padding(Text(f"approximation: {found.approximation}"), (0, 0, 0, 2)))
    if found.note is not None:
        out.print(Padding(Text(f"note: {found.note}"), (0, 0, 0, 2)))


def _print_list(name: str, lines: Sequence[str]) -> None:
    out = console()
    out.print(Padding(Text(name, style="dim"), (0, 0, 0, 2)))
    for line in lines[:_LONGEST]:
        out.print(Padding(Text(line), (0, 0, 0, 4)))
    if len(lines) > _LONGEST:
        more = f"... and {len(lines) - _LONGEST} more: use --json or --save"
        out.print(Padding(Text(more, style="dim"), (0, 0, 0, 4)))
    out.print()


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


def _show_facet(found: Cone, output: str, *, as_json: bool) -> None:
    if not isinstance(found, PerRecordCone):
        raise InvalidInput(
            "--facet is for a mechanism with one transition per record, such as "
            "'randomized-response(bits=2, keep=3/4)'"
        )
    inequality = found.inequality(output)
    if as_json:
        print_json({"source": found.source, "output": output, "text": inequality.text()})
    else:
        console().print(Text(inequality.text()))


def show_inverse(source: str, *, universe: str | None, as_json: bool) -> None:
    """Print the inverse of a mechanism's matrix."""
    built = build_source(source, universe)
    if not isinstance(built, Mechanism):
        raise InvalidInput(f"{source} is a definition, which has no matrix: name a mechanism")
    found = inverse(built)
    if as_json:
        print_json(found.to_dict())
        return
    outputs, universe_ = found.mechanism.outputs, found.mechanism.universe
    pairs = zip(universe_, found.rows, strict=True)
    rows = [[universe_.label(x), *map(str, row)] for x, row in pairs]
    console().print(Text(f"{found.mechanism.expression}: the inverse, one column per output"))
    print_table(
        ["", *(outputs.label(output) for output in outputs)],
        [*rows, ["norm", *map(str, found.column_norms)]],
    )


# --- member -------------------------------------------------------------------------------------


def show_member(
    candidate: str, bases: Sequence[str], *, universe: str | None, save: Path | None, as_json: bool
) -> int:
    """Print whether a mechanism is in the normal form of mechanisms, or satisfies a definition."""
    built = build_mechanism(candidate, universe=universe)
    trusted = [build_source(base, universe) for base in bases]
    if len(trusted) == 1 and isinstance(trusted[0], PrivacyDefinition):
        verdict = trusted[0].check(built)
    else:
        mechanisms = [base for base in trusted if isinstance(base, Mechanism)]
        if len(mechanisms) < len(trusted):
            raise InvalidInput("--of takes one definition, or mechanisms only")
        with progress():
            verdict = consistent_normal_form_contains(built, mechanisms)
    saved = {}
    if save is not None:
        proof = getattr(verdict.witness, "certificate", None)
        if not isinstance(proof, Certificate):
            proof = _rows_proof(built, row_cone(trusted[0], built.universe))
        saved = write_proof(save, proof.to_dict())
    if as_json:
        print_json({**verdict.to_dict(), **saved})
    else:
        print_answer(verdict.answer())
        print_saved(saved)
    return 0 if verdict else 1


def _rows_proof(mechanism: Mechanism, cone: RowCone) -> Certificate:
    """Prove row by row that a mechanism satisfies a definition, or that one row does not."""
    parts = []
    for output in mechanism.outputs:
        row = mechanism.row(output)
        found = cone.contains([row[x] for x in cone.universe])
        if not found:
            return found.certificate
        parts.append(found.certificate)
    return Certificate("all", {"parts": parts, "claim": f"{mechanism.expression}: {cone.source}"})


def show_row(
    row: str, bases: Sequence[str], *, universe: str | None, save: Path | None, as_json: bool
) -> int:
    """Print whether a likelihood row can occur."""
    entries = [entry.strip() for entry in row.split(",")]
    if len(bases) == 1:
        cone = listed_cone(bases[0], universe)
    else:
        built = [build_source(base, universe) for base in bases]
        mechanisms = [base for base in built if isinstance(base, Mechanism)]
        if len(mechanisms) < len(built):
            raise InvalidInput("--of takes one definition, or mechanisms only")
        cone = row_cone(mechanisms)
    found = cone.contains(entries)
    broken = cone.separating(entries)
    saved = write_proof(save, found.certificate.to_dict())
    if as_json:
        print_json(
            {
                "row": entries,
                "columns": list(cone.columns),
                "of": cone.source,
                "holds": bool(found),
                "breaks": None if broken is None else broken.to_dict(),
                "certificate": found.certificate.to_dict(),
                **saved,
            }
        )
    else:
        out = console()
        out.print(Text(f"({', '.join(entries)}) over {', '.join(cone.columns)}", style="bold"))
        if not any(map(rational, entries)):
            out.print(Text("is the row of an output that never occurs: every cone holds it"))
        elif broken is None:
            out.print(Text(f"can be the likelihood row of an output of {cone.source}, scaled"))
        else:
            value = broken.value(entries)
            out.print(
                Text(
                    f"can NOT occur under {cone.source}: it breaks {broken.text()} "
                    f"(the difference is {value})"
                )
            )
        print_saved(saved)
    return 0 if found else 1


# --- statements and odds ------------------------------------------------------------------------


def show_statements(source: str, *, universe: str | None, every: bool, as_json: bool) -> None:
    """Print what the inequalities say about attackers."""
    with progress():
        found = find_cone(source, universe)
        if isinstance(found, NoiseCone):
            listed = noise_statements(found)
            if as_json:
                print_json({"source": found.source, "statements": [s.to_dict() for s in listed]})
                return
            _print_statements(found.source, [s.sentence for s in listed])
            for derivation in (d for s in listed for d in (s.derivation or ())[:1]):
                console().print(Padding(Text(f"Why: {derivation.explain()}"), (0, 0, 1, 4)))
            return
        if isinstance(found, PerRecordCone):
            _show_example(found, as_json=as_json)
            return
        groups = grouped(found.statements())
    if as_json:
        print_json(
            {
                "source": found.source,
                "universe": found.universe.expression,
                "approximation": found.approximation,
                "count": sum(group.count for group in groups),
                "groups": [group.to_dict() for group in groups],
            }
        )
        return
    if every:
        _print_statements(found.source, [s.explain() for g in groups for s in g.statements])
    else:
        _print_statements(found.source, [group.sentence for group in groups])
    if found.approximation is not None:
        console().print(Padding(Text(f"approximation: {found.approximation}"), (0, 0, 0, 2)))


def _show_example(found: PerRecordCone, *, as_json: bool) -> None:
    """Print one of very many statements that are alike."""
    if not as_json:
        _print_statements(found.source, example_statements(found))
        return
    one = example(found)
    print_json(
        {
            "source": found.source,
            "universe": found.universe.expression,
            "count": found.to_dict()["counts"]["facets"],
            "example": {"kind": one.kind, "sentence": one.sentence},
        }
    )


def _print_statements(source: str, sentences: Sequence[str]) -> None:
    out = console()
    out.print(Text(source, style="bold"))
    out.print()
    for sentence in sentences:
        out.print(Padding(Text(sentence), (0, 0, 1, 2)))


def show_odds(
    source: str,
    *,
    of: str,
    against: str | None,
    belief: str,
    universe: str | None,
    save: Path | None,
    as_json: bool,
) -> None:
    """Print the largest factor between the posterior and the prior odds."""
    with progress():
        found = largest_odds(source, of, against, belief, universe=universe)
    saved = write_proof(save, found.certificate.to_dict())
    if as_json:
        print_json({**found.to_dict(), **saved})
    else:
        console().print(Text(found.explain()))
        print_saved(saved)
