"""Coupled worlds: the release against a simulator that sees the scrubbed database only."""
