"""Public names: what `__all__` says is what there is, and running code never imports tests."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import twoworlds

MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(twoworlds.__path__, "twoworlds.")
    if not info.name.endswith("__main__")
)


def test_packages_alone_name_what_they_export_and_once():
    for module in map(importlib.import_module, ["twoworlds", *MODULES]):
        assert hasattr(module, "__all__") <= hasattr(module, "__path__"), module
        exported = getattr(module, "__all__", [])
        assert len(set(exported)) == len(exported), module
        assert [n for n in exported if n.startswith("_") or not hasattr(module, n)] == [], module


def test_every_module_says_what_it_is():
    for module in map(importlib.import_module, ["twoworlds", *MODULES]):
        summary = (module.__doc__ or "").strip().partition("\n")[0]
        assert summary[:1].isupper() or summary[:1] in {"`", "["}, module


def test_everything_public_at_the_top_is_exported():
    from twoworlds import definitions, mechanisms, numbers, testing, worlds

    for package in (twoworlds, definitions, mechanisms, numbers, testing, worlds):
        source = ast.parse(inspect.getsource(package))
        imported = {
            alias.asname or alias.name
            for node in (*source.body, *_for_type_checkers(source))
            if isinstance(node, ast.ImportFrom)
            and node.module not in ("__future__", "importlib", "typing")
            for alias in node.names
        }
        assert imported == set(package.__all__), package.__name__


def _for_type_checkers(source):
    """The imports under ``if TYPE_CHECKING``, of names that are loaded when they are first used."""
    for node in source.body:
        if isinstance(node, ast.If):
            yield from node.body


@pytest.mark.parametrize("name", twoworlds.__all__)
def test_every_name_at_the_top_has_an_example(name):
    assert ">>> " in inspect.getdoc(getattr(twoworlds, name))


def test_the_names_at_the_top_are_those_that_are_found():
    assert sorted(twoworlds._PLACES) == sorted(twoworlds.__all__)
    assert dir(twoworlds) == sorted(twoworlds.__all__)
    assert not hasattr(twoworlds, "nothing")


@pytest.mark.parametrize(
    ("name", "question"),
    [("odds", "odds"), ("coupled", "coupled compose"), ("sensitivity", "sensitivity")],
)
def test_a_question_that_is_no_name_at_the_top_is_asked(name, question):
    with pytest.raises(AttributeError, match=rf'use tw.ask\("{question}", ...\)'):
        getattr(twoworlds, name)


def test_what_takes_several_takes_one_number():
    asked = {"values": "-1,0,1", "epsilon": 0.5}
    one, text = (twoworlds.ask("noiseless sum", people=n, **asked) for n in (50, "50"))
    assert one.to_dict() == text.to_dict()


def test_every_named_mechanism_is_a_function_at_the_top():
    from twoworlds.mechanisms.named.load import MECHANISMS

    methods = {"then", "mix", "restrict", "pair"}  # of Mechanism; two are paired by compose
    for one in MECHANISMS:
        if one.name not in methods:
            assert getattr(twoworlds, one.name.replace("-", "_")) is one.build
    assert not methods & {*twoworlds.__all__}


def test_the_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert twoworlds.__version__ == version("twoworlds")


@pytest.mark.parametrize("what", ["import twoworlds", "import twoworlds.cli"])
def test_running_code_imports_neither_the_test_suites_nor_heavy_packages(what):
    check = (
        f"{what}, sys; "
        "heavy = 'hypothesis', 'pytest', 'scipy', 'numpy', 'matplotlib', 'PIL'; "
        "print([m for m in ('twoworlds.testing', *heavy) if m in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"
