r"""The same question again and again: fresh noise averages away.

A server that adds new noise of loss epsilon to a count each time it is asked gives the mean of m
answers, whose noise is a sum of m draws divided by m. Rounded, halves upward, the mean is the truth
when -m / 2 <= Z < m / 2, where Z, the sum of m two-sided geometric draws, is a difference of two
negative binomial variables: its law is known exactly, and so is the chance of the attack
(`chance`).

Nothing is broken by that: m answers cost m epsilon, and with that much anybody may learn as much.
What is broken is a server that does not count. The release engine keeps the first answer and gives
it again, and questions that are only dressed up differently are paid for, until the budget is spent
(`against_engine`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.answer import Answer, Said, Table
from twoworlds.attacks.queries.server import TABLE, ExactServer, largest_fraction
from twoworlds.charts import Bars
from twoworlds.definitions.words import percent
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import (
    Number,
    Real,
    ball,
    counted,
    decimal,
    exp,
    positive,
    probability,
    show,
    to_json,
    whole,
)
from twoworlds.progress import track
from twoworlds.show import Told
from twoworlds.show.svg import share_text

if TYPE_CHECKING:
    from flint import arb

    from twoworlds.release.query.conditions import Condition

MOST = 4096
_MOST_TERMS = 1 << 17  # of the law of one answer's share of the noise, at times / epsilon


def average_out(
    epsilon: object,
    times: Sequence[object] = (1, 4, 16, 64, 256),
    *,
    confidence: object = "95%",
    engine: Told | None = None,
    notes: Sequence[str] = (),
) -> Told:
    """Work out what asking a count again and again brings, when noise is fresh each time.

    Args:
        epsilon: The loss of one answer.
        times: How often it is asked.
        confidence: How sure the attacker wants to be.
        engine: The same attack on the release engine, from `against_engine`, if it was tried.
        notes: What a reader should know of the table.

    >>> found = average_out("ln 2", [1, 2, 3])
    >>> [one["chance"]["exact"] for one in found.data["rows"]]
    ['1/3', '1/3', '31/81']
    """
    loss = positive(epsilon, "epsilon")
    wanted = probability(confidence, "confidence")
    if wanted == 1:
        raise InvalidInput("no number of questions makes it certain: take a confidence below 1")
    if not times:
        raise InvalidInput("say how often it is asked, such as 16")
    asked = sorted({whole(one, "the number of questions", at_least=1) for one in times})
    chances = {m: chance(loss, m) for m in track(asked, "averaging", len(asked))}
    fewest, most, needed = asked[0], asked[-1], enough(loss, wanted)
    once = "one answer" if fewest == 1 else f"the rounded mean of {fewest:,} answers"
    more = f", the rounded mean of {most:,} with {_chance_text(chances[most])}"
    said = (
        f"Fresh noise with epsilon {decimal(loss, 4, 'about')} at every question: "
        f"{once} is exactly right with probability {_chance_text(chances[fewest])}"
        f"{more if most > fewest else ''}. "
    )
    sure = percent(wanted, digits=9)
    if needed is None:
        said += f"{sure} takes more than are worked out here."
    elif needed == 1:
        said += f"1 question reaches {sure}."
    else:
        said += (
            f"{needed:,} questions reach {sure}, at a total cost of epsilon "
            f"{decimal(needed * loss, 4, 'about')}: a promise that does not add this up is "
            "false."
        )
    cells = [[f"{m:,}", _chance_text(c), decimal(m * loss, 4, "about")] for m, c in chances.items()]
    right = {f"{m:,} answer{'s' if m > 1 else ''}": c for m, c in chances.items()}
    data = {
        "epsilon": loss,
        "confidence": wanted,
        "enough": needed,
        "rows": [
            {"times": m, "chance": to_json(c, side="down"), "cost": m * loss}
            for m, c in chances.items()
        ],
        "explanation": said,
    }
    return Told(
        Answer.of(
            said,
            Table(
                ["questions", "rounded mean is the truth", "epsilon in all"], cells, numbers=True
            ),
            *([] if engine is None else [Said([engine.data["explanation"]])]),
            Bars("The rounded mean is the truth", right, mark=("wanted", wanted)),
            notes=notes,
        ),
        data if engine is None else {**data, "engine": engine},
    )


def chance(epsilon: Number, times: int) -> Number:
    """Return the probability that the mean of so many answers is the truth, halves rounded up."""
    if times > MOST:
        raise TooLarge(f"{times:,} questions: the chance is worked out for {MOST:,} at most")
    if times < 1:
        raise InvalidInput("ask at least once")
    if times > _MOST_TERMS * epsilon:
        raise TooLarge(f"{times:,} questions at so small an epsilon: take fewer, or a larger one")
    p = exp(-epsilon)
    if isinstance(p, Fraction):
        from twoworlds.laws.noise import NegativeBinomialDifference

        law = NegativeBinomialDifference(p, times)
        return law.at_least(-(times // 2)) - law.at_least((times + 1) // 2)
    return Real(lambda bits: _central(ball(p, bits), times, bits))


def enough(epsilon: Number, confidence: Fraction) -> int | None:
    """Return a number of questions that reaches the confidence while one less does not."""
    low, high = 1, 1
    while not _reaches(epsilon, high, confidence):
        low, high = high + 1, 2 * high
        if high > min(MOST, _MOST_TERMS * epsilon):
            return None
    while low < high:
        middle = (low + high) // 2
        if _reaches(epsilon, middle, confidence):
            high = middle
        else:
            low = middle + 1
    return high


def _reaches(epsilon: Number, times: int, confidence: Fraction) -> bool:
    """Whether the chance is high enough; first by one draw, which the others only spread."""
    p, reach = exp(-epsilon), times // 2
    if 1 - 2 * p ** (reach + 1) / (1 + p) < confidence:
        return False
    return chance(epsilon, times) >= confidence


def _central(p: arb, times: int, bits: int) -> arb:
    """Return P(-m / 2 <= X - Y < m / 2), summed over Y, for m = ``times``; X and Y are alike."""
    from flint import arb

    floor = arb(2) ** (-bits)
    law, cumulated = [], []
    mass, total, j = (1 - p) ** times, arb(0), 0
    while True:
        total += mass
        law.append(mass)
        cumulated.append(total)
        ratio = p * (times + j) / (j + 1)
        mass, j = mass * ratio, j + 1
        following = p * (times + j) / (j + 1)  # ratios fall
        if following < 1 and mass / (1 - following) < floor:
            rest = mass / (1 - following)
            break
    last, found, reach = len(law) - 1, arb(0), times // 2
    for i, one in enumerate(law):
        top = cumulated[min(last, i + (times - 1) // 2)]
        found += one * (top - cumulated[i - reach - 1] if i > reach else top)
    return found + arb(0, (2 * rest).abs_upper())


def against_engine(
    server: ExactServer,
    condition: Condition,
    *,
    epsilon: object = "1/10",
    cap: object = "1",
    times: int = 20,
) -> Told:
    """Ask the release engine the same count again and again, then in disguise, until it refuses.

    A disguise adds a condition that is true of every row with a value: text that is not some word.
    """
    from twoworlds.release import OverBudget, Query
    from twoworlds.release.query.conditions import All, Compare, columns_of

    loss, limit = positive(epsilon, "epsilon"), positive(cap, "the cap")
    if loss > limit:
        raise InvalidInput(f"epsilon={show(loss)} for one answer is above the cap {show(limit)}")
    column = sorted(columns_of(condition))[0]
    with server.engine(cap) as curator:
        asked = Query(TABLE).count().where(condition)
        same = {_answer(curator, asked, epsilon) for _ in range(times)}
        answers = [*same]
        try:
            while True:
                disguise = Compare(column, "!=", _never(server.kinds[column], len(answers)))
                variant = Query(TABLE).count().where(All((condition, disguise)))
                answers.append(_answer(curator, variant, epsilon))
        except OverBudget:
            pass
    variants, truth = len(answers) - len(same), server.true_count(condition)
    best = largest_fraction(limit)
    mean = sum(answers, Fraction(0)) / len(answers)  # of all answers, the first and the disguised
    whose = "That answer" if len(answers) == 1 else f"The mean of all {len(answers)} answers"
    said = (
        f"The release engine was asked the same question {times} times: "
        f"{counted(len(same), 'answer')}, paid once. Then in disguise, as other questions with the "
        f"same true answer: {counted(variants, 'question')} {'was' if variants == 1 else 'were'} "
        "answered, and the next one was refused: too little is left of the budget, epsilon "
        f"{decimal(limit, 4, 'about')}. {whose} is {decimal(mean, 6, 'about')} (the truth is "
        f"{truth:,}); from all of it nobody guesses one person's yes or no right with more than "
        f"{percent(best)}."
    )
    guessed = {"a coin": Fraction(1, 2), "from all answers, at best": best}
    chart = Bars("One person's yes or no guessed right", guessed, grey=["a coin"], side="up")
    data = {
        "times": times,
        "different_answers": len(same),
        "epsilon": loss,
        "cap": limit,
        "variants": variants,
        "mean": mean,
        "truth": truth,
        "best_chance": best,
        "explanation": said,
    }
    return Told(Answer.of(said, chart), data)


def _chance_text(chance: Number) -> str:
    return "more than 99.9%" if chance > Fraction(999, 1000) else share_text(chance)


def _answer(curator: Any, asked: Any, epsilon: object) -> Fraction:
    return Fraction(curator.release(asked, f"epsilon={epsilon}").estimates[0][0].value)


def _never(kind: str, i: int) -> Any:
    if kind == "text":
        return f"no such value {i}"
    if kind in ("integer", "number"):
        return Fraction(-(10**9) - i)
    raise InvalidInput(
        "disguises are made for columns of texts and numbers: filter by one of those"
    )
