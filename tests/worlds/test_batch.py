"""Several statistics as one vector: structure and brute force agree, and bad ones are refused."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.errors import InvalidInput
from twoworlds.worlds import BitStrings, Computed, Records
from twoworlds.worlds.catalogue import statistic
from twoworlds.worlds.sensitivity import global_sensitivity
from twoworlds.worlds.statistics import Batch, constant, count, histogram, mean, parity, total

PARTS = {
    "count": count(1),
    "histogram": histogram([0, 1, 2]),
    "total": total(),
    "mean": mean(4),
    "parity": parity(1),
    "constant": constant((3, "1/2")),
    "product": Computed(lambda x: x[0] * x[-1], "product"),
}
chosen = st.lists(st.sampled_from(sorted(PARTS)), min_size=1, max_size=3)
relations = st.sampled_from(["substitute", "add-remove"])


@given(chosen, relations, st.integers(1, 2))
def test_changes_are_those_of_all_pairs(names, relation, group):
    universe = Records(3, 3, smallest=1)
    batch = Batch.of([PARTS[name] for name in names], universe)
    plain = Computed(batch, "plain")
    for ask in ("changes", "differences"):
        found, wanted = (
            {
                c.difference if ask == "differences" else (c.before, c.after)
                for c in getattr(one, ask)(universe, relation, group)
            }
            for one in (batch, plain)
        )
        assert found == wanted
    for change in batch.changes(universe, relation, group):
        assert (batch(change.x), batch(change.y)) == (change.before, change.after)


@given(chosen, relations)
def test_the_sensitivity_lies_between_the_largest_and_the_sum_of_the_parts(names, relation):
    universe = Records(3, 3, smallest=2)
    parts = [PARTS[name] for name in names]
    each = [global_sensitivity(p, universe, neighbours=relation).value for p in parts]
    joint = global_sensitivity(Batch.of(parts, universe), universe, neighbours=relation).value
    assert max(each) <= joint <= sum(each)


def test_sums_over_many_people_need_no_list_of_databases():
    people = Records(3, 1000)
    batch = statistic("batch(count, histogram)", people)
    assert global_sensitivity(batch, people).value == 3


def test_a_call_builds_its_parts_for_the_universe():
    universe = Records("abc", 4)
    batch = statistic("batch(count(a), histogram, proportion(b))", universe)
    assert batch(("a", "a", "b", "c")) == (2, 2, 1, 1, Fraction(1, 4))
    assert batch.widths == (1, 3, 1)
    assert statistic("batch(count(a), batch(count(b), count(c)))", universe)(
        ("a", "b", "b", "c")
    ) == (1, 2, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("batch()", "batch is empty"),
        ("batch(count, cuont)", "did you mean 'count'"),
        ("batch(count(7))", "no record"),
        ("batch(count, universe=bits(2))", "given twice"),
    ],
)
def test_bad_batches_are_refused(text, said):
    with pytest.raises(InvalidInput, match=said):
        statistic(text, BitStrings(2))


def test_a_part_that_changes_its_length_is_refused():
    ragged = Computed(lambda x: (1,) * (1 + sum(x)), "ragged")
    batch = Batch.of([count(), ragged], BitStrings(2))
    with pytest.raises(InvalidInput, match="ragged gives 2 numbers here and 3 there"):
        list(batch.changes(BitStrings(2), "substitute"))
