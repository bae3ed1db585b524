"""The wheel and the source archive: built, installed into an empty environment, and asked."""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


def run(*command: object, **options) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-d", folder, cwd=ROOT)
    return folder


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_what_is_built_installs_and_answers(built, kind, tmp_path):
    """Dependencies are those at hand: nothing is fetched, and the package comes from the build."""
    [archive] = built.glob(kind)
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    install = (python, "-m", "pip", "install", "-qq", "--no-deps", "--no-build-isolation")
    run(*install, "--no-index", archive)
    where = run(python, "-c", "import twoworlds; print(twoworlds.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(site)
    twoworlds = tmp_path / "env" / "bin" / "twoworlds"
    assert "ln 3" in run(twoworlds, "measure", "geometric(ratio=3)", cwd=tmp_path)
    pages = run(python, "-c", "import twoworlds.web as w; print(w.__path__[0])", cwd=tmp_path)
    assert (Path(pages.strip()) / "static" / "index.html").exists()
