"""Small tables that come with the package, which every attack finds by their bare names.

`figure1.csv` and `figure2.csv` are Figures 1 and 2 of Wu's lecture, row by row. `register.csv` is
made up: six people with their names, of whom an attacker knows what a list of voters would say. So
is `staff.csv`: the people of a university, one of whom is the only woman among its professors of
physics.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from twoworlds.errors import InvalidInput

__all__ = ["EXAMPLES", "example_note", "example_path"]

EXAMPLES = {
    "figure1.csv": "the 4-anonymous table of Wu's lecture, Figure 1",
    "figure2.csv": "the 6-anonymous table of Wu's lecture, Figure 2",
    "register.csv": "a made-up register of six people",
    "staff.csv": "the people of a made-up university",
}
_ELSEWHERE = {"staff.csv": "twoworlds.attacks.queries"}


def example_path(path: str | Path, *, bundled: bool = False) -> Path:
    """Return a path as it is if something is there, else the bundled example of that bare name.

    Args:
        path: A path, or the name of an example.
        bundled: Whether to take the example also if something of that name is there.

    >>> example_path("figure1.csv").read_text(encoding="utf-8").splitlines()[5]
    '130**,≥40,*,Cancer'

    Raises:
        InvalidInput: when nothing is there and no example is called so.
    """
    given = Path(path)
    if not bundled and "\0" not in str(path) and given.exists():
        return given
    if str(path) in EXAMPLES:
        package = _ELSEWHERE.get(str(path), __package__)
        return Path(str(files(package).joinpath("data", str(path))))
    raise InvalidInput(
        f"there is no file {str(path)!r}: check the path; the bundled examples are "
        f"{', '.join(EXAMPLES)}"
    )


def example_note(path: str | Path) -> str | None:
    """Say that a bundled example is used, if the path itself leads nowhere.

    >>> example_note("figure1.csv")
    "figure1.csv is bundled with twoworlds: the 4-anonymous table of Wu's lecture, Figure 1."
    """
    if str(path) not in EXAMPLES or Path(path).exists():
        return None
    return f"{path} is bundled with twoworlds: {EXAMPLES[str(path)]}."
