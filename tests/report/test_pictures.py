"""Pictures as files: which names are taken, what is inside, and that nothing changes by chance."""

import subprocess
import sys
from xml.etree import ElementTree

import pytest

from twoworlds.errors import InvalidInput, Unsupported
from twoworlds.report import save, svg
from twoworlds.theorems import Guarantee

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def figure():
    return Guarantee.parse("dp(ratio=3)").plot()


def test_an_svg_is_xml_with_title_and_words_in_front(figure, tmp_path):
    path = save(figure, tmp_path / "odds.svg")
    root = ElementTree.fromstring(path.read_bytes())
    assert root.tag == f"{SVG}svg"
    assert root.attrib["role"] == "img"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert root[0].text == figure.get_suptitle()
    assert "odds of 1 to 99 become at most 1 to 11" in root[1].text


def test_a_png_is_a_png_whatever_the_case_of_its_suffix(figure, tmp_path):
    path = save(figure, str(tmp_path / "odds.PNG"))
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_a_refused_suffix_names_those_that_are_possible(figure, tmp_path):
    for name in ("odds.pdf", "odds", "odds.svg.gz"):
        with pytest.raises(InvalidInput, match=r"\.svg or \.png"):
            save(figure, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_keeps_the_old_file_and_leaves_nothing_beside_it(
    figure, tmp_path, monkeypatch
):
    old = tmp_path / "odds.svg"
    old.write_text("old", encoding="utf-8")

    def fail(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(InvalidInput, match="cannot be written: No space left"):
        save(figure, old)
    assert [path.name for path in tmp_path.iterdir()] == ["odds.svg"]
    assert old.read_text(encoding="utf-8") == "old"


def in_a_new_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


DRAW = """
from twoworlds.report import svg
from twoworlds.theorems import Guarantee
import sys
drawn = svg(Guarantee.parse('dp(ratio=3)').plot())
"""


def test_the_same_answer_gives_the_same_bytes_in_any_process(figure, tmp_path):
    again = in_a_new_process(f"{DRAW}sys.stdout.write(drawn)")
    assert again == svg(figure) == svg(Guarantee.parse("dp(ratio=3)").plot())
    first, second = (save(figure, tmp_path / f"{name}.png").read_bytes() for name in "ab")
    assert first == second


def test_settings_of_the_user_neither_change_a_picture_nor_are_changed(figure):
    import matplotlib

    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red", "svg.fonttype": "none"}):
        drawn = svg(Guarantee.parse("dp(ratio=3)").plot())
        assert matplotlib.rcParams["font.size"] == 30
        assert matplotlib.rcParams["svg.fonttype"] == "none"
    assert drawn == svg(figure)


def test_titles_and_words_may_hold_any_sign(figure):
    figure.suptitle(r"a < b & \g<1> $x$")
    figure.set_label(r"<svg> & \1 “quoted”")
    root = ElementTree.fromstring(svg(figure))
    assert root[0].text == r"a < b & \g<1> $x$"
    assert root[1].text == r"<svg> & \1 “quoted”"


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(Unsupported, match=r"pip install 'twoworlds\[pictures\]'"):
        Guarantee.parse("dp(ratio=3)").plot()
