"""The release engine: queries, noise, the ledger."""

__all__: list[str] = []
