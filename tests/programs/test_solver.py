"""Linear programs: exact answers against Fourier-Motzkin elimination, and hostile data."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest
from flint import fmpq, fmpq_mat, fmpz

from twoworlds.errors import InvalidInput
from twoworlds.programs import Infeasible, Optimal, Unbounded, combine, solve, solver
from twoworlds.programs._simplex import Factor, Program, Simplex, Singular

F = Fraction


def eliminate(inequalities, variable):
    """Drop a variable from rows a.x >= b, by combining every upper with every lower bound."""
    free = [r for r in inequalities if r[0][variable] == 0]
    below = [r for r in inequalities if r[0][variable] > 0]
    above = [r for r in inequalities if r[0][variable] < 0]
    for (a, b), (c, d) in product(below, above):
        s, t = -c[variable], a[variable]
        free.append(([s * x + t * y for x, y in zip(a, c, strict=True)], s * b + t * d))
    return list({(tuple(a), b): (a, b) for a, b in free}.values())


def least_value(objective, rows, lower, upper, least, most):
    """Return the infimum by elimination: None when infeasible, "-inf" when unbounded."""
    n = len(objective)
    found = []
    for row, low, high in zip(rows, lower, upper, strict=True):
        found += [([*row, 0], low)] if low is not None else []
        found += [([-e for e in row] + [0], -high)] if high is not None else []
    for j in range(n):
        unit = [F(i == j) for i in range(n + 1)]
        found += [(unit, least[j])] if least[j] is not None else []
        found += [([-e for e in unit], -most[j])] if most[j] is not None else []
    cost = [*(-F(c) for c in objective), F(1)]  # t - c.x = 0
    found += [(cost, F(0)), ([-e for e in cost], F(0))]
    for j in range(n):
        found = eliminate(found, j)
    if any(a[n] == 0 and b > 0 for a, b in found):
        return None
    below = [b / a[n] for a, b in found if a[n] > 0]
    above = [b / a[n] for a, b in found if a[n] < 0]
    if below and above and max(below) > min(above):
        return None
    return max(below) if below else "-inf"


def check(objective, rows, lower, upper, least=None, most=None):
    """Solve, and prove the outcome again from the definitions."""
    n = len(objective)
    low = [F(0)] * n if least is None else least
    high = [None] * n if most is None else most
    outcome = solve(objective, rows, lower=lower, upper=upper, least=least, most=most)

    def times(x):
        return [sum((F(a) * b for a, b in zip(row, x, strict=True)), F(0)) for row in rows]

    def inside(values, bottoms, tops):
        return all(
            (b is None or b <= v) and (t is None or v <= t)
            for v, b, t in zip(values, bottoms, tops, strict=True)
        )

    def minimum(weights, bottoms, tops):
        return sum(
            (w * (b if w > 0 else t) for w, b, t in zip(weights, bottoms, tops, strict=True) if w),
            F(0),
        )

    if not isinstance(outcome, Infeasible):
        assert inside(outcome.x, low, high)
        assert inside(times(outcome.x), lower, upper)
    if isinstance(outcome, Unbounded):
        assert sum(c * r for c, r in zip(objective, outcome.ray, strict=True)) < 0
        for step in (1, 10**6):
            far = [x + step * r for x, r in zip(outcome.x, outcome.ray, strict=True)]
            assert inside(far, low, high)
            assert inside(times(far), lower, upper)
        return outcome
    across = [
        sum((y * F(row[j]) for y, row in zip(outcome.y, rows, strict=True)), F(0)) for j in range(n)
    ]
    if isinstance(outcome, Infeasible):
        assert minimum(outcome.y, lower, upper) + minimum([-a for a in across], low, high) > 0
    else:
        reduced = [c - a for c, a in zip(objective, across, strict=True)]
        assert minimum(outcome.y, lower, upper) + minimum(reduced, low, high) == outcome.value
        assert outcome.value == sum(c * x for c, x in zip(objective, outcome.x, strict=True))
    return outcome


def random_program(rng):
    n, m = rng.randint(1, 3), rng.randint(0, 4)
    entry = lambda: F(rng.randint(-3, 3), rng.choice([1, 1, 2, 3]))  # noqa: E731
    rows = [[entry() for _ in range(n)] for _ in range(m)]
    if m > 1 and rng.random() < 0.3:  # a redundant or contradictory row
        rows[-1] = [2 * e for e in rows[0]]
    lower, upper = [], []
    for _ in range(m):
        a, b = sorted([entry(), entry()])
        kind = rng.choice(["low", "high", "both", "equal"])
        lower.append(None if kind == "high" else a)
        upper.append({"low": None, "equal": a}.get(kind, b))
    least = [rng.choice([F(0), None, F(-1)]) for _ in range(n)]
    most = [rng.choice([None, None, F(2), F(0)]) for _ in range(n)]
    return [entry() for _ in range(n)], rows, lower, upper, least, most


@pytest.mark.parametrize("start", ["highs", "slack", "random"])
def test_random_programs_agree_with_elimination(monkeypatch, start):
    rng = random.Random(7)
    if start != "highs":

        def basis(program):
            everything = list(range(program.width + len(program.rows)))
            if start == "slack":
                return everything[program.width :], []
            return rng.sample(everything, len(program.rows)), everything[::2]

        monkeypatch.setattr(solver, "_float_basis", basis)
    seen = {Optimal: 0, Infeasible: 0, Unbounded: 0}
    for _ in range(60):
        program = random_program(rng)
        expected = least_value(*program)
        outcome = check(*program)
        seen[type(outcome)] += 1
        if isinstance(outcome, Optimal):
            assert outcome.value == expected
        else:
            assert expected == (None if isinstance(outcome, Infeasible) else "-inf")
    assert min(seen.values()) > 3


def test_constraints_that_differ_by_less_than_a_float_are_decided():
    tiny = F(1, 10**15)
    assert isinstance(check([0], [[1], [1]], [1 + tiny, None], [None, F(1)]), Infeasible)
    assert isinstance(check([0], [[1], [1]], [F(1), None], [None, 1 + tiny]), Optimal)
    even = F(1, 10**40)
    assert isinstance(
        check([0, 0], [[1, 1], [1, 1 + even]], [F(1), None], [F(1), 1 - even]), Infeasible
    )
    assert check([-1, 0], [[1, 1], [1, 1 + even]], [F(1), None], [F(1), 1 + even]).value == -1


def test_almost_parallel_rows_give_their_far_crossing():
    # x - y >= 1 and x - (1 + d) y <= 1 - d meet at y = 1, whatever d.
    d = F(1, 10**30)
    outcome = check([0, 1], [[1, -1], [1, -1 - d]], [F(1), None], [None, 1 - d])
    assert outcome.x == (2, 1)


@pytest.mark.parametrize("size", [10**40, 10**400, F(1, 10**40), F(1, 10**400)])
def test_entries_of_any_size_are_safe(size):
    outcome = check([1, size], [[size, 1], [1, size]], [F(1), size], [None, None])
    assert outcome.value == least_value(
        [1, size], [[size, 1], [1, size]], [F(1), size], [None, None], [0, 0], [None, None]
    )
    assert isinstance(check([-size], [[size]], [size], [None]), Unbounded)
    assert isinstance(check([0], [[size], [size]], [size, None], [None, size / F(2)]), Infeasible)


def test_a_problem_on_which_bland_is_needed():
    # Beale's example cycles under the largest-coefficient rule.
    objective = [F(-3, 4), F(150), F(-1, 50), F(6)]
    rows = [[F(1, 4), F(-60), F(-1, 25), F(9)], [F(1, 2), F(-90), F(-1, 50), F(3)], [0, 0, 1, 0]]
    assert check(objective, rows, [None] * 3, [F(0), F(0), F(1)]).value == F(-1, 20)


def test_empty_programs():
    assert check([], [], [], []) == Optimal((), (), F(0))
    assert check([2], [], [], []).x == (0,)
    assert isinstance(check([-1], [], [], []), Unbounded)
    assert isinstance(check([], [[]], [F(1)], [None]), Infeasible)
    assert isinstance(check([0], [[0]], [F(1)], [F(1)]), Infeasible)
    assert isinstance(check([1], [[0]], [F(0)], [F(0)]), Optimal)


def test_redundant_equations():
    rows = [[1, 1, 1], [2, 2, 2], [1, 0, 0], [0, 1, 1]]
    assert check(
        [1, 2, 3], rows, [F(1), F(2), F(1, 3), F(2, 3)], [F(1), F(2), F(1, 3), F(2, 3)]
    ).value == F(5, 3)
    assert isinstance(check([0] * 3, rows[:2], [F(1), F(3)], [F(1), F(3)]), Infeasible)


def test_a_row_whose_bounds_cross_is_infeasible():
    assert solve([0], [[1]], lower=[2], upper=[1]) == Infeasible((F(1),))


def test_a_singular_basis_is_mended():
    program = Program(
        [fmpq(1), fmpq(1)],
        [{0: fmpq(1), 1: fmpq(2)}, {0: fmpq(2), 1: fmpq(4)}],
        [fmpq(0), fmpq(0), fmpq(1), None],
        [None, None, None, fmpq(9)],
    )
    simplex = Simplex(program, [0, 1])
    assert len(simplex.basic & {0, 1}) == 1
    assert simplex.feasible() is None
    assert simplex.run(program.costs) is None


@pytest.mark.parametrize("density", [0.1, 0.3, 1.0])
def test_factors_solve_both_ways(density):
    rng = random.Random(11)
    regular = 0
    for size in [1, 2, 5, 12, 30] * 4:
        rows = {
            i: {
                j: fmpq(rng.randint(-4, 4) or 1, rng.randint(1, 3))
                for j in range(size)
                if i == j or rng.random() < density
            }
            for i in range(size)
        }
        dense = fmpq_mat([[rows[i].get(j, fmpq(0)) for j in range(size)] for i in range(size)])
        right = [fmpq(rng.randint(-3, 3)) for _ in range(size)]
        column = fmpq_mat([[value] for value in right])
        try:
            factor = Factor(rows, range(size))
        except Singular:
            assert dense.rank() < size
            continue
        assert factor.regular() is (dense.rank() == size)
        if not factor.regular():
            continue
        regular += 1
        given = dict(enumerate(right))
        solved = factor.solve(given)
        assert [solved[j] for j in range(size)] == dense.solve(column).entries()
        turned = factor.transposed(given)
        assert [turned[i] for i in range(size)] == dense.transpose().solve(column).entries()
    assert regular > 10


def test_a_transport_problem_of_a_thousand_variables():
    n = 32
    rng = random.Random(1)
    costs = [F(rng.randint(1, 50), rng.randint(1, 7)) for _ in range(n * n)]
    rows = [{i * n + j: 1 for j in range(n)} for i in range(n)]
    rows += [{i * n + j: 1 for i in range(n)} for j in range(n)]
    outcome = solve(costs, rows, lower=[F(1, n)] * 2 * n, upper=[F(1, n)] * 2 * n)
    assert isinstance(outcome, Optimal)
    # An assignment: every weight is 0 or 1/n (Birkhoff), and the duals bound every cost.
    assert {*outcome.x} == {F(0), F(1, n)}
    assert all(
        outcome.y[i] + outcome.y[n + j] <= costs[i * n + j] for i in range(n) for j in range(n)
    )
    assert sum(outcome.y) / n == outcome.value


def test_combine_writes_or_separates():
    rng = random.Random(3)
    seen = set()
    for _ in range(100):
        generators = [[rng.randint(-2, 2) for _ in range(3)] for _ in range(rng.randint(1, 5))]
        vector = [rng.randint(-2, 2) for _ in range(3)]
        found, values = combine(generators, vector)
        seen.add(found)
        if found:
            assert min(values) >= 0
            assert [
                sum(w * g[i] for w, g in zip(values, generators, strict=True)) for i in range(3)
            ] == vector
        else:
            assert all(sum(a * b for a, b in zip(values, g, strict=True)) >= 0 for g in generators)
            assert sum(a * b for a, b in zip(values, vector, strict=True)) < 0
    assert seen == {True, False}
    assert combine([], [0, 0]) == (True, ())


def test_flint_numbers_are_read():
    assert solve([fmpz(2)], [[fmpq(1, 3)]], lower=[1], upper=[None]).value == 6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1], [[1, 2]], [0], [0]), "a row of 2 coefficients is given for 1 variables"),
        (([1], [{3: 1}], [0], [0]), "names variable 3"),
        (([1], [[1]], [], [0]), "0 lower and 1 upper bounds are given for 1 rows"),
        (([0.5], [[1]], [0], [0]), "0.5 is not a rational number"),
        ((["1/2"], [[1]], [0], [0]), "is not a rational number"),
    ],
)
def test_rejects_what_is_no_program(arguments, message):
    objective, rows, lower, upper = arguments
    with pytest.raises(InvalidInput, match=message):
        solve(objective, rows, lower=lower, upper=upper)
