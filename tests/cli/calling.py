"""Calling the command line in this process."""

from twoworlds.cli import run

__all__ = ["call"]


def call(capsys, *arguments: str) -> tuple[int, str, str]:
    """Run one command; return its exit code and what it printed on both streams."""
    code = run(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err
