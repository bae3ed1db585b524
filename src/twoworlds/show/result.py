"""What every question returns: a small typed result that can say itself, and its JSON.

A number is ``{"exact": "3/4", "value": 0.75}``, with ``lower`` and ``upper`` where only an
enclosure is known; an integer that counts stays one. A result is its fields, and so is a dataclass.
What has a text form, such as a mechanism, a universe or a definition, is that text. Mappings and
lists stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from fractions import Fraction
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from twoworlds.answer import Answer, Block

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from twoworlds.show.saving import Columns


class Result:
    """A typed result: all that anybody sees of it is made from its fields and its `answer`.

    >>> class Count(Result):
    ...     def answer(self):
    ...         return Answer("a < b")
    >>> print(Count())
    a < b
    >>> "<b>a &lt; b</b>" in Count()._repr_html_()
    True

    Attributes:
        again: Of an answer that was paid for: how to get it again, should it reach nobody.
        unsaved: Why files that were asked for are missing.
    """

    again: str = ""
    unsaved: Sequence[str] = ()

    def answer(self) -> Answer:
        """Say it: the answer in one sentence, and what supports it."""
        raise NotImplementedError

    def fields(self) -> Mapping[str, Any]:
        """Return what JSON has of it, by name: its fields, unless a room says otherwise."""
        listed = fields(self)  # type: ignore[arg-type]
        return {one.name: getattr(self, one.name) for one in listed if one.repr}

    def explain(self, *, more: bool = False) -> str:
        """Return the answer in words; with what stands behind it, if there is more."""
        from twoworlds.show.text import text

        return text(self.answer(), more=more)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data, ready for JSON."""
        return {name: plain(value) for name, value in self.fields().items()}

    def to_columns(self) -> Columns:
        """Return the table of the answer, as files and data frames have it: in texts, as shown.

        An answer without a table gives its sentence and its facts, by name.
        """
        from twoworlds.show.saving import first_table

        return first_table(self.answer())

    def to_frame(self) -> Any:
        """Return the table of the answer as a data frame of pandas.

        Raises:
            Unsupported: when pandas is not installed.
        """
        from twoworlds.show.saving import frame

        return frame(self.to_columns())

    def save(self, path: str | Path) -> Path:
        """Write the result: its table as .csv or .parquet, all of it as .json or .html.

        Raises:
            InvalidInput: when the file is there already, or cannot be written.
        """
        from twoworlds.show.saving import save

        return save(self, Path(path))

    def html(self) -> str:
        """Return the result as a page of its own."""
        from twoworlds.show.saving import page

        return page(self.answer())

    def plot(self) -> Figure:
        """Return the first chart of the answer as a figure of matplotlib; notebooks show it as SVG.

        Raises:
            Unsupported: when the answer has no chart, or matplotlib is not installed.
        """
        from twoworlds.show.figure import figure

        return figure(self.answer())

    def beside(
        self,
        *blocks: Block,
        notes: Sequence[str] = (),
        files: Mapping[str, object] | None = None,
        unsaved: Sequence[str] = (),
        **data: Any,
    ) -> Result:
        """Return it with more said below, files that were written or not, and further data.

        With nothing to add it stays what it is.
        """
        written = {name: str(path) for name, path in (files or {}).items()}
        if not (blocks or notes or written or unsaved or data):
            return self
        said = self.answer()
        told = replace(
            said,
            blocks=(*said.blocks, *blocks),
            notes=(*said.notes, *(f"wrote {path}" for path in written.values()), *notes),
        )
        return Told(
            told, {**self.fields(), **data, **written}, of=self, again=self.again, unsaved=unsaved
        )

    def __repr__(self) -> str:
        """Return its kind and its sentence, short as a prompt shows it."""
        return f"<{type(self).__name__}: {self.answer().headline}>"

    def __str__(self) -> str:
        """Return the answer in words."""
        return self.explain()

    def _repr_html_(self) -> str:
        """Show a card in a notebook."""
        from twoworlds.show.html import card

        return card(self.answer())


@dataclass(frozen=True)
class Told(Result):
    """An answer with the data that JSON has of it, where no result has a class of its own.

    ``of`` is the result that it tells with more beside it: then it has the table of that one.
    ``page`` makes its page, where that is more than the answer.
    """

    said: Answer
    data: Mapping[str, Any]
    of: Result | None = field(default=None, repr=False)
    page: Callable[[], str] | None = field(default=None, repr=False)
    again: str = field(default="", repr=False)
    unsaved: Sequence[str] = field(default=(), repr=False)

    def answer(self) -> Answer:
        """Return what is said."""
        return self.said

    def fields(self) -> Mapping[str, Any]:
        """Return the data."""
        return self.data

    def html(self) -> str:
        """Return its page, or the answer as one."""
        return super().html() if self.page is None else self.page()

    def to_columns(self) -> Columns:
        """Return the table of the result that it tells, or the one in its answer."""
        return super().to_columns() if self.of is None else self.of.to_columns()


def plain(value: Any) -> Any:
    """Return plain data, ready for JSON.

    >>> plain({"delta": Fraction(1, 4), "people": 3})
    {'delta': {'exact': '1/4', 'value': 0.25}, 'people': 3}
    """
    from twoworlds.numbers import Real, to_json

    match value:
        case None | bool() | str() | int() | float():
            return value
        case Fraction() | Real():
            return to_json(value)
        case Enum():
            return value.value
        case PurePath():
            return str(value)
        case Mapping():
            return {str(name): plain(one) for name, one in value.items()}
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "expression"):
        return value.expression
    if isinstance(value, Iterable):
        return [plain(one) for one in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value) if one.repr}
    raise TypeError(f"{type(value).__name__} has no plain form: give it a text form, or fields")
