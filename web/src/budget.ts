/** The budget as a bar that only falls: what is left, and the part that the next answer takes. */

import { h } from "./dom";
import { type Numeral, short } from "./words";

export interface Spent {
  cap: string;
  analyst?: string;
  spent: { epsilon?: Numeral };
  left: { epsilon?: Numeral };
}

export interface Budget {
  datasets: (Spent & { dataset: string; analysts: Spent[] })[];
}

/** The shares of a bar, from 0 to 1, and what it says. */
export function shares(
  one: Spent,
  next: number,
): { rest: number; going: number; over: boolean; left: number; whole: number; words: string } {
  const left = one.left.epsilon?.value ?? 0;
  const whole = left + (one.spent.epsilon?.value ?? 0) || 1;
  const taken = Math.min(Math.max(next, 0), left);
  const over = next > left;
  const said = `epsilon ${short(left, 6)} left of ${short(whole, 6)}`;
  return {
    rest: (left - taken) / whole,
    going: taken / whole,
    over,
    left,
    whole,
    words: over ? `${said}; this would not fit` : said,
  };
}

export interface Bar {
  readonly root: HTMLElement;
  show(one: Spent, next: number): void;
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
    show(one, next) {
      const found = shares(one, next);
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
