"""One card: a title, what holds, the sentence, a few numbers, a picture, what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Literal

__all__ = ["Tone", "card", "explained", "table"]

Tone = Literal["good", "bad", "plain"]

_BOX = (
    "border:1px solid rgba(128,128,128,.4);border-radius:6px;padding:.75em 1em;margin:.25em 0;"
    "max-width:46em;line-height:1.45"
)
_BADGES: dict[Tone, str] = {"good": "#0a6b45", "bad": "#b3261e", "plain": "#4a5565"}
_BADGE = "color:#fff;border-radius:3px;padding:.05em .5em;font-size:.85em;white-space:nowrap"
_CELL = "text-align:left;padding:.1em 1em .1em 0;vertical-align:top;background:none;border:0"
_MOST_ROWS = 40
_LONGEST_TITLE = 100


def card(
    title: str,
    *,
    badge: str = "",
    tone: Tone = "plain",
    sentences: Iterable[str] = (),
    facts: Iterable[tuple[str, str]] = (),
    inside: Iterable[str] = (),
    notes: Iterable[str] = (),
) -> str:
    """Return a card.

    Args:
        title: what the answer is about.
        badge: a word or two beside it, such as "holds".
        tone: whether that is good news.
        sentences: the answer in words, before any number.
        facts: names and values.
        inside: further HTML, such as tables and charts; the only texts that are not escaped.
        notes: what it rests on, in small letters.

    >>> print(card("a < b", notes=["exact"]).partition("<b>")[2])
    a &lt; b</b></div><div style="font-size:.85em;opacity:.75;margin-top:.4em">exact</div></div>
    """
    mark = f' <span style="{_BADGE};background:{_BADGES[tone]}">{escape(badge)}</span>'
    above = f"<b>{escape(title)}</b>" if title else ""
    parts = [f"<div>{above}{mark if badge else ''}</div>"] if above or badge else []
    parts += [f'<p style="margin:.4em 0">{escape(said)}</p>' for said in sentences]
    known = list(facts)
    if known:
        parts.append(table((), known))
    parts += inside
    told = "; ".join(notes)
    if told:
        parts.append(
            f'<div style="font-size:.85em;opacity:.75;margin-top:.4em">{escape(told)}</div>'
        )
    return f'<div style="{_BOX}">{"".join(parts)}</div>'


def explained(text: str, picture: str = "") -> str:
    """Return a card of an explanation: its first line stands above, the others as they are."""
    first, _, rest = text.strip().partition("\n")
    if len(first) > _LONGEST_TITLE:
        first, rest = "", text.strip()
    style = "white-space:pre-wrap;margin:.4em 0"
    body = [f'<div style="{style}">{escape(rest.strip(chr(10)))}</div>'] if rest.strip() else []
    return card(first, inside=[*body, *([picture] if picture else [])])


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of texts; of a long one the first rows."""
    shown = [_row(row, "td") for row in rows[:_MOST_ROWS]]
    if len(rows) > _MOST_ROWS:
        shown.append(_row([f"… and {len(rows) - _MOST_ROWS} more"], "td"))
    head = f"<thead>{_row(heads, 'th')}</thead>" if heads else ""
    style = "border-collapse:collapse;margin:.4em 0;font-variant-numeric:tabular-nums"
    return f'<table style="{style}">{head}<tbody>{"".join(shown)}</tbody></table>'


def _row(cells: Sequence[str], tag: str) -> str:
    return "<tr>" + "".join(f'<{tag} style="{_CELL}">{escape(x)}</{tag}>' for x in cells) + "</tr>"
