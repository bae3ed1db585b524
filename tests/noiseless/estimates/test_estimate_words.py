"""What the answers say: for whom a number holds, and what more knowledge does to it."""

import re
from fractions import Fraction
from importlib import import_module
from itertools import combinations
from math import comb

import pytest

from tests.noiseless.estimates import elections as brute
from twoworlds.noiseless.estimates.family import read_member
from twoworlds.noiseless.estimates.likeliest import (
    likeliest,
    likeliest_known,
)
from twoworlds.noiseless.estimates.stable import stable
from twoworlds.numbers import above, decimal
from twoworlds.worlds.belief import independent, uniform
from twoworlds.worlds.joint import Joint
from twoworlds.worlds.records import BitStrings

COINS = ["1=3/4, 0=1/4", "1=1/4, 0=3/4"]
THREE = ["a=1/2, b=1/4, c=1/4", "a=1/4, b=1/2, c=1/4", "a=1/5, b=1/5, c=3/5"]
SURE = "whoever is sure which of the laws is true (whichever it is)"
HALF = Fraction(1, 2)


def majority(bits):
    return int(2 * sum(bits) > len(bits))


def numbers_of(sentence):
    """Read the two numbers of known entries, and what the first gives."""
    given = re.search(r"knowing ([\d,]+) gives (\w+ (?:about )?[\d.e-]+)", sentence)
    first, gives = given.groups()
    found = re.search(r"knowing ([\d,]+)( gives [^;]* and)? makes delta exceed 1/2", sentence)
    return int(first), gives, None if found is None else int(found.group(1))


class TestForWhom:
    def test_being_unsure_of_the_law_breaks_noiseless_privacy(self):
        """With even chances of two coins delta is about 1/2, by binomial tails."""
        found = likeliest(COINS, people=41, definition="noiseless")

        def first_named(entry):
            shares = [Fraction(3, 4), Fraction(1, 4)][:: 1 if entry else -1]
            return sum(
                share * comb(40, c) * p**c * (1 - p) ** (40 - c)
                for share, p in zip(shares, (Fraction(3, 4), Fraction(1, 4)), strict=True)
                for c in range(21 - entry, 41)
            )

        unsure = first_named(1) - first_named(0)
        assert round(float(unsure), 5) == 0.50002
        assert "being unsure which of the laws is true" in found.sentence
        assert (
            f"delta is {decimal(unsure, 3, 'about')} for one who gives all of them"
            in found.sentence
        )

    @pytest.mark.parametrize("texts", [COINS, THREE])
    def test_the_delta_of_the_unsure_is_that_of_all_databases(self, texts):
        laws = [read_member(text) for text in texts]
        pi = [Fraction(1)] * len(laws)
        answers = {}
        for v in laws[0]:
            total = sum(law[v] for law in laws)
            parts = [brute.answer(laws, pi, j, (v,), 3) for j in range(len(laws))]
            answers[v] = [
                sum(law[v] / total * part[t] for law, part in zip(laws, parts, strict=True))
                for t in range(len(laws))
            ]
        ratio = Fraction(5, 4)
        unsure = max(brute.both(p, q, ratio) for p, q in combinations(answers.values(), 2))
        found = likeliest(texts, people=4, ratio=ratio, definition="noiseless")
        assert unsure > found.delta
        assert (
            f"delta is {decimal(unsure, 3, 'about')} for one who gives all of them"
            in found.sentence
        )


class TestWhatMoreKnowledgeDoes:
    @pytest.mark.slow
    @pytest.mark.parametrize("definition", ["ddp", "noiseless"])
    @pytest.mark.parametrize(("people", "known"), [(41, 0), (41, 5), (12, 2)])
    def test_without_a_claim_both_numbers_are_named(self, definition, people, known):
        asked = {"people": people, "definition": definition}
        found = likeliest(COINS, known=known, **asked)
        first, gives, beyond = numbers_of(found.sentence)
        deltas = [likeliest(COINS, known=k, **asked).delta for k in range(people)]
        assert first == next(k for k in range(known, people) if deltas[k] > found.delta)
        assert gives == f"delta {decimal(deltas[first], 3, 'about')}"
        assert beyond == next(k for k in range(known, people) if deltas[k] > HALF)

    @pytest.mark.parametrize("asked", [{"ratio": "5/4"}, {"epsilon": "0.1"}])
    def test_an_epsilon_alone_is_no_claim(self, asked):
        found = likeliest(THREE, people=8, **asked)
        first, gives, beyond = numbers_of(found.sentence)
        assert first == 1
        more = [likeliest(THREE, people=8, known=k, **asked).delta for k in range(8)]
        assert gives == f"delta {decimal(more[1], 3, 'about')}"
        assert beyond == next(k for k in range(8) if above(more[k]) > HALF)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "asked", [{"delta": "1/1000"}, {"least": "1/4"}, {"least": "1/4", "delta": "1/1000"}]
    )
    def test_where_epsilon_is_found_its_growth_is_named(self, asked):
        found = likeliest(COINS, people=21, **asked)
        first, gives, beyond = numbers_of(found.sentence)
        assert first == 1
        further = likeliest(COINS, people=21, known=1, **asked)
        assert gives == f"epsilon {decimal(further.epsilon, 3, 'about')}"
        assert "at this epsilon" in found.sentence
        least = {"least": asked["least"]} if "least" in asked else {}
        deltas = [
            likeliest(COINS, people=21, known=k, ratio=found.ratio, **least).delta
            for k in range(21)
        ]
        assert beyond == next(k for k in range(21) if deltas[k] > HALF)

    def test_a_delta_with_room_to_spare_names_the_first_number_that_uses_it_up(self):
        found = likeliest(COINS, people=41, delta="0.4")
        assert found.ratio == 1
        first, gives, _ = numbers_of(found.sentence)
        assert likeliest(COINS, people=41, known=first - 1, delta="0.4").ratio == 1
        further = likeliest(COINS, people=41, known=first, delta="0.4")
        assert further.ratio > 1
        assert gives == f"epsilon {decimal(further.epsilon, 3, 'about')}"
        exact = likeliest(COINS, people=41).delta
        told = f"the exact delta is {decimal(exact, 3, 'about')}"
        assert any(told in note for note in found.notes)

    def test_a_claim_names_the_fewest_known_entries_at_which_it_fails(self):
        for claim in ("1/1000", "0.1", "0.55"):
            found = likeliest(COINS, people=41, ratio=1, delta=claim)
            assert found.holds
            count = int(re.search(r"breaks it: knowing (\d+) entr", found.sentence).group(1))
            assert not likeliest(COINS, people=41, known=count, ratio=1, delta=claim)
            assert likeliest(COINS, people=41, known=count - 1, ratio=1, delta=claim)
            assert "weaken" not in found.sentence

    def test_what_already_allows_that_much_is_not_said_to_break_it(self):
        joint = Joint.of(uniform(BitStrings(5)))
        for definition in ("ddp", "noiseless"):
            asked = {"people": 5, "definition": definition}
            for given in ({"ratio": 2, "delta": 1}, {"delta": 1}):
                assert "What breaks it" not in likeliest(COINS, **asked, **given).sentence
                assert "What breaks it" not in stable(majority, joint, **given).sentence
            found = likeliest(COINS, **asked, delta="3/4")  # the unsure have 0.555
            assert "knowing 4 gives epsilon infinity at delta 3/4" in found.sentence
            assert "exceed" not in found.sentence
            assert "being unsure" not in found.sentence
        assert "exceed" not in stable(majority, joint, delta="3/4").sentence

    def test_where_the_search_takes_long_the_next_entry_is_named(self):
        for texts, people in ((COINS, 1500), (THREE, 30)):
            found = likeliest(texts, people=people)
            first, gives, beyond = numbers_of(found.sentence)
            assert (first, beyond) == (1, None)
            further = likeliest(texts, people=people, known=1)
            assert gives == f"delta {decimal(further.delta, 3, 'about')}"

    def test_where_all_others_are_known_only_other_laws_break_it(self):
        laws = ["1=2/3, 0=1/3", "1=2/3, 0=1/3"]
        found = likeliest(laws, people=5)
        assert found.delta == 0
        assert "weaken" not in found.sentence
        assert "entries that depend on one another" in found.sentence


class TestStable:
    def told(self, function, joint, many, **asked):
        """The worst of all choices of so many records that are known."""
        places = range(len(joint.databases[0]))
        return max(
            stable(
                function, joint.knowing(lambda x, c=chosen: tuple(x[i] for i in c)), **asked
            ).delta
            for chosen in combinations(places, many)
        )

    @pytest.mark.slow
    @pytest.mark.parametrize("chances", [["1/2"] * 5, ["3/4"] * 4, ["1/2", "1/3", "1/2", "2/3"]])
    def test_without_a_claim_the_next_record_and_the_breaking_ones_are_named(self, chances):
        joint = Joint.of(independent(BitStrings(len(chances)), chances))
        found = stable(majority, joint)
        deltas = [found.delta] + [
            self.told(majority, joint, many) for many in range(1, len(chances))
        ]
        first = next(many for many, delta in enumerate(deltas) if delta > found.delta)
        named, gives = re.search(
            r"knowing the records? of ([^;]*) gives delta ((?:about )?[\d.]+)", found.sentence
        ).groups()
        assert len(re.findall(r"\d+", named)) == first
        assert gives == decimal(deltas[first], 3, "about")
        beyond = next(many for many, delta in enumerate(deltas) if delta > HALF)
        named = re.search(r"knowing the records? of ([^;]*) makes delta exceed", found.sentence)
        if beyond == first:
            assert " and makes delta exceed 1/2" in found.sentence
        else:
            assert len(re.findall(r"\d+", named.group(1).split("knowing")[-1])) == beyond

    @pytest.mark.slow
    def test_where_epsilon_is_found_its_growth_is_named(self):
        joint = Joint.of(uniform(BitStrings(5)))
        found = stable(majority, joint, delta="1/10")
        named, epsilon = re.search(
            r"knowing the records? of ([^;]*) gives epsilon ((?:about )?[\d.]+) at delta 0.1;",
            found.sentence,
        ).groups()
        chosen = [int(i) - 1 for i in re.findall(r"\d+", named)]
        told = joint.knowing(lambda x: tuple(x[i] for i in chosen))
        further = stable(majority, told, delta="1/10")
        assert further.ratio > found.ratio
        assert epsilon == decimal(further.epsilon, 3, "about")
        assert "makes delta exceed 1/2 at this epsilon" in found.sentence

    def test_a_delta_of_one_half_can_still_be_exceeded(self):
        found = stable(majority, Joint.of(uniform(BitStrings(3))))
        assert found.delta == HALF
        assert "gives delta 1 and makes delta exceed 1/2" in found.sentence

    def test_a_search_that_is_too_long_says_so(self, monkeypatch):
        knowledge = import_module("twoworlds.noiseless.estimates.stable")
        monkeypatch.setattr(knowledge, "_WORK", 0)
        found = stable(majority, Joint.of(uniform(BitStrings(5))))
        assert "was not searched" in found.sentence
        assert "exceed" not in found.sentence


class TestNotes:
    def test_a_claim_that_fails_at_once_has_no_number_of_known_entries(self):
        found = likeliest_known(COINS, people=5, epsilon=0, delta="1e-3")
        assert found.holds is False
        assert "known" not in found.values
        assert found.notes[0] == "the claim does not hold even if nobody knows any entry"
        assert "known" not in found.to_dict()
        assert found.notes[0] in found.explain()

    def test_bounds_of_large_sizes_begin_at_zero(self):
        data = likeliest(COINS, people=10**6, epsilon="0.1").to_dict()["delta"]
        assert data["lower"] == 0
        assert data["upper"] < 1e-300
