"""From text to mechanism: a call, the path of a matrix file, or ``python:package.module:name``.

Ways to combine mechanisms, as calls: then, mix, compose and restrict.

Lin & Kifer, Axioms 4.1 (post-processing) and 4.2 (choice).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from twoworlds.calls import Registry, Text, is_python, load
from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.laws.composition import WIDTH
from twoworlds.mechanisms.base import Mechanism
from twoworlds.mechanisms.files import SUFFIXES, read_matrix, read_mechanism
from twoworlds.mechanisms.sampled import Sampled, Shuffled
from twoworlds.mechanisms.several import composed
from twoworlds.numbers import exact_text, number, whole
from twoworlds.worlds import Universe

MECHANISMS: Registry[Mechanism] = Registry(
    "mechanism", late=("twoworlds.mechanisms.strategy.named",)
)
Matrix = Any  # rows of numbers, an array of numpy, or a data frame
named = MECHANISMS.register
_MOST_TIMES = 1_000_000


def mechanism(
    text: str | Mechanism | Matrix, *, universe: str | Universe | None = None
) -> Mechanism:
    """Build a mechanism from what one would type, or from its matrix, a row for each output.

    A matrix is a list of rows, an array of numpy or a data frame whose columns name databases.

    >>> mechanism("randomized-response(bits=40, keep=3/4)").universe.size
    1099511627776
    >>> mechanism([["3/4", "1/4"], ["1/4", "3/4"]]).probability(1, (0,))
    Fraction(3, 4)
    """
    if isinstance(text, Mechanism):
        return text
    if isinstance(text, (list, tuple)) or hasattr(text, "__array__"):
        return read_matrix(text, universe=universe)
    if not isinstance(text, str):
        raise InvalidInput(f"{text!r} is not a mechanism: write a call such as geometric(ratio=2)")
    if text.lower().endswith(SUFFIXES):
        return read_mechanism(Path(text), universe=universe)
    if universe is not None:
        raise InvalidInput(f"{text!r} has its own universe: --universe is for matrix files")
    if is_python(text):
        return _from_python(text)
    if "." in Path(text).suffix and "(" not in text:
        raise InvalidInput(
            f"{text!r} is not a mechanism: write a call such as geometric(ratio=2), or the path of "
            f"a matrix in a {', '.join(SUFFIXES)} file"
        )
    return MECHANISMS.build(text)


def _takes_arguments(function: Any) -> bool:
    """Tell whether a function cannot be called with nothing."""
    try:
        inspect.signature(function).bind()
    except TypeError:
        return True
    except ValueError:  # some functions in C do not tell
        pass
    return False


def _from_python(text: str) -> Mechanism:
    try:
        found: Any = load(text)
        if callable(found) and not isinstance(found, Mechanism):
            if _takes_arguments(found):
                raise InvalidInput(
                    f"{text!r} takes arguments: name a Mechanism, or a function of nothing that "
                    "returns one, such as Dense.from_function(...); a sampler, which draws an "
                    f"output from a database, goes to: audit {text} --pair '[0, 0] ~ [1, 0]'"
                )
            found = found()
    except TwoWorldsError:
        raise
    except Exception as error:  # it is somebody else's code, which may fail in any way
        raise InvalidInput(f"{text!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(found, Mechanism):
        raise InvalidInput(
            f"{text!r} is a {type(found).__name__}: it must be a Mechanism, or return one; "
            "see Dense.from_function"
        )
    return found


@named("then")
def then(first: str | Mechanism, post: str | Mechanism) -> Mechanism:
    """Run one mechanism, then another on its output (post-processing)."""
    return mechanism(first).then(mechanism(post))


@named("mix")
def mix(first: str | Mechanism, second: str | Mechanism, weight: object = "1/2") -> Mechanism:
    """Run the first mechanism with probability weight, else the second (choice)."""
    return mechanism(first).mix(mechanism(second), weight)


@named("compose")
def compose(*mechanisms: str | Mechanism, times: object = 1, width: object = WIDTH) -> Mechanism:
    """Run all mechanisms independently on the same people, so many times, and publish all outputs.

    >>> twice = compose("randomized-response(bits=2, keep=3/4)", times=2)
    >>> twice.family("substitute").peak()[1].ratio
    Fraction(9, 1)
    """
    count = whole(times, "times", at_least=1, at_most=_MOST_TIMES)
    built = {one: mechanism(one) for one in mechanisms}  # the same text is the same mechanism
    return composed([(built[one], count) for one in mechanisms], width=width)


@named("pair")
def pair(first: str | Mechanism, second: str | Mechanism) -> Mechanism:
    """Run both mechanisms independently on the same people: `compose` of two."""
    return compose(first, second)


@named("poisson-sample")
def poisson_sample(noise: str | Mechanism, rate: object) -> Sampled:
    """Run noise on an answer over a sample: every record is drawn on its own with a probability.

    >>> poisson_sample("laplace(epsilon=1)", rate="1/100").expression
    'poisson-sample(laplace(scale=1), rate=1/100)'
    """
    return Sampled.poisson(mechanism(noise), rate)


@named("fixed-sample")
def fixed_sample(noise: str | Mechanism, size: object, of: object) -> Sampled:
    """Run noise on an answer over a sample of fixed size, drawn without replacement.

    >>> fixed_sample("laplace(epsilon=1)", size=10, of=1000).expression
    'fixed-sample(laplace(scale=1), size=10, of=1000)'
    """
    records = whole(of, "of", at_least=1)
    return Sampled.fixed(mechanism(noise), whole(size, "size", at_least=1), records)


@named("shuffle")
def shuffle(local: str | Mechanism) -> Shuffled:
    """Count randomized reports without their senders.

    >>> shuffle("randomized-response(bits=100, keep=3/4)").expression
    'shuffle(randomized-response(bits=100, keep=3/4))'
    """
    return Shuffled(mechanism(local))


@named("restrict")
def restrict(first: str | Mechanism, databases: Text) -> Mechanism:
    """Look at a mechanism on some of its databases only."""
    if isinstance(databases, str):
        raise InvalidInput(f"databases={databases}: give a list such as [11, 00]")
    return mechanism(first).restrict(databases)


# --- Spelling arguments so that the text of a mechanism can be typed again -----------------------

_SPECIAL = set(",=()[]{} '\"")


def spelled_values(values: Iterable[object]) -> str:
    """Return a set of values as one would type it: how many, or the list of names."""
    listed = tuple(values)
    if listed == tuple(range(len(listed))):
        return str(len(listed))
    return f"[{', '.join(_quoted(str(value)) for value in listed)}]"


def spelled_rows(rows: Iterable[Sequence[object]]) -> str:
    """Return a matrix as one would type it."""
    lines = (", ".join(str(exact_text(number(entry))) for entry in row) for row in rows)
    return f"[{', '.join(f'[{line}]' for line in lines)}]"


def _quoted(text: str) -> str:
    if not _SPECIAL & set(text):
        return text
    return f'"{text}"' if "'" in text else f"'{text}'"
