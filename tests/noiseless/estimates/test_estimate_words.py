"""What the answers say: for whom a number holds, and what more knowledge does to it."""

import re
from fractions import Fraction
from itertools import combinations

import pytest

from tests.noiseless.estimates import elections as brute
from twoworlds.noiseless.estimates.family import read_member
from twoworlds.noiseless.estimates.likeliest import (
    likeliest,
)
from twoworlds.numbers import above, decimal

COINS = ["1=3/4, 0=1/4", "1=1/4, 0=3/4"]
THREE = ["a=1/2, b=1/4, c=1/4", "a=1/4, b=1/2, c=1/4", "a=1/5, b=1/5, c=3/5"]
HALF = Fraction(1, 2)


def numbers_of(sentence):
    """Read the two numbers of known entries, and what the first gives."""
    given = re.search(r"knowing ([\d,]+) gives (\w+ (?:about )?[\d.e-]+)", sentence)
    first, gives = given.groups()
    found = re.search(r"knowing ([\d,]+)( gives [^;]* and)? makes delta exceed 1/2", sentence)
    return int(first), gives, None if found is None else int(found.group(1))


class TestForWhom:
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
    @pytest.mark.parametrize("asked", [{"ratio": "5/4"}, {"epsilon": "0.1"}])
    def test_an_epsilon_alone_is_no_claim(self, asked):
        found = likeliest(THREE, people=8, **asked)
        first, gives, beyond = numbers_of(found.sentence)
        assert first == 1
        more = [likeliest(THREE, people=8, known=k, **asked).delta for k in range(8)]
        assert gives == f"delta {decimal(more[1], 3, 'about')}"
        assert beyond == next(k for k in range(8) if above(more[k]) > HALF)

    def test_a_claim_names_the_fewest_known_entries_at_which_it_fails(self):
        for claim in ("1/1000", "0.1", "0.55"):
            found = likeliest(COINS, people=41, ratio=1, delta=claim)
            assert found.holds
            count = int(re.search(r"breaks it: knowing (\d+) entr", found.sentence).group(1))
            assert not likeliest(COINS, people=41, known=count, ratio=1, delta=claim)
            assert likeliest(COINS, people=41, known=count - 1, ratio=1, delta=claim)
            assert "weaken" not in found.sentence

    def test_where_the_search_takes_long_the_next_entry_is_named(self):
        for texts, people in ((COINS, 1500), (THREE, 30)):
            found = likeliest(texts, people=people)
            first, gives, beyond = numbers_of(found.sentence)
            assert (first, beyond) == (1, None)
            further = likeliest(texts, people=people, known=1)
            assert gives == f"delta {decimal(further.delta, 3, 'about')}"
