import { describe, expect, it, vi } from "vitest";

import { ask, Foreseen, inTurn, type MechanismAnswer } from "../src/api";
import { lawsOf, mostMoved, priorCurve, sceneOf, settle, view } from "../src/attacker";
import { python, quoted, readCall, withArgument, writeCall } from "../src/calls";
import { Fraction } from "../src/fraction";
import { readPeople } from "../src/posterior";
import {
  capital,
  chanceWords,
  costWords,
  conditional,
  exactly,
  numeral,
  odds,
  percent,
  plural,
  short,
} from "../src/words";

const numbers = (rows: string[][]): MechanismAnswer["matrix"] =>
  rows.map((row) =>
    row.map((exact) => ({ exact, value: (Fraction.read(exact) as Fraction).value })),
  );

const coin = {
  universe: "bits(1)",
  window: false,
  databases: ["1", "0"],
  outputs: ["1", "0"],
  matrix: numbers([
    ["3/4", "1/4"],
    ["1/4", "3/4"],
  ]),
} as unknown as MechanismAnswer;

describe("a question that follows a slider", () => {
  it("is asked at once, one at a time, and last of all as things stand", async () => {
    const asked: number[] = [];
    const open: (() => void)[] = [];
    let place = 0;
    const ask = inTurn(() => {
      asked.push(place);
      return new Promise<void>((done) => open.push(done));
    });
    for (place = 1; place <= 5; place += 1) ask();
    expect(asked).toEqual([1]);
    place = 5;
    open.pop()?.();
    await Promise.resolve();
    expect(asked).toEqual([1, 5]);
    open.pop()?.();
    await Promise.resolve();
    ask();
    expect(asked).toEqual([1, 5, 5]);
  });
});

describe("fractions", () => {
  it.each([
    ["3/4", "3/4"],
    ["6/8", "3/4"],
    ["0.75", "3/4"],
    ["1e-6", "1/1000000"],
    [" -2 ", "-2"],
    ["2.5e1", "25"],
    [".5", "1/2"],
  ])("reads %s", (text, expected) => {
    expect(String(Fraction.read(text))).toBe(expected);
  });

  it.each(["ln 3", "", "1/0", "3/", "one", "1e9999", "inf"])("refuses %j", (text) => {
    expect(Fraction.read(text)).toBeNull();
  });

  it("adds, multiplies and divides exactly", () => {
    const third = new Fraction(1n, 3n);
    expect(String(third.plus(third).plus(third))).toBe("1");
    expect(String(third.over(new Fraction(2n)))).toBe("1/6");
    expect(() => third.over(Fraction.zero)).toThrow(RangeError);
  });

  it("has a nearest double even where its parts have none", () => {
    const huge = 10n ** 400n;
    expect(new Fraction(3n * huge, 4n * huge + 1n).value).toBeCloseTo(0.75, 12);
  });
});

describe("what is asked for ahead of the hand", () => {
  const answerWith = (status: (body: string) => number): string[] => {
    const asked: string[] = [];
    vi.stubGlobal("fetch", (_: string, { body }: { body: string }) => {
      asked.push(body);
      return Promise.resolve(new Response(body, { status: status(body) }));
    });
    return asked;
  };
  const signal = new AbortController().signal;

  it("is asked once, the nearest first, and never again", async () => {
    const asked = answerWith(() => 200);
    const known = new Foreseen<number>("mechanism");
    await known.near([3, 2, 4]);
    await known.near([4, 5]);
    expect(asked).toEqual(["3", "2", "4", "5"]);
    expect(await known.ask(2, signal)).toBe(2);
    expect(asked.length).toBe(4);
    expect(await known.ask(9, signal)).toBe(9); // nobody foresaw it
    expect(asked.length).toBe(5);
  });

  it("ends where the service fails, and goes on where it refuses", async () => {
    const asked = answerWith((body) => (body === "2" ? 400 : body === "4" ? 503 : 200));
    await new Foreseen<number>("mechanism").near([3, 2, 4, 5]);
    expect(asked).toEqual(["3", "2", "4"]);
  });

  it("is asked anew when it is too old, or was forgotten", async () => {
    const asked = answerWith(() => 200);
    const old = new Foreseen<number>("mechanism", 0);
    await old.near([1]);
    await old.ask(1, signal);
    const known = new Foreseen<number>("mechanism");
    await known.near([1]);
    known.forget();
    await known.ask(1, signal);
    expect(asked.length).toBe(4);
  });
});

describe("words", () => {
  it("never calls certain what is not", () => {
    expect(percent(1)).toBe("100%");
    expect(percent(0.9999999999)).toBe("just below 100%");
    expect(percent(1e-12)).toBe("just above 0%");
    expect(percent(0.9996)).toBe("99.96%");
    expect(percent(0)).toBe("0%");
  });

  it("says odds both ways", () => {
    expect(odds(0.75)).toBe("3 to 1");
    expect(odds(0.25)).toBe("1 to 3");
    expect(odds(0.5)).toBe("1 to 1");
    expect(odds(0.3)).toBe("3 to 7");
    expect(odds(9 / 16)).toBe("9 to 7");
    expect(odds(0.335)).toBe("1 to 1.985");
    expect(odds(0.999)).toBe("999 to 1");
    expect(odds(1)).toBe("certain");
    expect(odds(0)).toBe("impossible");
    expect(odds(1 - Number.EPSILON / 2, 1e20)).toBe("1e20 to 1");
    expect(odds(Number.MIN_VALUE, 0)).toBe("1 to more than 1e100");
  });

  it("says costs as they are chosen, and exactly", () => {
    expect(costWords({ epsilon: { exact: "1/4", value: 0.25 } })).toBe("epsilon 0.25");
    expect(costWords({ rho: { exact: "1/3", value: 1 / 3 } })).toBe("rho 1/3");
    expect(costWords({ epsilon: { exact: "ln 3", value: 1.0986 } })).toBe("epsilon ln 3");
  });

  it("shows exact numbers with their decimals", () => {
    expect(numeral({ exact: "ln 3", value: 1.0986122886681098 })).toBe("ln 3 (1.0986)");
    expect(numeral({ exact: "2", value: 2 })).toBe("2");
    expect(numeral({ exact: "inf", value: null })).toBe("infinite");
    expect(numeral({ exact: null, value: 0.5 })).toBe("0.5");
    expect(numeral({ exact: "e^1000", value: null, lower: 1.7e308 })).toBe("e^1000");
    expect(exactly({ exact: "e^123456789012", value: null, lower: 1.7e308 })).toBe("e^123456789012");
    expect(numeral({ exact: null, value: null, lower: 1.7e308 })).toBe("above 1e308");
    expect(numeral({ exact: "1/2*e^(-1000)", value: 5e-324 })).toBe("1/2*e^(-1000) (below 1e-300)");
    expect(exactly({ exact: `1/${10n ** 400n}`, value: 0 })).toBe("below 1e-300");
    expect(numeral({ exact: "0", value: 0 })).toBe("0");
    expect(chanceWords(new Fraction(3n, 4n))).toBe("3/4 (75%)");
    expect(short(1234567.8)).toBe("1,234,568");
    expect(short(26282.93, 4, "down")).toBe("26,282");
    expect(short(31800.25, 4, "up")).toBe("31,801");
    expect(short(17 / 3, 6, "down")).toBe("5.66666");
    expect(short(-12.3456, 4, "down")).toBe("-12.35");
    expect(short(-12.3456, 4, "up")).toBe("-12.34");
    expect(short(9999.5, 4, "up")).toBe("10,000");
    expect(short(12, 4, "down")).toBe("12");
    expect(short(0.0000012)).toBe("0.0000012");
    expect(short(0.00000012)).toBe("1.2e-7");
    expect(short(0.000079206, 5)).toBe("0.000079206");
  });
});

describe("sentences", () => {
  it("are parted into what is assumed, what follows, and what ends it", () => {
    const found = conditional("If nobody knows 3, then odds stay. What breaks it: knowing 3.");
    expect(found).toEqual({
      assumption: "If nobody knows 3:",
      claim: "Odds stay.",
      rest: "What breaks it: knowing 3.",
    });
  });

  it("stay whole where nothing is assumed", () => {
    expect(conditional("Odds stay.")).toEqual({ assumption: "", claim: "Odds stay.", rest: "" });
    expect(conditional("").claim).toBe("");
  });

  it("have capitals and plurals", () => {
    expect(capital("output 11")).toBe("Output 11");
    expect(capital("")).toBe("");
    expect(plural(1, "person", "people")).toBe("1 person");
    expect(plural(1200, "row")).toBe("1,200 rows");
    expect(exactly({ exact: "ln 3", value: 1.0986 })).toBe("ln 3");
    expect(exactly({ exact: null, value: 1.09861 })).toBe("1.099");
    expect(exactly({ exact: "inf", value: null })).toBe("infinite");
  });
});

describe("calls", () => {
  it("reads a call and writes it with one number changed", () => {
    const call = readCall("randomized-response(bits=2, keep=3/4)");
    if (!call) throw new Error("it is a call");
    expect(call.parts).toEqual([
      { name: "bits", value: "2" },
      { name: "keep", value: "3/4" },
    ]);
    expect(writeCall(withArgument(call, "keep", "0.9"))).toBe(
      "randomized-response(bits=2, keep=0.9)",
    );
  });

  it("keeps calls within calls whole", () => {
    const call = readCall(
      "mix(randomized-response(bits=2, keep=3/4), constant(bits=2), weight=1/2)",
    );
    expect(call?.parts.map((part) => part.name)).toEqual([null, null, "weight"]);
  });

  it.each(["mix(a", "mix)a(", "", "a b", "f(x]"])("refuses %j", (text) => {
    expect(readCall(text) === null || text === "f(x]").toBe(true);
  });

  it("quotes for a shell and for Python", () => {
    expect(quoted("geometric(ratio=2)")).toBe('"geometric(ratio=2)"');
    expect(quoted('a "b" $c `d`')).toBe('"a \\"b\\" \\$c \\`d\\`"');
    expect(quoted("1=1")).toBe("1=1");
    expect(python('say "x"')).toBe('"say \\"x\\""');
  });
});

describe("people", () => {
  it("finds the records in labels", () => {
    const people = readPeople(["11", "10", "01", "00"]);
    expect(people?.count).toBe(2);
    expect(people?.fallback).toBe("0");
    expect(people?.without).toEqual([
      [2, 3, 2, 3],
      [1, 1, 3, 3],
    ]);
  });

  it("reads labels with separators", () => {
    const people = readPeople(["north|a", "north|north", "a|a", "a|north"]);
    expect(people?.values).toEqual(["north", "a"]);
  });

  it("refuses what is no full product", () => {
    expect(readPeople(["11", "10", "01"])).toBeNull();
    expect(readPeople(["1", "10"])).toBeNull();
    expect(readPeople([])).toBeNull();
  });
});

describe("the attacker's scene", () => {
  const scene = sceneOf(coin);
  if (!scene) throw new Error("there is a table");

  it("moves even odds to 3 to 1 with you, and not at all without", () => {
    const at = settle(scene, { output: "1" }, null);
    const [side] = view(scene, at);
    expect(side).toMatchObject({ prior: 0.5, with: 0.75, without: 0.5, likely: 0.5 });
    expect(String(scene.exactly(at)?.with)).toBe("3/4");
    expect(String(scene.exactly(at)?.apart)).toBe("1/4");
    expect(scene.belief(at)).toBe("independent(0.5)");
  });

  it("gives the same numbers in doubles and in fractions, wherever the slider is", () => {
    for (let you = 0; you <= 1; you += 0.125) {
      const at = settle(
        scene,
        { you: String(you), mode: "two", a: "1", b: "0", output: "0" },
        null,
      );
      const exact = scene.exactly(at);
      const side = view(scene, at)[1];
      expect(side?.with).toBeCloseTo(exact?.with?.value ?? NaN, 12);
      expect(side?.without).toBeCloseTo(exact?.without?.value ?? NaN, 12);
      expect(scene.belief(at)).toBe(`explicit(1=${you}, 0=${1 - you})`);
    }
  });

  it("draws what follows for every belief, through where one is", () => {
    const at = settle(scene, { output: "1" }, null);
    const curve = priorCurve(scene, at, 4);
    expect(curve.map((side) => side.prior)).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(curve[2]).toEqual(view(scene, at)[0]);
    expect(priorCurve(scene, { ...at, output: 99 })).toEqual([]);
  });

  it("finds the output that moves the odds most", () => {
    const at = settle(scene, { output: "1" }, null);
    const found = mostMoved(view(scene, at));
    expect(found?.factor).toBeCloseTo(3, 12);
    const ratio = (p: number | null): number | null => p && p / (1 - p);
    const moved = (yes: number | null, no: number | null): ReturnType<typeof mostMoved> => {
      const odds = { with: ratio(yes), without: ratio(no) };
      return mostMoved([{ likely: 1, prior: 0.5, with: yes, without: no, odds }]);
    };
    expect(moved(0.5, 0.5)).toBeNull();
    expect(moved(null, 0.5)).toBeNull();
    expect(moved(0.5, null)?.factor).toBe(Infinity);
    expect(moved(1, 0.5)?.factor).toBe(Infinity);
    expect(moved(0, 0.5)?.factor).toBe(Infinity);
  });

  it.each([
    ["1", `1/${10n ** 20n}`],
    [`1/${10n ** 400n}`, `1/${10n ** 800n}`],
  ])("calls %s against %s certain neither way", (likelier, rarer) => {
    const matrix = numbers([
      [likelier, rarer],
      [rarer, likelier],
    ]);
    const extreme = sceneOf({ ...coin, matrix });
    if (!extreme) throw new Error("there is a table");
    const sides = view(extreme, settle(extreme, {}, null));
    expect(percent(sides[0]?.with as number)).toBe("just below 100%");
    expect(percent(sides[1]?.with as number)).toBe("just above 0%");
    expect(sides[0]?.likely).toBeGreaterThan(0);
    const found = extreme.exactly(settle(extreme, { output: "1" }, null));
    expect(chanceWords(found?.with as Fraction)).toBe("just below 100%");
  });

  it("calls certain what is", () => {
    const matrix = numbers([
      ["1/3", "0"],
      ["2/3", "1"],
    ]);
    const sure = sceneOf({ ...coin, matrix });
    if (!sure) throw new Error("there is a table");
    expect(view(sure, settle(sure, {}, null))[0]?.with).toBe(1);
  });

  it("leaves out what an address says wrongly", () => {
    const at = settle(
      scene,
      { you: "7", person: "99", a: "nobody", output: "?", value: "x" },
      null,
    );
    expect(at).toMatchObject({ you: 0.5, person: 0, a: "1", output: 0, value: "1" });
  });

  it("has no people where databases are answers", () => {
    const answers = sceneOf({ ...coin, universe: "integers(0, 1)" });
    expect(answers?.people).toBeNull();
    if (answers) expect(settle(answers, {}, null).mode).toBe("two");
  });

  it("has nothing to show without a table", () => {
    expect(sceneOf({ ...coin, matrix: null })).toBeNull();
  });

  it("takes a few of very many outputs, with their exact numbers", () => {
    const exact = numbers([["9/16", "1/16"]]);
    const laws = { databases: ["1", "0"], outputs: ["(1; 1)"], values: [], line: false };
    const scene = sceneOf({ ...coin, matrix: null, laws: { ...laws, exact, density: false } });
    if (!scene) throw new Error("there are laws");
    const at = settle(scene, { you: "0.5", output: "(1; 1)" }, null);
    expect(scene.some && scene.part).toBe(true);
    expect(scene.exactly(at)?.with?.toString()).toBe("9/10");
  });

  it("takes densities of outputs on a line for its table", () => {
    const outputs = ["-1", "0", "1", "2"];
    const around = (y: number, x: number): number => Math.exp(-Math.abs(y - x)) / 2;
    const values = outputs.map((y) => [around(Number(y), 1), around(Number(y), 0)]);
    const laws = { databases: ["1", "0"], outputs, values, exact: null, line: true, density: true };
    const people = sceneOf({ ...coin, matrix: null, laws });
    const answers = sceneOf({ ...coin, universe: "reals()", matrix: null, laws });
    if (!people || !answers) throw new Error("there are laws");
    const at = settle(people, {}, null);
    expect(people.outputs[at.output]).toBe("1");
    const sides = view(people, at);
    expect(sides[2]?.with).toBeCloseTo(Math.E / (1 + Math.E), 12);
    expect(sides[2]?.without).toBeCloseTo(0.5, 12);
    expect(lawsOf(people, at)).toEqual({
      with: values.map(([yes]) => yes),
      without: values.map(([, no]) => no),
    });
    const two = settle(answers, { output: "0" }, null);
    expect(view(answers, two)[two.output]?.with).toBeCloseTo(1 / (1 + Math.E), 12);
    expect(answers.exactly(two)).toBeNull();
    expect(answers.density && answers.part).toBe(true);
  });
});

describe("a service that does not answer", () => {
  it("may have charged a release, and then answers it at no further cost", async () => {
    vi.stubGlobal("sessionStorage", { getItem: () => null });
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no connection")));
    await expect(ask("POST", "plan", {})).rejects.toThrow(/`twoworlds serve`\.$/);
    await expect(ask("POST", "release", {})).rejects.toThrow(/charged, .* costs nothing more\.$/);
    vi.unstubAllGlobals();
  });
});
