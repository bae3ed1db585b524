"""Fifty clients at once: nothing is charged twice, no answer is lost, also when all is killed."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import httpx
import pytest

from tests.web.serving import Running, wait_until_ready
from twoworlds.release.ledger import verify

CLIENTS = 50
COST = Fraction(1, 10_000)


def asked(number: int) -> dict[str, object]:
    sql = f"SELECT COUNT(*) FROM people WHERE income >= {number}"
    return {"queries": [sql], "epsilon": str(COST)}


def spent(client: httpx.Client) -> Fraction:
    [people] = [
        d for d in client.get("/api/v1/budget").json()["datasets"] if d["dataset"] == "people"
    ]
    return Fraction(people["spent"]["epsilon"]["exact"])


def released(running: Running, numbers: list[int]) -> list[tuple[int, httpx.Response]]:
    """Ask all of them from fifty clients at once."""
    begin = threading.Barrier(CLIENTS)

    def ask(own: list[int]) -> list[tuple[int, httpx.Response]]:
        found = []
        with running.client(running.token) as client:
            begin.wait()
            for number in own:
                found.append((number, client.post("/api/v1/release", json=asked(number))))
        return found

    with ThreadPoolExecutor(CLIENTS) as threads:
        shares = [numbers[i::CLIENTS] for i in range(CLIENTS)]
        return [one for part in threads.map(ask, shares) for one in part]


def test_fifty_clients_pay_once_for_each_question_and_all_get_the_same_answer(service):
    with service.client(service.token) as client:
        before = spent(client)
        numbers = [50_000 + i % 20 for i in range(CLIENTS)]  # twenty questions, many times
        found = released(service, numbers)
        assert {answer.status_code for _, answer in found} == {200}
        assert spent(client) - before == 20 * COST
    for number in {*numbers}:
        same = [a.json()["certificate"]["stored"] for n, a in found if n == number]
        assert len(same) >= 2
        assert all(one == same[0] for one in same)
    paid = [Fraction(a.json()["paid"]["epsilon"]["exact"]) for _, a in found]
    assert sum(paid) == 20 * COST


def test_no_more_is_spent_than_there_is(service):
    """Twelve ask at once for half an epsilon each, and ann has not even four."""

    def ask(number: int) -> int:
        sql = f"SELECT COUNT(*) FROM people WHERE income >= 1 AND age >= {number}"
        with service.client(service.token) as client:
            body = {"queries": [sql], "epsilon": "1/2"}
            return client.post("/api/v1/release", json=body).status_code

    with service.client(service.token) as client:
        before = spent(client)
        with ThreadPoolExecutor(12) as threads:
            codes = [*threads.map(ask, range(1, 13))]
        assert set(codes) == {200, 409}
        assert spent(client) - before == codes.count(200) * Fraction(1, 2)
        assert before + (codes.count(200) + 1) * Fraction(1, 2) > 4 >= spent(client)


@pytest.mark.slow
def test_two_services_on_one_ledger_spend_one_budget(tmp_path):
    services = [Running(tmp_path, "--pace", "0") for _ in range(2)]
    try:
        for running in services:
            wait_until_ready(running)
        with ThreadPoolExecutor(2) as threads:
            both = [*threads.map(lambda one: released(one, [*range(1, 101)]), services)]
        found = [{number: answer.json() for number, answer in part} for part in both]
        for number in range(1, 101):
            first, second = (part[number]["certificate"]["stored"] for part in found)
            assert first == second
        paid = [Fraction(a["paid"]["epsilon"]["exact"]) for part in found for a in part.values()]
        assert sum(paid) == 100 * COST
        for running in services:
            with running.client(running.token) as client:
                assert spent(client) == 100 * COST
    finally:
        for running in services:
            running.stop()
    assert verify(tmp_path / "hospital" / "ledger.db")["ok"]


@pytest.mark.slow
def test_kill_9_under_load_loses_and_refunds_nothing(tmp_path):
    """Killed three times, once without its workers; a retry gets what was stored."""
    answers: dict[int, object] = {}
    lock = threading.Lock()
    number = 0
    for turn in range(3):
        running = Running(tmp_path, "--pace", "0")
        wait_until_ready(running)
        stop = threading.Event()

        def load(running: Running = running, stop: threading.Event = stop) -> None:
            nonlocal number
            with running.client(running.token) as client:
                while not stop.is_set():
                    with lock:
                        number += 1
                        own = number
                    try:
                        answer = client.post("/api/v1/release", json=asked(own))
                    except httpx.TransportError:
                        return
                    if answer.status_code == 200:
                        with lock:
                            answers[own] = answer.json()["certificate"]["stored"]

        threads = [threading.Thread(target=load) for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        goal = len(answers) + 40
        deadline = time.monotonic() + 60
        while len(answers) < goal and time.monotonic() < deadline:
            time.sleep(0.02)
        if turn == 1:  # the service alone: its workers finish what they do, and end
            running.process.kill()
            running.process.wait()
        running.kill()
        stop.set()
        for thread in threads:
            thread.join()
        assert len(answers) >= goal, turn
    place = tmp_path / "hospital" / "ledger.db"
    checked = verify(place)
    assert checked["ok"], checked
    running = Running(tmp_path, "--pace", "0")
    try:
        wait_until_ready(running)
        with running.client(running.token) as client:
            total = client.get("/api/v1/ledger").json()
            before = spent(client)
            assert total["charges"] >= total["answered"] >= len(answers)
            assert before == total["charges"] * COST
            for own, stored in [*answers.items()][:: max(1, len(answers) // 25)]:
                again = client.post("/api/v1/release", json=asked(own)).json()
                assert again["certificate"]["stored"] == stored
                assert again["paid"]["epsilon"]["exact"] == "0"
            assert spent(client) == before
    finally:
        running.stop()
