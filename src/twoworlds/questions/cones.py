"""Questions about row cones: guarantees as geometry, and the proofs that are saved."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from twoworlds.answer import Answer, Steps
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.files import check_place, write
from twoworlds.questions import Name, Place
from twoworlds.show import Result, Told

if TYPE_CHECKING:
    from twoworlds.cones import NoiseCone, PerRecordCone, RowCone
    from twoworlds.cones.certificates import Certificate
    from twoworlds.definitions import PrivacyDefinition
    from twoworlds.mechanisms import Mechanism
    from twoworlds.worlds import Integers

Source = Annotated[
    str,
    "a mechanism, such as 'randomized-response(bits=2, keep=3/4)', a matrix file, or a "
    "definition, such as 'dp(ratio=3)'",
]
Universe = Annotated[str | None, "the databases that a definition is about, such as 'bits(2)'"]
Proof = Annotated[Path | None, "write the proof to a .json file"]
SaveCone = Annotated[Path | None, "write the cone to .json: linear(FILE) reads it"]


def cone(
    source: Source,
    universe: Universe = None,
    exact: Annotated[bool, "the true row cone where the usual one is larger"] = False,
    facet: Annotated[
        str | None, "one guarantee of a survey too large to list, by its output"
    ] = None,
    inverse: Annotated[bool, "the inverse matrix, and the norms of its columns"] = False,
    also: Annotated[list[str] | None, "another trusted mechanism (repeat it)"] = None,
    save: SaveCone = None,
) -> Result:
    """List the likelihood rows a guarantee allows, as facets and rays."""
    from twoworlds.cones import PerRecordCone, RowCone, row_cone
    from twoworlds.cones import inverse as inverted

    check_files(save)
    if inverse:
        [built] = _mechanisms([source], universe, "a definition, which has no matrix")
        if built.universe.size is not None:  # of noise on all whole numbers, the cone shows it
            return inverted(built)
    found: Result
    if also:
        found = row_cone(_mechanisms([source, *also], universe))
    else:
        found = _cone(source, universe, exact=exact, facet=facet is not None)
    if facet is not None:
        if not isinstance(found, PerRecordCone):
            raise InvalidInput(
                "--facet is for a mechanism with one transition per record, such as "
                "'randomized-response(bits=2, keep=3/4)'"
            )
        text = found.inequality(facet).text()
        return Told(Answer(text), {"source": found.source, "output": facet, "text": text})
    if isinstance(found, RowCone) and found.few_rows:
        found.inequalities(), found.generators()  # they are asked for, however long they take
    return found.beside(files={} if save is None else save_json(save, found.to_dict()))


def member(
    mechanism: Annotated[str | None, Place("the mechanism in question")] = None,
    of: Annotated[list[str] | None, "a trusted mechanism (repeat it), or a definition"] = None,
    row: Annotated[str | None, "a likelihood row instead of a mechanism, such as '3,1,1,3'"] = None,
    universe: Universe = None,
    save: Proof = None,
) -> Result:
    """Decide whether a mechanism follows from trusted ones by post-processing and choice."""
    check_files(save)
    if not of:
        raise InvalidInput("name what is trusted, as in --of 'randomized-response(bits=2)'")
    if (mechanism is None) == (row is None):
        raise InvalidInput(
            "give a mechanism, or a likelihood row with --row '3,1,1,3': one of them"
        )
    if row is not None:
        trusted, where = _on_integers(of[0], universe)
        if len(of) == 1 and where is not None:
            from twoworlds.cones.noise.integers import row_on_integers

            _saved(None, save)
            return row_on_integers(row, trusted, where)
        return _row(row, of, universe, save)
    from twoworlds.cones import build_source, consistent_normal_form_contains, row_cone
    from twoworlds.definitions import PrivacyDefinition

    use = "a definition: compare it with another one by 'twoworlds compare'"
    built = _mechanisms([str(mechanism)], universe, use)[0]
    trusted = build_source(of[0], universe)
    if len(of) == 1 and isinstance(trusted, PrivacyDefinition):
        verdict = trusted.check(built)
    else:
        verdict = consistent_normal_form_contains(built, _mechanisms(of, universe))
    bool(verdict)  # raises where it is undecided
    if save is None:
        return verdict
    proof = getattr(verdict.witness, "certificate", None)
    if proof is None and built.universe.size is not None:
        proof = _rows_proof(built, row_cone(trusted, built.universe))
    return verdict.beside(files=save_json(save, _saved(proof, save)))


def _saved(proof: Certificate | None, save: Path | None) -> Any:
    """Return a certificate as plain data, or say that there is none."""
    if proof is None and save is not None:
        raise InvalidInput(
            f"--save {save}: certificates hold matrices that can be listed, and there are too many "
            "databases or outputs here: leave it out, and keep --json"
        )
    return None if proof is None else proof.to_dict()


def _rows_proof(mechanism: Mechanism, cone: RowCone) -> Certificate:
    """Prove row by row that a mechanism satisfies a definition, or that one row does not."""
    from twoworlds.cones.certificates import Certificate

    parts = []
    for output in mechanism.outputs:
        row = mechanism.row(output)
        found = cone.contains([row[x] for x in cone.universe])
        if not found:
            return found.certificate
        parts.append(found.certificate)
    return Certificate("all", {"parts": parts, "claim": f"{mechanism.expression}: {cone.source}"})


def _row(row: str, of: Sequence[str], universe: str | None, save: Path | None) -> Result:
    """Say whether a likelihood row can occur."""
    from twoworlds.cones import build_source, row_cone
    from twoworlds.cones.compare import occurs
    from twoworlds.cones.noise.integers import on_two_answers

    one = len(of) == 1
    entries = [entry.strip() for entry in row.split(",")]
    if one and (wedge := on_two_answers(build_source(of[0], universe))) is not None:
        _saved(None, save)
        return wedge.row(entries)
    cone = _listed(of[0], universe) if one else row_cone(_mechanisms(of, universe))
    if ":" in row:
        raise InvalidInput(
            f"--row '{row}': {cone.universe.expression} has finitely many databases: give a number "
            f"for each, as in --row '{','.join('1' * len(cone.columns))}'"
        )
    found = occurs(entries, cone, [build_source(text, universe) for text in of])
    return found.beside(files=save_json(save, found.fields()["certificate"].to_dict()))


def statements(
    source: Source,
    universe: Universe = None,
    all_: Annotated[bool, "every statement, not one of each kind"] = False,
) -> Result:
    """Say in words which attackers are kept from learning what."""
    from twoworlds.cones import (
        NoiseCone,
        PerRecordCone,
        example,
        example_statements,
        grouped,
        noise_statements,
    )

    found = _cone(source, universe)
    if isinstance(found, Told):
        return found
    about: dict[str, Any] = {"source": found.source}
    if isinstance(found, NoiseCone):
        listed = noise_statements(found)
        said = [(one.sentence, one.answer().notes) for one in listed]
        headline = f"{found.source} gives guarantees against attackers at every whole number."
        return _told(headline, said, {**about, "statements": listed})
    about["universe"] = found.universe
    if isinstance(found, PerRecordCone):
        one, count = example(found), found.fields()["counts"]["facets"]
        if one.kind == "probability":
            count = 0
        data = {**about, "count": count, "example": {"kind": one.kind, "sentence": one.sentence}}
        first, *more = example_statements(found)
        return _told(_given(found.source, count), [(first, ())], data, more)
    groups = grouped(found.statements())  # that a probability is not negative is no guarantee
    count = sum(group.count for group in groups if group.kind != "probability")
    said = [(group.sentence, ()) for group in groups]
    if all_:
        every = [one for group in groups for one in group.statements]
        said = [(one.sentence, one.explain().splitlines()[1:]) for one in every]
    data = {**about, "approximation": found.approximation, "count": count, "groups": groups}
    rough = [f"approximation: {found.approximation}"] if found.approximation else []
    return _told(_given(found.source, count), said, data, rough)


def _given(source: str, count: int | str) -> str:
    """Say how many guarantees there are; a number too long to print is a text, such as 2^100."""
    many = f"{count or 'no'} {'guarantee' if count in (0, 1) else 'guarantees'}"
    return f"{source} gives {many} against attackers."


def _told(
    headline: str,
    said: Sequence[tuple[str, Sequence[str]]],
    data: Mapping[str, Any],
    notes: Sequence[str] = (),
) -> Result:
    steps = [(sentence, [remark.strip() for remark in more]) for sentence, more in said]
    return Told(Answer(headline, blocks=[Steps(steps)], notes=notes), data)


def odds(
    source: Source,
    of: Annotated[str, Name("a secret: even, odd, 1=1 (record 1 is 1), or databases '11, 00'")],
    against: Annotated[str | None, "another secret (the opposite if left out)"] = None,
    belief: Annotated[str, "such as uniform or 'independent(3/4, 1/2)'"] = "uniform",
    universe: Universe = None,
    save: Proof = None,
) -> Result:
    """Find how far the odds between two secrets can move, and the row that moves them."""
    from twoworlds.cones import largest_odds
    from twoworlds.worlds import Integers, Reals

    check_files(save)
    trusted, whole_numbers = _on_integers(source, universe)
    where = getattr(trusted, "universe", None) if whole_numbers is None else whole_numbers
    if isinstance(where, Integers | Reals) and where.size is None:
        from twoworlds.cones.noise.integers import odds_of_answers

        found = odds_of_answers(trusted, of, against, belief, where)
    else:
        found = largest_odds(source, of, against, belief, universe=universe)
    return found.beside(files=save_json(save, _saved(found.certificate, save)))


def relax(
    source: Source,
    eliminate: Annotated[
        str | None, "databases to say nothing about, such as '01' or '01, 10'"
    ] = None,
    any_: Annotated[str | None, "every choice of this many databases instead"] = None,
    universe: Universe = None,
    save: SaveCone = None,
    proof: Proof = None,
) -> Result:
    """Drop the guarantees nobody needs, and show how each remaining one follows."""
    from twoworlds.cones import eliminate as eliminated
    from twoworlds.cones import relax as relaxed

    check_files(save, proof)
    if (eliminate is None) == (any_ is None):
        raise InvalidInput("name databases with --eliminate '01', or a number with --any 1")
    cone = _listed(source, universe)
    found = (
        relaxed(cone, any_)
        if eliminate is None
        else eliminated(cone, _labels(eliminate, cone.columns))
    )
    saved = {} if save is None else save_json(save, found.row_cone.to_dict())
    if proof is not None:
        saved["proof"] = save_json(proof, found.certificate.to_dict())["saved"]
    use = [] if save is None else [f"use it as a definition: linear({save})"]
    return found.beside(notes=use, files=saved)


def compare(
    first: Source,
    second: Annotated[str, "another one"],
    universe: Universe = None,
    save: Proof = None,
) -> Result:
    """Compare two definitions: which promises more, and a mechanism that shows it."""
    from twoworlds.cones import compare as compared

    check_files(save)
    found = compared(first, second, universe)
    proof = getattr(found, "certificate", None)
    return found.beside(files=save_json(save, _saved(proof, save)))


def design(
    source: Source,
    loss: Annotated[
        str | None, "absolute (for a statistic), squared, or zero-one (for databases)"
    ] = None,
    statistic: Annotated[
        str | None, "what to answer, such as count (the database if left out)"
    ] = None,
    belief: Annotated[str | None, "whose expected loss counts (the worst case if left out)"] = None,
    outputs: Annotated[
        str | None, "the only answers allowed, such as '0, 1/2, 1' (any if left out)"
    ] = None,
    relaxed: Annotated[str | None, "a weaker definition: show the loss that it saves"] = None,
    universe: Universe = None,
    save: Annotated[Path | None, "write the mechanism to a .csv or .json"] = None,
    proof: Proof = None,
) -> Result:
    """Find the most accurate mechanism a definition allows, with a proof."""
    from twoworlds.cones import design as best
    from twoworlds.cones import saving
    from twoworlds.mechanisms.files import write_table

    check_files(proof, other=save)
    try:
        cone = _listed(source, universe)
    except TooLarge as error:
        if not (statistic or "").startswith("count"):
            raise
        way_out = "for a count of n records ask for --universe 'integers(0, n)', no --statistic"
        raise TooLarge(f"{error}; {way_out}") from None
    numbers = statistic is not None or isinstance(next(iter(cone.universe)), int)
    options: dict[str, Any] = {"statistic": statistic, "belief": belief, "outputs": None}
    if outputs is not None:
        options["outputs"] = _outputs(outputs, cone, numbers=numbers)
    if relaxed is not None:
        weaker = _listed(relaxed, universe or cone.universe.expression)
        return saving(cone, weaker, loss, **options)
    found = best(cone, loss, **options)
    saved = {}
    if save is not None:
        write_table(found.mechanism, save)
        saved["saved"] = str(save)
    if proof is not None:
        saved["proof"] = save_json(proof, found.certificate.to_dict())["saved"]
    return found.beside(files=saved)


# --- reading what was typed ---------------------------------------------------------------------


def _cone(
    source: str, universe: str | None, *, exact: bool = False, facet: bool = False
) -> RowCone | PerRecordCone | NoiseCone | Told:
    """Build the cone of what was typed, by structure where it is too large to list."""
    from twoworlds.cones import Frapp, PerRecordCone, frapp_row_cone, noise_cone, row_cone
    from twoworlds.cones.noise.integers import dp_on_integers, on_two_answers
    from twoworlds.cones.row_cone import LARGEST_DIMENSION
    from twoworlds.definitions import DifferentialPrivacy
    from twoworlds.mechanisms import Mechanism, PerRecord

    built, where = _on_integers(source, universe)
    if where is not None and isinstance(built, DifferentialPrivacy):
        return dp_on_integers(built, where)
    if isinstance(built, Mechanism):
        if built.universe.size is None:
            return noise_cone(built)
        if (wedge := on_two_answers(built)) is not None:
            return wedge.told()
        if isinstance(built, PerRecord) and (facet or built.universe.size > LARGEST_DIMENSION):
            return PerRecordCone.of(built)
    if exact and isinstance(built, Frapp):
        if built.universe is None:
            raise InvalidInput(
                "--exact needs the values and records, as in 'frapp(gamma=3, values=3, records=2)'"
            )
        return frapp_row_cone(built.gamma, len(built.universe.values), built.universe.n)
    return row_cone(built, universe)


def _on_integers(
    source: str, universe: str | None
) -> tuple[Mechanism | PrivacyDefinition, Integers | None]:
    """Build what was typed, and say whether it is about all whole numbers."""
    from twoworlds.cones import build_source
    from twoworlds.cones.noise.integers import whole_numbers
    from twoworlds.worlds.catalogue import universe as build_universe

    built = build_source(source, universe)
    return built, whole_numbers(built, None if universe is None else build_universe(universe))


def _listed(source: str, universe: str | None) -> RowCone:
    """Build a cone whose inequalities can be listed, or say why not."""
    from twoworlds.cones import PerRecordCone, RowCone
    from twoworlds.mechanisms.base import FINITE_OUTPUTS

    found = _cone(source, universe)
    if isinstance(found, RowCone):
        return found
    if isinstance(found, PerRecordCone):
        raise TooLarge(
            f"{source} has too many databases to list: use at most 10 bits, or ask for its "
            "statements or odds, which are found by structure"
        )
    raise InvalidInput(
        f"{source} has infinitely many databases or outputs: use finitely many, as in "
        f"{FINITE_OUTPUTS}, or ask for its cone or its statements"
    )


def _mechanisms(
    texts: Sequence[str], universe: str | None, what: str | None = None
) -> list[Mechanism]:
    """Build mechanisms, and refuse definitions."""
    from twoworlds.cones import build_source
    from twoworlds.mechanisms import Mechanism

    built = [build_source(text, universe) for text in texts]
    mechanisms = [one for one in built if isinstance(one, Mechanism)]
    if len(mechanisms) < len(built):
        raise InvalidInput(
            "--of takes one definition, or mechanisms only"
            if what is None
            else f"{texts[0]} is {what}: name a mechanism"
        )
    return mechanisms


def _labels(text: str, columns: Sequence[str]) -> list[str]:
    """Split at commas, or at semicolons where labels hold commas themselves."""
    if text.strip() in columns:
        return [text.strip()]
    mark = ";" if ";" in text or any("," in label for label in columns) else ","
    return [part.strip() for part in text.split(mark)]


def _outputs(text: str, cone: RowCone, *, numbers: bool) -> list[Any]:
    """Read answers: numbers where a statistic or a number is asked for, databases otherwise."""
    from twoworlds.numbers import rational

    parts = _labels(text, () if numbers else cone.columns)
    return [rational(part, "output") if numbers else cone.universe.find(part) for part in parts]


# --- files --------------------------------------------------------------------------------------


def check_files(*paths: Path | None, other: Path | None = None) -> None:
    """Refuse files that cannot be written before the work starts; all but ``other`` hold JSON."""
    named = [path for path in paths if path is not None]
    for path in named:
        if path.suffix.lower() != ".json":
            raise InvalidInput(f"{path} does not end in .json, the form in which proofs are saved")
    named += [] if other is None else [other]
    for path in named:
        if named.count(path) > 1:
            raise InvalidInput(
                f"{path} cannot hold both: name different files for --save and --proof"
            )
        check_place(path)


def save_json(path: Path | None, data: Any) -> dict[str, str]:
    """Write a certificate or a cone as JSON if a file was named; return what JSON says of it."""
    if path is None:
        return {}
    check_files(path)
    write(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    return {"saved": str(path)}
