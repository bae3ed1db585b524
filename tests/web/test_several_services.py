"""Services on two machines, one ledger on PostgreSQL: one budget, whoever asks where, and killed.

A machine is a folder of state of its own, in which its services keep the high-water mark. Two
services run on machine a, one on machine b.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from fractions import Fraction
from types import SimpleNamespace

import httpx
import pytest

from tests.servers import PostgreSQLServer
from tests.web.serving import Running, wait_until_ready
from tests.web.test_load import COST, asked, spent
from twoworlds.release.examples import lay_out
from twoworlds.release.policy import read_policy
from twoworlds.web.accounts import Accounts, accounts_place

pytestmark = [pytest.mark.slow, pytest.mark.postgresql]

CLIENTS = 6  # of each service


@pytest.fixture(scope="module")
def deployment(_postgresql_cluster, tmp_path_factory):
    """Three services, functions that start one and read the mark of a machine, and bob's token.

    The two on machine a start at one moment, before there is a ledger.
    """
    folder = tmp_path_factory.mktemp("deployment")
    lay_out(folder / "hospital")
    policy = folder / "hospital" / "policy.yml"

    def start(machine: str) -> Running:
        settings = {"XDG_STATE_HOME": str(folder / machine), "TMPDIR": str(folder)}
        one = Running(folder, "--policy", str(policy), "--pace", "0", **settings)
        running.callback(one.kill)  # if it does not stop
        running.callback(one.stop)
        wait_until_ready(one)
        return one

    def ledger(machine: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "twoworlds", "ledger", *arguments]
        settings = {**os.environ, "XDG_STATE_HOME": str(folder / machine)}
        return subprocess.run(command, env=settings, capture_output=True, text=True)

    def mark(machine: str) -> int:
        """The last entry that a machine has seen, of a ledger that verifies."""
        checked = json.loads(ledger(machine, "verify", str(policy), "--json").stdout)
        assert checked["holds"], checked
        return checked["mark"]["sequence"]

    with ExitStack() as running:
        server = PostgreSQLServer(_postgresql_cluster, durable=True)
        running.callback(server.close)
        place = f"ledger: {server.address()}"
        policy.write_text(policy.read_text().replace("ledger: ledger.db", place))
        bob = Accounts(accounts_place(read_policy(policy))).add("bob", "analyst")
        with ThreadPoolExecutor(2) as threads:
            services = [*threads.map(start, "aa")]
        assert ledger("b", "verify", str(policy)).returncode != 0
        joined = ledger("b", "remark", str(policy), "--reason", "machine b joins")
        assert joined.returncode == 0, joined.stderr
        services.append(start("b"))
        yield SimpleNamespace(services=services, start=start, mark=mark, bob=bob)


def at_all(services, numbers, ask, token=None):
    """Let every service have clients at once, each with its share of what is given to it."""
    begin = threading.Barrier(CLIENTS * len(services))

    def work(running, own):
        with running.client(token or running.token) as client:
            begin.wait()
            return [ask(client, number) for number in own]

    with ThreadPoolExecutor(begin.parties) as threads:
        given = [
            threads.submit(work, running, numbers(place)[part::CLIENTS])
            for place, running in enumerate(services)
            for part in range(CLIENTS)
        ]
        return [found for one in given for found in one.result()]


def release(client, number, epsilon=COST):
    body = {**asked(number), "epsilon": str(epsilon)}
    return number, client.post("/api/v1/release", json=body)


def totals(running):
    """What all have spent, and what the ledger holds, as a service tells it."""
    with running.client(running.token) as client:
        ledger = client.get("/api/v1/ledger").json()
        return spent(client), ledger["charges"], ledger["answered"]


def test_a_question_asked_everywhere_at_once_has_one_answer_and_one_price(deployment):
    before, charges, answered = totals(deployment.services[0])
    found = at_all(deployment.services, lambda _: [*range(1, 31)], release)
    assert {answer.status_code for _, answer in found} == {200}
    answers = [(number, answer.json()) for number, answer in found]
    for number in range(1, 31):
        same = [answer["certificate"]["stored"] for n, answer in answers if n == number]
        assert len(same) == 3
        assert all(one == same[0] for one in same)
    paid = [Fraction(answer["paid"]["epsilon"]["exact"]) for _, answer in answers]
    assert sorted(paid) == [0] * 60 + [COST] * 30
    after = (before + 30 * COST, charges + 30, answered + 30)
    assert {totals(running) for running in deployment.services} == {after}


def test_three_services_together_spend_no_more_than_there_is(deployment):
    """Bob has enough for eight; he asks every service for twelve others."""
    before = totals(deployment.services[0])[0]
    found = at_all(
        deployment.services,
        lambda place: [*range(100 * place + 101, 100 * place + 113)],
        lambda client, number: release(client, number, Fraction(1, 2)),
        deployment.bob,
    )
    codes = [answer.status_code for _, answer in found]
    assert (codes.count(200), codes.count(409)) == (8, 28)
    assert {totals(running)[0] for running in deployment.services} == {before + 4}


def test_kill_9_of_one_service_loses_no_charge_and_answers_nothing_unpaid(deployment):
    *others, killed = deployment.services
    before = totals(killed)
    answers, of_b, unknown = {}, {}, []
    lock, enough = threading.Lock(), threading.Event()

    def ask(client, number):
        try:
            answer = release(client, number)[1]
        except httpx.ConnectError:
            return  # it was not asked
        except httpx.TransportError:
            unknown.append(number)  # nobody knows how far it had come
            return
        assert answer.status_code == 200, answer.text
        with lock:
            answers[number] = answer.json()["certificate"]
            if str(client.base_url).rstrip("/") == killed.address:
                of_b[number] = answers[number]
            first = len(of_b) >= 20 and not enough.is_set()
            if first:
                enough.set()
        if first:
            killed.kill()

    at_all(
        deployment.services, lambda place: [*range(1000 * place + 1001, 1000 * place + 1121)], ask
    )
    asked_in_all = len(answers) + len(unknown)
    total, charges, answered = (a - b for a, b in zip(totals(others[0]), before, strict=True))
    assert total == charges * COST  # nothing is charged that is no entry
    assert len(answers) <= answered <= charges <= asked_in_all
    mark = deployment.mark("b")
    assert mark >= max(one["charge"]["entry"] for one in of_b.values())

    again = dict(at_all(others, lambda _: [*of_b, *unknown], release))
    for number, certificate in of_b.items():
        assert again[number].json()["certificate"]["stored"] == certificate["stored"]
    whole = (before[0] + asked_in_all * COST, *(n + asked_in_all for n in before[1:]))
    assert {totals(running) for running in others} == {whole}

    assert deployment.mark("a") >= deployment.mark("b") == mark  # it has seen nothing since
    deployment.services[-1] = deployment.start("b")
    assert totals(deployment.services[-1]) == whole
    assert deployment.mark("a") == deployment.mark("b")
