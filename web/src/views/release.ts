/** Release: build a query, see cost and expected error before paying, pay, read the answers. */

import { ask, type ServiceError, setToken, token } from "../api";
import type { Budget } from "../budget";
import { button, h, replace } from "../dom";
import type { Dataset } from "../query";
import type { Place, View } from "../view";
import { desk, type Me } from "./release_desk";
import { tokenForm } from "./release_parts";

export const release: View = {
  name: "release",
  tab: "Release",
  title: "Ask, and know what it costs",
  intro:
    "See price and error before you pay. What is paid is written down before the answer is shown.",
  mount,
};

function mount(root: HTMLElement, place: Place): void {
  signIn(root, place, async (view, me) => {
    const [{ datasets }, budget] = await Promise.all([
      ask<{ datasets: Dataset[] }>("GET", "datasets"),
      ask<Budget>("GET", "budget"),
    ]);
    if (me.role === "reviewer")
      replace(
        view,
        h(
          "p",
          { class: "lead" },
          "A reviewer pays for nothing, so that nobody checks their own releases. ",
          h("a", { href: "#/review" }, "See what was released, and what is proposed."),
        ),
      );
    else
      desk(view, place, me, datasets, budget, (params) => {
        root.classList.remove("framed");
        mount(root, { ...place, params });
      });
  });
}

/** Ask who it is, and go on with that; without a token, or with a wrong one, ask for one. */
export function signIn(
  root: HTMLElement,
  place: Place,
  enter: (view: HTMLElement, me: Me) => Promise<void>,
): void {
  const again = (next: Place): void => signIn(root, next, enter);
  if (!token()) {
    entrance(root, place, null, again);
    return;
  }
  replace(root, h("p", { class: "hint", role: "status" }, "Reading the policy …"));
  ask<Me>("GET", "me") // first, so that a wrong token is tried once only
    .then(async (me) => {
      const view = h("div");
      await enter(view, me);
      replace(root, who(place, me, again), view);
    })
    .catch((error: ServiceError) => entrance(root, place, error, again));
}

function who(place: Place, me: Me, again: (next: Place) => void): HTMLElement {
  const forget = (): void => {
    setToken("");
    place.save({});
    again({ ...place, params: new URLSearchParams() });
  };
  return h(
    "p",
    { class: "who" },
    `You are ${me.name} (${me.role}). `,
    button("Forget the token", forget, "plain"),
  );
}

/** Ask for a token; it stays in this tab and goes nowhere but to the service. */
function entrance(
  root: HTMLElement,
  place: Place,
  error: ServiceError | null,
  again: (next: Place) => void,
): void {
  const hint = "It is kept in this tab only, and goes nowhere but to the service.";
  const { form, field } = tokenForm("Sign in", hint, () => again(place));
  root.classList.remove("framed");
  replace(
    root,
    h(
      "div",
      { class: "entrance" },
      h(
        "p",
        { class: "lead" },
        "This view reads the policy, so it needs to know who asks.",
      ),
      h(
        "p",
        { class: "caption" },
        h("code", {}, "twoworlds serve"),
        " prints a token when it starts; ",
        h("code", {}, "twoworlds account add NAME --role ROLE --policy FILE"),
        " makes a lasting one; ROLE is analyst to release, reviewer to decide.",
      ),
      form,
    ),
  );
  if (error) {
    if (error.status === 401) setToken("");
    field.fail(error.message);
  }
}
