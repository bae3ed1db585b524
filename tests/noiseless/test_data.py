from __future__ import annotations

import json
from fractions import Fraction

import pytest

from twoworlds.errors import InvalidInput, UnknownName
from twoworlds.noiseless import read_column, release_total, total

duckdb = pytest.importorskip("duckdb")


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text('name,"score, last",blood\nAda,1,0.1\nBob,-1,0.2\nEve,0,0.3\nUma,1,\n')
    return path


@pytest.fixture
def parquet(tmp_path):
    path = tmp_path / "people.parquet"
    duckdb.sql(
        "SELECT * FROM (VALUES (1, 0.5::DOUBLE, 1.10::DECIMAL(9,2)), (2, 'nan'::DOUBLE, 2.20),"
        " (3, NULL, 3.30)) AS t(whole, rough, fixed)"
    ).write_parquet(str(path))
    return path


def test_cells_of_csv_are_text_in_order(csv):
    assert read_column(csv, "score, last") == ["1", "-1", "0", "1"]
    assert read_column(str(csv), "name") == ["Ada", "Bob", "Eve", "Uma"]


def test_cells_of_parquet_keep_their_type(parquet):
    assert read_column(parquet, "whole") == [1, 2, 3]
    assert [Fraction(x) for x in read_column(parquet, "fixed")] == [
        Fraction(11, 10),
        Fraction(22, 10),
        Fraction(33, 10),
    ]


def test_missing_cells_are_refused_unless_declared(csv, parquet):
    with pytest.raises(InvalidInput, match="1 row with an empty, NULL or NaN cell"):
        read_column(csv, "blood")
    assert read_column(csv, "blood", missing="skip") == ["0.1", "0.2", "0.3"]
    with pytest.raises(InvalidInput, match="2 rows"):
        read_column(parquet, "rough")
    assert read_column(parquet, "rough", missing="skip") == [0.5]
    with pytest.raises(UnknownName, match="refuse"):
        read_column(csv, "blood", missing="zero")


def test_the_total_is_exact_and_judged(csv):
    found = release_total(csv, "score, last", "-1,0,1", epsilon=1, delta="1/2")
    assert found.value == 1
    assert found.rows == 4
    assert found.verdict.delta.formula == total("-1,0,1", people=4, epsilon=1).delta.formula
    assert found.verdict.holds is True


def test_a_total_whose_claim_fails_is_withheld(csv):
    found = release_total(csv, "score, last", "-1,0,1", epsilon="0.1", delta="1/100")
    assert found.verdict.holds is False
    assert found.value is None
    assert "The total of 4 rows is withheld: the claim does not hold." in str(found)
    assert found.to_dict()["total"] is None


def test_the_belief_is_printed_before_anything_else(csv):
    found = release_total(csv, "score, last", "-1,0,1", known=1, epsilon=1)
    assert str(found).startswith("This rests on a belief: nobody knows more than 1 of the 4")
    assert "The total of 4 rows: 1." in str(found)
    written = json.loads(json.dumps(found.to_dict()))
    assert next(iter(written)) == "rests_on"
    assert written["total"] == {"exact": "1", "value": 1.0}
    assert written["rows"] == 4


def test_values_that_the_law_does_not_allow_are_counted_and_not_named(csv):
    with pytest.raises(InvalidInput, match="3 rows with a value that the law") as error:
        release_total(csv, "score, last", "0, 7", epsilon=1)
    assert "-1" not in str(error.value)


def test_files_and_columns_that_are_not_there(csv, tmp_path):
    with pytest.raises(InvalidInput, match="no such file"):
        read_column(tmp_path / "none.csv", "a")
    with pytest.raises(InvalidInput, match="no such file"):
        read_column("https://example.org/a.csv", "a")
    with pytest.raises(InvalidInput, match="no column 'nam': it has 3 columns"):
        read_column(csv, "nam")
    other = tmp_path / "a.txt"
    other.write_text("a\n1\n")
    with pytest.raises(InvalidInput, match=r"one of \.csv"):
        read_column(other, "a")
    many = tmp_path / "a[1].csv"
    many.write_text("a\n1\n")
    with pytest.raises(InvalidInput, match="names many files"):
        read_column(many, "a")


def test_a_column_of_parquet_is_never_read_as_a_query(parquet):
    with pytest.raises(InvalidInput, match="no column"):
        read_column(parquet, 'whole" FROM x; --')


# --- names of columns are data if the header is missing -------------------------------------------


def test_the_first_record_of_a_file_without_header_is_not_printed(tmp_path, parquet):
    path = tmp_path / "bare.csv"
    path.write_text("Ada,37,positive\nBob,41,negative\n")
    for column in ("Adb", "result"):
        with pytest.raises(InvalidInput, match="it has 3 columns") as error:
            read_column(path, column)
        for secret in ("Ada", "37", "positive", "Bob"):
            assert secret not in str(error.value).replace(str(path), "")
    with pytest.raises(InvalidInput, match="no column 'whol': it has 3 columns") as error:
        read_column(parquet, "whol")
    assert "whole" not in str(error.value)
    assert "rough" not in str(error.value)


@pytest.mark.parametrize("header", ["x,x", "x,y,x", '"x",x'])
def test_columns_of_the_same_name_are_refused(tmp_path, header):
    path = tmp_path / "twice.csv"
    path.write_text(header + "\n" + ",".join("1" for _ in header.split(",")) + "\n")
    with pytest.raises(InvalidInput, match="has 2 columns called 'x'"):
        read_column(path, "x")


def test_a_column_of_parquet_is_found_beside_nested_ones(tmp_path):
    path = tmp_path / "nested.parquet"
    duckdb.sql(
        "SELECT [1, 2] AS listed, {'inner': 1} AS structure, MAP {'k': 1} AS mapped, 7 AS plain"
    ).write_parquet(str(path))
    assert read_column(path, "plain") == [7]
    for name in ("listed", "structure", "mapped"):
        with pytest.raises(InvalidInput, match="lists, maps or structures"):
            read_column(path, name)
        with pytest.raises(InvalidInput, match="lists, maps or structures"):
            release_total(path, name, "0,1", ratio=2)
    with pytest.raises(InvalidInput, match="no column 'inner': it has 4 columns"):
        read_column(path, "inner")


# --- text is read as it stands --------------------------------------------------------------------


def test_lines_that_begin_with_a_number_sign_are_rows(tmp_path):
    path = tmp_path / "signs.csv"
    path.write_text("a,b\n#1,2\n3,4\n# 5,6\n")
    assert read_column(path, "a") == ["#1", "3", "# 5"]
    assert read_column(path, "b") == ["2", "4", "6"]
    path.write_text("#a,b\n1,2\n")
    assert read_column(path, "#a") == ["1"]


def test_rows_of_another_width_are_counted_and_refused(tmp_path):
    path = tmp_path / "ragged.csv"
    path.write_text("a,b\n1,2\n3\n4,5,Ada\n6,7\n")
    with pytest.raises(InvalidInput, match="2 rows have more or fewer cells than the 2 col") as e:
        read_column(path, "a")
    assert "Ada" not in str(e.value)
    path.write_text("a,b\n1,2\n3\n")
    with pytest.raises(InvalidInput, match="1 row has more or fewer"):
        read_column(path, "a")


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_usual_separators_are_understood(tmp_path, mark):
    path = tmp_path / "marks.csv"
    path.write_text(f"a{mark}b\r\n1{mark}2\r\n3{mark}4\r\n")
    assert read_column(path, "a") == ["1", "3"]
    assert read_column(path, "b") == ["2", "4"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "has no column 'a': it has 0 columns"),
        (b'a,b\n1,"Ada\n', "a quote is not closed"),
        (b'a,b\n1,"A"da\n', "text follows one"),
        (b"a,b\n1,\xff\xfe\n", "not text in UTF-8"),
    ],
)
def test_broken_text_is_refused_without_its_content(tmp_path, content, said):
    path = tmp_path / "broken.csv"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=said) as error:
        read_column(path, "a")
    assert "Ada" not in str(error.value)
