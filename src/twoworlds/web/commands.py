"""The questions that the service itself answers: start it, and say who may use it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from twoworlds.answer import Answer, Facts, Table
from twoworlds.errors import InvalidInput
from twoworlds.questions import Name
from twoworlds.release.policy import Policy as ReadPolicy
from twoworlds.release.policy import read_policy
from twoworlds.show import Result, Told
from twoworlds.show.terminal import console
from twoworlds.web.accounts import Accounts, accounts_place

_PORT = 8642
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
Policy = Annotated[Path, "the policy file of the data's owner"]


def serve(
    policy: Annotated[Path | None, "the policy file; a made-up hospital if left out"] = None,
    host: Annotated[str, "the address to listen on"] = _LOOPBACK[0],
    port: Annotated[int, "the port; 0 for any that is free"] = _PORT,
    data_folder: Annotated[Path, "where the hospital and its ledger are put"] = Path("hospital"),
    account: Annotated[
        str | None, "the account whose budget the one-time token spends; else the first analyst"
    ] = None,
    allow_host: Annotated[list[str] | None, "another name by which the service is called"] = None,
    pace: Annotated[float, "answer releases only at multiples of this many seconds"] = 0.1,
    memory: Annotated[float, "GB that each process that makes releases may have, on Linux"] = 4.0,
    *,
    json_: bool = False,
) -> None:
    """Start the web page and service on this machine, and print its address and token.

    Mathematics is open to whoever can reach the address; releases need a token. A lasting one:
    twoworlds account add NAME --role analyst --policy FILE. Ctrl-C stops it, after the releases
    that run; SIGHUP reads the policy again. The log, a line of JSON for each request, goes to
    standard error.
    """
    from twoworlds.web.server import serve as start

    if not 0 <= port < 1 << 16:
        raise InvalidInput(f"--port {port}: a port is a number from 0 to 65535")
    if not 0 <= pace <= 10:
        raise InvalidInput(f"--pace {pace}: give seconds, from 0 to 10")
    if not 0.5 <= memory <= 1 << 20:
        raise InvalidInput(f"--memory {memory}: give GB, at least 0.5")
    if policy is None:
        from twoworlds.release.examples import lay_out

        lay_out(data_folder)
        policy = data_folder / "policy.yml"

    def ready(started: Mapping[str, str]) -> None:
        _say(started, policy, host, as_json=json_)

    start(
        policy,
        host=host,
        port=port,
        account=account,
        allowed=allow_host or [],
        ready=ready,
        pace=pace,
        memory=int(memory * (1 << 30)),
    )


def _say(started: Mapping[str, str], policy: Path, host: str, *, as_json: bool) -> None:
    out = console()
    if as_json:
        said = {**started, "policy": str(policy)}
        out.out(json.dumps(said, indent=2, ensure_ascii=False), highlight=False)
    else:
        out.print(f"twoworlds serves {policy} at", soft_wrap=True)
        out.print(f"  {started['link']}", soft_wrap=True, highlight=False)
        out.print(
            f"The token acts as {started['account']} (curator) until the service stops: Ctrl-C. "
            f"Lasting ones: twoworlds account add NAME --role analyst --policy {policy}"
        )
        if host not in _LOOPBACK:
            out.print(
                "Tokens travel unencrypted: put a server that speaks HTTPS in front of it, and "
                "name it with --allow-host."
            )
    out.file.flush()


def account_add(
    name: Annotated[str, "the name; an analyst's as in the policy"],
    role: Annotated[str, Name("curator, analyst or reviewer")],
    policy: Policy = Path("policy.yml"),
) -> Result:
    """Add an account and print its token once: only a hash is kept."""
    accounts, read = _accounts(policy)
    token = accounts.add(name, role)
    named = {analyst for dataset in read.datasets.values() for analyst in dataset.analysts}
    unknown = role == "analyst" and bool(named) and name not in named
    said = Answer(
        f"The token of {name} ({role}) is shown this once.",
        blocks=[Facts([("token", token)])],
        notes=[f"the policy gives {name} no budget yet: add it under analysts: there"]
        if unknown
        else [],
    )
    return Told(said, {"name": name, "role": role, "token": token, "budget": not unknown})


def account_list(policy: Policy = Path("policy.yml")) -> Result:
    """List the accounts; tokens are known to their owners alone."""
    listed = _accounts(policy)[0].listed()
    data = {"accounts": [{**one.to_dict(), "created": one.created} for one in listed]}
    if not listed:
        nobody = "There are no accounts: twoworlds account add NAME --role analyst"
        return Told(Answer(nobody), data)
    rows = [[one.name, one.role, one.created or ""] for one in listed]
    count = f"{len(rows)} account{'' if len(rows) == 1 else 's'} may use the service."
    return Told(Answer(count, blocks=[Table(["name", "role", "since"], rows)]), data)


def account_remove(
    name: Annotated[str, "whose account it is"], policy: Policy = Path("policy.yml")
) -> Result:
    """Remove an account: its token stops working at once."""
    _accounts(policy)[0].remove(name)
    return Told(Answer(f"The account of {name} is removed."), {"removed": name})


def _accounts(policy: Path) -> tuple[Accounts, ReadPolicy]:
    read = read_policy(policy)
    return Accounts(accounts_place(read)), read
