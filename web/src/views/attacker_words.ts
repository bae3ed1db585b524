/** The attacker's view in words: the sentence in odds, exact numbers, and how to do the same. */

import type { MechanismAnswer } from "../api";
import type { Position, Scene, Side } from "../attacker";
import { python, quoted } from "../calls";
import { type Child, facts, h } from "../dom";
import type { Fraction } from "../fraction";
import { chanceWords, odds, percent } from "../words";

function claim(scene: Scene, at: Position): string {
  return at.mode === "independent" && scene.people
    ? `your record is ${at.value}`
    : `${at.a} is true, not ${at.b}`;
}

function both(p: number): string {
  return `${odds(p)} (${percent(p)})`;
}

/** "they are 3 to 1 (75%)", or "it is certain". */
function stands(p: number): Child[] {
  const sure = p <= 0 || p >= 1;
  const words = sure ? (p >= 1 ? "certain" : "ruled out") : both(p);
  return [sure ? "it is " : "they are ", h("span", { class: "with" }, words)];
}

export function told(scene: Scene, at: Position, side: Side): Child[] {
  const output = scene.outputs[at.output] ?? "";
  const said = claim(scene, at);
  const before =
    side.prior >= 1
      ? `It was certain that ${said}. `
      : side.prior <= 0
        ? `It was ruled out that ${said}. `
        : `The odds that ${said} were ${both(side.prior)}. `;
  if (side.with === null) return [before, `Output ${output} cannot occur under this belief.`];
  const after = [before, `After output ${output} `, ...stands(side.with)];
  if (!scene.people) return [...after, "."];
  if (side.without === null)
    return [
      ...after,
      "; without your data this output could not have come out at all: it gives you away.",
    ];
  const sure = side.without <= 0 || side.without >= 1;
  const words = sure ? (side.without >= 1 ? "certain" : "ruled out") : both(side.without);
  return [
    ...after,
    " with your data, and ",
    h("span", { class: "without" }, words),
    " without it.",
  ];
}

/** The chosen output once more, as fractions. */
export function numbers(scene: Scene, at: Position): HTMLElement | null {
  const found = scene.exactly(at);
  if (!found) return null;
  const word = (value: Fraction | null): string =>
    value === null ? "cannot occur" : chanceWords(value);
  return facts([
    ["Before", word(found.prior)],
    ["With your data", word(found.with)],
    ["Without your data", scene.people ? word(found.without) : null],
    [
      "All conclusions differ by at most",
      scene.people && found.with && found.without ? word(found.apart) : null,
    ],
    ["This output comes up with probability", word(found.likely)],
  ]);
}

export function assumed(scene: Scene, found: MechanismAnswer): string[] {
  const { people } = scene;
  return [
    people
      ? `without you: your record is replaced by ${people.fallback} before anything is computed`
      : "the databases here are true answers, not lists of people: the two worlds are databases A and B",
    ...(found.price.assumptions ?? []),
    ...(found.window ? ["outputs go on without end; those in the middle are shown"] : []),
  ];
}

export function asState(scene: Scene, at: Position): Record<string, string> {
  const output = scene.outputs[at.output] ?? "";
  const common = { mode: at.mode, you: String(at.you), person: String(at.person + 1), output };
  return at.mode === "two"
    ? { ...common, a: at.a, b: at.b }
    : { ...common, others: String(at.others), value: at.value };
}

export function recipe(
  text: string,
  scene: Scene,
  at: Position,
): { command: string; python: string } {
  const output = scene.outputs[at.output] ?? "";
  if (!scene.people)
    return {
      command: `twoworlds show ${quoted(text)} --output ${quoted(output)}`,
      python: [
        "from fractions import Fraction",
        "",
        "from twoworlds import mechanism",
        "",
        `made, p = mechanism(${python(text)}), Fraction(${python(String(at.you))})`,
        `t = made.outputs.find(${python(output)})`,
        `a, b = (made.probability(t, made.universe.find(x)) for x in (${python(at.a)}, ${python(at.b)}))`,
        "print(p * a / (p * a + (1 - p) * b))",
      ].join("\n"),
    };
  const believed = scene.belief(at);
  const secret = at.mode === "two" ? at.a : `${at.person + 1}=${at.value}`;
  return {
    command: `twoworlds posterior ${quoted(text)} --belief ${quoted(believed)} --output ${quoted(output)} --secret ${quoted(secret)}`,
    python: [
      "from twoworlds import mechanism",
      "from twoworlds.definitions.semantics.games import play",
      "from twoworlds.worlds.beliefs import belief",
      "from twoworlds.worlds.secret import secret",
      "",
      `made = mechanism(${python(text)})`,
      `held = belief(${python(believed)}, made.universe)`,
      `print(play(made, held, ${python(output)}).explain(secret(${python(secret)}, made.universe)))`,
    ].join("\n"),
  };
}
