"""What inequalities say about attackers: statements, odds, parity."""
