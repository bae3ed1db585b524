/** The attacker's view in words: the sentence in odds, exact numbers, and how to do the same. */

import type { MechanismAnswer, Verdict } from "../api";
import { mostMoved, type Position, type Scene, type Side, tidy } from "../attacker";
import { readCall, writeCall } from "../calls";
import { type Child, facts, h } from "../dom";
import type { Fraction } from "../fraction";
import type { Given, Request } from "../recipe";
import { chanceWords, numeral, odds, percent, upTo } from "../words";

function claim(scene: Scene, at: Position): string {
  return at.mode === "independent" && scene.people
    ? `your record is ${at.value}`
    : `${at.a} is true, not ${at.b}`;
}

function both(p: number, ratio?: number | null): string {
  return `${odds(p, ratio ?? undefined)} (${percent(p)})`;
}

/** "they are 3 to 1 (75%)", or "it is certain". */
function stands(p: number, ratio: number | null): Child[] {
  const sure = p <= 0 || p >= 1;
  const words = sure ? (p >= 1 ? "certain" : "ruled out") : both(p, ratio);
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
        : `The odds that ${said}${said.includes(",") ? "," : ""} were ${both(side.prior)}. `;
  if (side.with === null) return [before, `Output ${output} cannot occur under this belief.`];
  const after = [before, `After output ${output} `, ...stands(side.with, side.odds.with)];
  if (!scene.people) return [...after, "."];
  if (side.without === null)
    return [
      ...after,
      "; without your data this output could not have come out at all: it gives you away.",
    ];
  const sure = side.without <= 0 || side.without >= 1;
  const words = sure
    ? side.without >= 1
      ? "certain"
      : "ruled out"
    : both(side.without, side.odds.without);
  return [
    ...after,
    " with your data, and ",
    h("span", { class: "without" }, words),
    " without it.",
  ];
}

/** The chosen output once more, as fractions where it has them. */
export function numbers(scene: Scene, at: Position, side: Side): HTMLElement {
  const found = scene.exactly(at);
  if (!found) return nearly(scene, side);
  const word = (value: Fraction | null): string =>
    value === null ? "cannot occur" : chanceWords(value);
  const both = scene.people && found.with && found.without;
  return stated(
    scene,
    [word(found.prior), word(found.with), word(found.without), word(found.likely)],
    both ? word(found.apart) : null,
  );
}

/** The same in percentages, while the fractions are not worked out. */
export function nearly(scene: Scene, side: Side): HTMLElement {
  const word = (value: number | null): string => (value === null ? "cannot occur" : percent(value));
  return stated(
    scene,
    [word(side.prior), word(side.with), word(side.without), scene.density ? "" : word(side.likely)],
    scene.people && !scene.density ? "…" : null,
  );
}

function stated(
  scene: Scene,
  [before, yes, no, likely]: [string, string, string, string],
  apart: string | null,
): HTMLElement {
  return facts([
    ["Before", before],
    [scene.people ? "With your data" : "After it", h("span", { class: "with" }, yes)],
    ["Without your data", scene.people ? h("span", { class: "without" }, no) : null],
    ["All conclusions differ by at most", apart],
    ["This output comes up with probability", likely],
  ]);
}

/** The worst case over all outputs of this belief, in words. */
export function worstOver(scene: Scene, sides: readonly Side[]): string {
  if (!scene.people) return "";
  const found = mostMoved(sides);
  if (!found) return "Whichever output comes out, your data makes no difference to this belief.";
  const output = scene.outputs[found.output] ?? "";
  const over = scene.part ? "Worst over the outputs shown" : "Worst over all outputs";
  const { with: yes, without: no, odds: ratios } = sides[found.output] as Side;
  if (no === null)
    return `${over}: ${output}, which could not come out without your data.`;
  if (yes === 0 || yes === 1 || no === 0 || no === 1)
    return `${over}: ${output}, which settles the question, and only with your data.`;
  return (
    `${over}: ${output}, where your data changes the odds by the factor ` +
    `${upTo(found.factor)}: ${odds(no, ratios.without ?? undefined)} without it, ` +
    `${odds(yes ?? 0, ratios.with ?? undefined)} with it.`
  );
}

/** What holds whatever is believed, at the delta that is accepted; or the way to such a bound. */
export function bounded({ ratio, delta }: Verdict): string {
  if (ratio?.value === null && (ratio.exact ?? "inf") === "inf")
    return delta?.value === 0
      ? "Some outputs move the odds without limit: accept a delta above 0, and a factor holds but for that."
      : "Some outputs give the truth away, and no delta this small covers them.";
  if (!ratio) return "";
  const beside = delta?.value ? `, plus ${numeral(delta)}` : "";
  return `Whichever neighbours are compared, no set of outputs is more than about ${numeral(ratio)} times as likely on one as on the other${beside}.`;
}

/** What "Show the worst belief" has set, and why. */
export function worstSet(scene: Scene, at: Position, sentence: string): Child[] {
  const output = scene.outputs[at.output] ?? "";
  const who = scene.people ? `, and you are person ${at.person + 1}` : "";
  return [
    h(
      "p",
      {},
      `Set: the attacker is sure that the truth is ${at.a} (${percent(at.you)}) or ${at.b} ` +
        `(${percent(1 - at.you)})${who}. ${scene.line || scene.some ? "Of the outputs shown, " : "Output "}` +
        `${output} then moves most.`,
    ),
    h("p", { class: "hint" }, sentence),
  ];
}

export function assumed(scene: Scene, found: MechanismAnswer): string[] {
  const { people } = scene;
  return [
    people
      ? `without you: your record is replaced by ${people.fallback} before anything is computed`
      : "the databases here are not lists of people: the two worlds are databases A and B",
    ...(found.price.assumptions ?? []),
    ...(scene.some
      ? ["there are very many outputs; those likeliest on some database are shown, and the one you name"]
      : scene.part
        ? ["outputs go on without end; those in the middle are shown"]
        : []),
  ];
}

export function asState(scene: Scene, at: Position): Record<string, string> {
  const output = scene.outputs[at.output] ?? "";
  const common = { mode: at.mode, you: String(at.you), person: String(at.person + 1), output };
  return at.mode === "two"
    ? { ...common, a: at.a, b: at.b }
    : { ...common, others: String(at.others), value: at.value };
}

/** The same noise on a count of one person, where the two worlds are its answers 0 and 1. */
function countOfOne(text: string, { a, b }: Position): string | null {
  const call = readCall(text);
  const other = call?.parts.some(({ name }) => !name || ["bits", "sensitivity", "universe"].includes(name));
  if (!call || other || !NOISE.includes(call.name) || [a, b].sort().join() !== "0,1") return null;
  return writeCall({ ...call, parts: [...call.parts, { name: "bits", value: "1" }] });
}

const NOISE = ["laplace", "gaussian", "geometric", "discrete-gaussian", "skellam", "differenced-negative-binomial"];

/** The question that gives the same numbers, what it is given, and what is sent for it. Without
 * people the likelihoods of the output are shown: by them the odds are multiplied. */
export function asked(text: string, scene: Scene, at: Position): [string, Given, Request] {
  const output = scene.outputs[at.output] ?? "";
  const body = { mechanism: text };
  const counted = scene.people ? null : countOfOne(text, at);
  if (counted) {
    const belief = `independent(${tidy(at.a === "1" ? at.you : 1 - at.you)})`;
    const given = { mechanism: counted, belief, output };
    return ["posterior", { ...given, secret: `1=${at.a}` }, { path: "posterior", body: given }];
  }
  if (!scene.people) {
    const one = scene.density ? { database: at.a } : {};
    return ["show", { ...body, ...one, output }, { path: "mechanism", body }];
  }
  const given = { ...body, belief: scene.belief(at), output };
  const secret = at.mode === "two" ? at.a : `${at.person + 1}=${at.value}`;
  return ["posterior", { ...given, secret }, { path: "posterior", body: given }];
}
