"""Small files, and a randomizer that changes hardly anything, so that files can be compared."""

import csv

import duckdb

from twoworlds.release.local import Randomizer

# Exact, and true to the data but for one report in 10^30: what is written can be compared.
NEARLY = "randomized-response(keep=0.999999999999999999999999999999)"
COIN = Randomizer.of("randomized-response(keep=3/4)", values="yes, no")


def nearly(*values, missing=None):
    return Randomizer.of(NEARLY, values=values, missing=missing)


def written(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding) if isinstance(text, str) else text)
    return path


def lines(path, mark=","):
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        return list(csv.reader(file, delimiter=mark, strict=True))


def stored(path):
    return duckdb.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()


def parquet(path, query):
    duckdb.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


def nothing_but(folder, *names):
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)
