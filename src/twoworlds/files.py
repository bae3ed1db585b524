"""Writing a file whole or not at all: beside its place first, then moved there in one step."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from twoworlds.errors import InvalidInput

__all__ = ["check_place", "write"]


def check_place(path: Path) -> Path:
    """Return the path of a file that can be written, as far as one can tell before the work.

    Raises:
        InvalidInput: when the place is a folder, or its folder is missing.
    """
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder: give the name of a file in it")
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
            beside.write_bytes(content.encode() if isinstance(content, str) else content)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}") from error
    return path
