/** Row cones: of two databases the plane between two rays, of three a triangle. */

import { dot, line, ruleX, ruleY, text } from "@observablehq/plot";

import { COMMON, INK, picture, QUIET } from "./pictures_base";

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
      line(shape, { x: "x", y: "y", fill: INK, fillOpacity: 0.15, stroke: "none" }),
      line(
        [
          [0, 0],
          [1, 1],
        ],
        { stroke: QUIET, strokeDasharray: "2,4" },
      ),
      line(edges, { x: "x", y: "y", stroke: INK, strokeWidth: 1.5 }),
      dot(dots, { x: "x", y: "y", fill: INK, r: 4 }),
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
        fill: INK,
        fillOpacity: 0.18,
        stroke: INK,
        strokeWidth: 1.5,
      }),
      dot([at([1, 1, 1])], { x: "x", y: "y", stroke: QUIET, r: 3 }),
      dot(dots, { x: "x", y: "y", fill: INK, r: 4 }),
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
