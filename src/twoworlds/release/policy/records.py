r"""A text file of records (.csv, .tsv), read strictly: RFC 4180, each record with its line number.

- A record ends with a line feed, or a carriage return and a line feed. Values stand between
  delimiters. One in double quotes may hold delimiters, line breaks, and a quote as two.
- Every record has as many values as the first. A record with another number, a quote that is not
  around a whole value or is not closed, a carriage return alone outside of quotes, bytes that are
  no characters, the character NUL and a record of more than 1,000,000 bytes *cannot be read*. The
  next record then begins on the next line; nothing is guessed.
- An empty line is no record.

The file is read line by line; only a record with quotes meets a regular expression.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from twoworlds.errors import InvalidInput
from twoworlds.numbers import counted

BLOCK = 1 << 22
LONGEST = 1_000_000  # bytes of a record
SHOWN = 20  # lines that are kept by number
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NO_CHARACTER = "\udcff"  # what stands for bytes that cannot be decoded: it is no UTF-8 either

codecs.register_error("twoworlds.undecodable", lambda error: (_NO_CHARACTER, error.end))  # type: ignore[attr-defined]


class Lines:
    """How many lines there are of a sort, and the numbers of the first of them."""

    def __init__(self) -> None:
        """Begin with none."""
        self.count = 0
        self.first: list[tuple[int, str]] = []

    def add(self, number: int, reason: str = "") -> None:
        """Add a line by its number."""
        self.count += 1
        if len(self.first) <= SHOWN:  # one more, which is shown if it is the last
            self.first.append((number, reason))

    def __str__(self) -> str:
        """Name the lines, with what is wrong with each."""
        first = self.first if self.count == len(self.first) else self.first[:SHOWN]
        named = [f"{n} ({reason})" if reason else str(n) for n, reason in first]
        more = self.count - len(named)
        return ", ".join([*named, *([f"and {more:,} more"] if more else [])])


class FileRecords:
    """The records of one file.

    Attributes:
        path: The file.
        delimiter: What stands between values, one character.
        encoding: What the bytes mean.
        first: The values of the first record, which may be the names of the columns.
        count: How many records have been read.
        blank: The empty lines.
        unreadable: The records that cannot be read, by their first lines.
    """

    def __init__(
        self, path: Path, *, delimiter: str | None = None, encoding: str | None = None
    ) -> None:
        """Read the first record."""
        self.path = path
        self.delimiter = _delimiter(path, delimiter)
        self.encoding = _encoding(path, encoding)
        self.count = 0
        self.blank, self.unreadable = Lines(), Lines()
        d = re.escape(self.delimiter)
        value = f'(?:"[^"]*+(?:""[^"]*+)*+"|[^"\r\n{d}]*+)'
        self._record = re.compile(f"{value}(?:{d}{value})*+\r?\n")
        self._unfinished = re.compile(f'(?:{value}{d})*+"[^"]*+(?:""[^"]*+)*+')
        self._value = re.compile(f"{value}(?:{d}|\r?\n)")
        self.first = self._first(check_delimiter=delimiter is None)

    def __iter__(self) -> Iterator[bytes]:
        """Yield UTF-8 text of many records, each on its own behind its line number."""
        width = len(self.first)
        found: list[str] = []
        size = 0
        for line, text, fault in self._read():
            if text in ("\n", "\r\n"):
                self.blank.add(line)
                continue
            values = self._width(text)
            if fault or values != width:
                wrong = f"{counted(values, 'value')} instead of {width:,}"
                self.unreadable.add(line, fault or wrong)
                continue
            self.count += 1
            size += len(text)
            body = text.removesuffix("\n").removesuffix("\r")
            found.append(f"{line}{self.delimiter}{body}\n")
            if size >= BLOCK:
                yield "".join(found).encode()
                found, size = [], 0
        yield "".join(found).encode()

    def _read(self) -> Iterator[tuple[int, str, str]]:
        """Yield each record with the number of its first line, and why it cannot be read."""
        lines, waiting, number = self._lines(), deque[str](), 1
        while text := waiting.popleft() if waiting else next(lines, ""):
            fault = ""
            if '"' not in text:
                if "\r" in text and "\r" in text.removesuffix("\r\n"):
                    fault = "a carriage return without a line feed"
            elif self._record.fullmatch(text) is None:
                parts, size, odd = [text], len(text), text.count('"') % 2
                goes_on = self._unfinished.fullmatch(text) is not None
                while goes_on and odd and size <= LONGEST:
                    more = waiting.popleft() if waiting else next(lines, "")
                    if not more:
                        break
                    parts.append(more)
                    size, odd = size + len(more), (odd + more.count('"')) % 2
                text = "".join(parts)
                if odd or self._record.fullmatch(text) is None:
                    fault = "a quote is " + ("not closed" if goes_on and odd else "out of place")
                    text = parts[0]
                    waiting.extendleft(reversed(parts[1:]))  # the next record begins there
            yield number, text, fault or _fault(text)
            number += text.count("\n")

    def _lines(self) -> Iterator[str]:
        """Yield the lines of the file, the last with a line feed as well."""
        encoding = "utf-8-sig" if self.encoding == "utf-8" else self.encoding
        longest = 8 * LONGEST
        try:
            with self.path.open(
                encoding=encoding, errors="twoworlds.undecodable", newline="\n"
            ) as file:
                number = 0
                while line := file.readline(longest):
                    number += 1
                    if len(line) == longest:
                        raise InvalidInput(
                            f"{self.path}: line {number} has more than {LONGEST:,} bytes: is this "
                            "a file of text?"
                        )
                    yield line if line.endswith("\n") else f"{line}\n"
        except OSError as error:
            raise InvalidInput(f"{self.path} cannot be read: {error.strerror}") from error

    def _width(self, text: str) -> int:
        """Return how many values a record has."""
        if '"' in text:
            return len(self._value.findall(text))
        return text.count(self.delimiter) + 1

    def _first(self, *, check_delimiter: bool) -> list[str]:
        """Return the values of the first record."""
        records = ((n, x, why) for n, x, why in self._read() if x not in ("\n", "\r\n"))
        line, text, fault = next(records, (0, "", ""))
        if not text:
            raise InvalidInput(f"{self.path} is empty: it has no record")
        if fault:
            hint = "; if it is UTF-16, say --encoding utf-16" if "\0" in text[:1000] else ""
            hint += "; say which it is, as in --encoding latin-1" if _NO_CHARACTER in text else ""
            raise InvalidInput(
                f"{self.path}: line {line}, the first, cannot be read: {fault}{hint}"
            )
        values = [_plain(value) for value in self._value.findall(text)]
        if check_delimiter and len(values) == 1:
            self._check_delimiter(text)
        return values

    def _check_delimiter(self, record: str) -> None:
        """Refuse a file that has another delimiter, by its first record."""
        counts = {d: record.count(d) for d in ";\t|,"}
        likely = max(counts, key=lambda d: counts[d])
        if counts[likely]:
            named = {"\t": "tab"}.get(likely, f"'{likely}'")
            raise InvalidInput(
                f"{self.path}: the first line has 1 value between {_shown(self.delimiter)} and "
                f"{counts[likely] + 1} between {_shown(likely)}: say --delimiter {named}, or "
                f"--delimiter '{self.delimiter}' if it is right as it is"
            )


def _encoding(path: Path, said: str | None) -> str:
    """Return the encoding that is said, or that the mark at the beginning of the file tells."""
    try:
        with path.open("rb") as file:
            beginning = file.read(4)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    marked = next((name for mark, name in _MARKS if beginning.startswith(mark)), "utf-8")
    try:
        found = codecs.lookup(said or marked)
        found.incrementaldecoder("strict").decode(b"")  # some are no encodings of text
    except (LookupError, TypeError, AttributeError, ValueError):
        raise InvalidInput(
            f"--encoding {said}: unknown; say utf-8, utf-16, latin-1, cp1252 or another one that "
            "Python knows"
        ) from None
    if not getattr(found, "_is_text_encoding", True):
        raise InvalidInput(f"--encoding {said} is not an encoding of text: say utf-8 or latin-1")
    return found.name


def _delimiter(path: Path, said: str | None) -> str:
    if said is None:
        return "\t" if path.suffix.lower() == ".tsv" else ","
    found = {"\\t": "\t", "tab": "\t"}.get(said, said)
    if len(found) != 1 or not found.isascii() or found.isalnum() or found in '"\r\n\0':
        raise InvalidInput(
            f"--delimiter {said!r} must be a single character, such as ; or | or tab, and "
            "neither a letter, "
            "a digit nor a quote"
        )
    return found


def _shown(delimiter: str) -> str:
    return {",": "commas", ";": "semicolons", "\t": "tabs"}.get(delimiter, f"{delimiter!r}")


def _plain(value: str) -> str:
    """Return a value of the first record without its delimiter and quotes."""
    text = value.removesuffix("\n").removesuffix("\r") if value.endswith("\n") else value[:-1]
    return text[1:-1].replace('""', '"') if text.startswith('"') else text


def _fault(record: str) -> str:
    """Say why a record whose quotes are right cannot be read; nothing if it can."""
    if "\0" in record:
        return "the character NUL"
    if _NO_CHARACTER in record:
        return "bytes that are no characters in this encoding"
    long = len(record) > LONGEST // 4 and len(record.encode("utf-8", "replace")) > LONGEST
    return f"more than {LONGEST:,} bytes" if long else ""
