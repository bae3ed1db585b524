"""Words for an election: what is released, for whom the number holds, what is compared.

For whom. Distributional privacy is judged for every prior on the laws (or every one that gives each
law at least lambda), certainty included. Noiseless privacy is judged for one who is certain of the
law, whichever it is (Bassily, Groce, Katz & Smith, Theorem 17: the law is fixed). Its number does
not hold for one who is unsure, to whom your entry tells about the law, as the answer does.
"""

from __future__ import annotations

from twoworlds.noiseless.estimates._elections import NOISELESS, Election
from twoworlds.noiseless.words import counted, odds_words
from twoworlds.numbers import Number, exact_text

__all__ = ["assumptions", "belief", "meaning", "method", "released"]

_SURE = "the attacker is whoever is sure which of the laws is true (whichever it is)"


def released(election: Election) -> str:
    """Say what is released."""
    entries = counted(election.people, "entry", "entries")
    return f"the likeliest of {len(election.family.laws)} laws for {entries}"


def belief(election: Election) -> str:
    """Say the belief class, as a clause that follows "if"."""
    drawn = (
        f"the {counted(election.people, 'entry is', 'entries are')} drawn independently from one "
        f"of {len(election.family.laws)} laws"
    )
    if election.definition == NOISELESS:
        return f"{drawn}, {_SURE}, and {_known(election)}"
    if election.least is None:
        which = "whatever anybody believes about which one it is"
    else:
        which = f"nobody gives any of them a probability below {exact_text(election.least)}"
    return f"{drawn} ({which}) and {_known(election)}"


def _known(election: Election) -> str:
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


def assumptions(election: Election) -> tuple[str, ...]:
    """Return the belief class first, then what is compared with what."""
    family = election.family
    shares = ", ".join(str(weight) for weight in family.weights)
    if election.definition == NOISELESS:
        compared = "compared: the answer with two values of your entry, the same law being true"
    else:
        compared = (
            "compared: the answer with your entry, and the same estimate from the other "
            f"{counted(election.people - 1, 'entry', 'entries')} (canonical simulator)"
        )
    return (
        belief(election),
        f"the laws: {family.describe()}",
        compared,
        f"the curator's weights are {shares}; of equally likely laws the first is named",
    )


def meaning(election: Election, ratio: Number, delta: Number) -> str:
    """Say what (ratio, delta) means to you."""
    values = election.definition == NOISELESS
    bet = "between two values of your entry" if values else "on whether your entry was used"
    return f"on seeing which is named {odds_words(ratio, delta, bet=bet)}"


def method(election: Election) -> str:
    """Say why nothing worse was missed."""
    if election.definition == NOISELESS:
        priors = "every law for certain, every two values"
    elif election.least is None:
        priors = "every law for certain, which is the worst of all priors, and every value"
    else:
        priors = "the priors at the corners of those allowed, which are the worst, every value"
    known = "" if not election.known else " and every choice of known entries"
    return f"counted in whole numbers over all samples, by {priors}{known}"
