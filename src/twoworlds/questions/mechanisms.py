"""Questions about one mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from twoworlds.answer import Answer, Facts, Said, Table
from twoworlds.errors import InvalidInput, TooLarge, UnknownName
from twoworlds.questions import Name, Place, Value
from twoworlds.show import Result, Told

if TYPE_CHECKING:
    from twoworlds import worlds
    from twoworlds.mechanisms import Mechanism as Built
    from twoworlds.mechanisms.accuracy import Bound
    from twoworlds.worlds import Point
    from twoworlds.worlds.belief import Belief

    Mechanism: TypeAlias = str | Built  # in Python; who types has texts alone
    Believed: TypeAlias = str | Belief
else:
    Mechanism = Annotated[
        str, "a call such as 'geometric(ratio=2)', a matrix file, or python:module:name"
    ]
    Believed = Annotated[str, Name("the attacker's belief, such as 'independent(3/4)'")]
Neighbours = Annotated[str | None, "substitute, add-remove, or listed pairs such as '11~10, 10~00'"]
Times = Annotated[str, "how many outputs, each with noise of its own"]
Width = Annotated[
    str | None, "the width of an interval for epsilon, as a share of it, such as 1/1000"
]
Universe = Annotated[str | None, "what the columns of a matrix file are, such as 'bits(2)'"]

_WIDEST, _TALLEST, _WINDOW = 32, 64, 5  # of a matrix on a page
_LONGEST_ENTRY = 16


def measure(
    mechanism: Mechanism,
    ratio: Annotated[str | None, "e^epsilon: ask for the delta there"] = None,
    epsilon: Annotated[str | None, "ask for the delta there"] = None,
    delta: Annotated[str | None, "ask for the smallest epsilon there"] = None,
    neighbours: Neighbours = None,
    group: Annotated[str, "how many people may differ at once"] = "1",
    definition: Annotated[str, "the definition to measure in"] = "dp",
    universe: Universe = None,
    profile: Annotated[bool, "the delta of every ratio"] = False,
    times: Times = "1",
    width: Width = None,
) -> Result:
    """Measure what a mechanism gives away: its exact epsilon and delta, and the worst case."""
    from twoworlds.definitions import DifferentialPrivacy
    from twoworlds.definitions import measure as find
    from twoworlds.definitions.words import of_all
    from twoworlds.mechanisms.named import compose as several
    from twoworlds.mechanisms.named import mechanism as build
    from twoworlds.numbers import whole

    built = build(mechanism, universe=universe)
    if times != "1" or width is not None:
        built = several(built, times=times, **({} if width is None else {"width": width}))
    if profile:
        if (ratio, epsilon, delta) != (None, None, None) or definition != "dp":
            raise InvalidInput(
                "--profile is the whole curve of dp: leave numbers and definition out"
            )
        size = whole(group, "group", at_least=1)
        found = DifferentialPrivacy(neighbours=neighbours, group=size).profile(built)
        assert found.ends.upper  # refuses what cannot be enclosed
        return found
    verdict = find(
        built,
        ratio=ratio,
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        group=None if group == "1" else group,
        definition=definition,
    )
    return replace(verdict, sentence=of_all(whole(times, "times"), verdict.sentence))


def compose(
    mechanisms: Annotated[
        list[str], "calls such as 'laplace(epsilon=1)'; all of them look at the same people"
    ],
    times: Times = "1",
    ratio: Annotated[str | None, "e^epsilon: ask for the delta there"] = None,
    epsilon: Annotated[str | None, "ask for the delta there"] = None,
    delta: Annotated[str | None, "ask for the smallest epsilon there"] = None,
    neighbours: Neighbours = None,
    group: Annotated[str | None, "how many people may differ at once"] = None,
    width: Width = None,
) -> Result:
    """Measure what several outputs about the same people give away together."""
    from twoworlds.definitions.together import together

    return together(
        *mechanisms,
        times=times,
        ratio=ratio,
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        group=group,
        width=width,
    )


def check(
    mechanism: Mechanism,
    claim: Annotated[str, "a definition such as 'dp(ratio=3, delta=1/100)'"],
    neighbours: Neighbours = None,
    group: Annotated[str | None, "how many people may differ at once"] = None,
    universe: Universe = None,
) -> Result:
    """Check a privacy claim: exit 0 if it holds, exit 1 with a counterexample if not."""
    from twoworlds.definitions import check as decide
    from twoworlds.mechanisms.named import mechanism as build

    verdict = decide(build(mechanism, universe=universe), claim, neighbours=neighbours, group=group)
    bool(verdict)  # raises where it is undecided
    return verdict


def posterior(
    mechanism: Mechanism,
    belief: Believed,
    output: Annotated[Value, Name("what was published")],
    secret: Annotated[
        str | None, "parity, 1=value (record 1), or databases such as '11, 00'"
    ] = None,
    default: Annotated[str | None, "the value that stands for no data"] = None,
) -> Result:
    """Compute what an attacker concludes from an output, with and without each person's data.

    >>> found = posterior("randomized-response(bits=2, keep=3/4)", "uniform", "11", secret="11")
    >>> found.to_dict()["chances"]["game 0"]["exact"]
    '9/16'
    """
    from twoworlds.definitions.semantics.games import by_counts, play, play_crowd
    from twoworlds.mechanisms.named import mechanism as build
    from twoworlds.worlds.belief import records_of
    from twoworlds.worlds.belief import secret as read_secret
    from twoworlds.worlds.beliefs import belief as build_belief

    built = build(mechanism)
    records_of(built.universe)  # refuses where there are no persons
    held = build_belief(belief, built.universe)
    asked = None if secret is None else read_secret(secret, built.universe)
    answer = play_crowd if by_counts(built, held, asked) else play
    return answer(built, held, output, default=default, secret=asked)


def tradeoff(
    mechanism: Mechanism,
    database: Annotated[str | None, Place("the database to detect")] = None,
    other: Annotated[str | None, Place("the database it is told from")] = None,
    belief: Annotated[
        str | None, "test one record instead; the records are drawn from this"
    ] = None,
    person: Annotated[str, "whose record is tested, counted from 1"] = "1",
    alternative: Annotated[
        str | None, "the values of the record to detect, such as '1' or 'a, b'"
    ] = None,
    null: Annotated[str | None, "the values they are told from (all others if left out)"] = None,
    level: Annotated[str | None, "the best power at this false alarm rate"] = None,
) -> Result:
    """Compute how well any test can tell two databases, or two values of a record, apart."""
    from twoworlds.definitions.record_trade_off import record_trade_off
    from twoworlds.definitions.trade_off import Curve, trade_off
    from twoworlds.mechanisms.named import mechanism as build
    from twoworlds.numbers import probability, whole

    built = build(mechanism)
    curve: Curve
    if belief is None and alternative is None and null is None:
        if database is None or other is None:
            raise InvalidInput(
                "name the two databases to tell apart, or test one record with --belief and "
                "--alternative, as in --belief uniform --person 1 --alternative 1"
            )
        curve = trade_off(built, database, other)
    elif database is not None or other is not None:
        raise InvalidInput(
            "a test is about two databases or about one record: name DATABASE and OTHER, "
            "or give --belief and --alternative, not both"
        )
    elif belief is None or alternative is None:
        missing = "--belief, such as uniform" if belief is None else "--alternative, such as 1"
        raise InvalidInput(f"a test about one record also needs {missing}")
    else:
        curve = record_trade_off(
            built,
            belief=belief,
            person=whole(person, "person", at_least=1),
            alternative=alternative.split(","),
            null=None if null is None else null.split(","),
        )
    return curve if level is None else replace(curve, level=probability(level, "level"))


def sensitivity(
    statistic: Annotated[str, "such as count, histogram, mean, python:m:f"],
    universe: Annotated[str, Name("such as 'bits(50)' or 'records(values=3, n=50)'")],
    neighbours: Annotated[str, "substitute, add-remove or both"] = "both",
    norm: Annotated[str, "L1 or L2"] = "L1",
    at: Annotated[str | None, "a database, for the local sensitivity there"] = None,
    group: Annotated[str, "how many people may differ at once"] = "1",
) -> Result:
    """Compute how far one person can move a statistic, and show the pair that does."""
    from twoworlds.worlds import check_group
    from twoworlds.worlds.catalogue import statistic as build_statistic
    from twoworlds.worlds.catalogue import universe as build_universe
    from twoworlds.worlds.sensitivity import global_sensitivity, local_sensitivity

    place = build_universe(universe)
    built, size = build_statistic(statistic, place), check_group(group)
    if at is not None and size != 1:
        raise InvalidInput("local sensitivity is about one person: leave --group out")
    found = [
        global_sensitivity(built, where, norm=norm, neighbours=relation, group=size)
        if at is None
        else local_sensitivity(built, where, at, norm=norm, neighbours=relation)
        for where, relation in _relations(place, neighbours, size)
    ]
    first, *rest = (one.answer() for one in found)
    said = [Said([one.headline]) for one in rest]
    blocks = (*said, *first.blocks, *(block for one in rest for block in one.blocks))
    return Told(replace(first, blocks=blocks), {"sensitivities": found})


def _relations(
    place: worlds.Universe, neighbours: str, group: int
) -> list[tuple[worlds.Universe, str]]:
    """Return where to look under which relation; add-remove also looks at other sizes."""
    from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE, Records

    if neighbours == "both" and not isinstance(place, Records):
        return [(place, place.relation)]
    sizes = place
    if isinstance(place, Records) and place.fixed:
        sizes = Records(place.values, place.n + group, smallest=max(0, place.n - group))
    both = {SUBSTITUTE: place, ADD_REMOVE: sizes}
    if neighbours == "both":
        return [(where, relation) for relation, where in both.items()]
    return [(both.get(neighbours, place), neighbours)]


def show(
    mechanism: Mechanism,
    database: Annotated[str | None, "one column: the law on this database"] = None,
    output: Annotated[str | None, "one row: the likelihoods of this output"] = None,
    decimals: Annotated[bool, "decimals instead of fractions"] = False,
    save: Annotated[Path | None, "write the exact matrix to a .csv or .json file"] = None,
    universe: Universe = None,
) -> Result:
    """Show the matrix of a mechanism: a row for each output, a column for each database."""
    from twoworlds.mechanisms.files import write_table
    from twoworlds.mechanisms.named import mechanism as build
    from twoworlds.numbers import decimal, exact_text
    from twoworlds.worlds import Reals

    built = build(mechanism, universe=universe)
    if save is not None:
        if database is not None or output is not None:
            raise InvalidInput("--save writes the whole matrix: leave --database and --output out")
        write_table(built, save)
        return Told(Answer(f"wrote {save}"), {"mechanism": built, "saved": save})
    if isinstance(built.outputs, Reals) and (database is None or output is None):
        first = (
            "0" if built.universe.size is None else built.universe.label(next(iter(built.universe)))
        )
        missing = [] if database is not None else [f"--database {first}"]
        missing += [] if output is not None else ["--output 1"]
        raise InvalidInput(f"a density has no matrix: give one value, {' '.join(missing)}")
    databases, outputs = _columns(built, database), _rows(built, output)
    labels = [built.universe.label(x) for x in databases]
    matrix = [[built.probability(o, x) for x in databases] for o in outputs]

    def entry(value: Any) -> str:
        text = exact_text(value)
        plain = text is not None and len(text) <= _LONGEST_ENTRY and not decimals
        return text if plain and text is not None else decimal(value, 5)

    names = [built.outputs.label(o) for o in outputs]
    rows = [[name, *map(entry, row)] for name, row in zip(names, matrix, strict=True)]
    window = built.outputs.size is None and len(outputs) > 1
    both = " and databases" if built.universe.size is None else ""
    what = "density" if isinstance(built.outputs, Reals) else "P(output | database)"
    said = Answer(
        f"{built.expression}: {what}",
        blocks=(Table(["output", *labels], rows, numbers=True),),
        notes=[f"a window: there are infinitely many outputs{both}"] if window else [],
    )
    data = {"mechanism": built, "databases": labels, "outputs": names, "matrix": matrix}
    return Told(said, data)


def _columns(built: Built, chosen: str | None) -> list[Point]:
    if chosen is not None:
        return [built.universe.find(chosen)]
    size = built.universe.size
    if size is None:
        return list(islice(built.universe, 3))
    if size > _WIDEST:
        raise TooLarge(f"{size} columns do not fit a page: choose one with --database, or --save")
    return list(built.universe)


def _rows(built: Built, chosen: str | None) -> list[Point]:
    from twoworlds.worlds import Integers

    if chosen is not None:
        return [built.outputs.find(chosen)]
    size = built.outputs.size
    if size is None and isinstance(built.outputs, Integers):
        return list(range(-_WINDOW, _WINDOW + 1))
    if size is None:
        raise TooLarge(
            f"{built.expression} has infinitely many outputs, which are no numbers: choose one "
            "with --output, such as --output '(0; 1)' of two answers"
        )
    if size > _TALLEST:
        raise TooLarge(f"{size} rows do not fit a page: choose one with --output, or --save")
    return list(built.outputs)


def error(
    mechanism: Mechanism,
    dimension: Annotated[str, "how many independent answers"] = "1",
    t: Annotated[str, "the tails are those beyond t"] = "1",
) -> Result:
    """Compute how wrong a noisy answer will be, exactly, next to the bounds in the papers."""
    from twoworlds.mechanisms.accuracy import errors_of
    from twoworlds.mechanisms.named import mechanism as build

    built = build(mechanism)
    return told_errors(built, errors_of(built, dimension=dimension, t=t), dimension, t)


def told_errors(built: Built, found: Sequence[Bound], dimension: str = "1", t: str = "1") -> Told:
    """Put errors beside the bounds in print, in decimals; JSON has them exactly."""
    from twoworlds.mechanisms import PerRecord
    from twoworlds.mechanisms.accuracy import laplace_crossover, usual_error
    from twoworlds.numbers import INFINITY, decimal

    rows = [
        (
            bound.name,
            decimal(bound.exact),
            "" if bound.printed is None else decimal(bound.printed),
            "; ".join(part for part in (bound.citation, bound.note) if part),
        )
        for bound in found
    ]
    lead = (
        f"The errors of {built.expression}, computed exactly and rounded up "
        f"(dimension d = {dimension}, t = {t}):"
    )
    table = Table(("quantity", "at most", "in the paper", "remarks"), rows, prose=(0, 3))
    said, usual = Answer(lead, blocks=(table,)), usual_error(built)
    data = {"mechanism": built, "errors": found, "off_by_95": usual}
    if usual is not None:
        headline = f"95% of the answers are off by at most {decimal(usual, 3)}."
        said = Answer(headline, blocks=(Said([lead]), table))
    ratio = built.family("substitute").peak()[1].ratio if isinstance(built, PerRecord) else 1
    if ratio in (1, INFINITY):
        return Told(said, data)
    remark = laplace_crossover(ratio=ratio).answer()  # a trusted curator does better from there on
    blocks = (*said.blocks, Said([remark.headline]), *remark.blocks)
    return Told(replace(said, blocks=blocks), {**data, "remark": remark.headline})


def list_(
    what: Annotated[
        str | None,
        Place(
            "mechanisms, definitions, universes, statistics, beliefs, classes, sides, private "
            "or sizes"
        ),
    ] = None,
) -> Result:
    """List everything that has a name: mechanisms, definitions, universes and more."""
    from twoworlds.definitions import DEFINITIONS
    from twoworlds.mechanisms.named.load import MECHANISMS
    from twoworlds.noiseless.histograms.size_laws import SIZES
    from twoworlds.worlds.beliefs import BELIEFS
    from twoworlds.worlds.catalogue import UNIVERSES
    from twoworlds.worlds.classes import CLASSES
    from twoworlds.worlds.scrubs import SCRUBS
    from twoworlds.worlds.sides import SIDES
    from twoworlds.worlds.statistics import STATISTICS

    kinds: dict[str, tuple[str, Any]] = {
        "mechanisms": ("mechanisms", MECHANISMS),
        "definitions": ("definitions", DEFINITIONS),
        "universes": ("universes", UNIVERSES),
        "statistics": ("statistics", STATISTICS),
        "beliefs": ("beliefs", BELIEFS),
        "classes": ("classes of beliefs", CLASSES),
        "sides": ("side information: what an attacker knows besides", SIDES),
        "private": ("what is private, and what is scrubbed with it", SCRUBS),
        "sizes": ("laws of the size of a sample", SIZES),
    }
    if what is not None and what not in kinds:
        raise UnknownName("list", what, kinds)
    chosen = kinds if what is None else {what: kinds[what]}
    blocks = [
        block
        for title, named in chosen.values()
        for block in (Said([title]), Facts([(one.usage, one.summary) for one in named]))
    ]
    names = [title for title, _ in chosen.values()]
    data = {
        kind: [{"name": one.name, "usage": one.usage, "summary": one.summary} for one in named]
        for kind, (_, named) in chosen.items()
    }
    count = sum(len(listed) for listed in data.values())
    said = f"{count} {names[0]}" if what else f"{count} names"
    return Told(Answer(f"{said} can be used in calls:", blocks=blocks), data)
