"""The command calibrate: calls that can be typed again, what they keep, and other rules."""

import json
from fractions import Fraction

import pytest

import twoworlds as tw
from tests.cli.calling import call, data
from twoworlds import mechanism
from twoworlds.cli import run
from twoworlds.mechanisms.accuracy import geometric_errors, usual_error
from twoworlds.mechanisms.calibration import geometric_epsilon_for_error
from twoworlds.mechanisms.named import geometric
from twoworlds.numbers import bounds, number


def calibrated(capsys, *arguments):
    assert run(["calibrate", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("error", ["1e-9", "1e-30", "10", "3/4", "1/7", "123456789"])
@pytest.mark.parametrize("sensitivity", ["1", "3"])
def test_the_call_of_geometric_noise_can_be_typed_again(capsys, error, sensitivity):
    options = ("geometric", "--error", error, "--sensitivity", sensitivity)
    found = calibrated(capsys, *options)
    assert "None" not in found["mechanism"]
    again = mechanism(found["mechanism"])
    assert again.expression == found["mechanism"]
    wanted = float(bounds(number(error))[0])
    assert float(geometric_errors(again.channel.noise.p)[0].exact) == pytest.approx(
        wanted, rel=1e-9
    )
    stated = found["errors"][0]
    assert stated["name"] == "E|Z|"
    assert stated["exact"]["value"] <= wanted * (1 + 1e-15)


def test_the_error_asked_for_is_the_error_shown(capsys):
    assert run(["calibrate", "geometric", "--error", "10"]) == 0
    out = capsys.readouterr().out
    assert "10.0001" not in out
    found = calibrated(capsys, "geometric", "--error", "10")
    shown = {one["name"]: one["exact"]["exact"] for one in found["errors"]}
    assert (shown["E|Z|"], shown["E sum |Z_j|"], shown["E M"]) == ("10", "10", "10")


def test_a_price_without_a_closed_form_is_spelled_with_digits():
    typed = "sqrt(12345678901234567890123456789)*sqrt(2) + sqrt(98765432109876543210987654321)"
    assert f"epsilon=({typed})/1e15" in mechanism(f"geometric(epsilon=({typed})/1e15)").expression
    price = geometric_epsilon_for_error("1e-9", 1)
    assert "epsilon=21.41641301" in geometric(epsilon=price).expression


@pytest.mark.parametrize(
    ("noise", "most"),
    [("laplace(scale=4)", "12"), ("gaussian(sigma=2)", "3.92"), ("geometric(ratio=2)", "4")],
)
def test_the_error_of_most_answers_comes_first(capsys, noise, most):
    _, out, _ = call(capsys, "error", noise)
    assert out.startswith(f"95% of the answers are off by at most {most}.\n")


@pytest.mark.parametrize("ratio", ["39", "3/2", "11/10", "e^(1/100)", "1000"])
def test_19_of_20_geometric_answers_stay_within_the_usual_error(ratio):
    built = mechanism(f"geometric(ratio={ratio})")
    most, p = usual_error(built), float(built.channel.noise.p)
    assert 2 * p ** (most + 1) / (1 + p) <= 0.05
    assert most == 0 or ratio == "39" or 2 * p**most / (1 + p) > 0.05


def test_noise_that_protects_nobody_is_said_to(capsys):
    for promise in (("--epsilon", "1000"), ("--epsilon", "20")):
        assert "practically no protection" in " ".join(
            call(capsys, "calibrate", "laplace", *promise)[1].split()
        )


# --- noise for epsilon and delta, rho or mu -------------------------------------------------------


def test_gaussian_noise_for_epsilon_and_delta_beside_zcdp(capsys):
    asked = ("calibrate", "gaussian", "--epsilon", "1", "--delta", "1e-6")
    code, out, _ = call(capsys, *asked)
    assert code == 0
    assert " ".join(out.split()).startswith(
        "Gaussian noise of standard deviation 4.22468 on an answer that one person moves by at "
        "most 1 gives epsilon 1 and delta 1e-6. Of 100 people in your position, someone who knows "
        "everyone else and guesses at even odds between two possibilities for each would get at "
        "most 55 right (50 without your data): strong protection. mechanism "
        "gaussian(sigma=4.22468) not enough gaussian(sigma=4.22467), nor anything with less noise "
        "delta <= 9.99995e-7"
    )
    found = data(capsys, *asked)
    assert (found["parameter"], found["value"]["exact"]) == ("sigma", "105617/25000")
    assert found["delta"] == {"exact": "1/1000000", "value": 1e-06}
    assert found["reached"]["upper"] <= 1e-6
    rules = {one["rule"]: one["value"]["value"] for one in found["rules"]}
    assert rules == {
        "exact, as above": pytest.approx(17.848, abs=1e-3),
        "zCDP": pytest.approx(20.529, abs=1e-3),
    }


def test_the_textbook_is_quoted_where_it_holds(capsys):
    def rules(*asked):
        found = data(capsys, "calibrate", *asked)["rules"]
        return {one["rule"]: one["value"]["value"] for one in found}

    small = rules("gaussian", "--epsilon", "1/2", "--delta", "1e-6", "--sensitivity", "3")
    assert small["textbook"] == pytest.approx(9 * 2 * 4 * 14.0387, rel=1e-5)  # ln 1250000
    assert small["exact, as above"] < small["zCDP"] < small["textbook"]
    assert "textbook" not in rules("gaussian", "--epsilon", "1", "--delta", "1e-6")
    several = rules("gaussian", "--epsilon", "1/2", "--delta", "1e-6", "--times", "2")
    assert "textbook" not in several
    assert "textbook" not in rules("discrete-gaussian", "--epsilon", "1/2", "--delta", "1e-6")
    assert rules("gaussian", "--rho", "1/8") == rules(
        "skellam", "--epsilon", "1", "--delta", "1e-3"
    )


def test_many_answers_beside_zcdp_and_the_sum(capsys):
    found = data(
        capsys, "calibrate", "laplace", "--epsilon", "1", "--delta", "1e-6", "--times", "100"
    )
    assert found["mechanism"] == "laplace(scale=41.49)"
    exact, zcdp, added = (one["value"]["value"] for one in found["rules"])
    assert added == 0.01 < zcdp < exact == pytest.approx(1 / 41.49)
    # Each rule keeps the promise, too.
    for alone in (zcdp, added):
        uses = tw.mechanism(f"compose(laplace(epsilon={alone}), times=100)")
        assert tw.measure(uses, epsilon=1).delta <= Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            ("gaussian", "--rho", "1/8"),
            "Gaussian noise of standard deviation 2 on an answer that one person moves by at most "
            "1 gives zCDP with rho 1/8 (0.125).",
        ),
        (
            ("gaussian", "--mu", "1", "--times", "4", "--sensitivity", "1/2"),
            "Gaussian noise of standard deviation 1 on each of 4 answers that one person moves by "
            "at most 1/2 (0.5) gives all of them together Gaussian differential privacy with mu 1.",
        ),
        (
            ("geometric", "--epsilon", "1", "--delta", "1/100"),
            "Geometric noise with p = e^(-1.01372) (0.362867) on an answer that one person moves "
            "by at most 1 gives epsilon 1 and delta 1/100 (0.01).",
        ),
        (
            ("skellam", "--ratio", "3", "--delta", "1e-3"),
            "Skellam noise with l1 = l2 = 2.17984 on an answer that one person moves by at most 1 "
            "gives epsilon ln 3 (1.09862) and delta 0.001.",
        ),
        (
            ("differenced-negative-binomial(r=2)", "--epsilon", "ln 3"),
            "Differenced negative binomial noise with p = 1/3 (0.333334) on an answer that one "
            "person moves by at most 1 gives epsilon ln 3 (1.09862).",
        ),
        (
            ("randomized-response", "--ratio", "3"),
            "Randomized response that keeps the true value with probability 3/4 (0.75) gives "
            "epsilon ln 3 (1.09862).",
        ),
        (
            ("randomized-response(values=4)", "--ratio", "9", "--times", "2"),
            "Randomized response that keeps the true value with probability 1/2 (0.5) in each of 2 "
            "reports gives all of them together epsilon ln 9 (2.19723).",
        ),
        (
            ("gaussian", "--epsilon", "1", "--delta", "1e-6", "--rate", "1/100"),
            "Gaussian noise of standard deviation 0.776437 on an answer that one person moves by "
            "at most 1, computed from a sample into which every record is drawn with probability "
            "1/100 (0.01), gives epsilon 1 and delta 1e-6.",
        ),
    ],
)
def test_one_plain_sentence_comes_first(capsys, asked, sentence):
    code, out, _ = call(capsys, "calibrate", *asked)
    assert code == 0
    assert " ".join(out.split()).startswith(sentence)


def test_discrete_gaussian_noise_comes_with_a_warning(capsys):
    asked = ("calibrate", "discrete-gaussian", "--epsilon", "1", "--delta", "1e-6")
    _, out, _ = call(capsys, *asked)
    said = " ".join(out.split())
    assert "discrete-gaussian(sigma2=17.8994) delta <= " in said  # no claim about less noise
    assert "does not always fall as sigma2 grows" in said
    assert "does not always" not in call(capsys, "calibrate", "discrete-gaussian", "--rho", "1")[1]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            ("gaussian", "--epsilon", "1"),
            "give a delta above 0 too, such as delta=1e-6, on the command line --delta",
        ),
        (("gaussian", "--delta", "1e-6"), "exactly one of --epsilon, --ratio, --rho, --mu"),
        (("gaussian", "--epsilon", "1", "--rho", "1"), "exactly one of --epsilon, --ratio"),
        (("laplace", "--error", "1", "--delta", "1e-6"), "--error asks for an epsilon"),
        (("laplace", "--error", "1", "--times", "2"), "--error asks for an epsilon"),
        (("gaussian", "--error", "1"), "--error is for laplace and geometric"),
        (("normal", "--epsilon", "1"), "did you mean 'gaussian'?"),
        (("discrete-gaussian", "--mu", "1"), "use gaussian, or give rho, or epsilon with a delta"),
    ],
)
def test_what_cannot_be_calibrated_is_refused_with_a_way_out(capsys, asked, said):
    code, out, err = call(capsys, "calibrate", *asked)
    assert (code, out) == (2, "")
    assert said in " ".join(err.split())


@pytest.mark.parametrize(
    ("law", "asked"),
    [
        ("gaussian", ("--epsilon", "1", "--delta", "1e-6")),
        ("gaussian", ("--rho", "1/8")),
        ("gaussian", ("--mu", "1", "--sensitivity", "2")),
        ("laplace", ("--epsilon", "1/2")),
        ("laplace", ("--epsilon", "1", "--delta", "1/10")),
        ("geometric", ("--ratio", "2", "--sensitivity", "3")),
        ("discrete-gaussian", ("--rho", "1/8")),
        ("randomized-response", ("--epsilon", "1")),
    ],
)
def test_calibrate_says_of_a_mechanism_what_measure_says_of_it(capsys, law, asked):
    _, out, _ = call(capsys, "calibrate", law, *asked)
    _, told, _ = call(capsys, "calibrate", law, *asked, "--json")
    mechanism = json.loads(told)["mechanism"]
    _, measured, _ = call(capsys, "measure", mechanism, "--delta", "1/10", "--json")
    sentence = json.loads(measured)["sentence"]
    assert sentence in " ".join(out.split())
    assert "gives it away" not in out or law == "laplace"


def test_calibrate_of_several_answers_says_that_its_sentence_is_that_of_the_promise(capsys):
    _, out, _ = call(capsys, "calibrate", "gaussian", "--rho", "1/8", "--times", "4")
    assert "The promise alone allows this. Of 100 people" in " ".join(out.split())
