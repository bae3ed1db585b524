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
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from twoworlds.answer import Answer, Listing, Said
from twoworlds.attacks.english import percent
from twoworlds.attacks.queries.server import (
    TABLE,
    ExactServer,
    all_of,
    complement,
    in_words,
)
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.laws.noise import GeometricNoise
from twoworlds.numbers import Number, decimal, exp, positive, sqrt, to_json
from twoworlds.release.query import Query
from twoworlds.release.query.conditions import All, AnyOf, Compare, Condition
from twoworlds.release.query.sql import to_sql
from twoworlds.show import Result, Told
from twoworlds.show.bars import share_text

_MOST_TRIED = 50  # values of a column, looking for a tracker


# A count that is asked for: the sign that it has in the sum, whom it counts, and the answer; None
# where it was refused, or not asked yet.
Asked = tuple[int, Condition, int | None]


def value_of(questions: Sequence[Asked]) -> int | None:
    """Return what answers add up to; None where one of them was refused."""
    found = [None if answer is None else sign * answer for sign, _, answer in questions]
    return None if None in found else sum(one for one in found if one is not None)


@dataclass(frozen=True)
class SingledOut(Result):
    """What exact counts give away about somebody."""

    known: tuple[Compare, ...]  # what is known of the person
    secret: Compare  # what is not
    rows: int  # how many rows the table has
    at_least: int  # the limit of the server
    matching: int  # how many rows what is known fits, in truth
    having: int  # how many of those have the secret, in truth
    # What was tried, ``direct``, ``difference`` or ``tracker``, with its questions, in order, up to
    # the first that worked
    attempts: tuple[tuple[str, tuple[Asked, ...]], ...]
    engine: Told | None = None  # the same questions to the release engine, if that was asked for
    notes: tuple[str, ...] = ()  # what a reader should know of the table

    @property
    def value(self) -> int | None:
        """What the attack found, or None."""
        return value_of(self.attempts[-1][1])

    def answer(self) -> Answer:
        """Say what was asked and what follows."""
        drawn = {
            f"{'add' if sign > 0 else 'take away'} answer {i}": answer
            for i, (sign, _, answer) in enumerate(self.attempts[-1][1], start=1)
            if answer is not None
        }
        charts = []
        if self.value is not None and len(drawn) > 1:
            drawn["what is left"], title = self.value, "Answers that add up to a secret"
            charts = [Bars(title, drawn, share=False, orange=["what is left"])]
        return Answer.of(
            self.sentences(),
            *(Listing(name, _lines(questions)) for name, questions in self.attempts),
            *([] if self.engine is None else [Said([self.engine.data["explanation"]])]),
            *charts,
            notes=self.notes,
        )

    def sentences(self) -> str:
        """Return in words what was asked and what follows."""
        limit = f"refuses counts below {self.at_least} and above {self.rows - self.at_least}"
        server = f" The server {limit}." if self.at_least else " The server refuses nothing."
        if 2 * self.at_least > self.rows:
            return (
                f"The server refuses counts of fewer than {self.at_least} rows, and of all but "
                f"fewer than {self.at_least}: the table has {self.rows}, so it refuses everything."
            )
        value = self.value
        if value is None:
            return (
                "Neither a direct count, nor a difference, nor a tracker made of one "
                "column was allowed. That is luck, no protection: a tracker made of several "
                f"columns may still exist.{server}"
            )
        way = {
            "direct": "One answer tells",
            "difference": "The difference of two allowed answers tells",
            "tracker": "Four allowed answers, none of them about the person alone, tell",
        }[self.attempts[-1][0]]
        who, what = in_words(self.known), in_words([self.secret])
        if self.matching == 1:
            fact = f"the person with {who} {'has' if value else 'does not have'} {what}"
        elif value in (0, self.matching):
            every = "each" if value else "none"
            fact = f"{every} of the {self.matching} people with {who} has {what}"
        else:
            fact = (
                f"what is known fits {self.matching} people, and {value} of them have {what}; "
                "someone who knows more about the person finds out the rest"
            )
        return f"{way}: {fact}.{server}"

    def fields(self) -> dict[str, Any]:
        """Return what was asked, what was found, and the truth."""
        return {
            "known": in_words(self.known),
            "secret": in_words([self.secret]),
            "rows": self.rows,
            "at_least": self.at_least,
            "matching": self.matching,
            "found": self.value,
            "truth": self.having,
            "attempts": [
                {
                    "name": name,
                    "value": value_of(questions),
                    "questions": [
                        {"sign": sign, "sql": _sql(condition), "answer": answer}
                        for sign, condition, answer in questions
                    ],
                }
                for name, questions in self.attempts
            ],
            "explanation": self.sentences(),
            **({} if self.engine is None else {"engine": self.engine}),
        }


def single_out(server: ExactServer, known: Sequence[Compare], secret: Compare) -> SingledOut:
    """Find out whether somebody has the secret, from counts that the server gives.

    A tracker, which has nothing to do with the person, is looked for where it is needed.
    """
    if not known:
        raise InvalidInput("say what is known of the person, such as age=28")
    if secret.column in {one.column for one in known}:
        raise InvalidInput(f"{secret.column!r} is both known and secret: leave out one of them")
    person = all_of(known)
    matching = server.true_count(person)
    if matching == 0:
        raise InvalidInput(f"nobody in the table has {in_words(known)}: check what is known")
    both = all_of([*known, secret])
    first: dict[str, list[tuple[int, Condition]]] = {
        "direct": [(1, both)],
        "difference": [(1, secret), (-1, All((secret, complement(known))))],
    }
    attempts: list[tuple[str, tuple[Asked, ...]]] = []
    for name, questions in first.items():
        attempts.append((name, _asked(server, questions)))
        if value_of(attempts[-1][1]) is not None:
            break
    else:
        for found in _trackers(server, {secret.column}):
            others = complement([found])
            padded = (1, AnyOf((both, found))), (1, AnyOf((both, others)))
            asked = _asked(server, [*padded, (-1, found), (-1, others)])
            if value_of(asked) is not None:
                attempts.append(("tracker", asked))
                break
    having = server.true_count(both)
    return SingledOut(
        tuple(known), secret, server.rows, server.at_least, matching, having, tuple(attempts)
    )


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
    with server.engine(epsilon) as curator:
        released = curator.release_all(asked, f"epsilon={epsilon}")
    answers = tuple(round(answer.estimates[0][0].value) for answer in released.answers)
    laws = {noises[0].law for noises in released.answers[0].calibration.noises}
    law = next(iter(laws))
    if not isinstance(law, GeometricNoise) or len(laws) > 1:
        raise Unsupported("the chance of an attack is known for equal geometric noise only")
    value = sum(sign * n for (sign, _, _), n in zip(questions, answers, strict=True))
    error = sqrt(len(answers) * law.variance)
    chance, best = chance_of_sums(law.p, len(answers)), best_chance(cost)
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


def best_chance(epsilon: Number) -> Number:
    """Return e^eps / (1 + e^eps): the most with which a fair bit is guessed from a private answer.

    With probabilities P and Q of an event under the two values, (P + 1 - Q) / 2 is greatest where
    P = e^eps Q and 1 - Q = e^eps (1 - P).
    """
    return 1 / (1 + exp(-epsilon))
