"""Names that would break a statement put together from text; the same laws in every engine."""

from __future__ import annotations

from fractions import Fraction

from tests.release.backends import oracle
from tests.release.backends.conftest import store
from twoworlds.release.backends import open_backend
from twoworlds.release.plan import plan
from twoworlds.release.policy import Column, Dataset
from twoworlds.release.query import Compare, Query, resolve

NAMES = (
    'x"; DROP TABLE rows; --',
    "it's",
    "back\\slash `tick`",
    "table.column",
    "SELECT",
    " space ",
    "naïve 😀",
    "c1",
    "C0",
)
TWINS = ("income", "INCOME")  # one column where names ignore case
TWO_CASES = ("postgresql", "spark", "spark-without-ansi")
NO_NAMES = {"mariadb": {" space ", "naïve 😀"}}  # names that an engine does not take


def test_odd_names_are_names(engine, request, tmp_path):
    names = [name for name in NAMES if name not in NO_NAMES.get(engine, ())]
    names += TWINS if engine in TWO_CASES else []
    kinds = dict.fromkeys(names, "integer")
    rows = [{name: 10 * i + j for j, name in enumerate(names)} for i in range(3)]
    source = store(engine, kinds, rows, tmp_path, request, "a`b\"c'd;e")
    backend, relation = open_backend(source)
    columns = {name: Column(name, "integer", Fraction(0), Fraction(99)) for name in names}
    query = Query("people").by(names[0], keys=[0, 10, 20, 30])
    for i, name in enumerate(names[1:]):
        query = query.sum(name, name=f"sum {i}", where=Compare(name, ">", Fraction(5)))
    resolved = resolve(query, Dataset("people", None, "add-remove", columns=columns))
    found = plan(resolved, relation, backend)
    assert oracle.plain(found.decode(backend.fetch(found.statement))) == oracle.totals(
        resolved, rows
    )
    backend.close()
