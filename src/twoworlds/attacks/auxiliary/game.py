"""Who wins with auxiliary information: attacker and best simulators, by running through every z.

The auxiliary-information generator knows the database. It picks a breach y of ell bits uniformly
among those of the database, asks the sanitiser for a view w' of the utility vector, makes a pad
from it, (r, p) = Gen(w'), and tells everybody z = (p, r + y). The *attacker* has z and his own view
w'' through the sanitiser, reads the pad back and has y. The *simulator* has z alone; the best one
answers, for each z, the string that is most probably a breach. All probabilities are exact:

    attacker  = P(r'' + r + y is a breach),  r'' = Rec(w'', p)
    simulator = sum over z of max over y' of P(z, y' is a breach)
    simulator_ell                         the same with y' of ell bits alone
    mu        = sum over w'' of max over y' of P(w'', y' is a breach)    (Assumption 2, part 3)
    blind     = max over y' of ell bits of P(y' is a breach)             (printed d_l)
    epsilon   = distance of (r, p, y) from (uniform, p, y): given y, on average over y

If the database has no breach of ell bits, which happens with probability gamma, z says so, and the
attacker loses. A sanitiser is a law of the error pattern, the set of bits that come out wrong,
whatever the vector: ``errors(1)`` gets up to so many bits wrong, all such patterns equally likely;
``flips(1/4)`` flips each bit independently, which is randomized response; ``exact`` is
``errors(0)``.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import lcm

import numpy as np

from twoworlds.attacks.auxiliary.extractors import Extractor, images
from twoworlds.attacks.auxiliary.laws import BreachLaw, Vector, integers, source
from twoworlds.calls import parse
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import counted, probability, whole
from twoworlds.progress import track

_MOST_WEIGHTS = 1 << 24
_MOST_STEPS = 1 << 32
_WORD = 1 << 62


def noise_of(text: str, bits: int) -> tuple[list[Fraction], str]:
    """Return the law of the error pattern of a sanitiser, and what it does in words."""
    call = parse(text)
    match call.name, call.positional, call.named:
        case "exact", [], {}:
            most = 0
        case "flips", [chance], {}:
            flipped = probability(chance, "flips")
            return source(f"iid({flipped})", bits), f"flips each bit with probability {flipped}"
        case "errors", [given], {}:
            most = whole(given, "errors")
        case _:
            raise InvalidInput(f"{text!r}: write exact, errors(1) or flips(1/4)")
    if most > bits:
        raise InvalidInput(f"errors={most}: w has only {counted(bits, 'bit')} that can be wrong")
    name = f"gets up to {most} of {counted(bits, 'bit')} wrong" if most else "reveals w"
    return source(f"weight({most})", bits), name


# A set of breaches: the row of its law of w, the answers that win, and the breaches of ell bits
# that z may hide.
_Set = tuple[int, list[int], list[int]]


def play(law: BreachLaw, pad: Extractor, noise: list[Fraction]) -> dict[str, Fraction]:
    """Return who wins how often, and how far the pad is from uniform, by name.

    Matrices have a row for each law of the utility vector that some set of breaches has, and a
    column for each string, or each (syndrome, pad). Their entries are whole weights.
    """
    answers = {y: i for i, y in enumerate(law.answers)}
    long = [i for y, i in answers.items() if len(y) == pad.ell]
    sketches = 1 << len(pad.code.checks)
    _check_size(pad, len(law.weights), len(answers) * max(sketches << pad.ell, 1 << pad.bits))
    vectors = {id(vector): vector for vector in law.weights.values()}
    row_of = {name: i for i, name in enumerate(vectors)}
    sets: list[_Set] = [
        (
            row_of[id(vector)],
            [answers[y] for y in breaches],
            [int(y, 2) for y in breaches if len(y) == pad.ell],
        )
        for breaches, vector in law.weights.items()
    ]
    among = lcm(*(len(ys) for _, _, ys in sets if ys))
    mixtures = _mixtures(sets, len(vectors), among)

    wrong, all_wrong = integers(noise)
    total = law.total * all_wrong * among
    largest = (total << pad.ell + 1) * max(2, pad.seeds)
    true = np.array([fitted(vector, largest) for vector in vectors.values()])
    seen = np.array([fitted(xor_sum(vector, wrong), largest) for vector in vectors.values()])
    mix = fitted(np.array(list(mixtures), dtype=object), largest)
    by_breach = mix @ seen

    def best(rows: Vector, *, told: bool | None = None) -> tuple[int, int]:
        """Return what the best answers to every column win, and the best of ell bits.

        With ``told``, only for databases that have a breach of ell bits, or that have none.
        """
        scores = np.zeros((len(answers), rows.shape[1]), dtype=rows.dtype)
        for row, winning, ys in sets:
            if told is None or told == bool(ys):
                for answer in winning:
                    scores[answer] += rows[row]
        return _won(scores) * among, _won(scores[long]) * among

    laws, wins, wins_long = np.concatenate([seen, by_breach]), 0, 0
    off = np.zeros(len(laws), dtype=laws.dtype)
    for seed in track(range(pad.seeds), "seeds", pad.seeds):
        cell = pad.code.syndromes << pad.ell | images(pad.masks(seed), pad.bits)
        sums = grouped(cell, laws, sketches << pad.ell)
        scores = _scores(sums, sets, among, len(answers))
        wins, wins_long = wins + _won(scores), wins_long + _won(scores[long])
        by_pad = sums.reshape(len(sums), -1, 1 << pad.ell)
        uneven = np.abs((by_pad << pad.ell) - by_pad.sum(axis=2, keepdims=True))
        off += uneven.sum(axis=(1, 2))

    masses, apart = laws.sum(axis=1).tolist(), off.tolist()
    told = [*zip(apart[len(seen) :], masses[len(seen) :], mixtures.values(), strict=True)]
    some = sum(mass * times for _, mass, times in told)
    scale = pad.seeds << pad.ell + 1
    silent, _ = best(seen.sum(axis=1, keepdims=True), told=False)
    blind_any, blind = best(seen.sum(axis=1, keepdims=True))
    public, _ = best(grouped(pad.code.syndromes, seen, sketches), told=True)
    guessed = grouped(pad.code.syndromes, by_breach, sketches, np.maximum).sum(axis=1)
    hits = _hits(pad, wrong, [(masses[row] * among, ys) for row, _, ys in sets if ys])
    whole_sets = sum(apart[row] for row, _, ys in sets if ys) * among
    return {
        "gamma": 1 - Fraction(some, total),
        "attacker": Fraction(hits, total * all_wrong**2 * pad.seeds),
        "simulator": Fraction(wins, total * pad.seeds) + Fraction(silent, total),
        "simulator_ell": Fraction(wins_long, total * pad.seeds),
        "mu": Fraction(best(seen)[0], total),
        "mu_public": Fraction(public + silent, total),
        "blind": Fraction(blind, total),
        "blind_any": Fraction(blind_any, total),
        "epsilon": Fraction(sum(one * times for one, _, times in told), some * scale),
        "epsilon_worst": max(Fraction(one, mass * scale) for one, mass, _ in told),
        "epsilon_given_breaches": Fraction(whole_sets, some * scale),
        "largest_utility": _largest(mix @ true),
        "largest_seen": _largest(by_breach),
        "largest_given_breaches": _largest(true[sorted({row for row, _, ys in sets if ys})]),
        "residual": max(
            Fraction(int(one), mass) for one, (_, mass, _) in zip(guessed, told, strict=True)
        ),
    }


def _mixtures(sets: list[_Set], rows: int, among: int) -> Counter[tuple[int, ...]]:
    """Return in which shares the law of w given a breach mixes the rows, and for how many."""
    shares: dict[int, list[int]] = {}
    for row, _, ys in sets:
        for y in ys:
            shares.setdefault(y, [0] * rows)[row] += among // len(ys)
    return Counter(map(tuple, shares.values()))


def _scores(sums: Vector, sets: list[_Set], among: int, answers: int) -> Vector:
    """Return how likely each answer is a breach together with each z, for one seed."""
    cells = np.arange(sums.shape[1])
    scores = np.zeros((answers, len(cells)), dtype=sums.dtype)
    for row, winning, ys in sets:
        for y in ys:
            shown = sums[row, cells ^ y] * (among // len(ys))
            for answer in winning:
                scores[answer] += shown
    return scores


def _won(scores: Vector) -> int:
    return int(scores.max(axis=0).sum())


def _hits(pad: Extractor, wrong: Vector, told: list[tuple[int, list[int]]]) -> int:
    """Return how often the attacker says a breach, over all seeds.

    What is wrong after mending depends on the difference of the two views alone, and shifts y by
    the pad of what is left over, because pads are linear.
    """
    mended = pad.left_over >= 0
    left = grouped(pad.left_over[mended], xor_sum(wrong, wrong)[None, mended], 1 << pad.bits)
    shifts = np.zeros(1 << pad.ell, dtype=object)  # the sum over seeds may not fit machine words
    if left[0, 1:].any():
        for seed in range(pad.seeds):
            pads = images(pad.masks(seed), pad.bits)
            shifts += grouped(pads, left, len(shifts))[0].astype(object)
    else:
        shifts[0] = int(left[0, 0]) * pad.seeds
    return sum(
        mass // len(ys) * shifts[y ^ other]
        for mass, ys in told
        for y, other in product(ys, repeat=2)
    )


def _largest(rows: Vector) -> Fraction:
    """Return the largest conditional probability of a string."""
    return max(Fraction(int(row.max()), int(row.sum())) for row in rows)


def fitted(vector: Vector, largest: int) -> Vector:
    """Return a vector in machine words if no number on the way exceeds ``largest``."""
    return vector.astype(np.int64) if largest < _WORD else vector.astype(object)


def grouped(cells: Vector, rows: Vector, size: int, gather: np.ufunc = np.add) -> Vector:
    """Return for each row the sum (or what ``gather`` makes) of the weights in each cell."""
    order = np.argsort(cells, kind="stable")
    places, starts = np.unique(cells[order], return_index=True)
    found = np.zeros((len(rows), size), dtype=rows.dtype)
    found[:, places] = gather.reduceat(rows[:, order], starts, axis=1)
    return found


def xor_sum(first: Vector, second: Vector) -> Vector:
    """Return the law of the sum, bit by bit, of two independent strings, up to denominators.

    By the Walsh-Hadamard transform, which turns it into a product; whole numbers throughout.
    """
    size = len(first)
    largest = size * sum(map(int, first)) * sum(map(int, second))
    product = _walsh(fitted(first, largest)) * _walsh(fitted(second, largest))
    return _walsh(product) // size


def _walsh(vector: Vector) -> Vector:
    found, half = vector.copy(), 1
    while half < len(found):
        pairs = found.reshape(-1, 2, half)
        low, high = pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]
        found = np.stack([low, high], axis=1).reshape(-1)
        half *= 2
    return found


def _check_size(pad: Extractor, sets: int, weights: int) -> None:
    pad.check_size()
    if weights > _MOST_WEIGHTS:
        raise TooLarge(
            f"the possible answers times the values of z are {weights}, more than "
            f"{_MOST_WEIGHTS}: shorten the breaches or w"
        )
    if pad.seeds * sets * ((1 << pad.bits) + 4096) > _MOST_STEPS:
        raise TooLarge(
            f"{counted(pad.seeds, 'seed')} times {counted(sets, 'set')} of breaches times "
            f"2^{pad.bits} strings take too long: take fewer seeds (toeplitz, field, identity) or "
            "a shorter w"
        )
