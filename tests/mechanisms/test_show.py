"""What `show` prints, against the laws of the mechanisms computed by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp

import pytest

from twoworlds.answer import Table
from twoworlds.questions.mechanisms import show

BITS = ["11", "10", "01", "00"]


def survey(output: str, database: str) -> Fraction:
    kept = sum(a == b for a, b in zip(output, database, strict=True))
    return Fraction(3, 4) ** kept * Fraction(1, 4) ** (2 - kept)


def clamped(output: str, database: str) -> Fraction:
    """Geometric noise of ratio 2 on a count, by summing far more noise than any digit shows."""
    true, total = database.count("1"), Fraction(0)
    for noise in range(-60, 61):
        if min(2, max(0, true + noise)) == int(output):
            total += Fraction(1, 3) * Fraction(1, 2) ** abs(noise)
    return total


def printed(table: Table) -> dict[tuple[str, str], str]:
    columns = table.heads[1:]
    return {(row[0], x): p for row in table.rows for x, p in zip(columns, row[1:], strict=True)}


@pytest.mark.parametrize(
    ("text", "law", "outputs"),
    [
        ("randomized-response(bits=2, keep=3/4)", survey, BITS),
        ("truncated-geometric(ratio=2, bits=2)", clamped, ["0", "1", "2"]),
    ],
)
def test_every_entry_is_the_probability_of_its_row_on_its_column(text, law, outputs):
    said = show(text).answer()
    assert said.headline.endswith(": P(output | database)")
    found = printed(said.blocks[0])
    assert set(found) == set(product(outputs, BITS))
    for (output, database), entry in found.items():
        assert abs(Fraction(entry) - law(output, database)) < Fraction(1, 2**50)
    for database in BITS:
        assert sum(Fraction(found[output, database]) for output in outputs) == 1


def test_a_window_of_infinitely_many_outputs_and_a_density_are_said_to_be_such():
    window = show("geometric(ratio=2)").answer()
    assert window.notes == ["a window: there are infinitely many outputs and databases"]
    for (output, database), entry in printed(window.blocks[0]).items():
        law = Fraction(1, 3) * Fraction(1, 2) ** abs(int(output) - int(database))
        assert Fraction(entry) == law
    density = show("laplace(scale=2)", database="0", output="1").answer()
    assert density.headline.endswith(": density")
    [entry] = printed(show("laplace(scale=2)", "0", "1", decimals=True).answer().blocks[0]).values()
    assert abs(float(entry) - exp(-1 / 2) / 4) < 1e-5
