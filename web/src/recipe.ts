/** A question of the service's list, written for the command line, for Python and for HTTP. The list
 * says what it takes, so that a recipe cannot name what is not there. */

import { python, quoted } from "./calls";

export interface Question {
  readonly name: string;
  /** `option` is null for what is given by its place; a flag stands without a value */
  readonly parameters: readonly {
    readonly name: string;
    readonly option: string | null;
    readonly flag: boolean;
  }[];
}

type Value = string | readonly string[] | true;
export type Given = Readonly<Record<string, Value | null | undefined>>;

/** What is sent to the service for the same answer. */
export interface Request {
  readonly path: string;
  readonly body: unknown;
  readonly token?: boolean;
}

export interface Recipe {
  readonly command: string;
  readonly python: string;
  readonly http: string;
}

export function recipe(question: Question, given: Given, request: Request, origin: string): Recipe {
  const unknown = Object.keys(given).filter((name) => !question.parameters.some((one) => one.name === name));
  if (unknown.length) throw new Error(`${question.name} takes no ${unknown.join(", ")}`);
  return {
    command: commandOf(question, given),
    python: pythonOf(question, given),
    http: httpOf(request, origin),
  };
}

function commandOf(question: Question, given: Given): string {
  const words = question.parameters.flatMap(({ name, option, flag }) => {
    const value = given[name];
    if (value === null || value === undefined) return [];
    if (flag) return [option ?? ""];
    const texts = typeof value === "object" ? value : [String(value)];
    return texts.map((text) => (option ? `${option} ${quoted(text)}` : quoted(text)));
  });
  return ["twoworlds", question.name, ...words].join(" ");
}

function pythonOf(question: Question, given: Given): string {
  let inPlace = true;
  const words = question.parameters.flatMap(({ name, option }) => {
    const value = given[name];
    if (value === null || value === undefined) {
      inPlace &&= option !== null;
      return [];
    }
    return [option === null && inPlace ? literal(value) : `${name}=${literal(value)}`];
  });
  const call = [python(question.name), ...words].join(", ");
  return `import twoworlds as tw\n\nprint(tw.ask(${call}).explain())`;
}

function literal(value: Value): string {
  if (value === true) return "True";
  return typeof value === "string" ? python(value) : `[${value.map(python).join(", ")}]`;
}

function httpOf({ path, body, token }: Request, origin: string): string {
  const data = JSON.stringify(body).replaceAll("'", "'\\''");
  return [
    `curl -s ${origin}/api/v1/${path} -H 'Content-Type: application/json' \\`,
    ...(token ? [`    -H "Authorization: Bearer $TOKEN" \\`] : []),
    `    -d '${data}'`,
  ].join("\n");
}
