"""The command line: ``twoworlds COMMAND ... [--json]``.

Thin: it reads arguments, calls the public API and prints. Exit 0: done, or the claim holds. Exit 1:
the claim is refuted (the witness is printed). Exit 2: bad input, said in a line or two with the
way out, never a traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import typer

import twoworlds.cli.commands
import twoworlds.cli.geometry  # noqa: F401 (likewise)
from twoworlds.cli.app import app
from twoworlds.errors import TwoWorldsError

__all__ = ["main"]

_BAD_INPUT = 2
_INTERRUPTED = 130
_INTERNAL = 70


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    code = run(arguments)
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # so that the interpreter does not complain on its way out
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    if "" not in sys.path:
        sys.path.insert(0, "")  # python:module:name looks in the current folder first
    try:
        code = app(args=arguments, prog_name="twoworlds", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except typer.Exit as exit_:
        return exit_.exit_code
    except TwoWorldsError as error:
        return _complain(str(error), _BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", _INTERRUPTED)
    except BrokenPipeError:
        return 0
    except RecursionError:
        return _complain("the input is nested too deeply", _BAD_INPUT)
    except MemoryError:
        return _complain("out of memory: use a smaller universe or a structured one", _BAD_INPUT)
    except Exception as error:
        if hasattr(error, "format_message"):  # a usage error of the option parser
            return _complain(_usage(error), _BAD_INPUT)
        if os.environ.get("TWOWORLDS_DEBUG"):
            raise
        kind = type(error).__name__
        return _complain(f"internal error ({kind}: {error}); please report it", _INTERNAL)


def _usage(error: Any) -> str:
    command = getattr(getattr(error, "ctx", None), "command_path", "twoworlds")
    message = str(error.format_message()).rstrip(".").replace("mechanism_", "mechanism")
    return f"{message}; see {command} --help"


def _complain(message: str, code: int) -> int:
    print(f"twoworlds: {message}", file=sys.stderr)
    return code
