"""Small random tables, and what they say, found by going through everything.

Cells are read here by a list of what each of them means, not by the package.
"""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import log, prod
from random import Random

AGES = {
    "<30": range(30),
    "≥40": range(40, 100),
    "3*": range(30, 40),
    "[20, 40)": range(20, 40),
    "25": [25],
    "20-29": range(20, 30),
    "{25, 33}": [25, 33],
    "*": range(100),
    "": range(100),
}
ZIPS = [f"{i:03b}" for i in range(8)]
ZIP_CELLS = {
    cell: [z for z in ZIPS if all(c in ("*", d) for c, d in zip(cell, z, strict=True))]
    for cell in ("0**", "1**", "01*", "1*1", "***", "011", "*1*")
}
CONDITIONS = ("flu", "cold", "cancer", "gout")
MEANINGS = {"age": AGES, "zip": ZIP_CELLS}


def random_table(draw, rows):
    return [
        {
            "zip": draw.choice([*ZIP_CELLS]),
            "age": draw.choice([*AGES]),
            "condition": draw.choice(CONDITIONS),
        }
        for _ in range(rows)
    ]


def random_person(draw):
    return {"zip": draw.choice(ZIPS), "age": draw.choice([7, 22, 25, 28, 33, 39, 40, 61])}


def fits(row, person):
    return all(value in MEANINGS[column][row[column]] for column, value in person.items())


def matching(table, person):
    return [number for number, row in enumerate(table, start=1) if fits(row, person)]


def candidates(table, person):
    return Counter(row["condition"] for row in table if fits(row, person))


def posterior(tables, person):
    """Choose a matching row in every table in all ways; keep those that agree."""
    rows = [[row["condition"] for row in table if fits(row, person)] for table in tables]
    agreeing = Counter(chosen[0] for chosen in product(*rows) if len(set(chosen)) == 1)
    return {value: Fraction(n, agreeing.total()) for value, n in agreeing.items()}


def consistent(tables, person):
    """As `posterior`, and somebody exists who fits all chosen rows and what is known."""
    people = [
        {"zip": z, "age": a}
        for z in ZIPS
        for a in range(100)
        if all({"zip": z, "age": a}[column] == value for column, value in person.items())
    ]
    rows = [[row for row in table if fits(row, person)] for table in tables]
    agreeing = Counter(
        chosen[0]["condition"]
        for chosen in product(*rows)
        if len({row["condition"] for row in chosen}) == 1
        and any(all(fits(row, one) for row in chosen) for one in people)
    )
    return {value: Fraction(n, agreeing.total()) for value, n in agreeing.items()}


def by_bayes(counts, prior, population):
    """The posterior by enumeration of everybody else, row by row.

    The person stands in one of the rows of each table, evenly; all other rows are drawn from the
    population; what is seen is how many rows have which value.
    """
    found = {}
    for value, weight in prior.items():
        chance = prod((_seen(value, seen, population) for seen in counts), start=Fraction(weight))
        if chance:
            found[value] = chance
    total = sum(found.values())
    return {value: chance / total for value, chance in found.items()}


def _seen(value, seen, population):
    """The probability of what is seen in one table if the person has the value."""
    size = sum(seen.values())
    everything = sum(population.values())
    return sum(
        prod((Fraction(population[other]) / everything for other in others), start=Fraction(1))
        for others in product(population, repeat=size - 1)
        if Counter([value, *others]) == Counter(seen)
    )


SETS = {
    "flu": ["flu"],
    "cold": ["cold"],
    "gout": ["gout"],
    "flu|cold": ["flu", "cold"],
    "cold|flu": ["flu", "cold"],
    "{gout, cold}": ["gout", "cold"],
    "*": None,
    None: None,
}


def random_sets(draw, rows):
    return [
        {"age": draw.choice(["30", "40", "*"]), "condition": draw.choice([*SETS])}
        for _ in range(rows)
    ]


def fitting_sets(table, age):
    return [row["condition"] for row in table if row["age"] in ("*", age)]


def occurring(tables):
    cells = [SETS[row["condition"]] or [] for table in tables for row in table]
    return sorted({value for cell in cells for value in cell})


def spread(tables, age):
    """The posterior when cells are sets, by enumeration of the true values of all matching rows.

    Everybody's value is one of those that occur, evenly; the person stands in an even row of each
    table; a set is published equally likely for each of its values.
    """
    domain = occurring(tables)
    weights = {}
    for value in domain:
        weight = 1
        for table in tables:
            seen = [SETS[cell] or domain for cell in fitting_sets(table, age)]
            weight *= sum(
                truth[place] == value for truth in product(*seen) for place in range(len(seen))
            )
        if weight:
            weights[value] = weight
    total = sum(weights.values())
    return {value: Fraction(weight, total) for value, weight in weights.items()}


def most_matched(people, rows, fits_):
    """The size of a largest matching of people to rows, by trying all ways."""
    if not people:
        return 0
    first, *others = people
    best = most_matched(others, rows, fits_)
    for row in rows:
        if fits_(row, first):
            best = max(best, 1 + most_matched(others, [r for r in rows if r is not row], fits_))
    return best


# --- measures of anonymity, written again from their definitions ----------------------------------


FIGURE_1 = [
    {"zip": "130**", "age": age, "nationality": "*", "condition": condition}
    for age, conditions in (
        ("<30", ["AIDS", "Heart Disease", "Viral Infection", "Viral Infection"]),
        ("≥40", ["Cancer", "Heart Disease", "Viral Infection", "Viral Infection"]),
        ("3*", ["Cancer"] * 4),
    )
    for condition in conditions
]


def random_people(seed, rows=30, values="abcd"):
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
