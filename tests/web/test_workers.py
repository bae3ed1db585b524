"""Workers: deadlines that stop the work, deaths that harm nobody, and closed doors."""

import asyncio
import json
import time

import pytest

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
        started = time.monotonic()
        with pytest.raises(Refused) as caught:
            run(workers, "guarantees", LONG)
        assert time.monotonic() - started < 15
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
