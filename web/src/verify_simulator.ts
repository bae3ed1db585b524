/** Certificates of best simulators: the delta that one reaches in all comparisons of two worlds, and
 * tests that no simulator withstands better (twoworlds/definitions/coupled/_proof.py derives them). */

import {
  at, below, type Fields, fraction, type Json, larger, minus, notNegative, ONE, plus, type Q,
  refuse, same, smaller, sum, times, ZERO,
} from "./exact";

type Law = Map<number, Q>;
interface Comparison {
  real: Law;
  ideal: Law;
  errors: [Q, Q];
}
interface Test {
  comparison: number;
  favours: Json | undefined;
  event: number[];
  weight: Q;
}

const list = (given: Json | undefined): Json[] => (Array.isArray(given) ? given : refuse("a list is missing"));
const text = (given: Json | undefined): string => (typeof given === "string" ? given : refuse("a text is missing"));
const whole = (given: Json | undefined): number =>
  typeof given === "bigint" ? Number(given) : refuse("a whole number is missing");
const mass = (law: Law, place: number): Q => law.get(place) ?? ZERO;
const isLaw = (law: Law, error: Q = ZERO): boolean => {
  const off = minus(sum([...law.values()]), ONE);
  return notNegative([error, ...law.values()]) && !below(error, off) && !below(error, minus(ZERO, off));
};

function only(given: Json, ...names: string[]): (name: string) => Json | undefined {
  if (!(given instanceof Map) || given.size !== names.length || !names.every((name) => given.has(name)))
    return refuse(`the fields must be ${names.join(", ")}`);
  return (name) => given.get(name);
}

function law(given: Json | undefined, size: number): Law {
  if (!(given instanceof Map)) return refuse("a law names its places");
  return new Map(
    [...given].map(([place, p]) => {
      if (!/^(0|[1-9][0-9]{0,14})$/.test(place) || Number(place) >= size) refuse("a place is unknown");
      return [Number(place), fraction(text(p))];
    }),
  );
}

function labels(given: Json | undefined): number {
  const names = list(given).map(text);
  return new Set(names).size === names.length ? names.length : refuse("a label comes twice");
}

/** sum of (P - a Q)+ and the error, which counts unless every P is below a Q by more than it. */
function excess(p: Law, q: Law, ratio: Q, error: Q): Q {
  const gaps = [...p].map(([t, own]) => minus(own, times(ratio, mass(q, t))));
  const near = error[0] !== 0n && gaps.some((gap) => below(minus(ZERO, error), gap));
  return sum([...gaps.filter((gap) => gap[0] > 0n), near ? error : ZERO]);
}

/** The least delta of the simulator in all comparisons, both ways. */
function attained(made: Comparison[], simulator: Law[], ratio: Q): Q {
  let worst = ZERO;
  for (const { real, ideal, errors } of made) {
    const simulated: Law = new Map();
    for (const [y, p] of ideal)
      for (const [t, chance] of at(simulator, y))
        simulated.set(t, plus(mass(simulated, t), times(p, chance)));
    const [off, shift] = errors;
    worst = larger(worst, excess(real, simulated, ratio, plus(off, times(ratio, shift))));
    worst = larger(worst, excess(simulated, real, ratio, plus(shift, times(ratio, off))));
  }
  return smaller(ONE, worst);
}

/** What tests drawn by their weights win at a ratio against the simulator that answers best. */
function testBound(made: Comparison[], outputs: number, tests: Test[], ratio: Q): Q {
  let total = ZERO;
  const left = new Map<number, Law>(); // by scrubbed database and output: what an answer costs
  for (const { comparison, favours, event, weight } of tests) {
    const { real, ideal, errors } = at(made, comparison);
    const mine = favours === "real";
    const shown = sum(event.map((t) => mass(real, t)));
    const [off, shift] = errors;
    const won = mine
      ? minus(minus(shown, off), times(ratio, shift))
      : minus(minus(ZERO, shift), times(ratio, plus(shown, off)));
    total = plus(total, times(weight, won));
    const stake = mine ? minus(ZERO, times(ratio, weight)) : weight;
    for (const [y, p] of ideal) {
      const row = left.get(y) ?? new Map<number, Q>();
      for (const t of event) row.set(t, plus(mass(row, t), times(stake, p)));
      left.set(y, row);
    }
  }
  for (const row of left.values()) {
    if (!row.size) refuse("an event of a test is empty");
    const least = [...row.values()].reduce(smaller);
    total = plus(total, row.size === outputs ? least : smaller(ZERO, least));
  }
  return larger(ZERO, total);
}

export function optimalSimulator(data: Fields): boolean {
  const [outputs, inputs] = [labels(data.get("outputs")), labels(data.get("inputs"))];
  const made = data.list("comparisons").map((one): Comparison => {
    const get = only(one, "belief", "whose", "side", "private", "real", "ideal", "errors");
    whole(get("belief"));
    ["whose", "side", "private"].forEach((name) => text(get(name)));
    const [off, shift, ...more] = list(get("errors")).map((x) => fraction(text(x)));
    if (!off || !shift || more.length) return refuse("a comparison has two errors");
    return { real: law(get("real"), outputs), ideal: law(get("ideal"), inputs), errors: [off, shift] };
  });
  const simulator = data.list("simulator").map((one) => law(one, outputs));
  const tests = data.list("tests").map((one): Test => {
    const get = only(one, "comparison", "favours", "event", "weight");
    const event = list(get("event")).map(whole);
    const weight = fraction(text(get("weight")));
    return { comparison: whole(get("comparison")), favours: get("favours"), event, weight };
  });
  const claimed = (name: string): Q => fraction(text(data.get(name)));
  const [lower, lowerAt] = [claimed("lower"), claimed("lower_at_ratio")];
  const [upper, upperAt] = [claimed("upper"), claimed("upper_at_ratio")];
  const sound = tests.every(
    (one) =>
      one.comparison >= 0 && one.comparison < made.length &&
      (one.favours === "real" || one.favours === "ideal") &&
      one.event.every((t) => t >= 0 && t < outputs) &&
      new Set(one.event).size === one.event.length && one.weight[0] >= 0n,
  );
  return (
    made.length > 0 && simulator.length === inputs && simulator.every((one) => isLaw(one)) &&
    made.every((one) => isLaw(one.real, one.errors[0]) && isLaw(one.ideal, one.errors[1])) &&
    !below(upperAt, ONE) && !below(lowerAt, upperAt) &&
    sound && !below(ONE, sum(tests.map((one) => one.weight))) &&
    same(attained(made, simulator, upperAt), upper) &&
    same(testBound(made, outputs, tests, lowerAt), lower)
  );
}
