"""What comes after the engine is made ready while the engine runs.

To load what draws noise and to compute its tables takes about a tenth of a second, and depends on
the calibration alone. The engine needs no interpreter while it reads the rows, so both go on at the
same time. The engine stays in the thread that asked: some connections are of use in no other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING

from twoworlds.late import without_collecting

if TYPE_CHECKING:
    from twoworlds.release.sensitivity import Calibration

__all__ = ["preparing"]


@contextmanager
def preparing(calibration: Calibration) -> Iterator[None]:
    """Make samplers and answers ready in another thread, and wait for it at the end."""
    helper = Thread(target=_prepare, args=(calibration,), name="twoworlds: noise")
    helper.start()
    try:
        yield
    finally:
        helper.join()


def _prepare(calibration: Calibration) -> None:
    with suppress(Exception):  # whoever draws meets the same, where it can be answered
        with without_collecting():
            for name in ("noise.bits", "noise.sampler", "answers.draw", "answers.answer"):
                import_module(f"twoworlds.release.{name}")
        from twoworlds.release.noise import Sampler

        for query in calibration.noises:
            for noise in query:
                if noise.law is not None:
                    Sampler.of(noise.law)
