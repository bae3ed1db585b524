"""Whatever has a name that a user can type or import is documented."""

import inspect
import re
import subprocess
import sys

import pytest

import twoworlds
from tests.docs.pages import DOCS, markdown_pages
from twoworlds.definitions import DEFINITIONS
from twoworlds.mechanisms.named.load import MECHANISMS
from twoworlds.questions import FAMILIES, QUESTIONS
from twoworlds.web.app import create_app
from twoworlds.worlds.catalogue import UNIVERSES
from twoworlds.worlds.statistics import STATISTICS

COMMANDS = sorted({*QUESTIONS, *FAMILIES})
AUTOMODULE = re.compile(r"^\.\. automodule:: (\S+)$", re.MULTILINE)


def text(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def names(registry) -> list[str]:
    return [entry.name for entry in registry]


def has_section(page: str, name: str) -> bool:
    return re.search(rf"^#+ {re.escape(name)}$", page, re.MULTILINE) is not None


def in_backticks(page: str, name: str) -> bool:
    """Whether the name stands between backticks, alone or with arguments: `mean(n)`."""
    return re.search(rf"`{re.escape(name)}(\([^`]*\))?`", page) is not None


def test_every_mechanism_has_a_section():
    page = text("reference/mechanisms.md")
    assert [name for name in names(MECHANISMS) if not has_section(page, name)] == []


@pytest.mark.parametrize("name", names(MECHANISMS))
def test_the_section_of_a_mechanism_names_its_arguments(name):
    sections = re.split(r"^#+ ", text("reference/mechanisms.md"), flags=re.MULTILINE)
    [section] = [section for section in sections if section.startswith(f"{name}\n")]
    arguments = set(inspect.signature(MECHANISMS[name].build).parameters)
    inherited = {  # said once, above the sections of combinations and of noise with a range
        "then": {"first", "post"},
        "mix": {"first", "second"},
        "pair": {"first", "second"},
        "restrict": {"first", "databases"},
        "truncated-geometric": {"ratio", "epsilon", "p", "sensitivity"},
    }
    missing = {a for a in arguments if not in_backticks(section, a)} - inherited.get(name, set())
    assert missing == set()


def test_every_definition_has_a_section():
    page = text("reference/definitions.md")
    assert [name for name in names(DEFINITIONS) if not has_section(page, name)] == []


def test_every_universe_and_statistic_is_explained():
    page, all_names = text("reference/worlds.md"), [*names(UNIVERSES), *names(STATISTICS)]
    assert [name for name in all_names if not in_backticks(page, name)] == []


def test_every_question_has_a_section_with_its_own_help():
    page = text("reference/command-line.md")
    for name in COMMANDS:
        assert has_section(page, name), name
        assert f"```{{command-help}} {name}\n```" in page, name


def test_no_help_is_shown_of_questions_that_do_not_exist():
    shown = re.findall(
        r"^```\{command-help\} (.+)$", text("reference/command-line.md"), re.MULTILINE
    )
    assert sorted(shown) == COMMANDS


def test_the_page_of_the_service_names_every_path():
    app = create_app()
    app.state.service.close()
    paths = {path.removeprefix("/api/v1/") for path in app.openapi()["paths"]}
    listed = re.search(r"^\| path under.*?\n\n", text("how-to/service.md"), re.M | re.S).group()
    named = {
        name for cell in re.findall(r"^\| (`.*?) \|", listed, re.M) for name in cell.split(", ")
    }
    assert {f"`{path}`" for path in paths if "/" not in path} | {"`attacks/{name}`"} == named


@pytest.mark.parametrize("name", twoworlds.__all__)
def test_every_public_name_is_in_the_reference_and_has_a_docstring(name):
    value = getattr(twoworlds, name)
    assert inspect.getdoc(value)
    assert in_backticks(text("api.md"), name)
    pages = [page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.md")]
    assert value.__module__ in [module for page in pages for module in AUTOMODULE.findall(page)]


def test_every_page_can_be_reached():
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in DOCS.rglob("*.md")}
    trees = re.findall(
        r"^```\{toctree\}\n(.*?)^```$", text("index.md") + text("api.md"), re.M | re.S
    )
    listed = {line for tree in trees for line in tree.splitlines() if line and line[0] != ":"}
    assert {page for page in pages if not page.startswith("_")} - listed == {"index"}


def test_pages_name_no_path_of_somebody_s_machine():
    for page in markdown_pages():
        assert not re.search(r"/(home|work|root|Users)/", page.read_text(encoding="utf-8")), page


def test_the_example_of_the_testing_page_passes(tmp_path):
    example = tmp_path / "test_alarm.py"
    example.write_text(text("examples/test_alarm.py"), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(example)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
