"""What an attack with auxiliary information comes to: the numbers, what they claim, in words."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.attacks.auxiliary.bits import counted
from twoworlds.attacks.auxiliary.sources import min_entropy
from twoworlds.numbers import Number, Side, show, sqrt, stated, to_json

__all__ = ["Attack"]

# Of these more is better for whoever relies on them, so their decimals are rounded down.
_DOWNWARD = (
    "attacker",
    "gap",
    "guaranteed_gap",
    "min_entropy",
    "min_entropy_seen",
    "average_min_entropy",
)


@dataclass(frozen=True)
class Attack:
    """Dwork's Theorem 1 on one finite law; every probability is exact.

    Attributes:
        law: The law of databases, in words.
        sanitiser: What is released, in words.
        extractor: What makes the pad.
        code: What mends errors, if anything.
        bits: Length of the utility vector w (printed kappa).
        ell: Length of the breaches told about.
        sketch_bits: Length of the syndrome in the public string.
        radius: How many errors are always mended.
        errors: The most errors of the sanitiser.
        universal: Whether the leftover hash lemma applies to the extractor.
        one_breach: Whether every database has exactly one breach.
        one_length: Whether all breaches have ell bits.
        gamma: The chance that a database has no breach of this length.
        attacker: The chance that the attacker, with z and the release, says a breach.
        simulator: The best chance of anybody who has z alone, naming a breach of any length.
        simulator_ell: The same naming a breach of ell bits, which the printed proof is about.
        mu: The best chance of anybody who has the release alone (Assumption 2, part 3).
        mu_public: The best chance of anybody who has the syndrome alone.
        blind: The best chance with nothing, answering ell bits (printed d_l).
        blind_any: The same for answers of any length.
        epsilon: Distance of the pad from uniform given seed, syndrome and breach, on average;
            this is the printed epsilon, and what is said to be printed is computed with it.
        epsilon_worst: The same for the worst breach.
        epsilon_given_breaches: The same given the whole set of breaches, on average.
        largest_utility: The largest chance of a utility vector given a breach.
        largest_seen: The largest chance of a view of it given a breach.
        largest_given_breaches: The largest chance of a utility vector given the whole set of
            breaches.
        residual: The chance of guessing the view from its syndrome, given a breach.
    """

    law: str
    sanitiser: str
    extractor: str
    code: str | None
    bits: int
    ell: int
    sketch_bits: int
    radius: int
    errors: int
    universal: bool
    one_breach: bool
    one_length: bool
    gamma: Fraction
    attacker: Fraction
    simulator: Fraction
    simulator_ell: Fraction
    mu: Fraction
    mu_public: Fraction
    blind: Fraction
    blind_any: Fraction
    epsilon: Fraction
    epsilon_worst: Fraction
    epsilon_given_breaches: Fraction
    largest_utility: Fraction
    largest_seen: Fraction
    largest_given_breaches: Fraction
    residual: Fraction

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
    def min_entropy(self) -> Number:
        """Min-entropy of the utility vector given a breach, in bits (Assumption 2, part 2a)."""
        return min_entropy(self.largest_utility)

    @property
    def min_entropy_seen(self) -> Number:
        """Min-entropy of a view of it given a breach, in bits (Assumption 3)."""
        return min_entropy(self.largest_seen)

    @property
    def average_min_entropy(self) -> Number:
        """What of it is left on average to those who know the syndrome, in bits."""
        return min_entropy(self.residual)

    @property
    def leftover_hash_bound(self) -> Number | None:
        """1/2 sqrt(2^(l-k)) with k the average min-entropy; None without a universal hash."""
        if not self.universal:
            return None
        return sqrt(self.residual * (1 << self.ell) / 4)

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
        """Whether two views of w always are within what is mended."""
        return 2 * self.errors <= self.radius

    def explain(self) -> str:
        """Say who learns what, and how that compares with what is printed."""
        said = [
            f"Somebody who knows the database tells everybody z: a breach of "
            f"{counted(self.ell, 'bit')}, hidden by a pad made from what a useful release has to "
            "tell.",
            f"With z and the release the attacker names a breach with probability "
            f"{show(self.attacker, side='at least')}. With z alone nobody does better than "
            f"{show(self.simulator, side='up')}, with the release alone than "
            f"{show(self.mu, side='up')}, with nothing "
            f"than {show(self.blind_any, side='up')}.",
        ]
        if self.gap > 0:
            said.append(
                f"So the release adds {show(self.gap, side='at least')} to what z gives away, and "
                "z "
                f"adds {show(self.attacker - self.mu, side='at least')} to what the release does."
            )
        else:
            said.append(
                "So access to the release gives this attacker nothing that z does not give."
            )
        if self.printed_bound_fails:
            said.append(self._how_the_bound_fails())
        if not self.radius_holds:
            mended = "is" if self.radius == 1 else "are"
            said.append(
                f"Two views of w may differ in {2 * self.errors} bits, and only {self.radius} "
                f"{mended} always mended: sometimes the attacker reads a wrong pad or none, and "
                "Theorem 1 promises nothing."
            )
        elif self.promise_fails:
            promised = f"Theorem 1 promises a gap of {show(self.guaranteed_gap, side='at least')}"
            said.append(
                f"{promised}, and there is less."
                if self.printed_bound_fails
                else f"{promised}, and there is less: the printed proof bounds answers of "
                f"{counted(self.ell, 'bit')} alone, which win at most "
                f"{show(self.simulator_ell, side='up')}, "
                "and z helps more to name breaches of other lengths."
            )
        elif self.guaranteed_gap > 0:
            said.append(
                f"Theorem 1 promises a gap of {show(self.guaranteed_gap, side='at least')}."
            )
        else:
            said.append("Theorem 1 promises nothing here: its gamma + mu + epsilon reaches 1.")
        return " ".join(said)

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
            "that is false "
            f"here{beats}, because {reason}. Given the whole set, the bound is "
            f"{show(self.repaired_bound)}."
        )

    @property
    def _bounds_ell_alone(self) -> bool:
        """Whether there are breaches that the printed bound says nothing about."""
        return not (self.one_length or self.sketch_bits)

    def numbers(self) -> list[tuple[str, Number | bool | None, str]]:
        """Return every number by name, with what it means."""
        ell = counted(self.ell, "bit")
        several = not self.one_length
        limited = f" of {ell}" if self._bounds_ell_alone else ""
        promised = "1 - (gamma + mu + epsilon)"
        return [
            ("attacker", self.attacker, "with z and the release: attacker"),
            ("simulator", self.simulator, "with z alone, at best: simulator"),
            ("simulator_ell", self.simulator_ell, f"... naming a breach of {ell}"),
            ("mu", self.mu, "with the release alone, at best: mu"),
            ("blind_any", self.blind_any, "with nothing, at best"),
            (
                "blind",
                self.blind,
                f"... naming a breach of {ell}: d_l" if several else "with nothing, at best: d_l",
            ),
            ("gap", self.gap, "gap: attacker - simulator"),
            (
                "guaranteed_gap",
                self.guaranteed_gap,
                f"promised: {promised}" if self.radius_holds else f"{promised}, not promised",
            ),
            ("gamma", self.gamma, f"gamma: no breach of {ell}"),
            ("epsilon", self.epsilon, "epsilon: pad from uniform, given breach"),
            ("epsilon_worst", self.epsilon_worst, "... for the worst breach"),
            ("epsilon_given_breaches", self.epsilon_given_breaches, "... given all breaches of DB"),
            ("leftover_hash_bound", self.leftover_hash_bound, "... leftover hash bound on it"),
            ("printed_bound", self.printed_bound, f"simulator{limited} at most, as printed"),
            ("repaired_bound", self.repaired_bound, "simulator at most, repaired"),
            ("min_entropy", self.min_entropy, "min-entropy of w given a breach, bits"),
            ("min_entropy_seen", self.min_entropy_seen, "... of what is seen of w"),
            ("average_min_entropy", self.average_min_entropy, "... and given its syndrome too"),
            ("largest_utility", self.largest_utility, "largest P(w | breach)"),
            ("largest_seen", self.largest_seen, "largest P(what is seen | breach)"),
            (
                "printed_bound_fails",
                self.printed_bound_fails,
                f"a simulator{limited} beats the printed bound",
            ),
            ("promise_fails", self.promise_fails, "the gap is less than promised"),
            ("assumption_2a", self.assumption_2a, "Assumption 2(2a) holds"),
            (
                "assumption_2a_repaired",
                self.assumption_2a_repaired,
                "... given all breaches of DB, as it must",
            ),
            ("assumption_3", self.assumption_3, "Assumption 3 holds"),
            ("radius_holds", self.radius_holds, "twice the errors are mended"),
        ]

    def table(self) -> list[tuple[str, str]]:
        """Return what each number means, with the number as text.

        If all breaches have ell bits, numbers for any length and for that one are not told apart.
        """
        twice = ("simulator_ell", "blind_any") if self.one_length else ()
        return [
            (meaning, _shown(value, side=_side(name)))
            for name, value, meaning in self.numbers()
            if value is not None and name not in twice
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        words = {
            name: getattr(self, name)
            for name in ("law", "sanitiser", "extractor", "code", "bits", "ell", "errors", "radius")
        }
        found = {
            name: value
            if isinstance(value, bool) or value is None
            else to_json(value, side=_side(name))
            for name, value, _ in self.numbers()
        }
        return {
            **words,
            "public_string_bits": self.sketch_bits,
            **found,
            "explanation": self.explain(),
        }

    def _repr_html_(self) -> str:
        """Show a card in a notebook."""
        from twoworlds.cards import bars, table
        from twoworlds.cards.layout import explained

        named = {
            "with z and the release": self.attacker,
            "with z alone, at best": self.simulator,
            "with the release alone, at best": self.mu,
            "with nothing, at best": self.blind_any,
        }
        drawn = bars("A breach is named", named)
        return explained(self.explain(), drawn, table((), self.table(), names=True))


def _shown(value: Number | bool, *, side: Side = "up") -> str:  # noqa: FBT001 (an answer)
    """Return a number, or yes and no, as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return stated(value, side=side)


def _side(name: str) -> Side:
    return "down" if name in _DOWNWARD else "up"
