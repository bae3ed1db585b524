"""No cell of a printed table is ever cut, whatever the width of the window."""

from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from twoworlds.show.terminal import facts, tables

WORDS = st.text("abcxyz0123456789.,|(-é█文", min_size=1, max_size=24)
CELLS = st.lists(WORDS, max_size=4).map(" ".join)


def printed(parts, width):
    out = Console(file=StringIO(), width=width, color_system=None, markup=False, emoji=False)
    for part in parts:
        out.print(part)
    return out.file.getvalue()


def squeezed(text):
    return "".join(text.split())


@st.composite
def random_tables(draw):
    columns = draw(st.integers(1, 6))
    line = st.lists(CELLS, min_size=columns, max_size=columns)
    headings, rows = draw(line), draw(st.lists(line, min_size=1, max_size=4))
    # A number in front tells each cell, and its words, from all others.
    rows = [
        [
            " ".join(f"<{i}.{j}.{k}>{word}" for k, word in enumerate(cell.split()))
            for j, cell in line
        ]
        for i, line in enumerate(map(enumerate, rows))
    ]
    return headings, rows


@settings(max_examples=300)
@given(
    random_tables(),
    st.integers(20, 200),
    st.integers(0, 3),
    st.sets(st.integers(0, 5)),
    st.sets(st.integers(0, 5)),
)
def test_every_cell_is_whole_at_every_width(table, width, repeated, prose, right):
    headings, rows = table
    out = printed(tables(headings, rows, width, repeated=repeated, prose=prose, right=right), width)
    lines = out.splitlines()
    assert all(cell_len(line) <= width for line in lines)
    for heading in headings:
        assert all(squeezed(word) in squeezed(out) for word in heading.split())
    for cell in (cell for row in rows for cell in row):
        # In a list, a cell goes on where the line ends.
        assert squeezed(cell) in squeezed(out) or _folded(cell, lines)


def _folded(cell, lines):
    """Whether a cell is folded between its words, each of which is whole on a line."""
    return all(any(word in line for line in lines) for word in cell.split())


@settings(max_examples=100)
@given(random_tables(), st.integers(20, 200))
def test_a_cell_that_fits_beside_the_first_column_stands_on_one_line(table, width):
    headings, rows = table
    lines = printed(tables(headings, rows, width), width).splitlines()
    taken = [
        max(cell_len(text) for text in (*heading.split(), *(row[j] for row in rows), "x"))
        for j, heading in enumerate(headings)
    ]
    for row in rows:
        for j, cell in enumerate(row):
            beside = taken[j] if j else max(taken[1:], default=0)
            if taken[0] + beside + 6 < width:
                assert any(cell in line for line in lines)


@pytest.mark.few(6)
@pytest.mark.parametrize("width", range(20, 201))
def test_a_heading_is_counted_so_that_no_digit_of_an_interval_is_lost(width):
    headings = ["region", "mean income of the household", "mean income: 95% interval", "utility"]
    rows = [["north", "36.68", "36.633 to 36.733", "██████ good"]]
    out = printed(tables(headings, rows, width), width)
    assert ("36.633 to 36.733" in out) or (width < 30 and "36.633to36.733" in squeezed(out))
    assert "██████ good" in out


@settings(max_examples=200)
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4), st.integers(20, 200))
def test_every_fact_is_whole_at_every_width(pairs, width):
    out = printed(facts(pairs, width), width)
    assert all(cell_len(line) <= width for line in out.splitlines())
    for name, fact in pairs:
        for word in (*name.split(), *fact.split()):
            assert squeezed(word) in squeezed(out)
