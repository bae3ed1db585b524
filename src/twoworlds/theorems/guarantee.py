"""Guarantees: a definition with its numbers, its setting, and where it came from.

>>> given = Guarantee.parse("dp(epsilon=0.1)")
>>> print(given.implies("semantic").best)
semantic(epsilon=0.04995837496)

A guarantee says what holds of one mechanism. Its setting is part of it: the neighbour relation
(for the semantic kinds: whether the person left out is replaced by a default value, "substitute",
or taken out, "add-remove"), the group size, and the number of records, or of pairs (alt, priv) for
coupled worlds, where it matters. Printed numbers that are not exact are rounded up, so that what is
printed is true, and can be typed again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from twoworlds.answer import Answer
from twoworlds.calls import name_them
from twoworlds.calls import parse as parse_call
from twoworlds.definitions.base import read_amount, read_delta, read_order, read_ratio
from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.numbers import INFINITY, Number, Order, ln, whole
from twoworlds.show import Result
from twoworlds.theorems.formulas import capped, order, typed, typed_ratio
from twoworlds.theorems.implication import Implication, search
from twoworlds.theorems.kinds import Kind, kind_of
from twoworlds.theorems.statements import Context
from twoworlds.worlds import ADD_REMOVE, SUBSTITUTE, check_group

if TYPE_CHECKING:
    from twoworlds.theorems.statements import Application

_COUNTS = ("records", "pairs")
_SETTING = ("neighbours", "group", *_COUNTS)
_FACTS = ("values", "delta1", "level", "symmetric", "tagged", "decided")


@dataclass(frozen=True)
class Guarantee(Result):
    """What is known of a mechanism: a kind with exact numbers, in a setting.

    Attributes:
        kind: the name of the definition, as in `twoworlds.theorems.kinds`.
        numbers: the exact numbers by name; a bound e^epsilon is kept as ``ratio``.
        neighbours: "substitute" or "add-remove".
        group: how many people may differ at once.
        records: how many records the database has, or None when not known.
        pairs: how many pairs (alt, priv) coupled worlds has, or None when not known.
        source: the application of a theorem that derived it, or None when it was stated.

    >>> Guarantee.parse("dp(epsilon=1)").implies("semantic").holds
    True
    """

    kind: str
    numbers: Mapping[str, Number]
    neighbours: str = SUBSTITUTE
    group: int = 1
    records: int | None = None
    pairs: int | None = None
    source: Application | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check that kind, numbers and setting fit together."""
        wanted = kind_of(self.kind).numbers
        if set(self.numbers) != set(wanted):
            missing = ", ".join(name for name in wanted if name not in self.numbers)
            raise InvalidInput(f"{self.kind} needs {missing or ', '.join(wanted)}")
        numbers = MappingProxyType({name: self.numbers[name] for name in wanted})
        object.__setattr__(self, "numbers", numbers)
        if self.neighbours not in (SUBSTITUTE, ADD_REMOVE):
            raise UnknownName("neighbour relation", self.neighbours, [SUBSTITUTE, ADD_REMOVE])
        check_setting(self.kind, group=self.group, records=self.records, pairs=self.pairs)

    @staticmethod
    def of(kind: str, **given: object) -> Guarantee:
        """State a guarantee; numbers may be text, and epsilon may stand for the ratio.

        >>> Guarantee.of("dp", epsilon="ln 3", records=10)["ratio"]
        Fraction(3, 1)
        """
        known = kind_of(kind)
        setting = {name: given.pop(name) for name in _SETTING if name in given}
        numbers = read_numbers(known, given)
        for name in known.numbers:
            if name == "delta":
                numbers.setdefault(name, Fraction(0))
            elif name not in numbers:
                shown = "epsilon= or ratio=" if name == "ratio" else f"{name}="
                raise InvalidInput(f"{kind} needs a number: give {shown}")
        return Guarantee(
            kind,
            numbers,
            neighbours=str(setting.get("neighbours", SUBSTITUTE)),
            group=check_group(setting.get("group", 1)),
            records=_count(setting.get("records"), "records"),
            pairs=_count(setting.get("pairs"), "pairs"),
        )

    @staticmethod
    def parse(text: str) -> Guarantee:
        """Read a guarantee as one types it.

        >>> print(Guarantee.parse("dp(epsilon=0.1, delta=1e-9)"))
        dp(epsilon=0.1, delta=1e-9)
        """
        call = parse_call(text)
        kind = kind_of(call.name)
        if call.positional:
            raise InvalidInput(name_them(call, kind.typed_names))
        return Guarantee.of(call.name, **call.named)

    def __getitem__(self, name: str) -> Number:
        if name not in self.numbers:
            raise UnknownName(f"number of {self.kind}", name, self.numbers)
        return self.numbers[name]

    def __hash__(self) -> int:
        setting = (self.neighbours, self.group, self.records, self.pairs)
        return hash((self.kind, *self.numbers.items(), *setting))

    @property
    def ratio(self) -> Number:
        """The bound e^epsilon."""
        return self["ratio"]

    @property
    def epsilon(self) -> Number:
        """Epsilon: the logarithm of the ratio, or a statistical difference."""
        return ln(self["ratio"]) if "ratio" in self.numbers else self["epsilon"]

    @property
    def delta(self) -> Number:
        """Delta, or 0 for a kind that has none."""
        return self.numbers.get("delta", Fraction(0))

    @property
    def count(self) -> int | None:
        """How many pairs (alt, priv) there are: one for each record, unless they are counted."""
        return self.pairs if kind_of(self.kind).counts == "pairs" else self.records

    @property
    def vacuous(self) -> bool:
        """Whether it holds of every mechanism: a probability is 1, or an amount has no end."""
        amounts = kind_of(self.kind).amounts
        if any(self.numbers[name] == INFINITY for name in amounts):
            return True
        bounds = (x for name, x in self.numbers.items() if name not in ("ratio", *amounts))
        return any(order(x, Fraction(1)) is not Order.LESS for x in bounds)

    def to(self, kind: str, **changes: Any) -> Guarantee:
        """Return a conclusion in the same setting; probabilities are capped at 1."""
        known = kind_of(kind)
        setting = {name: changes.pop(name) for name in _SETTING if name in changes}
        free = ("ratio", *known.amounts)
        numbers = {name: x if name in free else capped(x) for name, x in changes.items()}
        if "delta" in known.numbers:
            numbers.setdefault("delta", Fraction(0))
        return replace(self, source=None, kind=kind, numbers=numbers, **setting)

    def at_least_as_strong_as(self, other: Guarantee) -> bool:
        """Tell whether this guarantee implies another of the same kind and setting, at once."""
        if (self.kind, self.neighbours, self.group) != (other.kind, other.neighbours, other.group):
            return False
        fixed = kind_of(self.kind).fixed
        return all(
            order(x, other[name]) in ((Order.EQUAL,) if name in fixed else _NOT_ABOVE)
            for name, x in self.numbers.items()
        )

    def implies(
        self, kind: str, records: object = None, pairs: object = None, **wanted: object
    ) -> Implication:
        """Find the strongest guarantees of another kind that follow, with their proofs.

        Args:
            kind: the name of a kind; or a call with numbers, ``"dp(epsilon=0.3, delta=0.02)"``,
                which asks whether that very claim follows (for one person and neighbours by
                substitution, unless it names others: it means what it means everywhere). A call
                that leaves out a number it needs, ``"dp(delta=1e-6)"``, asks for the smallest one.
            records: the number of records, where theorems need it.
            pairs: the same for coupled worlds: the number of pairs (alt, priv).
            **wanted: numbers of the kind that are aimed at (a wanted ``delta``, say: theorems
                that trade one number for another choose accordingly), the wanted ``group`` or
                ``neighbours`` (those of this guarantee, next to single numbers), or further facts:
                ``values`` (how many values a record has), ``delta1`` (the mass of the databases
                outside of E), ``level`` (of a test); and, yes or no, ``symmetric`` (the release
                does not depend on the order of records), ``tagged`` (simulators are told whose
                record is missing), ``decided`` (every secret is 0 or 1, never undecided).

        >>> print(Guarantee.parse("semantic(epsilon=0.1)").implies("dp").best)
        dp(ratio=121/81)
        """
        if "(" in kind:
            claim, numbers = _read_claim(kind)
            setting = {"group": claim.group, "neighbours": claim.neighbours}
            wanted = {**numbers, **setting, **wanted}
            kind = claim.kind
            if records is None and pairs is None:
                records, pairs = self._counted_by(claim)
        facts = {name: wanted.pop(name) for name in (*_FACTS, *_SETTING[:2]) if name in wanted}
        goal = read_numbers(kind_of(kind), wanted)
        if facts.get("group") is not None:
            check_setting(kind, group=check_group(facts["group"]))
        if goal:
            facts.setdefault("neighbours", self.neighbours)
        return search(self._counting(records, pairs), read_context(kind, goal, facts))

    def _counted_by(self, claim: Guarantee) -> tuple[int | None, int | None]:
        """Return the records and pairs of this guarantee that a claim tells."""
        if kind_of(self.kind).counts == "pairs":
            return None, claim.pairs
        return claim.count, None  # then each record makes a pair

    def _counting(self, records: object, pairs: object) -> Guarantee:
        """Return the same guarantee with the counts that were told beside it."""
        told = _count(records, "records"), _count(pairs, "pairs")
        for name, n, known in zip(_COUNTS, told, (self.records, self.pairs), strict=True):
            if None not in (n, known) and n != known:
                raise InvalidInput(f"{name}={n}, but the guarantee is for {name}={known}")
        return replace(self, records=told[0] or self.records, pairs=told[1] or self.pairs)

    def chain(self) -> Iterator[Guarantee]:
        """Run through the guarantees that led here, from the stated one to this."""
        if self.source is not None:
            yield from self.source.given.chain()
        yield self

    def __str__(self) -> str:
        return self.text()

    def text(self, *, beside: Guarantee | None = None) -> str:
        """Write it as one types it, rounded up."""
        settings = {self.neighbours, SUBSTITUTE if beside is None else beside.neighbours}
        parts = [
            typed_ratio(x) if name == "ratio" else f"{name}={typed(x)}"
            for name, x in self.numbers.items()
            if name != "delta" or x != 0
        ]
        if settings != {SUBSTITUTE}:
            parts.append(f"neighbours={self.neighbours}")
        if self.group != 1:
            parts.append(f"group={self.group}")
        counts = {name: getattr(self, name) for name in _COUNTS}
        parts += [f"{name}={n}" for name, n in counts.items() if n is not None]
        return f"{self.kind}({', '.join(parts)})"

    def answer(self) -> Answer:
        """Say what it promises a person."""
        from twoworlds.theorems.promise import promise

        return promise(self).answer()

    def fields(self) -> dict[str, Any]:
        """Return kind, numbers and setting; a ratio comes with its epsilon."""
        return {
            "kind": self.kind,
            "text": str(self),
            **self.numbers,
            **({"epsilon": self.epsilon} if "ratio" in self.numbers else {}),
            "neighbours": self.neighbours,
            "group": self.group,
            **{name: getattr(self, name) for name in _COUNTS},
        }


_NOT_ABOVE = (Order.LESS, Order.EQUAL, Order.UNDECIDED)


def read_numbers(kind: Kind, given: Mapping[str, object]) -> dict[str, Number]:
    """Read the numbers of a kind, each in its range."""
    for name in given:
        if name not in kind.typed_names:
            raise UnknownName(f"number of {kind.name}", name, (*kind.typed_names, *_SETTING))
    found: dict[str, Number] = {}
    for name in kind.numbers:
        if name == "ratio":
            ratio = read_ratio(given.get("ratio"), given.get("epsilon"))
            if ratio is not None:
                found[name] = ratio
        elif given.get(name) is None:
            continue
        elif name == "order":
            found[name] = read_order(given[name])
        elif name in kind.amounts:
            found[name] = read_amount(given[name], name)
        else:
            found[name] = _probability(given[name], name)
    return found


def _read_claim(text: str) -> tuple[Guarantee, dict[str, Number]]:
    """Read a claim and its numbers; one that leaves some out stands for all claims with the rest.

    >>> _read_claim("dp(delta=1e-6)")[1]
    {'delta': Fraction(1, 1000000)}
    """
    call = parse_call(text)
    kind = kind_of(call.name)
    given = {name: x for name, x in call.named.items() if name not in _SETTING}
    missing = [name for name in kind.numbers if name not in ("delta", *given)]
    if "ratio" in missing and "epsilon" in given:
        missing.remove("ratio")
    if not given or not missing or call.positional:
        claim = Guarantee.parse(text)
        return claim, dict(claim.numbers)
    numbers = read_numbers(kind, given)
    setting = {name: x for name, x in call.named.items() if name in _SETTING}
    anything = {name: "2" if name == "order" else "1" for name in missing}
    return Guarantee.of(call.name, **given, **anything, **setting), numbers


def _count(given: object, name: str) -> int | None:
    return None if given is None else whole(given, name, at_least=1)


def check_setting(
    kind: str, *, group: int = 1, records: int | None = None, pairs: int | None = None
) -> None:
    """Refuse groups where one person is meant, and one count where the other is meant."""
    known = kind_of(kind)
    if group != 1 and not known.groups:
        raise InvalidInput(
            f"group={group}: {kind} speaks of one person at a time; for groups state "
            "coupled-worlds, with a pair (alt, priv) for every group, and pairs= their number"
        )
    if known.counts == "pairs" and records is not None:
        raise InvalidInput(
            f"records={records}: {kind} counts pairs (alt, priv), which may be more or fewer than "
            "records: give pairs="
        )
    if known.counts != "pairs" and pairs is not None:
        raise InvalidInput(
            f"pairs={pairs}: only coupled worlds counts pairs (alt, priv); for {kind} give records="
        )


def read_context(kind: str, goal: Mapping[str, Number], facts: Mapping[str, object]) -> Context:
    """Read the facts that stand beside a guarantee."""
    values, group, neighbours = (facts.get(name) for name in ("values", "group", "neighbours"))
    if neighbours not in (None, SUBSTITUTE, ADD_REMOVE):
        raise UnknownName("neighbour relation", str(neighbours), [SUBSTITUTE, ADD_REMOVE])
    delta1, level = (
        None if facts.get(name) is None else _probability(facts[name], name)
        for name in ("delta1", "level")
    )
    return Context(
        kind,
        goal,
        group=None if group is None else check_group(group),
        neighbours=None if neighbours is None else str(neighbours),
        values=None if values is None else whole(values, "values", at_least=1),
        delta1=delta1,
        level=level,
        symmetric=_yes_or_no(facts.get("symmetric"), "symmetric"),
        tagged=_yes_or_no(facts.get("tagged"), "tagged"),
        decided=_yes_or_no(facts.get("decided"), "decided"),
    )


def _yes_or_no(given: object, name: str) -> bool | None:
    known = {"yes": True, "true": True, "no": False, "false": False}
    if given is not None and str(given).lower() not in known:
        raise InvalidInput(f"{name}={given}: say yes or no")
    return None if given is None else known[str(given).lower()]


def _probability(value: object, name: str) -> Number:
    try:
        return read_delta(value)
    except InvalidInput as error:
        raise InvalidInput(str(error).replace("delta=", f"{name}=", 1)) from None
