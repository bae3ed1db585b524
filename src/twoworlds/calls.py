"""Calls as text, ``name(key=value, ...)``, and the registries that answer them.

The command line writes mechanisms, definitions and universes as calls. `parse` splits one into a
name and its arguments, which stay text (or nested lists of text): each builder reads its own
arguments exactly, so there is one place that knows the rule for each. A `Registry` maps names to
builders, checks the arguments against the builder's signature, and suggests the nearest name.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

from twoworlds.errors import InvalidInput, UnknownName

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
Text = str | list[Any]
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_DEEPEST = 20
_OPEN, _CLOSE = "([{", ")]}"
_PYTHON = "python:"
ABOUT = "of"  # what a call is read for, given beside it: nobody types it


@dataclass(frozen=True)
class Call:
    """A name with its arguments, still as text."""

    name: str
    positional: tuple[Text, ...]
    named: dict[str, Text]


def parse(text: str) -> Call:
    """Split ``name(a, key=b)`` into its parts.

    >>> parse("skellam(1, l2=ln(3))")
    Call(name='skellam', positional=('1',), named={'l2': 'ln(3)'})
    """
    if not isinstance(text, str):
        raise InvalidInput(f"{text!r} is not a call: write it like name(key=value)")
    body = text.strip()
    match = _NAME.match(body)
    if match is None:
        raise InvalidInput(f"{text!r} is not a call: write it like name(key=value)")
    name, rest = match.group().lower(), body[match.end() :].strip()
    if not rest:
        return Call(name, (), {})
    if not (rest.startswith("(") and rest.endswith(")")):
        if rest.startswith("="):
            raise InvalidInput(
                f"{text!r} is an argument without a name around it: write name({body}), as in "
                "dp(epsilon=1)"
            )
        raise InvalidInput(
            f"{text!r} cannot be read: write a name with its arguments in parentheses, closed at "
            "the end, such as dp(epsilon=1) or laplace(epsilon=1)"
        )
    positional: list[Text] = []
    named: dict[str, Text] = {}
    for part in _split(rest[1:-1], text):
        key, value = _keyword(part)
        if key is None:
            if named:
                raise InvalidInput(
                    f"{text!r}: {part!r} must come before the named arguments; a "
                    "number has no commas"
                )
            positional.append(_value(value, text))
        elif key in named:
            raise InvalidInput(f"{text!r}: argument {key!r} is given twice")
        else:
            named[key] = _value(value, text)
    return Call(name, tuple(positional), named)


def _keyword(part: str) -> tuple[str | None, str]:
    name, equals, value = part.partition("=")
    if equals and _NAME.fullmatch(name.strip()):
        return name.strip().replace("-", "_"), value.strip()
    return None, part


def _value(text: str, whole: str, depth: int = 0) -> Text:
    if depth > _DEEPEST:
        raise InvalidInput(f"{whole[:60]!r}...: brackets are nested more than {_DEEPEST} deep")
    if text.startswith("[") and text.endswith("]"):
        return [_value(part, whole, depth + 1) for part in _split(text[1:-1], whole)]
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return text


def _split(text: str, whole: str) -> Iterator[str]:
    """Split at commas outside of any brackets and quotes."""
    start, quote = 0, ""
    expected: list[str] = []  # the closing brackets still to come, innermost last
    for i, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in _OPEN:
            expected.append(_CLOSE[_OPEN.index(character)])
        elif character in _CLOSE:
            if not expected or expected.pop() != character:
                raise InvalidInput(f"{whole!r}: brackets or quotes do not match")
        elif character == "," and not expected:
            yield _filled(text[start:i], whole)
            start = i + 1
    if expected or quote:
        raise InvalidInput(f"{whole!r}: brackets or quotes do not match")
    if text.strip():
        yield _filled(text[start:], whole)


def _filled(part: str, whole: str) -> str:
    if not part.strip():
        raise InvalidInput(f"{whole!r}: there is an empty argument")
    return part.strip()


@dataclass(frozen=True)
class NamedBuilder(Generic[T]):
    """A named builder with its one-line summary."""

    name: str
    build: Callable[..., T]
    summary: str

    @property
    def usage(self) -> str:
        """The call with its arguments; those in brackets may be left out."""
        parts = []
        for name, parameter in inspect.signature(self.build).parameters.items():
            if name == ABOUT and parameter.annotation != "object":  # a number may have that name
                continue
            if parameter.kind is parameter.VAR_POSITIONAL:
                parts.append(f"{name}, ...")
                continue
            required = parameter.default is inspect.Parameter.empty
            parts.append(name if required else f"[{name}]")
        return f"{self.name}({', '.join(parts)})"


class Registry(Generic[T]):
    """Builders by name, for one kind of thing.

    Args:
        kind: What is registered, for messages.
        late: Modules that register more; loaded when a name is not found without them.
    """

    def __init__(self, kind: str, *, late: tuple[str, ...] = ()) -> None:
        """Begin without entries."""
        self.kind = kind
        self._late = late
        self._registered: dict[str, NamedBuilder[T]] = {}

    @property
    def _entries(self) -> dict[str, NamedBuilder[T]]:
        late, self._late = self._late, ()
        for module in late:
            import_module(module)
        return self._registered

    def register(self, name: str) -> Callable[[F], F]:
        """Return a decorator that registers a builder; its docstring begins with the summary."""

        def add(build: F) -> F:
            if name in self._registered:
                raise InvalidInput(f"{self.kind} {name!r} is registered twice")
            summary = (inspect.getdoc(build) or "").partition("\n")[0]
            self._registered[name] = NamedBuilder(name, build, summary)
            return build

        return add

    def __iter__(self) -> Iterator[NamedBuilder[T]]:
        """Run through the entries by name."""
        return iter(sorted(self._entries.values(), key=lambda entry: entry.name))

    def __contains__(self, name: object) -> bool:
        """Tell whether a name is registered."""
        return name in self._registered or name in self._entries

    def __getitem__(self, name: str) -> NamedBuilder[T]:
        """Return the entry of a name, or suggest the nearest."""
        if name not in self:
            raise UnknownName(self.kind, name, self._entries)
        return self._registered[name]

    def build(self, text: str, **beside: object) -> T:
        """Parse a call and build what it names; further named arguments may come beside it."""
        call = parse(text)
        entry = self[call.name]
        if ABOUT not in inspect.signature(entry.build).parameters:
            beside.pop(ABOUT, None)  # it is the same whatever it is about
        for name in beside:
            if name in call.named:
                raise InvalidInput(f"{name} is given twice, inside {text!r} and beside it")
        call = Call(call.name, call.positional, {**call.named, **beside})  # type: ignore[dict-item]
        call = _spread(entry, call)
        _check_arguments(entry, call)
        return entry.build(*call.positional, **call.named)


def name_them(call: Call, names: Sequence[str]) -> str:
    """Say how to write a call whose numbers must be named.

    >>> name_them(parse("dp(1, 1e-6)"), ["ratio", "epsilon", "delta"])
    'dp(1, 1e-6): name the numbers: write dp(epsilon=1, delta=1e-6)'
    """
    ranked = [name for name in ("epsilon", "delta") if name in names]
    ranked += [name for name in names if name not in ("ratio", *ranked)]
    pairs = zip(ranked, call.positional, strict=False)
    written = ", ".join(f"{name}={value}" for name, value in pairs)
    given = ", ".join(map(str, call.positional))
    return f"{call.name}({given}): name the numbers: write {call.name}({written})"


def _spread(entry: NamedBuilder[T], call: Call) -> Call:
    """Turn unknown names into ``name=value`` texts, for builders that take any number of them."""
    parameters = inspect.signature(entry.build).parameters
    if not any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):
        return call
    extra = [f"{name}={value}" for name, value in call.named.items() if name not in parameters]
    known = {name: value for name, value in call.named.items() if name in parameters}
    return Call(call.name, (*call.positional, *extra), known)


def _check_arguments(entry: NamedBuilder[T], call: Call) -> None:
    parameters = inspect.signature(entry.build).parameters
    for name in call.named:
        if name not in parameters:
            try:
                raise UnknownName(f"argument of {entry.name}", name, parameters)
            except UnknownName as error:
                raise InvalidInput(f"{error} (usage: {entry.usage})") from None
    single = [p for p in parameters.values() if p.kind is not p.VAR_POSITIONAL]
    places = [p for p in single if p.kind is not p.KEYWORD_ONLY]
    if call.positional and single and not places and len(single) == len(parameters):
        raise InvalidInput(name_them(call, list(parameters)))
    if len(call.positional) > len(places) and len(single) == len(parameters):
        raise InvalidInput(
            f"{entry.name} takes at most {len(places)} arguments"
            f"{' without a name' if len(places) < len(single) else ''}, "
            f"{len(call.positional)} given; usage: {entry.usage}"
        )
    given = {p.name for p in single[: len(call.positional)] if p.kind is not p.KEYWORD_ONLY}
    if twice := given & set(call.named):
        raise InvalidInput(f"{entry.name}: argument {twice.pop()!r} is given twice")
    for parameter in single:
        optional = parameter.default is not parameter.empty
        if not optional and parameter.name not in given | set(call.named):
            raise InvalidInput(
                f"{entry.name} needs the argument {parameter.name!r}; usage: {entry.usage}"
            )


# --- Python objects of the user by name ----------------------------------------------------------


def is_python(text: object) -> bool:
    """Tell whether a text names a Python object."""
    return isinstance(text, str) and text.strip().startswith(_PYTHON)


def load(text: str) -> object:
    """Return the object that a text names.

    >>> load("python:statistics:median")((1, 2, 9))
    2
    """
    module, _, name = text.strip().removeprefix(_PYTHON).partition(":")
    if not module or not name:
        raise InvalidInput(f"{text!r}: write python:package.module:name, or python:./file.py:name")
    try:
        is_file = module.endswith(".py") or "/" in module
        found = _from_file(Path(module)) if is_file else import_module(module)
        return getattr(found, name)
    except (ImportError, AttributeError, ValueError, OSError) as error:
        raise InvalidInput(f"{text!r} cannot be loaded: {error}") from error


def _from_file(path: Path) -> ModuleType:
    """Run a file as a module; what lies beside it can be imported by it, as by a program."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError(f"there is no Python file {path}: write python:./file.py:name")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # for dataclasses, which look there
    spec.loader.exec_module(module)
    return module


def load_function(text: str) -> Callable[[Any], Any]:
    """Return the function that a text names."""
    found = load(text)
    if not callable(found):
        raise InvalidInput(f"{text!r} is {found!r}, not a function: name a function")
    return found
