/** The query builder: what to ask for, in which groups, of whom. It writes SQL. */

import { button, checkField, type Child, type Field, h, replace, selectField, textField } from "../dom";
import {
  aggregates,
  type Asked,
  type Column,
  columnsOf,
  type Condition,
  type Dataset,
  groupable,
  MISSING,
} from "../query";

const PLACES = "select, input, button";

/** Fill a place with the builder of a dataset; `changed` is called after every change. */
export function buildQuery(
  root: HTMLElement,
  dataset: Dataset,
  asked: Asked,
  changed: () => void,
): void {
  /** Lay everything out anew, and leave the focus where it was. */
  const again = (): void => {
    const places = (): HTMLElement[] => [...root.querySelectorAll<HTMLElement>(PLACES)];
    const focused = places().indexOf(document.activeElement as HTMLElement);
    draw();
    changed();
    if (focused >= 0) places()[Math.min(focused, places().length - 1)]?.focus();
  };
  const toggle = (list: string[], item: string, on: boolean): void => {
    const at = list.indexOf(item);
    if (on && at < 0) list.push(item);
    if (!on && at >= 0) list.splice(at, 1);
    changed();
  };

  function draw(): void {
    const groups = groupable(dataset, asked.lookups);
    replace(
      root,
      boxes(
        "Ask for",
        aggregates(dataset).map(([call, words]) =>
          checkField(words, asked.aggregates.includes(call), (on) =>
            toggle(asked.aggregates, call, on),
          ),
        ),
      ),
      groups.length
        ? boxes(
            "For each",
            groups.map((label) =>
              checkField(label, asked.groups.includes(label), (on) =>
                toggle(asked.groups, label, on),
              ),
            ),
          )
        : null,
      ...(dataset.public ?? []).map((table) => lookup(table.name)),
      h(
        "fieldset",
        { class: "stack" },
        h("legend", {}, "Only where"),
        ...asked.conditions.map((one, i) => conditionRow(one, i)),
        h(
          "div",
          { class: "actions" },
          button(asked.conditions.length ? "And …" : "Add a condition", () => {
            asked.conditions.push(firstCondition());
            again();
          }),
        ),
      ),
    );
  }

  function lookup(table: string): HTMLElement {
    return selectField({
      label: `Look up ${table} by`,
      value: asked.lookups[table] ?? "",
      choices: [
        ["", "not needed"],
        ...dataset.columns.map((column) => [column.name, column.name] as const),
      ],
      onchange: (column) => {
        asked.lookups[table] = column;
        const left = new Set(columnsOf(dataset, asked.lookups).map(([label]) => label));
        asked.groups = asked.groups.filter((label) => left.has(label));
        asked.conditions = asked.conditions.filter((one) => left.has(one.column));
        again();
      },
    }).root;
  }

  function columnNamed(label: string): Column | undefined {
    return columnsOf(dataset, asked.lookups).find(([one]) => one === label)?.[1];
  }

  function firstCondition(): Condition {
    const used = asked.conditions.map((one) => one.column);
    const columns = columnsOf(dataset, asked.lookups).map(([label]) => label);
    return usual(columns.find((label) => !used.includes(label)) ?? columns[0] ?? "");
  }

  function usual(label: string): Condition {
    const column = columnNamed(label);
    const value = String(column?.keys[0] ?? column?.bounds?.[0] ?? "");
    return { column: label, is: column?.keys.length ? "=" : ">=", value };
  }

  function conditionRow(one: Condition, i: number): HTMLElement {
    const column = columnNamed(one.column);
    const choose = selectField({
      label: "Column",
      value: one.column,
      choices: columnsOf(dataset, asked.lookups).map(([label]) => [label, label]),
      onchange: (label) => {
        asked.conditions[i] = usual(label);
        again();
      },
    });
    const compare = selectField({
      label: "is",
      value: one.is,
      choices: comparisons(column),
      onchange: (is) => {
        one.is = is;
        again();
      },
    });
    const missing = (MISSING as readonly string[]).includes(one.is);
    return h(
      "div",
      { class: "condition" },
      h(
        "div",
        { class: "row" },
        choose.root,
        compare.root,
        missing ? null : valueField(one, column).root,
      ),
      button(
        "Remove",
        () => {
          asked.conditions.splice(i, 1);
          again();
        },
        "plain",
      ),
    );
  }

  function valueField(one: Condition, column: Column | undefined): Field {
    const onchange = (value: string): void => {
      one.value = value;
      changed();
    };
    return column?.keys.length
      ? selectField({
          label: "Value",
          value: one.value,
          choices: [...new Set([...column.keys.map(String), one.value])].map((key) => [key, key]),
          onchange,
        })
      : textField({
          label: "Value",
          value: one.value,
          hint: column?.bounds ? `${column.bounds[0]} to ${column.bounds[1]}` : undefined,
          onchange,
        });
  }

  draw();
}

function comparisons(column: Column | undefined): [string, string][] {
  const ordered = column?.kind === "integer" || column?.kind === "number" || column?.kind === "date";
  const signs = ordered ? ["=", "<>", "<", "<=", ">", ">="] : ["=", "<>"];
  return [
    ...signs.map((is) => [is, is] as [string, string]),
    ["IS NULL", "missing"],
    ["IS NOT NULL", "not missing"],
  ];
}

function boxes(legend: string, checks: Child[]): HTMLElement {
  return h("fieldset", {}, h("legend", {}, legend), h("div", { class: "checks" }, ...checks));
}
