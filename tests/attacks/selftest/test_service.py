"""What the self-test sees of a service from outside; services with one mistake are noticed."""

import json
import threading
from contextlib import contextmanager
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.attacks.selftest.stand_in import BROKEN, FIRST, StandIn
from tests.cli.calling import call
from tests.web.serving import Running, wait_until_ready
from twoworlds.attacks.selftest import FAILURES, selftest_of
from twoworlds.attacks.selftest.service import AttackedService
from twoworlds.errors import InvalidInput
from twoworlds.web.accounts import Accounts, accounts_place

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
