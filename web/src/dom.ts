/** Small helpers for plain DOM: elements, labelled fields, sliders, copy buttons. No markup from
 * texts and no style attributes anywhere: the content security policy forbids inline styles. */

export type Child = Node | string | null | undefined | false;
type Handler = (event: Event) => void;
export type Attributes = Record<string, string | number | boolean | Handler | null | undefined>;

/** Make an element; `onclick` and the like are listeners, `true` is an attribute without a value. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, String(value));
  }
  put(element, ...children);
  return element;
}

export function put(parent: Node, ...children: Child[]): void {
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      parent.appendChild(typeof child === "string" ? document.createTextNode(child) : child);
}

export function replace(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  put(parent, ...children);
}

let made = 0;
export function freshId(stem: string): string {
  made += 1;
  return `${stem}-${made}`;
}

/** What a person fills in: its label, a hint, and a place for the error that it caused. */
export interface Field {
  readonly root: HTMLElement;
  value(): string;
  set(value: string): void;
  fail(message: string | null): void;
}

interface FieldOptions {
  label: string;
  value?: string;
  hint?: string | undefined;
  wide?: boolean;
  onchange?: (value: string) => void;
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function field(control: Control, options: FieldOptions, extra: Child = null): Field {
  const id = freshId("field");
  control.id = id;
  const error = h("p", { id: `${id}-error`, class: "error", role: "alert", hidden: true });
  const hint = options.hint ? h("p", { id: `${id}-hint`, class: "hint" }, options.hint) : null;
  control.setAttribute("aria-describedby", `${id}-error${hint ? ` ${id}-hint` : ""}`);
  const label = h("label", { for: id }, options.label);
  const root = h(
    "div",
    { class: options.wide ? "field wide" : "field" },
    h("div", { class: "label" }, label, extra),
    control,
    hint,
    error,
  );
  return {
    root,
    value: () => control.value,
    set: (value) => {
      control.value = value;
    },
    fail: (message) => {
      error.hidden = message === null;
      error.textContent = message ?? "";
      if (message === null) control.removeAttribute("aria-invalid");
      else control.setAttribute("aria-invalid", "true");
    },
  };
}

/** One line, or several; a field of one row grows with its text, and Enter is the end of it. */
export function textField(
  options: FieldOptions & { rows?: number; kind?: string; oninput?: () => void },
): Field {
  const commit = (event: Event): void => {
    if ((event as KeyboardEvent).key !== "Enter" || options.rows !== 1) return;
    event.preventDefault();
    if (options.onchange) options.onchange(control.value.trim());
    else control.form?.requestSubmit();
  };
  const shared: Attributes = {
    onkeydown: commit,
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    onchange: () => options.onchange?.(control.value.trim()),
    oninput: () => options.oninput?.(),
  };
  const control = options.rows
    ? h("textarea", { ...shared, rows: options.rows })
    : h("input", { ...shared, type: options.kind ?? "text" });
  control.value = options.value ?? "";
  return field(control, options);
}

export function selectField(
  options: FieldOptions & { choices: readonly (readonly [string, string])[] },
): Field {
  const control = h("select", { onchange: () => options.onchange?.(control.value) });
  for (const [value, words] of options.choices) put(control, h("option", { value }, words));
  control.value = options.value ?? options.choices[0]?.[0] ?? "";
  return field(control, options);
}

export function checkField(
  label: string,
  checked: boolean,
  onchange: (checked: boolean) => void,
): HTMLElement {
  const box = h("input", { type: "checkbox", onchange: () => onchange(box.checked) });
  box.checked = checked;
  return h("label", { class: "check" }, box, label);
}

interface SliderOptions {
  label: string;
  least: number;
  most: number;
  step: number;
  value: number;
  show: (value: number) => string;
  /** the value as it is read aloud, where that says more than what is shown */
  tell?: (value: number) => string;
  hint?: string;
  oninput: (value: number) => void;
  /** the hand comes near: called with all positions, the nearest to the present one first */
  near?: (positions: number[]) => void;
}

/** A slider that says its value beside the label, and in words to a screen reader. */
export function slider(options: SliderOptions): Field & { limit(most: number): void } {
  const shown = h("output", { class: "shown" });
  const tell = (value: number): void => {
    shown.textContent = options.show(value);
    control.setAttribute("aria-valuetext", (options.tell ?? options.show)(value));
  };
  const near = (): void => {
    const [least, most, step] = [control.min, control.max, control.step].map(Number) as [number, number, number];
    const count = Math.floor((most - least) / step + 1e-9) + 1;
    const away = (at: number): number => Math.abs(at - control.valueAsNumber);
    const all = Array.from({ length: count }, (_, i) => Number((least + i * step).toFixed(9)));
    options.near?.(all.sort((a, b) => away(a) - away(b)));
  };
  const control = h("input", {
    type: "range",
    onpointerenter: near,
    onfocus: near,
    min: options.least,
    max: options.most,
    step: options.step,
    oninput: () => {
      tell(control.valueAsNumber);
      options.oninput(control.valueAsNumber);
    },
  });
  control.value = String(options.value);
  tell(options.value); // which need not be one of the steps
  const { label, hint } = options;
  const made = field(control, { label, hint }, shown);
  shown.setAttribute("for", control.id);
  return {
    ...made,
    limit: (most) => {
      control.max = String(most);
    },
    set: (value) => {
      control.value = value;
      tell(Number(value));
    },
  };
}

export function button(words: string, onclick: () => void, kind = ""): HTMLButtonElement {
  return h("button", { type: "button", class: kind, onclick }, words);
}

/** A button that copies a text, and says so where it can be heard as well as seen. */
export function copyButton(words: string, text: () => string): HTMLButtonElement {
  const made = button(words, () => {
    void copy(text()).then((done) => {
      made.textContent = done ? "Copied" : "Press Ctrl+C";
      made.setAttribute("aria-live", "polite");
      setTimeout(() => (made.textContent = words), 1600);
    });
  });
  return made;
}

/** A link that saves a text as a file; nothing is sent anywhere. */
export function downloadLink(words: string, file: string, text: () => string): HTMLAnchorElement {
  const made = h("a", { class: "button", download: file, href: "#" }, words);
  made.addEventListener("click", () => {
    const type = TYPES[file.slice(file.lastIndexOf("."))] ?? "text/plain";
    const address = URL.createObjectURL(new Blob([text()], { type }));
    made.href = address;
    setTimeout(() => {
      URL.revokeObjectURL(address);
      made.href = "#";
    }, 10_000);
  });
  return made;
}

const TYPES: Record<string, string> = {
  ".json": "application/json",
  ".csv": "text/csv",
  ".html": "text/html",
};

/** A button that fetches a text and saves it as a file; what goes wrong is said beside it. */
export function fetchButton(words: string, file: string, text: () => Promise<string>): HTMLElement {
  const wrong = h("span", { class: "error", role: "alert" });
  const made = button(words, () => {
    made.disabled = true;
    wrong.textContent = "";
    void text()
      .then((found) => downloadLink(words, file, () => found).click())
      .catch((error: Error) => (wrong.textContent = error.message))
      .finally(() => (made.disabled = false));
  });
  return h("span", { class: "fetch" }, made, wrong);
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const box = h("textarea", { class: "off-screen", "aria-hidden": "true" });
    box.value = text;
    document.body.append(box);
    box.select();
    const done = document.execCommand("copy");
    box.remove();
    return done;
  }
}

/** A table; the first column holds row headers. */
export function table(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly Child[])[],
): HTMLElement {
  const head = h("tr", {}, ...heads.map((words) => h("th", { scope: "col" }, words)));
  const body = rows.map(([first, ...rest]) =>
    h("tr", {}, h("th", { scope: "row" }, first), ...rest.map((cell) => h("td", {}, cell))),
  );
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption), h("thead", {}, head), h("tbody", {}, ...body)),
  );
}

/** A picture with a caption, and the same numbers as a table behind it, which may be made when it is
 * opened: a hand that moves a slider does not wait for what is folded. */
export function figure(
  title: string,
  caption: Child,
  picture: Node,
  numbers?: Node | (() => Node) | null,
  level: "h2" | "h3" = "h2",
): HTMLElement {
  const id = freshId("figure");
  const fold = h("details", { class: "numbers" }, h("summary", {}, "The numbers"));
  if (typeof numbers === "function")
    fold.addEventListener("toggle", () => fold.append(numbers()), { once: true });
  else put(fold, numbers);
  return h(
    "figure",
    { "aria-labelledby": id },
    h(level, { id }, title),
    caption ? h("p", { class: "caption" }, caption) : null,
    picture,
    numbers ? fold : null,
  );
}

export function facts(rows: readonly (readonly [string, Child])[]): HTMLElement {
  return h(
    "dl",
    { class: "facts" },
    ...rows
      .filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}
