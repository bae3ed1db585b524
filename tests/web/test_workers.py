"""Workers: deadlines that stop the work, deaths that harm nobody, and closed doors."""

import asyncio
import json
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path

import pytest

from tests.web.test_app import Tried
from twoworlds.release.examples import lay_out
from twoworlds.web import workers as workers_module
from twoworlds.web.refusals import Refused
from twoworlds.web.workers import Workers

LONG = {  # seconds: a program of a million probabilities
    "mechanism": "exact(sum, universe=bits(1000))",
    "belief": "hidden(2/5=1/2, 1/2=1/2)",
    "ratio": "11/10",
}
SHORT = {"people": "4"}


@pytest.fixture(scope="module")
def workers():
    pool = Workers(("mathematics",), count=1, seconds=60, most=3, late="ask for less")
    pool.start()
    yield pool
    pool.close()


def run(pool, job, arguments):
    return asyncio.run(pool.run(job, arguments))


def test_an_error_is_an_answer_with_its_field(workers):
    reply = run(workers, "noiseless", {"people": "none"})
    assert reply.status == 400
    assert json.loads(reply.body)["error"]["field"] == "people"


def test_an_unforeseen_error_has_a_fixed_text(workers):
    reply = run(workers, "noiseless", {"nothing": "secret-value"})
    assert reply.status == 500
    assert b"secret-value" not in reply.body


def test_no_file_of_others_is_opened_even_past_the_reading(workers, tmp_path):
    secret = tmp_path / "weights.txt"
    secret.write_text("value,weight\nsecret,1\n")
    watch = workers_module._watch(tmp_path / "own")
    with pytest.raises(PermissionError):
        watch("open", (str(secret), "r", 0))
    with pytest.raises(PermissionError):
        watch("open", ("/dev/zero", "r", 0))
    for event in ("os.system", "subprocess.Popen", "socket.connect", "os.exec"):
        with pytest.raises(PermissionError):
            watch(event, ())
    watch("open", (str(tmp_path / "own" / "cache"), "w", 0))
    watch("open", (workers_module.__file__, "r", 0))


def test_work_that_takes_too_long_is_stopped_and_the_next_job_is_done(workers):
    run(workers, "noiseless", SHORT)  # it is warm
    [process] = workers._running
    workers.seconds = 0.5
    try:
        with pytest.raises(Refused) as caught:
            run(workers, "simulators", LONG)
    finally:
        workers.seconds = 60
    assert (caught.value.status, caught.value.kind) == (503, "TimeLimit")
    assert process.poll() is not None, "it still runs"
    assert run(workers, "noiseless", SHORT).status == 200


def when_running(pool, kill):
    """Call with the process of a pool of one, shortly after it was given something to do."""

    async def wait():
        while not pool._running:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)
        [process] = pool._running
        kill(process)

    return wait()


@pytest.mark.slow
def test_a_process_that_dies_with_one_job_fails_it(workers):
    run(workers, "noiseless", SHORT)

    async def both():
        jobs = [workers.run("simulators", LONG), when_running(workers, lambda one: one.kill())]
        return await asyncio.gather(*jobs, return_exceptions=True)

    refused, _ = asyncio.run(both())
    assert (refused.status, refused.kind) == (500, "Internal")
    assert run(workers, "noiseless", SHORT).status == 200


def test_slow_jobs_are_given_one_by_one():
    pool = Workers(("mathematics",), count=2, seconds=60, most=99, late="", together=16)
    pool._average = 10.0
    pool._waiting["ann"] = deque(workers_module._Job(b"{}", 0.0) for _ in range(10))
    assert len(pool._next()) == 1
    pool._average = 0.001
    assert len(pool._next()) == 5, "half of what waits: there are two processes"
    pool._average = 0.2
    assert len(pool._next()) == 2
    pool._waiting.clear()
    pool.close()


class Held(Workers):
    """A pool whose processes are there in name only: a batch is noted, and held until let go."""

    def __init__(self, dies_with=99, **options):
        self.dies_with = dies_with  # so many jobs or less are done
        self.batches, self.knew = [], []
        self.begun, self.let_go = threading.Semaphore(0), threading.Semaphore(0)
        super().__init__(("none",), **{"seconds": 600, "most": 99, "late": "", **options})

    def _spawn(self):
        raise AssertionError("there is none")

    def start(self):
        while len(self._threads) < self.count:
            self._threads.append(threading.Thread(target=self._work, daemon=True))
            self._threads[-1].start()

    def _living(self, process):
        return process or object()

    def _lose(self, process):
        pass

    def _exchange(self, process, jobs):
        self.batches.append([(job.account, job.name) for job in jobs])
        self.knew.append(self._known)
        self.begun.release()
        assert self.let_go.acquire(timeout=60)
        if len(jobs) > self.dies_with:
            raise EOFError
        for job in jobs:
            workers_module._settle(job, workers_module.Reply(200, b""))

    def wait(self, batches):
        for _ in range(batches):
            assert self.begun.acquire(timeout=60)


def held(script, **options):
    """Run a script with such a pool, and let go of everything in the end."""
    pool = Held(**options)

    async def play():
        asked = []

        async def ask(account, job, times=1):
            for _ in range(times):
                asked.append(asyncio.ensure_future(pool.run(job, {}, account)))
            await asyncio.sleep(0)  # now they wait in the pool

        await script(pool, ask)
        for _ in range(100):
            pool.let_go.release()
        return await asyncio.gather(*asked, return_exceptions=True)

    try:
        return pool, asyncio.run(play())
    finally:
        pool.close()


def test_accounts_take_turns():
    async def script(pool, ask):
        await ask("ann", "plan", 12)
        await asyncio.to_thread(pool.wait, 1)
        await ask("bob", "release")
        await ask("cid", "plan", 2)

    pool, _ = held(script, count=1)
    order = [account for [(account, _)] in pool.batches]
    assert order[:7] == ["ann", "ann", "bob", "cid", "ann", "cid", "ann"]
    assert len(order) == 15


def test_whoever_asks_for_much_leaves_a_process_to_others():
    async def script(pool, ask):
        await ask("ann", "plan", 12)
        await asyncio.to_thread(pool.wait, 2)
        await ask("bob", "release")
        await asyncio.to_thread(pool.wait, 1)  # though nothing of ann's is done yet
        assert pool.batches[2] == [("bob", "release")]

    _, found = held(script, count=3, each=2)
    assert {reply.status for reply in found} == {200}


def test_jobs_of_one_name_are_given_together_in_turns():
    async def script(pool, ask):
        await ask("zoe", "plan")
        await asyncio.to_thread(pool.wait, 1)
        pool._average = 1e-9
        await ask("ann", "release", 3)
        await ask("ann", "plan")
        await ask("bob", "release", 2)

    pool, _ = held(script, count=1, together=4)
    assert pool.batches[1] == [(one, "release") for one in ("ann", "bob", "ann", "bob")]


def test_jobs_whose_process_dies_are_done_again_one_by_one():
    async def script(pool, ask):
        await ask("zoe", "plan")
        await asyncio.to_thread(pool.wait, 1)
        pool._average = 1e-9
        await ask("ann", "release", 2)
        await ask("bob", "release")

    pool, found = held(script, count=1, together=4, dies_with=1)
    assert {reply.status for reply in found} == {200}
    assert [len(batch) for batch in pool.batches] == [1, 3, 1, 1, 1]


def test_the_newest_job_of_whoever_has_most_gives_way():
    async def script(pool, ask):
        await ask("ann", "plan", 5)
        await ask("bob", "release")
        await ask("ann", "plan")
        await ask("bob", "release")

    _, found = held(script, count=1, most=5)
    busy = [isinstance(one, Refused) for one in found]
    assert busy == [False, False, False, True, True, False, True, False]
    assert {one.kind for one in found if isinstance(one, Refused)} == {"Busy"}


def test_all_processes_are_told_anew_when_what_runs_is_finished():
    async def script(pool, ask):
        await ask("ann", "plan", 2)
        await asyncio.to_thread(pool.wait, 2)
        await ask("bob", "plan", 4)
        pool.tell(b"new")
        assert pool._known == b"old"
        pool.let_go.release()  # one is finished, the other still runs
        while len(pool._busy) and sum(pool._busy.values()) > 1:
            await asyncio.sleep(0)
        with pool._changed:
            assert pool._turn() is None

    pool, _ = held(script, count=2, known=b"old")
    assert pool.knew == [b"old"] * 2 + [b"new"] * 4


def test_a_stop_finishes_what_runs_and_refuses_what_waits():
    async def script(pool, ask):
        await ask("ann", "release")
        await asyncio.to_thread(pool.wait, 1)
        await ask("bob", "release")
        threading.Thread(target=pool.close).start()
        while not pool._closed:
            await asyncio.sleep(0)

    _, (done, refused) = held(script, count=1)
    assert done.status == 200
    assert (refused.status, refused.kind) == (503, "Busy")


def test_too_many_jobs_are_refused_at_once(workers):
    async def many():
        jobs = [workers.run("noiseless", {"people": "30"}) for _ in range(8)]
        return await asyncio.gather(*jobs, return_exceptions=True)

    found = asyncio.run(many())
    refused = [one for one in found if isinstance(one, Refused)]
    assert len(refused) == 5
    assert {one.kind for one in refused} == {"Busy"}


def test_a_closed_pool_leaves_no_process():
    pool = Workers(("mathematics",), count=1, seconds=60, most=3, late="")
    pool.start()
    [process] = pool._spare
    pool.close()
    assert process.poll() is not None
    with pytest.raises(Refused):
        run(pool, "noiseless", SHORT)


@pytest.mark.skipif(sys.platform != "linux", reason="only there it counts all memory")
def test_a_worker_of_releases_gets_no_more_memory_than_its_limit():
    script = (
        "from twoworlds.web.workers import _limit_memory\n"
        "_limit_memory('RLIMIT_DATA', 1 << 30)\n"
        "try:\n    bytearray(2 << 30)\nexcept MemoryError:\n    print('refused')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("refused\n", "")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only there it can be read")
def test_every_worker_of_releases_has_the_limit(tmp_path):
    lay_out(tmp_path)
    made = Tried(tmp_path / "policy.yml", memory=3 << 30)
    try:
        assert made.ask("GET", "/api/v1/ready").status_code == 200
        [process] = made.service.releases._running
        [line] = [
            one
            for one in Path(f"/proc/{process.pid}/limits").read_text().splitlines()
            if one.startswith("Max data size")
        ]
        assert line.split()[3] == str(3 << 30)
    finally:
        made.service.close()
