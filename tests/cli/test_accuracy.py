"""The command calibrate: calls that can be typed again, and the error that was asked for."""

import json

import pytest

from twoworlds import mechanism
from twoworlds.cli import run
from twoworlds.mechanisms.accuracy import geometric_errors
from twoworlds.mechanisms.calibration import geometric_epsilon_for_error
from twoworlds.mechanisms.named import geometric
from twoworlds.numbers import bounds, number


def calibrated(capsys, *arguments):
    assert run(["calibrate", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("error", ["1e-9", "1e-30", "10", "3/4", "1/7", "123456789"])
@pytest.mark.parametrize("sensitivity", ["1", "3"])
def test_the_call_of_geometric_noise_can_be_typed_again(capsys, error, sensitivity):
    options = ("geometric", "--error", error, "--sensitivity", sensitivity)
    found = calibrated(capsys, *options)
    assert "None" not in found["mechanism"]
    again = mechanism(found["mechanism"])
    assert again.expression == found["mechanism"]
    wanted = float(bounds(number(error))[0])
    assert float(geometric_errors(again.channel.noise.p)[0].exact) == pytest.approx(
        wanted, rel=1e-9
    )
    stated = found["errors"][0]
    assert stated["name"] == "E|Z|"
    assert stated["exact"]["value"] <= wanted * (1 + 1e-15)


def test_the_error_asked_for_is_the_error_shown(capsys):
    assert run(["calibrate", "geometric", "--error", "10"]) == 0
    out = capsys.readouterr().out
    assert "10.0001" not in out
    found = calibrated(capsys, "geometric", "--error", "10")
    shown = {one["name"]: one["exact"]["exact"] for one in found["errors"]}
    assert (shown["E|Z|"], shown["E sum |Z_j|"], shown["E M"]) == ("10", "10", "10")


def test_a_price_without_a_closed_form_is_spelled_with_digits():
    typed = "sqrt(12345678901234567890123456789)*sqrt(2) + sqrt(98765432109876543210987654321)"
    assert f"epsilon=({typed})/1e15" in mechanism(f"geometric(epsilon=({typed})/1e15)").expression
    price = geometric_epsilon_for_error("1e-9", 1)
    assert "epsilon=21.41641301" in geometric(epsilon=price).expression
