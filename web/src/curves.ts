/** Pictures that need no library, so that the first page has them at once: two laws as curves, and a
 * hundred people of whom so many are guessed right. Words beside them are text of the page. */

import { h } from "./dom";
import { type Guess } from "./words";

const SVG = "http://www.w3.org/2000/svg";

/** Make an element of a picture. */
export function svg(tag: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SVG, tag) as SVGElement;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

export interface Laws {
  readonly xs: readonly number[];
  /** heights above each x, in any unit that both share */
  readonly with: readonly number[];
  readonly without: readonly number[];
  /** where the eye may rest: a mark on the axis, with words */
  readonly ticks: readonly { readonly x: number; readonly words: string }[];
  /** marks at the side: then the highest of them is the top */
  readonly levels?: readonly { readonly y: number; readonly words: string }[];
  /** what lies along the axis */
  readonly axis?: string;
  /** the output that is looked at */
  readonly at?: number | undefined;
}

export interface TwoCurves {
  readonly root: HTMLElement;
  show(laws: Laws): void;
}

/** Two curves over one axis: the world with you filled blue, the one without filled orange. */
export function twoCurves(label: string, names: { with: string; without: string }): TwoCurves {
  const picture = svg("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none" });
  picture.setAttribute("aria-hidden", "true");
  const rule = svg("line", { class: "at", y1: 0, y2: 100 });
  const curves = (["without", "with"] as const).map((side) => ({
    side,
    area: svg("path", { class: `area ${side}` }),
    line: svg("path", { class: `line ${side}` }),
  }));
  picture.append(...curves.map(({ area }) => area), ...curves.map(({ line }) => line), rule);
  const axis = h("div", { class: "ticks", "aria-hidden": "true" });
  const side = h("div", { class: "levels", "aria-hidden": "true" });
  const title = h("p", { class: "axis-title", "aria-hidden": "true" });
  const key = keyLine([
    ["with", names.with],
    ["without", names.without],
  ]);
  return {
    root: h(
      "div",
      { class: "curves" },
      key,
      h("div", { role: "img", "aria-label": label }, picture, axis, side),
      title,
    ),
    show({ xs, ticks, levels = [], axis: along = "", at, ...heights }) {
      title.textContent = along && `${along} →`;
      const [low = 0, high = 1] = [xs[0], xs.at(-1)];
      const drawn = [...heights.with, ...heights.without];
      const top = levels.at(-1)?.y ?? Math.max(...drawn, Number.MIN_VALUE);
      const across = (x: number): number => (100 * (x - low)) / (high - low || 1);
      for (const { side, area, line } of curves) {
        const points = xs.map(
          (x, i) => `${across(x).toFixed(2)},${(98 - 94 * ((heights[side][i] ?? 0) / top)).toFixed(2)}`,
        );
        line.setAttribute("d", `M${points.join("L")}`);
        area.setAttribute("d", `M0,98L${points.join("L")}L100,98Z`);
      }
      rule.setAttribute("visibility", at === undefined ? "hidden" : "visible");
      for (const end of ["x1", "x2"]) rule.setAttribute(end, String(across(at ?? low)));
      side.replaceChildren(
        ...levels.map(({ y, words }) => {
          const level = h("span", {}, words);
          level.style.top = `${98 - (94 * y) / top}%`;
          return level;
        }),
      );
      axis.replaceChildren(
        ...ticks.map(({ x, words }) => {
          const tick = h("span", {}, words);
          tick.style.left = `${across(x)}%`;
          return tick;
        }),
      );
    },
  };
}

/** A few round numbers along an axis. */
export function roundTicks(low: number, high: number, count = 5): number[] {
  const wide = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(wide));
  const step = [1, 2, 5, 10].map((n) => n * power).find((one) => one >= wide) ?? wide;
  const from = Math.ceil(low / step - 1e-9);
  const many = Math.floor(high / step + 1e-9) - from + 1;
  return Array.from({ length: many }, (_, i) => Number(((from + i) * step).toPrecision(12)));
}

const FIGURE = "M5 1.2a2.1 2.1 0 1 1 0 4.2a2.1 2.1 0 1 1 0-4.2M1.6 13.4v-3.6a3.4 3.4 0 0 1 6.8 0v3.6z";

export interface Icons {
  readonly root: HTMLElement;
  show(found: Guess, chance: number): void;
}

/** A hundred people: grey are those whom anyone gets right by tossing a coin, blue those whom the
 * release adds, pale the rest. */
export function icons(): Icons {
  const figures = Array.from({ length: 100 }, (_, i) => {
    const place = `translate(${(i % 10) * 12 + 1} ${Math.floor(i / 10) * 16 + 1})`;
    return svg("path", { d: FIGURE, transform: place });
  });
  const picture = svg("svg", { viewBox: "0 0 120 160" });
  picture.setAttribute("aria-hidden", "true");
  picture.append(...figures);
  const image = h("div", { role: "img" }, picture);
  const each = h("p", { class: "hint" });
  return {
    root: h("div", { class: "icons" }, image, each),
    show({ right, of }, chance) {
      const lit = right === null ? Math.ceil(100 * chance) : Math.ceil((100 * right) / of);
      image.setAttribute("aria-label", `${lit} of 100 figures are guessed right, 50 of them by chance`);
      figures.forEach((figure, i) => {
        figure.setAttribute("class", i >= lit ? "rest" : i < 50 ? "base" : "added");
      });
      const many = of / 100;
      each.textContent = many === 1 ? "" : `Each figure stands for ${many.toLocaleString("en")} people.`;
    },
  };
}

/** What the colours of the figures mean. */
export function iconKey(): HTMLElement {
  return keyLine([
    ["base", "right by chance"],
    ["with", "added by your data"],
    ["rest", "wrong"],
  ]);
}

function keyLine(parts: readonly (readonly [string, string])[]): HTMLElement {
  return h(
    "p",
    { class: "key-line" },
    ...parts.map(([kind, words]) => h("span", {}, h("span", { class: `key ${kind}` }), words)),
  );
}
