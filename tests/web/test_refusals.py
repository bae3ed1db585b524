"""Errors in one form: the right status, the field, and nothing of the machine or of the data."""

import json

import pytest

from twoworlds.errors import InvalidInput, TooLarge, TwoWorldsError, Undecided, Unsupported
from twoworlds.release.errors import ReleaseFailed
from twoworlds.release.ledger import LedgerDamaged, LedgerUnavailable, OverBudget
from twoworlds.web.refusals import about, refusal_of

SECRET = "/srv/secret/ledger.db holds 4711"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InvalidInput("x"), 400),
        (TooLarge("x"), 400),
        (Unsupported("x"), 400),
        (Undecided("x"), 400),
        (RecursionError(), 400),
        (MemoryError(), 400),
        (OverBudget("x"), 409),
        (ReleaseFailed(), 500),
        (LedgerUnavailable("x"), 503),
        (LedgerDamaged("x"), 503),
        (TwoWorldsError("a witness does not verify"), 500),
        (ValueError("x"), 500),
        (OSError("x"), 500),
    ],
)
def test_every_error_has_its_status(error, status):
    found = refusal_of(error)
    assert found.status == status
    assert set(json.loads(found.body())["error"]) == {"kind", "message", "field"}


@pytest.mark.parametrize(
    "kind", [LedgerUnavailable, LedgerDamaged, TwoWorldsError, OSError, KeyError]
)
def test_what_may_speak_of_the_machine_has_a_fixed_text(kind):
    assert SECRET not in refusal_of(kind(SECRET)).body().decode()


def test_the_innermost_field_is_named():
    with pytest.raises(InvalidInput) as caught, about("mechanism"), about("belief"):
        raise InvalidInput("no belief")
    assert refusal_of(caught.value).field == "belief"


def test_long_words_and_long_messages_are_cut():
    message = refusal_of(InvalidInput("1" * 5000 + " a" * 5000)).to_dict()["error"]["message"]
    assert len(message) < 1100
    assert "(5000 characters)" in message


def test_text_that_no_encoding_holds_is_written_all_the_same():
    assert b"ud800" in refusal_of(InvalidInput("a \ud800 b")).body()


@pytest.mark.parametrize("folder", ["/etc", "/nowhere-at-all", "/tmp/nothing/here", "/2026/data"])
def test_a_path_is_echoed_alike_whether_its_folder_is_there_or_not(folder):
    message = refusal_of(InvalidInput(f"unknown table '{folder}/people.csv'")).to_dict()
    assert message["error"]["message"] == "unknown table 'people.csv'"


@pytest.mark.parametrize(
    "text", ["epsilon=1/2 of 3 /4", "a / b", "see /api/openapi.json", "such as ln 3 or (1)/2"]
)
def test_what_is_no_path_stays(text):
    assert refusal_of(InvalidInput(text)).to_dict()["error"]["message"] == text


@pytest.mark.parametrize(
    "error", [MemoryError(), OSError("x"), ReleaseFailed(), LedgerUnavailable("x")]
)
def test_what_may_have_been_charged_is_said_to_cost_nothing_more(error):
    assert "costs nothing more" in json.loads(refusal_of(error).body())["error"]["message"]
