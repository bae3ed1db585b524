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

from twoworlds.attacks.auxiliary.bits import Vector, fitted, grouped, images, integers, xor_sum
from twoworlds.attacks.auxiliary.extractors import Extractor
from twoworlds.attacks.auxiliary.laws import BreachLaw, source
from twoworlds.attacks.english import counted
from twoworlds.calls import parse
from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.numbers import probability, whole
from twoworlds.progress import track

_MOST_WEIGHTS = 1 << 24
_MOST_STEPS = 1 << 32


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


def play(law: BreachLaw, pad: Extractor, noise: list[Fraction]) -> dict[str, Fraction]:
    """Return who wins how often, and how far the pad is from uniform, by name.

    Matrices have a row for each law of the utility vector that some set of breaches has, and a
    column for each string, or each (syndrome, pad). Their entries are whole weights.
    """
    strings, sketches = 1 << pad.bits, 1 << len(pad.code.checks)
    cells = sketches << pad.ell
    answers = {y: i for i, y in enumerate(law.answers)}
    long = [i for y, i in answers.items() if len(y) == pad.ell]
    _check_size(pad, len(law.weights), len(answers) * max(cells, strings))

    vectors = {id(vector): vector for vector in law.weights.values()}
    row_of = {name: i for i, name in enumerate(vectors)}
    # Of each set: its row, the answers that win, and the breaches of ell bits that z may hide.
    sets = [
        (
            row_of[id(vector)],
            [answers[y] for y in breaches],
            [int(y, 2) for y in breaches if len(y) == pad.ell],
        )
        for breaches, vector in law.weights.items()
    ]
    among = lcm(*(len(ys) for _, _, ys in sets if ys))
    hidden: dict[int, list[int]] = {}  # by breach: in which shares its law mixes the rows
    for row, _, ys in sets:
        for y in ys:
            hidden.setdefault(y, [0] * len(vectors))[row] += among // len(ys)
    mixtures = Counter(map(tuple, hidden.values()))

    wrong, all_wrong = integers(noise)
    total = law.total * all_wrong * among
    largest = (total << pad.ell + 1) * max(2, pad.seeds)
    true = np.array([fitted(vector, largest) for vector in vectors.values()])
    seen = np.array([fitted(xor_sum(vector, wrong), largest) for vector in vectors.values()])
    mix = fitted(np.array(list(mixtures), dtype=object), largest)
    laws = np.concatenate([seen, mix @ seen])

    def best(rows: Vector, *, told: bool | None = None) -> tuple[int, int]:
        """Return what the best answers to every column win, and the best of ell bits.

        With ``told``, only for databases that have a breach of ell bits, or that have none.
        """
        scores = np.zeros((len(answers), rows.shape[1]), dtype=rows.dtype)
        for row, winning, ys in sets:
            if told is None or told == bool(ys):
                for answer in winning:
                    scores[answer] += rows[row]
        return int(scores.max(axis=0).sum()) * among, int(scores[long].max(axis=0).sum()) * among

    # What is wrong after mending depends on the difference of the two views alone, and shifts y by
    # the pad of what is left over, because pads are linear.
    mended = pad.left_over >= 0
    left = grouped(pad.left_over[mended], xor_sum(wrong, wrong)[None, mended], strings)
    shifts = np.zeros(1 << pad.ell, dtype=left.dtype)
    uneven = np.zeros(len(laws), dtype=laws.dtype)
    column = np.arange(cells)
    wins = np.zeros(2, dtype=object)
    for seed in track(range(pad.seeds), "seeds", pad.seeds):
        pads = images(pad.masks(seed), pad.bits)
        sums = grouped(pad.code.syndromes << pad.ell | pads, laws, cells)
        scores = np.zeros((len(answers), cells), dtype=laws.dtype)
        for row, winning, ys in sets:
            for y in ys:
                shown = sums[row, column ^ y] * (among // len(ys))
                for answer in winning:
                    scores[answer] += shown
        wins += int(scores.max(axis=0).sum()), int(scores[long].max(axis=0).sum())
        by_pad = sums.reshape(len(sums), -1, 1 << pad.ell)
        off = np.abs((by_pad << pad.ell) - by_pad.sum(axis=2, keepdims=True))
        uneven += off.sum(axis=(1, 2))
        shifts += grouped(pads, left, 1 << pad.ell)[0]

    masses, off = laws.sum(axis=1).tolist(), uneven.tolist()
    by_breach = list(zip(off[len(seen) :], masses[len(seen) :], mixtures.values(), strict=True))
    some = sum(mass * times for _, mass, times in by_breach)
    scale = pad.seeds << pad.ell + 1
    hits = sum(
        masses[row] * (among // len(ys)) * int(shifts[y ^ other])
        for row, _, ys in sets
        for y, other in product(ys, repeat=2)
    )
    silent, _ = best(laws.sum(axis=1, keepdims=True), told=False)
    blind_any, blind = best(laws.sum(axis=1, keepdims=True))
    public, _ = best(grouped(pad.code.syndromes, seen, sketches), told=True)
    guessed = grouped(pad.code.syndromes, laws[len(seen) :], sketches, np.maximum).sum(axis=1)
    told = sorted({row for row, _, ys in sets if ys})
    given_all = sum(off[row] for row, _, ys in sets if ys) * among
    return {
        "gamma": 1 - Fraction(some, total),
        "attacker": Fraction(hits, total * all_wrong**2 * pad.seeds),
        "simulator": Fraction(int(wins[0]), total * pad.seeds) + Fraction(silent, total),
        "simulator_ell": Fraction(int(wins[1]), total * pad.seeds),
        "mu": Fraction(best(seen)[0], total),
        "mu_public": Fraction(public + silent, total),
        "blind": Fraction(blind, total),
        "blind_any": Fraction(blind_any, total),
        "epsilon": Fraction(sum(one * times for one, _, times in by_breach), some * scale),
        "epsilon_worst": max(Fraction(one, mass * scale) for one, mass, _ in by_breach),
        "epsilon_given_breaches": Fraction(given_all, some * scale),
        "largest_utility": _largest(mix @ true),
        "largest_seen": _largest(laws[len(seen) :]),
        "largest_given_breaches": _largest(true[told]),
        "residual": max(
            Fraction(int(one), mass) for one, (_, mass, _) in zip(guessed, by_breach, strict=True)
        ),
    }


def _largest(rows: Vector) -> Fraction:
    """Return the largest conditional probability of a string."""
    return max(Fraction(int(row.max()), int(row.sum())) for row in rows)


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
