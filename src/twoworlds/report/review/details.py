"""The details of a review: the worst case, pictures, other definitions, theorems, the matrix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from twoworlds.answer import Block, Facts, Said, Table
from twoworlds.charts import odds
from twoworlds.charts import profile as profile_chart
from twoworlds.charts import trade_off as trade_off_chart
from twoworlds.definitions import DifferentialPrivacy, Witness
from twoworlds.definitions.trade_off import misses, trade_off
from twoworlds.errors import TwoWorldsError, Unsupported
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import INFINITY, Number, above, below, decimal, show, stated
from twoworlds.report.review.attacker import attacker_blocks
from twoworlds.report.review.chain import chain_blocks
from twoworlds.report.review.findings import Findings
from twoworlds.report.review.model import Section
from twoworlds.report.standing import brief
from twoworlds.theorems import Guarantee
from twoworlds.theorems.promise import sentences, table

_SHOWN = 16
_LONGEST = 40  # letters of a label in the matrix
_CLAIMED = {
    "ratio": "ratio claimed",
    "epsilon": "epsilon claimed",
    "delta": "delta that it needs",
}
_GRID = [Fraction(k * k, 3600) for k in range(61)]
_MATRIX = "What was reviewed: the probability of each output (rows) on each database (columns)."
_OTHERS = (
    "Each definition is measured on this mechanism: the smallest numbers with which it holds, whom "
    "it speaks of, and the worst case. Those about beliefs leave a person out by putting a default "
    "value in the place of their record."
)


def details(found: Findings) -> Iterator[Section]:
    """Yield the sections that follow the first page."""
    yield Section("The worst case", tuple(_worst(found)))
    yield Section("In pictures", tuple(_pictures(found)))
    if found.belief is not None:
        yield Section("One attacker", tuple(attacker_blocks(found.belief, found.games)))
    yield Section("Other definitions, and against whom they protect", tuple(_others(found)))
    if found.guarantee is not None and found.price.values["ratio"] != INFINITY:
        yield Section("By which theorems", tuple(chain_blocks(found.guarantee, found.implied)))
    matrix = _matrix(found.mechanism)
    if matrix is not None:
        yield Section("The mechanism itself", (matrix,))


def _odds(found: Findings, given: Guarantee) -> Iterator[Block]:
    ratio, delta = given.ratio, given.delta
    if ratio == INFINITY or above(ratio) > 1e15:
        return
    if delta != 0:
        curves = [("at most", above(ratio))]
    else:
        most = ratio**2 if found.swing is None else found.swing
        curves = [("anybody", above(ratio))]
        if table(given) and most != ratio:
            curves = [("knows all others", above(ratio)), ("any belief", above(most))]
    words = " ".join(sentences(given, swing=found.swing))
    below_it = (
        "What has the probability on the horizontal axis in one world has at most that of the "
        "curve in the other."
        if delta != 0
        else "A belief on the horizontal axis can become at most that on the curve."
    )
    yield odds(curves, f"{below_it} {words}", delta=above(delta))


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


def _pictures(found: Findings) -> Iterator[Block]:
    if found.guarantee is not None:
        yield from _odds(found, found.guarantee)
    try:
        profile = found.dp.profile(found.mechanism)
        points = profile.points()
        words = _profile_words(points[0][1], *points[-1])
        drawn = [(above(ratio), above(delta)) for ratio, delta in points]
        if drawn[-1][0] > 1e200:
            raise Unsupported("the ratios of this profile are beyond any scale")
        yield profile_chart(drawn, words)
    except TwoWorldsError as error:
        yield Said((f"There is no picture of the profile: {error}.",), quiet=True)
    yield from _test(found)


def _test(found: Findings) -> Iterator[Block]:
    witness = found.price.witness
    if not isinstance(witness, Witness):
        return
    try:
        curve = trade_off(witness.mechanism, *witness.databases)
        found_on_it = curve.corners or curve.points(_GRID)
    except TwoWorldsError as error:
        yield Said((f"There is no picture of the best test: {error}.",), quiet=True)
        return
    points = [(below(one.level), below(misses(one.power))) for one in found_on_it]
    title, words = brief(f"The best test for {curve.title}"), brief(curve.sentence())
    yield replace(trade_off_chart(points, words), title=title)


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


def _matrix(mechanism: Mechanism) -> Table | None:
    sizes = (mechanism.universe.size, mechanism.outputs.size)
    if any(size is None or size > _SHOWN for size in sizes):
        return None
    heads = ("output", *(mechanism.universe.label(x) for x in mechanism.universe))
    labels = [mechanism.outputs.label(o) for o in mechanism.outputs]
    if any(len(label) > _LONGEST for label in (*heads, *labels)):
        return None
    rows = tuple(
        (label, *(_short(p) for p in mechanism.row(o).values()))
        for label, o in zip(labels, mechanism.outputs, strict=True)
    )
    return Table(heads, rows, numbers=True, lead=_MATRIX)


def _short(x: Number) -> str:
    text = str(x)
    return text if len(text) < 16 and "Real" not in text else decimal(x, 4, "about")


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


def _profile_words(first: Number, ratio: Number, last: Number) -> str:
    said = f"At ratio 1, where epsilon is 0, delta is {decimal(first, 3, 'about')}"
    if ratio == 1:
        return f"{said}, and it stays there however large the ratio."
    return f"{said}. It is {decimal(last, 3, 'about')} at ratio {decimal(ratio, 4, 'about')}."
