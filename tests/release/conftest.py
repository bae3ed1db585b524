import pytest

from twoworlds.release import Curator
from twoworlds.release.examples import lay_out


@pytest.fixture
def hospital(tmp_path):
    """The folder of the made-up hospital, with nothing spent."""
    folder = tmp_path / "hospital"
    lay_out(folder)
    return folder


@pytest.fixture
def curator(hospital):
    with Curator.open(hospital / "policy.yml") as found:
        yield found
