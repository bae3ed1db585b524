/** Release: build a query, see cost and expected error before paying, pay, read the answers. */

import { ask, debounce, latest, post, ServiceError, setToken, token } from "../api";
import { python, quoted } from "../calls";
import {
  button,
  checkField,
  type Child,
  facts,
  h,
  replace,
  selectField,
  slider,
  textField,
} from "../dom";
import { type Budget, budgetBar, type Spent } from "../budget";
import { type Asked, type Dataset, groupable, sqlOf, summable } from "../query";
import { answered, described, ledger, type Released } from "./release_parts";
import { Answer, controls, Errors, lead, type Place, Recipes, type View } from "../view";
import { exactly, type Numeral, short } from "../words";

export const release: View = {
  name: "release",
  tab: "Release",
  title: "Ask, and know what it costs",
  intro:
    "Private answers from the datasets of the policy. You see the price and the error before you " +
    "pay; what is paid is written down before the answer is shown.",
  mount,
};

interface Plan {
  cost: { epsilon?: Numeral };
  left: Record<string, { epsilon?: Numeral }>;
  errors: {
    name: string;
    kind: string;
    half_width: Numeral | null;
    ranks?: unknown;
    certainty: string;
  }[][];
  meaning: string[];
}

function mount(root: HTMLElement, place: Place): void {
  if (!token()) {
    entrance(root, place, null);
    return;
  }
  replace(root, h("p", { class: "hint", role: "status" }, "Reading the policy …"));
  enter(root, place).catch((error: ServiceError) => entrance(root, place, error));
}

async function enter(root: HTMLElement, place: Place): Promise<void> {
  const me = await ask<Me>("GET", "me"); // first, so that a wrong token is tried once only
  const [{ datasets }, budget] = await Promise.all([
    ask<{ datasets: Dataset[] }>("GET", "datasets"),
    ask<Budget>("GET", "budget"),
  ]);
  if (me.role === "reviewer") review(root, place, me, datasets, budget);
  else desk(root, place, me, datasets, budget);
}

interface Me {
  name: string;
  role: string;
}

/** A reviewer reads budgets, policies and the ledger, and asks nothing. */
function review(
  root: HTMLElement,
  place: Place,
  me: Me,
  datasets: Dataset[],
  budget: Budget,
): void {
  replace(
    root,
    who(root, place, me),
    ...budget.datasets.map((one) => budgetBar(`Budget of ${one.dataset}`, one, 0)),
    ledger(),
    ...datasets.map(described),
  );
}

function who(root: HTMLElement, place: Place, me: Me): HTMLElement {
  const forget = (): void => {
    setToken("");
    mount(root, place);
  };
  return h(
    "p",
    { class: "who" },
    `You are ${me.name} (${me.role}). `,
    button("Forget the token", forget, "plain"),
  );
}

/** Ask for a token; it stays in this tab and goes nowhere but to the service. */
function entrance(root: HTMLElement, place: Place, error: ServiceError | null): void {
  const field = textField({
    label: "Token",
    kind: "password",
    hint: "`twoworlds serve` prints one; `twoworlds account add NAME` makes more. It is kept in this tab only.",
  });
  const enter = (): void => {
    setToken(field.value().trim());
    mount(root, place);
  };
  const form = controls(
    "Sign in",
    field.root,
    h("div", { class: "actions" }, h("button", { type: "submit", class: "main" }, "Enter")),
  );
  form.addEventListener("submit", enter);
  replace(root, form);
  if (error) {
    if (error.status === 401) setToken("");
    field.fail(error.message);
  }
}

function desk(root: HTMLElement, place: Place, me: Me, datasets: Dataset[], budget: Budget): void {
  const params = place.params;
  const start = datasets.find((one) => one.name === params.get("dataset")) ?? datasets[0];
  if (!start) {
    replace(root, h("p", {}, "The policy names no dataset."));
    return;
  }
  let dataset: Dataset = start;
  const asked: Asked = { count: true, numbers: [], groups: [], filter: null };
  const firstGroup = groupable(dataset)[0];
  if (firstGroup) asked.groups.push(firstGroup.name);
  let epsilon = Math.min(Math.max(Number(params.get("epsilon")) || 0.25, 0.01), 4);
  let spentNow = budget;
  const run = latest();
  const pay = latest();
  const sentence = lead();
  const estimate = new Answer(sentence);
  const answer = new Answer();
  const recipes = new Recipes();
  const bar = h("div");
  const policy = h("div");
  const builder = h("div", { class: "builder" });
  const plan = debounce(200, dryRun);

  const which = selectField({
    label: "Dataset",
    value: dataset.name,
    choices: datasets.map((one) => [one.name, one.name]),
    onchange: (name) => {
      dataset = datasets.find((one) => one.name === name) ?? dataset;
      asked.numbers = [];
      asked.filter = null;
      asked.groups = groupable(dataset)
        .slice(0, 1)
        .map((column) => column.name);
      build();
      write();
    },
  });
  const sql = textField({
    label: "Query (SQL)",
    rows: 3,
    wide: true,
    value: params.get("sql") ?? "",
    hint: "The builder writes it; you may change it. Group keys, bounds and values are those the policy declares.",
    onchange: () => plan(),
  });
  const cost = slider({
    label: "What to spend (epsilon)",
    least: 0.01,
    most: 4,
    step: 0.01,
    value: epsilon,
    show: (value) => `epsilon ${short(value)}`,
    oninput: (value) => {
      epsilon = value;
      showBar();
      plan();
    },
  });
  const buy = button("Pay and answer", purchase, "main");
  const errors = new Errors({ queries: sql, dataset: which, epsilon: cost, cost });

  function body(): Record<string, unknown> {
    return { dataset: dataset.name, queries: [sql.value().trim()], epsilon: String(epsilon) };
  }

  function write(): void {
    sql.set(sqlOf(dataset, asked));
    showBar();
    dryRun();
  }

  function build(): void {
    replace(policy, described(dataset));
    const toggle = (list: string[], name: string, on: boolean): void => {
      const at = list.indexOf(name);
      if (on && at < 0) list.push(name);
      if (!on && at >= 0) list.splice(at, 1);
      write();
    };
    const numbers = summable(dataset).flatMap((column) =>
      ["AVG", "SUM", "MEDIAN"]
        .filter((kind) => kind !== "MEDIAN" || column.grid > 0)
        .map((kind) => [`${kind}(${column.name})`, `${WORDS[kind]} of ${column.name}`] as const),
    );
    replace(
      builder,
      h(
        "fieldset",
        {},
        h("legend", {}, "Ask for"),
        checkField("number of rows", asked.count, (on) => {
          asked.count = on;
          write();
        }),
        ...numbers.map(([call, words]) =>
          checkField(words, asked.numbers.includes(call), (on) => toggle(asked.numbers, call, on)),
        ),
      ),
      h(
        "fieldset",
        {},
        h("legend", {}, "For each"),
        ...groupable(dataset).map((column) =>
          checkField(column.name, asked.groups.includes(column.name), (on) =>
            toggle(asked.groups, column.name, on),
          ),
        ),
      ),
      h("fieldset", {}, h("legend", {}, "Only where"), filterControls()),
    );
  }

  function filterControls(): HTMLElement {
    const columns = dataset.columns.filter((column) => column.bounds || column.keys.length > 0);
    const now = asked.filter;
    const column = columns.find((one) => one.name === now?.column);
    const choose = selectField({
      label: "Column",
      value: now?.column ?? "",
      choices: [["", "everybody"], ...columns.map((one) => [one.name, one.name] as const)],
      onchange: (name) => {
        const chosen = columns.find((one) => one.name === name);
        asked.filter = chosen
          ? {
              column: name,
              is: chosen.keys.length ? "=" : ">=",
              value: String(chosen.keys[0] ?? chosen.bounds?.[0] ?? "0"),
            }
          : null;
        build();
        write();
      },
    });
    if (!now || !column) return h("div", { class: "row" }, choose.root);
    const compare = selectField({
      label: "is",
      value: now.is,
      choices: (column.keys.length && column.kind === "text"
        ? ["=", "<>"]
        : ["=", "<>", "<", "<=", ">", ">="]
      ).map((is) => [is, is]),
      onchange: (is) => {
        now.is = is;
        write();
      },
    });
    const value = column.keys.length
      ? selectField({
          label: "Value",
          value: now.value,
          choices: column.keys.map((key) => [String(key), String(key)]),
          onchange: (v) => ((now.value = v), write()),
        })
      : textField({
          label: "Value",
          value: now.value,
          hint: column.bounds ? `${column.bounds[0]} to ${column.bounds[1]}` : undefined,
          onchange: (v) => ((now.value = v), write()),
        });
    return h("div", { class: "row" }, choose.root, compare.root, value.root);
  }

  function save(): void {
    const text = sql.value().trim();
    place.save({ dataset: dataset.name, sql: text, epsilon });
    const who = me.name in dataset.analysts ? me.name : null;
    recipes.show({
      command: `twoworlds release --policy policy.yml${who ? ` --analyst ${quoted(who)}` : ""} --epsilon ${epsilon} ${quoted(text)}`,
      python: `from twoworlds.release import Curator\n\nwith Curator.open("policy.yml") as curator:\n    released = curator.release_all([${python(text)}], ${python(String(epsilon))}${who ? `, analyst=${python(who)}` : ""})\n    for answer in released.answers:\n        print(answer.explain())`,
    });
  }

  function dryRun(): void {
    save();
    estimate.wait();
    void run(
      (signal) => post<Plan>("plan", body(), signal),
      (found) => {
        errors.clear();
        buy.disabled = false;
        sentence.textContent = found.meaning[0] ?? "";
        estimate.show(...planned(found));
      },
      (error) => {
        estimate.fail();
        buy.disabled = true;
        errors.show(aboutMoney(error));
      },
    );
  }

  function purchase(): void {
    buy.disabled = true;
    answer.wait();
    void pay(
      () => post<Released>("release", body()),
      (found) => {
        buy.disabled = false;
        errors.clear();
        answer.show(...answered(found));
        answer.root.querySelector("h2")?.focus();
        void refresh();
      },
      (error) => {
        answer.fail();
        errors.show(aboutMoney(error));
        void refresh();
      },
    );
  }

  async function refresh(): Promise<void> {
    spentNow = await ask<Budget>("GET", "budget").catch(() => spentNow);
    showBar();
  }

  function showBar(): void {
    const own = spentNow.datasets.find((one) => one.dataset === dataset.name);
    const mine: Spent | undefined = own?.analysts.find((one) => one.analyst === me.name);
    replace(
      bar,
      own ? budgetBar(`Budget of ${dataset.name}, everybody together`, own, epsilon) : null,
      mine ? budgetBar(`Your part (${me.name})`, mine, epsilon) : null,
    );
  }

  build();
  if (!sql.value()) sql.set(sqlOf(dataset, asked));
  replace(
    root,
    who(root, place, me),
    controls("Build a query", which.root, builder, sql.root, cost.root),
    errors.root,
    sentence,
    estimate.root,
    bar,
    h("div", { class: "actions" }, buy),
    answer.root,
    policy,
    me.role === "analyst" ? null : ledger(),
    recipes.root,
  );
  showBar();
  dryRun();
}

/** What does not fit the budget is said beside what is to be spent. */
function aboutMoney(error: ServiceError): ServiceError {
  return error.kind === "OverBudget"
    ? new ServiceError(error.message, error.kind, "epsilon", error.status)
    : error;
}

const WORDS: Record<string, string> = { AVG: "mean", SUM: "sum", MEDIAN: "median" };

function planned(found: Plan): Child[] {
  const listed = found.errors.flat();
  return [
    facts([
      ["Costs", `epsilon ${found.cost.epsilon ? exactly(found.cost.epsilon) : "0"}`],
      ...listed.map((one) => [`Error of ${one.name}`, off(one)] as [string, string]),
    ]),
  ];
}

function off(one: Plan["errors"][number][number]): string {
  if (one.half_width)
    return `within ±${short(one.half_width.value ?? 0)} with probability ${one.certainty}`;
  return one.ranks ? `some ranks off, with probability ${one.certainty}` : "known after the answer";
}
