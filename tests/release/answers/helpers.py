"""Small policies, calibrations built by hand, and totals, for the tests of answers."""

from __future__ import annotations

from fractions import Fraction

from twoworlds.laws.noise import GeometricNoise, Noise
from twoworlds.numbers import exp
from twoworlds.release.answers import AnswerContext, QueryAnswer
from twoworlds.release.answers.cells import stored
from twoworlds.release.costs import Cost, parse_cost
from twoworlds.release.noise import Sampler
from twoworlds.release.noise.choice import chosen as drawn_choice
from twoworlds.release.plan.groups import Totals
from twoworlds.release.policy.model import Column, Dataset, Unit
from twoworlds.release.query import Query, Resolved, resolve
from twoworlds.release.sensitivity import Calibration, MeasureNoise

ROW = Dataset(
    "people",
    None,
    "add-remove",
    columns={
        "region": Column("region", "text", keys=("north", "south", "west")),
        "sex": Column("sex", "text", keys=("f", "m")),
        "city": Column("city", "text"),
        "age": Column(
            "age",
            "integer",
            low=Fraction(0),
            high=Fraction(100),
            bins=(Fraction(0), Fraction(18), Fraction(65), Fraction(120)),
            grid=tuple(Fraction(x) for x in range(0, 101, 10)),
        ),
        "income": Column(
            "income", "number", low=Fraction(0), high=Fraction(1000), unit=Fraction(1, 2)
        ),
    },
)
PERSON = Dataset("visits", None, "substitute", Unit("who", 3, 2), ROW.columns)
FREE = MeasureNoise(Fraction(0), None, Fraction(0))  # nobody can move it


def noised(law: Noise) -> MeasureNoise:
    """Return noise of a given law."""
    return MeasureNoise(Fraction(1), law, Fraction(1))


def laplace(scale: object) -> MeasureNoise:
    """Return discrete Laplace noise of a scale."""
    read = Fraction(scale)
    return MeasureNoise(Fraction(1), GeometricNoise(exp(-1 / read)), read)


def chosen(rate: object) -> MeasureNoise:
    """Return the noise of a quantile for which a row costs at most the rate."""
    return MeasureNoise(Fraction(1), None, Fraction(1), Fraction(rate))


def calibrated(
    resolved: Resolved,
    *noises: MeasureNoise,
    cost: Cost | None = None,
    threshold: int | None = None,
) -> Calibration:
    """Return a calibration of one query: the given noises, or Laplace noise of scale 2 for all."""
    found = noises or tuple(
        chosen(1) if measure.kind == "ranks" else laplace(2) for measure in resolved.measures
    )
    return batched(resolved, [found], cost=cost, threshold=threshold)


def batched(
    resolved: Resolved,
    noises: list[tuple[MeasureNoise, ...]],
    *,
    cost: Cost | None = None,
    threshold: int | None = None,
) -> Calibration:
    """Return a calibration of several queries."""
    return Calibration(
        parse_cost("1/2") if cost is None else cost,
        "laplace",
        tuple(noises),
        threshold,
        Fraction(1, 2),
        Fraction(1, 2),
        True,
        resolved.dataset.neighbours,
        resolved.dataset.unit,
    )


def added(cells: dict | None = None, ranks: dict | None = None) -> Totals:
    """Return true totals."""
    return Totals(cells or {}, ranks or {})


def asked(query: Query, dataset: Dataset = ROW) -> Resolved:
    """Resolve a query."""
    return resolve(query, dataset)


def answered(
    resolved: Resolved, stored: dict, calibration: Calibration | None = None
) -> QueryAnswer:
    """Build an answer for which the whole cost was paid."""
    noise = calibrated(resolved) if calibration is None else calibration
    context = AnswerContext(
        resolved.dataset,
        noise.cost,
        noise.cost,
        left={"people": parse_cost("3/2"), "ada": parse_cost("1/2")},
        entry="ab" * 32,
    )
    return QueryAnswer.of(resolved, noise, stored, context)


def simulated(resolved: Resolved, totals: Totals, calibration: Calibration, bits) -> dict:
    """Return what a release would store with noise from bits that can be repeated."""
    return stored(
        resolved,
        totals,
        calibration.noises[0],
        calibration.threshold,
        lambda law, size: Sampler.of(law).values(size, bits),
        lambda given, rate: drawn_choice(given, rate, bits),
    )
