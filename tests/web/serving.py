"""A service of one's own, in a process of its own, on a free port of this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
from pydantic import ValidationError

from twoworlds.web.bodies import refused

SECONDS = 900  # ends what hangs, and is never waited for in full


class Running:
    """A service that runs until it is stopped or killed; the settings are of its environment."""

    def __init__(self, folder: Path, *options: str, **settings: str) -> None:
        self.folder = folder
        self.log = folder / "access.log"
        command = [sys.executable, "-m", "twoworlds", "serve", "--port", "0", "--json", *options]
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                env={**os.environ, **settings},
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,  # a group of its own, which can be killed as a whole
            )
        said = ""
        assert self.process.stdout is not None
        while not said.endswith("}\n"):
            line = self.process.stdout.readline()
            assert line, self.log.read_text()
            said += line
        self.said: dict[str, Any] = json.loads(said)
        self.address: str = self.said["address"].rstrip("/")
        self.token: str = self.said["token"]

    def client(self, token: str | None = None, **options: Any) -> httpx.Client:
        given = {} if token is None else {"Authorization": f"Bearer {token}"}
        plain = {"verify": False, "trust_env": False}  # no certificates to load: it is plain HTTP
        return httpx.Client(
            base_url=self.address, headers=given, timeout=SECONDS, **plain, **options
        )

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def stop(self) -> int:
        """Ask it to stop, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self._ended()

    def kill(self) -> None:
        """Kill -9 the service and all its workers at one moment."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self._ended()

    def _ended(self) -> int:
        code = self.process.wait(SECONDS)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code


def wait_until_ready(running: Running) -> None:
    """Wait for ledger and engines, and for mathematics."""
    deadline = time.monotonic() + SECONDS
    with running.client() as client:
        while client.get("/api/v1/ready").status_code != 200:
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert client.get("/api/v1/catalogue").status_code == 200


def read_as(kind, body):
    """What a body says, or our refusal of it, as a route has them."""
    try:
        return kind.model_validate(body).model_dump(exclude_none=True)
    except ValidationError as error:
        raise refused(error.errors()[0], kind.model_fields) from None
