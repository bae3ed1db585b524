"""Curators in processes of their own, some of which are killed: ``python -m … MODE FOLDER``.

Children are forked, not started anew, so that many can be killed within seconds. The parent opens
no engine: a forked DuckDB has no threads.
"""

import json
import os
import signal
import sys
from fractions import Fraction
from pathlib import Path

import duckdb  # noqa: F401, here, so that no child has to
import pyarrow.parquet  # noqa: F401
import sqlglot  # noqa: F401

import twoworlds.cli
import twoworlds.release.answers.answer
import twoworlds.release.backends.duckdb
import twoworlds.release.certificate
import twoworlds.release.plan
import twoworlds.release.query.sql
from tests.release.ledger.worker import contended, forked
from twoworlds.cli.asking import print_result
from twoworlds.errors import TwoWorldsError
from twoworlds.laws.noise import GeometricNoise
from twoworlds.numbers import exp
from twoworlds.questions import releases
from twoworlds.release import Curator
from twoworlds.release.ledger import show, verify
from twoworlds.release.noise import Sampler, SystemBits

RELEASE = Path(twoworlds.release.__file__).parent
WATCHED = {
    str(RELEASE / name)
    for name in (
        "curator.py",
        "answers/cells.py",
        "ledger/journal.py",
        "ledger/ledger.py",
        "ledger/entries.py",
        "ledger/sqlite.py",
    )
} | {releases.__file__, str(Path(twoworlds.cli.__file__).parent / "render.py")}
STEPS = {
    *("reserve_each", "fetch_all", "decode", "noisy", "commit_each", "append", "execute", "write"),
    *("fdatasync", "answer", "release_all", "print_result", "print_json", "stored", "link"),
    *("fsync", "open"),
}


def die_at(step, since="reserve_each"):
    """Kill this process at a step: the moment before or after a call that matters, counted.

    Steps are counted from the first call of ``since`` on; from here on if it is empty.
    """
    left, begun = step, not since

    def watch(frame, event, argument):
        nonlocal left, begun
        if event in ("c_call", "c_return"):
            name, caller = argument.__name__, frame
        else:
            name, caller = frame.f_code.co_name, frame.f_back
        begun = begun or name == since
        if begun and name in STEPS and caller and caller.f_code.co_filename in WATCHED:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(watch)


def command(folder, number, out, *, dry_run=False):
    """Ask as the command line does, for JSON, into a file; the parser of options takes too long."""
    file = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sql = f"SELECT k, COUNT(*) FROM people WHERE x < {number} GROUP BY k"
    found = releases.release([sql], folder / "policy.yml", "1/1000", dry_run=dry_run)
    print_result(found, found.answer(), as_json=True)
    sys.stdout.flush()


def published(out):
    """Return the answers in a file, if all of it was written."""
    try:
        found = json.loads(Path(out).read_text())
    except (OSError, ValueError):
        return None
    return found["answers"][0]["rows"]


def run_child(work):
    _, status = os.waitpid(forked(work), 0)
    return status


def warm_up(folder):
    """Import, here and once, what a command needs; without any engine."""
    kept = os.dup(1)
    command(Path(folder), 0, os.devnull, dry_run=True)
    Sampler.of(GeometricNoise(exp(Fraction(-1, 1000)))).draw_integers(1, SystemBits())
    os.dup2(kept, 1)
    os.close(kept)


def every_step(folder, stride, since="reserve_each"):
    """Kill a command at each of its steps, and ask again; return what went wrong."""
    folder, problems, lost, unasked = Path(folder), [], 0, 0
    warm_up(folder)
    for killed, step in enumerate(range(1, 10_000, int(stride))):
        out, again = folder / "first", folder / "again"
        for each in (out, again):
            each.unlink(missing_ok=True)

        def attempt(step=step, out=out):
            die_at(step, since)
            command(folder, step, out)
            sys.setprofile(None)

        before = show(folder / "ledger.db")
        status = run_child(attempt)
        after = show(folder / "ledger.db")
        charged, answered = (after[n] - before[n] for n in ("charges", "answered"))
        given = published(out) or (out.exists() and out.stat().st_size > 0)
        if given and not (charged == answered == 1):
            problems.append([step, "something was shown that is not paid and stored"])
        if answered > charged:
            problems.append([step, "answered and not charged"])
        lost += answered and not given
        unasked += not charged
        code = run_child(lambda step=step, again=again: command(folder, step, again))
        last = show(folder / "ledger.db")
        if code or last["charges"] != before["charges"] + 1 or last["answered"] != last["charges"]:
            problems.append([step, f"a second charge, or none (status {code})"])
        if isinstance(given, list) and given != published(again):
            problems.append([step, "a second answer"])
        if not os.WIFSIGNALED(status):
            return {
                **{"killed": killed, "lost": lost, "unasked": unasked, "problems": problems},
                **{"status": status, "ok": verify(folder / "ledger.db")["ok"]},
            }
    return {"killed": None}


def first_opening(folder, stride):
    """Kill the first command of all at each step, before there is a ledger; then try again."""
    problems, policy = [], (Path(folder) / "policy.yml").read_text()
    for killed, step in enumerate(range(1, 1000, int(stride))):
        place = Path(folder) / f"step{step}"
        place.mkdir()
        (place / "policy.yml").write_text(policy.replace("people.parquet", "../people.parquet"))

        def attempt(step=step, place=place):
            die_at(step, "")
            Curator.open(place / "policy.yml").close()
            sys.setprofile(None)

        def again(place=place):
            try:
                Curator.open(place / "policy.yml").close()
            except TwoWorldsError as error:
                (place / "said").write_text(f"{type(error).__name__}: {error}")
                os._exit(3)

        status = run_child(attempt)
        if run_child(again):
            problems.append([step, (place / "said").read_text().replace(str(place), "")])
        if not os.WIFSIGNALED(status):
            return {"killed": killed, "status": status, "problems": problems}
    return {"killed": None}


def contend(folder, processes):
    """Let many processes ask new queries until nothing fits; return how many each was answered."""

    def ask(curator, me, number):
        sql = f"SELECT COUNT(*) FROM people WHERE x < {1 + me + 8 * number}"
        curator.release(sql, "0.1", analyst=f"analyst{me}")

    return contended(processes, lambda _: Curator.open(Path(folder) / "policy.yml"), ask)


def same_query(folder, processes):
    """Let many processes ask one query at one time; return the answers that they got."""
    out, into = os.pipe()

    def work():
        with Curator.open(Path(folder) / "policy.yml") as curator:
            answer = curator.release(
                "SELECT k, SUM(x) FROM people GROUP BY k", "0.1", analyst="analyst0"
            )
        os.write(into, (json.dumps([row["sum_x"] for row in answer.rows()]) + "\n").encode())

    statuses = [os.waitpid(child, 0)[1] for child in [forked(work) for _ in range(int(processes))]]
    os.close(into)
    with os.fdopen(out) as file:
        return {"statuses": statuses, "answers": file.read().split("\n")[:-1]}


MODES = {work.__name__: work for work in (every_step, first_opening, contend, same_query)}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(MODES[sys.argv[1]](*sys.argv[2:])))
