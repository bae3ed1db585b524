"""Coupled worlds: the release against a simulator that sees the scrubbed database only.

After Bassily, Groce, Katz & Smith, *Coupled-Worlds Privacy*:

    scene                 the two worlds as tables; who answers in the ideal one  Section II-C
    coupled_worlds        coupled worlds, DDP, and their inference-based forms    Definitions 2 to 5
    pufferfish            noiseless privacy; Pufferfish and its inference form    Definitions 6 to 8
    original              noiseless privacy as first defined
    optimal, smallest     the best simulator, and the proof that it is
    inference_optimal     the same for what is inferred; mixing: under all mixtures of beliefs
    operations            what keeps a guarantee                                  Theorems 3 to 6

How they are computed: measures and best (the two questions asked of a scene), posteriors (what is
concluded from an output), witness (what proves the answers), words (what they mean, and what breaks
them).
"""

from __future__ import annotations

from twoworlds.definitions.coupled.coupled_worlds import (
    CoupledWorlds,
    DistributionalPrivacy,
    InferenceCoupledWorlds,
    InferenceDistributionalPrivacy,
)
from twoworlds.definitions.coupled.operations import Coupled, compose, mixtures, post_process
from twoworlds.definitions.coupled.pufferfish import (
    InferencePufferfish,
    NoiselessPrivacy,
    OriginalNoiselessPrivacy,
    Pufferfish,
)
from twoworlds.definitions.coupled.scene import Release, Simulator

__all__ = [
    "Coupled",
    "CoupledWorlds",
    "DistributionalPrivacy",
    "InferenceCoupledWorlds",
    "InferenceDistributionalPrivacy",
    "InferencePufferfish",
    "NoiselessPrivacy",
    "OriginalNoiselessPrivacy",
    "Pufferfish",
    "Release",
    "Simulator",
    "compose",
    "mixtures",
    "post_process",
]
