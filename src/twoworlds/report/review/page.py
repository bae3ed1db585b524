"""A review as HTML: one file, without scripts, and without anything from elsewhere.

First come the question, the verdict, what it rests on, what it means to a person, and what is not
promised: on paper about a page. The details follow, then the proof, and lines to sign on. The
browser's print makes the PDF. Every text is escaped; only charts are put in as they are.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from html import escape
from importlib.metadata import version
from itertools import groupby

from twoworlds.answer import Block, Facts, Listing, Said, Steps, Table, Verbatim
from twoworlds.charts import Chart, Curves
from twoworlds.report.review.model import Outcome, ProofFile, Review
from twoworlds.report.review.style import STYLE
from twoworlds.show import svg
from twoworlds.show.html import chart

_LONGEST_SHOWN = 200_000  # letters of a proof that are set on the page
_PRINTED = 12  # lines of a proof that is printed, too
_KEPT_TOGETHER = 900  # letters of a table that is not torn apart between pages
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_WORDS: dict[Outcome, str] = {
    "holds": "Holds",
    "refuted": "Does not hold",
    "measured": "Measured",
    "broken": "Certificate broken",
}
_DECISIONS = ("approved", "approved with conditions", "not approved")


def page(review: Review) -> str:
    """Return the page of a review."""
    body = "\n".join(_parts(review))
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="twoworlds {escape(version("twoworlds"))}">\n'
        f"<title>{escape(review.title)}</title>\n<style>{STYLE}</style></head>\n"
        f"<body>\n{body}\n</body></html>\n"
    )


def _parts(review: Review) -> Iterator[str]:
    yield '<header><p class="kind">Privacy review</p>'
    yield f"<h1>{escape(review.title)}</h1>"
    yield f'<p class="question">{escape(review.question)}</p>'
    if review.subject:
        yield _facts(review.subject, "subject")
    yield "</header><main>"
    yield f'<section class="verdict {review.outcome}" aria-label="Verdict">'
    yield f'<span class="word">{_WORDS[review.outcome]}</span>'
    yield f'<p class="headline">{escape(review.headline)}</p>'
    yield from (f"<p>{escape(said)}</p>" for said in review.sentences)
    yield "</section>"
    yield from _listed("What this rests on", review.assumptions)
    if review.meaning:
        yield "<h2>What it means to a person</h2>"
        yield from _blocks(review.meaning)
    yield from _listed("What is not promised", review.limits)
    for title, blocks in review.sections:
        yield f"<h2>{escape(title)}</h2>"
        yield from _blocks(blocks)
    yield from _proof(review.proof)
    yield from _made(review.command)
    yield from _signing(review.reviewers)
    yield "</main>"


def _listed(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"<h2>{escape(title)}</h2>"
        yield f"<ul>{''.join(f'<li>{escape(_sentence(one))}</li>' for one in items)}</ul>"


def _sentence(text: str) -> str:
    """Begin with a capital letter and end with a full stop."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


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
    return f"<figure><h3>{escape(drawn.title)}</h3>{picture}{under}</figure>"


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
    yield "<h2>To check it again</h2>"
    yield f'<p class="lead">{escape(proof.about)}</p>'
    yield f"<pre>{escape(proof.check)}</pre>"
    yield f"<p>{escape(proof.expected)}</p>"
    name = escape(proof.name)
    yield f'<p class="quiet">SHA-256 of {name}: <code>{proof.digest}</code></p>'
    content = base64.b64encode(proof.text.encode()).decode()
    link = f'href="data:application/json;base64,{content}" download="{name}"'
    yield f'<p class="screen"><a {link}>Save {name}</a></p>'
    if proof.text.count("\n") <= _PRINTED:
        yield f"<pre>{escape(proof.text)}</pre>"
        return
    yield f'<p class="quiet paper">{name} is in the file of this page, which links to it.</p>'
    if len(proof.text) <= _LONGEST_SHOWN:
        yield f'<details class="screen"><summary>Read {name} here</summary>'
        yield f"<pre>{escape(proof.text)}</pre></details>"


def _made(command: str | None) -> Iterator[str]:
    said = f"This page was made by twoworlds {escape(version('twoworlds'))}"
    if command is None:
        yield f'<p class="quiet">{said}.</p>'
        return
    yield f'<p class="quiet lead">{said}; the same command makes the same page, to the letter:</p>'
    yield f"<pre>{escape(command)}</pre>"


def _signing(reviewers: Sequence[str]) -> Iterator[str]:
    yield '<section class="signing"><h2>Decision</h2>'
    yield f'<ul class="choice">{"".join(f"<li>{one}</li>" for one in _DECISIONS)}</ul>'
    yield '<div class="sign"><div class="remarks">Conditions and remarks</div>'
    yield '<div class="remarks"></div></div>'
    for name in reviewers or ("",):
        yield f'<div class="sign"><div>Name<b>{escape(name)}</b></div><div>Role</div>'
        yield "<div>Signature</div><div>Date</div></div>"
    yield "</section>"
