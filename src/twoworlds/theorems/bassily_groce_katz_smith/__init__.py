"""The theorems of Bassily, Groce, Katz & Smith, Coupled-Worlds Privacy."""

__all__: list[str] = []
