/** What the Release view shows besides query, cost and answers: the policy, a query written by hand, a
 * field for a token, and the review of a planned release. */

import { post, type ServiceError, setToken } from "../api";
import { button, facts, type Field, h, table, textField } from "../dom";
import type { Column, Dataset } from "../query";
import { controls } from "../view";
import type { Plan } from "./release_plan";

/** A declared key: texts and truths stand for themselves, numbers and dates are named as such. */
export function keyWords(key: unknown): string {
  if (typeof key !== "object" || key === null) return String(key);
  return Object.values(key).map(String).join(" ");
}

export function described(dataset: Dataset): HTMLElement {
  const { unit } = dataset;
  const protects = unit.person
    ? `each ${unit.person}: at most ${unit.rows} of its rows count`
    : "each row";
  const about = (column: Column): string =>
    [
      column.keys.length ? `one of ${column.keys.map(keyWords).join(", ")}` : "",
      column.bounds ? `${column.bounds[0]} to ${column.bounds[1]}` : "",
      column.bins.length ? `groups from ${column.bins.join(", ")}` : "",
    ]
      .filter(Boolean)
      .join("; ");
  return h(
    "details",
    { class: "policy" },
    h("summary", {}, `What the policy says of ${dataset.name}`),
    facts([
      ["Protects", protects],
      ["Neighbours", dataset.neighbours],
      ["Budget", dataset.budget?.cap ?? null],
    ]),
    table(
      `Columns of ${dataset.name}`,
      ["column", "kind", "declared"],
      dataset.columns.map((column) => [column.name, column.kind, about(column)]),
    ),
  );
}

// --- a query written by hand is never overwritten: the builder rests until it is wanted again --------

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

// --- a token that the service no longer knows: said where one pays, with a field for another --------

export const UNKNOWN =
  "The service does not know this token: it may have been restarted. Open its new link, or enter a token.";

/** A field for a token, which stays in this tab; `enter` is called when one was given. */
export function tokenForm(label: string, hint: string | undefined, enter: () => void): { form: HTMLElement; field: Field } {
  const field = textField({ label: "Token", kind: "password", hint });
  const form = controls(
    label,
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
    enter();
  });
  return { form, field };
}

// --- filing a planned release for review, and how its review stands ---------------------------------

export interface Proposing {
  readonly root: HTMLElement;
  /** Say how the review of the planned release stands; null hides it. */
  show(review: Plan["review"] | null): void;
}

const STANDS: Record<string, string> = {
  waiting: "waits for a reviewer.",
  approved: "is approved: you can release it exactly as it is planned.",
  "sent back": "was sent back. Change the query or what to spend, or propose it again.",
};

const BINDS = "The policy requires approval: it is released only when it is approved.";
const ADVICE = "The policy does not require approval: a decision is advice.";

/** `body` is what would be released; `filed` is called when it was proposed. */
export function proposing(body: () => Record<string, unknown>, filed: () => void): Proposing {
  const words = h("p", { class: "hint", role: "status" });
  const purpose = textField({
    label: "What it is for",
    hint: "The reviewer reads it, and the ledger keeps it. Nothing is charged.",
  });
  const send = button("Propose for review", () => {
    if (!purpose.value().trim()) {
      purpose.fail("Say in a sentence what the release is for.");
      return;
    }
    send.disabled = true;
    post("propose", { ...body(), purpose: purpose.value().trim() })
      .then(() => {
        purpose.fail(null);
        filed();
      })
      .catch((error: ServiceError) => purpose.fail(error.message))
      .finally(() => (send.disabled = false));
  });
  const form = h("div", { class: "stack" }, purpose.root, h("div", { class: "actions" }, send));
  const fold = h("details", { class: "policy" }, h("summary", {}, "Let a reviewer see it first"), words, form);
  return {
    root: fold,
    show(review) {
      fold.hidden = review === null;
      if (!review) return;
      const open = review.status === null || review.status === "sent back";
      form.hidden = !open;
      words.textContent = review.status
        ? `Proposal ${review.proposal} ${STANDS[review.status]} ${review.needed ? BINDS : ADVICE}`
        : review.needed
          ? "The policy asks for a review of every release from this dataset."
          : "";
      words.hidden = words.textContent === "";
      if (review.needed || review.status) fold.open = true;
    },
  };
}
