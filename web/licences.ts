/** Write licences.txt beside the page: whose work is in the bundle, and under which terms. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Plugin } from "vite";

export function licences(): Plugin {
  return {
    name: "licences",
    generateBundle(_, bundle) {
      const folders = new Set<string>();
      for (const part of Object.values(bundle))
        if (part.type === "chunk")
          for (const id of Object.keys(part.modules)) {
            const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id);
            if (found) folders.add(found[0]);
          }
      const byText = new Map<string, string[]>();
      for (const folder of [...folders].sort()) {
        const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        const file = readdirSync(folder)
          .sort()
          .find((entry) => /^licen[cs]e/i.test(entry));
        if (!file) this.error(`${name} has no licence file: leave it out, or write one down`);
        const text = readFileSync(join(folder, file), "utf8").trim();
        byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
      }
      const parts = [...byText].map(([text, names]) => `${names.join(", ")}\n\n${text}\n`);
      const source = `The page holds work of others:\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`;
      this.emitFile({ type: "asset", fileName: "licences.txt", source });
    },
  };
}
