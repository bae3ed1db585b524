"""A made-up hospital to try releases on: no real person is in it.

`people` has 6,000 patients (region, age, condition, income), `visits` their visits, and `regions`
is a public table. A test makes the rows again, from a fixed seed.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from twoworlds.errors import InvalidInput
from twoworlds.files import make_folder, write

__all__ = ["FILES", "PEOPLE", "lay_out"]

FILES = ("people.parquet", "visits.parquet", "regions.parquet", "policy.yml")
PEOPLE = 6000


def lay_out(folder: Path) -> list[Path]:
    """Copy the files of the example into a folder; files that are there already are kept."""
    try:
        make_folder(folder)
    except OSError as error:
        raise InvalidInput(f"{folder} cannot be made: {error.strerror}") from error
    source = files(__name__) / "hospital"
    made = []
    for name in FILES:
        place = folder / name
        if not place.exists():
            write(place, (source / name).read_bytes())
            made.append(place)
    return made
