/** An exact count of independent bits: delta, as people are known or not.
 *
 * Whoever knows k of n entries is left with a sum S of n - k - 1 bits of others, and yours. With
 * your entry the count is S + 1 at worst, without it S, so that, with r = e^epsilon,
 *
 *     delta = max( sum (P(S = i - 1) - r P(S = i))+ , sum (P(S = i) - r P(S = i - 1))+ ) .
 *
 * The page draws with doubles; what it states is the service's. The same cases are computed by the
 * Python package: tests/vectors/noiseless.json. */

const known = new Map<number, number>();
let law = "";

/** Delta where `unknown` people, you among them, are not known to the attacker. What was computed of
 * the same belief and epsilon is kept: the curves share it, and so does the next place of a slider. */
export function countDelta(unknown: number, chance: number, epsilon: number): number {
  if (law !== `${chance} ${epsilon}`) known.clear();
  law = `${chance} ${epsilon}`;
  const delta = known.get(unknown) ?? deltaOf(unknown, chance, epsilon);
  known.set(unknown, delta);
  return delta;
}

function deltaOf(unknown: number, chance: number, epsilon: number): number {
  const n = unknown - 1;
  if (n <= 0) return 1;
  const ratio = Math.exp(epsilon);
  const odds = Math.log(chance) - Math.log1p(-chance);
  let power = n * Math.log1p(-chance);
  let before = 0;
  let up = 0;
  let down = 0;
  for (let i = 0; i <= n; i += 1) {
    const here = Math.exp(power);
    up += Math.max(before - ratio * here, 0);
    down += Math.max(here - ratio * before, 0);
    before = here;
    power += Math.log((n - i) / (i + 1)) + odds;
  }
  return Math.min(Math.max(up + before, down), 1);
}

export interface Setting {
  people: number;
  known: number;
  probability: number;
  epsilon: number;
  sweep: "people" | "known";
}

export interface Curve {
  label: string;
  strong: boolean;
  points: { x: number; y: number }[];
}

const LEAST = 1e-12;
const STEPS = 60;
const ENDS = [20, 50, 100, 200, 500, 1000, 2000, 5000];

/** A round number well beyond this one, so that the axis stays while a slider moves a little. */
export function endOf(people: number): number {
  return ENDS.find((end) => end >= 2 * people) ?? 2 * people;
}

/** Whole numbers from one to another at even steps, with one that must be there. */
export function spread(from: number, to: number, through: number, even = 1): number[] {
  const step = even * Math.max(1, Math.ceil((to - from) / STEPS / even));
  const found = new Set<number>([from]);
  for (let x = from; x <= to; x += step) found.add(x);
  if (to > from && (to - from) % even === 0) found.add(to);
  if (through >= from && through <= to && through % even === 0) found.add(through);
  return [...found].sort((a, b) => a - b);
}

/** The present curve, and a few others to compare it with. */
export function curvesOf(at: Setting): Curve[] {
  const drawn = (
    label: string,
    strong: boolean,
    xs: number[],
    unknown: (x: number) => number,
  ): Curve => {
    const points = xs.map((x) => ({ x, y: countDelta(unknown(x), at.probability, at.epsilon) }));
    const end = points.findIndex((point) => point.y < LEAST);
    return { label, strong, points: end < 0 ? points : points.slice(0, end) };
  };
  if (at.sweep === "known") {
    const lines = [at.people, Math.round(at.people / 2), at.people * 2];
    return [...new Set(lines)]
      .filter((n) => n >= 2)
      .map((n) =>
        drawn(
          `${n.toLocaleString("en")} people`,
          n === at.people,
          spread(0, Math.min(n, at.people) - 1, at.known),
          (k) => n - k,
        ),
      );
  }
  const end = endOf(at.people);
  const fixed = at.known > 0 ? [at.known, 0, 2 * at.known] : [0, 10];
  const lines = fixed
    .filter((k) => k + 1 <= end)
    .map((k) =>
      drawn(
        k === 0 ? "none known" : `${k.toLocaleString("en")} known`,
        k === at.known,
        spread(k + 1, end, at.people),
        (n) => n - k,
      ),
    );
  const half = spread(2, end, at.people, 2); // even numbers: their halves have no steps
  return [...lines, drawn("half known", false, half, (n) => n - Math.floor(n / 2))];
}

/** Push positions apart until neighbours have room; each stays as near to its own as it can. */
export function apart(wanted: readonly number[], room: number): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const placed = [...wanted];
  for (let turn = 0; turn < 20; turn += 1) {
    let moved = false;
    for (let i = 1; i < order.length; i += 1) {
      const [a, b] = [order[i - 1] as number, order[i] as number];
      const lack = room - ((placed[b] ?? 0) - (placed[a] ?? 0));
      if (lack <= 1e-9) continue;
      placed[a] = (placed[a] ?? 0) - lack / 2;
      placed[b] = (placed[b] ?? 0) + lack / 2;
      moved = true;
    }
    if (!moved) break;
  }
  return placed;
}
