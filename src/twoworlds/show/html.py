"""HTML: the card of an answer in a notebook, and the parts of which pages are made.

A card has its styles inside, no script, no identifier, and nothing from elsewhere, so that any
number of them stand on one page. Every text is escaped here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from twoworlds.answer import Answer, Block, Facts, Listing, Said, Steps, Table, Verbatim
from twoworlds.charts import Chart, HeatMap
from twoworlds.show import svg

_BOX = (
    "border:1px solid rgba(128,128,128,.4);border-radius:6px;padding:.75em 1em;margin:.25em 0;"
    "max-width:46em;line-height:1.45"
)
_BADGES = {True: ("holds", "#0a6b45"), False: ("does not hold", "#b3261e")}
_BADGE = "color:#fff;border-radius:3px;padding:.05em .5em;font-size:.85em;white-space:nowrap"
_CELL = "text-align:left;padding:.1em 1em .1em 0;vertical-align:top;background:none;border:0"
_MOST_ROWS = 40
_WORD = re.compile(r"[a-z]{2,}[ ,]")  # a word, no name such as dp(epsilon=1) or x11
_TABLE = "border-collapse:collapse;margin:.4em 0;font-variant-numeric:tabular-nums"
_RIGHT, _UNBROKEN = ";text-align:right", ";white-space:nowrap"
_CAPTION = f"{_CELL};font-weight:600;font-size:.85em;caption-side:top{_UNBROKEN}"
_SHADED = "text-align:right;padding:.2em .6em;border:0"


def card(answer: Answer) -> str:
    """Return an answer as a card: subject, sentence, numbers, charts, what it rests on.

    >>> print(card(Answer("a < b", assumptions=["exact"])).partition("<b>")[2])
    a &lt; b</b></p><div style="font-size:.85em;opacity:.75;margin-top:.4em">exact</div></div>
    """
    title = ": ".join(part for part in (answer.subject, answer.claim) if part)
    parts = []
    if title:
        parts.append(f"<div><b>{escape(title)}</b>{_badge(answer)}</div>")
    headline = escape(capital(answer.headline))
    parts.append(f'<p style="margin:.4em 0">{headline if title else f"<b>{headline}</b>"}</p>')
    parts += [block(one) for one in answer.blocks]
    if answer.more:
        inside = "".join(map(block, answer.more))
        parts.append(f"<details><summary>More</summary>{inside}</details>")
    remarks = [("note", note) for note in answer.notes]
    if remarks:
        parts.append(table((), remarks, names=True))
    told = "; ".join(answer.assumptions).replace(".; ", ". ")
    if told:
        parts.append(
            f'<div style="font-size:.85em;opacity:.75;margin-top:.4em">{escape(told)}</div>'
        )
    return f'<div style="{_BOX}">{"".join(parts)}</div>'


def _badge(answer: Answer) -> str:
    if answer.holds is None:
        return ""
    word, colour = _BADGES[answer.holds]
    return f' <span style="{_BADGE};background:{colour}">{word}</span>'


def block(given: Block) -> str:
    """Return one block of an answer."""
    match given:
        case Said(sentences, quiet):
            style = "margin:.4em 0;font-size:.93em" + (";opacity:.75" if quiet else "")
            return "".join(f'<p style="{style}">{escape(capital(one))}</p>' for one in sentences)
        case Facts(rows):
            return table((), rows, names=True)
        case Table():
            above = f'<p style="margin:.4em 0">{escape(given.lead)}</p>' if given.lead else ""
            return above + table(given.heads, given.rows, numbers=given.numbers)
        case Listing(name, lines):
            return table((name,), [(line,) for line in lines])
        case Verbatim(source):
            return f"<pre>{escape(source)}</pre>"
        case Steps(items):
            return f"<ol>{''.join(_step(*item) for item in items)}</ol>"
    return chart(given)


def _step(said: str, remarks: Sequence[str]) -> str:
    under = "".join(f'<br/><span style="opacity:.75">{escape(one)}</span>' for one in remarks)
    return f"<li>{escape(said)}{under}</li>"


def chart(given: Chart, *, width: int = 420) -> str:
    """Return a chart as SVG, a heat map as a table; nothing where there is nothing to draw."""
    return _heat_map(given) if isinstance(given, HeatMap) else svg.draw(given, width)


def capital(text: str) -> str:
    """Begin a sentence with a capital, unless it begins with a name.

    >>> capital("outside the cone"), capital("dp(epsilon=1) implies it"), capital("x1 <= 2 x0")
    ('Outside the cone', 'dp(epsilon=1) implies it', 'x1 <= 2 x0')
    """
    return text[0].upper() + text[1:] if _WORD.match(text) else text


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: bool = False,
    names: bool = False,
    most: int = _MOST_ROWS,
) -> str:
    """Return a table of texts; of a long one the first rows."""
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


def _heat_map(given: HeatMap) -> str:
    above = f'<caption style="{_CAPTION}">{escape(given.title)}</caption>'
    top = "".join(
        f'<th style="{_CELL};text-align:right">{escape(x)}</th>' for x in ("", *given.heads)
    )
    body = "".join(
        f'<tr><th style="{_CELL}">{escape(name)}</th>'
        + "".join(
            f'<td style="{_SHADED};background:{_shade(share)}">{escape(x)}</td>'
            for x, share in cells
        )
        + "</tr>"
        for name, cells in given.rows[:_MOST_ROWS]
    )
    if len(given.rows) > _MOST_ROWS:
        body += _row([f"… and {len(given.rows) - _MOST_ROWS} more"], "td", _CELL, _CELL)
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
