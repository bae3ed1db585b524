"""The description of the API holds: schemathesis asks whatever it allows, and what it forbids."""

import json
from contextlib import suppress

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import (
    allow_header_conformance,
    content_type_conformance,
    ignored_auth,
    negative_data_rejection,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from tests.web.serving import Running
from twoworlds.questions import QUESTIONS
from twoworlds.web.app import create_app
from twoworlds.web.attacks import ATTACKS

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
    allow_header_conformance,
    ignored_auth,
]
PATHS = {
    "GET": {"health", "ready", "catalogue", "me", "datasets", "budget", "ledger", "proposals"},
    "POST": {
        "mechanism",
        "posterior",
        "guarantees",
        "simulators",
        "noiseless",
        *(f"attacks/{name}" for name in ATTACKS),
        "plan",
        "release",
        "report",
        "propose",
        "decide",
    },
}


@pytest.fixture(scope="module")
def description(service: Running):
    with service.client() as client:
        return client.get("/api/openapi.json").json()


def test_every_path_is_described(description):
    wanted = {(f"/api/v1/{path}", m.lower()) for m, paths in PATHS.items() for path in paths}
    found = {(path, method) for path, one in description["paths"].items() for method in one}
    assert found == wanted


def test_no_path_answers_422(description):
    assert "422" not in json.dumps(description)
    for path in description["paths"].values():
        for one in path.values():
            assert {"200", "400", "413", "500", "503"} <= set(one["responses"])


@pytest.mark.parametrize("name", ATTACKS)
def test_the_body_of_an_attack_has_options_of_its_question(description, name):
    operation = description["paths"][f"/api/v1/attacks/{name}"]["post"]
    assert operation["summary"] == QUESTIONS[f"attack {name}"].line
    schema = description["components"]["schemas"][name.capitalize()]
    assert set(schema["properties"]) <= set(QUESTIONS[f"attack {name}"].parameters())
    assert all(one["description"] for one in schema["properties"].values())


def test_the_description_is_the_same_without_a_policy(description):
    app = create_app()
    try:
        assert app.openapi() == description
    finally:
        app.state.service.close()


def examine(service: Running, description, examples: int) -> int:
    """Send so many requests to every path; return how many were sent."""
    schema = schemathesis.openapi.from_dict(description)
    schema.config.update(base_url=service.address)
    headers = {"Authorization": f"Bearer {service.token}"}
    count = 0
    for result in schema.get_all_operations():
        operation = result.ok()
        for mode in (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE):

            @settings(
                max_examples=examples,
                deadline=None,
                database=None,
                derandomize=True,
                phases=[Phase.explicit, Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            def each(case):
                nonlocal count
                count += 1
                response = case.call(headers=headers, timeout=60)
                # What is too long is refused before it is read, with a status of its own.
                too_long = response.status_code == 413
                checks = [c for c in CHECKS if not too_long or c is not negative_data_rejection]
                case.validate_response(response, checks=checks)

            strategy = operation.as_strategy(generation_mode=mode)
            with suppress(Unsatisfiable):  # a path without parameters cannot be asked wrongly
                given(case=strategy)(each)()
    return count


@pytest.mark.slow
def test_schemathesis_finds_nothing(service, description):
    assert examine(service, description, 30) > 500
