/** The seven attacks of the gallery: their stories, options, defences, and how to do the same. */

import { python, quoted } from "../calls";

interface Option {
  name: string;
  label: string;
  usual: string;
  /** several, with commas between them */
  list?: boolean;
}

export interface Attack {
  name: string;
  title: string;
  story: string;
  options: readonly Option[];
  /** whether it can be run against the release engine as well */
  engine: boolean;
  /** what helps against it */
  defence: string;
  /** an option that the engine cannot do without */
  needs?: string;
  command: (given: Given, engine: boolean) => string;
  python: (given: Given, engine: boolean) => string;
}

export type Given = Record<string, string>;

const plainly =
  (name: string, lists: readonly string[] = []) =>
  (given: Given, engine: boolean): string => {
    const parts = Object.entries(given).flatMap(([option, value]) => {
      const values = lists.includes(option) ? pieces(value) : [value];
      return values.map((each) => `--${option.replace("_", "-")} ${quoted(each)}`);
    });
    return ["twoworlds attack", name, ...parts, engine ? "--engine" : ""].filter(Boolean).join(" ");
  };

export const GALLERY: readonly Attack[] = [
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
    defence:
      "Each table was fine alone. Noise whose losses add up still holds together with whatever else is published: twice the loss at worst, not everything.",
    command: (given) =>
      `twoworlds attack composition figure1.csv figure2.csv --sensitive ${quoted(given["sensitive"] ?? "")}${pieces(
        given["know"] ?? "",
      )
        .map((each) => ` --know ${quoted(each)}`)
        .join("")}`,
    python: (given) =>
      lines(
        "from twoworlds.attacks import compose",
        "",
        `print(compose(["figure1.csv", "figure2.csv"], ${dictionary(given["know"])}, ${python(given["sensitive"] ?? "")}).sentence)`,
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
    defence:
      "Taking names away is no protection. Publish noisy counts instead of rows: a count with noise belongs to nobody.",
    command: (given) =>
      `twoworlds attack linkage register.csv figure1.csv --on ${quoted(given["on"] ?? "")} --sensitive ${quoted(given["sensitive"] ?? "")}`,
    python: (given) =>
      lines(
        "from twoworlds.attacks import link",
        "",
        `found = link("register.csv", "figure1.csv", ${python(given["on"] ?? "")}, sensitive=${python(given["sensitive"] ?? "")})`,
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
    defence:
      "Refusing small counts does not help, nor does refusing large ones. Noise on every count does: the difference is then as noisy as the counts.",
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
    defence:
      "The engine stores its answers, so the same question gets the same answer, and every other one is paid for until the budget is spent.",
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
    defence:
      "Noise that covers all counts together bounds any test, whatever it knows about you.",
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
    defence:
      "A budget for all sums together: the more are asked, the noisier each, and no method reads back more than its limit.",
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
    defence:
      "Nothing that teaches anything can prevent it. What can be promised is that her own data make no difference: that is what the two worlds compare.",
    command: () => "twoworlds attack auxiliary",
    python: () =>
      lines("from twoworlds.attacks.auxiliary import height", "", "print(height().explain())"),
  },
];

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

export function pieces(text: string): string[] {
  return text
    .split(",")
    .map((piece) => piece.trim())
    .filter(Boolean);
}
