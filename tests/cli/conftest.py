"""Every command runs in an empty folder, on a wide terminal without colours."""

import pytest


@pytest.fixture(autouse=True)
def _wide_plain_and_alone(monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
