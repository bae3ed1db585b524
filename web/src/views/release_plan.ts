/** What is known of a release before it is paid for: its warnings, and how far answers may be off. */

import { chart } from "../chart";
import { type Child, facts, figure, h } from "../dom";
import { type Cost, costWords, type Numeral, short } from "../words";

export interface Warned {
  kind: string;
  words: string;
  confirm: boolean;
}

export interface Expected {
  name: string;
  kind: string;
  half_width: Numeral | null;
  ranks?: Numeral | null;
  group_size?: number | null;
  certainty: string;
  /** in smaller groups the answer is lost in noise */
  least_group: number;
}

export interface Plan {
  cost: Cost;
  /** what is to be paid for it: nothing if the answer is stored */
  price: Cost;
  stored: boolean;
  errors: Expected[][];
  /** the groups of each query; null where the data will tell */
  cells: (string[] | null)[];
  warnings: Warned[];
  review: { needed: boolean; proposal: number | null; status: string | null };
  meaning: string[];
}

const MOST_DRAWN = 12;
const ROWS = 1000; // a group of so many rows should be seen above the noise

/** Whether no one person can change the answer, so that nothing is paid for it. */
export const free = ({ stored, price }: Plan): boolean =>
  !stored && Object.values(price).every((part) => part.value === 0);

/** What it costs, and how far each answer may be off. */
export function planned(found: Plan): Child {
  return facts([
    ["Costs", costs(found)],
    ...found.errors
      .flat()
      .map((one) => [`Error of ${one.name}`, expected(one)] as [string, string]),
  ]);
}

function costs(found: Plan): string {
  if (found.stored) return "nothing: the answer is stored";
  return free(found) ? "nothing: no one person can change the answer" : costWords(found.cost);
}

/** How far an answer will probably be off, in words. */
export function expected(one: Expected): string {
  const groups = one.group_size ? ` in groups of ${one.group_size.toLocaleString("en")}` : "";
  if (one.half_width?.value === 0) return "none: it is exact";
  if (one.half_width)
    return `within ±${short(one.half_width.value ?? 0)} with probability ${one.certainty}${groups}`;
  if (one.ranks)
    return `at most ${short(one.ranks.value ?? 0)} ranks off, with probability ${one.certainty.replace(", in ranks", "")}`;
  return "known after the answer";
}

/** The warnings of a plan, most telling first, where they can be heard. */
export function warningList(warnings: readonly Warned[]): HTMLElement | null {
  if (warnings.length === 0) return null;
  return h(
    "ul",
    { class: "warnings", "aria-label": "Warnings" },
    ...warnings.map((one) => h("li", {}, one.words)),
  );
}

/** The error bars of the planned answer, around values that nobody knows yet. */
export function errorBars(found: Pick<Plan, "errors" | "cells">): HTMLElement | null {
  const drawn = found.errors.flatMap((columns, query) => {
    const cells = found.cells[query] ?? ["each group"];
    return columns.map((one) => reach(one, cells)).filter((one) => one !== null);
  });
  if (drawn.length === 0) return null;
  return h(
    "section",
    { class: "planned", "aria-label": "Error bars of the planned answer" },
    h("h2", {}, "How exact it will be"),
    h("div", { class: "figures" }, ...drawn),
  );
}

function reach(one: Expected, cells: readonly string[]): HTMLElement | null {
  const half = (one.half_width ?? one.ranks)?.value;
  if (half === null || half === undefined) return null;
  const lost = one.least_group > ROWS;
  const rows = cells.slice(0, MOST_DRAWN).map((group) => ({ group, half, lost }));
  const more = cells.length - rows.length;
  const least = `a group of fewer than ${one.least_group.toLocaleString("en")} rows`;
  const small =
    one.least_group <= 1
      ? "No group is lost in noise."
      : ["mean", "variance"].includes(one.kind)
        ? `In ${least} it may be off by as much as the bounds allow.`
        : `In ${least} it is lost in noise.`;
  const rest = more > 0 ? `The other ${more.toLocaleString("en")} groups have the same.` : "";
  const size = one.group_size ? `In groups of ${one.group_size.toLocaleString("en")} rows.` : "";
  const label = one.ranks ? `rank of ${one.name}` : one.name;
  const picture = chart(`Error bars of ${one.name}: ${expected(one)}`, (pictures, width) =>
    pictures.reaches(width, rows, label),
  );
  picture.classList.add("low");
  const caption = [size, small, rest].filter(Boolean).join(" ");
  return figure(one.name, caption, picture, null, "h3");
}
