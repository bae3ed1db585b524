"""How a page of a review looks: on paper, on a screen, light and dark, and on a phone.

On paper it is dark on white and fits A4 and Letter alike: two pages to sign, then the appendix on a
page of its own. No meaning rests on a colour alone.
"""

from __future__ import annotations

_COLOURS = """
:root { color-scheme: light dark; --ink: #1a2230; --soft: #4d5a6b; --line: #d8dee6; --rule: #8a97a6;
  --paper: #fff; --tint: #f5f7f9; --link: #0b5c90; --strong: #0a6b45; --strong-tint: #f1f9f5;
  --moderate: #7a5200; --moderate-tint: #fdf8ec; --weak: #a8420a; --weak-tint: #fef3ec;
  --bad: #b3261e; --bad-tint: #fdeeec; --known: #0b5c90; --known-tint: #f1f7fb }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e4e9f0; --soft: #a9b5c4; --line: #333d4a; --rule: #6d7a8a; --paper: #12171e;
    --tint: #1a212b; --link: #7cc0f0; --strong: #2f8f68; --strong-tint: #12231d;
    --moderate: #a9821f; --moderate-tint: #252013; --weak: #c7641f; --weak-tint: #2a1c12;
    --bad: #c9473e; --bad-tint: #2d1614; --known: #2f7fb5; --known-tint: #132331 }
}
"""

_TEXT = """
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { font: 16px/1.5 "Segoe UI", -apple-system, BlinkMacSystemFont, Roboto, "Helvetica Neue",
  "Noto Sans", "Liberation Sans", Arial, system-ui, sans-serif; color: var(--ink);
  background: var(--paper); max-width: 50rem; margin: 2.5rem auto; padding: 0 1.25rem }
h1 { font-size: 1.8rem; line-height: 1.2; margin: .1rem 0 .7rem; overflow-wrap: anywhere;
  text-wrap: balance }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 1.5rem 0 .4rem; break-after: avoid }
h3 { font-size: 1.08rem; line-height: 1.3; margin: 1.9rem 0 .5rem; padding-top: .8rem;
  border-top: 1px solid var(--line); counter-increment: part; break-after: avoid }
h3::before { content: counter(part, upper-alpha) "\\2002"; color: var(--soft); font-weight: 400 }
h4 { font-size: .95rem; line-height: 1.35; margin: 0 0 .4rem; break-after: avoid;
  overflow-wrap: anywhere; text-wrap: balance }
p { margin: .45rem 0; orphans: 3; widows: 3; overflow-wrap: break-word; text-wrap: pretty }
ul { margin: .4rem 0; padding-left: 1.15rem }
li { margin: .2rem 0; overflow-wrap: break-word; text-wrap: pretty; break-inside: avoid }
ol { padding-left: 1.6rem } ol li { margin: .6rem 0 } ol p { margin: .15rem 0 }
.kind { text-transform: uppercase; letter-spacing: .1em; font-size: .76rem; font-weight: 600;
  color: var(--soft); margin: 0 }
.quiet { color: var(--soft); font-size: .9rem } .lead { break-after: avoid }
code, pre { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, "Liberation Mono",
  monospace; font-size: .82rem; overflow-wrap: anywhere }
pre { white-space: pre-wrap; background: var(--tint); border: 1px solid var(--line);
  padding: .65rem .85rem; border-radius: 5px; margin: .5rem 0 }
a, summary { color: var(--link) } summary { cursor: pointer }
summary:focus-visible, a:focus-visible { outline: 3px solid #d55e00; outline-offset: 2px }
"""

_SUMMARY = """
.form { display: grid; grid-template-columns: 3fr 2fr; gap: .45rem 2rem; margin: 0 }
.form div { display: flex; gap: .8rem; align-items: baseline; border-bottom: 1px solid var(--rule);
  padding: .2rem 0 } .form .wide { grid-column: 1 / -1 }
dt { color: var(--soft); font-size: .9rem; white-space: nowrap } dd { margin: 0; flex: 1 }
.line { display: inline-block; min-height: 1.3em }
.fill { display: flex; gap: .6rem; align-items: baseline } .fill .line { flex: 1;
  border-bottom: 1px solid var(--rule); min-height: 1.7em }
.verdict { border: 1px solid; border-left-width: 6px; border-radius: 6px; padding: .7rem 1rem .5rem;
  break-inside: avoid }
.verdict .headline { margin: 0 0 .4rem; overflow-wrap: anywhere }
.word { display: inline-block; color: #fff; border-radius: 4px; padding: .02rem .55rem;
  font-weight: 600; font-size: .88rem; margin-right: .35rem }
.guess { display: grid; grid-template-columns: 1fr 17rem; gap: 1.2rem; align-items: center }
.guess svg { width: 100% }
.sentence { font-size: 1.22rem; line-height: 1.35; font-weight: 600; margin: .2rem 0 .5rem }
.scale { display: grid; grid-template-columns: repeat(4, 1fr); gap: .3rem; list-style: none;
  padding: 0; margin: .2rem 0 .4rem }
.scale li { border: 1px solid var(--line); border-radius: 4px; padding: .25rem .45rem; margin: 0;
  font-size: .78rem; line-height: 1.25; color: var(--soft) } .scale b { display: block;
  font-size: .9rem; font-weight: 500 }
.scale [aria-current] { border: 2px solid var(--now); color: var(--ink) }
.scale [aria-current] b { font-weight: 700 }
.scale [aria-current] b::before { content: "\\25B6\\A0" }
.strong { --now: var(--strong); --now-tint: var(--strong-tint) }
.moderate { --now: var(--moderate); --now-tint: var(--moderate-tint) }
.weak { --now: var(--weak); --now-tint: var(--weak-tint) }
.none, .refuted, .broken { --now: var(--bad); --now-tint: var(--bad-tint) }
.holds, .measured { --now: var(--known); --now-tint: var(--known-tint) }
.verdict { border-color: var(--now); background: var(--now-tint) } .word { background: var(--now) }
.verdict.none, .verdict.refuted, .verdict.broken, .verdict.weak { border-width: 3px 3px 3px 12px }
.refuted > .headline, .broken > .headline { font-size: 1.15rem; font-weight: 600 }
.warning, .total { border-left: 4px solid var(--now); padding-left: .7rem; font-weight: 500 }
#checked[data-verdict] { color: var(--ink) } #checked b { font-weight: 600 }
.decision { break-inside: avoid; border: 1.5px solid var(--ink); border-radius: 6px;
  padding: .2rem 1rem .5rem; margin-top: 1.3rem } .decision h2 { margin-top: .6rem }
.choice { display: flex; gap: .4rem 2.4rem; flex-wrap: wrap; margin: .5rem 0; padding: 0;
  list-style: none; font-weight: 600 }
.choice li::before { content: ""; display: inline-block; width: .95em; height: .95em;
  border: 1.4px solid var(--ink); border-radius: 2px; margin-right: .55em; vertical-align: -.1em }
.sign { display: grid; grid-template-columns: 3fr 2fr 2fr 4fr; gap: 0 1.4rem }
.sign div { border-top: 1px solid var(--ink); padding-top: .2rem; font-size: .82rem;
  color: var(--soft); margin-top: 2.7rem; position: relative }
.sign div b { position: absolute; bottom: 100%; left: 0; padding-bottom: .2rem; color: var(--ink);
  font-weight: 500; font-size: 1rem; line-height: 1.2 }
"""

_PARTS = """
.appendix { counter-reset: part; margin-top: 3rem } .appendix > h2 { font-size: 1.5rem }
.subject { margin: .4rem 0 0 }
.subject th, .facts th { width: 8.5rem; font-weight: 500; color: var(--soft) }
.scroll { overflow-x: auto }
table { border-collapse: collapse; margin: .7rem 0; font-variant-numeric: tabular-nums;
  font-size: .93rem; line-height: 1.4; width: 100% }
th, td { padding: .32rem .9rem .32rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; overflow-wrap: anywhere }
td { min-width: 6.4rem } td:last-child { min-width: 9rem; padding-right: 0 }
td span { display: block; font-size: .95em }
thead th { border-bottom: 2px solid var(--rule); font-size: .86rem; line-height: 1.3;
  vertical-align: bottom; overflow-wrap: normal }
tr { break-inside: avoid } thead { display: table-header-group } .whole { break-inside: avoid }
.facts + .scroll { break-before: avoid } p:has(+ .facts) { break-after: avoid }
.facts td, .subject td { min-width: 0 } .subject td:last-child { overflow-wrap: anywhere }
.numbers { width: auto } .numbers th:nth-child(n+2), .numbers td:nth-child(n+2) {
  text-align: right; padding: .32rem 0 .32rem 1.4rem; max-width: 13rem; min-width: 0 }
.numbers td { white-space: nowrap; min-width: 0 }
figure { margin: 1.2rem 0; break-inside: avoid; min-width: 0 }
.charts { display: grid; grid-template-columns: 1fr 1fr; gap: 1.6rem 2rem; margin: 1.2rem 0 }
.charts figure { margin: 0 }
figcaption { font-size: .9rem; line-height: 1.45; color: var(--soft); margin-top: .4rem }
.paper { display: none }
@media screen and (max-width: 40rem) {
  body { margin-top: 1.5rem } h1 { font-size: 1.5rem }
  .charts, .sign, .form, .guess { grid-template-columns: 1fr }
  .guess svg { max-width: 15rem !important } .scale { grid-template-columns: 1fr 1fr }
  .facts th, .subject th { width: 6.5rem } .sign, li, p { overflow-wrap: anywhere }
  .words { position: relative } .words thead { position: absolute; width: 1px; height: 1px;
    overflow: hidden; clip-path: inset(50%) }
  .words tr { display: block; border-bottom: 1px solid var(--line); padding: .45rem 0 }
  .words td { display: block; border: 0; padding: .1rem 0 }
  .words td:first-child { font-weight: 600 }
}
"""

_PAPER = """
@page { margin: 15mm 17mm 16mm;
  @bottom-right { content: counter(page) " / " counter(pages);
    font: 8.5pt "Segoe UI", "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
    color: #4d5a6b } }
@media print {
  html { font-size: 9.6pt }
  .summary { font-size: 10.6pt } .summary + .summary { break-before: page }
  body { font-size: 1rem; line-height: 1.38; margin: 0; max-width: none; padding: 0 }
  .verdict, .word, pre, .guess svg { print-color-adjust: exact; -webkit-print-color-adjust: exact }
  .screen { display: none } .paper { display: block } .scroll { overflow: visible }
  .summary h2 { margin-top: 1.1rem } .facts, .subject { break-inside: avoid }
  .appendix { break-before: page; margin-top: 0 } .appendix > h2 { margin-top: 0 }
  th, td, .numbers th:nth-child(n+2), .numbers td:nth-child(n+2) {
    padding-top: .22rem; padding-bottom: .22rem }
  a { color: inherit; text-decoration: none }
  figure { margin: .9rem 0 } figure > svg { max-height: 150mm }
}
"""

STYLE = _COLOURS + _TEXT + _SUMMARY + _PARTS + _PAPER
