"""Calling the command line in this process."""

import json

from twoworlds.cli import run


def call(capsys, *arguments: str) -> tuple[int, str, str]:
    """Run one command; return its exit code and what it printed on both streams."""
    code = run(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def data(capsys, *arguments: str, code: int = 0):
    """Run one command with ``--json``, which must end so; return what it printed."""
    ended, out, err = call(capsys, *arguments, "--json")
    assert (ended, err) == (code, "")
    return json.loads(out)
