/** What the Release view shows besides its query: answers, the ledger, and the policy. */

import { ask, type ServiceError } from "../api";
import { chart } from "../chart";
import { type Child, copyButton, facts, figure, h, table } from "../dom";
import type { Column, Dataset } from "../query";
import { Answer } from "../view";
import { exactly, type Numeral, short } from "../words";

interface Value {
  value: Numeral;
  interval: [Numeral, Numeral] | null;
  utility?: string | null;
}

export interface Released {
  answers: {
    columns: { name: string; words: string }[];
    notes: string[];
    repeated: boolean;
    rows: { group: Record<string, unknown>; values: Record<string, Value> }[];
  }[];
  meaning: string[];
  paid: { epsilon?: Numeral };
  left: Record<string, { epsilon?: Numeral }>;
  certificate: unknown;
}

export function answered(found: Released): Child[] {
  const [first] = found.answers;
  if (!first) return [];
  const names = first.columns.map((column) => column.name);
  const label = (group: Record<string, unknown>): string =>
    Object.values(group).map(String).join(", ") || "all";
  const certificate = JSON.stringify(found.certificate, null, 1);
  return [
    h("h2", { tabindex: "-1" }, "Answers"),
    h(
      "p",
      { class: "caption" },
      first.repeated
        ? "This repeats a stored answer: nothing was paid again."
        : `Paid epsilon ${found.paid.epsilon ? exactly(found.paid.epsilon) : "0"}. Asking the same again costs nothing.`,
    ),
    ...first.columns.map((column) => {
      const rows = first.rows.flatMap((row) => {
        const cell = row.values[column.name];
        const value = cell?.value?.value;
        if (cell === undefined || value === null || value === undefined) return [];
        const [low, high] = cell.interval ?? [cell.value, cell.value];
        return [
          { group: label(row.group), value, low: low.value ?? value, high: high.value ?? value },
        ];
      });
      return figure(
        column.name,
        column.words,
        chart(
          `Answers with intervals for ${column.name}; the numbers follow as a table`,
          (pictures, width) => pictures.intervals(width, rows, column.name),
        ),
      );
    }),
    table(
      "Answers, with the intervals of their noise",
      ["group", ...names],
      first.rows.map((row) => [
        label(row.group),
        ...names.map((name) => written(row.values[name])),
      ]),
    ),
    h(
      "ul",
      { class: "meaning" },
      ...[...found.meaning, ...first.notes].map((words) => h("li", {}, words)),
    ),
    h(
      "details",
      { class: "certificate" },
      h("summary", {}, "Certificate"),
      h(
        "p",
        { class: "hint" },
        "Save it as a file; twoworlds verify FILE checks it without the data.",
      ),
      h("pre", { tabindex: "0" }, certificate),
      copyButton("Copy certificate", () => certificate),
    ),
  ];
}

function written(cell: Value | undefined): string {
  if (!cell?.value || cell.value.value === null) return "none";
  const [low, high] = cell.interval ?? [];
  const about = low && high ? ` (${short(low.value ?? 0)} to ${short(high.value ?? 0)})` : "";
  return `${short(cell.value.value, 6)}${about}`;
}

export function described(dataset: Dataset): HTMLElement {
  const { unit } = dataset;
  const protects = unit.person
    ? `each ${unit.person}: at most ${unit.rows} of its rows count`
    : "each row";
  const about = (column: Column): string =>
    [
      column.keys.length ? `one of ${column.keys.map(String).join(", ")}` : "",
      column.bounds ? `${column.bounds[0]} to ${column.bounds[1]}` : "",
    ]
      .filter(Boolean)
      .join("; ");
  return h(
    "details",
    { class: "policy" },
    h("summary", {}, `What the policy says of ${dataset.name}`),
    facts([
      ["Protects", protects],
      ["Neighbours", dataset.neighbours],
      ["Budget", dataset.budget?.cap ?? null],
    ]),
    table(
      `Columns of ${dataset.name}`,
      ["column", "kind", "declared"],
      dataset.columns.map((column) => [column.name, column.kind, about(column)]),
    ),
  );
}

interface Charge {
  entry: number;
  dataset: string;
  analysts: string[];
  cost: { epsilon?: Numeral };
  answered: boolean;
}

/** The newest charges, fetched when somebody opens them. */
export function ledger(): HTMLElement {
  const answer = new Answer();
  const made = h(
    "details",
    { class: "policy" },
    h("summary", {}, "The ledger: what was charged"),
    answer.root,
  );
  made.addEventListener("toggle", () => {
    if (!made.open) return;
    ask<{ newest: Charge[] }>("GET", "ledger")
      .then(({ newest }) =>
        answer.show(
          table(
            "The newest charges",
            ["entry", "dataset", "by", "epsilon", "answered"],
            newest.map((one) => [
              String(one.entry),
              one.dataset,
              one.analysts.join(", "),
              one.cost.epsilon ? exactly(one.cost.epsilon) : "0",
              one.answered ? "yes" : "not yet",
            ]),
          ),
        ),
      )
      .catch((error: ServiceError) => answer.show(h("p", { class: "error" }, error.message)));
  });
  return made;
}
