"""Proposed databases are neighbours in the sense that they are said to be."""

import pytest

from twoworlds.attacks.audit.subjects import list_pairs, read_pair
from twoworlds.errors import InvalidInput


@pytest.mark.parametrize("length", [1, 2, 5, 8])
def test_one_entry_differs_by_at_most_one(length):
    for first, second in list_pairs("one", length):
        gaps = [abs(a - b) for a, b in zip(first, second, strict=True)]
        assert sorted(gaps) == [0] * (length - 1) + [1]


@pytest.mark.parametrize("length", [2, 5, 8])
def test_every_entry_differs_by_at_most_one(length):
    found = list_pairs("all", length)
    for first, second in found:
        assert max(abs(a - b) for a, b in zip(first, second, strict=True)) == 1
    assert len(found) >= len(list_pairs("one", length))


def test_one_list_has_an_entry_more():
    for first, second in list_pairs("add-remove"):
        longer, shorter = sorted((first, second), key=len, reverse=True)
        assert len(longer) == len(shorter) + 1
        assert any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)))


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("[0, 0] ~ [1, 0]", ([0, 0], [1, 0])),
        ('{"a": true} ~ {"a": false}', ({"a": True}, {"a": False})),
        ("ann ~ bob", ("ann", "bob")),
        ("0~1.5", (0, 1.5)),
    ],
)
def test_pairs_are_read(text, pair):
    assert read_pair(text) == pair


@pytest.mark.parametrize(
    "text", ["[0~1", "0~1]", '{"a": 1 ~ {}', '"a ~ b', "(0 ~ (1", "'a ~ b", "0 ~ x}"]
)
def test_a_value_that_is_not_closed_is_no_text(text):
    with pytest.raises(InvalidInput, match="cannot be read as one"):
        read_pair(text)


@pytest.mark.parametrize("text", ["", "1", "1~", "1~2~3", "x ~ x"])
def test_what_is_no_pair_is_refused(text):
    with pytest.raises(InvalidInput):
        read_pair(text)
