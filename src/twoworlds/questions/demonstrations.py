r"""Demonstrations: the main job on built-in examples, and what can be watched.

Two are figures of Wu. The density of Laplace noise (Figure 4) is

    h(y) = e^(-|y| / b) / (2 b),   where: b the scale, sensitivity / epsilon;

the area below each curve is 1: half the scale, and the peak is twice as high. The ratio e^epsilon
has simple bounds (Appendix A and Figure 5):

    1 + x <= e^x                             for every x, with equality at 0 only
    e^x <= 1 + x + x^2 <= 1 + 2 x            for 0 <= x <= 1

so that a small epsilon is, nearly, the share by which odds can grow.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated

from twoworlds.answer import Answer, Facts, Said, Table
from twoworlds.charts import BLUE, GREY, ORANGE, Axis, Curves, Line, nice
from twoworlds.errors import UnknownName
from twoworlds.files import certificate_text, check_place, write
from twoworlds.numbers import Number, above, decimal, exp, show, signed
from twoworlds.questions import Place
from twoworlds.show import Result, Told

SCALES = (Fraction(1), Fraction(2), Fraction(4), Fraction(7))
_EPSILONS = tuple(Fraction(x, 100) for x in (0, 1, 10, 25, 50, 75, 100))
_LOOKS = ((BLUE, False), (ORANGE, False), (BLUE, True), (ORANGE, True))
_STEPS = 140
_SURVEY = "randomized-response(bits=1000, keep=3/4)"
_COUNT = "geometric(ratio=2)"
_ASKED = (
    "SELECT region, COUNT(*), AVG(income) FROM people GROUP BY region",
    "SELECT MEDIAN(age) FROM people",
)
_EPSILON = "1"


def demo(
    what: Annotated[
        str, Place("hospital (if left out), mechanisms, noise, epsilon, or k-anonymity")
    ] = "hospital",
    folder: Annotated[Path, "where the hospital's files are laid out"] = Path("hospital"),
) -> Result:
    """Make a private release from a made-up hospital, or watch another demonstration."""
    shows = {
        "mechanisms": _mechanisms,
        "k-anonymity": _k_anonymity,
        "noise": _noise,
        "epsilon": _epsilon,
    }
    if what == "hospital":
        return _hospital(folder)
    if what not in shows:
        raise UnknownName("demonstration", what, ["hospital", *shows])
    return shows[what]()


def _hospital(folder: Path) -> Result:
    """Make a release from the bundled table, with its report and certificate."""
    from twoworlds.release.certificate import certify, check_certificate
    from twoworlds.release.curator import Curator
    from twoworlds.release.examples import PEOPLE, lay_out
    from twoworlds.report.review import review_released

    lay_out(folder)
    places = [check_place(folder / name) for name in ("report.html", "certificate.json")]
    with Curator.open(folder / "policy.yml") as curator:
        released = curator.release_all(_ASKED, _EPSILON, analyst="ann")
        report = write(places[0], review_released(released, curator.ledger).html())
    certificate = certify(released)
    proof = write(places[1], certificate_text(certificate))
    checked, shown = check_certificate(certificate), released.answer()
    following = [
        f"twoworlds budget --policy {folder / 'policy.yml'}",
        f"twoworlds verify {proof}",
        "twoworlds demo mechanisms",
    ]
    said = Answer(
        f"A private release from {PEOPLE:,} made-up patients ({folder / 'people.parquet'}), with "
        f"epsilon {_EPSILON} for both queries together",
        blocks=(
            Said([shown.headline]),
            *shown.blocks,
            Facts([("wrote", str(report)), ("", str(proof))]),
            Facts([("next" if i == 0 else "", line) for i, line in enumerate(following)]),
        ),
    )
    files = {"report": report, "certificate": proof}
    return Told(said, {"answers": released.answers, **files, "checked": checked})


def _mechanisms() -> Result:
    """Measure two mechanisms."""
    from twoworlds import measure

    found = [measure(text) for text in (_SURVEY, _COUNT)]
    titles = (
        "A survey of 1,000 people, each answer flipped with probability 1/4",
        "A count of people, published with two-sided geometric noise",
    )
    blocks = [
        block
        for title, verdict in zip(titles, found, strict=True)
        for block in (Said([f"{title}. {verdict.sentence}"]), *verdict.answer().blocks)
    ]
    said = Answer(
        "Two mechanisms, and what each lets anyone learn about a person.",
        blocks=blocks,
        notes=["next: twoworlds explain 'dp(epsilon=1)'; twoworlds statements 'skellam(1, 1)'"],
    )
    return Told(said, {"verdicts": found})


def _k_anonymity() -> Result:
    """Show a k-anonymous table that gives everything away."""
    from twoworlds.attacks import demonstration

    return demonstration()


def spread(scale: Fraction) -> dict[str, Number]:
    """Return the density of Laplace noise at 0, its mean size, and how seldom it is far off.

    >>> found = spread(Fraction(2))
    >>> found["peak"], found["mean"]
    (Fraction(1, 4), Fraction(2, 1))
    """
    from twoworlds.mechanisms import Laplace
    from twoworlds.mechanisms.accuracy import laplace_errors

    law, beyond = Laplace(scale=scale), laplace_errors(scale, t=3)[2].exact
    return {"scale": scale, "peak": law.probability(0, 0), "mean": law.scale, "beyond": beyond}


def _noise() -> Result:
    """Say what the scale of Laplace noise means (Wu, Figure 4)."""
    from twoworlds.mechanisms import Laplace

    found = [spread(scale) for scale in SCALES]
    reach = 2 * max(SCALES)
    places = [reach * Fraction(k, _STEPS) for k in range(-_STEPS, _STEPS + 1)]
    lines = [
        Line(
            f"scale {show(scale)}",
            [(float(y), above(Laplace(scale=scale).probability(y, 0))) for y in places],
            colour,
            dashed=dashed,
        )
        for scale, (colour, dashed) in zip(SCALES, _LOOKS, strict=True)
    ]
    words = " ".join(
        f"Scale {show(one['scale'])}: density {decimal(one['peak'], 3, 'about')} at 0, mean size "
        f"{decimal(one['mean'], 3, 'about')}, beyond three times the scale with probability "
        f"{decimal(one['beyond'], 3, 'about')}."
        for one in found
    )
    ends = float(reach)
    chart = Curves(
        "Laplace noise of several scales",
        words,
        Axis("noise", -ends, ends, [(float(y), show(y)) for y in (-reach, Fraction(0), reach)]),
        Axis("density", 0, 0.55, [(y, f"{y:g}") for y in nice(0.5)]),
        lines,
    )
    rows = [
        [show(one["scale"]), show(1 / one["scale"]), *(show(one[n]) for n in _SPREAD)]
        for one in found
    ]
    heads = ("scale", "epsilon of a count", "density at 0", "mean size", "beyond 3 scales")
    said = Answer(
        "Laplace noise is as far off as its scale on average, and beyond three times the scale in "
        "5% of the cases. The scale is the sensitivity divided by epsilon.",
        blocks=(Table(heads, rows), chart),
        assumptions=("Wu, Figure 4: laplace(scale=b), with b = sensitivity / epsilon",),
    )
    return Told(said, {"scales": found})


_SPREAD = ("peak", "mean", "beyond")


def bounds_at(x: Fraction) -> dict[str, Number]:
    """Return e^x with what bounds it: from below, and up to x = 1 from above.

    >>> found = bounds_at(Fraction(1, 2))
    >>> found["below"], found["above"], found["above_on_unit"]
    (Fraction(3, 2), Fraction(7, 4), Fraction(2, 1))
    """
    ratio: Number = Fraction(1) if x == 0 else exp(x)
    bounds = {"below": 1 + x, "ratio": ratio, "above": 1 + x + x * x, "above_on_unit": 1 + 2 * x}
    return {"epsilon": x, **bounds}


def _epsilon() -> Result:
    """Say what epsilon means as a factor (Wu, Figure 5)."""
    found = [bounds_at(x) for x in _EPSILONS]
    end, steps = Fraction(5, 4), 50
    points = [bounds_at(end * Fraction(k, steps)) for k in range(steps + 1)]
    named = {
        "below": ("1 + x", GREY),
        "ratio": ("e^x", BLUE),
        "above": ("1 + x + x²", ORANGE),
        "above_on_unit": ("1 + 2x", GREY),
    }
    lines = [
        Line(
            name,
            [(above(one["epsilon"]), above(one[key])) for one in points],
            colour,
            dashed=key != "ratio",
        )
        for key, (name, colour) in named.items()
    ]
    said = (
        "Odds can grow by the factor e^epsilon. Up to epsilon 1 it lies between 1 + epsilon and "
        "1 + epsilon + epsilon^2: a small epsilon is, nearly, the share by which they grow."
    )
    ticks = [(x / 4, f"{x / 4:g}") for x in range(6)]
    chart = Curves(
        "What epsilon means as a factor",
        f"At epsilon 0.5 the factor is {decimal(exp(Fraction(1, 2)), 4, 'about')}, between 1.5 and "
        f"1.75; at epsilon 1 it is {decimal(exp(Fraction(1)), 4, 'about')}, between 2 and 3.",
        Axis("epsilon (x)", 0, float(end), ticks),
        Axis("factor on odds", 1, 3.9, [(y, f"{y:g}") for y in (1, 1.5, 2, 2.5, 3, 3.5)]),
        lines,
    )
    heads = ("epsilon", "1 + epsilon", "e^epsilon", "1 + epsilon + epsilon^2", "1 + 2 epsilon")
    rows = [
        [signed(x, decimal(x, side="nearest"), side="nearest") for x in one.values()]
        for one in found
    ]
    answer = Answer(
        said,
        blocks=(Table(heads, rows), chart),
        assumptions=("Wu, Appendix A and Figure 5; beyond 1 the upper bounds change places",),
    )
    return Told(answer, {"epsilons": found})
