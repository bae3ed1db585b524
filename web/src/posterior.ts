/** What an attacker concludes: Bayes' rule on a mechanism's table, in the browser.
 *
 * With you, the output comes from the true database x; without you, from x with your record
 * replaced by a default value (Kasiviswanathan & Smith, equations 1 and 2):
 *
 *     b_0(x | t) = P(t | x) b(x) / sum      b_i(x | t) = P(t | x without i) b(x) / sum
 *
 * Doubles while a slider moves; fractions for the numbers that are shown as exact. The same cases
 * are computed by the Python package: tests/vectors/posterior.json. */

import { Fraction } from "./fraction";

/** Whose records a database is made of: the page reads it off the labels, or is told. */
export interface People {
  readonly count: number;
  readonly values: readonly string[];
  readonly fallback: string;
  /** records[x][i]: the value of person i (from 0) in database x */
  readonly records: readonly (readonly string[])[];
  /** without[i][x]: the database that is x with person i's record replaced */
  readonly without: readonly (readonly number[])[];
}

/** Split labels such as "10" or "north|south" into records; null where they are no full product. */
export function readPeople(labels: readonly string[], fallback?: string): People | null {
  const parted = labels.some((label) => label.includes("|"));
  const records = labels.map((label) => (parted ? label.split("|") : [...label]));
  const count = records[0]?.length ?? 0;
  const values = [...new Set(records.map((record) => record[0] ?? ""))];
  if (count === 0 || records.some((record) => record.length !== count)) return null;
  if (labels.length !== values.length ** count) return null;
  const places = new Map(records.map((record, x) => [record.join("|"), x]));
  if (places.size !== labels.length) return null;
  const used = fallback ?? values[values.length - 1] ?? "";
  const without: number[][] = [];
  for (let i = 0; i < count; i += 1) {
    const column: number[] = [];
    for (const record of records) {
      const place = places.get(record.map((value, j) => (j === i ? used : value)).join("|"));
      if (place === undefined) return null;
      column.push(place);
    }
    without.push(column);
  }
  return { count, values, fallback: used, records, without };
}

/** A belief under which records are independent: laws[i][v] is P(record i is values[v]). */
export function independent<T>(
  people: People,
  laws: readonly (readonly T[])[],
  times: (a: T, b: T) => T,
): T[] {
  return people.records.map((record) =>
    record
      .map((value, i) => laws[i]?.[people.values.indexOf(value)] as T)
      .reduce((product, chance) => times(product, chance)),
  );
}

/** What speaks for a claim and against it: the two parts of a belief after an output. */
export interface Masses {
  yes: number;
  no: number;
}

/** Weigh a belief by a likelihood row (or by none); null where the output cannot occur. */
export function masses(
  belief: readonly number[],
  row: ArrayLike<number> | null,
  claimed: (x: number) => boolean,
): Masses | null {
  const found = { yes: 0, no: 0 };
  for (let x = 0; x < belief.length; x += 1)
    found[claimed(x) ? "yes" : "no"] += (belief[x] ?? 0) * (row ? (row[x] ?? 0) : 1);
  return found.yes + found.no > 0 ? found : null;
}

/** The probability of the claim; it is 0 or 1 only where it is exactly so. */
export function chanceOf(found: Masses | null): number | null {
  if (!found) return null;
  const { yes, no } = found;
  if (yes === 0 || no === 0) return yes === 0 ? 0 : 1;
  return Math.min(Math.max(yes / (yes + no), Number.MIN_VALUE), 1 - Number.EPSILON / 2);
}

export function givenExactly(
  row: readonly Fraction[],
  prior: readonly Fraction[],
): Fraction[] | null {
  const joint = prior.map((chance, x) => chance.times(row[x] ?? Fraction.zero));
  const total = joint.reduce((sum, mass) => sum.plus(mass), Fraction.zero);
  return total.isZero ? null : joint.map((mass) => mass.over(total));
}

/** The likelihood row as it is when person i's record is replaced before anything is computed. */
export function rowWithout<T>(row: ArrayLike<T>, people: People, i: number): T[] {
  return (people.without[i] ?? []).map((x) => row[x] as T);
}

/** The probability that person i's record has this value. */
export function chanceExactly(
  belief: readonly Fraction[],
  people: People,
  i: number,
  value: string,
): Fraction {
  return belief.reduce(
    (sum, mass, x) => (people.records[x]?.[i] === value ? sum.plus(mass) : sum),
    Fraction.zero,
  );
}
