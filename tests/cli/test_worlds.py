"""Scenarios and simulators, as a person types them."""

import json
from fractions import Fraction

import pytest

from tests.cli.calling import call, data


def deltas(capsys, name: str) -> list[str]:
    return [verdict["delta"]["exact"] for verdict in data(capsys, "worlds", name)["verdicts"]]


def test_every_built_in_scenario_runs_and_prints_itself(capsys, tmp_path):
    names = data(capsys, "worlds")
    assert len(names) >= 8
    for name in names:
        found = data(capsys, "worlds", name)
        _, text, _ = call(capsys, "worlds", name, "--text")
        own = tmp_path / "own.yaml"
        own.write_text(text)
        assert data(capsys, "worlds", str(own))["verdicts"] == found["verdicts"]
        assert all(v["sentence"].startswith("If ") for v in found["verdicts"])


def test_the_examples_that_separate_the_definitions(capsys):
    assert deltas(capsys, "parity") == ["1/2", "0"]
    assert deltas(capsys, "hidden-mean") == ["4019/5000", "243/5000"]
    assert deltas(capsys, "hidden-mean-known") == ["243/5000", "243/5000"]


def test_a_refuted_claim_ends_with_one(capsys, tmp_path):
    path = tmp_path / "scenario.yaml"
    fields = "release: sum\nuniverse: bits(3)\nbeliefs: uniform\nratio: 3/2\ndelta: {}\n"
    path.write_text(fields.format("1/9"))
    assert data(capsys, "worlds", str(path), code=1)["verdicts"][0]["holds"] is False
    path.write_text(fields.format("0.125"))
    assert data(capsys, "worlds", str(path))["verdicts"][0]["holds"] is True


def test_numbers_of_a_file_are_exact(capsys, tmp_path):
    path = tmp_path / "scenario.yaml"
    path.write_text(
        "release: sum\nuniverse: bits(2)\nbeliefs: independent(0.1)\n"
        "simulator: canonical\nratio: 1\n"
    )
    found = data(capsys, "worlds", str(path))["verdicts"][0]
    assert found["delta"]["exact"] == "9/10"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("universe: bits(2)\nbeliefs: uniform\n", "release"),
        ("release: sum\nuniverse: bits(2)\n", "beliefs"),
        ("release: sum\nbeliefs: uniform\nratio: 2\n", "universe"),
        ("release: sum\nuniverse: bits(2)\nbelifs: uniform\n", "did you mean 'beliefs'"),
        ("release: sum\nrelease: sum\nuniverse: bits(2)\nbeliefs: uniform\n", "twice"),
        ("release: sum\nuniverse: bits(2)\nbeliefs: uniform\ndefinitions: dp\nratio: 2\n", "dp"),
        (
            "release: sum\nuniverse: bits(2)\nbeliefs: uniform\nprivate: persons\nratio: 2\n",
            "coupled-worlds",
        ),
        (
            "release: sum\nuniverse: bits(2)\nbeliefs: uniform\ndefinitions: noiseless\n"
            "simulator: coin\nratio: 2\n",
            "no simulator",
        ),
        ("release: sum\nuniverse: bits(2)\nbeliefs: {a: b}\n", "list"),
        ("release: [unclosed\n", "YAML"),
        ("just text", "fields"),
        ("", "fields"),
        ("release: sum\nuniverse: bits(2)\nbeliefs: uniform\nmixtures: maybe\nratio: 2\n", "maybe"),
        ("release: sum\nuniverse: bits(2)\nbeliefs: uniform\nratio: 1/2\n", "ratio"),
    ],
)
def test_a_bad_scenario_is_refused_in_a_line(capsys, tmp_path, text, complaint):
    path = tmp_path / "scenario.yaml"
    path.write_text(text)
    code, out, err = call(capsys, "worlds", str(path))
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.count("\n") <= 2


def test_files_that_are_no_scenarios(capsys, tmp_path):
    path = tmp_path / "scenario.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    for arguments in (
        ("worlds", str(path)),
        ("worlds", str(tmp_path)),
        ("worlds", "no-such-scenario"),
        ("worlds", str(tmp_path / "missing.yaml")),
    ):
        code, out, err = call(capsys, *arguments)
        assert (code, out) == (2, ""), arguments
        assert "internal" not in err


def test_the_best_simulator_of_three_fair_bits(capsys, tmp_path):
    proof = tmp_path / "best.json"
    arguments = ("simulator", "exact(sum, universe=bits(3))", "--belief", "uniform")
    found = data(capsys, *arguments, "--ratio", "3/2", "--proof", str(proof))
    assert found["delta"]["exact"] == "1/8"
    assert found["canonical"]["exact"] == "3/8"
    code, out, _ = call(capsys, "verify", str(proof))
    assert code == 0
    said = " ".join(out.split())
    assert "optimal: the simulator has delta 1/8 (0.125) at ratio 3/2 (1.5)" in said
    assert "descriptions, which cannot be checked" in said
    verified = data(capsys, "verify", str(proof))
    assert verified["proved"][0] == {
        "meaning": "optimal",
        "lower": "1/8",
        "lower_at_ratio": "3/2",
        "upper": "1/8",
        "upper_at_ratio": "3/2",
        "sentence": verified["proved"][0]["sentence"],
    }
    assert "cannot be checked" in verified["not_checked"]
    both = {"kind": "all", "parts": [json.loads(proof.read_text())] * 2}
    (tmp_path / "both.json").write_text(json.dumps(both))
    assert len(data(capsys, "verify", str(tmp_path / "both.json"))["proved"]) == 2
    changed = json.loads(proof.read_text())
    changed["lower"] = changed["upper"] = "1/9"
    proof.write_text(json.dumps(changed))
    code, out, _ = call(capsys, "verify", str(proof))
    assert code == 1, out


def test_bounds_are_not_called_optimal(capsys, tmp_path):
    proof = tmp_path / "best.json"
    noisy = ("simulator", "randomized-response(bits=1, epsilon=1/2)", "--ratio", "11/10")
    code, out, _ = call(capsys, *noisy, "--proof", str(proof))
    said = " ".join(out.split())
    assert code == 0
    assert "none comes nearer than 0.0847052." in said
    assert "a little" not in said
    code, out, _ = call(capsys, "verify", str(proof))
    assert code == 0
    assert "bounds: the simulator has at most delta 0.0847053" in " ".join(out.split())
    assert data(capsys, "verify", str(proof))["proved"][0]["meaning"] == "bounds"


def test_the_simulator_in_words(capsys):
    code, out, _ = call(
        capsys, "simulator", "exact(sum, universe=bits(3))", "--ratio", "3/2", "--side", "known(1)"
    )
    assert code == 0
    assert "none comes nearer" in out
    assert "canonical" in out
    assert "If the 3 bits are fair and independent" in " ".join(out.split())
    assert "11 and 1 more" in out
    assert "01 and 1 more" in out


def test_a_best_delta_without_a_short_form_is_about_and_few_outputs_are_printed(capsys):
    asked = ("simulator", "exact(sum, universe=bits(100))", "--ratio", "3/2")
    code, out, _ = call(capsys, *asked)
    said = " ".join(out.split())
    assert code == 0
    assert "within delta about " in said
    assert "and none comes nearer." in said
    assert "a part of 1 by 101 probabilities, JSON holds all" in said
    assert out.count("outputs ") == 9
    assert len(data(capsys, *asked)["simulator"]["anything"]) > 90


def test_a_simulator_of_many_people_is_printed_in_part_and_its_proof_verifies(capsys, tmp_path):
    proof, belief = tmp_path / "best.json", "hidden(2/5=1/2, 1/2=1/2)"
    asked = ("exact(sum, universe=bits(130))", "--belief", belief, "--ratio", "11/10")
    code, out, _ = call(capsys, "simulator", *asked, "--proof", str(proof))
    assert code == 0
    assert "a part of 130 by 131 probabilities" in " ".join(out.split())
    code, out, _ = call(capsys, "verify", str(proof))
    assert code == 0
    assert "holds" in out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("exact(sum, universe=bits(3))",), "--ratio"),
        (("exact(sum, universe=bits(3))", "--ratio", "1/2"), "ratio"),
        (("exact(sum, universe=bits(3))", "--ratio", "2", "--belief", "unifrm"), "unifrm"),
        (("exact(sum, universe=bits(3))", "--ratio", "2", "--side", "known(4)"), "4"),
        (("exact(sum, universe=bits(3))", "--ratio", "2", "--private", "schools([1], [1])"), "1"),
        (("laplace(scale=1)", "--ratio", "2"), "infinitely many outputs"),
    ],
)
def test_bad_input_to_the_simulator(capsys, arguments, complaint):
    code, out, err = call(capsys, "simulator", *arguments)
    assert (code, out) == (2, "")
    assert complaint in err
    assert "internal" not in err


BITS = "universe=bits(3)"


def test_two_releases_together(capsys):
    arguments = (
        "coupled",
        "compose",
        f"exact(sum, {BITS})",
        f"exact(parity, {BITS})",
        "--ratio",
        "3/2",
    )
    for simulators in ("optimal", "canonical", "coin"):
        found = data(capsys, *arguments, "--simulators", simulators)
        delta, bound = (Fraction(found[name]["exact"]) for name in ("delta", "bound"))
        assert delta <= min(bound, 1)
        assert found["ratio"]["exact"] == "9/4"
        first, second = (Fraction(found[name]["exact"]) for name in ("first", "second"))
        printed = max(first * Fraction(3, 2) + second, first + second * Fraction(3, 2))
        assert bound == min(printed, 1)
    _, out, _ = call(capsys, *arguments)
    assert "If the 3 bits are fair and independent" in " ".join(out.split())


def test_a_constant_adds_nothing_to_a_release(capsys):
    both = ("coupled", "compose", f"exact(sum, {BITS})", f"exact(constant, {BITS})", "--simulators")
    found = data(capsys, *both, "canonical", "--ratio", "1")
    alone = data(
        capsys,
        "measure",
        f"exact(sum, {BITS})",
        "--definition",
        "ddp(belief=uniform, simulator=canonical, ratio=1)",
    )
    assert found["delta"] == alone["delta"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((f"exact(sum, {BITS})", f"exact(sum, {BITS})"), "--ratio"),
        ((f"exact(sum, {BITS})", "exact(sum, universe=bits(2))", "--ratio", "2"), "same databases"),
        ((f"exact(sum, {BITS})", f"exact(sum, {BITS})", "--ratio", "inf"), "finite"),
        (
            (f"exact(sum, {BITS})", f"exact(sum, {BITS})", "--ratio", "2", "--simulators", "best"),
            "best",
        ),
    ],
)
def test_bad_compositions(capsys, arguments, complaint):
    code, out, err = call(capsys, "coupled", "compose", *arguments)
    assert (code, out) == (2, "")
    assert complaint in err
    assert "internal" not in err


def test_what_breaks_a_scenario_of_firms_speaks_of_no_persons(capsys):
    code, out, _ = call(capsys, "worlds", "firms")
    assert code == 0
    assert "knowing entry 1 too" in " ".join(out.split())
    assert "person" not in out
