"""Which path does what, and who may use it: typed routes, from which OpenAPI is made.

The attacks are questions of the list, one path for each; the other paths of mathematics answer what
a view of the page shows, which is more than one question. Every path reads JSON strictly, and
whatever is wrong with a request is a 400 in the one form of errors.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer

from twoworlds import __version__
from twoworlds.errors import UnknownName
from twoworlds.questions import QUESTIONS
from twoworlds.web import bodies
from twoworlds.web.accounts import Account
from twoworlds.web.attacks import ATTACKS
from twoworlds.web.bodies import answer_with, refused
from twoworlds.web.guard import NOTES
from twoworlds.web.refusals import Refused, read_json
from twoworlds.web.service import Service
from twoworlds.web.workers import Reply

JSON = "application/json"
_TOKEN = HTTPBearer(scheme_name="token", auto_error=False)  # in words of our own; see `account`


class _Sent(Request):
    """A request whose JSON has been read strictly."""

    sent: dict[str, Any]

    async def json(self) -> Any:
        return self.sent


class _Strict(APIRoute):
    """A route that notes its path for the log, and reads its body strictly."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        kind: Any = None if self.body_field is None else self.body_field.field_info.annotation

        async def handler(request: Request) -> Response:
            request.scope[NOTES]["path"] = self.path_format
            read = _Sent(request.scope, request.receive)
            if kind is not None:
                sent_as = request.headers.get("content-type", "").partition(";")[0].strip().lower()
                if sent_as != JSON:
                    said = f"send JSON, with the header Content-Type: {JSON}"
                    raise Refused(400, "InvalidInput", said)
                read.sent = read_json(await read.body())
            try:
                return await handle(read)
            except RequestValidationError as error:
                raise refused(error.errors()[0], kind.model_fields) from None

        return handler


def _errors(statuses: dict[int | str, str]) -> dict[int | str, dict[str, Any]]:
    return {
        status: {"description": said, "model": bodies.Error} for status, said in statuses.items()
    }


router = APIRouter(
    prefix="/api/v1",
    route_class=_Strict,
    responses=_errors(
        {
            400: "what was sent breaks a rule that the message states",
            403: "the role, the host or the origin is not allowed",
            404: "there is nothing here",
            405: "this path takes another method",
            408: "the request came too slowly",
            413: "the request is too large",
            500: "a failure inside the service",
            503: "out of time, too busy, or no ledger",
            "4XX": "refused; the message says why",
        }
    ),
)
_BY_TOKEN = _errors({401: "no token, or a wrong one", 409: "over budget; nothing was charged"})


# --- who asks whom --------------------------------------------------------------------------------


def _service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


def _allowed(*roles: str) -> Callable[..., Awaitable[Account]]:
    async def account(request: Request, _: Annotated[Any, Depends(_TOKEN)]) -> Account:
        return await _service(request).account(request, roles)

    return account


Here = Annotated[Service, Depends(_service)]
Everybody = Annotated[Account, Depends(_allowed("curator", "analyst", "reviewer"))]
Releasing = Annotated[Account, Depends(_allowed("curator", "analyst"))]
Reading = Annotated[Account, Depends(_allowed("curator", "reviewer"))]
Reviewing = Annotated[Account, Depends(_allowed("reviewer"))]


def _json(reply: Reply) -> Response:
    return Response(reply.body, reply.status, media_type=JSON)


# --- mathematics ----------------------------------------------------------------------------------


@router.get(
    "/health",
    summary="Whether the service runs",
    response_model=answer_with("Health", "ok", "version"),
)
async def health() -> Response:
    """Say that it runs."""
    return _json(Reply(200, json.dumps({"ok": True, "version": __version__}).encode()))


@router.get(
    "/ready",
    summary="Whether ledger and engines can be used",
    response_model=answer_with("Ready", "ready"),
)
async def ready(service: Here) -> Response:
    """Say whether releases can be made."""
    return _json(await service.ready())


@router.get(
    "/catalogue",
    summary="What can be named, and what can be asked",
    response_model=answer_with(
        "Catalogue", "mechanisms", "definitions", "beliefs", "universes", "questions"
    ),
)
async def catalogue(service: Here) -> Response:
    """Return the catalogue."""
    return _json(await service.catalogue())


def _compute(path: str, kind: type[bodies.Body], summary: str, gives: Sequence[str] = ()) -> None:
    """Add a path that asks a worker of mathematics; an attack has its name in the path."""
    job, _, name = path.partition("/")

    async def compute(request: Request, service: Here, body: Any) -> Response:
        sent = body.model_dump(exclude_none=True)
        if name:
            return _json(await service.computed("attack", {"name": name, "options": sent}, request))
        return _json(await service.computed(job, sent, request))

    compute.__annotations__["body"] = kind
    answers = answer_with(f"{kind.__name__}Answer", *gives)
    router.post(f"/{path}", name=path, summary=summary, response_model=answers)(compute)


_compute(
    "mechanism",
    bodies.MechanismBody,
    "Matrix, laws, price, profile, trade-off and definitions of a mechanism",
    ("expression", "databases", "outputs", "matrix", "laws", "pairs", "price", "definitions"),
)
_compute(
    "posterior",
    bodies.Posterior,
    "What an attacker concludes, with and without each person",
    ("prior", "outputs", "worst"),
)
_compute(
    "guarantees",
    bodies.Guarantees,
    "What a row cone says about attackers",
    ("statements", "rays", "count"),
)
_compute(
    "simulators",
    bodies.Simulators,
    "The nearest simulator, and the proof",
    ("delta", "simulator", "certificate"),
)
_compute(
    "noiseless",
    bodies.Noiseless,
    "Delta of an exact count",
    ("at", "belief", "sentence"),
)
for _name in ATTACKS:
    _compute(f"attacks/{_name}", bodies.attack_body(_name), QUESTIONS[f"attack {_name}"].line)


@router.post("/attacks/{name}", include_in_schema=False)
async def no_attack(name: str) -> Response:
    """Say which attacks there are."""
    raise UnknownName("attack", name, ATTACKS)


# --- releases -------------------------------------------------------------------------------------


@router.get(
    "/me",
    summary="Whose token this is",
    response_model=answer_with("Me", "name", "role"),
    responses=_BY_TOKEN,
)
async def me(asking: Everybody) -> Response:
    """Say who asks."""
    return _json(Reply(200, json.dumps(asking.to_dict(), ensure_ascii=False).encode()))


@router.get(
    "/datasets",
    summary="What the policy says",
    response_model=answer_with("Datasets", "datasets"),
    responses=_BY_TOKEN,
)
async def datasets(service: Here, asking: Everybody) -> Response:
    """Return the datasets of the policy."""
    return _json(await service.desk("datasets", {}, asking))


@router.get(
    "/budget",
    summary="What is spent and left",
    response_model=answer_with("Budget", "datasets"),
    responses=_BY_TOKEN,
)
async def budget(service: Here, asking: Everybody) -> Response:
    """Return the budgets; of an analyst, their own."""
    whose = asking.name if asking.role == "analyst" else None
    return _json(await service.desk("budget", {"account": whose}, asking))


@router.get(
    "/ledger",
    summary="All charges, what they allow together, and what is proposed",
    response_model=answer_with("Ledger", "entries", "hash", "newest", "proposals"),
    responses=_BY_TOKEN,
)
async def ledger(service: Here, asking: Reading) -> Response:
    """Return what was charged."""
    return _json(await service.desk("ledger", {}, asking))


@router.get(
    "/proposals",
    summary="What one has proposed, and what reviewers said of it",
    response_model=answer_with("Proposals", "proposals"),
    responses=_BY_TOKEN,
)
async def proposals(service: Here, asking: Releasing) -> Response:
    """Return the own proposals."""
    return _json(await service.desk("proposals", {"account": asking.name}, asking))


@router.post(
    "/plan",
    summary="What a release would cost; nothing is charged",
    response_model=answer_with(
        "Plan", "cost", "price", "left", "warnings", "cells", "errors", "review", "meaning"
    ),
    responses=_BY_TOKEN,
)
async def plan(service: Here, asking: Releasing, body: bodies.ReleaseBody) -> Response:
    """Plan queries."""
    asked = {"account": asking.name, **body.model_dump(exclude_none=True)}
    return _json(await service.desk("plan", asked, asking))


@router.post(
    "/release",
    summary="Charge queries and answer them",
    response_model=answer_with("Released", "answers", "meaning", "paid", "left", "certificate"),
    responses=_BY_TOKEN,
)
async def release(service: Here, asking: Releasing, body: bodies.ReleaseBody) -> Response:
    """Charge queries, then answer them."""
    asked = {"account": asking.name, **body.model_dump(exclude_none=True)}
    return _json(await service.paced("release", asked, asking))


@router.post(
    "/report",
    summary="The report of a release, as one page of HTML",
    response_model=answer_with("Report", "entry", "html"),
    responses=_BY_TOKEN,
)
async def report(service: Here, asking: Everybody, body: bodies.ReportBody) -> Response:
    """Return a report; to an analyst, of a release that they paid for."""
    whose = asking.name if asking.role == "analyst" else None
    return _json(await service.desk("report", {"account": whose, "entry": body.entry}, asking))


@router.post(
    "/propose",
    summary="File a planned release for review; nothing is charged",
    response_model=answer_with("Proposal", "entry", "status", "asked", "cost"),
    responses=_BY_TOKEN,
)
async def propose(service: Here, asking: Releasing, body: bodies.ProposeBody) -> Response:
    """File a proposal."""
    asked = {"account": asking.name, **body.model_dump(exclude_none=True)}
    return _json(await service.desk("propose", asked, asking))


@router.post(
    "/decide",
    summary="Approve a proposal, or send it back",
    response_model=answer_with("Decision", "entry", "status", "decision"),
    responses=_BY_TOKEN,
)
async def decide(service: Here, asking: Reviewing, body: bodies.DecideBody) -> Response:
    """Decide on a proposal."""
    return _json(
        await service.desk("decide", {"account": asking.name, **body.model_dump()}, asking)
    )
