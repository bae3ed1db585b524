"""Reading sentences back, and small random mechanisms to make them about.

A template is a sentence with holes: ``#`` for a number, ``~`` for words. A sentence that fits none
of the templates that its test knows fails the test, so that a new sentence needs a new test.
"""

import itertools
import math
import re
from fractions import Fraction
from random import Random

__all__ = [
    "BITS",
    "GUESS",
    "OPEN",
    "RECORDS",
    "Law",
    "above",
    "behind",
    "below",
    "delta",
    "exact",
    "fit",
    "guessed",
    "left_out",
    "matrix",
    "neighbours",
    "number",
    "random_belief",
    "random_law",
    "random_mechanism",
    "ratio",
    "refusal",
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


# --- a guess at even odds -------------------------------------------------------------------------

GUESS = "someone who knows everyone else and guesses at even odds"
RECORDS = f"{GUESS} which of two possible records is theirs"
OPEN = f"{GUESS} between two possibilities for each"  # where it is open what a neighbour is
_COUNTED = re.compile(
    r"Of ([0-9,]+) .*? "
    r"(at most [0-9,]+|all 100|50|just over half|practically all)(?: would be)? right "
    r"\(([0-9,]+|half) without (?:your data|their data|the output)\)"
)
_ENDS = (
    ": ~ protection.",
    ": ~ protection; with probability up to # the output gives it away.",
    "; with probability up to # the output gives it away.",
    ": the output says nothing about ~.",
)


def guessed(said: str, chance: Fraction, certain: Fraction = Fraction(0)) -> None:
    """Check what is said of a guess: how many are right, the word, and a chance of certainty."""
    found = _COUNTED.match(said)
    assert found, said
    of, half = number(found[1]), Fraction(1, 2)
    which, holes = fit(said[found.end() :], *_ENDS)
    if chance in (half, 1):
        assert (found[2], found[3]) == ("50" if chance == half else "all 100", "50")
    elif found[3] == "half":  # too near for a million
        assert min(chance - half, 1 - chance) * 10**6 < 1
        assert found[2] == ("just over half" if chance < Fraction(3, 4) else "practically all")
    else:
        right = number(found[2].removeprefix("at most "))
        assert chance * of <= right < chance * of + 1, "rounded up, to the next one"
        assert of / 2 < right < of == 2 * number(found[3])
        if of > 100:  # a smaller number of people would not have told it from half, or from all
            assert min(chance - half, 1 - chance) * of / 10 < 1
    word = next(
        word
        for most, word in ((75, "strong"), (90, "moderate"), (99, "weak"), (100, "practically no"))
        if 100 * chance <= most
    )
    if chance == half:
        assert which == _ENDS[3]
    elif not certain or chance == 1:
        assert (which, holes) == (_ENDS[0], [word])
    else:
        assert above(holes[-1], certain)
        assert which == _ENDS[1 if certain <= Fraction(1, 1000) or word == "practically no" else 2]
        assert len(holes) == 1 or holes[0] == word


def behind(told: dict) -> str:
    """Return what stands behind the first sentence of a verdict, or of a promise."""
    return " ".join(told.get("more") or told["sentences"][1:])


def refusal(told: dict) -> str:
    """Return the sentence that leads a refuted claim, without the guess that follows it."""
    return re.split(r" Of [0-9,]+ ", told["sentence"])[0]


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


def guess_is(
    of: Fraction, right: Fraction, half: Fraction, epsilon: float, plus: float = 0
) -> bool:
    """Tell whether a guess is the one that (epsilon, delta) allows, rounded up."""
    chance = (math.exp(epsilon) + plus) / (1 + math.exp(epsilon))
    return of == 2 * half and float(right) - 1 <= chance * float(of) <= float(right)
