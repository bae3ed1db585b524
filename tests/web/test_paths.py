"""No answer says where on the machine anything is: good requests, bad ones, and missing data."""

import json
import sys
from pathlib import Path

import pytest

import twoworlds
from tests.web.test_app import Tried
from twoworlds.release.examples import lay_out
from twoworlds.web.attacks import ATTACKS
from twoworlds.web.catalogue import EXAMPLES

SURVEY = "randomized-response(bits=2, keep=3/4)"
COUNT = "SELECT COUNT(*) FROM people"
GETS = ("health", "ready", "catalogue", "me", "datasets", "budget", "ledger", "nothing", "plan")
BODIES = {
    "mechanism": [
        {"mechanism": SURVEY},
        {"mechanism": "nothing.csv"},
        {"mechanism": "/etc/passwd"},
    ],
    "posterior": [{"mechanism": SURVEY, "belief": "uniform"}, {"mechanism": SURVEY, "belief": "x"}],
    "guarantees": [{"mechanism": SURVEY}, {"definition": "dp(ratio=3)"}],
    "simulators": [{"mechanism": SURVEY, "ratio": 2}, {"mechanism": SURVEY, "private": "x"}],
    "noiseless": [{"people": 5}, {"people": "x"}],
    "plan": [{"queries": [COUNT], "epsilon": 1}],
    "release": [
        {"queries": [COUNT], "epsilon": "1/1000"},
        {"queries": ["SELECT COUNT(*) FROM nobody"], "epsilon": 1},
        {"queries": ["SELECT COUNT(*) FROM '/etc/passwd'"], "epsilon": 1},
        {"queries": ["SELECT COUNT(*) FROM people WHERE nothing > 1"], "epsilon": 1},
        {"queries": [COUNT], "epsilon": 1, "dataset": "x"},
        {"queries": [COUNT], "epsilon": 1000},
        {"queries": ["("], "cost": "x"},
    ],
    **{
        f"attacks/{name}": [{}, {"engine": True, "everyone": True}, {"know": ["x=1"]}]
        for name in ATTACKS
    },
    "attacks/linkage": [{}, {"table": "figure2.csv"}, {"on": "x"}, {"table": "../figure1.csv"}],
    "attacks/composition": [{}, {"everyone": True}, {"sensitive": "x"}, {"tables": ["x.csv"]}],
}
ALWAYS = [{}, {"": 1}, {"mechanism": 1}, {"queries": []}, [], "text", None]


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hospital")
    lay_out(folder)
    made = Tried(folder / "policy.yml")
    made.folder = folder
    made.given = {"Authorization": f"Bearer {made.service.accounts.add_passing('ann', 'curator')}"}
    yield made
    made.service.close()


def places(tried):
    found = {
        tried.folder,
        Path.cwd(),
        Path.home(),
        Path(sys.prefix),
        Path(twoworlds.__file__).parent,
        Path(tried.service.mathematics._folder.name),
    }
    return [str(place) for place in {*found, *(place.resolve() for place in found)}]


def check(tried, answer):
    said = answer.text + str(dict(answer.headers)) + json.dumps(tried.log)
    for place in places(tried):
        assert place not in said
    assert "/site-packages" not in said
    return answer


def test_no_answer_names_a_folder(tried):
    codes = set()
    for path in GETS:
        codes.add(
            check(tried, tried.ask("GET", f"/api/v1/{path}", headers=tried.given)).status_code
        )
    for path, bodies in BODIES.items():
        for body in [*bodies, *ALWAYS]:
            answer = tried.ask("POST", f"/api/v1/{path}", json=body, headers=tried.given)
            codes.add(check(tried, answer).status_code)
    assert codes - {503} == {200, 400, 404, 405, 409}  # 503: not in time, on a busy machine


@pytest.mark.slow
def test_the_examples_of_the_catalogue_are_answered_or_refused(tried):
    for text in EXAMPLES["mechanisms"].values():
        for path, more in (("mechanism", {"definitions": False}), ("posterior", {"belief": "x"})):
            body = {"mechanism": text, **more}
            answer = check(tried, tried.ask("POST", f"/api/v1/{path}", json=body))
            assert answer.status_code in (200, 400), (text, answer.text)


@pytest.mark.parametrize(
    "harm", ["gone", *(pytest.param(one, marks=pytest.mark.slow) for one in ("empty", "other"))]
)
def test_data_that_is_not_there_is_not_looked_for_aloud(tmp_path, harm):
    lay_out(tmp_path)
    data = tmp_path / "people.parquet"
    if harm == "gone":
        data.unlink()
    else:
        data.write_bytes(b"" if harm == "empty" else b"no parquet" * 100)
    made = Tried(tmp_path / "policy.yml")
    made.folder = tmp_path
    try:
        token = made.service.accounts.add_passing("ann", "curator")
        given = {"Authorization": f"Bearer {token}"}
        for method, path in (("GET", "ready"), ("POST", "plan"), ("POST", "release")):
            body = {"queries": [COUNT], "epsilon": "1/1000"}
            more = {"json": body} if method == "POST" else {}
            answer = check(made, made.ask(method, f"/api/v1/{path}", headers=given, **more))
            if path != "plan":
                assert answer.status_code in (400, 500, 503), answer.text
        assert made.ask("GET", "/api/v1/ledger", headers=given).json()["charges"] == 0
    finally:
        made.service.close()
