"""A review of a mechanism: does a claim hold, or what does it cost, and what does that mean.

The order is that of a reader who must decide: the answer in words, what it rests on, what it means
to a person, the worst case, pictures, other definitions, theorems, the mechanism itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from twoworlds.cards import odds_chart, profile_chart, trade_off_chart
from twoworlds.definitions import DEFINITIONS, DifferentialPrivacy, Verdict, Witness
from twoworlds.definitions.base import Compared
from twoworlds.definitions.trade_off import misses, trade_off
from twoworlds.definitions.words import percent, percent_above
from twoworlds.errors import TwoWorldsError, Unsupported
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.named import mechanism as build_mechanism
from twoworlds.numbers import INFINITY, Number, above, below, decimal, show
from twoworlds.report.profile import corners, samples
from twoworlds.report.review.attacker import attacker_blocks
from twoworlds.report.review.chain import chain_blocks
from twoworlds.report.review.findings import Findings
from twoworlds.report.review.model import Block, Facts, Grid, Picture, Review, Said, Section
from twoworlds.theorems import Guarantee
from twoworlds.theorems.words import sentences, table

__all__ = ["review_mechanism"]

_SHOWN = 16
_CLAIMED = {
    "ratio": "ratio claimed",
    "epsilon": "epsilon claimed",
    "delta": "delta that it needs",
}
_GRID = [Fraction(k * k, 3600) for k in range(61)]
_ANYBODY = (
    "nothing is assumed of the attacker, who may know all other records and believe anything; the "
    "promise is about probabilities of outputs"
)
_EVERY = "every pair of neighbours, every output and every set of outputs is covered"
_ONE_RUN = (
    "one run of the mechanism: each further release about the same people adds to what is learned"
)
_AS_WRITTEN = (
    "the mechanism draws from exactly these probabilities: whether a program does so is another "
    "question, which twoworlds audit asks"
)
_MATRIX = "What was reviewed: the probability of each output (rows) on each database (columns)."


def review_mechanism(
    given: str | Mechanism,
    *,
    claim: str | None = None,
    belief: str | None = None,
    neighbours: str | None = None,
    group: object = None,
    universe: str | None = None,
    title: str | None = None,
    reviewers: tuple[str, ...] = (),
    command: str | None = None,
) -> Review:
    """Review a mechanism.

    Args:
        given: the mechanism, or what one would type for it.
        claim: a definition with its numbers, such as ``dp(epsilon=1)``; measured if left out.
        belief: an attacker's belief to look at besides, such as ``independent(3/4, 1/2)``.
        neighbours: the neighbour relation.
        group: how many people may differ at once.
        universe: what the columns of a matrix file are.
        title: of the page.
        reviewers: who will sign.
        command: what was typed to make it.

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
        title or f"What {built.expression} lets anyone learn about a person",
        _question(built, verdict),
        "measured" if claimed is None else "holds" if verdict else "refuted",
        _headline(verdict),
        (verdict.sentence,),
        tuple(_assumptions(found)),
        tuple(_sections(found)),
        found.proof,
        found.data(),
        command,
        reviewers,
    )


def _question(built: Mechanism, verdict: Verdict) -> str:
    if verdict.holds is None:
        return (
            f"What does one output of {built.expression} let anyone learn about a person, and what "
            "is its exact price in differential privacy?"
        )
    return f"Is it true that {built.expression} satisfies {verdict.definition}?"


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
        yield _EVERY
        yield _ANYBODY
    yield _ONE_RUN
    yield _AS_WRITTEN
    yield (
        "numbers are exact; where no exact form exists they are enclosed, and shown rounded to "
        "the side that does not flatter"
        if found.verdict.exact
        else "the mechanism is known in floats only: numbers carry proven error bounds"
    )


def _sections(found: Findings) -> Iterator[Section]:
    yield Section("What it means to a person", tuple(_meaning(found)))
    yield Section("The worst case", tuple(_worst(found)))
    yield Section("At every epsilon, and as a test", tuple(_pictures(found)))
    if found.belief is not None:
        yield Section("One attacker", tuple(attacker_blocks(found.belief, found.games)))
    yield Section("Other definitions, and against whom they protect", tuple(_others(found)))
    if found.guarantee is not None and found.price.values["ratio"] != INFINITY:
        yield Section("By which theorems", tuple(chain_blocks(found.guarantee, found.implied)))
    matrix = _matrix(found.mechanism)
    if matrix is not None:
        yield Section("The mechanism itself", (Said((_MATRIX,), quiet=True), matrix))


def _meaning(found: Findings) -> Iterator[Block]:
    if found.guarantee is None:
        yield Said((found.price.sentence,))
        return
    given = found.guarantee
    if found.claimed is not None:
        yield Said((f"By its exact price, which is {given}:",), quiet=True)
    yield Said(tuple(sentences(given, swing=found.swing)))
    rows = tuple(
        (percent(prior), *(percent_above(prior, value) for value in most))
        for prior, *most in table(given, swing=found.swing)
    )
    if rows:
        yield Grid(
            (
                "belief without your data",
                "with it, if they know all others: at most",
                "with it, whatever they believe: at most",
            ),
            rows,
            numbers=True,
        )
    yield from _odds(found, given)


def _odds(found: Findings, given: Guarantee) -> Iterator[Block]:
    ratio, delta = given.ratio, given.delta
    if ratio == INFINITY or above(ratio) > 1e15:
        return
    curves = [("knows all others", above(ratio))]
    title = "How far a belief can move"
    if delta != 0:
        curves, title = [("at most", above(ratio))], "How much likelier anything can become"
    elif table(given):
        most = ratio**2 if found.swing is None else found.swing
        curves.append(("any belief", above(most)))
    words = " ".join(sentences(given, swing=found.swing))
    below_it = (
        "What has the probability on the horizontal axis in one world has at most that of the "
        "curve in the other."
        if delta != 0
        else "A belief on the horizontal axis can become at most that on the curve."
    )
    yield Picture(title, below_it, odds_chart(curves, words, delta=above(delta)))


def _worst(found: Findings) -> Iterator[Block]:
    verdict = found.verdict
    names = _CLAIMED if isinstance(found.claimed, DifferentialPrivacy) else {}
    rows = [(names.get(n, n.replace("_", " ")), show(x)) for n, x in verdict.values.items()]
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


def _pictures(found: Findings) -> Iterator[Block]:
    try:
        profile = found.dp.profile(found.mechanism)
        try:
            points = corners(profile)
        except Unsupported:
            points = samples(profile)
        words = _profile_words(points[0].delta, points[-1].ratio, points[-1].delta)
        drawn = [(above(ratio), above(delta)) for ratio, delta in points]
        if drawn[-1][0] > 1e200:
            raise Unsupported("the ratios of this profile are beyond any scale")
        title = "The delta that is left at every ratio"
        yield Picture(title, words, profile_chart(drawn, words))
    except TwoWorldsError as error:
        yield Said((f"There is no picture of the profile: {error}.",), quiet=True)
    yield from _test(found)


def _test(found: Findings) -> Iterator[Block]:
    witness = found.price.witness
    if not isinstance(witness, Witness):
        return
    try:
        curve = trade_off(witness.mechanism, *witness.databases)
        drawn = curve.corners or curve.points(_GRID)
    except TwoWorldsError as error:
        yield Said((f"There is no picture of the best test: {error}.",), quiet=True)
        return
    points = [(below(one.level), below(misses(one.power))) for one in drawn]
    title = f"The best test for {curve.title}"
    yield Picture(title, curve.explain(), trade_off_chart(points, curve.explain()))


def _others(found: Findings) -> Iterator[Block]:
    yield Said(
        (
            "Each definition is measured on this mechanism: the smallest numbers with which it "
            "holds, whom it speaks of, and the worst case. Those about beliefs leave a person out "
            "by putting a default value in the place of their record.",
        ),
        quiet=True,
    )
    rows = tuple(
        (
            one.definition,
            one.numbers,
            f"{one.against}. {one.worst}." if one.worst else f"{one.against}.",
        )
        for one in found.others
        if one.verdict is not None
    )
    yield Grid(("definition", "holds with", "against whom; worst case"), rows)
    without = [one for one in found.others if one.verdict is None]
    if without:
        told = "; ".join(f"{one.definition}: {one.reason}" for one in without)
        yield Said((f"Not asked here: {told}.",), quiet=True)


def _matrix(mechanism: Mechanism) -> Grid | None:
    sizes = (mechanism.universe.size, mechanism.outputs.size)
    if any(size is None or size > _SHOWN for size in sizes):
        return None
    heads = ("output", *(mechanism.universe.label(x) for x in mechanism.universe))
    rows = tuple(
        (mechanism.outputs.label(o), *(_short(p) for p in mechanism.row(o).values()))
        for o in mechanism.outputs
    )
    return Grid(heads, rows, numbers=True)


def _short(x: Number) -> str:
    text = str(x)
    return text if len(text) < 16 and "Real" not in text else decimal(x, 4)


def _joined(facts: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    """Join lines that go on without a label of their own."""
    rows: list[tuple[str, str]] = []
    for label, spaced in facts:
        fact = " ".join(spaced.split())
        if label or not rows:
            rows.append((label, fact))
        else:
            rows[-1] = (rows[-1][0], f"{rows[-1][1]}; {fact}")
    return rows


def _profile_words(first: Number, ratio: Number, last: Number) -> str:
    said = f"At ratio 1, where epsilon is 0, delta is {decimal(first, 3)}"
    if ratio == 1:
        return f"{said}, and it stays there however large the ratio."
    return f"{said}. It falls to {decimal(last, 3)} at ratio {decimal(ratio, 4)}."
