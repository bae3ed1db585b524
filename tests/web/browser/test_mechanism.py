"""The view Mechanism: its numbers are those of the package."""

import re
from fractions import Fraction

import pytest
from playwright.sync_api import expect

from tests.web.browser.window import Window, read_number
from twoworlds import measure, mechanism
from twoworlds.web import mathematics

SURVEY = "randomized-response(bits=2, keep=3/4)"
SOME = [
    SURVEY,
    "truncated-geometric(ratio=2, bits=3)",
    "geometric(ratio=2)",
    "noisy-parity(bits=2, keep=3/4)",
    "random-index(records=3, values=2)",
    "identity(bits=2)",
    "constant(bits=2)",
]


@pytest.mark.parametrize("text", SOME)
def test_price_ratio_and_delta(window: Window, text):
    price = measure(text)
    window.open("mechanism", mechanism=text)
    window.says(price.sentence)
    said = price.to_dict()
    for name in ("epsilon", "ratio", "delta"):
        label = {"epsilon": "Price, epsilon", "ratio": "Ratio, e to the epsilon"}.get(name, "Delta")
        if said[name]["value"] is None:
            expect(window.fact(label)).to_contain_text("infinite")
        else:
            exact, decimal = window.number(label)
            assert exact == said[name]["exact"]
            assert decimal == pytest.approx(said[name]["value"], rel=1e-4)


@pytest.mark.parametrize("text", [SURVEY, "truncated-geometric(ratio=2, bits=3)"])
def test_every_cell_of_the_matrix(window: Window, text):
    made = mechanism(text)
    window.open("mechanism", mechanism=text)
    window.says(measure(text).sentence)
    heads, *rows = window.numbers("Matrix", "P(output | database)")
    assert heads[1:] == [made.universe.label(x) for x in made.universe]
    assert rows == [
        [made.outputs.label(t), *(str(made.probability(t, x)) for x in made.universe)]
        for t in made.outputs
    ]


def test_points_of_the_profile_and_of_the_trade_off(window: Window):
    window.open("mechanism", mechanism=SURVEY)
    window.says(measure(SURVEY).sentence)
    _, *profile = window.numbers("Privacy profile", "Delta for each epsilon")
    assert len(profile) >= 10
    for epsilon, delta in profile:
        wanted = measure(SURVEY, epsilon=Fraction(epsilon)).delta
        assert float(delta) == pytest.approx(float(wanted), abs=2e-4)
    _, *curve = window.numbers("Trade-off of any test", "Misses for each rate of false alarms")
    shown = [[read_number(cell)[1] for cell in row] for row in curve]
    assert shown == [[0, 1], [0.25, 0.25], [1, 0]]


def test_which_definitions_hold_and_which_fail(window: Window):
    window.open("mechanism", mechanism=SURVEY)
    for one in mathematics.mechanism(SURVEY, None)["definitions"]:
        name = window.page.get_by_text(one["definition"], exact=True)
        part = window.page.get_by_role("region", name="Holds" if one["holds"] else "Fails")
        entry = part.get_by_role("listitem").filter(has=name)
        said = one["sentence"].removeprefix("Fails: ")
        expect(entry).to_contain_text(said, ignore_case=True)


def test_the_sliders_change_the_call_the_sentence_and_the_address(window: Window):
    window.open("mechanism", mechanism=SURVEY)
    window.says(measure(SURVEY).sentence)
    for keep in ("0.6", "0.9", "0.5"):
        window.slide("Told truly (keep)", keep)
        text = f"randomized-response(bits=2, keep={keep})"
        expect(window.field("Mechanism")).to_have_value(text)
        window.says(measure(text).sentence)
        exact, _ = window.number("Ratio, e to the epsilon")
        assert exact == str(measure(text).ratio)
    window.slide("People (bits)", 3)
    expect(window.fact("Price, epsilon")).to_have_text("0")
    expect(window.page).to_have_url(re.compile("bits%3D3%2C"))


def test_the_last_question_is_the_one_that_is_answered(window: Window):
    window.open("mechanism", mechanism=SURVEY)
    for percent in range(51, 100, 3):
        window.slide("Told truly (keep)", percent / 100)
    text = "randomized-response(bits=2, keep=0.99)"
    window.says(measure(text).sentence)
    window.settle()
    assert window.number("Ratio, e to the epsilon")[0] == str(measure(text).ratio)
    assert window.fact("Price, epsilon").count() == 1


def test_every_example_of_the_list_works(window: Window):
    window.open("mechanism")
    example = window.field("Example")
    expect(example.get_by_role("option").filter(has_text="adaptive")).to_have_count(1)
    texts = example.evaluate(
        "list => [...list.options].map(option => option.value).filter(Boolean)"
    )
    assert len(texts) > 15
    for text in texts:
        example.select_option(text)
        expect(window.field("Mechanism")).to_have_value(text)
        price = measure(text)
        if price.to_dict()["epsilon"]["value"] is None and price.delta == 0:
            price = measure(text, delta="1e-6")  # the page shows a finite price where there is one
        window.says(price.sentence)
    assert not window.refused


def test_an_infinite_price_comes_with_a_finite_one(window: Window):
    window.open("mechanism", mechanism="gaussian(sigma=4)")
    expect(window.fact("Delta")).to_have_text("1e-6")
    wanted = measure("gaussian(sigma=4)", delta="1e-6").to_dict()["epsilon"]["value"]
    assert window.number("Price, epsilon")[1] == pytest.approx(wanted, rel=1e-4)
    window.slide("Delta that you accept", 12 - 9 + 1)
    expect(window.fact("Delta")).to_have_text("1e-9")
    expect(window.page).to_have_url(re.compile("delta=1e-9"))
    assert window.recipe("Command line").endswith("--delta 1e-9")
    window.slide("Delta that you accept", 0)
    expect(window.fact("Price, epsilon")).to_have_text("infinite: move delta above 0")
    window.slide("Standard deviation (sigma)", 2)
    expect(window.fact("Price, epsilon")).to_have_text("infinite: move delta above 0")


@pytest.mark.parametrize("text", ["laplace(scale=2)", "gaussian(sigma=4, bits=2)"])
def test_two_worlds_with_densities(window: Window, text):
    made = mechanism(text)
    window.open("mechanism", mechanism=text)
    heads, *rows = window.numbers("The two worlds", "Density at each output")
    databases = [made.universe.find(label) for label in heads[1:]]
    for output, *shown in rows:
        right = [float(made.probability(Fraction(output), x)) for x in databases]
        assert [float(one) for one in shown] == pytest.approx(right, rel=1e-3, abs=1e-9)
    expect(window.page.get_by_role("heading", name="Matrix", exact=True)).to_have_count(0)


def test_numbers_beyond_doubles_keep_their_exact_text(window: Window):
    window.open("mechanism", mechanism="laplace(scale=1/1000)")
    expect(window.fact("Ratio, e to the epsilon")).to_have_text("e^1000")
    expect(window.page.get_by_text("(below 1e-300)").first).to_be_visible()
    window.open("mechanism", mechanism="gaussian(sigma=1e-9)")
    undecided = window.page.get_by_role("region", name="Not decided", exact=True)
    expect(undecided.get_by_text("too extreme to be computed: ").first).to_be_visible()


def test_nothing_is_told_apart_where_nothing_is_published(window: Window):
    window.open("mechanism", mechanism="constant(bits=1)")
    expect(window.fact("Price, epsilon")).to_have_text("0")
    expect(window.fact("Told apart best")).to_have_count(0)
