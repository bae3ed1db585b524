"""What inequalities say about attackers: statements, odds, parity."""

__all__: list[str] = []
