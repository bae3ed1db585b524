import { describe, expect, it } from "vitest";

import { type Question, recipe } from "../src/recipe";

const QUESTION: Question = {
  name: "attack linkage",
  parameters: [
    { name: "register", option: null, flag: false },
    { name: "table", option: null, flag: false },
    { name: "at_least", option: "--at-least", flag: false },
    { name: "know", option: "--know", flag: false },
    { name: "engine", option: "--engine", flag: true },
  ],
};
const SENT = { path: "attacks/linkage", body: { on: "it's" } };
const written = (given: object, token = false) =>
  recipe(QUESTION, given as never, { ...SENT, token }, "http://here:1");

describe("a recipe", () => {
  it("writes places, options, lists and flags as the list has them", () => {
    const made = written({ table: "b c", register: "a", know: ["x=1", "y=2"], engine: true });
    expect(made.command).toBe('twoworlds attack linkage a "b c" --know x=1 --know y=2 --engine');
    expect(made.python).toBe(
      'import twoworlds as tw\n\nprint(tw.ask("attack linkage", "a", "b c", know=["x=1", "y=2"], engine=True).explain())',
    );
  });

  it("names in Python what stands behind a place that is left out", () => {
    expect(written({ table: "b", at_least: "5" }).python).toContain(
      '"attack linkage", table="b", at_least="5"',
    );
  });

  it("quotes what is sent, and names the token but does not tell it", () => {
    expect(written({}).http).toBe(
      "curl -s http://here:1/api/v1/attacks/linkage -H 'Content-Type: application/json' \\\n" +
        "    -d '{\"on\":\"it'\\''s\"}'",
    );
    expect(written({}, true).http).toContain('-H "Authorization: Bearer $TOKEN"');
  });

  it("refuses what the question does not take", () => {
    expect(() => written({ nothing: "1" })).toThrow("attack linkage takes no nothing");
  });
});
