/** Attacker: move what somebody believed; see what they conclude with your data, and without. */

import {
  debounce,
  latest,
  type MechanismAnswer,
  post,
  type PosteriorAnswer,
  ServiceError,
} from "../api";
import { button, type Child, type Field, h, replace, selectField, slider } from "../dom";
import { type Position, type Scene, sceneOf, settle, type Side, view } from "../attacker";
import { picker } from "../picker";
import {
  Answer,
  assumptions,
  controls,
  Errors,
  lead,
  type Place,
  Recipes,
  type View,
} from "../view";
import { odds, percent } from "../words";
import { asState, assumed, numbers, recipe, told } from "./attacker_words";

export const attacker: View = {
  name: "attacker",
  tab: "Attacker",
  title: "What would an attacker conclude about you?",
  intro:
    "Move what somebody believed beforehand. Learning about the world may move any belief; what " +
    "you are owed is that your own data makes little difference.",
  mount,
};

interface Row {
  root: HTMLElement;
  pick: HTMLButtonElement;
  prior: HTMLElement;
  bar: HTMLElement;
  dots: Record<"with" | "without", HTMLElement>;
  cells: Record<"likely" | "with" | "without", HTMLElement>;
}

function mount(root: HTMLElement, place: Place): void {
  const run = latest();
  const sentence = lead();
  const answer = new Answer(sentence);
  const recipes = new Recipes();
  const exact = h("div");
  const said = h("div", { class: "worst", "aria-live": "polite" });
  const belief = h("div", { class: "belief" });
  const ask = debounce(120, fetchTable);
  const chosen = picker(place.params.get("mechanism"), () => ask());
  const errors = new Errors({ mechanism: chosen.field });
  let scene: Scene | null = null;
  let found: MechanismAnswer | null = null;
  let position: Position | null = null;
  let rows: Row[] = [];
  let first = true;

  function fetchTable(): void {
    answer.wait();
    const text = chosen.value();
    void run(
      (signal) => post<MechanismAnswer>("mechanism", { mechanism: text, neighbours: null }, signal),
      (table) => {
        const next = sceneOf(table);
        if (!next) {
          errors.show(
            new ServiceError(
              "This mechanism has no table that could be sent (a density, or more than 64 databases or outputs): choose fewer people, or noise on whole numbers.",
              "TooLarge",
              "mechanism",
              0,
            ),
          );
          answer.fail();
          return;
        }
        errors.clear();
        const kept = scene && position ? asState(scene, position) : {};
        const wanted = first ? Object.fromEntries(place.params) : kept;
        first = false;
        found = table;
        scene = next;
        position = settle(scene, wanted, table.price.witness ?? null);
        said.replaceChildren();
        build(scene);
        answer.done();
        move();
      },
      (error) => {
        answer.fail();
        errors.show(error);
      },
    );
  }

  /** Lay out sliders and rows for a new table. */
  function build(now: Scene): void {
    replace(belief, ...beliefControls(now));
    rows = now.outputs.map((output, t) => outputRow(output, t));
    const who = now.people ? "without you" : "before";
    const head = h(
      "tr",
      {},
      h("th", { scope: "col" }, "output"),
      h("th", { scope: "col", class: "likely" }, "how likely"),
      h(
        "th",
        { scope: "col", class: "track" },
        h(
          "span",
          { class: "scale" },
          h("span", {}, "0%"),
          h("span", {}, "50%"),
          h("span", {}, "100%"),
        ),
      ),
      h("th", { scope: "col", class: "without" }, who),
      h("th", { scope: "col", class: "with" }, "with you"),
    );
    answer.show(
      exact,
      h(
        "section",
        {},
        h("h2", {}, "For every output"),
        h(
          "p",
          { class: "caption" },
          "The mark is what was believed before; ",
          h("span", { class: "key without" }),
          " what is concluded without your data, ",
          h("span", { class: "key with" }),
          " with it. Choose an output to read it in words.",
        ),
        h(
          "table",
          { class: "outputs" },
          h("thead", {}, head),
          h("tbody", {}, ...rows.map((row) => row.root)),
        ),
      ),
      found ? assumptions(assumed(now, found)) : null,
    );
  }

  function outputRow(output: string, t: number): Row {
    const prior = h("i", { class: "prior" });
    const bar = h("i", { class: "bar" });
    const dots = { with: h("i", { class: "dot with" }), without: h("i", { class: "dot without" }) };
    const cells = {
      likely: h("td", { class: "likely" }),
      with: h("td", { class: "with" }),
      without: h("td", { class: "without" }),
    };
    const pick = button(output, () => {
      if (!position) return;
      position.output = t;
      move();
    });
    const track = h(
      "td",
      { class: "track", "aria-hidden": "true" },
      h("div", {}, bar, prior, dots.without, dots.with),
    );
    const made = h(
      "tr",
      {},
      h("th", { scope: "row" }, pick),
      cells.likely,
      track,
      cells.without,
      cells.with,
    );
    return { root: made, pick, prior, bar, dots, cells };
  }

  function beliefControls(now: Scene): Child[] {
    const at = position as Position;
    const set = (change: Partial<Position>, rebuild = false): void => {
      Object.assign(at, change);
      if (rebuild) replace(belief, ...beliefControls(now));
      move();
    };
    const named = (
      label: string,
      value: string,
      choices: [string, string][],
      change: (v: string) => void,
    ): Field => selectField({ label, value, choices, onchange: change });
    const chance = (label: string, value: number, change: (v: number) => void): Field =>
      slider({
        label,
        least: 0,
        most: 1,
        step: 0.005,
        value,
        show: (p) => `${percent(p)}, ${odds(p)}`,
        oninput: change,
      });
    const { people } = now;
    const kinds: [string, string][] = [
      ["independent", "records are independent"],
      ["two", "one of two databases is true"],
    ];
    const labels: [string, string][] = now.databases.map((label) => [label, label]);
    const persons: [string, string][] = Array.from({ length: people?.count ?? 0 }, (_, i) => [
      String(i),
      `person ${i + 1}`,
    ]);
    const values: [string, string][] = (people?.values ?? []).map((v) => [v, v]);
    return [
      h(
        "div",
        { class: "row" },
        people &&
          named("The attacker believes", at.mode, kinds, (v) =>
            set({ mode: v === "two" ? "two" : "independent" }, true),
          ).root,
        people && people.count > 1
          ? named("You are", String(at.person), persons, (v) => set({ person: Number(v) }, true))
              .root
          : null,
        people && at.mode === "independent"
          ? named("Is your record", at.value, values, (v) => set({ value: v }, true)).root
          : null,
        at.mode === "two"
          ? named("Database A", at.a, labels, (v) => set({ a: v }, true)).root
          : null,
        at.mode === "two"
          ? named("Database B", at.b, labels, (v) => set({ b: v }, true)).root
          : null,
      ),
      h(
        "div",
        { class: "tuners" },
        at.mode === "independent"
          ? chance(`Belief that your record is ${at.value}`, at.you, (you) => set({ you })).root
          : chance(`Belief that ${at.a} is true, not ${at.b}`, at.you, (you) => set({ you })).root,
        at.mode === "independent" && (people?.count ?? 0) > 1
          ? chance(`Belief that each other record is ${at.value}`, at.others, (others) =>
              set({ others }),
            ).root
          : null,
      ),
      h(
        "div",
        { class: "actions" },
        button("Show the worst belief", worst),
        button("Even odds", () => set({ you: 0.5, others: 0.5 }, true), "plain"),
      ),
      said,
    ];
  }

  /** Everything that follows a slider; no request is made, so it keeps up with the hand. */
  function move(): void {
    if (!scene || !position || !found) return;
    const sides = view(scene, position);
    sides.forEach((side, t) => show(rows[t] as Row, side, t === position?.output, scene as Scene));
    const here = sides[position.output] as Side;
    replace(sentence, ...told(scene, position, here));
    replace(exact, numbers(scene, position));
    remember();
  }

  const remember = debounce(150, () => {
    if (!scene || !position) return;
    place.save({ mechanism: chosen.value(), ...asState(scene, position) });
    recipes.show(recipe(chosen.value(), scene, position));
  });

  function worst(): void {
    const text = chosen.value();
    const now = scene;
    if (!now || !found || !position) return;
    if (!now.people) {
      Object.assign(position, settle(now, { you: "0.5" }, found.price.witness ?? null));
      replace(belief, ...beliefControls(now));
      replace(said, h("p", {}, found.price.sentence));
      move();
      return;
    }
    void run(
      (signal) =>
        post<PosteriorAnswer>("posterior", { mechanism: text, belief: "uniform" }, signal),
      ({ worst: verdict }) => {
        const { witness } = verdict;
        if (witness && position) {
          const [a = now.databases[0] ?? "", b] = Object.keys(witness.belief);
          Object.assign(position, {
            mode: "two",
            a,
            b: b ?? now.databases.find((x) => x !== a) ?? a,
            you: Number((witness.belief[a]?.value ?? 0.5).toFixed(6)),
            person: witness.person - 1,
            output: Math.max(0, now.outputs.indexOf(witness.output)),
          });
        }
        replace(belief, ...beliefControls(now));
        replace(said, h("p", {}, verdict.sentence), h("p", { class: "hint" }, verdict.odds));
        move();
      },
      (error) => errors.show(error),
    );
  }

  root.append(
    controls("Choose, tune and believe", chosen.root, belief),
    errors.root,
    sentence,
    answer.root,
    recipes.root,
  );
  fetchTable();
}

function show(row: Row, side: Side, chosen: boolean, scene: Scene): void {
  const at = (p: number): string => `${(p * 100).toFixed(2)}%`;
  row.root.classList.toggle("chosen", chosen);
  row.pick.setAttribute("aria-pressed", String(chosen));
  row.cells.likely.textContent = percent(side.likely);
  row.cells.with.textContent = side.with === null ? "cannot occur" : percent(side.with);
  const without = scene.people ? side.without : side.prior;
  row.cells.without.textContent = without === null ? "cannot occur" : percent(without);
  row.prior.style.left = at(side.prior);
  row.dots.with.hidden = side.with === null;
  row.dots.without.hidden = without === null || !scene.people;
  row.dots.with.style.left = at(side.with ?? 0);
  row.dots.without.style.left = at(without ?? 0);
  const [low, high] = [side.with ?? 0, without ?? 0].sort((a, b) => a - b) as [number, number];
  row.bar.hidden = side.with === null || without === null;
  row.bar.style.left = at(low);
  row.bar.style.width = at(high - low);
}
