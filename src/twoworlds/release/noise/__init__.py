"""Exact noise for releases, many values at a time.

`Sampler.of(noise)` draws from a law of `twoworlds.laws.noise`, and the law of what it draws
is exactly the stated one: nothing is rounded, cut off or approximated on the way.

* Bits come from AES-256 in counter mode, keyed by the operating system (`SystemBits`). A release
  takes no seed.
* Narrow laws are inverted by a table of 64-bit words, with further bits where 64 do not decide.
* Wide geometric noise is put together from digits, and wide Gaussian noise is drawn by rejection
  from it. These two are the laws that releases use; no other is drawn.
* `choose` draws one of many candidates by its score: the exponential mechanism.
* Values are Python's whole numbers, of any size.

Timing. A search takes the same steps for every word, without a branch on the word: the time of a
draw depends on the number of values. What remains:

* which entry of a table is read depends on the value, so that a program on the same machine that
  watches the processor's cache could learn about it;
* a tie, with a probability below 2^-50 for each word, takes milliseconds;
* wide Gaussian noise tries again now and then. How often is independent of the values that are
  kept. Less than one value in 2^25 is decided by exact arithmetic, which takes some 0.1
  milliseconds.

None of this depends on data: noise is drawn before it meets an answer. A choice does meet data, its
scores; what its time tells is said in `twoworlds.release.noise.choice`.
"""

from __future__ import annotations

from twoworlds.release.noise.bits import SystemBits
from twoworlds.release.noise.choice import choose
from twoworlds.release.noise.sampler import Sampler

__all__ = [
    "Sampler",
    "SystemBits",
    "choose",
]
