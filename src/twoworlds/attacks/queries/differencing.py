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


@dataclass(frozen=True)
class CountAsked:
    """A count that is asked for, and the sign that it has in the sum."""

    sign: int
    condition: Condition
    answer: int | None = None

    @property
    def sql(self) -> str:
        """The question as an analyst would write it."""
        return to_sql(Query(TABLE).count().where(self.condition))


@dataclass(frozen=True)
class Attempt:
    """One way to find a count that is not given."""

    name: str  # ``direct``, ``difference`` or ``tracker``
    questions: tuple[CountAsked, ...]  # what was asked, in order; an answer of None was refused

    @property
    def value(self) -> int | None:
        """The number of rows that were singled out and have the secret, or None: refused."""
        total = 0
        for one in self.questions:
            if one.answer is None:
                return None
            total += one.sign * one.answer
        return total

    def lines(self) -> list[str]:
        """Return each answer with its sign and its question, and what they add up to."""
        found = [
            f"{'-' if one.sign < 0 else '+'} "
            f"{'refused' if one.answer is None else f'{one.answer:,}':>8}  {one.sql}"
            for one in self.questions
        ]
        return found if self.value is None else [*found, f"= {self.value:>8}"]


@dataclass(frozen=True)
class SingledOut(Result):
    """What exact counts give away about somebody."""

    known: tuple[Compare, ...]  # what is known of the person
    secret: Compare  # what is not
    rows: int  # how many rows the table has
    at_least: int  # the limit of the server
    matching: int  # how many rows what is known fits, in truth
    having: int  # how many of those have the secret, in truth
    attempts: tuple[Attempt, ...]  # what was tried, in order, up to the first that worked
    engine: Told | None = None  # the same questions to the release engine, if that was asked for
    notes: tuple[str, ...] = ()  # what a reader should know of the table

    @property
    def value(self) -> int | None:
        """What the attack found, or None."""
        return self.attempts[-1].value

    @property
    def succeeded(self) -> bool:
        """Whether it found the truth."""
        return self.value == self.having

    def answer(self) -> Answer:
        """Say what was asked and what follows."""
        last = self.attempts[-1]
        drawn = {
            f"{'add' if one.sign > 0 else 'take away'} answer {i}": one.answer
            for i, one in enumerate(last.questions, start=1)
            if one.answer is not None
        }
        charts = []
        if last.value is not None and len(drawn) > 1:
            left = "what is left"
            charts = [
                Bars(
                    "Answers that add up to a secret",
                    {**drawn, left: last.value},
                    share=False,
                    orange=[left],
                )
            ]
        return Answer.of(
            self.sentences(),
            *(Listing(attempt.name, attempt.lines()) for attempt in self.attempts),
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
        last = self.attempts[-1]
        if last.value is None:
            return (
                "Neither a direct count, nor a difference, nor a tracker made of one "
                "column was allowed. That is luck, no protection: a tracker made of several "
                f"columns may still exist.{server}"
            )
        way = {
            "direct": "One answer tells",
            "difference": "The difference of two allowed answers tells",
            "tracker": "Four allowed answers, none of them about the person alone, tell",
        }[last.name]
        who, what = in_words(self.known), in_words([self.secret])
        if self.matching == 1:
            fact = f"the person with {who} {'has' if last.value else 'does not have'} {what}"
        elif last.value in (0, self.matching):
            every = "each" if last.value else "none"
            fact = f"{every} of the {self.matching} people with {who} has {what}"
        else:
            fact = (
                f"what is known fits {self.matching} people, and {last.value} of them have {what}; "
                "whoever knows more of the person finds out the rest"
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
                    "name": attempt.name,
                    "value": attempt.value,
                    "questions": [
                        {"sign": one.sign, "sql": one.sql, "answer": one.answer}
                        for one in attempt.questions
                    ],
                }
                for attempt in self.attempts
            ],
            "explanation": self.sentences(),
            **({} if self.engine is None else {"engine": self.engine}),
        }


def single_out(
    server: ExactServer,
    known: Sequence[Compare],
    secret: Compare,
    *,
    tracker: Compare | None = None,
) -> SingledOut:
    """Find out whether somebody has the secret, from counts that the server gives.

    Args:
        server: Who answers.
        known: What is known of the person.
        secret: What is to be found out.
        tracker: A set that has nothing to do with the person; one is looked for if left out.
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
    attempts = []
    for name, questions in (
        ("direct", (CountAsked(1, both),)),
        ("difference", (CountAsked(1, secret), CountAsked(-1, All((secret, complement(known)))))),
    ):
        attempts.append(_tried(server, name, questions))
        if attempts[-1].value is not None:
            break
    else:
        trackers = _trackers(server, {secret.column}) if tracker is None else iter([tracker])
        for found in trackers:
            attempt = _tried(server, "tracker", _tracked(both, found))
            if attempt.value is not None:
                attempts.append(attempt)
                break
    having = server.true_count(both)
    return SingledOut(
        tuple(known), secret, server.rows, server.at_least, matching, having, tuple(attempts)
    )


def _tried(server: ExactServer, name: str, questions: Sequence[CountAsked]) -> Attempt:
    asked = []
    for one in questions:
        answer = server.count(one.condition)
        asked.append(CountAsked(one.sign, one.condition, answer))
        if answer is None:
            break
    return Attempt(name, tuple(asked))


def _tracked(both: Condition, tracker: Compare) -> tuple[CountAsked, ...]:
    others = complement([tracker])
    return (
        CountAsked(1, AnyOf((both, tracker))),
        CountAsked(1, AnyOf((both, others))),
        CountAsked(-1, tracker),
        CountAsked(-1, others),
    )


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


def against_engine(server: ExactServer, attempt: Attempt, epsilon: object) -> Told:
    """Ask the questions of an attempt of the release engine, with real noise and a real ledger.

    The server that adds noise need refuse nothing, whatever the size of a set.
    """
    cost = positive(epsilon, "epsilon")
    asked = [Query(TABLE).count().where(one.condition) for one in attempt.questions]
    with server.engine(epsilon) as curator:
        released = curator.release_all(asked, f"epsilon={epsilon}")
    answers = tuple(round(answer.estimates[0][0].value) for answer in released.answers)
    laws = {noises[0].law for noises in released.answers[0].calibration.noises}
    law = next(iter(laws))
    if not isinstance(law, GeometricNoise) or len(laws) > 1:
        raise Unsupported("the chance of an attack is known for equal geometric noise only")
    value = sum(one.sign * n for one, n in zip(attempt.questions, answers, strict=True))
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
