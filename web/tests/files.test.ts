/** What may not be in the source or in the built files. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const here = new URL("..", import.meta.url).pathname;
const built = join(here, "../src/twoworlds/web/static");

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
}

it("names no registry in the lock file", () => {
  const lock = readFileSync(join(here, "package-lock.json"), "utf8");
  expect(lock).not.toMatch(/"resolved"|registry/);
});

it("sets no inline style or script, which the content security policy forbids", () => {
  for (const path of [...files(join(here, "src")), join(here, "index.html")]) {
    const text = readFileSync(path, "utf8");
    expect(text, path).not.toMatch(/innerHTML|setAttribute\("style"| style="|insertAdjacentHTML/);
    // the name of a kind of elements is no address
    expect(text, path).not.toMatch(/https?:\/\/(?!127\.0\.0\.1|www\.w3\.org\/2000\/svg["'])/);
  }
});

it("is smaller than 150 kB in all, as the service sends it", () => {
  const loaded = files(built).filter((path) => !path.endsWith(".txt"));
  const bytes = loaded.reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, 0);
  expect(bytes).toBeLessThan(150_000);
});

it("says whose work is in it", () => {
  const text = readFileSync(join(built, "licences.txt"), "utf8");
  expect(text).toMatch(/@observablehq\/plot \d/);
  expect(text).toMatch(/d3-selection \d/);
});

it("loads nothing from other machines", () => {
  const page = readFileSync(join(built, "index.html"), "utf8");
  expect(page).not.toMatch(/(src|href)="(https?:)?\/\//);
});
