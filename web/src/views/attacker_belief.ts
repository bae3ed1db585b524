/** What the attacker believes, as sliders and lists. */

import type { Position, Scene } from "../attacker";
import { button, type Child, type Field, h, selectField, slider } from "../dom";
import { odds, percent } from "../words";

/** Called with what changed, and whether other controls must be laid out anew. */
type Change = (change: Partial<Position>, rebuild?: boolean) => void;

export function beliefControls(
  scene: Scene,
  at: Position,
  set: Change,
  worst: () => void,
): Child[] {
  const { people } = scene;
  const kinds: [string, string][] = [
    ["independent", "records are independent"],
    ["two", "one of two databases is true"],
  ];
  const labels: [string, string][] = scene.databases.map((label) => [label, label]);
  const persons: [string, string][] = Array.from({ length: people?.count ?? 0 }, (_, i) => [
    String(i),
    `person ${i + 1}`,
  ]);
  const values: [string, string][] = (people?.values ?? []).map((v) => [v, v]);
  const believes =
    people &&
    choice("The attacker believes", at.mode, kinds, (v) =>
      set({ mode: v === "two" ? "two" : "independent" }, true),
    );
  believes?.root.classList.add("wide");
  return [
    h(
      "div",
      { class: "row" },
      believes?.root,
      people && people.count > 1
        ? choice("You are", String(at.person), persons, (v) => set({ person: Number(v) }, true))
            .root
        : null,
      people && at.mode === "independent"
        ? choice("Is your record", at.value, values, (v) => set({ value: v }, true)).root
        : null,
      at.mode === "two"
        ? choice("Database A", at.a, labels, (v) => set({ a: v }, true)).root
        : null,
      at.mode === "two"
        ? choice("Database B", at.b, labels, (v) => set({ b: v }, true)).root
        : null,
    ),
    h(
      "div",
      { class: "tuners" },
      at.mode === "independent"
        ? chance(`Belief that your record is ${at.value}`, at.you, (you) => set({ you })).root
        : chance(`Belief that ${at.a} is true, not ${at.b}`, at.you, (you) => set({ you })).root,
      at.mode === "independent" && (people?.count ?? 0) > 1
        ? chance(`Belief that each other record is ${at.value}`, at.others, (others) =>
            set({ others }),
          ).root
        : null,
      scene.line
        ? slider({
            label: "Published number",
            least: 0,
            most: scene.outputs.length - 1,
            step: 1,
            value: at.output,
            show: (i) => scene.outputs[i] ?? "",
            oninput: (output) => set({ output }),
          }).root
        : null,
    ),
    h(
      "div",
      { class: "actions" },
      button("Show the worst belief", worst),
      button("Even odds", () => set({ you: 0.5, others: 0.5 }, true), "plain"),
    ),
  ];
}

function choice(
  label: string,
  value: string,
  choices: [string, string][],
  onchange: (value: string) => void,
): Field {
  return selectField({ label, value, choices, onchange });
}

function chance(label: string, value: number, oninput: (value: number) => void): Field {
  const tell = (p: number): string => `${percent(p)}, ${odds(p)}`;
  return slider({ label, least: 0, most: 1, step: 0.005, value, show: percent, tell, oninput });
}
