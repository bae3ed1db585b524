"""Every path, asked properly, answers what the public API says."""

import hashlib
import json
from fractions import Fraction

import pytest

from tests.cli.calling import call
from twoworlds import __version__, measure
from twoworlds.attacks import compose
from twoworlds.attacks.queries import average_out, membership_in_histogram, study
from twoworlds.attacks.reconstruction import simulate
from twoworlds.cones import row_cone, verify
from twoworlds.definitions import definition
from twoworlds.definitions.coupled.optimal import optimal
from twoworlds.definitions.coupled.scene import scene
from twoworlds.definitions.semantics.games import play
from twoworlds.mechanisms.named import mechanism
from twoworlds.numbers import to_json
from twoworlds.questions import ask
from twoworlds.release.certificate import check_certificate
from twoworlds.release.policy import read_policy
from twoworlds.web.catalogue import EXAMPLES
from twoworlds.worlds.beliefs import belief
from twoworlds.worlds.catalogue import universe
from twoworlds.worlds.classes import belief_class
from twoworlds.worlds.scrubs import scrubs

SURVEY = "randomized-response(bits=2, keep=3/4)"


def plain(data):
    """What JSON makes of it."""
    return json.loads(json.dumps(data))


def sent(client, path, body):
    answer = client.post(f"/api/v1/{path}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


# --- for everybody --------------------------------------------------------------------------------


def test_health_and_readiness(anybody):
    assert anybody.get("/api/v1/health").json() == {"ok": True, "version": __version__}
    assert anybody.get("/api/v1/ready").json() == {"ready": True}  # and nothing of the ledger


def test_the_catalogue_has_every_name_with_an_example_that_works(anybody):
    found = anybody.get("/api/v1/catalogue").json()
    for kind, examples in EXAMPLES.items():
        assert {one["name"]: one["example"] for one in found[kind]} == examples
    arguments = next(one for one in found["mechanisms"] if one["name"] == "randomized-response")
    assert [one["name"] for one in arguments["arguments"]][:2] == ["bits", "keep"]


def test_the_examples_can_be_built():
    for text in EXAMPLES["mechanisms"].values():
        mechanism(text)
    for text in EXAMPLES["definitions"].values():
        definition(text)
    for text in EXAMPLES["universes"].values():
        universe(text)
    for name, text in EXAMPLES["beliefs"].items():
        belief(text, universe("graphs(3)" if name == "random-edges" else "bits(2)"))


def test_a_mechanism(anybody):
    found = sent(anybody, "mechanism", {"mechanism": SURVEY})
    built = mechanism(SURVEY)
    assert found["price"] == plain(measure(SURVEY).to_dict())
    assert found["databases"] == found["outputs"] == ["11", "10", "01", "00"]
    exact = [[cell["exact"] for cell in row] for row in found["matrix"]]
    assert exact == [[str(built.probability(o, x)) for x in built.universe] for o in built.outputs]
    assert found["pairs"] == [[0, 1], [0, 2], [1, 3], [2, 3]]
    said = {one["definition"]: one["holds"] for one in found["definitions"]}
    assert said["dp(ratio=3)"] is True
    assert said["gamma-amplification(gamma=3)"] is False
    deltas = found["profile"]["delta"]
    assert deltas[0] == pytest.approx(0.5)
    assert deltas == sorted(deltas, reverse=True)
    assert found["tradeoff"]["points"] == [[0, 1], [0.25, 0.25], [1, 0]]
    without = sent(anybody, "mechanism", {"mechanism": SURVEY, "definitions": False})
    assert without == {**found, "definitions": None}


def test_a_test_is_drawn_the_worse_way_round(anybody):
    asked = {"mechanism": "skellam(2, 1/2, bits=1)", "definitions": False}
    found = sent(anybody, "mechanism", asked)["tradeoff"]
    assert "wrongly cries 0 in 1%" in found["sentence"]
    assert "at most 5.14%" in found["sentence"]  # 3.27% the other way round


@pytest.mark.parametrize(
    ("text", "matrix"),
    [("geometric(ratio=2)", 11), ("laplace(scale=1)", None), ("identity(bits=7)", None)],
)
def test_a_mechanism_without_a_small_matrix(anybody, text, matrix):
    found = sent(anybody, "mechanism", {"mechanism": text})
    assert (None if found["matrix"] is None else len(found["matrix"])) == matrix
    assert found["price"] == plain(measure(text).to_dict())


@pytest.mark.parametrize("text", ["laplace(scale=2)", "gaussian(sigma=4, bits=3)", "skellam(1, 1)"])
def test_laws_on_a_line_are_those_of_the_mechanism(anybody, text):
    made = mechanism(text)
    laws = sent(anybody, "mechanism", {"mechanism": text})["laws"]
    databases = [made.universe.find(label) for label in laws["databases"]]
    for output, row in zip(laws["outputs"], laws["values"], strict=True):
        place = Fraction(output) if laws["density"] else int(output)
        assert row == pytest.approx([float(made.probability(place, x)) for x in databases])
    step = float(laws["outputs"][1]) - float(laws["outputs"][0])
    for column in zip(*laws["values"], strict=True):
        assert sum(column) * (step if laws["density"] else 1) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize(
    ("text", "named", "likely"),
    [
        ("compose(geometric(ratio=2, bits=2), parity(bits=2))", "(-3; 1)", "(2; 0)"),
        ("compose(laplace(scale=1, bits=2), times=3)", "(1/2; 0; 2)", "(2; 2; 2)"),
        ("compose(randomized-response(bits=2, keep=3/4), times=4)", None, None),
        ("compose(laplace(epsilon=1/10), times=2)", None, "(1; 1)"),
    ],
)
def test_a_few_of_very_many_outputs_have_their_exact_laws(anybody, text, named, likely):
    made = mechanism(text)
    body = {"mechanism": text, "output": named, "definitions": False, "curves": False}
    found = sent(anybody, "mechanism", body)
    laws = found["laws"]
    assert (found["profile"], found["tradeoff"], laws["line"]) == (None, None, False)
    assert named is None or laws["outputs"][0] == named
    assert likely is None or likely in laws["outputs"]
    databases = [made.universe.find(label) for label in laws["databases"]]
    for output, row in zip(laws["outputs"], laws["exact"], strict=True):
        point = made.outputs.find(output)
        assert row == [plain(to_json(made.probability(point, x))) for x in databases]


def test_the_price_at_a_delta(anybody):
    asked = {"mechanism": "gaussian(sigma=4)", "delta": "1e-6", "definitions": False}
    price = sent(anybody, "mechanism", asked)["price"]
    assert price == plain(measure("gaussian(sigma=4)", delta="1e-6").to_dict())
    wrong = anybody.post("/api/v1/mechanism", json={**asked, "delta": "2"})
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (400, "delta")


def test_neighbours_are_those_that_were_named(anybody):
    body = {"mechanism": SURVEY, "neighbours": "11~10"}
    found = sent(anybody, "mechanism", body)
    assert found["pairs"] == [[0, 1]]
    assert found["price"] == plain(measure(SURVEY, neighbours="11~10").to_dict())


def test_posteriors(anybody):
    body = {"mechanism": SURVEY, "belief": "independent(3/4)"}
    found = sent(anybody, "posterior", body)
    built = mechanism(SURVEY)
    held = belief("independent(3/4)", built.universe)
    games = [play(built, held, built.outputs.label(o)) for o in built.outputs]
    beside = {"probability", "sentence"}
    assert [
        {name: value for name, value in one.items() if name not in beside}
        for one in found["outputs"]
    ] == plain([one.to_dict() for one in games])
    assert sum(one["probability"]["value"] for one in found["outputs"]) == pytest.approx(1)
    worst = plain(measure(SURVEY, definition="semantic").to_dict())
    assert found["worst"] == {**worst, "odds": measure(SURVEY).sentence}
    one = sent(anybody, "posterior", {**body, "output": "11"})
    assert sent(anybody, "posterior", {**body, "output": 11}) == one
    assert one["outputs"] == [found["outputs"][0]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("constant(bits=2)", "No output says anything about anybody: "),
        ("randomized-response(bits=1, keep=0.5)", "No output says anything about anybody: "),
        ("identity(bits=2)", "Nothing is promised: "),
        ("exact(sum, universe=bits(3))", "Nothing is promised, except that "),
        (SURVEY, "An attacker who believes the two answers are independent, "),
        ("geometric(ratio=2)", ""),
    ],
)
def test_no_headline_is_about_negative_probabilities(anybody, text, words):
    found = sent(anybody, "guarantees", {"mechanism": text})
    assert found["headline"].startswith(words)
    assert "says nothing" not in found["headline"]
    empty = ["says nothing" in one["words"] for one in found["statements"]]
    assert empty == sorted(empty)  # they come last


@pytest.mark.parametrize("text", ["gaussian(sigma=2)", "laplace(scale=1)"])
def test_densities_are_refused_with_something_that_works(anybody, text):
    answer = anybody.post("/api/v1/guarantees", json={"mechanism": text})
    error = answer.json()["error"]
    assert (error["kind"], error["field"]) == ("Unsupported", "mechanism")
    assert "geometric(ratio=2)" in error["message"]
    assert "row_cone" not in error["message"]


def test_guarantees(anybody):
    found = sent(anybody, "guarantees", {"mechanism": SURVEY})
    cone = row_cone(SURVEY)
    assert [one["words"] for one in found["statements"]] == [s.sentence for s in cone.statements()]
    assert all(verify(one["certificate"]) for one in found["statements"])
    assert found["rays"] is None
    drawn = sent(anybody, "guarantees", {"definition": "dp(ratio=3)", "universe": "bits(1)"})
    assert drawn["rays"] == [["3", "1"], ["1", "3"]]


@pytest.mark.parametrize("text", ["skellam(1, 1)", "randomized-response(bits=40, keep=3/4)"])
def test_guarantees_of_what_cannot_be_listed(anybody, text):
    found = sent(anybody, "guarantees", {"mechanism": text})
    assert found["rays"] is None
    assert found["statements"][0]["words"]


def test_guarantees_whose_extreme_rows_are_too_many_have_no_certificate(anybody):
    found = sent(anybody, "guarantees", {"definition": "dp(ratio=2)", "universe": "bits(5)"})
    assert found["count"] == 160
    assert "by a factor of at most 2" in found["headline"]
    assert {one["certificate"] for one in found["statements"]} == {None}


def test_simulators_of_many_people_are_those_of_the_command_line(anybody):
    text = "exact(sum, universe=bits(100))"
    found = sent(anybody, "simulators", {"mechanism": text, "ratio": "3/2"})
    asked = ask("simulator", text, ratio="3/2").to_dict()
    assert found["delta"] == asked["delta"]
    assert found["canonical"] == asked["canonical"]


def test_simulators(anybody):
    text = "exact(sum, universe=bits(2))"
    found = sent(anybody, "simulators", {"mechanism": text, "ratio": 2})
    built = mechanism(text)
    made = scene(built, belief_class("uniform", built.universe), scrubs("persons", built.universe))
    wanted = plain(optimal(made, measure("geometric(ratio=2)").ratio).to_dict())
    assert {name: found[name] for name in wanted if name != "epsilon"} == {
        name: value for name, value in wanted.items() if name != "epsilon"
    }


def test_attacks_answer_what_the_api_says(anybody):
    known = {"zip": "13012", "age": "28"}
    wanted = {
        "composition": compose(["figure1.csv", "figure2.csv"], known, "condition"),
        "averaging": average_out("1/2", ["1", "4", "16", "64", "256"], confidence="95%"),
        "membership": study("100", "1000", seed="0"),
        "reconstruct": simulate(128, 512, noise="2", law="laplace", method="lp", seed=0),
    }
    for name, found in wanted.items():
        assert sent(anybody, f"attacks/{name}", {}) == plain(found.to_dict()), name
    body = {"cell": "4", "people": 50, "share": "1/10"}
    found = membership_in_histogram("4", "1/10", "50", at_least="3", prior="1/2")
    assert sent(anybody, "attacks/membership", body) == plain(found.to_dict())


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("name", "body", "key"),
    [
        ("linkage", {}, "sentence"),
        ("linkage", {"table": "figure2.csv"}, "sentence"),
        ("composition", {"tables": ["figure2.csv"]}, "posterior"),
        ("differencing", {"engine": True}, "engine"),
        ("averaging", {"engine": True, "times": "1,4"}, "engine"),
        ("composition", {"everyone": True}, "sentence"),
        ("auxiliary", {}, "theorem"),
        ("auxiliary", {"topic": "smoking"}, "sentence"),
    ],
)
def test_attacks_on_bundled_tables(anybody, name, body, key):
    found = sent(anybody, f"attacks/{name}", body)
    assert key in found or key == "sentence"
    assert "/" not in str(found.get("sentence", "")), "a path of the machine"


# --- with a token ---------------------------------------------------------------------------------

ASKED = {"queries": ["SELECT region, COUNT(*) FROM people GROUP BY region"], "epsilon": 0.01}


def test_me(curator):
    assert curator.get("/api/v1/me").json() == {"name": "ann", "role": "curator"}


def test_datasets_are_those_of_the_policy(curator, service):
    found = {one["name"]: one for one in curator.get("/api/v1/datasets").json()["datasets"]}
    policy = read_policy(service.folder / "hospital" / "policy.yml")
    assert [*found] == [*policy.datasets]
    age = next(one for one in found["people"]["columns"] if one["name"] == "age")
    assert (age["kind"], age["bounds"], age["bins"]) == (
        "integer",
        ["0", "110"],
        ["0", "18", "40", "65", "110"],
    )
    assert found["people"]["analysts"]["ann"]["epsilon"]["exact"] == "4"


def test_a_release_costs_what_its_plan_says_and_once(curator):
    asked = {**ASKED, "queries": ["SELECT COUNT(*) FROM people WHERE age >= 77"]}
    plan = sent(curator, "plan", asked)
    assert plan["price"] == {"epsilon": {"exact": "1/100", "value": 0.01}}
    first = sent(curator, "release", asked)
    again = sent(curator, "release", asked)
    assert first["paid"] == plan["price"]
    assert again["paid"] == {"epsilon": {"exact": "0", "value": 0.0}}
    assert again["certificate"] == first["certificate"]
    assert check_certificate(first["certificate"]).holds
    assert first["answers"][0]["rows"] == again["answers"][0]["rows"]
    assert first["meaning"]


def test_a_structured_query_is_the_same_as_sql(curator):
    first = sent(curator, "release", ASKED)
    structured = first["answers"][0]["query"]
    again = sent(curator, "release", {**ASKED, "queries": [structured], "dataset": "people"})
    assert again["certificate"] == first["certificate"]


def test_the_table_is_that_of_the_command_line(curator, service, tmp_path, capsys):
    sql = "SELECT age, COUNT(*), MEDIAN(age) FROM people GROUP BY age"
    found = sent(curator, "release", {"queries": [sql], "epsilon": "1/100", "dataset": "people"})
    policy, file = service.folder / "hospital" / "policy.yml", tmp_path / "answer.csv"
    saved = ["--policy", str(policy), "--analyst", "ann", "-o", str(file)]
    code, _, err = call(capsys, "release", sql, "--epsilon", "1/100", *saved)
    assert code == 0, err
    [table] = found["csv"]
    assert table == file.read_text()
    assert table.startswith("age,count,count_error,count_low,count_high,")


def test_a_certificate_has_the_same_bytes_wherever_it_is_written(
    curator, service, tmp_path, capsys
):
    sql = "SELECT COUNT(*), AVG(age) FROM people WHERE age >= 3"
    found = sent(curator, "release", {"queries": [sql], "epsilon": "1/100", "dataset": "people"})
    policy, file = service.folder / "hospital" / "policy.yml", tmp_path / "certificate.json"
    saved = ["--policy", str(policy), "--analyst", "ann", "--certificate", str(file)]
    code, _, err = call(capsys, "release", sql, "--epsilon", "1/100", *saved)
    assert code == 0, err
    assert found["certificate_file"] == file.read_text()
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    report = sent(curator, "report", {"entry": found["entry"]})["html"]
    assert f'<code id="signed">{digest}</code>' in report


def test_budget_and_ledger_follow_the_releases(curator):
    before = curator.get("/api/v1/ledger").json()
    asked = {"queries": ["SELECT COUNT(*) FROM people WHERE age >= 5"], "cost": "epsilon=1/1000"}
    entry = sent(curator, "release", asked)["certificate"]["charge"]
    after = curator.get("/api/v1/ledger").json()
    assert after["charges"] == before["charges"] + 1
    assert after["newest"][0]["hash"] == entry["hash"]
    budget = curator.get("/api/v1/budget").json()
    assert budget["datasets"] == after["datasets"]
    learned = {one["dataset"]: one["learned"] for one in budget["datasets"]}
    assert learned["people"]["so_far"].startswith(
        "Everything released from people so far, together"
    )
    assert learned["people"]["whole_budget"].startswith("If the whole budget of people is spent")


def test_a_batch_fixed_in_advance_costs_less_than_its_sum(curator):
    queries = [f"SELECT COUNT(*) FROM people WHERE age >= {age}" for age in range(30)]
    asked = {"queries": queries, "cost": "each=1/1000, delta=5e-9"}
    plan, found = sent(curator, "plan", asked), sent(curator, "release", asked)
    assert plan["batch"] == found["batch"]
    assert found["batch"]["rule"] == "certified composition"
    assert found["paid"] == plan["price"]
    assert found["paid"]["epsilon"] == found["batch"]["composed"]
    assert found["paid"]["epsilon"]["value"] < 0.03
    assert check_certificate(found["certificate"]).holds
    refused = curator.post("/api/v1/release", json={**asked, "cost": "each=1, delta=1e-6"})
    assert refused.status_code == 409
    assert "give smaller epsilons" in refused.json()["error"]["message"]
    wrong = curator.post("/api/v1/release", json={**asked, "cost": "each=1, epsilon=1"})
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (400, "cost")


def test_rho_asks_for_gaussian_noise(curator):
    asked = {"queries": ["SELECT COUNT(*) FROM visits"], "cost": "rho=1/1000"}
    found = sent(curator, "release", asked)
    assert found["certificate"]["promise"]["cost"] == "rho=1/1000"
