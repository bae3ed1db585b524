/** Leave out the parts of Observable Plot that the page never uses: maps, times, bins, legends,
 * schemes of colours, and tips under the pointer. They are half of its size. Whoever draws with one of
 * them gets an error at once. */

import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

const PARTS: Record<string, string> = {
  "projection.js": `
    export const createProjection = () => undefined;
    export const hasProjection = () => false;
    export const projectionAspectRatio = () => undefined;
    export const project = () => { throw new Error("maps are left out of this page"); };
    export const getGeometryChannels = project;
    export const xyProjection = project;
    export function applyPosition(channels, scales) {
      const { x: cx, y: cy } = channels;
      const x = scales.x, y = scales.y;
      const position = {};
      if (cx) position.x = x && cx.scale !== null ? Float64Array.from(cx.value, x) : cx.value;
      if (cy) position.y = y && cy.scale !== null ? Float64Array.from(cy.value, y) : cy.value;
      return position;
    }`,
  "legends.js": `
    export const legend = () => { throw new Error("legends are left out of this page"); };
    export const exposeLegends = () => legend;
    export const createLegends = () => [];`,
  "schemes.js": `
    const none = () => { throw new Error("schemes of colours are left out of this page"); };
    export const isCategoricalScheme = () => false;
    export const isDivergingScheme = () => false;
    export const maybeBooleanRange = () => undefined;
    export const ordinalScheme = none;
    export const ordinalRange = none;
    export const quantitativeScheme = none;`,
  "tip.js": `
    export class Tip {}
    export const tip = () => { throw new Error("tips are left out of this page"); };`,
  "bin.js": `
    export const bin = () => { throw new Error("bins are left out of this page"); };
    export const binX = bin;
    export const binY = bin;
    export const maybeThresholds = bin;
    export const maybeDenseIntervalX = (options) => options;
    export const maybeDenseIntervalY = maybeDenseIntervalX;`,
  "pointer.js": `
    const none = () => { throw new Error("tips are left out of this page"); };
    export const pointer = none;
    export const pointerX = none;
    export const pointerY = none;`,
};

/** Whole files: what they export is still there, and fails when it is called. */
const WHOLE = [
  /node_modules\/d3-(color|geo|time|time-format)\/dist\/[\w-]+\.mjs$/,
  /@observablehq\/plot\/src\/(time|scales\/diverging)\.js$/,
];

function failing(file: string): string {
  const text = readFileSync(file, "utf8");
  const [listed = ""] = /^export \{[^}]*\}/m.exec(text) ?? [];
  const names = [
    ...(listed.match(/\w+(?=\s*[,}])/g) ?? []),
    ...[...text.matchAll(/^export (?:function|const) (\w+)/gm)].map((found) => found[1]),
  ];
  const none = `function none() { throw new Error("left out of this page; see lean_plot.ts"); }`;
  return `${none}\nexport { ${names.map((name) => `none as ${name}`).join(", ")} };`;
}

export function leanPlot(): Plugin {
  return {
    name: "lean-plot",
    enforce: "pre",
    load(id) {
      if (WHOLE.some((one) => one.test(id))) return failing(id);
      const found =
        /@observablehq\/plot\/src\/(?:\w+\/)?(projection|legends|schemes|tip|pointer|bin)\.js$/.exec(id);
      return found ? PARTS[`${found[1]}.js`] : undefined;
    },
  };
}
