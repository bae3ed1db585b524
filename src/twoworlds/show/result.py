"""What every question returns: a small typed result that can say itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from twoworlds.answer import Answer

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Result:
    """A typed result: all that anybody sees of it is made from its fields and its `answer`.

    >>> class Count(Result):
    ...     def answer(self):
    ...         return Answer("a < b")
    >>> Count().explain(), "<b>a &lt; b</b>" in Count()._repr_html_()
    ('a < b', True)
    """

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
        from twoworlds.show.plain import plain

        return {name: plain(value) for name, value in self.fields().items()}

    def plot(self) -> Figure:
        """Return the first chart of the answer as a figure of matplotlib.

        Raises:
            Unsupported: when the answer has no chart, or matplotlib is not installed.
        """
        from twoworlds.show.figure import figure

        return figure(self.answer())

    def _repr_html_(self) -> str:
        """Show a card in a notebook."""
        from twoworlds.show.html import card

        return card(self.answer())


@dataclass(frozen=True)
class Told(Result):
    """An answer with the data that JSON has of it, where no result has a class of its own."""

    said: Answer
    data: Mapping[str, Any]

    def answer(self) -> Answer:
        """Return what is said."""
        return self.said

    def fields(self) -> Mapping[str, Any]:
        """Return the data."""
        return self.data
