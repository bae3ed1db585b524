"""Which definitions hold: what is said to follow is what a check of everything finds."""

import pytest

from twoworlds.definitions import check
from twoworlds.mechanisms.named import mechanism
from twoworlds.web.mathematics import mechanism as answered

BELIEFS = ("ddp", "noiseless", "pufferfish")


def asked(text, neighbours=None):
    listed = answered(text, neighbours)["definitions"]
    return {one["definition"]: one for one in listed}, mechanism(text)


@pytest.mark.parametrize(
    "text",
    [
        "randomized-response(bits=1, keep=2/3)",
        "randomized-response(bits=3, keep=3/4)",
        "randomized-response(bits=2, keep=1)",
        "noisy-parity(bits=3, keep=2/3)",
        "exact(sum, universe=bits(3))",
        "identity(bits=2)",
    ],
)
def test_every_verdict_is_that_of_the_check(text):
    found, built = asked(text)
    assert len(found) == 9
    for claim, one in found.items():
        assert one["holds"] is check(built, claim).holds, claim
        assert (one["why"] is None) is (one["holds"] is not False)


def test_what_follows_from_differential_privacy_needs_no_list_of_databases():
    found, _ = asked("randomized-response(bits=40, keep=3/4)")
    for claim, one in found.items():
        if claim.startswith(BELIEFS):
            assert one["holds"] is True
            assert one["sentence"].startswith("This follows from dp(ratio=3): ")


def test_nothing_follows_where_other_databases_are_neighbours():
    found, built = asked("randomized-response(bits=2, keep=3/4)", "11~10")
    for claim, one in found.items():
        assert "follows" not in one["sentence"]
        if claim.startswith(BELIEFS):
            assert one["holds"] is check(built, claim).holds


def test_a_refuted_definition_says_first_why():
    found, _ = asked("randomized-response(bits=2, keep=3/4)")
    assert found["gamma-amplification(gamma=3)"]["sentence"] == (
        "Fails: output 11 on 11 is 9 times as likely as on 00, more than 3 times."
    )
    refuted, _ = asked("identity(bits=2)")
    for one in refuted.values():
        assert one["holds"] is False
        assert one["sentence"] == f"Fails: {one['why']}"
    assert refuted["pointwise(ratio=3)"]["sentence"] == (
        "Fails: with probability 1 an output is over 3 times likelier in one world than in the "
        "other."
    )


def test_infinitely_many_databases_have_no_uniform_belief():
    found, _ = asked("geometric(ratio=2)")
    for claim, one in found.items():
        if claim.startswith(BELIEFS):
            assert (one["holds"], one["witness"]) == (None, None)
            assert "too many" in one["sentence"]


def test_what_is_too_extreme_is_not_decided_and_says_so():
    found, _ = asked("gaussian(sigma=1e-9)")
    assert len(found) == 9
    extreme = [one for one in found.values() if "too extreme" in one["sentence"]]
    assert extreme
    for one in extreme:
        assert (one["holds"], one["witness"]) == (None, None)
        assert one["sentence"].startswith("too extreme to be computed: ")


@pytest.mark.parametrize(
    ("text", "delta"),
    [
        ("randomized-response(bits=2, keep=3/4)", "1/100"),
        ("laplace(epsilon=1/2)", "1e-6"),
        ("gaussian(sigma=4)", "1e-6"),
        ("geometric(ratio=2)", "1e-6"),
        ("random-index(records=2)", "1e-6"),
    ],
)
def test_definitions_are_asked_at_the_delta_of_the_price(text, delta):
    found = answered(text, delta=delta, curves=False)
    claims = {one["definition"]: one for one in found["definitions"]}
    first, *_ = claims
    assert first.startswith("dp(ratio=")
    assert first.endswith(f", delta={delta})")
    assert claims[first]["holds"] is (found["price"]["epsilon"]["value"] is not None)
    [apart] = [claim for claim in claims if claim.startswith("statistical-difference")]
    assert claims[apart]["holds"] is True
    for claim, one in claims.items():
        if one["holds"] is not None:
            assert one["holds"] is check(mechanism(text), claim).holds, claim


def test_a_failure_is_said_once_and_no_more_than_its_witness_shows():
    found, _ = asked("gaussian(sigma=4)")
    said = {claim.partition("(")[0]: one["sentence"] for claim, one in found.items()}
    assert said["dp"].startswith("Fails: an event has probability")
    near = (
        "nearly 100 percentage points{}, as near as you like (here {}), more than the 50 claimed."
    )
    assert near.format(" apart", "75.4") in said["semantic"]
    assert near.format("", "81.9") in said["informed"]
    found, _ = asked("random-index(records=2)")  # here a belief and an output show all of it
    assert "lie 100 percentage points apart, more" in found["semantic(epsilon=1/2)"]["sentence"]
