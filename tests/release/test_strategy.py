from fractions import Fraction

import pytest

from twoworlds.errors import InvalidInput
from twoworlds.release import Curator, OverBudget
from twoworlds.release.errors import RequestTaken

YOUNG = "SELECT COUNT(*) FROM people WHERE age < 40"
OLD = "SELECT COUNT(*) FROM people WHERE age >= 40"
ALL = "SELECT COUNT(*) FROM people"


def spent(curator, analyst=None):
    return curator.ledger.spent("people", analyst).epsilon


def test_questions_about_different_people_cost_nothing_more(curator):
    strategy = curator.strategy("people", "1", analyst="ann")
    strategy.ask(YOUNG, "1")
    assert (strategy.joint, strategy.naive) == (1, 1)
    strategy.ask(OLD, "1")
    assert (strategy.joint, strategy.naive, spent(curator)) == (1, 2, 1)
    assert "together they cost 1, one by one they would cost 2" in strategy.explain()


def test_erratum_the_whole_vector_counts_neither_the_largest_part_nor_the_sum(curator):
    """Dwork, Theorem 5 (erratum D6)."""
    strategy = curator.strategy("people", "2", analyst="ann")
    strategy.ask(YOUNG, "1")
    strategy.ask(ALL, "1")
    assert strategy.joint == 2  # the largest part would say 1
    with pytest.raises(OverBudget, match="other people"):
        strategy.ask(OLD, "3/2")
    strategy.ask(OLD, "1")  # the sum would say 3
    assert (strategy.joint, strategy.naive) == (2, 3)


def test_the_next_question_may_depend_on_the_answer(curator):
    strategy = curator.strategy("people", "1", analyst="ann")
    [row] = strategy.ask(YOUNG, "1/2").rows()
    side = YOUNG if row["count"] > 3000 else OLD
    strategy.ask(f"{side} AND region = 'north'", "1/2")
    assert strategy.joint in (Fraction(1, 2), 1)


def test_running_the_same_program_again_gives_the_same_answers_for_nothing(hospital):
    def program():
        with Curator.open(hospital / "policy.yml") as curator:
            strategy = curator.strategy("people", "1", analyst="ann")
            answers = [strategy.ask(asked, "1").rows() for asked in (YOUNG, OLD)]
            return answers, spent(curator), spent(curator, "ann")

    first, again = program(), program()
    assert first == again
    assert first[1:] == (1, 1)


def test_a_number_is_taken_once(hospital):
    with Curator.open(hospital / "policy.yml") as curator:
        curator.strategy("people", "1", analyst="ann").ask(YOUNG, "1")
        other = curator.strategy("people", "1", analyst="ann")  # the same one, opened again
        with pytest.raises(InvalidInput, match=r"question 1 .* was another question.*resume\(\)"):
            other.ask(ALL, "1")
        assert spent(curator) == 1
        curator.strategy("people", "1", analyst="ann", name="second").ask(ALL, "1")
        assert spent(curator) == 2


def test_what_a_strategy_refuses(curator):
    for cost in ("epsilon=1, delta=1e-9", "rho=1", "0"):
        with pytest.raises(InvalidInput, match="epsilon above 0"):
            curator.strategy("people", cost, analyst="ann")
    with pytest.raises(OverBudget):
        curator.strategy("people", "100", analyst="ann")
    strategy = curator.strategy("people", "1", analyst="ann")
    with pytest.raises(InvalidInput, match="asks 'people'"):
        strategy.ask("SELECT COUNT(*) FROM visits", "1")
    with pytest.raises(InvalidInput, match="declare them"):
        strategy.ask("SELECT COUNT(*) FROM people GROUP BY DISCOVER(region)", "1")
    assert strategy.joint == 0


def test_strategies_of_two_analysts_are_two_and_both_are_paid(curator):
    for analyst in ("ann", "bob"):
        curator.strategy("people", "1", analyst=analyst).ask(YOUNG, "1")
    assert spent(curator) == 2


def test_who_was_slower_takes_the_next_number(curator):
    one, two, three = (curator.strategy("people", "1", analyst="ann").resume() for _ in range(3))
    one.ask(YOUNG, "1")
    two.ask(OLD, "1")
    assert (two.joint, two.naive, len(two.questions)) == (1, 2, 2)
    with pytest.raises(OverBudget, match="would cost epsilon 2"):
        three.ask(ALL, "1")
    assert len(three.questions) == 2
    assert len(one.resume().questions) == 2
    assert spent(curator) == 1


def test_who_was_slower_with_the_same_question_gets_the_same_answer(curator):
    one, two, three = (curator.strategy("people", "1", analyst="ann").resume() for _ in range(3))
    four = curator.strategy("people", "1", analyst="ann")
    first = one.ask(YOUNG, "1").rows()
    second = one.ask(OLD, "1").rows()
    assert two.ask(YOUNG, "1").rows() == first
    assert three.release(OLD, "1", once=True).answers[0].rows() == second
    assert four.release(OLD, "1", once=True).answers[0].rows() == second
    assert len(one.resume().questions) == 2


def test_a_crowd_is_not_waited_for_without_end(curator, monkeypatch):
    strategy = curator.strategy("people", "1", analyst="ann").resume()
    tried = []

    def taken(*arguments):
        tried.append(arguments)
        raise RequestTaken("by somebody else")

    monkeypatch.setattr(strategy, "_released", taken)
    for once in (False, True):
        with pytest.raises(InvalidInput, match="ask again"):
            strategy.release(YOUNG, "1", once=once)
    assert len(tried) == 40


def test_a_dry_run_of_a_question_records_nothing(curator):
    strategy = curator.strategy("people", "1", analyst="ann")
    assert strategy.plan(YOUNG, "1").covered == "next question"
    strategy.ask(YOUNG, "1")
    assert strategy.plan(YOUNG, "1").covered == "asked before"
    assert strategy.with_question(YOUNG, "1") == (1, 1)
    with pytest.raises(OverBudget, match=r"would cost epsilon 1\.5"):
        strategy.plan(ALL, "1/2")
    assert len(strategy.resume().questions) == 1
