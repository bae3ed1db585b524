"""``twoworlds attack auxiliary``."""

import json

import pytest

from twoworlds.cli import run


def data(capsys, *arguments, code=0):
    assert run(["attack", "auxiliary", *arguments, "--json"]) == code
    captured = capsys.readouterr()
    assert captured.err == ""
    return json.loads(captured.out)


def words(capsys, *arguments, code=0):
    assert run(["attack", "auxiliary", *arguments]) == code
    captured = capsys.readouterr()
    assert captured.err == ""
    return " ".join(captured.out.split())


def exact(found, *names):
    return [found[name]["exact"] for name in names]


def test_without_arguments_it_tells_the_story(capsys):
    said = words(capsys)
    assert "161.42 cm" in said
    assert "333/512" in said
    assert "What follows" in said
    found = data(capsys)
    assert found["height"]["height"]["exact"] == "8071/50"
    assert found["theorem"]["attacker"]["exact"] == "1"


def test_options_without_a_topic_choose_it(capsys):
    found = data(capsys, "--source", "count(8)", "--extractor", "inner-product")
    assert exact(found, "mu", "simulator") == ["163/256", "333/512"]
    found = data(capsys, "--code", "bch(7, 4)")
    assert exact(found, "attacker", "simulator") == ["1", "1/16"]
    assert found["public_string_bits"] == 3


def test_the_fuzzy_attack_and_its_radius(capsys):
    options = ("fuzzy", "--code", "repetition(5)", "--source", "iid(3/5)", "--errors")
    found = data(capsys, *options, "1")
    assert exact(found, "epsilon", "simulator", "gap") == ["781/6250", "1953/3125", "1172/3125"]
    assert found["unique_decoding"] is True
    assert data(capsys, *options, "2")["attacker"]["exact"] == "83/128"
    assert "Beyond what is mended" in words(capsys, *options, "1")


def test_a_claimed_radius_is_refuted_with_a_pair(capsys):
    assert "is refuted" in words(capsys, "fuzzy", "--code", "hamming(3)", "--within", "2", code=1)
    found = data(capsys, "fuzzy", "--code", "hamming(3)", "--within", "2", code=1)
    assert found["beyond_the_radius"]["distance"] == 2
    assert data(capsys, "fuzzy", "--code", "hamming(3)", "--within", "1")["radius"] == 1


def test_entropy(capsys):
    found = data(capsys, "entropy")
    assert found["least_epsilon"]["exact"] == "1/6"
    assert found["left_out"]["printed_step_fails"] is True
    assert "least epsilon" in words(capsys, "entropy", "--bits", "4", "--ell", "2")
    found = data(capsys, "entropy", "--source", "binomial(8)")
    assert abs(found["min_entropy"]["value"] - 1.87071698305503) < 1e-12
    assert "likeliest string" in words(capsys, "entropy", "--source", "uniform", "--bits", "3")
    assert data(capsys, "entropy", "--gamma", "1/30")["usable_short"] == [1]
    assert "Usable" in words(capsys, "entropy", "--gamma", "1/30")


def test_stories(capsys):
    assert data(capsys, "height", "--average", "170", "--shorter", "1 inch")["height"] == {
        "exact": "8373/50",
        "value": 167.46,
    }
    assert data(capsys, "smoking", "--published", "20", "--people", "60")["promise_holds"] is True
    assert data(capsys, "smoking", "--ratio", "none")["ratio"] is None
    assert "made up" in words(capsys, "smoking")
    assert "161.42" in words(capsys, "height")


def test_a_law_from_a_file(capsys, tmp_path):
    path = tmp_path / "law.csv"
    rows = [f"{w},{y},1/8" for w in ("00", "01", "10", "11") for y in "01"]
    path.write_text("\n".join(["utility,breaches,probability", *rows]), encoding="utf-8")
    found = data(capsys, "theorem", "--law", str(path), "--extractor", "identity")
    assert exact(found, "attacker", "simulator", "gap") == ["1", "1/2", "1/2"]
    found = data(capsys, "fuzzy", "--law", str(path), "--code", "repetition(2)")
    assert found["radius"] == 0
    assert data(capsys, "entropy", "--law", str(path))["usable"] == [1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["theorems"], "did you mean 'theorem'"),
        (["height", "--ell", "2"], "--ell is not for height"),
        (["theorem", "--within", "2"], "auxiliary fuzzy --within"),
        (["theorem", "--errors", "1", "--sanitiser", "exact"], "one of them"),
        (["theorem", "--law", "none.csv", "--bits", "3"], "leave --source and --bits out"),
        (["fuzzy", "--bits", "6"], "leave it out"),
        (["entropy", "--gamma", "1/2", "--bits", "3"], "leave the others out"),
        (["entropy", "--source", "uniform", "--ell", "3"], "nothing else"),
        (["smoking", "--ratio", "1/2"], "--ratio none"),
        (["fuzzy", "--code", "hamming(30)"], "take m up to 4"),
        (["theorem", "--source", "independent(1/2, 1/3)", "--bits", "3"], "--bits 2"),
        (["entropy", "--source", "count(8)"], "'binomial(8)'"),
    ],
)
def test_bad_input_is_said_with_exit_2(capsys, arguments, said):
    assert run(["attack", "auxiliary", *arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""
