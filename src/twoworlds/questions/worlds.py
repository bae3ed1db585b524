"""Questions about two worlds that rest on beliefs: scenarios, simulators, exact releases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from twoworlds.answer import Answer, Facts, Said, Verbatim
from twoworlds.errors import InvalidInput, Undecided, UnknownName
from twoworlds.questions import Name, Place
from twoworlds.show import Result, Told

if TYPE_CHECKING:
    from twoworlds.definitions import Verdict
    from twoworlds.definitions.coupled.optimal import Optimum
    from twoworlds.mechanisms import Mechanism
    from twoworlds.noiseless import ExactRelease
    from twoworlds.numbers import Number

Belief = Annotated[str, "a belief or a class of them"]
Side = Annotated[str | None, "what the attacker knows besides, such as 'known(1)'"]
Private = Annotated[str, "what is private and scrubbed, such as 'schools([1, 2], [3])'"]
Epsilon = Annotated[str | None, "how far odds may move: e^epsilon"]
Ratio = Annotated[str | None, "the same, as e^epsilon"]
Delta = Annotated[str | None, "the probability allowed beyond that: makes it a claim"]
Known = Annotated[str, "how many entries the attacker may know"]
Kind = Annotated[str, "ddp (with your entry or without), or noiseless (two values of it)"]
Data = Annotated[Path | None, "publish it from this CSV, TSV or Parquet file"]
Column = Annotated[str | None, "the column of the file"]
Missing = Annotated[str, "rows without a value: refuse, or skip"]


def worlds(
    file: Annotated[str | None, Place("a YAML file, or the name of a built-in example")] = None,
    text: Annotated[bool, "print the file instead, to start your own from it"] = False,
) -> Result:
    """Check the claims of a scenario: beliefs, side information and a release."""
    from twoworlds.definitions.scenario import Scenario

    if file is None:
        titles = {name: Scenario.read(source, name).title for name, source in _examples().items()}
        listed = Facts([*titles.items()])
        said = (
            "Scenarios come with twoworlds: run one by its name, print it with --text, change it, "
            "and run your own file."
        )
        return Told(Answer(said, blocks=(listed,)), titles)
    source = _source(file)
    if text:
        said = f"# scenario {file}"
        return Told(
            Answer(said, blocks=(Verbatim(source.rstrip()),)), {"name": file, "text": source}
        )
    made = Scenario.read(source, file)
    verdicts = made.verdicts()
    answers = [verdict.answer() for verdict in verdicts]
    blocks = [
        block
        for one in answers
        for block in (
            Said([f"{one.subject}: {one.verdict}", one.headline]),
            *one.blocks,
            Facts(one.foot),
        )
    ]
    holds = all(map(bool, verdicts)) if made.claims else None
    return Told(
        Answer(made.title, holds=holds, blocks=blocks), {"title": made.title, "verdicts": verdicts}
    )


def _examples() -> dict[str, str]:
    """Return the built-in scenarios by name."""
    from importlib.resources import files

    folder = files("twoworlds.questions") / "scenarios"
    found = {
        entry.name.removesuffix(".yaml"): entry.read_text(encoding="utf-8")
        for entry in folder.iterdir()
        if entry.name.endswith(".yaml")
    }
    return dict(sorted(found.items()))


def _source(scenario: str) -> str:
    """Return the text of a scenario file, or of a built-in example."""
    from twoworlds.definitions.scenario import Scenario

    path, examples = Path(scenario), _examples()
    if path.is_file() or path.suffix in (".yaml", ".yml") or "/" in scenario:
        return Scenario.text_of(path)
    if scenario in examples:
        return examples[scenario]
    raise UnknownName("scenario (a file or a built-in one)", scenario, list(examples))


def simulator(
    mechanism: Annotated[
        str, "a call such as 'geometric(ratio=2)', a matrix file, or python:module:name"
    ],
    belief: Belief = "uniform",
    side: Side = None,
    private: Private = "persons",
    ratio: Annotated[str | None, "e^epsilon"] = None,
    epsilon: Annotated[str | None, "the same, as epsilon"] = None,
    proof: Annotated[Path | None, "write simulator and proof to a .json file, for `verify`"] = None,
) -> Result:
    """Find the simulator that comes nearest to a release, with a proof that none is nearer."""
    from twoworlds.mechanisms.named import mechanism as build
    from twoworlds.numbers import ln, show
    from twoworlds.questions.cones import check_files, save_json

    at = _ratio(ratio, epsilon, "at which worlds are compared")
    built = build(mechanism)
    check_files(proof)
    best, plain = nearest(built, belief, side, private, at)
    assumption, data = best.scene.beliefs.assumption, best.to_dict()
    claim = (
        f"the best simulator of {built.expression} has delta {show(best.delta)} at ratio "
        f"{show(at)} if {assumption}"
    )
    certificate = {"kind": "optimal-simulator", "claim": claim, **data.pop("certificate")}
    saved = save_json(proof, certificate)
    within, nearer = show(best.delta), ""
    if not best.exact:
        within, nearer = show(best.delta, side="up"), f" than {show(best.lower, side='down')}"
    beside = "The release itself, run on what is left (canonical): delta"
    canonically = [] if plain is None else [f"{beside} {show(plain)}."]
    why = f"Why none comes nearer: {best.why}."
    said = best.answer()
    said = replace(
        said,
        headline=f"If {assumption}, then a simulator that never sees the private part comes "
        f"within delta {within} of the release at ratio {show(at)} (epsilon "
        f"{show(ln(at))}), and none comes nearer{nearer}.",
        blocks=(Said([*canonically, why]), Facts([*best.tested()]), *said.blocks[1:]),
        notes=[f"wrote {path}" for path in saved.values()],
        assumptions=(),
    )
    names = {"mechanism": best.scene.release.name, "assumption": assumption}
    return Told(said, {**names, **data, "canonical": plain, "epsilon": ln(at), **saved})


def nearest(
    release: Mechanism, belief: str, side: str | None, private: str, ratio: Number
) -> tuple[Optimum, Number | None]:
    """Return the best simulator of a release, and delta of the canonical one where it is defined.

    Their scenes differ: of many people alike, the best is found on fewer databases.
    """
    from twoworlds.definitions.coupled import CoupledWorlds
    from twoworlds.definitions.coupled.measures import worst
    from twoworlds.definitions.coupled.optimal import optimal
    from twoworlds.definitions.coupled.scene import canonical

    best = optimal(CoupledWorlds(belief, private, side=side).scene(release), ratio)
    try:
        itself = CoupledWorlds(belief, private, side=side, simulator="canonical").scene(release)
        return best, worst(itself, canonical(itself.release), ratio).delta
    except InvalidInput:  # the release is not defined on what is left
        return best, None


def _ratio(ratio: str | None, epsilon: str | None, why: str) -> Number:
    from twoworlds.definitions.base import read_ratio

    at = read_ratio(ratio, epsilon)
    if at is None:
        raise InvalidInput(f"give --ratio (e^epsilon) or --epsilon {why}")
    return at


def coupled_compose(
    first: Annotated[str, "a release, such as 'exact(sum, universe=bits(3))'"],
    second: Annotated[str, "another one, of the same database"],
    belief: Belief = "uniform",
    side: Side = None,
    private: Private = "persons",
    simulators: Annotated[
        str, "of both releases: canonical, coin, or optimal for each alone"
    ] = "canonical",
    ratio: Annotated[str | None, "e^epsilon of each release"] = None,
    epsilon: Annotated[str | None, "the same, as epsilon"] = None,
) -> Result:
    """Bound how private two releases of one database are together (Theorem 6)."""
    from twoworlds.definitions.coupled.operations import Coupled
    from twoworlds.definitions.coupled.operations import compose as together
    from twoworlds.definitions.coupled.optimal import optimal
    from twoworlds.definitions.coupled.scene import OPTIMAL, read_simulator, scene
    from twoworlds.mechanisms.named import mechanism as build
    from twoworlds.worlds.classes import belief_class
    from twoworlds.worlds.scrubs import scrubs

    at = _ratio(ratio, epsilon, "for each of the two releases")
    one, two = build(first), build(second)
    if one.universe != two.universe:
        raise InvalidInput(
            f"the releases are of {one.universe.expression} and {two.universe.expression}: "
            "both must look at the same databases"
        )
    beliefs = belief_class(belief, one.universe, side)
    pairs = scrubs(private, one.universe)
    made = [scene(part, beliefs, pairs) for part in (one, two)]
    chosen = [
        optimal(part, at).simulator if simulators == OPTIMAL else read_simulator(simulators, part)
        for part in made
    ]
    both = [
        Coupled(part.release, found, beliefs, pairs)
        for part, found in zip(made, chosen, strict=True)
    ]
    return together(*both).at(at, at)


# --- releases without noise -----------------------------------------------------------------------


def noiseless_sum(
    values: Annotated[
        list[str],
        Name(
            "what an entry may be: '-1,0,1', '0..20', '0=3/4, 1=1/4', 'uniform [-1, 1]', "
            "'component [-1, 1] at least 1/4', 'steps [0, 1]=1/3, [2, 4]=2/3', 'triangular [0, 1]';"
            " repeat it, with --people, for groups"
        ),
    ],
    people: Annotated[list[str] | None, "how many entries are added up, yours included"] = None,
    known: Known = "0",
    epsilon: Epsilon = None,
    ratio: Ratio = None,
    delta: Delta = None,
    simulator: Annotated[str, "canonical, centred, resampled, or best of these"] = "canonical",
    definition: Annotated[
        str, "ddp, noiseless, or original: noiseless privacy as first defined"
    ] = "ddp",
    solve: Annotated[
        str | None, "find the unknown that the claim allows: people or known or epsilon"
    ] = None,
    data: Data = None,
    column: Column = None,
    missing: Missing = "refuse",
) -> Result:
    """Judge an exact total of independent entries, when an attacker knows some of them."""
    from twoworlds import noiseless

    law = _laws(values, people, solve)
    claimed = delta is not None and solve != "epsilon"
    if definition != "ddp" and simulator != "canonical":
        raise InvalidInput("noiseless privacy compares two values of an entry: no --simulator")
    count = None if people is None or len(people) > 1 else people[0]
    numbers: dict[str, Any] = {"ratio": ratio, "epsilon": epsilon}
    asked: dict[str, Any] = {"delta": delta, "simulator": simulator, "definition": definition}
    name = _column(data, column, solve, count)
    if data is not None:
        release = noiseless.release_total(
            data, name, law, missing=missing, known=known, **numbers, **asked
        )
        return _decided(release, claimed=claimed)
    ways: dict[str | None, Callable[[], Verdict]] = {
        None: lambda: noiseless.total(law, people=count, known=known, **numbers, **asked),
        "people": lambda: noiseless.solve_people(law, known=known, **numbers, **asked),
        "known": lambda: noiseless.solve_known(law, people=count, **numbers, **asked),
        "epsilon": lambda: noiseless.solve_epsilon(law, people=count, known=known, **asked),
    }
    given = {"people": count, "epsilon": epsilon or ratio, "known": known != "0"}
    return _decided(_solved(ways, solve, delta, given), claimed=claimed)


def _laws(values: list[str], people: list[str] | None, solve: str | None) -> Any:
    """Return one law, or the groups of several laws with their sizes."""
    if len(values) == 1:
        if people is not None and len(people) > 1:
            raise InvalidInput(f"--people is given {len(people)} times for one group of --values")
        return values[0]
    if people is None or len(people) != len(values):
        raise InvalidInput(
            f"{len(values)} groups of --values need a number of --people each, "
            f"{len(people or ())} given"
        )
    if solve == "people":
        raise InvalidInput("--solve people is for one group: name all but one law's numbers")
    return list(zip(values, people, strict=True))


def noiseless_histogram(
    threshold: Annotated[str | None, "the smallest count that is shown"] = None,
    population: Annotated[
        str | None, "the members of your bin, of each bin, '1..120', or any"
    ] = None,
    rate: Annotated[str | None, "the probability with which each member is sampled"] = None,
    mean: Annotated[str | None, "instead: the mean of the others of a bin (Poisson)"] = None,
    size: Annotated[str | None, "instead: the law of the size, such as 'fixed(size=1000)'"] = None,
    shares: Annotated[str | None, "with --size: the bins' shares, '1/2, 1/4, 1/4'"] = None,
    place: Annotated[str | None, "with --shares: a place in the list, not a person"] = None,
    known: Annotated[
        str, "for how many others of the bin the attacker knows whether they are in"
    ] = "0",
    epsilon: Epsilon = None,
    ratio: Ratio = None,
    delta: Delta = None,
    solve: Annotated[
        str | None,
        "find the unknown that the claim allows: threshold or known or population or rate",
    ] = None,
    data: Data = None,
    column: Column = None,
    bins: Annotated[str | None, "with --data: the declared bins, 'a, b'"] = None,
    missing: Missing = "refuse",
) -> Result:
    """Judge a table of a random sample that leaves small counts out."""
    from twoworlds import noiseless

    numbers: dict[str, Any] = {"ratio": ratio, "epsilon": epsilon, "delta": delta}
    law: dict[str, Any] = {"rate": rate, "mean": mean, "size": size, "shares": shares}
    shown: dict[str, Any] = {"threshold": threshold, "known": known}
    ways: dict[str | None, Callable[[], Verdict]] = {
        None: lambda: noiseless.truncated_histogram(
            population, place=place, **law, **shown, **numbers
        ),
        "threshold": lambda: noiseless.solve_threshold(
            population, place=place, known=known, **law, **numbers
        ),
        "known": lambda: noiseless.solve_known_members(
            population, threshold=threshold, **law, **numbers
        ),
        "population": lambda: noiseless.solve_population(rate=rate, **shown, **numbers),
        "rate": lambda: noiseless.solve_rate(population, **shown, **numbers),
    }
    given = {"threshold": threshold, "known": known != "0", "population": population, "rate": rate}
    _once(ways, solve, given)
    if solve != "threshold" and threshold is None:
        raise InvalidInput("give --threshold, the smallest count that is shown, or --solve it")
    name = _column(data, column, solve, None)
    if data is not None:
        if bins is None:
            raise InvalidInput("--data needs --bins, declared beforehand: reading them off leaks")
        listed = [part.strip() for part in bins.split(",")]
        asked: dict[str, Any] = {"population": population, "place": place, "missing": missing}
        release = noiseless.release_histogram(
            data, name, listed, **asked, **law, **shown, **numbers
        )
        return _decided(release, claimed=delta is not None)
    if bins is not None:
        raise InvalidInput("--bins are those of --data, which is missing")
    if solve in ("population", "rate") and any((mean, size, shares, place)):
        raise InvalidInput(f"--solve {solve} is for members sampled at a rate: leave the rest out")
    return _decided(_solved(ways, solve, delta, given), claimed=delta is not None)


def noiseless_map(
    law: Annotated[list[str], Name("a law that entries may follow, '1=3/4, 0=1/4'; repeat it")],
    people: Annotated[str | None, "how many entries there are, yours included"] = None,
    weights: Annotated[str | None, "the curator's weights, '1/2, 1/2' if left out"] = None,
    least: Annotated[str | None, "the least probability that anybody gives to any law"] = None,
    known: Known = "0",
    known_values: Annotated[str | None, "which entries are known, such as '1=20'"] = None,
    epsilon: Epsilon = None,
    ratio: Ratio = None,
    delta: Delta = None,
    definition: Kind = "ddp",
    s: Annotated[str | None, "the exponent of the theorems' bounds"] = None,
    noise: Annotated[
        str | None, "add noise: a power of the likelihoods, or 'epsilon=1' for dp with it"
    ] = None,
    solve: Annotated[str | None, "find the unknown that the claim allows: people or known"] = None,
    data: Data = None,
    column: Column = None,
    missing: Missing = "refuse",
) -> Result:
    """Judge a release that names the likeliest of several laws (the MAP estimator)."""
    from twoworlds import noiseless

    claimed = delta is not None and (ratio is not None or epsilon is not None)
    shares = None if weights is None else [part.strip() for part in weights.split(",")]
    numbers: dict[str, Any] = {"ratio": ratio, "epsilon": epsilon, "delta": delta}
    common: dict[str, Any] = {"weights": shares, "least": least, "definition": definition, "s": s}
    knowledge: dict[str, Any] = {"known": known, "known_values": known_values}
    name = _column(data, column, solve, people)
    if noise is not None:
        if any((least, known != "0", known_values, ratio, epsilon, delta, s, solve, data)):
            raise InvalidInput("--noise needs no belief: give it with --law, --people, --weights")
        by, _, amount = noise.rpartition("=")
        by = by.strip() or "power"
        if by not in ("power", "epsilon"):
            raise UnknownName("amount of --noise", by, ("power", "epsilon"))
        return noiseless.tempered(law, people=people, weights=shares, **{by: amount})
    if data is not None:
        release = noiseless.release_likeliest(
            data, name, law, missing=missing, **common, **knowledge, **numbers
        )
        return _decided(release, claimed=claimed)
    if people is None and solve != "people":
        raise InvalidInput("give --people, or --solve people with --epsilon and --delta")
    ways: dict[str | None, Callable[[], Verdict]] = {
        None: lambda: noiseless.likeliest(law, people=people, **common, **knowledge, **numbers),
        "people": lambda: noiseless.likeliest_people(law, known=known, **common, **numbers),
        "known": lambda: noiseless.likeliest_known(law, people=people, **common, **numbers),
    }
    given = {"people": people, "known": known != "0" or known_values}
    return _decided(_solved(ways, solve, delta, given), claimed=claimed)


def noiseless_stable(
    statistic: Annotated[str, "such as majority, parity, python:m:f"],
    universe: Annotated[str, Name("such as 'bits(5)'")],
    belief: Belief = "uniform",
    side: Side = None,
    epsilon: Epsilon = None,
    ratio: Ratio = None,
    delta: Delta = None,
) -> Result:
    """Judge a statistic that one record seldom changes (Theorems 11 and 12)."""
    from twoworlds import noiseless
    from twoworlds.worlds import catalogue
    from twoworlds.worlds.classes import belief_class

    where = catalogue.universe(universe)
    function = catalogue.statistic(statistic, where)
    numbers: dict[str, Any] = {"ratio": ratio, "epsilon": epsilon, "delta": delta}
    claimed = delta is not None and (ratio is not None or epsilon is not None)
    beliefs = belief_class(belief, where, side)
    return _decided(noiseless.stable(function, beliefs, **numbers, name=statistic), claimed=claimed)


def noiseless_size(
    law: Annotated[str, "the law of a sample's size, such as 'poisson(mean=100)'"],
    epsilon: Epsilon = None,
    ratio: Ratio = None,
    delta: Delta = None,
) -> Result:
    """Compute how often the size of a sample reveals one more person in it (equation 2)."""
    from twoworlds import noiseless

    found = noiseless.size_condition(law, ratio=ratio, epsilon=epsilon, delta=delta)
    return _decided(found, claimed=delta is not None)


def _once(
    ways: Mapping[str | None, object], solve: str | None, given: Mapping[str, object]
) -> None:
    """Refuse an unknown that is none, or that is given as well."""
    if solve not in ways:
        raise UnknownName("thing to --solve for", str(solve), [way for way in ways if way])
    if solve is not None and given.get(solve):
        raise InvalidInput(f"--{solve} is given and --solve asks for it: leave one of them out")


def _solved(
    ways: Mapping[str | None, Callable[[], Verdict]],
    solve: str | None,
    delta: str | None,
    given: Mapping[str, object],
) -> Verdict:
    _once(ways, solve, given)
    if solve is not None and delta is None:
        raise InvalidInput(f"--solve {solve} needs --delta, the probability that the claim allows")
    return ways[solve]()


def _column(data: Path | None, column: str | None, solve: str | None, people: object) -> str:
    """Return the column of the file; without a file there is none."""
    if data is None:
        if column is not None:
            raise InvalidInput("--column names a column of --data, which is missing")
        return ""
    if solve is not None:
        raise InvalidInput("--solve finds an unknown, --data publishes: use one at a time")
    if people is not None:
        raise InvalidInput("with --data the number of people is the number of rows")
    if column is None:
        raise InvalidInput("--data needs --column, the name of the column to publish")
    return column


def _decided(found: Verdict | ExactRelease, *, claimed: bool) -> Result:
    """Return what was found; a claim that is neither proved nor refuted ends like bad input."""
    from twoworlds.definitions import Verdict

    verdict = found if isinstance(found, Verdict) else found.verdict
    if claimed and verdict.holds is None:
        raise Undecided(
            f"undecided: delta is only known to lie between two numbers, and {verdict.definition} "
            "lies between them; claim more, or ask for fewer people"
        )
    return found
