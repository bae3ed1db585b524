"""Engines that hold the data: DuckDB, any DB-API connection, Spark."""

from __future__ import annotations

from twoworlds.release.backends.base import Backend, Field
from twoworlds.release.backends.sources import open_backend

__all__ = ["Backend", "Field", "open_backend"]
