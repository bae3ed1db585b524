/** One line for each output: what was believed before, and what is concluded with you and without. */

import { lawsOf, type Position, type Scene, type Side } from "../attacker";
import { roundTicks, twoCurves } from "../curves";
import { button, figure, h } from "../dom";
import { percent, short } from "../words";

interface Row {
  root: HTMLElement;
  pick: HTMLButtonElement;
  prior: HTMLElement;
  bar: HTMLElement;
  dots: Record<"with" | "without", HTMLElement>;
  cells: Record<"likely" | "with" | "without", HTMLElement>;
}

export interface OutputTable {
  readonly root: HTMLElement;
  /** Show what follows now; where lines are many, in those that are in sight. */
  show(sides: readonly Side[], chosen: number, at: Position): void;
  /** Bring the other lines up to date, when the hand rests. */
  rest(): void;
}

/** So many lines are always drawn at once; of more, those that are in sight. */
const FEW = 12;

export function outputTable(scene: Scene, choose: (output: number) => void): OutputTable {
  const which = scene.some ? "some outputs" : scene.part ? "outputs in the middle" : "every output";
  const rows = scene.outputs.map((output, t) => outputRow(scene, output, () => choose(t)));
  const head = h(
    "tr",
    {},
    h("th", { scope: "col" }, "output"),
    h("th", { scope: "col", class: "likely" }, scene.density ? "" : "how likely"),
    h(
      "th",
      { scope: "col", class: "track" },
      h(
        "span",
        { class: "scale" },
        h("span", {}, "0%"),
        h("span", {}, "50%"),
        h("span", {}, "100%"),
      ),
    ),
    h("th", { scope: "col", class: scene.people ? "without" : "prior" }, scene.people ? "without you" : "before"),
    h("th", { scope: "col", class: "with" }, scene.people ? "with you" : "after"),
  );
  const root = h(
    "section",
    {},
    h("h2", {}, `For ${which}`),
    h(
      "p",
      { class: "caption" },
      "The mark is what was believed before; ",
      ...(scene.people
        ? [h("span", { class: "key without" }), " what is concluded without your data, "]
        : []),
      h("span", { class: "key with" }),
      scene.people ? " with it." : " what is concluded after the output.",
      " Choose an output to read it in words.",
    ),
    h(
      "table",
      { class: "outputs", "aria-label": `For ${which}` },
      h("thead", {}, head),
      h("tbody", {}, ...rows.map((row) => row.root)),
    ),
  );
  let now: readonly Side[] = [];
  let picked = 0;
  const inSight = new Set<number>();
  const update = (t: number): void => {
    const [row, side] = [rows[t], now[t]];
    if (row && side) show(row, side, t === picked, scene);
  };
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const t = rows.findIndex((row) => row.root === target);
      if (isIntersecting) inSight.add(t);
      else inSight.delete(t);
      update(t);
    }
  });
  for (const row of rows) observer.observe(row.root);
  return {
    root,
    show(sides, chosen) {
      const all = rows.length <= FEW || now.length === 0;
      [now, picked] = [sides, chosen];
      for (const t of all ? rows.keys() : inSight) update(t);
    },
    rest() {
      for (const t of rows.keys()) update(t);
    },
  };
}

function outputRow(scene: Scene, output: string, choose: () => void): Row {
  const prior = h("i", { class: "prior" });
  const bar = h("i", { class: "bar" });
  const dots = { with: h("i", { class: "dot with" }), without: h("i", { class: "dot without" }) };
  const cells = {
    likely: h("td", { class: "likely" }),
    with: h("td", { class: "with" }),
    without: h("td", { class: scene.people ? "without" : "prior" }),
  };
  const pick = button(output, choose);
  const track = h(
    "td",
    { class: "track", "aria-hidden": "true" },
    h("div", {}, bar, prior, dots.without, dots.with),
  );
  const root = h(
    "tr",
    {},
    h("th", { scope: "row" }, pick),
    cells.likely,
    track,
    cells.without,
    cells.with,
  );
  return { root, pick, prior, bar, dots, cells };
}

function show(row: Row, side: Side, chosen: boolean, scene: Scene): void {
  const at = (p: number): string => `${(p * 100).toFixed(2)}%`;
  row.root.classList.toggle("chosen", chosen);
  row.pick.setAttribute("aria-pressed", String(chosen));
  row.cells.likely.textContent = scene.density ? "" : percent(side.likely);
  row.cells.with.textContent = side.with === null ? "never" : percent(side.with);
  const without = scene.people ? side.without : side.prior;
  row.cells.without.textContent = without === null ? "never" : percent(without);
  row.prior.style.left = at(side.prior);
  row.dots.with.hidden = side.with === null;
  row.dots.without.hidden = without === null || !scene.people;
  row.dots.with.style.left = at(side.with ?? 0);
  row.dots.without.style.left = at(without ?? 0);
  const [low, high] = [side.with ?? 0, without ?? 0].sort((a, b) => a - b) as [number, number];
  row.bar.hidden = side.with === null || without === null;
  row.bar.style.left = at(low);
  row.bar.style.width = at(high - low);
}

// --- outputs on a line, such as noisy numbers: the two laws, and what each output makes anyone conclude

const LEVELS = [0, 0.5, 1].map((y) => ({ y, words: `${100 * y}%` }));

export function outputLine(scene: Scene): OutputTable {
  const xs = scene.line ?? [];
  const worlds = scene.people
    ? { with: "with your data", without: "without your data" }
    : { with: "on database A", without: "on database B" };
  const laws = twoCurves("Two curves of how likely each output is", worlds);
  const concluded = twoCurves("Curves of what each output makes anyone conclude", {
    with: scene.people ? "with your data" : "after the output",
    without: scene.people ? "without your data" : "before",
  });
  concluded.root.classList.add("lines");
  concluded.root.classList.toggle("before", !scene.people);
  const ticks = roundTicks(xs[0] ?? 0, xs.at(-1) ?? 1).map((x) => ({ x, words: short(x) }));
  return {
    root: h(
      "div",
      { class: "figures" },
      figure(
        "What may be published",
        scene.people
          ? "How likely each number is if the claim about you is true. The line is the published number."
          : "How likely each number is in the two worlds. The line is the published number.",
        laws.root,
      ),
      figure("What each output makes of it", "How likely the claim is after each number.", concluded.root),
    ),
    show(sides, chosen, at) {
      const here = xs[chosen];
      laws.show({ xs, ...lawsOf(scene, at), ticks, axis: "published number", at: here });
      concluded.show({
        xs,
        with: sides.map((side) => side.with ?? 0),
        without: sides.map((side) => (scene.people ? side.without : side.prior) ?? 0),
        ticks,
        levels: LEVELS,
        axis: "published number",
        at: here,
      });
    },
    rest() {},
  };
}
