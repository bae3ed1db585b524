"""Patience with connections: who does not say what they want is not waited for for ever.

A connection whose request line and headers have not come within some seconds is closed, be it the
first request on it or a later one. Without that, some hundred connections that say nothing would
keep everybody else out. Bodies have a limit of their own; see `twoworlds.web.guard`.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["Patience"]


class Patience(H11Protocol):
    """HTTP/1.1, with a limit on how long headers may take."""

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
