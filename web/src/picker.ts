/** Choose a mechanism by its name, write it as a call, and tune its numbers with sliders. */

import { catalogue, type Verdict } from "./api";
import { readCall, withArgument, writeCall } from "./calls";
import { type Field, h, replace, selectField, slider, textField } from "./dom";
import { Fraction } from "./fraction";
import { percent, short } from "./words";

interface Range {
  least: number;
  most: number;
  step: number;
  words: string;
  show?: (value: number) => string;
}

/** The numbers that a slider may move, by the name of the argument. */
const RANGES: Record<string, Range> = {
  bits: { least: 1, most: 5, step: 1, words: "People (bits)" },
  records: { least: 1, most: 4, step: 1, words: "People (records)" },
  values: { least: 2, most: 4, step: 1, words: "Possible values" },
  keep: { least: 0.5, most: 1, step: 0.01, words: "Told truly (keep)", show: percent },
  ratio: { least: 1.25, most: 20, step: 0.25, words: "Ratio, e to the epsilon" },
  epsilon: { least: 0.05, most: 5, step: 0.05, words: "Epsilon" },
  p: { least: 0.05, most: 0.95, step: 0.05, words: "Decay of the noise (p)" },
  sigma: { least: 0.5, most: 10, step: 0.5, words: "Standard deviation (sigma)" },
  sigma2: { least: 0.5, most: 20, step: 0.5, words: "Variance (sigma2)" },
  scale: { least: 0.5, most: 10, step: 0.5, words: "Scale of the noise" },
  sensitivity: { least: 1, most: 5, step: 1, words: "Sensitivity" },
  high: { least: 1, most: 12, step: 1, words: "Largest answer (high)" },
  l1: { least: 0.5, most: 10, step: 0.5, words: "First mean (l1)" },
  l2: { least: 0.5, most: 10, step: 0.5, words: "Second mean (l2)" },
  weight: { least: 0, most: 1, step: 0.05, words: "Weight of the first", show: percent },
};

/** Good examples; the service's catalogue adds what it knows besides. */
const FIRST: readonly (readonly [string, string])[] = [
  ["randomized-response(bits=2, keep=3/4)", "Randomized response, two people"],
  ["randomized-response(bits=1, keep=3/4)", "Randomized response, one person"],
  ["randomized-response(values=[a, b, c], records=1, keep=1/2)", "One of three answers, or another"],
  ["truncated-geometric(ratio=2, bits=3)", "A count with noise, kept in range"],
  ["geometric(ratio=2)", "A count with geometric noise"],
  ["laplace(scale=2, bits=3)", "A count with Laplace noise"],
  ["gaussian(sigma=4, bits=3)", "A count with Gaussian noise"],
  ["compose(laplace(scale=2, bits=3), times=2)", "Two counts with Laplace noise"],
  ["laplace(scale=2)", "An answer with Laplace noise"],
  ["gaussian(sigma=4)", "An answer with Gaussian noise"],
  ["noisy-parity(bits=2, keep=3/4)", "A parity, told noisily"],
  ["random-index(records=3, values=2)", "One random person's record"],
  ["exact(sum, universe=bits(3))", "A count without noise"],
  ["identity(bits=2)", "Everything, as it is"],
  ["constant(bits=2)", "Nothing at all"],
];

export interface Picker {
  readonly root: HTMLElement;
  readonly field: Field;
  value(): string;
  set(text: string): void;
}

/** Make a picker; examples of mechanisms that the view cannot show are not offered. What else the view
 * tunes stands below the sliders. `near` is told what a slider can make of the mechanism. */
export function picker(
  first: string | null,
  changed: (text: string) => void,
  near: (texts: readonly string[]) => void,
  without: readonly string[] = [],
  also: HTMLElement | null = null,
): Picker {
  const offered = FIRST.filter(([example]) => !without.includes(readCall(example)?.name ?? ""));
  let text = first || FIRST[0]?.[0] || "";
  const choice = selectField({
    label: "Example",
    choices: [["", "your own"], ...offered],
    onchange: (example) => {
      if (!example) return;
      field.set(example);
      take(example);
    },
  });
  const field = textField({
    label: "Mechanism",
    value: text,
    wide: true,
    rows: 1,
    hint: "Numbers may be fractions. Enter shows it.",
    onchange: (written) => take(written),
  });
  const tuners = h("div", { class: "tuners" });

  function take(written: string): void {
    text = written;
    tune();
    changed(text);
  }

  function tune(): void {
    choice.set(offered.some(([example]) => example === text) ? text : "");
    const call = readCall(text);
    const sliders = call ? call.parts.map((part) => tuner(part.name, part.value)) : [];
    replace(tuners, ...sliders);
  }

  function tuned(name: string, moved: number): string {
    const call = readCall(text);
    return call ? writeCall(withArgument(call, name, String(Number(moved.toFixed(4))))) : text;
  }

  function tuner(name: string | null, written: string): HTMLElement | null {
    const range = name === null ? undefined : RANGES[name];
    const value = Fraction.read(written)?.value;
    if (!range || name === null || value === undefined) return null;
    return slider({
      label: range.words,
      least: Math.min(range.least, value),
      most: Math.max(range.most, value),
      step: range.step,
      value,
      show: range.show ?? ((moved) => short(moved)),
      oninput: (moved) => {
        text = tuned(name, moved);
        field.set(text);
        choice.set("");
        changed(text);
      },
      near: (positions) => near(positions.map((moved) => tuned(name, moved))),
    }).root;
  }

  void catalogue()
    .then((found) => {
      const select = choice.root.querySelector("select");
      const names = new Set(FIRST.map(([example]) => readCall(example)?.name));
      for (const entry of found.mechanisms)
        if (entry.example && !names.has(entry.name) && !without.includes(entry.name))
          select?.append(h("option", { value: entry.example }, `${entry.name}: ${entry.summary}`));
    })
    .catch(() => undefined);
  tune();
  return {
    // the text grows, and errors stand below it: whatever is moved by hand stays above
    root: h("div", { class: "picker" }, choice.root, tuners, also, field.root),
    field,
    value: () => text,
    set: (written) => {
      field.set(written);
      text = written;
      tune();
    },
  };
}

/** The deltas that can be chosen; a mechanism without a finite price at 0 begins at the usual one. */
const DELTAS = ["0", ...Array.from({ length: 11 }, (_, i) => `1e-${12 - i}`)];
const USUAL = "1e-6";

export interface DeltaField extends Field {
  /** as a request has it: nothing for 0 */
  given(): { delta?: string };
  /** what was chosen by hand */
  picked(): string | null;
  /** Whether a price is infinite only for want of a delta: then the usual one is taken, once. */
  needed(price: Verdict): boolean;
}

/** The delta that somebody accepts, for a mechanism. */
export function deltaField(
  first: string | null,
  mechanism: () => string,
  changed: () => void,
  near: (given: readonly { delta?: string }[]) => void,
): DeltaField {
  let picked = first;
  let needs = ""; // the name of a mechanism that has no finite price at delta 0
  const name = (): string => readCall(mechanism())?.name ?? "";
  const written = (delta: string): { delta?: string } => (Number(delta) === 0 ? {} : { delta });
  const field = slider({
    label: "Delta that you accept",
    least: 0,
    most: DELTAS.length - 1,
    step: 1,
    value: Math.max(0, DELTAS.indexOf(picked ?? "0")),
    show: (i) => DELTAS[i] ?? "",
    hint: "With probability delta, more than epsilon may be given away.",
    oninput: (i) => {
      picked = DELTAS[i] ?? null;
      changed();
    },
    near: (positions) => near(positions.map((i) => written(DELTAS[i] ?? "0"))),
  });
  return {
    ...field,
    given: () => {
      const delta = picked ?? (needs && needs === name() ? USUAL : "0");
      field.set(String(Math.max(0, DELTAS.indexOf(delta))));
      return written(delta);
    },
    picked: () => picked,
    needed: ({ epsilon, delta }) => {
      const infinite = epsilon?.value === null && delta?.value === 0;
      if (!infinite || picked !== null || needs === name()) return false;
      needs = name(); // every delta above 0 has its epsilon
      return true;
    },
  };
}
