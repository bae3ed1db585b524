/** The answers of a release: charts with intervals, a table, what they mean, and the certificate. */

import { chart } from "../chart";
import { post } from "../api";
import { type Child, downloadLink, fetchButton, figure, h, table } from "../dom";
import { certificate } from "../verify_file";
import { type Cost, costWords, LOST, type Numeral, short } from "../words";

interface Value {
  value: Numeral | null;
  interval?: [Numeral, Numeral] | null;
  utility?: string | null;
}

interface OneAnswer {
  asked?: string;
  protected?: string;
  columns: { name: string; kind: string; words: string }[];
  notes: string[];
  repeated: boolean;
  rows: { label: string; group: Record<string, unknown>; values: Record<string, Value> }[];
}

export interface Released {
  answers: OneAnswer[];
  /** each answer as a table for other programs, as the command line writes it */
  csv: string[];
  meaning: string[];
  paid: Cost;
  /** the number of the entry that paid */
  entry: number;
  /** the certificate as its file has it, whose SHA-256 the report names */
  certificate_file: string;
}

const COUNTS = ["count", "people"];

export function answered(found: Released): Child[] {
  const repeated = found.answers.every((one) => one.repeated);
  return [
    h(
      "div",
      {},
      h("h2", { tabindex: "-1" }, "Answers"),
      h(
        "p",
        { class: "caption" },
        repeated
          ? "This repeats a stored answer; you pay nothing more."
          : `Paid ${costWords(found.paid)}. Asking the same again costs nothing.`,
      ),
    ),
    ...found.answers.flatMap((one) => oneAnswer(one)),
    h(
      "div",
      { class: "actions" },
      ...found.csv.map((text, i) => {
        const several = found.csv.length > 1;
        const file = several ? `answers-${i + 1}.csv` : "answers.csv";
        return downloadLink(several ? `Download CSV ${i + 1}` : "Download CSV", file, () => text);
      }),
      reportButton(found.entry),
    ),
    h(
      "section",
      {},
      h("h3", {}, "What it means for a person"),
      h(
        "ul",
        { class: "meaning" },
        ...[...found.meaning, found.answers[0]?.protected ?? ""]
          .filter(Boolean)
          .map((words) => h("li", {}, words)),
      ),
    ),
    h(
      "section",
      {},
      h("h3", {}, "Certificate"),
      certificate(found.certificate_file, (file) => [
        "Anybody can work out from it, without the data, that noise, promise and charge are right: ",
        h("code", {}, `twoworlds verify ${file}`),
        ". For a review board: ",
        h("code", {}, `twoworlds report ${file} -o report.html`),
        ".",
      ]),
    ),
  ];
}

/** Save the report of a release or of a proposal, which the service makes from its ledger. */
export function reportButton(entry: number, words = "Download report"): HTMLElement {
  return fetchButton(words, `report-${entry}.html`, () =>
    post<{ html: string }>("report", { entry }).then(({ html }) => html),
  );
}

function oneAnswer(one: OneAnswer): Child[] {
  const names = one.columns.map((column) => column.name);
  const counts = one.columns.filter(({ kind }) => COUNTS.includes(kind)).map(({ name }) => name);
  return [
    one.asked ? h("p", { class: "said" }, one.asked) : null,
    h(
      "div",
      { class: one.rows.length > 12 || one.columns.length === 1 ? "stack" : "figures" },
      ...one.columns.map((column) => picture(one, column)),
    ),
    table(
      "Answers, with the intervals of their noise",
      ["group", ...names],
      one.rows.map((row) => [row.label, ...names.map((name) => written(row.values[name]))]),
    ),
    counts.some((name) => one.rows.some((row) => (row.values[name]?.value?.value ?? 0) < 0))
      ? h("p", { class: "caption" }, "A count below 0 is noise around a small true count.")
      : null,
    one.notes.length
      ? h("ul", { class: "meaning" }, ...one.notes.map((words) => h("li", {}, words)))
      : null,
  ];
}

function picture(one: OneAnswer, column: OneAnswer["columns"][number]): HTMLElement {
  const rows = one.rows.flatMap((row) => {
    const cell = row.values[column.name];
    const value = cell?.value?.value;
    if (cell === undefined || value === null || value === undefined) return [];
    const [low, high] = cell.interval ?? [null, null];
    return [
      {
        group: row.label,
        value,
        lost: cell.utility === LOST,
        low: low?.value ?? value,
        high: high?.value ?? value,
      },
    ];
  });
  const words = column.words.replace(`${column.name}: `, "");
  if (rows.length === 0)
    return figure(column.name, "No group has such a value.", h("div"), null, "h3");
  const drawn = chart(
    `Answers with intervals for ${column.name}; the numbers follow as a table`,
    (pictures, width) => pictures.intervals(width, rows, column.name),
  );
  drawn.classList.add("low");
  return figure(column.name, `${words.charAt(0).toUpperCase()}${words.slice(1)}`, drawn, null, "h3");
}

function written(cell: Value | undefined): Child {
  const words = cellWords(cell);
  return cell?.utility === LOST ? h("span", { class: "none" }, words) : words;
}

function cellWords(cell: Value | undefined): string {
  if (!cell?.value || cell.value.value === null) return "none";
  const [low, high] = cell.interval ?? [];
  const about = low && high ? ` (${short(low.value ?? 0, 4, "down")} to ${short(high.value ?? 0, 4, "up")})` : "";
  return `${short(cell.value.value, 6)}${about}${cell.utility === LOST ? `, ${LOST}` : ""}`;
}
