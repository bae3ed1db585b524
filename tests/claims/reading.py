"""Reading sentences back, and small random mechanisms to make them about.

A template is a sentence with holes: ``#`` for a number, ``~`` for words. A sentence that fits none
of the templates that its test knows fails the test, so that a new sentence needs a new test.
"""

import itertools
import re
from fractions import Fraction
from random import Random

__all__ = [
    "BITS",
    "Law",
    "above",
    "below",
    "delta",
    "exact",
    "fit",
    "left_out",
    "matrix",
    "neighbours",
    "number",
    "random_belief",
    "random_law",
    "random_mechanism",
    "ratio",
]

Law = dict[str, list[Fraction]]
BITS = ("11", "10", "01", "00")

_ABOUT = (
    r"(?:about |almost |at most |at least |more than |less than |just (?:above|below) |[<>]=? )?"
)
_NUMBER = r"(-?[0-9][0-9,]*(?:\.[0-9]+)?(?:e-?[0-9]+)?(?:/[0-9]+)?|infinity)(?: \([^()]*[0-9]\))?"


def pattern(template: str) -> re.Pattern[str]:
    """Return the template as a regular expression; the sign before a number may vary."""
    parts = re.split(r"([#~])", template)
    holes = {"#": _ABOUT + _NUMBER, "~": "(.+?)"}
    return re.compile("".join(holes.get(part, re.escape(part)) for part in parts))


def number(text: str) -> Fraction:
    """Return the number that is written."""
    return Fraction(text.replace(",", ""))


def fit(text: str, *templates: str) -> tuple[str, list]:
    """Return the template that the whole text fits, and what stands in its holes."""
    said = " ".join(text.split())
    for template in templates:
        found = pattern(template).fullmatch(said)
        if found:
            holes = re.findall("[#~]", template)
            return template, [
                hole if kind == "~" or hole == "infinity" else number(hole)
                for kind, hole in zip(holes, found.groups(), strict=True)
            ]
    raise AssertionError(f"no template is known for this sentence:\n  {said}")


def above(printed: Fraction, truth: Fraction, slack: Fraction = Fraction(1, 50)) -> bool:
    """Tell whether an upper bound is one, and not needlessly weak: two digits are right."""
    return truth <= printed <= truth + slack * max(abs(truth), Fraction(1, 10**6))


def below(printed: Fraction, truth: Fraction, slack: Fraction = Fraction(1, 50)) -> bool:
    """Tell whether a lower bound is one, and not needlessly weak."""
    return truth - slack * max(abs(truth), Fraction(1, 10**6)) <= printed <= truth


def exact(found: dict) -> Fraction:
    """Return a number of JSON, exactly."""
    return Fraction(found["exact"])


# --- small mechanisms -----------------------------------------------------------------------------


def random_law(random: Random, size: int, least: int = 1) -> list[Fraction]:
    """Return probabilities of small denominators; with ``least=0`` some may be 0."""
    while True:
        masses = [random.randint(least, 6) for _ in range(size)]
        if sum(masses):
            return [Fraction(mass, sum(masses)) for mass in masses]


def random_mechanism(random: Random, outputs: int = 3, databases=BITS, least: int = 1) -> Law:
    """Return a law of outputs for every database."""
    return {x: random_law(random, outputs, least) for x in databases}


def random_belief(random: Random, databases=BITS, least: int = 0) -> dict[str, Fraction]:
    """Return a belief about the databases, some of which may be ruled out."""
    masses = random_law(random, len(databases), least)
    return {x: mass for x, mass in zip(databases, masses, strict=True) if mass}


def matrix(path, law: Law) -> str:
    """Write the matrix to a file, one column for each database; return its name."""
    rows = zip(*law.values(), strict=True)
    lines = [",".join(law), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path.name


def neighbours(law) -> list[tuple[str, str]]:
    """Return all ordered pairs of databases that differ in one record."""
    return [
        (x, y)
        for x, y in itertools.permutations(law, 2)
        if sum(a != b for a, b in zip(x, y, strict=True)) == 1
    ]


def left_out(x: str, person: int, default: str = "0") -> str:
    """Return the database with the default in place of one person's record."""
    return x[:person] + default + x[person + 1 :]


def delta(p: list[Fraction], q: list[Fraction], a: Fraction) -> Fraction:
    """Return by how much the likeliest event exceeds a times its other probability."""
    return sum((max(x - a * y, Fraction(0)) for x, y in zip(p, q, strict=True)), Fraction(0))


def ratio(p: list[Fraction], q: list[Fraction]) -> Fraction | None:
    """Return the largest ratio of an output's probabilities; None if it is infinite."""
    if any(y == 0 < x for x, y in zip(p, q, strict=True)):
        return None
    return max(x / y if x else Fraction(0) for x, y in zip(p, q, strict=True))
