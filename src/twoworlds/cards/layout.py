"""One card: a title, what holds, the sentence, a few numbers, a picture, what it rests on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from typing import Literal

__all__ = ["Tone", "capital", "card", "explained", "heat_map", "lead", "table"]

Tone = Literal["good", "bad", "plain"]

_BOX = (
    "border:1px solid rgba(128,128,128,.4);border-radius:6px;padding:.75em 1em;margin:.25em 0;"
    "max-width:46em;line-height:1.45"
)
_BADGES: dict[Tone, str] = {"good": "#0a6b45", "bad": "#b3261e", "plain": "#4a5565"}
_BADGE = "color:#fff;border-radius:3px;padding:.05em .5em;font-size:.85em;white-space:nowrap"
_CELL = "text-align:left;padding:.1em 1em .1em 0;vertical-align:top;background:none;border:0"
_MOST_ROWS = 40
_LONGEST_TITLE = 180
_DEEPEST = 8  # letters of an indent
_SENTENCE, _CLAUSE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9])"), re.compile(r";\s+")
_WORD = re.compile(r"[a-z]{2,}[ ,]")  # a word, no name such as dp(epsilon=1) or x11
_LABEL = re.compile(r"[a-z]{2,}:")
_PAIR = re.compile(r"^ +(\S(?:.*?\S)?) {2,}(\S.*)$")
_TABLE = "border-collapse:collapse;margin:.4em 0;font-variant-numeric:tabular-nums"
_RIGHT, _UNBROKEN = ";text-align:right", ";white-space:nowrap"
_CAPTION = f"{_CELL};font-weight:600;font-size:.85em;caption-side:top{_UNBROKEN}"
_SHADED = "text-align:right;padding:.2em .6em;border:0"


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
        parts.append(table((), known, names=True))
    parts += inside
    told = "; ".join(notes).replace(".; ", ". ")
    if told:
        parts.append(
            f'<div style="font-size:.85em;opacity:.75;margin-top:.4em">{escape(told)}</div>'
        )
    return f'<div style="{_BOX}">{"".join(parts)}</div>'


def explained(text: str, *inside: str) -> str:
    r"""Return a card of an explanation: its first sentence stands above, the others are smaller.

    Indented lines with a gap in them, such as ``  delta   1/4``, become a table; other indented
    lines keep their indent. What is to stand inside the card follows.

    >>> "<td" in explained("It holds.\n  delta   1/4")
    True
    >>> "<b>It holds.</b>" in explained("it holds. This is why.")
    True
    """
    lines = text.strip("\n").splitlines()
    first, rest = lead(lines.pop(0).strip()) if lines else ("", "")
    lines = [rest, *lines] if rest else lines
    parts = []
    for pairs, run in groupby(lines, lambda line: bool(_PAIR.match(line))):
        if pairs:
            parts.append(table((), [_PAIR.match(line).groups() for line in run]))  # type: ignore[union-attr]
        else:
            parts += [_line(line) for line in run if line.strip()]
    return card(first, inside=[*parts, *inside])


def lead(text: str) -> tuple[str, str]:
    """Part the first sentence from the others; nothing comes first if it is long.

    >>> lead("the table is whole. So it is.")
    ('The table is whole.', 'So it is.')
    """
    told = capital(text)
    for separator in (_SENTENCE, _CLAUSE):
        first, *rest = separator.split(told, maxsplit=1)
        if len(first) <= _LONGEST_TITLE:
            return (f"{first}." if separator is _CLAUSE else first), capital("".join(rest))
    return "", told


def capital(text: str) -> str:
    """Begin a sentence with a capital, unless it begins with a name.

    >>> capital("outside the cone"), capital("dp(epsilon=1) implies it"), capital("x1 <= 2 x0")
    ('Outside the cone', 'dp(epsilon=1) implies it', 'x1 <= 2 x0')
    """
    return text[0].upper() + text[1:] if _WORD.match(text) else text


def _line(line: str) -> str:
    words = line.strip()
    if line[0] != " ":
        words = words[0].upper() + words[1:] if _LABEL.match(words) else capital(words)
    indent = min(len(line) - len(line.lstrip()), _DEEPEST) / 2
    style = f"margin:.3em 0 .3em {indent:g}em" if indent else "margin:.4em 0"
    return f'<p style="{style};font-size:.93em">{escape(words)}</p>'


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: bool = False,
    names: bool = False,
    most: int = _MOST_ROWS,
) -> str:
    """Return a table of texts; of a long one the first rows.

    Args:
        heads: names of the columns; none for no such line.
        rows: the texts.
        numbers: whether all columns but the first are numbers.
        names: whether the first column holds short names.
        most: how many rows are shown.
    """
    first = f"{_CELL}{_UNBROKEN}" if names else _CELL
    others = f"{_CELL}{_RIGHT}" if numbers else _CELL
    cells = f"{others}{_UNBROKEN}" if numbers else others
    shown = [_row(row, "td", first, cells) for row in rows[:most]]
    if len(rows) > most:
        shown.append(_row([f"… and {len(rows) - most} more"], "td", _CELL, _CELL))
    head = f"<thead>{_row(heads, 'th', first, others)}</thead>" if heads else ""
    return (
        f'<div style="overflow-x:auto"><table style="{_TABLE}">{head}'
        f"<tbody>{''.join(shown)}</tbody></table></div>"
    )


def heat_map(
    caption: str, heads: Sequence[str], rows: Sequence[tuple[str, Sequence[tuple[str, float]]]]
) -> str:
    """Return a table of numbers, each cell as dark as its share of the largest, from -1 to 1.

    What is below 0 is orange.

    >>> "rgba(213,94,0,0.550)" in heat_map("Coefficients", ["x1"], [("first", [("-3", -1)])])
    True
    """
    above = f'<caption style="{_CAPTION}">{escape(caption)}</caption>'
    top = "".join(f'<th style="{_CELL};text-align:right">{escape(x)}</th>' for x in ("", *heads))
    body = "".join(
        f'<tr><th style="{_CELL}">{escape(name)}</th>'
        + "".join(
            f'<td style="{_SHADED};background:{_shade(share)}">{escape(x)}</td>'
            for x, share in cells
        )
        + "</tr>"
        for name, cells in rows[:_MOST_ROWS]
    )
    if len(rows) > _MOST_ROWS:
        body += _row([f"… and {len(rows) - _MOST_ROWS} more"], "td", _CELL, _CELL)
    return (
        f'<div style="overflow-x:auto"><table style="{_TABLE}">{above}<thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _shade(share: float) -> str:
    colour = "213,94,0" if share < 0 else "0,114,178"
    return f"rgba({colour},{0.55 * min(abs(share), 1):.3f})"


def _row(cells: Sequence[str], tag: str, first: str, others: str) -> str:
    styles = [others if i else first for i in range(len(cells))]
    written = (
        f'<{tag} style="{style}">{escape(x)}</{tag}>'
        for x, style in zip(cells, styles, strict=True)
    )
    return f"<tr>{''.join(written)}</tr>"
