"""Row cones of integer noise on all whole numbers, by the inverse of its convolution.

laws               what is known of a noise: its probabilities, its transform, its inverse; cycles
summable           summable sequences with rigorous tails, and two closed forms   Section 5.3.3
rational           rational generating functions; zeros on the unit circle, decided exactly
noise_cone         the inequalities, and membership of bounded rows      Theorems 5.15, 5.16
noise_statements   in words; telescoping derives differential privacy         Section 5.3.1
quotient           is one noise the other with more noise added?                Theorem 5.1
integers           what is asked about finitely many true answers
"""

__all__: list[str] = []
