"""``twoworlds serve`` and ``account``: the service with its page, and who may use it.

The service stands beside the command line, not below it, so it is loaded by its name, and only by
these commands.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from twoworlds.cli.app import Json, app
from twoworlds.cli.render import console, print_json, print_table
from twoworlds.errors import InvalidInput

__all__ = ["account_app", "serve"]

account_app = typer.Typer(
    help="Say who may use the service: add, list and remove accounts.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"max_content_width": 120},
)
app.add_typer(account_app, name="account")

_PORT = 8642
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
Policy = Annotated[
    Path, typer.Option("--policy", metavar="FILE", help="the policy file of the data's owner")
]


@app.command()
def serve(
    policy: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="the policy file; a made-up hospital if left out"),
    ] = None,
    host: Annotated[str, typer.Option(help="the address to listen on")] = _LOOPBACK[0],
    port: Annotated[int, typer.Option(help="the port; 0 for any that is free")] = _PORT,
    data_folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="where the hospital and its ledger are put")
    ] = Path("hospital"),
    account: Annotated[
        str | None,
        typer.Option(help="whose budget the one-time token spends; the first analyst if left out"),
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="another name by which the service is called")
    ] = None,
    pace: Annotated[
        float, typer.Option(help="releases are answered at multiples of so many seconds")
    ] = 0.1,
    memory: Annotated[
        float, typer.Option(help="GB that each process that makes releases may have, on Linux")
    ] = 4.0,
    json_: Json = False,
) -> None:
    """Start the service and its page on this machine, and print where, with a one-time token.

    Mathematics is open to whoever can reach the address; releases need a token. A lasting one:
    twoworlds account add NAME --role analyst --policy FILE. Ctrl-C stops it, after the releases
    that run; SIGHUP reads the policy again. The log, a line of JSON for each request, goes to
    standard error.
    """
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

    def ready(started: Any) -> None:
        _say(started, policy, host, as_json=json_)

    _web("server").serve(
        policy,
        host=host,
        port=port,
        account=account,
        allowed=allow_host or [],
        ready=ready,
        pace=pace,
        memory=int(memory * (1 << 30)),
    )


def _say(started: Any, policy: Path, host: str, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "address": started.address,
                "link": started.link,
                "account": started.name,
                "token": started.token,
                "policy": str(policy),
            }
        )
    else:
        out = console()
        out.print(f"twoworlds serves {policy} at", soft_wrap=True)
        out.print(f"  {started.link}", soft_wrap=True, highlight=False)
        out.print(
            f"The token acts as {started.name} (curator) until the service stops: Ctrl-C. "
            f"Lasting ones: twoworlds account add NAME --role analyst --policy {policy}"
        )
        if host not in _LOOPBACK:
            out.print(
                "Tokens travel unencrypted: put a server that speaks HTTPS in front of it, and "
                "name it with --allow-host."
            )
    console().file.flush()


@account_app.command("add")
def add_account(
    name: Annotated[str, typer.Argument(help="of an analyst: as the policy has it")],
    role: Annotated[str, typer.Option(help="curator, analyst or reviewer")],
    policy: Policy = Path("policy.yml"),
    json_: Json = False,
) -> None:
    """Add an account and print its token, once: only a hash of it is kept."""
    accounts, read = _accounts(policy)
    token = accounts.add(name, role)
    named = {analyst for dataset in read.datasets.values() for analyst in dataset.analysts}
    unknown = role == "analyst" and bool(named) and name not in named
    if json_:
        print_json({"name": name, "role": role, "token": token, "budget": not unknown})
        return
    out = console()
    out.print(f"The token of {name} ({role}); it is shown this once:", soft_wrap=True)
    out.print(f"  {token}", soft_wrap=True, highlight=False)
    if unknown:
        out.print(f"The policy gives {name} no budget yet: add it under analysts: there.")


@account_app.command("list")
def list_accounts(policy: Policy = Path("policy.yml"), json_: Json = False) -> None:
    """List the accounts, without their tokens, which nobody has but their owners."""
    accounts, _ = _accounts(policy)
    listed = accounts.listed()
    if json_:
        print_json([{**one.to_dict(), "created": one.created} for one in listed])
    elif listed:
        rows = [[one.name, one.role, one.created or ""] for one in listed]
        print_table(["name", "role", "since"], rows)
    else:
        console().print("There are no accounts: twoworlds account add NAME --role analyst")


@account_app.command("remove")
def remove_account(
    name: Annotated[str, typer.Argument(help="whose account it is")],
    policy: Policy = Path("policy.yml"),
    json_: Json = False,
) -> None:
    """Remove an account: its token is refused from now on, by a running service too."""
    accounts, _ = _accounts(policy)
    accounts.remove(name)
    if json_:
        print_json({"removed": name})
    else:
        console().print(f"removed {name}")


def _accounts(policy: Path) -> tuple[Any, Any]:
    from twoworlds.release.policy import read_policy

    read = read_policy(policy)
    web = _web("accounts")
    return web.Accounts(web.accounts_place(read)), read


def _web(module: str) -> Any:
    """Return a module of the service."""
    return import_module(f"twoworlds.web.{module}")
