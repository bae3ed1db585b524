"""From what a user names to a subject: callables, and mechanisms of this and of other libraries.

* a mechanism of this package is run by its `Mechanism.sample`, on the pairs of its universe;
* a measurement of OpenDP is known by its ``invoke`` and ``input_domain``; where it speaks of pure
  privacy, its claim is what its map gives for the distance 1;
* a mechanism of diffprivlib is known by its ``randomise``; it knows its sensitivity and epsilon;
* any other callable gets databases proposed, of the kinds that it takes.

None of these libraries is imported here.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from twoworlds.attacks.audit.subjects import (
    GIVEN,
    MOST_PAIRS,
    NEIGHBOURS,
    NUMBER_PAIRS,
    About,
    Local,
    Pair,
    digest_of,
    list_pairs,
    meaning,
    read_pair,
    taken,
)
from twoworlds.calls import is_python, load
from twoworlds.errors import InvalidInput
from twoworlds.mechanisms import Mechanism
from twoworlds.worlds import Reals

_GRID = 1 << 20
_GENERATORS = ("rng", "generator", "gen", "random", "random_state", "prng", "bit_generator")
_SETTINGS = ("epsilon", "eps", "delta", "scale", "sigma", "sensitivity", "bounds", "budget", "rho")
_SUBJECT = "give a function f(database, rng), a mechanism, or an object with randomise or invoke"


def local(
    subject: Any, neighbours: str | None = None, given: Sequence[str | Pair] | None = None
) -> Local:
    """Return a subject of this process: an object, a text that names one, or a mechanism's text."""
    name = subject if isinstance(subject, str) else _name(subject)
    if isinstance(subject, str):
        subject = _named(subject)
    found = _known(name, subject, neighbours, given)
    module = str(name.split(":")[1] if is_python(name) else getattr(subject, "__module__", ""))
    loaded = getattr(sys.modules.get(module), "__file__", None)
    file = module if module.endswith(".py") else loaded
    found.about = replace(found.about, source=digest_of(file))
    return found


def _known(
    name: str, subject: Any, neighbours: str | None, given: Sequence[str | Pair] | None
) -> Local:
    if isinstance(subject, Mechanism):
        return _of_mechanism(subject, given)
    pairs = None if given is None else tuple(map(read_pair, given))
    if hasattr(subject, "randomise"):
        return _with_pairs(_of_diffprivlib(name, subject), pairs)
    if hasattr(subject, "invoke") and hasattr(subject, "input_domain"):
        return _with_pairs(_of_opendp(name, subject), pairs)
    if not callable(subject):
        raise InvalidInput(
            f"{name} is of type {type(subject).__name__}, which cannot be called: {_SUBJECT}"
        )
    return _of_callable(name, subject, neighbours, pairs)


def _with_pairs(found: Local, pairs: tuple[Pair, ...] | None) -> Local:
    if pairs is not None:
        found.about = replace(found.about, pairs=pairs, neighbours=GIVEN)
    return found


def _name(subject: Any) -> str:
    if isinstance(subject, Mechanism):
        return subject.expression
    found = getattr(subject, "__qualname__", None) or getattr(subject, "name", None)
    return str(found or type(subject).__name__)


def _named(text: str) -> Any:
    if not text.startswith("python:"):
        from twoworlds.mechanisms.named.load import mechanism

        return mechanism(text)
    try:
        found = load(text)
    except InvalidInput:
        raise
    except (Exception, SystemExit) as error:  # somebody else's module, which may fail in any way
        raise InvalidInput(f"{text!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if inspect.isroutine(found) and _by_position(found) == []:
        made = found()  # a function of nothing makes the subject
        foreign = hasattr(made, "randomise") or hasattr(made, "invoke")
        if not (callable(made) or isinstance(made, Mechanism) or foreign):
            raise InvalidInput(
                f"{text} takes no database, and what it returns, of type {type(made).__name__}, "
                f"is no subject either: {_SUBJECT}"
            )
        return made
    return found


def _takes_generator(name: str, subject: Any) -> bool:
    """Tell whether the second argument is a generator: one that must be given, or is called so.

    A function that cannot be called with a database, and a generator if it takes two, is refused.
    """
    placed = _by_position(subject)
    if placed is None:
        return False
    signature = inspect.signature(subject)
    seeded = any(p.kind is p.VAR_POSITIONAL for p in placed[:2])
    if not seeded and len(placed) > 1:
        last = placed[1]
        called_so = last.name.lower() in _GENERATORS or "Generator" in str(last.annotation)
        seeded = called_so or last.default is last.empty
    second = next(islice(signature.parameters.values(), 1, None), None)
    if seeded and second is not None and second.name.lower() in _SETTINGS:
        raise InvalidInput(
            f"{name}{signature}: {second.name} is not a generator, and an audit does not know its "
            f"value: give it a default, as in {second.name}=1, and the generator the name rng"
        )
    try:
        signature.bind(*(["database", "rng"] if seeded else ["database"]))
    except TypeError:
        raise InvalidInput(
            f"{name}{signature} cannot be called with a database, or with a database and a "
            f"generator: {_SUBJECT}"
        ) from None
    return seeded


def _by_position(function: Any) -> list[inspect.Parameter] | None:
    """Return the parameters that can be given by position; None where they are not known."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [p for p in found if p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD)]


def _of_callable(
    name: str, subject: Any, neighbours: str | None, pairs: tuple[Pair, ...] | None
) -> Local:
    seeded = _takes_generator(name, subject)

    def one(database: Any, rng: np.random.Generator) -> Any:
        return subject(database, rng) if seeded else subject(database)

    told = neighbours or getattr(subject, "neighbours", None)
    reading = told or "one"
    epsilon, delta = _claim(name, getattr(subject, "claim", None))
    words = f"proposed: {meaning(reading)}"
    about = About(name, neighbours=words, epsilon=epsilon, delta=delta)
    found = Local(about, one, getattr(subject, "many", None))
    known = getattr(subject, "pairs", None)
    if pairs is not None:
        return _with_pairs(found, pairs)
    if known is not None and neighbours is None:
        stated = f": {NEIGHBOURS[reading]}" if hasattr(subject, "neighbours") else ""
        words = f"the subject's own pairs{stated}"
        found.about = replace(found.about, pairs=_checked(name, known), neighbours=words)
    else:
        pairs = taken(found, reading, guessed=told is None)
        found.about = replace(found.about, pairs=pairs, guessed=told is None)
    return found


def _claim(name: str, claim: Any) -> tuple[Any, Any]:
    if claim is None or isinstance(claim, (int, float, str, Fraction)):
        return claim, 0
    try:
        return claim["epsilon"], claim.get("delta", 0)
    except (TypeError, KeyError, AttributeError) as error:
        raise InvalidInput(
            f"{name}: its claim {claim!r} is not understood: give an epsilon, or a dictionary such "
            'as {"epsilon": 1, "delta": 0}'
        ) from error


def _checked(name: str, known: Any) -> tuple[Pair, ...]:
    try:
        found = tuple((first, second) for first, second in known)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name}: its pairs must be a list of pairs of databases") from error
    if not found:
        raise InvalidInput(f"{name}: its list of pairs is empty")
    return found[:MOST_PAIRS]


def _of_mechanism(mechanism: Mechanism, given: Sequence[str | Pair] | None) -> Local:
    universe = mechanism.universe
    real = isinstance(mechanism.outputs, Reals)

    def one(database: Any, rng: np.random.Generator) -> Any:
        drawn: Any = mechanism.sample(database, rng)
        # The floats of a simulation are not the mechanism: their low-order bits are cut.
        return round(drawn * _GRID) / _GRID if real else drawn

    if given is None:
        compared = islice(mechanism.family(universe.relation), MOST_PAIRS)
        listed = dict.fromkeys((c.x, c.y) for c in compared)
        kept = tuple(pair for pair in listed if pair[::-1] not in listed or pair[0] < pair[1])
        words = f"of the mechanism's universe ({universe.relation})"
    else:
        kept = tuple(read_pair(pair, lambda x: universe.find(_point(x))) for pair in given)
        words = GIVEN
    note = f"outputs are rounded to multiples of 1/{_GRID}, since samples here are only simulated"
    notes = (note,) if real else ()
    return Local(About(mechanism.expression, kept, words, low_bits=not real, notes=notes), one)


def _point(given: Any) -> Any:
    return tuple(given) if isinstance(given, list) else given


def _of_diffprivlib(name: str, subject: Any) -> Local:
    step = float(getattr(subject, "sensitivity", 1) or 1)
    whole = "geometric" in type(subject).__name__.lower()
    pair = (0, max(1, int(step))) if whole else (0.0, step)
    about = About(
        name,
        (pair,),
        f"values that differ by its sensitivity, {step:g}",
        getattr(subject, "epsilon", None),
        getattr(subject, "delta", 0),
    )
    return Local(about, lambda database, _: subject.randomise(database))


def _of_opendp(name: str, subject: Any) -> Local:
    domain, metric = str(subject.input_domain), str(subject.input_metric)
    whole = "T=f" not in domain
    if "Vector" not in domain:
        pairs: list[Pair] = [(0, 1)] if whole else NUMBER_PAIRS
        words = "proposed: numbers that differ by at most 1"
    else:
        reading = "all" if "LInf" in metric else "one"
        if "Symmetric" in metric or "InsertDelete" in metric:
            reading = "add-remove"
        if "size=" in domain:
            reading = "one"
        pairs = list_pairs(reading, unit=1 if whole else 1.0)
        words = f"proposed: {NEIGHBOURS[reading]}"
    about = About(name, tuple(pairs), words, _opendp_claim(subject))
    return Local(about, lambda database, _: subject(database))


def _opendp_claim(subject: Any) -> Any:
    """Return the epsilon at distance 1, where the measurement speaks of pure privacy."""
    if "MaxDivergence" not in str(subject.output_measure):
        return None
    for distance in (1, 1.0):
        try:
            return float(subject.map(distance))
        except Exception:  # distances of another type
            continue
    return None
