"""How a page of a review looks: on paper, on a screen, light and dark, and on a phone.

The first page is a summary, the rest is for whoever wants to know more. On paper it is always dark
on white, and fits A4 and Letter alike.
"""

from __future__ import annotations

_COLOURS = """
:root { color-scheme: light dark; --ink: #1a2230; --soft: #4d5a6b; --line: #d8dee6; --rule: #8a97a6;
  --paper: #fff; --tint: #f5f7f9; --link: #0b5c90; --good: #0a6b45; --good-tint: #f1f9f5;
  --bad: #b3261e; --bad-tint: #fdf3f2; --bad-ink: #8c1d17; --known: #0b5c90;
  --known-tint: #f1f7fb }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e4e9f0; --soft: #a9b5c4; --line: #333d4a; --rule: #6d7a8a; --paper: #12171e;
    --tint: #1a212b; --link: #7cc0f0; --good: #2f8f68; --good-tint: #12231d; --bad: #c9473e;
    --bad-tint: #2a1716; --bad-ink: #ff9d94; --known: #2f7fb5; --known-tint: #132331 }
}
"""

_TEXT = """
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { font: 16px/1.55 "Segoe UI", -apple-system, BlinkMacSystemFont, Roboto, "Helvetica Neue",
  "Noto Sans", "Liberation Sans", Arial, system-ui, sans-serif; color: var(--ink);
  background: var(--paper); max-width: 48rem; margin: 2.75rem auto; padding: 0 1.25rem;
  counter-reset: part; font-kerning: normal }
h1 { font-size: 1.9rem; line-height: 1.2; letter-spacing: -.012em; margin: .2rem 0 .7rem;
  overflow-wrap: anywhere; text-wrap: balance }
h2 { font-size: 1.22rem; line-height: 1.3; margin: 2.4rem 0 .6rem; padding-top: 1rem;
  border-top: 1px solid var(--line); counter-increment: part; break-after: avoid }
h2::before { content: counter(part) "\\2002"; color: var(--soft); font-weight: 400 }
h3 { font-size: 1rem; line-height: 1.35; margin: 1.2rem 0 .4rem; break-after: avoid;
  overflow-wrap: anywhere; text-wrap: balance }
p { margin: .55rem 0; orphans: 3; widows: 3; overflow-wrap: break-word; text-wrap: pretty }
ul { margin: .5rem 0; padding-left: 1.2rem }
li { margin: .28rem 0; overflow-wrap: break-word; text-wrap: pretty; break-inside: avoid }
ol { padding-left: 1.6rem } ol li { margin: .6rem 0 } ol p { margin: .15rem 0 }
.kind { text-transform: uppercase; letter-spacing: .1em; font-size: .76rem; font-weight: 600;
  color: var(--soft); margin: 0 }
.question { font-size: 1.12rem; line-height: 1.45; margin: 0 0 .9rem }
.quiet { color: var(--soft); font-size: .92rem } .lead { break-after: avoid }
code, pre { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, "Liberation Mono",
  monospace; font-size: .84rem; overflow-wrap: anywhere }
pre { white-space: pre-wrap; background: var(--tint); border: 1px solid var(--line);
  padding: .65rem .85rem; border-radius: 5px; margin: .5rem 0 }
a, summary { color: var(--link) } summary { cursor: pointer }
summary:focus-visible, a:focus-visible { outline: 3px solid #d55e00; outline-offset: 2px }
"""

_PARTS = """
.subject { margin: 0 0 1.3rem; font-size: .95rem }
.subject th, .facts th { width: 9.5rem; font-weight: 500; color: var(--soft) }
.verdict { border: 1px solid; border-left-width: 6px; border-radius: 6px;
  padding: 1rem 1.2rem .8rem; margin: 0 0 1.2rem; break-inside: avoid }
.verdict .word { display: inline-block; color: #fff; border-radius: 4px; padding: .12rem .65rem;
  font-weight: 600; font-size: .88rem }
.verdict .headline { font-size: 1.2rem; line-height: 1.35; font-weight: 600;
  margin: .55rem 0 .4rem; overflow-wrap: anywhere }
.holds { border-color: var(--good); background: var(--good-tint) }
.holds .word { background: var(--good) }
.measured { border-color: var(--known); background: var(--known-tint) }
.measured .word { background: var(--known) }
.refuted, .broken { border-color: var(--bad); background: var(--bad-tint) }
.refuted .word, .broken .word { background: var(--bad) }
.broken .headline, .refuted .headline { color: var(--bad-ink) }
.scroll { overflow-x: auto }
table { border-collapse: collapse; margin: .8rem 0; font-variant-numeric: tabular-nums;
  font-size: .94rem; line-height: 1.45; width: 100% }
th, td { padding: .38rem .9rem .38rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; overflow-wrap: anywhere }
td { min-width: 4.5rem } td:last-child { min-width: 11rem; padding-right: 0 }
td span { display: block; font-size: .95em }
thead th { border-bottom: 2px solid var(--rule); font-size: .86rem; line-height: 1.3;
  vertical-align: bottom; overflow-wrap: normal }
tr { break-inside: avoid } thead { display: table-header-group } .whole { break-inside: avoid }
.facts + .scroll { break-before: avoid } p:has(+ .facts) { break-after: avoid }
.facts td, .subject td { min-width: 0 } .subject td:last-child { overflow-wrap: anywhere }
.numbers { width: auto } .numbers th:nth-child(n+2), .numbers td:nth-child(n+2) {
  text-align: right; padding: .38rem 0 .38rem 1.4rem; max-width: 13rem; min-width: 0 }
.numbers td { white-space: nowrap; min-width: 0 }
figure { margin: 1.2rem 0; break-inside: avoid; min-width: 0 } figure h3 { margin-top: 0 }
.charts { display: grid; grid-template-columns: 1fr 1fr; gap: 1.6rem 2rem; margin: 1.2rem 0 }
.charts figure { margin: 0 }
figcaption { font-size: .9rem; line-height: 1.45; color: var(--soft); margin-top: .4rem }
.signing { break-inside: avoid }
.choice { display: flex; gap: .4rem 2.4rem; flex-wrap: wrap; margin: .9rem 0 0; padding: 0;
  list-style: none }
.choice li::before { content: ""; display: inline-block; width: .85em; height: .85em;
  border: 1.2px solid var(--ink); border-radius: 2px; margin-right: .55em; vertical-align: -.08em }
.sign { display: grid; grid-template-columns: 3fr 3fr 4fr 2fr; gap: 0 1.6rem; break-inside: avoid }
.sign div { border-top: 1px solid var(--ink); padding-top: .25rem; font-size: .84rem;
  color: var(--soft); margin-top: 3.4rem; position: relative }
.sign div b { position: absolute; bottom: 100%; left: 0; padding-bottom: .25rem; color: var(--ink);
  font-weight: 500; font-size: 1rem; line-height: 1.25 }
.sign .remarks { grid-column: 1 / -1; margin-top: 3rem } .remarks + .remarks { padding-top: 0 }
.paper { display: none }
@media screen and (max-width: 40rem) {
  body { margin-top: 1.5rem } h1 { font-size: 1.55rem }
  .charts { grid-template-columns: 1fr } .sign { grid-template-columns: 1fr }
  .facts th, .subject th { width: 6.5rem } .sign, li, p { overflow-wrap: anywhere }
  .words { position: relative } .words thead { position: absolute; width: 1px; height: 1px;
    overflow: hidden; clip-path: inset(50%) }
  .words tr { display: block; border-bottom: 1px solid var(--line); padding: .45rem 0 }
  .words td { display: block; border: 0; padding: .1rem 0 }
  .words td:first-child { font-weight: 600 }
}
"""

_PAPER = """
@page { margin: 18mm 18mm 19mm;
  @bottom-right { content: counter(page) " / " counter(pages);
    font: 8.5pt "Segoe UI", "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
    color: #4d5a6b } }
@media print {
  html { font-size: 9.4pt }
  body { font-size: 1rem; line-height: 1.4; margin: 0; max-width: none; padding: 0 }
  .verdict, .word, pre { print-color-adjust: exact; -webkit-print-color-adjust: exact }
  .screen { display: none } .paper { display: block } .scroll { overflow: visible }
  h1 { font-size: 1.75rem } h2 { margin-top: 1.2rem; padding-top: .7rem }
  .facts, .subject { break-inside: avoid }
  th, td, .numbers th:nth-child(n+2), .numbers td:nth-child(n+2) {
    padding-top: .24rem; padding-bottom: .24rem }
  .subject { margin-bottom: .9rem } .verdict { margin-bottom: 1rem; padding-top: .8rem }
  a { color: inherit; text-decoration: none }
  figure { margin: .9rem 0 } figure > svg { max-height: 150mm }
}
"""

STYLE = _COLOURS + _TEXT + _PARTS + _PAPER
