"""Huge, tiny and odd values in every place of a text: an answer or a refusal, and never a failure.

What can be named is taken from the catalogue, so that new mechanisms are tried too.
"""

import inspect
import re
from contextlib import suppress

import pytest

from twoworlds.errors import TwoWorldsError
from twoworlds.mechanisms.named import mechanism
from twoworlds.web.catalogue import _KINDS, EXAMPLES

ODD = (
    "1e4000",
    "-1e4000",
    "1e-4000",
    "1e5000",
    "2^64",
    "10^5000",
    "9" * 1000,
    "1/" + "7" * 900,
    "nan",
    "inf",
    "-inf",
    "0",
    "-1",
    "1/0",
    "ln 0",
    "e^1000000",
    "e^(1e30)",
    "1-1e-4000",
    "[]",
    "[1e4000]",
    "[1, [2]]",
    "[[]]",
    "x",
    "",
    "true",
    "٣",
    "1_000",
    "0x10",
    "50%",
)
_NUMBER = re.compile(r"(?<![\w.])\d+(/\d+)?(?![\w.])")


def texts(kind):
    """The examples of a kind, with every number and every argument in turn replaced."""
    for entry in _KINDS[kind]:
        example = EXAMPLES.get(kind, {}).get(entry.name)
        if example is None:
            continue
        for match in _NUMBER.finditer(example):
            yield from (example[: match.start()] + odd + example[match.end() :] for odd in ODD)
        for one in inspect.signature(entry.build).parameters.values():
            if one.kind is not one.VAR_POSITIONAL and example.endswith(")"):
                rest = re.sub(rf",? ?\b{one.name}=[^,()\[\]]*", "", example[:-1]).rstrip("( ")
                comma = ", " if "(" in rest else "("
                yield from (f"{rest}{comma}{one.name}={odd})" for odd in ODD)


@pytest.mark.parametrize("kind", [kind for kind in _KINDS if kind in EXAMPLES])
def test_whatever_is_written_is_built_or_refused_in_words(kind):
    registry = _KINDS[kind]
    for text in dict.fromkeys(texts(kind)):
        with suppress(TwoWorldsError):  # anything else is a failure
            if kind == "mechanisms":
                assert mechanism(text).expression
            else:
                registry.build(text)


REQUESTS = [
    ("mechanism", {"mechanism": "geometric(ratio=2, sensitivity=1e4000)"}),
    ("mechanism", {"mechanism": "geometric(ratio=2, sensitivity=2^63)"}),
    ("mechanism", {"mechanism": "geometric(ratio=2, bits=1e400)"}),
    ("mechanism", {"mechanism": "constant(bits=2^64)"}),
    ("mechanism", {"mechanism": "identity(bits=1e4000)"}),
    ("mechanism", {"mechanism": "exact(sum, universe=bits(1e4000))"}),
    ("mechanism", {"mechanism": "noisy-parity(bits=1e308, keep=3/4)"}),
    ("mechanism", {"mechanism": "laplace(scale=1, bits=2^31)"}),
    ("mechanism", {"mechanism": "discrete-gaussian(sigma=1e-308)"}),
    ("mechanism", {"mechanism": "discrete-gaussian(sigma=2, sensitivity=2^31)"}),
    ("mechanism", {"mechanism": "differenced-negative-binomial(p=1/2, r=1e400)"}),
    ("mechanism", {"mechanism": "integer-noise([1/4, 1/2, 1/4], start=1e4000, sensitivity=2^31)"}),
    (
        "mechanism",
        {"mechanism": "adaptive(sum, [1e4000], [count(1), count(0)], geometric(ratio=2), bits(2))"},
    ),
    (
        "mechanism",
        {"mechanism": "batch(count(1), parity, noise=[], universe=bits(2))"},
    ),
    (
        "mechanism",
        {"mechanism": "batch(count(1), parity, noise=geometric(ratio=2), universe=[])"},
    ),
    ("posterior", {"mechanism": "geometric(ratio=2)", "belief": "uniform", "output": "1e17"}),
    ("guarantees", {"definition": "dp(ratio=2)", "universe": "bits(1e4000)"}),
    ("guarantees", {"definition": "dp(ratio=2)", "universe": "records(values=2^40, n=2)"}),
    ("noiseless", {"people": "1e4000"}),
    ("noiseless", {"people": "5", "epsilon": "e^1000000"}),
    ("simulators", {"mechanism": "exact(sum, universe=bits(2))", "ratio": "nan"}),
]


@pytest.mark.parametrize(("path", "body"), REQUESTS)
def test_the_service_refuses_what_it_cannot_compute_and_does_not_fail(anybody, path, body):
    answer = anybody.post(f"/api/v1/{path}", json=body)
    assert answer.status_code in (400, 413), answer.text[:300]
    [error] = answer.json().values()
    assert error["kind"] in ("InvalidInput", "TooLarge", "Unsupported", "UnknownName")
    assert ":" in error["message"]  # the way out
