r"""A text file of records (.csv, .tsv), read strictly: RFC 4180, each record with its line number.

- A record ends with a line feed, or a carriage return and a line feed. Values stand between
  delimiters. One in double quotes may hold delimiters, line breaks, and a quote as two.
- Every record has as many values as the first. A record with another number, a quote that is not
  around a whole value or is not closed, a carriage return alone outside of quotes, bytes that are
  no characters, the character NUL and a record of more than 1,000,000 bytes *cannot be read*. The
  next record then begins on the next line; nothing is guessed.
- An empty line is no record.

The file is read in blocks of some megabytes, and record by record by one regular expression.
"""

from __future__ import annotations

import codecs
import re
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
        self._line = 1
        d = re.escape(self.delimiter).encode()
        value = b'(?:"[^"]*+(?:""[^"]*+)*+"|[^"\r\n%b]*+)' % d
        self._record = re.compile(b"%b(?:%b%b)*+\r?\n" % (value, d, value))
        self._unfinished = re.compile(
            b'(?:%b%b)*+(?:"[^"]*+(?:""[^"]*+)*+"?|[^"\r\n%b]*+)\r?\\Z' % (value, d, d)
        )
        self._value = re.compile(value + b"(?:%b|\r?\n)" % d)
        self.first = self._first(check_delimiter=delimiter is None)

    def __iter__(self) -> Iterator[bytes]:
        """Yield UTF-8 text of many records, each on its own behind its line number."""
        rest = b""
        for chunk, final in _with_last(self._chunks()):
            rest += chunk
            if final and rest and not rest.endswith(b"\n"):
                rest += b"\n"
            records, done = self._records(rest, final=final)
            self.count += len(records)
            yield b"".join(records)
            rest = rest[done:]
            if len(rest) > LONGEST and b"\n" not in rest:
                raise InvalidInput(
                    f"{self.path}: line {self._line} has more than {LONGEST:,} bytes: is this a "
                    "file of text?"
                )

    def _records(self, block: bytes, *, final: bool) -> tuple[list[bytes], int]:
        """Return the records of a block behind their lines, and where the last of them ends."""
        delimiter, match, width = self.delimiter.encode(), self._record.match, len(self.first)
        plain = b"\0" not in block and _is_utf8(block)
        found: list[bytes] = []
        place, line, size = 0, self._line, len(block)
        while place < size:
            record = match(block, place)
            if record is not None:
                text, end = record.group(), record.end()
                quoted = b'"' in text
                values = len(self._value.findall(text)) if quoted else text.count(delimiter) + 1
                fault = "" if plain and len(text) <= LONGEST else _fault(text)
                if text in (b"\n", b"\r\n"):
                    self.blank.add(line)
                elif fault or values != width:
                    self.unreadable.add(line, fault or self._of_width(values))
                else:
                    body = text[: -1 - text.endswith(b"\r\n")]
                    found.append(b"%d%b%b\n" % (line, delimiter, body))
                line += text.count(b"\n") if quoted else 1
            elif self._may_go_on(block, place) and not final:
                break
            else:
                end = block.find(b"\n", place) + 1
                if not end:
                    break
                self.unreadable.add(line, self._odd(block, place, end))
                line += 1
            place = end
        self._line = line
        return found, place

    def _first(self, *, check_delimiter: bool) -> list[str]:
        """Return the values of the first record."""
        block, begin, found = b"", 0, None
        for chunk, final in _with_last(self._chunks()):
            block += chunk + (b"\n" if final else b"")
            begin = len(block) - len(block.lstrip(b"\r\n"))
            found = self._record.match(block, begin) if begin < len(block) else None
            if found is not None or len(block) > LONGEST:
                break
        if begin == len(block):
            raise InvalidInput(f"{self.path} is empty: it has no record")
        fault = "" if found is None else _fault(found.group())
        if found is None or fault:
            hint = "; if it is UTF-16, say --encoding utf-16" if b"\0" in block[:1000] else ""
            line, quotes = 1 + block.count(b"\n", 0, begin), "its quotes are not those of RFC 4180"
            raise InvalidInput(
                f"{self.path}: line {line}, the first, cannot be read: {fault or quotes}{hint}"
            )
        values = [_plain(value) for value in self._value.findall(found.group())]
        if check_delimiter and len(values) == 1:
            self._check_delimiter(found.group())
        return values

    def _check_delimiter(self, record: bytes) -> None:
        """Refuse a file that has another delimiter, by its first record."""
        counts = {d: record.count(d.encode()) for d in ";\t|,"}
        likely = max(counts, key=lambda d: counts[d])
        if counts[likely]:
            named = {"\t": "tab"}.get(likely, f"'{likely}'")
            raise InvalidInput(
                f"{self.path}: the first line has 1 value between {_shown(self.delimiter)} and "
                f"{counts[likely] + 1} between {_shown(likely)}: say --delimiter {named}, or "
                f"--delimiter '{self.delimiter}' if it is right as it is"
            )

    def _may_go_on(self, block: bytes, place: int) -> bool:
        """Whether what comes after the block may belong to the record that begins here."""
        within = len(block) - place <= LONGEST
        return within and self._unfinished.match(block, place) is not None

    def _odd(self, block: bytes, place: int, end: int) -> str:
        if self._unfinished.match(block, place) is not None:
            return "a quote is not closed"
        if b"\r" in block[place : end - 2] and b'"' not in block[place:end]:
            return "a carriage return without a line feed"
        return "a quote is out of place"

    def _of_width(self, width: int) -> str:
        return f"{counted(width, 'value')} instead of {len(self.first):,}"

    def _chunks(self) -> Iterator[bytes]:
        """Yield the file as UTF-8; what is no character stays no UTF-8."""
        try:
            with self.path.open("rb") as file:
                if self.encoding == "utf-8":
                    if file.read(3) != codecs.BOM_UTF8:
                        file.seek(0)
                    while chunk := file.read(BLOCK):
                        yield chunk
                    return
                decoder = codecs.getincrementaldecoder(self.encoding)("twoworlds.undecodable")
                begun = False
                while chunk := file.read(BLOCK):
                    text = decoder.decode(chunk)
                    if text:
                        yield _encoded(text if begun else text.removeprefix("\ufeff"))
                        begun = True
                yield _encoded(decoder.decode(b"", final=True))
        except OSError as error:
            raise InvalidInput(f"{self.path} cannot be read: {error.strerror}") from error


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
        raise InvalidInput(f"--encoding {said} is no encoding of text: say utf-8 or latin-1")
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


def _with_last(chunks: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield each chunk with whether it is the last; one at least."""
    before = next(chunks, b"")
    for chunk in chunks:
        yield before, False
        before = chunk
    yield before, True


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _plain(value: bytes) -> str:
    """Return a value of the first record as text, without its delimiter and quotes."""
    text = value.decode()
    text = text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text[:-1]
    return text[1:-1].replace('""', '"') if text.startswith('"') else text


def _fault(record: bytes) -> str:
    """Say why a record whose quotes are right cannot be read; nothing if it can."""
    if len(record) > LONGEST:
        return f"more than {LONGEST:,} bytes"
    if b"\0" in record:
        return "the character NUL"
    return "" if _is_utf8(record) else "bytes that are no characters in this encoding"


def _is_utf8(block: bytes) -> bool:
    if block.isascii():
        return True
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True
