/** Attacks: the gallery, run live on the tables that come with the program. */

import { post } from "../api";
import { button, type Child, type Field, h, textField } from "../dom";
import { Frame, type Place, type View } from "../view";
import { defended, type Found, shown } from "./attack_results";
import { type Attack, GALLERY, type Given, pieces } from "./attacks_gallery";

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
        const [first = "", ...more] = words.split("\n\n");
        frame.sentence.textContent = first;
        frame.answer.show(
          more.length ? h("p", { class: "said" }, more.join("\n\n")) : null,
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
