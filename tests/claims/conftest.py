"""Asking the command line in a folder of the test's own."""

import json

import pytest

from tests.cli.calling import call


@pytest.fixture
def ask(capsys, tmp_path, monkeypatch):
    """Return a function that runs a command and returns its exit code and the words it prints."""
    monkeypatch.chdir(tmp_path)

    def asked(*words: object) -> tuple[int, str]:
        code, out, refused = call(capsys, *map(str, words))
        assert code in (0, 1), refused
        return code, " ".join(out.replace("─", " ").split())

    return asked


@pytest.fixture
def ask_json(ask):
    """Return a function that runs a command and returns its answer as data."""
    return lambda *words: json.loads(ask(*words, "--json")[1])
