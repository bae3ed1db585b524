"""Failures 10, 11, 19, 28 and 33: many at one time, kill -9, and what a process leaves behind."""

from __future__ import annotations

import json
import os
import random
import stat
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

from twoworlds.attacks.selftest.bench import CERTAIN, Bench, Failed, expect, values
from twoworlds.errors import TwoWorldsError

_FIFTY = [("a", float(i)) for i in range(50)]
_SPEND = """
import sys
from twoworlds.release import Curator, OverBudget
done = 0
with Curator.open(sys.argv[1]) as curator:
    for number in range(1000):
        sql = f"SELECT COUNT(*) FROM people WHERE x < {number} AND k = '{sys.argv[2]}'"
        try:
            curator.release(sql, "1/10")
            done += 1
        except OverBudget:
            break
print(done)
"""


def double_spend(bench: Bench) -> str:
    """Let four processes spend one budget at one time."""
    from twoworlds.release import Curator
    from twoworlds.release.ledger import show, verify

    policy = bench.policy(bench.sqlite(_FIFTY), budget="epsilon=3/2")
    Curator.open(policy).close()
    running = [bench.start(_SPEND, str(policy), str(me)) for me in range(4)]
    counts = [int(one.communicate(timeout=300)[0] or -1) for one in running]
    expect(min(counts) >= 0, "a process failed")
    shown = show(policy.parent / "ledger.db")
    expect(sum(counts) == 15, f"four processes got {sum(counts)} answers of 1/10 from 3/2")
    expect(shown["answered"] == 15, f"the ledger holds {shown['answered']} answers")
    expect(bool(verify(policy.parent / "ledger.db")["ok"]), "the ledger does not verify")
    return "four processes at one time get 15 answers of 1/10 from a budget of 3/2"


# --- kill -9 --------------------------------------------------------------------------------------

_KILLS = 8
_RELEASE = """
import json, sys
from twoworlds.release import Curator
print("ready", flush=True)
sys.stdin.readline()
with Curator.open(sys.argv[1]) as curator:
    answer = curator.release(sys.argv[2], "1/1000")
print(json.dumps(answer.to_dict()["rows"]), flush=True)
"""


def kill_9(bench: Bench) -> str:
    """Kill a release at moments spread over its whole life, and ask again."""
    from twoworlds.release import Curator
    from twoworlds.release.ledger import verify

    policy = bench.policy(bench.sqlite(_FIFTY), budget="epsilon=5")
    Curator.open(policy).close()
    ledger, rng = policy.parent / "ledger.db", random.Random()
    with _waiting(bench, policy) as (first, *others):
        life = _life(first)
        killed = paid = 0
        for number, running in enumerate(others, start=1):
            before = _counts(ledger)
            _go(running)
            time.sleep(life * (number / _KILLS) * rng.uniform(0.9, 1.1))
            running.kill()
            given = running.communicate(timeout=60)[0]
            killed += running.returncode != 0
            after = _counts(ledger)
            charged, answered = after[0] - before[0], after[1] - before[1]
            expect(answered <= charged <= 1, f"charged {charged} times, answered {answered}")
            expect(not given or (charged, answered) == (1, 1), "something unpaid was shown")
            paid += charged
            with Curator.open(policy) as curator:
                again = curator.release(_query(number), "1/1000").to_dict()["rows"]
            last = _counts(ledger)
            expect(last == (before[0] + 1, before[1] + 1), "the retry was charged again")
            whole = _read(given)
            expect(whole is None or whole == again, "the retry has another answer")
    expect(bool(verify(ledger)["ok"]), "the ledger does not verify")
    return f"{killed} of {_KILLS} releases were killed, {paid} were paid; each retry is paid once"


@contextmanager
def _waiting(bench: Bench, policy: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Start processes that are about to release, and wait for a line."""
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    started = [
        bench.start(_RELEASE, str(policy), _query(number), **pipes) for number in range(_KILLS + 1)
    ]
    try:
        for one in started:
            assert one.stdout is not None
            expect(one.stdout.readline() == "ready\n", "a process failed")
        yield started
    finally:
        for one in started:
            one.kill()
            one.communicate()


def _go(running: subprocess.Popen[str]) -> None:
    assert running.stdin is not None
    running.stdin.write("\n")
    running.stdin.flush()


def _life(running: subprocess.Popen[str]) -> float:
    """Return how long a release takes."""
    started = time.monotonic()
    _go(running)
    given = running.communicate(timeout=300)[0]
    expect(_read(given) is not None, "a release failed")
    return time.monotonic() - started


def _query(number: int) -> str:
    return f"SELECT k, COUNT(*) FROM people WHERE x < {number} GROUP BY k"


def _counts(ledger: Path) -> tuple[int, int]:
    from twoworlds.release.ledger import show

    shown = show(ledger)
    return shown["charges"], shown["answered"]


def _read(text: str) -> Any:
    """Return the answer in what was printed, if all of it was."""
    try:
        return json.loads(text)
    except ValueError:
        return None


# --- threads and forks ----------------------------------------------------------------------------

_THREADS, _EACH = 8, 12
_FORKED = """
import os, sys
from twoworlds.errors import TwoWorldsError
from twoworlds.release import Curator
curator = Curator.open(sys.argv[1])
asked = "SELECT COUNT(*) FROM people WHERE x < {}"
curator.release(asked.format(7), "20000")
child = os.fork()
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
try:
    [[found]] = curator.release(asked.format(9), "20000").values
except TwoWorldsError:
    os._exit(0)
os._exit(0 if found == 9 else 3)
"""


def one_curator_in_threads(bench: Bench) -> str:
    """Ask one curator different questions from eight threads, and in a fork of its process."""
    rows = [("abc"[i % 3], float(i)) for i in range(101)]
    for source in (bench.parquet(rows), bench.sqlite(rows)):
        with bench.opened(source, budget="epsilon=1000000000") as curator:

            def ask(number: int, curator: Any = curator) -> str | None:
                asked = f"SELECT COUNT(*), SUM(x) FROM people WHERE x < {number}"
                try:
                    answer = curator.release(asked, CERTAIN)
                except TwoWorldsError as error:
                    return f"a query in one of {_THREADS} threads failed: {error}"
                found = [values(answer, name)[0] for name in ("count", "sum_x")]
                true = [number, number * (number - 1) // 2]
                return None if found == true else f"{true} is answered as {[*map(int, found)]}"

            with ThreadPoolExecutor(_THREADS) as threads:
                told = [*threads.map(ask, range(1, _THREADS * _EACH + 1))]
        wrong = [one for one in told if one is not None]
        expect(not wrong, f"{len(wrong)} of {len(told)} answers in threads: {wrong[:1]}")
    return f"{_THREADS} threads got {2 * len(told)} answers, each its own{_forked(bench, rows)}"


def _forked(bench: Bench, rows: Any) -> str:
    if not hasattr(os, "fork"):
        return ""
    for source in (bench.parquet(rows), bench.sqlite(rows)):
        policy = bench.policy(source, budget="epsilon=1000000000")
        try:
            command = bench.program(_FORKED, str(policy))
            done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            raise Failed("a curator that was used before a fork hangs after it") from None
        expect(done.returncode == 0, "a curator that was used before a fork answers wrongly")
    return "; after a fork a curator answers, or says why not"


# --- noise that repeats ---------------------------------------------------------------------------

_DRAW = """
import json, os, sys, threading
from hashlib import sha256
from cryptography.hazmat.primitives.ciphers import algorithms, modes

keys = []
def watched(kind):
    def init(self, given):
        keys.append(sha256(bytes(given)).hexdigest())
        kind.__init__(self, given)
    return type(kind.__name__, (kind,), {"__init__": init})
algorithms.AES, modes.CTR = watched(algorithms.AES), watched(modes.CTR)

from twoworlds.release import Curator
noise = {}
def ask(name, policy, *queries):
    with Curator.open(policy) as curator:
        for n, sql in enumerate(queries):
            values = curator.release(sql, "1/1000000000000000").values
            noise[f"{name}, query {n}"] = [value for [value] in values]

policies = iter(sys.argv[1:])
by_key = "SELECT k, COUNT(*) FROM people WHERE x < {} GROUP BY k"
ask("one ledger", next(policies), by_key.format(1), by_key.format(2))
ask("a second ledger", next(policies), by_key.format(1))
threads = [threading.Thread(target=ask, args=(f"thread {n}", next(policies), by_key.format(1)))
           for n in range(2)]
for one in threads:
    one.start()
for one in threads:
    one.join()
if hasattr(os, "fork"):
    read, write = os.pipe()
    child = os.fork()
    before, known = set(noise), len(keys)
    ask("a fork" if child == 0 else "its parent", next(policies) if child else sys.argv[-1],
        by_key.format(1))
    if child == 0:
        mine = {name: found for name, found in noise.items() if name not in before}
        os.write(write, json.dumps([mine, keys[known:]]).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        others, more = json.load(pipe)
    os.waitpid(child, 0)
    noise |= others
    keys += more
print(json.dumps([noise, keys]))
"""


def unpredictable(bench: Bench) -> str:
    """Ask the same in two processes, threads, ledgers and a fork, and look for the same noise."""
    noise: dict[str, list[int]] = {}
    keys: list[str] = []
    running = [
        bench.start(_DRAW, *(str(bench.policy(bench.sqlite([]))) for _ in range(6)))
        for _ in range(2)
    ]
    for number, process in enumerate(running):
        found = _read(process.communicate(timeout=300)[0])
        expect(found is not None, "a process failed")
        noise |= {f"process {number}, {name}": drawn for name, drawn in found[0].items()}
        keys += found[1]
    # Values of width 10^15: two of a few hundred pairs are equal with a probability below 10^-11.
    for (this, these), (that, those) in combinations(noise.items(), 2):
        expect(not set(these) & set(those), f"{this} and {that} have the same noise")
    expect(len(keys) >= 2 * len(noise), "random bits are not made from new keys")
    expect(len(set(keys)) == len(keys), "a key, or the start of a counter, was used twice")
    return f"{len(noise)} releases have different noise, from {len(keys)} different keys and starts"


# --- rights of files ------------------------------------------------------------------------------

_OPEN_TO_ALL = """
import json, os, sys
os.umask(0)
from twoworlds.cli import run
sys.exit(max(run(words) for words in json.loads(sys.argv[1])))
"""


def files_of_others(bench: Bench) -> str:
    """Write whatever a release writes where new files are open to everybody."""
    if os.name != "posix":
        return "there are no such rights on this system"
    text = bench.place() / "people.csv"
    text.write_text("k,x\na,1\nb,2\n", encoding="utf-8")
    policy = bench.policy(bench.sqlite(_FIFTY))
    folder = policy.parent
    before = {*folder.iterdir(), text}
    asked = ["release", "SELECT COUNT(*) FROM people", "--policy", str(policy), "--epsilon", "1"]
    commands = [
        [*asked, "--certificate", str(folder / "certificate.json")],
        [*asked, "--report", str(folder / "report.html")],
        ["account", "add", "ann", "--role", "analyst", "--policy", str(policy)],
        ["policy", "new", str(text), str(text.with_name("policy.yml")), "--header"],
    ]
    command = bench.program(_OPEN_TO_ALL, json.dumps(commands))
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    expect(done.returncode == 0, f"a command failed: {done.stderr.strip()}")
    written = {*folder.iterdir(), *text.parent.iterdir()} - before
    for path in sorted(written):
        rights = stat.S_IMODE(path.stat().st_mode)
        expect(not rights & 0o077, f"{path.name} has the rights {rights:o}: others may open it")
    return f"{len(written)} files that commands wrote are their owner's alone, whatever the umask"
