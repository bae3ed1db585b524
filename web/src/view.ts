/** What every view is made of: a place in the address, an answer that can be heard, the recipe that
 * does the same elsewhere. */

import { ServiceError } from "./api";
import { type Child, copyButton, type Field, h, put, replace } from "./dom";

/** Where a view keeps its state: the part of the address after its name. */
export interface Place {
  readonly params: URLSearchParams;
  save(state: Record<string, string | number | null | undefined>): void;
}

export interface View {
  readonly name: string;
  readonly tab: string;
  readonly title: string;
  readonly intro: string;
  mount(root: HTMLElement, place: Place): void;
}

/** The big sentence; screen readers hear it when it changes. */
export function lead(): HTMLElement {
  return h("p", { class: "lead", "aria-live": "polite", role: "status" });
}

export interface Recipe {
  command: string;
  python: string;
}

/** "Do the same": the link that restores the view, the command line, and Python. */
export class Recipes {
  readonly root: HTMLElement;
  private readonly command = h("code");
  private readonly python = h("code");

  constructor() {
    const block = (name: string, code: HTMLElement): HTMLElement =>
      h(
        "div",
        { class: "recipe" },
        h("h3", {}, name),
        h("pre", { tabindex: "0", role: "region", "aria-label": name }, code),
        copyButton(
          `Copy ${name.toLowerCase().replace("python", "Python")}`,
          () => code.textContent ?? "",
        ),
      );
    this.root = h(
      "section",
      { class: "recipes", "aria-label": "Do the same elsewhere" },
      h("h2", {}, "Do the same elsewhere"),
      h(
        "div",
        { class: "recipe" },
        block("Command line", this.command),
        h("h3", {}, "Link"),
        h(
          "p",
          { class: "hint" },
          "The address holds everything you set; it opens this view again.",
        ),
        copyButton("Copy link", () => location.href),
      ),
      block("Python", this.python),
    );
  }

  show(recipe: Recipe): void {
    this.command.textContent = recipe.command;
    this.python.textContent = recipe.python;
  }
}

/** Put an error beside the field that caused it, or above the answer where no field did. */
export class Errors {
  readonly root = h("p", { class: "error general", role: "alert", hidden: true });

  constructor(private readonly fields: Record<string, Field | undefined>) {}

  clear(): void {
    this.root.hidden = true;
    this.root.textContent = "";
    for (const field of Object.values(this.fields)) field?.fail(null);
  }

  show(error: ServiceError): void {
    this.clear();
    const field = error.field === null ? undefined : this.fields[error.field];
    if (field) field.fail(error.message);
    else {
      this.root.hidden = false;
      this.root.textContent = error.message;
    }
  }
}

/** The answer's place, with the sentence above it. It stays in sight, paler, while the next answer
 * is computed, and paler still when what was asked last has none. */
export class Answer {
  readonly root = h("div", { class: "answer" });

  constructor(private readonly sentence: HTMLElement | null = null) {}

  wait(): void {
    this.mark("busy");
    this.root.setAttribute("aria-busy", "true");
    if (this.sentence?.textContent === "") this.sentence.textContent = WAITING;
  }

  fail(): void {
    this.mark("stale");
    if (this.sentence?.textContent === WAITING) this.sentence.textContent = "";
  }

  done(): void {
    this.mark("");
  }

  show(...children: Child[]): void {
    this.done();
    replace(this.root, ...children);
  }

  private mark(state: "busy" | "stale" | ""): void {
    this.root.setAttribute("aria-busy", "false");
    for (const part of [this.root, this.sentence])
      for (const name of ["busy", "stale"]) part?.classList.toggle(name, name === state);
  }
}

const WAITING = "Computing …";

export function controls(label: string, ...children: Child[]): HTMLElement {
  const form = h("form", {
    class: "controls",
    "aria-label": label,
    onsubmit: (e) => e.preventDefault(),
  });
  put(form, ...children);
  return form;
}

export function assumptions(listed: readonly string[] | undefined): HTMLElement | null {
  if (!listed || listed.length === 0) return null;
  return h(
    "section",
    { class: "assumes" },
    h("h2", {}, "This assumes"),
    h("ul", {}, ...listed.map((words) => h("li", {}, words))),
  );
}
