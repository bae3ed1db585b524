"""The policy: one for all workers, as it was at the start, until the service is told to reload."""

import os
import signal
import sys
import time

import pytest

from tests.web.serving import SECONDS, Running, wait_until_ready
from tests.web.test_app import Tried
from twoworlds.errors import InvalidInput
from twoworlds.release.examples import lay_out
from twoworlds.release.policy import read_policy


@pytest.fixture
def tried(tmp_path):
    lay_out(tmp_path)
    made = Tried(tmp_path / "policy.yml")
    token = made.service.accounts.add_passing("ann", "curator")
    made.given = {"Authorization": f"Bearer {token}"}
    yield made
    made.service.close()


def edit(place, old, new):
    text = place.read_text()
    assert old in text
    place.write_text(text.replace(old, new))


def versions(tried, times=4):
    """Ask several times, so that every worker has its turn."""
    found = [tried.ask("GET", "/api/v1/datasets", headers=tried.given) for _ in range(times)]
    return {answer.json()["datasets"][0]["version"] for answer in found}


def kill_workers(pool):
    for process in [*pool._running]:
        process.kill()
        process.wait()


def test_a_worker_that_dies_is_followed_by_one_with_the_policy_of_its_service(tried, tmp_path):
    assert versions(tried) == {"2026"}
    edit(tmp_path / "policy.yml", '"2026"', '"2027"')
    kill_workers(tried.service.releases)
    assert versions(tried) == {"2026"}
    (tmp_path / "policy.yml").write_text("not: a policy")
    kill_workers(tried.service.releases)
    assert versions(tried) == {"2026"}


def test_a_reload_reaches_every_worker(tried, tmp_path):
    assert versions(tried) == {"2026"}
    edit(tmp_path / "policy.yml", '"2026"', '"2027"')
    tried.service.reload(read_policy(tmp_path / "policy.yml"))
    assert versions(tried) == {"2027"}
    kill_workers(tried.service.releases)
    assert versions(tried) == {"2027"}


def test_another_ledger_takes_a_restart(tried, tmp_path):
    edit(tmp_path / "policy.yml", "ledger: ledger.db", "ledger: other.db")
    with pytest.raises(InvalidInput, match="start the service anew"):
        tried.service.reload(read_policy(tmp_path / "policy.yml"))
    edit(tmp_path / "policy.yml", "ledger: other.db", "ledger: ledger.db\nmark: elsewhere.mark")
    with pytest.raises(InvalidInput, match=r"elsewhere\.mark"):
        tried.service.reload(read_policy(tmp_path / "policy.yml"))
    assert versions(tried, 1) == {"2026"}


def test_without_a_policy_there_is_nothing_to_reload(tmp_path):
    lay_out(tmp_path)
    made = Tried()
    try:
        with pytest.raises(InvalidInput, match="no policy"):
            made.service.reload(read_policy(tmp_path / "policy.yml"))
    finally:
        made.service.close()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_signal_reloads_and_a_bad_policy_is_said_in_the_log(tmp_path):
    running = Running(tmp_path, "--pace", "0")
    policy = tmp_path / "hospital" / "policy.yml"
    told = []

    def reload():
        os.kill(running.process.pid, signal.SIGHUP)
        deadline = time.monotonic() + SECONDS
        while True:
            found = [line for line in running.lines() if line.get("event") == "reload"]
            if len(found) > len(told):
                told.append(found[-1])
                return client.get("/api/v1/datasets").json()["datasets"][0]["version"]
            assert time.monotonic() < deadline
            time.sleep(0.05)

    try:
        wait_until_ready(running)
        with running.client(running.token) as client:
            edit(policy, '"2026"', '"2027"')
            assert client.get("/api/v1/datasets").json()["datasets"][0]["version"] == "2026"
            assert reload() == "2027"
            edit(policy, "neighbours: add-remove", "neighbours: adding")
            assert reload() == "2027"
    finally:
        assert running.stop() == 0
    assert [line["reloaded"] for line in told] == [True, False]
    assert "adding" in told[1]["message"]
    assert "the policy before is still served" in told[1]["message"]
