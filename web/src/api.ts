/** The service, by its HTTP contract (version 1). One place for addresses, tokens and errors. */

import type { Question } from "./recipe";
import type { Numeral } from "./words";

export class ServiceError extends Error {
  constructor(
    message: string,
    readonly kind: string,
    readonly field: string | null,
    readonly status: number,
  ) {
    super(message);
  }
}

const TOKEN = "twoworlds-token";

/** The token lives as long as this tab. The one in the address (#token=…) is taken out of it. */
export function takeToken(): boolean {
  const found = /^#token=([^&]+)$/.exec(location.hash);
  if (!found) return false;
  setToken(decodeURIComponent(found[1] ?? ""));
  history.replaceState(null, "", "#/home");
  return true;
}

export function token(): string {
  return sessionStorage.getItem(TOKEN) ?? "";
}

export function setToken(value: string): void {
  if (value) sessionStorage.setItem(TOKEN, value);
  else sessionStorage.removeItem(TOKEN);
}

export async function ask<T>(
  method: "GET" | "POST",
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (NEEDS_TOKEN.test(path) && token()) headers["Authorization"] = `Bearer ${token()}`;
  let response: Response;
  try {
    response = await fetch(`api/v1/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
      credentials: "omit",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    const paid = path === "release" ? " If it was charged, the same question again costs nothing more." : "";
    throw new ServiceError(
      `The service does not answer: start it again with \`twoworlds serve\`.${paid}`,
      "Unreachable",
      null,
      0,
    );
  }
  const found: unknown = await response.json().catch(() => null);
  if (response.ok && found !== null) return found as T;
  const told = (found as { error?: { kind?: string; message?: string; field?: string | null } })
    ?.error;
  throw new ServiceError(
    told?.message ?? `The service answered with status ${response.status} and no reason.`,
    told?.kind ?? "Internal",
    told?.field ?? null,
    response.status,
  );
}

const NEEDS_TOKEN = /^(me|datasets|plan|release|report|propose|decide|budget|ledger|proposals)$/;

export const post = <T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> =>
  ask<T>("POST", path, body, signal);

/** Run one request at a time: a newer one ends the older one, whose answer is never shown. */
export function latest(): <T>(
  run: (signal: AbortSignal) => Promise<T>,
  done: (answer: T) => void,
  failed: (error: ServiceError) => void,
) => Promise<void> {
  let current: AbortController | null = null;
  return async (run, done, failed) => {
    current?.abort();
    const mine = new AbortController();
    current = mine;
    try {
      const answer = await run(mine.signal);
      if (current === mine) done(answer);
    } catch (error) {
      if (mine.signal.aborted || current !== mine) return;
      if (error instanceof ServiceError) failed(error);
      else throw error;
    }
  };
}

let turn = 0; // there is one hand, and it is at one place

/** The hand has gone elsewhere: what was asked for ahead of it is not wanted any more. */
export function elsewhere(): void {
  turn += 1;
}

/** Answers that are asked for before they are needed: those of all positions of a slider that the hand
 * comes near. They are kept for so many milliseconds. */
export class Foreseen<T> {
  private readonly known = new Map<string, { answer: Promise<T>; since: number }>();

  constructor(
    private readonly path: string,
    private readonly keep = Infinity,
  ) {}

  /** The answer as it was foreseen; else, or if that failed, the service is asked now. */
  ask(body: unknown, signal: AbortSignal): Promise<T> {
    const now = (): Promise<T> => post<T>(this.path, body, signal);
    return this.find(JSON.stringify(body))?.catch(now) ?? now();
  }

  /** Ask for these, one after the other, until the hand is elsewhere. */
  async near(bodies: readonly unknown[]): Promise<void> {
    elsewhere();
    const mine = turn;
    for (const body of bodies) {
      const key = JSON.stringify(body);
      if (mine !== turn) return;
      if (this.find(key)) continue;
      const answer = post<T>(this.path, body);
      this.known.set(key, { answer, since: performance.now() });
      try {
        await answer;
      } catch (error) {
        if (error instanceof ServiceError && error.status === 400) continue; // it stays refused
        this.known.delete(key);
        return;
      }
    }
  }

  /** Something has happened that changes the answers. */
  forget(): void {
    elsewhere();
    this.known.clear();
  }

  private find(key: string): Promise<T> | null {
    const found = this.known.get(key);
    return found && performance.now() - found.since < this.keep ? found.answer : null;
  }
}

const PATIENCE = 300; // milliseconds

/** Run at once, or when what runs has ended: an answer follows a moving slider without piling up. What
 * takes long is not waited for. */
export function inTurn(run: () => Promise<void>): () => void {
  let turn: object | null = null;
  let again = false;
  const next = (): void => {
    const mine = (turn = again ? {} : null);
    if (!again) return;
    again = false;
    const over = (): void => {
      clearTimeout(late);
      if (turn === mine) next();
    };
    const late = setTimeout(over, PATIENCE);
    void run().finally(over);
  };
  return () => {
    again = true;
    if (!turn) next();
  };
}

export function debounce<A extends unknown[]>(wait: number, run: (...given: A) => void): (...given: A) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(run, wait, ...given);
  };
}

// --- what the service answers ---------------------------------------------------------------------

export interface Entry {
  name: string;
  summary: string;
  example?: string | null;
  usage?: string;
  arguments?: { name: string; default: string | null; about?: string | null }[];
}

export interface Catalogue {
  mechanisms: Entry[];
  definitions: Entry[];
  beliefs: Entry[];
  universes: Entry[];
  questions: Question[];
}

let known: Promise<Catalogue> | null = null;

/** The catalogue is asked for once. */
export function catalogue(): Promise<Catalogue> {
  known ??= ask<Catalogue>("GET", "catalogue").catch((error) => {
    known = null;
    throw error;
  });
  return known;
}

export interface Witness {
  databases?: string[];
  output?: string;
  output_probabilities?: Numeral[];
  event?: unknown;
  event_in_words?: string | null;
  probabilities?: Numeral[];
}

export interface Verdict {
  mechanism?: string;
  definition: string;
  holds?: boolean | null;
  ratio?: Numeral | null;
  epsilon?: Numeral | null;
  delta?: Numeral | null;
  witness?: Witness | null;
  sentence: string;
  assumptions?: string[];
  notes?: string[];
  method?: string;
  arithmetic?: string;
}

/** The laws of outputs that no whole matrix shows; one row for each output. */
export interface LawsAnswer {
  databases: string[];
  outputs: string[];
  values: number[][];
  /** the same exactly, where these are a few of very many outputs */
  exact: Numeral[][] | null;
  /** whether outputs are numbers on a line */
  line: boolean;
  /** whether the values are densities */
  density: boolean;
}

export interface MechanismAnswer {
  expression: string;
  universe: string;
  window: boolean;
  databases: string[];
  outputs: string[];
  matrix: Numeral[][] | null;
  laws: LawsAnswer | null;
  pairs: [number, number][];
  price: Verdict;
  profile: { epsilon: number[]; delta: number[] } | null;
  tradeoff: { points: [number, number][]; sentence: string } | null;
  definitions:
    | {
        definition: string;
        holds: boolean | null;
        sentence: string;
        /** of one that fails: the sentence without its first word */
        why?: string | null;
        witness_in_words?: string | null;
      }[]
    | null;
}

export interface PosteriorAnswer {
  worst: Verdict & {
    odds: string;
    witness: { belief: Record<string, Numeral>; output: string; person: number } | null;
  };
}

export interface GuaranteesAnswer {
  source: string;
  universe: string;
  columns: string[] | null;
  count: number | string;
  /** the one sentence that says most */
  headline: string;
  statements: {
    words: string;
    more: string;
    inequality: { text: string } | null;
    belief: Record<string, Numeral> | null;
    certificate: unknown;
  }[];
  rays: string[][] | null;
  approximation: string | null;
  note: string | null;
}

export interface NoiselessAnswer {
  at: Verdict;
  belief: string;
  sentence: string;
}
