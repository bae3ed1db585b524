"""Running the service: a socket, a one-time token, and a stop that finishes what is running."""

from __future__ import annotations

import contextlib
import logging
import signal
import socket
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twoworlds.errors import InvalidInput
from twoworlds.release.policy import Policy, read_policy
from twoworlds.web.accounts import Accounts, accounts_place

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["Started", "serve"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_SECONDS_TO_STOP = 90  # more than the longest release may take
_SOLE = "curator"


class Started:
    """What is known once the service listens.

    Attributes:
        address: Where it is.
        name: The one-time account.
        token: Its token.
    """

    def __init__(self, host: str, port: int, name: str, token: str) -> None:
        """Write the address."""
        shown = f"[{host}]" if ":" in host else host
        self.address, self.name, self.token = f"http://{shown}:{port}/", name, token

    @property
    def link(self) -> str:
        """The address with the token behind ``#``, which browsers keep to themselves."""
        return f"{self.address}#token={self.token}"


def serve(
    policy: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8642,
    account: str | None = None,
    allowed: Iterable[str] = (),
    ready: Callable[[Started], None] = lambda _: None,
    **options: Any,
) -> None:
    """Run the service until it is told to stop.

    Args:
        policy: The policy file.
        host: The address to listen on.
        port: The port; 0 for any that is free.
        account: The name of the one-time account; the first analyst of the policy if left out.
        allowed: More names by which the service may be called.
        ready: Called when it listens.
        options: Limits, as `twoworlds.web.app.create_app` takes them.

    Raises:
        InvalidInput: when the policy cannot be read, or the address is taken.
    """
    import uvicorn

    from twoworlds.web.app import create_app

    read = read_policy(policy)
    accounts = Accounts(accounts_place(read))
    name = account or _first_analyst(read)
    token = accounts.add_passing(name, "curator")
    listening = _listen(host, port)
    app = create_app(policy, accounts, hosts=[host, *allowed], **options)
    started = Started(host, listening.getsockname()[1], name, token)

    class Server(uvicorn.Server):
        """Says when it listens; a signal ends it without an error."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready(started)

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            before = {one: signal.signal(one, self._stop) for one in _SIGNALS}
            try:
                yield
            finally:
                for one, handler in before.items():
                    signal.signal(one, handler)

        def _stop(self, number: int, frame: FrameType | None) -> None:
            self.handle_exit(number, frame)

    for logger in ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio"):
        logging.getLogger(logger).addHandler(logging.NullHandler())
        logging.getLogger(logger).propagate = False
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        ws="none",
        timeout_keep_alive=15,
        timeout_graceful_shutdown=_SECONDS_TO_STOP,
        limit_concurrency=1024,
        backlog=512,
        proxy_headers=False,
    )
    Server(config).run(sockets=[listening])


def _first_analyst(policy: Policy) -> str:
    names = [name for dataset in policy.datasets.values() for name in dataset.analysts]
    return names[0] if names else _SOLE


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
        raise InvalidInput(
            f"{host}:{port} cannot be listened on ({reason}): give another --host or --port, or "
            "--port 0 for any that is free"
        ) from None
    return listening
