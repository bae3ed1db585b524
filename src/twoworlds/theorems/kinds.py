r"""Kinds of guarantee: which definitions the theorems speak of, and which numbers each has.

A kind is a plain name with the numbers it carries. ``ratio`` is e^epsilon, at least 1 (one may
type ``epsilon``); those listed as ``amounts`` have no upper end; every other number is a
probability or a statistical difference, between 0 and 1. Smaller is stronger for all of them, but
for those listed as ``fixed``, which are part of the question (the level of a test, the order of a
divergence). The registry is open: `register` adds kinds for other papers.

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
    rdp                     the Renyi divergence D_a(A(x) || A(y)) of the order a is at most epsilon
    zcdp                    D_a(A(x) || A(y)) <= a rho for all orders a > 1
    gdp                     no test tells A(x) from A(y) better than N(mu, 1) from N(0, 1)

The kinds of Bassily, Groce, Katz & Smith speak of a class of beliefs about database X and side
information Z, which stays the same from premise to conclusion. They speak of one person at a time;
coupled worlds of any pairs (alt, priv), whose number is ``pairs``: a group of people makes a pair.
Simulators are given a list of records, and are told whose is missing only where that is said.

    simulation              A(x) and Sim(x_-i) are indistinguishable, for all databases and persons
    ddp                     so are A(X) and Sim(X_-i), given X_i and Z, for a class of beliefs
    independent-ddp         the same, where all beliefs hold records independent given Z
    coupled-worlds          the same as ddp for any pairs: A(X) and Sim(alt(X)), given priv(X) and Z
    inference-ddp           but for outputs of probability delta, X_i given A(X) and Z and X_i given
                            Sim(X_-i) and Z are (epsilon, delta)-indistinguishable, for all persons
    inference-coupled-worlds    the same for any pairs
    noiseless               A(X) given X_i = v, Z and A(X) given X_i = w, Z are indistinguishable
    pufferfish              A(X) given a secret, Z and A(X) given its opposite, Z are
    inference-pufferfish    but for outputs of probability delta, the secret given A(X), Z and the
                            secret given Z are (epsilon, delta)-indistinguishable
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from twoworlds.errors import InvalidInput, UnknownName


@dataclass(frozen=True)
class Kind:
    """A definition that guarantees may state."""

    name: str
    numbers: tuple[str, ...]
    summary: str
    citation: str
    fixed: tuple[str, ...] = ()
    amounts: tuple[str, ...] = ()
    counts: str = "records"
    groups: bool = True

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
    """Return the kind of a name, or suggest the nearest."""
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
    Kind(
        "rdp",
        ("order", "epsilon"),
        "the Renyi divergence of this order between neighbours is at most epsilon",
        "Mironov 2017, the definition",
        fixed=("order",),
        amounts=("order", "epsilon"),
    ),
    Kind(
        "zcdp",
        ("rho",),
        "no Renyi divergence between neighbours is above rho times its order",
        "Bun & Steinke 2016, Definition 1.1",
        amounts=("rho",),
    ),
    Kind(
        "gdp",
        ("mu",),
        "neighbours are no easier to tell apart than normal laws whose means differ by mu",
        "Dong, Roth & Su 2022, the definition",
        amounts=("mu",),
    ),
):
    register(_kind)

_COUPLED = "Bassily, Groce, Katz & Smith"

for _kind in (
    Kind(
        "simulation",
        _BOTH,
        "the output can be simulated without any one person's record, whatever the database",
        f"{_COUPLED}, Section II-A",
    ),
    Kind(
        "ddp",
        _BOTH,
        "for a class of beliefs, the output can be simulated without any one person's record",
        f"{_COUPLED}, Definition 3",
    ),
    Kind(
        "independent-ddp",
        _BOTH,
        "the same as ddp, for beliefs that hold records independent given side information",
        f"{_COUPLED}, Corollary 2",
    ),
    Kind(
        "coupled-worlds",
        _BOTH,
        "for a class of beliefs, the output can be simulated from scrubbed databases",
        f"{_COUPLED}, Definition 5",
        counts="pairs",
    ),
    Kind(
        "inference-ddp",
        _BOTH,
        "for a class of beliefs, conclusions about a person are those from a simulated output",
        f"{_COUPLED}, Definition 2",
    ),
    Kind(
        "inference-coupled-worlds",
        _BOTH,
        "for a class of beliefs, conclusions about private parts are those from a simulated output",
        f"{_COUPLED}, Definition 4",
        counts="pairs",
    ),
    Kind(
        "noiseless",
        _BOTH,
        "for a class of beliefs, the output hardly depends on the value of any one record",
        f"{_COUPLED}, Definition 6",
    ),
    Kind(
        "pufferfish",
        _BOTH,
        "for a class of beliefs, the output hardly depends on whether a secret is true",
        f"{_COUPLED}, Definition 7",
    ),
    Kind(
        "inference-pufferfish",
        _BOTH,
        "for a class of beliefs, the output hardly changes the belief in a secret",
        f"{_COUPLED}, Definition 8",
    ),
):
    register(replace(_kind, groups=False))
