"""Draws from the columns of a channel: every word goes to its report, ties included."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest

from tests.release.noise.scripted import LAST, Scripted, SeededBits
from twoworlds.errors import InvalidInput
from twoworlds.numbers import Real, ball, bounds, exp
from twoworlds.release.noise.table import Columns, _at_most, cumulated

F = Fraction
E1 = exp(F(1))
CHANNELS = {
    "coin 3/4": ([[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]], True),
    "thirds of three": (
        [[F(1, 3)] * 3 for _ in range(3)],
        True,
    ),
    "keep 1/10 of three": (
        [[F(1, 10) if i == j else F(9, 20) for i in range(3)] for j in range(3)],
        True,
    ),
    "e of four": (
        [[(E1 if i == j else F(1)) / (E1 + 3) for i in range(4)] for j in range(4)],
        True,
    ),
    "pram": (
        [
            [F(3, 5), F(1, 7), F(0)],
            [F(1, 5), F(3, 7), F(1)],
            [F(1, 5), F(3, 7), F(0)],
            [F(0), F(0), F(0)],
        ],
        False,
    ),
    "irrational pram": ([[exp(F(-1)), F(1, 7)], [1 - exp(F(-1)), F(6, 7)]], False),
    "one report": ([[F(1), F(1)]], False),
    "one value": ([[F(1)]], False),
    "tiny": ([[F(1, 1 << 70), F(1) - F(1, 1 << 70)], [1 - F(1, 1 << 70), F(1, 1 << 70)]], True),
}
each_channel = pytest.mark.parametrize(("rows", "symmetric"), CHANNELS.values(), ids=CHANNELS)


def column_of(rows, v):
    """The probabilities of a column, to many bits; the last one is the average of the columns."""
    width = len(rows[0])
    exact = [[bounds(p, 512)[0] for p in row] for row in rows]
    if v < width:
        return [row[v] for row in exact]
    return [sum(row) / width for row in exact]


def brute(rows, v, u):
    """The report that u falls to, by adding up."""
    total = F(0)
    law = column_of(rows, v)
    for o, p in enumerate(law):
        total += p
        if u < total:
            return o
    return max(o for o, p in enumerate(law) if p)


@each_channel
def test_the_laws_are_the_columns_and_their_average(rows, symmetric):
    laws = cumulated(rows, symmetric=symmetric)
    assert len(laws) == len(rows[0]) + 1
    for v, law in enumerate(laws):
        steps = [_at_most(law, o) - _at_most(law, o - 1) for o in range(len(rows))]
        for step, p in zip(steps, column_of(rows, v), strict=True):
            low, high = bounds(step, 400)
            assert abs(low - p) < F(1, 1 << 190)
            assert abs(high - p) < F(1, 1 << 190)
        assert (_at_most(law, -1), _at_most(law, len(rows) - 1)) == (0, 1)


@each_channel
def test_every_word_of_eight_bits_and_every_continuation_goes_to_its_report(rows, symmetric):
    """U = (word + part/16) / 256 and a bit: 4096 cells of the unit interval, for each column."""
    columns = Columns.of(cumulated(rows, symmetric=symmetric), bits=8)
    for v in range(len(rows[0]) + 1):
        boundaries = {
            floor(256 * sum(column_of(rows, v)[: o + 1], start=F(0)) + F(1, 1 << 300))
            for o in range(len(rows) - 1)
        }
        for word in range(256):
            for part in range(16) if word in boundaries | {0, 255} else [7]:
                source = Scripted([part << 60], after=1 << 40)
                words = np.array([(word << 56) | 12345], dtype=np.uint64)
                [report] = columns.looked_up(np.array([v], dtype=np.uint8), words, source)
                u = F(16 * word + part, 4096) + F(1, 1 << 87) + F(1, 1 << 150)
                assert report == brute(rows, v, u)


def test_mixed_records_are_looked_up_each_in_its_own_column():
    rows, _ = CHANNELS["pram"]
    columns = Columns.of(cumulated(rows, symmetric=False))
    codes = np.array([0, 1, 2, 3] * 500, dtype=np.uint8)
    words = SeededBits(7).words(2000)
    found = columns.looked_up(codes, words, Scripted())
    for code, word, report in zip(codes.tolist(), words.tolist(), found.tolist(), strict=True):
        assert report == brute(rows, code, F(word, 1 << 64))


def test_a_law_below_the_first_word_is_reached_by_further_bits():
    rows, _ = CHANNELS["tiny"]
    columns = Columns.of(cumulated(rows, symmetric=True))
    code, first = np.zeros(1, dtype=np.uint8), np.zeros(1, dtype=np.uint64)
    assert columns.looked_up(code, first, Scripted([0], after=0))[0] == 0
    assert columns.looked_up(code, first, Scripted([1 << 59], after=0))[0] == 1
    last = np.array([LAST], dtype=np.uint64)
    code[0] = 1
    assert columns.looked_up(code, last, Scripted([LAST], after=LAST))[0] == 1
    assert columns.looked_up(code, last, Scripted([0], after=0))[0] == 0


def test_one_word_is_drawn_for_each_record():
    columns = Columns.of(cumulated(CHANNELS["coin 3/4"][0], symmetric=True))
    source = Scripted(after=5)
    columns.reports(np.zeros(40_000, dtype=np.uint8), source)
    assert source.asked == 40_000


def test_rejects_a_probability_that_is_known_by_an_enclosure_only():
    vague = Real(lambda bits: ball(F(1, 2), bits) + ball(exp(F(-30)), 20) * 0)
    wide = Real(lambda _: ball(exp(F(-1)), 20))
    assert Columns.of([(vague,)])
    with pytest.raises(InvalidInput, match="not known exactly"):
        Columns.of([(wide,)])
