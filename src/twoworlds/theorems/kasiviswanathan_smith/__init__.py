"""The theorems of Kasiviswanathan & Smith, On the "Semantics" of Differential Privacy."""

__all__: list[str] = []
