"""Row cones of integer noise on all whole numbers, by the inverse of its convolution.

laws               a noise and its inverse; zeros of transforms, decided exactly  Section 5.3.3
rational           rational generating functions, with exact terms or rigorous tails
noise_cone         the inequalities, and membership of bounded rows      Theorems 5.15, 5.16
noise_statements   in words; telescoping derives differential privacy         Section 5.3.1
quotient           is one noise the other with more noise added?                Theorem 5.1
integers           what is asked about finitely many true answers
"""

__all__: list[str] = []
