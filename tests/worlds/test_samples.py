"""Samples of a population: the universe, the sampling priors, and what is refused."""

from fractions import Fraction
from itertools import combinations, product
from math import comb, prod
from random import Random

import pytest

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE, Samples, pairs
from twoworlds.worlds import samples as module
from twoworlds.worlds.catalogue import statistic
from twoworlds.worlds.samples import ABSENT, sampling, sizes_after_discard, sizes_at_rate

THREE = Samples(("ann", "bob", "cid"), (0, 1))
VALUES = (1, 0, 1)


def test_every_set_of_people_with_every_value_is_there_once():
    points = list(THREE)
    assert len(points) == len(set(points)) == THREE.size == 27
    assert all(point in THREE for point in points)
    assert () in points
    assert (("bob", 0), ("ann", 1)) not in THREE  # not in the order of the population
    for wrong in ["ann", (("ann",),), (("dan", 1),), (("ann", 2),), (("ann", 1), ("ann", 1)), 3]:
        assert wrong not in THREE


def test_labels_are_read_back_in_any_order():
    for point in THREE:
        assert THREE.find(THREE.label(point)) == point
    assert THREE.find("cid=0; ann=1") == (("ann", 1), ("cid", 0))
    assert THREE.find("nobody") == ()
    with pytest.raises(InvalidInput, match="is not in samples"):
        THREE.find("dan=1")


@pytest.mark.parametrize("relation", [ADD_REMOVE, SUBSTITUTE])
def test_neighbours_differ_in_one_person_by_enumeration(relation):
    def apart(x, y):
        a, b = dict(x), dict(y)
        changed = [p for p in THREE.people if a.get(p, ABSENT) != b.get(p, ABSENT)]
        if len(changed) != 1:
            return False
        return (changed[0] in a and changed[0] in b) == (relation == SUBSTITUTE)

    expected = {frozenset((x, y)) for x, y in combinations(THREE, 2) if apart(x, y)}
    assert {frozenset(pair) for pair in pairs(THREE, relation)} == expected
    assert THREE.relation == ADD_REMOVE
    with pytest.raises(InvalidInput, match="no listed pairs"):
        list(THREE.around((), "explicit"))


@pytest.mark.parametrize("rate", ["0", "1/3", "1"])
def test_sampling_at_a_rate_is_one_coin_for_each_person(rate):
    p = Fraction(rate)
    belief = sampling(THREE, VALUES, sizes_at_rate(3, rate))
    for chosen in product((True, False), repeat=3):
        entries = zip(THREE.people, VALUES, chosen, strict=True)
        database = tuple((name, value) for name, value, there in entries if there)
        assert belief[database] == prod((p if there else 1 - p for there in chosen), start=1)


@pytest.mark.parametrize("seed", range(6))
def test_given_the_size_all_samples_are_equally_likely(seed):
    random = Random(seed)
    weights = [random.randint(0, 3) for _ in range(3)] + [1]
    law = {size: Fraction(w, sum(weights)) for size, w in enumerate(weights)}
    belief = sampling(THREE, VALUES, law)
    population = list(zip(THREE.people, VALUES, strict=True))
    for size, mass in law.items():
        for subset in combinations(population, size):
            assert belief[subset] == mass / comb(3, size)
    mean = sum(size * mass for size, mass in law.items())
    present = [sum(m for x, m in belief.items() if person in dict(x)) for person in THREE.people]
    assert present == [mean / 3] * 3


def test_what_is_left_after_a_discard_never_falls_below_nobody():
    law = sizes_after_discard(2, {0: "1/2", 1: "1/4", 2: "1/8", 7: "1/8"})
    assert law == {2: Fraction(1, 2), 1: Fraction(1, 4), 0: Fraction(1, 4)}


def beyond(p, q, ratio):
    both = ((p, q), (q, p))
    points = {*p, *q}
    return max(sum(max(a.get(t, 0) - ratio * b.get(t, 0), 0) for t in points) for a, b in both)


def test_the_sixth_person_is_not_the_sixth_of_the_list():
    # Bassily, Groce, Katz & Smith, Theorem 10, is about the identity of a sampled person. Read as
    # a position in the list, being there gives the size of the sample away.
    six = Samples((1, 2, 3, 4, 5, 6), ("x",))
    belief = sampling(six, ["x"] * 6, sizes_at_rate(6, "1/2"))

    def sizes(there):
        law = {}
        for x, mass in belief.items():
            if there(x):
                law[len(x)] = law.get(len(x), 0) + mass
        total = sum(law.values())
        return {size: mass / total for size, mass in law.items()}

    for there, delta in ((lambda x: six.part(x, 6) == "x", "1/8"), (lambda x: len(x) >= 6, "1")):
        with_them = sizes(there)
        without = {size - 1: mass for size, mass in with_them.items()}
        assert beyond(with_them, without, 2) == Fraction(delta)


def test_statistics_of_a_sample_look_at_the_values_only():
    found = statistic("histogram(values=[0, 1])", THREE)
    assert found((("ann", 1), ("cid", 0))) == (1, 1)
    assert found(()) == (0, 0)
    assert statistic("sum", THREE)((("bob", 1), ("cid", 1))) == 2
    with pytest.raises(InvalidInput, match="n="):
        statistic("mean", THREE)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Samples((), (0,)), "at least one member"),
        (lambda: Samples(("a",), ()), "at least one value"),
        (lambda: Samples(("a", "a"), (0,)), "repeats a member"),
        (lambda: Samples(("a",), (1, "1")), "repeats a value"),
        (lambda: Samples(("a",), (0, "absent")), "rename"),
        (lambda: sampling(THREE, (1, 0), {1: 1}), "2 values are given for 3 people"),
        (lambda: sampling(THREE, (1, 0, 5), {1: 1}), "5 is not a value"),
        (lambda: sampling(THREE, VALUES, {4: 1}), "sample of 4 cannot be drawn from 3"),
        (lambda: sampling(THREE, VALUES, {"1/2": 1}), "sample size=1/2"),
        (lambda: sampling(THREE, VALUES, {1: "1/2"}), "sums to 1/2.*Poisson"),
        (lambda: sampling(THREE, VALUES, {1: 2, 0: -1}), "size 0 has probability -1: negative"),
        (lambda: sizes_at_rate(3, "3/2"), "rate=3/2"),
        (lambda: sizes_after_discard(3, {"1/2": 1}), "discard=1/2"),
    ],
)
def test_what_is_no_sample_is_refused(build, words):
    with pytest.raises(InvalidInput, match=words):
        build()


def test_too_many_samples_are_refused_with_the_limit(monkeypatch):
    monkeypatch.setattr(module, "LARGEST_SUPPORT", 2)
    with pytest.raises(TooLarge, match=r"3 samples are possible, more than 2.*noiseless"):
        sampling(THREE, VALUES, {1: 1})
