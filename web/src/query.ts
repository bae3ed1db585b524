/** Datasets as the policy declares them, and the SQL that the query builder writes. */

export interface Column {
  name: string;
  kind: string;
  bounds: [string, string] | null;
  keys: (string | number | boolean)[];
  bins: string[];
  grid: number;
}

export interface Dataset {
  name: string;
  neighbours: string;
  unit: { person: string | null; rows: number | null; groups: number | null };
  columns: Column[];
  budget: { cap: string } | null;
  analysts: Record<string, unknown>;
}

export interface Asked {
  count: boolean;
  /** such as AVG(income) */
  numbers: string[];
  groups: string[];
  filter: { column: string; is: string; value: string } | null;
}

export const groupable = (dataset: Dataset): Column[] =>
  dataset.columns.filter((column) => column.keys.length > 0);

export const summable = (dataset: Dataset): Column[] =>
  dataset.columns.filter((column) => column.bounds !== null && column.kind !== "text");

const name = (text: string): string =>
  /^[A-Za-z_]\w*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;

/** Write the query; a group of columns is named before what is asked of it. */
export function sqlOf(dataset: Dataset, asked: Asked): string {
  const wanted = [...(asked.count ? ["COUNT(*)"] : []), ...asked.numbers];
  const listed = [...asked.groups.map(name), ...(wanted.length ? wanted : ["COUNT(*)"])];
  const parts = [`SELECT ${listed.join(", ")} FROM ${name(dataset.name)}`];
  if (asked.filter) {
    const { column, is, value } = asked.filter;
    const kind = dataset.columns.find((one) => one.name === column)?.kind;
    const literal =
      kind === "integer" || kind === "number" ? value : `'${value.replaceAll("'", "''")}'`;
    parts.push(`WHERE ${name(column)} ${is} ${literal}`);
  }
  if (asked.groups.length) parts.push(`GROUP BY ${asked.groups.map(name).join(", ")}`);
  return parts.join(" ");
}
