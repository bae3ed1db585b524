/** Attacker: move what somebody believed; see what they conclude with your data, and without. */

import { debounce, Foreseen, inTurn, latest, type MechanismAnswer, post, type PosteriorAnswer, ServiceError, type Verdict } from "../api";
import { highest, type Position, priorCurve, type Scene, sceneOf, settle, type Side, view } from "../attacker";
import { liveChart } from "../chart";
import { button, type Child, type Field, figure, h, replace, selectField, slider, textField } from "../dom";
import { deltaField, picker } from "../picker";
import type { Moving } from "../pictures";
import { assumptions, Frame, type Place, type View } from "../view";
import { odds, percent } from "../words";
import { outputLine, type OutputTable, outputTable } from "./attacker_table";
import { asked, asState, assumed, bounded, nearly, numbers, told, worstOver, worstSet } from "./attacker_words";

export const attacker: View = {
  name: "attacker",
  tab: "Attacker",
  title: "What would an attacker conclude about you?",
  intro:
    "Move what somebody believed beforehand. The world may change their mind; your own data should " +
    "make little difference.",
  mount,
};

const NO_OUTPUT = "There are too many outputs to list them: name the one that was published.";

const WAITING = "Working out the bound at this delta …";

/** With more databases than these, exact fractions wait until the hand rests. */
const FEW = 16;

function mount(root: HTMLElement, place: Place): void {
  const exact = h("div");
  const overall = h("p", { class: "said" });
  const said = h("div", { class: "worst", "aria-live": "polite" });
  const belief = h("div", { class: "belief" });
  const curve = liveChart(
    "Curves of what is concluded, with you and without, over what was believed before",
  );
  const known = new Foreseen<MechanismAnswer>("mechanism");
  const ask = inTurn(fetchTable);
  const askPrice = inTurn(fetchPrice);
  const accepted = deltaField(place.params.get("delta"), () => chosen.value(), askPrice, (given) =>
    known.near(given.map((one) => priced(one))),
  );
  const chosen = picker(
    place.params.get("mechanism"),
    () => {
      output.set("");
      ask();
    },
    (texts) => known.near(texts.map((text) => wanted(text, null))),
    [],
    accepted.root,
  );
  const output = textField({
    label: "What was published",
    wide: true,
    value: "",
    hint: "There are very many outputs: name any, written as in the table.",
    onchange: () => ask(),
  });
  output.root.hidden = true;
  const frame = new Frame(
    root,
    "Choose, tune and believe",
    { mechanism: chosen.field, output, delta: accepted },
    belief,
    output.root,
    chosen.root,
    said,
  );
  let scene: Scene | null = null;
  let found: MechanismAnswer | null = null;
  let price: Verdict | null = null;
  const second = latest();
  let position: Position | null = null;
  let rows: OutputTable | null = null;
  let first = true;
  let waiting = false;
  let drawn = "";
  let dots: Side | null = null;
  let moving: Moving | null = null;

  const wanted = (mechanism: string, output: string | null): Record<string, unknown> => ({
    mechanism,
    output,
    definitions: false,
    curves: false,
  });
  const priced = (given: { delta?: string }): Record<string, unknown> => ({
    ...wanted(chosen.value(), null),
    ...given,
  });

  function fetchTable(): Promise<void> {
    const text = chosen.value();
    const before = first ? Object.fromEntries(place.params) : kept();
    const named = output.value().trim() || (first && before["output"]) || null;
    return frame.ask(
      (signal) => known.ask(wanted(text, named), signal),
      (table) => {
        const next = sceneOf(table);
        output.root.hidden = next !== null && !next.some;
        if (!next) {
          frame.fail(new ServiceError(NO_OUTPUT, "TooLarge", "output", 0));
          return;
        }
        first = false;
        found = table;
        scene = next;
        position = settle(scene, before, table.price.witness ?? null);
        if (next.some && named) position.output = 0; // the service puts it first
        said.replaceChildren();
        accepted.needed(table.price);
        price = null;
        build(scene);
        askPrice();
      },
    );
  }

  /** The price at the delta that is accepted takes longer than the rest, and follows it. */
  async function fetchPrice(): Promise<void> {
    const given = accepted.given();
    if (!found) return;
    price = given.delta ? null : found.price;
    move();
    if (price) return;
    await second(
      (signal) => known.ask(priced(given), signal),
      (answer) => {
        price = answer.price;
        move();
      },
      (error) => accepted.fail(error.message),
    );
  }

  const kept = (): Record<string, string> => (scene && position ? asState(scene, position) : {});

  /** Lay out sliders and rows for a new table. */
  function build(now: Scene): void {
    believe();
    rows = now.line ? outputLine(now) : outputTable(now, (output) => change({ output }));
    replace(
      frame.result,
      h(
        "div",
        { class: "beside" },
        exact,
        figure(
          "Before and after",
          "What is concluded from this output, whatever was believed before. Dotted: nothing is learnt.",
          curve.root,
        ),
      ),
    );
    frame.answer.show(
      overall,
      rows.root,
      found ? assumptions(assumed(now, found)) : null,
    );
  }

  function believe(): void {
    if (scene && position)
      replace(belief, ...beliefControls(scene, position, change, worst));
  }

  function change(changed: Partial<Position>, rebuild = false): void {
    if (!position) return;
    Object.assign(position, changed);
    if (rebuild) believe();
    said.replaceChildren();
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      move();
    });
  }

  /** Everything that follows a slider; no request is made, so it keeps up with the hand. */
  function move(): void {
    if (!scene || !position || !found || !rows) return;
    const [now, at] = [scene, position];
    const sides = view(now, at);
    const here = sides[at.output] as Side;
    rows.show(sides, at.output, at);
    replace(frame.sentence, ...told(now, at, here));
    replace(exact, now.databases.length > FEW ? nearly(now, here) : numbers(now, at, here));
    overall.textContent = `${worstOver(now, sides)} ${price ? bounded(price) : WAITING}`.trim();
    drawCurve(now, at, here);
    remember();
  }

  /** The curves change with everything but the belief about you, along which the dots move. */
  function drawCurve(now: Scene, at: Position, here: Side): void {
    const key = JSON.stringify([chosen.value(), { ...at, you: 0 }]);
    dots = here;
    if (key === drawn) {
      moving?.move(here);
      return;
    }
    drawn = key;
    const line = priorCurve(now, at);
    curve.show((pictures, width) => {
      moving = pictures.beforeAfter(width, line, now.people !== null);
      if (dots) moving.move(dots);
      return moving.element;
    });
  }

  const remember = debounce(150, () => {
    if (!scene || !position) return;
    rows?.rest();
    if (dots) replace(exact, numbers(scene, position, dots));
    place.save({ mechanism: chosen.value(), delta: accepted.picked(), ...asState(scene, position) });
    frame.recipes.show(...asked(chosen.value(), scene, position));
  });

  function worst(): void {
    const now = scene;
    if (!now || !found || !position) return;
    if (!now.people || now.line || now.some) {
      const apart = settle(now, { you: "0.5", mode: "two" }, found.price.witness ?? null);
      const [a, b] = [now.databases.indexOf(apart.a), now.databases.indexOf(apart.b)];
      if (now.line || now.some) apart.output = highest(now, (row) => (row[a] ?? 0) / (row[b] ?? 1));
      Object.assign(position, apart);
      believe();
      replace(said, ...worstSet(now, position, found.price.sentence));
      move();
      return;
    }
    void frame.ask(
      (signal) =>
        post<PosteriorAnswer>(
          "posterior",
          { mechanism: chosen.value(), belief: "uniform" },
          signal,
        ),
      ({ worst: verdict }) => {
        const { witness } = verdict;
        if (!position) return;
        if (witness) {
          const [a = now.databases[0] ?? "", b] = Object.keys(witness.belief);
          Object.assign(position, {
            mode: "two",
            a,
            b: b ?? now.databases.find((x) => x !== a) ?? a,
            you: witness.belief[a]?.value ?? 0.5,
            person: witness.person - 1,
            output: Math.max(0, now.outputs.indexOf(witness.output)),
          });
        }
        believe();
        replace(said, ...(witness ? worstSet(now, position, verdict.sentence) : [verdict.sentence]));
        move();
      },
    );
  }

  ask();
}

// --- what the attacker believes, as sliders and lists --------------------------------------------

/** Called with what changed, and whether other controls must be laid out anew. */
type Change = (change: Partial<Position>, rebuild?: boolean) => void;

function beliefControls(
  scene: Scene,
  at: Position,
  set: Change,
  worst: () => void,
): Child[] {
  const { people } = scene;
  const kinds: [string, string][] = [
    ["independent", "records are independent"],
    ["two", "one of two databases is true"],
  ];
  const labels: [string, string][] = scene.databases.map((label) => [label, label]);
  const persons: [string, string][] = Array.from({ length: people?.count ?? 0 }, (_, i) => [
    String(i),
    `person ${i + 1}`,
  ]);
  const values: [string, string][] = (people?.values ?? []).map((v) => [v, v]);
  const believes =
    people &&
    choice("The attacker believes", at.mode, kinds, (v) =>
      set({ mode: v === "two" ? "two" : "independent" }, true),
    );
  believes?.root.classList.add("wide");
  // it stands there also where nobody else is, so that nothing moves when others come
  const others = chance(`Belief that each other record is ${at.value}`, at.others, (moved) =>
    set({ others: moved }),
  );
  const input = others.root.querySelector("input");
  if (input) input.disabled = (people?.count ?? 0) < 2;
  return [
    h(
      "div",
      { class: "row" },
      believes?.root,
      people
        ? choice("You are", String(at.person), persons, (v) => set({ person: Number(v) }, true))
            .root
        : null,
      people && at.mode === "independent"
        ? choice("Is your record", at.value, values, (v) => set({ value: v }, true)).root
        : null,
      at.mode === "two"
        ? choice("Database A", at.a, labels, (v) => set({ a: v }, true)).root
        : null,
      at.mode === "two"
        ? choice("Database B", at.b, labels, (v) => set({ b: v }, true)).root
        : null,
    ),
    h(
      "div",
      { class: "tuners" },
      at.mode === "independent"
        ? chance(`Belief that your record is ${at.value}`, at.you, (you) => set({ you })).root
        : chance(`Belief that ${at.a} is true, not ${at.b}`, at.you, (you) => set({ you })).root,
      at.mode === "independent" && others.root,
      scene.line
        ? slider({
            label: "Published number",
            least: 0,
            most: scene.outputs.length - 1,
            step: 1,
            value: at.output,
            show: (i) => scene.outputs[i] ?? "",
            oninput: (output) => set({ output }),
          }).root
        : null,
    ),
    h(
      "div",
      { class: "actions" },
      button("Show the worst belief", worst),
      button("Even odds", () => set({ you: 0.5, others: 0.5 }, true), "plain"),
    ),
  ];
}

function choice(
  label: string,
  value: string,
  choices: [string, string][],
  onchange: (value: string) => void,
): Field {
  return selectField({ label, value, choices, onchange });
}

function chance(label: string, value: number, oninput: (value: number) => void): Field {
  const tell = (p: number): string => `${percent(p)}, ${odds(p)}`;
  return slider({ label, least: 0, most: 1, step: 0.005, value, show: percent, tell, oninput });
}
