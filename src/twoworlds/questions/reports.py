"""The questions for a page to sign, and whether what it says is so."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date as day
from datetime import timedelta
from html import unescape
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

from twoworlds.answer import Answer, Block, Facts, Listing, Said
from twoworlds.errors import InvalidInput, TwoWorldsError, Unsupported
from twoworlds.files import check_place, write
from twoworlds.questions.mechanisms import Neighbours, Universe
from twoworlds.show import Result, Told

if TYPE_CHECKING:
    from twoworlds.release.ledger.views import ExportedLedger
    from twoworlds.report.review.certificates import Saved

_COMMAND = re.compile(r"to the letter:</p>\s*<pre>(twoworlds report [^<]*)</pre>\s*</section>")
_READ = re.compile(r'<span id="read">entry (\d+), ([0-9a-f]{64})</span>')
_PLANNED = re.compile(r'base64,([^"]*)" download="plan.json">')
_PROPOSAL = re.compile(r"<pre>(twoworlds review (\d+) --policy [^<]*)</pre>")
_TRIED = re.compile(r"<pre>(twoworlds release [^<]*)</pre>")
_NAME = re.compile(r'<a data-certificate [^>]* download="([^"]*)">')
_MADE_BY = re.compile(r'<meta name="generator" content="twoworlds ([^"]*)">')
_SENTENCE = re.compile(r'<p class="sentence">(.*?)</p>', re.DOTALL)
_SHOWN = re.compile(r'<pre id="shown">(.*?)</pre>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_OWN = re.compile(r"python:|\.(csv|json|parquet)\b", re.IGNORECASE)
_WHOLE = "The certificate holds, and every word of the page is as twoworlds makes it."
_IN_PART = (
    "The certificate holds, and the page was compared only in part. What it says of this release "
    "alone is what the certificate says: its questions and answers, its sentence, its cost and "
    "charge, whom it protects, what is not promised, its theorems and the SHA-256. Everything else "
    "was NOT compared: what was released before, the total, who decided, and how the page looks. "
    "For that, give an export of the ledger, with --ledger."
)
_WHOLE_ALONE = "Every word of the page is as twoworlds makes it, and all was computed again."
_FALSE_ALONE = "The page does NOT say what twoworlds says, which computed it again."
_AS_IN_LEDGER = "Every word of the page is as twoworlds makes it from this ledger."
_TOLD = re.compile(r"Of 1[0,]+ people in your position|Asked of ")  # sentences and questions
_FALSE = "The certificate holds, but the page does NOT say what twoworlds says."
_UNCOMPARED = "The certificate holds. The words of the page were NOT compared with it"


def report(
    subject: Annotated[
        str,
        "a call such as 'geometric(ratio=2)', a matrix file, python:module:name, or a certificate "
        "saved as .json",
    ],
    output: Annotated[Path | None, "the .html file to write"] = None,
    claim: Annotated[str | None, "what is claimed, such as 'dp(epsilon=1)'"] = None,
    purpose: Annotated[str | None, "what the release is for"] = None,
    prepared_by: Annotated[str | None, "who prepared the report"] = None,
    date: Annotated[str | None, "the date of the report, such as 2026-03-01"] = None,
    reviewer: Annotated[list[str] | None, "who will sign (repeat it)"] = None,
    ledger: Annotated[
        Path | None, "for the certificate of a release: an exported ledger, for what came before"
    ] = None,
    belief: Annotated[str | None, "an attacker to look at, such as 'independent(3/4, 1/2)'"] = None,
    neighbours: Neighbours = None,
    group: Annotated[str | None, "how many people may differ at once"] = None,
    universe: Universe = None,
    title: Annotated[str | None, "the title of the page"] = None,
) -> Result:
    """Write two pages for a review board to sign, with the proof in an appendix.

    It exits with 1 if the claim or the certificate fails.
    """
    from twoworlds.report.review import is_certificate, review_certificate, review_mechanism
    from twoworlds.report.review.certificates import time_limit

    if subject.lower().endswith((".html", ".htm")) and Path(subject).is_file():
        raise InvalidInput(
            f"{subject} is a page already: `twoworlds verify {subject}` compares it; a report is "
            "made of a mechanism, or of a certificate saved as .json"
        )
    if output is not None:
        _check(output)
    if date is not None:
        _check_date(date)
    _check_lengths(purpose or "", [prepared_by or "", title or "", *(reviewer or ())])
    asked = {"claim": claim, "belief": belief, "neighbours": neighbours, "group": group}
    given = {name: text for name, text in {**asked, "universe": universe}.items() if text}
    certificate = is_certificate(subject)
    if certificate and given:
        names = ", ".join(f"--{name}" for name in given)
        raise InvalidInput(
            f"{names}: a certificate says itself what is claimed of what; leave this out"
        )
    if ledger is not None and not certificate:
        raise InvalidInput("--ledger is for certificates of releases: leave it out")
    if certificate:
        with time_limit():
            found = review_certificate(subject, ledger=ledger)
    else:
        found = review_mechanism(subject, **given)
    if found.purpose and purpose not in (None, found.purpose):
        raise InvalidInput(
            f"--purpose {purpose!r}: the ledger holds for what this was proposed, "
            f"{found.purpose!r}, and a report says the same: leave --purpose out"
        )
    if found.date and date is not None and date < found.date:
        raise InvalidInput(
            f"--date {date}: the ledger charged this on {found.date}, and no report of it is "
            "older: leave --date out, or give the day of the report"
        )
    form = {"purpose": purpose, "prepared_by": prepared_by, "date": date, "title": title}
    looked = {} if ledger is None else {"ledger": ledger.name}
    typed = _typed(subject, {**given, **looked, **form}, reviewer, output)
    filled: dict[str, Any] = {name: text for name, text in form.items() if text}
    found = replace(found, **filled, reviewers=tuple(reviewer or ()), command=typed)
    return found if output is None else replace(found, written=str(write(output, found.html())))


def _check_lengths(purpose: str, names: Sequence[str]) -> None:
    """Refuse what no form has room for; a purpose is as long as that of a proposal."""
    from twoworlds.release.ledger.state import LONGEST_NAME, LONGEST_REMARK

    for text, most in ((purpose, LONGEST_REMARK), *((one, LONGEST_NAME) for one in names)):
        if len(text) > most:
            raise InvalidInput(
                f"{text[:40]!r}... has {len(text):,} characters, and the form has room for {most:,}"
            )


def _check_date(text: str) -> None:
    with suppress(ValueError):
        found = day.fromisoformat(text)
        if found.isoformat() == text and found <= day.today() + timedelta(days=366):
            return
    raise InvalidInput(
        f"--date {text[:40]}: write a day of the calendar, such as 2026-03-01, and none that is "
        "more than a year ahead"
    )


def _check(path: Path) -> None:
    """Refuse a file that cannot be written before the work starts."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(
            f"{path}: a report is an HTML page, so its name ends in .html. For a PDF, open the "
            "page in a browser and print it"
        )
    check_place(path)


def _typed(
    subject: str, given: Mapping[str, str | None], reviewers: list[str] | None, output: Path | None
) -> str:
    """Return the command that makes the page, with names of files instead of whole paths."""
    words = ["twoworlds", "report", Path(subject).name if Path(subject).is_file() else subject]
    for name, value in given.items():
        words += [] if value is None else [f"--{name.replace('_', '-')}", value]
    for reviewer in reviewers or ():
        words += ["--reviewer", reviewer]
    return shlex.join([*words, *([] if output is None else ["-o", output.name])])


# --- verify -------------------------------------------------------------------------------------


def verify(
    file: Annotated[Path, "a certificate saved as .json, or a report that holds one"],
    ledger: Annotated[
        Path | None, "an exported ledger (.jsonl), to find a release's charge in"
    ] = None,
) -> Result:
    """Verify a saved certificate in exact arithmetic, without a solver and without the data.

    The page of a report is made again, to compare its words.
    """
    from twoworlds.release.certificate import check_certificate
    from twoworlds.report.review.certificates import proved, read_certificate, time_limit

    with time_limit():
        saved = read_certificate(file)
        if saved.data is None and saved.page is not None:
            return _computed_again(saved, saved.page, ledger)
        if saved.of_release:
            found = check_certificate(saved.data, ledger=ledger)
            told = Told(found.answer(), found.to_dict())
        elif ledger is not None:
            raise InvalidInput("--ledger is for certificates of releases: leave it out")
        else:
            told = proved(saved)
    said, data = replace(told.said, subject=str(file)), {"file": file, **told.data}
    if saved.page is None or not said.holds:
        return Told(said, data)
    try:
        with time_limit():
            differ = [*_differences(saved, saved.page, ledger)]
        again = _COMMAND.search(saved.page) or (ledger is not None and _READ.search(saved.page))
        words = _FALSE if differ else _WHOLE if again else _IN_PART
    except InvalidInput:
        raise
    except TwoWorldsError as error:
        words, differ = f"{_UNCOMPARED}: {error}.", []
    listed = [Listing("what differs", differ)] if differ else []
    certificate = Said([f"Of the certificate alone: {said.headline}"])
    said = replace(said, headline=words, blocks=(*listed, certificate, *said.blocks))
    if differ:
        said = replace(said, claim="report", holds=False)
    compared = {"said": words, "differ": differ}
    return Told(said, {**data, "holds": said.holds, "words": compared})


def _computed_again(saved: Saved, page: str, ledger: Path | None) -> Told:
    """Make a report again that holds no certificate, and compare it."""
    plan, proposal = _PLANNED.search(page), _PROPOSAL.search(page)
    try:
        if plan is not None and proposal is not None and ledger is not None:
            return _planned_again(saved, page, ledger, proposal)
        if plan is not None:
            raise InvalidInput(f"{saved.path} {_not_compared(page)}")
        if not _COMMAND.search(page):
            raise InvalidInput(
                f"{saved.path}: this page holds no certificate that could be checked, and no "
                "command that makes it: make it again as it was made, and compare the two"
            )
        return _compared(saved, [*_differences(saved, page, None)])
    except Unsupported as error:
        raise Unsupported(f"{saved.path} cannot be compared: {error}") from None


def _not_compared(page: str) -> str:
    """Say of the page of a plan what compares it."""
    proposal, tried = _PROPOSAL.search(page), _TRIED.search(page)
    if proposal is not None:
        return (
            f"is the page of proposal {proposal[2]}: give an export of its ledger, with --ledger, "
            f"or make it again with `{unescape(proposal[1])} -o FILE.html`, and compare the two"
        )
    command = unescape(tried[1]) if tried else "twoworlds release --dry-run"
    return (
        "is the page of a plan that nobody had proposed, so no ledger knows it: make it again with "
        f"`{command} -o FILE.html`, and compare the two"
    )


def _planned_again(saved: Saved, page: str, ledger: Path, proposal: re.Match[str]) -> Told:
    """Make the page of a proposal again from the ledger as it was, and say how it stands now."""
    from twoworlds.release.ledger.views import ExportedLedger
    from twoworlds.release.review import ReviewDesk, decided_words
    from twoworlds.report.review import review_planned

    _same_version(page)
    books, number = _as_it_was(page, ledger), int(proposal[2])
    again = review_planned(
        books, books.state().proposal(number), command=unescape(proposal[1])
    ).html()
    desk = ReviewDesk(ExportedLedger(ledger))
    stands = desk.standing(desk.state.proposal(number))
    facts = Facts([("plan", f"SHA-256 {stands['plan']}"), ("stands", decided_words(stands))])
    differ = [] if again == page else [*_differ(page, again)]
    told = _compared(saved, differ, _AS_IN_LEDGER, facts)
    return replace(told, data={**told.data, "plan": stands["plan"], "stands": stands["stands"]})


def _compared(saved: Saved, differ: list[str], whole: str = _WHOLE_ALONE, *more: Block) -> Told:
    listed = [Listing("what differs", differ)] if differ else []
    said = _FALSE_ALONE if differ else whole
    told = Answer(said, str(saved.path), "report", holds=not differ, blocks=[*listed, *more])
    compared = {"said": said, "differ": differ}
    return Told(told, {"file": saved.path, "holds": not differ, "words": compared})


def _as_it_was(page: str, ledger: Path) -> ExportedLedger:
    """Return the ledger up to the entry that a page was made from."""
    from twoworlds.release.ledger.views import ExportedLedger, read_export

    read = _READ.search(page)
    if read is None:
        raise Unsupported("it does not say up to which entry the ledger was read")
    books = ExportedLedger(read_export(ledger)[: int(read[1])])
    point = books.state().point
    if (point.sequence, point.hash) != (int(read[1]), read[2]):
        raise InvalidInput(
            f"{ledger} has no entry {read[1]} with the hash that the page names: it is the export "
            "of another ledger, or older than the page; export the ledger again"
        )
    return books


def _same_version(page: str) -> None:
    made_by = _MADE_BY.search(page)
    if made_by is None or made_by[1] != version("twoworlds"):
        raise Unsupported("it was made by another version of twoworlds")


def _differences(saved: Saved, page: str, ledger: Path | None) -> Iterator[str]:
    """Make a page again, and yield which of its words differ.

    Raises:
        TwoWorldsError: when it cannot be made again.
    """
    from twoworlds.report.review.certificates import certificate_proof
    from twoworlds.report.review.page import certified
    from twoworlds.report.review.releases import review_certified, review_release

    command = _COMMAND.search(page)
    _same_version(page)
    books = None
    if ledger is not None and (command is None or " --ledger " in command[1]):
        if _READ.search(page) is None:
            yield "the page does not say up to which entry the ledger was read"
            return
        books = _as_it_was(page, ledger)
    if command is not None:
        try:
            again = _made_again(saved, page, unescape(command[1]), books)
        except InvalidInput as error:
            yield f"twoworlds refuses to make this page: {error}"
            return
        yield from () if again == page else _differ(page, again)
        return
    if not saved.of_release:
        raise Unsupported("the command that makes it again is missing")
    if books is not None:
        again = review_certified(saved.text, books).html()
        yield from () if again == page else _differ(page, again)
        return
    guess, parts = certified(review_release(saved.data, certificate_proof(saved), None))
    wanted, held = [*_words(f"{guess} {' '.join(parts)}")], [*_words(page)]
    differ = [f"the page lacks: {one}" for one in wanted if one not in held]
    differ += [f"the page says: {one}" for one in held if _TOLD.match(one) and one not in wanted]
    yield from differ
    if not differ and not all(part in page for part in parts):
        yield "the order of the words, or what is not seen of them"
    elif not differ and [*_SENTENCE.findall(page)] != [guess]:
        yield "the page has another sentence beside that of the certificate"
    if any(unescape(one) != saved.text for one in _SHOWN.findall(page)):
        yield "the certificate that the page shows is not the one that it holds"


def _made_again(saved: Saved, page: str, command: str, books: ExportedLedger | None) -> str:
    """Make a page by the command at its end, from nothing but that, its certificate and ledger."""
    name = _NAME.search(page)
    try:
        _, _, subject, *rest = shlex.split(command)
        options = [*zip(rest[::2], rest[1::2], strict=True)]
    except ValueError:
        raise Unsupported("its command is not as twoworlds writes it") from None
    given: dict[str, Any] = {
        option.removeprefix("--").replace("-", "_"): value
        for option, value in options
        if option not in ("-o", "--reviewer")
    }
    if not {*given} <= {*inspect.signature(report).parameters} - {"subject", "output"}:
        raise Unsupported("its command is not as twoworlds writes it")
    if "ledger" in given and books is None:
        raise Unsupported("it was made with a ledger: give its export, with --ledger")
    given["reviewer"] = [value for option, value in options if option == "--reviewer"]
    if name is not None and subject == Path(unescape(name[1])).name and subject.endswith(".json"):
        with TemporaryDirectory() as folder:
            file = Path(folder) / subject
            file.write_text(saved.text, encoding="utf-8", newline="")
            if books is not None:
                given["ledger"] = Path(folder) / Path(given["ledger"]).name
                given["ledger"].write_text(books.text(), encoding="utf-8")
            return _page(report(str(file), **given), command)
    asked = [subject, *(str(given.get(one, "")) for one in ("claim", "belief", "universe"))]
    if any(_OWN.search(one) for one in asked):
        raise Unsupported("it was made from a file or a program that it does not hold")
    return _page(report(subject, **given), command)


def _page(made: Result, command: str) -> str:
    from twoworlds.report.review import Review

    assert isinstance(made, Review)
    return replace(made, command=command).html()


def _differ(page: str, again: str) -> Iterator[str]:
    """Yield the words that only one of two pages has."""
    first, second = [*_words(page)], [*_words(again)]
    told = [f"the page says: {one}" for one in first if one not in second]
    told += [f"twoworlds says: {one}" for one in second if one not in first]
    yield from told or ["what is not seen in it, or the order of its words"]


def _words(page: str) -> Iterator[str]:
    """Yield the words of a page, piece by piece as tags part them."""
    for piece in _TAG.split(page.partition("<body>")[2] or page):
        if words := " ".join(unescape(piece).split()):
            yield words
