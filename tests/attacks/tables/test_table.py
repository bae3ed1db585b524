"""Tables as they are read, and those that come with the package."""

import csv

import pytest

from twoworlds.attacks.tables.table import (
    example_note,
    example_path,
    load,
    opened,
)
from twoworlds.errors import InvalidInput

ROWS = [{"age": "<30", "c": "flu, bad"}, {"age": "", "c": 'say "x"'}, {"age": "≥40", "c": None}]


def read(table):
    with opened() as connection:
        found = load(connection, "it", table, None)
        return [found.row(number) for number in range(1, found.rows + 1)]


def write(path, rows, **options):
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, rows[0], **options)
        out.writeheader()
        out.writerows(rows)
    return path


@pytest.fixture
def expected():
    return [{**row, "age": row["age"] or None} for row in ROWS]


def test_rows_and_text_files_say_the_same(tmp_path, expected):
    assert read(ROWS) == expected
    assert read(write(tmp_path / "t.csv", ROWS)) == expected
    assert read(write(tmp_path / "t[1]*?.csv", ROWS[:1])) == expected[:1]
    assert read(str(write(tmp_path / "u's.csv", ROWS, lineterminator="\n"))) == expected
    assert read(write(tmp_path / "t.tsv", ROWS, delimiter="\t")) == expected


def test_parquet_files_and_frames_say_the_same(tmp_path, expected):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.Table.from_pylist(ROWS)
    parquet.write_table(table, tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet") == expected
    assert read(table) == expected
    assert read(pa.table({"n": [1, None]})) == [{"n": "1"}, {"n": None}]


def test_only_what_is_needed_is_read():
    with opened() as connection:
        found = load(connection, "it", "figure1.csv", ["age", "name"], ["condition"])
        assert list(found.columns) == ["age", "condition"]
        assert found.texts("age") == ["<30", "≥40", "3*"]
        again = load(connection, "it", "figure2.csv", None)
        assert again.place != found.place


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n3\n", "line 3: 1 cells under a header of 2"),
        ("a,b\n1,2,3\n", "line 2: 3 cells under a header of 2"),
        ("", "is empty: its first line names the columns"),
        ("a,b\n", "has no rows"),
        ("a,a\n1,2\n", "has two columns 'a'"),
        (b"\xff\xfe\x00", "UTF-8"),
    ],
)
def test_rejects_text_files_that_are_no_tables(tmp_path, content, message):
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InvalidInput, match=message) as error:
        read(path)
    assert "strict_mode" not in str(error.value)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([], "has no rows"),
        ([{"a": 1}, {"b": 1}], "row 2 of it has other columns than row 1"),
        ([(1, 2)], "row 1 of it is of type tuple"),
        (3, "is of type int: give a path, a list of rows or a data frame"),
    ],
)
def test_rejects_what_is_no_table(table, message):
    with pytest.raises(InvalidInput, match=message):
        read(table)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b,c\n1,2,3\n1,Secret\n", "line 3: 2 cells under a header of 3"),
        ("a,b,c\n1,2,3\n1,Secret,3,4\n", "line 3: 4 cells under a header of 3"),
        ('a,b,c\n1,2,3\n1,"Secret,3\n1,2,3\n', "line 3 cannot be read: is a quote left"),
    ],
)
def test_a_ragged_file_is_refused_by_its_line_without_a_word_of_it(tmp_path, text, said):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InvalidInput, match=said) as refused:
        read(tmp_path / "t.csv")
    assert "Secret" not in str(refused.value)


def test_rejects_other_files(tmp_path):
    (tmp_path / "t.xlsx").write_bytes(b"x")
    (tmp_path / "t.parquet").write_bytes(b"x")
    for path, message in [
        (tmp_path, "is a folder"),
        (tmp_path / "t.xlsx", "give a CSV, TSV or Parquet file"),
        (tmp_path / "t.parquet", "it cannot be read"),
    ]:
        with pytest.raises(InvalidInput, match=message):
            read(path)


@pytest.mark.few(3)
@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv"])
@pytest.mark.parametrize("begins", ["", "\ufeff"])
def test_a_file_is_read_by_the_separator_that_its_header_shows(tmp_path, name, mark, begins):
    path = tmp_path / name
    lines = (["zip", " age", "has"], ["13012", "28", '"a,b;c\td"'])
    path.write_text(begins + "".join(mark.join(line) + "\n" for line in lines), encoding="utf-8")
    with opened() as connection:
        found = load(connection, "it", path, None, ["age"])
        assert found.row(1) == {"zip": "13012", "age": "28", "has": "a,b;c\td"}


@pytest.mark.parametrize("coding", ["latin-1", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("rows", [1, 3000])
def test_another_encoding_is_told(tmp_path, coding, rows):
    path = tmp_path / "t.csv"
    path.write_bytes(("a,b\n" + "1,2\n" * rows + "1,Café\n").encode(coding))
    with pytest.raises(InvalidInput, match=r"is not text in UTF-8: save it as UTF-8"):
        read(path)


# --- bundled examples ---------------------------------------------------------------------------


def rows(name):
    with example_path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_figures_are_those_of_the_lecture():
    first, second = rows("figure1.csv"), rows("figure2.csv")
    assert [*first[0]] == [*second[0]] == ["zip", "age", "nationality", "condition"]
    assert [row["age"] for row in first] == ["<30"] * 4 + ["≥40"] * 4 + ["3*"] * 4
    assert [row["age"] for row in second] == ["<35"] * 6 + ["≥35"] * 6
    assert {(row["zip"], row["nationality"]) for row in first + second} == {("130**", "*")}
    both = [[row["condition"] for row in some[:4]] for some in (first, second)]
    assert both[0] == ["AIDS", "Heart Disease", "Viral Infection", "Viral Infection"]
    assert both[1] == ["AIDS", "Tuberculosis", "Flu", "Tuberculosis"]


def test_a_file_that_is_there_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert example_path("figure1.csv").is_absolute()
    assert "Figure 1" in example_note("figure1.csv")
    (tmp_path / "figure1.csv").write_text("mine")
    assert example_path("figure1.csv").read_text() == "mine"
    assert example_path("figure1.csv", bundled=True).read_text(encoding="utf-8") != "mine"
    assert example_note("figure1.csv") is None
    assert example_note("other.csv") is None


@pytest.mark.parametrize("path", ["none.csv", "folder/figure1.csv", "a\0b"])
def test_rejects_what_is_not_there(path):
    with pytest.raises(InvalidInput, match="the bundled examples are"):
        example_path(path)
