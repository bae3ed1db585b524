"""Tables of exact numbers, against the enumeration of all events."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twoworlds as tw
from twoworlds.errors import InvalidInput, NotStochastic, TooLarge, Unsupported
from twoworlds.laws.comparison import FiniteComparison
from twoworlds.laws.event import Listed
from twoworlds.mechanisms.base import Dense
from twoworlds.numbers import INFINITY, Real, bounds, exp, ln
from twoworlds.testing.enumeration import largest_excess, largest_ratio, smallest_ratio
from twoworlds.worlds import SUBSTITUTE, BitStrings, Explicit, Integers

RATIOS = st.one_of(
    st.sampled_from([Fraction(1), Fraction(2), Fraction(10**6)]),
    st.fractions(min_value=1, max_value=12, max_denominator=12),
)
DELTAS = st.fractions(min_value=0, max_value=1, max_denominator=20)


def laws(size):
    """Random laws on so many cells, in lowest terms, with zeros."""
    weights = st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any)
    return weights.map(lambda w: tuple(Fraction(k, sum(w)) for k in w))


@st.composite
def pairs_of_laws(draw, most=6):
    size = draw(st.integers(1, most))
    return draw(laws(size)), draw(laws(size))


@st.composite
def matrices(draw, databases=3, most=5):
    """A mechanism on single-record databases, any two of which are neighbours."""
    size = draw(st.integers(1, most))
    columns = [draw(laws(size)) for _ in range(databases)]
    universe, outputs = Explicit(tuple("abcdef"[:databases])), Explicit(tuple(range(size)))
    return Dense(universe, outputs, list(zip(*columns, strict=True)))


def mass(law, cells):
    return sum((law[i] for i in cells), start=Fraction(0))


def peak(p, q):
    """The largest P(E) / Q(E) over all events that P can produce."""
    found = largest_ratio(p, q)
    return INFINITY if found is None else found


def table(p, q):
    return FiniteComparison("x", "y", p, q, Listed.of)


def same_table_in_integers(p, q):
    scale = int(np.lcm.reduce([f.denominator for f in (*p, *q)]))
    return FiniteComparison(
        "x", "y", [int(f * scale) for f in p], [int(f * scale) for f in q], Listed.of, scale
    )


@pytest.mark.parametrize("make", [table, same_table_in_integers])
@given(pair=pairs_of_laws(), ratio=RATIOS)
def test_gap_equals_the_best_event_by_enumeration(make, pair, ratio):
    found = make(*pair).gap(ratio)
    assert found.delta == largest_excess(*pair, ratio)
    cells = found.event.members
    assert mass(pair[0], cells) - ratio * mass(pair[1], cells) == found.delta


@pytest.mark.parametrize("make", [table, same_table_in_integers])
@given(pair=pairs_of_laws())
def test_peak_equals_the_best_event_by_enumeration(make, pair):
    p, q = pair
    found = make(p, q).peak()
    assert found.ratio == peak(p, q)
    assert found.attained
    top, bottom = mass(p, found.event.members), mass(q, found.event.members)
    assert top > 0
    assert top / bottom == found.ratio if bottom else found.ratio == INFINITY


@pytest.mark.parametrize("make", [table, same_table_in_integers])
@given(pair=pairs_of_laws(), delta=DELTAS)
def test_ratio_for_is_the_smallest_that_every_event_obeys(make, pair, delta):
    wanted = smallest_ratio(*pair, delta)
    assert make(*pair).ratio_for(delta) == (INFINITY if wanted is None else wanted)


@pytest.mark.parametrize("make", [table, same_table_in_integers])
@given(pair=pairs_of_laws(), ratio=RATIOS)
def test_the_gap_is_the_maximum_of_the_lines(make, pair, ratio):
    lines = make(*pair).lines()
    assert max([Fraction(0), *(p - ratio * q for p, q in lines)]) == largest_excess(*pair, ratio)


@given(pairs_of_laws(), st.fractions(min_value=0, max_value=2, max_denominator=9))
def test_an_irrational_ratio_chooses_the_same_events(pair, epsilon):
    p, q = pair
    ratio = exp(epsilon)
    found = table(p, q).gap(ratio)
    low, high = bounds(ratio)
    least, most = bounds(found.delta)
    assert largest_excess(p, q, high) <= most
    assert largest_excess(p, q, low) >= least
    assert most - least <= Fraction(1, 10**15)
    cells = found.event.members
    assert all(i in cells or p[i] <= high * q[i] for i in range(len(p)))
    assert all(p[i] > low * q[i] for i in cells)


@given(matrices(), RATIOS)
def test_a_family_takes_the_worst_ordered_pair(mechanism, ratio):
    columns = dict(zip(mechanism.universe, zip(*mechanism.rows, strict=True), strict=True))
    family = mechanism.family(SUBSTITUTE)
    ordered = list(permutations(mechanism.universe, 2))
    comparison, found = family.gap(ratio)
    assert found.delta == max(largest_excess(columns[x], columns[y], ratio) for x, y in ordered)
    x, y = comparison.x, comparison.y
    witnessed = mechanism.mass(found.event, x) - ratio * mechanism.mass(found.event, y)
    assert witnessed == found.delta
    comparison, top = family.peak()
    assert top.ratio == max(peak(columns[x], columns[y]) for x, y in ordered)
    above, below = (mechanism.mass(top.event, z) for z in (comparison.x, comparison.y))
    assert above == top.ratio * below if below else above > 0 and top.ratio == INFINITY


@given(matrices())
def test_rows_columns_and_entries_agree(mechanism):
    for i, o in enumerate(mechanism.outputs):
        assert list(mechanism.row(o).values()) == list(mechanism.rows[i])
    for j, x in enumerate(mechanism.universe):
        law = mechanism.distribution(x)
        assert len(law) == mechanism.outputs.size
        assert dict(law) == {o: mechanism.rows[i][j] for i, o in enumerate(mechanism.outputs)}
        assert sum(law.values()) == 1
        assert law.mass(Listed.of(mechanism.outputs)) == 1


def test_irrational_entries_are_compared_as_they_are():
    keep = exp(Fraction(1)) / (1 + exp(Fraction(1)))
    rows = [[keep, 1 - keep], [1 - keep, keep]]
    mechanism = Dense(BitStrings(1), BitStrings(1), rows)
    ratio = mechanism.family(SUBSTITUTE).peak()[1].ratio
    low, high = bounds(ratio - exp(Fraction(1)))
    assert low <= 0 <= high
    assert high - low < Fraction(1, 10**30)
    _, found = mechanism.family(SUBSTITUTE).gap(Fraction(1))
    low, high = bounds(found.delta)  # tanh(1/2)
    assert abs(low - Fraction("0.462117157260009758502")) < Fraction(1, 10**20)
    assert isinstance(found.delta, Real)


def test_entries_with_long_denominators_are_exact():
    tiny = Fraction(1, 3**3000)
    rows = [[tiny, 2 * tiny], [1 - tiny, 1 - 2 * tiny]]
    mechanism = Dense(BitStrings(1), BitStrings(1), rows)
    assert mechanism.family(SUBSTITUTE).peak()[1].ratio == 2
    assert mechanism.family(SUBSTITUTE).gap(Fraction(1))[1].delta == tiny


BITS = BitStrings(1)


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([["1/2", "1/2"], ["1/2", "1/3"]], NotStochastic, r"column 0 sums to 5/6.*1/6.*too little"),
        ([["1/2", "1/2"], ["3/4", "1/2"]], NotStochastic, r"column 1 sums to 5/4.*1/4.*too much"),
        ([["-1/2", "1/2"], ["3/2", "1/2"]], NotStochastic, r"P\(1 \| 1\) = -1/2.*negative"),
        ([[float("nan"), 0], [0, 1]], InvalidInput, r"P\(1 \| 1\)='nan' is not a number"),
        ([["x", 0], [0, 1]], InvalidInput, r"P\(1 \| 1\)='x' is not a number"),
        ([[True, 0], [0, 1]], InvalidInput, "truth value"),
        ([[None, 0], [0, 1]], InvalidInput, "expected a number"),
        ([["1", "1"]], InvalidInput, "1 rows for 2 outputs"),
        ([["1", "1"], ["0"]], InvalidInput, "row 0 has 1 entries for 2 databases"),
        ([[], []], InvalidInput, "row 1 has 0 entries"),
        ([], InvalidInput, "0 rows"),
    ],
)
def test_an_ill_formed_matrix_is_refused_with_its_place(rows, error, message):
    with pytest.raises(error, match=message):
        Dense(BITS, BITS, rows)


def test_a_column_that_misses_1_by_a_hair_is_refused():
    third = Fraction(1, 3)
    with pytest.raises(NotStochastic, match="too little"):
        Dense(BITS, BITS, [[third, third], [2 * third, 2 * third - Fraction(1, 10**40)]])
    with pytest.raises(NotStochastic, match="too much"):
        Dense(BITS, BITS, [[ln(Fraction(2)), 0], [Fraction(307, 1000), 1]])


@given(matrices())
def test_a_function_that_returns_its_law_is_tabulated(mechanism):
    function = {x: dict(mechanism.distribution(x)) for x in mechanism.universe}.__getitem__
    again = Dense.from_function(mechanism.universe, function)
    assert again.rows == mechanism.rows
    sparse = Dense.from_function(
        mechanism.universe, lambda x: {o: p for o, p in function(x).items() if p}
    )
    for x in mechanism.universe:
        for o in sparse.outputs:
            assert sparse.probability(o, x) == mechanism.probability(o, x)


def test_a_function_that_returns_something_else_is_refused():
    with pytest.raises(InvalidInput, match="returned list for 1"):
        Dense.from_function(BITS, lambda _x: [1])
    with pytest.raises(NotStochastic, match="column 1 sums to 1/2"):
        Dense.from_function(BITS, lambda _x: {"a": "1/2"})


def test_a_universe_of_one_database_has_nothing_to_compare():
    alone = Dense(Explicit(("a",)), BITS, [["1/2"], ["1/2"]])
    with pytest.raises(Unsupported, match="no two neighbouring"):
        alone.family(SUBSTITUTE)


def test_a_table_beyond_memory_is_refused():
    with pytest.raises(TooLarge, match="infinite"):
        Dense.from_function(Integers(), lambda _x: {"a": 1})
    with pytest.raises(TooLarge, match="structure"):
        Dense.from_function(BitStrings(30), lambda _x: {"a": 1})


ROWS = [["3/4", "1/4"], ["1/4", "3/4"]]
FLOATS = np.array([[0.75, 0.25], [0.25, 0.75]])


def frame(rows):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(rows, columns=["1", "0"], index=["yes", "no"])


@pytest.mark.parametrize("matrix", [ROWS, np.array(ROWS), np.array(ROWS, dtype=object)])
def test_numbers_that_are_no_floats_are_exact(matrix):
    found = tw.measure(tw.mechanism(matrix))
    assert found.ratio == 3
    assert found.exact


def test_floats_of_numpy_are_enclosed():
    found = tw.measure(tw.mechanism(FLOATS)).ratio
    assert 3 - 1e-6 <= float(found) <= 3 + 1e-6


def test_a_frame_names_databases_and_outputs():
    built = tw.mechanism(frame(ROWS))
    assert built.universe == tw.BitStrings(1)
    assert built.probability("yes", (1,)) == Fraction(3, 4)
    assert built.probability("no", (1,)) == Fraction(1, 4)
    swapped = tw.mechanism(frame(ROWS)[["0", "1"]])
    assert swapped.probability("yes", (1,)) == Fraction(3, 4)
    assert float(tw.measure(frame(FLOATS)).ratio) == pytest.approx(3)


def test_columns_without_names_are_all_neighbours():
    three = [["1/2", "1/4", "1/8"], ["1/2", "3/4", "7/8"]]
    assert tw.measure(three).ratio == 4
    assert tw.measure(tw.mechanism(three, universe="integers(0, 2)")).ratio == 2


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        ([], "a row for each output"),
        ([[]], "a row for each output"),
        (np.array([1.0, 0.0]), "a row for each output"),
        ([["1/2", "1/2"], ["1/4", "1/2"]], "column 0 sums to 3/4"),
        ([["1/2", "1/2"], ["1/2"]], "1 entries for 2 databases"),
        (np.array([[0.5, 0.5], [0.25, 0.5]]), "sum"),
        (np.array([[float("nan"), 0.5], [0.25, 0.5]]), "nan|finite"),
    ],
)
def test_a_matrix_that_is_no_mechanism_is_refused(matrix, said):
    with pytest.raises(tw.InvalidInput, match=said):
        tw.mechanism(matrix)


@pytest.mark.parametrize("matrix", [ROWS, np.array(ROWS), FLOATS, [[0.75, 0.25], [0.25, 0.75]]])
def test_pram_takes_the_same_matrices(matrix):
    assert tw.pram(matrix, records=2).probability((0, 1), (1, 1)) == Fraction(3, 16)


def test_a_frame_is_a_pram():
    assert tw.pram(frame(ROWS)).expression == "pram([[3/4, 1/4], [1/4, 3/4]], records=1)"


def test_questions_take_objects_as_well_as_texts():
    laplace = tw.laplace(epsilon=1)
    assert str(tw.explain(laplace)) == str(tw.explain("laplace(epsilon=1)"))
    assert str(tw.explain(tw.Guarantee.parse("dp(epsilon=1)"))) == str(tw.explain("dp(epsilon=1)"))
    assert tw.ask("measure", laplace).to_dict() == tw.measure(laplace).to_dict()
    survey = tw.randomized_response(bits=2, keep="3/4")
    belief = tw.belief("uniform", survey.universe)
    by_text = tw.posterior(survey.expression, "uniform", "11")
    assert str(tw.posterior(survey, belief, (1, 1))) == str(by_text)
    assert tw.calibrate("gaussian", epsilon=1, delta=1e-6).to_dict() == (
        tw.ask("calibrate", "gaussian", epsilon="1", delta="1e-6").to_dict()
    )


def test_anonymity_takes_a_data_frame():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"zip": ["130**"] * 3, "condition": ["flu", "flu", "asthma"]})
    found = tw.ask("anonymity", table, quasi="zip", sensitive="condition").to_dict()
    assert found["k"] == 3


def test_a_plot_is_shown_as_svg_in_a_notebook():
    pytest.importorskip("matplotlib")
    drawn = tw.measure("laplace(epsilon=1)").plot()
    assert drawn._repr_svg_().count("<svg ") == 1


def test_a_result_is_saved_by_its_suffix(tmp_path):
    path = tw.measure("laplace(epsilon=1)").save(tmp_path / "m.json")
    assert path.read_text().startswith("{")
    with pytest.raises(tw.InvalidInput, match="is there already"):
        tw.measure("laplace(epsilon=1)").save(path)
