r"""Small pictures for the foot of a card, each made by one call from the numbers of an answer.

    bars        numbers as horizontal bars; shares of 1 unless said otherwise
    dots        the same number in two worlds, joined by a line
    interval    where a number lies, beside what was claimed of it

A caption stands above, every number beside its drawing, and the same is said in words for those
who do not see it. Numbers are rounded to three digits, a bound to its own side; the words of the
card have the exact ones.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context
from math import inf, isinf
from typing import Literal, SupportsFloat

from twoworlds.cards.lines import BLUE, GREY, ORANGE, frame, rule, text

__all__ = ["bars", "dots", "interval", "share_text"]

_WIDTH, _ROW, _TOP, _LETTER = 420, 22, 32, 7.2
_RIGHT = 84  # the room of a number
_MOST = 12
_LONGEST = 32
_TINY = 1e-12
_SMALLEST, _LARGEST = 1e-5, 1e12  # what is beyond is written with a power of ten
_FLOATS = Context(prec=12)  # the digits in which floats are what they stand for

Side = Literal["near", "up", "down"]
_ROUNDED: dict[Side, Context] = {
    "near": Context(prec=3, rounding=ROUND_HALF_UP),
    "up": Context(prec=3, rounding=ROUND_CEILING),
    "down": Context(prec=3, rounding=ROUND_FLOOR),
}


def bars(
    title: str,
    values: Mapping[str, SupportsFloat],
    *,
    share: bool = True,
    side: Side = "near",
    top: float = 1.0,
    orange: Collection[str] = (),
    grey: Collection[str] = (),
    mark: tuple[str, SupportsFloat] | None = None,
) -> str:
    """Draw numbers as bars; those below 0 go to the left, in orange.

    Args:
        title: what they are.
        values: the numbers by name; of many the first are drawn.
        share: whether they are shares of 1, written as percentages.
        side: how they are rounded: up where they say "at most", down where "at least".
        top: the share that fills the width.
        orange: the names of the other world.
        grey: the names of what is there for comparison.
        mark: a limit with its name, drawn as a line across all bars and rounded up.

    >>> "62.5%" in bars("Right", {"the attack": 0.625}, mark=("a coin", 0.5))
    True
    >>> bars("Nothing", {})
    ''
    """
    found = {name: _float(value) for name, value in values.items()}
    shown = dict(list(found.items())[:_MOST])
    if not shown:
        return ""
    line = None if mark is None else (mark[0], _float(mark[1]))
    scale = _Scale.of(
        [*shown.values(), *([] if line is None else [line[1]])], shown, top=top if share else 0.0
    )
    parts, y = [_caption(title)], float(_TOP)
    for name, value in shown.items():
        colour = ORANGE if value < 0 or name in orange else GREY if name in grey else BLUE
        parts.append(text(scale.left - 8, y + 14, _short(name), anchor="end"))
        start, end = sorted((scale.place(0), scale.place(value)))
        parts.append(
            f'<rect x="{start:.1f}" y="{y + 3:.1f}" width="{max(end - start, 0.5):.1f}" '
            f'height="15" fill="{colour}" fill-opacity="0.85"/>'
        )
        beside = end if line is None else scale.right
        parts.append(text(beside + 6, y + 15, _written(value, side, share=share)))
        y += _ROW
    if line is not None:
        parts += _mark(line, scale, y, share=share)
        y += 20
    if len(found) > len(shown):
        parts.append(text(scale.left, y + 14, f"and {len(found) - len(shown)} more"))
        y += _ROW
    said = [f"{name}: {_written(value, side, share=share)}" for name, value in shown.items()]
    if line is not None:
        said.append(f"{line[0]}: {_written(line[1], 'up', share=share)}")
    words = "; ".join(said)
    return frame(title, words, _WIDTH, int(y) + 4, parts)


def dots(
    title: str,
    worlds: tuple[str, str],
    rows: Mapping[str, tuple[SupportsFloat, SupportsFloat]],
    *,
    share: bool = True,
) -> str:
    """Draw the same numbers in two worlds: a dot for each, and a line between them.

    >>> drawn = dots("Chance", ("with you", "without you"), {"a match": (0.75, 0.25)})
    >>> drawn.count("<circle"), "75% | 25%" in drawn
    (4, True)
    """
    pairs = {name: (_float(a), _float(b)) for name, (a, b) in list(rows.items())[:_MOST]}
    if not pairs:
        return ""
    scale = _Scale.of(
        [v for pair in pairs.values() for v in pair], pairs, top=float(share), wide=1.7
    )
    parts, x = [_caption(title)], 8.0
    for name, colour in zip(worlds, (BLUE, ORANGE), strict=True):
        parts += [_dot(x, _TOP + 10, colour), text(x + 9, _TOP + 14, _short(name))]
        x += 9 + _LETTER * len(_short(name)) + 22
    y, words = _TOP + _ROW + 4.0, []
    for name, (first, second) in pairs.items():
        a, b, middle = scale.place(first), scale.place(second), y + 11
        parts.append(text(scale.left - 12, y + 15, _short(name), anchor="end"))
        parts.append(rule(scale.left, middle, scale.right, middle, 0.18))
        parts.append(
            f'<line x1="{a:.1f}" y1="{middle:.1f}" x2="{b:.1f}" y2="{middle:.1f}" '
            'stroke="currentColor" stroke-width="2" stroke-opacity="0.6"/>'
        )
        parts += [_dot(b, middle, ORANGE), _dot(a, middle, BLUE)]
        written = [_written(value, share=share) for value in (first, second)]
        parts.append(text(scale.right + 12, y + 15, " | ".join(written)))
        words.append(f"{name}: {worlds[0]} {written[0]}, {worlds[1]} {written[1]}")
        y += _ROW
    if len(rows) > len(pairs):
        parts.append(text(scale.left, y + 14, f"and {len(rows) - len(pairs)} more"))
        y += _ROW
    return frame(title, "; ".join(words), _WIDTH, int(y) + 4, parts)


def interval(
    title: str,
    low: SupportsFloat,
    high: SupportsFloat | None = None,
    *,
    mark: tuple[str, SupportsFloat] | None = None,
) -> str:
    """Draw where a number lies: between two ends, or from one on; and what was claimed of it.

    >>> "at least 1.02" in interval("epsilon", 1.0275, mark=("claimed", 1))
    True
    """
    start = _float(low)
    end = inf if high is None else _float(high)
    line = None if mark is None else (mark[0], _float(mark[1]))
    ends = [start, *([] if isinf(end) else [end]), *([] if line is None else [line[1]])]
    scale = _Scale.of([*(1.25 * e for e in ends)], ("",))
    first, last = _written(start, "down", share=False), _written(end, "up", share=False)
    said = f"at least {first}" if isinf(end) else f"from {first} to {last}"
    if start == end:
        said = _written(start, share=False)
    y = _TOP + 11.0
    parts = [_caption(title), rule(scale.left, y, scale.right, y, 0.4)]
    parts.append(
        f'<line x1="{scale.place(start):.1f}" y1="{y:.1f}" x2="{scale.place(end):.1f}" '
        f'y2="{y:.1f}" stroke="{BLUE}" stroke-width="5" stroke-opacity="0.6"/>'
    )
    parts.append(_dot(scale.place(start), y, BLUE))
    if not isinf(end):
        parts.append(_dot(scale.place(end), y, BLUE))
    parts.append(text(scale.right + 8, y + 4, said))
    parts.append(text(scale.left, y + 26, "0"))
    bottom = y + 14
    if line is not None:
        parts += _mark(line, scale, bottom, share=False)
        said += f"; {line[0]} {_written(line[1], 'up', share=False)}"
    return frame(title, said, _WIDTH, int(bottom) + 22, parts)


def share_text(share: SupportsFloat) -> str:
    """Write a share of 1 as the pictures do, to the nearest of three digits, and say if it is.

    >>> share_text(89 / 96), share_text(1)
    ('about 92.7%', '100%')
    """
    value = _float(share)
    said = _written(value, share=True)
    whole = _FLOATS.create_decimal(100 * value)
    return said if said[0] == "a" or whole == _ROUNDED["near"].plus(whole) else f"about {said}"


class _Scale:
    """Where numbers lie between the names on the left and the room for numbers on the right."""

    def __init__(self, left: float, right: float, low: float, high: float) -> None:
        self.left, self.right, self.low, self.high = left, right, low, high

    @staticmethod
    def of(
        values: Sequence[float], names: Collection[str], *, top: float = 0.0, wide: float = 1.0
    ) -> _Scale:
        finite = [value for value in values if not isinf(value)]
        low = min([0.0, *finite])
        high = max([0.0, *finite]) if low < 0 else max([top, *finite])
        left = 14 + _LETTER * max(len(_short(name)) for name in names)
        right = _WIDTH - wide * _RIGHT
        return _Scale(left, right, low, high if high - low > _TINY else low + 1)

    def place(self, value: float) -> float:
        inside = min(max(value, self.low), self.high)
        return self.left + (self.right - self.left) * (inside - self.low) / (self.high - self.low)


def _mark(line: tuple[str, float], scale: _Scale, bottom: float, *, share: bool) -> list[str]:
    name, value = line
    at = scale.place(value)
    said = f"{name} {_written(value, 'up', share=share)}"
    return [
        f'<line x1="{at:.1f}" y1="{_TOP}" x2="{at:.1f}" y2="{bottom:.1f}" stroke="{ORANGE}" '
        'stroke-width="2" stroke-dasharray="4 3"/>',
        text(min(at, _WIDTH - _LETTER * len(said) / 2), bottom + 14, said, anchor="middle"),
    ]


def _caption(title: str) -> str:
    return text(0, 20, title, bold=True)


def _dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _float(value: SupportsFloat) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf


def _written(value: float, side: Side = "near", *, share: bool) -> str:
    """Write a whole number, or one in three digits; only all is written as 100%."""
    if isinf(value):
        return "no bound"
    if not share and value.is_integer() and abs(value) < _LARGEST:
        return f"{value:,.0f}"
    whole = _FLOATS.create_decimal(100 * value if share else value)
    digits = _ROUNDED[side].plus(whole).normalize()
    said = f"{digits:,f}" if not digits or _SMALLEST <= abs(digits) < _LARGEST else f"{digits:e}"
    if not share:
        return said
    return "almost 100%" if said == "100" and value < 1 and side == "near" else f"{said}%"
