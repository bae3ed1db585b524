"""Coupled worlds: the release against a simulator that sees the scrubbed database only.

After Bassily, Groce, Katz & Smith, *Coupled-Worlds Privacy*:

    scene                 the two worlds as tables; who answers in the ideal one  Section II-C
    base                  what is asked of a release and a class of beliefs
    coupled_worlds        coupled worlds, DDP, and their inference-based forms    Definitions 2 to 5
    pufferfish            noiseless privacy; Pufferfish and its inference form    Definitions 6 to 8
    original              noiseless privacy as first defined
    operations            what keeps a guarantee                                  Theorems 3 to 6

How they are answered:

    measures, posteriors  for a given simulator, or none: laws of outputs, and conclusions from them
    best                  for the best simulator, or all mixtures of beliefs (mixing)
    optimal, smallest     its least delta at a ratio, its least ratio at a delta
    inference_optimal     the same for what is inferred, output by output (_column)
    _program              the linear program: exact; of one input by _nearest; nearly, of large
                          tables, by _floats
    proof                 why no simulator does better, also as plain data that verify alone
    witness, words        what proves an answer from the beliefs, and what it means
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
