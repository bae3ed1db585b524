r"""What is found out about a mechanism for its review, each thing once, and its proof.

The proof is a certificate that `twoworlds verify` checks, where there is one:

    refuted    P(E | x) > a P(E | y) + delta for one event: three numbers that violate one
               inequality. What is irrational is rounded against us: the first probability down,
               everything else up.
    price      of a finite mechanism in rational numbers, with delta = 0: every likelihood row
               satisfies x_D <= r x_E for all neighbours, and one row attains it.
    no price   P(E | x) > 0 = P(E | y) for one event.

For anything else the file holds the answer itself, and checking it means asking again.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from twoworlds.cones.certificates import Certificate
from twoworlds.definitions import DifferentialPrivacy, PrivacyDefinition, Verdict, Witness, measure
from twoworlds.definitions.base import Setting
from twoworlds.definitions.semantics.games import play
from twoworlds.definitions.semantics.posteriors import Games
from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import INFINITY, Number, bounds, show, to_json
from twoworlds.report.review.model import VERIFIED, ProofFile, chains
from twoworlds.report.standing import Standing, many_records, standings
from twoworlds.theorems import Guarantee
from twoworlds.theorems.implication import Implication
from twoworlds.theorems.promise import Promise, promise
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE, Records, pairs
from twoworlds.worlds.beliefs import belief as build_belief

_USUAL_DELTA = "1e-6"  # where no epsilon holds without a delta and none was asked about
_MOST_OUTPUTS = 64  # of which an attacker's conclusions are tried
_MOST_NUMBERS = 40_000
_FILE = "proof.json"
_GAPS = {"{": "\n{", " [[": "\n [[", "], [": "],\n  ["}  # where a line may end
_TEXT_OR_GAP = re.compile(r'"(?:[^"\\]|\\.)*"|\{(?="kind")| \[\[|\], \[')


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
    def promise(self) -> Promise | None:
        """The price in odds and beliefs, where the theorems speak of it."""
        return None if self.guarantee is None else promise(self.guarantee, swing=self.swing)

    @cached_property
    def meaning(self) -> tuple[str, ...]:
        """The promise in words; the guess that it allows is left to the price itself."""
        told = self.promise
        return () if told is None else told.sentences[told.guess is not None :]

    @cached_property
    def games(self) -> list[Games]:
        """What the attacker concludes from each output."""
        return [] if self.belief is None else _games_of(self.mechanism, self.belief)

    @cached_property
    def others(self) -> list[Standing]:
        """Where the mechanism stands by other definitions."""
        dp = self.dp
        return [*standings(self.mechanism, self.belief, neighbours=dp.neighbours, group=dp.group)]

    @cached_property
    def implied(self) -> list[Implication]:
        """What follows from the price, by theorems."""
        return [] if self.guarantee is None else chains(self.guarantee)

    @cached_property
    def proof(self) -> ProofFile:
        """What can be checked again: what proves the verdict, or the verdict itself."""
        claimed, found = self.claimed, None
        if claimed is None or (isinstance(claimed, DifferentialPrivacy) and self.verdict.holds):
            if getattr(claimed, "delta", 0) == 0:
                found = _of_price(self.price, self.setting)
        elif isinstance(claimed, DifferentialPrivacy):
            found = _refutation(self.verdict, claimed)
        return found or _asked_again(self.verdict, self.setting, self.universe)

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


def _games_of(mechanism: Mechanism, belief: str) -> list[Games]:
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


# --- the proof ------------------------------------------------------------------------------------


def _refutation(verdict: Verdict, claimed: DifferentialPrivacy) -> ProofFile | None:
    witness, ratio = verdict.witness, claimed.ratio
    if not isinstance(witness, Witness) or ratio is None or ratio == INFINITY:
        return None
    p, q = witness.probabilities
    certificate = Certificate(
        "violates",
        {
            "claim": f"{verdict.mechanism} is not {claimed.claim}: {witness.explain()}",
            "columns": [*witness.labels, "1"],
            "vector": (bounds(p)[0], bounds(q)[1], 1),
            "inequality": (-1, bounds(ratio)[1], bounds(claimed.delta)[1]),
        },
    )
    about = (
        "The proof holds three numbers, the probability of the event in both worlds and 1, and the "
        "inequality of the claim, which they violate. Numbers without an exact fraction in it are "
        "rounded in favour of the claim. Save the file, and let plain arithmetic decide:"
    )
    return _checked(certificate, about)


def _of_price(price: Verdict, setting: Setting) -> ProofFile | None:
    ratio = price.values["ratio"]
    if ratio == INFINITY:
        return _exposure(price)
    if not isinstance(ratio, Fraction) or price.values["delta"] != 0:
        return None
    rows = _rows(setting.mechanism)
    if rows is None:
        return None
    universe = setting.mechanism.universe
    compared = list(pairs(universe, setting.relation, setting.group))
    if 2 * len(compared) * len(rows) * len(rows[0]) > _MOST_NUMBERS:
        return None
    inequalities = [  # ratio x_E - x_D >= 0 for all neighbours, both ways round
        tuple(ratio if z == y else Fraction(-(z == x)) for z in universe)
        for both in compared
        for x, y in (both, both[::-1])
    ]
    parts: list[dict[str, Any]] = [
        {"kind": "satisfies", "vector": row, "inequalities": inequalities} for row in rows
    ]
    reached = next(_attained(rows, inequalities), None)
    if reached is not None:
        parts.append({"kind": "satisfies", "vector": reached[0], "inequalities": [reached[1]]})
    certificate = Certificate(
        "all",
        {
            "claim": f"{setting.mechanism.expression} is dp(ratio={ratio}), and for no smaller one",
            "columns": [universe.label(x) for x in universe],
            "parts": parts,
        },
    )
    about = (
        f"The proof lists every likelihood row with the inequalities of the ratio {show(ratio)} "
        "for all neighbours, which they satisfy; its last part is a row that attains the ratio. "
        "Compare its rows with the mechanism, save the file, and let plain arithmetic decide:"
    )
    return _checked(certificate, about)


def _exposure(price: Verdict) -> ProofFile | None:
    """Prove that an event is possible in one world and impossible in the other."""
    witness = price.witness
    if not isinstance(witness, Witness) or witness.probabilities[1] != 0:
        return None
    vector = (bounds(witness.probabilities[0])[0], 0)
    certificate = Certificate(
        "all",
        {
            "columns": [*witness.labels],
            "claim": f"{price.mechanism}: {witness.explain()}",
            "parts": [
                {"kind": "violates", "vector": vector, "inequality": (-1, 0)},
                {"kind": "satisfies", "vector": vector, "inequalities": [(0, -1)]},
            ],
        },
    )
    about = (
        "The proof holds the probability of the event in both worlds: above 0 in the first, 0 in "
        "the second, so that no epsilon bounds their ratio. Compare them with the mechanism, save "
        "the file, and let plain arithmetic decide:"
    )
    return _checked(certificate, about)


def _rows(mechanism: Mechanism) -> list[tuple[Fraction, ...]] | None:
    """Return the matrix in fractions; None if it is large, or not in fractions."""
    sizes = mechanism.universe.size, mechanism.outputs.size
    if not mechanism.exact or None in sizes or (sizes[0] or 0) * (sizes[1] or 0) > _MOST_NUMBERS:
        return None
    try:
        rows = [tuple(mechanism.row(output).values()) for output in mechanism.outputs]
    except TwoWorldsError:
        return None
    found = [tuple(p for p in row if isinstance(p, Fraction)) for row in rows]
    return found if [*map(len, found)] == [*map(len, rows)] else None


def _attained(
    rows: list[tuple[Fraction, ...]], inequalities: list[tuple[Fraction, ...]]
) -> Iterator[tuple[tuple[Fraction, ...], tuple[Fraction, ...]]]:
    """Yield rows on which an inequality is an equation, with the inequality turned round."""
    for row in rows:
        for inequality in inequalities:
            terms = [a * b for a, b in zip(inequality, row, strict=True)]
            if any(terms) and sum(terms) == 0:
                yield row, tuple(-a for a in inequality)


def _checked(certificate: Certificate, about: str) -> ProofFile | None:
    """Return a proof that holds; rounding may have cost a refutation that is very close."""
    if not certificate.verify():
        return None
    text = json.dumps(certificate.to_dict(), ensure_ascii=False)
    lines = _TEXT_OR_GAP.sub(lambda found: _GAPS.get(found[0], found[0]), text).strip()
    return ProofFile(about, f"{lines}\n", _FILE, f"twoworlds verify {_FILE}", VERIFIED)


def _asked_again(verdict: Verdict, setting: Setting, universe: str | None) -> ProofFile:
    expression, values = setting.mechanism.expression, verdict.values
    if verdict.holds is not None:
        words = ["check", expression, verdict.definition]
    else:
        words = ["measure", expression]
        with_delta = values["delta"] != 0 and values["ratio"] != INFINITY
        words += ["--delta", str(values["delta"])] if with_delta else []
        own = setting.mechanism.universe.relation
        words += [] if setting.relation == own else ["--neighbours", setting.relation]
        words += [] if setting.group == 1 else ["--group", str(setting.group)]
    words += [] if universe is None else ["--universe", universe]
    about = (
        "No finite list of numbers proves this answer: it is about more worlds than can be listed, "
        "or about sums over them. The file holds the answer as data, and this command computes it "
        "again, with its witness:"
    )
    text = json.dumps(verdict.to_dict(), ensure_ascii=False, indent=2) + "\n"
    command = shlex.join(["twoworlds", *words, "--json"])
    return ProofFile(
        about, text, "answer.json", command, "It prints the numbers of answer.json again."
    )
