"""From SQL to a query: one SELECT over one dataset, with look-ups in public tables.

The text is parsed once, by sqlglot; then every node is matched by its exact type and every argument
of a node is accounted for. A node or an argument that is not known here is refused.

GROUP BY: from sqlglot's nodes to groups.

region                          the keys or bins of the policy
KEYS(region, 'north', 'south')  these keys
BIN(age, 0, 18, 65, 120)        [0, 18), [18, 65), [65, 120]
WITH_OTHER(...)                 any of these, and one more group for everything else
DISCOVER(city)                  keys read off the data, above a threshold that costs a delta
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sqlglot
from sqlglot import Token, TokenType, exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ParseError

from twoworlds.errors import InvalidInput, TooLarge
from twoworlds.release.policy.model import Dataset, Policy
from twoworlds.release.query.conditions import Condition, Missing, Not
from twoworlds.release.query.model import GroupAxis, Query, group_axis
from twoworlds.release.query.sql.expressions import (
    Scope,
    add_aggregate,
    check_arguments,
    constant,
    match_name,
    number,
    plain_name,
    read_condition,
    refusal,
    unwrapped,
    why_not,
)

_FUNCTIONS = {
    "keys": "KEYS(region, 'north', 'south')",
    "bin": "BIN(age, 0, 18, 65)",
    "with_other": "WITH_OTHER(region)",
    "discover": "DISCOVER(city)",
}
LONGEST = 50_000
DEEPEST = 25
_SHAPE = "a query is SELECT keys and aggregates FROM a dataset, then WHERE and GROUP BY"
_NESTED = f"the SQL is nested too deeply (at most {DEEPEST} levels of parentheses): write it flat"
_OPENING = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE)
_CLOSING = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE)
_UNDERSTOOD = ("expressions", "from", "joins", "where", "group")
_CLAUSES = {
    "with": "WITH: no query inside a query: a query reads one dataset",
    "distinct": "SELECT DISTINCT: keys are declared, not read off the data: use GROUP BY",
    "having": "HAVING: every declared key is answered: choose among the answers afterwards",
    "order": "ORDER BY: answers come in the order of the declared keys: sort them afterwards",
    "limit": "LIMIT: every declared key is answered: choose among the answers afterwards",
    "offset": "OFFSET: every declared key is answered: choose among the answers afterwards",
    "qualify": "QUALIFY: window functions are not answered: use GROUP BY",
    "windows": "WINDOW: window functions are not answered: use GROUP BY",
    "sample": "SAMPLE: the whole dataset is used: leave it out",
    "into": "INTO: a query only reads: leave it out",
    "locks": "FOR: a query only reads: leave it out",
}


def parse(text: str, declared: Dataset | Policy) -> Query:
    """Return the query that the SQL asks of a dataset."""
    try:
        return _parsed(text, declared)
    except InvalidInput as error:
        name = _unquoted(text, declared)
        if name is not None:
            error.args = (f'{error}; where {name} is the column, write it in quotes: "{name}"',)
        raise


def _unquoted(text: str, declared: Dataset | Policy) -> str | None:
    """Return a column that stands bare in the text, though its name is a word of SQL or several."""
    datasets = [declared] if isinstance(declared, Dataset) else declared.datasets.values()
    known = {name.casefold(): name for one in datasets for name in one.columns}
    try:
        tokens = _tokens(text)
    except InvalidInput:
        return None
    bare = [one for one in tokens if one.token_type not in (TokenType.STRING, TokenType.IDENTIFIER)]
    together = "".join(one.text for one in bare).casefold()
    reserved = {one.text.casefold() for one in bare if one.token_type != TokenType.VAR}
    return next(
        (
            name
            for key, name in known.items()
            if key in reserved or (not name.isidentifier() and "".join(key.split()) in together)
        ),
        None,
    )


def _parsed(text: str, declared: Dataset | Policy) -> Query:
    select = _select(text)
    for name, value in select.args.items():
        clause = name.strip("_")
        if clause not in _UNDERSTOOD and value is not None and value is not False and value != []:
            word = clause.replace("_", " ").upper()
            raise InvalidInput(_CLAUSES.get(clause, f"{word} is not understood: {_SHAPE}"))
    scope, joins, conditions = _tables(select, declared)
    where = select.args.get("where")
    if where is not None:
        conditions.append(read_condition(where.this, scope))
    groups = _groups(select, scope)
    query = Query(scope.dataset.name, groups=groups, joins=joins)
    for condition in conditions:
        query = query.where(condition)
    for item in select.expressions:
        if not _is_key(item, groups, scope):
            query = add_aggregate(query, item, scope, text)
    if not query.aggregates:
        raise InvalidInput("the query asks for no aggregate: add COUNT(*), SUM(x), ...")
    return query


def _select(text: str) -> exp.Select:
    """Return the one SELECT of a text."""
    tokens = _tokens(text)
    try:
        [tree] = DuckDB().parser().parse(tokens, text)
    except ParseError as error:
        raise InvalidInput(_where_it_stopped(error)) from None
    except RecursionError:
        raise TooLarge(_NESTED) from None
    except Exception:  # whatever a parser raises on garbage is the text's fault
        raise InvalidInput(f"the SQL cannot be read: {_SHAPE}") from None
    if type(tree) is not exp.Select:
        if isinstance(tree, exp.SetOperation):
            raise InvalidInput("UNION and its like: ask each SELECT as a query of its own")
        raise InvalidInput(f"the SQL is not a plain SELECT: {_SHAPE}")
    return tree


def _tokens(text: str) -> list[Token]:
    """Return the tokens of one statement, after everything that could trouble the parser."""
    if not isinstance(text, str):
        raise InvalidInput(f"SQL is a text, not {type(text).__name__}")
    if len(text) > LONGEST:
        raise TooLarge(f"the SQL has {len(text):,} characters: at most {LONGEST:,} are read")
    if "\0" in text:
        raise InvalidInput("the SQL holds the character 0, which no engine reads: remove it")
    try:
        tokens = list(sqlglot.tokenize(text, read="duckdb"))
    except Exception:  # of sqlglot, for a quote or comment that is not closed, and other garbage
        raise InvalidInput("the SQL cannot be read: is a quote or a comment left open?") from None
    while tokens and tokens[-1].token_type == TokenType.SEMICOLON:
        tokens.pop()
    if not tokens:
        raise InvalidInput(f"the SQL is empty: {_SHAPE}")
    if any(token.token_type == TokenType.SEMICOLON for token in tokens):
        raise InvalidInput("there are several statements: ask one query at a time")
    first = tokens[0]
    starts = (TokenType.SELECT, TokenType.FROM, TokenType.WITH, TokenType.L_PAREN)
    if first.token_type not in starts:
        raise InvalidInput(f"the SQL begins with {first.text[:20]!r}: {_SHAPE}")
    depth = 0
    for token in tokens:
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if depth > DEEPEST:
            raise TooLarge(_NESTED)
    return tokens


def _where_it_stopped(error: ParseError) -> str:
    """Return sqlglot's complaint in one line."""
    details: dict[str, Any] = error.errors[0] if error.errors else {}
    description = str(details.get("description") or "")
    plain = description.startswith("Expect") and "<Token" not in description
    saying = f" ({description})" if plain else ""
    near = " ".join(str(details.get("highlight") or "").split())[:20]
    return (
        f"the SQL cannot be read at line {details.get('line', 1)}, column {details.get('col', 1)}, "
        f"near {near!r}{saying}: {_SHAPE}"
    )


def _tables(
    select: exp.Select, declared: Dataset | Policy
) -> tuple[Scope, tuple[tuple[str, str], ...], list[Condition]]:
    """Read FROM and JOIN; an inner join also asks that the row was found."""
    source = select.args.get("from_", select.args.get("from"))
    known = [declared.name] if isinstance(declared, Dataset) else list(declared.datasets)
    if source is None:
        raise InvalidInput(f"FROM is missing: write FROM {' or '.join(known)}")
    visible, name = _table(source.this, "dataset", known)
    dataset = declared if isinstance(declared, Dataset) else declared.dataset(name)
    tables: dict[str, str | None] = {visible: None}
    joins: list[tuple[str, str]] = []
    conditions: list[Condition] = []
    for node in select.args.get("joins") or ():
        if node.args.get("on") is None:
            raise refusal(node, _lookup(dataset))
        check_arguments(node, "this", "on", "side", "kind")
        side, kind = (str(node.args.get(name) or "").upper() for name in ("side", "kind"))
        if (side, kind) not in (("LEFT", ""), ("LEFT", "OUTER"), ("", ""), ("", "INNER")):
            raise refusal(node, _lookup(dataset))
        if node.this.name.casefold() == dataset.name.casefold() not in dataset.public:
            raise refusal(node, "a dataset is not joined with itself, only with public tables")
        private = [one.casefold() for one in known if one not in dataset.public]
        if node.this.name.casefold() in private:
            raise refusal(
                node, "private tables are not joined with each other, only with public tables"
            )
        visible, table = _table(node.this, "public table", dataset.public)
        if visible in tables:
            raise refusal(node, "two tables have one name: write an alias, as in regions AS r")
        tables[visible] = table
        scope = Scope(dataset, tables)
        joins.append((table, _joined_by(node, visible, table, scope)))
        if not side:
            conditions.append(_found(node, table, dataset))
    return Scope(dataset, tables), tuple(joins), conditions


def _table(node: exp.Expr, kind: str, known: Any) -> tuple[str, str]:
    """Return the name under which a table is visible, and its own."""
    if type(node) is not exp.Table or type(node.this) is not exp.Identifier:
        raise why_not(unwrapped(node), f"FROM takes a {kind} of the policy by its name")
    if node.args.get("db") is not None:
        raise refusal(node, "tables are named as in the policy, without a schema")
    check_arguments(node, "this", "alias")
    name = match_name(kind, node.this.name, known)
    alias = node.args.get("alias")
    if alias is not None:
        check_arguments(alias, "this")
    return node.alias or name, name


def _joined_by(node: exp.Expr, visible: str, table: str, scope: Scope) -> str:
    """Return the column of the dataset that is looked up in the key of a public table."""
    on = unwrapped(node.args["on"])
    if type(on) is not exp.EQ:
        raise refusal(on, _lookup(scope.dataset))
    sides = [unwrapped(on.this), unwrapped(on.expression)]
    keys = [side for side in sides if _is_key_of(side, visible, table, scope)]
    if len(keys) != 1:
        raise refusal(on, _lookup(scope.dataset))
    other = sides[1] if sides[0] is keys[0] else sides[0]
    column = scope.column(other)
    if column not in scope.dataset.columns:
        raise refusal(on, "a public table is joined by a column of the dataset")
    return column


def _is_key_of(node: exp.Expr, visible: str, table: str, scope: Scope) -> bool:
    if plain_name(node) == "key" and len(node.expressions) == 1:
        named = node.expressions[0]
        alone = type(named) is exp.Column and not named.table
        return alone and named.name.casefold() == visible.casefold()
    if type(node) is not exp.Column or not node.table:
        return False
    key = scope.dataset.public[table].key
    if match_name("table", node.table, scope.tables) != visible:
        return False
    return match_name("column", node.name, {key, *scope.dataset.public[table].columns}) == key


def _found(node: exp.Expr, table: str, dataset: Dataset) -> Condition:
    """Return what an inner join says besides the look-up: that the key was found."""
    key = dataset.public[table].key
    if key not in dataset.public[table].columns:
        raise refusal(
            node,
            f"an inner join leaves out rows without a match, which shows in {table}.{key}, and the "
            "policy does not declare it: write LEFT JOIN",
        )
    return Not(Missing(f"{table}.{key}"))


def _lookup(dataset: Dataset) -> str:
    tables = dataset.public.values()
    if not tables:
        return "the policy declares no public table, and nothing else is joined"
    table = next(iter(tables))
    return (
        "a public table is looked up by its key: write "
        f"LEFT JOIN {table.name} ON {dataset.name}.column = {table.name}.{table.key}"
    )


def _groups(select: exp.Select, scope: Scope) -> tuple[GroupAxis, ...]:
    group = select.args.get("group")
    if group is None:
        return ()
    for name, value in group.args.items():
        if name != "expressions" and value:
            raise InvalidInput(f"GROUP BY {name.upper()}: list the columns: GROUP BY region, age")
    if not group.expressions:
        raise InvalidInput("GROUP BY names no column: name one, as in GROUP BY region")
    return tuple(read_group(_numbered(item, select), scope) for item in group.expressions)


def _numbered(item: exp.Expr, select: exp.Select) -> exp.Expr:
    """Return what an item of GROUP BY stands for: 2 stands for the second item of SELECT."""
    item = unwrapped(item)
    if type(item) is not exp.Literal or item.is_string:
        return item
    items = select.expressions
    if not (item.this.isascii() and item.this.isdigit() and len(item.this) <= 6):
        raise refusal(item, "GROUP BY takes columns, or their places in SELECT")
    place = int(item.this)
    if not 1 <= place <= len(items):
        raise refusal(item, f"GROUP BY {place}: SELECT has {len(items)} items")
    chosen: exp.Expr = unwrapped(items[place - 1].unalias())
    if not is_group(chosen):
        raise refusal(chosen, f"GROUP BY {place} names this, which is not a key")
    return chosen


def _is_key(item: exp.Expr, groups: tuple[GroupAxis, ...], scope: Scope) -> bool:
    """Whether an item of SELECT is a key, after checking that it is grouped by."""
    inner = unwrapped(item.unalias())
    if not is_group(inner):
        return False
    by = read_group(inner, scope)
    same = next((group for group in groups if group.column == by.column), None)
    if same is None or (same != by and type(inner) is not exp.Column):
        raise refusal(inner, "this is selected and not grouped by: add it to GROUP BY as it is")
    if type(item) is exp.Alias and item.alias != by.column:
        raise refusal(item, f"keys keep their names: leave out AS {item.alias}")
    return True


def is_group(node: exp.Expr) -> bool:
    """Whether a node can name a group: a column, or one of the functions above."""
    return type(node) is exp.Column or plain_name(node) in _FUNCTIONS


def read_group(node: exp.Expr, scope: Scope) -> GroupAxis:
    """Return the group that a node says."""
    node = unwrapped(node)
    function = plain_name(node)
    if type(node) is exp.Column:
        return GroupAxis(scope.column(node))
    if function not in _FUNCTIONS:
        raise why_not(
            node,
            "GROUP BY takes columns, BIN(...), KEYS(...), WITH_OTHER(...) and DISCOVER(...)",
            tuple(_FUNCTIONS),
        )
    if not node.expressions:
        raise refusal(node, f"write {_FUNCTIONS[function]}")
    first, *rest = node.expressions
    if function == "with_other" and not rest:
        return replace(read_group(first, scope), other=True)
    column = scope.column(unwrapped(first))
    if function == "keys":
        kind = scope.kind(column)
        return group_axis(column, keys=[constant(item, kind) for item in rest])
    if function == "bin":
        return group_axis(column, bins=[number(item) for item in rest])
    if rest:
        raise refusal(node, f"write {_FUNCTIONS[function]}")
    return GroupAxis(column, discover=True)
