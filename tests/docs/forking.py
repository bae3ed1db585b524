"""Commands run by a process that has loaded everything already: each in a fork of it.

Loading takes most of the time of a short command. ``python forking.py`` reads one JSON object a
line, ``{"arguments": [...], "folder": ..., "out": ..., "seconds": ...}``, runs that command in a
child whose two output streams are the file ``out``, and answers with its exit code on a line. It
has one thread when it forks.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

__all__ = ["Forking"]


class Forking:
    """The process that forks, as others talk to it."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(self, arguments: list[str], folder: Path, out: Path, seconds: int) -> int:
        """Run one command; return its exit code."""
        asked = {"arguments": arguments, "folder": str(folder), "out": str(out), "seconds": seconds}
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def close(self) -> None:
        """End it."""
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def _child(arguments: list[str], folder: str, out: str, seconds: int) -> None:
    signal.alarm(seconds)  # ends the child, with a code that no command has
    os.chdir(folder)
    file = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(file, 1)
    os.dup2(file, 2)
    code = 70
    try:
        from twoworlds.cli import main

        sys.argv = ["twoworlds", *arguments]
        main(arguments)
    except SystemExit as leaving:
        code = leaving.code or 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _serve() -> None:
    import duckdb  # noqa: F401 (loaded here once, so that no child has to)
    import flint  # noqa: F401
    import highspy  # noqa: F401
    import numba  # noqa: F401
    import numpy  # noqa: F401
    import sqlglot.dialects.duckdb  # noqa: F401

    import twoworlds.cli

    twoworlds.cli._command()
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if child == 0:
            _child(asked["arguments"], asked["folder"], asked["out"], asked["seconds"])
        _, status = os.waitpid(child, 0)
        answers.write(f"{os.waitstatus_to_exitcode(status)}\n")
        answers.flush()


if __name__ == "__main__":
    _serve()
