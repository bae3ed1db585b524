/** No noise: an exact count, protected only by what nobody knows. */

import { debounce, latest, type NoiselessAnswer, post } from "../api";
import { python, quoted } from "../calls";
import { chart } from "../chart";
import { type Child, facts, figure, h, selectField, slider, table } from "../dom";
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
import { exactly, numeral, percent, plural } from "../words";

export const noNoise: View = {
  name: "no-noise",
  tab: "No noise",
  title: "When is an exact total private?",
  intro:
    "A count published without noise protects you only as far as nobody knows the others. " +
    "The guarantee rests on a belief about the attacker, and ends where that belief is wrong.",
  mount,
};

function mount(root: HTMLElement, place: Place): void {
  const given = (name: string, usual: number): number => {
    const read = Number(place.params.get(name) ?? NaN);
    return Number.isFinite(read) ? read : usual;
  };
  const state = {
    people: given("people", 100),
    known: given("known", 10),
    probability: given("probability", 0.5),
    epsilon: given("epsilon", 0.5),
    sweep: place.params.get("sweep") === "known" ? "known" : "people",
  };
  const run = latest();
  const sentence = lead();
  const answer = new Answer(sentence);
  const recipes = new Recipes();
  const ask = debounce(150, go);
  const people = slider({
    label: "People in the count",
    least: 2,
    most: Math.max(500, state.people),
    step: 1,
    value: state.people,
    show: (n) => n.toLocaleString("en"),
    oninput: (n) => {
      state.people = n;
      ask();
    },
  });
  const known = slider({
    label: "Of these, known to the attacker",
    least: 0,
    most: Math.max(499, state.known),
    step: 1,
    value: state.known,
    show: (n) => n.toLocaleString("en"),
    oninput: (n) => {
      state.known = n;
      ask();
    },
  });
  const probability = slider({
    label: "Belief that another says yes",
    least: 0.01,
    most: 0.99,
    step: 0.01,
    value: state.probability,
    show: percent,
    oninput: (p) => {
      state.probability = p;
      ask();
    },
  });
  const epsilon = slider({
    label: "Epsilon",
    least: 0,
    most: Math.max(3, state.epsilon),
    step: 0.05,
    value: state.epsilon,
    show: (e) => String(e),
    oninput: (e) => {
      state.epsilon = e;
      ask();
    },
  });
  const sweep = selectField({
    label: "Draw delta over",
    value: state.sweep,
    choices: [
      ["people", "how many people there are"],
      ["known", "how many are known"],
    ],
    onchange: (value) => {
      state.sweep = value;
      go();
    },
  });
  const errors = new Errors({ people, known, probability, epsilon, sweep });

  function go(): void {
    place.save(state);
    const law = `1=${state.probability}, 0=${Number((1 - state.probability).toFixed(4))}`;
    recipes.show({
      command: `twoworlds noiseless sum --values ${quoted(law)} --people ${state.people} --known ${state.known} --epsilon ${state.epsilon}`,
      python: `from twoworlds import noiseless\n\nprint(noiseless.total(${python(law)}, people=${state.people}, known=${state.known}, epsilon=${python(String(state.epsilon))}).explain())`,
    });
    answer.wait();
    void run(
      (signal) => post<NoiselessAnswer>("noiseless", state, signal),
      (found) => {
        errors.clear();
        const [first = "", ...rest] = found.sentence.split(/(?=What breaks it:)/);
        sentence.textContent = first.trim();
        answer.show(
          rest.length ? h("p", { class: "said" }, rest.join("")) : null,
          ...described(found, state),
        );
      },
      (error) => {
        answer.fail();
        errors.show(error);
      },
    );
  }

  root.append(
    controls(
      "An exact count",
      h("div", { class: "tuners" }, people.root, known.root, probability.root, epsilon.root),
      sweep.root,
    ),
    errors.root,
    sentence,
    answer.root,
    recipes.root,
  );
  go();
}

function described(
  found: NoiselessAnswer,
  state: { sweep: string; people: number; known: number },
): Child[] {
  const over = state.sweep === "people" ? "people in the count" : "people known to the attacker";
  const here = state.sweep === "people" ? state.people : state.known;
  return [
    facts([
      ["Delta", numeral(found.at.delta)],
      ["Epsilon", numeral(found.at.epsilon)],
      ["Unknown to the attacker", plural(state.people - state.known, "person", "people")],
    ]),
    assumptions([...(found.at.assumptions ?? [found.belief]), ...(found.at.notes ?? [])]),
    figure(
      "How delta falls, or rises",
      `Delta over ${over}; the dot is where you are.`,
      chart(`Curve of delta over ${over}; the numbers follow as a table`, (pictures, width) =>
        pictures.sweep(width, found.x, found.delta, over, here),
      ),
      table(
        `Delta over ${over}`,
        [over, "delta"],
        found.x.map((x, i) => [String(x), exactly({ exact: null, value: found.delta[i] ?? 0 })]),
      ),
    ),
  ];
}
