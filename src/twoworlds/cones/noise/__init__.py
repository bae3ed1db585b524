"""Row cones of integer noise on all whole numbers, by the inverse of its convolution.

laws           what is known of a noise: its probabilities and its transform
circle         does the transform vanish on the unit circle? exactly        Wiener's lemma
convolution    summable sequences with rigorous tails; closed_forms, rational and recipe give
               the inverse of a law                                         Section 5.3.3
cone           the inequalities, and membership of bounded rows             Theorems 5.15, 5.16
statements     in words; telescoping derives differential privacy           Section 5.3.1
quotient       is one noise another one plus independent noise?
cyclic         noise modulo m
"""

from twoworlds.cones.noise.cone import NoiseCone, NoiseMembership, noise_cone
from twoworlds.cones.noise.cyclic import CyclicNoise, cyclic_noise
from twoworlds.cones.noise.quotient import NoiseQuotient, noise_quotient
from twoworlds.cones.noise.statements import NoiseStatement, noise_statements
from twoworlds.cones.noise.telescoping import Telescoping, telescoping

__all__ = [
    "CyclicNoise",
    "NoiseCone",
    "NoiseMembership",
    "NoiseQuotient",
    "NoiseStatement",
    "Telescoping",
    "cyclic_noise",
    "noise_cone",
    "noise_quotient",
    "noise_statements",
    "telescoping",
]
