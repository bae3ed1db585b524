"""The details of a review: what is found out about a mechanism, and the sections that say it.

`Findings` computes each thing once, and only when it is needed. Then come the worst case, pictures,
one attacker, other definitions, theorems and the matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from twoworlds.answer import Block, Facts, Said, Table
from twoworlds.charts import BLUE, GREY, ORANGE, Bar, GroupedBars, odds
from twoworlds.charts import profile as profile_chart
from twoworlds.charts import trade_off as trade_off_chart
from twoworlds.definitions import (
    DifferentialPrivacy,
    PrivacyDefinition,
    Verdict,
    Witness,
    measure,
)
from twoworlds.definitions.base import Setting
from twoworlds.definitions.semantics.games import play
from twoworlds.definitions.semantics.posteriors import Games
from twoworlds.definitions.trade_off import misses, trade_off
from twoworlds.definitions.words import percent
from twoworlds.errors import InvalidInput, TwoWorldsError, Unsupported
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import INFINITY, Number, above, below, decimal, show, stated, to_json
from twoworlds.report.review.chain import chain_blocks, chains
from twoworlds.report.review.model import ProofFile, Section
from twoworlds.report.review.proving import prove
from twoworlds.report.standing import Standing, brief, many_records, standings
from twoworlds.theorems import Guarantee
from twoworlds.theorems.implication import Implication
from twoworlds.theorems.promise import guess_of, sentences, table
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE, Point, Records
from twoworlds.worlds.beliefs import belief as build_belief

_USUAL_DELTA = "1e-6"  # where no epsilon holds without a delta and none was asked about


@dataclass(frozen=True)
class Findings:
    """Everything that is found out about a mechanism.

    ``dp`` is differential privacy with the neighbours and the group size of the question;
    ``universe`` says what the columns of a matrix file are.
    """

    mechanism: Mechanism
    dp: DifferentialPrivacy
    claimed: PrivacyDefinition | None
    belief: str | None
    universe: str | None

    @cached_property
    def setting(self) -> Setting:
        """The mechanism with its neighbours."""
        return self.dp.setting(self.mechanism)

    @cached_property
    def verdict(self) -> Verdict:
        """The answer: whether the claim holds, or the price."""
        return self.price if self.claimed is None else self.claimed.check(self.mechanism)

    @cached_property
    def price(self) -> Verdict:
        """The smallest ratio: without a delta if there is one, else with the delta claimed."""
        found = self.dp.tightest(self.mechanism)
        if found.values["ratio"] != INFINITY:
            return found
        delta: object = getattr(self.claimed, "delta", None) or _USUAL_DELTA
        with_delta = self.dp.ratio_at(self.mechanism, delta)
        if with_delta.values["ratio"] == INFINITY:
            return found
        return replace(with_delta, notes=(*with_delta.notes, *found.notes))

    @cached_property
    def guarantee(self) -> Guarantee | None:
        """The price as the theorems know it; None for neighbours that they do not speak of."""
        relation = self.setting.relation
        if relation not in (SUBSTITUTE, ADD_REMOVE):
            return None
        where = self.mechanism.universe
        records = where.n if isinstance(where, Records) and where.fixed else None
        return Guarantee.of(
            "dp",
            ratio=self.price.values["ratio"],
            delta=self.price.values["delta"],
            neighbours=relation,
            group=self.dp.group,
            records=records,
        )

    @cached_property
    def swing(self) -> Number | None:
        """How far answers of this mechanism move odds, where that is less than the square."""
        plain = self.setting.relation == SUBSTITUTE and self.dp.group == 1
        plain = plain and not many_records(self.mechanism)
        if not plain or self.price.values["delta"] != 0 or self.price.values["ratio"] == INFINITY:
            return None
        try:
            return measure(self.mechanism, definition="semantic").values["swing"]
        except TwoWorldsError:
            return None

    @cached_property
    def meaning(self) -> tuple[str, ...]:
        """The price in odds and beliefs; the guess that it allows is left to the price itself."""
        if self.guarantee is None:
            return ()
        said = tuple(sentences(self.guarantee, swing=self.swing))
        return said if guess_of(self.guarantee) is None else said[1:]

    @cached_property
    def games(self) -> list[Games]:
        """What the attacker concludes from each output."""
        return [] if self.belief is None else games_of(self.mechanism, self.belief)

    @cached_property
    def others(self) -> list[Standing]:
        """Where the mechanism stands by other definitions."""
        asked = self.dp
        found = standings(
            self.mechanism, self.belief, neighbours=asked.neighbours, group=asked.group
        )
        return [*found]

    @cached_property
    def implied(self) -> list[Implication]:
        """What follows from the price, by theorems."""
        return [] if self.guarantee is None else chains(self.guarantee)

    @cached_property
    def proof(self) -> ProofFile:
        """What can be checked again."""
        where = self.universe
        return prove(self.verdict, self.price, self.setting, self.claimed, universe=where)

    def data(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        found: dict[str, Any] = {
            "kind": "mechanism",
            "mechanism": self.mechanism.expression,
            "verdict": self.verdict.to_dict(),
            "price": self.price.to_dict(),
            "meaning": None
            if self.guarantee is None
            else {
                "guarantee": self.guarantee.to_dict(),
                "sentences": self.meaning,
                "swing": None if self.swing is None else to_json(self.swing),
            },
            "definitions": [one.to_dict() for one in self.others],
            "theorems": [one.to_dict() for one in self.implied],
        }
        if self.belief is not None:
            found["belief"] = self.belief
            found["attacker"] = [games.to_dict() for games in self.games]
        return found


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
    yield "The worst case", tuple(_worst(found))
    yield "In pictures", tuple(_pictures(found))
    if found.belief is not None:
        yield "One attacker", tuple(attacker_blocks(found.belief, found.games))
    yield "Other definitions, and against whom they protect", tuple(_others(found))
    if found.guarantee is not None and found.price.values["ratio"] != INFINITY:
        yield "By which theorems", tuple(chain_blocks(found.guarantee, found.implied))
    matrix = _matrix(found.mechanism)
    if matrix is not None:
        yield "The mechanism itself", (matrix,)


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
    words = " ".join(found.meaning)
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
    return f"{said}. It is {decimal(last, 3, 'at most')} at ratio {decimal(ratio, 4, 'about')}."


# --- one attacker ---------------------------------------------------------------------------------

_MOST_OUTPUTS, _MOST_DATABASES = 64, 12


def games_of(mechanism: Mechanism, belief: str) -> list[Games]:
    """Play the games for every output that the belief does not rule out.

    Raises:
        InvalidInput: where there are no persons, or more outputs than can be tried.
    """
    if not isinstance(mechanism.universe, Records) or not mechanism.universe.fixed:
        raise InvalidInput(
            f"--belief: {mechanism.universe.expression} has no fixed list of records to leave "
            "people out of; take a mechanism on bits or records"
        )
    size = mechanism.outputs.size
    if size is None or size > _MOST_OUTPUTS:
        raise InvalidInput(
            f"--belief: {mechanism.expression} has more than {_MOST_OUTPUTS} outputs; ask about "
            "one of them with: twoworlds posterior MECHANISM --belief BELIEF --output OUTPUT"
        )
    held = build_belief(belief, mechanism.universe)
    return [
        play(mechanism, held, output)
        for output in mechanism.outputs
        if any(mechanism.probability(output, x) != 0 for x in held)
    ]


def attacker_blocks(belief: str, found: list[Games]) -> Iterator[Block]:
    """Yield what the attacker concludes: from the worst output in full, from all in a table."""
    worst = max(found, key=lambda games: above(games.worst))
    label = worst.mechanism.outputs.label(worst.output)
    person = _person(worst)
    without = worst.without[person]
    yield Said(
        (
            f"The attacker believes {belief}. The output that tells most about one person is "
            f"{label}: it moves the belief by {percent(worst.moved, side='about')} of probability "
            "from before, "
            f"and the data of person {person + 1} makes a difference of "
            f"{percent(worst.worst, side='about')}.",
        )
    )
    universe = worst.mechanism.universe
    databases = list(worst.prior)[:_MOST_DATABASES]
    groups = []
    for x in databases:
        after = None if without is None else without[x]
        bars = [
            Bar("before", above(worst.prior[x]), GREY),
            Bar("with your data", above(worst.with_everyone[x]), BLUE),
        ]
        if after is not None:
            bars.append(Bar("without it", above(after), ORANGE))
        groups.append((f"database {universe.label(x)}", bars))
    words = _words(worst, person, databases)
    title = f"Belief in each database, before and after output {label}"
    yield GroupedBars(title, groups, words)
    heads = ("output", "moved from before", "with and without you, at most")
    rows = tuple(
        (
            games.mechanism.outputs.label(games.output),
            stated(games.moved),
            stated(games.worst),
        )
        for games in found
    )
    yield Table(heads, rows, numbers=True)
    yield Said(
        (
            "Without a person: with "
            f"{worst.default} in the place of that person's record. The first number may be large "
            "because something was learned about everybody; the second is what a person is owed.",
        ),
        quiet=True,
    )


def _person(games: Games) -> int:
    """Return whose data makes the largest difference; an impossible output is the largest."""
    sizes = [float("inf") if d is None else above(d) for d in games.differences]
    return sizes.index(max(sizes))


def _words(games: Games, person: int, databases: list[Point]) -> str:
    universe, without = games.mechanism.universe, games.without[person]

    def told(x: Point) -> str:
        after: Number | None = None if without is None else without[x]
        last = (
            "impossible without them"
            if after is None
            else f"{percent(after, side='about')} without"
        )
        return (
            f"{universe.label(x)}: {percent(games.prior[x], side='about')} before, "
            f"{percent(games.with_everyone[x], side='about')} with everyone, {last}"
        )

    return f"Person {person + 1} left out. " + "; ".join(map(told, databases)) + "."
