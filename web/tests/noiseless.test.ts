/** Delta of an exact count, as the package computes it, and the curves that the page draws of it. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { apart, countDelta, curvesOf, endOf, type Setting, spread } from "../src/noiseless";

interface Vector {
  people: number;
  known: number;
  probability: number;
  epsilon: number;
  delta: number;
}

const file = new URL("../../tests/vectors/noiseless.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8")) as Vector[];

it.each(vectors)("agrees with the package: $people people, $known known", (vector) => {
  const { people, known, probability, epsilon, delta } = vector;
  const found = countDelta(people - known, probability, epsilon);
  expect(Math.abs(found / delta - 1)).toBeLessThan(1e-9);
});

describe("curves", () => {
  const at: Setting = { people: 100, known: 10, probability: 0.5, epsilon: 0.5, sweep: "people" };

  it("compares the present number of known people with others", () => {
    const curves = curvesOf(at);
    expect(curves.map((curve) => curve.label)).toEqual([
      "10 known",
      "none known",
      "20 known",
      "half known",
    ]);
    expect(curves.filter((curve) => curve.strong)).toHaveLength(1);
  });

  it("passes through where one is, and goes on beyond it", () => {
    const [strong] = curvesOf(at);
    const here = strong?.points.find((point) => point.x === 100);
    expect(here?.y).toBeCloseTo(countDelta(90, 0.5, 0.5), 15);
    expect(strong?.points[0]?.x).toBe(11);
    expect(strong?.points.at(-1)?.x).toBeGreaterThan(190);
  });

  it("ends where delta is too small to draw", () => {
    const [strong] = curvesOf({ ...at, people: 500, epsilon: 3 });
    expect(strong?.points.every((point) => point.y >= 1e-12)).toBe(true);
    expect(strong?.points.length).toBeGreaterThan(2);
  });

  it("over how many are known, for fewer and for more people", () => {
    const curves = curvesOf({ ...at, sweep: "known" });
    expect(curves.map((curve) => curve.label)).toEqual(["100 people", "50 people", "200 people"]);
    expect(curves[0]?.points.at(0)?.x).toBe(0);
    expect(curves[0]?.points.some((point) => point.x === 10)).toBe(true);
  });

  it("are few where nobody is known, or hardly anybody is there", () => {
    expect(curvesOf({ ...at, known: 0 }).map((curve) => curve.label)).toEqual([
      "none known",
      "10 known",
      "half known",
    ]);
    for (const sweep of ["people", "known"] as const)
      for (const curve of curvesOf({ ...at, people: 2, known: 0, sweep }))
        expect(curve.points.length).toBeGreaterThan(0);
  });
});

describe("axes and labels", () => {
  it("end at a round number", () => {
    expect([2, 10, 11, 100, 500, 2000, 9000].map(endOf)).toEqual([
      20, 20, 50, 200, 1000, 5000, 18000,
    ]);
  });

  it("take even steps, and do not leave out where one is", () => {
    expect(spread(0, 5, 3)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(spread(0, 600, 333)).toContain(333);
    expect(spread(0, 600, 333).length).toBeLessThan(64);
    expect(spread(2, 200, 100, 2).every((x) => x % 2 === 0)).toBe(true);
    expect(spread(7, 7, 7)).toEqual([7]);
    expect(spread(9, 7, 8)).toEqual([9]);
  });

  it("moves labels apart, and leaves alone what has room", () => {
    expect(apart([0, 100], 15)).toEqual([0, 100]);
    expect(apart([10, 10], 10)).toEqual([5, 15]);
    const placed = apart([5, 3, 4], 10);
    const sorted = [...placed].sort((a, b) => a - b);
    expect((sorted[1] ?? 0) - (sorted[0] ?? 0)).toBeGreaterThan(9.9);
    expect((sorted[2] ?? 0) - (sorted[1] ?? 0)).toBeGreaterThan(9.9);
    expect(placed[1]).toBe(sorted[0]);
  });
});
