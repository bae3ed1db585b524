/** Two anonymised tables, and how they give Alice away, step by step: the tables that come with the
 * program. */

import first from "../../../src/twoworlds/attacks/tables/data/figure1.csv?raw";
import second from "../../../src/twoworlds/attacks/tables/data/figure2.csv?raw";
import { button, h } from "../dom";

const SECRET = "condition";
const HEADS: Record<string, string> = { zip: "postcode" };

export interface Published {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** which rows may be those of a person of this age */
  readonly hers: readonly boolean[];
}

/** Read a table; columns that hide everything are left out. */
export function published(text: string, age: number): Published {
  const [heads = [], ...lines] = text
    .trim()
    .split("\n")
    .map((line) => line.trim().split(","));
  const told = heads.map((_, i) => lines.some((line) => line[i] !== "*"));
  const ages = lines.map((line) => line[heads.indexOf("age")] ?? "");
  const keep = (line: readonly string[]): string[] => line.filter((_, i) => told[i]);
  return { columns: keep(heads), rows: lines.map(keep), hers: ages.map((range) => fits(range, age)) };
}

/** Whether an age lies in "<30", "≥40" or "3*". */
function fits(range: string, age: number): boolean {
  const number = Number(range.slice(1));
  if (range.startsWith("<")) return age < number;
  if (range.startsWith("≥")) return age >= number;
  return range.startsWith(String(Math.floor(age / 10)));
}

/** What the rows of one person may say, each once. */
export function left(table: Published): string[] {
  const column = table.columns.indexOf(SECRET);
  const said = table.rows.filter((_, i) => table.hers[i]).map((row) => row[column] ?? "");
  return [...new Set(said)].sort();
}

const TABLES = [published(first, 28), published(second, 28)] as const;
const LEFT = TABLES.map(left);
const BOTH = (LEFT[0] ?? []).filter((one) => LEFT[1]?.includes(one));

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

const hers = (table: number): number => TABLES[table]?.hers.filter(Boolean).length ?? 0;

/** What is said at each step, and what the button does next. */
const STEPS: readonly (readonly [string, string])[] = [
  [
    "Two hospitals publish tables without names; ages are ranges, and postcodes are cut. Alice is 28, lives in 13012, and was in both.",
    "Look for Alice in the first",
  ],
  [`In the first table ${hers(0)} rows may be Alice's: ${listed(LEFT[0] ?? [])}.`, "Look in the second"],
  [`In the second table ${hers(1)} rows may be hers: ${listed(LEFT[1] ?? [])}.`, "Put both together"],
  [`Only one illness is in both: ${listed(BOTH)}. Neither table gave Alice away; both together do.`, "Start again"],
];

export function attackStory(): HTMLElement {
  let step = 0;
  const said = h("p", { class: "lead small", role: "status", "aria-live": "polite" });
  const tables = TABLES.map((table, i) => drawn(table, i === 0 ? "First hospital" : "Second hospital"));
  const next = button("", () => {
    step = (step + 1) % STEPS.length;
    show();
  });
  next.classList.add("main");

  function show(): void {
    const [words, then] = STEPS[step] as readonly [string, string];
    said.textContent = words;
    next.textContent = then;
    tables.forEach(({ rows }, i) => {
      const looked = step > i;
      rows.forEach(({ root, illness }, r) => {
        const mine = looked && (TABLES[i]?.hers[r] ?? false);
        const found = mine && step === 3 && BOTH.includes(illness);
        root.classList.toggle("hers", mine && (step < 3 || found));
        root.classList.toggle("found", found);
        root.classList.toggle("out", looked && !(mine && (step < 3 || found)));
      });
    });
  }

  show();
  return h(
    "section",
    { class: "now-attack", "aria-labelledby": "attack" },
    h("h2", { id: "attack" }, "Now attack it"),
    h("p", { class: "caption" }, "Why add noise? Because taking names away is not enough."),
    said,
    h(
      "div",
      { class: "actions" },
      next,
      h("a", { href: "#/attacks?name=composition" }, "All seven attacks"),
    ),
    h("div", { class: "pair" }, ...tables.map(({ root }) => root)),
  );
}

interface Drawn {
  root: HTMLElement;
  rows: { root: HTMLElement; illness: string }[];
}

function drawn(table: Published, caption: string): Drawn {
  const secret = table.columns.indexOf(SECRET);
  const rows = table.rows.map((row) => ({
    illness: row[secret] ?? "",
    root: h("tr", {}, ...row.map((cell, i) => h("td", { class: table.columns[i] ?? "" }, cell))),
  }));
  const heads = table.columns.map((name) => h("th", { scope: "col", class: name }, HEADS[name] ?? name));
  return {
    rows,
    root: h(
      "table",
      { class: "published" },
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, ...heads)),
      h("tbody", {}, ...rows.map((row) => row.root)),
    ),
  };
}
