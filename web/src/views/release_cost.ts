/** What to spend: epsilon; epsilon and a delta, which discovered keys need; or rho, for Gaussian noise. */

import type { Amount, Spent } from "../budget";
import { type Field, h, selectField, slider, textField } from "../dom";
import { short } from "../words";

/** The amounts that can be chosen: round ones, ten for each power of ten, between these. */
const ENDS = { epsilon: [0.01, 4], rho: [0.005, 1] } as const;
const ROUND = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
type Unit = keyof typeof ENDS;

function amounts(unit: Unit): number[] {
  const [least, most] = ENDS[unit];
  const all = [-3, -2, -1, 0].flatMap((power) => ROUND.map((one) => Number(`${one}e${power}`)));
  return all.filter((one) => one >= least && one <= most);
}

export interface Spending {
  readonly root: HTMLElement;
  /** where a complaint about the cost is shown */
  readonly field: Field;
  /** as a request has it */
  body(): Record<string, string>;
  /** as the command line has it; the same stands in the address */
  given(): Record<string, string>;
  amount(): Amount;
  /** One can choose to spend all that is left, and no more. */
  limit(parts: readonly Spent[]): void;
}

/** `near` is told what the slider can choose when the hand comes near it. */
export function spending(
  params: URLSearchParams,
  changed: (at: "once" | "soon") => void,
  near: (bodies: readonly Record<string, string>[]) => void,
): Spending {
  const state = {
    epsilon: params.get("epsilon") ?? "0.25",
    rho: params.get("rho") ?? "0.02",
    delta: params.get("delta") ?? "1e-7",
  };
  const stops = { epsilon: amounts("epsilon"), rho: amounts("rho") };
  let kind = params.has("rho") ? "rho" : params.has("delta") ? "delta" : "epsilon";
  const unit = (): Unit => (kind === "rho" ? "rho" : "epsilon");
  const tuner = (name: Unit): ReturnType<typeof slider> =>
    slider({
      label: `What to spend (${name})`,
      least: 0,
      most: stops[name].length - 1,
      step: 1,
      value: 0,
      show: (i) => `${name} ${short(stops[name][i] ?? 0)}`,
      oninput: (i) => {
        state[name] = String(stops[name][i]);
        changed("soon");
      },
      near: (positions) =>
        near(positions.map((i) => written({ ...given(), [name]: String(stops[name][i]) }))),
    });
  const tuners = { epsilon: tuner("epsilon"), rho: tuner("rho") };
  const delta = textField({
    label: "Delta",
    value: state.delta,
    hint: "Groups that the data tell (DISCOVER) need one. Other questions do not.",
    onchange: (text) => {
      state.delta = text;
      changed("once");
    },
  });
  const choice = selectField({
    label: "Pay with",
    value: kind,
    choices: [
      ["epsilon", "epsilon (Laplace noise)"],
      ["delta", "epsilon and delta (Laplace noise, discovered groups)"],
      ["rho", "rho (Gaussian noise, zCDP)"],
    ],
    onchange: (chosen) => {
      kind = chosen;
      arrange();
      changed("once");
    },
  });
  const arrange = (): void => {
    tuners.epsilon.root.hidden = kind === "rho";
    tuners.rho.root.hidden = kind !== "rho";
    delta.root.hidden = kind !== "delta";
  };
  const given = (): Record<string, string> => {
    const { epsilon, rho } = state;
    return kind === "rho" ? { rho } : kind === "delta" ? { epsilon, delta: state.delta } : { epsilon };
  };
  const written = (parts: Record<string, string>): Record<string, string> =>
    kind === "epsilon"
      ? parts
      : { cost: Object.entries(parts).map(([name, value]) => `${name}=${value}`).join(", ") };
  const root = h(
    "div",
    { class: "stack spending" },
    h("div", { class: "row" }, choice.root, delta.root),
    tuners.epsilon.root,
    tuners.rho.root,
  );
  arrange();
  return {
    root,
    field: {
      ...choice,
      root,
      fail: (message) => {
        for (const one of [tuners.epsilon, tuners.rho, delta]) one.fail(null);
        const about = kind === "delta" && /\bdelta\b/.test(message ?? "") ? delta : tuners[unit()];
        about.fail(message);
      },
    },
    given,
    body: () => written(given()),
    amount: () => ({ [unit()]: Number(state[unit()]) || 0 }),
    limit: (parts) => {
      for (const name of ["epsilon", "rho"] as const) {
        const room = Math.min(...parts.map((one) => one.left[name]?.value ?? Infinity));
        const least = ENDS[name][0];
        const left = Math.max(Math.floor(room * 1e4 + 1e-9) / 1e4, least);
        const chosen = Number(state[name]) || least;
        const more = [chosen, ...(left < ENDS[name][1] ? [left] : [])];
        const all = [...new Set([...amounts(name), ...more])].sort((a, b) => a - b);
        stops[name] = all.filter((one) => one <= left || one === chosen);
        tuners[name].limit(stops[name].length - 1);
        tuners[name].set(String(stops[name].indexOf(chosen)));
      }
    },
  };
}
