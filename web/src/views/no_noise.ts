/** No noise: an exact count, protected only by what nobody knows. */

import { debounce, inTurn, type NoiselessAnswer, post } from "../api";
import { liveChart } from "../chart";
import { type Child, facts, figure, h, replace, selectField, slider, table } from "../dom";
import { type Curve, curvesOf, countDelta, type Setting } from "../noiseless";
import { assumptions, Frame, type Place, type View } from "../view";
import { conditional, numeral, percent, plural, short } from "../words";

export const noNoise: View = {
  name: "no-noise",
  tab: "No noise",
  title: "When is an exact total private?",
  intro:
    "A count without noise protects you as far as nobody knows the others, and ends where that " +
    "belief is wrong.",
  mount,
};

type Name = "people" | "known" | "probability" | "epsilon";
const USUAL: Record<Name, number> = { people: 100, known: 10, probability: 0.5, epsilon: 0.5 };

function mount(root: HTMLElement, place: Place): void {
  // What the address says goes to the service as it stands, so that nonsense is answered in words.
  const state: Record<Name, string | number> & { sweep: string } = {
    people: place.params.get("people") ?? USUAL.people,
    known: place.params.get("known") ?? USUAL.known,
    probability: place.params.get("probability") ?? USUAL.probability,
    epsilon: place.params.get("epsilon") ?? USUAL.epsilon,
    sweep: place.params.get("sweep") === "known" ? "known" : "people",
  };
  const number = (name: Name): number => {
    const read = Number(state[name]);
    return Number.isFinite(read) ? read : USUAL[name];
  };
  const ask = inTurn(go);
  const tuner = (
    name: Name,
    label: string,
    [least, most, step]: readonly [number, number, number],
    show: (value: number) => string,
  ): ReturnType<typeof slider> =>
    slider({
      label,
      least,
      most: Math.max(most, number(name)),
      step,
      value: number(name),
      show,
      oninput: (value) => {
        state[name] = value;
        if (name === "people") limit(value);
        ask(); // before anything is drawn, so that the service computes meanwhile
        soon();
      },
    });
  /** Nobody can know more than all others. */
  const limit = (many: number): void => {
    if (number("known") >= many) state.known = many - 1;
    known.limit(many - 1);
    known.set(String(state.known));
  };
  const whole = (n: number): string => n.toLocaleString("en");
  const people = tuner("people", "People in the count", [2, 500, 1], whole);
  const known = tuner("known", "Of these, known to the attacker", [0, number("people") - 1, 1], whole);
  const probability = tuner(
    "probability",
    "Belief that another says yes",
    [0.01, 0.99, 0.01],
    percent,
  );
  const epsilon = tuner("epsilon", "Epsilon", [0, 3, 0.05], String);
  const sweep = selectField({
    label: "Draw delta over",
    value: state.sweep,
    choices: [
      ["people", "how many people there are"],
      ["known", "how many are known"],
    ],
    onchange: (value) => {
      state.sweep = value;
      draw();
      ask();
    },
  });
  const frame = new Frame(
    root,
    "An exact count",
    { people, known, probability, epsilon },
    h("div", { class: "tuners" }, people.root, known.root, probability.root, epsilon.root),
    sweep.root,
  );
  const picture = liveChart("Curves of delta; the numbers follow as a table");
  const numbers = h("div");
  const values = h("div");
  const caption = h("span");
  const breaks = h("p", { class: "said" });
  const assumed = h("div");
  replace(frame.result, values);
  frame.answer.show(
    figure("How delta falls, or rises", caption, picture.root, numbers),
    breaks,
    assumed,
  );

  const list = debounce(150, () => replace(numbers, listed(over(), curves)));
  const over = (): string =>
    state.sweep === "known" ? "people known to the attacker" : "people in the count";
  let curves: Curve[] = [];
  let waiting = false;

  /** Draw with the next frame, however many events come before it. */
  function soon(): void {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  }

  function setting(): Setting | null {
    const found = {
      people: number("people"),
      known: number("known"),
      probability: number("probability"),
      epsilon: number("epsilon"),
      sweep: state.sweep === "known" ? ("known" as const) : ("people" as const),
    };
    const { people: n, known: k, probability: p, epsilon: e } = found;
    const sound = n >= 2 && n <= 5000 && k >= 0 && k < n && p > 0 && p < 1 && e >= 0 && e < 600;
    return sound ? found : null;
  }

  /** Everything that follows a slider at once; the service's sentence comes a frame later. */
  function draw(): void {
    const at = setting();
    if (!at) return;
    const delta = countDelta(at.people - at.known, at.probability, at.epsilon);
    curves = curvesOf(at);
    caption.textContent = `Delta over ${over()}; the dot is where you are.`;
    const here = { x: at[at.sweep], y: delta };
    picture.show((pictures, width) => pictures.sweep(width, curves, over(), here));
    list();
    replace(values, stated(short(delta, 5), short(at.epsilon, 5), at));
  }

  const body = (): Record<string, unknown> => {
    const { sweep: _, ...numbers } = state; // the page draws the curves itself
    return numbers;
  };

  function recipe(): void {
    const law = `1=${state.probability}, 0=${Number((1 - number("probability")).toFixed(6))}`;
    const { people, known, epsilon } = state;
    const given = { values: [law], people: [String(people)], known: String(known) };
    frame.recipes.show(
      "noiseless sum",
      { ...given, epsilon: String(epsilon) },
      { path: "noiseless", body: body() },
    );
  }

  function go(): Promise<void> {
    place.save(state);
    recipe();
    return frame.ask(
      (signal) => post<NoiselessAnswer>("noiseless", body(), signal),
      (found) => {
        const { assumption, claim, rest } = conditional(found.sentence);
        replace(
          frame.sentence,
          assumption && h("span", { class: "assumption" }, assumption),
          ` ${claim}`,
        );
        breaks.textContent = rest;
        const at = setting();
        if (at)
          replace(values, stated(numeral(found.at.delta), numeral(found.at.epsilon), at));
        replace(
          assumed,
          assumptions([...(found.at.assumptions ?? [found.belief]), ...(found.at.notes ?? [])]),
        );
      },
    );
  }

  draw();
  ask();
}

function stated(delta: string, epsilon: string, at: Setting): Child {
  return facts([
    ["Delta", delta],
    ["Epsilon", epsilon],
    ["Unknown to the attacker", plural(at.people - at.known, "person", "people")],
  ]);
}

/** The strong curve's numbers, and those of the others at the same places. */
function listed(over: string, curves: readonly Curve[]): HTMLElement {
  const xs = curves.find((curve) => curve.strong)?.points.map((point) => point.x) ?? [];
  const at = (curve: Curve, x: number): string => {
    const found = curve.points.find((point) => point.x === x);
    return found ? short(found.y) : "";
  };
  const sorted = [...curves].sort((a, b) => Number(b.strong) - Number(a.strong));
  return table(
    `Delta over ${over}`,
    [over, ...sorted.map((curve) => curve.label)],
    xs.map((x) => [String(x), ...sorted.map((curve) => at(curve, x))]),
  );
}
