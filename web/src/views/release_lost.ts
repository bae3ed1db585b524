/** A token that the service no longer knows: said where one pays, with a field for another. */

import { setToken } from "../api";
import { h, textField } from "../dom";
import { controls } from "../view";

export const UNKNOWN =
  "The service does not know this token: it may have been restarted. Open its new link, or enter a token.";

export interface Lost {
  readonly root: HTMLElement;
  show(): void;
}

/** `enter` is called when another token was given. */
export function lostToken(enter: () => void): Lost {
  const field = textField({ label: "Token", kind: "password" });
  const form = controls(
    "Sign in again",
    field.root,
    h("div", { class: "actions" }, h("button", { type: "submit" }, "Enter")),
  );
  form.addEventListener("submit", () => {
    const given = field.value().trim();
    if (!given) {
      field.fail("Enter a token first.");
      return;
    }
    setToken(given);
    enter();
  });
  const root = h("div", { hidden: true }, form);
  return {
    root,
    show() {
      setToken("");
      root.hidden = false;
      field.fail(UNKNOWN);
    },
  };
}
