"""Dwork's Theorem 1 run exactly: what auxiliary information does with and without the release.

`attack` plays the game of `twoworlds.attacks.auxiliary.game` on a finite law. With a code that
mends errors of the release it also says where mending ends (Definition 1).

Differs: the printed proof claims simulator_ell <= d_l + epsilon, and with a code simulator <= mu +
epsilon (``printed_bound``; nothing is printed without a code about breaches of other lengths). That
is false if a database has several breaches (``printed_bound_fails``). What a simulator really
cannot exceed is ``repaired_bound``: given the set of breaches, (p, r + y) is within
``epsilon_given_breaches`` of (p, uniform), on average; and with that instead of z nobody wins more
often than with the syndrome alone. Still a gap of 1 - (gamma + mu + epsilon) is concluded, which
breaches of other lengths can spoil too (``promise_fails``; None when errors may exceed what is
mended, because then nothing is promised).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Said, Table
from twoworlds.attacks.auxiliary.entropy import min_entropy
from twoworlds.attacks.auxiliary.extractors import Extractor
from twoworlds.attacks.auxiliary.game import noise_of, play
from twoworlds.attacks.auxiliary.laws import BreachLaw, written_bits
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput
from twoworlds.numbers import Side, counted, show, sqrt, stated, to_json, whole
from twoworlds.show import Told

# Of these more is better for whoever relies on them, so their decimals are rounded down.
_DOWNWARD = (
    "attacker",
    "gap",
    "guaranteed_gap",
    "min_entropy",
    "min_entropy_seen",
    "average_min_entropy",
)


def attack(
    law: BreachLaw, pad: Extractor, *, sanitiser: str = "exact", within: object = None
) -> Told:
    """Run generator, attacker and best simulator on a law, exactly.

    Args:
        law: Of databases, utility vectors and breaches.
        pad: Makes the pad; its length is that of the breaches which the generator tells about.
        sanitiser: What is seen of the utility vector: exact, errors(1) or flips(1/4).
        within: How many errors are claimed to be always mended; a pair of strings may refute it.

    >>> from twoworlds.attacks.auxiliary import extractor, flaw_law
    >>> found = attack(flaw_law(2), extractor("field", 2, 2)).data
    >>> found["simulator"], found["blind"] + found["epsilon"]
    (Fraction(3, 4), Fraction(5, 8))
    """
    if pad.bits != law.bits:
        raise InvalidInput(
            f"the pad takes {counted(pad.bits, 'bit')}, the utility vector has {law.bits}: make "
            "them equal"
        )
    if pad.ell not in law.lengths:
        known = ", ".join(map(str, law.lengths)) or "none"
        raise InvalidInput(
            f"ell={pad.ell}: no database has a breach of that length; there are {known}"
        )
    noise, seen = noise_of(sanitiser, law.bits)
    claimed = None if within is None else whole(within, "t")
    refuting = None if claimed is None else pad.failing_pair(claimed)
    code = pad.code
    data: dict[str, Any] = {
        "law": law.name,
        "sanitiser": seen,
        "extractor": pad.name,
        "code": code.describe() if code.checks else None,
        "bits": law.bits,
        "ell": pad.ell,
        "errors": max(e.bit_count() for e, chance in enumerate(noise) if chance),
        "radius": code.radius,
        "public_string_bits": len(code.checks),
    }
    data |= numbers(play(law, pad, noise), pad, data["errors"])
    one_breach = all(len(breaches) == 1 for breaches in law.weights)
    one_length = law.lengths == (pad.ell,)
    bounds_ell = not (one_length or code.checks)  # the printed bound is about such answers alone
    said = " ".join(_sentences(data, one_breach=one_breach, bounds_ell=bounds_ell))
    data["explanation"] = said
    named = {
        "with z and the release": data["attacker"],
        "with z alone, at best": data["simulator"],
        "with the release alone, at best": data["mu"],
        "with nothing, at best": data["blind_any"],
    }
    answer = Answer.of(said, _table(data, one_length=one_length), Bars("A breach is named", named))
    answer = replace(answer, subject=f"{law.name}; the release {seen}; the pad: {pad.name}")
    failing = refuting or pad.failing_pair(code.radius + 1)
    if code.checks:
        pair = None if failing is None else _pair(failing, law.bits, pad.ell)
        data |= _mending(data, failing, pair)
        answer = _mended(answer, data, claimed, pair, refuted=refuting is not None)
    entropies = [name for name in data if "min_entropy" in name]
    return Told(answer, {**data, **{n: to_json(data[n], side="down") for n in entropies}})


def numbers(chances: Mapping[str, Fraction], pad: Extractor, errors: int) -> dict[str, Any]:
    """Return what the game and the printed theorem say, in numbers, by name."""
    attacker, simulator, mu, epsilon, gamma = (
        chances[name] for name in ("attacker", "simulator", "mu", "epsilon", "gamma")
    )
    size, sketch = 1 << pad.ell, len(pad.code.checks)
    gap, promised = attacker - simulator, 1 - (gamma + mu + epsilon)
    printed = (mu if sketch else chances["blind"]) + epsilon
    mended = 2 * errors <= pad.code.radius  # two views of w differ in twice the errors
    away = (1 - gamma) * chances["epsilon_given_breaches"]
    names = ("simulator_ell", "mu", "blind_any", "blind")
    distances = ("gamma", "epsilon", "epsilon_worst", "epsilon_given_breaches")
    return {
        "attacker": attacker,
        "simulator": simulator,
        **{name: chances[name] for name in names},
        "gap": gap,
        "guaranteed_gap": promised,
        **{name: chances[name] for name in distances},
        # 1/2 sqrt(2^(l-k)) with k the average min-entropy
        "leftover_hash_bound": sqrt(chances["residual"] * size / 4) if pad.universal else None,
        "printed_bound": printed,
        "repaired_bound": min(Fraction(1), chances["mu_public"] + away),
        "min_entropy": min_entropy(chances["largest_utility"]),
        "min_entropy_seen": min_entropy(chances["largest_seen"]),
        "average_min_entropy": min_entropy(chances["residual"]),
        "largest_utility": chances["largest_utility"],
        "largest_seen": chances["largest_seen"],
        "printed_bound_fails": (simulator if sketch else chances["simulator_ell"]) > printed,
        "promise_fails": gap < promised if mended else None,
        # w has min-entropy at least ell given any breach, and given the whole set, as it must
        "assumption_2a": chances["largest_utility"] * size <= 1,
        "assumption_2a_repaired": chances["largest_given_breaches"] * size <= 1,
        # what is seen has ell bits more min-entropy than the syndrome is long
        "assumption_3": chances["largest_seen"] * (size << sketch) <= 1,
        "radius_holds": mended,
    }


def _mended(
    answer: Answer, data: Mapping[str, Any], claimed: int | None, pair: str | None, *, refuted: bool
) -> Answer:
    """Add what a code mends, what was claimed of that, and where it ends."""
    answer = replace(answer, subject=f"{answer.subject}; {data['code']}")
    if claimed is not None:
        claim = f"always mends {counted(claimed, 'error')}"
        answer = replace(answer, claim=claim, holds=not refuted)
    radius = data["radius_condition"]
    if refuted:
        blocks = (Said([answer.headline]), *answer.blocks, Said([radius]))
        return replace(answer, headline=f"The claim is refuted: {pair}.", blocks=blocks)
    beyond = [f"Beyond what is mended it fails: {pair}."] if pair else []
    return replace(answer, blocks=(*answer.blocks, Said([radius, *beyond])))


def _mending(
    data: Mapping[str, Any], failing: tuple[int, int | None] | None, pair: str | None
) -> dict[str, Any]:
    """Say whether errors are within what is mended, and what the printed conditions force."""
    bits, radius, errors = data["bits"], data["radius"], data["errors"]
    verb = "is within" if data["radius_holds"] else "exceeds"
    third = (
        f"t={radius} is below a third of {bits} bits, as the printed proof asks"
        if 3 * radius < bits
        else f"the printed proof asks for t below a third of {bits} bits, which a code "
        "that mends more does not need"
    )
    return {
        "unique_decoding": data["radius_holds"],
        "radius_condition": f"Errors up to {errors} in each of two views make them differ in up to "
        f"{2 * errors} bits, which {verb} the t={radius} that is mended. Further, {third}. (Errors "
        "up to kappa/c with 2 kappa/c <= t < kappa/3 force c > 6, which is not printed.)",
        "beyond_the_radius": failing
        and {
            "w": written_bits(0, bits),
            "seen": written_bits(failing[0], bits),
            "distance": failing[0].bit_count(),
            "explanation": pair,
        },
    }


def _pair(failing: tuple[int, int | None], bits: int, ell: int) -> str:
    """Say errors that spoil the pad of w = 0, and what is read instead of the pad 0."""
    error, read = failing
    back = "no pad at all" if read is None else f"the pad {written_bits(read, ell)}"
    return (
        f"from w={written_bits(0, bits)} comes the pad {written_bits(0, ell)}; with "
        f"{counted(error.bit_count(), 'error')}, {written_bits(error, bits)}, {back} is "
        "read back"
    )


def _sentences(found: Mapping[str, Any], *, one_breach: bool, bounds_ell: bool) -> Iterator[str]:
    """Say who learns what; the first sentence says it."""
    attacker, simulator, mu, gap = (found[name] for name in ("attacker", "simulator", "mu", "gap"))
    ell, errors, radius = counted(found["ell"], "bit"), found["errors"], found["radius"]
    yield (
        f"With z and the release the attacker names a breach with probability "
        f"{show(attacker, side='at least')}. With z alone nobody does better than "
        f"{show(simulator, side='up')}, with the release alone than "
        f"{show(mu, side='up')}, with nothing than {show(found['blind_any'], side='up')}."
    )
    yield (
        f"Here z, which somebody who knows the database tells everybody, is a breach of "
        f"{ell}, hidden by a pad made from what a useful release has to tell."
    )
    if gap > 0:
        yield (
            f"So the release adds {show(gap, side='at least')} to what z gives away, and "
            f"z adds {show(attacker - mu, side='at least')} to what the release does."
        )
    else:
        yield "So access to the release gives this attacker nothing that z does not give."
    if found["printed_bound_fails"]:
        reason = "a database has several breaches, and z depends on which set of breaches it is"
        if one_breach:
            reason = f"z tells whether there is a breach of {ell}"
        bounded = f"a simulator that answers {ell}" if bounds_ell else "a simulator"
        beats = f" (it wins {show(found['simulator_ell'])})" if bounds_ell else ""
        yield (
            f"The printed proof allows {bounded} at most {show(found['printed_bound'], side='up')}:"
            f" that is false here{beats}, because {reason}. Given the whole set, the bound is "
            f"{show(found['repaired_bound'])}."
        )
    promised = f"Theorem 1 promises a gap of {show(found['guaranteed_gap'], side='at least')}"
    if not found["radius_holds"]:
        mended = "is" if radius == 1 else "are"
        yield (
            f"Two views of w may differ in {2 * errors} bits, and only {radius} "
            f"{mended} always mended: sometimes the attacker reads a wrong pad or none, and "
            "Theorem 1 promises nothing."
        )
    elif found["promise_fails"] and found["printed_bound_fails"]:
        yield f"{promised}, and there is less."
    elif found["promise_fails"]:
        yield (
            f"{promised}, and there is less: the printed proof bounds answers of "
            f"{ell} alone, which win at most "
            f"{show(found['simulator_ell'], side='up')}, and z helps more to name breaches "
            "of other lengths."
        )
    elif found["guaranteed_gap"] > 0:
        yield f"{promised}."
    else:
        yield "Theorem 1 promises nothing here: its gamma + mu + epsilon reaches 1."


def _meanings(found: Mapping[str, Any], *, one_length: bool) -> dict[str, str]:
    """Return what each number means, by name."""
    ell = counted(found["ell"], "bit")
    limited = "" if one_length or found["public_string_bits"] else f" of {ell}"
    alone = "with nothing, at best" if one_length else f"... naming a breach of {ell}"
    promised = "1 - (gamma + mu + epsilon)"
    return {
        "attacker": "with z and the release: attacker",
        "simulator": "with z alone, at best: simulator",
        "simulator_ell": f"... naming a breach of {ell}",
        "mu": "with the release alone, at best: mu",
        "blind_any": "with nothing, at best",
        "blind": f"{alone}: d_l",
        "gap": "gap: attacker - simulator",
        "guaranteed_gap": f"promised: {promised}"
        if found["radius_holds"]
        else f"{promised}, not promised",
        "gamma": f"gamma: no breach of {ell}",
        "epsilon": "epsilon: pad from uniform, given breach",
        "epsilon_worst": "... for the worst breach",
        "epsilon_given_breaches": "... given all breaches of DB",
        "leftover_hash_bound": "... leftover hash bound on it",
        "printed_bound": f"simulator{limited} at most, as printed",
        "repaired_bound": "simulator at most, repaired",
        # Assumptions 2 (2a) and 3 are about these, the last is what the syndrome leaves.
        "min_entropy": "min-entropy of w given a breach, bits",
        "min_entropy_seen": "... of what is seen of w",
        "average_min_entropy": "... and given its syndrome too",
        "largest_utility": "largest P(w | breach)",
        "largest_seen": "largest P(what is seen | breach)",
        "printed_bound_fails": f"a simulator{limited} beats the printed bound",
        "promise_fails": "the gap is less than promised",
        "assumption_2a": "Assumption 2(2a) holds",
        "assumption_2a_repaired": "... given all breaches of DB, as it must",
        "assumption_3": "Assumption 3 holds",
        "radius_holds": "twice the errors are mended",
    }


def _table(found: Mapping[str, Any], *, one_length: bool) -> Table:
    """Return what each number means, with the number as text.

    If all breaches have ell bits, numbers for any length and for that one are not told apart.
    """
    twice = ("simulator_ell", "blind_any") if one_length else ()
    rows = []
    for name, meaning in _meanings(found, one_length=one_length).items():
        value = found[name]
        if isinstance(value, bool):
            rows.append((meaning, "yes" if value else "no"))
        elif value is not None and name not in twice:
            side: Side = "down" if name in _DOWNWARD else "up"
            rows.append((meaning, stated(value, side=side)))
    return Table(["probabilities, distances, entropies", "exact"], rows)
