"""What the tests of the ledger run in processes of their own, some of which are killed.

``python worker.py MODE ARGUMENTS...``: the result is printed as JSON. Children are forked, not
started anew, so that many of them can be killed within seconds.
"""

import json
import os
import random
import resource
import secrets
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

from twoworlds.errors import TwoWorldsError
from twoworlds.release.ledger import (
    Ledger,
    LedgerUnavailable,
    OverBudget,
    remark,
    show,
    summary,
    verify,
)
from twoworlds.release.ledger.journal import locate

WATCHED = ("journal.py", "ledger.py", "entries.py", "postgresql.py", "sqlite.py")
EFFECTS = ("close", "connect", "execute", "fdatasync", "flock", "fsync", "link", "open", "write")


def answer(ledger, log, number):
    """Pay for a query, and note its answer as given; a new draw would be another answer."""
    given = ledger.pay("people", "ann", {"query": number}, "1/1000", secrets.token_hex)
    os.write(log, f"{number} {given}\n".encode())


def forked(work):
    """Run in a child; the child never comes back from here."""
    child = os.fork()
    if child:
        return child
    try:
        work()
        os._exit(0)
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
        os._exit(1)


def die_at(step, kind):
    """Kill this process at the given step of the ledger's modules, counted from here.

    Steps are lines, or the moments just before and just after each call that has an effect.
    """
    left = step

    def watched(frame):
        return Path(frame.f_code.co_filename).name in WATCHED

    def count():
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def by_line(frame, event, argument):
        if not watched(frame):
            return None
        if event == "line":
            count()
        return by_line

    def by_call(frame, event, argument):
        if event in ("c_call", "c_return"):
            name, caller = argument.__name__, frame
        else:
            name, caller = frame.f_code.co_name, frame.f_back
        if name in EFFECTS and caller is not None and watched(caller):
            count()

    if kind == "lines":
        sys.settrace(by_line)
    else:
        sys.setprofile(by_call)


def live_on():
    sys.settrace(None)
    sys.setprofile(None)


def opened_log(path):
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)


def at_machine(name, place):
    """From now on this process is on a machine of that name, which joins the ledger if need be."""
    os.environ["XDG_STATE_HOME"] += f"/{name}"
    if not locate(place).mark.exists():
        remark(place, reason=f"machine {name} joins")


def every_step(place, kind):
    """Kill a payment at each of its steps, and try again; return what went wrong."""
    problems, logs = [], tempfile.TemporaryDirectory()
    with Ledger.open(place) as ledger:
        ledger.set_cap("people", "epsilon=100")
        ledger.set_cap("people", "epsilon=100", analyst="ann")
    for step in range(1, 10_000):
        log = Path(logs.name, str(step))
        file = opened_log(log)

        def attempt(file=file, step=step):
            with Ledger.open(place) as ledger:
                die_at(step, kind)
                answer(ledger, file, step)
                live_on()

        _, status = os.waitpid(forked(attempt), 0)
        with Ledger.open(place) as ledger:
            given, found = set(log.read_text().splitlines()), summary(ledger.state())
            if not step - 1 + len(given) <= found["answered"] <= found["charges"] <= step:
                problems.append([step, "an answer was given and not stored, or not paid"])
            answer(ledger, file, step)
            given, found = set(log.read_text().splitlines()), summary(ledger.state())
        os.close(file)
        if not (len(given) == 1 and step == found["answered"] == found["charges"]):
            problems.append([step, "a second answer, or a second charge"])
        if not os.WIFSIGNALED(status):
            return {"killed": step - 1, "status": status, "problems": problems}
    return {"killed": None}


def on_server(place):
    return str(place).startswith("postgresql://")


def every_step_of_create(place, kind, stride):
    """Kill the making of a ledger at each step, or some; the next attempt must finish it."""
    for step in range(1, 10_000, int(stride)):
        table = {"table": f"step{step}"} if on_server(place) else {}
        fresh = place if table else Path(place).with_name(f"{step}.db")

        def attempt(fresh=fresh, table=table, step=step):
            die_at(step, kind)
            Ledger.create(fresh, **table).close()
            live_on()

        _, status = os.waitpid(forked(attempt), 0)
        if not os.WIFSIGNALED(status):
            return {"killed": step - 1, "status": status}
        try:
            Ledger.create(fresh, **table).close()
        except TwoWorldsError:  # it was whole already
            Ledger.open(fresh, **table).close()
        if not verify(fresh, **table)["ok"]:
            return {"killed": step, "problem": verify(fresh, **table)}
    return {"killed": None}


def wait_for_growth(log, size):
    while Path(log).stat().st_size == size:
        time.sleep(0.001)


def random_times(path, log, rounds, seed, apart=""):
    """Kill three writers at random times, again and again; ``apart``: on three machines.

    Half of the times are counted from the first answer, so that a slow machine has some too.
    """
    times, file = random.Random(int(seed)), opened_log(log)
    for turn in range(int(rounds)):

        def work(turn=turn, offset=0):
            if apart:
                at_machine(offset, path)
            with Ledger.open(path) as ledger:
                for number in range(1000):
                    answer(ledger, file, 3000 * turn + 1000 * offset + number)

        before = Path(log).stat().st_size
        children = [forked(lambda offset=o, turn=turn: work(turn, offset)) for o in range(3)]
        if turn % 2:
            wait_for_growth(log, before)
        time.sleep(times.uniform(0.005, 0.06))
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    with Ledger.open(path) as ledger:
        ledger.set_cap("people", "epsilon=100")  # as it was: waits for the last one to be settled
    return verify(path)


def contend(path, processes, apart=""):
    """Let many processes charge until nothing fits; ``apart``: each on a machine of its own."""

    def open_it(me):
        if apart:
            at_machine(me, path)
        return Ledger.open(path, timeout=60)

    def charge(ledger, me, number):
        ledger.reserve("people", f"analyst {me}", [me, number], "0.1")

    return contended(processes, open_it, charge)


def contended(processes, open_it, charge):
    """Return how often each of many processes charged until it was over the budget."""
    results = []
    for me in range(int(processes)):
        out, into = os.pipe()

        def work(me=me, into=into):
            done = 0
            with open_it(me) as opened:
                for number in range(1000):
                    try:
                        charge(opened, me, number)
                        done += 1
                    except OverBudget:
                        break
            os.write(into, str(done).encode())

        results.append((forked(work), out))
        os.close(into)
    counts = []
    for child, out in results:
        _, status = os.waitpid(child, 0)
        counts.append(int(os.read(out, 100)) if status == 0 else f"status {status}")
    return counts


def same_query(path, processes):
    """Let many processes ask one query at one time; return the answers they got."""
    out, into = os.pipe()

    def work():
        with Ledger.open(path, timeout=60) as ledger:
            given = ledger.pay("people", "ann", "the same", "0.1", secrets.token_hex)
        os.write(into, f"{given}\n".encode())

    for child in [forked(work) for _ in range(int(processes))]:
        os.waitpid(child, 0)
    os.close(into)
    with os.fdopen(out) as file:
        return file.read().split()


def charged_until_refused(ledger):
    """Charge new queries until three are refused; say how many were charged."""
    charged, refusals = 0, []
    for number in range(5000):
        try:
            ledger.reserve("people", "ann", ["full", number], "1/1000000")
            charged += 1
        except LedgerUnavailable as error:
            refusals.append(str(error))
            if len(refusals) == 3:
                break
    return {"charged": charged, "refusals": refusals}


def small_files(path, room):
    """Charge until files may not grow any more; say what was charged and what was refused."""
    with Ledger.open(path) as ledger:
        largest = max(file.stat().st_size for file in Path(path).parent.iterdir())
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest + int(room), hard))
        found = charged_until_refused(ledger)
        readable = show(path)["charges"]
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        ledger.reserve("people", "ann", "room again", "1/1000000")
    return {**found, "readable": readable, **show(path)}


def full_disk(path):
    """Charge until the disk is full, then free some room; say what was charged."""
    with Ledger.open(path) as ledger:
        found = charged_until_refused(ledger)
        readable = ledger.state().point.sequence
        Path(path).with_name("ballast").unlink()
        ledger.reserve("people", "ann", "room again", "1/1000000")
    return {**found, "readable": readable, **show(path)}


def read_only(path):
    """Look at a ledger, and try to charge it, as somebody who may only read."""
    show(path)  # so that everything is imported
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    try:
        Ledger.open(path).close()
        refused = None
    except TwoWorldsError as error:
        refused = f"{type(error).__name__}: {error}"
    return {"refused": refused, "verified": verify(path), "shown": show(path)}


def use_after_fork(path):
    """Use one ledger on both sides of a fork, from two threads on one side."""
    ledger = Ledger.open(path)
    ledger.reserve("people", "ann", "before", "1/1000")

    def child():
        for number in range(20):
            ledger.reserve("people", "ann", ["child", number], "1/1000")
        ledger.close()

    def here(name):
        for number in range(20):
            ledger.reserve("people", "ann", [name, number], "1/1000")

    pid = forked(child)
    threads = [threading.Thread(target=here, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _, status = os.waitpid(pid, 0)
    ledger.close()
    return {"status": status, **show(path)}


MODES = {
    work.__name__: work
    for work in (
        every_step,
        every_step_of_create,
        random_times,
        contend,
        same_query,
        small_files,
        full_disk,
        read_only,
        use_after_fork,
    )
}

if __name__ == "__main__":
    if on_server(sys.argv[2]):
        import psycopg  # noqa: F401, here, so that no child has to
    sys.stdout.write(json.dumps(MODES[sys.argv[1]](*sys.argv[2:])))
