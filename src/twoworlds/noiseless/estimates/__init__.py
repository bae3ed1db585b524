"""Answers that seldom hang on one entry: the likeliest law, and stable functions."""

__all__: list[str] = []
