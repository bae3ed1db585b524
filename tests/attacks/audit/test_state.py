"""An audit that was interrupted goes on as if it had not been."""

import json

import pytest

from twoworlds.attacks.audit import audit
from twoworlds.attacks.audit.auditing import _Run
from twoworlds.errors import InvalidInput
from twoworlds.testing.broken import laplace, noisy_max

SETTINGS = {"samples": 60_000, "seed": 3, "epsilon": 1}


def outcome(found) -> dict:
    return {key: value for key, value in found.to_dict().items() if key != "stopped"}


def test_more_samples_go_on_where_fewer_ended(tmp_path):
    state = tmp_path / "state.json"
    audit(laplace, **{**SETTINGS, "samples": 20_000}, state=state)
    resumed = audit(laplace, **SETTINGS, state=state)
    assert resumed.rounds > 1
    assert outcome(resumed) == outcome(audit(laplace, **SETTINGS))


@pytest.mark.parametrize("draw", [1, 4, 8])
def test_an_interruption_at_any_draw_changes_nothing(tmp_path, monkeypatch, draw):
    state, drawn, whole = tmp_path / "state.json", [], _Run._draw

    def interrupted(self, *given):
        drawn.append(given)
        if len(drawn) == draw:
            raise KeyboardInterrupt
        return whole(self, *given)

    monkeypatch.setattr(_Run, "_draw", interrupted)
    with pytest.raises(KeyboardInterrupt):
        audit(laplace, **SETTINGS, state=state)
    resumed, expected = audit(laplace, **SETTINGS, state=state), audit(laplace, **SETTINGS)
    assert resumed.finding == expected.finding
    assert resumed.rounds == expected.rounds


def test_a_test_under_way_keeps_its_counts_and_place(tmp_path, monkeypatch):
    """Batches of 256: the second round tests its event in two of them, draws 9 to 12."""

    def coin(database, rng):
        return int(rng.random() < 0.25 + 0.5 * database)

    state, drawn, whole = tmp_path / "state.json", [], _Run._draw

    def interrupted(self, *given):
        drawn.append(given)
        if len(drawn) == 11:
            raise KeyboardInterrupt
        return whole(self, *given)

    options = {"pairs": [(0, 1)], "samples": 10_000}
    expected = audit(coin, **options)
    monkeypatch.setattr(_Run, "_draw", interrupted)
    with pytest.raises(KeyboardInterrupt):
        audit(coin, **options, state=state)
    saved = json.loads(state.read_text())
    assert saved["testing"]["done"] == 256
    assert sum(saved["testing"]["counts"]) > 0
    assert audit(coin, **options, state=state).finding == expected.finding


def test_the_time_limit_leaves_a_state_behind(tmp_path):
    state = tmp_path / "state.json"
    ended = audit(noisy_max, time_limit=1e-6, state=state)
    assert ended.stopped == "the time was over"
    assert ended.rounds == 0
    assert "Nothing was tested" in ended.sentence
    assert audit(noisy_max, samples=300_000, state=state).rounds > 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seed": 4}, "seed 3, not 4"),
        ({"delta": "1/10"}, "delta 0, not 1/10"),
        ({"confidence": "99%"}, "confidence 19/20"),
        ({"pairs": [(0.0, 0.5)]}, "pairs"),
        ({"low_bits": False}, "low bits True, not False"),
    ],
)
def test_a_state_of_other_settings_is_refused(tmp_path, options, words):
    state = tmp_path / "state.json"
    audit(laplace, **{**SETTINGS, "samples": 20_000}, state=state)
    with pytest.raises(InvalidInput, match=words):
        audit(laplace, **{**SETTINGS, **options}, state=state)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "twoworlds audit 0"}', "\x00"])
def test_what_is_no_state_is_refused(tmp_path, content):
    state = tmp_path / "state.json"
    state.write_text(content)
    with pytest.raises(InvalidInput, match="no state of an audit"):
        audit(laplace, state=state)


def test_a_place_that_cannot_be_written_is_refused_before_the_work(tmp_path):
    with pytest.raises(InvalidInput, match="no folder"):
        audit(laplace, state=tmp_path / "nowhere" / "state.json")
