"""The bodies of requests, for checking and for OpenAPI, and the shape of answers.

Numbers may be JSON numbers or texts such as "ln 3" and "1/2"; both reach the API as text, so that
they are read exactly. Unknown fields are refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    WithJsonSchema,
    create_model,
)

from twoworlds.errors import UnknownName
from twoworlds.questions import QUESTIONS, Parameter
from twoworlds.release.ledger.state import LONGEST_REMARK
from twoworlds.web.attacks import ATTACKS, HELP
from twoworlds.web.refusals import LONGEST_TEXT, Numeral, Refused

_LONGEST_NUMBER = 200
_MOST_QUERIES = 32


def _text(
    most: int, *, numbers: bool = False, empty: str | None = None, instead: str = "write it as text"
) -> Any:
    """Return a kind of text: how long, whether a number will do, what to say of an empty one."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or (isinstance(value, Numeral) and not numbers):
            raise ValueError(instead)
        if empty is not None and not value.strip():
            raise ValueError(f"it is empty: {empty}")
        if len(value) > most:
            raise ValueError(f"it has {len(value)} characters: the service reads at most {most}")
        return str(value)

    text = {"type": "string", **({} if empty is None else {"minLength": 1}), "maxLength": most}
    schema = {"anyOf": [text, {"type": "number"}]} if numbers else text
    return Annotated[str, BeforeValidator(read), WithJsonSchema(schema)]


_A_NUMBER = "write a number, or a text such as '1/2'"
Words: Any = _text(LONGEST_TEXT, empty="say what is meant, such as name(key=value)")
Value: Any = _text(LONGEST_TEXT, numbers=True, empty="name an output or a value")
Digits: Any = _text(_LONGEST_NUMBER, numbers=True, empty=_A_NUMBER, instead=_A_NUMBER)
Purpose: Any = _text(LONGEST_TEXT, empty="say what the release is for")
Remark: Any = _text(LONGEST_REMARK)


def _query(value: Any) -> Any:
    if isinstance(value, Numeral) or not isinstance(value, (str, dict)):
        raise ValueError("a query is SQL, or a structured query")
    return value


AnyQuery = Annotated[
    Any,
    BeforeValidator(_query),
    WithJsonSchema({"anyOf": [{"type": "string", "minLength": 1}, {"type": "object"}]}),
]


class Body(BaseModel):
    """What a request sends: nothing but its fields."""

    model_config = ConfigDict(extra="forbid")


class MechanismBody(Body):
    """A mechanism, such as ``randomized-response(bits=2, keep=3/4)``."""

    mechanism: Words
    neighbours: Words | None = None
    delta: Digits | None = None
    output: Value | None = None
    definitions: StrictBool = True
    curves: StrictBool = True


class Posterior(Body):
    """A mechanism and what an attacker believes."""

    mechanism: Words
    belief: Words
    output: Value | None = None
    default: Value | None = None


class Guarantees(Body):
    """A mechanism, or a definition with a universe."""

    mechanism: Words | None = None
    definition: Words | None = None
    universe: Words | None = None


class Simulators(Body):
    """A release, what is believed and known, what is private, and the ratio."""

    mechanism: Words
    belief: Words = "uniform"
    side: Words | None = None
    private: Words = "persons"
    ratio: Digits | None = None
    epsilon: Digits | None = None


class Noiseless(Body):
    """An exact count of independent bits, and what an attacker knows of them."""

    people: Digits
    known: Digits = "0"
    probability: Digits = "1/2"
    epsilon: Digits = "1/2"


class ReleaseBody(Body):
    """Queries on one dataset, and what to spend on them together."""

    queries: Annotated[list[AnyQuery], Field(min_length=1, max_length=_MOST_QUERIES)]
    dataset: Words | None = None
    epsilon: Digits | None = None
    cost: Words | None = None
    noise: Words | None = None


class ProposeBody(ReleaseBody):
    """A planned release, and what it is for."""

    purpose: Purpose


class DecideBody(Body):
    """A proposal by its number, and the decision; what is sent back needs a remark."""

    proposal: Digits
    approve: StrictBool
    remark: Remark = ""


class ReportBody(Body):
    """A release by the number of its entry in the ledger."""

    entry: Digits


# --- attacks: the options of their questions ------------------------------------------------------


Told: Any = _text(LONGEST_TEXT, numbers=True, instead="it must be one text or number")
_TOLD = {"anyOf": [{"type": "string", "maxLength": LONGEST_TEXT}, {"type": "number"}]}
Listed = Annotated[
    list[Told],
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
    WithJsonSchema({"anyOf": [_TOLD, {"type": "array", "items": _TOLD}]}),
]


def attack_body(name: str) -> type[Body]:
    """Make the body of an attack: the parameters of its question that are offered."""
    known = QUESTIONS[f"attack {name}"].parameters()
    fields: dict[str, Any] = {
        option: (_kind(name, option, known[option]) | None, Field(None, description=said))
        for option in ATTACKS[name]
        for said in [HELP.get(option, known[option].help)]
    }
    return create_model(name.capitalize(), __base__=Body, __doc__=None, **fields)


def _kind(name: str, option: str, parameter: Parameter) -> Any:
    if parameter.kind is bool or (name, option) == ("composition", "everyone"):
        return StrictBool  # everyone of the bundled register
    return Listed if parameter.many else Told


# --- answers --------------------------------------------------------------------------------------


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: str
    message: str
    field: str | None


class Error(BaseModel):
    """What every error looks like."""

    model_config = ConfigDict(extra="forbid")

    error: _Said


def answer_with(name: str, *keys: str) -> type[BaseModel]:
    """Make the shape of an answer: an object that has these keys, and others."""
    fields: dict[str, Any] = dict.fromkeys(keys, (Any, ...))
    return create_model(name, __config__=ConfigDict(extra="allow"), **fields)


def refused(problem: Any, known: Iterable[str]) -> Refused:
    """Return what is said of the first field that is missing, unknown or of the wrong type."""
    where = [str(part) for part in problem["loc"] if part != "body"]
    field = where[0] if where else None
    name = ".".join(where) or "the request"
    if problem["type"] == "missing":
        return Refused(400, "InvalidInput", f"{name} is missing: give it", field)
    if problem["type"] == "extra_forbidden":
        said = str(UnknownName("field", name, known))
        return Refused(400, "UnknownName", said, field)
    limits = problem.get("ctx", {})
    ours = {
        "too_short": f"give at least {limits.get('min_length')}",
        "too_long": f"give at most {limits.get('max_length')}",
        "bool_type": "say true or false",
        "list_type": "give a list",
    }
    said = ours.get(problem["type"], problem["msg"].removeprefix("Value error, "))
    said = f"{name}: {said[:1].lower()}{said[1:]}"
    return Refused(400, "InvalidInput", said, field)
