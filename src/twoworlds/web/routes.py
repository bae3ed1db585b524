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


_SUMMARIES = {
    "health": "Whether the service runs",
    "ready": "Whether ledger and engines can be used",
    "catalogue": "What can be named, and what can be asked",
    "mechanism": "Matrix, laws, price, profile, trade-off and definitions of a mechanism",
    "posterior": "What an attacker concludes, with and without each person",
    "guarantees": "What a row cone says about attackers",
    "simulators": "The nearest simulator, and the proof",
    "noiseless": "Delta of an exact count",
    "me": "Whose token this is",
    "datasets": "What the policy says",
    "budget": "What is spent and left",
    "ledger": "All charges, what they allow together, and what is proposed",
    "proposals": "What one has proposed, and what reviewers said of it",
    "plan": "What a release would cost; nothing is charged",
    "release": "Charge queries and answer them",
    "report": "The report of a release, or the page of a proposal to sign, in HTML",
    "propose": "File a planned release for review; nothing is charged",
    "decide": "Approve a proposal, or send it back",
}
_GIVEN = {  # what every answer holds, and there may be more
    "health": "ok version",
    "ready": "ready",
    "catalogue": "mechanisms definitions beliefs universes questions",
    "mechanism": "expression databases outputs matrix laws pairs price definitions",
    "posterior": "prior outputs worst",
    "guarantees": "statements rays count",
    "simulators": "delta simulator certificate",
    "noiseless": "at belief sentence",
    "me": "name role",
    "datasets": "datasets",
    "budget": "datasets",
    "ledger": "entries hash newest proposals",
    "proposals": "proposals",
    "plan": "cost price left warnings cells errors review meaning",
    "release": "answers meaning paid left certificate",
    "report": "entry html",
    "propose": "entry status asked cost",
    "decide": "entry status decision",
}


# --- who asks whom --------------------------------------------------------------------------------


def _service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


def _allowed(*roles: str) -> Callable[..., Awaitable[Account]]:
    async def account(request: Request, _: Annotated[Any, Depends(_TOKEN)]) -> Account:
        return await _service(request).account(request, roles)

    return account


Here = Annotated[Service, Depends(_service)]


def _json(reply: Reply) -> Response:
    return Response(reply.body, reply.status, media_type=JSON)


# --- mathematics ----------------------------------------------------------------------------------


def _get(path: str) -> Callable[[Callable[..., Any]], Any]:
    answers = answer_with(path.capitalize(), *_GIVEN[path].split())
    return router.get(f"/{path}", summary=_SUMMARIES[path], response_model=answers)


@_get("health")
async def health() -> Response:
    """Say that it runs."""
    return _json(Reply(200, json.dumps({"ok": True, "version": __version__}).encode()))


@_get("ready")
async def ready(service: Here) -> Response:
    """Say whether releases can be made."""
    return _json(await service.ready())


@_get("catalogue")
async def catalogue(service: Here) -> Response:
    """Return the catalogue."""
    return _json(await service.catalogue())


def _compute(path: str, kind: type[bodies.Body]) -> None:
    """Add a path that asks a worker of mathematics; an attack has its name in the path."""
    job, _, name = path.partition("/")

    async def compute(request: Request, service: Here, body: Any) -> Response:
        sent = body.model_dump(exclude_none=True)
        if name:
            return _json(await service.computed("attack", {"name": name, "options": sent}, request))
        return _json(await service.computed(job, sent, request))

    compute.__annotations__["body"] = kind
    summary = QUESTIONS[f"attack {name}"].line if name else _SUMMARIES[job]
    answers = answer_with(f"{kind.__name__}Answer", *_GIVEN.get(path, "").split())
    router.post(f"/{path}", name=path, summary=summary, response_model=answers)(compute)


_compute("mechanism", bodies.MechanismBody)
_compute("posterior", bodies.Posterior)
_compute("guarantees", bodies.Guarantees)
_compute("simulators", bodies.Simulators)
_compute("noiseless", bodies.Noiseless)
for _name in ATTACKS:
    _compute(f"attacks/{_name}", bodies.attack_body(_name))


@router.post("/attacks/{name}", include_in_schema=False)
async def no_attack(name: str) -> Response:
    """Say which attacks there are."""
    raise UnknownName("attack", name, ATTACKS)


# --- releases -------------------------------------------------------------------------------------


_EVERYBODY = ("curator", "analyst", "reviewer")
_RELEASING = ("curator", "analyst")
_FOR_ALL = ("datasets", "ledger")  # whoever asks
_FOR_ANALYSTS = ("budget", "report")  # to an analyst, the own part only


def _by_token(path: str, roles: Sequence[str], kind: type[bodies.Body] | None = None) -> None:
    """Add a path that asks a worker of releases; with a body it is posted, without one got."""

    async def done(service: Service, asking: Account, sent: dict[str, Any]) -> Response:
        if path == "me":
            return _json(Reply(200, json.dumps(asking.to_dict(), ensure_ascii=False).encode()))
        if path not in _FOR_ALL:
            everything = path in _FOR_ANALYSTS and asking.role != "analyst"
            sent = {"account": None if everything else asking.name, **sent}
        ask = service.paced if path == "release" else service.desk
        return _json(await ask(path, sent, asking))

    async def got(service: Here, asking: Any) -> Response:
        return await done(service, asking, {})

    async def posted(service: Here, asking: Any, body: Any) -> Response:
        return await done(service, asking, body.model_dump(exclude_none=True))

    made: Any = got if kind is None else posted
    made.__annotations__["asking"] = Annotated[Account, Depends(_allowed(*roles))]
    if kind is not None:
        made.__annotations__["body"] = kind
    add = router.get if kind is None else router.post
    answers = answer_with(path.capitalize(), *_GIVEN[path].split())
    described: dict[str, Any] = {"summary": _SUMMARIES[path], "responses": _BY_TOKEN}
    add(f"/{path}", name=path, response_model=answers, **described)(made)


_by_token("me", _EVERYBODY)
_by_token("datasets", _EVERYBODY)
_by_token("budget", _EVERYBODY)
_by_token("ledger", ("curator", "reviewer"))
_by_token("proposals", _RELEASING)
_by_token("plan", _RELEASING, bodies.ReleaseBody)
_by_token("release", _RELEASING, bodies.ReleaseBody)
_by_token("report", _EVERYBODY, bodies.ReportBody)
_by_token("propose", _RELEASING, bodies.ProposeBody)
_by_token("decide", ("reviewer",), bodies.DecideBody)
