r"""Pufferfish: the release looks alike whether a secret is true or false.

A secret is a function of the database with values 0, 1 and None, where None leaves it open:

    Pufferfish                 F(X) given sec(X) = 0, Z = z and F(X) given sec(X) = 1, Z = z are
                               (epsilon, delta)-indistinguishable
    inference-based            with probability 1 - delta over t = F(X) given z, the law of sec(X)
                               given F(X) = t, Z = z is (epsilon, delta)-indistinguishable from
                               that given Z = z alone

for all secrets, all z and all beliefs (Bassily, Groce, Katz & Smith, Definitions 7 and 8). A secret
that is certain given z is not compared: conditioning on the impossible means nothing.

Noiseless privacy: the release looks alike whichever value a person's entry has.

    F(X) given X_i = v, Z = z   and   F(X) given X_i = w, Z = z   are (epsilon, delta)-
    indistinguishable for all i, all z and all v, w possible given z

(Bassily, Groce, Katz & Smith, Definition 6). Values that are impossible given z are not compared.
In the words of the paper it counts as a loss to learn anything that bears on a person, even from
data without them: a hidden common mean is enough. Less side information can make it worse
(it has no analogue of Theorem 5), and so can mixing beliefs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from twoworlds.calls import is_python, load_function
from twoworlds.definitions.coupled.base import Beliefs, OverBeliefs, read_persons
from twoworlds.definitions.coupled.best import Measure
from twoworlds.definitions.coupled.measures import (
    ByConclusions,
    ByEvents,
    Found,
    two_values,
)
from twoworlds.definitions.coupled.original import ButForRare
from twoworlds.definitions.coupled.posteriors import against_prior
from twoworlds.definitions.coupled.scene import Law, Scene
from twoworlds.definitions.coupled.words import conclusion_words, even_bet
from twoworlds.errors import InvalidInput
from twoworlds.numbers import INFINITY, decimal
from twoworlds.worlds import Records, Universe
from twoworlds.worlds.belief import Secret, secret
from twoworlds.worlds.joint import BeliefClass
from twoworlds.worlds.scrubbing import Scrub

RECORDS = "records"
_AGAINST = " against "
SecretFunction = Callable[[Any], Any]
Secrets = str | Secret | SecretFunction | Sequence[Any]


@dataclass(frozen=True, init=False)
class Pufferfish(OverBeliefs):
    """The release is nearly the same whether a secret is true or false.

    >>> from twoworlds import mechanism
    >>> total = mechanism("exact(sum, universe=bits(3))")
    >>> Pufferfish("uniform", "parity", ratio=3).tightest(total).delta
    Fraction(1, 1)
    """

    secrets: Secrets

    name = "Pufferfish privacy"
    typed = "pufferfish"

    def __init__(self, beliefs: Beliefs, secrets: Secrets = RECORDS, **asked: Any) -> None:
        super().__init__(beliefs, **asked)
        self._assign(secrets=secrets)

    def _pairs(self, beliefs: BeliefClass, universe: Universe | None) -> tuple[Scrub, ...]:
        return read_secrets(self.secrets, universe)

    def _arguments(self) -> Iterable[str]:
        if isinstance(self.secrets, str):
            yield f"secrets={self.secrets!r}" if " " in self.secrets else f"secrets={self.secrets}"
        elif isinstance(self.secrets, list) and all(isinstance(s, str) for s in self.secrets):
            yield f"secrets=[{', '.join(self.secrets)}]"

    def _measure(self, scene: Scene) -> Measure:
        return ByEvents(scene, two_values(scene, (0, 1)))

    def _alike(self, scene: Scene) -> Iterable[tuple[Law, Law]]:
        return ((worlds.first, worlds.second) for worlds in two_values(scene, (0, 1)))

    def _meaning(self, found: Found) -> str:
        if found.nothing_left:
            return "every secret is settled already, and nothing is promised"
        return even_bet(found.ratio, found.delta, "on a secret")

    def _comparison(self, scene: Scene, found: Found) -> tuple[str, ...]:
        named = "; ".join(pair.name for pair in scene.scrubs[:4])
        more = f"; and {len(scene.scrubs) - 4} more" if len(scene.scrubs) > 4 else ""
        return (
            f"the secrets are: {named}{more}",
            "we compare the release when a secret is false and when it is true; secrets that are "
            "certain given what the attacker knows are left out",
        )


@dataclass(frozen=True, init=False)
class InferencePufferfish(Pufferfish):
    """What is concluded about a secret is nearly what was believed before.

    >>> from twoworlds import mechanism
    >>> answer = mechanism("randomized-response(bits=1, keep=3/4)")
    >>> InferencePufferfish("uniform", "1=1", ratio=1).tightest(answer).delta
    Fraction(1, 4)
    """

    name = "inference-based Pufferfish privacy"
    typed = "inference-pufferfish"

    def _measure(self, scene: Scene) -> Measure:
        return ByConclusions(scene, against_prior(scene))

    def _alike(self, scene: Scene) -> Iterable[tuple[Law, Law]]:
        """Yield P(sec = v, F(X) = t | z) and P(sec = v | z) P(F(X) = t | z).

        Their quotient is that of posterior and prior. At delta 0 no output may fail, and an event
        of the secret fails only if one of its values does.
        """
        for cell in scene.cells:
            whole = {x: p for law in cell.real.values() for x, p in law.items()}
            for v, mass in cell.mass.items():
                yield cell.real[v], {x: mass * p for x, p in whole.items()}

    def _meaning(self, found: Found) -> str:
        if found.nothing_left:
            return "every secret is settled already, and nothing is promised"
        return conclusion_words(found.ratio, found.delta, "a secret", "before", found.alarm)

    def _comparison(self, scene: Scene, found: Found) -> tuple[str, ...]:
        first, _ = super()._comparison(scene, found)
        return (
            first,
            "we compare what is believed about a secret (true, false or open) after the release "
            "and before it, for each side information apart",
        )


def read_secrets(given: Secrets, universe: Universe | None) -> tuple[Scrub, ...]:
    """Return the secrets as pairs: priv is the secret, and nothing is scrubbed.

    Text is that of `twoworlds.worlds.belief`, ``A against B`` for a secret that is 1 if A holds, 0
    if B does and open otherwise, or ``records`` for every two values of every entry.

    >>> from twoworlds.worlds.records import BitStrings
    >>> [pair.name for pair in read_secrets(["parity", "1=1 against 2=1"], BitStrings(2))]
    ['parity is odd', 'record 1 is 1 rather than record 2 is 1']
    """
    parts = [given] if isinstance(given, (str, Secret)) or callable(given) else list(given)
    if not parts:
        raise InvalidInput("no secrets are given: write secrets=parity, 1=1, or records")
    return tuple(pair for part in parts for pair in _read(part, universe))


def _read(part: object, universe: Universe | None) -> Iterable[Scrub]:
    if isinstance(part, Scrub):
        return (part,)
    if isinstance(part, Secret):
        return (_pair(part.name, _truth(part)),)
    if callable(part):
        return (_pair(getattr(part, "__name__", "a secret"), part),)
    if not isinstance(part, str):
        raise InvalidInput(f"{part!r} is not a secret: give text, a Secret, or a function")
    if universe is None:
        raise InvalidInput(
            f"the release does not say what its databases are, so the secret {part!r} cannot "
            "be read for it: give a function of the database, or a mechanism"
        )
    if is_python(part):
        return (_pair(part.rpartition(":")[2], load_function(part)),)
    if part.strip() == RECORDS:
        return _records(universe)
    if _AGAINST in part:
        one, _, zero = part.partition(_AGAINST)
        return (_against(secret(one, universe), secret(zero, universe)),)
    return _read(secret(part, universe), universe)


def _records(universe: Universe) -> Iterable[Scrub]:
    """Yield a secret for every two values of every entry, open where neither holds."""
    if not isinstance(universe, Records) or not universe.fixed:
        raise InvalidInput(
            f"{universe.expression} has no persons to speak of: name secrets such as parity"
        )
    for person in range(1, universe.n + 1):
        for v, w in combinations(universe.values, 2):
            yield _against(Secret.record(universe, person, v), Secret.record(universe, person, w))


def _against(one: Secret, zero: Secret) -> Scrub:
    def value(x: Any) -> int | None:
        true, false = one.holds(x), zero.holds(x)
        if true and false:
            raise InvalidInput(
                f"{one.name} and {zero.name} can both be true: a secret has one value"
            )
        return 1 if true else 0 if false else None

    return _pair(f"{one.name} rather than {zero.name}", value)


def _truth(part: Secret) -> SecretFunction:
    return lambda x: int(part.holds(x))


def _pair(name: str, function: SecretFunction) -> Scrub:
    def value(x: Any) -> Hashable:
        found = function(x)
        if found is None or (isinstance(found, (bool, int)) and found in (0, 1)):
            return None if found is None else int(found)
        raise InvalidInput(f"the secret {name} has the value {found!r}: it must be 0, 1 or None")

    return Scrub(name, value, lambda _: "nothing")


@dataclass(frozen=True, init=False)
class NoiselessPrivacy(OverBeliefs):
    """Every two values of a person's entry give nearly the same release.

    >>> from twoworlds import mechanism
    >>> total = mechanism("exact(sum, universe=bits(3))")
    >>> NoiselessPrivacy("uniform", ratio=2).tightest(total).delta
    Fraction(1, 4)
    """

    name = "noiseless privacy"
    typed = "noiseless"

    def _pairs(self, beliefs: BeliefClass, universe: Universe | None) -> tuple[Scrub, ...]:
        return read_persons(beliefs, universe, tagged=False, typed=self.typed)

    @property
    def _of_everybody(self) -> bool:
        return True

    def _measure(self, scene: Scene) -> Measure:
        return ByEvents(scene, two_values(scene))

    def _alike(self, scene: Scene) -> Iterable[tuple[Law, Law]]:
        return ((worlds.first, worlds.second) for worlds in two_values(scene))

    def _meaning(self, found: Found) -> str:
        if found.nothing_left:
            return "every entry is known already, and nothing is promised"
        return even_bet(found.ratio, found.delta, "between two values of your entry")

    def _comparison(self, scene: Scene, found: Found) -> tuple[str, ...]:
        return (
            "we compare the release under any two values of one entry that are possible given "
            "what the attacker knows; impossible ones are left out",
        )


@dataclass(frozen=True, init=False)
class OriginalNoiselessPrivacy(NoiselessPrivacy):
    """Every two values give nearly the same release, but for rare values and rare releases.

    >>> from twoworlds import mechanism
    >>> total = mechanism("exact(sum, universe=bits(3))")
    >>> OriginalNoiselessPrivacy("uniform", ratio=2).tightest(total).delta
    Fraction(1, 4)
    """

    name = "noiseless privacy as first defined"
    typed = "original-noiseless"

    def _measure(self, scene: Scene) -> Measure:
        return ButForRare(scene)

    def _meaning(self, found: Found) -> str:
        if found.nothing_left or found.delta == 0 or found.ratio == INFINITY:
            return super()._meaning(found)
        bet = even_bet(found.ratio, Fraction(0), "between two values of your entry")
        return f"{bet}, but for values and releases of probability {decimal(found.delta, 3)}"

    def _comparison(self, scene: Scene, found: Found) -> tuple[str, ...]:
        return (
            *super()._comparison(scene, found),
            "delta is the probability of the values of an entry and of the releases that are left "
            "out; of these nothing is promised",
        )
