"""A new file and its certificate, put in place whole or not at all, and never over another file.

Both are written in a hidden folder beside their place and flushed to the disk. Then the certificate
is put in place, and then the file, each in one step that fails if something is there already: a
crash at any point leaves at most a certificate without a file, never a file without a certificate.
Their owner alone may read them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from twoworlds.errors import InvalidInput
from twoworlds.files import check_place, make_private
from twoworlds.release.local.certificate import certificate_path

__all__ = ["check_free", "publish", "workshop"]


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
    """Put a finished file and its certificate in place.

    Raises:
        InvalidInput: when something is there, or the disk refuses.
    """
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
