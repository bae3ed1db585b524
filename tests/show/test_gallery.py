"""Every kind of answer on a card: whole, words first, small, and fit for light and dark pages."""

import re

import pytest

from tests.show.gallery import EXAMPLES, SURVEY, answers, built, classes, example, path_of
from tests.show.reading import read
from twoworlds import mechanism
from twoworlds.worlds import Universe

LARGEST = 40_000
# What an answer shows as a part of its own card, and settings.
PARTS = {
    "attacks.audit.events.Event",
    "cones.certificates.Certificate",
    "cones.words.parity.ParityBelief",
    "definitions.coupled._certificate.Proved",
    "definitions.coupled.simulator.Simulator",
    "release.answers.words.Context",
    "release.budget.Cap",
    "release.budget.Composition",
    "release.costs.Cost",
    "release.local.estimates.Estimate",
    "release.local.intervals.Interval",
    "report.review.model.Proof",
    "report.standing.Standing",
}
ABSTRACT = {
    "cards.explained.Explained",
    "definitions.coupled._optimum.OfSimulator",
    "definitions.trade_off.Curve",
    "show.result.Result",
    "show.result.Told",
}
# What says all in a sentence, a list or a proof: a picture would add nothing.
WORDS = {
    "attacks.auxiliary.entropy.Entropy": "a short table",
    "attacks.auxiliary.entropy.LeastDistance": "one number",
    "attacks.auxiliary.entropy.Lengths": "a list of lengths",
    "attacks.auxiliary.entropy.SourceEntropy": "one number",
    "attacks.tables.encoding.Collapse": "everything is read back: there is nothing to compare",
    "attacks.selftest.suite.SelfTest": "yes or no for each attack, in a table",
    "cones.compare.Separation": "a sentence",
    "cones.compare.Strength": "sentences; two or three databases are drawn",
    "cones.inverse.InverseMatrix": "a table",
    "cones.noise.noise_cone.NoiseMembership": "yes or no, and one number",
    "cones.noise.noise_statements.NoiseStatement": "a sentence",
    "cones.noise.noise_statements.Telescoping": "a proof by formulas",
    "cones.per_record.ProductMembership": "yes or no, and one number",
    "cones.words.statements.StatementGroup": "a sentence",
    "definitions.coupled.operations.Composed": "a sentence, and what a theorem allows",
    "release.certificate.Checked": "a list of checks",
    "release.policy.checking.CheckedDataset": "a list of columns",
    "release.policy.examination.Examination": "a list of figures",
    "theorems.implication.Implication": "a proof, step by step",
    "theorems.kasiviswanathan_smith.local.LocalCalibration": "a proof, step by step",
    "theorems.non_implications.NonImplication": "a statement",
    "theorems.statements.Theorem": "a statement",
    "worlds.joint.BeliefClass": "an assumption and a list of names",
}
PICTURES = ('<svg role="img" aria-label="', "<caption ")  # a drawing, or a shaded matrix
COLOURS = re.compile(r"(?<![-\w])color:(#\w+)")


@pytest.fixture(scope="module")
def makers(tmp_path_factory):
    return built(tmp_path_factory.mktemp("gallery"))


def test_every_answer_has_a_card_or_is_part_of_another():
    """What explains itself or becomes JSON is an answer, part of one, a witness or a universe."""
    without = {
        path_of(kind)
        for kind in classes()
        if (hasattr(kind, "explain") or hasattr(kind, "to_dict"))
        and not hasattr(kind, "_repr_html_")
        and not hasattr(kind, "facts")  # a witness or proof, which its verdict shows
        and not issubclass(kind, Universe)
        and not kind.__name__.startswith("_")
    }
    assert without == PARTS


def test_every_card_is_in_the_gallery(makers):
    shown = {name for name in answers() if not name.rpartition(".")[2].startswith("_")}
    assert shown - ABSTRACT == {*EXAMPLES, *(name.partition(" ")[0] for name in makers)}


def test_only_answers_in_the_gallery_do_without_a_picture(makers):
    assert WORDS.keys() <= {*EXAMPLES, *makers}


def check_picture(name: str, shown: str) -> None:
    """A new class of answers draws itself, or stands in the list with its reason."""
    assert any(mark in shown for mark in PICTURES) == (name not in WORDS), name
    assert shown.count("<svg") == shown.count("<title>")


def check(shown: str) -> None:
    assert len(shown) < LARGEST
    tags = read(shown)
    assert {"script", "style", "img", "link", "iframe"}.isdisjoint(tags.seen)
    assert {"id", "class", "src", "href"}.isdisjoint(name for name, _ in tags.attributes)
    assert not any(name.startswith("on") for name, _ in tags.attributes)
    assert "url(" not in shown
    first = re.split(r"<table|<svg", shown)[0]
    assert len(re.sub(r"<[^>]+>", " ", first).split()) >= 4, "words come first"
    assert set(COLOURS.findall(shown)) <= {"#fff"}  # of a badge; all else is the notebook's colour
    assert shown.startswith('<div style="border:1px solid')


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_card_of_an_example(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = example(answers()[name], EXAMPLES[name])._repr_html_()
    check(shown)
    check_picture(name, shown)


def test_the_cards_of_the_others(makers):
    for name, make in makers.items():
        shown = make()._repr_html_()
        check(shown)
        check_picture(name, shown)


@pytest.mark.parametrize(
    "text", [SURVEY, "laplace(scale=1)", "geometric(ratio=2)", "randomized-response(bits=40)"]
)
def test_the_card_of_a_mechanism(text):
    shown = mechanism(text.replace("40)", "40, keep=3/4)"))._repr_html_()
    check(shown)
    assert any(mark in shown for mark in PICTURES) == ("40" not in text)
