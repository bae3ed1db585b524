/** Home: one slider, and what it does to the published number, to a guesser, and to the table. */

import { icons, iconKey, twoCurves } from "../curves";
import { h, replace, slider } from "../dom";
import { lead, type Place, type View } from "../view";
import { guess, guessSentence, LOST, percent, short, strength } from "../words";
import { attackStory } from "./home_attack";

export const home: View = {
  name: "home",
  tab: "Home",
  title: "You are one of 6,000 patients.",
  intro:
    "A made-up hospital publishes how many patients live in each region, and adds noise to every number. " +
    "Move the slider, and see what anyone can tell about you, and how exact the table is.",
  mount,
};

/** The made-up hospital that comes with the program, by region; you live in the west. */
export const REGIONS: readonly (readonly [string, number])[] = [
  ["north", 1542],
  ["south", 1361],
  ["east", 999],
  ["west", 867],
  ["coast", 650],
  ["hills", 404],
  ["islands", 177],
];
const YOURS = "west";
const COUNT = 867;
const AROUND = 15;
const WIDEST = 0.1; // how far off a number is drawn, as a share of it
const [LEAST, MOST, STEPS] = [0.01, 10, 300];
const USUAL = 0.5;

const STRENGTH = {
  strong: "strong protection",
  moderate: "moderate protection",
  weak: "weak protection",
  none: "practically no protection",
};

/** The slider runs evenly over the logarithm; two figures are kept. */
const epsilonAt = (place: number): number =>
  Number((LEAST * (MOST / LEAST) ** (place / STEPS)).toPrecision(2));
const placeOf = (epsilon: number): number =>
  Math.round((STEPS * Math.log(epsilon / LEAST)) / Math.log(MOST / LEAST));

function mount(root: HTMLElement, place: Place): void {
  const given = Number(place.params.get("epsilon"));
  let epsilon = given >= LEAST && given <= MOST ? given : USUAL;
  const sentence = lead();
  const word = h("p", { class: "strength" });
  const curves = twoCurves(
    "Two curves: how likely each published number is, with you and without you",
    { with: `with you: ${COUNT} in the ${YOURS}`, without: `without you: ${COUNT - 1}` },
  );
  const figures = icons();
  const rows = REGIONS.map(([name, count]) => regionRow(name, count));
  const within = h("p", { class: "caption" });
  const dial = slider({
    label: "Privacy loss (epsilon)",
    least: 0,
    most: STEPS,
    step: 1,
    value: placeOf(epsilon),
    show: (at) => String(epsilonAt(at)),
    oninput: (at) => {
      epsilon = epsilonAt(at);
      place.save({ epsilon });
      show();
    },
  });

  function show(): void {
    const chance = chanceOfGuess(epsilon);
    const [before = "", most = "", after = ""] = guessSentence(chance).split(/(at most [\d,]+)/);
    replace(sentence, before, most && h("span", { class: "with" }, most), after);
    word.textContent = STRENGTH[strength(chance)];
    word.className = `strength ${strength(chance)}`;
    figures.show(guess(chance), chance);
    const xs = Array.from({ length: 2 * AROUND + 2 }, (_, i) => COUNT - 1 - AROUND + i);
    curves.show({
      xs,
      with: xs.map((x) => noiseMass(epsilon, x - COUNT)),
      without: xs.map((x) => noiseMass(epsilon, x - COUNT + 1)),
      ticks: [-10, 0, 10].map((away) => ({ x: COUNT + away, words: String(COUNT + away) })),
      axis: "published number",
    });
    const w = halfWidth(epsilon);
    within.textContent = `95 of 100 published numbers lie within ±${short(w)} of the true one. A bar shows how far off that is; one that fades goes on. The true counts below are made up: a real table shows noisy ones only.`;
    for (const row of rows) row.show(w);
  }

  root.classList.add("home");
  root.append(
    h(
      "section",
      { class: "opening", "aria-label": "One slider, three pictures" },
      sentence,
      h(
        "div",
        { class: "panels" },
        panel(
          "The published number",
          "How likely each number is for your region. The more the curves overlap, the less they tell about you.",
          curves.root,
        ),
        panel("What a guesser gets right", "", iconKey(), figures.root),
        panel(
          "The table",
          within,
          h(
            "div",
            { class: "regions" },
            ...rows.map((row) => row.root),
            h(
              "div",
              { class: "region axis", "aria-hidden": "true" },
              h("span", {}),
              h("span", {}, h("span", {}, `−${percent(WIDEST)}`), h("span", {}, `+${percent(WIDEST)}`)),
            ),
          ),
        ),
      ),
      h(
        "form",
        { class: "dial", "aria-label": "How much noise", onsubmit: (e) => e.preventDefault() },
        dial.root,
        h(
          "div",
          { class: "ends" },
          h("span", { "aria-hidden": "true" }, "more noise"),
          word,
          h("span", { "aria-hidden": "true" }, "less noise"),
        ),
      ),
    ),
    attackStory(),
    doors(),
  );
  show();
}

function panel(title: string, caption: string | HTMLElement, ...body: HTMLElement[]): HTMLElement {
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, title),
    typeof caption === "string" ? caption && h("p", { class: "caption" }, caption) : caption,
    ...body,
  );
}

function regionRow(name: string, count: number): { root: HTMLElement; show(w: number): void } {
  const bar = h("i", { class: "bar" });
  const dot = h("i", { class: "dot" });
  const words = h("span", { class: "value" });
  const root = h(
    "div",
    { class: "region" },
    h("span", {}, name === YOURS ? `${name} (you)` : name),
    h("span", { class: "span", "aria-hidden": "true" }, bar, dot),
    words,
  );
  return {
    root,
    show(w) {
      const lost = w >= count;
      const half = 50 * Math.min(w / count / WIDEST, 1);
      bar.style.left = `${50 - half}%`;
      bar.style.width = `${2 * half}%`;
      bar.classList.toggle("cut", w / count > WIDEST);
      words.textContent = `${short(count)} ± ${short(w)}`;
      root.classList.toggle("lost", lost);
      root.title = lost ? LOST : "";
    },
  };
}

function doors(): HTMLElement {
  const door = (role: string, name: string, view: string, words: string): HTMLElement =>
    h(
      "a",
      { class: "door", href: `#/${view}` },
      h("span", { class: "role" }, role),
      h("strong", {}, name),
      h("span", {}, words),
    );
  return h(
    "section",
    { "aria-labelledby": "doors" },
    h("h2", { id: "doors" }, "What brings you here?"),
    h(
      "div",
      { class: "doors" },
      door(
        "I publish statistics",
        "Release",
        "release",
        "Plan a query, see its error and what it gives away, then publish it within a budget.",
      ),
      door(
        "I approve releases",
        "Review",
        "review",
        "See what was released about these people, and what all of it together lets anyone learn.",
      ),
      door(
        "I want to understand",
        "Learn",
        "mechanism",
        "Take a mechanism apart, be the attacker, and read what is guaranteed and what is not.",
      ),
    ),
  );
}

// --- geometric noise on a count, as the release engine draws it: P(Z = z) is proportional to
// e^(-epsilon |z|), and one person moves the count by 1. The Python package computes the same numbers:
// tests/vectors/noise.json

/** How often a guess at even odds is right, at most: (1 + gap at ratio 1) / 2 = r / (1 + r). */
export function chanceOfGuess(epsilon: number): number {
  return 1 / (1 + Math.exp(-epsilon));
}

/** The probability that the noise is z. */
export function noiseMass(epsilon: number, z: number): number {
  const a = Math.exp(-epsilon);
  return ((1 - a) / (1 + a)) * a ** Math.abs(z);
}

/** The least w with P(|Z| <= w) >= 95%: P(|Z| > w) = 2 a^(w + 1) / (1 + a). */
export function halfWidth(epsilon: number, certainty = 0.95): number {
  const a = Math.exp(-epsilon);
  const w = Math.log(((1 - certainty) * (1 + a)) / 2) / -epsilon - 1;
  return Math.max(0, Math.ceil(w - 1e-9));
}
