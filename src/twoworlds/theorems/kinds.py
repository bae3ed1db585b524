r"""Kinds of guarantee: which definitions the theorems speak of, and which numbers each has.

A kind is a plain name with the numbers it carries. ``ratio`` is e^epsilon, at least 1 (one may
type ``epsilon``); every other number is a probability or a statistical difference, between 0 and 1.
Smaller is stronger for all of them, but for those listed as ``fixed``, which are part of the
question (the level of a test). The registry is open: `register` adds kinds for other papers.

What each kind states of a mechanism A, with neighbours x, y:

    dp                      P(A(x) in S) <= e^epsilon P(A(y) in S) + delta, for all neighbours
    indistinguishable       the same of the two laws A(x), A(y)
    pointwise               outputs with a ratio beyond e^epsilon have mass at most delta
    statistical-difference  P(A(x) in S) <= P(A(y) in S) + epsilon
    semantic                for every belief, with probability 1 - delta over the transcript,
                            the posteriors with and without any one person differ by at most epsilon
    reality-oblivious       the same for every true database, whatever the belief
    local-semantic          the same as semantic, for one belief only
    informed                prior and posterior differ by at most epsilon if all but one is known
    local-dp                the inequality of dp at the databases x of a set E only
    local-laplace           f + Lap(s/epsilon), where E is where the local sensitivity is at most s
    joint, local-joint      (x, A(x)) and (x, A(x_-i)) are indistinguishable, for all beliefs or one
    conditional             given the transcript, the database is (epsilon, delta)-indistinguishable
                            in Games 0 and i, but for transcripts of probability ``failure``
    power                   a test of one value of a record against another, at a level, has at
                            most this power
"""

from __future__ import annotations

from dataclasses import dataclass

from twoworlds.errors import InvalidInput, UnknownName

__all__ = ["KINDS", "Kind", "kind_of", "register"]


@dataclass(frozen=True)
class Kind:
    """A definition that guarantees may state.

    Attributes:
        name: as one types it.
        numbers: what it carries, in the order in which they are shown and compared.
        summary: what it says, in one line.
        citation: where it is defined.
        fixed: those of the numbers that belong to the question and are not minimised.
    """

    name: str
    numbers: tuple[str, ...]
    summary: str
    citation: str
    fixed: tuple[str, ...] = ()

    @property
    def typed_names(self) -> tuple[str, ...]:
        """The names one may type: epsilon stands for the ratio, too."""
        return (*self.numbers, "epsilon") if "ratio" in self.numbers else self.numbers


KINDS: dict[str, Kind] = {}


def register(kind: Kind) -> Kind:
    """Add a kind to the registry."""
    if kind.name in KINDS:
        raise InvalidInput(f"kind {kind.name!r} is registered twice")
    KINDS[kind.name] = kind
    return kind


def kind_of(name: str) -> Kind:
    """Return the kind of a name, or suggest the nearest.

    >>> kind_of("dp").numbers
    ('ratio', 'delta')
    """
    if name not in KINDS:
        raise UnknownName("kind of guarantee", name, KINDS)
    return KINDS[name]


_BOTH = ("ratio", "delta")
_BELIEFS = ("epsilon", "delta")
_PAPER = "Kasiviswanathan & Smith"

for _kind in (
    Kind("dp", _BOTH, "differential privacy", f"{_PAPER}, Definitions 1.1 and 1.2"),
    Kind(
        "indistinguishable",
        _BOTH,
        "the laws of any two neighbours are indistinguishable",
        f"{_PAPER}, Definition 3.1",
    ),
    Kind(
        "pointwise",
        _BOTH,
        "but for outputs of mass delta, the ratio is within e^epsilon",
        f"{_PAPER}, Definition 3.2",
    ),
    Kind(
        "statistical-difference",
        ("epsilon",),
        "no event changes its probability by more than epsilon",
        f"{_PAPER}, equation 3",
    ),
    Kind(
        "semantic",
        _BELIEFS,
        "posteriors with and without a person differ by at most epsilon",
        f"{_PAPER}, Definitions 2.1 and 2.3",
    ),
    Kind(
        "reality-oblivious",
        _BELIEFS,
        "semantic privacy whatever the true database is",
        f"{_PAPER}, appendix, Definition 1.1",
    ),
    Kind(
        "local-semantic",
        _BELIEFS,
        "semantic privacy against one belief",
        f"{_PAPER}, Definition 4.1",
    ),
    Kind(
        "informed",
        ("epsilon",),
        "prior and posterior differ by at most epsilon for informed beliefs",
        f"{_PAPER}, Section 2.1",
    ),
    Kind(
        "local-dp",
        _BOTH,
        "differential privacy at the databases of a set E only",
        f"{_PAPER}, Theorem 4.2",
    ),
    Kind(
        "local-laplace",
        ("ratio",),
        "Laplace noise of scale s/epsilon, where local sensitivity is at most s",
        f"{_PAPER}, Corollary 4.4",
    ),
    Kind(
        "joint",
        _BOTH,
        "database and transcript are jointly indistinguishable in Games 0 and i",
        f"{_PAPER}, Lemma 3.3(3)",
    ),
    Kind("local-joint", _BOTH, "the same as joint, for one belief only", f"{_PAPER}, Lemma 3.3(4)"),
    Kind(
        "conditional",
        (*_BOTH, "failure"),
        "given the transcript, the database is indistinguishable in Games 0 and i",
        f"{_PAPER}, Lemma 3.4",
    ),
    Kind(
        "power",
        ("level", "power"),
        "a test about one record at this level has at most this power",
        f"{_PAPER}, Section 2.1, equations 4 and 5",
        fixed=("level",),
    ),
):
    register(_kind)
