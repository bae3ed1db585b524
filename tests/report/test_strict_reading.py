"""Certificates are read strictly: whatever changes a type, a field or a number is refused.

One valid certificate of every kind is changed at every place, and none of the changed ones may
hold. A certificate of a release gets a digest that fits each time, as a forger would write it.
"""

import json
import subprocess
import sys
from copy import deepcopy
from types import NoneType

import pytest

from tests.cli.calling import call
from tests.cones.test_certificates import PROOFS
from twoworlds.cones import design, row_cone
from twoworlds.cones.certificates import CHECKS
from twoworlds.definitions.coupled.optimal import optimal
from twoworlds.definitions.coupled.scene import scene
from twoworlds.errors import InvalidInput, TwoWorldsError, Undecided
from twoworlds.release import Curator
from twoworlds.release.certificate import certify, check_certificate
from twoworlds.release.examples import lay_out
from twoworlds.release.ledger.entries import canonical, digest
from twoworlds.release.local.randomizer import Randomizer
from twoworlds.release.local.release import LocalCertificate, certificate_path
from twoworlds.release.local.release import read_certificate as read_local
from twoworlds.report.review.certificates import holds, read_certificate, time_limit
from twoworlds.worlds.belief import uniform
from twoworlds.worlds.joint import BeliefClass, Joint
from twoworlds.worlds.records import BitStrings
from twoworlds.worlds.scrubbing import persons

ONE = [[1, 0], [0, 1]]
DESCRIPTIONS = {"claim", "columns", "entry", "private", "whose", "side", "outputs", "inputs"}
HALF = [["1/2", "1/2"], ["1/2", "1/2"]]


def of_a_simulator():
    fair = BeliefClass((Joint.of(uniform(BitStrings(2))),), "the bits are fair coins")
    found = optimal(scene(sum, fair, persons(2)), "3/2").to_dict()["certificate"]
    return {"kind": "optimal-simulator", **found}


def of_cones():
    """A certificate of every kind that plain arithmetic checks."""
    found = {kind: {"kind": kind, **fields} for kind, fields in PROOFS.items()}
    found["post-processing"] = {
        "kind": "post-processing",
        "matrix": HALF,
        "bases": [{"transition": ONE, "records": 1}, ONE],
        "weights": ["1/3", "2/3"],
        "maps": [HALF, HALF],
        "claim": "a coin is made of anything",
    }
    found["not-post-processing"] = {
        "kind": "not-post-processing",
        "matrix": ONE,
        "bases": [HALF],
        "functional": ONE,
        "entry": {"output": "1", "base output": "0", "value": -1},
    }
    found["largest-odds"] = {
        "kind": "largest-odds",
        "row": [3, 1],
        "first": [1, 0],
        "second": [0, 1],
        "odds": 3,
        "generators": [[3, 1], [1, 3]],
    }
    found["largest-parity-odds"] = {
        "kind": "largest-parity-odds",
        "transition": [["3/4", "1/4"], ["1/4", "3/4"]],
        "laws": [["1/2", "1/2"]],
        "signs": [[1, -1]],
        "places": [0],
        "odds": 3,
    }
    for kind, loss in (("least-loss", "zero-one"), ("least-squared-loss", "squared")):
        least = design(row_cone("dp(ratio=2)", "bits(1)"), loss, statistic="count")
        found[kind] = json.loads(json.dumps(least.certificate.to_dict()))
    found["optimal-simulator"] = of_a_simulator()
    found["all"] = {"kind": "all", "claim": "two", "parts": [found["member"], found["violates"]]}
    return found


CONES = of_cones()


def places(data, path=()):
    """Every place in plain data, from the outside to the inside."""
    yield path
    if isinstance(data, (dict, list)):
        for name, part in data.items() if isinstance(data, dict) else enumerate(data):
            yield from places(part, (*path, name))


def at(data, path):
    for step in path:
        data = data[step]
    return data


def put(data, path, value):
    if not path:
        return value
    found = deepcopy(data)
    at(found, path[:-1])[path[-1]] = value
    return found


def values_of_another_type(value):
    """What Python, or a careless reader, would take for the same, or for nothing."""
    if isinstance(value, (dict, list)):
        yield from (None, [value], json.dumps(value), True)
    elif isinstance(value, str):
        yield from (None, [value], {"text": value}, True, f" {value}", f"{value}\0")
        if value.lstrip("-").isdecimal():
            yield from (int(value), float(value), f"{value}/1", f"0{value}", f"{value}.0")
        elif "/" in value and all(part.lstrip("-").isdecimal() for part in value.split("/")):
            top, bottom = map(int, value.split("/"))
            yield from (top / bottom, f"{2 * top}/{2 * bottom}", f"+{value}")
    else:
        number = 0 if value is None else int(value)
        yield from (None, True, False, number, float(number), str(number), number + 0.0000001)
        yield from (str(value).lower(), [value], f"{number}/1")


def mutations(data):
    """Other data, each with the place where it differs, such that it must not be accepted."""
    for path in places(data):
        value = at(data, path)
        described = bool(DESCRIPTIONS & {*path})
        for other in values_of_another_type(value):
            same = json.dumps(other) == json.dumps(value)
            if not same and not (described and isinstance(value, str) and isinstance(other, str)):
                yield path, put(data, path, other)
        if isinstance(value, dict):
            yield (*path, "extra"), put(data, path, {**value, "extra": 1})
            for name in value.keys() - {"claim", "columns", "entry"}:
                without = {key: part for key, part in value.items() if key != name}
                yield (*path, name), put(data, path, without)
        if isinstance(value, list) and not described:
            yield path, put(data, path, [*value, *value[-1:], 1])


def accepted(data, folder, *, text=None):
    """Whether `verify` would say that it holds; what it refuses it must refuse in words."""
    file = folder / "certificate.json"
    file.write_text(json.dumps(data) if text is None else text)
    try:
        saved = read_certificate(file)
        return check_certificate(saved.data).holds if saved.of_release else holds(saved)
    except TwoWorldsError:
        return False


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", sorted({*CHECKS, "all"}))
def test_no_mutation_of_a_certificate_holds(kind, tmp_path):
    data = CONES[kind]
    assert accepted(data, tmp_path)
    for path, other in mutations(data):
        assert not accepted(other, tmp_path), (path, other)
    for path in places(data):  # another order may be another true statement: no error, then
        if isinstance(at(data, path), list):
            accepted(put(data, path, at(data, path)[::-1]), tmp_path)


def signed(data):
    body = {name: value for name, value in data.items() if name != "digest"}
    return {**body, "digest": digest(canonical(body))}


@pytest.fixture
def released(tmp_path):
    hospital = tmp_path / "hospital"
    lay_out(hospital)
    asked = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
    with Curator.open(hospital / "policy.yml") as curator:
        found = certify(curator.release_all([asked], "1", analyst="ann"))
    return json.loads(json.dumps(found))


@pytest.mark.parametrize("every", [31, pytest.param(1, marks=pytest.mark.slow)])
def test_no_mutation_of_a_release_holds_though_the_digest_fits(released, tmp_path, every):
    assert accepted(released, tmp_path)
    lists = (path for path in places(released) if isinstance(at(released, path), list))
    swapped = ((path, put(released, path, at(released, path)[::-1])) for path in lists)
    turned = [(path, other) for path, other in swapped if other != released]
    for path, other in (*mutations(released), *turned)[::every]:
        if path not in ((), ("digest",)) and isinstance(other, dict):
            other = signed(other)
        if not is_another_statement(path, other):
            assert not accepted(other, tmp_path), path


def is_another_statement(path, other):
    """Whether it may be true of another policy or charge, which only the ledger can tell."""
    if path[:2] in (("statement", "dataset"), ("statement", "source")):
        try:
            return isinstance(at(other, path), (str, NoneType))
        except (KeyError, TypeError):
            return False
    return path == ("charge", "entry") and type(other["charge"].get("entry")) is int


def test_no_mutation_of_a_local_certificate_is_read(tmp_path):
    made = Randomizer.of("randomized-response(keep=3/4)", values=["yes", "no"])
    data = json.loads(LocalCertificate(made, "answer", 100, ("city",)).text())
    beside = certificate_path(tmp_path / "reports.csv")
    beside.write_text(json.dumps(data))
    assert read_local(tmp_path / "reports.csv").records == 100
    for path, other in mutations(data):
        beside.write_text(json.dumps(other))
        try:
            found = read_local(tmp_path / "reports.csv")
        except InvalidInput:
            continue
        # another name, another order of values: another certificate, told as such
        assert json.loads(found.text()) == other, path
        assert found.text() != json.dumps(data, indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("kind", ["member", "all", "optimal-simulator"])
def test_a_text_that_readers_would_take_for_different_things_is_refused(kind, tmp_path):
    text = json.dumps(CONES[kind])
    again = f', "kind": "{kind}"}}'
    assert accepted(None, tmp_path, text=text)
    for other in (
        text[:-1] + again,
        text.replace('"kind"', '"kind": "violates", "kind"', 1),
        text[:-1] + ', "claim": NaN}',
        text[:-1] + ', "claim": -Infinity}',
        text[:-1] + ', "claim": ' + "[" * 300 + "]" * 300 + "}",
        text + text,
        text + " ]",
        "\ufeff" + text,
    ):
        assert not accepted(None, tmp_path, text=other), other[-60:]


def test_a_large_file_is_refused_before_it_is_read(tmp_path, capsys):
    file = tmp_path / "large.json"
    file.write_bytes(b"[" + b" " * (64 << 20) + b"]")
    code, _, told = call(capsys, "verify", str(file))
    assert code == 2
    assert "larger than 64 MB" in told


def test_a_check_that_takes_too_long_is_stopped(tmp_path):
    """A sum of 20,000 fractions, whose denominators have no factor in common, takes hours."""
    terms = [f"1/{10**40 + 2 * i + 1}" for i in range(20_000)]
    file = tmp_path / "slow.json"
    file.write_text(json.dumps({"kind": "violates", "vector": terms, "inequality": terms}))
    program = (
        "import sys; from twoworlds.cli import main; "
        "from twoworlds.report.review import certificates; "
        "certificates._SECONDS = 0.5; sys.exit(main(sys.argv[1:]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, "verify", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert "nothing is decided" in ran.stderr


def test_an_alarm_that_a_finalizer_swallows_rings_again(monkeypatch):
    class Endless:
        def __del__(self):
            while True:
                pass

    @time_limit(0.01)
    def check_without_end():
        Endless()
        while True:
            pass

    swallowed = []
    monkeypatch.setattr(sys, "unraisablehook", swallowed.append)
    with pytest.raises(Undecided):
        check_without_end()
    assert len(swallowed) == 1


def test_a_small_certificate_cannot_ask_for_a_huge_table(tmp_path):
    wide = {"transition": [[1, 1]], "records": 64}
    data = {**CONES["post-processing"], "matrix": [[1]], "maps": [[[1]]], "weights": [1]}
    with pytest.raises(InvalidInput, match="fewer records"):
        holds(read_certificate(saved(tmp_path, {**data, "bases": [wide]})))


def saved(folder, data):
    file = folder / "certificate.json"
    file.write_text(json.dumps(data))
    return file
