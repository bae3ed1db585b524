import { defineConfig } from "vite";

// The checker alone, as one script that a report carries: not minified, so that whoever opens a report
// can read it. It is written beside the page, after the page.
export default defineConfig({
  publicDir: false,
  build: {
    outDir: process.env.PAGE_FOLDER ?? "../src/twoworlds/web/static",
    emptyOutDir: false,
    target: "es2022",
    minify: false,
    reportCompressedSize: false,
    lib: {
      entry: "src/verify_report.ts",
      formats: ["iife"],
      name: "twoworlds",
      fileName: () => "verify.js",
    },
  },
});
