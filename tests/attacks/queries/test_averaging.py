"""Fresh noise averages away at an exactly known pace; the engine gives one answer."""

import itertools
import json
from fractions import Fraction

import pytest

from tests.cli.calling import call
from twoworlds.attacks.queries import ExactServer, average_out, equal
from twoworlds.attacks.queries.averaging import MOST, against_engine, chance, enough
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import bounds, number

LN2 = number("ln 2")


def brute(p, times, far=50):
    """P(-times / 2 <= Z < times / 2) for a sum of draws, by convolution up to a far cut."""
    law = {k: (1 - p) / (1 + p) * p ** abs(k) for k in range(-far, far + 1)}
    total = {0: Fraction(1)}
    for _ in range(times):
        found = {}
        for (a, x), (b, y) in itertools.product(total.items(), law.items()):
            found[a + b] = found.get(a + b, 0) + x * y
        total = {k: v for k, v in found.items() if abs(k) <= far}
    return sum(v for k, v in total.items() if -times <= 2 * k < times)


@pytest.mark.parametrize("times", [1, 2, 3, 4])
def test_the_chance_is_that_of_the_sum(times):
    assert abs(chance(LN2, times) - brute(Fraction(1, 2), times)) < Fraction(1, 10**9)


@pytest.mark.parametrize("times", [1, 2, 7])
def test_the_enclosure_for_irrational_ratios_agrees_with_the_exact_law(times):
    epsilon = number("0.6931471805599453")  # ln 2 to sixteen digits, but no logarithm of a ratio
    low, high = bounds(chance(epsilon, times))
    exact = chance(LN2, times)
    assert high - low < Fraction(1, 10**12)
    assert low - Fraction(1, 10**12) < exact < high + Fraction(1, 10**12)


def test_enough_questions_reach_the_confidence_and_one_less_does_not():
    found = enough(LN2, Fraction(19, 20))
    assert found == 62
    assert chance(LN2, found) >= Fraction(19, 20) > chance(LN2, found - 1)
    assert enough(LN2, Fraction(1, 4)) == 1


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("ill,age\n" + "yes,30\n" * 9 + "no,40\n" * 11)
    return path


@pytest.mark.parametrize("count", ["age=30"])
def test_the_engine_gives_one_answer_and_then_refuses(table, count):
    with ExactServer(table) as server:
        found = against_engine(
            server, equal(server.kinds, count), epsilon="1/10", cap="3/10", times=7
        )
    assert [found.data[n] for n in ("different_answers", "variants", "truth")] == [1, 2, 9]
    assert "refused" in found.explain()


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (("0",), InvalidInput, "epsilon"),
        (("1", ["0"]), InvalidInput, "questions"),
        (("1", []), InvalidInput, "how often"),
        (("1", [MOST + 1]), TooLarge, "at most"),
    ],
)
def test_bad_input_is_refused(arguments, error, said):
    with pytest.raises(error, match=said):
        average_out(*arguments)


def test_the_command(capsys, table):
    code, out, _ = call(capsys, "attack", "averaging", "--epsilon", "ln 2", "--times", "1,2,3")
    assert code == 0
    assert "62 questions" in " ".join(out.split())
    code, out, _ = call(
        capsys,
        *("attack", "averaging", str(table), "--count", "ill=yes", "--engine", "--json"),
    )
    data = json.loads(out)
    assert data["engine"]["different_answers"] == 1
    assert data["rows"][0]["times"] == 1
    assert call(capsys, "attack", "averaging", str(table))[0] == 2
    assert call(capsys, "attack", "averaging", str(table), "--engine")[0] == 2
    assert call(capsys, "attack", "averaging", "--cap", "3")[0] == 2
