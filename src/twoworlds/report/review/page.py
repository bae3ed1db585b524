"""A review as HTML: two printed pages for a board to sign, then an appendix, in one file.

The two pages hold what is asked, what was released before, the one sentence with its picture, what
it rests on, what is not promised, and the decision. The appendix holds the rest, last the proof.
One script may run, the checker of certificates (web/src/verify.ts), named by its hash in the policy
of the page; nothing comes from elsewhere. The browser's print makes the PDF. Every text is escaped;
only charts are put in as they are.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from html import escape
from importlib.metadata import version
from importlib.resources import files
from itertools import groupby

from twoworlds.answer import Block, Facts, Listing, Said, Steps, Table, Verbatim
from twoworlds.charts import Chart, Curves
from twoworlds.release.review import alarm
from twoworlds.report.review.model import Outcome, ProofFile, Review, strength_in
from twoworlds.show import svg
from twoworlds.show.html import chart

_LONGEST_SHOWN = 200_000  # letters of a proof that are set on the page
_PRINTED = 12  # lines of a proof that is printed, too
_LONGEST_WORDS = 240  # letters of a purpose or a decision on the first pages; the appendix has all
_HALF_A_LINE = 35  # letters
_KEPT_TOGETHER = 900  # letters of a table that is not torn apart between pages
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_WORDS: dict[Outcome, str] = {
    "holds": "Holds",
    "refuted": "Does not hold",
    "measured": "Measured",
    "broken": "Certificate broken",
    "planned": "Planned, not paid",
}
_SCALE = {  # of the strength of a protection: how often a guess at even odds may be right
    "strong": "at most 3 times in 4",
    "moderate": "at most 9 times in 10",
    "weak": "at most 99 times in 100",
    "none": "more often than that",
}
_UNKNOWN = (
    "No ledger was given, so this report counts this release alone. Write down what was released "
    "before about the same people, and who keeps count."
)
_PLANNED = "This has not been released."
_NO_CERTIFICATE = (
    "No finite certificate proves this. The appendix has the command that computes it again."
)
_DECISIONS = ("Approve", "Approve with conditions", "Send back")
_AFTERWARDS = ("Acknowledge", "Object", "Lower the budget")  # of what is released already
_LINE = '<span class="line"></span>'


def page(review: Review) -> str:
    """Return the page of a review."""
    script = _shipped("web", "static", "verify.js") if review.proof.is_certificate else ""
    style, policy = _shipped("report", "review", "page.css"), _POLICY
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{digest}'"
        script = f"<script>{script}</script>\n"
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="twoworlds {escape(version("twoworlds"))}">\n'
        f"<title>{escape(review.title)}</title>\n<style>{style}</style></head>\n"
        f"<body>\n{chr(10).join(_parts(review))}\n{script}</body></html>\n"
    )


def _shipped(*path: str) -> str:
    """Return a file of the program: the style, or the checker that is built with the page."""
    file = files("twoworlds").joinpath(*path)
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _parts(review: Review) -> Iterator[str]:
    yield '<header><p class="kind">Privacy review</p>'
    yield f"<h1>{escape(review.title)}</h1>"
    yield from _standing(review)
    yield _form(review)
    yield '</header><main><section class="summary">'
    yield "<h2>What is asked</h2>"
    yield f"<p>{escape(review.question)}</p>"
    if review.subject:
        yield _facts(review.subject, "subject")
    if review.guess:
        yield "<h2>What was released before</h2>"
        yield from _blocks(review.before or (Said((_UNKNOWN,)),))
        yield "" if review.before else f'<p class="fill">{_LINE}</p>'
    yield f"<h2>{'What it lets anyone learn' if review.guess else 'The answer'}</h2>"
    yield from _answer(review)
    yield '</section><section class="summary">'
    yield from _listed("What this rests on", review.assumptions)
    yield from _listed("What is not promised", review.limits)
    yield from _decision(review)
    yield '</section><section class="appendix"><h2>Appendix</h2>'
    if review.meaning:
        yield "<h3>The same in odds and beliefs</h3>"
        yield from _blocks(review.meaning)
    long = [one for one in (review.purpose, review.decided) if _cut(one) != one]
    for title, blocks in (*review.sections, *([("In full", (Said(long),))] if long else [])):
        yield f"<h3>{escape(title)}</h3>"
        yield from _blocks(blocks)
    yield from _proof(review.proof)
    yield from _made(review)
    yield "</section></main>"


def certified(review: Review) -> tuple[str, list[str]]:
    """Return what a page says by the certificate of a release: its sentence, and its parts."""
    _, (_, noise), *others = review.sections
    told = (said for _, said in others[:-1])
    blocks = (review.meaning, review.sections[0][1], noise[:2], noise[2:], *told)
    parts = [
        _headline(review),
        _facts(review.subject, "subject"),
        *(f"<li>{escape(_sentence(one))}</li>" for one in review.assumptions[:2]),
        *_listed("What is not promised", review.limits),
        [*_signed(review)][-1],
        *("\n".join(_blocks(some)) for some in blocks),
    ]
    if review.chance is not None:
        parts += [_step(name, review.strength) for name in _SCALE if review.strength]
        parts.append(svg.icons(review.icons(review.chance)))
    return escape(review.guess), parts


def _cut(text: str) -> str:
    """Return what of a text the first pages have room for, with a word about the rest."""
    if len(text) <= _LONGEST_WORDS:
        return text
    return f"{text[:_LONGEST_WORDS].rstrip()} … (in full in the appendix)"


def _standing(review: Review) -> Iterator[str]:
    """Say first, and where it is signed, that nothing is paid yet, and what reviewers decided."""
    if review.outcome == "planned":
        yield f'<p class="standing"><strong>{_WORDS["planned"]}.</strong> {_PLANNED}</p>'
    if review.decided:
        yield f'<p class="standing"><strong>{escape(_cut(review.decided))}</strong></p>'


def _form(review: Review) -> str:
    given = [("wide", "Purpose", review.purpose)]
    given += [("", "Asked by", review.asked_by)] if review.asked_by else []
    if review.prepared_by or not review.asked_by:
        given.append(("", "Prepared by", review.prepared_by))
    given.append(("", "Date", review.date))
    rows = (
        f'<div class="{style or _wide(text)}"><dt>{name}</dt>'
        f"<dd>{escape(_cut(text)) or _LINE}</dd></div>"
        for style, name, text in given
    )
    return f'<dl class="form">{"".join(rows)}</dl>'


def _wide(text: str) -> str:
    return "wide" if len(text) > _HALF_A_LINE else ""


def _total(review: Review) -> str:
    """Return the word for what all releases leave of the protection; that may be nothing."""
    return strength_in(review.total) or "none"


def _answer(review: Review) -> Iterator[str]:
    """Yield the verdict, the one sentence with its picture, and the scale.

    It looks as serious as the weakest protection it speaks of: of this release, or of all together.
    """
    words, total = [*_SCALE], _total(review) if review.total else "strong"
    worst = max(review.strength or "none", total, key=words.index)
    style = worst if review.holds and review.guess else review.outcome
    yield f'<section class="verdict {style}" aria-label="Verdict">'
    yield _headline(review)
    yield from (f"<p>{escape(said)}</p>" for said in review.sentences)
    if review.guess and review.chance is not None:
        yield f'<div class="guess"><div><p class="sentence">{escape(review.guess)}</p>'
        if review.total:
            yield f'<p class="total {_total(review)}">{escape(review.total)}</p>'
        warning = alarm(review.strength, total, released=review.released)
        if warning:
            yield f'<p class="warning"><strong>Warning.</strong> {warning}</p>'
        yield _scale(review.strength, total if review.total else "")
        yield f"</div>{svg.icons(review.icons(review.chance))}</div>"
    yield f'<p class="quiet" id="checked">{_checked(review)}</p>'
    yield "</section>"


def _headline(review: Review) -> str:
    word = f'<span class="word {review.outcome}">{_WORDS[review.outcome]}</span>'
    return f'<p class="headline">{word} {escape(review.headline)}</p>'


def _scale(alone: str, total: str = "") -> str:
    """Return the scale of protections; the words that apply, alone and in total, are marked."""
    if not alone and not total:
        return ""
    steps = "".join(
        f'<li class="{name}"{" aria-current=true" if name in (alone, total) else ""}>'
        + _step(name, alone)
        + f"{'<i>everything together</i>' if name == total else ''}</li>"
        for name in _SCALE
    )
    return (
        '<div><p class="quiet">Protection, by how often a guess at even odds may be right:</p>'
        f'<ol class="scale">{steps}</ol></div>'
    )


def _step(name: str, alone: str) -> str:
    return f"<b>{name}</b> {_SCALE[name]}{'<i>this one alone</i>' if name == alone else ''}"


def _checked(review: Review) -> str:
    """Say who checked what; where a script may run, it adds what the browser found."""
    if review.outcome == "planned":
        return "There is no certificate yet: the release will have one."
    if not review.proof.is_certificate:
        return _NO_CERTIFICATE
    proves = "The certificate proves that the claim fails. " if review.outcome == "refuted" else ""
    return f"{proves}twoworlds checked the certificate when it made this page."


def _listed(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"<h2>{escape(title)}</h2>"
        yield f"<ul>{''.join(f'<li>{escape(_sentence(one))}</li>' for one in items)}</ul>"


def _sentence(text: str) -> str:
    """Begin with a capital letter and end with a full stop."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def _decision(review: Review) -> Iterator[str]:
    yield '<section class="decision"><h2>Decision</h2>'
    yield from _standing(review)
    if review.released:
        yield "<p>Already released. What was learned from it cannot be taken back.</p>"
    choices = _AFTERWARDS if review.released else _DECISIONS
    yield f'<ul class="choice">{"".join(f"<li>{one}</li>" for one in choices)}</ul>'
    yield f'<p class="fill">Conditions, or reasons: {_LINE}</p>'
    yield f'<p class="fill">{_LINE}</p>' * 2
    for name in review.reviewers or ("",):
        cells = (("Name", name), ("Role", ""), ("Date", ""), ("Signature", ""))
        signs = (f"<div><b>{escape(given)}</b><span>{of}</span></div>" for of, given in cells)
        yield f'<div class="sign">{"".join(signs)}</div>'
    yield from _signed(review)
    yield "</section>"


def _signed(review: Review) -> Iterator[str]:
    """Yield what is signed, by its SHA-256: the file, and the plan that it releases."""
    yield f'<p class="quiet">Signed for {escape(review.proof.name)} with the SHA-256 '
    plan = f", which releases the plan with the SHA-256 <code>{review.plan}</code>"
    plan = plan if review.released else ""
    yield f'<code id="signed">{review.proof.digest}</code>{plan}.</p>'


def _blocks(blocks: Sequence[Block]) -> Iterator[str]:
    """Yield blocks; small charts that follow each other stand side by side."""
    for small, run in groupby(blocks, lambda one: isinstance(one, Curves)):
        set_ = "".join(map(_block, run))
        yield f'<div class="charts">{set_}</div>' if small else set_


def _block(block: Block) -> str:
    match block:
        case Said(sentences, quiet):
            style = ' class="quiet"' if quiet else ""
            return "".join(f"<p{style}>{escape(said)}</p>" for said in sentences)
        case Facts(rows):
            return _facts(rows, "facts")
        case Table():
            return _table(block)
        case Steps(items):
            steps = "".join(
                f"<li><p>{escape(head)}</p>"
                + "".join(f'<p class="quiet">{escape(note)}</p>' for note in notes)
                + "</li>"
                for head, notes in items
            )
            return f"<ol>{steps}</ol>"
        case Listing(name, lines):
            return _table(Table((name,), [(line,) for line in lines]))
        case Verbatim(source):
            return f"<pre>{escape(source)}</pre>"
        case Curves():
            return _figure(block, svg.curves(block, width=380, height=246))
    return _figure(block, chart(block, width=560))


def _figure(drawn: Chart, picture: str) -> str:
    words = getattr(drawn, "words", "")
    under = f"<figcaption>{escape(words)}</figcaption>" if words else ""
    return f"<figure><h4>{escape(drawn.title)}</h4>{picture}{under}</figure>"


def _facts(rows: Sequence[tuple[str, str]], style: str) -> str:
    cells = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{_cell(value)}</td></tr>'
        for name, value in rows
    )
    return f'<table class="{style}"><tbody>{cells}</tbody></table>'


def _table(grid: Table) -> str:
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in grid.heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in grid.rows
    )
    kept = " whole" if sum(len(cell) for row in grid.rows for cell in row) < _KEPT_TOGETHER else ""
    style = "numbers" if grid.numbers else "words"
    lead = f'<p class="quiet lead">{escape(grid.lead)}</p>' if grid.lead else ""
    return (
        f'<div class="scroll{kept}">{lead}<table class="{style}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(text: str) -> str:
    """Return what stands in a cell: after a line break a remark, which stands back."""
    first, _, remark = text.partition("\n")
    return escape(first) + (f'<span class="quiet">{escape(remark)}</span>' if remark else "")


def _proof(proof: ProofFile) -> Iterator[str]:
    yield f"<h3>{'The certificate' if proof.is_certificate else 'To check it again'}</h3>"
    yield f'<p class="lead">{escape(proof.about)}</p>'
    yield f"<pre>{escape(proof.check)}</pre>"
    yield f"<p>{escape(proof.expected)}</p>"
    name = escape(proof.name)
    yield f'<p class="quiet">SHA-256 of {name}: <code>{proof.digest}</code></p>'
    content = base64.b64encode(proof.text.encode()).decode()
    marked = " data-certificate" if proof.is_certificate else ""
    link = f'href="data:application/json;base64,{content}" download="{name}"'
    yield f'<p class="screen"><a{marked} {link}>Save {name}</a></p>'
    if proof.text.count("\n") <= _PRINTED:
        yield f'<pre id="shown">{escape(proof.text)}</pre>'
        return
    yield f'<p class="quiet paper">{name} is in the file of this page, which links to it.</p>'
    if len(proof.text) <= _LONGEST_SHOWN:
        yield f'<details class="screen"><summary>Read {name} here</summary>'
        yield f'<pre id="shown">{escape(proof.text)}</pre></details>'


def _made(review: Review) -> Iterator[str]:
    said = f"This page was made by twoworlds {escape(version('twoworlds'))}"
    if review.read is not None:
        entry, found = review.read
        said += f' from the ledger up to <span id="read">entry {entry}, {found}</span>; '
        said += "twoworlds verify PAGE --ledger EXPORT makes it again and compares every word"
    if review.command is None:
        yield f'<p class="quiet">{said}.</p>'
        return
    yield f'<p class="quiet lead">{said}; the same command makes the same page, to the letter:</p>'
    yield f"<pre>{escape(review.command)}</pre>"
