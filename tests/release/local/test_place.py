"""What can go wrong with files: nothing is overwritten, left over, or said about the data."""

import os

import pytest

from tests.release.local.samples import COIN, lines, nearly, nothing_but, parquet, written
from twoworlds.errors import InvalidInput
from twoworlds.release.local import Randomizer, files, randomize_file, release
from twoworlds.release.local.release import certificate_path


def test_nothing_is_overwritten(tmp_path):
    old = written(tmp_path / "in.csv", "v\nyes\n")
    new = tmp_path / "out.csv"
    randomize_file(old, new, "v", COIN)
    before = new.read_bytes(), certificate_path(new).read_bytes()
    with pytest.raises(InvalidInput, match="a second look"):
        randomize_file(old, new, "v", COIN)
    with pytest.raises(InvalidInput, match="there already"):
        randomize_file(old, old, "v", COIN)
    new.unlink()
    with pytest.raises(InvalidInput, match=r"certificate\.json is there already"):
        randomize_file(old, new, "v", COIN)
    assert certificate_path(new).read_bytes() == before[1]
    nothing_but(tmp_path, "in.csv", "out.csv.certificate.json")


def test_a_dangling_link_is_not_followed(tmp_path):
    old = written(tmp_path / "in.csv", "v\nyes\n")
    (tmp_path / "out.csv").symlink_to(tmp_path / "elsewhere.csv")
    with pytest.raises(InvalidInput, match="there already"):
        randomize_file(old, tmp_path / "out.csv", "v", COIN)
    assert not (tmp_path / "elsewhere.csv").exists()


@pytest.mark.parametrize("step", ["chunks", "flush", "put", "second put"])
def test_a_failure_at_any_step_leaves_nothing(tmp_path, monkeypatch, step):
    old = written(tmp_path / "in.csv", "v\nyes\n")
    calls = []

    def fail(*_):
        calls.append(1)
        if step != "second put" or len(calls) > 1:
            raise OSError(28, "No space left on device")
        return real(*_)

    real = release._put
    owner, name = {
        "chunks": (files.CsvFile, "write"),
        "flush": (release, "_flush"),
        "put": (release, "_put"),
        "second put": (release, "_put"),
    }[step]
    monkeypatch.setattr(owner, name, fail)
    with pytest.raises(InvalidInput, match="No space left"):
        randomize_file(old, tmp_path / "out.csv", "v", COIN)
    nothing_but(tmp_path, "in.csv")


def test_a_parquet_file_that_grows_meanwhile_is_noticed(tmp_path):
    old = parquet(tmp_path / "in.parquet", "SELECT 'yes' AS v FROM range(10)")
    opened = files.ParquetFile.opened(old, "v", ())
    parquet(old, "SELECT 'yes' AS v FROM range(5)")
    with pytest.raises(InvalidInput, match="was changed"):
        list(opened.chunks(["yes", "no"]))


def test_an_interrupted_work_leaves_nothing(tmp_path, monkeypatch):
    old = written(tmp_path / "in.csv", "v\nyes\n")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(release, "_flush", interrupted)
    with pytest.raises(KeyboardInterrupt):
        randomize_file(old, tmp_path / "out.csv", "v", COIN)
    nothing_but(tmp_path, "in.csv")


def test_who_comes_second_at_the_last_moment_loses(tmp_path, monkeypatch):
    old = written(tmp_path / "in.csv", "v\nyes\n")
    real = release._put

    def late(made, path):
        if path.name == "out.csv":
            path.write_text("somebody else's")
        real(made, path)

    monkeypatch.setattr(release, "_put", late)
    with pytest.raises(InvalidInput, match="there already"):
        randomize_file(old, tmp_path / "out.csv", "v", COIN)
    assert (tmp_path / "out.csv").read_text() == "somebody else's"
    nothing_but(tmp_path, "in.csv", "out.csv")


def test_without_hard_links_the_name_is_looked_at_first(tmp_path, monkeypatch):
    def refused(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    old = written(tmp_path / "in.csv", "v\nyes\n")
    randomize_file(old, tmp_path / "out.csv", "v", nearly("yes", "no"))
    assert lines(tmp_path / "out.csv") == [["v"], ["yes"]]
    nothing_but(tmp_path, "in.csv", "out.csv", "out.csv.certificate.json")


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("in.csv", "v\nsecret\n", {"column": "w"}, "no column 'w'"),
        ("in.csv", "secret,v,v\n1,2,3\n", {}, "2 columns called 'v'"),
        ("in.csv", "v\nsecret\n", {"public": ["w"]}, "no column 'w'"),
        ("in.csv", "v\nsecret\n", {"public": ["v"]}, "cannot be public"),
        ("in.csv", "v,w\nsecret,1\n", {"public": ["w", "w"]}, "named twice"),
        ("in.csv", "v,w\nsecret,1\n", {"public": ["w"], "shuffle": True}, "shuffled only"),
        ("in.csv", 'v\n"secret\n', {}, "a quote is not closed"),
        ("in.csv", 'v\n"secret"s\n', {}, "a quote is not closed"),
        ("in.csv", "", {}, "no column 'v'"),
        ("in.csv", "v\nsecret\n", {"target": "out.parquet"}, "must have the ending"),
        ("in.csv", "v\nsecret\n", {"target": "nowhere/out.csv"}, "there is no folder"),
        ("in.txt", "v\nsecret\n", {"target": "out.txt"}, "the ending says"),
        ("in.parquet", "v\nsecret\n", {"target": "out.parquet"}, "check its format"),
    ],
)
def test_rejects_what_cannot_be_done_without_a_word_of_the_data(
    tmp_path, name, content, options, message
):
    old = written(tmp_path / name, content)
    given = {"target": "out.csv", "column": "v", **options}
    target, column = tmp_path / given.pop("target"), given.pop("column")
    with pytest.raises(InvalidInput, match=message) as caught:
        randomize_file(old, target, column, COIN, **given)
    assert "secret" not in str(caught.value)
    nothing_but(tmp_path, name)


def test_rejects_files_that_are_not_there_and_names_for_many(tmp_path):
    with pytest.raises(InvalidInput, match="no such file"):
        randomize_file(tmp_path / "none.csv", tmp_path / "out.csv", "v", COIN)
    old = parquet(tmp_path / "in.parquet", "SELECT 'yes' AS v")
    old.rename(tmp_path / "i[n].parquet")
    with pytest.raises(InvalidInput, match="names many files"):
        randomize_file(tmp_path / "i[n].parquet", tmp_path / "out.parquet", "v", COIN)


def test_rejects_parquet_names_that_the_engine_would_mix_up(tmp_path):
    same = parquet(tmp_path / "same.parquet", "SELECT 1 AS file_row_number, 'yes' AS v")
    with pytest.raises(InvalidInput, match="rename it"):
        randomize_file(same, tmp_path / "out.parquet", "v", COIN)
    with pytest.raises(InvalidInput, match="no column 'V'"):
        randomize_file(
            parquet(tmp_path / "case.parquet", "SELECT 'yes' AS v"),
            tmp_path / "out.parquet",
            "V",
            COIN,
        )


def test_rejects_a_channel_that_rules_values_out(tmp_path):
    old = written(tmp_path / "in.csv", "v\nyes\n")
    with pytest.raises(InvalidInput, match="no finite ratio"):
        randomize_file(
            old,
            tmp_path / "out.csv",
            "v",
            Randomizer.of("randomized-response(keep=1)", values="yes, no"),
        )
