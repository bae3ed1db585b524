"""The command line: ``twoworlds COMMAND ... [--json]``.

Thin: it reads arguments, calls the public API and prints. Exit 0: done, or the claim holds. Exit 1:
the claim is refuted (the witness is printed). Exit 2: bad input, said in a line or two with the
way out, never a traceback. Exit 74: standard output takes no more, because the disk is full, say.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Sequence
from functools import cache
from io import StringIO, TextIOWrapper
from typing import Annotated, Any
from warnings import simplefilter

import typer

from twoworlds import __version__
from twoworlds.cli.asking import APP, Questions, paid_for, unsaved
from twoworlds.errors import DoubtfulRelease, Interrupted, TwoWorldsError, UnknownName
from twoworlds.questions import DOORS, QUESTIONS

__all__ = ["main"]

_BAD_INPUT = 2
_INTERRUPTED = 130
_INTERNAL = 70
_UNWRITTEN = 74
_LONGEST_INTEGER = 1_000_000
_COMPLETION = "_TWOWORLDS_COMPLETE"  # where a shell asks what may come next
_LONG = re.compile(r"\d{60,}")
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    code = run(arguments)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:  # said already; so that the interpreter does not complain on its way out
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    sys.set_int_max_str_digits(_LONGEST_INTEGER)  # sizes such as 2^20000 occur in complaints
    if "" not in sys.path:
        sys.path.insert(0, "")  # python:module:name looks in the current folder first
    if sys.stderr is None:  # or complaints would go to the standard output, among the answers
        sys.stderr = StringIO()
    if sys.stdout is None:
        return _complain("the answer cannot be written: standard output is closed", _UNWRITTEN)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # no letter that is not in it loses an answer
    simplefilter("ignore", DoubtfulRelease)  # commands say these warnings themselves
    unsaved()  # what an earlier call left
    paid_for()
    try:
        typed = sys.argv[1:] if arguments is None else [*arguments]
        if not typed and _COMPLETION not in os.environ:
            print(_doors())
            return 0
        if typed[:1] == ["help"]:  # `help measure` is `measure --help`
            typed = [*typed[1:], "--help"]
        code = _command().main(args=typed, prog_name="twoworlds", standalone_mode=False)
        sys.stdout.flush()
        if code == _INTERRUPTED:  # what the option parser makes of Ctrl-C
            return _lost("interrupted; nothing was written", _INTERRUPTED)
        missing = unsaved()
        if missing:
            return _lost("; ".join(missing), _BAD_INPUT)
        return code if isinstance(code, int) else 0
    except typer.Exit as exit_:
        return exit_.exit_code
    except UnknownName as error:
        return _complain(_known_elsewhere(error) or str(error), _BAD_INPUT)
    except TwoWorldsError as error:
        return _complain(str(error), _BAD_INPUT)
    except Interrupted as stopped:
        return _complain(str(stopped), _INTERRUPTED)
    except (KeyboardInterrupt, typer.Abort):
        return _lost("interrupted", _INTERRUPTED)
    except BrokenPipeError:
        told = paid_for()
        return _complain(f"nobody read the whole answer; {told[0]}", _UNWRITTEN) if told else 0
    except OSError as error:
        if error.errno not in _FULL:
            return _internal(error)
        return _lost(f"the answer cannot be written: {error.strerror}", _UNWRITTEN)
    except RecursionError:
        return _complain("the input is nested too deeply", _BAD_INPUT)
    except MemoryError:
        return _complain("out of memory: use a smaller universe or a structured one", _BAD_INPUT)
    except Exception as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # a group such as `attack`, alone
            print(f"{error}\n", file=sys.stderr)
            return _complain("say which of these commands", _BAD_INPUT)
        if hasattr(error, "format_message"):  # a usage error of the option parser
            return _complain(_usage(error, typed), _BAD_INPUT)
        return _internal(error)


@cache
def _command() -> Any:
    """The parser of all options: put together once, for those who call `run` again and again."""
    app = typer.Typer(
        name="twoworlds",
        cls=Questions,
        help="What does this data release let anyone learn about a person? Exact answers.",
        pretty_exceptions_enable=False,
        **APP | {"add_completion": True},
    )
    app.callback()(_main)
    return typer.main.get_command(app)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"twoworlds {__version__}")
        raise typer.Exit


def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    del version  # its callback has answered


def _doors() -> str:
    """Return the three ways in, each with a command to begin with."""
    lines = ["What does this data release let anyone learn about a person?", ""]
    for name, (line, example) in DOORS.items():
        lines += [f"{name:<9}{line}", f"{'':<9}$ twoworlds {example}", ""]
    return "\n".join(
        [
            *lines,
            "twoworlds serve          the same in a browser",
            "twoworlds help           all commands",
            "twoworlds help measure   one of them, with examples",
        ]
    )


def _internal(error: Exception) -> int:
    if os.environ.get("TWOWORLDS_DEBUG"):
        raise error
    kind = type(error).__name__
    return _lost(f"internal error ({kind}: {error}); please report it", _INTERNAL)


def _usage(error: Any, typed: Sequence[str]) -> str:
    """Say in our own words what the option parser does not take."""
    first = " ".join(["twoworlds", *(word for word in typed[:1] if word in QUESTIONS)])
    command = getattr(getattr(error, "ctx", None), "command_path", first)
    message = str(error.format_message()).rstrip(".").replace("mechanism_", "mechanism")
    one = getattr(error, "param", None)
    if one is not None:
        name = one.opts[0] if one.opts[0].startswith("-") else one.opts[0].strip("_").upper()
        if message.startswith("Missing"):
            message = f"{name} is missing: {one.help}"
        elif "valid integer" in message:
            message = f"{name} is a whole number: {one.help}"
    left_over = re.fullmatch(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", message)
    if left_over:
        message = f"{left_over[1]} is more than {command} takes"
    return f"{message}; see {command} --help"


def _known_elsewhere(error: UnknownName) -> str | None:
    """Say that a definition stands where a mechanism is asked for, and the like."""
    from twoworlds.definitions.catalogue import DEFINITIONS
    from twoworlds.mechanisms.named.load import MECHANISMS

    kind, name = error.kind, error.name
    if kind == "mechanism" and name in DEFINITIONS:
        return (
            f"{name} is a definition, and a mechanism is asked for here, such as "
            "'randomized-response(bits=2, keep=3/4)'; twoworlds explain takes both"
        )
    if kind == "kind of guarantee" and name in MECHANISMS:
        return (
            f"{name} is a mechanism, and a guarantee is asked for here, such as "
            "'dp(ratio=2)'; twoworlds measure says what a mechanism guarantees"
        )
    if kind == "command" and name in MECHANISMS:
        return f"{name} is a mechanism, for commands such as measure: {MECHANISMS[name].usage}"
    if kind == "command" and name in DEFINITIONS:
        return f"{name} is a definition, for commands such as check: {DEFINITIONS[name].usage}"
    return None


def _lost(message: str, code: int) -> int:
    """Say what did not reach anybody, and how to get it again if it was paid for."""
    return _complain("; ".join([message, *paid_for()]), code)


def _complain(message: str, code: int) -> int:
    try:
        print(f"twoworlds: {_LONG.sub(_shortened, message)}", file=sys.stderr, flush=True)
    except OSError:  # the exit code says it alone, and is not to be changed at the end
        sys.stderr = StringIO()
    return code


def _shortened(digits: re.Match[str]) -> str:
    """Shorten a very long number, or string of bits: nobody reads 300 digits in a complaint."""
    text = digits.group()
    return f"{text[:8]}...{text[-4:]} ({len(text)} digits)"
