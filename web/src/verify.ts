/** A second checker of certificates: for whoever does not want to trust the first, or to install it.
 *
 * It reads the text itself, since a usual reader of JSON rounds numbers and drops keys that come
 * twice, and computes with fractions of whole numbers only. `KINDS` says what each kind proves, and
 * how; twoworlds/cones/certificates.py in Python says the same, and both are tested on the same
 * certificates, whole and broken. It never says "holds" of what it has not added up: a release has to
 * be worked out from its policy, which only `twoworlds verify` does. Nothing is sent anywhere. */

import {
  at, below, dot, Fields, type Json, larger, limit, type Matrix, matrix, minus, notNegative, ONE,
  over, parse, plus, type Q, Refused, refuse, same, smaller, sum, times, Unjudged, type Vector,
} from "./exact";
import { optimalSimulator } from "./verify_simulator";

/** `fails`: the arithmetic does not come out. `refused`: no certificate. `unjudged`: not decided. */
export type Verdict = "holds" | "fails" | "refused" | "unjudged";

export interface Checked {
  verdict: Verdict;
  kind: string;
  said: string;
  claim: string; // what the certificate says of itself
}

const ALONE =
  "Only the certificate was checked: the words around it were not compared with it. " +
  "To compare those of a report: twoworlds verify report.html";
const LARGEST_FILE = 16 << 20; // bytes
const LONGEST = 10_000; // milliseconds

// --- the checks ----------------------------------------------------------------------------------

/** target = sum of weight * part, weights >= 0. */
function combined(target: Vector, data: Fields, parts: string, weights: string): boolean {
  const rows = data.matrix(parts, target.length);
  const factors = data.vector(weights, rows.length);
  const reached = target.every((x, i) => same(dot(rows.map((row) => at(row, i)), factors), x));
  return notNegative(factors) && reached;
}

/** Whether `first` is below 0 on a vector, while no row is. */
function apart(data: Fields, on: string, first: string, others: string): boolean {
  const x = data.vector(on);
  const chosen = data.vector(first, x.length);
  const rows = data.matrix(others, x.length);
  return notNegative(rows.map((row) => dot(row, x))) && dot(chosen, x)[0] < 0n;
}

const turned = (rows: Matrix): Matrix => at(rows, 0).map((_, j) => rows.map((row) => at(row, j)));
const product = (a: Matrix, b: Matrix): Matrix => {
  const columns = turned(b);
  return a.map((row) => columns.map((column) => dot(row, column)));
};
const stochastic = (rows: Matrix): boolean =>
  rows.every(notNegative) && turned(rows).every((column) => same(sum(column), ONE));

function table(found: Json | undefined, name: string): Matrix {
  const rows = Array.isArray(found) ? matrix(found, name) : refuse(`it has no list ${name}`);
  return rows.length && at(rows, 0).length ? rows : refuse(`${name} is an empty matrix`);
}

/** The matrix of a base, or the transition of each of its records, and how many there are. */
function base(given: Json): [Matrix, Json | undefined] {
  if (!(given instanceof Map)) return [table(given, "base"), 1n];
  for (const name of given.keys())
    if (name !== "transition" && name !== "records") refuse("a base has transition and records");
  return [table(given.get("transition"), "transition"), given.get("records")];
}

/** left (factor x ... x factor), one factor for each record, each in turn the last. */
function after(left: Matrix, given: Json, transposed = false): Matrix {
  const [plain, records] = base(given);
  const factor = transposed ? turned(plain) : plain;
  if (typeof records !== "bigint" || records < 1n || records > 64n)
    return refuse("records is a whole number from 1 to 64");
  const [tall, wide] = [BigInt(factor.length), BigInt(at(factor, 0).length)];
  if (BigInt(at(left, 0).length) !== tall ** records) refuse("a matrix does not fit its base");
  if (BigInt(left.length) * wide ** records > 1n << 24n) refuse("a base has too many entries");
  return left.map((row) => {
    let rest = row;
    for (let one = 0n; one < records; one++) {
      const cut = Array.from({ length: rest.length / factor.length }, (_, b) =>
        rest.slice(b * factor.length, (b + 1) * factor.length),
      );
      rest = turned(product(cut, factor)).flat();
    }
    return rest;
  });
}

function postProcessing(data: Fields): boolean {
  const target = table(data.get("matrix"), "matrix");
  const bases = data.list("bases");
  const weights = data.vector("weights", bases.length);
  const maps = data.list("maps").map((one) => table(one, "map"));
  if (maps.length !== bases.length) refuse("there is not one map for each base");
  const parts = maps.map((map, i) => after(map, at(bases, i)));
  for (const part of parts)
    if (part.length !== target.length || at(part, 0).length !== at(target, 0).length)
      refuse("a map after its base has another shape than the matrix");
  const mixed = (o: number, d: number): Q => dot(weights, parts.map((part) => at(at(part, o), d)));
  const lawful = [target, ...bases.map((one) => base(one)[0]), ...maps].every(stochastic);
  return (
    lawful && notNegative(weights) && same(sum(weights), ONE) &&
    target.every((row, o) => row.every((x, d) => same(mixed(o, d), x)))
  );
}

function notPostProcessing(data: Fields): boolean {
  const [target, functional] = [table(data.get("matrix"), "matrix"), table(data.get("functional"), "functional")];
  if (target.length !== functional.length || at(target, 0).length !== at(functional, 0).length)
    refuse("the functional has another shape than the matrix");
  const reached = sum(target.map((row, o) => dot(row, at(functional, o))));
  const bases = data.list("bases");
  const most = bases.map((one) =>
    sum(turned(after(functional, one, true)).map((column) => column.reduce(larger))),
  );
  const lawful = [target, ...bases.map((one) => base(one)[0])].every(stochastic);
  return lawful && most.length > 0 && most.every((bound) => below(bound, reached));
}

/** The loss of the mechanism in the certificate; null if it is no mechanism of the cone. */
function lossReached(data: Fields, loss: Matrix): Q | null {
  const belief = data.vector("belief");
  const n = belief.length;
  const rows = data.matrix("matrix", n);
  const [inequalities, equalities] = [data.matrix("inequalities", n), data.matrix("equalities", n)];
  if (rows.length !== loss.length) refuse("matrix and loss need one row for each output");
  const criterion = data.get("criterion");
  if (criterion !== "expected" && criterion !== "worst") refuse("criterion is expected or worst");
  const member =
    rows.length > 0 && n > 0 && stochastic(rows) &&
    inequalities.every((a) => rows.every((row) => dot(a, row)[0] >= 0n)) &&
    equalities.every((a) => rows.every((row) => dot(a, row)[0] === 0n));
  if (!member) return null;
  const columns = turned(loss);
  const losses = turned(rows).map((column, d) => dot(column, at(columns, d)));
  return criterion === "worst" ? losses.reduce(larger) : dot(belief, losses);
}

/** The sum of prices below which no loss of such a mechanism lies; null if that is not proved. */
function lossBound(data: Fields, loss: Matrix): Q | null {
  const belief = data.vector("belief");
  const n = belief.length;
  const [inequalities, equalities] = [data.matrix("inequalities", n), data.matrix("equalities", n)];
  const sides = [...inequalities, ...equalities];
  const multipliers = data.matrix("multipliers", sides.length);
  const prices = data.vector("prices", n);
  if (multipliers.length !== loss.length) refuse("loss and multipliers need one row for each output");
  const proved = loss.every((row, o) =>
    prices.every((price, d) => {
      const left = minus(times(at(belief, d), at(row, d)), price);
      return !below(left, dot(sides.map((side) => at(side, d)), at(multipliers, o)));
    }),
  );
  const lawful = notNegative(belief) && same(sum(belief), ONE);
  const signed = multipliers.every((row) => notNegative(row.slice(0, inequalities.length)));
  return proved && lawful && signed ? sum(prices) : null;
}

function leastLoss(data: Fields): boolean {
  const loss = data.matrix("loss", data.vector("belief").length);
  const [reached, bound] = [lossReached(data, loss), lossBound(data, loss)];
  return reached !== null && bound !== null && same(reached, bound) && same(bound, data.number("value"));
}

function leastSquaredLoss(data: Fields): boolean {
  const truths = data.vector("truths", data.vector("belief").length);
  const [answers, tangents] = [data.vector("answers"), data.vector("tangents")];
  const [value, bound] = [data.number("value"), data.number("bound")];
  if (!tangents.length || tangents.some((v, i) => i > 0 && !below(at(tangents, i - 1), v)))
    refuse("tangents are increasing numbers");
  const [least, most] = [at(tangents, 0), at(tangents, tangents.length - 1)];
  const corners = [least, ...tangents].map((u, i) => [u, tangents[i] ?? most] as const);
  const off = (t: Q, u: Q, v: Q): Q => times(minus(t, u), minus(t, v));
  const reached = lossReached(data, answers.map((a) => truths.map((t) => off(t, a, a))));
  if (reached === null || !same(reached, value)) return false;
  const proved = lossBound(data, corners.map(([u, v]) => truths.map((t) => off(t, u, v))));
  const enclosed = truths.every((t) => !below(t, least) && !below(most, t));
  return proved !== null && same(proved, bound) && enclosed;
}

function largestOdds(data: Fields): boolean {
  const row = data.vector("row");
  const [first, second] = [data.vector("first", row.length), data.vector("second", row.length)];
  const [reached, against] = [dot(first, row), dot(second, row)];
  const generated = data.get("generators") !== undefined;
  const cone = data.matrix(generated ? "generators" : "premises", row.length);
  const listed = generated
    ? cone.some((one) => one.every((x, i) => same(x, at(row, i))))
    : notNegative(cone.map((a) => dot(a, row)));
  const member = listed && notNegative([...first, ...second, ...row]);
  if (data.get("odds") === "infinity")
    return member && second.some((x) => x[0] !== 0n) && reached[0] > 0n && against[0] === 0n;
  const odds = data.number("odds");
  const gap = second.map((b, i) => minus(times(odds, b), at(first, i)));
  const bounded = generated
    ? notNegative(cone.map((one) => dot(gap, one)))
    : combined(gap, data, "premises", "multipliers");
  return member && against[0] > 0n && same(reached, times(odds, against)) && bounded;
}

function largestParityOdds(data: Fields): boolean {
  const transition = data.matrix("transition");
  const width = transition[0]?.length ?? 0;
  const [laws, signs] = [data.matrix("laws", width), data.matrix("signs", width)];
  const places = data.vector("places", laws.length).map(([top, bottom]) => {
    const known = bottom === 1n && top >= 0n && top < BigInt(transition.length);
    return known ? Number(top) : refuse("a place is none of the outputs");
  });
  if (signs.length !== laws.length) refuse("laws and signs need one entry for each record");
  let [low, high, reached] = [ONE, ONE, ONE];
  for (const [i, law] of laws.entries()) {
    const masses = transition.map((row) => row.map((p, j) => times(p, at(law, j))));
    const shares = masses.map((m) => (sum(m)[0] ? over(dot(at(signs, i), m), sum(m)) : null));
    const share = at(shares, at(places, i));
    if (share === null || !masses.every(notNegative)) return false;
    const ends = shares.flatMap((s) => (s ? [times(low, s), times(high, s)] : []));
    [low, high, reached] = [ends.reduce(smaller), ends.reduce(larger), times(reached, share)];
  }
  const lawful =
    laws.length > 0 && laws.every((law) => notNegative(law) && same(sum(law), ONE)) &&
    turned(transition).every((column) => same(sum(column), ONE)) &&
    signs.every((row) => row.every((s) => same(times(s, s), ONE))) && same(reached, high);
  if (data.get("odds") === "infinity") return lawful && same(reached, ONE);
  if (!lawful) return false;
  const odds = data.number("odds");
  return same(times(odds, minus(ONE, reached)), plus(ONE, reached)) && !same(reached, ONE);
}

// --- the kinds, and the verdict ------------------------------------------------------------------

type Check = (data: Fields) => boolean;

/** What a certificate of each kind proves, and how that is checked. */
export const KINDS: Readonly<Record<string, readonly [string, Check]>> = {
  member: [
    "the vector is the sum of its generators, each with a weight that is not negative",
    (data) => combined(data.vector("vector"), data, "generators", "weights"),
  ],
  separated: [
    "the functional is at least 0 on all generators, and below 0 on the vector",
    (data) => apart(data, "functional", "vector", "generators"),
  ],
  satisfies: [
    "the vector satisfies all inequalities",
    (data) => {
      const x = data.vector("vector");
      return notNegative(data.matrix("inequalities", x.length).map((row) => dot(row, x)));
    },
  ],
  violates: [
    "the vector violates the inequality",
    (data) => {
      const x = data.vector("vector");
      return dot(data.vector("inequality", x.length), x)[0] < 0n;
    },
  ],
  implied: [
    "the inequality is a sum of its premises, with multipliers that are not negative",
    (data) => combined(data.vector("inequality"), data, "premises", "multipliers"),
  ],
  escape: [
    "the ray satisfies all premises and violates the inequality",
    (data) => apart(data, "ray", "inequality", "premises"),
  ],
  "post-processing": ["the matrix is a mixture of post-processings of the bases", postProcessing],
  "not-post-processing": [
    "the matrix is no mixture of post-processings of the bases",
    notPostProcessing,
  ],
  "least-loss": [
    "the matrix is a mechanism in the cone, and no other one there that has these outputs has less loss",
    leastLoss,
  ],
  "least-squared-loss": [
    "the matrix is a mechanism in the cone with the squared loss in value, and no other one there, " +
      "whatever numbers it answers, has less than the bound",
    leastSquaredLoss,
  ],
  "largest-odds": ["no row of the cone has larger odds than the row given", largestOdds],
  "largest-parity-odds": [
    "no output of the transition has larger odds than the one given",
    largestParityOdds,
  ],
  "optimal-simulator": [
    "the simulator has the upper delta, and none has less than the lower one",
    optimalSimulator,
  ],
  all: ["all its parts hold", () => false], // `holds` looks into the parts
};

function holds(given: Json, depth: number): boolean {
  const kind = given instanceof Map ? given.get("kind") : null;
  if (!(given instanceof Map) || typeof kind !== "string") return refuse("it has no kind");
  const data = new Fields(given);
  const known = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (!known) return refuse(`its kind ${kind.slice(0, 60)} is unknown`);
  let found: boolean;
  if (kind === "all") {
    const parts = data.list("parts");
    if (depth === 50) refuse("it is nested more than 50 deep");
    if (!parts.length) refuse("it has an 'all' without parts, which proves nothing");
    found = parts.map((part) => holds(part, depth + 1)).every(Boolean);
  } else found = known[1](data);
  if (found) data.refuseUnread();
  return found;
}

/** The digest of a release, from its canonical JSON: sorted keys, no spaces, ASCII only. */
async function digestFits(data: Map<string, Json>): Promise<boolean> {
  const points = (key: string): string =>
    [...key].map((c) => (c.codePointAt(0) ?? 0).toString(16).padStart(6, "0")).join("");
  const written = (value: Json): string => {
    if (Array.isArray(value)) return `[${value.map(written).join()}]`;
    if (value instanceof Map) {
      const keys = [...value.keys()].sort((a, b) => (points(a) < points(b) ? -1 : 1));
      return `{${keys.map((key) => `${written(key)}:${written(value.get(key) ?? null)}`).join()}}`;
    }
    if (typeof value !== "string") return String(value);
    return JSON.stringify(value).replace(
      /[^ -~]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  };
  const body = new Map([...data].filter(([name]) => name !== "digest"));
  return (await sha256(new TextEncoder().encode(written(body)))) === data.get("digest");
}

/** The SHA-256 of a file, as reports print it. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function decoded(bytes: Uint8Array): string {
  if (bytes.length > LARGEST_FILE) return refuse("it is larger than 16 MB");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse("it is not JSON");
  }
}

/** Check a certificate, as its text or as the bytes of its file. */
export async function check(content: string | Uint8Array): Promise<Checked> {
  let kind = "";
  let claim = "";
  const found = (verdict: Verdict, said: string): Checked => ({ verdict, kind, said, claim });
  limit(LONGEST);
  try {
    let data = parse(typeof content === "string" ? content : decoded(content));
    if (data instanceof Map && !data.has("kind")) data = data.get("certificate") ?? data;
    if (data instanceof Map) {
      kind = String(data.get("kind") ?? "");
      const described = data.get("claim");
      if (typeof described === "string") claim = described.slice(0, 300);
    }
    if (data instanceof Map && kind === "release") {
      if (!(await digestFits(data))) return found("fails", "its digest is of other content");
      throw new Unjudged("Its digest fits its content. Noise, price and answers are not worked out here");
    }
    return holds(data, 0)
      ? found("holds", KINDS[kind]?.[0] ?? "")
      : found("fails", "its arithmetic does not come out");
  } catch (error) {
    if (error instanceof Refused) return found("refused", error.message);
    const why = error instanceof Unjudged ? error.message : "It is beyond what this browser can do";
    return found("unjudged", why);
  }
}

/** Say it in words: of what it is, and that words around it are not part of it. */
export function sentence({ verdict, kind, said, claim }: Checked): string {
  const told = { holds: "holds", fails: "does NOT hold", refused: "is refused", unjudged: "" }[verdict];
  if (!told) return `Not judged in this browser. ${said}. twoworlds verify judges it, with the words around it.`;
  const of = claim ? ` It describes itself as “${claim}”, which is not checked.` : "";
  if (verdict === "holds" && kind === "violates")
    return `Checked in this browser: the claim is refuted, and the refutation holds (${said}).${of} ${ALONE}`;
  return `Checked in this browser: the certificate ${told} (${said}).${of} ${ALONE}`;
}
