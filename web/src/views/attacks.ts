/** Attacks: the gallery, run live on the tables that come with the program. */

import { latest, post } from "../api";
import { python, quoted } from "../calls";
import { button, checkField, type Child, type Field, h, textField } from "../dom";
import { type Found, shown } from "./attack_results";
import { Answer, controls, Errors, lead, type Place, Recipes, type View } from "../view";

export const attacks: View = {
  name: "attacks",
  tab: "Attacks",
  title: "What do careless releases give away?",
  intro:
    "Seven known attacks, run live on made-up tables. Where it is offered, run the same attack " +
    "against the release engine of this program, with real noise and a budget, and watch it fail.",
  mount,
};

interface Option {
  name: string;
  label: string;
  usual: string;
  /** several, with commas between them */
  list?: boolean;
}

interface Attack {
  name: string;
  title: string;
  story: string;
  options: readonly Option[];
  engine: boolean;
  /** an option that the engine cannot do without */
  needs?: string;
  command: (given: Given, engine: boolean) => string;
  python: (given: Given, engine: boolean) => string;
}

type Given = Record<string, string>;

const plainly =
  (name: string, lists: readonly string[] = []) =>
  (given: Given, engine: boolean): string => {
    const parts = Object.entries(given).flatMap(([option, value]) => {
      const values = lists.includes(option) ? pieces(value) : [value];
      return values.map((each) => `--${option.replace("_", "-")} ${quoted(each)}`);
    });
    return ["twoworlds attack", name, ...parts, engine ? "--engine" : ""].filter(Boolean).join(" ");
  };

const GALLERY: readonly Attack[] = [
  {
    name: "composition",
    title: "Two anonymous tables, one patient",
    story:
      "Two hospitals publish k-anonymous tables. Each leaves several illnesses for a patient who was in both; together they leave one.",
    options: [
      { name: "know", label: "Known of the person", usual: "zip=13012, age=28", list: true },
      { name: "sensitive", label: "Attacked column", usual: "condition" },
    ],
    engine: false,
    command: (given) =>
      `twoworlds attack composition figure1.csv figure2.csv --sensitive ${quoted(given["sensitive"] ?? "")}${pieces(
        given["know"] ?? "",
      )
        .map((each) => ` --know ${quoted(each)}`)
        .join("")}`,
    python: (given) =>
      lines(
        BUNDLED,
        "from twoworlds.attacks.composition.compose import compose",
        "",
        'tables = [data / "figure1.csv", data / "figure2.csv"]',
        `print(compose(tables, ${dictionary(given["know"])}, ${python(given["sensitive"] ?? "")}).sentence)`,
      ),
  },
  {
    name: "linkage",
    title: "A register and a published table",
    story: "Names are gone, but postcode and age are not: a public register puts the names back.",
    options: [
      { name: "on", label: "Columns that both have", usual: "zip,age" },
      { name: "sensitive", label: "Attacked column", usual: "condition" },
    ],
    engine: false,
    command: (given) =>
      `twoworlds attack linkage register.csv figure1.csv --on ${quoted(given["on"] ?? "")} --sensitive ${quoted(given["sensitive"] ?? "")}`,
    python: (given) =>
      lines(
        BUNDLED,
        "from twoworlds.attacks.composition.linkage import link",
        "",
        `found = link(data / "register.csv", data / "figure1.csv", ${python(given["on"] ?? "")}, sensitive=${python(given["sensitive"] ?? "")})`,
        "print(found.sentence)",
      ),
  },
  {
    name: "differencing",
    title: "Two harmless counts, one secret",
    story:
      "A server refuses small counts. The difference of two large ones is small, and tells one person's secret.",
    options: [
      {
        name: "know",
        label: "Known of the person",
        usual: "department=physics, sex=f, job=professor",
        list: true,
      },
      { name: "secret", label: "To be found out", usual: "depressed=yes" },
      { name: "at_least", label: "Counts below this are refused", usual: "5" },
    ],
    engine: true,
    command: plainly("differencing", ["know"]),
    python: (given, engine) =>
      lines(
        "from importlib.resources import files",
        "from twoworlds.attacks.queries import ExactServer, equal, single_out",
        ...(engine ? ["from twoworlds.attacks.queries.differencing import against_engine"] : []),
        "",
        'staff = files("twoworlds.attacks.queries") / "data" / "staff.csv"',
        `with ExactServer(staff, at_least=${python(given["at_least"] ?? "5")}) as server:`,
        `    known = [equal(server.kinds, text) for text in ${list(given["know"])}]`,
        `    found = single_out(server, known, equal(server.kinds, ${python(given["secret"] ?? "")}))`,
        "    print(found.explain())",
        ...(engine ? ['    print(against_engine(server, found.attempts[-1], "1").explain())'] : []),
      ),
  },
  {
    name: "averaging",
    title: "Asking again until the noise is gone",
    story: "Fresh noise at every question, and nobody adds up the cost: the mean tells the truth.",
    options: [
      { name: "epsilon", label: "Loss of one answer (epsilon)", usual: "1/2" },
      { name: "times", label: "How often it is asked", usual: "1,4,16,64,256" },
    ],
    engine: true,
    command: plainly("averaging"),
    python: (given, engine) =>
      lines(
        ...(engine ? ["from importlib.resources import files"] : []),
        `from twoworlds.attacks.queries import ${engine ? "ExactServer, average_out, equal" : "average_out"}`,
        ...(engine ? ["from twoworlds.attacks.queries.averaging import against_engine"] : []),
        "",
        `print(average_out(${python(given["epsilon"] ?? "1/2")}, ${list(given["times"])}).explain())`,
        ...(engine
          ? [
              'staff = files("twoworlds.attacks.queries") / "data" / "staff.csv"',
              "with ExactServer(staff) as server:",
              '    asked = equal(server.kinds, "depressed=yes")',
              `    print(against_engine(server, asked, epsilon=${python(given["epsilon"] ?? "1/2")}, cap="2").explain())`,
            ]
          : []),
      ),
  },
  {
    name: "membership",
    title: "Were you in the study?",
    story: "Many exact averages of a study, next to your own values: a test tells who took part.",
    options: [
      { name: "people", label: "People in the study", usual: "100" },
      { name: "attributes", label: "Published counts", usual: "1000" },
      { name: "epsilon", label: "What all counts cost (empty: exact)", usual: "" },
    ],
    engine: true,
    needs: "epsilon",
    command: plainly("membership"),
    python: (given, engine) =>
      lines(
        "from twoworlds.attacks.queries import study",
        "",
        `print(study(${python(given["people"] ?? "100")}, ${python(given["attributes"] ?? "1000")}${given["epsilon"] ? `, epsilon=${python(given["epsilon"])}` : ""}${engine ? ", engine=True" : ""}).explain())`,
      ),
  },
  {
    name: "reconstruct",
    title: "A secret column, read back from sums",
    story:
      "Enough sums over random groups, answered with too little noise, determine nearly everybody's secret bit.",
    options: [
      { name: "rows", label: "People", usual: "96" },
      { name: "queries", label: "Sums asked", usual: "256" },
      { name: "noise", label: "Scale of the noise", usual: "2" },
    ],
    engine: true,
    command: (given, engine) =>
      engine
        ? plainly("reconstruct")(
            { rows: given["rows"] ?? "", queries: given["queries"] ?? "" },
            true,
          )
        : plainly("reconstruct")(given, false),
    python: (given, engine) =>
      lines(
        `from twoworlds.attacks.reconstruction import ${engine ? "against_engine" : "simulate"}`,
        "",
        engine
          ? `print(against_engine(${given["rows"] ?? 64}, ${given["queries"] ?? 256}).explain())`
          : `print(simulate(${given["rows"] ?? 64}, ${given["queries"] ?? 256}, noise=${python(given["noise"] ?? "2")}).explain())`,
      ),
  },
  {
    name: "auxiliary",
    title: "A remark that is worthless alone",
    story:
      "Someone who knows that a woman is two inches shorter than the average learns her height from a study she was never in. No release can prevent that, which is why two worlds are compared.",
    options: [],
    engine: false,
    command: () => "twoworlds attack auxiliary",
    python: () =>
      lines("from twoworlds.attacks.auxiliary import height", "", "print(height().explain())"),
  },
];

const BUNDLED = lines(
  "from importlib.resources import files",
  "",
  'data = files("twoworlds.attacks.composition") / "data"',
);

function lines(...parts: string[]): string {
  return parts.join("\n");
}

function list(text: string | undefined): string {
  return `[${pieces(text ?? "")
    .map(python)
    .join(", ")}]`;
}

function dictionary(text: string | undefined): string {
  const pairs = pieces(text ?? "").map((piece) => {
    const at = piece.indexOf("=");
    return `${python(piece.slice(0, at))}: ${python(piece.slice(at + 1))}`;
  });
  return `{${pairs.join(", ")}}`;
}

function pieces(text: string): string[] {
  return text
    .split(",")
    .map((piece) => piece.trim())
    .filter(Boolean);
}

function mount(root: HTMLElement, place: Place): void {
  const wanted = place.params.get("name");
  const recipes = new Recipes();
  recipes.root.hidden = true;
  const cards = GALLERY.map((attack) => card(attack, place, recipes));
  root.append(h("div", { class: "gallery" }, ...cards.map((one) => one.root)), recipes.root);
  const first = cards.find((_, i) => GALLERY[i]?.name === wanted);
  first?.open();
}

function card(attack: Attack, place: Place, recipes: Recipes): { root: HTMLElement; open(): void } {
  const mine = place.params.get("name") === attack.name;
  const run = latest();
  const sentence = lead();
  const answer = new Answer(sentence);
  sentence.classList.add("small");
  let engine = mine && place.params.get("engine") === "1";
  const fields: Record<string, Field> = {};
  for (const option of attack.options)
    fields[option.name] = textField({
      label: option.label,
      value: (mine ? place.params.get(option.name) : null) ?? option.usual,
    });
  const errors = new Errors(fields);
  const start = button("Run the attack", () => go(), "main");

  function given(): Given {
    const values = attack.options.map((option) => [
      option.name,
      fields[option.name]?.value().trim() ?? "",
    ]);
    return Object.fromEntries(values.filter(([, value]) => value !== "")) as Given;
  }

  function go(): void {
    if (engine && attack.needs && !fields[attack.needs]?.value()) fields[attack.needs]?.set("1");
    const values = given();
    place.save({ name: attack.name, ...values, engine: engine ? "1" : null });
    recipes.root.hidden = false;
    recipes.show({
      command: attack.command(values, engine),
      python: attack.python(values, engine),
    });
    const body: Record<string, unknown> = {};
    for (const option of attack.options) {
      const value = values[option.name];
      if (value === undefined) continue;
      if (attack.name === "reconstruct" && engine && option.name === "noise") continue;
      body[option.name] = option.list ? pieces(value) : value;
    }
    if (engine) body["engine"] = true;
    answer.wait();
    start.disabled = true;
    void run(
      (signal) => post<Found>(`attacks/${attack.name}`, body, signal),
      (found) => {
        start.disabled = false;
        errors.clear();
        const { words: said, rest } = shown(attack.name, found);
        const [first = "", ...more] = said.split("\n\n");
        sentence.textContent = first;
        answer.show(more.length ? h("p", { class: "said" }, more.join("\n\n")) : null, ...rest);
      },
      (error) => {
        start.disabled = false;
        answer.fail();
        errors.show(error);
      },
    );
  }

  const inputs: Child[] = attack.options.map((option) => fields[option.name]?.root ?? null);
  const root = h(
    "details",
    { class: "attack" },
    h(
      "summary",
      {},
      h("span", {}, h("strong", {}, attack.title), h("span", { class: "story" }, attack.story)),
    ),
    controls(
      attack.title,
      h("div", { class: "row" }, ...inputs),
      h(
        "div",
        { class: "actions" },
        start,
        attack.engine
          ? checkField("against the release engine", engine, (on) => (engine = on))
          : null,
      ),
    ),
    errors.root,
    sentence,
    answer.root,
  );
  return {
    root,
    open: () => {
      root.open = true;
      go();
      root.scrollIntoView({ block: "nearest" });
    },
  };
}
