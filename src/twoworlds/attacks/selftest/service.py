"""A running service, seen from outside: what anybody with a token can try on it.

Only what the user names is touched: one dataset, and at most so much of its budget, in two
releases of a count. Everything else is refused, free, or a dry run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from twoworlds.attacks.selftest.bench import Failed, expect
from twoworlds.errors import InvalidInput

_SECONDS = 120
_INSIDE = re.compile(r'Traceback|File "|\.py\b|site-packages|/(?:home|usr|var|tmp|root|etc|opt)/')


class ServiceReply(NamedTuple):
    """What a service answered: its status, its text, and that text as JSON if it is some."""

    status: int
    text: str

    @property
    def data(self) -> Any:
        """The answer as JSON."""
        try:
            return json.loads(self.text)
        except ValueError:
            raise Failed(f"an answer is no JSON: {self.text[:80]!r}") from None


Send = Callable[[str, str, bytes | None, dict[str, str]], ServiceReply]


@dataclass(frozen=True)
class AttackedService:
    """A service, and what may be done to it."""

    address: str  # where it is
    token: str = field(repr=False)  # of an account that may release
    dataset: str  # what is asked about
    spend: Fraction  # the most epsilon that is spent on it
    # The token of another account, without which failure 26 is not tried
    second: str | None = field(default=None, repr=False)
    # How a request is sent: its method, address, body and headers
    send: Send = field(default=lambda *sent: _sent(*sent), repr=False)

    def __post_init__(self) -> None:
        """Check what can be checked without a request."""
        if not self.address.startswith(("http://", "https://")):
            raise InvalidInput(f"{self.address!r} is not an address: such as http://127.0.0.1:8642")
        if self.spend <= 0:
            raise InvalidInput(f"spend={self.spend}: say what may be spent, such as 1/100")

    def spending(self) -> str:
        """Say what will be spent, before it is."""
        first, second = self.costs
        alone = " Failure 26 is left out: it needs --second-token." if self.second is None else ""
        return (
            f"Two counts of {self.dataset!r} will be released by {self.address}, for epsilon "
            f"{first} and {second}: at most {self.spend} of its budget. Everything else is free."
            f"{alone}"
        )

    @property
    def costs(self) -> tuple[Fraction, Fraction]:
        """What the two releases cost."""
        return self.spend / 3, self.spend * 2 / 3

    def ask(
        self, path: str, body: Any = None, *, token: str | None = None, method: str | None = None
    ) -> ServiceReply:
        """Send a request; a body that is no text is sent as JSON."""
        content = body if body is None or isinstance(body, str) else json.dumps(body)
        named = self.token if token is None else token
        headers = {"Content-Type": "application/json"}
        if named:
            headers["Authorization"] = f"Bearer {named}"
        return self.send(
            method or ("GET" if body is None else "POST"),
            f"{self.address.rstrip('/')}/api/v1/{path}",
            None if content is None else content.encode(),
            headers,
        )

    def given(self, path: str, body: Any = None) -> Any:
        """Return the answer to a request that is to be answered."""
        reply = self.ask(path, body)
        expect(reply.status == 200, f"{path} is refused: {reply.text[:300]}")
        return reply.data

    def count(self, cost: Fraction, sql: str = "SELECT COUNT(*) FROM {}") -> dict[str, Any]:
        """Return a request for a count."""
        return {"queries": [sql.replace("{}", f'"{self.dataset}"')], "cost": f"epsilon={cost}"}

    def spent(self) -> Fraction:
        """Return the sum of all costs that the dataset was charged."""
        for one in self.given("budget")["datasets"]:
            if one["dataset"] == self.dataset:
                return Fraction(one["by_rule"]["basic composition"]["epsilon"]["exact"])
        raise Failed(f"the service has no dataset {self.dataset!r}")


def _sent(method: str, address: str, body: bytes | None, headers: dict[str, str]) -> ServiceReply:
    try:
        with urlopen(Request(address, body, headers, method=method), timeout=_SECONDS) as reply:
            return ServiceReply(reply.status, reply.read().decode("utf-8", "replace"))
    except HTTPError as error:
        return ServiceReply(error.code, error.read().decode("utf-8", "replace"))
    except (URLError, TimeoutError) as error:
        raise Failed(f"the service does not answer: {error}") from None


def _check_refused(service: AttackedService, faults: Sequence[tuple[str, Any, str | None]]) -> None:
    """Send what must be refused, twice, and look at what is said and charged."""
    before = service.spent()
    for path, body, token in faults:
        once, again = (service.ask(path, body, token=token) for _ in range(2))
        words = f"{path} with {str(body)[:60]}"
        expect(400 <= once.status < 500, f"{words} ends with {once.status}: {once.text[:80]}")
        expect(once == again, f"{words} is refused in two ways: {once.text} and {again.text}")
        shown = _INSIDE.search(once.text)
        expect(shown is None, f"the refusal of {words} shows what is inside: {once.text[:200]}")
        expect("error" in once.data, f"the refusal of {words} has another form: {once.text[:80]}")
    after = service.spent()
    expect(after == before, f"refused requests cost {after - before}, or somebody else released")


def errors_of_a_service(service: AttackedService) -> str:
    """Send what cannot be answered, and read what is said."""
    cost = service.costs[0]
    queries = (
        'SELECT COUNT(*) FROM "no such table"',
        "SELECT * FROM {}",
        "SELECT COUNT(*) FROM {}; DROP TABLE {}",
        "SELECT COUNT(*) FROM read_csv('/no/such/folder/x.csv')",
        "SELECT SUM(no_such_column) FROM {}",
        "SELECT COUNT(*) FROM {} WHERE",
    )
    asked = service.count(cost)
    bodies = [
        *(service.count(cost, sql) for sql in queries),
        {**asked, "cost": "epsilon=-1"},
        {**asked, "cost": "epsilon=nan"},
        {**asked, "queries": []},
        {**asked, "seed": 1},
        {**asked, "source": "/no/such/folder"},
        "{",
        "[" * 1000,
    ]
    faults = [(path, body, None) for path in ("plan", "release") for body in bodies]
    _check_refused(service, [*faults, ("no-such-path", None, None), ("release/..", {}, None)])
    return f"{len(faults) + 2} requests are refused unpaid, each in one way that shows nothing"


def names_of_a_service(service: AttackedService) -> str:
    """Ask with no token, with wrong ones, and under another name."""
    asked = service.count(service.costs[0])
    wrong = [service.token[:-1], f"{service.token}x", service.token.swapcase(), "x"]
    forged = [{**asked, name: "somebody"} for name in ("account", "analyst")]
    _check_refused(service, [("release", asked, token) for token in ("", *wrong)])
    _check_refused(service, [("release", body, None) for body in forged])
    told = {service.ask("release", asked, token=token) for token in wrong}
    expect(len(told) == 1, f"wrong tokens are told apart: {sorted(one.text for one in told)}")
    expect(told.pop().status == 401, "a wrong token is refused as something else")
    return f"{len(wrong)} wrong tokens are refused in one way, other names too"


def repetition_at_a_service(service: AttackedService) -> str:
    """Ask the same again, in two spellings and eight times at one time."""
    cost = service.costs[0]
    asked = [service.count(cost), service.count(cost, "select count ( * ) from {} -- again")] * 4
    with ThreadPoolExecutor(len(asked)) as threads:
        replies = [*threads.map(lambda body: service.given("release", body), asked)]
    answers = {json.dumps(one["answers"][0]["rows"], sort_keys=True) for one in replies}
    expect(len(answers) == 1, f"the same question has {len(answers)} answers")
    paid = [Fraction(one["paid"]["epsilon"]["exact"]) for one in replies]
    expect(sum(one > 0 for one in paid) <= 1, f"the same question was paid {sum(paid)} in all")
    return f"{len(asked)} times the same question: one answer, paid once at most"


def price_at_a_service(service: AttackedService) -> str:
    """Compare a price with what is taken from the budget."""
    asked = service.count(service.costs[1])
    price = Fraction(service.given("plan", asked)["price"]["epsilon"]["exact"])
    before = service.spent()
    paid = Fraction(service.given("release", asked)["paid"]["epsilon"]["exact"])
    fallen = service.spent() - before
    expect(price == paid, f"a dry run said {price}, the release cost {paid}")
    expect(fallen == paid, f"{paid} was paid and {fallen} taken, or somebody else released")
    return f"a count for {paid} took {fallen} from the budget, as the dry run had said"


_MANY = 12


def turns(service: AttackedService) -> str:
    """Send many free requests, and see whether another account has to wait for all of them."""
    counts = ", ".join(f"COUNT(*) AS n{i}" for i in range(20))
    sql = f"SELECT {counts} FROM {{}}"
    queries = [service.count(service.costs[0], sql)["queries"][0]] * 16
    heavy = {**service.count(service.costs[0]), "queries": queries}
    light = service.count(service.costs[0])
    done: list[int] = []
    answered: list[bool] = []

    def ask(number: int) -> None:
        reply = service.ask("plan", heavy)
        done.append(number)
        answered.append(reply.status == 200)

    with ThreadPoolExecutor(_MANY) as threads:
        waiting = [threads.submit(ask, number) for number in range(_MANY)]
        reply = service.ask("plan", light, token=service.second)
        before = len(done)
        expect(reply.status == 200, f"a dry run of the second account is refused: {reply.text}")
        for one in waiting:
            one.result()
    expect(
        before <= _MANY * 3 // 4,
        f"somebody else waited for {before} of {_MANY} free requests of another account",
    )
    return (
        f"somebody else's request waited for {before} of {_MANY} free ones, not for all; "
        f"{sum(answered)} of these were answered"
    )


def one_policy(service: AttackedService) -> str:
    """Ask for the policy many times at one time."""
    asked = service.count(service.costs[0])

    def ask(_: int) -> str:
        plan = service.given("plan", asked)
        said = {name: plan[name] for name in ("cost", "neighbours", "sensitivity", "errors")}
        return json.dumps([service.given("datasets"), said], sort_keys=True)

    with ThreadPoolExecutor(8) as threads:
        told = {*threads.map(ask, range(48))}
    expect(len(told) == 1, f"{len(told)} policies answer at one time")
    return "48 requests at one time are answered by one policy"
