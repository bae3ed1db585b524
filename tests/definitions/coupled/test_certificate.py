"""Certificates of best simulators: which numbers they prove, and which data is refused."""

import json
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction

import pytest

from twoworlds.definitions.coupled.inference_optimal import inference_optimum
from twoworlds.definitions.coupled.optimal import optimal
from twoworlds.definitions.coupled.proof import Proved, proved_by, verify_optimum
from twoworlds.definitions.coupled.scene import coin, scene
from twoworlds.definitions.coupled.smallest import smallest_ratio
from twoworlds.errors import InvalidInput
from twoworlds.numbers import INFINITY, Real
from twoworlds.worlds import BitStrings
from twoworlds.worlds.belief import uniform
from twoworlds.worlds.joint import BeliefClass, Joint
from twoworlds.worlds.scrubbing import persons

F = Fraction
FAIR = BeliefClass((Joint.of(uniform(BitStrings(3))),), "the bits are fair coins")


def total():
    return scene(sum, FAIR, persons(3))


def certificate():
    return json.loads(json.dumps(optimal(total(), F(3, 2)).to_dict()))["certificate"]


def changed(data, *path, value):
    found = deepcopy(data)
    inside = found
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return found


def test_the_numbers_come_from_the_data():
    found = proved_by(certificate())
    assert found == Proved(F(1, 8), F(3, 2), F(1, 8), F(3, 2))
    assert found.optimal
    assert found.explain().startswith("optimal: the simulator has delta 1/8 (0.125) at ratio 3/2")
    assert found.to_dict()["meaning"] == "optimal"
    assert proved_by(changed(certificate(), "lower", value="1/9")) is None


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("outputs",), ["3", "3", "1", "0"]),
        (("inputs",), ["11", "11", "01", "00"]),
        (("outputs",), "abcd"),
        (("outputs",), [3, 2, 1, 0]),
        (("tests", 0, "comparison"), True),
        (("tests", 0, "event"), [True, 2]),
        (("tests", 0, "event"), [1.0, 2]),
        (("upper",), True),
        (("comparisons", 0, "errors"), [False, False]),
        (("simulator", 0), {"0": "1/2", "00": "1/2"}),
    ],
)
def test_ambiguous_data_is_refused(path, value):
    with pytest.raises(InvalidInput, match="not a certificate"):
        verify_optimum(changed(certificate(), *path, value=value))


def test_outputs_with_the_same_label_are_written_apart():
    found = scene(lambda x: {1: F(1, 3), "1": F(1, 3), "1 (2)": F(1, 3)}, FAIR, persons(3))
    data = json.loads(json.dumps(optimal(found, 1).to_dict()))
    assert len(set(data["certificate"]["outputs"])) == 3
    assert verify_optimum(data)


# --- headlines ------------------------------------------------------------------------------------


def test_every_headline_of_an_optimum_is_checked():
    best = optimal(total(), F(3, 2))
    assert best.verify()
    low, high = F(1, 100), F(2, 100)
    for forged in (
        replace(best, delta=F(0)),
        replace(best, delta=Real.between(low, high)),
        replace(best, ratio=F(1)),
        replace(best, ratio=F(2)),
        replace(best, simulator=coin(best.scene.outputs)),
        replace(best, simulator=coin((99,))),
        replace(best, lower=F(0)),
        replace(best, upper=F(1)),
        replace(best, at=F(1)),
        replace(best, at=F(2)),
        replace(best, tests_at=F(1)),
        replace(best, tests=()),
    ):
        assert not forged.verify()


def test_an_enclosed_optimum_is_checked_too():
    best = optimal(total(), "e^(1/3)")
    assert best.verify()
    assert not replace(best, delta=best.lower).verify()
    assert not replace(best, delta=best.upper + 1).verify()
    assert not replace(best, ratio=F(3)).verify()


def test_every_headline_of_a_smallest_ratio_is_checked():
    best = smallest_ratio(total(), F(1, 8))
    assert best.verify()
    for forged in (
        replace(best, ratio=F(1)),
        replace(best, ratio=INFINITY),
        replace(best, ratio=F(5, 4), lower=F(5, 4)),
        replace(best, delta=F(1, 9)),
        replace(best, simulator=coin(best.scene.outputs)),
    ):
        assert not forged.verify()
    never = smallest_ratio(total(), 0)
    assert never.verify()
    assert not replace(never, ratio=F(100)).verify()
    assert not replace(never, lower=F(2)).verify()


def test_every_headline_of_an_inference_optimum_is_checked():
    best = inference_optimum(total(), F(6, 5))
    assert best.verify()
    for forged in (
        replace(best, delta=best.delta / 2),
        replace(best, ratio=F(1)),
        replace(best, ratio=F(2)),
        replace(best, outside=not best.outside),
        replace(best, at=F(1)),
        replace(best, lower=best.lower / 2),
        replace(best, upper=F(1)),
        replace(best, simulator=coin(best.scene.outputs[:1])),
        replace(best, proofs=()),
        replace(best, proofs=(best.proofs[0]._replace(ratio=F(1)), *best.proofs[1:])),
    ):
        assert not forged.verify()
