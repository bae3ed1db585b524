"""Exact arithmetic under the cones: vectors, double description, combinations, linear algebra."""

__all__: list[str] = []
