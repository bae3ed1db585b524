"""Exact arithmetic under the cones.

vectors              integer vectors, and their linear algebra
double_description   from inequalities to rays and back; vectors as combinations of few others
ratios               cones of bounded ratios, as that of differential privacy; symmetries of records
"""

__all__: list[str] = []
