/** Posteriors computed in the browser equal those of the Python package, exactly. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { Fraction } from "../src/fraction";
import {
  chanceExactly,
  chanceOf,
  givenExactly,
  masses,
  readPeople,
  rowWithout,
} from "../src/posterior";

interface Game {
  output: string;
  with: string[];
  without: string[] | null;
  chance_with: string;
  chance_without: string | null;
}

interface Vector {
  mechanism: string;
  belief: string;
  value: string;
  databases: string[];
  outputs: string[];
  matrix: string[][];
  prior: string[];
  chance_prior: string;
  games: (Game | null)[];
}

const file = new URL("../../tests/vectors/posterior.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8")) as Vector[];
const read = (text: string): Fraction => Fraction.read(text) as Fraction;

it("reads all vectors", () => {
  expect(vectors.length).toBeGreaterThan(8);
});

describe.each(vectors)("$mechanism with $belief", (vector) => {
  const people = readPeople(vector.databases);
  const prior = vector.prior.map(read);
  const floats = prior.map((mass) => mass.value);
  if (!people) throw new Error("these databases are lists of people");

  it("knows the belief beforehand", () => {
    const found = chanceExactly(prior, people, 0, vector.value);
    expect(found.toString()).toBe(vector.chance_prior);
  });

  it.each(vector.outputs.map((output, t) => ({ output, t })))("output $output", ({ t }) => {
    const row = (vector.matrix[t] ?? []).map(read);
    const values = row.map((mass) => mass.value);
    const game = vector.games[t] ?? null;
    const after = givenExactly(row, prior);
    expect(after === null).toBe(game === null);
    if (game === null || after === null) return;
    expect(after.map(String)).toEqual(game.with);
    expect(chanceExactly(after, people, 0, vector.value).toString()).toBe(game.chance_with);
    const left = givenExactly(rowWithout(row, people, 0), prior);
    expect(left?.map(String) ?? null).toEqual(game.without);
    if (left)
      expect(chanceExactly(left, people, 0, vector.value).toString()).toBe(game.chance_without);

    const claimed = (x: number): boolean => people.records[x]?.[0] === vector.value;
    const near = chanceOf(masses(floats, values, claimed));
    expect(near).toBeCloseTo(read(game.chance_with).value, 12);
    const apart = chanceOf(masses(floats, rowWithout(values, people, 0), claimed));
    expect(apart === null).toBe(game.without === null);
    if (game.chance_without) expect(apart).toBeCloseTo(read(game.chance_without).value, 12);
  });
});
