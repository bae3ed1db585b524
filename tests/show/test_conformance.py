"""Every class of results, in one suite: it says itself, in words, JSON, HTML, a terminal, charts.

A new class of results must be in `tests.show.gallery`, or the first test fails.
"""

import contextlib
import dataclasses
import io
import json
import re

import pytest

from tests.show.gallery import EXAMPLES, SURVEY, built, classes, example, path_of
from tests.show.reading import read
from twoworlds import mechanism
from twoworlds.answer import Answer, Facts, Listing, Said, Steps, Table, Verbatim
from twoworlds.charts import Chart
from twoworlds.show import Result
from twoworlds.show.html import card
from twoworlds.show.html import chart as drawn
from twoworlds.show.terminal import print_answer

NARROW = 60
LARGEST = 40_000
COLOURS = re.compile(r"(?<![-\w])color:(#\w+)")
HOSTILE = "<script>alert('&')</script>"
# What others are made of, or stands for them; and what tells only an answer that it was given.
ABSTRACT = {
    "definitions.coupled.optimal.OfSimulator",
    "definitions.trade_off.Curve",
    "questions.tables._Shown",
    "show.result.Result",
    "definitions.semantics.posteriors.Played",
    "show.result.Told",
}
KINDS = {
    path_of(kind): kind
    for kind in classes()
    if issubclass(kind, Result) and path_of(kind) not in ABSTRACT
}


@pytest.fixture(scope="module")
def gallery(tmp_path_factory):
    """One result of every class, by its path."""
    folder = tmp_path_factory.mktemp("gallery")
    found = {name: make() for name, make in built(folder).items()}
    with contextlib.chdir(folder):
        for name in KINDS.keys() & EXAMPLES.keys():
            found[name] = example(KINDS[name], EXAMPLES[name])
    return {name: one for name, one in found.items() if isinstance(one, Result)}


def test_every_class_of_results_is_in_the_gallery(gallery):
    assert KINDS.keys() - {path_of(type(one)) for one in gallery.values()} == set()


def each(gallery, check):
    """Apply a check to every result, and name the classes that fail it."""
    failed = {}
    for name, one in gallery.items():
        try:
            check(one)
        except Exception as error:
            failed[name] = repr(error)
    assert failed == {}


def test_every_result_says_a_headline_and_explains_it(gallery):
    def check(one):
        said = one.answer()
        assert len(said.headline.split()) >= 3, said.headline
        assert said.headline.strip() == said.headline
        assert said.headline in one.explain()

    each(gallery, check)


def test_every_result_becomes_json_and_comes_back(gallery):
    def check(one):
        data = one.to_dict()
        assert data, "no fields"
        assert json.loads(json.dumps(data, allow_nan=False)) == data

    each(gallery, check)


def test_no_html_of_a_result_has_a_tag_of_a_hostile_text(gallery):
    def check(one):
        said = hostile(one.answer())
        tags = read(card(said))
        assert "script" not in tags.seen
        assert any(HOSTILE in text for text in tags.texts)

    each(gallery, check)


def hostile(value):
    """An answer with a hostile text at the end of each of its texts."""
    if isinstance(value, str):
        return f"{value}{HOSTILE}"
    if isinstance(value, (Answer, Said, Facts, Table, Listing, Steps, Verbatim)):
        changed = {one.name: hostile(getattr(value, one.name)) for one in dataclasses.fields(value)}
        return dataclasses.replace(value, **changed)
    if isinstance(value, (list, tuple)) and not isinstance(value, Chart):
        return [hostile(one) for one in value]
    return value


def check_card(shown):
    """A card is small, whole, words first, and brings nothing from elsewhere."""
    assert len(shown) < LARGEST
    tags = read(shown)
    assert {"script", "style", "img", "link", "iframe"}.isdisjoint(tags.seen)
    assert {"id", "class", "src", "href"}.isdisjoint(name for name, _ in tags.attributes)
    assert not any(name.startswith("on") for name, _ in tags.attributes)
    assert "url(" not in shown
    first = re.split(r"<table|<svg", shown)[0]
    assert len(re.sub(r"<[^>]+>", " ", first).split()) >= 4, "words come first"
    assert set(COLOURS.findall(shown)) <= {"#fff"}  # of a badge; all else is the notebook's colour


def test_every_card_is_small_whole_and_fit_for_light_and_dark_pages(gallery):
    each(gallery, lambda one: check_card(one._repr_html_()))


@pytest.mark.parametrize("text", [SURVEY, "laplace(scale=1)", "geometric(ratio=2)"])
def test_the_card_of_a_mechanism_is_so_too(text):
    check_card(mechanism(text)._repr_html_())


def test_every_result_fits_a_narrow_terminal(gallery, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(NARROW))
    monkeypatch.setenv("NO_COLOR", "1")

    def check(one):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            print_answer(one.answer())
        printed = out.getvalue()
        assert printed.strip()
        long = [line for line in printed.splitlines() if len(line) > NARROW]
        assert not long, long[:2]

    each(gallery, check)


def test_every_chart_has_words_and_is_drawn(gallery):
    def check(one):
        for block in one.answer().blocks:
            if not isinstance(block, Chart):
                continue
            shown = drawn(block)
            if shown:
                tags = read(shown)
                assert "caption" in tags.seen or [
                    text for key, text in tags.attributes if key == "aria-label" and text.strip()
                ]
                assert "nan" not in shown.split()

    each(gallery, check)


def test_every_result_prints_its_words(gallery):
    def check(result):
        assert str(result) in (result.explain(), getattr(result, "text", lambda: None)())

    each(
        {name: one for name, one in gallery.items() if name != "definitions.profile.Profile"}, check
    )


def test_every_result_is_a_frame(gallery):
    pandas = pytest.importorskip("pandas")

    def check(result):
        said, frame = result.answer(), result.to_frame()
        assert isinstance(frame, pandas.DataFrame)
        assert frame.columns.is_unique
        own = type(result).to_columns is not Result.to_columns
        if not own and not any(isinstance(block, Table) for block in said.blocks):
            assert said.headline in [*frame["text"]]
            assert all(frame["name"])

    each(gallery, check)
