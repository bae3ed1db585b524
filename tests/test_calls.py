"""Calls as text: what is read, what is refused, and how a registry answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.calls import Call, Registry, parse
from twoworlds.errors import InvalidInput, UnknownName

NAMES = st.text("abXY", min_size=1, max_size=4).map(lambda stem: f"{stem}_1-x")
KEYS = st.text("abcd_", min_size=1, max_size=5).filter(lambda key: key[0] != "_")
PLAIN = st.text("abe019/.^+-~", min_size=1, max_size=6)
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3), max_leaves=6)


def written(value):
    return value if isinstance(value, str) else f"[{', '.join(map(written, value))}]"


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("parity", Call("parity", (), {})),
        ("  parity ( )  ", Call("parity", (), {})),
        ("skellam(1, 2)", Call("skellam", ("1", "2"), {})),
        ("skellam(1, l2 = ln 3)", Call("skellam", ("1",), {"l2": "ln 3"})),
        ("skellam(l1=ln(3), l2=e^(1/2))", Call("skellam", (), {"l1": "ln(3)", "l2": "e^(1/2)"})),
        ("f(a-key=1)", Call("f", (), {"a_key": "1"})),
        ("f([a, b], [])", Call("f", (["a", "b"], []), {})),
        ("f([[3/5, 1/5], [2/5, 4/5]])", Call("f", ([["3/5", "1/5"], ["2/5", "4/5"]],), {})),
        ("f(values=[a, [b, c]])", Call("f", (), {"values": ["a", ["b", "c"]]})),
        ("f('a, b', \"c)\")", Call("f", ("a, b", "c)"), {})),
        ("f(['a,b', c])", Call("f", (["a,b", "c"],), {})),
        ("f(x='k=v')", Call("f", (), {"x": "k=v"})),
        ("then(g(k=1, b=2), h(x))", Call("then", ("g(k=1, b=2)", "h(x)"), {})),
        ("then(first=g(k=1), post=h)", Call("then", (), {"first": "g(k=1)", "post": "h"})),
        ("f(11~10)", Call("f", ("11~10",), {})),
        ("f(x={1, 2})", Call("f", (), {"x": "{1, 2}"})),
    ],
)
def test_a_call_is_split_into_name_and_arguments(text, call):
    assert parse(text) == call


@given(NAMES, st.lists(VALUES, max_size=3), st.dictionaries(KEYS, VALUES, max_size=3))
def test_what_is_written_is_read_again(name, positional, named):
    parts = [written(v) for v in positional] + [f"{k}={written(v)}" for k, v in named.items()]
    assert parse(f"{name}({', '.join(parts)})") == Call(name.lower(), tuple(positional), named)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a call"),
        ("   ", "is not a call"),
        ("3/4", "is not a call"),
        ("(a)", "is not a call"),
        ("-f(1)", "is not a call"),
        ("f(1", "write a name with its arguments in parentheses, closed at the end"),
        ("f 1", "write a name with its arguments in parentheses"),
        ("f(1) g", "write a name with its arguments in parentheses"),
        ("f(1))", "brackets or quotes do not match"),
        ("f((1)", "brackets or quotes do not match"),
        ("f(1)(2)", "brackets or quotes do not match"),
        ("f([1, 2))", "brackets or quotes do not match"),
        ("f((1, 2])", "brackets or quotes do not match"),
        ("f({1, 2])", "brackets or quotes do not match"),
        ("f('a)", "brackets or quotes do not match"),
        ("f(,)", "empty argument"),
        ("f(1,)", "empty argument"),
        ("f(1,,2)", "empty argument"),
        ("f([1,,2])", "empty argument"),
        ("f(a=1, 2)", "'2' must come before the named arguments"),
        ("f(a=1, a=2)", "argument 'a' is given twice"),
        ("f(a-b=1, a_b=2)", "argument 'a_b' is given twice"),
        (f"f({'[' * 30}1{']' * 30})", "nested more than 20 deep"),
    ],
)
def test_rejects_what_is_no_call(text, message):
    with pytest.raises(InvalidInput, match=message):
        parse(text)


@given(st.text(max_size=30))
def test_any_text_is_a_call_or_refused(text):
    try:
        call = parse(text)
    except InvalidInput:
        return
    assert text.strip().startswith(call.name)


# --- registries ---------------------------------------------------------------------------------


def registry():
    made = Registry("thing")

    @made.register("one-thing")
    def one(first, second="2", *, third=None):
        """Make one thing.

        More about it.
        """
        return (first, second, third)

    @made.register("another")
    def another():
        """Make another."""
        return "another"

    return made


def test_a_registry_builds_what_a_call_names():
    things = registry()
    assert things.build("another") == things.build("another()") == "another"
    assert things.build("one-thing(1)") == ("1", "2", None)
    assert things.build("one-thing(first=[a, b], third=x)") == (["a", "b"], "2", "x")
    assert things.build("one-thing(1)", third=3) == ("1", "2", 3)


def test_a_registry_lists_its_entries_by_name_with_usage_and_summary():
    things = registry()
    assert [entry.name for entry in things] == ["another", "one-thing"]
    assert "another" in things
    assert "third" not in things
    entry = things["one-thing"]
    assert (entry.usage, entry.summary) == (
        "one-thing(first, [second], [third])",
        "Make one thing.",
    )


@pytest.mark.parametrize(
    ("text", "beside", "error", "message"),
    [
        ("onething(1)", {}, UnknownName, "unknown thing 'onething': did you mean 'one-thing'"),
        ("zzz", {}, UnknownName, "known: another, one-thing"),
        ("one-thing", {}, InvalidInput, r"needs the argument 'first'; usage: one-thing\(first"),
        ("one-thing(1, 2, 3, 4)", {}, InvalidInput, "at most 2 arguments without a name, 4 given"),
        ("one-thing(1, first=2)", {}, InvalidInput, "argument 'first' is given twice"),
        ("one-thing(1, secnd=2)", {}, InvalidInput, "did you mean 'second'.*usage"),
        ("another(1)", {}, InvalidInput, "takes at most 0 arguments"),
        ("one-thing(1, third=2)", {"third": 3}, InvalidInput, "third is given twice"),
    ],
)
def test_a_registry_rejects_arguments_that_do_not_fit(text, beside, error, message):
    with pytest.raises(error, match=message):
        registry().build(text, **beside)


def test_a_name_is_registered_once():
    things = registry()
    with pytest.raises(InvalidInput, match="thing 'another' is registered twice"):
        things.register("another")(lambda: None)


def test_the_nearest_name_is_an_attribute_of_the_error():
    with pytest.raises(UnknownName) as caught:
        registry().build("anoter")
    assert (caught.value.name, caught.value.nearest) == ("anoter", "another")
