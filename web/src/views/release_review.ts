/** Filing a planned release for review, and how its review stands. */

import { post, type ServiceError } from "../api";
import { button, h, textField } from "../dom";
import type { Plan } from "./release_plan";

export interface Proposing {
  readonly root: HTMLElement;
  /** Say how the review of the planned release stands; null hides it. */
  show(review: Plan["review"] | null): void;
}

const STANDS: Record<string, string> = {
  waiting: "waits for a reviewer. You can release it when it is approved.",
  approved: "is approved: you can release it exactly as it is planned.",
  "sent back": "was sent back. Change the query or what to spend, or propose it again.",
};

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
        ? `Proposal ${review.proposal} ${STANDS[review.status]}`
        : review.needed
          ? "The policy asks for a review of every release from this dataset."
          : "";
      words.hidden = words.textContent === "";
      if (review.needed || review.status) fold.open = true;
    },
  };
}
