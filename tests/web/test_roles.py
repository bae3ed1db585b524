"""Who may do what: every path with every role, and without any."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from twoworlds.web.accounts import Accounts

ASKED = {"queries": ["SELECT COUNT(*) FROM people"], "epsilon": "1/1000"}
PATHS = {
    ("GET", "me"): {"curator", "analyst", "reviewer"},
    ("GET", "datasets"): {"curator", "analyst", "reviewer"},
    ("GET", "budget"): {"curator", "analyst", "reviewer"},
    ("GET", "ledger"): {"curator", "reviewer"},
    ("GET", "proposals"): {"curator", "analyst"},
    ("POST", "plan"): {"curator", "analyst"},
    ("POST", "release"): {"curator", "analyst"},
    ("POST", "propose"): {"curator", "analyst"},
    ("POST", "decide"): {"reviewer"},
    ("POST", "report"): {"curator", "analyst", "reviewer"},
}
BODIES = {
    "propose": {**ASKED, "queries": ["SELECT SUM(age) FROM people"], "purpose": "a table"},
    "decide": {"proposal": 1, "approve": True},
    "report": {"entry": 1},
}
NAMES = {"analyst": "bob", "reviewer": "rita"}


@pytest.fixture(scope="module")
def tokens(service):
    accounts = Accounts(service.folder / "hospital" / "ledger.db.accounts")
    made = {role: accounts.add(name, role) for role, name in NAMES.items()}
    yield {**made, "curator": service.token}
    for name in NAMES.values():
        accounts.remove(name)


def ask(service, token, method, path):
    with service.client(token) as client:
        body = {"json": BODIES.get(path, ASKED)} if method == "POST" else {}
        return client.request(method, f"/api/v1/{path}", **body)


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_every_path_is_for_its_roles_only(service, tokens, method, path):
    for role, token in tokens.items():
        answer = ask(service, token, method, path)
        allowed = role in PATHS[method, path]
        known = path not in ("decide", "report")  # there is no proposal 1, and no release 1
        wanted = (200 if known else 400) if allowed else 403
        assert answer.status_code == wanted, (role, answer.text)
        if not allowed:
            assert answer.json()["error"]["kind"] == "Role"


def test_the_table_of_roles_says_who_decides():
    page = Path(__file__).parents[2] / "docs" / "how-to" / "service.md"
    roles = dict(re.findall(r"^\| (curator|analyst|reviewer) \| (.*) \|$", page.read_text(), re.M))
    assert set(roles) == {"curator", "analyst", "reviewer"}
    assert "decide on no proposal" in roles["curator"]
    assert "approve proposals or send them back" in roles["reviewer"]
    assert PATHS["POST", "decide"] == {"reviewer"}
    assert not any("everything" in may for may in roles.values())


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize("header", [None, "", "Bearer", "Basic YWJj"])
def test_without_a_token_there_is_nothing(service, method, path, header):
    given = {} if header is None else {"Authorization": header}
    with service.client() as client:
        body = {"json": ASKED} if method == "POST" else {}
        answer = client.request(method, f"/api/v1/{path}", headers=given, **body)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


def test_identity_is_the_token_and_no_other_header(service, tokens):
    headers = {"X-User": "ann", "X-Forwarded-User": "ann", "user-name": "ann"}
    with service.client(tokens["analyst"]) as client:
        assert client.get("/api/v1/me", headers=headers).json()["name"] == "bob"
        charged = client.post("/api/v1/release", json=ASKED, headers=headers).json()
    assert "bob" in charged["left"]


def test_an_analyst_sees_the_own_account_and_the_whole(service, tokens):
    [people, visits] = ask(service, tokens["analyst"], "GET", "budget").json()["datasets"]
    assert [one["analyst"] for one in people["analysts"]] == ["bob"]
    assert visits["analysts"] == []
    assert people["cap"]


def test_whom_the_policy_gives_nothing_gets_nothing(service, tokens):
    asked = {"queries": ["SELECT COUNT(*) FROM visits"], "epsilon": "1/1000"}
    with service.client(tokens["analyst"]) as client:
        answer = client.post("/api/v1/release", json=asked)
    assert answer.status_code == 403
    assert answer.json()["error"]["kind"] == "NoBudget"


def test_a_removed_account_is_refused_by_the_running_service(service):
    accounts = Accounts(service.folder / "hospital" / "ledger.db.accounts")
    token = accounts.add("eve", "reviewer")
    assert ask(service, token, "GET", "me").json() == {"name": "eve", "role": "reviewer"}
    accounts.remove("eve")
    assert ask(service, token, "GET", "me").status_code == 401


def test_an_account_that_is_removed_while_it_asks_gets_what_it_paid_for_and_nothing_after(service):
    accounts = Accounts(service.folder / "hospital" / "ledger.db.accounts")
    token = accounts.add("ann", "analyst")
    body = {**ASKED, "queries": ["SELECT COUNT(*) FROM people WHERE age >= 13"]}
    with service.client(token) as client, ThreadPoolExecutor(1) as thread:
        running = thread.submit(client.post, "/api/v1/release", json=body)
        time.sleep(0.02)
        accounts.remove("ann")
        assert running.result().status_code in (200, 401)  # 401 if it was removed before it asked
        again = client.post("/api/v1/release", json=body)
    assert again.status_code == 401
    assert again.json()["error"]["kind"] == "WrongToken"


def test_an_analyst_proposes_and_a_reviewer_decides_each_in_their_own_name(service, tokens):
    asked = {"queries": ["SELECT COUNT(*) FROM people WHERE age >= 91"], "epsilon": "1/1000"}
    analyst, reviewer = service.client(tokens["analyst"]), service.client(tokens["reviewer"])
    with analyst, reviewer:
        made = analyst.post("/api/v1/propose", json={**asked, "purpose": "the oldest"}).json()
        assert (made["analyst"], made["status"]) == ("bob", "waiting")
        decision = {"proposal": made["entry"], "approve": False, "remark": ""}
        refused = reviewer.post("/api/v1/decide", json=decision)
        assert (refused.status_code, refused.json()["error"]["field"]) == (400, "remark")
        assert analyst.post("/api/v1/decide", json=decision).status_code == 403
        decided = reviewer.post("/api/v1/decide", json={**decision, "remark": "too few people"})
        assert decided.json()["decision"]["reviewer"] == "rita"
        again = reviewer.post("/api/v1/decide", json={**decision, "approve": True})
        assert again.status_code == 400
        assert analyst.post("/api/v1/plan", json=asked).json()["review"]["status"] == "sent back"
        page = {"entry": made["entry"]}  # to sign: it says what everything together allows
        assert analyst.post("/api/v1/report", json=page).status_code == 400
        to_sign = reviewer.post("/api/v1/report", json=page).json()["html"]
        assert "Planned, not paid" in to_sign
        assert "too few people" in to_sign
        [listed] = [
            one
            for one in reviewer.get("/api/v1/ledger").json()["proposals"]
            if one["entry"] == made["entry"]
        ]
    assert (listed["purpose"], listed["decision"]["remark"]) == ("the oldest", "too few people")


def test_a_proposal_says_what_it_is_for(service, tokens):
    with service.client(tokens["analyst"]) as analyst:
        answer = analyst.post("/api/v1/propose", json={**BODIES["propose"], "purpose": " "})
    assert answer.json()["error"]["message"] == "purpose: it is empty: say what the release is for"


def test_proposals_are_listed_to_whoever_made_them_and_to_nobody_else(service, tokens):
    asked = {"queries": ["SELECT COUNT(*) FROM people WHERE age >= 93"], "epsilon": "1/1000"}
    bob, ann = service.client(tokens["analyst"]), service.client(tokens["curator"])
    with bob, ann, service.client(tokens["reviewer"]) as rita:
        mine = bob.post("/api/v1/propose", json={**asked, "purpose": "bob's"}).json()["entry"]
        hers = ann.post("/api/v1/propose", json={**asked, "purpose": "ann's"}).json()["entry"]
        said = {"proposal": mine, "approve": False, "remark": "take wider ages"}
        assert rita.post("/api/v1/decide", json=said).status_code == 200
        own = {one["entry"]: one for one in bob.get("/api/v1/proposals").json()["proposals"]}
        others = {one["entry"] for one in ann.get("/api/v1/proposals").json()["proposals"]}
        text = bob.get("/api/v1/proposals").text
    assert max(own) == mine
    assert (mine in others, hers in others, hers in own) == (False, True, False)
    assert own[mine]["status"] == "sent back"
    assert own[mine]["decision"]["remark"] == "take wider ages"
    assert "ann" not in text.replace("planned", "")
    assert "after" not in own[mine]  # what all releases together allow is for reviewers


def test_what_is_approved_and_unpaid_counts_beside_what_waits(service, tokens):
    def asked(age):
        query = f"SELECT COUNT(*) FROM people WHERE age >= {age}"
        return {"queries": [query], "epsilon": "1/100", "dataset": "people"}

    bob, rita = service.client(tokens["analyst"]), service.client(tokens["reviewer"])
    with bob, rita:

        def listed(entry):
            proposals = rita.get("/api/v1/ledger").json()["proposals"]
            return next(one for one in proposals if one["entry"] == entry)

        def chances(entry):
            one = listed(entry)
            return [one[name]["chance"]["value"] for name in ("with_released", "after")]

        first, second = (
            bob.post("/api/v1/propose", json={**asked(age), "purpose": "a table"}).json()["entry"]
            for age in (94, 95)
        )
        before = chances(second)
        others = listed(second)["after"]["others"]
        said = {"proposal": first, "approve": True, "remark": ""}
        assert rita.post("/api/v1/decide", json=said).status_code == 200
        assert listed(second)["after"]["others"] == others + 1
        assert listed(first)["unpaid"]
        approved = chances(second)
        assert approved[0] == before[0]
        assert approved[1] > before[1]
        assert bob.post("/api/v1/release", json=asked(94)).status_code == 200
        paid = chances(second)  # what was approved is released now
        assert paid[0] > approved[0]
        assert paid[1] == approved[1]
        assert not listed(first)["unpaid"]
        assert listed(second)["after"]["others"] == others
        back = {"proposal": second, "approve": False, "remark": "enough of these"}
        assert rita.post("/api/v1/decide", json=back).status_code == 200
        assert listed(second)["unpaid"] is False


def test_a_report_is_for_reviewers_and_for_whoever_paid(service, tokens):
    asked = {"queries": ["SELECT COUNT(*) FROM people WHERE age >= 92"], "epsilon": "1/1000"}
    with service.client(tokens["curator"]) as ann, service.client(tokens["analyst"]) as bob:
        entry = {"entry": ann.post("/api/v1/release", json=asked).json()["entry"]}
        assert bob.post("/api/v1/report", json=entry).status_code == 400
    with service.client(tokens["reviewer"]) as rita:
        found = rita.post("/api/v1/report", json=entry).json()
    assert found["html"].lstrip().lower().startswith("<!doctype html>")
