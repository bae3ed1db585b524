"""How answers leave the program: whole numbers, no padding, and a disk that may be full."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calling import call
from twoworlds.cli import run
from twoworlds.show.terminal import print_table

FULL = Path("/dev/full")
NARROW = [
    ["posterior", "gaussian(sigma=2, bits=3)", "--belief", "uniform", "--output", "1000"],
    ["posterior", "laplace(scale=1/50, bits=3)", "--belief", "uniform", "--output", "1"],
    [
        "posterior",
        "randomized-response(bits=3, keep=9/10)",
        "--belief",
        "uniform",
        "--output",
        "111",
    ],
    ["tradeoff", "randomized-response(bits=3, keep=9/10)", "111", "000"],
    ["explain", "dp(epsilon=1/3)"],
    ["error", "laplace(scale=1/3)"],
    ["theorems"],
]


@pytest.mark.few(3)
@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("arguments", NARROW, ids=" ".join)
def test_no_number_is_cut_short_and_no_line_padded(capsys, monkeypatch, arguments, width):
    monkeypatch.setenv("COLUMNS", str(width))
    assert run(arguments) == 0
    out = capsys.readouterr().out
    assert "\u2026" not in out
    assert all(line == line.rstrip() for line in out.splitlines())
    assert max(len(line) for line in out.splitlines()) <= width


def test_every_number_stands_whole_on_one_line_of_a_narrow_window(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    arguments = ["posterior", "laplace(scale=1/50, bits=3)", "--belief", "uniform"]
    assert run([*arguments, "--output", "1"]) == 0
    out = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", "200")
    assert run([*arguments, "--output", "1"]) == 0
    wide = capsys.readouterr().out
    (row,) = (line for line in wide.splitlines() if line.startswith("  111 "))
    assert "e-" in row
    for number in row.split():
        assert number in out.split()
    for person in (1, 2, 3):
        assert f"without {person}" in out


def test_columns_that_do_not_fit_follow_below(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    print_table(("name", "one", "two", "three"), [("a", "1" * 10, "2" * 10, "3" * 40)])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines if "name" in line] == [
        ["name", "one"],
        ["name", "two"],
        ["name:", "a"],
    ]
    assert "three: " + "3" * 40 in " ".join(lines).replace("3 3", "33")  # too long for any line


@pytest.mark.few(3)
@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    "command",
    [["explain", "dp(epsilon=1)"], ["explain", "dp(epsilon=1)", "--json"], ["list"], ["--help"]],
    ids=" ".join,
)
def test_a_full_disk_is_said_to_be_full(command):
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "twoworlds", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 74
    assert done.stderr == (
        f"twoworlds: the answer cannot be written: {os.strerror(errno.ENOSPC)}\n"
    )


def test_a_closed_output_is_said_to_be_closed(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert run(["explain", "dp(epsilon=1)"]) == 74
    assert "standard output is closed" in capsys.readouterr().err


def test_another_error_of_the_system_is_ours(capsys, monkeypatch):
    def fail(*_arguments, **_options):
        raise OSError(2, "no such thing")

    monkeypatch.setattr("twoworlds.definitions.measure", fail)
    assert run(["measure", "geometric(ratio=2)"]) == 70
    assert "please report" in capsys.readouterr().err


def test_a_complaint_shortens_very_long_numbers(capsys):
    assert run(["show", "randomized-response(bits=1000, keep=3/4)"]) == 2
    err = capsys.readouterr().err
    assert "10715086...9376 (302 digits) columns" in err
    assert len(err) < 200


def test_control_characters_are_shown_and_not_sent(capsys):
    from rich.table import Table
    from rich.text import Text

    from twoworlds.show.terminal import console, print_table

    table = Table("a\x1b[2J")
    table.add_row(Text("\x1b]0;title\x07"))
    console().print(Text("red \x1b[31m"), "plain\x07", table)
    print_table(["x"], [["\x9b31m"]])
    out = capsys.readouterr().out
    assert not set(out) & set("\x1b\x07\x9b")
    assert "\\x1b[31m" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("attack membership --people 1 --attributes 1",
         "1 person of a made-up study, 1 exact count:"),
        ("attack reconstruct --rows 1 --queries 1", "A column of 1 bit was decoded from 1 sum by"),
        ("attack reconstruct --rows 1 --queries 1",
         "0 of 1 secret bit (0%) were read back from 1 sum over"),
        ("noiseless size fixed(size=1) --ratio 2", "knows that the sample has 1 entry, then"),
        ("noiseless histogram --population 1 --rate 1/2 --threshold 2 --epsilon 1",
         "If the only member of your bin is in the sample"),
        ("relax constant(bits=1) --eliminate 1", "1 guarantee remains, a sum of those before."),
        ("anonymity figure1.csv --quasi zip,age,nationality --sensitive condition --k 4 --l 1",
         "the claim 4-anonymous and 1-diverse holds"),
        ("noiseless sum --values 0=9/10,1=1/10 --people 5 --values 0..3 --people 1 --epsilon 1",
         "independent, for 5 entries: 0 with probability 9/10, 1 with probability 1/10; "
         "for 1 entry: uniform on 0, 1, 2, 3,"),
    ],
)  # fmt: skip
def test_one_thing_is_spoken_of_as_one(capsys, words, said):
    assert said in " ".join(call(capsys, *words.split())[1].split())


@pytest.mark.parametrize(
    "encoding",
    ["ascii", *(pytest.param(one, marks=pytest.mark.slow) for one in ("cp1252", "utf-8"))],
)
def test_no_letter_loses_an_answer_and_json_is_json_in_every_encoding(encoding, tmp_path):
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.svg")
    words = [sys.executable, "-m", "twoworlds", "measure", "randomized-response(bits=1, keep=3/4)"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    for more in ([], ["--json"], ["--picture", odd]):
        done = subprocess.run([*words, *more], capture_output=True, env=environment, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert "--json" not in more or json.loads(done.stdout)
