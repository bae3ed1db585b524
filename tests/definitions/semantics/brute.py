"""Games and swings by plain enumeration, as the paper writes them."""

from fractions import Fraction


def leave_out(x, person, default):
    return (*x[:person], default, *x[person + 1 :])


def posterior(mechanism, belief, output, person=None, default=0):
    """Bayes' rule in Game 0, or in the game without a person (from 0); None if undefined."""
    seen = {x: x if person is None else leave_out(x, person, default) for x in belief}
    joint = {x: p * mechanism.probability(output, seen[x]) for x, p in belief.items()}
    total = sum(joint.values())
    return {x: p / total for x, p in joint.items()} if total else None


def distance(p, q):
    return sum((abs(p.get(x, 0) - q.get(x, 0)) for x in {*p, *q}), start=Fraction(0)) / 2


def played(mechanism, belief, default=0):
    """Every output with its largest difference over persons; undefined posteriors count as 1."""
    people = range(len(next(iter(belief))))
    for t in mechanism.outputs:
        real = posterior(mechanism, belief, t)
        removed = [posterior(mechanism, belief, t, i, default) for i in people]
        undefined = real is None or None in removed
        yield t, Fraction(1) if undefined else max(distance(real, one) for one in removed)


def failure(mechanism, belief, limit, default=0, truth=None):
    """P_t[max_i SD > limit], outputs drawn from the belief or from a true database."""
    drawn = belief if truth is None else {truth: 1}
    bad = [t for t, apart in played(mechanism, belief, default) if apart > limit]
    return sum(p * mechanism.probability(t, x) for t in bad for x, p in drawn.items())


def swing(mechanism, output, person, default):
    """R(t, i); None for infinite."""
    ratios = []
    for x in mechanism.universe:
        y = leave_out(x, person, default)
        p, q = mechanism.probability(output, x), mechanism.probability(output, y)
        if (p == 0) != (q == 0):
            return None
        ratios += [p / q] if p else []
    return max(ratios) / min(ratios) if ratios else Fraction(1)


def largest_swing(mechanism, outputs, default):
    """The largest of them over some outputs and all persons; None for infinite."""
    people = range(len(next(iter(mechanism.universe))))
    found = [swing(mechanism, t, i, default) for t in outputs for i in people]
    return None if None in found else max(found)
