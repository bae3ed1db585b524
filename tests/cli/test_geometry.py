"""Commands about row cones: cone, member, statements, odds, relax, compare, design, verify."""

import json

import pytest

from tests.cli.calling import data
from twoworlds.cli import run

SURVEY = "randomized-response(bits=2, keep=3/4)"
PARITY = "noisy-parity(bits=2, keep=3/4)"


def call(capsys, *arguments: str) -> tuple[int, str, str]:
    code = run(list(arguments))
    captured = capsys.readouterr()
    return code, " ".join(captured.out.split()), captured.err


def test_the_inverse_of_noise_on_all_whole_numbers_is_that_of_its_cone(capsys):
    plain = call(capsys, "cone", "geometric(p=1/2)")
    assert call(capsys, "cone", "geometric(p=1/2)", "--inverse") == plain
    assert "The coefficients of the inverse have the absolute sum 9." in plain[1]


def test_the_cone_of_randomized_response_has_four_facets(capsys):
    found = data(capsys, "cone", SURVEY)
    assert found["columns"] == ["11", "10", "01", "00"]
    assert {tuple(a) for a in found["facets"]} == {
        (9, -3, -3, 1),
        (1, -3, -3, 9),
        (-3, 9, 1, -3),
        (-3, 1, 9, -3),
    }
    assert found["equalities"] == []
    assert {tuple(r) for r in found["rays"]} == {
        (9, 3, 3, 1),
        (3, 9, 1, 3),
        (3, 1, 9, 3),
        (1, 3, 3, 9),
    }
    _, out, _ = call(capsys, "cone", SURVEY)
    assert "3 x10 + 3 x01 <= 9 x11 + x00" in out


def test_noise_and_large_surveys_are_answered_by_structure(capsys):
    found = data(capsys, "cone", "geometric(ratio=2)")
    assert found["integers"] == [-2, 5, -2]
    code, out, _ = call(capsys, "cone", "randomized-response(bits=40, keep=3/4)")
    assert (code, "1099511627776 facets" in out) == (0, True)
    facet = data(capsys, "cone", "randomized-response(bits=20, keep=3/4)", "--facet", "1" * 20)
    assert facet["output"] == "1" * 20
    code, out, _ = call(capsys, "statements", "randomized-response(bits=40, keep=3/4)")
    assert (code, "one for each output" in out) == (0, True)
    many = "randomized-response(bits=1000, keep=3/4)"
    code, out, _ = call(capsys, "statements", many)
    assert (code, "gives 2^1000 guarantees against" in out) == (0, True)
    assert data(capsys, "statements", many)["count"] == "2^1000"


def test_noisy_parity_is_no_post_processing_of_randomized_response(capsys):
    code, out, _ = call(capsys, "member", PARITY, "--of", SURVEY)
    assert code == 1
    assert "-1/2" in out
    found = data(capsys, "member", PARITY, "--of", SURVEY, "--save", "no.json", code=1)
    assert (found["holds"], found["saved"]) == (False, "no.json")
    assert call(capsys, "verify", "no.json")[0] == 0


def test_members_of_one_of_several_and_of_a_definition(capsys):
    weaker = "randomized-response(bits=2, keep=5/8)"
    assert call(capsys, "member", weaker, "--of", SURVEY)[0] == 0
    assert call(capsys, "member", weaker, "--of", PARITY, "--of", SURVEY)[0] == 0
    assert call(capsys, "member", PARITY, "--of", "dp(ratio=3)")[0] == 0
    assert call(capsys, "member", PARITY, "--of", "dp(ratio=2)")[0] == 1


def test_a_row_can_be_asked_about(capsys):
    found = data(capsys, "member", "--row", "3,1,1,3", "--of", SURVEY, code=1)
    assert found["breaks"]["coefficients"] == [-3, 9, 1, -3]
    assert data(capsys, "member", "--row", "3, 3, 1, 1", "--of", SURVEY)["holds"] is True
    both = data(capsys, "member", "--row", "3,1,1,3", "--of", SURVEY, "--of", PARITY)
    assert both["holds"] is True


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("identity(bits=1)", "no guarantee"),
        ("identity(bits=12)", "no guarantee"),
        ("constant(bits=1)", "1 guarantee"),
        ("parity(bits=2)", "2 guarantees"),
        ("randomized-response(bits=12, keep=1/2)", "1 guarantee"),
    ],
)
def test_only_statements_that_say_something_count_as_guarantees(capsys, source, count):
    _, out, _ = call(capsys, "statements", source)
    assert f" gives {count} against attackers." in out
    assert data(capsys, "statements", source)["count"] == int(count[0].replace("n", "0"))


def test_statements_in_words(capsys):
    _, out, _ = call(capsys, "statements", SURVEY)
    assert "independent, each yes with probability 3/4" in out
    _, out, _ = call(capsys, "statements", "geometric(ratio=2)")
    assert "telescoping" in out
    assert "differential privacy with ratio 2" in out
    _, out, _ = call(capsys, "statements", "skellam(1, 1)")
    assert "even distance" in out
    found = data(capsys, "statements", "dp(ratio=3)", "--universe", "bits(2)")
    assert found["count"] == 8
    _, out, _ = call(capsys, "statements", SURVEY, "--all")
    assert out.count("inequality ") == 4


def test_odds(capsys):
    assert data(capsys, "odds", SURVEY, "--of", "even")["factor"]["exact"] == "5/3"
    private = ("odds", "dp(ratio=3)", "--universe", "bits(3)", "--of", "even")
    assert data(capsys, *private)["factor"]["exact"] == "3"
    far = ("odds", SURVEY, "--of", "11", "--against", "00", "--save", "odds.json")
    assert data(capsys, *far)["factor"]["exact"] == "9"
    assert call(capsys, "verify", "odds.json")[0] == 0


def test_relaxing_shows_the_multipliers(capsys):
    found = data(capsys, "relax", SURVEY, "--eliminate", "01")
    assert {i["text"] for i in found["inequalities"]} == {
        "x11 <= 3 x10",
        "x10 <= 3 x11",
        "x10 <= 3 x00",
        "x00 <= 3 x10",
    }
    multipliers = {m["multiplier"] for i in found["inequalities"] for m in i["multipliers"]}
    assert multipliers == {"1/8", "3/8"}
    _, out, _ = call(capsys, "relax", SURVEY, "--eliminate", "01, 10")
    assert "relaxed by eliminating 01, 10" in out


def test_a_saved_relaxation_is_a_definition(capsys):
    assert call(capsys, "relax", SURVEY, "--any", "1", "--save", "relaxed.json")[0] == 0
    found = data(capsys, "compare", "linear(relaxed.json)", "dp(ratio=3)")
    assert found["relation"] == "equal"
    assert call(capsys, "check", PARITY, "linear(relaxed.json)")[0] == 0


def test_comparing(capsys):
    found = data(capsys, "compare", SURVEY, "dp(ratio=3)", "--save", "proof.json")
    assert found["relation"] == "stronger"
    assert found["separations"][0]["allowed_by"] == "dp(ratio=3)"
    assert call(capsys, "verify", "proof.json")[0] == 0


def test_design(capsys):
    asked = ("design", "dp(ratio=2)", "--universe", "bits(2)", "--statistic", "count")
    found = data(capsys, *asked)
    assert found["loss"]["exact"] == "4/7"
    (code, out, _) = call(capsys, *asked, "--save", "best.csv")
    assert (code, "wrote best.csv" in out) == (0, True)
    assert call(capsys, "check", "best.csv", "dp(ratio=2)")[0] == 0
    saved = data(capsys, "design", SURVEY, "--statistic", "count", "--relaxed", "dp(ratio=3)")
    assert saved["saved"]["exact"] == "1/14"


def test_squared_loss_may_answer_any_number_and_says_so_where_it_may_not(capsys):
    asked = ("design", "dp(ratio=2)", "--universe", "bits(1)", "--statistic", "count")
    asked = (*asked, "--loss", "squared", "--proof", "p.json")
    (_, free, _) = call(capsys, *asked)
    assert "loss at most 2/9" in free
    assert "no mechanism with these guarantees has less (proved" in free
    (code, checked, _) = call(capsys, "verify", "p.json")
    assert (code, "whatever numbers it answers, has less than the bound" in checked) == (0, True)
    (_, among, _) = call(capsys, *asked, "--outputs", "0, 1")
    assert "loss at most 1/3" in among
    assert "no mechanism with these guarantees that answers one of 0, 1 has less" in among
    (_, checked, _) = call(capsys, "verify", "p.json")
    assert "no other one there that has these outputs has less loss" in checked
    assert "of all that answer one of 0, 1" in checked
    (_, one, _) = call(capsys, "design", SURVEY, "--outputs", "00, 11")
    assert "that answers one of 00, 11 has less" in one


def test_what_relax_saves_can_be_verified(capsys):
    both = ("--save", "r.json", "--proof", "p.json")
    assert call(capsys, "relax", SURVEY, "--eliminate", "01", *both)[0] == 0
    assert call(capsys, "verify", "p.json")[0] == 0
    code, _, err = call(capsys, "verify", "r.json")
    assert (code, "holds a cone" in err) == (2, True)


def test_every_membership_can_be_saved(capsys):
    for of, code in (("dp(ratio=3)", 0), ("dp(ratio=2)", 1), ("gamma-amplification(9)", 0)):
        assert call(capsys, "member", SURVEY, "--of", of, "--save", "m.json")[0] == code
        assert call(capsys, "verify", "m.json")[0] == 0


def test_labels_with_commas_and_narrow_windows(capsys, monkeypatch, tmp_path):
    (tmp_path / "q.csv").write_text('"a, b",c\n3/4,1/4\n1/4,3/4\n')
    assert data(capsys, "odds", "q.csv", "--of", "a, b")["factor"]["exact"] == "3"
    monkeypatch.setenv("COLUMNS", "40")
    assert run(["design", "dp(ratio=3)", "--universe", "bits(3)"]) == 0
    assert "27/64" in capsys.readouterr().out


def test_the_description_of_a_certificate_is_said_to_be_unchecked(capsys, tmp_path):
    true = {"kind": "satisfies", "vector": [1], "inequalities": [[1]], "claim": "pigs fly"}
    (tmp_path / "t.json").write_text(json.dumps(true))
    code, out, _ = call(capsys, "verify", "t.json")
    assert code == 0
    assert "not checked that it is what it calls itself: pigs fly" in " ".join(out.split())
    assert "the vector satisfies all inequalities" in out


def test_pictures(capsys):
    found = data(capsys, "cone", "randomized-response(bits=1, keep=3/4)", "--picture", "wedge.svg")
    assert found["picture"] == "wedge.svg"


def test_a_cone_that_cannot_be_drawn_is_still_printed(capsys):
    asked = ("cone", "dp(ratio=3)", "--universe", "integers(0, 16)", "--facet", "1")
    code, _, _ = call(capsys, *asked, "--picture", "x.svg")
    assert code == 2
    code, out, err = call(capsys, "cone", "constant(bits=5)", "--picture", "x.svg")
    assert (code, "1 extreme row" in out, "no chart" in err) == (2, True, True)


def test_a_false_certificate_is_refused(capsys, tmp_path):
    false = {"kind": "member", "vector": [3, 1], "generators": [[1, 0]], "weights": [3]}
    (tmp_path / "false.json").write_text(json.dumps(false))
    code, out, _ = call(capsys, "verify", "false.json")
    assert (code, "does NOT hold" in out) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cone", "dp(ratio=3)"], "universe"),
        (["cone", "dp(epsilon=1)", "--universe", "bits(2)"], "rational"),
        (["cone", "dp(ratio=3, delta=1/10)", "--universe", "bits(2)"], "delta"),
        (["cone", "dp(ratio=3)", "--universe", "bits(12)"], "4096"),
        (["cone", "integer-noise([1/3, 1/3, 1/3], start=-1)"], "2 pi/3"),
        (["cone", "laplace(scale=1)"], "laplace"),
        (["cone", PARITY, "--facet", "11"], "--facet"),
        (["cone", "dp(ratio=3)", "--universe", "bits(2)", "--inverse"], "no matrix"),
        (["relax", "geometric(ratio=2)", "--any", "1"], "infinitely many"),
        (["relax", SURVEY, "--any", "1", "--save", "a.json", "--proof", "a.json"], "both"),
        (["design", SURVEY, "--save", "a.csv", "--proof", "missing/p.json"], "no folder"),
        (["cone", SURVEY, "--save", "x.txt"], ".json"),
        (["cone", SURVEY, "--save", "missing/x.json"], "no folder"),
        (["member", PARITY], "--of"),
        (["member", "--of", SURVEY], "--row"),
        (["member", "randomized-response(bits=3, keep=3/4)", "--of", SURVEY], "bits(3)"),
        (["member", "--row", "1,2", "--of", SURVEY], "4"),
        (["member", "--row", "a,b,c,d", "--of", SURVEY], "a"),
        (["member", PARITY, "--of", SURVEY, "--of", "dp(ratio=3)"], "one definition"),
        (["odds", SURVEY, "--of", "2=1", "--against", "2=1"], "both"),
        (["odds", SURVEY, "--of", "even", "--belief", "independent(1, 1)"], "odd"),
        (["relax", SURVEY], "--eliminate"),
        (["relax", SURVEY, "--eliminate", "01", "--any", "1"], "--any"),
        (["relax", SURVEY, "--eliminate", "0"], "0"),
        (["relax", SURVEY, "--any", "4"], "fewer"),
        (["compare", "dp(ratio=3)", "dp(ratio=2)"], "universe"),
        (["compare", SURVEY, "randomized-response(bits=3, keep=3/4)"], "same databases"),
        (["design", SURVEY, "--loss", "nope"], "nope"),
        (["design", "frapp(gamma=3, values=3, records=2)"], "larger"),
        (["verify", "nothing.json"], "cannot be read"),
    ],
)
def test_bad_input_is_said_in_a_line_with_exit_2(capsys, arguments, said):
    code = run(arguments)
    captured = capsys.readouterr()
    assert code == 2, captured
    assert said in captured.err
    assert len(captured.err) < 600
    assert captured.out == ""


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "all", "kind": "all"}',
        '{"kind": "all", "parts": []}',
        '{"kind": "all", "parts": [{"kind": "all", "parts": []}]}',
        '{"kind": "satisfies", "vector": [1], "inequalities": [[1]], "equalities": [[1]]}',
        "",
        "[]",
        "{}",
        '{"kind": "nope"}',
        '{"kind": "member"}',
        "\x00",
    ],
)
def test_files_that_are_no_certificates_are_refused(capsys, tmp_path, text):
    (tmp_path / "bad.json").write_text(text)
    assert run(["verify", "bad.json"]) == 2
    assert capsys.readouterr().err.startswith("twoworlds: ")
