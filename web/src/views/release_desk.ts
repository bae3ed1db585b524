/** The desk: a query on one side, and on the other what it costs, what is left, and the answers. */

import { ask, debounce, Foreseen, inTurn, latest, post, ServiceError, setToken, token } from "../api";
import { type Amount, type Bar, type Budget, budgetBar, shares, type Spent } from "../budget";
import { button, h, replace, selectField, textField } from "../dom";
import { type Asked, type Dataset, firstAsked, readAsked, sqlOf } from "../query";
import { Answer, Frame, type Place } from "../view";
import { costWords } from "../words";
import { answered, type Released } from "./release_answers";
import { buildQuery } from "./release_builder";
import { spending } from "./release_cost";
import { described, hand, proposing, tokenForm, UNKNOWN } from "./release_parts";
import { errorBars, free, type Plan, planned, warningList } from "./release_plan";

export interface Me {
  name: string;
  role: string;
}

const PAY = "Pay and answer";
const STORED = "Show the stored answer";
const FREE = "Answer";
/** Milliseconds for which a plan holds that was asked for ahead: others may spend meanwhile. */
const FRESH = 10_000;

export function desk(
  root: HTMLElement,
  place: Place,
  me: Me,
  datasets: Dataset[],
  budget: Budget,
  enter: (state: URLSearchParams) => void,
): void {
  const { params } = place;
  const start = datasets.find((one) => one.name === params.get("dataset")) ?? datasets[0];
  if (!start) {
    replace(root, h("p", {}, "The policy names no dataset."));
    return;
  }
  let dataset: Dataset = start;
  let asked: Asked = firstAsked(dataset);
  let spentNow = budget;
  let bought: string | null = null; // what the answers below are to
  let also: string[] = readList(params.get("also"));
  const pay = latest();
  const known = new Foreseen<Plan>("plan", FRESH);
  const answer = new Answer();
  const bars: Record<"all" | "mine", Bar | null> = { all: null, mine: null };
  const bar = h("div", { class: "stack" });
  const policy = h("div");
  const others = h("ul", { class: "also", "aria-label": "In the same payment" });
  const builder = h("fieldset", { class: "builder", "aria-label": "Builder" });
  const byHand = hand(builder, write, (text) => {
    sql.set(text);
    read();
  });
  const lost = tokenForm("Sign in again", undefined, () => enter(new URLSearchParams(state())));
  lost.form.hidden = true;
  const stale = (): boolean => shown !== JSON.stringify(body());
  const plan = inTurn(async () => {
    if (stale()) await dryRun((asking, signal) => known.ask(asking, signal));
  });
  const typed = debounce(400, () => stale() && read());

  const which = selectField({
    label: "Dataset",
    value: dataset.name,
    choices: datasets.map((one) => [one.name, one.name]),
    onchange: (name) => {
      dataset = datasets.find((one) => one.name === name) ?? dataset;
      asked = firstAsked(dataset);
      also = [];
      open();
      write();
    },
  });
  const sql = textField({
    label: "Query (SQL)",
    rows: 3,
    wide: true,
    value: params.get("sql") ?? "",
    hint: "The builder writes it; you may change it.",
    onchange: () => read(),
    oninput: () => {
      sure.hidden = true; // it asks about another query
      typed();
    },
  });
  const cost = spending(
    params,
    (at) => {
      sure.hidden = true;
      showBars();
      if (at === "soon") plan();
      else dryRun();
    },
    (bodies) => void (token() && known.near(bodies.map((one) => body(one)))),
  );
  let plannedNow: Plan | null = null;
  let shown: string | null = null; // the request that the shown plan is of: nothing else is paid for
  let wanted = false; // somebody wants to pay for what is not planned yet
  const warned = h("div", { role: "status" });
  const sure = h("div", { class: "confirm", role: "group", "aria-label": "Confirm", hidden: true });
  const buy = button(PAY, settle, "main");
  const proposal = proposing(() => body(), () => dryRun());
  const add = button("Ask something else besides", () => {
    also.push(sql.value().trim());
    listAlso();
    dryRun();
  });
  const frame = new Frame(
    root,
    "Build a query",
    { queries: sql, dataset: which, epsilon: cost.field, cost: cost.field },
    which.root,
    byHand.root,
    builder,
    h("div", { class: "stack" }, sql.root, others, h("div", { class: "actions" }, add)),
  );
  frame.sentence.classList.add("long");
  frame.recipes.remark("policy.yml stands for the path of your policy, $TOKEN for your token.");
  frame.answer.root.after(
    h(
      "div",
      { class: "pay" },
      cost.root,
      bar,
      h("div", { class: "actions" }, buy),
      sure,
      lost.form,
      proposal.root,
      warned,
    ),
    answer.root,
    policy,
  );

  function queries(): string[] {
    return [...new Set([...also, sql.value().trim()])];
  }

  function body(spent = cost.body()): Record<string, unknown> {
    return { dataset: dataset.name, queries: queries(), ...spent };
  }

  function write(): void {
    sql.set(sqlOf(dataset, asked));
    byHand.show("", false);
    showBars();
    dryRun();
  }

  /** The boxes follow a text that they could have written; any other text is left alone. */
  function read(): void {
    follow();
    plan();
  }

  function follow(): void {
    const found = readAsked(dataset, sql.value());
    if (found) {
      asked = found;
      buildQuery(builder, dataset, asked, write);
    }
    byHand.show(sql.value(), found === null);
  }

  /** Lay out everything that depends on the dataset. */
  function open(): void {
    buildQuery(builder, dataset, asked, write);
    replace(policy, described(dataset));
    listAlso();
    const own = spentNow.datasets.find((one) => one.dataset === dataset.name);
    const mine = own?.analysts.some((one) => one.analyst === me.name);
    bars.all = own ? budgetBar(`Budget of ${dataset.name}, everybody together`) : null;
    bars.mine = mine ? budgetBar(`Your part (${me.name})`) : null;
    replace(bar, bars.all?.root, bars.mine?.root);
    cost.limit(parts());
    showBars();
  }

  function listAlso(): void {
    replace(
      others,
      h("li", { class: "head" }, "In the same payment"),
      ...also.map((text, i) =>
        h(
          "li",
          {},
          h("code", {}, text),
          button(
            "Remove",
            () => {
              also.splice(i, 1);
              listAlso();
              dryRun();
            },
            "plain",
          ),
        ),
      ),
    );
    others.hidden = also.length === 0;
  }

  function state(): Record<string, string> {
    const common = { dataset: dataset.name, sql: sql.value().trim(), ...cost.given() };
    return also.length ? { ...common, also: JSON.stringify(also) } : common;
  }

  function save(): void {
    place.save(state());
    const who = me.name in dataset.analysts ? me.name : null;
    frame.recipes.show(
      "release",
      { queries: queries(), ...cost.given(), policy: "policy.yml", analyst: who },
      { path: "release", body: body(), token: true },
    );
  }

  async function dryRun(
    ask = (asking: unknown, signal: AbortSignal): Promise<Plan> => {
      known.forget();
      return post("plan", asking, signal);
    },
  ): Promise<void> {
    save();
    sure.hidden = true;
    if (!token()) {
      forgotten();
      return;
    }
    if (parts().some((one) => shares(one, cost.amount()).over)) showBars(); // a refused plan names no price
    if (bought !== null && bought !== JSON.stringify(body())) answer.fail(); // of another query
    else answer.done();
    const asking = body();
    shown = null;
    await frame.ask(
      (signal) => ask(asking, signal),
      (found) => {
        plannedNow = found;
        shown = JSON.stringify(asking);
        buy.disabled = !found.stored && found.review.needed && found.review.status !== "approved";
        buy.textContent = found.stored ? STORED : free(found) ? FREE : PAY;
        replace(warned, warningList(found.warnings));
        proposal.show(found.stored ? null : found.review);
        showBars({ epsilon: found.price.epsilon?.value ?? 0, rho: found.price.rho?.value ?? 0 });
        frame.sentence.textContent = found.meaning[0] ?? "";
        replace(frame.result, planned(found));
        frame.answer.show(errorBars(found)); // also of a stored answer, so that nothing moves
        if (wanted && !buy.disabled && !stale()) found.stored || free(found) ? purchase() : confirm();
        wanted = false;
      },
      failed,
    );
  }

  function failed(error: ServiceError): void {
    wanted = false;
    shown = null; // nobody knows what would be paid for
    buy.disabled = error.status > 0; // a service that was away may be asked again
    if (error.status === 401) forgotten();
    else frame.fail(aboutMoney(error));
  }

  /** The service knows the token no longer: nothing that is shown is sure to be true still. */
  function forgotten(): void {
    frame.fail(new ServiceError(UNKNOWN, "Unauthorized", null, 401));
    buy.disabled = true;
    bar.classList.add("stale");
    setToken("");
    lost.form.hidden = false;
    lost.field.fail(UNKNOWN);
  }

  function mustConfirm(): boolean {
    return plannedNow !== null && !free(plannedNow) && plannedNow.warnings.some((one) => one.confirm);
  }

  /** Pay for what the shown plan is of; plan anything else first, show it, and ask. */
  function settle(): void {
    if (stale()) {
      wanted = true;
      dryRun();
    } else if (mustConfirm()) confirm();
    else purchase();
  }

  /** Ask once more, in words, before something is paid that looks like a mistake or was just priced. */
  function confirm(): void {
    const [why, how] = mustConfirm()
      ? ["This cannot be undone. Pay in spite of the warnings?", " all the same"]
      : ["This is its price now. Pay it?", ""];
    const price = costWords(plannedNow?.price ?? {});
    const yes = button(`Pay ${price}${how}`, () => (stale() ? settle() : purchase()), "main");
    const no = button("Do not pay", () => {
      sure.hidden = true;
      buy.focus();
    });
    replace(
      sure,
      h("p", {}, why),
      h("div", { class: "actions" }, yes, no),
    );
    sure.hidden = false;
    no.focus();
  }

  function purchase(): void {
    sure.hidden = true;
    buy.disabled = true;
    bought = JSON.stringify(body());
    answer.wait();
    void pay(
      () => post<Released>("release", body()),
      (found) => {
        buy.disabled = false;
        frame.errors.clear();
        answer.show(...answered(found));
        answer.root.querySelector("h2")?.focus();
        void refresh().then(() => dryRun());
      },
      (error) => {
        answer.fail();
        failed(error);
        if (token()) void refresh();
      },
    );
  }

  async function refresh(): Promise<void> {
    spentNow = await ask<Budget>("GET", "budget").catch((error: ServiceError) => {
      if (error.status === 401) forgotten();
      return spentNow;
    });
    cost.limit(parts());
    showBars();
  }

  function parts(): Spent[] {
    const own = spentNow.datasets.find((one) => one.dataset === dataset.name);
    const mine = own?.analysts.find((one) => one.analyst === me.name);
    return [...(own ? [own] : []), ...(mine ? [mine] : [])];
  }

  function showBars(next: Amount = cost.amount()): void {
    const [own, mine] = parts();
    if (own) bars.all?.show(own, next);
    if (mine) bars.mine?.show(mine, next, own);
  }

  open();
  if (!sql.value()) sql.set(sqlOf(dataset, asked));
  follow();
  dryRun();
}

function readList(text: string | null): string[] {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

/** What does not fit the budget is said beside what is to be spent. */
function aboutMoney(error: ServiceError): ServiceError {
  return error.kind === "OverBudget"
    ? new ServiceError(error.message, error.kind, "epsilon", error.status)
    : error;
}
