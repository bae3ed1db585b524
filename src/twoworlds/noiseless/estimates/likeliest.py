r"""Publishing which of several laws is the likeliest, without noise: exact delta and epsilon.

The curator names F(x) = argmax_j pi_j prod f_j(x_i), ties to the first (`LawFamily`; Bassily,
Groce, Katz & Smith, Section III-C). The belief class is the paper's: the entries are independent
draws from one of the laws, and the attacker has a prior on which. It may be any prior at all
(Delta, Theorem 13), any that gives every law at least lambda (Delta_lambda, Theorem 14), or
certainty of one law, whichever it is (Theorem 17); in each, L entries may be known (Theorem 15).

Distributional privacy compares the answer with your entry and without it, by the canonical
simulator (the same estimate from the others' entries). Noiseless privacy compares two values of
your entry, and its number holds only for one who is certain of the law: to anybody else your entry
tells about the law, which the answer is meant to tell (two coins of bias 3/4 and 1/4, 41 people,
epsilon = 0: delta is 0.0004 to the certain, 0.5 to one who holds both for equally likely).

Any other simulator. Let P, P' be the answers with values v, v' of your entry, one law being true,
and S that of a simulator, which sees the same others in both. If P <= a S + delta and
S <= a P' + delta for all events, then P <= a^2 P' + (1 + a) delta, so that no simulator has a delta
below H(P, P') / (1 + a), where H(P, P') is the largest P(E) - a^2 P'(E).

Exact: all numbers are probabilities counted in integers (`counting`), the worst prior is an
extreme one (`elections`), and the theorems' bounds stand beside them (`rates`). Not guaranteed:
anything against attackers who hold the entries for dependent, or drawn from other laws.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from twoworlds.definitions.base import read_ratio
from twoworlds.definitions.coupled.words import assumed, claim, even_bet, short
from twoworlds.definitions.verdict import Verdict, within
from twoworlds.errors import InvalidInput, TooLarge, UnknownName, Unsupported
from twoworlds.laws.comparison import larger
from twoworlds.noiseless.data import ExactRelease, Missing, read_column
from twoworlds.noiseless.estimates.counting import countable, largest_size, likelihoods
from twoworlds.noiseless.estimates.elections import (
    DDP,
    NOISELESS,
    Election,
    broken_by,
    something_breaks,
    witness,
)
from twoworlds.noiseless.estimates.family import LawFamily, Rates, rates, read_least
from twoworlds.numbers import (
    INFINITY,
    Number,
    Order,
    Real,
    at_most_one,
    compare,
    counted,
    decimal,
    exact_text,
    exp,
    ln,
    probability,
    show,
    sqrt,
    whole,
)

_SURE = "the attacker is sure which of the laws is true (whichever it is)"


def likeliest(
    laws: object,
    *,
    people: object,
    weights: object = None,
    least: object = None,
    known: object = 0,
    known_values: object = None,
    ratio: object = None,
    epsilon: object = None,
    delta: object = None,
    definition: str = DDP,
    s: object = None,
) -> Verdict:
    """Judge the release of the likeliest law of so many people's entries.

    With a ratio (or epsilon) the exact delta is found; with delta as well, the claim is decided;
    with delta alone, the smallest epsilon. With none of them: delta at epsilon = 0 (Theorem 13), or
    epsilon at delta = 0 where ``least`` is given (Theorem 14).

    Args:
        laws: texts such as ``1=3/4, 0=1/4``, mappings, or a `LawFamily`.
        people: how many entries there are, yours included.
        weights: the curator's weights of the laws; equal when not given.
        least: the least prior probability that anybody gives to any law; None allows all priors.
        known: how many entries of others the attacker may know; the worst ones are assumed.
        known_values: which ones, as in ``1=20`` or {1: 20}; then exactly these are known.
        ratio: e^epsilon.
        epsilon: its logarithm.
        delta: the probability that the claim allows.
        definition: ``ddp`` (distributional privacy) or ``noiseless``.
        s: the exponent of the theorems' bounds; the best one when not given.

    >>> coins = ["1=3/4, 0=1/4", "1=1/4, 0=3/4"]
    >>> found = likeliest(coins, people=41)
    >>> round(float(found.delta), 9), round(float(found.theorem_13), 6)
    (0.000397577, 0.012685)
    >>> round(float(likeliest(coins, people=41, least="1/4").epsilon), 9)
    0.003963927
    """
    election = read_election(
        laws,
        people=people,
        weights=weights,
        least=least,
        known=known,
        known_values=known_values,
        definition=definition,
    )
    return judge(election, read_ratio(ratio, epsilon), allowed(delta), s=s)


def release_likeliest(
    path: str | Path,
    column: str,
    laws: object,
    *,
    weights: object = None,
    missing: Missing = "refuse",
    **asked: Any,
) -> ExactRelease:
    """Name the likeliest law of a column, and judge that release under the belief class.

    Every value must be possible under some law. The number of people is the number of rows, and is
    taken to be public. If a claim is made (epsilon and delta) that is not proven to hold, the
    answer is withheld.
    """
    family = LawFamily.of(laws, weights)  # type: ignore[arg-type]
    entries = read_column(path, column, missing=missing)
    if not entries:
        raise InvalidInput(f"column {column!r} has no rows: there is nothing to judge by")
    named = family.estimate(entries)
    verdict = likeliest(family, people=len(entries), **asked)
    numbers = [asked.get(name) is not None for name in ("ratio", "epsilon", "delta")]
    claimed = numbers[2] and any(numbers[:2])
    value = None if claimed and verdict.holds is not True else Fraction(named)
    return ExactRelease(verdict, "law", value, len(entries))


def read_election(
    laws: object,
    *,
    people: object,
    weights: object = None,
    least: object = None,
    known: object = 0,
    known_values: object = None,
    definition: str = DDP,
) -> Election:
    """Read and check everything that does not depend on epsilon and delta."""
    family = LawFamily.of(laws, weights)  # type: ignore[arg-type]
    size = whole(people, "people", at_least=1)
    counts = None if known_values is None else _read_known(known_values, family)
    aware = whole(known, "known")
    if counts is not None:
        if aware not in (0, sum(counts)):
            raise InvalidInput(
                f"known={aware}, but known_values names {sum(counts)}: leave out known"
            )
        aware = sum(counts)
    if aware >= size:
        raise InvalidInput(
            f"known={aware} of people={size}: besides yours there are {size - 1} entries, "
            "and no more can be known"
        )
    if definition not in (DDP, NOISELESS):
        raise UnknownName("definition", str(definition), (DDP, NOISELESS))
    bound = read_least(least, family)
    if definition == NOISELESS and bound is not None:
        raise Unsupported(
            "noiseless privacy is judged for one fixed law that the attacker is sure of, as "
            "Theorem 17 does: under a prior your entry tells about the law, and so must the "
            "answer; leave out least, or ask for ddp"
        )
    return Election(family, size, aware, counts, bound, definition)


def _read_known(given: object, family: LawFamily) -> tuple[int, ...]:
    """Read how many known entries have which value."""
    if isinstance(given, str):
        pairs: list[tuple[object, object]] = [
            (value, count)
            for value, _, count in (part.rpartition("=") for part in given.split(","))
        ]
    elif isinstance(given, Mapping):
        pairs = list(given.items())
    else:
        raise InvalidInput(f"known_values={given!r}: write it like 1=20, 0=3")
    counts = [0] * len(family.kinds)
    for value, count in pairs:
        if not str(value).strip():
            raise InvalidInput(f"known_values={given!r}: write it like 1=20, 0=3")
        counts[family.kind_of(value)] += whole(count, f"known entries with value {value}")
    if not any(likelihoods(family, tuple(counts))):
        raise InvalidInput("no law holds these known entries possible together: nothing follows")
    return tuple(counts)


def allowed(delta: object) -> Fraction | None:
    """Read the delta that a claim allows."""
    return None if delta is None else probability(delta, "delta")


def meets(election: Election, ratio: Number, delta: Fraction) -> bool:
    """Tell whether the claim surely holds."""
    return within(election.worst_delta(ratio)[0], delta) is True


def judge(
    election: Election, ratio: Number | None, delta: Fraction | None, *, s: object = None
) -> Verdict:
    """Answer the question that the given numbers ask."""
    if ratio is None and delta is None and election.least is None:
        ratio = Fraction(1)
    if not countable(election.family, election.people):
        return _bounded(election, ratio, delta, s)
    factor: Number
    left_out: Number
    holds: bool | None
    if ratio is None:
        wanted = Fraction(0) if delta is None else delta
        worst = election.worst_ratio(wanted)
        factor, left_out = worst[0], wanted
        name, holds = f"{election.definition}(delta={short(wanted)})", None
    else:
        worst = election.worst_delta(ratio)
        factor, left_out = ratio, worst[0]
        name = claim(election.definition, ratio, delta)
        holds = None if delta is None else within(worst[0], delta)
    values: dict[str, Number] = {"ratio": factor, "epsilon": ln(factor), "delta": left_out}
    bounds, notes = _bounds(election, factor, s, solved=ratio is None)
    values.update(bounds)
    said = _meaning(election, factor, left_out)
    if holds is False and delta is not None:
        said += f", where the claim allows {decimal(delta, 3, 'about')}"
    breaks: str | None = None
    if ratio is None:
        breaks = broken_by(election, factor, wanted, asked="ratio")
        notes += _to_spare(election, factor, wanted)
    elif delta is None:
        breaks = broken_by(election, factor, left_out, asked="delta")
    elif holds:
        breaks = broken_by(election, factor, delta, asked="delta", claimed=True)
    return Verdict(
        _released(election),
        name,
        values,
        assumed(_belief(election), said, breaks),
        _assumptions(election),
        holds=holds,
        witness=witness(election, worst),
        method=_method(election),
        notes=tuple(notes),
    )


def _bounded(
    election: Election, ratio: Number | None, delta: Fraction | None, s: object
) -> Verdict:
    """Answer by the theorems alone, for sizes that cannot be counted: delta is enclosed."""
    bounds, why = _rates(election, s)
    top = at_most_one(bounds.get("theorem_13_sharper", Fraction(1)))
    pure = bounds.get("theorem_14")
    enough = pure is not None and (ratio is None or within(pure, ln(ratio)) is True)
    if pure is not None and enough and not delta:
        factor, top = exp(pure) if ratio is None else ratio, Fraction(0)
    else:
        factor = Fraction(1) if ratio is None else ratio
    largest = f"{largest_size(election.family)} is the largest size that can"
    if top == 1 or factor == INFINITY:
        raise TooLarge(
            f"people={election.people} cannot be counted exactly ({largest}), and the theorems "
            f"say nothing here: {'; '.join(why)}"
        )
    said = _meaning(election, factor, top)
    proved = delta is not None and within(top, delta) is True
    return Verdict(
        _released(election),
        claim(election.definition, factor, delta),
        {"ratio": factor, "epsilon": ln(factor), "delta": Real.up_to(top), **bounds},
        assumed(_belief(election), said, something_breaks(election)),
        _assumptions(election),
        holds=True if proved else None,
        method="Theorems 13 and 14, evaluated in enclosures: upper bounds",
        notes=(f"only bounded, by theorems: {largest} be counted exactly", *why),
    )


def _to_spare(election: Election, ratio: Number, delta: Fraction) -> list[str]:
    """Say how much less than a delta that was given would do: only at epsilon = 0 it can."""
    exact = election.worst_delta(ratio)[0] if ratio == 1 else delta
    if not larger(delta, exact):
        return []
    needed = f"at epsilon = 0 the exact delta is {decimal(exact, 3, 'about')}"
    return [f"the delta given is more than is needed: {needed}"]


def _rates(election: Election, s: object) -> tuple[dict[str, Number], list[str]]:
    """Return the theorems' bounds, or why there are none."""
    try:
        found = rates(
            election.family,
            people=election.people,
            known=election.known,
            least=election.least,
            s=s,
        )
    except Unsupported as error:
        return {}, [str(error)]
    return _written(found, election)


def _bounds(
    election: Election, ratio: Number, s: object, *, solved: bool
) -> tuple[dict[str, Number], list[str]]:
    """Return the theorems' bounds and what other simulators could do, with notes.

    ``solved`` says that the ratio was found for a delta that was given.
    """
    values, notes = found = _rates(election, s)
    if ratio == INFINITY:
        return found
    if election.definition == NOISELESS:
        root = sqrt(ratio)
        half = election.variant(definition=DDP)
        values["theorem_17"] = (1 + root) * half.worst_delta(root)[0]
        bounded = "the exact delta at this epsilon, not the delta given" if solved else "delta"
        notes.append(
            "theorem 17 is (1 + e^(epsilon/2)) times the exact delta of distributional privacy "
            f"at epsilon/2: it bounds {bounded}"
        )
    elif election.least is None:
        direct = election.variant(definition=NOISELESS)
        apart = direct.worst_delta(ratio**2)[0]
        if apart == 0:
            return found
        values["any_simulator_at_least"] = apart / (1 + ratio)
        notes.append(
            "no simulator at all brings delta at this epsilon below 'any simulator at least': "
            "two values of your entry would have to look like one and the same simulated answer"
        )
    return found


def _written(found: Rates, election: Election) -> tuple[dict[str, Number], list[str]]:
    """Name the bounds that apply to a question."""
    values: dict[str, Number] = {}
    notes = []
    twice = 2 if election.definition == NOISELESS else 1
    values["theorem_13"] = twice * found.theorem_13
    values["theorem_13_sharper"] = twice * found.theorem_13_sharper
    shape = "twice (Theorem 17, epsilon = 0) the bound" if twice == 2 else "the bound"
    notes.append(
        f"theorem 13 is {shape} of delta at epsilon = 0 with M = {show(found.factor)}, "
        f"tau = {show(found.tau)}, u = {decimal(found.u, side='at least')} at s = {found.s}; "
        f"theorem 13 sharper takes s = {found.s_sharper}"
    )
    if compare(found.theorem_13_sharper, 1) is not Order.LESS:
        notes.append("a bound of 1 or more says nothing at this size: the exact delta does")
    if found.theorem_14 is not None:
        values["theorem_14"] = found.theorem_14
        notes.append("theorem_14 bounds epsilon at delta = 0")
    elif election.least is not None:
        notes.append(found.why_not)
    if election.known:
        notes.append(
            "Theorem 15 is false as printed: known entries change the likelihoods by up to M^L; "
            "the bounds here allow for it"
        )
    return values, notes


def _released(election: Election) -> str:
    """Say what is released."""
    entries = counted(election.people, "entry", "entries")
    return f"the likeliest of {len(election.family.laws)} laws for {entries}"


def _belief(election: Election) -> str:
    """Say the belief class, as a clause that follows "if"."""
    drawn = (
        f"the {counted(election.people, 'entry is', 'entries are')} drawn independently from one "
        f"of {len(election.family.laws)} laws"
    )
    if election.definition == NOISELESS:
        return f"{drawn}, {_SURE}, and {_knowledge(election)}"
    if election.least is None:
        which = "whatever anybody believes about which one it is"
    else:
        which = f"nobody gives any of them a probability below {exact_text(election.least)}"
    return f"{drawn} ({which}) and {_knowledge(election)}"


def _knowledge(election: Election) -> str:
    if election.counts is not None:
        named = ", ".join(
            f"{count} times {kind.values[0]}"
            for kind, count in zip(election.family.kinds, election.counts, strict=True)
            if count
        )
        return f"the entries known to the attacker are {named or 'none'}"
    if election.known == 0:
        return "nobody knows any entry of others"
    return f"nobody knows more than {counted(election.known, 'entry', 'entries')} of others"


def _assumptions(election: Election) -> tuple[str, ...]:
    """Return the belief class first, then what is compared with what."""
    family = election.family
    shares = ", ".join(str(weight) for weight in family.weights)
    if election.definition == NOISELESS:
        compared = "we compare the answer with two values of your entry, the same law being true"
    else:
        compared = (
            "we compare the answer with your entry, and the same estimate from the other "
            f"{counted(election.people - 1, 'entry', 'entries')} (canonical simulator)"
        )
    return (
        _belief(election),
        f"the laws: {family.describe()}",
        compared,
        f"the curator's weights are {shares}; of equally likely laws the first is named",
    )


def _meaning(election: Election, ratio: Number, delta: Number) -> str:
    """Say what (ratio, delta) means to you."""
    values = election.definition == NOISELESS
    bet = "between two values of your entry" if values else "on whether your entry was used"
    return f"on seeing which is named {even_bet(ratio, delta, bet=bet)}"


def _method(election: Election) -> str:
    """Say why nothing worse was missed."""
    if election.definition == NOISELESS:
        priors = "every law for certain, every two values"
    elif election.least is None:
        priors = "every law for certain, which is the worst of all priors, and every value"
    else:
        priors = "the priors at the corners of those allowed, which are the worst, every value"
    known = "" if not election.known else " and every choice of known entries"
    return f"counted in whole numbers over all samples, by {priors}{known}"
