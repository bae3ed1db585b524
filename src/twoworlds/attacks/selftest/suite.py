"""The 18 failures, in order, and their outcomes on the engine that is installed here."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from twoworlds.attacks.selftest.bench import Bench, Check, Failed
from twoworlds.errors import InvalidInput
from twoworlds.numbers import whole
from twoworlds.progress import track

__all__ = ["FAILURES", "Failure", "Outcome", "SelfTest", "outcomes", "selftest"]


@dataclass(frozen=True)
class Failure:
    """A way in which private releases have failed.

    Attributes:
        number: From 1 to 18.
        name: What goes wrong.
        place: The module and the function that try it.
    """

    number: int
    name: str
    place: str

    @property
    def check(self) -> Check:
        """The function that tries it, loaded when it is needed."""
        module, _, name = self.place.partition(".")
        found: Check = getattr(import_module(f"twoworlds.attacks.selftest.{module}"), name)
        return found


FAILURES = tuple(
    Failure(number, name, place)
    for number, (name, place) in enumerate(
        (
            ("low bits of floating-point noise", "noise.low_bits"),
            ("precision that depends on the data", "noise.precision"),
            ("rounding and order of a float sum", "sums.rounding_of_sums"),
            ("overflow and truncation", "sums.overflow"),
            ("NaN, infinity and NULL", "sums.missing_and_infinite"),
            ("bounds or keys from the data", "shape.declared_only"),
            ("empty groups", "shape.empty_groups"),
            ("timing of the sampler", "noise.sampler_timing"),
            ("errors as a side channel", "names.errors_as_a_channel"),
            ("double spending at one time", "processes.double_spend"),
            ("kill -9 around charge and answer", "processes.kill_9"),
            ("a ledger deleted or put back", "budgets.rolled_back_ledger"),
            ("forged identity and collusion", "budgets.forged_identity"),
            ("averaging a repeated query", "budgets.averaging"),
            ("injection and odd names", "names.injection_and_odd_names"),
            ("cost that does not fall as noise grows", "noise.cost_falls_as_noise_grows"),
            ("drift of budgets in floats", "budgets.drift"),
            ("order, types or index of the data", "shape.order_and_types"),
        ),
        start=1,
    )
)


@dataclass(frozen=True)
class Outcome:
    """What one check found.

    Attributes:
        failure: What was tried.
        holds: Whether the engine withstood it.
        said: What was done and seen, or what went wrong.
        seconds: How long it took.
    """

    failure: Failure
    holds: bool
    said: str
    seconds: float


@dataclass(frozen=True)
class SelfTest:
    """The outcomes of all checks that were run."""

    outcomes: tuple[Outcome, ...]

    @property
    def holds(self) -> bool:
        """Whether the engine withstood everything."""
        return all(one.holds for one in self.outcomes)

    def explain(self) -> str:
        """Say what the engine withstood."""
        broken = [one for one in self.outcomes if not one.holds]
        many = len(self.outcomes)
        if not broken:
            which = "the failure that was" if many == 1 else f"all {many} failures that were"
            return (
                f"The installed engine withstands {which} tried. That is a test, no proof: each "
                "tries some inputs of a kind."
            )
        numbers = ", ".join(str(one.failure.number) for one in broken)
        return (
            f"The installed engine FAILS {len(broken)} of {many}: {numbers}. Do not release with "
            "it; please report this."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "holds": self.holds,
            "explanation": self.explain(),
            "checks": [
                {
                    "number": one.failure.number,
                    "name": one.failure.name,
                    "holds": one.holds,
                    "said": one.said,
                    "seconds": round(one.seconds, 2),
                }
                for one in self.outcomes
            ],
        }

    def _repr_html_(self) -> str:
        """Show a card in a notebook."""
        from twoworlds.cards import card, table

        rows = [
            (str(one.failure.number), one.failure.name, _word(one), one.said)
            for one in self.outcomes
        ]
        return card(
            "Attacks on the release engine",
            badge="holds" if self.holds else "FAILS",
            tone="good" if self.holds else "bad",
            sentences=[self.explain().partition("\n")[0]],
            inside=[table(("", "attack", "", "what was seen"), rows)],
        )


def _word(outcome: Outcome) -> str:
    return "holds" if outcome.holds else "FAILS"


def selftest(
    only: Sequence[object] | None = None, *, folder: Path | None = None, prelude: str = ""
) -> SelfTest:
    """Try the known failures on the installed engine.

    Args:
        only: The numbers of those to try; all if left out.
        folder: Where tables and ledgers are laid out; a new one that is removed if left out.
        prelude: Python that the processes which checks start run first: it is for engines that are
            broken on purpose, in `twoworlds.testing.broken_engines`.
    """
    return SelfTest(tuple(outcomes(only, folder=folder, prelude=prelude)))


def outcomes(
    only: Sequence[object] | None = None, *, folder: Path | None = None, prelude: str = ""
) -> Iterator[Outcome]:
    """Yield each outcome of `selftest` as its check ends."""
    chosen = _chosen(only)
    place = Path(tempfile.mkdtemp(prefix="twoworlds-selftest-")) if folder is None else folder
    try:
        for failure in track(chosen, "selftest", len(chosen)):
            yield _tried(failure, Bench(place / str(failure.number), prelude))
    finally:
        if folder is None:
            shutil.rmtree(place, ignore_errors=True)


def _chosen(only: Sequence[object] | None) -> tuple[Failure, ...]:
    if only is None:
        return FAILURES
    numbers = {whole(one, "the number of a failure") for one in only}
    unknown = numbers - {failure.number for failure in FAILURES}
    if unknown or not numbers:
        named = ", ".join(map(str, sorted(unknown))) or "none"
        raise InvalidInput(f"failures have the numbers 1 to {len(FAILURES)}, not {named}")
    return tuple(failure for failure in FAILURES if failure.number in numbers)


def _tried(failure: Failure, bench: Bench) -> Outcome:
    """Run one check; an engine that raises what it should not has failed it too."""
    started = time.monotonic()
    try:
        holds, said = True, failure.check(bench)
    except Failed as error:
        holds, said = False, str(error)
    except Exception as error:
        holds, said = False, f"{type(error).__name__}: {error}"
    return Outcome(failure, holds, said, time.monotonic() - started)
