/** The budget as a bar that only falls: what is left, and the part that the next answer takes. */

import { h } from "./dom";
import { type Cost, powers, short } from "./words";

export interface Spent {
  cap: string;
  analyst?: string;
  spent: Cost;
  left: Cost;
}

/** What the next answer takes. */
export type Amount = Partial<Record<"epsilon" | "rho", number>>;

export interface Budget {
  datasets: (Spent & { dataset: string; analysts: Spent[] })[];
}

/** The shares of a bar, from 0 to 1, and what it says: in rho where the cap is one, else in epsilon. An
 * amount of the other kind has no share of the bar; the service says whether it fits. A part is never
 * left more than the whole, `within` which it lies. */
export function shares(
  one: Spent,
  next: Amount,
  within: Spent = one,
): { rest: number; going: number; over: boolean; left: number; whole: number; words: string } {
  const unit = one.left.rho ? "rho" : "epsilon";
  const own = one.left[unit]?.value ?? 0;
  const whole = own + (one.spent[unit]?.value ?? 0) || 1;
  const left = Math.min(own, within.left[unit]?.value ?? own);
  const wanted = next[unit] ?? 0;
  const taken = Math.min(Math.max(wanted, 0), left);
  const over = wanted > left;
  const delta = one.left.delta?.value ? `, and delta ${powers(one.left.delta.value)}` : "";
  const said = `${unit} ${short(own, 6, "down")} left of ${short(whole, 6)}${delta}`;
  const limited = left < own ? `; the dataset has ${short(left, 6, "down")} left` : "";
  return {
    rest: (left - taken) / whole,
    going: taken / whole,
    over,
    left,
    whole,
    words: said + limited + (over ? "; this would not fit" : ""),
  };
}

export interface Bar {
  readonly root: HTMLElement;
  show(one: Spent, next: Amount, within?: Spent): void;
}

export function budgetBar(label: string): Bar {
  const rest = h("i", { class: "left" });
  const going = h("i", { class: "going" });
  const words = h("span", { class: "shown" });
  const meter = h(
    "div",
    { class: "meter", role: "meter", "aria-label": label, "aria-valuemin": 0 },
    rest,
    going,
  );
  return {
    root: h(
      "div",
      { class: "budget" },
      h("div", { class: "label" }, h("span", {}, label), words),
      meter,
    ),
    show(one, next, within) {
      const found = shares(one, next, within);
      rest.style.width = `${found.rest * 100}%`;
      going.style.width = `${found.going * 100}%`;
      going.classList.toggle("over", found.over);
      words.textContent = found.words;
      meter.setAttribute("aria-valuemax", String(found.whole));
      meter.setAttribute("aria-valuenow", String(found.left));
      meter.setAttribute("aria-valuetext", found.words);
    },
  };
}
