import sys
from fractions import Fraction
from itertools import combinations, product
from math import comb
from random import Random

import pytest

from tests.noiseless.estimates import elections as brute
from twoworlds.errors import InvalidInput, NotStochastic, TooLarge, UnknownName, Unsupported
from twoworlds.noiseless.estimates.counting import Counting, largest_size
from twoworlds.noiseless.estimates.elections import Election
from twoworlds.noiseless.estimates.family import LawFamily, rates, read_member
from twoworlds.noiseless.estimates.likeliest import (
    likeliest,
    release_likeliest,
)
from twoworlds.noiseless.solve import likeliest_known, likeliest_people
from twoworlds.numbers import INFINITY, above, below

COINS = ["1=3/4, 0=1/4", "1=1/4, 0=3/4"]
THREE = ["a=1/2, b=1/4, c=1/4", "a=1/4, b=1/2, c=1/4", "a=1/5, b=1/5, c=3/5"]
IMPOSSIBLE = ["a=1/2, b=1/2, c=0", "a=1/4, b=1/4, c=1/2", "a=0, b=1/3, c=2/3"]
TWINS = ["a=1/8, b=1/8, c=3/4", "a=3/8, b=3/8, c=1/4"]  # a and b are one kind
POWERS = ["a=9/16, b=3/16, c=2/16, d=1/16, e=1/16", "a=1/16, b=1/16, c=2/16, d=3/16, e=9/16"]
EQUAL = ["1=2/3, 0=1/3", "1=2/3, 0=1/3", "1=1/3, 0=2/3"]
FAMILIES = [
    (COINS, "1, 1"),
    (COINS, "1, 5"),
    (THREE, "1, 1, 1"),
    (THREE, "2, 1, 4"),
    (IMPOSSIBLE, "1, 1, 1"),
    (TWINS, "1, 2"),
    (POWERS, "1, 1"),
    (EQUAL, "1, 2, 2"),
]


def plain(texts):
    return [read_member(text) for text in texts]


def shares(text):
    return [Fraction(w) for w in text.split(",")]


def drawn_family(random):
    """A random family of two or three laws on two or three values, zeros included."""
    size, values = random.choice([2, 2, 3]), random.choice([2, 3])
    laws = []
    while len(laws) < size:
        masses = [random.choice([0, 1, 1, 2, 3, 5]) for _ in range(values)]
        if sum(masses):
            laws.append({str(a): Fraction(m, sum(masses)) for a, m in enumerate(masses)})
    weights = [Fraction(random.randint(1, 4)) for _ in range(size)]
    return laws, weights


class TestAgainstAllDatabases:
    @pytest.mark.few(3)
    @pytest.mark.parametrize(("texts", "weights"), FAMILIES)
    @pytest.mark.parametrize("ratio", [Fraction(1), Fraction(3, 2), Fraction(4)])
    def test_delta_over_all_priors_is_that_of_the_worst_single_law(self, texts, weights, ratio):
        people = 4 if len(texts[0]) < 25 else 3
        laws, pi = plain(texts), shares(weights)
        found = likeliest(texts, people=people, weights=weights, ratio=ratio)
        sure = [[Fraction(int(i == j)) for i in range(len(laws))] for j in range(len(laws))]
        assert found.delta == max(brute.delta(laws, pi, p, people, ratio) for p in sure)

    def test_random_families_agree_in_delta_and_in_ratio(self):
        random = Random(5)
        for _ in range(15):
            laws, pi = drawn_family(random)
            people, ratio = random.randint(1, 5), Fraction(random.randint(4, 9), 4)
            found = likeliest(laws, people=people, weights=pi, ratio=ratio)
            sure = [[Fraction(int(i == j)) for i in range(len(laws))] for j in range(len(laws))]
            assert found.delta == max(brute.delta(laws, pi, p, people, ratio) for p in sure)
            ratios = [brute.pure_ratio(laws, pi, p, people) for p in sure]
            tight = likeliest(laws, people=people, weights=pi, delta=0).ratio
            assert tight == (INFINITY if None in ratios else max(ratios))

    @pytest.mark.slow
    @pytest.mark.parametrize("least", [Fraction(1, 10), Fraction(1, 4), Fraction(1, 3)])
    def test_a_least_prior_probability_is_attained_at_the_corners(self, least):
        random = Random(7)
        for texts in (COINS, THREE, IMPOSSIBLE):
            laws = plain(texts)
            pi = [Fraction(1, len(laws))] * len(laws)
            found = likeliest(texts, people=4, least=least, ratio="9/8")
            corners = list(brute.corners(len(laws), least))
            assert found.delta == max(brute.delta(laws, pi, p, 4, Fraction(9, 8)) for p in corners)
            tight = likeliest(texts, people=4, least=least).ratio
            ratios = [brute.pure_ratio(laws, pi, p, 4) for p in corners]
            assert tight == (INFINITY if None in ratios else max(ratios))
            for _ in range(5):
                parts = [random.randint(0, 9) for _ in laws]
                free = 1 - len(laws) * least
                total = sum(parts) or 1
                prior = [least + free * Fraction(part, total) for part in parts]
                prior[0] += 1 - sum(prior)
                assert brute.delta(laws, pi, prior, 4, Fraction(9, 8)) <= found.delta
                ratio = brute.pure_ratio(laws, pi, prior, 4)
                assert tight == INFINITY or (ratio is not None and ratio <= tight)

    @pytest.mark.parametrize("least", [None, Fraction(1, 5)])
    @pytest.mark.parametrize("texts", [COINS, THREE, IMPOSSIBLE, TWINS])
    def test_known_entries_are_the_worst_ones(self, texts, least):
        laws = plain(texts)
        pi = [Fraction(1, len(laws))] * len(laws)
        ratio = Fraction(6, 5)
        priors = list(brute.corners(len(laws), least or Fraction(0)))
        found = likeliest(texts, people=4, known=2, least=least, ratio=ratio)
        possible = [
            brute.delta(laws, pi, p, 4, ratio, fixed)
            for fixed in product(laws[0], repeat=2)
            for p in priors
            if any(q * law[fixed[0]] * law[fixed[1]] for q, law in zip(p, laws, strict=True))
        ]
        assert found.delta == max(possible)

    def test_noiseless_privacy_compares_two_values_under_one_law(self):
        random = Random(9)
        for _ in range(20):
            laws, pi = drawn_family(random)
            ratio = Fraction(random.randint(4, 8), 4)
            found = likeliest(laws, people=4, weights=pi, ratio=ratio, definition="noiseless")
            expected = Fraction(0)
            for j, law in enumerate(laws):
                answers = [brute.answer(laws, pi, j, (v,), 3) for v in law if law[v]]
                for p, q in combinations(answers, 2):
                    expected = max(expected, brute.both(p, q, ratio))
            assert found.delta == expected
            assert found.delta <= above(found.theorem_17)

    def test_no_simulator_beats_the_lower_bound(self):
        """The best simulator of two coins, by its bias on each count, is searched on a grid."""
        laws, pi = plain(COINS), [Fraction(1, 2)] * 2
        found = likeliest(COINS, people=3)
        best = Fraction(1)
        grid = [Fraction(i, 4) for i in range(5)]
        for bias in product(grid, repeat=3):  # chance of naming law 1 at 0, 1, 2 ones among others
            worst = Fraction(0)
            for j, law in enumerate(laws):
                sim = sum(
                    comb(2, c) * law["1"] ** c * law["0"] ** (2 - c) * bias[c] for c in range(3)
                )
                for v in law:
                    real = brute.answer(laws, pi, j, (v,), 2)[0]
                    worst = max(worst, abs(real - sim))
            best = min(best, worst)
        assert found.any_simulator_at_least <= best <= found.delta


class TestReferenceNumbers:
    def test_two_coins_and_forty_one_people(self):
        found = likeliest(COINS, people=41, s="1/2")
        assert float(found.delta) == pytest.approx(0.000397577021371574, abs=1e-15)
        assert float(found.theorem_13) == pytest.approx(0.012684847755736, abs=1e-14)
        tight = likeliest(COINS, people=41, least="1/4", s="1/2")
        assert float(tight.epsilon) == pytest.approx(0.00396392668468953, abs=1e-15)
        assert float(tight.theorem_14) == pytest.approx(0.109087716807364, abs=1e-14)

    def test_theorem_15_is_false_as_printed(self):
        """Erratum 25: twenty known ones make the two laws tie far more often."""
        found = likeliest(COINS, people=61, known="0", known_values="1=20", s="1/2")
        exact = Fraction(10907861608866744832167, 75557863725914323419136)
        assert found.delta == exact
        assert [share["value"] for share in found.witness.data["posterior_of_laws"]] == [0, 1]
        assert found.any_simulator_at_least == exact / 2
        printed = rates(COINS, people=41, s="1/2").theorem_13  # only n -> n - L
        assert float(printed) == pytest.approx(0.012684847755736, abs=1e-14)
        assert found.any_simulator_at_least > printed
        assert found.delta <= found.theorem_13  # tau -> tau M^L as well
        assert any("Theorem 15 is false as printed" in note for note in found.notes)


class TestTheorems:
    @pytest.mark.slow
    @pytest.mark.parametrize("texts", [COINS, THREE, TWINS, POWERS])
    @pytest.mark.parametrize("known", [0, 2])
    @pytest.mark.parametrize("s", [None, "1/3"])
    def test_corrected_bounds_are_above_the_exact_numbers(self, texts, known, s):
        weights = ", ".join(str(j) for j in range(1, len(texts) + 1))
        for people in (5, 24):
            exact = likeliest(texts, people=people, known=known, weights=weights, s=s)
            assert exact.delta <= above(exact.theorem_13_sharper)
            if s is not None:
                assert below(exact.theorem_13_sharper) <= above(exact.theorem_13)
            tight = likeliest(texts, people=people, known=known, weights=weights, s=s, least="1/10")
            if "theorem_14" in tight.values:
                assert below(tight.epsilon) <= above(tight.theorem_14)

    def test_the_best_exponent_is_no_worse_than_others(self):
        for people in (5, 41, 400):
            best = rates(THREE, people=people, weights="1, 2, 5")
            for s in ("1/10", "1/3", "1/2", "2/3", "9/10"):
                other = rates(THREE, people=people, weights="1, 2, 5", s=s)
                slack = 1 + 1e-4
                assert float(best.theorem_13_sharper) <= float(other.theorem_13_sharper) * slack
                assert float(best.u) >= float(other.u) * (1 - 1e-4)

    def test_theorem_14_needs_its_missing_condition(self):
        short = rates(COINS, people=3, least="1/4")
        assert short.theorem_14 is None
        assert "not below 1" in short.why_not
        assert rates(COINS, people=41).theorem_14 is None
        found = likeliest(COINS, people=3, least="1/4")
        assert any("not below 1" in note for note in found.notes)

    def test_theorem_17_allows_twice_delta_at_epsilon_0(self):
        for people in (3, 10, 25):
            direct = likeliest(COINS, people=people, ratio=1, definition="noiseless")
            through = likeliest(COINS, people=people, ratio=1)
            assert direct.delta <= direct.theorem_17 == 2 * through.delta

    def test_bounds_go_on_where_counting_ends(self):
        found = likeliest(COINS, people=10**6, epsilon="0.1", delta="1e-9")
        assert found.holds
        assert found.witness is None
        data = found.to_dict()["delta"]
        assert data["lower"] == 0 <= data["upper"] < 1e-300
        assert "only bounded" in found.notes[0]
        tight = likeliest(COINS, people=10**6, least="1/4")
        assert tight.delta == 0
        assert above(tight.epsilon) == above(tight.theorem_14) < 1e-300
        assert likeliest(COINS, people=10**6, least="1/4", epsilon="0.1", delta=0).holds
        close = ["1=501/1000, 0=499/1000", "1=499/1000, 0=501/1000"]
        assert likeliest(close, people=10**7, epsilon=0, delta="1e-20").holds is None
        with pytest.raises(TooLarge, match=r"\d+ is the largest size"):
            likeliest(close, people=10**5)
        with pytest.raises(TooLarge, match="M is infinite"):
            likeliest(IMPOSSIBLE, people=10**5)
        assert above(rates(COINS, people=10**6).theorem_13) < 1e-300


class TestWhatIsAsked:
    def test_witnesses_are_recomputed_by_listing_samples(self):
        for texts, weights in FAMILIES:
            found = likeliest(texts, people=9, weights=weights, known=2)
            witness = found.witness
            p, q = witness.probabilities
            assert witness.verify()
            assert p - q == found.delta
            assert sum(witness.data["known"].values()) == 2

    def test_a_wrong_witness_is_caught(self):
        from dataclasses import replace

        witness = likeliest(COINS, people=9).witness
        p, q = witness.probabilities
        assert not replace(witness, probabilities=(p + Fraction(1, 10**9), q)).verify()


class TestFamilies:
    def test_the_estimate_is_the_first_of_the_likeliest(self):
        family = LawFamily.of(COINS)
        assert [family.estimate(x) for x in ([], [1], [0], [1, 0], [0, 0, 1])] == [1, 1, 2, 1, 2]
        random = Random(10)
        for _ in range(20):
            laws, pi = drawn_family(random)
            entries = random.choices([a for a in laws[0] if laws[0][a]], k=6)
            assert LawFamily.of(laws, pi).estimate(entries) == brute.elect(laws, pi, entries) + 1

    def test_close_scores_are_decided_exactly(self):
        """3^12 against 2^19 (and weights that make it a tie): floats alone would not do."""
        laws = ["a=3/4, b=1/4", "a=1/2, b=1/2"]
        tie = Fraction(1, 2) ** 40 / (Fraction(3, 4) ** 25 * Fraction(1, 4) ** 15)
        for weight, expected in ((tie, 1), (tie * (1 - Fraction(1, 10**30)), 2)):
            family = LawFamily.of(laws, [weight, 1])
            entries = ["a"] * 25 + ["b"] * 15
            assert family.estimate(entries) == expected
            chosen = Counting(family, 40).outcome(0, (25, 15), 40, 0)
            assert chosen.index(1) + 1 == expected


class TestSolving:
    def test_the_number_of_people_is_right_up_to_the_bound_and_wrong_before(self):
        found = likeliest_people(COINS, epsilon=0, delta="1e-3")
        people = int(found.people)
        assert found.holds
        for size in range(people, people + 6):
            assert likeliest(COINS, people=size, epsilon=0, delta="1e-3")
        assert not likeliest(COINS, people=people - 1, epsilon=0, delta="1e-3")
        assert "all larger ones by Theorem 13" in found.method

    def test_sizes_are_not_monotone_and_the_search_knows(self):
        """With close coins, 25 people meet the claim, 26 and 28 do not, 29 do, and so on."""
        close = ["1=11/20, 0=9/20", "1=9/20, 0=11/20"]
        asked = {"epsilon": "0.5", "delta": "1e-6"}
        holds = {n: bool(likeliest(close, people=n, **asked)) for n in range(24, 32)}
        assert holds == {
            24: False,
            25: True,
            26: False,
            27: True,
            28: False,
            29: True,
            30: True,
            31: True,
        }

    def test_a_search_that_would_take_too_long_says_what_it_left_out(self, monkeypatch):
        monkeypatch.setattr(sys.modules[likeliest_people.__module__], "_WORK", 1)
        found = likeliest_people(COINS, epsilon="0.5", delta="1/20")
        assert likeliest(COINS, people=int(found.people), epsilon="0.5", delta="1/20")
        assert f"sizes below {int(found.people)} were not counted" in found.notes

    def test_a_claim_that_is_never_met_is_refused(self):
        with pytest.raises(Unsupported, match="not met by 60 people"):
            likeliest_people(COINS, epsilon="0.1", delta=0)
        with pytest.raises(Unsupported, match="on every size does"):
            likeliest_people(COINS, epsilon=0, delta="1e-2", most=5)

    def test_the_largest_number_of_known_entries(self):
        found = likeliest_known(COINS, people=61, epsilon=0, delta="0.1")
        known = int(found.known)
        assert likeliest(COINS, people=61, known=known, epsilon=0, delta="0.1")
        assert not likeliest(COINS, people=61, known=known + 1, epsilon=0, delta="0.1")


class TestData:
    def test_a_column_is_judged_and_the_belief_comes_first(self, tmp_path):
        path = tmp_path / "coins.csv"
        path.write_text("who,coin\n" + "\n".join(f"p{i},{int(i % 4 == 0)}" for i in range(41)))
        release = release_likeliest(path, "coin", COINS, epsilon=0)
        assert (release.value, release.rows) == (2, 41)
        assert release.verdict.delta == likeliest(COINS, people=41).delta
        assert release.explain().startswith("This rests on a belief: ")

    def test_the_answer_is_withheld_if_the_claim_is_not_proven(self, tmp_path):
        path = tmp_path / "coins.csv"
        path.write_text("coin\n" + "1\n0\n0\n" * 5)
        refuted = release_likeliest(path, "coin", COINS, epsilon=0, delta="1e-9")
        assert refuted.verdict.holds is False
        assert refuted.value is None
        assert "withheld" in refuted.explain()
        for asked in ({"epsilon": 0, "delta": "1/2"}, {"epsilon": 0}, {"delta": "1e-9"}, {}):
            assert release_likeliest(path, "coin", COINS, **asked).value == 2


class TestBadInput:
    @pytest.mark.parametrize(
        ("laws", "match"),
        [
            (["1=3/4, 0=1/4"], "1 laws given"),
            ([], "0 laws given"),
            (["1=3/4, 0=1/4", "1=1/2, 2=1/2"], "different sets: law 2 does not name the value 0"),
            (["1=1", "1=1/2, 2=1/2"], "law 1 does not name the value 2"),
            (["1=3/4, 1=1/4", "1=1"], "twice"),
            (["1=3/4, 1.0=1/4", "1=1"], "twice"),
            (["1:3/4", "1=1"], "not value=probability"),
            (["1=x, 0=1/2", "1=1/2, 0=1/2"], "not a number"),
            (["1=3/2, 0=1/2", "1=1/2, 0=1/2"], "not a probability"),
        ],
    )
    def test_laws_that_are_none(self, laws, match):
        with pytest.raises(InvalidInput, match=match):
            likeliest(laws, people=3)

    def test_probabilities_must_sum_to_one(self):
        with pytest.raises(NotStochastic, match="law 2 sums to 3/4"):
            likeliest(["1=1/2, 0=1/2", "1=1/2, 0=1/4"], people=3)

    @pytest.mark.parametrize(
        ("asked", "match"),
        [
            ({"people": 0}, "people"),
            ({"people": "2.5"}, "people"),
            ({"people": 3, "known": 3}, "no more can be known"),
            ({"people": 3, "known": -1}, "known"),
            ({"people": 3, "known_values": "1=2, 0=1"}, "no more can be known"),
            ({"people": 9, "known_values": "7=2"}, "impossible under every law"),
            ({"people": 9, "known_values": "2"}, "write it like"),
            ({"people": 9, "known_values": 4}, "write it like"),
            ({"people": 9, "known_values": "1=2", "known": "3"}, "leave out known"),
            ({"people": 3, "least": "2/3"}, "at most 1/2"),
            ({"people": 3, "least": 0}, "above 0"),
            ({"people": 3, "s": 1}, "between 0 and 1"),
            ({"people": 3, "s": 0}, "between 0 and 1"),
            ({"people": 3, "epsilon": -1}, "negative"),
            ({"people": 3, "ratio": 2, "epsilon": 1}, "not both"),
            ({"people": 3, "delta": 2}, "probability"),
        ],
    )
    def test_numbers_out_of_range(self, asked, match):
        with pytest.raises(InvalidInput, match=match):
            likeliest(COINS, **asked)

    def test_an_infinite_factor_leaves_the_theorems_silent_but_not_the_count(self):
        with pytest.raises(Unsupported, match="M is infinite"):
            rates(IMPOSSIBLE, people=9)
        found = likeliest(IMPOSSIBLE, people=4)
        assert "theorem_13" not in found.values
        assert any("M is infinite" in note for note in found.notes)

    def test_noiseless_privacy_under_a_prior_is_refused(self):
        with pytest.raises(Unsupported, match="one fixed law"):
            likeliest(COINS, people=3, least="1/4", definition="noiseless")
        with pytest.raises(UnknownName, match="definition"):
            likeliest(COINS, people=3, definition="dp")

    def test_a_search_needs_a_whole_claim(self):
        with pytest.raises(InvalidInput, match="give both"):
            likeliest_people(COINS, delta="1/10")
        with pytest.raises(TooLarge, match="people are enough"):
            likeliest_people(
                ["1=501/1000, 0=499/1000", "1=499/1000, 0=501/1000"], epsilon=0, delta="1e-6"
            )

    def test_the_largest_size_is_the_largest(self):
        family = LawFamily.of(THREE)
        size = largest_size(family)
        assert Election(family, size).counting
        with pytest.raises(TooLarge):
            Counting(family, size + 1)
