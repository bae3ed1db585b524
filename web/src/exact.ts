/** What the checker of certificates stands on: JSON that can be read in one way only, fractions of
 * whole numbers, and fields that are read or refused. */

export class Refused extends Error {}
export class Unjudged extends Error {}

const EXACT_FROM = 2n ** 53n; // whole numbers from here on stand as text
let deadline = Infinity;

/** Stop what takes longer, in milliseconds: small files can hold sums that take days. */
export function limit(longest: number): void {
  deadline = Date.now() + longest;
}

function tick(): void {
  if (Date.now() > deadline) throw new Unjudged("It takes too long here");
}

export function refuse(why: string): never {
  throw new Refused(why);
}

// --- the text: JSON without a second way to read it ----------------------------------------------

class Rounded {} // a number with a point or an exponent, which is exact nowhere
export type Json = null | boolean | string | bigint | Rounded | Json[] | Map<string, Json>;
const TOKEN =
  /[ \t\n\r]*(?:([[\]{}:,])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?|(true|false|null))/y;

export function parse(text: string): Json {
  const token = new RegExp(TOKEN);
  let found: RegExpExecArray;
  const next = (): string => {
    const match = token.exec(text);
    if (!match) return refuse("it is not JSON");
    found = match;
    return match[1] ?? "";
  };
  const value = (sign: string, depth: number): Json => {
    if (depth > 200 && (sign === "[" || sign === "{")) refuse("it is nested too deeply");
    if (sign === "[") return items("]", [] as Json[], (list, at) => void list.push(value(at, depth + 1)));
    if (sign === "{")
      return items("}", new Map<string, Json>(), (map) => {
        const key = found[2] === undefined ? refuse("it is not JSON") : (JSON.parse(found[2]) as string);
        if (map.has(key)) refuse("it names a key twice in one object");
        if (next() !== ":") refuse("it is not JSON");
        map.set(key, value(next(), depth + 1));
      });
    const [, , quoted, whole, point, power, word] = found;
    if (sign) refuse("it is not JSON");
    if (quoted !== undefined) return JSON.parse(quoted) as string;
    if (word !== undefined) return word === "null" ? null : word === "true";
    if (point !== undefined || power !== undefined) return new Rounded();
    if ((whole ?? "").length > 4300) refuse("it holds a whole number that must be written as text");
    return BigInt(whole ?? "");
  };
  const items = <T>(end: string, into: T, add: (into: T, sign: string) => void): T => {
    for (let sign = next(), first = true; ; first = false, sign = next()) {
      if (first && sign === end) return into;
      add(into, sign);
      const after = next();
      if (after === end) return into;
      if (after !== ",") refuse("it is not JSON");
    }
  };
  const whole = value(next(), 0);
  if (/[^ \t\n\r]/.test(text.slice(token.lastIndex))) refuse("it is not JSON: something follows it");
  return whole;
}

// --- numbers: fractions of whole numbers, in lowest terms, the lower one above 0 ------------------

export type Q = readonly [bigint, bigint];
export const ZERO: Q = [0n, 1n];
export const ONE: Q = [1n, 1n];

function divisor(a: bigint, b: bigint): bigint {
  for (let steps = 0; b !== 0n; steps++) {
    if (steps % 1024 === 0) tick();
    [a, b] = [b, a % b];
  }
  return a < 0n ? -a : a;
}

function quotient(top: bigint, bottom: bigint): Q {
  const shared = divisor(top, bottom) * (bottom < 0n ? -1n : 1n);
  return [top / shared, bottom / shared];
}

export const plus = (a: Q, b: Q): Q =>
  a[1] === 1n && b[1] === 1n ? [a[0] + b[0], 1n] : quotient(a[0] * b[1] + b[0] * a[1], a[1] * b[1]);
export const times = (a: Q, b: Q): Q =>
  a[1] === 1n && b[1] === 1n ? [a[0] * b[0], 1n] : quotient(a[0] * b[0], a[1] * b[1]);
export const minus = (a: Q, b: Q): Q => plus(a, [-b[0], b[1]]);
export const over = (a: Q, b: Q): Q => quotient(a[0] * b[1], a[1] * b[0]);
export const same = (a: Q, b: Q): boolean => a[0] === b[0] && a[1] === b[1];
export const below = (a: Q, b: Q): boolean => a[0] * b[1] < b[0] * a[1];
export const larger = (a: Q, b: Q): Q => (below(a, b) ? b : a);
export const smaller = (a: Q, b: Q): Q => (below(b, a) ? b : a);
export const sum = (all: readonly Q[]): Q => all.reduce(plus, ZERO);
export const notNegative = (all: readonly Q[]): boolean => all.every((one) => one[0] >= 0n);
export const at = <T>(list: readonly T[], place: number): T => list[place] as T;

/** The sum of a_i b_i. */
export function dot(a: readonly Q[], b: readonly Q[]): Q {
  tick();
  return a.reduce((total, p, i) => (p[0] && at(b, i)[0] ? plus(total, times(p, at(b, i))) : total), ZERO);
}

/** Read -3/4 in lowest terms: each number is written in one way only. */
export function fraction(text: string): Q {
  const found = /^(-?)(0|[1-9][0-9]*)(?:\/([1-9][0-9]*))?$/.exec(text);
  if (!found || text === "-0") return refuse("a number is not written as a fraction in lowest terms");
  const bottom = BigInt(found[3] ?? 1);
  const top = BigInt(found[2] ?? 0) * (found[1] ? -1n : 1n);
  if (found[3] && (bottom === 1n || divisor(top, bottom) !== 1n))
    refuse("a number is not written as a fraction in lowest terms");
  return [top, bottom];
}

export function exact(value: Json | undefined): Q {
  if (typeof value === "bigint") return [value, 1n];
  if (typeof value !== "string" || value.length > 100_000) return refuse("a number is not exact");
  const [top, bottom] = fraction(value);
  if (bottom === 1n && top < EXACT_FROM && -top < EXACT_FROM) refuse("a whole number stands as text");
  return [top, bottom];
}

// --- fields: every one is read by the check, or refused ------------------------------------------

export type Vector = Q[];
export type Matrix = Q[][];

export class Fields {
  private readonly seen = new Set(["kind", "claim", "columns", "entry"]);
  constructor(private readonly all: ReadonlyMap<string, Json>) {}

  get(name: string): Json | undefined {
    this.seen.add(name);
    return this.all.get(name);
  }
  list(name: string): Json[] {
    const found = this.get(name);
    return Array.isArray(found) ? found : refuse(`it has no list ${name}`);
  }
  number(name: string): Q {
    return exact(this.get(name));
  }
  vector(name: string, length?: number): Vector {
    return vector(this.list(name), name, length);
  }
  matrix(name: string, width?: number): Matrix {
    return matrix(this.list(name), name, width);
  }
  refuseUnread(): void {
    for (const name of this.all.keys())
      if (!this.seen.has(name)) refuse(`its field ${name.slice(0, 60)} has no part in the proof`);
    const text = (one: Json | undefined): boolean => typeof one === "string";
    const { claim = "", columns = [], entry } = Object.fromEntries(this.all);
    if (!text(claim) || !Array.isArray(columns) || !columns.every(text))
      refuse("claim and columns are texts");
    if (entry === undefined) return;
    if (!(entry instanceof Map) || [...entry.keys()].sort().join() !== "base output,output,value")
      return refuse("the entry has output, base output and value");
    exact(entry.get("value"));
    if (!text(entry.get("output")) || !text(entry.get("base output"))) refuse("outputs are texts");
  }
}

function vector(found: Json, name: string, length?: number): Vector {
  if (!Array.isArray(found)) return refuse(`${name} is no list of numbers`);
  if (length !== undefined && found.length !== length) refuse(`${name} needs ${length} entries`);
  return found.map(exact);
}

export function matrix(found: readonly Json[], name: string, width?: number): Matrix {
  const rows = found.map((row) => vector(row, name, width));
  if (rows.some((row) => row.length !== at(rows, 0).length)) refuse(`the rows of ${name} differ`);
  return rows;
}
