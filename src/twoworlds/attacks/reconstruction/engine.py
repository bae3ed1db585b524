r"""The attack on the release engine of this package, which holds.

A table of people has public yes/no traits and a secret bit. Subsets are chosen by traits: the
people with a trait, and those with exactly one of two traits; each about half of everybody, so that
k traits give k (k + 1) / 2 subsets. How many of a subset have the secret bit is asked

1. of somebody who answers exactly: every bit comes out;
2. of `twoworlds.release.Curator` under a total budget, in equal parts: nearly nothing comes out,
   and no attack could get more than `largest_fraction` allows;
3. once more: the ledger refuses, since nothing is left.

Neighbours differ by substituting one row, so that the budget is the epsilon of that limit. The
table is drawn from the seed; the engine's noise is real, and no two runs are the same.

The limit. Let every bit be even and independent of the others, and let all answers together be
epsilon-dp for changing one row. Then any attack is right on at most

    p = e^epsilon / (1 + e^epsilon)

of the rows on average. Proof: fix a row and the bits of all others, and let c be the probability
that the attack guesses this row right, half the sum of P[guess 1 | 1] and P[guess 0 | 0]. The guess
is computed from the answers, so P[guess 1 | 1] <= e^epsilon P[guess 1 | 0], and likewise for 0.
Half the sum of both says c <= e^epsilon (1 - c), which is c <= p. The bound is exact: randomized
response with odds e^epsilon reaches it.

More is true: given the answers and the bits of any other rows, a bit is what was guessed with
probability at most p, since its odds were 1 and move by at most e^epsilon. Going through the rows
one after the other, the number of right ones is no larger, in law, than that of n independent
trials with probability p. `lucky_count` is where those end but for a given chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from twoworlds.answer import Answer, Said
from twoworlds.attacks.queries.server import TABLE, largest_fraction, made_up_engine
from twoworlds.attacks.reconstruction.decoding import Method, check_method, guessing, reconstruct
from twoworlds.attacks.reconstruction.sums import true_sums
from twoworlds.charts import Bars
from twoworlds.definitions.words import percent
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import INFINITY, bounds, number, probability, rational, show, whole
from twoworlds.progress import track
from twoworlds.show import Told
from twoworlds.show.svg import share_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_QUERIES = 4096
_MOST_ROWS = 4096
_CHANCE = Fraction(1, 10**9)
_SECRET = "secret"
_UNIT = 1 << 40

Subset = tuple[int, ...]  # one trait, or two of which exactly one holds


def against_engine(
    rows: object = 96,
    queries: object = 256,
    *,
    epsilon: object = 1,
    method: Method = "lp",
    seed: int = 0,
) -> Told:
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
    masks = np.array([np.bitwise_xor.reduce(table[:, one], axis=1) for one in subsets])
    truth = tuple(table[:, -1].tolist())
    each = budget / m
    answers, refusal = _ask(table, subsets, budget, each)
    spread = float(1 / each) * 2**0.5
    got, came = (
        reconstruct(masks, some, method=method, deviation=off, truth=truth).data["right"]
        for some, off in ((true_sums(masks, truth), 0.0), (answers, spread))
    )
    return told(truth, answers, got, came, traits, budget, each, refusal)


def told(
    truth: tuple[int, ...],
    answers: Sequence[Fraction],
    got: int,
    came: int,
    traits: int,
    epsilon: Fraction,
    each: Fraction,
    refusal: str | None,
) -> Told:
    """Say what the same questions gave away, answered exactly (``got``) and by the engine.

    The engine holds if the ledger refused one more question, each of which was charged ``each``,
    and fewer rows came out than have a chance of at most 1e-9 if the engine is private. With few
    rows and a large budget all of them could be luck; then only the ledger is tested.
    """
    n, m = len(truth), len(answers)
    limit, lucky, guessed = largest_fraction(epsilon), lucky_count(n, epsilon, _CHANCE), "guessing"
    holds = refusal is not None and came < lucky
    fractions = {"exact": Fraction(got, n), "engine": Fraction(came, n), guessed: guessing(truth)}
    texts = {name: share_text(share) for name, share in fractions.items()}
    idle = ", no better than by guessing" if fractions["engine"] <= fractions[guessed] else ""
    lines = [
        f"Exact answers give away {got} of {n} bits ({texts['exact']}); "
        f"from the release engine, with epsilon {show(epsilon)} for all of them, "
        f"{came} of {n} are read ({texts['engine']}){idle}.",
        f"{m} questions about {n} people, chosen by {traits} public traits: how many of "
        "these have the secret bit?",
        f"Guessing the commoner bit gets {texts[guessed]}. No attack on this "
        f"budget gets more than {percent(limit)} on average.",
        f"One more question was refused: {refusal}."
        if refusal is not None
        else "ONE MORE QUESTION WAS ANSWERED: the budget does not hold.",
    ]
    if lucky > n:  # then the number of right rows can refute nothing
        lines.append(
            "With so few people and so large a budget even all bits right could be luck: only "
            "the ledger is put to the test here. Take more people, or a smaller budget."
        )
    chart = Bars(
        "Secret bits read back",
        {
            "from exact answers": fractions["exact"],
            "from the release engine": fractions["engine"],
            "by guessing the commoner": fractions[guessed],
        },
        orange=["from exact answers"],
        grey=["by guessing the commoner"],
        mark=("at most, on average", limit),
    )
    said = Answer(
        lines[0],
        claim=f"the budget epsilon = {show(epsilon)}",
        holds=None if holds else False,
        blocks=(Said(lines[1:]), chart),
    )
    return Told(
        said,
        {
            "rows": n,
            "queries": m,
            "traits": traits,
            "epsilon": epsilon,
            "epsilon_each": each,
            "exact_answers": {"right": got, "fraction": fractions["exact"]},
            "engine": {
                "right": came,
                "fraction": fractions["engine"],
                "answers": [*map(str, answers)],
            },
            "guessing": fractions[guessed],
            "limit": limit,
            "shares": {
                "Read back from exact answers": texts["exact"],
                "Read back from the engine's answers": texts["engine"],
                "No attack on this budget gets more than": percent(limit),
                "By guessing": texts[guessed],
            },
            "refusal": refusal,
            "lucky": lucky,
            "holds": holds,
            "explanation": "\n".join(lines),
        },
    )


def _subsets() -> Iterator[Subset]:
    """Yield subsets in the order in which they need the fewest traits."""
    last = 0
    while True:
        yield (last,)
        yield from ((first, last) for first in range(last))
        last += 1


def _ask(
    table: NDArray[np.int8], subsets: list[Subset], budget: Fraction, each: Fraction
) -> tuple[list[Fraction], str | None]:
    """Return the engine's answers, and how it refused one more."""
    from twoworlds.release import OverBudget, Query, column
    from twoworlds.release.policy import Column

    names = [*(f"trait{i}" for i in range(table.shape[1] - 1)), _SECRET]
    words = np.array(["false", "true"])[table]
    columns = [Column(name, "boolean") for name in names]
    secret = Query(TABLE).where(column(_SECRET).is_in([True]))
    with made_up_engine(columns, map(",".join, words.tolist()), budget) as curator:
        answers = []
        for subset in track(subsets, "asking the engine", len(subsets)):
            asked = secret.where(_exactly_one(subset)).count()
            value = curator.release(asked, each).estimates[0][0].value
            answers.append(rational(value, "the engine's answer"))
        try:  # everybody with the secret bit, which nobody has asked yet
            curator.release(secret.count(), each)
        except OverBudget as error:
            return answers, str(error)
    return answers, None


def _exactly_one(subset: Subset) -> Any:
    """Return the condition that exactly one of the traits holds."""
    from twoworlds.release import column

    first, *others = (column(f"trait{i}") for i in subset)
    if not others:
        return first.is_in([True])
    [second] = others
    only_first = first.is_in([True]) & second.is_in([False])
    return only_first | (first.is_in([False]) & second.is_in([True]))


# --- the limit ------------------------------------------------------------------------------------


def lucky_count(rows: object, epsilon: object, chance: object) -> int:
    """Return the least k such that k or more right rows have at most this chance under epsilon-dp.

    The result is rows + 1 where even all rows right are likelier than that.

    >>> lucky_count(64, "1/2", "1e-9")
    61
    """
    n, allowed = whole(rows, "rows", at_least=1), probability(chance, "chance")
    top = min(_UNIT, int(bounds(largest_fraction(epsilon))[1] * _UNIT) + 1)
    share, tail, k = Fraction(top, _UNIT), Fraction(0), n + 1
    while k > 0:
        tail += comb(n, k - 1) * share ** (k - 1) * (1 - share) ** (n - k + 1)
        if tail > allowed:
            break
        k -= 1
    return k
