/** Release: build a query, see cost and expected error before paying, pay, read the answers. */

import { ask, type ServiceError, setToken, token } from "../api";
import { type Budget, budgetBar } from "../budget";
import { button, h, replace, textField } from "../dom";
import type { Dataset } from "../query";
import { controls, type Place, type View } from "../view";
import { desk, type Me } from "./release_desk";
import { described, ledger } from "./release_parts";

export const release: View = {
  name: "release",
  tab: "Release",
  title: "Ask, and know what it costs",
  intro:
    "See price and error before you pay. What is paid is written down before the answer is shown.",
  mount,
};

function mount(root: HTMLElement, place: Place): void {
  if (!token()) {
    entrance(root, place, null);
    return;
  }
  replace(root, h("p", { class: "hint", role: "status" }, "Reading the policy …"));
  enter(root, place).catch((error: ServiceError) => entrance(root, place, error));
}

async function enter(root: HTMLElement, place: Place): Promise<void> {
  const me = await ask<Me>("GET", "me"); // first, so that a wrong token is tried once only
  const [{ datasets }, budget] = await Promise.all([
    ask<{ datasets: Dataset[] }>("GET", "datasets"),
    ask<Budget>("GET", "budget"),
  ]);
  const view = h("div");
  replace(root, who(root, place, me), view);
  if (me.role === "reviewer") review(view, datasets, budget);
  else
    desk(view, place, me, datasets, budget, (params) => {
      root.classList.remove("framed");
      mount(root, { ...place, params });
    });
}

/** A reviewer reads budgets, policies and the ledger, and asks nothing. */
function review(root: HTMLElement, datasets: Dataset[], budget: Budget): void {
  const bars = budget.datasets.flatMap((one) =>
    [one, ...one.analysts].map((part) => {
      const bar = budgetBar(
        part === one ? `Budget of ${one.dataset}` : `Part of ${part.analyst} in ${one.dataset}`,
      );
      bar.show(part, 0);
      return bar.root;
    }),
  );
  const book = ledger();
  book.root.open = true;
  root.classList.add("stack");
  replace(
    root,
    h(
      "p",
      { class: "lead" },
      "You see what may be asked, what is left to spend, and what was charged. Paying is for " +
        "analysts and curators: a reviewer spends nothing, so that nobody checks their own releases.",
    ),
    ...bars,
    book.root,
    ...datasets.map(described),
  );
}

function who(root: HTMLElement, place: Place, me: Me): HTMLElement {
  const forget = (): void => {
    setToken("");
    place.save({});
    mount(root, { ...place, params: new URLSearchParams() });
  };
  return h(
    "p",
    { class: "who" },
    `You are ${me.name} (${me.role}). `,
    button("Forget the token", forget, "plain"),
  );
}

/** Ask for a token; it stays in this tab and goes nowhere but to the service. */
function entrance(root: HTMLElement, place: Place, error: ServiceError | null): void {
  const field = textField({
    label: "Token",
    kind: "password",
    hint: "It is kept in this tab only, and goes nowhere but to the service.",
  });
  const form = controls(
    "Sign in",
    field.root,
    h("div", { class: "actions" }, h("button", { type: "submit", class: "main" }, "Enter")),
  );
  form.addEventListener("submit", () => {
    const given = field.value().trim();
    if (!given) {
      field.fail("Enter a token first.");
      return;
    }
    setToken(given);
    mount(root, place);
  });
  root.classList.remove("framed");
  replace(
    root,
    h(
      "div",
      { class: "entrance" },
      h(
        "p",
        { class: "lead" },
        "This view reads the policy and spends its budget, so it needs to know who asks.",
      ),
      h(
        "p",
        { class: "caption" },
        h("code", {}, "twoworlds serve"),
        " prints a token when it starts; ",
        h("code", {}, "twoworlds account add NAME --role analyst"),
        " makes a lasting one.",
      ),
      form,
    ),
  );
  if (error) {
    if (error.status === 401) setToken("");
    field.fail(error.message);
  }
}
