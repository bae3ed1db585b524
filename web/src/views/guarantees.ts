/** Guarantees: what the row cone of a mechanism or a definition says about attackers, in words. */

import { Foreseen, type GuaranteesAnswer, inTurn } from "../api";
import { chart } from "../chart";
import { type Child, figure, h, selectField, table, textField } from "../dom";
import { Fraction } from "../fraction";
import { picker } from "../picker";
import { certificate, certificateChecker } from "../verify_file";
import { Frame, type Place, type View } from "../view";
import { capital, exactly, percent } from "../words";

const MOST_SHOWN = 40;

/** Mechanisms of which no list of guarantees can be made, by their names. */
const NOT_LISTED = [
  ...["gaussian", "laplace", "adaptive", "batch", "compose", "integer-noise"],
  ...["fixed-sample", "poisson-sample", "shuffle"],
];

export const guarantees: View = {
  name: "guarantees",
  tab: "Guarantees",
  title: "What is promised, and to whom?",
  intro:
    "All that is guaranteed is a list of inequalities. Each says of some belief what no output can " +
    "overturn.",
  mount,
};

function mount(root: HTMLElement, place: Place): void {
  const ask = inTurn(go);
  let about = place.params.get("definition") ? "definition" : "mechanism";
  const known = new Foreseen<GuaranteesAnswer>("guarantees");
  const near = (texts: readonly string[]): void =>
    void known.near(texts.map((mechanism) => ({ mechanism })));
  const chosen = picker(place.params.get("mechanism"), () => ask(), near, NOT_LISTED);
  const definition = textField({
    label: "Definition",
    rows: 1,
    wide: true,
    value: place.params.get("definition") ?? "dp(ratio=3)",
    hint: "Such as dp(ratio=3), or linear constraints: linear(x11 <= 3 x10).",
    onchange: () => ask(),
  });
  const universe = textField({
    label: "Databases",
    rows: 1,
    wide: true,
    value: place.params.get("universe") ?? "bits(1)",
    hint: "What may be true: bits(2), records(values=3, n=1).",
    onchange: () => ask(),
  });
  const subject = selectField({
    label: "Guarantees of",
    value: about,
    choices: [
      ["mechanism", "a mechanism"],
      ["definition", "a definition of privacy"],
    ],
    onchange: (value) => {
      about = value;
      arrange();
      ask();
    },
  });
  const claim = h("div", { class: "row" }, definition.root, universe.root);
  const frame = new Frame(
    root,
    "Choose what promises",
    { mechanism: chosen.field, definition, universe },
    subject.root,
    chosen.root,
    claim,
    certificateChecker(),
  );

  function arrange(): void {
    chosen.root.hidden = about !== "mechanism";
    claim.hidden = about === "mechanism";
  }

  function go(): Promise<void> {
    const ofMechanism = about === "mechanism";
    const text = ofMechanism ? chosen.value() : definition.value().trim();
    const where = ofMechanism ? null : universe.value().trim();
    place.save(ofMechanism ? { mechanism: text } : { definition: text, universe: where });
    const body = ofMechanism ? { mechanism: text } : { definition: text, universe: where };
    frame.recipes.show(
      "statements",
      { source: text, universe: where || null },
      { path: "guarantees", body },
    );
    return frame.ask(
      (signal) => known.ask(body, signal),
      (found) => {
        frame.sentence.textContent = found.headline;
        frame.answer.show(...described(found));
      },
    );
  }

  arrange();
  ask();
}

function described(found: GuaranteesAnswer): Child[] {
  const shown = found.statements.slice(0, MOST_SHOWN);
  const rest = found.statements.length - shown.length;
  const count = typeof found.count === "number" ? found.count.toLocaleString("en") : found.count;
  return [
    h(
      "section",
      {},
      h("h2", {}, "In words, one by one"),
      h(
        "p",
        { class: "caption" },
        `${count} in all, about ${found.universe}. Open one for its inequality, the belief it speaks of and its certificate.`,
        found.note ? ` ${found.note}` : null,
        found.approximation ? ` ${found.approximation}` : null,
      ),
      h(
        "ol",
        { class: "statements" },
        ...shown.map((one) => statement(one, found.columns?.[0] ?? "11")),
      ),
      rest > 0
        ? h("p", { class: "hint" }, `And ${rest} more: the command below lists them all.`)
        : null,
    ),
    found.rays && found.columns
      ? h("div", { class: "figures" }, drawn(found.rays, found.columns), reading(found.columns))
      : null,
  ];
}

function statement(
  one: GuaranteesAnswer["statements"][number],
  database: string,
): HTMLElement {
  const proven = one.certificate ? JSON.stringify(one.certificate, null, 1) : null;
  const odds = /^\s*odds (.*)/ms.exec(one.more)?.[1]?.replace(/\s+/g, " ").trim();
  if (!one.inequality && !one.belief && !proven) return h("li", {}, one.words);
  return h(
    "li",
    {},
    h(
      "details",
      {},
      h("summary", {}, one.words),
      odds ? h("p", { class: "said" }, `${capital(odds)}.`) : null,
      one.inequality
        ? h(
            "p",
            {},
            h("code", { class: "inequality" }, one.inequality.text),
            h(
              "span",
              { class: "hint" },
              ` for every likelihood row x; x${database} is P(output | ${database})`,
            ),
          )
        : null,
      one.belief
        ? table(
            "The belief it speaks of",
            ["database", "probability", "percent"],
            Object.entries(one.belief).map(([database, mass]) => [
              database,
              exactly(mass),
              percent(mass.value ?? 0),
            ]),
          )
        : null,
      proven ? proof(proven) : null,
    ),
  );
}

const proof = (text: string): HTMLElement =>
  certificate(text, (file) => [
    "The certificate multiplies the inequality with every extreme row. Save it, and ",
    h("code", {}, `twoworlds verify ${file}`),
    " checks it by plain arithmetic.",
  ]);

/** How to read the picture, in words. */
function reading(columns: readonly string[]): HTMLElement {
  const [a = "", b = "", c] = columns;
  const parts = c
    ? [
        `A corner would be an output that occurs on that database alone, and proves it.`,
        `The middle is an output that teaches nothing: equally likely on ${a}, ${b} and ${c}.`,
        `2 : 1 : 1 is an output twice as likely on ${a} as on ${b} or on ${c}.`,
      ]
    : [
        `On the diagonal, an output teaches nothing: it is as likely on ${a} as on ${b}.`,
        `An output on an axis would occur on one database alone, and prove it.`,
        `3 : 1 is an output three times as likely on ${a} as on ${b}.`,
      ];
  return h(
    "section",
    { class: "assumes" },
    h("h2", {}, "How to read it"),
    h(
      "ul",
      {},
      ...[...parts, "The smaller the shaded part, the more is guaranteed."].map((words) =>
        h("li", {}, words),
      ),
    ),
  );
}

function drawn(rays: string[][], columns: string[]): HTMLElement {
  const numbers = rays.map((ray) => ray.map((part) => Fraction.read(part)?.value ?? 0));
  const extreme = numbers.map((row, i) => ({ label: (rays[i] ?? []).join(" : "), row: unit(row) }));
  const words =
    columns.length === 2
      ? "Each output is a point: how likely it is on one database and on the other. All of them lie in the shaded part."
      : "Each output is a point: the nearer to a corner, the more it speaks for that database. All of them lie in the shaded part.";
  return figure(
    "The picture",
    words,
    chart("The cone of likelihood rows; its extreme rows follow as a table", (pictures, width) =>
      pictures.cone(width, columns, numbers, extreme),
    ),
    () =>
      table(
        "Extreme rows: likelihoods up to a factor",
        ["row", ...columns],
        rays.map((ray, i) => [String(i + 1), ...ray]),
      ),
  );
}

function unit(row: readonly number[]): number[] {
  const sum = row.reduce((total, part) => total + part, 0) || 1;
  return row.map((part) => part / sum);
}
