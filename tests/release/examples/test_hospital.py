import random
from collections.abc import Iterator

import duckdb

from twoworlds.release.examples import FILES, PEOPLE, lay_out
from twoworlds.release.policy import read_policy

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


def test_the_bundled_files_are_what_the_seed_gives(tmp_path):
    lay_out(tmp_path)
    for name, rows in (("people", rows_of_people()), ("visits", rows_of_visits())):
        found = duckdb.sql(f"FROM '{tmp_path / name}.parquet'").fetchall()
        assert sorted(found, key=repr) == sorted(rows, key=repr)


def test_the_policy_of_the_example_is_valid(tmp_path):
    assert {place.name for place in lay_out(tmp_path)} == set(FILES)
    assert set(read_policy(tmp_path / "policy.yml").datasets) == {"people", "visits"}


def test_files_that_are_there_are_kept(tmp_path):
    (tmp_path / "policy.yml").write_text("mine")
    assert {place.name for place in lay_out(tmp_path)} == set(FILES) - {"policy.yml"}
    assert (tmp_path / "policy.yml").read_text() == "mine"
