"""Commands about coupled worlds: scenarios, the best simulator with its proof, two releases."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer
from rich.padding import Padding
from rich.text import Text as Styled

from twoworlds.cli.app import Json, Text, app
from twoworlds.cli.render import (
    console,
    print_answer,
    print_json,
    print_saved,
    print_table,
    progress,
)
from twoworlds.definitions.base import read_ratio
from twoworlds.definitions.coupled.compare import worst
from twoworlds.definitions.coupled.operations import Coupled
from twoworlds.definitions.coupled.operations import compose as together
from twoworlds.definitions.coupled.optimal import optimal
from twoworlds.definitions.coupled.scene import Scene, scene
from twoworlds.definitions.coupled.simulator import (
    OPTIMAL,
    Simulator,
    canonical,
    read_simulator,
)
from twoworlds.definitions.scenario import Scenario
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.mechanisms.named import mechanism
from twoworlds.numbers import Number, ln, show, to_json
from twoworlds.questions.cones import save_json
from twoworlds.worlds.classes import belief_class
from twoworlds.worlds.joint import plain_label
from twoworlds.worlds.scrubs import scrubs

__all__ = ["compose", "simulator", "worlds"]

_FOLDER = files("twoworlds.cli") / "scenarios"
_SHOWN = 40


@app.command()
def worlds(
    scenario: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", help="a YAML file, or the name of a built-in example"),
    ] = None,
    text: Annotated[
        bool, typer.Option("--text", help="print the file instead, to start your own from it")
    ] = False,
    json_: Json = False,
) -> int:
    """Build a scenario of beliefs, side information and a release, and check what it claims."""
    if scenario is None:
        _list(as_json=json_)
        return 0
    source = _source(scenario)
    if text:
        if json_:
            print_json({"name": scenario, "text": source})
        else:
            console().out(source.rstrip(), highlight=False)
        return 0
    made = Scenario.read(source, scenario)
    with progress():
        verdicts = made.verdicts()
    if json_:
        print_json({"title": made.title, "verdicts": [verdict.to_dict() for verdict in verdicts]})
    else:
        console().print(Styled(made.title, style="bold underline"))
        for verdict in verdicts:
            console().print()
            print_answer(verdict.answer())
    return 0 if all(bool(verdict) for verdict in verdicts if made.claims) else 1


def _examples() -> dict[str, str]:
    """Return the built-in scenarios by name."""
    found = {
        entry.name.removesuffix(".yaml"): entry.read_text(encoding="utf-8")
        for entry in _FOLDER.iterdir()
        if entry.name.endswith(".yaml")
    }
    return dict(sorted(found.items()))


def _list(*, as_json: bool) -> None:
    titles = {name: Scenario.read(source, name).title for name, source in _examples().items()}
    if as_json:
        print_json(titles)
        return
    out = console()
    out.print("Scenarios that come with twoworlds: run one by its name, print it with --text,")
    out.print("change it, and run your own file.\n")
    for name, title in titles.items():
        out.print(f"  {name:<24} {title}", soft_wrap=True)


def _source(scenario: str) -> str:
    """Return the text of a scenario file, or of a built-in example."""
    path, examples = Path(scenario), _examples()
    if path.is_file() or path.suffix in (".yaml", ".yml") or "/" in scenario:
        return Scenario.text_of(path)
    if scenario in examples:
        return examples[scenario]
    raise UnknownName("scenario (a file or a built-in one)", scenario, list(examples))


@app.command()
def simulator(
    release: Text,
    belief: Annotated[str, typer.Option(help="a belief or a class of them")] = "uniform",
    side: Annotated[
        str | None, typer.Option(help="what the attacker knows besides, such as 'known(1)'")
    ] = None,
    private: Annotated[
        str, typer.Option(help="what is private and scrubbed, such as 'schools([1, 2], [3])'")
    ] = "persons",
    ratio: Annotated[str | None, typer.Option(help="e^epsilon")] = None,
    epsilon: Annotated[str | None, typer.Option(help="the same, as epsilon")] = None,
    proof: Annotated[
        Path | None, typer.Option(help="write simulator and proof to a .json file, for `verify`")
    ] = None,
    json_: Json = False,
) -> None:
    """Find the simulator that comes nearest to a release, and prove that none comes nearer."""
    at = read_ratio(ratio, epsilon)
    if at is None:
        raise InvalidInput("give --ratio (e^epsilon) or --epsilon at which worlds are compared")
    built = mechanism(release)
    beliefs = belief_class(belief, built.universe, side)
    with progress():
        made = scene(built, beliefs, scrubs(private, built.universe))
        best = optimal(made, at)
        plain = _canonical(made, at)
    data = best.to_dict()
    said = f"the best simulator of {built.expression} has delta {show(best.delta)} at ratio "
    certificate = {
        "kind": "optimal-simulator",
        "claim": f"{said}{show(at)} if {beliefs.assumption}",
        **data.pop("certificate"),
    }
    saved = {} if proof is None else save_json(proof, certificate)
    if json_:
        shown = None if plain is None else to_json(plain)
        names = {"mechanism": built.expression, "assumption": beliefs.assumption}
        print_json({**names, **data, "canonical": shown, "epsilon": to_json(ln(at)), **saved})
        return
    out = console()
    out.print(Styled(built.expression, style="bold"))
    out.print()
    nearer = "" if best.exact else f" than {show(best.lower, side='down')}"
    words = (
        f"If {beliefs.assumption}, then a simulator that never sees the private part comes within "
        f"delta {show(best.delta, side='up')} of the release at ratio {show(at)} (epsilon "
        f"{show(ln(at))})"
        f", and none comes nearer{nearer}."
    )
    out.print(Padding(Styled(words), (0, 0, 0, 2)))
    if plain is not None:
        text = f"The release itself, run on what is left (canonical): delta {show(plain)}."
        out.print(Padding(Styled(text), (1, 0, 0, 2)))
    print_simulator(best.simulator, made)
    out.print(Padding(Styled(f"Why none comes nearer: {best.proof.explain()}."), (0, 0, 1, 2)))
    for label, fact in best.proof.facts():
        if label.startswith("weight"):
            out.print(Padding(Styled(f"{label}  {fact}"), (0, 0, 0, 4)))
    print_saved(saved)


def _canonical(made: Scene, ratio: Number) -> Number | None:
    """Return delta of the canonical simulator, or None where the release is not defined there."""
    try:
        return worst(made, canonical(made.release), ratio).delta
    except InvalidInput:
        return None


def print_simulator(found: Simulator, made: Scene) -> None:
    """Print a simulator as a table: what it is given, what it outputs."""
    outputs = [plain_label(t) for t in made.outputs]
    rows = [
        [plain_label(y), *(show(law[t]) if t in law else "0" for t in made.outputs)]
        for y, law in list(found.on(made).items())[:_SHOWN]
    ]
    print_table(["given", *(f"outputs {t}" for t in outputs)], rows)
    if len(made.inputs) > _SHOWN:
        console().print(f"  ... and {len(made.inputs) - _SHOWN} more (see --json)\n")


@app.command()
def compose(
    first: Annotated[str, typer.Argument(help="a release, such as 'exact(sum, universe=bits(3))'")],
    second: Annotated[str, typer.Argument(help="another one, of the same database")],
    belief: Annotated[str, typer.Option(help="a belief or a class of them")] = "uniform",
    side: Annotated[
        str | None, typer.Option(help="what the attacker knows besides, such as 'known(1)'")
    ] = None,
    private: Annotated[
        str, typer.Option(help="what is private and scrubbed, such as 'schools([1, 2], [3])'")
    ] = "persons",
    simulators: Annotated[
        str, typer.Option(help="of both releases: canonical, coin, or optimal for each alone")
    ] = "canonical",
    ratio: Annotated[str | None, typer.Option(help="e^epsilon of each release")] = None,
    epsilon: Annotated[str | None, typer.Option(help="the same, as epsilon")] = None,
    json_: Json = False,
) -> None:
    """Say how private two releases of one database are together (Theorem 6)."""
    at = read_ratio(ratio, epsilon)
    if at is None:
        raise InvalidInput("give --ratio (e^epsilon) or --epsilon, for each of the two releases")
    parts = [mechanism(first), mechanism(second)]
    universe = parts[0].universe
    if parts[1].universe != universe:
        raise InvalidInput(
            f"the releases are of {universe.expression} and {parts[1].universe.expression}: "
            "both must look at the same databases"
        )
    beliefs, pairs = belief_class(belief, universe, side), scrubs(private, universe)
    with progress():
        made = [scene(part, beliefs, pairs) for part in parts]
        chosen = [
            optimal(one, at).simulator if simulators == OPTIMAL else read_simulator(simulators, one)
            for one in made
        ]
        both = [
            Coupled(one.release, found, beliefs, pairs)
            for one, found in zip(made, chosen, strict=True)
        ]
        found = together(*both).at(at, at)
    numbers = {
        "ratio": found.ratio,
        "epsilon": ln(found.ratio),
        "delta": found.delta,
        "bound": found.bound,
        "first": found.first,
        "second": found.second,
    }
    if json_:
        names = {"releases": [part.expression for part in parts], "assumption": beliefs.assumption}
        print_json({**names, **{name: to_json(value) for name, value in numbers.items()}})
        return
    out = console()
    out.print(Styled(" and ".join(part.expression for part in parts), style="bold"))
    words = (
        f"If {beliefs.assumption}, then both together come within delta "
        f"{show(found.delta, side='up')} of "
        f"what their simulators make of the scrubbed database, at ratio {show(found.ratio)}. "
        f"Theorem 6 of Bassily, Groce, Katz & Smith allows {show(found.bound)}: the first has "
        f"delta {show(found.first)} for one who sees the second simulated, and the second "
        f"{show(found.second)} for one who sees the first, each at ratio {show(at)}."
    )
    out.print(Padding(Styled(words), (1, 0, 0, 2)))
