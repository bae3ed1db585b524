"""The service: the public API over HTTP, with accounts, the durable ledger and the page.

`twoworlds serve` starts it; `twoworlds.web.app.create_app` makes the application, and
`twoworlds.web.accounts.Accounts` says who may use it. Mathematics is open to everybody who can
reach the address; releases need a token.
"""

__all__: list[str] = []
