"""The definitions of coupled worlds written down in plain fractions, and random small worlds.

Nothing here uses the tables of the package: every probability is summed over databases and side
information. An output that is impossible in the ideal world counts as a failure.
"""

from fractions import Fraction
from itertools import product
from math import prod

from hypothesis import strategies as st

from twoworlds.definitions.coupled.operations import Coupled
from twoworlds.definitions.coupled.scene import Release, Simulator, canonical, coin
from twoworlds.worlds.joint import NOTHING, BeliefClass, Joint
from twoworlds.worlds.scrubbing import persons


def excess(p, q, ratio):
    return sum(
        (x - ratio * q.get(t, 0) for t, x in p.items() if x > ratio * q.get(t, 0)), Fraction(0)
    )


def apart(p, q, ratio):
    return max(excess(p, q, ratio), excess(q, p, ratio))


def normal(masses):
    total = sum(masses.values())
    return {key: mass / total for key, mass in masses.items()}


def add(law, key, mass):
    law[key] = law.get(key, Fraction(0)) + mass


def pushed(joint, scrub, outputs_of):
    """Return the masses of (v, t, z), where t is drawn from outputs_of(x)."""
    found = {}
    for (x, z), mass in joint.masses.items():
        for t, chance in outputs_of(x).items():
            add(found, (scrub.private(x), t, z), mass * chance)
    return found


def real_world(world, joint, scrub):
    return pushed(joint, scrub, world.release.law)


def ideal_world(world, joint, scrub):
    def outputs(x):
        law = {}
        for y, p in scrub.law(x).items():
            for t, q in world.simulator(y).items():
                add(law, t, p * q)
        return law

    return pushed(joint, scrub, outputs)


def outputs_given(masses, v, z):
    return normal({t: m for (v1, t, z1), m in masses.items() if (v1, z1) == (v, z)})


def coupled_delta(world, ratio):
    """Definitions 3 and 5 for the world's simulator."""
    worst = Fraction(0)
    for joint, scrub in product(world.beliefs, world.scrubs):
        real, ideal = real_world(world, joint, scrub), ideal_world(world, joint, scrub)
        for v, z in {(v, z) for v, _, z in real}:
            laws = outputs_given(real, v, z), outputs_given(ideal, v, z)
            worst = max(worst, apart(*laws, ratio))
    return worst


def noiseless_delta(world, ratio):
    """Definition 6."""
    worst = Fraction(0)
    for joint, scrub in product(world.beliefs, world.scrubs):
        real = real_world(world, joint, scrub)
        for (v, z), (w, z1) in product({(v, z) for v, _, z in real}, repeat=2):
            if z == z1:
                p, q = outputs_given(real, v, z), outputs_given(real, w, z)
                worst = max(worst, excess(p, q, ratio))
    return worst


def private_given(masses, t, z):
    found = {v: m for (v, t1, z1), m in masses.items() if (t1, z1) == (t, z)}
    return normal(found) if sum(found.values(), Fraction(0)) else None


def inference_failure(world, ratio, inner):
    """Definitions 2 and 4: the largest mass of (t, z) at which some pair's conclusions differ."""
    worst = Fraction(0)
    for joint in world.beliefs:
        mass, bad = {}, set()
        for scrub in world.scrubs:
            real, ideal = real_world(world, joint, scrub), ideal_world(world, joint, scrub)
            mass = {}
            for (_, t, z), m in real.items():
                add(mass, (t, z), m)
            for t, z in mass:
                other = private_given(ideal, t, z)
                if other is None or apart(private_given(real, t, z), other, ratio) > inner:
                    bad.add((t, z))
        worst = max(worst, sum((m for key, m in mass.items() if key in bad), Fraction(0)))
    return worst


def pufferfish_failure(world, ratio, inner):
    """Definition 8, with the private parts for secrets: the worst mass over secrets and z."""
    worst = Fraction(0)
    for joint, scrub in product(world.beliefs, world.scrubs):
        real = real_world(world, joint, scrub)
        for z in joint.sides:
            prior, mass = {}, {}
            for (v, t, z1), m in real.items():
                if z1 == z:
                    add(prior, v, m)
                    add(mass, t, m)
            bad = [
                t for t in mass if apart(private_given(real, t, z), normal(prior), ratio) > inner
            ]
            worst = max(worst, sum((mass[t] for t in bad), Fraction(0)) / sum(mass.values()))
    return worst


@st.composite
def laws(draw, base):
    """Draw a law near a base, with leaks of small probability."""
    noise = draw(st.lists(st.integers(0, 6), min_size=len(base), max_size=len(base)))
    leak = draw(st.lists(st.sampled_from([0, 0, 0, 1, 3]), min_size=2, max_size=2))
    weights = [20 * (b + n) for b, n in zip(base, noise, strict=True)] + leak
    total = sum(weights)
    return {t: Fraction(w, total) for t, w in enumerate(weights) if w}


@st.composite
def joints(draw, databases, sides=2, *, independent=False):
    if independent:
        return draw(independent_joints(sides))
    cells = list(product(databases, range(sides)))
    weights = draw(
        st.lists(st.integers(0, 5), min_size=len(cells), max_size=len(cells)).filter(any)
    )
    return Joint(normal({c: Fraction(w) for c, w in zip(cells, weights, strict=True) if w}))


@st.composite
def independent_joints(draw, sides=2):
    """Draw a law of two bits that are independent given the side information."""
    chances = st.fractions(0, 1, max_denominator=6)
    masses = {}
    for z in range(sides):
        first, second = draw(chances), draw(chances)
        for x in product((0, 1), repeat=2):
            p = (first if x[0] else 1 - first) * (second if x[1] else 1 - second)
            add(masses, (x, z), p / sides)
    return Joint(masses)


@st.composite
def worlds(draw, *, people=2, members=1, independent=False):
    """Draw a release on bits, a simulator near it, and beliefs with side information."""
    databases = list(product((0, 1), repeat=people))
    base = draw(st.lists(st.integers(10, 30), min_size=2, max_size=3))
    release = {x: draw(laws(base)) for x in databases}
    table = {y: draw(laws(base)) for y in product((0, 1), repeat=people - 1)}
    beliefs = tuple(draw(joints(databases, independent=independent)) for _ in range(members))
    return Coupled(
        Release("drawn", release.__getitem__),
        Simulator.table(table),
        BeliefClass(beliefs, "drawn"),
        persons(people),
    )


# --- worlds that separate the definitions ---------------------------------------------------------


def known_parity(n=2):
    """The parity of n fair bits, known to the attacker, with a coin for a simulator (Example 1)."""
    bits = list(product((0, 1), repeat=n))
    belief = Joint({(x, sum(x) % 2): Fraction(1, len(bits)) for x in bits})
    release = Release("the parity", lambda x: {sum(x) % 2: Fraction(1)})
    return Coupled(release, coin((0, 1)), BeliefClass((belief,), "fair bits"), persons(n))


def hidden_sign(n=5, *, follows=Fraction(9, 10), known=False):
    """The majority of records that each follow a hidden fair sign (Section II-E).

    The simulator takes the majority of those who are left; a tie counts as +1.
    """
    masses = {}
    for sign in (1, -1):
        for x in product((1, -1), repeat=n):
            key = x, sign if known else NOTHING
            mass = prod(follows if entry == sign else 1 - follows for entry in x) / 2
            masses[key] = masses.get(key, Fraction(0)) + mass
    release = Release("the majority", lambda x: {1 if sum(x) >= 0 else -1: Fraction(1)})
    beliefs = BeliefClass((Joint(masses),), "each record follows one hidden sign")
    return Coupled(release, canonical(release), beliefs, persons(n))


def denied_value(m, a, d):
    """One record, evenly one of m values, and outputs that each deny one value.

    F says "not u" with probability a d for every u but the true value, and nothing otherwise; the
    simulator, which knows nothing, says each with probability d. If (a^2 (m - 1) - m) d <= a - 1,
    that is (ln a, d)-private. Yet "not u" excludes a value of prior probability 1/m, whatever the
    simulator, and one of these is said with probability (m - 1) a d.
    """
    said = {**{f"not {u}": d for u in range(m)}, "nothing": 1 - m * d}

    def law(x):
        denied = {f"not {u}": a * d for u in range(m) if (u,) != x}
        return {**denied, "nothing": 1 - (m - 1) * a * d}

    belief = Joint({((u,), NOTHING): Fraction(1, m) for u in range(m)})
    return Coupled(
        Release("a denial", law),
        Simulator.of(lambda _: said, "denies each value equally often"),
        BeliefClass((belief,), f"all {m} values are equally likely"),
        persons(1),
    )
