"""The view Attacker: what it computes in the browser is what the package computes."""

import re
from fractions import Fraction

import pytest
from playwright.sync_api import expect

from tests.web.browser.window import Window, mistake, read_number
from twoworlds import measure, mechanism
from twoworlds.definitions.semantics.games import play
from twoworlds.worlds.belief import secret
from twoworlds.worlds.beliefs import belief

SURVEY = "randomized-response(bits=2, keep=3/4)"
NAMES = {"prior": "Before", "with": "With your data", "without": "Without your data"}


def wanted(text, held, output, person, claim):
    """The chance of the claim before, with the data of a person, and without; how far apart."""
    made = mechanism(text)
    prior = belief(held, made.universe)
    game = play(made, prior, output)
    about = secret(claim, made.universe)
    point = made.outputs.find(output)
    chances = game.chances(about)
    names = {"prior": "prior", "with": "game 0", "without": f"game {person + 1}"}
    likely = sum(prior[x] * made.probability(point, x) for x in prior)
    return {name: chances[own] for name, own in names.items()}, game.differences[person], likely


def same(window, label, right):
    if right is None:
        expect(window.fact(label)).to_have_text("cannot occur")
    else:
        exact, decimal = window.number(label)
        assert Fraction(exact) == right
        assert decimal == pytest.approx(float(right), abs=6e-4)


@pytest.mark.parametrize(
    ("text", "outputs"),
    [
        (SURVEY, ["11", "10", "01", "00"]),
        ("truncated-geometric(ratio=2, bits=3)", ["0", "1", "3"]),
        ("random-index(records=3, values=2)", None),
    ],
)
def test_posteriors_for_many_priors_and_outputs(window: Window, text, outputs):
    made = mechanism(text)
    people = len(made.universe.label(next(iter(made.universe))))
    for output in outputs or [made.outputs.label(o) for o in made.outputs]:
        window.open("attacker", mechanism=text, value="1", output=output)
        expect(window.button(output)).to_have_attribute("aria-pressed", "true")
        for you, others in [("0.5", "0.5"), ("0.01", "0.5"), ("0.3", "0.9"), ("0.995", "0.2")]:
            window.slide("Belief that your record is 1", you)
            window.slide("Belief that each other record is 1", others)
            laws = [you] + [others] * (people - 1)
            if not made.universe.expression.startswith("bits"):
                laws = [f"[1={p}, 0={1 - Fraction(p)}]" for p in laws]
            held = f"independent({', '.join(laws)})"
            chances, apart, likely = wanted(text, held, output, 0, "1=1")
            for name, label in NAMES.items():
                same(window, label, chances[name])
            if apart is not None:
                same(window, "All conclusions differ by at most", apart)
            same(window, "This output comes up with probability", likely)


def test_every_row_of_the_table_of_outputs(window: Window):
    window.open("attacker", mechanism=SURVEY, value="1", person=2)
    window.slide("Belief that your record is 1", "0.2")
    window.slide("Belief that each other record is 1", "0.7")
    rows = window.page.get_by_role("row")
    for output in ("11", "10", "01", "00"):
        chances, _, likely = wanted(SURVEY, "independent(0.7, 0.2)", output, 1, "2=1")
        cells = rows.filter(has=window.button(output)).get_by_role("cell").all_inner_texts()
        shown = [read_number(cell)[1] for cell in cells if cell.strip()]
        right = [float(number) for number in (likely, chances["without"], chances["with"])]
        assert shown == pytest.approx(right, abs=6e-4)


def test_a_belief_in_two_databases(window: Window):
    window.open("attacker", mechanism=SURVEY, mode="two", a="10", b="00", output="10")
    for percent in (5, 36.5, 50, 99):
        window.slide("Belief that 10 is true, not 00", percent / 100)
        held = f"explicit(10={percent / 100}, 00={round(1 - percent / 100, 6)})"
        chances, _, _ = wanted(SURVEY, held, "10", 0, "10")
        for name, label in NAMES.items():
            same(window, label, chances[name])


def test_the_worst_belief_is_the_package_s(window: Window):
    worst = measure(SURVEY, definition="semantic")
    window.open("attacker", mechanism=SURVEY)
    window.button("Show the worst belief").click()
    expect(window.page.get_by_text(worst.sentence).first).to_be_visible()
    apart = read_number(window.fact("All conclusions differ by at most").inner_text())[1]
    assert apart == pytest.approx(float(worst.epsilon), abs=6e-4)
    witness = worst.to_dict()["witness"]
    label = f"Belief that {' is true, not '.join(witness['belief'])}"
    first = next(iter(witness["belief"].values()))["value"]
    assert float(window.field(label).input_value()) == pytest.approx(first, abs=0.005)
    expect(window.button(witness["output"])).to_have_attribute("aria-pressed", "true")


def test_dragging_changes_the_sentence_without_any_request(window: Window):
    window.open("attacker", mechanism=SURVEY, value="1", output="11")
    expect(window.button("Show the worst belief")).to_be_visible()
    window.settle()
    window.asked.clear()
    heard = set()
    for percent in range(5, 100, 5):
        window.slide("Belief that your record is 1", percent / 100)
        odds = Fraction(percent, 100 - percent)
        tenths = int(3 * odds / (3 * odds + 1) * 1000 + Fraction(1, 2))
        window.says(f"({tenths / 10:g}%) with your data")
        heard.add(window.page.get_by_role("status").filter(has_text="with your data").inner_text())
    assert len(heard) == 19
    assert not window.asked


def test_what_cannot_occur_is_said_to(window: Window):
    window.open("attacker", mechanism="identity(bits=2)", value="1", you=1, others=1, output="00")
    window.says("Output 00 cannot occur under this belief.")
    expect(window.fact("With your data")).to_have_text("cannot occur")


def test_a_mechanism_without_people_compares_two_databases(window: Window):
    window.open("attacker", mechanism="geometric(ratio=2)", a="0", b="1", output="0")
    window.slide("Belief that 0 is true, not 1", "0.5")
    exact, _ = window.number("After it")
    assert Fraction(exact) == Fraction(2, 3)


@pytest.mark.parametrize("text", ["laplace(scale=2, bits=3)", "gaussian(sigma=4, bits=3)"])
def test_a_published_real_number(window: Window, text):
    made = mechanism(text)
    window.open("attacker", mechanism=text, value="1", output="3", others="0.2")
    expect(window.figure("What may be published")).to_be_visible()
    for you in ("0.5", "0.1"):
        window.slide("Belief that your record is 1", you)
        game = play(made, belief(f"independent({you}, 0.2, 0.2)", made.universe), "3")
        chances = game.chances(secret("1=1", made.universe))
        for name, own in (("With your data", "game 0"), ("Without your data", "game 1")):
            shown = read_number(window.fact(name).inner_text())[1]
            assert shown == pytest.approx(float(chances[own]), abs=6e-4)
    window.slide("Published number", 0)
    window.says(f"After output {window.field('Published number').get_attribute('aria-valuetext')}")


def test_two_true_answers_with_a_density(window: Window):
    window.open("attacker", mechanism="laplace(scale=2)", output="3")
    window.says("After output 3 they are 1.649 to 1 (62.2%)")
    expect(window.page.get_by_role("region", name="Command line")).to_contain_text(
        "laplace(scale=2, bits=1)"
    )


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("compose(randomized-response(bits=2, keep=3/4), times=4)", "(10; 10; 11; 00)"),
        ("compose(geometric(ratio=2, bits=2), randomized-response(bits=2, keep=3/4))", "(3; 01)"),
    ],
)
def test_several_outputs_together_are_named(window: Window, text, output):
    window.open("attacker", mechanism=text, value="1", you="0.3", others="0.8")
    expect(window.page.get_by_role("heading", name="For some outputs", exact=True)).to_be_visible()
    window.write("What was published", output)
    window.says(f"After output {output}")
    chances, apart, likely = wanted(text, "independent(0.3, 0.8)", output, 0, "1=1")
    for name, label in NAMES.items():
        same(window, label, chances[name])
    same(window, "All conclusions differ by at most", apart)
    same(window, "This output comes up with probability", likely)
    recipe = window.page.get_by_role("region", name="Command line")
    expect(recipe).to_contain_text("twoworlds posterior")
    expect(recipe).to_contain_text(output)


def test_densities_of_several_outputs_have_no_probability(window: Window):
    text = "compose(laplace(scale=2, bits=3), times=2)"
    window.open("attacker", mechanism=text, value="1", output="(2.5; 3)")
    window.says("After output (5/2; 3)")
    made = mechanism(text)
    game = play(made, belief("independent(1/2)", made.universe), "(5/2; 3)")
    right = float(game.chances(secret("1=1", made.universe))["game 0"])
    assert window.number("With your data")[1] == pytest.approx(right, abs=6e-4)
    assert {row[1] for row in window.rows("For some outputs")} == {""}
    window.button("Show the worst belief").click()
    expect(window.page.get_by_text("Of the outputs shown,")).to_be_visible()


def test_an_output_that_cannot_be_read_is_refused_beside_its_field(window: Window):
    window.open("attacker", mechanism="compose(laplace(scale=2, bits=3), times=2)")
    window.write("What was published", "(1; 2; 3)")
    assert "write the 2 outputs" in mistake(window.field("What was published"))
    text = "batch(count(1), parity, noise=laplace(scale=2), universe=bits(2))"
    window.open("attacker", mechanism=text)
    assert "name the one that was published" in mistake(window.field("What was published"))
    window.write("What was published", "(1; 0)")
    window.says("After output (1; 0)")


def test_certain_is_only_what_is_exactly_so(window: Window):
    nearly = f"0.{'9' * 20}"
    window.open(
        "attacker", mechanism=f"randomized-response(bits=1, keep={nearly})", output=1, you="0.5"
    )
    window.says("1e20 to 1 (just below 100%)")
    expect(window.fact("With your data")).to_have_text(re.compile("just below 100%"))
    assert [row[-1] for row in window.rows("For every output")[1:]] == [
        "just below 100%",
        "just above 0%",
    ]
    window.open("attacker", mechanism="identity(bits=1)", output=1, you="0.5")
    window.says("it is certain")
    expect(window.fact("With your data")).to_have_text("100%")
