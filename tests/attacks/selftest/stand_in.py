"""A service that stands in for a running one, whole or with one mistake."""

import json
import re
import threading
from fractions import Fraction

from twoworlds.attacks.selftest.service import AttackedService, ServiceReply

FIRST, SECOND = "tw-Ann", "tw-Bob"
MANY = 12  # free requests that failure 26 sends


class Watched(ServiceReply):
    """A reply that tells when its status is looked at."""

    def seen_by(self, tell):
        self.tell = tell
        return self

    @property
    def status(self):
        self.tell()
        return self[0]


class StandIn:
    """Counts of one table, within a budget; it is called as `Service.send` is."""

    def __init__(self):
        self.lock = threading.Lock()
        self.stored, self.spent = {}, Fraction(0)
        self.asked = self.free = 0
        self.second, self.all_free = threading.Event(), threading.Event()

    def service(self, **others):
        given = {"dataset": "people", "spend": Fraction(3, 100), "second": SECOND, **others}
        return AttackedService("http://stand-in", FIRST, send=self, **given)

    def __call__(self, method, address, body, headers):
        path = address.partition("/api/v1/")[2]
        token = headers.get("Authorization", "").removeprefix("Bearer ")
        self.asked += 1
        if not self.knows(token):
            return self.refused(401, self.stranger(token))
        try:
            if path in ("budget", "datasets"):
                return self.given(getattr(self, path)())
            if path not in ("plan", "release"):
                return self.refused(404, "there is nothing here")
            queries, cost = self.read(json.loads(body))
            reply = self.given(getattr(self, path)(token, queries, cost))
            return self.in_turn(reply, token, free=len(queries) > 1)
        except (ValueError, RecursionError) as error:
            return self.refused(400, self.complaint(error))

    def given(self, data):
        return ServiceReply(200, json.dumps(data))

    def refused(self, status, message):
        return ServiceReply(status, json.dumps({"error": {"message": message}}))

    def knows(self, token):
        return token in (FIRST, SECOND)

    def stranger(self, token):
        return "nobody has this token" if token else "this needs a token"

    def complaint(self, error):
        return "this cannot be read"

    def read(self, body):
        if set(body) != {"queries", "cost"} or not body["queries"]:
            raise ValueError
        queries = [re.sub(r"--.*|\s", "", one.lower()) for one in body["queries"]]
        if not all(
            re.fullmatch(r'select(count\(\*\)(asn\d+)?,?)+from"people"', q) for q in queries
        ):
            raise ValueError
        cost = Fraction(body["cost"].removeprefix("epsilon="))
        if cost <= 0:
            raise ValueError
        return queries, cost

    def datasets(self):
        return {"datasets": [{"name": "people"}]}

    def budget(self):
        shown = {"basic composition": {"epsilon": {"exact": str(self.spent)}}}
        return {"datasets": [{"dataset": "people", "by_rule": shown}]}

    def price(self, queries, cost):
        return Fraction(0) if (*queries, cost) in self.stored else cost

    def plan(self, token, queries, cost):
        price = {"epsilon": {"exact": str(self.price(queries, cost))}}
        said = dict.fromkeys(("cost", "neighbours", "sensitivity", "errors"), "said")
        return {**said, "price": price}

    def in_turn(self, reply, token, *, free):
        """Keep free requests waiting until the answer to the second account was looked at."""
        if token == SECOND:
            return Watched(*reply).seen_by(self.second.set)
        if free:
            self.second.wait()
        return reply

    def release(self, token, queries, cost):
        with self.lock:
            paid = self.price(queries, cost)
            self.spent += paid
            rows = self.stored.setdefault((*queries, cost), [len(self.stored)])
        return {"answers": [{"rows": rows}], "paid": {"epsilon": {"exact": str(paid)}}}


class ShowsWhere(StandIn):
    def complaint(self, error):
        return 'File "/home/ann/service/app.py", line 3'


class ChangesItsWords(StandIn):
    def complaint(self, error):
        return f"complaint {self.asked}"


class ChargesRefusals(StandIn):
    def complaint(self, error):
        self.spent += 1
        return super().complaint(error)


class FailsInside(StandIn):
    def refused(self, status, message):
        return super().refused(500 if status == 400 else status, message)


class TellsTokensApart(StandIn):
    def stranger(self, token):
        return "this token is too short" if len(token) < 4 else super().stranger(token)


class IgnoresCase(StandIn):
    def knows(self, token):
        return token.lower() in (FIRST.lower(), SECOND.lower())


class TakesAnyName(StandIn):
    def read(self, body):
        return super().read({k: v for k, v in body.items() if k not in ("account", "analyst")})


class AnswersAnew(StandIn):
    def price(self, queries, cost):
        self.stored.pop((*queries, cost), None)
        self.stored[object()] = 0
        return cost


class TakesMore(StandIn):
    def release(self, token, queries, cost):
        self.spent += Fraction(1, 10**9)
        return super().release(token, queries, cost)


class HasTwoPolicies(StandIn):
    def datasets(self):
        self.asked += 1
        return {"datasets": [{"name": "people", "version": self.asked % 2}]}


class TakesTurnsByArrival(StandIn):
    def in_turn(self, reply, token, *, free):
        if token == SECOND:
            self.all_free.wait()
        return Watched(*reply).seen_by(self.count) if free else reply

    def count(self):
        with self.lock:
            self.free += 1
            if self.free == MANY:
                self.all_free.set()


BROKEN = {
    ShowsWhere: (9, "shows what is inside"),
    ChangesItsWords: (9, "is refused in two ways"),
    ChargesRefusals: (9, "refused requests cost"),
    FailsInside: (9, "ends with 500"),
    TellsTokensApart: (13, "wrong tokens are told apart"),
    IgnoresCase: (13, "ends with 200"),
    TakesAnyName: (13, "ends with 200"),
    AnswersAnew: (14, "the same question has"),
    TakesMore: (17, "taken, or somebody else released"),
    TakesTurnsByArrival: (26, "waited for"),
    HasTwoPolicies: (27, "2 policies answer at one time"),
}
