r"""Exact counts of many give away one: differences of counts, and trackers.

A server refuses to count fewer than k rows, or more than n - k. Ask it about one person all the
same. Let C be what is known of the person together with the secret, so that |C| is the answer.

* *direct*: count C. Refused, when there is a limit.
* *difference*: everybody with the secret, minus everybody with the secret who is not that person.
* *tracker* (Denning & Schlörer 1980): a set T that has nothing to do with the person, of
  2k <= |T| <= n - 2k rows. Every count below is allowed, whatever C, since |C| < k (and often
  for other T too, so all values of one column are tried):

      |C|  =  |C or T| + |C or not T| - |T| - |not T|.

So a limit on the size of what is counted protects nobody. Differential privacy answers the same
questions with noise that is set to all of them together; then each answer is wrong by about as much
as the person could matter, however the answers are combined (`against_engine`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb
from warnings import catch_warnings, simplefilter

from twoworlds.answer import Answer, Listing, Said
from twoworlds.attacks.queries.server import (
    TABLE,
    ExactServer,
    all_of,
    complement,
    in_words,
    largest_fraction,
)
from twoworlds.charts import Bars
from twoworlds.definitions.words import percent
from twoworlds.errors import DoubtfulRelease, InvalidInput, Unsupported
from twoworlds.laws.noise import GeometricNoise
from twoworlds.numbers import Number, decimal, positive, sqrt, to_json
from twoworlds.release.query import Query
from twoworlds.release.query.conditions import All, AnyOf, Compare, Condition
from twoworlds.release.query.sql import to_sql
from twoworlds.show import Told
from twoworlds.show.svg import share_text

_MOST_TRIED = 50  # values of a column, looking for a tracker


# A count that is asked for: the sign that it has in the sum, whom it counts, and the answer; None
# where it was refused, or not asked yet.
Asked = tuple[int, Condition, int | None]


def value_of(questions: Sequence[Asked]) -> int | None:
    """Return what answers add up to; None where one of them was refused."""
    found = [None if answer is None else sign * answer for sign, _, answer in questions]
    return None if None in found else sum(one for one in found if one is not None)


def single_out(
    server: ExactServer,
    known: Sequence[Compare],
    secret: Compare,
    *,
    epsilon: object = None,
    notes: Sequence[str] = (),
) -> Told:
    """Find out whether somebody has the secret, from counts that the server gives.

    A direct count is tried, a difference, then a tracker, which has nothing to do with the person;
    up to the first that works. With an epsilon its questions are also asked of the release engine.
    """
    if not known:
        raise InvalidInput("say what is known of the person, such as age=28")
    if secret.column in {one.column for one in known}:
        raise InvalidInput(f"{secret.column!r} is both known and secret: leave out one of them")
    matching = server.true_count(all_of(known))
    if matching == 0:
        raise InvalidInput(f"nobody in the table has {in_words(known)}: check what is known")
    attempts = _attempts(server, known, secret)
    last, questions = [*attempts.items()][-1]
    value = value_of(questions)
    engine = None if epsilon is None else against_engine(server, questions, epsilon)
    said = _sentence(server, last, value, matching, in_words(known), in_words([secret]))
    answer = Answer.of(
        said,
        *(Listing(name, _lines(asked)) for name, asked in attempts.items()),
        *([] if engine is None else [Said([engine.data["explanation"]])]),
        *_charts(questions),
        notes=notes,
    )
    data = {
        "known": in_words(known),
        "secret": in_words([secret]),
        "rows": server.rows,
        "at_least": server.at_least,
        "matching": matching,
        "found": value,
        "truth": server.true_count(all_of([*known, secret])),
        "attempts": [
            {
                "name": name,
                "value": value_of(asked),
                "questions": [
                    {"sign": sign, "sql": _sql(condition), "answer": answer}
                    for sign, condition, answer in asked
                ],
            }
            for name, asked in attempts.items()
        ],
        "explanation": said,
    }
    return Told(answer, data if engine is None else {**data, "engine": engine})


def _attempts(
    server: ExactServer, known: Sequence[Compare], secret: Compare
) -> dict[str, tuple[Asked, ...]]:
    both = all_of([*known, secret])
    found = {"direct": _asked(server, [(1, both)])}
    if value_of(found["direct"]) is None:
        without = All((secret, complement(known)))
        found["difference"] = _asked(server, [(1, secret), (-1, without)])
        if value_of(found["difference"]) is None:
            for one in _trackers(server, {secret.column}):
                others = complement([one])
                padded = (1, AnyOf((both, one))), (1, AnyOf((both, others)))
                asked = _asked(server, [*padded, (-1, one), (-1, others)])
                if value_of(asked) is not None:
                    found["tracker"] = asked
                    break
    return found


def _sentence(
    server: ExactServer, way: str, value: int | None, matching: int, who: str, what: str
) -> str:
    """Say what was asked and what follows."""
    least, rows = server.at_least, server.rows
    limit = f"refuses counts below {least} and above {rows - least}" if least else "refuses nothing"
    if 2 * least > rows:
        return (
            f"The server refuses counts of fewer than {least} rows, and of all but "
            f"fewer than {least}: the table has {rows}, so it refuses everything."
        )
    if value is None:
        return (
            "Neither a direct count, nor a difference, nor a tracker made of one "
            "column was allowed. That is luck, no protection: a tracker made of several "
            f"columns may still exist. The server {limit}."
        )
    told = {
        "direct": "One answer tells",
        "difference": "The difference of two allowed answers tells",
        "tracker": "Four allowed answers, none of them about the person alone, tell",
    }[way]
    if matching == 1:
        fact = f"the person with {who} {'has' if value else 'does not have'} {what}"
    elif value in (0, matching):
        fact = f"{'each' if value else 'none'} of the {matching} people with {who} has {what}"
    else:
        fact = (
            f"what is known fits {matching} people, and {value} of them have {what}; "
            "someone who knows more about the person finds out the rest"
        )
    return f"{told}: {fact}. The server {limit}."


def _charts(questions: Sequence[Asked]) -> Iterator[Bars]:
    value = value_of(questions)
    if value is None or len(questions) < 2:
        return
    drawn = {
        f"{'add' if sign > 0 else 'take away'} answer {i}": answer or 0
        for i, (sign, _, answer) in enumerate(questions, start=1)
    }
    drawn["what is left"] = value
    yield Bars("Answers that add up to a secret", drawn, share=False, orange=["what is left"])


def _asked(server: ExactServer, questions: Sequence[tuple[int, Condition]]) -> tuple[Asked, ...]:
    """Ask, up to the first that is refused."""
    found: list[Asked] = []
    for sign, condition in questions:
        found.append((sign, condition, server.count(condition)))
        if found[-1][2] is None:
            break
    return tuple(found)


def _sql(condition: Condition) -> str:
    """Return a question as an analyst would write it."""
    return to_sql(Query(TABLE).count().where(condition))


def _lines(questions: Sequence[Asked]) -> list[str]:
    """Return each answer with its sign and its question, and what they add up to."""
    found = [
        f"{'-' if sign < 0 else '+'} {'refused' if answer is None else f'{answer:,}':>8}  "
        f"{_sql(condition)}"
        for sign, condition, answer in questions
    ]
    total = value_of(questions)
    return found if total is None else [*found, f"= {total:>8}"]


def _trackers(server: ExactServer, without: set[str]) -> Iterator[Compare]:
    """Look for values of one column that neither too few nor too many rows have.

    Those of 2k to n - 2k rows always work; of the others, whether they do is seen when all four
    counts are asked.
    """
    for column, kind in server.kinds.items():
        if column in without or kind == "other":
            continue
        for value in server.values(column)[:_MOST_TRIED]:
            one = Compare(column, "=", value)
            if server.count(one) is not None:
                yield one


def against_engine(server: ExactServer, questions: Sequence[Asked], epsilon: object) -> Told:
    """Ask the questions of an attempt to the release engine, with real noise and a real ledger.

    The server that adds noise need refuse nothing, whatever the size of a set.
    """
    cost = positive(epsilon, "epsilon")
    asked = [Query(TABLE).count().where(condition) for _, condition, _ in questions]
    with server.engine(epsilon) as curator, catch_warnings():
        simplefilter("ignore", DoubtfulRelease)  # all of the budget is meant to be spent
        released = curator.release_all(asked, f"epsilon={epsilon}")
    answers = tuple(round(answer.estimates[0][0].value) for answer in released.answers)
    laws = {noises[0].law for noises in released.answers[0].calibration.noises}
    law = next(iter(laws))
    if not isinstance(law, GeometricNoise) or len(laws) > 1:
        raise Unsupported("the chance of an attack is known for equal geometric noise only")
    value = sum(sign * n for (sign, _, _), n in zip(questions, answers, strict=True))
    error = sqrt(len(answers) * law.variance)
    chance, best = chance_of_sums(law.p, len(answers)), largest_fraction(cost)
    lead = "answer leads" if len(answers) == 1 else f"{len(answers)} answers lead"
    said = (
        f"From the release engine, with epsilon {decimal(cost, 4, 'about')} for the whole attack, "
        f"the same {lead} to {value}, with a standard error of {decimal(error, 3, 'about')}. "
        "Beforehand, this attack guesses a yes-or-no secret right with probability "
        f"{share_text(chance)}; a coin has 50%, and no attack on these answers, whatever it knows "
        f"of everybody else, has more than {percent(best)}."
    )
    guessed = {"a coin": 0.5, "this attack": chance, "any attack, at best": best}
    chart = Bars("A yes-or-no secret guessed right", guessed, grey=["a coin"], side="up")
    data = {
        "epsilon": cost,
        "answers": answers,
        "value": value,
        "standard_error": error,
        "chance": to_json(chance, side="down"),
        "best_chance": best,
        "explanation": said,
    }
    return Told(Answer.of(said, chart), data)


def chance_of_sums(p: Number, times: int) -> Number:
    r"""Return the chance that a bit plus ``times`` two-sided geometric draws is guessed right.

    The guess is 1 when the sum is at least 1, so it is right with P(Z >= 0) = (1 + P(Z = 0)) / 2 in
    either case, and for r draws with continuation probability p

        P(Z = 0) = (1 - p) / (1 + p)^(2r - 1) * sum_i C(r - 1, i)^2 p^(2i).
    """
    terms: Number = Fraction(0)
    for i in range(times):
        terms = terms + comb(times - 1, i) ** 2 * p ** (2 * i)
    return (1 + (1 - p) / (1 + p) ** (2 * times - 1) * terms) / 2
