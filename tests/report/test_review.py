"""Reviews: the numbers are those of the library, the page is one file, and the proof holds."""

import hashlib
import json
import re
from base64 import b64decode, b64encode
from dataclasses import replace
from fractions import Fraction
from html import unescape
from html.parser import HTMLParser

import pytest

import twoworlds as tw
from twoworlds.cones.certificates import verify
from twoworlds.errors import InvalidInput, Undecided, UnknownName
from twoworlds.mechanisms.float_matrix import FloatMatrix
from twoworlds.report.review import is_certificate, review_certificate, review_mechanism

SURVEY = "randomized-response(bits=2, keep=3/4)"
REFUTED = review_mechanism(SURVEY, claim="dp(epsilon=1)", belief="independent(3/4, 1/2)")
VOID = {"meta"}


class Page(HTMLParser):
    """Reads a page; fails on a tag that is not closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.heads = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("h1", "h2", "h3"):
            self.heads.append(data)


def words(html: str) -> str:
    body = html.partition("<body>")[2].partition("<script>")[0]
    return unescape(re.sub(r"<[^>]+>", " ", body))


def test_a_refuted_claim_comes_with_its_witness_and_its_price():
    found = REFUTED
    assert (found.outcome, found.holds) == ("refuted", False)
    told = words(found.html())
    for part in ("11 against 01", "3/4 (0.75) against 1/4 (0.25)", "ln 3 (1.09861)", "26.8"):
        assert part in told
    assert found.data["verdict"] == tw.check(SURVEY, "dp(epsilon=1)").to_dict()
    assert found.data["price"]["ratio"]["exact"] == "3"


def test_what_a_board_needs_comes_first_then_the_decision_then_the_appendix():
    page = Page(REFUTED.html())
    assert page.heads[1:] == [
        "What is asked",
        "What was released before",
        "What it lets anyone learn",
        "What this rests on",
        "What is not promised",
        "Decision",
        "Appendix",
        "The same in odds and beliefs",
        "The worst case",
        "In pictures",
        "One attacker",
        "Other definitions, and against whom they protect",
        "By which theorems",
        "The mechanism itself",
        "The certificate",
    ]
    told = words(REFUTED.html())
    places = [
        told.index(x)
        for x in ("satisfies dp(epsilon=1)?", "does NOT hold", "Of 100 people", "Neighbours by")
    ]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("mechanism", "word", "warned"),
    [
        ("laplace(epsilon=1/2)", "strong", None),
        ("laplace(epsilon=2)", "moderate", None),
        ("laplace(epsilon=6)", "weak", "This is weak"),
        ("laplace(epsilon=20)", "none", "hardly a protection at all"),
        ("identity(bits=1)", "none", "hardly a protection at all"),
        ("random-index(records=2)", "", "no word on a scale says that"),
        ("constant(bits=1)", "strong", None),
    ],
)
def test_a_weak_protection_does_not_look_calm(mechanism, word, warned):
    """A word, a mark on a scale and a warning say it, not a colour alone."""
    review = review_mechanism(mechanism)
    page = review.html()
    assert review.strength == word
    assert f'<section class="verdict {word or "none"}"' in page
    marked = re.findall(r"<li class=\"(\w+)\" aria-current=true>", page)
    assert marked == ([word] if word else [])
    assert ("Warning." in words(page)) == (warned is not None)
    assert warned is None or warned in words(page)


def test_purpose_names_and_date_are_given_or_left_as_lines():
    empty = review_mechanism(SURVEY).html()
    assert empty.count('<dd><span class="line">') == 3
    given = replace(
        review_mechanism(SURVEY),
        purpose="Counts by ward",
        prepared_by="Ann",
        date="2026-03-01",
        title="The survey",
    )
    page = given.html()
    assert "<h1>The survey</h1>" in page
    for text in ("Counts by ward", "Ann", "2026-03-01"):
        assert f"<dd>{text}</dd>" in page
    found = given.to_dict()
    assert (found["purpose"], found["prepared_by"]) == ("Counts by ward", "Ann")
    assert found["guess"] in words(page)


@pytest.mark.parametrize(
    "review",
    [
        REFUTED,
        review_mechanism("gaussian(sigma=1)"),
        review_mechanism("laplace(scale=1)", claim="dp(epsilon=1)"),
        review_mechanism("random-index(records=2)"),
        review_mechanism("geometric(ratio=2)", claim="semantic(epsilon=0.4)"),
        review_mechanism("randomized-response(bits=40, keep=3/4)", claim="dp(ratio=3)"),
        review_mechanism(SURVEY, neighbours="11~10, 10~00"),
        review_mechanism(SURVEY, group=2),
        review_mechanism("identity(bits=1)"),
        review_mechanism("constant(bits=1)"),
    ],
    ids=lambda review: review.headline[:40],
)
def test_the_page_is_one_file_that_fetches_nothing_and_runs_only_the_checker(review):
    html = review.html()
    page = Page(html)
    assert {"link", "img", "iframe", "object", "base"}.isdisjoint(page.tags)
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert len(scripts) == page.tags.count("script") == review.proof.is_certificate
    allowed = [b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts]
    assert re.findall("'sha256-([^']*)'", html) == allowed
    assert ("script-src" in html) == bool(scripts)
    for tag, name, value in page.attributes:
        assert not name.startswith("on")
        if name in ("href", "src"):
            assert (tag, value.partition(",")[0]) == ("a", "data:application/json;base64")
    assert "http" not in review.html().replace("http-equiv", "")
    assert "url(" not in review.html()
    assert page.tags.count("h1") == page.tags.count("main") == 1
    assert ("html", "lang", "en") in page.attributes
    assert page.tags.count("svg") == page.tags.count("figure") + 1  # people, as figures
    json.dumps(review.to_dict(), allow_nan=False)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [
        (SURVEY, "dp(epsilon=1)"),
        (SURVEY, "dp(ratio=3)"),
        (SURVEY, "dp(ratio=2, delta=1/10)"),
        (SURVEY, None),
        ("laplace(scale=1)", "dp(epsilon=0.9)"),
        ("gaussian(sigma=1)", "dp(epsilon=1, delta=1/100)"),
        ("random-index(records=3)", "dp(epsilon=100)"),
        ("random-index(records=3)", None),
        ("identity(bits=2)", None),
        ("constant(bits=2)", "dp(ratio=1)"),
        ("pram([[3/5, 1/5], [2/5, 4/5]], records=2)", None),  # brackets within the name
    ],
)
def test_the_proof_is_a_certificate_that_holds(mechanism, claim):
    proof = review_mechanism(mechanism, claim=claim).proof
    assert proof.check == "twoworlds verify proof.json"
    assert verify(json.loads(proof.text)) is True


def test_the_proof_of_a_price_fails_for_any_smaller_ratio():
    proof = json.loads(review_mechanism(SURVEY).proof.text)
    smaller = json.loads(json.dumps(proof).replace("3, ", "2, ").replace("3]", "2]"))
    assert verify(proof) is True
    assert verify(smaller) is False
    *upper, attained = proof["parts"]
    assert len(upper) == 4
    [row] = attained["inequalities"]
    terms = [Fraction(a) * Fraction(b) for a, b in zip(row, attained["vector"], strict=True)]
    assert sum(terms) == 0
    assert any(terms)


def test_the_digest_is_that_of_the_file_that_the_page_gives():
    [link] = [v for t, n, v in Page(REFUTED.html()).attributes if (t, n) == ("a", "href")]
    content = b64decode(link.partition(",")[2])
    assert content.decode() == REFUTED.proof.text
    assert hashlib.sha256(content).hexdigest() in REFUTED.html()


def test_the_attacker_concludes_what_bayes_says():
    [games] = [g for g in REFUTED.data["attacker"] if g["output"] == "11"]
    # 3/4 * 1/2 * 9/16 against 3/4 * 1/2 * 3/16, 1/4 * 1/2 * 3/16 and 1/4 * 1/2 * 1/16
    weights = [Fraction(27, 128), Fraction(9, 128), Fraction(3, 128), Fraction(1, 128)]
    expected = [str(w / sum(weights)) for w in weights]
    assert [games["game_0"][x]["exact"] for x in ("11", "10", "01", "00")] == expected
    assert "27/40 (0.675)" in words(REFUTED.html())


def test_other_definitions_say_whether_they_hold_and_against_whom():
    found = {one["definition"]: one for one in REFUTED.data["definitions"]}
    assert found["gamma-amplification"]["values"]["gamma"]["exact"] == "9"
    assert found["ddp"]["values"]["ratio"]["exact"] == "2"
    exposed = review_mechanism("random-index(records=2)").data["definitions"]
    failed = {one["definition"] for one in exposed if one["holds"] is False}
    assert {"semantic", "informed", "pointwise", "gamma-amplification"} <= failed
    assert "statistical-difference" not in failed


def test_definitions_that_compare_neighbours_are_asked_about_the_same_ones():
    found = {
        one["definition"]: one for one in review_mechanism(SURVEY, group=2).data["definitions"]
    }
    assert found["pointwise"]["values"]["ratio"]["exact"] == "9"
    assert found["informed"]["values"]["ratio"]["exact"] == "3"


def test_theorems_come_with_citations_and_errata():
    told = words(REFUTED.html())
    assert "Kasiviswanathan & Smith, Theorem 2.2" in told
    assert "erratum: the proof starts from epsilon/2-DP" in told
    assert "printed, false: " in told


def test_what_people_type_is_escaped():
    hostile = "<script>alert(1)</script>"
    found = replace(
        review_mechanism(SURVEY),
        title=hostile,
        purpose=hostile,
        prepared_by=hostile,
        date=hostile,
        reviewers=(hostile, "Ada"),
        command=f"twoworlds {hostile}",
    )
    page = Page(found.html())
    assert page.tags.count("script") == 1  # the checker
    assert found.html().count("&lt;script&gt;") == 7  # twice the title


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"claim": "dp"}, InvalidInput, "no numbers to check"),
        ({"claim": "nothing(1)"}, UnknownName, "unknown definition"),
        ({"belief": "nothing"}, InvalidInput, "belief"),
        ({"neighbours": "cousins"}, UnknownName, "neighbour relation"),
        ({"group": 0}, InvalidInput, "group"),
    ],
)
def test_bad_questions_are_refused(options, error, told):
    with pytest.raises(error, match=told):
        review_mechanism(SURVEY, **options)


def test_an_attacker_needs_records_and_few_outputs():
    with pytest.raises(InvalidInput, match="no fixed list of records"):
        review_mechanism("geometric(ratio=2)", belief="uniform")
    with pytest.raises(InvalidInput, match="more than 64 outputs"):
        review_mechanism("randomized-response(bits=7, keep=3/4)", belief="uniform")


def test_a_claim_too_close_to_its_limit_is_not_reviewed():
    """The enclosure of a float matrix contains the claimed number, so nothing is guessed."""
    rows = [[0.95, 0.05], [0.05, 0.95]]
    floats = FloatMatrix(tw.BitStrings(1), tw.Universe.of("ab"), rows)
    with pytest.raises(Undecided):
        review_mechanism(floats, claim="dp(ratio=1, delta=0.9)")


# --- certificates -------------------------------------------------------------------------------


def saved(path, data) -> str:
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return str(path)


GOOD = {"kind": "violates", "claim": "<i>it</i>", "vector": [3, 1], "inequality": [-1, 2]}


def test_a_certificate_is_checked_and_its_description_is_called_one(tmp_path):
    found = replace(review_certificate(saved(tmp_path / "proof.json", GOOD)), reviewers=("Ada",))
    assert (found.outcome, found.holds) == ("holds", True)
    told = words(found.html())
    assert "<i>it</i> (a description, which is not checked)" in told
    assert "the vector violates the inequality" in told
    assert "Ada" in told


def test_a_broken_certificate_makes_a_page_that_says_so_and_shows_nothing_else(tmp_path):
    found = review_certificate(saved(tmp_path / "proof.json", {**GOOD, "vector": [1, 3]}))
    assert (found.outcome, found.holds) == ("broken", False)
    assert found.sections == ()
    assert 'class="verdict broken"' in found.html()
    assert "does NOT hold" in found.headline


def test_certificates_of_parts_and_of_simulators_and_designs_are_told(tmp_path):
    whole = {"kind": "all", "parts": [GOOD, GOOD]}
    assert "the vector violates" in words(
        review_certificate(saved(tmp_path / "all.json", whole)).html()
    )
    best = tw.design(tw.row_cone("dp(ratio=2)", "integers(0, 2)"), "absolute")
    found = review_certificate(saved(tmp_path / "b.json", best.certificate.to_dict()))
    assert "What was checked" in Page(found.html()).heads
    assert "with these guarantees and the outputs in it has a loss below" in words(found.html())
    free = tw.design(tw.row_cone("dp(ratio=2)", "bits(1)"), "squared", statistic="count")
    found = review_certificate(saved(tmp_path / "c.json", free.certificate.to_dict()))
    assert "whatever numbers it answers, has a squared loss below 2/9" in words(found.html())
    scene = tw.check("randomized-response(bits=1, keep=3/4)", "ddp(belief=uniform, ratio=2)")
    proof = scene.witness.certificate.to_dict() if hasattr(scene.witness, "certificate") else None
    if proof is not None:
        assert review_certificate(saved(tmp_path / "s.json", proof)).holds


def test_a_file_is_a_certificate_a_mechanism_or_neither(tmp_path):
    assert is_certificate(saved(tmp_path / "a.json", GOOD))
    matrix = {"databases": ["0", "1"], "matrix": [[1, 0], [0, 1]]}
    assert not is_certificate(saved(tmp_path / "b.json", matrix))
    assert not is_certificate("geometric(ratio=2)")
    assert not is_certificate(str(tmp_path / "missing.json"))
    with pytest.raises(InvalidInput, match="no certificate"):
        is_certificate(saved(tmp_path / "c.json", {"a": 1}))


def test_a_refuted_review_says_once_what_does_hold():
    review = review_mechanism("randomized-response(bits=2, keep=3/4)", claim="dp(ratio=2)")
    assert review.html().count("What does hold") == 1


def test_a_refuted_claim_says_what_the_protection_is_without_it():
    found = review_mechanism("gaussian(sigma=4)", claim="dp(epsilon=1, delta=1e-6)")
    last = "The claim is wrong; what this mechanism does give is strong protection."
    assert found.sentences[-1] == last


def test_a_bound_on_beliefs_that_may_fail_names_its_theorem_and_its_difference():
    page = review_mechanism("gaussian(sigma=4)", claim="dp(epsilon=1, delta=1e-6)").html()
    assert "It may fail with the probability named, and is about one person at a time" in page
    assert "nothing is known to follow about semantic" in page
    assert "needs the number of records" in page
    assert "It may fail with" not in review_mechanism("laplace(epsilon=1)").html()
