"""Randomizing a column of a file, and estimating from the randomized file.

The bits come from the operating system and every report has exactly its stated probability. That is
why the reports are drawn here and not by the database that reads the file: its own ``random()`` is
a pseudo-random number of few bits, whose seed can be set and whose stream can be guessed from its
values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from twoworlds.errors import InvalidInput
from twoworlds.numbers import INFINITY
from twoworlds.progress import track
from twoworlds.release.local.certificate import Certificate, read_certificate
from twoworlds.release.local.columns import Codes
from twoworlds.release.local.estimates import Estimates, estimate
from twoworlds.release.local.place import check_free, publish, workshop
from twoworlds.release.local.randomizer import Randomizer
from twoworlds.release.local.tables import Chunk, open_table
from twoworlds.release.noise import Bits, SystemBits

__all__ = ["estimate_file", "permutation", "randomize_file"]


def randomize_file(
    source: str | Path,
    target: str | Path,
    column: str,
    randomizer: Randomizer,
    *,
    public: Sequence[str] = (),
    shuffle: bool = False,
) -> Certificate:
    """Write a new file with a randomized column, and a certificate beside it.

    Args:
        source: a CSV, TSV or Parquet file with one record per row.
        target: the new file, of the same kind; nothing is overwritten.
        column: the column to be randomized, spelled as in the header.
        randomizer: what happens to every record.
        public: columns to be copied as they are; all others are left out.
        shuffle: put the reports in random order. Otherwise they keep the order of the records, so
            that whoever knows the place of a person in the file knows which report is theirs. The
            ratio holds either way. Shuffling keeps all reports in memory, 18 bytes for each.

    Raises:
        InvalidInput: for a file, column or channel that does not fit; never because of a cell.
    """
    old, new = Path(source), Path(target)
    if randomizer.ratio == INFINITY:
        raise InvalidInput(
            f"{randomizer.expression} has no finite ratio, as some report rules a value out: give "
            "a channel whose rows are 0 throughout or nowhere"
        )
    if shuffle and public:
        raise InvalidInput(
            "records are shuffled only when no other column is copied: public columns would tell "
            "which is which; leave out shuffle, or public"
        )
    if new.suffix.lower() != old.suffix.lower():
        raise InvalidInput(f"{new} must have the ending of {old.name}: files keep their format")
    check_free(new)
    table = open_table(old, column, tuple(public))
    bits = SystemBits()
    drawn = _Counted(lambda codes: randomizer.draw(codes, bits))
    chunks = drawn.of(track(table.chunks(randomizer.values), "randomizing"))
    try:
        with workshop(new) as folder:
            made = folder / f"made{new.suffix.lower()}"
            table.write(made, randomizer.outputs, _shuffled(chunks, bits) if shuffle else chunks)
            certificate = Certificate(randomizer, column, drawn.records, tuple(public), shuffle)
            publish(made, new, certificate.text())
    except OSError as error:
        raise InvalidInput(f"{new} cannot be written: {error.strerror}") from error
    return certificate


def estimate_file(
    path: str | Path,
    column: str | None = None,
    randomizer: Randomizer | None = None,
    **asked: Any,
) -> Estimates:
    """Estimate the true counts from a randomized file.

    Args:
        path: a CSV, TSV or Parquet file of reports.
        column: the randomized column; the certificate beside the file may say it.
        randomizer: the channel; likewise.
        asked: confidence and simultaneous, as in `estimate`.

    Raises:
        InvalidInput: when the certificate says otherwise, or some cells are no reports.
    """
    file = Path(path)
    name, channel = _named(file, column, randomizer)
    counts = np.zeros(len(channel.outputs) + 1, dtype=np.int64)
    for chunk in track(open_table(file, name).chunks(channel.outputs), "counting"):
        counts += np.bincount(chunk.codes, minlength=len(counts))
    if counts[-1]:
        raise InvalidInput(
            f"column {name!r} of {file} has {counts[-1]} cells that are no reports of "
            f"{channel.expression}: it did not go through this channel with these values"
        )
    return estimate(counts[:-1].tolist(), channel, **asked)


def _named(file: Path, column: str | None, randomizer: Randomizer | None) -> tuple[str, Randomizer]:
    """Return the column and its channel, as given or as the certificate says; both must agree."""
    found = read_certificate(file)
    if found is None:
        if column is None or randomizer is None:
            raise InvalidInput(
                f"{file} has no certificate beside it: name the column, the channel and its values"
            )
        return column, randomizer
    if column not in (None, found.column):
        raise InvalidInput(
            f"the certificate of {file} says that column {found.column!r} was randomized, and no "
            "other: estimate that one"
        )
    if randomizer is not None and not _same(found.randomizer, randomizer):
        raise InvalidInput(
            f"the certificate of {file} says that column {found.column!r} went through "
            f"{found.randomizer.expression} over {', '.join(found.randomizer.values)}: leave the "
            "channel out, or name that one"
        )
    return found.column, found.randomizer


def permutation(count: int, bits: Bits) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Return a permutation of 0, ..., count - 1, each as likely as any other.

    The order of independent uniform words is uniform if they are distinct, so words with a tie are
    thrown away.

    >>> sorted(permutation(4, SystemBits()).tolist())
    [0, 1, 2, 3]
    """
    while True:
        words = bits.words(count)
        order = np.argsort(words)
        sorted_words = words[order]
        if not (sorted_words[1:] == sorted_words[:-1]).any():
            return order


class _Counted:
    """Draws the reports of chunk after chunk, and counts them."""

    def __init__(self, draw: Callable[[Codes], Codes]) -> None:
        self.draw, self.records = draw, 0

    def of(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        for chunk in chunks:
            self.records += len(chunk.codes)
            yield Chunk(self.draw(chunk.codes), chunk.carried)


def _shuffled(chunks: Iterable[Chunk], bits: Bits) -> Iterator[Chunk]:
    reports = [np.empty(0, dtype=np.uint8), *(chunk.codes for chunk in chunks)]
    joined = np.concatenate(reports)
    del reports
    joined = joined[permutation(len(joined), bits)]
    step = 1 << 20
    for start in range(0, len(joined), step):
        yield Chunk(joined[start : start + step])


def _same(one: Randomizer, other: Randomizer) -> bool:
    """Tell whether two channels are the same, however they are written."""
    if (one.values, one.outputs) != (other.values, other.outputs):
        return False
    if one.expression == other.expression:
        return True
    return one.matrix.rows == other.matrix.rows
