"""Truncated histograms of random samples: laws of sizes, bins, and tables."""

__all__: list[str] = []
