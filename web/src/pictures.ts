/** The pictures, with Observable Plot. Colours are the page's own, so that they follow its theme. */

import {
  areaY,
  axisX,
  axisY,
  cell,
  dot,
  line,
  plot,
  type PlotOptions,
  ruleX,
  ruleY,
  text,
} from "@observablehq/plot";

import { percent, short } from "./words";

const WITH = "var(--with)";
const WITHOUT = "var(--without)";
const QUIET = "var(--quiet)";

/** Plot puts a style element into its picture, which the content security policy forbids; the same
 * rules are in style.css. */
function picture(options: PlotOptions): Element {
  const made = plot({ style: { background: "transparent" }, ...options });
  for (const style of made.querySelectorAll("style")) style.remove();
  made.classList.add("plot");
  made.setAttribute("aria-hidden", "true");
  return made;
}

/** The matrix: one row for each output, one column for each database. */
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
  const most = Math.max(...cells.map((each) => each.value), 1e-12);
  const longest = Math.max(...outputs.map((label) => label.length));
  const side = 14 + 7 * Math.min(longest, 14);
  const room = (Math.min(width, 720) - side - 12) / databases.length;
  const readable = Math.max(...cells.map((each) => each.words.length)) * 6.6 < room;
  const height = Math.max(18, Math.min(46, 460 / outputs.length));
  const slanted = Math.max(...databases.map((label) => label.length)) * 7 > room;
  return picture({
    width: Math.min(width, 720),
    height: height * outputs.length + (slanted ? 90 : 56),
    marginLeft: side + 16,
    marginBottom: slanted ? 70 : 40,
    marginTop: 16,
    x: { domain: databases as string[], label: null },
    y: { domain: outputs as string[], label: null },
    marks: [
      cell(cells, {
        x: "database",
        y: "output",
        fill: WITH,
        fillOpacity: (each: { value: number }) => 0.04 + 0.9 * (each.value / most),
        inset: 1,
        rx: 3,
        title: (each: (typeof cells)[number]) =>
          `output ${each.output} on ${each.database}: ${each.words}`,
      }),
      readable
        ? text(cells, {
            x: "database",
            y: "output",
            text: "words",
            fontSize: 12,
            fill: (each: { value: number }) =>
              each.value / most > 0.6 ? "var(--on-with)" : "var(--ink)",
          })
        : null,
      axisX({
        label: "database (what is true)",
        tickSize: 0,
        ...(slanted ? { tickRotate: -60 } : {}),
      }),
      axisY({ label: "output", tickSize: 0, labelAnchor: "top", labelArrow: "none" }),
    ],
  });
}

const COMMON = { marginLeft: 52, marginBottom: 42, marginTop: 22, marginRight: 18 } as const;

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
      areaY(points, { x: "x", y: "y", fill: WITH, fillOpacity: 0.12 }),
      line(points, { x: "x", y: "y", stroke: WITH, strokeWidth: 2 }),
      price === null ? null : ruleX([price], { stroke: QUIET, strokeDasharray: "3,3" }),
      price === null
        ? null
        : text([{ x: price }], {
            x: "x",
            text: () => "nothing left beyond its price",
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
        fill: WITH,
        fillOpacity: 0.1,
      }),
      line(corners, { x: "x", y: "y", stroke: WITH, strokeWidth: 2 }),
      corners.length < 30 ? dot(corners, { x: "x", y: "y", fill: WITH, r: 3 }) : null,
      ruleX([0], { stroke: QUIET }),
      ruleY([0], { stroke: QUIET }),
    ],
  });
}

/** Delta of an exact total as one number grows, on a logarithmic scale where it is small. */
export function sweep(
  width: number,
  x: readonly number[],
  delta: readonly number[],
  label: string,
  here: number,
): Element {
  const points = x
    .map((value, i) => ({ x: value, y: delta[i] ?? 0 }))
    .filter((point) => point.y > 1e-15);
  const small = Math.min(...points.map((point) => point.y), 1) < 0.02;
  const least = Math.min(...points.map((point) => point.y), 0.5);
  const chosen = points.filter((point) => point.x === here);
  return picture({
    ...COMMON,
    marginLeft: 64,
    width,
    height: Math.min(380, Math.max(240, width * 0.5)),
    x: { label: `${label} →` },
    y: small
      ? { type: "log", label: "↑ delta", domain: [least, 1], tickFormat: tiny, ticks: 5 }
      : { label: "↑ delta", domain: [0, 1], tickFormat: percent },
    marks: [
      ruleX([here], { stroke: QUIET, strokeDasharray: "3,3" }),
      line(points, { x: "x", y: "y", stroke: WITH, strokeWidth: 2 }),
      points.length >= 60
        ? null
        : dot(points, {
            x: "x",
            y: "y",
            fill: WITH,
            r: 2.5,
            title: (point: { x: number; y: number }) =>
              `${label} ${point.x}: delta ${short(point.y)}`,
          }),
      dot(chosen, { x: "x", y: "y", fill: WITHOUT, r: 5 }),
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
  return value.toLocaleString("en", { notation: "compact" });
}

export interface Interval {
  group: string;
  value: number;
  low: number;
  high: number;
}

/** Answers with their intervals, one line for each group. */
export function intervals(width: number, rows: readonly Interval[], label: string): Element {
  const longest = Math.max(...rows.map((row) => row.group.length), 3);
  const side = Math.min(24 + 7 * longest, width * 0.4);
  const positive = rows.every((row) => row.low >= 0);
  return picture({
    width,
    height: 52 + 28 * rows.length,
    marginLeft: side,
    marginRight: 70,
    marginTop: 10,
    marginBottom: 40,
    x: {
      label: `${label} →`,
      nice: true,
      ...(positive ? { zero: true } : {}),
      grid: true,
      ticks: width < 500 ? 4 : 8,
      tickFormat: compact,
    },
    y: { domain: rows.map((row) => row.group), label: null },
    marks: [
      ruleY(rows, {
        y: "group",
        x1: "low",
        x2: "high",
        stroke: WITH,
        strokeWidth: 6,
        strokeOpacity: 0.3,
        strokeLinecap: "round",
      }),
      dot(rows, { x: "value", y: "group", fill: WITH, r: 4 }),
      text(rows, {
        x: "high",
        y: "group",
        text: (row: Interval) => short(row.value),
        textAnchor: "start",
        dx: 10,
        fill: "var(--ink)",
      }),
      axisY({ tickSize: 0, label: null }),
    ],
  });
}

/** The row cone of three databases, cut where a row adds up to 1: a triangle and the part of it
 * that rows can reach. Of two databases: the plane between two rays. */
export function cone(
  width: number,
  databases: readonly string[],
  rays: readonly (readonly number[])[],
  rows: readonly { label: string; row: readonly number[] }[],
): Element {
  return databases.length === 2
    ? plane(width, databases, rays, rows)
    : triangle(width, databases, rays, rows);
}

type Point = { x: number; y: number; label: string };

function plane(
  width: number,
  databases: readonly string[],
  rays: readonly (readonly number[])[],
  rows: readonly { label: string; row: readonly number[] }[],
): Element {
  const side = Math.min(width, 360);
  const most = 1;
  const ends = rays.map((ray) => {
    const top = Math.max(...ray);
    return { x: ((ray[0] ?? 0) / top) * most, y: ((ray[1] ?? 0) / top) * most };
  });
  const [first, second] = [...ends]
    .sort((a, b) => a.y / (a.x + a.y) - b.y / (b.x + b.y))
    .filter((_, i, all) => i === 0 || i === all.length - 1);
  const corner = { x: most, y: most };
  const shape = [{ x: 0, y: 0 }, first, corner, second].filter(Boolean) as Point[];
  const edges = [first, { x: 0, y: 0 }, second].filter(Boolean) as Point[];
  const dots: Point[] = rows.map(({ label, row }) => ({ label, x: row[0] ?? 0, y: row[1] ?? 0 }));
  return picture({
    ...COMMON,
    width: side,
    height: side,
    x: { label: `P(output | ${databases[0]}) →`, domain: [0, most], ticks: 5 },
    y: { label: `↑ P(output | ${databases[1]})`, domain: [0, most], ticks: 5 },
    marks: [
      line(shape, { x: "x", y: "y", fill: WITH, fillOpacity: 0.15, stroke: "none" }),
      line(edges, { x: "x", y: "y", stroke: WITH, strokeWidth: 1.5 }),
      dot(dots, { x: "x", y: "y", fill: WITH, r: 4 }),
      text(dots, {
        x: "x",
        y: "y",
        text: "label",
        dx: 10,
        dy: 14,
        textAnchor: "start",
        fill: "var(--ink)",
      }),
      ruleX([0], { stroke: QUIET }),
      ruleY([0], { stroke: QUIET }),
    ],
  });
}

function triangle(
  width: number,
  databases: readonly string[],
  rays: readonly (readonly number[])[],
  rows: readonly { label: string; row: readonly number[] }[],
): Element {
  const side = Math.min(width, 400);
  const at = (row: readonly number[], label = ""): Point => {
    const [a = 0, b = 0, c = 0] = row;
    const sum = a + b + c || 1;
    return { x: (b + c / 2) / sum, y: ((c / sum) * Math.sqrt(3)) / 2, label };
  };
  const corners = [at([1, 0, 0]), at([0, 1, 0]), at([0, 0, 1])];
  const reach = around(rays.map((ray) => at(ray)));
  const dots = rows.map(({ label, row }) => at(row, label));
  const names: Point[] = corners.map((corner, i) => ({ ...corner, label: databases[i] ?? "" }));
  return picture({
    width: side,
    height: side * 0.92,
    margin: 28,
    axis: null,
    x: { domain: [0, 1] },
    y: { domain: [0, 0.87] },
    marks: [
      line([...corners, corners[0] as Point], { x: "x", y: "y", stroke: QUIET }),
      line([...reach, reach[0]].filter(Boolean) as Point[], {
        x: "x",
        y: "y",
        fill: WITH,
        fillOpacity: 0.18,
        stroke: WITH,
        strokeWidth: 1.5,
      }),
      dot(dots, { x: "x", y: "y", fill: WITH, r: 4 }),
      ...dots.map((point) =>
        text([point], {
          x: "x",
          y: "y",
          text: "label",
          dx: 31 * Math.sign(Math.round((point.x - 0.5) * 50)),
          dy: Math.abs(point.x - 0.5) < 0.02 ? (point.y > 0.3 ? -12 : 13) : 0,
          fill: "var(--ink)",
        }),
      ),
      ...names.map((name) =>
        text([name], {
          x: "x",
          y: "y",
          text: "label",
          dy: name.y > 0.5 ? -14 : 14,
          fontWeight: 600,
          fill: "var(--ink)",
        }),
      ),
    ],
  });
}

/** Points in the order in which one meets them walking around their middle. */
function around(points: readonly Point[]): Point[] {
  const x = points.reduce((sum, point) => sum + point.x, 0) / points.length;
  const y = points.reduce((sum, point) => sum + point.y, 0) / points.length;
  return [...points].sort((a, b) => Math.atan2(a.y - y, a.x - x) - Math.atan2(b.y - y, b.x - x));
}
