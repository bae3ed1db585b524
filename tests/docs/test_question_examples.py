"""The examples that ``--help`` shows do their work, in a folder with the files of the guide."""

import shlex
import shutil

import pytest

from tests.docs.console import run
from tests.docs.pages import DOCS
from twoworlds.questions import QUESTIONS
from twoworlds.release.examples import lay_out

# What serves, what takes a minute, and what needs a file, a fault or a proposal that is not there.
NOT_RUN = {"serve", "selftest", "policy import", "ledger remark", "review"}


def answered(name, examples, folder):
    """Which examples of a question end with a mistake instead of an answer."""
    typed = [[*name.split(), *shlex.split(one)] for one in examples]
    return [words for words in typed if run(words, folder)[0] not in (0, 1)]


@pytest.mark.slow
def test_every_example_is_answered(tmp_path):
    shutil.copytree(DOCS / "examples", tmp_path, dirs_exist_ok=True)
    lay_out(tmp_path / "hospital")
    last = "verify"  # reads what others write
    for name in sorted(QUESTIONS, key=lambda one: one == last):
        if name not in NOT_RUN:
            assert answered(name, QUESTIONS[name].examples, tmp_path) == []


def test_every_question_has_two_examples_whose_options_exist():
    for question in QUESTIONS.values():
        assert len(question.examples) >= 2, question.name
        options = {one.option for one in question.parameters().values()} | {"--json", "-o"}
        for example in question.examples:
            named = {w.partition("=")[0] for w in shlex.split(example) if w.startswith("-")}
            assert named <= options, (question.name, example)
