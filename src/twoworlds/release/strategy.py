r"""Strategies: questions one after the other, each chosen by earlier answers, at one price.

A strategy is paid once, with epsilon. Its questions get noise as they come, and whatever the
answers were, the whole vector of questions asked so far must satisfy

    sup over neighbours of  sum_i |f_i(D) - f_i(D')|_1 / scale_i  <=  epsilon

which is checked, exactly, before each question is answered. Along every transcript the logarithm of
the ratio of the two likelihoods is at most the left side for the questions of that transcript, and
what is asked depends on earlier answers only; so the transcript is epsilon-private (Dwork, Theorem
5, with the sensitivity of the whole vector: neither the largest of its parts nor their sum).
Questions about different people cost nothing more where the owner promises that the data do not
change (``frozen: true`` in the policy). Otherwise each question may meet another table, in which
somebody counts among others, and what the questions cost adds up.

A question whose second part depends on the true answer to the first is one function of the data,
and must be asked as one query.

Each question has a number, and the ledger takes each number once. After a crash, run the same
program again: it gets the same answers at the same price. Another program, or another day, goes on
with `Strategy.resume`, which reads the questions so far from the ledger. Where several programs ask
at the same time and one of them was faster, the others read its question, check that theirs still
fits, and take the next number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Any, Self

from twoworlds.answer import Answer
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput
from twoworlds.numbers import counted
from twoworlds.release.answers import QueryAnswer
from twoworlds.release.costs import Cost, amount, parse_cost
from twoworlds.release.errors import RequestTaken
from twoworlds.release.ledger import OverBudget
from twoworlds.release.ledger.state import check_name
from twoworlds.release.ledger.views import export
from twoworlds.release.query import Query, Resolved, resolve
from twoworlds.release.query.model import query_of
from twoworlds.release.sensitivity import Calibration, calibrate
from twoworlds.release.sensitivity.calibration import laplace_weights
from twoworlds.release.sensitivity.joint import Analysis
from twoworlds.release.statement import check_size, statement
from twoworlds.show import Result

if TYPE_CHECKING:
    from twoworlds.release.curator import Curator
    from twoworlds.release.forms import Covered, DryRun, Released
    from twoworlds.release.ledger import Ledger

_OPENING = {"strategy", "analyst", "version", "cost"}
_LONGEST = 1_000_000  # characters of a file of questions
_TRIES = 20  # to get a number, while others ask too


class PaidStrategy(Result):
    """Questions to one dataset, each of which may depend on earlier answers; see the module.

    Use `Curator.strategy`.

    Attributes:
        name: What it is called.
        joint: What the questions so far cost together; ``naive`` what they would one by one.
    """

    def __init__(self, curator: Curator, dataset: str, name: str, cost: object, who: str) -> None:
        """Pay for it, or find that it was paid."""
        check_name(name, "strategy")
        self.cost = parse_cost(cost)
        if self.cost.kind != "pure" or not self.cost.epsilon:
            raise InvalidInput(f"a strategy is paid with an epsilon above 0, not with {self.cost}")
        self._curator, self._who = curator, who
        self.name = name
        self.dataset = curator.policy.dataset(dataset)
        opening = {  # with the analyst: questions are numbered for each of them
            "strategy": name,
            "analyst": who,
            "version": self.dataset.version,
            "cost": str(self.cost),
        }
        curator.ledger.state().check_place(dataset, curator.place(self.dataset))
        self._paid = curator.ledger.reserve(dataset, who, opening, self.cost)
        if not self._paid.answered:
            curator.ledger.commit(self._paid, {"open": True})
        self._asked: list[tuple[Resolved, Calibration]] = []
        self._resumed = False
        self.joint = self.naive = Fraction(0)

    @property
    def questions(self) -> tuple[Resolved, ...]:
        """The questions so far."""
        return tuple(resolved for resolved, _ in self._asked)

    def resume(self) -> Self:
        """Take the questions that were asked before from the ledger, answered or not.

        Raises:
            InvalidInput: when the policy has changed since, so that their noise would be another.
        """
        self._asked, self.joint, self.naive = [], Fraction(0), Fraction(0)
        place = self._curator.place(self.dataset)
        for stored in _questions(self._curator.ledger, self._paid.hash):
            resolved = resolve(query_of(stored["queries"][0]), self.dataset)
            cost = parse_cost(stored["cost"])
            calibration = calibrate([resolved], cost)
            said = statement([resolved], calibration, place)
            if any(stored.get(field) != value for field, value in said.items()):
                raise InvalidInput(
                    f"the policy has changed since question {len(self._asked) + 1} of strategy "
                    f"{self.name!r}: put it back, or open another strategy"
                )
            self._asked.append((resolved, calibration))
            self.naive += cost.epsilon
        if self._asked:
            self.joint = _together(self._asked)
        self._resumed = True
        return self

    def ask(self, asked: Query | str, epsilon: object) -> QueryAnswer:
        """Answer the next question, with the noise that it would have alone at this epsilon.

        Raises:
            OverBudget: when all questions together would cost more than was paid.
            InvalidInput: when the question with this number was another one, and `resume` was not
                called.
        """
        return self.release(asked, epsilon).answers[0]

    def release(self, asked: Query | str, epsilon: object, *, once: bool = False) -> Released:
        """Answer the next question as `ask` does, with what was recorded.

        ``once``: a question that was asked before, at the same epsilon, gets the same answer.
        """
        resolved, calibration = self._prepared(asked, epsilon)
        for _ in range(_TRIES):
            number = self._number(resolved, calibration) if once else None
            if number is not None:
                return self._released(resolved, calibration, number)
            try:
                return self._next(resolved, calibration)
            except RequestTaken:
                if not once and not self._resumed:
                    raise InvalidInput(
                        f"question {len(self._asked) + 1} of strategy {self.name!r} was another "
                        "question, asked by another program or by this one before; nothing was "
                        "charged: call resume(), which reads the questions so far, and ask again"
                    ) from None
                self.resume()
        raise InvalidInput(
            f"others asked strategy {self.name!r} at the same time, and were faster {_TRIES} times "
            "in a row; nothing was charged: ask again"
        )

    def with_question(self, asked: Query | str, epsilon: object) -> tuple[Fraction, Fraction]:
        """Return what all questions would cost with this one, together and one by one.

        One that was asked already is not counted twice.
        """
        resolved, calibration = self._prepared(asked, epsilon)
        if self._number(resolved, calibration) is not None:
            return self.joint, self.naive
        return self._with(resolved, calibration)

    def plan(self, asked: Query | str, epsilon: object) -> DryRun:
        """Return how exact the answer to a question would be; nothing is recorded.

        Raises:
            OverBudget: when all questions together would cost more than was paid.
        """
        from twoworlds.release.forms import DryRun

        resolved, calibration = self._prepared(asked, epsilon)
        known = self._number(resolved, calibration) is not None
        if not known:
            self._check_fits(self._with(resolved, calibration)[0])
        left = self._curator.ledger.state().accounts(self.dataset.name, self._who)[0]
        covered: Covered = "asked before" if known else "next question"
        return DryRun((resolved,), calibration, Cost(), left, left, covered, strategy=self.cost)

    def _next(self, resolved: Resolved, calibration: Calibration) -> Released:
        """Answer a question under the number that comes next.

        Raises:
            OverBudget: when it does not fit.
            RequestTaken: when the ledger has another question with this number.
        """
        joint, naive = self._with(resolved, calibration)
        self._check_fits(joint)
        released = self._released(resolved, calibration, len(self._asked) + 1)
        self._asked = [*self._asked, (resolved, calibration)]
        self.joint, self.naive = joint, naive
        return released

    def _check_fits(self, joint: Fraction) -> None:
        if joint <= self.cost.epsilon:
            return
        smaller = "ask with a smaller epsilon, " if self.joint < self.cost.epsilon else ""
        others = "ask about other people"
        if not self.dataset.frozen:
            others = (
                "let the policy say frozen: true, if the data do not change between questions, and "
                "ask about other people"
            )
        raise OverBudget(
            f"with this question the strategy would cost epsilon {amount(joint)}, and "
            f"{self.cost.shown()} was paid: {smaller}open another strategy, or {others}"
        )

    def _number(self, resolved: Resolved, calibration: Calibration) -> int | None:
        """Return the number under which a question was asked with this noise, if it was."""
        known = enumerate(self._asked, start=1)
        return next((number for number, one in known if one == (resolved, calibration)), None)

    def _with(self, resolved: Resolved, calibration: Calibration) -> tuple[Fraction, Fraction]:
        together = _together([*self._asked, (resolved, calibration)])
        return together, self.naive + calibration.cost.epsilon

    def answer(self) -> Answer:
        """Say what it cost so far."""
        count = len(self._asked)
        rests = (
            "This rests on the promise in the policy that the data do not change (frozen: true)."
            if self.dataset.frozen
            else "The data may change between questions, so their costs add up."
        )
        cost = f"the cost so far is {amount(self.joint)}"
        if count > 1:
            alone = f"one by one they would cost {amount(self.naive)}"
            cost = f"together they cost {amount(self.joint)}, {alone}"
        costs = {"together": self.joint, "one by one": self.naive}
        paid = ("paid", self.cost.epsilon)
        title = "epsilon of the questions so far"
        return Answer.of(
            f"{counted(count, 'question')} for {self.cost.shown()}: {cost} "
            f"(neighbours by {self.dataset.neighbours}). {rests}",
            Bars(title, costs, share=False, grey=["one by one"], mark=paid),
        )

    def fields(self) -> dict[str, Any]:
        """Return what it cost so far."""
        return {
            "strategy": self.name,
            "dataset": self.dataset.name,
            "analyst": self._who,
            "paid": self.cost,
            "questions": len(self._asked),
            "together": self.joint,
            "one_by_one": self.naive,
            "neighbours": self.dataset.neighbours,
        }

    def _prepared(self, asked: Query | str, epsilon: object) -> tuple[Resolved, Calibration]:
        return _prepared(self._curator, self.dataset.name, asked, epsilon)

    def _released(self, resolved: Resolved, calibration: Calibration, number: int) -> Released:
        within = {"strategy": self._paid.hash, "question": number}
        prepared = self._curator._prepared(
            [resolved],
            calibration,
            self._who,
            within=within,
            covered=self.cost,
            name=f"{self._paid.hash}:{number}",
        )
        return self._curator._answer(prepared)


def price_of(
    curator: Curator, dataset: str, asked: Sequence[Query | str], each: object
) -> tuple[Fraction, Fraction]:
    """Return what questions would cost at an epsilon each, together and one by one.

    No choice among them costs more than all of them together.
    """
    if not asked:
        raise InvalidInput("there is no question: give at least one")
    prepared = [_prepared(curator, dataset, one, each) for one in asked]
    return _together(prepared), sum((c.cost.epsilon for _, c in prepared), Fraction(0))


def find_strategy(curator: Curator, dataset: str, name: str, who: str) -> str | None:
    """Return what was paid for a strategy with this name; None when it was not opened."""
    version = curator.policy.dataset(dataset).version
    found = [
        entry["query"]
        for entry in _entries(curator.ledger)
        if entry["kind"] == "reserve"
        and (entry["dataset"], entry["analyst"]) == (dataset, who)
        and isinstance(entry["query"], dict)
        and entry["query"].keys() == _OPENING
        and entry["query"]["strategy"] == name
    ]
    mine = [opening for opening in found if opening["version"] == version]
    if len(mine) > 1:
        raise InvalidInput(f"strategy {name!r} was opened with several prices: use another name")
    if found and not mine:
        raise InvalidInput(
            f"strategy {name!r} was opened for version {found[-1]['version']!r} of the data, which "
            f"is now {version!r}: open it again, which is paid anew"
        )
    return str(mine[0]["cost"]) if mine else None


def resumed(
    curator: Curator, dataset: str, name: str, analyst: str | None, policy: Path
) -> PaidStrategy:
    """Return a strategy that was opened, with its questions so far; ``policy`` is its file."""
    who = curator.analyst(dataset, analyst)
    paid = find_strategy(curator, dataset, name, who)
    if paid is None:
        words = ("strategy", "open", name, "--policy", str(policy), "--dataset", dataset)
        raise InvalidInput(
            f"{who} has no strategy {name!r} on {dataset!r}: open it first, as in "
            f"{join(('twoworlds', *words, '--epsilon', '1', '--analyst', who))}"
        )
    return curator.strategy(dataset, paid, name=name, analyst=who).resume()


def read_questions(path: Path) -> list[str]:
    """Return the questions of a file: queries with ; between them."""
    from sqlglot.errors import SqlglotError
    from sqlglot.tokens import Tokenizer

    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_LONGEST + 1)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not a text file in UTF-8") from None
    if len(text) > _LONGEST:
        raise InvalidInput(f"{path} has more than {_LONGEST} characters: ask less")
    try:
        tokens = Tokenizer().tokenize(text)
    except SqlglotError:
        raise InvalidInput(f"{path} cannot be read as SQL: a quote is not closed") from None
    groups: list[list[Any]] = [[]]
    for token in tokens:
        if token.token_type.name == "SEMICOLON":
            groups.append([])
        else:
            groups[-1].append(token)
    found = [text[group[0].start : group[-1].end + 1] for group in groups if group]
    if not found:
        raise InvalidInput(f"{path} has no question: write queries with ; between them")
    return found


def _prepared(
    curator: Curator, dataset: str, asked: Query | str, epsilon: object
) -> tuple[Resolved, Calibration]:
    """Return a question with the noise that it would have alone."""
    query = curator.query(asked)
    if query.dataset != dataset:
        raise InvalidInput(f"this strategy asks {dataset!r}, not {query.dataset!r}")
    resolved = resolve(query, curator.policy.dataset(dataset))
    if resolved.discovers:
        raise InvalidInput("discovered keys cost a delta, and a strategy has none: declare them")
    return resolved, check_size([resolved], calibrate([resolved], parse_cost(epsilon)))


def _questions(ledger: Ledger, paid: str) -> list[dict[str, Any]]:
    """Return the statements of the questions of a strategy, by their numbers."""
    found = {
        entry["query"]["question"]: entry["query"]
        for entry in _entries(ledger)
        if entry["kind"] == "reserve"
        and isinstance(entry["query"], dict)
        and entry["query"].get("strategy") == paid
        and "question" in entry["query"]
    }
    return [found[number] for number in sorted(found)]


def _entries(ledger: Ledger) -> Iterator[dict[str, Any]]:
    """Yield all entries of a ledger, checked as they go."""
    return (item["entry"] for item in export(ledger.location))


def _together(asked: list[tuple[Resolved, Calibration]]) -> Fraction:
    """Return what questions with given noise cost together."""
    weights = laplace_weights([calibration.noises[0] for _, calibration in asked])
    questions = [resolved for resolved, _ in asked]
    frozen = questions[0].dataset.frozen
    return Analysis(questions, one_moment=frozen).loss(weights, 1).value
