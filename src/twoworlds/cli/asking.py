"""Commands made from the list of questions: each is built when it is called, and loads its own.

Every command takes ``--json``, ``--more`` and ``-o FILE``; one whose question has charts takes
``--picture``.
What a function returns is printed as its answer. The exit code is 1 where a claim fails, 2 where it
is undecided.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from typer.core import TyperCommand, TyperGroup

from twoworlds.answer import Answer, Block, Said, Table
from twoworlds.errors import InvalidInput, TwoWorldsError, UnknownName
from twoworlds.progress import listen
from twoworlds.questions import FAMILIES, QUESTIONS, Parameter, Question
from twoworlds.show.figure import check_path, save
from twoworlds.show.result import Result
from twoworlds.show.saving import check_path as check_new
from twoworlds.show.terminal import console, print_answer

APP: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "context_settings": {"max_content_width": 120, "help_option_names": ["-h", "--help"]},
}


_PATIENCE = 0.7  # seconds without a progress bar: a bar that flashes up helps nobody

_ROWS = 20  # of a table that is also written to a file

_unsaved: list[str] = []  # why files that were asked for are missing
_again: list[str] = []  # how to get an answer that was paid for once more


def _writable(path: Path | None) -> Path | None:
    """Refuse a file that cannot be written before the work starts."""
    return None if path is None else check_path(path)


def _free(path: Path | None) -> Path | None:
    """Refuse a file that is there, or cannot be written, before anything is charged."""
    return None if path is None else check_new(path)


Json = Annotated[bool, typer.Option("--json", help="print the answer as JSON")]
More = Annotated[bool, typer.Option("--more", help="say what stands behind the answer, too")]
Picture = Annotated[
    Path | None,
    typer.Option(metavar="FILE", callback=_writable, help="draw it, into an .svg or .png file"),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--out",
        metavar="FILE",
        callback=_free,
        help="write the answer to a .csv, .parquet, .json or .html file",
    ),
]


File = Annotated[Path | None, typer.Option("-o", "--out", metavar="FILE", help="the file to write")]


class Questions(TyperGroup):
    """The commands: one for each question, and a group for those whose names begin alike."""

    prefix = ""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names, in the order of the list."""
        names = [name for name in QUESTIONS if name.startswith(self.prefix)]
        return list(dict.fromkeys(one.removeprefix(self.prefix).partition(" ")[0] for one in names))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands under what they are for, without loading any."""
        listed: dict[str, dict[str, str]] = {}
        for one in QUESTIONS.values():
            if one.name.startswith(self.prefix):
                first, _, inside = one.name.removeprefix(self.prefix).partition(" ")
                line = FAMILIES[first] if inside else one.line
                listed.setdefault(one.group, {})[first] = line
        for group, lines in listed.items():
            with formatter.section(group):
                formatter.write_dl([*lines.items()])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that is asked for, or say which was meant."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            kind = " of ".join(["command", *self.prefix.split()])
            raise UnknownName(kind, args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Build one command."""
        name = f"{self.prefix}{cmd_name}"
        if name in QUESTIONS:
            return command(QUESTIONS[name])
        if any(one.startswith(f"{name} ") for one in QUESTIONS):
            inside = type("Inside", (Questions,), {"prefix": f"{name} "})
            app = typer.Typer(cls=inside, help=FAMILIES[name], no_args_is_help=True, **APP)
            app.callback()(lambda: None)
            return typer.main.get_command(app)
        return None


class _WithPolicy(TyperCommand):
    """A command to which a policy may be named by its place or by ``--policy``, either way."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Write the policy as this command takes it."""
        if any("--policy" in one.opts for one in self.params):
            flags = (one for one in self.params if getattr(one, "is_flag", False))
            free = {"", *(name for one in flags for name in one.opts)}
            before = zip(["", *args], args, strict=False)
            placed = [
                i
                for i, (option, word) in enumerate(before)
                if word.endswith((".yml", ".yaml")) and (option in free or option[0] != "-")
            ]
            if len(placed) == 1 and not any(one.startswith("--policy") for one in args):
                args = [*args[: placed[0]], "--policy", *args[placed[0] :]]
        elif any("policy file" in (getattr(one, "help", None) or "") for one in self.params):
            args = [one.removeprefix("--policy=") for one in args if one != "--policy"]
        return super().parse_args(ctx, args)


def command(question: Question) -> Any:
    """Return the command of a question, with the parameters of its function."""
    app = typer.Typer(**APP)
    name = question.name.rpartition(" ")[2]
    app.command(name, cls=_WithPolicy, help=question.line)(_asked(question))
    made = typer.main.get_command(app)
    made.epilog = "\b\nExamples:\n" + "\n".join(f"  {one}" for one in question.typed())
    return made


def _asked(question: Question) -> Callable[..., Any]:
    """Return a function that prints what a question answers, and returns the exit code."""
    function, known = question.function(), question.parameters()
    silent = known.pop("json", None) is None  # only what prints by itself asks for --json
    written = next((one for one in known.values() if one.written), None)

    def ask(**given: Any) -> int:
        as_json, more = given["json_"], given.pop("more_")
        picture, out = given.pop("picture", None), given.pop("out", None)
        if written is not None:
            _place(written, given, out)
            out = None
        if silent:
            del given["json_"]
        if out is not None and any(
            isinstance(one, Path) and one.absolute() == out.absolute() for one in given.values()
        ):
            raise InvalidInput(f"{out} is named twice: give -o a file of its own")
        with progress():
            result = function(**given)
        if result is None:
            return 0
        _unsaved.extend(result.unsaved)
        _again.extend(filter(None, [result.again]))
        saved = saved_files(result, picture, out)
        said = result.answer()
        if "out" in saved:  # who has written it needs no advice how to
            said = replace(said, notes=[one for one in said.notes if " -o " not in f" {one}"])
        if not saved.get("out", ".html").endswith(".html"):  # a page has the first rows only
            said = _shortened(said, saved["out"])
        try:
            print_result(result, said, as_json=as_json, more=more, **saved)
            for path in () if as_json else saved.values():
                console().print(f"wrote {path}", soft_wrap=True)
        except BrokenPipeError:  # the exit code tells what the reader left unread
            if result.again:
                raise
        return 2 if said.undecided else int(said.holds is False)

    listed = [
        _keyword(one.key, _typed(one), one.default, one.needed and not one.written)
        for one in known.values()
    ]
    if question.chart:
        listed.append(_keyword("picture", Picture, None))
    if written is not None and written.place:
        listed.append(_keyword("out", File, None))
    elif silent and written is None:
        listed.append(_keyword("out", Out, None))
    listed.append(_keyword("more_", More, False))
    listed.append(_keyword("json_", Json, False))
    ask.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]
    ask.__annotations__ = {one.name: one.annotation for one in listed}
    return ask


def _place(written: Parameter, given: dict[str, Any], out: Path | None) -> None:
    """Let -o name the file that a question writes, where it is not given by its place."""
    placed = given[written.key]
    if out is not None and placed not in (None, written.default):
        raise InvalidInput(f"{placed} and -o {out} are two names of one file: give one of them")
    given[written.key] = placed if out is None else out
    if written.needed and given[written.key] is None:
        raise InvalidInput(f"name the file: {written.help}, as in -o FILE")


def _keyword(name: str, kind: Any, default: object, needed: bool = False) -> inspect.Parameter:
    left_out = inspect.Parameter.empty if needed else default
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=left_out, annotation=kind
    )


def _typed(one: Parameter) -> Any:
    """Write the type of one parameter as the option parser reads it."""
    if one.place:
        read: Any = typer.Argument(help=one.help, metavar=one.key.upper())
    elif one.kind is bool and one.open:  # said, denied, or left open
        read = typer.Option(f"{one.option}/--no-{one.option[2:]}", help=one.help)
    else:
        short = ["-o"] if one.written else []
        shown = {bool: None, int: "NUMBER", Path: "FILE"}.get(one.kind, "TEXT")
        read = typer.Option(*short, one.option, help=one.help, metavar=shown)
    return Annotated[one.kind | None if one.open or one.written else one.kind, read]


# --- printing -------------------------------------------------------------------------------------


def print_result(
    result: Result, said: Answer, *, as_json: bool = False, more: bool = False, **beside: Any
) -> None:
    """Print a result: what it says, or its fields as JSON, with what else there is to say of it."""
    if as_json:
        data, out = {**result.to_dict(), **beside}, console()
        told = json.dumps(data, indent=2, ensure_ascii=not out.encoding.startswith("utf"))
        out.out(told, highlight=False)
    else:
        print_answer(said, more=more)


def _shortened(said: Answer, path: str) -> Answer:
    """Return an answer with the first rows of its tables, since a file has all of them."""
    blocks: list[Block] = []
    for block in said.blocks:
        if isinstance(block, Table) and len(block.rows) > _ROWS:
            said_so = f"These are the first {_ROWS} rows: all of them are in {path}."
            blocks += [replace(block, rows=block.rows[:_ROWS]), Said([said_so])]
        else:
            blocks.append(block)
    return replace(said, blocks=blocks)


def saved_files(result: Result, picture: Path | None, out: Path | None) -> dict[str, str]:
    """Write the files that were asked for; return what JSON says of them.

    A file that cannot be written does not lose the answer: `unsaved` gives the reason afterwards.
    """
    found = {}
    for name, path, write in (
        ("picture", picture, lambda path: save(result.plot(), path)),
        ("out", out, result.save),
    ):
        if path is not None:
            try:
                found[name] = str(write(path))
            except (TwoWorldsError, OSError, MemoryError) as error:
                what = "no picture was drawn" if name == "picture" else "the answer was not saved"
                _unsaved.append(f"{what}: {str(error) or 'out of memory'}")
    return found


def unsaved() -> list[str]:
    """Return, once, why files that were asked for are missing."""
    reasons = _unsaved[:]
    _unsaved.clear()
    return reasons


def paid_for() -> list[str]:
    """Return, once, how to get the answer again, if it was paid for."""
    known = _again[:]
    _again.clear()
    return known


@contextmanager
def progress() -> Iterator[None]:
    """Show a progress bar on standard error for loops that last, on a terminal only."""
    errors = Console(stderr=True)
    if not errors.is_terminal:
        yield
        return
    bar = Progress(console=errors, transient=True)

    def wrap(items: Iterable[object], label: str, total: int | None) -> Iterable[object]:
        return _watched(bar, items, label, total)

    with listen(wrap):
        yield


def _watched(
    bar: Progress, items: Iterable[object], label: str, total: int | None
) -> Iterator[object]:
    """Run through a loop; when it has lasted a while, and no loop around it is shown, show it."""
    started, task = monotonic(), None
    try:
        for done, item in enumerate(items):
            if task is not None:
                bar.update(task, completed=done)
            elif not bar.live.is_started and monotonic() - started > _PATIENCE:
                bar.start()
                task = bar.add_task(label, total=total, completed=done)
            yield item
    finally:
        if task is not None:
            bar.stop()
            bar.remove_task(task)
