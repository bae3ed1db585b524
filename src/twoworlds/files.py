"""Files: written whole or not at all, and YAML read as text.

A file is written beside its place first, then moved there in one step.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from twoworlds.errors import InvalidInput

__all__ = ["check_place", "read_yaml", "write"]


def check_place(path: Path) -> Path:
    """Return the path of a file that can be written, as far as one can tell before the work.

    Raises:
        InvalidInput: when the place is a folder or a device, or its folder is missing.
    """
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder: give the name of a file in it")
    if path.exists() and not path.is_file():
        raise InvalidInput(f"{path} is no ordinary file: give another name")
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
        place = str(error).replace("\n", " ")
        raise InvalidInput(f"{source} is not YAML: {place[:200]}") from error
    if not isinstance(found, Mapping):
        raise InvalidInput(f"{source} must name its fields, such as {example}")
    return found
