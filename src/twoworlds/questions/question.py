"""A question: a function given by its place, whose annotated parameters are all that can be asked.

The function takes texts as a person types them and returns a `twoworlds.show.Result`. A parameter
without a default is given by its place, one with a default by its name; the text in its annotation
is its help, and `Place` or `Name` instead of that text says otherwise.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from numbers import Number
from pathlib import Path, PurePath
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args, get_origin

if TYPE_CHECKING:
    Value = object  # who writes Python gives numbers, and objects
else:
    Value = str  # who types has texts alone


class Place(str):
    """The help of a parameter that is given by its place, although it may be left out."""


class Written(Place):
    """The help of the file that a question writes, given by its place; or typed after -o."""


class Name(str):
    """The help of a parameter that is given by its name, although it must be given."""


class Parameter(NamedTuple):
    """What can be said with a question.

    Attributes:
        key: its name in the function.
        kind: its type; of one that may be left open, without None.
        help: what it means, in a line.
        default: what it is if it is left out.
        needed: whether it must be given.
        place: whether it is given by its place, not by its name.
        open: whether it may be None.
    """

    key: str
    kind: Any
    help: str
    default: Any
    needed: bool
    place: bool
    open: bool

    @property
    def name(self) -> str:
        """Its name, as Python and JSON have it."""
        return self.key.rstrip("_")

    @property
    def written(self) -> bool:
        """Whether it is the file that the question writes."""
        return isinstance(self.help, Written) or (self.name == "output" and self.kind is Path)

    @property
    def option(self) -> str:
        """Its name on the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def many(self) -> bool:
        """Whether it takes several."""
        return get_origin(self.kind) is list

    def read(self, value: Any) -> Any:
        """Return a value as the function takes it: numbers become texts, objects stay."""
        if self.many:
            of = self._replace(kind=get_args(self.kind)[0])
            alone = isinstance(value, (str, Number, PurePath))
            return [of.read(one) for one in ([value] if alone else value)]
        if value is None or isinstance(value, bool) or self.kind is bool:
            return value
        if self.kind in (int, float):
            from twoworlds.numbers import number, whole

            text = str(value).strip()
            if self.kind is float:
                return float(number(text))
            below = text[:1] == "-" and text[1:].isdecimal()  # the question says what is too small
            return int(text) if below else whole(text, self.name)
        if self.kind is Path and isinstance(value, str):
            return Path(value)
        return str(value) if isinstance(value, (Number, PurePath)) else value


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes:
        name: what is typed, such as ``measure`` or ``noiseless sum``.
        line: what it does, in a line.
        run: the function and its module, in this package unless it has a longer name.
        examples: what may be typed after the name.
        chart: whether its answers can have charts.
        group: under which it is listed.
    """

    name: str
    line: str
    run: str
    examples: tuple[str, ...]
    chart: bool = False
    group: str = ""

    def typed(self) -> list[str]:
        """Return the examples as one types them."""
        return [f"twoworlds {self.name} {one}".rstrip() for one in self.examples]

    def function(self) -> Callable[..., Any]:
        """Load the function that answers it."""
        module, _, name = self.run.partition(":")
        place = module if "." in module else f"twoworlds.questions.{module}"
        found: Callable[..., Any] = getattr(import_module(place), name)
        return found

    def parameters(self) -> dict[str, Parameter]:
        """Return what can be said with it, by name."""
        listed = inspect.signature(self.function(), eval_str=True).parameters.values()
        return {one.name: one for one in map(_parameter, listed)}


def _parameter(one: inspect.Parameter) -> Parameter:
    kind, said = one.annotation, ""
    if get_origin(kind) is Annotated:
        kind, said = get_args(kind)[:2]
    parts = [part for part in get_args(kind) if part is not NoneType]
    open_ = NoneType in get_args(kind)
    needed = one.default is inspect.Parameter.empty
    place = isinstance(said, Place) or (needed and not isinstance(said, Name))
    default = None if needed else one.default
    return Parameter(one.name, parts[0] if open_ else kind, said, default, needed, place, open_)
