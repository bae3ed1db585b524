"""What can be named and asked: mechanisms, definitions, beliefs, universes; and the questions.

Names, arguments and summaries are those of the registries; what builds a thing from Python objects
or files is left out, since the service takes neither.
"""

from __future__ import annotations

import inspect
from typing import Any

from twoworlds.calls import NamedBuilder, Registry
from twoworlds.definitions import DEFINITIONS
from twoworlds.mechanisms.named.load import MECHANISMS
from twoworlds.questions import QUESTIONS, Question
from twoworlds.web.attacks import ATTACKS
from twoworlds.worlds.beliefs import BELIEFS
from twoworlds.worlds.catalogue import UNIVERSES
from twoworlds.worlds.scrubs import SCRUBS
from twoworlds.worlds.sides import SIDES

_KINDS: dict[str, Registry[Any]] = {
    "mechanisms": MECHANISMS,
    "definitions": DEFINITIONS,
    "beliefs": BELIEFS,
    "universes": UNIVERSES,
    "sides": SIDES,
    "private": SCRUBS,
}

# One call of each that works as it is; a test builds them all.
EXAMPLES = {
    "mechanisms": {
        "adaptive": (
            "adaptive(sum, cuts=[1], then=[count(1), count(0)], noise=geometric(ratio=2), "
            "universe=bits(2))"
        ),
        "batch": "batch(count(1), parity, noise=geometric(ratio=2), universe=bits(2))",
        "compose": "compose(laplace(epsilon=1/10), times=10)",
        "constant": "constant(bits=2)",
        "differenced-negative-binomial": "differenced-negative-binomial(p=1/2, r=2)",
        "discrete-gaussian": "discrete-gaussian(sigma=2)",
        "exact": "exact(sum, universe=bits(3))",
        "fixed-sample": "fixed-sample(laplace(epsilon=1), size=10, of=100)",
        "gaussian": "gaussian(sigma=2)",
        "geometric": "geometric(ratio=2)",
        "identity": "identity(bits=2)",
        "integer-noise": "integer-noise([1/4, 1/2, 1/4], start=-1)",
        "laplace": "laplace(scale=1)",
        "mix": "mix(randomized-response(bits=2, keep=3/4), constant(bits=2))",
        "noisy-parity": "noisy-parity(bits=2, keep=3/4)",
        "pair": "pair(parity(bits=2), randomized-response(bits=2, keep=3/4))",
        "parity": "parity(bits=2)",
        "poisson-sample": "poisson-sample(gaussian(sigma=2), rate=1/100)",
        "pram": "pram([[3/5, 1/5], [2/5, 4/5]], records=2)",
        "random-index": "random-index(records=3, values=2)",
        "randomized-response": "randomized-response(bits=2, keep=3/4)",
        "restrict": "restrict(randomized-response(bits=2, keep=3/4), [11, 10])",
        "shuffle": "shuffle(randomized-response(bits=10, keep=3/4))",
        "skellam": "skellam(1, 1)",
        "tempered-map": "tempered-map([[3/4, 1/4], [1/4, 3/4]], people=5, power=1)",
        "then": "then(randomized-response(bits=2, keep=3/4), parity(bits=2))",
        "truncated-geometric": "truncated-geometric(ratio=2, high=4)",
    },
    "definitions": {
        "coupled-worlds": "coupled-worlds(uniform, ratio=3)",
        "crowd-blending": "crowd-blending(k=2, ratio=3)",
        "ddp": "ddp(uniform, ratio=3)",
        "dp": "dp(ratio=3)",
        "f-dp": "f-dp('0:1, 1/4:1/4, 1:0')",
        "frapp": "frapp(gamma=3, values=2, records=2)",
        "gamma-amplification": "gamma-amplification(gamma=9)",
        "gdp": "gdp(mu=1)",
        "inference-coupled-worlds": "inference-coupled-worlds(uniform, ratio=3)",
        "inference-ddp": "inference-ddp(uniform, ratio=3)",
        "inference-pufferfish": "inference-pufferfish(uniform, ratio=3)",
        "informed": "informed(epsilon=1/2)",
        "linear": "linear(x11 <= 3 x10; x10 <= 3 x11)",
        "local-semantic": "local-semantic(uniform, epsilon=1/2)",
        "mutual-information": "mutual-information(nats=1/2)",
        "noiseless": "noiseless(uniform, ratio=3)",
        "original-noiseless": "original-noiseless(uniform, ratio=3)",
        "pointwise": "pointwise(ratio=3)",
        "pufferfish": "pufferfish(uniform, ratio=3)",
        "rdp": "rdp(order=2, epsilon=1)",
        "reality-oblivious": "reality-oblivious(uniform, epsilon=1/2)",
        "semantic": "semantic(epsilon=1/2)",
        "statistical-difference": "statistical-difference(epsilon=1/2)",
        "zcdp": "zcdp(rho=1/2)",
    },
    "beliefs": {
        "uniform": "uniform",
        "independent": "independent(3/4)",
        "explicit": "explicit(11=1/2, 00=1/2)",
        "mixture": "mixture(independent(9/10), uniform)",
        "informed": "informed(11, 1, 3/4)",
        "hidden": "hidden(9/10=1/2, 1/10=1/2)",
        "random-edges": "random-edges(1/4)",
    },
    "universes": {
        "bits": "bits(2)",
        "graphs": "graphs(3)",
        "integers": "integers(0, 4)",
        "points": "points([healthy, ill])",
        "reals": "reals()",
        "records": "records(values=[a, b, c], n=2)",
        "samples": "samples(3, 2)",
    },
}


def catalogue() -> dict[str, Any]:
    """Return everything that can be named in a request."""
    found: dict[str, Any] = {
        kind: [_entry(entry, EXAMPLES.get(kind, {}).get(entry.name)) for entry in registry]
        for kind, registry in _KINDS.items()
    }
    found["attacks"] = [{"name": name, "options": [*takes]} for name, takes in ATTACKS.items()]
    found["questions"] = [
        {"name": question.name, "line": question.line, "parameters": _parameters(question)}
        for question in QUESTIONS.values()
    ]
    return found


def _parameters(question: Question) -> list[dict[str, Any]]:
    """Return what a recipe must know to write a question on the command line and in Python."""
    return [
        {"name": one.name, "option": None if one.place else one.option, "flag": one.kind is bool}
        for one in question.parameters().values()
    ]


def _entry(entry: NamedBuilder[Any], example: str | None) -> dict[str, Any]:
    parameters = inspect.signature(entry.build).parameters.values()
    return {
        "name": entry.name,
        "usage": entry.usage,
        "summary": entry.summary,
        "example": example,
        "arguments": [
            {
                "name": parameter.name,
                "required": parameter.default is parameter.empty
                and parameter.kind is not parameter.VAR_POSITIONAL,
                "default": _default(parameter),
                "about": _about(entry, parameter.name),
            }
            for parameter in parameters
        ],
    }


def _default(parameter: inspect.Parameter) -> str | None:
    value = parameter.default
    return None if value is parameter.empty or value is None else str(value)


def _about(entry: NamedBuilder[Any], name: str) -> str | None:
    """Return the line about an argument from the docstring of what builds it."""
    for line in (inspect.getdoc(entry.build) or "").splitlines():
        said, colon, text = line.strip().partition(":")
        if colon and said == name:
            return text.strip()
    return None
