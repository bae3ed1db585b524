"""The jobs of a worker of mathematics, by name; loading this loads all that they need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twoworlds.web.catalogue import catalogue
from twoworlds.web.gallery import attack
from twoworlds.web.guarantees import guarantees
from twoworlds.web.mathematics import mechanism, posterior, simulators
from twoworlds.web.sweeps import noiseless

__all__ = ["JOBS"]

JOBS: dict[str, Callable[..., Any]] = {
    "attack": attack,
    "catalogue": catalogue,
    "guarantees": guarantees,
    "mechanism": mechanism,
    "noiseless": noiseless,
    "posterior": posterior,
    "simulators": simulators,
}
