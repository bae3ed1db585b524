"""CSV and TSV files, read and written line by line.

A file is UTF-8 text with a header, commas between cells (or ; or tabs or |, if the header then
holds the column) and double quotes around cells that need them. Nothing about it is guessed: cells
are compared with the declared values as they are spelled. An empty line is an empty cell if there
is one column, and no record otherwise. A line with more or fewer cells than the header is a record
without a declared value, and of the public columns it has empty cells; bytes that are not UTF-8
make a cell that is none of the values. Only a file that is no CSV at all, because a quote is not
closed, say, is refused.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TextIO

import numpy as np

from twoworlds.errors import InvalidInput
from twoworlds.release.local.tables import Chunk, TableFile, kept_columns

__all__ = ["CsvFile"]

_SEPARATORS = {".csv": ",;\t|", ".tsv": "\t"}
_CHUNK = 1 << 12  # records; more of them would only keep the garbage collector busy


@dataclass(frozen=True)
class CsvFile(TableFile):
    """A file of text.

    Attributes:
        path: the file.
        mark: what stands between cells.
        header: the names of all columns.
        place: which of them is randomized.
        kept: the places of the columns that are written.
    """

    path: Path
    mark: str
    header: tuple[str, ...]
    place: int
    kept: tuple[int, ...]

    @staticmethod
    def opened(path: Path, column: str, carry: Sequence[str]) -> CsvFile:
        """Read the header; the first separator is used with which it holds the column."""
        marks = _SEPARATORS[path.suffix.lower()]
        try:
            with _text(path) as file:
                headers = {mark: _header(file, mark) for mark in marks}
        except OSError as error:
            raise InvalidInput(f"{path} cannot be read: {error.strerror}") from None
        mark = next((m for m in marks if column in headers[m]), marks[0])
        kept = kept_columns(path, headers[mark], column, carry)
        return CsvFile(path, mark, tuple(headers[mark]), headers[mark].index(column), kept)

    def chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield the records; if other columns are copied, their whole lines go with them."""
        code = {name: i for i, name in enumerate(names)}
        try:
            with _text(self.path) as file:
                rows = csv.reader(file, delimiter=self.mark, strict=True)
                next(rows, None)
                while (chunk := self._chunk(islice(rows, _CHUNK), code)) is not None:
                    yield chunk
        except csv.Error:  # its text may quote the data
            raise InvalidInput(
                f"{self.path} cannot be read as CSV: a quote is not closed, or text follows one, "
                "or a cell is longer than 131,072"
            ) from None

    def _chunk(self, rows: Iterable[list[str]], code: dict[str, int]) -> Chunk | None:
        place, width, other = self.place, len(self.header), len(code)
        codes, lines, seen = bytearray(), [], False
        copied = len(self.kept) > 1
        for row in rows:
            seen = True
            if len(row) == width:
                codes.append(code.get(row[place], other))
            elif not row:
                if width > 1:
                    continue
                codes.append(code.get("", other))
            else:
                codes.append(other)
                row = [""] * width
            if copied:
                lines.append(row)
        return Chunk(np.frombuffer(codes, dtype=np.uint8), lines) if seen else None

    def write(self, path: Path, names: Sequence[str], chunks: Iterable[Chunk]) -> None:
        """Write the header and the records, with the separator of this file."""
        with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(self._line([self.header[i] for i in self.kept]))
            if len(self.kept) == 1:
                labels = [self._line([name]) for name in names]
                for chunk in chunks:
                    file.write("".join([labels[code] for code in chunk.codes.tolist()]))
                return
            writer = csv.writer(file, delimiter=self.mark, lineterminator="\n")
            cells = itemgetter(*self.kept)
            for chunk in chunks:
                for row, code in zip(chunk.carried, chunk.codes.tolist(), strict=True):
                    row[self.place] = names[code]
                writer.writerows(map(cells, chunk.carried))

    def _line(self, cells: Sequence[str]) -> str:
        text = io.StringIO()
        csv.writer(text, delimiter=self.mark, lineterminator="\n").writerow(cells)
        return text.getvalue()


def _text(path: Path) -> TextIO:
    return path.open(encoding="utf-8-sig", errors="surrogateescape", newline="")


def _header(file: TextIO, mark: str) -> list[str]:
    """Return the names of the columns with this separator; none if it does not fit the quotes."""
    file.seek(0)
    try:
        return next(csv.reader(file, delimiter=mark, strict=True), [])
    except csv.Error:
        return []
