/** What the Release view shows besides query and answers: the policy and the ledger. */

import { ask, type ServiceError } from "../api";
import { facts, h, table } from "../dom";
import type { Column, Dataset } from "../query";
import { Answer } from "../view";
import { type Cost, costWords } from "../words";

/** A declared key: texts and truths stand for themselves, numbers and dates are named as such. */
export function keyWords(key: unknown): string {
  if (typeof key !== "object" || key === null) return String(key);
  return Object.values(key).map(String).join(" ");
}

export function described(dataset: Dataset): HTMLElement {
  const { unit } = dataset;
  const protects = unit.person
    ? `each ${unit.person}: at most ${unit.rows} of its rows count`
    : "each row";
  const about = (column: Column): string =>
    [
      column.keys.length ? `one of ${column.keys.map(keyWords).join(", ")}` : "",
      column.bounds ? `${column.bounds[0]} to ${column.bounds[1]}` : "",
      column.bins.length ? `groups from ${column.bins.join(", ")}` : "",
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
  cost: Cost;
  answered: boolean;
}

export interface Ledger {
  readonly root: HTMLDetailsElement;
  refresh(): void;
}

/** The newest charges, fetched when somebody opens them, and again after each payment. */
export function ledger(): Ledger {
  const answer = new Answer();
  const root = h(
    "details",
    { class: "policy" },
    h("summary", {}, "The ledger: what was charged"),
    answer.root,
  );
  const refresh = (): void => {
    if (!root.open) return;
    answer.wait();
    ask<{ newest: Charge[] }>("GET", "ledger")
      .then(({ newest }) => answer.show(listed(newest)))
      .catch((error: ServiceError) => answer.show(h("p", { class: "error" }, error.message)));
  };
  root.addEventListener("toggle", refresh);
  return { root, refresh };
}

function listed(newest: readonly Charge[]): HTMLElement {
  if (newest.length === 0) return h("p", { class: "hint" }, "Nothing was charged yet.");
  return table(
    "The newest charges",
    ["entry", "dataset", "by", "cost", "answered"],
    newest.map((one) => [
      String(one.entry),
      one.dataset,
      one.analysts.join(", ") || "anybody",
      costWords(one.cost),
      one.answered ? "yes" : "not yet",
    ]),
  );
}
