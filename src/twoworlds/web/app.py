"""The application: the routes, the page, the guard before them, and how all of it is described.

Mathematics is computed in processes of its own, so that it neither delays nor endangers releases.
A release is answered, or fails, at a multiple of `pace` seconds after it was asked, whatever the
data holds; see `twoworlds.release.curator.Curator` for the same from Python.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import mimetypes
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from twoworlds import __version__
from twoworlds.release.policy import Policy, read_policy
from twoworlds.web.accounts import Accounts, accounts_place
from twoworlds.web.guard import NOTES, Guard, write_line
from twoworlds.web.refusals import Refused, refusal_of
from twoworlds.web.routes import JSON, router
from twoworlds.web.service import Service
from twoworlds.web.workers import MEMORY

LARGEST = 64 << 10
_DESCRIPTION = (
    "What a data release lets anyone learn, and releases within a budget. Exact numbers are "
    "objects with `exact` and `value`. Errors have one form everywhere. Texts that would name a "
    "file or a Python object on the command line are refused."
)


def create_app(
    policy: Policy | Path | str | None = None,
    accounts: Accounts | Path | str | None = None,
    *,
    hosts: Iterable[str] = (),
    seconds: float = 20.0,
    release_seconds: float = 60.0,
    body_seconds: float = 10.0,
    pace: float = 0.1,
    delay: float = 0.5,
    largest: int = LARGEST,
    workers: int | None = None,
    memory: int = MEMORY,
    log: Callable[[Mapping[str, Any]], None] = write_line,
) -> FastAPI:
    """Make the application.

    Args:
        policy: The policy of the data's owner, or its file, which is read once; without one there
            is only mathematics. ``app.state.service.reload`` takes another.
        accounts: Who may release: accounts, or their file; beside the ledger if left out.
        hosts: Names by which the service may be called, besides those of the loopback.
        seconds: How long mathematics may take before it is stopped.
        release_seconds: How long a release may take before it is stopped.
        body_seconds: How long a request may take to arrive.
        pace: Releases are answered at multiples of so many seconds; 0 for at once.
        delay: How many seconds a wrong token waits for its answer.
        largest: How many bytes a request may have.
        workers: How many processes of each kind may work for one account, and one more is there for
            others; as many as there are processors, 2 to 4.
        memory: How many bytes a process that makes releases may have, on Linux.
        log: Takes each line of the access log, which goes to standard error if left out.

    Raises:
        InvalidInput: when the policy cannot be read.
    """
    read = read_policy(policy) if isinstance(policy, (Path, str)) else policy
    service = Service(
        read,
        _accounts(read, accounts),
        seconds=seconds,
        release_seconds=release_seconds,
        pace=pace,
        delay=delay,
        workers=workers or min(4, max(2, os.cpu_count() or 2)),
        memory=memory,
    )

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.start()
        yield
        await asyncio.to_thread(service.close)

    app = FastAPI(
        title="twoworlds",
        version=__version__,
        description=_DESCRIPTION,
        openapi_url=None,  # noted in the log as well, below
        docs_url=None,  # they load from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.service = service
    app.include_router(router)
    _add_description(app)
    page = load_page()
    app.add_exception_handler(HTTPException, partial(_not_here, page))
    app.add_exception_handler(Refused, _refused)
    app.add_middleware(Guard, hosts=[*hosts], largest=largest, seconds=body_seconds, log=log)
    return app


def _accounts(policy: Policy | None, given: Accounts | Path | str | None) -> Accounts:
    if isinstance(given, Accounts):
        return given
    return Accounts(accounts_place(policy) if given is None and policy is not None else given)


def _add_description(app: FastAPI) -> None:
    described = json.dumps(app.openapi(), ensure_ascii=False).encode()

    async def openapi(request: Request) -> Response:
        request.scope[NOTES]["path"] = "/api/openapi.json"
        return Response(described, media_type=JSON)

    app.add_api_route("/api/openapi.json", openapi, methods=["GET"], include_in_schema=False)


async def _refused(_: Request, error: Exception) -> Response:
    refused = refusal_of(error)
    headers = {"www-authenticate": "Bearer"} if refused.status == 401 else None
    return Response(refused.body(), refused.status, headers, JSON)


async def _not_here(page: Mapping[str, File], request: Request, error: Exception) -> Response:
    """Answer with a file of the page, or say that there is nothing here."""
    status = getattr(error, "status_code", 404)
    file = page.get(request.url.path) if status == 404 else None
    if file is not None and request.method in ("GET", "HEAD"):
        request.scope[NOTES]["path"] = "/" if request.url.path == "/" else "/{file}"
        return _send(request, file)
    if status == 405:
        refused = Refused(405, "Method", "this path takes another method: see /api/openapi.json")
    elif status == 404:
        refused = Refused(404, "NotFound", "there is nothing here: see /api/openapi.json")
    else:
        refused = Refused(400, "InvalidInput", "the request cannot be read")
    headers = getattr(error, "headers", None)
    return Response(refused.body(), refused.status, headers, JSON)


def _send(request: Request, file: File) -> Response:
    lasting = "public, max-age=31536000, immutable" if file.lasting else "no-cache"
    headers = {"etag": file.tag, "cache-control": lasting, "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(None, 304, headers)
    content = file.content
    if file.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        content, headers["content-encoding"] = file.packed, "gzip"
    return Response(content, 200, headers, file.kind)


# --- the page: built files, read when the service starts, so that no path ever reaches the disk --

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
    folder = Path(__file__).with_name("static")
    found = {
        f"/{one.relative_to(folder).as_posix()}": _file(one.name, one.read_bytes(), one.parent.name)
        for one in folder.rglob("[!.]*")
        if one.is_file()
    }
    index = found.get("/index.html") or _file("index.html", _PLAIN, "")
    return {**found, "/": index, "/index.html": index}


def _file(name: str, content: bytes, folder: str) -> File:
    suffix = "." + name.rpartition(".")[2].lower()
    kind = _KINDS.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    if kind.startswith("text/"):
        kind += "; charset=utf-8"
    packed = gzip.compress(content, 9, mtime=0) if len(content) > _SMALL else None
    if packed is not None and len(packed) > 0.9 * len(content):
        packed = None
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    return File(content, packed, kind, tag, folder == "assets")
