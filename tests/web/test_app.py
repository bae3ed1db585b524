"""The application by itself, in this process: limits, failures, and no policy at all."""

import asyncio
import json

import httpx
import pytest

from twoworlds.release.examples import lay_out
from twoworlds.web.accounts import Accounts
from twoworlds.web.app import create_app

HOST = "http://127.0.0.1:8642"
SECRET = "4711-is-in-the-data"


class Tried:
    """An application with its log, asked without a socket."""

    def __init__(self, *given, **options):
        self.log = []
        self.app = create_app(*given, workers=1, delay=0, pace=0, log=self.log.append, **options)
        self.service = self.app.state.service

    def ask(self, method, path, **sent):
        async def go():
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url=HOST) as client:
                return await client.request(method, path, **sent)

        return asyncio.run(go())


@pytest.fixture
def tried(tmp_path):
    made = Tried(None, tmp_path / "accounts", body_seconds=0.1)
    yield made
    made.service.close()


def test_without_a_policy_there_is_nothing_to_release(tried):
    token = Accounts(tried.service.accounts.path).add("ann", "curator")
    given = {"Authorization": f"Bearer {token}"}
    assert tried.ask("GET", "/api/v1/me", headers=given).json()["name"] == "ann"
    assert tried.ask("GET", "/api/v1/ready").json() == {"ready": True}
    body = {"queries": ["SELECT 1"], "epsilon": 1}
    for method, path in (("GET", "budget"), ("GET", "datasets"), ("POST", "release")):
        sent = {"json": body} if method == "POST" else {}
        answer = tried.ask(method, f"/api/v1/{path}", headers=given, **sent)
        assert (answer.status_code, answer.json()["error"]["kind"]) == (404, "NoPolicy")


def test_a_body_that_never_comes_is_given_up(tried):
    answers = []

    async def never():
        await asyncio.sleep(60)

    async def keep(message):
        answers.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/api/v1/mechanism",
        "raw_path": b"/api/v1/mechanism",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"content-length", b"10")],
    }
    asyncio.run(tried.app(scope, never, keep))
    assert answers[0]["status"] == 408
    assert json.loads(answers[1]["body"])["error"]["kind"] == "TimeLimit"


def test_whatever_fails_inside_has_one_fixed_text(tried, monkeypatch):
    async def fails(job, arguments):
        raise RuntimeError(SECRET)

    monkeypatch.setattr(tried.service.mathematics, "run", fails)
    answer = tried.ask("POST", "/api/v1/noiseless", json={"people": 3})
    assert answer.status_code == 500
    assert answer.json()["error"]["kind"] == "Internal"
    assert SECRET not in answer.text + json.dumps(tried.log)
    assert tried.log[-1]["status"] == 500


def test_accounts_that_cannot_be_read_let_nobody_in(tried):
    tried.service.accounts.path.write_bytes(b"no database" * 100)
    answer = tried.ask("GET", "/api/v1/me", headers={"Authorization": "Bearer tw-x"})
    assert answer.status_code == 503
    assert str(tried.service.accounts.path) not in answer.text


def test_more_names_are_allowed_when_they_are_given(tmp_path):
    made = Tried(None, tmp_path / "accounts", hosts=["Releases.Example.org"])
    for name, status in (("releases.example.org", 200), ("other.example.org", 403)):
        answer = made.ask("GET", "/api/v1/health", headers={"Host": name})
        assert answer.status_code == status
    made.service.close()


def test_files_of_the_page_come_packed_where_that_is_understood(tried):
    plain = tried.ask("GET", "/", headers={"Accept-Encoding": "identity"})
    packed = tried.ask("GET", "/", headers={"Accept-Encoding": "gzip"})
    assert plain.text == packed.text
    assert "content-encoding" not in plain.headers
    assert tried.ask("HEAD", "/").status_code == 200
    assert tried.ask("POST", "/").status_code == 404
    assert tried.log[-1]["path"] is None


@pytest.mark.slow
def test_a_release_that_is_stopped_is_charged_once_and_answered_on_the_next_attempt(tmp_path):
    lay_out(tmp_path)
    made = Tried(tmp_path / "policy.yml")
    token = made.service.accounts.add_passing("ann", "curator")
    given = {"Authorization": f"Bearer {token}"}

    def ask(number):
        sql = f"SELECT COUNT(*) FROM people WHERE age >= {number}"
        body = {"queries": [sql], "epsilon": "1/100"}
        return made.ask("POST", "/api/v1/release", json=body, headers=given)

    assert ask(1).status_code == 200
    made.service.releases.seconds = 0.005
    stopped = [ask(number) for number in range(2, 7)]
    assert {answer.json()["error"]["kind"] for answer in stopped} == {"TimeLimit"}
    assert {answer.status_code for answer in stopped} == {503}
    made.service.releases.seconds = 60
    assert {ask(number).status_code for number in range(1, 7)} == {200}
    ledger = made.ask("GET", "/api/v1/ledger", headers=given).json()
    assert (ledger["charges"], ledger["answered"]) == (6, 6)
    made.service.close()
