/** Datasets as the policy declares them, and the SQL that the query builder writes. */

export interface Column {
  name: string;
  kind: string;
  bounds: [string, string] | null;
  keys: (string | number | boolean)[];
  bins: string[];
  grid: number;
}

export interface PublicTable {
  name: string;
  key: string;
  columns: Column[];
}

export interface Dataset {
  /** whether a release needs a reviewer's approval */
  review?: boolean;
  name: string;
  neighbours: string;
  unit: { person: string | null; rows: number | null; groups: number | null };
  columns: Column[];
  public?: PublicTable[];
  budget: { cap: string } | null;
  analysts: Record<string, unknown>;
}

export interface Condition {
  column: string;
  /** a comparison, or "IS NULL" or "IS NOT NULL" */
  is: string;
  value: string;
}

export interface Asked {
  /** such as COUNT(*) and AVG(income) */
  aggregates: string[];
  /** names of columns; those of a public table have its name and a dot before them */
  groups: string[];
  /** the column by which each public table is looked up */
  lookups: Record<string, string>;
  conditions: Condition[];
}

export const MISSING = ["IS NULL", "IS NOT NULL"] as const;

/** The most modest question that a dataset can be asked: how many, in each group of one column. */
export function firstAsked(dataset: Dataset): Asked {
  const groups = groupable(dataset, {}).slice(0, 1);
  return { aggregates: ["COUNT(*)"], groups, lookups: {}, conditions: [] };
}

/** What may be asked for, as SQL and in words. */
export function aggregates(dataset: Dataset): [string, string][] {
  const found: [string, string][] = [["COUNT(*)", "number of rows"]];
  if (dataset.unit.person) found.push(["PEOPLE()", "number of people"]);
  for (const column of dataset.columns) {
    if (column.bounds === null || !NUMBERS.includes(column.kind)) continue;
    const call = name(column.name);
    found.push(
      [`AVG(${call})`, `mean of ${column.name}`],
      [`SUM(${call})`, `sum of ${column.name}`],
      [`VAR_POP(${call})`, `variance of ${column.name}`],
    );
    if (column.grid > 0)
      found.push(
        [`MEDIAN(${call})`, `median of ${column.name}`],
        [`QUANTILE(${call}, 0.9)`, `90% quantile of ${column.name}`],
      );
  }
  return found;
}

const NUMBERS = ["integer", "number"];

/** The columns whose groups the policy declares, by keys or by bins. */
export function groupable(dataset: Dataset, lookups: Record<string, string>): string[] {
  const grouped = (column: Column): boolean => column.keys.length > 0 || column.bins.length > 1;
  return columnsOf(dataset, lookups)
    .filter(([, column]) => grouped(column))
    .map(([label]) => label);
}

/** All columns that a condition may name, those of public tables that are looked up included. */
export function columnsOf(dataset: Dataset, lookups: Record<string, string>): [string, Column][] {
  const own = dataset.columns
    .filter((column) => column.name !== dataset.unit.person)
    .map((column) => [column.name, column] as [string, Column]);
  const looked = (dataset.public ?? [])
    .filter((table) => lookups[table.name])
    .flatMap((table) =>
      table.columns.map((column) => [`${table.name}.${column.name}`, column] as [string, Column]),
    );
  return [...own, ...looked];
}

const name = (text: string): string =>
  /^[A-Za-z_]\w*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;

/** A column, or table.column where the table is a public one. */
function reference(dataset: Dataset, label: string): string {
  const table = (dataset.public ?? []).find((one) => label.startsWith(`${one.name}.`));
  return table ? `${name(table.name)}.${name(label.slice(table.name.length + 1))}` : name(label);
}

/** Write the query; a group of columns is named before what is asked of it. */
export function sqlOf(dataset: Dataset, asked: Asked): string {
  const groups = asked.groups.map((label) => reference(dataset, label));
  const wanted = asked.aggregates.length ? asked.aggregates : ["COUNT(*)"];
  const parts = [`SELECT ${[...groups, ...wanted].join(", ")} FROM ${name(dataset.name)}`];
  for (const [table, column] of Object.entries(asked.lookups))
    if (column)
      parts.push(
        `LEFT JOIN ${name(table)} ON ${name(dataset.name)}.${name(column)} = KEY(${name(table)})`,
      );
  const conditions = asked.conditions.map((one) => condition(dataset, asked.lookups, one));
  if (conditions.length) parts.push(`WHERE ${conditions.join(" AND ")}`);
  if (groups.length) parts.push(`GROUP BY ${groups.join(", ")}`);
  return parts.join(" ");
}

function condition(dataset: Dataset, lookups: Record<string, string>, one: Condition): string {
  const left = reference(dataset, one.column);
  if (one.is === "IS NULL" || one.is === "IS NOT NULL") return `${left} ${one.is}`;
  const found = columnsOf(dataset, lookups).find(([label]) => label === one.column);
  return `${left} ${one.is} ${literal(found?.[1].kind ?? "text", one.value)}`;
}

function literal(kind: string, value: string): string {
  if (NUMBERS.includes(kind)) return value.trim() || "0";
  if (kind === "boolean") return value.toUpperCase() === "TRUE" ? "TRUE" : "FALSE";
  const quoted = `'${value.replaceAll("'", "''")}'`;
  return kind === "date" ? `DATE ${quoted}` : quoted;
}

// --- reading a query back into the boxes of the builder, where the builder could have written it -----

const tidy = (text: string): string => text.trim().replace(/\s+/g, " ");

/** Return what the builder would have to hold to write this text; null where it never writes it. */
export function readAsked(dataset: Dataset, text: string): Asked | null {
  const sql = tidy(text);
  const asked: Asked = { aggregates: [], groups: [], lookups: {}, conditions: [] };
  for (const table of dataset.public ?? [])
    for (const column of dataset.columns) {
      const looked = { ...asked, lookups: { [table.name]: column.name } };
      const join = / LEFT JOIN .*$/.exec(sqlOf(dataset, looked))?.[0];
      if (join && sql.includes(join)) asked.lookups[table.name] = column.name;
    }
  const parts = /^SELECT (.*?) FROM .*?(?: WHERE (.*?))?(?: GROUP BY (.*))?$/.exec(sql);
  if (!parts) return null;
  const [, selected = "", where, grouped] = parts;
  const labels = columnsOf(dataset, asked.lookups);
  for (const written of grouped?.split(", ") ?? []) {
    const label = labels.find(([one]) => one === written || quotedParts(one) === written)?.[0];
    if (label === undefined) return null;
    asked.groups.push(label);
  }
  let rest = grouped ? selected.slice(grouped.length + 2) : selected;
  while (rest) {
    const call = aggregates(dataset).find(([one]) => rest === one || rest.startsWith(`${one}, `));
    if (!call) return null;
    asked.aggregates.push(call[0]);
    rest = rest.slice(call[0].length + 2);
  }
  for (const written of where?.split(" AND ") ?? []) {
    const found = readCondition(labels, written);
    if (!found) return null;
    asked.conditions.push(found);
  }
  return tidy(sqlOf(dataset, asked)) === sql ? asked : null;
}

function readCondition(labels: [string, Column][], written: string): Condition | null {
  const found = /^(\S+|"[^"]+") (IS NULL|IS NOT NULL|(=|<>|<=|>=|<|>) ([^\s']+|(?:DATE )?'.*'))$/.exec(written);
  if (!found) return null;
  const [, left = "", missing = "", is, right = ""] = found;
  const label = labels.find(([one]) => one === left || quotedParts(one) === left)?.[0];
  if (label === undefined) return null;
  if (is === undefined) return { column: label, is: missing, value: "" };
  const text = /^(?:DATE )?'(.*)'$/.exec(right)?.[1];
  return { column: label, is, value: text === undefined ? right : text.replaceAll("''", "'") };
}

const quotedParts = (label: string): string => `"${label.replaceAll('"', '""')}"`;
