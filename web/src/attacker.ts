/** The attacker's scene: a mechanism's table, who is in it, and what follows from a belief. */

import type { MechanismAnswer, Witness } from "./api";
import { Fraction } from "./fraction";
import {
  chanceExactly,
  chanceOf,
  givenExactly,
  independent,
  type Masses,
  masses,
  type People,
  readPeople,
  rowWithout,
} from "./posterior";
import type { Numeral } from "./words";

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
  /** the same two as odds, for : against, which stay apart where probabilities round to 1 */
  odds: { with: number | null; without: number | null };
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
  /** outputs as numbers, where they lie on a line and are many */
  readonly line: readonly number[] | null;
  /** whether there are outputs besides those that are shown */
  readonly part: boolean;
  /** whether these are a few of very many: the likeliest ones, and one that was named */
  readonly some: boolean;
  /** whether likelihoods are densities: then no output has a probability of its own */
  readonly density: boolean;
  /** likelihoods of each output, up to the factor in `sizes` */
  readonly rows: readonly Float64Array[];
  readonly sizes: readonly number[];
  exactly(at: Position): ExactSide | null;
  /** The belief as the command line writes it. */
  belief(at: Position): string;
}

const LISTS = /^(bits|records)\(/;

export function sceneOf(found: MechanismAnswer): Scene | null {
  const { laws } = found;
  const whole = found.matrix && found.matrix.length > 0 ? found.matrix : null;
  const matrix = whole ?? laws?.exact ?? laws?.values.map((row) => row.map(numeralOf));
  const { databases, outputs } = whole || !laws ? found : laws;
  if (!matrix || databases.length < 1) return null;
  const people = LISTS.test(found.universe) ? readPeople(databases) : null;
  const read = matrix.map((row) => row.map((cell) => Fraction.read(cell.exact ?? "")));
  const fractions = read.every((row) => row.every((cell) => cell !== null))
    ? (read as Fraction[][])
    : null;
  const scaled = matrix.map((row, t) => likelihoods(row, fractions?.[t] ?? null));
  const scene: Scene = {
    databases,
    outputs,
    people,
    line: !whole && laws?.line ? outputs.map(Number) : null,
    part: whole ? found.window : !!(laws?.line || laws?.exact),
    some: !whole && !!laws?.exact,
    density: !whole && (laws?.density ?? false),
    bits: found.universe.startsWith("bits("),
    rows: scaled.map(({ row }) => row),
    sizes: scaled.map(({ size }) => size),
    exactly: (at) => (fractions ? exactSide(scene, fractions, at) : null),
    belief: (at) => written(scene, at),
  };
  return scene;
}

/** A likelihood of the service's laws, which is 0 only where it is exactly so. */
const numeralOf = (value: number): Numeral => ({ exact: value === 0 ? "0" : null, value });

/** Smaller than any likelihood that is told apart from others; large enough to be multiplied. */
const TINY = 1e-200;

/** A row of doubles. What is not exactly 0 never becomes 0: where numbers are too small for doubles,
 * the row is divided by its largest. */
function likelihoods(
  cells: readonly Numeral[],
  exact: readonly Fraction[] | null,
): { row: Float64Array; size: number } {
  const values = cells.map((cell) => cell.value ?? 0);
  const possible = cells.map((cell) => cell.exact !== "0");
  if (values.every((value, x) => value >= TINY || !possible[x]))
    return { row: Float64Array.from(values), size: 1 };
  const largest = exact?.reduce((a, b) => (b.minus(a).top > 0n ? b : a));
  const shares = exact && largest ? exact.map((cell) => cell.over(largest).value) : values;
  const row = Float64Array.from(shares, (p, x) => (possible[x] ? Math.max(p, TINY) : 0));
  return { row, size: largest ? Math.max(largest.value, Number.MIN_VALUE) : 1 };
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
    output: named >= 0 ? named : likeliest >= 0 ? likeliest : highest(scene, ([p = 0]) => p),
  };
}

/** The output whose row of likelihoods has the highest value. */
export function highest(scene: Scene, value: (row: number[]) => number): number {
  if (!scene.line && !scene.some) return 0;
  const values = scene.rows.map((row) => value([...row]));
  return values.indexOf(Math.max(...values));
}

/** How likely each output is if the claim is true, with your data and without; where databases are
 * answers, on the one and on the other. */
export function lawsOf(scene: Scene, at: Position): { with: number[]; without: number[] } {
  const { databases, people } = scene;
  const column = (label: string): number[] =>
    scene.rows.map((row) => row[databases.indexOf(label)] ?? 0);
  if (!people) return { with: column(at.a), without: column(at.b) };
  const claimed = claims(scene, at);
  const belief = floatPrior(scene, { ...at, you: 1 }).map((p, x) => (claimed(x) ? p : 0));
  const mean = (row: ArrayLike<number>): number =>
    belief.reduce((sum, p, x) => sum + p * (row[x] ?? 0), 0);
  return {
    with: scene.rows.map((row) => mean(row)),
    without: scene.rows.map((row) => mean(rowWithout(row, people, at.person))),
  };
}

/** What follows for every output, in doubles. */
export function view(scene: Scene, at: Position): Side[] {
  const prior = floatPrior(scene, at);
  return scene.rows.map((row, t) => sideOf(scene, at, row, prior, scene.sizes[t]));
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
    const { with: yes, without: no } = side.odds;
    const factor = yes === null || no === null ? Infinity : oddsApart(yes, no);
    if (factor > 1 + 1e-9 && factor > (found?.factor ?? 0)) found = { output, factor };
  });
  return found;
}

function oddsApart(p: number, q: number): number {
  if (p === q) return 1;
  return p > q ? p / q : q / p;
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

function sideOf(
  scene: Scene,
  at: Position,
  row: ArrayLike<number>,
  prior: readonly number[],
  size = 1,
): Side {
  const after = weighed(scene, at, prior, row);
  const left = scene.people
    ? weighed(scene, at, prior, rowWithout(row, scene.people, at.person))
    : null;
  const likely = after ? size * (after.yes + after.no) : 0;
  return {
    likely: after ? Math.max(likely, Number.MIN_VALUE) : 0,
    prior: chanceOf(weighed(scene, at, prior, null)) ?? 0,
    with: chanceOf(after),
    without: chanceOf(left),
    odds: { with: after && after.yes / after.no, without: left && left.yes / left.no },
  };
}

/** The mass for the claim and against it, weighed by a row. */
function weighed(
  scene: Scene,
  at: Position,
  belief: readonly number[],
  row: ArrayLike<number> | null,
): Masses | null {
  return masses(belief, row, claims(scene, at));
}

/** Of which databases the claim speaks. */
function claims({ people, databases }: Scene, at: Position): (x: number) => boolean {
  return at.mode === "independent" && people
    ? (x) => people.records[x]?.[at.person] === at.value
    : (x) => databases[x] === at.a;
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

/** A probability as it is written in a belief. */
export function tidy(p: number): string {
  return String(Number(p.toFixed(6)));
}
