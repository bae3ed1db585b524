/** Mechanism: choose and tune it; its matrix, its exact price, and which definitions hold. */

import { debounce, Foreseen, inTurn, latest, type MechanismAnswer, post, type Verdict } from "../api";
import { chart } from "../chart";
import { iconKey, icons, roundTicks, twoCurves } from "../curves";
import { type Child, facts, figure, h, replace, table } from "../dom";
import { deltaField, picker } from "../picker";
import { Answer, assumptions, Frame, type Place, type View } from "../view";
import { brief, capital, exactly, guess, guessed, numeral, percent, short } from "../words";

export const mechanism: View = {
  name: "mechanism",
  tab: "Mechanism",
  title: "What does a mechanism give away?",
  intro:
    "A mechanism turns a database into something that is published. Its price says how much " +
    "better anyone can tell two neighbouring databases apart.",
  mount,
};

/** Milliseconds without a move after which the hand rests. */
const REST = 200;

function mount(root: HTMLElement, place: Place): void {
  const ask = inTurn(go);
  const known = new Foreseen<MechanismAnswer>("mechanism");
  const accepted = deltaField(place.params.get("delta"), () => chosen.value(), ask, (given) =>
    known.near(given.map((one) => wanted(chosen.value(), one))),
  );
  const chosen = picker(
    place.params.get("mechanism"),
    () => ask(),
    (texts) => known.near(texts.map((text) => wanted(text, accepted.given()))),
    [],
    accepted.root,
  );
  const fields = { mechanism: chosen.field, delta: accepted };
  const frame = new Frame(root, "Choose and tune", fields, chosen.root);
  const figures = icons();
  const second = latest();
  const judge = debounce(REST, judgeNow);
  let answered = {}; // what the shown price is of
  const claims = new Answer();
  const pending = h("p", { class: "status", role: "status" });
  const section = h(
    "section",
    { class: "standings" },
    h("h2", {}, "Which definitions hold, and which fail against whom"),
    h(
      "p",
      { class: "caption" },
      "Asked at the price and the delta above, or at ratio 3 where no price is finite. " +
        "What takes no delta is asked without one.",
    ),
    pending,
    claims.root,
  );
  section.hidden = true;
  frame.answer.root.after(section);

  const wanted = (mechanism: string, given: { delta?: string }): Record<string, unknown> => ({
    mechanism,
    ...given,
    definitions: false,
  });

  function go(): Promise<void> {
    const text = chosen.value();
    const body = { mechanism: text, ...accepted.given() };
    place.save({ mechanism: text, delta: accepted.picked() });
    claims.wait();
    frame.recipes.show("measure", body, { path: "mechanism", body });
    return frame.ask(
      async (signal) => {
        try {
          return await known.ask(wanted(text, accepted.given()), signal);
        } catch (error) {
          claims.fail();
          throw error;
        }
      },
      (found) => {
        frame.sentence.textContent = found.price.sentence;
        replace(frame.result, ...stated(found));
        frame.answer.show(...described(found));
        section.hidden = false;
        answered = body;
        judge();
        if (accepted.needed(found.price)) ask();
      },
    );
  }

  /** The price in numbers, and as people who are guessed right. */
  function stated(found: MechanismAnswer): Child[] {
    const { price, profile: curve } = found;
    const pair = price.witness?.databases;
    const chance = curve?.epsilon[0] === 0 ? (1 + (curve.delta[0] ?? 0)) / 2 : null;
    if (chance !== null) figures.show(guess(chance), chance);
    return [
      facts([
        ["Guessed right at even odds", chance === null ? null : guessed(chance, worded(price))],
        ["Price, epsilon", priced(price)],
        ["Ratio, e to the epsilon", numeral(price.ratio)],
        ["Delta", numeral(price.delta)],
        ["Told apart best", pair && price.epsilon?.value !== 0 ? brief(`${pair[0]} from ${pair[1]}`) : null],
      ]),
      chance === null ? null : h("div", { class: "guessed" }, figures.root, iconKey()),
    ];
  }

  /** The list of definitions takes longer than the rest, and follows when the hand rests. */
  function judgeNow(): void {
    if (!claims.root.hasChildNodes()) pending.textContent = "Asking each definition …";
    void second(
      (signal) => post<MechanismAnswer>("mechanism", { ...answered, curves: false }, signal),
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

  ask();
}

/** Whether the sentence puts a word to the protection, which it does not where all may be given away. */
const worded = ({ sentence }: Verdict): boolean => sentence.includes("protection");

/** The price; where only a delta is missing, the way to a finite one. */
function priced({ epsilon, delta }: Verdict): string {
  const wanting = epsilon?.exact === "inf" && delta?.value === 0;
  return wanting ? "infinite: move delta above 0" : numeral(epsilon);
}

function described(found: MechanismAnswer): Child[] {
  const { price } = found;
  const pair = price.witness?.databases;
  const chances = price.witness?.probabilities;
  const apart = capital(price.witness?.event_in_words ?? "");
  return [
    h(
      "div",
      { class: "figures" },
      laws(found),
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
                brief(
                  `${apart}: probability ${numeral(chances[0])} on ${pair[0]}, ${numeral(chances[1])} on ${pair[1]}.`,
                ),
              ),
            )
          : null,
        assumptions([...(price.assumptions ?? []), ...(price.notes ?? [])]),
      ),
    ),
  ];
}

/** The two worlds that are told apart best, where outputs lie on a line. */
function laws(found: MechanismAnswer): HTMLElement | null {
  if (!found.laws?.line) return null;
  const { databases, outputs, values, density } = found.laws;
  const [a = databases[0] ?? "", b = databases[1] ?? ""] = found.price.witness?.databases ?? [];
  const column = (label: string): number[] =>
    values.map((row) => row[Math.max(0, databases.indexOf(label))] ?? 0);
  const xs = outputs.map(Number);
  const [yes, no] = [column(a), column(b)];
  const curves = twoCurves("Two curves of how likely each output is; the numbers follow as a table", {
    with: brief(`on ${a}`),
    without: brief(`on ${b}`),
  });
  const ticks = roundTicks(xs[0] ?? 0, xs.at(-1) ?? 1).map((x) => ({ x, words: short(x) }));
  curves.show({ xs, with: yes, without: no, ticks, axis: "output" });
  return figure(
    "The two worlds",
    `How likely each output is on the two databases that are told apart best${density ? " (densities)" : ""}.`,
    curves.root,
    () =>
      table(
        density ? "Density at each output" : "P(output | database) along the line",
        ["output", brief(a), brief(b)],
        outputs.map((output, i) => [output, short(yes[i] ?? 0), short(no[i] ?? 0)]),
      ),
  );
}

function matrix(found: MechanismAnswer): HTMLElement | null {
  const few = !found.matrix && found.laws && !found.laws.line && !found.laws.exact ? found.laws : null;
  const { databases, outputs } = few ?? found;
  const rows =
    found.matrix ?? few?.values.map((row) => row.map((value) => ({ exact: null, value }))) ?? [];
  if (rows.length === 0) return null;
  const written = rows.map((row) => row.map(exactly));
  const values = rows.map((row) => row.map((cell) => cell.value ?? 0));
  const outside = found.window
    ? " Outputs and databases go on without end; these are the middle."
    : "";
  return figure(
    "Matrix",
    few
      ? "How likely each output is on the two databases that are told apart best."
      : `How likely each output is on each database: ${outputs.length} outputs, ${databases.length} databases.${outside}`,
    chart("Heat map of the matrix; the numbers follow as a table", (pictures, width) =>
      pictures.heatMap(width, databases, outputs, values, written),
    ),
    () =>
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
  const price = found.price.epsilon?.value ?? null;
  return figure(
    "Privacy profile",
    "The probability delta that is left over when only a smaller epsilon is promised.",
    chart("Curve of delta over epsilon; the numbers follow as a table", (pictures, width) =>
      pictures.profile(width, epsilon, delta, price),
    ),
    () =>
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
    brief(curve.sentence),
    chart("Curve of misses over false alarms; the numbers follow as a table", (pictures, width) =>
      pictures.tradeOff(width, curve.points),
    ),
    () =>
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
    h("code", { title: one.definition }, brief(one.definition)),
    h(
      "div",
      {},
      h("p", {}, brief(one.why ? capital(one.why) : one.sentence)),
      against ? h("p", { class: "hint" }, brief(`Against whom: ${against}.`)) : null,
    ),
  );
}
