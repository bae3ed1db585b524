/** Mechanism: choose and tune it; its matrix, its exact price, and which definitions hold. */

import { debounce, latest, type MechanismAnswer, post } from "../api";
import { chart } from "../chart";
import { type Child, facts, figure, h, table } from "../dom";
import { picker } from "../picker";
import { Answer, assumptions, Frame, type Place, type View } from "../view";
import { capital, exactly, numeral, percent, short } from "../words";

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
  const ask = debounce(80, go);
  const chosen = picker(place.params.get("mechanism"), () => ask());
  const frame = new Frame(root, "Choose and tune", { mechanism: chosen.field }, chosen.root);
  const second = latest();
  const claims = new Answer();
  const pending = h("p", { class: "status", role: "status" });
  const section = h(
    "section",
    {},
    h("h2", {}, "Which definitions hold, and which fail against whom"),
    h(
      "p",
      { class: "caption" },
      "Asked at the mechanism's own price where it has one, else at ratio 3.",
    ),
    pending,
    claims.root,
  );
  section.hidden = true;
  frame.answer.root.after(section);

  function go(): void {
    const text = chosen.value();
    place.save({ mechanism: text });
    claims.wait();
    const body = { mechanism: text };
    frame.recipes.show("measure", body, { path: "mechanism", body });
    frame.ask(
      async (signal) => {
        try {
          return await post<MechanismAnswer>("mechanism", { ...body, definitions: false }, signal);
        } catch (error) {
          claims.fail();
          throw error;
        }
      },
      (found) => {
        frame.sentence.textContent = found.price.sentence;
        frame.answer.show(...described(found));
        section.hidden = false;
        judge(body);
      },
    );
  }

  /** The list of definitions takes longer than the rest, and follows it. */
  function judge(body: object): void {
    if (!claims.root.hasChildNodes()) pending.textContent = "Asking each definition …";
    void second(
      (signal) => post<MechanismAnswer>("mechanism", body, signal),
      (found) => {
        pending.textContent = "";
        claims.show(...groups(found.definitions ?? []));
      },
      (error) => {
        pending.textContent = error.message;
        claims.fail();
      },
    );
  }

  go();
}

function described(found: MechanismAnswer): Child[] {
  const { price } = found;
  const pair = price.witness?.databases;
  const chances = price.witness?.probabilities;
  const apart = capital(price.witness?.event_in_words ?? "");
  return [
    facts([
      ["Price, epsilon", numeral(price.epsilon)],
      ["Ratio, e to the epsilon", numeral(price.ratio)],
      ["Delta", numeral(price.delta)],
      ["Told apart best", pair && price.epsilon?.value !== 0 ? `${pair[0]} from ${pair[1]}` : null],
    ]),
    h(
      "div",
      { class: "figures" },
      matrix(found),
      profile(found),
      tradeOff(found),
      h(
        "div",
        { class: "stack" },
        apart && chances?.[0] && chances[1] && pair
          ? h(
              "section",
              { class: "assumes" },
              h("h2", {}, "What tells them apart"),
              h(
                "p",
                {},
                `${apart}: probability ${numeral(chances[0])} on ${pair[0]}, ${numeral(chances[1])} on ${pair[1]}.`,
              ),
            )
          : null,
        assumptions([...(price.assumptions ?? []), ...(price.notes ?? [])]),
      ),
    ),
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
  const made = figure(
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
  if (databases.length > 8) made.classList.add("whole");
  return made;
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

type Claim = NonNullable<MechanismAnswer["definitions"]>[number];

const GROUPS = [
  ["fails", "Fails", false],
  ["holds", "Holds", true],
  ["not", "Not decided", null],
] as const;

/** What fails comes first, since it is what one has to know. */
function groups(claims: readonly Claim[]): Child[] {
  return GROUPS.flatMap(([kind, title, holds]) => {
    const these = claims.filter((one) => one.holds === holds);
    if (these.length === 0) return [];
    return [
      h(
        "section",
        { "aria-label": title },
        h("h3", { class: `group ${kind}` }, title),
        h("ul", { class: "verdicts" }, ...these.map((one) => verdict(one, kind))),
      ),
    ];
  });
}

function verdict(one: Claim, kind: string): HTMLElement {
  const against = one.holds === false ? one.witness_in_words : null;
  return h(
    "li",
    { class: `verdict ${kind}` },
    h("code", {}, one.definition),
    h(
      "div",
      {},
      h("p", {}, one.sentence),
      against ? h("p", { class: "hint" }, `Against whom: ${against}.`) : null,
    ),
  );
}
