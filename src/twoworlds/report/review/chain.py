"""By which theorems: what follows from a guarantee, step by step, and what does not.

Chains to several conclusions share steps, so each application of a theorem is listed once, with a
number, and a conclusion names the numbers that lead to it. Where print differs from what is true,
both stand there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from twoworlds.answer import Block, Said, Steps, Table
from twoworlds.theorems import KINDS, Guarantee
from twoworlds.theorems.implication import Implication
from twoworlds.theorems.statements import Application

CONCLUSIONS = (
    "semantic",
    "informed",
    "ddp",
    "inference-ddp",
    "noiseless",
    "pufferfish",
)


def chains(given: Guarantee) -> list[Implication]:
    """Ask what follows from a guarantee about each kind."""
    return [given.implies(kind) for kind in CONCLUSIONS]


def chain_blocks(given: Guarantee, found: Sequence[Implication]) -> Iterator[Block]:
    """Yield the conclusions, the steps that lead to them, and what does not follow."""
    steps: list[Application] = []
    rows = []
    for one in found:
        if one.best is None or one.best.vacuous:
            continue
        for made in one.steps:
            if made not in steps:
                steps.append(made)
        numbers = ", ".join(str(1 + steps.index(made)) for made in one.steps) or "as stated"
        rows.append((one.best.text(beside=given), KINDS[one.best.kind].summary, numbers))
    if rows:
        lead = f"From {given} follows, for every mechanism that satisfies it:"
        yield Table(("follows", "which says", "by steps"), tuple(rows), lead=lead)
        yield Steps(tuple(_steps(steps)))
    else:
        yield Said((f"No theorem known here draws a conclusion from {given}.",))
    yield from _open(found)


def _steps(steps: Sequence[Application]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each theorem with what its paper prints where that differs."""
    for made in steps:
        theorem = made.theorem
        told = (
            ("As printed, which is false" if theorem.printed_false else "Printed", theorem.printed),
            ("Corrected", theorem.corrected),
            ("Erratum", theorem.erratum),
        )
        notes = tuple(f"{word}: {text}" for word, text in told if text)
        yield f"{theorem.statement} [{theorem.citation}; {theorem.tightness}]", notes


def _open(found: Sequence[Implication]) -> Iterator[Block]:
    refuted = tuple(
        (_refuted(one), f"{refutation.text}\n{refutation.of.citation}")
        for one in found
        for refutation in one.refutations
    )
    unknown = [one.context.target for one in found if one.best is None and not one.refutations]
    if refuted:
        yield Table(("does not follow", "because"), tuple(dict.fromkeys(refuted)))
    if unknown:
        yield Said(
            (
                f"The theorems alone say nothing about {' and '.join(unknown)}: that depends on "
                "what an attacker believes, and is measured when a belief is named.",
            ),
            quiet=True,
        )


def _refuted(one: Implication) -> str:
    name = one.context.target
    return name if one.best is None else f"more about {name}"
