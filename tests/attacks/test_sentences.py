"""What attacks say in sentences, against counts by hand on small cases."""

import re
from collections import Counter
from fractions import Fraction
from math import prod
from random import Random

import pytest

from tests.claims.reading import fit
from tests.cli.calling import call
from twoworlds.attacks.queries import averaging, membership_in_means
from twoworlds.attacks.reconstruction import sweep
from twoworlds.attacks.tables.table import listed


@pytest.fixture
def ask(capsys, tmp_path, monkeypatch):
    """Return a function that runs a command and returns all words that it prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setenv("NO_COLOR", "1")

    def asked(*words):
        code, out, refused = call(capsys, *map(str, words))
        assert code in (0, 1), refused
        return " ".join(out.split())

    return asked


# --- averaging ------------------------------------------------------------------------------------


def test_the_mean_is_that_of_as_many_answers_as_are_named(ask, monkeypatch):
    given = iter([Fraction(10)] * 20 + [Fraction(16), Fraction(25)])
    real = averaging._answer
    monkeypatch.setattr(averaging, "_answer", lambda *a: (real(*a), next(given))[1])
    said = ask("attack", "averaging", "--engine", "--epsilon", "1/2", "--cap", "3/2")
    assert "1 answer, paid once" in said
    assert "2 questions were answered" in said
    named = re.search(r"The mean of all (\d+) answers is ([0-9.]+) ", said)
    assert named is not None, said
    assert (int(named[1]), float(named[2])) == (3, 17)


# --- lists and likelihoods ------------------------------------------------------------------------


@pytest.mark.parametrize("many", range(1, 14))
def test_a_list_leaves_out_none_or_more_than_one(many):
    said = listed([f"<{i}>" for i in range(many)])
    left = re.search(r" and (\d+) more$", said)
    assert said.count("<") + int(left[1] if left else 0) == many
    assert left is None or int(left[1]) > 1


@pytest.mark.parametrize(("share", "equally"), [("499999/1000000", True), ("49/100", False)])
def test_numbers_that_hardly_tell_are_equally_likely(share, equally):
    said = membership_in_means([1], [50], [share], 100).explain()
    assert ("about equally likely" in said) == equally
    assert (" times as likely" in said) != equally


# --- everybody of a register ----------------------------------------------------------------------


def random_table(random, path, rows):
    people = [(random.choice("123"), random.choice("abc")) for _ in range(rows)]
    path.write_text("\n".join(["zip,ill", *map(",".join, people)]) + "\n", encoding="utf-8")
    return people


@pytest.mark.parametrize("seed", range(3))
def test_what_happens_to_everybody_of_a_register(ask, tmp_path, seed):
    random = Random(seed)
    tables = [random_table(random, tmp_path / name, 5) for name in ("t.csv", "u.csv")]
    register = random_table(random, tmp_path / "r.csv", 6)
    said = ask(
        "attack", "composition", "t.csv", "u.csv", "--everyone", "r.csv", "--on", "zip",
        "--sensitive", "ill",
    )  # fmt: skip
    pinned, alone, newly, expected, right, everywhere, guessed = 0, [0, 0], 0, 0, Fraction(0), 0, 0
    for area, ill in register:
        seen = [Counter(v for place, v in rows if place == area) for rows in tables]
        if not all(seen):
            continue
        everywhere += 1
        weights = {v: prod(one[v] for one in seen) for v in seen[0] if v in seen[1]}
        if len(weights) == 1:
            pinned += 1
            single = [len(one) == 1 for one in seen]
            alone = [n + one for n, one in zip(alone, single, strict=True)]
            newly += not any(single)
        if weights:
            guessed += 1
            most = max(weights.values())
            likeliest = [v for v in weights if weights[v] == most]
            expected += Fraction(most, sum(weights.values()))
            right += Fraction(ill in likeliest, len(likeliest))
    if not everywhere:
        assert said.startswith("Nobody of 6 people matches all tables by zip.")
        return
    _, holes = fit(
        said,
        "The ill of # of # ~ who can be in all tables is pinned down: # and # by each table alone, "
        "and # only by putting the tables together. The register has # people, of whom zip is "
        "known. ~",
    )
    assert holes[:2] == [pinned, everywhere]
    assert holes[3:7] == [*alone, newly, 6]
    contradicted = re.search(r"contradict each other about (\d+) of them", said)
    assert int(contradicted[1] if contradicted else 0) == everywhere - guessed
    if guessed:
        expects = re.search(r"expects to be right (?:about )?([0-9.]+) times of (\d+)", said)
        counted = re.search(r"these are right (?:about )?([0-9.]+) times of (\d+)", said)
        assert abs(Fraction(expects[1]) - expected) < Fraction(1, 10**4)
        assert abs(Fraction(counted[1]) - right) < Fraction(1, 10**4)
        assert int(expects[2]) == int(counted[2]) == guessed


# --- reconstruction -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
def test_where_a_sweep_works_is_what_its_points_say(seed):
    found = sweep(5, [6, 24], [0, 1, 2, 4, 8], seed=seed, repeats=2, method="least-squares")
    points = {(p["queries"], p["noise"]): p["fraction"] for p in found.data["points"]}
    noises = sorted({noise for _, noise in points})
    for m in (6, 24):
        [said] = [
            line
            for line in found.data["explanation"].splitlines()
            if line.startswith(f"{m} sums: ")
        ]
        works = [points[m, noise] >= Fraction(3, 4) for noise in noises]
        if all(works):
            assert said.endswith("three quarters or more are right at every noise tried.")
            continue
        end = works.index(False)
        if end == 0:
            assert said.endswith(f"fewer than three quarters are right even at {noises[0]}.")
            continue
        assert said.endswith(
            f"works up to noise {noises[end - 1]}, and fails at {noises[end]} (fewer than three "
            "quarters right)."
        )
