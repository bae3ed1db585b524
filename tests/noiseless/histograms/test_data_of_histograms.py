"""Truncated tables of real columns: declared bins, the belief first, no data in errors."""

import json
from collections import Counter
from random import Random

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.noiseless import release_histogram
from twoworlds.noiseless.data import discard, read_declared
from twoworlds.noiseless.histograms.size_laws import discarded

ASKED = {"population": 100, "rate": "3/10", "epsilon": "0.5"}
AGES = [3, 17, 18, 40, 64, 64, 30, 65, 99, 25, 31]


@pytest.fixture
def table(tmp_path):
    def write(values, name="people.csv"):
        path = tmp_path / name
        path.write_text("who,what\n" + "".join(f"{i},{v}\n" for i, v in enumerate(values)))
        return path

    return write


def test_counts_are_shown_from_the_threshold_on(table):
    found = release_histogram(table(AGES), "what", "0..17, 18..64, 65..120", 3, **ASKED)
    assert found.value == {"0..17": 0, "18..64": 7, "65..120": 0}
    assert found.threshold == 3


def test_the_belief_is_printed_before_anything_else(table):
    found = release_histogram(table(AGES), "what", "0..64, 65..120", 2, **ASKED)
    text = str(found)
    assert text.startswith("This rests on a belief: each of the 100 members of your bin is in the")
    assert text.index("rests on") < text.index("ddp(") < text.index("The table")
    plain = found.to_dict()
    assert next(iter(plain)) == "rests_on"
    assert plain["table"] == {"0..64": 9, "65..120": 2}
    assert json.loads(json.dumps(plain)) == plain


def test_the_table_is_withheld_when_the_claim_fails(table):
    asked = (table(AGES), "what", "0..64, 65..120", 2)
    refuted = release_histogram(*asked, **ASKED, delta="1e-9")
    assert refuted.value is None
    assert refuted.to_dict()["table"] is None
    assert "The table is withheld: the claim does not hold." in refuted.explain()
    assert not refuted.verdict
    assert release_histogram(*asked, **ASKED, delta="1/2").value == {"0..64": 9, "65..120": 2}


def test_undeclared_values_are_refused_without_naming_them(table):
    with pytest.raises(InvalidInput, match="2 rows that fall into no declared bin") as error:
        release_histogram(table(AGES), "what", "0..64", 2, **ASKED)
    assert "99" not in str(error.value)
    assert "65" not in str(error.value)


def test_a_belief_that_the_data_refute_is_refused(table):
    path = table(["a"] * 9 + ["b"])
    few = {**ASKED, "population": 5}
    with pytest.raises(InvalidInput, match="of 2 bins, 1 holds more rows than members"):
        release_histogram(path, "what", "a, b", 2, **few)
    each = {**ASKED, "population": "20, 5"}
    assert release_histogram(path, "what", "a, b", 2, **each).value == {"a": 9, "b": 0}
    with pytest.raises(InvalidInput, match="more rows than members"):
        release_histogram(path, "what", "b, a", 2, **each)
    assert release_histogram(path, "what", "a, b", 2, **{**ASKED, "population": "any"})


@pytest.mark.parametrize(
    "asked",
    [
        {"population": "20, 5", "rate": "3/10"},
        {"population": "20, 5, 7, 1", "rate": "3/10"},
        {"mean": "3, 4"},
        {"size": "fixed(size=10)", "population": "20"},
        {"size": "fixed(size=10)", "shares": "1/2, 1/2"},
    ],
)
def test_bins_and_populations_must_be_as_many(table, asked):
    path = table(["a"] * 9 + ["b"])
    with pytest.raises(InvalidInput, match="bins declared: 3, populations, shares or means: "):
        release_histogram(path, "what", "a, b, c", 2, ratio=2, **asked)


def test_missing_cells_are_refused_or_skipped(table):
    path = table(["a", "", "a"])
    with pytest.raises(InvalidInput, match="1 row"):
        release_histogram(path, "what", "a", 1, **ASKED)
    assert release_histogram(path, "what", "a", 1, missing="skip", **ASKED).value == {"a": 2}


SIZED = {"shares": "1/2, 1/2", "ratio": 2}


def test_discarding_follows_its_law():
    law, random = discarded(12, "3/2", shift=4), Random(11)
    draws = 20_000
    sizes = Counter(len(discard(list(range(12)), law, random)) for _ in range(draws))
    for n in range(13):
        p = float(law.mass(n))
        # Five standard deviations; the seed is fixed, so it passes always or never.
        assert abs(sizes[n] / draws - p) <= 5 * (p * (1 - p) / draws) ** 0.5


def test_a_size_that_the_data_refute_is_refused(table):
    path = table(["a"] * 10 + ["b"] * 10)
    with pytest.raises(InvalidInput, match="does not allow the number of rows"):
        release_histogram(path, "what", "a, b", 1, size="fixed(size=9)", **SIZED)
    law = "discarded(size=30, ratio=2, shift=1)"
    with pytest.raises(InvalidInput, match="20 rows and discarded"):
        release_histogram(path, "what", "a, b", 1, size=law, **SIZED)
    law = "discarded(size=20, ratio=e^0.5, shift=1)"
    with pytest.raises(InvalidInput, match="rational ratio"):
        release_histogram(path, "what", "a, b", 1, size=law, **SIZED)
    with pytest.raises(InvalidInput, match="declared: 1, populations, shares or means: 2"):
        release_histogram(path, "what", "a | b", 1, size="fixed(size=20)", **SIZED)
    members = {"population": "9, 30", "ratio": 2}
    with pytest.raises(InvalidInput, match="more rows than members"):
        release_histogram(path, "what", "a, b", 1, size="fixed(size=20)", **members)
    found = release_histogram(
        path, "what", "a, b", 1, size="fixed(size=20)", population=[10, 30], ratio=2
    )
    assert found.value == {"a": 10, "b": 10}


@pytest.mark.parametrize(
    ("bins", "said"),
    [
        ("", "bins is empty"),
        ("0..10, 5..20", "overlap"),
        ("1..3, 2", "overlap"),
        ("2, 1..3", "overlap"),
        ("a, a", "overlap"),
        ("9..3", "ends before it begins"),
        ({"x": "a |"}, "empty part"),
        ({"x": "a", "y": "b | a"}, "overlap"),
    ],
)
def test_bad_bins_are_refused(bins, said):
    with pytest.raises(InvalidInput, match=said):
        read_declared(bins)


def test_other_bad_input_is_refused(table):
    path = table(["a"])
    with pytest.raises(InvalidInput, match="threshold"):
        release_histogram(path, "what", "a", 0, **ASKED)
    with pytest.raises(InvalidInput, match="column"):
        release_histogram(path, "whta", "a", 1, **ASKED)
    with pytest.raises(InvalidInput, match="rate"):
        release_histogram(path, "what", "a", 1, population=5, epsilon=1)
