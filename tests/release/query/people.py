"""A dataset with a column of every kind, odd names and a public table, for tests of queries."""

from datetime import date
from fractions import Fraction

from twoworlds.release.policy import Column, Dataset, PublicTable, Unit


def _numbers(*values: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(value) for value in values)


AGE = Column(
    "age",
    "integer",
    Fraction(0),
    Fraction(120),
    bins=_numbers(0, 18, 65, 120),
    grid=_numbers(*range(0, 121, 10)),
)
INCOME = Column("income", "number", Fraction(0), Fraction(1000), Fraction(1, 2), fill=Fraction(5))
REGION = Column("region", "text", keys=("north", "south"))
PLAIN = {
    "age": AGE,
    "income": INCOME,
    "region": REGION,
    "city": Column("city", "text"),
    "member": Column("member", "boolean", keys=(False, True)),
    "born": Column("born", "date", keys=(date(2000, 1, 1), date(2001, 1, 1))),
    "weight": Column("weight", "number"),
}
ODD = ("select", "date", "two words", 'quo"ted', "a.b", "ünï", "1st", "Key", "key", "count", "x'y")
REGIONS = PublicTable(
    "regions",
    None,
    "code",
    {
        "code": Column("code", "text"),
        "country": Column("country", "text", keys=("A", "B")),
        "size": Column("size", "integer", Fraction(0), Fraction(10)),
        "city": Column("city", "text"),
    },
)
HIDDEN_KEY = PublicTable("zones", None, "id", {"zone": Column("zone", "text", keys=("x", "y"))})

PEOPLE = Dataset(
    "people",
    None,
    "add-remove",
    Unit("pid", 5, 2),
    PLAIN | {name: Column(name, "text") for name in ODD},
    {"regions": REGIONS, "zones": HIDDEN_KEY},
)
ROWS = Dataset("people", None, "substitute", columns=PLAIN)
