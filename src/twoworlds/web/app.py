"""The application: which path does what, who may use it, and how it is described.

Mathematics is computed in processes of its own, so that it neither delays nor endangers releases.
A release is answered, or fails, at a multiple of `pace` seconds after it was asked, whatever the
data holds; see `twoworlds.release.curator.Curator` for the same from Python.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from twoworlds import __version__
from twoworlds.release.policy import Policy, read_policy
from twoworlds.web import bodies
from twoworlds.web.accounts import Accounts, accounts_place
from twoworlds.web.bodies import read_body
from twoworlds.web.guard import NOTES, Guard, write_line
from twoworlds.web.openapi import describe, operation
from twoworlds.web.page import File, load_page
from twoworlds.web.reading import read_json
from twoworlds.web.refusals import Refused, refusal_of
from twoworlds.web.service import Service
from twoworlds.web.worker import MEMORY
from twoworlds.web.workers import Reply

__all__ = ["create_app"]

LARGEST = 64 << 10
_JSON = "application/json"
Handler = Callable[[Request], Awaitable[Response]]


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
        openapi_url=None,  # our own, below
        docs_url=None,  # they load from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.service = service
    _add_routes(app, service)
    page = load_page()
    app.add_exception_handler(HTTPException, partial(_not_here, page))
    app.add_exception_handler(Refused, _refused)
    app.add_middleware(Guard, hosts=[*hosts], largest=largest, seconds=body_seconds, log=log)
    return app


def _accounts(policy: Policy | None, given: Accounts | Path | str | None) -> Accounts:
    if isinstance(given, Accounts):
        return given
    return Accounts(accounts_place(policy) if given is None and policy is not None else given)


# --- paths --------------------------------------------------------------------------------------

EVERYBODY = ("curator", "analyst", "reviewer")
RELEASING = ("curator", "analyst")
READING = ("curator", "reviewer")


def _add_routes(app: FastAPI, service: Service) -> None:
    def add(method: str, path: str, handler: Handler, **said: Any) -> None:
        template = f"/api/v1/{path}"

        async def noted(request: Request) -> Response:
            request.scope[NOTES]["path"] = template
            return await handler(request)

        noted.__name__ = f"{method}_{path}".lower().replace("/", "_").strip("{}")
        app.add_api_route(
            template, noted, methods=[method], response_model=None, openapi_extra=operation(**said)
        )

    _add_mathematics(add, service)
    _add_releases(add, service)
    described = describe(app)

    async def openapi(request: Request) -> Response:
        request.scope[NOTES]["path"] = "/api/openapi.json"
        return Response(described, media_type=_JSON)

    app.add_api_route("/api/openapi.json", openapi, methods=["GET"], include_in_schema=False)


def _add_mathematics(add: Callable[..., None], service: Service) -> None:
    async def health(_: Request) -> Response:
        return _json(Reply(200, f'{{"ok":true,"version":"{__version__}"}}'.encode()))

    async def ready(_: Request) -> Response:
        return _json(await service.ready())

    async def catalogue(_: Request) -> Response:
        return _json(await service.catalogue())

    async def attack(request: Request) -> Response:
        asked = {"name": request.path_params["name"], "options": await _sent(request)}
        reply = await service.computed("attack", asked, request)
        return _json(reply)

    add("GET", "health", health, summary="Whether the service runs", gives=("ok", "version"))
    add("GET", "ready", ready, summary="Whether ledger and engines can be used", gives=("ready",))
    add(
        "GET",
        "catalogue",
        catalogue,
        summary="What can be named",
        gives=("mechanisms", "definitions", "beliefs", "universes"),
    )
    for job, (body, summary, gives) in _MATHEMATICS.items():
        add("POST", job, _computed(service, job, body), summary=summary, body=body, gives=gives)
    add("POST", "attacks/{name}", attack, summary="An attack, on bundled tables", attack=True)


_MATHEMATICS: dict[str, tuple[Any, str, tuple[str, ...]]] = {
    "mechanism": (
        bodies.Mechanism,
        "Matrix, price, profile, trade-off and definitions of a mechanism",
        ("expression", "databases", "outputs", "matrix", "pairs", "price", "definitions"),
    ),
    "posterior": (
        bodies.Posterior,
        "What an attacker concludes, with and without each person",
        ("prior", "outputs", "worst"),
    ),
    "guarantees": (
        bodies.Guarantees,
        "What a row cone says about attackers",
        ("statements", "rays", "count"),
    ),
    "simulators": (
        bodies.Simulators,
        "The nearest simulator, and the proof",
        ("delta", "simulator", "certificate"),
    ),
    "noiseless": (
        bodies.Noiseless,
        "Delta of an exact count, as a curve",
        ("x", "delta", "belief"),
    ),
}


def _computed(service: Service, job: str, body: Any) -> Handler:
    async def handler(request: Request) -> Response:
        arguments = read_body(body, await _sent(request))
        return _json(await service.computed(job, arguments, request))

    return handler


def _add_releases(add: Callable[..., None], service: Service) -> None:
    async def me(request: Request) -> Response:
        found = await service.account(request, EVERYBODY)
        said = json.dumps(found.to_dict(), ensure_ascii=False).encode()
        return _json(Reply(200, said))

    async def datasets(request: Request) -> Response:
        found = await service.account(request, EVERYBODY)
        return _json(await service.desk("datasets", {}, found))

    async def budget(request: Request) -> Response:
        found = await service.account(request, EVERYBODY)
        whose = found.name if found.role == "analyst" else None
        return _json(await service.desk("budget", {"account": whose}, found))

    async def ledger(request: Request) -> Response:
        found = await service.account(request, READING)
        return _json(await service.desk("ledger", {}, found))

    async def plan(request: Request) -> Response:
        found = await service.account(request, RELEASING)
        asked = read_body(bodies.Release, await _sent(request))
        return _json(await service.desk("plan", {"account": found.name, **asked}, found))

    async def release(request: Request) -> Response:
        found = await service.account(request, RELEASING)
        asked = read_body(bodies.Release, await _sent(request))
        return _json(await service.paced("release", {"account": found.name, **asked}, found))

    secret = {"token": True}
    add("GET", "me", me, summary="Whose token this is", gives=("name", "role"), **secret)
    add("GET", "datasets", datasets, summary="What the policy says", gives=("datasets",), **secret)
    add("GET", "budget", budget, summary="What is spent and left", gives=("datasets",), **secret)
    add("GET", "ledger", ledger, summary="All charges", gives=("entries", "hash"), **secret)
    add(
        "POST",
        "plan",
        plan,
        summary="What a release would cost; nothing is charged",
        body=bodies.Release,
        gives=("cost", "price", "left", "errors", "meaning"),
        **secret,
    )
    add(
        "POST",
        "release",
        release,
        summary="Charge queries and answer them",
        body=bodies.Release,
        gives=("answers", "meaning", "paid", "left", "certificate"),
        **secret,
    )


# --- what handlers share ------------------------------------------------------------------------


async def _sent(request: Request) -> dict[str, Any]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _JSON:
        raise Refused(400, "InvalidInput", f"send JSON, with the header Content-Type: {_JSON}")
    return read_json(await request.body())


def _json(reply: Reply) -> Response:
    return Response(reply.body, reply.status, media_type=_JSON)


async def _refused(_: Request, error: Exception) -> Response:
    refused = refusal_of(error)
    headers = {"www-authenticate": "Bearer"} if refused.status == 401 else None
    return Response(refused.body(), refused.status, headers, _JSON)


async def _not_here(page: Mapping[str, File], request: Request, error: Exception) -> Response:
    """Answer with a file of the page, or say that there is nothing here."""
    status = getattr(error, "status_code", 404)
    file = page.get(request.url.path) if status == 404 else None
    if file is not None and request.method in ("GET", "HEAD"):
        request.scope[NOTES]["path"] = "/" if request.url.path == "/" else "/{file}"
        return _file(request, file)
    if status == 405:
        refused = Refused(405, "Method", "this path takes another method: see /api/openapi.json")
    elif status == 404:
        refused = Refused(404, "NotFound", "there is nothing here: see /api/openapi.json")
    else:
        refused = Refused(400, "InvalidInput", "the request cannot be read")
    headers = getattr(error, "headers", None)
    return Response(refused.body(), refused.status, headers, _JSON)


def _file(request: Request, file: File) -> Response:
    lasting = "public, max-age=31536000, immutable" if file.lasting else "no-cache"
    headers = {"etag": file.tag, "cache-control": lasting, "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(None, 304, headers)
    content = file.content
    if file.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        content, headers["content-encoding"] = file.packed, "gzip"
    return Response(content, 200, headers, file.kind)
