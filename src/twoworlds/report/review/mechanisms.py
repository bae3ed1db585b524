"""A review of a mechanism: does a claim hold, or what does it cost, and what does that mean.

The first page is for a reader who must decide: the answer in words, what it rests on, what it means
to a person, and what is not promised. `details` gives the rest.
"""

from __future__ import annotations

from collections.abc import Iterator

from twoworlds.answer import Block, Said, Table
from twoworlds.definitions import DEFINITIONS, DifferentialPrivacy, Verdict
from twoworlds.definitions.base import Compared
from twoworlds.definitions.words import percent, percent_above
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.named import mechanism as build_mechanism
from twoworlds.mechanisms.named.load import MECHANISMS
from twoworlds.numbers import INFINITY, counted, show
from twoworlds.report.review.details import Findings, details
from twoworlds.report.review.model import Review
from twoworlds.theorems.promise import table
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE

_ANYBODY = (
    "nothing is assumed of the attacker, who may know all other records and believe anything; "
    "every pair of neighbours and every set of outputs is covered"
)
_ONE_RUN = "one run of the mechanism on these data, and nothing else released about them"
_AS_WRITTEN = (
    "the mechanism draws from exactly these probabilities; whether a program does, twoworlds audit "
    "asks"
)
_EVERYBODY = (
    "that nothing about you is learned: what holds of everybody, such as that a habit makes people "
    "ill, is learned with your data or without them, and can be applied to you"
)
_BELIEF = "belief="  # in the text of a claim that rests on one
_OTHER_BELIEFS = (
    "anything against an attacker who does not believe what the claim assumes; against anybody "
    "counts the price in differential privacy"
)
_CALLED = {  # where the name of a mechanism makes no subject of a sentence
    "adaptive": "an adaptive series of queries",
    "batch": "a batch of queries",
    "constant": "a constant output",
    "differenced-negative-binomial": "differenced negative binomial noise",
    "discrete-gaussian": "discrete Gaussian noise",
    "exact": "an exact statistic",
    "gaussian": "Gaussian noise",
    "geometric": "geometric noise",
    "identity": "publishing the database",
    "laplace": "Laplace noise",
    "mix": "a choice between two mechanisms",
    "pair": "a pair of mechanisms",
    "restrict": "a mechanism on some databases",
    "skellam": "Skellam noise",
    "then": "a mechanism with post-processing",
    "truncated-geometric": "truncated geometric noise",
}
_ROOM = (
    "protection in every single case: delta leaves room for outputs, however unlikely, that give "
    "somebody away"
)


def review_mechanism(
    given: str | Mechanism,
    *,
    claim: str | None = None,
    belief: str | None = None,
    neighbours: str | None = None,
    group: object = None,
    universe: str | None = None,
) -> Review:
    """Review a mechanism; `dataclasses.replace` adds purpose, names and the like.

    Args:
        given: the mechanism, or what one would type for it.
        claim: a definition with its numbers, such as ``dp(epsilon=1)``; measured if left out.
        belief: an attacker's belief to look at besides, such as ``independent(3/4, 1/2)``.
        neighbours: the neighbour relation.
        group: how many people may differ at once.
        universe: what the columns of a matrix file are.

    Raises:
        InvalidInput: for what is no mechanism, definition or belief.
        Undecided: when the claim is too close to its limit to be decided.
    """
    built = given if isinstance(given, Mechanism) else build_mechanism(given, universe=universe)
    beside = {"neighbours": neighbours, "group": group}
    told = {name: value for name, value in beside.items() if value is not None}
    claimed = None if claim is None else DEFINITIONS.build(claim, **told)
    asked = claimed if isinstance(claimed, Compared) else DEFINITIONS.build("dp", **told)
    assert isinstance(asked, Compared)
    dp = DifferentialPrivacy(neighbours=asked.neighbours, group=asked.group)
    found = Findings(built, dp, claimed, belief, universe)
    verdict = found.verdict
    if claimed is not None:
        bool(verdict)  # refuses to go on where the claim is undecided
    return Review(
        f"What {_called(built)} lets anyone learn about a person",
        _question(verdict),
        "measured" if claimed is None else "holds" if verdict else "refuted",
        _headline(verdict),
        tuple(_sentences(found)),
        tuple(_assumptions(found)),
        tuple(details(found)),
        found.proof,
        found.data(),
        subject=tuple(_subject(found)),
        guess=found.price.sentence,
        chance=found.price.values["guess"],
        meaning=tuple(_meaning(found)),
        limits=tuple(_limits(found)),
    )


def _called(built: Mechanism) -> str:
    """Return what a mechanism is called in a title: its name, or a short expression."""
    name, call, _ = built.expression.partition("(")
    if not call or name not in MECHANISMS:
        return built.expression
    return _CALLED.get(name, name.replace("-", " "))


def _subject(found: Findings) -> Iterator[tuple[str, str]]:
    built = found.mechanism
    name = built.expression.partition("(")[0]
    words = (
        MECHANISMS[name].summary
        if name in MECHANISMS
        else f"{counted(built.outputs.size, 'output')} on "
        f"{counted(built.universe.size, 'database')}."
        if built.universe.size is not None and built.outputs.size is not None
        else ""
    )
    yield "mechanism", f"{built.expression}\n{words}"
    if found.claimed is not None:
        claimed = found.verdict.definition.partition("(")[0]
        words = DEFINITIONS[claimed].summary if claimed in DEFINITIONS else ""
        yield "claim", f"{found.verdict.definition}\n{words}"


def _question(verdict: Verdict) -> str:
    if verdict.holds is None:
        return (
            "What does one output of this mechanism let anyone learn about a person, and what is "
            "its exact price in differential privacy?"
        )
    return f"Is it true that this mechanism satisfies {verdict.definition}?"


def _headline(verdict: Verdict) -> str:
    if verdict.holds is True:
        return f"The claim holds: {verdict.mechanism} is {verdict.definition}."
    if verdict.holds is False:
        return f"The claim does NOT hold: {verdict.mechanism} is not {verdict.definition}."
    if verdict.values["ratio"] == INFINITY:
        return f"No epsilon holds for {verdict.mechanism}, however large."
    with_delta = verdict.values["delta"]
    beside = (
        "" if with_delta == 0 else f" with delta = {show(with_delta)}; without a delta none holds"
    )
    return f"{verdict.mechanism} costs epsilon = {show(verdict.values['epsilon'])}{beside}."


def _assumptions(found: Findings) -> Iterator[str]:
    yield from found.verdict.assumptions
    if found.claimed is None or isinstance(found.claimed, Compared):
        yield _ANYBODY
    yield _ONE_RUN
    yield _AS_WRITTEN
    yield (
        "numbers are exact; where no exact form exists they are enclosed, and shown rounded to "
        "the side that does not flatter"
        if found.verdict.exact
        else "the mechanism is known in floats only: numbers carry proven error bounds"
    )


def _sentences(found: Findings) -> Iterator[str]:
    """Say what the verdict says besides the guess, and what does hold where the claim does not."""
    said = found.verdict.sentence.removesuffix(found.price.sentence).strip()
    if said:
        yield said
    said_already = "What does hold" in said
    if (
        found.verdict.holds is False
        and isinstance(found.claimed, DifferentialPrivacy)
        and not said_already
    ):
        yield f"What does hold: {_headline(found.price)}"


def _limits(found: Findings) -> Iterator[str]:
    price = found.price.values
    if found.claimed is not None and _BELIEF in found.verdict.definition:
        yield _OTHER_BELIEFS
    if price["ratio"] == INFINITY:
        yield "a bound, whatever is believed, on what one output tells about a person"
    yield _EVERYBODY
    if price["ratio"] != INFINITY:
        yield _twice(found)
        if price["delta"] != 0:
            yield _ROOM


def _twice(found: Findings) -> str:
    people = found.setting.relation in (SUBSTITUTE, ADD_REMOVE) and found.dp.group == 1
    whom = ", or for two people whose records change together" if people else ""
    more = ", and delta grows, too" if found.price.values["delta"] != 0 else ""
    return f"the same for two runs{whom}: epsilon is then up to twice as high{more}"


def _meaning(found: Findings) -> Iterator[Block]:
    if found.guarantee is None:
        yield Said(found.price.more)
        return
    given = found.guarantee
    if found.claimed is not None:
        by = "Against anybody at all, by" if _BELIEF in found.verdict.definition else "By"
        yield Said((f"{by} its exact price, which is {given}:",), quiet=True)
    yield Said(found.meaning)
    rows = tuple(
        (percent(prior), *(percent_above(prior, value) for value in most))
        for prior, *most in table(given, swing=found.swing)
    )
    if rows:
        yield Table(
            (
                "belief without your data",
                "with it at most, if they know all others",
                "with it at most, whatever they believe",
            ),
            rows,
            numbers=True,
        )
