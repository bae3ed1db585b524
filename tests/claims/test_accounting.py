"""What is said of rdp, zcdp, gdp and f-dp; against sums over outputs, events and normal tails."""

import math
import re
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from tests.claims.reading import (
    above,
    behind,
    below,
    exact,
    fit,
    matrix,
    neighbours,
    random_mechanism,
    refusal,
)
from tests.cli.calling import call
from tests.laws import divergences as plain

pytestmark = pytest.mark.few(4)
SEEDS = [*range(6), *range(100, 103)]  # from 100 on some outputs are impossible on some databases
NORMAL = plain.NORMAL
NOTHING = (
    "The output says nothing about your record: whatever odds someone gave before, they are the "
    "same afterwards."
)
EXPOSED = (
    "With probability # the output can be one that is impossible in the other world: it then shows "
    "something about your record for certain, and no number is large enough."
)


def mechanism_of(tmp_path, seed):
    law = random_mechanism(Random(seed), 3, least=0 if seed >= 100 else 1)
    return matrix(tmp_path / "m.csv", law), law


def of_pairs(law, measure):
    return max(measure(law[x], law[y]) for x, y in neighbours(law))


def exposed(law):
    return of_pairs(law, lambda p, q: sum(x for x, y in zip(p, q, strict=True) if not y))


def told(sentence, law, *templates):
    """Fit one of the templates, or what is said where some output is impossible."""
    which, holes = fit(sentence, *templates, EXPOSED)
    assert (which == EXPOSED) == bool(exposed(law))
    if which == EXPOSED:
        assert above(holes[0], exposed(law))
    return None if which == EXPOSED else holes


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("order", [Fraction(2), Fraction(3), Fraction(3, 2)])
def test_a_divergence_is_said_as_a_mean_of_odds(ask_json, tmp_path, seed, order):
    name, law = mechanism_of(tmp_path, seed)
    sentence = behind(ask_json("measure", name, "--definition", f"rdp(order={order})"))
    mean = "On average (as a mean of order #), the output multiplies the odds of the truth about "
    mean += "your record by at most #"
    holes = told(
        sentence, law, f"{mean}, and by 100 or more with probability at most #%.", f"{mean}."
    )
    truth = of_pairs(law, lambda p, q: plain.divergence(p, q, order))
    if holes is None:
        return
    factor = Fraction(math.exp(truth) * (1 - 1e-12))  # floats may lie above the exact number
    assert holes[0] == order - 1
    assert above(holes[1], factor, Fraction(1, 500))
    rare = (float(factor) / 100) ** float(order - 1)
    assert (len(holes) == 3) == (rare < 1)
    often = of_pairs(law, lambda p, q: sum(x for x, y in zip(p, q, strict=True) if x >= 100 * y))
    if rare < 1:
        assert above(holes[2], 100 * Fraction(rare), Fraction(1, 500))
        assert 100 * often <= holes[2]
    claim = Fraction(round(1000 * truth / 2), 1000)
    refused = ask_json("check", name, f"rdp(order={order}, epsilon={claim})")
    _, (which, found, claimed) = fit(
        refusal(refused),
        "Between two worlds the divergence of order # is #, where the claim allows at most #.",
    )
    assert which == order
    assert claimed == claim
    assert below(found, Fraction(truth) + Fraction(1, 10**9), Fraction(1, 100))


@pytest.mark.parametrize("seed", SEEDS)
def test_rho_is_said_as_gaussian_noise(ask_json, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)
    sentence = behind(ask_json("measure", name, "--definition", "zcdp"))
    noise = "Whichever mean you take, this tells no more about your record than Gaussian noise "
    noise += "whose standard deviation is # times what the record can change"
    holes = told(
        sentence,
        law,
        f"{noise}: the odds of the truth about your record are multiplied by 100 or more with "
        "probability at most #%.",
        f"{noise}.",
    )
    if holes is None:
        return
    fine = [Fraction(k, 8) for k in range(9, 400)]
    rho = of_pairs(law, lambda p, q: plain.largest_rho(p, q, fine))
    width = Fraction(1 / math.sqrt(2 * rho))
    assert width * Fraction(99, 100) <= holes[0] <= width * Fraction(1001, 1000)
    loss = math.log(100) - rho
    assert (len(holes) == 2) == (loss > 0)
    if loss > 0:
        bound = 100 * math.exp(-(loss**2) / (4 * rho))
        assert bound * 0.98 <= holes[1] <= bound * 1.1
    claim = Fraction(round(1000 * rho / 2), 1000)
    refused = ask_json("check", name, f"zcdp(rho={claim})")
    which, holes = fit(
        refusal(refused),
        "In the limit of order 1 the divergence between two worlds is #, where the claim allows at "
        "most #.",
        "At order # the divergence between two worlds is #, where the claim allows at most #.",
    )
    order = Fraction(1) if which.startswith("In") else exact(refused["witness"]["order"])
    *_, found, allowed = holes
    truth = of_pairs(law, lambda p, q: plain.divergence(p, q, order))
    assert float(found) <= truth + 1e-9
    assert found > allowed
    assert float(allowed) == pytest.approx(float(order * claim), rel=1e-2)


def best_power(p, q, level):
    """Neyman and Pearson: take the outputs by their ratio, the last one with a coin."""
    left, gained = Fraction(level), Fraction(0)
    cells = sorted(
        zip(p, q, strict=True), key=lambda c: c[0] / c[1] if c[1] else 9**9, reverse=True
    )
    for x, y in cells:
        share = min(Fraction(1), left / y) if y else Fraction(1)
        left, gained = left - share * y, gained + share * x
    return gained


@pytest.mark.parametrize("seed", SEEDS)
def test_mu_is_said_as_a_test_of_two_normal_numbers(ask_json, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)
    holes = told(
        behind(ask_json("measure", name, "--definition", "gdp")),
        law,
        "Nobody can tell one value of your record from another better than a normal number from "
        "one that is shifted by # standard deviations: a test that gives a false alarm in 5% of "
        "the cases finds the truth in at most #% of them.",
    )
    if holes is None:
        return
    shift, power = holes
    mu = of_pairs(law, plain.largest_mu)
    assert above(shift, Fraction(mu), Fraction(1, 500))
    assert above(power, 100 * Fraction(NORMAL.cdf(NORMAL.inv_cdf(0.05) + mu)), Fraction(1, 100))
    assert 100 * of_pairs(law, lambda p, q: best_power(p, q, Fraction(1, 20))) <= power
    claim = Fraction(round(1000 * mu / 2), 1000)
    _, (found, claimed) = fit(
        refusal(ask_json("check", name, f"gdp(mu={claim})")),
        "Some test tells two worlds apart as well as a normal number from one that is shifted by # "
        "standard deviations, or comes arbitrarily near to that, where the claim allows a "
        "shift of at most #.",
    )
    assert claimed == claim
    assert below(found, Fraction(mu) + Fraction(1, 10**9), Fraction(1, 100))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_curve_is_said_by_its_corners_and_by_the_test_that_breaks_it(ask_json, tmp_path, seed):
    name, law = mechanism_of(tmp_path, seed)
    random = Random(seed)
    x, f = Fraction(random.randint(1, 4), 10), Fraction(random.randint(1, 5), 10)
    claim = f"f-dp('0:1, {x}:{f}, 1:0')"

    def asked(z):
        return 1 - (1 - f) * z / x if z <= x else f * (1 - z) / (1 - x)

    def short(p, q):
        cells = range(len(p))
        events = [e for size in range(4) for e in combinations(cells, size)]
        tests = [tuple(sum((one[i] for i in e), Fraction(0)) for one in (q, p)) for e in events]
        corner = f - (1 - best_power(p, q, x))
        return max(corner, *(asked(z) - (1 - power) for z, power in tests))

    answer = ask_json("check", name, claim)
    truth = max(Fraction(0), of_pairs(law, short))
    assert answer["holds"] == (truth == 0)
    assert exact(answer["shortfall"]) == truth
    which, holes = fit(
        refusal(answer) if truth else behind(answer),
        "A test about your record misses the truth in at least #% of the cases if it gives a false "
        "alarm in at most #% of them.",
        "A test with false alarms in #% of the cases misses the truth in only #% of them, where "
        "the curve asks for #%: # percentage points too few.",
        "A test with false alarms in #% of the cases misses the truth in only #% of them, where "
        "the curve asks for #%: # percentage point too few.",
    )
    if "about your record" in which:
        assert holes == [100 * f, 100 * x]
        return
    alarms, misses, wanted, few = holes
    assert abs(wanted - 100 * asked(alarms / 100)) < 1
    assert abs(wanted - misses - few) < 1
    assert above(few, 100 * truth)


# --- explain --------------------------------------------------------------------------------------

AS_DP = " As differential privacy that is an epsilon of #, with a delta of one in a million."


def renyi_epsilon(order, bound):
    constant = order * math.log1p(-1 / order) - math.log(order - 1)
    return bound + (math.log(1e6) + constant) / (order - 1)


@pytest.mark.parametrize("mu", [Fraction(1, 4), Fraction(1), Fraction(5, 2)])
def test_what_mu_promises(ask_json, mu):
    deviations = "deviation" if mu == 1 else "deviations"
    _, (shift, power, epsilon) = fit(
        behind(ask_json("explain", f"gdp(mu={mu})")),
        "Nobody can tell one value of your record from another better than a normal number "
        f"from one that is shifted by # standard {deviations}: a test that gives a false alarm in "
        f"5% of the cases finds the truth in at most #% of them.{AS_DP}",
    )
    assert shift == mu
    truth = 100 * Fraction(NORMAL.cdf(NORMAL.inv_cdf(0.05) + float(mu)))
    assert above(power, truth, Fraction(1, 100))
    assert plain.gaussian_delta(float(mu), float(epsilon)) <= 1e-6
    assert plain.gaussian_delta(float(mu), float(epsilon) * 0.999) >= 1e-6


@pytest.mark.parametrize("rho", [Fraction(1, 50), Fraction(1, 8), Fraction(1)])
def test_what_rho_promises(ask_json, rho):
    _, (times, often, epsilon) = fit(
        behind(ask_json("explain", f"zcdp(rho={rho})")),
        "Whichever mean you take, this tells no more about your record than Gaussian "
        "noise whose standard deviation is # times what the record can change: the odds of the "
        "truth about your record are multiplied by 100 or more with probability at most #%."
        + AS_DP,
    )
    assert float(times) == pytest.approx(1 / math.sqrt(2 * float(rho)), rel=1e-3)
    assert float(times) <= 1 / math.sqrt(2 * float(rho)) + 1e-12
    loss = math.log(100) - float(rho)
    assert float(often) == pytest.approx(100 * math.exp(-(loss**2) / (4 * float(rho))), rel=1e-2)
    grid = [1 + 1.01**k / 100 for k in range(1, 1500)]
    least = min(renyi_epsilon(a, a * float(rho)) for a in grid)
    assert least * 0.999 <= float(epsilon) <= least * 1.001


@pytest.mark.parametrize(("order", "bound"), [(2, "1/4"), (8, "1/2"), (32, "3")])
def test_what_one_order_promises(ask_json, order, bound):
    _, (mean, factor, often, epsilon) = fit(
        behind(ask_json("explain", f"rdp(order={order}, epsilon={bound})")),
        "On average (as a mean of order #), the output multiplies the odds of the truth "
        "about your record by at most #, and by 100 or more with probability at most #%." + AS_DP,
    )
    most = math.exp(Fraction(bound))
    assert mean == order - 1
    assert above(factor, Fraction(most), Fraction(1, 500))
    assert float(often) == pytest.approx(100 * (most / 100) ** (order - 1), rel=1e-2)
    assert float(epsilon) == pytest.approx(renyi_epsilon(order, float(Fraction(bound))), rel=1e-3)
    assert float(epsilon) >= renyi_epsilon(order, float(Fraction(bound))) - 1e-12


def test_what_a_curve_promises(ask_json):
    _, holes = fit(
        behind(ask_json("explain", "f-dp('0:9/10, 1/5:1/4, 1:0')")),
        "A test about your record misses the truth in at least #% of the cases if it gives "
        "no false alarm, in at least #% of the cases if it gives a false alarm in at most #% of "
        "them.",
    )
    assert holes == [90, 25, 20]
    assert "better than guessing" in behind(ask_json("explain", "f-dp('0:1, 1:0')"))
    assert "It promises nothing" in ask_json("explain", "f-dp('0:0, 1:0')")["sentences"][0]
    for stated in ("gdp(mu=0)", "zcdp(rho=0)", "rdp(order=2, epsilon=0)"):
        assert NOTHING in behind(ask_json("explain", stated))


# --- two ends -------------------------------------------------------------------------------------


def test_a_claim_between_two_ends_is_said_to_lie_there_with_a_way_out_that_decides_it(
    ask, tmp_path, capsys
):
    epsilon = "dp(epsilon=4.69265, delta=1e-6)"
    code, _, refused = call(capsys, "check", "compose(laplace(scale=10), times=100)", epsilon)
    assert code == 2
    found = re.search(
        r"true delta lies between (\S+) and (\S+), and the claim allows 1/1000000 .* '(.*)'$",
        refused.strip(),
    )
    low, high, way_out = found.groups()
    assert float(low) < 1e-6 < float(high)
    code, words = ask("check", way_out, epsilon)
    assert code == 1
    assert "delta between 1.00007e-6 and 1.00011e-6" in words


@pytest.mark.slow
def test_ends_by_domination_are_said_not_to_meet_and_the_upper_one_may_be_claimed(ask, capsys):
    both = "compose(skellam(30, 3), skellam(3, 30))"
    assert "both ends need not meet, whatever the width" in ask("measure", both, "--epsilon", 1)[1]
    code, _, refused = call(capsys, "check", both, "dp(epsilon=1, delta=1e-5)")
    assert code == 2
    assert "width" not in refused
    high = re.search(r"a claim that allows (\S+) holds", refused)[1]
    assert ask("check", both, f"dp(epsilon=1, delta={high})")[0] == 0


def test_ends_that_meet_have_no_such_note(ask):
    words = ask("compose", "laplace(scale=3)", "geometric(ratio=2)", "--epsilon", 1)[1]
    assert "need not meet" not in words


def test_probabilities_of_a_witness_have_digits_enough_to_tell_them_apart(ask):
    words = ask("measure", "gaussian(sigma=1e9)", "--delta", "1e-12")[1]
    p, q = re.search(r"probability at least (\S+) against at most (\S+)", words).groups()
    assert Fraction(q) < Fraction(p) < Fraction(q) * (1 + Fraction(1, 10**8))


def test_a_ratio_beyond_all_floats_is_given_in_decimals(ask_json):
    found = ask_json("measure", "laplace(epsilon=700)", "--times", 2, "--delta", "1e-6")
    assert found["ratio"]["value"] is None
    assert math.isclose(float(found["ratio"]["decimal"][:7]), 1.02867)
    assert found["epsilon"]["upper"] == 1400
    assert found["guess"]["upper"] == 1


def test_noise_that_hides_nothing_is_refused_in_terms_of_what_was_typed(capsys):
    code, _, refused = call(capsys, "measure", "gaussian(sigma=1e-6)", "--delta", "1e-6")
    assert code == 2
    assert "the epsilon for delta 1/1000000 is above 100000" in refused
    assert "131072" not in refused


@pytest.mark.parametrize(("asked", "code"), [("gdp", 2), ("gdp(mu=5)", 2), ("gdp(mu=1/2)", 1)])
def test_what_is_neither_proved_nor_refuted_is_undecided_with_or_without_numbers(
    capsys, asked, code
):
    found, words, _ = call(capsys, "implies", "zcdp(rho=1/8)", "--to", asked)
    assert found == code
    assert ("counterexample" in words) == (code == 1)
