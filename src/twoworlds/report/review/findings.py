"""What is found out about a mechanism for a review, each thing once and only when it is needed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from twoworlds.definitions import DifferentialPrivacy, PrivacyDefinition, Verdict, measure
from twoworlds.definitions.base import Setting
from twoworlds.definitions.semantics.games import Games
from twoworlds.errors import TwoWorldsError
from twoworlds.mechanisms import Mechanism
from twoworlds.numbers import INFINITY, Number, to_json
from twoworlds.report.review.attacker import attacker_data, games_of
from twoworlds.report.review.chain import chains, chains_data
from twoworlds.report.review.model import ProofFile
from twoworlds.report.review.proving import prove
from twoworlds.report.standing import Standing, many_records, standings
from twoworlds.theorems import Guarantee
from twoworlds.theorems.implication import Implication
from twoworlds.theorems.promise import sentences
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE, Records

_USUAL_DELTA = "1e-6"  # where no epsilon holds without a delta and none was asked about


@dataclass(frozen=True)
class Findings:
    """Everything that is found out about a mechanism.

    Attributes:
        mechanism: in question.
        dp: differential privacy, with the neighbours and the group size of the question.
        claimed: the claim, if there is one.
        belief: of an attacker to look at, if there is one.
        universe: what the columns of a matrix file were said to be.
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
                "sentences": list(sentences(self.guarantee, swing=self.swing)),
                "swing": None if self.swing is None else to_json(self.swing),
            },
            "definitions": [one.to_dict() for one in self.others],
            "theorems": chains_data(self.implied),
        }
        if self.belief is not None:
            found["belief"] = self.belief
            found["attacker"] = attacker_data(self.games)
        return found
