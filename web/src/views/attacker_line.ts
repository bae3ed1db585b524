/** Outputs on a line, such as noisy numbers: the two laws, and what each output makes anyone conclude. */

import { lawsOf, type Scene } from "../attacker";
import { roundTicks, twoCurves } from "../curves";
import { figure, h } from "../dom";
import { short } from "../words";
import type { OutputTable } from "./attacker_table";

const LEVELS = [0, 0.5, 1].map((y) => ({ y, words: `${100 * y}%` }));

export function outputLine(scene: Scene): OutputTable {
  const xs = scene.line ?? [];
  const worlds = scene.people
    ? { with: "with your data", without: "without your data" }
    : { with: "on database A", without: "on database B" };
  const laws = twoCurves("Two curves of how likely each output is", worlds);
  const concluded = twoCurves("Curves of what each output makes anyone conclude", {
    with: scene.people ? "with your data" : "after the output",
    without: scene.people ? "without your data" : "before",
  });
  concluded.root.classList.add("lines");
  const ticks = roundTicks(xs[0] ?? 0, xs.at(-1) ?? 1).map((x) => ({ x, words: short(x) }));
  return {
    root: h(
      "div",
      { class: "figures" },
      figure(
        "What may be published",
        scene.people
          ? "How likely each number is if the claim about you is true. The line is the published number."
          : "How likely each number is in the two worlds. The line is the published number.",
        laws.root,
      ),
      figure("What each output makes of it", "How likely the claim is after each number.", concluded.root),
    ),
    show(sides, chosen, at) {
      const here = xs[chosen];
      laws.show({ xs, ...lawsOf(scene, at), ticks, at: here });
      concluded.show({
        xs,
        with: sides.map((side) => side.with ?? 0),
        without: sides.map((side) => (scene.people ? side.without : side.prior) ?? 0),
        ticks,
        levels: LEVELS,
        at: here,
      });
    },
    rest() {},
  };
}
