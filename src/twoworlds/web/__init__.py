"""The service: the public API over HTTP, with accounts, the durable ledger and the page.

`twoworlds serve` starts it. Mathematics is open to everybody who can reach the address; releases
need a token. FastAPI is loaded only when an application is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twoworlds.late import names_of

if TYPE_CHECKING:
    from twoworlds.web.accounts import Account, Accounts, accounts_place
    from twoworlds.web.app import create_app
    from twoworlds.web.server import serve

__all__ = ["Account", "Accounts", "accounts_place", "create_app", "serve"]

# Where each name is found when it is first used; the imports above tell type checkers the same.
_PLACES = {
    "accounts": ("Account", "Accounts", "accounts_place"),
    "app": ("create_app",),
    "server": ("serve",),
}

__getattr__, __dir__ = names_of(__name__, _PLACES)
