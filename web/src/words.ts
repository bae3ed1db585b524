/** Numbers in words: percentages, odds, exact numbers of the service. */

import { Fraction } from "./fraction";

/** A number as the service writes it: exact where it can be, with its nearest double. */
export interface Numeral {
  readonly exact: string | null;
  readonly value: number | null;
  readonly lower?: number;
  readonly upper?: number;
}

/** What the service calls an answer whose noise is larger than its value. */
export const LOST = "lost in noise";

/** 0.7512 as "75.1%"; what is not quite certain is never shown as 0% or 100%. */
export function percent(chance: number): string {
  if (chance === 0 || chance === 1) return `${chance * 100}%`;
  const points = chance * 100;
  if (points > 99.95) return points > 99.9999 ? "just below 100%" : `${floor(points, 4)}%`;
  if (points < 0.1) return points < 0.0001 ? "just above 0%" : `${Number(points.toPrecision(2))}%`;
  return `${Number(points.toFixed(1))}%`;
}

function floor(value: number, digits: number): number {
  return Math.floor(value * 10 ** digits) / 10 ** digits;
}

/** The odds that belong to a probability: "3 to 1", "3 to 7", "1 to 1.985", "certain". Where they are
 * known better than the probability tells (next to 0 and 1), they are given, for : against. */
export function odds(chance: number, forIt = chance / (1 - chance)): string {
  if (chance >= 1) return "certain";
  if (chance <= 0) return "impossible";
  for (let whole = 2; whole <= 100; whole += 1) {
    const part = Math.round(chance * whole);
    if (part > 0 && part < whole && Math.abs(chance - part / whole) < 1e-9)
      return `${part} to ${whole - part}`;
  }
  return forIt > 1 ? `${upTo(forIt)} to 1` : `1 to ${upTo(1 / forIt)}`;
}

/** A factor; beyond 1e100 it is only said how large it is at least. */
export function upTo(factor: number): string {
  return factor > 1e100 ? "more than 1e100" : short(factor);
}

export type Side = "down" | "up" | null;

/** Four figures at most, with separators for thousands; the nearest, or the next on one side. */
export function short(value: number, figures = 4, side: Side = null): string {
  if (!Number.isFinite(value)) return value > 0 ? "infinite" : String(value);
  if (value !== 0 && (Math.abs(value) < 1e-6 || Math.abs(value) >= 1e9))
    return rounded(value, 3, side).toExponential().replace("e+", "e");
  const whole = Math.trunc(Math.abs(value)).toString().length;
  const kept = Math.abs(value) >= 1000 ? whole : figures;
  return rounded(value, kept, side).toLocaleString("en", { maximumFractionDigits: 12 });
}

function rounded(value: number, figures: number, side: Side): number {
  const near = Number(value.toPrecision(figures));
  if (side === null || near === value || near < value === (side === "down")) return near;
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) + 1 - figures);
  return Number((side === "down" ? near - step : near + step).toPrecision(figures));
}

/** A small probability as deltas are written: "1e-6", "5e-7". */
export function powers(value: number): string {
  return value > 0 && value < 1e-3 ? Number(value.toPrecision(4)).toExponential() : short(value);
}

/** An exact number as people read it: "ln 3 (1.0986)", "3/4 (0.75)", "2". */
export function numeral(number: Numeral | null | undefined): string {
  if (!number) return "";
  if (number.value === null) return beyond(number);
  if (/^1\/10{4,}$/.test(number.exact ?? "")) return powers(number.value); // which is exact
  const decimal = vanishes(number) ? SMALLEST : short(number.value, 5);
  if (number.exact === null || number.exact === String(number.value) || number.exact.length > 24)
    return decimal;
  return `${number.exact} (${decimal})`;
}

/** The exact text alone where it is short, else the decimal. */
export function exactly(number: Numeral): string {
  if (number.exact !== null && number.exact !== "inf" && number.exact.length <= 12)
    return number.exact;
  if (number.value === null) return beyond(number);
  return vanishes(number) ? SMALLEST : short(number.value);
}

const SMALLEST = "below 1e-300";

/** What a release costs: epsilon, with a delta or without, or rho. */
export type Cost = Partial<Record<"epsilon" | "delta" | "rho", Numeral>>;

/** "epsilon 0.25", "epsilon 1, delta 1e-7", "rho 1/3": decimals where they end, as they are chosen. */
export function costWords(cost: Cost): string {
  const parts = Object.entries(cost).map(([name, number]) =>
    name === "delta" ? `delta ${powers(number.value ?? 0)}` : `${name} ${decimally(number)}`,
  );
  return parts.join(", ") || "epsilon 0";
}

function decimally(number: Numeral): string {
  const found = Fraction.read(number.exact ?? "");
  return found && 1_000_000n % found.bottom === 0n ? short(found.value, 6) : exactly(number);
}

/** Whether a number is too small for doubles, and yet not 0. */
function vanishes({ exact, value }: Numeral): boolean {
  return exact !== "0" && value !== null && value >= 0 && value < 1e-300;
}

/** A number that no double holds: its exact text, unless it is infinite. */
function beyond({ exact, lower }: Numeral): string {
  if (exact !== null && exact !== "inf" && exact.length <= 40) return exact;
  return exact === "inf" || lower === undefined || lower === null ? "infinite" : "above 1e308";
}

/** A fraction beside its percentage: "3/4 (75%)". */
export function chanceWords(chance: Fraction): string {
  const text = chance.toString();
  if (chance.bottom === 1n) return percent(chance.value);
  const near = Math.min(Math.max(chance.value, Number.MIN_VALUE), 1 - Number.EPSILON / 2);
  return text.length > 24 ? percent(near) : `${text} (${percent(near)})`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Part "If …, then …. What breaks it: …" into what is assumed, what follows, and what ends it. */
export function conditional(sentence: string): { assumption: string; claim: string; rest: string } {
  const [said = "", ...more] = sentence.split(/(?=What breaks it:)/);
  const found = /^(If [\s\S]+?), then ([\s\S]+)$/.exec(said.trim());
  const claim = found?.[2] ?? said.trim();
  return {
    assumption: found ? `${found[1]}:` : "",
    claim: capital(claim),
    rest: more.join("").trim(),
  };
}

// --- the one sentence -----------------------------------------------------------------------------

/** How many of how many people are guessed right, at most; `right` is null where no number of people
 * up to a million tells the chance apart from a half or from certainty. */
export interface Guess {
  readonly right: number | null;
  readonly of: number;
}

const MOST_PEOPLE = 1_000_000;

/** Round a chance up to so many of 100 people, or of more where 100 are too coarse. */
export function guess(chance: number): Guess {
  if (chance <= 0.5 || chance >= 1) return { right: chance >= 1 ? 100 : 50, of: 100 };
  for (let of = 100; of <= MOST_PEOPLE; of *= 10) {
    const right = chance * of;
    if (Math.min(right - of / 2, of - right) > 1 - 1e-9) return { right: Math.ceil(right - 1e-9), of };
  }
  return { right: null, of: 100 };
}

/** What someone who guesses at even odds gets right, at most: the sentence that comes first. */
export function guessSentence(chance: number): string {
  const { right, of } = guess(chance);
  const who = "someone who knows everyone else and guesses at even odds whether each is in the data would get";
  const half = (of / 2).toLocaleString("en");
  const people = `Of ${of.toLocaleString("en")} people in your position`;
  if (chance <= 0.5) return `${people}, ${who} ${half} right, with your data or without.`;
  const most =
    right === null
      ? chance < 0.75
        ? "just over half"
        : "practically all"
      : `at most ${right.toLocaleString("en")}`;
  return `${people}, ${who} ${most} right (${half} without your data).`;
}

/** A plain word beside the number: right at most 3 of 4 times, 9 of 10, 99 of 100, or beyond. */
export function strength(chance: number): "strong" | "moderate" | "weak" | "none" {
  const within = (most: number): boolean => chance <= most + 1e-12;
  return within(0.75) ? "strong" : within(0.9) ? "moderate" : within(0.99) ? "weak" : "none";
}

/** The same as a fact: "at most 53 of 100 (strong)"; the word stands only where the sentence has one. */
export function guessed(chance: number, worded = true): string {
  const { right, of } = guess(chance);
  const word = worded ? ` (${strength(chance)})` : "";
  if (right === null) return `${chance < 0.75 ? "just over half" : "practically all"}${word}`;
  const most = chance > 0.5 ? "at most " : "";
  return `${most}${right.toLocaleString("en")} of ${of.toLocaleString("en")}${word}`;
}

/** A text with its long numerals cut off, "dp(ratio=2.8883…)", and long databases: "11111111...11111111". */
export function brief(text: string): string {
  const named = text.replace(/(?<!\d|\d[./])(\d{8})\d{9,}(\d{8})(?!\d|[./]\d)/g, "$1...$2");
  return named.replace(/\d+\.\d{9,}|\d{7,}\/\d{7,}/g, (found) => {
    const [top = 0, bottom = 1] = found.split("/").map(Number);
    const value = Math.floor((top / bottom) * 1e4) / 1e4;
    return value < 0.01 ? found : `${value}…`;
  });
}
