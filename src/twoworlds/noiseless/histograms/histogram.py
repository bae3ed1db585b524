"""The truncated histogram of a random sample, published as it is: how private that is.

The sample is the input; a bin's count is shown if it is at least the threshold k, and "0" stands
for less (Bassily, Groce, Katz & Smith, Section III-B). An attacker who knows that somebody is in
the sample, and how the sample was drawn, sees the table either as it is or as it would be without
that person's entry (the canonical simulator). delta is computed for these two worlds:

    population and rate    each member of a bin is sampled independently: bins are independent
    mean                   Poisson sampling: bins are independent
    size                   the size of the sample has a law of its own, and bins hang together

It is exact for rational numbers as long as they are short, and enclosed beyond.

Theorem 10 promises (3 epsilon, 3 delta) for k > C log(1/delta) / epsilon^2. That is false for every
C if most of a population is sampled; for independent draws it holds with C = 2 and a bounded
epsilon (`size_condition`), under a condition on the number of others in the sample. It needs "i"
to be a person in the sample rather than a place in its list (`shared`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from twoworlds.definitions.base import read_delta, read_ratio
from twoworlds.definitions.coupled.words import (
    assumed,
    claim,
    even_bet,
    first_where,
    short,
    undecided_words,
    weakens,
)
from twoworlds.definitions.verdict import Verdict, within
from twoworlds.definitions.words import digits_apart
from twoworlds.errors import InvalidInput
from twoworlds.laws.counts import Binomial, Poisson
from twoworlds.noiseless.histograms.bins import (
    BinKind,
    WorstBin,
    most_known,
    read_bins,
    read_list,
    read_means,
    worst_bin,
)
from twoworlds.noiseless.histograms.shared import SharedBins, table_witness
from twoworlds.noiseless.histograms.size_condition import theorem_10
from twoworlds.noiseless.histograms.size_laws import SizeLaw, size_law
from twoworlds.numbers import (
    INFINITY,
    Number,
    at_most_one,
    counted,
    decimal,
    exact_text,
    ln,
    rational,
    whole,
)

_HALF = Fraction(1, 2)
_MEMBER = "member of your bin"
_THEOREM_10 = (
    "Theorem 10 of Bassily, Groce, Katz & Smith promises (3 epsilon, 3 delta) from a threshold of "
    "C log(1/delta)/epsilon^2 on. No C will do if most of the population is sampled; for "
    "independent draws, epsilon up to 1 and delta up to 1/9 it is proven with C = 2. The delta "
    "given here is computed and needs none of it"
)


@dataclass(frozen=True)
class Histogram:
    """How the sample is drawn, and how many others of their bin an attacker knows about.

    Bins are independent, of some kinds, or share a sample whose size has a law of its own.
    """

    bins: tuple[BinKind, ...] | SharedBins
    known: int = 0

    @property
    def most_known(self) -> int | None:
        """How many others of a bin there are at most; None if there is no end."""
        if not isinstance(self.bins, SharedBins):
            return most_known(self.bins)
        return max(self.bins.members) - 1 if self.bins.members else None

    @property
    def belief(self) -> str:
        """What is assumed, as a clause."""
        rest = ""
        if not isinstance(self.bins, SharedBins):
            drawn = ", or ".join(kind.words for kind in self.bins)
        else:
            rest = ", and of nobody of another bin"
            if self.bins.members:
                sizes = ", ".join(f"{m:,}" for m in self.bins.members)
                bins = f"drawn at random from a population with bins of {sizes} members"
            else:
                shares = ", ".join(str(share) for share in self.bins.shares)
                bins = f"and each entry falls independently into bins of shares {shares}"
            drawn = f"{self.bins.size.words}, {bins}"
        if self.known == 0:
            return f"{drawn}, and nobody knows of any of the others whether they are in it"
        return (
            f"{drawn}, and nobody knows of more than {self.known} of the others of your bin "
            f"whether they are in it{rest}"
        )

    def measure(self, threshold: int, ratio: Number) -> WorstBin:
        """Return delta with its witness."""
        if not isinstance(self.bins, SharedBins):
            worst = worst_bin(self.bins, threshold, ratio, self.known)
            return worst._replace(delta=at_most_one(worst.delta))
        found = self.bins.worst(threshold, ratio, self.known)
        witness = table_witness(self.bins, threshold, self.known, ratio, found)
        return WorstBin(at_most_one(found.delta), witness)

    def delta(self, threshold: int, ratio: Number) -> Number:
        """Return delta at a threshold and a ratio."""
        return self.measure(threshold, ratio).delta

    def knowing(self, known: int) -> Histogram:
        """Return the same sample with another number of people known."""
        return Histogram(self.bins, known)


def truncated_histogram(
    population: object = None,
    *,
    threshold: object,
    rate: object = None,
    mean: object = None,
    size: SizeLaw | str | None = None,
    shares: object = None,
    place: object = None,
    known: object = 0,
    ratio: object = None,
    epsilon: object = None,
    delta: object = None,
) -> Verdict:
    """Measure the release of a truncated histogram, or check a claim about it if delta is given.

    Args:
        population: how many members your bin has: 50; several bins: "30, 50"; any of a range:
            "1..120"; any size at all: "any". With ``size``: the members of all bins.
        threshold: the smallest count that is shown.
        rate: the probability with which each member is sampled.
        mean: instead of both, the mean number of others of a bin in a Poisson sample.
        size: instead of rate, the law of the sample's size, such as "discarded(size=1000,
            ratio=3/2, delta=1e-6)".
        shares: with size and instead of population, the shares of the bins: "1/2, 1/4, 1/4".
        place: with shares, a place in the list instead of a person in the sample.
        known: of how many others of your bin an attacker may know whether they were sampled.
        ratio: e^epsilon; or give epsilon.
        epsilon: its logarithm.
        delta: the delta that is claimed, if any.

    >>> found = truncated_histogram(50, rate="3/10", threshold=10, epsilon=0.5)
    >>> round(float(found.delta), 12)
    0.01302628039
    """
    sample = read_histogram(population, rate, mean, size, shares, place, known)
    a = read_ratio(ratio, epsilon)
    if a is None or a == INFINITY:
        raise InvalidInput("a truncated histogram is measured at a finite ratio= or epsilon=")
    k = whole(threshold, "threshold", at_least=1)
    return judge(sample, k, a, None if delta is None else read_delta(delta))


def judge(sample: Histogram, threshold: int, ratio: Number, allowed: Number | None) -> Verdict:
    """Return the verdict on a sample, a threshold and a ratio, on a claim if delta is allowed."""
    found = sample.measure(threshold, ratio)
    delta = found.delta
    values: dict[str, Number] = {"ratio": ratio, "epsilon": ln(ratio), "delta": delta}
    values["threshold"] = Fraction(threshold)
    if found.members is not None:
        values["members"] = Fraction(found.members)
    if isinstance(sample.bins, SharedBins) and not sample.known:
        bound = theorem_10(sample.bins, threshold, ratio)
        values |= {} if bound is None else {"theorem_10": bound}
    breaks = _breaks(sample, threshold, ratio, allowed)
    verdict = Verdict(
        f"the histogram truncated at {threshold:,}",
        claim("ddp", ratio),
        values,
        assumed(sample.belief, even_bet(ratio, delta), breaks),
        tuple(_assumptions(sample)),
        witness=found.witness,
        method=_method(sample, found),
        notes=tuple(_notes(sample, found, ratio)),
    )
    if allowed is None:
        return verdict
    broken = assumed(sample.belief, f"the claim fails: {even_bet(ratio, delta)}")
    judged = verdict.against(claim("ddp", ratio, allowed), delta, allowed, broken=broken)
    if judged.holds is not None:
        return judged
    return replace(judged, notes=(undecided_words(delta, allowed), *judged.notes))


def read_histogram(
    population: object = None,
    rate: object = None,
    mean: object = None,
    size: SizeLaw | str | None = None,
    shares: object = None,
    place: object = None,
    known: object = 0,
) -> Histogram:
    """Read how a sample is drawn; see `truncated_histogram`."""
    others = whole(known, "known")
    if size is not None:
        if rate is not None or mean is not None:
            raise InvalidInput("size says how the sample is drawn: leave rate and mean out")
        return Histogram(_with_size(size_law(size), population, shares, place), others)
    if shares is not None or place is not None:
        raise InvalidInput("shares and place belong to a law of the size: give size= as well")
    if mean is not None:
        if population is not None or rate is not None:
            raise InvalidInput("mean says how the sample is drawn: leave population and rate out")
        return Histogram(read_means(mean), others)
    if population is None or rate is None:
        raise InvalidInput(
            "give population= and rate= (each member sampled independently), mean= (Poisson), or "
            "size= with population= or shares="
        )
    return Histogram(read_bins(population, rate), others)


def _with_size(
    law: SizeLaw, population: object, shares: object, place: object
) -> tuple[BinKind, ...] | SharedBins:
    """Return bins that share a size; of binomial and Poisson sizes they are independent."""
    if (population is None) == (shares is None):
        raise InvalidInput("with size, give the bins by population= (members) or shares=, not both")
    spot = None if place is None else whole(place, "place", at_least=1)
    if shares is not None:
        parts = tuple(rational(part, "share") for part in read_list(shares))
        if not parts:
            raise InvalidInput("shares is empty: give the share of each bin, such as 1/2, 1/2")
        bins = SharedBins(law, shares=parts, place=spot)
        if isinstance(law.counts, Poisson) and spot is None:
            mean = law.counts.mean
            return tuple(BinKind(mean=mean * share) for share in dict.fromkeys(parts))
        return bins
    members = tuple(whole(part, "population", at_least=1) for part in read_list(population))
    if isinstance(law.counts, Binomial) and spot is None:
        if sum(members) != law.counts.trials:
            raise InvalidInput(
                f"the bins have {sum(members):,} members together, and {law.text} speaks of "
                f"{law.counts.trials:,}"
            )
        rate = law.counts.rate
        return tuple(BinKind(m, m, rate) for m in dict.fromkeys(members))
    if not members:
        raise InvalidInput("population is empty: give the members of each bin, such as 30, 50")
    return SharedBins(law, members=members, place=spot)


def _assumptions(sample: Histogram) -> Iterator[str]:
    yield sample.belief
    yield (
        "we compare the table with the entry of somebody known to be in the sample, and the "
        "table without it (the canonical simulator)"
    )
    if isinstance(sample.bins, SharedBins) and sample.bins.place is not None:
        yield f"that somebody is entry {sample.bins.place} of the list, not a person"
    else:
        yield "that somebody is a person, not a place in a list"
    yield "bins are fixed beforehand, and nothing else about the sample is published"


def _method(sample: Histogram, found: WorstBin) -> str:
    if found.witness is None:
        return "all other counts were revealed exactly, and what is published is a function of that"
    if isinstance(sample.bins, SharedBins):
        return "all published tables were added up, those of equal quotients together"
    why = "bins are independent, and in each both worst events are half lines of the count shown"
    sizes = any(kind.mean is None and kind.low != kind.high for kind in sample.bins)
    return f"{why}; of a range of sizes the worst is one of two" if sizes else why


def _notes(sample: Histogram, found: WorstBin, ratio: Number) -> Iterator[str]:
    if found.witness is None:
        yield "delta is an upper bound: the true one may be smaller"
    if not isinstance(sample.bins, SharedBins):
        yield "knowing about people in other bins changes nothing, since bins are independent"
        for kind in sample.bins:
            most = None if kind.rate is None else Binomial.largest_exact(kind.rate)
            if most is not None and kind.high is not None and kind.high - 1 > most:
                yield (
                    "at this rate probabilities are exact fractions for bins of up to "
                    f"{most + 1:,} members; beyond, they are enclosed as tightly as asked"
                )
    elif _is_fixed(sample.bins.size):
        n, a = sample.bins.size.first, exact_text(ratio) or decimal(ratio)
        yield (
            f"a fixed size is the danger: the counts must add up to {n:,}, so a missing entry "
            f"shows. The way out is to discard a few entries at random: "
            f"size=discarded(size={n}, ratio={a}, delta=...)"
        )
    yield "it holds for every mixture of such beliefs too: the simulator is the same (Theorem 4)"
    yield _THEOREM_10


def _is_fixed(size: SizeLaw) -> bool:
    return size.first == size.last


def _breaks(sample: Histogram, threshold: int, ratio: Number, allowed: Number | None) -> str:
    """Say which knowledge breaks it; knowing more never helps privacy.

    Of a claim that is the least number of known others at which it fails. Without a claim it is
    said what one more known member does, and with how many delta exceeds 1/2.
    """
    if isinstance(sample.bins, SharedBins):
        if _is_fixed(sample.bins.size):
            return "nothing more needs to be known than the size of the sample"
        return "knowing the size of the sample, or who else was sampled, from elsewhere"
    most = sample.most_known
    if most is not None and most + 1 < threshold:
        return "nothing about the sample: so small a bin is never shown"
    limit = _HALF if allowed is None else allowed
    top = max(sample.known, threshold - 1 if most is None else most)

    def delta(known: int) -> Number:
        return sample.knowing(known).delta(threshold, ratio)

    def exceeds(known: int) -> bool:
        return within(delta(known), limit) is False

    if exceeds(sample.known):
        return f"nothing more needs to be known: delta exceeds {short(limit)} already"
    least = first_where(exceeds, sample.known + 1, top + 1)
    first = None if least > top else least
    count = "knowing exactly how many others of your bin were sampled"
    if allowed is None and sample.known < top:
        known = sample.known + 1
        more, gives = _told(known), f"delta {decimal(delta(known), 3, 'about')}"
        if first is None:
            return f"{weakens(more, gives, one=_MEMBER)}; {count} ends it"
        return weakens(more, gives, more if first == known else f"of {first:,}", one=_MEMBER)
    if first is None:
        return count
    worst = delta(first)
    return (
        f"knowing of {counted(first, 'other')} of your bin whether they were sampled; delta is "
        f"then {decimal(worst, digits_apart(worst, limit), 'about')}, if they were"
    )


def _told(known: int) -> str:
    return f"of {known:,} whether {'this one was' if known == 1 else 'they were'} sampled"
