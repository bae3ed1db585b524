"""Workers: deadlines that stop the work, deaths that harm nobody, and closed doors."""

import asyncio
import json

import pytest

from twoworlds.web import workers as workers_module
from twoworlds.web.refusals import Refused
from twoworlds.web.workers import Workers

LONG = {"definition": "dp(ratio=3)", "universe": "bits(4)"}  # its cone has very many facets
SHORT = {"people": "4"}


@pytest.fixture(scope="module")
def workers():
    pool = Workers(("mathematics",), count=1, seconds=60, most=3, late="ask for less")
    pool.start()
    yield pool
    pool.close()


def run(pool, job, arguments):
    return asyncio.run(pool.run(job, arguments))


def test_a_worker_answers_one_job_after_another(workers):
    for people in ("3", "4", "5"):
        reply = run(workers, "noiseless", {"people": people})
        assert reply.status == 200
        assert json.loads(reply.body)["x"][-1] == int(people)


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
    from twoworlds.web import worker

    watch = worker._Watch(tmp_path / "own")
    with pytest.raises(PermissionError):
        watch("open", (str(secret), "r", 0))
    with pytest.raises(PermissionError):
        watch("open", ("/dev/zero", "r", 0))
    for event in ("os.system", "subprocess.Popen", "socket.connect", "os.exec"):
        with pytest.raises(PermissionError):
            watch(event, ())
    watch("open", (str(tmp_path / "own" / "cache"), "w", 0))
    watch("open", (worker.__file__, "r", 0))


def test_work_that_takes_too_long_is_stopped_and_the_next_job_is_done(workers):
    run(workers, "noiseless", SHORT)  # it is warm
    [process] = workers._running
    workers.seconds = 1.5
    try:
        with pytest.raises(Refused) as caught:
            run(workers, "guarantees", LONG)
    finally:
        workers.seconds = 60
    assert (caught.value.status, caught.value.kind) == (503, "TimeLimit")
    assert process.poll() is not None, "it still runs"
    assert run(workers, "noiseless", SHORT).status == 200


def test_a_worker_that_dies_is_replaced(workers):
    run(workers, "noiseless", SHORT)
    [process] = workers._running
    process.kill()
    process.wait()
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


def test_a_process_that_dies_with_one_job_fails_it(workers):
    run(workers, "noiseless", SHORT)

    async def both():
        jobs = [workers.run("guarantees", LONG), when_running(workers, lambda one: one.kill())]
        return await asyncio.gather(*jobs, return_exceptions=True)

    refused, _ = asyncio.run(both())
    assert (refused.status, refused.kind) == (500, "Internal")
    assert run(workers, "noiseless", SHORT).status == 200


def test_jobs_that_wait_are_given_together_and_done_again_when_their_process_dies():
    pool = Workers(("mathematics",), count=1, seconds=120, most=9, late="", together=4)
    try:
        pool.start()
        for _ in range(20):  # it learns that they are short
            run(pool, "noiseless", SHORT)
        batches = []
        exchange = pool._exchange
        pool._exchange = lambda process, jobs: batches.append(len(jobs)) or exchange(process, jobs)

        def die(process):
            process.kill()

        async def several():
            slow = pool.run("guarantees", {"definition": "dp(ratio=3)", "universe": "bits(3)"})
            short = [pool.run("noiseless", {"people": str(n)}) for n in (4, 5, 6, 7)]
            first, *rest = short  # is given alone, and the others wait meanwhile
            return await asyncio.gather(first, slow, *rest, when_running(pool, die))

        first, slow, *found, _ = asyncio.run(several())
        assert (first.status, slow.status) == (200, 200)
        assert [json.loads(reply.body)["x"][-1] for reply in found] == [5, 6, 7]
        assert sum(batches) > 4, "some of them were given twice"
        assert max(batches) > 1
    finally:
        pool.close()


def test_slow_jobs_are_given_one_by_one():
    pool = Workers(("mathematics",), count=2, seconds=60, most=99, late="", together=16)
    pool._average = 10.0
    pool._waiting.extend(workers_module._Job(b"{}", 0.0) for _ in range(10))
    assert len(pool._next()) == 1
    pool._average = 0.001
    assert len(pool._next()) == 5, "half of what waits: there are two processes"
    pool._average = 0.2
    assert len(pool._next()) == 2
    pool._waiting.clear()
    pool.close()


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
