/** A query written by hand is never overwritten: the builder rests until it is wanted again. */

import { button, h } from "../dom";

export interface Hand {
  /** what stands above the builder */
  readonly root: HTMLElement;
  /** Tell whether the text is one that the builder does not write. */
  show(text: string, byHand: boolean): void;
}

/** `back` writes the builder's query again; `own` is called with the text written by hand. */
export function hand(
  builder: HTMLFieldSetElement,
  back: () => void,
  own: (text: string) => void,
): Hand {
  let kept = "";
  const leave = button("Go back to the builder", () => {
    back();
    (again.hidden ? builder.querySelector<HTMLElement>("input") : again)?.focus();
  });
  const again = button("Use my own text again", () => {
    own(kept);
    leave.focus();
  });
  const words = h("p", { class: "hint" }, "You wrote the query by hand.");
  const root = h(
    "div",
    { class: "hand", role: "group", "aria-label": "Query by hand" },
    words,
    leave,
    again,
  );
  const show = (text: string, byHand: boolean): void => {
    if (byHand) kept = text;
    builder.disabled = byHand;
    words.hidden = leave.hidden = !byHand;
    again.hidden = byHand || kept === "";
    root.hidden = leave.hidden && again.hidden;
  };
  show("", false);
  return { root, show };
}
