"""The page: the built files that come with the package, and nothing else.

All of them are read when the service starts, so that no path of a request ever reaches the disk.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = ["CONTENT_SECURITY_POLICY", "File", "load_page"]

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PLAIN = (
    b'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>twoworlds</title></head>'
    b"<body><h1>twoworlds</h1><p>The service runs; its page was not built. "
    b'The API is described in <a href="/api/openapi.json">/api/openapi.json</a>.</p></body></html>'
)
_KINDS = {".js": "text/javascript", ".mjs": "text/javascript", ".svg": "image/svg+xml"}
_SMALL = 512


@dataclass(frozen=True)
class File:
    """A file of the page."""

    content: bytes
    packed: bytes | None
    kind: str
    tag: str
    lasting: bool


def load_page() -> dict[str, File]:
    """Return the files by their paths; ``/`` is the page itself."""
    found = dict(_files(files("twoworlds.web") / "static", "/"))
    index = found.get("/index.html") or _file("index.html", _PLAIN, "/")
    return {**found, "/": index, "/index.html": index}


def _files(folder: Traversable, path: str) -> Iterator[tuple[str, File]]:
    if not folder.is_dir():
        return
    for entry in folder.iterdir():
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            yield from _files(entry, f"{path}{entry.name}/")
        else:
            yield path + entry.name, _file(entry.name, entry.read_bytes(), path)


def _file(name: str, content: bytes, folder: str) -> File:
    suffix = "." + name.rpartition(".")[2].lower()
    kind = _KINDS.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    if kind.startswith("text/"):
        kind += "; charset=utf-8"
    packed = gzip.compress(content, 9, mtime=0) if len(content) > _SMALL else None
    if packed is not None and len(packed) > 0.9 * len(content):
        packed = None
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    return File(content, packed, kind, tag, folder.startswith("/assets/"))
