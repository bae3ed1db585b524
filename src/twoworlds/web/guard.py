"""The guard at the door: what it refuses, and what it writes down.

    host     only the names that the service was started for, against DNS rebinding
    origin   whatever changes or spends comes from the page itself or from no page at all
    body     read before anything else happens: not too large, and not too slowly
    errors   whatever fails inside becomes the one fixed text
    headers  a strict content security policy, no guessing of types, no referrer, no caching

One line of JSON is written for each request: time, method, the template of the path, status,
milliseconds and the name of the account. No path that was sent, no query string, no body, no token.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from twoworlds.web.refusals import INTERNAL, Refused, refusal_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
LOOPBACK = ("127.0.0.1", "localhost", "::1")
NOTES = "twoworlds"  # where in the scope a handler leaves what goes into the log
_SAFE = ("GET", "HEAD", "OPTIONS")
_METHODS = (*_SAFE, "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "QUERY")
_HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)


def now() -> str:
    """Return the time, as the log has it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def write_line(line: Mapping[str, Any]) -> None:
    """Write a line of the access log to standard error."""
    sys.stderr.write(f"{json.dumps(line)}\n")
    sys.stderr.flush()


class Guard:
    """Stands before an application.

    Args:
        app: What it guards.
        hosts: The names under which it may be called, besides those of the loopback.
        largest: How many bytes a body may have.
        seconds: How long it may take to come.
        log: Takes each line of the access log.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Iterable[str] = (),
        largest: int,
        seconds: float,
        log: Callable[[Mapping[str, Any]], None] = write_line,
    ) -> None:
        """Take the limits."""
        self.app, self.largest, self.seconds, self.log = app, largest, seconds, log
        self.hosts = {host.lower() for host in (*LOOPBACK, *hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Guard one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, notes = monotonic(), scope.setdefault(NOTES, {})
        status = 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = {name for name, _ in message.get("headers", ())}
                more = [pair for pair in _HEADERS if pair[0] not in given]
                if b"cache-control" not in given:
                    more.append((b"cache-control", b"no-store"))
                message = {**message, "headers": [*message.get("headers", ()), *more]}
            await send(message)

        try:
            try:
                await self.app(scope, await self._admitted(scope, receive), answer)
            except Exception as error:
                if status:  # the answer has begun: all that is left is to cut it off
                    raise
                await _refuse(answer, refusal_of(error))
        except Exception:
            status = status or INTERNAL.status
            raise INTERNAL from None
        finally:
            self.log(_line(scope["method"], notes, status, started))

    async def _admitted(self, scope: Scope, receive: Receive) -> Receive:
        """Check host, origin and body; return what gives the body again."""
        headers = {name.lower(): value for name, value in scope["headers"]}
        host = headers.get(b"host", b"").decode("latin-1")
        if _name(host) not in self.hosts:
            raise Refused(
                403, "ForeignHost", "the service does not go by this name: see serve --allow-host"
            )
        if scope["method"] not in _SAFE:
            _check_origin(headers, host)
        body = await self._body(headers, receive)
        given = False

        async def again() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        return again

    async def _body(self, headers: Mapping[bytes, bytes], receive: Receive) -> bytes:
        said = headers.get(b"content-length", b"0")
        if said.isdigit() and len(said) < 20 and int(said) > self.largest:
            raise self._too_large()
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self.seconds):
                more = True
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        break
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > self.largest:
                        raise self._too_large()
                    more = message.get("more_body", False)
        except TimeoutError:
            raise Refused(
                408, "TimeLimit", f"the request took more than {self.seconds:g} s to arrive"
            ) from None
        return b"".join(parts)

    def _too_large(self) -> Refused:
        return Refused(
            413, "TooLarge", f"the request is larger than {self.largest:,} bytes: send less"
        )


def _check_origin(headers: Mapping[bytes, bytes], host: str) -> None:
    """Refuse what another page sends."""
    origin = headers.get(b"origin")
    site = headers.get(b"sec-fetch-site", b"same-origin")
    same = origin is None or _netloc(origin.decode("latin-1")) == host.lower()
    if not same or site not in (b"same-origin", b"none"):
        raise Refused(403, "ForeignOrigin", "only the page of this service may send this")


def _netloc(origin: str) -> str | None:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.netloc.lower() if parts.scheme in ("http", "https") else None


def _name(host: str) -> str | None:
    """Return the name in a Host header, without the port."""
    if not host or any(character in host for character in "/@?#\\ "):
        return None
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


async def _refuse(send: Send, refused: Refused) -> None:
    body = refused.body()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),  # the rest of a body that was not read must not become a request
    ]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _line(method: str, notes: Mapping[str, Any], status: int, started: float) -> dict[str, Any]:
    return {
        "time": now(),
        "method": method if method in _METHODS else "other",
        "path": notes.get("path"),
        "status": status,
        "milliseconds": round(1000 * (monotonic() - started), 1),
        "account": notes.get("account"),
    }
