import copy
import json

import pytest

from twoworlds.release.certificate import certify, check_certificate
from twoworlds.release.ledger import export
from twoworlds.release.ledger.entries import canonical, digest
from twoworlds.release.ledger.views import read_export, write_export

ASKED = [
    "SELECT region, COUNT(*), AVG(income) FROM people WHERE age >= 18 GROUP BY region",
    "SELECT MEDIAN(age) FROM people",
]


@pytest.fixture
def released(curator):
    return curator.release_all(ASKED, "1", analyst="ann")


def signed(data):
    """The data with a digest that fits, as a forger would write it."""
    body = {name: value for name, value in data.items() if name != "digest"}
    return {**body, "digest": digest(canonical(body))}


def at(data, path):
    for step in path:
        data = data[step]
    return data


def test_a_certificate_survives_json_and_holds(released):
    data = json.loads(json.dumps(certify(released)))
    found = check_certificate(data)
    assert found.holds
    assert len(found.done) == 6


def test_the_certificate_of_a_repeated_answer_is_the_same(curator, released):
    assert certify(curator.release_all(ASKED, "1", analyst="ann")) == certify(released)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("statement", "cost"), "epsilon=1/2"),
        (("statement", "dataset", "neighbours"), "substitute"),
        (("statement", "dataset", "unit", "rows"), 2),
        (("statement", "dataset", "columns", 1, "bounds"), ["0", "10"]),
        (("statement", "measures", 0, 0, "scale"), "1/100"),
        (("statement", "measures", 0, 0, "sensitivity"), "1/100"),
        (("statement", "noise"), "gaussian"),
        (("promise", "guarantee"), "dp(epsilon=1/100)"),
        (("promise", "theorems"), []),
        (("sensitivity", "whole"), "1/2"),
        (("answers", 0, 0, "values", 0, "value"), "7"),
        (("answers", 0, 0, "values", 0, "interval"), ["7", "7"]),
        (("answers", 0, 0, "group"), ["south"]),
        (("stored", "answers", 0, "values", 0, 0), 10**9),
        (("charge", "cost"), "epsilon=1/2"),
        (("kind",), "other"),
        (("stored",), {}),
        (("statement",), None),
        (("statement", "format"), 2),
    ],
)
def test_whatever_is_changed_is_found_though_the_digest_fits(released, path, value):
    data = copy.deepcopy(json.loads(json.dumps(certify(released))))
    assert at(data, path) != value
    at(data, path[:-1])[path[-1]] = value
    assert not check_certificate(data).holds  # the digest is of other content
    found = check_certificate(signed(data))
    if path == ("kind",):
        return  # the command line chooses the check by the kind
    assert not found.holds
    assert found.failure


@pytest.mark.parametrize("data", [None, [], {}, {"kind": "release"}, "text", 3])
def test_what_is_no_certificate_does_not_hold(data):
    assert not check_certificate(data).holds


def test_the_charge_is_found_in_an_exported_ledger(curator, released, tmp_path):
    place = tmp_path / "ledger.jsonl"
    write_export(place, export(str(curator.policy.folder / "ledger.db")))
    data = certify(released)
    assert len(check_certificate(data, ledger=place).done) == 7
    entries = read_export(place)
    forged = signed({**data, "charge": {**data["charge"], "hash": "0" * 64}})
    assert "no such charge" in check_certificate(forged, ledger=place).failure
    other = copy.deepcopy(data)
    other["statement"]["queries"][0]["where"] = None  # a true statement, but of another release
    assert check_certificate(signed(other)).holds
    assert "no such charge" in check_certificate(signed(other), ledger=place).failure
    write_export(place, entries[:-1])
    assert "another answer, or none" in check_certificate(data, ledger=place).failure
    entries[2] = {**entries[2], "hash": "0" * 64}
    write_export(place, entries)
    assert not check_certificate(data, ledger=place).holds
