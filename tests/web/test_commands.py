"""``twoworlds serve`` and ``account``: what they print, what they refuse, and how they stop."""

import errno
import json
import socket
import threading
import time

import pytest

from tests.cli.calling import call
from tests.web.serving import Running, wait_until_ready
from twoworlds.errors import InvalidInput
from twoworlds.release import Curator
from twoworlds.release.examples import lay_out
from twoworlds.web.accounts import Accounts
from twoworlds.web.server import _listen


@pytest.fixture
def policy(tmp_path):
    lay_out(tmp_path)
    return str(tmp_path / "policy.yml")


def test_an_account_is_added_listed_and_removed(capsys, policy, tmp_path):
    code, out, _ = call(
        capsys, "account", "add", "ann", "--role", "analyst", "--policy", policy, "--json"
    )
    added = json.loads(out)
    assert (code, added["name"], added["budget"]) == (0, "ann", True)
    kept = Accounts(tmp_path / "ledger.db.accounts")
    assert kept.find(added["token"]).name == "ann"
    code, out, _ = call(capsys, "account", "list", "--policy", policy)
    assert code == 0
    assert "ann" in out
    assert added["token"] not in out
    assert call(capsys, "account", "remove", "ann", "--policy", policy)[0] == 0
    assert kept.find(added["token"]) is None
    assert "no accounts" in call(capsys, "account", "list", "--policy", policy)[1]


def test_the_token_is_printed_once_in_words(capsys, policy):
    _, out, _ = call(capsys, "account", "add", "zoe", "--role", "analyst", "--policy", policy)
    assert out.count("tw-") == 1
    assert "no budget yet" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["account", "add", "ann", "--role", "king"], "unknown role"),
        (["account", "add", "", "--role", "analyst"], "1 to 200"),
        (["account", "remove", "nobody"], "unknown account"),
        (["serve", "--port", "70000"], "0 to 65535"),
        (["serve", "--pace", "99"], "0 to 10"),
        (["serve", "--host", "256.1.1.1", "--port", "0"], "cannot be listened on"),
        (["serve", "--policy", "nowhere.yml"], "cannot be read"),
        (["serve", "--account", "carl"], "unknown analyst of the policy 'carl'"),
    ],
)
def test_bad_input_is_said_in_a_line(capsys, policy, arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "--policy" not in arguments:
        arguments = [*arguments, "--policy", policy]
    code, _, err = call(capsys, *arguments)
    assert code == 2
    assert words in err
    assert len(err.splitlines()) <= 2


def test_a_port_that_is_taken_is_said_to_be(capsys, service, policy):
    port = service.address.rpartition(":")[2]
    code, _, err = call(capsys, "serve", "--policy", policy, "--port", port)
    assert code == 2
    assert "--port 0" in err
    assert "running already" in err


def test_a_port_that_is_forbidden_is_said_to_be(monkeypatch):
    def forbidden(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", forbidden)
    with pytest.raises(InvalidInput, match="1024"):
        _listen("127.0.0.1", 80)


@pytest.mark.parametrize("harm", ["damaged", "gone", "no folder"])
def test_a_ledger_that_cannot_be_used_is_said_at_once(capsys, policy, tmp_path, harm):
    with Curator.open(policy):
        pass
    place = tmp_path / "ledger.db"
    if harm == "damaged":
        place.write_bytes(b"no ledger" * 1000)
    elif harm == "gone":
        place.unlink()
    else:
        text = (tmp_path / "policy.yml").read_text()
        (tmp_path / "policy.yml").write_text(text.replace("ledger.db", "nowhere/ledger.db"))
    code, out, err = call(capsys, "serve", "--policy", policy, "--port", "0")
    assert (code, out) == (2, "")
    assert "ledger" in err
    assert len(err.splitlines()) <= 3


def test_serving_says_where_with_the_token_behind_the_hash(service):
    said = service.said
    assert said["link"] == f"{said['address']}#token={said['token']}"
    assert said["address"].startswith("http://127.0.0.1:")
    assert said["account"] == "ann"


@pytest.mark.slow
def test_a_stop_finishes_the_releases_that_run(tmp_path):
    running = Running(tmp_path, "--pace", "1.5")
    try:
        wait_until_ready(running)
        found = []

        def ask() -> None:
            body = {"queries": ["SELECT COUNT(*) FROM people"], "epsilon": "1/100"}
            with running.client(running.token) as client:
                found.append(client.post("/api/v1/release", json=body))

        thread = threading.Thread(target=ask)
        thread.start()
        time.sleep(0.5)
        code = running.stop()
        thread.join()
    finally:
        running.kill()
    assert code == 0
    assert [answer.status_code for answer in found] == [200]
    last = running.lines()[-1]
    assert (last["path"], last["status"]) == ("/api/v1/release", 200)
    assert last["milliseconds"] >= 1500
