"""One answer of every kind, as users get them: most of them from the examples in the docstrings.

``python -m tests.show.gallery FILE`` writes all their cards on one page, to look at.
"""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pkgutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import twoworlds as tw
from twoworlds.mechanisms import Mechanism

SURVEY = "randomized-response(bits=2, keep=3/4)"
# The part of the package whose classes are no answers: settings, and what others show.
APART = (".web", ".spark", ".testing", ".cli", ".__main__")

# Where a docstring makes one.
EXAMPLES = {
    "attacks.tables.anonymity.Anonymity": "attacks.tables.anonymity.examine",
    "attacks.tables.anonymisation.Generalised": "attacks.tables.anonymisation.anonymise",
    "attacks.audit.finding.Audit": "attacks.audit.auditing.audit",
    "attacks.audit.finding.Finding": "attacks.audit.auditing.audit",
    "cones.compare.Strength": "cones.compare.compare",
    "cones.design.Design": "cones.design.design",
    "cones.elimination.Relaxation": "cones.elimination.relax",
    "cones.normal_form.InverseMatrix": "cones.normal_form.inverse",
    "cones.noise.noise_cone.NoiseCone": "cones.noise.noise_cone.noise_cone",
    "cones.noise.noise_cone.NoiseMembership": "cones.noise.noise_cone.NoiseCone.contains",
    "cones.noise.noise_statements.NoiseStatement": (
        "cones.noise.noise_statements.noise_statements"
    ),
    "cones.per_record.PerRecordCone": "cones.words.parity.attacker_who_changes_his_mind",
    "cones.per_record.ProductMembership": "cones.words.parity.attacker_who_changes_his_mind",
    "cones.row_cone.Inequality": "cones.row_cone.Inequality",
    "cones.row_cone.RowCone": "cones.design.design",
    "cones.words.odds.LargestOdds": "cones.words.odds.largest_odds",
    "cones.words.parity.ParityCheck": "cones.words.parity.parity_check",
    "cones.words.statements.Statement": "cones.words.statements.statement",
    "cones.words.statements.StatementGroup": "cones.words.statements.grouped",
    "definitions.coupled.optimal.Limit": "definitions.coupled.optimal.limit",
    "definitions.coupled.optimal.Optimum": "definitions.scenario.Scenario",
    "definitions.coupled.smallest.SmallestRatio": "definitions.coupled.smallest.smallest_ratio",
    "definitions.coupled.inference_optimal.InferenceOptimum": (
        "definitions.coupled.inference_optimal.inference_optimum"
    ),
    "definitions.coupled.operations.Composed": "definitions.coupled.operations.compose",
    "definitions.profile.Profile": "definitions.profile.Profile",
    "definitions.record_trade_off.RecordTradeOff": "definitions.record_trade_off.record_trade_off",
    "definitions.semantics.posteriors.CrowdGames": "definitions.semantics.games.play_crowd",
    "definitions.semantics.posteriors.Games": "definitions.semantics.games.play",
    "definitions.semantics.failure.Bounded": "definitions.semantics.privacy.SemanticPrivacy",
    "mechanisms.accuracy.Bound": "mechanisms.accuracy.laplace_variance",
    "mechanisms.accuracy.Crossover": "mechanisms.accuracy.laplace_crossover",
    "mechanisms.calibration.PrintedScale": "mechanisms.calibration.dwork_scale",
    "release.local.estimates.Estimates": "release.local.estimates.estimate",
    "release.local.randomizer.Randomizer": "release.local.randomizer.Randomizer",
    "release.sensitivity.calibration.Calibration": (
        "release.sensitivity.calibration.Calibration.answer"
    ),
    "theorems.conditioning.Conditioned": "theorems.conditioning.condition",
    "theorems.local.GoodDatabases": "theorems.local.good_databases",
    "theorems.local.LocalCalibration": "theorems.local.calibrate_locally",
    "worlds.joint.BeliefClass": "definitions.scenario.Scenario",
    "worlds.joint.Joint": "definitions.scenario.Scenario",
    "worlds.sensitivity.Sensitivity": "worlds.sensitivity.global_sensitivity",
}


def classes() -> Iterator[type]:
    """Run through every class of the package that can be part of an answer."""
    for module in pkgutil.walk_packages(tw.__path__, "twoworlds."):
        if any(part in module.name for part in APART):
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(value) and value.__module__ == module.name:
                yield value


def named(path: str) -> Any:
    """Return what a path such as ``cones.design.design`` names."""
    words = path.split(".")
    for cut in range(len(words), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(["twoworlds", *words[:cut]]))
        except ModuleNotFoundError:
            continue
        for word in words[cut:]:
            found = getattr(found, word)
        return found
    raise LookupError(path)


def example(kind: type, source: str) -> Any:
    """Run the example of a docstring, and return the last object of a kind that it made."""
    made: list[Any] = []
    before = kind.__init__

    def init(self: Any, *arguments: Any, **options: Any) -> None:
        before(self, *arguments, **options)
        if type(self) is kind:
            made.append(self)

    subject = named(source)
    [test] = doctest.DocTestFinder(recurse=False).find(
        subject, source, globs=dict(vars(inspect.getmodule(subject)))
    )
    kind.__init__ = init
    try:
        doctest.DocTestRunner(verbose=False).run(test, out=lambda _: None, clear_globs=False)
    finally:
        kind.__init__ = before
    return made[-1]


def built(folder: Path) -> dict[str, Callable[[], Any]]:
    """Return how to make the others; a made-up hospital is laid out in the folder."""
    from twoworlds.definitions.together import together
    from twoworlds.definitions.trade_off import trade_off
    from twoworlds.mechanisms.strategy import Strategy
    from twoworlds.noiseless.data import release_histogram, release_total
    from twoworlds.release import Curator, certify
    from twoworlds.release.certificate import check_certificate
    from twoworlds.release.examples import lay_out
    from twoworlds.release.local import Randomizer
    from twoworlds.release.local.release import LocalCertificate
    from twoworlds.release.policy.examination import examine
    from twoworlds.release.review import ReviewDesk
    from twoworlds.report.review import review_mechanism
    from twoworlds.theorems import NON_IMPLICATIONS, THEOREMS, Guarantee
    from twoworlds.theorems.promise import promise
    from twoworlds.worlds.beliefs import belief
    from twoworlds.worlds.statistics import count

    lay_out(folder)
    curator = Curator.open(folder / "policy.yml")
    asked = "SELECT region, COUNT(*), AVG(income) FROM people GROUP BY region"
    released = curator.release_all([asked], "1", analyst="ann")
    curator.propose("SELECT AVG(age) FROM people", "1", purpose="a table", analyst="ann")
    bits = folder / "bits.csv"
    bits.write_text("bit\n" + "1\n0\n" * 20, encoding="utf-8")
    ages = folder / "ages.csv"
    ages.write_text("age\n" + "30\n" * 9 + "70\n" * 4, encoding="utf-8")

    def strategy() -> Any:
        found = curator.strategy("people", "1/2", name="gallery", analyst="ann")
        found.release("SELECT COUNT(*) FROM people", "1/4")
        return found

    coin = Randomizer.of("randomized-response(keep=3/4)", values=["yes", "no"])
    return {
        "definitions.trade_off.TradeOff": lambda: trade_off(tw.mechanism(SURVEY), "11", "01"),
        "definitions.together.Together": lambda: together("laplace(epsilon=1)", times=3),
        "definitions.verdict.Verdict": lambda: tw.check(SURVEY, "dp(epsilon=1)"),
        "mechanisms.strategy.sensitivity.StrategySensitivity": lambda: Strategy.batch(
            tw.BitStrings(3), count(), count()
        ).sensitivity(),
        "noiseless.data.ExactRelease": lambda: release_total(bits, "bit", "0, 1", epsilon=1),
        "noiseless.data.ExactRelease of a table": lambda: release_histogram(
            ages, "age", "0..17, 18..64, 65..120", 3, population=100, rate="3/10", epsilon=1
        ),
        "release.answers.answer.QueryAnswer": lambda: released.answers[0],
        "release.certificate.Checked": lambda: check_certificate(certify(released)),
        "release.forms.DryRun": lambda: curator.plan(asked, "1", analyst="ann"),
        "release.review.ReviewDesk": lambda: ReviewDesk(curator.ledger, "people"),
        "release.local.release.LocalCertificate": lambda: LocalCertificate(
            coin, "ill", 200, ("ward",)
        ),
        "release.policy.examination.Examination": lambda: examine(
            curator.policy.dataset("people"),
            *curator.engines.open(curator.policy.dataset("people")),
        ),
        "release.forms.Released": lambda: released,
        "release.strategy.PaidStrategy": strategy,
        "report.review.model.Review": lambda: review_mechanism(SURVEY, claim="dp(epsilon=1)"),
        "theorems.guarantee.Guarantee": lambda: Guarantee.parse("dp(epsilon=1)"),
        "theorems.implication.Implication": lambda: Guarantee.parse("dp(epsilon=1)").implies("ddp"),
        "theorems.non_implications.NonImplication": lambda: next(iter(NON_IMPLICATIONS.values())),
        "theorems.promise.Promise": lambda: promise(Guarantee.parse("dp(epsilon=1)")),
        "theorems.statements.Theorem": lambda: next(iter(THEOREMS.values())),
        "worlds.belief.Belief": lambda: belief("independent(3/4, 1/2)", tw.BitStrings(2)),
    }


def path_of(kind: type) -> str:
    """Return the path of a class below the package."""
    return f"{kind.__module__}.{kind.__name__}".removeprefix("twoworlds.")


def page(cards: dict[str, str], *, dark: bool = False) -> str:
    """Return a page with all cards, for people to look at."""
    colours = "background:#111;color:#e0e0e0" if dark else "background:#fff;color:#000"
    items = "".join(f"<h4>{name}</h4>{shown}" for name, shown in cards.items())
    return (
        f'<!doctype html><meta charset="utf-8"><title>Cards</title><body style="{colours};'
        f'font:14px/1.4 system-ui,sans-serif;margin:2em">{items}'
    )


def main(file: str, dark: str = "") -> None:
    """Write the page."""
    kinds = {path_of(kind): kind for kind in classes()}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        makers = built(Path(folder))
        cards = {}
        for name in sorted((*EXAMPLES, *makers)):
            found = makers[name]() if name in makers else example(kinds[name], EXAMPLES[name])
            cards[name] = found._repr_html_()
        for text in (SURVEY, "laplace(scale=1)", "geometric(ratio=2)"):
            cards[text] = tw.mechanism(text)._repr_html_()
    Path(file).write_text(page(cards, dark=False), encoding="utf-8")
    Path(file).with_suffix(".dark.html").write_text(page(cards, dark=True), encoding="utf-8")


def answers() -> dict[str, type]:
    """Return the classes of answers, by path: what explains itself or has a card."""
    return {
        path_of(kind): kind
        for kind in classes()
        if hasattr(kind, "_repr_html_") and not issubclass(kind, Mechanism)
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
