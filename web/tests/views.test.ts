/** The words, commands and states of views, apart from their drawing. */

import { describe, expect, it } from "vitest";

import type { MechanismAnswer, Verdict } from "../src/api";
import { sceneOf, settle, type Side, view } from "../src/attacker";
import { defended, givenAway } from "../src/views/attack_results";
import { pieces } from "../src/views/attacks";
import { asked, asState, assumed, bounded, worstOver } from "../src/views/attacker_words";
import { expected, free, type Plan } from "../src/views/release_plan";

const table = (rows: number[][], universe = "bits(1)"): MechanismAnswer =>
  ({
    universe,
    window: false,
    databases: ["1", "0"],
    outputs: ["1", "0"],
    matrix: rows.map((row) => row.map((value) => ({ exact: String(value), value }))),
    price: { assumptions: ["neighbours differ in one record"] },
  }) as unknown as MechanismAnswer;

const COIN = [
  [0.75, 0.25],
  [0.25, 0.75],
];

function sceneFor(rows: number[][], universe?: string): NonNullable<ReturnType<typeof sceneOf>> {
  const found = sceneOf(table(rows, universe));
  if (!found) throw new Error("there is a table");
  return found;
}

describe("the attacker in words", () => {
  const scene = sceneFor(COIN);
  const at = settle(scene, { output: "1" }, null);

  it("names the worst output of a belief", () => {
    expect(worstOver(scene, view(scene, at))).toBe(
      "Worst over all outputs: 1, where your data changes the odds by the factor 3: 1 to 1 without it, 3 to 1 with it.",
    );
  });

  it("says that nothing matters where nothing does", () => {
    const nothing = sceneFor([
      [0.5, 0.5],
      [0.5, 0.5],
    ]);
    expect(worstOver(nothing, view(nothing, at))).toMatch(/makes no difference/);
  });

  it("says what gives somebody away, and what settles a question", () => {
    const odds = { with: Infinity, without: 1 };
    const side: Side = { likely: 0.5, prior: 0.5, with: 1, without: 0.5, odds };
    expect(worstOver(scene, [side])).toMatch(/settles the question/);
    expect(worstOver(scene, [{ ...side, without: null, odds: { ...odds, without: null } }])).toMatch(/could not come out without/);
  });

  it("is silent where databases are answers, not people", () => {
    const answers = sceneFor(COIN, "integers(0, 1)");
    expect(worstOver(answers, view(answers, settle(answers, {}, null)))).toBe("");
    expect(assumed(answers, table(COIN))[0]).toMatch(/not lists of people/);
    expect(assumed(scene, table(COIN))).toContain("neighbours differ in one record");
  });

  it("calls a factor endless only where it is", () => {
    const zero = { exact: "0", value: 0 };
    const said = (exact: string): string => bounded({ ratio: { exact, value: null }, delta: zero } as Verdict);
    expect(said("inf")).toMatch(/without limit/);
    expect(said("e^1000")).toMatch(/more than about e\^1000 times/);
  });

  it("keeps its state, and finds it again", () => {
    const state = asState(scene, { ...at, you: 0.25 });
    expect(state).toMatchObject({ mode: "independent", you: "0.25", person: "1", output: "1" });
    expect(settle(scene, state, null)).toEqual({ ...at, you: 0.25 });
    const two = { ...at, mode: "two" as const };
    expect(settle(scene, asState(scene, two), null)).toEqual(two);
  });

  it("is the same on the command line", () => {
    const [name, given, { path }] = asked("m(bits=1)", scene, at);
    expect([name, path]).toEqual(["posterior", "posterior"]);
    expect(given).toMatchObject({ belief: "independent(0.5)", output: "1", secret: "1=1" });
    const answers = sceneFor(COIN, "integers(0, 1)");
    expect(asked("m()", answers, settle(answers, {}, null)).slice(0, 2)).toEqual([
      "show",
      { mechanism: "m()", output: "1" },
    ]);
    const noisy = asked("geometric(ratio=3)", answers, { ...at, mode: "two", a: "1", b: "0", you: 0.25 });
    expect(noisy.slice(0, 2)).toEqual([
      "posterior",
      { mechanism: "geometric(ratio=3, bits=1)", belief: "independent(0.25)", output: "1", secret: "1=1" },
    ]);
  });
});

describe("attacks elsewhere", () => {
  it("reads lists with commas", () => {
    expect(pieces(" a=1, b=2 ,, ")).toEqual(["a=1", "b=2"]);
    expect(pieces("")).toEqual([]);
  });

  it("says first who is given away, though nobody matches one row only", () => {
    const one = { exact: "1", value: 1 };
    const half = { exact: "1/2", value: 0.5 };
    const links = [
      { person: { name: "Alice" }, matching_rows: 4, values: { AIDS: half, Cancer: half } },
      { person: { name: "Bruno" }, matching_rows: 4, values: { Cancer: one } },
      { person: { name: "Dana" }, matching_rows: 0, values: {} },
    ];
    expect(givenAway({ links })).toBe(
      "1 person is given away, if they are in the table: Bruno (Cancer). All rows that may be theirs say the same. ",
    );
    expect(givenAway({ links: links.slice(0, 1) })).toBe("");
    expect(givenAway({})).toBe("");
  });

  it("says what the engine gave, without folders of any machine", () => {
    expect(defended({ engine: { sentence: "Nothing." } })).toBe("Nothing.");
    expect(defended({ engine: true })).toBe("");
    expect(defended({})).toBe("");
  });
});

describe("the error that is to be expected", () => {
  const base = { name: "x", kind: "count", half_width: null, certainty: "95%", least_group: 1 };

  it.each([
    [{ ...base, half_width: { exact: "12", value: 12 } }, "within ±12 with probability 95%"],
    [
      { ...base, half_width: { exact: null, value: 0.5 }, group_size: 1000 },
      "within ±0.5 with probability 95% in groups of 1,000",
    ],
    [
      { ...base, ranks: { exact: "305/2", value: 152.5 }, certainty: "at least 95%, in ranks" },
      "at most 152.5 ranks off, with probability at least 95%",
    ],
    [{ ...base, half_width: { exact: "0", value: 0 }, certainty: "exact" }, "none: it is exact"],
    [base, "known after the answer"],
  ])("%#", (one, words) => {
    expect(expected(one)).toBe(words);
  });
});

it("asks no money for what no one person can change", () => {
  const nothing = { exact: "0", value: 0 };
  const plan = { stored: false, price: { epsilon: nothing } } as unknown as Plan;
  expect(free(plan)).toBe(true);
  expect(free({ ...plan, stored: true })).toBe(false);
  expect(free({ ...plan, price: { epsilon: { exact: "1/2", value: 0.5 } } })).toBe(false);
});
