"""Noise that a test knows: none at all, or whatever it says; a release itself takes no seed."""

import shutil
import tempfile
from pathlib import Path

import pytest

from twoworlds.release.noise import Sampler, choice

MEMORY = Path("/dev/shm")  # kill -9 does not harm it, and syncing it takes no time


@pytest.fixture
def tmp_path():
    """A folder in memory, where there is one: the ledger syncs every entry."""
    place = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
    yield place
    shutil.rmtree(place)


@pytest.fixture
def scripted(monkeypatch):
    """A function that sets what is drawn: ``(law, size) -> list of whole numbers``.

    Quantiles get the value of the highest score, and the lowest of these.
    """

    def script(draw):
        monkeypatch.setattr(
            Sampler, "draw_integers", lambda self, size, source: draw(self.noise, size)
        )
        monkeypatch.setattr(choice, "choose", lambda scores, rate, source: _best(scores))

    return script


def _best(scores):
    return max(range(len(scores)), key=lambda i: (scores[i], -i))


@pytest.fixture
def noiseless(scripted):
    """All noise is 0, so that answers are the true totals; the rest is as in a release."""
    scripted(lambda law, size: [0] * size)


@pytest.fixture
def drawn(scripted):
    """The list of all (law, size) that were drawn; the noise is 0."""
    found = []

    def draw(law, size):
        found.append((law, size))
        return [0] * size

    scripted(draw)
    return found
