"""One running service for all tests that only ask it questions."""

from collections.abc import Iterator

import httpx
import pytest

from tests.web.serving import Running, wait_until_ready


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("service"), "--pace", "0.05")
    try:
        wait_until_ready(running)
        yield running
    finally:
        running.stop()


@pytest.fixture
def anybody(service: Running) -> Iterator[httpx.Client]:
    """Somebody without a token."""
    with service.client() as client:
        yield client


@pytest.fixture
def curator(service: Running) -> Iterator[httpx.Client]:
    """Whoever has the one-time token, which acts as ann."""
    with service.client(service.token) as client:
        yield client
