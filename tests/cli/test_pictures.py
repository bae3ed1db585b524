"""The option --picture, and the progress bar that waits."""

import io
import json
from xml.etree import ElementTree

import pytest
from rich.console import Console

from tests.cli.calling import call
from twoworlds.cli import asking
from twoworlds.progress import track

SURVEY = "randomized-response(bits=2, keep=3/4)"
COMMANDS = {
    "explain": ["explain", "dp(ratio=3)"],
    "explain a mechanism": ["explain", SURVEY],
    "posterior": ["posterior", SURVEY, "--belief", "uniform", "--output", "11"],
    "posterior of a secret": [
        *("posterior", SURVEY, "--belief", "uniform", "--output", "11", "--secret", "1=1"),
    ],
    "measure": ["measure", SURVEY],
    "measure --profile": ["measure", SURVEY, "--profile"],
    "tradeoff": ["tradeoff", SURVEY, "11", "10"],
}


@pytest.mark.few(3)
@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_picture_adds_one_line_to_the_answer(capsys, tmp_path, arguments):
    _, plain, _ = call(capsys, *arguments)
    path = tmp_path / "drawn.svg"
    code, out, err = call(capsys, *arguments, "--picture", str(path))
    assert (code, err) == (0, "")
    assert out == f"{plain}wrote {path}\n"
    ElementTree.parse(path)


@pytest.mark.few(3)
@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_json_names_the_picture_beside_the_same_answer(capsys, tmp_path, arguments):
    _, plain, _ = call(capsys, *arguments, "--json")
    path = tmp_path / "drawn.png"
    code, out, err = call(capsys, *arguments, "--json", "--picture", str(path))
    assert (code, err) == (0, "")
    assert json.loads(out) == {**json.loads(plain), "picture": str(path)}
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_file_that_cannot_be_written_is_refused_before_the_work(capsys, tmp_path, arguments):
    for name, said in (("a.pdf", ".svg or .png"), ("none/a.svg", "there is no folder")):
        code, out, err = call(capsys, *arguments, "--picture", str(tmp_path / name))
        assert (code, out) == (2, "")
        assert said in err
        assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


WITHOUT_A_PICTURE = {
    "a guarantee": ["explain", "dp(epsilon=inf)"],
    "a kind": ["explain", "ddp(ratio=2)"],
}


@pytest.mark.parametrize("arguments", WITHOUT_A_PICTURE.values(), ids=WITHOUT_A_PICTURE)
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_what_has_no_picture_is_answered_all_the_same(capsys, tmp_path, arguments, form):
    _, plain, _ = call(capsys, *arguments, *form)
    code, out, err = call(capsys, *arguments, *form, "--picture", str(tmp_path / "a.svg"))
    assert (code, out) == (2, plain)
    assert err.startswith("twoworlds: no picture was drawn: ")
    assert "no chart" in err
    assert list(tmp_path.iterdir()) == []
    assert call(capsys, *arguments, *form)[0] == 0  # the next call complains of nothing


def test_the_picture_of_a_mechanism_shows_what_it_does_itself(capsys, tmp_path):
    path = tmp_path / "a.svg"
    assert call(capsys, "explain", SURVEY, "--picture", str(path))[0] == 0
    assert "26.8 percentage points" in path.read_text(encoding="utf-8")


class Clock:
    """A clock that moves only when told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(asking, "monotonic", clock)
    return clock


@pytest.fixture
def terminal(monkeypatch):
    """What a terminal on standard error would have been sent."""
    monkeypatch.setenv("TERM", "xterm")
    sent = io.StringIO()
    monkeypatch.setattr(
        asking,
        "Console",
        lambda **options: Console(file=sent, force_terminal=True, width=80, legacy_windows=False),
    )
    return sent


def run_loop(clock: Clock, seconds: float, label: str = "counting") -> list[int]:
    done = []
    for item in track(range(10), label, 10):
        clock.now += seconds
        done.append(item)
    return done


def test_a_short_loop_shows_no_progress_bar(terminal, clock):
    with asking.progress():
        for _ in range(5):  # many short loops are not one long loop
            assert len(run_loop(clock, 0.05)) == 10
    assert terminal.getvalue() == ""


def test_a_loop_that_lasts_shows_its_bar_and_takes_it_away(terminal, clock):
    with asking.progress():
        assert run_loop(clock, 0.2) == list(range(10))
    assert "counting" in terminal.getvalue()
    first = terminal.getvalue()
    with asking.progress():
        run_loop(clock, 0.2, "again")
    assert "again" in terminal.getvalue()[len(first) :]
    assert "counting" not in terminal.getvalue()[len(first) :]


def test_a_loop_inside_a_shown_loop_adds_no_second_bar(terminal, clock):
    with asking.progress():
        for _ in track(range(5), "outer", 5):
            run_loop(clock, 0.2, "inner")
    text = terminal.getvalue()
    assert "inner" in text
    clock.now = 0.0
    with asking.progress():
        for step in track(range(3), "outside", 3):
            clock.now += 1
            if step == 2:
                assert len(run_loop(clock, 0.2, "within")) == 10
    later = terminal.getvalue()[len(text) :]
    assert "outside" in later
    assert "within" not in later


def test_a_loop_left_early_leaves_no_bar_behind(terminal, clock):
    with asking.progress():
        for _ in track(range(10), "left", 10):
            clock.now += 1
            if clock.now > 3:
                break
        run_loop(clock, 0.2, "next")
    assert "next" in terminal.getvalue()


def test_a_pipe_never_sees_a_progress_bar(capsys, clock):
    with asking.progress():
        run_loop(clock, 5)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")
