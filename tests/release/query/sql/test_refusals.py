"""parse_sql: what is outside the subset is refused, with the part and the reason."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.release.query.people import PEOPLE, ROWS
from twoworlds.errors import InvalidInput
from twoworlds.release.policy import parse_policy
from twoworlds.release.query import resolve
from twoworlds.release.query.sql import parse_sql, to_sql

SELECT = [  # SELECT ... FROM people
    ("*", r"^\*: name the keys"),
    ("people.*", "people.*: name the keys"),
    ("age, COUNT(*)", "age: this is selected and not grouped by"),
    ("1", "1: an aggregate is expected"),
    ("MIN(age)", r"MIN\(age\): .* ask for a quantile"),
    ("MODE(age)", "the aggregates are COUNT"),
    ("SUM(DISTINCT age)", "DISTINCT age: every row is used"),
    ("COUNT(DISTINCT region)", r"as COUNT\(DISTINCT pid\)"),
    ("COUNT(DISTINCT pid, age)", r"as COUNT\(DISTINCT pid\)"),
    ("COUNT(people.KEY)", "may be 'Key' or 'key': write it exactly"),
    ("MEAN(age, income)", r"a mean is AVG\(age\)"),
    ("COUNT(1)", r"rows are counted with COUNT\(\*\)"),
    ("COUNT(people.*)", r"rows are counted with COUNT\(\*\)"),
    ("COUNT(age, income)", "COUNT takes one column"),
    ("COUNT()", r"COUNT\(\*\)"),
    ("SUM(age) + 1", r"SUM\(age\) \+ 1: no computing with aggregates"),
    ("SUM(age + 1)", r"^age \+ 1: no arithmetic"),
    ("SUM(ABS(age))", r"^ABS\(age\): no such function"),
    ("SUM(1)", "1: a column is expected"),
    ("SUM(CASE WHEN member THEN 1 END)", "one aggregate for each case"),
    ("SUM(LEAST(age, 3))", "both of them"),
    ("SUM(LEAST(GREATEST(age, income), 4))", "both of them"),
    ("SUM(LEAST(GREATEST(age, 1, 2), 4))", "both of them"),
    ("SUM(LEAST(GREATEST(age, 'a'), 4))", "'a': a constant is expected"),
    ("SUM(age ORDER BY age)", "age"),
    ("SUM(age) OVER ()", "window functions are not answered"),
    ("COUNT(*) FILTER (WHERE member) OVER ()", "window functions are not answered"),
    ("SUM(age) FILTER (WHERE SUM(age) > 3)", "an aggregate stands in SELECT"),
    ("QUANTILE(age)", "a quantile is QUANTILE"),
    ("QUANTILE(age, [0.1, 0.2])", r"\[0.1, 0.2\]: give one constant"),
    ("QUANTILE(age, 1.5)", "lies between 0 and 1"),
    ("QUANTILE(age, income)", "income: a constant is expected"),
    ("APPROX_QUANTILE(age, 0.5)", "a quantile is QUANTILE"),
    ("PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY age)", "a quantile is QUANTILE"),
    ("PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age DESC)", "age DESC: leave out DESC"),
    ("PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age NULLS FIRST)", "NULLS FIRST"),
    ("PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age, income)", "a quantile is QUANTILE"),
    ("WITH_SHARE(COUNT(*))", "an aggregate and its share"),
    ("WITH_SHARE(COUNT(*), 0)", "share=0 must be positive"),
    ("WITH_SHARE(COUNT(*), age)", "age: a constant is expected"),
    ("SM(age)", "unknown function 'sm': did you mean 'sum'"),
    ("UPPER(city)", r"UPPER\(city\): no such function"),
    ("(SELECT 1)", "no query inside a query"),
    ("COUNT(*), COUNT(*)", "called 'count': rename one"),
    ("COUNT(*) AS ''", "is not the name"),
    ("AVG(agee)", "unknown column 'agee', which the policy does not declare: did you mean 'age'"),
    ("MAX(age)", r"as in QUANTILE\(age, 0.99\)"),
    ("STDDEV(age)", r"ask for VAR_POP\(age\) and take its root"),
    ("VAR_SAMP(age)", r"VAR_SAMP divides by n - 1.*write VAR_POP\(age\)"),
    ("AVG(other.age)", "unknown table 'other'"),
    ("AVG(a.b.c.d.age)", "age"),
    ("COUNT(KEY)", "may be 'Key' or 'key': .*exactly"),
    ("COUNT(*) IGNORE NULLS", "IGNORE NULLS"),
    ("DISTINCT COUNT(*)", "SELECT DISTINCT"),
    ("COUNT(*) INTO x", "INTO: a query only reads"),
]

AFTER = [  # SELECT COUNT(*) FROM people ...
    ("ORDER BY 1", "ORDER BY: .*sort them afterwards"),
    ("LIMIT 3", "LIMIT: every declared key"),
    ("OFFSET 3", "OFFSET: every declared key"),
    ("HAVING COUNT(*) > 3", "HAVING: every declared key"),
    ("QUALIFY 1", "QUALIFY: window"),
    ("WINDOW w AS (PARTITION BY region)", "WINDOW: window"),
    ("USING SAMPLE 3", "SAMPLE: the whole dataset"),
    ("TABLESAMPLE (10 PERCENT)", "SAMPLE is not understood"),
    ("FOR UPDATE", "FOR: a query only reads"),
    ("UNION SELECT COUNT(*) FROM people", "UNION and its like"),
    ("; SELECT 1", "several statements"),
    ("p (a, b)", "COLUMNS is not understood"),
    (", regions", "looked up by its key: write LEFT JOIN regions"),
    ("CROSS JOIN regions", "looked up by its key"),
    ("RIGHT JOIN regions ON people.region = regions.code", "looked up by its key"),
    ("SEMI JOIN regions ON people.region = regions.code", "looked up by its key"),
    ("ASOF LEFT JOIN regions ON people.region = regions.code", "METHOD is not understood"),
    ("LEFT JOIN regions USING (region)", "looked up by its key"),
    ("LEFT JOIN regions ON TRUE", "looked up by its key"),
    ("LEFT JOIN regions ON people.region = regions.country", "looked up by its key"),
    ("LEFT JOIN regions ON regions.code = regions.code", "looked up by its key"),
    ("LEFT JOIN regions ON regions.city = regions.code", "by a column of the dataset"),
    ("LEFT JOIN regions ON people.region = regions.code AND member", "looked up by its key"),
    ("LEFT JOIN regions ON people.region = regions.code WHERE city = 'x'", "table before it"),
    ("LEFT JOIN regions AS people ON people.region = people.code", "two tables have one name"),
    ("LEFT JOIN regions ON region = KEY(people)", "looked up by its key"),
    ("LEFT JOIN other ON people.region = other.code", "unknown public table 'other'"),
    ("LEFT JOIN (SELECT 1) AS x ON TRUE", "no query inside a query"),
    ("JOIN zones ON people.region = zones.id", "write LEFT JOIN"),
    ("JOIN people AS p ON people.age = p.age", "not joined with itself"),
    ("WHERE country = 'A'", "unknown column 'country'"),
    ("GROUP BY ALL", "GROUP BY ALL: list the columns"),
    ("GROUP BY ROLLUP (region, age)", "list the columns"),
    ("GROUP BY GROUPING SETS ((region), (age))", "list the columns"),
    ("GROUP BY (region, age)", "without parentheses around lists"),
    ("GROUP BY 1", "is not a key"),
    ("GROUP BY 0", "SELECT has 1 items"),
    ("GROUP BY 1.5", "their places in SELECT"),
    ("GROUP BY UPPER(region)", r"UPPER\(region\): no such function"),
    ("GROUP BY age > 3", "no arithmetic|GROUP BY takes columns"),
    ("GROUP BY BINS(age, 0, 1)", "unknown function 'bins': did you mean 'bin'"),
    ("GROUP BY BIN(age)", "two or more ascending edges"),
    ("GROUP BY BIN(age, 3, 1)", "two or more ascending edges"),
    ("GROUP BY BIN(age, 'a', 'b')", "'a': a constant is expected"),
    ("GROUP BY BIN()", r"write BIN\(age, 0, 18, 65\)"),
    ("GROUP BY BIN(BIN(age, 0, 1), 0, 1)", "a column is expected|no such function"),
    ("GROUP BY KEYS(region)", "are empty"),
    ("GROUP BY DISCOVER(city, 1)", r"write DISCOVER\(city\)"),
    ("GROUP BY WITH_OTHER(DISCOVER(city))", "leave no group"),
    ("GROUP BY WITH_OTHER(region, 1)", r"write WITH_OTHER"),
    ("GROUP BY region, region", "called 'region'"),
]

WHERE = [  # SELECT COUNT(*) FROM people WHERE ...
    ("age = income", "age = income: a column is compared with a constant"),
    ("age = age", "compared with a constant, not with another column"),
    ("age > income + 1", r"^income \+ 1: no arithmetic"),
    ("age % 2 = 0", "age % 2: no arithmetic"),
    ("UPPER(city) = 'A'", r"UPPER\(city\): no such function"),
    ("city LIKE 'a%'", "city LIKE 'a%': patterns"),
    ("city SIMILAR TO 'a'", "patterns|no such function"),
    ("city = 'a' || 'b'", "'b': no arithmetic"),
    ("age", "age: this is integer, and no condition"),
    ("TRUE", "TRUE: this says nothing about a row"),
    ("1", "1: this says nothing about a row"),
    ("1 = 1", "compares two constants"),
    ("'a'", "'a': a condition compares"),
    ("age = NULL", "NULL: nothing equals NULL"),
    ("age IN (1, NULL)", "nothing equals NULL"),
    ("age IN ()", "is empty"),
    ("age IN (income)", "income: a constant is expected"),
    ("age = (SELECT 1)", "no query inside a query"),
    ("age = ANY (SELECT 1)", "no query inside a query"),
    ("EXISTS (SELECT 1)", "no query inside a query"),
    ("(age, income) = (1, 2)", "without parentheses around lists"),
    ("age IS DISTINCT FROM 3", "age IS DISTINCT FROM 3: write"),
    ("age IS 3", "IS asks for NULL"),
    ("age BETWEEN SYMMETRIC 1 AND 2", "SYMMETRIC is not understood"),
    ("3 BETWEEN 1 AND age", "3: a column is expected"),
    ("age BETWEEN income AND 3", "income: a constant is expected"),
    ("age = ?", "write the constant itself"),
    ("age = 1/0", "divided by 0"),
    ("age = 1e5000", "exponents beyond"),
    ("age = infinity", "in single quotes|compared with a constant"),
    ('city = "Bonn"', "a text stands in single quotes, as in city = 'Bonn'"),
    ("city = Bonn", "a text stands in single quotes, as in city = 'Bonn'"),
    ("age = random()", "asks the same today"),
    ("born = CURRENT_DATE", "asks the same today"),
    ("born = DATE '2026-02-30'", "'2026-02-30' is not a date"),
    ("born = '20260131'", "'20260131' is not a date"),
    ("born = TIMESTAMP '2026-01-31 00:00:00'", "a date is written as"),
    ("age = CAST('3' AS INT)", "CAST"),
    ("age = '3'::INT", "CAST"),
    ("CASE WHEN member THEN TRUE END", "for each case"),
    ("COUNT(*) > 3", "an aggregate stands in SELECT"),
    ("age > 3 AND (member OR city LIKE 'a')", "^city LIKE 'a': patterns"),
    ("age = 3 OR UNKNOWN_FUNCTION(3)", r"UNKNOWN_FUNCTION\(3\): no such function"),
    ("NOT 3", "3: this says nothing"),
    ("city = E'a'", "a constant is expected|no such function"),
    ("age = -'a'", "'a': a constant is expected"),
]

WHOLE = [
    ("", "the SQL is empty"),
    (" ;; -- nothing", "the SQL is empty"),
    ("SELECT", "FROM is missing: write FROM people"),
    ("SELECT COUNT(*)", "FROM is missing"),
    ("SELECT region FROM people GROUP BY region", "asks for no aggregate"),
    ("SELECT FROM people", "asks for no aggregate"),
    ("SELECT region AS r, COUNT(*) FROM people GROUP BY region", "leave out AS r"),
    (
        "SELECT BIN(age, 0, 1), COUNT(*) FROM people GROUP BY BIN(age, 0, 2)",
        r"BIN\(age, 0, 1\): this is selected and not grouped by",
    ),
    ("SELECT COUNT(*) FROM other", "unknown dataset 'other': known: people"),
    ("SELECT COUNT(*) FROM public.people", "without a schema"),
    ("SELECT COUNT(*) FROM (SELECT * FROM people) AS p", "no query inside a query"),
    ("SELECT COUNT(*) FROM read_csv('x.csv')", "by its name"),
    ("SELECT COUNT(*) FROM (VALUES (1)) AS p", "by its name|no query"),
    ("WITH p AS (SELECT 1) SELECT COUNT(*) FROM people", "WITH: no query inside a query"),
    ("(SELECT COUNT(*) FROM people)", "not a plain SELECT"),
    ("SELECT COUNT(*) FROM people p WHERE people.age = 3", "unknown table 'people': known: p"),
    ("UPDATE people SET age = 3", "begins with 'UPDATE'"),
    ("DROP TABLE people", "begins with 'DROP'"),
    ("hello", "begins with 'hello'"),
    ("SELECT COUNT(* FROM people", "line 1, column 19, near 'FROM'"),
    ("SELECT COUNT(*)\nFROM people WHERE age = = 3", "line 2, column"),
    ("SELECT 'open FROM people", "left open"),
    ("SELECT /* open FROM people", "COUNT|FROM|left open|cannot be read"),
    ("SELECT COUNT(*) FROM people\0", "the character 0"),
]

ALL = [
    *((f"SELECT {text} FROM people", reason) for text, reason in SELECT),
    *((f"SELECT COUNT(*) FROM people {text}", reason) for text, reason in AFTER),
    *((f"SELECT COUNT(*) FROM people WHERE {text}", reason) for text, reason in WHERE),
    *WHOLE,
]


@pytest.mark.few(6)
@pytest.mark.parametrize(("text", "reason"), ALL)
def test_the_refusal_names_the_part_and_the_reason(text, reason, caplog):
    with pytest.raises(InvalidInput, match=reason) as caught:
        parse_sql(text, PEOPLE)
    message = str(caught.value)
    assert caplog.records == []
    assert "\n" not in message
    assert "\x1b" not in message
    assert "sqlglot" not in message
    assert len(message) < 400


COUNT = "SELECT COUNT(*) FROM people"


@pytest.mark.parametrize(
    ("text", "dataset", "reason"),
    [
        ("SELECT COUNT(DISTINCT age) FROM people", ROWS, "identifies a person"),
        (
            "SELECT COUNT(DISTINCT r.pid) FROM people LEFT JOIN regions r ON region = KEY(r)",
            PEOPLE,
            "only people are counted once each",
        ),
        (f"{COUNT} CROSS JOIN regions", ROWS, "declares no public table"),
        (COUNT.encode(), PEOPLE, "SQL is a text, not bytes"),
        (COUNT + " " * 50_000, PEOPLE, "at most 50,000 are read"),
        (f"{COUNT} WHERE {'(' * 30}", PEOPLE, "at most 25 levels"),
    ],
)
def test_what_a_dataset_does_not_have_and_what_is_too_large_is_refused(text, dataset, reason):
    with pytest.raises(InvalidInput, match=reason):
        parse_sql(text, dataset)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "part",
    [
        "(" * 1000 + "age = 1" + ")" * 1000,
        "(" * 26 + "age = 1" + ")" * 26,
        "NOT " * 5000 + "member",
        "NOT member = " * 3000 + "TRUE",
        "age = " + "- " * 20_000 + "1",
        "age = " + "[" * 500,
        "age = " + "CASE WHEN " * 3000,
        "age = " + "F(" * 3000,
        "NOT (member OR " * 22 + "member" + ")" * 22,
        "age -> " * 5000 + "1",
    ],
)
def test_deep_nesting_is_refused_in_words(part):
    with pytest.raises(InvalidInput) as caught:
        parse_sql(f"SELECT COUNT(*) FROM people WHERE {part}", PEOPLE)
    assert len(str(caught.value)) < 400


VALID = [
    "SELECT region, COUNT(*) AS n, SUM(LEAST(GREATEST(income, 0), 1e3)) FILTER (WHERE age >= 18) "
    "FROM people AS p WHERE NOT (p.age BETWEEN 1 AND 2.5 OR member) GROUP BY WITH_OTHER(region)",
    "SELECT regions.country, AVG(people.age), COUNT(DISTINCT pid) FROM people LEFT JOIN regions "
    "ON people.region = regions.code WHERE regions.size IN (1, 2) AND born < DATE '2026-01-31' "
    "GROUP BY 1",
    "SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age), QUANTILE(age, 1/3), VAR_POP(age), "
    'WITH_SHARE(MEDIAN(age), 2), COUNT("two words") FROM people WHERE city IS NOT NULL '
    "GROUP BY BIN(age, 0, 18, 65), KEYS(city, 'a', 'b'), DISCOVER(\"a.b\")",
]
SIGNS = "( ) , ; ' \" -- /* */ * . = < - :: [ ] { $ ? 1e9 0x @ -> | % \\ '' ü"
WORDS = "NULL NOT SELECT FROM WHERE CASE DISTINCT OVER INTERVAL UNION JOIN"
PIECES = [*SIGNS.split(), *WORDS.split(), "ORDER BY", "\0", "\n", "\u2028"]


def mutated(text: str, chance: random.Random) -> str:
    """Return the text after a few random edits of characters and words."""
    for _ in range(chance.randint(1, 4)):
        words = text.split(" ")
        at = chance.randrange(len(words))
        which = chance.randrange(5)
        if which == 0:
            del words[at]
        elif which == 1:
            words.insert(at, chance.choice(PIECES))
        elif which == 2:
            words[at] = chance.choice(words)
        elif which == 3:
            words[at] = "".join(chance.sample(words[at], len(words[at])))
        else:
            place = chance.randrange(len(words[at]) + 1)
            words[at] = words[at][:place] + chance.choice(PIECES) + words[at][place + 1 :]
        text = " ".join(words) or "x"
    return text


def refusal_of(text: str) -> str:
    """Return the message, or an empty one after checking that the query can be written."""
    try:
        query = parse_sql(text, PEOPLE)
    except InvalidInput as error:
        return str(error)
    assert parse_sql(to_sql(query), PEOPLE) == query
    return ""


@given(st.sampled_from(VALID), st.randoms(use_true_random=False))
def test_whatever_is_written_is_read_or_refused(text, chance):
    assert "\n" not in refusal_of(mutated(text, chance))


@given(st.text() | st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_garbage_is_refused(text):
    for whole in (text, f"SELECT COUNT(*) FROM people WHERE {text}", f"SELECT {text} FROM people"):
        assert "\n" not in refusal_of(whole)


WORDS = ("select", "from", "case", "date of birth", "in-patient")


def worded(name):
    column = f'{{"{name}": {{kind: integer, bounds: [0, 10]}}}}'
    text = f"{{datasets: {{people: {{neighbours: add-remove, unit: row, columns: {column}}}}}}}"
    return parse_policy(text).dataset("people")


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("clause", ["SUM({}) FROM people", "COUNT(*) FROM people WHERE {} = 1"])
def test_a_column_with_a_word_of_sql_as_its_name_is_quoted_as_the_refusal_says(name, clause):
    dataset = worded(name)
    with pytest.raises(InvalidInput) as told:
        parse_sql(f"SELECT {clause.format(name)}", dataset)
    quoted = str(told.value).rpartition(": ")[2]
    assert quoted == f'"{name}"'
    parse_sql(f"SELECT {clause.format(quoted)}", dataset)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("x", "integer, bounds: [0, 9]"),
        ("x", "number, bounds: [0, 1], unit: 0.01"),
        ("x", "integer"),
        ("x", "text"),
        ("the town", "text"),
        ("x", "boolean"),
        ("x", "date"),
    ],
)
def test_the_ways_out_of_a_group_without_keys_lead_on(name, kind):
    column = f'{{"{name}": {{kind: {kind}}}}}'
    text = f"{{datasets: {{people: {{neighbours: add-remove, unit: row, columns: {column}}}}}}}"
    dataset = parse_policy(text).dataset("people")
    with pytest.raises(InvalidInput, match="no keys are declared") as told:
        resolve(parse_sql(f'SELECT COUNT(*) FROM people GROUP BY "{name}"', dataset), dataset)
    ways = re.findall(r"GROUP BY [A-Z]+\(.*?\)", str(told.value))
    assert len(ways) == 2
    for way in ways:
        assert resolve(parse_sql(f"SELECT COUNT(*) FROM people {way}", dataset), dataset).axes


def test_group_by_alone_is_refused():
    with pytest.raises(InvalidInput, match="GROUP BY names no column"):
        parse_sql("SELECT COUNT(*) FROM people GROUP BY", PEOPLE)
