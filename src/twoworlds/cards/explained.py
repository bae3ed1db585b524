"""Answers that explain themselves: a notebook shows the explanation on a card."""

from __future__ import annotations

__all__ = ["Explained"]


class Explained:
    """Gives a card to whatever has a method ``explain``; `picture` may add a chart to it.

    >>> class Answer(Explained):
    ...     def explain(self) -> str:
    ...         return "a < b"
    >>> "<b>a &lt; b</b>" in Answer()._repr_html_()
    True
    """

    def explain(self) -> str:
        """Say it in words, the answer in the first line."""
        raise NotImplementedError

    def picture(self) -> str:
        """Return a chart as SVG, or nothing."""
        return ""

    def _repr_html_(self) -> str:
        """Show a card in a notebook."""
        from twoworlds.cards.layout import explained

        return explained(self.explain(), self.picture())
