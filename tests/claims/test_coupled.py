"""What rests on beliefs: noiseless privacy, Pufferfish, simulators; enumerated on two bits."""

import itertools
from fractions import Fraction
from random import Random

import pytest
from scipy.optimize import linprog

from tests.claims.reading import (
    BITS,
    above,
    below,
    delta,
    exact,
    fit,
    matrix,
    random_belief,
    random_mechanism,
    ratio,
)

pytestmark = pytest.mark.few(4)
SEEDS = range(10)
RATIOS = (Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(2))


def spelled(belief) -> str:
    return f"explicit({', '.join(f'{x}={mass}' for x, mass in belief.items())})"


def given(belief, holds) -> dict | None:
    """The belief after being told that something holds; None if it is impossible."""
    kept = {x: mass for x, mass in belief.items() if holds(x)}
    total = sum(kept.values())
    return {x: mass / total for x, mass in kept.items()} if total else None


def mixed(law, belief) -> list[Fraction]:
    return [sum(mass * law[x][o] for x, mass in belief.items()) for o in range(len(law["11"]))]


def sides(belief, known):
    """Everything that somebody who is told the entries of some persons may believe."""
    for told in itertools.product("10", repeat=len(known)):
        after = given(
            belief, lambda x, told=told: all(x[k] == t for k, t in zip(known, told, strict=True))
        )
        if after is not None:
            yield after


def by_entry(law, belief, known=()):
    """Pairs of laws of the release, for two values of one person's entry."""
    for held in sides(belief, known):
        for person in (0, 1):
            worlds = [given(held, lambda x, i=person, v=v: x[i] == v) for v in "10"]
            if None not in worlds:
                yield from itertools.permutations([mixed(law, world) for world in worlds])


def by_parity(law, belief, known=()):
    """Pairs of laws of the release, for an odd and an even number of ones."""
    for held in sides(belief, known):
        worlds = [given(held, lambda x, v=v: x.count("1") % 2 == v) for v in (0, 1)]
        if None not in worlds:
            yield from itertools.permutations([mixed(law, world) for world in worlds])


def nearest(law, belief, a, known=(), persons=(0, 1)) -> float:
    """The least delta of a simulator that is given the list without one entry: a linear program."""
    outputs, lists = range(len(law["11"])), "10"
    variables = [(z, o) for z in lists for o in outputs]
    events = [set(e) for k in outputs for e in itertools.combinations(outputs, k + 1)]
    rows, limits = [], []
    for held in sides(belief, known):
        for person, value in itertools.product(persons, "10"):
            world = given(held, lambda x, i=person, v=value: x[i] == v)
            if world is None:
                continue
            real = mixed(law, world)
            left = {z: sum(m for x, m in world.items() if x[1 - person] == z) for z in lists}
            for event in events:
                simulated = [float(left[z]) if o in event else 0.0 for z, o in variables]
                happens = float(sum(real[o] for o in event))
                rows.append([*(-float(a) * s for s in simulated), -1.0])
                limits.append(-happens)
                rows.append([*simulated, -1.0])
                limits.append(float(a) * happens)
    whole = [[float(z == w) for w, _ in variables] + [0.0] for z in lists]
    cost = [0.0] * len(variables) + [1.0]
    found = linprog(cost, rows, limits, whole, [1.0] * len(lists), bounds=(0, 1))
    assert found.status == 0
    return found.fun


EVEN = (
    "an even bet ~ stays even",
    "an even bet ~ becomes at most # to #",
    "an even bet ~ can become certainty, with a probability of up to #",
    "an even bet ~ can become certainty: nothing is promised",
    "a bet at even odds ~ is won with probability at most #%, and nothing is more than # times as "
    "likely, plus #, in one case than in the other",
    "a bet at even odds ~ is won with probability at most #%, and nothing is more than # likelier "
    "in one case than in the other",
)
BROKEN = (
    " What breaks it: knowing entry # too: ~ is then #.",
    " What breaks it: knowing entries 1 and 2 too: ~ is then #.",
    "",
)
IF = "If ~, and the attacker knows nothing else, then "
TEMPLATES = [f"{IF}{even}.{broken}" for broken in BROKEN for even in EVEN]


def parts(sentence):
    """Return which clause stands in the sentence, its holes, and what breaks it."""
    which, holes = fit(sentence, *TEMPLATES)
    broken, even = divmod(TEMPLATES.index(which), len(EVEN))
    extra = BROKEN[broken].count("#") + BROKEN[broken].count("~")
    said, more = (holes[1:-extra], holes[-extra:]) if extra else (holes[1:], [])
    return EVEN[even], said[1:], broken, more


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["noiseless", "pufferfish"])
def test_two_values_and_a_secret(ask_json, tmp_path, seed, kind):
    random = Random(seed)
    law = random_mechanism(random, least=0 if seed > 6 else 1)
    belief = random_belief(random, least=1)
    a = random.choice(RATIOS)
    name = matrix(tmp_path / "m.csv", law)
    worlds = by_entry if kind == "noiseless" else by_parity
    secret = "" if kind == "noiseless" else ", secrets=parity"
    asked = f"{kind}(belief={spelled(belief)}{secret}"

    def price(known=()):
        found = [ratio(p, q) for p, q in worlds(law, belief, known)]
        return None if None in found else max(found, default=Fraction(1))

    def failure(known=()):
        return max((delta(p, q, a) for p, q in worlds(law, belief, known)), default=Fraction(0))

    # With delta = 0: the largest ratio.
    even, said, broken, more = parts(
        ask_json("measure", name, "--definition", f"{asked})")["sentence"]
    )
    truth = price()
    if truth is None:
        exposed = max(
            sum(p for p, q in zip(*laws, strict=True) if not q) for laws in worlds(law, belief)
        )
        assert even == EVEN[2]
        assert above(said[0], exposed)
    elif truth == 1:
        assert even == EVEN[0]
    else:
        assert even == EVEN[1]
        assert above(said[0], 100 * truth / (1 + truth))
        assert sum(said) == 100
    check_broken(broken, more, truth, {k: price(k) for k in ((0,), (1,), (0, 1))}, "the ratio")
    # At a ratio: how much is left.
    even, said, broken, more = parts(
        ask_json("measure", name, "--definition", f"{asked}, ratio={a})")["sentence"]
    )
    left = failure()
    won = max(delta(p, q, Fraction(1)) for p, q in worlds(law, belief)) / 2 + Fraction(1, 2)
    if left == 0:
        assert even == EVEN[0 if a == 1 else 1]
        assert a == 1 or above(said[0], 100 * a / (1 + a))
    else:
        assert even == EVEN[5 if a == 1 else 4]
        assert 100 * won <= said[0]
        assert above(said[0], 100 * (a + left) / (a + 1))
        assert a == 1 or said[1] == a
        assert above(said[-1], left)
        told = ask_json("check", name, f"{asked}, ratio={a}, delta={left / 2})")
        _, (*_, found, allowed) = fit(
            told["sentence"], f"{IF}~ fails: delta is #, where # is allowed."
        )
        assert below(found, left)
        assert above(allowed, left / 2)
    check_broken(broken, more, left, {k: failure(k) for k in ((0,), (1,), (0, 1))}, "delta")


def check_broken(broken, said, before, knowing, what):
    """The smallest knowledge that makes it worse is named, the worst of its size, or none does."""

    def worse(one, other):
        return other is not None and (one is None or one > other)

    for size in (1, 2):
        choices = {k: value for k, value in knowing.items() if len(k) == size}
        worst = None if None in choices.values() else max(choices.values())
        if worse(worst, before):
            assert broken == size - 1
            assert said[-2] == what
            assert size == 2 or choices[int(said[0]) - 1,] == worst
            assert said[-1] == "infinity" if worst is None else abs(said[-1] - worst) < 1e-5
            return
    assert broken == 2


@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_simulator_comes_as_near_as_is_said_and_none_nearer(ask, ask_json, tmp_path, seed):
    random = Random(seed)
    law = random_mechanism(random)
    belief = random_belief(random, least=1)
    a = random.choice(RATIOS)
    name = matrix(tmp_path / "m.csv", law)
    least = nearest(law, belief, a)
    even, said, broken, _ = parts(
        ask_json("measure", name, "--definition", f"ddp({spelled(belief)}, ratio={a})")["sentence"]
    )
    if least < 1e-9:
        assert even == EVEN[0 if a == 1 else 1]
    else:
        assert even == EVEN[5 if a == 1 else 4]
        assert least <= said[-1] + Fraction(1, 10**9)
        assert said[-1] <= least * 1.01
    for known in ((0,), (1,), (0, 1)):
        if nearest(law, belief, a, known) > least + 1e-9:
            assert broken == len(known) - 1
            break
    else:
        assert broken == 2
    _, holes = fit(
        ask("simulator", name, "--belief", spelled(belief), "--ratio", a)[1],
        f"m.csv {IF}a simulator that never sees the private part comes within delta # of the "
        "release at ratio # (epsilon ~), and none comes nearer. ~",
    )
    assert abs(float(holes[1]) - least) < 1e-9
    assert holes[2] == a


@pytest.mark.parametrize("seed", SEEDS)
def test_conclusions_about_a_secret(ask_json, tmp_path, seed):
    random = Random(seed)
    law = random_mechanism(random)
    belief = random_belief(random, least=1)
    a = random.choice(RATIOS)
    name = matrix(tmp_path / "m.csv", law)
    odd = sum(mass for x, mass in belief.items() if x.count("1") % 2)
    prior = [odd, 1 - odd]
    shown = mixed(law, belief)

    def concluded(output):
        part = sum(m * law[x][output] for x, m in belief.items() if x.count("1") % 2)
        return [part / shown[output], 1 - part / shown[output]]

    def moved(output, at):
        after = concluded(output)
        return max(delta(after, prior, at), delta(prior, after, at))

    asked = f"inference-pufferfish(belief={spelled(belief)}, secrets=parity"
    never, always, mostly = (
        "what is published leads to no other conclusion about a secret than before.",
        "whatever is published, anything concluded about a secret is at most # times as likely as "
        "before, or the other way round.",
        "anything concluded about a secret is ~ as before, give or take #, and the other way "
        "round, but for outputs of total probability at most #.",
    )
    templates = [IF + one + more for more in BROKEN for one in (never, always, mostly)]
    which, holes = fit(
        ask_json("measure", name, "--definition", f"{asked})")["sentence"], *templates
    )
    price = max(max(ratio(concluded(o), prior), ratio(prior, concluded(o))) for o in range(3))
    assert above(holes[1], price) if price > 1 else never in which
    told = ask_json("measure", name, "--definition", f"{asked}, ratio={a})")
    which, holes = fit(told["sentence"], *templates)

    def fails(d):
        return sum(shown[o] for o in range(3) if moved(o, a) > d) > d

    # The least d such that outputs moving beliefs by more than d have probability at most d.
    candidates = [Fraction(0), *shown, *(moved(o, a) for o in range(3))]
    candidates += [sum(pair) for k in (2, 3) for pair in itertools.combinations(shown, k)]
    least = min(d for d in candidates if not fails(d))
    assert exact(told["delta"]) == least
    assert (mostly in which) == (least > 0)
    if least:
        assert above(holes[2], least)
        assert above(holes[3], least)


@pytest.mark.parametrize("seed", range(8))
def test_two_releases_composed(ask, tmp_path, seed):
    random = Random(seed)
    laws = [random_mechanism(random, 2) for _ in range(2)]
    names = [matrix(tmp_path / f"{i}.csv", law) for i, law in enumerate(laws)]
    belief, a = random_belief(random, least=1), random.choice(RATIOS[1:])
    options = ("--belief", spelled(belief), "--ratio", a, "--simulators", "coin")
    said = ask("coupled", "compose", *names, *options)
    templates = [
        f"0.csv and 1.csv {IF}both together come within delta # of what their simulators make of "
        "the scrubbed database, at ratio #. Theorem 6 of Bassily, Groce, Katz & Smith allows delta "
        f"{allowed}: the first has # for one who sees the second simulated, and the second # for "
        "one who sees the first, each at ratio #."
        for allowed in ("#, which promises nothing", "#")
    ]
    which, holes = fit(said[1], *templates)
    _, both, square, allowed, *_, each = holes
    assert (square, each) == (a * a, a)
    coin = [Fraction(1, 4)] * 4
    pair = {x: [p * q for p in laws[0][x] for q in laws[1][x]] for x in BITS}
    truth = max(
        max(delta(real, coin, a * a), delta(coin, real, a * a))
        for person, value in itertools.product((0, 1), "10")
        for real in [mixed(pair, given(belief, lambda x, i=person, v=value: x[i] == v))]
    )
    assert both == truth
    assert both <= allowed <= 1
    assert (which == templates[0]) == (allowed == 1)
