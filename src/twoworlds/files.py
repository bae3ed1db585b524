"""Files: written whole or not at all, for their owner alone; YAML read as text, JSON strictly.

A file is written beside its place first, then moved there in one step. Every file that is made here
may be read and written by its owner and by nobody else (mode 0600), every folder be entered by its
owner alone (0700), whatever the umask says: most of what is written tells what was asked about
people, and whoever may open a lock can hold it. Who wants to share a file says so with ``chmod``.
"""

from __future__ import annotations

import csv
import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TextIO

from twoworlds.errors import InvalidInput

_LONG = 1 << 20  # characters of a certificate: beyond that nobody reads it
_DEEPEST = 200

_FLAGS = (
    os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
)
_OTHERS = 0o077


def make_private(path: Path) -> BinaryIO:
    """Make a new file that its owner alone may read and write, whatever the umask, and open it.

    Raises:
        FileExistsError: when something is there, be it a link that leads nowhere.
    """
    file = os.fdopen(os.open(path, _FLAGS, 0o600), "w+b")
    with suppress(AttributeError):  # Windows has no such rights
        os.fchmod(file.fileno(), 0o600)  # the umask may have taken them from the owner
    return file


def make_folder(path: Path) -> Path:
    """Make a folder, and those above it that are missing, for the owner alone."""
    if not path.is_dir():
        make_folder(path.parent)
        with suppress(FileExistsError):
            path.mkdir(0o700)
            path.chmod(0o700)
    return path


def keep_private(path: Path) -> None:
    """Take from everybody else what an earlier version let them do with a file of this user."""
    if not hasattr(os, "geteuid"):  # Windows has no such rights
        return
    with suppress(OSError):  # whoever opens it says what is wrong with it
        found = path.stat()
        if found.st_uid == os.geteuid() and found.st_mode & _OTHERS:
            path.chmod(0o600)


def check_place(path: Path) -> Path:
    """Return the path of a file that can be written, as far as one can tell before the work.

    Raises:
        InvalidInput: when the place is a folder or a device, or its folder is missing.
    """
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder: give the name of a file in it")
    if path.exists() and not path.is_file():
        raise InvalidInput(f"{path} is not an ordinary file: give another name")
    if path.parent.is_file():
        raise InvalidInput(f"{path}: {path.parent} is a file, not a folder: give another place")
    if not path.parent.is_dir():
        raise InvalidInput(f"{path}: there is no folder {path.parent}; make it first")
    return path


def write(path: Path, content: str | bytes) -> Path:
    """Write text or bytes to a file, replacing what was there only when all of it is written.

    Raises:
        InvalidInput: when the place is a folder, its folder is missing, or it cannot be written.
    """
    check_place(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        try:
            beside.unlink(missing_ok=True)  # of a process with this number that was killed
            with make_private(beside) as file:
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}") from error
    return path


def read_yaml(text: str, source: str, example: str) -> Mapping[str, Any]:
    """Read YAML with every scalar as text, so that 0.1 stays one tenth and no stays a word.

    Args:
        text: what to read.
        source: what it is called in complaints.
        example: a line such as the text should begin with.

    Raises:
        InvalidInput: for what is not YAML, for a key that comes twice, and for no mapping at all.
    """
    import yaml

    class Loader(yaml.BaseLoader):
        pass

    def mapping(loader: yaml.BaseLoader, node: yaml.MappingNode) -> dict[str, Any]:
        keys = [str(loader.construct_object(key)) for key, _ in node.value]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise InvalidInput(f"{source}: {twice!r} is given twice")
        found = loader.construct_mapping(node, deep=True)
        return {str(key): value for key, value in found.items()}

    Loader.add_constructor("tag:yaml.org,2002:map", mapping)
    try:
        found = yaml.load(text, Loader)  # builds nothing but text
    except (yaml.YAMLError, RecursionError) as error:
        place, mark = str(error).replace("\n", " "), getattr(error, "problem_mark", None)
        if isinstance(error, yaml.MarkedYAMLError) and mark is not None:
            place = f"line {mark.line + 1}, column {mark.column + 1}: {error.problem}"
        raise InvalidInput(f"{source} is not YAML: {place[:200]}") from error
    if not isinstance(found, Mapping):
        raise InvalidInput(f"{source} must name its fields, such as {example}")
    return found


def read_json(
    path: Path, what: str, *, largest: int, inside: Callable[[bytes], bytes] = bytes
) -> tuple[Any, str]:
    """Read JSON that anybody may have written: return it, and its text.

    Args:
        path: the file.
        what: what it should hold, for complaints, such as "certificate".
        largest: how many bytes it may have.
        inside: finds the JSON in the content, where another file may hold it.

    Raises:
        InvalidInput: when it cannot be read, is larger, is not JSON, is nested too deeply, names a
            key twice or holds NaN or an infinity, which readers would take for different things.
    """
    try:
        with path.open("rb") as file:
            content = file.read(largest + 1)
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror}: give the path of the {what}"
        ) from error
    if len(content) > largest:
        raise InvalidInput(
            f"{path} is larger than {largest >> 20} MB: no {what} of that size is read"
        )
    try:
        text = inside(content).decode("utf-8")
        data = json.loads(text, object_pairs_hook=_named_once, parse_constant=_no_number)
        _check_depth(data)
    except RecursionError as error:
        raise InvalidInput(f"{path} is nested too deeply: no {what} is") from error
    except ValueError as error:
        known = content.lstrip()[:1] in (b"{", b"[", b"<")
        why = f": {error}" if known else ", so it holds no " + what
        raise InvalidInput(f"{path} is not JSON{why}") from error
    return data, text


def certificate_text(data: Mapping[str, Any]) -> str:
    r"""Return a certificate as its file has it, the same bytes wherever it is written.

    >>> certificate_text({"kind": "all", "claim": {"b": 1, "a": 2}})
    '{\n  "kind": "all",\n  "claim": {\n    "a": 2,\n    "b": 1\n  }\n}\n'
    """
    ordered = {name: json.loads(json.dumps(data[name], sort_keys=True)) for name in data}
    text = json.dumps(ordered, ensure_ascii=False, separators=(",", ":"))
    if len(text) < _LONG:
        text = json.dumps(ordered, ensure_ascii=False, indent=2)
    return f"{text}\n"


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("it names a key twice in one object: write each of them once")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number: write a finite one, or null")


def _check_depth(data: Any) -> None:
    level, depth = ([data] if isinstance(data, (dict, list)) else []), 0
    while level:
        if depth > _DEEPEST:
            raise RecursionError
        inner = (one.values() if isinstance(one, dict) else one for one in level)
        level = [x for parts in inner for x in parts if isinstance(x, (dict, list))]
        depth += 1


def csv_header(file: TextIO, mark: str) -> list[str]:
    """Return the names in the first line by a separator; none if it does not fit the quotes."""
    file.seek(0)
    try:
        return next(csv.reader(file, delimiter=mark, strict=True), [])
    except csv.Error:
        return []


def parquet_columns(schema: Sequence[tuple[str, int | None]]) -> list[str]:
    """Return the columns of a Parquet schema: the children of its root, without their parts."""
    names: list[str] = []
    below = 0
    for name, children in schema[1:]:
        if below == 0:
            names.append(name)
        else:
            below -= 1
        below += children or 0
    return names
