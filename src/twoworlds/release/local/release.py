"""Randomizing a column of a file, and estimating from the randomized file.

The bits come from the operating system and every report has exactly its stated probability. That is
why the reports are drawn here and not by the database that reads the file: its own ``random()`` is
a pseudo-random number of few bits, whose seed can be set and whose stream can be guessed from its
values.

A certificate beside a randomized file says how it was made, and what it costs. Randomizing the same
column again gives a second, independent look at every record: the ratios multiply (epsilons add
up), and averaging many looks shows the data. So a randomized file is made once and kept, nothing is
overwritten, and the certificate says what the file has cost.

A new file and its certificate are put in place whole or not at all, and never over another file.
Both are written in a hidden folder beside their place and flushed to the disk. Then the certificate
is put in place, and then the file, each in one step that fails if something is there already: a
crash at any point leaves at most a certificate without a file, never a file without a certificate.
Their owner alone may read them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from twoworlds.answer import Answer, Said
from twoworlds.errors import InvalidInput, TwoWorldsError
from twoworlds.files import check_place, make_private, read_json
from twoworlds.numbers import INFINITY, counted, show
from twoworlds.progress import track
from twoworlds.release.local.estimates import Estimates, estimate
from twoworlds.release.local.files import Chunk, open_table
from twoworlds.release.local.randomizer import Randomizer
from twoworlds.release.noise import SystemBits
from twoworlds.show import Result

_KIND = "twoworlds randomized column"
_LARGEST = 1 << 24
_FIELDS = {"channel": str, "values": list, "outputs": list, "column": str, "records": int}


@dataclass(frozen=True)
class LocalCertificate(Result):
    """What was done to a column: its channel, how many records, and what was copied as it is.

    ``undeclared``, how many cells held none of the values, is for the owner of the data: it is said
    when the file is made, and the certificate does not hold it.
    """

    randomizer: Randomizer
    column: str
    records: int
    carried: tuple[str, ...] = ()
    shuffled: bool = False
    undeclared: int = field(default=0, compare=False, repr=False)

    def answer(self) -> Answer:
        """Say what was done, what it means and what running it again would cost."""
        ratio = self.randomizer.ratio
        order = "in random order" if self.shuffled else "in the order of the records"
        beside = (
            "No other column was copied."
            if not self.carried
            else f"Copied as they are, since they were said to be public: "
            f"{', '.join(self.carried)}."
        )
        channel = self.randomizer.answer()
        said = (
            channel.headline,
            *(sentence for block in channel.blocks if isinstance(block, Said)
              for sentence in block.sentences),
            f"Cells with none of these values are {_undeclared(self.randomizer)}.",
            *self._for_the_owner(),
            beside,
            "Randomizing this column again would be a second look at every record: both together "
            f"move odds by a factor of up to {show(ratio * ratio, side='up')}. Keep this file "
            "instead.",
        )  # fmt: skip
        charts = (block for block in channel.blocks if not isinstance(block, Said))
        reports = counted(self.records, "report")
        written = "was written" if self.records == 1 else "were written"
        headline = f"{reports} of column {self.column!r} {written}, {order}."
        return Answer(headline, blocks=(Said(said), *charts))

    def fields(self) -> dict[str, Any]:
        """Return what was done, with the channel and what a second look would cost."""
        return {
            "kind": _KIND,
            "column": self.column,
            "records": self.records,
            "carried": self.carried,
            "order": "shuffled" if self.shuffled else "kept",
            **self.randomizer.fields(),
            "cells_with_none_of_the_values": _undeclared(self.randomizer),
            "twice": {
                "ratio": self.randomizer.ratio * self.randomizer.ratio,
                "meaning": "what this and a second randomization of the column cost together",
            },
        }

    def _for_the_owner(self) -> Iterator[str]:
        if self.undeclared:
            yield (
                f"Here {self.undeclared:,} of {counted(self.records, 'cell')} held none of them: "
                "check how the values are spelled. Only you see this number: it is not in the "
                "certificate."
            )

    def text(self) -> str:
        """Return the content of the file."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"


def certificate_path(path: Path) -> Path:
    """Return where the certificate of a file lies: beside it.

    >>> certificate_path(Path("reports.csv")).name
    'reports.csv.certificate.json'
    """
    return path.with_name(f"{path.name}.certificate.json")


def read_certificate(path: Path) -> LocalCertificate | None:
    """Read the certificate of a randomized file, or return None if there is none."""
    beside = certificate_path(path)
    if not beside.is_file():
        return None
    try:
        return _certificate(read_json(beside, "certificate", largest=_LARGEST)[0])
    except (ValueError, KeyError, TypeError, AttributeError, TwoWorldsError):
        raise InvalidInput(
            f"{beside} is not a certificate of a randomized column: remove it, and name the channel"
        ) from None


def _certificate(data: Any) -> LocalCertificate:
    if data["kind"] != _KIND or any(type(data[n]) is not kind for n, kind in _FIELDS.items()):
        raise ValueError("another kind of file")
    outputs = data["outputs"] if data["outputs"] != data["values"] else None
    made = Randomizer.of(
        data["channel"], values=data["values"], outputs=outputs, missing=data["missing"]
    )
    found = LocalCertificate(
        made, data["column"], data["records"], tuple(data["carried"]), data["order"] == "shuffled"
    )
    if _written(found.to_dict()) != _written(data):  # not ==, to which 1, 1.0 and True are the same
        raise ValueError("other fields or numbers than it would have")
    return found


def _written(data: Any) -> str:
    return json.dumps(data, sort_keys=True)


def _undeclared(randomizer: Randomizer) -> str:
    if randomizer.missing is not None:
        return f"counted as {randomizer.missing!r}"
    return "first replaced by one of them, chosen evenly"


def check_free(path: Path) -> None:
    """Refuse a place where something is, before the work starts."""
    check_place(path)
    for taken in (path, certificate_path(path)):
        if os.path.lexists(taken):
            raise InvalidInput(_taken(taken))


@contextmanager
def workshop(path: Path) -> Iterator[Path]:
    """Open a hidden folder beside a place, which is gone afterwards."""
    try:
        folder = TemporaryDirectory(dir=path.parent, prefix=f".{path.name[:64]}.")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}") from error
    with folder as name:
        Path(name).chmod(0o700)  # whatever the umask
        yield Path(name)


def publish(made: Path, path: Path, certificate: str) -> None:
    """Put a finished file and its certificate in place."""
    written = made.with_name("certificate")
    beside = certificate_path(path)
    try:
        with make_private(written) as file:
            file.write(certificate.encode())
        made.chmod(0o600)  # nobody else could enter the folder so far
        _flush(written)
        _flush(made)
        _put(written, beside)
        try:
            _put(made, path)
        except BaseException:
            beside.unlink()
            raise
        _flush(path.parent)
    except FileExistsError:
        taken = path if os.path.lexists(path) else beside
        raise InvalidInput(_taken(taken)) from None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}") from error


def _put(made: Path, path: Path) -> None:
    """Give a file its name, unless the name is taken."""
    try:
        os.link(made, path)
    except FileExistsError:
        raise
    except OSError:  # no hard links here: then look first
        if os.path.lexists(path):
            raise FileExistsError from None
        made.replace(path)


def _flush(path: Path) -> None:
    """Wait until the disk has it; where folders cannot be flushed, go on without."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        if path.is_dir():
            return
        raise
    try:
        os.fsync(handle)
    except OSError:
        if not path.is_dir():
            raise
    finally:
        os.close(handle)


def _taken(path: Path) -> str:
    return (
        f"{path} is there already, and nothing is overwritten: a second randomization of a column "
        "is a second look at it, which costs as much again; keep the file, or choose another name"
    )


def randomize_file(
    source: str | Path,
    target: str | Path,
    column: str,
    randomizer: Randomizer,
    *,
    public: Sequence[str] = (),
    shuffle: bool = False,
) -> LocalCertificate:
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
    records = undeclared = 0

    def drawn() -> Iterator[Chunk]:
        nonlocal records, undeclared
        for codes, carried in track(table.chunks(randomizer.values), "randomizing"):
            records += len(codes)
            undeclared += int((codes == len(randomizer.values)).sum())
            yield randomizer.draw(codes, bits), carried

    chunks = drawn()
    try:
        with workshop(new) as folder:
            made = folder / f"made{new.suffix.lower()}"
            table.write(made, randomizer.outputs, _shuffled(chunks, bits) if shuffle else chunks)
            certificate = LocalCertificate(
                randomizer, column, records, tuple(public), shuffle, undeclared
            )
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
    for codes, _ in track(open_table(file, name).chunks(channel.outputs), "counting"):
        counts += np.bincount(codes, minlength=len(counts))
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
                f"{file} has no certificate beside it: name the column, the channel and its "
                "values, as in --column smoker --with 'randomized-response(keep=3/4)' --values "
                "'yes, no'"
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


def permutation(count: int, bits: SystemBits) -> np.ndarray[Any, np.dtype[np.intp]]:
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


def _shuffled(chunks: Iterable[Chunk], bits: SystemBits) -> Iterator[Chunk]:
    reports = [np.empty(0, dtype=np.uint8), *(codes for codes, _ in chunks)]
    joined = np.concatenate(reports)
    del reports
    joined = joined[permutation(len(joined), bits)]
    step = 1 << 20
    for start in range(0, len(joined), step):
        yield joined[start : start + step], None


def _same(one: Randomizer, other: Randomizer) -> bool:
    """Tell whether two channels are the same, however they are written."""
    if (one.values, one.outputs) != (other.values, other.outputs):
        return False
    if one.expression == other.expression:
        return True
    return one.rows == other.rows
