/** What an attack found: one sentence, then the tables and pictures of its kind. */

import { type Child, facts, h, table } from "../dom";
import { exactly, type Numeral, numeral, percent, plural } from "../words";

export type Found = Record<string, unknown>;

/** Return the sentence and what is shown under it. */
export function shown(name: string, found: Found): { words: string; rest: Child[] } {
  const first = name === "linkage" ? givenAway(found) : "";
  return { words: `${first}${sentence(found)}`, rest: KINDS[name]?.(found) ?? [] };
}

/** Whose rows all say the same: the leak that needs no link to one row. */
export function givenAway(found: Found): string {
  const links = (found["links"] ?? []) as Link[];
  const certain = links.flatMap(({ person, values }) => {
    const [value, ...others] = Object.keys(values);
    return value && others.length === 0 ? [`${nameOf(person)} (${value})`] : [];
  });
  if (certain.length === 0) return "";
  const named = certain.slice(0, MOST_NAMED).join(", ");
  const more = certain.length > MOST_NAMED ? " and others" : "";
  const who = plural(certain.length, "person is", "people are");
  return `${who} given away, if they are in the table: ${named}${more}. All rows that may be theirs say the same. `;
}

/** What the same attack got from the release engine, where it was run beside the other. */
export function defended(found: Found): string {
  const engine = found["engine"];
  return engine && typeof engine === "object" ? sentence(engine as Found) : "";
}

function sentence(found: Found): string {
  const height = found["height"] as Found | undefined;
  const text = found["sentence"] ?? found["explanation"] ?? height?.["explanation"] ?? "";
  return String(text).replace(/(?:\/[^\s/,:]+)+\/([\w.-]+)/g, "$1");
}

interface Link {
  person: Record<string, string>;
  matching_rows: number;
  values: Record<string, Numeral>;
}

const MOST_NAMED = 5;
const nameOf = (person: Link["person"]): string => person["name"] ?? Object.values(person)[0] ?? "";

const base = (path: unknown): string => String(path).replace(/^.*\//, "");

const KINDS: Record<string, (found: Found) => Child[]> = {
  composition(found) {
    const tables = (found["tables"] ?? []) as {
      table: string;
      candidates: Record<string, Numeral>;
    }[];
    const together = (found["posterior"] ?? {}) as Record<string, Numeral>;
    const values = [...new Set(tables.flatMap((one) => Object.keys(one.candidates)))];
    const cell = (law: Record<string, Numeral>, value: string): Child => {
      const chance = law[value];
      return chance
        ? `${exactly(chance)} (${percent(chance.value ?? 0)})`
        : h("span", { class: "none" }, "ruled out");
    };
    return [
      table(
        "What each table leaves, and both together",
        [
          String(found["sensitive"] ?? "value"),
          ...tables.map((one) => base(one.table)),
          "together",
        ],
        values.map((value) => [
          value,
          ...tables.map((one) => cell(one.candidates, value)),
          cell(together, value),
        ]),
      ),
    ];
  },
  linkage(found) {
    const links = (found["links"] ?? []) as Link[];
    return [
      table(
        "Whom the register finds in the table",
        ["person", "rows that may be theirs", "what they say"],
        links.map((link) => [
          nameOf(link.person),
          String(link.matching_rows),
          Object.entries(link.values)
            .map(([value, chance]) => `${value} ${percent(chance.value ?? 0)}`)
            .join(", "),
        ]),
      ),
    ];
  },
  differencing(found) {
    const attempts = (found["attempts"] ?? []) as {
      name: string;
      value: number | null;
      questions: { sign: number; sql: string; answer: number | null }[];
    }[];
    const asked = attempts.flatMap((attempt) =>
      attempt.questions.map((question) => [
        h("code", { class: "sql" }, question.sql),
        question.answer === null ? "refused" : `${question.sign < 0 ? "−" : ""}${question.answer}`,
        attempt.value === null ? "" : String(attempt.value),
      ]),
    );
    return [table("What was asked", ["question", "answer", "together"], asked)];
  },
  averaging(found) {
    const rows = (found["rows"] ?? []) as { times: number; chance: Numeral; cost: Numeral }[];
    return [
      table(
        "How sure the mean makes",
        ["asked", "exactly right with probability", "drawn", "total epsilon"],
        rows.map((row) => [
          String(row.times),
          percent(row.chance.value ?? 0),
          bar(row.chance.value ?? 0),
          exactly(row.cost),
        ]),
      ),
    ];
  },
  membership(found) {
    const share = (name: string): number | null =>
      typeof found[name] === "number" ? found[name] : null;
    const best = (found["best_chance"] as Numeral | undefined)?.value ?? null;
    const lines: [string, number | null, string][] = [
      ["Members called members", share("members_called_members"), ""],
      ["Outsiders called members", share("outsiders_called_members"), ""],
      ["Told right", share("told_right"), ""],
      ["Told right by a coin", 0.5, "bound"],
      ["Told right by the best test, at this price", best, "bound"],
    ];
    return [
      table(
        "How well the test tells who took part",
        ["of whom", "share", "drawn"],
        lines.flatMap(([words, value, kind]) =>
          value === null ? [] : [[words, percent(value), bar(value, kind)]],
        ),
      ),
    ];
  },
  reconstruct(found) {
    const truth = found["truth"] as number[] | undefined;
    const column = found["column"] as number[] | undefined;
    const shares = (found["shares"] ?? {}) as Record<string, string>;
    const made: Child[] = [facts(Object.entries(shares))];
    if (truth && column) {
      const wrong = truth.filter((bit, i) => bit !== column[i]).length;
      made.push(
        h(
          "div",
          {
            class: "bits",
            role: "img",
            "aria-label": `${truth.length} secret bits, ${wrong} of them read wrongly`,
          },
          ...truth.map((bit, i) =>
            h("i", {
              class: bit === column[i] ? "right" : "wrong",
              title: `person ${i + 1}: ${bit}`,
            }),
          ),
        ),
        h(
          "p",
          { class: "hint" },
          "One square for each person: filled where the secret bit was read back rightly.",
        ),
      );
    }
    return made;
  },
  auxiliary(found) {
    const theorem = found["theorem"] as Record<string, Numeral | string> | undefined;
    const number = (name: string): string => numeral(theorem?.[name] as Numeral);
    return theorem
      ? [
          h("h2", {}, "The theorem behind it, computed"),
          facts([
            ["Published", String(theorem["law"])],
            ["The attacker wins with the remark and the release", number("attacker")],
            ["The best guess with the remark alone", number("simulator")],
            ["What the release added", number("gap")],
          ]),
        ]
      : [];
  },
};

/** A share as a bar; its number stands beside it. */
function bar(share: number, kind = ""): HTMLElement {
  const filled = h("i");
  filled.style.width = `${Math.min(Math.max(share, 0), 1) * 100}%`;
  return h("span", { class: `share ${kind}`, "aria-hidden": "true" }, filled);
}
