r"""Privacy definitions of one's own: linear constraints on the likelihood row of every output.

``linear("x11 <= 3 x10; 2 x10 >= x00")`` names the entries of a row by the labels of the databases;
``linear(cone.json)`` reads a row cone that was saved as JSON; `LinearDefinition.of` takes a row
cone, for example one that was relaxed (Lin & Kifer, Section 5.4: a mechanism belongs to the new
definition if and only if every row of its matrix belongs to the cone). The other definitions that
are linear in the rows, gamma-amplification and FRAPP, are registered here as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from twoworlds.calls import Text
from twoworlds.cones.amplification import GammaAmplification
from twoworlds.cones.kernel.vectors import primitive, rational, rationals
from twoworlds.cones.row_cone import Inequality, RowCone
from twoworlds.cones.row_constraints import RowConstraints
from twoworlds.cones.structure.kronecker import Frapp
from twoworlds.definitions import PrivacyDefinition
from twoworlds.definitions.catalogue import DEFINITIONS
from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.numbers import Number, ratio_at_least_one
from twoworlds.worlds import Explicit, Point, Universe
from twoworlds.worlds.catalogue import universe as build_universe

__all__ = ["LinearDefinition", "read_constraints"]

Constraint = Mapping[str, Fraction]
_LONGEST = 100_000
_TERM = re.compile(
    r"\s*(?P<sign>[-+]?)\s*(?P<number>\d+(?:\.\d+)?(?:\s*/\s*\d+)?)?\s*(?P<times>\*?)\s*"
    r"(?P<entry>x(?:\[(?P<label>[^\]]*)\]|(?P<plain>[^\W_]+)))?\s*"
)
_RELATION = re.compile(r"<=|>=|==|=|<|>")


@dataclass(frozen=True)
class LinearDefinition(RowConstraints):
    """A definition by listed constraints, each a mapping from labels of databases to numbers.

    >>> from twoworlds import check
    >>> own = LinearDefinition.read("x1 <= 3 x0; x0 <= 3 x1")
    >>> bool(check("randomized-response(bits=1, keep=3/4)", own))
    True
    >>> check("randomized-response(bits=1, keep=4/5)", own).factor
    Fraction(4, 3)
    """

    constraints: tuple[Constraint, ...]
    claim: str
    universe: Universe | None = None
    approximation: str | None = None
    name = "linear"

    @staticmethod
    def read(text: str) -> LinearDefinition:
        """Read constraints such as ``x11 <= 3 x10; 2*x10 >= x00``."""
        return LinearDefinition(tuple(read_constraints(text)), f'linear("{text.strip()}")')

    @staticmethod
    def of(cone: RowCone) -> LinearDefinition:
        """Return the definition that trusts every mechanism with all rows in the cone."""
        return LinearDefinition(
            tuple(_by_label(cone.columns, cone.inequalities())),
            f"linear({cone.source})",
            cone.universe,
            cone.approximation,
        )

    @staticmethod
    def load(path: Path) -> LinearDefinition:
        """Read a cone that was saved as JSON by `RowCone.to_dict`."""
        data = _data(path)
        columns, universe = [str(label) for label in data["columns"]], _universe(data)
        listed = [
            Inequality(universe, primitive(vector), equality=key == "equalities")
            for key in ("facets", "equalities")
            for vector in _vectors(data, key, len(columns), path)
        ]
        constraints = tuple(_by_label(columns, listed))
        return LinearDefinition(constraints, f"linear({path})", universe, data.get("approximation"))

    def row_constraints(self, universe: Universe) -> Iterator[Mapping[Point, Number]]:
        """Yield the constraints with the universe's databases for their labels."""
        for constraint in self.constraints:
            yield {universe.find(label): c for label, c in constraint.items()}

    def approximates(self, universe: Universe) -> str | None:
        """Return what the cone that it was made from says."""
        del universe
        return self.approximation

    def __hash__(self) -> int:
        """Agree with the equality of the fields."""
        return hash((self.claim, len(self.constraints)))


def _by_label(columns: Sequence[str], inequalities: Sequence[Inequality]) -> Iterator[Constraint]:
    for inequality in inequalities:
        pairs = zip(columns, inequality.coefficients, strict=True)
        found = {label: Fraction(c) for label, c in pairs if c}
        yield found
        if inequality.equality:
            yield {label: -c for label, c in found.items()}


def read_constraints(text: str) -> Iterator[Constraint]:
    """Read constraints on the entries x of a row, separated by semicolons.

    >>> [dict(c) for c in read_constraints("x11 <= 3/2 x[1,0]")]
    [{'1,0': Fraction(3, 2), '11': Fraction(-1, 1)}]
    """
    parts = [part for part in re.split(r"[;\n]", text) if part.strip()]
    if not parts or len(text) > _LONGEST:
        raise InvalidInput(
            f"{text[:60]!r}: write linear constraints such as x11 <= 3 x10; 2 x10 >= x00"
        )
    for part in parts:
        relations = _RELATION.findall(part)
        if len(relations) != 1 or relations[0] in "<>":
            raise InvalidInput(
                f"constraint {part.strip()!r}: write one of <=, >= or = between two sums, such as "
                "x11 <= 3 x10 (a strict < has no closed cone)"
            )
        left, right = (_sum(side, part) for side in part.split(relations[0]))
        gap = {x: right.get(x, Fraction(0)) - left.get(x, Fraction(0)) for x in {**right, **left}}
        found = {label: c for label, c in gap.items() if c}
        opposite = {label: -c for label, c in found.items()}
        if relations[0] != ">=":
            yield found
        if relations[0] != "<=":
            yield opposite


def _sum(text: str, whole: str) -> dict[str, Fraction]:
    """Read a sum of multiples of entries; 0 is the empty one."""
    found: dict[str, Fraction] = {}
    place = 0
    while place < len(text) or not place:
        match = _TERM.match(text, place)
        if match is None or not (match["number"] or match["entry"]):
            raise _unreadable(whole)
        factor = rational(match["number"] or 1, "coefficient")
        constant = match["entry"] is None and (factor != 0 or match["times"])
        if constant or (place and not match["sign"]) or (match["times"] and not match["number"]):
            raise _unreadable(whole)
        if match["entry"]:
            label = (match["plain"] or match["label"] or "").strip()
            signed = -factor if match["sign"] == "-" else factor
            found[label] = found.get(label, Fraction(0)) + signed
        place = match.end()
    return found


def _unreadable(whole: str) -> InvalidInput:
    return InvalidInput(
        f"constraint {whole.strip()[:60]!r} is not read: both sides are sums such as "
        "3 x10 + 1/2 x[a,b], or 0, with the label of a database after x; there is no constant term"
    )


def _data(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read as JSON: {error}") from None
    if not isinstance(data, dict) or not isinstance(data.get("columns"), list):
        raise InvalidInput(f"{path} is no saved cone: it needs columns, facets and equalities")
    return data


def _vectors(data: Mapping[str, Any], key: str, width: int, path: Path) -> Iterator[Any]:
    listed = data.get(key, [])
    if not isinstance(listed, list):
        raise InvalidInput(f"{path}: {key} is a list of vectors, one entry per column")
    for vector in listed:
        entries = rationals(vector, key)
        if len(entries) != width:
            raise InvalidInput(f"{path}: a vector of {key} has {len(entries)} entries, not {width}")
        yield entries


def _universe(data: Mapping[str, Any]) -> Universe:
    """Return the universe that was saved, or a plain one of the same labels."""
    columns = [str(label) for label in data["columns"]]
    try:
        stated = build_universe(str(data.get("universe")))
        if stated.size == len(columns) and [stated.label(x) for x in stated] == columns:
            return stated
    except TwoWorldsError:
        pass
    return Explicit(tuple(columns))


@DEFINITIONS.register("gamma-amplification")
def gamma_amplification(gamma: object = None) -> PrivacyDefinition:
    """Amplification: no output is gamma times likelier on one database than on any other."""
    return GammaAmplification(None if gamma is None else ratio_at_least_one(gamma, "gamma"))


@DEFINITIONS.register("linear")
def linear(*constraints: Text) -> PrivacyDefinition:
    """Linear constraints on likelihood rows, ``x11 <= 3 x10; ...``, or a cone saved as JSON."""
    texts = [str(constraint).strip() for constraint in constraints]
    if len(texts) == 1 and texts[0].lower().endswith(".json"):
        return LinearDefinition.load(Path(texts[0]))
    return LinearDefinition.read("; ".join(texts))


@DEFINITIONS.register("frapp")
def frapp(
    gamma: object = None, values: Text | None = None, records: object = None
) -> PrivacyDefinition:
    """FRAPP: every record passes a transition whose rows vary by at most a factor gamma."""
    return Frapp.read(gamma, values, records)
