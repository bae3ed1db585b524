import duckdb

from twoworlds.release.examples import FILES, lay_out, rows_of_people, rows_of_visits
from twoworlds.release.policy import read_policy


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
