/** Review: what was released about these people, what all of it together allows, what is proposed. */

import { ask, post, type ServiceError } from "../api";
import { type Budget, budgetBar, type Spent } from "../budget";
import { iconKey, icons } from "../curves";
import { button, facts, h, replace, table, textField } from "../dom";
import type { Dataset } from "../query";
import type { Place, View } from "../view";
import { type Cost, costWords, guess, guessed, type Numeral, plural } from "../words";
import { signIn } from "./release";
import { reportButton } from "./release_answers";
import type { Me } from "./release_desk";
import { described } from "./release_parts";
import { errorBars, type Expected, type Warned, warningList } from "./release_plan";

export const review: View = {
  name: "review",
  tab: "Review",
  title: "What all of it together lets anyone learn",
  intro:
    "Every release about these people, question by question, and the proposals that wait for a yes or no.",
  mount,
};

interface Guessed {
  chance: Numeral;
  words: string;
}

interface Charge {
  entry: number;
  time: string;
  dataset: string;
  analysts: string[];
  cost: Cost;
  asked: string[];
  chance: Numeral | null;
  answered: boolean;
  report: boolean;
  /** how the last proposal of the same stands, in a sentence, and in a word; null if there was none */
  stands: string | null;
  reviewed: string | null;
}

interface Proposal {
  entry: number;
  time: string;
  dataset: string;
  analyst: string;
  purpose: string;
  status: string;
  /** how it stands, in a sentence; for reviewers */
  stands: string;
  payable: boolean;
  decision: { reviewer: string; time: string; remark: string } | null;
  asked: string[];
  cost: Cost;
  chance: Numeral | null;
  /** of those that are decided: approved, and not released yet */
  unpaid?: boolean;
  /** of those that may still be released: what a reviewer is warned of, alone and with all others */
  alarm?: string;
  /** of those that wait: the plan, and what it allows with all that is released, and approved */
  with_released?: (Guessed & { misfit: string | null }) | null;
  after?: (Guessed & { misfit: string | null; others: number }) | null;
  warnings?: Warned[];
  cells?: (string[] | null)[];
  errors?: Expected[][];
}

interface Learned {
  learned: { so_far: string; whole_budget: string | null };
  guess: Guessed | null;
}

interface Book {
  datasets: (Budget["datasets"][number] & Learned)[];
  newest: Charge[];
  proposals: Proposal[];
}

function mount(root: HTMLElement, place: Place): void {
  signIn(root, place, async (view, me) => {
    if (me.role === "analyst") {
      const { proposals } = await ask<{ proposals: Proposal[] }>("GET", "proposals");
      replace(view, ...ownProposals(proposals));
      return;
    }
    const { datasets } = await ask<{ datasets: Dataset[] }>("GET", "datasets");
    const show = async (done?: Proposal): Promise<void> => {
      const book = await ask<Book>("GET", "ledger");
      replace(view, ...datasets.map((one) => about(one, book, me, show, done)));
      view.querySelector<HTMLElement>(".done")?.focus();
    };
    await show();
  });
}

type Again = (done: Proposal) => Promise<void>;

/** Everything about one dataset; first the decision that was just made there, if any. */
function about(dataset: Dataset, book: Book, me: Me, again: Again, done?: Proposal): HTMLElement {
  const account = book.datasets.find((one) => one.dataset === dataset.name);
  const proposals = book.proposals.filter((one) => one.dataset === dataset.name);
  const waiting = proposals.filter((one) => one.status === "waiting");
  const decided = proposals.filter((one) => one.status !== "waiting");
  const unpaid = decided.filter((one) => one.unpaid);
  const released = book.newest.filter((one) => one.dataset === dataset.name);
  return h(
    "section",
    { class: "reviewed", "aria-label": dataset.name },
    h("h2", {}, dataset.name),
    account ? together(account) : null,
    done?.dataset === dataset.name
      ? h("p", { class: "said done", role: "status", tabindex: "-1" }, done.stands)
      : null,
    h("h3", {}, waiting.length ? `Waiting for a decision (${waiting.length})` : "Nothing waits for a decision"),
    proposals.length
      ? h(
          "p",
          { class: "hint" },
          dataset.review
            ? `The policy requires approval: nothing is released from ${dataset.name} without it.`
            : `The policy does not require approval for ${dataset.name}: a decision is advice.`,
        )
      : null,
    ...waiting.map((one) => card(one, me, again)),
    unpaid.length ? h("h3", {}, `Approved and not yet paid (${unpaid.length})`) : null,
    unpaid.length ? outstanding(dataset.name, unpaid) : null,
    h("h3", {}, released.length ? `Released so far (${plural(released.length, "release")})` : "Nothing was released so far"),
    released.length ? releasedList(dataset.name, released) : null,
    decided.length ? decisions(dataset.name, decided) : null,
    described(dataset),
  );
}

/** The guess that everything together allows, as people, and what is left to spend. */
function together(account: Book["datasets"][number]): HTMLElement {
  const bars = [account as Spent, ...account.analysts].map((part) => {
    const bar = budgetBar(
      part === account
        ? `Budget of ${account.dataset}`
        : `Part of ${part.analyst} in ${account.dataset}`,
    );
    bar.show(part, {}, account);
    return bar.root;
  });
  const { guess: found, learned } = account;
  return h(
    "div",
    { class: "together" },
    found ? people(found) : null,
    h(
      "div",
      { class: "stack" },
      h("p", { class: "lead" }, learned.so_far),
      learned.whole_budget ? h("p", { class: "caption" }, learned.whole_budget) : null,
      ...bars,
    ),
  );
}

function people(found: Guessed): HTMLElement {
  const figures = icons();
  const chance = found.chance.value ?? 1;
  figures.show(guess(chance), chance);
  return h("div", { class: "guessed" }, figures.root, iconKey());
}

function card(one: Proposal, me: Me, again: Again): HTMLElement {
  return h(
    "article",
    { class: "proposal", "aria-label": `Proposal ${one.entry}` },
    h("h4", {}, `Proposal ${one.entry} by ${one.analyst}`),
    ...one.asked.map((words) => h("p", { class: "said" }, words)),
    facts([
      ["For", one.purpose],
      ["Cost", costWords(one.cost)],
      ["Proposed", `${when(one.time)} UTC`],
    ]),
    warningList(warned(one)),
    one.after ? weighed(one, one.after) : null,
    one.errors && one.cells
      ? h(
          "details",
          {},
          h("summary", {}, "How exact it will be"),
          errorBars({ errors: one.errors, cells: one.cells }),
        )
      : null,
    h("div", { class: "actions" }, reportButton(one.entry, "Download the page to sign")),
    me.role === "reviewer" ? decision(one, again) : h("p", { class: "hint" }, "A reviewer decides on it."),
  );
}

const warned = ({ alarm, warnings }: Proposal): Warned[] => [
  ...(alarm ? [{ kind: "spend", words: alarm, confirm: true }] : []),
  ...(warnings ?? []),
];

/** What anyone could learn after it, as people and in one sentence; then the steps that lead there. */
function weighed(one: Proposal, after: NonNullable<Proposal["after"]>): HTMLElement {
  const misfit = after.misfit ?? (one.payable ? null : one.stands);
  return h(
    "div",
    { class: "together" },
    misfit ? null : people(after),
    h(
      "div",
      { class: "stack" },
      h("p", {}, h("strong", {}, misfit ?? "If it is approved: "), misfit ? null : after.words),
      h("p", { class: "caption" }, "Guessed right at even odds:"),
      facts([
        ["This release alone", known(one.chance)],
        ["With everything released before", one.with_released?.misfit ? null : known(one.with_released?.chance)],
        ["And with what is approved and not yet paid", after.others && !misfit ? known(after.chance) : null],
      ]),
    ),
  );
}

const known = (chance: Numeral | null | undefined): string | null =>
  chance ? guessed(chance.value ?? 1) : null;

function outstanding(name: string, unpaid: readonly Proposal[]): HTMLElement {
  return h(
    "ul",
    { class: "meaning", "aria-label": `Approved and not yet paid from ${name}` },
    ...unpaid.map((one) =>
      h("li", {}, `${one.stands} ${one.asked.join(" ")} (${costWords(one.cost)})`),
    ),
  );
}

const STANDS: Record<string, string> = {
  waiting: "Waiting for a reviewer",
  approved: "Approved",
  "sent back": "Sent back",
};

/** What an analyst has proposed, and what reviewers said of it; the ledger itself is for them. */
function ownProposals(proposals: readonly Proposal[]): HTMLElement[] {
  const waiting = proposals.filter((one) => one.status === "waiting").length;
  const many = plural(proposals.length, "release");
  return [
    h(
      "p",
      { class: "lead" },
      proposals.length
        ? `You proposed ${many}. ${waiting ? plural(waiting, "proposal waits", "proposals wait") : "None waits"} for a reviewer. `
        : "You have proposed nothing so far. ",
      h("a", { href: "#/release" }, "Plan a release, and propose it there."),
    ),
    h(
      "section",
      { class: "reviewed", "aria-label": "Your proposals", hidden: proposals.length === 0 },
      h("h2", {}, "Your proposals"),
      ...proposals.map((one) =>
        h(
          "article",
          { class: "proposal", "aria-label": `Proposal ${one.entry}` },
          h("h3", {}, `${STANDS[one.status] ?? one.status}: proposal ${one.entry}, ${one.dataset}`),
          ...one.asked.map((words) => h("p", { class: "said" }, words)),
          one.decision?.remark
            ? h("blockquote", {}, `${one.decision.reviewer}: “${one.decision.remark}”`)
            : null,
          facts([
            ["Decided", one.decision ? `by ${one.decision.reviewer}, ${when(one.decision.time)} UTC` : null],
            ["For", one.purpose],
            ["Cost", costWords(one.cost)],
            ["Proposed", `${when(one.time)} UTC`],
          ]),
          one.status === "approved"
            ? h("p", { class: "hint" }, "Release it with the same query and the same cost.")
            : null,
        ),
      ),
    ),
  ];
}

function decision(one: Proposal, again: Again): HTMLElement {
  const remark = textField({
    label: "Remark",
    hint: "Kept in the ledger with your name and the time. Needed to send it back.",
  });
  const decide = (approve: boolean): void => {
    for (const each of buttons) each.disabled = true;
    post<Proposal>("decide", { proposal: one.entry, approve, remark: remark.value().trim() })
      .then(again)
      .catch((error: ServiceError) => {
        remark.fail(error.message);
        sure.hidden = true;
        for (const each of buttons) each.disabled = false;
      });
  };
  const doubtful = Boolean(one.alarm || one.after?.misfit || !one.payable); // rather to be sent back
  const ask = (): void => {
    sure.hidden = false;
    keep.focus();
  };
  const yes = button("Approve", () => (doubtful ? ask() : decide(true)), doubtful ? "" : "main");
  const no = button("Send back", () => decide(false), doubtful ? "main" : "");
  const certain = button(`Approve proposal ${one.entry} all the same`, () => decide(true));
  const keep = button("Do not approve", () => {
    sure.hidden = true;
    yes.focus();
  });
  const sure = h(
    "div",
    { class: "confirm", role: "group", "aria-label": "Confirm", hidden: true },
    h("p", {}, "An approval cannot be taken back. Approve in spite of what is said above?"),
    h("div", { class: "actions" }, keep, certain),
  );
  const buttons = [yes, no, certain, keep];
  const actions = doubtful ? [no, yes] : [yes, no];
  return h("div", { class: "stack" }, remark.root, h("div", { class: "actions" }, ...actions), sure);
}

function releasedList(name: string, released: readonly Charge[]): HTMLElement {
  return h(
    "ol",
    { class: "released", "aria-label": `Everything released from ${name}, the newest first` },
    ...released.map((one) =>
      h(
        "li",
        {},
        h(
          "div",
          {},
          h("p", { class: "caption" }, `${when(one.time)} UTC, by ${one.analysts.join(", ")}, ${costWords(one.cost)}, entry ${one.entry}`),
          ...one.asked.map((words) => h("p", {}, words)),
          one.stands ? h("p", { class: one.reviewed === "approved" ? "none" : "against" }, one.stands) : null,
          one.chance ? h("p", { class: "none" }, `Alone: guessed right at even odds, ${known(one.chance)}.`) : null,
        ),
        one.report
          ? reportButton(one.entry)
          : h("span", { class: "none" }, one.answered ? "part of a strategy" : "no answer yet"),
      ),
    ),
  );
}

function decisions(name: string, decided: readonly Proposal[]): HTMLElement {
  return h(
    "details",
    { class: "policy" },
    h("summary", {}, `Decisions about ${name} (${decided.length})`),
    table(
      `Decisions about proposals on ${name}`,
      ["proposal", "how it stands", "cost", "remark", "what was proposed"],
      decided.map((one) => [
        String(one.entry),
        one.stands,
        costWords(one.cost),
        one.decision?.remark ?? "",
        one.asked.join(" "),
      ]),
    ),
  );
}

const when = (time: string): string => time.slice(0, 16).replace("T", " ");
