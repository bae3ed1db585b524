/** The second checker on small certificates; tests/report/test_second_checker.py compares it with
 * Python's on thousands. */

import { describe, expect, it } from "vitest";

import { exact, parse } from "../src/exact";
import { check, KINDS, sentence } from "../src/verify";

const MEMBER = { kind: "member", vector: [3, 1], generators: [[1, 0], [1, 1]], weights: [2, 1] };
const verdict = async (data: unknown): Promise<string> => (await check(JSON.stringify(data))).verdict;

describe("reading", () => {
  it("keeps whole numbers of any size, and the order of keys", () => {
    expect(parse("[9007199254740993, -0]")).toEqual([9007199254740993n, 0n]);
    expect([...(parse('{"1": 1, "0": 2}') as Map<string, unknown>).keys()]).toEqual(["1", "0"]);
  });

  it.each(["", "[1,]", "[01]", '{"a":1,"a":2}', "NaN", "[1] 2", '"\t"', "[1 2]", '{"a" 1}'])(
    "refuses %j",
    (text) => expect(() => parse(text)).toThrow(),
  );

  it.each(["3", "2/4", "1/1", "+1/2", "1/0", "-0", " 1/2", "1.5", "1/02"])(
    "reads no number from %j",
    (text) => expect(() => exact(text)).toThrow(),
  );

  it("reads fractions in lowest terms", () => {
    expect(exact("-3/4")).toEqual([-3n, 4n]);
  });
});

describe("verdicts", () => {
  it("tells what holds from what fails and from what is no certificate", async () => {
    expect(await verdict(MEMBER)).toBe("holds");
    expect(await verdict({ ...MEMBER, weights: [1, 1] })).toBe("fails");
    expect(await verdict({ ...MEMBER, weights: [2.5, 1] })).toBe("refused");
    expect(await verdict({ ...MEMBER, also: "private" })).toBe("refused");
    expect(await verdict({ kind: "all", parts: [MEMBER, { kind: "all", parts: [] }] })).toBe("refused");
  });

  it("never says that a release holds", async () => {
    const digest = "43c98d2b25ba63c1be6c2f6ec3ff7c5e5f1b8ab0f6e8bd9ac6bd02d8ff6a7b0f";
    const found = await check(JSON.stringify({ kind: "release", digest }));
    expect(found.verdict).toBe("fails");
    for (const kind of Object.keys(KINDS)) expect(kind).not.toBe("release");
  });

  it("says it in a sentence", async () => {
    expect(sentence(await check(JSON.stringify(MEMBER)))).toMatch(
      /^Checked in this browser: the certificate holds \(the vector is the sum/,
    );
    const refuted = { kind: "violates", vector: [1, 2], inequality: [1, -1] };
    expect(sentence(await check(JSON.stringify(refuted)))).toMatch(
      /^Checked in this browser: the claim is refuted, and the refutation holds \(the vector violates/,
    );
    expect(sentence({ verdict: "unjudged", kind: "release", said: "It is long", claim: "" })).toMatch(
      /^Not judged in this browser. It is long. twoworlds verify judges it/,
    );
  });

  it("says what the certificate is of, and that the words around it were not compared", async () => {
    const told = sentence(await check(JSON.stringify({ ...MEMBER, claim: "coin is dp(ratio=3)" })));
    expect(told).toContain("It describes itself as “coin is dp(ratio=3)”, which is not checked.");
    expect(told).toContain("the words around it were not compared with it.");
  });
});
