"""Outputs of every type, events that can be pasted, and what refutes: the noise, or its floats."""

import json
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tests.cli.calling import call
from twoworlds.attacks import audit as auditing
from twoworlds.attacks.audit import plain
from twoworlds.attacks.audit.adapters import local
from twoworlds.attacks.audit.outputs import coarse
from twoworlds.errors import InvalidInput


def audit(subject, **asked):
    """An audit that no load of the machine cuts short."""
    return auditing.audit(subject, time_limit=3600.0, **asked)


def noisy(database, rng, scale=0.5):
    """Noise of half the scale that a claim of epsilon = 1 needs, on a grid of eighths."""
    return round(8 * (database + rng.laplace(scale=scale))) / 8


@dataclass
class Result:
    value: float
    name: str = "sum"


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


KEPT = {}


class Opaque:
    """It shows nothing of what it holds."""

    __slots__ = ()

    def __init__(self, value):
        KEPT[id(self)] = value


FORMS = {
    "tuple": lambda v: (v, "x"),
    "tuple of numbers": lambda v: (v, 1.0),
    "set": lambda v: {v},
    "frozenset of texts": lambda v: frozenset({f"{v:.1f}"}),
    "bytes": lambda v: bytes([max(0, min(255, int(8 * v) + 128))]),
    "bytearray": lambda v: bytearray([max(0, min(255, int(8 * v) + 128)), 7]),
    "fraction": Fraction,
    "array": lambda v: np.array([v, 1.0]),
    "table": lambda v: np.array([[v], [1.0]]),
    "dataclass": Result,
    "object in a list": lambda v: [Result(v), Slotted(v)],
    "slots": Slotted,
    "pandas": lambda v: pd.DataFrame({"n": [v, 2.0], "s": ["a", "b"]}),
    "series": lambda v: pd.Series([v]),
    "polars": lambda v: pl.DataFrame({"n": [v, 2.0]}),
    "error": lambda v: ValueError(v),
    "keys": lambda v: {(1, 2): v, None: 1},
    "long": lambda v: [v] * 5000,
}


QUICK = {"tuple", "bytes", "dataclass", "pandas", "keys"}


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "form",
    [pytest.param(one, marks=[] if one in QUICK else [pytest.mark.slow]) for one in FORMS],
)
def test_a_leak_in_outputs_of_any_type_is_found_and_its_event_can_be_pasted(form):
    def subject(database, rng):
        return FORMS[form](noisy(database, rng))

    found = audit(subject, epsilon=1, pairs=[(0.0, 1.0)], samples=5_000, low_bits=False)
    assert found.verdict == "refuted"
    assert found.not_looked_into == ()
    event = eval(found.finding.event.code)  # noqa: S307 (that is what the code is for)
    rng = np.random.default_rng(7)
    counts = [
        sum(bool(event(plain(subject(database, rng)))) for _ in range(200))
        for database in (found.finding.likelier, found.finding.other)
    ]
    assert counts[0] > 2 * counts[1]
    noted = any("import plain" in note for note in found.notes)
    assert noted == (form != "fraction")  # a number is plain already


def test_what_is_not_looked_into_is_said_with_the_verdict():
    found = audit(
        lambda database, rng: [1, Opaque(noisy(database, rng)), lambda: database],
        epsilon="1/2",
        pairs=[(0.0, 1.0)],
        samples=2_000,
    )
    assert not found.refuted
    assert found.not_looked_into == ("Opaque", "function")
    assert "NOT LOOKED INTO: objects of type Opaque, function" in found.sentence
    assert found.to_dict()["not_looked_into"] == ["Opaque", "function"]


# --- floating point ------------------------------------------------------------------------------

RIGHT = {  # the noise is right, and only its floats tell
    "laplace": lambda x, rng, n: x + rng.laplace(size=n),
    "difference": lambda x, rng, n: x + rng.exponential(size=n) - rng.exponential(size=n),
    "vector": lambda x, rng, n: np.stack([x + rng.laplace(size=n), np.ones(n)], axis=1),
    "negative zero": lambda x, rng, n: np.where(
        rng.random(n) < 0.5, -0.0 if x else 0.0, np.round(rng.laplace(size=n))
    ),
}


def batched(many):
    def subject(database, rng):
        return many(database, rng, 1)[0]

    subject.many = lambda database, size, rng: many(database, rng, size)
    return subject


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=[] if one == "laplace" else [pytest.mark.slow]) for one in RIGHT],
)
def test_right_noise_that_its_floats_give_away_has_a_verdict_of_its_own(name):
    found = audit(batched(RIGHT[name]), epsilon=1, pairs=[(0.0, 1.0)], samples=300_000)
    assert found.refuted
    assert found.verdict == found.to_dict()["verdict"] == "refuted by floating point"
    assert found.sentence.startswith("REFUTED by floating point, not the noise: ")
    assert found.finding.verify()
    hits, others = found.finding.rounded
    assert abs(hits - others) < 0.05 * found.finding.draws or hits <= 3 * others
    assert "Rounded to 32 significant bits" in found.finding.explain()


def test_wrong_noise_is_refuted_as_such_though_its_floats_tell_more():
    def wrong(x, rng, n):
        return x + rng.laplace(scale=0.5, size=n)

    found = audit(batched(wrong), epsilon=1, pairs=[(0.0, 1.0)], samples=300_000)
    assert found.verdict == "refuted"
    assert not found.sentence.startswith("REFUTED by floating point")


@pytest.mark.slow
def test_noise_that_is_only_a_little_wrong_is_looked_for_after_its_floats():
    def wrong(x, rng, n):
        return x + rng.laplace(scale=0.8, size=n)

    found = audit(batched(wrong), epsilon=1, pairs=[(0.0, 1.0)], samples=2_000_000)
    assert found.verdict == "refuted"


def test_values_that_are_no_binary_fractions_are_not_called_floating_point():
    """A choice among 0.1, 0.2 and 0.3 tells by which one it is, not by its low-order bits."""

    def choice(x, rng, n):
        share = 0.9 if x else 0.1
        return np.where(rng.random(n) < share, 0.1, rng.choice([0.2, 0.3], n))

    found = audit(batched(choice), epsilon=1, pairs=[(0.0, 1.0)], samples=100_000)
    assert found.verdict == "refuted"


@pytest.mark.parametrize("value", [0.1, 1.0, -2.5e300, 5e-324, 0.0, float("inf"), -float("inf")])
def test_rounding_is_the_same_for_one_float_and_for_many(value):
    one, many = coarse(value), coarse(np.array([value, value]))
    assert many.tolist() == [one, one]
    assert abs(one - value) <= abs(value) * 2**-31 or not np.isfinite(value)
    assert str(coarse(-0.0)) == "0.0"


# --- subjects ------------------------------------------------------------------------------------


def test_a_setting_with_a_default_is_not_given_the_generator():
    subject = local("python:tests.attacks.audit.subjects:with_a_setting")
    drawn = subject.draw(1.0, 50, (0,))
    assert isinstance(drawn, np.ndarray)  # no errors
    assert local(lambda x, rng=None: 0 if rng is None else 1).draw(1.0, 1, (0,))[0] == 1
    assert local(lambda x, scale=2: scale).draw(1.0, 1, (0,))[0] == 2


def test_a_setting_without_a_default_is_refused_with_the_way_out():
    with pytest.raises(InvalidInput, match=r"epsilon is not a generator.*epsilon=1"):
        local(lambda x, epsilon: x)


def test_a_file_is_named_by_its_path(tmp_path, monkeypatch, capsys):
    (tmp_path / "beside.py").write_text("SCALE = 0.25\n")
    (tmp_path / "mine.py").write_text(
        "from beside import SCALE\n"
        "def f(database, rng):\n    return round(8 * (database + rng.laplace(scale=SCALE))) / 8\n"
    )
    monkeypatch.chdir(tmp_path)
    asked = ["--epsilon", "1", "--pair", "0.0 ~ 1.0", "--samples", "20000", "--json"]
    asked += ["--time-limit", "3600", "--patience", "600"]
    code, out, _ = call(capsys, "audit", "python:./mine.py:f", *asked)
    assert code == 1
    assert json.loads(out)["verdict"] == "refuted"
    code, _, told = call(capsys, "audit", "python:./nowhere.py:f", *asked)
    assert code == 2
    assert "there is no Python file nowhere.py: write python:./file.py:name" in told
