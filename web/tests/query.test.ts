import { describe, expect, it } from "vitest";

import { shares } from "../src/budget";
import {
  aggregates,
  type Asked,
  columnsOf,
  type Dataset,
  firstAsked,
  groupable,
  readAsked,
  sqlOf,
} from "../src/query";

const column = (name: string, kind: string, more: object = {}): Dataset["columns"][number] => ({
  name,
  kind,
  bounds: null,
  keys: [],
  bins: [],
  grid: 0,
  ...more,
});

const people: Dataset = {
  name: "people",
  neighbours: "add-remove",
  unit: { person: null, rows: null, groups: null },
  columns: [
    column("region", "text", { keys: ["north", "south"] }),
    column("age", "integer", { bounds: ["0", "110"], bins: ["0", "18", "110"], grid: 111 }),
    column("income", "number", { bounds: ["0", "9"] }),
    column("member", "boolean"),
    column("born", "date"),
  ],
  public: [{ name: "regions", key: "code", columns: [column("zone", "text", { keys: ["sea"] })] }],
  budget: null,
  analysts: {},
};

const asked = (more: Partial<Asked> = {}): Asked => ({
  aggregates: ["COUNT(*)"],
  groups: [],
  lookups: {},
  conditions: [],
  ...more,
});

describe("what may be asked", () => {
  it("lists every aggregate that the policy allows", () => {
    expect(aggregates(people).map(([call]) => call)).toEqual([
      "COUNT(*)",
      "AVG(age)",
      "SUM(age)",
      "VAR_POP(age)",
      "MEDIAN(age)",
      "QUANTILE(age, 0.9)",
      "AVG(income)",
      "SUM(income)",
      "VAR_POP(income)",
    ]);
    const visits = { ...people, unit: { person: "region", rows: 4, groups: 2 } };
    expect(aggregates(visits).map(([call]) => call)).toContain("PEOPLE()");
  });

  it("groups by keys, by bins, and by a public table that is looked up", () => {
    expect(groupable(people, {})).toEqual(["region", "age"]);
    expect(groupable(people, { regions: "region" })).toEqual(["region", "age", "regions.zone"]);
    expect(groupable(people, { regions: "" })).toEqual(["region", "age"]);
  });

  it("keeps the column that identifies a person out of groups and conditions", () => {
    const visits = { ...people, unit: { person: "region", rows: 4, groups: 2 } };
    expect(columnsOf(visits, {}).map(([label]) => label)).not.toContain("region");
  });

  it("begins with a count in groups", () => {
    expect(sqlOf(people, firstAsked(people))).toBe(
      "SELECT region, COUNT(*) FROM people GROUP BY region",
    );
  });
});

describe("the SQL of a question", () => {
  it("has groups, aggregates and conditions", () => {
    const written = sqlOf(
      people,
      asked({
        aggregates: ["COUNT(*)", "AVG(age)"],
        groups: ["region"],
        conditions: [
          { column: "age", is: ">=", value: "18" },
          { column: "income", is: "IS NOT NULL", value: "" },
        ],
      }),
    );
    expect(written).toBe(
      "SELECT region, COUNT(*), AVG(age) FROM people WHERE age >= 18 AND income IS NOT NULL GROUP BY region",
    );
  });

  it("looks up a public table by its key", () => {
    const lookups = { regions: "region" };
    expect(sqlOf(people, asked({ lookups, groups: ["regions.zone"] }))).toBe(
      "SELECT regions.zone, COUNT(*) FROM people LEFT JOIN regions ON people.region = KEY(regions) GROUP BY regions.zone",
    );
  });

  it.each([
    ["region", "=", "o'hare", "region = 'o''hare'"],
    ["age", "<", " 18 ", "age < 18"],
    ["age", "=", "", "age = 0"],
    ["member", "=", "true", "member = TRUE"],
    ["born", ">", "2026-01-31", "born > DATE '2026-01-31'"],
  ])("writes %s %s %j as a constant of its kind", (label, is, value, expected) => {
    const conditions = [{ column: label, is, value }];
    expect(sqlOf(people, asked({ conditions }))).toBe(
      `SELECT COUNT(*) FROM people WHERE ${expected}`,
    );
  });

  it("quotes names that need it, and asks for a count where nothing is asked", () => {
    const odd = { ...people, name: "my people" };
    expect(sqlOf(odd, asked({ aggregates: [] }))).toBe('SELECT COUNT(*) FROM "my people"');
  });
});

describe("the bar of a budget", () => {
  const spent = {
    cap: "epsilon=4",
    spent: { epsilon: { exact: "1", value: 1 } },
    left: { epsilon: { exact: "3", value: 3 } },
  };

  it("shows what is left and what the next answer takes", () => {
    expect(shares(spent, { epsilon: 1 })).toMatchObject({ rest: 0.5, going: 0.25, over: false });
    expect(shares(spent, { epsilon: 1 }).words).toBe("epsilon 3 left of 4");
  });

  it("is in rho where the cap is one, and says which delta is left", () => {
    const rho = { cap: "rho=1", spent: {}, left: { rho: { exact: "1", value: 1 } } };
    expect(shares(rho, { rho: 0.5 })).toMatchObject({ going: 0.5, words: "rho 1 left of 1" });
    expect(shares(rho, { epsilon: 3 })).toMatchObject({ going: 0, over: false });
    const delta = { ...spent, left: { ...spent.left, delta: { exact: "1e-7", value: 1e-7 } } };
    expect(shares(delta, {}).words).toBe("epsilon 3 left of 4, and delta 1e-7");
  });

  it("leaves a part no more than the dataset has", () => {
    const dataset = { cap: "epsilon=6", spent: {}, left: { epsilon: { exact: "1/2", value: 0.5 } } };
    const words = "epsilon 3 left of 4; the dataset has 0.5 left";
    expect(shares(spent, { epsilon: 0.5 }, dataset)).toMatchObject({ rest: 0, going: 0.125, words });
    expect(shares(spent, { epsilon: 1 }, dataset).over).toBe(true);
  });

  it("says what does not fit", () => {
    expect(shares(spent, { epsilon: 5 })).toMatchObject({ rest: 0, going: 0.75, over: true });
    expect(shares(spent, { epsilon: 5 }).words).toContain("would not fit");
    expect(shares(spent, { epsilon: -1 })).toMatchObject({ rest: 0.75, going: 0 });
  });
});

describe("a query that is read back", () => {
  it.each<Partial<Asked>>([
    {},
    { groups: ["region", "age"], aggregates: ["QUANTILE(age, 0.9)", "COUNT(*)", "AVG(income)"] },
    { conditions: [{ column: "age", is: ">=", value: "18" }] },
    {
      groups: ["regions.zone"],
      lookups: { regions: "region" },
      conditions: [
        { column: "region", is: "=", value: "o'north" },
        { column: "born", is: "<", value: "2001-01-01" },
        { column: "member", is: "=", value: "TRUE" },
        { column: "income", is: "IS NOT NULL", value: "" },
      ],
    },
  ])("fills the builder as it was: %j", (more) => {
    expect(readAsked(people, sqlOf(people, asked(more)))).toEqual(asked(more));
  });

  it("may have other spaces", () => {
    expect(readAsked(people, " SELECT COUNT(*)\n FROM people ")).toEqual(asked());
  });

  it.each([
    "",
    "SELECT",
    "SELECT COUNT(*) FROM persons",
    "SELECT COUNT(*) AS n FROM people",
    "SELECT MAX(age) FROM people",
    "SELECT COUNT(*) FROM people GROUP BY colour",
    "SELECT COUNT(*) FROM people WHERE age >= 18 OR age < 5",
    "SELECT COUNT(*) FROM people WHERE region = 'a AND b'",
    "SELECT COUNT(*) FROM people; DROP TABLE people",
  ])("is left alone where the builder never writes it: %j", (sql) => {
    expect(readAsked(people, sql)).toBeNull();
  });
});
