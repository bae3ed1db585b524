"""Questions about what a guarantee promises, and what follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

from twoworlds.answer import Answer, Table
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.questions import Name, Place
from twoworlds.show import Result, Told

if TYPE_CHECKING:
    from twoworlds.mechanisms import Mechanism
    from twoworlds.theorems import Guarantee

    Explained: TypeAlias = str | Guarantee | Mechanism  # in Python; who types has texts alone
else:
    Explained = Annotated[str, "a guarantee such as 'dp(epsilon=1)', or a mechanism"]


def explain(what: Explained) -> Result:
    """Explain in plain words what a guarantee promises a person.

    >>> explain("dp(ratio=3)").answer().headline[-59:]
    'at most 75 right (50 without your data): strong protection.'
    """
    from twoworlds.report.promises import read_promise
    from twoworlds.theorems import Guarantee
    from twoworlds.theorems.promise import promise

    return promise(what) if isinstance(what, Guarantee) else read_promise(what)


def implies(
    guarantee: Annotated[str, "such as 'dp(epsilon=0.1, delta=1e-9)'"],
    to: Annotated[str, Name("another kind, such as semantic, or a whole claim")],
    records: Annotated[str | None, "how many records databases have"] = None,
    pairs: Annotated[str | None, "for coupled worlds: how many pairs of scrub and secret"] = None,
    values: Annotated[str | None, "how many values a record may have"] = None,
    symmetric: Annotated[bool, "the release ignores the order of records"] = False,
    tagged: Annotated[bool, "simulators are told whose record is missing"] = False,
    decided: Annotated[bool, "every secret is true or false, never undecided"] = False,
) -> Result:
    """Find what follows from a guarantee, and by which theorems."""
    from twoworlds.theorems import Guarantee

    facts = {"symmetric": symmetric, "tagged": tagged, "decided": decided}
    told = {name: "yes" for name, holds in facts.items() if holds}
    given = Guarantee.parse(guarantee)
    found = given.implies(to, records=records, pairs=pairs, values=values, **told)
    numbers = {} if found.best is None else found.best.numbers  # the answer itself, at the top
    return Told(found.answer(), {**numbers, **found.fields()})


def theorems(name: Annotated[str | None, Place("one of them, in full")] = None) -> Result:
    """List the theorems: as printed, corrected and tight."""
    from twoworlds.theorems import THEOREMS

    if name is not None:
        if name not in THEOREMS:
            raise UnknownName("theorem", name, THEOREMS)
        return THEOREMS[name]
    rows = [
        (
            one.name,
            one.statement,
            f"{one.citation}{' (false as printed)' if one.printed_false else ''}",
        )
        for one in THEOREMS.values()
    ]
    false = sum(one.printed_false for one in THEOREMS.values())
    said = Answer(
        f"{len(rows)} theorems, {false} of which are false as printed.",
        blocks=(Table(("name", "statement", "where"), rows, prose=(1, 2)),),
    )
    return Told(said, {"theorems": list(THEOREMS.values())})


def local(
    mechanism: Annotated[str | None, Place("the mechanism in question")] = None,
    belief: Annotated[str, "the attacker's belief"] = "uniform",
    ratio: Annotated[str | None, "e^epsilon, to hold where it can"] = None,
    epsilon: Annotated[str | None, "the same, as epsilon"] = None,
    delta: Annotated[str, "the probability of failing it"] = "0",
    default: Annotated[str | None, "the value that stands for no data"] = None,
    statistic: Annotated[
        str | None, "instead: calibrate Laplace noise for this statistic, Gaussian with --delta"
    ] = None,
    universe: Annotated[str | None, "its databases"] = None,
    threshold: Annotated[str | None, "a sensitivity that most databases do not exceed"] = None,
) -> Result:
    """Bound what an attacker with one belief learns, when most databases are good."""
    from twoworlds.mechanisms.named import mechanism as build
    from twoworlds.theorems import calibrate_locally, good_databases
    from twoworlds.worlds.beliefs import belief as build_belief
    from twoworlds.worlds.catalogue import statistic as build_statistic
    from twoworlds.worlds.catalogue import universe as build_universe

    if (mechanism is None) == (statistic is None):
        raise InvalidInput(
            "give a mechanism, such as 'geometric(ratio=2, bits=3)' with --ratio 2, or --statistic "
            "with --threshold: one of them"
        )
    if mechanism is not None:
        return good_databases(
            build(mechanism), belief, ratio=ratio, epsilon=epsilon, delta=delta, default=default
        )
    if statistic is None or universe is None or threshold is None or epsilon is None:
        raise InvalidInput("--statistic needs --universe, --threshold and --epsilon beside it")
    where = build_universe(universe)
    held, built = build_belief(belief, where), build_statistic(statistic, where)
    return calibrate_locally(
        built, where, held, threshold=threshold, epsilon=epsilon, noise_delta=delta
    )


def condition(
    first: Annotated[str, "a law of pairs: 's,1=1/10; c,1=9/10'"],
    second: Annotated[str, "another one"],
    inner: Annotated[str, Name("the delta allowed given the second coordinate")],
    ratio: Annotated[str | None, "e^epsilon"] = None,
    epsilon: Annotated[str | None, "the same, as epsilon"] = None,
) -> Result:
    """Compute how often two laws of pairs can be told apart, given the second coordinate."""
    from twoworlds.theorems import condition as find

    laws = _joint(first), _joint(second)
    return find(*laws, ratio=ratio, epsilon=epsilon, inner=inner)


def _joint(text: str) -> dict[tuple[object, object], object]:
    """Read a joint law such as ``s,1=1/10; c,1=9/10``."""
    law: dict[tuple[object, object], object] = {}
    for part in text.split(";"):
        pair, found, mass = part.partition("=")
        names = [name.strip() for name in pair.split(",")]
        if not found or len(names) != 2 or not all(names):
            raise InvalidInput(
                f"{part.strip()!r} is not the probability of a pair: write 's,1=1/10; c,1=9/10'"
            )
        if (names[0], names[1]) in law:
            raise InvalidInput(f"{pair.strip()} is given twice: name each pair once")
        law[names[0], names[1]] = mass.strip()
    return law
