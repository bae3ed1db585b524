"""Running the service: a socket, a one-time token, and a stop that finishes what is running.

The policy is read once, at the start. ``SIGHUP`` to this process reads it again, and then all
workers serve the new one; a policy that cannot be served is said in the log, and the old one stays.
When the terminal goes away in which the service was started, that signal stops it.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from twoworlds.errors import InvalidInput, TwoWorldsError, UnknownName
from twoworlds.release.ledger.views import open_ledger
from twoworlds.release.policy import Policy, read_policy
from twoworlds.web.accounts import Accounts, accounts_place
from twoworlds.web.app import create_app
from twoworlds.web.guard import now, write_line

if TYPE_CHECKING:
    from types import FrameType

    from fastapi import FastAPI

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_HANGUP = getattr(signal, "SIGHUP", None)  # there is none on Windows
_SECONDS_TO_STOP = 90  # more than the longest release may take
OPTIONS: dict[str, Any] = {
    "access_log": False,  # we write our own
    "server_header": False,
    "ws": "none",
    "timeout_keep_alive": 15,
    "timeout_graceful_shutdown": _SECONDS_TO_STOP,
    "backlog": 512,
    "proxy_headers": False,
    "h11_max_incomplete_event_size": 16 << 10,  # of the headers of a request
}
_SOLE = "curator"
_CONNECTIONS = 1024
_BESIDE = 64  # files that are open besides connections


def serve(
    policy: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8642,
    account: str | None = None,
    allowed: Iterable[str] = (),
    ready: Callable[[Mapping[str, str]], None] = lambda _: None,
    **options: Any,
) -> None:
    """Run the service until it is told to stop.

    Args:
        policy: The policy file.
        host: The address to listen on.
        port: The port; 0 for any that is free.
        account: The name of the one-time account; the first analyst of the policy if left out.
        allowed: More names by which the service may be called.
        ready: Called when it listens, with address, link, account and token.
        options: Limits, as `twoworlds.web.app.create_app` takes them.

    Raises:
        InvalidInput: when the policy cannot be read, or the address is taken.
        LedgerUnavailable: when the ledger cannot be opened, or made.
        LedgerDamaged: when it does not verify.
    """
    read = read_policy(policy)
    name = _spender(read, account)
    open_ledger(read).close()  # whoever starts it should hear at once what is wrong with it
    accounts = Accounts(accounts_place(read))
    token = accounts.add_passing(name, "curator")
    listening = _listen(host, port)
    app = create_app(read, accounts, hosts=[host, *allowed], **options)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    link = f"{address}#token={token}"  # what is behind # browsers keep to themselves
    started = {"address": address, "link": link, "account": name, "token": token}
    terminal, log = os.isatty(0), options.get("log", write_line)

    class Server(uvicorn.Server):
        """Says when it listens; a signal ends it without an error."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready(started)

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            before = {one: signal.signal(one, self._stop) for one in _SIGNALS}
            if _HANGUP is not None:
                before[_HANGUP] = signal.signal(_HANGUP, self._hang_up)
            try:
                yield
            finally:
                for one, handler in before.items():
                    signal.signal(one, handler)

        def _stop(self, number: int, frame: FrameType | None) -> None:
            self.handle_exit(number, frame)

        def _hang_up(self, number: int, frame: FrameType | None) -> None:
            if terminal and not os.isatty(0):
                self.handle_exit(number, frame)
            else:  # not here, where anything may have been interrupted
                threading.Thread(target=_reload, args=(app, policy, log)).start()

    for logger in ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio"):
        logging.getLogger(logger).addHandler(logging.NullHandler())
        logging.getLogger(logger).propagate = False
    config = uvicorn.Config(
        app,
        http=HeaderTimeout,
        log_config=None,
        lifespan="on",
        limit_concurrency=_allow_files(_CONNECTIONS),
        **OPTIONS,
    )
    Server(config).run(sockets=[listening])


def _reload(app: FastAPI, policy: Path, log: Callable[[Mapping[str, Any]], None]) -> None:
    """Read the policy again, and say in the log whether it is served now."""
    said: dict[str, Any] = {"time": now(), "event": "reload", "policy": str(policy)}
    try:
        app.state.service.reload(read_policy(policy))
    except TwoWorldsError as error:
        log({**said, "reloaded": False, "message": f"{error}; the policy before is still served"})
    else:
        log({**said, "reloaded": True})


def _allow_files(connections: int) -> int:
    """Raise the limit of open files, as far as one may, and return how many connections fit."""
    try:
        import resource
    except ImportError:  # there is none on Windows
        return connections
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + 2 * _BESIDE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
        return max(_BESIDE, min(connections, soft - _BESIDE))
    return connections


def _spender(policy: Policy, account: str | None) -> str:
    """Return whose budget the one-time token spends."""
    names = [name for dataset in policy.datasets.values() for name in dataset.analysts]
    if account is None:
        return names[0] if names else _SOLE
    if names and account not in names:
        raise UnknownName("analyst of the policy", account, dict.fromkeys(names))
    return account


def _listen(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(found[0], found[1], found[2])  # TCP named: no delays
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(found[4])
        except BaseException:
            listening.close()
            raise
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        way_out = "give another --host or --port, or --port 0 for any that is free"
        if isinstance(error, PermissionError):
            way_out = "give a port from 1024 on, and put a server that speaks HTTPS in front of it"
        elif getattr(error, "errno", None) == errno.EADDRINUSE:
            way_out = "is the service running already? If it is to run twice, give --port 0"
        raise InvalidInput(f"{host}:{port} cannot be listened on ({reason}): {way_out}") from None
    return listening


class HeaderTimeout(H11Protocol):
    """HTTP/1.1, with a limit on how long the request line and the headers may take.

    It holds for the first request of a connection and for every later one. Without it, some hundred
    connections that say nothing would keep everybody else out. Bodies have a limit of their own;
    see `twoworlds.web.guard`.
    """

    seconds = 10.0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        """Go on waiting, or stop: a request has begun."""
        super().data_received(data)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        super().connection_lost(exc)
        self._stop()

    def _look(self) -> None:
        if self._busy():
            self._stop()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.seconds, self._give_up)

    def _busy(self) -> bool:
        cycle: Any = self.cycle  # none before the first request
        return cycle is not None and not cycle.response_complete

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if not self._busy():
            self.transport.close()
