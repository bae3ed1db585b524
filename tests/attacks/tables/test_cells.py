"""Cells of published tables, against sets that are listed one value after the other."""

from fractions import Fraction
from itertools import product

import pytest

from twoworlds.attacks.tables.cells import (
    Anything,
    Cell,
    Mask,
    column_cells,
    read_cell,
)
from twoworlds.errors import InvalidInput

NUMBERS = [Fraction(n, 4) for n in range(-40, 880)]  # beyond every end below, on both sides

# How a set is written, and which numbers are in it.
SETS = {
    "*": lambda x: True,
    "<30": lambda x: x < 30,
    "<=30": lambda x: x <= 30,
    "≤30": lambda x: x <= 30,
    "> 30": lambda x: x > 30,
    ">=40": lambda x: x >= 40,
    "≥40": lambda x: x >= 40,
    "40+": lambda x: x >= 40,
    "30-39": lambda x: 30 <= x <= 39,
    "30–39": lambda x: 30 <= x <= 39,
    "30 to 39": lambda x: 30 <= x <= 39,
    "30..39": lambda x: 30 <= x <= 39,
    "-1-1.5": lambda x: -1 <= x <= Fraction(3, 2),
    "[30, 40)": lambda x: 30 <= x < 40,
    "30 to below 40": lambda x: 30 <= x < 40,
    "[30, 40[": lambda x: 30 <= x < 40,
    "(30, 40]": lambda x: 30 < x <= 40,
    "]30; 40]": lambda x: 30 < x <= 40,
    "[40, inf)": lambda x: x >= 40,
    "(-inf, 30)": lambda x: x < 30,
    "[30, 30]": lambda x: x == 30,
    "(39, 40)": lambda x: 39 < x < 40,
    "3*": lambda x: 30 <= x <= 39,
    "1**": lambda x: 100 <= x <= 199,
    "39": lambda x: x == 39,
    "39.5": lambda x: x == Fraction(79, 2),
    "{30, 31, 45}": lambda x: x in (30, 31, 45),
    "30|<5": lambda x: x == 30 or x < 5,
}


@pytest.mark.few(3)
@pytest.mark.parametrize("text", SETS)
def test_a_cell_of_numbers_allows_its_numbers_and_no_others(text):
    cell = read_cell(text, numeric=True)
    for x in NUMBERS:
        shown = str(x) if x.denominator == 1 else str(float(x))
        assert cell.allows(x) is SETS[text](x), (text, x)
        assert cell.allows(shown) is SETS[text](x), (text, shown)
    assert str(cell) == text


def test_sets_of_numbers_meet_as_their_members_say():
    members = {text: {x for x in NUMBERS if law(x)} for text, law in SETS.items()}
    for one, other in product(SETS, SETS):
        a, b = read_cell(one, numeric=True), read_cell(other, numeric=True)
        expected = bool(members[one] & members[other])
        assert a.meets(b) is a.allows(b) is expected, (one, other)


def test_masks_of_text_hide_single_characters_and_keep_the_length():
    zip_code = read_cell("130**")
    assert zip_code.alternatives == (Mask("130**"),)
    assert zip_code.allows("13012")
    assert zip_code.allows(13012)
    assert zip_code.allows(" 13099 ")
    assert not zip_code.allows("14012")
    assert not zip_code.allows("1301")
    assert not zip_code.allows("130123")
    assert read_cell("0213*").allows("02139")
    assert not read_cell("0213*").allows(2139)
    assert zip_code.meets(read_cell("1*01*"))
    assert not zip_code.meets(read_cell("130*"))
    assert read_cell("F*").allows("F2")
    assert not read_cell("F*").meets(read_cell("<30"))


def test_texts_are_compared_as_texts_and_numbers_as_numbers():
    assert not read_cell("013", numeric=False).allows("13")
    assert read_cell("013", numeric=True).allows("13")
    assert read_cell("28.0", numeric=True).allows(28)
    assert not read_cell("28.0", numeric=False).allows(28)
    assert read_cell("Flu").allows(" Flu")
    assert not read_cell("Flu").allows("flu")
    assert read_cell("{Flu, Cold}").allows("Cold")
    assert not read_cell("Flu|Cold").allows("Cancer")
    assert not read_cell("").allows("x")
    assert read_cell("").allows("")
    assert not read_cell("Not known").allows("30")


def test_a_column_decides_once_whether_it_holds_numbers():
    ages = column_cells(["<30", "≥40", "3*", "3*"])
    assert list(ages) == ["<30", "≥40", "3*"]
    assert ages["3*"] == read_cell("30-39")
    assert [age for age in range(100) if ages["3*"].allows(age)] == list(range(30, 40))
    for age in range(100):
        assert sum(cell.allows(age) for cell in ages.values()) == 1
    zips = column_cells(["130**", "13012"])
    assert not zips["13012"].allows("13012.0")
    assert column_cells(["13012", "14850"])["13012"].allows("13012.0")
    assert not column_cells(["02139", "14850"])["14850"].allows("14850.0")
    assert column_cells(["30-39", "unknown"])["unknown"].allows("unknown")
    assert column_cells(["555-1234"], numeric=False)["555-1234"].allows("555-1234")
    assert column_cells([]) == {}
    assert column_cells(["*"]) == {"*": Cell("*", (Anything(),))}


def test_equal_sets_are_equal_cells_however_written():
    assert read_cell("<=30") == read_cell("≤ 30")
    assert read_cell("30-39") == read_cell("[30, 39]")
    assert read_cell("a|b") == read_cell("{a, b}")
    assert len({read_cell("30 to 39"), read_cell("30–39"), read_cell("[30, 40)")}) == 2
    assert read_cell("28.0", numeric=True) == read_cell("28", numeric=True)
    assert read_cell("28.0", numeric=False) != read_cell("28", numeric=False)
    assert read_cell("{a}") == read_cell("a")


@pytest.mark.parametrize("text", ["[40, 30)", "(30, 30]", "[30, 30)", "40 to below 30"])
def test_an_interval_that_holds_nothing_is_a_plain_value_that_allows_itself(text):
    cells = column_cells([text, "30-39"])
    assert cells[text].allows(text)
    assert not cells[text].allows(35)
    assert not cells[text].meets(cells["30-39"])


def test_refuses_what_is_not_text_and_what_is_not_known():
    with pytest.raises(InvalidInput, match="read from text"):
        read_cell(30)
    with pytest.raises(InvalidInput, match="leave out the column"):
        read_cell("<30").allows(None)
    with pytest.raises(InvalidInput, match="hide digits at the end"):
        read_cell("*5").meets(read_cell("<3"))
    with pytest.raises(InvalidInput, match="known value"):
        read_cell("<30").allows(float("nan"))
