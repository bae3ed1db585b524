"""Dwork's Theorem 1 run exactly: what auxiliary information does with and without the release.

`attack` plays the game of `twoworlds.attacks.auxiliary.game` on a finite law. With a code that
mends errors of the release it also says where mending ends (Definition 1).

Differs: the printed proof claims simulator_ell <= d_l + epsilon, and with a code simulator <= mu +
epsilon. That is false if a database has several breaches (`Attack.printed_bound_fails`); it is true
with the distance taken given the whole set of breaches, or with one breach per database
(`Attack.repaired_bound`). About breaches of other lengths the first claim says nothing; still a gap
of 1 - (gamma + mu + epsilon) is concluded, which they can spoil too (`Attack.promise_fails`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from twoworlds.answer import Answer, Said, Table
from twoworlds.attacks.auxiliary.bits import written_bits
from twoworlds.attacks.auxiliary.entropy import min_entropy
from twoworlds.attacks.auxiliary.extractors import Extractor
from twoworlds.attacks.auxiliary.game import noise_of, play
from twoworlds.attacks.auxiliary.laws import BreachLaw
from twoworlds.attacks.english import counted
from twoworlds.charts import Bars
from twoworlds.errors import InvalidInput
from twoworlds.numbers import Number, Side, show, sqrt, stated, to_json, whole
from twoworlds.show import Result

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
) -> Attack:
    """Run generator, attacker and best simulator on a law, exactly.

    Args:
        law: Of databases, utility vectors and breaches.
        pad: Makes the pad; its length is that of the breaches which the generator tells about.
        sanitiser: What is seen of the utility vector: exact, errors(1) or flips(1/4).
        within: How many errors are claimed to be always mended; a pair of strings may refute it.

    >>> from twoworlds.attacks.auxiliary import extractor, flaw_law
    >>> found = attack(flaw_law(2), extractor("field", 2, 2))
    >>> found.simulator, found.blind + found.epsilon
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
    return Attack(
        law=law.name,
        sanitiser=seen,
        extractor=pad.name,
        code=pad.code.describe() if pad.code.checks else None,
        bits=law.bits,
        ell=pad.ell,
        sketch_bits=len(pad.code.checks),
        radius=pad.code.radius,
        errors=max(e.bit_count() for e, chance in enumerate(noise) if chance),
        universal=pad.universal,
        one_breach=all(len(breaches) == 1 for breaches in law.weights),
        one_length=law.lengths == (pad.ell,),
        within=claimed,
        refuted=refuting is not None,
        failing=refuting or pad.failing_pair(pad.code.radius + 1),
        **play(law, pad, noise),
    )


@dataclass(frozen=True)
class Attack(Result):
    """Dwork's Theorem 1 on one finite law; every probability is exact."""

    law: str  # the law of databases, in words
    sanitiser: str  # what is released, in words
    extractor: str  # what makes the pad
    code: str | None  # what mends errors, if anything
    bits: int  # length of the utility vector w (printed kappa)
    ell: int  # length of the breaches told about
    sketch_bits: int  # length of the syndrome in the public string
    radius: int  # how many errors are always mended
    errors: int  # the most errors of the sanitiser
    universal: bool  # whether the leftover hash lemma applies to the extractor
    one_breach: bool  # whether every database has exactly one breach
    one_length: bool  # whether all breaches have ell bits
    gamma: Fraction  # the chance that a database has no breach of this length
    attacker: Fraction  # the chance that the attacker, with z and the release, says a breach
    simulator: Fraction  # the best chance of anybody who has z alone, naming a breach of any length
    # The same naming a breach of ell bits, which the printed proof is about
    simulator_ell: Fraction
    mu: Fraction  # the best chance of anybody who has the release alone (Assumption 2, part 3)
    mu_public: Fraction  # the best chance of anybody who has the syndrome alone
    blind: Fraction  # the best chance with nothing, answering ell bits (printed d_l)
    blind_any: Fraction  # the same for answers of any length
    # Distance of the pad from uniform given seed, syndrome and breach, on average; this is the
    # printed epsilon, and what is said to be printed is computed with it
    epsilon: Fraction
    epsilon_worst: Fraction  # the same for the worst breach
    epsilon_given_breaches: Fraction  # the same given the whole set of breaches, on average
    largest_utility: Fraction  # the largest chance of a utility vector given a breach
    largest_seen: Fraction  # the largest chance of a view of it given a breach
    # The largest chance of a utility vector given the whole set of breaches
    largest_given_breaches: Fraction
    residual: Fraction  # the chance of guessing the view from its syndrome, given a breach
    within: int | None = None  # the errors that were claimed to be always mended; None for no claim
    refuted: bool = False  # whether the errors below refute that
    # Errors that spoil the pad of w = 0, and what is read instead of the pad 0
    failing: tuple[int, int | None] | None = None

    @property
    def gap(self) -> Fraction:
        """What access to the release adds: attacker minus simulator."""
        return self.attacker - self.simulator

    @property
    def guaranteed_gap(self) -> Fraction:
        """The gap that Theorem 1 promises: 1 - (gamma + mu + epsilon)."""
        return 1 - (self.gamma + self.mu + self.epsilon)

    @property
    def promise_fails(self) -> bool | None:
        """Whether the gap is smaller than promised.

        None when errors may exceed what is mended, because then nothing is promised.
        """
        return self.gap < self.guaranteed_gap if self.radius_holds else None

    @property
    def printed_bound(self) -> Fraction:
        """What the printed proof allows a simulator.

        It is mu + epsilon with a code. Without one it is d_l + epsilon, for naming a breach of ell
        bits; nothing is printed there about breaches of other lengths.
        """
        return (self.mu if self.sketch_bits else self.blind) + self.epsilon

    @property
    def printed_bound_fails(self) -> bool:
        """Whether a simulator of the kind that is bounded does better."""
        bounded = self.simulator if self.sketch_bits else self.simulator_ell
        return bounded > self.printed_bound

    @property
    def repaired_bound(self) -> Fraction:
        """What a simulator really cannot exceed.

        Given the set of breaches, (p, r + y) is within `epsilon_given_breaches` of (p, uniform),
        on average; and with that instead of z nobody wins more often than `mu_public`.
        """
        return min(Fraction(1), self.mu_public + (1 - self.gamma) * self.epsilon_given_breaches)

    @property
    def leftover_hash_bound(self) -> Number | None:
        """1/2 sqrt(2^(l-k)) with k the average min-entropy; None without a universal hash."""
        return sqrt(self.residual * (1 << self.ell) / 4) if self.universal else None

    @property
    def assumption_2a(self) -> bool:
        """Whether w has min-entropy at least ell given any breach."""
        return self.largest_utility * (1 << self.ell) <= 1

    @property
    def assumption_2a_repaired(self) -> bool:
        """Whether that holds given the whole set of breaches, as the proof needs."""
        return self.largest_given_breaches * (1 << self.ell) <= 1

    @property
    def assumption_3(self) -> bool:
        """Whether the view has ell bits more min-entropy than the syndrome is long."""
        return self.largest_seen * (1 << self.ell + self.sketch_bits) <= 1

    @property
    def radius_holds(self) -> bool:
        """Whether two views of w, which differ in twice the errors, are within what is mended."""
        return 2 * self.errors <= self.radius

    @property
    def below_a_third(self) -> bool:
        """Whether t < kappa/3, as the end of the printed proof asks."""
        return 3 * self.radius < self.bits

    def answer(self) -> Answer:
        """Say who learns what, and how that compares with what is printed."""
        released = f"{self.law}; the release {self.sanitiser}; the pad: {self.extractor}"
        named = {
            "with z and the release": self.attacker,
            "with z alone, at best": self.simulator,
            "with the release alone, at best": self.mu,
            "with nothing, at best": self.blind_any,
        }
        answer = Answer.of(self.sentences(), self.table(), Bars("A breach is named", named))
        if self.code is None:
            return replace(answer, subject=released)
        answer = replace(answer, subject=f"{released}; {self.code}")
        if self.within is not None:
            claim = f"always mends {counted(self.within, 'error')}"
            answer = replace(answer, claim=claim, holds=not self.refuted)
        if self.refuted:
            blocks = (Said([answer.headline]), *answer.blocks, Said([self._radius()]))
            return replace(answer, headline=f"The claim is refuted: {self._pair()}.", blocks=blocks)
        beyond = [f"Beyond what is mended it fails: {self._pair()}."] if self.failing else []
        return replace(answer, blocks=(*answer.blocks, Said([self._radius(), *beyond])))

    def _radius(self) -> str:
        """Say whether errors are within what is mended, and what the printed conditions force."""
        verb = "is within" if self.radius_holds else "exceeds"
        third = (
            f"t={self.radius} is below a third of {self.bits} bits, as the printed proof asks"
            if self.below_a_third
            else f"the printed proof asks for t below a third of {self.bits} bits, which a code "
            "that mends more does not need"
        )
        return (
            f"Errors up to {self.errors} in each of two views make them differ in up to "
            f"{2 * self.errors} bits, which {verb} the t={self.radius} that is mended. Further, "
            f"{third}. (Errors up to kappa/c with 2 kappa/c <= t < kappa/3 force c > 6, which is "
            "not printed.)"
        )

    def _pair(self) -> str:
        assert self.failing is not None
        error, read = self.failing
        back = "no pad at all" if read is None else f"the pad {written_bits(read, self.ell)}"
        return (
            f"from w={written_bits(0, self.bits)} comes the pad {written_bits(0, self.ell)}; with "
            f"{counted(error.bit_count(), 'error')}, {written_bits(error, self.bits)}, {back} is "
            "read back"
        )

    def sentences(self) -> str:
        """Return in words who learns what; the first sentence says it."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        yield (
            f"With z and the release the attacker names a breach with probability "
            f"{show(self.attacker, side='at least')}. With z alone nobody does better than "
            f"{show(self.simulator, side='up')}, with the release alone than "
            f"{show(self.mu, side='up')}, with nothing than {show(self.blind_any, side='up')}."
        )
        yield (
            f"Here z, which somebody who knows the database tells everybody, is a breach of "
            f"{counted(self.ell, 'bit')}, hidden by a pad made from what a useful release has to "
            "tell."
        )
        if self.gap > 0:
            yield (
                f"So the release adds {show(self.gap, side='at least')} to what z gives away, and "
                f"z adds {show(self.attacker - self.mu, side='at least')} to what the release does."
            )
        else:
            yield "So access to the release gives this attacker nothing that z does not give."
        if self.printed_bound_fails:
            yield self._how_the_bound_fails()
        promised = f"Theorem 1 promises a gap of {show(self.guaranteed_gap, side='at least')}"
        if not self.radius_holds:
            mended = "is" if self.radius == 1 else "are"
            yield (
                f"Two views of w may differ in {2 * self.errors} bits, and only {self.radius} "
                f"{mended} always mended: sometimes the attacker reads a wrong pad or none, and "
                "Theorem 1 promises nothing."
            )
        elif self.promise_fails and self.printed_bound_fails:
            yield f"{promised}, and there is less."
        elif self.promise_fails:
            yield (
                f"{promised}, and there is less: the printed proof bounds answers of "
                f"{counted(self.ell, 'bit')} alone, which win at most "
                f"{show(self.simulator_ell, side='up')}, and z helps more to name breaches "
                "of other lengths."
            )
        elif self.guaranteed_gap > 0:
            yield f"{promised}."
        else:
            yield "Theorem 1 promises nothing here: its gamma + mu + epsilon reaches 1."

    def _how_the_bound_fails(self) -> str:
        if self.one_breach:
            reason = f"z tells whether there is a breach of {counted(self.ell, 'bit')}"
        else:
            reason = "a database has several breaches, and z depends on which set of breaches it is"
        bounded, beats = "a simulator", ""
        if self._bounds_ell_alone:
            bounded = f"a simulator that answers {counted(self.ell, 'bit')}"
            beats = f" (it wins {show(self.simulator_ell)})"
        return (
            f"The printed proof allows {bounded} at most {show(self.printed_bound, side='up')}: "
            f"that is false here{beats}, because {reason}. Given the whole set, the bound is "
            f"{show(self.repaired_bound)}."
        )

    @property
    def _bounds_ell_alone(self) -> bool:
        """Whether there are breaches that the printed bound says nothing about."""
        return not (self.one_length or self.sketch_bits)

    def numbers(self) -> list[tuple[str, Number | bool | None, str]]:
        """Return every number by name, with what it means."""
        ell = counted(self.ell, "bit")
        limited = f" of {ell}" if self._bounds_ell_alone else ""
        alone = "with nothing, at best" if self.one_length else f"... naming a breach of {ell}"
        promised = "1 - (gamma + mu + epsilon)"
        meanings = {
            "attacker": "with z and the release: attacker",
            "simulator": "with z alone, at best: simulator",
            "simulator_ell": f"... naming a breach of {ell}",
            "mu": "with the release alone, at best: mu",
            "blind_any": "with nothing, at best",
            "blind": f"{alone}: d_l",
            "gap": "gap: attacker - simulator",
            "guaranteed_gap": f"promised: {promised}"
            if self.radius_holds
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
        entropies = {
            "min_entropy": self.largest_utility,
            "min_entropy_seen": self.largest_seen,
            "average_min_entropy": self.residual,
        }
        return [
            (name, min_entropy(entropies[name]) if name in entropies else getattr(self, name), said)
            for name, said in meanings.items()
        ]

    def table(self) -> Table:
        """Return what each number means, with the number as text.

        If all breaches have ell bits, numbers for any length and for that one are not told apart.
        """
        twice = ("simulator_ell", "blind_any") if self.one_length else ()
        rows = []
        for name, value, meaning in self.numbers():
            if isinstance(value, bool):
                rows.append((meaning, "yes" if value else "no"))
            elif value is not None and name not in twice:
                rows.append((meaning, stated(value, side=_side(name))))
        return Table(["probabilities, distances, entropies", "exact"], rows)

    def fields(self) -> dict[str, Any]:
        """Return the setting and every number, by name."""
        words = ("law", "sanitiser", "extractor", "code", "bits", "ell", "errors", "radius")
        return {
            **{name: getattr(self, name) for name in words},
            "public_string_bits": self.sketch_bits,
            **{
                name: value
                if isinstance(value, bool) or value is None
                else to_json(value, side=_side(name))
                for name, value, _ in self.numbers()
            },
            "explanation": self.sentences(),
            **({} if self.code is None else self._mending()),
        }

    def _mending(self) -> dict[str, Any]:
        beyond = self.failing and {
            "w": written_bits(0, self.bits),
            "seen": written_bits(self.failing[0], self.bits),
            "distance": self.failing[0].bit_count(),
            "explanation": self._pair(),
        }
        return {
            "unique_decoding": self.radius_holds,
            "radius_condition": self._radius(),
            "beyond_the_radius": beyond,
        }


def _side(name: str) -> Side:
    return "down" if name in _DOWNWARD else "up"
