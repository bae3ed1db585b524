"""Each broken engine fails the check that looks for its mistake, and says why."""

import pytest

from tests.attacks.selftest.broken_engines import ENGINES
from twoworlds.attacks.selftest import FAILURES, selftest

NOTICED = {  # what is said about each, by its name
    "floats": "not on the grid",
    "fifteen_digits": "of the grid is answered",
    "rounds_down": "changes the sum",
    "wraps_around": "a million times 2^62 became",
    "counts_nan": "40 odd values are answered as",
    "shows_every_key": "one person's key was discovered",
    "no_noise_for_nobody": "only 0 of 90 empty groups have noise",
    "slow_for_large_draws": "large draws are slower",
    "says_why_it_failed": "an error shows a value of the data",
    "counts_its_own": "four processes got",
    "forgets_who_died": "the retry was charged again",
    "ignores_the_mark": "a ledger that was older is opened",
    "takes_any_name": "'mallory' was answered",
    "answers_anew": "15 times the same question has",
    "reads_one_statement": "this was answered: SELECT COUNT(*) FROM people; DELETE",
    "dearer_is_noisier": "a higher price bought more noise",
    "adds_floats": "left something",
    "forgets_integers": "the same rows are answered in 2 ways",
    "shares_a_cursor": "answers in threads: ['[",
    "reads_by_place": "with columns in another order one person counts as 1000",
    "reads_one_after_the_other": "3000 rows, by two filters that exclude each other, are",
    "refuses_objects": "a column holds objects",
    "rounds_people": "people with 20 digits as integer are counted as 1",
    "takes_lines_for_records": "30 records",
    "fails_on_wide_noise": "was charged and is never answered",
    "leaves_rights_to_the_umask": "others may open it",
    "a_fifth_of_the_noise": "noise of COUNT(*) for 1 has another law",
    "a_tenth_too_narrow": "noise of COUNT(*) for 1 has another law",
    "rounds_floats": "noise of COUNT(*) for 1 has another law",
    "halves_scales": "demands noise of scale 1, and the calibration claims",
    "takes_sigma_for_its_square": "noise of COUNT(*) for rho=1/8 has another law",
    "chooses_the_best": "MEDIAN(x) for 1/2 is chosen by another law",
    "chooses_twice_as_sharply": "MEDIAN(x) for 1/2 is chosen by another law",
    "has_a_fixed_threshold": "of keys of 3 people",
    "forgets_the_second_key": "alone in two keys each, are shown",
    "has_one_key_and_nonce": "have the same noise",
    "has_one_key": "was used twice",
    "has_one_nonce": "was used twice",
    "keeps_its_noise": "have the same noise",
    "goes_on_after_a_fork": "a fork, query 0 have the same noise",
    "takes_all_rows": "one person with 1,000 rows moved count by 1000 in 10 groups",
    "takes_all_groups": "in 3 groups, where 3 in 2 are allowed",
    "protects_one_row": "COUNT(*) for 1 demands noise of scale 3",
    "forgets_the_second_row": "COUNT(*) for 1 demands noise of scale 2",
}
EVERY_RUN = {  # one of each kind that takes no process and no second; the others are slow tests
    "wraps_around",
    "shows_every_key",
    "ignores_the_mark",
    "takes_any_name",
    "answers_anew",
    "dearer_is_noisier",
    "takes_all_rows",
}


@pytest.mark.few(3)
@pytest.mark.statistical
@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=[] if one in EVERY_RUN else [pytest.mark.slow]) for one in NOTICED],
)
def test_a_broken_engine_fails_its_check(name):
    """A mistake in the law of noise passes unnoticed with a probability below 1/1,000.

    The moments of kills and of threads are drawn: up to three tries, as machines may be busy.
    """
    engine = ENGINES[name]
    with engine:
        for _ in range(3):
            checked = selftest([engine.failure], prelude=engine.prelude)
            [outcome] = checked.data["checks"]
            if not outcome["holds"]:
                break
    assert not outcome["holds"]
    assert NOTICED[name] in outcome["said"]


def test_each_check_has_a_broken_engine():
    assert set(ENGINES) == set(NOTICED)
    tried = {one.number for one in FAILURES if one.place}
    assert {engine.failure for engine in ENGINES.values()} == tried
    assert len({engine.wrong for engine in ENGINES.values()}) == len(ENGINES)


@pytest.mark.parametrize("name", ENGINES)
def test_processes_have_the_mistake_where_it_shows_in_them(name):
    prelude = ENGINES[name].prelude
    assert bool(prelude) == (ENGINES[name].failure in {9, 10, 11, 24, 28, 33})
    compile(prelude, "prelude", "exec")
