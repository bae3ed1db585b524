"""Definitions as calls, ``dp(ratio=3, delta=1/4)``, and the two questions asked of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from inspect import Parameter, Signature

from twoworlds.calls import Registry
from twoworlds.definitions.base import PrivacyDefinition
from twoworlds.definitions.differential_privacy import DifferentialPrivacy
from twoworlds.definitions.verdict import Verdict
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import Mechanism
from twoworlds.mechanisms.named import mechanism as build_mechanism

DEFINITIONS: Registry[PrivacyDefinition] = Registry(
    "definition", late=("twoworlds.cones.amplification",)
)
Relation = str | Iterable[tuple[object, object]] | None


def definition(text: str | PrivacyDefinition) -> PrivacyDefinition:
    """Build a definition from what one would type.

    >>> definition("dp(ratio=3)").ratio
    Fraction(3, 1)
    """
    return text if isinstance(text, PrivacyDefinition) else DEFINITIONS.build(text)


def check(
    mechanism: str | Mechanism,
    claim: str | PrivacyDefinition,
    *,
    neighbours: Relation = None,
    group: object = None,
) -> Verdict:
    """Decide whether a mechanism satisfies a definition with its numbers.

    >>> bool(check("random-index(records=4, values=3)", "dp(ratio=1000, delta=0.2)"))
    False
    """
    return _with(claim, neighbours, group).check(build_mechanism(mechanism))


def measure(
    mechanism: str | Mechanism,
    *,
    ratio: object = None,
    epsilon: object = None,
    delta: object = None,
    neighbours: Relation = None,
    group: object = None,
    definition: str | PrivacyDefinition = "dp",
) -> Verdict:
    """Return the exact price of a mechanism.

    In differential privacy, the default: without numbers, the smallest ratio with delta = 0; with
    ratio or epsilon, the delta there; with delta, the smallest ratio for it. For any other
    definition: its tightest numbers.

    >>> measure("randomized-response(bits=1, keep=3/4)", ratio=2).delta
    Fraction(1, 4)
    """
    numbers = {"ratio": ratio, "epsilon": epsilon, "delta": delta}
    asked = _with(definition, neighbours, group, **numbers)
    built = build_mechanism(mechanism)
    if not isinstance(asked, DifferentialPrivacy) or (asked.ratio is None and asked.delta == 0):
        return asked.tightest(built)
    if asked.ratio is None:
        return asked.ratio_at(built, asked.delta)
    if asked.delta != 0 or delta is not None:
        raise InvalidInput(
            "a ratio (or epsilon) with a delta is a claim: check it, as in twoworlds check "
            f"'{built.expression}' '{asked.claim}', or leave one of the two out"
        )
    return asked.delta_at(built, asked.ratio)


def _with(
    text: str | PrivacyDefinition, neighbours: Relation, group: object, **numbers: object
) -> PrivacyDefinition:
    """Build a definition, with neighbours, a group size and numbers given beside it."""
    beside = {"neighbours": neighbours, "group": group, **numbers}
    given = {name: value for name, value in beside.items() if value is not None}
    if isinstance(text, PrivacyDefinition):
        if given:
            raise InvalidInput(
                "a definition object carries its own neighbours, group and numbers: give "
                f"{', '.join(given)} to the object"
            )
        return text
    return DEFINITIONS.build(text, **given)


_RATIO = "| ratio epsilon delta=0 neighbours group=1"
_WORLDS = "side simulator=optimal"
_NUMBERS = "ratio epsilon delta"
_COUPLED = f"belief! scrubs=persons | {_WORLDS} {_NUMBERS}"
_DISTRIBUTIONAL = f"belief! | {_WORLDS} tagged=no {_NUMBERS}"
_SECRETS = f"belief! secrets=records | side {_NUMBERS}"
# The class that a name calls, its arguments (those that must be given end in "!", the others may
# have a default; those before "|" have no name there; if none is, all must be named), and its
# summary. A class is imported when it is first asked for.
_DEFINITIONS = {
    "dp": (
        "differential_privacy:DifferentialPrivacy",
        _RATIO,
        "Differential privacy: neighbours give every event nearly the same probability.",
    ),
    "pointwise": (
        "indistinguishability:PointwiseIndistinguishability",
        _RATIO,
        "Point-wise indistinguishability: most outputs are nearly as likely in both worlds.",
    ),
    "statistical-difference": (
        "indistinguishability:StatisticalDifference",
        "epsilon neighbours group=1",
        "Statistical difference: no probability changes by more than epsilon (protects nobody).",
    ),
    "rdp": (
        "accountants:RenyiDifferentialPrivacy",
        "order epsilon neighbours group=1",
        "Renyi differential privacy: a mean of the likelihood ratio, of one order, is bounded.",
    ),
    "zcdp": (
        "accountants:ConcentratedDifferentialPrivacy",
        "rho neighbours group=1",
        "Zero-concentrated differential privacy: means of all orders are those of Gaussian noise.",
    ),
    "gdp": (
        "accountants:GaussianDifferentialPrivacy",
        "mu neighbours group=1",
        "Gaussian differential privacy: no test does better than on two shifted normal laws.",
    ),
    "f-dp": (
        "trade_off_privacy:TradeOffPrivacy",
        "points neighbours group=1",
        "f-differential privacy: every test misses at least as often as a curve says.",
    ),
    "semantic": (
        "semantics.privacy:SemanticPrivacy",
        "epsilon delta default records",
        "Semantic privacy: any attacker concludes nearly the same with and without a person.",
    ),
    "local-semantic": (
        "semantics.local:LocalSemanticPrivacy",
        "belief! epsilon delta=0 default",
        "Semantic privacy against one belief, with a failure probability.",
    ),
    "reality-oblivious": (
        "semantics.oblivious:RealityObliviousPrivacy",
        "belief epsilon delta=0 truth default",
        "Semantic privacy whatever is true: the belief (all, if left out) may rule out the truth.",
    ),
    "informed": (
        "semantics.privacy:InformedPrivacy",
        "epsilon",
        "Informed privacy: who knows all other records changes their mind about yours by little.",
    ),
    "mutual-information": (
        "mutual_information:MutualInformation",
        "nats",
        "Mutual information: the output tells at most so many nats about a record (an average).",
    ),
    "coupled-worlds": (
        "coupled:CoupledWorlds",
        _COUPLED,
        "Coupled worlds: the release is nearly what a simulator makes of the scrubbed database.",
    ),
    "ddp": (
        "coupled:DistributionalPrivacy",
        _DISTRIBUTIONAL,
        "Distributional differential privacy: a simulator does nearly as well without your entry.",
    ),
    "inference-coupled-worlds": (
        "coupled:InferenceCoupledWorlds",
        _COUPLED,
        "Inference-based coupled worlds: conclusions are nearly those from a simulator's output.",
    ),
    "inference-ddp": (
        "coupled:InferenceDistributionalPrivacy",
        _DISTRIBUTIONAL,
        "Inference-based DDP: conclusions about your entry are nearly those without it.",
    ),
    "noiseless": (
        "coupled:NoiselessPrivacy",
        f"belief! | side {_NUMBERS}",
        "Noiseless privacy: every two values of your entry give nearly the same release.",
    ),
    "crowd-blending": (
        "crowd_blending:CrowdBlending",
        "k! ratio epsilon",
        "Crowd-blending privacy: everybody blends with k people, or might be left out.",
    ),
    "original-noiseless": (
        "coupled:OriginalNoiselessPrivacy",
        f"belief! | side {_NUMBERS}",
        "Noiseless privacy as first defined: epsilon, but for what is rare.",
    ),
    "pufferfish": (
        "coupled:Pufferfish",
        _SECRETS,
        "Pufferfish: the release is nearly the same whether a secret is true or false.",
    ),
    "inference-pufferfish": (
        "coupled:InferencePufferfish",
        _SECRETS,
        "Inference-based Pufferfish: what is believed about a secret is nearly what was before.",
    ),
}


def _builder(path: str, arguments: str, summary: str) -> Callable[..., PrivacyDefinition]:
    """Return a function that imports a class and calls it with the arguments."""
    parameters = []
    first = len(arguments.partition("|")[0].split()) if "|" in arguments else 0
    alone = arguments.startswith("|")
    for name, _, default in (part.partition("=") for part in arguments.replace("|", "").split()):
        given = Parameter.empty if name.endswith("!") else default or None
        kind = Parameter.KEYWORD_ONLY if alone else Parameter.POSITIONAL_OR_KEYWORD
        parameters.append(Parameter(name.removesuffix("!"), kind, default=given))
    signature = Signature(parameters)

    def build(*positional: object, **named: object) -> PrivacyDefinition:
        found = signature.bind(*positional, **named)
        found.apply_defaults()
        if "tagged" in found.arguments:
            found.arguments["tagged"] = _yes(found.arguments["tagged"])
        module, _, kind = path.partition(":")
        values = list(found.arguments.items())
        made: PrivacyDefinition = getattr(import_module(f"{__package__}.{module}"), kind)(
            *(value for _, value in values[:first]), **dict(values[first:])
        )
        return made

    build.__signature__ = signature  # type: ignore[attr-defined]
    build.__doc__ = summary
    return build


def _yes(given: object) -> bool:
    """Read yes or no."""
    if isinstance(given, bool):
        return given
    known = {"yes": True, "true": True, "no": False, "false": False}
    if str(given).lower() not in known:
        raise InvalidInput(f"tagged={given}: say yes or no")
    return known[str(given).lower()]


for _name, _entry in _DEFINITIONS.items():
    DEFINITIONS.register(_name)(_builder(*_entry))
