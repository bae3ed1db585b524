/** The first page: the one sentence, the noise it draws, and how two tables give Alice away. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { roundTicks } from "../src/curves";
import { left, published } from "../src/views/home_attack";
import { chanceOfGuess, halfWidth, noiseMass } from "../src/views/home";
import { brief, guess, guessSentence, strength } from "../src/words";

const there = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

describe("the one sentence", () => {
  it("is a guess at even odds", () => {
    expect(guessSentence(1 - Math.exp(-1 / 4) / 2)).toBe(
      "Of 100 people in your position, someone who knows everyone else and guesses at even odds " +
        "whether each is in the data would get at most 62 right (50 without your data).",
    );
  });

  it.each([
    [0.75, 75, 100],
    [Math.exp(Math.log(3)) / (1 + Math.exp(Math.log(3))), 75, 100],
    [0.751, 76, 100],
    [0.51, 51, 100],
    [0.99, 99, 100],
    [0.505, 505, 1000],
    [0.995, 995, 1000],
    [0.9999, 9999, 10_000],
    [0.500002, 500_002, 1_000_000],
    [0.5, 50, 100],
    [1, 100, 100],
  ])("rounds %f up to %i of %i", (chance, right, of) => {
    expect(guess(chance)).toEqual({ right, of });
  });

  it("says so where a million people are too few", () => {
    expect(guessSentence(0.5000001)).toMatch(/get just over half right \(50 without/);
    expect(guessSentence(0.9999999)).toMatch(/get practically all right \(50 without/);
    expect(guessSentence(0.5)).toMatch(/get 50 right, with your data or without\.$/);
    expect(guessSentence(1)).toMatch(/get at most 100 right \(50 without/);
  });

  it.each([
    [0.75, "strong"],
    [0.7500001, "moderate"],
    [0.9, "moderate"],
    [0.95, "weak"],
    [0.99, "weak"],
    [0.995, "none"],
  ])("calls %f %s", (chance, word) => {
    expect(strength(chance)).toBe(word);
  });
});

interface Noise {
  epsilon: number;
  chance: number;
  mass: number[];
  half: number;
}

const vectors = JSON.parse(there("tests/vectors/noise.json")) as Noise[];

describe.each(vectors)("noise at epsilon $epsilon", ({ epsilon, chance, mass, half }) => {
  it("is the package's", () => {
    expect(chanceOfGuess(epsilon)).toBeCloseTo(chance, 12);
    [0, 1, 5].forEach((z, i) => expect(noiseMass(epsilon, z)).toBeCloseTo(mass[i] ?? NaN, 12));
    expect(halfWidth(epsilon)).toBe(half);
  });
});

describe("two anonymised tables", () => {
  const folder = "src/twoworlds/attacks/tables/data";
  const tables = [1, 2].map((i) => published(there(`${folder}/figure${i}.csv`), 28));

  it("leave several illnesses each, and one together", () => {
    const [first = [], second = []] = tables.map(left);
    expect(first).toEqual(["AIDS", "Heart Disease", "Viral Infection"]);
    expect(second).toEqual(["AIDS", "Cancer", "Flu", "Tuberculosis"]);
    expect(first.filter((one) => second.includes(one))).toEqual(["AIDS"]);
  });

  it("hide a column that tells nothing", () => {
    expect(tables[0]?.columns).toEqual(["zip", "age", "condition"]);
    expect(published("age,x\n3*,a\n<30,b\n≥40,c", 33).hers).toEqual([true, false, false]);
  });
});

it("puts round numbers along an axis", () => {
  expect(roundTicks(-11.5, 12.5)).toEqual([-10, -5, 0, 5, 10]);
  expect(roundTicks(-0.02, 1.02, 5)).toEqual([0, 0.5, 1]);
});

describe("long numerals", () => {
  it.each([
    ["dp(ratio=2.8883975354257587, delta=1e-6)", "dp(ratio=2.8883…, delta=1e-6)"],
    ["semantic(epsilon=18883975354257587/38883975354257587)", "semantic(epsilon=0.4856…)"],
    ["with probability about 0.0000253998", "with probability about 0.0000253998"],
    ["0.754953 and 3/4", "0.754953 and 3/4"],
    [`1/3 on ${"1".repeat(40)}.`, "1/3 on 11111111...11111111."],
  ])("are cut off where that says enough: %s", (text, cut) => {
    expect(brief(text)).toBe(cut);
  });
});
