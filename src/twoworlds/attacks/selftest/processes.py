"""Failures 10 and 11: many at one time, and kill -9 at any time."""

from __future__ import annotations

import json
import random
import subprocess
import time
from pathlib import Path
from typing import Any

from twoworlds.attacks.selftest.bench import Bench, expect
from twoworlds.progress import track

__all__ = ["double_spend", "kill_9"]

_KILLS = 12
_PROGRAM = """
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
    """Let eight processes spend one budget at one time."""
    from twoworlds.release import Curator
    from twoworlds.release.ledger import show, verify

    policy = bench.policy(bench.table([("a", i) for i in range(50)]), budget="epsilon=3/2")
    Curator.open(policy).close()
    running = [
        subprocess.Popen(
            bench.program(_PROGRAM, str(policy), str(me)), stdout=subprocess.PIPE, text=True
        )
        for me in range(8)
    ]
    counts = [int(one.communicate(timeout=300)[0] or -1) for one in running]
    expect(min(counts) >= 0, "a process failed")
    shown = show(policy.parent / "ledger.db")
    expect(sum(counts) == 15, f"eight processes got {sum(counts)} answers of 1/10 from 3/2")
    expect(shown["answered"] == 15, f"the ledger holds {shown['answered']} answers")
    expect(bool(verify(policy.parent / "ledger.db")["ok"]), "the ledger does not verify")
    return "eight processes at one time get 15 answers of 1/10 from a budget of 3/2"


def kill_9(bench: Bench) -> str:
    """Kill a release at moments spread over its whole life, and ask again."""
    from twoworlds.release import Curator
    from twoworlds.release.ledger import verify

    policy = bench.policy(bench.table([("a", i) for i in range(50)]), budget="epsilon=5")
    Curator.open(policy).close()
    ledger, rng = policy.parent / "ledger.db", random.Random()
    started = time.monotonic()
    expect(bench.call(*_asked(policy, 0)).returncode == 0, "a release failed")
    life = time.monotonic() - started
    killed = paid = 0
    for number in track(range(1, _KILLS + 1), "kill -9", _KILLS):
        before = _counts(ledger)
        out = bench.place() / "out"
        with out.open("w") as file:
            running = subprocess.Popen(
                bench.command(*_asked(policy, number)), stdout=file, stderr=subprocess.DEVNULL
            )
            time.sleep(life * (number / _KILLS) * rng.uniform(0.9, 1.1))
            running.kill()
            killed += running.wait(timeout=60) != 0
        after = _counts(ledger)
        charged, answered = after[0] - before[0], after[1] - before[1]
        given = out.read_text()
        expect(answered <= charged <= 1, f"charged {charged} times, answered {answered}")
        expect(not given or (charged, answered) == (1, 1), "something unpaid was shown")
        paid += charged
        again = bench.call(*_asked(policy, number))
        expect(again.returncode == 0, f"not answered after the crash: {again.stderr.strip()}")
        last = _counts(ledger)
        expect(last == (before[0] + 1, before[1] + 1), "the retry was charged again")
        whole = _rows(given)
        expect(whole is None or whole == _rows(again.stdout), "the retry has another answer")
    expect(bool(verify(ledger)["ok"]), "the ledger does not verify")
    return f"{killed} of {_KILLS} releases were killed, {paid} were paid; each retry is paid once"


def _asked(policy: Path, number: int) -> tuple[str, ...]:
    sql = f"SELECT k, COUNT(*) FROM people WHERE x < {number} GROUP BY k"
    return ("release", sql, "--policy", str(policy), "--epsilon", "1/1000", "--json")


def _counts(ledger: Path) -> tuple[int, int]:
    from twoworlds.release.ledger import show

    shown = show(ledger)
    return shown["charges"], shown["answered"]


def _rows(text: str) -> Any:
    """Return the answers in what was printed, if all of it was."""
    try:
        return json.loads(text)["answers"][0]["rows"]
    except ValueError:
        return None
