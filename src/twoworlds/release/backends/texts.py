r"""Text files (.csv, .tsv), read by rules that look at one line at a time.

The first line has the names of the columns. After it each line is one row, whatever it holds:

- A line ends with a line feed, or a carriage return and a line feed, in quotes as elsewhere.
- Values stand between delimiters. One in double quotes may hold delimiters, and a quote as two. A
  value without quotes that is empty is missing; ``""`` is the empty text.
- A line that is not of this form (another number of values, a quote that is not closed, or text
  after it) is a row in which everything is missing. So is a line of more than 1,000,000 bytes.
- Bytes that are not UTF-8 are read as ``\xff`` and the like.

So a line that is added, removed or changed adds, removes or changes one row: nobody's text hides or
makes up rows of other people, or decides whether there is an answer. A reader that lets texts in
quotes run over several lines cannot have this, for a quote that somebody left open would swallow
what comes after it. The other side of the coin: a text with a line break in it is not one row but
several. Where there are such texts, convert the file to Parquet.

DuckDB reads a file itself where all lines are *plain*, which is found out by a quick look at all of
them. It is given a copy otherwise, in which all other lines are rewritten to be so.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    _Array = np.ndarray[Any, Any]

__all__ = ["TextFile"]

BLOCK = 1 << 22
LONGEST = 1_000_000  # bytes of a line
NEVER_CLOSED = b'"'  # stands for a line that is too long
_FEED, _RETURN, _QUOTE = b'\n\r"'


@dataclass(frozen=True)
class TextFile:
    """A text file with a first line of names.

    Attributes:
        path: Where it is.
        delimiter: What separates values, one character.
    """

    path: Path
    delimiter: str

    def names(self) -> list[str]:
        """Return the names in the first line; no other line is looked at.

        Raises:
            OSError, UnicodeDecodeError, csv.Error: when it cannot be read.
        """
        with self.path.open("rb") as file:
            first = file.readline().decode("utf-8-sig")
        return next(csv.reader([first], delimiter=self.delimiter, strict=True), [])

    def ending(self, width: int) -> str | None:
        r"""Return how each line ends, ``\n`` or ``\r\n``; None unless all are plain and alike."""
        found = None
        with self.path.open("rb") as file:
            first = file.readline()
            for block in _blocks(file):
                ending = b"\r\n" if block.endswith(b"\r\n") else b"\n"
                if found not in (None, ending) or not self._is_plain(block, width, ending):
                    return None
                found = ending
        if found is None or first.endswith(b"\r\n") != (found == b"\r\n"):
            return None
        return found.decode()

    def copy(self, target: IO[bytes], width: int) -> None:
        """Write the rows in plain lines, below a first one, and with one more column.

        With this column, which has no values, no line is empty, which a reader might skip; below
        another line no row begins with what a reader takes for a mark of the file's encoding.
        """
        target.write(self.delimiter.encode() * width + b"\n")
        with self.path.open("rb") as file:
            file.readline()
            for block in _blocks(file):
                alike = block.replace(b"\r\n", b"\n")
                if self._is_plain(alike, width, b"\n"):
                    target.write(alike.replace(b"\n", self.delimiter.encode() + b"\n"))
                else:
                    lines = alike.split(b"\n")[:-1]
                    target.write(b"".join(self._rewritten(line, width) for line in lines))

    def _rewritten(self, line: bytes, width: int) -> bytes:
        if len(line) <= LONGEST and _usual(self.delimiter, width)(line) and _is_utf8(line):
            return line + self.delimiter.encode() + b"\n"
        values = None if len(line) > LONGEST else self._values(line)
        if values is None or len(values) != width:
            values = [None] * width
        quoted = ["" if v is None else '"' + v.replace('"', '""') + '"' for v in values]
        return (self.delimiter.join([*quoted, ""]) + "\n").encode()

    def _values(self, line: bytes) -> list[str | None] | None:
        """Return the values of a line; None when it is not of the form that a line has."""
        text = line.decode("utf-8", "backslashreplace")
        values, place = [], 0
        value = _value(self.delimiter)
        while match := value.match(text, place):
            quoted, plain, end = match.groups()
            values.append(plain if quoted is None else quoted.replace('""', '"'))
            if not end:
                return values
            place = match.end()
        return None

    def _is_plain(self, block: bytes, width: int, ending: bytes) -> bool:
        """Whether all lines have this ending and as many values, and quotes are where they belong.

        A plain line holds no NUL, no other carriage return, and no quote within a value.
        """
        import numpy as np

        if b"\0" in block or not _is_utf8(block):
            return False
        content = np.frombuffer(block, np.uint8)
        ends = np.flatnonzero(content == _FEED)
        returns = len(ends) if ending == b"\r\n" else 0
        if block.count(b"\r") != returns or block.count(b"\r\n") != returns:
            return False
        starts = np.concatenate([[0], ends[:-1] + 1])
        if np.max(ends - starts) > LONGEST:
            return False
        delimiters = np.flatnonzero(content == ord(self.delimiter))
        if b'"' in block:
            quotes = np.flatnonzero(content == _QUOTE)
            if not _are_pairs(content, quotes, ends, ord(self.delimiter)):
                return False
            delimiters = delimiters[np.searchsorted(quotes, delimiters) % 2 == 0]
        if width == 1:
            return not len(delimiters) and bool(np.all(ends - starts >= len(ending)))
        if len(delimiters) != (width - 1) * len(ends):
            return False
        by_line = delimiters.reshape(len(ends), width - 1)
        return bool(np.all(by_line[:, 0] >= starts) and np.all(by_line[:, -1] < ends))


@cache
def _value(delimiter: str) -> re.Pattern[str]:
    """Return the form of a value, in quotes or not or missing, and of the delimiter after it."""
    d = re.escape(delimiter)
    return re.compile(rf'(?:"([^"]*+(?:""[^"]*+)*+)"|([^"{d}][^{d}]*+))?+({d}|\Z)')


@cache
def _usual(delimiter: str, width: int) -> Callable[[bytes], object]:
    """Return a test for lines that any reader understands: quotes only around values, or twice."""
    d = re.escape(delimiter)
    value = rf'(?:"[^"\r\0]*+(?:""[^"\r\0]*+)*+"|[^"\r\0{d}]*+)'
    return re.compile(rf"(?:{value}{d}){{{width - 1}}}{value}".encode()).fullmatch


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    """Yield whole lines, many at a time; the last one gets an end if it has none."""
    rest, skipping, ending = b"", False, b"\n"
    while chunk := file.read(BLOCK):
        if skipping:
            place = chunk.find(b"\n")
            if place < 0:
                continue
            chunk = chunk[place:]
            skipping = False
        lines, feed, rest = (rest + chunk).rpartition(b"\n")
        if feed:
            ending = b"\r\n" if lines.endswith(b"\r") else b"\n"
            yield lines + feed
        if len(rest) > LONGEST + 1:  # a carriage return is not counted
            rest, skipping = NEVER_CLOSED, True
    if rest:
        yield rest + ending


def _is_utf8(block: bytes) -> bool:
    if block.isascii():
        return True
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True


def _are_pairs(content: _Array, quotes: _Array, ends: _Array, delimiter: int) -> bool:
    """Whether quotes come in pairs, each around one whole value of a line."""
    import numpy as np

    if len(quotes) % 2:
        return False
    opening, closing = quotes[::2], quotes[1::2]
    before = content[opening - 1]  # of the first byte: the last, which is a line feed
    after = content[closing + 1]
    return bool(
        np.all((before == delimiter) | (before == _FEED))
        and np.all((after == delimiter) | (after == _FEED) | (after == _RETURN))
        and np.all(np.searchsorted(ends, opening) == np.searchsorted(ends, closing))
    )
