"""Hostile requests: always the one form of error, never a value, a path or a token in the log."""

import json
import socket
import time
from urllib.parse import urlsplit

import httpx
import pytest

from twoworlds.web.guard import CONTENT_SECURITY_POLICY

MATHEMATICS = {
    "mechanism": {"mechanism": "geometric(ratio=2)"},
    "posterior": {"mechanism": "randomized-response(bits=1, keep=3/4)", "belief": "uniform"},
    "guarantees": {"mechanism": "randomized-response(bits=1, keep=3/4)"},
    "simulators": {"mechanism": "exact(sum, universe=bits(2))", "ratio": "2"},
    "noiseless": {"people": "5"},
    "attacks/averaging": {"epsilon": "1/2"},
}
JSON = {"Content-Type": "application/json"}


def assert_refused(answer, status=400):
    assert answer.status_code == status, answer.text
    [error] = answer.json().values()
    assert set(error) == {"kind", "message", "field"}
    assert error["message"]
    assert "Traceback" not in error["message"]
    return error


def raw(service, text, *, wait=30.0):
    """Send bytes as they are, and return what comes back."""
    where = urlsplit(service.address)
    with socket.create_connection((where.hostname, where.port), timeout=wait) as connection:
        connection.sendall(text)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize("path", MATHEMATICS)
@pytest.mark.parametrize(
    "value",
    ["NaN", "Infinity", "-Infinity", "1e999999", "null", "true", "[]", "{}", '""', '"\\u0000"'],
)
def test_values_that_are_none_are_refused(anybody, path, value):
    for field in MATHEMATICS[path]:
        wrong = {name: json.dumps(given) for name, given in MATHEMATICS[path].items()}
        text = (
            "{" + ",".join(f'"{n}": {value if n == field else t}' for n, t in wrong.items()) + "}"
        )
        answer = anybody.post(f"/api/v1/{path}", content=text, headers=JSON)
        if (path, value) == ("attacks/averaging", "null"):  # as if it were left out
            assert answer.status_code == 200
        else:
            assert_refused(answer)


@pytest.mark.few(3)
@pytest.mark.parametrize("epsilon", ["NaN", '"nan"', '"inf"', "-1", "0", '"1/0"', '"x"', "1e-999"])
def test_a_release_for_no_number_is_refused_and_not_charged(curator, epsilon):
    before = curator.get("/api/v1/ledger").json()["entries"]
    text = f'{{"queries": ["SELECT COUNT(*) FROM people"], "epsilon": {epsilon}}}'
    error = assert_refused(curator.post("/api/v1/release", content=text, headers=JSON))
    assert error["field"] in ("epsilon", None)  # none where it is no JSON at all
    assert curator.get("/api/v1/ledger").json()["entries"] == before


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "query",
    [
        "",
        "SELECT * FROM people",
        "SELECT income FROM people LIMIT 1",
        "SELECT COUNT(*) FROM people; DROP TABLE people",
        "SELECT COUNT(*) FROM people WHERE income = (SELECT MAX(income) FROM people)",
        "SELECT COUNT(*) FROM read_csv('/etc/passwd')",
        "COPY people TO '/tmp/out'",
        "SELECT COUNT(*) FROM nobody",
        "SELECT COUNT(*) FROM people WHERE " + "(" * 500 + "age > 1" + ")" * 500,
        {"dataset": "people"},
        {"dataset": 5, "aggregates": [], "where": None, "groups": [], "joins": []},
    ],
)
def test_queries_that_are_none_are_refused_and_not_charged(curator, query):
    before = curator.get("/api/v1/ledger").json()["entries"]
    error = assert_refused(
        curator.post("/api/v1/release", json={"queries": [query], "epsilon": "1/1000"})
    )
    assert error["field"] == "queries"
    assert curator.get("/api/v1/ledger").json()["entries"] == before


def crossed(bins, **more):
    """A structured query of some hundred bytes whose cells are a product."""
    one = {"keys": None, "bins": None, "other": False, "discover": False}
    edges = [str(i) for i in range(bins)]
    count = {"kind": "count", "column": None, "name": "count", "where": None, "at": None}
    count |= {"between": None, "share": "1", **more}
    groups = [{**one, "column": name, "bins": edges} for name in ("age", "income")]
    groups += [{**one, "column": name} for name in ("region", "condition")]
    empty = {"dataset": "people", "where": None, "joins": []}
    return {**empty, "aggregates": [count], "groups": groups}


@pytest.mark.few(3)
@pytest.mark.parametrize("path", ["plan", "release"])
@pytest.mark.parametrize(
    "asked",
    [
        {"queries": [crossed(80)], "epsilon": "1/1000"},  # 260,000 cells
        {"queries": [crossed(20)] * 9, "epsilon": "1/1000"},  # 15,000 cells, nine times
        {"queries": [crossed(20, name="n" * 1900)], "epsilon": "1/1000"},  # said in every cell
        {"queries": ["SELECT COUNT(*) FROM people"], "epsilon": "1e-40"},
        {"queries": ["SELECT COUNT(*) FROM people"], "epsilon": "(1e4000)^4000"},
        {"queries": [crossed(2, share="(1e4000)^4000")], "epsilon": "1/1000"},
    ],
    ids=["cells", "batch", "names", "width", "power", "share"],
)
def test_small_requests_for_too_much_are_refused_and_not_charged(curator, path, asked):
    assert len(json.dumps(asked)) < 20_000
    before = curator.get("/api/v1/ledger").json()["entries"]
    error = assert_refused(curator.post(f"/api/v1/{path}", json=asked))
    assert error["kind"] in ("TooLarge", "InvalidInput")
    assert curator.get("/api/v1/ledger").json()["entries"] == before


@pytest.mark.parametrize(
    "body", [b"", b"[1]", b'{"mechanism": "a", "definitions": 1}', b"[" * 60_000]
)
def test_malformed_bodies_are_refused(anybody, body):
    assert_refused(anybody.post("/api/v1/mechanism", content=body, headers=JSON))


def test_other_types_of_content_are_refused(anybody):
    body = json.dumps(MATHEMATICS["mechanism"])
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answer = anybody.post("/api/v1/mechanism", content=body, headers={"Content-Type": kind})
        assert_refused(answer)


def test_large_bodies_are_refused_before_they_are_read(service, anybody):
    assert_refused(anybody.post("/api/v1/mechanism", content=b" " * 70_000, headers=JSON), 413)

    def endless():
        while True:
            yield b" " * 8192

    try:
        answer = anybody.post("/api/v1/mechanism", content=endless(), headers=JSON)
    except httpx.TransportError:  # cut off while sending: as good
        pass
    else:
        assert_refused(answer, 413)
    host = urlsplit(service.address).netloc
    head = f"POST /api/v1/mechanism HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99999999999\r\n\r\n"
    assert b" 413 " in raw(service, head.encode()).split(b"\r\n")[0]


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "a@127.0.0.1", "[::"]
)
def test_other_hosts_are_refused(service, host):
    text = f"GET /api/v1/health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    answer = raw(service, text.encode())
    assert b" 403 " in answer.split(b"\r\n")[0] or b" 400 " in answer.split(b"\r\n")[0]
    assert b'"ok"' not in answer


def test_other_pages_may_not_post(anybody, service):
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        body = MATHEMATICS["mechanism"]
        error = assert_refused(anybody.post("/api/v1/mechanism", json=body, headers=headers), 403)
        assert error["kind"] == "ForeignOrigin"
    own = {"Origin": service.address, "Sec-Fetch-Site": "same-origin"}
    assert anybody.post("/api/v1/mechanism", json=body, headers=own).status_code == 200


def test_no_other_origin_is_ever_allowed(anybody):
    asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    answer = anybody.options("/api/v1/release", headers=asked)
    assert answer.status_code == 405
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/static/../app.py",
        "/app.py",
        "//etc/passwd",
        "/index.html/../../app.py",
        "/\\..\\app.py",
        "/index.html%00.js",
        "/assets/",
        "/.",
    ],
)
def test_the_page_has_its_own_files_only(service, path):
    host = urlsplit(service.address).netloc
    text = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    answer = raw(service, text.encode())
    assert answer.split(b" ")[1] in (b"404", b"400")
    assert b"root:" not in answer


def test_the_page_is_there_with_strict_headers(anybody):
    answer = anybody.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert anybody.get("/api/v1/health").headers["cache-control"] == "no-store"
    again = anybody.get("/", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "given",
    [
        "Bearer",
        "Bearer tw-",
        "Bearer {half}",
        "Bearer {token}x",
        "Bearer {upper}",
        "Basic {token}",
        "{token}",
        "Bearer Bearer {token}",
        "Bearer {token} {token}",
        "Bearer " + "x" * 20_000,
        "Bearer \xe9\xff",
        "Bearer ' OR 1=1 --",
    ],
)
def test_forged_tokens_are_refused(anybody, service, given):
    token = service.token
    text = given.format(token=token, half=token[:-1], upper=token.upper())
    headers = {"Authorization": text.encode("latin-1")}
    answer = anybody.get("/api/v1/me", headers=headers)
    error = assert_refused(answer, 401)
    assert answer.headers["www-authenticate"] == "Bearer"
    assert token not in error["message"]
    assert anybody.get(f"/api/v1/me?token={token}").status_code == 401
    assert anybody.get("/api/v1/me", headers={"Cookie": f"token={token}"}).status_code == 401


def test_wrong_tokens_wait(service):
    with service.client("tw-" + "x" * 43) as client:
        started = time.monotonic()
        assert_refused(client.get("/api/v1/me"), 401)
        assert time.monotonic() - started >= 0.5


def test_there_is_no_page_that_loads_from_elsewhere(anybody):
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert_refused(anybody.get(path), 404)


def test_the_log_has_one_line_for_each_request_and_no_secret(service, anybody, curator):
    marker = "SELECT COUNT(*) FROM people WHERE age >= 31"
    curator.post("/api/v1/plan", json={"queries": [marker], "epsilon": "1/1000"})
    anybody.get("/api/v1/health", params={"token": "in-the-address"})
    anybody.get("/nothing/in-the-path")
    for _ in range(200):  # a line is written when its answer is on the way
        if service.lines()[-1]["status"] == 404:
            break
        time.sleep(0.05)
    text = service.log.read_text()
    for secret in (service.token, "in-the-address", "in-the-path", "age >= 31", "Bearer"):
        assert secret not in text
    lines = service.lines()
    keys = {"time", "method", "path", "status", "milliseconds", "account"}
    assert all(set(line) == keys for line in lines)
    known = [(line["path"], line["status"], line["account"]) for line in lines[-3:]]
    assert known == [
        ("/api/v1/plan", 200, "ann"),
        ("/api/v1/health", 200, None),
        (None, 404, None),
    ]
