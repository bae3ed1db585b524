import random

import pytest

from tests.attacks.composition import brute
from twoworlds.attacks.composition.missing import most_placed


@pytest.mark.parametrize("seed", range(60))
def test_as_many_are_placed_as_in_a_largest_matching(seed):
    draw = random.Random(seed)
    groups = range(draw.randint(1, 4))
    kinds = [
        (draw.randint(1, 2), draw.sample(groups, draw.randint(1, len(groups)))) for _ in range(3)
    ]
    rooms = {group: draw.randint(0, 2) for group in groups}
    people = [fitting for number, fitting in kinds for _ in range(number)]
    rows = [[group] for group, number in rooms.items() for _ in range(number)]
    expected = brute.most_matched(people, rows, lambda row, fitting: row[0] in fitting)
    assert most_placed(kinds, rooms) == expected


def test_a_long_chain_moves_everybody_by_one():
    size = 2_000
    # The first of each pair of groups is taken first, so the last one displaces all others.
    kinds = [(1, [i, i + 1]) for i in range(size)] + [(1, [0, 0, 0])]
    rooms = dict.fromkeys(range(size + 1), 1)
    assert most_placed(kinds, rooms) == size + 1


def test_nobody_and_no_rooms():
    assert most_placed([], {0: 3}) == 0
    assert most_placed([(5, [0])], {0: 0}) == 0
