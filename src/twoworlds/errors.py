"""The exceptions of twoworlds.

    TwoWorldsError
    ├── InvalidInput            what was given breaks a rule that the message states
    │   ├── UnknownName         no such mechanism, definition, universe or argument
    │   ├── NotStochastic       a column of probabilities is not a probability law
    │   ├── TooLarge            the work asked for would not fit; the message names the way out
    │   └── OverBudget          a cost does not fit under a cap of the ledger; nothing was charged
    ├── Unsupported             the question makes sense, but not for this structure
    ├── Undecided               an enclosure could not separate two numbers within its limit
    ├── LedgerDamaged           a chain of entries, or its high-water mark, does not verify
    ├── LedgerUnavailable       the ledger is locked, read-only, full or out of reach
    └── ReleaseFailed           a release was charged, and the engine could not answer it

Those of budget, ledger and release are defined in `twoworlds.release.errors`.

Every message says what failed, with which value, which rule it breaks and the way out.
No message ever holds a record of anybody's data: the inputs here are models, not data.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher


class TwoWorldsError(Exception):
    """Any error that twoworlds raises on purpose.

    >>> issubclass(InvalidInput, TwoWorldsError), issubclass(Undecided, TwoWorldsError)
    (True, True)
    """

    field: str | None = None  # which field of a request it is about, where that is known


class InvalidInput(TwoWorldsError, ValueError):
    """An argument breaks a rule; the message names value, rule and way out.

    >>> import twoworlds as tw
    >>> tw.mechanism("randomized-response(bits=2, keep=1.2)")
    Traceback (most recent call last):
    twoworlds.errors.InvalidInput: keep=1.2 is not a probability: it must lie between 0 and 1
    """


class UnknownName(InvalidInput):
    """A name that nothing answers to; the message suggests the nearest one.

    >>> print(UnknownName("mechanism", "laplase", ["gaussian", "laplace"]))
    unknown mechanism 'laplase': did you mean 'laplace'?
    """

    def __init__(
        self, kind: str, name: str, known: Iterable[str], *, meant: str | None = None
    ) -> None:
        """Say which ``kind`` of thing was looked for and what the nearest known names are.

        ``meant`` is the known name of the same thing, where the one given is another name of it.
        """
        names = sorted(known)
        self.kind, self.name = kind, name
        self.nearest = meant or _nearest(name.lower(), names)
        hint = f"did you mean {self.nearest!r}?" if self.nearest else f"known: {', '.join(names)}"
        super().__init__(f"unknown {kind} {name!r}: {hint}")


def _nearest(name: str, known: list[str]) -> str | None:
    """Return the name that is most like this one; a beginning counts nearly as much as a whole."""

    def alike(other: str) -> float:
        beginning = SequenceMatcher(None, name, other[: len(name)]).ratio()
        return max(SequenceMatcher(None, name, other).ratio(), 0.95 * beginning)

    best = max(known, key=alike, default=None)
    return best if best is not None and alike(best) >= 0.5 else None


class NotStochastic(InvalidInput):
    """A column of probabilities has a negative entry or does not sum to 1.

    >>> import twoworlds as tw
    >>> tw.Dense(tw.BitStrings(1), tw.BitStrings(1), [["1/2", "1/2"], ["1/4", "1/2"]])
    Traceback (most recent call last):
    twoworlds.errors.NotStochastic: column 1 sums to 3/4 (0.75), it must sum to 1 ...
    """


class TooLarge(InvalidInput):
    """The object asked for would not fit in memory or time; the message names the way out.

    >>> import twoworlds as tw
    >>> tw.row_cone("dp(ratio=2)", "bits(30)")
    Traceback (most recent call last):
    twoworlds.errors.TooLarge: ...
    """


class Unsupported(TwoWorldsError):
    """This structure has no rigorous answer to this question yet; nothing was guessed.

    >>> import twoworlds as tw
    >>> tw.measure("laplace(scale=1)", definition="mutual-information")
    Traceback (most recent call last):
    twoworlds.errors.Unsupported: mutual information speaks of records: reals() has no ...
    """


class Undecided(TwoWorldsError):
    """Two numbers agree to the stated number of bits, so their order is not known.

    >>> import twoworlds as tw
    >>> tw.number("sqrt 2") * tw.number("sqrt 3") <= tw.number("sqrt 6")
    Traceback (most recent call last):
    twoworlds.errors.Undecided: Real(sqrt(2)*sqrt(3)) and Real(sqrt(6)) agree to 4096 bits: ...
    """


class Interrupted(Exception):
    """Ctrl-C at a moment about which something must be said.

    No `KeyboardInterrupt`: the option parser would make an exit code of that, and lose the text.
    """
