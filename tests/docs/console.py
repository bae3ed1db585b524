"""Console examples in Markdown: find them, run them, compare, rewrite.

A fenced block of language ``console`` holds commands and what they print::

    $ twoworlds check "..." "..."
    refuted: ...
    ...
    # exit 1

A line that begins with ``$`` is a command; a backslash at its end continues it on the next line.
Only ``twoworlds`` commands are run. What follows, up to the next command, is what stdout and stderr
must show: a line ``...`` stands for any number of lines, and a last line ``# exit N`` for the exit
code, which is 0 otherwise. Each block runs in a new folder that holds a copy of docs/examples/,
and the hospital of `twoworlds.release.examples` in hospital/ if a command of the block names it.

Commands that draw noise, or print hashes and times, never print the same twice: of those the words
must agree, and every number, hash and line break may differ.
"""

import contextlib
import io
import math
import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from twoworlds import cli
from twoworlds.attacks.audit import auditing

OPENING = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,}) *(\{code-block\} *)?console *$")
EXIT = re.compile(r"^# exit (\d+)$")
PROGRAMS = ("twoworlds", ".venv/bin/twoworlds")
NOISY = ("release", "randomize", "estimate", "ledger", "demo", "strategy")
HASH = re.compile(r"\b[0-9a-f]{8,64}\b")
NUMBER = re.compile(r"(?:\babout\s+)?[-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
UTILITY = re.compile(r"[█░]+ (exact|good|fair|poor|lost in noise)")
BLANK = re.compile(r"[\s─━│┃█▏▎▍▌▋▊▉]+")


@dataclass(frozen=True)
class Step:
    """One command with the lines that the page shows under it."""

    typed: tuple[str, ...]  # the lines as written, with "$ " and continuations
    shown: tuple[str, ...]  # everything below them, the exit line included

    @property
    def arguments(self) -> list[str]:
        """The command's words."""
        joined = " ".join(line.rstrip("\\") for line in self.typed)
        return shlex.split(joined.removeprefix("$ "))

    @property
    def is_run(self) -> bool:
        """Whether this command is one of ours."""
        return self.typed[0].removeprefix("$ ").split(" ")[0] in PROGRAMS

    @property
    def is_noisy(self) -> bool:
        """Whether the numbers that it prints are different every time."""
        arguments = self.arguments
        return len(arguments) > 1 and (arguments[1] in NOISY or "--engine" in arguments)

    @property
    def exit_code(self) -> int:
        """The exit code that the page promises."""
        shown = without_blank_end(list(self.shown))
        last = EXIT.match(shown[-1]) if shown else None
        return int(last[1]) if last else 0

    @property
    def output(self) -> list[str]:
        """The lines that the page promises, without blank lines at the end."""
        lines = [line for line in self.shown if not EXIT.match(line)]
        return without_blank_end(lines)


@dataclass(frozen=True)
class Block:
    """One fenced block: ``lines[start:stop]`` of its page are its content."""

    start: int
    stop: int
    indent: str
    preamble: tuple[str, ...]  # directive options, before the first command
    steps: tuple[Step, ...]

    @property
    def is_run(self) -> bool:
        """Whether the block holds a command to run."""
        return any(step.is_run for step in self.steps)


def without_blank_end(lines: list[str]) -> list[str]:
    """The lines, each without trailing blanks, and without blank lines at the end."""
    lines = [line.rstrip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def find_blocks(text: str) -> list[Block]:
    """Every console block of a page, in order."""
    lines = text.splitlines()
    blocks = []
    at = 0
    while at < len(lines):
        opening = OPENING.match(lines[at])
        at += 1
        if opening:
            closings = (i for i in range(at, len(lines)) if lines[i].strip() == opening["fence"])
            stop = next(closings, len(lines))
            blocks.append(_block(lines, at, stop, opening["indent"]))
            at = stop + 1
    return blocks


def _block(lines: list[str], start: int, stop: int, indent: str) -> Block:
    content = [line.removeprefix(indent).rstrip() for line in lines[start:stop]]
    firsts = [i for i, line in enumerate(content) if line.startswith("$ ")]
    steps = []
    for first, following in zip(firsts, [*firsts[1:], len(content)], strict=True):
        below = first + 1
        while content[below - 1].endswith("\\"):
            below += 1
        steps.append(Step(tuple(content[first:below]), tuple(content[below:following])))
    preamble = content[: firsts[0]] if firsts else content
    return Block(start, stop, indent, tuple(preamble), tuple(steps))


# Every command has one width and no colours.
ENVIRONMENT = {
    "COLUMNS": "100",
    "TERMINAL_WIDTH": "100",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "_TYPER_FORCE_DISABLE_TERMINAL": "1",  # typer styles its output on known build machines
}


# An audit ends when its samples do, however busy the machine is.
THROUGH = auditing._Run.through
PATIENT = mock.patch.object(auditing._Run, "through", lambda run, _: THROUGH(run, math.inf))


def run(arguments: list[str], folder: Path) -> tuple[int, list[str]]:
    """Run a command in the folder; return its exit code and the lines of both its streams."""
    out = io.StringIO()
    with (
        mock.patch.dict(os.environ, ENVIRONMENT),
        PATIENT,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
    ):
        os.environ.pop("FORCE_COLOR", None)
        code = cli.run(arguments)
    return code, without_blank_end(out.getvalue().splitlines())


def agrees(shown: list[str], printed: list[str]) -> bool:
    """Whether the printed lines are the shown ones, ``...`` standing for any lines."""
    pattern = "".join(
        "(?:.*\n)*" if line.strip() == "..." else re.escape(line) + "\n" for line in shown
    )
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def agrees_but_for_noise(shown: list[str], printed: list[str]) -> bool:
    """Whether the words agree, ``...`` standing for any of them."""
    told = "\n".join("\0" if line.strip() == "..." else line for line in shown)
    pattern = ".*".join(re.escape(words_of(part)) for part in told.split("\0"))
    return re.fullmatch(pattern, words_of("\n".join(printed))) is not None


def words_of(text: str) -> str:
    """The text with one sign for each number, hash or utility, on one line without blanks."""
    return BLANK.sub("", NUMBER.sub("#", HASH.sub("#", UTILITY.sub("#", text))))


def as_written(block: Block, results: dict[Step, tuple[int, list[str]]]) -> list[str]:
    """The content of the block with new output for the commands that have a result."""
    content = list(block.preamble)
    for step in block.steps:
        content += step.typed
        if step in results:
            code, printed = results[step]
            content += [*printed, *([f"# exit {code}"] if code else [])]
            content += [""] if step.shown and not step.shown[-1] else []
        else:
            content += step.shown
    return [(block.indent + line).rstrip() for line in content]
