"""What is said of anonymised tables, alone and together; counted by hand."""

import math
import re
from collections import Counter
from fractions import Fraction
from random import Random

import pytest

from tests.claims.reading import exact, fit

pytestmark = pytest.mark.few(4)
SEEDS = range(12)


def random_table(random, path, rows=8):
    people = [
        (random.choice("123"), random.choice(["20", "30"]), random.choice("abc"))
        for _ in range(rows)
    ]
    lines = ["zip,age,ill", *map(",".join, people)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return people


def groups_of(people):
    found = {}
    for area, age, ill in people:
        found.setdefault((area, age), []).append(ill)
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_how_anonymous_a_table_is(ask, tmp_path, seed):
    people = random_table(Random(seed), tmp_path / "t.csv")
    groups = groups_of(people)
    smallest = min(map(len, groups.values()))
    fewest = min(len(set(ills)) for ills in groups.values())
    whole = Counter(ill for *_, ill in people)
    said = ask("anonymity", "t.csv", "--quasi", "zip,age", "--sensitive", "ill")[1]
    opening = {
        True: "t.csv is #-anonymous for zip and age: 1 person aged ~ stands alone in it. ",
        False: "t.csv is #-anonymous for zip and age: its # rows form # groups of at least # with "
        "equal cells. ",
    }[smallest == 1]
    _, holes = fit(
        said,
        f"{opening}It is #-diverse in ill. ~ measure value worst group smallest group (k) # ~ "
        "distinct values (l) # ~ entropy, e^H (l) # ~ largest share # ~ equal distance (t) # ~ "
        "This is about what this one table says of people who are known to be in it: another table "
        "about the same people may undo all of it (twoworlds attack composition).",
    )
    numbers = [hole for hole in holes if isinstance(hole, Fraction)]
    count = [smallest, len(people), len(groups), smallest] if smallest > 1 else [1]
    assert numbers[: len(count) + 1] == [*count, fewest]
    numbers = numbers[len(count) + 1 :]
    shares = {key: Counter(ills) for key, ills in groups.items()}
    entropy = min(
        math.exp(-sum(n / sum(c.values()) * math.log(n / sum(c.values())) for n in c.values()))
        for c in shares.values()
    )
    largest = max(Fraction(max(c.values()), sum(c.values())) for c in shares.values())
    distance = max(
        sum(
            abs(Fraction(c[v], sum(c.values())) - Fraction(whole[v], len(people))) for v in whole
        ) / 2
        for c in shares.values()
    )  # fmt: skip
    assert numbers[0:2] == [smallest, fewest]
    assert abs(float(numbers[2]) - entropy) < 1e-5
    assert numbers[3:5] == [largest, distance]
    # Whoever is exposed or ruled out is named, and nobody else.
    words = re.search(r"-diverse in ill\. (.*?) measure value", said)[1]
    exposed = {key: c for key, c in shares.items() if len(c) == 1}
    told = re.findall(
        r"(?:all (\d+) people|the only person) aged (\d+) in (\d+) ha(?:ve|s) ill (\w)", words
    )
    more = re.search(
        r"and (\d+) groups? more in which everybody has the same \((\d+) people", words
    )
    assert len(told) + int(more[1] if more else 0) == len(exposed)
    assert not more or int(more[2]) == sum(sum(c.values()) for c in exposed.values())
    for count, age, area, ill in told:
        assert exposed[area, age] == {ill: int(count or 1)}
    for size, age, area, ill in re.findall(
        r"none of the (\d+) people aged (\d+) in (\d+) has ill (\w)", words
    ):
        assert ill not in shares[area, age]
        assert ill in whole
        assert int(size) == sum(shares[area, age].values())
    # Advice: hiding a column makes it 2-anonymous, exactly where that is said.
    hiding = re.search(r"Hiding (.+?) altogether would make it 2-anonymous", words)
    advised = set(re.findall("zip|age", hiding[1])) if hiding else set()
    if smallest == 1:
        truly = {
            name
            for name, kept in (("zip", 1), ("age", 0))
            if min(Counter(person[kept] for person in people).values()) >= 2
        }
        assert advised == truly


@pytest.mark.parametrize("seed", SEEDS)
def test_what_tables_leave_together(ask, ask_json, tmp_path, seed):
    random = Random(seed)
    tables = [random_table(random, tmp_path / name) for name in ("t.csv", "u.csv")]
    words = ["attack", "composition", "t.csv", "u.csv", "--know", "zip=1", "--sensitive", "ill"]
    matching = [Counter(ill for area, _, ill in people if area == "1") for people in tables]
    said = ask(*words)[1]
    nobody, pinned, several, none = (
        "Nobody matches: ~",
        "Each table alone leaves # and # ~; together they leave one: ~. ~",
        "Each table alone leaves # and # ~; together they leave #: ~. ~",
        "Each table alone leaves # and # ~; together they leave none: ~. ~",
    )
    already = "Each table alone leaves 1 ill; together they leave one: ~. t.csv and u.csv alone ~"
    which, holes = fit(said, nobody, pinned, several, none, already)
    if not all(matching):
        assert which == nobody
        return
    both = [v for v in matching[0] if v in matching[1]]
    if not both:
        assert which not in (nobody, pinned, several)
        return
    alone = [len(left) for left in matching]
    assert which == (already if alone == [1, 1] else pinned if len(both) == 1 else several)
    assert which == already or holes[:2] == alone
    if which == several:
        assert holes[3] == len(both)
    weights = {
        v: math.prod(Fraction(c[v], sum(c.values())) for c in matching) for v in both
    }  # fmt: skip
    told = ask_json(*words)
    assert {v: exact(p) for v, p in told.items()} == {
        v: w / sum(weights.values()) for v, w in weights.items()
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_a_register_beside_a_table(ask, tmp_path, seed):
    random = Random(seed)
    register = random_table(random, tmp_path / "r.csv", 6)
    table = random_table(random, tmp_path / "t.csv")
    matches = [[row for row in table if row[0] == person[0]] for person in register]
    rivals = [[p for p in register if p[0] == row[0]] for row in table]
    said = ask("attack", "linkage", "r.csv", "t.csv", "--on", "zip", "--sensitive", "ill")[1]
    numbers = {
        "match": re.match(r"(\d+) of (\d+) people of r\.csv match rows of t\.csv by zip", said),
        "one row": re.search(r"(\d+) of them match(?:es)? exactly one row", said),
        "one person": re.search(r"(\d+) rows? of the table match(?:es)? exactly one person", said),
        "exposed": re.search(
            r"Of (\d+) (?:people|person) all matching rows have one sensitive value|Nobody's "
            r"matching rows all have one sensitive value",
            said,
        ),
    }
    matched = [rows for rows in matches if rows]
    assert [int(n) for n in numbers["match"].groups()] == [len(matched), len(register)]
    assert int(numbers["one row"][1]) == sum(len(rows) == 1 for rows in matches)
    assert int(numbers["one person"][1]) == sum(len(people) == 1 for people in rivals)
    given_away = sum(len({ill for *_, ill in rows}) == 1 for rows in matched)
    assert int(numbers["exposed"][1] or 0) == given_away
