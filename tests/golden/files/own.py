"""Mechanisms and statistics of one's own, as users give them."""


def leaky(database, rng):
    """Tell the truth nine times in ten, and claim much less."""
    return int(sum(database) if rng.random() < 0.9 else 0)


def second_largest(records):
    """A statistic that is nowhere listed."""
    return sorted(records)[-2]
