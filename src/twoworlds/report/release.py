"""A release as a page that can be signed: what was asked, the answers, what they mean, the proof.

One file of HTML without scripts and without anything from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from twoworlds.numbers import exact_text, show
from twoworlds.release.answers.words import accuracy, asked, meaning, price, protected, selection
from twoworlds.release.certificate import certify
from twoworlds.release.curator import Released
from twoworlds.release.query.sql import to_sql

__all__ = ["release_page"]

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1c2430; background: #fff;
  max-width: 60rem; margin: 2rem auto; padding: 0 1.25rem }
h1 { font-size: 1.6rem; margin: 0 0 .25rem } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem }
p { margin: .5rem 0 } .lead { color: #4a5565 } .meaning { border-left: 4px solid #2a6f6f;
  padding: .25rem 0 .25rem 1rem; background: #f2f8f7 }
table { border-collapse: collapse; margin: .75rem 0; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .75rem; border-bottom: 1px solid #dde3ea; text-align: right }
th:first-child, td:first-child { text-align: left } thead th { border-bottom: 2px solid #8896a6 }
code { font: .85em ui-monospace, monospace; overflow-wrap: anywhere }
.sign { border-bottom: 1px solid #8896a6; padding-top: 2rem; max-width: 30rem }
td:nth-child(n+2) { white-space: nowrap } .scroll { overflow-x: auto }
footer { margin-top: 2.5rem; color: #4a5565; font-size: .9rem }
@media print { body { margin: 0; max-width: none } }
"""


def release_page(released: Released) -> str:
    """Return the page of a release, as HTML."""
    dataset = released.answers[0].resolved.dataset
    title = f"Release from {dataset.name}"
    body = "\n".join(_parts(released))
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n"
        f"<body><h1>{escape(title)}</h1>\n{body}\n</body></html>\n"
    )


def _parts(released: Released) -> Iterator[str]:
    answer = released.answers[0]
    context = answer.context
    yield _text(protected(context.unit, context.neighbours), "lead")
    yield "<h2>What this lets anyone learn about a person</h2>"
    told = meaning(context.cost, context.unit, context.neighbours)
    yield f'<div class="meaning">{"".join(_text(said) for said in told)}</div>'
    yield "<h2>Answers</h2>"
    for one in released.answers:
        yield _text(asked(one.resolved))
        yield f"<p><code>{escape(to_sql(one.resolved.query))}</code></p>"
        yield f'<div class="scroll">{_html_table(*one.table())}</div>'
        errors = (*map(accuracy, one.columns), *selection(one.resolved))
        yield "".join(_text(said, "lead") for said in errors)
    yield "<h2>Noise</h2>"
    yield _text(released.calibration.explain().splitlines()[-1])
    yield f'<div class="scroll">{_noise(released)}</div>'
    yield "<h2>Price</h2>"
    yield _text(f"Asked by {released.reservation.analyst}. {price(context)}")
    yield "<h2>Reviewed</h2>"
    yield '<p class="sign">Name and date:</p>'
    certificate = certify(released)
    yield "<footer>"
    yield _text(
        f"Version {answer.resolved.dataset.version} of the data. "
        f"Entry {released.reservation.charge} of the ledger."
    )
    yield f"<p>Hash of the entry: <code>{escape(released.reservation.hash)}</code></p>"
    yield f"<p>Digest of the certificate: <code>{escape(certificate['digest'])}</code></p>"
    yield "</footer>"


def _noise(released: Released) -> str:
    rows = []
    for one, noises in zip(released.answers, released.calibration.noises, strict=True):
        for measure, noise in zip(one.resolved.measures, noises, strict=True):
            of = "" if measure.column is None else f" of {measure.column}"
            rows.append(
                [
                    f"{measure.kind}{of}",
                    noise.name,
                    show(noise.scale if noise.rate is None else noise.rate),
                    show(noise.sensitivity),
                    str(exact_text(measure.unit)),
                ]
            )
    return _html_table(["measure", "noise", "scale", "sensitivity", "unit"], rows)


def _html_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(text: str, kind: str = "") -> str:
    style = f' class="{kind}"' if kind else ""
    return f"<p{style}>{escape(text)}</p>"
