"""The release engine under its known kinds of failure, in order, as it is installed here.

``twoworlds selftest`` asks the engine as any user does, in folders of its own: tables with odd
values and names, processes that are killed, ledgers that are put back, noise that is compared with
the law that its cost demands. It is a test, no proof.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from twoworlds.answer import Answer, Table
from twoworlds.attacks.selftest import service as outside
from twoworlds.attacks.selftest.bench import MOST, RATE, Bench, Failed
from twoworlds.attacks.selftest.service import AttackedService
from twoworlds.errors import InvalidInput
from twoworlds.numbers import whole
from twoworlds.progress import track
from twoworlds.show import Told

__all__ = ["FAILURES", "AttackedService", "KnownFailure", "selftest", "selftest_of"]

FALSE_ALARMS = RATE * MOST
_CHANCE = " An engine that is right fails by chance with a probability of at most 10^-6."


class KnownFailure(NamedTuple):
    """A way in which private releases have failed."""

    number: int  # its number, for good
    name: str  # what goes wrong
    place: str  # the module and the function that try it on the installed engine; empty for none
    # The function of `service` that tries it on a running service; empty for none
    outside: str = ""


FAILURES = tuple(
    KnownFailure(*one)
    for one in (
        (1, "low bits of floating-point noise", "noise.low_bits"),
        (2, "precision that depends on the data", "noise.precision"),
        (3, "rounding and order of a float sum", "answers.rounding_of_sums"),
        (4, "overflow and truncation", "answers.overflow"),
        (5, "NaN, infinity and NULL", "answers.missing_and_infinite"),
        (6, "bounds or keys from the data", "answers.declared_only"),
        (7, "empty groups", "answers.empty_groups"),
        (8, "timing of the sampler", "noise.sampler_timing"),
        (9, "errors as a side channel", "answers.errors_as_a_channel", "errors_of_a_service"),
        (10, "double spending at one time", "processes.double_spend"),
        (11, "kill -9 around charge and answer", "processes.kill_9"),
        (12, "a ledger deleted or put back", "answers.rolled_back_ledger"),
        (13, "forged identity and collusion", "answers.forged_identity", "names_of_a_service"),
        (14, "averaging a repeated query", "answers.averaging", "repetition_at_a_service"),
        (15, "injection and odd names", "answers.injection_and_odd_names"),
        (16, "cost that does not fall as noise grows", "noise.cost_falls_as_noise_grows"),
        (17, "drift of budgets in floats", "answers.drift", "price_at_a_service"),
        (18, "order, types or index of the data", "answers.order_and_types"),
        (19, "threads that read each other's rows", "processes.one_curator_in_threads"),
        (20, "a table whose columns change places", "sources.columns_in_another_order"),
        (21, "a batch that is not one snapshot", "sources.one_snapshot"),
        (22, "a value whose type decides about an answer", "sources.types_of_frames"),
        (23, "different people who become one", "sources.different_people"),
        (24, "one text record that becomes many rows", "sources.one_record_one_row"),
        (25, "charged and never answerable", "answers.charged_for_nothing"),
        (26, "free requests that starve others", "", "turns"),
        (27, "two policies at one time", "", "one_policy"),
        (28, "files that others may open", "processes.files_of_others"),
        (29, "Laplace noise of another law", "noise.laplace_noise"),
        (30, "Gaussian noise of another law", "noise.gaussian_noise"),
        (31, "quantiles chosen by another law", "noise.quantiles"),
        (32, "keys of one person that are shown", "noise.discovered_keys"),
        (33, "noise that repeats", "processes.unpredictable"),
        (34, "a person without limit", "sources.limits_of_a_person"),
        (35, "noise for adding where a row is replaced", "sources.substituted"),
    )
)


def selftest(only: Sequence[object] | None = None, *, prelude: str = "") -> Told:
    """Try the known failures on the installed engine, in a folder that is removed.

    Args:
        only: The numbers of those to try; all if left out.
        prelude: Python that the processes which checks start run first: it is for engines that are
            broken on purpose, in the tests.
    """
    chosen = _chosen(only, [one for one in FAILURES if one.place], "the installed engine")
    found = []
    with TemporaryDirectory(prefix="twoworlds-selftest-", ignore_cleanup_errors=True) as folder:
        for failure in track(chosen, "selftest", len(chosen)):
            module, _, name = failure.place.partition(".")
            check = getattr(import_module(f"twoworlds.attacks.selftest.{module}"), name)
            bench = Bench(Path(folder, str(failure.number)), prelude)
            found.append(_tried(failure, check, bench))
    return told(found)


def selftest_of(service: AttackedService, only: Sequence[object] | None = None) -> Told:
    """Try the known failures that can be tried from outside on a running service."""
    alone = service.second is None
    known = [one for one in FAILURES if one.outside and not (alone and one.outside == "turns")]
    chosen = _chosen(only, known, "a running service")
    found = [
        _tried(failure, getattr(outside, failure.outside), service)
        for failure in track(chosen, "selftest", len(chosen))
    ]
    return told(found, service.address)


def _chosen(
    only: Sequence[object] | None, known: Sequence[KnownFailure], subject: str
) -> tuple[KnownFailure, ...]:
    if only is None:
        return tuple(known)
    numbers = {whole(one, "the number of a failure") for one in only}
    unknown = numbers - {failure.number for failure in known}
    if unknown or not numbers:
        named = ", ".join(map(str, sorted(unknown))) or "none"
        tried = ", ".join(str(failure.number) for failure in known)
        raise InvalidInput(f"on {subject} these failures are tried: {tried}; not {named}")
    return tuple(failure for failure in known if failure.number in numbers)


def _tried(failure: KnownFailure, check: Callable[[Any], str], subject: Any) -> dict[str, Any]:
    """Run one check; an engine that raises what it should not has failed it too."""
    started = time.monotonic()
    try:
        holds, said = True, check(subject)
    except Failed as error:
        holds, said = False, str(error)
    except Exception as error:
        holds, said = False, f"{type(error).__name__}: {error}"
    seconds = round(time.monotonic() - started, 2)
    found = {"number": failure.number, "name": failure.name, "holds": holds}
    return {**found, "said": said, "seconds": seconds}


def told(checks: Sequence[Mapping[str, Any]], service: str | None = None) -> Told:
    """Say what the installed engine, or a service, withstood, and what each check saw."""
    broken = [str(one["number"]) for one in checks if not one["holds"]]
    many = len(checks)
    subject = "the installed engine" if service is None else service
    named = "installed engine" if service is None else f"service at {service}"
    which = "the failure that was" if many == 1 else f"all {many} failures that were"
    said = (
        f"The {named} FAILS {len(broken)} of {many}: {', '.join(broken)}. Do not release with "
        "it; please report this."
        if broken
        else f"The {named} withstands {which} tried. That is a test, no proof: each "
        "tries some inputs of a kind."
    ) + (_CHANCE if service is None else "")
    rows = [
        (str(one["number"]), "holds" if one["holds"] else "FAILS", one["name"], one["said"])
        for one in checks
    ]
    table = Table(("", "", "failure", "what was seen"), rows, prose=(2, 3))
    answer = replace(Answer.of(said, table), subject=subject, claim="self-test", holds=not broken)
    data = {"holds": not broken, "explanation": said, "false_alarms": FALSE_ALARMS}
    return Told(answer, {**data, "checks": checks})
