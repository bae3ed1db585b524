"""What the handlers of the service share: accounts, workers and limits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

from starlette.requests import Request

from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.release.policy import Policy
from twoworlds.web.accounts import Account, Accounts
from twoworlds.web.guard import NOTES
from twoworlds.web.refusals import Refused
from twoworlds.web.workers import Reply, Workers

_READY = 2.0  # seconds for which an answer about readiness is kept
_LATE = "ask for something smaller, or use the command line, which has no limit"
_LATE_RELEASE = (
    "if it was charged, the same query again costs nothing more; ask for fewer groups if it stays "
    "so"
)
_NO_POLICY = "this service has no policy, so there is nothing to release: see serve --policy"
_NO_ACCOUNTS = "the accounts cannot be read, so nobody is let in: tell whoever runs the service"


class Service:
    """Accounts, workers and limits of one application."""

    def __init__(
        self,
        policy: Policy | None,
        accounts: Accounts,
        *,
        seconds: float,
        release_seconds: float,
        pace: float,
        delay: float,
        workers: int,
        memory: int,
    ) -> None:
        """Take the parts; processes are started later."""
        self.policy, self.accounts, self.pace, self.delay = policy, accounts, pace, delay
        self.memory = memory
        count = workers + 1  # so that one is left for somebody else
        self.mathematics = Workers(
            ("mathematics",), count=count, each=workers, seconds=seconds, most=64, late=_LATE
        )
        self.releases = None
        if policy is not None:
            self.releases = Workers(
                ("releases",),
                count=count,
                each=workers,
                seconds=release_seconds,
                most=512,
                late=_LATE_RELEASE,
                together=16,
                known=self._told(policy),
            )
        self._catalogue: Reply | None = None
        self._ready: tuple[float, Reply] | None = None

    def start(self) -> None:
        """Start the processes."""
        for pool in (self.releases, self.mathematics):
            if pool is not None:
                pool.start()

    def reload(self, policy: Policy) -> None:
        """Serve another policy: what runs is finished first, and then all workers have it.

        Raises:
            InvalidInput: when it has another ledger, which takes a restart.
        """
        if self.policy is None or self.releases is None:
            raise InvalidInput(_NO_POLICY)
        for name in ("ledger", "mark"):
            before, after = getattr(self.policy, name), getattr(policy, name)
            if before != after:
                raise InvalidInput(
                    f"the policy now says {name}: {after}, and the service was started with "
                    f"{name}: {before}: put it back, or start the service anew"
                )
        self.releases.tell(self._told(policy))
        self.policy, self._ready = policy, None

    def close(self) -> None:
        """Finish what runs, and end the processes."""
        for pool in (self.releases, self.mathematics):
            if pool is not None:
                pool.close()

    async def account(self, request: Request, roles: Sequence[str]) -> Account:
        """Return who asks.

        Raises:
            Refused: without a token, with a wrong one (after a constant delay), or for the role.
        """
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise Refused(
                401, "NoToken", "this needs a token: send the header Authorization: Bearer TOKEN"
            )
        try:
            if not self.accounts.unchanged:  # whoever holds the file's lock keeps nobody waiting
                await asyncio.to_thread(self.accounts.listed)
            found = self.accounts.find(token.strip())
        except TwoWorldsError:
            raise Refused(503, "NoAccounts", _NO_ACCOUNTS) from None
        if found is None:
            await asyncio.sleep(self.delay)
            raise Refused(
                401, "WrongToken", "nobody has this token: ask the curator for an account"
            )
        request.scope[NOTES]["account"] = found.name
        if found.role not in roles:
            raise Refused(
                403,
                "Role",
                f"this is for {' and '.join(roles)}, and {found.name!r} is {found.role}",
            )
        return found

    async def computed(self, job: str, arguments: Mapping[str, Any], request: Request) -> Reply:
        """Have mathematics done, in turn with what is asked from other addresses."""
        address = "" if request.client is None else request.client.host
        return await self.mathematics.run(job, arguments, address)

    async def desk(self, job: str, arguments: Mapping[str, Any], asking: Account) -> Reply:
        """Have a job done by a worker of releases, in turn with those of other accounts."""
        if self.releases is None:
            raise Refused(404, "NoPolicy", _NO_POLICY)
        return await self.releases.run(job, arguments, asking.name)

    async def paced(self, job: str, arguments: Mapping[str, Any], asking: Account) -> Reply:
        """Have it done, and answer at a multiple of the pace, also when it fails."""
        started = monotonic()
        try:
            return await self.desk(job, arguments, asking)
        finally:
            if self.pace > 0:
                await asyncio.sleep(self.pace - (monotonic() - started) % self.pace)

    async def catalogue(self) -> Reply:
        """Return the catalogue, which never changes."""
        if self._catalogue is None:
            found = await self.mathematics.run("catalogue", {})
            if found.status != 200:
                return found
            self._catalogue = found
        return self._catalogue

    async def ready(self) -> Reply:
        """Say whether ledger and engines can be used; the answer is kept for a moment."""
        if self.releases is None:
            return Reply(200, b'{"ready":true}')
        now = monotonic()
        if self._ready is None or now - self._ready[0] > _READY:
            found = await self.releases.run("ready", {})
            if found.status == 400:  # a policy that does not fit the data is no fault of the caller
                problem = "the policy does not fit the data, or the data is not there"
                found = Reply(503, Refused(503, "NotReady", problem).body())
            self._ready = (now, found)
        return self._ready[1]

    def _told(self, policy: Policy) -> bytes:
        """Return what a worker of releases must know."""
        folder = str(policy.folder.absolute())
        told = {"policy": policy.text, "folder": folder, "memory": self.memory}
        return json.dumps(told).encode()
