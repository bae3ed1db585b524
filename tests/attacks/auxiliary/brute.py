"""Dwork's attack by running through everything, written independently of the package."""

from collections import defaultdict
from fractions import Fraction


def dot(a, b):
    return sum(int(x) & int(y) for x, y in zip(a, b, strict=True)) % 2


def add(a, b):
    return "".join("1" if x != y else "0" for x, y in zip(a, b, strict=True))


def strings(n):
    return [format(i, f"0{n}b") for i in range(2**n)] if n else [""]


def weight(a):
    return a.count("1")


def codewords(n, checks):
    return [c for c in strings(n) if all(dot(c, h) == 0 for h in checks)]


class Pad:
    """Gen and Rec with strings: `maps` holds a list of rows for each seed."""

    def __init__(self, n, maps, checks=(), radius=0):
        self.n, self.maps, self.checks, self.radius = n, maps, checks, radius
        self.words = codewords(n, checks) if checks else []

    def gen(self, seed, w):
        r = "".join(str(dot(row, w)) for row in self.maps[seed])
        return r, (seed, "".join(str(dot(h, w)) for h in self.checks))

    def rec(self, seen, public):
        """Search all strings of the right syndrome for one within the radius."""
        seed, syndrome = public
        if not self.checks:
            return self.gen(seed, seen)[0]
        near = [
            w
            for w in strings(self.n)
            if weight(add(w, seen)) <= self.radius and self.gen(seed, w)[1][1] == syndrome
        ]
        return self.gen(seed, near[0])[0] if near else None


def everything(cases, pad, noise, ell):
    """Attacker, simulators, mu, blinds, epsilons and the largest chances of w.

    `cases` are (w, breaches, probability); `noise(w)` is a dictionary from what is seen to chance.
    """
    seeds = range(len(pad.maps))
    share = Fraction(1, len(pad.maps))
    attacker = gamma = Fraction(0)
    z_table = defaultdict(lambda: defaultdict(Fraction))
    view_table = defaultdict(lambda: defaultdict(Fraction))
    blind = defaultdict(Fraction)
    given_y, given_set = (defaultdict(lambda: defaultdict(Fraction)) for _ in range(2))
    w_given_y, w_given_set = (defaultdict(lambda: defaultdict(Fraction)) for _ in range(2))
    for w, breaches, p in cases:
        breaches = sorted(set(breaches))
        told = [y for y in breaches if len(y) == ell]
        for answer in breaches:
            blind[answer] += p
            for seen, chance in noise(w).items():
                view_table[seen][answer] += p * chance
        if not told:
            gamma += p
            for answer in breaches:
                z_table[None][answer] += p
            continue
        w_given_set[tuple(breaches)][w] += p
        for y in told:
            w_given_y[y][w] += p / len(told)
        for first, chance in noise(w).items():
            for seed in seeds:
                r, public = pad.gen(seed, first)
                for y in told:
                    mass = p * chance * share / len(told)
                    given_y[y][public, r] += mass
                    given_set[tuple(breaches)][public, r] += mass
                    for answer in breaches:
                        z_table[public, add(r, y)][answer] += mass
                    for second, again in noise(w).items():
                        read = pad.rec(second, public)
                        if read is not None and add(read, add(r, y)) in breaches:
                            attacker += mass * again
    epsilon = {y: distance(table, ell) for y, table in given_y.items()}
    chance = {y: sum(table.values()) for y, table in given_y.items()}
    by_set = {b: distance(table, ell) * sum(table.values()) for b, table in given_set.items()}
    return {
        "gamma": gamma,
        "attacker": attacker,
        "simulator": sum(max(answers.values()) for answers in z_table.values() if answers),
        "simulator_ell": sum(
            max([p for answer, p in answers.items() if len(answer) == ell], default=Fraction(0))
            for answers in z_table.values()
        ),
        "mu": sum(max(answers.values()) for answers in view_table.values()),
        "blind": max(p for answer, p in blind.items() if len(answer) == ell),
        "blind_any": max(blind.values()),
        "largest_utility": likeliest(w_given_y),
        "largest_given_breaches": likeliest(w_given_set),
        "epsilon": sum(epsilon[y] * chance[y] for y in epsilon) / (1 - gamma),
        "epsilon_worst": max(epsilon.values()),
        "epsilon_given_breaches": sum(by_set.values()) / (1 - gamma),
    }


def likeliest(tables):
    """The largest conditional probability of a string."""
    return max(max(table.values()) / sum(table.values()) for table in tables.values())


def distance(table, ell):
    """Statistical distance of (public, r) from (public, uniform)."""
    total = sum(table.values())
    by_public = defaultdict(Fraction)
    for (public, _), p in table.items():
        by_public[public] += p / total
    return (
        sum(
            abs(table.get((public, r), Fraction(0)) / total - p / 2**ell)
            for public, p in by_public.items()
            for r in strings(ell)
        )
        / 2
    )
