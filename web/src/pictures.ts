/** The pictures, with Observable Plot. Colours are the page's own, so that they follow its theme. */

import {
  areaY,
  axisX,
  axisY,
  dot,
  line,
  ruleX,
  ruleY,
  text,
} from "@observablehq/plot";

import type { Side } from "./attacker";
import { svg } from "./curves";
import { apart, type Curve } from "./noiseless";
import { COMMON, INK, picture, QUIET, WITH, WITHOUT } from "./pictures_base";
import { LOST, percent, short } from "./words";

type Band = ((label: string) => number) & { bandwidth(): number };

/** How high the picture of a matrix is, whatever its size, so that nothing moves when it changes. */
const FRAME = 400;

/** The matrix: one row for each output, one column for each database. Cells that say the same are one
 * path: a thousand of them take no longer than a few. */
export function heatMap(
  width: number,
  databases: readonly string[],
  outputs: readonly string[],
  values: readonly (readonly number[])[],
  written: readonly (readonly string[])[],
): Element {
  const cells = outputs.flatMap((output, t) =>
    databases.map((database, x) => ({
      output,
      database,
      value: values[t]?.[x] ?? 0,
      words: written[t]?.[x] ?? "",
    })),
  );
  const alike = new Map<string, typeof cells>();
  for (const each of cells) {
    const same = alike.get(each.words);
    if (same) same.push(each);
    else alike.set(each.words, [each]);
  }
  const most = Math.max(...cells.map((each) => each.value), 1e-12);
  const longest = Math.max(...outputs.map((label) => label.length));
  const side = 14 + 7 * Math.min(longest, 14);
  const wide = Math.min(width, 560);
  const room = (wide - side - 36) / databases.length;
  const readable = Math.max(...cells.map((each) => each.words.length)) * 7 + 6 < room;
  const height = Math.max(10, (FRAME - 56) / outputs.length);
  const fontSize = Math.min(12, Math.floor(height));
  const slanted = Math.max(...databases.map((label) => label.length)) * 7 > room;
  return picture({
    width: wide,
    height: Math.max(FRAME, height * outputs.length + 56),
    marginLeft: side + 16,
    marginBottom: slanted ? 70 : 40,
    marginTop: 16,
    x: { type: "band", domain: databases as string[], label: null },
    y: { type: "band", domain: outputs as string[], label: null },
    marks: [
      (_, scales) => {
        const { x, y } = scales as unknown as Record<"x" | "y", Band>;
        const drawn = svg("g", { fill: INK });
        const [w, h] = [x, y].map((scale) => Math.max(1, scale.bandwidth() - 2));
        for (const [words, same] of alike) {
          const at = same.map(({ database, output }) => [x(database) + 1, y(output) + 1]);
          const d = at.map(([left, top]) => `M${left},${top}h${w}v${h}h-${w}z`).join("");
          const opacity = 0.04 + 0.9 * ((same[0]?.value ?? 0) / most);
          const path = svg("path", { d, "fill-opacity": opacity.toFixed(3) });
          path.appendChild(svg("title", {})).textContent = words;
          drawn.append(path);
        }
        return drawn;
      },
      readable
        ? text(cells, {
            x: "database",
            y: "output",
            text: "words",
            fontSize: 12,
            fill: (each: { value: number }) =>
              each.value / most > 0.6 ? "var(--paper)" : "var(--ink)",
          })
        : null,
      axisX({
        label: "database (what is true)",
        tickSize: 0,
        ...(slanted ? { tickRotate: -60, fontSize } : {}),
      }),
      axisY({ label: "output", tickSize: 0, fontSize, labelAnchor: "top", labelArrow: "none" }),
    ],
  });
}

/** The privacy profile: delta for each epsilon. */
export function profile(
  width: number,
  epsilon: readonly number[],
  delta: readonly number[],
  price: number | null,
): Element {
  const points = epsilon.map((x, i) => ({ x, y: delta[i] ?? 0 }));
  return picture({
    ...COMMON,
    width,
    height: Math.min(300, Math.max(220, width * 0.62)),
    x: { label: "epsilon →", nice: true },
    y: { label: "↑ delta", domain: [0, Math.max(...delta, 0.01)], nice: true },
    marks: [
      areaY(points, { x: "x", y: "y", fill: INK, fillOpacity: 0.08 }),
      line(points, { x: "x", y: "y", stroke: INK, strokeWidth: 2 }),
      price === null ? null : ruleX([price], { stroke: QUIET, strokeDasharray: "3,3" }),
      price === null
        ? null
        : text([{ x: price }], {
            x: "x",
            text: () => "its price",
            frameAnchor: "top",
            textAnchor: "end",
            dx: -6,
            dy: 4,
            fill: "var(--soft)",
          }),
      ruleY([0], { stroke: QUIET }),
    ],
  });
}

/** The trade-off: false alarms against misses of the best test. */
export function tradeOff(width: number, points: readonly (readonly [number, number])[]): Element {
  const corners = points.map(([x, y]) => ({ x, y }));
  const side = Math.min(width, 340);
  return picture({
    ...COMMON,
    width: side,
    height: side,
    x: { label: "false alarms →", domain: [0, 1], tickFormat: percent, ticks: 5 },
    y: { label: "↑ misses", domain: [0, 1], tickFormat: percent, ticks: 5 },
    marks: [
      line(
        [
          [0, 1],
          [1, 0],
        ],
        { stroke: QUIET, strokeDasharray: "3,3" },
      ),
      areaY(corners, {
        x: "x",
        y1: "y",
        y2: (d: { x: number }) => 1 - d.x,
        fill: INK,
        fillOpacity: 0.1,
      }),
      line(corners, { x: "x", y: "y", stroke: INK, strokeWidth: 2 }),
      corners.length < 30 ? dot(corners, { x: "x", y: "y", fill: INK, r: 3 }) : null,
      ruleX([0], { stroke: QUIET }),
      ruleY([0], { stroke: QUIET }),
    ],
  });
}

export interface Moving {
  readonly element: Element;
  /** Put the dots where the belief is now; the curves stay. */
  move(here: Side): void;
}

/** What is concluded from one output over what was believed before. */
export function beforeAfter(width: number, sides: readonly Side[], people: boolean): Moving {
  const worlds = [
    { side: "without", stroke: WITHOUT, fill: "var(--paper)" },
    { side: "with", stroke: WITH, fill: WITH },
  ] as const;
  const drawn = worlds.filter(({ side }) => people || side === "with");
  const made = picture({
    marginLeft: 48,
    marginRight: 16,
    marginTop: 22,
    marginBottom: 40,
    width: Math.min(width, 560),
    height: Math.min(300, Math.max(220, width * 0.6)),
    x: { label: "believed before →", domain: [0, 1], tickFormat: percent, ticks: 5 },
    y: { label: "↑ concluded", domain: [0, 1], tickFormat: percent, ticks: 5 },
    marks: [
      ruleX([0.5], { stroke: QUIET, className: "now" }),
      ...drawn.map(({ side, stroke }) =>
        line(
          sides.filter((one) => one[side] !== null),
          { x: "prior", y: side, stroke, strokeWidth: 2.5 },
        ),
      ),
      line(
        [
          [0, 0],
          [1, 1],
        ],
        { stroke: "var(--ink)", strokeOpacity: 0.6, strokeDasharray: "1,6", strokeLinecap: "round" },
      ),
      ...drawn.map(({ side, stroke, fill }) =>
        dot([[0.5, 0.5]], { r: 6, fill, stroke, strokeWidth: 3, className: `now-${side}` }),
      ),
      ruleX([0], { stroke: QUIET }),
      ruleY([0], { stroke: QUIET }),
    ],
  });
  const [x, y] = [made.scale("x"), made.scale("y")];
  const rule = made.querySelector(".now line");
  const dots = drawn.map(({ side }) => ({ side, dot: made.querySelector(`.now-${side} circle`) }));
  return {
    element: made,
    move(here) {
      const across = String(x?.apply(here.prior));
      rule?.setAttribute("x1", across);
      rule?.setAttribute("x2", across);
      for (const one of dots) {
        const now = here[one.side];
        one.dot?.setAttribute("cx", across);
        one.dot?.setAttribute("cy", String(y?.apply(now ?? 0)));
        one.dot?.setAttribute("visibility", now === null ? "hidden" : "visible");
      }
    },
  };
}

/** Delta of an exact total as one number grows: the present curve strong, others thin and named. */
export function sweep(
  width: number,
  curves: readonly Curve[],
  label: string,
  here: { x: number; y: number },
): Element {
  const shown = curves.filter((curve) => curve.points.length > 0);
  const least = Math.min(1e-2, ...shown.flatMap(({ points }) => points.map((point) => point.y)));
  const floor = 10 ** Math.floor(Math.log10(least) + 1e-9);
  const rising = (shown[0]?.points.at(-1)?.y ?? 0) > (shown[0]?.points[0]?.y ?? 0);
  const height = Math.min(360, Math.max(260, width * 0.44));
  const margins = {
    marginLeft: 58,
    marginRight: width < 500 ? 84 : 104,
    marginTop: 24,
    marginBottom: 42,
  };
  const top = margins.marginTop;
  const inner = height - top - margins.marginBottom;
  const level = (y: number): number => top + (Math.log10(y) / Math.log10(floor)) * inner;
  const wanted = apart(
    shown.map(({ points }) => level((points.at(-1) as { y: number }).y)),
    15,
  );
  const below = Math.max(0, ...wanted.map((y) => y - (top + inner - 6))); // among the marks of the axis
  const ends = wanted.map((y) => y - below);
  return picture({
    ...margins,
    width,
    height,
    x: { label: `${label} →`, ticks: width < 500 ? 4 : 8 },
    y: { type: "log", label: "↑ delta", domain: [floor, 1], tickFormat: tiny, grid: true, ticks: 5 },
    marks: [
      ruleX([here.x], { stroke: QUIET, strokeDasharray: "3,3" }),
      ...[...shown]
        .sort((a, b) => Number(a.strong) - Number(b.strong))
        .map(({ points, strong }) =>
          line(points, {
            x: "x",
            y: "y",
            stroke: strong ? INK : "var(--soft)",
            strokeWidth: strong ? 3 : 1.25,
            strokeOpacity: strong ? 1 : 0.7,
          }),
        ),
      ...shown.map(({ label: words, points, strong }, i) =>
        text(points.slice(-1), {
          x: "x",
          y: "y",
          text: () => words,
          textAnchor: "start",
          dx: 8,
          dy: (ends[i] ?? 0) - level((points.at(-1) as { y: number }).y),
          fontWeight: strong ? 650 : 400,
          fill: strong ? INK : "var(--soft)",
        }),
      ),
      ...(here.y >= floor ? [dot([here], { x: "x", y: "y", fill: INK, r: 6 })] : []),
      ...(here.y >= floor
        ? [
            text([here], {
              x: "x",
              y: "y",
              text: () => short(here.y, 3),
              textAnchor: rising ? "end" : "start",
              dx: rising ? -9 : 9,
              dy: -12,
              fontSize: 13,
              fontWeight: 650,
              fill: INK,
              stroke: "var(--paper)",
              strokeWidth: 4,
            }),
          ]
        : []),
    ],
  });
}

function tiny(value: number): string {
  const power = Math.log10(value);
  return Math.abs(power - Math.round(power)) < 1e-9
    ? value >= 0.001
      ? short(value)
      : `1e${Math.round(power)}`
    : "";
}

/** 12,000 as 12K, so that ticks do not run into each other. */
function compact(value: number): string {
  return value.toLocaleString("en", Math.abs(value) < 1e5 ? {} : { notation: "compact" });
}

export interface Interval {
  group: string;
  value: number;
  low: number;
  high: number;
  lost: boolean;
}

/** Answers with their intervals, one line for each group; in grey where they are lost in noise. */
export function intervals(width: number, rows: readonly Interval[], label: string): Element {
  const longest = Math.max(...rows.map((row) => row.group.length), 3);
  const side = Math.min(24 + 7 * longest, width * 0.4);
  const right = rows.some((row) => row.lost) ? 150 : 70;
  const positive = rows.every((row) => row.low >= 0);
  const colour = (row: Interval): string => (row.lost ? "var(--soft)" : INK);
  return picture({
    width,
    height: 52 + (rows.length > 16 ? 20 : 28) * rows.length,
    marginLeft: side,
    marginRight: right,
    marginTop: 10,
    marginBottom: 40,
    x: {
      label: `${label} →`,
      nice: true,
      ...(positive ? { zero: true } : {}),
      grid: true,
      ticks: Math.min(8, Math.max(2, Math.floor((width - side - right) / 70))),
      tickFormat: compact,
    },
    y: { domain: rows.map((row) => row.group), label: null },
    marks: [
      ruleY(rows, {
        y: "group",
        x1: "low",
        x2: "high",
        stroke: colour,
        strokeWidth: 6,
        strokeOpacity: 0.3,
        strokeLinecap: "round",
      }),
      dot(rows, { x: "value", y: "group", fill: colour, r: 4 }),
      text(rows, {
        x: "high",
        y: "group",
        text: (row: Interval) => short(row.value) + (row.lost ? `, ${LOST}` : ""),
        textAnchor: "start",
        dx: 10,
        fill: "var(--ink)",
      }),
      axisY({ tickSize: 0, label: null }),
    ],
  });
}

export interface Reach {
  group: string;
  half: number;
  lost: boolean;
}

/** How far each answer may lie from the true value, before there are answers. */
export function reaches(width: number, rows: readonly Reach[], label: string): Element {
  const longest = Math.max(...rows.map((row) => row.group.length), 3);
  const side = Math.min(24 + 7 * longest, width * 0.4);
  const right = rows.some((row) => row.lost) ? 170 : 80;
  const colour = (row: Reach): string => (row.lost ? "var(--soft)" : INK);
  return picture({
    width,
    height: 52 + 24 * rows.length,
    marginLeft: side,
    marginRight: right,
    marginTop: 10,
    marginBottom: 40,
    x: {
      label: `${label}, off by →`,
      nice: true,
      grid: true,
      ticks: Math.min(6, Math.max(2, Math.floor((width - side - right) / 80))),
      tickFormat: compact,
    },
    y: { domain: rows.map((row) => row.group), label: null },
    marks: [
      ruleY(rows, {
        y: "group",
        x1: (row: Reach) => -row.half,
        x2: "half",
        stroke: colour,
        strokeWidth: 6,
        strokeOpacity: 0.3,
        strokeLinecap: "round",
      }),
      text(rows, { x: () => 0, y: "group", text: () => "?", fill: "var(--ink)", fontWeight: 600 }),
      text(rows, {
        x: "half",
        y: "group",
        text: (row: Reach) => `±${short(row.half)}${row.lost ? `, ${LOST}` : ""}`,
        textAnchor: "start",
        dx: 10,
        fill: "var(--ink)",
      }),
      axisY({ tickSize: 0, label: null }),
    ],
  });
}

export { cone } from "./pictures_cone";
