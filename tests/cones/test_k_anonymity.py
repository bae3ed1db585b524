"""The collapse of k-anonymity (Lin & Kifer, Section 4.1.1; LK-52)."""

from __future__ import annotations

from itertools import pairwise, product

import pytest

from twoworlds.cones.k_anonymity import OLDEST, collapse, decode, encode, is_anonymous
from twoworlds.cones.row_cone import row_cone
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import Dense
from twoworlds.worlds import Records


@pytest.mark.parametrize("k", [1, 2, 3])
def test_every_table_is_anonymous_and_read_back(k):
    for ages in product([0, 1, 15, 16, OLDEST], repeat=4):
        table = encode(ages, k)
        assert is_anonymous(table, k)
        assert sum(bucket.people for bucket in table) == 4
        assert decode(table) == ages
        for bucket in table:
            assert sum(bucket.least <= age < bucket.below for age in ages) == bucket.people


def test_buckets_meet_and_cover_all_ages():
    table = encode([3, 14, 15, 92, 65, 35], 2)
    assert len(table) == 3
    assert table[0].least == 0
    assert table[-1].below == OLDEST + 1
    assert all(a.below == b.least for a, b in pairwise(table))


def test_trusting_the_encoder_is_trusting_everything():
    found = collapse([0, 1, 2], 2, 2)
    assert found.holds
    universe = Records([0, 1, 2], 2)
    encoder = Dense.from_function(universe, lambda ages: {encode(ages, 2): 1})
    cone = row_cone(encoder).cone
    assert (
        sorted(cone.rays)
        == sorted(cone.facets)
        == sorted(tuple(int(i == j) for j in range(9)) for i in range(9))
    )


def test_a_plain_bucket_is_not_a_collapse():
    assert not is_anonymous(encode([1, 50], 1), 2)


def test_rejects_what_cannot_be_hidden():
    with pytest.raises(InvalidInput, match="cannot be hidden among k=3"):
        encode([1, 2], 3)
    with pytest.raises(InvalidInput, match="age=200"):
        encode([200], 1)
    with pytest.raises(InvalidInput, match="age"):
        encode([-1], 1)
    with pytest.raises(InvalidInput, match="k"):
        encode([1], 0)
