"""The release engine: queries, noise, the ledger."""
