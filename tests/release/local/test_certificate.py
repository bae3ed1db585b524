"""Certificates, and estimates from files with and without one."""

import json

import duckdb
import numpy as np
import pytest

from tests.release.local.samples import COIN, written
from twoworlds.errors import InvalidInput
from twoworlds.release.local import (
    Randomizer,
    estimate_file,
    randomize_file,
    read_certificate,
)
from twoworlds.release.local.release import certificate_path

CHANNELS = [
    COIN,
    Randomizer.of("randomized-response(epsilon=1)", values=["a,b", 'c"d', "e'f"], missing="e'f"),
    Randomizer.of("frapp(gamma=5/2)", values="x, y, z"),
    Randomizer.of("pram([[1/2, 1/4], [1/4, 1/3], [1/4, 5/12]], outputs=[p, q, r])", values="a, b"),
]


@pytest.mark.parametrize("channel", CHANNELS)
def test_certificates_say_all_and_can_be_read_again(tmp_path, channel):
    old = written(tmp_path / "in.csv", "v,w\na,1\nb,2\n")
    new = tmp_path / "out.csv"
    made = randomize_file(old, new, "v", channel, public=["w"])
    found = read_certificate(new)
    assert found.to_dict() == made.to_dict()
    assert found.randomizer.outputs == channel.outputs
    data = json.loads(certificate_path(new).read_text(encoding="utf-8"))
    assert (data["column"], data["records"], data["order"]) == ("v", 2, "kept")
    assert "second look" in made.explain()


@pytest.mark.parametrize(
    "content",
    ["", "{}", "[]", "not json", '{"kind": "twoworlds randomized column"}', "[" * 100_000],
)
def test_rejects_a_certificate_that_is_none(tmp_path, content):
    written(tmp_path / "out.csv.certificate.json", content)
    with pytest.raises(InvalidInput, match="not a certificate"):
        read_certificate(tmp_path / "out.csv")


def test_rejects_a_certificate_whose_ratio_was_changed(tmp_path):
    old = written(tmp_path / "in.csv", "v\nyes\n")
    randomize_file(old, tmp_path / "out.csv", "v", COIN)
    beside = tmp_path / "out.csv.certificate.json"
    beside.write_text(beside.read_text().replace('"exact": "3"', '"exact": "2"'))
    with pytest.raises(InvalidInput, match="not a certificate"):
        estimate_file(tmp_path / "out.csv")


def test_estimates_of_a_file_are_those_of_its_counts(tmp_path):
    reports = written(tmp_path / "reports.csv", "v\n" + "yes\n" * 40 + "no\n" * 60)
    found = estimate_file(reports, "v", COIN)
    assert found.reports == (40, 60)
    assert found.counts == {"yes": 30, "no": 70}


def test_rejects_cells_that_are_no_reports_without_naming_them(tmp_path):
    reports = written(tmp_path / "reports.csv", "v\nyes\nsecret\n\n")
    with pytest.raises(InvalidInput, match="2 cells that are no reports") as caught:
        estimate_file(reports, "v", COIN)
    assert "secret" not in str(caught.value)


def test_rejects_what_the_certificate_contradicts(tmp_path):
    old = written(tmp_path / "in.csv", "v,w\nyes,yes\n")
    new = tmp_path / "out.csv"
    randomize_file(old, new, "v", COIN, public=["w"])
    same = Randomizer.of("frapp(gamma=3)", values="yes, no")
    assert estimate_file(new, "v", same).records == 1
    other = Randomizer.of("frapp(gamma=4)", values="yes, no")
    turned = Randomizer.of("randomized-response(keep=3/4)", values="no, yes")
    for channel in (other, turned):
        with pytest.raises(InvalidInput, match="went through"):
            estimate_file(new, "v", channel)
    with pytest.raises(InvalidInput, match="and no other"):
        estimate_file(new, "w", COIN)
    certificate_path(new).unlink()
    with pytest.raises(InvalidInput, match="no certificate beside it"):
        estimate_file(new, "v")


@pytest.mark.statistical
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_hundred_thousand_records_are_estimated_within_six_deviations(tmp_path, ending):
    """Six standard deviations of a nearly normal estimate: false alarms below 1e-8."""
    old = tmp_path / f"in.{ending}"
    query = "SELECT CASE WHEN i % 10 < 3 THEN 'yes' ELSE 'no' END AS v FROM range(100000) t(i)"
    duckdb.execute(f"COPY ({query}) TO '{old}' (FORMAT {ending})")
    randomize_file(old, tmp_path / f"out.{ending}", "v", COIN)
    one = estimate_file(tmp_path / f"out.{ending}").each[0]
    assert abs(float(one.count) - 30_000) < 6 * float(one.variance) ** 0.5
    assert np.isclose(float(one.variance), 75_000)
