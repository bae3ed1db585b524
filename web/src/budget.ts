/** The budget as a bar that only falls: what is left, and the part that the next answer takes. */

import { h } from "./dom";
import { exactly, type Numeral, short } from "./words";

export interface Spent {
  cap: string;
  analyst?: string;
  spent: { epsilon?: Numeral };
  left: { epsilon?: Numeral };
}

export interface Budget {
  datasets: (Spent & { dataset: string; analysts: Spent[] })[];
}

export function budgetBar(label: string, one: Spent, next: number): HTMLElement {
  const left = one.left.epsilon?.value ?? 0;
  const spent = one.spent.epsilon?.value ?? 0;
  const whole = left + spent || 1;
  const taken = Math.min(next, left);
  const rest = h("i", { class: "left" });
  const going = h("i", { class: next > left ? "going over" : "going" });
  rest.style.width = `${((left - taken) / whole) * 100}%`;
  going.style.width = `${(taken / whole) * 100}%`;
  const words = `epsilon ${one.left.epsilon ? exactly(one.left.epsilon) : "0"} left of ${short(whole)}`;
  const warning = next > left ? "; this would not fit" : "";
  return h(
    "div",
    { class: "budget" },
    h(
      "div",
      { class: "label" },
      h("span", {}, label),
      h("span", { class: "shown" }, words + warning),
    ),
    h(
      "div",
      {
        class: "meter",
        role: "meter",
        "aria-label": label,
        "aria-valuemin": 0,
        "aria-valuemax": whole,
        "aria-valuenow": left,
        "aria-valuetext": words,
      },
      rest,
      going,
    ),
  );
}
