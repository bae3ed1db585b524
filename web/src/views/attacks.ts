/** Attacks: the gallery, run live on the tables that come with the program. */

import { post } from "../api";
import { button, type Child, type Field, h, textField } from "../dom";
import { Frame, type Place, type View } from "../view";
import { defended, type Found, shown } from "./attack_results";

export const attacks: View = {
  name: "attacks",
  tab: "Attacks",
  title: "What do careless releases give away?",
  intro:
    "Seven known attacks, run live on made-up tables; four of them also against the release engine, " +
    "where they fail.",
  mount,
};

function mount(root: HTMLElement, place: Place): void {
  const cards = GALLERY.map((attack) => card(attack, place));
  root.append(h("div", { class: "gallery" }, ...cards));
  const first = cards.find((_, i) => GALLERY[i]?.name === place.params.get("name"));
  if (!first) return;
  first.open = true;
  first.scrollIntoView({ block: "nearest" });
}

/** One attack: it runs with its example as soon as it is opened, and closes the others. */
function card(attack: Attack, place: Place): HTMLDetailsElement {
  const mine = place.params.get("name") === attack.name;
  const fields: Record<string, Field> = {};
  for (const option of attack.options)
    fields[option.name] = textField({
      label: option.label,
      rows: 1,
      value: (mine ? place.params.get(option.name) : null) ?? option.usual,
    });
  const engine = h("input", { type: "checkbox" });
  engine.checked = mine && place.params.get("engine") === "1";
  const start = h("button", { type: "submit", class: "main" }, "Run the attack");
  const inputs: Child[] = attack.options.map((option) => fields[option.name]?.root ?? null);
  const body = h("div", { class: "body" });
  const frame = new Frame(
    body,
    attack.title,
    fields,
    ...inputs,
    attack.engine ? h("label", { class: "check" }, engine, "against the release engine") : null,
    h("div", { class: "actions" }, start),
  );
  frame.sentence.classList.add("long", "small");
  const defence = h("section", { class: "defence" });
  frame.answer.root.after(defence);
  let ran = false;

  function given(): Given {
    const values = attack.options.map((option) => [
      option.name,
      fields[option.name]?.value().trim() ?? "",
    ]);
    return Object.fromEntries(values.filter(([, value]) => value !== "")) as Given;
  }

  function go(): void {
    ran = true;
    const against = engine.checked;
    if (against && attack.needs && !fields[attack.needs]?.value()) fields[attack.needs]?.set("1");
    for (const { name, usual } of attack.options)
      if (usual && !fields[name]?.value().trim()) fields[name]?.set(usual);
    const values = given();
    place.save({ name: attack.name, ...values, engine: against ? "1" : null });
    const sent: Record<string, string | string[] | true> = {};
    for (const option of attack.options) {
      const value = values[option.name];
      if (value === undefined) continue;
      if (attack.name === "reconstruct" && against && option.name === "noise") continue;
      sent[option.name] = option.list ? pieces(value) : value;
    }
    if (against) sent["engine"] = true;
    const path = `attacks/${attack.name}`;
    frame.recipes.show(`attack ${attack.name}`, { ...attack.files, ...sent }, { path, body: sent });
    void frame.ask(
      (signal) => post<Found>(path, sent, signal),
      (found) => {
        const { words, rest } = shown(attack.name, found);
        const [, first = words, more = ""] = /^([^]+?[.!?])\s+([^]+)$/.exec(words) ?? [];
        frame.sentence.textContent = first;
        frame.answer.show(
          more ? h("p", { class: "said" }, more) : null,
          ...rest,
        );
        defence.replaceChildren(...helps(against, found));
      },
    );
  }

  /** What helps against it, and the proof: the same attack on the release engine. */
  function helps(against: boolean, found: Found): Node[] {
    const said = against ? defended(found) : "";
    const made: Node[] = [
      h("h2", {}, against ? "Against the release engine" : "What helps"),
      h("p", {}, said || attack.defence),
    ];
    if (said) made.push(h("p", { class: "hint" }, attack.defence));
    if (attack.engine && !against)
      made.push(
        button("Try it on the release engine", () => {
          engine.checked = true;
          go();
        }),
      );
    return made;
  }

  start.closest("form")?.addEventListener("submit", () => go());
  const root = h(
    "details",
    { class: "attack", name: "attack" },
    h(
      "summary",
      {},
      h("span", {}, h("strong", {}, attack.title), h("span", { class: "story" }, attack.story)),
    ),
    body,
  );
  root.addEventListener("toggle", () => {
    if (root.open && !ran) go();
  });
  return root;
}

// --- the seven attacks: their stories, options and defences ---------------------------------------

interface Option {
  name: string;
  label: string;
  usual: string;
  /** several, with commas between them */
  list?: boolean;
}

export interface Attack {
  name: string;
  title: string;
  story: string;
  options: readonly Option[];
  /** whether it can be run against the release engine as well */
  engine: boolean;
  /** what helps against it */
  defence: string;
  /** an option that the engine cannot do without */
  needs?: string;
  /** the bundled files that it reads, as the command line names them */
  files?: Record<string, string | string[]>;
}

export type Given = Record<string, string>;

export const GALLERY: readonly Attack[] = [
  {
    name: "composition",
    files: { tables: ["figure1.csv", "figure2.csv"] },
    title: "Two anonymous tables, one patient",
    story:
      "Two hospitals publish k-anonymous tables. Each leaves several illnesses for a patient who was in both; together they leave one.",
    options: [
      { name: "know", label: "Known of the person", usual: "zip=13012, age=28", list: true },
      { name: "sensitive", label: "Attacked column", usual: "condition" },
    ],
    engine: false,
    defence:
      "Each table was fine alone. Noise whose losses add up still holds together with whatever else is published: twice the loss at worst, not everything.",
  },
  {
    name: "linkage",
    files: { register: "register.csv", table: "figure1.csv" },
    title: "A register and a published table",
    story: 
      "Names are gone, but postcode and age are not: a public register tells which rows may be yours. If all of them say the same, you are given away.",
    options: [
      { name: "on", label: "Columns that both have", usual: "zip,age" },
      { name: "sensitive", label: "Attacked column", usual: "condition" },
    ],
    engine: false,
    defence:
      "Taking names away is no protection. Publish noisy counts instead of rows: a count with noise belongs to nobody.",
  },
  {
    name: "differencing",
    title: "Two harmless counts, one secret",
    story:
      "A server refuses small counts. The difference of two large ones is small, and tells one person's secret.",
    options: [
      {
        name: "know",
        label: "Known of the person",
        usual: "department=physics, sex=f, job=professor",
        list: true,
      },
      { name: "secret", label: "To be found out", usual: "depressed=yes" },
      { name: "at_least", label: "Counts below this are refused", usual: "5" },
    ],
    engine: true,
    defence:
      "Refusing small counts does not help, nor does refusing large ones. Noise on every count does: the difference is then as noisy as the counts.",
  },
  {
    name: "averaging",
    title: "Asking again until the noise is gone",
    story: "Fresh noise at every question, and nobody adds up the cost: the mean tells the truth.",
    options: [
      { name: "epsilon", label: "Loss of one answer (epsilon)", usual: "1/2" },
      { name: "times", label: "How often it is asked", usual: "1,4,16,64,256" },
    ],
    engine: true,
    defence:
      "The engine stores its answers, so the same question gets the same answer, and every other one is paid for until the budget is spent.",
  },
  {
    name: "membership",
    title: "Were you in the study?",
    story: "Many exact averages of a study, next to your own values: a test tells who took part.",
    options: [
      { name: "people", label: "People in the study", usual: "100" },
      { name: "attributes", label: "Published counts", usual: "1000" },
      { name: "epsilon", label: "What all counts cost (empty: exact)", usual: "" },
    ],
    engine: true,
    defence:
      "Noise that covers all counts together bounds any test, whatever it knows about you.",
    needs: "epsilon",
  },
  {
    name: "reconstruct",
    title: "A secret column, read back from sums",
    story:
      "Enough sums over random groups, answered with too little noise, determine nearly everybody's secret bit.",
    options: [
      { name: "rows", label: "People", usual: "96" },
      { name: "queries", label: "Sums asked", usual: "256" },
      { name: "noise", label: "Scale of the noise", usual: "2" },
    ],
    engine: true,
    defence:
      "A budget for all sums together: the more are asked, the noisier each, and no method reads back more than its limit.",
  },
  {
    name: "auxiliary",
    title: "A remark that is worthless alone",
    story:
      "Someone who knows that a woman is two inches shorter than the average learns her height from a study she was never in. No release that tells the average can prevent that, which is why two worlds are compared.",
    options: [],
    engine: false,
    defence:
      "No release that tells the average can prevent it. What can be promised is that her own data make no difference: that is what the two worlds compare.",
  },
];

export function pieces(text: string): string[] {
  return text
    .split(",")
    .map((piece) => piece.trim())
    .filter(Boolean);
}
