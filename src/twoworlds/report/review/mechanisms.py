"""A review of a mechanism: does a claim hold, or what does it cost, and what does that mean.

The first page is for a reader who must decide: the answer in words, what it rests on, what it means
to a person, and what is not promised. The appendix is put together from the answers of others: the
worst case, pictures, one attacker, other definitions, theorems and the matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from twoworlds.answer import Block, Facts, Said, Table
from twoworlds.charts import Curves, HeatMap
from twoworlds.definitions import DEFINITIONS, DifferentialPrivacy, Verdict, Witness
from twoworlds.definitions.base import Compared
from twoworlds.definitions.semantics.posteriors import Games
from twoworlds.definitions.trade_off import trade_off
from twoworlds.errors import TwoWorldsError
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.named import mechanism as build_mechanism
from twoworlds.mechanisms.named.load import MECHANISMS
from twoworlds.numbers import INFINITY, above, counted, show, stated
from twoworlds.report.review.findings import Findings
from twoworlds.report.review.model import (
    ROOM,
    STRENGTHS,
    Review,
    Section,
    belief_charts,
    chain_blocks,
    strength_in,
)
from twoworlds.report.standing import brief
from twoworlds.show import Result
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE

_LONGEST = 40  # letters of a label in the matrix
_ANYBODY = (
    "nothing is assumed of the attacker, who may know all other records and believe anything; "
    "every pair of neighbours and every set of outputs is covered"
)
_ONE_RUN = "one run of the mechanism on these data, and nothing else released about them"
_AS_WRITTEN = (
    "the program that runs the mechanism draws from exactly these probabilities; the command "
    "twoworlds audit tests a program"
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
    "compose": "a series of outputs",
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
_CLAIMED = {"ratio": "ratio claimed", "epsilon": "epsilon claimed", "delta": "delta that it needs"}
_OVER_DATA = "over data and noise"  # in a sentence on beliefs that may fail
_MAY_FAIL = (
    "What holds over data and noise follows by twoworlds, S4, sharper than Kasiviswanathan & "
    "Smith, Theorem 2.4(1). It may fail with the probability named, and is about one person at a "
    "time where it names no number of people. Semantic privacy, further on, is about everybody at "
    "once, and is measured there without any exception."
)
_MATRIX = "What was reviewed: the probability of each output (rows) on each database (columns)."
_OTHERS = (
    "Each definition is measured on this mechanism: the smallest numbers with which it holds, whom "
    "it speaks of, and the worst case. Those about beliefs leave a person out by putting a default "
    "value in the place of their record."
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
        f"What {_called(built)} lets anyone learn about {_whom(dp.group)}",
        _question(verdict, _whom(dp.group)),
        "measured" if claimed is None else "holds" if verdict else "refuted",
        _headline(verdict, dp.group),
        tuple(_sentences(found)),
        tuple(_assumptions(found)),
        tuple(_sections(found)),
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
        f"{MECHANISMS[name].summary.partition(';')[0].rstrip('.')}."  # not how it is set
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


def _whom(group: int) -> str:
    return "a person" if group == 1 else f"a group of {group:,} people"


def _question(verdict: Verdict, whom: str) -> str:
    if verdict.holds is None:
        return (
            f"What does one output of this mechanism let anyone learn about {whom}, and what is "
            "its exact price in differential privacy?"
        )
    return f"Is it true that this mechanism satisfies {verdict.definition}?"


def _headline(verdict: Verdict, group: int) -> str:
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
    beside += "" if group == 1 else f", for groups of {group:,} people"
    return f"{verdict.mechanism} costs epsilon = {show(verdict.values['epsilon'])}{beside}."


def _assumptions(found: Findings) -> Iterator[str]:
    yield from (said.replace(" in reals()", "") for said in found.verdict.assumptions)
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
    of_dp = isinstance(found.claimed, DifferentialPrivacy)
    if found.verdict.holds is False and of_dp and "What does hold" not in said:
        yield f"What does hold: {_headline(found.price, found.dp.group)}"
    word = strength_in(found.price.sentence)
    if found.verdict.holds is False and word:
        yield f"The claim is wrong; what this mechanism does give is {STRENGTHS[word]} protection."


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
            yield ROOM


def _twice(found: Findings) -> str:
    people = found.setting.relation in (SUBSTITUTE, ADD_REMOVE) and found.dp.group == 1
    whom = ", or for two people whose records change together" if people else ""
    more = ", and delta grows, too" if found.price.values["delta"] != 0 else ""
    return f"the same for two runs{whom}: epsilon is then up to twice as high{more}"


def _meaning(found: Findings) -> Iterator[Block]:
    told = found.promise
    if told is None:
        yield Said(found.price.more)
        return
    if found.claimed is not None:
        by = "Against anybody at all, by" if _BELIEF in found.verdict.definition else "By"
        yield Said((f"{by} its exact price, which is {found.guarantee}:",), quiet=True)
    yield Said(found.meaning)
    if any(_OVER_DATA in said for said in found.meaning):
        yield Said((_MAY_FAIL,), quiet=True)
    answer = told.answer()
    for block in (*answer.blocks, *answer.more):
        if isinstance(block, Table):
            yield replace(block, numbers=True)


# --- the appendix ---------------------------------------------------------------------------------


def _sections(found: Findings) -> Iterator[Section]:
    """Yield the sections that follow the first page."""
    yield "The worst case", tuple(_worst(found))
    yield "In pictures", tuple(_pictures(found))
    if found.belief is not None:
        yield "One attacker", tuple(_attacker(found.belief, found.games))
    yield "Other definitions, and against whom they protect", tuple(_others(found))
    if found.guarantee is not None and found.price.values["ratio"] != INFINITY:
        yield "By which theorems", tuple(chain_blocks(found.implied))
    if matrix := [*_matrix(found.mechanism)]:
        yield "The mechanism itself", (Said((_MATRIX,), quiet=True), *matrix)


def _worst(found: Findings) -> Iterator[Block]:
    verdict = found.verdict
    names = _CLAIMED if isinstance(found.claimed, DifferentialPrivacy) else {}
    rows = [(names.get(n, n.replace("_", " ")), stated(x)) for n, x in verdict.values.items()]
    if verdict.witness is not None:
        rows += _joined(verdict.witness.facts())
    rows += [("note", note) for note in verdict.notes]
    if verdict.method:
        rows.append(("nothing worse", verdict.method))
    yield Facts(tuple(rows))
    if verdict is not found.price and isinstance(found.claimed, DifferentialPrivacy):
        value = show(found.price.values["epsilon"])
        with_delta = found.price.values["delta"]
        beside = "" if with_delta == 0 else f" at delta = {show(with_delta)}"
        yield Said((f"The exact price of this mechanism is epsilon = {value}{beside}.",))


def _joined(facts: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    """Join lines that go on without a label of their own."""
    rows: list[tuple[str, str]] = []
    for label, spaced in facts:
        fact = brief(" ".join(spaced.split()))
        if label or not rows:
            rows.append((label, fact))
        else:
            rows[-1] = (rows[-1][0], f"{rows[-1][1]}; {fact}")
    return rows


def _pictures(found: Findings) -> Iterator[Block]:
    if found.promise is not None:
        yield from belief_charts(found.promise, found.price.values["delta"])
    yield from _drawn("the profile", lambda: found.dp.profile(found.mechanism))
    witness = found.price.witness
    if isinstance(witness, Witness):
        yield from _drawn("the best test", lambda: trade_off(witness.mechanism, *witness.databases))


def _drawn(name: str, ask: Callable[[], Result]) -> Iterator[Block]:
    """Yield the chart of an answer, with its sentence; or why there is none."""
    try:
        answer = ask().answer()
    except (TwoWorldsError, OverflowError) as error:
        yield Said((f"There is no picture of {name}: {error}.",), quiet=True)
        return
    for block in answer.blocks:
        if isinstance(block, Curves):
            title = brief(f"{name[:1].upper()}{name[1:]}: {answer.claim}")
            lines = [one for one in block.lines if not one.name.startswith("bound")]  # few fit here
            yield replace(block, title=title, words=brief(answer.headline), lines=lines)


def _others(found: Findings) -> Iterator[Block]:
    rows = tuple(
        (
            one.definition.replace("-", " "),
            one.numbers if one.holds else "fails",
            f"{one.against}\n{one.worst}" if one.worst else one.against,
        )
        for one in found.others
        if one.verdict is not None
    )
    yield Table(("definition", "holds with", "against whom; worst case"), rows, lead=_OTHERS)
    without = [one for one in found.others if one.verdict is None]
    if without:
        told = "; ".join(f"{one.definition}: {one.reason}" for one in without)
        yield Said((f"Not asked here: {told}.",), quiet=True)


def _matrix(mechanism: Mechanism) -> Iterator[Block]:
    """Yield the matrix of a small mechanism, as a table of numbers."""
    for chart in mechanism.answer().blocks:
        if isinstance(chart, HeatMap):
            rows = tuple((name, *(text for text, _ in cells)) for name, cells in chart.rows)
            heads = ("output", *chart.heads)
            if all(len(label) <= _LONGEST for label in (*heads, *(row[0] for row in rows))):
                yield Table(heads, rows, numbers=True)


def _attacker(belief: str, found: list[Games]) -> Iterator[Block]:
    """Yield what the attacker concludes: from the worst output in full, from all in a table."""
    worst = max(found, key=lambda games: above(games.worst))
    answer = worst.answer()
    label = worst.mechanism.outputs.label(worst.output)
    yield Said(
        (
            f"The attacker believes {belief}. The output that tells most about one person is "
            f"{label}. {answer.headline}",
        )
    )
    yield from answer.blocks
    yield Table(
        ("output", "moved from before", "with and without you, at most"),
        tuple(
            (games.mechanism.outputs.label(games.output), stated(games.moved), stated(games.worst))
            for games in found
        ),
        numbers=True,
    )
    yield Said(
        (
            *answer.assumptions,
            "The first number may be large because something was learned about everybody; the "
            "second is what a person is owed.",
        ),
        quiet=True,
    )
