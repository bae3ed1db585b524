import { defineConfig } from "vite";

import { leanPlot } from "./lean_plot.ts";
import { licences } from "./licences.ts";

// File names carry a hash of their content and nothing else: the same source gives the same bytes
// on every machine, which `make page-check` relies on.
export default defineConfig({
  base: "./",
  plugins: [leanPlot(), licences()],
  build: {
    outDir: process.env.PAGE_FOLDER ?? "../src/twoworlds/web/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: {
    proxy: { "/api": process.env.SERVICE ?? "http://127.0.0.1:8000" },
  },
});
