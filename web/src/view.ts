/** What every view is made of: a place in the address, an answer that can be heard, the recipe that
 * does the same elsewhere. */

import { catalogue, latest, type ServiceError } from "./api";
import { drawNew } from "./chart";
import { button, type Child, copyButton, type Field, h, put, replace } from "./dom";
import { type Given, recipe, type Request } from "./recipe";

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

/** "Do the same": the link that restores the view, the command line, Python, and HTTP. */
export class Recipes {
  readonly root: HTMLElement;
  private readonly command = h("code");
  private readonly python = h("code");
  private readonly http = h("code");
  private newest = 0;

  constructor() {
    const block = (name: string, code: HTMLElement): HTMLElement =>
      h(
        "div",
        { class: "recipe" },
        h("h3", {}, name),
        h("pre", { tabindex: "0", role: "region", "aria-label": name }, code),
        copyButton(
          `Copy ${name === "Command line" ? "command line" : name}`,
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
      h("div", { class: "recipe" }, block("Python", this.python), block("HTTP", this.http)),
    );
  }

  /** Say something that holds of command line and Python alike. */
  remark(words: string): void {
    this.root.querySelector("h2")?.after(h("p", { class: "hint remark" }, words));
  }

  /** Write a question of the list, and the request that the view has sent. */
  show(name: string, given: Given, request: Request): void {
    const mine = ++this.newest;
    void catalogue()
      .then(({ questions }) => {
        const question = questions.find((one) => one.name === name);
        if (!question || mine !== this.newest) return;
        const made = recipe(question, given, request, location.origin);
        this.command.textContent = made.command;
        this.python.textContent = made.python;
        this.http.textContent = made.http;
      })
      .catch(() => undefined); // the view itself says that the service does not answer
  }
}

/** Put an error beside the field that caused it, or above the answer where no field did. While that
 * place is out of sight, a bar at the edge of the window says the same and leads there. */
export class Errors {
  readonly root = h("p", { class: "error general", role: "alert", hidden: true });
  readonly bar = h("div", { class: "bar-of-error", hidden: true });
  private readonly words = h("p", {});
  private place: Element = this.root;
  private readonly sight = new IntersectionObserver((entries) => {
    this.bar.hidden = entries.at(-1)?.isIntersecting ?? true;
  });

  constructor(private readonly fields: Record<string, Field | undefined>) {
    put(this.bar, this.words, button("Show it", () => this.lead()));
  }

  clear(): void {
    this.sight.disconnect();
    this.bar.hidden = true;
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
    this.words.textContent = error.message;
    this.place = field?.root ?? this.root;
    this.sight.observe(this.place);
  }

  private lead(): void {
    this.place.scrollIntoView({ block: "center" });
    this.place.querySelector<HTMLElement>("input, select, textarea")?.focus({ preventScroll: true });
  }
}

/** The answer's place, with the sentence above it. It stays in sight, paler, while the next answer
 * is computed, and hatched when what was asked last has none. */
export class Answer {
  readonly root = h("div", { class: "answer" });

  constructor(
    private readonly sentence: HTMLElement | null = null,
    private readonly result: HTMLElement | null = null,
  ) {}

  wait(): void {
    if (this.sentence && ["", NOTHING].includes(this.sentence.textContent ?? ""))
      this.sentence.textContent = WAITING;
    this.mark("busy");
    this.root.setAttribute("aria-busy", "true");
  }

  fail(): void {
    if (this.sentence?.textContent === WAITING) this.sentence.textContent = NOTHING;
    this.mark("stale");
  }

  done(): void {
    this.mark("");
  }

  /** Show something new in the same place: what was opened stays open, and nothing jumps. */
  show(...children: Child[]): void {
    this.done();
    const opened = openedIn(this.root);
    this.root.style.minHeight = `${this.root.offsetHeight}px`;
    replace(this.root, ...children);
    drawNew();
    this.root.style.minHeight = "";
    for (const details of this.root.querySelectorAll("details"))
      if (opened.has(nameOf(details))) details.open = true;
  }

  private mark(state: "busy" | "stale" | ""): void {
    this.root.setAttribute("aria-busy", "false");
    const told = [WAITING, NOTHING].includes(this.sentence?.textContent ?? ""); // is no old answer
    for (const part of [this.root, this.result, told ? null : this.sentence])
      for (const name of ["busy", "stale"]) part?.classList.toggle(name, name === state);
  }
}

const WAITING = "Computing …";
const NOTHING = "There is no answer yet: what is in red says why.";

const nameOf = (details: Element): string =>
  `${details.closest("figure")?.querySelector("h2")?.textContent ?? ""}/${
    details.querySelector("summary")?.textContent ?? ""
  }`;

function openedIn(root: HTMLElement): Set<string> {
  return new Set([...root.querySelectorAll("details[open]")].map(nameOf));
}

export function controls(label: string, ...children: Child[]): HTMLElement {
  const form = h("form", {
    class: "controls",
    "aria-label": label,
    onsubmit: (e) => e.preventDefault(),
  });
  put(form, ...children);
  return form;
}

const GAP = 20;

/** A column that is taller than the window scrolls until its end is in sight, and stays there. */
function keepInSight(column: HTMLElement): void {
  const place = (): void => {
    column.style.top = `${Math.min(GAP, innerHeight - column.offsetHeight - GAP)}px`;
  };
  new ResizeObserver(place).observe(column);
  addEventListener("resize", () => column.isConnected && place());
}

/** The frame of a view: controls at the side, and beside them the sentence, the result in short, what
 * else moves with it, and the recipes. On a narrow screen sentence and result come before the controls,
 * and the sentence stays in sight. */
export class Frame {
  readonly sentence = lead();
  /** what is to be seen first, above the controls on a narrow screen; nothing in it takes the focus */
  readonly result = h("div", { class: "result" });
  readonly answer = new Answer(this.sentence, this.result);
  readonly recipes = new Recipes();
  readonly stage = h("div", { class: "stage" });
  readonly errors: Errors;
  private readonly run = latest();

  constructor(
    root: HTMLElement,
    label: string,
    fields: Record<string, Field | undefined>,
    ...inputs: Child[]
  ) {
    this.errors = new Errors(fields);
    put(this.stage, this.errors.root, this.answer.root, this.recipes.root);
    root.classList.add("framed");
    const form = controls(label, ...inputs);
    keepInSight(form);
    const deck = h("div", { class: "deck" }, this.sentence, this.result, form);
    replace(root, deck, this.stage, this.errors.bar);
  }

  /** Ask the service; an older question that is still open is forgotten. */
  ask<T>(
    request: (signal: AbortSignal) => Promise<T>,
    done: (found: T) => void,
    failed: (error: ServiceError) => void = (error) => this.fail(error),
  ): Promise<void> {
    this.answer.wait();
    return this.run(
      request,
      (found) => {
        this.errors.clear();
        this.answer.done();
        done(found);
      },
      failed,
    );
  }

  fail(error: ServiceError): void {
    this.answer.fail();
    this.errors.show(error);
  }
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
