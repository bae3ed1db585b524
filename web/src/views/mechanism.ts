/** Mechanism: choose and tune it; its matrix, its exact price, and which definitions hold. */

import { debounce, latest, type MechanismAnswer, post } from "../api";
import { python, quoted } from "../calls";
import { chart } from "../chart";
import { type Child, facts, figure, h, table } from "../dom";
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
import { exactly, numeral, percent, short } from "../words";

export const mechanism: View = {
  name: "mechanism",
  tab: "Mechanism",
  title: "What does a mechanism give away?",
  intro:
    "A mechanism turns a database into something that is published. Its price says how much " +
    "better anyone can tell two neighbouring databases apart.",
  mount,
};

function mount(root: HTMLElement, place: Place): void {
  const run = latest();
  const sentence = lead();
  const answer = new Answer(sentence);
  const recipes = new Recipes();
  const ask = debounce(120, go);
  const chosen = picker(place.params.get("mechanism"), () => ask());
  const errors = new Errors({ mechanism: chosen.field });

  function go(): void {
    const text = chosen.value();
    place.save({ mechanism: text });
    recipes.show({
      command: `twoworlds measure ${quoted(text)}`,
      python: `from twoworlds import measure, mechanism\n\nprint(measure(mechanism(${python(text)})).explain())`,
    });
    answer.wait();
    void run(
      (signal) => post<MechanismAnswer>("mechanism", { mechanism: text, neighbours: null }, signal),
      (found) => {
        errors.clear();
        sentence.textContent = found.price.sentence;
        answer.show(...described(found));
      },
      (error) => {
        answer.fail();
        errors.show(error);
      },
    );
  }

  root.append(
    controls("Choose and tune", chosen.root),
    errors.root,
    sentence,
    answer.root,
    recipes.root,
  );
  go();
}

function described(found: MechanismAnswer): Child[] {
  const { price } = found;
  const pair = price.witness?.databases;
  const chances = price.witness?.probabilities;
  return [
    facts([
      ["Price, epsilon", numeral(price.epsilon)],
      ["Ratio, e to the epsilon", numeral(price.ratio)],
      ["Delta", numeral(price.delta)],
      ["Told apart best", pair ? `${pair[0]} from ${pair[1]}` : null],
      [
        "By seeing",
        price.witness?.event_in_words && chances?.[0] && chances[1]
          ? `${price.witness.event_in_words}: probability ${numeral(chances[0])} against ${numeral(chances[1])}`
          : null,
      ],
    ]),
    assumptions([...(price.assumptions ?? []), ...(price.notes ?? [])]),
    matrix(found),
    h("div", { class: "pair" }, profile(found), tradeOff(found)),
    definitions(found),
  ];
}

function matrix(found: MechanismAnswer): HTMLElement {
  const { databases, outputs, matrix: rows } = found;
  if (!rows || rows.length === 0)
    return h(
      "section",
      {},
      h("h2", {}, "Matrix"),
      h(
        "p",
        { class: "caption" },
        "Too large to show, or a density: its price is exact all the same.",
      ),
    );
  const written = rows.map((row) => row.map(exactly));
  const values = rows.map((row) => row.map((cell) => cell.value ?? 0));
  const outside = found.window
    ? " Outputs and databases go on without end; these are the middle."
    : "";
  return figure(
    "Matrix",
    `How likely each output is on each database: ${outputs.length} outputs, ${databases.length} databases.${outside}`,
    chart("Heat map of the matrix; the numbers follow as a table", (pictures, width) =>
      pictures.heatMap(width, databases, outputs, values, written),
    ),
    table(
      "P(output | database)",
      ["output", ...databases],
      outputs.map((output, t) => [output, ...(written[t] ?? [])]),
    ),
  );
}

function profile(found: MechanismAnswer): HTMLElement | null {
  if (!found.profile) return null;
  const { epsilon, delta } = found.profile;
  const every = Math.max(1, Math.floor(epsilon.length / 10));
  const price = found.price.delta?.value === 0 ? (found.price.epsilon?.value ?? null) : null;
  return figure(
    "Privacy profile",
    "The probability delta that is left over when only a smaller epsilon is promised.",
    chart("Curve of delta over epsilon; the numbers follow as a table", (pictures, width) =>
      pictures.profile(width, epsilon, delta, price),
    ),
    table(
      "Delta for each epsilon",
      ["epsilon", "delta"],
      epsilon
        .filter((_, i) => i % every === 0)
        .map((x, i) => [short(x), short(delta[i * every] ?? 0)]),
    ),
  );
}

function tradeOff(found: MechanismAnswer): HTMLElement | null {
  const curve = found.tradeoff;
  if (!curve) return null;
  return figure(
    "Trade-off of any test",
    curve.sentence,
    chart("Curve of misses over false alarms; the numbers follow as a table", (pictures, width) =>
      pictures.tradeOff(width, curve.points),
    ),
    table(
      "Misses for each rate of false alarms",
      ["false alarms", "misses"],
      curve.points.slice(0, 40).map(([x, y]) => [percent(x), percent(y)]),
    ),
  );
}

const MARKS = { true: "Holds", false: "Fails", null: "Not decided" } as const;

function definitions(found: MechanismAnswer): HTMLElement {
  const order = [true, false, null];
  const sorted = [...found.definitions].sort(
    (a, b) => order.indexOf(a.holds) - order.indexOf(b.holds),
  );
  return h(
    "section",
    {},
    h("h2", {}, "Which definitions hold, and which fail against whom"),
    h(
      "p",
      { class: "caption" },
      "Asked at the mechanism's own price where it has one, else at ratio 3.",
    ),
    h("ul", { class: "verdicts" }, ...sorted.map(verdict)),
  );
}

function verdict(one: MechanismAnswer["definitions"][number]): HTMLElement {
  const mark = MARKS[String(one.holds) as keyof typeof MARKS];
  const against = one.holds === false ? one.witness_in_words : null;
  return h(
    "li",
    { class: `verdict ${mark.split(" ")[0]?.toLowerCase()}` },
    h("span", { class: "mark" }, mark),
    h(
      "div",
      {},
      h("code", {}, one.definition),
      h("p", {}, one.sentence),
      against ? h("p", { class: "hint" }, `Against whom: ${against}.`) : null,
    ),
  );
}
