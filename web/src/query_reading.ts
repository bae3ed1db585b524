/** Read a query back into the boxes of the builder, where the builder could have written it. */

import {
  aggregates,
  type Asked,
  type Column,
  columnsOf,
  type Condition,
  type Dataset,
  sqlOf,
} from "./query";

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
