"""Failures 12, 13, 14, 17 and 25: ledgers that forget, borrowed names, repetition, sums, prices."""

from __future__ import annotations

import shutil
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from twoworlds.attacks.selftest.bench import Bench, Failed, expect, values
from twoworlds.errors import InvalidInput, TwoWorldsError

if TYPE_CHECKING:
    from twoworlds.release.curator import NoiseKind

__all__ = ["averaging", "charged_for_nothing", "drift", "forged_identity", "rolled_back_ledger"]

_COUNT = "SELECT COUNT(*) FROM people"
_LEDGER = ("ledger.db", "ledger.db-wal", "ledger.db-shm")


def rolled_back_ledger(bench: Bench) -> str:
    """Delete the ledger, cut it short, put an old copy back."""
    from twoworlds.release import Curator

    policy = bench.policy(bench.sqlite([("a", 1)]), budget="epsilon=1")
    folder = policy.parent
    with Curator.open(policy) as curator:
        curator.release(_COUNT, "1/4")
    _copy(folder, folder / "older")
    with Curator.open(policy) as curator:
        curator.release("SELECT SUM(x) FROM people", "1/4")
    _copy(folder, folder / "newest")
    refused = 0
    for way in ("deleted", "older", "emptied", "cut"):
        _forget(folder, way)
        try:
            Curator.open(policy).close()
        except TwoWorldsError:
            refused += 1
        else:
            raise Failed(f"a ledger that was {way} is opened")
        _restore(folder, folder / "newest")
    with Curator.open(policy) as curator:
        spent = curator.ledger.spent("people").epsilon
    expect(spent == Fraction(1, 2), f"the newest copy says {spent} was spent, not 1/2")
    return f"{refused} ways to make the ledger forget are noticed; the newest copy works again"


def _copy(folder: Path, to: Path) -> None:
    to.mkdir()
    for name in (*_LEDGER, "ledger.db.mark"):
        if (folder / name).exists():
            shutil.copy2(folder / name, to / name)


def _restore(
    folder: Path, kept: Path, names: tuple[str, ...] = (*_LEDGER, "ledger.db.mark")
) -> None:
    for name in names:
        (folder / name).unlink(missing_ok=True)
        if (kept / name).exists():
            shutil.copy2(kept / name, folder / name)


def _forget(folder: Path, way: str) -> None:
    if way == "older":
        _restore(folder, folder / "older", _LEDGER)
        return
    held = (folder / "ledger.db").read_bytes()
    for name in _LEDGER:
        (folder / name).unlink(missing_ok=True)
    if way == "emptied":
        (folder / "ledger.db").touch()
    elif way == "cut":
        (folder / "ledger.db").write_bytes(held[: len(held) // 2])


def forged_identity(bench: Bench) -> str:
    """Ask under other names, and with all names together."""
    from twoworlds.release import OverBudget

    source = bench.sqlite([("a", 1)])
    caps = {"budget": "epsilon=3/2", "analysts": "{ann: epsilon=1, bob: epsilon=1, eve: epsilon=1}"}
    with bench.opened(source, **caps) as curator:
        names = ("mallory", "Ann", "ann ", "ann\n", "", "*", "аnn")  # the last is Cyrillic
        for name in names:
            try:
                curator.release(_COUNT, "1/10", analyst=name)
            except InvalidInput:
                continue
            raise Failed(f"{name!r} was answered")
        answered = 0
        for number in range(30):
            for who in ("ann", "bob", "eve"):
                try:
                    asked = f"SELECT COUNT(*) FROM people WHERE x < {number} AND k = '{who}'"
                    curator.release(asked, "1/10", analyst=who)
                    answered += 1
                except OverBudget:
                    pass
        spent = curator.ledger.spent("people").epsilon
    expect(answered == 15, f"three analysts got {answered} answers of 1/10 from a budget of 3/2")
    expect(spent == Fraction(3, 2), f"{spent} was spent")
    return f"{len(names)} borrowed names are refused; three together get 15 answers of 15, no more"


def averaging(bench: Bench) -> str:
    """Ask the same again and again, in several spellings."""
    spellings = (
        "SELECT COUNT(*) FROM people WHERE x >= 2 AND k = 'a'",
        "select count(*) from people where 2 <= x and k = 'a' -- again",
        'SELECT COUNT(*) FROM "people" WHERE ("x" >= 2.0) AND "k" = \'a\'',
    )
    with bench.opened(bench.sqlite([("a", 3)] * 50)) as curator:
        found = {values(curator.release(text, "1/100"), "count")[0] for text in spellings * 5}
        spent = curator.ledger.spent("people").epsilon
    expect(len(found) == 1, f"15 times the same question has {len(found)} answers")
    expect(spent == Fraction(1, 100), f"15 times the same question cost {spent}")
    return "15 times the same question, in 3 spellings: one answer, paid once"


def drift(bench: Bench) -> str:
    """Fill budgets with parts that floats do not add up."""
    from twoworlds.release import OverBudget

    for cap, cost, times in (("1", "0.1", 10), ("1", "1/3", 3), ("7/10", "0.7", 1)):
        with bench.opened(bench.sqlite([("a", 1)]), budget=f"epsilon={cap}") as curator:
            for number in range(times):
                curator.release(f"SELECT COUNT(*) FROM people WHERE x < {number}", cost)
            try:
                curator.release("SELECT SUM(x) FROM people", "epsilon=1e-30")
            except OverBudget:
                pass
            else:
                raise Failed(f"{times} times {cost} left something of {cap}")
    return "ten times 0.1 fills 1, three times 1/3 too, and not 10^-30 more fits"


_TOP = 2**62 - 1
_ASKED = ("COUNT(*)", "SUM(x)")
_WIDE = f"{{x: {{kind: integer, bounds: [-{_TOP}, {_TOP}]}}}}"


def charged_for_nothing(bench: Bench) -> str:
    """Pay so little that noise is as wide as can be, and see who keeps the money."""
    source = bench.sqlite([(1,)], ("x",), ("INTEGER",))
    answered = refused = 0
    kinds: dict[NoiseKind, str] = {"laplace": "epsilon", "gaussian": "rho"}
    for power, sql, (noise, kind) in product((3, 9, 20, 40, 60), _ASKED, kinds.items()):
        cost = f"{kind}=1e-{power}"
        with bench.opened(source, _WIDE, budget=f"{kind}=1") as curator:
            try:
                curator.release(f"SELECT {sql} FROM people", cost, noise=noise)
                answered += 1
            except TwoWorldsError:
                spent = curator.ledger.spent("people")
                expect(
                    not spent.epsilon and not spent.rho,
                    f"{sql} with {noise} noise for {cost} was charged and is never answered",
                )
                refused += 1
    expect(answered > 0, "nothing is answered at a low price")
    return f"of {answered + refused} low prices {answered} are answered, {refused} refused unpaid"
