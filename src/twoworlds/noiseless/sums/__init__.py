"""The exact total: laws of entries, their sum, and what the attacker must not know."""
