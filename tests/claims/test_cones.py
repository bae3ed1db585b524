"""Row cones in words: guarantees, statements, odds, comparisons, relaxations, designs; on two bits.

A guarantee is true if every row of the mechanism keeps it, and not needlessly weak if one keeps it
with equality. Which rows a list of guarantees allows is found by solving every choice of them.
"""

import itertools
import math
import re
from fractions import Fraction
from random import Random

import pytest
from scipy.optimize import linprog

from tests.claims.reading import (
    BITS,
    exact,
    fit,
    matrix,
    neighbours,
    number,
    random_belief,
    random_mechanism,
)

pytestmark = pytest.mark.few(4)
SEEDS = range(10)
TERM = re.compile(r"([0-9]+ )?x([01]{2})")


def rows_of(law):
    return [dict(zip(law, row, strict=True)) for row in zip(*law.values(), strict=True)]


def side(text: str) -> dict[str, Fraction]:
    terms = [] if text == "0" else text.split(" + ")
    found = [TERM.fullmatch(term) for term in terms]
    assert all(found), text
    return {match[2]: Fraction(match[1] or 1) for match in found}


def guarantee(text: str):
    """Return the sign and the coefficients of right side minus left side, as printed."""
    left, sign, right = re.fullmatch(r"(.+) (<=|>=|=) (.+)", text).groups()
    if sign == ">=":
        left, sign, right = right, "<=", left
    found = dict.fromkeys(BITS, Fraction(0))
    for part, factor in ((side(right), 1), (side(left), -1)):
        for x, c in part.items():
            found[x] += factor * c
    return sign, found


def at(form, row) -> Fraction:
    return sum((c * row[x] for x, c in form.items()), Fraction(0))


def solved(forms, size=4):
    """Return a vector that all forms map to 0, if they leave just one direction; else None."""
    rows = [[form[x] for x in BITS] for form in forms]
    places = []
    for column in range(size):
        pivot = next((r for r in range(len(places), len(rows)) if rows[r][column]), None)
        if pivot is None:
            continue
        here = len(places)
        rows[here], rows[pivot] = rows[pivot], rows[here]
        rows[here] = [v / rows[here][column] for v in rows[here]]
        for r in range(len(rows)):
            if r != here:
                rows[r] = [
                    v - rows[r][column] * w for v, w in zip(rows[r], rows[here], strict=True)
                ]
        places.append(column)
    free = [c for c in range(size) if c not in places]
    if len(free) != 1:
        return None
    found = [Fraction(0)] * size
    found[free[0]] = Fraction(1)
    for r, column in enumerate(places):
        found[column] = -rows[r][free[0]]
    return dict(zip(BITS, found, strict=True))


def extreme(guarantees):
    """Return the extreme rows that a list of guarantees allows, each scaled to sum 1."""
    equal = [form for sign, form in guarantees if sign == "="]
    others = [form for sign, form in guarantees if sign == "<="]
    found = set()
    for chosen in itertools.combinations(others, 3 - len(equal)):
        vector = solved([*equal, *chosen])
        if vector is None:
            continue
        for way in (1, -1):
            row = {x: way * v for x, v in vector.items()}
            if all(at(form, row) >= 0 for form in others):
                found.add(scaled(row))
    return found


def scaled(row):
    total = sum(row.values())
    assert total > 0
    return tuple(row[x] / total for x in BITS)


def mechanism_of(tmp_path, seed, name="m.csv"):
    random = Random(seed)
    law = random_mechanism(random, random.choice([2, 3, 4, 5]), least=seed % 3 > 0)
    law = {x: [p for p, *row in zip(law[x], *law.values(), strict=True) if any(row)] for x in BITS}
    return matrix(tmp_path / name, law), law


# --- cones and statements -------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_a_cone_lists_what_can_occur_and_nothing_else(ask, ask_json, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)
    fit(
        ask("cone", name)[1],
        "m.csv Over bits(2), the likelihood rows x with # guarantees are the combinations of # "
        "extreme rows. guarantees (x with a database's name: the probability of the output there) "
        "~ extreme rows, over 11, 10, 01, 00 ~",
        "m.csv Over bits(2), the likelihood rows x with # guarantees are the combinations of # "
        "extreme row. guarantees (x with a database's name: the probability of the output there) "
        "~ extreme rows, over 11, 10, 01, 00 ~",
    )
    told = ask_json("cone", name)
    guarantees = [guarantee(text) for text in told["inequalities"]]
    rays = {scaled(dict(zip(BITS, map(Fraction, row), strict=True))) for row in told["rays"]}
    rows = rows_of(law)
    for sign, form in guarantees:
        values = [at(form, row) for row in rows]
        assert set(values) == {0} if sign == "=" else min(values) == 0
    assert rays <= {scaled(row) for row in rows}
    if len([1 for sign, _ in guarantees if sign == "="]) < 3:
        assert extreme(guarantees) == rays


BELIEVES = (
    r"An attacker who believes (?P<belief>.+?),(?: and)? so thinks (?P<first>.+?) "
    r"(?P<how>likelier than|exactly as likely as) (?P<second>.+?)"
    r"(?: \((?P<a>\S+) against (?P<b>\S+)\))?, "
    r"(?P<then>still thinks so \(weakly\) after any output|still thinks so exactly after any "
    r"output|never comes to think the latter likelier)\."
)
PERSON = (
    r"For someone who knows that person (?P<other>[12])'s answer is (?P<known>yes|no), the odds "
    r"that person (?P<person>[12])'s answer is (?P<low>yes|no) rather than (?P<high>yes|no) "
    r"(?P<move>grow by a factor of at most (?P<factor>\S+) after any output|never grow after any "
    r"output|never change)\."
)
BELIEVER = (
    r"For an attacker who believes the answers are independent, that of person (?P<other>[12]) yes "
    r"with probability (?P<chance>\S+), the odds that person (?P<person>[12])'s answer is "
    r"(?P<low>yes|no) rather than (?P<high>yes|no) (?P<move>grow by a factor of at most "
    r"(?P<factor>\S+) after any output|never grow after any output|never change)\."
)
PAIR = (
    r"Whatever an attacker believes, the odds of (?P<low>[01]{2}) against (?P<high>[01]{2}) "
    r"(?P<move>grow by a factor of at most (?P<factor>\S+) after any output|never grow after any "
    r"output|never change)\."
)
EMPTY = r".+ says nothing: a probability is never negative\."
PERFECT = (
    r"Whatever an attacker believes, the odds between any two databases never change: nothing is "
    r"learned from any output\."
)
ANSWERS = {"yes": "1", "no": "0"}


def read_belief(text: str) -> dict[str, Fraction]:
    """Return the belief that a sentence spells out."""
    if text.startswith("the database is "):
        found = {}
        for labels, mass, each in re.findall(
            r"((?:[01]{2}(?:, | or )?)+) with probability ([0-9/]+)( each)?", text
        ):
            named = re.findall("[01]{2}", labels)
            assert each or len(named) == 1, text
            found |= dict.fromkeys(named, number(mass))
        return found
    chances = re.fullmatch(
        r"the two answers are independent, (?:each (?P<both>.+)|that of person 1 (?P<one>[^,]+), "
        r"that of person 2 (?P<two>.+))",
        text,
    )
    assert chances, text
    laws = [chances["both"] or chances[k] for k in ("one", "two")]

    def chance(said, answer):
        certain = re.fullmatch("certainly (yes|no)", said)
        if certain:
            return Fraction(ANSWERS[certain[1]] == answer)
        if said == "yes or no, equally likely":
            return Fraction(1, 2)
        yes = number(re.fullmatch(r"yes with probability (\S+)", said)[1])
        return yes if answer == "1" else 1 - yes

    return {x: chance(laws[0], x[0]) * chance(laws[1], x[1]) for x in BITS}


def read_set(text: str, other: str | None = None) -> list[str]:
    if text.startswith("{"):
        return re.findall("[01]{2}", text)
    parity = re.fullmatch(r"an (even|odd) (?:number of yeses|one)", text)
    if parity:
        return [x for x in BITS if (x.count("1") % 2 == 0) == (parity[1] == "even")]
    one = re.fullmatch(r"(yes|no)(?: for person ([12]))?", text)
    assert one, text
    person = one[2] or re.search("person ([12])", other)[1]
    return [x for x in BITS if x[int(person) - 1] == ANSWERS[one[1]]]


def meaning(sentence: str):
    """Return the belief, the set that stays at least as likely, the other one, and "<=" or "="."""
    for pattern in (PERSON, BELIEVER, PAIR):
        found = re.fullmatch(pattern, sentence)
        if not found:
            continue
        parts = found.groupdict()
        factor = number(parts["factor"]) if parts["factor"] else Fraction(1)
        sign = "=" if parts["move"] == "never change" else "<="
        if pattern == PAIR:
            high, low = {parts["high"]: factor}, {parts["low"]: Fraction(1)}
        else:
            person, other = int(parts["person"]) - 1, int(parts["other"]) - 1
            chance = number(parts["chance"]) if pattern == BELIEVER else None
            high, low = {}, {}
            for value in "10":
                weight = (
                    Fraction(value == ANSWERS[parts["known"]])
                    if chance is None
                    else (chance if value == "1" else 1 - chance)
                )
                for held, answer, times in ((high, "high", factor), (low, "low", 1)):
                    x = ["", ""]
                    x[person], x[other] = ANSWERS[parts[answer]], value
                    held["".join(x)] = weight * times
        return sign, {x: high.get(x, Fraction(0)) - low.get(x, Fraction(0)) for x in BITS}
    found = re.fullmatch(BELIEVES, sentence)
    assert found, f"no template is known for this sentence:\n  {sentence}"
    belief = read_belief(found["belief"])
    assert sum(belief.values()) == 1
    first = read_set(found["first"])
    second = read_set(found["second"], found["first"])
    held = [sum(belief.get(x, 0) for x in members) for members in (first, second)]
    if found["a"]:
        assert held == [number(found["a"]), number(found["b"])]
    assert held[0] > held[1] if found["how"] == "likelier than" else held[0] == held[1]
    sign = "=" if "exactly after" in found["then"] else "<="
    return sign, {
        x: belief.get(x, Fraction(0)) * ((x in first) - (x in second)) for x in BITS
    }  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_every_statement_is_true_of_every_output_and_tight_for_one(ask_json, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)
    rows = rows_of(law)
    forms = []
    for group in ask_json("statements", name)["groups"]:
        assert group["count"] == len(group["statements"])
        for one in group["statements"]:
            if re.fullmatch(EMPTY, one["sentence"]):
                assert min(at(guarantee(one["inequality"]["text"])[1], row) for row in rows) == 0
                forms.append(("<=", guarantee(one["inequality"]["text"])[1]))
                continue
            sign, form = meaning(one["sentence"])
            values = [at(form, row) for row in rows]
            assert set(values) == {0} if sign == "=" else min(values) == 0
            forms.append((sign, form))
    # Together they say everything: no other row keeps all of them.
    if len([1 for sign, _ in forms if sign == "="]) < 3:
        assert extreme(forms) <= {scaled(row) for row in rows}


@pytest.mark.parametrize("source", ["dp", "randomized-response"])
@pytest.mark.parametrize("r", [Fraction(2), Fraction(3), Fraction(7, 2)])
def test_statements_of_differential_privacy_and_of_randomized_response(ask_json, source, r):
    keep = r / (1 + r)
    text = (
        [f"dp(ratio={r})", "--universe", "bits(2)"]
        if source == "dp"
        else [f"randomized-response(bits=2, keep={keep})"]
    )
    said = ask_json("statements", *text)["groups"]
    forms = [meaning(one["sentence"]) for group in said for one in group["statements"]]
    if source == "dp":
        true = [("<=", {z: r * (z == y) - (z == x) for z in BITS}) for x, y in neighbours(BITS)]
        assert len(forms) == len(true)
        for sign, form in true:
            assert any(s == sign and proportional(f, form) for s, f in forms)
    else:
        rows = {
            o: {x: keep ** (2 - d) * (1 - keep) ** d for x in BITS for d in [differ(o, x)]}
            for o in BITS
        }
        assert extreme(forms) == {scaled(row) for row in rows.values()}


def differ(x, y):
    return sum(a != b for a, b in zip(x, y, strict=True))


def proportional(one, other):
    pairs = {(x, y) for x in BITS for y in BITS}
    return all(one[x] * other[y] == one[y] * other[x] for x, y in pairs)


# --- odds -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_odds_grow_so_far_for_the_belief_named_and_no_further(ask_json, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)
    random = Random(seed)
    belief = random_belief(random, least=1)
    first, second = random.choice([
        ("even", "odd"), ("1=1", None), ("11, 10", "00"), ("11", "01"), ("2=0", "11"),
    ])  # fmt: skip
    sets = {
        "even": ["11", "00"], "odd": ["10", "01"], "1=1": ["11", "10"], "2=0": ["10", "00"],
        None: ["01", "00"], "11, 10": ["11", "10"],
    }  # fmt: skip
    ours, theirs = (sets.get(s, [s]) for s in (first, second))
    held = ", ".join(f"{x}={mass}" for x, mass in belief.items())
    words = ["--against", second] if second else []
    told = ask_json("odds", name, "--of", first, *words, "--belief", f"explicit({held})")

    def odds(row):
        a, b = (sum(belief[x] * row[x] for x in members) for members in (ours, theirs))
        return (None if a else 0) if b == 0 else a / b

    after = [odds(row) for row in rows_of(law)]
    before = odds(dict.fromkeys(BITS, Fraction(1)))
    simple = len(ours) == len(theirs) == 1
    opening = "The odds" if simple else "If the database is ~, the odds"
    grow, infinite, never = (
        f"{opening} of ~ against ~ can grow by at most the factor #, whatever trusted mechanism is "
        "used; the row ~ over 11, 10, 01, 00 attains it.",
        f"{opening} of ~ against ~ can become infinite: the row ~ over 11, 10, 01, 00 rules the "
        "latter out.",
        f"{opening} of ~ against ~ can never grow, whatever trusted mechanism is used.",
    )
    which, holes = fit(told["sentence"], grow, infinite, never)
    if None in after:
        assert which == infinite
        return
    factor = max(after) / before
    assert exact(told["factor"]) == factor
    assert (which == never) == (factor == 1)
    if which == grow:
        assert holes[-2] == factor
        row = dict(zip(BITS, map(Fraction, holes[-1].split(", ")), strict=True))
        assert odds(row) == max(after)
    if not simple:
        for x, mass in belief.items():
            assert f"{x} with probability {mass}" in holes[0]


def normal(variance):
    """Weights of the discrete Gaussian."""
    return lambda k: math.exp(-k * k / (2 * variance))


def skellam(k):
    """Weights of the difference of two Poisson variables of mean 1."""
    return sum(1 / math.factorial(j) / math.factorial(j + abs(k)) for j in range(40))


def polya(k):
    """Weights of the difference of two sums of two geometric variables with p = 1/2."""
    return sum((j + 1) * (j + abs(k) + 1) * 0.5 ** (2 * j + abs(k)) for j in range(80))


WEIGHTS = {
    "discrete-gaussian(sigma2=1)": normal(1),
    "discrete-gaussian(sigma2=2)": normal(2),
    "skellam(l1=1, l2=1)": skellam,
    "differenced-negative-binomial(p=1/2, r=2)": polya,
}


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("discrete-gaussian(sigma2=1)", "0", "-1, 1"),
        ("skellam(l1=1, l2=1)", "0", "-2, 1"),
        ("skellam(l1=1, l2=1)", "0, 2", "1"),
        ("discrete-gaussian(sigma2=2)", "3", "0"),
        ("differenced-negative-binomial(p=1/2, r=2)", "0", "2"),
    ],
)
def test_odds_of_noise_on_whole_numbers(name, first, second, ask_json):
    told = ask_json("odds", name, "--of", first, "--against", second)
    weight = WEIGHTS[name]
    ours, theirs = ([int(k) for k in part.split(",")] for part in (first, second))
    after = {
        o: sum(weight(o - k) for k in ours) / sum(weight(o - k) for k in theirs)
        for o in range(-30, 31)
    }
    start = "The odds" if len(ours) == len(theirs) == 1 else "If all ~ databases are ~, the odds"
    near = "outputs further and further out come as near to"
    grow = f"{start} of ~ against ~ can grow by at most the factor ~, whatever trusted mechanism is"
    attained, limit, endless = (
        f"{grow} used; the output ~ attains the exact value.",
        f"{grow} used; no output attains it, but {near} it as one likes.",
        f"{start} of ~ against ~ can grow without bound: {near} ruling the latter out "
        "as one likes.",
    )
    which, holes = fit(told["sentence"], attained, limit, endless)
    best = max(after, key=after.get)
    if which == attained:
        assert int(holes[-1]) == best
        assert told["odds"]["value"] == pytest.approx(after[best])
    elif which == limit:
        assert exact(told["odds"]) > after[best] > 0.9 * float(exact(told["odds"]))
    else:
        assert max(after.values()) == max(after[-30], after[30]) > 10


# --- comparing, relaxing, designing ---------------------------------------------------------------


def inside(law, other) -> bool:
    """Tell whether every row of one mechanism is a combination of rows of the other."""
    base = [[float(row[x]) for x in BITS] for row in rows_of(other)]
    columns = [list(column) for column in zip(*base, strict=True)]
    return all(
        linprog([0.0] * len(base), A_eq=columns, b_eq=[float(row[x]) for x in BITS]).status == 0
        for row in rows_of(law)
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_which_of_two_promises_more(ask, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)
    random = Random(seed)
    mixing = [random_mechanism(random, 2, range(len(law["11"])))[o] for o in range(len(law["11"]))]
    merged = {
        x: [sum(p * m[k] for p, m in zip(law[x], mixing, strict=True)) for k in (0, 1)]
        for x in BITS
    }  # fmt: skip
    other = merged if seed % 2 else mechanism_of(tmp_path, seed + 50, "n.csv")[1]
    second = matrix(tmp_path / "n.csv", other)
    weaker, stronger = inside(other, law), inside(law, other)
    said = ask("compare", name, second)[1]
    sentence = {
        (True, True): "m.csv and n.csv give the same guarantees over bits(2).",
        (False, True): (
            "m.csv is stronger than n.csv over bits(2): it gives every guarantee of the other, and "
            "more."
        ),
        (True, False): (
            "m.csv is weaker than n.csv over bits(2): every guarantee that it gives, the other "
            "gives too, and more."
        ),
        (False, False): (
            "m.csv and n.csv are incomparable over bits(2): each gives a guarantee that the other "
            "does not."
        ),
    }[weaker, stronger]
    assert said.startswith(sentence)
    rest = said.removeprefix(sentence).strip()
    found = re.findall(
        r"(\S+) allows a mechanism that (\S+) forbids: it says yes with probability (\S+) in 11, "
        r"(\S+) in 10, (\S+) in 01, (\S+) in 00, which breaks ((?:(?:[0-9]+ )?x[01]{2}|[+<=]| )+)",
        rest,
    )
    assert len(found) == (not weaker) + (not stronger)
    for allows, forbids, *chances, broken in found:
        yes = dict(zip(BITS, map(number, chances), strict=True))
        both = {x: [p, 1 - p] for x, p in yes.items()}
        assert all(0 <= p <= 1 for p in yes.values())
        laws = {"m.csv": law, "n.csv": other}
        assert inside(both, laws[allows])
        sign, form = guarantee(broken.strip())
        assert at(form, yes) < 0 or (sign == "=" and at(form, yes))
        assert all(at(form, row) >= 0 for row in rows_of(laws[forbids]))


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_left_without_a_database(ask_json, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)
    gone = Random(seed).choice(BITS)
    told = ask_json("relax", name, "--eliminate", gone)
    rows = rows_of(law)
    for one in told["inequalities"]:
        sign, form = guarantee(one["text"])
        assert form[gone] == 0
        values = [at(form, row) for row in rows]
        assert set(values) == {0} if sign == "=" else min(values) == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_row_occurs_or_breaks_a_guarantee(ask, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)
    random = Random(seed)
    row = {x: random.randint(0, 5) + (x == "00") for x in BITS}
    if seed % 2:
        row = {x: sum(p * (k + 1) for k, p in enumerate(law[x])) for x in BITS}
    code, said = ask("member", "--row", ",".join(map(str, row.values())), "--of", name)
    base = [[float(r[x]) for x in BITS] for r in rows_of(law)]
    can = linprog(
        [0.0] * len(base),
        A_eq=[list(c) for c in zip(*base, strict=True)],
        b_eq=[float(v) for v in row.values()],
    ).status  # fmt: skip
    listed = ", ".join(map(str, row.values()))
    opening = f"({listed}) over 11, 10, 01, 00 "
    yes = f"{opening}can be the likelihood row of an output of m.csv, scaled."
    assert (code == 0) == (can == 0)
    if code == 0:
        shown = said.removeprefix(
            f"{yes} For example, a trusted mechanism says yes with probability "
        )
        chances = [number(part.split(" in ")[0]) for part in shown.removesuffix(".").split(", ")]
        assert [part.split(" in ")[1] for part in shown.removesuffix(".").split(", ")] == list(BITS)
        first, *_ = row.values()
        assert all(p * first == x * chances[0] for p, x in zip(chances, row.values(), strict=True))
        trusted = linprog(
            [0.0] * len(base),
            A_eq=[list(c) for c in zip(*base, strict=True)],
            b_eq=[float(p) for p in chances],
            bounds=(0, 1 + 1e-9),
        ).status  # fmt: skip
        assert trusted == 0  # each output of the base says yes with a probability
        return
    broken, value = re.fullmatch(
        re.escape(opening)
        + r"can NOT occur under m\.csv: it breaks (.+) \(the difference is (\S+)\)\.",
        said,
    ).groups()
    sign, form = guarantee(broken)
    assert at(form, row) == number(value)
    assert number(value) < 0 or sign == "="
    assert all(at(form, r) >= 0 for r in rows_of(law))


LOSSES = {
    "zero-one": lambda x, o: Fraction(x != o),
    "absolute": lambda x, o: abs(Fraction(x.count("1")) - o),
}


@pytest.mark.parametrize("held", ["uniform", None])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("r", [Fraction(2), Fraction(3)])
def test_no_design_loses_less(ask_json, ask, held, loss, r):
    """A linear program over all mechanisms that keep differential privacy, in floats."""
    count = loss == "absolute"
    outputs = [0, 1, 2] if count else list(BITS)
    cells = [(o, x) for o in range(len(outputs)) for x in BITS]
    cost = [float(LOSSES[loss](x, outputs[o])) for o, x in cells]
    private = [
        [float(o == p and z == x) - float(r) * (o == p and z == y) for p, z in cells] + [0.0]
        for o in range(len(outputs))
        for x, y in neighbours(BITS)
    ]
    whole = [[float(z == x) for _, z in cells] + [0.0] for x in BITS]
    worst = [
        [c * (z == x) for c, (_, z) in zip(cost, cells, strict=True)] + [-1.0] for x in BITS
    ]  # fmt: skip
    aim = [c / 4 for c in cost] + [0.0] if held else [0.0] * len(cells) + [1.0]
    rows = private if held else private + worst
    least = linprog(aim, rows, [0.0] * len(rows), whole, [1.0] * 4, bounds=(0, None)).fun
    words = ["--statistic", "count"] if count else []
    words += ["--belief", held] if held else []
    said = ask("design", f"dp(ratio={r})", "--universe", "bits(2)", "--loss", loss, *words)[1]
    subject = "count of 1" if count else "the database"
    under = f"under the guarantees of dp(ratio={r}) over bits(2); no mechanism with these "
    expected = (
        f"{subject}, {loss} loss: expected loss # {under}guarantees has less (proved by the "
        "certificate). output ~"
    )
    always = (
        f"{subject}, {loss} loss: loss at most # on every database {under}guarantees has less "
        "(proved by the certificate), as ~ favourable belief shows (~). output ~"
    )
    which, holes = fit(said, expected, always)
    assert (which == expected) == (held is not None)
    assert abs(float(holes[0]) - least) < 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_trust_extends_to_what_could_have_been_made_up(ask, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)
    random = Random(seed)
    size = len(law["11"])
    mixing = random_mechanism(random, 2, range(size))
    other = {
        x: [sum(p * mixing[o][k] for o, p in enumerate(law[x])) for k in (0, 1)] for x in BITS
    }  # fmt: skip
    if seed % 2:
        other = random_mechanism(random, 2)
    second = matrix(tmp_path / "n.csv", other)
    # A post-processing: probabilities t(k | o) with the law of the other as product.
    cells = [(k, o) for k in (0, 1) for o in range(size)]
    rows = [[float(law[x][o]) * (k == j) for j, o in cells] for x in BITS for k in (0, 1)]
    goal = [float(other[x][k]) for x in BITS for k in (0, 1)]
    rows += [[float(o == p) for _, p in cells] for o in range(size)]
    possible = linprog([0.0] * len(cells), A_eq=rows, b_eq=[*goal, *[1.0] * size]).status == 0
    code, said = ask("member", second, "--of", name)
    yes, no = (
        "n.csv normal-form(m.csv) holds Whoever trusts the trusted mechanism can trust this one: "
        "anyone who sees the output of that one, chosen without looking at the data, could have "
        "made it up from there. ~",
        "n.csv normal-form(m.csv) does NOT hold Trust in the trusted mechanism does not extend to "
        "this one: no post-processing gives these probabilities. ~",
    )
    which, _ = fit(said, yes, no)
    assert possible == (which == yes) == (code == 0)


@pytest.mark.parametrize("r", [Fraction(2), Fraction(3), Fraction(3, 2)])
def test_statements_of_noise_on_whole_numbers(ask, r):
    """After an output at distance j from k, the likelihood of the answer k + i is r^-|j - i|."""
    _, holes = fit(
        ask("statements", f"geometric(ratio={r})")[1],
        "geometric(p=#) gives guarantees against attackers at every whole number. 1. For every "
        "whole number k: an attacker who believes that the true answer is "
        "k with probability # and k-1 or k+1 with probability # each, and so thinks {k} likelier "
        "than {k-1, k+1}, still thinks so (weakly) after any output. 2. Whatever an attacker "
        "believes, the odds of the answer k against either neighbour k-1 or k+1 change by a factor "
        "of at most #: differential privacy with ratio #, which follows from ~",
    )
    _, here, beside, factor, named, _ = holes
    assert here + 2 * beside == 1
    gaps = [
        here * r ** -abs(j) - beside * (r ** -abs(j - 1) + r ** -abs(j + 1)) for j in range(-4, 5)
    ]
    assert min(gaps) == 0
    assert factor == named == max(r ** (abs(j + 1) - abs(j)) for j in range(-4, 5))
