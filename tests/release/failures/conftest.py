"""Noise that a test knows: none at all, or whatever it says; a release itself takes no seed."""

import pytest

from twoworlds.release.noise import Sampler, choice


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
