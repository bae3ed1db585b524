"""A review as HTML: one file, without scripts, and without anything from elsewhere.

It is set for A4: numbered pages, nothing torn apart that belongs together, lines to sign on. The
browser's print makes the PDF. Every text is escaped; only charts are put in as they are.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from html import escape

from twoworlds import __version__
from twoworlds.report.review.model import (
    Block,
    Facts,
    Grid,
    Outcome,
    Picture,
    Review,
    Said,
    Steps,
)

__all__ = ["page"]

_LONGEST_SHOWN = 200_000  # letters of a proof that are set on the page
_KEPT_TOGETHER = 8  # rows of a table that is not torn apart between pages
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_WORDS: dict[Outcome, str] = {
    "holds": "Holds",
    "refuted": "Does not hold",
    "measured": "Measured",
    "broken": "Certificate broken",
}
_STYLE = """
:root { color-scheme: light }
* { box-sizing: border-box }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: #1b2430;
  background: #fff; max-width: 47rem; margin: 2.5rem auto; padding: 0 1.25rem;
  counter-reset: part }
h1 { font-size: 1.75rem; line-height: 1.25; margin: .15rem 0 .75rem; overflow-wrap: anywhere;
  text-wrap: balance }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .6rem; padding-top: .9rem; border-top: 1px solid #d5dce4;
  counter-increment: part; break-after: avoid }
h2::before { content: counter(part) ".\\2002"; color: #6a7686; font-weight: 400 }
h3 { font-size: 1rem; margin: 1.2rem 0 .4rem; break-after: avoid }
p { margin: .55rem 0; orphans: 3; widows: 3; overflow-wrap: break-word }
ul { margin: .5rem 0; padding-left: 1.3rem } li { margin: .25rem 0; overflow-wrap: break-word }
.kind { text-transform: uppercase; letter-spacing: .09em; font-size: .78rem; color: #4d5a6b;
  margin: 0 }
.question { font-size: 1.1rem; color: #333f4f; margin: 0 0 1.25rem }
.quiet { color: #4d5a6b; font-size: .93rem }
.verdict { border: 1px solid; border-left-width: 6px; border-radius: 4px; padding: .9rem 1.1rem;
  margin: 0 0 1.2rem; break-inside: avoid }
.verdict .word { display: inline-block; color: #fff; border-radius: 3px; padding: .1rem .6rem;
  font-weight: 600; font-size: .9rem }
.verdict .headline { font-size: 1.15rem; font-weight: 600; margin: .5rem 0 .4rem }
.holds { border-color: #0a6b45; background: #f1f9f5 } .holds .word { background: #0a6b45 }
.measured { border-color: #0b5c90; background: #f1f7fb } .measured .word { background: #0b5c90 }
.refuted, .broken { border-color: #b3261e; background: #fdf3f2 }
.refuted .word, .broken .word { background: #b3261e }
.broken .headline, .refuted .headline { color: #8c1d17 }
.scroll { overflow-x: auto }
table { border-collapse: collapse; margin: .8rem 0; font-variant-numeric: tabular-nums;
  font-size: .94rem; line-height: 1.45; width: 100% }
th, td { padding: .35rem .8rem .35rem 0; border-bottom: 1px solid #e1e6ec; text-align: left;
  vertical-align: top; overflow-wrap: break-word }
td:last-child { overflow-wrap: anywhere }
thead th { border-bottom: 2px solid #8a97a6; font-size: .86rem; vertical-align: bottom }
.quiet + .scroll { break-before: avoid } .whole { break-inside: avoid }
tr { break-inside: avoid } thead { display: table-header-group }
.facts th { width: 9.5rem; font-weight: 500; color: #4d5a6b; white-space: nowrap }
.numbers { width: auto } .numbers th:nth-child(n+2), .numbers td:nth-child(n+2) {
  text-align: right; padding: .35rem 0 .35rem 1.3rem } .numbers td { white-space: nowrap }
ol { padding-left: 1.6rem } ol li { margin: .6rem 0; break-inside: avoid }
ol p { margin: .15rem 0 }
figure { margin: 1.2rem 0; break-inside: avoid }
figure h3 { margin: 0 0 .4rem }
figcaption { font-size: .9rem; color: #4d5a6b; margin-top: .4rem }
code, pre { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace;
  font-size: .84rem; overflow-wrap: anywhere }
pre { white-space: pre-wrap; background: #f5f7f9; border: 1px solid #e1e6ec; padding: .7rem .9rem;
  border-radius: 4px; margin: .6rem 0 }
summary { cursor: pointer; color: #0b5c90 } a { color: #0b5c90 }
summary:focus-visible, a:focus-visible { outline: 3px solid #d55e00; outline-offset: 2px }
.sign { display: grid; grid-template-columns: 1fr 1fr; gap: 2.6rem 2.2rem; margin: 1.2rem 0 0;
  break-inside: avoid }
.sign div { border-top: 1px solid #1b2430; padding-top: .25rem; font-size: .86rem; color: #4d5a6b;
  margin-top: 2.2rem }
.sign div b { float: right; color: #1b2430; font-weight: 500 }
.choice { display: flex; gap: 2.2rem; flex-wrap: wrap; margin: .9rem 0 0; padding: 0;
  list-style: none }
.choice li::before { content: "\\2610\\2002"; font-size: 1.1rem }
.signing { break-inside: avoid }
footer { margin-top: 2.6rem; padding-top: .7rem; border-top: 1px solid #d5dce4; color: #4d5a6b;
  font-size: .86rem }
@page { size: A4; margin: 19mm 18mm 20mm;
  @bottom-right { content: counter(page) " / " counter(pages); font: 9pt system-ui, sans-serif;
    color: #4d5a6b } }
@media print {
  html { font-size: 9.6pt }
  body { font-size: 1rem; line-height: 1.45; margin: 0; max-width: none; padding: 0 }
  th, td, .numbers th:nth-child(n+2), .numbers td:nth-child(n+2) {
    padding-top: .22rem; padding-bottom: .22rem }
  .verdict, .word, pre { print-color-adjust: exact; -webkit-print-color-adjust: exact }
  .screen { display: none } .scroll { overflow: visible }
  h2 { margin-top: 1.4rem; padding-top: .7rem }
  a { color: inherit; text-decoration: none }
  figure { margin: .9rem 0 } figure svg { max-height: 66mm }
}
@media screen and (max-width: 34rem) { .sign { grid-template-columns: 1fr } }
"""


def page(review: Review) -> str:
    """Return the page of a review."""
    body = "\n".join(_parts(review))
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="twoworlds {escape(__version__)}">\n'
        f"<title>{escape(review.title)}</title>\n<style>{_STYLE}</style></head>\n"
        f"<body>\n{body}\n</body></html>\n"
    )


def _parts(review: Review) -> Iterator[str]:
    yield '<header><p class="kind">Privacy review</p>'
    yield f"<h1>{escape(review.title)}</h1>"
    yield f'<p class="question">{escape(review.question)}</p></header><main>'
    yield f'<section class="verdict {review.outcome}" aria-label="Verdict">'
    yield f'<span class="word">{_WORDS[review.outcome]}</span>'
    yield f'<p class="headline">{escape(review.headline)}</p>'
    yield from (f"<p>{escape(said)}</p>" for said in review.sentences)
    yield "</section>"
    if review.assumptions:
        yield "<h2>What this rests on</h2>"
        items = "".join(f"<li>{escape(one)}</li>" for one in review.assumptions)
        yield f"<ul>{items}</ul>"
    for section in review.sections:
        yield f"<h2>{escape(section.title)}</h2>"
        yield from map(_block, section.blocks)
    yield from _proof(review)
    yield from _signing(review.reviewers)
    yield "</main>"
    yield from _footer(review)


def _block(block: Block) -> str:
    match block:
        case Said(sentences, quiet):
            style = ' class="quiet"' if quiet else ""
            return "".join(f"<p{style}>{escape(said)}</p>" for said in sentences)
        case Facts(rows):
            cells = "".join(
                f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
                for name, value in rows
            )
            return f'<table class="facts"><tbody>{cells}</tbody></table>'
        case Grid(heads, rows, numbers):
            return _grid(heads, rows, numbers=numbers)
        case Steps(items):
            steps = "".join(
                f"<li><p>{escape(head)}</p>"
                + "".join(f'<p class="quiet">{escape(note)}</p>' for note in notes)
                + "</li>"
                for head, notes in items
            )
            return f"<ol>{steps}</ol>"
        case Picture(title, words, svg):
            return (
                f"<figure><h3>{escape(title)}</h3>{svg}"
                f"<figcaption>{escape(words)}</figcaption></figure>"
            )


def _grid(heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: bool) -> str:
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    style = ' class="numbers"' if numbers else ""
    kept = " whole" if len(rows) <= _KEPT_TOGETHER else ""
    return (
        f'<div class="scroll{kept}"><table{style}><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _proof(review: Review) -> Iterator[str]:
    proof = review.proof
    yield "<h2>To check it again</h2>"
    yield f"<p>{escape(proof.about)}</p>"
    yield f"<pre>{escape(proof.check)}</pre>"
    yield f'<p class="quiet">SHA-256 of {escape(proof.name)}: <code>{proof.digest}</code></p>'
    content = base64.b64encode(proof.text.encode()).decode()
    link = f'href="data:application/json;base64,{content}" download="{escape(proof.name)}"'
    yield f'<p class="screen"><a {link}>Save {escape(proof.name)}</a></p>'
    if len(proof.text) <= _LONGEST_SHOWN:
        yield f"<details><summary>Read {escape(proof.name)} here</summary>"
        yield f"<pre>{escape(proof.text)}</pre></details>"


def _signing(reviewers: Sequence[str]) -> Iterator[str]:
    yield '<section class="signing"><h2>Decision</h2>'
    decisions = ("approved", "approved with conditions", "not approved")
    yield f'<ul class="choice">{"".join(f"<li>{one}</li>" for one in decisions)}</ul>'
    yield '<div class="sign" style="grid-template-columns:1fr"><div>Conditions and remarks</div>'
    yield "</div>"
    for name in reviewers or ("",):
        yield f'<div class="sign"><div>Reviewer<b>{escape(name)}</b></div>'
        yield "<div>Signature and date</div></div>"
    yield "</section>"


def _footer(review: Review) -> Iterator[str]:
    yield "<footer>"
    yield f"<p>Made by twoworlds {escape(__version__)}"
    if review.command is not None:
        yield f" with:</p><pre>{escape(review.command)}</pre>"
        yield "<p>The same command gives the same page, to the letter."
    yield "</p></footer>"
