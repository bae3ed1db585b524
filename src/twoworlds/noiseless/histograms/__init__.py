"""Truncated histograms of random samples: laws of sizes, bins, and tables."""
