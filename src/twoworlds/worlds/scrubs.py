"""What is private and what is scrubbed, as calls: ``persons``, ``schools([1, 2], [3])``, ...

A call is read for a universe, which says who the persons are: ``scrubs("persons", universe)``. The
builders are those of `twoworlds.worlds.scrubbing`. With the word ``tagged`` the scrubbed database
carries the name of whom it is scrubbed of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from twoworlds.calls import Registry, Text, is_python, load_function
from twoworlds.errors import InvalidInput
from twoworlds.worlds import scrubbing as build
from twoworlds.worlds.belief import records_of
from twoworlds.worlds.beliefs import read_pairs
from twoworlds.worlds.catalogue import load_for
from twoworlds.worlds.graphs import Graphs
from twoworlds.worlds.scrubbing import Scrub
from twoworlds.worlds.universe import Universe

SCRUBS: Registry[tuple[Scrub, ...]] = Registry("kind of privacy")
_TAGGED = "tagged"


def scrubs(text: str | Scrub | Iterable[str | Scrub], universe: Universe) -> tuple[Scrub, ...]:
    """Build the pairs (alt, priv) for a universe from what one would type.

    >>> from twoworlds.worlds.records import BitStrings
    >>> [pair.name for pair in scrubs("persons", BitStrings(3))]
    ['person 1', 'person 2', 'person 3']
    """
    if isinstance(text, Scrub):
        return (text,)
    if isinstance(text, str):
        return _loaded(text, universe) if is_python(text) else SCRUBS.build(text, of=universe)
    if not isinstance(text, Iterable):
        raise InvalidInput(f"{text!r} (type {type(text).__name__}) names nothing private")
    found = tuple(pair for part in text for pair in scrubs(part, universe))
    if not found:
        raise InvalidInput("nothing is named private: write persons, or give a pair (alt, priv)")
    return found


def _loaded(text: str, universe: Universe) -> tuple[Scrub, ...]:
    """Return the pairs that a Python object is, lists, or builds from the universe."""
    found = load_for(text, universe)
    pairs = (found,) if isinstance(found, Scrub) else found
    if not isinstance(pairs, Iterable):
        pairs = ()
    listed = tuple(pairs)
    if not listed or not all(isinstance(pair, Scrub) for pair in listed):
        raise InvalidInput(
            f"{text!r} gives no pairs (alt, priv): it must be a Scrub, a list of them, or a "
            "function from the universe to such; two plain functions are given as "
            "own(private=python:module:function, scrubbed=python:module:function)"
        )
    return listed


@SCRUBS.register("persons")
def persons(*chosen: Text, of: Universe) -> tuple[Scrub, ...]:
    """Each person's entry is private and taken out; name some (1, 3) or tagged or both."""
    named, tagged = _split(chosen)
    return build.members(of, named or None, tagged=tagged)


@SCRUBS.register("nodes")
def nodes(*chosen: Text, of: Universe) -> tuple[Scrub, ...]:
    """Each node's label and edges are private and taken out; the others keep their names."""
    if not isinstance(of, Graphs):
        raise InvalidInput(f"{of.expression} has no nodes: use the universe graphs(n)")
    return persons(*chosen, of=of)


@SCRUBS.register("public")
def public(fields: Text, *tagged: Text, blank: Text = "?", of: Universe) -> tuple[Scrub, ...]:
    """Records have fields, of which these are public, such as [1], and the others private."""
    listed = fields if isinstance(fields, list) else [fields]
    _, tag = _split(tagged, "public([1], tagged)")
    value = int(str(blank)) if str(blank).removeprefix("-").isdigit() else str(blank)
    records = records_of(of)
    found = build.public_attributes(records.n, listed, blank=value, tagged=tag)
    for record in records.values:  # refuses records without such fields
        found[0].private((record,))
    return found


@SCRUBS.register("schools")
def schools(*groups: Text, of: Universe) -> tuple[Scrub, ...]:
    """Each pupil's record is private, their whole school is taken out: list [1, 2], [3]."""
    named, tagged = _split(groups)
    if not named or any(isinstance(group, str) for group in named):
        raise InvalidInput("schools: list each school's pupils, such as schools([1, 2], [3])")
    return build.schools([list(group) for group in named], records_of(of).n, tagged=tagged)


@SCRUBS.register("firms")
def firms(noise: Text, *tagged: Text, clip: Text = "yes", of: Universe) -> tuple[Scrub, ...]:
    """Each firm's entry is private, [-1=1/4, 0=1/2, 1=1/4] is added, clipped to the values."""
    example = "firms([-1=1/4, 0=1/2, 1=1/4], clip=no)"
    if isinstance(noise, str) or clip not in ("yes", "no"):
        raise InvalidInput(f"firms: give the law of the noise and clip=yes or no: {example}")
    pairs = read_pairs(noise, example)
    law = dict(pairs)
    if len(law) != len(pairs):
        raise InvalidInput("firms: a noise value is given twice")
    _, tag = _split(tagged, example)
    records = records_of(of)
    found = build.firms(records.n, law, tagged=tag)
    for value in records.values:  # refuses entries that are no whole numbers
        found[0].scrubbed((value,))
    if clip == "no":
        return found
    low, high = min(records.values), max(records.values)
    return build.firms(records.n, law, low=low, high=high, tagged=tag)


@SCRUBS.register("own")
def own(private: Text, scrubbed: Text, name: Text = "the private part") -> tuple[Scrub, ...]:
    """Functions of your own, both given as python:module:function; alt may return a law."""
    for given in (private, scrubbed):
        if not is_python(given):
            raise InvalidInput(f"own: {given!r} is not a function: write python:module:function")
    functions = load_function(str(private)), load_function(str(scrubbed))
    return (build.own(str(name), *functions),)


def _split(words: Sequence[Text], only: str = "") -> tuple[list[Text], bool]:
    """Return the arguments without the word ``tagged``, and whether it was there."""
    rest = [word for word in words if word != _TAGGED]
    if only and rest:
        raise InvalidInput(f"{rest[0]!r} is not understood: write {only}")
    return rest, len(rest) < len(words)
