/** What to spend: epsilon; epsilon and a delta, which discovered keys need; or rho, for Gaussian noise. */

import type { Amount, Spent } from "../budget";
import { type Field, h, selectField, slider, textField } from "../dom";
import { short } from "../words";

const MOST = { epsilon: 4, rho: 1 };
const STEP = { epsilon: 0.01, rho: 0.005 };
type Unit = keyof typeof STEP;

export interface Spending {
  readonly root: HTMLElement;
  /** where a complaint about the cost is shown */
  readonly field: Field;
  /** as a request has it */
  body(): Record<string, string>;
  /** as the command line has it; the same stands in the address */
  given(): Record<string, string>;
  amount(): Amount;
  /** One can choose to spend what is left, and no more. */
  limit(parts: readonly Spent[]): void;
}

export function spending(params: URLSearchParams, changed: (at: "once" | "soon") => void): Spending {
  const state = {
    epsilon: params.get("epsilon") ?? "0.25",
    rho: params.get("rho") ?? "0.02",
    delta: params.get("delta") ?? "1e-7",
  };
  let kind = params.has("rho") ? "rho" : params.has("delta") ? "delta" : "epsilon";
  const unit = (): Unit => (kind === "rho" ? "rho" : "epsilon");
  const tuner = (name: Unit): ReturnType<typeof slider> =>
    slider({
      label: `What to spend (${name})`,
      least: STEP[name],
      most: MOST[name],
      step: STEP[name],
      value: Math.max(Number(state[name]) || 0.25, STEP[name]),
      show: (value) => `${name} ${short(value)}`,
      oninput: (value) => {
        state[name] = String(value);
        changed("soon");
      },
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
    body: () => {
      const parts = Object.entries(given()).map(([name, value]) => `${name}=${value}`);
      return kind === "epsilon" ? given() : { cost: parts.join(", ") };
    },
    amount: () => ({ [unit()]: Number(state[unit()]) || 0 }),
    limit: (parts) => {
      for (const name of ["epsilon", "rho"] as const) {
        const room = Math.min(...parts.map((one) => one.left[name]?.value ?? Infinity));
        const left = Math.floor(room / STEP[name] + 1e-9) * STEP[name];
        tuners[name].limit(Number(Math.min(Math.max(left, STEP[name]), MOST[name]).toFixed(3)));
        tuners[name].set(state[name]);
      }
    },
  };
}
