"""Small tables for the tests, and measures written again from their definitions."""

from collections import Counter
from fractions import Fraction
from math import log
from random import Random

FIGURE_1 = [
    {"zip": "130**", "age": age, "nationality": "*", "condition": condition}
    for age, conditions in (
        ("<30", ["AIDS", "Heart Disease", "Viral Infection", "Viral Infection"]),
        ("≥40", ["Cancer", "Heart Disease", "Viral Infection", "Viral Infection"]),
        ("3*", ["Cancer"] * 4),
    )
    for condition in conditions
]


def random_table(seed, rows=30, values="abcd"):
    chance = Random(seed)
    return [
        {
            "zip": chance.choice(["130", "131", "148", "149"]),
            "age": str(chance.choice([21, 24, 33, 36, 38, 52])),
            "sex": chance.choice("fm"),
            "has": chance.choice(values),
        }
        for _ in range(rows)
    ]


def grouped(rows, columns, sensitive):
    groups = {}
    for row in rows:
        key = tuple(row[column] for column in columns)
        groups.setdefault(key, Counter())[row[sensitive]] += 1
    return groups


def total_variation(group, table):
    n, people = group.total(), table.total()
    return sum(abs(Fraction(group[v], n) - Fraction(table[v], people)) for v in table) / 2


def earth_mover(group, table):
    """The cost of moving earth greedily from the left, on ranks, by definition of Li et al."""
    n, people = group.total(), table.total()
    values = sorted(table, key=Fraction)
    moved, cost = Fraction(0), Fraction(0)
    for value in values:
        moved += Fraction(group[value], n) - Fraction(table[value], people)
        cost += abs(moved)
    return cost / (len(values) - 1) if len(values) > 1 else Fraction(0)


def entropy(group):
    n = group.total()
    return -sum(c / n * log(c / n) for c in group.values())
