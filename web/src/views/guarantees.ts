/** Guarantees: what the row cone of a mechanism or a definition says about attackers, in words. */

import { debounce, type GuaranteesAnswer, latest, post } from "../api";
import { python, quoted } from "../calls";
import { chart } from "../chart";
import { type Child, copyButton, figure, h, selectField, table, textField } from "../dom";
import { Fraction } from "../fraction";
import { picker } from "../picker";
import { Answer, controls, Errors, lead, type Place, Recipes, type View } from "../view";
import { exactly, percent } from "../words";

const MOST_SHOWN = 40;

export const guarantees: View = {
  name: "guarantees",
  tab: "Guarantees",
  title: "What is promised, and to whom?",
  intro:
    "Everything that a mechanism or a definition guarantees is a list of inequalities between " +
    "likelihoods. Each says of some attacker's belief what no output can overturn.",
  mount,
};

function mount(root: HTMLElement, place: Place): void {
  const run = latest();
  const sentence = lead();
  const answer = new Answer(sentence);
  const recipes = new Recipes();
  const ask = debounce(150, go);
  let about = place.params.get("definition") ? "definition" : "mechanism";
  const chosen = picker(place.params.get("mechanism"), () => ask());
  const definition = textField({
    label: "Definition",
    value: place.params.get("definition") ?? "dp(ratio=3)",
    hint: "Such as dp(ratio=3), or linear constraints: linear(x11 <= 3 x10).",
    onchange: () => go(),
  });
  const universe = textField({
    label: "Databases",
    value: place.params.get("universe") ?? "bits(1)",
    hint: "What may be true: bits(2), records(values=3, n=1).",
    onchange: () => go(),
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
      go();
    },
  });
  const claim = h("div", { class: "row" }, definition.root, universe.root);
  const errors = new Errors({ mechanism: chosen.field, definition, universe });

  function arrange(): void {
    chosen.root.hidden = about !== "mechanism";
    claim.hidden = about === "mechanism";
  }

  function go(): void {
    const ofMechanism = about === "mechanism";
    const text = ofMechanism ? chosen.value() : definition.value().trim();
    const where = ofMechanism ? null : universe.value().trim();
    place.save(ofMechanism ? { mechanism: text } : { definition: text, universe: where });
    const option = where ? ` --universe ${quoted(where)}` : "";
    const told = where ? `, ${python(where)}` : "";
    recipes.show({
      command: `twoworlds statements ${quoted(text)}${option}`,
      python: `from twoworlds.cones import row_cone\n\nfor said in row_cone(${python(text)}${told}).statements():\n    print(said.sentence)`,
    });
    answer.wait();
    const body = ofMechanism ? { mechanism: text } : { definition: text, universe: where };
    void run(
      (signal) => post<GuaranteesAnswer>("guarantees", body, signal),
      (found) => {
        errors.clear();
        sentence.textContent = found.statements[0]?.words ?? "Nothing is guaranteed to anybody.";
        answer.show(...described(found));
      },
      (error) => {
        answer.fail();
        errors.show(error);
      },
    );
  }

  arrange();
  root.append(
    controls("Choose what promises", subject.root, chosen.root, claim),
    errors.root,
    sentence,
    answer.root,
    recipes.root,
  );
  go();
}

function described(found: GuaranteesAnswer): Child[] {
  const shown = found.statements.slice(0, MOST_SHOWN);
  const rest = found.statements.length - shown.length;
  const count = typeof found.count === "number" ? found.count.toLocaleString("en") : found.count;
  return [
    found.rays && found.columns ? drawn(found.rays, found.columns) : null,
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
      h("ol", { class: "statements" }, ...shown.map(statement)),
      rest > 0
        ? h("p", { class: "hint" }, `And ${rest} more: the command below lists them all.`)
        : null,
    ),
  ];
}

function statement(one: GuaranteesAnswer["statements"][number]): HTMLElement {
  const certificate = one.certificate ? JSON.stringify(one.certificate, null, 1) : null;
  const more = one.more !== one.words ? one.more : null;
  if (!one.inequality && !one.belief && !certificate) return h("li", {}, one.words);
  return h(
    "li",
    {},
    h(
      "details",
      {},
      h("summary", {}, one.words),
      more ? h("p", { class: "said" }, more) : null,
      one.inequality
        ? h(
            "p",
            {},
            h("code", { class: "inequality" }, one.inequality.text),
            h("span", { class: "hint" }, " for every likelihood row x; x11 is P(output | 11)"),
          )
        : null,
      one.belief
        ? table(
            "The belief it speaks of",
            ["database", "probability", ""],
            Object.entries(one.belief).map(([database, mass]) => [
              database,
              exactly(mass),
              percent(mass.value ?? 0),
            ]),
          )
        : null,
      certificate
        ? h(
            "details",
            { class: "certificate" },
            h("summary", {}, "Certificate"),
            h(
              "p",
              { class: "hint" },
              "Save it as a file; twoworlds verify FILE checks it by plain arithmetic.",
            ),
            h("pre", { tabindex: "0" }, certificate),
            copyButton("Copy certificate", () => certificate),
          )
        : null,
    ),
  );
}

function drawn(rays: string[][], columns: string[]): HTMLElement {
  const numbers = rays.map((ray) => ray.map((part) => Fraction.read(part)?.value ?? 0));
  const extreme = numbers.map((row, i) => ({ label: (rays[i] ?? []).join(" : "), row: unit(row) }));
  const words =
    columns.length === 2
      ? "Each output is a point: how likely it is on one database and on the other. All of them lie in the coloured part."
      : "Each output is a point: the nearer to a corner, the more it speaks for that database. All of them lie in the coloured part.";
  return figure(
    "The picture",
    words,
    chart("The cone of likelihood rows; its extreme rows follow as a table", (pictures, width) =>
      pictures.cone(width, columns, numbers, extreme),
    ),
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
