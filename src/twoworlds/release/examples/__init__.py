"""A made-up hospital to try releases on: no real person is in it.

`people` has 6,000 patients (region, age, condition, income), `visits` their visits, and `regions`
is a public table. The files beside this module were made by `rows_of_people` and `rows_of_visits`
from a fixed seed; a test makes them again.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from twoworlds.errors import InvalidInput
from twoworlds.files import make_folder, write

__all__ = ["FILES", "PEOPLE", "lay_out", "rows_of_people", "rows_of_visits"]

FILES = ("people.parquet", "visits.parquet", "regions.parquet", "policy.yml")
PEOPLE = 6000
SEED = 20061
_REGIONS = {"north": 26, "south": 22, "east": 17, "west": 14, "coast": 11, "hills": 7, "islands": 3}
_CONDITIONS = {
    "none": 46,
    "asthma": 14,
    "diabetes": 13,
    "heart": 12,
    "cancer": 8,
    "depression": 7,
}
_WARDS = ("emergency", "day clinic", "surgery", "maternity")


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


def rows_of_people() -> Iterator[tuple[int, str, int, str, int | None]]:
    """Yield (patient, region, age, condition, income); one income in fifty is missing."""
    draw = random.Random(SEED)
    for patient in range(1, PEOPLE + 1):
        region = draw.choices([*_REGIONS], [*_REGIONS.values()])[0]
        age = min(104, max(0, round(draw.triangular(0, 104, 52))))
        condition = draw.choices([*_CONDITIONS], [*_CONDITIONS.values()])[0]
        income = round(draw.lognormvariate(10.2, 0.55)) if age >= 16 else 0
        yield patient, region, age, condition, None if draw.random() < 0.02 else income


def rows_of_visits() -> Iterator[tuple[int, str, int, float]]:
    """Yield (patient, ward, month, cost): none to a dozen visits for each patient."""
    draw = random.Random(SEED + 1)
    for patient in range(1, PEOPLE + 1):
        for _ in range(min(12, int(draw.expovariate(0.6)))):
            ward = draw.choices(_WARDS, (45, 35, 14, 6))[0]
            yield patient, ward, draw.randint(1, 12), round(draw.lognormvariate(5.6, 0.9), 2)
