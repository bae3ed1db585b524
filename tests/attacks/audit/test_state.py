"""An audit that was interrupted goes on as if it had not been."""

import json
import signal
import stat
import subprocess
import sys

import pytest

from tests.attacks.audit.subjects import coin
from tests.cli.calling import call
from twoworlds.attacks.audit import audit, auditing, state
from twoworlds.errors import InvalidInput

ASKED = {"epsilon": 1, "pairs": [(0, 1)], "samples": 10_000, "seed": 3, "time_limit": 3600.0}
ASKED["delta"] = "1/2"  # which is granted, so that every round is run
KILLED = f"""
import os, signal, sys
from tests.attacks.audit.subjects import coin
from twoworlds.attacks.audit import audit, auditing

def draw(self, *given, whole=auditing._Run._draw, drawn=[]):
    drawn.append(given)
    if len(drawn) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(self, *given)

auditing._Run._draw, auditing._SAVING = draw, 0.0
audit(coin, **{ASKED}, state=sys.argv[1])
"""


@pytest.fixture
def interrupt(monkeypatch):
    """Let an audit be interrupted at a draw, and save at every chunk."""
    whole = auditing._Run._draw

    def at(number):
        drawn = []

        def draw(self, *given):
            drawn.append(given)
            if len(drawn) == number:
                raise KeyboardInterrupt
            return whole(self, *given)

        monkeypatch.setattr(auditing, "_SAVING", 0.0)
        monkeypatch.setattr(auditing._Run, "_draw", draw)

    return at


@pytest.mark.parametrize("draw", [2, 12, 25])
def test_a_killed_audit_goes_on_to_the_same_report(tmp_path, draw):
    place = tmp_path / "state.json"
    ended = subprocess.run([sys.executable, "-c", KILLED, place, str(draw)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert place.exists() == (draw > 2)  # nothing was finished before the first event
    assert audit(coin, **ASKED, state=place).to_dict() == audit(coin, **ASKED).to_dict()
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_an_audit_that_is_interrupted_every_few_draws_ends_with_the_same_report(
    tmp_path, interrupt
):
    place, expected, times = tmp_path / "state.json", audit(coin, **ASKED), 0
    while True:
        interrupt(10)  # more than looking for an event takes
        try:
            found = audit(coin, **ASKED, state=place)
        except KeyboardInterrupt:
            times += 1
        else:
            break
    assert times > 2
    assert found.to_dict() == expected.to_dict()


def test_a_test_under_way_keeps_its_counts_and_place(tmp_path, interrupt):
    """Batches of 256: the second round tests its event in two of them, draws 9 to 12."""
    place = tmp_path / "state.json"
    interrupt(11)
    with pytest.raises(KeyboardInterrupt):
        audit(coin, **ASKED, state=place)
    test = state.decoded(json.loads(place.read_text())["progress"])["test"]
    assert test["chunk"] == 1
    assert sum(test["counts"]) > 0


def test_more_samples_and_more_time_go_on_where_fewer_ended(tmp_path):
    place = tmp_path / "state.json"
    assert audit(coin, **{**ASKED, "time_limit": 1e-6}, state=place).rounds == 0
    assert audit(coin, **{**ASKED, "samples": 3_000}, state=place).rounds > 0
    assert audit(coin, **ASKED, state=place).to_dict() == audit(coin, **ASKED).to_dict()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seed": 4}, "the seed 3, not 4"),
        ({"epsilon": 2}, "the claim epsilon=1, delta=1/2, not epsilon=2, delta=1/2"),
        ({"confidence": "99%"}, "the confidence 19/20, not 99/100"),
        ({"pairs": [(0, 2)]}, "the pairs 0 ~ 1, not 0 ~ 2"),
        ({"low_bits": False}, "low bits True, not False"),
    ],
)
def test_a_state_of_another_question_is_refused(tmp_path, options, words):
    place = tmp_path / "state.json"
    audit(coin, **ASKED, state=place)
    with pytest.raises(InvalidInput, match=f"{words}: name another file"):
        audit(coin, **{**ASKED, **options}, state=place)


def test_a_state_of_a_subject_that_was_edited_is_refused(tmp_path):
    place, source = tmp_path / "state.json", tmp_path / "mine.py"
    source.write_text("def f(x):\n    return 1\n")
    asked = {**ASKED, "samples": 2_000, "patience": 600.0}
    audit(f"python:{source}:f", **asked, state=place)
    source.write_text("def f(x):\n    return 2\n")
    with pytest.raises(InvalidInput, match="the source"):
        audit(f"python:{source}:f", **asked, state=place)


def forged(place, change):
    """Change a state, with the digest that fits."""
    data = json.loads(place.read_text())
    done = state.decoded(data["progress"])
    change(done, next(one for one in done["rounds"] if one is not None))
    data["progress"] = state.encoded(done)
    data["digest"] = state._digest(data["question"], data["progress"])
    place.write_text(json.dumps(data))


CHANGES = {
    "feature": lambda _, test: test["event"]["feature"].update(name="__import__('os')"),
    "parameters": lambda _, test: test["event"]["feature"].update(name="how many", parameters=()),
    "another type": lambda _, test: test["event"].update(members=(b"x",)),
    "pair": lambda _, test: test.update(pair=7),
    "database": lambda _, test: test.update(likelier=2),
    "counts": lambda _, test: test.update(counts=("1", 2)),
    "too few": lambda done, _: done.pop("scores"),
    "too many": lambda done, _: done.update(more=1),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_state_of_another_form_is_refused(tmp_path, change):
    place = tmp_path / "state.json"
    audit(coin, **ASKED, state=place)
    forged(place, CHANGES[change])
    with pytest.raises(InvalidInput, match="is not a state of an audit: name another file"):
        audit(coin, **ASKED, state=place)


def test_nothing_of_a_state_is_executed(tmp_path):
    place, trace = tmp_path / "state.json", tmp_path / "trace"
    code = f"__import__('pathlib').Path({str(trace)!r}).touch()"
    audit(coin, **ASKED, state=place)
    forged(place, lambda _, test: test["event"].update(members=(code, f"'), {code}, ('")))
    audit(coin, **ASKED, state=place)
    assert not trace.exists()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "twoworlds audit 6"}', "\x00"])
def test_what_is_no_state_is_refused_and_left_alone(tmp_path, content):
    place = tmp_path / "state.json"
    place.write_text(content)
    with pytest.raises(InvalidInput, match="is not a state of an audit: name another file"):
        audit(coin, **ASKED, state=place)
    assert place.read_text() == content


def test_a_damaged_state_is_refused(tmp_path):
    place = tmp_path / "state.json"
    audit(coin, **ASKED, state=place)
    whole = place.read_text()
    assert '"samples"' in whole
    for damaged in (whole[:-20], whole.replace('"samples", ', '"samples", 1')):
        place.write_text(damaged)
        with pytest.raises(InvalidInput, match="is not a state of an audit"):
            audit(coin, **ASKED, state=place)


def test_a_place_that_cannot_be_written_is_refused_before_the_work(tmp_path):
    with pytest.raises(InvalidInput, match="no folder"):
        audit(coin, **ASKED, state=tmp_path / "nowhere" / "state.json")


def test_ctrl_c_says_how_to_go_on(capsys, interrupt, tmp_path):
    place = tmp_path / "state.json"
    interrupt(20)
    code, _, err = call(capsys, "audit", "geometric(ratio=2)", "--state", str(place))
    assert code == 130
    assert f"the same command goes on from {place}" in err
    assert place.exists()
