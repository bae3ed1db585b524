"""What comes after the engine is made ready while the engine runs.

To load what draws noise and to compute its tables takes about a tenth of a second, and depends on
the calibration alone. The engine needs no interpreter while it reads the rows, so both go on at the
same time. The engine stays in the thread that asked: some connections are of use in no other. Where
all of it was made ready before, there is nothing to do at the same time, and no thread is started.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING

from twoworlds.late import without_collecting

if TYPE_CHECKING:
    from twoworlds.laws.noise import Noise
    from twoworlds.release.sensitivity import Calibration

__all__ = ["preparing"]


@contextmanager
def preparing(calibration: Calibration) -> Iterator[None]:
    """Make samplers and answers ready in another thread, and wait for it at the end."""
    laws = [noise.law for query in calibration.noises for noise in query if noise.law is not None]
    if _ready.issuperset(laws):
        _prepare(laws)
        yield
        return
    helper = Thread(target=_prepare, args=(laws,), name="twoworlds: noise")
    helper.start()
    try:
        yield
    finally:
        helper.join()


def _prepare(laws: Sequence[Noise]) -> None:
    with suppress(Exception):  # whoever draws meets the same, where it can be answered
        with without_collecting():
            for name in ("noise.bits", "noise.sampler", "answers.draw", "answers.answer"):
                import_module(f"twoworlds.release.{name}")
        from twoworlds.release.noise import Sampler

        for law in laws:
            Sampler.of(law)
        if len(_ready) > _MANY:
            _ready.clear()
        _ready.update(laws)


_MANY = 1024
_ready: set[Noise] = set()  # laws that were made ready; the last of them are still kept
