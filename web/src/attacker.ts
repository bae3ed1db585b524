/** The attacker's scene: a mechanism's table, who is in it, and what follows from a belief. */

import type { MechanismAnswer, Witness } from "./api";
import { Fraction } from "./fraction";
import {
  chance,
  chanceExactly,
  given,
  givenExactly,
  independent,
  type People,
  readPeople,
  rowWithout,
} from "./posterior";

/** What the sliders say; `output` and `person` are places in the scene, counted from 0. */
export interface Position {
  mode: "independent" | "two";
  you: number;
  others: number;
  person: number;
  value: string;
  a: string;
  b: string;
  output: number;
}

/** One output: the chance of the claim before, with your data and without; null: cannot occur. */
export interface Side {
  likely: number;
  prior: number;
  with: number | null;
  without: number | null;
}

interface ExactSide {
  likely: Fraction;
  prior: Fraction;
  with: Fraction | null;
  without: Fraction | null;
  apart: Fraction;
}

export interface Scene {
  readonly databases: readonly string[];
  readonly outputs: readonly string[];
  readonly people: People | null;
  /** whether records are bits, of which the command line wants the chance of a 1 only */
  readonly bits: boolean;
  readonly rows: readonly Float64Array[];
  exactly(at: Position): ExactSide | null;
  /** The belief as the command line writes it. */
  belief(at: Position): string;
}

const LISTS = /^(bits|records)\(/;

export function sceneOf(found: MechanismAnswer): Scene | null {
  const { matrix } = found;
  if (!matrix || matrix.length === 0 || found.databases.length < 1) return null;
  const people = LISTS.test(found.universe) ? readPeople(found.databases) : null;
  const rows = matrix.map((row) => Float64Array.from(row, (cell) => cell.value ?? 0));
  const read = matrix.map((row) => row.map((cell) => Fraction.read(cell.exact ?? "")));
  const fractions = read.every((row) => row.every((cell) => cell !== null))
    ? (read as Fraction[][])
    : null;
  const scene: Scene = {
    databases: found.databases,
    outputs: found.outputs,
    people,
    bits: found.universe.startsWith("bits("),
    rows,
    exactly: (at) => (fractions ? exactSide(scene, fractions, at) : null),
    belief: (at) => written(scene, at),
  };
  return scene;
}

/** Turn what an address says into a position of this table; what does not fit is left out. */
export function settle(
  scene: Scene,
  wanted: Record<string, string>,
  worst: Witness | null,
): Position {
  const { people, databases, outputs } = scene;
  const among = (label: string | undefined, usual: string): string =>
    label !== undefined && databases.includes(label) ? label : usual;
  const within = (text: string | undefined, usual: number): number => {
    const read = text === undefined ? NaN : Number(text);
    return read >= 0 && read <= 1 ? read : usual;
  };
  const [first = "", second = first] = databases;
  const pair = worst?.databases ?? [];
  const value = people?.values.includes(wanted["value"] ?? "")
    ? (wanted["value"] as string)
    : (people?.values[0] ?? "");
  const person = Math.min(Math.max(Number(wanted["person"] ?? 1) || 1, 1), people?.count ?? 1) - 1;
  const named = outputs.indexOf(wanted["output"] ?? "");
  const likeliest = outputs.indexOf(worst?.output ?? "");
  return {
    mode: people && wanted["mode"] !== "two" ? "independent" : "two",
    you: within(wanted["you"], 0.5),
    others: within(wanted["others"], 0.5),
    person,
    value,
    a: among(wanted["a"], among(pair[0], first)),
    b: among(wanted["b"], among(pair[1], second)),
    output: Math.max(0, named >= 0 ? named : likeliest),
  };
}

/** What follows for every output, in doubles. */
export function view(scene: Scene, at: Position): Side[] {
  const prior = floatPrior(scene, at);
  return scene.rows.map((row) => sideOf(scene, at, row, prior));
}

/** What follows from the chosen output, for every belief about you from 0 to 1. */
export function priorCurve(scene: Scene, at: Position, steps = 48): Side[] {
  const row = scene.rows[at.output];
  if (!row) return [];
  return Array.from({ length: steps + 1 }, (_, i) => {
    const moved = { ...at, you: i / steps };
    return sideOf(scene, moved, row, floatPrior(scene, moved));
  });
}

/** The output whose odds differ most with you and without; null where none differs. */
export function mostMoved(sides: readonly Side[]): { output: number; factor: number } | null {
  let found: { output: number; factor: number } | null = null;
  sides.forEach((side, output) => {
    if (side.with === null) return;
    const factor = side.without === null ? Infinity : oddsApart(side.with, side.without);
    if (factor > 1 + 1e-9 && factor > (found?.factor ?? 0)) found = { output, factor };
  });
  return found;
}

function oddsApart(p: number, q: number): number {
  if (p === q) return 1;
  const ratio = (p * (1 - q)) / (q * (1 - p));
  return ratio >= 1 ? ratio : 1 / ratio;
}

function floatPrior(scene: Scene, at: Position): number[] {
  return priorOf<number>(
    scene,
    at,
    Number,
    (a, b) => a * b,
    (a, b) => a - b,
    (a, n) => a / n,
  );
}

function sideOf(scene: Scene, at: Position, row: Float64Array, prior: readonly number[]): Side {
  const after = given(row, prior);
  const left = scene.people && given(rowWithout(row, scene.people, at.person), prior);
  return {
    likely: row.reduce((sum, p, x) => sum + p * (prior[x] ?? 0), 0),
    prior: held(scene, at, prior),
    with: after && held(scene, at, after),
    without: left && held(scene, at, left),
  };
}

function held(scene: Scene, at: Position, belief: readonly number[]): number {
  return at.mode === "independent" && scene.people
    ? chance(belief, scene.people, at.person, at.value)
    : (belief[scene.databases.indexOf(at.a)] ?? 0);
}

function exactSide(scene: Scene, rows: readonly Fraction[][], at: Position): ExactSide | null {
  const row = rows[at.output];
  if (!row) return null;
  const prior = priorOf<Fraction>(
    scene,
    at,
    (p) => Fraction.read(String(p)) ?? Fraction.zero,
    (a, b) => a.times(b),
    (a, b) => a.minus(b),
    (a, n) => a.over(new Fraction(BigInt(n))),
  );
  const hold = (belief: Fraction[] | null): Fraction | null => {
    if (!belief) return null;
    return at.mode === "independent" && scene.people
      ? chanceExactly(belief, scene.people, at.person, at.value)
      : (belief[scene.databases.indexOf(at.a)] ?? Fraction.zero);
  };
  const after = givenExactly(row, prior);
  const left = scene.people && givenExactly(rowWithout(row, scene.people, at.person), prior);
  const likely = prior.reduce((sum, p, x) => sum.plus(p.times(row[x] as Fraction)), Fraction.zero);
  let apart = Fraction.zero;
  after?.forEach((mass, x) => {
    const gap = mass.minus(left?.[x] ?? Fraction.zero);
    if (gap.top > 0n) apart = apart.plus(gap);
  });
  return {
    likely,
    prior: hold(prior) ?? Fraction.zero,
    with: hold(after),
    without: hold(left),
    apart,
  };
}

/** The prior over databases, in any kind of number. */
function priorOf<T>(
  scene: Scene,
  at: Position,
  read: (p: number) => T,
  times: (a: T, b: T) => T,
  minus: (a: T, b: T) => T,
  over: (a: T, n: number) => T,
): T[] {
  const one = read(1);
  if (at.mode === "two" || !scene.people) {
    const first = read(at.you);
    return scene.databases.map((label) =>
      label === at.a ? (at.a === at.b ? one : first) : label === at.b ? minus(one, first) : read(0),
    );
  }
  const { people } = scene;
  const laws = Array.from({ length: people.count }, (_, i) => {
    const chosen = read(i === at.person ? at.you : at.others);
    const rest =
      people.values.length > 1 ? over(minus(one, chosen), people.values.length - 1) : one;
    return people.values.map((value) => (value === at.value ? chosen : rest));
  });
  return independent(people, laws, times);
}

function written(scene: Scene, at: Position): string {
  const less = (p: number): string => tidy(1 - p);
  if (at.mode === "two" || !scene.people)
    return at.a === at.b
      ? `explicit(${at.a}=1)`
      : `explicit(${at.a}=${tidy(at.you)}, ${at.b}=${less(at.you)})`;
  const { people } = scene;
  const laws = Array.from({ length: people.count }, (_, i) => {
    const p = i === at.person ? at.you : at.others;
    if (scene.bits) return at.value === "1" ? tidy(p) : less(p);
    const rest = new Fraction(1n).minus(Fraction.read(tidy(p)) as Fraction);
    const each = rest.over(new Fraction(BigInt(Math.max(people.values.length - 1, 1)))).toString();
    const parts = people.values.map((value) => `${value}=${value === at.value ? tidy(p) : each}`);
    return `[${parts.join(", ")}]`;
  });
  return `independent(${laws.join(", ")})`;
}

function tidy(p: number): string {
  return String(Number(p.toFixed(6)));
}
