r"""The attack on the release engine of this package, which holds.

A table of people has public yes/no traits and a secret bit. Subsets are chosen by traits: the
people with a trait, and those with exactly one of two traits; each about half of everybody, so that
k traits give k (k + 1) / 2 subsets. How many of a subset have the secret bit is asked

1. of somebody who answers exactly: every bit comes out;
2. of `twoworlds.release.Curator` under a total budget, in equal parts: nearly nothing comes out,
   and no attack could get more than `twoworlds.attacks.reconstruction.limit` allows;
3. once more: the ledger refuses, since nothing is left.

Neighbours differ by substituting one row, so that the budget is the epsilon of that limit. The
table is drawn from the seed; the engine's noise is real, and no two runs are the same.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from twoworlds.attacks.queries.server import made_up
from twoworlds.attacks.reconstruction.decoding import (
    Method,
    Reconstruction,
    check_method,
    reconstruct,
)
from twoworlds.attacks.reconstruction.limit import largest_fraction, lucky_count
from twoworlds.attacks.reconstruction.simulation import guessing
from twoworlds.attacks.reconstruction.sums import true_sums
from twoworlds.cards.explained import Explained
from twoworlds.cards.small import share_text
from twoworlds.definitions.words import percent
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import INFINITY, Number, number, rational, show, to_json, whole
from twoworlds.progress import track

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from twoworlds.release import Curator, Policy, Query

__all__ = ["EngineTrial", "against_engine"]

_MOST_QUERIES = 4096
_MOST_ROWS = 4096
_CHANCE = Fraction(1, 10**9)
_SECRET = "secret"

Subset = tuple[int, ...]  # one trait, or two of which exactly one holds


@dataclass(frozen=True, eq=False)
class EngineTrial(Explained):
    """The same questions, answered exactly and by the release engine.

    Attributes:
        truth: the secret bits.
        traits: how many public columns the table has.
        epsilon: the budget of the whole table.
        each: what one question was charged.
        exactly: what exact answers gave away.
        engine: what the engine's answers gave away.
        refusal: how the ledger refused one more question; None if it did not.
    """

    truth: tuple[int, ...]
    traits: int
    epsilon: Fraction
    each: Fraction
    exactly: Reconstruction
    engine: Reconstruction
    refusal: str | None

    @property
    def limit(self) -> Number:
        """The fraction that no attack exceeds on average."""
        return largest_fraction(self.epsilon)

    @property
    def lucky(self) -> int:
        """So many right rows or more have a chance of at most 1e-9 if the engine is private."""
        return lucky_count(len(self.truth), self.epsilon, _CHANCE)

    @property
    def holds(self) -> bool:
        """Whether the ledger refused, and fewer than `lucky` rows came out.

        With few rows and a large budget all of them could be luck; then only the ledger is tested,
        and `explain` says so.
        """
        return self.refusal is not None and self.engine.right(self.truth) < self.lucky

    @property
    def shares(self) -> dict[str, str]:
        """What came out of both, in percentages, beside the limit and guessing."""
        n, truth = len(self.truth), self.truth
        return {
            "Read back from exact answers": share_text(self.exactly.right(truth) / n),
            "Read back from the engine's answers": share_text(self.engine.right(truth) / n),
            "No attack on this budget gets more than": percent(self.limit),
            "By guessing": share_text(guessing(truth)),
        }

    def explain(self) -> str:
        """Say what came out of both, and where the ledger stopped."""
        n, m = len(self.truth), len(self.engine.answers)
        exactly, engine, limit, guessed = self.shares.values()
        refused = (
            f"One more question was refused: {self.refusal}."
            if self.refusal is not None
            else "ONE MORE QUESTION WAS ANSWERED: the budget does not hold."
        )
        return (
            f"{m} questions about {n} people, chosen by {self.traits} public traits: how many of "
            "these have the secret bit?\n"
            f"Exact answers give away {self.exactly.right(self.truth)} of {n} bits "
            f"({exactly}).\n"
            f"The release engine, with epsilon {show(self.epsilon)} for all of them, gives away "
            f"{self.engine.right(self.truth)} of {n} ({engine}).\n"
            f"Guessing the commoner bit gets {guessed}. No attack on this "
            f"budget gets more than {limit} on average.\n"
            f"{refused}{self._caution()}"
        )

    def picture(self) -> str:
        """Draw what comes out of exact answers and of the engine, beside the limit."""
        from twoworlds.cards import bars

        n = len(self.truth)
        right = {
            "from exact answers": Fraction(self.exactly.right(self.truth), n),
            "from the release engine": Fraction(self.engine.right(self.truth), n),
            "by guessing the commoner": guessing(self.truth),
        }
        return bars(
            "Secret bits read back",
            right,
            orange=["from exact answers"],
            grey=["by guessing the commoner"],
            mark=("at most, on average", self.limit),
        )

    def _caution(self) -> str:
        """Say where the number of right rows can refute nothing."""
        if self.lucky <= len(self.truth):
            return ""
        return (
            "\nWith so few people and so large a budget even all bits right could be luck: only "
            "the ledger is put to the test here. Take more people, or a smaller budget."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        n = len(self.truth)
        return {
            "rows": n,
            "queries": len(self.engine.answers),
            "traits": self.traits,
            "epsilon": to_json(self.epsilon),
            "epsilon_each": to_json(self.each),
            "exact_answers": {
                "right": self.exactly.right(self.truth),
                "fraction": to_json(Fraction(self.exactly.right(self.truth), n)),
            },
            "engine": {
                "right": self.engine.right(self.truth),
                "fraction": to_json(Fraction(self.engine.right(self.truth), n)),
                "answers": [str(answer) for answer in self.engine.answers],
            },
            "guessing": to_json(guessing(self.truth)),
            "limit": to_json(self.limit),
            "shares": self.shares,
            "refusal": self.refusal,
            "lucky": self.lucky,
            "holds": self.holds,
            "explanation": self.explain(),
        }


def against_engine(
    rows: object = 96,
    queries: object = 256,
    *,
    epsilon: object = 1,
    method: Method = "lp",
    seed: int = 0,
) -> EngineTrial:
    """Ask the release engine for subset counts until its budget is spent, and attack the answers.

    Args:
        rows: how many people.
        queries: how many questions; each is charged ``epsilon / queries``.
        epsilon: the budget of the table.
        method: ``lp`` or ``least-squares``.
        seed: of the table; the engine's noise has none.
    """
    n, m = whole(rows, "rows", at_least=1), whole(queries, "queries", at_least=1)
    if number(epsilon, "epsilon") == INFINITY:
        raise InvalidInput(
            f"epsilon={epsilon}: an infinite budget would give exact answers; give a finite one, "
            "such as 10"
        )
    budget = rational(epsilon, "epsilon")
    if budget <= 0:
        raise InvalidInput(f"epsilon={budget}: a budget is above 0")
    if m > _MOST_QUERIES or n > _MOST_ROWS:
        raise TooLarge(
            f"rows={n}, queries={m}: up to {_MOST_ROWS} rows and {_MOST_QUERIES} questions are "
            "tried here, since each is charged and stored durably"
        )
    check_method(method)
    subsets = list(islice(_subsets(), m))
    traits = 1 + max(max(subset) for subset in subsets)
    rng = np.random.default_rng([whole(seed, "seed"), 3])
    table = rng.integers(0, 2, (n, traits + 1), dtype=np.int8)
    masks = np.array([_mask(table, subset) for subset in subsets])
    truth = tuple(table[:, -1].tolist())
    each = budget / m
    answers, refusal = _ask(table, subsets, budget, each)
    return EngineTrial(
        truth,
        traits,
        budget,
        each,
        reconstruct(masks, true_sums(masks, truth), method=method),
        reconstruct(masks, answers, method=method, deviation=float(1 / each) * 2**0.5),
        refusal,
    )


def _subsets() -> Iterator[Subset]:
    """Yield subsets in the order in which they need the fewest traits."""
    last = 0
    while True:
        yield (last,)
        yield from ((first, last) for first in range(last))
        last += 1


def _mask(table: NDArray[np.int8], subset: Subset) -> NDArray[np.int8]:
    mask: NDArray[np.int8] = np.bitwise_xor.reduce(table[:, subset], axis=1)
    return mask


def _ask(
    table: NDArray[np.int8], subsets: list[Subset], budget: Fraction, each: Fraction
) -> tuple[list[Fraction], str | None]:
    """Return the engine's answers, and how it refused one more."""
    from twoworlds.release import Curator

    with tempfile.TemporaryDirectory() as folder:
        policy = _policy(table, Path(folder), budget)
        with Curator.open(policy) as curator:
            answers = [
                _count(curator, _question(subset), each)
                for subset in track(subsets, "asking the engine", len(subsets))
            ]
            return answers, _refusal(curator, each)


def _count(curator: Curator, question: Query, each: Fraction) -> Fraction:
    value = curator.release(question, each).estimates[0][0].value
    return rational(value, "the engine's answer")


def _refusal(curator: Curator, each: Fraction) -> str | None:
    """Ask for everybody with the secret bit, which nobody has asked yet."""
    from twoworlds.release import OverBudget, Query, column

    try:
        curator.release(Query("people").where(column(_SECRET).is_in([True])).count(), each)
    except OverBudget as error:
        return str(error)
    return None


def _question(subset: Subset) -> Query:
    """Return the count of those who have the secret bit, and exactly one of the traits."""
    from twoworlds.release import Query, column

    secret = Query("people").where(column(_SECRET).is_in([True]))
    first = column(f"trait{subset[0]}")
    if len(subset) == 1:
        return secret.where(first.is_in([True])).count()
    second = column(f"trait{subset[1]}")
    only_first = first.is_in([True]) & second.is_in([False])
    only_second = first.is_in([False]) & second.is_in([True])
    return secret.where(only_first | only_second).count()


def _policy(table: NDArray[np.int8], folder: Path, budget: Fraction) -> Policy:
    from twoworlds.release import Policy
    from twoworlds.release.budget import parse_cap
    from twoworlds.release.policy import Column, Dataset

    names = [*(f"trait{i}" for i in range(table.shape[1] - 1)), _SECRET]
    words = np.array(["false", "true"])[table]
    lines = [",".join(names), *(",".join(row) for row in words.tolist())]
    source = made_up(lines, folder)
    people = Dataset(
        "people",
        str(source),
        "substitute",
        columns={name: Column(name, "boolean") for name in names},
        cap=parse_cap(f"epsilon={budget}"),
    )
    return Policy({"people": people}, "ledger.db", folder=folder)
