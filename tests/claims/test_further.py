"""Groups, good databases, conditioning, strategies, memberships and reconstructions; by hand."""

import itertools
import math
from fractions import Fraction
from random import Random

import pytest

from tests.claims.reading import (
    BITS,
    above,
    delta,
    fit,
    left_out,
    matrix,
    neighbours,
    random_law,
    random_mechanism,
    ratio,
)

pytestmark = pytest.mark.few(4)
SEEDS = range(8)

LIST = "The list sets the price only: other questions are answered too, as far as they fit."


@pytest.mark.parametrize("seed", SEEDS)
def test_a_group_of_two(ask_json, tmp_path, seed):
    law = random_mechanism(Random(seed))
    name = matrix(tmp_path / "m.csv", law)
    found = max(ratio(law[x], law[y]) for x, y in itertools.permutations(BITS, 2))
    single = max(ratio(law[x], law[y]) for x, y in neighbours(BITS))
    told = ask_json("measure", name, "--group", 2)
    _, (odds, half, rare) = fit(
        told["more"][0],
        "Someone who knows every record but those of 2 people and gives even odds to two "
        "possibilities for these can end up at odds of at most # to 1: 50% becomes at most #%, and "
        "1% at most #%.",
    )
    assert above(odds, found)
    assert above(half, 100 * found / (1 + found))
    assert above(rare, 100 * found / (99 + found))
    for note in told["notes"]:
        _, (bound,) = fit(note, "from one person, the bound for groups of 2 is #")
        assert bound == single**2


@pytest.mark.parametrize("seed", SEEDS)
def test_good_databases(ask, tmp_path, seed):
    random = Random(seed)
    law = random_mechanism(random)
    r = random.choice([Fraction(3, 2), Fraction(2), Fraction(3)])
    name = matrix(tmp_path / "m.csv", law)

    def alike(x, y):
        return max(ratio(law[x], law[y]), ratio(law[y], law[x])) <= r

    good = [x for x in BITS if all(alike(x, y) for z, y in neighbours(BITS) if z == x)]
    safe = [x for x in BITS if all(alike(x, left_out(x, i)) for i in (0, 1))]
    average = max(
        sum(delta(*pair, r) for x in BITS for pair in [(law[x], law[left_out(x, i)])[::way]]) / 4
        for i in (0, 1)
        for way in (1, -1)
    )
    said = ask("local", name, "--ratio", r)[1]
    _, (count, size, factor, _, bad, mass, leaving, _, failing, _) = fit(
        said,
        "m.csv # of # databases held possible are good: another value of one record makes nothing "
        "more than # times as likely, or as unlikely, plus #. Not good: ~. The belief gives them "
        "probability #; and # if only leaving a person out counts, that is, putting 0 in place of "
        "the record. On the average over the belief, leaving a person out keeps the factor # but "
        "for a probability of #. For this belief follows, with epsilon for how far leaving a "
        "person out can move what is concluded, and delta for the probability that it moves "
        "further: ~",
    )
    assert (count, size, factor) == (len(good), 4, r)
    assert bad == (", ".join(x for x in BITS if x not in good) or "none")
    assert mass == Fraction(4 - len(good), 4)
    assert leaving == Fraction(4 - len(safe), 4)
    assert failing == average


@pytest.mark.parametrize("seed", SEEDS)
def test_conditioning(ask, seed):
    random = Random(seed)
    cells = [(a, t) for t in "12" for a in "ab"]
    laws = [dict(zip(cells, random_law(random, 4), strict=True)) for _ in range(2)]
    r, inner = random.choice([Fraction(1), Fraction(3, 2)]), Fraction(1, 20)
    words = ["; ".join(f"{a},{t}={mass}" for (a, t), mass in law.items()) for law in laws]
    said = ask("condition", *words, "--ratio", r, "--inner", inner)[1]
    _, (times, plus, square, allowed, where, first, second, _) = fit(
        said,
        "As laws of pairs the two are alike: whatever one of them does with some probability, the "
        "other does with at most # times that, plus #. Who sees the second coordinate compares the "
        "laws of the first one given it. There the factor # (the square), plus #, is allowed. The "
        "second coordinate breaks that at: ~. Such values have probability # in the first law, and "
        "# in the second. ~",
        "As laws of pairs the two are alike: whatever one of them does with some probability, the "
        "other does with at most # times that, plus #. Who sees the second coordinate compares the "
        "laws of the first one given it. There the factor # (the square of #), plus #, is allowed. "
        "The second coordinate breaks that at: ~. Such values have probability # in the first law, "
        "and # in the second. ~",
    )

    def both(p, q, a):
        return max(delta(p, q, a), delta(q, p, a))

    joint = [[law[cell] for cell in cells] for law in laws]
    assert (times, square, allowed) == (r, r * r, inner)
    assert plus == both(*joint, r)
    broken = []
    for t in "12":
        given = [[law[a, t] / (law["a", t] + law["b", t]) for a in "ab"] for law in laws]
        if both(*given, r * r) > inner:
            broken.append(t)
    assert where == (", ".join(broken) or "no value")
    masses = [sum(law[a, t] for a in "ab" for t in broken) for law in laws]
    assert [first, second] == masses


@pytest.mark.parametrize(
    ("queries", "together", "apart"),
    [
        (["age < 40", "age >= 40"], Fraction(1, 2), Fraction(1)),
        (["age < 40", "age < 50"], Fraction(1), Fraction(1)),
        (["age < 40", "age >= 40", "age >= 60"], Fraction(1), Fraction(3, 2)),
        (["age < 20", "age >= 60", "age >= 30 AND age < 50"], Fraction(1, 2), Fraction(3, 2)),
    ],
)
def test_questions_cost_what_one_row_can_move(ask, tmp_path, queries, together, apart):
    """As many halves of epsilon as questions that one row can satisfy at once."""
    ask("demo", "--folder", "hospital")
    text = ";\n".join(f"SELECT COUNT(*) FROM people WHERE {where}" for where in queries)
    (tmp_path / "questions.sql").write_text(text + "\n", encoding="utf-8")
    said = ask(
        "strategy", "open", "ill", "--policy", "hospital/policy.yml", "--analyst", "bob",
        "--may-ask", "questions.sql", "--each", "1/2", "--dry-run",
    )[1]  # fmt: skip
    which, holes = fit(
        said,
        "The strategy would cost epsilon #. Nothing was charged. Left before: ~ "
        f"Together these questions cost epsilon #, one by one they would cost #. {LIST}",
        "The strategy would cost epsilon #. Nothing was charged. Left before: ~ "
        f"Together these questions cost epsilon #, as much as one by one. {LIST}",
    )
    holes = [hole for hole in holes if isinstance(hole, Fraction)]  # not what was left before
    assert holes[0] == holes[1] == together
    assert holes[-1] == apart
    assert ("as much" in which) == (together == apart)


@pytest.mark.parametrize("cell", ["3", "5", "hidden"])
def test_membership_from_one_cell(ask, cell):
    people, share, least = 60, Fraction(1, 20), 3
    said = ask(
        "attack", "membership", "--cell", cell, "--share", share, "--people", people,
        "--at-least", least,
    )[1]  # fmt: skip

    def law(n, k):
        return math.comb(n, k) * share**k * (1 - share) ** (n - k)

    if cell == "hidden":
        inside = sum(law(people - 1, k) for k in range(least - 1))
        outside = sum(law(people, k) for k in range(least))
    else:
        inside, outside = law(people - 1, int(cell) - 1), law(people, int(cell))
    factor = inside / outside
    goes = (
        ": the probability of having taken part goes from # to #. It was a study of # people. The "
        "people of the study were drawn independently from the population of which the shares are "
        "known, and attributes are independent."
    )
    which, holes = fit(
        said,
        f"The published numbers are # times as likely if this person took part{goes}",
        f"The published numbers are # times as likely if this person did not take part{goes}",
        f"The published numbers say nothing about whether this person took part{goes}",
    )
    assert holes[-1] == people
    assert ("say nothing" in which) == (factor == 1)
    assert ("did not" in which) == (factor < 1)
    assert factor == 1 or abs(holes[0] - max(factor, 1 / factor)) < holes[0] / 500
    assert abs(holes[-2] - factor / (1 + factor)) < Fraction(1, 1000)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_answers_within_an_error_give_away(ask_json, tmp_path, seed):
    random = Random(seed)
    people = 5
    truth = [random.randint(0, 1) for _ in range(people)]
    error = random.choice([Fraction(1, 2), Fraction(1), Fraction(3, 2)])
    asked = [[random.randint(0, 1) for _ in range(people)] for _ in range(8)]
    answers = [
        sum(b for b, s in zip(truth, one, strict=True) if s) + random.choice([-error, 0, error])
        for one in asked
    ]
    lines = [",".join([*(f"p{i}" for i in range(people)), "answer"])]
    lines += [",".join(map(str, [*one, float(a)])) for one, a in zip(asked, answers, strict=True)]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    told = ask_json("attack", "reconstruct", "--answers", "a.csv", "--error", error)

    def errors(column):
        sums = [sum(b for b, s in zip(column, one, strict=True) if s) for one in asked]
        return [abs(total - a) for total, a in zip(sums, answers, strict=True)]

    fits = [c for c in itertools.product((0, 1), repeat=people) if max(errors(c)) <= error]
    column = told["column"]
    agree = min(sum(a == b for a, b in zip(column, other, strict=True)) for other in fits)
    head = (
        "A column of # bits was decoded from # sums by linear programming. If it is right, the "
        "answers were off by at most #, and by # on average."
    )
    only, some = (
        " If every answer is within # of the truth, then this column is the truth: no other one "
        "fits.",
        " If every answer is within # of the truth, then at least # of these # bits are right, "
        "whatever the truth is (~).",
    )
    floor = " No column comes below # on average, not even with fractions."
    which, holes = fit(
        told["explanation"], head + only, head + some, head + floor + only, head + floor + some
    )
    off = errors(column)
    assert holes[:2] == [people, len(asked)]
    assert abs(holes[2] - max(off)) < Fraction(1, 100)
    assert abs(holes[3] - Fraction(sum(off)) / len(off)) < Fraction(1, 100)
    if which.endswith(only):
        assert agree == people
    else:
        assert holes[-3] == agree
