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
    """A name that nothing answers to; the message suggests what was meant.

    >>> print(UnknownName("mechanism", "laplase", ["gaussian", "laplace"]))
    unknown mechanism 'laplase': did you mean 'laplace'?
    >>> print(UnknownName("mechanism", "normal", ["gaussian", "laplace"]))
    unknown mechanism 'normal': did you mean 'gaussian'?
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], *, which: str = "") -> None:
        """Say which ``kind`` of thing was looked for, and which known name means the same."""
        names = sorted(known)
        self.kind, self.name = kind, name
        *meant, instead = _MEANT.get(name.lower().replace("_", "-").replace(" ", "-"), ("",))
        self.nearest = next((one for one in (*meant, instead) if one in names), None)
        if self.nearest is None and " " in instead and kind in _OURS:
            super().__init__(f"unknown {kind} {name!r}: {instead}")
            return
        self.nearest = self.nearest or _nearest(name, names)
        known = f"known: {', '.join(names)}" if names else "there is none"
        hint = f"did you mean {self.nearest!r}?" if self.nearest else known
        super().__init__(f"unknown {kind} {name!r}{which and f', {which}'}: {hint}")


# What people call what has another name here: the known names it may stand for; then, where none of
# them is known, what to do instead. The kinds are those whose names are ours, not somebody's data.
_OURS = {
    "mechanism",
    "noise to calibrate",
    "kind of guarantee",
    "definition",
    "command",
    "list",
    "neighbour relation",
}
_LAPLACE, _GAUSSIAN, _GEOMETRIC, _COIN, _BINOMIAL = (
    ("laplace",),
    ("gaussian",),
    ("geometric",),
    ("randomized-response",),
    ("differenced-negative-binomial",),
)
_TABLES = ("anonymity", "it is a property of tables: twoworlds anonymity measures it")
_SAMPLE = (
    "poisson-sample",
    "sampling is a mechanism: twoworlds measure 'poisson-sample(laplace(epsilon=1), rate=1/100)'",
)
_CHOICE = (
    "it is not built in: twoworlds design finds the best mechanism for a loss, twoworlds release "
    "uses it for MEDIAN; for noise, use laplace",
)
_GRAPHS = (
    "it is said by the universe: graphs(100, protect=edge) or graphs(100, protect=node), both with "
    "neighbours by substitute",
)
_MEANT: dict[str, tuple[str, ...]] = {
    "edge": ("edge", *_GRAPHS),
    "edges": ("edge", *_GRAPHS),
    "node": ("node", *_GRAPHS),
    "nodes": ("node", *_GRAPHS),
    "bounded": ("substitute",),
    "replace": ("substitute",),
    "unbounded": ("add-remove",),
    "laplacian": _LAPLACE,
    "double-exponential": _LAPLACE,
    "normal": _GAUSSIAN,
    "gauss": _GAUSSIAN,
    "discrete-normal": ("discrete-gaussian",),
    "discrete-laplace": _GEOMETRIC,
    "two-sided-geometric": _GEOMETRIC,
    "truncated-geometric": _GEOMETRIC,
    "poisson": ("skellam",),
    "negative-binomial": _BINOMIAL,
    "pascal": _BINOMIAL,
    "coin": _COIN,
    "survey": _COIN,
    "warner": _COIN,
    "rr": _COIN,
    "krr": _COIN,
    "pram": _COIN,
    "exponential": _CHOICE,
    "exponential-mechanism": _CHOICE,
    "noisy-max": _CHOICE,
    "report-noisy-max": _CHOICE,
    "sparse-vector": (
        "adaptive",
        "it is not built in: adaptive asks a second query chosen by the first answer",
    ),
    "subsample": _SAMPLE,
    "subsampling": _SAMPLE,
    "subsampled": _SAMPLE,
    "dp-sgd": (
        "its noise is a composition: twoworlds measure "
        "'poisson-sample(gaussian(sigma=1), rate=1/100)' --times 100 --delta 1e-6",
    ),
    "histogram": (
        "a histogram is a query: twoworlds release answers SELECT ..., COUNT(*) ... GROUP BY",
    ),
    "noise": (
        "calibrate",
        "mechanisms",
        "name its law, such as laplace; twoworlds list mechanisms has all",
    ),
    "k-anonymity": _TABLES,
    "l-diversity": _TABLES,
    "t-closeness": _TABLES,
    "attacks": ("attack", "attacks are commands: twoworlds attack --help has all"),
    "commands": ("commands are listed by twoworlds --help",),
    "renyi": ("rdp", "it is a definition: twoworlds measure MECHANISM --definition 'rdp(order=2)'"),
    "differential-privacy": ("dp", "it is a definition: twoworlds explain 'dp(epsilon=1)'"),
    "ldp": ("randomize", "dp"),
    "accountant": ("compose",),
    "composition": ("compose",),
    "epsilon": (
        "measure",
        "it is a number: write dp(epsilon=1), or a mechanism such as laplace(epsilon=1)",
    ),
    "attacker": ("posterior",),
    "bayes": ("posterior",),
    "roc": ("tradeoff",),
    "query": ("release",),
    "propose": ("release",),
    "proposals": ("review",),
    "approve": ("review",),
    "sql": ("release",),
    "tutorial": ("demo",),
    "web": ("serve",),
    "ui": ("serve",),
}


def _nearest(name: str, known: list[str]) -> str | None:
    """Return the name that is most like this one; a beginning counts nearly as much as a whole.

    Neither capitals nor blanks around a name count, and nothing is like an empty one.
    """
    sought = name.strip().casefold()

    def alike(other: str) -> float:
        other = other.strip().casefold()
        beginning = SequenceMatcher(None, sought, other[: len(sought)]).ratio()
        return max(SequenceMatcher(None, sought, other).ratio(), 0.95 * beginning)

    best = max(known, key=alike, default=None) if sought else None
    return best if best is not None and alike(best) >= (0.6 if len(sought) > 3 else 0.5) else None


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


class DoubtfulRelease(UserWarning):
    """What Python warns of before a release is paid; see `twoworlds.release.warnings`."""


class Interrupted(Exception):
    """Ctrl-C at a moment about which something must be said.

    No `KeyboardInterrupt`: the option parser would make an exit code of that, and lose the text.
    """
