"""What the self-test sees of a service from outside; services with one mistake are noticed."""

import json
import re
import threading
from contextlib import contextmanager
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.cli.calling import call
from tests.web.serving import Running, wait_until_ready
from twoworlds.attacks.selftest import FAILURES, selftest_of
from twoworlds.attacks.selftest.service import AttackedService, ServiceReply
from twoworlds.errors import InvalidInput
from twoworlds.web.accounts import Accounts, accounts_place

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
OUTSIDE = [one.number for one in FAILURES if one.outside]


def test_a_whole_service_passes_and_spends_what_was_said():
    stand_in = StandIn()
    service = stand_in.service()
    found = selftest_of(service).data["checks"]
    assert [one["number"] for one in found] == OUTSIDE
    assert [one["said"] for one in found if not one["holds"]] == []
    assert stand_in.spent == service.spend
    assert "1/100 and 1/50: at most 3/100" in service.spending()
    stand_in.second.clear()
    assert all(one["holds"] for one in selftest_of(service).data["checks"])
    assert stand_in.spent == service.spend  # asked again, it is free


@pytest.mark.parametrize("broken", BROKEN, ids=lambda one: one.__name__)
def test_a_broken_service_is_noticed(broken):
    number, said = BROKEN[broken]
    [outcome] = selftest_of(broken().service(), [number]).data["checks"]
    assert not outcome["holds"]
    assert said in outcome["said"]


def test_each_check_of_a_service_has_a_broken_one():
    assert {number for number, _ in BROKEN.values()} == set(OUTSIDE)


def test_without_a_second_account_nobody_is_kept_waiting():
    service = StandIn().service(second=None)
    assert "Failure 26 is left out" in service.spending()
    assert 26 not in [one["number"] for one in selftest_of(service).data["checks"]]
    with pytest.raises(InvalidInput, match="26"):
        selftest_of(service, [26])


@pytest.mark.parametrize("given", [{"address": "127.0.0.1"}, {"spend": Fraction(0)}])
def test_what_cannot_be_tried_is_refused(given):
    usual = {"address": "http://x", "token": "t", "dataset": "d", "spend": Fraction(1)}
    with pytest.raises(InvalidInput):
        AttackedService(**{**usual, **given})


def test_no_token_is_shown():
    assert FIRST not in repr(StandIn().service())


@contextmanager
def listening(stand_in):
    """Let a stand-in be asked over HTTP."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            reply = stand_in(self.command, self.path, body, self.headers)
            self.send_response(reply.status)
            self.send_header("Content-Length", str(len(reply.text.encode())))
            self.end_headers()
            self.wfile.write(reply.text.encode())

        def log_message(self, *_):
            pass

    Handler.do_GET = Handler.do_POST = Handler.answer
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_the_command(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "150")
    monkeypatch.setenv("TWOWORLDS_TOKEN", FIRST)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with listening(StandIn()) as address:
        asked = ("selftest", "--service", address, "--dataset", "people", "--spend", "3/100")
        code, out, err = call(capsys, *asked, "--only", "9, 13, 17")
        assert code == 0
        assert err.startswith("Two counts of 'people' will be released")
        assert "withstands all 3" in out
        assert "by chance" not in out
        code, out, _ = call(capsys, *asked, "--only", "14", "--json")
        assert json.loads(out)["checks"][0]["holds"] is True
        code, out, _ = call(capsys, *asked[:-2])
        assert code == 2
    code, out, _ = call(capsys, *asked, "--only", "17")
    assert code == 1
    assert "does not answer" in out


@pytest.mark.slow
def test_a_running_service_withstands(tmp_path):
    running = Running(tmp_path)
    try:
        wait_until_ready(running)
        from twoworlds.release.policy import read_policy

        accounts = Accounts(accounts_place(read_policy(running.folder / running.said["policy"])))
        second = accounts.add("bob", "analyst")
        service = AttackedService(
            running.address, running.token, "people", Fraction(1, 100), second
        )
        assert [
            one["said"] for one in selftest_of(service).data["checks"] if not one["holds"]
        ] == []
    finally:
        running.stop()
