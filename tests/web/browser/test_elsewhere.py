"""The link restores the view; the command line and the Python code give the same numbers."""

import json
import os
import re
import runpy
import shlex
import subprocess
from fractions import Fraction

import pytest
from playwright.sync_api import expect

from tests.cli.calling import call
from tests.web.browser.window import Window, read_number
from twoworlds import measure

SURVEY = "randomized-response(bits=2, keep=3/4)"
CLAMPED = "truncated-geometric(ratio=2, high=2)"


@pytest.fixture
def answered(capsys):
    """Runs a command with ``--json``; returns what it answered."""

    def run(command: str) -> dict:
        words = shlex.split(command)
        assert words[0] == "twoworlds"
        code, out, err = call(capsys, *words[1:], "--json")
        assert code == 0, err
        return json.loads(out)

    return run


@pytest.fixture
def printed(capsys, tmp_path):
    """Runs a piece of Python; returns what it printed, with its spaces made single."""

    def run(code: str) -> str:
        file = tmp_path / "copied.py"
        file.write_text(code)
        capsys.readouterr()
        runpy.run_path(str(file))
        return " ".join(capsys.readouterr().out.split())

    return run


@pytest.fixture
def requested(service):
    """Sends what curl is told to send; returns what the service answered."""

    def run(command: str) -> dict:
        assert command.startswith("curl -s http")
        environment = {**os.environ, "TOKEN": service.token}
        done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True)
        found = json.loads(done.stdout)
        assert "error" not in found, found
        return found

    return run


# --- links --------------------------------------------------------------------------------------


def set_mechanism(window: Window) -> str:
    window.open("mechanism")
    window.slide("Told truly (keep)", "0.85")
    window.says(measure("randomized-response(bits=2, keep=0.85)").sentence)
    return "Ratio, e to the epsilon"


def set_attacker(window: Window) -> str:
    window.open("attacker", mechanism=SURVEY, value="1", person=2)
    window.button("01").click()
    window.slide("Belief that your record is 1", "0.35")
    window.slide("Belief that each other record is 1", "0.8")
    expect(window.page).to_have_url(re.compile("you=0.35.*others=0.8"))
    return "With your data"


def set_no_noise(window: Window) -> str:
    window.open("no-noise")
    window.slide("People in the count", 77)
    window.slide("Belief that another says yes", 0.2)
    window.field("Draw delta over").select_option("known")
    expect(window.fact("Unknown to the attacker")).to_have_text("67 people")
    window.settle()
    expect(window.page).to_have_url(re.compile("sweep=known"))
    return "Delta"


@pytest.mark.parametrize("arrange", [set_mechanism, set_attacker, set_no_noise])
def test_the_copied_link_restores_numbers_and_fields(window: Window, new_window, arrange):
    name = arrange(window)
    window.settle()
    number = window.fact(name).inner_text()
    fields = "() => [...document.querySelectorAll('input, select, textarea')].map(x => x.value)"
    filled = window.page.evaluate(fields)
    link = window.copied("Copy link")
    other: Window = new_window()
    other.page.goto(link)
    expect(other.fact(name)).to_have_text(number)
    other.settle()
    assert other.page.evaluate(fields) == filled


def test_the_link_of_a_definition(window: Window, new_window):
    window.open("guarantees", definition="dp(ratio=2)", universe="bits(2)")
    said = window.page.get_by_role("status").first.inner_text()
    other: Window = new_window()
    other.page.goto(window.copied("Copy link"))
    other.says(said)
    expect(other.field("Definition")).to_have_value("dp(ratio=2)")


def test_the_link_of_a_query_holds_no_token(new_window, service):
    window: Window = new_window(service.token)
    sql = "SELECT condition, COUNT(*) FROM people GROUP BY condition"
    window.open("release", dataset="people")
    window.write("Query (SQL)", sql)
    window.spend("0.4")
    expect(window.fact("Costs")).to_have_text("epsilon 0.4")
    link = window.copied("Copy link")
    assert service.token not in link
    other: Window = new_window(service.token)
    other.page.goto(link)
    expect(other.field("Query (SQL)")).to_have_value(sql)
    expect(other.fact("Costs")).to_have_text("epsilon 0.4")


def test_a_link_that_is_followed_at_once_is_followed(window: Window):
    window.open("attacker", mechanism=SURVEY, value="1")
    window.slide("Belief that your record is 1", "0.2")
    window.open("attacker", mechanism=SURVEY, value="1", you="0.9", output="00")
    expect(window.field("Belief that your record is 1")).to_have_value("0.9")
    expect(window.button("00")).to_have_attribute("aria-pressed", "true")
    window.page.wait_for_timeout(300)  # longer than the page waits before it writes its address
    assert "you=0.9" in window.page.url


def test_back_and_forward(window: Window):
    window.open("mechanism", mechanism="identity(bits=1)")
    window.page.get_by_role("link", name="No noise").click()
    expect(window.field("People in the count")).to_be_visible()
    window.page.go_back()
    expect(window.field("Mechanism")).to_have_value("identity(bits=1)")
    window.page.go_forward()
    expect(window.field("People in the count")).to_be_visible()


# --- command line and Python ----------------------------------------------------------------------


@pytest.mark.parametrize("text", [SURVEY, "geometric(ratio=2)", "gaussian(sigma=4)"])
def test_mechanism_elsewhere(window: Window, answered, printed, requested, text):
    window.open("mechanism", mechanism=text)
    if text.startswith("gaussian"):
        expect(window.fact("Delta")).to_have_text("1e-6")
    found = answered(window.copied("Copy command line"))
    window.says(found["sentence"])
    exact, decimal = window.number("Price, epsilon")
    assert exact == (found["epsilon"]["exact"] or exact)
    assert decimal == pytest.approx(found["epsilon"]["value"], rel=1e-4)
    assert " ".join(found["sentence"].split()) in printed(window.copied("Copy Python"))
    assert requested(window.copied("Copy HTTP"))["price"] == found


@pytest.mark.parametrize(
    "state", [{"you": "0.3", "others": "0.6"}, {"mode": "two", "a": "11", "b": "01", "you": "0.2"}]
)
def test_attacker_elsewhere(window: Window, answered, printed, requested, state):
    window.open("attacker", mechanism=SURVEY, value="1", output="11", **state)
    expect(window.fact("With your data")).to_be_visible()
    expect(window.page.get_by_role("region", name="Command line")).to_contain_text("posterior")
    found = answered(window.copied("Copy command line"))
    [sent] = requested(window.copied("Copy HTTP"))["outputs"]
    assert sent["differences"] == found["differences"]
    chances = found["chances"]
    assert window.number("Before")[0] == chances["prior"]["exact"]
    assert window.number("With your data")[0] == chances["game 0"]["exact"]
    assert window.number("Without your data")[0] == chances["game 1"]["exact"]
    said = printed(window.copied("Copy Python"))
    for name in ("Before", "With your data", "Without your data"):
        assert window.number(name)[0] in said


def test_attacker_without_people_elsewhere(window: Window, answered, printed):
    window.open("attacker", mechanism="geometric(ratio=2)", a="0", b="1", you="0.2", output="0")
    expect(window.page.get_by_role("region", name="Command line")).to_contain_text("posterior")
    found = answered(window.copied("Copy command line"))
    chance = found["chances"]["game 0"]["exact"]
    assert chance == window.number("After it")[0]
    assert chance in printed(window.copied("Copy Python"))


def test_attacker_of_a_matrix_without_people_elsewhere(window: Window, answered, printed):
    window.open("attacker", mechanism=CLAMPED, a="0", b="2", you="0.2", output="0")
    expect(window.page.get_by_role("region", name="Command line")).to_contain_text("show")
    found = answered(window.copied("Copy command line"))
    [row] = found["matrix"]
    likely = {x: Fraction(p["exact"]) for x, p in zip(found["databases"], row, strict=True)}
    yes, no = likely["0"] * Fraction("0.2"), likely["2"] * Fraction("0.8")
    assert str(yes / (yes + no)) == window.number("After it")[0]
    assert str(likely["0"]) in printed(window.copied("Copy Python"))


@pytest.mark.parametrize(
    "state", [{"mechanism": SURVEY}, {"definition": "dp(ratio=2)", "universe": "bits(1)"}]
)
def test_guarantees_elsewhere(window: Window, answered, printed, requested, state):
    window.open("guarantees", **state)
    found = answered(window.copied("Copy command line"))
    said = printed(window.copied("Copy Python"))
    assert found["groups"]
    assert requested(window.copied("Copy HTTP"))["count"] == found["count"]
    for one in found["groups"]:
        [first, *_] = re.split(r" And \d+ more", one["sentence"])
        entry = window.page.get_by_role("listitem").filter(has_text=first)
        expect(entry.first).to_be_visible()
        assert " ".join(first.split()) in said


def test_no_noise_elsewhere(window: Window, answered, printed, requested):
    window.open("no-noise", people=80, known=7, probability=0.3, epsilon=0.4)
    delta = answered(window.copied("Copy command line"))["delta"]["value"]
    assert requested(window.copied("Copy HTTP"))["at"]["delta"]["value"] == delta
    assert window.number("Delta")[1] == pytest.approx(delta, rel=1e-3)
    assert "80" in printed(window.copied("Copy Python"))


def test_a_release_elsewhere(new_window, service, monkeypatch, answered, printed, requested):
    window: Window = new_window(service.token)
    sql = "SELECT region, COUNT(*) FROM people WHERE age >= 36 GROUP BY region"
    window.open("release", dataset="people", sql=sql, epsilon="0.02")
    window.button("Pay and answer").click()
    _, *rows = window.rows("Answers, with the intervals of their noise")
    values = [row[1].split(" (")[0].replace(",", "") for row in rows]
    monkeypatch.chdir(service.folder / "hospital")
    found = answered(window.copied("Copy command line"))
    [answer] = found["answers"]
    kept = [next(iter(row["values"].values()))["value"]["value"] for row in answer["rows"]]
    assert [float(value) for value in values] == kept
    said = printed(window.copied("Copy Python")).replace(",", "")
    assert all(value in said for value in values)
    assert requested(window.copied("Copy HTTP"))["answers"][0]["rows"] == answer["rows"]


@pytest.mark.parametrize(
    "name",
    [
        "composition",
        "linkage",
        "differencing",
        "averaging",
        "membership",
        "reconstruct",
        "auxiliary",
    ],
)
def test_an_attack_elsewhere(window: Window, answered, printed, requested, name):
    window.open("attacks", name=name)
    window.settle()
    found = answered(window.copied("Copy command line"))
    said = printed(window.copied("Copy Python"))
    sent = requested(window.copied("Copy HTTP"))
    assert (sent["posterior"] if name == "composition" else sent) == found
    if name == "composition":  # the command gives the conclusion alone
        _, *rows = window.rows("What each table leaves, and both together")
        left = {row[0]: read_number(row[3])[0] for row in rows if row[3] != "ruled out"}
        assert left == {value: mass["exact"] for value, mass in found.items()}
        assert " ".join(left) in said
        return
    text = found.get("sentence") or found.get("explanation") or found["height"]["explanation"]
    first = text.split("\n\n")[0]
    opened = window.page.locator("details[open]")
    shown = [opened.locator(".lead").inner_text(), *opened.locator(".said").all_inner_texts()]
    assert " ".join(first.split()) in " ".join(" ".join(shown).split())
    assert " ".join(first.split()) in said
