"""Answers that seldom hang on one entry: the likeliest law, and stable functions."""
