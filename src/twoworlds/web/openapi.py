"""The description of the API: every path, body, answer and error, and what needs a token."""

from __future__ import annotations

import json
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from twoworlds.web.bodies import ERROR
from twoworlds.web.gallery import ATTACKS

__all__ = ["describe", "operation"]

_DESCRIPTION = (
    "What a data release lets anyone learn, and releases within a budget. Exact numbers are "
    "objects with `exact` and `value`. Errors have one form everywhere."
)
_ERRORS = {
    400: "what was sent breaks a rule that the message states",
    403: "the role, the host or the origin is not allowed",
    404: "there is nothing here",
    405: "this path takes another method",
    408: "the request came too slowly",
    413: "the request is too large",
    500: "a failure inside the service",
    503: "out of time, too busy, or no ledger",
}
_TOKEN_ERRORS = {401: "no token, or a wrong one", 409: "over budget; nothing was charged"}
_OPTION = {
    "anyOf": [
        {"type": "string"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "array", "items": {"type": "string"}},
    ]
}


def operation(
    *,
    summary: str,
    body: Any = None,
    gives: tuple[str, ...] = (),
    token: bool = False,
    attack: bool = False,
) -> dict[str, Any]:
    """Return what OpenAPI says about one path."""
    errors = {**_ERRORS, **(_TOKEN_ERRORS if token else {})}
    said: dict[str, Any] = {
        "summary": summary,
        "responses": {
            "200": {
                "description": "done",
                "content": _content({"type": "object", "required": [*gives]}),
            },
            **{
                str(status): {
                    "description": text,
                    "content": _content({"$ref": "#/components/schemas/Error"}),
                }
                for status, text in sorted(errors.items())
            },
        },
        "security": [{"token": []}] if token else [],
    }
    if body is not None:
        schema = body.model_json_schema(ref_template="#/components/schemas/{model}")
        said["requestBody"] = {"required": True, "content": _content(schema)}
    if attack:
        options = {"type": "object", "additionalProperties": _OPTION}
        said["requestBody"] = {"required": True, "content": _content(options)}
        name = {"type": "string", "enum": sorted(ATTACKS)}
        said["parameters"] = [{"name": "name", "in": "path", "required": True, "schema": name}]
    return said


def describe(app: FastAPI) -> bytes:
    """Return the description of an application as JSON."""
    found = get_openapi(
        title=app.title, version=app.version, description=_DESCRIPTION, routes=app.routes
    )
    for path in found["paths"].values():
        for one in path.values():
            one["responses"].pop("422", None)  # everything that is wrong with a request is a 400
    schemes = {"token": {"type": "http", "scheme": "bearer"}}
    found["components"] = {"schemas": {"Error": ERROR}, "securitySchemes": schemes}
    return json.dumps(found, ensure_ascii=False).encode()


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
